"""What is written by hand is what Arrow would have written, and what is odd is left to Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle import schema, uniform
from inquest.bundle.journal import stored_schema
from inquest.bundle.row_batch import RowBatches

SCHEMA = pa.schema(
    [("seq", pa.int64()), ("i", pa.int64()), ("x", pa.float64()), ("flag", pa.bool_()), ("name", pa.string())]
)
BY_HAND = RowBatches(SCHEMA)
_ROW = st.fixed_dictionaries(
    {},
    optional={
        "name": st.none() | st.text(st.characters(codec="utf-8"), max_size=9),
        "i": st.none() | st.integers(-(1 << 63), (1 << 63) - 1),
        "flag": st.none() | st.booleans(),
        "x": st.none() | st.floats(allow_nan=False),
    },
)


def by_hand(rows: list[dict[str, Any]], seq: int = 0) -> bytes | None:
    return BY_HAND.message(rows, set().union(*rows), {}, seq)


@settings(max_examples=100, deadline=None)
@given(st.lists(_ROW, min_size=1, max_size=70), st.integers(0, 1 << 50))
def test_as_arrow_writes_it(rows: list[dict[str, Any]], seq: int) -> None:
    message = by_hand(rows, seq)
    assert message is not None
    batch = pa.ipc.read_record_batch(pa.ipc.read_message(message), SCHEMA)
    batch.validate(full=True)
    expected = pa.RecordBatch.from_pylist([{**row, "seq": seq + n} for n, row in enumerate(rows)], schema=SCHEMA)
    assert batch.equals(expected)
    arrows = expected.serialize().to_pybytes()
    assert len(message) == len(arrows)
    assert len(uniform.head(message)) == len(uniform.head(arrows))
    together = uniform.decode([message, message], SCHEMA)
    assert together is not None
    assert together.to_pylist() == 2 * expected.to_pylist()


@pytest.mark.parametrize(
    "row",
    [{"i": 1 << 63}, {"i": 1.5}, {"i": "1"}, {"x": "1"}, {"x": 10**400}, {"flag": 1}, {"name": 1}, {"name": "\udcff"}],
)
def test_what_is_odd_is_left_to_arrow(row: dict[str, Any]) -> None:
    assert by_hand([row]) is None
    assert by_hand([row, {}]) is None
    assert by_hand([{"i": 1}]) is not None


@pytest.mark.parametrize("table", [table.name for table in schema.RECORDED])
def test_every_table_can_be_written(table: str) -> None:
    stored = stored_schema(table)
    message = RowBatches(stored).message([{}, {"ts_mono_ns": 7}], {"ts_mono_ns"}, {"ts_mono_ns": 5}, 3)
    assert message is not None
    batch = pa.ipc.read_record_batch(pa.ipc.read_message(message), stored)
    assert batch.column("ts_mono_ns").to_pylist() == [5, 7]
    assert batch.column("seq").to_pylist() == [3, 4]
    assert sum(column.null_count for column in batch.columns) == 2 * (len(stored) - 2)
