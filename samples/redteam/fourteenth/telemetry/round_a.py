"""SIMULATED incidents of round A of the fourteenth set, as the lots say (`lot_data`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.fourteenth.lot_data import draw

from .lab import Lab
from .stages import play

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_LOTS = {lot.case: lot for lot in draw()[1]}


def _names(stem: str, first: int, count: int, digits: int = 3) -> list[str]:
    return [f"{stem}{number:0{digits}}" for number in range(first, first + count)]


def t01_3x4(place: Path, rng: Random) -> None:
    """Well, no kernel log."""
    play(Lab(place, rng, _LOTS["t01_3x4"], "2026-03-03 09:12:41", names=_names("hgx", 14, 3)))


def t02_3x2(place: Path, rng: Random) -> None:
    """Well, with validation in between; no accounting."""
    play(Lab(place, rng, _LOTS["t02_3x2"], "2026-03-05 22:40:03", names=_names("volta", 2, 3, 2)))


def t03_8x1(place: Path, rng: Random) -> None:
    """A node panics."""
    play(Lab(place, rng, _LOTS["t03_8x1"], "2026-04-11 03:51:17", names=_names("n", 101, 8, 4)))


def t04_6x4(place: Path, rng: Random) -> None:
    """Well, with memory errors that were corrected."""
    play(Lab(place, rng, _LOTS["t04_6x4"], "2026-02-17 13:05:28", names=_names("a100-", 31, 6, 2)))


def t05_3x1(place: Path, rng: Random) -> None:
    """Well; one node's metrics are not there, a neighbour is drained."""
    play(Lab(place, rng, _LOTS["t05_3x1"], "2026-05-20 17:33:50", names=_names("gpu", 7, 3, 2)), fixed=True)


def t06_2x8(place: Path, rng: Random) -> None:
    """Well by accounting and metrics; no logs."""
    play(Lab(place, rng, _LOTS["t06_2x8"], "2026-06-02 08:15:09", names=_names("ada", 40, 2)))


def t07_1x1(place: Path, rng: Random) -> None:
    """One GPU, held and idle from its start; another job's GPU is at work beside it."""
    play(Lab(place, rng, _LOTS["t07_1x1"], "2026-06-18 11:48:36", names=_names("h200-", 3, 1, 2)))


def t08_1x2(place: Path, rng: Random) -> None:
    """A save at every step; the node's kernel clock is off."""
    play(Lab(place, rng, _LOTS["t08_1x2"], "2026-01-28 19:22:55", names=_names("dgx", 5, 1, 2)))


def t09_1x2(place: Path, rng: Random) -> None:
    """A shard is not there, in the middle of training."""
    play(Lab(place, rng, _LOTS["t09_1x2"], "2026-07-07 06:30:12", names=_names("gnode", 88, 1)))


def t10_3x1(place: Path, rng: Random) -> None:
    """Memory grows until it is full."""
    play(Lab(place, rng, _LOTS["t10_3x1"], "2026-02-24 15:59:31", names=_names("v100n", 12, 3)), fixed=True)


def t11_1x8(place: Path, rng: Random) -> None:
    """Well, with validation in between; no accounting."""
    play(Lab(place, rng, _LOTS["t11_1x8"], "2026-08-13 20:01:44", names=_names("ml", 1, 1, 2)))


def t12_2x1(place: Path, rng: Random) -> None:
    """Launches block."""
    play(Lab(place, rng, _LOTS["t12_2x1"], "2026-03-30 10:10:10", names=_names("pg", 21, 2)))


def t13_2x8(place: Path, rng: Random) -> None:
    """One GPU is slow; one node's metrics are not there."""
    play(Lab(place, rng, _LOTS["t13_2x8"], "2026-09-01 14:26:39", names=_names("h100-", 60, 2)))


def t14_1x2(place: Path, rng: Random) -> None:
    """It failed, and nothing says of what."""
    play(Lab(place, rng, _LOTS["t14_1x2"], "2026-04-02 23:11:08", names=_names("c", 17, 1)))
