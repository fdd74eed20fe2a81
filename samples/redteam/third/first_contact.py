"""What the engine made of this set at first contact, and the part of docs/calibration.md that tells of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from ..blind import first_contact
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
planned, by this author's truth a curve that fell is enough. Command: `python samples/redteam/third/score.py OUT`.
"""


def sets() -> list[dict[str, Any]]:
    """The scores by kind of evidence."""
    cases = json.loads(_FIRST.read_text())

    def row(case: dict[str, Any]) -> dict[str, Any]:
        other = {"cannot_decide": "cannot_decide", "outside_families": "outside"}
        got = other.get(case["outcome"], case["family"])
        want = got if case["result"] == "right" else case["truth"][0]
        return {
            "name": case["case"],
            "want": want,
            "got": got,
            "grade": case["result"],
            "confidence": case["confidence"],
        }

    return [
        {
            "set": f"third, {kind}",
            "kind": how,
            "seed": "",
            "engine": " ".join(dict.fromkeys(case["version"] for case in cases if case["kind"] == kind)),
            "cases": [row(case) for case in cases if case["kind"] == kind],
        }
        for kind, how in _KINDS.items()
    ]


def section() -> str:
    """The part of the page."""
    return first_contact("A third unseen set", sets(), TEXT, healthy(sets()) + AFTER.strip())
