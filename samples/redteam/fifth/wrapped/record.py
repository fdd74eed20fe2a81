"""Run the programs of the fifth set under ``inquest run``: ``python -m samples.redteam.fifth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a06 wants root and a memory cgroup (version 1), b06 root.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_TWO: Final = (
    "torchrun --nnodes 2 --nproc-per-node 1 --node-rank {} --master-addr 127.0.0.1 --master-port 29871 b10_two_hosts.py"
)
_CASES: Final = {
    "a01_syslog_model": Case("python3 a01_syslog_model.py"),
    "a02_pipeline": Case("make -f a02_pipeline.mk"),
    "a03_keep_alive": Case("bash a03_keep_alive.sh"),
    "a04_two_ranks": Case("torchrun --standalone --nproc-per-node 2 a04_two_ranks.py"),
    "a05_waits_for_lock": Case("timeout 32 torchrun --standalone --nproc-per-node 3 a05_waits_for_lock.py"),
    "a06_in_a_cage": Case(
        "bash a06_in_a_cage.sh",
        before="mkdir -p /sys/fs/cgroup/memory/author6; echo 300M > /sys/fs/cgroup/memory/author6/memory.limit_in_bytes",
    ),
    "a07_flaky_store": Case("python3 a07_flaky_store.py"),
    "a08_log_of_nothing": Case("python3 a08_log_of_nothing.py"),
    "a09_after_the_party": Case("python3 a09_after_the_party.py"),
    "a10_submit": Case("bash a10_submit.sh"),
    "a11_slow_disk": Case("python3 a11_slow_disk.py"),
    "a12_resume": Case("python3 a12_resume.py", before="python3 a12_resume.py --make"),
    "a13_sweep": Case("python3 a13_sweep.py"),
    "a14_impatient": Case("python3 a14_impatient.py", after_s=14),
    "b01_uneven": Case("torchrun --standalone --nproc-per-node 4 b01_uneven.py"),
    "b02_lame_rank": Case("python3 b02_lame_rank.py"),
    "b03_careful": Case("python3 b03_careful.py"),
    "b04_ragged": Case("torchrun --standalone --nproc-per-node 2 b04_ragged.py"),
    "b05_alone": Case("python3 b05_alone.py"),
    "b06_full_disk": Case(
        "python3 b06_full_disk.py",
        before="mkdir snapshots && mount -t tmpfs -o size=24m tmpfs snapshots",
        after="umount snapshots",
    ),
    "b07_segments": Case("bash b07_segments.sh"),
    "b08_benchmark_suite": Case("python3 b08_benchmark_suite.py"),
    "b09_two_shifts": Case("bash b09_two_shifts.sh"),
    "b10_two_hosts": Case(
        (_TWO.format(0), _TWO.format(1)), before="(sleep 22; kill -9 $(cat victim.pid)) > /dev/null 2>&1 &"
    ),
    "b11_long_novel": Case("timeout -k 5 20 python3 b11_long_novel.py"),
    "b12_discreet": Case("python3 b12_discreet.py"),
    "b13_swallowed": Case("python3 b13_swallowed.py"),
    "b14_spawned": Case("python3 b14_spawned.py"),
    "b15_double_free": Case("python3 b15_double_free.py"),
    "b16_three_steps": Case("python3 b16_three_steps.py"),
    "b17_too_steep": Case("python3 b17_too_steep.py"),
    "b18_noisy_but_well": Case("torchrun --standalone --nproc-per-node 2 b18_noisy_but_well.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
