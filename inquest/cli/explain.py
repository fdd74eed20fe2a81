"""`inquest explain`: a verdict straight from files, without a recording."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from inquest.cli._progress import working
from inquest.cli.analyze import Format, show

if TYPE_CHECKING:
    from inquest.bundle.imports.reports import ImportReport

_TOLD = 4
"""Files that were not read, of which each is named."""


def command(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH...", help="Logs and other files, a directory, compressed too, or - for stdin."),
    ],
    form: Annotated[Format, typer.Option("--format", help="How to print the verdict.")] = Format.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    exit_code: Annotated[
        int | None, typer.Option("--exit-code", min=0, max=255, help="Exit code the job ended with, if you know it.")
    ] = None,
    signal: Annotated[
        int | None, typer.Option("--signal", min=1, max=64, help="Signal that ended the job, if you know it.")
    ] = None,
    utc_offset: Annotated[
        str | None,
        typer.Option("--utc-offset", metavar="+HH:MM", help="Zone of times that name none; or minutes east of UTC."),
    ] = None,
) -> None:
    """Decide from logs alone, and whatever else lies beside them, what killed a run.

    Of a folder with the log of the job that the scheduler made it wait for, that one is taken as its parent.

    Exit code: 0 healthy, 3 a failure was found, 4 cannot decide, 6 ended by a person or a planned signal.

    Example: inquest explain slurm-123.out --exit-code 1
    """
    from inquest.analyze.engine import analyze
    from inquest.bundle.imports import meta
    from inquest.bundle.logs_import import import_logs, job_waited_for

    offset = None if utc_offset is None else meta.offset(utc_offset)
    with working("reading") as tell:
        store = import_logs(paths, exit_code=exit_code, signal=signal, utc_offset_minutes=offset)
        parent = job_waited_for(store, paths)
        tell("deciding")
        verdict, evidence = analyze(store, parent=parent)
    _warn(store.report)
    show(verdict, evidence, Format.JSON if as_json else form)
    raise typer.Exit(verdict.exit_code)


def _warn(report: ImportReport) -> None:
    """Say on standard error what was not read, or not to its end, and an offset that nobody gave."""
    from inquest.bundle.imports.files import may_be_evidence
    from inquest.render.wording import one_line

    for file in report.files:
        if file.reason and (file.kind or len(report.files) == 1):
            print(f"inquest: not whole: {one_line(file.reason, 400)}", file=sys.stderr)
    left = [
        f"{file.name} ({file.reason})" for file in report.files if not file.kind and may_be_evidence(file.reason or "")
    ]
    if left and len(report.files) > 1:
        more = f" and {len(left) - _TOLD} more" if len(left) > _TOLD else ""
        print(f"inquest: not read: {one_line(', '.join(left[:_TOLD]), 600)}{more}", file=sys.stderr)
    # An empty log says that much; of another kind, what was named or gathered is there in vain.
    bare = [file for file in report.files if file.kind not in (None, "log", "meta") and not file.reason]
    nothing = [
        f"{file.name} ({'; '.join((*file.warnings, *file.refused)) or 'no rows'})"
        for file in bare
        if not sum(file.rows.values())
    ]
    if nothing:
        more = f" and {len(nothing) - _TOLD} more" if len(nothing) > _TOLD else ""
        print(f"inquest: nothing in: {one_line(', '.join(nothing[:_TOLD]), 600)}{more}", file=sys.stderr)
    if report.offset.how == "inferred":
        print(f"inquest: {one_line(report.offset.sentence, 400)}", file=sys.stderr)
