"""Records the logs of share pb: python -m samples.redteam.thirtythird.logs.record_pb OUT [CASE...]."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from samples.redteam.thirtythird.logs.programs.terminal import session

PYTHON = "/tmp/pv/bin/python"
HERE = Path(__file__).parent / "programs"


def picks(out: Path) -> None:
    """A seismologist's terminal: the bar stands, she presses ^C."""
    prompt = r"(picks) [\t] ines@tremor:~$ "
    keys = [
        ("ls\r", "", 1),
        ("torchrun --standalone --nproc-per-node 2 picks.py\r", r"epoch 2: +[1-9]", 300),
        ("", "", 100),
        ("\x03", r"ines@tremor", 60),
        ("ls *.done\r", "", 1),
        ("exit\r", "", 1),
    ]
    session(out, prompt, keys, [HERE / "l12_picks.py"])


def claims(out: Path) -> None:
    """An actuary's terminal."""
    keys = [
        ("python -c 'import catboost; print(catboost.__version__)'\r", r"\n1\.", 30),
        ("python claims.py --years 2016-2025 --depth 6\r", r"(?s)wlodek@akt-02.*wlodek@akt-02", 120),
        ("echo $?\r", "", 1),
        ("exit\r", "", 1),
    ]
    session(out, r"wlodek@akt-02:~/hail$ ", keys, [HERE / "l14_claims.py"])


def stamped(command: list[str], stamp: Callable[[bytes], bytes], file: Path, seconds: float = 0) -> subprocess.Popen:
    """Runs command and writes each line with its stamp; ends the recording (not the run) after seconds."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    with tempfile.TemporaryDirectory(prefix="run_") as work, file.open("wb") as log:
        run = subprocess.Popen(
            command,
            cwd=work,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
        assert run.stdout
        began = time.time()
        for i, line in enumerate(run.stdout):
            began = began if i else time.time()
            log.write(stamp(line))
            if seconds and time.time() - began > seconds:
                run.send_signal(signal.SIGKILL)  # nobody looks any longer
                break
        run.wait()
    return run


def plain(line: bytes) -> bytes:
    """As tee has it."""
    return line


def kubectl(line: bytes) -> bytes:
    """Stamps of kubectl logs --timestamps."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}{time.time_ns() % 1000:03d}Z ".encode() + line


def charters(out: Path) -> None:
    """A historian's tee."""
    stamped([PYTHON, str(HERE / "l13_charters.py")], plain, out / "w2v.log")


def milk(out: Path) -> None:
    """A look at a pod that works on."""
    stamped([PYTHON, str(HERE / "l16_milk.py")], kubectl, out / "udder-fit-7kq2p.log", 75)


def bread(out: Path) -> None:
    """A baker's tee."""
    stamped([PYTHON, str(HERE / "l18_bread.py")], plain, out / "study.txt")


def xrays(out: Path) -> None:
    """Three tries appended to one file."""
    with tempfile.TemporaryDirectory(prefix="run_") as work:
        file = out / "welds.log"
        file.unlink(missing_ok=True)
        subprocess.run(["bash", str(HERE / "l17_xrays.sh"), str(file)], cwd=work, check=True)


def songs(out: Path) -> None:
    """As journalctl -a -u songs.service shows it, with the manager's own lines around."""
    file = out / "songs.service.txt"
    with tempfile.TemporaryDirectory(prefix="run_") as work, file.open("wb") as log:
        run = subprocess.Popen(
            [PYTHON, str(HERE / "l20_songs.py")], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        assert run.stdout

        def line(tag: str, text: bytes) -> None:
            log.write(f"{datetime.now(UTC):%b %d %H:%M:%S} rookery {tag}: ".encode() + text + b"\n")

        line("systemd[1]", b"Started songs.service - Songs and field notes, nightly fit.")
        for text in run.stdout:
            line(f"python[{run.pid}]", text.rstrip(b"\n"))
        status = os.wait4(run.pid, 0)
        used = status[2].ru_utime + status[2].ru_stime
        if status[1] == 0:
            line("systemd[1]", b"songs.service: Deactivated successfully.")
        line("systemd[1]", f"songs.service: Consumed {used:.3f}s CPU time.".encode())


CASES: dict[str, Callable[[Path], None]] = {
    "l12_picks": picks,
    "l14_claims": claims,
    "l13_charters": charters,
    "l16_milk": milk,
    "l18_bread": bread,
    "l17_xrays": xrays,
    "l20_songs": songs,
}


def main() -> None:
    """Runs all cases, or those that are named."""
    out = Path(sys.argv[1]).resolve()
    for case in sys.argv[2:] or list(CASES):
        (out / case).mkdir(parents=True, exist_ok=True)
        CASES[case](out / case)
        print(case, flush=True)


if __name__ == "__main__":
    main()
