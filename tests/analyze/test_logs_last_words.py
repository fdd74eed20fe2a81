"""A log whose last line is an exception without its traceback, and lines that only look so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def verdict_of(tmp_path: Path, text: str, exit_code: int | None) -> Verdict:
    path = tmp_path / "job.log"
    path.write_text(text)
    return analyze(import_logs([str(path)], exit_code=exit_code), strict=True)[0]


@pytest.mark.parametrize(
    ("line", "fault_class"),
    [
        ("RuntimeError: batch size 30 != 32", "code"),
        ("ModuleNotFoundError: No module named 'apex'", "env"),
        ("AssertionError", "code"),
    ],
)
def test_it_is_believed_beside_a_failed_end(tmp_path: Path, line: str, fault_class: str) -> None:
    verdict = verdict_of(tmp_path, f"loading data\n{line}\n\n", 1)
    assert (verdict.family, verdict.fault_class) == ("A1", fault_class)
    assert verdict.confidence <= 0.7
    assert line in verdict.headline


def test_it_is_not_believed_alone(tmp_path: Path) -> None:
    assert verdict_of(tmp_path, "loading data\nRuntimeError: batch size 30 != 32\n", None).family is None


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: shard 3 unreadable, skipped\nstep 1 | loss 2.0\nstep 2 | loss 1.0\nbye\n",
        "we handle ValueError: bad shard\n",
        "docs: RuntimeError\n",
    ],
)
def test_elsewhere_than_at_the_end_it_says_nothing(tmp_path: Path, text: str) -> None:
    verdict = verdict_of(tmp_path, text, 1)
    assert not [claim for claim in verdict.shows if "Error the job printed" in claim.text]
