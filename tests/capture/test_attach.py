"""A job that runs already is recorded and left alone: a tree of real processes, its files, its end, and being ended."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle import nodedir
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from inquest.capture import options, plan, profiles
from inquest.capture.collectors import COLLECTORS

from .conftest import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ATTACH = [*(os.environ.get("INQUEST_UNDER_TEST") or f"{sys.executable} -m inquest").split(), "attach"]
JOB = """
import os, subprocess, sys, time
if len(sys.argv) < 3:
    sys.exit(subprocess.run([sys.executable, "-c", sys.argv[1].replace("TURN", ""), sys.argv[1], "rank"],
                            env={**os.environ, "RANK": "3"}).returncode)
step = 0
while not os.path.exists("go"):
    step += 1
    print(f"step {step} loss {5 / step:.4f}", flush=True)
    time.sleep(0.1)
raise ValueError("the data ran out")
"""


class Job:
    """A running job, its output in a file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "train.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", JOB, JOB], stdout=log, stderr=log, cwd=folder, start_new_session=True
            )
        wait_for(lambda: b"step 3 " in self.log.read_bytes(), "the job to print")

    def steps(self) -> int:
        return self.log.read_bytes().count(b"step ")

    def end(self) -> int:
        (self.folder / "go").touch()
        return self.process.wait(60)


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    found = Job(tmp_path)
    yield found
    found.end()


def attach(job: Job, *options: str) -> subprocess.Popen[bytes]:
    where = ("--pid", str(job.process.pid), "--out", str(job.folder / "rec"), "--node", "n1")
    return subprocess.Popen([*ATTACH, *where, *options], stderr=subprocess.PIPE)


def rows(job: Job, table: str) -> list[dict[str, Any]]:
    found = []
    for name, batch in nodedir.recover(job.folder / "rec" / "n1"):
        if name == table:
            found += batch.to_pylist()
    return found


def recorded(job: Job, table: str) -> list[dict[str, Any]]:
    """Rows so far, also while the recording is being begun or sealed."""
    try:
        return rows(job, table)
    except Exception:  # a live recording changes under its reader
        return []


def test_a_running_job_is_recorded_to_its_end(job: Job) -> None:
    seen = job.steps()
    with attach(job) as process:
        wait_for(lambda: len(recorded(job, "log_lines")) > seen, "lines to be recorded")
        assert job.end() == 1
        assert process.wait(60) == 0
        assert process.stderr is not None
        assert b"recording 1 task" in process.stderr.read()
    lines = sorted(rows(job, "log_lines"), key=lambda row: row["offset"])
    text = job.log.read_bytes()
    assert [row["text"] for row in lines] == [line for line in text.decode().splitlines() if line]
    assert all(text[row["offset"] :].startswith(row["text"].encode()) for row in lines)
    assert {(row["stream"], row["source"]) for row in lines} == {("file", "train.log")}
    ends = {row["pid"]: row for row in rows(job, "processes") if row["event"] == "exit"}
    assert ends[job.process.pid]["role"] == "task"
    assert ends[job.process.pid]["exit_code"] == 1
    collected = {row["collector"]: row for row in rows(job, "collection")}
    assert collected["attach"]["detail"].endswith("recorded to its end")
    assert not {"wrapper", "output"} & collected.keys(), "nothing is missing that was never promised"
    bundle = job.folder / "job.inquest"
    merge([job.folder / "rec"], bundle)
    verdict, _ = analyze(BundleStore(bundle))
    assert verdict.outcome == "decided"
    assert verdict.family == "A1"


