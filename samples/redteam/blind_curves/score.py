"""Write and judge: ``python -m samples.redteam.blind_curves.score [--seed N] [--only NAME,...] [--json FILE]``.

``--truth`` writes truth.jsonl, one line a curve, and judges nothing. A curve that no status is told of is judged alone.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING

from ..judged import explained, tell
from . import more
from .cases import CASES
from .forms import have_trackers

if TYPE_CHECKING:
    from ..score import Graded


def write(name: str, seed: int, parent: Path) -> Path:
    """The curve's folder."""
    folder = parent / name
    folder.mkdir(parents=True)
    CASES[name].write(folder, random.Random(f"{name}/{seed}"))
    return folder


def judged(name: str, seed: int, keep: Path | None = None) -> Graded:
    """The verdict of ``inquest explain`` against the truth."""
    case, below = CASES[name], keep and keep / str(seed)
    return explained(name, case.right.split(), case.status, lambda parent: write(name, seed, parent), below)


def main() -> None:
    """Score, and print every curve that is not judged right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=501)
    parser.add_argument("--only", metavar="NAME,...")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the folders there")
    parser.add_argument("--truth", action="store_true")
    parser.add_argument("--more", action="store_true", help="only those of more.py")
    arguments = parser.parse_args()
    if arguments.truth:
        rows = [
            {"name": name, "right": case.right, "why": case.why, "status": case.status} for name, case in CASES.items()
        ]
        (Path(__file__).parent / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return
    chosen = more.NAMES if arguments.more else [name for name in CASES if name not in more.NAMES]
    names = arguments.only.split(",") if arguments.only else chosen
    for name in names:
        if CASES[name].trackers and not have_trackers():
            print(f"left out: {name}: its tracker is not installed")
    there = [name for name in names if not CASES[name].trackers or have_trackers()]
    tell((judged(name, arguments.seed, arguments.keep) for name in there), arguments.json)


if __name__ == "__main__":
    main()
