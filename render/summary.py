"""The verdict in short phrases: what terminal, report and timeline put on their first screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.render.wording import duration, hosts, listed, one_line, plural, sentence, spans, utc

if TYPE_CHECKING:
    from inquest.analyze.model import Failing, Verdict


NOTHING_FOUND: Final = "No evidence of failure in what was captured"


def nothing_found(verdict: Verdict) -> str:
    """What has to be said of a healthy run, where its headline does not; empty otherwise."""
    said = verdict.family != "G1" or verdict.headline.startswith(NOTHING_FOUND)
    return "" if said else f"{NOTHING_FOUND}."


def label(verdict: Verdict) -> str:
    """Family and name, or what stands in their place."""
    if verdict.family is not None:
        mode = f" ({one_line(verdict.sub_mode)})" if verdict.sub_mode else ""
        return f"{verdict.family} {sentence(one_line(verdict.family_name or ''))}{mode}"
    return "Cannot decide" if verdict.outcome == "cannot_decide" else "Outside the families"


def subject(verdict: Verdict) -> str:
    """Which job, how large."""
    bundle = verdict.bundle
    parts = [f"job {one_line(bundle.job_id)}"] if bundle.job_id else []
    parts.append(plural(len(bundle.named_nodes or bundle.nodes), "node"))
    if bundle.ranks:
        parts.append(plural(len(bundle.ranks), "rank"))
    if bundle.gpus:
        parts.append(plural(len(bundle.gpus), "GPU"))
    return ", ".join(parts)


def acting(verdict: Verdict) -> tuple[str, str]:
    """Who must act, and whom the failure is laid to where that differs (else empty)."""
    who, laid_to = verdict.next.owner, verdict.attribution
    if who is None:
        return {"none": "nobody", "unknown": "not known"}.get(laid_to, laid_to), ""
    if laid_to in (who, "none"):
        return who, ""
    return who, "where the cause lies is not known" if laid_to == "unknown" else f"the cause lies with the {laid_to}"


def owner(verdict: Verdict) -> str:
    """``acting`` in one line."""
    who, cause = acting(verdict)
    return f"{who} ({cause})" if cause else who


def others_to_look_at(verdict: Verdict) -> str:
    """Ranks, nodes and GPUs to look at; empty where that is just where it began."""
    failing = verdict.first_failing
    parts = []
    if verdict.culprit_ranks and verdict.culprit_ranks != (failing.rank,):
        word = "rank" if len(verdict.culprit_ranks) == 1 else "ranks"
        parts.append(f"{word} {spans(verdict.culprit_ranks)}")
    if verdict.culprit_nodes and verdict.culprit_nodes != (failing.node,):
        parts.append(hosts(verdict.culprit_nodes))
    if verdict.culprit_gpus and verdict.culprit_gpus != (failing.gpu_uuid,):
        parts.append(listed([one_line(gpu) for gpu in verdict.culprit_gpus], 3))
    return "; ".join(parts)


def place(failing: Failing) -> str:
    """Where it began, in one line; empty when nothing of it was captured."""
    parts = []
    if failing.rank is not None:
        parts.append(f"rank {failing.rank}")
    if failing.node:
        parts.append(f"node {one_line(failing.node)}")
    if failing.gpu_uuid:
        parts.append(one_line(failing.gpu_uuid))
    if failing.pid is not None:
        parts.append(f"pid {failing.pid}")
    return ", ".join(parts)


def moment(failing: Failing) -> str:
    """When it began, with the clock bound where one is known."""
    if failing.ts_ns is None:
        return "time not captured"
    bound = f" ± {duration(failing.bound_ns)}" if failing.bound_ns is not None else ""
    return f"{utc(failing.ts_ns)}{bound}"
