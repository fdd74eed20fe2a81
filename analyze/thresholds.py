"""Every threshold a verdict may rest on: one typed table, printed in the verdict where it was used.

Families read a value through ``Evidence.threshold(name)``. A number that decides and is not here is a bug.
"""

from __future__ import annotations

from typing import Final

from inquest.analyze.model import Threshold

_TABLE: Final = (
    Threshold(
        "confidence.decisive",
        0.85,
        "1",
        "ours; to be calibrated on labelled cases",
        "Weight of a store that holds a statement which can hardly be explained any other way.",
    ),
    Threshold(
        "confidence.circumstantial",
        0.45,
        "1",
        "ours; to be calibrated on labelled cases",
        "Weight of a store that only fits: alone it must stay below an even chance.",
    ),
    Threshold(
        "confidence.alone.A1",
        0.8,
        "1",
        "ours; to be calibrated on labelled cases",
        "A traceback that ended its process is the process's own testimony; a second store adds little to it.",
    ),
    Threshold(
        "confidence.alone.B1",
        0.8,
        "1",
        "ours; to be calibrated on labelled cases",
        "The allocator itself states the refused request and the memory it had.",
    ),
    Threshold(
        "confidence.per_missing_help",
        0.03,
        "1",
        "ours; to be calibrated on labelled cases",
        "Each kind of evidence that would have sharpened the answer and is absent leaves a little more room for error.",
    ),
    Threshold(
        "confidence.unordered_rival",
        0.6,
        "1",
        "ours; to be calibrated on labelled cases",
        "Cap where another unrelated finding may have come first and no clock orders the two.",
    ),
    Threshold(
        "confidence.one_store_cap",
        0.7,
        "1",
        "design.md, analyze/",
        "Two independent stores can hardly be wrong in the same way; one alone can.",
    ),
)

THRESHOLDS: Final[dict[str, Threshold]] = {row.name: row for row in _TABLE}
"""The table by name; names are ``<family or part>.<what>``, lower case."""
