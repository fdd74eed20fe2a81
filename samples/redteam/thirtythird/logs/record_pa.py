"""Run the first share's programs whose log alone is left: ``python -m samples.redteam.thirtythird.logs.record_pa OUT [CASE...]``."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Final

HERE: Final = Path(__file__).parent
JOBS: Final = Path("/tmp/bu_pa/job")
PYTHON: Final = "/tmp/pv/bin/python"


def stamp() -> str:
    ns = time.time_ns()
    whole = datetime.fromtimestamp(ns // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{whole}.{ns % 10**9:09d}".rstrip("0") + "Z"


def docker(command: list[str], cwd: Path, target: Path, until: str, grace: float) -> None:
    """What docker's json-file driver writes; the copy is taken ``grace`` seconds after the text ``until`` is printed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "INQUEST"))} | {"OMP_NUM_THREADS": "1"}
    run = subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        errors="replace",
    )
    lock, copied, lines = threading.Lock(), threading.Event(), []

    def read(pipe: IO[str], stream: str) -> None:
        for line in pipe:
            with lock:
                lines.append(
                    json.dumps(
                        {"log": line, "stream": stream, "time": stamp()}, ensure_ascii=False, separators=(",", ":")
                    )
                )
            if until in line:
                copied.set()

    pipes = [(run.stdout, "stdout"), (run.stderr, "stderr")]
    threads = [threading.Thread(target=read, args=p, daemon=True) for p in pipes if p[0] is not None]
    for t in threads:
        t.start()
    copied.wait(200)
    time.sleep(grace)
    with lock:
        target.write_text("\n".join(lines) + "\n")
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()


def nuclei(out: Path) -> None:
    cwd = JOBS / "nuclei"
    cwd.mkdir(parents=True, exist_ok=True)
    for source, name in (
        ("l10_seg.py", "train.py"),
        ("l10_gateway.py", "thumbd.py"),
        ("l10_entry.sh", "entrypoint.sh"),
    ):
        shutil.copy(HERE / "programs" / source, cwd / name)
    name = "8f1c3b7de40a95c26b1e07f4d2a9380c5be6471f9d0382aa7c4e15f60b93d8e2-json.log"
    docker(["bash", "entrypoint.sh"], cwd, out / name, "slide HE-2375", 0.7)


def sonar(out: Path) -> None:
    """As typed: ``python sweep.py 2>&1 | tee sweep.log``."""
    cwd = JOBS / "despeckle"
    cwd.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "programs" / "l02_denoise.py", cwd / "sweep.py")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "INQUEST"))} | {"OMP_NUM_THREADS": "1"}
    subprocess.run(
        ["bash", "-c", f"{PYTHON} sweep.py 2>&1 | tee sweep_speckle4.log"], cwd=cwd, env=env, check=False, timeout=300
    )
    shutil.copy(cwd / "sweep_speckle4.log", out)


CASES: Final = {"l02_sonar": sonar, "l10_slides": nuclei}


def main() -> None:
    copies = Path(sys.argv[1])
    for name in sys.argv[2:] or CASES:
        folder = HERE / "recorded" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        CASES[name](folder)
        shutil.copytree(folder, copies / name, dirs_exist_ok=True)
        print(name, sum(p.stat().st_size for p in folder.iterdir()), "bytes", flush=True)


if __name__ == "__main__":
    main()
