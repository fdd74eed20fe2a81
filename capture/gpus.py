"""The GPUs of this node as NVML lists them, which of them a process may use, and NVML's errors as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from inquest.capture.collector import Denied, Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Handle = Any
"""A device, as pynvml hands it out: that library has no types."""

VISIBILITY: Final = frozenset({"CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"})
"""Variables that decide what CUDA shows a process."""


@dataclass(frozen=True, slots=True)
class Mig:
    """One MIG instance that a process can use: a compute instance within a GPU instance."""

    handle: Handle
    uuid: str
    gpu_instance: int | None
    compute_instance: int | None
    model: str
    memory_bytes: int | None


@dataclass(frozen=True, slots=True)
class Gpu:
    """One physical GPU: NVML's handle, index and what hardly ever changes."""

    handle: Handle
    index: int
    uuid: str
    model: str
    memory_bytes: int | None
    bus_id: str | None = None
    """As sysfs words it: 0000:4f:00.0."""
    migs: tuple[Mig, ...] = ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """All GPUs, those that are there and do not answer, and the driver they run on."""

    gpus: tuple[Gpu, ...]
    driver_version: str | None
    cuda_version: str | None
    silent: tuple[tuple[int, str], ...] = ()
    """Index of a GPU that could not be opened, and what NVML says to it."""


_last: Inventory | None = None


def last() -> Inventory | None:
    """What ``inventory`` found the last time in this process; None before, or where there is no NVML."""
    return _last


def inventory() -> Inventory:
    """Load NVML and list the GPUs; may take seconds where the driver has to wake up.

    Raises:
        Missing: There is no NVML library, or no driver that works with it, on this node.
        Denied: The driver does not let us in.
    """
    global _last
    import pynvml

    try:
        pynvml.nvmlInit()
        count = pynvml.nvmlDeviceGetCount()
    except pynvml.NVMLError_NoPermission as error:
        raise Denied(f"NVML: {error}") from None
    except pynvml.NVMLError_LibRmVersionMismatch as error:
        raise Missing(f"NVML: {error}: the driver was updated and not loaded anew, reboot the node") from None
    except pynvml.NVMLError as error:
        raise Missing(f"NVML: {error}") from None
    gpus: list[Gpu] = []
    silent: list[tuple[int, str]] = []
    for index in range(count):
        try:
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            uuid = pynvml.nvmlDeviceGetUUID(handle)
        except pynvml.NVMLError as error:
            silent.append((index, str(error)))
            continue
        memory = ask(pynvml.nvmlDeviceGetMemoryInfo, handle)
        pci = ask(pynvml.nvmlDeviceGetPciInfo, handle)
        gpus.append(
            Gpu(
                handle,
                index,
                uuid,
                ask(pynvml.nvmlDeviceGetName, handle) or "",
                None if memory is None else memory.total,
                None if pci is None else sysfs_bus_id(text(pci.busId)),
                _migs(handle),
            )
        )
    cuda = ask(pynvml.nvmlSystemGetCudaDriverVersion_v2)
    _last = Inventory(
        tuple(gpus),
        ask(pynvml.nvmlSystemGetDriverVersion),
        None if cuda is None else f"{cuda // 1000}.{cuda % 1000 // 10}",
        tuple(silent),
    )
    return _last


def ask(call: Callable[..., Handle], *arguments: object) -> Handle:
    """What NVML answers; None where it answers with an error."""
    import pynvml

    try:
        return call(*arguments)
    except pynvml.NVMLError:
        return None


def text(value: str | bytes) -> str:
    """Text of a field of an NVML structure: pynvml gives bytes or str, by its version."""
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def sysfs_bus_id(bus_id: str) -> str:
    """NVML's bus id (00000000:4F:00.0) as sysfs words it (0000:4f:00.0)."""
    domain, _, rest = bus_id.lower().partition(":")
    return f"{domain[-4:]}:{rest}"


def visible(environ: Mapping[str, str], gpus: tuple[Gpu, ...]) -> tuple[str, ...] | None:
    """UUIDs of what CUDA shows a process, in CUDA's order; None where that cannot be told from outside.

    By the CUDA programming guide, "CUDA Environment Variables": the list ends at the first entry that names nothing,
    and a process sees one MIG instance at most. Numbers count by PCI bus id, as NVML does; CUDA's default order
    (fastest first) is the same where all GPUs are of one model, and not told here where they are not, nor where some
    are divided and some are whole.
    """
    divided = [bool(gpu.migs) for gpu in gpus]
    alike = environ.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID" or len({gpu.model for gpu in gpus}) <= 1
    numbered = alike and (all(divided) or not any(divided))
    whole = tuple(gpu.migs[0].uuid if gpu.migs else gpu.uuid for gpu in gpus)
    wanted = environ.get("CUDA_VISIBLE_DEVICES")
    if wanted is None:
        return (whole[:1] if any(divided) else whole) if numbered else None
    known = [gpu.uuid for gpu in gpus] + [mig.uuid for gpu in gpus for mig in gpu.migs]
    by_numbers = {
        f"MIG-{gpu.uuid}/{mig.gpu_instance}/{mig.compute_instance}": mig.uuid for gpu in gpus for mig in gpu.migs
    }
    found: list[str] = []
    for entry in (part.strip() for part in wanted.split(",")):
        if entry.isascii() and entry.isdigit():
            if not numbered:
                return None
            one = whole[int(entry)] if len(entry) <= 4 and int(entry) < len(whole) else None
        elif entry in by_numbers:
            one = by_numbers[entry]
        else:
            matches = [uuid for uuid in known if entry.startswith(("GPU-", "MIG-")) and uuid.startswith(entry)]
            one = matches[0] if len(matches) == 1 else None
        if one is None or one in found:
            break
        found.append(one)
    return tuple(found)


def _migs(handle: Handle) -> tuple[Mig, ...]:
    import pynvml

    mode = ask(pynvml.nvmlDeviceGetMigMode, handle)
    if mode is None or mode[0] != pynvml.NVML_DEVICE_MIG_ENABLE:
        return ()
    found: list[Mig] = []
    for number in range(ask(pynvml.nvmlDeviceGetMaxMigDeviceCount, handle) or 0):
        mig = ask(pynvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, number)
        uuid = mig and ask(pynvml.nvmlDeviceGetUUID, mig)
        if not uuid:
            continue  # numbers of instances that are not made are left out
        memory = ask(pynvml.nvmlDeviceGetMemoryInfo, mig)
        found.append(
            Mig(
                mig,
                uuid,
                ask(pynvml.nvmlDeviceGetGpuInstanceId, mig),
                ask(pynvml.nvmlDeviceGetComputeInstanceId, mig),
                ask(pynvml.nvmlDeviceGetName, mig) or "",
                None if memory is None else memory.total,
            )
        )
    return tuple(found)
