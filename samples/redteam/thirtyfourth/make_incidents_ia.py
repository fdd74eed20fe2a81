"""Write the data of incidents t01 to t08 (simulated): ``python -m samples.redteam.thirtyfourth.make_incidents_ia OUT [CASE ...]``."""

from samples.redteam.maker import make
from samples.redteam.thirtyfourth import incidents_a

if __name__ == "__main__":
    make({"telemetry": (incidents_a,)})
