"""Folders that hold several runs, of which one is meant."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import ImportedStore

if TYPE_CHECKING:
    from pathlib import Path

FAILS = "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    main()\nKeyError: 'vocab'\n"


def log(path: Path, begin: str, *, minutes: int = 10, fails: bool = False, clocks: bool = True) -> None:
    """Forty steps in so many minutes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for k in range(1, 41):
        at = datetime.fromisoformat(begin) + timedelta(seconds=k * minutes * 1.5)
        stamp = f"{at:%Y-%m-%d %H:%M:%S},120 INFO " if clocks else ""
        lines.append(f"{stamp}step {k * 10}/400 loss {3 / (1 + k / 9):.4f}")
    lines = lines[:12] if fails else [*lines, lines[-1].partition("step")[0] + "training finished"]
    path.write_text("\n".join(lines) + "\n" + (FAILS if fails else ""))


def read(folder: Path, **options: str) -> set[str]:
    """Names of the files that were read as logs."""
    return {file.name for file in import_paths([folder], **options).report.files if file.kind == "log"}  # type: ignore[arg-type]


RUNS = [
    ("outputs/2026-11-18/10-12-33/train.log", "outputs/2026-11-20/08-00-00/train.log"),
    ("wandb/offline-run-20261118_101233-ab/files/output.log", "wandb/run-20261120_080000-cd/files/output.log"),
    ("exp/gpt_2026-11-18_10-12-33/a.log", "exp/gpt_2026-11-20_08-00-00/a.log"),
    ("slurm-200.out", "slurm-201.out"),
]


@pytest.mark.parametrize(("older", "newer"), RUNS[:3], ids=lambda name: name.partition("/")[0])
def test_of_runs_one_after_the_other_the_latest_is_read(tmp_path: Path, older: str, newer: str) -> None:
    log(tmp_path / older, "2026-11-18 10:12:33", fails=True)
    log(tmp_path / newer, "2026-11-20 08:00:00")
    imported = import_paths([tmp_path])
    files = {file.name: file for file in imported.report.files}
    assert files[newer].kind == "log"
    assert "name it to have it read" in (files[older].reason or "")
    assert any("2 runs lie beside each other" in note for note in imported.report.notes)
    verdict, _ = analyze(ImportedStore(imported), strict=True)
    name = newer.rpartition("/")[0].removesuffix("/files")
    assert verdict.family == "G1"
    assert f"captured of {name}: " in verdict.headline
    assert any(f"This is about {name}:" in warning for warning in verdict.warnings)
    # The user named it, or its folder.
    assert {file.kind for file in import_paths([tmp_path / older, tmp_path / newer]).report.files} == {"log"}
    assert analyze(ImportedStore(import_paths([tmp_path / older])), strict=True)[0].family == "A1"


def test_of_jobs_the_latest_is_read_where_it_failed(tmp_path: Path) -> None:
    log(tmp_path / "slurm-200.out", "2026-11-18 10:12:33", fails=True)
    log(tmp_path / "slurm-201.out", "2026-11-20 08:00:00", fails=True)
    imported = import_paths([tmp_path])
    assert imported.report.job_id == "201"
    verdict, _ = analyze(ImportedStore(imported), strict=True)
    assert verdict.family == "A1"
    assert any("This is about job 201:" in warning for warning in verdict.warnings)


def test_of_jobs_of_which_an_older_failed_all_are_read(tmp_path: Path) -> None:
    log(tmp_path / "slurm-200.out", "2026-11-18 10:12:33", fails=True)
    log(tmp_path / "slurm-201.out", "2026-11-20 08:00:00")
    imported = import_paths([tmp_path])
    assert all(file.kind == "log" for file in imported.report.files)
    verdict, _ = analyze(ImportedStore(imported), strict=True)
    assert verdict.family == "A1"
    assert "slurm-200.out" in verdict.headline


@pytest.mark.parametrize(("older", "newer"), RUNS, ids=lambda name: name.partition("/")[0])
def test_runs_at_one_time_may_be_parts_of_one_job(tmp_path: Path, older: str, newer: str) -> None:
    log(tmp_path / older, "2026-11-18 10:12:33", minutes=60 * 60)
    log(tmp_path / newer, "2026-11-20 08:00:00")
    assert read(tmp_path) == {older, newer}


