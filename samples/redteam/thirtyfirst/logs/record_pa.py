"""Records the cases of share pa that leave text: python -m samples.redteam.thirtyfirst.logs.record_pa OUT [CASE...]."""

import os
import pty
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEEP = HERE / "recorded"
PYTHON = "/tmp/pv/bin/python"
BIN = "/tmp/pv/bin"


def environment(**more: str) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith("INQUEST")}
    return env | {"OMP_NUM_THREADS": "1", "PATH": f"{BIN}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"} | more


def workplace(case: str, *programs: str) -> Path:
    """A folder as the person would have it, with the program under its own name."""
    place = Path("/tmp/bu_pa/work") / case
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for program in programs:
        source, _, name = program.partition(":")
        shutil.copy(HERE / "programs" / source, place / (name or source))
    return place


def shell(place: Path, line: str, kill_after: float | None = None, **more: str) -> None:
    """A line of bash in a session of its own; after kill_after seconds all of it gets SIGKILL from here."""
    process = subprocess.Popen(
        ["bash", "-c", line], cwd=place, env=environment(**more), stdin=subprocess.DEVNULL, start_new_session=True
    )
    try:
        process.wait(kill_after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def terminal(place: Path, command: list[str], **more: str) -> None:
    """A command on a pseudo terminal."""
    master, slave = pty.openpty()

    def drain() -> None:
        try:
            while os.read(master, 65536):
                pass
        except OSError:
            pass

    threading.Thread(target=drain, daemon=True).start()
    env = environment(TERM="xterm-256color", COLUMNS="132", LINES="40", **more)
    subprocess.run(command, cwd=place, env=env, stdin=slave, stdout=slave, stderr=slave, check=False)
    os.close(slave)


def typescript(place: Path, line: str, **more: str) -> None:
    terminal(place, ["script", "-q", "-e", "-c", line, "typescript"], **more)


def kubectl(place: Path, command: list[str], name: str, **more: str) -> None:
    """What kubectl logs --timestamps gives: each line with the time at which it was printed."""
    process = subprocess.Popen(
        command,
        cwd=place,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
    )
    assert process.stdout
    with (place / name).open("wb") as out:
        for line in process.stdout:
            now = time.time_ns()
            stamp = datetime.fromtimestamp(now // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
            out.write(f"{stamp}.{now % 10**9:09d}Z ".encode() + line)
    process.wait()


def keep(place: Path, out: Path, *names: str) -> None:
    for root in (KEEP, out):
        target = root / place.name
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name in names:
            shutil.copy(place / name, target / name)


def l01_quechua(out: Path) -> None:
    place = workplace("l01_quechua", "l01_quechua.py:entrenar.py")
    shell(place, "python -u entrenar.py --epocas 40 --grabaciones 11000 2>&1 | tee entrenamiento_v3.log")
    keep(place, out, "entrenamiento_v3.log")


def l02_peatland(out: Path) -> None:
    place = workplace("l02_peatland", "l02_peatland.py:train_bogs.py")
    shell(place, "python train_bogs.py --epochs 80 2>&1 | tee bogs_w24.log", kill_after=45)
    keep(place, out, "bogs_w24.log")


def l03_greenhouse(out: Path) -> None:
    place = workplace("l03_greenhouse", "l03_greenhouse.py:kas4.py")
    shell(place, "python -u kas4.py >kas4_sac_11.out 2>kas4_sac_11.err")
    keep(place, out, "kas4_sac_11.out", "kas4_sac_11.err")


def l04_weld(out: Path) -> None:
    place = workplace("l04_weld", "l04_weld.py:seams.py")
    shell(place, "python -u seams.py --epochs 6 --train 900 --workers 1 >/dev/null 2>&1")
    shell(place, "python -u seams.py --epochs 40 --train 14000 --workers 0 2>&1 | tee seams_resume.log")
    keep(place, out, "seams_resume.log")


def l05_cryo(out: Path) -> None:
    place = workplace("l05_cryo", "l05_cryo.py:denoise.py")
    store = subprocess.Popen([PYTHON, str(HERE / "programs/l05_store.py")], env=environment())
    try:
        time.sleep(3)
        terminal(place, ["nohup", PYTHON, "-u", "denoise.py"], PYTHONWARNINGS="always")
    finally:
        store.kill()
    keep(place, out, "nohup.out")


def l06_plasmid(out: Path) -> None:
    place = workplace("l06_plasmid", "l06_plasmid.py:train_plm.py")
    typescript(place, "torchrun --standalone --nproc-per-node 2 train_plm.py --epochs 3 --max-steps 15")
    keep(place, out, "typescript")


def l07_orchard(out: Path) -> None:
    place = workplace("l07_orchard", "l07_orchard.py:next_week.py")
    shell(place, "python -u next_week.py >next_week.out 2>next_week.err", kill_after=50)
    keep(place, out, "next_week.out", "next_week.err")


def l09_freight(out: Path) -> None:
    place = workplace("l09_freight", "l09_freight.py:train.py", "l09_entry.py:entry.py")

    def end() -> None:
        time.sleep(70)
        os.kill(int((place / "train.pid").read_text()), signal.SIGKILL)

    threading.Thread(target=end, daemon=True).start()
    kubectl(place, ["python", "-u", "entry.py", "train.py"], "freight-delay-7q4xn.log")
    keep(place, out, "freight-delay-7q4xn.log")


def l10_tank(out: Path) -> None:
    place = workplace("l10_tank", "l10_tank.py:tank.py")
    typescript(place, "python tank.py")
    keep(place, out, "typescript")


CASES: dict[str, Callable[[Path], None]] = {
    f.__name__: f
    for f in (
        l01_quechua,
        l02_peatland,
        l03_greenhouse,
        l04_weld,
        l05_cryo,
        l06_plasmid,
        l07_orchard,
        l09_freight,
        l10_tank,
    )
}


def main() -> None:
    out = Path(sys.argv[1])
    for case in sys.argv[2:] or CASES:
        CASES[case](out)


if __name__ == "__main__":
    main()
