"""Output of dcgmi. No real file is at hand: fixtures are written as the source of DCGM 4.6.0 (and 3.3) prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle.imports.dcgmi import KIND
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source

from .kit import rows_of

if TYPE_CHECKING:
    from pathlib import Path

NS = 10**9
T0 = 1_795_219_090


def monitor(*rows: tuple[str, ...]) -> str:
    """The columns' widths are those of DeviceMonitor.cpp: 14 and 4 to the first, then the field's."""
    header = f"{'#Entity':<18}" + "".join(f"{name:<18}" for name in ("GPUTL", "POWER", "TMPTR", "FBUSD", "SMACT"))
    units = f"{'ID':<18}" + "".join(f"{unit:<18}" for unit in ("", " W", " C", "", ""))
    lines = [f"{row[0]:<18}" + "".join(f"{cell:<18}" for cell in row[1:]) for row in rows]
    return "\n".join((header, units, *lines, ""))


def box(*rows: tuple[str, str], title: tuple[str, str] = ("Diagnostic", "Result")) -> str:
    rule = f"+{'-' * 27}+{'-' * 48}+\n"
    head = f"{rule}| {title[0]:<25} | {title[1]:<46} |\n{rule.replace('-', '=')}"
    body = "".join(
        f"+-----  {left.strip('=')}  {'-' * 10}+{'-' * 48}+\n"
        if left.startswith("=")
        else f"| {left:<25} | {right:<46} |\n"
        for left, right in rows
    )
    return head + body + rule


def health(*rows: tuple[int, str, str]) -> str:
    """The tree of DcgmiOutput.cpp: three blanks a level, the arrow at the right of them."""
    rule = f"+{'-' * 27}+{'-' * 58}+\n"
    head = f"{rule}| {'Health Monitor Report':<85}|\n{rule.replace('-', '=')}"
    body = ""
    for level, label, value in rows:
        left = f"{'-> ' if level and label else '':>{level * 3}}{label}"
        body += f"| {left:<25} | {value:<56} |\n"
    return head + body + rule


def read(tmp_path: Path, text: str, context: Context | None = None) -> dict[str, list[Any]]:
    path = tmp_path / "dcgmi.txt"
    path.write_text(text)
    return rows_of(KIND, path, context)


def told(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def test_the_monitor(tmp_path: Path) -> None:
    text = monitor(
        ("GPU 0", "75", "185.300", "68", "28456", "0.612345"),
        ("GPU 1", "N/A", "60.100", "40", "3", "N/A"),
        ("GPU 0", "76", "185.400", "", "28456", "0.6"),
        ("GPU 1", "0", "60.100", "40", "3", "0.0"),
    )
    context = Context(collected_at_ns=T0 * NS, scrape_interval_s=1.0)
    rows = [told(row) for row in read(tmp_path, text, context)["gpu_samples"]]
    first, third, second, fourth = rows
    assert first == {
        "gpu_uuid": "gpu 0",
        "gpu_index": 0,
        "ts_ns": (T0 - 1) * NS,
        "engine_active": 0.75,
        "power_w": 185.3,
        "temp_core_c": 68,
        "fb_used_bytes": 28456 << 20,
        "sm_active": 0.6123,
    }
    assert second["gpu_index"] == fourth["gpu_index"] == 1
    assert "engine_active" not in second
    assert "temp_core_c" not in third  # a blank cell: the columns' places tell which
    assert third["fb_used_bytes"] == 28456 << 20
    assert fourth["engine_active"] == 0.0
    assert "collected" in context.warnings[0]


def test_a_date_before_a_round_dates_it(tmp_path: Path) -> None:
    row = ("GPU 0", "75", "185.300", "68", "28456", "0.6")
    text = f"Fri Nov 20 23:58:10 UTC 2026\n{monitor(row)}Fri Nov 20 23:58:20 UTC 2026\n{monitor(row, row)}"
    context = Context()
    rows = read(tmp_path, text, context)["gpu_samples"]
    assert [row["ts_ns"] for row in rows] == [T0 * NS, (T0 + 10) * NS, None]
    assert context.warnings


def test_fields_without_a_place_are_named(tmp_path: Path) -> None:
    context = Context()
    text = monitor(("GPU 0", "75", "1", "68", "2", "0.6")).replace("SMACT", "ENCUT")
    (row,) = read(tmp_path, text, context)["gpu_samples"]
    assert "sm_active" not in row
    assert any("ENCUT" in warning for warning in context.warnings)


def test_parts_of_gpus_are_refused_aloud(tmp_path: Path) -> None:
    context = Context()
    text = monitor(("GPU 0", "75", "1", "68", "2", "0.6"), ("GPU-I 0", "75", "1", "68", "2", "0.6"))
    assert len(read(tmp_path, text, context)["gpu_samples"]) == 1
    assert sum(context.refused.values()) == 1


def test_failures_of_the_diagnostic(tmp_path: Path) -> None:
    text = "Successfully ran diagnostic for group.\n" + box(
        ("=Metadata", ""),
        ("DCGM Version", "4.4.2"),
        ("Driver Version Detected", "570.133.20"),
        ("=Deployment", ""),
        ("software", "Pass"),
        ("", "GPU0: Pass"),
        ("", "GPU1: Pass"),
        ("=Hardware", ""),
        ("memory", "Fail"),
        ("", "GPU0: Pass"),
        ("", "GPU1: Fail"),
        ("Warning: GPU1", "A DBE was detected on GPU 1 and the test stop"),
        ("", "ped early"),
        ("Info: GPU1", "Allocated 80 GiB"),
        ("", "of memory"),
        ("pcie", "Skip"),
        ("memtest", "Warn"),
    )
    events = read(tmp_path, f"2026-11-20T23:58:10Z\n{text}")["gpu_events"]
    assert [(row["gpu_index"], row["event"], row["ts_ns"], row["detail"]) for row in events] == [
        (1, "health", T0 * NS, "dcgmi diag, memory: Fail: A DBE was detected on GPU 1 and the test stopped early"),
        (None, "health", T0 * NS, "dcgmi diag, memtest: Warn"),
    ]


def test_failures_as_older_diagnostics_print_them(tmp_path: Path) -> None:
    text = box(
        ("=Deployment", ""),
        ("Error", "GPU 3 has uncorrectable memory errors and row"),
        ("", " remappings are pending"),
        ("=Hardware", ""),
        ("GPU Memory", "Pass - All"),
        ("PCIe", "Fail - GPUs: 0, 2"),
        ("Warning", "GPU 2 has a PCIe link of x8"),
    )
    events = read(tmp_path, text)["gpu_events"]
    assert [(row["gpu_index"], row["detail"]) for row in events] == [
        (3, "dcgmi diag: GPU 3 has uncorrectable memory errors and row remappings are pending"),
        (0, "dcgmi diag, PCIe: Fail"),
        (2, "dcgmi diag, PCIe: Fail: GPU 2 has a PCIe link of x8"),
    ]


def test_a_health_report(tmp_path: Path) -> None:
    text = health(
        (0, "Overall Health", "Failure"),
        (0, "GPU", ""),
        (1, "0", "Failure"),
        (2, "Errors", ""),
        (3, "Memory system", "Failure"),
        (3, "", "A Double Bit Error was seen on GPU 0. Drain the"),
        (3, "", "GPU and reset it."),
        (3, "PCIe system", "Warning"),
        (3, "", "Detected more than 8 PCIe replays per minute"),
        (1, "5", "Warning"),
        (2, "Errors", ""),
        (3, "Thermal system", "Warning"),
        (0, "NvSwitch", ""),
        (1, "0", "Failure"),
        (2, "Errors", ""),
        (3, "NVLINK system", "Failure"),
    )
    events = read(tmp_path, text)["gpu_events"]
    assert [(row["gpu_uuid"], row["detail"]) for row in events] == [
        (
            "gpu 0",
            "dcgmi health, Memory system: Failure: A Double Bit Error was seen on GPU 0. Drain the GPU and reset it.",
        ),
        ("gpu 0", "dcgmi health, PCIe system: Warning: Detected more than 8 PCIe replays per minute"),
        ("gpu 5", "dcgmi health, Thermal system: Warning"),
    ]


def test_health_without_a_complaint_has_no_events(tmp_path: Path) -> None:
    assert not read(tmp_path, health((0, "Overall Health", "Healthy")))
    assert not read(tmp_path, box(("=Deployment", ""), ("Denylist", "Pass"), ("pcie", "Pass - All")))


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |\n",
        "# Entity of mine\n",
        "GPU 0 is fine\n",
        box(("software", "Pass")) + "2026-11-20 23:58:10 step 1 loss 2.0\n" * 40,
        monitor(("GPU 0", "1", "1", "1", "1", "1")) + "loss 2\n" * 40,
        "",
    ],
)
def test_no_other_text_is_claimed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(text)
    assert not KIND.fits(Source(path.name, path))


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-11-20 10:00:{s:02} ",
        "[2026-11-20T10:00:{s:02}+0000] ",
        "17951688{s:02}.120 ",
        "2026-11-20T10:00:{s:02}Z\t",
    ],
)
def test_a_clock_before_every_line_dates_each_round(tmp_path: Path, stamp: str) -> None:
    lines = []
    for second in (0, 30):
        lines += ["#Entity   GPUTL  POWER", "ID               W"] if not second else []
        lines += [f"GPU {gpu}     97     {300 + gpu}.5" for gpu in (0, 1)]
    dated = [stamp.format(s=0 if number < 4 else 30) + line for number, line in enumerate(lines)]
    rows = read(tmp_path, "\n".join(dated) + "\n")["gpu_samples"]
    assert sorted(row["ts_ns"] // 10**9 % 60 for row in rows) == [0, 0, 30, 30]


def test_near_miss_a_log_that_speaks_of_gpus_is_none(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_text("2026-11-20 10:00:00 GPU 0 is at 97\n2026-11-20 10:00:30 GPU 1 is at 96\n")
    assert not KIND.fits(Source(path.name, path))


def _dated(stamps: tuple[str, ...]) -> str:
    """What ``ts`` makes of ``dcgmi dmon``: a clock without a year before every line."""
    lines = [(stamps[0], "#Entity   GPUTL  POWER"), (stamps[0], "ID               W")]
    lines += [(stamp, f"GPU {gpu}     97     {300 + gpu}.5") for stamp in stamps for gpu in (0, 1)]
    return "".join(f"{stamp} {line}\n" for stamp, line in lines)


def test_a_clock_without_a_year_takes_that_of_other_files(tmp_path: Path) -> None:
    text = _dated(("Nov 20 10:00:00", "Nov 20 10:00:30"))
    rows = read(tmp_path, text, Context(year=2026))["gpu_samples"]
    assert [row["ts_ns"] // NS for row in rows[:1]] == [1_795_168_800]
    assert sorted(row["ts_ns"] // NS % 60 for row in rows) == [0, 0, 30, 30]
    new_year = _dated(("Dec 31 23:59:30", "Jan  1 00:00:30"))
    times = sorted({row["ts_ns"] // NS for row in read(tmp_path, new_year, Context(year=2027))["gpu_samples"]})
    assert times[1] - times[0] == 60
    context = Context()
    untold = read(tmp_path, text, context)["gpu_samples"]
    assert len(untold) == 4
    assert all(row.get("ts_ns") is None for row in untold)
    assert any("no year" in warning for warning in context.warnings)


def test_near_miss_a_syslog_that_speaks_of_gpus_is_none(tmp_path: Path) -> None:
    path = tmp_path / "syslog"
    path.write_text("Nov 20 10:00:00 GPU 0 is at 97\nNov 20 10:00:30 n1 kernel: GPU 1 is at 96\n")
    assert not KIND.fits(Source(path.name, path))
