"""NVML's field values: many readings of one GPU in one call.

Numbers and scopes are those of nvml.h (NVML_FI_*), by number: older pynvml lacks the names of the newest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

import pynvml as nv

if TYPE_CHECKING:
    from collections.abc import Mapping

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
_VALUE_MEMBER: Final = {
    nv.NVML_VALUE_TYPE_DOUBLE: "dVal",
    nv.NVML_VALUE_TYPE_UNSIGNED_INT: "uiVal",
    nv.NVML_VALUE_TYPE_UNSIGNED_LONG: "ulVal",
    nv.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG: "ullVal",
    nv.NVML_VALUE_TYPE_SIGNED_LONG_LONG: "sllVal",
    nv.NVML_VALUE_TYPE_SIGNED_INT: "siVal",
}


class Fields(Generic[Key]):
    """Fields of one GPU. Those it does not have are left out after the first time.

    Args:
        wanted: What each field is called in ``read``. Where several fields share a name (an older and a newer way to
            the same reading), the first one that answers counts.
    """

    def __init__(self, wanted: Mapping[Field, Key]) -> None:
        self._wanted = dict(wanted)

    def read(self, handle: Handle) -> dict[Key, int]:
        """What the GPU answers, by name.

        Raises:
            NVMLError: The call itself failed.
        """
        found: dict[Key, int] = {}
        gone: list[Field] = []
        wanted = list(self._wanted.items())
        for begin in range(0, len(wanted), _AT_ONCE):
            part = wanted[begin : begin + _AT_ONCE]
            values: Any = nv.nvmlDeviceGetFieldValues(handle, [field for field, _ in part])
            for (field, key), value in zip(part, values, strict=True):
                status = value.nvmlReturn
                if status in UNSUPPORTED or key in found:
                    gone.append(field)
                elif status == nv.NVML_SUCCESS and (member := _VALUE_MEMBER.get(value.valueType)):
                    number = int(getattr(value.value, member))
                    if number <= MOST:
                        found[key] = number
        for field in gone:
            del self._wanted[field]
        return found
