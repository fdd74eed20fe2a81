"""GPU readings as monitors hand out their series, and what only looks like them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from inquest.bundle.imports import KINDS, gates, gpu_exports, reader
from inquest.bundle.imports.gpu_words import Extent, in_bounds, word
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

T0 = 1_795_219_000
UUID = "GPU-9ac041a3"


def opened(folder: Path, text: str, name: str) -> Source:
    path = folder / "file"
    path.write_text(text)
    return Source(name, path)


def kind_of(source: Source) -> str:
    return next(module for module in gates.open_for(source, KINDS) if reader(module).fits(source))


def read(folder: Path, text: str, name: str = "export.csv") -> tuple[pl.DataFrame, Context]:
    source, context = opened(folder, text, name), Context()
    assert kind_of(source) == "gpu_exports"
    parts = [part for table, part in gpu_exports.KIND.read(source, context) if table == "gpu_samples"]
    frames = [part if isinstance(part, pl.DataFrame) else pl.DataFrame(part) for part in parts]
    return pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame(), context


def long(*series: tuple[str, Iterable[float]], sign: str = ",", head: str = "Series,Time,Value") -> str:
    rows = [head.replace(",", sign)]
    for name, values in series:
        rows += [sign.join((f'"{name}"', str(T0 + 20 * at), str(value))) for at, value in enumerate(values)]
    return "\n".join([*rows, ""])


def wide(header: str, *rows: str) -> str:
    return "\n".join([header, *(f"{T0 + 20 * at},{row}" for at, row in enumerate(rows)), ""])


def datadog(metric: str, unit: Any, points: list[Any], scope: str = "host:n1,gpu_device:0") -> str:
    return json.dumps({"series": [{"metric": metric, "scope": scope, "unit": unit, "pointlist": points}]})


def putval(name: str, *values: float) -> str:
    rows = (f'PUTVAL "n1/gpu_nvidia-3/{name}" interval=20.000 {T0 + 20 * at}.044:{v}' for at, v in enumerate(values))
    return "\n".join([*rows, ""])


def column(frame: pl.DataFrame, name: str) -> list[Any]:
    return frame.sort("ts_ns")[name].to_list() if name in frame.columns else []


def test_a_table_of_series_tells_host_and_gpu_in_a_name(tmp_path: Path) -> None:
    text = long(("power_w n1/3", (70.5, 501.0)), ("gpu_util_pct n1/3", (0, 97)), sign=";")
    frame, context = read(tmp_path, text)
    assert frame["gpu_index"].unique().to_list() == [3]
    assert column(frame, "power_w") == [70.5, 501.0]
    assert column(frame, "engine_active") == pytest.approx([0.0, 0.97])
    assert not context.refused


def test_zabbix_tells_a_gpu_by_its_uuid(tmp_path: Path) -> None:
    rows = (f'n1,"nvml.device.{key}[{UUID}]",{T0},{value}' for key, value in (("utilization", 97), ("temperature", 61)))
    frame, _ = read(tmp_path, "\n".join(["host,key_,clock,value", *rows, ""]))
    assert frame["gpu_uuid"].to_list() == [UUID]
    assert (column(frame, "engine_active"), column(frame, "temp_core_c")) == ([0.97], [61])


def test_a_column_for_each_gpu(tmp_path: Path) -> None:
    frame, _ = read(tmp_path, wide("Time,nvidia.gpuactive-gpu0,nvidia.gpuactive-gpu1", "0,97", "12,98"))
    assert frame.filter(pl.col("gpu_index") == 1).sort("ts_ns")["engine_active"].to_list() == pytest.approx(
        [0.97, 0.98]
    )


def test_a_chart_of_netdata_is_told_by_its_file(tmp_path: Path) -> None:
    newest_first = "\n".join(["time,gpu0,gpu1", *(f"{T0 - 5 * at},{60 + at},50" for at in range(3)), ""])
    frame, _ = read(tmp_path, newest_first, "netdata_n1_nvidia_smi.temperature.csv")
    assert frame.filter(pl.col("gpu_index") == 0).sort("ts_ns")["temp_core_c"].to_list() == [62, 61, 60]


def test_collectd_and_datadog(tmp_path: Path) -> None:
    frame, _ = read(tmp_path, putval("power", 29_450, 301_000, 0), "putval.txt")
    assert column(frame, "power_w") == pytest.approx([29.45, 301.0, 0.0])
    frame, _ = read(tmp_path, datadog("gpu.gr_engine_active", "percent", [[T0 * 1e3, 97.0]]), "query.json")
    assert column(frame, "engine_active") == pytest.approx([0.97])


def test_events_of_wandb(tmp_path: Path) -> None:
    event = {
        "_timestamp": T0 + 0.5,
        "_runtime": 3,
        "system.cpu": 5,
        "system.gpu.1.gpu": 97,
        "system.gpu.1.smClock": 1980,
    }
    broken = ("{", "5", '{"_timestamp": NaN, "system.gpu.1.gpu": 5}', '{"system.gpu.1.gpu": 5}', "[" * 9000)
    strange = f'{{"_timestamp": {T0 + 9}, "system.gpu.1.gpu": {"9" * 400}, "system.gpu.1.temp": true}}'
    frame, _ = read(tmp_path, "\n".join([json.dumps(event), *broken, strange, ""]), "wandb-events.jsonl")
    assert (column(frame, "engine_active"), column(frame, "sm_clock_mhz")) == ([0.97], [1980])


@pytest.mark.parametrize(
    "text",
    [
        '{"_timestamp": 1795219000, "system.cpu": 5}\n',
        '{"_timestamp": 1795219000, "note": "system.gpu.0.gpu"}\n',
        wide("time,card_1_charge,card_2_charge", "97,12", "96,11"),  # of credit cards
        wide("time,device1_temp,device2_temp", "21,22", "21,23"),  # of sensors
        long(("temperature rack/3", (21, 22)), ("power rack/3", (400, 410))),
        long(("load n1/3", (1.2, 3.4))),
        wide("time,gpu0 util,fans", "97,3", "96,3"),  # of something else as well
        wide("time,GPU 0 usage,GPU 1 usage", "97,12", "96,11"),  # of its memory?
        wide("time,gpu0 active,gpu1 active", "2,3", "2,3"),  # processes?
        wide("when,gpu0 util", "97", "96"),  # no time
        long(("gpu xid_errors gpu3", (0, 1))),  # how many
        "PUTVAL without anything behind it, on gpu 3\n",
        f'PUTVAL "n1/cpu-0/percent-user" interval=20 {T0}:97\n',
        '{"pointlist": [], "metric": "system.load.1"}',
        "step 1 gpu0 util 97 loss 2.0\nstep 2 gpu0 util 96 loss 1.9\n",
    ],
)
def test_what_only_looks_alike_is_left_to_others(tmp_path: Path, text: str) -> None:
    assert not gpu_exports.KIND.fits(opened(tmp_path, text, "file.csv"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (wide("time,step,loss,gpu0 util", "1,2.0,97", "2,1.9,96", "3,1.8,97"), "metrics.csv"),
        (
            "metric,step,value,time\n"
            + "".join(f"train/loss,{n},{2 - n / 10},{T0 + n}\ngpu0 util,{n},97,{T0 + n}\n" for n in range(9)),
            "history.csv",
        ),
        (wide("timestamp,gpu0_util_pct,gpu0_power_w", "97,300", "96,301", "95,300"), "gpu.csv"),
        ("".join(f'{{"step": {n}, "loss": 2.0, "metric": "gpu.util"}}\n' for n in range(5)), "metrics.jsonl"),
    ],
)
def test_tables_of_training_and_of_ones_own_keep_their_readers(tmp_path: Path, text: str, name: str) -> None:
    assert kind_of(opened(tmp_path, text, name)) != "gpu_exports"


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("gpu_util", (0.0, 0.5, 0.97), [0.0, 0.5, 0.97]),  # parts of one
        ("gpu_util", (0, 50, 97), [0.0, 0.5, 0.97]),  # per cent
        ("gpu_util", (0, 1, 1), []),  # either
        ("gpu_util", (0, 0, 0), [0.0, 0.0, 0.0]),
        ("gpu_util", (0, 97, 760), [0.0, 0.97]),  # several GPUs together are none
    ],
)
def test_a_share_without_a_unit(tmp_path: Path, name: str, values: tuple[float, ...], told: list[float]) -> None:
    frame, context = read(tmp_path, long((f"{name} n1/0", values)))
    read_so = [value for value in column(frame, "engine_active") if value is not None]
    assert read_so == pytest.approx(told)
    assert sum(context.refused.values()) == len(values) - len(told)


@pytest.mark.parametrize(
    ("metric", "numbers", "scale"),
    [
        ("DCGM_FI_DEV_POWER_USAGE", (70.0, 2300.0), 1.0),
        ("DCGM_FI_DEV_POWER_USAGE", (9000.0, 700_000.0), 1e-3),
        ("DCGM_FI_DEV_POWER_USAGE", (900.0, 9000.0), None),  # neither all watts nor all milliwatts
        ("DCGM_FI_DEV_POWER_USAGE", (0.07, 0.7), None),  # kilowatts?
        ("DCGM_FI_DEV_FB_USED", (3_145_728.0, 8e10), 2.0**-20),
        ("DCGM_FI_DEV_FB_USED", (3072.0, 8.3e7), None),  # KiB?
        ("DCGM_FI_DEV_FB_USED", (4.0, 63_118.0), None),
        ("DCGM_FI_DEV_SM_CLOCK", (345.0, 1980.0), 1.0),
        ("DCGM_FI_DEV_SM_CLOCK", (1.35e8, 1.98e9), 1e-6),
        ("DCGM_FI_DEV_SM_CLOCK", (345_000.0, 1_980_000.0), None),
        ("DCGM_FI_DEV_GPU_TEMP", (0.35, 0.61), None),
        ("DCGM_FI_DEV_GPU_TEMP", (308.0, 334.0), None),  # kelvins
        ("DCGM_FI_DEV_XID_ERRORS", (0.0, 79.0), 1.0),
    ],
)
def test_what_settles_a_unit_that_nobody_tells(metric: str, numbers: tuple[float, ...], scale: float | None) -> None:
    extent = Extent()
    for number in numbers:
        extent.take(number)
    assert extent.scale(metric, whole=True) == scale


def test_zeros_settle_nothing_while_more_may_come() -> None:
    assert Extent().scale("DCGM_FI_DEV_GPU_UTIL", whole=False) is None
    assert Extent().scale("DCGM_FI_DEV_GPU_UTIL", whole=True) == 1.0


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("GPU-Auslastung [%]", "DCGM_FI_DEV_GPU_UTIL"),
        ("Utilización (%)", "DCGM_FI_DEV_GPU_UTIL"),
        ("gpu_load", "DCGM_FI_DEV_GPU_UTIL"),
        ("usage_pct", "DCGM_FI_DEV_GPU_UTIL"),
        ("usage", None),
        ("load", None),
        ("active", None),
        ("Température", "DCGM_FI_DEV_GPU_TEMP"),
        ("Temperatur", "DCGM_FI_DEV_GPU_TEMP"),
        ("Temperatura", "DCGM_FI_DEV_GPU_TEMP"),
        ("core_temp", "DCGM_FI_DEV_GPU_TEMP"),
        ("tempo", None),
        ("temperature_f", None),
        ("memory_used_mib", "DCGM_FI_DEV_FB_USED"),
        ("memoire_utilisée_mib", "DCGM_FI_DEV_FB_USED"),
        ("memory_util_pct", None),
        ("power_limit_w", None),
        ("dcgm.xid_errors", "DCGM_FI_DEV_XID_ERRORS"),
        ("xid_errors_total", None),
        ("event_mask", None),
    ],
)
def test_words(name: str, metric: str | None) -> None:
    said = word(name)
    assert (None if said is None else said.metric) == metric


@pytest.mark.parametrize(
    ("metric", "number", "fits"),
    [
        ("DCGM_FI_DEV_GPU_UTIL", 100.0, True),
        ("DCGM_FI_DEV_GPU_UTIL", -1.0, False),
        ("DCGM_FI_DEV_XID_ERRORS", 79.0, True),
        ("DCGM_FI_DEV_XID_ERRORS", 79.5, False),
        ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", 2.0**60, False),
        ("DCGM_FI_DEV_POWER_USAGE", float("inf"), False),
        ("DCGM_FI_DEV_POWER_USAGE", float("nan"), False),
        ("DCGM_FI_DEV_XID_ERRORS", float("inf"), False),
    ],
)
def test_numbers_that_no_gpu_can_have(metric: str, number: float, fits: bool) -> None:
    assert in_bounds(metric, number) is fits


@pytest.mark.parametrize(
    "point",
    ["[NaN, 1]", "[Infinity, 1]", f"[{'9' * 400}, 1]", "[1e300, 1]", f"[1795219000000, {'9' * 400}]", "[true, 1]",
     "[-5, 1]", '["a", 1]', "[1795219000000, NaN]", "[1795219000000]", "{}", "null"],
)  # fmt: skip
def test_points_that_no_column_can_hold(tmp_path: Path, point: str) -> None:
    text = datadog("gpu.power", "watt", [[T0 * 1e3, 300.0], "HERE"]).replace('"HERE"', point)
    frame, _ = read(tmp_path, text, "query.json")
    assert column(frame, "power_w") == [300.0]


@pytest.mark.parametrize("text", ['"series": 5', '"series": [5, {"metric": 5}]', '"series": [{"metric": "gpu.power"}]'])
def test_answers_in_no_shape(tmp_path: Path, text: str) -> None:
    frame, _ = read(tmp_path, f'{{"pointlist": 0, "x": {{"metric": "gpu.power"}}, {text}}}', "query.json")
    assert frame.is_empty()
    source = opened(tmp_path, '{"pointlist": 0, "metric": "gpu.power", "series": [', "query.json")
    assert list(gpu_exports.KIND.read(source, Context())) == []


def test_readings_beyond_those_held_follow_their_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_exports, "_HELD", 4)
    text = long(("gpu_util n1/0", (0.5, 0.9, 0.0, 1.0, 0.25, 97)), ("power_w n1/0", (300,)), ("temp_c n1/1", (40,)))
    frame, context = read(tmp_path, text)
    shares = [value for value in column(frame, "engine_active") if value is not None]
    assert shares == pytest.approx([0.5, 0.9, 0.0, 1.0, 0.25])
    assert context.refused == {
        "numbers that no GPU can have": 1,
        "numbers that nothing says to be of a GPU": 1,  # n1/1 is told to be one nowhere
    }


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    rows = (f"n1,gpu util gpu0,{T0},97", "n1,gpu util gpu0,never,97", f"n1,gpu util gpu0,{T0 + 1},none",
            f"n1,uptime,{T0},5", "n1,gpu")  # fmt: skip
    _, context = read(tmp_path, "\n".join(["host,name,time,value", *rows, ""]))
    assert sorted(context.refused.values()) == [1, 1, 2]
