"""What the job prints arrives byte for byte, where and when it would bare, and is recorded."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pty
import random
import select
import shutil
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest

from .conftest import PLAIN_PYTHON, Wrapped, both_ways, children, helpers, read_log, wait_for

BYTES = random.Random(7).randbytes(300_000)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    path.write_bytes(BYTES)
    return path


@both_ways
@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_binary_bytes_to_a_file(wrapped: Wrapped, source: Path, tmp_path: Path, mode: str) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"before")
    with open(target, mode) as file:
        done = wrapped.run("cat", str(source), stdout=file)
    assert done.returncode == 0
    assert target.read_bytes() == (b"before" if mode == "ab" else b"") + BYTES
    assert wrapped.recorded() == BYTES


@both_ways
def test_stdout_and_stderr_apart(wrapped: Wrapped) -> None:
    done = wrapped.run("/bin/sh", "-c", "echo out; echo err >&2")
    assert (done.stdout, done.stderr) == (b"out\n", b"err\n")
    assert (wrapped.recorded(0), wrapped.recorded(1)) == (b"out\n", b"err\n")


@both_ways
def test_stdout_and_stderr_to_one_place_keep_their_order(wrapped: Wrapped) -> None:
    code = "import os\nfor i in range(3000): os.write(1 + i % 2, b'%d\\n' % i)"
    done = wrapped.python(code, stderr=subprocess.STDOUT)
    assert done.stdout == b"".join(b"%d\n" % i for i in range(3000))
    assert wrapped.recorded() == done.stdout


def test_input_is_untouched(wrapped: Wrapped) -> None:
    assert wrapped.run("cat", input=BYTES).stdout == BYTES


@both_ways
def test_input_closed_by_the_job_is_closed(wrapped: Wrapped) -> None:
    child = wrapped.popen(*PLAIN_PYTHON, "-c", "import os, time; os.close(0); time.sleep(30)", stdin=subprocess.PIPE)
    poll = select.poll()
    poll.register(child.stdin, 0)
    assert poll.poll(20_000), "the writer was not told that nobody reads"
    os.kill(helpers(child.pid)["job"][0], signal.SIGKILL)
    child.stdin.close()
    assert child.wait() == -signal.SIGKILL


@both_ways
def test_output_is_not_buffered(wrapped: Wrapped) -> None:
    child = wrapped.popen("/bin/sh", "-c", "printf a; read x; printf b", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.read(1) == b"a"  # while the job waits for us
    child.communicate(b"\n")
    assert child.returncode == 0


def test_a_hundred_megabytes(wrapped: Wrapped) -> None:
    code = "import os\nb = bytes(range(256)) * 4096\nfor i in range(100): os.write(1, b) == len(b) or exit(9)"
    child = wrapped.popen(*PLAIN_PYTHON, "-c", code, stdout=subprocess.PIPE)
    digest, count = hashlib.sha256(), 0
    while data := child.stdout.read1(1 << 20):
        digest.update(data)
        count += len(data)
    child.stdout.close()
    assert child.wait() == 0
    assert count == 100 << 20
    expected = hashlib.sha256()
    for _ in range(100):
        expected.update(bytes(range(256)) * 4096)
    assert digest.digest() == expected.digest()
    image, _ = read_log(wrapped.capture(), 0)
    assert len(image) == count


def test_a_line_of_64_megabytes(wrapped: Wrapped, tmp_path: Path) -> None:
    target = tmp_path / "target"
    with open(target, "wb") as file:
        done = wrapped.python("print('x' * (64 << 20))", stdout=file)
    assert done.returncode == 0
    assert target.stat().st_size == (64 << 20) + 1
    assert len(read_log(wrapped.capture(), 0)[0]) == (64 << 20) + 1


@both_ways
def test_a_reader_that_leaves_ends_the_job_as_bare(wrapped: Wrapped) -> None:
    child = wrapped.popen("/bin/sh", "-c", "while :; do echo x; done", stdout=subprocess.PIPE)
    assert child.stdout.read(2) == b"x\n"
    child.stdout.close()
    assert child.wait(60) == -signal.SIGPIPE
    assert any("went away" in note for note in wrapped.notes())


def test_a_reader_that_leaves_a_silent_job_is_noticed_at_its_next_word(wrapped: Wrapped) -> None:
    code = (
        "import signal, os; signal.signal(signal.SIGPIPE, signal.SIG_IGN); os.write(1, b'a'); os.read(0, 1)\n"
        "try: os.write(1, b'b')\n"
        "except BrokenPipeError: os._exit(5)"
    )
    child = wrapped.popen(*PLAIN_PYTHON, "-c", code, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.read(1) == b"a"
    child.stdout.close()
    wait_for(lambda: not helpers(child.pid)["pump"][1:], "the pump to leave")
    wait_for(lambda: any("went away" in note for note in wrapped.notes()), "the note")
    child.communicate(b"\n")
    assert child.returncode == 5


@both_ways
@pytest.mark.parametrize(
    "redirection", [">/dev/full", ">&-", "2>&-", "</dev/null >/dev/null", "1</dev/null", "0<&- >&- 2>&-"]
)
def test_odd_destinations_give_the_bare_status(wrapped: Wrapped, tmp_path: Path, redirection: str) -> None:
    job = "import os, sys\ntry: os.write(1, b'x')\nexcept OSError as e: os._exit(e.errno)"
    script = tmp_path / "script.sh"
    script.write_text(f'"$@" {redirection}\n')
    command = [*PLAIN_PYTHON, "-c", job]
    bare = subprocess.run(["/bin/sh", str(script), *command], check=False, capture_output=True)
    done = subprocess.run(["/bin/sh", str(script), *wrapped.argv(*command)], check=False, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (bare.returncode, bare.stdout, bare.stderr)


def test_a_slow_reader_holds_the_job_and_loses_nothing(wrapped: Wrapped) -> None:
    code = "import os\nfor i in range(4000): os.write(1, b'%07d\\n' % i * 512)"
    child = wrapped.popen(*PLAIN_PYTHON, "-c", code, stdout=subprocess.PIPE)
    time.sleep(0.5)
    assert helpers(child.pid)["job"], "16 MB went nowhere: the job should be waiting for its reader"
    output = child.stdout.read()
    assert child.wait() == 0
    assert output == b"".join(b"%07d\n" % i * 512 for i in range(4000))
    child.stdout.close()


@both_ways
def test_a_descendant_that_lives_on_does_not_hold_the_caller(wrapped: Wrapped, tmp_path: Path) -> None:
    target = tmp_path / "target"
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    while not os.path.exists('go'): time.sleep(0.01)\n"
        "    os.write(1, b'late\\n'); os._exit(0)\n"
        "os.write(1, b'early\\n')"
    )
    with open(target, "ab") as file:
        done = wrapped.python(code, stdout=file, stderr=subprocess.DEVNULL, cwd=tmp_path)
    assert done.returncode == 0
    assert target.read_bytes() == b"early\n"
    (tmp_path / "go").touch()
    wait_for(lambda: target.read_bytes() == b"early\nlate\n", "the descendant's output")
    wait_for(lambda: wrapped.recorded() == b"early\nlate\n", "its record")


class Terminal:
    """A session on a terminal of its own, as a user's shell would make it."""

    def __init__(self, argv: list[str], cwd: Path, size: tuple[int, int] = (33, 77)) -> None:
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execv(argv[0], argv)
        termios.tcsetwinsize(self.master, size)
        self.output = b""

    def read_until(self, text: bytes, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.output:
            assert time.monotonic() < deadline, (text, self.output)
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.output += os.read(self.master, 65536)
                except OSError:
                    break
        assert text in self.output, (text, self.output)

    def status(self) -> int:
        while True:
            if select.select([self.master], [], [], 0.05)[0]:
                with contextlib.suppress(OSError):
                    self.output += os.read(self.master, 65536)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        os.close(self.master)


# Told through a pipe: a handler of Python's waits for a read to return where the signal came just before it.
TELLS_SIZES = (
    "import os, select, signal\n"
    "told, end = os.pipe(); os.set_blocking(end, False); signal.set_wakeup_fd(end)\n"
    "signal.signal(signal.SIGWINCH, lambda *a: None)\n"
    "while 1:\n"
    "    ready = select.select([0, told], [], [])[0]\n"
    "    if told in ready and os.read(told, 9): os.write(1, b'changed %d %d\\n' % os.get_terminal_size(1))\n"
    "    if 0 in ready and os.read(0, 9) == b'stop\\n': raise SystemExit(7)\n"
    "    if 0 in ready: os.write(1, b'%d %d\\n' % os.get_terminal_size(1))"
)
"""A job on a terminal: its size after each line and each change, until it is told to stop."""


@both_ways
def test_a_terminal_stays_one(wrapped: Wrapped, tmp_path: Path) -> None:
    code = (
        "import os\n"
        "print([os.isatty(fd) for fd in range(3)], flush=True)\n"
        "print(os.ttyname(0) == os.ctermid() or open('/dev/tty').isatty(), flush=True)\n"
    ) + TELLS_SIZES
    terminal = Terminal(wrapped.argv(*PLAIN_PYTHON, "-c", code), tmp_path)
    try:
        terminal.read_until(b"[True, True, True]\r\nTrue\r\n")
        os.write(terminal.master, b"\n")
        terminal.read_until(b"77 33\r\n")
        termios.tcsetwinsize(terminal.master, (40, 100))
        terminal.read_until(b"changed 100 40\r\n")
        os.write(terminal.master, b"stop\n")
        assert terminal.status() == 7
        assert b"[True, True, True]\n" in wrapped.recorded(2), "recorded as the job wrote it, before the terminal's CR"
    finally:
        terminal.close()


def test_control_c_on_a_terminal_reaches_the_job_once(wrapped: Wrapped, tmp_path: Path) -> None:
    code = (
        "import signal, time\n"
        "seen = []\n"
        "signal.signal(signal.SIGINT, lambda *a: seen.append(1))\n"
        "print('ready', flush=True)\n"
        "while not seen: time.sleep(0.01)\n"
        "time.sleep(0.4); print('count', len(seen), flush=True)"
    )
    terminal = Terminal(wrapped.argv(*PLAIN_PYTHON, "-c", code), tmp_path)
    try:
        terminal.read_until(b"ready")
        os.write(terminal.master, b"\x03")
        terminal.read_until(b"count 1\r\n")
        assert terminal.status() == 0
        (event,) = wrapped.events("signal")
        assert (event["signal"], event["forwarded"]) == (signal.SIGINT, False)
    finally:
        terminal.close()


@both_ways
def test_control_z_and_fg_work_under_a_shell(wrapped: Wrapped, tmp_path: Path) -> None:
    job = (
        "import time\nprint('ready', flush=True)\n"
        "for i in range(2000): time.sleep(0.01); open('ticks', 'w').write(str(i))"
    )
    script = " ".join(f"'{word}'" for word in wrapped.argv(*PLAIN_PYTHON, "-c", job.replace("'", '"')))
    terminal = Terminal(["/bin/bash", "--norc", "-i"], tmp_path)
    ticks = tmp_path / "ticks"
    try:
        os.write(terminal.master, script.encode() + b"\n")
        terminal.read_until(b"\rready")
        wait_for(ticks.exists, "the job's first tick")
        os.write(terminal.master, b"\x1a")
        terminal.read_until(b"Stopped")
        (wrapper,) = [pid for pid in children(terminal.pid) if helpers(pid)["job"]]
        state = Path(f"/proc/{helpers(wrapper)['job'][0]}/stat")
        assert state.read_text().split()[2] == "T"
        terminal.output = b""
        os.write(terminal.master, b"fg\n")
        terminal.read_until(b"-c")  # bash repeats the command it continues
        terminal.output = b""
        wait_for(lambda: state.read_text().split()[2] in "SR", "the job to go on")
        os.write(terminal.master, b"\x03")
        terminal.read_until(b"bash-")  # a shell drops what is typed before its prompt
        os.write(terminal.master, b"echo status=$?\n")
        terminal.read_until(b"status=130")
    finally:
        os.kill(terminal.pid, signal.SIGKILL)
        os.waitpid(terminal.pid, 0)
        terminal.close()


@pytest.mark.root
@pytest.mark.parametrize("mode", ["wb", "ab"])
def test_a_full_disk_under_the_output_costs_bytes_and_is_told(wrapped: Wrapped, tmp_path: Path, mode: str) -> None:
    """Bare, a job that checks every write would see ENOSPC; what we can do is to keep it alive, and to say so."""
    small = tmp_path / "small"
    small.mkdir()
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("mounting a small tmpfs needs root and mount(8)")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", small], check=False).returncode:
        pytest.skip("a tmpfs cannot be mounted here")
    hog = small / "hog"
    hog.write_bytes(bytes(100 << 10))
    lines = b"".join(b"%07d\n" % i for i in range(64 << 10))  # 512 KiB
    code = (
        "import os\n"
        "for i in range(64): os.write(1, b''.join(b'%07d\\n' % n for n in range(i << 10, (i + 1) << 10)))\n"
        "import time\n"
        f"while os.path.exists({str(hog)!r}): time.sleep(0.01)\n"
        "os.write(1, b'there is room again\\n'); os._exit(5)"
    )
    target = small / "target"
    try:
        with open(target, mode) as file:
            child = wrapped.popen(*PLAIN_PYTHON, "-c", code, stdout=file, stderr=subprocess.PIPE)
        wait_for(lambda: list(wrapped.out.glob("n1/*/log-0.raw")), "the recording")
        wait_for(lambda: len(wrapped.recorded()) == len(lines), "all output in the record")
        hog.unlink()
        _, said = child.communicate(timeout=60)
        kept = target.read_bytes()
    finally:
        subprocess.run(["umount", "-l", small], check=True)
    assert child.returncode == 5
    assert kept.endswith(b"there is room again\n")
    kept = kept.removesuffix(b"there is room again\n")
    assert lines.startswith(kept)
    assert len(kept) >= 100 << 10
    note = f"{len(lines) - len(kept)} bytes of stdout could not be written: No space left on device"
    assert said.decode() == f"inquest run: {note}\n"
    assert note in wrapped.notes()
    assert wrapped.recorded() == lines + b"there is room again\n"
