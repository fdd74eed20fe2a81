"""`inquest status`: a running job as its recordings tell it, and one that ended."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from inquest.bundle import live, nodedir, rawlog
from inquest.bundle.frames import FrameReader, FrameWriter
from inquest.bundle.journal import Journal

from .conftest import ROOT, inquest

TRAIN = """
import os, subprocess, sys, time
if "RANK" not in os.environ:
    argv = [sys.executable, __file__, *sys.argv[1:]]
    ranks = [subprocess.Popen(argv, env=os.environ | {"RANK": str(rank)}) for rank in (0, 1)]
    sys.exit(max(rank.wait() for rank in ranks))
for step in range(12):
    if os.environ["RANK"] == "0":
        print(f"step {step}/100 | loss {2 / (step + 1):.4f} | password=hunter2x", flush=True)
    time.sleep(0.1)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.1)
sys.exit(7)
"""


def status(out: Path, *args: str) -> dict[str, Any]:
    done = inquest("status", str(out), "--json", *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def before(ready: Any, out: Path, *args: str) -> dict[str, Any]:
    """What status says once it is ``ready``."""
    deadline = time.monotonic() + 60
    while True:
        if list(out.glob("*/*/node.json")) and ready(told := status(out, *args)):
            return told
        assert time.monotonic() < deadline, told
        time.sleep(0.3)


def test_a_running_job_and_its_end(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRAIN)
    out, end = tmp_path / "out", tmp_path / "end"
    command = [sys.executable, "-m", "inquest", "run", "--out", str(out), "--node", "n1", "--job-id", "42", "--"]
    job = subprocess.Popen([*command, sys.executable, str(tmp_path / "train.py"), str(end)], stdout=subprocess.DEVNULL)
    try:
        told = before(lambda t: len(t["tasks"][0]["ranks"]) == 2 and (t["progress"] or {}).get("step") == 11, out)
        assert (told["job_id"], told["live"], told["stalled"]) == ("42", True, False)
        assert (told["progress"]["total_steps"], told["progress"]["loss"]) == (100, 0.1667)
        (task,) = told["tasks"]
        assert [rank["rank"] for rank in task["ranks"]] == [0, 1]
        assert not any(rank["gone"] for rank in task["ranks"])
        assert task["collectors"]["processes"]["outcome"] == "ok"
        assert not task["recorder_silent"]
        assert "hunter2x" not in json.dumps(told)
        shown = inquest("status", str(out)).stdout
        assert "step 11/100" in shown
        assert "running" in shown
        assert "2 ranks" in shown
    finally:
        end.touch()
        job.wait(60)
    told = before(lambda t: not t["live"], out)
    assert (told["tasks"][0]["exit_code"], told["tasks"][0]["silent_s"]) == (7, None)
    watched = inquest("status", str(out), "--watch")  # it has ended: shown once
    assert "ended: exit 7" in watched.stdout


def test_a_recording_of_two_nodes_after_its_end() -> None:
    told = status(ROOT / "samples" / "recorded" / "input_hangs")
    assert [task["node"] for task in told["tasks"]] == ["node-a", "node-b"]
    assert not told["live"]
    assert told["progress"]["step"] == 240
    assert all(task["stacks_taken_ns"] for task in told["tasks"])


@pytest.fixture
def silent(tmp_path: Path) -> Path:
    """A job that printed every second and has been silent for ten minutes, on two nodes; written as they would."""
    minutes = 600 * 10**9
    mono = time.monotonic_ns() - minutes
    for node in ("node-a", "node-b"):
        capture = Path(nodedir.create_capture(tmp_path, node, facts={"task": 0, "job_id": "7"}))
        with FrameWriter(capture / "task.raw", {"task": 0}) as task:
            task.append(json.dumps({"event": "start", "mono_ns": mono - 10**11, "pid": 5, "argv": ["train"]}).encode())
        if node == "node-a":
            log = FrameWriter(capture / "log-0.raw", {})
            for second in range(100):
                line = f"step {second} loss 1.0\n".encode()
                log.append(rawlog.encode(0, mono - (99 - second) * 10**9, 100 * second, line))
        journal = Journal(capture, capture.name, node, None)
        row = {"gpu_uuid": "GPU-1", "gpu_index": 0, "engine_active": 1.0, "sm_active": 0.02, "fb_used_bytes": 1 << 30}
        journal.append("gpu_samples", [row | {"ts_mono_ns": time.monotonic_ns()}])
        journal.append("collection", [{"collector": "nvml", "outcome": "ok", "ts_mono_ns": time.monotonic_ns()}])
        journal.append("collection", [{"collector": "net", "outcome": "failed", "detail": "[red]boom\x1b[31m"}])
    return tmp_path


def test_a_stall_is_told_by_the_jobs_own_cadence(silent: Path) -> None:
    told = status(silent)
    assert told["stalled"]
    assert told["silent_s"] == pytest.approx(600, abs=60)
    assert (told["tasks"][0]["usual_gap_s"], told["tasks"][0]["stall_after_s"]) == (1, 60)
    shown = inquest("status", str(silent)).stdout
    assert "STALLED" in shown
    assert "10 min ago" in shown
    assert "100%" in shown
    assert "[red]boom" in shown
    assert "\x1b[31m" not in shown


def test_a_task_that_prints_says_that_the_others_wait_for_nobody(silent: Path) -> None:
    (capture,) = (silent / "node-b").iterdir()
    with FrameWriter(capture / "log-0.raw", {}) as log:
        log.append(rawlog.encode(0, time.monotonic_ns(), 0, b"step 101\n"))
    assert not status(silent)["stalled"]


def test_the_job_asked_for_is_shown_and_another_is_named(silent: Path) -> None:
    assert status(silent, "--job", "7")["job_id"] == "7"
    done = inquest("status", str(silent), "--job", "8")
    assert done.returncode == 5
    assert "there are 7" in done.stderr


def test_where_nothing_is_recorded(tmp_path: Path) -> None:
    done = inquest("status", cwd=tmp_path)
    assert done.returncode == 5
    assert "inquest-out" in done.stderr


def test_damage_costs_only_what_is_damaged(silent: Path) -> None:
    for path in [*silent.glob("*/*/task.raw"), *silent.glob("*/*/*.journal")]:
        path.write_bytes(path.read_bytes()[:40] + os.urandom(100))
    (next(silent.glob("node-a/*")) / "log-0.2.raw").symlink_to("/etc/passwd")
    told = status(silent)
    assert told["progress"]["step"] == 99
    assert told["tasks"][0]["gpus"] == []


def test_of_a_long_file_only_the_end_is_read(tmp_path: Path) -> None:
    with FrameWriter(tmp_path / "frames", {}, fsync=False) as frames:
        for number in range(2000):
            frames.append(number.to_bytes(4, "little") + os.urandom(number % 997))
    whole = list(FrameReader(tmp_path / "frames"))
    for most in (100_000, 5_000, 1 << 30):
        found = list(FrameReader(tmp_path / "frames").tail(most))
        assert found == whole[-len(found) :]
        assert sum(map(len, found)) <= most
    assert len(list(FrameReader(tmp_path / "frames").tail(100_000))) > 100


def test_a_log_of_gigabytes_is_no_trouble(silent: Path) -> None:
    (log,) = silent.glob("node-a/*/log-0.raw")
    with log.open("r+b") as file:
        content = file.read()
        file.seek(4 << 30)  # a hole: nothing is read there
        file.write(content[200:])
    began = time.monotonic()
    (told,) = [found for found in live.read(silent) if found.node == "node-a"]
    assert told.lines[-1][2] == "step 99 loss 1.0"
    assert time.monotonic() - began < 20
    shutil.rmtree(silent / "node-a")
