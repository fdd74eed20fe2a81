"""Run the small programs of real libraries and keep what the shell redirected: ``python record.py OUT [CASE...]``.

TRAIN_BIN, in the environment, is the ``bin`` of the environment that has the libraries. A case is run in an empty folder
of its own; its text goes to ``recorded/CASE/`` here, which is what is judged, and is copied to OUT/logs/CASE.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
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


def main() -> None:
    """Record the cases named, or all that were not yet recorded."""
    out, *wanted = sys.argv[1:]
    for name in wanted or _CASES:
        kept = _HERE / "recorded" / name
        if not kept.exists() or wanted:
            with tempfile.TemporaryDirectory() as work:
                for source in (_HERE / "programs").glob(f"{name.split('_')[0]}_*"):
                    shutil.copy(source, work)
                before = set(Path(work).iterdir())
                path = f"{os.environ['TRAIN_BIN']}:{os.environ['PATH']}"
                env = {
                    **os.environ,
                    "PATH": path,
                    "HF_HUB_OFFLINE": "1",
                    "CUDA_VISIBLE_DEVICES": "",
                    "OMP_NUM_THREADS": "1",
                }
                subprocess.run(["bash", "-c", _CASES[name]], cwd=work, env=env, check=False, timeout=150)
                kept.mkdir(parents=True, exist_ok=True)
                for file in Path(work).iterdir():
                    if file not in before and file.suffix in (".log", ".out", ".err", ".txt"):
                        shutil.copy(file, kept)
        shutil.copytree(kept, Path(out, "logs", name), dirs_exist_ok=True)
        print(name, [f"{file.name} {file.stat().st_size}" for file in kept.iterdir()], flush=True)


if __name__ == "__main__":
    main()
