"""`inquest join`: parts from media, one file again."""

from __future__ import annotations

import json
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import Annotated

import typer


def command(
    parts: Annotated[list[Path], typer.Argument(metavar="PART...", help="All parts of one file, in any order.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="JOB.inquest", help="The file to write.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the file when it exists.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was joined as JSON.")] = False,
) -> None:
    """Put the parts that 'inquest split' wrote together again; the file is proved to be the one that was cut.

    Exit code: 5 when a part is missing, damaged, misnamed or of another file; then nothing is written.

    Example: inquest join /media/usb/job.inquest.0* -o job.inquest
    """
    from inquest.bundle.parts import join
    from inquest.cli._progress import bytes_bar

    with bytes_bar("joining") as tell:
        done = join(parts, out, force=force, progress=tell)
    if as_json:
        result = {"path": str(done.path), "bytes": done.size, "sha256": done.sha256, "parts": done.parts}
        typer.echo(json.dumps(result, indent=2))
    else:
        typer.echo(f"{done.path}: {done.size:,} bytes from {done.parts} parts\nsha256 {done.sha256}")
