"""Risk trainings use one thread each: any number of cores and any order of jobs gives the same bytes."""

from tests.faults.tiny import TABLES, Workflow


def test_cores_and_order_do_not_change_a_byte_of_the_risk_track(tmp_path, encoder, uninterrupted):
    run = Workflow(tmp_path / "run", encoder, cores=1)
    run.finish(TABLES[0])
    kept = (".safetensors", ".csv", ".tex", ".npz", "history.json", "selected.json")
    ours, theirs = run.results(*kept), uninterrupted.results(*kept)
    assert len(ours) >= 8
    assert [name for name in ours if ours[name] != theirs[name]] == []
