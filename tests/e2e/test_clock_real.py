"""Two real recorders on this machine, one under a shifted clock: the bundle has them on one time again.

Both read the same clocks, so the truth is known: without the shift they would agree to the nanosecond. libfaketime
(Debian package faketime) shifts what a process is told.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.errors import InputError
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore

if TYPE_CHECKING:
    import polars as pl

LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
SHIFT_S = 3600
SECOND = 1_000_000_000
PATIENCE_S = 120
SLACK_NS = 5_000_000
"""A busy machine may hold up each of the four steps of an exchange; what is asserted beside this is the bound."""


def run(out: Path, node: str, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """A recorded command that ends when there is a file OUT/end."""
    # A shell's sleep: Python's is refused its deadline under libfaketime.
    script = f"while [ ! -e {out / 'end'} ]; do sleep 0.2; done"
    command = [sys.executable, "-m", "inquest", "run", "--out", str(out), "--node", node, "--", "sh", "-c", script]
    return subprocess.Popen(command, env=os.environ | environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def probed(out: Path, capture_of: str) -> bool:
    """Whether the recorder of a node has written probes: they take a turn or two."""
    try:
        merge([out / capture_of], out / "look", force=True)
    except (InputError, OSError):  # a live recording changes under its reader
        return False
    found = BundleStore(out / "look").scan("clock_samples").collect()
    return found.filter(found["kind"] == "probe").height >= 3


def monotonic_shift(environment: dict[str, str]) -> tuple[int, int]:
    """How far libfaketime moves the monotonic clock, in ns, and how well that is known."""
    command = [sys.executable, "-I", "-S", "-c", "import time; print(time.monotonic_ns())"]
    before = time.monotonic_ns()
    shown = int(subprocess.run(command, env=os.environ | environment, capture_output=True, check=True).stdout)
    after = time.monotonic_ns()
    return shown - (before + after) // 2, (after - before) // 2


def utc(pieces: pl.DataFrame, node: str, t: int) -> int:
    """Aligned time of an instant of a node's monotonic clock."""
    own = pieces.filter(pieces["node"] == node).sort("from_mono_ns").to_dicts()
    piece = next((piece for piece in reversed(own) if piece["from_mono_ns"] <= t), own[0])
    offset: int = piece["offset_ns"]
    return t + offset + round(piece["drift_ppm"] * 1e-6 * (t - piece["from_mono_ns"]))


@pytest.mark.skipif(not LIBRARIES, reason="libfaketime is not installed (apt-get install faketime)")
@pytest.mark.parametrize("monotonic_too", [False, True], ids=["wall clock shifted", "both clocks shifted"])
def test_a_shifted_clock_is_aligned_back(tmp_path: Path, monotonic_too: bool) -> None:
    out = tmp_path / "out"
    shifted = {
        "LD_PRELOAD": str(LIBRARIES[0]),
        "FAKETIME": f"+{SHIFT_S}",
        "FAKETIME_DONT_FAKE_MONOTONIC": "0" if monotonic_too else "1",
        "DONT_FAKE_MONOTONIC": "0" if monotonic_too else "1",
    }
    jobs = [run(out, "straight", {}), run(out, "shifted", shifted)]
    try:
        until = time.monotonic() + PATIENCE_S
        while not probed(out, "straight"):
            assert time.monotonic() < until, "no probe was answered"
            assert all(job.poll() is None for job in jobs)
            time.sleep(1)
    finally:
        (out / "end").touch()
        for job in jobs:
            job.wait(PATIENCE_S)
    assert [job.returncode for job in jobs] == [0, 0]
    (out / "look").unlink()
    merge([out / "straight", out / "shifted"], tmp_path / "job.inquest")
    store = BundleStore(tmp_path / "job.inquest")
    triples = store.scan("clock_samples").collect()
    walls = {
        node: triples.filter((triples["node"] == node) & triples["wall_ns"].is_not_null())
        for node in ("straight", "shifted")
    }
    apart = (walls["shifted"]["wall_ns"] - walls["shifted"]["ts_mono_ns"]).median()
    straight = (walls["straight"]["wall_ns"] - walls["straight"]["ts_mono_ns"]).median()
    clocks = store.scan("clock_alignment").collect()
    pieces = clocks.filter(clocks["offset_ns"].is_not_null())
    bounds = dict(pieces.sort("bound_ns").select("node", "bound_ns").iter_rows())
    instant = int(walls["straight"]["ts_mono_ns"].median())
    truth, doubt = monotonic_shift(shifted) if monotonic_too else (0, 0)
    # When, by its monotonic clock, the shifted node was where the other one was.
    then = instant + truth
    for _ in range(3):
        then += utc(pieces, "straight", instant) - utc(pieces, "shifted", then)
    error = abs(then - instant - truth)
    print(
        f"wall clocks {(apart + truth - straight) / 1e9:+.3f} s apart, monotonic ones {truth / 1e9:+.3f} s (known to "
        f"{doubt / 1e6:.1f} ms); aligned to {error / 1e3:.1f} us, bounds {bounds} ns"
    )
    assert len(set(pieces["reference"])) == 1
    assert set(pieces["method"]) <= {"probe", "mixed"}
    assert error <= sum(bounds.values()) + doubt + 2
    assert error <= SLACK_NS + doubt
    assert sum(bounds.values()) <= 10 * SLACK_NS
    shutil.rmtree(out, ignore_errors=True)  # on a busy machine a recorder may be sealing still
