"""The stall watch: when it looks, what it sees of real processes, and that it leaves them as they were."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle import nodedir
from inquest.capture import look, silence, stacks
from inquest.capture.collector import Member
from inquest.capture.collectors import stalls
from inquest.capture.collectors.processes import Processes
from inquest.capture.outputs import Outputs, Redirected
from inquest.capture.recorder import Recorder
from inquest.capture.silence import Silence
from tests.capture.recorder_kit import PATIENCE_S, command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Two ranks: rank 1 reads a shard that never comes, rank 0 waits for rank 1. What the lines do is told by their names.
JOB = """
import os, socket, subprocess, sys
def read_shard(path):
    with open(path) as shard:
        return shard.read()
def wait_for_peer(peer):
    peer.recv(1)
if "RANK" not in os.environ:
    ends = socket.socketpair()
    ranks = [subprocess.Popen([sys.executable, __file__, sys.argv[1], str(end.fileno())], pass_fds=[end.fileno()],
                              env=os.environ | {"RANK": str(rank), "WORLD_SIZE": "2"}) for rank, end in enumerate(ends)]
    for rank in ranks:
        rank.wait()
elif os.environ["RANK"] == "1":
    read_shard(sys.argv[1])
else:
    wait_for_peer(socket.socket(fileno=int(sys.argv[2])))
