"""Write the incidents t01 to t08 of the thirty-third set.

``python -m samples.redteam.thirtythird.make_incidents_ia OUT [CASE ...]`` fills OUT/telemetry/CASE.
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtythird import incidents_a

if __name__ == "__main__":
    make({"telemetry": (incidents_a,)})
