"""Answers of Prometheus' HTTP API and exports of series. No real answer about DCGM is at hand: the fixtures are written
from the documented forms (Prometheus' HTTP API, VictoriaMetrics' /api/v1/export)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle.errors import UnsafeInput
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.prometheus_json import KIND
from inquest.bundle.imports.source import Source

from .kit import rows_of

if TYPE_CHECKING:
    from pathlib import Path

NS = 10**9
T0 = 1_795_219_090
LABELS = {
    "Hostname": "gpu-07",
    "UUID": "GPU-8f0e1c52-0000-4000-8000-000000000000",
    "gpu": "0",
    "instance": "10.0.0.7:9400",
    "job": "dcgm",
}


def series(name: str | None, values: list[list[Any]], **labels: str) -> dict[str, Any]:
    named = {"__name__": name} if name else {}
    return {"metric": {**named, **LABELS, **labels}, "values": values}


def matrix(*found: dict[str, Any], **more: object) -> dict[str, Any]:
    return {"status": "success", "data": {"resultType": "matrix", "result": list(found)}, **more}


def read(tmp_path: Path, text: str, context: Context | None = None, name: str = "query.json") -> dict[str, list[Any]]:
    path = tmp_path / name
    path.write_text(text)
    return rows_of(KIND, path, context)


UTIL = [[T0, "97"], [T0 + 15, "0"], [T0 + 45, "50"]]
POWER = [[T0, "629.4519"], [T0 + 15, "NaN"], [T0 + 30, "+Inf"], [T0 + 45, "70"]]


def test_metrics_of_one_gpu_are_joined_by_instant(tmp_path: Path) -> None:
    answer = matrix(series("DCGM_FI_DEV_GPU_UTIL", UTIL), series("DCGM_FI_DEV_POWER_USAGE", POWER))
    rows = read(tmp_path, json.dumps(answer))["gpu_samples"]
    assert [(row["ts_ns"], row["engine_active"], row["power_w"]) for row in rows] == [
        (T0 * NS, 0.97, 629.452),
        ((T0 + 15) * NS, 0.0, None),
        ((T0 + 45) * NS, 0.5, 70.0),
    ]
    assert {(row["node"], row["gpu_uuid"], row["gpu_index"]) for row in rows} == {("gpu-07", LABELS["UUID"], 0)}


FORMS = {
    "one answer": lambda a, b: json.dumps(matrix(a, b)),
    "pretty": lambda a, b: json.dumps(matrix(a, b), indent=2),
    "lines": lambda a, b: f"{json.dumps(matrix(a))}\n{json.dumps(matrix(b))}\n",
    "names": lambda a, b: json.dumps({"util": matrix(a), "power": matrix(b)}),
    "list": lambda a, b: json.dumps([matrix(a), matrix(b)]),
    "data only": lambda a, b: json.dumps({"resultType": "matrix", "result": [a, b]}),
    "bare series": lambda a, b: json.dumps([a, b]),
    "run together": lambda a, b: json.dumps(matrix(a)) + json.dumps(matrix(b)),
    "export": lambda a, b: "".join(
        json.dumps(
            {
                "metric": one["metric"],
                "values": [float(value) if value not in ("NaN", "+Inf") else None for _, value in one["values"]],
                "timestamps": [at * 1000 for at, _ in one["values"]],
            }
        )
        + "\n"
        for one in (a, b)
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_same_series_gives_the_same_rows(tmp_path: Path, form: str) -> None:
    both = series("DCGM_FI_DEV_GPU_UTIL", UTIL), series("DCGM_FI_DEV_POWER_USAGE", POWER)
    expected = read(tmp_path, FORMS["one answer"](*both))
    assert len(expected["gpu_samples"]) == 3
    assert read(tmp_path, FORMS[form](*both)) == expected


def test_a_vector_is_one_instant(tmp_path: Path) -> None:
    result = [{"metric": {"__name__": "node_load1", "instance": "gpu-07:9100"}, "value": [T0 + 0.5, "3.25"]}]
    answer = {"status": "success", "data": {"resultType": "vector", "result": result}}
    (row,) = read(tmp_path, json.dumps(answer))["host_samples"]
    assert (row["node"], row["ts_ns"], row["load_1m"]) == ("gpu-07", T0 * NS + NS // 2, 3.25)


def test_a_name_lost_in_a_function_comes_from_the_answers_own_name(tmp_path: Path) -> None:
    answers = {"DCGM_FI_DEV_GPU_UTIL": matrix(series(None, UTIL)), "my panel": matrix(series(None, POWER))}
    context = Context()
    rows = read(tmp_path, json.dumps(answers), context)["gpu_samples"]
    assert [row["engine_active"] for row in rows] == [0.97, 0.0, 0.5]
    assert list(context.refused.values()) == [1]
    by_file = read(tmp_path, json.dumps(matrix(series(None, UTIL))), name="DCGM_FI_DEV_GPU_UTIL.json")
    assert [row["engine_active"] for row in by_file["gpu_samples"]] == [0.97, 0.0, 0.5]


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("query_range_DCGM_FI_DEV_GPU_UTIL", "engine_active"),
        ("node7-gpu_util", "engine_active"),
        ("dcgm-prof-gr-engine-active", "engine_active"),
        ("dcgm_gpu_util_and_power_usage", None),  # of two it is neither
        ("dcgm_query_range", None),
    ],
)
def test_a_file_named_after_its_metric(tmp_path: Path, name: str, column: str | None) -> None:
    rows = read(tmp_path, json.dumps(matrix(series(None, UTIL))), name=f"{name}.json").get("gpu_samples", [])
    assert {told for row in rows for told in row if told.endswith("_active") and row[told] is not None} == (
        {column} if column else set()
    )


def test_what_prometheus_says_of_its_answer_is_passed_on(tmp_path: Path) -> None:
    context = Context()
    answer = matrix(series("DCGM_FI_DEV_GPU_UTIL", UTIL), warnings=["results truncated at 10"])
    read(tmp_path, json.dumps(answer), context)
    assert any("truncated" in warning for warning in context.warnings)
    failed = Context()
    text = '{"status":"error","errorType":"timeout","error":"query timed out","data":{"resultType":"","result":[]}}'
    assert not read(tmp_path, text, failed)
    assert any("query timed out" in warning for warning in failed.warnings)


def test_a_file_cut_in_the_middle_keeps_what_came_before(tmp_path: Path) -> None:
    text = json.dumps(matrix(series("DCGM_FI_DEV_GPU_UTIL", UTIL), series("DCGM_FI_DEV_POWER_USAGE", POWER)))
    context = Context()
    rows = read(tmp_path, text[: text.index('"NaN"') + 3], context)["gpu_samples"]
    assert [(row["engine_active"], row.get("power_w")) for row in rows] == [(0.97, 629.452), (0.0, None), (0.5, None)]
    assert any("ends in its middle" in warning for warning in context.warnings)


def test_a_broken_series_does_not_take_the_next_with_it(tmp_path: Path) -> None:
    good = json.dumps(series("DCGM_FI_DEV_GPU_UTIL", UTIL))
    context = Context()
    rows = read(tmp_path, f'[{{"metric": {{"__name__": oops}}, "values": []}}, {good}]', context)["gpu_samples"]
    assert len(rows) == 3
    assert context.refused or context.warnings


def test_values_that_are_none_are_counted(tmp_path: Path) -> None:
    values = [[T0, "97"], [T0 + 15], "x", [T0 + 30, "abc"], [1e300, "1"], [-5, "1"], [T0 + 45, "1"]]
    context = Context()
    rows = read(tmp_path, json.dumps(matrix(series("DCGM_FI_DEV_GPU_UTIL", values))), context)["gpu_samples"]
    assert [row["ts_ns"] for row in rows] == [T0 * NS, (T0 + 45) * NS]
    assert context.refused == {"values that are not a time and a number": 5}


def test_series_of_the_same_gpu_under_other_labels_continue_one_another(tmp_path: Path) -> None:
    answer = matrix(
        series("DCGM_FI_DEV_GPU_UTIL", [[T0, "1"], [T0 + 15, "2"]], pod="job-a"),
        series("DCGM_FI_DEV_GPU_UTIL", [[T0 + 15, "2"], [T0 + 30, "3"]], pod="job-b"),
    )
    rows = read(tmp_path, json.dumps(answer))["gpu_samples"]
    assert [row["engine_active"] for row in rows] == [0.01, 0.02, 0.03]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"kubernetes_node": "n3", "GPU": "5", "instance": "10.0.0.7:9400"}, ("n3", "gpu 5", 5)),
        ({"host": "n3", "gpu_id": "5"}, ("n3", "gpu 5", 5)),
        ({"exported_hostname": "n3", "gpu_index": "5", "instance": "10.0.0.7:9400"}, ("n3", "gpu 5", 5)),
        ({"instance": "n3:9445", "minor_number": "5"}, ("n3", "gpu 5", 5)),
        ({"instance": "n3:9400", "device": "nvidia5"}, ("n3", "gpu 5", 5)),
        ({"server": "n3", "gpu": "5"}, ("n3", "gpu 5", 5)),
        ({"machine": "n3", "gpu": "5", "instance": "localhost:9400"}, ("n3", "gpu 5", 5)),
        ({"server": "prometheus-0", "gpu": "5", "instance": "10.0.0.7:9400"}, ("10.0.0.7", "gpu 5", 5)),
        # The number of a device file is no index; with a UUID none is needed.
        ({"instance": "n3:9445", "minor_number": "5", "uuid": LABELS["UUID"]}, ("n3", LABELS["UUID"], None)),
    ],
)
def test_a_gpu_and_its_node_by_the_labels_of_other_sites(tmp_path: Path, labels: dict[str, str], expected: Any) -> None:
    named = [{"metric": {"__name__": f"nvidia_gpu_{name}", **labels}, "values": [[T0, "650000"]]} for name in POWERS]
    (row,) = read(tmp_path, json.dumps(matrix(*named)))["gpu_samples"]
    assert (row["node"], row["gpu_uuid"], row.get("gpu_index")) == expected
    assert row["power_w"] == 650


POWERS = ("power_usage_milliwatts", "num_devices")


def test_many_cpus_are_one_host(tmp_path: Path) -> None:
    def cpu(number: int, mode: str, *values: float) -> dict[str, Any]:
        points = [[T0 + 15 * n, str(value)] for n, value in enumerate(values)]
        labels = {"__name__": "node_cpu_seconds_total", "instance": "gpu-07:9100", "cpu": str(number), "mode": mode}
        return {"metric": labels, "values": points}

    answer = matrix(cpu(0, "user", 0, 15, 30), cpu(1, "user", 0, 0, 0), cpu(0, "idle", 0, 0, 0), cpu(1, "idle", 0, 15))
    (row,) = read(tmp_path, json.dumps(answer))["host_samples"]  # at the third instant one CPU was not told
    assert (row["ts_ns"], row["cpu_user_share"]) == ((T0 + 15) * NS, 0.5)


@pytest.mark.parametrize(
    "text",
    [
        '{"loss": 1.0, "step": 3}\n{"loss": 0.9, "step": 4}\n',
        '{"metric": {"name": "loss"}, "step": 3}\n',
        '{"train_batch_size": 8, "values": [1, 2]}',
        "plain text",
        "[1, 2, 3]",
        "",
    ],
)
def test_no_other_json_is_claimed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    assert not KIND.fits(Source(path.name, path))


def test_deep_and_endless_json_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deep.json"
    path.write_text('{"metric":{"a":' + "[" * 200_000 + ', "values":[], "resultType":')
    with pytest.raises(UnsafeInput):
        list(KIND.read(Source(path.name, path), Context()))
    monkeypatch.setattr("inquest.bundle.imports.prometheus_json._MAX_SERIES", 1 << 20)
    path.write_text('{"metric":{"__name__":"node_load1"},"values":[' + f'[{T0},"1"],' * 200_000)
    with pytest.raises(UnsafeInput):
        list(KIND.read(Source(path.name, path), Context()))


def test_chunks_may_fall_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(
        {"ä": matrix(series("DCGM_FI_DEV_GPU_UTIL", UTIL, pod="日本")), "b": matrix(series("node_load1", POWER))}
    )
    whole = read(tmp_path, text)
    for size in (1, 2, 7, 64):
        monkeypatch.setattr("inquest.bundle.imports.source.CHUNK", size)
        monkeypatch.setattr("inquest.bundle.imports.source.SAMPLE", 400)
        assert read(tmp_path, text) == whole


@settings(max_examples=60, deadline=None)
@given(
    values=st.dictionaries(
        st.tuples(
            st.sampled_from(["DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_POWER_USAGE"]),
            st.integers(0, 3),
        ),
        st.dictionaries(st.integers(1_500_000_000, 1_900_000_000), st.integers(0, 100), min_size=1, max_size=6),
        min_size=1,
    ),
    indent=st.sampled_from([None, 1]),
)
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, values: dict[tuple[str, int], dict[int, int]], indent: int | None
) -> None:
    answer = matrix(
        *(
            series(
                name, [[at, str(value)] for at, value in sorted(points.items())], UUID=f"GPU-{index}", gpu=str(index)
            )
            for (name, index), points in values.items()
        )
    )
    path = tmp_path_factory.mktemp("round") / "query.json"
    path.write_text(json.dumps(answer, indent=indent))
    columns = {
        "DCGM_FI_DEV_GPU_TEMP": ("temp_core_c", 1.0),
        "DCGM_FI_DEV_GPU_UTIL": ("engine_active", 0.01),
        "DCGM_FI_DEV_POWER_USAGE": ("power_w", 1.0),
    }
    found = {
        (name, row["gpu_index"], row["ts_ns"] // NS): row[column]
        for row in rows_of(KIND, path)["gpu_samples"]
        for name, (column, _) in columns.items()
        if row.get(column) is not None
    }
    assert found == {
        (name, index, at): round(value * columns[name][1], 4)
        for (name, index), points in values.items()
        for at, value in points.items()
    }


@pytest.mark.parametrize(
    ("told", "mask"),
    [
        ({"hw_thermal_slowdown": 1, "sw_power_cap": 1}, 0x44),
        ({"hw_thermal_slowdown": 0}, None),  # others were not asked for
        ({"hw_slowdown": 0, "sw_thermal_slowdown": 0, "hw_thermal_slowdown": 0, "hw_power_brake_slowdown": 0}, 0),
    ],
)
@pytest.mark.parametrize("word", ["throttle", "event"])
def test_throttle_reasons_that_are_told_one_by_one(
    tmp_path: Path, word: str, told: dict[str, int], mask: int | None
) -> None:
    gpu = {"uuid": "2931f74d-74b0-d0da-f640-b5ef2dd81350", "instance": "n1:9835"}
    clock = series("nvidia_smi_clocks_current_sm_clock_hz", [[1795168800, "1005000000"]], **gpu)
    flags = [
        series(f"nvidia_smi_clocks_{word}_reasons_{name}", [[1795168800, str(value)]], **gpu)
        for name, value in told.items()
    ]
    (row,) = read(tmp_path, json.dumps(matrix(clock, *flags)))["gpu_samples"]
    assert row.get("throttle_reasons") == mask
