"""`inquest triage`: many bundles, and what recurs in them."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import Annotated, Final

import typer

from inquest.bundle.errors import InputError
from inquest.cli._output import form_of, write

FORMATS: Final = (".html", ".json", ".txt")


def command(
    paths: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Directories that hold bundles (at any depth), or bundles.")
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write there: .html, .json or .txt."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    timeout: Annotated[float, typer.Option(min=1, metavar="S", help="Seconds for each bundle.")] = 600,
    memory: Annotated[int, typer.Option(min=512, metavar="MIB", help="Memory a bundle may take.")] = 8192,
    force: Annotated[bool, typer.Option("--force", help="Replace the file when it exists.")] = False,
) -> None:
    """Decide about every bundle below DIR and say what recurs: nodes, GPUs, causes, and the GPU-hours they cost.

    Also told, where it was captured: time in the queue, GPU-hours scheduled against delivered, nodes whose clocks are
    below their peers' in job after job, and jobs per kWh. A node is said to stand out when it is blamed more often than
    chance would have it. One bundle is in memory at a time; those that cannot be read are named and skipped.

    Exit code: 0, or 5 when not one bundle could be read.

    Example: inquest triage /archive/2026-11/ -o november.html
    """
    from inquest.analyze.triage import Case, Skipped, triage
    from inquest.analyze.triage_read import Reader, find
    from inquest.cli._progress import counting
    from inquest.render.triage_view import show, to_html, to_json, to_text
    from inquest.render.wording import plural

    form = form_of(out, FORMATS, force=force)
    bundles = find(paths)
    if not bundles:
        raise InputError(f"No file below {paths[0]} is called *.inquest. Give a directory that holds bundles.")
    cases: list[Case] = []
    skipped: list[Skipped] = []
    with counting("reading", len(bundles)) as tell, Reader(seconds=timeout, memory_bytes=memory << 20) as reader:
        for path in bundles:
            try:
                cases.append(reader.read(path))
            except InputError as error:
                skipped.append(Skipped(str(path), str(error)))
            tell(path.name)
    found = triage(cases, skipped)
    if out is not None:
        view = {".html": to_html, ".json": to_json, ".txt": to_text}[form]
        write(out, view(found))
        jobs, left_out = plural(len(found.cases), "job"), plural(len(found.skipped), "file")
        print(f"{out}: {jobs}, {left_out} skipped", file=sys.stderr)
    if as_json:
        sys.stdout.buffer.write(to_json(found))
        sys.stdout.buffer.flush()
    elif out is None:
        from rich.console import Console

        show(found, Console())
    if not found.cases:
        raise InputError(f"Not one of {len(bundles)} files could be read: {skipped[0].why}")
