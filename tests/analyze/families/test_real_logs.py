"""Real logs with known truth, where they lie beside the checkout."""

from __future__ import annotations

import pytest

from tests.analyze import score_real_logs as real

pytestmark = pytest.mark.skipif(
    not real.REFERENCE.is_dir() or not real.CORPUS.is_dir(), reason="../shared with the real logs is not here"
)

LOUD = 0.6
"""Confidence above which a wrong verdict does harm."""


@pytest.fixture(scope="module")
def scored() -> list[real.Scored]:
    return real.run([*real.reference_cases(), *real.corpus_cases()])


def test_no_wrong_verdict_is_loud(scored: list[real.Scored]) -> None:
    assert [item for item in scored if item.grade == "wrong" and item.confidence > LOUD] == []


def test_no_healthy_log_is_called_a_failure(scored: list[real.Scored]) -> None:
    assert [item for item in scored if item.case.healthy and item.grade == "wrong"] == []


def test_most_logs_are_decided(scored: list[real.Scored]) -> None:
    right = sum(item.grade == "right" for item in scored)
    assert right >= 0.8 * len(scored), [item.case.name for item in scored if item.grade == "abstained"]
