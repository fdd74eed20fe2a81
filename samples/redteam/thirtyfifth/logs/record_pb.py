"""Record the log cases of share pb: real programs, really run. `record_pb.py OUT [CASE...]` writes OUT/logs/CASE.

The programs, their output, their ends and the times on the lines are real. Where no systemd and no kubelet is at hand, what
those would add is put on here, on each line when it arrives: `kubectl logs --timestamps`' stamp, journalctl's short prefix
and systemd's own lines about the unit (SIMULATED in that sense only).
"""

import fcntl
import os
import pty
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

HERE = Path(__file__).resolve().parent / "programs"
BIN = Path(os.environ.get("PB_PYTHON", "/tmp/pv/bin/python")).parent
PYTHON = str(BIN / "python")
WORK = Path(os.environ.get("PB_WORK", "/tmp/pbwork"))
ENV = {**os.environ, "PYTHONUNBUFFERED": "1"}


def room(name: str, files: dict[str, str]) -> Path:
    """A fresh folder to work in."""
    where = WORK / name
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    for source, target in files.items():
        shutil.copy(HERE / source, where / target)
    return where


def wait_for(path: Path, text: str, limit: float) -> None:
    """Wait until a file holds a text."""
    end = time.time() + limit
    while time.time() < end:
        if path.exists() and text in path.read_text(errors="replace"):
            return
        time.sleep(0.2)
    raise TimeoutError(f"{path} never held {text!r}; look at what the program printed")


def descendants(pid: int) -> list[int]:
    """Processes below one."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *descendants(int(child))]
    return found


def rank_pid(pid: int, rank: int) -> int:
    """The process of one rank below a launcher."""
    for child in descendants(pid):
        if f"RANK={rank}".encode() in Path(f"/proc/{child}/environ").read_bytes().split(b"\0"):
            return child
    raise ProcessLookupError(f"no process below {pid} has RANK={rank}; has the launcher ended?")


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End what we started, with all below it."""
    for child in [*descendants(process.pid), process.pid]:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            continue
    process.wait()


def stamp_lines(source: IO[bytes], out: IO[str], prefix: Callable[[], str], lock: threading.Lock) -> None:
    """Copy lines as they arrive, each with what stands before it."""
    for raw in source:
        with lock:
            out.write(prefix() + raw.decode(errors="replace").rstrip("\n") + "\n")
            out.flush()


def journal_time() -> str:
    """As journalctl's short form has it."""
    return time.strftime("%b %d %H:%M:%S", time.gmtime())


def galaxy(out: Path) -> None:
    """Fabric, tee -a: one run went through, the next dies at its start."""
    where = room("galaxy", {"l12_galaxy.py": "galaxy.py", "l12_go.sh": "go.sh"})
    for args in (["base", "--epochs", "4"], ["probe", "--lr", "5e-4", "--freeze", ".*(weight|bias)"]):
        subprocess.run(["bash", "go.sh", *args], cwd=where, env=ENV, check=False, stdout=subprocess.DEVNULL)
        time.sleep(4)
    shutil.copy(where / "galaxy.log", out / "galaxy.log")


def tickets(out: Path) -> None:
    """HF Trainer under torchrun: rank 1 gets SIGKILL from outside."""
    where = room("tickets", {"l13_tickets.py": "tickets.py"})
    with (out / "tickets.out").open("wb") as o, (out / "tickets.err").open("wb") as e:
        process = subprocess.Popen(
            [str(BIN / "torchrun"), "--standalone", "--nproc-per-node=2", "--monitor-interval=5", "tickets.py"],
            cwd=where,
            env=ENV,
            stdout=o,
            stderr=e,
        )
        wait_for(out / "tickets.out", "'epoch': '0.8", 150)
        time.sleep(1)
        os.kill(rank_pid(process.pid, 1), signal.SIGKILL)
        process.wait(timeout=120)


def shardlm(out: Path) -> None:
    """fully_shard in a pod: the log is fetched while the corpus is being packed."""
    where = room("shardlm", {"l14_shardlm.py": "shardlm.py"})
    process = subprocess.Popen(
        [str(BIN / "torchrun"), "--standalone", "--nproc-per-node=2", "shardlm.py"],
        cwd=where,
        env=ENV,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )

    def stamp() -> str:
        return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}.{time.time_ns() % 1_000_000_000:09d}Z "

    assert process.stdout is not None
    with (where / "pod.log").open("w") as whole:
        reader = threading.Thread(target=stamp_lines, args=(process.stdout, whole, stamp, threading.Lock()))
        reader.start()
        wait_for(where / "pod.log", "pack  4/10", 120)
        shutil.copy(where / "pod.log", out / "shardlm-0.log")
        process.wait(timeout=300)
        reader.join()


