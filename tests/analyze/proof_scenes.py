"""Runs whose claims are put to the proof: shipped recordings, one simulated job a fault, imported dumps; in memory."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore, MemoryStore
from samples.simulate.plan import TRUTH, Plan, draw
from samples.simulate.record import record

from ..bundle.imports.kit import CORPORA
from ..conftest import ROOT
from . import proof_kinds  # noqa: F401 - notes which kinds of claims are made, before any is

if TYPE_CHECKING:
    import polars as pl

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict
    from inquest.bundle.store import Store

RECORDED = ROOT / "samples" / "recorded"
TRACKED = ("huggingface/nan", "huggingface/healthy", "huggingface/three_steps", "tensorboard/restart", "wandb/nan")
"""Runs of which a tracker's files are all there is (samples/trackers)."""

SCENES = (
    *(f"recorded/{path.parent.name}" for path in sorted(RECORDED.glob("*/truth.json"))),
    *(f"simulated/{fault}" for fault in TRUTH),
    *(f"trackers/{name}" for name in TRACKED),
    "flight-recorder/gpu_error_1st",
    "flight-recorder/lock_gil_2nd",
)


def small(fault: str) -> Plan:
    """The first plan of a fault that is quick to judge."""
    plans = (draw(fault, seed) for seed in range(5000, 5400))
    return next(plan for plan in plans if plan.world <= 8 and plan.steps * plan.compute_s < 400)


def frames_of(store: Store) -> dict[str, pl.DataFrame]:
    """All recorded tables of a store."""
    return {name: store.scan(name).drop("ts").collect() for name in store.tables()}


@cache
def scene(name: str) -> MemoryStore:
    """The evidence of one scene; the test is skipped where its files are not beside the checkout."""
    kind, _, which = name.partition("/")
    if kind == "flight-recorder":
        if not (CORPORA / kind / which).is_dir():
            pytest.skip("shared/corpora/flight-recorder is not beside the checkout")
        imported = import_logs([str(CORPORA / kind / which)])
        return MemoryStore(frames_of(imported), imported.info)
    if kind == "trackers":
        imported = import_logs([str(ROOT / "samples" / "trackers" / which)])
        return MemoryStore(frames_of(imported), imported.info)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        if kind == "simulated":
            record(small(which), out / "nodes")
        merge([out / "nodes" if kind == "simulated" else RECORDED / which], out / "job.inquest")
        store = BundleStore(out / "job.inquest")
        return MemoryStore(frames_of(store), store.info)


def without(store: Store, *tables: str) -> MemoryStore:
    """A store whose ``tables`` were not captured: neither their rows, nor the word of who watched for them alone."""
    frames = frames_of(store)
    watched = frames.pop("collection")
    left = [
        not (names := set(filter(None, (text or "").split(",")))) or bool(names - set(tables))
        for text in watched["tables"].to_list()
    ]
    kept = {name: frame for name, frame in frames.items() if name not in tables}
    return MemoryStore({**kept, "collection": watched.filter(left)}, store.info)


@cache
def judged(name: str) -> tuple[Verdict, Evidence]:
    """The verdict over one scene."""
    return analyze(scene(name), strict=True)
