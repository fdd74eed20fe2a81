"""Round A of the SIMULATED curves: what the lots say, case by case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from samples.redteam.fifteenth.lot_data import curves

from .leave import leave

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_LOTS: Final = {lot.case: lot for lot in curves()}


def c01(place: Path, rng: Random) -> None:
    leave(_LOTS["c01"], rng, place)


def c02(place: Path, rng: Random) -> None:
    leave(_LOTS["c02"], rng, place)


def c03(place: Path, rng: Random) -> None:
    leave(_LOTS["c03"], rng, place)


def c04(place: Path, rng: Random) -> None:
    leave(_LOTS["c04"], rng, place)


def c05(place: Path, rng: Random) -> None:
    leave(_LOTS["c05"], rng, place)


def c06(place: Path, rng: Random) -> None:
    leave(_LOTS["c06"], rng, place)


def c07(place: Path, rng: Random) -> None:
    leave(_LOTS["c07"], rng, place)


def c08(place: Path, rng: Random) -> None:
    leave(_LOTS["c08"], rng, place)


def c09(place: Path, rng: Random) -> None:
    leave(_LOTS["c09"], rng, place)


def c10(place: Path, rng: Random) -> None:
    leave(_LOTS["c10"], rng, place)


def c11(place: Path, rng: Random) -> None:
    leave(_LOTS["c11"], rng, place)


def c12(place: Path, rng: Random) -> None:
    leave(_LOTS["c12"], rng, place)


def c13(place: Path, rng: Random) -> None:
    leave(_LOTS["c13"], rng, place)


def c14(place: Path, rng: Random) -> None:
    leave(_LOTS["c14"], rng, place)


def c15(place: Path, rng: Random) -> None:
    leave(_LOTS["c15"], rng, place)


def c16(place: Path, rng: Random) -> None:
    leave(_LOTS["c16"], rng, place)


def c17(place: Path, rng: Random) -> None:
    leave(_LOTS["c17"], rng, place)


def c18(place: Path, rng: Random) -> None:
    leave(_LOTS["c18"], rng, place)
