"""The recorder beside real processes: what it sees, what it never keeps, and what it survives."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest

from inquest.bundle import nodedir
from inquest.capture.collector import Batch, Budget, Collector, Context, Denied
from inquest.capture.collectors import COLLECTORS
from inquest.capture.collectors.host import Host
from inquest.capture.recorder import Recorder
from tests.capture.recorder_kit import PATIENCE_S, Recording, command, record

# A launcher with two ranks. Rank 0 exits 7 and rank 1 is killed, when told to; a third process leaves the family by a
# double fork into a session of its own, and stays.
FAMILY = """
import os, subprocess, sys
go = sys.argv[1]
def rank(number, end):
    env = os.environ | {"RANK": str(number), "LOCAL_RANK": str(number), "WORLD_SIZE": "2", "MASTER_ADDR": "10.0.0.1",
                        "MASTER_PORT": "29500"}
    body = f"import os,time\\nwhile not os.path.exists({go!r}): time.sleep(0.05)\\n{end}"
    return subprocess.Popen([sys.executable, "-c", body], env=env)
ranks = [rank(0, "os._exit(7)"), rank(1, "os.kill(os.getpid(), 9)")]
if os.fork() == 0:
    os.setsid()
    child = os.fork()
    if child == 0:
        os.execvp("sleep", ["sleep", "600"])
    print(child, flush=True)
    os._exit(0)
os.wait()
for process in ranks:
    process.wait()
