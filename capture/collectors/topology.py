"""GPUs, MIG instances and network adapters of the node, where they sit, and what lies between each two of them.

Nearness of two PCI devices follows from their paths in sysfs, in the words of ``nvidia-smi topo -m``: one switch
(pix), several (pxb), one host bridge (phb), one NUMA node (node), or none of it (sys).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.capture import proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Denied, Missing, Row
from inquest.capture.collectors import infiniband, net
from inquest.capture.gpus import Gpu, ask, inventory, sysfs_bus_id, text

if TYPE_CHECKING:
    from collections.abc import Iterable

_PCI: Final = "sys/bus/pci/devices"
_NEARNESS: Final = {0: "same", 10: "pix", 20: "pxb", 30: "phb", 40: "node", 50: "sys"}
"""nvmlGpuTopologyLevel_t."""
_P2P: Final = (
    "ok",
    "chipset not supported",
    "gpu not supported",
    "topology not supported",
    "disabled by registry key",
    "not supported",
    "unknown",
)
"""nvmlGpuP2PStatus_t, in order."""
_P2P_READ, _P2P_WRITE = 0, 1
_COMPUTE_MODES: Final = {0: "default", 2: "prohibited", 3: "exclusive_process"}
_ON: Final = ("off", "on")
_MOST_LINKS: Final = 36
_MOST_ADAPTERS: Final = 64


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a PCI device sits. ``path`` are the bridges above it, from the host bridge down to itself."""

    path: tuple[str, ...] = ()
    numa_node: int | None = None
    cpu_list: str | None = None


def seat(root: Path, bus_id: str | None) -> Seat:
    """Where the device with this bus id sits, as far as sysfs tells."""
    device = root / _PCI / (bus_id or "")
    if not bus_id or not device.exists():
        return Seat()
    parts = device.resolve().parts
    node = proc.read_int(device / "numa_node")
    return Seat(
        parts[parts.index("devices") + 1 :] if "devices" in parts else (),
        node if node is not None and node >= 0 else None,
        (proc.read_text(device / "local_cpulist", 4096) or "").strip() or None,
    )


def nearness(one: Seat, other: Seat) -> str | None:
    """Farthest thing between two PCI devices; None where their paths are not known."""
    if not one.path or not other.path:
        return None
    if one.path[0] != other.path[0]:
        return "node" if one.numa_node == other.numa_node else "sys"
    shared = 0
    for mine, its in zip(one.path, other.path, strict=False):
        if mine != its:
            break
        shared += 1
    if shared == 1:
        return "phb"
    # Below the bridge they share each has the port of the switch it hangs on, and itself.
    return "pix" if max(len(one.path), len(other.path)) - shared <= 2 else "pxb"


@dataclass(frozen=True, slots=True)
class Adapter:
    """One port of a network adapter: its row, and where it sits."""

    name: str
    row: Row
    seat: Seat


def adapters(root: Path) -> list[Adapter]:
    """All InfiniBand and RoCE ports, and network interfaces on PCI that belong to none."""
    found: list[Adapter] = []
    taken: set[str] = set()
    for name, port in infiniband.ports(root):
        device = port.parent.parent / "device"
        bus_id = _bus_id(root, device)
        interfaces = sorted(path.name for path in (device / "net").glob("*"))
        taken.update(interfaces)
        firmware = (proc.read_text(port.parent.parent / "fw_ver", 64) or "").strip()
        model = (proc.read_text(port.parent.parent / "hca_type", 64) or "").strip()
        row = {
            "name": model or None,
            "firmware": firmware or None,
            "interfaces": ",".join(interfaces) or None,
            "state": infiniband.state(port),
            "speed_mbps": infiniband.speed_mbps(port),
        }
        found.append(_adapter(root, name, bus_id, row))
    for interface in sorted((root / "sys/class/net").glob("*")):
        bus_id = _bus_id(root, interface / "device")
        if interface.name in taken or bus_id is None:
            continue
        row = {
            "interfaces": interface.name,
            "state": (proc.read_text(interface / "operstate", 64) or "").strip() or None,
            "speed_mbps": net.speed_mbps(interface),
        }
        found.append(_adapter(root, interface.name, bus_id, row))
    return found[:_MOST_ADAPTERS]


def _bus_id(root: Path, device: Path) -> str | None:
    """Bus id of the PCI device that this device is, or hangs on (virtio)."""
    if not device.exists():
        return None
    where = device.resolve()
    return next((path.name for path in (where, *where.parents[:-1]) if (root / _PCI / path.name).exists()), None)


def _adapter(root: Path, name: str, bus_id: str | None, row: Row) -> Adapter:
    where = seat(root, bus_id)
    place: Row = {"bus_id": bus_id, "numa_node": where.numa_node, "cpu_list": where.cpu_list}
    return Adapter(name, {"device_id": name, "kind": "adapter", **place, **row}, where)


class Topology(Collector):
    """All devices and pairs at the start, then adapters whose state or speed changed."""

    name = "topology"
    tables = ("devices", "device_links")
    requires = "sysfs; NVML for what lies between GPUs"
    budget = Budget(seconds=20.0, bytes=512 * 1024)
    period = 30
    node_wide = True
    root = Path("/")

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Everything, once."""
        try:
            gpus = inventory().gpus
        except (Missing, Denied):
            gpus = ()
        near = adapters(self.root)
        if not gpus and not near:
            raise Missing("no GPU and no network adapter on a PCI bus")
        self._told = {adapter.name: adapter.row for adapter in near}
        seats = {gpu.uuid: seat(self.root, gpu.bus_id) for gpu in gpus}
        yield "devices", _stamped([*_gpu_rows(gpus, seats), *(adapter.row for adapter in near)])
        yield "device_links", _stamped([*_between_gpus(gpus), *_to_adapters(gpus, seats, near)])

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Adapters that are not as they were."""
        now = {adapter.name: adapter.row for adapter in adapters(self.root)}
        gone = [{"device_id": name, "kind": "adapter", "state": "gone"} for name in self._told.keys() - now.keys()]
        changed = [row for name, row in now.items() if row != self._told.get(name)]
        self._told = now
        yield "devices", _stamped([*changed, *gone])


