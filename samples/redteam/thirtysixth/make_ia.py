"""Write t01 to t08 of the thirty-sixth set (SIMULATED): ``python -m samples.redteam.thirtysixth.make_ia OUT``."""

from samples.redteam.maker import make
from samples.redteam.thirtysixth import incidents_a

if __name__ == "__main__":
    make({"telemetry": [incidents_a]})
