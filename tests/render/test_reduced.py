"""Samples of a long run: what is drawn of them keeps every extreme, and small tables are left as they are."""

import polars as pl
import pytest

from inquest.analyze import stretches
from inquest.analyze.evidence import Evidence
from inquest.bundle.store import MemoryStore
from inquest.render import reduced
from inquest.render.rates import LAUNCH, Tally, rates, tallied

SECOND = 10**9
START = 1_780_000_000 * SECOND


def evidence(count=5000, spike=3210):
    rows = [
        {
            "node": "n",
            "gpu_index": index,
            "gpu_uuid": f"GPU-{index}",
            "ts_ns": START + at * SECOND,
            "power_w": 900.0 if (at, index) == (spike, 1) else 500.0 + at % 10,
            "temp_core_c": None if index else 60,
        }
        for at in range(count)
        for index in range(2)
    ]
    return Evidence(MemoryStore.from_rows({"gpu_samples": rows}), {})


@pytest.fixture
def long(monkeypatch):
    monkeypatch.setattr(stretches, "EXACT_ROWS", 1000)
    monkeypatch.setattr(stretches, "STRETCHES", 50)
    return reduced.gauges(evidence(), "gpu_samples")


def test_a_small_table_is_left_as_it_is():
    held = reduced.gauges(evidence(20, 7), "gpu_samples")
    told = held.ends("power_w", pl.col("gpu_uuid")).sort("series", "x").collect()
    assert not held.reduced
    assert told.height == 40
    assert told.row(27) == ("GPU-1", START + 7 * SECOND, 900.0)


def test_every_extreme_of_a_long_run_is_kept_near_its_time(long):
    assert long.reduced
    assert long.frame.height <= 2 * 51
    told = long.readings("power_w", pl.col("gpu_uuid")).collect()
    top = told.filter(pl.col("y.most") == 900.0).row(0, named=True)
    assert top["series"] == "GPU-1"
    assert top["first"] <= START + 3210 * SECOND <= top["x"]
    assert set(told["y.least"]) == {500.0}


def test_means_are_of_readings_and_of_nothing_where_there_is_none(long):
    told = long.readings("power_w", pl.col("gpu_uuid")).collect()
    assert told.filter(pl.col("series") == "GPU-0")["y"].to_list() == pytest.approx([504.5] * 50)
    temperature = long.readings("temp_core_c", pl.col("gpu_uuid")).collect()
    assert temperature["series"].unique().to_list() == ["GPU-0"]


def test_the_pass_of_the_verdict_tells_what_a_pass_of_ones_own_would(long, monkeypatch):
    monkeypatch.setattr(reduced, "gpu_stretches", lambda _: None)
    alone = reduced.gauges(evidence(), "gpu_samples")
    assert alone.frame.select(long.frame.columns).equals(long.frame)
    assert (alone.low, alone.width, alone.rows, alone.limits) == (long.low, long.width, long.rows, long.limits)


def test_gpus_that_a_uuid_does_not_tell_apart_are_told_by_their_index(monkeypatch):
    monkeypatch.setattr(stretches, "EXACT_ROWS", 10)
    for uuids in ((None, None), ("GPU-0", "GPU-0")):
        rows = [
            {"gpu_index": at % 2, "gpu_uuid": uuids[at % 2], "ts_ns": START + at * SECOND, "power_w": 500.0 + at % 2}
            for at in range(100)
        ]
        held = reduced.gauges(Evidence(MemoryStore.from_rows({"gpu_samples": rows}), {}), "gpu_samples")
        assert held.reduced
        assert dict(held.frame.group_by("gpu_index").agg(pl.col("power_w").mean()).iter_rows()) == {0: 500.0, 1: 501.0}


def test_the_work_is_done_once(monkeypatch):
    held = evidence(50, 7)
    first = reduced.gauges(held, "gpu_samples")
    monkeypatch.setattr(reduced, "_reduce", None)
    assert reduced.gauges(held, "gpu_samples") is first
    with pytest.raises(TypeError):
        reduced.gauges(evidence(50, 7), "gpu_samples")


def test_rates_add_up_parts_and_pass_over_a_reset():
    rows = [("gpu", part, at * SECOND, 100.0 * at * (part + 1)) for part in range(2) for at in range(4)]
    rows += [("gpu", 0, 4 * SECOND, 5.0), ("gpu", 1, 4 * SECOND, 800.0)]
    frame = pl.DataFrame(rows, schema=["series", "part", "x", "y"], orient="row")
    ends = frame.sort("part", "x").with_columns(bucket="x").lazy()
    told = rates(ends, ["series"]).sort("x").select("x", "y").collect().rows()
    assert told == [(at * SECOND, 300.0) for at in (1, 2, 3)] + [(4 * SECOND, 200.0)]


def test_a_tally_is_over_the_time_it_was_counted_in():
    rows = [
        {"rank": 3, "node": node, "ts_ns": at * SECOND, "count": 50, "duration_ns": 2 * SECOND, "api": "cuLaunchKernel"}
        for node, times in (("n", (2, 4)), ("m", (6, 8)))
        for at in times
    ]
    held = Evidence(MemoryStore.from_rows({"cuda_calls": [*rows, {**rows[0], "api": "cuMemAlloc"}]}), {})
    launches = Tally("count", LAUNCH)
    (each,) = tallied(held, "cuda_calls", [launches], ["rank"], 0, 1)
    assert each["y"].to_list() == [25.0] * 4
    whole, every = tallied(held, "cuda_calls", [launches, Tally("count")], ["rank"], 0, 100 * SECOND)
    assert whole.rows() == [(3, 8 * SECOND, 25.0)]
    assert every.rows() == [(3, 8 * SECOND, 31.25)]
    rest = {**rows[0], "ts_ns": 3 * SECOND, "count": None, "duration_ns": SECOND}
    held = Evidence(MemoryStore.from_rows({"cuda_calls": [*rows, rest, {**rest, "pid": 7}]}), {})
    (rested,) = tallied(held, "cuda_calls", [launches], ["rank"], 0, 100 * SECOND)
    assert rested.rows() == [(3, 8 * SECOND, 200 / 7)], "what nobody counted is no time without launches"
