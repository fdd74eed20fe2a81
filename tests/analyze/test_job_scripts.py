"""A chain that only batch scripts tell of: who waits for whom, and that the program was to go on."""

from pathlib import Path

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._job_scripts import Script
from inquest.analyze.model import Verdict
from inquest.bundle.logs_import import import_logs

SCRIPT = """#!/bin/bash
#SBATCH --job-name=reef
#SBATCH --time=02:30:00
#SBATCH --dependency={waits}
#SBATCH --output=reef04-%j.log
srun python train.py --out $RUN {option}
"""


def log(first: int, begin: float, end: float, hour: int) -> str:
    losses = [begin + (end - begin) * at / 39 for at in range(40)]
    lines = [
        f"2026-02-04 {hour:02}:{10 + at}:00 INFO step {first + 25 * at}/120000 | loss {loss:.4f}"
        for at, loss in enumerate(losses)
    ]
    return "\n".join(
        [*lines, f"2026-02-04 {hour:02}:55:00 INFO window over, saved points/step.pt", "until next time\n"]
    )


def judged(
    place: Path, *, second: str, waits: str = "afterany:60318", option: str = "--retomar last", first: str | None = None
) -> Verdict:
    (place / "reef03-60318.log").write_text(first or log(7500, 2.64, 2.54, 8))
    (place / "reef04-60344.log").write_text(second)
    (place / "job.sbatch").write_text(SCRIPT.format(waits=waits, option=option))
    return analyze(import_logs([place]))[0]


ANEW = log(25, 9.8, 2.8, 11)


def test_a_job_that_was_to_go_on_and_began_anew(tmp_path: Path) -> None:
    verdict = judged(tmp_path, second=ANEW)
    assert (verdict.family, verdict.sub_mode) == ("E2", "silent_restart"), verdict.headline
    assert "as the one before it had begun" not in verdict.headline, "it had gone on itself"
    assert "2.54 where the one before it had ended" in verdict.headline


def test_one_whose_number_the_shell_knew(tmp_path: Path) -> None:
    assert judged(tmp_path, second=ANEW, waits="afterany:$FIRST", option="--resume auto").family == "E2"


@pytest.mark.parametrize(
    ("waits", "option", "second"),
    [
        ("afterany:60318", "", ANEW),
        ("afterany:60318", "--resume none", ANEW),
        ("afterany:59999", "--resume auto", ANEW),
        ("afterany:60318", "--resume auto", log(11225, 2.54, 2.47, 11)),
        ("afterany:60318", "--resume auto", log(25, 9.8, 2.8, 7)),
    ],
    ids=["not to resume", "told not to", "waits for another job", "went on", "ran before"],
)
def test_near_misses(tmp_path: Path, waits: str, option: str, second: str) -> None:
    assert judged(tmp_path, second=second, waits=waits, option=option).family != "E2"


@pytest.mark.parametrize(
    ("path", "name", "fits"),
    [
        ("logs/%x-%j.out", "reef-88.out", True),
        ("logs/%x-%j.out", "kelp-88.out", False),
        ("slurm-%4A_%a.out", "slurm-0088_3.out", True),
        ("out.$PBS_JOBID", "out.771", True),
        ("a[1]-%j", "a1-7", False),
        (None, "kelp.log", False),
        ("%j7" * 400 + "x", "7" * 250, False),
    ],
)
def test_which_log_is_that_of_a_script(path: str | None, name: str, fits: bool) -> None:
    assert Script("reef", path, None, "").prints_to(name) is fits
