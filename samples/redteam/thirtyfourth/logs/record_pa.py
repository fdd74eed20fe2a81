"""Runs the log programs of share pa: python -m samples.redteam.thirtyfourth.logs.record_pa OUT [CASE...]."""

import datetime as dt
import os
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
PY = "/tmp/pv/bin/python"
JOBS = Path("/tmp/bu_pa/job")


def workdir(project: str, **files: str) -> Path:
    """A fresh project folder with the programs under the names their author gave them."""
    d = JOBS / project
    shutil.rmtree(d, ignore_errors=True)
    d.mkdir(parents=True)
    for name, source in files.items():
        shutil.copy(HERE / "programs" / source, d / name.replace("__", "."))
    return d


def env(**more: str) -> dict[str, str]:
    return {
        **os.environ,
        "PY": PY,
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONWARNINGS": "",
        **more,
    }


def kill_by_pid_file(path: Path, after: float) -> None:
    """From another process's point of view: once the pid is there, wait, then SIGKILL."""
    while not path.exists() or not path.read_text().strip():
        time.sleep(0.2)
    time.sleep(after)
    os.kill(int(path.read_text()), signal.SIGKILL)


def journal(host: str, ident: str) -> Callable[[int, str], str]:
    def stamp(pid: int, line: str) -> str:
        return f"{dt.datetime.now().astimezone():%b %d %H:%M:%S} {host} {ident}[{pid}]: {line}\n"

    return stamp


def kubectl(pid: int, line: str) -> str:
    return f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%S.%f}{time.time_ns() % 1000:03d}Z {line}\n"


def stamped(
    cmd: list[str],
    cwd: Path,
    to: Path,
    stamp: Callable[[int, str], str],
    more: dict[str, str],
    copied_after: float | None = None,
) -> int:
    """Runs cmd, stamps each line as it comes; with copied_after, the copy was taken then (the run is ended later)."""
    p = subprocess.Popen(
        cmd,
        cwd=cwd,
        env=env(PYTHONUNBUFFERED="1", **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    if copied_after:
        threading.Timer(copied_after, lambda: os.killpg(p.pid, signal.SIGKILL)).start()
    began = time.time()
    assert p.stdout
    with to.open("a", encoding="utf-8") as out:
        for line in p.stdout:
            if copied_after and time.time() - began > copied_after - 0.5:
                break
            out.write(stamp(p.pid, line.rstrip("\n")))
            out.flush()
    return p.wait()


def apart(cmd: list[str], cwd: Path, out: Path, err: Path, more: dict[str, str] | None = None) -> int:
    with out.open("w") as o, err.open("w") as e:
        return subprocess.run(cmd, cwd=cwd, env=env(**(more or {})), stdout=o, stderr=e, check=False).returncode


def l01_corpus(to: Path) -> None:
    d = workdir(
        "registers", rebuild_vectors__sh="l01_corpus.sh", registers__py="l01_registers.py", vectors__py="l01_vectors.py"
    )
    threading.Thread(target=kill_by_pid_file, args=(d / "vectors.pid", 50.0), daemon=True).start()
    subprocess.run(
        ["bash", "-c", f"bash rebuild_vectors.sh 2>&1 | tee {to}/rebuild.log >/dev/null"], cwd=d, env=env(), check=False
    )


def l02_widma(to: Path) -> None:
    d = workdir("widma", widma__py="l02_widma.py", job__sh="l02_job.sh")
    slurm = {
        "SLURM_JOB_ID": "2291407",
        "SLURM_JOB_NAME": "widma",
        "SLURMD_NODENAME": "gpu14",
        "SLURM_SUBMIT_DIR": "/home/mwrona/raman",
    }
    with (to / "slurm-2291407.out").open("w") as o:
        subprocess.run(["bash", "job.sh"], cwd=d, env=env(**slurm), stdout=o, stderr=subprocess.STDOUT, check=False)


def l03_shelf(to: Path) -> None:
    d = workdir("shelf", shelf__py="l03_shelf.py")
    path = to / "journal.txt"
    sysd = journal("bogkasse", "systemd")
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    path.write_text(sysd(1, "Started shelf-fit.service - Nightly fit of the shelf recommender."))
    stamped([PY, "shelf.py"], d, path, journal("bogkasse", "shelf-fit"), {"STRIDE": "4"})
    with path.open("a") as f:
        f.write(sysd(1, "shelf-fit.service: Deactivated successfully."))
        f.write(
            sysd(
                1,
                f"shelf-fit.service: Consumed {resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used:.3f}s CPU time.",
            )
        )


def l05_birds(to: Path) -> None:
    d = workdir("birds", train__py="l05_birds.py")
    apart([PY, "train.py"], d, to / "train.out", to / "train.err")


def l06_tide(to: Path) -> None:
    d = workdir("tide", fit__py="l06_tide.py")
    path = to / "journal.txt"
    path.write_text(journal("brest-gpu2", "systemd")(1, "Started tide-fit.service - Tide gauge surge model."))
    stamped([PY, "fit.py"], d, path, journal("brest-gpu2", "tide-fit"), {}, 75.0)


def l07_pares(to: Path) -> None:
    d = workdir("pares", treino__py="l07_pares.py")
    stamped([PY, "treino.py"], d, to / "pares-treino-7xk2p.log", kubectl, {}, 80.0)


def l08_letters(to: Path) -> None:
    d = workdir("letters", finetune__py="l08_letters.py", cap__py="l08_cap.py", all__sh="l08_all.sh")
    with (to / "finetune.log").open("w") as o:
        subprocess.run(["bash", "all.sh"], cwd=d, env=env(), stdout=o, stderr=subprocess.STDOUT, check=False)


def l09_tiles(to: Path) -> None:
    d = workdir("tiles", train__py="l09_tiles.py", reindex__py="l09_reindex.py")
    other = subprocess.Popen([PY, "reindex.py"], cwd=d, env=env())
    apart([PY, "train.py"], d, to / "out.log", to / "err.log")
    other.terminate()


CASES = [l01_corpus, l02_widma, l03_shelf, l05_birds, l06_tide, l07_pares, l08_letters, l09_tiles]


def main() -> None:
    out = Path(sys.argv[1])
    for case in CASES:
        if len(sys.argv) > 2 and case.__name__ not in sys.argv[2:]:
            continue
        to = HERE / "recorded" / case.__name__
        shutil.rmtree(to, ignore_errors=True)
        to.mkdir(parents=True)
        case(to.resolve())
        shutil.rmtree(out / "logs" / case.__name__, ignore_errors=True)
        shutil.copytree(to, out / "logs" / case.__name__)
        print(case.__name__, sum(f.stat().st_size for f in to.iterdir()), "bytes", flush=True)


if __name__ == "__main__":
    main()
