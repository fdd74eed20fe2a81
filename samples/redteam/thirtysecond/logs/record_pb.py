"""Record the logs of programs 11 to 20: python -m samples.redteam.thirtysecond.logs.record_pb OUT [CASE...]."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = "/tmp/pv/bin/python"
JOBS = Path("/tmp/bu_pb/jobs")
Stop = Callable[[str], bool]


def prepare(case: str, folder: str, script: str) -> Path:
    """Make a project folder with the program in it."""
    work = JOBS / folder
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    shutil.copy(HERE / "programs" / f"{case}.py", work / script)
    return work


def start(work: Path, command: list[str], merged: bool = True) -> subprocess.Popen[bytes]:
    """Start a program as its platform would."""
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    err = subprocess.STDOUT if merged else subprocess.PIPE
    return subprocess.Popen(command, cwd=work, env=env, stdout=subprocess.PIPE, stderr=err)


def end(proc: subprocess.Popen[bytes]) -> None:
    """End what still runs after the log was taken."""
    if proc.poll() is None:
        proc.terminate()
    proc.wait()


def journal(work: Path, command: list[str], host: str, unit: str, title: str, stop: Stop) -> str:
    """What journalctl -u shows: host, identifier, process; a line with control characters is a blob."""
    proc = start(work, command)
    first = datetime.now(UTC).strftime("%b %d %H:%M:%S")
    rows = [f"{first} {host} systemd[1]: Started {unit}.service - {title}."]
    assert proc.stdout is not None
    for raw in proc.stdout:
        line = raw.rstrip(b"\n")
        stamp = datetime.now(UTC).strftime("%b %d %H:%M:%S")
        text = f"[{len(line)}B blob data]" if b"\r" in line else line.decode()
        if stop(text):
            break
        if text:
            rows.append(f"{stamp} {host} python[{proc.pid}]: {text}")
    end(proc)
    return "\n".join(rows) + "\n"


def kubectl(work: Path, command: list[str]) -> str:
    """What kubectl logs --timestamps shows."""
    proc = start(work, command)
    rows = []
    assert proc.stdout is not None
    for raw in proc.stdout:
        ns = time.time_ns()
        stamp = datetime.fromtimestamp(ns // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        rows.append(f"{stamp}.{ns % 10**9:09d}Z {raw.decode().rstrip(chr(10))}")
    proc.wait()
    return "\n".join(rows) + "\n"


def plain(work: Path, command: list[str], stop: Stop) -> str:
    """The file as it stood when somebody took a copy of it."""
    proc = start(work, command)
    rows = []
    assert proc.stdout is not None
    for raw in proc.stdout:
        text = raw.decode()
        if stop(text):
            break
        rows.append(text)
    end(proc)
    return "".join(rows)


def l11(_: str) -> dict[str, str]:
    """The journal of a unit on a workstation."""
    work = prepare("l11_firn", "smpnet", "train.py")
    text = journal(
        work,
        [PYTHON, "train.py", "--epochs", "40", "--lr", "6e-4"],
        "firn",
        "smpnet-train",
        "SMP grain classifier",
        lambda s: "epoch 0" in s or ("blob" in s and "epoch" in s),
    )
    return {"journal_smpnet-train.txt": text}


def l16(_: str) -> dict[str, str]:
    """The file of tee, copied while it grew."""
    work = prepare("l16_crane", "crane-sway", "train_ppo.py")
    return {"train_ppo.log": plain(work, [PYTHON, "train_ppo.py", "--n-envs", "6"], lambda s: s.startswith("----"))}


def l17(_: str) -> dict[str, str]:
    """A batch job's slurm-%j.out, copied while it grew."""
    work = prepare("l17_libretto", "libretto-gpt", "train.py")
    now = datetime.now(UTC).strftime("%a %b %d %H:%M:%S UTC %Y")
    (work / "job.sh").write_text(
        f"echo '{now}'; echo \"running on cn-c042, job 771204 (libretto), 2 cpus\"; exec {PYTHON} train.py --max-iters 30000\n"
    )
    begun = time.time()
    text = plain(
        work, ["bash", "job.sh"], lambda s: s.startswith(("iter 338", "iter 340")) or time.time() - begun > 240
    )
    return {"slurm-771204.out": text}


def l19(_: str) -> dict[str, str]:
    """A pod's log."""
    work = prepare("l19_varnish", "varnish", "train.py")
    return {"varnish-irr-7c9kd.log": kubectl(work, [PYTHON, "train.py"])}


def l20(_: str) -> dict[str, str]:
    """Out and err in files of their own."""
    work = prepare("l20_platt", "platt-asr", "train_ctc.py")
    proc = start(work, [PYTHON, "train_ctc.py", "--schritte", "18", "--stapel", "6", "--sekunden", "5"], merged=False)
    out, err = proc.communicate()
    return {"platt.out": out.decode(), "platt.err": err.decode()}


CASES: dict[str, Callable[[str], dict[str, str]]] = {
    "l11_firn": l11,
    "l16_crane": l16,
    "l17_libretto": l17,
    "l19_varnish": l19,
    "l20_platt": l20,
}


def main() -> None:
    """Record all cases, or those named."""
    out = Path(sys.argv[1])
    for case in sys.argv[2:] or list(CASES):
        files = CASES[case](case)
        for base in (HERE / "recorded", out):
            (base / case).mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                (base / case / name).write_text(text)
        print(case, {n: len(t) for n, t in files.items()}, flush=True)


if __name__ == "__main__":
    main()
