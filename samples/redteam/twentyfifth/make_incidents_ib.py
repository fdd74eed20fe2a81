"""Write t09 to t16 of the incidents of the twenty-fifth set. SIMULATED."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.twentyfifth import incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_b,)})
