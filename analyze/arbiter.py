"""Which finding names the run: chronology before severity.

Families say what happened; here it is decided what killed the run. The first initiating event wins, its known
consequences are put behind it in a chain, and what is related to neither becomes a warning. Recovered errors
(``explains_end=False``) never win. ``CAUSES`` is the whole knowledge about what can follow from what.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import polars as pl

from inquest.analyze.families._exit_value import value_at_exit
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, RuledOut
from inquest.analyze.model import ChainLink, Failing, Missing, Next

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families.base import Finding, RuledIn
    from inquest.analyze.model import Attribution, Claim, FaultClass, Outcome, Scope, Severity
    from inquest.analyze.outside import Outside

Names = Literal["trigger", "consequence"]

CAUSES: Final[dict[tuple[str, str], Names]] = {
    # A rank was lost and the others froze until something ended them: the freeze is what happened to the run.
    ("A1", "C2"): "consequence",
    ("A2", "C2"): "consequence",
    ("B1", "C2"): "consequence",
    ("B2", "C2"): "consequence",
    # A lost node takes its ranks, and mostly the whole allocation, with it.
    ("F1", "A2"): "trigger",
    ("F1", "C2"): "trigger",
    ("F1", "F2"): "trigger",
    # The scheduler says minutes later that a node is lost; the silence of the others is what is seen first.
    ("C2", "F1"): "consequence",
    # Broken hardware speaks through CUDA errors and killed processes.
    ("B2", "A1"): "trigger",
    ("B2", "A2"): "trigger",
    ("B2", "B1"): "trigger",
    ("B3", "D3"): "trigger",
    ("B3", "F3"): "trigger",
    # A time-out over a hang, or over a run too slow to finish, is how it ended, not why.
    ("C1", "F3"): "trigger",
    ("C2", "F3"): "trigger",
    ("C3", "F3"): "trigger",
    ("D1", "F3"): "trigger",
    ("D2", "F3"): "trigger",
    ("D3", "F3"): "trigger",
    # Watchdogs, launchers and time limits end processes by exceptions and signals.
    ("C1", "A1"): "trigger",
    ("C1", "A2"): "trigger",
    ("C2", "A1"): "trigger",
    ("C2", "A2"): "trigger",
    ("C3", "A2"): "trigger",
    ("F2", "A1"): "trigger",
    ("F2", "A2"): "trigger",
    ("F3", "A1"): "trigger",
    ("F3", "A2"): "trigger",
    # A lost peer makes the others crash, and a killed loader worker its rank.
    ("A2", "A1"): "trigger",
    ("A1", "A2"): "trigger",
    ("B1", "A1"): "trigger",
    ("B1", "A2"): "trigger",
    # A loss gone bad trips a check of the job's own.
    ("E1", "A1"): "trigger",
    ("E1", "A2"): "trigger",
    # A checkpoint that cannot be loaded ends its process.
    ("E2", "A1"): "trigger",
    ("E2", "A2"): "trigger",
    ("E2", "C2"): "trigger",
    # A requeued run that silently began anew lost its work by the restart, not by the requeue.
    ("F2", "E2"): "consequence",
    ("F1", "E2"): "consequence",
    # A run started anew from nothing, or ended early, has done few steps.
    ("E2", "E3"): "trigger",
    ("F2", "E3"): "trigger",
    ("F3", "E3"): "trigger",
}
"""(first, then) -> which of the two names the run when both happened in this order."""

_SPECIFIC: Final = "F1 B2 B1 E2 E1 C1 A2 A1 C2 C3 F2 F3 B3 D3 D1 D2 E3".split()  # noqa: SIM905
"""Where no clock orders two findings that are not related: the one that says more comes first."""

_FELT_FIRST: Final = ("B2", "C2")
"""A GPU that is lost stops its peers at once; the sample since which they stand still may lie before the fault."""

_ENDS_NOTHING: Final = frozenset({"B3", "D1", "D2", "D3", "E3"})
"""A slow or short run lives on: what began later and ended it names it, unless it follows from that (CAUSES)."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruled-in family and how sure it is."""

    family: str
    finding: RuledIn
    confidence: float


