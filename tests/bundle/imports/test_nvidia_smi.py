"""Output of nvidia-smi.

The fixtures are written in the form of drivers 418 to 610, looked up in the manual and in public captures of real
machines; hosts, UUIDs and readings are made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.nvidia_smi import KIND
from inquest.bundle.imports.nvidia_smi_xml import KIND as XML
from inquest.bundle.imports.smi_fields import READINGS, REASONS, SUMS, number
from inquest.bundle.imports.source import Source
from inquest.bundle.schema import BY_NAME

from .kit import rows_of

if TYPE_CHECKING:
    from pathlib import Path

NS = 10**9
T0 = 1_795_219_090  # Fri Nov 20 23:58:10 2026 UTC
UUIDS = ("GPU-11111111-aaaa-bbbb-cccc-000000000000", "GPU-22222222-aaaa-bbbb-cccc-000000000000")
LIST = (
    f"GPU 0: NVIDIA H100 80GB HBM3 (UUID: {UUIDS[0]})\n"
    f"GPU 1: NVIDIA H100 80GB HBM3 (UUID: {UUIDS[1]})\n"
    "  MIG 1g.10gb     Device  0: (UUID: MIG-5c9e2d1a-aaaa-bbbb-cccc-000000000000)\n"
)
TABLE = """\
Fri Nov 20 23:58:10 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:1B:00.0 Off |                    2 |
| N/A   59C    P0            629W /  700W |   70000MiB /  81559MiB |    100%      Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA H100 80GB HBM3          On  |   00000000:1C:00.0 Off |                  N/A |
| 38%   ERR!   P2             N/A /  700W |       3MiB /  81559MiB |      N/A     Default |
|                                         |                        |             Disabled |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    0   N/A  N/A     11327      C   python train.py --name a b                  69990MiB |
|    0   N/A  N/A     11328    C+G   /usr/bin/other                                  N/A |
+-----------------------------------------------------------------------------------------+
"""
OLD_TABLE = """\
Fri Nov 20 23:58:10 2026
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 418.226.00   Driver Version: 418.226.00   CUDA Version: 10.1     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|===============================+======================+======================|
|   0  Tesla V100-SXM2...  On   | 00000000:1A:00.0 Off |                    0 |
| N/A   36C    P0    44W / 300W |  16000MiB / 32480MiB |     13%      Default |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| Processes:                                                       GPU Memory |
|  GPU       PID   Type   Process name                             Usage      |
|=============================================================================|
|    0      4711      C   python                                     15990MiB |
+-----------------------------------------------------------------------------+
"""


def log(reasons: str = "Clocks Event Reasons", ecc: str = "") -> str:
    modern = """\
        Volatile
            SRAM Correctable                           : 1
            SRAM Uncorrectable Parity                  : 0
            SRAM Uncorrectable SEC-DED                 : 2
            DRAM Correctable                           : 4
            DRAM Uncorrectable                         : 8
        Aggregate
            SRAM Correctable                           : N/A
            DRAM Correctable                           : 4
            SRAM Uncorrectable Parity                  : 0
            SRAM Uncorrectable SEC-DED                 : 0
            DRAM Uncorrectable                         : 16
"""
    gpus = "".join(
        f"""\
GPU 00000000:1{bus}:00.0
    Product Name                                       : NVIDIA H100 80GB HBM3
    GPU UUID                                           : {uuid}
    Minor Number                                       : {9 - index}
    PCI
        Bus                                            : 0x1{bus}
        GPU Link Info
            PCIe Generation
                Max                                    : 5
                Current                                : 4
            Link Width
                Max                                    : 16x
                Current                                : 8x
        Replays Since Reset                            : 9
        Tx Throughput                                  : 352 KB/s
        Rx Throughput                                  : 329 KB/s
    Fan Speed                                          : N/A
    Performance State                                  : P0
    {reasons}
        Idle                                           : Not Active
        SW Power Cap                                   : Active
        HW Slowdown                                    : Active
            HW Thermal Slowdown                        : Active
            HW Power Brake Slowdown                    : Not Active
        Sync Boost                                     : Not Active
        SW Thermal Slowdown                            : Not Active
    FB Memory Usage
        Total                                          : 81559 MiB
        Reserved                                       : 479 MiB
        Used                                           : 70000 MiB
        Free                                           : 11080 MiB
    BAR1 Memory Usage
        Total                                          : 131072 MiB
        Used                                           : 1 MiB
    Utilization
        GPU                                            : 97 %
        Memory                                         : 11 %
    ECC Errors
{ecc or modern}    Retired Pages
        Single Bit ECC                                 : 1
        Double Bit ECC                                 : 2
        Pending Page Blacklist                         : No
    Remapped Rows
        Correctable Error                              : 0
        Uncorrectable Error                            : 3
        Pending                                        : Yes
        Remapping Failure Occurred                     : No
    Temperature
        GPU Current Temp                               : 59 C
        Memory Current Temp                            : 55 C
    GPU Power Readings
        Average Power Draw                             : 629.45 W
        Instantaneous Power Draw                       : 640.00 W
        Current Power Limit                            : 700.00 W
    GPU Memory Power Readings
        Average Power Draw                             : 43.19 W
    Module Power Readings
        Current Power Limit                            : 900.00 W
    Clocks
        SM                                             : 1980 MHz
        Memory                                         : 2619 MHz
    Max Clocks
        SM                                             : 1980 MHz
        Memory                                         : 2619 MHz
    Processes
        GPU instance ID                                : N/A
        Process ID                                     : {4711 + index}
            Type                                       : C
            Name                                       : python
            Used GPU Memory                            : 69990 MiB
    Capabilities
        EGM                                            : disabled
