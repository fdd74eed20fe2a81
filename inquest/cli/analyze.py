"""`inquest analyze`: a bundle in, a verdict and its views out."""

from __future__ import annotations

import contextlib
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inquest.bundle.errors import InputError, UsageError
from inquest.cli._others import Baseline, Parent, opened, others

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict


class Format(StrEnum):
    """How a verdict is printed; ``md`` is Markdown for a ticket."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "md"


def command(
    bundle: Annotated[
        Path, typer.Argument(metavar="JOB.inquest", help="The bundle that `inquest merge` made; or OUT, see below.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="DIR", help="Where to write; NAME-verdict here, when it is not given."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How to print the verdict.")] = Format.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files of an earlier analysis.")] = False,
    parent: Parent = None,
    baseline: Baseline = None,
    dask: Annotated[
        str | None,
        typer.Option("--dask", metavar="HOST:PORT", help="Have the workers of this Dask scheduler do the work."),
    ] = None,
    slurm: Annotated[
        int | None, typer.Option("--slurm", metavar="N", min=1, help="Have N workers do the work, as jobs of Slurm.")
    ] = None,
) -> None:
    """Decide what killed the run: verdict.json, report.html, timeline.pftrace, and the verdict on the terminal.

    Written too: verdict.txt, verdict.md for a ticket, and one-page.html, which prints on one sheet.

    With --parent it is judged whether the run went on where that one had come to; with --baseline how much slower it
    was than that good run of the same training, and where the time went.

    With --dask or --slurm, OUT may be given as 'inquest run --out' left it, on a file system that all workers see: they
    merge it and answer what is asked of it, and its rows stay there. The verdict is the same to the byte.

    Exit code: 0 healthy, 3 a failure was found, 4 cannot decide, 6 ended by a person or a planned signal.

    Example: inquest analyze job.inquest -o post-mortem/

    Example: inquest analyze /shared/recordings --slurm 8
    """
    from inquest.analyze.engine import analyze
    from inquest.cli._progress import working
    from inquest.cli._spread import store_of
    from inquest.render import VIEWS

    folder = out if out is not None else Path(f"{bundle.stem}-verdict")
    targets = {view: folder / f"{view.name}.{view.extension}" for view in VIEWS}
    taken = [path for path in targets.values() if path.exists()]
    if taken and not force:
        raise UsageError(f"{taken[0]} exists. Give another directory with -o, or --force to replace it.")
    form = Format.JSON if as_json else form
    with contextlib.ExitStack() as kept:
        with working("deciding") as tell:
            store = kept.enter_context(store_of(bundle, folder, dask, slurm, tell))
            held = opened(bundle, others(parent, baseline), store)
            tell("deciding")
            verdict, evidence = analyze(store, parent=held.get("parent"), baseline=held.get("baseline"))
            try:
                folder.mkdir(parents=True, exist_ok=True)
                for view, path in targets.items():
                    tell(f"writing {path.name}")
                    path.write_bytes(view.render(verdict, evidence))
            except OSError as error:
                raise InputError(
                    f"{folder}: cannot write ({error.strerror}). Give a directory you may write to."
                ) from error
        show(verdict, evidence, form)
    paths = "\n".join(f"{path}" for path in targets.values())
    text = form is Format.TEXT
    print(f"\n{paths}" if text else paths, file=sys.stdout if text else sys.stderr)
    raise typer.Exit(verdict.exit_code)


def show(verdict: Verdict, evidence: Evidence, form: Format) -> None:
    """Print a verdict on standard output."""
    if form is Format.TEXT:
        from rich.console import Console

        from inquest.render import terminal

        terminal.show(verdict, evidence, Console())
        return
    if form is Format.JSON:
        from inquest.render.json_view import render
    else:
        from inquest.render.markdown import render
    sys.stdout.buffer.write(render(verdict, evidence))
    sys.stdout.buffer.flush()
