"""Run the programs of the thirteenth set under ``inquest run``: ``python -m samples.redteam.thirteenth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a05 wants root and the memory controller of cgroup v1.
"""

from __future__ import annotations

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
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
