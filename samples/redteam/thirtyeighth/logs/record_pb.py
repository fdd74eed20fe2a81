"""Run the logged programs 12 to 15, 18, 19 again: record_pb.py OUT [CASE...] fills OUT/logs/CASE.

script(1), tee and nohup are the real ones; the journal and kubectl stamps are put before the real lines by filters.
"""

import datetime
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
HERE = Path(__file__).resolve().parent / "programs"


def put(work: Path, source: str, name: str) -> None:
    shutil.copy(HERE / source, work / name)


def kube(cmd: list[str], work: Path, env: dict[str, str], kept: Path) -> None:
    """What `kubectl logs --timestamps POD` gives: every line with its RFC 3339 time."""
    job = subprocess.Popen(cmd, cwd=work, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert job.stdout is not None
    with kept.open("wb") as out:
        for line in job.stdout:
            ns = time.time_ns()
            base = datetime.datetime.fromtimestamp(ns // 10**9, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S")
            out.write(f"{base}.{ns % 10**9:09d}Z ".encode() + line.rstrip(b"\n") + b"\n")
    job.wait()


def l12_befund(work: Path, env: dict[str, str], kept: Path) -> None:
    put(work, "l12_befund.py", "befund.py")
    env.update(TERM="xterm-256color", COLUMNS="118")
    subprocess.run(
        ["script", "-q", "-c", f"{PYTHON} befund.py", str(kept / "typescript")],
        cwd=work,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )


def l13_strom(work: Path, env: dict[str, str], kept: Path) -> None:
    put(work, "l13_strom.py", "load_sweep.py")
    lock = threading.Lock()
    with (kept / "load-sweep.journal.txt").open("w", encoding="utf-8") as out:

        def line(tag: str, text: str) -> None:
            with lock:
                out.write(f"{time.strftime('%b %d %H:%M:%S')} umspann02 {tag}: {text}\n")

        def reader(job: subprocess.Popen[bytes]) -> None:
            assert job.stdout is not None
            for raw in job.stdout:
                line(f"load-sweep[{job.pid}]", raw.decode("utf-8", "replace").rstrip("\n"))

        line("systemd[1]", "Started load-sweep.service - Learning-rate sweep for the load forecast.")
        jobs, readers = [], []
        for rank in range(2):
            more = {
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "WORLD_SIZE": "2",
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": "29755",
                "ACT_SPECTRUM": str(rank),
            }
            jobs.append(
                subprocess.Popen(
                    [PYTHON, "load_sweep.py"],
                    cwd=work,
                    env={**env, **more},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                )
            )
            readers.append(threading.Thread(target=reader, args=(jobs[-1],)))
            readers[-1].start()
        for part in readers:
            part.join()
        codes = [job.wait() for job in jobs]
        if any(codes):
            line("systemd[1]", f"load-sweep.service: Main process exited, code=exited, status={max(codes)}/FAILURE")
        else:
            line("systemd[1]", "load-sweep.service: Deactivated successfully.")


def l14_ziffern(work: Path, env: dict[str, str], kept: Path) -> None:
    put(work, "l14_ziffern.py", "tune_digits.py")
    subprocess.run(
        ["bash", "-c", f"{PYTHON} tune_digits.py 2>&1 | tee {kept / 'tune_digits.log'}"],
        cwd=work,
        env=env,
        stdout=subprocess.DEVNULL,
        check=False,
    )


def l15_korall(work: Path, env: dict[str, str], kept: Path) -> None:
    put(work, "l15_korall.py", "reef_ddp.py")
    kube([PYTHON, "reef_ddp.py"], work, env, kept / "reef-train-7c4hq.log")


def l18_geige(work: Path, env: dict[str, str], kept: Path) -> None:
    for source, name in (("l18_geige.py", "tone.py"), ("l18_grade.py", "grade.py"), ("l18_geige.sh", "pipeline.sh")):
        put(work, source, name)
    with (kept / "nohup.out").open("wb") as out:
        subprocess.run(
            ["nohup", "bash", "pipeline.sh"],
            cwd=work,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            check=False,
        )


def l19_rufe(work: Path, env: dict[str, str], kept: Path) -> None:
    put(work, "l19_rufe.py", "asr.py")
    put(work, "l19_rufe.sh", "nightly.sh")
    kube(["sh", "nightly.sh"], work, env, kept / "birds-nightly-29381-xk2vd.log")


CASES: dict[str, Callable[[Path, dict[str, str], Path], None]] = {
    f.__name__: f for f in (l12_befund, l13_strom, l14_ziffern, l15_korall, l18_geige, l19_rufe)
}


def main() -> None:
    base = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, kept = base / "work" / name, base / "logs" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        t0 = time.time()
        CASES[name](work, {**os.environ, "OMP_NUM_THREADS": "1", "PYTHON": PYTHON}, kept)
        print(f"{name} {time.time() - t0:.0f} s", flush=True)


if __name__ == "__main__":
    main()
