"""Write the first half of the thirty-fifth set's incidents: ``python -m samples.redteam.thirtyfifth.make_ia OUT``.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyfifth import incidents_a

if __name__ == "__main__":
    make({"telemetry": [incidents_a]})
