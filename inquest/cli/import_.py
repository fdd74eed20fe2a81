"""`inquest import`: a bundle from what exists already, without a recording."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated

import typer

from inquest.bundle.errors import UsageError
from inquest.bundle.unredacted import WARNING, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from inquest.bundle.imports.kind import Kind
    from inquest.bundle.imports.reports import FileReport, Imported
    from inquest.bundle.imports.source import Source
    from inquest.bundle.merge import MergeReport

_LISTED = 24
"""Files that are listed one by one; more are grouped by kind."""


def command(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH...", help="Files, directories, compressed too, or - for stdin."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", metavar="JOB.inquest", help="The bundle to write.")] = None,
    read_as: Annotated[
        list[str] | None,
        typer.Option("--as", metavar="KIND=PATTERN", help="Files of this name are of that kind. May be repeated."),
    ] = None,
    utc_offset: Annotated[
        str | None,
        typer.Option("--utc-offset", metavar="+HH:MM", help="Zone of times that name none; or minutes east of UTC."),
    ] = None,
    job: Annotated[
        str | None,
        typer.Option("--job", metavar="ID", help="The job. Slurm is asked about it, where it is there."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the bundle when it exists.")] = False,
    no_mask: Annotated[
        bool, typer.Option("--no-mask", help="Leave secrets as they are; writes JOB.UNREDACTED.inquest.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was imported as JSON.")] = False,
    every: Annotated[bool, typer.Option("--list", help="List every file, however many there are.")] = False,
    list_kinds: Annotated[bool, typer.Option("--list-kinds", help="Print the kinds of files that are known.")] = False,
) -> None:
    """Build a bundle from what exists already: logs, scheduler and kernel text, metrics, traces, trackers' files.

    What a file is, is told by its content, and said; files that are no evidence are left alone, and said too. Times
    without a zone are the cluster's local time. Files are never modified.

    Example: inquest import /scratch/job-123/ -o job-123.inquest --utc-offset +02:00
    """
    from inquest.bundle.imports import kinds

    if list_kinds:
        for kind in kinds():
            typer.echo(f"{kind.name:<18} {kind.title} -> {', '.join(kind.tables)}")
        return
    if out is None:
        raise UsageError("Say where to write the bundle: -o JOB.inquest")
    out = named(out, unmasked=no_mask)
    if out.exists() and not force:
        raise UsageError(f"{out} exists: choose another name, or replace it with --force")
    if not paths and job is None:
        raise UsageError("Name files or directories to import, or a job with --job.")
    imported, merged = _import(paths or [], out, read_as or [], utc_offset, job, force, mask=not no_mask)
    if merged.unmasked:
        print(f"inquest: {WARNING.format(out=merged.out)}", file=sys.stderr)
    if as_json:
        report = imported.report
        typer.echo(
            json.dumps(
                {
                    **asdict(merged),
                    "out": str(merged.out),
                    "job_id": report.job_id,
                    "utc_offset_minutes": report.offset.minutes,
                    "utc_offset_by": report.offset.how,
                    "notes": report.notes,
                    "files": [asdict(file) for file in report.files],
                },
                indent=2,
            )
        )
    else:
        _print(imported, merged, every=every)


def _import(
    paths: Sequence[str],
    out: Path,
    read_as: Sequence[str],
    utc_offset: str | None,
    job: str | None,
    force: bool,
    *,
    mask: bool,
) -> tuple[Imported, MergeReport]:
    from inquest.bundle.imports import bundle, meta
    from inquest.bundle.imports.core import import_paths
    from inquest.cli._progress import phases, working

    offset = None if utc_offset is None else meta.offset(utc_offset)
    with working("asking the scheduler"):
        asked = _ask(job, beside=bool(paths)) if job is not None else []
    with phases("importing") as tell:
        imported = import_paths(
            paths,
            overrides=read_as,
            utc_offset_minutes=offset,
            job_id=job,
            asked=asked,
            zone_here_minutes=_zone_here() if len(asked) > 1 else None,
            progress=tell,
        )
        return imported, bundle.write(imported, out, force=force, progress=tell, mask=mask)


def _zone_here() -> int | None:
    """This machine's offset from UTC in minutes; None where it is not one that the import takes."""
    from inquest.bundle.imports import zone

    offset = datetime.now().astimezone().utcoffset()
    minutes = None if offset is None else round(offset.total_seconds()) // 60
    return minutes if minutes is not None and minutes % zone.STEP == 0 else None


