"""`inquest query`: ask a bundle, a node directory, or many nodes at once, in SQL."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from inquest.bundle.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

DEFAULT_OUT: Final = "inquest-out"
"""Where 'inquest run' records unless it is told otherwise."""


class Format(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


def command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="[JOB.inquest|DIR] SQL",
            help="A bundle, or recordings in a directory (read in place; with --hosts this is the directory on the "
            "nodes, default inquest-out), and one SELECT over the tables of docs/format.md.",
        ),
    ],
    form: Annotated[Format, typer.Option("--format", help="How to print the rows.")] = Format.TABLE,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write there.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file when it exists.")] = False,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Rows to give at most, of each node.")] = 1000,
    timeout: Annotated[float, typer.Option(min=0.1, metavar="S", help="Seconds for the answer, of each node.")] = 300,
    memory: Annotated[int, typer.Option(min=512, metavar="MIB", help="Memory the query may take.")] = 4096,
    hosts: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Ask these nodes instead: a,b or gpu[001-064] or @FILE (one name a line)."),
    ] = None,
    via: Annotated[
        str, typer.Option(metavar="COMMAND", help="How nodes are reached: ssh, srun or pdsh, with options of its own.")
    ] = "ssh",
    remote: Annotated[
        str, typer.Option("--remote-inquest", metavar="COMMAND", help="What inquest is called on the nodes.")
    ] = "inquest",
    parallel: Annotated[int, typer.Option(min=1, metavar="N", help="Nodes asked at once.")] = 32,
    job: Annotated[
        str | None,
        typer.Option(
            metavar="ID", envvar="SLURM_JOB_ID", help="With --via srun: ask as a step of this running job of yours."
        ),
    ] = None,
) -> None:
    """Ask the evidence a question in SQL: one SELECT (or WITH) over its tables and the facts computed from them.

    With --hosts every node answers from its own recordings, also where all lie in one shared directory; the answers
    stand below each other with a column that names the node, 'outlier' names the columns in which a row is far from the
    median of all, and nodes that stay silent are named. Inquest must be installed there. Exit code 5 when no node
    answered.

    Example: inquest query job.inquest "SELECT node, rank, text FROM log_lines WHERE text LIKE '%Error%' LIMIT 20"

    Example: inquest query --hosts gpu[001-064] /var/lib/inquest "SELECT MAX(temp_core_c) AS t FROM gpu_samples"
    """
    if len(words) > 2 or (hosts is None and len(words) == 1):
        raise UsageError("give a bundle (or a directory) and one SQL statement, quoted as one word")
    where, sql = Path(words[0] if len(words) == 2 else DEFAULT_OUT), words[-1]
    form = _form(Format.JSON if as_json else form, out, force=force)
    from inquest.cli._progress import working

    if hosts is None:
        from inquest.analyze.apart import ask

        with working("asking"):
            rows = ask(where, sql, row_limit=limit + 1, seconds=timeout, memory_bytes=memory << 20)
    else:
        from inquest.cli._fleet import ask_nodes

        with working("asking the nodes"):
            rows = ask_nodes(
                hosts,
                via,
                [remote, str(where), sql],
                limit=limit,
                timeout=timeout,
                memory=memory,
                parallel=parallel,
                job=job,
            )
    _give(rows.head(limit) if hosts is None else rows, form, out)
    if hosts is None and rows.height > limit:
        print(f"inquest: only the first {limit} rows are shown: raise --limit for more", file=sys.stderr)


def _form(form: Format, out: Path | None, *, force: bool) -> Format:
    if out is None:
        if form is Format.PARQUET:
            raise UsageError("Parquet is for a file, not for a screen: name it with -o FILE")
        return form
    if out.exists() and not force:
        raise UsageError(f"{out} exists: choose another name, or replace it with --force")
    if form is not Format.TABLE:
        return form
    try:
        return Format(out.suffix.removeprefix("."))
    except ValueError:
        raise UsageError(f"{out} does not tell its format: call it .csv, .json or .parquet, or give --format") from None


def _give(rows: pl.DataFrame, form: Format, out: Path | None) -> None:
    if out is not None:
        _write(rows, form, out)
    elif form is Format.TABLE:
        _print_table(_as_text(rows))
    else:
        typer.echo(_text(rows, form), nl=form is Format.JSON)


def _write(rows: pl.DataFrame, form: Format, out: Path) -> None:
    import secrets

    staged = out.with_name(f".{out.name}.{secrets.token_hex(4)}.tmp")
    try:
        if form is Format.PARQUET:
            rows.write_parquet(staged)
        else:
            staged.write_text(_text(rows, form), encoding="utf-8")
        staged.replace(out)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        staged.unlink(missing_ok=True)


def _as_text(rows: pl.DataFrame) -> pl.DataFrame:
    """Times as text, because Python's have no nanoseconds."""
    import polars.selectors as cs

    return rows.with_columns(cs.datetime().dt.to_string("%Y-%m-%dT%H:%M:%S%.9f%:z"))


def _text(rows: pl.DataFrame, form: Format) -> str:
    shown = _as_text(rows)
    return _json(shown) if form is Format.JSON else shown.write_csv()


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
