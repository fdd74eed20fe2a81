"""The agent's launcher: the job starts before anything is unpacked, and runs to its end come what may."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import termios
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.errors import UsageError
from inquest.bundle.nodedir import recover
from inquest.capture import options

from .agent_kit import REAL_PYTHON, build, make_agent
from .conftest import PLAIN_PYTHON, Wrapped, children, comm, has_ended, helpers, kill, read_log, wait_for
from .test_run_output import TELLS_SIZES, Terminal

if TYPE_CHECKING:
    from pathlib import Path

SLOW = (
    '#!/bin/sh\n[ "$1" = --version ] && { while [ -e "$INQUEST_HOME.hold" ]; do sleep 0.05; done; }\n'
    + REAL_PYTHON[10:]
)
"""An agent that is not ready while a file of the test exists."""
COUNT = "import os\nfor i in range(2000): os.write(1, b'%07d\\n' % i * 64)\nos._exit(6)"
COUNTED = b"".join(b"%07d\n" % i * 64 for i in range(2000))


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_agent(tmp_path_factory.mktemp("slow"), SLOW)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent whose Python does not start here, as where the C library is too old."""
    return make_agent(tmp_path_factory.mktemp("broken"), "#!/bin/sh\nexit 1\n")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INQUEST_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def wrap(agent: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wrapped:
    monkeypatch.setattr(Wrapped, "command", [str(agent), "run"])
    return Wrapped(tmp_path / "out")


def test_it_is_small_and_needs_no_library(slow: Path) -> None:
    source = (build.LAUNCHER / "launcher.c").read_text().splitlines()
    assert len(source) <= 400
    assert max(map(len, source)) <= 120
    if shutil.which("readelf"):
        headers = subprocess.run(["readelf", "-lW", slow], capture_output=True, check=True, text=True).stdout
        assert "INTERP" not in headers
        assert "DYNAMIC" not in headers


def test_what_it_takes_for_right_is_right() -> None:
    """One mistake here and a job would be started where Python refuses the command line."""
    takes = [name for name, takes_value in options._TAKES_VALUE.items() if takes_value]
    assert sorted(build.SURELY_RIGHT) == sorted(takes)
    samples = {
        "node": ["n1", "_a.b-c", "-x", ".x", "a/b", "a" * 300, "gpu001"],
        "profile": ["minimal", "full", "x", "fullx"],
        "ebpf_backend": ["off", "object", "o"],
        "only": ["nvml", "nvml,host", "nvml,", "x"],
        "skip": ["nvml", ",nvml"],
        "log_budget": ["8M", "7M", "64M", "1G", "0G", "8", "8K", "9999M", "99999M", "1T"],
        "mail_to": ["a@b", "a@b,c@d.example", "a b@c", "a", "a@b,"],
        "mail_from": ["a@b", "a@b,c@d", "@"],
        "mail_server": ["host", "host:25", "host:0", "host:99999", ":1", "[::1]:25"],
        "mail_budget": ["0", "999999999", "1234567890", "-1"],
    }
    import re

    for name, values in samples.items():
        accepted = [value for value in values if re.search(build.SURELY_RIGHT[name], value)]
        assert accepted, name
        for value in accepted:
            options.parse([f"--{name.replace('_', '-')}", value, "--", "true"], {})


@pytest.mark.usefixtures("home")
def test_the_job_runs_before_anything_is_unpacked(
    slow: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = home.with_name("home.hold")
    hold.touch()
    wrapped = wrap(slow, tmp_path, monkeypatch)
    code = (
        "import os, time\nos.write(1, b'first\\n')\nwhile not os.path.exists('go'): time.sleep(0.01)\nos.write(1, b'x')"
    )
    process = wrapped.popen(*PLAIN_PYTHON, "-c", code + "\nos._exit(7)", stdout=subprocess.PIPE, cwd=tmp_path)
    assert process.stdout.read(6) == b"first\n"
    assert not wrapped.out.exists(), "it has been adopted already"
    hold.unlink()
    wait_for(lambda: list(wrapped.out.glob("n1/*/log-0.raw")) and wrapped.events("start"), "the recording")
    (tmp_path / "go").touch()
    assert process.communicate()[0] == b"x"
    assert process.returncode == 7
    assert wrapped.recorded() == b"first\nx"
    assert [event["exit_code"] for event in wrapped.events("exit")] == [7]
    assert [path.name for path in home.iterdir()] == [f"agent-{digest_of(slow)}"], "nothing else is left behind"
    assert home.stat().st_mode & 0o777 == 0o700


def digest_of(agent: Path) -> str:
    import hashlib

    data = agent.read_bytes()
    return hashlib.sha256(data[data.rindex(b"\x1f\x8b\x08") :]).hexdigest()[:32]


@pytest.mark.parametrize("end", ["before", "after"])
def test_a_job_that_floods_or_ends_before_python_is_there(
    slow: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    hold = home.with_name("home.hold")
    hold.touch()
    wrapped = wrap(slow, tmp_path, monkeypatch)
    code = COUNT if end == "before" else COUNT.replace("os._exit", "import time; time.sleep(1.5); os._exit")
    process = wrapped.popen(*PLAIN_PYTHON, "-c", code, stdout=subprocess.PIPE)
    output = process.stdout.read(len(COUNTED))
    time.sleep(0.1)
    hold.unlink()
    assert output + process.communicate()[0] == COUNTED
    assert process.returncode == 6
    assert wrapped.recorded() == COUNTED
    assert wrapped.events("exit")[0]["exit_code"] == 6


def test_the_end_of_a_flood_before_python_is_there_is_kept(
    slow: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a job that dies at once printed last says why."""
    hold = home.with_name("home.hold")
    hold.touch()
    wrapped = wrap(slow, tmp_path, monkeypatch)
    code = "import os\nfor i in range(500000): os.write(1, b'%07d\\n' % i * 4)\nos.write(1, b'why\\n'); os._exit(6)"
    expected = b"".join(b"%07d\n" % i * 4 for i in range(500000)) + b"why\n"
    process = wrapped.popen(*PLAIN_PYTHON, "-c", code, stdout=subprocess.PIPE)
    output = process.stdout.read(len(expected))
    hold.unlink()
    assert output + process.communicate()[0] == expected
    image, missing = read_log(wrapped.capture(), 0)
    assert len(image) == len(expected)
    assert image[: 1 << 20] == expected[: 1 << 20]
    assert image[-1 << 20 :] == expected[-1 << 20 :]
    assert len(expected) // 2 < missing < len(expected) - (3 << 20)


def test_who_asks_for_an_end_does_not_wait_for_the_unpacking(
    slow: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold = home.with_name("home.hold")
    hold.touch()
    wrapped = wrap(slow, tmp_path, monkeypatch)
    process = wrapped.popen("sh", "-c", "echo over; exit 6", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"over\n"
        wait_for(lambda: any(map(has_ended, children(process.pid))), "the job's end")
        wait_for(lambda: process.terminate() or process.poll() is not None, "the wrapper's end")
        said = process.communicate()[1]
    finally:
        hold.unlink()
    assert process.returncode == 6
    assert said.count(b"\n") == 1
    assert b"not recorded: the job has ended before" in said
    assert not wrapped.out.exists()


@pytest.mark.parametrize("sink", ["pipe", "append"])
def test_pumps_of_the_launcher_may_be_killed_all_the_time(
    slow: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, sink: str
) -> None:
    hold = home.with_name("home.hold")
    hold.touch()
    wrapped = wrap(slow, tmp_path, monkeypatch)
    code = COUNT.replace("\nfor", ", time\nfor").replace(" * 64)", " * 64); time.sleep(0.0005)")
    with open(tmp_path / "target", "ab") as file:
        output = subprocess.PIPE if sink == "pipe" else file
        process = wrapped.popen(*PLAIN_PYTHON, "-c", code, stdout=output, stderr=subprocess.DEVNULL)
    reader = ThreadPoolExecutor(1)
    received = reader.submit(process.stdout.read) if sink == "pipe" else None
    kills = 0
    while helpers(process.pid)["job"] or kills < 3:
        for pid in [pid for pid in children(process.pid) if comm(pid) == "inquest-pump"][:1]:
            kills += kill(pid, signal.SIGSTOP if kills % 5 == 4 else signal.SIGKILL)
        if kills > 60:
            hold.unlink(missing_ok=True)
        time.sleep(0.003)
    hold.unlink(missing_ok=True)
    assert process.wait(60) == 6
    assert (received.result() if received else (tmp_path / "target").read_bytes()) == COUNTED
    if received:
        process.stdout.close()
    reader.shutdown()
    wait_for(lambda: len(wrapped.recorded()) == len(COUNTED), "the record")


def test_the_job_runs_where_the_agent_cannot(
    broken: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapped = wrap(broken, tmp_path, monkeypatch)
    done = wrapped.run("sh", "-c", 'echo "$1"; exit 5', "sh", "a  b")
    assert (done.returncode, done.stdout) == (5, b"a  b\n")
    assert done.stderr.count(b"\n") == 1
    assert b"the job runs without" in done.stderr
    assert b"INQUEST_HOME" in done.stderr
    assert wrapped.run("sh", "-c", "kill -9 $$").returncode == -9
    assert wrapped.run("sh", "-c", "kill -SEGV $$", cwd=tmp_path).returncode == -signal.SIGSEGV
    assert wrapped.run("no-such-command").returncode == 127
    assert not list(home.glob("agent-*")), "what does not run here is not kept"
    assert not wrapped.out.exists()
    assert subprocess.run([broken, "merge", "x"], capture_output=True, check=False).returncode == 1


def test_signals_where_the_agent_cannot(
    broken: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapped = wrap(broken, tmp_path, monkeypatch)
    code = (
        "import os, signal, time\nseen = []\nsignal.signal(10, lambda *a: seen.append(1))\nopen('ready', 'w')\n"
        "while not os.path.exists('stop'): signal.sigtimedwait((), 0.01)\nos._exit(len(seen))"
    )
    process = wrapped.popen(
        *PLAIN_PYTHON, "-c", code, cwd=tmp_path, start_new_session=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    wait_for((tmp_path / "ready").exists, "the job")
    assert b"runs without" in process.stderr.readline()
    os.kill(process.pid, signal.SIGUSR1)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGUSR1)
    time.sleep(0.3)
    (tmp_path / "stop").touch()
    process.communicate()
    assert process.returncode == 2, "each is seen exactly once"


@pytest.mark.usefixtures("home")
def test_a_parent_killed_before_python_is_there_leaves_a_recording(
    slow: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even unpacked is the agent then: the guard waits for it, and attaches."""
    hold = home.with_name("home.hold")
    hold.touch()
    wrapped = wrap(slow, tmp_path, monkeypatch)
    code = "import os, time\nos.write(1, b'first\\n')\nwhile not os.path.exists('go'): time.sleep(0.01)"
    argv = wrapped.argv(*PLAIN_PYTHON, "-c", code, options=("--only", "identity,clock,processes"))
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.read(6) == b"first\n"
    process.kill()
    assert process.wait() == -signal.SIGKILL
    hold.unlink()
    try:
        wait_for(lambda: list(wrapped.out.glob("n1/*/processes.*")), "the recording")
        assert process.stdout.read(0) == b"", "its output still has a reader"
    finally:
        (tmp_path / "go").touch()
    assert process.stdout.read() == b""
    process.stdout.close()

    def told(event: str) -> list[dict[str, object]]:
        found = (batch.to_pylist() for table, batch in recover(wrapped.out / "n1") if table == "processes")
        return [row for rows in found for row in rows if (row["event"], row["role"]) == (event, "task")]

    wait_for(lambda: told("exit"), "the record of its end")
    (start,), (end,) = told("start"), told("exit")
    assert "os.path.exists('go')" in f"{start['argv']}"
    assert end["pid"] == start["pid"]


@pytest.mark.usefixtures("home")
def test_a_window_of_another_size_where_the_agent_cannot(
    broken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapped = wrap(broken, tmp_path, monkeypatch)
    terminal = Terminal(wrapped.argv(*PLAIN_PYTHON, "-c", TELLS_SIZES), tmp_path)
    try:
        terminal.read_until(b"runs without")
        os.write(terminal.master, b"\n")
        terminal.read_until(b"77 33\r\n")
        termios.tcsetwinsize(terminal.master, (40, 100))
        terminal.read_until(b"changed 100 40\r\n")
        os.write(terminal.master, b"stop\n")
        assert terminal.status() == 7
    finally:
        terminal.close()


def test_eight_first_starts_at_once_leave_one_cache(slow: Path, tmp_path: Path, home: Path) -> None:
    def start(number: int) -> tuple[int, bytes, bytes]:
        argv = [slow, "run", "--out", str(tmp_path / "out"), "--node", f"n{number}", "--no-recorder", "--no-fsync"]
        done = subprocess.run([*argv, "sh", "-c", f"echo {number}; exit {number}"], capture_output=True, check=False)
        return done.returncode, done.stdout, done.stderr

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(start, range(8)))
    assert done == [(number, b"%d\n" % number, b"") for number in range(8)]
    assert len(list(home.iterdir())) == 1
    assert len(list((tmp_path / "out").glob("n*/*/task.raw"))) == 8


def test_a_cache_that_lost_a_file_is_made_again(
    slow: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapped = wrap(slow, tmp_path, monkeypatch)
    assert wrapped.run("true").returncode == 0
    (unpacked,) = home.iterdir()
    (unpacked / "inquest-agent").write_bytes(b"")
    again = Wrapped(tmp_path / "again")
    assert again.run("true").returncode == 0
    assert again.events("exit")
    assert list(home.iterdir()) == [unpacked]


def test_a_cache_of_somebody_else_is_not_trusted(slow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (tmp_path / "link").symlink_to(theirs)
    wrapped = wrap(slow, tmp_path, monkeypatch)
    monkeypatch.setenv("INQUEST_HOME", str(tmp_path / "link"))
    done = wrapped.run("sh", "-c", "exit 4")
    assert done.returncode == 4
    assert b"not recording" in done.stderr
    if os.geteuid() == 0:
        os.chown(theirs, 65534, 65534)
        monkeypatch.setenv("INQUEST_HOME", str(theirs))
        assert wrapped.run("sh", "-c", "exit 4").returncode == 4
    assert list(theirs.iterdir()) == []


@pytest.mark.parametrize("how", ["ro", "noexec"])
def test_a_home_that_is_read_only_or_noexec(
    slow: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    place = tmp_path / "mounted"
    place.mkdir()
    if os.geteuid() != 0 or not shutil.which("mount"):
        pytest.skip("mounting a tmpfs needs root and mount(8)")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size=1m,{how}", "tmpfs", place], check=False).returncode:
        pytest.skip("a tmpfs cannot be mounted here")
    try:
        monkeypatch.setenv("INQUEST_HOME", str(place / "home"))
        done = wrap(slow, tmp_path, monkeypatch).run("sh", "-c", "echo hello; exit 3")
        assert (done.returncode, done.stdout) == (3, b"hello\n")
        assert b"set INQUEST_HOME" in done.stderr
        assert done.stderr.count(b"\n") == 1
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "argv", [["--bogus", "touch", "x"], ["--node", "../up", "touch", "x"], ["--dry-run", "touch", "x"]]
)
def test_what_starts_nothing_starts_nothing(slow: Path, broken: Path, tmp_path: Path, argv: list[str]) -> None:
    for agent in (slow, broken):
        done = subprocess.run([agent, "run", *argv], cwd=tmp_path, capture_output=True, check=False)
        if "../up" not in argv:  # which is not for the launcher to judge: without Python the job must run
            assert not (tmp_path / "x").exists()
        assert done.returncode in (0, 2, 125) or agent is broken


def test_the_options_of_the_launcher_are_those_of_python() -> None:
    for name, takes_value in options._TAKES_VALUE.items():
        flag = "--" + name.replace("_", "-")
        if takes_value:
            with pytest.raises(UsageError):
                options.parse([flag], {})
