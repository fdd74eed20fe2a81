"""Runs the programs of author pa that leave logs again: `record_pa.py OUT [CASE...]`."""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")
ENV = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1", "PYTHON": PYTHON}


def take(work: Path, name: str, to: str) -> None:
    """The program under the user's own file name."""
    shutil.copy(HERE / name, work / to)


def journal(command: list[str], work: Path, unit: str, title: str, host: str) -> list[str]:
    """The lines of `journalctl -u UNIT` around the real lines of a service."""
    tag = Path(command[0]).name if command[0] != PYTHON else "python"

    def line(who: str, text: str) -> str:
        return f"{datetime.now(UTC):%b %d %H:%M:%S} {host} {who}: {text}\n"

    lines = [line("systemd[1]", f"Started {unit}.service - {title}.")]
    before_us = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(command, cwd=work, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as p:
        lines += [line(f"{tag}[{p.pid}]", text.rstrip("\n")) for text in p.stdout or ()]
    if p.returncode:
        lines += [
            line("systemd[1]", f"{unit}.service: Main process exited, code=exited, status={p.returncode}/FAILURE"),
            line("systemd[1]", f"{unit}.service: Failed with result 'exit-code'."),
        ]
    else:
        lines.append(line("systemd[1]", f"{unit}.service: Deactivated successfully."))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - before_us.ru_utime - before_us.ru_stime
    lines.append(line("systemd[1]", f"{unit}.service: Consumed {cpu:.3f}s CPU time."))
    return lines


def before(lines: Iterable[str], mark: str) -> list[str]:
    """What stands before the first line with the mark."""
    kept = []
    for text in lines:
        if mark in text:
            break
        kept.append(text)
    return kept


def l04_arena(work: Path, to: Path) -> None:
    """A copy of the journal that somebody took up to the minute before."""
    take(work, "l04_arena.py", "arena.py")
    lines = journal([PYTHON, "arena.py"], work, "arena", "Arena do carrinho", "quintal")
    (work / "whole.txt").write_text("".join(lines))
    (to / "arena.journal.txt").write_text("".join(before(lines, "giro 1:")))


def l05_pendel(work: Path, to: Path) -> None:
    """Out and err, copied before the first table came."""
    take(work, "l05_pendel.py", "acrobot.py")
    take(work, "l05_pendel.sh", "nightly.sh")
    with (work / "nightly.out").open("w") as o, (work / "nightly.err").open("w") as e:
        subprocess.run(["bash", "nightly.sh"], cwd=work, env=ENV, check=False, stdout=o, stderr=e)
    whole = (work / "nightly.out").read_text().splitlines(keepends=True)
    (to / "nightly.out").write_text("".join(before(whole, "-----------")))
    shutil.copy(work / "nightly.err", to)


def l06_suche(work: Path, to: Path) -> None:
    """A night's allowance of 75 seconds."""
    take(work, "l06_suche.py", "search.py")
    subprocess.run(
        ["bash", "-c", '(timeout -v 75 $PYTHON search.py; echo "exit status $?") 2>&1 | tee search.log'],
        cwd=work,
        env=ENV,
        check=False,
        stdout=subprocess.DEVNULL,
    )
    shutil.copy(work / "search.log", to)


def l07_wolken(work: Path, to: Path) -> None:
    """Shards of tiles, one of them cut short."""
    take(work, "l07_wolken.py", "clouds.py")
    share = work / "share" / "tiles"
    share.mkdir(parents=True)
    rng = np.random.default_rng(15)
    for k in range(13):
        cover = rng.random(52)
        tile = rng.integers(0, 130, (52, 4, 56, 56)) + (cover * 125)[:, None, None, None]
        np.savez_compressed(share / f"tile{k:03d}.npz", tile=tile.astype("uint8"), cover=cover)
    cut = share / "tile008.npz"
    cut.write_bytes(cut.read_bytes()[:311_000])
    lines = journal([PYTHON, "clouds.py"], work, "clouds-train", "Cloud cover training", "nimbus2")
    (to / "clouds-train.log").write_text("".join(lines))


def l08_weiter(work: Path, to: Path) -> None:
    """A first sitting of 14 iterations, then the second with nohup."""
    take(work, "l08_weiter.py", "sitting.py")
    subprocess.run([PYTHON, "sitting.py", "14"], cwd=work, env=ENV, check=True, stdout=subprocess.DEVNULL)
    with (work / "nohup.out").open("wb") as f:
        f.write(b"nohup: ignoring input\n")
        f.flush()
        subprocess.run(
            ["nohup", PYTHON, "sitting.py", "150"],
            cwd=work,
            env=ENV,
            check=True,
            stdout=f,
            stderr=f,
            stdin=subprocess.DEVNULL,
        )
    shutil.copy(work / "nohup.out", to)


def l09_spawn(work: Path, to: Path) -> None:
    """The pod's first container up to update 600, then the second one, whose log is kept."""
    take(work, "l09_spawn.py", "train.py")
    subprocess.run(
        [PYTHON, "train.py", "--until", "600"],
        cwd=work,
        env={**ENV, "SEED": "5"},
        check=True,
        stdout=subprocess.DEVNULL,
    )
    lines = []
    with subprocess.Popen(
        [PYTHON, "train.py", "--until", "1200"],
        cwd=work,
        env={**ENV, "SEED": "6"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as p:
        for text in p.stdout or ():
            ns = time.time_ns()
            lines.append(f"{datetime.fromtimestamp(ns // 10**9, UTC):%Y-%m-%dT%H:%M:%S}.{ns % 10**9:09d}Z {text}")
    (to / "seq-walk-7c9fd-trainer.log").write_text("".join(lines))


CASES: dict[str, Callable[[Path, Path], None]] = {
    f.__name__: f for f in (l04_arena, l05_pendel, l06_suche, l07_wolken, l08_weiter, l09_spawn)
}


def main() -> None:
    """Each case asked for."""
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, to = out / "work" / name, out / "logs" / name
        for d in (work, to):
            shutil.rmtree(d, ignore_errors=True)
            d.mkdir(parents=True)
        CASES[name](work, to)
        print(name, "ended", flush=True)


if __name__ == "__main__":
    main()
