"""CSV of nvidia-smi. The fixtures are written in the documented form (nvidia-smi --help-query-gpu, captures of real
drivers); readings are made up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.nvidia_smi_csv import KIND
from inquest.bundle.imports.source import Source

from .kit import rows_of

if TYPE_CHECKING:
    from pathlib import Path

NS = 10**9
T0 = 1_795_219_090
UUIDS = ("GPU-11111111-aaaa-bbbb-cccc-000000000000", "GPU-22222222-aaaa-bbbb-cccc-000000000000")
HEADER = (
    "timestamp, index, uuid, pci.bus_id, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu,"
    " clocks.current.sm [MHz], pstate, clocks_throttle_reasons.active, ecc.errors.uncorrected.volatile.total\n"
)


def line(second: int, index: int = 0, util: str = "97 %", power: str = "629.45 W", reasons: str = "0x48") -> str:
    return (
        f"2026/11/20 23:58:{second:02}.123, {index}, {UUIDS[index]}, 00000000:1{'BC'[index]}:00.0, {util}, 70000 MiB,"
        f" {power}, 59, 1980 MHz, P0, {reasons}, 0\n"
    )


def read(tmp_path: Path, text: str, context: Context | None = None) -> dict[str, list[Any]]:
    path = tmp_path / "gpu.csv"
    path.write_text(text)
    return rows_of(KIND, path, context)


def told(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def test_a_loop_of_two_gpus(tmp_path: Path) -> None:
    context = Context(utc_offset_minutes=60)
    text = HEADER + line(10) + line(10, 1, "[N/A]", "[Not Supported]", "[N/A]") + line(15) + line(15, 1)
    found = read(tmp_path, text, context)
    rows = [told(row) for row in found["gpu_samples"]]
    assert rows[0] == {
        "ts_ns": (T0 - 3600) * NS + 123_000_000,
        "gpu_uuid": UUIDS[0],
        "gpu_index": 0,
        "engine_active": 0.97,
        "fb_used_bytes": 70000 << 20,
        "power_w": 629.45,
        "temp_core_c": 59,
        "sm_clock_mhz": 1980,
        "pstate": 0,
        "throttle_reasons": 0x48,
        "ecc_uncorrected_volatile": 0,
    }
    assert not {"engine_active", "power_w", "throttle_reasons"} & rows[1].keys()
    assert [row["gpu_index"] for row in rows] == [0, 1, 0, 1]
    assert told(found["node_info"][0]) == {"gpu_uuids": ",".join(UUIDS)}
    assert not context.warnings
    assert not context.refused


def test_units_may_be_left_out(tmp_path: Path) -> None:
    text = HEADER + line(10, util="97", power="629.45").replace(" MiB", "").replace(" MHz", "")
    assert told(read(tmp_path, text)["gpu_samples"][0]) == told(read(tmp_path, HEADER + line(10))["gpu_samples"][0])


def test_without_a_header_the_command_names_the_fields(tmp_path: Path) -> None:
    fields = (
        HEADER.replace(" ", "").replace("[%]", "").replace("[MiB]", "").replace("[W]", "").replace("[MHz]", "").strip()
    )
    command = f"$ nvidia-smi --query-gpu={fields} --format=csv,noheader -l 5\n"
    assert read(tmp_path, command + line(10)) == read(tmp_path, HEADER + line(10))


def test_nobody_knows_columns_without_names(tmp_path: Path) -> None:
    path = tmp_path / "gpu.csv"
    path.write_text(line(10) * 5)
    assert not KIND.fits(Source(path.name, path))


def test_other_fields_from_the_next_header_on(tmp_path: Path) -> None:
    other = "index, name, temperature.memory, fan.speed [%], enforced.power.limit [W], hostname, driver_version\n"
    values = "1, NVIDIA H100 80GB HBM3, 55, 38 %, 700.00 W, gpu-07, 550.90.07\n"
    context = Context()
    found = read(tmp_path, HEADER + line(10) + line(10, 1) + other + values, context)
    row = told(found["gpu_samples"][2])
    assert row == {
        "node": "gpu-07",
        "gpu_uuid": UUIDS[1],
        "gpu_index": 1,
        "temp_memory_c": 55,
        "fan_percent": 38.0,
        "power_limit_w": 700.0,
    }
    assert found["node_info"][0]["driver_version"] == "550.90.07"
    assert "no time" in context.warnings[0]


def test_reasons_one_by_one(tmp_path: Path) -> None:
    header = (
        "uuid, clocks_event_reasons.hw_slowdown, clocks_event_reasons.sw_thermal_slowdown, "
        "clocks_event_reasons.hw_thermal_slowdown, clocks_event_reasons.hw_power_brake_slowdown\n"
    )
    lines = [
        f"{UUIDS[0]}, {values}\n"
        for values in ("Active, Not Active, Active, Not Active", "Not Active, " * 3 + "Not Active")
    ]
    lines.append(f"{UUIDS[0]}, [N/A], Not Active, Not Active, Not Active\n")
    rows = read(tmp_path, header + "".join(lines))["gpu_samples"]
    assert [row["throttle_reasons"] for row in rows] == [0x48, 0]
    few = f"uuid, clocks_event_reasons.sw_power_cap, pstate\n{UUIDS[0]}, Active, P0\n{UUIDS[0]}, Not Active, P0\n"
    assert [row["throttle_reasons"] for row in read(tmp_path, few)["gpu_samples"]] == [4, None]


def test_retired_pages_are_both_kinds_or_unknown(tmp_path: Path) -> None:
    header = "uuid, retired_pages.single_bit_ecc.count, retired_pages.double_bit.count\n"
    (row,) = read(tmp_path, f"{header}{UUIDS[0]}, 1, 2\n{UUIDS[1]}, 1, [N/A]\n")["gpu_samples"]
    assert row["retired_pages"] == 3


@pytest.mark.parametrize(
    ("word", "event"),
    [("[Unknown Error]", "health"), ("[GPU is lost]", "lost"), ("[GPU requires reset]", "health"), ("ERR!", "health")],
)
def test_an_error_in_place_of_a_value_is_an_event_once(tmp_path: Path, word: str, event: str) -> None:
    text = HEADER + line(10) + line(15, power=word) + line(20, power=word)
    found = read(tmp_path, text)
    (row,) = found["gpu_events"]
    assert (row["event"], row["gpu_uuid"], row["ts_ns"]) == (event, UUIDS[0], (T0 + 5) * NS + 123_000_000)
    assert "power.draw" in row["detail"]
    assert [row["power_w"] for row in found["gpu_samples"]] == [629.45, None, None]


def test_a_gpu_that_cannot_be_reached_is_lost(tmp_path: Path) -> None:
    gone = "Unable to determine the device handle for GPU0000:1C:00.0: Unknown Error\n"
    context = Context()
    found = read(tmp_path, HEADER + line(10) + line(10, 1) + line(15) + gone + line(20) + gone, context)
    (row,) = found["gpu_events"]
    assert (row["event"], row["gpu_uuid"], row["ts_ns"]) == ("lost", UUIDS[1], (T0 + 5) * NS + 123_000_000)
    assert len(found["gpu_samples"]) == 4
    assert not context.refused


def test_without_a_field_that_tells_the_gpu_the_order_does(tmp_path: Path) -> None:
    header = "timestamp, name, utilization.gpu [%]\n"
    text = header + "".join(
        f"2026/11/20 23:58:{second:02}.{10 + gpu}0, NVIDIA H100 80GB HBM3, {gpu * 10 + second} %\n"
        for second in (10, 15)
        for gpu in range(3)
    )
    context = Context()
    rows = read(tmp_path, text, context)["gpu_samples"]
    assert [(row["gpu_uuid"], row["gpu_index"]) for row in rows] == [("gpu 0", 0), ("gpu 1", 1), ("gpu 2", 2)] * 2
    assert "order" in context.warnings[0]
    context = Context()
    assert not read(tmp_path, "utilization.gpu [%], temperature.gpu\n" + "1 %, 40\n" * 16, context)
    assert context.refused == {"lines that tell neither their GPU nor their time": 16}


def test_a_field_may_be_asked_for_twice(tmp_path: Path) -> None:
    text = f"uuid, index, uuid, temperature.gpu, temperature.gpu\n{UUIDS[0]}, 0, {UUIDS[0]}, 59, 59\n"
    (row,) = read(tmp_path, text)["gpu_samples"]
    assert (row["gpu_uuid"], row["temp_core_c"]) == (UUIDS[0], 59)


def test_processes_come_and_go(tmp_path: Path) -> None:
    header = "timestamp, gpu_uuid, pid, process_name, used_gpu_memory [MiB]\n"

    def row(second: str, gpu: int, pid: int, used: str) -> str:
        return f"2026/11/20 23:58:{second}, {UUIDS[gpu]}, {pid}, python, {used}\n"

    text = header + row("10.000", 0, 7, "1000 MiB") + row("10.005", 1, 8, "[N/A]") + row("15.000", 0, 7, "2000 MiB")
    rows = read(tmp_path, text)["gpu_processes"]
    assert [(r["pid"], r["event"], r["fb_used_bytes"], r["ts_ns"] // NS - T0) for r in rows] == [
        (7, "attached", 1000 << 20, 0),
        (8, "attached", None, 0),
        (7, "changed", 2000 << 20, 5),
        (8, "detached", None, 5),
    ]


def test_accounting_and_page_lists_are_counted_not_taken_for_the_present(tmp_path: Path) -> None:
    context = Context()
    accounting = "timestamp, gpu_uuid, pid, gpu_utilization [%], max_memory_usage [MiB], time [ms]\n"
    pages = "timestamp, gpu_uuid, retired_pages.address, retired_pages.cause\n"
    stamp = f"2026/11/20 23:58:10.000, {UUIDS[0]}"
    found = read(tmp_path, f"{accounting}{stamp}, 7, 99 %, 5 MiB, 9 ms\n{pages}{stamp}, 0x1, Double Bit ECC\n", context)
    assert not found
    assert sum(context.refused.values()) == 2


def test_lines_that_do_not_fit_are_counted(tmp_path: Path) -> None:
    context = Context()
    text = HEADER + line(10) * 20 + "slurmstepd: error: *** JOB 1 CANCELLED ***\n" + line(15).strip() + ", 1, 2, 3\n"
    assert len(read(tmp_path, text, context)["gpu_samples"]) == 20
    assert sum(context.refused.values()) == 2


@pytest.mark.parametrize(
    "text",
    [
        "step,loss,lr\n1,2.0,0.1\n",
        "timestamp,name,value\n1,a,2\n",
        "epoch, index, uuid_count\n1,2,3\n",
        "a, b, c\n",
        HEADER + "step 1 loss 2\n" * 40,
        "pstate\n" + "the state of p is fine\n" * 10,
        "",
    ],
)
def test_no_other_csv_is_claimed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text(text)
    assert not KIND.fits(Source(path.name, path))


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 59),
            st.integers(0, 1),
            st.one_of(st.none(), st.integers(0, 100)),
            st.one_of(st.none(), st.integers(0, 99999).map(lambda v: v / 100)),
            st.one_of(st.none(), st.integers(0, 511)),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_what_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[Any, ...]]) -> None:
    path = tmp_path_factory.mktemp("round") / "gpu.csv"
    lines = [
        line(
            second,
            index,
            "[N/A]" if util is None else f"{util} %",
            "[N/A]" if power is None else f"{power:.2f} W",
            "[N/A]" if mask is None else f"0x{mask:016X}",
        )
        for second, index, util, power, mask in rows
    ]
    path.write_text(HEADER + "".join(lines))
    found = rows_of(KIND, path)["gpu_samples"]
    assert [
        (row["ts_ns"], row["gpu_index"], row.get("engine_active"), row.get("power_w"), row.get("throttle_reasons"))
        for row in found
    ] == [
        ((T0 - 10 + second) * NS + 123_000_000, index, None if util is None else util / 100, power, mask)
        for second, index, util, power, mask in rows
    ]
