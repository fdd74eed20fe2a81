"""Tables of GPU readings under names of somebody's own, and tables that only look alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

LOG = "step 1 loss 2.0\n"


def samples(folder: Path, text: str) -> pl.DataFrame:
    (folder / "train.log").write_text(LOG)
    (folder / "readings.csv").write_text(text)
    return import_logs([folder]).scan("gpu_samples").collect()


def table(header: str, *cells: str) -> str:
    return "\n".join([header, *(f"2026-11-07 08:{n:02}:00,{row}" for n, row in enumerate(cells)), ""])


def test_each_reading_goes_to_its_column(tmp_path: Path) -> None:
    read = samples(
        tmp_path,
        table("timestamp,util_pct,mem_used_mib,power_w,temp_c", "0,4,70.8,52", "93,63118,501.9,59", "0,4,70,50"),
    )
    row = read.sort("ts_ns").row(1, named=True)
    assert read.height == 3
    assert row["engine_active"] == pytest.approx(0.93)
    assert row["fb_used_bytes"] == 63118 << 20
    assert (row["power_w"], row["temp_core_c"]) == (pytest.approx(501.9), 59)


@pytest.mark.parametrize(
    ("text", "gpus"),
    [
        (table("time,gpu,gpu_util,vram_gb", "3,97,40", "2,96,39", "3,95,41"), 2),
        (table("Timestamp,GPU Util [%],GPU Memory Used (MiB)", "97,4000", "9,4000", "8,4000"), 1),
        (table("ts,gpu0_util_pct,gpu0_power_w,gpu1_util_pct,gpu1_power_w", "97,400,3,90", "9,300,2,80", "1,2,3,4"), 2),
    ],
)
def test_gpus_are_told_by_rows_or_by_columns(tmp_path: Path, text: str, gpus: int) -> None:
    assert samples(tmp_path, text)["gpu_uuid"].n_unique() == gpus


@pytest.mark.parametrize(
    "text",
    [
        table("timestamp,cpu_pct,util_pct,mem_used_mib", "7,93,400", "7,93,400", "7,93,400"),  # whose memory?
        table("timestamp,util_pct,note", "7,warm", "8,cold", "9,mild"),  # nothing else is a GPU's
        table("timestamp,gpu_util,power_w", "0.9,300", "0.8,310", "0.7,290"),  # parts of one
        table("timestamp,step,gpu_util_pct,power_w", "1,9,300", "2,8,310", "3,7,290"),  # a tracker's
        table("timestamp,util_mean_pct,power_w", "9,300", "8,310", "7,290"),  # of several at once
        "run,util_pct,mem_used_mib\na,93,400\nb,94,400\nc,95,400\n",  # no time
    ],
)
def test_what_only_looks_alike_is_left_out(tmp_path: Path, text: str) -> None:
    assert samples(tmp_path, text).is_empty()
