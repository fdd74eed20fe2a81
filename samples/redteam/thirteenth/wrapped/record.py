"""Run the programs of the thirteenth set under ``inquest run``: ``python -m samples.redteam.thirteenth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a05 and b03 want root and the memory controller of cgroup v1, b04 and b11 root.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_TORCHRUN: Final = "torchrun --standalone --nproc-per-node"
_CASES: Final = {
    "a01_intents": Case(f"{_TORCHRUN} 2 a01_intents.py"),
    "a02_petals": Case("bash a02_petals.sh 7"),
    "a03_lora": Case(
        "accelerate launch --cpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no a03_lora.py"
    ),
    "a04_grid": Case("python3 a04_grid.py optim.lr=0.003 epochs=20"),
    "a05_corpus": Case("bash a05_corpus.sh"),
    "a06_babble": Case(f"{_TORCHRUN} 2 a06_babble.py"),
    "a07_shards": Case(f"{_TORCHRUN} 2 a07_shards.py", before="python3 -c 'import a07_shards; a07_shards.write()'"),
    "a08_voices": Case("python3 a08_voices.py", after_s=40),
    "a09_nightly": Case("bash a09_nightly.sh"),
    "a10_wider": Case(
        "python3 a10_wider.py --hidden 128 --epochs 10 --resume ckpt/last.ckpt",
        before="python3 a10_wider.py --hidden 64 --epochs 2",
    ),
    "a11_churn": Case("python3 a11_churn.py"),
    "a12_search": Case("python3 a12_search.py"),
    "a13_letters": Case("python3 a13_letters.py"),
    "a14_ranking": Case(f"{_TORCHRUN} 2 a14_ranking.py"),
    # round B
    "b01_stars": Case(
        "accelerate launch --cpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no b01_stars.py",
        before="python3 -c 'import b01_stars; b01_stars.export()'",
    ),
    "b02_digits": Case("make -f b02_Makefile"),
    "b03_loader": Case("bash b03_loader.sh"),
    "b04_save": Case("unshare -m bash b04_save.sh"),
    "b05_unused": Case(f"{_TORCHRUN} 2 b05_unused.py"),
    "b06_german": Case("bash b06_job.sh"),
    "b07_frozen": Case("python3 b07_frozen.py"),
    "b08_pole": Case("python3 b08_pole.py"),
    "b10_lock": Case("python3 b10_lock.py", after_s=75, signal=signal.SIGTERM),
    "b11_shm": Case("unshare -m bash b11_shm.sh"),
    "b12_resume": Case("bash b12_resume.sh", before="python3 b12_resume.py --stop-at 2"),
    "b14_slow": Case("python3 b14_slow.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
