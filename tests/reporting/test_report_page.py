"""The report: one file that asks for nothing, whatever the names in it are."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest
from tests.reporting.pages import HOSTILE, claim, write_results

from clinbench.errors import UserError
from clinbench.reporting.claims import CLAIMS
from clinbench.reporting.page.cards import cards
from clinbench.reporting.page.page import table_part


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))

    def of(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


@pytest.fixture
def report(tmp_path, risk_record, coding_record):
    return write_results(tmp_path, risk_record, coding_record)


def test_the_page_needs_nothing_outside_itself(report):
    html = report()
    assert not re.search(r"@import|url\(|<iframe|<object|<embed|<base", html)
    for tag, attributes in Elements(html).found:
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in ("src", "href", "srcset", "action", "data"):
                assert (value or "").startswith(("data:", "#")), (tag, name)


def test_the_policy_admits_the_pages_own_script_and_style_only(report):
    html = report()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy.startswith("default-src 'none'; img-src data:;") and "unsafe" not in policy
    for tag in ("script", "style"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_hostile_names_reach_the_page_as_text(report):
    html = report(HOSTILE)
    elements = Elements(html)
    assert len(elements.of("script")) == len(elements.of("style")) == 1
    assert not elements.of("b") or all("alert" not in str(one) for one in elements.of("b"))
    assert "<script>alert" not in html and html.count("&lt;script&gt;alert(1)") >= 8
    assert {
        len(Elements(report()).of(tag)) - len(elements.of(tag)) for tag in ("a", "img", "table", "tr")
    } == {0}


def test_claims_come_first_then_tables_figures_data_and_limits(report):
    html = report()
    places = [html.index(f'<section id="{name}"') for name in ("claims", "tables", "figures", "data")]
    places += [html.index('<section id="not-comparable"'), html.index('<section id="run"')]
    assert places == sorted(places)
    assert "<b>1</b> replicated" in html and "<b>1</b> not testable here" in html
    assert 'id="claims"' not in report(claims=[])


def test_every_part_has_its_command_and_downloads(report):
    html = report()
    for target in (
        "tables/mortality_lstm.tex",
        "figures/scr_weights_x.pdf",
        "metrics/risk/cohort_a/lstm/bce.json",
    ):
        assert f"snakemake results/{target} --configfile presets/smoke.yaml" in html
    links = {
        attributes["download"]: attributes["href"]
        for attributes in Elements(html).of("a")
        if "download" in attributes
    }
    assert {"mortality_lstm.tex", "mortality_lstm.csv", "scr_weights_x.pdf"} <= links.keys()
    text = base64.b64decode(links["mortality_lstm.csv"].split(",", 1)[1]).decode()
    assert text.startswith("track,task,dataset")


def test_a_reader_without_eyes_finds_the_way(report):
    elements = Elements(report())
    assert elements.of("html") == [{"lang": "en"}] and len(elements.of("h1")) == len(elements.of("main")) == 1
    assert all(image["alt"] and int(image["width"]) for image in elements.of("img"))
    identifiers = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
    assert len(identifiers) == len({*identifiers})
    assert {link["href"][1:] for link in elements.of("a") if link["href"].startswith("#")} <= {*identifiers}
    assert all("scope" in head for head in elements.of("th"))
    levels = [int(tag[1]) for tag, _ in elements.found if re.fullmatch("h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))


def test_synthetic_data_are_labelled_wherever_they_stand(report):
    html = report()
    assert html.count('class="synthetic"') == 0 and "Some of the data are synthetic" not in html
    html = report(synthetic=True)
    assert html.count('class="synthetic"') >= 2 and "Some of the data are synthetic" in html


def test_notes_of_the_tables_are_gathered_under_what_is_not_comparable(report):
    section = report(reason="of another split").split('<section id="not-comparable">')[1]
    assert "of another split" in section.split("</ul>")[0]
    assert "trapezoids" in section


def test_the_same_results_make_the_same_page(report):
    assert report() == report()


def test_a_table_without_its_record_is_refused(tmp_path):
    with pytest.raises(UserError, match="tables/x.run.json is not there; make results/tables/x.tex"):
        table_part(tmp_path, "tables/x", "results/tables/x.tex", "{target}", {})


def test_a_card_tells_counts_prevalence_access_and_licence(risk_record):
    record = risk_record()
    splits = {name: {"stays": 200, "positives": 20} for name in ("train", "val", "test")}
    record["provenance"] = [{"data_fingerprint": {"patients": 590, "splits": splits, "sha256": "ab"}}]
    (card,) = cards([record, risk_record("gbt")], {"cohort_a": {"access": "open", "sources": ["CC0"]}})
    assert card.splits[0] == ("Training", "200", "20", "10.0 %")
    assert (card.access, card.sources, card.counts) == ("open", ["CC0"], {"patients": "590"})


def test_a_card_keeps_small_cells_hidden(risk_record):
    record = risk_record()
    splits = {"train": {"stays": 200, "positives": "<10"}, "test": {"stays": 90, "positives": [20, "<10"]}}
    record["provenance"] = [{"data_fingerprint": {"splits": splits, "sha256": "ab"}}]
    (card,) = cards([record], {})
    assert [split[1:] for split in card.splits] == [("200", "–", "–"), ("90", "–", "–")]
    assert card.access == "not told"


def test_claims_without_numbers_are_dashes(report):
    nothing = dict.fromkeys(
        ("difference", "low", "high", "p_holm", "n", "seeds", "published_first", "published_second")
    )
    section = report(claims=[claim(**nothing)]).split('<section id="claims">')[1].split("</tbody>")[0]
    assert "None" not in section and section.count("<td>–</td>") == 6
    assert "data-key" not in section


def test_the_ledger_has_the_columns_the_page_reads():
    assert {*claim()} <= {*CLAIMS.keys}


def test_a_claim_shows_its_numbers_and_why(report):
    section = report(claims=[claim(p_holm=0.0002, difference=-0.004)]).split('<section id="claims">')[1]
    for text in (
        ".800 / .790",
        "−.004",
        "[.001, .020]",
        "&lt; .001",
        "5,000",
        "cohort_a, lstm",
        "it does; the paper",
    ):
        assert text in section
