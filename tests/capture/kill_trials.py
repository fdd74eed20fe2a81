"""SIGKILL one process of inquest at a random moment: the job, its output and what was recorded must not care.

``python tests/capture/kill_trials.py 300 [SEED]`` runs until as many processes were killed and prints each failure and
a summary. A trial follows from its seed, but for the scheduling of the machine. It aims at a phase (start-up, the
running job, the end, sealing, or a recorder that rotates and seals all the time), waits until that has begun, and for
a uniformly drawn time more; the victim is drawn from the processes of inquest that exist then. A trial whose phase was
over by that time is not counted.
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
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    __package__ = "tests.capture"

from inquest.bundle import nodedir
from inquest.bundle.frames import FrameReader
from inquest.bundle.journal import JOURNAL_SEQ
from inquest.bundle.merge import merge
from inquest.bundle.recovery import RecoveryReport

from .conftest import INQUEST, PLAIN_PYTHON, helpers, kill, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

PHASES = {"start": 0.15, "run": 0.8, "end": 0.4, "seal": 0.15, "rotate": 1.0}
"""Seconds from the begin of a phase within which the kill falls."""
SINKS = ("append", "file", "pipe")
LINES = 600
PATIENCE_S = 60.0
JOB = """
import os, sys, time
open('began', 'w')
letters = b'abcdefghijklmnopqrstuvwxyz ' * 30
for i in range(int(sys.argv[1])):
    os.write(1, b'%06d ' % i + letters[i % 26:][:i % 700] + b'.\\n')
    if i % 5 == 0: time.sleep(0.003)
while os.path.exists('hold'): time.sleep(0.01)
open('ended', 'w')
os._exit(7)
"""
LETTERS = b"abcdefghijklmnopqrstuvwxyz " * 30
EXPECTED = b"".join(b"%06d " % i + LETTERS[i % 26 :][: i % 700] + b".\n" for i in range(LINES))
ROTATING = """
import os, sys
from inquest.bundle import journal
from inquest.capture import recorder
journal.Journal.__init__.__kwdefaults__["segment_s"] = 0.05
recorder.PERIOD_NS, recorder._GATHER_NS, recorder._SEAL_EVERY = 50_000_000, 5_000_000, 3
os._exit(recorder.main(sys.argv[1:]))
"""


@dataclass
class Result:
    seed: int
    phase: str
    sink: str
    delay_s: float
    victim: str = ""
    gap_bytes: int = 0
    unflushed_s: float | None = None
    states: tuple[str, ...] = ()
    failure: str = ""


@dataclass
class _Running:
    """One wrapped job."""

    work: Path
    sink: str
    process: subprocess.Popen[bytes]
    received: list[bytes] = field(default_factory=list)
    reader: threading.Thread | None = None

    @property
    def began(self) -> bool:
        return (self.work / "began").exists()

    def captures(self) -> list[Path]:
        return list((self.work / "out" / "n1").glob("*"))

    def is_over(self) -> bool:
        return self.process.poll() is not None

    def output(self) -> bytes:
        if self.reader is None:
            return (self.work / "target").read_bytes()
        self.reader.join(PATIENCE_S)
        self.process.stdout.close()
        return b"".join(self.received)

    def ours(self) -> list[int]:
        """Processes of this trial's inquest, orphans too: each has our directory in its command line."""
        mark = str(self.work / "out").encode()
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if mark in path.read_bytes():
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return found


def trial(seed: int) -> Result:
    """One job, one kill; ``victim`` is empty where there was nothing to kill, ``failure`` says what was wrong."""
    chance = random.Random(seed)
    phase = chance.choice(list(PHASES))
    result = Result(seed, phase, chance.choice(SINKS), chance.uniform(0, PHASES[phase]))
    with tempfile.TemporaryDirectory(prefix="inquest-trial-", ignore_cleanup_errors=True) as name:
        try:
            _trial(result, Path(name), chance)
        except Exception as error:  # the other trials go on
            result.failure = f"{type(error).__name__}: {error}"
    return result


