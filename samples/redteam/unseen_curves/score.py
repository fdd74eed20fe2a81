"""Write and judge: ``python -m samples.redteam.unseen_curves.score [--seed N] [--only NAME,...] [--json FILE]``.

``--truth`` writes truth.jsonl, one line a curve, and judges nothing. A curve that no status is told of is judged alone.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

from ..judged import explained, tell
from . import fifth, fourth, grid, more, third
from .cases import CASES

if TYPE_CHECKING:
    from ..score import Graded

TRUTH = Path(__file__).parent / "truth.jsonl"


def write(name: str, seed: int, parent: Path) -> Path:
    """The curve's folder."""
    folder = parent / name
    folder.mkdir(parents=True)
    CASES[name].write(folder, random.Random(f"unseen/{name}/{seed}"))
    return folder


def judged(name: str, seed: int, keep: Path | None = None) -> Graded:
    """The verdict of ``inquest explain`` against the truth."""
    case, below = CASES[name], keep and keep / str(seed)
    return explained(name, case.right.split(), case.status, lambda parent: write(name, seed, parent), below)


def main() -> None:
    """Score, and print every curve that is not judged right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=601)
    parser.add_argument("--only", metavar="NAME,...")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the folders there")
    parser.add_argument("--slice", type=int, choices=(1, 2, 3, 4, 5, 6))
    parser.add_argument("--truth", action="store_true")
    arguments = parser.parse_args()
    if arguments.truth:
        rows = [{"name": n, "right": case.right, "why": case.why, "status": case.status} for n, case in CASES.items()]
        TRUTH.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return
    slices = {
        2: list(more.NAMES),
        3: list(third.NAMES),
        4: list(fourth.NAMES),
        5: list(fifth.NAMES),
        6: list(grid.NAMES),
    }
    slices[1] = [
        name for name in CASES if name not in (*more.NAMES, *third.NAMES, *fourth.NAMES, *fifth.NAMES, *grid.NAMES)
    ]
    names = arguments.only.split(",") if arguments.only else slices.get(arguments.slice, list(CASES))
    tell((judged(name, arguments.seed, arguments.keep) for name in names), arguments.json)


if __name__ == "__main__":
    main()
