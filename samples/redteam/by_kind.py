"""Sets whose first contact is kept case by case, each of a kind of evidence: their scores for docs/calibration.md."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def sets(name: str, files: Iterable[Path], kinds: Mapping[str, str]) -> list[dict[str, Any]]:
    """The scores of one set by kind of evidence; ``kinds`` tells of each whether it is real or simulated."""
    cases = [case for file in files for case in json.loads(file.read_text())]

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
            "set": f"{name}, {kind}",
            "kind": how,
            "seed": "",
            "engine": " ".join(dict.fromkeys(case["version"] for case in cases if case["kind"] == kind)),
            "cases": [row(case) for case in cases if case["kind"] == kind],
        }
        for kind, how in kinds.items()
    ]
