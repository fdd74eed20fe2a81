"""The log of a job: facts are read from it, and there is a verdict whose JSON can be written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
from tests.fuzz.corpus import committed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place


def run(data: bytes, place: Place) -> object:
    path = place.scratch / "slurm-1.out"
    path.write_bytes(data)
    verdict, _ = analyze(import_logs([path], overrides=["log=*"]), strict=True)
    return verdict.to_json()


def seeds() -> Iterator[bytes]:
    yield from committed("logs")
    yield b"step 1/9 | loss 2.5 | 12 ms/step\n[rank0]: Traceback (most recent call last):\n[rank0]: ValueError: x\n"