"""
        for index, (bus, uuid) in enumerate(zip("BC", UUIDS, strict=True))
    )
    return f"""
==============NVSMI LOG==============

Timestamp                                              : Fri Nov 20 23:58:10 2026
Driver Version                                         : 550.90.07
CUDA Version                                           : 12.4

Attached GPUs                                          : 2
{gpus}
"""


def xml(uuid: str = UUIDS[0], second: int = 10, processes: str = "") -> str:
    return f"""\
<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
\t<timestamp>Fri Nov 20 23:58:{second} 2026</timestamp>
\t<driver_version>550.90.07</driver_version>
\t<cuda_version>12.4</cuda_version>
\t<attached_gpus>1</attached_gpus>
\t<gpu id="00000000:1B:00.0">
\t\t<product_name>NVIDIA H100 80GB HBM3</product_name>
\t\t<uuid>{uuid}</uuid>
\t\t<pci><pci_gpu_link_info><pcie_gen><max_link_gen>5</max_link_gen><current_link_gen>4</current_link_gen></pcie_gen>
\t\t<link_widths><max_link_width>16x</max_link_width><current_link_width>8x</current_link_width></link_widths>
\t\t</pci_gpu_link_info><replay_counter>9</replay_counter><tx_util>352 KB/s</tx_util></pci>
\t\t<fan_speed>N/A</fan_speed><performance_state>P0</performance_state>
\t\t<clocks_event_reasons>
\t\t\t<clocks_event_reason_gpu_idle>Not Active</clocks_event_reason_gpu_idle>
\t\t\t<clocks_event_reason_hw_slowdown>Active</clocks_event_reason_hw_slowdown>
\t\t\t<clocks_event_reason_hw_thermal_slowdown>Active</clocks_event_reason_hw_thermal_slowdown>
\t\t\t<clocks_event_reason_hw_power_brake_slowdown>Not Active</clocks_event_reason_hw_power_brake_slowdown>
\t\t\t<clocks_event_reason_sw_thermal_slowdown>Not Active</clocks_event_reason_sw_thermal_slowdown>
\t\t</clocks_event_reasons>
\t\t<fb_memory_usage><total>81559 MiB</total><reserved>479 MiB</reserved><used>70000 MiB</used></fb_memory_usage>
\t\t<utilization><gpu_util>97 %</gpu_util><memory_util>11 %</memory_util></utilization>
\t\t<ecc_errors><volatile><sram_correctable>1</sram_correctable><sram_uncorrectable>2</sram_uncorrectable>
\t\t<dram_correctable>4</dram_correctable><dram_uncorrectable>8</dram_uncorrectable></volatile></ecc_errors>
\t\t<retired_pages><multiple_single_bit_retirement><retired_count>1</retired_count></multiple_single_bit_retirement>
\t\t<double_bit_retirement><retired_count>2</retired_count></double_bit_retirement></retired_pages>
\t\t<remapped_rows><remapped_row_corr>0</remapped_row_corr><remapped_row_unc>3</remapped_row_unc>
\t\t<remapped_row_pending>Yes</remapped_row_pending><remapped_row_failure>No</remapped_row_failure></remapped_rows>
\t\t<temperature><gpu_temp>59 C</gpu_temp><memory_temp>55 C</memory_temp></temperature>
\t\t<gpu_power_readings><average_power_draw>629.45 W</average_power_draw>
\t\t<current_power_limit>700.00 W</current_power_limit></gpu_power_readings>
\t\t<clocks><sm_clock>1980 MHz</sm_clock><mem_clock>2619 MHz</mem_clock></clocks>
\t\t<max_clocks><sm_clock>1980 MHz</sm_clock></max_clocks>
\t\t<processes>{processes}</processes>
\t</gpu>
</nvidia_smi_log>
"""


def process(pid: int, memory: str) -> str:
    return (
        f"<process_info><pid>{pid}</pid><type>C</type><process_name>python</process_name>"
        f"<used_memory>{memory}</used_memory></process_info>"
    )


def read(tmp_path: Path, text: str, context: Context | None = None) -> dict[str, list[Any]]:
    path = tmp_path / "gpu.txt"
    path.write_text(text)
    return rows_of(KIND, path, context)


def told(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def test_every_reading_is_a_column() -> None:
    columns = BY_NAME["gpu_samples"].column_names
    assert {reading.column for reading in READINGS} | set(SUMS) <= set(columns)


def test_bits_of_reasons_are_those_of_nvml() -> None:
    """nvml.h, nvmlClocksEventReasons: what B3 tests for must be what is written here."""
    assert {REASONS[name] for name in ("hw_slowdown", "sw_thermal_slowdown")} == {0x8, 0x20}
    assert {REASONS[name] for name in ("hw_thermal_slowdown", "hw_power_brake_slowdown")} == {0x40, 0x80}
    assert (REASONS["gpu_idle"], REASONS["sw_power_cap"], REASONS["sync_boost"]) == (0x1, 0x4, 0x10)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("97 %", 97.0),
        ("97", 97.0),
        ("629.45 W", 629.45),
        ("P8", 8.0),
        ("16x", 16.0),
        ("0x0000000000000048", 72.0),
        ("-5 C", -5.0),
        ("Yes", 1.0),
        ("Not Active", 0.0),
        ("N/A", None),
        ("[N/A]", None),
        ("[Not Supported]", None),
        ("[Unknown Error]", None),
        ("ERR!", None),
        ("Unknown Error", None),
        ("0xZZ", None),
        ("", None),
        ("3 of 4", None),
        ("9" * 400, None),
    ],
)
def test_numbers_as_nvidia_smi_prints_them(text: str, value: float | None) -> None:
    assert number(text) == value


def test_the_table_with_its_processes(tmp_path: Path) -> None:
    found = read(tmp_path, LIST + TABLE)
    first, second = (told(row) for row in found["gpu_samples"])
    assert first == {
        "gpu_uuid": UUIDS[0],
        "gpu_index": 0,
        "ts_ns": T0 * NS,
        "temp_core_c": 59,
        "pstate": 0,
        "power_w": 629.0,
        "power_limit_w": 700.0,
        "fb_used_bytes": 70000 << 20,
        "fb_total_bytes": 81559 << 20,
        "engine_active": 1.0,
        "ecc_uncorrected_volatile": 2,
    }
    assert second == {
        "gpu_uuid": UUIDS[1],
        "gpu_index": 1,
        "ts_ns": T0 * NS,
        "pstate": 2,
        "fan_percent": 38.0,
        "power_limit_w": 700.0,
        "fb_used_bytes": 3 << 20,
        "fb_total_bytes": 81559 << 20,
    }
    assert [(row["pid"], row["event"], row["fb_used_bytes"]) for row in found["gpu_processes"]] == [
        (11327, "attached", 69990 << 20),
        (11328, "attached", None),
    ]
    (event,) = found["gpu_events"]
    assert (event["event"], event["gpu_uuid"]) == ("health", UUIDS[1])
    assert told(found["node_info"][0]) == {
        "gpu_uuids": ",".join(UUIDS),
        "gpu_models": "NVIDIA H100 80GB HBM3,NVIDIA H100 80GB HBM3",
        "gpu_memory_bytes": f"{81559 << 20},{81559 << 20}",
        "driver_version": "550.90.07",
        "cuda_version": "12.4",
    }


def test_without_uuids_the_bus_id_keeps_gpus_apart(tmp_path: Path) -> None:
    found = read(tmp_path, TABLE)
    assert [row["gpu_uuid"] for row in found["gpu_samples"]] == ["00000000:1B:00.0", "00000000:1C:00.0"]
    assert {row["gpu_uuid"] for row in found["gpu_processes"]} == {"00000000:1B:00.0"}


def test_the_table_of_old_drivers(tmp_path: Path) -> None:
    found = read(tmp_path, OLD_TABLE, Context(utc_offset_minutes=-60))
    (row,) = found["gpu_samples"]
    assert (row["ts_ns"], row["fb_used_bytes"], row["power_w"]) == ((T0 + 3600) * NS, 16000 << 20, 44.0)
    assert [(row["pid"], row["fb_used_bytes"]) for row in found["gpu_processes"]] == [(4711, 15990 << 20)]


def test_the_table_of_drivers_that_name_the_kernel_driver(tmp_path: Path) -> None:
    text = TABLE.replace(
        "Driver Version: 550.90.07      CUDA Version: 12.4     ",
        "KMD Version: 610.57.04     CUDA UMD Version: 13.3     ",
    )
    assert told(read(tmp_path, text)["node_info"][0]) == {"driver_version": "610.57.04", "cuda_version": "13.3"}


def test_tables_in_a_loop_tell_when_processes_went(tmp_path: Path) -> None:
    later = TABLE.replace("23:58:10", "23:58:20")
    grown = later.replace("69990MiB", "79990MiB")
    gone = TABLE.replace("23:58:10", "23:58:30").replace("11327 ", "11999 ")
    rows = read(tmp_path, LIST + TABLE + later + grown + gone)["gpu_processes"]
    assert [(row["pid"], row["event"], row["ts_ns"] // NS - T0) for row in rows] == [
        (11327, "attached", 0),
        (11328, "attached", 0),
        (11327, "changed", 10),
        (11327, "detached", 20),
        (11999, "attached", 20),
    ]


def test_a_long_listing(tmp_path: Path) -> None:
    found = read(tmp_path, log())
    first, second = (told(row) for row in found["gpu_samples"])
    assert first == {
        "gpu_uuid": UUIDS[0],
        "gpu_index": 0,
        "ts_ns": T0 * NS,
        "fb_total_bytes": 81559 << 20,
        "fb_used_bytes": 70000 << 20,
        "engine_active": 0.97,
        "mem_util": 0.11,
        "power_w": 629.45,
        "power_limit_w": 700.0,
        "temp_core_c": 59,
        "temp_memory_c": 55,
        "sm_clock_mhz": 1980,
        "mem_clock_mhz": 2619,
        "sm_clock_max_mhz": 1980,
        "pstate": 0,
        "throttle_reasons": 0x4 | 0x8 | 0x40,
        "ecc_corrected_volatile": 5,
        "ecc_uncorrected_volatile": 10,
        "ecc_uncorrected_aggregate": 16,
        "remap_correctable": 0,
        "remap_uncorrectable": 3,
        "remap_pending": True,
        "remap_failure": False,
        "retired_pages": 3,
        "pcie_gen": 4,
        "pcie_gen_max": 5,
        "pcie_width": 8,
        "pcie_width_max": 16,
        "pcie_replays": 9,
        "pcie_tx_bytes_s": 352_000,
        "pcie_rx_bytes_s": 329_000,
    }
    assert (second["gpu_uuid"], second["gpu_index"]) == (UUIDS[1], 1)
    assert [(row["pid"], row["gpu_uuid"]) for row in found["gpu_processes"]] == list(
        zip((4711, 4712), UUIDS, strict=True)
    )


def test_a_long_listing_of_old_drivers(tmp_path: Path) -> None:
    ecc = """\
        Volatile
            Single Bit
                Device Memory                          : 1
                Total                                  : 3
            Double Bit
                Total                                  : 4
        Aggregate
            Single Bit
                Total                                  : N/A
            Double Bit
                Total                                  : 6
