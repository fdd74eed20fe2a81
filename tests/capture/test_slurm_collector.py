"""The Slurm collector, on answers that real clusters gave: 24.11 as JSON, 22.05 in words, and none at all.

What is run here in Slurm's place only prints recorded answers (``shared/reference/slurm``) and notes when it was asked:
replays, no cluster. The real one is in ``tests/host/test_slurm_jobs.py``.
"""

from __future__ import annotations

import os
import stat
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle import schema
from inquest.bundle.imports.kind import Context as Reading
from inquest.bundle.imports.slurm_json import KIND as JSON
from inquest.bundle.imports.source import Source
from inquest.capture import lease as leases
from inquest.capture.asking import Asking
from inquest.capture.collector import Context, Missing
from inquest.capture.collectors import slurm as module
from inquest.capture.collectors.slurm import Slurm
from inquest.capture.lease import Lease
from tests.bundle.imports.kit import REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

RECORDS = REFERENCE / "slurm"
NEW, OLD = RECORDS / "24.11", RECORDS / "22.05"
PATIENCE_S = 30.0
Rows = list[tuple[str, dict[str, Any]]]

# Notes begin and end of every call, and prints what the file for these words holds; in the form that is asked for.
COMMAND = """#!/bin/sh
here={folder}
name=${{0##*/}}
case "$name $*" in
  *helpformat*) answer=sacct.fields ;;
  *"show job"*) answer=job ;;
  *"show step"*) answer=step ;;
  *"show node"*) answer=node ;;
  *"show config"*) answer=config ;;
  *) answer=$name ;;
esac
echo "begin $answer" >> $here/calls
trap 'echo "end $answer" >> $here/calls' EXIT
case "$*" in *--json*) [ -e $here/json ] || {{
  echo "$name: unrecognized option '--json'" >&2; exit 1; }}; answer=$answer.json ;;
esac
[ -e $here/$answer.sh ] && . $here/$answer.sh
cat $here/$answer 2>/dev/null
exit 0
"""


class Replay:
    """A folder of recorded answers, and commands that print them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "bin").mkdir()
        for name in ("scontrol", "sacct", "sdiag"):
            command = folder / "bin" / name
            command.write_text(COMMAND.format(folder=folder))
            command.chmod(command.stat().st_mode | stat.S_IXUSR)
        self.say("sacct.fields", RECORDS / "24.11" / "00-cluster" / "sacct_helpformat.txt")

    def say(self, answer: str, record: Path | str) -> None:
        """What is answered from now on. One answer in JSON makes it a Slurm that speaks it."""
        if answer.endswith(".json"):
            (self.folder / "json").touch()
        content = record.read_bytes() if isinstance(record, Path) else record.encode()
        new = self.folder / "new"
        new.write_bytes(content)
        new.replace(self.folder / answer)

    def calls(self) -> list[str]:
        """What was asked, in order; fails where two commands ran at a time."""
        lines = (self.folder / "calls").read_text().splitlines() if (self.folder / "calls").exists() else []
        begun = [line.split()[1] for line in lines if line.startswith("begin")]
        open_calls = 0
        for line in lines:
            open_calls += 1 if line.startswith("begin") else -1
            assert open_calls <= 1, lines
        return begun


@pytest.fixture
def replay(tmp_path: Path) -> Replay:
    if not RECORDS.is_dir():
        pytest.skip("../shared/reference/slurm is not beside this checkout")
    folder = tmp_path / "replay"
    folder.mkdir()
    return Replay(folder)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Turns follow each other at once; what a test says of time it sets itself. No command outlives its test."""
    monkeypatch.setattr(module, "_FIRST_S", (0.0, 0.0))
    monkeypatch.setattr(module, "_LAST_WORDS_S", (5.0, 5.0))
    begun: list[Slurm] = []
    init = Slurm.__init__
    monkeypatch.setattr(Slurm, "__init__", lambda self: (init(self), begun.append(self))[0])
    yield
    for collector in begun:
        if getattr(collector, "_asked", None) is not None:
            collector._asked[1].give_up()


def context(tmp_path: Path, *, node: str = "node01", **environ: str) -> Context:
    capture = tmp_path / "out" / node / "capture"
    capture.mkdir(parents=True, exist_ok=True)
    path = f"{tmp_path / 'replay' / 'bin'}:{os.environ['PATH']}"
    env = {"PATH": path, "SLURM_JOB_ID": "1001", "SLURM_NODEID": "0", "SLURM_JOB_NODELIST": "node[01-02]", **environ}
    return Context(capture, node, "boot", os.getpid(), time.monotonic_ns(), env)


