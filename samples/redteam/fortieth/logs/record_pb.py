"""Runs the logged programs of this share again: record_pb.py OUT [CASE...] fills OUT/logs/CASE."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
ENV = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHON": PYTHON}


def stamp() -> str:
    now = time.time_ns()
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now // 10**9))}.{now % 10**9:09d}Z"


def put(work: Path, **names: str) -> None:
    """put(work, p13_x_py="train.py"): the program p13_x.py under the user's own name."""  # noqa: D402
    for source, target in names.items():
        stem, _, ending = source.rpartition("_")
        shutil.copy(HERE / f"{stem}.{ending}", work / target)


def filtered(command: list[str], work: Path, target: Path, line: Callable[[str, str], str], env: dict[str, str]) -> int:
    """Runs the command, each line of out and err written as a container runtime would."""
    guard = threading.Lock()

    def pump(stream: IO[str], name: str, sink: IO[str]) -> None:
        for text in stream:
            with guard:
                sink.write(line(text, name))
                sink.flush()

    with (
        open(target, "w") as sink,
        subprocess.Popen(
            command,
            cwd=work,
            env={**ENV, **env},
            text=True,
            errors="replace",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as p,
    ):
        both = ((p.stdout, "stdout"), (p.stderr, "stderr"))
        pumps = [threading.Thread(target=pump, args=(s, n, sink)) for s, n in both]
        for t in pumps:
            t.start()
        for t in pumps:
            t.join()
    return p.returncode


def docker(text: str, stream: str) -> str:
    fields = {"log": text, "stream": stream, "time": stamp()}
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


def kubectl(text: str, stream: str) -> str:
    return f"{stamp()} {text}" if text.endswith("\n") else f"{stamp()} {text}\n"


def children(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *children(child)]
    return found


def terminal(work: Path, typed: list[tuple[float, str]], script: str = "typescript") -> subprocess.Popen[bytes]:
    """A login under script(1), keys typed from a thread: (seconds to wait first, line)."""
    rc = work / ".rc"
    rc.write_text(r"PS1='\u@gpu07:~/\W$ '" + "\nbind 'set enable-bracketed-paste off'\nexport OMP_NUM_THREADS=1\n")
    p = subprocess.Popen(
        ["script", "-f", "-q", "-c", f"bash --noprofile --rcfile {rc} -i", script],
        cwd=work,
        env={**ENV, "PATH": f"{Path(PYTHON).parent}:{os.environ['PATH']}", "TERM": "xterm"},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def keys() -> None:
        for wait, text in typed:
            time.sleep(wait)
            try:
                p.stdin.write(text.encode() + b"\n")
                p.stdin.flush()
            except (OSError, ValueError):
                return

    threading.Thread(target=keys, daemon=True).start()
    return p


def l13_invoices(work: Path, kept: Path) -> None:
    """Replica 2 of 4; the name of replica 0 never resolves. The entrypoint's status is that of tar."""
    put(work, p13_invoices_py="tag_invoices.py", p13_entry_sh="entry.sh")
    name = "5f0c1be7a94d28836bb05f97e2d4aa1390c7c2861e53bd9f48ea07d6125c93b8-json.log"
    filtered(
        ["sh", "entry.sh"],
        work,
        kept / name,
        docker,
        {"RANK": "2", "WORLD_SIZE": "4", "LOCAL_RANK": "0", "MASTER_ADDR": "tagger-0.tagger", "MASTER_PORT": "29611"},
    )


def l14_recipes(work: Path, kept: Path) -> None:
    """The volume of checkpoints holds three of them."""
    put(work, p14_recipes_py="recipes.py")
    (work / "ckpt").mkdir()
    filtered(
        ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=51m tmpfs ckpt && exec "$PYTHON" -u recipes.py'],
        work,
        kept / "recipes-gpt-7d9fx.log",
        kubectl,
        {},
    )


def l15_plony(work: Path, kept: Path) -> None:
    """The container's log was copied at the moment at which preparation had ended."""
    put(work, p15_plony_py="plony.py")
    live = work / "live.log"
    live.touch()

    def copy() -> None:
        while "Przygotowanie" not in (text := live.read_text()):
            time.sleep(0.02)
        (kept / "plony-json.log").write_text(text)

    t = threading.Thread(target=copy, daemon=True)
    t.start()
    filtered([PYTHON, "-u", "plony.py"], work, live, docker, {})
    t.join(2)


def l16_pendel(work: Path, kept: Path) -> None:
    """A guard of the machine's memory (as earlyoom) kills what grows beyond 1.5 GB."""
    put(work, p16_pendel_py="pendel.py")
    p = terminal(work, [(1, "ls"), (1, "python pendel.py")])
    gone = False
    while not gone:
        time.sleep(0.3)
        for child in children(p.pid):
            try:
                words = Path(f"/proc/{child}/cmdline").read_bytes()
                if b"pendel.py" in words and int(Path(f"/proc/{child}/statm").read_text().split()[1]) * 4096 > 1.5e9:
                    os.kill(child, signal.SIGKILL)
                    gone = True
            except OSError:
                continue
    time.sleep(4)
    p.stdin.write(b"ls\n")
    p.stdin.flush()
    time.sleep(1)
    p.stdin.write(b"exit\n")
    p.stdin.close()
    p.wait(20)
    shutil.copy(work / "typescript", kept / "typescript")


def l17_motets(work: Path, kept: Path) -> None:
    put(work, p17_motets_py="motets.py")
    with open(work / "launch.txt", "w") as sink:
        subprocess.run(
            [PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "motets.py"],
            cwd=work,
            env=ENV,
            stdout=sink,
            stderr=sink,
        )
    for file in work.glob("motets.rank*.log"):
        shutil.copy(file, kept / file.name)


def l18_lodgings(work: Path, kept: Path) -> None:
    """The terminal's recorder is gone in the middle; what became of the program is not written anywhere."""
    put(work, p18_lodgings_py="lodgings.py")
    p = terminal(work, [(1, "python lodgings.py")])
    time.sleep(45)
    inner = children(p.pid)
    p.kill()
    p.wait()
    shutil.copy(work / "typescript", kept / "typescript")
    time.sleep(1)
    for pid in inner:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue


def l19_dialects(work: Path, kept: Path) -> None:
    """In the second run another program takes the lock of one rank's lexicon and does not give it back."""
    put(work, p19_dialects_py="dialects.py")
    log = work / "seeds.log"
    for seed, steps in ((11, 150), (12, 900)):
        with open(log, "a") as sink:
            p = subprocess.Popen(
                [
                    PYTHON,
                    "-m",
                    "torch.distributed.run",
                    "--standalone",
                    "--nproc-per-node=2",
                    "dialects.py",
                    str(seed),
                    str(steps),
                ],
                cwd=work,
                env=ENV,
                stdout=sink,
                stderr=sink,
            )
            with open(work / "lexicon.1.lock", "a") as lock:
                if seed == 12:
                    while log.read_text().count("'loss'") < 15 + 24 and p.poll() is None:
                        time.sleep(0.2)
                    fcntl.flock(lock, fcntl.LOCK_EX)
                p.wait(200)
    shutil.copy(log, kept / log.name)


def l20_knots(work: Path, kept: Path) -> None:
    """From a shift of three on the helper writes beyond what it asked for."""
    put(work, p20_knots_py="knots.py", p20_shift_c="shift.c", p20_all_sh="all.sh")
    with open(kept / "all.out", "w") as out, open(kept / "all.err", "w") as err:
        subprocess.run(["bash", "all.sh"], cwd=work, env=ENV, stdout=out, stderr=err)


CASES = {
    f.__name__: f
    for f in (l13_invoices, l14_recipes, l15_plony, l16_pendel, l17_motets, l18_lodgings, l19_dialects, l20_knots)
}


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, kept = out / "work" / name, out / "logs" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        CASES[name](work, kept)
        print(name, "left", sorted((f.name, f.stat().st_size) for f in kept.iterdir()), flush=True)


if __name__ == "__main__":
    main()
