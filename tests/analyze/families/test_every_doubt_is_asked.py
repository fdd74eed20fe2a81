"""No doubt in a run's health is written down and never asked."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.families import (
    _admissions,
    _came_to_nothing,
    _doubts,
    _end_doubts,
    _learning_doubts,
    _measured,
    _pace_doubts,
    _several_starts,
    _start_doubts,
    _unnamed_times,
    _unread,
    g1_healthy,
)

if TYPE_CHECKING:
    from types import ModuleType

OF_A_RUN = (
    _admissions,
    _came_to_nothing,
    _doubts,
    _end_doubts,
    _learning_doubts,
    _measured,
    _pace_doubts,
    _several_starts,
    _unnamed_times,
    _unread,
)


def written(module: ModuleType, parameters: list[str]) -> set[object]:
    """The functions of a module that take just these."""
    return {
        function
        for _, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and list(inspect.signature(function).parameters) == parameters
    }


def test_every_doubt_of_the_start_is_asked_once() -> None:
    assert len(set(_start_doubts._LOOKS)) == len(_start_doubts._LOOKS)
    assert set(_start_doubts._LOOKS) | {_start_doubts.start_doubt} == written(_start_doubts, ["ev", "story"])


@pytest.mark.parametrize("module", OF_A_RUN, ids=lambda module: module.__name__.rpartition(".")[2])
def test_every_doubt_of_a_file_is_asked_once(module: ModuleType) -> None:
    asked = [look for look in g1_healthy._LOOKS if look.__module__ == module.__name__]
    assert len(asked) == len(set(asked))
    assert set(asked) == written(module, ["run"]) != set()