def minigpt(out: Path) -> None:
    """A typescript of a run that stands; copied while it still stands."""
    where = room("minigpt", {"l15_minigpt.py": "minigpt.py"})
    (where / "vocab.json").write_text('{"\\n": 0, " ": 1, ".": 2, "0": 3, "1"')
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 48, 168, 0, 0))
    process = subprocess.Popen(
        ["script", "-f", "-c", f"{PYTHON} minigpt.py", "typescript"],
        cwd=where,
        env={**ENV, "TERM": "xterm-256color"},
        stdin=child,
        stdout=child,
        stderr=child,
        start_new_session=True,
    )
    os.close(child)

    def drain() -> None:
        try:
            while os.read(parent, 4096):
                pass
        except OSError:
            return

    threading.Thread(target=drain, daemon=True).start()
    wait_for(where / "typescript", "step   480/", 200)
    time.sleep(104)
    shutil.copy(where / "typescript", out / "typescript")
    end_group(process)


def unit(
    out: IO[str], lock: threading.Lock, host: str, ident: str, command: list[str], where: Path
) -> tuple[subprocess.Popen[bytes], threading.Thread]:
    """Start a program as a unit would, its lines into the journal."""
    process = subprocess.Popen(command, cwd=where, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout is not None
    reader = threading.Thread(
        target=stamp_lines,
        args=(process.stdout, out, lambda: f"{journal_time()} {host} {ident}[{process.pid}]: ", lock),
    )
    reader.start()
    return process, reader


def roofs(out: Path) -> None:
    """DDP as a systemd unit, from start to end."""
    where = room("roofs", {"l16_seg.py": "seg.py"})
    host, lock, start = "gis-train2", threading.Lock(), os.times()
    with (out / "roofs-train.journal").open("w") as o:
        o.write(
            f"{journal_time()} {host} systemd[1]: Started roofs-train.service - Roof segmentation, weekly training.\n"
        )
        o.flush()
        command = [str(BIN / "torchrun"), "--standalone", "--nproc-per-node=2", "seg.py", "--epochs", "10"]
        process, reader = unit(o, lock, host, "torchrun", command, where)
        rc = process.wait(timeout=400)
        reader.join()
        if rc:
            raise RuntimeError(f"seg.py ended with {rc}; read {out}")
        end = os.times()
        cpu = end.children_user + end.children_system - start.children_user - start.children_system
        spent = f"{int(cpu // 60)}min {cpu % 60:.3f}s" if cpu >= 60 else f"{cpu:.3f}s"
        o.write(f"{journal_time()} {host} systemd[1]: roofs-train.service: Deactivated successfully.\n")
        o.write(f"{journal_time()} {host} systemd[1]: roofs-train.service: Consumed {spent} CPU time.\n")


def vectors(out: Path) -> None:
    """Gensim and a poller of feeds in one journal."""
    where = room("vectors", {"l17_vectors.py": "vectors.py", "l17_poller.py": "poller.py"})
    (where / "drop").mkdir()
    for k in (3, 9):
        (where / "drop" / f"supplier_{k:02d}.xml").write_text("<feed/>")
    host, lock = "shop-batch1", threading.Lock()
    with (out / "journal.txt").open("w") as o:
        poller, reader = unit(o, lock, host, "feed-poll", [PYTHON, "poller.py"], where)
        time.sleep(9)
        with lock:
            o.write(
                f"{journal_time()} {host} systemd[1]: Starting catalogue-vectors.service - Word vectors of the catalogue...\n"
            )
        process, copier = unit(o, lock, host, "vectors", [PYTHON, "vectors.py"], where)
        rc = process.wait(timeout=400)
        copier.join()
        if rc:
            raise RuntimeError(f"vectors.py ended with {rc}; read {out}")
        with lock:
            o.write(f"{journal_time()} {host} systemd[1]: catalogue-vectors.service: Deactivated successfully.\n")
            o.write(
                f"{journal_time()} {host} systemd[1]: Finished catalogue-vectors.service - Word vectors of the catalogue.\n"
            )
        time.sleep(10)
        end_group(poller)
        reader.join()


def sweep(out: Path) -> None:
    """A sweep at a terminal; Ctrl-C in the sixth of twelve."""
    where = room("freight", {"l18_xgsweep.py": "xgsweep.py", "l18_sweep.sh": "sweep.sh"})
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's & leaves it ignored, and children inherit that
    process = subprocess.Popen(
        ["bash", "sweep.sh"], cwd=where, env=ENV, stdout=subprocess.DEVNULL, start_new_session=True
    )
    wait_for(where / "sweep.log", "[6/12 d6 eta0.05 ss1.0] round 75/", 300)
    time.sleep(0.7)
    os.killpg(process.pid, signal.SIGINT)
    process.wait(timeout=60)
    time.sleep(1)
    shutil.copy(where / "sweep.log", out / "sweep.log")


CASES: dict[str, Callable[[Path], None]] = {
    "l12_galaxy": galaxy,
    "l13_tickets": tickets,
    "l14_shardlm": shardlm,
    "l15_minigpt": minigpt,
    "l16_roofs": roofs,
    "l17_vectors": vectors,
    "l18_sweep": sweep,
}

if __name__ == "__main__":
    for wanted in sys.argv[2:] or list(CASES):
        dest = Path(sys.argv[1]).resolve() / "logs" / wanted
        shutil.rmtree(dest, ignore_errors=True)
        dest.mkdir(parents=True)
        CASES[wanted](dest)
        print(wanted, "done", flush=True)
