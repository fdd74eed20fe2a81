"""Outputs of notebooks, failures kept as JSON, and logs pasted into texts for people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.imports.core import import_paths

if TYPE_CHECKING:
    from pathlib import Path

TRACEBACK = """Traceback (most recent call last):
  File "/home/u/train.py", line 31, in main
    tok(row)
KeyError: 'text'
"""
LOG = "".join(f"step {n}/40 | loss {4 - n / 20:.3f}\n" for n in range(1, 41))
TABLE = "<table><tr><th>Step</th><th>Training Loss</th></tr><tr><td>500</td><td>2.31</td></tr></table>"


def notebook() -> str:
    """Two cells, of which the lower was run first, and one that raised."""
    outputs = [
        [{"output_type": "stream", "name": "stdout", "text": ["step 2\n", "step 3\n"]}],
        [
            {
                "output_type": "display_data",
                "data": {"text/html": [TABLE], "text/plain": ["<IPython.core.display.HTML>"]},
            }
        ],
        [
            {
                "output_type": "error",
                "ename": "KeyError",
                "evalue": "'text'",
                "traceback": ["KeyError   Traceback", "x\ny"],
            }
        ],
        [{"output_type": "stream", "name": "stdout", "text": "step 1\n"}],
    ]
    cells = [
        {"cell_type": "code", "execution_count": count, "outputs": each, "source": ["print('secret of the code')"]}
        for count, each in zip((2, 3, 4, 1), outputs, strict=True)
    ]
    return json.dumps({"cells": [{"cell_type": "markdown", "source": []}, *cells], "nbformat": 4, "nbformat_minor": 5})


def told(folder: Path) -> dict[str, str | None]:
    """What each file of a folder was read as."""
    return {file.name: file.kind for file in import_paths([str(folder)]).report.files}


def texts(path: Path) -> list[str]:
    """The lines that importing ``path`` gives."""
    frame = import_paths([str(path)]).rows.collect("log_lines", "import")
    return [] if frame is None else frame["text"].to_list()


def test_what_cells_of_a_notebook_printed_is_a_log_in_the_order_of_their_runs(tmp_path: Path):
    (tmp_path / "tune.ipynb").write_text(notebook())
    assert texts(tmp_path) == [
        *("step 1", "step 2", "step 3", "| Step | Training Loss |", "| 500 | 2.31 |"),
        *("KeyError   Traceback", "x", "y"),
    ]


@pytest.mark.parametrize(
    "document",
    [
        {"message": {"message": "KeyError: 'text'", "extraInfo": {"py_callstack": TRACEBACK, "timestamp": "1"}}},
        {"status": "FAILED", "fail_trace": TRACEBACK.splitlines(keepends=True), "why": TRACEBACK[:60]},
        {"TrainingJobStatus": "Failed", "FailureReason": TRACEBACK.rstrip()},
    ],
)
def test_a_failure_kept_as_json_gives_the_lines_of_its_traceback(tmp_path: Path, document: dict[str, object]):
    (tmp_path / "error.json").write_text(json.dumps(document, indent=1))
    assert texts(tmp_path) == TRACEBACK.splitlines()


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (
            {"TrainingJobStatus": "Stopped", "SecondaryStatus": "MaxRuntimeExceeded"},
            "SecondaryStatus: MaxRuntimeExceeded",
        ),
        (
            {"jobs": [{"status": "FAILED", "statusReason": "Host EC2 (instance i-0a) terminated."}]},
            "statusReason: Host EC2 (instance i-0a) terminated.",
        ),
        ({"state": "JOB_STATE_FAILED", "error": {"code": 8, "message": "ran out-of-memory"}}, "ran out-of-memory"),
    ],
)
def test_a_cloud_s_words_on_the_end_of_a_job_are_lines(tmp_path: Path, document: dict[str, object], words: str):
    (tmp_path / "describe.json").write_text(json.dumps(document, indent=1))
    assert texts(tmp_path) == [words]


def test_a_data_set_that_quotes_tracebacks_is_none(tmp_path: Path):
    (tmp_path / "swe.json").write_text(json.dumps({"rows": [{"trace": TRACEBACK, "id": n} for n in range(9)]}))
    (tmp_path / "codes.json").write_text(json.dumps({"codes": {"E1": TRACEBACK}}))
    (tmp_path / "train.log").write_text(LOG)
    assert told(tmp_path) == {"codes.json": None, "swe.json": None, "train.log": "log"}


def test_a_text_for_people_is_read_where_nothing_else_is_a_log(tmp_path: Path):
    (tmp_path / "issue.md").write_text(f"It stops.\n\n```\n{LOG}{TRACEBACK}```\n")
    (tmp_path / "README.md").write_text(f"Prints\n\n```\n{LOG}```\n")
    assert told(tmp_path) == {"README.md": None, "issue.md": "log"}
    (tmp_path / "tune.ipynb").write_text(notebook())
    assert told(tmp_path / "issue.md") == {"issue.md": "log"}
    rows = "".join(f"2026-05-04 10:00:{n},ERROR step {n}\n" for n in range(10, 30))
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(f"time,message\n{rows}")
    tables = {"README.md": None, "a.csv": "log_records", "b.csv": "log_records", "issue.md": None, "tune.ipynb": None}
    assert told(tmp_path) == tables
    (tmp_path / "train.log").write_text(LOG)
    assert told(tmp_path) == dict.fromkeys(tables) | {"train.log": "log"}
    (tmp_path / "a.csv").unlink()
    (tmp_path / "b.csv").unlink()
    assert told(tmp_path) == {"README.md": None, "issue.md": None, "tune.ipynb": None, "train.log": "log"}
    assert len(texts(tmp_path / "issue.md")) > len(LOG.splitlines())


def test_what_befell_the_container_of_an_attempt_is_told(tmp_path: Path):
    attempt = {
        "container": {"exitCode": 137, "reason": "OutOfMemoryError: Container killed due to memory usage"},
        "statusReason": "Essential container in task exited",
    }
    (tmp_path / "job.json").write_text(json.dumps({"jobs": [{"jobName": "fit", "attempts": [attempt]}]}))
    assert texts(tmp_path) == [
        "aws-batch: attempt 1 of fit ended: Essential container in task exited;"
        " OutOfMemoryError: Container killed due to memory usage, exit code 137"
    ]
