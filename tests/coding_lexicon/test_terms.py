"""The shipped term files, and every mistake in a term file named with file, line and remedy."""

from collections import Counter

import pytest

from clinbench.coding.codes import level
from clinbench.coding.lexicon.shared import proposals
from clinbench.coding.lexicon.terms import HEADER, KINDS, MINIMUM, load_terms
from clinbench.coding.lexicon.tsvfile import FOLDER, LANGS
from clinbench.coding.text import fold
from clinbench.errors import UserError

CATEGORIES = 400
FILES = sorted(file.stem for file in (FOLDER / "terms").glob("[0-9][0-9].tsv"))


def test_enough_categories_and_terms_in_every_language(lexicon):
    assert len(lexicon) >= CATEGORIES
    assert {f"{int(level(code, 'chapter')):02d}" for code in lexicon} == set(FILES)
    for code, by_lang in lexicon.items():
        assert set(by_lang) == set(LANGS)
        for lang, terms in by_lang.items():
            assert len({fold(term.text) for term in terms}) >= MINIMUM, (code, lang)
            assert Counter(term.kind for term in terms)["preferred"] == 1, (code, lang)
            assert {term.kind for term in terms} <= set(KINDS)


def rows(code="I10", **changes):
    """Return the rows of a right category, with some cells of the first Spanish row changed."""
    found = [
        {
            "code": code,
            "lang": lang,
            "kind": kind,
            "agreement": "-" if lang == "en" else "fs",
            "term": f"{lang} {word}",
        }
        for lang in LANGS
        for kind, word in (("preferred", "one"), ("synonym", "two"), ("lay", "three"))
    ]
    found[3] |= changes
    return found


def write(folder, name, lines):
    text = "\n".join("\t".join(line) for line in lines) + "\n"
    (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def terms(tmp_path):
    """Return a function that reads rows as terms/09.tsv with a shared list."""

    def read(rows, shared=(), header=HEADER, name="09.tsv"):
        write(tmp_path, name, [header, *(list(row.values()) for row in rows)])
        write(tmp_path, "shared.tsv", [("term", "langs"), *shared])
        return load_terms(tmp_path, known={"I10", "I11", "E11"})

    return read


def test_a_right_file_is_read(terms):
    lexicon = terms(rows())
    assert lexicon["I10"]["es"][0] == ("es one", "preferred", "fs")
    assert [term.kind for term in lexicon["I10"]["fr"]] == ["preferred", "synonym", "lay"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"code": "I1"}, ["line 5", "'I1' is no three-character category"]),
        ({"code": "I99"}, ["line 5", "I99 is no category of ICD-10-CM"]),
        ({"code": "E11"}, ["line 5", "E11 belongs in 04.tsv"]),
        ({"lang": "de"}, ["line 5", "language 'de'", "en, es, ca, it, pt, fr"]),
        ({"kind": "nickname"}, ["line 5", "kind 'nickname'", "preferred, synonym"]),
        ({"agreement": "f"}, ["line 5", "agreement 'f'", "ms, fs, mp, fp"]),
        ({"agreement": "-"}, ["line 5", "agreement '-'"]),
        ({"kind": "synonym"}, ["I10 has 0 preferred terms in es; mark exactly one"]),
        ({"term": "es two"}, ["'es two' stands more than once", "I10 has 2 distinct term(s) in es"]),
        ({"term": "hipertensión (I11)"}, ["line 5", "holds a code"]),
        ({"term": " es  one"}, ["line 5", "stray blanks"]),
        ({"term": "hipertensio\u0301n"}, ["line 5", "decomposed"]),
        ({"term": "x" * 121}, ["121 characters"]),
        ({"term": "HIPERTENSIÓN ARTERIAL"}, ["all capitals"]),
        ({"term": "pt one"}, ["'pt one' is used in", "line 5", "add it to terms/shared.tsv"]),
    ],
)
def test_mistakes_are_named(terms, changes, words):
    with pytest.raises(UserError) as caught:
        terms(rows(**changes))
    for word in words:
        assert word in str(caught.value)


def test_a_shared_string_is_allowed_where_it_was_reviewed(terms):
    shared = rows(term="pt one")
    assert terms(shared, shared=[("pt one", "es,pt")])["I10"]["es"][0].text == "pt one"
    with pytest.raises(UserError, match="pt one"):
        terms(shared, shared=[("pt one", "es,it")])
    with pytest.raises(UserError, match="langs 'es'"):
        terms(shared, shared=[("pt one", "es")])


def test_one_term_for_two_categories_is_refused_unless_it_abbreviates(terms):
    both = rows() + [row | {"term": row["term"] + " more"} for row in rows("I11")]
    both[-1] |= {"term": "fr three"}
    with pytest.raises(UserError, match="also stands for"):
        terms(both)
    both[-1] |= {"kind": "abbreviation"}
    assert set(terms(both)) == {"I10", "I11"}


def test_another_header_is_named(terms):
    with pytest.raises(UserError, match="write code | lang | kind"):
        terms(rows(), header=("code", "lang", "kind", "gender", "term"))


def test_vitamin_b12_is_no_code(terms):
    assert terms(rows(term="déficit de vitamina B12"))["I10"]["es"][0].text.endswith("B12")


def test_unreviewed_shared_strings_are_proposed(tmp_path):
    write(tmp_path, "09.tsv", [HEADER, *(list(row.values()) for row in rows(term="pt one"))])
    write(tmp_path, "shared.tsv", [("term", "langs")])
    assert proposals(tmp_path) == [("pt one", "es,pt")]
    write(tmp_path, "shared.tsv", [("term", "langs"), ("pt one", "es,pt")])
    assert proposals(tmp_path) == proposals() == []
