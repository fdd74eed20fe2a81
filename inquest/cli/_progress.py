"""What is being done, on standard error while it is; nothing, and nothing loaded, where that is no terminal."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress, ProgressColumn


@contextlib.contextmanager
def bytes_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function that is told the bytes done and the bytes in all.

    The bar begins with the first of them, so that a tool which asks for a passphrase before is not written over.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn

    bar = _bar(TextColumn(what, markup=False), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    task = bar.add_task(what, total=None)

    def tell(done: int, total: int) -> None:
        bar.start()
        bar.update(task, completed=done, total=total)

    try:
        yield tell
    finally:
        bar.stop()


@contextlib.contextmanager
def phases(what: str) -> Iterator[Callable[[str, int, int], None]]:
    """A function that is told what is being done, how much of it is, and how much there is in all."""
    if not sys.stderr.isatty():
        yield lambda _phase, _done, _total: None
        return
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}", markup=False)
    with _bar(text, BarColumn(), TaskProgressColumn(), TimeElapsedColumn()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda phase, done, total: bar.update(task, description=phase, completed=done, total=total)


@contextlib.contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Says what is being done, where the end cannot be told; the function it gives is told what comes next."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

    with _bar(SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()) as bar:
        task = bar.add_task(what, total=None)
        yield lambda now: bar.update(task, description=now)


@contextlib.contextmanager
def counting(what: str, total: int) -> Iterator[Callable[[str], None]]:
    """A function that is called once for each of ``total`` things done, with the name of the next."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

    text = TextColumn("{task.description}", markup=False)
    with _bar(text, BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task(what, total=total)
        yield lambda name: bar.update(task, description=f"{what} {name}", advance=1)


def stating(what: str) -> None:
    """One line that stays, where a tool may ask for a passphrase on the same terminal."""
    if sys.stderr.isatty():
        print(f"{what} ...", file=sys.stderr)


def _bar(*columns: ProgressColumn) -> Progress:
    """It leaves no trace, and standard output as it is."""
    from rich.console import Console
    from rich.progress import Progress

    return Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
