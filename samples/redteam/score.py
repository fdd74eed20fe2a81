"""Score the verdicts: ``python -m samples.redteam.score [--set SET] [--seed N] [--only NAME,...] [--json FILE]``.

Right is the family (or the right refusal) with the right culprits: the node, and the GPU or the rank where one is to
blame. A wrong culprit is a wrong verdict. Where the truth is "cannot decide", any decision is wrong.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inquest.analyze.engine import analyze
from inquest.bundle.errors import InputError
from inquest.bundle.imports import bundle
from inquest.bundle.imports.core import import_paths
from inquest.bundle.store import BundleStore

from .sets import NAMES, write

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.model import Verdict


@dataclass(frozen=True, slots=True)
class Graded:
    """One incident and what became of it. ``grade`` is right, abstained or wrong; ``want`` and ``got`` name families."""

    name: str
    twin: str
    want: str
    got: str
    grade: str
    confidence: float
    note: str
    headline: str
    took_s: float = 0.0


def grade(name: str, seed: int, folder: Path, which: str = "first") -> Graded:
    """Write an incident into ``folder``, read it as a user would, and compare the verdict with the truth."""
    truth = write(which, name, seed, folder)
    path = folder / f"{name}.inquest"
    begun = time.perf_counter()
    try:
        bundle.write(import_paths([str(folder / name)]), path)
    except InputError as refusal:
        want = truth["family"] or truth["outcome"]
        return Graded(name, truth["twin"], want, "cannot_decide", "abstained", 0.0, "refused", str(refusal))
    verdict, _ = analyze(BundleStore(path))
    return replace(compared(truth, verdict), took_s=round(time.perf_counter() - begun, 2))


def compared(truth: dict[str, Any], verdict: Verdict) -> Graded:
    """The verdict against the truth."""
    want, got = truth["family"] or truth["outcome"], verdict.family or verdict.outcome
    blamed = _misblamed(truth, verdict) if got == truth["family"] else ""
    right = (got == want or got in truth["also"]) and not blamed
    how = "right" if right else "abstained" if got == "cannot_decide" else "wrong"
    return Graded(truth["name"], truth["twin"], want, got, how, verdict.confidence, blamed, verdict.headline)


def _misblamed(truth: dict[str, Any], verdict: Verdict) -> str:
    """Which culprits are not the true ones; a rank names its GPU."""
    if truth["ranks"] and list(verdict.culprit_ranks) == truth["ranks"]:
        return ""
    for what, true, told in (
        ("nodes", truth["nodes"], verdict.culprit_nodes),
        ("GPUs", truth["gpus"], verdict.culprit_gpus),
    ):
        if true and set(told) != set(true):
            return f"{what} {sorted(told)} instead of {sorted(true)}"
    return ""


def summary(graded: Iterable[Graded]) -> str:
    """Right, abstained and wrong by family, and the two bars."""
    rows = list(graded)
    counts = Counter((row.want, row.grade) for row in rows)
    lines = [f"{'':18}right abstained wrong"]
    lines += [
        f"{want:18}{counts[want, 'right']:5}{counts[want, 'abstained']:10}{counts[want, 'wrong']:6}"
        for want in sorted({row.want for row in rows})
    ]
    decided = [row for row in rows if row.got != "cannot_decide"]
    decidable = [row for row in rows if row.want != "cannot_decide"]
    right = sum(row.grade == "right" for row in decided)
    answered = sum(row.got != "cannot_decide" for row in decidable)
    sure = sum(row.grade == "wrong" and row.confidence >= 0.8 for row in rows)
    lines += [
        f"right/decided {right}/{len(decided)} = {right / max(1, len(decided)):.3f}, decided of decidable"
        f" {answered}/{len(decidable)} = {answered / max(1, len(decidable)):.3f}, wrong with confidence >= 0.8: {sure}"
    ]
    return "\n".join(lines)


def main() -> None:
    """Score, and print every incident that is not right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=tuple(NAMES), default="first", dest="which")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="NAME,...")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    graded = []
    for name in arguments.only.split(",") if arguments.only else NAMES[arguments.which]:
        with tempfile.TemporaryDirectory(prefix="redteam-") as folder:
            row = grade(name, arguments.seed, Path(folder), arguments.which)
        graded.append(row)
        if row.grade != "right":
            print(
                f"{row.grade}: {name}: want {row.want}, got {row.got} ({row.confidence:.2f}) {row.note} {row.headline}"
            )
    print(summary(graded))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in graded], indent=1) + "\n")


if __name__ == "__main__":
    main()
