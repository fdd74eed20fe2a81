"""Runs the programs of share pa again under `inquest run`: record_pa.py OUT [CASE...] writes OUT/wrapped/CASE."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")
ENV = {
    **os.environ,
    "PYTHON": PYTHON,
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PATH": f"{Path(PYTHON).parent}:{os.environ['PATH']}",
}


def put(work: Path, **names: str) -> None:
    for name, source in names.items():
        base, _, suffix = name.rpartition("_")
        shutil.copy(PROGRAMS / source, work / f"{base}.{suffix}")


def before(cmd: list[str], work: Path, log: str | None = None) -> None:
    if log is None:
        subprocess.run(cmd, cwd=work, env=ENV, check=False)
        return
    with (work / log).open("wb") as out:
        subprocess.run(cmd, cwd=work, env=ENV, stdout=out, stderr=subprocess.STDOUT, check=False)


def p01_bytelm(work: Path) -> list[str]:
    put(work, train_bytelm_py="p01_bytelm.py", run_sh="p01_bytelm.sh")
    before([PYTHON, "train_bytelm.py", "--name", "bytelm-v1", "--epochs", "1", "--batch-size", "32"], work)
    return ["bash", "run.sh"]


def p06_fourofthem(work: Path) -> list[str]:
    put(work, train_seg_py="p06_fourofthem.py")
    return [
        PYTHON,
        "train_seg.py",
        "--nnodes",
        "2",
        "--node-rank",
        "0",
        "--epochs",
        "30",
        "--master-addr",
        socket.gethostname(),
    ]


def p07_numerals(work: Path) -> list[str]:
    put(work, numerals_py="p07_numerals.py", start_sh="p07_numerals.sh")
    conf = {"devices": 2, "seed": 1234, "batch": 8, "lr": 0.003, "epochs": 60}
    (work / "conf.json").write_text(json.dumps(conf))
    before([PYTHON, "-u", "numerals.py", "conf.json"], work, "last.log")
    (work / "conf.json").write_text(json.dumps({**conf, "width": 48}))
    return ["bash", "start.sh"]


def p10_feeder(work: Path) -> list[str]:
    put(work, feeder_py="p10_feeder.py")
    return ["torchrun", "--standalone", "--nproc-per-node", "2", "feeder.py", "--epochs", "4"]


CASES = {f.__name__: f for f in (p01_bytelm, p06_fourofthem, p07_numerals, p10_feeder)}


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or CASES:
        work = out / "work" / name.partition("_")[2]
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        cmd = CASES[name](work)
        place = out / "wrapped" / name
        shutil.rmtree(place, ignore_errors=True)
        with (work / "terminal").open("wb") as terminal:
            done = subprocess.run(
                [INQUEST, "run", "--out", str(place), "--", *cmd],
                cwd=work,
                env=ENV,
                stdin=subprocess.DEVNULL,
                stdout=terminal,
                stderr=subprocess.STDOUT,
                check=False,
            )
        print(name, "status", done.returncode, flush=True)


if __name__ == "__main__":
    main()
