"""`inquest explain`: a verdict straight from logs, without a recording."""

from __future__ import annotations

from typing import Annotated

import typer

from inquest.cli.analyze import show


def command(
    paths: Annotated[
        list[str],
        typer.Argument(metavar="PATH...", help="Log files, a directory of them, .gz/.zst too, or - for stdin."),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON instead of text.")] = False,
    exit_code: Annotated[
        int | None, typer.Option("--exit-code", min=0, max=255, help="Exit code the job ended with, if you know it.")
    ] = None,
    signal: Annotated[
        int | None, typer.Option("--signal", min=1, max=64, help="Signal that ended the job, if you know it.")
    ] = None,
) -> None:
    """Decide from logs alone what killed a run.

    Exit code: 0 healthy, 3 a failure was found, 4 cannot decide, 6 ended by a person or a planned signal.

    Example: inquest explain slurm-123.out --exit-code 1
    """
    from inquest.analyze.engine import analyze
    from inquest.bundle.logs_import import import_logs

    verdict, evidence = analyze(import_logs(paths, exit_code=exit_code, signal=signal))
    show(verdict, evidence, as_json=as_json)
    raise typer.Exit(verdict.exit_code)
