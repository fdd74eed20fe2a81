"""Write the incidents t01 to t08 below the folder named: ``python -m samples.redteam.thirtysecond.make_incidents_ia OUT [CASE...]``."""

from samples.redteam.maker import make
from samples.redteam.thirtysecond import incidents_a

if __name__ == "__main__":
    make({"telemetry": (incidents_a,)})
