"""Simulated jobs, recorded and as an operator would have gathered them: the verdict is the truth they were made with.

The constants of a job are drawn from its seed; detectors know none of them. What passes here is no score: the families
were mended on other seeds of this very simulator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore
from samples.simulate.export import export
from samples.simulate.plan import TRUTH, Plan, draw
from samples.simulate.record import record

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

OFFSETS = (0, 120, -300, 330)
_NO_RANKS = {"straggler", "silent_freeze"}
"""Without the processes, a GPU has no rank."""


def differs(verdict: Verdict, plan: Plan, *, ranks: bool = True) -> dict[str, tuple[object, object]]:
    """What is not as the truth has it: name, truth and verdict."""
    found = {name: getattr(verdict, name) for name in plan.truth if ranks or name != "culprit_ranks"}
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}
    return {name: (plan.truth[name], value) for name, value in plain.items() if value != plan.truth[name]}


@pytest.mark.parametrize("fault", TRUTH)
def test_recorded(fault: str, tmp_path: Path) -> None:
    plan = draw(fault, 1000)
    record(plan, tmp_path / "out")
    merge([tmp_path / "out"], tmp_path / "job.inquest")
    store = BundleStore(tmp_path / "job.inquest")
    verdict, _ = analyze(store, strict=True)
    assert store.info.simulated
    assert not differs(verdict, plan), verdict.headline


@pytest.mark.parametrize("number", range(len(TRUTH)), ids=list(TRUTH))
def test_gathered_by_an_operator(number: int, tmp_path: Path) -> None:
    fault = list(TRUTH)[number]
    plan = draw(fault, 2000)
    export(plan, tmp_path / "job", offset_minutes=OFFSETS[number % 4], meta=True)
    verdict, _ = analyze(import_logs([str(tmp_path / "job")]), strict=True)
    assert not differs(verdict, plan, ranks=fault not in _NO_RANKS), verdict.headline
