"""Write the incidents t09 to t16 of the twenty-sixth set: ``python -m ... OUT [CASE...]``."""

from samples.redteam.maker import make
from samples.redteam.twentysixth import incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_b,)})
