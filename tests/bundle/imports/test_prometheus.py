"""Scrapes of exporters. No real file of DCGM's exporter is at hand: the fixtures are written from the documented format
(dcgm-exporter's template and counter lists, node_exporter's and cAdvisor's metric names), labels as they print them."""

from __future__ import annotations

import math
import string
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.metric_table import METRICS
from inquest.bundle.imports.prometheus import KIND
from inquest.bundle.imports.source import Source
from inquest.bundle.schema import BY_NAME

from .kit import rows_of

if TYPE_CHECKING:
    from pathlib import Path

NS = 10**9
T0 = 1_795_219_090
UUID = "GPU-8f0e1c52-0000-4000-8000-00000000000{}"


def gpu(name: str, value: object, index: int = 0, extra: str = "", time: str = "") -> str:
    labels = (
        f'gpu="{index}",UUID="{UUID.format(index)}",pci_bus_id="00000000:1B:00.0",device="nvidia{index}",'
        f'modelName="NVIDIA H100 80GB HBM3",Hostname="gpu-07",DCGM_FI_DRIVER_VERSION="550.90.07"{extra}'
    )
    return f"{name}{{{labels}}} {value}{time}\n"


def described(name: str, *samples: str) -> str:
    return f"# HELP {name} What it is.\n# TYPE {name} gauge\n{''.join(samples)}"


def cpu(number: int, user: float, idle: float) -> str:
    return "".join(
        f'node_cpu_seconds_total{{cpu="{number}",mode="{mode}"}} {value}\n'
        for mode, value in (("user", user), ("idle", idle))
    )


def read(tmp_path: Path, text: str, context: Context | None = None, name: str = "metrics.prom") -> dict[str, list[Any]]:
    path = tmp_path / name
    path.write_text(text)
    return rows_of(KIND, path, context)


def test_every_name_leads_to_a_column_of_the_schema() -> None:
    for name, metric in METRICS.items():
        table = BY_NAME[metric.table]
        if not metric.column.startswith("_"):
            assert table.column(metric.column).name, name
        if metric.key:
            assert table.column(metric.key).name, name


def test_a_scrape_of_dcgm_is_one_row_a_gpu(tmp_path: Path) -> None:
    text = (
        described("DCGM_FI_DEV_GPU_UTIL", gpu("DCGM_FI_DEV_GPU_UTIL", 97), gpu("DCGM_FI_DEV_GPU_UTIL", 0, 1))
        + described("DCGM_FI_DEV_FB_USED", gpu("DCGM_FI_DEV_FB_USED", 70000))
        + described("DCGM_FI_DEV_FB_FREE", gpu("DCGM_FI_DEV_FB_FREE", 11080))
        + described("DCGM_FI_DEV_FB_RESERVED", gpu("DCGM_FI_DEV_FB_RESERVED", 479))
        + described("DCGM_FI_DEV_POWER_USAGE", gpu("DCGM_FI_DEV_POWER_USAGE", "629.4519"))
        + described("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", gpu("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", 123456789))
        + described("DCGM_FI_PROF_SM_ACTIVE", gpu("DCGM_FI_PROF_SM_ACTIVE", "0.123456"))
        + described("DCGM_FI_PROF_PCIE_TX_BYTES", gpu("DCGM_FI_PROF_PCIE_TX_BYTES", "1.5e+09"))
        + described("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", gpu("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", 72))
        + described("DCGM_FI_DEV_ROW_REMAP_FAILURE", gpu("DCGM_FI_DEV_ROW_REMAP_FAILURE", 0))
    )
    context = Context()
    found = read(tmp_path, f"# {T0}\n{text}", context)
    first, second = sorted(found["gpu_samples"], key=lambda row: row["gpu_index"])
    assert first == {
        "node": "gpu-07",
        "gpu_uuid": UUID.format(0),
        "gpu_index": 0,
        "ts_ns": T0 * NS,
        "engine_active": 0.97,
        "fb_used_bytes": 70000 << 20,
        "fb_total_bytes": (70000 + 11080 + 479) << 20,
        "power_w": 629.452,
        "energy_mj": 123456789,
        "sm_active": 0.1235,
        "pcie_tx_bytes_s": 1_500_000_000,
        "throttle_reasons": 72,
        "remap_failure": False,
    }
    assert second["engine_active"] == 0.0
    assert second.get("fb_used_bytes") is None  # not scraped is not zero
    assert found["node_info"] == [
        {
            "node": "gpu-07",
            "hostname": "gpu-07",
            "gpu_uuids": f"{UUID.format(0)},{UUID.format(1)}",
            "gpu_models": "NVIDIA H100 80GB HBM3,NVIDIA H100 80GB HBM3",
            "driver_version": "550.90.07",
        }
    ]
    assert not context.warnings
    assert not context.refused


