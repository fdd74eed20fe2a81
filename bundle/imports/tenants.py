"""GPUs that somebody else held on the nodes of a job, told from their samples.

Exporters sample every GPU of a node, and most do not say whose it is. One that held memory and computed well before the
job began, while it ran and well after it had ended, without a pause at either edge, was another's: a job's own GPU is
empty while its processes start, and again when they have gone. Where GPUs were seen to be so, the edges are known, and
one sample at work on either side is enough; where as many were as the job was given, all others were not its own. Nor
were those that nobody touched, where as many were touched at any time as the job was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS: Final = ("node", "gpu_uuid", "ts_ns", "fb_used_bytes", "engine_active")
EDGE_NS: Final = 120 * 10**9
"""What accounting and telemetry may differ by at the edges of a run: start-up, tear-down, a scrape."""
CONTEXT: Final = 256 << 20
"""Bytes that a process which uses a GPU holds on it at the least."""
BUSY: Final = 0.05
"""Engine activity above this is work; a display or a daemon stays below."""
SEEN: Final = 3
"""Busy samples on either side of the run, at the least."""
_NEAR_NS: Final = 30 * 10**9
"""The same where GPUs that filled and emptied show that both clocks agree."""
_BESIDE_NS: Final = 300 * 10**9
"""Within this a GPU is empty at some time before a job and after it, whoever has it next."""
_GPU: Final = ("node", "gpu_uuid")


def held_by_others(
    samples: Iterable[pl.DataFrame], began_ns: int, ended_ns: int, given: int | None = None
) -> frozenset[tuple[str, str]]:
    """Node and UUID of each GPU that was another's.

    Args:
        samples: Rows of ``gpu_samples`` with `COLUMNS`, in frames.
        began_ns: Begin of the job's first run, UTC.
        ended_ns: End of its last one, UTC.
        given: How many GPUs accounting gave to it; None where it does not say.

    Returns:
        None of them where no other GPU was sampled that could have been the job's.
    """
    at, used, busy = pl.col("ts_ns"), pl.col("fb_used_bytes"), pl.col("engine_active") > BUSY
    edges = (at < began_ns - _NEAR_NS) | (at > ended_ns + _NEAR_NS)
    parts = [
        frame.drop_nulls(("ts_ns", *_GPU))
        .group_by(_GPU)
        .agg(
            least=used.min(),
            most=used.max(),
            most_outside=used.filter(edges).max(),
            least_before=used.filter(at.is_between(began_ns - _BESIDE_NS, began_ns - _NEAR_NS)).min(),
            least_after=used.filter(at.is_between(ended_ns + _NEAR_NS, ended_ns + _BESIDE_NS)).min(),
            most_inside=used.filter(at.is_between(began_ns, ended_ns)).max(),
            worked=busy.any(),
            before=(busy & (at < began_ns - EDGE_NS)).sum(),
            after=(busy & (at > ended_ns + EDGE_NS)).sum(),
            near_before=(busy & (at < began_ns - _NEAR_NS)).sum(),
            near_after=(busy & (at > ended_ns + _NEAR_NS)).sum(),
            seen_before=(at < began_ns - _NEAR_NS).sum(),
            seen_after=(at > ended_ns + _NEAR_NS).sum(),
        )
        for frame in samples
    ]
    if not parts:
        return frozenset()
    counts = ("before", "after", "near_before", "near_after", "seen_before", "seen_after")
    gpus = (
        pl.concat(parts)
        .group_by(_GPU)
        .agg(
            pl.col("least", "least_before", "least_after").min(),
            pl.col("most", "most_outside", "most_inside").max(),
            pl.col("worked").any(),
            pl.col(counts).sum(),
        )
    )
    emptied = (pl.col("most") >= CONTEXT) & (pl.col("most_outside") < CONTEXT)
    emptied &= pl.min_horizontal("seen_before", "seen_after") > 0
    ours = gpus.filter(emptied)
    if ours.height != given:
        # The next job may have them soon after.
        near = pl.max_horizontal("least_before", "least_after") < CONTEXT
        near &= pl.col("least_before").is_not_null() & pl.col("least_after").is_not_null()
        between = gpus.filter((pl.col("most_inside") >= CONTEXT) & near)
        ours = between if between.height == given else ours
    if ours.height == given:
        return frozenset(gpus.join(ours, on=_GPU, how="anti").select(_GPU).iter_rows())
    at_work = pl.min_horizontal("before", "after") >= SEEN
    if ours.height:
        at_work |= pl.min_horizontal("near_before", "near_after") > 0
    theirs = gpus.filter((pl.col("least") >= CONTEXT) & at_work)
    if theirs.height:
        return frozenset(theirs.select(_GPU).iter_rows()) if theirs.height < gpus.height else frozenset()
    touched = gpus.filter((pl.col("most") >= CONTEXT).fill_null(value=True) | pl.col("worked").fill_null(value=False))
    untouched = gpus.join(touched, on=_GPU, how="anti").select(_GPU)
    return frozenset(untouched.iter_rows()) if touched.height == given else frozenset()
