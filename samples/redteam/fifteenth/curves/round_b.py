"""Round B of the SIMULATED curves: what the lots say, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from samples.redteam.fifteenth.lot_data import curves

from .leave import leave

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_LOTS: Final = {lot.case: lot for lot in curves()}


def c19(place: Path, rng: Random) -> None:
    leave(_LOTS["c19"], rng, place)


def c20(place: Path, rng: Random) -> None:
    leave(_LOTS["c20"], rng, place)


def c21(place: Path, rng: Random) -> None:
    leave(_LOTS["c21"], rng, place)


def c22(place: Path, rng: Random) -> None:
    leave(_LOTS["c22"], rng, place)


def c23(place: Path, rng: Random) -> None:
    leave(_LOTS["c23"], rng, place)


def c24(place: Path, rng: Random) -> None:
    leave(_LOTS["c24"], rng, place)


def c25(place: Path, rng: Random) -> None:
    leave(_LOTS["c25"], rng, place)


def c26(place: Path, rng: Random) -> None:
    leave(_LOTS["c26"], rng, place)


def c27(place: Path, rng: Random) -> None:
    leave(_LOTS["c27"], rng, place)


def c28(place: Path, rng: Random) -> None:
    leave(_LOTS["c28"], rng, place)


def c29(place: Path, rng: Random) -> None:
    leave(_LOTS["c29"], rng, place)


def c30(place: Path, rng: Random) -> None:
    leave(_LOTS["c30"], rng, place)


def c31(place: Path, rng: Random) -> None:
    leave(_LOTS["c31"], rng, place)


def c32(place: Path, rng: Random) -> None:
    leave(_LOTS["c32"], rng, place)


def c33(place: Path, rng: Random) -> None:
    leave(_LOTS["c33"], rng, place)


def c34(place: Path, rng: Random) -> None:
    leave(_LOTS["c34"], rng, place)
