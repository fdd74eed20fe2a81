"""Run the programs of the ninth set's libraries: ``python -m samples.redteam.ninth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "la01_moths": "python la01_moths.py > moths.log 2>&1",
    "la02_tickets": "python la02_tickets.py > tickets.log 2>&1",
    "la03_grains": "KERAS_BACKEND=torch python la03_grains.py > grains.log 2>&1",
    "la04_claims": "python la04_claims.py > claims.log 2>&1",
    "la05_tank": "python la05_tank.py > tank.log 2>&1",
    "la06_birds": "timeout -s KILL 19 python la06_birds.py > birds.log 2>&1",
    "la07_recipes": "python la07_recipes.py > recipes.log 2>&1",
    # round B
    "lb01_menu": "python lb01_menu.py 32 new > /dev/null 2>&1; python lb01_menu.py 64 adapter-week45 > menu.log 2>&1",
    "lb02_river": "(python lb02_river.py 8 && python lb02_river.py 16 resume) > river.log 2>&1",
    "lb03_hives": "python lb03_hives.py > hives.log 2>&1",
    "lb04_orbits": "python lb04_orbits.py > orbits.log 2>&1",
    "lb05_bakery": "python lb05_bakery.py > bakery.log 2>&1",
    "lb06_kiln": "python lb06_kiln.py > kiln.log 2>&1",
    "lb07_lichen": "python lb07_lichen.py > lichen.log 2>&1",
    "lb08_parcels": "torchrun --standalone --nproc-per-node 2 lb08_parcels.py > parcels.log 2>&1",
    "lb09_weaver": "python lb09_weaver.py optimizer.learning_rate=0.003 steps=400 > weaver.log 2>&1",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