@pytest.mark.parametrize(("older", "newer"), RUNS, ids=lambda name: name.partition("/")[0])
def test_logs_without_clocks_tell_no_order(tmp_path: Path, older: str, newer: str) -> None:
    log(tmp_path / older, "2026-11-18 10:12:33", clocks=False)
    log(tmp_path / newer, "2026-11-20 08:00:00", clocks=False)
    assert read(tmp_path) == {older, newer}


def test_accounting_tells_which_run_is_meant(tmp_path: Path) -> None:
    older, newer = RUNS[0]
    log(tmp_path / older, "2026-11-18 10:12:33", fails=True)
    log(tmp_path / newer, "2026-11-20 08:00:00")
    row = "41|FAILED|1:0|2026-11-18T10:12:20|2026-11-18T10:16:00|gpu01"
    (tmp_path / "acct.txt").write_text(f"JobID|State|ExitCode|Start|End|NodeList\n{row}\n")
    assert read(tmp_path) == {older}
    (tmp_path / "acct.txt").write_text(
        f"JobID|State|ExitCode|Start|End|NodeList\n{row}\n{row.replace('2026-11-18T10:16', '2026-11-21T10:16')}\n"
    )
    assert read(tmp_path) == {older, newer}


def test_a_log_beside_the_folders_tells_which_run_is_meant(tmp_path: Path) -> None:
    older, newer = RUNS[0]
    log(tmp_path / older, "2026-11-18 10:12:33", fails=True)
    log(tmp_path / newer, "2026-11-20 08:00:00")
    log(tmp_path / "slurm-41.out", "2026-11-18 10:12:20", fails=True)
    assert read(tmp_path) == {older, "slurm-41.out"}


def test_tasks_of_an_array_are_one_job(tmp_path: Path) -> None:
    log(tmp_path / "slurm-200_1.out", "2026-11-18 10:12:33")
    log(tmp_path / "slurm-200_2.out", "2026-11-20 08:00:00")
    assert read(tmp_path) == {"slurm-200_1.out", "slurm-200_2.out"}


@pytest.mark.parametrize(("older", "newer"), RUNS, ids=lambda name: name.partition("/")[0])
@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("", "slurmstepd: error: *** JOB 200 ON gpu04 CANCELLED AT 2026-11-18T10:20:01 DUE TO PREEMPTION ***"),
        ("", "slurmstepd: error: *** JOB 200 ON gpu04 CANCELLED AT 2026-11-18T10:20:01 DUE TO TIME LIMIT ***"),
        ("resuming from ckpt/step_120.pt", ""),
        ("no checkpoint found, training from scratch", ""),
    ],
)
def test_runs_that_go_on_from_each_other_are_one_story(
    tmp_path: Path, older: str, newer: str, first: str, last: str
) -> None:
    log(tmp_path / older, "2026-11-18 10:12:33")
    log(tmp_path / newer, "2026-11-20 08:00:00")
    with (tmp_path / older).open("a") as file:
        file.write(f"{last}\n")
    (tmp_path / newer).write_text(f"{first}\n{(tmp_path / newer).read_text()}")
    assert read(tmp_path) == {older, newer}


def test_a_job_that_was_asked_for_is_read(tmp_path: Path) -> None:
    log(tmp_path / "slurm-200.out", "2026-11-18 10:12:33")
    log(tmp_path / "slurm-201.out", "2026-11-20 08:00:00")
    assert read(tmp_path, job_id="200") == {"slurm-200.out"}


def test_one_run_alone_is_no_choice(tmp_path: Path) -> None:
    log(tmp_path / RUNS[0][1], "2026-11-20 08:00:00")
    verdict, evidence = analyze(ImportedStore(import_paths([tmp_path])), strict=True)
    assert evidence.run_chosen() is None
    assert "captured: " in verdict.headline


def test_one_run_has_a_folder_for_each_of_its_parts(tmp_path: Path) -> None:
    """Parts of a sweep begin in one second; a folder that no log lies in is no run."""
    for part in range(2):
        log(tmp_path / f"multirun/2026-11-20/08-00-00/{part}/main.log", f"2026-11-20 0{8 + part}:00:00")
    (tmp_path / "multirun/2026-11-21/08-00-00").mkdir(parents=True)
    (tmp_path / "multirun/2026-11-21/08-00-00/multirun.yaml").write_text("a: 1\n")
    assert len(read(tmp_path)) == 2
