"""The table whose columns are subsets of the test mentions."""

from itertools import product

import pytest

from clinbench.errors import UserError
from clinbench.reporting.layouts import LANGUAGES_CATEGORY, LANGUAGES_CODE, RETRIEVAL, RETRIEVAL_SUBSETS
from clinbench.reporting.summary import summary
from clinbench.reporting.table import build

SIZES = {"all": 900, "seen_string": 600, "unseen_string": 300, "unique": 450}


@pytest.fixture
def records(coding_record):
    def make(system, **sizes):
        record = coding_record(system=system)
        for subset, n in (SIZES | sizes).items():
            if subset != "all":
                record["rows"] += coding_record(system=system, n=n, subset=subset, value=n / 1000)["rows"]
        return record

    return make


def test_each_subset_has_its_columns_and_its_size(records):
    table = build([records("bm25"), records("dictionary")], RETRIEVAL_SUBSETS)
    (block,) = table.blocks
    assert block.detail == "seen string: n = 600, unseen string: n = 300, unique: n = 450"
    assert [line.label for line in block.lines] == ["Dictionary", "BM25"]
    values = [cell.value for cell in block.lines[0].cells]
    assert values[:4] == [".600", ".600", ".300", ".300"] and values[4:12] == ["n/a"] * 8
    assert "Unseen string<br>F1" in table.to_markdown() and "Unseen string" in table.to_latex()


def test_the_other_table_still_shows_all_mentions_only(records):
    (block,) = build([records("bm25")], RETRIEVAL).blocks
    assert block.detail == "n = 900 mentions, pool of 8,123 codes"


def test_systems_scored_on_different_mentions_do_not_stand_together(records):
    with pytest.raises(UserError, match="different n .299, 300"):
        build([records("bm25"), records("dictionary", unseen_string=299)], RETRIEVAL_SUBSETS)


def test_the_summary_prints_a_block_once(records, tmp_path):
    for name, layout in (("coding_terms", RETRIEVAL), ("coding_subsets", RETRIEVAL_SUBSETS)):
        (tmp_path / f"{name}.csv").write_text(build([records("bm25")], layout).to_csv(), encoding="utf-8")
    text = summary([tmp_path / "coding_terms.csv", tmp_path / "coding_subsets.csv"], [])
    assert text.count("n = 900 mentions") == 1 and text.count("BM25") == 1


def test_each_language_has_its_columns_for_either_meaning_of_relevant(coding_record):
    record = coding_record(system="bm25")
    for number, (lang, level) in enumerate(product(("en", "es"), ("exact", "category")), 1):
        for metric in ("mrr", "r3", "r5"):
            rows = coding_record(system="bm25", n=300, subset=f"lang:{lang}", value=number / 10)["rows"]
            record["rows"].append(rows[0] | {"level": level, "metric": metric})
    for layout, values in ((LANGUAGES_CODE, (".100", ".300")), (LANGUAGES_CATEGORY, (".200", ".400"))):
        table = build([record], layout)
        (line,) = table.blocks[0].lines
        assert [cell.value for cell in line.cells[:6]] == [values[0]] * 3 + [values[1]] * 3
        text = table.to_markdown()
        assert "Spanish<br>MRR" in text and "not comparable with the paper" in text
    assert "any code of the category" in text
