"""`inquest demo`: the whole way, from the node directories of a job to a report and a timeline."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import typer

from inquest.bundle.errors import UsageError

DEFAULT: Final = "rank_lost"

SIMULATED: Final = {
    "B1": "cuda_oom",
    "B2": "ecc",
    "B3": "throttling",
    "C1": "rendezvous",
    "C2": "silent_freeze",
    "C3": "idle_hang",
    "D1": "starvation",
    "D2": "interconnect",
    "D3": "straggler",
    "F1": "node_down",
    "F2": "preempted",
}
"""Families that take GPUs or a cluster to record, and the fault of ``samples/simulate`` that stands for each."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A job that can be shown: recorded (``path`` holds its node directories), or to be simulated."""

    name: str
    family: str
    about: str
    path: Path | None


def root() -> Path:
    """The checkout this installation is of; a wheel has none."""
    import inquest

    return Path(inquest.__file__).resolve().parent.parent


def samples() -> list[Sample]:
    """What can be shown: recordings first, then what is simulated for families that have none."""
    folder = root() / "samples"
    found = []
    for path in sorted((folder / "recorded").glob("*/truth.json")):
        truth = json.loads(path.read_text())
        found.append(Sample(path.parent.name, truth["family"], truth["done_to_the_job"].splitlines()[0], path.parent))
    if (folder / "simulate").is_dir():
        known = {sample.family for sample in found}
        found += [
            Sample(fault, family, "simulated: written through the real writers, labelled so everywhere", None)
            for family, fault in SIMULATED.items()
            if family not in known
        ]
    return found


def command(
    which: Annotated[str | None, typer.Argument(help="A family (A1 ... G1) or the name of a sample.")] = None,
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Directory for bundle, verdict, report and timeline.")
    ] = Path("demo-out"),
    show: Annotated[bool, typer.Option("--list", help="List what can be shown and exit.")] = False,
) -> None:
    """Merge the node directories of a job, decide, and draw: ends with the paths of report and timeline.

    Recordings are of real torchrun jobs, two nodes with two ranks each, on CPUs (samples/record/). What takes GPUs or a
    cluster to record is simulated (samples/simulate/), and said to be in every view.

    Example: inquest demo A2

    Example: inquest demo B2 -o ecc-demo
    """
    import inquest.cli.analyze as analyze
    import inquest.cli.merge as merge

    known = samples()
    if not known:
        raise UsageError("No samples beside this installation; run `make demo` in a checkout of inquest.")
    if show:
        for sample in known:
            typer.echo(f"{sample.family}  {sample.name:24} {sample.about}")
        return
    wanted = which or DEFAULT
    chosen = next((s for s in known if s.name == wanted), None)
    chosen = chosen or next((s for s in known if s.family == wanted.upper()), None)
    if chosen is None:
        families = ", ".join(sorted({sample.family for sample in known}))
        raise UsageError(f"No sample of {wanted!r}; there are {families} (`inquest demo --list`).")
    target = out / chosen.name
    if target.is_dir() and (target / "job.inquest").exists():
        shutil.rmtree(target)
    target.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    nodes = _nodes(chosen, target)
    how = "recorded on a real job" if chosen.path is not None else "SIMULATED"
    typer.echo(f"{chosen.family} {chosen.name}: {len(nodes)} nodes, {how}")
    merge.command([*nodes], out=target / "job.inquest")
    with contextlib.suppress(typer.Exit):  # analyze answers with its exit code; showing a failure has not failed
        analyze.command(target / "job.inquest", out=target)
    typer.echo(f"\ndone in {time.monotonic() - began:.1f} s")


def _nodes(sample: Sample, target: Path) -> list[Path]:
    """Node directories of a sample; those of a simulated one are written first."""
    from inquest.cli._progress import working

    if sample.path is None:
        made = target / "recordings"
        shutil.rmtree(made, ignore_errors=True)  # of a demo that was interrupted
        simulate = [sys.executable, "-m", "samples.simulate", sample.name, str(made.resolve())]
        with working("simulating"):
            done = subprocess.run(simulate, cwd=root(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise UsageError(f"{sample.name} could not be simulated: {done.stderr.strip()[-300:]}")
        return sorted(path for path in made.iterdir() if path.is_dir())
    beside = (path for path in sample.path.iterdir() if not path.name.startswith("."))  # recorders called each other
    return sorted(path for path in beside if path.is_dir())
