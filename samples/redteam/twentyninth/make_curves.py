"""Write the curves of the twenty-ninth set: ``python -m samples.redteam.twentyninth.make_curves OUT [CASE...]``."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.twentyninth import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b)})
