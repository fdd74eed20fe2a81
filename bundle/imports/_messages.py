"""Protobuf messages declared by the few fields we read, without generated code.

Protobuf's own parser does the work: it is bounded by the length of what it is given, limits nesting, and skips the
fields that are not declared here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

if TYPE_CHECKING:
    from collections.abc import Mapping

Fields = tuple[tuple[int, str, str], ...]
"""Number, name and type of each field: a scalar type of protobuf, or the name of a message; ``*`` before it repeats."""

_KIND: Final = descriptor_pb2.FieldDescriptorProto


def messages(package: str, declared: Mapping[str, Fields]) -> dict[str, Any]:
    """Message classes by name.

    Every field has presence (`HasField`), and text is declared as ``bytes``: what strangers write need not be UTF-8.
    """
    file = descriptor_pb2.FileDescriptorProto(name=f"{package}.proto", package=package, syntax="proto2")
    for name, fields in declared.items():
        message = file.message_type.add(name=name)
        for number, field, kind in fields:
            plain = kind.removeprefix("*")
            added = message.field.add(name=field, number=number)
            added.label = _KIND.LABEL_REPEATED if plain != kind else _KIND.LABEL_OPTIONAL
            if plain in declared:
                added.type, added.type_name = _KIND.TYPE_MESSAGE, f".{package}.{plain}"
            else:
                added.type = getattr(_KIND, f"TYPE_{plain.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{package}.{name}")) for name in declared}
