"""Write and judge: ``python -m samples.redteam.unseen_telemetry.score [--seed N] [--only NAME,...] [--json FILE]``.

``--truth`` writes truth.jsonl, one line an incident, and judges nothing. A wrong culprit is a wrong verdict.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..judged import tell
from . import fifth, fourth, more, papers, third
from .incidents import CASES, build

if TYPE_CHECKING:
    from ..score import Graded

TRUTH = Path(__file__).parent / "truth.jsonl"
SEED = 701


def write(name: str, seed: int, parent: Path) -> dict[str, Any]:
    """Write the incident's folder into ``parent``; returns its truth."""
    job, truth = build(name, seed)
    papers.write(job, parent / name)
    return {"name": name, "twin": "", **asdict(truth), "ranks": list(truth.ranks)}


def judged(name: str, seed: int, keep: Path | None = None) -> Graded:
    """One incident, read as a user would, against its truth."""
    from inquest.analyze.engine import analyze
    from inquest.bundle.errors import InputError
    from inquest.bundle.imports import bundle
    from inquest.bundle.imports.core import import_paths
    from inquest.bundle.store import BundleStore

    from ..score import Graded, compared

    with tempfile.TemporaryDirectory(prefix="unseen-") as place:
        parent = keep / str(seed) if keep else Path(place)
        truth = write(name, seed, parent)
        path = Path(place) / "incident.inquest"
        try:
            bundle.write(import_paths([str(parent / name)]), path)
        except InputError as refusal:
            want = truth["family"] or truth["outcome"]
            return Graded(name, "", want, "cannot_decide", "abstained", 0.0, "refused", str(refusal))
        verdict, _ = analyze(BundleStore(path))
    # Slurm calls a host by its short name, the exporter by its long one: both are right.
    hosts = {host.split(".")[0]: host for host in truth["nodes"]}
    named = tuple(hosts.get(node.split(".")[0], node) for node in verdict.culprit_nodes)
    return compared(truth, replace(verdict, culprit_nodes=named))


def main() -> None:
    """Score, and print every incident that is not right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--only", metavar="NAME,...")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the folders there")
    parser.add_argument("--slice", type=int, choices=(1, 2, 3, 4, 5))
    parser.add_argument("--truth", action="store_true")
    arguments = parser.parse_args()
    if arguments.truth:
        rows = [{"name": name, **asdict(build(name, SEED)[1])} for name in CASES]
        TRUTH.write_text("".join(json.dumps({k: v for k, v in row.items() if v}) + "\n" for row in rows))
        return
    slices = {2: list(more.NAMES), 3: list(third.NAMES), 4: list(fourth.NAMES), 5: list(fifth.NAMES)}
    slices[1] = [name for name in CASES if name not in (*more.NAMES, *third.NAMES, *fourth.NAMES, *fifth.NAMES)]
    names = arguments.only.split(",") if arguments.only else slices.get(arguments.slice, list(CASES))
    tell((judged(name, arguments.seed, arguments.keep) for name in names), arguments.json)


if __name__ == "__main__":
    main()
