"""Write the curves of the thirty-seventh set. SIMULATED.

``python -m samples.redteam.thirtyseventh.make_cu OUT [CASE ...]``
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyseventh import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b)})