def _start(work: Path, sink: str, *options: str) -> _Running:
    argv = [*INQUEST, "--out", str(work / "out"), "--node", "n1", *options]
    argv += ["--", *PLAIN_PYTHON, "-c", JOB, str(LINES)]
    if sink == "pipe":
        running = _Running(work, sink, subprocess.Popen(argv, cwd=work, stdout=subprocess.PIPE))
        stream = running.process.stdout
        running.reader = threading.Thread(target=lambda: running.received.append(stream.read()), daemon=True)
        running.reader.start()
        return running
    with open(work / "target", "ab" if sink == "append" else "wb") as file:
        return _Running(work, sink, subprocess.Popen(argv, cwd=work, stdout=file))


def _trial(result: Result, work: Path, chance: random.Random) -> None:
    rotates = result.phase == "rotate"
    if rotates:
        (work / "hold").touch()
    running = _start(work, result.sink, *(["--no-recorder"] if rotates else []))
    process = running.process
    recorder = None
    if rotates:
        job = wait_for(lambda: helpers(process.pid)["job"] if running.began else None, "the job")
        (record,) = wait_for(lambda: list(work.glob("out/n1/*/task.raw")), "the recording")
        command = [sys.executable, "-c", ROTATING, str(record.parent), str(job[0])]
        recorder = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    begun: dict[str, Callable[[], object]] = {
        "start": lambda: True,
        "run": lambda: running.began,
        "end": (work / "ended").exists,
        "seal": lambda: list(work.glob("out/n1/*/*.seal")) + list(work.glob("out/n1/*/.*.tmp")),
        "rotate": lambda: list(work.glob("out/n1/*/host_samples.*.seal")),
    }
    try:
        wait_for(lambda: begun[result.phase]() or running.is_over(), result.phase, PATIENCE_S)
        time.sleep(result.delay_s)
        killed_ns = time.monotonic_ns()
        if recorder is not None:
            victims = {"rotating recorder": [recorder.pid]}
        elif running.is_over():
            victims = {}
        else:
            victims = {"parent": [process.pid], **helpers(process.pid)}
            victims.pop("job", None)
            if result.phase == "seal":
                victims = {"recorder": victims["recorder"]}
        roles = sorted(role for role, pids in victims.items() if pids)
        if roles:
            role = chance.choice(roles)
            if kill(chance.choice(victims[role]), signal.SIGKILL):
                result.victim = role
    finally:
        if recorder is not None:
            recorder.wait(PATIENCE_S)
        (work / "hold").unlink(missing_ok=True)
    code = process.wait(PATIENCE_S)
    wait_for(lambda: not running.ours(), "our processes to end", PATIENCE_S)
    began = running.began
    output = running.output()
    if result.victim == "parent":
        assert code in (-signal.SIGKILL, 7), f"status {code}"
    else:
        assert code == 7, f"status {code} in place of 7"
        assert began
    assert output == (EXPECTED if began else b""), f"{len(output)} of {len(EXPECTED)} bytes, or others"
    if began and (result.victim != "parent" or _was_adopted(work)):
        _check_records(result, work, killed_ns, code)


def _was_adopted(work: Path) -> bool:
    """Whether the recording had begun: a job of the agent runs before that, and a parent killed then has none."""
    records = list(work.glob("out/n1/*/task.raw"))
    return bool(records) and any(b'"start"' in frame for frame in FrameReader(records[0]))


