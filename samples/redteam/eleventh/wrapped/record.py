"""Run the programs of the eleventh set under ``inquest run``: ``python -m samples.redteam.eleventh.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a07 wants root and a memory cgroup (version 1), b06 root for a small file system.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_TORCHRUN: Final = "torchrun --standalone --nproc-per-node"
_SLIDES: Final = "/sys/fs/cgroup/memory/slides11"
_CASES: Final = {
    "a01_intake": Case("python3 a01_intake.py"),
    "a02_routes": Case(f"{_TORCHRUN} 3 a02_routes.py"),
    "a03_kernels": Case(f"timeout 120 {_TORCHRUN} 2 a03_kernels.py", before="python3 a03_kernels.py before"),
    "a04_relay": Case(f"{_TORCHRUN} 3 a04_relay.py"),
    "a05_tiles": Case("python3 a05_tiles.py"),
    "a06_ark": Case("python3 a06_ark.py"),
    "a07_slides": Case(
        "bash a07_slides.sh",
        before=f"mkdir -p {_SLIDES} && echo 1500M > {_SLIDES}/memory.limit_in_bytes",
        after=f"rmdir {_SLIDES}",
    ),
    "a08_tongue": Case("python3 a08_tongue.py", before="python3 a08_tongue.py before"),
    "a09_choir": Case("python3 a09_choir.py"),
    "a10_cellar": Case("python3 a10_cellar.py", after_s=75),
    "a11_rare": Case("python3 a11_rare.py"),
    "a12_ferry": Case("bash a12_ferry.sh"),
    # round B
    "b01_tram": Case("timeout 90 python3 b01_tram.py"),
    "b02_glacier": Case("python3 b02_glacier.py", after_s=70, signal=signal.SIGTERM),
    "b03_caravan": Case("bash b03_start.sh"),
    "b04_mint": Case("bash b04_mint.sh"),
    "b05_thread": Case("python3 b05_thread.py"),
    "b06_vault": Case(
        "python3 b06_vault.py",
        before="mkdir scratch && mount -t tmpfs -o size=12m vault11 scratch && head -c 5M /dev/zero > scratch/others",
        after="umount scratch",
    ),
    "b07_hive": Case("timeout 120 python3 b07_hive.py"),
    "b08_scale": Case("python3 b08_scale.py"),
    "b09_quill": Case(
        "accelerate launch --cpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no b09_quill.py"
    ),
    "b10_harvest": Case("make -f b10_Makefile"),
    "b11_meadow": Case("bash b11_meadow.sh"),
    "b12_bard": Case("python3 b12_bard.py"),
    "b13_weave": Case("python3 b13_weave.py", before="python3 b13_weave.py first > /dev/null"),
    "b14_orrery": Case(f"{_TORCHRUN} 2 b14_orrery.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
