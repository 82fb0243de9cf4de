"""The report in a browser: it asks for nothing, its tables sort, it can be seen and printed."""

import re
import struct

import pytest
from tests.reporting.browser import CHROMIUM, browse
from tests.reporting.pages import HOSTILE, write_results

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium is not installed (apt-get install chromium)"
)
ROWS = re.compile(r'<th scope="row">(.*?)</th>')


def without_policy(html, script):
    """Let a script of the test's into the page, and everything else that the policy would stop."""
    html = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", html)
    return html.replace("</body>", f"<script>{script}</script></body>")


@pytest.fixture
def report(tmp_path, risk_record, coding_record):
    (tmp_path / "results").mkdir()
    return write_results(tmp_path / "results", risk_record, coding_record)


@pytest.fixture
def opened(tmp_path):
    def open_(html, *arguments):
        page = tmp_path / "index.html"
        page.write_text(html)
        return browse(page, tmp_path, *arguments)

    return open_


def test_no_request_leaves_the_page_even_without_its_policy(report, opened):
    dom, asked = opened(without_policy(report(HOSTILE), ""), "--dump-dom")
    assert "What is not comparable" in dom and asked == []
    _, asked = opened(without_policy(report(), "fetch('http://127.0.0.1:9/x')"), "--dump-dom")
    assert asked == ["http://127.0.0.1:9/x"]  # one would have been seen


def test_a_click_on_a_heading_sorts_and_a_third_gives_the_order_back(report, opened):
    html = report()
    orders = []
    for clicks in range(4):
        click = "document.querySelector('#tables-mortality_lstm th[data-column=\"1\"] button').click();"
        dom, _ = opened(without_policy(html, click * clicks), "--dump-dom")
        table = dom.split('id="tables-mortality_lstm"')[1].split("</table>")[0]
        orders.append([name.split("<")[0] for name in ROWS.findall(table)])
    assert orders[0] == ["BCE", "CBCE", "CSCE", "GBT"]
    assert orders[1] == ["GBT", "BCE", "CBCE", "CSCE"]  # what has no number is last
    assert orders[2] == ["CBCE", "BCE", "GBT", "CSCE"]
    assert orders[3] == orders[0]


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
