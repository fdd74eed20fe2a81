"""Start the real recorder beside a real command, and read back what it wrote."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle import nodedir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

STUB = Path(__file__).parent / "nvml_stub" / "nvml_stub.c"
PATIENCE_S = 60.0
"""How long a test waits for what must come; only a failing one waits that long."""
_UNHURRIED = f"""
import sys
from inquest.capture import recorder
recorder._LAST_WORDS_S = recorder._SEAL_BY_S = {PATIENCE_S}
recorder.serve(sys.argv[1:])
"""


class Recording:
    """One recorder and what it recorded."""

    def __init__(self, capture: Path, process: subprocess.Popen[bytes]) -> None:
        self.capture = capture
        self.process = process

    def rows(self, table: str) -> list[dict[str, Any]]:
        """Rows of a table so far, in the order written."""
        for _ in range(3):  # a segment may be sealed under the reader of a live recording
            with contextlib.suppress(FileNotFoundError):
                found = nodedir.recover(self.capture.parent)
                return [
                    row
                    for name, batch in found
                    if name == table
                    for row in batch.to_pylist()
                    if row["capture"] == self.capture.name
                ]
        raise AssertionError("the recording keeps changing under its reader")

    def wait_for(self, table: str, wanted: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
        """Wait until the rows of a table are as wanted."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            rows = self.rows(table)
            if wanted(rows):
                return rows
            assert time.monotonic() < deadline, f"{table} never came to be as wanted: {rows[-5:]}"
            time.sleep(0.2)

    def wait(self) -> None:
        """Wait for the recorder's own end, which must be an orderly one."""
        assert self.process.wait(PATIENCE_S) == 0, list(self.capture.glob("recorder.err"))

    def last(self, collector: str) -> dict[str, Any]:
        """The last ``collection`` row of a collector."""
        return [row for row in self.rows("collection") if row["collector"] == collector][-1]


def record(
    out: Path,
    pid: int,
    *,
    node: str = "node-a",
    env: Mapping[str, str] | None = None,
    prefix: Sequence[str] = (),
    pass_fds: Sequence[int] = (),
    facts: Mapping[str, Any] | None = None,
    unhurried: bool = False,
) -> Recording:
    """Start a recorder for process ``pid``.

    An ``unhurried`` one waits for the last rows of its collectors however long they take. The others leave within a
    second of the command, as users are promised, and where the machine is busy without the last rows.
    """
    capture = nodedir.create_capture(out, node, facts={"task": 0, **(facts or {})})
    program = ["-c", _UNHURRIED] if unhurried else ["-m", "inquest.capture.recorder"]
    command = [*prefix, sys.executable, "-E", "-P", *program, capture, str(pid)]
    process = subprocess.Popen(
        command,
        env=os.environ | dict(env or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=pass_fds,
    )
    return Recording(Path(capture), process)


@contextlib.contextmanager
def command(*argv: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A command to be recorded; killed and reaped at the end, if it still runs."""
    process = subprocess.Popen(argv, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


class Stub:
    """The NVML stub, compiled, and the file that scripts it."""

    def __init__(self, directory: Path) -> None:
        if shutil.which("gcc") is None:
            pytest.skip("no gcc to compile the NVML stub with")
        library = directory / "libnvidia-ml.so.1"
        subprocess.run(["gcc", "-O1", "-shared", "-fPIC", "-o", library, STUB, "-lpthread"], check=True)
        self._script = directory / "stub.txt"
        self.say()
        self.env = {"LD_LIBRARY_PATH": str(directory), "INQUEST_NVML_STUB": str(self._script)}

    def say(self, *lines: str) -> None:
        """Script the GPUs; replaces all that was said before, at once."""
        new = self._script.with_suffix(".new")
        new.write_text("".join(f"{line}\n" for line in lines))
        new.replace(self._script)
