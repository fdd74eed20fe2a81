"""Runs share pa's programs of which logs are left: ``record_pa.py OUT [CASE...]`` writes OUT/logs/CASE; REAL runs.

p01 needs a Slurm (``shared/slurm/start-slurm``) whose variables are in the environment.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
RUNS = Path("/tmp/runs_pa")
ENV = {**os.environ, "PATH": f"/tmp/pv/bin:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}


def place(case: str, **names: str) -> Path:
    """A fresh folder with the programs under the names their authors gave them."""
    folder = RUNS / case.split("_")[1]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for suffix, name in names.items():
        shutil.copy(HERE / f"{case}.{suffix}", folder / name)
    return folder


def keep(out: Path, case: str, *files: Path) -> None:
    target = out / "logs" / case
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for f in files:
        shutil.copy(f, target / f.name)


def running(folder: Path, word: str) -> list[int]:
    """Processes of this folder whose command line has the word, by id."""
    found = []
    for p in Path("/proc").glob("[0-9]*"):
        try:
            if (p / "cwd").readlink() == folder and word.encode() in (p / "cmdline").read_bytes():
                found.append(int(p.name))
        except OSError:
            continue
    return sorted(found)


def wait_for(path: Path, text: str, limit: float = 150) -> None:
    end = time.monotonic() + limit
    while time.monotonic() < end and not (path.exists() and text in path.read_text(errors="replace")):
        time.sleep(0.3)


def l01_petal(out: Path) -> None:
    d = place("p01_petal", py="train_dn.py", sh="petal.sbatch")
    job = subprocess.run(
        ["sbatch", "--parsable", "-W", "petal.sbatch"], cwd=d, env=ENV, check=False, capture_output=True, text=True
    )
    keep(out, "l01_petal", d / f"petal-{job.stdout.strip()}.out")


def l02_gravel(out: Path) -> None:
    d = place("p02_gravel", py="train_gravel.py", sh="nightly.sh")
    log = d / "nohup.out"
    with log.open("wb") as f:
        f.write(b"nohup: ignoring input\n")
        f.flush()
        run = subprocess.Popen(
            ["nohup", "bash", "nightly.sh"],
            cwd=d,
            env=ENV,
            stdout=f,
            stderr=f,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_for(log, "step 150/3000")
        with (d / "cache/.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            time.sleep(100)
            os.kill(running(d, "torchrun")[0], signal.SIGTERM)
            run.wait(90)
    keep(out, "l02_gravel", log)


def l07_marten(out: Path) -> None:
    d = place("p07_marten", py="ppo.py")
    log = d / "train.log"
    run = subprocess.Popen(["bash", "-c", "python ppo.py 2>&1 | tee train.log"], cwd=d, env=ENV, start_new_session=True)
    wait_for(log, "update 28/240")
    line = next(x for x in log.read_text().splitlines() if "env workers" in x)
    worker = int(line.split("[")[-1].split(",")[2].strip(" ]"))
    main = int(line.split("pid ")[1].split(",")[0])
    os.kill(worker, signal.SIGSTOP)
    time.sleep(80)
    os.kill(main, signal.SIGINT)
    time.sleep(4)
    os.kill(worker, signal.SIGCONT)
    time.sleep(3)
    for pid in running(d, "ppo.py"):
        os.kill(pid, signal.SIGTERM)
    run.wait(60)
    keep(out, "l07_marten", log)


def l09_lipa(out: Path) -> None:
    d = place("p09_lipa", py="lipa.py")
    log = d / "lipa-trainer-0.log"
    run = subprocess.Popen(
        ["python", "lipa.py"], cwd=d, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    end = time.monotonic() + 75
    with log.open("w") as f:
        for row in run.stdout or ():
            ns = time.time_ns()
            f.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(ns // 10**9))}.{ns % 10**9:09d}Z {row}")
            f.flush()
            if time.monotonic() > end:
                break
    keep(out, "l09_lipa", log)
    run.kill()


def l10_otter(out: Path) -> None:
    d = place("p10_otter", py="train_otter.py")
    (d / "data").mkdir()
    (d / "data/rows.pt").write_bytes(b"PK\x03\x04\x00\x00\x08\x08" + bytes(4096))
    (d / "go.sh").write_text('cd $(dirname $0)\nhostname; date\npython train_otter.py\necho "exit code $?"\ndate\n')
    run = subprocess.Popen(
        ["script", "-f", "-c", "bash go.sh", "typescript"],
        cwd=d,
        env={**ENV, "SHELL": "/bin/bash", "TERM": "xterm-256color"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    wait_for(d / "typescript", "loss")
    time.sleep(30)
    pids = running(d, "python\0train_otter.py")
    os.kill(pids[-1], signal.SIGKILL)
    run.wait(60)
    keep(out, "l10_otter", d / "typescript")


CASES = {f.__name__: f for f in (l01_petal, l02_gravel, l07_marten, l09_lipa, l10_otter)}

if __name__ == "__main__":
    for name in sys.argv[2:] or CASES:
        CASES[name](Path(sys.argv[1]).resolve())
