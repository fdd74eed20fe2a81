"""The same files give the same bytes of verdict, report and timeline, whatever the threads, their order, the locale."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import random
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from samples.simulate.export import export
from samples.simulate.plan import draw
from samples.simulate.record import record

from ..conftest import ROOT
from .proof_scenes import RECORDED, small

if TYPE_CHECKING:
    from pathlib import Path

# Run as a program of its own: threads are settled when Polars is imported.
PROGRAM = """
import hashlib
import sys
from pathlib import Path
from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from inquest.render import VIEWS
how, out, drawn, *inputs = sys.argv[1:]
others = {}
if how == "import":
    store = import_logs(inputs)
elif how == "against":
    names = ("run", "parent", "baseline")
    stores = []
    for name, path in zip(names, inputs):
        merge(sorted(Path(path).glob("node-*"), reverse=len(out) % 2), Path(f"{out}.{name}"))
        stores.append(BundleStore(Path(f"{out}.{name}")))
    store, others["parent"], others["baseline"] = stores
else:
    merge([Path(name) for name in inputs], Path(out))
    store = BundleStore(Path(out))
sys.stdout.buffer.write(analyze(store, strict=True, **others)[0].to_json().encode())
for _ in range(3 if drawn else 0):
    verdict, evidence = analyze(BundleStore(Path(drawn)), strict=True)
    print(hashlib.sha256(verdict.to_json().encode()).hexdigest())
for view in VIEWS if drawn else ():
    print(view.name, hashlib.sha256(view.render(verdict, evidence)).hexdigest())
"""


def verdict_bytes(how: str, inputs: list[Path], out: Path, threads: int, drawn: Path | None = None) -> bytes:
    """The verdict of a process of its own; then what it makes of the bundle ``drawn``, in lines.

    These are digests: of the verdict three times over, and of every view.
    """
    locale = {"LC_ALL": ("C", "tr_TR.UTF-8")[threads % 2], "TZ": ("UTC", "Asia/Tokyo")[threads % 2]}
    env = {**os.environ, **locale, "POLARS_MAX_THREADS": str(threads), "PYTHONHASHSEED": str(threads)}
    words = [how, str(out), str(drawn or ""), *map(str, inputs)]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *words], env=env, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_a_simulated_fault(tmp_path: Path) -> None:
    nodes = [path.parent for path in record(small("node_down"), tmp_path / "nodes")]
    given = set()
    for threads in (1, 2, 4):
        random.Random(threads).shuffle(nodes)
        given.add(verdict_bytes("merge", nodes, tmp_path / f"{threads}.inquest", threads))
    assert len(given) == 1


def test_every_view_of_a_simulated_fault(tmp_path: Path) -> None:
    """A report tells how its bundle was made: all draw the one that was merged first."""
    plan = draw("straggler", 41)
    plan = dataclasses.replace(plan, nodes=plan.nodes[:2], gpus_per_node=2, sick=1, dialect="plain", steps=60)
    nodes = [path.parent for path in record(plan, tmp_path / "nodes")]
    given, first = set(), tmp_path / "1.inquest"
    for threads in (1, 2, 4):
        random.Random(threads).shuffle(nodes)
        given.add(verdict_bytes("merge", nodes, tmp_path / f"{threads}.inquest", threads, drawn=first))
    assert len(given) == 1
    text, _, told = given.pop().decode().rpartition("}\n")
    lines = told.splitlines()
    assert lines[:3] == [hashlib.sha256(f"{text}}}\n".encode()).hexdigest()] * 3
    assert {line.split()[0] for line in lines[3:]} >= {"verdict", "report", "timeline"}


def test_an_imported_directory(tmp_path: Path) -> None:
    """Each time copied in another order, so that the file system lists it in another one, and named file by file."""
    export(small("ecc"), tmp_path / "job", offset_minutes=120, meta=True)
    files = sorted(path for path in (tmp_path / "job").rglob("*") if path.is_file())
    assert len(files) > 3
    whole = {}
    for threads in (1, 2, 4):
        random.Random(threads).shuffle(files)
        copy = tmp_path / "copies" / str(threads) / "job"
        for file in files:
            target = copy / file.relative_to(tmp_path / "job")
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        whole[threads] = verdict_bytes("import", [copy], tmp_path / "unused", threads)
    assert len(set(whole.values())) == 1
    orders = set()
    for threads in (2, 4):
        random.Random(threads).shuffle(files)
        orders.add(verdict_bytes("import", files, tmp_path / "unused", threads))
    assert len(orders) == 1


def test_a_run_held_against_two_others(tmp_path: Path) -> None:
    """Nodes of all three in another order, too: what a parent and a baseline add is as fixed as the rest."""
    runs = [RECORDED / name for name in ("resumed", "cut_short", "healthy")]
    given = {verdict_bytes("against", runs, tmp_path / f"{'x' * threads}", threads) for threads in (1, 4)}
    assert len(given) == 1
    assert b'"of": "parent"' in given.pop()


def test_other_files_give_other_bytes(tmp_path: Path) -> None:
    """The comparison can fail."""
    given = set()
    for fault in ("traceback", "cuda_oom"):
        nodes = [path.parent for path in record(small(fault), tmp_path / fault)]
        given.add(verdict_bytes("merge", nodes, tmp_path / f"{fault}.inquest", 2))
    assert len(given) == 2
