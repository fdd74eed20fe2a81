"""Panels saved as CSV, as Grafana's own code prints them (npm's @grafana/data 13.2.3, run once), and older forms by its
sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from inquest.bundle.errors import InputError
from inquest.bundle.imports import grafana_csv, kinds
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source

from .kit import rows_of

if TYPE_CHECKING:
    from pathlib import Path

T0 = 1_795_192_114_000_000_000  # 2026-11-20T16:28:34Z
MS = 1_795_192_114_000
UUID = "GPU-5a96fdf0-2b1c-4d3e-8f10-123456789abc"
TITLED = "GPU Temperature-data-as-joinbyfield-2026-11-20 17_30_00.csv"


def read(path: Path, text: str, context: Context | None = None, encoding: str = "utf-8") -> dict[str, list[Any]]:
    path.write_bytes(text.encode(encoding))
    source = Source(path.name, path)
    assert next(kind.name for kind in kinds() if kind.fits(source)) == "grafana-csv"
    found = rows_of(grafana_csv.KIND, path, context)
    return {
        table: [{name: value for name, value in row.items() if value is not None} for row in rows]
        for table, rows in found.items()
    }


_PRINTED = (
    # joinByField and toCSV over two series of Prometheus without a legend, and over two with units and a legend
    f'"Time","{{Hostname=""gpu01"", UUID=""{UUID}"", __name__=""DCGM_FI_DEV_GPU_TEMP"", gpu=""0""}}",'
    f'"{{Hostname=""gpu01"", UUID=""{UUID[:-1]}d"", __name__=""DCGM_FI_DEV_GPU_TEMP"", gpu=""1""}}"\r\n'
    "1795192114000,61,\r\n1795192129000,62,70",
    '"Time","GPU 0","GPU 1"\r\n2026-11-20 16:28:34.000,61.5 °C,70 °C\r\n2026-11-20 16:28:49.000,62 °C,71 °C',
)


@pytest.mark.parametrize(("text", "first"), [(_PRINTED[0], 61), (_PRINTED[1], 62)], ids=["raw", "formatted"])
def test_what_grafana_itself_prints(tmp_path: Path, text: str, first: int) -> None:
    rows = read(tmp_path / TITLED, text)["gpu_samples"]
    assert (rows[0]["gpu_index"], rows[0]["ts_ns"], rows[0]["temp_core_c"]) == (0, T0, first)
    assert (rows[-1]["gpu_index"], rows[-1]["ts_ns"]) == (1, T0 + 15 * 10**9), "no line feed ends the last line"


def test_series_joined_by_time_with_labels(tmp_path: Path) -> None:
    labels = [f'{{Hostname=""gpu0{n}"", gpu=""{n}""}}' for n in (1, 2)]
    header = ",".join(f'"DCGM_FI_DEV_GPU_TEMP{label}"' for label in labels)
    found = read(tmp_path / "a.csv", f'"Time",{header}\r\n{MS},61,\r\n{MS + 15_000},62,70\r\n')
    assert [(r["node"], r["gpu_index"], r["ts_ns"], r["temp_core_c"]) for r in found["gpu_samples"]] == [
        ("gpu01", 1, T0, 61),
        ("gpu01", 1, T0 + 15 * 10**9, 62),
        ("gpu02", 2, T0 + 15 * 10**9, 70),
    ]


@pytest.mark.parametrize(
    "column",
    [
        f'{{__name__=""DCGM_FI_DEV_FB_USED"", UUID=""{UUID}"", gpu=""3"", Hostname=""n1""}}',
        f'DCGM_FI_DEV_FB_USED {{UUID=""{UUID}"", gpu=""3"", instance=""n1:9400""}}',
        f"DCGM_FI_DEV_FB_USED n1 gpu 3 {UUID}",
    ],
)
def test_a_column_is_named_in_many_ways(tmp_path: Path, column: str) -> None:
    (row,) = read(tmp_path / "a.csv", f'"Time","{column}"\r\n{MS},40960\r\n')["gpu_samples"]
    assert row == {"node": "n1", "gpu_uuid": UUID, "gpu_index": 3, "ts_ns": T0, "fb_used_bytes": 40960 << 20}


def test_a_table_of_labels_and_values(tmp_path: Path) -> None:
    found = read(
        tmp_path / "a.csv",
        '"Time","__name__","Hostname","gpu","Value #A"\n'
        f"{MS},DCGM_FI_DEV_GPU_UTIL,n1,0,98\n{MS},DCGM_FI_DEV_POWER_USAGE,n1,0,512.5\n{MS},up,n1,,1\n",
        context := Context(),
    )
    (row,) = found["gpu_samples"]
    assert (row["engine_active"], row["power_w"], row["node"]) == (0.98, 512.5, "n1")
    assert context.refused == {"values of series that no table has a place for": 1}


@pytest.mark.parametrize(
    "text",
    [
        f'"Time","GPU 0","GPU 1"\r\n{MS},61,62\r\n',
        f'sep=;\r\n"Time";"GPU 0";"GPU 1"\r\n{MS};61;62\r\n',
        f'"Series";"Time";"Value"\r\n"GPU 0";{MS};61\r\n"GPU 1";2026-11-20T16:28:34Z;62\r\n',
        f'"Time","0","1"\r\n{MS},61,62\r\n',
        '"Time","GPU 0","GPU 1"\r\n2026-11-20 16:28:34,61 °C,62 °C\r\n',
    ],
)
def test_the_title_tells_what_a_legend_leaves_out(tmp_path: Path, text: str) -> None:
    found = read(tmp_path / TITLED, text)["gpu_samples"]
    assert [(r["gpu_index"], r["gpu_uuid"], r["temp_core_c"], r["ts_ns"]) for r in found] == [
        (0, "gpu 0", 61, T0),
        (1, "gpu 1", 62, T0),
    ]


def test_the_form_for_excel(tmp_path: Path) -> None:
    found = read(tmp_path / TITLED, f'\ufeff"Time"\t"n7 GPU 0"\r\n{MS}\t61\r\n', encoding="utf-16-le")
    assert [(r["node"], r["temp_core_c"]) for r in found["gpu_samples"]] == [("n7", 61)]


@pytest.mark.parametrize(
    ("metric", "cell", "column", "value"),
    [
        ("DCGM_FI_DEV_POWER_USAGE", "512 W", "power_w", 512.0),
        ("DCGM_FI_DEV_POWER_USAGE", "1.02 kW", "power_w", 1020.0),
        ("DCGM_FI_DEV_SM_CLOCK", "1.98 GHz", "sm_clock_mhz", 1980),
        ("DCGM_FI_DEV_GPU_UTIL", "98.5%", "engine_active", 0.985),
        ("DCGM_FI_PROF_SM_ACTIVE", "45.2%", "sm_active", 0.452),
        ("DCGM_FI_PROF_SM_ACTIVE", "0.452", "sm_active", 0.452),
        ("DCGM_FI_DEV_FB_USED", "41.0 GB", "fb_used_bytes", 41_000 << 20),
        ("DCGM_FI_DEV_FB_USED", "40.0 GiB", "fb_used_bytes", 40_960 << 20),
        ("DCGM_FI_DEV_FB_USED", "512 MiB", "fb_used_bytes", 512 << 20),
        ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "1.5 MJ", "energy_mj", 1_500_000_000),
        ("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "1.2 K", "ecc_uncorrected_volatile", 1200),
        ("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", '"1,234"', "ecc_uncorrected_volatile", 1234),
    ],
)
def test_worded_values_are_read_in_their_unit(
    tmp_path: Path, metric: str, cell: str, column: str, value: float
) -> None:
    (row,) = read(tmp_path / "a.csv", f'"Time","{metric}{{gpu=""0""}}"\n{MS},{cell}\n')["gpu_samples"]
    assert row[column] == value


def test_clocks_of_the_shipped_dashboard_are_hertz(tmp_path: Path) -> None:
    name = "GPU SM Clocks-data-2026-11-20 17_30_00.csv"
    (row,) = read(tmp_path / name, f'"Time","GPU 0"\n{MS},1980000000\n')["gpu_samples"]
    assert row["sm_clock_mhz"] == 1980
    (row,) = read(tmp_path / name, f'"Time","GPU 0"\n{MS},1.98 GHz\n')["gpu_samples"]
    assert row["sm_clock_mhz"] == 1980


def test_hosts_too(tmp_path: Path) -> None:
    text = f'"Time","node_memory_MemAvailable_bytes{{instance=""n1:9100""}}"\n{MS},377 GiB\n'
    (row,) = read(tmp_path / "a.csv", text)["host_samples"]
    assert (row["node"], row["memory_available_bytes"]) == ("n1", 377 << 30)


def test_what_cannot_be_read_is_counted(tmp_path: Path) -> None:
    context = Context()
    text = f'"Time","GPU 0"\n{MS},61\nyesterday,62\n{MS + 1000},warm\n{MS + 2000},12 parsecs\n{MS + 3000},\n\n'
    found = read(tmp_path / TITLED, text, context)
    assert [row["temp_core_c"] for row in found["gpu_samples"]] == [61]
    assert context.refused == {
        "rows without a time that can be read": 1,
        "values in a form or unit that is not understood": 2,
    }


def test_worded_times_are_local_and_said(tmp_path: Path) -> None:
    context = Context(utc_offset_minutes=60)
    (row,) = read(tmp_path / TITLED, '"Time","GPU 0"\n2026-11-20 17:28:34,61\n', context)["gpu_samples"]
    assert row["ts_ns"] == T0
    assert any("browser" in warning for warning in context.warnings)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("metrics.csv", "time,step,loss\n1,2,0.5\n"),
        ("data.csv", f'"Time","GPU 0"\n{MS},61\n'),  # what was measured is told nowhere
        ("Revenue-data-2026-11-20 17_30_00.csv", f'"Time","GPU 0"\n{MS},61\n'),
        ("a.log", "Time for step 3: DCGM_FI_DEV_GPU_TEMP\n"),
        ("a.csv", "DCGM_FI_DEV_GPU_TEMP,x\n1,2\n"),
    ],
)
def test_what_is_no_panel_of_ours_is_left_alone(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert not grafana_csv.KIND.fits(Source(name, tmp_path / name))


def test_a_file_forced_to_be_one_says_why_it_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="no header"):
        list(grafana_csv.KIND.read(Source("a.csv", tmp_path / "a.csv"), Context()))
