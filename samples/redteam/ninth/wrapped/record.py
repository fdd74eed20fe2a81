"""Run the programs of the ninth set under ``inquest run``: ``python -m samples.redteam.ninth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a07 wants root, for a small file system.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_TORCHRUN: Final = "torchrun --standalone --nproc-per-node"
_CASES: Final = {
    "a01_denoise": Case("python3 a01_denoise.py"),
    "a02_ledger": Case("bash a02_ledger.sh", before="python3 a02_ledger.py make"),
    "a03_ring": Case(f"{_TORCHRUN} 3 a03_ring.py", before="nohup bash a03_guard.sh > /dev/null 2>&1 &"),
    "a04_tides": Case("python3 a04_tides.py --lr 3"),
    "a05_shards": Case("timeout 26 python3 a05_shards.py", before="mkdir shards && touch shards/0004.lock"),
    "a06_lingua": Case("python3 a06_lingua.py 300 step", before="python3 a06_lingua.py 300 ckpt"),
    "a07_spool": Case(
        "python3 a07_spool.py",
        before="mkdir scratch && mount -t tmpfs -o size=12m none scratch",
        after="umount scratch",
    ),
    "a08_exam": Case("python3 a08_exam.py", before="python3 a08_exam.py prepare"),
    "a09_detect": Case("make -f a09_detect.mk"),
    "a10_docs": Case(f"{_TORCHRUN} 3 a10_docs.py"),
    "a11_vocab": Case(f"{_TORCHRUN} 2 a11_vocab.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
