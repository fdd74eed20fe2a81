"""Run the programs of share pa again and keep their logs: record_pa.py OUT [CASE...] fills OUT/logs/CASE.

PYTHON names the interpreter with torch and xgboost, START_SLURM the script that brings up a Slurm (for l07).
"""

from __future__ import annotations

import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
START_SLURM = os.environ.get("START_SLURM", "/work/shared/slurm/start-slurm")
SLURM_STATE = os.environ.get("SLURM_STATE", "/tmp/bu_pa/s1")
ENV = {**os.environ, "PATH": f"{Path(PYTHON).parent}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "PY": "python"}


def drain(fd: int) -> None:
    """Read a terminal until it closes."""
    try:
        while os.read(fd, 65536):
            pass
    except OSError:
        pass


def put(work: Path, **files: str) -> None:
    """Copy programs under the names that they have where they run."""
    for source, target in files.items():
        kind = "sh" if target.endswith(".sh") else "py"
        shutil.copy(PROGRAMS / f"{source}.{kind}", work / target)


def on_terminal(work: Path, cmd: list[str]) -> tuple[subprocess.Popen[bytes], int]:
    """Start a command with a terminal of its own."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (48, 160))
    proc = subprocess.Popen(
        cmd,
        cwd=work,
        env={**ENV, "TERM": "xterm-256color", "SHELL": "/bin/bash"},
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    threading.Thread(target=drain, args=(master,), daemon=True).start()
    return proc, master


def l02_darkroom(work: Path, place: Path) -> None:
    put(work, p02_darkroom="train.py")
    subprocess.run([PYTHON, str(PROGRAMS / "p00_data_pa.py")], cwd=work, check=True)
    on_terminal(work, ["nohup", "python", "train.py"])[0].wait(200)
    shutil.copy(work / "nohup.out", place)


def l04_tetno(work: Path, place: Path) -> None:
    put(work, p04_tetno="tetno.py", p04_uruchom="uruchom.sh")
    with (place / "tetno.out").open("wb") as out, (place / "tetno.err").open("wb") as err:
        subprocess.run(["bash", "uruchom.sh"], cwd=work, env=ENV, stdout=out, stderr=err, check=False)


def l06_rents(work: Path, place: Path) -> None:
    put(work, p06_rents="rents.py")
    proc, master = on_terminal(work, ["script", "-f", "typescript"])
    time.sleep(2)
    os.write(master, b"ls\r")
    time.sleep(2)
    os.write(master, f"{PYTHON} rents.py\r".encode())
    time.sleep(75)
    shutil.copy(work / "typescript", place)
    os.close(master)
    proc.terminate()
    proc.wait(30)


def l07_wings(work: Path, place: Path) -> None:
    started = subprocess.run(
        [START_SLURM, "start", SLURM_STATE, "1"], check=True, text=True, stdout=subprocess.PIPE
    ).stdout
    env = {**ENV, **dict(x.removeprefix("export ").split("=", 1) for x in started.splitlines())}
    put(work, p07_wings="wings.py")
    shutil.copy(PROGRAMS / "p07_wings.sh", work / "wings.sh")
    data = work.parent / (work.name + ".archive")
    data.mkdir()
    subprocess.run([PYTHON, str(PROGRAMS / "p00_data_pa.py")], cwd=data, check=True)
    subprocess.run(
        ["sbatch", "-W", "-c2", "--mem=6G", "wings.sh"],
        cwd=work,
        env={**env, "CALLS_SRC": str(data / "calls")},
        check=False,
    )
    for path in work.glob("wings-*.out"):
        shutil.copy(path, place)
    shutil.rmtree(data)


def l08_tinygpt(work: Path, place: Path) -> None:
    put(work, p08_tinygpt="tinygpt.py")
    proc = subprocess.Popen(
        ["bash", "-c", "python tinygpt.py 2>&1 | tee train.log"],
        cwd=work,
        env=ENV,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(130)
    shutil.copy(work / "train.log", place)
    os.killpg(proc.pid, signal.SIGKILL)


def l10_flow(work: Path, place: Path) -> None:
    put(work, p10_flow="flow.py", p10_entrypoint="entrypoint.sh")
    proc = subprocess.Popen(
        ["bash", "entrypoint.sh"], cwd=work, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    with (place / "galflow-train-7c5kd.log").open("w") as f:
        for line in proc.stdout or ():
            now = time.time_ns()
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9))
            f.write(f"{stamp}.{now % 10**9:09d}Z {line}")


CASES = {f.__name__: f for f in (l02_darkroom, l04_tetno, l06_rents, l07_wings, l08_tinygpt, l10_flow)}


def record(out: Path, case: str) -> None:
    """Run one case in a place of its own."""
    place = out / "logs" / case
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    work = Path(tempfile.mkdtemp(prefix="w-"))
    CASES[case](work, place)
    shutil.rmtree(work, ignore_errors=True)
    print(case, *(p.name for p in place.iterdir()), flush=True)


if __name__ == "__main__":
    with ThreadPoolExecutor(int(os.environ.get("JOBS", "1"))) as pool:
        for result in [pool.submit(record, Path(sys.argv[1]).resolve(), n) for n in sys.argv[2:] or CASES]:
            result.result()
