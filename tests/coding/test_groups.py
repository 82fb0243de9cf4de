"""List-wise groups: what may be a negative, and in which order they are taken."""

import polars as pl
import pytest

from clinbench.coding.frames import queries_frame, table_frame
from clinbench.coding.groups import distinct, mine_groups, read_groups, retold, write_groups
from clinbench.errors import UserError

CODES = [f"C{number:02d}" for number in range(30)]
TABLE = table_frame(
    [(code, f"text {code}", "es", "made up") for code in CODES]
    + [("D00", "Téxt  c00", "es", "made up"), ("C01", "second text", "es", "made up")]
)


def train(*rows):
    return queries_frame(
        [(f"t:{at}", "train", query, code, "d", "es") for at, (query, code) in enumerate(rows)]
    )


def ranking(*codes):
    return [(code, 1.0 - at / 100) for at, code in enumerate(codes)]


def test_gold_its_description_and_other_annotations_are_never_negatives():
    queries = train(("fiebre", "C00"), ("FIEBRE", "C05"), ("tos", "C01"))
    lists = [ranking("C00", "D00", "C05", "C06", "C07")] * 3
    groups, report = mine_groups(queries, TABLE, {"bm25": lists}, negatives=9, seed=0)
    negatives = [[item["code"] for item in group["negatives"]] for group in groups]
    assert negatives == [["C06", "C07"], ["D00", "C06", "C07"], ["C00", "D00", "C05", "C06", "C07"]]
    # Refused: C00, D00 and C05 for the first query, C05 and C00 for the second, nothing for the third.
    assert report["refused"] == {"gold": 2, "same_description": 1, "other_annotation": 2}
    assert (report["queries"], report["groups"], report["full_groups"]) == (3, 3, 0)


def test_record_of_a_group():
    groups, _ = mine_groups(train(("fiebre", "C01")), TABLE, {"dense": [ranking("C02")]}, 9, 0)
    assert groups == [
        {
            "id": "t:0",
            "doc": "d",
            "split": "train",
            "query": "fiebre",
            "positive": {"code": "C01", "text": "text C01"},
            "negatives": [{"code": "C02", "text": "text C02", "source": "dense"}],
        }
    ]


def test_a_table_cut_to_some_sources_leaves_no_word_of_the_others_in_groups():
    rows = [("C01", "left out", "es", "a"), ("C01", "kept", "es", "b"), ("C02", "gone", "es", "a")]
    rows += [("C03", "left out too", "en", "a"), ("C03", "english", "en", "b"), ("C03", "español", "es", "b")]
    table = table_frame([*rows, ("C04", "other", "es", "b")])
    queries = train(("fiebre", "C01"), ("tos", "C02"), ("dolor", "C04"))
    lists = [ranking("C02", "C03"), ranking("C03"), ranking("C02")]
    groups, _ = mine_groups(queries, table, {"bm25": lists}, 9, 0)
    (told,) = retold(groups, queries, table.filter(pl.col("source") == "b"))
    assert told["id"] == "t:0" and told["positive"] == {"code": "C01", "text": "kept"}
    assert told["negatives"] == [{"code": "C03", "text": "español", "source": "bm25"}]
    assert retold(groups, queries, table) == groups


def test_sources_take_turns_and_the_first_is_drawn():
    queries = train(*((f"q{at}", "C29") for at in range(40)))
    lists = {"bm25": [ranking(*CODES[:12])] * 40, "dense": [ranking(*CODES[6:18])] * 40}
    groups, report = mine_groups(queries, TABLE, lists, negatives=9, seed=3)
    firsts = set()
    for group in groups:
        sources = [item["source"] for item in group["negatives"]]
        codes = [item["code"] for item in group["negatives"]]
        assert len(codes) == len(set(codes)) == 9
        assert all(a != b for a, b in zip(sources, sources[1:], strict=False))
        for source, order in (("bm25", CODES[:12]), ("dense", CODES[6:18])):
            mine = [code for code, name in zip(codes, sources, strict=True) if name == source]
            assert mine == sorted(mine, key=order.index) and mine[0] == order[0]
        firsts.add(sources[0])
    assert firsts == {"bm25", "dense"}
    assert sum(report["negatives"].values()) == 360 and report["full_groups"] == 40
    again, _ = mine_groups(queries, TABLE, lists, negatives=9, seed=3)
    other, _ = mine_groups(queries, TABLE, lists, negatives=9, seed=4)
    assert again == groups != other