"""


def until(condition: Callable[[], Any], what: str) -> Any:
    deadline = time.monotonic() + PATIENCE_S
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited for {what}"
        time.sleep(0.2)
    return value


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


# --- when to look -------------------------------------------------------------------------------------------------


def heard(*moments: float) -> Silence:
    watch = Silence(0.0)
    for moment in moments:
        watch.heard(moment)
    return watch


def test_before_there_is_a_cadence_a_silence_may_be_long() -> None:
    watch = heard(1, 2, 3)
    assert watch.usual_s is None
    assert not watch.due(3 + silence.FIRST_S - 1)
    assert watch.due(3 + silence.FIRST_S)


def test_a_job_that_prints_every_second_is_looked_at_after_a_minute() -> None:
    watch = heard(*range(1, 200))
    assert watch.usual_s == 1
    assert not watch.due(199 + silence.LEAST_S - 1)
    assert watch.due(199 + silence.LEAST_S)


def test_a_slow_job_is_given_its_own_time_but_never_more_than_its_watchdog_would() -> None:
    assert heard(*range(1, 4000, 40)).limit_s == silence.FACTOR * 40
    assert heard(*range(1, 40_000, 400)).limit_s == silence.MOST_S


def test_rare_long_gaps_do_not_hide_a_stall() -> None:
    moments = [float(second) for second in range(1, 1000)]
    moments += [1400.0, *(1400.0 + second for second in range(1, 200))]  # one checkpoint of 400 s
    assert heard(*moments).usual_s == 1


def test_a_look_in_vain_makes_the_next_wait_longer_and_a_stall_is_looked_at_again_later() -> None:
    watch = heard(*range(1, 300))
    now = 299 + silence.LEAST_S
    assert watch.due(now)
    watch.looked(now)
    assert not watch.due(now + 1)
    assert watch.due(299 + 2 * silence.LEAST_S)
    watch.heard(299 + 70)
    assert watch.limit_s == 140


def test_output_of_another_task_says_that_the_job_goes_on_but_not_at_which_cadence() -> None:
    watch = Silence(0.0)
    for moment in range(0, 3000, 150):
        watch.elsewhere(float(moment))
    assert watch.usual_s is None
    assert not watch.due(2850 + silence.FIRST_S - 1)


def test_outputs_of_the_same_job_are_listened_to_and_called(tmp_path: Path) -> None:
    mine, other, stranger = (
        Path(nodedir.create_capture(tmp_path, node, facts={"job_id": job}))
        for node, job in (("a", "7"), ("b", "7"), ("c", "8"))
    )
    outputs, others = Outputs(mine), Outputs(other)
    assert not outputs.grew()
    (mine / "log-0.raw").write_bytes(b"x")
    assert outputs.grew()
    assert not outputs.grew()
    assert not outputs.others_grew()
    (stranger / "log-0.raw").write_bytes(b"x")
    assert not outputs.others_grew()
    (other / "log-0.raw").write_bytes(b"x")
    assert outputs.others_grew()
    assert not outputs.others_grew()
    assert not others.called()
    outputs.call()
    assert others.called()
    assert not others.called()
    assert not outputs.called()
    assert not Outputs(stranger).called()


def test_output_that_goes_past_the_recorder_into_a_file_is_heard(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text("step 1\n")
    listener = Redirected()
    listener.files = frozenset({log, tmp_path / "absent"})
    listener.look()
    assert not listener.grew()
    log.write_text("step 1\nstep 2\n")
    listener.look()
    assert listener.grew()
    assert not listener.grew()
    log.write_text("")  # begun anew
    listener.look()
    assert not listener.grew()


# --- what is seen -------------------------------------------------------------------------------------------------


def test_the_kernel_tells_where_every_thread_of_any_process_waits() -> None:
    with command("sleep", "600") as child:
        until(lambda: Path(f"/proc/{child.pid}/comm").read_text() == "sleep\n", "the exec")
        until(lambda: state(child.pid) == "S", "the sleep")
        (seen,) = stacks.kernel(child.pid)
    assert (seen.pid, seen.tid, seen.kind, seen.state, seen.thread_name) == (
        child.pid,
        child.pid,
        "kernel",
        "S",
        "sleep",
    )
    assert "nanosleep" in seen.text or "system call" in seen.text
    assert not any("+0x" in line for line in seen.text.splitlines())
    assert stacks.kernel(child.pid) == []


@pytest.fixture
def fake_py_spy(tmp_path: Path) -> Callable[[str], str]:
    """Stand-ins for py-spy that go wrong as the real one could."""

    def make(script: str) -> str:
        path = tmp_path / "py-spy"
        path.write_text(f"#!/bin/sh\nfor pid; do :; done\n{script}\n")
        path.chmod(0o755)
        return str(path)

    return make


def test_a_process_that_was_left_stopped_is_set_going_again(fake_py_spy: Callable[[str], str]) -> None:
    with command("sleep", "600") as child:
        with pytest.raises(stacks.Refused):
            stacks.native(child.pid, fake_py_spy("kill -STOP $pid; kill -KILL $$"))
        assert until(lambda: state(child.pid) == "S", "the process to run again")


def test_a_stop_that_is_still_on_its_way_is_taken_back(fake_py_spy: Callable[[str], str], tmp_path: Path) -> None:
    told = tmp_path / "told"
    code = f"import signal; signal.signal(18, lambda *_: open({str(told)!r}, 'w')); print(flush=True); signal.pause()"
    with command(sys.executable, "-c", code, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        with pytest.raises(stacks.Refused):
            stacks.native(child.pid, fake_py_spy("kill -KILL $$"))
        assert until(told.exists, "SIGCONT")


def test_a_process_that_was_stopped_before_is_left_alone(fake_py_spy: Callable[[str], str]) -> None:
    with command("sleep", "600") as child:
        child.send_signal(signal.SIGSTOP)
        until(lambda: state(child.pid) == "T", "the stop")
        with pytest.raises(stacks.Refused, match="state T"):
            stacks.native(child.pid, fake_py_spy("kill -CONT $pid; echo '[]'"))
        assert state(child.pid) == "T"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("sleep 600", "did not answer within 1 s"),
        ("echo 'Error: Permission Denied: Try running again with elevated permissions' >&2; exit 1", "CAP_SYS_PTRACE"),
        ("echo 'Error: Failed to find python version from target process' >&2; exit 1", "find python version"),
        ("echo '[{'", "no JSON"),
        ("exit 3", "status 3"),
    ],
)
def test_what_goes_wrong_is_one_phrase(
    script: str, why: str, fake_py_spy: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stacks, "_PYTHON_S", 1)
    with pytest.raises(stacks.Refused, match=why):
        stacks.python(os.getpid(), fake_py_spy(script))


def test_odd_answers_do_no_harm(fake_py_spy: Callable[[str], str]) -> None:
    odd = '[1, {"os_thread_id": null, "frames": []}, {"os_thread_id": 5, "frames": [3, {"name": null, "line": true}]}]'
    (sample,) = stacks.python(os.getpid(), fake_py_spy(f"echo '{odd}'"))
    assert (sample.tid, sample.text) == (5, "? at ?:0")


@contextlib.contextmanager
def recorded(out: Path, *argv: str) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A command, and beside it in this process a recorder that watches for stalls only."""
    capture = Path(nodedir.create_capture(out, "node-a", facts={"task": 0}))
    with command(*argv, start_new_session=True) as child:
        recorder = Recorder(capture, child.pid, [Processes, stalls.Stalls])
        thread = threading.Thread(target=recorder.run)
        thread.start()
        try:
            yield capture, child
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            thread.join(PATIENCE_S)
            assert not thread.is_alive()


