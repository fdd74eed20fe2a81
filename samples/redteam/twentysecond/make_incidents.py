"""Write the incidents: ``python -m samples.redteam.twentysecond.make_incidents OUT [CASE...]``."""

from __future__ import annotations

from samples.redteam.maker import make

from . import incidents_a, incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_a, incidents_b)})
