"""The caller of `inquest run` sees what the caller of the bare command sees."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from inquest.bundle.recovery import recover

from .conftest import INQUEST, Wrapped, both_ways, read_log, wait_for

IGNORED_BY_DEFAULT = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
STOPPING = {signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
TERMINATING = sorted(set(range(1, 65)) - {int(number) for number in IGNORED_BY_DEFAULT | STOPPING})


def test_every_exit_code(tmp_path: Path) -> None:
    def code(number: int) -> int:
        wrapped = Wrapped(tmp_path / str(number))
        return wrapped.run("/bin/sh", "-c", f"exit {number}", options=("--no-recorder", "--no-fsync")).returncode

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(code, range(256))) == list(range(256))


def test_every_signal_whose_default_is_to_terminate(tmp_path: Path) -> None:
    assert {32, 33, 34, 64} < set(TERMINATING)
    # GNU make leaves the C library's own signals ignored in what it starts, and the C library lets nobody change that.
    call = {"x86_64": 13, "aarch64": 134}[os.uname().machine]  # rt_sigaction
    ctypes.CDLL(None).syscall(call, 32, b"\0" * 32, None, 8)

    def status(number: int) -> tuple[int, int | None, int | None]:
        wrapped = Wrapped(tmp_path / str(number))
        # sh resets what Python ignores; /bin/kill would refuse 32 and 33.
        code = f"import os, signal; os.kill(os.getpid(), {number})"
        # Python has its own way with some, and a shell leaves SIGINT and SIGQUIT ignored in what it starts with "&".
        if number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
            code = code.replace("; ", f"; signal.signal({number}, signal.SIG_DFL); ", 1)
        done = wrapped.python(code, cwd=tmp_path, options=("--no-recorder", "--no-fsync"))
        (event,) = wrapped.events("exit")
        return done.returncode, event["term_signal"], event["exit_code"]

    with ThreadPoolExecutor(4) as pool:
        seen = dict(zip(TERMINATING, pool.map(status, TERMINATING), strict=True))
    assert seen == {number: (-number, number, None) for number in TERMINATING}


@both_ways
def test_the_core_file_is_the_jobs(wrapped: Wrapped, tmp_path: Path) -> None:
    if Path("/proc/sys/kernel/core_pattern").read_text().strip() != "core":
        pytest.skip("core_pattern is not a plain file name here")
    code = (
        "import resource, os, ctypes;"
        "resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2);"
        "open('pid', 'w').write(str(os.getpid())); os.abort()"
    )
    work = tmp_path / "work"
    work.mkdir()
    done = wrapped.run(
        sys.executable, "-c", code, cwd=work, preexec_fn=lambda: __import__("resource").setrlimit(4, (-1, -1))
    )
    assert done.returncode == -signal.SIGABRT
    cores = [path for path in work.iterdir() if path.name.startswith("core")]
    assert len(cores) == 1
    # The core's NT_PRSTATUS note names the pid; the job wrote its own.
    job = int((work / "pid").read_text())
    assert job.to_bytes(4, "little") in cores[0].read_bytes()[:8192]
    assert wrapped.events("exit")[0]["core_dumped"]


@both_ways
@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (["no-such-command-at-all"], 127, b"No such file"),
        (["/etc/passwd"], 126, b"Permission denied"),
        (["/"], 126, b"Permission denied"),
        ([""], 127, b"No such file"),
    ],
)
def test_a_command_that_cannot_start(wrapped: Wrapped, command: list[str], code: int, message: bytes) -> None:
    done = wrapped.run(*command, options=())
    assert done.returncode == code
    assert message in done.stderr
    assert done.stderr.count(b"\n") == 1
    assert [event["event"] for event in wrapped.events()] == ["exec_error", "delivered"]
    assert wrapped.events()[0]["argv"] == command


@both_ways
def test_a_script_without_interpreter_line_runs_as_in_a_shell(wrapped: Wrapped, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text('echo "$1"; exit 4\n')
    script.chmod(0o755)
    done = wrapped.run(str(script), "word")
    assert (done.returncode, done.stdout) == (4, b"word\n")


def test_usage(tmp_path: Path) -> None:
    done = subprocess.run([*INQUEST, "--bogus"], capture_output=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    assert not list(tmp_path.iterdir())
    done = subprocess.run([*INQUEST, "--help"], capture_output=True, check=False, cwd=tmp_path)
    assert done.returncode == 0
    for option in (b"--out", b"--node", b"--job-id", b"--no-fsync", b"--no-recorder"):
        assert option in done.stdout


@both_ways
def test_the_job_runs_where_nothing_can_be_recorded(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = Wrapped(tmp_path / "file" / "out").run("/bin/sh", "-c", "echo hello; exit 3")
    assert (done.returncode, done.stdout) == (3, b"hello\n")
    assert b"not recording" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Path:
    place = tmp_path / "small"
    place.mkdir()
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("mounting a small tmpfs needs root and mount(8)")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {done.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_the_job_runs_where_the_disk_is_full(small_disk: Path) -> None:
    with open(small_disk / "filler", "wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    done = Wrapped(small_disk / "out").run("/bin/sh", "-c", "echo hello; exit 3")
    assert (done.returncode, done.stdout) == (3, b"hello\n")
    assert done.stderr.count(b"\n") == 1


def test_a_disk_that_stays_full_loses_nothing_untold(small_disk: Path) -> None:
    """Not even the row that says so fits on it."""
    wrapped = Wrapped(small_disk / "out")
    code = (
        "import os, time\n"
        "for i in range(4000):\n"
        "    os.write(1, b'%099d\\n' % i)\n"
        "    if i > 3000: time.sleep(0.0005)"  # a gap each, until no gap fits, either
    )
    done = wrapped.python(code)
    assert (done.returncode, len(done.stdout)) == (0, 400_000)
    held = told = 0
    for table, batch in recover(small_disk / "out" / "n1"):
        for row in batch.to_pylist():
            held += row["line_bytes"] + (row["eol"] == "lf") if table == "log_lines" else 0
            told += row["bytes"] if table == "log_gaps" else 0
    assert 0 < held < 256 << 10
    assert held + told == 400_000


def test_a_disk_that_fills_up_costs_records_and_says_so(small_disk: Path) -> None:
    wrapped = Wrapped(small_disk / "out")
    code = (
        "import os, sys, time\n"
        "for i in range(4): os.write(1, bytes(range(256)) * 4096)\n"
        f"os.unlink({str(small_disk / 'filler')!r})\n"
        "time.sleep(0.5); os.write(1, b'end\\n')"
    )
    (small_disk / "filler").write_bytes(bytes(64 << 10))
    done = wrapped.python(code)
    expected = bytes(range(256)) * 4096 * 4 + b"end\n"
    assert done.returncode == 0
    assert done.stdout == expected
    image, missing = read_log(wrapped.capture(), 0)
    assert missing > len(expected) // 2
    assert len(image) == len(expected)
    assert image.endswith(b"end\n")


def test_users_modules_are_not_ours(wrapped: Wrapped, tmp_path: Path) -> None:
    """PYTHONPATH=. beside a user's own capture/, render.py, json.py, signal.py."""
    work = tmp_path / "work"
    (work / "capture").mkdir(parents=True)
    (work / "bundle").mkdir()
    trap = "raise SystemExit('a module of the user was imported')"
    for name in (
        "capture/__init__.py",
        "bundle/__init__.py",
        "render.py",
        "json.py",
        "signal.py",
        "struct.py",
        "mmap.py",
    ):
        (work / name).write_text(trap)
    code = "import os, render_free; print(os.environ['PYTHONPATH'])"
    (work / "render_free.py").write_text("")
    console = Path(sys.executable).with_name("inquest")
    if not console.exists():
        pytest.skip("the console script is not installed beside this Python")
    done = subprocess.run(
        [str(console), "run", "--out", str(wrapped.out), "--node", "n1", "--", sys.executable, "-c", code],
        cwd=work,
        env={**os.environ, "PYTHONPATH": "."},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b".\n", b"")
    assert [event["event"] for event in wrapped.events()] == ["start", "exit", "delivered"]
    wait_for(lambda: list(wrapped.capture().glob("collection.*")), "the recorder's first table")


