"""Write the cases of the share `curves`."""

from samples.redteam.maker import make
from samples.redteam.twentyeighth import curves_a, curves_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b)})
