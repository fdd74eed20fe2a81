"""TensorBoard's event files: TFRecord frames, each an ``Event`` message with values of a step.

Facts of the format: tensorflow/core/lib/io/record_writer.h (framing, masked CRC-32C),
tensorflow/core/util/event.proto, tensorflow/core/framework/summary.proto and tensor.proto (field numbers).
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal

from google.protobuf.message import DecodeError

from inquest.bundle.imports._messages import messages
from inquest.bundle.imports._values import MAX_NAME, Row, batches, folder, host, nanoseconds, teller

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

MAX_RECORD: Final = 1 << 20
"""Largest frame that is looked into: graphs, images and weights are larger, values of a step never."""

_HEAD: Final = struct.Struct("<QI")
_TAIL: Final = struct.Struct("<I")
_VERSION: Final = b"brain.Event:"
# events.out.tfevents.SECONDS.HOST (TensorFlow 1, tensorboardX), then .PID.NUMBER (torch, TensorFlow 2), then any suffix
_NAME: Final = re.compile(r"events\.out\.tfevents\.\d{9,}\.(?P<host>[A-Za-z0-9][\w.-]*?)(?:\.\d+\.\d+(?:\.\D.*)?)?")

_TYPES: Final = messages(
    "inquest.tensorboard",
    {
        "Event": (
            (1, "wall_time", "double"),
            (2, "step", "int64"),
            (3, "file_version", "bytes"),
            (5, "summary", "Summary"),
        ),
        "Summary": ((1, "value", "*Value"),),
        "Value": ((1, "tag", "bytes"), (2, "simple_value", "float"), (8, "tensor", "Tensor")),
        "Tensor": (
            (1, "dtype", "int32"),
            (4, "tensor_content", "bytes"),
            (5, "float_val", "*float"),
            (6, "double_val", "*double"),
            (7, "int_val", "*int32"),
            (10, "int64_val", "*int64"),
        ),
    },
)
_DTYPES: Final = {1: ("float_val", "<f"), 2: ("double_val", "<d"), 3: ("int_val", "<i"), 9: ("int64_val", "<q")}
"""DataType of a tensor: the field its numbers stand in, and how one lies in ``tensor_content``."""


@dataclass(frozen=True, slots=True)
class TensorBoard:
    """See the module."""

    name: str = "tensorboard"
    title: str = "TensorBoard event file"
    tables: tuple[str, ...] = ("metrics",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """A whole first frame that names the format: TFRecords of training data have the frame only."""
        first = next(_frames([source.head], None), None)
        event = None if first is None else _parsed(first)
        return event is not None and event.file_version.startswith(_VERSION)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """One row a value; a folder is a run, as TensorBoard itself has it."""
        named = _NAME.fullmatch(PurePosixPath(source.name).name)
        about = {
            **teller(source, "tensorboard", folder(source.name)),
            "node": host(named["host"]) if named else None,
        }
        yield from batches({**about, **row} for row in _rows(source.chunks(), context))


def _rows(chunks: Iterable[bytes], context: Context) -> Iterator[Row]:
    for frame in _frames(chunks, context):
        event = _parsed(frame)
        if event is None:
            context.refuse("record is no TensorBoard event")
            continue
        for value in event.summary.value:
            told = _number(value)
            if told is None:
                context.refuse("value is no scalar (text, image, histogram)")
            elif not 0 < len(value.tag) <= MAX_NAME:
                context.refuse("value has no name, or one beyond all measure")
            else:
                yield {
                    "ts_ns": nanoseconds(event.wall_time),
                    "step": event.step,
                    "name": value.tag.decode(errors="replace"),
                    "value": told,
                }


def _parsed(frame: bytes) -> Any:  # noqa: ANN401  protobuf classes made at run time have no static type
    try:
        return _TYPES["Event"].FromString(frame)
    except DecodeError:
        return None


def _number(value: Any) -> float | None:  # noqa: ANN401
    """The one number of a value, in either generation of the format; None when it is none or many."""
    if value.HasField("simple_value"):
        return float(value.simple_value)
    tensor = value.tensor
    if tensor.dtype not in _DTYPES:
        return None
    field, layout = _DTYPES[tensor.dtype]
    listed = getattr(tensor, field)
    if len(listed) == 1 and not tensor.tensor_content:
        return float(listed[0])
    if not listed and len(tensor.tensor_content) == struct.calcsize(layout):
        return float(struct.unpack(layout, tensor.tensor_content)[0])
    return None


def _frames(chunks: Iterable[bytes], context: Context | None) -> Iterator[bytes]:
    """Contents of the whole frames. What is torn or damaged is counted in ``context`` (None: nobody asks)."""
    buffer = bytearray()
    skip = 0
    for chunk in chunks:
        if skip >= len(chunk):
            skip -= len(chunk)
            continue
        buffer += chunk[skip:]
        skip = at = 0
        while len(buffer) - at >= _HEAD.size:
            length, check = _HEAD.unpack_from(buffer, at)
            if _masked(buffer[at : at + 8]) != check:
                if context is not None:
                    context.warn(
                        "The file is damaged: the length of a record is not what its checksum says, so the rest of the"
                        " file was not read."
                    )
                return
            end = at + _HEAD.size + length + _TAIL.size
            if length > MAX_RECORD:
                if context is not None:
                    context.refuse(f"record is larger than {MAX_RECORD >> 20} MiB: a graph, an image or weights")
                skip = max(0, end - len(buffer))
                at = min(end, len(buffer))
                continue
            if end > len(buffer):
                break
            content = bytes(buffer[at + _HEAD.size : end - _TAIL.size])
            if _masked(content) == _TAIL.unpack_from(buffer, end - _TAIL.size)[0]:
                yield content
            elif context is not None:
                context.refuse("record does not match its checksum")
            at = end
        del buffer[:at]
    if (buffer or skip) and context is not None:
        context.refuse("record at the end of the file is torn: its writer was killed, or is still writing")


@cache
def _crc_bytes() -> tuple[int, ...]:
    """CRC-32C (Castagnoli) byte by byte; the standard library has only CRC-32."""
    table = []
    for crc in range(256):
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)


@cache
def _crc_pairs() -> tuple[int, ...]:
    """The same for two bytes at a time, which halves the time of a large file."""
    single = _crc_bytes()
    return tuple(single[(single[pair & 0xFF] ^ pair >> 8) & 0xFF] ^ single[pair & 0xFF] >> 8 for pair in range(1 << 16))


def _masked(data: bytes | bytearray) -> int:
    """The CRC-32C of ``data`` as TFRecord stores it: rotated by 15 bits, with a constant added."""
    table = _crc_pairs()
    crc = 0xFFFFFFFF
    for pair in struct.unpack_from(f"<{len(data) // 2}H", data):
        crc = table[(crc ^ pair) & 0xFFFF] ^ crc >> 16
    if len(data) % 2:
        crc = _crc_bytes()[(crc ^ data[-1]) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


KIND: Final = TensorBoard()
