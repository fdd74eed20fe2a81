"""Run the first share's programs under the recorder: ``python -m samples.redteam.thirtythird.wrapped.record_pa OUT [CASE...]``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent / "programs"
JOBS: Final = Path("/tmp/bu_pa/job")
INQUEST: Final = "/work/main/.venv/bin/inquest"
PYTHON: Final = "/tmp/pv/bin/python"


@dataclass(frozen=True)
class Case:
    """Where a program runs, which files it needs there, what is run before it, beside it, as it, and how fast its network is."""

    folder: str
    files: dict[str, str]
    command: str
    before: str = ""
    beside: str = ""
    link: str = ""


CASES: Final = {
    "p01_meadow": Case(
        "grassland", {"p01_mtl3.py": "train_mtl.py", "p01_chain.sh": "chain.sh"}, "bash chain.sh", before="rm -rf runs"
    ),
    "p03_residue": Case(
        "protwin",
        {"p03_shards.py": "pretrain.py", "p03_cap.sh": ".cap.sh"},
        "/tmp/pv/bin/torchrun --nproc-per-node 4 --master-port 29713 pretrain.py --steps 125",
        before="rm -rf pids",
        beside="bash .cap.sh",
    ),
    "p04_tiles": Case(
        "landcover", {"p04_tiles.py": "train.py", "p04_watch.py": "watch.py", "p04_run.sh": "run.sh"}, "bash run.sh"
    ),
    "p05_digits": Case("ctc_digits", {"p05_ctc.py": "train_ctc.py"}, f"{PYTHON} train_ctc.py"),
    "p06_pumps": Case(
        "pumps",
        {"p06_skorch.py": "fit.py"},
        f"{PYTHON} fit.py --continue-from exp/pumps",
        before=f"{PYTHON} fit.py --epochs 3 --cut",
    ),
    "p07_chars": Case(
        "chargpt",
        {"p07_gpt.py": "train_gpt.py"},
        "/tmp/pv/bin/torchrun --nproc-per-node 4 --master-port 29727 train_gpt.py",
        link="1500mbit",
    ),
    "p08_claims": Case("claims", {"p08_claims.py": "grow.py", "p08_slot.sh": "slot.sh"}, "bash slot.sh"),
    "p09_spectra": Case(
        "specflow",
        {"p09_flow.py": "train_flow.py", "p09_flow.yaml": "flow.yaml"},
        f"{PYTHON} train_flow.py --config flow.yaml",
    ),
}


def record(name: str, out: Path) -> None:
    case = CASES[name]
    folder = JOBS / case.folder
    folder.mkdir(parents=True, exist_ok=True)
    for source, target in case.files.items():
        shutil.copy(HERE / source, folder / target)
    env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "INQUEST"))} | {"OMP_NUM_THREADS": "1"}
    if case.before:
        subprocess.run(["bash", "-c", case.before], cwd=folder, env=env, check=False)
    shutil.rmtree(out / name, ignore_errors=True)
    beside = subprocess.Popen(["bash", "-c", case.beside], cwd=folder, env=env) if case.beside else None
    began = time.monotonic()
    command = [INQUEST, "run", "--out", str(out / name), "--", *case.command.split()]
    if case.link:  # a network of its own, whose one link is as slow as that between two old nodes
        shape = f'ip link set lo up; tc qdisc add dev lo root tbf rate {case.link} burst 2mb latency 100ms; exec "$@"'
        command = ["unshare", "-n", "bash", "-c", shape, "bash", *command]
        env["GLOO_SOCKET_IFNAME"] = "lo"
    done = subprocess.run(command, cwd=folder, env=env, check=False)
    print(f"{name}: status {done.returncode} after {time.monotonic() - began:.0f} s", flush=True)
    if beside:
        beside.wait()


def main() -> None:
    out = Path(sys.argv[1])
    for name in sys.argv[2:] or CASES:
        record(name, out)


if __name__ == "__main__":
    main()
