"""What a family is: a declaration of the evidence it needs, and one pure judgement over it.

A family returns exactly one of ``RuledIn | RuledOut | CannotDecide``. It never guesses: unmet ``needs`` are turned
into CannotDecide by the engine, before ``judge`` is called. ``judge`` reads only through ``Evidence`` and is
deterministic. Which ruled-in family names the run is the arbiter's decision, not the family's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import (
        Attribution,
        ChainLink,
        Claim,
        Failing,
        FaultClass,
        Missing,
        Next,
        Scope,
        Severity,
        StoreName,
    )


@dataclass(frozen=True, slots=True)
class Support:
    """One piece of evidence for a ruled-in family, from which confidence is computed (analyze/confidence.py).

    ``store`` is where it was seen; ``decisive`` means that, alone, it can hardly be explained any other way (an exact
    exception with exit code, the kernel's OOM-killer line naming the pid); otherwise it is circumstantial.
    ``contradicted`` means that another store says otherwise, as an exit status of 0 does of a traceback: alone it then
    has no privilege of its family.
    """

    store: StoreName
    text: str
    decisive: bool = False
    contradicted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledIn:
    """The family happened. ``onset_ns`` is when it began, for chronology (None: no clock on its evidence)."""

    because: str
    would_change_if: str
    headline: str
    claims: tuple[Claim, ...]
    support: tuple[Support, ...]
    attribution: Attribution
    scope: Scope
    severity: Severity = "high"
    onset_ns: int | None = None
    fault_class: FaultClass | None = None
    sub_mode: str | None = None
    first_failing: Failing | None = None
    culprit_ranks: tuple[int, ...] = ()
    culprit_nodes: tuple[str, ...] = ()
    culprit_gpus: tuple[str, ...] = ()
    chain: tuple[ChainLink, ...] = ()
    implies: tuple[str, ...] = ()
    cannot_decide: tuple[Missing, ...] = ()
    next: Next | None = None
    explains_end: bool = True
    """False when the finding did not end or spoil the run (a recovered error): it becomes a warning."""
    over_standstill: bool = False
    """True when it ended a job that had long stood still: by itself it does not name the run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuledOut:
    """The family did not happen: everything needed to see it was captured.

    ``would_change_if`` names what would have had to be there.
    """

    because: str
    would_change_if: str
    claims: tuple[Claim, ...] = ()
    stores: tuple[StoreName, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CannotDecide:
    """The evidence does not tell. ``missing`` says what would."""

    because: str
    missing: tuple[str, ...]
    claims: tuple[Claim, ...] = ()
    warnings: tuple[str, ...] = field(default=())


Finding = RuledIn | RuledOut | CannotDecide


class Family(Protocol):
    """One of the eighteen failure families.

    ``needs`` / ``any_of`` / ``helps`` hold names of evidence: a table name ("gpu_samples"), meaning that table has
    rows, or one of the derived names the evidence layer answers (``Evidence.has``): "logs", "exits" (how the job's
    processes ended is known), "steps" (training progress was reported), "scheduler", "kernel", "gpus", "host", "clocks"
    (GPU samples, or what trackers noted).
    """

    @property
    def id(self) -> str:
        """Two characters, "A1" to "G1"."""

    @property
    def name(self) -> str:
        """Name as printed."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Evidence without which nothing can be said; all of it."""

    @property
    def any_of(self) -> tuple[str, ...]:
        """At least one of these must be there; empty when there is no such demand."""

    @property
    def helps(self) -> tuple[str, ...]:
        """Evidence that sharpens the answer; absence is named, not fatal."""

    def judge(self, ev: Evidence) -> Finding:
        """Decide. Pure: same evidence, same finding."""
