"""Write the data of the set: ``python -m samples.redteam.fortyfirst.make OUT [CASE...]`` fills OUT/KIND/CASE."""

from __future__ import annotations

from samples.redteam.fortyfirst import curves_a, curves_b, incidents_a, incidents_b
from samples.redteam.maker import make

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b), "telemetry": (incidents_a, incidents_b)})
