"""Stub libraries and a job on them, compiled here; the probes on them are real."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.capture.ebpf import session

if TYPE_CHECKING:
    from collections.abc import Callable

_SOURCES = Path(__file__).parent / "stubs"
_LIBRARIES = {"libcuda.so.1": "libcuda.c", "libcudart.so.12": "libcudart.c", "libnccl.so.2": "libnccl.c"}


def need_probes() -> None:
    """Skip, and say why, where the kernel lets nobody probe; from here on a refusal is a failure."""
    if (reason := session.why_not()) is not None:
        pytest.skip(f"no eBPF here: {reason}")
    if shutil.which("gcc") is None:
        pytest.skip("no gcc to compile the stub libraries with")


def build_stubs(folder: Path) -> Path:
    """Compile the stub libraries and the job into ``folder``; returns the job's path."""
    flags = ["-O2", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", f"-L{folder}", "-Wl,-rpath,$ORIGIN"]
    needed: list[str] = []
    for name, source in _LIBRARIES.items():
        shared = ["-fPIC", "-shared", f"-Wl,-soname,{name}", "-o", folder / name, _SOURCES / source]
        subprocess.run(["gcc", *flags, *shared, *(needed if name.startswith("libcudart") else [])], check=True)
        needed.append(f"-l:{name}")
    subprocess.run(["gcc", *flags, "-o", folder / "train", _SOURCES / "train.c", *needed], check=True)
    return folder / "train"


class Job:
    """The stub job, doing what it is told."""

    def __init__(self, program: Path, rank: int = 0, **env: str) -> None:
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
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait(30)

    def _expect(self, word: str) -> None:
        assert self._process.stdout is not None
        said = self._process.stdout.readline().strip()
        assert said == word, f"the stub job said {said!r}, not {word!r}"


PYTHON = sys.executable
