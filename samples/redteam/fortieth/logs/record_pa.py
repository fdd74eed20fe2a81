"""Run the programs of share pa kept as logs again: record_pa.py OUT [CASE...] fills OUT/logs/CASE."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
ENV = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "TERM": "xterm-256color"}


def shell(work: Path, line: str, **env: str) -> int:
    """Run a line of bash in the work folder."""
    return subprocess.run(["bash", "-c", line], cwd=work, env={**ENV, **env}, stdin=subprocess.DEVNULL).returncode


def l01_saltmarsh(work: Path) -> dict[str, str]:
    """Seeds one after the other into one file, on a small file system that fills (a tmpfs in its own mount space)."""
    shutil.copy(HERE / "p01_saltmarsh.py", work / "acro_ppo.py")
    keep = work / "keep"
    keep.mkdir()
    script = (
        f"mount -t tmpfs -o size=66m scratch {keep}\n"
        f"for s in 11 12 13 14 15; do {PYTHON} acro_ppo.py --seed $s --keep keep >> acro_all.log 2>&1 || break\n"
        "done"
    )
    subprocess.run(["unshare", "-m", "bash", "-c", script], cwd=work, env=ENV, stdin=subprocess.DEVNULL)
    return {"acro_all.log": "acro_all.log"}


def l03_bookmoth(work: Path) -> dict[str, str]:
    """Through tee."""
    shutil.copy(HERE / "p03_bookmoth.py", work / "train_bpr.py")
    shell(work, f"{PYTHON} train_bpr.py 2>&1 | tee bm-2231.jsonl")
    return {"bm-2231.jsonl": "bm-2231.jsonl"}


def l04_gorse(work: Path) -> dict[str, str]:
    """In script(1)."""
    shutil.copy(HERE / "p04_gorse.py", work / "fit_trails.py")
    shell(work, f"script -e -c 'stty rows 34 cols 118; {PYTHON} fit_trails.py' typescript > /dev/null")
    return {"typescript": "typescript"}


def l05_tollhouse(work: Path) -> dict[str, str]:
    """As docker's json-file driver keeps it: a line of either stream at a time, with the time it came."""
    shutil.copy(HERE / "p05_tollhouse.py", work / "forecast.py")
    name = "7d1be04c96f2a85530e1c47b9fd8263a6b0c5de91f744a2283ce60917bd5f3a8-json.log"
    lock = threading.Lock()
    proc = subprocess.Popen([PYTHON, "forecast.py"], cwd=work, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def pump(pipe: BinaryIO, stream: str) -> None:
        for raw in iter(pipe.readline, b""):
            now = time.time_ns()
            when = f"{datetime.fromtimestamp(now // 10**9, UTC):%Y-%m-%dT%H:%M:%S}.{now % 10**9:09d}Z"
            row = json.dumps(
                {"log": raw.decode(errors="replace"), "stream": stream, "time": when},
                ensure_ascii=False,
                separators=(",", ":"),
            )
            with lock, open(work / name, "a", encoding="utf-8") as fh:
                fh.write(row + "\n")

    assert proc.stdout
    assert proc.stderr
    pumps = [threading.Thread(target=pump, args=a) for a in ((proc.stdout, "stdout"), (proc.stderr, "stderr"))]
    for p in pumps:
        p.start()
    for p in pumps:
        p.join()
    proc.wait()
    return {name: name}


def l06_lapwing(work: Path) -> dict[str, str]:
    """Under nohup at a terminal, so that nohup.out comes of itself."""
    shutil.copy(HERE / "p06_lapwing.py", work / "ppo_pole.py")
    shell(work, f"script -q -e -c 'nohup {PYTHON} ppo_pole.py --total-timesteps 3e3' /dev/null > /dev/null")
    return {"nohup.out": "nohup.out"}


def slow_down(stop: threading.Event, work: Path) -> None:
    """Hold back rank 2 of the launch in this folder as cpulimit does: stop, go on, stop, go on."""
    pid = 0
    while not stop.is_set() and not pid:
        time.sleep(0.5)
        for p in Path("/proc").iterdir():
            try:
                if (
                    p.name.isdigit()
                    and os.readlink(p / "cwd") == str(work)
                    and (b"\0RANK=2\0" in (p / "environ").read_bytes())
                ):
                    pid = int(p.name)
            except OSError:
                continue
    try:
        while not stop.is_set():
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.054)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.009)
    except ProcessLookupError:
        return


def l07_kestrel(work: Path) -> dict[str, str]:
    """Four processes under nohup; the one of rank 2 gets a seventh of a core only."""
    shutil.copy(HERE / "p07_kestrel.py", work / "gauges.py")
    stop = threading.Event()
    brake = threading.Thread(target=slow_down, args=(stop, work))
    brake.start()
    run = f"{Path(PYTHON).parent}/torchrun --standalone --nproc_per_node 4 gauges.py"
    shell(work, f"script -q -e -c 'nohup {run}' /dev/null > /dev/null")
    stop.set()
    brake.join()
    return {"nohup.out": "nohup.out"}


def l10_twinflower(work: Path) -> dict[str, str]:
    """Out and err apart."""
    shutil.copy(HERE / "p10_twinflower.py", work / "pairs.py")
    shell(work, f"{PYTHON} pairs.py --make")
    shell(work, f"{PYTHON} pairs.py > pairs.out 2> pairs.err")
    return {"pairs.out": "pairs.out", "pairs.err": "pairs.err"}


CASES: dict[str, Callable[[Path], dict[str, str]]] = {
    f.__name__: f
    for f in (l01_saltmarsh, l03_bookmoth, l04_gorse, l05_tollhouse, l06_lapwing, l07_kestrel, l10_twinflower)
}


def main() -> None:
    """Record the cases named, or all."""
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or CASES:
        work, case = out / "work" / name, out / "logs" / name
        for d in (work, case):
            shutil.rmtree(d, ignore_errors=True)
            d.mkdir(parents=True)
        for src, dst in CASES[name](work).items():
            shutil.copy(work / src, case / dst)
        print(name, flush=True)


if __name__ == "__main__":
    main()
