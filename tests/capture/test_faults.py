"""What may happen to a recording in mid-run, and the job must not notice."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore

from .conftest import PLAIN_PYTHON, Wrapped, helpers, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

# Prints a line every 10 ms until the file `stop` is there, then a last one, and ends with 3.
TALKER = (
    "import os, time\n"
    "number = 0\n"
    "while not os.path.exists('stop'):\n"
    "    os.write(1, b'line %d\\n' % number); number += 1; time.sleep(0.01)\n"
    "os.write(1, b'end %d\\n' % number)\n"
    "os._exit(3)"
)


class Talker:
    """A wrapped job that talks until it is told to end, with its recorder."""

    def __init__(self, wrapped: Wrapped, work: Path, *before: str, **kwargs: object) -> None:
        self.work = work
        self.target = work / "target"
        with open(self.target, "ab") as file:
            argv = wrapped.argv(*before, *PLAIN_PYTHON, "-c", TALKER, options=())
            self.process = subprocess.Popen(argv, stdout=file, cwd=work, **kwargs)  # type: ignore[call-overload]
        wait_for(lambda: helpers(self.process.pid)["recorder"], "the recorder")
        wait_for(lambda: self.target.stat().st_size, "the first line")

    def goes_on(self) -> None:
        """The job prints more than it has so far."""
        size = self.target.stat().st_size
        wait_for(lambda: self.target.stat().st_size > size + 20, "more output")

    def end(self) -> float:
        """Have the job end, and check that it did as bare; seconds from its last word to the wrapper's end."""
        (self.work / "stop").touch()
        lines = wait_for(
            lambda: b"end " in self.target.read_bytes() and self.target.read_bytes().split(b"\n"), "the end"
        )
        said = time.monotonic()
        assert self.process.wait(60) == 3
        *numbered, last, _ = lines
        assert numbered == [b"line %d" % number for number in range(len(numbered))]
        assert last == b"end %d" % len(numbered)
        return time.monotonic() - said


@pytest.fixture
def talker(wrapped: Wrapped, tmp_path: Path) -> Iterator[Talker]:
    running = Talker(wrapped, tmp_path)
    yield running
    running.process.kill()


@pytest.mark.parametrize("role", ["recorder", "guard", "pump"])
def test_a_stopped_process_of_ours(wrapped: Wrapped, talker: Talker, role: str) -> None:
    """SIGSTOP, as a debugger, a freezer or a mistaken operator sends it."""
    stopped = helpers(talker.process.pid)[role][0]
    os.kill(stopped, signal.SIGSTOP)
    talker.goes_on()
    assert talker.end() < 5
    wait_for(lambda: not Path(f"/proc/{stopped}").exists(), "it to be gone: nothing of ours stays behind", 20)
    rows = merge([wrapped.out], wrapped.out.parent / "job.inquest").rows_out
    assert rows["log_lines"] > 2
    assert rows["processes"] >= 2


def test_the_output_directory_vanishes(wrapped: Wrapped, talker: Talker) -> None:
    shutil.rmtree(wrapped.out)
    talker.goes_on()
    time.sleep(2.5)  # the recorder writes into what is no longer there
    talker.goes_on()
    assert talker.end() < 5
    assert not wrapped.out.exists(), "what somebody removed is not made again behind their back"