def _check_records(result: Result, work: Path, killed_ns: int, code: int) -> None:
    (capture,) = (work / "out" / "n1").iterdir()
    report = RecoveryReport()
    rows: dict[str, list[dict[str, Any]]] = {}
    for table, batch in nodedir.recover(work / "out" / "n1", report):
        rows.setdefault(table, []).extend(batch.to_pylist())
    result.states = tuple(segment.state for segment in report.segments)
    bad = [one for one in report.segments if one.state in ("corrupt", "unreadable", "missing")]
    assert not bad, bad
    for table, found in rows.items():
        assert {(row["node"], row["capture"]) for row in found} == {("n1", capture.name)}, table
        assert len({row["seq"] for row in found}) == len(found), f"rows of {table} occur twice"
    _check_lines(result, rows.get("log_lines", []), rows.get("log_gaps", []))
    events = [row for row in rows.get("processes", []) if row["seq"] < JOURNAL_SEQ]  # those of the wrapper
    ends = [row["exit_code"] for row in events if row["event"] == "exit"]
    assert ends == [7] or (ends == [] and code != 7), f"ends {ends} with status {code}"
    samples = sorted(rows.get("host_samples", []), key=lambda row: row["seq"])
    for one, two in pairwise(samples):
        follows = two["seq"] == one["seq"] + 1 or two["seq"] >> 32 == (one["seq"] >> 32) + 1
        assert follows, "a row before the last is missing"
        assert two["ts_mono_ns"] > one["ts_mono_ns"], "samples out of order"
    if samples and "recorder" in result.victim:
        result.unflushed_s = max(0.0, (killed_ns - samples[-1]["ts_mono_ns"]) / 1e9)
    merged = merge([work / "out" / "n1"], work / "job.inquest")
    assert not merged.duplicates, merged.duplicates
    counts = {table: len(found) for table, found in rows.items()}
    assert {table: merged.rows_out.get(table) for table in counts} == counts, (merged.rows_out, counts)
    again = merge([work / "out" / "n1", work / "job.inquest"], work / "again.inquest")
    assert again.content_digest == merged.content_digest, "merging again changes it"
    assert not again.conflicts, again.conflicts


def _check_lines(result: Result, lines: list[dict[str, Any]], gaps: list[dict[str, Any]]) -> None:
    """Every byte is in one line, in one gap, or ends a line; no text is other than what was printed there."""
    lines = [row for row in lines if row["stream"] == "stdout"]
    spans = [(row["offset"], row["line_bytes"]) for row in lines]
    for row in lines:
        printed = EXPECTED[row["offset"] :][: row["line_bytes"]].decode()
        assert row["text"] == printed, f"a line at {row['offset']} was never printed"
    result.gap_bytes = sum(row["bytes"] for row in gaps)
    assert not gaps or result.victim == "pump", f"{gaps} without a killed pump"
    at = 0
    for offset, length in sorted(spans + [(row["offset"], row["bytes"]) for row in gaps if row["stream"] == "stdout"]):
        assert offset >= at, f"two records speak for byte {offset}"
        assert not EXPECTED[at:offset].strip(b"\n"), f"bytes {at} to {offset} are neither recorded nor reported as lost"
        at = offset + length
    assert not EXPECTED[at:].strip(b"\n"), f"the record ends at {at} of {len(EXPECTED)}"


def main(count: int, seed: int) -> int:
    print(f"{count} kills from seed {seed}", flush=True)
    failures = missed = number = 0
    hits: Counter[str] = Counter()
    states: Counter[str] = Counter()
    gaps: list[int] = []
    unflushed: list[float] = []
    while hits.total() < count:
        result = trial(seed + number)
        number += 1
        if result.failure:
            failures += 1
            print(f"FAILED {result}", flush=True)
        if not result.victim:
            missed += 1
            continue
        hits[f"{result.phase}: {result.victim}"] += 1
        if hits.total() % 50 == 0:
            print(f"{hits.total()} kills, {failures} failures", flush=True)
        states.update(result.states)
        gaps.append(result.gap_bytes)
        if result.unflushed_s is not None:
            unflushed.append(result.unflushed_s)
    print(f"failures: {failures} in {hits.total()} kills; {missed} more trials found nothing to kill")
    for hit, times in sorted(hits.items()):
        print(f"  {times:4} {hit}")
    print(f"states of files: {dict(states)}")
    print(f"bytes passed on and not recorded: {sum(gaps)} in {sum(map(bool, gaps))} trials, at most {max(gaps)}")
    if unflushed:
        print(f"last host sample before the kill of a recorder: at most {max(unflushed):.2f} s old")
    return failures


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time()))))
