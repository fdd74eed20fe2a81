"""The scores of the unseen telemetry and curves at first contact, kept as they were, and what the page tells of them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

from .blind import first_contact

FIRST: Final = Path(__file__).with_name("unseen_first_contact.json")

TEXT: Final = """
Sets of another author, who had read neither rules nor families nor the earlier sets' worlds (`samples/redteam/unseen_telemetry`,
`samples/redteam/unseen_curves`), all simulated. What is right was committed before the engine saw a case. The rows stand in the
order in which the engine met them: while later slices were judged, what the first had shown was being mended. The third slice of
curves holds other wordings of what the first two showed, and frameworks that nobody had asked for; the fourth holds plain shapes
in plain forms, the fifth of both sets what lies on either side of what was missed, the sixth of curves a grid of usual
fates in usual forms. One truth was amended afterwards, openly (timers alone need not be called healthy). They are summed with
nothing above.
"""

AFTER: Final = """
A `+` after an engine: with uncommitted changes of that hour. Commands: `python -m samples.redteam.unseen_telemetry.score --seed N
[--slice 1|2|3|4|5]`, `python -m samples.redteam.unseen_curves.score --seed N [--slice 1|2|3|4|5|6]`.
"""


def healthy(sets: list[dict[str, Any]]) -> str:
    """A sentence on the healthy runs of ``sets``, which the bars take apart."""
    sound = [case for one in sets for case in one["cases"] if case["want"] == "G1"]
    counts = Counter(case["grade"] for case in sound)
    return (
        f"Of the {len(sound)} healthy runs in all rows, {counts['right']} were right, {counts['abstained']} not decided,"
        f" {counts['wrong']} taken for a failure. "
    )


def section() -> str:
    """The part of the page."""
    sets = json.loads(FIRST.read_text())
    return first_contact("Unseen telemetry and curves", sets, TEXT, healthy(sets) + AFTER.strip())
