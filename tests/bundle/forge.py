"""Forges bundles for tests: honest ones, and ones whose manifest or Parquet lies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from inquest.bundle import container, parquet
from inquest.bundle.manifest import Manifest, Member, Provenance
from inquest.bundle.summary import Summary

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROVENANCE = Provenance(
    user="u", host="h", created="2026-11-20T00:00:00+00:00", arguments=(), sources=(), duplicates={}, tool_version="0"
)


def write_bundle(
    path: Path,
    tables: dict[str, list[dict[str, Any]]],
    *,
    spoil: Callable[[Manifest], Manifest] = lambda m: m,
    writer: Callable[[Path, str, pa.RecordBatch], None] | None = None,
) -> Path:
    """A bundle of shared members with the given rows; ``spoil`` changes its manifest, ``writer`` its Parquet."""
    sources, summary = [], Summary()
    for table, rows in sorted(tables.items()):
        full = [{"node": "n0", "capture": "c", "boot_id": "b", "seq": i, **row} for i, row in enumerate(rows)]
        batch = pa.RecordBatch.from_pylist(full, schema=parquet.plain_schema(table))
        source = path.with_name(f"{table}.source")
        if writer is not None:
            writer(source, table, batch)
        else:
            with parquet.Writer(source, table) as out:
                out.write(batch)
        summary.add(table, batch)
        sources.append((f"{table}.parquet", source))

    def manifest(stored: tuple[container.Stored, ...]) -> bytes:
        members = [
            Member(
                name=s.name,
                table=s.name.removesuffix(".parquet"),
                node=None,
                sha256=s.sha256,
                size=s.size,
                rows=len(tables[s.name.removesuffix(".parquet")]),
                tool_version="0",
            )
            for s in stored
        ]
        return spoil(summary.manifest("42", members, PROVENANCE)).to_json()

    container.write(path, sources, manifest, force=True)
    return path
