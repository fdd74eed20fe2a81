"""NVML's functions, called directly where a reading is taken every second.

pynvml looks the function up, makes a structure with Python methods and asks it for its fields: for a number or two of
eight GPUs that costs several times the call. What it loads, what it knows of names and its errors are used here too.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING, Any

import pynvml as nv

if TYPE_CHECKING:
    from collections.abc import Callable


@cache
def library() -> ctypes.CDLL:
    """The library that pynvml has loaded."""
    return ctypes.CDLL("libnvidia-ml.so.1")


def call(name: str, *arguments: object) -> None:
    """Call a function that returns a status.

    Raises:
        NVMLError: It failed, or this driver does not have it (NVML_ERROR_FUNCTION_NOT_FOUND).
    """
    if status := _function(name)(*arguments):
        raise nv.NVMLError(status)


def number(name: str, *arguments: object, kind: Callable[[], Any] = ctypes.c_uint) -> int:
    """Call a function that puts one number of ``kind`` where its last argument points; raises as `call` does."""
    value = kind()
    if status := _function(name)(*arguments, ctypes.byref(value)):
        raise nv.NVMLError(status)
    found: int = value.value
    return found


@cache
def _function(name: str) -> Callable[..., int]:
    try:
        function: Callable[..., int] = getattr(library(), name)
    except AttributeError:
        raise nv.NVMLError(nv.NVML_ERROR_FUNCTION_NOT_FOUND) from None
    return function
