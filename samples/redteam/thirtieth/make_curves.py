"""Write the curves of the thirtieth set: ``python -m samples.redteam.thirtieth.make_curves OUT [CASE ...]``. SIMULATED."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtieth import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b)})
