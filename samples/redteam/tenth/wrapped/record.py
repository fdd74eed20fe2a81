"""Run the programs of the tenth set under ``inquest run``: ``python -m samples.redteam.tenth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a05 and b13 want root and a memory cgroup (version 1), b07 root for a small file system.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_TORCHRUN: Final = "torchrun --standalone --nproc-per-node"
_ATLAS: Final = "/sys/fs/cgroup/memory/atlas16"
_LEDGER: Final = "/sys/fs/cgroup/memory/ledger16"
_CASES: Final = {
    "a01_scribe": Case("python3 a01_scribe.py"),
    "a02_forecast": Case("bash a02_forecast.sh"),
    "a03_parts": Case(f"{_TORCHRUN} 3 a03_parts.py"),
    "a04_faces": Case("python3 a04_faces.py"),
    "a05_atlas": Case(
        "bash a05_atlas.sh",
        before=f"mkdir -p {_ATLAS} && echo 900M > {_ATLAS}/memory.limit_in_bytes",
        after=f"rmdir {_ATLAS}",
    ),
    "a06_keeper": Case("python3 a06_keeper.py"),
    "a07_strata": Case(f"{_TORCHRUN} 2 a07_strata.py", before="python3 a07_strata.py make"),
    "a08_grain": Case("python3 a08_grain.py", before="python3 a08_grain.py make"),
    "a09_verses": Case(f"{_TORCHRUN} 3 a09_verses.py"),
    "a10_mosaic": Case("python3 a10_mosaic.py", after_s=130, signal=signal.SIGHUP),
    "a11_signs": Case("python3 a11_signs.py"),
    # round B
    "b01_tiles": Case("make -k -f b01_Makefile", before="python3 b01_tiles.py first > /dev/null"),
    "b02_reef": Case("python3 b02_reef.py"),
    "b03_orchard": Case("timeout 70 python3 b03_orchard.py"),
    "b04_harbor": Case("bash b04_start.sh"),
    "b05_gate": Case("bash b05_gate.sh"),
    "b06_score": Case("python3 b06_score.py"),
    "b07_herbarium": Case(
        "python3 b07_herbarium.py",
        before="mkdir scratch && mount -t tmpfs -o size=10m scratch16 scratch",
        after="umount scratch",
    ),
    "b08_lichen": Case("bash b08_slices.sh"),
    "b09_exam": Case("python3 b09_exam.py"),
    "b10_dialects": Case(f"{_TORCHRUN} 4 b10_dialects.py"),
    "b11_answers": Case("python3 b11_answers.py"),
    "b12_birds": Case("python3 -m torch.distributed.launch --nproc-per-node 2 b12_birds.py --epochs 3"),
    "b13_ledger": Case(
        "bash b13_ledger.sh",
        before=f"mkdir -p {_LEDGER} && echo 1800M > {_LEDGER}/memory.limit_in_bytes",
        after=f"rmdir {_LEDGER}",
    ),
    "b14_quarry": Case(f"{_TORCHRUN} 3 b14_quarry.py"),
    "b15_archive": Case("python3 b15_archive.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
