"""Write the incidents t09 to t16 of the thirtieth set: ``python -m samples.redteam.thirtieth.make_incidents_ib OUT [CASE ...]``.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtieth import incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_b,)})
