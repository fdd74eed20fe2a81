"""Runs the logged programs of author pa again: ``record_pa.py OUT [CASE...]`` fills OUT/logs/CASE."""

from __future__ import annotations

import datetime
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

HERE: Final = Path(__file__).resolve().parent / "programs"
PYTHON: Final = os.environ.get("PYTHON", "/tmp/pv/bin/python")
ENV: Final = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHON": PYTHON, "PYTHONUNBUFFERED": "1"}


def place(work: Path, start: str, name: str) -> None:
    """Copies a program into the work folder under the user's own name."""
    source = next(path for path in HERE.glob(f"{start}_*") if path.suffix == Path(name).suffix)
    shutil.copy(source, work / name)


def throttle(work: Path, rank: str, done: threading.Event) -> None:
    """Lets that worker run for a quarter of the time only, as a starved machine would."""
    victim = 0
    while not done.is_set():
        if not victim:
            for folder in Path("/proc").glob("[0-9]*"):
                try:
                    mine = os.readlink(folder / "cwd") == str(work)
                    named = f"LOCAL_RANK={rank}".encode() in (folder / "environ").read_bytes().split(b"\0")
                except OSError:
                    continue
                if mine and named and folder.name != str(os.getpid()):
                    victim = int(folder.name)
                    time.sleep(5)
            time.sleep(0.2)
            continue
        try:
            os.kill(victim, signal.SIGSTOP)
            time.sleep(0.009)
            os.kill(victim, signal.SIGCONT)
            time.sleep(0.003)
        except ProcessLookupError:
            return


def l01_reef(work: Path) -> list[str]:
    """Three workers, the last on a machine that is starved; out and err apart."""
    place(work, "l01", "reef.py")
    (work / "channel_stats.json").write_text('{"mean": [0.4612, 0.46')
    done = threading.Event()
    helper = threading.Thread(target=throttle, args=(work, "2", done))
    helper.start()
    subprocess.run(
        [PYTHON, "reef.py"],
        cwd=work,
        env=ENV,
        check=False,
        stdout=(work / "reef.out").open("wb"),
        stderr=(work / "reef.err").open("wb"),
    )
    done.set()
    helper.join()
    return ["reef.out", "reef.err"]


def journal(work: Path, host: str, rank: int, lines: list[tuple[float, str]]) -> None:
    """One machine's unit, each line as journalctl's default form has it."""

    def note(who: str, text: str) -> None:
        now = time.time()
        stamp = datetime.datetime.fromtimestamp(now).strftime("%b %d %H:%M:%S")  # noqa: DTZ006
        lines.append((now, f"{stamp} {host} {who}: {text}"))

    note("systemd[1]", "Started abstracts.service - Classifier of abstracts.")
    child = subprocess.Popen(
        ["bash", "run_abstracts.sh"],
        cwd=work,
        env={**ENV, "NODE_RANK": str(rank), "NODES": "2"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert child.stdout is not None
    for line in child.stdout:
        note(f"run_abstracts.sh[{child.pid}]", line.rstrip("\n"))
    status = child.wait()
    if status:
        note("systemd[1]", f"abstracts.service: Main process exited, code=exited, status={status}/FAILURE")
        note("systemd[1]", "abstracts.service: Failed with result 'exit-code'.")
    else:
        note("systemd[1]", "abstracts.service: Deactivated successfully.")


def l04_abstracts(work: Path) -> list[str]:
    """Two machines that each draw a port of their own; the journals of both merged.

    The second still tries long after the first gave up, until its user ends it.
    """
    place(work, "l04", "classify.py")
    place(work, "l04", "run_abstracts.sh")
    lines: list[tuple[float, str]] = []
    units = [
        threading.Thread(target=journal, args=(work, host, rank, lines)) for rank, host in enumerate(("vesta", "juno"))
    ]
    for unit in units:
        unit.start()
        time.sleep(1.3)
    units[0].join()
    time.sleep(56)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            mine = os.readlink(folder / "cwd") == str(work) and b"classify.py" in (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if mine:
            os.kill(int(folder.name), signal.SIGTERM)
    units[1].join()
    text = "\n".join(line for _, line in sorted(lines, key=lambda pair: pair[0]))
    (work / "journal_abstracts.txt").write_text(text + "\n")
    return ["journal_abstracts.txt"]


def l05_tank(work: Path) -> list[str]:
    """A terminal's typescript."""
    place(work, "l05", "tank.py")
    subprocess.run(
        ["script", "-q", "-c", f"{PYTHON} tank.py", "typescript"],
        cwd=work,
        check=False,
        env={**ENV, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    return ["typescript"]


def l06_bells(work: Path) -> list[str]:
    """A pod's log with its times."""
    place(work, "l06", "asr_train.py")
    child = subprocess.Popen(
        [PYTHON, "-u", "asr_train.py"], cwd=work, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert child.stdout is not None
    with (work / "asr-train-7c9dk.log").open("wb") as kept:
        for line in child.stdout:
            nano = time.time_ns()
            whole = datetime.datetime.fromtimestamp(nano // 10**9, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S")
            kept.write(f"{whole}.{nano % 10**9:09d}Z ".encode() + line)
    child.wait()
    return ["asr-train-7c9dk.log"]


def l09_tides(work: Path) -> list[str]:
    """Through tee, until the whole session is gone at one blow."""
    place(work, "l09", "gauge.py")
    child = subprocess.Popen(
        ["bash", "-c", f"{PYTHON} -u gauge.py 2>&1 | tee gauge7.log"],
        cwd=work,
        env=ENV,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(58.3)
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    return ["gauge7.log"]


CASES: Final[tuple[Callable[[Path], list[str]], ...]] = (l01_reef, l04_abstracts, l05_tank, l06_bells, l09_tides)


def main() -> None:
    """Record all, or those named."""
    out = Path(sys.argv[1]).resolve()
    wanted = set(sys.argv[2:])
    for case in CASES:
        name = case.__name__
        if wanted and name not in wanted:
            continue
        work, kept = out / "work" / name, out / "logs" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        for file in case(work):
            shutil.copy(work / file, kept / file)
        print(name, "kept", flush=True)


if __name__ == "__main__":
    main()
