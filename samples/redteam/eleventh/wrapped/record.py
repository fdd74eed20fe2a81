"""Run the programs of the eleventh set under ``inquest run``: ``python -m samples.redteam.eleventh.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a07 wants root and a memory cgroup (version 1).
"""

from __future__ import annotations

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
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