def test_draw_does_not_depend_on_the_other_queries():
    queries = train(*((f"q{at}", "C29") for at in range(10)))
    lists = {"bm25": [ranking(*CODES[:12])] * 10, "dense": [ranking(*CODES[6:18])] * 10}
    groups, _ = mine_groups(queries, TABLE, lists, 9, 0)
    last = {source: rankings[9:] for source, rankings in lists.items()}
    assert mine_groups(queries[9:], TABLE, last, 9, 0)[0] == groups[9:]


def test_an_exhausted_source_leaves_its_turns_to_the_other():
    lists = {"bm25": [ranking("C02")], "dense": [ranking(*CODES[2:12])]}
    groups, report = mine_groups(train(("q", "C29")), TABLE, lists, 9, 0)
    assert sorted(item["code"] for item in groups[0]["negatives"]) == CODES[2:11]
    assert report["negatives"]["dense"] in (8, 9)


def test_queries_without_a_group_are_counted():
    queries = train(("a", "C00"), ("b", "X99"), ("c", "C03"))
    lists = {"bm25": [ranking("C00", "D00"), ranking("C01"), []]}
    groups, report = mine_groups(queries, TABLE, lists, 9, 0)
    assert groups == [] and (report["no_negative"], report["gold_not_in_table"]) == (2, 1)


def test_mistakes_are_named():
    with pytest.raises(UserError, match="at least one source"):
        mine_groups(train(("a", "C00")), TABLE, {})
    with pytest.raises(UserError, match=r"(?s)1 training queries.*'bm25' has 2"):
        mine_groups(train(("a", "C00")), TABLE, {"bm25": [[], []]})


def test_files_round_trip_and_name_bad_lines(tmp_path):
    groups, _ = mine_groups(train(("niña \u2028 fría", "C01")), TABLE, {"dense": [ranking("C02")]}, 9, 0)
    write_groups(tmp_path / "g.jsonl", groups)
    assert read_groups(tmp_path / "g.jsonl") == groups
    write_groups(tmp_path / "none.jsonl", [])
    assert read_groups(tmp_path / "none.jsonl") == []
    (tmp_path / "g.jsonl").write_text('{"id": 1}\n\n{broken\n')
    with pytest.raises(
        UserError, match=r"(?s)line 1: no doc, query, positive, negatives.*line 3: not valid JSON"
    ):
        read_groups(tmp_path / "g.jsonl")
    with pytest.raises(UserError, match="no such file"):
        read_groups(tmp_path / "missing.jsonl")


def test_distinct_groups_keep_the_first_of_each_folded_mention_and_code():
    frame = queries_frame(
        [
            ("1", "train", "Úlcera", "K25", "d", "es"),
            ("2", "train", "ulcera", "K25", "d", "es"),
            ("3", "train", "ulcera", "K26", "d", "es"),
        ]
    )
    assert distinct(frame)["query_id"].to_list() == ["1", "3"]
    assert distinct(frame).columns == frame.columns


def test_texts_of_a_group_are_in_the_language_of_the_mention_where_there_are_any():
    table = table_frame(
        [("A00", "Cholera", "en", "cm"), ("A00", "Cólera", "es", "who"), ("A01", "Typhoid", "en", "cm")]
    )
    train = queries_frame([("q", "train", "colera", "A00", "d", "es")])
    (group,), _ = mine_groups(train, table, {"bm25": [[("A01", 1.0)]]}, 1)
    assert (group["positive"]["text"], group["negatives"][0]["text"]) == ("Cólera", "Typhoid")
