"""`inquest query`: ask a bundle a question in SQL."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    import polars as pl


class Format(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The bundle to ask.")],
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT over the tables of docs/format.md.")],
    form: Annotated[Format, typer.Option("--format", help="How to print the rows.")] = Format.TABLE,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Rows to print at most.")] = 1000,
) -> None:
    """Ask the bundle a question in SQL: one SELECT (or WITH) over its tables and the facts computed from them.

    Example: inquest query job.inquest "SELECT node, rank, text FROM log_lines WHERE text LIKE '%Error%' LIMIT 20"
    """
    import polars.selectors as cs

    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import BundleStore

    rows = Evidence(BundleStore(bundle)).sql(sql, row_limit=limit + 1)
    # As text, because Python's times have no nanoseconds.
    shown = rows.head(limit).with_columns(cs.datetime().dt.to_string("%Y-%m-%dT%H:%M:%S%.9f%:z"))
    if as_json or form is Format.JSON:
        typer.echo(_json(shown))
    elif form is Format.CSV:
        typer.echo(shown.write_csv(), nl=False)
    else:
        _print_table(shown)
    if rows.height > limit:
        print(f"inquest: only the first {limit} rows are shown: raise --limit for more", file=sys.stderr)


def _json(rows: pl.DataFrame) -> str:
    """A JSON array, one row a line; NaN and infinities become strings, as in a verdict."""
    import json

    from inquest.analyze.model import plain

    def known(value: Any) -> str:  # noqa: ANN401 - whatever SQL may give: times and durations
        return str(value)

    lines = [json.dumps(plain(row), ensure_ascii=False, default=known) for row in rows.iter_rows(named=True)]
    return "[" + ",\n ".join(lines) + "]"


def _print_table(rows: pl.DataFrame) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from inquest.render.wording import one_line

    console = Console()
    if not console.is_terminal:
        console.width = 10_000  # a pipe has no width: nothing is cut for the sake of one
    table = Table(box=box.SIMPLE)
    for name, dtype in rows.schema.items():
        table.add_column(Text(one_line(name)), justify="right" if dtype.is_numeric() else "left", overflow="fold")
    for row in rows.iter_rows():
        table.add_row(*(Text("" if value is None else one_line(str(value), 400)) for value in row))
    console.print(table)
