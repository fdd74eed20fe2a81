"""The NVML collector through the real pynvml, against a stub library scripted by a file. SIMULATED GPUs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.capture.recorder_kit import Recording, Stub, command, record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Stub:
    return Stub(tmp_path_factory.mktemp("nvml"))


@pytest.fixture
def recording(stub: Stub, tmp_path: Path) -> Iterator[Recording]:
    stub.say("* gpus 8", "* unsupported_fan 1", "2 ecc_sbe_vol 5", "1 pid 1", "4 gpm 0")
    with command("sleep", "600") as child:
        recording = record(tmp_path, child.pid, env=stub.env)
        recording.wait_for("gpu_samples", lambda rows: len({row["gpu_index"] for row in rows}) == 8)
        yield recording
        child.kill()
        child.wait()
        recording.wait()


def test_reads_what_there_is_and_null_where_there_is_nothing(recording: Recording) -> None:
    rows = recording.rows("gpu_samples")
    row = next(row for row in rows if row["gpu_index"] == 2)
    assert row["gpu_uuid"] == "GPU-5eed0000-0000-0000-0000-000000000002"
    assert (row["fb_used_bytes"], row["fb_total_bytes"]) == (42949672960, 85899345920)
    assert (row["engine_active"], row["mem_util"]) == (0.97, 0.4)
    assert (row["power_w"], row["power_limit_w"], row["energy_mj"]) == (412.345, 700.0, 123456789)
    assert (row["temp_core_c"], row["temp_memory_c"]) == (61, 72)
    assert (row["sm_clock_mhz"], row["sm_clock_max_mhz"], row["mem_clock_mhz"], row["pstate"]) == (1980, 1980, 2619, 0)
    assert (row["ecc_corrected_volatile"], row["ecc_corrected_aggregate"], row["ecc_uncorrected_volatile"]) == (5, 7, 0)
    assert (row["remap_correctable"], row["remap_pending"], row["remap_failure"]) == (0, False, False)
    assert (row["pcie_gen"], row["pcie_width"], row["pcie_gen_max"], row["pcie_width_max"]) == (5, 16, 5, 16)
    assert (row["pcie_replays"], row["retired_pages"], row["remap_uncorrectable"]) == (0, 0, 0)
    assert row["fan_percent"] is None
    assert row["sm_active"] is None, "the first sample has nothing to be compared with"
    rows = recording.wait_for("gpu_samples", lambda rows: any(row["sm_active"] for row in rows))
    busy = next(row for row in rows if row["sm_active"])
    assert [busy[name] for name in ("sm_active", "sm_occupancy", "tensor_active")] == [0.57, 0.58, 0.6]
    assert [busy[name] for name in ("fp64_active", "fp32_active", "fp16_active")] == [None, 0.67, 0.68]
    assert busy["dram_active"] == 0.65
    assert all(row["sm_active"] is None for row in rows if row["gpu_index"] == 4)
    rows = recording.wait_for("gpu_samples", lambda rows: any(row["pcie_rx_bytes_s"] for row in rows))
    assert {row["pcie_rx_bytes_s"] for row in rows} == {1_000_000, None}
    info = recording.rows("node_info")[0]
    assert info["gpus"] == 8
    assert info["gpu_uuids"].split(",")[2] == row["gpu_uuid"]
    assert info["gpu_memory_bytes"].split(",") == ["85899345920"] * 8
    assert (info["driver_version"], info["cuda_version"]) == ("999.99.stub", "13.0")
    holders = recording.wait_for("gpu_processes", bool)
    assert [(row["gpu_index"], row["pid"], row["event"]) for row in holders] == [(1, 1, "attached")]


def test_sees_throttling_errors_and_who_leaves(recording: Recording, stub: Stub) -> None:
    stub.say("* gpus 8", "0 throttle 64", "0 sm_clock 345", "2 ecc_dbe_vol 1", "2 remap_failure 1", "4 xid 48")
    rows = recording.wait_for("gpu_samples", lambda rows: any(row["ecc_uncorrected_volatile"] == 1 for row in rows))
    rows = recording.wait_for("gpu_samples", lambda rows: any(row["throttle_reasons"] == 64 for row in rows))
    slow = [row for row in rows if row["throttle_reasons"] == 64]
    assert {row["gpu_index"] for row in slow} == {0}
    assert {row["sm_clock_mhz"] for row in slow} == {345}
    assert {row["gpu_index"] for row in rows if row["remap_failure"]} == {2}
    told = {(4, "xid", 48, None)}
    told.add((0, "clock", None, "clocks are held back by hardware thermal slowdown"))
    bad = "failure: a row remap has failed; uncorrected ECC errors since the driver was loaded"
    told.add((2, "health", None, bad))

    def all_told(rows: list[dict[str, Any]]) -> bool:
        return {(row["gpu_index"], row["event"], row["xid"], row["detail"]) for row in rows} >= told

    events = recording.wait_for("gpu_events", all_told)
    assert {row["gpu_index"] for row in events} == {0, 2, 4}
    recording.wait_for("gpu_processes", lambda rows: any(row["event"] == "detached" for row in rows))


def test_a_lost_gpu_and_a_hung_one_cost_their_own_rows_only(recording: Recording, stub: Stub) -> None:
    stub.say("* gpus 8", "3 lost 1", "5 hang 1")
    events = recording.wait_for("gpu_events", lambda rows: {3, 5} <= {row["gpu_index"] for row in rows})
    told = {row["gpu_index"]: row for row in events}
    assert told[3]["event"] == "lost"
    assert told[5]["event"] == "health"
    assert "does not answer" in told[5]["detail"]
    before = max(row["ts_mono_ns"] for row in events)

    def after(rows: list[dict[str, object]]) -> set[object]:
        return {row["gpu_index"] for row in rows if int(str(row["ts_mono_ns"])) > before + 1_500_000_000}

    rows = recording.wait_for("gpu_samples", lambda rows: len(after(rows)) >= 6)
    assert after(rows) == {0, 1, 2, 4, 6, 7}
    recording.wait_for("host_samples", lambda rows: rows[-1]["ts_mono_ns"] > before)
    stub.say("* gpus 8", "3 lost 1")
    recording.wait_for("gpu_events", lambda rows: any("answers again" in (row["detail"] or "") for row in rows))
    rows = recording.rows("gpu_events")
    assert [row["gpu_index"] for row in rows if "answers again" in (row["detail"] or "")] == [5]


def test_a_call_that_never_returns_does_not_hold_up_the_end(stub: Stub, tmp_path: Path) -> None:
    stub.say("* gpus 2")
    with command("sleep", "600") as child:
        recording = record(tmp_path, child.pid, env=stub.env)
        recording.wait_for("gpu_samples", bool)
        stub.say("* gpus 2", "* hang 1")
        recording.wait_for("gpu_events", lambda rows: len(rows) >= 2)
        child.kill()
        child.wait()
        recording.wait()
    assert recording.last("nvml")["drops"] > 0
    assert recording.last("host")["outcome"] == "ok"


def test_no_gpu_is_an_outcome(stub: Stub, tmp_path: Path) -> None:
    stub.say("* gpus 0")
    with command("true") as child:
        child.wait()
        recording = record(tmp_path, child.pid, env=stub.env)
        recording.wait()
    assert recording.last("nvml")["outcome"] == "missing"
    assert recording.rows("node_info")[0]["gpus"] == 0
