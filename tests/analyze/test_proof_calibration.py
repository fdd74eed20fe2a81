"""The page on calibration: it is what the scores give, and the scores are what confidence promises."""

from __future__ import annotations

import json
import random

import pytest

from benchmarks.calibration import ceilings, page
from benchmarks.calibration.fit import LEAST, Told, bins, brier, cross_validated, fitted, wilson
from inquest.analyze.thresholds import THRESHOLDS

from ..conftest import ROOT

SCORES = json.loads((ROOT / "benchmarks" / "calibration" / "scores.json").read_text())
REAL = [name for name, (kind, _) in SCORES["sources"].items() if kind == "real"]


def of(source: str) -> list[Told]:
    return page.told([case for case in SCORES["cases"] if case["source"] == source])


def test_the_page_and_the_plot_are_made_of_the_scores() -> None:
    made = "run python -m benchmarks.calibration"
    assert (ROOT / "docs" / "calibration.md").read_text() == page.render(SCORES), made
    assert (ROOT / "docs" / "calibration.svg").read_text() == page.plot(SCORES), made


@pytest.mark.parametrize("source", REAL)
def test_a_confidence_is_a_floor(source: str) -> None:
    """In no published bin of real logs was more stated than may have been right; of what was mended, than was."""
    for each in bins(of(source)):
        assert (each.high if source == "first contact" else each.right) >= each.stated, each


@pytest.mark.parametrize("source", SCORES["sources"])
def test_what_is_decided_is_right(source: str) -> None:
    """The bars of the project, on what the engine of today was scored on; first contact is told, not held."""
    decided = of(source)
    assert decided
    if not source.startswith("first contact"):
        assert sum(item.right for item in decided) >= 0.95 * len(decided)
        assert not [item for item in decided if not item.right and item.confidence >= 0.8]


def test_the_ceilings_that_cross_validation_gives_are_the_ones_applied() -> None:
    computed = {f"confidence.ceiling.{each.family}": each.value for each in ceilings.ceilings(SCORES) if each.value}
    assert computed == {name: row.value for name, row in THRESHOLDS.items() if name.startswith("confidence.ceiling.")}


def test_a_ceiling_is_found_where_a_family_states_too_much_and_none_where_it_does_not() -> None:
    def judged(share: float) -> ceilings.Ceiling:
        told = [Told(f"set{n % 7}/{n}", 0.9, right=n % 20 < 20 * share) for n in range(140)]
        return ceilings._ceiling("X", told)

    assert judged(0.9).value is None
    assert judged(1.0).value is None
    assert judged(0.6).value == pytest.approx(0.6, abs=0.03)


def test_sources_are_not_summed() -> None:
    text = page.render(SCORES)
    for source in SCORES["sources"]:
        assert f"| {source} |" in text
    assert "| all |" not in text


def test_small_bins_are_not_published() -> None:
    few = [Told(str(number), 0.75, right=True) for number in range(LEAST - 1)]
    assert bins(few) == []
    (only,) = bins([*few, Told("last", 0.7, right=False)])
    assert (only.begin, only.count) == (0.7, LEAST)
    assert only.right == (LEAST - 1) / LEAST


def test_wilson_and_brier_are_what_the_textbook_says() -> None:
    low, high = wilson(8, 10)
    assert (round(low, 3), round(high, 3)) == (0.49, 0.943)
    assert brier([Told("a", 1.0, right=True), Told("b", 0.5, right=False)]) == 0.125


def test_a_map_is_found_where_confidence_is_off_and_none_where_it_is_not() -> None:
    chance = random.Random(7)
    stated = [chance.uniform(0.3, 0.95) for _ in range(4000)]
    honest = [Told(str(n), value, right=chance.random() < value) for n, value in enumerate(stated)]
    found = fitted(honest)
    assert found.slope == pytest.approx(1, abs=0.15)
    assert found.shift == pytest.approx(0, abs=0.15)
    timid = [Told(str(n), value, right=chance.random() < value**0.3) for n, value in enumerate(stated)]
    assert fitted(timid).shift > 0.5
    assert cross_validated(timid) < brier(timid) - 0.01
    assert abs(cross_validated(honest) - brier(honest)) < 0.005