def test_a_job_whose_cgroup_has_no_memory_left_loses_its_recorder_first(wrapped: Wrapped, tmp_path: Path) -> None:
    """The kernel kills the recorder, which asks to be first, and the job usually lives.

    Usually: a kernel that is busy may count the dead recorder's pages for some milliseconds more, and kill again.
    """
    cgroup = Path("/sys/fs/cgroup/memory/inquest-test-faults")
    try:
        cgroup.mkdir()
    except OSError as error:
        pytest.skip(f"no memory cgroup of version 1 can be made here: {error}")
    try:
        job = tmp_path / "job.py"
        job.write_text(
            "import os, time\n"
            "while not os.path.exists('big'): time.sleep(0.01)\n"
            "held = []\n"
            "for _ in range(34): held.append(os.urandom(1 << 20)); time.sleep(0.05)\n"
            "os.write(1, b'held %d\\n' % sum(map(len, held)))\n"
            "time.sleep(1)\n"
            "os._exit(4)\n"
        )
        with open(tmp_path / "target", "ab") as file:
            process = subprocess.Popen(
                wrapped.argv(*PLAIN_PYTHON, str(job), options=()),
                stdout=file,
                cwd=tmp_path,
                preexec_fn=lambda: (cgroup / "tasks").write_text(str(os.getpid())) and None,
            )
        recorder = wait_for(lambda: helpers(process.pid)["recorder"], "the recorder")[0]
        wait_for(lambda: list(wrapped.out.glob("n1/*/host_samples.0.journal")), "the first samples")
        time.sleep(2)  # until it has all it needs
        used = int((cgroup / "memory.usage_in_bytes").read_text())
        (cgroup / "memory.limit_in_bytes").write_text(str(used + (20 << 20)))
        (tmp_path / "big").touch()
        code = process.wait(60)
        assert code in (4, -signal.SIGKILL)
        assert (tmp_path / "target").read_bytes() == (b"held %d\n" % (34 << 20) if code == 4 else b"")
        assert not Path(f"/proc/{recorder}").exists()
        if code == 4:
            died = wait_for(lambda: [note for note in wrapped.notes() if "the recorder ended" in note], "the note", 10)
            assert "-9 while the job runs" in died[0]
        merge([wrapped.out], tmp_path / "job.inquest")
        ends = BundleStore(tmp_path / "job.inquest").scan("processes").collect()
        assert ends["exit_code"].drop_nulls().to_list() == ([4] if code == 4 else [])
    finally:
        wait_for(lambda: not (cgroup / "tasks").read_text(), "the cgroup to be empty", 30)
        cgroup.rmdir()


def test_a_million_short_lines(wrapped: Wrapped, tmp_path: Path) -> None:
    target = tmp_path / "target"
    with open(target, "wb") as file:
        code = (
            "import os\nfor i in range(100): os.write(1, b''.join(b'%07d\\n' % (i * 10**4 + n) for n in range(10**4)))"
        )
        done = wrapped.run(*PLAIN_PYTHON, "-c", code, stdout=file)
    assert done.returncode == 0
    assert target.read_bytes() == b"".join(b"%07d\n" % n for n in range(1_000_000))
    report = merge([wrapped.out], tmp_path / "job.inquest")
    gaps = BundleStore(tmp_path / "job.inquest").scan("log_gaps").collect()
    lost = int(gaps["bytes"].sum() or 0) if gaps.height else 0
    assert report.rows_out["log_lines"] * 8 + lost >= 8_000_000 - 8 * gaps.height


def test_children_that_leave_the_session_and_become_others(wrapped: Wrapped, tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(1.5)\n"
        "        os.execvp('sh', ['sh', '-c', 'echo late; exit 9'])\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "os.execvp('sh', ['sh', '-c', 'sleep 3; echo other; exit 6'])"
    )
    with open(tmp_path / "target", "ab") as file:
        done = wrapped.run(*PLAIN_PYTHON, "-c", code, options=(), stdout=file)
    assert done.returncode == 6
    assert (tmp_path / "target").read_bytes() == b"late\nother\n"
    merge([wrapped.out], tmp_path / "job.inquest")
    lines = BundleStore(tmp_path / "job.inquest").scan("log_lines").sort("offset").collect()
    assert lines["text"].to_list() == ["late", "other"]


def test_the_wall_clock_is_set_an_hour_ahead_in_mid_run(wrapped: Wrapped, tmp_path: Path) -> None:
    """libfaketime steps the wall clock that our processes read; the machine's own stays as it is."""
    library = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
    if library is None:
        pytest.skip("libfaketime is not installed")
    control = tmp_path / "faketime"
    control.write_text("+0\n")
    environ = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(control),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    running = Talker(wrapped, tmp_path, "env", "-u", "LD_PRELOAD", env=environ)
    time.sleep(1)
    control.write_text("+3600\n")
    running.goes_on()
    time.sleep(1)
    assert running.end() < 5
    merge([wrapped.out], tmp_path / "job.inquest")
    store = BundleStore(tmp_path / "job.inquest")
    lines = store.scan("log_lines").sort("seq").collect()
    span_s = (lines["ts_ns"].max() - lines["ts_ns"].min()) / 1e9
    assert 1 < span_s < 30, f"the log spans {span_s} s: the step is in it"
    assert lines["ts_ns"].is_sorted()
    (start,), (end,) = wrapped.events("start"), wrapped.events("exit")
    stepped = (end["wall_ns"] - end["mono_ns"]) - (start["wall_ns"] - start["mono_ns"])
    assert 3590e9 < stepped < 3610e9, "the step itself is on record"
