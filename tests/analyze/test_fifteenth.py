"""What the fifteenth set's second round showed, in words of our own, each beside its near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def said(folder: Path, text: str, exit_code: int | None = None) -> Verdict:
    (folder / "job.log").write_text(text)
    return analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]


STEPS = "".join(f"step {10 * n}/900 loss {3 * 0.97**n:.4f}\n" for n in range(1, 41))


@pytest.mark.parametrize(
    ("word", "family"),
    [
        ("job eels: exit status 137", "A2"),
        ("2026-11-23 19:46:18 exit status 139", "A2"),
        ("ended 2026-11-23 19:20:40 with status 143", None),  # by somebody's TERM
        ("19:16:09 job over, status 124", None),  # timeout(1), and whether it still advanced is not known
        ("the exit status 137 of a helper means that it was killed", None),
        ("batch 5: code 137 of the codebook", None),
        ("(rc=137)", None),  # of one command in a transcript
    ],
)
def test_the_last_word_of_the_user_s_own_script(tmp_path: Path, word: str, family: str | None) -> None:
    assert said(tmp_path, f"{STEPS}{word}\n").family == family


def rounds(outer: str) -> str:
    inner = "[20]\tvalid's rmse: 0.68\n[40]\tvalid's rmse: 0.37\n"
    return "".join(inner + outer.format(n=n) for n in range(1, 20))


@pytest.mark.parametrize(
    ("outer", "attempts"),
    [
        ("bootstrap {n}/400 rmse 0.3685\n", 1),  # one process, whose rounds go on
        ("bootstrap rmse 0.3685\n", 19),  # nothing tells that they do
    ],
)
def test_rounds_around_a_loop_are_no_restarts(tmp_path: Path, outer: str, attempts: int) -> None:
    (tmp_path / "job.log").write_text(rounds(outer))
    facts = parse_logs(import_logs([tmp_path]))
    assert facts["fact_attempts"].height == attempts


def test_a_chain_whose_lines_bear_a_rank(tmp_path: Path) -> None:
    cut = "slurmstepd: error: *** JOB 976 ON n1 CANCELLED AT 2026-09-18T09:16:41 DUE TO TIME LIMIT ***\n"
    ranked = "".join(f"[rank0]:{line}\n" for line in STEPS.splitlines())
    (tmp_path / "slurm-976.out").write_text(ranked + cut)
    (tmp_path / "slurm-977.out").write_text("# sbatch --dependency=afterany:976\n" + ranked)
    assert analyze(import_logs([tmp_path]), strict=True)[0].family == "E2"
