"""Write the incidents t09 to t16 of the thirty-second set: ``python -m samples.redteam.thirtysecond.make_incidents_ib OUT``."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtysecond import incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_b,)})
