"""Run the programs of the sixteenth set and keep what a user would send in: ``python -m samples.redteam.sixteenth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. l05 wants root and the controller of memory of cgroup v1; l13 wants root, for a network of its
own; l15 wants root, for a mount. l12, l13, l23 and l24 are jobs of a real Slurm: ``shared/slurm/start-slurm``, its variables exported.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_NOHUP: Final = "NODE_RANK=0 MASTER_ADDR=127.0.0.1 MASTER_PORT=29671 nohup python -u l01_songs.py; true"
_CASES: Final = {
    "l01_songs": f"script -qc '{_NOHUP}' /dev/null < /dev/null > /dev/null",
    "l02_moth": "bash l02_run.sh",
    "l04_birds": "for seed in 1 2 3; do python l04_birds.py --seed $seed >> birds.log 2>&1; done",
    "l05_notes": "bash l05_both.sh > both.log 2>&1",
    "l07_lungs": "bash l07_type.sh",
    "l10_mapas": "bash l10_dos.sh",
    "l12_dialect": "sbatch -W l12_job.sh",
    "l13_rain": "sbatch -W l13_job.sh",
    "l15_rivers": "bash l15_both.sh",
    "l16_soils": "bash l16_look.sh",
    "l22_stamps": "script -qc 'nohup python -u l22_stamps.py; true' /dev/null < /dev/null > /dev/null",
    "l23_clinics": "bash l23_chain.sh",
    "l24_tide": "sbatch -W l24_job.sh",
    "l25_valves": "bash l25_copy.sh",
    "l26_sums": "bash l26_all.sh",
    "l27_bakery": "bash l27_run.sh",
    "l28_corn": "bash l28_run.sh",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
