"""`inquest doctor`: what can this node see, and what would it take to see the rest."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Final

import typer

from inquest.capture.options import DEFAULT_OUT

_COLOURS: Final = {"ok": "green", "quiet": "cyan", "missing": "yellow", "denied": "yellow", "FAILED": "red"}


def command(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where the job would be recorded.", show_default=True)
    ] = Path(DEFAULT_OUT),
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
) -> None:
    """Try the real collectors on this node for a moment, and say what works, what is missing, and how to get it.

    Run it on a compute node, as the user who will run the job: 'srun -N1 inquest doctor'. Nothing is left behind. The
    exit code is 0 when a job can be recorded, whatever is missing, and 5 when nothing can be written to DIR.

    Example: inquest doctor --out /scratch/me/inquest
    """
    from rich.console import Console
    from rich.text import Text

    from inquest.capture.collectors import COLLECTORS
    from inquest.capture.doctor import examine, lines
    from inquest.cli._progress import working

    with working("looking at this node"):
        findings = list(examine(out, COLLECTORS))
    if as_json:
        typer.echo(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
        return
    console = Console(highlight=False)
    for line in lines(findings):
        word, _, rest = line.partition(" ")
        colour = _COLOURS.get(word)
        if colour is not None:
            text = Text.assemble((word, colour), " ", rest)
        else:
            text = Text(line, style="" if line.startswith(" ") else "bold")
        console.print(text, soft_wrap=True)
