"""What may happen to a recording in mid-run, and the job must not notice."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.merge import merge
from inquest.bundle.recovery import recover
from inquest.bundle.store import BundleStore
from tests.capture.recorder_kit import Stub
from tests.conftest import ROOT, inquest

from .conftest import PLAIN_PYTHON, Wrapped, helpers, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

SIGKILL = int(signal.SIGKILL)

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


@contextlib.contextmanager
def disk_that_fails(at: Path) -> Iterator[Path]:
    """A real ext4 on a loop device, and the file that makes its driver believe in an I/O error."""
    image, disk = at / "image", at / "disk"
    disk.mkdir()
    with open(image, "wb") as file:
        file.truncate(32 << 20)
    made = shutil.which("mkfs.ext4") and subprocess.run(["mkfs.ext4", "-q", image], check=False).returncode == 0
    mount = ["mount", "-o", "loop,errors=remount-ro", image, disk]
    if not made or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no ext4 can be made and mounted on a loop device here")
    try:
        device = next(line.split()[0] for line in Path("/proc/mounts").read_text().splitlines() if str(disk) in line)
        trigger = Path("/sys/fs/ext4") / Path(device).name / "trigger_fs_error"
        if not trigger.exists():
            pytest.skip("this kernel's ext4 cannot be told to fail")
        yield trigger
    finally:
        subprocess.run(["umount", "--lazy", disk], check=False)


def test_the_file_system_of_the_recording_becomes_read_only(tmp_path: Path) -> None:
    """As ext4 does by itself after an I/O error: what was written stays, and the job never hears of it."""
    with disk_that_fails(tmp_path) as trigger:
        wrapped = Wrapped(tmp_path / "disk" / "out")
        running = Talker(wrapped, tmp_path)
        wait_for(lambda: any(table == "host_samples" for table, _ in recover(wrapped.out / "n1")), "a sample", 60)
        trigger.write_text("1\n")
        with pytest.raises(OSError, match="Read-only"):
            (tmp_path / "disk" / "more").touch()
        running.goes_on()
        time.sleep(2.5)  # every process of ours meets it
        running.goes_on()
        assert running.end() < 5
        report = merge([wrapped.out], tmp_path / "job.inquest")
        assert report.rows_out["log_lines"] > 2
        assert report.rows_out["host_samples"] >= 1


def test_the_file_system_of_the_recording_is_taken_away(tmp_path: Path) -> None:
    """A lazy unmount, as an automounter or a tired administrator does it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", disk], check=False, capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted here")
    running = Talker(Wrapped(disk / "out"), tmp_path)
    subprocess.run(["umount", "--lazy", disk], check=True)
    running.goes_on()
    time.sleep(2.5)
    running.goes_on()
    assert running.end() < 5
    assert list(disk.iterdir()) == [], "nothing is written where it was mounted"


def test_a_gpu_is_lost_in_mid_run(wrapped: Wrapped, tmp_path: Path) -> None:
    """A GPU of the stub falls off the bus: the job goes on as bare, and its node says which one and since when."""
    stub = Stub(tmp_path)
    stub.say("* gpus 4")
    running = Talker(wrapped, tmp_path, env=os.environ | stub.env)
    wait_for(lambda: list(wrapped.out.glob("n1/*/gpu_samples.0.journal")), "the first samples", 60)
    stub.say("* gpus 4", "2 lost 1")
    wait_for(lambda: list(wrapped.out.glob("n1/*/gpu_events.0.journal")), "the event", 60)
    running.goes_on()
    assert running.end() < 5
    merge([wrapped.out], tmp_path / "job.inquest")
    store = BundleStore(tmp_path / "job.inquest")
    (lost,) = store.scan("gpu_events").collect().to_dicts()
    assert (lost["event"], lost["gpu_index"]) == ("lost", 2)
    samples = store.scan("gpu_samples").collect()
    assert set(samples["gpu_index"]) == {0, 1, 2, 3}
    assert set(samples.filter(samples["ts_ns"] > lost["ts_ns"])["gpu_index"]) <= {0, 1, 3}


