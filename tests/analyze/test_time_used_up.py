"""A loop that looks at the clock itself, says that its time is used up and leaves; the output of a run before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def _verdict(folder: Path, text: str) -> Verdict:
    folder.mkdir(exist_ok=True)
    (folder / "train.log").write_text(text)
    return analyze(import_logs([folder]), strict=True)[0]


def _epochs(minute: int, count: int, *, sums: bool = True) -> str:
    lines = []
    for epoch in range(1, count + 1):
        for at, batch in enumerate((40, 80)):
            second = 4 * epoch + 2 * at
            stamp = f"2026-11-25 13:{minute + second // 60:02}:{second % 60:02}"
            lines.append(f"{stamp} | INFO | epoch {epoch} batch {batch}/80 loss {1.3 * 0.6 ** (epoch + at / 2):.4f}")
        if sums:
            lines.append(f"{stamp} | INFO | epoch {epoch} train loss {1.3 * 0.6 ** (epoch + 0.5):.4f} recall 0.9")
    return "".join(f"{line}\n" for line in lines)


_BEFORE = (
    f"--- previous log ---\n2026-11-25 13:01:00 | INFO | 4000 notes, 2 epochs\n{_epochs(1, 6)}"
    "2026-11-25 13:01:31 | SUCCESS | all 6 epochs done\n--- end of previous log ---\n"
)

LEAVES = (
    "40 s of wall-clock used up in epoch 13 of 60, batch 33; state saved, leaving",
    "walltime is over (epoch 13 of 60), checkpoint written, stopping the run",
    "time is up at step 980: state saved, leaving",
    "out of time at step 980 of 4800, saving and exiting",
)


@pytest.mark.parametrize("said", LEAVES)
def test_a_loop_whose_time_is_used_up_was_ended_by_it(tmp_path: Path, said: str) -> None:
    text = (
        f"2026-11-25 13:10:00 | INFO | 4000 notes, 60 epochs\n{_epochs(10, 12)}2026-11-25 13:10:53 | WARNING | {said}\n"
    )
    assert _verdict(tmp_path / "alone", text).family == "F3"
    assert _verdict(tmp_path / "behind", _BEFORE + text).family == "F3"


def test_what_was_used_up_was_a_part_of_it_where_steps_follow(tmp_path: Path) -> None:
    text = _epochs(10, 6) + "2026-11-25 13:10:29 | INFO | time is up in epoch 6, leaving the loop\n" + _epochs(11, 12)
    assert _verdict(tmp_path, text).family != "F3"
    for said in ("validation: out of time at step 12, leaving", "out of time for step 12, leaving 3 batches unread"):
        assert _verdict(tmp_path, _epochs(10, 12) + said + "\n").family != "F3"


def test_a_count_of_epochs_is_none_of_steps(tmp_path: Path) -> None:
    """Behind the sum of epoch 6, step 40 is no counter that went on: it is where the first run had begun, too."""
    verdict = _verdict(tmp_path, _BEFORE + _epochs(10, 12))
    assert verdict.family != "E2"
