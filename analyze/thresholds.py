"""Every threshold a verdict may rest on: one typed table, printed in the verdict where it was used.

Families read a value through ``Evidence.threshold(name)``. A number that decides and is not here is a bug.
"""

from __future__ import annotations

from typing import Final

from inquest.analyze.model import Threshold

_TABLE: Final = (
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
