"""No doubt in a run's health is written down and never asked."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.families import _end_doubts, _learning_doubts, _start_doubts

if TYPE_CHECKING:
    from types import ModuleType


@pytest.mark.parametrize(
    ("module", "asked"),
    [
        (_start_doubts, _start_doubts._LOOKS),
        (_end_doubts, _end_doubts.LOOKS),
        (_learning_doubts, _learning_doubts.LOOKS),
    ],
    ids=["start", "end", "learning"],
)
def test_every_doubt_of_a_file_is_asked_once(module: ModuleType, asked: tuple[object, ...]) -> None:
    written = [
        function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and name.startswith("_")
    ]
    assert len(asked) == len(written)
    assert set(asked) == set(written)
