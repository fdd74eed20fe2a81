"""Run the programs of the fourteenth set and keep what a user would send in: ``python -m samples.redteam.fourteenth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. la05 and la10 want root and a Slurm that is installed, lb29 root.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "la01_leads": 'python la01_leads.py > leads.log 2>&1; echo "exit status $?" >> leads.log',
    "la03_waves": "set -m; python -u la03_waves.py > waves.log 2>&1 & sleep 50; kill -INT $!; wait",
    "la05_demand": "bash la05_submit.sh",
    "la09_bosque": "bash la09_trabajo.sh > trabajo.out 2> trabajo.err",
    "la10_intent": "bash la10_submit.sh",
    "la11_yield": "python la11_yield.py > yield.out 2> /dev/null",
    "la12_entities": "bash la12_pack.sh > pack.log 2>&1",
    "la13_meters": "python la13_meters.py > meters.out 2> /dev/null",
    "la18_tokens": "bash la18_tokens.sh > tokens.out 2> tokens.err",
    # round B
    "lb21_grid": "python lb21_grid.py > grid.log 2>&1",
    "lb24_crane": "python lb24_crane.py > crane.log 2>&1",
    "lb29_meteo": "unshare -m bash lb29_disco.sh > meteo.out 2> meteo.err",
    "lb30_shelf": "bash lb30_run.sh > shelf.out 2> shelf.err",
    "lb33_swarm": "python -u lb33_swarm.py 2>&1 | python -u lb33_prefix.py > swarm.log",
    "lb36_birds": "torchrun --standalone --nproc-per-node 2 lb36_birds.py 2>&1 | tail -n 12 > tail.txt",
    "lb37_answers": "bash lb37_stop.sh",
    "lb38_clouds": "bash lb38_twice.sh > clouds.log 2>&1",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
