"""Write the incidents t09 to t16 of the thirty-sixth set: ``python -m samples.redteam.thirtysixth.make_ib OUT``.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtysixth import incidents_b

if __name__ == "__main__":
    make({"telemetry": [incidents_b]})
