"""Write t09 to t16 of the thirty-first set: ``python -m samples.redteam.thirtyfirst.make_incidents_ib OUT [CASE ..]``."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyfirst import incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_b,)})
