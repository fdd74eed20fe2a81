"""`inquest timeline`: the Perfetto trace of a run, and where in it a claim stands."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inquest.bundle.errors import InputError, UsageError
from inquest.cli._others import Baseline, Parent, opened, others

if TYPE_CHECKING:
    from inquest.analyze.model import Claim, Verdict
    from inquest.render.timeline.opening import Place


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The bundle that `inquest merge` made.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="The trace; compressed where its name ends in .gz."),
    ] = None,
    claim: Annotated[
        str | None, typer.Option("--claim", metavar="ID", help='Say where a claim stands in it, such as "A2.1".')
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file.")] = False,
    parent: Parent = None,
    baseline: Baseline = None,
) -> None:
    """Write the run as a Perfetto trace, or say on which track and when a claim stands in it.

    What is printed last follows the address of a Perfetto UI, such as the one that `inquest ui` serves: it pins the
    tracks of the verdict and of the ranks it names, and with --claim goes to its time.

    Example: inquest timeline job.inquest -o job.pftrace.gz

    Example: inquest timeline job.inquest --claim A2.1
    """
    from inquest.analyze.engine import analyze
    from inquest.bundle.store import BundleStore
    from inquest.cli._progress import working
    from inquest.render import timeline
    from inquest.render.timeline import opening

    if out is None and claim is None:
        out = Path(f"{bundle.stem}.pftrace")
    if out is not None and out.exists() and not force:
        raise UsageError(f"{out} exists. Give another name with -o, or --force to replace it.")
    held = opened(bundle, others(parent, baseline))
    with working("deciding") as tell:
        verdict, evidence = analyze(BundleStore(bundle), parent=held.get("parent"), baseline=held.get("baseline"))
        place = None if claim is None else opening.find(_named(verdict, claim), verdict, evidence)
        tell("drawing")
        data = b"" if out is None else timeline.render(verdict, evidence)
        if out is not None and out.suffix == ".gz":
            tell("compressing")
            data = gzip.compress(data, 6, mtime=0)
    if out is not None:
        try:
            out.write_bytes(data)
        except OSError as error:
            raise InputError(f"{out}: cannot write ({error.strerror}). Give a path you may write to.") from error
    fragment = opening.fragment(verdict, None if place is None else place.ts_ns)
    if as_json:
        told = {"file": None if out is None else str(out), "fragment": fragment}
        typer.echo(json.dumps(told | ({} if place is None else {"claim": _told(place)}), indent=2))
        return
    if place is not None:
        _print(place)
    if out is not None:
        typer.echo(out)
    typer.echo(f"opens on it with {fragment}")


def _named(verdict: Verdict, claim: str) -> Claim:
    for made in verdict.shows:
        if made.id == claim:
            return made
    known = ", ".join(made.id for made in verdict.shows) or "none"
    raise UsageError(f"The verdict shows no claim {claim!r}. It shows: {known}.")


def _told(place: Place) -> dict[str, object]:
    return {
        "id": place.claim,
        "track": list(place.track),
        "home": [list(home) for home in place.home],
        "ts_ns": place.ts_ns,
        "sql": place.sql,
    }


def _print(place: Place) -> None:
    from inquest.render.wording import one_line, utc

    when = "has no time: it stands at the begin" if place.ts_ns is None else f"{utc(place.ts_ns)} ({place.ts_ns} ns)"
    typer.echo(f"claim    {place.claim}")
    typer.echo(f"track    {' > '.join(place.track)}")
    for home in place.home:
        typer.echo(f"rests on {one_line(' > '.join(home))}")
    typer.echo(f"time     {when}")
    typer.echo(f"SQL      {place.sql}")
