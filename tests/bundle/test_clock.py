"""Alignment: one offset a boot, whatever the wall clock did."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from inquest.bundle import clock, parquet


def _triples(*rows: dict[str, Any]) -> clock.Alignment | None:
    full = [{"node": "n", "capture": "c", "seq": i, **row} for i, row in enumerate(rows)]
    triples = clock.Triples()
    triples.add(pa.RecordBatch.from_pylist(full, schema=parquet.plain_schema("clock_samples")))
    return triples.align()


def test_the_median_wins_over_a_step() -> None:
    found = _triples(
        *({"ts_mono_ns": i, "wall_ns": 1000 + i, "read_bound_ns": 2, "kernel_error_us": 0.5} for i in range(5)),
        *({"ts_mono_ns": 10 + i, "wall_ns": 8000 + i} for i in range(4)),
    )
    assert found == clock.Alignment(offset_ns=1000, bound_ns=6990 + 500, from_mono_ns=0, to_mono_ns=13)


def test_no_estimate_of_the_kernel_gives_no_bound() -> None:
    found = _triples({"ts_mono_ns": 5, "wall_ns": 7})
    assert found == clock.Alignment(offset_ns=2, bound_ns=None, from_mono_ns=5, to_mono_ns=5)


def test_impossible_readings_are_not_believed() -> None:
    assert _triples() is None
    assert _triples({"ts_mono_ns": None, "wall_ns": 1}, {"ts_mono_ns": -1, "wall_ns": 1}) is None
    assert _triples({"ts_mono_ns": 1 << 62, "wall_ns": 1}) is None


@example([-(1 << 63), (1 << 63) - 1, None])
@given(st.lists(st.one_of(st.none(), st.integers(-(1 << 63), (1 << 63) - 1)), min_size=1, max_size=20))
def test_aligned_times_keep_the_order_of_the_monotonic_clock(times: list[int | None]) -> None:
    rows = [{"node": "n", "capture": "c", "seq": i, "ts_mono_ns": t, "ts_ns": 7} for i, t in enumerate(times)]
    batch = pa.RecordBatch.from_pylist(rows, schema=parquet.plain_schema("stacks"))
    aligned = clock.apply(batch, clock.Alignment(1_700_000_000, None, 0, 1)).column("ts_ns").to_pylist()
    for before, after in zip(times, aligned, strict=True):
        possible = before is not None and abs(before) < 1 << 62
        assert after == (before + 1_700_000_000 if possible else 7)
