"""What the engine made of this set at first contact, and the part of docs/calibration.md that tells of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from .. import in_rounds

TEXT: Final = """
By two more authors who had read neither rules nor tests nor the earlier sets (`samples/redteam/fifth`); the truth was committed before
the engine saw a case, and each was judged once. Two rounds, each from a clone of the commit named: the second was written without
knowing how the first was met, and judged half an hour later, while what the first had shown was being mended. Kinds of evidence as in
the third set; healthy is what design.md calls so.
"""


def section() -> str:
    """The part of the page."""
    return in_rounds.section("A fifth unseen set", Path(__file__).parent, ("aeacffd", "0fe800e"), TEXT)
