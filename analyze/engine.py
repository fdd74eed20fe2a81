"""From a store to a verdict: ask every family, let the arbiter decide, put the answer together."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from inquest import __version__
from inquest.analyze import (
    arbiter,
    outside,
    stretches,  # noqa: F401 - what it asks of samples is asked together with what the families ask
)
from inquest.analyze.arbiter import Ruling
from inquest.analyze.confidence import confidence, stores
from inquest.analyze.evidence import Evidence
from inquest.analyze.families import FAMILIES
from inquest.analyze.families._attempts import ended_before
from inquest.analyze.families._compared import gpus, held_against_baseline, unused_parent
from inquest.analyze.families._telling import tell
from inquest.analyze.families._unseen_nodes import unseen
from inquest.analyze.families._where import node_of
from inquest.analyze.families.base import CannotDecide, RuledIn, RuledOut
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import BundleInfo, Claim, Failing, FamilyEntry, Next, Verdict, Vitals, Waste
from inquest.analyze.vitals import vitals
from inquest.bundle.errors import InquestError
from inquest.bundle.logs_import import NODE as UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from inquest.analyze.arbiter import Decision
    from inquest.analyze.families.base import Family, Finding
    from inquest.analyze.model import RunName
    from inquest.bundle.store import Store

_log = logging.getLogger(__name__)

EVIDENCE_NAMES: Final[dict[str, str]] = {
    "logs": "the job's output",
    "exits": "the exit status of the job's processes",
    "steps": "training progress (steps, loss)",
    "scheduler": "the scheduler's records (sacct)",
    "kernel": "the kernel log",
    "gpus": "GPU samples (NVML or DCGM)",
    "gpu_samples": "GPU samples (NVML or DCGM)",
    "clocks": "GPU samples (NVML or DCGM)",
    "gpu_events": "GPU events (XID)",
    "host": "host and cgroup memory samples",
    "host_samples": "host samples",
    "cgroup_samples": "cgroup memory samples",
    "processes": "the job's process tree",
    "cuda_calls": "CUDA calls (eBPF)",
    "nccl_collectives": "NCCL collective calls (eBPF)",
    "flight_recorder": "PyTorch flight-recorder dumps",
    "stacks": "stacks of the job's threads",
}
"""What evidence is called in a sentence."""

_Renamed = dict[tuple[str, str], str]
"""Final id of a claim by the family that made it and the id the family gave it."""

_JUDGE_OWN_CHECKPOINTS: Final = frozenset({"E1", "E2"})
"""Families after which the last checkpoint saved need not be a good one: they name it themselves, or none."""

_HOUR_NS: Final = 3_600_000_000_000
_SLOW: Final = ("B3", "D1", "D2", "D3")
"""Families of runs that do their work, but slowly."""


def analyze(
    store: Store, *, strict: bool = False, parent: Store | None = None, baseline: Store | None = None
) -> tuple[Verdict, Evidence]:
    """Decide what happened to the run a store is about.

    Args:
        store: The recorded evidence.
        parent: Evidence of the run this one was to continue.
        baseline: Evidence of a good run of the same training.
        strict: Let a bug of a family or a parser surface as an exception (tests) instead of as a warning.

    Returns:
        The verdict, and the evidence layer it was read from (views cite it).
    """
    others: tuple[tuple[RunName, Store | None], ...] = (("parent", parent), ("baseline", baseline))
    held = [Evidence(other, strict=strict, name=name) for name, other in others if other is not None]
    ev = Evidence(store, strict=strict, others=held)
    return judge(ev, strict=strict), ev


def judge(ev: Evidence, *, strict: bool = False, families: Sequence[Family] = FAMILIES) -> Verdict:
    """The verdict over evidence that is already at hand; see ``analyze``."""
    bugs: list[str] = []
    findings: dict[str, Finding] = {family.id: _ask(family, ev, strict=strict, bugs=bugs) for family in families}
    findings = _unknown_health(ev, findings, bugs)
    findings, slower = held_against_baseline(ev, findings)
    rulings = [
        Ruling(family.id, finding, confidence(ev, family.id, finding.support, _missing_helps(family, ev, findings)))
        for family in families
        if isinstance(finding := findings[family.id], RuledIn)
    ]
    decision = arbiter.decide(ev, rulings, findings, outside.outside_cause(ev))
    findings = _without_contradiction(findings, decision)
    order = [*decision.involved, *(family.id for family in families if family.id not in decision.involved)]
    claims, renamed = _claims(((id_, findings[id_].claims) for id_ in order), decision)
    sure = {ruling.family: ruling.confidence for ruling in rulings}
    entries = tuple(_entry(family, findings[family.id], sure, renamed) for family in families)
    names = {family.id: family.name for family in families}
    measured, alerts = _vitals(ev, strict=strict, bugs=bugs)
    lined = ev.with_lines((*claims, *measured.claims))
    return Verdict(
        tool_version=__version__,
        bundle=_bundle(ev),
        outcome=decision.outcome,
        family=decision.family,
        family_name=None if decision.family is None else names[decision.family],
        fault_class=decision.fault_class,
        sub_mode=decision.sub_mode,
        confidence=decision.confidence,
        severity=decision.severity,
        scope=decision.scope,
        attribution=decision.attribution,
        headline=decision.headline,
        first_failing=_with_bound(ev, decision),
        culprit_ranks=tuple(sorted(decision.culprit_ranks)),
        culprit_nodes=tuple(sorted({*decision.culprit_nodes} - {UNKNOWN_NODE})),
        culprit_gpus=tuple(sorted(decision.culprit_gpus)),
        chain=decision.chain,
        shows=lined[: len(claims)],
        implies=decision.implies,
        cannot_decide=decision.cannot_decide,
        next=_next(ev, decision),
        families=entries,
        warnings=_warnings(ev, decision, findings, (*unused_parent(ev), *slower, *alerts, *bugs)),
        coverage=ev.coverage(),
        waste=_waste(ev),
        thresholds=ev.thresholds_used,
        vitals=Vitals(**{claim.id.removeprefix("V."): claim for claim in lined[len(claims) :]}),
        parent=_other(ev, "parent"),
        baseline=_other(ev, "baseline"),
    )


# --- families -------------------------------------------------------------------------------------------------------
def _ask(family: Family, ev: Evidence, *, strict: bool, bugs: list[str]) -> Finding:
    lacking = [name for name in family.needs if not ev.has(name)]
    if not lacking and family.any_of and not any(ev.has(name) for name in family.any_of):
        lacking = list(family.any_of)
        return _lacks(ev, lacking, " or ")
    if lacking:
        return _lacks(ev, lacking, " and ")
    try:
        return family.judge(ev)
    except Exception as error:
        if strict:
            raise
        _log.debug("family %s failed", family.id, exc_info=True)
        reason = str(error) if isinstance(error, InquestError) else type(error).__name__
        bugs.append(f"{family.id} could not be judged: a fault in inquest ({reason}). Please report it.")
        return CannotDecide(because=f"inquest itself failed here ({reason}).", missing=("a repaired inquest",))


def _lacks(ev: Evidence, names: list[str], joint: str) -> CannotDecide:
    words = tuple(EVIDENCE_NAMES.get(name, name) for name in names)
    reasons = [ev.why_absent(name) for name in names]
    told = [f"{word} [{why}]" if why else word for word, why in zip(words, reasons, strict=True)]
    because = f"lacks {joint.join(told)}" + ("" if any(reasons) else ", which was not captured")
    return CannotDecide(because=f"{because}.", missing=words)


def _unknown_health(ev: Evidence, findings: Mapping[str, Finding], bugs: Sequence[str]) -> dict[str, Finding]:
    """``findings``, in which nothing is called healthy where a fault of ours kept us from looking everywhere."""
    told = dict(findings)
    if isinstance(told.get("G1"), RuledIn) and (ev.misread or bugs):
        told["G1"] = CannotDecide(
            because="inquest itself failed to read or to judge some of the evidence, where a failure may be told.",
            missing=("a repaired inquest",),
        )
    return told


def _without_contradiction(findings: Mapping[str, Finding], decision: Decision) -> dict[str, Finding]:
    """``findings``, in which a run that something else explains is not called healthy as well."""
    told = dict(findings)
    healthy = told.get("G1")
    if isinstance(healthy, RuledIn) and decision.outcome != "cannot_decide" and decision.family != "G1":
        told["G1"] = RuledOut(
            because=f"It ended as planned, but {decision.family or 'its end'} says otherwise: {decision.headline}",
            would_change_if="the same run without it",
            claims=healthy.claims,
            stores=stores(healthy.support),
        )
    return told


def _missing_helps(family: Family, ev: Evidence, findings: Mapping[str, Finding]) -> int:
    """Evidence that was not captured; for health, samples that cannot tell whether the run was slow count as well."""
    missing = sum(not ev.has(name) for name in family.helps)
    untold = family.id == "G1" and any(isinstance(findings.get(id_), CannotDecide) for id_ in _SLOW)
    return max(missing, 1) if untold else missing


def _entry(family: Family, finding: Finding, sure: Mapping[str, float], renamed: _Renamed) -> FamilyEntry:
    claims = tuple(dict.fromkeys(renamed[family.id, claim.id] for claim in finding.claims))
    if isinstance(finding, RuledIn):
        return FamilyEntry(
            family.id,
            family.name,
            "ruled_in",
            finding.because,
            finding.would_change_if,
            sure[family.id],
            stores(finding.support),
            claims,
        )
    if isinstance(finding, RuledOut):
        spoke = tuple(sorted(set(finding.stores)))
        return FamilyEntry(
            family.id, family.name, "ruled_out", finding.because, finding.would_change_if, 0.0, spoke, claims
        )
    wanted = f"Captured: {', '.join(finding.missing)}." if finding.missing else ""
    return FamilyEntry(family.id, family.name, "cannot_decide", finding.because, wanted, 0.0, (), claims)


def _claims(made: Iterable[tuple[str, tuple[Claim, ...]]], decision: Decision) -> tuple[tuple[Claim, ...], _Renamed]:
    """All claims, each statement once, numbered by family; and the final id of every id a family gave."""
    shows: dict[tuple[str, str, str], Claim] = {}
    renamed: _Renamed = {}
    outsides = (("OUT", decision.outside_claims),) if decision.outside_claims else ()
    for family, claims in (*outsides, *made):
        number = 0
        for claim in claims:
            known = shows.get((claim.text, claim.sql, claim.of))
            if known is None:
                number += 1
                known = shows[claim.text, claim.sql, claim.of] = replace(claim, id=f"{family}.{number}")
            renamed[family, claim.id] = known.id
    return tuple(shows.values()), renamed


# --- the rest of the verdict ----------------------------------------------------------------------------------------
def _bundle(ev: Evidence) -> BundleInfo:
    info = ev.info
    return BundleInfo(
        content_digest=info.content_digest,
        job_id=info.job_id,
        nodes=tuple(sorted(info.nodes)),
        ranks=ev.ranks(),
        gpus=gpus(ev),
        start_ns=ev.start_ns(),
        end_ns=ev.end_ns(),
        simulated=info.simulated,
        missing_nodes=tuple(sorted(info.missing_nodes)),
        missing_ranks=tuple(sorted(info.missing_ranks)),
    )


def _other(ev: Evidence, name: RunName) -> BundleInfo | None:
    other = ev.other(name)
    return None if other is None else _bundle(other)


def _with_bound(ev: Evidence, decision: Decision) -> Failing:
    failing = decision.first_failing
    if failing.node == UNKNOWN_NODE:
        failing = replace(failing, node=None)
    if failing.node is None and failing.rank is not None:
        failing = replace(failing, node=node_of(ev, failing.rank))
    return replace(failing, bound_ns=ev.bound_ns(failing.node)) if failing.bound_ns is None else failing


def _next(ev: Evidence, decision: Decision) -> Next:
    """The next step, with the last checkpoint reported whole before what spoiled the run."""
    step = decision.next
    if decision.family == "G1":
        return step
    saved = [row for row in tell(ev).of(Kind.CHECKPOINT_SAVED) if row["subject"]]
    path = step.last_good_checkpoint
    if path is None and saved:
        if _JUDGE_OWN_CHECKPOINTS.isdisjoint(decision.involved):
            path = saved[-1]["subject"]
        elif "E1" in decision.involved:
            return replace(step, action=f"{step.action} None of the {len(saved)} reported was saved before it.")
    if path is None:
        return step
    number = next((row["num"] for row in reversed(saved) if row["subject"] == path and row["num_unit"] == "step"), None)
    named = path if number is None else f"{path} (step {number:.0f})"
    action = step.action if path in step.action else f"{step.action} The last good checkpoint is {named}."
    return replace(step, action=action, last_good_checkpoint=named)


def _warnings(
    ev: Evidence, decision: Decision, findings: Mapping[str, Finding], more: Sequence[str]
) -> tuple[str, ...]:
    found = list(decision.warnings)
    for finding in findings.values():
        if not isinstance(finding, RuledIn):
            found += finding.warnings
    if (run := ev.run_chosen()) is not None:
        found.append(f"This is about {run}: files of other runs lie beside it, and were not read.")
    if ev.info.missing_nodes:
        named = ", ".join(sorted(ev.info.missing_nodes))
        # Of imported files it may not be known which node they are of: then it is not known to be missing either.
        unsure = UNKNOWN_NODE in ev.info.nodes
        found.append(f"{'No file is known to be' if unsure else 'Nothing was recorded'} of these nodes: {named}.")
    if ev.info.missing_ranks:
        found.append(f"Nothing was recorded of these ranks: {', '.join(map(str, sorted(ev.info.missing_ranks)))}.")
    found += (*unseen(ev), *ended_before(ev))
    return tuple(dict.fromkeys((*found, *ev.troubles, *more)))


def _vitals(ev: Evidence, *, strict: bool, bugs: list[str]) -> tuple[Vitals, tuple[str, ...]]:
    """The vitals, and warnings about them; a fault of ours there leaves the verdict as it is."""
    try:
        return vitals(ev)
    except Exception as error:
        if strict:
            raise
        _log.debug("vitals failed", exc_info=True)
        bugs.append(f"Vitals could not be told: a fault in inquest ({type(error).__name__}). Please report it.")
        return Vitals(), ()


def _times_are_carried(ev: Evidence) -> bool:
    """Whether many reports bear the time of one line above: bars print no clock, and when each was is not known."""
    times = ev.facts("fact_steps")["ts_ns"].drop_nulls()
    if not len(times):
        return False
    most = int(times.value_counts()["count"].max())  # type: ignore[arg-type]
    return most >= _CARRIED and most >= _CARRIED_SHARE * len(times)


_CARRIED: Final = 20
_CARRIED_SHARE: Final = 0.1


def _waste(ev: Evidence) -> Waste:
    """GPU-hours from the start of the evidence to the end of the run; productive between first and last step."""
    held_gpus, start, end = len(gpus(ev)), ev.start_ns(), ev.end_ns()
    if not held_gpus or start is None or end is None:
        return Waste()
    held = round(held_gpus * (end - start) / _HOUR_NS, 3)
    first, last = ev.first_progress_ns(), ev.last_progress_ns()
    if first is None or last is None:
        # Logs that tell of no step mean that none was done; steps without a clock, that nobody knows when.
        none_done = ev.job_spoke() and ev.facts("fact_steps").is_empty()
        return Waste(held, 0.0, held) if none_done else Waste(held)
    if _times_are_carried(ev):
        return Waste(held)
    productive = round(held_gpus * (last - first) / _HOUR_NS, 3)
    return Waste(held, productive, round(held - productive, 3))
