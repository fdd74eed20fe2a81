"""A process that the kernel killed in somebody's login session: another's, unless the job's own shell names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

KILLED = (
    "2026-11-20T08:10:00+0000 gpu17 kernel: oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0"
    ",global_oom,task_memcg=/user.slice/user-1001.slice/session-4.scope,task=python,pid=22817,uid=1001\n"
    "2026-11-20T08:10:00+0000 gpu17 kernel: Out of memory: Killed process 22817 (python) total-vm:195000000kB,"
    " anon-rss:186000000kB, file-rss:0kB, shmem-rss:0kB, UID:1001 pgtables:2032kB oom_score_adj:0\n"
)
ACCOUNTS = (
    "JobID|State|ExitCode|Start|End|NNodes|NodeList\n41|FAILED|137:0|2026-11-20T08:00:00|2026-11-20T08:10:02|1|gpu17\n"
)


@pytest.mark.parametrize(("pid", "mode"), [(22817, "host_oom"), (22818, "unknown_sender")])
def test_whose_process_it_was(tmp_path: Path, pid: int, mode: str) -> None:
    steps = "".join(f"2026-11-20 08:0{k // 6}:{k % 6}0,120 INFO step {k} loss {3 - k / 60:.3f}\n" for k in range(1, 59))
    end = f"/var/spool/slurmd/job00041/slurm_script: line 12: {pid} Killed                  python train.py\n"
    (tmp_path / "train.log").write_text(steps + end)
    (tmp_path / "journal-gpu17.txt").write_text(KILLED)
    (tmp_path / "acct.txt").write_text(ACCOUNTS)
    verdict, _ = analyze(import_logs([tmp_path]), strict=True)
    assert (verdict.family, verdict.sub_mode) == ("A2", mode), verdict.headline
    assert ("tells of no out-of-memory kill" in verdict.headline) == (mode == "unknown_sender")