"""
    row = told(read(tmp_path, log("Clocks Throttle Reasons", ecc))["gpu_samples"][0])
    assert row["throttle_reasons"] == 0x4C
    assert (row["ecc_corrected_volatile"], row["ecc_uncorrected_volatile"]) == (3, 4)
    assert row["ecc_uncorrected_aggregate"] == 6
    assert "ecc_corrected_aggregate" not in row


def test_one_gpu_of_many_has_no_index(tmp_path: Path) -> None:
    text = log().replace("Attached GPUs                                          : 2", "Attached GPUs    : 8")
    assert [row["gpu_index"] for row in read(tmp_path, text)["gpu_samples"]] == [None, None]


def test_the_same_readings_as_xml(tmp_path: Path) -> None:
    path = tmp_path / "gpu.xml"
    path.write_text(
        xml(processes=process(4711, "69990 MiB"))
        + xml(second=20, processes=process(4712, "N/A"))
        + xml(second=30)[:400]
    )
    context = Context()
    found = rows_of(XML, path, context)
    text = told(read(tmp_path, log())["gpu_samples"][0])
    row = told(found["gpu_samples"][0])
    differ = {"throttle_reasons", "ecc_uncorrected_aggregate", "pcie_rx_bytes_s"}
    assert {name: value for name, value in row.items() if name not in differ} == {
        name: value for name, value in text.items() if name not in differ
    }
    assert row["throttle_reasons"] == 0x48
    assert [(row["pid"], row["event"], row["ts_ns"] // NS - T0) for row in found["gpu_processes"]] == [
        (4711, "attached", 0),
        (4711, "detached", 10),
        (4712, "attached", 10),
    ]
    assert sum(context.refused.values()) == 1  # the document that was cut off


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            '<?xml version="1.0"?><!DOCTYPE nvidia_smi_log [<!ENTITY a "b">]><nvidia_smi_log>&a;</nvidia_smi_log>',
            UnsafeInput,
        ),
        ("<nvidia_smi_log>" + "<a>" * 100 + "</nvidia_smi_log>", UnsafeInput),
        ("<nvidia_smi_log><", InputError),
    ],
)
def test_xml_that_is_no_nvidia_smi(tmp_path: Path, text: str, error: type[Exception]) -> None:
    path = tmp_path / "gpu.xml"
    path.write_text(text)
    assert XML.fits(Source(path.name, path))
    with pytest.raises(error):
        list(XML.read(Source(path.name, path), Context()))


DMON = """\
# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec   mclk   pclk     fb  sbecc  dbecc    pci  rxpci  txpci
# Idx      W      C      C      %      %      %      %    MHz    MHz     MB   errs   errs   errs   MB/s   MB/s
    0    631     63     57    100     10      0      0   2619   1980  70000      1      2      3     17     35
    1    634     63      -      -     10      0      0   2619   1980      3      -      -      0      0      0
    0    632     63     57     99     10      0      0   2619   1980  70000      1      2      3     17     35
    1    634     63      -      5     10      0      0   2619   1980      3      -      -      0      0      0
