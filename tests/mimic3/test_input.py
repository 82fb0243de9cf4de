"""Files as users have them, and mistakes in them: each named, before or instead of hours of work."""

import csv
import gzip
import io
import re

import polars as pl
import pytest
from tests.mimic3.tables import make_tables, simple_tables, write_resources, write_tables

from clinbench.cohorts import mimic3, mimic3_benchmark
from clinbench.cohorts.mimic import blocks, tasks
from clinbench.cohorts.mimic import prepare as prepare_module
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
    assert len(shares) > 10 and shares == sorted(shares) and shares[0] > 0 and shares[-1] == 1


def test_a_quote_that_nothing_closes_takes_no_more_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "LONGEST", 1000)
    path = tmp_path / "x.csv"
    path.write_text('a,b\n1,2\n3,"4\n' + "5,6\n" * 5000)
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


@pytest.fixture
def cheap(monkeypatch):
    """Make reading the events, which takes hours on the full data, an error."""

    def ingest_events(*_):
        raise AssertionError("the events were read")

    monkeypatch.setattr(prepare_module, "ingest_events", ingest_events)


@pytest.mark.parametrize("change", [{"LOS": ""}, {"LOS": "0"}, {"codes": []}, {"codes": ["unknown"]}])
def test_stays_without_length_or_diagnosis_are_in_no_task(prepare, cheap, change):
    with pytest.raises(UserError, match=r"D_ICD_DIAGNOSES has\?\n(.|\n)*phenotyping: no stay in 'train'"):
        prepare(simple_tables(**change))


def test_stays_without_events_or_48_hours_are_in_no_task(prepare, capsys):
    made = simple_tables()
    made["CHARTEVENTS"] = [row for row in made["CHARTEVENTS"] if row["SUBJECT_ID"] != "2"]
    summary, load = prepare(made)
    assert summary["sizes"]["mortality stays"] == {"train": 1, "val": 0, "test": 1}
    with pytest.raises(UserError, match="phenotyping: no stay in 'val'"):
        load("phenotyping")
    assert "cannot be built" not in capsys.readouterr().out
    short, load = prepare(simple_tables(LOS="1.9999"))
    assert short["sizes"]["mortality stays"]["train"] == 0
    assert short["sizes"]["phenotyping stays"]["train"] == 1 and len(load("phenotyping")) == 3
    assert "This task cannot be built: mortality: no stay in 'train'" in capsys.readouterr().out


def test_ids_of_another_database_are_named(prepare, resources, cheap):
    write_resources(resources, patients=range(500, 600))
    with pytest.raises(UserError, match="None of the 3 patients is in testset.csv"):
        prepare(simple_tables())


def test_an_empty_validation_list_is_named(prepare, resources, cheap):
    write_resources(resources, val=())
    with pytest.raises(UserError, match="mortality: no stay in 'val'"):
        prepare(simple_tables())
    (resources / "valset.csv").write_text("")
    with pytest.raises(UserError, match="valset.csv cannot be used:\n.*lists no patients"):
        prepare(simple_tables())


@pytest.mark.parametrize("preset", ["clean", "reference"])
def test_which_stays_there_are_needs_the_dictionary_of_diagnoses(prepare, tmp_path, preset):
    folder = write_tables(tmp_path / "csv", simple_tables())
    (folder / "D_ICD_DIAGNOSES.csv").unlink()
    with pytest.raises(UserError, match="table D_ICD_DIAGNOSES: no D_ICD_DIAGNOSES.csv"):
        prepare(preset=preset, source=folder)


def test_events_of_none_of_the_variables_are_told(prepare):
    made = simple_tables()
    for row in made["CHARTEVENTS"]:
        row["ITEMID"] = "25"
    with pytest.raises(UserError, match="None of the 3 events of the cohort's stays is a timed value"):
        prepare(made)
    made = simple_tables([(9, 5, "ERROR")])  # a value of a variable, but none that can be read
    made["CHARTEVENTS"] = []
    with pytest.raises(UserError, match="no stay in 'train'"):
        prepare(made)[1]("mortality")


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


