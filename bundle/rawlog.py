"""What the pump writes in one frame: a stretch of a stream with the time it was read, or a gap in it.

A wrapped command has one raw log, ``log-<task>.raw``; a pump that was killed and started again begins the next part,
``log-<task>.1.raw`` (see ``nodedir.raw_log_path``). Parts may overlap: the same offset of a stream can be written
twice, and recovery keeps the first.

Payload, little-endian: [u8 kind][u8 stream][i64 monotonic ns][i64 offset in the stream], then for kind 0 the bytes
read, for kind 1 [i64 bytes lost][reason as UTF-8].

Standard library only, and no ``typing`` at run time: this is imported before the wrapped job starts.
"""

from __future__ import annotations

import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

STREAMS: Final = ("stdout", "stderr", "pty")
"""Stream names by stream id."""

MAX_DATA: Final = 64 << 10
"""Most bytes of output in one record."""

LINE_BYTES: Final = 64 << 10
"""A longer line keeps this many bytes, half from its head and half from its tail."""

MAX_OFFSET: Final = 1 << 40
"""Where a record must end, in bytes of its stream: 1 TiB."""

_HEAD: Final = struct.Struct("<BBqq")
_LOST: Final = struct.Struct("<q")
_DATA_KIND: Final = 0
_GAP_KIND: Final = 1


class Data:
    """Bytes of a stream: ``data`` began at byte ``offset`` and was read at ``mono_ns`` (monotonic, ns)."""

    __slots__ = ("data", "mono_ns", "offset", "stream")

    def __init__(self, stream: int, mono_ns: int, offset: int, data: bytes) -> None:
        self.stream = stream
        self.mono_ns = mono_ns
        self.offset = offset
        self.data = data


class Gap:
    """``lost`` bytes of a stream, from byte ``offset`` on, that were passed through and not recorded."""

    __slots__ = ("lost", "mono_ns", "offset", "reason", "stream")

    def __init__(self, stream: int, mono_ns: int, offset: int, lost: int, reason: str) -> None:
        self.stream = stream
        self.mono_ns = mono_ns
        self.offset = offset
        self.lost = lost
        self.reason = reason


def encode(stream: int, mono_ns: int, offset: int, data: bytes) -> bytes:
    """The payload for ``data``, read from stream ``stream`` at ``mono_ns``; ``offset`` is that of its first byte.

    Raises:
        ValueError: ``data`` is empty or longer than MAX_DATA.
    """
    if not 0 < len(data) <= MAX_DATA:
        raise ValueError(f"a record holds 1 to {MAX_DATA} bytes, not {len(data)}")
    return _HEAD.pack(_DATA_KIND, stream, mono_ns, offset) + data


def encode_gap(stream: int, mono_ns: int, offset: int, lost: int, reason: str) -> bytes:
    """The payload that says ``lost`` bytes from ``offset`` on were not recorded, and why."""
    return _HEAD.pack(_GAP_KIND, stream, mono_ns, offset) + _LOST.pack(lost) + reason.encode()


def encode_record(record: Data | Gap) -> bytes:
    """The payload of either kind of record."""
    if isinstance(record, Gap):
        return encode_gap(record.stream, record.mono_ns, record.offset, record.lost, record.reason)
    return encode(record.stream, record.mono_ns, record.offset, record.data)


def decode(payload: bytes) -> Data | Gap:
    """The record in a payload.

    Raises:
        ValueError: No pump wrote this.
    """
    if len(payload) < _HEAD.size:
        raise ValueError("too short for a raw log record")
    kind, stream, mono_ns, offset = _HEAD.unpack_from(payload)
    body = payload[_HEAD.size :]
    if stream >= len(STREAMS) or mono_ns < 0 or offset < 0:
        raise ValueError("not a raw log record")
    if kind == _DATA_KIND and 0 < len(body) <= min(MAX_DATA, MAX_OFFSET - offset):
        return Data(stream, mono_ns, offset, body)
    if (
        kind == _GAP_KIND
        and len(body) >= _LOST.size
        and 0 < (lost := _LOST.unpack_from(body)[0]) <= MAX_OFFSET - offset
    ):
        return Gap(stream, mono_ns, offset, lost, body[_LOST.size :].decode("utf-8", "replace"))
    raise ValueError("not a raw log record")
