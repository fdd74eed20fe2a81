"""Round B of the SIMULATED incidents: what the lots say, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from samples.redteam.fifteenth.lot_data import incidents

from .plots import happen

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_LOTS: Final = {lot.case: lot for lot in incidents()}


def t15(place: Path, rng: Random) -> None:
    happen(_LOTS["t15"], rng, place)


def t16(place: Path, rng: Random) -> None:
    happen(_LOTS["t16"], rng, place)


def t17(place: Path, rng: Random) -> None:
    happen(_LOTS["t17"], rng, place)


def t18(place: Path, rng: Random) -> None:
    happen(_LOTS["t18"], rng, place)


def t19(place: Path, rng: Random) -> None:
    happen(_LOTS["t19"], rng, place)


def t20(place: Path, rng: Random) -> None:
    happen(_LOTS["t20"], rng, place)


def t21(place: Path, rng: Random) -> None:
    happen(_LOTS["t21"], rng, place)


def t22(place: Path, rng: Random) -> None:
    happen(_LOTS["t22"], rng, place)


def t23(place: Path, rng: Random) -> None:
    happen(_LOTS["t23"], rng, place)


def t24(place: Path, rng: Random) -> None:
    happen(_LOTS["t24"], rng, place)


def t25(place: Path, rng: Random) -> None:
    happen(_LOTS["t25"], rng, place)


def t26(place: Path, rng: Random) -> None:
    happen(_LOTS["t26"], rng, place)


def t27(place: Path, rng: Random) -> None:
    happen(_LOTS["t27"], rng, place)


def t28(place: Path, rng: Random) -> None:
    happen(_LOTS["t28"], rng, place)
