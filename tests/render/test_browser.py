"""The report in a real Chromium: it draws, asks for nothing, complains of nothing, and needs no script."""

import pytest

from inquest.render import report

from . import npm
from .chromium import EXECUTABLE, Chromium

pytestmark = pytest.mark.skipif(EXECUTABLE is None, reason="chromium is not installed (apt-get install chromium)")


AXE_SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"


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
    slipped = "<script>x=1</script><img src='http://nowhere.invalid/a.png'><p style='color:red'>"
    data = page.read_text().replace('<main id="main">', f'<main id="main">{slipped}', 1)
    assert slipped in data
    page.write_text(data)
    seen = browser.visit(page)
    assert seen.blocked == seen.requests == ["http://nowhere.invalid/a.png"]
    assert len([m for m in seen.messages if "Content Security Policy" in m]) == 3


def test_the_report_asks_for_nothing_and_fits_the_window(browser, page):
    light, dark, narrow = browser.visit(page), browser.visit(page, dark=True), browser.visit(page, width=390)
    for seen in (light, dark, narrow):
        assert seen.requests == []
        assert seen.messages == []
        assert seen.overflow <= 0
        assert len(seen.png) > 10_000
    assert light.png != dark.png


def test_it_says_the_same_without_scripts(browser, page, case):
    with_scripts, without = browser.visit(page), browser.visit(page, script=False)
    assert case.verdict.families[0].family in without.text
    assert "Next action" in without.text
    # All that scripts add are buttons and fields; what is printed stays, in its order.
    kept = [line for line in with_scripts.text.splitlines() if line.strip() not in ("Copy", "Enlarge", "Filter", "")]
    assert kept == [line for line in without.text.splitlines() if line.strip()]
    assert (without.requests, without.messages) == ([], [])


@pytest.mark.parametrize("size", [(8.27, 11.69), (8.5, 11.0)], ids=["A4", "letter"])
def test_it_prints_on_paper(browser, page, size):
    pdf = browser.visit(page, paper=size).pdf
    assert pdf.startswith(b"%PDF-")
    assert 0 < pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/") <= 12


def test_512_ranks(browser, crowd, tmp_path):
    path = tmp_path / "report.html"
    path.write_bytes(report.render(crowd.verdict, crowd.evidence))
    seen = browser.visit(path)
    assert (seen.requests, seen.messages) == ([], [])
    assert seen.overflow <= 0


def test_the_script_filters_enlarges_and_copies(browser, killed, tmp_path):
    path = tmp_path / "report.html"
    path.write_bytes(report.render(killed.verdict, killed.evidence))
    ask = """(async () => {
        const field = document.querySelector("#families input[type=search]");
        field.value = "startup  CRASH";
        field.dispatchEvent(new Event("input"));
        const rows = [...document.querySelectorAll("#families tbody tr")];
        const figure = document.querySelector("#heat figure");
        figure.querySelector("button").click();
        const large = figure.getBoundingClientRect().height >= innerHeight - 1;
        figure.querySelector("button").click();
        let copied = null;
        navigator.clipboard.writeText = async (text) => { copied = text; };
        const sql = document.querySelector("pre.sql");
        sql.previousElementSibling.click();
        await null;
        return {shown: rows.filter((row) => !row.hidden).length, said: field.parentElement.textContent, large,
                back: !figure.classList.contains("large"), same: copied === sql.textContent};
    })()"""
    answer = browser.visit(path, ask=ask).answer
    assert answer == {"shown": 1, "said": "Filter  1 of 18", "large": True, "back": True, "same": True}


@pytest.fixture(scope="module")
def checker():
    try:
        return npm.member("axe-core@4.14.1", "package/axe.min.js", AXE_SHA256).read_text()
    except npm.Unavailable as why:
        pytest.skip(str(why))


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious(browser, killed, tmp_path, dark, checker):
    """axe-core, the checker that most accessibility tools run, in the page itself."""
    path = tmp_path / "report.html"
    path.write_bytes(report.render(killed.verdict, killed.evidence))
    run = "axe.run(document).then((r) => r.violations.map((v) => [v.impact, v.id, v.nodes.length, v.nodes[0].html]))"
    found = browser.visit(path, dark=dark, ask=f"{checker};{run}").answer
    assert [each for each in found if each[0] in ("serious", "critical")] == []


def test_axe_sees_what_is_wrong(browser, tmp_path, checker):
    """Negative control."""
    path = tmp_path / "control.html"
    path.write_text(
        "<!doctype html><html><title>x</title><p style='color:#ccc;background:#fff'>pale</p><img src=''></html>"
    )
    found = browser.visit(path, ask=f"{checker};axe.run(document).then((r) => r.violations.map((v) => v.id))").answer
    assert {"color-contrast", "image-alt", "html-has-lang"} <= set(found)
