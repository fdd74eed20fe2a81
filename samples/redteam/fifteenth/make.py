"""Write the data of the fifteenth set: ``python -m samples.redteam.fifteenth.make OUT [CASE...]`` fills OUT/KIND/CASE."""

from __future__ import annotations

from samples.redteam.maker import make

from .curves import round_a as curves_a
from .telemetry import round_a as telemetry_a

if __name__ == "__main__":
    make({"curves": (curves_a,), "telemetry": (telemetry_a,)})
