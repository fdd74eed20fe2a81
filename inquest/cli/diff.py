"""`inquest diff`: what is new since the good run."""

from __future__ import annotations

import sys
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Final

import typer

from inquest.cli._output import form_of, write

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict

FORMATS: Final = (".html", ".json", ".txt")


def command(
    good: Annotated[Path, typer.Argument(metavar="A.inquest", help="The bundle of the good run.")],
    bad: Annotated[Path, typer.Argument(metavar="B.inquest", help="The bundle of the run in question.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write there: .html, .json or .txt."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Print every difference.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file when it exists.")] = False,
) -> None:
    """Say what is new in B since the good run A: arguments, environment, limits, nodes, messages, speed, loss, clocks.

    Differences are ordered by what matters for the verdict of B, and each carries the SQL that shows it in both
    bundles. What only one side captured is listed apart: absent is not changed. Messages are compared by template, so
    that numbers, paths and times in them make no difference.

    Exit code: 0, whether or not anything differs.

    Example: inquest diff good.inquest bad.inquest -o new-since.html
    """
    from inquest.analyze.diff import diff
    from inquest.analyze.engine import analyze
    from inquest.bundle.store import BundleStore
    from inquest.cli._progress import working
    from inquest.render import diff_view

    form = form_of(out, FORMATS, force=force)
    sides: list[tuple[str, Verdict, Evidence]] = []
    with working("reading") as tell:
        for path in (good, bad):
            tell(f"deciding about {path.name}")
            name = path.name if good.name != bad.name else str(path)
            sides.append((name, *analyze(BundleStore(path))))
        tell("comparing")
        found = diff(*sides)
        page = diff_view.to_html(found, sides[0][2], sides[1][2]) if form == ".html" else b""
    most = len(found.differences) if every else diff_view.SHOWN
    if out is not None:
        data = {".html": page, ".json": diff_view.to_json(found)}.get(form) or diff_view.to_text(found)
        write(out, data)
        print(f"{out}: {len(found.differences)} differences", file=sys.stderr)
    if as_json:
        sys.stdout.buffer.write(diff_view.to_json(found))
        sys.stdout.buffer.flush()
    elif out is None:
        from rich.console import Console

        diff_view.show(found, Console(), most)
