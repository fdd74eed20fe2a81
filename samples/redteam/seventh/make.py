"""Write the data of the seventh set: ``python -m samples.redteam.seventh.make OUT [CASE...]`` fills OUT/KIND/CASE."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from random import Random

from .curves import round_a as curves_a
from .curves import round_b as curves_b
from .telemetry import round_a as telemetry_a
from .telemetry import round_b as telemetry_b

ROUNDS = {"curves": (curves_a, curves_b), "telemetry": (telemetry_a, telemetry_b)}


def main() -> None:
    """Write all cases, or those named, each the same bytes every time."""
    out, wanted = Path(sys.argv[1]), sys.argv[2:]
    for kind, modules in ROUNDS.items():
        for module in modules:
            for name, make in vars(module).items():
                if name[:1] in "ct" and name[1:3].isdigit() and (not wanted or name in wanted):
                    place = out / kind / name
                    shutil.rmtree(place, ignore_errors=True)
                    place.mkdir(parents=True)
                    make(place, Random(name))


if __name__ == "__main__":
    main()
