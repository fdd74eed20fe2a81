"""Write t01 to t08 of the twenty-ninth set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.twentyninth import incidents_a

if __name__ == "__main__":
    make({"telemetry": (incidents_a,)})