def test_bytes_of_all_kinds_arrive_as_lines(wrapped: Wrapped, tmp_path: Path) -> None:
    """No byte that a job may print spoils its own line's neighbours, the bundle, or what is said of it."""
    odd = [
        bytes(range(256)).replace(b"\n", b"").replace(b"\r", b""),
        b"\xff\xfe\x00\xd8lone surrogate \xed\xa0\x80 overlong \xc0\xaf cut \xf0\x9f",
        b"\x1b[2J\x1b]0;title\x07\x1bPq\x1b\\\x9b31m",
        "\u2028 \u2029 \u202e \ufeff \x85 \x0b \x0c".encode(),
        os.urandom(1 << 20).replace(b"\n", b"n").replace(b"\r", b"r"),
    ]
    source = tmp_path / "source"
    source.write_bytes(b"".join(b"before %d\n%s\n" % (number, each) for number, each in enumerate(odd)))
    with open(tmp_path / "target", "wb") as file:
        done = wrapped.run("cat", str(source), stdout=file)
    assert done.returncode == 0
    assert (tmp_path / "target").read_bytes() == source.read_bytes()
    merge([wrapped.out], tmp_path / "job.inquest")
    lines = BundleStore(tmp_path / "job.inquest").scan("log_lines").sort("offset").collect()
    assert lines["text"].to_list()[::2] == [f"before {number}" for number in range(len(odd))]
    assert lines["line_bytes"].to_list()[1::2] == [len(each) for each in odd]
    assert lines["truncated"].to_list()[1::2] == [len(each) > 65536 for each in odd]
    told = inquest("analyze", "job.inquest", cwd=tmp_path)
    assert told.returncode in (0, 3, 4), told.stderr
    assert "\x1b" not in told.stdout


def test_a_line_without_end_is_merged_in_little_memory(wrapped: Wrapped, tmp_path: Path) -> None:
    """300 MB of one line, killed in the middle of it: `benchmarks/faults.py` does it with a GB."""
    length = 300 << 20
    code = f"import os, signal\nfor _ in range(300): os.write(1, b'x' * (1 << 20))\nos.kill(os.getpid(), {SIGKILL})"
    with open(tmp_path / "target", "wb") as file:
        assert wrapped.run(*PLAIN_PYTHON, "-c", code, stdout=file).returncode == -SIGKILL
    assert (tmp_path / "target").stat().st_size == length
    (tmp_path / "target").unlink()
    measured = (
        "import sys; from pathlib import Path; from inquest.bundle.merge import merge; from tests.memory import peak; "
        "merge([Path(sys.argv[1])], Path(sys.argv[2])); print(peak() >> 20)"
    )
    command = [sys.executable, "-c", measured, str(wrapped.out), str(tmp_path / "job.inquest")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    assert int(done.stdout) < 400, "MiB at the most"
    store = BundleStore(tmp_path / "job.inquest")
    lines, gaps = store.scan("log_lines").collect(), store.scan("log_gaps").collect()
    assert int(lines["line_bytes"].sum()) + int(gaps["bytes"].sum() or 0) == length
    assert max(map(len, lines["text"])) <= 65536 + 100


def test_who_took_the_last_memory_is_told_by_the_parent_where_the_recorder_went_first(
    wrapped: Wrapped, tmp_path: Path
) -> None:
    """Both are killed within milliseconds: nobody else is there to look at the counter."""
    group = Path("/sys/fs/cgroup/memory/inquest-test-last")
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no memory cgroup of version 1 can be made here: {error}")
    try:
        code = "import os, time\nheld = [os.urandom(64 << 20)]\nwhile not os.path.exists('big'): time.sleep(0.01)\n"
        code += "while True: held.append(os.urandom(1 << 22))"
        process = subprocess.Popen(
            wrapped.argv(*PLAIN_PYTHON, "-c", code, options=("--only", "identity,clock,processes,cgroup")),
            cwd=tmp_path,
            preexec_fn=lambda: (group / "tasks").write_text(str(os.getpid())) and None,
        )
        wait_for(lambda: list(wrapped.out.glob("n1/*/cgroup_samples.0.journal")), "the first samples")
        time.sleep(1)
        used = int((group / "memory.usage_in_bytes").read_text())
        (group / "memory.limit_in_bytes").write_text(str(used + (20 << 20)))
        (tmp_path / "big").touch()
        assert process.wait(60) == -signal.SIGKILL
        # A disk slower than a second keeps nobody waiting: what the parent said is then written by who outlives it.
        wait_for(lambda: not (group / "tasks").read_text(), "the cgroup to be empty", 30)
        merge([wrapped.out], tmp_path / "job.inquest")
        store = BundleStore(tmp_path / "job.inquest")
        samples = store.scan("cgroup_samples").sort("ts_mono_ns").collect()
        assert set(samples["cgroup"]) == {f"/{group.name}"}
        assert samples["oom_kills"].to_list()[0] == 0
        assert samples["oom_kills"].to_list()[-1] >= 2, "the recorder, and the job"
        verdict, _ = analyze(store)
        assert (verdict.family, verdict.sub_mode, verdict.attribution) == ("A2", "cgroup_oom", "job"), verdict.headline
    finally:
        wait_for(lambda: not (group / "tasks").read_text(), "the cgroup to be empty", 30)
        group.rmdir()


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


@pytest.mark.parametrize("step_s", [3600, -3600])
def test_the_wall_clock_is_set_by_an_hour_in_mid_run(wrapped: Wrapped, tmp_path: Path, step_s: int) -> None:
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
    control.write_text(f"{step_s:+d}\n")
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
    assert abs(stepped - step_s * 1e9) < 10e9, "the step itself is on record"
