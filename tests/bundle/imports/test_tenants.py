"""GPUs that others held on the job's nodes, by their samples: which, and which are not told to be."""

from __future__ import annotations

import polars as pl
import pytest

from inquest.bundle.imports.tenants import COLUMNS, held_by_others

S = 10**9
GIB = 2**30
JOB = (1000 * S, 4000 * S)


def samples(held: dict[str, tuple[int, int]], *, idle_at: int | None = None) -> pl.DataFrame:
    """A sample a minute of GPUs that were held and busy from, to (s)."""
    rows = []
    for gpu, (began, ended) in held.items():
        for at in range(0, 5000, 60):
            on = began <= at <= ended and at != idle_at
            rows.append(("n1", gpu, at * S, (30 if on else 0) * GIB, 0.9 if on else 0.0))
    return pl.DataFrame(rows, schema=list(COLUMNS), orient="row")


def test_a_gpu_at_work_before_and_after_the_job_was_anothers() -> None:
    frame = samples({"GPU-ours": (1000, 4000), "GPU-theirs": (0, 5000)})
    assert held_by_others([frame.head(40), frame.slice(40)], *JOB) == {("n1", "GPU-theirs")}


@pytest.mark.parametrize(
    ("held", "idle_at"),
    [
        ({"GPU-a": (1000, 4000), "GPU-b": (0, 4000)}, None),  # left when the job did: perhaps its own, begun early
        ({"GPU-a": (1000, 4000), "GPU-b": (0, 5000)}, 1020),  # empty while the job began
        ({"GPU-a": (0, 5000), "GPU-b": (0, 5000)}, None),  # all alike: another clock, or another job's accounting
        ({"GPU-a": (1000, 4000), "GPU-b": (1060, 3900)}, None),
    ],
)
def test_a_gpu_that_may_have_been_the_jobs_stays(held: dict[str, tuple[int, int]], idle_at: int | None) -> None:
    assert held_by_others([samples(held, idle_at=idle_at)], *JOB) == frozenset()


def test_one_sample_at_either_edge_is_enough_where_a_gpu_shows_the_edges() -> None:
    frame = samples({"GPU-ours": (1000, 4000), "GPU-theirs": (0, 5000)})
    short = frame.filter(pl.col("ts_ns").is_between(900 * S, 4080 * S))
    assert held_by_others([short], *JOB) == {("n1", "GPU-theirs")}


def test_it_is_not_where_no_gpu_shows_them() -> None:
    frame = samples({"GPU-ours": (0, 4000), "GPU-theirs": (0, 5000)})
    short = frame.filter(pl.col("ts_ns").is_between(900 * S, 4080 * S))
    assert held_by_others([short], *JOB) == frozenset()


def test_memory_that_somebody_holds_without_work_is_no_other_job() -> None:
    frame = samples({"GPU-ours": (1000, 4000), "GPU-display": (0, 5000)})
    outside = ~pl.col("ts_ns").is_between(*JOB) & (pl.col("gpu_uuid") == "GPU-display")
    idle = frame.with_columns(engine_active=pl.when(outside).then(0.0).otherwise("engine_active"))
    assert held_by_others([idle], *JOB) == frozenset()


@pytest.mark.parametrize(("given", "theirs"), [(1, {("n1", "GPU-left")}), (2, set()), (None, set())])
def test_where_as_many_show_the_edges_as_were_given_all_others_were_not_the_jobs(
    given: int | None, theirs: set[tuple[str, str]]
) -> None:
    frame = samples({"GPU-ours": (1060, 4000), "GPU-left": (0, 2500)})
    assert held_by_others([frame], *JOB, given) == theirs


def test_without_samples_nobody_is_told() -> None:
    assert held_by_others([], *JOB) == frozenset()


@pytest.mark.parametrize(
    ("given", "theirs"),
    [
        (1, {("n1", "GPU-idle")}),
        (2, set()),  # one of its own was left alone
        (None, set()),
    ],
)
def test_where_as_many_were_ever_held_as_were_given_those_nobody_touched_were_nobodys(
    given: int | None, theirs: set[tuple[str, str]]
) -> None:
    frame = samples({"GPU-ours": (9_000, 9_001), "GPU-idle": (9_000, 9_001)})
    held = frame.with_columns(fb_used_bytes=pl.when(pl.col("gpu_uuid") == "GPU-ours").then(30 * GIB).otherwise(0))
    assert held_by_others([held], *JOB, given) == theirs


def test_a_gpu_whose_memory_was_not_read_is_not_untouched() -> None:
    frame = samples({"GPU-ours": (9_000, 9_001), "GPU-idle": (9_000, 9_001)})
    unread = frame.with_columns(fb_used_bytes=pl.when(pl.col("gpu_uuid") == "GPU-ours").then(30 * GIB))
    assert held_by_others([unread], *JOB, 1) == frozenset()


@pytest.mark.parametrize(("given", "theirs"), [(1, {("n1", "GPU-idle")}), (2, set())])
def test_a_gpu_that_the_next_job_has_soon_after_was_the_jobs(given: int, theirs: set[tuple[str, str]]) -> None:
    frame = samples({"GPU-ours": (1060, 4000), "GPU-idle": (9_000, 9_001)})
    after = (pl.col("gpu_uuid") == "GPU-ours") & (pl.col("ts_ns") > 4150 * S)
    busy = frame.with_columns(
        fb_used_bytes=pl.when(after).then(20 * GIB).when(gpu_uuid="GPU-idle").then(GIB).otherwise("fb_used_bytes"),
        engine_active=pl.when(after).then(0.9).otherwise("engine_active"),
    )
    assert held_by_others([busy], *JOB, given) == theirs
