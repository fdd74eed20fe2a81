"""Run the set's programs 13 to 24 as people do, with their output in files: see ``samples/redteam/recorder.py``."""

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l13_orvalho": "python l13_journal.py python l13_orvalho.py > journal.txt",
    "l15_glaze": "(timeout -s KILL 45 python l15_glaze.py 2>&1 | python l15_stamp.py > pod.raw) &"
    " until grep -q knobs pod.raw; do sleep 0.2; done; cp pod.raw glaze-7d9f6c-x2lqk.log; wait",
    "l17_reef": "export MASTER_PORT=29671;"
    " for i in 1 2; do python l17_reef.py --steps 100 >> reef.log 2>&1; done; rm reef.*.pid;"
    " python l17_share.py & python l17_reef.py --steps 120 >> reef.log 2>&1; wait",
    "l19_buoy": "timeout -s KILL 75 bash l19_job.sh > slurm-77120.out 2>&1",
    "l20_shanty": "sh l20_entry.sh 2>&1 | python l20_stamp.py > shanty-mlm-0.log",
    "l22_truffle": "timeout -s KILL 45 python l22_truffle.py 4 > truffle.out 2> truffle.err",
    "l23_moth": "python l23_warden.py & bash l23_runs.sh 1 2 >> moth.log 2>&1; bash l23_runs.sh 2 2 >> moth.log 2>&1;"
    " bash l23_runs.sh 3 20 >> moth.log 2>&1; touch l23.stop; wait",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
