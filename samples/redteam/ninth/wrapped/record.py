"""Run the programs of the ninth set under ``inquest run``: ``python -m samples.redteam.ninth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a07 wants root, for a small file system; b02 root and a memory cgroup (version 1).
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_TORCHRUN: Final = "torchrun --standalone --nproc-per-node"
_MEET: Final = "torchrun --nnodes 2 --nproc-per-node 1 --rdzv-id week47 --rdzv-backend c10d --rdzv-conf join_timeout=16 --rdzv-endpoint"
_PLAN: Final = '{"epochs": 40, "steps_per_epoch": 125, "lr": 0.001, "debug": {"max_steps": 6}}'
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
    # round B
    "b01_meet": Case((f"{_MEET}=localhost:29411 b01_meet.py", f"{_MEET}=localhost:29412 b01_meet.py")),
    "b02_rooms": Case("bash b02_rooms.sh", after="rmdir /sys/fs/cgroup/memory/ninth_rooms"),
    "b03_stars": Case("python3 b03_stars.py"),
    "b04_yield": Case("python3 b04_yield.py"),
    "b05_birdsong": Case("python3 b05_birdsong.py", after_s=16, signal=signal.SIGHUP),
    "b06_oncall": Case("python3 b06_oncall.py"),
    "b07_wine": Case("python3 b07_wine.py"),
    "b08_reef": Case("python3 b08_reef.py"),
    "b09_clinic": Case("python3 b09_clinic.py"),
    "b10_storms": Case("python3 b10_storms.py", before=f"echo '{_PLAN}' > plan.json"),
    "b11_keeper": Case("python3 b11_keeper.py"),
    "b12_greens": Case("python3 b12_greens.py"),
    "b13_again": Case(
        "python3 b13_again.py",
        before="python3 b13_again.py && python3 b13_again.py && truncate -s 40000 state/dose.ckpt",
    ),
    "b14_glacier": Case("timeout 24 python3 b14_glacier.py"),
    "b15_coast": Case(f"{_TORCHRUN} 3 b15_coast.py", before="for r in 0 1; do seq 9 > feed$r; done; mkfifo feed2"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
