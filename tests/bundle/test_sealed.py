"""Sealed files: what the footer says is not decoded again, and what it does not say is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from inquest.bundle import parquet, seal, sealed

from .test_merge_properties import record

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@pytest.mark.parametrize(
    ("values", "decoded"),
    [
        ([None] * 40, False),
        ([7] * 40, False),
        ([None] * 20 + [7] * 20, True),
        ([7] * 20 + [8] * 20, True),
        ([7] * 39 + [None], True),
    ],
)
def test_columns_of_one_value_are_not_decoded(tmp_path: Path, values: list[int | None], decoded: bool) -> None:
    capture = record(tmp_path / "out", log=False)
    seal.seal_capture(capture)
    path = capture / "host_samples.0.parquet"
    rows = pq.read_table(path)
    index = rows.schema.get_field_index("swap_used_bytes")
    rows = rows.set_column(index, rows.schema.field(index), pa.array(values, pa.int64()))
    pq.write_table(rows, path, row_group_size=20)
    told = pa.Table.from_batches(sealed.read(path, "host_samples"), parquet.plain_schema("host_samples"))
    assert told.column("swap_used_bytes").to_pylist() == values
    assert told.equals(rows.cast(told.schema))
    with pq.ParquetFile(path) as file:
        groups = [file.metadata.row_group(number) for number in range(2)]
        assert ("swap_used_bytes" not in sealed._alike(groups, file.schema_arrow)) == decoded


def cores(ticks: int, per_tick: int = 4) -> pa.RecordBatch:
    """Rows of ``cpu_samples``, one a core and tick, in order."""
    count = ticks * per_tick
    given = {
        "node": ["n"] * count,
        "capture": ["c"] * count,
        "boot_id": ["b"] * count,
        "seq": list(range(count)),
        "ts_mono_ns": list(range(count)),
        "cpu": [row % per_tick for row in range(count)],
    }
    schema = parquet.plain_schema("cpu_samples")
    batch = parquet.conform("cpu_samples", pa.RecordBatch.from_pydict(given, schema=schema_of(schema, given)))
    return parquet.in_order("cpu_samples", batch)


def schema_of(schema: pa.Schema, names: Iterable[str]) -> pa.Schema:
    return pa.schema([schema.field(name) for name in names])


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 64 numbers, which end where row groups do, as those of a day of eight GPUs did."""
    monkeypatch.setattr(parquet, "BLOCK_ROWS", 64)
    monkeypatch.setattr(parquet, "_BLOCK_BITS", parquet.number(6))
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 64)


@pytest.mark.usefixtures("small_blocks")
def test_a_file_of_many_blocks_is_read_straight_through(tmp_path: Path) -> None:
    rows = cores(200)
    with parquet.Writer(tmp_path / "cpu_samples.0.parquet", "cpu_samples") as writer:
        writer.write(rows)
    file = sealed.inspect(tmp_path / "cpu_samples.0.parquet", "cpu_samples")
    assert file is not None
    assert pa.Table.from_batches(file.read(0)).equals(pa.Table.from_batches([rows]))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("repeated", [70, 130, 799])
def test_a_number_told_twice_is_found_in_every_block(tmp_path: Path, repeated: int) -> None:
    rows = cores(200).to_pylist()
    rows[repeated]["seq"] ^= 1  # its neighbour's, which lies with another core
    with parquet.Writer(tmp_path / "cpu_samples.0.parquet", "cpu_samples") as writer:
        writer.write(parquet.in_order("cpu_samples", pa.RecordBatch.from_pylist(rows, writer._schema)))
    file = sealed.inspect(tmp_path / "cpu_samples.0.parquet", "cpu_samples")
    assert file is not None
    with pytest.raises(sealed.Misstated):
        list(file.read(0))


def test_a_long_text_that_repeats_is_decoded(tmp_path: Path) -> None:
    capture = record(tmp_path / "out", log=False)
    seal.seal_capture(capture)
    path = capture / "host_samples.0.parquet"
    rows = pq.read_table(path)
    index = rows.schema.get_field_index("boot_id")
    long = pa.array(["b" * 257] * rows.num_rows)
    pq.write_table(rows.set_column(index, rows.schema.field(index), long), path)
    with pq.ParquetFile(path) as file:
        known = sealed._alike([file.metadata.row_group(0)], file.schema_arrow)
    assert "boot_id" not in known, "a stranger's megabyte, once a row, would be held in memory"
    assert "node" in known
