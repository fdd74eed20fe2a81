"""The pages of `inquest diff` and `inquest triage` in a real Chromium: like the report, they load and need nothing."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from inquest.analyze.diff import diff
from inquest.analyze.model import Missing
from inquest.analyze.triage import triage
from inquest.analyze.triage_read import case_of
from inquest.render import diff_view, one_page, triage_view

from . import scenarios
from .chromium import EXECUTABLE, Chromium
from .test_browser import checker  # noqa: F401  a fixture

pytestmark = pytest.mark.skipif(EXECUTABLE is None, reason="chromium is not installed (apt-get install chromium)")


@pytest.fixture(scope="module")
def browser():
    with Chromium() as browser:
        yield browser


def _diff() -> bytes:
    good, bad = scenarios.healthy(), scenarios.killed(nodes=4, per_node=4)
    found = diff(("good", good.verdict, good.evidence), ("bad", bad.verdict, bad.evidence))
    assert found.differences
    return diff_view.to_html(found, good.evidence, bad.evidence)


def _triage() -> bytes:
    cases = [
        case_of(f"{seed}.inquest", made.verdict, made.evidence)
        for seed, made in enumerate((scenarios.killed(), scenarios.killed(nodes=4, per_node=4), scenarios.bare()))
    ]
    return triage_view.to_html(triage(cases))


@pytest.mark.parametrize("make", [_diff, _triage])
def test_a_page_asks_for_nothing_complains_of_nothing_and_fits(browser, tmp_path, make):
    path = tmp_path / "page.html"
    path.write_bytes(make())
    light, dark, narrow = browser.visit(path), browser.visit(path, dark=True), browser.visit(path, width=390)
    for seen in (light, dark, narrow):
        assert (seen.requests, seen.messages) == ([], [])
        assert seen.overflow <= 0
        assert len(seen.png) > 10_000
    assert light.png != dark.png
    assert "Simulated data" in light.text


@pytest.mark.parametrize("make", [_diff, _triage])
def test_axe_finds_nothing_serious(browser, tmp_path, make, checker):  # noqa: F811
    path = tmp_path / "page.html"
    path.write_bytes(make())
    run = "axe.run(document).then((r) => r.violations.map((v) => [v.impact, v.id, v.nodes[0].html]))"
    for dark in (False, True):
        assert browser.visit(path, dark=dark, ask=f"{checker};{run}").answer == []


def _pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


@pytest.mark.parametrize("size", [(8.27, 11.69), (8.5, 11.0)], ids=["A4", "letter"])
@pytest.mark.parametrize("length", ["as it is", "as long as can be"])
def test_one_page_prints_on_one_page(browser, tmp_path, size, length):
    case = scenarios.killed()
    verdict = case.verdict
    if length != "as it is":
        long = "A long sentence with words of every length, paths/like/this_one.py:12 and numbers 123456. " * 30
        verdict = replace(
            verdict,
            headline=long,
            chain=tuple(replace(verdict.chain[0], text=long) for _ in range(20)),
            shows=tuple(replace(verdict.shows[0], text=long, value=long) for _ in range(20)),
            implies=(long,) * 9,
            warnings=(long,) * 9,
            cannot_decide=(Missing(long, long),) * 9,
            next=replace(verdict.next, action=long, last_good_checkpoint=long),
            culprit_nodes=tuple(f"{number}-node-of-a-long-name" for number in range(99)),
        )
    path = tmp_path / "one-page.html"
    path.write_bytes(one_page.render(verdict, case.evidence))
    seen = browser.visit(path, paper=size)
    assert seen.messages == []
    assert _pages(seen.pdf) == 1


def test_pages_of_paper_are_counted(browser, tmp_path):
    """Negative control."""
    path = tmp_path / "long.html"
    path.write_text("<p>x</p>" * 200)
    assert _pages(browser.visit(path, paper=True).pdf) > 1
