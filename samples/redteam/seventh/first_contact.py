"""What the engine made of this set at first contact, and the part of docs/calibration.md that tells of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .. import in_rounds

TEXT: Final = """
By two more authors (`samples/redteam/seventh`), who had not read docs/families.md either; the truth was committed before the engine
saw a case, and each was judged once. Two rounds, both written before either was judged, each from a clone of the commit named: what
the first had shown was being mended when the second was judged half an hour later. Kinds of evidence as in the third set; healthy is
what design.md calls so.
"""


def section() -> str:
    """The part of the page."""
    return in_rounds.section("A seventh unseen set", Path(__file__).parent, ("6243860", "e984a64"), TEXT)
