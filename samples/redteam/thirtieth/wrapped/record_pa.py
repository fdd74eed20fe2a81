"""Runs the programs of the first ten lots that come recorded: `python -m samples.redteam.thirtieth.wrapped.record_pa OUT [CASE...]`."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
PY = os.environ.get("PV_PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")


def copy(work: pathlib.Path, *names: str) -> list[str]:
    """Programs as they lie in somebody's directory, without the case's number."""
    return [str(shutil.copy(PROGRAMS / name, work / name.split("_", 1)[1])) for name in names]


def start(
    out: pathlib.Path, work: pathlib.Path, *cmd: str, opts: tuple[str, ...] = (), name: str = "run", **env: str
) -> subprocess.Popen[bytes]:
    """A program under the recorder, what it says goes to a file besides, in a directory of its own."""
    full = {**os.environ, "PYTHONUNBUFFERED": "1", **env}
    with open(work / f"{name}.console", "wb") as con:
        return subprocess.Popen(
            [INQUEST, "run", "--out", str(out), *opts, "--", *cmd],
            stdin=subprocess.DEVNULL,
            stdout=con,
            stderr=subprocess.STDOUT,
            cwd=work,
            env=full,
            start_new_session=True,
        )


def p03_dialects(out: pathlib.Path, work: pathlib.Path) -> None:
    """The first run is killed in the middle of a save, the second, recorded, is to go on from it."""
    (prog,) = copy(work, "p03_dialects.py")
    last = work / "runs/ch07/last.pt"
    with open(work / "parent.log", "wb") as con:
        parent = subprocess.Popen(
            [PY, prog, "--run", "runs/ch07"], cwd=work, stdout=con, stderr=subprocess.STDOUT, start_new_session=True
        )
    full, begun = 0, time.time()
    while parent.poll() is None:
        time.sleep(0.0005 if full else 0.2)
        size = last.stat().st_size if last.exists() else 0
        if not full and size:
            time.sleep(2)
            full = last.stat().st_size
        elif (full and 0 < size < 0.8 * full) or time.time() - begun > 200:
            os.killpg(parent.pid, signal.SIGKILL)
            break
    parent.wait()
    start(out, work, PY, prog, "--run", "runs/ch07", "--resume").wait(timeout=200)


def p04_canopy(out: pathlib.Path, work: pathlib.Path) -> None:
    """Boosting on survey tiles."""
    start(out, work, PY, *copy(work, "p04_canopy.py")).wait(timeout=240)


def p05_turbina(out: pathlib.Path, work: pathlib.Path) -> None:
    """An autoencoder of vibration spectra."""
    start(out, work, PY, *copy(work, "p05_turbina.py")).wait(timeout=240)


def p06_icemap(out: pathlib.Path, work: pathlib.Path) -> None:
    """A fit in a memory group of its own (cgroup v1), which its cache outgrows."""
    box = pathlib.Path("/sys/fs/cgroup/memory/icegroup")
    box.mkdir(exist_ok=True)
    (box / "memory.limit_in_bytes").write_text(str(1400 << 20))
    copy(work, "p06_icemap.py")
    try:
        start(out, work, "bash", *copy(work, "p06_fit.sh"), PY=PY, BOX=str(box)).wait(timeout=240)
    finally:
        time.sleep(1)
        box.rmdir()


def p09_glasshouse(out: pathlib.Path, work: pathlib.Path) -> None:
    """PPO in a terminal; control-C reaches the whole foreground group, as from a terminal."""
    job = start(out, work, PY, *copy(work, "p09_glasshouse.py"))
    console, begun = work / "run.console", time.time()
    while time.time() - begun < 150 and len(console.read_text(errors="replace").splitlines()) < 45:
        time.sleep(1)
    os.killpg(job.pid, signal.SIGINT)
    job.wait(timeout=60)


def p10_alloys(out: pathlib.Path, work: pathlib.Path) -> None:
    """Three machines are to meet; the third has another port in its settings."""
    (prog,) = copy(work, "p10_alloys.py")
    jobs = []
    for rank, (bench, port) in enumerate((("kelvin", "29741"), ("celsius", "29741"), ("rankine", "29714"))):
        env = {
            "RANK": str(rank),
            "LOCAL_RANK": "0",
            "WORLD_SIZE": "3",
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": port,
            "BENCH": bench,
            "PATIENCE": "75",
            "TORCH_CPP_LOG_LEVEL": "FATAL",
            "OMP_NUM_THREADS": "1",
            "ACCELERATE_USE_CPU": "true",
        }
        jobs.append(start(out, work, PY, prog, opts=("--node", bench), name=bench, **env))
        time.sleep(1.5)
    for job in jobs:
        job.wait(timeout=240)


CASES = {f.__name__: f for f in (p03_dialects, p04_canopy, p05_turbina, p06_icemap, p09_glasshouse, p10_alloys)}


def main() -> None:
    target = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:] or CASES:
        out = target / name
        shutil.rmtree(out, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix="job_") as work:
            CASES[name](out, pathlib.Path(work))
            for con in sorted(pathlib.Path(work).glob("*.console")):
                print(f"--- {name} {con.name}\n{con.read_text(errors='replace')[-6000:]}")


if __name__ == "__main__":
    main()
