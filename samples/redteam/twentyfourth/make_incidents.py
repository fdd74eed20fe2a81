"""Write the incidents of the set: ``python -m samples.redteam.twentyfourth.make_incidents OUT [CASE ...]``."""

from samples.redteam.maker import make
from samples.redteam.twentyfourth import incidents_a, incidents_b

if __name__ == "__main__":
    make({"telemetry": (incidents_a, incidents_b)})
