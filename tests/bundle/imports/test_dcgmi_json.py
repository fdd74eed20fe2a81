"""JSON of dcgmi. No real file is at hand: fixtures are built as the sources of DCGM 2.4, 3.3 and 4.6 build them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports import dcgmi, dcgmi_json, kinds
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source

from .kit import rows_of

if TYPE_CHECKING:
    from pathlib import Path

T0 = 1_795_192_114_000_000_000  # 2026-11-20T16:28:34Z
UUID = "GPU-5a96fdf0-2b1c-4d3e-8f10-123456789ab"


def read(
    path: Path, *outputs: Any, before: str = "", context: Context | None = None
) -> dict[str, list[dict[str, Any]]]:
    path.write_text("\n".join(before + json.dumps(output, indent=3, sort_keys=True) for output in outputs) + "\n")
    source = Source(path.name, path)
    assert next(kind.name for kind in kinds() if kind.fits(source)) == "dcgmi-json"
    return rows_of(dcgmi_json.KIND, path, context)


def told(rows: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
    return [(row["gpu_index"], row["detail"]) for row in rows]


def diag(name: str, results: list[Any], **more: Any) -> dict[str, Any]:
    test = {"name": "Memory", "results": results, **more}
    return {name: {"test_categories": [{"category": "Hardware", "tests": [test]}]}}


def entity(number: int, status: str, *warnings: str, group: str = "GPU") -> dict[str, Any]:
    return {
        "entity_group": group,
        "entity_group_id": 1,
        "entity_id": number,
        "status": status,
        "warnings": [{"warning": text, "error_id": 60} for text in warnings],
    }


def test_a_diagnostic_of_dcgm_4_names_the_gpu_that_failed(tmp_path: Path) -> None:
    output = diag("DCGM Diagnostic", [entity(0, "Pass"), entity(3, "Fail", "ECC error", "reset it")])
    output["metadata"] = {"Driver Version Detected": "570.86.15", "version": "4.6.0"}
    found = read(tmp_path / "diag.json", output, before="Fri Nov 20 16:28:34 UTC 2026\n")
    assert told(found["gpu_events"]) == [(3, "dcgmi diag, Memory: Fail: ECC error: reset it")]
    assert found["gpu_events"][0]["ts_ns"] == T0
    assert found["gpu_events"][0]["event"] == "health"
    assert found["node_info"] == [{"driver_version": "570.86.15"}]


def test_what_fails_for_no_gpu_is_told_once(tmp_path: Path) -> None:
    summary = {"status": "Fail", "warnings": [{"warning": "persistence mode is off"}]}
    output = diag("DCGM Diagnostic", [entity(0, "Skip")], test_summary=summary)
    found = read(tmp_path / "diag.json", output)
    assert told(found["gpu_events"]) == [(None, "dcgmi diag, Memory: Fail: persistence mode is off")]
    output = diag("DCGM Diagnostic", [entity(0, "Fail", "x")], test_summary=summary)
    assert len(read(tmp_path / "diag.json", output)["gpu_events"]) == 1


def test_a_failure_of_what_is_no_gpu_blames_none(tmp_path: Path) -> None:
    found = read(tmp_path / "diag.json", diag("DCGM Diagnostic", [entity(1, "Fail", "bad core", group="CPU")]))
    assert told(found["gpu_events"]) == [(None, "dcgmi diag, Memory: Fail: bad core")]


@pytest.mark.parametrize(
    "result",
    [
        {"gpu_id": "3", "status": "Fail", "warnings": [{"warning": "ECC error", "error_id": 1}]},  # 3.3
        {"gpu_ids": "3", "status": "Fail", "warnings": "ECC error"},  # 2.4
        {"gpu_ids": "3", "status": "FAIL", "warnings": ["ECC error"]},
    ],
)
def test_earlier_versions_word_it_otherwise(tmp_path: Path, result: dict[str, Any]) -> None:
    output = {**diag("DCGM GPU Diagnostic", [result]), "Driver Version Detected": "535.1"}
    found = read(tmp_path / "diag-2026-11-20T16:28:34Z.json", output)
    assert told(found["gpu_events"]) == [(3, f"dcgmi diag, Memory: {result['status']}: ECC error")]
    assert found["gpu_events"][0]["ts_ns"] == T0
    assert found["node_info"] == [{"driver_version": "535.1"}]


def test_iterations_and_outputs_after_each_other(tmp_path: Path) -> None:
    bad = diag("DCGM Diagnostic", [entity(1, "Fail", "x")])
    good = diag("DCGM Diagnostic", [entity(1, "Pass")])
    found = read(tmp_path / "diag.json", {"iterations": [bad, good, bad]}, good, bad)
    assert [gpu for gpu, _ in told(found["gpu_events"])] == [1, 1, 1]


def health() -> dict[str, Any]:
    systems = {"Memory system": {"value": "Failure", "overflow": ["Detected 2 DBE", "in GPU 3"]}}
    systems["Power system"] = {"value": "Healthy"}
    gpu = {"3": {"value": "Failure", "children": {"Errors": {"children": systems}}}}
    switch = {"0": {"value": "Warning", "children": {"Errors": {"children": {"NVLINK system": {"value": "Warning"}}}}}}
    return {
        "header": ["Health Monitor Report"],
        "body": {"GPU": {"children": gpu}, "Switch": {"children": switch}, "Overall Health": {"value": "Failure"}},
    }


def test_a_health_check_names_system_and_gpu(tmp_path: Path) -> None:
    found = read(tmp_path / "health.json", health())
    assert told(found["gpu_events"]) == [
        (3, "dcgmi health, Memory system: Failure: Detected 2 DBE in GPU 3"),
        (None, "dcgmi health, NVLINK system of Switch 0: Warning"),
    ]


def test_a_healthy_node_has_no_events_and_is_not_refused(tmp_path: Path) -> None:
    context = Context()
    body = {"Overall Health": {"value": "Healthy"}}
    assert read(tmp_path / "health.json", {"header": ["Health Monitor Report"], "body": body}, context=context) == {}
    assert context.refused == {}


def test_counts_of_link_errors(tmp_path: Path) -> None:
    link = {
        "children": {
            "CRC FLIT Error": {"value": "7"},
            "CRC Data Error": {"value": "1"},
            "Replay Error": {"value": "2"},
            "Recovery Error": {"value": "N/A"},
        }
    }
    output = {"header": ["NVLINK Error Counts", "GPU 2"], "body": {"Link 0": link, "Error Detail": {"children": {}}}}
    (row,) = read(tmp_path / "n.json", output, before="2026-11-20 16:28:34\n")["nvlink_samples"]
    told_row = {name: value for name, value in row.items() if value is not None}
    told_row.pop("gpu_uuid")
    assert told_row == {"ts_ns": T0, "gpu_index": 2, "link": 0, "crc_errors": 8, "replay_errors": 2}


def test_what_is_cut_off_or_foreign_is_said(tmp_path: Path) -> None:
    context = Context()
    path = tmp_path / "diag.json"
    whole = json.dumps(diag("DCGM Diagnostic", [entity(1, "Fail", "x")]))
    path.write_text(f'{whole}\n{{"a": 1}}\n{whole[:40]}')
    found = rows_of(dcgmi_json.KIND, path, context)
    assert len(found["gpu_events"]) == 1
    assert context.refused == {
        "JSON that is none of dcgmi's diag, health or nvlink": 1,
        "the end of a file that is cut off": 1,
    }
    path.write_text(whole[:60])
    with pytest.raises(InputError, match="broken JSON"):
        rows_of(dcgmi_json.KIND, path)
    path.write_text('{"DCGM Diagnostic":' * 100_000)
    with pytest.raises((UnsafeInput, InputError)):
        rows_of(dcgmi_json.KIND, path)


@pytest.mark.parametrize("value", [None, 3, "x", [], [3], {"test_categories": 3}, {"test_categories": [{"tests": 4}]}])
def test_shapes_that_cannot_be_are_no_events(tmp_path: Path, value: Any) -> None:
    assert "gpu_events" not in read(tmp_path / "diag.json", {"DCGM Diagnostic": value})


def test_discovery_names_the_gpus(tmp_path: Path) -> None:
    path = tmp_path / "discovery.txt"
    rule = f"+{'-' * 8}+{'-' * 70}+\n"
    rows = "".join(
        f"| {gpu:<6} | {'Name: NVIDIA H100 80GB HBM3':<68} |\n"
        f"| {'':<6} | {f'PCI Bus ID: 00000000:0{gpu}:00.0':<68} |\n"
        f"| {'':<6} | {f'Device UUID: {UUID}{gpu}':<68} |\n{rule}"
        for gpu in (0, 1)
    )
    path.write_text(
        f"2 GPUs found (Active).\n{rule}| GPU ID | {'Device Information':<68} |\n{rule}{rows}0 NvSwitches found.\n"
        "+-----------+\n| Switch ID |\n+-----------+\n+-----------+\n0 ConnectX found.\n"
    )
    (row,) = rows_of(dcgmi.KIND, path)["node_info"]
    assert row == {
        "gpus": 2,
        "gpu_models": "NVIDIA H100 80GB HBM3,NVIDIA H100 80GB HBM3",
        "gpu_uuids": f"{UUID}0,{UUID}1",
    }
