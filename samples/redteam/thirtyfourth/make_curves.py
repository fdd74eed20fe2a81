"""Write the curves of the thirty-fourth set: ``python -m samples.redteam.thirtyfourth.make_curves OUT [CASE...]``.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyfourth import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b)})
