"""What the engine made of this set at first contact, and the part of docs/calibration.md that tells of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ..blind import first_contact
from ..by_kind import sets
from ..unseen import healthy

_FIRST: Final = Path(__file__).with_name("first_contact.json")
_KINDS: Final = {"telemetry": "simulated", "wrapped": "real", "curves": "simulated", "logs": "real"}

TEXT: Final = """
By a fourth author, who had read neither rules nor tests nor the earlier sets (`samples/redteam/third`); the truth was committed before
the engine saw a case. Incidents as DCGM's query_range, sacct, dmesg and logs; programs that frighten or mislead, under `inquest run`
with stdout and stderr apart; curves as tables, JSON lines and logs; and what small programs of real libraries print. Each was judged
once, in the order given, while what the first had shown was being mended: the engines are those of that hour, most of them with
uncommitted changes, at a load of 45. Curves and logs were judged by their file alone, without an exit status.
"""

AFTER: Final = """
Seven of the healthy runs not decided are curves in a file of their own that tells of no end: by the contract a healthy run ended as
planned, by this author's truth a curve that fell is enough. Command: `python -m samples.redteam.score_once third OUT`.
"""


def section() -> str:
    """The part of the page."""
    found = sets("third", [_FIRST], _KINDS)
    return first_contact("A third unseen set", found, TEXT, healthy(found) + AFTER.strip())
