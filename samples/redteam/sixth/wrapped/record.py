"""Run the programs under ``inquest run`` and keep what it left: ``python record.py OUT [CASE...]``.

TRAIN_BIN, in the environment, is the ``bin`` of the environment that has numpy and torch; ``inquest`` is on PATH. A case runs
in an empty folder of its own, and what was recorded lies in OUT/wrapped/CASE. b02 wants root and a memory cgroup
(version 1).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_ONE_OF_TWO: Final = (
    "torchrun --nnodes 2 --nproc-per-node 1 --rdzv-backend c10d --rdzv-id 8801 --rdzv-endpoint localhost:29655"
    " --rdzv-conf join_timeout=22 b11_second_node.py"
)


@dataclass(frozen=True)
class Case:
    """How one case is run."""

    lines: tuple[str, ...]
    """What is wrapped, one line a node, all at once."""
    before: str = ""
    """What a shell does first, unrecorded."""
    after: str = ""
    """What a shell does in the end."""
    after_s: float = 0.0
    """When somebody sends ``signal`` to the wrapper; 0: nobody does."""
    signal: int = signal.SIGINT


_CASES: Final = {
    "a01_self_check": Case(("python3 a01_self_check.py",)),
    "a02_roomy": Case(("bash a02_roomy.sh",)),
    "a03_three": Case(("torchrun --standalone --nproc-per-node 3 a03_three.py",)),
    "a04_nightly": Case(("bash a04_nightly.sh",)),
    "a05_counted": Case(("bash a05_counted.sh",)),
    "a06_uphill": Case(("python3 a06_uphill.py",)),
    "a07_readings": Case(("python3 a07_readings.py",)),
    "a08_prefetch": Case(("timeout 26 python3 a08_prefetch.py",)),
    "a09_two_groups": Case(("python3 a09_two_groups.py",), before="python3 a09_two_groups.py --make"),
    "a10_far_store": Case(("python3 a10_far_store.py",)),
    "a11_goes_quietly": Case(("python3 a11_goes_quietly.py",)),
    "b01_stale_lock": Case(("torchrun --standalone --nproc-per-node 3 b01_stale_lock.py",)),
    "b02_three_tries": Case(
        ("bash b02_three_tries.sh",),
        before="mkdir -p /sys/fs/cgroup/memory/author8; echo 220M > /sys/fs/cgroup/memory/author8/memory.limit_in_bytes",
    ),
    "b03_quota": Case(("bash b03_quota.sh",)),
    "b04_laptop": Case(("python3 b04_laptop.py",), after_s=16, signal=signal.SIGHUP),
    "b05_prefix": Case(("python3 b05_prefix.py --resume",), before="python3 b05_prefix.py"),
    "b06_left_over": Case(("python3 b06_left_over.py --epochs 20 --max-steps 10",)),
    "b07_careful_saver": Case(("python3 b07_careful_saver.py",)),
    "b08_new_head": Case(("python3 b08_new_head.py",)),
    "b09_scaler": Case(("torchrun --standalone --nproc-per-node 2 b09_scaler.py",)),
    "b10_second_half": Case(("python3 b10_second_half.py 2",), before="python3 b10_second_half.py 1"),
    "b11_second_node": Case((_ONE_OF_TWO,)),
    "b12_quiet": Case(("bash b12_quiet.sh",)),
    "b13_long_rows": Case(("torchrun --standalone --nproc-per-node 3 b13_long_rows.py",)),
    "b14_shards": Case(("torchrun --standalone --nproc-per-node 2 b14_shards.py",)),
    "b15_mapped": Case(
        ("python3 b15_mapped.py",),
        before="python3 b15_mapped.py --make; (sleep 12; : > tokens.bin) > /dev/null 2>&1 &",
    ),
}


def record(name: str, case: Case, out: Path) -> None:
    """Run one case."""
    shutil.rmtree(out, ignore_errors=True)
    env = {**os.environ, "PATH": f"{os.environ['TRAIN_BIN']}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    env["CUDA_VISIBLE_DEVICES"] = ""
    env.pop("PYTHONPATH", None)
    inquest = shutil.which("inquest") or "inquest"
    with tempfile.TemporaryDirectory() as work:
        for source in (_HERE / "programs").glob(f"{name.split('_')[0]}_*"):
            shutil.copy(source, work)
        if case.before:
            subprocess.run(["bash", "-c", case.before], cwd=work, env=env, check=True)
        running: list[subprocess.Popen[bytes]] = []
        for number, line in enumerate(case.lines):
            node = f"box{number + 1}"
            command = [inquest, "run", "--out", str(out), "--node", node, "--job-id", name, "--", *line.split()]
            running.append(subprocess.Popen(command, cwd=work, env=env))
        if case.after_s:
            time.sleep(case.after_s)
            for one in running:
                one.send_signal(case.signal)
        print(name, [one.wait() for one in running], flush=True)
        if case.after:
            subprocess.run(["bash", "-c", case.after], cwd=work, check=True)


def main() -> None:
    """Record the cases named, or all."""
    out, *wanted = sys.argv[1:]
    for name in wanted or _CASES:
        record(name, _CASES[name], Path(out, "wrapped", name))


if __name__ == "__main__":
    main()
