"""Questions to every GPU's samples, answered in one pass: the answers of a plain GROUP BY, however rows lie."""

from __future__ import annotations

import random

import polars as pl
import pytest

from inquest.analyze.each_gpu import KEY, Question, ask
from inquest.analyze.evidence import Evidence
from inquest.bundle.store import MemoryStore

SECOND = 1_000_000_000
NODES = ("n0", "n1", "n2")
ENGINE = pl.col("engine_active")


def rows(shuffled: bool) -> list[dict[str, object]]:
    """Two GPUs and one without a name a node; equal times, a GPU with one sample, and samples without a time."""
    told: list[dict[str, object]] = []
    for node in NODES:
        for second in range(90):
            for gpu in ("GPU-b", "GPU-a", None):
                seq = len(told)
                reading = {"engine_active": seq * 37 % 101 / 100, "power_w": None if seq % 5 else float(seq % 7)}
                time = None if second == 80 else (second - second % 2) * SECOND
                told.append({"node": node, "seq": seq, "ts_ns": time, "gpu_uuid": gpu, "energy_mj": seq, **reading})
    told.append({"node": "n1", "seq": 9999, "ts_ns": 5, "gpu_uuid": "GPU-once", "engine_active": 0.5})
    if shuffled:
        random.Random(7).shuffle(told)
    return told


class Apart(MemoryStore):
    """A store that has each node in a place of its own."""

    def by_node(self, table, plan):
        return pl.concat([plan(self.scan(table).filter(pl.col("node") == node)).collect() for node in NODES])


QUESTIONS = (
    Question({"n": pl.len(), "middle": ENGINE.median(), "most": pl.col("power_w").max()}),
    Question({"n": pl.len(), "middle": ENGINE.median()}, ENGINE > 0.4),
    Question({"none": pl.len()}, ENGINE > 2),
    Question({"first": pl.col("seq").first(), "rise": pl.col("energy_mj").diff().max()}, pl.col("ts_ns").is_not_null()),
    Question({"middle": ENGINE.median(), "n": pl.len()}, None, 30 * SECOND),
)


def plainly(frame: pl.DataFrame, question: Question) -> pl.DataFrame:
    """The same by GROUP BY over sorted rows."""
    told = frame.sort(*KEY, "ts_ns", "seq")
    told = told if question.where is None else told.filter(question.where)
    by = [pl.col(name) for name in KEY]
    if question.every_ns is not None:
        told = told.filter(pl.col("ts_ns").is_not_null())
        by.append((pl.col("ts_ns") // question.every_ns).alias("window"))
    names = [*KEY, "window"][: len(by)]
    return told.group_by(by, maintain_order=True).agg(**question.aggregates).sort(names, nulls_last=True)


@pytest.mark.parametrize("store", [MemoryStore, Apart])
@pytest.mark.parametrize("shuffled", [False, True])
def test_answers_are_those_of_a_group_by(store, shuffled):
    evidence = Evidence(store.from_rows({"gpu_samples": rows(shuffled)}))
    frame = evidence.scan("gpu_samples").collect()
    for question, answer in zip(QUESTIONS, ask(evidence, *QUESTIONS), strict=True):
        assert answer.equals(plainly(frame, question)), question


def test_a_table_without_rows_has_no_answers():
    (answer,) = ask(Evidence(MemoryStore({})), QUESTIONS[0])
    assert answer.columns == [*KEY, "n", "middle", "most"]
    assert answer.is_empty()
