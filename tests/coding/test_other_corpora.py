"""DISTEMIST and a user's own mentions, on small made-up files; documents that train left out."""

import pytest

from clinbench.coding import editions
from clinbench.coding.benchmarks import distemist, mentions_tsv
from clinbench.coding.codes import resolve
from clinbench.coding.frames import QUERIES, queries_frame, table_frame, without_documents
from clinbench.errors import UserError

TABLE = table_frame([(code, f"text of {code}", "en", "made up") for code in ("I10", "I11.0", "N17.0", "W19")])


def row(doc, mark, span, relation, icd10):
    return "\t".join(
        (doc, mark, "ENFERMEDAD", "1", "5", span, "1.47E+016", relation, "None", "None", icd10, "None")
    )


FIRST = [
    row("es-D1", "T1", "tensión", "EXACT", "I10"),
    row("es-D1", "T2", "hipertensión", "EXACT", "I10-I15.9"),
    row("es-D1", "T3", "NA", "EXACT", "None"),
    row("es-D2", "T1", "daño  renal", "EXACT", "N15.9+N17.0"),
]
SECOND = [row("D3", "T1", "tos", "EXACT", "R05"), row("D3", "T2", "lepra", "NARROW", "A30.9")]


@pytest.fixture(autouse=True)
def two_editions(monkeypatch):
    monkeypatch.setattr(editions, "packaged", lambda: {"ICD-10-CM 2026": {"R05", "I82.4"}})


@pytest.fixture
def corpus(tmp_path):
    for number, rows in enumerate((FIRST, SECOND), 1):
        folder = tmp_path / "subtrack2_linking"
        folder.mkdir(exist_ok=True)
        lines = ["\t".join(distemist.COLUMNS), *rows]
        name = f"distemist_subtrack2_training{number}_linking_crossmappings.tsv"
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {"distemist": tmp_path}


def test_mapped_mentions_of_the_relation_are_queries(corpus):
    frame, info = distemist.load(corpus, {}, TABLE)
    assert tuple(frame.columns) == QUERIES
    assert frame.rows() == [
        ("D1:T1", "test", "tensión", "I10", "D1", "es", "1"),
        ("D2:T1", "test", "daño renal", "N15.9+N17.0", "D2", "es", "1"),
        ("D3:T1", "test", "tos", "R05", "D3", "es", "1"),
    ]
    assert (info["rows"], info["mapped"], info["ranges"], info["joined"]) == (6, 5, 1, 1)
    assert info["relations"] == {"EXACT": 4, "NARROW": 1}
    assert (info["unknown_rows"], info["unknown_codes"]) == (1, ["R05"])
    assert info["unknown_places"] == {"R05": ["D3 T1"]}


def test_ranges_and_other_relations_on_request(corpus):
    frame, info = distemist.load(corpus, {"ranges": "hit", "relations": ["EXACT", "NARROW"]}, TABLE)
    assert frame["code"].to_list() == ["I10", "I10-I15.9", "N15.9+N17.0", "R05", "A30.9"]
    assert info["unknown_codes"] == ["A30.9", "R05"]


def test_another_header_or_code_is_named(corpus, tmp_path):
    file = tmp_path / "subtrack2_linking/distemist_subtrack2_training1_linking_crossmappings.tsv"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("\tI10\t", "\tI-10\t"), encoding="utf-8")
    with pytest.raises(UserError, match="es-D1 T1: 'I-10'"):
        distemist.load(corpus, {}, TABLE)
    file.write_text(text.split("\n", 1)[1], encoding="utf-8")
    with pytest.raises(UserError, match="columns are es-D1"):
        distemist.load(corpus, {}, TABLE)
    with pytest.raises(UserError, match="no distemist_subtrack2"):
        distemist.load({"distemist": tmp_path / "subtrack1", **_made(tmp_path / "subtrack1")}, {}, TABLE)
    with pytest.raises(UserError, match="Set 'distemist'"):
        distemist.load({}, {}, TABLE)


def _made(folder):
    folder.mkdir()
    (folder / "other.txt").write_text("x")
    return {}


