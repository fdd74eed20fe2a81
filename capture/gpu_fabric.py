"""Whether a GPU has joined the NVSwitch fabric, and how well: CUDA does not start on one that has not (error 802).

Facts: nvml.h, nvmlGpuFabricInfo_v2_t and NVML_GPU_FABRIC_HEALTH_MASK_*. The structure is declared here, because that of
pynvml 12.560 is longer than the driver's.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Final

import pynvml as nv

if TYPE_CHECKING:
    from inquest.capture.collector import Row
    from inquest.capture.gpus import Handle

_STATES: Final = ("not supported", "not started", "in progress", "completed")
_TRUE: Final = 1
_HEALTH: Final = {0: "degraded bandwidth", 2: "route recovery", 4: "route unhealthy", 6: "access time-out recovery"}
"""First bit of each two that say whether it is so: 1 is yes, 2 no, 0 not told."""
_CONFIGURATION_SHIFT: Final = 8
_CONFIGURATION_RIGHT: Final = 1


class _Info(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32),
        ("cluster", ctypes.c_ubyte * 16),
        ("status", ctypes.c_uint32),
        ("clique", ctypes.c_uint32),
        ("state", ctypes.c_uint32),
        ("health", ctypes.c_uint32),
    )


def read(handle: Handle) -> Row:
    """The column ``fabric``.

    Raises:
        NVMLError: The driver does not tell (before R550), or the call failed.
    """
    info = _Info(version=2 << 24 | ctypes.sizeof(_Info))
    nv.nvmlDeviceGetGpuFabricInfoV(handle, ctypes.byref(info))
    words = [_STATES[info.state] if info.state < len(_STATES) else f"state {info.state}"]
    if info.state and info.status != nv.NVML_SUCCESS:
        words.append(f"status {info.status}")
    words += [what for shift, what in _HEALTH.items() if info.health >> shift & 3 == _TRUE]
    if info.health >> _CONFIGURATION_SHIFT & 0xF > _CONFIGURATION_RIGHT:
        words.append("incorrect configuration")
    return {"fabric": ", ".join(words)}
