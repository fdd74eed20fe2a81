"""Sets whose first contact is kept case by case, each of a kind of evidence: their scores for docs/calibration.md."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path


def sets(
    name: str, files: Iterable[Path], kinds: Mapping[str, str], rounds: Iterable[str] = ("",)
) -> list[dict[str, Any]]:
    """The scores of one set by kind of evidence; ``kinds`` tells of each whether it is real or simulated.

    Where it was scored in ``rounds``, each by an engine of its own, these are its versions; ``name`` has a place for
    the number.
    """
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

    found = []
    for number, version in enumerate(rounds, 1):
        for kind, how in kinds.items():
            met = [case for case in cases if case["kind"] == kind and case["version"].startswith(version)]
            found.append(
                {
                    "set": f"{name.format(number)}, {kind}",
                    "kind": how,
                    "seed": "",
                    "engine": " ".join(dict.fromkeys(case["version"] for case in met)),
                    "cases": [row(case) for case in met],
                }
            )
    return found


def but_healthy(found: Iterable[Mapping[str, Any]]) -> str:
    """A sentence on all rows together, the healthy runs taken apart."""
    cases = [case for one in found for case in one["cases"] if case["want"] != "G1"]
    decidable = [case for case in cases if case["want"] != "cannot_decide"]
    decided = [case for case in cases if case["got"] != "cannot_decide"]
    answered = sum(case["got"] != "cannot_decide" for case in decidable)
    right = sum(case["grade"] == "right" for case in decided)
    return (
        f"{right} of {len(decided)} decided were right ({right / max(1, len(decided)):.1%}), {answered} of"
        f" {len(decidable)} decidable were decided ({answered / max(1, len(decidable)):.1%}),"
        f" {sum(case['grade'] == 'wrong' and case['confidence'] >= 0.8 for case in decided)} wrong at 0.8 or more"
    )