"""


def test_the_monitor_of_devices(tmp_path: Path) -> None:
    context = Context()
    rows = [told(row) for row in read(tmp_path, DMON, context)["gpu_samples"]]
    assert [row["gpu_uuid"] for row in rows] == ["gpu 0", "gpu 1", "gpu 0", "gpu 1"]
    assert rows[0] == {
        "gpu_uuid": "gpu 0",
        "gpu_index": 0,
        "power_w": 631.0,
        "temp_core_c": 63,
        "temp_memory_c": 57,
        "engine_active": 1.0,
        "mem_util": 0.1,
        "mem_clock_mhz": 2619,
        "sm_clock_mhz": 1980,
        "fb_used_bytes": 70000 << 20,
        "ecc_corrected_aggregate": 1,
        "ecc_uncorrected_aggregate": 2,
        "pcie_replays": 3,
        "pcie_rx_bytes_s": 17_000_000,
        "pcie_tx_bytes_s": 35_000_000,
    }
    assert "engine_active" not in rows[1]
    assert "time" in context.warnings[0]


def test_the_monitor_tells_its_times_where_asked(tmp_path: Path) -> None:
    text = """\
#Date       Time        gpu    pwr     sm
#YYYYMMDD   HH:MM:SS    Idx      W      %
 20261120   23:58:10      0    631    100
 20261120   23:58:11      0    632    100
