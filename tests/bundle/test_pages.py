"""Page headers: added up exactly as an honest footer does, refused when they are none."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inquest.bundle import pages, parquet

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("rows", [1, 1000, 50_000])
@pytest.mark.parametrize("options", [None, {"data_page_version": "2.0"}, {"write_page_checksum": True}])
def test_the_sum_is_what_the_footer_states(tmp_path: Path, rows: int, options: dict[str, Any] | None) -> None:
    choose = random.Random(1)
    batch = pa.RecordBatch.from_pylist(
        [
            {
                "node": "n0",
                "capture": "c",
                "seq": i,
                "ts_ns": i * 1000,
                "text": f"{choose.random()}" * choose.randrange(5),
                "rank": i % 3 if i % 5 else None,
            }
            for i in range(rows)
        ],
        schema=parquet.plain_schema("log_lines"),
    )
    path = tmp_path / "a"
    if options is None:
        with parquet.Writer(path, "log_lines") as writer:
            writer.write(batch)
    else:
        pq.write_table(pa.table(batch), path, compression="zstd", data_page_size=10_000, **options)
    data = memoryview(path.read_bytes())
    metadata = pq.read_metadata(path)
    for group in range(metadata.num_row_groups):
        for index in range(metadata.num_columns):
            chunk = metadata.row_group(group).column(index)
            begin = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
            total, encodings = pages.measure(data, begin, begin + chunk.total_compressed_size)
            assert total == chunk.total_uncompressed_size
            assert encodings


@given(st.binary(max_size=200))
def test_any_bytes_are_measured_or_refused(data: bytes) -> None:
    try:
        total, _ = pages.measure(memoryview(data), 0, len(data))
    except ValueError:
        return
    assert total >= 0


def test_pages_outside_the_file_are_refused() -> None:
    for begin, end in ((-1, 2), (0, 11), (5, 4)):
        with pytest.raises(ValueError, match="outside"):
            pages.measure(memoryview(bytes(10)), begin, end)