def test_newer_names_of_dcgm_mean_the_same(tmp_path: Path) -> None:
    old = gpu("DCGM_FI_DEV_GPU_UTIL", 55) + gpu("DCGM_FI_DEV_PCIE_REPLAY_COUNTER", 9) + gpu("DCGM_FI_DEV_GPU_TEMP", 41)
    new = (
        gpu("DCGM_FI_DEV_GPU_UTIL_RATIO", 55)
        + gpu("DCGM_FI_DEV_PCIE_REPLAY_TOTAL", 9)
        + gpu("DCGM_FI_DEV_GPU_TEMP_CELSIUS", 41)
    )
    assert read(tmp_path, old)["gpu_samples"] == read(tmp_path, new)["gpu_samples"]


def test_nvlink_is_bytes_a_second_whoever_counts_them(tmp_path: Path) -> None:
    profiled = gpu("DCGM_FI_PROF_NVLINK_TX_BYTES", "2.5e+11") + gpu("DCGM_FI_PROF_NVLINK_RX_BYTES", "1.5e+11")
    (row,) = read(tmp_path, profiled)["gpu_samples"]
    assert (row["nvlink_tx_bytes_s"], row["nvlink_rx_bytes_s"]) == (250_000_000_000, 150_000_000_000)
    assert row["nvlink_bytes_s"] == 400_000_000_000
    (row,) = read(tmp_path, gpu("DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", 2000))["gpu_samples"]
    assert row["nvlink_bytes_s"] == 2000 * 1000 * 1024  # DCGM divides KiB by 1000
    assert row.get("nvlink_tx_bytes_s") is None  # which way is not told


def test_the_total_of_the_framebuffer_is_not_guessed_without_its_reserve(tmp_path: Path) -> None:
    row = read(tmp_path, gpu("DCGM_FI_DEV_FB_USED", 70000) + gpu("DCGM_FI_DEV_FB_FREE", 11080))["gpu_samples"][0]
    assert row["fb_used_bytes"] == 70000 << 20
    assert row.get("fb_total_bytes") is None


@pytest.mark.parametrize("blank", ["9223372036854775794", "2147483634", "140737488355330", "NaN", "+Inf", "-Inf"])
def test_a_blank_of_dcgm_is_no_reading(tmp_path: Path, blank: str) -> None:
    text = gpu("DCGM_FI_DEV_MEMORY_TEMP", blank) + gpu("DCGM_FI_DEV_GPU_TEMP", 41)
    (row,) = read(tmp_path, text)["gpu_samples"]
    assert row["temp_core_c"] == 41
    assert row.get("temp_memory_c") is None


def test_times_beside_values_are_milliseconds_or_seconds(tmp_path: Path) -> None:
    milliseconds = gpu("DCGM_FI_DEV_GPU_UTIL", 1, time=f" {T0}123")
    seconds = gpu("DCGM_FI_DEV_GPU_UTIL", 1, time=f" {T0}.123") + "# EOF\n"
    for text in (milliseconds, seconds):
        assert [row["ts_ns"] for row in read(tmp_path, text)["gpu_samples"]] == [T0 * NS + 123_000_000]


def test_a_series_with_its_own_times_needs_no_scrapes(tmp_path: Path) -> None:
    text = "".join(gpu("DCGM_FI_DEV_GPU_UTIL", n, time=f" {T0 + n}000") for n in range(5))
    found = read(tmp_path, text)["gpu_samples"]
    assert [(row["ts_ns"], row["engine_active"]) for row in found] == [((T0 + n) * NS, n / 100) for n in range(5)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("# scraped_at=1795219090.5", "# scraped_at=1795219105"), (T0 * NS + NS // 2, (T0 + 15) * NS)),
        (("2026-11-20T23:58:10Z", "2026-11-20T23:58:25+00:00"), (T0 * NS, (T0 + 15) * NS)),
        (("Fri Nov 20 23:58:10 UTC 2026", "Fri Nov 20 23:58:25 UTC 2026"), (T0 * NS, (T0 + 15) * NS)),
        (("Sat Nov 21 00:58:10 CET 2026", "Sat Nov 21 00:58:25 CET 2026"), (T0 * NS, (T0 + 15) * NS)),
        (("=== 2026-11-21 00:58:10 ===", "=== 2026-11-21 00:58:25 ==="), (T0 * NS, (T0 + 15) * NS)),
    ],
)
def test_a_line_with_a_clock_dates_the_scrape_after_it(
    tmp_path: Path, lines: tuple[str, str], expected: tuple[int, int]
) -> None:
    body = "".join(described(name, gpu(name, 1)) for name in ("DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_GPU_TEMP"))
    found = read(tmp_path, "".join(f"{line}\n{body}" for line in lines), Context(utc_offset_minutes=60))
    assert tuple(row["ts_ns"] for row in found["gpu_samples"]) == expected


