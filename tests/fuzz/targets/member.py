"""The Parquet of one table in a bundle whose digests fit, so that damage reaches the reader of rows.

The first byte chooses the table.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from inquest.bundle import container, parquet
from inquest.bundle.manifest import Member
from inquest.bundle.schema import RECORDED
from inquest.bundle.summary import Summary
from tests.bundle.forge import PROVENANCE
from tests.fuzz.targets.bundle import ROWS, read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place

_TABLES = [table.name for table in RECORDED]


def run(data: bytes, place: Place) -> object:
    return read(bundle_of(data, place.scratch))


def bundle_of(data: bytes, folder: Path) -> Path:
    """A bundle with the Parquet of ``data``."""
    table = _TABLES[data[0] % len(_TABLES)] if data else _TABLES[0]
    source, path = folder / "table", folder / "job.inquest"
    source.write_bytes(data[1:])

    def manifest(stored: tuple[container.Stored, ...]) -> bytes:
        rows = _rows_of(source)
        members = [
            Member(name=s.name, table=table, node=None, sha256=s.sha256, size=s.size, rows=rows, tool_version="0")
            for s in stored
        ]
        summary = Summary()
        if table in ROWS:
            summary.add(table, _batch(table))
        return summary.manifest("42", members, PROVENANCE).to_json()

    container.write(path, [(f"{table}.parquet", source)], manifest)
    return path


def _rows_of(source: Path) -> int:
    import pyarrow.parquet as pq

    try:
        return max(1, pq.read_metadata(source).num_rows)
    except (OSError, ValueError, pa.ArrowException):
        return 1


def _batch(table: str) -> pa.RecordBatch:
    rows = ROWS.get(table, [{"ts_ns": 5}])
    full = [{"node": "n0", "capture": "c", "boot_id": "b", "seq": i, **row} for i, row in enumerate(rows)]
    return pa.RecordBatch.from_pylist(full, schema=parquet.plain_schema(table))


def seeds() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        for number, table in enumerate(_TABLES[:40]):
            path = Path(folder) / table
            with parquet.Writer(path, table) as out:
                out.write(_batch(table))
            if path.stat().st_size < 24_000:
                yield bytes([number]) + path.read_bytes()
