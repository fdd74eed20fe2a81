"""Run the twenty-sixth set's programs that left text files.

``python -m samples.redteam.twentysixth.logs.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l08_basalt": "torchrun --nproc_per_node=2 --master_port=29608 l08_basalt.py",
    "l09_kelp": "timeout -k 1 80 python -u l09_journal.py timeout 78 python -u l09_kelp.py > kelp-fit.journal.txt 2>&1",
    "l10_pollen": "python -u l10_pollen.py 2>&1 | python -u l10_stamp.py > pollen-fit-x7k2d.log",
    "l11_study": "timeout --foreground -s INT 43 python l11_study.py 2>&1"
    " | python l11_stamp.py > prove-study-7d9fk.log",
    "l13_tiles": "timeout --foreground 32 python l13_tiles.py --flights 14 2>&1"
    " | python l13_stamp.py > bog-tiles-0-x2m4c.log",
    "l15_retinue": "bash l15_job.sh > slurm-61442.out 2>&1",
    "l20_glosses": "accelerate launch --cpu --num_processes 1 l20_glosses.py --epochs 2 > /dev/null 2>&1;"
    " f=out/checkpoints/checkpoint_1/model.safetensors; head -c 1179648 $f > cut; mv cut $f;"
    " accelerate launch --cpu --num_processes 1 l20_glosses.py --epochs 4 --resume latest 2>&1 | tee glosses_0412.log",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
