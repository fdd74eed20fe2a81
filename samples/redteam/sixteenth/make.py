"""Write the data of the sixteenth set: ``python -m samples.redteam.sixteenth.make OUT [CASE...]`` fills OUT/KIND/CASE."""

from __future__ import annotations

from samples.redteam.maker import make

from .curves import round_a as curves_a
from .curves import round_b as curves_b
from .telemetry import round_a as telemetry_a
from .telemetry import round_b as telemetry_b

if __name__ == "__main__":
    make({"curves": (curves_a, curves_b), "telemetry": (telemetry_a, telemetry_b)})
