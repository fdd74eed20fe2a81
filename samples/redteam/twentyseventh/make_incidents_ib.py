"""Write t09 to t16 of the twenty-seventh set: python -m samples.redteam.twentyseventh.make_incidents_ib OUT."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.twentyseventh import incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_b,)})