def rows(capture: Path, table: str) -> list[dict[str, Any]]:
    return [row for name, batch in nodedir.recover(capture.parent) if name == table for row in batch.to_pylist()]


def test_a_silent_job_is_looked_at_twice_and_the_guilty_line_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stacks.find_py_spy() is None:
        pytest.skip("py-spy is not installed")
    monkeypatch.setattr(silence, "FIRST_S", 3)
    monkeypatch.setattr(look, "BETWEEN_S", 0.5)
    script, shard = tmp_path / "train.py", tmp_path / "shard"
    script.write_text(JOB)
    os.mkfifo(shard)
    with recorded(tmp_path / "out", sys.executable, str(script), str(shard)) as (capture, child):

        def looked() -> bool:
            told = [row["collector"] for row in rows(capture, "collection")]
            return told.count("stacks_python") >= 2 and "stacks_native" in told

        until(looked, "two looks")
        assert state(child.pid) == "S"
    texts = {(row["kind"], row["stack_id"]): row["text"] for row in rows(capture, "stacks")}
    samples = [row for row in rows(capture, "stack_samples") if row["pid"] == row["tid"]]
    for rank, line in ((0, "wait_for_peer at {}:7"), (1, "read_shard at {}:4")):
        mine = [row for row in samples if row["rank"] == rank]
        python = [texts["python", row["stack_id"]] for row in mine if ("python", row["stack_id"]) in texts]
        assert sum(line.format(script) in text for text in python) >= 2, python
        assert {row["thread_name"] for row in mine} >= {"MainThread"}
        assert all(row["reason"].startswith("silent for ") for row in mine)
        assert any("kernel" in key for key in texts if key[1] in {row["stack_id"] for row in mine})
    assert len(texts) == len(rows(capture, "stacks"))  # each once, however often it was seen


def test_without_py_spy_the_kernel_still_tells_and_the_absence_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(silence, "FIRST_S", 1)
    monkeypatch.setattr(look, "BETWEEN_S", 0.1)
    monkeypatch.setattr(stacks, "find_py_spy", lambda: None)
    with recorded(tmp_path, sys.executable, "-c", "import time; time.sleep(600)") as (capture, _):
        until(lambda: any(row["collector"] == "stacks_python" for row in rows(capture, "collection")), "a look")
    said = {row["collector"]: row for row in rows(capture, "collection")}
    assert (said["stacks_python"]["outcome"], said["stacks_python"]["drops"]) == ("missing", 1)
    assert "py-spy is neither" in said["stacks_python"]["detail"]
    assert said["stacks_kernel"]["outcome"] == "ok"
    assert {row["kind"] for row in rows(capture, "stacks")} == {"kernel"}


def test_a_fault_of_ours_in_a_look_costs_the_look_and_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: int) -> list[stacks.Sample]:
        raise RuntimeError("boom")

    told: list[tuple[str, list[dict[str, Any]]]] = []
    monkeypatch.setattr(stacks, "kernel", fail)
    members = [Member(os.getpid(), 0, "rank")]
    taken = look.Look(members, "silent", twice=False, broken=lambda: False, deliver=told.append, keeper=None)
    taken.thread.start()
    taken.thread.join(PATIENCE_S)
    ((table, (row,)),) = told
    assert (table, row["collector"], row["outcome"]) == ("collection", "stacks", "failed")
    assert "boom" in row["detail"]


def test_of_several_reasons_the_most_frequent_is_told() -> None:
    tally = look.Tally()
    tally.refuse("one", "failed")
    tally.refuse("two", "denied")
    tally.refuse("two", "denied")
    row = tally.row("stacks_python", "silent for 60 s", 0)
    assert (row["outcome"], row["drops"], row["detail"]) == ("denied", 3, "silent for 60 s: 0 processes; 3 not: two")
    tally.seen = 1
    assert tally.row("stacks_python", "", 0)["outcome"] == "truncated"
