"""The lots of t01 to t16 of the forty-first set: rules of the twenty-fifth, words of the twenty-sixth; seed 21202.

SIMULATED: nothing here was taken from a real job.
``python -m samples.redteam.fortyfirst.lot_incidents`` prints the draws.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Final

from samples.redteam.twentyfifth.lot_incidents import incidents
from samples.redteam.twentysixth.lot_incidents import WORDS

SEED: Final = 21202


if __name__ == "__main__":
    for lot in incidents(SEED, WORDS):
        print(" | ".join(str(cell) for cell in astuple(lot)))