def flat(batches: Iterable[tuple[str, list[dict[str, Any]]]]) -> Rows:
    found = [(table, row) for table, rows in batches for row in rows]
    for table, row in found:
        names = set(schema.BY_NAME[table].column_names)
        assert set(row) <= names, f"{set(row) - names} is not in {table}"
        assert row["ts_mono_ns"] is not None
    return found


def turn(collector: Slurm, ctx: Context, enough: Callable[[Rows], bool]) -> Rows:
    """Ticks until the rows are as wanted."""
    rows: Rows = []
    deadline = time.monotonic() + PATIENCE_S
    while not enough(rows):
        assert time.monotonic() < deadline, rows[-5:]
        rows += flat(collector.tick(ctx))
        time.sleep(0.005)
    return rows


def asked(*names: str) -> Callable[[Rows], bool]:
    """Whether all of these commands are booked."""
    return lambda rows: (
        {f"slurm:{name}" for name in names} <= {row["collector"] for table, row in rows if table == "collection"}
    )


def again(collector: Slurm, ctx: Context, replay: Replay, answer: str) -> Rows:
    """One more turn at once: rows until the answer was read again."""
    before = Counter(replay.calls())[answer]
    collector._due_s = 0.0
    rows: Rows = []
    deadline = time.monotonic() + PATIENCE_S
    while Counter(replay.calls())[answer] == before or collector._asked or collector._queue:
        assert time.monotonic() < deadline
        rows += flat(collector.tick(ctx))
        time.sleep(0.005)
    return rows


def of(rows: Rows, table: str) -> list[dict[str, Any]]:
    return [row for name, row in rows if name == table]


def events(rows: Rows) -> list[tuple[str, str]]:
    return [(row["event"], row["state"]) for row in of(rows, "slurm_events")]


def test_json_is_asked_for_and_read_as_an_import_reads_it(replay: Replay, tmp_path: Path) -> None:
    job = NEW / "01-completed" / "scontrol_show_job.1001.final.json"
    replay.say("job.json", job)
    replay.say("step", NEW / "01-completed" / "scontrol_show_step.running.txt")
    replay.say("node.json", NEW / "00-cluster" / "scontrol_show_node.json")
    replay.say("sdiag.json", NEW / "00-cluster" / "sdiag.json")
    replay.say("config", NEW / "00-cluster" / "scontrol_show_config.txt")
    replay.say("sacct", NEW / "01-completed" / "sacct.psv")
    collector, ctx = Slurm(), context(tmp_path)
    assert flat(collector.start(ctx)) == []
    six = ("scontrol-job", "scontrol-step", "scontrol-node", "sdiag", "scontrol-config", "sacct")
    rows = turn(collector, ctx, asked(*six))
    books = {row["collector"].removeprefix("slurm:"): row for row in of(rows, "collection")}
    assert {name: books[name]["outcome"] for name in six} == dict.fromkeys(six, "ok")
    (imported,) = [
        row for table, found in JSON.read(Source(job.name, job), Reading()) for row in found if table == "slurm_jobs"
    ]
    recorded = of(rows, "slurm_jobs")[-1]
    assert {name: recorded[name] for name in imported if name != "ts_ns"} == {
        name: value for name, value in imported.items() if name != "ts_ns"
    }
    # The time of the row on this node's clock is the time that Slurm told.
    wall = time.time_ns() - time.monotonic_ns()
    assert abs(recorded["ts_mono_ns"] + wall - imported["ts_ns"]) < 60_000_000_000
    assert [event for event, _ in events(rows)] == ["terminal", "submitted", "started"] or set(events(rows)) >= {
        ("submitted", "PENDING"),
        ("started", "RUNNING"),
        ("terminal", "COMPLETED"),
    }
    assert {row["slurm_node_name"] for row in of(rows, "slurm_nodes")} >= {"node01", "node02"}
    assert {row["step_id"] for row in of(rows, "slurm_steps")} >= {"batch", "0", "1"}
    names = {row["name"] for row in of(rows, "slurm_controller")}
    assert {"jobs_pending", "jobs_running", "server_thread_count", "config.KillWait"} <= names
    assert any(name.startswith("rpcs_by_message_type.") for name in names)
    assert not any(name.startswith("rpcs_by_user.") for name in names), "other people's names"


