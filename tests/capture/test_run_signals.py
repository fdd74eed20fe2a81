"""A signal reaches the job exactly once, whoever sends it to whatever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from .conftest import PLAIN_PYTHON, Wrapped, both_ways, helpers, kill, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Counts what arrives, tells after each, and ends when told to.
COUNTER = """
import os, signal, sys
counts = {}
def seen(number, frame):
    counts[number] = counts.get(number, 0) + 1
    with open('counts.new', 'w') as file: file.write(repr(counts))
    os.rename('counts.new', 'counts')
for number in (1, 2, 3, 10, 12, 15, 18, 28, 40): signal.signal(number, seen)
open('counts.new', 'w').write('{}'); os.rename('counts.new', 'counts')
while not os.path.exists('stop'): signal.sigtimedwait((), 0.01)
os._exit(6)
"""


class Counted:
    """A wrapped job in a process group of its own, that counts signals."""

    def __init__(self, wrapped: Wrapped, work: Path) -> None:
        self.work = work
        self.wrapped = wrapped
        self.process = wrapped.popen(*PLAIN_PYTHON, "-c", COUNTER, cwd=work, start_new_session=True)
        wait_for((work / "counts").exists, "the job")
        wait_for(lambda: helpers(self.process.pid)["guard"], "the guard")

    def counts(self) -> dict[int, int]:
        return eval((self.work / "counts").read_text())

    def got(self, number: int, times: int) -> None:
        wait_for(lambda: self.counts().get(number, 0) >= times, f"signal {number} number {times}: {self.counts()}")

    def end(self) -> dict[int, int]:
        time.sleep(0.3)  # a second delivery would come now
        (self.work / "stop").touch()
        assert self.process.wait(60) == 6
        return self.counts()


@pytest.fixture
def counted(wrapped: Wrapped, tmp_path: Path) -> Iterator[Counted]:
    work = tmp_path / "work"
    work.mkdir()
    job = Counted(wrapped, work)
    yield job
    kill(-job.process.pid, signal.SIGKILL)
    job.process.wait()


NUMBERS = (1, 2, 3, 10, 12, 15, 40)


@both_ways
def test_sent_to_the_wrapper_alone(counted: Counted) -> None:
    for number in NUMBERS:
        os.kill(counted.process.pid, number)
        counted.got(number, 1)
    assert counted.end() == dict.fromkeys(NUMBERS, 1)
    assert [(e["signal"], e["forwarded"]) for e in counted.wrapped.events("signal")] == [(n, True) for n in NUMBERS]
    assert {e["sender_pid"] for e in counted.wrapped.events("signal")} == {os.getpid()}
    assert {e["sender_uid"] for e in counted.wrapped.events("signal")} == {os.getuid()}


@both_ways
def test_sent_to_the_group(counted: Counted) -> None:
    for number in NUMBERS:
        os.killpg(counted.process.pid, number)
        counted.got(number, 1)
    wait_for(lambda: len(counted.wrapped.events("signal")) == len(NUMBERS), "the events")
    assert counted.end() == dict.fromkeys(NUMBERS, 1)
    assert [(e["signal"], e["forwarded"]) for e in counted.wrapped.events("signal")] == [(n, False) for n in NUMBERS]


@both_ways
def test_sent_to_every_process_of_the_step(counted: Counted) -> None:
    """As scancel does: one kill(2) after the other."""
    roles = helpers(counted.process.pid)
    for pid in (counted.process.pid, *roles["job"], *roles["pump"], *roles["guard"]):
        kill(pid, signal.SIGTERM)  # as scancel, it lists first: a pump of the launcher may have given way since
        time.sleep(0.002)
    counted.got(signal.SIGTERM, 1)
    assert counted.end() == {signal.SIGTERM: 1}


def test_sent_to_the_group_and_to_the_wrapper_in_turn(counted: Counted) -> None:
    for turn in range(10):
        if turn % 2:
            os.killpg(counted.process.pid, signal.SIGUSR1)
        else:
            os.kill(counted.process.pid, signal.SIGUSR1)
        counted.got(signal.SIGUSR1, turn + 1)
        time.sleep(0.25)
    assert counted.end() == {signal.SIGUSR1: 10}


def test_sent_by_the_job_to_its_group(wrapped: Wrapped) -> None:
    code = (
        "import os, signal, time; n = []; signal.signal(15, lambda *a: n.append(1)); os.kill(0, 15); time.sleep(0.4)\n"
        "print(len(n))"
    )
    done = wrapped.python(code, start_new_session=True)
    assert (done.returncode, done.stdout) == (0, b"1\n")


def test_a_stopped_guard_still_shows_the_group(counted: Counted) -> None:
    (guard,) = helpers(counted.process.pid)["guard"]
    os.kill(guard, signal.SIGSTOP)
    os.killpg(counted.process.pid, signal.SIGTERM)
    counted.got(signal.SIGTERM, 1)
    assert counted.end() == {signal.SIGTERM: 1}


def test_death_by_a_forwarded_signal_is_the_status(wrapped: Wrapped) -> None:
    process = wrapped.popen("sleep", "60", start_new_session=True)
    wait_for(lambda: helpers(process.pid)["job"] and helpers(process.pid)["guard"], "the job")
    process.terminate()
    assert process.wait(60) == -signal.SIGTERM


def test_timeout_ends_the_job_and_its_checkpoint_handler_runs(wrapped: Wrapped) -> None:
    code = (
        "import signal, sys, time\n"
        "signal.signal(15, lambda *a: (print('saved', flush=True), sys.exit(9)))\n"
        "time.sleep(60)"
    )
    argv = ["timeout", "--preserve-status", "2", *wrapped.argv(*PLAIN_PYTHON, "-c", code)]
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (9, b"saved\n")


@both_ways
def test_an_ignored_signal_stays_ignored(wrapped: Wrapped, tmp_path: Path) -> None:
    """nohup, and a shell's background jobs."""
    code = "import time\nopen('ready', 'w')\nfor i in range(50): time.sleep(0.01)"
    process = subprocess.Popen(
        wrapped.argv(sys.executable, "-I", "-S", "-c", code),
        cwd=tmp_path,
        preexec_fn=lambda: [signal.signal(number, signal.SIG_IGN) for number in (signal.SIGHUP, signal.SIGINT)],
    )
    wait_for((tmp_path / "ready").exists, "the job")
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0
