"""Write t09 to t16 of the twenty-ninth set: ``python -m samples.redteam.twentyninth.make_incidents_ib OUT [CASE...]``."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.twentyninth import incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_b,)})
