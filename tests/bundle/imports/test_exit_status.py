"""Files that tell how a job ended, and files that only look like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports import gates
from inquest.bundle.imports.exit_status import KIND
from inquest.bundle.imports.source import Source
from inquest.bundle.logs_import import import_logs
from tests.bundle.imports.kit import rows_of

if TYPE_CHECKING:
    from pathlib import Path

TOLD = [
    ("rc", "137\n", 137, None),
    ("train.exitcode", "0", 0, None),
    ("exit_code.txt", "rc: 2", 2, None),
    ("exit-status-3", "exited with code 134\n", 134, None),
    ("returncode", "-11", None, 11),
    ("job.exit", "killed by signal SIGBUS\n", None, 7),
    ("status", "143\n", 143, None),
    ("status", "# written by the epilog\nrc=1\nhost=n07\n", 1, None),
    ("outcome.json", '{"rc": 9, "seconds": 88.1}', 9, None),
    ("end.yaml", "---\nwho: trainer\nexit_code: 77\n", 77, None),
    ("finished.json", '{"run": "x", "exitCode": "139"}', 139, None),
    ("run-3.json", '{"returncode": null, "term_signal": "SIGKILL"}', None, 9),
    ("nested.json", '{"name": "a", "result": {"exit_status": 4}}', 4, None),
]
"""Name, content, exit code and signal."""

SILENT = [
    ("status", "1\n"),  # it may count anything
    ("status.json", '{"status": 200, "body": "ok"}'),
    ("retry_policy.json", '{"exit_code": 137, "retries": 3}'),
    ("train_config.yaml", "exit_code: 0\nlr: 1e-4\n"),
    ("job.log", "exit_code: 1\n"),
    ("rc", "loading\n137\n"),
    ("rc", "70000"),
    ("notes.txt", "exited with code 137\n"),
    ("signal.json", '{"signal": 15, "grace": 60}'),
    ("rc.json", '[{"rc": 1}, {"rc": ' + "[" * 3000),
    ("metrics.json", '{"step": 10, "loss": 2.5, "value": 7}'),
    ("rc", ""),
]


@pytest.mark.parametrize(("name", "text", "code", "number"), TOLD, ids=lambda value: str(value)[:24])
def test_a_file_that_is_a_statement_on_the_end_is_read_as_one(
    tmp_path: Path, name: str, text: str, code: int | None, number: int | None
) -> None:
    path = tmp_path / name
    path.write_text(text)
    (row,) = rows_of(KIND, path)["processes"]
    assert (row["event"], row["role"], row["exit_code"], row["term_signal"]) == ("exit", "task", code, number)
    assert "exit_status" in gates.open_for(Source(name, path), ["exit_status"])


@pytest.mark.parametrize(("name", "text"), SILENT)
def test_a_number_that_may_be_anything_is_no_status(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert not KIND.fits(Source(name, path))


def test_each_process_of_a_list_keeps_its_rank(tmp_path: Path) -> None:
    path = tmp_path / "ends.json"
    path.write_text('{"ranks": [{"rank": 0, "exit_code": 0}, {"rank": 1, "exit_code": -6}]}')
    rows = rows_of(KIND, path)["processes"]
    assert [(row["rank"], row["exit_code"], row["term_signal"]) for row in rows] == [(0, 0, None), (1, None, 6)]


@pytest.mark.parametrize(("status", "family"), [("139", "A2"), ("0", "G1")])
def test_the_verdict_rests_on_what_the_file_says(tmp_path: Path, status: str, family: str) -> None:
    """The same log of a run that reached its last step, with two files beside it."""
    steps = "".join(f"update {k}/240 loss {3.1 / (1 + k / 40):.4f}\n" for k in range(12, 241, 12))
    (tmp_path / "fit.log").write_text(steps)
    (tmp_path / "fit.rc").write_text(status)
    store = import_logs([tmp_path])
    verdict, _ = analyze(store)
    assert verdict.family == family
    assert any(file.kind == "exit_status" and file.rows == {"processes": 1} for file in store.report.files)