"""
    assert [row["ts_ns"] for row in read(tmp_path, text)["gpu_samples"]] == [T0 * NS, (T0 + 1) * NS]


def test_a_time_before_the_monitor_is_that_of_its_first_round(tmp_path: Path) -> None:
    rows = read(tmp_path, LIST + "Fri Nov 20 23:58:10 UTC 2026\n" + DMON)["gpu_samples"]
    assert [row["ts_ns"] for row in rows] == [T0 * NS, T0 * NS, None, None]
    assert rows[0]["gpu_uuid"] == UUIDS[0]


def test_the_monitor_of_processes(tmp_path: Path) -> None:
    text = """\
# gpu         pid   type     sm    mem    enc    dec     fb    command
# Idx           #    C/G      %      %      %      %     MB    name
    0      11327     C     99     10      -      -   2566    python
    1          -     -      -      -      -      -      -    -
    0      11327     C     99     10      -      -   2566    python
    1          -     -      -      -      -      -      -    -
    0          -     -      -      -      -      -      -    -
    1      11400     C      -      -      -      -    100    python
"""
    rows = read(tmp_path, text)["gpu_processes"]
    assert [(row["gpu_index"], row["pid"], row["event"], row["fb_used_bytes"]) for row in rows] == [
        (0, 11327, "attached", 2566 << 20),
        (0, 11327, "detached", None),
        (1, 11400, "attached", 100 << 20),
    ]


def test_sizes_beyond_all_measure_are_unknown(tmp_path: Path) -> None:
    found = read(tmp_path, TABLE.replace("69990MiB", "9" * 12 + "MiB").replace("629W", "9" * 400 + "W"))
    assert found["gpu_samples"][0].get("power_w") is None
    assert [row["pid"] for row in found["gpu_processes"]] == [11327, 11328]
    log_of_giants = log().replace("69990 MiB", "9" * 30 + " MiB").replace("81559 MiB", "9" * 30 + " MiB")
    rows = read(tmp_path, log_of_giants)
    assert [row["fb_used_bytes"] for row in rows["gpu_processes"]] == [None, None]
    assert [row.get("fb_total_bytes") for row in rows["gpu_samples"]] == [None, None]


@pytest.mark.parametrize("clock", ["2026-11-20T23:59:10+00:00", "=== 2026-11-20 23:59:10 ===", "1795219150"])
def test_a_date_in_another_form_dates_what_follows(tmp_path: Path, clock: str) -> None:
    text = LIST + TABLE.split("\n", 1)[1] + clock + "\n" + TABLE.split("\n", 1)[1]
    assert [row["ts_ns"] for row in read(tmp_path, text)["gpu_samples"]] == [None, None, *[(T0 + 60) * NS] * 2]


def test_links_and_their_errors(tmp_path: Path) -> None:
    text = f"""\
