"""Run the programs of the fifteenth set and keep what a user would send in: ``python -m samples.redteam.fifteenth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "la03_patches": "python la03_patches.py > patches.out 2> /dev/null",
    "la05_kiln": "python la05_kiln.py > kiln.log 2>&1",
    "la06_yorum": "python la06_yorum.py 2>&1 | tail -n 14 > son.txt",
    "la08_lernen": "bash la08_kopie.sh",
    "la09_shelf": "bash la09_job.sh > shelf.out 2> /dev/null",
    "la11_places": "bash la11_run.sh",
    "la12_voice": "python la12_voice.py 3 > /dev/null 2>&1; python la12_voice.py > voice.log 2>&1",
    "la15_wells": "python la15_wells.py --build; python la15_wells.py > wells.log 2>&1",
    "la17_skies": "bash la17_run.sh",
    "la18_coins": "bash la18_run.sh",
    "la19_advice": "python la19_advice.py > advice.log 2>&1",
    "la20_fromage": "bash la20_copie.sh",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
