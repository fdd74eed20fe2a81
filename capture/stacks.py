"""Where the threads of a process are: in the kernel, and in Python where py-spy is at hand.

What disturbs least comes first. /proc is read without the process noticing. ``py-spy dump --nonblocking`` reads its
memory without stopping it. Only ``--native`` stops it, for a fraction of a second: it is used on processes that do not
move anyway, never on one that waits for a disk or is stopped already, and a process found stopped afterwards that was
not before is set going again. Each call has a time limit that outlives us (coreutils' ``timeout``).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from inquest.bundle.stack_id import frame_line, stack_id
from inquest.capture import proc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.capture.collector import Row

MOST_THREADS: Final = 512
"""Threads of one process that are looked at; the main thread is the first."""
_PYTHON_S: Final = 10
_NATIVE_S: Final = 20
_ANSWER_BYTES: Final = 8 << 20
_MAPS_BYTES: Final = 4 << 20
_DEEPEST: Final = 200
_LONGEST: Final = 32_000
_KERNEL_FRAME: Final = re.compile(r"\[<[0-9a-f]+>\] ([^\s+]+)")
_STOPPED: Final = "Tt"
_DENIED: Final = ("permission denied", "not permitted")


@dataclass(frozen=True, slots=True)
class Sample:
    """One thread in one stack; ``kind`` is kernel, python or native, ``text`` has the innermost frame first."""

    pid: int
    tid: int
    kind: str
    text: str
    state: str
    thread_name: str | None = None

    def row(self, rank: int | None, reason: str, mono_ns: int) -> Row:
        """The row of ``stack_samples``."""
        return {
            "ts_mono_ns": mono_ns,
            "pid": self.pid,
            "rank": rank,
            "tid": self.tid,
            "stack_id": stack_id(self.text),
            "state": self.state,
            "thread_name": self.thread_name,
            "reason": reason,
        }


class Refused(Exception):
    """Stacks could not be had; the text says why, in one phrase.

    Attributes:
        denied: It would take more rights.
        cut_off: Who looked was killed in the middle of it.
    """

    def __init__(self, why: str, *, denied: bool = False, cut_off: bool = False) -> None:
        super().__init__(why)
        self.denied, self.cut_off = denied, cut_off


def kernel(pid: int) -> list[Sample]:
    """What each thread waits for in the kernel; empty for a process that is gone.

    The kernel's stack where we may read it (root), else the function it sleeps in; then the number of the system call.
    """
    found = []
    for tid in threads(pid):
        place = f"/proc/{pid}/task/{tid}"
        seen = _thread(pid, tid)
        if seen is None:
            continue
        state, name = seen
        frames = _KERNEL_FRAME.findall(proc.read_text(f"{place}/stack", 16384) or "")
        if not frames:
            frames = [(proc.read_text(f"{place}/wchan", 256) or "").strip("0\n")]
        call = (proc.read_text(f"{place}/syscall", 256) or "").split(maxsplit=1)
        if call and call[0].isdigit():
            frames.append(f"system call {call[0]}")
        text = "\n".join(frame for frame in frames if frame)
        found.append(Sample(pid, tid, "kernel", text or ("on the CPU" if state == "R" else "not told"), state, name))
    return found


def threads(pid: int) -> list[int]:
    """Threads of a process, the main one first, at most MOST_THREADS."""
    try:
        tids = sorted(int(name) for name in os.listdir(f"/proc/{pid}/task"))  # noqa: PTH208 - one call, no objects
    except OSError:
        return []
    return sorted(tids, key=lambda tid: (tid != pid, tid))[:MOST_THREADS]


def is_python(pid: int) -> bool:
    """Whether a process runs Python: its program is called so, or it has libpython mapped."""
    exe = proc.link(f"/proc/{pid}/exe")
    if exe is None:
        return False
    if Path(exe).name.startswith(("python", "pypy")):
        return True
    return b"libpython" in (proc.read_bytes(f"/proc/{pid}/maps", _MAPS_BYTES) or b"")


def find_py_spy() -> str | None:
    """The py-spy of our own environment, else the one on PATH."""
    beside = Path(sys.executable).parent / "py-spy"
    return str(beside) if os.access(beside, os.X_OK) else shutil.which("py-spy")


def python(pid: int, py_spy: str) -> list[Sample]:
    """Python stacks of all threads, read from the memory of the running process.

    Raises:
        Refused: There are none to be had.
    """
    return list(
        _samples(pid, "python", _dump([py_spy, "dump", "--json", "--nonblocking", "--pid", str(pid)], _PYTHON_S))
    )


def native(pid: int, py_spy: str) -> list[Sample]:
    """Stacks of Python and C together. Stops the process while it looks.

    Raises:
        Refused: There are none to be had, or the process must not be touched now.
    """
    before = {state for tid in threads(pid) if (state := _state(pid, tid))}
    if held := before & {"D", "T", "t"}:
        raise Refused(f"a thread is in state {min(held)}: not stopped for its C stack")
    try:
        answer = _dump([py_spy, "dump", "--json", "--native", "--pid", str(pid)], _NATIVE_S)
    except Refused as refused:
        if refused.cut_off:  # the stop that it asked for may be on its way still; this takes it back
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGCONT)
        raise
    finally:
        _set_going(pid)
    return list(_samples(pid, "native", answer))


def _dump(command: list[str], seconds: int) -> list[dict[str, Any]]:
    limited = shutil.which("timeout")
    if limited:  # keeps the limit where we are killed in the meantime
        command = [limited, "-s", "KILL", str(seconds), *command]
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if name != "RUST_LOG"},
        ) as process:
            try:
                out, err = process.communicate(timeout=seconds + 2)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise Refused(f"py-spy did not answer within {seconds} s", cut_off=True) from None
    except OSError as error:
        raise Refused(f"py-spy cannot be run: {error.strerror}") from error
    if process.returncode != 0 or len(out) > _ANSWER_BYTES:
        raise _refusal(err.decode(errors="replace"), process.returncode, seconds)
    try:
        answer = json.loads(out)
    except ValueError as error:
        raise Refused(f"py-spy's answer is no JSON ({error})") from error
    return [thread for thread in answer if isinstance(thread, dict)] if isinstance(answer, list) else []


def _refusal(said: str, status: int, seconds: int) -> Refused:
    """What py-spy said, as one phrase."""
    if status in (-signal.SIGKILL, 124, 137):
        return Refused(f"py-spy did not answer within {seconds} s", cut_off=True)
    if any(word in said.lower() for word in _DENIED):
        return Refused(
            "py-spy may not look into the job: it needs root, CAP_SYS_PTRACE, or kernel.yama.ptrace_scope = 0"
            " with the job's user",
            denied=True,
        )
    lines = [line.removeprefix("Error: ").strip() for line in said.splitlines() if line.strip()]
    return Refused(f"py-spy: {lines[0][:200]}" if lines else f"py-spy ended with status {status}")


def _samples(pid: int, kind: str, answer: Iterable[dict[str, Any]]) -> Iterator[Sample]:
    for thread in answer:
        tid, frames = thread.get("os_thread_id"), thread.get("frames")
        if not isinstance(tid, int) or not isinstance(frames, list):
            continue
        text = "\n".join(
            frame_line(frame.get("name"), frame.get("filename"), frame.get("line"))
            for frame in frames[:_DEEPEST]
            if isinstance(frame, dict)
        )
        if text:
            state = ("active" if thread.get("active") else "idle") + (", has the GIL" if thread.get("owns_gil") else "")
            name = thread.get("thread_name")
            yield Sample(pid, tid, kind, text[:_LONGEST], state, name if isinstance(name, str) else None)


def _thread(pid: int, tid: int) -> tuple[str, str] | None:
    """State and name of a thread; None when it is gone."""
    head, _, tail = (proc.read_text(f"/proc/{pid}/task/{tid}/stat", 4096) or "").rpartition(")")
    fields = tail.split(maxsplit=1)
    return (fields[0], head.partition("(")[2]) if fields else None


def _state(pid: int, tid: int) -> str | None:
    seen = _thread(pid, tid)
    return seen[0] if seen else None


def _set_going(pid: int) -> None:
    """See to it that a process that ran before runs again, if whoever looked at it was killed in the middle."""
    for _ in range(20):
        states = {_state(pid, tid) for tid in threads(pid)}
        if not states & set(_STOPPED):
            return
        if "t" not in states:  # nobody holds it any more, and it stands
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGCONT)
        time.sleep(0.05)