@both_ways
def test_the_environment_is_the_callers(wrapped: Wrapped) -> None:
    """Python sets LC_CTYPE in the C locale; the job must not see that."""
    environ = {"PATH": os.environ["PATH"], "LC_ALL": "", "ODD": "a=b\n\udcff"}
    done = wrapped.run("/usr/bin/env", "-0", env=environ)
    expected = subprocess.run(["/usr/bin/env", "-0"], env=environ, capture_output=True, check=True).stdout
    assert sorted(done.stdout.split(b"\0")) == sorted(expected.split(b"\0"))


@both_ways
def test_descriptors_masks_and_dispositions_are_the_callers(wrapped: Wrapped) -> None:
    code = (
        "import os\n"
        "names = ('SigBlk', 'SigIgn', 'SigCgt')\n"
        "print([l for l in open('/proc/self/status') if l.startswith(names)])\n"
        "print(sorted(int(n) for n in os.listdir('/proc/self/fd')), os.nice(0), os.umask(0))\n"
        "print(open('/proc/self/oom_score_adj').read(), os.getpgrp(), os.getsid(0))"
    )
    read, write = os.pipe()

    def prepare() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
        os.umask(0o027)

    command = [sys.executable, "-I", "-S", "-c", code]
    bare = subprocess.run(command, stdout=subprocess.PIPE, check=True, preexec_fn=prepare, pass_fds=(write,)).stdout
    done = wrapped.run(*command, preexec_fn=prepare, pass_fds=(write,))
    os.close(read)
    os.close(write)
    assert done.stdout == bare


@both_ways
def test_as_pid_1_death_by_signal_is_128_plus(wrapped: Wrapped) -> None:
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("a pid namespace needs root and unshare(1)")
    job = wrapped.argv("/bin/sh", "-c", "echo out; kill -SEGV $$")
    done = subprocess.run(["unshare", "-fp", "--mount-proc", *job], capture_output=True, check=False, timeout=60)
    if b"unshare failed" in done.stderr:
        pytest.skip(done.stderr.decode().strip())
    assert (done.returncode, done.stdout) == (139, b"out\n")
    assert wrapped.events("exit")[0]["term_signal"] == signal.SIGSEGV
