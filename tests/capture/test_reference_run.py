"""The reference run in small form: two recorders on stub GPUs, merged, and the series of signals it holds counted."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inquest.bundle.store import BundleStore

ROOT = Path(__file__).parents[2]
LINKS, LINK_SIGNALS = 18, 33


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc to compile the stub libraries with")
def test_two_nodes_of_one_gpu(tmp_path: Path) -> None:
    bundle = tmp_path / "job.inquest"
    command = [sys.executable, ROOT / "benchmarks" / "reference_run.py", "--json", "--keep", bundle]
    size = ["--seconds", "6", "--gpus", "1", "--ranks", "1"]
    done = subprocess.run([*command, *size], capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    links = [one for one in told["signals"] if one["table"] == "nvlink_samples"]
    assert len(links) == LINK_SIGNALS
    assert {(one["series"], one["expanded"], one["stub"]) for one in links} == {(2, 2 * LINKS, 2 * LINKS)}
    real = told["expanded"] - told["stub"]
    assert real >= 150, "what needs neither GPU nor probes is really recorded"
    assert told["stub"] >= 2 * LINKS * LINK_SIGNALS + 2 * 40, "and the readings of the GPUs themselves"
    nodes = BundleStore(bundle).scan("node_info").select("node", "boot_id").unique().collect()
    assert sorted(nodes["node"]) == ["node-a", "node-b"]
