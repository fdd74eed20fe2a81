"""The study of clock alignment, small and with fixed seeds: SIMULATED jobs whose truth is known."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

STUDY = Path(__file__).resolve().parents[2] / "benchmarks/clock_study"
US = 1000

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module", autouse=True)
def _study_importable() -> Iterator[None]:
    sys.path.insert(0, str(STUDY))
    yield
    sys.path.remove(str(STUDY))


def study(runs: int, **scenario: Any) -> Any:
    """Errors over several simulated jobs."""
    from measure import Errors, measure
    from simulator import Cluster, Scenario

    total = Errors()
    for seed in range(runs):
        total.add(measure(Cluster(Scenario(seed=seed + 1, **scenario))))
    return total


@pytest.mark.parametrize(("nodes", "runs"), [(2, 20), (3, 15), (8, 8), (48, 1)])
def test_fifty_collectives(nodes: int, runs: int) -> None:
    errors = study(runs, nodes=nodes, collectives=50)
    assert errors.percentile(0.5) <= 100 * US
    assert errors.percentile(0.99) <= 500 * US
    assert errors.covered >= 0.97
    assert errors.width <= 5.5
    assert errors.broken <= 1
    assert errors.unbounded == 0


@pytest.mark.parametrize("source", [{"collectives": 100}, {"probes": 40}], ids=["collectives", "probes"])
def test_frequencies_that_wander_stay_within_the_bounds(source: dict[str, int]) -> None:
    errors = study(4, nodes=6, wander_ppb=100, **source)
    assert errors.percentile(0.5) <= 100 * US
    assert errors.covered >= 0.95
    assert errors.broken <= 1


@pytest.mark.parametrize("one_way", [False, True])
def test_twenty_probes(one_way: bool) -> None:
    errors = study(10, nodes=8, probes=20, one_way=one_way)
    assert errors.percentile(0.99) <= 1000 * US
    assert errors.covered == 1.0, "no message arrives before it was sent"
    assert errors.width <= 6
    assert errors.broken == 0


def test_messages_that_take_all_their_time_one_way_stay_within_the_bounds() -> None:
    errors = study(6, nodes=5, probes=20, one_way=True, asymmetry=1000, wander_ppb=100)
    assert errors.covered == 1.0
    assert errors.broken == 0


def test_lost_records_and_nodes_cost_little() -> None:
    errors = study(2, nodes=16, collectives=80, lost=0.3, missing=0.25, steps=1)
    assert errors.percentile(0.99) <= 500 * US
    assert errors.covered >= 0.95
    assert len(errors.error) == 24


def test_a_wall_clock_that_is_set_is_found_out() -> None:
    errors = study(3, nodes=6, collectives=200, imported=True, steps=1)
    assert errors.percentile(0.5) <= 100 * US
    assert errors.covered >= 0.94
    assert errors.broken <= errors.pairs // 20


def test_nothing_in_common_gives_no_bound() -> None:
    assert study(1, nodes=4, imported=True).unbounded == 4
    assert study(1, nodes=4).unbounded == 4


def test_estimator_and_simulator_do_not_know_each_other() -> None:
    def imports(path: Path) -> set[str]:
        tree = ast.parse(path.read_text())
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        return {
            name
            for node in nodes
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [f"{node.module}.{alias.name}" for alias in node.names]
            )
        }

    product = {name for path in (STUDY.parents[1] / "bundle/clock").glob("*.py") for name in imports(path)}
    assert product, "the estimator is where it was"
    assert not any("simulator" in name or "clock_study" in name or "benchmarks" in name for name in product)
    assert not any("clock" in name for name in imports(STUDY / "simulator.py"))
