"""Files as users have them, and mistakes in them: each named, before or instead of hours of work."""

import gzip
import re

import polars as pl
import pytest
from tests.mimic3.tables import make_tables, simple_tables, write_resources, write_tables

from clinbench.cohorts.mimic import blocks, tasks
from clinbench.cohorts.mimic.blocks import read_blocks
from clinbench.cohorts.mimic.tables import find_tables, read_table
from clinbench.errors import UserError


@pytest.mark.parametrize(
    ("ending", "case"), [(".csv.gz", str.lower), (".csv.xz", str.title), (".csv", str.lower)]
)
def test_compression_and_case_of_the_header_change_nothing(prepare, tmp_path, monkeypatch, ending, case):
    made = make_tables(1)
    _, load = prepare(made)
    monkeypatch.setattr(blocks.read_blocks, "__defaults__", (1500,))  # many blocks
    _, again = prepare(source=write_tables(tmp_path / "other", made, ending, case))
    assert load("phenotyping").fingerprint() == again("phenotyping").fingerprint()


def test_blocks_end_with_lines_and_never_inside_quotes(tmp_path):
    lines = ['a,"one\ntwo",b\n', "c,d,e\n", 'f,"g ""h\n"" i",j\n', '"k\n\n\n",l,m']
    path = tmp_path / "x.csv"
    path.write_text("x,y,z\n" + "".join(lines))
    for size in range(1, 60):
        parts = [block.text.decode() for block in read_blocks(path, size)]
        assert "".join(parts) == "".join(lines) + "\n"
        assert all(part.endswith("\n") and part.count('"') % 2 == 0 for part in parts)
    starts = [block.line for block in read_blocks(path, 8)]
    assert starts[0] == 2 and starts == sorted(starts)


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".csv.xz"])
def test_blocks_tell_how_much_of_the_file_is_read(tmp_path, ending):
    folder = write_tables(tmp_path, make_tables(1), ending)
    shares = [block.share for block in read_blocks(folder / f"CHARTEVENTS{ending}", 5000)]
    assert len(shares) > 10 and shares == sorted(shares) and 0 < shares[0] and shares[-1] == 1


def test_a_quote_that_nothing_closes_takes_no_more_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "LONGEST", 1000)
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n3,\"4\n" + "5,6\n" * 5000)
    with pytest.raises(UserError, match="x.csv, line 3: the row that begins there does not end"):
        [*read_blocks(path, 100)]
    path.write_text("a,b" + "\r5,6" * 5000)  # line breaks of another age
    with pytest.raises(UserError, match="x.csv, line 1: the row that begins there does not end"):
        [*read_blocks(path, 100)]


