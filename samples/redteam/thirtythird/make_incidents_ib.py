"""Write incidents t09 to t16 of the thirty-third set: python -m samples.redteam.thirtythird.make_incidents_ib OUT [CASE ...]."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtythird import incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_b,)})
