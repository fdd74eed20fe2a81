"""Write the data of the set: ``python -m samples.redteam.thirtyeighth.make OUT [CASE...]`` fills OUT/KIND/CASE."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyeighth import (
    curves_a,
    curves_b,
    curves_c,
    curves_d,
    incidents_a,
    incidents_b,
    incidents_c,
    incidents_d,
)

if __name__ == "__main__":
    make(
        {
            "curves": (curves_a, curves_b, curves_c, curves_d),
            "telemetry": (incidents_a, incidents_b, incidents_c, incidents_d),
        }
    )
