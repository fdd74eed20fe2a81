"""Training told as JSON: what counts, whose time a time is, and what a record of a save took."""

from __future__ import annotations

import json

import polars as pl

from inquest.bundle.logs_import import import_logs


def test_beside_a_step_the_steps_are_those_there_are_to_be(tmp_path):
    lines = [{"event": "train", "step": n, "steps": 60, "loss": 3 / n} for n in range(1, 31)]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, lines)))
    told = import_logs([tmp_path]).scan("metrics").collect()
    assert told.filter(pl.col("name") == "loss")["step"].to_list() == list(range(1, 31))
    assert told.filter(pl.col("name") == "total_steps")["value"].unique().to_list() == [60.0]


def test_a_time_without_a_zone_is_the_clusters(tmp_path):
    lines = [{"ts": f"2026-01-06T00:{n:02d}:04.000", "step": n, "loss": 3 / n} for n in range(1, 31)]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, lines)))
    times = [import_logs([tmp_path], utc_offset_minutes=by).scan("metrics").collect()["ts_ns"][0] for by in (0, 60)]
    assert times[0] - times[1] == 3600 * 10**9
    assert times[0] == 1767657664 * 10**9


def test_what_a_record_of_a_save_took_is_the_saves(tmp_path):
    lines = [
        record
        for n in range(1, 31)
        for record in (
            {"event": "train", "step": n, "loss": 3 / n, "took_s": 1.5},
            {"event": "ckpt_uploaded", "step": n, "took_s": 14.0},
        )
    ]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, lines)))
    told = import_logs([tmp_path]).scan("metrics").collect()
    assert told.group_by("name").agg(pl.col("value").mean()).sort("name").rows()[0] == ("ckpt_uploaded/took_s", 14.0)
    assert told.filter(pl.col("name") == "took_s")["value"].unique().to_list() == [1.5]
