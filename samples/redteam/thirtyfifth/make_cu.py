"""Write the data of the curves (share cu): ``python -m samples.redteam.thirtyfifth.make_cu OUT [CASE ...]``.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyfifth import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": [curves_a, curves_b]})