def test_two_that_attach_to_one_job_do_not_record_each_other(tmp_path: Path) -> None:
    number = str(900_000_000 + os.getpid())
    with subprocess.Popen(["sleep", "60"], env={**os.environ, "SLURM_JOB_ID": number}) as task:
        where = ("--job", number, "--node", "n1", "--profile", "minimal")
        attached = [subprocess.Popen([*ATTACH, *where, "--out", str(tmp_path / name)]) for name in ("a", "b")]

        def recordings() -> list[int]:
            return [len(list((tmp_path / name).glob("n1/*/host_samples.*"))) for name in ("a", "b")]

        wait_for(lambda: all(recordings()), "both to record")
        time.sleep(2.5)  # each looks for tasks every half second
        found = recordings()
        task.kill()
        assert [process.wait(60) for process in attached] == [0, 0]
    assert found == [1, 1]
    assert [len(list((tmp_path / name / "n1").iterdir())) for name in ("a", "b")] == [1, 1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_who_ends_the_recording_leaves_the_job_alone(job: Job, number: signal.Signals) -> None:
    with attach(job, "--profile", "minimal") as process:
        wait_for(lambda: recorded(job, "log_lines"), "lines to be recorded")
        process.send_signal(number)
        assert process.wait(60) == (0 if number != signal.SIGKILL else -signal.SIGKILL)

    def left() -> bool:
        return any(row["collector"] == "attach" for row in recorded(job, "collection"))

    wait_for(left, "the recorder to leave")
    steps = job.steps()
    wait_for(lambda: job.steps() > steps + 2, "the job to go on")
    told = {row["collector"]: row for row in rows(job, "collection")}
    assert told["attach"]["outcome"] == "truncated"
    assert told["attach"]["detail"].endswith("ended while it ran on")
    assert told["stalls"]["detail"].startswith("left out"), "of the profile"
    assert not [row for row in rows(job, "processes") if row["event"] in ("exit", "gone")]


def test_what_a_file_holds_already_is_taken_from_its_ends(tmp_path: Path) -> None:
    log = tmp_path / "big.log"
    before = b"".join(b"line %d of earlier\n" % n for n in range(100_000))
    log.write_bytes(before)
    with log.open("ab") as file:
        process = subprocess.Popen(["sleep", "300"], stdout=file, stderr=file)
    try:
        argv = [
            *ATTACH,
            "--pid",
            str(process.pid),
            "--out",
            str(tmp_path / "rec"),
            "--node",
            "n1",
            "--profile",
            "minimal",
        ]
        with subprocess.Popen(argv, stderr=subprocess.DEVNULL) as recording:
            found = Job.__new__(Job)
            found.folder = tmp_path
            wait_for(lambda: recorded(found, "log_gaps"), "the earlier lines")
            with log.open("ab") as file:
                file.write(b"a line of now\n")
            wait_for(
                lambda: (
                    recorded(found, "log_lines")[-1:] and recorded(found, "log_lines")[-1]["text"] == "a line of now"
                ),
                "it",
            )
            recording.terminate()
            recording.wait(60)
    finally:
        process.kill()
        process.wait()
    texts = [row["text"] for row in rows(found, "log_lines")]
    assert texts[0] == "line 0 of earlier"
    assert texts[-2:] == ["line 99999 of earlier", "a line of now"]
    (gap,) = rows(found, "log_gaps")
    assert gap["reason"] == "written before inquest was attached"
    assert sum(len(text) + 1 for text in texts) + gap["bytes"] == len(before) + len(b"a line of now\n")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--pid", "999999999"), 5, "there is no process 999999999"),
        (("--job", "987654321"), 5, "no process of job 987654321"),
        ((), 2, "say what to attach to"),
        (("--pid", "1", "--job", "2"), 2, "say what to attach to"),
        (("--job", "1+2_3"), 2, "is no number of a Slurm job"),
        (("--job", "987654321+1"), 5, "no process of job 987654321+1"),
        (("--pid", "1", "--wait"), 2, "--wait waits for processes of a job"),
        (("--pid", "1", "--skip", "nvlm"), 2, "names no collector 'nvlm'"),
        (("--pid", "1", "--log-budget", "1K"), 2, "write for instance 64M"),
        (("--pid", "1", "train.py"), 2, "takes no argument"),
    ],
)
def test_what_cannot_be_recorded_is_said(tmp_path: Path, arguments: tuple[str, ...], code: int, says: str) -> None:
    done = subprocess.run([*ATTACH, *arguments], capture_output=True, cwd=tmp_path, check=False)
    assert done.returncode == code
    assert says in done.stderr.decode()
    assert not list(tmp_path.iterdir())


def test_names_of_collectors_are_known_without_loading_them() -> None:
    assert tuple(kind.name for kind in COLLECTORS) == profiles.NAMES
    assert profiles.chosen("minimal", (), ("nvml",)) == [
        name for name in profiles.chosen("minimal", (), ()) if name != "nvml"
    ]
    assert profiles.chosen("minimal", ("sched",), ()) == ["sched"]


def test_a_dry_run_starts_nothing(tmp_path: Path) -> None:
    run = [*ATTACH[:-1], "run", "--dry-run", "--skip", "nvml", "--out", str(tmp_path / "rec"), "--", "touch", "ran"]
    done = subprocess.run(run, capture_output=True, cwd=tmp_path, check=True)
    text = done.stdout.decode()
    assert "would record  touch ran" in text
    assert [line.split() for line in text.splitlines() if line.startswith("nvml")] == [["nvml", "left", "out"]]
    assert not list(tmp_path.iterdir())


def test_an_estimate_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "_SETTLE_S", 2.0)
    monkeypatch.setattr(plan, "_MEASURE_S", 1.0)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    asked = options.parse(["--estimate-only", "--only", "clock,host", "--", "touch", str(tmp_path / "ran")], {})
    told = list(plan.estimate(asked, None))
    assert re.match(r"2 collectors, measured for \d+ s", told[0])  # a busy machine takes longer than it was asked to
    assert [line.split()[0] for line in told[1:4]] == ["CPU", "memory", "disk"]
    assert not list(tmp_path.iterdir())


def test_a_file_that_two_tasks_share_is_followed_once(tmp_path: Path) -> None:
    """The second recorder takes over when the first one ends, and repeats nothing."""
    log = tmp_path / "shared.log"
    log.write_bytes(b"before\n")
    found = Job.__new__(Job)
    found.folder = tmp_path
    with log.open("ab") as file:
        jobs = [subprocess.Popen(["sleep", "300"], stdout=file, stderr=file) for _ in range(2)]
    where = ("--out", str(tmp_path / "rec"), "--node", "n1", "--profile", "minimal")
    recordings: list[subprocess.Popen[bytes]] = []
    try:
        for number, process in enumerate(jobs):
            recordings.append(subprocess.Popen([*ATTACH, "--pid", str(process.pid), *where], stderr=subprocess.DEVNULL))
            with log.open("ab") as file:
                file.write(b"line %d\n" % number)
            wait_for(lambda number=number: f"line {number}" in texts(found), "the line")
        wait_for(lambda: len(list((tmp_path / "rec").glob("n1/*/processes.*"))) == 2, "both recorders")
        jobs[0].kill()
        assert recordings[0].wait(60) == 0

        def goes_on() -> bool:
            with log.open("ab") as file:
                file.write(b"later\n")
            return "later" in texts(found)

        wait_for(goes_on, "the other recorder to follow it")
    finally:
        for process in (*recordings, *jobs):
            process.kill()
            process.wait()
    told = [text for text in texts(found) if text != "later"]
    assert told == ["before", "line 0", "line 1"]
    assert not rows(found, "log_gaps")


def texts(job: Job) -> list[str]:
    """Lines recorded so far."""
    return [row["text"] for row in sorted(recorded(job, "log_lines"), key=lambda row: row["offset"])]
