"""Write the incidents t09 to t16 of the thirty-seventh set. SIMULATED: nothing in them was taken from a real job."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyseventh import incidents_b

if __name__ == "__main__":
    make({"telemetry": [incidents_b]})
