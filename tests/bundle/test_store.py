"""Stores: the same columns and types wherever the rows lie."""

from __future__ import annotations

import polars as pl
import pytest

from inquest.bundle.scan import frame_schema
from inquest.bundle.schema import TABLES
from inquest.bundle.store import MemoryStore


@pytest.mark.parametrize("table", [t.name for t in TABLES])
def test_every_known_table_scans_to_its_schema(table: str) -> None:
    empty = MemoryStore({}).scan(table).collect()
    assert empty.height == 0
    assert empty.schema == frame_schema(table)
    one = MemoryStore.from_rows({table: [{}]}).scan(table).collect()
    assert one.height == 1
    assert one.schema == frame_schema(table)


def test_unknown_tables_and_columns_are_refused() -> None:
    with pytest.raises(KeyError):
        MemoryStore({}).scan("no_such_table")
    with pytest.raises(KeyError, match="txt"):
        MemoryStore.from_rows({"log_lines": [{"txt": "a"}]})
    with pytest.raises(KeyError, match="txt"):
        MemoryStore({"log_lines": pl.DataFrame({"txt": ["a"]})})


def test_from_rows_fills_identity_and_numbers_rows_within_node() -> None:
    store = MemoryStore.from_rows(
        {"log_lines": [{"text": "a"}, {"node": "n1", "text": "b"}, {"text": "c", "ts_ns": 7}]}
    )
    rows = store.scan("log_lines").collect()
    assert rows["node"].to_list() == ["node0", "n1", "node0"]
    assert rows["seq"].to_list() == [0, 0, 1]
    assert rows["ts"].cast(pl.Int64).to_list() == [None, None, 7]
    assert store.info.nodes == ("n1", "node0")
    assert (store.info.start_ns, store.info.end_ns) == (7, 7)
    assert store.tables() == ("log_lines",)


def test_digest_depends_on_every_value_and_not_on_order_of_tables() -> None:
    rows = {"log_lines": [{"text": "null"}], "processes": [{"pid": 1}]}
    digest = MemoryStore.from_rows(rows).info.content_digest
    assert MemoryStore.from_rows(dict(reversed(rows.items()))).info.content_digest == digest
    changed = [
        {"log_lines": [{"text": None}], "processes": [{"pid": 1}]},
        {"log_lines": [{"text": "null"}], "processes": [{"pid": 2}]},
        {"log_lines": [{"text": "null"}]},
    ]
    assert digest not in {MemoryStore.from_rows(other).info.content_digest for other in changed}


def test_clock_bounds_come_from_the_alignment() -> None:
    store = MemoryStore.from_rows(
        {"clock_alignment": [{"node": "a", "bound_ns": 5}, {"node": "a", "bound_ns": 9}, {"node": "b"}]}
    )
    assert store.info.offline_bound_ns == {"a": 9, "b": None}
