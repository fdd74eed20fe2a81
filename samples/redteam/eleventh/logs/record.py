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
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
