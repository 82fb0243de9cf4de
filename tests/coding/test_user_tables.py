"""Tables of the user's own, and several tables merged into one."""

import lzma
import re

import pytest

from clinbench.coding.delimited import read_sheet
from clinbench.coding.frames import table_frame, write_frame
from clinbench.coding.tables import icd10cm, merged, texts
from clinbench.errors import UserError

WIDE = 'code\tes\ten\nA00-B99\tBloque\tBlock\na000\tPlaga "roja"\tRed  plague\nI10\t\tPressure\nB59\tHongo\tFungus\n'
LONG = 'cod;texto;lengua\nA00;"Plaga; grave|Plaga";es\nA00;Red plague;en\n\n'


def written(folder, text, name="table.tsv", encoding="utf-8"):
    path = folder / name
    data = text.encode(encoding)
    path.write_bytes(lzma.compress(data) if name.endswith(".xz") else data)
    return {"file": path}


def test_several_languages_in_columns(tmp_path):
    frame, info = texts.load(
        written(tmp_path, WIDE), {"texts": {"es": "es", "en": "en"}, "level": "who", "edition": "WHO 2019"}
    )
    assert frame.rows() == [
        ("A00.0", 'Plaga "roja"', "es", "texts"),
        ("A00.0", "Red plague", "en", "texts"),
        ("B59", "Hongo", "es", "texts"),
        ("B59", "Fungus", "en", "texts"),
        ("I10", "Pressure", "en", "texts"),
    ]
    assert (info["codes"], info["texts"], info["blocks"], info["empty"]) == (3, 5, 1, 1)
    assert info["texts_by_language"] == {"en": 3, "es": 2} and info["edition"] == "WHO 2019"
    assert info["respelt"] == {"upper-cased": 1, "dot corrected": 1} and info["outside"] == []


def test_language_in_a_column_several_texts_in_a_cell_quotes_and_compression(tmp_path):
    options = {"code_column": "cod", "texts": {"texto": ""}, "language_column": "lengua", "joined_by": "|"}
    frame, info = texts.load(written(tmp_path, LONG, "table.csv.xz"), options)
    assert frame.select("text", "lang").rows() == [
        ("Plaga; grave", "es"),
        ("Plaga", "es"),
        ("Red plague", "en"),
    ]
    assert info["edition"].startswith("ICD-10-CM")


def test_another_encoding(tmp_path):
    data = written(tmp_path, "SUBCAT;DESCRICAO;\nA000;Cólera;\n", "CID.CSV", "iso-8859-1")
    options = {"code_column": "SUBCAT", "texts": {"DESCRICAO": "pt"}, "encoding": "iso-8859-1"}
    assert texts.load(data, options)[0]["text"].to_list() == ["Cólera"]
    with pytest.raises(UserError, match="not UTF-8"):
        texts.load(data, options | {"encoding": "utf-8"})
    for none in ("latin-seven", "rot13", "base64", "undefined", "a\0b"):
        with pytest.raises(UserError, match=re.escape(f"no encoding '{none}'")):
            texts.load(data, options | {"encoding": none})


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-7", "idna", "punycode", "unicode_escape"])
@pytest.mark.parametrize("text", ["code;text\nA00;\xff\xfe\n", "code;text\nA00;\\ud800\n", "+2AA-", "\n"])
def test_a_file_in_no_such_encoding_is_named(tmp_path, encoding, text):
    with pytest.raises(UserError, match="table.csv"):
        texts.load(written(tmp_path, text, "table.csv", "latin-1"), {"encoding": encoding})


def test_codes_of_another_edition_are_counted(tmp_path):
    data = written(tmp_path, "code,text\nD49,Tumour\nO9A,Mother\nI10,Pressure\n", "t.csv")
    assert texts.load(data, {"texts": {"text": "en"}, "level": "who"})[1]["outside"] == ["D49", "O9A"]
    assert texts.load(data, {"texts": {"text": "en"}, "level": "cm"})[1]["outside"] == []


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (WIDE, {"texts": {"sp": "es"}}, "no column 'sp'.*there are: code, es, en"),
        (WIDE, {"texts": {"es": ""}}, "no column 'lang'"),
        (WIDE, {"code_column": "icd", "texts": {"es": "es"}}, "no column 'icd'"),
        ("code\ttext\nA00\tx\nPRESSURE\ty\n", {"texts": {"text": "en"}}, "line 3: 'PRESSURE'"),
        ("code\ttext\n", {}, "1 line"),
        ("code,text\nA00,x\nA01\n", {}, "line 3: 1 cells, expected 2"),
        ("code,code\nA00,x\n", {}, "two columns"),
    ],
)
def test_mistakes_are_named(tmp_path, text, options, message):
    with pytest.raises(UserError, match=f"(?s){message}"):
        texts.load(written(tmp_path, text), options)


def test_no_file_and_several_files(tmp_path):
    with pytest.raises(UserError, match="needs 'file'"):
        texts.load({}, {})
    (tmp_path / "a.tsv").write_text("code\ttext\n")
    (tmp_path / "b.tsv").write_text("code\ttext\n")
    with pytest.raises(UserError, match="found 2"):
        read_sheet(tmp_path)


@pytest.fixture
def parts(tmp_path):
    frames = {
        "english": table_frame([("A00", "cholera", "en", "icd10cm"), ("A00.0", "classic", "en", "icd10cm")]),
        "spanish": table_frame([("A00", "cólera", "es", "texts"), ("B59", "hongo", "es", "texts")]),
    }
    for name, frame in frames.items():
        write_frame(tmp_path / f"{name}.tsv", frame)
    return {name: tmp_path / f"{name}.tsv" for name in frames}


def test_merged_texts_keep_their_source_and_the_pool_is_the_named_one(parts):
    frame, info = merged.load(parts, {"parts": ["english", "spanish"], "pool": "english"})
    assert frame.rows() == [
        ("A00", "cholera", "en", "english"),
        ("A00", "cólera", "es", "spanish"),
        ("A00.0", "classic", "en", "english"),
    ]
    assert info["not_in_pool"] == {"english": 0, "spanish": 1}
    assert info["texts_by_source"] == {"english": 2, "spanish": 1}
    everything, info = merged.load(parts, {"parts": ["english", "spanish"]})
    assert info["codes"] == 3 and "B59" in everything["code"].to_list()


def test_merging_what_is_not_there_is_named(parts):
    with pytest.raises(UserError, match="'french' is not there"):
        merged.load(parts, {"parts": ["english", "french"]})
    with pytest.raises(UserError, match="pool 'spanish' is none"):
        merged.load(parts, {"parts": ["english"], "pool": "spanish"})


def test_inclusion_terms_can_be_further_texts():
    plain, _ = icd10cm.load({}, {"chapters": [22]})
    richer, info = icd10cm.load({}, {"chapters": [22], "inclusion_terms": True})
    assert info["codes"] == plain["code"].n_unique() == sum(info["codes_by_length"].values())
    terms = richer.filter(richer["source"] == "inclusion_terms")
    assert richer.height == plain.height + terms.height and terms.height > 0
