"""Run the programs of the fifteenth set and keep what a user would send in: ``python -m samples.redteam.fifteenth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. lb31 wants root and the controller of memory of cgroup v1.
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
    # round B
    "lb22_hail": "(python lb22_hail.py; python lb22_hail.py --fill) > hail.log 2>&1",
    "lb25_claims": "python -u lb25_claims.py 2>&1 | python -u lb25_prefix.py > claims.log",
    "lb26_herbs": "python lb26_herbs.py > herbs.log 2>&1",
    "lb27_rent": "bash lb27_night.sh > rent.log 2>&1",
    "lb28_uva": "python -u lb28_uva.py 2>&1 | sed -u 's/^/addestra-1  | /' > uva.log",
    "lb31_eels": "bash lb31_job.sh > eels.out 2> /dev/null",
    "lb32_drift": "bash lb32_tries.sh > drift.out 2> /dev/null",
    "lb33_masks": "bash lb33_start.sh > masks.log 2>&1",
    "lb34_trams": "bash lb34_twice.sh",
    "lb35_letters": "torchrun --standalone --nproc-per-node 2 lb35_letters.py > letters.out 2> letters.err",
    "lb37_gears": "bash lb37_run.sh",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