def test_a_byte_order_mark_and_quoted_names_are_read(tmp_path):
    folder = write_tables(tmp_path, simple_tables())
    path = folder / "PATIENTS.csv"
    path.write_bytes(b'\xef\xbb\xbf"ROW_ID","SUBJECT_ID","GENDER","DOB","DOD"\n1,7,F,2100-01-01 00:00:00,\n')
    assert read_table("PATIENTS", find_tables(folder)["PATIENTS"]).row(0)[:2] == (7, "F")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: (f / "LABEVENTS.csv").unlink(), "table LABEVENTS: no LABEVENTS.csv, LABEVENTS.csv.gz or"),
        (
            lambda f: edit(f, "CHARTEVENTS", "ITEMID", "ITEM"),
            "no column 'ITEMID' (any case); it has ROW_ID, SUB",
        ),
        (lambda f: edit(f, "ICUSTAYS", "HADM_ID", "SUBJECT_ID"), "column 'SUBJECT_ID' is there twice"),
        (lambda f: (f / "PATIENTS.csv").write_text(""), "PATIENTS.csv: the file is empty"),
        (lambda f: (f / "patients.csv.gz").write_bytes(b""), "patients.csv.gz"),
        (
            lambda f: edit(f, "CHARTEVENTS", ",201,11,", ",one,11,"),
            "column 'icustay_id': 'one' is not a whole number",
        ),
        (
            lambda f: edit(f, "CHARTEVENTS", "2150-01-01 13:30:00", "13:30"),
            "'charttime': '13:30' is not a time",
        ),
        (
            lambda f: edit(f, "ICUSTAYS", "3.0", "three"),
            "line 2, column 'los': 'three' is not a number",
        ),
        (lambda f: edit(f, "PATIENTS", "2100-01-01 00:00:00", ""), "ICU stay 201: INTIME or DOB is missing"),
        (lambda f: append(f, "ICUSTAYS", 1), "ICUSTAYS: ICUSTAY_ID 201 must occur once"),
        (lambda f: append(f, "PATIENTS", 1), "PATIENTS: SUBJECT_ID 1 must occur once"),
        (lambda f: append(f, "ADMISSIONS", 1), "ADMISSIONS: HADM_ID 101 must occur once"),
        (lambda f: cut(f, "CHARTEVENTS"), "line 4: 4 fields where the header has 12"),
        (lambda f: append(f, "CHARTEVENTS", 1, ",,,,"), "line 5: 16 fields where the header has 12"),
        (
            lambda f: edit(f, "CHARTEVENTS", ",10", ",70"),
            "None of the 3 events of the cohort's patients belongs to",
        ),
        (lambda f: cut(f, "CHARTEVENTS", '"a,b"'), "line 4: 4 fields where the header has 12"),
    ],
)
def test_mistakes_in_tables_are_named(prepare, tmp_path, change, message):
    folder = write_tables(tmp_path / "csv", simple_tables())
    change(folder)
    with pytest.raises(UserError, match=re.escape(message)):
        prepare(source=folder)


def edit(folder, name, old, new):
    path = folder / f"{name}.csv"
    path.write_text(path.read_text().replace(old, new))


def append(folder, name, row, more=""):
    path = folder / f"{name}.csv"
    path.write_text(path.read_text() + path.read_text().splitlines()[row] + more + "\n")


def cut(folder, name, value="80"):
    """Cut the last line off after its fourth field."""
    path = folder / f"{name}.csv"
    *lines, last, _ = path.read_text().replace(",80,", f",{value},").split("\n")
    path.write_text("\n".join([*lines, ",".join(last.split(",")[:4])]))


def test_a_truncated_gz_is_named(prepare, tmp_path):
    folder = write_tables(tmp_path / "csv", make_tables(1))
    text = (folder / "CHARTEVENTS.csv").read_bytes()
    (folder / "CHARTEVENTS.csv").unlink()
    (folder / "CHARTEVENTS.csv.gz").write_bytes(gzip.compress(text)[:-200])
    with pytest.raises(UserError, match=r"CHARTEVENTS.csv.gz: truncated, damaged or unreadable"):
        prepare(source=folder)


def test_duplicate_rows_unsorted_times_negative_hours_and_late_events(prepare):
    events = [(14, 30, "90"), (14, 2, "80"), (14, -3, "50"), (14, 90, "60"), (14, 2, "80"), (14, 71, "70")]
    made = simple_tables(events, DEATHTIME="2150-01-03 12:00:00")
    summary, load = prepare(made)
    assert summary["cells"]["rows_before_stay"] == 1 and summary["cells"]["rows_after_stay"] == 1
    assert summary["cells"]["rows_after_death"] == 2 and summary["cells"]["rows_of_stays"] == 8
    plain = [events[i] for i in (5, 0, 1)]
    assert (
        load("mortality").fingerprint()
        == prepare(simple_tables(plain, DEATHTIME="2150-01-03 12:00:00"))[1]("mortality").fingerprint()
    )