def test_scrapes_without_a_clock_stay_apart_and_without_a_time(tmp_path: Path) -> None:
    context = Context()
    found = read(tmp_path, gpu("DCGM_FI_DEV_GPU_UTIL", 10) + gpu("DCGM_FI_DEV_GPU_UTIL", 20), context)
    assert [(row["ts_ns"], row["engine_active"]) for row in found["gpu_samples"]] == [(None, 0.1), (None, 0.2)]
    assert "without a time" in context.warnings[0]


def test_meta_dates_the_last_scrape_and_those_before_it(tmp_path: Path) -> None:
    context = Context(collected_at_ns=T0 * NS, scrape_interval_s=15.0)
    text = "".join(gpu("DCGM_FI_DEV_GPU_UTIL", n) for n in range(3))
    found = read(tmp_path, text, context)["gpu_samples"]
    assert [row["ts_ns"] for row in found] == [(T0 - 30) * NS, (T0 - 15) * NS, T0 * NS]
    assert "collected" in context.warnings[0]


def test_a_file_of_one_scrape_may_tell_the_time_in_its_name(tmp_path: Path) -> None:
    context = Context(utc_offset_minutes=60)
    text = gpu("DCGM_FI_DEV_GPU_UTIL", 1)
    for name in ("scrape-1795219090.prom", "scrape_20261120T235810Z.txt", "scrape_2026-11-21_00-58-10.prom"):
        assert [row["ts_ns"] for row in read(tmp_path, text, context, name)["gpu_samples"]] == [T0 * NS], name


def test_node_exporter_tells_its_own_time_and_name(tmp_path: Path) -> None:
    def scrape(time: float, user: float, idle: float, waited: float, retransmits: int) -> str:
        return (
            f'node_time_seconds {time}\nnode_uname_info{{nodename="gpu-07",release="6.8.0",machine="x86_64"}} 1\n'
            f"{cpu(0, user, idle)}{cpu(1, user, idle)}"
            "node_load1 12.342\nnode_memory_MemTotal_bytes 2.164e+12\nnode_memory_SwapTotal_bytes 100\n"
            "node_memory_SwapFree_bytes 40\nnode_memory_Dirty_bytes 5\nnode_vmstat_oom_kill 3\n"
            f"node_pressure_memory_stalled_seconds_total {waited}\n"
            'node_network_receive_bytes_total{device="eth0"} 11\nnode_network_carrier{device="eth0"} 1\n'
            'node_infiniband_port_data_received_bytes_total{device="mlx5_0",port="1"} 77\n'
            f"node_netstat_Tcp_RetransSegs {retransmits}\n"
            'node_disk_io_time_seconds_total{device="nvme0n1"} 1.5\nnode_filesystem_avail_bytes{device="/dev/md0",'
            'fstype="xfs",mountpoint="/scratch"} 4096\n'
        )

    found = read(tmp_path, scrape(T0, 10, 90, 1, 5) + scrape(T0 + 10, 16, 94, 3, 6))
    first, second = found["host_samples"]
    assert first["node"] == "gpu-07"
    assert (first["ts_ns"], second["ts_ns"]) == (T0 * NS, (T0 + 10) * NS)
    assert first["cpu_user_share"] is None  # a share needs two readings
    assert second["cpu_user_share"] == 0.6
    assert second["psi_memory_full_avg10"] == 20.0
    assert (second["load_1m"], second["oom_kills"], second["swap_used_bytes"]) == (12.34, 3, 60)
    assert "dirty_bytes" not in first  # writeback pages are a part of it and were not told
    net = {row["interface"]: row for row in found["net_samples"] if row["ts_ns"] == T0 * NS}
    assert net["eth0"]["rx_bytes"] == 11
    assert net["eth0"]["carrier"] is True
    assert net["mlx5_0/1"]["rx_bytes"] == 77
    assert net["lo"]["tcp_retransmits"] == 5
    disks = {row["device"]: row for row in found["disk_samples"]}
    assert disks["nvme0n1"]["io_ms"] == 1500
    assert disks["/scratch"]["fs_free_bytes"] == 4096
    assert found["node_info"][0]["kernel"] == "6.8.0"


