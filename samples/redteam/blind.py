"""The blind author's scores at first contact, kept as they were, and the part of docs/calibration.md that tells of them."""

from __future__ import annotations

import json
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any, Final

FIRST: Final = Path(__file__).with_name("blind_first_contact.json")

TEXT: Final = """
Sets by an author who read neither rules nor families, and wrote down what is right before the engine saw a case
(`samples/redteam/blind_*`). `blind_logs` are logs of programs that were really run on a machine without a GPU, most of them
handed over with their exit status; the others are simulated. The rows stand in the order in which the engine met them: what the
first of each set showed was being mended while the later ones were judged, so these are first contact with the mechanisms, and
the variants with other words for mended ones. Arguable truths were amended afterwards, openly, and count as amended. They are
summed with nothing above.
"""

AFTER: Final = """
What a curve in a file of its own tells was mostly not read at first contact (JSON lines, tables with odd names): most of
the abstentions of `blind_curves`. A `+` after an engine: with uncommitted changes of that hour. Commands: `python -m samples.redteam.blind_logs.score`, `python -m samples.redteam.blind_telemetry.score --seed N
[--harder]`, `python -m samples.redteam.blind_curves.score --seed N [--more]`, `python -m samples.redteam.blind_logs.wrapped`.
"""

_HEAD: Final = (
    "set",
    "kind",
    "seed",
    "engine",
    "cases",
    "right",
    "abstained",
    "wrong",
    "right/decided",
    "decided/decidable",
    "wrong >= 0.8",
)


def section() -> str:
    """The part of the page."""
    return first_contact("The blind author's sets at first contact", json.loads(FIRST.read_text()), TEXT, AFTER)


def first_contact(heading: str, sets: list[dict[str, Any]], text: str, after: str) -> str:
    """A part of the page: the scores of ``sets`` at first contact, between two paragraphs."""
    lines = [f"| {' | '.join(_HEAD)} |", f"|{' --- |' * len(_HEAD)}"]
    missed: list[str] = []
    for one in sets:
        cases = one["cases"]
        counts = Counter(case["grade"] for case in cases)
        decided = sum(case["got"] != "cannot_decide" for case in cases)
        decidable = [case for case in cases if case["want"] != "cannot_decide"]
        answered = sum(case["got"] != "cannot_decide" for case in decidable)
        right = sum(case["grade"] == "right" and case["got"] != "cannot_decide" for case in cases)
        sure = [case for case in cases if case["grade"] == "wrong" and case["confidence"] >= 0.8]
        missed += [
            f"`{case['name']}` ({case['want']} {_taken(case['want'], case['got'])}, {case['confidence']:.2f})"
            for case in sure
        ]
        cells = [
            one["set"],
            one["kind"],
            one["seed"],
            f"`{one['engine']}`",
            len(cases),
            counts["right"],
            counts["abstained"],
            counts["wrong"],
        ]
        cells += [
            f"{right}/{decided} = {right / max(1, decided):.3f}",
            f"{answered}/{len(decidable)} = {answered / max(1, len(decidable)):.3f}",
            len(sure),
        ]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    worst = f"Wrong and sure (0.8 and more): {', '.join(missed) or 'none'}."
    parts = [
        textwrap.fill(part.strip(), 120, break_on_hyphens=False, break_long_words=False)
        for part in (text, after, worst)
    ]
    return f"## {heading}\n\n{parts[0]}\n\n{chr(10).join(lines)}\n\n{parts[1]}\n\n{parts[2]}\n\n"


def _taken(want: str, got: str) -> str:
    return "with another culprit" if want == got else f"taken for {got}"
