"""Write the incidents t01 to t08 of the twenty-seventh set. SIMULATED.

``python -m samples.redteam.twentyseventh.make_incidents_ia OUT [CASE ...]``
"""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.twentyseventh import incidents_a

if __name__ == "__main__":
    make({"telemetry": (incidents_a,)})