def test_a_counter_that_was_reset_gives_no_share(tmp_path: Path) -> None:
    text = cpu(0, 10, 90) + cpu(0, 1, 2) + cpu(0, 2, 3) + "node_load1 1\n"
    rows = read(tmp_path, text)["host_samples"]
    assert [row["cpu_user_share"] for row in rows][-1] == 0.5
    assert not any(row["cpu_user_share"] for row in rows[:-1])


def test_addresses_become_names_where_the_file_tells_them(tmp_path: Path) -> None:
    text = (
        'node_uname_info{instance="10.0.0.7:9100",nodename="gpu-07"} 1\nnode_load1{instance="10.0.0.7:9100"} 1\n'
        'node_load1{instance="10.0.0.8:9100"} 2\nnode_load1{instance="localhost:9100"} 3\n'
    )
    nodes = {row["load_1m"]: row["node"] for row in read(tmp_path, text)["host_samples"]}
    assert nodes == {1.0: "gpu-07", 2.0: "10.0.0.8", 3.0: "gpu-07"}


def test_addresses_become_names_where_each_has_a_server_of_its_own(tmp_path: Path) -> None:
    text = "".join(f'node_load1{{instance="10.0.0.{n}:9100",server="gpu-{n}",vm="cloud"}} {n}\n' for n in (7, 8))
    nodes = {row["load_1m"]: row["node"] for row in read(tmp_path, text)["host_samples"]}
    assert nodes == {7.0: "gpu-7", 8.0: "gpu-8"}


def test_cgroups_of_cadvisor(tmp_path: Path) -> None:
    labels = 'id="/kubepods/burstable/pod1/abc",pod="trainer-0",namespace="ml",container="main",node="gpu-07"'
    text = (
        f"container_memory_usage_bytes{{{labels}}} 1000 {T0}000\n"
        f"container_spec_memory_limit_bytes{{{labels}}} 0 {T0}000\n"
        f"container_oom_events_total{{{labels}}} 2 {T0}000\n"
        f'container_memory_usage_bytes{{namespace="ml",pod="other",node="gpu-07"}} 5 {T0}000\n'
        f'container_spec_memory_limit_bytes{{namespace="ml",pod="other",node="gpu-07"}} 4096 {T0}000\n'
    )
    rows = {row["cgroup"]: row for row in read(tmp_path, text)["cgroup_samples"]}
    main = rows["/kubepods/burstable/pod1/abc"]
    assert (main["memory_used_bytes"], main["oom_kills"]) == (1000, 2)
    assert main.get("memory_limit_bytes") is None  # 0 says that there is none
    assert rows["ml/other"]["memory_limit_bytes"] == 4096


def test_an_xid_is_an_event_when_it_appears(tmp_path: Path) -> None:
    times = [f"# {T0 + 15 * n}\n" for n in range(4)]
    values = (0, 79, 79, 45)
    text = "".join(time + gpu("DCGM_FI_DEV_XID_ERRORS", value) for time, value in zip(times, values, strict=True))
    events = read(tmp_path, text)["gpu_events"]
    assert [(event["ts_ns"], event["xid"]) for event in events] == [((T0 + 15) * NS, 79), ((T0 + 45) * NS, 45)]


def test_an_xid_from_before_the_metrics_has_no_time(tmp_path: Path) -> None:
    (event,) = read(tmp_path, f"# {T0}\n" + gpu("DCGM_FI_DEV_XID_ERRORS", 79))["gpu_events"]
    assert (event["ts_ns"], event["xid"]) == (None, 79)
    assert "not told" in event["detail"]


