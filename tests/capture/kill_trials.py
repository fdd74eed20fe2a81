"""SIGKILL one process of inquest at a random moment: the job, its output and what was recorded must not care.

``python tests/capture/kill_trials.py 300 [SEED]`` runs as many trials and prints each failure and a summary. A trial
follows from its seed, but for the scheduling of the machine. Victims: the wrapper's parent, a pump, the guard, the
recorder. Moments: uniform from before the wrapper has started to after the job has ended, so start-up, running,
sealing and end are all hit.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    __package__ = "tests.capture"

from inquest.bundle.frames import FrameReader

from .conftest import INQUEST, PLAIN_PYTHON, helpers, kill, read_log

VICTIMS = ("parent", "pump", "pump", "guard", "recorder")
SINKS = ("append", "file", "pipe")
SPAN_S = 1.4
"""The wrapper starts in about 0.1 s, the job prints for about 0.5 s, the recorder has 1 s to seal."""
LINES = 600
JOB = """
import os, sys, time
open('began', 'w')
for i in range(int(sys.argv[1])):
    os.write(1, b'%06d ' % i + bytes((i + j) % 256 for j in range(i % 700)) + b'\\n')
    if i % 5 == 0: time.sleep(0.003)
os._exit(7)
"""
EXPECTED = b"".join(b"%06d " % i + bytes((i + j) % 256 for j in range(i % 700)) + b"\n" for i in range(LINES))


@dataclass
class Result:
    seed: int
    victim: str
    sink: str
    moment_s: float
    hit: bool
    gap_bytes: int = 0
    states: tuple[str, ...] = ()
    failure: str = ""


def trial(seed: int) -> Result:
    """One job, one kill; ``failure`` says what was wrong."""
    chance = random.Random(seed)
    result = Result(seed, chance.choice(VICTIMS), chance.choice(SINKS), chance.uniform(0, SPAN_S), False)
    with tempfile.TemporaryDirectory(prefix="inquest-trial-", ignore_cleanup_errors=True) as name:
        work = Path(name)
        try:
            _trial(result, work)
        except AssertionError as error:
            result.failure = str(error) or "an assertion failed"
    return result


def _trial(result: Result, work: Path) -> None:
    out, target = work / "out", work / "target"
    argv = [*INQUEST, "--out", str(out), "--node", "n1", "--", *PLAIN_PYTHON, "-c", JOB, str(LINES)]
    received: list[bytes] = []
    begin = time.monotonic()
    if result.sink == "pipe":
        process = subprocess.Popen(argv, cwd=work, stdout=subprocess.PIPE)
        reader = threading.Thread(target=lambda: received.append(process.stdout.read()))
        reader.start()
    else:
        with open(target, "ab" if result.sink == "append" else "wb") as file:
            process = subprocess.Popen(argv, cwd=work, stdout=file)
    time.sleep(max(0.0, begin + result.moment_s - time.monotonic()))
    roles = {"parent": [process.pid]} if result.victim == "parent" else helpers(process.pid)
    if process.poll() is None and roles[result.victim]:
        result.hit = kill(roles[result.victim][0], signal.SIGKILL)
    code = process.wait(60)
    began = (work / "began").exists()
    deadline = time.monotonic() + 30
    # Where the parent died the job goes on by itself; its output must still arrive whole.
    while True:
        began = began or (work / "began").exists()
        output = target.read_bytes() if result.sink != "pipe" else b"".join(received)
        if len(output) >= len(EXPECTED) or time.monotonic() > deadline:
            break
        if result.victim == "parent" and result.hit and not began and time.monotonic() > begin + result.moment_s + 3:
            break  # killed before it could start the job, as a bare command killed at that moment
        time.sleep(0.02)
    if result.sink == "pipe":
        reader.join(30)
        output = b"".join(received)
        process.stdout.close()
    if result.victim == "parent" and result.hit:
        assert code == -signal.SIGKILL, f"status {code}"
    else:
        assert code == 7, f"status {code} in place of 7"
    assert output == (EXPECTED if began else b""), f"{len(output)} of {len(EXPECTED)} bytes, or others"
    if began:
        _check_records(result, out)


def _check_records(result: Result, out: Path) -> None:
    captures = list((out / "n1").iterdir())
    assert len(captures) == 1, f"{len(captures)} captures"
    capture = captures[0]
    deadline = time.monotonic() + 30
    while True:  # the pump of a killed parent, or a sealing recorder, may still be writing
        try:
            image, result.gap_bytes = read_log(capture, 0)
        except (AssertionError, OSError):
            image = b""
        if len(image) == len(EXPECTED) or time.monotonic() > deadline:
            break
        time.sleep(0.05)
    image, result.gap_bytes = read_log(capture, 0)
    if len(image) == len(EXPECTED):
        wrong = [at for at, (a, b) in enumerate(zip(image, EXPECTED, strict=True)) if a != b]
        assert len(wrong) <= result.gap_bytes, f"the record differs from the output at {wrong[:3]}"
    else:
        raise AssertionError(f"the record ends at {len(image)} of {len(EXPECTED)}")
    states = []
    for path in sorted(capture.glob("*.raw")) + sorted(capture.glob("*.journal")):
        try:
            states.append(FrameReader(path).state)
        except FileNotFoundError:  # sealed meanwhile
            continue
    result.states = tuple(states)
    assert "corrupt" not in states, states


def main(count: int, seed: int) -> int:
    print(f"{count} trials from seed {seed}", flush=True)
    failures = 0
    hits: Counter[str] = Counter()
    states: Counter[str] = Counter()
    gaps = []
    for number in range(count):
        result = trial(seed + number)
        hits[f"{result.victim} {'hit' if result.hit else 'not there at that moment'}"] += 1
        states.update(result.states)
        gaps.append(result.gap_bytes)
        if result.failure:
            failures += 1
            print(f"FAILED {result}", flush=True)
    print(f"failures: {failures}; {dict(hits)}; states of files: {dict(states)}")
    print(f"bytes passed on and not recorded: {sum(gaps)} in {sum(map(bool, gaps))} trials, at most {max(gaps)}")
    return failures


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time()))))
