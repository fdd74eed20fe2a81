"""Write the curves of the twenty-seventh set: ``python -m samples.redteam.twentyseventh.make_curves OUT [CASE...]``."""

from samples.redteam.maker import make
from samples.redteam.twentyseventh import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b)})
