"""Write t13 to t24: ``python -m samples.redteam.twentysecond.make_incidents_more OUT [CASE...]``."""

from __future__ import annotations

from samples.redteam.maker import make

from . import incidents_c, incidents_d

if __name__ == "__main__":
    make({"telemetry": (incidents_c, incidents_d)})
