"""Cases every view is tested with; built once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from . import scenarios

if TYPE_CHECKING:
    from .scenarios import Case


@pytest.fixture(scope="session")
def killed() -> Case:
    return scenarios.killed()


@pytest.fixture(scope="session")
def crowd() -> Case:
    """512 ranks on 64 nodes, an hour."""
    return scenarios.killed(nodes=64, per_node=8, steps=120, seconds=3600)


@pytest.fixture(scope="session", params=["killed", "healthy", "bare"])
def case(request: pytest.FixtureRequest) -> Case:
    return getattr(scenarios, request.param)()