@dataclass(frozen=True, slots=True)
class Decision:
    """The part of the verdict that the arbiter decides."""

    outcome: Outcome
    family: str | None
    fault_class: FaultClass | None
    sub_mode: str | None
    confidence: float
    severity: Severity
    scope: Scope | None
    attribution: Attribution
    headline: str
    first_failing: Failing
    culprit_ranks: tuple[int, ...]
    culprit_nodes: tuple[str, ...]
    culprit_gpus: tuple[str, ...]
    chain: tuple[ChainLink, ...]
    implies: tuple[str, ...]
    cannot_decide: tuple[Missing, ...]
    next: Next
    involved: tuple[str, ...]
    """Families of the chain, the one that names the run first."""
    warnings: tuple[str, ...]
    outside_claims: tuple[Claim, ...] = ()


def decide(
    ev: Evidence,
    rulings: Sequence[Ruling],
    findings: Mapping[str, Finding],
    outside: Outside | None,
) -> Decision:
    """Pick the finding that names the run.

    Args:
        ev: The evidence, for clocks and how the run ended.
        rulings: Ruled-in families, in the order of families.
        findings: What every family found.
        outside: A clear cause that no family covers, if there is one.
    """
    order = _Order(ev)
    suspects = [ruling for ruling in rulings if ruling.finding.explains_end and ruling.family != "G1"]
    aside = tuple(
        f"{ruling.family}: {ruling.finding.headline}" for ruling in rulings if not ruling.finding.explains_end
    )
    if outside is not None and all(_comes_first(order, outside, ruling) for ruling in suspects):
        rest = tuple(f"{ruling.family}: {ruling.finding.headline}" for ruling in suspects)
        if outside.finding.over_standstill:
            return _stood_still(_undecided(ev, findings, (*aside, *rest)), outside.finding)
        return _outside(outside, (*aside, *rest))
    if suspects and all(ruling.finding.over_standstill for ruling in suspects):
        return _stood_still(_undecided(ev, findings, aside), suspects[0].finding)
    if suspects:
        return _decided(ev, order, suspects, aside)
    healthy = next((ruling for ruling in rulings if ruling.family == "G1"), None)
    if healthy is not None and healthy.finding.explains_end:
        return _named(healthy, healthy, (), healthy.confidence, aside)
    return _undecided(ev, findings, aside)


# --- order in time --------------------------------------------------------------------------------------------------
class _Order:
    """Orders findings by their onset: by aligned time, else by their place in one and the same source."""

    def __init__(self, ev: Evidence) -> None:
        self._ev = ev
        self._places: dict[str, tuple[str, str | None, int] | None] = {}

    def before(self, a: Ruling, b: Ruling) -> bool | None:
        """True when a began before b, False when after, None when nothing tells."""
        told = self._ev.before(a.finding.onset_ns, _node(a), b.finding.onset_ns, _node(b))
        if told is not None:
            return told
        place_a, place_b = self._place(a), self._place(b)
        if place_a is None or place_b is None or place_a[:2] != place_b[:2] or place_a[2] == place_b[2]:
            return None
        return place_a[2] < place_b[2]

    def soon_after(self, a: Ruling, b: Ruling) -> bool:
        """Whether a was reported so soon after b began that it may have come before: samples tell of a moment late."""
        late, early = a.finding.onset_ns, b.finding.onset_ns
        lag_ns = self._ev.threshold("b2.report_lag") * 1e9
        return late is not None and early is not None and late - early <= lag_ns

    def _place(self, ruling: Ruling) -> tuple[str, str | None, int] | None:
        """Node, source and line of the first fact the finding's first claim rests on."""
        if ruling.family not in self._places:
            self._places[ruling.family] = self._find_place(ruling)
        return self._places[ruling.family]

    def _find_place(self, ruling: Ruling) -> tuple[str, str | None, int] | None:
        for claim in ruling.finding.claims:
            for row in claim.rows if claim.of == self._ev.name else ():
                if row.table not in {"fact_events", "fact_exceptions", "fact_exits", "fact_steps"}:
                    continue
                facts = self._ev.facts(row.table)
                found = facts.filter((pl.col("node") == row.node) & (pl.col("seq") == row.seq))
                for source, line in found.select("source", "line_seq").iter_rows():
                    if line is not None:
                        return (row.node, source, line)
        return None


def _node(ruling: Ruling) -> str | None:
    failing = ruling.finding.first_failing
    return None if failing is None else failing.node


def _comes_first(order: _Order, outside: Outside, suspect: Ruling) -> bool:
    """True when the outside cause began before the suspect; where nothing tells, the suspect stands."""
    before = order.before(Ruling("", outside.finding, outside.confidence), suspect)
    return before is not False if suspect.family in outside.echoes else before is True


