"""Write the second half of the curves: ``python -m samples.redteam.twentysecond.make_curves_more OUT [CASE...]``."""

from __future__ import annotations

from samples.redteam.maker import make

from . import curves_c, curves_d

if __name__ == "__main__":
    make({"curves": (curves_c, curves_d)})
