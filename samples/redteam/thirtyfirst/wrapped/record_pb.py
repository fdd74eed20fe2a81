"""Runs the wrapped programs 11, 12 and 16 under the recorder: python -m samples.redteam.thirtyfirst.wrapped.record_pb OUT [CASE...]."""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent / "programs"
WORK = Path("/tmp/bu_pb/work")  # where the programs live while they run
PYTHON = "/tmp/pv/bin/python"
INQUEST = "/work/main/.venv/bin/inquest"


def place(project: str, **files: str) -> Path:
    """Put the programs where their owner has them, under the names they have there."""
    folder = WORK / project
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for target, source in files.items():
        shutil.copy(HERE / source, folder / target.replace("__", "."))
    return folder


def record(
    out: Path, case: str, folder: Path, command: list[str], env: dict[str, str] | None = None, group: str = ""
) -> subprocess.Popen[bytes]:
    """Start a command under the recorder; group: a memory cgroup to start it in."""
    shutil.rmtree(out / case, ignore_errors=True)
    argv = [INQUEST, "run", "--out", str(out / case), "--", *command]
    if group:
        argv = ["/bin/sh", "-c", f'echo $$ >{group}/cgroup.procs; exec "$@"', "sh", *argv]
    with open(WORK / f"{case}.screen", "wb") as screen:
        return subprocess.Popen(
            argv, cwd=folder, env=os.environ | {"USER": "maren"} | (env or {}), stdout=screen, stderr=subprocess.STDOUT
        )


def p11_claims(out: Path) -> int:
    """An earlier short try, then the run; the nightly packer of the audit files takes the file of one process and does not let go."""
    folder = place("agri-claims", train_claims__py="p11_claims.py", run__sh="p11_claims.sh")
    subprocess.run(
        ["bash", "run.sh"],
        cwd=folder,
        env=os.environ | {"HIDDEN": "48", "STEPS": "120", "USER": "maren"},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    proc = record(out, "p11_claims", folder, ["bash", "run.sh"])
    seen = folder / "seen" / "seen.1.tsv"
    size = seen.stat().st_size
    while seen.stat().st_size < size + 44_000 and proc.poll() is None:
        time.sleep(1)
    with open(seen) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        return proc.wait()


def p12_gait(out: Path) -> int:
    """Shards come from a slow store, outside of what is recorded."""
    folder = place("gait", gait__py="p12_gait.py")
    shards = WORK / "gait-store"
    shards.mkdir(exist_ok=True)
    rng = np.random.default_rng(8)
    for i in range(12):
        y = rng.integers(0, 2, 96)
        t = np.linspace(0, 12 * np.pi, 256)
        wave = np.sin(t[None, None] * (1 + 0.25 * y[:, None, None]) + rng.uniform(0, 6, (96, 3, 1)))
        np.savez(shards / f"gait-{i:03d}.npz", x=(wave + rng.normal(0, 1.3, (96, 3, 256))).astype(np.float16), y=y)
    store = subprocess.Popen([PYTHON, str(HERE / "p12_store.py"), str(shards), "18412"])
    try:
        return record(out, "p12_gait", folder, [PYTHON, "gait.py", "http://127.0.0.1:18412"]).wait()
    finally:
        store.terminate()


def p16_herbarium(out: Path) -> int:
    """All pictures seen are kept, in a group of 1.4 GB."""
    folder = place("herbarium-pairs", train_pairs__py="p16_herbarium.py")
    group = Path("/sys/fs/cgroup/memory/herb_job_4471")
    group.mkdir(exist_ok=True)
    (group / "memory.limit_in_bytes").write_text(str(1400 << 20))
    try:
        return record(
            out, "p16_herbarium", folder, [PYTHON, "train_pairs.py", "--lr", "0.0008"], group=str(group)
        ).wait()
    finally:
        time.sleep(2)
        if not (group / "cgroup.procs").read_text():
            group.rmdir()


CASES: dict[str, Callable[[Path], int]] = {
    "p11_claims": p11_claims,
    "p12_gait": p12_gait,
    "p16_herbarium": p16_herbarium,
}


def main() -> int:
    """Record the cases named, or all."""
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    for case in sys.argv[2:] or CASES:
        print(case, CASES[case](out), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
