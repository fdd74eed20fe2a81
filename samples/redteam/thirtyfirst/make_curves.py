"""Write the curves of the thirty-first set below a folder, the same bytes every time.

SIMULATED: nothing here was taken from a real job.
``python -m samples.redteam.thirtyfirst.make_curves OUT [CASE ...]``
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyfirst import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b)})
