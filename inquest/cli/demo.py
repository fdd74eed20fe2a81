"""`inquest demo`: the whole way, from the node directories of a recorded job to a report and a timeline."""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from inquest.bundle.errors import UsageError

DEFAULT: Final = "rank_lost"


def recordings() -> dict[str, dict[str, Any]]:
    """Name and truth of every recording beside this installation, by name."""
    import inquest

    # A checkout keeps them in samples/recorded; the wheel does not carry them.
    folder = Path(inquest.__file__).resolve().parent.parent / "samples" / "recorded"
    return {
        path.parent.name: {**json.loads(path.read_text()), "path": path.parent}
        for path in sorted(folder.glob("*/truth.json"))
    }


def command(
    which: Annotated[str | None, typer.Argument(help="A family (A1 ... G1) or the name of a recording.")] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Directory for bundle, verdict, report and timeline.")
    ] = Path("demo-out"),
    show: Annotated[bool, typer.Option("--list", help="List the recordings and exit.")] = False,
) -> None:
    """Merge the node directories of a recorded job, decide, and draw: ends with the paths of report and timeline.

    The recordings are real: torchrun jobs of two nodes with two ranks each, on CPUs (samples/record/).

    Example: inquest demo A2
    """
    import inquest.cli.analyze as analyze
    import inquest.cli.merge as merge

    samples = recordings()
    if not samples:
        raise UsageError("No recordings beside this installation; run `make demo` in a checkout of inquest.")
    if show:
        for name, truth in samples.items():
            typer.echo(f"{truth['family']}  {name:24} {truth['done_to_the_job'].splitlines()[0]}")
        return
    wanted = which or DEFAULT
    chosen = next((n for n, truth in samples.items() if n == wanted or truth["family"] == wanted.upper()), None)
    if chosen is None:
        families = ", ".join(sorted({truth["family"] for truth in samples.values()}))
        raise UsageError(f"No recording of {wanted!r}; there are {families} (`inquest demo --list`).")
    truth = samples[chosen]
    nodes = sorted(path for path in truth["path"].iterdir() if path.is_dir())
    target = out / chosen
    if target.is_dir() and (target / "job.inquest").exists():
        shutil.rmtree(target)
    target.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    typer.echo(f"recording   {chosen}: {len(nodes)} nodes, {truth['ranks']} ranks, recorded on a real job")
    merge.command([*nodes], out=target / "job.inquest")
    with contextlib.suppress(typer.Exit):  # analyze answers with its exit code; showing a failure has not failed
        analyze.command(target / "job.inquest", out=target)
    typer.echo(f"\ndone in {time.monotonic() - began:.1f} s")
