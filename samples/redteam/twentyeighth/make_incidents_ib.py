"""Write the incidents t09 to t16 of the twenty-eighth set: OUT/telemetry/CASE. SIMULATED."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.twentyeighth import incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_b,)})
