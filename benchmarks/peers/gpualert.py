"""GPUAlert (a wrapper that mails): start, stream, status, and which error a text tells of.

It is found as ``$GPUALERT``, else on PATH: ``python3 -m venv ga && ga/bin/pip install gpualert``.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.peers import Absent, Row

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpora" / "gpualert"
INQUEST = str(Path(sys.executable).with_name("inquest"))
ROUNDS = 15
LINES = 100_000
LOG_MB = 20

# Its rules in their order, by the names of its own corpus: the first that matches is its answer.
CLASSES = (
    *("cuda_oom", "nccl", "cuda_runtime", "ram_oom", "segfault", "file_not_found", "permission", "missing_module"),
    *("div_zero", "device_mismatch", "nan_loss", "oom_killer", "assertion", "runtime_error", "traceback"),
)
_CLASSIFY = """
import re, sys
from gpualert.parse_errors import ERROR_PATTERNS
text = open(sys.argv[1], errors="replace").read()
print(len(ERROR_PATTERNS), next((i for i, rule in enumerate(ERROR_PATTERNS) if re.search(rule[0], text, re.I)), -1))
"""
_PARSE = """
import sys, time
from gpualert.parse_errors import parse_errors
text = open(sys.argv[1]).read()
begin = time.perf_counter()
parse_errors(text, "", 1)
print(time.perf_counter() - begin)
"""
_PRINT = f"import sys; sys.stdout.write(('step ' + 'x' * 114 + chr(10)) * {LINES})"


def rows() -> list[Row]:
    """The table; what is timed is timed in turn.

    Raises:
        Absent: GPUAlert is not installed.
    """
    found = os.environ.get("GPUALERT") or shutil.which("gpualert")
    if not found:
        raise Absent("GPUAlert is not here: pip install gpualert into an environment of its own, and set GPUALERT")
    with tempfile.TemporaryDirectory() as folder:
        theirs = [found, "run", "--no-notify", "--verbose", "--"]
        ours = [INQUEST, "run", "--out", f"{folder}/out", "--"]
        environ = {**os.environ, "HOME": folder}
        told = [_start(theirs, ours, environ), _stream(theirs, ours, environ), _status(theirs, ours, environ)]
        python = str(Path(found).with_name("python"))
        return [*told, _texts(python, folder), _speed(python, folder)]


def _seconds(command: list[str], environ: dict[str, str]) -> float:
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as sink:
        subprocess.run(command, stdout=sink, stderr=subprocess.DEVNULL, env=environ, check=False)
    return time.perf_counter() - begin


def _start(theirs: list[str], ours: list[str], environ: dict[str, str]) -> Row:
    ways: dict[str, list[str]] = {"bare": [], "theirs": theirs, "ours": [*ours[:-1], "--no-recorder", "--"]}
    seen: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, prefix in ways.items():
            seen[name].append(_seconds([*prefix, "/bin/true"], environ))
    median = {name: statistics.median(times) * 1e3 for name, times in seen.items()}
    return Row(
        f"wrap `true`, whole command, median of {ROUNDS} (bare {median['bare']:.1f} ms)",
        f"{median['theirs']:.0f} ms",
        f"{median['ours']:.0f} ms",
    )


def _stream(theirs: list[str], ours: list[str], environ: dict[str, str]) -> Row:
    job = [sys.executable, "-c", _PRINT]
    bare, there, here = (min(_seconds([*prefix, *job], environ) for _ in range(3)) for prefix in ([], theirs, ours))
    return Row(
        f"pass {LINES:,} lines of 120 B on to a file, whole command, best of 3 (bare {bare:.2f} s)",
        f"{there:.2f} s",
        f"{here:.2f} s",
    )


def _status(theirs: list[str], ours: list[str], environ: dict[str, str]) -> Row:
    jobs = {"exit 3": ["sh", "-c", "exit 3"], "SIGSEGV": ["sh", "-c", "kill -SEGV $$"]}

    def told(prefix: list[str]) -> str:
        ended = []
        for name, job in jobs.items():
            done = subprocess.run([*prefix, *job], capture_output=True, env=environ, check=False)
            ended.append(f"{name}: {done.returncode}")
        return ", ".join(ended)

    return Row(f"status of the wrapper (bare {told([])})", told(theirs), told(ours))


def _texts(python: str, folder: str) -> Row:
    if not CORPUS.is_dir():
        return Row("the 15 texts of its corpus", "not here: ../shared/corpora/gpualert", "")
    labels = json.loads((CORPUS / "labels.json").read_text())
    right_there = right_here = 0
    for name, label in labels.items():
        log = str(CORPUS / f"{name}.log")
        rules, first = subprocess.check_output([python, "-c", _CLASSIFY, log], text=True).split()
        known = int(rules) == len(CLASSES) and int(first) >= 0
        right_there += known and CLASSES[int(first)] == label["gpualert_class"]
        code = int(label["exit_code"])
        status = ["--signal", str(-code)] if code < 0 else ["--exit-code", str(code)]
        said = subprocess.run([INQUEST, "explain", log, *status, "--json"], capture_output=True, text=True, check=False)
        right_here += json.loads(said.stdout)["family"] == label["family"]
    return Row(
        "the 15 distinct texts of its corpus (15 classes there, families here)",
        f"{right_there} of {len(labels)}",
        f"{right_here} of {len(labels)}",
    )


def _speed(python: str, folder: str) -> Row:
    log = Path(folder) / "train.log"
    line = "2026-01-01 00:00:00 INFO step {} loss {:.4f} grad_norm 1.03 lr 3.0e-04 tokens/s 41234 memory 71.2 GiB\n"
    with log.open("w") as file:
        number = 0
        while file.tell() < LOG_MB << 20:
            file.writelines(line.format(number + k, 9 / (number + k + 1)) for k in range(10_000))
            number += 10_000
    size = log.stat().st_size / 1e6
    there = float(subprocess.check_output([python, "-c", _PARSE, str(log)], text=True))
    here = _seconds([INQUEST, "explain", str(log), "--exit-code", "1", "--json"], dict(os.environ))
    return Row(
        f"read a log of {size:.0f} MB, every line progress (there the rules alone; here the whole command)",
        f"{size / there:.1f} MB/s",
        f"{size / here:.1f} MB/s",
    )
