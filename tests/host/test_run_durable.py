"""Before the job starts, what records it is on disk: every file and every name that leads to it. Needs strace."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.capture.conftest import Wrapped

if TYPE_CHECKING:
    from pathlib import Path


def test_files_and_names_are_synced_before_the_job_starts(tmp_path: Path) -> None:
    wrapped = Wrapped(tmp_path / "out")
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    trace = tmp_path / "trace"
    calls = "trace=fsync,fdatasync,execve,openat,mkdir"
    argv = [strace, "-f", "-y", "-s", "4096", "-e", calls, "-o", str(trace), *wrapped.argv("/bin/true")]
    done = subprocess.run(argv, check=False, capture_output=True)
    if b"ptrace" in done.stderr:
        pytest.skip(f"nothing can be traced here: {done.stderr.decode().strip()}")
    assert done.returncode == 0
    before, job, _ = trace.read_text().partition('execve("/bin/true"')
    assert job
    capture = wrapped.capture()
    at_start = [str(capture / name) for name in ("node.json", "task.raw", "log-0.raw")]
    places = [str(capture), str(wrapped.out / "n1"), str(wrapped.out), str(tmp_path)]
    created = {path: before.rindex(f'"{path}", O_WRONLY') for path in at_start}
    for path in at_start + places:
        synced = [before.rfind(f"{call}({fd}<{path}>") for call in ("fsync", "fdatasync") for fd in range(3, 10)]
        assert max(synced) > 0, f"{path} was not synced"
        if path == str(capture):
            assert max(synced) > max(created.values()), "a file was created after its directory was synced"
