"""Incidents whose truth is known, written out: the sets of generators with seeds, and the data of the blind sets."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .sets import NAMES, write

if TYPE_CHECKING:
    from collections.abc import Iterator

_HERE: Final = Path(__file__).parent
_BLIND: Final = (
    *("fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth"),
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twentyfirst",
    "twentysecond",
    "twentythird",
    "twentyfourth",
    "twentyfifth",
    "twentysixth",
    "twentyseventh",
    "twentyeighth",
    "twentyninth",
    "thirtieth",
    "thirtyfirst",
    "thirtysecond",
    "thirtythird",
    "thirtyfourth",
    "thirtyfifth",
    "thirtysixth",
    "thirtyseventh",
    "thirtyeighth",
    "thirtyninth",
    "fortieth",
    "fortyfirst",
)
_SEED: Final = 61
_WORDS: Final = {"cannot_decide": "-", "outside_families": "outside"}


@dataclass(frozen=True)
class Known:
    """An incident that was written: where it lies, which answers are right, who is to blame."""

    name: str
    kind: str
    place: str
    right: tuple[str, ...]
    nodes: tuple[str, ...] = field(default=())
    gpus: tuple[str, ...] = field(default=())
    status: int | None = None


def known(place: Path) -> list[Known]:
    """All of them, written below ``place`` where that has none yet."""
    told = place / "known.json"
    if not told.exists():
        place.mkdir(parents=True, exist_ok=True)
        found = [*_of_blind_sets(place), *_of_generators(place), *_of_unseen(place), *_of_curves(place)]
        told.write_text(json.dumps([asdict(one) for one in found]))
    rows = json.loads(told.read_text())
    return [Known(**{k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}) for row in rows]


def _of_generators(place: Path) -> Iterator[Known]:
    for which in ("first", "field", "hard", "sites", "more"):
        for name in NAMES[which]:
            truth = write(which, name, _SEED, place / which)
            yield _told(f"{which}/{name}", place / which / name, truth)


def _told(name: str, place: Path, truth: dict[str, object]) -> Known:
    def words(key: str) -> tuple[str, ...]:
        told = truth.get(key) or ()
        return tuple(map(str, told)) if isinstance(told, list | tuple) else ()

    answers = (str(truth["family"] or truth["outcome"]), *words("also"))
    right = tuple(_WORDS.get(each, each) for each in answers)
    return Known(name, "telemetry", str(place), right, words("nodes"), words("gpus"))


def _of_blind_sets(place: Path) -> Iterator[Known]:
    for name in _BLIND:
        subprocess.run([sys.executable, "-m", f"samples.redteam.{name}.make", str(place / name)], check=True)
        for row in map(json.loads, (_HERE / name / "truth_data.jsonl").read_text().splitlines()):
            right = tuple(_WORDS.get(each, each) for each in row["truth"])
            yield Known(f"{name}/{row['case']}", row["kind"], str(place / name / row["kind"] / row["case"]), right)


def _of_curves(place: Path) -> Iterator[Known]:
    from .unseen_curves import score

    for name, case in score.CASES.items():
        folder = score.write(name, _SEED, place / "curves")
        yield Known(f"curves/{name}", "curves", str(folder), tuple(case.right.split()), status=case.status)


def _of_unseen(place: Path) -> Iterator[Known]:
    from .unseen_telemetry import score

    for name in score.CASES:
        truth = score.write(name, _SEED, place / "unseen")
        yield _told(f"unseen/{name}", place / "unseen" / name, truth)
