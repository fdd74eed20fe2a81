"""What counts, launches, stacks and samples tell of a collective that nobody completed, and whom they name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.analyze.families._collectives import COMPLETED, ENQUEUED
from inquest.analyze.families._gpu import rank_of_gpu, sampled_of
from inquest.analyze.families._launches import launches
from inquest.analyze.families._rows import at_node, gpu_called, named
from inquest.analyze.families._stacks import kept_waiting, sentence
from inquest.analyze.families.base import Support

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._case import Claims
    from inquest.analyze.families._collectives import Standing
    from inquest.analyze.families._frozen import Frozen
    from inquest.analyze.families._gpu import Gpu
    from inquest.analyze.families._launches import Launches
    from inquest.analyze.families._stacks import Place
    from inquest.analyze.families._story import Story

RANKS_CLAIMED: Final = 8
"""Ranks whose counts are claimed one by one; the rest is named."""


def add_standing(claims: Claims, support: list[Support], stood: Standing) -> None:
    """Claims and support from the counts of each rank."""
    for lag in stood.host_stopped[:RANKS_CLAIMED]:
        lag.claim(claims, ENQUEUED)
    for lag in stood.gpu_stopped[:RANKS_CLAIMED]:
        lag.claim(claims, COMPLETED)
    if stood.culprits:
        decisive = bool(stood.host_stopped or stood.gpu_stopped or stood.mismatch)
        support.append(Support("traces", f"{named(stood.culprits)} {stood.words()}", decisive=decisive))
    else:
        support.append(Support("traces", f"{len(stood.waiting)} ranks had a collective open"))


def add_places(ev: Evidence, claims: Claims, support: list[Support]) -> tuple[Place, ...]:
    """Claims and support from the stacks of all ranks; returns where those stood that the others waited for."""
    own, waiting = kept_waiting(ev)
    for stack in (*own[:RANKS_CLAIMED], *waiting[:1]):
        stack.claim(claims, named(ranks_of((stack,))))
    if own:
        waited = named(ranks_of(waiting))
        support.append(
            Support("traces", f"{sentence(own)[:-1]}, while {waited} waited for a collective", decisive=True)
        )
    return own


def add_launches(ev: Evidence, claims: Claims, support: list[Support]) -> Launches | None:
    """Claims and support from counts of launches; None where they name nobody."""
    launched = launches(ev)
    if launched is not None:
        launched.claim(claims)
        support.append(
            Support("traces", f"{named(launched.culprits)} {launched.words()}", decisive=bool(launched.behind))
        )
    return launched


def add_cold(claims: Claims, support: list[Support], seen: Frozen | None) -> tuple[Gpu, ...]:
    """Claims and support from the GPUs on which nothing ran while the others spun; returns them."""
    if seen is None or not seen.cold:
        return ()
    for gpu in seen.cold[:RANKS_CLAIMED]:
        idle = sampled_of(gpu, seen.since_ns, seen.until_ns)
        if gpu.samples:
            text = f"Median engine activity of {gpu.gpu_uuid} while the others spun"
            claims.over(text, "MEDIAN", "engine_active", "gpu_samples", idle, unit="1")
        else:
            text = f"Samples of {gpu.gpu_uuid} while the others spun"
            claims.over(text, "COUNT", "*", "gpu_samples", idle, unit="samples")
    text = f"nothing ran on {listed(seen.cold)} while {len(seen.spinning)} GPUs spun"
    support.append(Support("metrics", text, decisive=True))
    return seen.cold


def add_end(claims: Claims, support: list[Support], story: Story) -> None:
    """Claims and support from how the command ended, where it failed."""
    end = story.end_status
    if end is not None and (end.exit_code or end.term_signal):
        claims.ending("the command", end.row)
        support.append(Support("processes", "the command ended with a failure"))


def look_at(own: tuple[Place, ...]) -> str:
    """What to do where the stacks name the line."""
    stack = own[0].guilty
    where = stack.line or stack.text.partition("\n")[0]
    waited = f", which waited for {stack.waits_for}" if stack.waits_for else ""
    return f"Look at {where}{at_node(stack.node)}{waited}; the ranks that waited in the collective need no fix."


def ranks_of(places: tuple[Place, ...]) -> tuple[int, ...]:
    """Ranks that stood there, as far as they are known."""
    return tuple(sorted(stack.rank for stack in places if stack.rank is not None))


def ranks_on(ev: Evidence, gpus: tuple[Gpu, ...]) -> tuple[int, ...]:
    """Ranks of GPUs, where each is known."""
    ranks = [rank for gpu in gpus if (rank := rank_of_gpu(ev, gpu.gpu_uuid)) is not None]
    return tuple(sorted(ranks)) if len(ranks) == len(gpus) else ()


def listed(gpus: tuple[Gpu, ...]) -> str:
    """GPUs and their nodes, for a sentence."""
    return ", ".join(f"{gpu_called(gpu.gpu_uuid)}{at_node(gpu.node, 'of')}" for gpu in gpus[:RANKS_CLAIMED])
