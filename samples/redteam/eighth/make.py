"""Write the data of the eighth set: ``python -m samples.redteam.eighth.make OUT [CASE...]`` fills OUT/KIND/CASE."""

from __future__ import annotations

from samples.redteam.seventh import make

from .curves import round_a as curves_a
from .telemetry import round_a as telemetry_a

if __name__ == "__main__":
    make.ROUNDS.update(curves=(curves_a, curves_a), telemetry=(telemetry_a, telemetry_a))
    make.main()