def test_counts_of_the_full_data_are_checked(prepare, monkeypatch, capsys):
    _, load = prepare(simple_tables())
    assert load("mortality").info["counts_checked_against_the_full_data"] is False
    monkeypatch.setattr(tasks, "FULL", 5)  # three patients are more than half
    summary, load = prepare(simple_tables())  # kept, whatever the counts are
    assert summary["full_data"] and re.search(
        r"mortality, train, stays +14681 +1  differs", capsys.readouterr().out
    )
    for task in ("mortality", "phenotyping"):
        with pytest.raises(
            UserError, match=rf"{task}, train, stays +\d+ +1  differs(.|\n)*allow_count_mismatch"
        ):
            load(task)
    _, load = prepare(simple_tables(), allow_count_mismatch=True)
    assert load("mortality").info["counts_checked_against_the_full_data"] is True
    found = {("mortality", "stays"): {"train": 1, "val": 1, "test": 1}}
    found |= {
        ("mortality", "deaths"): {"train": 0, "val": 0, "test": 0},
        ("phenotyping", "stays"): {"train": 1, "val": 1, "test": 2},
    }
    monkeypatch.setattr(tasks, "EXPECTED", found)
    _, load = prepare(simple_tables())
    assert load("mortality").info["counts_checked_against_the_full_data"] is True
    with pytest.raises(UserError, match="phenotyping, test, stays +2 +1  differs"):
        load("phenotyping")
    assert "allow_count_mismatch" not in mimic3.PREPARING


def test_the_full_data_are_never_open(prepare, cheap, monkeypatch):
    monkeypatch.setattr(tasks, "FULL", 5)
    with pytest.raises(UserError, match="access: open, but 3 patients are the credentialed MIMIC-III"):
        prepare(simple_tables(), is_open=True)
    for plugin in (mimic3, mimic3_benchmark):
        plugin.check_access(2, True)
        plugin.check_access(3, False)
        with pytest.raises(UserError, match="access: open"):
            plugin.check_access(3, True)


def as_others_write(folder, change):
    """Rewrite every table of a folder, row by row."""
    for path in folder.iterdir():
        with open(path, newline="") as handle:
            rows = list(csv.reader(handle))
        text = io.StringIO()
        change(text, rows)
        path.write_text(text.getvalue(), newline="")
    return folder


def all_quoted(text, rows):
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(rows)


def floats_and_iso_times(text, rows):
    csv.writer(text, lineterminator="\n").writerows(
        [
            [
                f"{field}.0" if field.isdigit() and name in ("HADM_ID", "ICUSTAY_ID", "FIRST_WARDID") else
                re.sub(r"^(\S+-\d\d) (\S+)$", r"\1T\2.000", field)
                for name, field in zip(rows[0], row, strict=True)
            ]
            for row in rows
        ]
    )  # fmt: skip


def blank_lines(text, rows):
    for number, row in enumerate(rows):
        csv.writer(text, lineterminator="\n" * (number and number % 3 + 1 or 1)).writerow(row)
    text.write("\n \n\r\n")


@pytest.mark.parametrize("change", [all_quoted, floats_and_iso_times, blank_lines])
def test_tables_as_other_programs_write_them(prepare, tmp_path, change):
    made = make_tables(1)
    _, load = prepare(made)
    folder = as_others_write(write_tables(tmp_path / "other", made), change)
    assert prepare(source=folder)[1]("phenotyping").fingerprint() == load("phenotyping").fingerprint()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (",80,", ',"80",,', "line 2: 13 fields where the header has 12"),  # quotes elsewhere in the block
        (",80,", ",8,0,", "line 2: 13 fields where the header has 12"),
        (",80,", ",5'6\",", "line 2: a quotation mark stands inside a field, or is never closed"),
        (",80,", ',"80,', "line 2: a quotation mark stands inside a field"),
        ("\n", "\n\n", "line 7, column 'itemid': 'x' is not a whole number"),
    ],
)
def test_a_shifted_field_is_never_read_as_another(prepare, tmp_path, old, new, message):
    folder = write_tables(tmp_path / "csv", simple_tables([(16, 5, "two\nlines"), (16, 5, "19")]))
    path = folder / "CHARTEVENTS.csv"
    text = path.read_text().replace("two\nlines", "20") if new == "\n\n" else path.read_text()
    text = (
        text.replace(",16,2150-01-01 17:00:00,,,19", ",x,2150-01-01 17:00:00,,,19") if new == "\n\n" else text
    )
    path.write_text(text.replace(old, new, -1 if old == "\n" else 1))
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        prepare(source=folder)
    assert "olars" not in str(caught.value)


def test_events_of_the_reference_funnel_are_typed(prepare, tmp_path):
    prepare(simple_tables([(14, 5, "77")]))
    rows = pl.read_parquet(tmp_path / "prepared0/episodes/*.parquet")
    assert rows.schema["hours"] == pl.Float64 and rows.schema["Mean blood pressure"] == pl.Float64
    assert rows.filter(pl.col("icustay_id") == 201)["Mean blood pressure"].to_list() == [None, 77.0]
