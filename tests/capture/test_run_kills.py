"""Any one process of inquest may die at any moment."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import pytest

from inquest.bundle import nodedir

from .conftest import PLAIN_PYTHON, Wrapped, both_ways, children, comm, helpers, kill, read_log, wait_for
from .kill_trials import trial

if TYPE_CHECKING:
    from pathlib import Path


def test_twenty_random_kills() -> None:
    seed = int(time.time())
    print(f"seed {seed}")
    results = [trial(seed)]
    while sum(bool(result.victim) for result in results) < 20:
        results.append(trial(seed + len(results)))
    failed = [result for result in results if result.failure]
    assert not failed, "\n".join(map(str, failed))


# Prints numbered blocks of random length, for about two seconds however fast the machine is.
CHATTER = (
    "import os, random, time\n"
    "chance, end = random.Random(3), time.monotonic() + 2\n"
    "while time.monotonic() < end:\n"
    "    for i in range(20): os.write(1, chance.randbytes(chance.randrange(1, 9000)))\n"
    "    time.sleep(0.001)\n"
    "os._exit(9)"
)


def chatter(length: int) -> str:
    """Digest of the first ``length`` bytes CHATTER prints."""
    chance, digest, done = random.Random(3), hashlib.sha256(), 0
    while done < length:
        data = chance.randbytes(chance.randrange(1, 9000))[: length - done]
        digest.update(data)
        done += len(data)
    return digest.hexdigest()


@pytest.mark.parametrize("sink", ["append", "file", "pipe", "full pipe", "stopped"])
def test_a_pump_that_is_killed_all_the_time(wrapped: Wrapped, tmp_path: Path, sink: str) -> None:
    """Hundreds of kills at random moments: not a byte lost, not a byte twice."""
    seed = int(time.time())
    print(f"seed {seed}")
    chance = random.Random(seed)
    target = tmp_path / "target"
    received: list[bytes] = []
    command = (*PLAIN_PYTHON, "-c", CHATTER)
    if "pipe" in sink:
        process = wrapped.popen(*command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        pause = 0.004 if sink == "full pipe" else 0

        def read() -> None:
            while data := os.read(process.stdout.fileno(), 1 << 16):
                received.append(data)
                time.sleep(pause)

        reader = threading.Thread(target=read)
        reader.start()
    else:
        with open(target, "ab" if sink != "file" else "wb") as file:
            process = wrapped.popen(*command, stdout=file, stderr=subprocess.DEVNULL)
    kills = 0
    while process.poll() is None:
        # By the pid of /proc, so that a pump is hit in its first instructions, too: only guards are spared.
        pumps = [pid for pid in children(process.pid) if comm(pid) == "inquest-pump"]
        for pid in pumps[:1]:
            kills += kill(pid, signal.SIGSTOP if sink == "stopped" else signal.SIGKILL)
        time.sleep(chance.expovariate(150))
    if "pipe" in sink:
        reader.join()
        process.stdout.close()
        output = b"".join(received)
    else:
        output = target.read_bytes()
    assert process.returncode == 9
    assert kills >= 50, f"only {kills} kills"
    assert hashlib.sha256(output).hexdigest() == chatter(len(output)), f"after {kills} kills"
    wait_for(lambda: len(read_log(wrapped.capture(), 0)[0]) == len(output), "the record")
    print(f"{kills} kills, {len(output)} bytes, {read_log(wrapped.capture(), 0)[1]} not recorded")


@both_ways
def test_the_job_survives_its_wrapper(wrapped: Wrapped, tmp_path: Path) -> None:
    code = "import os, time\nfor i in range(100): os.write(1, b'%d\\n' % i); time.sleep(0.02)\nopen('done', 'w')"
    with open(tmp_path / "target", "ab") as file:
        process = wrapped.popen(*PLAIN_PYTHON, "-c", code, stdout=file, cwd=tmp_path)
    wait_for(lambda: wrapped.events("start"), "the recording")
    process.kill()
    process.wait()
    wait_for((tmp_path / "done").exists, "the job")
    expected = b"".join(b"%d\n" % i for i in range(100))
    wait_for(lambda: (tmp_path / "target").read_bytes() == expected, "its output")
    wait_for(lambda: wrapped.recorded() == expected, "its record")


def test_a_parent_killed_before_it_wrote_anything_down(wrapped: Wrapped, tmp_path: Path) -> None:
    """Between the job's start and the first event: the record names the command, and says that nobody came."""
    dies = (
        "import os, sys\n"
        "from inquest.capture import run\n"
        "run._Parent._begin = lambda self: os.kill(os.getpid(), 9)\n"
        "run.main(sys.argv[1:])"
    )
    argv = [sys.executable, "-c", dies, *wrapped.argv("sh", "-c", "echo ran > ran")[len(wrapped.command) :]]
    assert subprocess.run(argv, cwd=tmp_path, check=False).returncode == -signal.SIGKILL
    wait_for((tmp_path / "ran").exists, "the job")
    rows: dict[str, list[dict[str, object]]] = {}
    for table, batch in nodedir.recover(wrapped.out / "n1"):
        rows.setdefault(table, []).extend(batch.to_pylist())
    (start,) = rows["processes"]
    assert (start["event"], start["state"], start["argv"]) == ("start", "planned", "sh -c echo ran > ran")
    assert start["cwd"] == str(tmp_path)
    (wrapper,) = (row for row in rows["collection"] if row["collector"] == "wrapper")
    assert wrapper["outcome"] == "truncated"
    assert "no recorder came" in f"{wrapper['detail']}"


def test_a_lost_recorder_is_started_again_three_times(wrapped: Wrapped) -> None:
    argv = wrapped.argv("sleep", "60", options=())
    process = subprocess.Popen(argv)
    job = wait_for(lambda: helpers(process.pid)["job"], "the job")
    seen: set[int] = set()

    def fresh() -> int:
        return next((pid for pid in helpers(process.pid)["recorder"] if pid not in seen), 0)

    for start in range(4):
        pid = wait_for(fresh, f"recorder number {start}")
        seen.add(pid)
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: len(wrapped.notes()) == 4, "four notes")
    assert [("again" in note) for note in wrapped.notes()] == [True, True, True, False]
    os.kill(job[0], signal.SIGTERM)
    assert process.wait(60) == -signal.SIGTERM