def test_documents_that_train_are_left_out(corpus):
    frame, _ = distemist.load(corpus, {}, TABLE)
    training = queries_frame(
        [
            ("1", "train", "x", "I10", "D1", "es"),
            ("2", "val", "x", "I10", "D3", "es"),
            ("3", "test", "x", "I10", "D2", "es"),
        ]
    )
    kept, counts = without_documents(frame, training)
    assert kept["doc"].to_list() == ["D2"] and counts == {"seen_documents": 2, "seen_rows": 2}
    everything = queries_frame([(doc, "train", "x", "I10", doc, "es") for doc in ("D1", "D2", "D3")])
    with pytest.raises(UserError, match="disjoint: false"):
        without_documents(frame, everything)


def mentions(folder, text):
    (folder / "mentions.tsv").write_text(text, encoding="utf-8")
    return {"mentions": folder / "mentions.tsv"}


def test_a_users_own_mentions(tmp_path):
    data = mentions(tmp_path, "code\tquery\tnote\ni10\tHTA \tx\nw19.xxx\tcaída\ty\nI10-I15\ttensión\t\n")
    frame, info = mentions_tsv.load(data, {"language": "ca"}, TABLE)
    assert frame.rows() == [
        ("line:2", "test", "HTA", "I10", "line:2", "ca", ""),
        ("line:3", "test", "caída", "W19", "line:3", "ca", ""),
        ("line:4", "test", "tensión", "I10-I15", "line:4", "ca", ""),
    ]
    assert info["respelt"] == {"upper-cased": 2, "placeholder X removed": 1}
    assert info["unused_columns"] == ["note"] and info["queries"] == {"test": 3}


def test_optional_columns(tmp_path):
    data = mentions(tmp_path, "query;code;split;lang;doc\nHTA;I10;train;es;a\ntos;R05;;;\n")
    frame, info = mentions_tsv.load(data, {}, TABLE)
    assert frame.select("split", "doc", "lang").rows() == [("train", "a", "es"), ("test", "line:3", "es")]
    assert info["unknown_codes"] == ["R05"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mention\tcode\nx\tI10\n", "no column 'query'"),
        ("query\tcode\nx\tPRESSURE\n", "line 2: 'PRESSURE'"),
        ("query\tcode\nx\tI10\n \tI10\n", "line 3: the mention is empty"),
        ("query\tcode\tsplit\nx\tI10\tdev\n", "line 2: split 'dev'"),
    ],
)
def test_mistakes_in_them_are_named(tmp_path, text, message):
    with pytest.raises(UserError, match=message):
        mentions_tsv.load(mentions(tmp_path, text), {}, TABLE)


def test_gold_codes_that_a_table_lacks_are_told_with_its_edition(capsys):
    editions.tell_unknown({"I82.4": ["row 3", "row 7"]}, "ours", 12, "WHO 2019")
    told = capsys.readouterr().err
    assert "ours: 2 gold code(s) are not among the table's 12 codes" in told
    assert "  I82.4 is unknown in WHO 2019, known in ICD-10-CM 2026: row 3, row 7" in told
    editions.tell_unknown({}, "ours", 12, "WHO 2019")
    assert capsys.readouterr().err == ""


def test_editions_are_named():
    known = {"ICD-10-CM 2026": {"I82.4", "D49"}, "WHO 2019": {"I82"}}
    assert (
        editions.unknown("I82.4", "WHO 2019", known)
        == "I82.4 is unknown in WHO 2019, known in ICD-10-CM 2026"
    )
    assert (
        editions.unknown("I82", "ICD-10-CM 2026", known)
        == "I82 is unknown in ICD-10-CM 2026, known in WHO 2019"
    )
    assert editions.unknown("D49.1", "WHO 2019", known) == (
        "D49.1 is unknown in WHO 2019; WHO ICD-10 has no category D49, ICD-10-CM / CIE-10-ES has"
    )
    assert editions.unknown("A00.7", "ours") == "A00.7 is unknown in ours"


def test_what_was_changed_in_a_code_is_reported():
    assert resolve("w19.xxx", {"W19"}).changes == ("upper-cased", "placeholder X removed")
    assert resolve("I10", set()) == ("single", ("I10",), ())
    assert resolve("m45x+W19", {"M45", "W19"}).codes == ("M45", "W19")
