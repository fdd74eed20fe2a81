"""The lots of the forty-first set's programs, by the rules of the twenty-fifth's.

``python -m samples.redteam.fortyfirst.lot_programs`` prints the draws.
"""

from __future__ import annotations

from typing import Final

from samples.redteam.twentyfifth.lot_programs import draw, show

SEED: Final = 41
NUMBERS: Final = range(1, 25)


if __name__ == "__main__":
    for number in NUMBERS:
        print(show(draw(number, SEED)))