def _leads_to(order: _Order, a: Ruling, b: Ruling) -> bool:
    """True when b is a known consequence of a, and did not come first."""
    if (a.family, b.family) not in CAUSES:
        return False
    before = order.before(a, b)
    if before is False and (a.family, b.family) == _FELT_FIRST:
        before = order.soon_after(a, b)
    if before is None and (b.family, a.family) in CAUSES:
        # Either may follow from the other and no clock tells: the order of _SPECIFIC stands in.
        return _SPECIFIC.index(a.family) < _SPECIFIC.index(b.family)
    return before is not False


# --- decisions ------------------------------------------------------------------------------------------------------
def _decided(ev: Evidence, order: _Order, suspects: list[Ruling], aside: tuple[str, ...]) -> Decision:
    roots = [s for s in suspects if not any(_leads_to(order, other, s) for other in suspects if other is not s)]
    roots = [s for s in roots if s.family not in _ENDS_NOTHING] or roots
    trigger = _earliest(order, roots or suspects)
    chain = [trigger]
    rest = [s for s in suspects if s is not trigger]
    # What follows from any link of the chain joins it, directly or over another link.
    while joined := [s for s in rest if any(_leads_to(order, link, s) for link in chain)]:
        first = _earliest(order, joined)
        chain.append(first)
        rest.remove(first)
    named = trigger
    for link in chain[1:]:
        if CAUSES.get((named.family, link.family)) == "consequence":
            named = link
    sure = named.confidence
    rivals = [s for s in rest if s in roots and order.before(trigger, s) is None]
    if rivals:
        sure = min(sure, ev.threshold("confidence.unordered_rival"))
    warnings = (*aside, *(f"{s.family}: {s.finding.headline}" for s in rest))
    links = _links(chain)
    return _named(named, trigger, links, sure, warnings, tuple(link.family for link in chain))


def _earliest(order: _Order, rulings: list[Ruling]) -> Ruling:
    """The one that nothing precedes; among several of them, the most specific."""
    firsts = [r for r in rulings if not any(order.before(other, r) for other in rulings if other is not r)]
    return min(firsts or rulings, key=lambda ruling: _SPECIFIC.index(ruling.family))


def _links(chain: list[Ruling]) -> tuple[ChainLink, ...]:
    """The chain as printed: each family once, the trigger first, then in time; a family may add events of its own."""
    links: list[ChainLink] = []
    for number, ruling in enumerate(chain):
        finding = ruling.finding
        failing = finding.first_failing or Failing()
        role: Names = "consequence" if number else "trigger"
        links.append(
            ChainLink(ruling.family, role, finding.onset_ns, finding.headline, rank=failing.rank, node=failing.node)
        )
    families = {ruling.family for ruling in chain}
    trigger = links[0]
    for ruling in chain:
        for link in ruling.finding.chain:
            # A family may know a trigger that no other family ruled in: then that one stands first.
            if link.family in families:
                continue
            if link.role == "trigger" and ruling is chain[0] and links[0] is trigger:
                links[0] = replace(trigger, role="consequence")
                links.insert(0, link)
            else:
                links.append(replace(link, role="consequence"))
    head, tail = links[0], links[1:]
    tail.sort(key=lambda link: (link.ts_ns is None, link.ts_ns or 0))
    return (head, *tail)


def _named(
    named: Ruling,
    trigger: Ruling,
    chain: tuple[ChainLink, ...],
    confidence: float,
    warnings: tuple[str, ...],
    families: tuple[str, ...] = (),
) -> Decision:
    finding, first = named.finding, trigger.finding
    culprits = finding if finding.culprit_ranks or finding.culprit_nodes or finding.culprit_gpus else first
    others = tuple(family for family in families if family != named.family)
    return Decision(
        outcome="decided",
        family=named.family,
        fault_class=finding.fault_class,
        sub_mode=finding.sub_mode,
        confidence=confidence,
        severity=finding.severity,
        scope=finding.scope,
        attribution=first.attribution if finding.attribution == "unknown" else finding.attribution,
        headline=finding.headline,
        first_failing=first.first_failing or finding.first_failing or Failing(),
        culprit_ranks=culprits.culprit_ranks,
        culprit_nodes=culprits.culprit_nodes,
        culprit_gpus=culprits.culprit_gpus,
        chain=chain,
        implies=tuple(dict.fromkeys((*finding.implies, *first.implies))),
        cannot_decide=tuple(dict.fromkeys((*finding.cannot_decide, *first.cannot_decide))),
        next=finding.next or first.next or Next(None, "Read the evidence below."),
        involved=(named.family, *others),
        warnings=warnings,
    )


