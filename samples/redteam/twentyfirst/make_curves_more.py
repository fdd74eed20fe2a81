"""Write c17 to c32 of the twenty-first set.

``python -m samples.redteam.twentyfirst.make_curves_more OUT [CASE...]`` fills OUT/curves/CASE.
"""

from __future__ import annotations

from samples.redteam.maker import make

from . import curves_c, curves_d

if __name__ == "__main__":
    make({"curves": (curves_c, curves_d)})
