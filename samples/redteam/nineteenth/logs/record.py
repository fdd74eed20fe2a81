"""Run the nineteenth set's programs as people do: ``python -m samples.redteam.nineteenth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. A Slurm of two nodes must run (``shared/slurm/start-slurm start``), with its
client's variables in the environment; l02 and l16 need root and the memory controller of cgroup v1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_BOX: Final = "g=/sys/fs/cgroup/memory/{0}; mkdir -p $g; echo {1} > $g/memory.limit_in_bytes; "

_CASES: Final = {
    "l02_slides": (
        _BOX.format("slides19", "1500M")
        + "(echo $BASHPID > $g/cgroup.procs; exec bash l02_pod.sh) 2>&1 | python l02_kube.py > slides-fit-4kq2z.log;"
        " sleep 1; rmdir $g"
    ),
    "l04_crane": "python l04_journal.py crane.service 'Crane policy' python -u l04_crane.py > crane.log",
    "l06_tides": "sbatch -W -o slurm-%j.out l06_job.sh",
    "l07_swirl": "python l07_shards.py; python l07_swirl.py > swirl.out 2> swirl.err",
    "l08_pulse": (
        "python l08_pulse.py --epochs 3 > /dev/null 2>&1; truncate -s 61440 ckpt/last.ckpt;"
        " bash l08_pod.sh 2>&1 | python l08_kube.py > pulse-train-1.log"
    ),
    "l09_cells": (
        "gcc -O0 -shared -fPIC -o libblobs.so l09_blobs.c; ulimit -c 0; bash l09_trials.sh > trials.log 2>&1"
    ),
    "l12_roofs": "python l12_tiles.py; bash l12_pod.sh 2>&1 | python l12_kube.py > roofs-x7b5d.log",
    "l15_birds": "sbatch -W -o slurm-%j.out l15_job.sh",
    "l16_cite": (
        _BOX.format("cite19", "2200M")
        + "(echo $BASHPID > $g/cgroup.procs; exec nohup bash l16_go.sh > nohup.out 2>&1); sleep 1; rmdir $g"
    ),
    "l17_gait": (
        "mkdir whole; j=$(sbatch --parsable -o whole/slurm-%j.out l17_job.sh); sleep 24;"
        " cp whole/slurm-$j.out .; scancel $j; sleep 2"
    ),
    "l18_nim": (
        "mkdir whole; python l18_nim.py > whole/nim.out 2> whole/nim.err & sleep 58;"
        " cp whole/nim.out whole/nim.err .; kill $!; wait"
    ),
    "l19_notes": "python l19_notes.py > notes.out 2> notes.err",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
