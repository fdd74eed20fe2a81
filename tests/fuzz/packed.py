"""Several byte strings in one input, so that a fuzzer can change each by itself."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIZE = struct.Struct("<H")
MAX_PARTS = 64


def pack(parts: Iterable[bytes]) -> bytes:
    """Parts of at most 64 KiB, each after its length."""
    return b"".join(_SIZE.pack(len(part)) + part for part in parts)


def unpack(data: bytes) -> list[bytes]:
    """The parts again. Any bytes are parts of some kind."""
    parts = []
    while len(data) >= _SIZE.size and len(parts) < MAX_PARTS:
        (size,) = _SIZE.unpack_from(data)
        parts.append(data[_SIZE.size : _SIZE.size + size])
        data = data[_SIZE.size + size :]
    return parts
