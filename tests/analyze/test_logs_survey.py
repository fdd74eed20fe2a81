"""The pass over all lines: nothing a parser needs is missed, and what is kept is bounded."""

from __future__ import annotations

import importlib

import polars as pl
import pytest

from inquest.analyze.logs.survey import survey
from inquest.bundle.store import MemoryStore

module = importlib.import_module("inquest.analyze.logs.survey")
ERROR = "RuntimeError: CUDA error: an illegal memory access was encountered"


def store(texts: list[str], node: str = "a") -> MemoryStore:
    """A store of lines of one source."""
    rows = [{"node": node, "capture": "c", "source": "s", "text": text, "line_bytes": len(text)} for text in texts]
    return MemoryStore.from_rows({"log_lines": rows})


def test_lines_without_a_mark_are_left_out() -> None:
    found = survey(store(["fetched shard 7", ERROR, "step 3 loss 0.5", "done"]))
    assert found.facts["text"].to_list() == [ERROR]
    assert found.progress["text"].to_list() == ["step 3 loss 0.5"]
    assert found.extents.select("source", "low", "high").rows() == [("s", 0, 3)]


def test_a_line_may_be_both() -> None:
    both = f"step 3 loss nan {ERROR}"
    found = survey(store([both]))
    assert found.facts["text"].to_list() == found.progress["text"].to_list() == [both]


def test_an_empty_store_has_nothing() -> None:
    found = survey(MemoryStore({}))
    assert found.facts.is_empty()
    assert found.progress.is_empty()
    assert found.extents.is_empty()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that a short log meets."""
    limits = {"_PART_BYTES": 4096, "_FACTS_AT_MOST": 40, "_PROGRESS_AT_MOST": 100, "_PROGRESS_AT_END": 30}
    for name, value in {**limits, "_EDGES_FROM": 50}.items():
        monkeypatch.setattr(module, name, value)


@pytest.mark.usefixtures("small")
def test_of_too_many_facts_both_ends_stay() -> None:
    found = survey(store([f"{number} {ERROR}" for number in range(500)])).facts
    numbers = [int(text.split()[0]) for text in found["text"]]
    assert numbers == [*range(20), *range(480, 500)]


@pytest.mark.usefixtures("small")
def test_of_too_much_progress_a_sample_and_the_end_stay() -> None:
    """Ranks that take turns are all in the sample."""
    found = survey(store([f"[rank {i % 8}] step {i // 8} loss 0.5" for i in range(4000)])).progress
    assert 50 < found.height <= 130
    assert found["seq"].is_sorted()
    assert set(range(3970, 4000)) <= set(found["seq"])
    older = found.filter(pl.col("seq") < 3970)
    assert {text[6] for text in older["text"]} == set("01234567")
    assert older["seq"].min() < 400 < 3500 < older["seq"].max()


@pytest.mark.usefixtures("small")
def test_parts_hold_every_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{number} {ERROR}" if number % 7 == 0 else f"quiet {number}" for number in range(700)]
    monkeypatch.setattr(module, "_FACTS_AT_MOST", 1000)
    parts = list(module._parts(store(texts)))
    assert len(parts) > 3
    assert sum(part.collect().height for part in parts) == 700
    assert survey(store(texts)).facts["seq"].to_list() == list(range(0, 700, 7))


def test_bytes_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_KEPT_BYTES", 20_000)
    monkeypatch.setattr(module, "_PROGRESS_AT_END", 2)
    found = survey(store([f"step {number} loss 0.5 {'x' * 900} {ERROR}" for number in range(300)]))
    assert found.facts["text"].str.len_bytes().sum() <= 20_000
    assert found.progress["text"].str.len_bytes().sum() <= 22_000
