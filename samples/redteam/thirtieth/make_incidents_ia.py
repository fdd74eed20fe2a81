"""Write t01 to t08: ``python -m samples.redteam.thirtieth.make_incidents_ia OUT [CASE ...]``. SIMULATED."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtieth import incidents_a

if __name__ == "__main__":
    make({"telemetry": (incidents_a,)})
