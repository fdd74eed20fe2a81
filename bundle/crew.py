"""A few processes that share the work of a merge, of which this one is one.

Reading a journal and a thousand small files is mostly Python's own work, of which a process can do one thing at a time:
threads of Arrow's wait for each other there, and two of them are hardly faster than one. Helpers are therefore other
processes. They take work and give results through pipes, as pickles: both ends are ours. All but a few rows lie in
files. Whatever becomes of a helper costs time only: its work is done here again.
"""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import TracebackType
    from typing import BinaryIO

T = TypeVar("T")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Hands(Protocol):
    """Whoever does work: a crew on this machine, or a cluster."""

    def begin(self, work: Callable[[T], R], items: Iterable[T]) -> Results[R]:
        """Let them begin with ``items``; see `Crew.begin`."""


class Results(Protocol[R_co]):
    """Work that was begun. As a context manager it takes back what was not."""

    count: int
    """How many items there are."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def results(self) -> Iterator[R_co]:
        """The results in the order of the items; raises what ``work`` raised for any of them."""


def _command() -> list[str]:
    """How a helper is started: with this Python and its search path, or as the single-file agent that this is."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "internal-crew"]
    begin = f"import sys; sys.path[:] = {sys.path!r}; from inquest.bundle import crew; crew.serve()"
    return [sys.executable, "-E", "-P", "-c", begin]


class Crew:
    """This process and its helpers; as a context manager it ends them."""

    def __init__(self) -> None:
        self._helpers: list[_Helper] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for helper in self._helpers:
            helper.kill()
        for thread in self._threads:  # that read from helpers
            thread.join()
        for helper in self._helpers:
            helper.close()

    def grow(self, helpers: int) -> None:
        """Have as many helpers at least, where they can be started. They load what they need meanwhile."""
        with contextlib.suppress(OSError):
            while len(self._helpers) < helpers:
                self._helpers.append(_Helper())

    def begin(self, work: Callable[[T], R], items: Iterable[T]) -> Share[T, R]:
        """Let helpers begin with ``items``; what they leave is done when the results are asked for.

        ``work`` is a function of a module, and items and results are what can be pickled.
        """
        share = Share(work, items)
        for helper in self._helpers:
            thread = threading.Thread(target=share.feed, args=(helper,), name="merge", daemon=True)
            self._threads.append(thread)
            thread.start()
        return share


class Share(Generic[T, R]):
    """Work that helpers have begun with. As a context manager it takes what is left from them."""

    def __init__(self, work: Callable[[T], R], items: Iterable[T]) -> None:
        self._work = work
        self._todo = list(enumerate(items))[::-1]
        self._results: dict[int, R] = {}
        self.count = len(self._todo)
        self._errors: list[BaseException] = []
        self._changed = threading.Condition()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._todo.clear()

    def results(self) -> Iterator[R]:
        """The results in the order of the items.

        Raises:
            Exception: What ``work`` raised for any of them.
        """
        number = 0
        while number < self.count:
            taken = self._take() if number not in self._results else None
            if taken is not None:
                result = self._work(taken[1])
                self._put(taken[0], result)
            with self._changed:
                while number not in self._results and not self._todo and not self._errors:
                    self._changed.wait()
                if self._errors:
                    raise self._errors[0]
            while number in self._results:
                yield self._results.pop(number)
                number += 1

    def _take(self) -> tuple[int, T] | None:
        with self._changed:
            return self._todo.pop() if self._todo else None

    def _put(self, number: int, result: R) -> None:
        with self._changed:
            self._results[number] = result
            self._changed.notify()

    def feed(self, helper: _Helper) -> None:
        """Give one helper work until there is none: what its thread does."""
        while helper.is_ready() and (taken := self._take()) is not None:
            try:
                self._put(taken[0], helper.ask(self._work, taken[1]))
            except _Lost:
                with self._changed:
                    self._todo.append(taken)
                    self._changed.notify()
            except BaseException as error:  # whatever it was, it is raised where results are asked for
                with self._changed:
                    self._errors.append(error)
                    self._todo.clear()
                    self._changed.notify()


class _Lost(Exception):
    """A helper has ended, or did not understand."""


class _Helper:
    """One other process, which does one thing at a time."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._ready: bool | None = None
        self._asked = threading.Lock()

    def is_ready(self) -> bool:
        """Wait until it takes work; False where it has ended."""
        with self._asked:
            if self._ready is None:
                self._ready = self._process.stdout.read(1) == _READY  # type: ignore[union-attr]
            return self._ready

    def ask(self, work: Callable[[T], R], item: T) -> R:
        """Have it do one piece of work.

        Raises:
            _Lost: It has ended.
            Exception: What ``work`` raised.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        told = pickle.dumps((work, item), protocol=5)
        try:
            with self._asked:
                self._process.stdin.write(told)
                self._process.stdin.flush()
                result, error = pickle.load(self._process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as lost:
            self._ready = False
            raise _Lost from lost
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._process.communicate()


_READY: Final = b"r"


def serve() -> None:
    """A helper: do what comes in on standard input, until it ends."""
    import os
    import signal

    # It ends when the merge does, not at a Ctrl-C of its own; and what a library prints does not belong among results.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    from inquest.bundle import merge  # noqa: F401  before it says that it is ready

    with contextlib.suppress(BrokenPipeError):
        _say(out, None)
        while True:
            try:
                work, item = pickle.load(sys.stdin.buffer)
            except (EOFError, pickle.UnpicklingError):
                return
            _say(out, _done(work, item))


def _done(work: Callable[[Any], Any], item: object) -> tuple[Any, Exception | None]:
    try:
        return work(item), None
    except Exception as error:
        return None, error


def _say(out: BinaryIO, answer: tuple[Any, Exception | None] | None) -> None:
    out.write(_READY if answer is None else pickle.dumps(answer, protocol=5))
    out.flush()