def test_counted_xids_health_and_held_clocks_are_events(tmp_path: Path) -> None:
    def scrape(n: int, held: float, xids: int, health: int) -> str:
        return (
            f"# {T0 + 15 * n}\n"
            + gpu("DCGM_FI_DEV_THERMAL_VIOLATION", held)
            + (gpu("DCGM_EXP_XID_ERRORS_COUNT", xids, extra=',xid="94",window_size_in_ms="300000"') if xids else "")
            + gpu("DCGM_EXP_GPU_HEALTH_STATUS", health, extra=',health_watch="MEM",health_error_code="DCGM_FR_X"')
        )

    text = scrape(0, 7e9, 0, 0) + scrape(1, 8e9, 1, 0) + scrape(2, 9.5e9, 1, 20) + scrape(3, 9.5e9, 0, 20)
    events = read(tmp_path, text)["gpu_events"]
    assert [(e["event"], e["ts_ns"], e.get("xid")) for e in sorted(events, key=lambda e: (e["ts_ns"], e["event"]))] == [
        ("clock", (T0 + 15) * NS, None),
        ("xid", (T0 + 15) * NS, 94),
        ("health", (T0 + 30) * NS, None),
    ]
    assert "heat for 2.500 s" in next(event["detail"] for event in events if event["event"] == "clock")


def test_nvlink_counters_by_link_and_in_total(tmp_path: Path) -> None:
    text = (
        gpu("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L3", 4)
        + gpu("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_L3", 2)
        + gpu("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", 9)
        + 'DCGM_FI_DEV_NVLINK_COUNT_TX_BYTES{nvlink="5",gpu="0",gpu_uuid="GPU-1",hostname="gpu-07"} 1e6\n'
    )
    rows = {row.get("link"): row for row in read(tmp_path, text)["nvlink_samples"]}
    assert rows[3]["crc_errors"] == 6
    assert rows[None]["replay_errors"] == 9
    assert (rows[5]["tx_bytes"], rows[5]["gpu_uuid"]) == (1_000_000, "GPU-1")


def test_the_only_part_of_a_gpu_stands_for_it_and_one_of_several_is_refused_aloud(tmp_path: Path) -> None:
    first, second = (gpu("DCGM_FI_DEV_FB_USED", 5, extra=f',GPU_I_PROFILE="1g.10gb",GPU_I_ID="{n}"') for n in (7, 8))
    context = Context()
    (row,) = read(tmp_path, first + gpu("DCGM_FI_DEV_GPU_TEMP", 41), context)["gpu_samples"]
    assert (row["fb_used_bytes"], row["temp_core_c"]) == (5 << 20, 41)
    assert any("MIG" in warning for warning in context.warnings)
    context = Context()
    (row,) = read(tmp_path, first + second + gpu("DCGM_FI_DEV_GPU_TEMP", 41), context)["gpu_samples"]
    assert row.get("fb_used_bytes") is None
    assert context.refused == {"series of several parts of one GPU (MIG)": 2}


def test_a_gpu_without_a_uuid_is_not_mingled_with_another(tmp_path: Path) -> None:
    text = 'dcgm_fb_used{gpu="0"} 1\ndcgm_fb_used{gpu="1"} 2\ndcgm_fb_used 3\n'
    context = Context()
    rows = read(tmp_path, text, context)["gpu_samples"]
    assert {row["gpu_uuid"]: row["fb_used_bytes"] >> 20 for row in rows} == {"gpu 0": 1, "gpu 1": 2}
    assert context.refused


def test_metrics_without_a_place_and_broken_lines_are_told(tmp_path: Path) -> None:
    context = Context()
    text = described("DCGM_FI_DEV_GPU_UTIL", gpu("DCGM_FI_DEV_GPU_UTIL", 1)) * 9 + "go_goroutines 7\ncurl: (7) Failed\n"
    read(tmp_path, text, context)
    assert any("go_goroutines" in warning for warning in context.warnings)
    assert context.refused == {"lines that are not of the exposition format": 1}


def test_escapes_exemplars_and_braces_in_labels(tmp_path: Path) -> None:
    text = (
        'node_network_receive_bytes_total{device="a\\"}\\\\b\\n",job="x}"} 5 # {trace_id="1}"} 5 1.0\n'
        'node_network_receive_bytes_total{device="plain",} 6\n'
    )
    rows = read(tmp_path, text)["net_samples"]
    assert {row["interface"]: row["rx_bytes"] for row in rows} == {'a"}\\b\n': 5, "plain": 6}


@pytest.mark.parametrize(
    "text",
    [
        "step 10 loss 2.3\n" * 30 + gpu("DCGM_FI_DEV_GPU_UTIL", 97),
        "loss 2.3\nlr 0.001\n",
        "node_load1 2.3\n" + "2026-11-20 23:58:10 step 1 loss 2.0\n" * 40,
        "# HELP is what I need\nTraceback (most recent call last):\n",
        '{"metric": {"__name__": "DCGM_FI_DEV_GPU_UTIL"}}\n',
        "",
        "\0\0\0",
    ],
)
def test_no_other_text_is_claimed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "slurm-1.out"
    path.write_text(text)
    assert not KIND.fits(Source(path.name, path))


