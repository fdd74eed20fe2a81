"""Write and judge: ``python -m samples.redteam.blind_telemetry.score [--seed N] [--only NAME,...] [--json FILE]``.

``--truth`` writes truth.jsonl, one line an incident, and judges nothing. A wrong culprit is a wrong verdict.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..judged import tell
from ..score import Graded, compared
from . import harder, papers, prom
from .incidents import CASES, build

BLAMED = ("B2", "B3", "C2", "C3", "D3", "F1")
TRUTH = Path(__file__).parent / "truth.jsonl"


def write(name: str, seed: int, parent: Path) -> dict[str, Any]:
    """Write the incident's folder into ``parent``; returns its truth."""
    world, truth = build(name, seed)
    folder = parent / name
    folder.mkdir(parents=True)
    if world.has["log"]:
        papers.logs(world, folder)
    if world.has["sacct"]:
        papers.sacct(world, folder)
    if world.has["dmesg"]:
        papers.kernels(world, folder)
    if world.has["telemetry"]:
        prom.write(world, folder)
    told = {"name": name, "twin": "", **asdict(truth)}
    # Amended after the first 20 verdicts: whom to look at is part of the answer where design.md asks for it, no further.
    return told if truth.family in BLAMED else told | {"nodes": [], "gpus": [], "ranks": []}


def judged(name: str, seed: int, keep: Path | None = None) -> Graded:
    """One incident, read as a user would, against its truth."""
    from inquest.analyze.engine import analyze
    from inquest.bundle.errors import InputError
    from inquest.bundle.imports import bundle
    from inquest.bundle.imports.core import import_paths
    from inquest.bundle.store import BundleStore

    with tempfile.TemporaryDirectory(prefix="blind-") as place:
        parent = keep / str(seed) if keep else Path(place)
        truth = write(name, seed, parent)
        begun = time.perf_counter()
        path = Path(place) / "incident.inquest"
        try:
            bundle.write(import_paths([str(parent / name)]), path)
        except InputError as refusal:
            return Graded(
                name,
                "",
                truth["family"] or truth["outcome"],
                "cannot_decide",
                "abstained",
                0.0,
                "refused",
                str(refusal),
            )
        verdict, _ = analyze(BundleStore(path))
    hosts = build(name, seed)[0].nodes
    short = tuple(node.split(".")[0] if node.split(".")[0] in hosts else node for node in verdict.culprit_nodes)
    verdict = replace(verdict, culprit_nodes=short)
    return replace(compared(truth, verdict), took_s=round(time.perf_counter() - begun, 2))


def main() -> None:
    """Score, and print every incident that is not right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=401)
    parser.add_argument("--only", metavar="NAME,...")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the folders there")
    parser.add_argument("--truth", action="store_true")
    parser.add_argument("--harder", action="store_true", help="only those of harder.py")
    arguments = parser.parse_args()
    if arguments.truth:
        rows = [{"name": name, **asdict(build(name, arguments.seed)[1])} for name in CASES]
        TRUTH.write_text("".join(json.dumps({k: v for k, v in row.items() if v}) + "\n" for row in rows))
        return
    chosen = harder.NAMES if arguments.harder else [name for name in CASES if name not in harder.NAMES]
    names = arguments.only.split(",") if arguments.only else chosen
    tell((judged(name, arguments.seed, arguments.keep) for name in names), arguments.json)


if __name__ == "__main__":
    main()
