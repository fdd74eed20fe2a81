"""Write the data of t01 to t08 of the twenty-fifth set: ``python -m ...make_incidents_ia OUT [CASE...]``."""

from samples.redteam.maker import make
from samples.redteam.twentyfifth import incidents_a

if __name__ == "__main__":
    make({"telemetry": (incidents_a,)})