def test_stays_without_events_length_or_diagnosis_are_in_no_task(prepare):
    for change in ({"LOS": ""}, {"LOS": "0"}):
        summary, load = prepare(simple_tables(**change))
        assert summary["sizes"]["phenotyping stays"] == {"train": 0, "val": 1, "test": 1}
        with pytest.raises(UserError, match="phenotyping: no stay in 'train'"):
            load("phenotyping")
    summary, _ = prepare(simple_tables(codes=[]))
    assert summary["sizes"]["mortality stays"]["train"] == 0
    made = simple_tables()
    made["CHARTEVENTS"] = [row for row in made["CHARTEVENTS"] if row["SUBJECT_ID"] != "2"]
    summary, _ = prepare(made)
    assert summary["sizes"]["mortality stays"] == {"train": 1, "val": 0, "test": 1}
    short, _ = prepare(simple_tables(LOS="1.9999"))
    assert (
        short["sizes"]["mortality stays"]["train"] == 0 and short["sizes"]["phenotyping stays"]["train"] == 1
    )


def test_ids_of_another_database_are_named(prepare, resources):
    write_resources(resources, patients=range(500, 600))
    with pytest.raises(UserError, match="None of the 3 patients is in testset.csv"):
        prepare(simple_tables())


def test_an_empty_validation_list_is_named(prepare, resources):
    write_resources(resources, val=())
    _, load = prepare(simple_tables())
    with pytest.raises(UserError, match="mortality: no stay in 'val'"):
        load("mortality")
    (resources / "valset.csv").write_text("")
    with pytest.raises(UserError, match="valset.csv cannot be used:\n.*lists no patients"):
        prepare(simple_tables())


def test_a_table_the_reference_needs_is_named(prepare, tmp_path):
    folder = write_tables(tmp_path / "csv", simple_tables())
    (folder / "D_ICD_DIAGNOSES.csv").unlink()
    assert prepare(source=folder)[1]("mortality").labels.tolist() == [0, 0, 0]
    with pytest.raises(UserError, match="table D_ICD_DIAGNOSES: not there"):
        prepare(preset="reference", source=folder)


def test_a_disk_too_full_is_told_before_the_work(prepare, monkeypatch):
    monkeypatch.setattr("clinbench.cohorts.mimic.prepare.EPISODES", 1e12)
    with pytest.raises(UserError, match="the episodes of MIMIC-III need about"):
        prepare(simple_tables())


def test_folders_of_others_are_not_replaced(prepare, tmp_path):
    target = tmp_path / "mine"
    target.mkdir()
    (target / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match="has other content"):
        prepare(simple_tables(), write_benchmark_folders=str(target))
    (target / "thesis.txt").unlink()
    for _ in range(2):  # once into an empty folder, once over our own
        prepare(simple_tables(), write_benchmark_folders=str(target))
    assert (target / "phenotyping/test_listfile.csv").is_file()
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="Cannot write"):
        prepare(simple_tables(), write_benchmark_folders=str(tmp_path / "file" / "below"))


def test_counts_of_the_full_data_are_checked(prepare, monkeypatch):
    monkeypatch.setattr(tasks, "FULL", 3)
    with pytest.raises(
        UserError, match=r"mortality, train, stays +14681 +1  differs(.|\n)*allow_count_mismatch"
    ):
        prepare(simple_tables())
    summary, _ = prepare(simple_tables(), allow_count_mismatch=True)
    assert summary["counts_checked_against_the_full_data"] is True
    found = {("mortality", "stays"): {"train": 1, "val": 1, "test": 1}}
    found |= {
        ("mortality", "deaths"): {"train": 0, "val": 0, "test": 0},
        ("phenotyping", "stays"): found[("mortality", "stays")],
    }
    monkeypatch.setattr(tasks, "EXPECTED", found)
    assert prepare(simple_tables())[0]["counts_checked_against_the_full_data"] is True
    monkeypatch.setattr(tasks, "FULL", 4)
    assert prepare(simple_tables())[0]["counts_checked_against_the_full_data"] is False


def test_events_of_the_reference_funnel_are_typed(prepare, tmp_path):
    prepare(simple_tables([(14, 5, "77")]))
    rows = pl.read_parquet(tmp_path / "prepared0/episodes/*.parquet")
    assert rows.schema["hours"] == pl.Float64 and rows.schema["Mean blood pressure"] == pl.Float64
    assert rows.filter(pl.col("icustay_id") == 201)["Mean blood pressure"].to_list() == [None, 77.0]
