"""SIMULATED: fill a folder with the curves; ``python3 -m samples.redteam.thirtysixth.make_cu OUT [CASE ...]``."""

from samples.redteam.maker import make
from samples.redteam.thirtysixth import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b)})
