"""What every fuzz target is held to: which exceptions may come out, and what may be touched, taken and spent.

One input is run at a time. While it runs, an audit hook sees every file, socket, process and piece of code that Python
opens; libraries that open files by themselves (Polars, Arrow, SQLite) are caught by a canary: a file that the kernel
watches, and a socket that listens.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import socket
import sys
import tempfile
import time
import traceback
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inquest.bundle.errors import InquestError
from tests import memory

if TYPE_CHECKING:
    from collections.abc import Callable

CPU_SECONDS = 12.0
"""CPU time one input may cost."""
MEMORY_BYTES = 700 << 20
"""How much the resident memory may grow while one input is read. Inputs are at most 1 MiB."""
ROOT = Path(__file__).resolve().parents[2]
_READABLE = tuple(
    f"{os.path.realpath(path)}/"
    for path in {sys.prefix, sys.base_prefix, *sys.path, ROOT, "/proc/self", "/usr/share/zoneinfo", "/usr/lib/python3"}
    if path and os.path.isdir(path)  # noqa: PTH112
)
_DEVICES = ("/dev/null", "/dev/urandom", "/etc/localtime", "/proc/meminfo", "/proc/stat")
_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.fork",
    "os.startfile",
    "pty.spawn",
    "pickle.find_class",
    "sqlite3.load_extension",
    "urllib.Request",
    "http.client",
    "ftplib.",
    "smtplib.",
    "webbrowser.",
)
_PATHS = {
    "os.remove": (0, 1),
    "os.rmdir": (0, 1),
    "os.mkdir": (0, 2),
    "os.chmod": (0, 2),
    "os.truncate": (0, None),
    "os.rename": (1, 3),
    "os.link": (1, 3),
    "os.symlink": (1, 2),
}
"""Audited calls that change the file system: which argument is the path, and which the number of its directory."""


class Finding(Exception):
    """An input broke the rules; the first line names how, so that equal findings can be told."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a target works: an empty folder of its own, and the canary it may not touch."""

    scratch: Path
    canary: Path
    url: str


