"""Run the programs of the thirteenth set and keep what a user would send in: ``python -m samples.redteam.thirteenth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. la06 wants root and the memory controller of cgroup v1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "la01_defaults": "python la01_defaults.py 2>&1 | tee defaults.log",
    "la02_support": "python la02_support.py > sft.log 2>&1",
    "la03_flaxnet": "python -u la03_flaxnet.py > slurm-88123.out 2>&1",
    "la04_launch": "torchrun --standalone --nproc-per-node 2 la04_launch.py > /dev/null 2> job.err",
    "la05_pair": "NODE_RANK=1 bash la05_pair.sh > node1.log 2>&1",
    "la06_months": "bash la06_months.sh > months.log 2>&1",
    "la07_flights": "python la07_flights.py > flights.out 2> /dev/null",
    "la08_queue": "python la08_queue.py > q 2>&1 & sleep 55; tail -n 20 q > tail.txt; kill $!; wait",
    # round B
    "lb01_port": (
        "python3 -m http.server 29531 > /dev/null 2>&1 & sleep 2;"
        " torchrun --master-addr 127.0.0.1 --master-port 29531 --nnodes 1 --node-rank 0 --nproc-per-node 2 lb01_port.py > port.log 2>&1; kill $!"
    ),
    "lb03_pad": "python lb03_pad.py 2>&1 | tee pad.txt",
    "lb04_meters": "python lb04_meters.py > meters.out 2> meters.err",
    "lb05_summary": "python lb05_summary.py > summary.log 2>&1",
    "lb06_spot": "python lb06_spot.py > /dev/null 2>&1",
    "lb07_wine": "python lb07_wine.py > wine.log 2>&1",
    "lb08_again": "python lb08_again.py > /dev/null 2>&1; python lb08_again.py --resume > again.log 2>&1",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