def _stamped(rows: list[Row]) -> list[Row]:
    now = time.monotonic_ns()
    return [{"ts_mono_ns": now, **row} for row in rows]


def _gpu_rows(gpus: tuple[Gpu, ...], seats: dict[str, Seat]) -> Iterable[Row]:
    import pynvml as nv

    for gpu in gpus:
        where = seats[gpu.uuid]
        mine: Row = {
            "gpu_uuid": gpu.uuid,
            "gpu_index": gpu.index,
            "bus_id": gpu.bus_id,
            "numa_node": where.numa_node,
            "cpu_list": where.cpu_list,
        }
        yield {
            "device_id": gpu.uuid,
            "kind": "gpu",
            "name": gpu.model,
            **mine,
            "memory_total_bytes": gpu.memory_bytes,
            "serial": ask(nv.nvmlDeviceGetSerial, gpu.handle),
            "firmware": ask(nv.nvmlDeviceGetVbiosVersion, gpu.handle),
            "settings": _settings(gpu),
        }
        for mig in gpu.migs:
            yield {
                "device_id": mig.uuid,
                "kind": "mig",
                "name": mig.model,
                **mine,
                "memory_total_bytes": mig.memory_bytes,
                "gpu_instance": mig.gpu_instance,
                "compute_instance": mig.compute_instance,
            }


def _settings(gpu: Gpu) -> str | None:
    """What an administrator may have set, as far as the driver tells."""
    import pynvml as nv

    mode = ask(nv.nvmlDeviceGetComputeMode, gpu.handle)
    persistence = ask(nv.nvmlDeviceGetPersistenceMode, gpu.handle)
    told = {
        "compute_mode": None if mode is None else _COMPUTE_MODES.get(mode, str(mode)),
        "persistence": None if persistence is None else _ON[bool(persistence)],
        **_now_and_next("ecc", ask(nv.nvmlDeviceGetEccMode, gpu.handle)),
        **_now_and_next("mig", ask(nv.nvmlDeviceGetMigMode, gpu.handle)),
    }
    return ",".join(f"{name}={value}" for name, value in told.items() if value) or None


def _now_and_next(name: str, modes: list[int] | None) -> dict[str, str | None]:
    """A mode, and what it will be after the next reset where that differs."""
    if modes is None:
        return {}
    now, after = modes
    return {name: _ON[bool(now)], f"{name}_pending": None if now == after else _ON[bool(after)]}


def _between_gpus(gpus: tuple[Gpu, ...]) -> Iterable[Row]:
    import pynvml as nv

    ends = {gpu.uuid: _link_ends(gpu) for gpu in gpus}
    for number, gpu in enumerate(gpus):
        for peer in gpus[number + 1 :]:
            level = ask(nv.nvmlDeviceGetTopologyCommonAncestor, gpu.handle, peer.handle)
            read = ask(nv.nvmlDeviceGetP2PStatus, gpu.handle, peer.handle, _P2P_READ)
            write = ask(nv.nvmlDeviceGetP2PStatus, gpu.handle, peer.handle, _P2P_WRITE)
            mine, its = ends[gpu.uuid], ends[peer.uuid]
            yield {
                "device_id": gpu.uuid,
                "peer_device_id": peer.uuid,
                "nearness": _NEARNESS.get(level),
                "nvlinks": None if mine is None or its is None else mine.to(peer) + min(mine.switched, its.switched),
                "p2p_read": None if read is None else _P2P[min(read, len(_P2P) - 1)],
                "p2p_write": None if write is None else _P2P[min(write, len(_P2P) - 1)],
            }


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where the NVLinks of a GPU that are up lead to: bus ids of GPUs, and how many go to switches."""

    buses: tuple[str, ...] = ()
    switched: int = 0

    def to(self, peer: Gpu) -> int:
        return sum(bus == peer.bus_id for bus in self.buses)


def _link_ends(gpu: Gpu) -> _Ends | None:
    """None where the GPU has no NVLink, or the driver does not say."""
    import pynvml as nv

    ends: _Ends | None = None
    for link in range(_MOST_LINKS):
        state = ask(nv.nvmlDeviceGetNvLinkState, gpu.handle, link)
        if state is None:
            break
        ends = ends or _Ends()
        if state != nv.NVML_FEATURE_ENABLED:
            continue
        if ask(nv.nvmlDeviceGetNvLinkRemoteDeviceType, gpu.handle, link) == nv.NVML_NVLINK_DEVICE_TYPE_SWITCH:
            ends = replace(ends, switched=ends.switched + 1)
        elif (remote := ask(nv.nvmlDeviceGetNvLinkRemotePciInfo, gpu.handle, link)) is not None:
            ends = replace(ends, buses=(*ends.buses, sysfs_bus_id(text(remote.busId))))
    return ends


def _to_adapters(gpus: tuple[Gpu, ...], seats: dict[str, Seat], near: list[Adapter]) -> Iterable[Row]:
    for gpu in gpus:
        for adapter in near:
            level = nearness(seats[gpu.uuid], adapter.seat)
            if level is not None:
                yield {"device_id": gpu.uuid, "peer_device_id": adapter.name, "nearness": level}
