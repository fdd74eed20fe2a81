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
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
