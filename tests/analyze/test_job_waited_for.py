"""A folder that holds the log of the job before: ``inquest explain`` holds the run against it by itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs, job_waited_for

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

HEAD = "JobID|JobName|User|Submit|Start|End|Elapsed|Timelimit|State|ExitCode|NNodes|NodeList|Reason|Restarts\n"


def _row(job: int, hour: int, state: str, reason: str) -> str:
    times = f"2026-09-21T{hour:02}:00:00|2026-09-21T{hour:02}:00:00|2026-09-21T{hour:02}:50:00"
    return f"{job}|train|ana|{times}|00:50:00|01:00:00|{state}|0:0|1|n1|{reason}|0\n"


def _log(hour: int, begin: float, end: str) -> str:
    return (
        "".join(
            f"2026-09-21 {hour:02}:{n:02}:00 step {10 * n}/6000 loss {begin * math.exp(-n / 20) + 0.9:.4f}\n"
            for n in range(1, 45)
        )
        + end
    )


def _judged(folder: Path, *, reason: str, begin: float, beside: bool = True) -> Verdict:
    folder.mkdir()
    (folder / "sacct-before.txt").write_text(HEAD + _row(81, 10, "TIMEOUT", "None"))
    (folder / "sacct.txt").write_text(HEAD + _row(82, 12, "COMPLETED", reason))
    (folder / "meta.json").write_text('{"job_id": "82"}')
    if beside:
        (folder / "slurm-81.out").write_text(_log(10, 9.0, "saving checkpoint at iteration 440 to /ckpt/run\n"))
    (folder / "slurm-82.out").write_text(_log(12, begin, "training complete\n"))
    store = import_logs([folder])
    return analyze(store, parent=job_waited_for(store, [folder]), strict=True)[0]


def test_a_run_that_began_where_its_predecessor_had_begun(tmp_path: Path) -> None:
    anew = _judged(tmp_path / "a", reason="Dependency", begin=9.0)
    assert (anew.family, anew.sub_mode) == ("E2", "silent_restart")
    assert anew.parent is not None
    assert _judged(tmp_path / "b", reason="Dependency", begin=0.6).family != "E2"


def test_who_waited_for_nobody_has_no_predecessor(tmp_path: Path) -> None:
    assert _judged(tmp_path / "a", reason="None", begin=9.0).parent is None
    assert _judged(tmp_path / "b", reason="Dependency", begin=9.0, beside=False).parent is None
