"""Round A of the SIMULATED incidents: what the lots say, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from samples.redteam.fifteenth.lot_data import incidents

from .plots import happen

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_LOTS: Final = {lot.case: lot for lot in incidents()}


def t01(place: Path, rng: Random) -> None:
    happen(_LOTS["t01"], rng, place)


def t02(place: Path, rng: Random) -> None:
    happen(_LOTS["t02"], rng, place)


def t03(place: Path, rng: Random) -> None:
    happen(_LOTS["t03"], rng, place)


def t04(place: Path, rng: Random) -> None:
    happen(_LOTS["t04"], rng, place)


def t05(place: Path, rng: Random) -> None:
    happen(_LOTS["t05"], rng, place)


def t06(place: Path, rng: Random) -> None:
    happen(_LOTS["t06"], rng, place)


def t07(place: Path, rng: Random) -> None:
    happen(_LOTS["t07"], rng, place)


def t08(place: Path, rng: Random) -> None:
    happen(_LOTS["t08"], rng, place)


def t09(place: Path, rng: Random) -> None:
    happen(_LOTS["t09"], rng, place)


def t10(place: Path, rng: Random) -> None:
    happen(_LOTS["t10"], rng, place)


def t11(place: Path, rng: Random) -> None:
    happen(_LOTS["t11"], rng, place)


def t12(place: Path, rng: Random) -> None:
    happen(_LOTS["t12"], rng, place)


def t13(place: Path, rng: Random) -> None:
    happen(_LOTS["t13"], rng, place)


def t14(place: Path, rng: Random) -> None:
    happen(_LOTS["t14"], rng, place)
