"""What the engine made of this set at first contact, and the part of docs/calibration.md that tells of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..blind import first_contact
from ..by_kind import sets
from ..unseen import healthy

_HERE: Final = Path(__file__).parent
_KINDS: Final = {"telemetry": "simulated", "wrapped": "real", "curves": "simulated", "logs": "real"}

TEXT: Final = """
By two authors who had read neither rules nor tests nor the earlier sets (`samples/redteam/fourth`); the truth was committed before the
engine saw a case, and each was judged once, in thirds, from a clone of the commit named, while what the thirds before had shown was
being mended. Kinds of evidence as in the third set; healthy is what design.md calls so.
"""


def section() -> str:
    """The part of the page."""
    found = sets("fourth", sorted(_HERE.glob("first_contact_*.json")), _KINDS)
    after = "Commands: `samples/redteam/fourth/README.md`."
    return first_contact("A fourth unseen set", found, TEXT, healthy(found) + after)
