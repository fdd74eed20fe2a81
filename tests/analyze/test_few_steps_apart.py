"""A rank that is the slow one in every one of few reports, by the loop's own clocks; and ranks in a program's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path


def _family(tmp_path: Path, lines: list[str]) -> tuple[str | None, tuple[int, ...]]:
    path = tmp_path / "job.log"
    path.write_text("\n".join([*lines, "training finished", ""]))
    verdict = analyze(import_logs([path], exit_code=0), strict=True)[0]
    return verdict.family, verdict.culprit_ranks


def _reports(form: str, slow: list[int], every: int = 2) -> list[str]:
    """Two ranks' reports, of which the one at ``slow`` prepares its batch for long, and the other waits for it."""
    lines = []
    for number, late in enumerate(slow, 1):
        for rank in (0, 1):
            own, wait = (1.5 + number / 50, 0.01) if rank == late else (0.03, 1.5 + number / 50)
            text = f"step {number * every} loss {4 - number / 10:.3f} prep {own:.2f}s wait for peers {wait:.2f}s"
            lines.append(f"{form.format(rank)} {text} fwd/bwd 0.50s step {own + wait + 0.5:.2f}s")
    return lines


@pytest.mark.parametrize(
    ("slow", "every", "culprits"),
    [
        ([1] * 9, 2, (1,)),
        ([1] * 8 + [0], 2, ()),  # one in nine is too often for so few
        ([1] * 6, 3, ()),  # six reports
        ([1] * 8, 1, ()),  # eight steps are none
        ([1] * 19 + [0] * 3, 1, (1,)),  # of many the median tells
        ([0, 1] * 5, 2, ()),  # in turns
    ],
)
def test_a_rank_that_is_late_each_time(tmp_path: Path, slow: list[int], every: int, culprits: tuple[int, ...]) -> None:
    family, ranks = _family(tmp_path, _reports("[rank {}]", slow, every))
    assert (family == "D3", ranks) == (bool(culprits), culprits)


@pytest.mark.parametrize(
    ("form", "named"),
    [("[p{}]", True), ("[proc {}]", True), ("[process {}]", True), ("[shard {}]", False), ("[p{}.5]", False)],
)
def test_processes_that_a_program_numbers_are_ranks(tmp_path: Path, form: str, named: bool) -> None:
    assert _family(tmp_path, _reports(form, [1] * 24))[1] == ((1,) if named else ())
