"""Write the incidents t09 to t16 of the thirty-fourth set below a folder: ``python -m samples.redteam.thirtyfourth.make_incidents_ib OUT [CASE ...]``."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyfourth import incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_b,)})
