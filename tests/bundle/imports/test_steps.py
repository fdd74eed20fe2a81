"""Metrics that were asked for one after the other come into step, and nothing is lost by it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.steps import in_step

if TYPE_CHECKING:
    from pathlib import Path

_UUID = "GPU-1b6a0a8e-7c3a-4a53-9d0e-aa4d2f9c0001"
_BEGIN = 1_777_888_800


def _read(series: dict[str, list[int]]) -> pl.DataFrame:
    """Readings of one thing: by column the times, in seconds; the value is the number of the reading."""
    rows = [{"g": "a", "t": t, name: float(k)} for name, times in series.items() for k, t in enumerate(times)]
    return pl.DataFrame(rows, infer_schema_length=None).sort("g", "t")


def _every(step: int, begin: int = 0, count: int = 40) -> list[int]:
    return list(range(begin, begin + step * count, step))


def test_three_metrics_some_seconds_apart_share_their_rows() -> None:
    told, by = in_step(_read({"power": _every(30), "clock": _every(30, 7), "heat": _every(30, 14)}), ["g"], "t")
    assert by == 14
    assert told.height == 40
    assert told.filter(pl.col("power") != pl.col("clock")).is_empty()
    assert told["t"].to_list() == _every(30)


def test_what_is_in_step_stays_as_it_is() -> None:
    frame = _read({"power": _every(30), "clock": _every(30)}).group_by("g", "t").agg(pl.all().drop_nulls().first())
    assert in_step(frame, ["g"], "t") == (frame, 0)


@pytest.mark.parametrize("step", [5, 10])
def test_a_metric_read_more_often_keeps_all_its_readings(step: int) -> None:
    told, _ = in_step(
        _read({"power": _every(30), "clock": _every(30, 7), "heat": _every(30, 9), "busy": _every(step, 2, 240)}),
        ["g"],
        "t",
    )
    assert told["busy"].count() == 240
    assert told.filter(pl.col("power").is_not_null() & pl.col("busy").is_null()).is_empty()


def test_the_second_of_two_metrics_that_tell_the_same_goes() -> None:
    twice = sorted(_every(30, 2) + _every(30, 11))
    told, _ = in_step(
        _read({"power": _every(30), "clock": _every(30, 7), "heat": _every(30, 9), "busy": twice}), ["g"], "t"
    )
    assert told.height == 40
    assert told["busy"].count() == 40


def test_things_do_not_mingle() -> None:
    one, other = (_read({"power": _every(30, at), "clock": _every(30, at + 7)}) for at in (0, 3))
    both = pl.concat([one, other.with_columns(g=pl.lit("b"))])
    told, _ = in_step(both, ["g"], "t")
    assert told.filter(pl.col("g") == "b")["t"].to_list() == _every(30, 3)


@pytest.mark.parametrize("together", [True, False], ids=["one answer", "a file for each metric"])
def test_a_gpu_whose_metrics_were_asked_for_in_turn(tmp_path: Path, *, together: bool) -> None:
    rows = []
    for late, name in enumerate(("GPU_UTIL", "POWER_USAGE", "SM_CLOCK", "GPU_TEMP")):
        labels = {"__name__": f"DCGM_FI_DEV_{name}", "Hostname": "n1", "gpu": "0", "UUID": _UUID}
        values = [[_BEGIN + 15 * k + 2 * late, str(50 + k)] for k in range(40)]
        rows.append({"metric": labels, "values": values})
    for number, result in enumerate([rows] if together else [[row] for row in rows]):
        answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
        (tmp_path / f"m{number}.json").write_text(json.dumps(answer))
    imported = import_paths([str(tmp_path)])
    frame = pl.concat(imported.rows.frames("gpu_samples"))
    assert frame.height == 40
    assert (
        frame.select(pl.col("engine_active", "power_w", "sm_clock_mhz", "temp_core_c").null_count()).row(0) == (0,) * 4
    )
    told = imported.report
    said = " ".join([*told.notes, *(warning for file in told.files for warning in file.warnings)])
    assert "6.0 s apart" in said
