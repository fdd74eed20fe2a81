"""Accounting of several jobs beside a log that bears no job's number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import ImportedStore

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.bundle.imports.reports import Imported

HEAD = "JobID|JobName|State|ExitCode|Start|End|Timelimit|NodeList\n"
TIMED_OUT = "100|train|TIMEOUT|0:0|2026-11-18T08:00:00|2026-11-19T08:00:00|1-00:00:00|gpu17\n"
FAILED = "101|train|FAILED|1:0|2026-11-20T08:00:00|2026-11-20T08:30:00|1-00:00:00|gpu17\n"
NODE_FAIL = "102|train|NODE_FAIL|0:0|2026-11-21T08:00:00|2026-11-21T09:00:00|1-00:00:00|gpu17\n"
CRASH = "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\nKeyError: 'a'\n"


def imported(folder: Path, accounts: str, *, clocks: bool = True, day: int = 20, name: str = "train.log") -> Imported:
    """Thirty steps from eight o'clock on, and a crash."""
    stamps = [f"2026-11-{day} 08:{k // 2:02d}:{k % 2 * 30:02d},120 INFO " if clocks else "" for k in range(1, 31)]
    steps = "".join(f"{stamp}step {k * 10}/9000 loss {3 / (1 + k / 9):.4f}\n" for k, stamp in enumerate(stamps, 1))
    (folder / name).write_text(steps + CRASH)
    (folder / "acct.txt").write_text(HEAD + accounts)
    return import_paths([folder])


def jobs(found: Imported) -> set[str]:
    """Jobs of which accounting is left."""
    return {job for frame in found.rows.frames("slurm_jobs", "job_id") for job in frame["job_id"]}


def test_the_job_in_whose_time_the_lines_were_written(tmp_path: Path) -> None:
    found = imported(tmp_path, TIMED_OUT + FAILED + NODE_FAIL)
    assert (found.report.job_id, jobs(found)) == ("101", {"101"})
    verdict, _ = analyze(ImportedStore(found), strict=True)
    assert verdict.family == "A1"


@pytest.mark.parametrize(("clocks", "day"), [(False, 20), (True, 25)])
def test_whose_the_lines_are_nobody_says(tmp_path: Path, clocks: bool, day: int) -> None:
    found = imported(tmp_path, TIMED_OUT + FAILED + NODE_FAIL, clocks=clocks, day=day)
    assert (found.report.job_id, jobs(found)) == (None, set())
    assert any("accounting of 100, 101, 102 is left out" in note for note in found.report.notes)
    verdict, _ = analyze(ImportedStore(found), strict=True)
    assert verdict.family == "A1"


def test_tries_of_one_run_stay(tmp_path: Path) -> None:
    first = FAILED.replace("08:30:00", "08:05:00")
    second = FAILED.replace("101|", "103|").replace("T08:00:00|", "T08:06:00|")
    found = imported(tmp_path, TIMED_OUT + first + second)
    assert jobs(found) == {"101", "103"}


@pytest.mark.parametrize(
    ("accounts", "name"),
    [
        (FAILED, "train.log"),  # one job
        (FAILED.replace("101|", "101_1|") + FAILED.replace("101|", "101_2|"), "train.log"),  # one array
        (TIMED_OUT + FAILED, "slurm-101.out"),  # the log bears the job's number
    ],
)
def test_no_doubt(tmp_path: Path, accounts: str, name: str) -> None:
    found = imported(tmp_path, accounts, clocks=False, name=name)
    assert jobs(found) >= {row.partition("|")[0] for row in accounts.splitlines() if row.startswith("101")}


def test_accounting_without_a_log_is_all_there_is(tmp_path: Path) -> None:
    (tmp_path / "acct.txt").write_text(HEAD + TIMED_OUT + FAILED)
    assert jobs(import_paths([tmp_path])) == {"100", "101"}


def test_the_schedulers_word_in_doubt_is_no_second_witness(tmp_path: Path) -> None:
    """Two tries of which one timed out: nobody says which one the log is of."""
    first = TIMED_OUT.replace("2026-11-18T08:00:00|2026-11-19T08:00:00", "2026-11-20T08:00:00|2026-11-20T08:05:00")
    found = imported(tmp_path, first + FAILED.replace("T08:00:00|", "T08:06:00|"))
    assert jobs(found) == {"100", "101"}
    verdict, evidence = analyze(ImportedStore(found), strict=True)
    assert evidence.jobs_in_doubt()
    assert verdict.confidence <= 0.8


BESIDE = "103|eval|TIMEOUT|0:0|2026-11-20T08:10:00|2026-11-20T09:00:00|1-00:00:00|gpu99\n"


@pytest.mark.parametrize(
    ("accounts", "left"),
    [
        (FAILED + BESIDE, set()),
        (FAILED + BESIDE.replace("eval", "train"), set()),  # at one time: no tries of one run
        (FAILED + NODE_FAIL, {"101", "102"}),  # they may be
        (FAILED, {"101"}),
    ],
)
def test_where_there_is_no_log_nobody_says_which_job_is_meant(tmp_path: Path, accounts: str, left: set[str]) -> None:
    (tmp_path / "acct.txt").write_text(HEAD + accounts)
    found = import_paths([tmp_path])
    assert jobs(found) == left
    assert any("which of 2 jobs is meant" in note for note in found.report.notes) is not bool(left)