def test_words_where_there_is_no_json(replay: Replay, tmp_path: Path) -> None:
    folder = OLD / "38-suspend-resume"
    number = next(folder.glob("scontrol_show_job.*.suspended.txt")).name.split(".")[1]
    suspended = (folder / f"scontrol_show_job.{number}.suspended.txt").read_text()
    running = suspended.replace("JobState=SUSPENDED", "JobState=RUNNING")
    replay.say("job", running)
    replay.say("sdiag", OLD / "00-cluster" / "sdiag.txt")
    collector, ctx = Slurm(), context(tmp_path, SLURM_JOB_ID=number)
    flat(collector.start(ctx))
    rows = turn(collector, ctx, asked("scontrol-job", "sdiag"))
    assert [event for event, _ in events(rows)] == ["submitted", "pending", "started"]
    assert Counter(replay.calls())["job"] == 2, "once as JSON, once in words"
    told = again(collector, ctx, replay, "job")
    assert [row for row in told if row[0] != "collection"] == [], "nothing new"
    replay.say("job", suspended)
    rows = again(collector, ctx, replay, "job")
    assert events(rows) == [("suspended", "SUSPENDED")]
    assert [row["state"] for row in of(rows, "slurm_jobs")] == ["SUSPENDED"]
    replay.say("job", running.replace("TimeLimit=", "TimeLimit=1-"))
    rows = again(collector, ctx, replay, "job")
    assert ("resumed", "RUNNING") in events(rows)
    (updated,) = [row for row in of(rows, "slurm_events") if row["event"] == "updated"]
    assert "time_limit_s" in updated["detail"]
    final = (folder / f"scontrol_show_job.{number}.final.txt").read_text()
    replay.say("job", final.replace("TimeLimit=", "TimeLimit=1-"))
    rows = flat(collector.stop(ctx))
    # Slurm sets the priority of a suspended job to 0, and back at its end.
    assert [event for event, _ in events(rows) if event != "updated"] == ["terminal"]
    assert {row["collector"] for row in of(rows, "collection")} >= {"slurm:scontrol-job", "slurm:sdiag"}


def test_a_run_after_a_requeue_says_so(replay: Replay, tmp_path: Path) -> None:
    (final,) = (OLD / "22-requeue").glob("scontrol_show_job.*.final.txt")
    number = final.name.split(".")[1]
    replay.say("job", final.read_text().replace("JobState=COMPLETED", "JobState=RUNNING"))
    collector, ctx = Slurm(), context(tmp_path, SLURM_JOB_ID=number)
    flat(collector.start(ctx))
    rows = turn(collector, ctx, asked("scontrol-job"))
    assert [event for event, _ in events(rows)].count("requeued") == 1
    assert of(rows, "slurm_jobs")[0]["restarts"] == 1
    # Accounting, where there is any, tells when.
    replay.say("sacct", OLD / "22-requeue" / "sacct.psv")
    other, there = Slurm(), context(tmp_path / "b", SLURM_JOB_ID=number, PATH=ctx.environ["PATH"])
    flat(other.start(there))
    rows = turn(other, there, asked("scontrol-job", "sacct"))
    (requeued,) = [row for row in of(rows, "slurm_events") if row["event"] == "requeued"]
    (first,) = [row for row in of(rows, "slurm_jobs") if row["state"] == "REQUEUED"]
    assert abs(requeued["ts_mono_ns"] - first["ts_mono_ns"]) < 1_000_000_000
    assert first["end_ns"] is not None


