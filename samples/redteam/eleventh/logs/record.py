"""Run the programs of the eleventh set's libraries: ``python -m samples.redteam.eleventh.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "la01_titles": "python la01_titles.py > titles.log 2>&1",
    "la02_orders": "python la02_orders.py > orders.log 2>&1",
    "la03_clicks": "python la03_clicks.py > clicks.log 2>&1",
    "la04_pulse": "python la04_pulse.py > pulse.log 2>&1",
    "la05_adapter": "python la05_adapter.py > adapter.log 2>&1",
    "la06_ice": "python la06_ice.py 64 400 > /dev/null 2>&1; python la06_ice.py 96 400 > ice.log 2>&1",
    "la07_dunes": "python la07_dunes.py > dunes.log 2>&1",
    "la08_rails": "bash la08_rails.sh > rails.log 2>&1",
    # round B
    "lb01_recipes": "python lb01_recipes.py > recipes.log 2>&1",
    "lb02_notary": "timeout --verbose 90 python lb02_notary.py > notary.log 2>&1",
    "lb03_stamps": "python lb03_stamps.py > stamps.log 2>&1",
    "lb04_plague": "python lb04_plague.py > plague.log 2>&1",
    "lb05_owls": "timeout -s INT 60 python lb05_owls.py > owls.log 2>&1",
    "lb06_cloth": "python lb06_cloth.py > cloth.log 2>&1",
    "lb07_oracle": "python lb07_oracle.py > /dev/null 2>&1; python lb07_oracle.py resume > oracle.log 2>&1",
    "lb08_roads": "python lb08_roads.py > roads.log 2>&1",
    "lb09_barley": "python lb09_barley.py > barley.log 2>&1",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
