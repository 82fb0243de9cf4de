"""CodiEsp loader on small made-up files of the publisher's shape."""

import zipfile

import polars as pl
import pytest

from clinbench.coding.benchmarks import codiesp
from clinbench.coding.frames import QUERIES, table_frame
from clinbench.errors import UserError

TABLE = table_frame(
    [(code, f"text of {code}", "en", "made up") for code in ("I10", "W19", "S22.39", "Z3A", "M45")]
)


def x_row(doc, label, code, text, position="1 5"):
    return "\t".join((doc, label, code, text, position))


def train_rows(documents=40):
    rows = [x_row("T0", "PROCEDIMIENTO", "bt41zzz", "ecografía")]
    return rows + [x_row(f"T{at}", "DIAGNOSTICO", "i10", f"tensión {at}") for at in range(documents)]


DEV = [
    x_row("D1", "DIAGNOSTICO", "i10", 'tensión "alta"'),
    x_row("D1", "PROCEDIMIENTO", "3e02329", "vacuna"),
    x_row("D1", "DIAGNOSTICO", "w19.xxx", "caída", "1 2;7 9"),
    x_row("D2", "DIAGNOSTICO", "s22.39x", "costilla  rota"),
    x_row("D2", "DIAGNOSTICO", "z3a", "NA"),
    x_row("D2", "DIAGNOSTICO", "q99.9", "rareza"),
]


@pytest.fixture
def corpus(tmp_path):
    def write(folder="", ending="\n", start="", **parts):
        for part, rows in ({"train": train_rows(), "dev": DEV} | parts).items():
            file = tmp_path / folder.format(part=part) / f"{part}X.tsv"
            file.parent.mkdir(parents=True, exist_ok=True)
            text = rows if isinstance(rows, str) else "".join(row + ending for row in rows)
            file.write_bytes((start + text).encode("utf-8"))
        return {"codiesp": tmp_path}

    return write


def test_every_diagnosis_row_becomes_a_query(corpus, capsys):
    frame, info = codiesp.load(corpus(), {}, TABLE)
    assert tuple(frame.columns) == QUERIES
    test = frame.filter(frame["split"] == "test")
    assert test["pieces"].to_list() == ["1", "2", "1", "1", "1"]
    assert test.drop("split", "pieces").rows() == [
        ("dev:1", 'tensión "alta"', "I10", "D1", "es"),
        ("dev:3", "caída", "W19", "D1", "es"),
        ("dev:4", "costilla rota", "S22.39", "D2", "es"),
        ("dev:5", "NA", "Z3A", "D2", "es"),
        ("dev:6", "rareza", "Q99.9", "D2", "es"),
    ]
    assert info["rows"]["dev"] == {"DIAGNOSTICO": 5, "PROCEDIMIENTO": 1}
    assert info["placeholders_stripped"] == 2 and info["blanks_collapsed"] == 1
    assert info["respelt"] == {"upper-cased": 45}
    assert (info["unknown_rows"], info["unknown_codes"], info["pool"]) == (1, ["Q99.9"], 5)
    assert info["unknown_places"] == {"Q99.9": ["devX.tsv row 6"]}
    assert "5 DIAGNOSTICO rows, the publisher's v4 has 3431" in capsys.readouterr().err


def test_validation_documents_are_held_out_whole_and_stably(corpus):
    rows = [*train_rows(), *(x_row(f"T{at}", "DIAGNOSTICO", "m45", "espalda") for at in range(40))]
    data = corpus(train=rows)
    frame, _ = codiesp.load(data, {"validation_fraction": 0.3}, TABLE)
    homes = frame.group_by("doc").agg(pl.col("split").unique().alias("splits"))
    assert all(len(splits) == 1 for splits in homes["splits"])
    held = set(frame.filter(frame["split"] == "val")["doc"])
    # Pinned: a hash salted per process would give each machine another split.
    assert held == {f"T{at}" for at in (4, 7, 9, 11, 12, 18, 20, 26, 27, 39)}
    shuffled, _ = codiesp.load(corpus(train=rows[::-1]), {"validation_fraction": 0.3}, TABLE)
    assert set(shuffled.filter(shuffled["split"] == "val")["doc"]) == held
    none, info = codiesp.load(data, {"validation_fraction": 0}, TABLE)
    assert info["queries"] == {"test": 5, "train": 80}


