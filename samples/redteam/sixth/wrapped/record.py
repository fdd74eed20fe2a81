"""Run the programs of the sixth set under ``inquest run``: ``python -m samples.redteam.sixth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. b02 wants root and a memory cgroup (version 1).
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_ONE_OF_TWO: Final = (
    "torchrun --nnodes 2 --nproc-per-node 1 --rdzv-backend c10d --rdzv-id 8801 --rdzv-endpoint localhost:29655"
    " --rdzv-conf join_timeout=22 b11_second_node.py"
)
_CASES: Final = {
    "a01_self_check": Case("python3 a01_self_check.py"),
    "a02_roomy": Case("bash a02_roomy.sh"),
    "a03_three": Case("torchrun --standalone --nproc-per-node 3 a03_three.py"),
    "a04_nightly": Case("bash a04_nightly.sh"),
    "a05_counted": Case("bash a05_counted.sh"),
    "a06_uphill": Case("python3 a06_uphill.py"),
    "a07_readings": Case("python3 a07_readings.py"),
    "a08_prefetch": Case("timeout 26 python3 a08_prefetch.py"),
    "a09_two_groups": Case("python3 a09_two_groups.py", before="python3 a09_two_groups.py --make"),
    "a10_far_store": Case("python3 a10_far_store.py"),
    "a11_goes_quietly": Case("python3 a11_goes_quietly.py"),
    "b01_stale_lock": Case("torchrun --standalone --nproc-per-node 3 b01_stale_lock.py"),
    "b02_three_tries": Case(
        "bash b02_three_tries.sh",
        before="mkdir -p /sys/fs/cgroup/memory/author8; echo 220M > /sys/fs/cgroup/memory/author8/memory.limit_in_bytes",
    ),
    "b03_quota": Case("bash b03_quota.sh"),
    "b04_laptop": Case("python3 b04_laptop.py", after_s=16, signal=signal.SIGHUP),
    "b05_prefix": Case("python3 b05_prefix.py --resume", before="python3 b05_prefix.py"),
    "b06_left_over": Case("python3 b06_left_over.py --epochs 20 --max-steps 10"),
    "b07_careful_saver": Case("python3 b07_careful_saver.py"),
    "b08_new_head": Case("python3 b08_new_head.py"),
    "b09_scaler": Case("torchrun --standalone --nproc-per-node 2 b09_scaler.py"),
    "b10_second_half": Case("python3 b10_second_half.py 2", before="python3 b10_second_half.py 1"),
    "b11_second_node": Case(_ONE_OF_TWO),
    "b12_quiet": Case("bash b12_quiet.sh"),
    "b13_long_rows": Case("torchrun --standalone --nproc-per-node 3 b13_long_rows.py"),
    "b14_shards": Case("torchrun --standalone --nproc-per-node 2 b14_shards.py"),
    "b15_mapped": Case(
        "python3 b15_mapped.py",
        before="python3 b15_mapped.py --make; (sleep 12; : > tokens.bin) > /dev/null 2>&1 &",
    ),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
