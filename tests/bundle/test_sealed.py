"""Sealed files: what the footer says is not decoded again, and what it does not say is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from inquest.bundle import parquet, seal, sealed

from .test_merge_properties import record

if TYPE_CHECKING:
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
