"""Run the programs whose text alone is left: python -m samples.redteam.thirtysecond.logs.record_pa OUT [CASE...].

Platforms (the kubelet, journald) are a few lines here: they put the real time at which a line came before it.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE / "programs"
PY = "/tmp/pv/bin/python"


def pump(
    command: list[str], path: Path, stamp: Callable[[int], str], env: dict[str, str] | None = None, **more: float
) -> int:
    """Run it; each line goes into the file behind its stamp. `interrupt`: SIGINT then; `leave`: the copy is taken then."""
    with path.open("wb") as sink:
        proc = subprocess.Popen(
            command,
            cwd=PROGRAMS,
            env=os.environ | (env or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        timers = []
        if "interrupt" in more:
            timers.append(threading.Timer(more["interrupt"], proc.send_signal, [signal.SIGINT]))
        stop = threading.Event()
        if "leave" in more:
            timers.append(threading.Timer(more["leave"], stop.set))
        for timer in timers:
            timer.start()
        if "leave" in more:  # what comes later is seen by nobody; 20 s more, then the machine is needed
            timers.append(threading.Timer(more["leave"] + 20, proc.terminate))
            timers[-1].start()
        for line in proc.stdout or ():
            if not stop.is_set():
                sink.write(stamp(proc.pid).encode() + line)
                sink.flush()
        return proc.wait()


def kube(_: int) -> str:
    """The stamp of kubectl logs --timestamps."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}{time.time_ns() % 1000:03d}Z "


def journal(name: str, host: str, pid: int | None) -> str:
    """The head of a line of journalctl -o short-iso."""
    now = datetime.now(timezone(timedelta(hours=1)))
    return f"{now:%Y-%m-%dT%H:%M:%S}+01:00 {host} {name}{f'[{pid}]' if pid else ''}: "


def herbarium(out: Path) -> None:
    """Journalctl -a -o short-iso -u clip-herbarium."""
    path = out / "journal.txt"
    t0 = time.time()
    args = [PY, "l02_herbarium.py", "--epochs", "30", "--max-steps", "8"]
    body = out / "body"
    head = (
        journal("systemd", "botanik-ws3", 1)
        + "Started clip-herbarium.service - Image/label encoders for the herbarium.\n"
    )
    rc = pump(args, body, lambda pid: journal("python", "botanik-ws3", pid))
    usage = os.times()
    tail = journal("systemd", "botanik-ws3", 1)
    with path.open("wb") as sink:
        sink.write(head.encode() + body.read_bytes())
        if rc == 0:
            sink.write((tail + "clip-herbarium.service: Deactivated successfully.\n").encode())
        else:
            sink.write((tail + f"clip-herbarium.service: Main process exited, code=exited, status={rc}\n").encode())
        cpu = usage.children_user + usage.children_system
        sink.write((tail + f"clip-herbarium.service: Consumed {cpu:.3f}s CPU time.\n").encode())
    body.unlink()
    print(f"{time.time() - t0:.0f} s", file=sys.stderr)


def crane(out: Path) -> None:
    """Kubectl logs --timestamps; somebody sends SIGINT to the process in the pod."""
    pump([PY, "-u", "l03_crane.py"], out / "kubectl.log", kube, interrupt=75)


def muon(out: Path) -> None:
    """The out of a Slurm job."""
    with (out / "muonflow-7714203.out").open("wb") as sink:
        subprocess.run(["bash", "l04_muon.sh"], cwd=PROGRAMS, stdout=sink, stderr=subprocess.STDOUT, check=False)


def parcel(out: Path) -> None:
    """Kubectl logs --timestamps, taken while the pod still ran."""
    pump([PY, "l05_parcel.py"], out / "parcel-train-6xk2p.log", kube, leave=38)


def radiograph(out: Path) -> None:
    """Nohup ./nightly.sh &."""
    with (out / "nohup.out").open("wb") as sink:
        sink.write(b"nohup: ignoring input\n")
        sink.flush()
        subprocess.run(
            ["bash", "l06_radiograph.sh"],
            cwd=PROGRAMS,
            stdout=sink,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            check=False,
        )


def turbine(out: Path) -> None:
    """A file for each rank, written by the program."""
    subprocess.run([PY, "l07_turbine.py"], cwd=PROGRAMS, env=os.environ | {"RANK_LOGS": str(out)}, check=False)


def greenhouse(out: Path) -> None:
    """Tee train.log; the file is copied while the job runs."""
    live = Path("/tmp/bu_pa/scratch/greenhouse.log")
    live.unlink(missing_ok=True)
    env = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    with (
        subprocess.Popen(
            [PY, "l09_greenhouse.py"], cwd=PROGRAMS, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as proc,
        subprocess.Popen(["tee", str(live)], stdin=proc.stdout, stdout=subprocess.DEVNULL),
    ):
        until = time.time() + 170
        while time.time() < until and proc.poll() is None and (not live.exists() or live.stat().st_size < 32_000):
            time.sleep(0.5)
        shutil.copy(live, out / "train.log")
        time.sleep(10)  # it went on well; ended unseen, for the machine is needed
        proc.terminate()


CASES: dict[str, Callable[[Path], None]] = {
    "l02_herbarium": herbarium,
    "l03_crane": crane,
    "l04_muon": muon,
    "l05_parcel": parcel,
    "l06_radiograph": radiograph,
    "l07_turbine": turbine,
    "l09_greenhouse": greenhouse,
}


def main() -> None:
    """Run those named, or all; what is left lies in recorded/ and, as a copy, in OUT."""
    copies = Path(sys.argv[1]).resolve()
    for case in sys.argv[2:] or list(CASES):
        out = HERE / "recorded" / case
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        CASES[case](out)
        shutil.rmtree(copies / case, ignore_errors=True)
        shutil.copytree(out, copies / case)
        print(case, file=sys.stderr)


if __name__ == "__main__":
    main()
