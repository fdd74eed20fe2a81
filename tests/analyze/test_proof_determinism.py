"""The same files give the same verdict bytes, whatever the number of threads and the order they come in."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from samples.simulate.export import export
from samples.simulate.record import record

from ..conftest import ROOT
from .proof_scenes import RECORDED, small

if TYPE_CHECKING:
    from pathlib import Path

# Run as a program of its own: threads are settled when Polars is imported.
PROGRAM = """
import sys
from pathlib import Path
from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
how, out, *inputs = sys.argv[1:]
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
"""


def verdict_bytes(how: str, inputs: list[Path], out: Path, threads: int) -> bytes:
    locale = {"LC_ALL": ("C", "tr_TR.UTF-8")[threads % 2], "TZ": ("UTC", "Asia/Tokyo")[threads % 2]}
    env = {**os.environ, **locale, "POLARS_MAX_THREADS": str(threads), "PYTHONHASHSEED": str(threads)}
    words = [how, str(out), *map(str, inputs)]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *words], env=env, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("fault", ["straggler", "node_down"])
def test_a_simulated_fault(fault: str, tmp_path: Path) -> None:
    nodes = [path.parent for path in record(small(fault), tmp_path / "nodes")]
    given = set()
    for threads in (1, 2, 4):
        random.Random(threads).shuffle(nodes)
        given.add(verdict_bytes("merge", nodes, tmp_path / f"{threads}.inquest", threads))
    assert len(given) == 1


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