def _outside(outside: Outside, warnings: tuple[str, ...]) -> Decision:
    finding = outside.finding
    link = ChainLink(None, "trigger", finding.onset_ns, finding.headline)
    return Decision(
        outcome="outside_families",
        family=None,
        fault_class=None,
        sub_mode=finding.sub_mode,
        confidence=outside.confidence,
        severity=finding.severity,
        scope=finding.scope,
        attribution=finding.attribution,
        headline=finding.headline,
        first_failing=finding.first_failing or Failing(),
        culprit_ranks=(),
        culprit_nodes=(),
        culprit_gpus=(),
        chain=(link, *finding.chain),
        implies=finding.implies,
        cannot_decide=finding.cannot_decide,
        next=finding.next or Next(None, "Nothing: the run was ended on purpose."),
        involved=(),
        warnings=warnings,
        outside_claims=finding.claims,
    )


def _behind(why: str) -> str:
    """The end of a sentence, with a reason where there is one."""
    return f": {why[0].lower()}{why[1:]}" if why else "."


def _undecided(ev: Evidence, findings: Mapping[str, Finding], warnings: tuple[str, ...]) -> Decision:
    story = tell(ev)
    end = story.end_status or story.after_all
    failed = end is not None and bool(end.term_signal or end.exit_code)
    lacks: dict[str, list[str]] = {}
    for family, finding in findings.items():
        if isinstance(finding, CannotDecide):
            for item in finding.missing:
                lacks.setdefault(item, []).append(family)
    missing = [Missing(f"Whether {_among(families)} happened.", item) for item, families in lacks.items()]
    if end is None:
        missing.insert(0, Missing("Whether the run ended well.", "the exit status of the job (--exit-code, --signal)"))
    sound = findings.get("G1")
    why = sound.because if isinstance(sound, CannotDecide) and not sound.because.startswith("lacks ") else ""
    if end is None and isinstance(sound, RuledOut) and story.failures:
        headline = f"{sound.because.rstrip('.')}; the captured evidence does not show what brought it about."
    elif end is None:
        headline = f"The evidence shows neither a failure nor that the run did its work{_behind(why)}"
    elif failed:
        how = end.signal_name if end.term_signal else f"exit code {end.exit_code}"
        headline = f"The run failed ({how}), but the captured evidence does not show why."
        if story.last_planned is not None and not story.failures:
            headline = f"All that was planned was done, and the run failed ({how}); what failed after it is not told."
            if end.exit_code == 1 and (value := value_at_exit(ev)) is not None:
                headline = (
                    f"All that was planned was done, and the last line is a value, {value[:_SHOWN]}: a program that"
                    " gives its result to sys.exit prints it so and ends with exit code 1. Whether anything else failed"
                    " is not told."
                )
        limit = findings.get("F3")
        if isinstance(limit, CannotDecide) and not limit.because.startswith("lacks "):
            headline = f"The run failed ({how}): {limit.because[0].lower()}{limit.because[1:]}"
    else:
        headline = "The run ended with exit code 0, but nothing captured shows that it did its work."
        if why:
            headline = f"The run ended with exit code 0, but whether it did its work is open{_behind(why)}"
    return Decision(
        outcome="cannot_decide",
        family=None,
        fault_class=None,
        sub_mode=None,
        confidence=0.0,
        severity="high" if failed else "none",
        scope=None,
        attribution="unknown",
        headline=headline,
        first_failing=Failing(),
        culprit_ranks=(),
        culprit_nodes=(),
        culprit_gpus=(),
        chain=(),
        implies=(),
        cannot_decide=tuple(missing),
        next=Next(None, "Add the evidence that is named as lacking (`inquest run` records most of it), and ask again."),
        involved=(),
        warnings=warnings,
    )


def _stood_still(open_: Decision, over: RuledIn) -> Decision:
    """What ended a job that had long stood still is told, and that it is not what happened to it."""
    missing = (*over.cannot_decide, *open_.cannot_decide)
    return replace(open_, headline=over.headline, severity="high", cannot_decide=missing, outside_claims=over.claims)


_SHOWN: Final = 80


def _among(families: list[str]) -> str:
    return families[0] if len(families) == 1 else f"{', '.join(families[:-1])} or {families[-1]}"
