"""What the scorers of the blind author's sets share: a verdict against its truth, and how the misses are told."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from .score import Graded, summary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_OUTSIDE: Final = {"outside_families": "outside", "cannot_decide": "-"}
_LABEL: Final = {"-": "cannot_decide"}


def verdict_of(stdout: str, stderr: str) -> dict[str, Any]:
    """What ``--json`` printed; where it refused, an abstention that says so."""
    try:
        verdict: dict[str, Any] = json.loads(stdout)
    except ValueError:
        said = f"REFUSED {stderr.strip()[-300:]}"
        return {"outcome": "cannot_decide", "family": None, "confidence": 0.0, "headline": said}
    return verdict


def against(name: str, right: Sequence[str], verdict: dict[str, Any]) -> Graded:
    """The verdict on case ``name`` against what is ``right``: families, ``outside`` or ``-``, the first one meant."""
    got = verdict["family"] or _OUTSIDE.get(verdict["outcome"], verdict["outcome"])
    how = "right" if got in right else "abstained" if got == "-" else "wrong"
    want, label = (_LABEL.get(each, each) for each in (right[0], got))
    return Graded(name, "", want, label, how, verdict["confidence"], "", verdict["headline"])


def explained(
    name: str, right: Sequence[str], status: int | None, write: Callable[[Path], Path], keep: Path | None
) -> Graded:
    """The verdict of ``inquest explain`` on the folder that ``write`` makes below ``keep``, or below one that goes."""
    with tempfile.TemporaryDirectory(prefix="curve-") as place:
        folder = write(keep or Path(place))
        told = [] if status is None else ["--exit-code", str(status)]
        done = subprocess.run(
            [sys.executable, "-m", "inquest", "explain", str(folder), "--json", *told], capture_output=True, text=True
        )
    return against(name, right, verdict_of(done.stdout, done.stderr))


def tell(judged: Iterable[Graded], file: Path | None) -> None:
    """Print every case that is not right as it comes, then the summary; write all of them to ``file``."""
    rows = []
    for row in judged:
        rows.append(row)
        if row.grade != "right":
            said = f"want {row.want}, got {row.got} ({row.confidence:.2f}) {row.note} {row.headline}"
            print(f"{row.grade}: {row.name}: {said}", flush=True)
    print(summary(rows))
    if file:
        file.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
