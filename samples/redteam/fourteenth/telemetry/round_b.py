"""SIMULATED incidents of round B of the fourteenth set, as the lots say (`lot_data`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.fourteenth.lot_data import draw

from .lab import Lab
from .stages import play

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_LOTS = {lot.case: lot for lot in draw()[3]}


def _names(stem: str, first: int, count: int, digits: int = 3) -> list[str]:
    return [f"{stem}{number:0{digits}}" for number in range(first, first + count)]


def t15_2x2(place: Path, rng: Random) -> None:
    """A GPU gets too hot; no logs, an old Xid 31."""
    play(Lab(place, rng, _LOTS["t15_2x2"], "2026-07-21 12:31:44", names=_names("volta", 6, 2, 2)))


def t16_3x1(place: Path, rng: Random) -> None:
    """A node loses power; everything but the metrics is in the site's own time."""
    play(Lab(place, rng, _LOTS["t16_3x1"], "2026-10-02 21:17:26", names=_names("in-gpu", 51, 3, 2), zone=330))


def t17_1x8(place: Path, rng: Random) -> None:
    """Files are slow; a GPU of another job lies in the same answer."""
    play(Lab(place, rng, _LOTS["t17_1x8"], "2026-09-19 07:02:57", names=_names("ada", 11, 1)))


def t18_1x4(place: Path, rng: Random) -> None:
    """The GPU's own processor does not answer; the node's kernel clock is off."""
    play(Lab(place, rng, _LOTS["t18_1x4"], "2026-01-30 16:44:05", names=_names("h200-", 22, 1, 2)))


def t19_1x2(place: Path, rng: Random) -> None:
    """Well, with a GPU that is hot and keeps its clocks."""
    play(Lab(place, rng, _LOTS["t19_1x2"], "2026-02-11 09:55:13", names=_names("gpu", 30, 1)))


def t20_2x4(place: Path, rng: Random) -> None:
    """Memory grows until it is full; four metrics only."""
    play(Lab(place, rng, _LOTS["t20_2x4"], "2026-04-28 18:08:49", names=_names("a40g", 3, 2, 2)))


def t21_8x2(place: Path, rng: Random) -> None:
    """Well; four metrics only."""
    play(Lab(place, rng, _LOTS["t21_8x2"], "2026-03-17 02:20:35", names=_names("h", 201, 8)), fixed=True)


def t22_2x8(place: Path, rng: Random) -> None:
    """Memory grows until it is full; no logs say so."""
    play(Lab(place, rng, _LOTS["t22_2x8"], "2026-05-06 13:37:20", names=_names("hgx", 70, 2)))


def t23_1x2(place: Path, rng: Random) -> None:
    """Well."""
    play(Lab(place, rng, _LOTS["t23_1x2"], "2026-06-27 05:49:58", names=_names("node", 9, 1, 2)), fixed=True)


def t24_6x8(place: Path, rng: Random) -> None:
    """One request is too big; one node's metrics are not there."""
    play(Lab(place, rng, _LOTS["t24_6x8"], "2026-08-25 20:12:02", names=_names("a100-", 10, 6)))


def t25_4x8(place: Path, rng: Random) -> None:
    """The kernel kills a rank and the others wait for it."""
    play(Lab(place, rng, _LOTS["t25_4x8"], "2026-09-28 03:26:11", names=_names("l40s", 1, 4, 2)))


def t26_4x8(place: Path, rng: Random) -> None:
    """One rank has more to do; no logs."""
    play(Lab(place, rng, _LOTS["t26_4x8"], "2026-10-12 11:11:53", names=_names("p", 41, 4)))


def t27_6x8(place: Path, rng: Random) -> None:
    """One rank's host is slow."""
    play(Lab(place, rng, _LOTS["t27_6x8"], "2026-10-30 17:00:38", names=_names("x", 7, 6, 2)))


def t28_6x8(place: Path, rng: Random) -> None:
    """Well, with a GPU that is hot and keeps its clocks."""
    play(Lab(place, rng, _LOTS["t28_6x8"], "2026-11-08 23:33:07", names=_names("v", 100, 6)))
