"""Write the incidents t01 to t08 of the thirty-first set: ``python -m samples.redteam.thirtyfirst.make_incidents_ia OUT [CASE ...]``.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyfirst import incidents_a

if __name__ == "__main__":
    make({"telemetry": (incidents_a,)})
