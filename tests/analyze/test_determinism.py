"""Same evidence, same verdict bytes: whatever the number of threads, the order of rows, the locale, the hash seed."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import polars as pl
import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.store import MemoryStore

from ..conftest import ROOT

SECOND = 1_000_000_000
START = 1_800_000_000 * SECOND

# Read on its own by the child processes below: every table a verdict may rest on, on two nodes.
LOG = [
    "INFO rendezvous: torchrun starting workers",
    *(f"step {n}/400 loss {4.0 - n * 0.01:.4f} lr 1.0e-04 grad_norm 0.{n % 9}1" for n in range(1, 60)),
    "saved checkpoint to checkpoints/step-50",
    "Traceback (most recent call last):",
    '  File "train.py", line 88, in <module>',
    "    main()",
    '  File "train.py", line 40, in main',
    "    raise ValueError('shard 7 holds no samples')",
    "ValueError: shard 7 holds no samples",
]


def rows():
    """Plain rows of a run of two nodes with four ranks, of which rank 2 crashes."""
    tables = {"log_lines": [], "host_samples": [], "processes": [], "collection": [], "cgroup_samples": []}
    for node, ranks in (("node-a", (0, 1)), ("node-b", (2, 3))):
        for rank in ranks:
            text = LOG if rank == 2 else LOG[:60]
            for n, line in enumerate(text):
                about = {"source": f"log-{rank}", "stream": "stdout", "rank": rank, "rank_by": "task", "eol": "lf"}
                seq = rank * 1000 + n
                tables["log_lines"].append(
                    {"node": node, "seq": seq, "ts_ns": START + n * SECOND, "text": line, **about}
                )
            code = 1 if rank == 2 else 0
            end = {"event": "exit", "role": "task", "rank": rank, "exit_code": code, "ts_ns": START + 70 * SECOND}
            tables["processes"].append({"node": node, "world_size": 4, **end})
        for n in range(200):
            memory = {"memory_available_bytes": 10**9 - n * 1000, "psi_io_full_avg10": 0.1 * n}
            tables["host_samples"].append({"node": node, "ts_ns": START + n * SECOND // 3, **memory})
            used = {"memory_used_bytes": n * 7, "cgroup": f"/job/{n % 3}", "memory_limit_bytes": 10**9}
            tables["cgroup_samples"].append({"node": node, "ts_ns": START + n * SECOND // 3, **used})
        tables["collection"].append({"node": node, "collector": "nvml", "outcome": "missing", "tables": "gpu_samples"})
    return tables


def store(seed=None):
    """The run; with ``seed``, every table's rows in another order."""
    whole = MemoryStore.from_rows(rows(), job_id="77")
    if seed is None:
        return whole
    frames = {}
    for name in whole.tables():
        frame = whole.scan(name).drop("ts").collect()
        order = list(range(frame.height))
        random.Random(seed).shuffle(order)
        frames[name] = frame[order]
    names = list(frames)
    random.Random(seed).shuffle(names)
    return MemoryStore({name: frames[name] for name in names}, whole.info)


def verdict_bytes(seed=None):
    verdict, evidence = analyze(store(seed), strict=True)
    windows = evidence.facts("fact_windows").write_csv()
    return (verdict.to_json() + windows).encode()


@pytest.fixture(scope="module")
def expected():
    return verdict_bytes()


def test_the_run_is_decided(expected):
    verdict, _ = analyze(store(), strict=True)
    assert verdict.family == "A1", verdict.headline
    assert verdict.culprit_ranks == (2,)
    assert verdict.first_failing.node == "node-b"


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_rows_and_tables_does_not_show(seed, expected):
    assert verdict_bytes(seed) == expected


@pytest.mark.parametrize(
    ("threads", "seed", "locale"), [("1", "0", "C"), ("2", "1", "C.UTF-8"), ("4", "2", "tr_TR.UTF-8"), ("4", "3", "C")]
)
def test_threads_hashes_and_locale_do_not_show(threads, seed, locale, expected):
    code = "import sys; from tests.analyze import test_determinism as t; sys.stdout.buffer.write(t.verdict_bytes(7))"
    env = {**os.environ, "POLARS_MAX_THREADS": threads, "PYTHONHASHSEED": seed, "LC_ALL": locale, "TZ": "Asia/Tokyo"}
    done = subprocess.run([sys.executable, "-c", code], env=env, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout == expected


def test_other_evidence_gives_other_bytes(expected):
    """The comparison above can fail."""
    changed = store()
    lines = changed.scan("log_lines").drop("ts").collect()
    text = pl.col("text").str.replace("shard 7", "shard 8")
    frames = {name: changed.scan(name).drop("ts").collect() for name in changed.tables()}
    frames["log_lines"] = lines.with_columns(text)
    verdict, _ = analyze(MemoryStore(frames, changed.info), strict=True)
    assert verdict.to_json().encode() not in expected
