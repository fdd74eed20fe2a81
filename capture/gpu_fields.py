"""NVML's field values: many readings of one GPU in one call.

Numbers and scopes are those of nvml.h (NVML_FI_*), by number: older pynvml lacks the names of the newest.
"""

from __future__ import annotations

import ctypes
import struct
from functools import cache
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import pynvml as nv

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from inquest.capture.gpus import Handle

Field = tuple[int, int]
"""A field and its scope: for NVLink the number of the link, else 0."""
Key = TypeVar("Key")

UNSUPPORTED: Final = frozenset(
    {
        nv.NVML_ERROR_NOT_SUPPORTED,
        nv.NVML_ERROR_FUNCTION_NOT_FOUND,
        nv.NVML_ERROR_NO_PERMISSION,
        nv.NVML_ERROR_INVALID_ARGUMENT,
        nv.NVML_ERROR_ARGUMENT_VERSION_MISMATCH,
        nv.NVML_ERROR_DEPRECATED,
    }
)
"""Answers after which the same question is not asked again: it gets the same answer for as long as we live."""

_AT_ONCE: Final = 128
"""Fields a call. No limit is documented; no tool we know of asks for many more."""
MOST: Final = (1 << 63) - 1
"""Above it NVML's unsigned values mean that there is none (NVML_VALUE_NOT_AVAILABLE is all ones)."""
_ANSWER: Final = struct.Struct("=IIqqii8s")
"""nvmlFieldValue_t: field, scope, timestamp, latency, type of the value, return code, value."""
_VALUE: Final = {
    nv.NVML_VALUE_TYPE_DOUBLE: struct.Struct("=d"),
    nv.NVML_VALUE_TYPE_UNSIGNED_INT: struct.Struct("=I"),
    nv.NVML_VALUE_TYPE_UNSIGNED_LONG: struct.Struct("=Q"),
    nv.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG: struct.Struct("=Q"),
    nv.NVML_VALUE_TYPE_SIGNED_LONG_LONG: struct.Struct("=q"),
    nv.NVML_VALUE_TYPE_SIGNED_INT: struct.Struct("=i"),
}


class _Call:
    """One call for many fields. What is asked stands in memory once; pynvml would write it anew each time."""

    def __init__(self, wanted: list[Field]) -> None:
        self.wanted = wanted
        self._values = (nv.c_nvmlFieldValue_t * len(wanted))()
        for value, (number, scope) in zip(self._values, wanted, strict=True):
            value.fieldId, value.scopeId = number, scope

    def answers(self, handle: Handle) -> Iterator[tuple[Field, int, int | None]]:
        """Each field with its return code and value; None where that has a type that we do not know."""
        status = _library().nvmlDeviceGetFieldValues(handle, len(self.wanted), self._values)
        if status != nv.NVML_SUCCESS:
            raise nv.NVMLError(status)
        answers = _ANSWER.iter_unpack(memoryview(self._values).cast("B"))
        for field, (_, _, _, _, kind, code, value) in zip(self.wanted, answers, strict=True):
            layout = _VALUE.get(kind)
            yield field, code, int(layout.unpack_from(value)[0]) if code == nv.NVML_SUCCESS and layout else None


@cache
def _library() -> ctypes.CDLL:
    """The library that pynvml has loaded."""
    return ctypes.CDLL("libnvidia-ml.so.1")


class Fields(Generic[Key]):
    """Fields of one GPU. Those it does not have are left out after the first time.

    Args:
        wanted: What each field is called in ``read``. Where several fields share a name (an older and a newer way to
            the same reading), the first one that answers counts.
    """

    def __init__(self, wanted: Mapping[Field, Key]) -> None:
        self._wanted = dict(wanted)
        self._calls: list[_Call] = []

    def read(self, handle: Handle) -> dict[Key, int]:
        """What the GPU answers, by name.

        Raises:
            NVMLError: The call itself failed.
        """
        if not self._calls:
            wanted = list(self._wanted)
            self._calls = [_Call(wanted[begin : begin + _AT_ONCE]) for begin in range(0, len(wanted), _AT_ONCE)]
        found: dict[Key, int] = {}
        gone: list[Field] = []
        for call in self._calls:
            for field, status, value in call.answers(handle):
                key = self._wanted[field]
                if status in UNSUPPORTED or key in found:
                    gone.append(field)
                elif value is not None and value <= MOST:
                    found[key] = value
        for field in gone:
            del self._wanted[field]
        if gone:
            self._calls = []
        return found
