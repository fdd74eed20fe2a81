import math
import re
from concurrent.futures import ThreadPoolExecutor

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inquest.analyze.evidence import Evidence
from inquest.bundle.store import MemoryStore
from inquest.render import charts, series
from inquest.render.charts import Band, Chart, Level, Line
from inquest.render.thin import extremes

from . import scenarios

READING = st.floats(-1e100, 1e100, allow_nan=False)


@given(READING, st.floats(1e-6, 1e12), st.integers(1, 12))
def test_ticks_are_round_and_within(low, span, about):
    high = low + span
    if high - low < abs(low) * 1e-9 or high <= low:
        return
    ticks = charts.nice_ticks(low, high, about)
    assert len(ticks) <= 2 * about + 2
    assert all(low - span * 1e-6 <= tick <= high + span * 1e-6 for tick in ticks)
    assert ticks == sorted(set(ticks))


@given(st.integers(0, 2 * 10**18), st.integers(1, 10**15))
def test_time_ticks_are_few_and_within(low, span):
    ticks = charts.time_ticks(low, low + span, 5)
    assert len(ticks) <= 7
    assert all(low <= tick <= low + span for tick in ticks)


@given(st.lists(st.tuples(st.integers(0, 10**6), READING), min_size=1, max_size=40), st.booleans())
def test_any_readings_can_be_drawn(points, from_zero):
    runs = (tuple((float(x), y) for x, y in sorted(points)),)
    picture = charts.svg(Chart("t", "", "step", (Line("a", runs),), from_zero=from_zero), "c")
    drawn = [
        float(n) for d in re.findall(r'class="line[^"]*" d="([^"]*)"', picture) for n in re.findall(r"-?[\d.]+", d)
    ]
    assert all(-1 <= n <= charts.WIDTH + 1 for n in drawn)
    assert "nan" not in picture
    assert "inf" not in picture


def _charts(verdict, evidence):
    with ThreadPoolExecutor(1) as hands:
        return list(series.charts(verdict, evidence, hands))


def test_one_reading_is_a_dot_and_a_gap_is_a_gap():
    picture = charts.svg(Chart("t", "s", "step", (Line("a", (((1.0, 1.0),), ((5.0, 2.0), (6.0, 3.0)))),)), "c")
    assert picture.count('class="dot tone-1"') == 1
    assert picture.count('class="line tone-1"') == 1


def test_a_wide_range_is_drawn_on_a_logarithmic_axis():
    runs = (((0.0, 0.001), (1.0, 10.0), (2.0, 1e6)),)
    picture = charts.svg(Chart("t", "", "step", (Line("a", runs),)), "c")
    labels = re.findall(r'<text class="tick end" x="46"[^>]*>([^<]*)</text>', picture)
    values = [float(label.replace(",", "")) for label in labels]
    assert len(values) >= 3
    assert len({round(math.log10(b / a)) for a, b in zip(values[1:], values, strict=False)}) == 1


def test_names_are_escaped():
    hostile = scenarios.HOSTILE
    chart = Chart(
        hostile, hostile, "step", (Line(hostile, (((0.0, 1.0), (1.0, 2.0)),)),), (Band(hostile, ((0.0, 1.0, 2.0),)),),
        (Level(1.5, hostile),),
    )  # fmt: skip
    picture = charts.svg(chart, "c")
    assert "<script" not in picture
    assert "<img" not in picture


def test_description_speaks_numbers():
    chart = Chart("Loss", "", "step", (Line("rank 0", (((0.0, 9.0), (10.0, 2.5), (20.0, 3.0)),)),))
    assert chart.describe() == "Loss, by step. rank 0: first 9, last 3, lowest 2.5, highest 9."


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 1000), st.integers(-50, 50)), min_size=1, max_size=200),
    st.integers(1, 300),
)
def test_thinning_keeps_the_least_and_greatest_of_every_stretch(rows, width):
    frame = pl.DataFrame(rows, schema={"series": pl.String, "x": pl.Int64, "y": pl.Float64}, orient="row")
    kept = extremes(frame.lazy(), 0, width).collect()

    def ends(of):
        bucketed = of.with_columns(bucket=pl.col("x") // width).group_by("series", "bucket")
        return bucketed.agg(low=pl.col("y").min(), high=pl.col("y").max()).sort("series", "bucket").rows()

    assert ends(kept) == ends(frame)
    assert set(kept.rows()) <= set(frame.rows())


def _step_times(slow_rank, ranks=512, steps=300):
    rows = [
        {"node": f"n{rank // 8}", "seq": rank * steps + step, "rank": rank, "attempt": 0, "source": "s", "step": step}
        | {"step_time_s": 1.7 if rank == slow_rank else 1.0 + (rank * step % 97) / 1000}
        for rank in range(ranks)
        for step in range(steps)
    ]
    return Evidence(MemoryStore.from_rows({"host_samples": []}), scenarios._facts({"fact_steps": rows}))


@pytest.fixture(scope="module")
def verdict():
    from dataclasses import replace

    return replace(scenarios.bare().verdict, culprit_ranks=())


def test_one_bad_rank_of_512_is_named(verdict):
    (chart,) = _charts(verdict, _step_times(slow_rank=300))
    assert "rank 300" in [line.name for line in chart.lines]
    assert chart.note.startswith("512 series: median")
    assert len(chart.lines) <= 5


def test_one_bad_step_of_one_rank_of_512_is_seen(verdict):
    """A single slow step is below any median: the line at the greatest reading of all still shows it."""
    evidence = _step_times(slow_rank=-1)
    frame = evidence.facts("fact_steps").with_columns(
        step_time_s=pl.when((pl.col("rank") == 77) & (pl.col("step") == 123)).then(9.0).otherwise("step_time_s")
    )
    (chart,) = _charts(verdict, Evidence(evidence.store, {"fact_steps": frame}))
    greatest = next(line for line in chart.lines if line.name == "greatest of all")
    assert max(y for run in greatest.runs for _, y in run) == 9.0


def test_a_restart_is_another_line(verdict):
    rows = [
        {"node": "n", "seq": i, "rank": 0, "attempt": a, "source": "s", "step": s, "loss": 5.0 - s / 10}
        for i, (a, s) in enumerate([(0, s) for s in range(8)] + [(1, s) for s in range(4, 12)])
    ]
    store = MemoryStore.from_rows({"host_samples": []})
    (chart,) = _charts(verdict, Evidence(store, scenarios._facts({"fact_steps": rows})))
    assert [line.name for line in chart.lines] == ["rank 0", "rank 0, attempt 2"]


def test_readings_no_sensor_gives_are_left_out(verdict):
    rows = [
        {"node": "n", "seq": i, "source": "s", "step": i, "loss": y} for i, y in enumerate([1.0, 1e308, -1e308, 2.0])
    ]
    store = MemoryStore.from_rows({"host_samples": []})
    (chart,) = _charts(verdict, Evidence(store, scenarios._facts({"fact_steps": rows})))
    assert [y for run in chart.lines[0].runs for _, y in run] == [1.0, 2.0]


def test_nothing_captured_draws_nothing(verdict):
    empty = Evidence(MemoryStore.from_rows({"host_samples": []}), {})
    assert list(_charts(verdict, empty)) == []
