"""Write the data of the set: ``python -m samples.redteam.twentythird.make OUT [CASE...]`` fills OUT/KIND/CASE."""

from __future__ import annotations

from samples.redteam.maker import make

from . import curves_a, curves_b, incidents_c, incidents_d

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b), "telemetry": (incidents_c, incidents_d)})