def test_series_beyond_all_measure_are_counted_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inquest.bundle.imports.series.MAX_SERIES", 3)
    monkeypatch.setattr("inquest.bundle.imports.prometheus.MAX_SERIES", 5)
    context = Context()
    text = "".join(f'node_network_receive_bytes_total{{device="veth{n}"}} 1\n' for n in range(20))
    assert len(read(tmp_path, text, context)["net_samples"]) == 3
    assert sum(context.refused.values()) == 17


def test_nodes_beyond_all_measure_are_counted_not_mingled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inquest.bundle.imports.series._MOST_NAMES", 3)
    context = Context()
    text = "".join(f'node_load1{{instance="node-{n}:9100"}} {n}\n' for n in range(9))
    rows = read(tmp_path, text, context)["host_samples"]
    assert {row["node"]: row["load_1m"] for row in rows} == {"node-0": 0.0, "node-1": 1.0, "node-2": 2.0}
    assert sum(context.refused.values()) == 6


def test_values_beyond_what_is_held_are_given_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inquest.bundle.imports.prometheus.MAX_VALUES", 10)
    text = "".join(f"# {T0 + n}\n{gpu('DCGM_FI_DEV_GPU_UTIL', n % 100)}" for n in range(45))
    found = read(tmp_path, text)
    assert len(found["node_info"]) == 1
    rows = found["gpu_samples"]
    assert [(row["ts_ns"], row["engine_active"]) for row in rows] == [((T0 + n) * NS, n / 100) for n in range(45)]


READINGS = {
    "DCGM_FI_DEV_POWER_USAGE": ("power_w", st.floats(0, 2000).map(lambda v: round(v, 3))),
    "DCGM_FI_DEV_GPU_TEMP": ("temp_core_c", st.integers(-20, 120)),
    "DCGM_FI_DEV_GPU_UTIL": ("engine_active", st.integers(0, 100)),
    # DCGM's words for "no value" (0x7ffffff0 and the three behind it) are not read as values.
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": (
        "energy_mj",
        st.integers(0, 2**50).filter(lambda v: v not in range(0x7FFFFFF0, 0x7FFFFFF4)),
    ),
}
LABEL = st.text(string.printable + "äß漢", min_size=1, max_size=20)


@st.composite
def scrapes(draw: st.DrawFn) -> list[tuple[int, list[tuple[str, int, float]]]]:
    times = draw(st.lists(st.integers(1_500_000_000_000, 1_900_000_000_000), min_size=1, max_size=4, unique=True))
    return [
        (
            time,
            [
                (name, index, draw(READINGS[name][1]))
                for name in draw(st.lists(st.sampled_from(sorted(READINGS)), unique=True))
                for index in draw(st.lists(st.integers(0, 2), unique=True))
            ],
        )
        for time in sorted(times)
    ]


@settings(max_examples=60, deadline=None)
@given(scrapes=scrapes(), label=LABEL, timed=st.booleans())
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory,
    scrapes: list[tuple[int, list[tuple[str, int, float]]]],
    label: str,
    timed: bool,
) -> None:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "")
    expected: dict[tuple[str, int], dict[str, float]] = {}
    lines = [described("DCGM_FI_DEV_GPU_UTIL")]
    for time, samples in scrapes:
        if not timed:
            lines.append(f"# scraped at {time / 1000:.3f}\n")
        for name, index, value in samples:
            lines.append(gpu(name, value, index, f',pod="{escaped}"', f" {time}" if timed else ""))
            column = READINGS[name][0]
            held = expected.setdefault((UUID.format(index), time * 1_000_000), {})
            held[column] = value / 100 if column == "engine_active" else value
    path = tmp_path_factory.mktemp("round") / "metrics.prom"
    path.write_text("".join(lines), newline="")
    if not any(samples for _, samples in scrapes):
        return
    rows = rows_of(KIND, path)["gpu_samples"]
    found = {
        (row["gpu_uuid"], row["ts_ns"]): {name: row[name] for name, _ in READINGS.values() if row.get(name) is not None}
        for row in rows
    }
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        assert found[key].keys() == values.keys()
        assert all(math.isclose(found[key][name], value, abs_tol=1e-3) for name, value in values.items())
