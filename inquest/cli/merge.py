"""`inquest merge`: node directories in, one bundle out."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated

import typer

from inquest.bundle.unredacted import WARNING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.bundle.merge import MergeReport
    from inquest.bundle.recovery import SegmentReport


def command(
    dirs: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Node directories, directories of them, or bundles to merge again."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="JOB.inquest", help="The bundle to write.")],
    job: Annotated[
        str | None, typer.Option("--job", metavar="ID", help="Name of the job, where recordings tell none or several.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the bundle when it exists.")] = False,
    no_mask: Annotated[
        bool, typer.Option("--no-mask", help="Leave secrets as they are; writes JOB.UNREDACTED.inquest.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was merged as JSON.")] = False,
) -> None:
    """Merge what the nodes of a job recorded into one file, which is all that has to travel.

    Order and copies of the inputs do not matter; recordings cut off by a crash are recovered; nodes and ranks that
    belong to the job and are not there are named.

    Example: inquest merge recordings/ -o job.inquest
    """
    from inquest.bundle.merge import merge
    from inquest.cli._progress import phases

    with phases("merging") as tell:
        report = merge(dirs, out, job_id=job, force=force, progress=tell, mask=not no_mask)
    if report.unmasked:
        print(f"inquest: {WARNING.format(out=report.out)}", file=sys.stderr)
    if as_json:
        typer.echo(json.dumps({**asdict(report), "out": str(report.out)}, indent=2))
    else:
        _print(report)


def _print(report: MergeReport) -> None:
    from inquest.render.wording import one_line

    rows, copies = sum(report.rows_out.values()), sum(report.duplicates.values())
    typer.echo(
        f"{report.out}: {_count(len(report.nodes), 'node')}, {_count(len(report.ranks), 'rank')}, "
        f"{_count(rows, 'row')}, {report.size:,} bytes"
    )
    typer.echo(f"digest {report.content_digest}")
    if copies:
        typer.echo(f"{_count(copies, 'duplicate')} left out ({sum(report.conflicts.values())} of them not equal)")
    for what, names in (("nodes", report.missing_nodes), ("ranks", report.missing_ranks)):
        if names:
            typer.echo(f"missing {what}: {one_line(', '.join(map(str, names)), 400)}")
    tell_incomplete(report.incomplete)


def tell_incomplete(segments: Sequence[SegmentReport]) -> None:
    """Say on stderr which files of recordings were cut off, and what was recovered of them."""
    from inquest.render.wording import one_line

    for segment in segments[:10]:
        where = one_line(f"{segment.capture}/{segment.name}", 200)
        print(f"incomplete: {where} ({segment.state}), {segment.rows} rows recovered", file=sys.stderr)
    if len(segments) > 10:
        print(f"incomplete: {len(segments) - 10} more", file=sys.stderr)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
