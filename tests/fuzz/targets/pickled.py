"""Pickles of plain values: read as Python reads them, or refused; code is never run."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from inquest.bundle.imports import plain_pickle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place


def run(data: bytes, place: Place) -> object:
    del place
    return repr(plain_pickle.load(data, "dump").value)


def seeds() -> Iterator[bytes]:
    value = {"version": "2.10", "entries": [{"a": (1, 2.5, None), "b": [True, "x" * 20, b"y"]}], "n": 2**70, "e": []}
    for protocol in (0, 1, 2, 4, 5):
        yield pickle.dumps(value, protocol)
    yield b"cos\nsystem\n(S'true'\ntR."
