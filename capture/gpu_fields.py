"""NVML's field values: many readings of one GPU in one call.

Numbers and scopes are those of nvml.h (NVML_FI_*), by number: older pynvml lacks the names of the newest.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import pynvml as nv

from inquest.capture.gpu_calls import call

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
_INTS: Final = 10
"""nvmlFieldValue_t in integers: field, scope, two each for timestamp and latency, type, return code, two for value."""
_TYPE, _CODE = 6, 7
"""Which of them are type and return code."""
_VALUE: Final = {
    nv.NVML_VALUE_TYPE_DOUBLE: "d",
    nv.NVML_VALUE_TYPE_UNSIGNED_INT: "I4x",
    nv.NVML_VALUE_TYPE_UNSIGNED_LONG: "Q",
    nv.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG: "Q",
    nv.NVML_VALUE_TYPE_SIGNED_LONG_LONG: "q",
    nv.NVML_VALUE_TYPE_SIGNED_INT: "i4x",
}
"""How the value lies in its eight bytes, by its type."""


class _Call:
    """One call for many fields. What is asked stands in memory once; pynvml would write it anew each time.

    Attributes:
        told: Fields that the last call gave a value for, of a type that we know.
        refused: Fields that the GPU does not have.
        names: What those in ``told`` are called, once it is known that none is told twice.
    """

    def __init__(self, wanted: list[Field]) -> None:
        self.told: list[Field] = []
        self.refused: list[Field] = []
        self.names: list[Any] | None = None
        self._wanted = wanted
        self._values = (nv.c_nvmlFieldValue_t * len(wanted))()
        for value, (number, scope) in zip(self._values, wanted, strict=True):
            value.fieldId, value.scopeId = number, scope
        self._bytes = memoryview(self._values).cast("B")
        self._ints = self._bytes.cast("i")
        self._kinds = b""
        self._layout = struct.Struct("")

    def ask(self, handle: Handle) -> list[int]:
        """Values of the fields that are in ``told`` from then on."""
        call("nvmlDeviceGetFieldValues", handle, len(self._wanted), self._values)
        kinds = self._ints[_TYPE::_INTS].tobytes() + self._ints[_CODE::_INTS].tobytes()
        if kinds != self._kinds:  # as a rule all answers are of the kind they were
            self._kinds = kinds
            self._know_kinds()
        return list(map(int, self._layout.unpack(self._bytes)))

    def _know_kinds(self) -> None:
        """Make ready to unpack all values in one go, as long as their types and return codes stay."""
        self.told, self.refused, self.names, layout = [], [], None, "="
        for field, kind, code in zip(self._wanted, self._ints[_TYPE::_INTS], self._ints[_CODE::_INTS], strict=True):
            known = code == nv.NVML_SUCCESS and kind in _VALUE
            layout += "32x" + (_VALUE[kind] if known else "8x")
            if known:
                self.told.append(field)
            elif code in UNSUPPORTED:
                self.refused.append(field)
        self._layout = struct.Struct(layout)


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
        answers = [asked.ask(handle) for asked in self._calls]
        found: dict[Key, int] = {}
        if all(asked.names is not None and max(values, default=0) <= MOST for asked, values in self._together(answers)):
            for asked, values in self._together(answers):
                found.update(zip(asked.names or (), values, strict=True))
            return found
        gone: list[Field] = []
        for asked, values in self._together(answers):
            gone += asked.refused
            for field, value in zip(asked.told, values, strict=True):
                key = self._wanted[field]
                if key in found:
                    gone.append(field)
                elif value <= MOST:
                    found[key] = value
            asked.names = [self._wanted[field] for field in asked.told]
        for field in gone:
            del self._wanted[field]
        if gone:
            self._calls = []
        return found

    def _together(self, answers: list[list[int]]) -> Iterable[tuple[_Call, list[int]]]:
        return zip(self._calls, answers, strict=True)
