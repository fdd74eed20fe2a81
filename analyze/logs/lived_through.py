"""A traceback that its program lived through, by what came later: a signal, a limit, or another that nobody caught.

No exception ends its process by a signal, and nobody dies twice. What a pipe held back of a process that did die of it
is followed by neither.
"""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING, Final

from inquest.analyze.logs.frames import is_forked, is_launcher, place_of, was_caught
from inquest.analyze.logs.roles import role_of_exception

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.logs.exits import Exit
    from inquest.analyze.logs.reports_around import Reports
    from inquest.analyze.logs.tracebacks import Traceback

QUEUED: Final = 20
"""More batches than that are seldom read ahead."""
_SIGNALS: Final = frozenset(
    {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGSEGV, signal.SIGBUS}
)
_AT_ONCE: Final = frozenset({signal.SIGKILL, signal.SIGSEGV, signal.SIGBUS})
"""Signals at which no process writes out what it had in a buffer."""
_OF_PARTS: Final = re.compile(
    r"(?i)thread|worker(?!.{0,40}killed by signal)|\bqueue\b|\bempty\b|timed? ?out|\bdied\b|clos(?:ed|ing)|broken"
    r"|producer|prefetch|loader(?! worker .{0,20}is killed by signal)|child|subprocess|pool\b"
)
"""What a program says that lost a part of itself: the part's own error came first."""
_FAILED: Final = re.compile(
    r"(?i)\bprocess|\brank|fail|\bexit|\bstatus\b|\bsignal\b|abort|previous|above|see (?:the )?log"
)
"""What a program says that ends since something failed that it has told of."""
_OUT_OF_MEMORY: Final = "out of memory. Tried to allocate"
_LINES_BETWEEN: Final = 2
"""Lines that a program prints which is about to raise what it has caught again."""
_OF_NO_MESSAGE: Final = 6
"""So many are seldom of a message."""
_BESIDE: Final = re.compile(
    r"(?i)metric|monitor|serve|http|heartbeat|telemetry|watch|report|upload|wandb|mlflow|comet|neptune|tensorboard|prometheus|stats|notif|flush"
)
"""Names of what looks on or sends away, and gives training nothing that it waits for."""


def may_be_lived_through(traceback: Traceback) -> bool:
    """Whether somebody caught it, or it ended no more than a thread, and it is of no process that was forked."""
    return (traceback.threaded or was_caught(traceback)) and not is_forked(traceback)


def ends_its_process(traceback: Traceback) -> bool:
    """Whether nobody caught it, as far as it shows: it unwound the whole stack of a main thread."""
    side = traceback.threaded or traceback.ignored or traceback.logged or traceback.made
    return not side and not was_caught(traceback) and bool(traceback.final.frames)


def lived_through(
    traceback: Traceback, raised: Iterable[Traceback], reports: Reports, ends: Iterable[Exit], *, struck: bool
) -> bool:
    """Whether something else ended the program that had caught it, or had lost no more than a thread by it.

    Args:
        traceback: One that ``may_be_lived_through``, of a stream in which no other rank raised, that may go on alone.
        raised: Those of its stream of which each ``ends_its_process``.
        reports: What training counted.
        ends: Ends that its stream tells.
        struck: The command was ended by a signal or a limit, as recorded or told.
    """
    first, last, place = traceback.first, traceback.last_seq, place_of(traceback)
    beside = traceback.unawaited or (traceback.threaded and _stands_beside(traceback))
    below = (one for one in raised if one.first.seq > last)
    other = (one for one in below if one.final.signature != traceback.final.signature)
    later = [one for one in other if beside or is_no_echo(one)]
    if traceback.threaded and later:
        return True
    near = not traceback.logged and _unindented(traceback) < _OF_NO_MESSAGE
    apart = (one for one in later if not near or one.first.seq - last > _LINES_BETWEEN)
    if any(map(_says_no_failure, apart)):
        return True
    signals = {end.term_signal for end in ends if end.line.seq > last}
    # Who lost a thread's exception aborts of something else: of a watchdog, or an assertion.
    if not later and not struck and not signals & (_SIGNALS | {signal.SIGABRT} if traceback.threaded else _SIGNALS):
        return False
    if beside:
        return True
    beyond = len(reports.beyond(place, traceback))
    if traceback.threaded:
        return beyond >= QUEUED
    if reports.goes_on(place, first.seq, last, first.rank):
        return True
    # What is killed writes no buffer out; and who had reported above held nothing back, that it could have left behind.
    reported = reports.beside(place, first.seq, last, first.rank)[0] is not None
    return reported and beyond > 0 and bool(signals & _AT_ONCE)


def _unindented(traceback: Traceback) -> int:
    """Lines that stand below it as if they were of its message, and are as likely what the program printed next."""
    return sum(bool(text.strip()) and not text[0].isspace() for text in traceback.final.message.splitlines()[1:])


def is_no_echo(later: Traceback) -> bool:
    """It is no launcher's, nor a victim's, and says nothing of a part that was lost, whose own error came before."""
    if is_launcher(later) or is_forked(later) or role_of_exception(later) != "root":
        return False
    return _OF_PARTS.search(f"{later.final.exc_type}: {later.final.message}") is None


def _says_no_failure(later: Traceback) -> bool:
    """It tells of an error of its own, not that something has failed."""
    told = f"{later.final.exc_type}: {later.final.message}"
    # An allocator tells as well which process holds how much.
    return _OUT_OF_MEMORY in told or _FAILED.search(told) is None


def _stands_beside(traceback: Traceback) -> bool:
    frames = traceback.final.frames
    return any(_BESIDE.search(f"{frame.function} {frame.file.rpartition('/')[2]}") for frame in frames)