def test_trouble_makes_turns_rare_and_one_command_runs_at_a_time(
    replay: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_EVERY_S", 0.2)
    monkeypatch.setattr(module, "_LIMIT_S", 0.1)
    monkeypatch.setattr(module, "_JITTER", 0.0)
    for answer in ("job.json", "sacct.fields"):
        replay.say(answer, "")
        replay.say(f"{answer}.sh", "exec sleep 60")
    collector, ctx = Slurm(), context(tmp_path)
    flat(collector.start(ctx))
    rows: Rows = []
    until = time.monotonic() + 4
    while time.monotonic() < until:
        rows += flat(collector.tick(ctx))
        time.sleep(0.005)
    begun = (replay.folder / "calls").read_text().count("begin")
    assert 2 <= begun <= 5, "0, 0.4, 1.2, 2.8, 6 s: twenty turns without back-off"
    assert next(row["outcome"] for row in of(rows, "collection")) == "timed_out"
    assert collector._every_s >= 4 * 0.2


def test_who_is_denied_does_not_ask_again(replay: Replay, tmp_path: Path) -> None:
    replay.say("job.json", NEW / "01-completed" / "scontrol_show_job.1001.final.json")
    replay.say("sdiag.json", "")
    replay.say("sdiag.json.sh", 'echo "slurm_get_statistics: Access/permission denied" >&2; exit 1')
    replay.say("sacct.sh", 'echo "Slurm accounting storage is disabled" >&2; exit 1')
    collector, ctx = Slurm(), context(tmp_path)
    flat(collector.start(ctx))
    rows = turn(collector, ctx, asked("sdiag", "sacct", "scontrol-config"))
    outcomes = {row["collector"]: row["outcome"] for row in of(rows, "collection")}
    assert outcomes["slurm:sdiag"] == "denied"
    assert outcomes["slurm:sacct"] == "missing"
    for _ in range(11):
        again(collector, ctx, replay, "job")
    assert Counter(replay.calls())["sdiag"] == 1
    assert Counter(replay.calls())["sacct"] == 1


def test_a_signal_brings_a_turn_forward_but_not_often(replay: Replay, tmp_path: Path) -> None:
    replay.say("job.json", NEW / "01-completed" / "scontrol_show_job.1001.final.json")
    collector, ctx = Slurm(), context(tmp_path)
    flat(collector.start(ctx))
    turn(collector, ctx, asked("scontrol-job", "scontrol-config"))
    before = Counter(replay.calls())["job"]
    for length in range(1, 30):
        (ctx.capture_dir / "task.raw").write_bytes(b"x" * length)
        flat(collector.tick(ctx))
        time.sleep(0.01)
    deadline = time.monotonic() + PATIENCE_S
    while collector._asked is not None and time.monotonic() < deadline:
        flat(collector.tick(ctx))
    assert Counter(replay.calls())["job"] == before + 1


@pytest.mark.parametrize("answer", ["", "\0" * 4096, '{"jobs": [', '{"jobs": [{"job_id": {"a": [1]}}]}', "[" * 100_000])
def test_nonsense_is_booked_and_nothing_more(replay: Replay, tmp_path: Path, answer: str) -> None:
    replay.say("job.json", answer)
    replay.say("step", answer)
    collector, ctx = Slurm(), context(tmp_path)
    flat(collector.start(ctx))
    rows = turn(collector, ctx, asked("scontrol-job", "scontrol-step"))
    assert of(rows, "slurm_jobs") == []
    flat(collector.stop(ctx))


def test_the_end_waits_for_nobody(replay: Replay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LAST_WORDS_S", (0.2, 0.1))
    for answer in ("sacct.fields", "job.json"):
        replay.say(answer, "")
        replay.say(f"{answer}.sh", "exec sleep 60")
    collector, ctx = Slurm(), context(tmp_path)
    flat(collector.start(ctx))
    flat(collector.tick(ctx))
    began = time.monotonic()
    rows = flat(collector.stop(ctx))
    assert time.monotonic() - began < 5
    assert ("slurm:scontrol-job", "timed_out") in {(r["collector"], r["outcome"]) for r in of(rows, "collection")}


def test_where_there_is_nothing_to_ask(tmp_path: Path) -> None:
    ctx = context(tmp_path)
    for name, value in (("PATH", str(tmp_path)), ("SLURM_JOB_ID", "x; rm"), ("SLURM_JOB_ID", "")):
        environ = {**ctx.environ, "PATH": f"{tmp_path}", name: value}
        other = Context(ctx.capture_dir, ctx.node, ctx.boot_id, 1, 0, environ)
        with pytest.raises(Missing):
            flat(Slurm().start(other))


def test_an_array_task_asks_for_itself(replay: Replay, tmp_path: Path) -> None:
    collector = Slurm()
    flat(collector.start(context(tmp_path, SLURM_ARRAY_JOB_ID="17", SLURM_ARRAY_TASK_ID="3")))
    assert collector._command("job").arguments[-2:] == ("17_3", "--json")
    assert (tmp_path / "out" / ".peers" / "17_3.lease").exists()


def test_other_nodes_stand_by(replay: Replay, tmp_path: Path) -> None:
    replay.say("job.json", NEW / "01-completed" / "scontrol_show_job.1001.final.json")
    second, there = Slurm(), context(tmp_path, node="node02", SLURM_NODEID="1")
    rows = flat(second.start(there))
    assert [row["collector"] for row in of(rows, "collection")] == ["slurm:standby"]
    for _ in range(5):
        assert flat(second.tick(there)) == []
    assert flat(second.stop(there)) == []
    assert replay.calls() == []


# --- who asks ----------------------------------------------------------------------------------------------------


class Clock:
    """A monotonic clock that a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(leases.time, "monotonic", lambda: self.now)

    def until_held(self, lease: Lease, seconds: float = 1000.0, alive: Lease | None = None) -> float | None:
        """Seconds until a lease is held; None where it never is."""
        began = self.now
        while self.now - began < seconds:
            self.now += 1
            if alive is not None:
                alive.hold()
            if lease.hold():
                return self.now - began
        return None


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def lease(path: Path, who: str, *, node: str = "n0", place: int = 0) -> Lease:
    return Lease(path / "7.lease", who=who, node=node, place=place)


def test_the_first_node_asks_and_the_others_wait(clock: Clock, tmp_path: Path) -> None:
    first, second = lease(tmp_path, "a"), lease(tmp_path, "b", node="n1", place=1)
    assert clock.until_held(second, 100) is None, "nobody has begun"
    assert first.hold()
    assert clock.until_held(second, 500, alive=first) is None


def test_who_leaves_is_followed_and_leaves_what_it_knew(clock: Clock, tmp_path: Path) -> None:
    first, second = lease(tmp_path, "a"), lease(tmp_path, "b", node="n1", place=1)
    first.hold()
    first.note({"told": 1})
    assert clock.until_held(second, 60, alive=first) is None
    first.release()
    waited = clock.until_held(second)
    assert waited is not None
    assert waited <= 2 * leases.BEAT_S + 5
    assert second.state == {"told": 1}


def test_who_falls_silent_is_followed_in_line(clock: Clock, tmp_path: Path) -> None:
    first = lease(tmp_path, "a")
    second, third = lease(tmp_path, "b", node="n1", place=1), lease(tmp_path, "c", node="n2", place=2)
    first.hold()
    for _ in range(50):
        clock.now += 1
        first.hold(), second.hold(), third.hold()
    waited = clock.until_held(second)
    assert waited is not None
    assert leases.SILENT_S <= waited <= leases.SILENT_S + 3 * leases.BEAT_S
    assert clock.until_held(third, 300, alive=second) is None
    # One that only slept finds another's name, and steps back.
    clock.now += leases.BEAT_S
    assert not first.hold()
    assert second.hold()


def test_a_recorder_of_the_same_node_goes_on_at_once(clock: Clock, tmp_path: Path) -> None:
    first, next_one = lease(tmp_path, "a"), lease(tmp_path, "b")
    first.hold()
    first._about["pid"] = 2**30  # nobody's
    first._write()
    assert next_one.hold()


def test_where_nothing_is_shared_only_the_first_node_asks(clock: Clock, tmp_path: Path) -> None:
    nowhere = Lease(None, who="a", node="n0", place=0)
    assert nowhere.hold()
    nowhere.note({"a": 1})
    nowhere.release()
    assert not Lease(None, who="b", node="n1", place=1).hold()
    assert clock.until_held(lease(tmp_path / "b", "c", node="n1", place=1)) is None


@pytest.mark.parametrize("content", ["", "{", "[]", '{"who": 7, "pid": "x", "node": [], "state": 3}', "\xff" * 9])
def test_a_file_that_somebody_spoilt_stops_nobody(clock: Clock, tmp_path: Path, content: str) -> None:
    (tmp_path / "7.lease").write_bytes(content.encode("latin-1"))
    first = lease(tmp_path, "a")
    assert clock.until_held(first) is not None
    assert first.state == {}


# --- one command ---------------------------------------------------------------------------------------------------


def test_a_command_is_bounded_in_size_and_time() -> None:
    flood = Asking(["sh", "-c", "yes; echo end"], os.environ, limit_s=20, limit_bytes=100_000)
    reply = flood.reply(PATIENCE_S)
    assert reply is not None
    assert reply.cut
    assert 0 < len(reply.output) <= 100_000
    assert reply.output.endswith(b"y\n")
    slow = Asking(["sh", "-c", "sleep 61 & echo $!; wait"], os.environ, limit_s=0.3, limit_bytes=10)
    reply = slow.reply(PATIENCE_S)
    assert reply is not None
    assert reply.status is None
    started = Path(f"/proc/{int(reply.output)}/cmdline")
    deadline = time.monotonic() + PATIENCE_S
    while started.exists() and b"sleep" in started.read_bytes():  # what it started is ended too
        assert time.monotonic() < deadline
        time.sleep(0.01)
    both = Asking(["sh", "-c", "echo out; echo err >&2; exit 3"], os.environ, limit_s=20, limit_bytes=100)
    reply = both.reply(PATIENCE_S)
    assert reply is not None
    assert (reply.status, reply.output, reply.complaint, reply.cut) == (3, b"out\n", b"err\n", False)
    with pytest.raises(FileNotFoundError):
        Asking(["/nowhere"], os.environ, limit_s=1, limit_bytes=10)
