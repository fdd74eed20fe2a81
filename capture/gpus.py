"""The GPUs of this node as NVML lists them, and NVML's errors as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inquest.capture.collector import Denied, Missing

if TYPE_CHECKING:
    from collections.abc import Callable

Handle = Any
"""A device, as pynvml hands it out: that library has no types."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """One physical GPU: NVML's handle, index and what never changes."""

    handle: Handle
    index: int
    uuid: str
    model: str
    memory_bytes: int | None


@dataclass(frozen=True, slots=True)
class Inventory:
    """All GPUs, and the driver they run on."""

    gpus: tuple[Gpu, ...]
    driver_version: str | None
    cuda_version: str | None


def inventory() -> Inventory:
    """Load NVML and list the GPUs; may take seconds where the driver has to wake up.

    Raises:
        Missing: There is no NVML library, or no driver, on this node.
        Denied: The driver does not let us in.
    """
    import pynvml

    try:
        pynvml.nvmlInit()
    except (pynvml.NVMLError_LibraryNotFound, pynvml.NVMLError_DriverNotLoaded) as error:
        raise Missing(f"NVML: {error}") from None
    except pynvml.NVMLError_NoPermission as error:
        raise Denied(f"NVML: {error}") from None

    def ask(call: Callable[..., Handle], *arguments: object) -> Handle:
        try:
            return call(*arguments)
        except pynvml.NVMLError:
            return None

    gpus = []
    for index in range(pynvml.nvmlDeviceGetCount()):
        handle = ask(pynvml.nvmlDeviceGetHandleByIndex, index)
        uuid = handle and ask(pynvml.nvmlDeviceGetUUID, handle)
        if not uuid:
            continue  # lost before we came; the kernel log says why
        memory = ask(pynvml.nvmlDeviceGetMemoryInfo, handle)
        gpus.append(
            Gpu(
                handle,
                index,
                uuid,
                ask(pynvml.nvmlDeviceGetName, handle) or "",
                None if memory is None else memory.total,
            )
        )
    cuda = ask(pynvml.nvmlSystemGetCudaDriverVersion_v2)
    return Inventory(
        tuple(gpus),
        ask(pynvml.nvmlSystemGetDriverVersion),
        None if cuda is None else f"{cuda // 1000}.{cuda % 1000 // 10}",
    )