@pytest.mark.parametrize("folder", ["", "{part}", "final/{part}"])
@pytest.mark.parametrize(("ending", "start"), [("\n", ""), ("\r\n", ""), ("\n", "\ufeff")])
def test_layouts_line_ends_and_byte_order_mark(corpus, tmp_path, folder, ending, start):
    plain, _ = codiesp.load(corpus(), {}, TABLE)
    for file in tmp_path.iterdir():
        file.unlink()
    frame, _ = codiesp.load(corpus(folder, ending, start), {}, TABLE)
    assert frame.equals(plain)


def test_publishers_zip_file_is_read_in_place(corpus, tmp_path):
    plain, _ = codiesp.load(corpus(), {}, TABLE)
    packed = tmp_path / "packed"
    packed.mkdir()
    with zipfile.ZipFile(packed / "codiesp.zip", "w") as archive:
        for part in ("train", "dev"):
            archive.write(tmp_path / f"{part}X.tsv", f"final_dataset_v4_to_publish/{part}/{part}X.tsv")
    for root in (packed, packed / "codiesp.zip"):
        assert codiesp.load({"codiesp": root}, {}, TABLE)[0].equals(plain)


def test_first_row_can_be_dropped_as_a_header_reader_does(corpus):
    frame, info = codiesp.load(corpus(), {"drop_first_row": True}, TABLE)
    assert frame.filter(frame["split"] == "test")["query_id"].to_list() == [
        "dev:3",
        "dev:4",
        "dev:5",
        "dev:6",
    ]
    assert info["queries"]["test"] == 4 and info["rows"]["train"]["DIAGNOSTICO"] == 40


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [x_row("articleID", "label", "ICD10-code", "text", "reference"), *DEV],
            "'articleID', which looks like a hea",
        ),
        (["D1;DIAGNOSTICO;i10;tos;1 5"], "1 column.*semicolon-separated"),
        ([*DEV, x_row("D3", "DIAGNOSTICO", "i10", "tab\tinside")], "devX.tsv.*line 7: 6 column"),
        ([*DEV, x_row("D3", "DIAGNOSIS", "i10", "tos")], "line 7: label 'DIAGNOSIS'"),
        (
            [*DEV, x_row("D3", "DIAGNOSTICO", "3.00E+05", "tos")],
            "line 7: '3.00E.05' is not one ICD-10 code .invalid",
        ),
        ([*DEV, x_row("D3", "DIAGNOSTICO", "i10-i15.9", "tos")], "line 7: 'i10-i15.9' is not one .* .range"),
        ([*DEV, x_row("D3", "DIAGNOSTICO", "i10", " ")], "line 7: the mention is empty"),
        ([*DEV, x_row("T3", "DIAGNOSTICO", "i10", "tos")], "two parts.*T3: dev and train"),
        ("", "empty"),
    ],
)
def test_mistakes_in_files_are_named(corpus, rows, message):
    with pytest.raises(UserError, match=f"(?s){message}"):
        codiesp.load(corpus(dev=rows), {}, TABLE)


def test_latin_1_is_named(corpus, tmp_path):
    data = corpus()
    (tmp_path / "devX.tsv").write_bytes("\n".join(DEV).encode("latin-1"))
    with pytest.raises(UserError, match=r"devX.tsv, line 1: byte 0xf3 is not UTF-8"):
        codiesp.load(data, {}, TABLE)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"train": ["train", "dev"]}, "'dev' is in train and in test"),
        ({"test": ["background"]}, "no part 'background'"),
        ({"test": ["test"]}, r"no testX.tsv there.*There are: devX.tsv, trainX.tsv"),
    ],
)
def test_mistakes_in_options_are_named(corpus, options, message):
    with pytest.raises(UserError, match=f"(?s){message}"):
        codiesp.load(corpus(), options, TABLE)


def test_missing_corpus_is_named(tmp_path):
    with pytest.raises(UserError, match="Set 'codiesp'"):
        codiesp.load({}, {}, TABLE)
    (tmp_path / "readme.txt").write_text("x")
    with pytest.raises(UserError, match="No file there is named"):
        codiesp.load({"codiesp": tmp_path}, {}, TABLE)
