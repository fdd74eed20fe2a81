"""SIMULATED: write the incidents of share ib."""

from __future__ import annotations

from samples.redteam.maker import make
from samples.redteam.thirtyfifth import incidents_b

if __name__ == "__main__":
    make({"telemetry": [incidents_b]})
