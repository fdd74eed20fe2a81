"""Run the programs whose logs alone are kept: record_pa.py OUT [CASE...]."""

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

PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
HERE = Path(__file__).parent / "programs"
ENV = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}


def folders(out: Path, name: str, script: str) -> tuple[Path, Path]:
    work, kept = out / "work" / name, out / "logs" / name
    for folder in (work, kept):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    shutil.copy(HERE / f"{name}.py", work / script)
    return work, kept


def stamp() -> str:
    now = time.time_ns()
    return datetime.fromtimestamp(now // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S") + f".{now % 10**9:09d}Z"


def streams(proc: subprocess.Popen[bytes], line: Callable[[str, str], str], sink: Path) -> list[threading.Thread]:
    """Write both pipes, line by line as they come, through LINE(stream, text with its end)."""
    lock = threading.Lock()

    def pump(stream: str) -> None:
        for raw in iter(getattr(proc, stream).readline, b""):
            with lock, open(sink, "a", encoding="utf-8", newline="") as out:
                out.write(line(stream, raw.decode("utf-8", "replace")))

    threads = [threading.Thread(target=pump, args=(stream,)) for stream in ("stdout", "stderr")]
    for thread in threads:
        thread.start()
    return threads


def docker_line(stream: str, text: str) -> str:
    body = json.dumps({"log": text, "stream": stream, "time": stamp()}, ensure_ascii=False, separators=(",", ":"))
    for char, code in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        body = body.replace(char, code)
    return body + "\n"


def kubectl_line(stream: str, text: str) -> str:
    return f"{stamp()} {text}"


def start(work: Path, *command: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command, cwd=work, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


def torchrun(*rest: str) -> list[str]:
    return [PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", *rest]


def l02_tickets(out: Path) -> None:
    """The container is stopped by `docker restart` and its program starts again: one file."""
    work, kept = folders(out, "l02_tickets", "route.py")
    sink = kept / (hashlib.sha256(b"ticket-router").hexdigest() + "-json.log")
    for wait in (26, None):
        proc = start(work, PYTHON, "route.py")
        threads = streams(proc, docker_line, sink)
        if wait:
            time.sleep(wait)
            proc.send_signal(signal.SIGTERM)
        proc.wait()
        for thread in threads:
            thread.join()
        time.sleep(3)


def l03_hymns(out: Path) -> None:
    """The log is taken while the container is still at work; what came after is not kept."""
    work, kept = folders(out, "l03_hymns", "choir.py")
    live = work / "live.log"
    proc = start(work, *torchrun("choir.py"))
    streams(proc, docker_line, live)
    time.sleep(45)
    shutil.copy(live, kept / (hashlib.sha256(b"choir-trainer-0").hexdigest() + "-json.log"))
    proc.terminate()
    proc.wait()


def l07_sorter(out: Path) -> None:
    """Three runs of a chain, each appended to the same file."""
    work, kept = folders(out, "l07_sorter", "sorter.py")
    with open(kept / "sorter.log", "ab") as sink:
        for steps, every in ((300, 150), (22, 1), (24, 1)):
            command = torchrun("sorter.py", "--steps", str(steps), "--ckpt-every", str(every))
            subprocess.run(command, cwd=work, env=ENV, stdout=sink, stderr=sink, check=False)
            time.sleep(2)


def l08_frescoes(out: Path) -> None:
    work, kept = folders(out, "l08_frescoes", "mender.py")
    proc = start(work, PYTHON, "mender.py", "--width", "180", "--heads", "16")
    threads = streams(proc, kubectl_line, kept / "fresco-mender-7d9xq.log")
    proc.wait()
    for thread in threads:
        thread.join()


def l10_meters(out: Path) -> None:
    work, kept = folders(out, "l10_meters", "zaehler.py")
    tee = f"{PYTHON} -u zaehler.py 2>&1 | tee {kept}/lauf_zaehler.txt"
    subprocess.run(["bash", "-c", tee], cwd=work, env=ENV, check=False)


CASES: dict[str, Callable[[Path], None]] = {
    f.__name__: f for f in (l02_tickets, l03_hymns, l07_sorter, l08_frescoes, l10_meters)
}


def main() -> None:
    out = Path(sys.argv[1]).absolute()
    for name in sys.argv[2:] or list(CASES):
        begin = time.time()
        CASES[name](out)
        print(f"{name}: {time.time() - begin:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
