"""Training told as JSON: what counts, whose time a time is, and what a record of a save took."""

from __future__ import annotations

import json

import polars as pl
import pytest

from inquest.analyze.metric_names import column_of
from inquest.bundle.errors import InputError
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


@pytest.mark.parametrize(
    "name", ["итерация", "반복", "回合", "stap", "Schritt", "iteração", "adım", "エポック", "轮次", "krok"]
)
@pytest.mark.parametrize(
    "loss", ["потери", "손실", "损失", "训练损失", "verlies", "Verlust", "errore", "損失値", "strata"]
)
def test_a_table_in_another_language(tmp_path, name, loss):
    """Heads of columns are read in the languages people write them in, decimal commas beside semicolons too."""
    rows = [f"{at};{2.5 / at:.4f};0,001".replace(".", ",") for at in range(1, 20)]
    (tmp_path / "curve.csv").write_text("\n".join([f"{name};{loss};lr", *rows, ""]))
    told = import_logs([tmp_path]).scan("metrics").collect().to_dicts()
    assert {column_of(row["name"]) for row in told} >= {"loss", "lr"}
    assert sorted({row["step"] if row["step"] is not None else row["epoch"] for row in told}) == list(range(1, 20))


@pytest.mark.parametrize("counter", ["i", "round", "k", "idx"])
def test_lines_counted_by_another_name(tmp_path, counter):
    """A counter need not come first, nor in each line, nor but once where workers tell the same round."""
    about = [{"kind": "env", "loss_fn": "ce"}]
    told = [{"worker": who, counter: at, "loss": 3.0 / at} for at in range(1, 12) for who in (0, 1)]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(each) + "\n" for each in (*about, *told)))
    assert {
        row["step"] for row in import_logs([tmp_path]).scan("metrics").collect().to_dicts() if row["name"] == "loss"
    } == set(range(1, 12))


def test_lines_that_number_items_count_no_steps(tmp_path):
    """Numbers that come in no order number things."""
    told = [{"text": "x", "idx": at * 7 % 40, "loss": 3.0} for at in range(1, 40)]
    (tmp_path / "m.jsonl").write_text("".join(json.dumps(each) + "\n" for each in told))
    with pytest.raises(InputError):
        import_logs([tmp_path]).scan("metrics").collect().to_dicts()
