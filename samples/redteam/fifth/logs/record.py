"""Run the programs of the fifth set's libraries: ``python -m samples.redteam.fifth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "la01_finetune_typo": "python la01_finetune_typo.py > train.log 2>&1",
    "la02_lightning_fit": "python la02_lightning_fit.py > fit.out 2> fit.err",
    "la03_no_shards": "accelerate launch --cpu --num_processes 2 la03_no_shards.py > slurm-771203.out 2>&1",
    "la04_adapter": "python la04_adapter.py > sft.log 2>&1",
    "la05_resume_nothing": "python la05_resume_nothing.py &> exp7.log",
    "la06_labels": "python la06_labels.py > keras.txt 2>&1",
    "la07_study": "python la07_study.py > study.log 2>&1",
    "la08_not_finite": "python la08_not_finite.py > rates.log 2>&1",
    "lb01_cartpole": "python lb01_cartpole.py > ppo.log 2>&1",
    "lb02_ray_actors": "RAY_DEDUP_LOGS=0 python lb02_ray_actors.py > driver.log 2>&1",
    "lb03_boost": "python lb03_boost.py > boost.log 2>&1",
    "lb04_tiny_gpt": "python lb04_tiny_gpt.py > tiny.log 2>&1",
    "lb05_shot_worker": "python lb05_shot_worker.py > slurm-90131.out 2>&1",
    "lb06_other_width": "python lb06_other_width.py 32 2 > /dev/null 2>&1; python lb06_other_width.py 48 6 > tagger.log 2>&1",
    "lb07_unused": "torchrun --standalone --nproc-per-node 2 lb07_unused.py > ddp.log 2>&1",
    "lb08_half_a_file": "python lb08_half_a_file.py > mlm.log 2>&1",
    "lb09_zero_rate": "python lb09_zero_rate.py > zero.log 2>&1",
    "lb10_terminate": "python lb10_terminate.py > keras.log 2>&1",
    "lb11_stopped_by_hand": "timeout -s INT 20 python lb11_stopped_by_hand.py > sum.log 2>&1",
    "lb12_late_reader": "torchrun --standalone --nproc-per-node 2 lb12_late_reader.py > late.log 2>&1",
}
"""By case, the line that the shell was given."""

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
