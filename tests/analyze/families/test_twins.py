"""Every family: a positive, a near-miss twin, and a missing-evidence twin whose right answer is cannot_decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.families import FAMILIES
from tests.analyze.builders import TWINS, Run

if TYPE_CHECKING:
    from inquest.analyze.model import FamilyEntry, Verdict

SLOW_ONLY = {"B3", "D1", "D2", "D3"}
"""Families that make a run slow: what they find may stand beside a planned end."""


def _entry(verdict: Verdict, family: str) -> FamilyEntry:
    return next(entry for entry in verdict.families if entry.family == family)


def _judged(run: Run) -> Verdict:
    return judge(run.evidence(), strict=True)


def test_every_family_has_its_twins() -> None:
    assert list(TWINS) == [family.id for family in FAMILIES]


@pytest.mark.parametrize("family", TWINS)
def test_the_positive_names_the_family(family: str) -> None:
    verdict = _judged(TWINS[family].positive())
    entry = _entry(verdict, family)
    assert entry.status == "ruled_in", entry.because
    assert entry.claims
    assert entry.would_change_if
    if family not in SLOW_ONLY:
        assert verdict.family == family, verdict.headline
        assert verdict.next.action


@pytest.mark.parametrize("family", TWINS)
def test_the_near_miss_is_ruled_out_with_what_would_have_had_to_be_there(family: str) -> None:
    verdict = _judged(TWINS[family].near_miss())
    entry = _entry(verdict, family)
    assert entry.status == "ruled_out", entry.because
    assert entry.would_change_if
    assert entry.stores, "ruling out rests on a store that was captured"
    assert verdict.family != family


@pytest.mark.parametrize("family", TWINS)
def test_without_the_evidence_it_cannot_be_decided(family: str) -> None:
    verdict = _judged(TWINS[family].missing())
    entry = _entry(verdict, family)
    assert entry.status == "cannot_decide", entry.because
    assert entry.because
    assert verdict.family != family


@pytest.mark.parametrize("family", TWINS)
def test_claims_say_again_what_they_said(family: str) -> None:
    run = TWINS[family].positive()
    verdict, ev = _judged(run), run.evidence()
    for claim in verdict.shows:
        assert ev.value(claim.sql, claim.unit) == claim.value, claim
