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
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
