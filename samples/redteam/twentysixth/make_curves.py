"""Write the curves of the twenty-sixth set, c01 to c12. SIMULATED.

``python -m samples.redteam.twentysixth.make_curves OUT``.
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.twentysixth import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b)})
