"""Stacks that ``py-spy dump`` printed, as text or with ``--json``: where the threads of a process stood.

A dump tells a process and its threads, and neither its time nor its rank: the name of the file may tell that. A file
may hold the dumps of several processes, one after the other (``--subprocesses``, a loop over pids). The forms are those
of py-spy's own ``src/dump.rs``: a line for the process, one for its Python, and a block for each thread, whose frames
are indented by four blanks, innermost first.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.errors import InputError
from inquest.bundle.imports._values import int64, text
from inquest.bundle.stack_id import frame_line, stack_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

    Row = dict[str, Any]

_MAX_BYTES: Final = 32 << 20
"""A dump of a hundred processes has one."""
_DUMP: Final = re.compile(rb"(?m)^Process \d{1,10}: [^\n]{0,4000}\r?\n(?:[^\n]{0,4000}\n)?Python v\d")
_THREAD_HEAD: Final = re.compile(rb"(?m)^Thread (?:0x[0-9A-Fa-f]{1,16}|\d{1,10}) \((?:active|idle)")
_JSON: Final = re.compile(rb'\[\s*\{\s*"pid"\s*:\s*\d{1,10}\s*,\s*"thread_id"\s*:')
_PROCESS: Final = re.compile(r"Process (\d{1,10}): ")
_THREAD: Final = re.compile(
    r'Thread (0x[0-9A-Fa-f]{1,16}|\d{1,10}) \(((?:active|idle)[^)]{0,40})\)(?:: "([^"]{0,200})")?'
)
_INDENT: Final = "    "
_MAIN: Final = "MainThread"
_DEEPEST: Final = 200
_LONGEST: Final = 16384
_LINE: Final = 2000


class _PySpy:
    name = "py-spy"
    title = "Stacks of threads (py-spy dump)"
    tables: tuple[str, ...] = ("stacks", "stack_samples")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        head = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if head[:1] == b"[":
            return _JSON.match(head) is not None and b'"frames"' in head
        # A log that quotes a dump has lines of its own before it.
        return (
            (found := _DUMP.search(head)) is not None and found.start() < _HEADING and bool(_THREAD_HEAD.search(head))
        )

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        whole = source.read(_MAX_BYTES).decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
        threads = _of_json(whole, source.name) if whole[:1] == "[" else _of_text(whole)
        stacks: dict[int, Row] = {}
        samples: list[Row] = []
        for pid, tid, state, name, frames in threads:
            stack = "\n".join(frames[:_DEEPEST])[:_LONGEST]
            if not stack:
                context.refuse("threads without frames")
                continue
            number = stack_id(stack)
            stacks.setdefault(number, {"stack_id": number, "kind": "python", "text": stack})
            samples.append(
                {
                    "pid": pid,
                    "tid": pid if name == _MAIN else tid,  # of old kernels and with --pid only an address is told
                    "rank": source.rank,
                    "stack_id": number,
                    "state": state,
                    "thread_name": name,
                    "reason": "py-spy dump",
                }
            )
        yield "stacks", list(stacks.values())
        yield "stack_samples", samples


_HEADING: Final = 4096
"""Bytes that somebody may have put before the first dump of a file: a date, the name of a host, the command."""

KIND: Final = _PySpy()

Thread = tuple[int, int | None, str, str | None, list[str]]
"""Process, thread, state, name, and the lines of its stack."""


def _of_text(whole: str) -> Iterator[Thread]:
    pid: int | None = None
    thread: Thread | None = None
    for line in whole.splitlines():
        if frame := _frame(line):
            if thread is not None:
                thread[4].append(frame)
        elif found := _PROCESS.match(line):
            if thread is not None:
                yield thread
            pid, thread = int(found[1]), None
        elif pid is not None and (found := _THREAD.match(line)):
            if thread is not None:
                yield thread
            tid = None if found[1].startswith("0x") else int(found[1])
            thread = (pid, tid, found[2].replace("+gil", ", has the GIL"), found[3], [])
    if thread is not None:
        yield thread


def _frame(line: str) -> str | None:
    """``    name (file:line)``, and of C code without the line; arguments stand deeper."""
    name, _, place = line[len(_INDENT) : -1].rpartition(" (")
    if not line.startswith(_INDENT) or not line.endswith(")") or not name or name[0] == " " or len(line) > _LINE:
        return None
    file, _, number = place.rpartition(":")
    return frame_line(name, file, int(number)) if file and number.isdecimal() else frame_line(name, place, 0)


def _of_json(whole: str, name: str) -> Iterator[Thread]:
    try:
        value = json.loads(whole)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: JSON of py-spy that is cut off or damaged; dump the process again.") from error
    for each in value if isinstance(value, list) else ():
        if not isinstance(each, dict) or (pid := int64(each.get("pid"))) is None:
            continue
        frames = each.get("frames")
        state = ("active" if each.get("active") else "idle") + (", has the GIL" if each.get("owns_gil") else "")
        lines = [
            frame_line(
                text(frame.get("name")), text(frame.get("filename") or frame.get("short_filename")), frame.get("line")
            )
            for frame in (frames if isinstance(frames, list) else ())
            if isinstance(frame, dict)
        ]
        yield pid, int64(each.get("os_thread_id")), state, text(each.get("thread_name")), lines
