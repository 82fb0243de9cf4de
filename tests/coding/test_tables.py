"""Codes tables: the packaged ICD-10-CM and the publisher's CIE-10-ES list."""

import zipfile

import polars as pl
import pytest

from clinbench import plugins
from clinbench.coding.codes import level, parse
from clinbench.coding.frames import TABLE
from clinbench.coding.tables import codiesp_codes, icd10cm
from clinbench.errors import UserError


@pytest.fixture(scope="module")
def packaged():
    return icd10cm.load({}, {})


def test_packaged_table_holds_every_level_once(packaged):
    frame, info = packaged
    assert tuple(frame.columns) == TABLE
    assert frame["code"].is_unique().all() and info["codes"] == frame.height > 90_000
    assert (frame["text"].str.strip_chars() != "").all()
    # Categories that share their block's name, headings, seventh characters and letters in odd places.
    wanted = {
        "B20",
        "F99",
        "R99",
        "T07",
        "C7A",
        "Z66",
        "I10",
        "M54.5",
        "S22.39",
        "S22.39XA",
        "W19",
        "W19.XXXA",
        "Z3A",
    }
    assert wanted <= set(frame["code"])
    assert not {"A00-B99", "A00-A09", "1"} & set(frame["code"])
    assert all(parse(code).codes == (code,) for code in frame["code"])
    assert {level(code, "chapter") for code in frame["code"]} == {str(number) for number in range(1, 23)}


def test_description_of_a_category_is_not_its_blocks(packaged):
    texts = dict(packaged[0].select("code", "text").iter_rows())
    assert texts["B20"] == "Human immunodeficiency virus [HIV] disease"


def test_chapters_restrict_the_packaged_table(packaged):
    frame, info = icd10cm.load({}, {"chapters": [22, 3]})
    everything = packaged[0]
    chosen = [level(code, "chapter") in {"3", "22"} for code in everything["code"]]
    assert frame.equals(everything.filter(pl.Series(chosen)))
    assert sum(info["codes_by_length"].values()) == frame.height


LIST = (
    "A00\tPlaga roja\tRed plague\n"
    'a00.0\tPlaga  roja "leve"\t\n'
    "B201\t\tBlue ague\n"
    "B20.2\tAño azul\tBlue year\n"
    "B20.2\tAño celeste\tSky year\n"
    "C00.9\t\t\n"
)


def write_list(folder, text, encoding="utf-8"):
    (folder / "codiesp-D_codes.tsv").write_bytes(text.encode(encoding))
    return {"codiesp_codes": folder}


def test_publishers_list(tmp_path, capsys):
    frame, info = codiesp_codes.load(write_list(tmp_path, LIST), {})
    assert frame.select("code", "text", "lang").rows() == [
        ("A00", "Plaga roja", "es"),
        ("A00.0", 'Plaga roja "leve"', "es"),
        ("B20.1", "Blue ague", "en"),
        ("B20.2", "Año azul", "es"),
        ("B20.2", "Año celeste", "es"),
    ]
    assert (info["codes"], info["texts"], info["other_language"], info["undescribed"]) == (4, 5, 1, 1)
    assert info["respelt"] == {"dot corrected": 1, "upper-cased": 1}
    assert "C00.9" in capsys.readouterr().err


def test_publishers_list_in_english(tmp_path):
    frame, info = codiesp_codes.load(write_list(tmp_path, LIST), {"language": "en"})
    texts = dict(frame.select("code", "text").iter_rows())
    assert (
        texts["A00"] == "Red plague" and texts["A00.0"] == 'Plaga roja "leve"' and info["other_language"] == 1
    )


def test_publishers_list_out_of_its_zip_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "codiesp_codes.zip", "w") as archive:
        archive.writestr("codiesp_codes/codiesp-D_codes.tsv", LIST)
        archive.writestr("codiesp_codes/codiesp-P_codes.tsv", "0016070\tx\ty\n")
    for root in (tmp_path, tmp_path / "codiesp_codes.zip"):
        assert codiesp_codes.load({"codiesp_codes": root}, {})[1]["codes"] == 4


@pytest.mark.parametrize("change", [lambda text: "\ufeff" + text, lambda text: text.replace("\n", "\r\n")])
def test_bom_and_crlf_do_not_matter(tmp_path, change):
    plain, _ = codiesp_codes.load(write_list(tmp_path, LIST), {})
    assert codiesp_codes.load(write_list(tmp_path, change(LIST)), {})[0].equals(plain)


def test_windows_1252_is_read_and_told(tmp_path, capsys):
    frame, info = codiesp_codes.load(write_list(tmp_path, LIST, "cp1252"), {})
    assert "Año azul" in frame["text"].to_list() and info["encoding"] == "cp1252"
    assert "Windows-1252" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("code\tes\ten\n" + LIST, "line 1: the first cell is 'code', which looks like a header"),
        ("A00;x;y\nA01;x;y\n", "1 column.*semicolon-separated"),
        ("A00\tx\ty\nA01\tx\ty\tz\n", "line 2: 4 column"),
        ("A00\tx\ty\n3.00E+05\tx\ty\n", "line 2: '3.00E.05'"),
        ("", "empty"),
    ],
)
def test_mistakes_in_the_list_are_named(tmp_path, text, message):
    with pytest.raises(UserError, match=f"(?s){message}"):
        codiesp_codes.load(write_list(tmp_path, text), {})


def test_missing_list_is_named(tmp_path):
    (tmp_path / "other.txt").write_text("x")
    with pytest.raises(UserError, match="no codiesp-D_codes.tsv there"):
        codiesp_codes.load({"codiesp_codes": tmp_path}, {})
    with pytest.raises(UserError, match="Set 'codiesp_codes'"):
        codiesp_codes.load({}, {})


def test_plug_ins_are_found_without_importing_them():
    assert {"icd10cm", "codiesp_codes"} <= set(plugins.names("coding.tables"))
    for name in ("TITLE", "EDITION", "LANG"):
        assert all(plugins.declared("coding.tables", table, name) for table in ("icd10cm", "codiesp_codes"))
    assert plugins.declared("coding.benchmarks", "codiesp", "TABLES") == ("codiesp_codes", "icd10cm")
    assert "bm25" in plugins.names("coding.systems")
