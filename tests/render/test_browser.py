"""The report in a real Chromium: it draws, asks for nothing, complains of nothing, and needs no script."""

import pytest

from inquest.render import report

from .chromium import EXECUTABLE, Chromium

pytestmark = pytest.mark.skipif(EXECUTABLE is None, reason="chromium is not installed (apt-get install chromium)")


@pytest.fixture(scope="module")
def browser():
    with Chromium() as browser:
        yield browser


@pytest.fixture
def page(case, tmp_path):
    path = tmp_path / "report.html"
    path.write_bytes(report.render(case.verdict, case.evidence))
    return path


def test_the_browser_sees_requests_and_messages(browser, tmp_path):
    """Negative control: without this, a browser that reports nothing would pass every other test."""
    path = tmp_path / "control.html"
    path.write_text(
        "<!doctype html><title>x</title><img src='http://nowhere.invalid/a.png'><script>console.error('seen')</script>"
        "<div style='width:3000px'>wide</div>"
    )
    seen = browser.visit(path)
    assert "http://nowhere.invalid/a.png" in seen.requests
    assert any("seen" in message for message in seen.messages)
    assert seen.blocked == []
    assert seen.overflow > 1000
    assert not any("seen" in message for message in browser.visit(path, script=False).messages)


def test_the_policy_of_the_report_would_stop_what_slipped_in(browser, page):
    """Were markup of a log ever let through, the page's own policy still lets it neither run nor load."""
    data = page.read_text().replace("<main>", "<main><script>x=1</script><img src='http://nowhere.invalid/a.png'>", 1)
    page.write_text(data)
    seen = browser.visit(page)
    assert seen.blocked == seen.requests == ["http://nowhere.invalid/a.png"]
    assert len([m for m in seen.messages if "Content Security Policy" in m]) == 2


def test_the_report_asks_for_nothing_and_fits_the_window(browser, page):
    light, dark, narrow = browser.visit(page), browser.visit(page, dark=True), browser.visit(page, width=390)
    for seen in (light, dark, narrow):
        assert seen.requests == []
        assert seen.messages == []
        assert seen.overflow <= 0
        assert len(seen.png) > 10_000
    assert light.png != dark.png


def test_it_reads_the_same_without_scripts(browser, page, case):
    with_scripts, without = browser.visit(page), browser.visit(page, script=False)
    assert without.png == with_scripts.png
    assert case.verdict.families[0].family in with_scripts.text
    assert "Next action" in with_scripts.text


def test_it_prints_on_paper(browser, page):
    pdf = browser.visit(page, paper=True).pdf
    assert pdf.startswith(b"%PDF-")
    assert 0 < pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/") <= 12


def test_512_ranks(browser, crowd, tmp_path):
    path = tmp_path / "report.html"
    path.write_bytes(report.render(crowd.verdict, crowd.evidence))
    seen = browser.visit(path)
    assert (seen.requests, seen.messages) == ([], [])
    assert seen.overflow <= 0
