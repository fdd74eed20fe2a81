"""Run the seventeenth set's programs as people do: ``python -m samples.redteam.seventeenth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. A Slurm of one node must run (``shared/slurm/start-slurm start``), with its
client's variables in the environment; l02 needs root and the memory controller of cgroup v1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l01_push": "(for r in server 0 1; do nohup python l01_server.py $r & done; wait) > nohup.out 2>&1",
    "l02_kept": (
        "g=/sys/fs/cgroup/memory/seventeen; mkdir -p $g; echo 600M > $g/memory.limit_in_bytes;"
        " (echo $BASHPID > $g/cgroup.procs;"
        " JOB_NAME=waves exec python l02_docker.py 3f9c1e-json.log bash l02_entry.sh);"
        " rmdir $g"
    ),
    "l03_rings": "sbatch -W -o slurm-%j.out l03_job.sh",
    "l04_cliff": (
        "script -q -f -c 'python l04_cliff.py' all.txt < /dev/null > /dev/null &"
        " sleep 9; cp all.txt session.log; wait; rm all.txt"
    ),
    "l05_notices": (
        "gcc -O1 -shared -fPIC -o hash.so l05_hash.c; bash l05_pod.sh 2>&1 | python l05_kube.py > notices-fit-7d9x2.log"
    ),
    "l09_tide": "sbatch -W -o slurm-%j.out l09_job.sh",
    "l11_digits": "python l11_digits.py 2>&1 | python l11_kube.py > digits-train-0.log",
    "l12_rounds": "(for r in 0 1 2 server; do nohup python l12_ps.py $r & done; wait) > nohup.out 2>&1",
    "l13_ondas": "script -q -f -c 'python l13_gan.py' sessao.log < /dev/null > /dev/null",
    "l16_papers": (
        "nohup python l16_graph.py > nohup.all 2>&1 &"
        " until grep -q partitioning nohup.all; do sleep 1; done; sleep 5; cp nohup.all nohup.out; wait"
    ),
    "l18_rent": "python l18_rent.py > rent.out 2> rent.err",
    "l19_lift": "bash l19_run.sh > lift.out 2> lift.err",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
