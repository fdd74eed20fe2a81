"""The node of a log that names none, where the job had only one; and a host by the name that all others call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.imports.core import import_paths
from inquest.bundle.logs_import import ImportedStore, import_logs

if TYPE_CHECKING:
    from pathlib import Path

LOG = "step 10 loss 3.1\nTraceback (most recent call last):\n  File \"train.py\", line 3, in <module>\nKeyError: 'a'\n"
HEAD = "JobID|State|ExitCode|Start|End|NNodes|NodeList\n"
ROW = "41|FAILED|1:0|2026-11-20T08:00:00|2026-11-20T08:10:00|1|gpu17\n"


@pytest.mark.parametrize(
    ("rows", "job", "node"),
    [
        (ROW, None, "gpu17"),
        (ROW + ROW.replace("41|", "41.batch|"), None, "gpu17"),
        (ROW + ROW.replace("41|", "40|").replace("gpu17", "gpu16"), "41", "gpu17"),
        (ROW + ROW.replace("41|", "40|"), None, "unknown"),  # which of the jobs it is of, nobody says
        (ROW.replace("|1|gpu17", "|2|gpu[17-18]"), None, "unknown"),
        (ROW.replace("|1|gpu17", "|2|gpu17"), None, "unknown"),  # a list that was cut
        (ROW.replace("gpu17", "None assigned"), None, "unknown"),
        (ROW + ROW.replace("gpu17", "gpu16").replace("T08", "T09"), None, "unknown"),  # it was requeued
    ],
)
def test_a_log_of_the_only_node(tmp_path: Path, rows: str, job: str | None, node: str) -> None:
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "acct.txt").write_text(HEAD + rows)
    store = ImportedStore(import_paths([tmp_path], job_id=job))
    assert set(store.scan("log_lines").collect()["node"]) == {node}


def test_a_name_in_the_file_goes_before(tmp_path: Path) -> None:
    (tmp_path / "node-18").mkdir()
    (tmp_path / "node-18" / "train.log").write_text(LOG)
    (tmp_path / "acct.txt").write_text(HEAD + ROW)
    assert set(import_logs([tmp_path]).scan("log_lines").collect()["node"]) == {"node-18"}


SUMMARY = """\
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-20_08:09:01
  host      : gpu17.cluster.local
  rank      : 3 (local_rank: 3)
  exitcode  : -9 (pid: 4111)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 4111
============================================================
"""


@pytest.mark.parametrize(("row", "node"), [(ROW, "gpu17"), (ROW.replace("gpu17", "gpu18"), "gpu17.cluster.local")])
def test_a_host_is_called_as_accounting_calls_it(tmp_path: Path, row: str, node: str) -> None:
    (tmp_path / "train.log").write_text("step 10 loss 3.1\n" + SUMMARY)
    (tmp_path / "acct.txt").write_text(HEAD + row)
    verdict, _ = analyze(import_logs([tmp_path]), strict=True)
    assert (verdict.family, verdict.first_failing.rank, verdict.first_failing.node) == ("A2", 3, node)
    assert f" on {node} " in verdict.headline
