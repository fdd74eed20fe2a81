"""What the engine made of this set at first contact, and the part of docs/calibration.md that tells of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..blind import first_contact
from ..by_kind import but_healthy, sets
from ..unseen import healthy

_HERE: Final = Path(__file__).parent
_ROUNDS: Final = ("aeacffd", "0fe800e")
_KINDS: Final = {"telemetry": "simulated", "wrapped": "real", "curves": "simulated", "logs": "real"}

TEXT: Final = """
By two more authors who had read neither rules nor tests nor the earlier sets (`samples/redteam/fifth`); the truth was committed before
the engine saw a case, and each was judged once. Two rounds, each from a clone of the commit named: the second was written without
knowing how the first was met, and judged half an hour later, while what the first had shown was being mended. Kinds of evidence as in
the third set; healthy is what design.md calls so.
"""


def section() -> str:
    """The part of the page."""
    found = sets("fifth, round {}", sorted(_HERE.glob("first_contact_*.json")), _KINDS, _ROUNDS)
    told = [
        f"the {name} round, {but_healthy(found[at * len(_KINDS) :][: len(_KINDS)])}"
        for at, name in enumerate(("first", "second"))
    ]
    after = f"Without the healthy runs: of {'; of '.join(told)}. Commands: `samples/redteam/fifth/README.md`."
    return first_contact("A fifth unseen set", found, TEXT, healthy(found) + after)
