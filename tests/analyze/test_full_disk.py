"""A disk that ran full, whatever whoever wrote to it made of that."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.bundle.logs_import import import_logs
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore

from ..capture.conftest import helpers, wait_for
from ..capture.recorder_kit import PATIENCE_S, Recording, command
from .proof_kinds import filled_disk

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

    from .builders import Run

# It waits until the disk was seen to have room before it takes any, and to have none before it says so.
SAVES = """
import os, sys, time
class StateError(Exception): pass
def until_seen(what):
    while not os.path.exists(os.path.join(sys.argv[2], what)):
        time.sleep(0.01)
def save(path, size):
    until_seen("room")
    try:
        with open(path, "wb") as file:
            file.write(bytes(size))
    except OSError:
        until_seen("none")
        {fails}
for step in range(1, 31):
    time.sleep(0.02)
    print(f"step {{step}}/30 loss {{3 / step:.4f}}", flush=True)
    if step % 5 == 0:
        save(os.path.join(sys.argv[1], f"state_{{step}}"), 1_000_000)
        {after}
"""
RAISES = 'raise StateError("state could not be stored") from None'
LEAVES = 'print("fatal: state could not be stored"); os._exit(3)'


def named(verdict: Verdict) -> str:
    return verdict.family or f"{verdict.outcome} {verdict.sub_mode}"


def judged(run: Run) -> str:
    return named(judge(run.evidence(), strict=True))


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (filled_disk(), "outside_families disk_full"),
        (filled_disk(exc_type="RuntimeError", message="iteration 40: flush failed"), "outside_families disk_full"),
        # Room all the time; errors with a reason of their own; no room an hour later; a disk that has always been full.
        (filled_disk(free=(4 << 30, 3 << 30)), "A1"),
        (filled_disk(exc_type="KeyError", message="'state'"), "A1"),
        (filled_disk(exc_type="OSError", message="[Errno 13] Permission denied: '/scratch/state'"), "A1"),
        (filled_disk(at_s=3600.0), "A1"),
        (filled_disk(free=(0, 0)), "A1"),
        (filled_disk("could not write /scratch/state_40", free=(0, 0)), "outside_families disk_full"),
        (filled_disk("could not write /scratchy/state_40", free=(0, 0)), "A1"),
        (filled_disk(device="/run"), "A1"),
        (filled_disk(free=(None, None)), "A1"),
    ],
)
def test_room_is_measured_where_the_error_does_not_tell(run: Run, expected: str) -> None:
    assert judged(run) == expected


def test_a_disk_that_the_job_is_not_seen_to_use_may_be_another_s() -> None:
    elsewhere = filled_disk()
    verdict = judge(elsewhere.evidence(), strict=True)
    assert verdict.confidence == 0.7
    elsewhere.row("processes", node="node01", event="start", role="task", pid=7, argv="python fit.py --out /scratch")
    assert judge(elsewhere.evidence(), strict=True).confidence > 0.8


def test_an_error_of_a_writer_is_less_sure_where_no_room_was_measured(tmp_path: Path) -> None:
    steps = "".join(f"step {k}/60 loss {3 / k:.4f}\n" for k in range(1, 40))

    def sure(function: str, message: str) -> float:
        path = tmp_path / "job.log"
        frames = f'  File "/w/fit.py", line 31, in main\n    {function}(k)\n  File "/w/fit.py", line 9, in {function}\n'
        path.write_text(f"{steps}Traceback (most recent call last):\n{frames}    x()\n{message}\n")
        found = analyze(import_logs([path]), strict=True)[0]
        assert found.family == "A1"
        return found.confidence

    assert sure("save", "StateError: state 40 could not be stored") < sure("step", "StateError: state 40 was not right")
    assert sure("save", "KeyError: 'optimizer'") == sure("step", "KeyError: 'optimizer'")


@pytest.mark.parametrize(
    ("fails", "size", "expected"), [(RAISES, "4m", "disk"), (LEAVES, "4m", "disk"), (RAISES, "64m", "A1")]
)
def test_a_real_disk_runs_full(tmp_path: Path, fails: str, size: str, expected: str) -> None:
    disk, program, out = tmp_path / "scratch", tmp_path / "fit.py", tmp_path / "out"
    disk.mkdir()
    # With room enough it is its own error that ends the run.
    after = "" if expected == "disk" else 'if step == 20: raise StateError("state could not be stored")'
    program.write_text(SAVES.format(fails=fails, after=after))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(disk)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("only root may mount a file system")
    line = ["-m", "inquest", "run", "--out", str(out), "--only", "filesystems,processes", "--"]
    job = [sys.executable, *line, sys.executable, str(program), str(disk), str(tmp_path)]

    def free(rows: list[dict[str, Any]]) -> list[int]:
        return [row["fs_free_bytes"] for row in rows if row["device"] == str(disk)]

    with ExitStack() as at_the_end:
        at_the_end.callback(subprocess.run, ["umount", "-l", str(disk)], check=True)
        ran = at_the_end.enter_context(command(*job, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        for seen in (tmp_path / "room", tmp_path / "none"):
            at_the_end.callback(seen.touch)  # nothing else ends a job that waits
        recorder = os.pidfd_open(wait_for(lambda: helpers(ran.pid)["recorder"], "the recorder")[0])
        at_the_end.callback(os.close, recorder)
        (node,) = wait_for(lambda: list(out.glob("*/*/node.json")), "the recording")
        recording = Recording(node.parent, ran)
        recording.wait_for("disk_samples", lambda rows: any(free(rows)))
        (tmp_path / "room").touch()
        if expected == "disk":
            recording.wait_for("disk_samples", lambda rows: 0 in free(rows))
        (tmp_path / "none").touch()
        assert ran.wait(PATIENCE_S) != 0
        assert select.select([recorder], [], [], PATIENCE_S)[0], "the recorder has not left"
    merge([out], tmp_path / "job.inquest")
    verdict = analyze(BundleStore(tmp_path / "job.inquest"), strict=True)[0]
    assert named(verdict) == ("outside_families disk_full" if expected == "disk" else "A1"), verdict.headline
    if expected == "disk":
        assert str(disk) in verdict.headline
        assert verdict.confidence > 0.8
        assert [claim.value for claim in verdict.shows if claim.table == "disk_samples"] == [0]