class _Watch:
    """Tells of every open, read and write of the files in a folder (inotify(7))."""

    _EVENTS = 0x1 | 0x2 | 0x20 | 0x40 | 0x80 | 0x100 | 0x200  # access, modify, open, moved, create, delete

    def __init__(self, folder: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0 or libc.inotify_add_watch(self._descriptor, bytes(folder), self._EVENTS) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def close(self) -> None:
        os.close(self._descriptor)

    def sang(self) -> bool:
        try:
            return bool(os.read(self._descriptor, 65536))
        except BlockingIOError:
            return False


class Guard:
    """Runs a target on inputs, one after the other, and raises `Finding` where one breaks the rules."""

    def __init__(self, target: Callable[[bytes, Place], object], folder: Path | None = None) -> None:
        self._target = target
        self._folder = Path(tempfile.mkdtemp(prefix="inquest-fuzz-", dir=folder))
        (self._folder / "canary").mkdir()
        canary = self._folder / "canary" / "canary.csv"
        canary.write_text("a\nthe canary sings\n")
        self._watch = _Watch(canary.parent)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        port = self._listener.getsockname()[1]
        self.place = Place(self._folder / "scratch", canary, f"http://127.0.0.1:{port}/canary.csv")
        self._armed = False
        self._broken: list[str] = []
        sys.addaudithook(self._audit)

    def close(self) -> None:
        """Remove everything."""
        self._watch.close()
        self._listener.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __call__(self, data: bytes, *, twice: bool | None = None) -> object:
        """What the target gives for an input; an `InquestError` it raises is an answer too.

        Args:
            data: The input.
            twice: Hold the answer against that of a second run; None: for one input in eight.
        """
        answer = self._once(data)
        if (zlib.crc32(data) % 8 == 0 if twice is None else twice) and (again := self._once(data)) != answer:
            raise Finding(f"two runs differ: {str(answer)[:300]} / {str(again)[:300]}")
        return answer

    def _once(self, data: bytes) -> object:
        self.place.scratch.mkdir()
        before, saved = time.process_time(), tempfile.tempdir
        tempfile.tempdir = str(self.place.scratch)
        base = memory.reset_peak()
        self._armed = True
        try:
            answer = self._target(data, self.place)
        except InquestError as error:
            answer = (type(error).__name__, _sentence(error, self.place))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if self._broken:
                raise Finding(self._broken.pop()) from error
            raise Finding(_signature(error)) from error
        finally:
            self._armed = False
            tempfile.tempdir = saved
            shutil.rmtree(self.place.scratch, ignore_errors=True)
        if self._broken:
            raise Finding(self._broken.pop())
        if self._watch.sang():
            raise Finding("the canary file was opened")
        with contextlib.suppress(BlockingIOError):
            self._listener.accept()[0].close()
            raise Finding("the canary socket was reached")
        if (spent := time.process_time() - before) > CPU_SECONDS:
            raise Finding(f"slow: more than {CPU_SECONDS:g} s of CPU time\n{spent:.1f} s")
        if (grown := memory.peak() - base) > MEMORY_BYTES:
            raise Finding(f"large: more than {MEMORY_BYTES >> 20} MiB of memory\n{grown >> 20} MiB")
        return answer

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._armed and (what := self._breaks(event, arguments)):
            self._broken.append(what)
            raise Finding(what)

    def _breaks(self, event: str, arguments: tuple[Any, ...]) -> str | None:
        if event.startswith(_FORBIDDEN):
            return f"forbidden: {event}"
        if event == "open":
            path, mode, flags = arguments
            writes = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)) or set(mode or "") & set("wax+")
            return None if self._is_ours(path, reads_only=not writes) else f"forbidden: open {_shape(path)}"
        if event in _PATHS:
            index, directory = _PATHS[event]
            if directory is not None and arguments[directory] != -1:
                return None  # relative to a folder that was opened, which was judged then
            return None if self._is_ours(arguments[index], reads_only=False) else f"forbidden: {event}"
        if event == "sqlite3.connect":
            path = str(arguments[0]).removeprefix("file:").partition("?")[0]
            return None if path == ":memory:" or self._is_ours(path, reads_only=False) else "forbidden: sqlite3.connect"
        if event == "exec":
            name = arguments[0].co_filename
            known = name.startswith(("<frozen", "<string>", "<attrs", "<template")) or self._is_ours(
                name, reads_only=True
            )
            return None if known else f"forbidden: exec of code from {name[:80]}"
        return None

    def _is_ours(self, path: str | bytes | int, *, reads_only: bool) -> bool:
        if isinstance(path, int):
            return True  # a descriptor: what it leads to was judged when it was opened
        real = os.path.realpath(os.fsdecode(path))
        if real == str(self.place.scratch) or real.startswith(f"{self.place.scratch}/"):
            return True
        return reads_only and real.startswith((*_READABLE, *_DEVICES)) and not real.startswith(str(self._folder))


def _sentence(error: InquestError, place: Place) -> str:
    """The message of an error, which has to be one a person can read."""
    text = str(error)
    if not text.strip() or len(text) > 4000 or "\n" in text.strip() or "\0" in text:
        raise Finding(f"no clear sentence: {type(error).__name__}\n{text[:1000]!r}")
    return text.replace(str(place.scratch), "SCRATCH")


def _signature(error: BaseException) -> str:
    """The kind of an exception, and the last place in our code it came through."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/tests/" not in frame.filename and str(ROOT) in frame.filename]
    where = f" in {Path(ours[-1].filename).relative_to(ROOT)}:{ours[-1].name}" if ours else ""
    return f"{type(error).__name__}{where}\n{str(error)[:600]}"


def _shape(path: str | bytes) -> str:
    return "/".join(os.fsdecode(path).split("/")[:4])[:80]
