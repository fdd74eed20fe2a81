"""Jobs that are links of one training: how the last one ended counts, and whether it went on from the one before it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._job_logs import job_number
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
    assert job_number(("n1", source)) == number


SET: Final = "2026-09-20 {at} run=/proj/asr/run42 epochs=100 batch=512 resume=auto\n"
ACCOUNTED: Final = """JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|NNodes|NodeList
4101|asr|h100|TIMEOUT|0:0|2026-09-20T04:42:40|2026-09-20T06:42:44|02:00:04|02:00:00|1|n1
4102|asr|h100|{state}|0:0|2026-09-20T06:45:00|{end}|00:40:00|02:00:00|1|n1
"""


def set_to_resume(folder: Path, second: str, other: str = SET, state: str = "RUNNING", end: str = "Unknown") -> Verdict:
    """Two jobs of one script, of which accounting knows as well; neither says a word of a load."""
    (folder / "sacct.txt").write_text(ACCOUNTED.format(state=state, end=end))
    (folder / "slurm-4101.out").write_text(
        SET.format(at="04:42:50") + reports(1, 100) + CUT.format(job=4101, at="06:42:44")
    )
    (folder / "slurm-4102.out").write_text(other.format(at="06:45:12") + second)
    return analyze(import_logs([folder]), strict=True)[0]


def test_a_follow_up_that_was_set_to_resume_and_began_anew(tmp_path: Path) -> None:
    """It still runs: the limit of the job before it is not what it is about."""
    assert set_to_resume(tmp_path, reports(1, 60)).family == "E2"


def test_another_run_of_the_same_script_rightly_begins_at_its_beginning(tmp_path: Path) -> None:
    other = SET.replace("run42", "run43")
    assert set_to_resume(tmp_path, reports(1, 60), other).family != "E2"


def counted_on(folder: Path, begins: float, plan: int = 4000) -> Verdict:
    """A job that leaves by itself for the next one, which counts on, with a loss that begins at ``begins``."""
    (folder / "slurm-4101.out").write_text(f"{reports(1, 100)}time is used up, leaving for the next job\n")
    later = "".join(
        f"step {10 * n}/{plan} loss {0.5 + (begins - 0.5) * math.exp(-(n - 101) / 30):.4f}\n" for n in range(101, 160)
    )
    (folder / "slurm-4102.out").write_text(f"dependency: afterany:4101\n{later}")
    return analyze(import_logs([folder]), strict=True)[0]


@pytest.mark.parametrize(("begins", "anew"), [(5.0, True), (0.7, False), (2.2, False)])
def test_a_link_that_counts_on_with_the_loss_of_a_new_net(tmp_path: Path, begins: float, *, anew: bool) -> None:
    assert (counted_on(tmp_path, begins).family == "E2") is anew


def test_a_second_stage_that_counts_on_plans_for_itself(tmp_path: Path) -> None:
    assert counted_on(tmp_path, 5.0, plan=6000).family != "E2"
