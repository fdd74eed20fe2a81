"""Jobs that are links of one training: how the last one ended counts, and whether it went on from the one before it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._chain import _number
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

CUT = "slurmstepd: error: *** JOB {job} ON n1 CANCELLED AT 2026-09-20T{at} DUE TO TIME LIMIT ***\n"
DONE = "training finished\nsaved model to out/final.pt\n"
WAITS = "# sbatch --dependency=afterany:4101\n+ srun python train.py --resume out/last\n"


def reports(first: int, last: int, begun_at: int = 0, plan: int = 400) -> str:
    """Reports ``first`` to ``last`` of a loss that falls from where training began anew, at ``begun_at``."""
    return "".join(
        f"step {10 * n}/{10 * plan} loss {0.5 + 4.5 * math.exp(-(n - begun_at) / 30):.4f}\n"
        for n in range(first, last + 1)
    )


def chain(folder: Path, head: str, second: str, begun: str = "") -> Verdict:
    (folder / "slurm-4101.out").write_text(
        f"{begun}{reports(1, 100)}checkpoint written to out/last\n" + CUT.format(job=4101, at="06:42:44")
    )
    (folder / "slurm-4102.out").write_text(head + second)
    return analyze(import_logs([folder]), strict=True)[0]


def test_a_link_that_began_anew(tmp_path: Path) -> None:
    verdict = chain(tmp_path, WAITS, reports(1, 60))
    assert (verdict.family, verdict.sub_mode) == ("E2", "silent_restart")
    assert "slurm-4102.out" in verdict.headline


def test_the_script_that_hands_itself_on(tmp_path: Path) -> None:
    begun = "+ sbatch --dependency=afterany:4101 chain.sbatch\nSubmitted batch job 4102\n"
    assert chain(tmp_path, "", reports(1, 60), begun).family == "E2"


@pytest.mark.parametrize(
    ("second", "family"),
    [
        (reports(101, 400) + DONE, "G1"),  # what the first link's limit cut off was done by the second
        (reports(101, 150) + CUT.format(job=4102, at="08:42:44"), "F3"),
        (
            reports(101, 150) + "Traceback (most recent call last):\n  File \"t.py\", line 3, in f\nKeyError: 'x'\n",
            "A1",
        ),
    ],
    ids=["done", "cut as well", "crashed"],
)
def test_a_link_that_went_on(tmp_path: Path, second: str, family: str) -> None:
    verdict = chain(tmp_path, WAITS, second)
    assert verdict.family == family
    if family == "F3":
        assert "step 1500" in verdict.headline


def test_a_second_job_that_is_no_link(tmp_path: Path) -> None:
    """Nothing says that it was to go on: it may be another training."""
    verdict = chain(tmp_path, "+ srun python train.py --seed 2\n", reports(1, 60))
    assert verdict.family != "E2"


def test_a_second_stage_with_another_loss(tmp_path: Path) -> None:
    """It waits for the first, and begins neither where that one began nor where it ended."""
    stage = "".join(f"step {10 * n}/600 loss {40 + 20 * math.exp(-n / 20):.4f}\n" for n in range(1, 61))
    assert chain(tmp_path, "# sbatch --dependency=afterok:4101\n", stage + DONE).family != "E2"


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ("runs7/slurm-4101.out", 4101),
        ("slurm-4101_3.out", None),  # a part of an array
        ("rank-3.log", None),
        ("9" * 5000 + ".out", None),  # a stranger's name, of more digits than an integer is read of
    ],
)
def test_the_number_in_a_log_s_name(source: str, number: int | None) -> None:
    assert _number(("n1", source)) == number
