"""Run the programs of the fourteenth set and keep what a user would send in: ``python -m samples.redteam.fourteenth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. la05 and la10 want root and a Slurm that is installed.
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
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
