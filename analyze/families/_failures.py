"""Tracebacks and processes that ended badly: what each is, which of a chain speaks, and what a status means."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Final

from inquest.analyze.families._causes import Cause, classify, is_relay
from inquest.analyze.families._causes import Kind as CauseKind
from inquest.analyze.families._rows import Row, exception_title, signal_name

LETHAL: Final = frozenset(
    {
        *(signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE),
        *(signal.SIGALRM, signal.SIGTRAP, signal.SIGSYS),
    }
)
"""Signals that nobody sends to end a run in order."""

NATIVE: Final = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE})
"""Signals a process raises by its own fault."""

ORDERLY: Final = frozenset(
    {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU}
)
"""Signals by which a person, a launcher or a scheduler asks a process to end."""

_EXIT_MINUS_TWO: Final = 254
ECHOES: Final = frozenset({Cause.LAUNCHER, Cause.INTERRUPT, Cause.PEER_LOST})


@dataclass(frozen=True, slots=True)
class Crash:
    """One fatal traceback: ``root`` is where the chain began, ``shown`` the exception its process died with."""

    cause: CauseKind
    root: Row
    shown: Row
    speaking: Row
    """The exception of the chain that decided ``cause``."""
    ranks: tuple[int, ...] = ()
    """Ranks that failed with the same signature."""
    streams: int = 1
    """Logs in which a process that no rank is told of failed with the same signature."""

    @property
    def title(self) -> str:
        """Type and first line of the message, short enough for a headline."""
        return exception_title(self.shown)


@dataclass(frozen=True, slots=True)
class Death:
    """One process that ended badly, as one source reports it."""

    row: Row
    term_signal: int | None
    exit_code: int | None

    @property
    def signal_name(self) -> str:
        """SIGKILL and the like; "signal N" for a number without a name."""
        return signal_name(self.term_signal or 0)


@dataclass(frozen=True, slots=True)
class Failure:
    """A candidate for what began the trouble."""

    cause: CauseKind
    row: Row
    table: str
    crash: Crash | None = None
    death: Death | None = None


def death_of(row: Row) -> Death:
    """A row of fact_exits as the end of a process; a status that stands for a signal is that signal."""
    term, code = row["term_signal"], row["exit_code"]
    if term is None and code is not None and code > 128:
        # A shell reports 128+n; DeepSpeed's launcher passes the negative code through modulo 256 (247 for SIGKILL). 255
        # and 254 are what programs leave with that call exit(-1) or exit(-2), as Perl and ssh do.
        number = code - 128 if code < 193 else 256 - code
        if number in ({*LETHAL, *ORDERLY}) and code < _EXIT_MINUS_TWO:
            return Death(row, int(number), None)
    return Death(row, term, code)


def crash_of(chain: list[Row]) -> Crash:
    """Judge a chain: the first exception whose cause is no plain crash speaks for it, else the one it ended with."""
    kinds = [(row, classify(row["exc_type"], row["message"], row["frames"], row["user_code"])) for row in chain]
    if str(chain[-1]["exc_type"]).endswith("ExceptionGroup"):
        # Tasks that ran together within one process: what they lost was a service, no rank.
        own_errand = CauseKind(Cause.APPLICATION, "env")
        kinds = [(row, own_errand if kind.cause is Cause.PEER_LOST else kind) for row, kind in kinds]
    causes = [kind.cause for _, kind in kinds]
    if causes[0] is Cause.INTERRUPT or all(cause in (Cause.LAUNCHER, Cause.INTERRUPT) for cause in causes):
        return Crash(kinds[0][1], chain[0], chain[-1], chain[0])
    exact = [item for item in kinds if item[1].cause not in (*ECHOES, Cause.STORE_WAIT, Cause.APPLICATION)]
    # The pipe to a data loader's worker breaks when that one leaves; it is no rank.
    own_worker = str(chain[-1]["message"]).startswith("DataLoader worker")
    waits = [item for item in kinds if item[1].cause in (Cause.PEER_LOST, Cause.STORE_WAIT) and not own_worker]
    # A process that hands on what its child raised, or a launcher, says less than the failure itself.
    own = [item for item in reversed(kinds) if item[1].cause is Cause.APPLICATION]
    own = [item for item in own if not is_relay(item[0]["message"])] or own
    telling = [item for item in own if item[1].fault_class != "code"]
    speaking, cause = (exact or waits or telling or own)[0]
    first_hand = (row for row, kind in reversed(kinds) if kind.cause is not Cause.LAUNCHER)
    shown = next((row for row in first_hand if not is_relay(row["message"])), chain[-1])
    return Crash(cause, chain[0], shown, speaking)
