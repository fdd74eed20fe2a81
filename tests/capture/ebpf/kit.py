"""Stub libraries and a job on them, compiled here; the probes on them are real."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.capture.collector import Member
from inquest.capture.ebpf import session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inquest.capture.ebpf.calls import Probes
    from inquest.capture.ebpf.rawbpf import Object
    from inquest.capture.ebpf.session import Session

SOURCES = Path(__file__).parent / "stubs"
_LIBRARIES = {"libcuda.so.1": "libcuda.c", "libcudart.so.12": "libcudart.c", "libnccl.so.2": "libnccl.c"}


def need_probes() -> None:
    """Skip, and say why, where the kernel lets nobody probe; from here on a refusal is a failure."""
    if (reason := session.why_not()) is not None:
        pytest.skip(f"no eBPF here: {reason}")
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to compile the stub libraries with")


def need_bcc() -> None:
    """Skip where the distribution's bcc is not installed."""
    if not Path("/usr/lib/python3/dist-packages/bcc/__init__.py").exists():
        pytest.skip("no python3-bpfcc")


def gcc(*arguments: str | Path) -> None:
    """Compile so that functions begin as those of the real libraries do: with ``push``."""
    subprocess.run(["gcc", "-O2", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", *arguments], check=True)


def build_stubs(folder: Path) -> Path:
    """Compile the stub libraries and the job into ``folder``; returns the job's path."""
    flags = [f"-L{folder}", "-Wl,-rpath,$ORIGIN"]
    needed: list[str] = []
    for name, source in _LIBRARIES.items():
        driver = needed if name.startswith("libcudart") else []
        gcc(*flags, "-fPIC", "-shared", f"-Wl,-soname,{name}", "-o", folder / name, SOURCES / source, *driver)
        needed.append(f"-l:{name}")
    gcc(*flags, "-o", folder / "train", SOURCES / "train.c", *needed)
    gcc(*flags, "-fPIC", "-shared", "-o", folder / "train.so", SOURCES / "train.c", *needed)
    gcc(*flags, "-o", folder / "later", SOURCES / "later.c")
    return folder / "train"


def session_of_its_own(backend: str) -> Iterator[Session]:
    """A session; its probes end behind the test, because the kernel takes its time for that."""
    need_probes()
    session.choose(backend)
    own = session.shared()
    load, loaded = own.load, []

    def remembered(*arguments: object) -> Object:
        loaded.append(load(*arguments))  # type: ignore[arg-type]
        return loaded[-1]

    own.load = remembered  # type: ignore[assignment, method-assign]
    yield own
    session.choose("object")
    threading.Thread(target=lambda: [each.close() for each in loaded], daemon=True).start()


def stand(probing: Session, probes: Probes, *jobs: Job) -> None:
    """Let the probes see the jobs, and stand on what they map."""
    probing.follow([job.pid for job in jobs])
    probing.libraries.look([Member(job.pid, job.rank, "rank") for job in jobs])
    probes.attach()


class Job:
    """The stub job, doing what it is told."""

    def __init__(self, program: Path, rank: int = 0, **env: str) -> None:
        self.rank = rank
        self._process = subprocess.Popen(
            [program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"RANK": str(rank)} | env,
        )
        self.pid = self._process.pid
        self._expect("ready")

    def do(self, *commands: str) -> None:
        """Have it do something, and wait until it has."""
        for command in commands:
            self.begin(command)
            self._expect(command.split()[0])

    def begin(self, command: str) -> None:
        """Have it do something that may never return."""
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()

    def end(self, how: Callable[[subprocess.Popen[str]], None] | None = None) -> int:
        """End it, by closing its input or as told; its exit status."""
        if how is not None:
            how(self._process)
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        return self._process.wait(30)

    def _expect(self, word: str) -> None:
        assert self._process.stdout is not None
        said = self._process.stdout.readline().strip()
        assert said == word, f"the stub job said {said!r}, not {word!r}"
