"""The report in a browser: it asks for nothing, its tables sort, it can be seen and printed."""

import html
import json
import re
import struct

import pytest
from tests.reporting.browser import CHROMIUM, browse
from tests.reporting.pages import HOSTILE, write_results

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed (apt-get install chromium)"
)


def without_policy(page, script):
    """Let a script of the test's into the page, and everything else that the policy would stop."""
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    return page.replace("</body>", f"<script>{script}</script></body>")


@pytest.fixture
def report(tmp_path, risk_record, coding_record):
    (tmp_path / "results").mkdir()
    return write_results(tmp_path / "results", risk_record, coding_record)


@pytest.fixture
def opened(tmp_path):
    def open_(text, *arguments):
        page = tmp_path / "index.html"
        page.write_text(text)
        return browse(page, tmp_path, *arguments)

    return open_


def test_no_request_leaves_the_page_even_without_its_policy(report, opened):
    dom, asked = opened(without_policy(report(HOSTILE), ""), "--dump-dom")
    assert "What is not comparable" in dom and asked == []
    _, asked = opened(without_policy(report(), "fetch('http://127.0.0.1:9/x')"), "--dump-dom")
    assert asked == ["http://127.0.0.1:9/x"]  # one would have been seen


def test_a_click_on_a_heading_sorts_and_a_third_gives_the_order_back(report, opened):
    clicked = """
        const table = document.querySelector("#tables-mortality_lstm table"), orders = [];
        for (let click = 0; click < 4; click++) {
          if (click) table.querySelector("th[data-column='1'] button").click();
          orders.push([...table.tBodies].map((body) => body.rows[0].cells[0].firstChild.textContent.trim()));
        }
        document.body.dataset.orders = JSON.stringify(orders);
    """
    dom, _ = opened(without_policy(report(), clicked), "--dump-dom")
    first, falling, rising, back = json.loads(html.unescape(re.search(r'data-orders="([^"]*)"', dom)[1]))
    assert first == back == ["BCE", "CBCE", "CSCE", "GBT"]
    assert falling == ["GBT", "BCE", "CBCE", "CSCE"]  # what has no number is last
    assert rising == ["CBCE", "BCE", "GBT", "CSCE"]


def test_the_pages_own_script_runs_under_its_policy(report, opened):
    dom, _ = opened(report(), "--dump-dom")
    assert 'aria-sort="none"' in dom


def test_it_can_be_seen_and_printed(report, opened, tmp_path):
    picture, paper = tmp_path / "page.png", tmp_path / "page.pdf"
    opened(report(synthetic=True), f"--screenshot={picture}", "--window-size=1366,900")
    assert struct.unpack(">II", picture.read_bytes()[16:24]) == (1366, 900)
    assert len(picture.read_bytes()) > 20_000
    opened(report(synthetic=True), "--no-pdf-header-footer", f"--print-to-pdf={paper}")
    assert paper.read_bytes()[:4] == b"%PDF"
