"""GPUs of the job's nodes that another job held: telemetry of a node tells of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.each_gpu import Question, together
from inquest.analyze.families._window import recorded_span

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence

_HOLDS: Final = 256 << 20
"""Bytes that a process which uses a GPU holds on it at the least."""
_BEFORE_S: Final = 120
_APART_S: Final = 30
"""By how much accounting and telemetry may differ, and a sample come late."""
_AFTER_S: Final = 60
"""How long after its start a job may not yet have touched its GPUs."""
_ENDS_APART_S: Final = 90


def strange_gpus(ev: Evidence) -> frozenset[tuple[str, str]]:
    """Node and UUID of each GPU whose memory was held across the job's start, and not up to its end, or beyond it.

    Or that were left, or come to, in the midst of its reports. Only where two GPUs and more show by theirs that the
    times of the samples and those of accounting, or of the log, agree.
    """
    return ev.once(("strange gpus",), lambda: _strange(ev) | _of_passers_by(ev))


def _of_passers_by(ev: Evidence) -> frozenset[tuple[str, str]]:
    """GPUs that somebody left, or came to, in the midst of the reports of one attempt, which went on as before.

    Whose memory is free has no process there: a rank that ends ends the steps of all, and none joins later.
    """
    told = _by_the_reports(ev)
    if told is None:
        return frozenset()
    told = told.drop_nulls(("node", "gpu_uuid"))
    all_late = (pl.col("free_late") >= _SAMPLES) & (pl.col("free_late") == pl.col("seen_late"))
    all_early = (pl.col("free_early") >= _SAMPLES) & (pl.col("free_early") == pl.col("seen_early"))
    throughout = told.filter((pl.col("free_late") == 0) & (pl.col("free_early") == 0) & (pl.col("seen_late") > 0))
    if throughout.height < _OWN:
        return frozenset()
    passing = told.filter(pl.col("held") & (all_late | all_early))
    return frozenset(passing.select("node", "gpu_uuid").iter_rows())


@together
def _by_the_reports(ev: Evidence) -> Question | None:
    """When each GPU's memory was free, among the first and the last of the reports; None where these are too few."""
    reports = ev.facts("fact_steps").filter(pl.col("ts_ns").is_not_null() & pl.col("step").is_not_null())
    attempts = ev.facts("fact_attempts").select("node", "source", "attempt")
    if reports.height < _REPORTS or attempts.height > attempts["source"].n_unique():
        return None
    times = reports["ts_ns"].sort()
    late, soon = (times[int(share * (len(times) - 1))] for share in (1 - _PART, _PART))
    ts, used = pl.col("ts_ns"), pl.col("fb_used_bytes")
    held = used >= _HOLDS
    return Question(
        {
            "held": held.any(),
            "free_early": (~held & (ts <= soon)).sum(),
            "free_late": (~held & (ts >= late)).sum(),
            "seen_early": (ts <= soon).sum(),
            "seen_late": (ts >= late).sum(),
        },
        ts.is_between(times[0], times[-1]) & used.is_not_null(),
    )


_REPORTS: Final = 20
_PART: Final = 0.2
"""The first and the last part of the reports."""


def _strange(ev: Evidence) -> frozenset[tuple[str, str]]:
    began, ended = recorded_span(ev)
    if began is None or ended is None or not ev.has("gpu_samples"):
        return frozenset()
    early, ts = began - _BEFORE_S * _S, pl.col("ts_ns")
    before = ts.is_between(early, began - _APART_S * _S)
    samples = ev.scan("gpu_samples").filter((ts >= early) & pl.col("gpu_uuid").is_not_null())
    if samples.filter(before).head(1).collect(engine="streaming").is_empty():
        return frozenset()
    held = pl.col("fb_used_bytes").fill_null(0) >= _HOLDS
    across = ts <= began + _AFTER_S * _S
    told = (
        samples.group_by("node", "gpu_uuid")
        .agg(
            before=before.sum(),
            held_before=(before & held).sum(),
            free_across=(across & ~held).sum(),
            after=(across & (ts >= began)).sum(),
            last=ts.filter(held).max(),
        )
        .collect(engine="streaming")
    )
    apart = _ENDS_APART_S * _S
    fits = (pl.col("before") >= _SAMPLES) & (pl.col("held_before") == 0)
    own = told.filter(fits & ((pl.col("last") - ended).abs() <= apart))
    if own.height < _OWN:
        return frozenset()
    strange = (pl.col("held_before") >= _SAMPLES) & (pl.col("free_across") == 0) & (pl.col("after") > 0)
    others = told.filter(
        strange & ((pl.col("last") - ended).abs() > apart) & pl.col("node").is_in(own["node"].implode())
    )
    return frozenset(others.select("node", "gpu_uuid").iter_rows())


_S: Final = 1_000_000_000
_SAMPLES: Final = 2
_OWN: Final = 2
