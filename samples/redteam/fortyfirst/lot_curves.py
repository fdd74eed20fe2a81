"""The lots of the curves of the forty-first set: rules of the twenty-fifth, forms of the twenty-sixth; seed 21101.

SIMULATED: nothing here was taken from a real job.
``python -m samples.redteam.fortyfirst.lot_curves`` prints the draws.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Final

from samples.redteam.twentyfifth.lot_curves import curves
from samples.redteam.twentysixth.lot_curves import FORMS

SEED: Final = 21101
CURVES: Final = 12


if __name__ == "__main__":
    for row in curves(SEED, CURVES, FORMS):
        print(" | ".join(str(cell) for cell in astuple(row)))
