"""Write the data of this set's first incidents (SIMULATED): OUT/telemetry/CASE."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyseventh import incidents_a

if __name__ == "__main__":
    make({"telemetry": [incidents_a]})
