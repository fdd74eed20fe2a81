"""Write t01 to t08 of the set: ``python -m samples.redteam.twentyeighth.make_incidents_ia OUT [CASE...]``."""

from samples.redteam.maker import make
from samples.redteam.twentyeighth import incidents_a

if __name__ == "__main__":
    make({"telemetry": (incidents_a,)})
