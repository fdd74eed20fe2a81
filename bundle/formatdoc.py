"""Writes ``docs/format.md`` from the schema: run ``python -m inquest.bundle.formatdoc`` after changing it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.bundle import container, parquet
from inquest.bundle.members import OWN_MEMBER_ROWS
from inquest.bundle.schema import FACTS, FORMAT_NAME, FORMAT_VERSION, RECORDED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.bundle.schema import Column, Table

PATH: Final = Path(__file__).resolve().parent.parent / "docs" / "format.md"

_TYPES: Final = {"i64": "integer", "f64": "float", "bool": "boolean", "str": "text", "dict": "text (repeats)"}
_SCOPES: Final = {
    "node": "One member for all nodes.",
    "large": f"One member a node that has {OWN_MEMBER_ROWS:,} rows or more, one for all other nodes.",
    "fact": "Computed from the tables above on demand, never stored.",
}

_HEAD: Final = f"""# The bundle format

<!-- Written by `python -m inquest.bundle.formatdoc` from bundle/schema.py: change it there. -->

A bundle, `JOB.inquest`, is one file that holds what the nodes of one job recorded. Format `{FORMAT_NAME}`, version
{FORMAT_VERSION}. A build reads its own version and earlier ones, and says so when a bundle is newer. Tables and columns
may be added without a new version: a column that a bundle lacks reads as null.

## Container

A ZIP64 file that any ZIP tool can take apart. It is canonical: every byte outside the members follows from the names,
lengths and checksums of the members, and a file that differs in one such byte is refused.

- Members are stored, never compressed, sorted by name; data begin on a multiple of {container.ALIGNMENT} bytes (the
  local header is padded by an extra field `0xD935` of zeros), so that columns can be read in place.
- Every 32-bit size and offset is `0xFFFFFFFF`, with the value in the ZIP64 extra field; version 4.5, flag 0x0800, date
  1980-01-01, no comments, no attributes, no gaps, nothing after the end record.
- First member `mimetype` (`application/x-inquest-bundle`), then `TABLE.parquet` and `TABLE/node=NODE.parquet` (NODE
  percent-encoded), last `manifest.json`.

## Parquet members

One table each, zstd, without an Arrow schema or other metadata. Rows are sorted by node, capture, boot_id, seq, and no
two share all four. A row group holds at most {parquet.ROW_GROUP_ROWS:,} rows and about
{parquet.ROW_GROUP_BYTES >> 20} MiB of values, which bounds what a reader needs.
Text that repeats and floats are dictionary-encoded, times and sequence numbers delta-encoded, byte counts split by
byte. Only integers and text that repeats carry statistics.

## manifest.json

Canonical JSON: keys sorted, one blank of indent, ASCII, a newline at the end.

| key | meaning |
| --- | --- |
| `format`, `version` | name and integer version of the format |
| `content_digest` | SHA-256, equal for equal evidence, whoever merged it: see below |
| `schema_digest` | SHA-256 over name, type, unit and nullability of every stored column, as of the build that merged |
| `job_id`, `simulated` | the job; true when any recording was simulated |
| `nodes` | per node: its captures, collectors, clocks (offset and bound in ns), first and last time |
| `ranks`, `world_size` | ranks seen, and how many the job had; null where no process told |
| `missing_nodes`, `missing_ranks` | what belongs to the job and was not recorded |
| `redactions` | how often each rule masked something, per table and column |
| `members` | per member: name, table, node (null: all nodes), sha256, size in bytes, rows, version that wrote it |
| `provenance` | who merged, where, when, with which arguments and inputs, duplicates left out |

`content_digest` covers format, version, `schema_digest` and, for each member in order, name, table, node, rows, size
and SHA-256. `provenance` is in no digest; everything else follows from the rows, and `inquest verify` derives it again.

## Tables

Null means "not measured"; 0 means "measured, zero". All times are integers of nanoseconds. In SQL and in frames, `ts`
is `ts_ns` as a UTC timestamp.
"""


def document() -> str:
    """The whole page."""
    parts = [_HEAD]
    parts += [_table(table) for table in RECORDED]
    parts.append("## Facts\n\nTables that claims and queries can use as well, worked out from the recorded ones.\n")
    parts += [_table(table) for table in FACTS]
    return "\n".join(parts)


def _table(table: Table) -> str:
    rows = "\n".join(_row(column) for column in table.columns)
    return (
        f"### {table.name}\n\n{table.meaning}. {_SCOPES[table.scope]}\n\n"
        f"| column | type | unit | meaning | source |\n| --- | --- | --- | --- | --- |\n{rows}\n"
    )


def _row(column: Column) -> str:
    kind = _TYPES[column.type] + ("" if column.nullable else ", never null")
    digits = f", {column.digits} digits" if column.type == "f64" else ""
    unit = "" if column.unit == "1" else column.unit
    return _cells((f"`{column.name}`", kind + digits, unit, column.meaning, column.source))


def _cells(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    PATH.write_text(document())
