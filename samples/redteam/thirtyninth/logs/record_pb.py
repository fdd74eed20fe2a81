"""Runs the programs of pb again and keeps their logs: record_pb.py OUT [CASE...]."""

import hashlib
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
from typing import IO

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
ENV = {**os.environ, "OMP_NUM_THREADS": "1", "KERAS_BACKEND": "torch"}


def put(work: Path, source: str, name: str) -> None:
    shutil.copy(HERE / source, work / name)


def l11_glacier(work: Path) -> list[Path]:
    """All processes end at one stroke in mid-run; the rank's own files are what is kept."""
    put(work, "l11_glacier.py", "calving.py")
    command = [PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "calving.py"]
    with open(work / "screen.txt", "w") as screen:
        proc = subprocess.Popen(
            command,
            cwd=work,
            env=ENV,
            stdin=subprocess.DEVNULL,
            stdout=screen,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        time.sleep(float(os.environ.get("L11_SECONDS", "40")))
        table = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        own = [int(pid) for pid, parent in map(str.split, table.splitlines()) if int(parent) == proc.pid]
        for pid in (proc.pid, *own):
            os.kill(pid, signal.SIGKILL)
        proc.wait()
    return sorted((work / "logs").iterdir())


def l17_glyphs(work: Path) -> list[Path]:
    put(work, "l17_glyphs.py", "glyphs.py")
    with open(work / "glyphs.out", "w") as out, open(work / "glyphs.err", "w") as err:
        subprocess.run([PYTHON, "glyphs.py"], cwd=work, env=ENV, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
    return [work / "glyphs.out", work / "glyphs.err"]


def as_docker(stream: IO[str], name: str, to: IO[str], lock: threading.Lock) -> None:
    for line in stream:
        now = time.time_ns()
        second = datetime.fromtimestamp(now // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        stamp = f"{second}.{now % 10**9:09d}Z"
        with lock:
            to.write(
                json.dumps({"log": line, "stream": name, "time": stamp}, separators=(",", ":"), ensure_ascii=False)
                + "\n"
            )
            to.flush()


def l19_beehive(work: Path) -> list[Path]:
    """The other hive is never started; a real filter writes docker's json-file form around the real lines."""
    put(work, "l19_beehive.py", "swarm.py")
    env = {**ENV, "HIVE": "0", "QUEEN": "127.0.0.1", "QUEEN_DOOR": "29577", "TORCH_CPP_LOG_LEVEL": "ERROR"}
    kept = work / f"{hashlib.sha256(b'hive-0').hexdigest()}-json.log"
    command = [PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "swarm.py"]
    proc = subprocess.Popen(
        command, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    lock = threading.Lock()
    assert proc.stdout
    assert proc.stderr
    with open(kept, "w") as to:
        pumps = [
            threading.Thread(target=as_docker, args=(stream, name, to, lock))
            for stream, name in ((proc.stdout, "stdout"), (proc.stderr, "stderr"))
        ]
        for pump in pumps:
            pump.start()
        proc.wait()
        for pump in pumps:
            pump.join()
    return [kept]


CASES: dict[str, Callable[[Path], list[Path]]] = {
    case.__name__: case for case in (l11_glacier, l17_glyphs, l19_beehive)
}


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, kept = out / "work" / name, out / "logs" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        begin = time.monotonic()
        for file in CASES[name](work):
            shutil.copy(file, kept / file.name)
        print(f"{name}: {time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main()
