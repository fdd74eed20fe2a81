"""Run the programs of share pb again and keep what is left of their logs: record_pb.py OUT [CASE...] writes OUT/logs/CASE."""

import os
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
PYBIN = os.environ.get("PYBIN", "/tmp/pv/bin")
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def kube(line: str) -> str:
    """One line as kubectl logs --timestamps gives it."""
    now = datetime.now(UTC)
    return f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond:06d}{os.urandom(2)[0] * 3 % 1000:03d}Z {line}\n"


def journal(unit: str, host: str, pid: int) -> "Callable[[str, str | None], str]":
    """Lines as journalctl -u UNIT --no-pager gives them."""

    def line(text: str, who: str | None = None) -> str:
        now = datetime.now(UTC)
        return f"{MONTHS[now.month - 1]} {now:%d %H:%M:%S} {host} {who or f'{unit}[{pid}]'}: {text.rstrip()}\n"

    return line


def start(case: str, work: Path) -> subprocess.Popen[bytes]:
    """Start a case's shell script in its working directory."""
    script = HERE / "programs" / f"p{case[1:]}.sh"
    env = {**os.environ, "PYBIN": PYBIN, "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        ["bash", str(script)],
        cwd=work,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


def files(case: str, work: Path, out: Path, names: list[str]) -> None:
    """A script that writes its logs itself."""
    child = start(case, work)
    print(child.communicate()[0].decode(errors="replace"), flush=True)
    for name in names:
        shutil.copy(work / name, out / name)


def pod(case: str, work: Path, out: Path, name: str, stop_at: str | None = None) -> None:
    """A pod's log with time stamps; with stop_at it is a copy taken when that text came, while the pod still ran."""
    child = start(case, work)
    assert child.stdout
    with open(out / name, "w") as log:
        for raw in child.stdout:
            text = raw.decode(errors="replace").rstrip("\n")
            if not log.closed:
                log.write(kube(text))
                log.flush()
            if stop_at and stop_at in text:
                log.close()
    child.wait()


def service(case: str, work: Path, out: Path, unit: str, host: str, title: str, name: str) -> None:
    """A systemd service's journal."""
    child = start(case, work)
    assert child.stdout
    line = journal("run.sh", host, child.pid)
    with open(out / name, "w") as log:
        log.write(line(f"Started {unit}.service - {title}.", "systemd[1]"))
        for raw in child.stdout:
            text = raw.decode(errors="replace").rstrip("\n")
            if text.strip():
                log.write(line(text))
                log.flush()
        code = child.wait()
        if code:
            log.write(line(f"{unit}.service: Main process exited, code=exited, status={code}/FAILURE", "systemd[1]"))
            log.write(line(f"{unit}.service: Failed with result 'exit-code'.", "systemd[1]"))
        else:
            log.write(line(f"{unit}.service: Deactivated successfully.", "systemd[1]"))


CASES: "dict[str, Callable[[str, Path, Path], None]]" = {
    "l11_topics": lambda case, work, out: files(case, work, out, ["fsdp_runs.log"]),
    "l12_glyphs": lambda case, work, out: files(case, work, out, ["typescript"]),
    "l13_tiles": lambda case, work, out: files(case, work, out, ["typescript"]),
    "l14_ticker": lambda case, work, out: files(case, work, out, ["nohup.out"]),
    "l15_intents": lambda case, work, out: service(
        case,
        work,
        out,
        "intent-trainer",
        "ml-box-03",
        "Nightly retraining of the intent model",
        "intent-trainer.journal.txt",
    ),
    "l16_lengths": lambda case, work, out: pod(case, work, out, "ranker-train-7c9xk.log"),
    "l17_churn": lambda case, work, out: pod(case, work, out, "churn-gbt-0_trainer.log", "round 460 "),
}


def main() -> None:
    """Record the cases named, or all."""
    out = Path(sys.argv[1]).resolve()
    for case in sys.argv[2:] or CASES:
        target = out / "logs" / case
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        work = Path(tempfile.mkdtemp(prefix="job_"))
        print(case, work, flush=True)
        CASES[case](case, work, target)
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