sys.stdin.read(1)
sys.exit(3)
"""

RUN = [kind for kind in COLLECTORS if not kind.attach_only]


def test_sees_the_family_and_keeps_no_secret(tmp_path: Path) -> None:
    script = tmp_path / "torchrun"
    script.write_text(FAMILY)
    go = tmp_path / "go"
    env = os.environ | {"MY_API_KEY": "c4n4ry-value-7391", "SLURM_JOB_ID": "4711", "NCCL_DEBUG": "WARN"}
    child_argv = (sys.executable, str(script), str(go))
    with command(*child_argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        stray = int(child.stdout.readline())
        recording = record(tmp_path / "out", child.pid, env=env, unhurried=True)
        try:
            recording.wait_for("processes", lambda rows: {0, 1} <= {row["rank"] for row in rows})
            recording.wait_for("processes", lambda rows: stray in {row["pid"] for row in rows})
            go.touch()
            recording.wait_for("processes", lambda rows: {0, 1} <= {r["rank"] for r in rows if r["event"] == "exit"})
            child.stdin.write(b"x")
            child.stdin.close()
            child.wait(PATIENCE_S)
            recording.wait()
        finally:
            os.kill(stray, signal.SIGKILL)
    rows = recording.rows("processes")
    starts = {row["rank"]: row for row in rows if row["event"] == "start" and row["role"] == "rank"}
    assert starts.keys() == {0, 1}
    assert starts[1]["local_rank"] == 1
    assert starts[1]["world_size"] == 2
    assert (starts[1]["master_addr"], starts[1]["master_port"]) == ("10.0.0.1", 29500)
    assert starts[1]["job_id"] == "4711"
    assert starts[1]["ppid"] == child.pid
    assert json.loads(starts[1]["env"])["NCCL_DEBUG"] == "WARN"
    launcher = next(row for row in rows if row["pid"] == child.pid)
    assert launcher["role"] == "launcher"
    ends = {row["pid"]: row for row in rows if row["event"] == "exit"}
    assert ends[starts[0]["pid"]]["exit_code"] == 7
    assert ends[starts[1]["pid"]]["term_signal"] == 9
    assert ends[starts[1]["pid"]]["exit_code"] is None
    assert ends[child.pid]["exit_code"] == 3
    for path in recording.capture.iterdir():
        assert b"c4n4ry" not in path.read_bytes(), path
    assert "MY_API_KEY" not in str(rows) + str(recording.rows("node_info"))


def test_every_collector_leaves_its_rows(tmp_path: Path) -> None:
    names = {kind.name for kind in RUN}
    with command("sleep", "600") as child:
        recording = record(tmp_path, child.pid)
        recording.wait_for("collection", lambda rows: names <= {row["collector"] for row in rows})
        recording.wait_for("host_samples", bool)
        child.kill()
        child.wait()
        recording.wait()
    collection = recording.rows("collection")
    for kind in RUN:
        mine = [row for row in collection if row["collector"] == kind.name]
        assert len(mine) >= 2, kind.name
        assert mine[-1]["outcome"] in {"ok", "empty", "missing", "denied"}, mine[-1]
        assert mine[-1]["to_mono_ns"] >= mine[-1]["from_mono_ns"]
    for table in ("node_info", "clock_samples", "processes", "host_samples", "net_samples"):
        assert recording.rows(table), table
    own = recording.last("recorder")
    assert own["cpu_ns"] > 0
    info = recording.rows("node_info")
    assert len(info) == 1
    assert info[0]["hostname"] == os.uname().nodename
    assert info[0]["cpus"] == os.cpu_count()
    assert not (recording.capture / "recorder.err").exists()


def test_a_command_that_is_over_already_is_recorded_too(tmp_path: Path) -> None:
    with command("true") as child:
        child.wait(PATIENCE_S)
        recording = record(tmp_path, child.pid)
        recording.wait()
    assert len(recording.rows("node_info")) == 1
    assert len(recording.rows("clock_samples")) >= 2
    assert recording.rows("host_samples")


def test_is_deaf_to_the_jobs_signals_and_holds_none_of_its_files(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    with command("sleep", "600") as child:
        recording = record(tmp_path, child.pid, pass_fds=[writer])
        os.close(writer)
        recording.wait_for("collection", bool)
        assert os.read(reader, 1) == b"", "the recorder keeps a pipe of the job open"
        os.close(reader)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGXCPU, signal.SIGRTMIN):
            recording.process.send_signal(number)
        before = len(recording.rows("host_samples"))
        recording.wait_for("host_samples", lambda rows: len(rows) > before + 1)
        child.kill()
        child.wait()
        recording.wait()


def test_goes_on_when_its_parent_has_gone(tmp_path: Path) -> None:
    with command("sleep", "600") as child:
        # The shell, in the wrapper's place, ends at once; the recorder is left to init.
        recording = record(tmp_path, child.pid, prefix=["sh", "-c", '"$@" & exit 0', "sh"])
        recording.process.wait(PATIENCE_S)
        recording.wait_for("host_samples", lambda rows: len(rows) >= 3)
        child.kill()
        child.wait()
        recording.wait_for("collection", lambda rows: any(r["collector"] == "recorder" and r["rows"] for r in rows))


def test_what_was_recorded_survives_a_kill(tmp_path: Path) -> None:
    with command("sleep", "600") as child:
        recording = record(tmp_path, child.pid)
        recording.wait_for("host_samples", lambda rows: len(rows) >= 2)
        recording.process.kill()
        recording.process.wait()
    assert len(recording.rows("host_samples")) >= 2
    assert {row["collector"] for row in recording.rows("collection")} >= {kind.name for kind in RUN}


def test_ticks_stay_on_their_grid_and_late_ones_are_counted(tmp_path: Path) -> None:
    with command("sleep", "600") as child:
        recording = record(tmp_path, child.pid)
        recording.wait_for("host_samples", lambda rows: len(rows) >= 2)
        recording.process.send_signal(signal.SIGSTOP)
        time.sleep(3.2)
        recording.process.send_signal(signal.SIGCONT)
        before = len(recording.rows("host_samples"))
        recording.wait_for("host_samples", lambda rows: len(rows) >= before + 2)
        child.kill()
        child.wait()
        recording.wait()
    host = recording.last("host")
    assert host["drops"] >= 2
    assert recording.last("recorder")["drops"] >= 2
    times = [row["ts_mono_ns"] for row in recording.rows("host_samples")]
    assert all(later > earlier for earlier, later in pairwise(times))
    seconds = (host["to_mono_ns"] - host["from_mono_ns"]) / 1e9
    # Made and missed ticks together fill the time, give or take the last reading and a tick at either end.
    assert abs(host["rows"] + host["drops"] - seconds) < 4


def test_two_on_one_node_share_the_work_and_hand_it_over(tmp_path: Path) -> None:
    with command("sleep", "600") as first, command("sleep", "600") as second:
        one = record(tmp_path, first.pid)
        one.wait_for("host_samples", bool)
        two = record(tmp_path, second.pid)
        two.wait_for("processes", bool)
        two.wait_for("clock_samples", bool)
        assert two.rows("host_samples") == []
        assert two.rows("net_samples") == []
        first.kill()
        first.wait()
        one.wait()
        two.wait_for("host_samples", bool)
        second.kill()
        second.wait()
        two.wait()
    assert "node" in two.last("recorder")["detail"]


def test_two_node_names_on_one_machine_both_record(tmp_path: Path) -> None:
    with command("sleep", "600") as first, command("sleep", "600") as second:
        one = record(tmp_path, first.pid, node="node-a")
        one.wait_for("host_samples", bool)
        two = record(tmp_path, second.pid, node="node-b")
        two.wait_for("host_samples", bool)
        for child in (first, second):
            child.kill()
            child.wait()
        one.wait()
        two.wait()


@pytest.mark.root
def test_a_full_disk_ends_neither_recorder_nor_job(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small tmpfs")
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96k", "tmpfs", small], check=False).returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        with command("sleep", "600") as child:
            recording = record(small, child.pid)
            recording.wait_for("collection", bool)
            fill(small / "hog")
            time.sleep(2.5)
            assert recording.process.poll() is None
            (small / "hog").unlink()
            before = len(recording.rows("host_samples"))
            recording.wait_for("host_samples", lambda rows: len(rows) > before)
            child.kill()
            child.wait()
            recording.wait()
        own = recording.last("recorder")
        assert own["outcome"] == "truncated"
        assert own["drops"] > 0
        assert "No space" in own["detail"]
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def fill(path: Path) -> None:
    with open(path, "wb", buffering=0) as hog, contextlib.suppress(OSError):
        while True:
            hog.write(bytes(4096))


class Hangs(Collector):
    name = "hangs"
    tables: ClassVar = ("host_samples",)
    budget = Budget(seconds=0.2, bytes=1000)

    def tick(self, ctx: Context) -> list[Batch]:
        time.sleep(600)
        return []


class Raises(Collector):
    name = "raises"
    tables: ClassVar = ("host_samples",)
    calls = 0

    def tick(self, ctx: Context) -> list[Batch]:
        type(self).calls += 1
        raise RuntimeError("the sensor is on fire")


class Refused(Collector):
    name = "refused"
    tables: ClassVar = ("kernel_log",)

    def start(self, ctx: Context) -> list[Batch]:
        raise Denied("needs root")


class Floods(Collector):
    name = "floods"
    tables: ClassVar = ("kernel_log",)
    budget = Budget(seconds=1.0, bytes=1000)

    def tick(self, ctx: Context) -> list[Batch]:
        return [("kernel_log", [{"text": "x" * 100, "level": 6} for _ in range(100)])]


def test_one_bad_collector_spoils_nothing_else(tmp_path: Path) -> None:
    capture = Path(nodedir.create_capture(tmp_path, "node-a"))
    with command("sleep", "5") as child:
        Recorder(capture, child.pid, [Hangs, Raises, Refused, Floods, Host]).run()
        recording = Recording(capture, child)
        last: dict[str, dict[str, Any]] = {
            name: recording.last(name) for name in ("hangs", "raises", "refused", "floods", "host")
        }
    assert last["hangs"]["outcome"] == "timed_out"
    assert last["hangs"]["drops"] >= 2
    assert last["raises"]["outcome"] == "failed"
    assert "on fire" in last["raises"]["detail"]
    assert Raises.calls < 5, "a failing collector must rest before it is tried again"
    assert (last["refused"]["outcome"], last["refused"]["detail"]) == ("denied", "needs root")
    assert last["floods"]["outcome"] == "truncated"
    assert last["floods"]["bytes"] <= 1000 * 7
    assert len(recording.rows("kernel_log")) == last["floods"]["rows"]
    assert last["host"]["outcome"] == "ok"
    assert len(recording.rows("host_samples")) >= 2
