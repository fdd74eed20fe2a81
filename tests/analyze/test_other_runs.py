"""Several runs in one log or one folder: which of them failed, how far it had come, and how the others ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

BROKEN: Final = (
    "Traceback (most recent call last):\n  File \"fit.py\", line 31, in <module>\n    main()\nKeyError: 'width'\n"
)
NO_MEMORY: Final = (
    'Traceback (most recent call last):\n  File "fit.py", line 31, in <module>\n    main()\n'
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of"
    " which 1.10 GiB is free.\n"
)
KILLED: Final = "grid.sh: line 4:  8812 Killed                  python fit.py --depth 2\n"
DONE: Final = "saved out/final.pt\nTraining complete.\n"
LIMIT: Final = "slurmstepd: error: *** JOB 88102 ON gpu2 CANCELLED AT 2026-03-11T11:00:00 DUE TO TIME LIMIT ***\n"


def epochs(count: int, first: float = 2.3) -> str:
    return "".join(f"epoch {n}/10 loss {first * 0.8**n:.4f}\n" for n in range(1, count + 1))


def grid(bad: int | None, end: str, after: int = 4) -> str:
    """A shell's loop over a setting, under "set -x"."""
    return "".join(
        f"+ python fit.py --depth {k}\n" + (epochs(after) + end if k == bad else epochs(10, 2.3 + k / 9) + DONE)
        for k in range(4)
    )


def verdict(folder: Path, exit_code: int | None = None) -> Verdict:
    return analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]


@pytest.mark.parametrize(
    ("text", "status", "family", "told"),
    [
        (grid(1, BROKEN), None, "A1", "epoch 4: KeyError: 'width'; it was in \"python fit.py --depth 1\", and all 3"),
        (grid(1, BROKEN), 0, "A1", "all 3 other runs came to their planned end"),
        (grid(3, BROKEN), None, "A1", 'in "python fit.py --depth 3", and all 3 other runs'),
        (grid(0, NO_MEMORY), None, "B1", 'at epoch 4: 2.00 GiB was refused'),
        (grid(2, KILLED), None, "A2", 'at epoch 4; who sent the signal was not captured; it was in "python fit'),
        (grid(2, KILLED), 0, "A2", "all 3 other runs"),
        (grid(None, ""), None, "G1", "10 epochs were done"),
        (grid(1, BROKEN) + "+ python fit.py --depth 1\n" + epochs(10) + DONE, None, None, ""),  # tried again
        ("+ python fit.py --depth 0\n" + epochs(4) + BROKEN, 1, "A1", "at epoch 4: KeyError: 'width'."),
    ],
)  # fmt: skip
def test_a_grid_in_a_shells_loop(tmp_path: Path, text: str, status: int | None, family: str | None, told: str) -> None:
    (tmp_path / "grid.log").write_text(text)
    found = verdict(tmp_path, status)
    assert found.family == family
    assert told in found.headline


@pytest.mark.parametrize(
    ("names", "bad", "others", "family", "told"),
    [
        (["a1", "a2", "a3"], BROKEN, DONE, "A1", "; it was in a2.log, and all 2 other runs came to their planned end."),
        (
            ["slurm-1", "slurm-2"],
            LIMIT,
            DONE,
            "F3",
            "at epoch 4 of 10, with progress at the end unknown; it was in slur",
        ),
        (["rank_0", "rank_1", "rank_2"], BROKEN, DONE, "A1", "KeyError: 'width'."),
    ],
)
def test_logs_beside_each_other(
    tmp_path: Path, names: list[str], bad: str, others: str, family: str, told: str
) -> None:
    for at, name in enumerate(names):
        text = epochs(4) + bad if at == 1 else epochs(10, 2.3 + at / 9) + others
        (tmp_path / f"{name}.log").write_text(text)
    found = verdict(tmp_path)
    assert found.family == family
    assert told in found.headline


@pytest.mark.parametrize(
    ("late", "told"),
    [
        ("", "before the first step of part 2/2: KeyError"),
        (epochs(3), "at epoch 3: KeyError"),
    ],
)
def test_a_part_that_had_not_begun_to_report(tmp_path: Path, late: str, told: str) -> None:
    (tmp_path / "job.log").write_text(f"== part 1/2: teacher ==\n{epochs(10)}== part 2/2: pupil ==\n{late}{BROKEN}")
    assert told in verdict(tmp_path, 1).headline


SAVED: Final = "Training complete.\nSaved final model to out/final.pt\n"
ABORTED: Final = "free(): invalid pointer\nAborted (core dumped)\n"
AT_EXIT: Final = "ended by SIGABRT at its exit, when training had come to its planned end"


@pytest.mark.parametrize(
    ("text", "told", "severity"),
    [
        (epochs(10) + SAVED + ABORTED, f"{AT_EXIT} and out/final.pt was saved;", "low"),
        (epochs(10) + "Training complete.\n" + ABORTED, f"{AT_EXIT};", "high"),
        (epochs(4) + ABORTED, "ended by SIGABRT at epoch 4;", "high"),
        (epochs(10) + "Training complete.\nSaving final model to out/final.pt ...\n" + ABORTED, "at epoch 10;", "high"),
    ],
)
def test_a_native_crash_when_all_was_done(tmp_path: Path, text: str, told: str, severity: str) -> None:
    (tmp_path / "job.log").write_text(text)
    found = verdict(tmp_path)
    assert (found.family, found.severity) == ("A2", severity)
    assert told in found.headline
