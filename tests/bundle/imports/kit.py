"""What tests of readers share: reads one file with one reader, and holds the rows to the schema."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source
from inquest.bundle.scan import stored_schema

if TYPE_CHECKING:
    from inquest.bundle.imports.kind import Kind

CORPORA = Path(__file__).resolve().parents[4] / "shared" / "corpora"
REFERENCE = Path(__file__).resolve().parents[4] / "shared" / "reference"


def rows_of(kind: Kind, path: Path, context: Context | None = None) -> dict[str, list[dict[str, Any]]]:
    """Rows by table. Fails where the reader does not claim the file, or a row does not fit its table."""
    source = Source(path.name, path)
    before = path.read_bytes()
    assert kind.fits(source)
    found: dict[str, list[dict[str, Any]]] = {}
    for table, rows in kind.read(source, context or Context()):
        assert table in kind.tables
        schema = stored_schema(table)
        given = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows, infer_schema_length=None)
        assert set(given.columns) <= set(schema), f"{set(given.columns) - set(schema)} is not in {table}"
        frame = given.select(pl.col(name).cast(schema[name]) for name in given.columns)
        found.setdefault(table, []).extend(frame.to_dicts())
    assert path.read_bytes() == before
    return found
