"""Run the programs of the tenth set's libraries: ``python -m samples.redteam.tenth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "la01_soil": "python la01_soil.py > soil.log 2>&1",
    "la02_notes": "python la02_notes.py > notes.log 2>&1",
    "la03_valves": "python la03_valves.py > valves.log 2>&1",
    "la04_mail": "python la04_mail.py > mail.log 2>&1",
    "la05_bees": "python la05_bees.py > bees.log 2>&1",
    "la06_search": "python la06_search.py > search.log 2>&1",
    "la07_wave": "python la07_wave.py > wave.log 2>&1",
    # round B
    "lb01_kiln": "KERAS_BACKEND=torch timeout --verbose 80 python lb01_kiln.py > kiln.log 2>&1",
    "lb02_wells": "python lb02_wells.py > wells.log 2>&1",
    "lb03_letters": "python lb03_letters.py > letters.log 2>&1",
    "lb04_moss": "(python lb04_moss.py; echo status $?) > moss.log 2>&1",
    "lb05_tides": "python lb05_tides.py > tides.log 2>&1",
    "lb06_tutor": "python lb06_tutor.py > tutor.log 2>&1",
    "lb07_pole": "python lb07_pole.py > pole.log 2>&1",
    "lb08_frost": "python lb08_frost.py > frost.log 2>&1",
    "lb09_mill": "python lb09_mill.py new > /dev/null 2>&1; python lb09_mill.py wide > mill.log 2>&1",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
