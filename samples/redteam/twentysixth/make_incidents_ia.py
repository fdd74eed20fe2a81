"""Write the data of the incidents t01 to t08: ``python -m samples.redteam.twentysixth.make_incidents_ia OUT``."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.twentysixth import incidents_a

if __name__ == "__main__":
    make({"telemetry": (incidents_a,)})
