"""Write the curves: ``python -m samples.redteam.twentysecond.make_curves OUT [CASE...]`` fills OUT/curves/CASE."""

from __future__ import annotations

from samples.redteam.maker import make

from . import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b)})
