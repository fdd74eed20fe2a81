"""What sure verdicts on real logs were worth at first contact, by family, and the ceilings that are put on them for it.

A family's sure verdicts (0.8 and more) get a ceiling where stating less would have been better: the share that was
right, drawn to what they stated as by ten verdicts more. Whether it would have been is cross-validated: the verdicts of
each set are held against the ceiling that the other sets give, as near copies were made by one hand. A ceiling only
lowers; ``analyze/thresholds.py`` holds those that are applied, and a test holds them to what is computed here.
"""

from __future__ import annotations

import json
import textwrap
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import samples.redteam
from benchmarks.calibration.fit import LEAST, Told, brier, cross_validated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SURE: Final = 0.8
_BETTER: Final = 0.01
"""By how much the Brier score must fall: less is chance."""
_REAL: Final = ("wrapped", "logs")
"""Kinds of the blind sets in which real processes made the evidence."""
_SETS: Final = Path(samples.redteam.__file__).parent


@dataclass(frozen=True)
class Ceiling:
    """A family's sure verdicts at first contact; ``value`` is what they may state at most, None where all may stay."""

    family: str
    count: int
    stated: float
    right: float
    brier: float
    held_out: float
    """Brier score with the ceilings of the other sets."""
    value: float | None


def ceilings(scores: dict[str, Any]) -> list[Ceiling]:
    """Of each family that has ``LEAST`` sure verdicts on real logs at first contact, by its id."""
    sure: dict[str, list[Told]] = defaultdict(list)
    for family, told in (*_batches(scores), *_sets(), *_slices()):
        if told.confidence >= SURE:
            sure[family].append(told)
    return [_ceiling(family, mine) for family, mine in sorted(sure.items()) if len(mine) >= LEAST]


def section(found: Sequence[Ceiling]) -> str:
    """The part of docs/calibration.md."""
    text = (
        f"Verdicts on real logs at first contact that stated {SURE} or more, of the batches above and of all sets below"
        f" (families with {LEAST} and more of them). A family gets a ceiling where its verdicts, each held against the"
        f" ceiling that the other sets give, come out with a Brier score that is better by {_BETTER}: the share right,"
        f" drawn to what was stated as by {LEAST} verdicts. It holds where no scheduler's record supports the verdict,"
        " as none of these had one. Ceilings are **applied** (`confidence.ceiling.*` of `analyze/thresholds.py`; a test"
        " holds the two equal). Where there is none, stating less would have been no better."
    )
    lines = [
        "## What cross-validation lowers\n",
        textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n",
        "| family | verdicts | mean stated | share right | Brier score | held out, with ceilings | ceiling |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(
            f"| {each.family} | {each.count} | {each.stated:.2f} | {each.right:.2f} | {each.brier:.3f} |"
            f" {each.held_out:.3f} | {'none' if each.value is None else f'{each.value:.2f}'} |"
            for each in found
        ),
    ]
    return "\n".join(lines) + "\n\n"


def _ceiling(family: str, told: list[Told]) -> Ceiling:
    plain, held_out = brier(told), cross_validated(told, _lowered)
    stated, right = (sum(values) / len(told) for values in zip(*((t.confidence, t.right) for t in told), strict=True))
    value = round(_worth(told), 2) if held_out < plain - _BETTER else None
    return Ceiling(family, len(told), stated, right, plain, held_out, value)


def _lowered(told: Sequence[Told]) -> Callable[[float], float]:
    worth = _worth(told)
    return lambda stated: min(stated, worth)


def _worth(told: Sequence[Told]) -> float:
    stated = sum(item.confidence for item in told) / len(told)
    return (sum(item.right for item in told) + LEAST * stated) / (len(told) + LEAST)


def _batches(scores: dict[str, Any]) -> Iterator[tuple[str, Told]]:
    for case in scores["cases"]:
        if case["source"] == "first contact" and case["answer"] != "-":
            yield case["answer"], Told(case["name"], case["confidence"], case["answer"] in case["right"])


def _sets() -> Iterator[tuple[str, Told]]:
    for path in sorted(_SETS.glob("*/first_contact*.json")):
        if path.parent.name == "unseen_logs":
            continue
        for case in json.loads(path.read_text()):
            if case["kind"] in _REAL and case["outcome"] == "decided" and case["result"] in ("right", "wrong"):
                name = f"{path.parent.name}/{case['case']}"
                yield case["family"], Told(name, case["confidence"], case["result"] == "right")


def _slices() -> Iterator[tuple[str, Told]]:
    files = (_SETS / "blind_first_contact.json", _SETS / "unseen_logs" / "first_contact.json")
    for path in files:
        for slice_ in json.loads(path.read_text()):
            for case in slice_["cases"] if slice_["kind"] == "real" else ():
                if case["got"] != "cannot_decide" and case["grade"] in ("right", "wrong"):
                    name = f"{slice_['set']}/{case['name']}"
                    yield str(case["got"]).split()[0], Told(name, case["confidence"], case["grade"] == "right")
