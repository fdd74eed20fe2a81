"""Runs the real wrapper around real processes, and reads back what it recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.bundle import rawlog
from inquest.bundle.frames import FrameReader

if TYPE_CHECKING:
    from collections.abc import Callable

# INQUEST_UNDER_TEST names another build of the command, for instance dist/inquest-agent.
INQUEST = [*(os.environ.get("INQUEST_UNDER_TEST") or f"{sys.executable} -m inquest").split(), "run"]
PLAIN_PYTHON = [sys.executable, "-I", "-S"]


class Wrapped:
    """`inquest run` with its own OUT."""

    command = INQUEST

    def __init__(self, out: Path) -> None:
        self.out = out

    def argv(self, *command: str, options: tuple[str, ...] = ("--no-recorder",)) -> list[str]:
        return [*self.command, "--out", str(self.out), "--node", "n1", *options, "--", *command]

    def run(
        self, *command: str, options: tuple[str, ...] = ("--no-recorder",), **kwargs: object
    ) -> subprocess.CompletedProcess[bytes]:
        kwargs = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 120, **kwargs}
        done = subprocess.run(self.argv(*command, options=options), check=False, **kwargs)  # type: ignore[call-overload]
        # On a slow disk the last events are written behind the end, which nothing holds up for longer than a second.
        deadline = time.monotonic() + 10
        for record in self.out.glob("n1/*/task.raw"):
            while not _is_closed(record) and time.monotonic() < deadline:
                time.sleep(0.01)
        return done

    def python(self, code: str, **kwargs: object) -> subprocess.CompletedProcess[bytes]:
        return self.run(*PLAIN_PYTHON, "-c", code, **kwargs)  # type: ignore[arg-type]

    def popen(self, *command: str, **kwargs: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self.argv(*command), **kwargs)  # type: ignore[call-overload]

    def capture(self) -> Path:
        (found,) = (self.out / "n1").iterdir()
        return found

    def events(self, kind: str | None = None) -> list[dict]:
        if not list(self.out.glob("n1/*/task.raw")):  # an agent's job has begun before its recording
            return []
        events = [json.loads(frame) for frame in FrameReader(self.capture() / "task.raw")]
        return [event for event in events if kind in (None, event["event"])]

    def notes(self) -> list[str]:
        return [event["text"] for event in self.events("note")]

    def recorded(self, stream: int = 0) -> bytes:
        return read_log(self.capture(), stream)[0]


def _is_closed(record: Path) -> bool:
    reader = FrameReader(record)
    for _ in reader:
        pass
    return reader.state != "open"


@pytest.fixture(scope="session")
def agent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The single-file agent with the Python of these tests behind the real launcher, unpacked already."""
    from .agent_kit import REAL_PYTHON, make_agent

    directory = tmp_path_factory.mktemp("agent")
    path = make_agent(directory, REAL_PYTHON)
    subprocess.run([path, "--version"], env={**os.environ, "INQUEST_HOME": str(directory / "home")}, check=True)
    return path


@pytest.fixture
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How inquest was installed: see `both_ways`."""
    if request.param == "agent":
        path = request.getfixturevalue("agent")
        monkeypatch.setenv("INQUEST_HOME", str(path.with_name("home")))
        monkeypatch.setattr(Wrapped, "command", [str(path), "run"])
    return request.param


def both_ways(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with the package, and again with the agent, where the launcher starts the job."""
    return pytest.mark.usefixtures("way")(pytest.mark.parametrize("way", ["package", "agent"], indirect=True)(test))


@pytest.fixture
def wrapped(tmp_path: Path) -> Wrapped:
    return Wrapped(tmp_path / "out")


def read_log(capture: Path, stream: int) -> tuple[bytes, int]:
    """What was recorded of a stream with every gap as NUL bytes, and how many bytes the gaps hold.

    Fails where two records disagree, or where neither a record nor a gap speaks for a byte.
    """
    data: dict[int, bytes] = {}
    gaps: dict[int, int] = {}
    for path in sorted(capture.glob("log-*.raw")):
        frames = FrameReader(path)
        for payload in frames:
            record = rawlog.decode(payload)
            if record.stream == stream and isinstance(record, rawlog.Data):
                data[record.offset] = max(data.get(record.offset, b""), record.data, key=len)
            elif record.stream == stream:
                gaps[record.offset] = max(gaps.get(record.offset, 0), record.lost)
        assert frames.state != "corrupt", path
    end = max([0, *(at + len(part) for at, part in data.items()), *(at + lost for at, lost in gaps.items())])
    image, known = bytearray(end), bytearray(end)
    for at, part in data.items():
        for begin in range(at, at + len(part), 1 << 16):
            stop = min(at + len(part), begin + (1 << 16))
            if not any(known[begin:stop]):
                image[begin:stop] = part[begin - at : stop - at]
            else:
                for index in range(begin, stop):
                    assert not known[index] or image[index] == part[index - at], f"two records differ at {index}"
                    image[index] = part[index - at]
        known[at : at + len(part)] = b"\1" * len(part)
    before = known.count(0)
    for at, lost in gaps.items():
        known[at : at + lost] = b"\1" * lost
    assert known.count(0) == 0, f"{known.count(0)} bytes are neither recorded nor reported as a gap"
    return bytes(image), before


def wait_for(condition: Callable[[], object], what: str, seconds: float = 60) -> object:
    """The first true value of ``condition``."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.002)
    return value


def comm(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def has_ended(pid: int) -> bool:
    """Whether it is a zombie: over, and its parent has not asked."""
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:  # gone since its name was read
        return False


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def helpers(pid: int) -> dict[str, list[int]]:
    """The wrapper's children by role: pump, guard, scribe, recorder, job."""
    roles: dict[str, list[int]] = {"pump": [], "guard": [], "scribe": [], "recorder": [], "job": []}
    for child in children(pid):
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        name = comm(child)
        if name in ("inquest-pump", "inquest-guard", "inquest-scribe"):
            roles[name.removeprefix("inquest-")].append(child)
        elif b"inquest.capture.recorder" in command or b"internal-recorder" in command:
            roles["recorder"].append(child)
        elif not any(part in command for part in (b"inquest\0run\0", b"agent\0run\0", b"\0internal-adopt\0")):
            roles["job"].append(child)
    return roles


def kill(pid: int, number: int) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True