def _ask(job: str, *, beside: bool) -> list[tuple[Source, Kind]]:
    """What the scheduler answers about a job, with the kind of each answer.

    ``beside`` files, it is asked only where it is there and the job is one of its own.
    """
    from inquest.bundle.imports import slurm_live

    if beside and not (slurm_live.JOB.fullmatch(job) and shutil.which("sacct")):
        return []
    return slurm_live.ask(job)


def _print(imported: Imported, merged: MergeReport, *, every: bool) -> None:
    from rich.console import Console

    from inquest.render.wording import one_line

    report = imported.report
    console = Console()
    read = [file for file in report.files if file.kind]
    left = [file for file in report.files if not file.kind]
    listed = every or len(read) <= _LISTED
    console.print(_files(read, console.width) if listed else _grouped(read))
    if left:
        console.print(_left(left, every=every or len(left) <= _LISTED))
    for note in report.notes:
        typer.echo(one_line(note, 400))
    for warning, warned in _warnings(report.files).items():
        more = f" (and {len(warned) - 1:,} more)" if len(warned) > 1 else ""
        typer.echo(one_line(f"{warned[0]}{more}: {warning}", 400))
    if merged.missing_nodes:
        names = one_line(", ".join(merged.missing_nodes), 400)
        typer.echo(
            f"no file is known to be of {names}: name a file or its folder after the node, or say it in meta.json"
        )
    if merged.missing_ranks:
        typer.echo(f"missing ranks: {one_line(', '.join(map(str, merged.missing_ranks)), 400)}")
    for file in read:
        if file.reason:
            typer.echo(one_line(f"not whole: {file.reason}", 400), file=sys.stderr)
    rows = sum(merged.rows_out.values())
    typer.echo(f"{merged.out}: {rows:,} rows of {len(read):,} files, {merged.size:,} bytes")
    typer.echo(f"digest {merged.content_digest}")


def _warnings(files: Sequence[FileReport]) -> dict[str, list[str]]:
    """The files that each warning is about."""
    found: dict[str, list[str]] = {}
    for file in files:
        for warning in file.warnings:
            found.setdefault(warning.removeprefix(f"{file.name}: "), []).append(file.name)
    return found


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if name in ("rows", "files", "left out") else "left", overflow="fold")
    return table


def _short(name: str, most: int) -> str:
    """A path with its middle left out where it is too long for one line: both ends tell what it is."""
    return name if len(name) <= most else f"{name[: most // 3]}...{name[len(name) - (most - most // 3 - 3) :]}"


def _files(files: Sequence[FileReport], width: int) -> Table:
    table = _table("file", "kind", "node", "rows", "left out")
    most = max(24, width - 44)
    for file in files:
        left = sum(file.refused.values())
        why = ", ".join(sorted(file.refused))
        table.add_row(
            _text(_short(file.name, most)),
            file.kind or "",
            _text(", ".join(file.nodes[:3]) + (" ..." if len(file.nodes) > 3 else "")),
            f"{sum(file.rows.values()):,}",
            _text(f"{left:,} ({why})" if left else ""),
        )
    return table


def _grouped(files: Sequence[FileReport]) -> Table:
    table = _table("kind", "files", "nodes", "rows", "left out")
    for kind in dict.fromkeys(file.kind for file in files):
        mine = [file for file in files if file.kind == kind]
        nodes = {node for file in mine for node in file.nodes}
        left = sum(sum(file.refused.values()) for file in mine)
        rows = sum(sum(file.rows.values()) for file in mine)
        table.add_row(kind, f"{len(mine):,}", f"{len(nodes):,}", f"{rows:,}", f"{left:,}" if left else "")
    return table


def _left(files: Sequence[FileReport], *, every: bool) -> Table:
    if every:
        table = _table("not read", "why")
        for file in files:
            table.add_row(_text(file.name), _text(file.reason or ""))
        return table
    table = _table("not read because", "files", "for example")
    for reason in dict.fromkeys(file.reason for file in files):
        mine = [file for file in files if file.reason == reason]
        table.add_row(_text(reason or ""), f"{len(mine):,}", _text(mine[0].name))
    return table


def _text(text: str) -> str:
    """Foreign text for a cell: no control characters, no markup."""
    from rich.markup import escape

    from inquest.render.wording import one_line

    return escape(one_line(text, 200))