GPU 0: NVIDIA H100 80GB HBM3 (UUID: {UUIDS[0]})
\t Link 0: 26.562 GB/s
\t Link 1: <inactive>
GPU 0: NVIDIA H100 80GB HBM3 (UUID: {UUIDS[0]})
\t Link 0: Replay Errors: 1
\t Link 0: Recovery Errors: 2
\t Link 0: CRC Flit Errors: 3
\t Link 0: CRC Data Errors: 4
"""
    rows = [told(row) for row in read(tmp_path, text)["nvlink_samples"]]
    gpu = {"gpu_uuid": UUIDS[0], "gpu_index": 0}
    assert rows == [
        {**gpu, "link": 0, "active": True},
        {**gpu, "link": 1, "active": False},
        {**gpu, "link": 0, "replay_errors": 1, "recovery_errors": 2, "crc_errors": 7},
    ]


@pytest.mark.parametrize(
    ("line", "uuid", "index"),
    [
        ("Unable to determine the device handle for GPU0000:1C:00.0: Unknown Error", UUIDS[1], 1),
        ("Unable to determine the device handle for GPU1: 0000:1C:00.0: Unknown Error", UUIDS[1], 1),
        ("Unable to determine the device handle for GPU 0000:1C:00.0: GPU is lost.  Reboot the system.", UUIDS[1], 1),
        ("Unable to determine the device handle for gpu 0000:5D:00.0: Unknown Error", "00000000:5D:00.0", None),
    ],
)
def test_a_lost_gpu_is_an_event(tmp_path: Path, line: str, uuid: str, index: int | None) -> None:
    context = Context()
    events = read(tmp_path, f"{LIST}{TABLE}Fri Nov 20 23:59:10 2026\n{line}\n{line}\n", context)["gpu_events"]
    (lost,) = [event for event in events if event["event"] == "lost"]
    assert (lost["ts_ns"], lost["gpu_uuid"], lost["gpu_index"]) == ((T0 + 60) * NS, uuid, index)
    assert not context.refused


@pytest.mark.parametrize(
    "text",
    [
        TABLE + "Epoch 1: 100%|####| 10/10\n" + "step 1 loss 2.0\n" * 40,
        LIST + "2026-11-20 23:58:10 step 1 loss 2.0\n" * 40,
        "# gpu stuff is configured here\nimport torch\n",
        "key : value\n" * 10,
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "GPU 0 is fine\n",
        "",
    ],
)
def test_no_log_that_quotes_it_is_claimed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "slurm-1.out"
    path.write_text(text)
    assert not KIND.fits(Source(path.name, path))
    assert not XML.fits(Source(path.name, path))
