"""Clocks without a date, in logs of which another line tells the day."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from inquest.bundle.imports.core import import_paths

if TYPE_CHECKING:
    from pathlib import Path


def _times(folder: Path, *lines: str) -> list[str | None]:
    (folder / "job.log").write_text("".join(f"{line}\n" for line in lines))
    told = pl.concat(import_paths([str(folder)]).rows.frames("log_lines")).sort("seq")["ts_ns"]
    return [None if at is None else f"{at:%d %H:%M:%S.%f}"[:15] for at in told.cast(pl.Datetime("ns")).to_list()]


def test_times_of_day_count_on_from_the_line_with_a_date(tmp_path: Path) -> None:
    assert _times(
        tmp_path,
        "job 48214 on hx01, 2026-11-24T20:37:27+00:00",
        "20:37:33 epoch 0 [0/200] mse 0.29570",
        "nothing to tell",
        "[20:37:34.250] epoch 0 [20/200] mse 0.33354",
        "slurmstepd: error: *** JOB 48214 ON hx01 CANCELLED AT 2026-11-24T20:38:30 DUE TO TIME LIMIT ***",
    ) == ["24 20:37:27.000", "24 20:37:33.000", "24 20:37:33.000", "24 20:37:34.250", "24 20:38:30.000"]


def test_midnight_begins_another_day(tmp_path: Path) -> None:
    lines = ("2026-11-24 23:59:50 start", "23:59:58 step 1", "00:00:04 step 2", "00:10:04 step 3")
    assert _times(tmp_path, *lines) == ["24 23:59:50.000", "24 23:59:58.000", "25 00:00:04.000", "25 00:10:04.000"]
    lines = ("2026-11-24 23:59:50 start", "00:00:04 step 2", "00:10:04 step 3")
    assert _times(tmp_path, *lines)[1:] == ["25 00:00:04.000", "25 00:10:04.000"]


@pytest.mark.parametrize("first", ["22:37:33 step 1", "20:31:00 step 1", "21:00:01 step 1"])
def test_another_zone_or_a_time_of_something_else_tells_nothing(tmp_path: Path, first: str) -> None:
    told = _times(tmp_path, "2026-11-24 20:37:27 start", first, f"{first} more")
    assert told == ["24 20:37:27.000"] * 3


def test_without_a_date_there_is_none(tmp_path: Path) -> None:
    assert _times(tmp_path, "start", "20:37:33 step 1", "20:37:34 step 2") == [None] * 3


_ENDED = "slurmstepd: error: *** JOB 48214 ON hx01 CANCELLED AT 2026-11-24T{} DUE TO TIME LIMIT ***"
_REPORTS = ("start", "20:37:33 step 1", "20:37:43 step 2", "20:37:52 step 3", "20:38:03 step 4")


def test_the_day_may_stand_below_the_times_of_day(tmp_path: Path) -> None:
    times = _times(tmp_path, *_REPORTS, _ENDED.format("22:49:17"))
    assert times == [None, *(f"24 20:37:{s}.000" for s in (33, 43, 52)), "24 20:38:03.000", "24 22:49:17.000"]
    times = _times(tmp_path, *_REPORTS, _ENDED.format("20:38:09"))
    assert times[1] == "24 20:37:33.000"


def test_midnights_before_the_day_below_are_counted_back(tmp_path: Path) -> None:
    lines = ("22:00:00 step 1", "23:00:00 step 2", "00:00:00 step 3", "01:00:00 step 4", "02:00:00 step 5")
    times = _times(tmp_path, *lines, _ENDED.format("02:20:00"))
    assert times[0] == "23 22:00:00.000"
    assert times[-2] == "24 02:00:00.000"


@pytest.mark.parametrize("ended", ["21:38:10", "22:38:05", "19:38:09", "02:08:07"])
def test_half_hours_apart_may_be_two_zones(tmp_path: Path, ended: str) -> None:
    assert _times(tmp_path, *_REPORTS, _ENDED.format(ended))[:-1] == [None] * 5
