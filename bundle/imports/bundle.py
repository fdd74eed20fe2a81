"""Imported rows become a bundle, through the same merge as recordings: masked before they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl
import pyarrow as pa

from inquest.bundle import parquet
from inquest.bundle.imports.rows import UNKNOWN_NODE
from inquest.bundle.mask import Masker, masked_columns
from inquest.bundle.merge import merge_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from inquest.bundle.imports.reports import Imported
    from inquest.bundle.merge import MergeReport

_FOLLOWED: Final = "log_lines"
"""The table whose rows are consecutive lines, so that a secret may go on in the next row."""


def write(
    imported: Imported,
    out: Path,
    *,
    force: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
    mask: bool = True,
) -> MergeReport:
    """Write a bundle of imported rows.

    Args:
        imported: What `import_paths` gave.
        out: The file to write; it appears under its name when it is whole.
        force: Replace ``out`` when it exists.
        progress: Called with a phase, steps done and steps in all.
        mask: False to leave secrets as they are; the bundle then bears it in its name.

    Raises:
        UsageError: ``out`` exists or cannot be written.
    """
    sources = [(imported.report.capture, masked(imported, mask=mask))]
    return merge_rows(sources, out, job_id=imported.report.job_id, force=force, progress=progress, one_job=False)


def masked(imported: Imported, *, mask: bool = True) -> Iterator[tuple[str, pa.RecordBatch]]:
    """All rows as batches in ``parquet.plain_schema``, their secrets replaced unless ``mask`` is false.

    Masks have no digest: a key that two imports of the same files share would be no secret.
    """
    masker = Masker(off=not mask)
    rows, capture = imported.rows, imported.report.capture
    home = next(iter(rows.all_nodes()), UNKNOWN_NODE)
    for table in rows.tables():
        schema = parquet.plain_schema(table)
        texts = masked_columns(table)
        for frame in rows.frames(table):
            full = frame.with_columns(capture=pl.lit(capture)).select(schema.names)
            for batch in full.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches():
                columns = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)]
                lines = frame["source"].fill_null("").to_list() if table == _FOLLOWED else None
                for name in texts:
                    index = schema.get_field_index(name)
                    columns[index] = masker.column(columns[index], table, name, lines)
                yield table, pa.RecordBatch.from_arrays(columns, schema=schema)
    counted = [
        {
            "node": home,
            "capture": capture,
            "seq": seq,
            "rule": rule,
            "in_table": table,
            "in_column": column,
            "count": count,
        }
        for seq, ((rule, table, column), count) in enumerate(masker.counts().items())
    ]
    if counted:
        yield "redactions", pa.RecordBatch.from_pylist(counted, schema=parquet.plain_schema("redactions"))
