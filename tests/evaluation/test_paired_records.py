"""What a paired.json says of its rows."""

import pytest

from clinbench.evaluation.paired import Compared
from clinbench.evaluation.paired_records import paired_record, system_facts


@pytest.mark.parametrize(
    ("run", "search"),
    [
        ({"selection": "validation auroc", "trainings": 6}, {"budget": 6, "selection": "validation"}),
        ({"selection": "test auroc", "trainings": 105}, {"budget": 105, "selection": "test"}),
        ({"selection": "fixed settings"}, {"budget": 0, "selection": None}),
        ({"selection": "made elsewhere, not known"}, {"budget": None, "selection": None}),
    ],
)
def test_the_search_of_a_row_is_read_from_its_record(run, search):
    known = {"seeds": [0, 1], "search": search | {"alike": True}}
    assert system_facts([0, 1], [run, dict(run)]) == known


@pytest.mark.parametrize("change", [{"trainings": 7}, {"selection": "test auroc"}])
def test_seeds_that_were_searched_differently_are_told(change):
    run = {"selection": "validation auroc", "trainings": 6}
    assert system_facts([0, 1, 2], [run, run, run | change])["search"]["alike"] is False


def test_rows_that_did_not_run_are_named_and_in_no_pair():
    pair = {"first": "bce", "second": "gbt", "metric": "auroc"}
    values = {name: {"auroc": {"mean": 0.8, "sd": None}} for name in ("bce", "gbt")}
    systems = {"bce": {"seeds": [3, 4]}, "gbt": {"seeds": [4]}}
    record = paired_record(
        Compared([pair], values), systems, {"cbce": "no reason"}, block={"dataset": "a"}, unit="patient",
        n=9, groups=8, draws=7,
    )  # fmt: skip
    assert record["absent"] == {"cbce": "no reason"} and record["pairs"] == [pair]
    assert (record["dataset"], record["model"], record["level"]) == ("a", "", "")
    assert record["seeds"] == [3, 4] and record["systems"]["gbt"]["values"] == values["gbt"]
