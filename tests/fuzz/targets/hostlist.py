"""Slurm's short form of node lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.bundle import hostlist

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place


def run(data: bytes, place: Place) -> object:
    del place
    return hostlist.expand(data.decode("utf-8", "replace"))


def seeds() -> Iterator[bytes]:
    yield b"gpu[001-003,007],login1"
    yield b"a[1-2]b[3-4],c-[08-11]-x"
    yield b"n[0-4294967295]"
