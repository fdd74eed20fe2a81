"""Who the node is and what it runs: one row a recording."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest import __version__
from inquest.capture import jobenv, proc
from inquest.capture.collector import Batch, Budget, Collector, Context, Denied, Missing, Row
from inquest.capture.gpus import Inventory, inventory

if TYPE_CHECKING:
    from collections.abc import Iterable

_GPU_PATIENCE_NS: Final = 20_000_000_000
"""A driver without persistence mode takes seconds to wake up; a broken one never answers."""
_SALT: Final = b"inquest machine id\0"
"""machine-id(5) asks that the id be hashed with an application's own salt before it leaves the machine."""


def _machine_id() -> str | None:
    text = (proc.read_text("/etc/machine-id", 256) or "").strip()
    return hashlib.sha256(_SALT + text.encode()).hexdigest()[:16] if text else None


_ARM: Final = {
    "0x41 0xd07": "Cortex-A57",
    "0x41 0xd08": "Cortex-A72",
    "0x41 0xd0c": "Neoverse-N1",
    "0x41 0xd40": "Neoverse-V1",
    "0x41 0xd49": "Neoverse-N2",
    "0x41 0xd4f": "Neoverse-V2",
    "0x41 0xd84": "Neoverse-V3",
    "0x41 0xd8e": "Neoverse-N3",
    "0x46 0x001": "A64FX",
    "0x48 0xd01": "TaiShan-v110",
    "0x4e 0x004": "Carmel",
    "0xc0 0xac3": "Ampere-1",
    "0xc0 0xac4": "Ampere-1a",
}
"""Implementer and part of servers' processors, as util-linux names them (sys-utils/lscpu-arm.c)."""


def cpu_model(cpuinfo: str) -> str | None:
    """Name of the first CPU in /proc/cpuinfo; on Arm, whose kernels print none, by the numbers of maker and part."""
    if (name := _field(cpuinfo, "model name")) is not None:
        return name
    maker, part = _field(cpuinfo, "CPU implementer"), _field(cpuinfo, "CPU part")
    if maker is None or part is None:
        return None
    return _ARM.get(f"{maker} {part}", f"CPU implementer {maker} part {part}")


def _field(text: str, name: str) -> str | None:
    """Value of the first ``name: value`` or ``NAME="value"`` line."""
    for line in text.splitlines():
        key, separator, value = line.partition("=" if "=" in line and ":" not in line.partition("=")[0] else ":")
        if separator and key.strip() == name:
            return value.strip().strip('"')
    return None


class Identity(Collector):
    """Writes its row as soon as NVML has answered, after 20 s without it, or at the end, whichever comes first."""

    name = "identity"
    tables = ("node_info",)
    budget = Budget(seconds=3.0, bytes=64 * 1024)

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Ask NVML from a thread of its own: it may hang."""
        self._row: Row | None = self._describe(ctx)
        self._began = time.monotonic_ns()
        self._inventory: Inventory | None = None
        self._asking = threading.Thread(target=self._ask_nvml, name="gpu-inventory", daemon=True)
        self._asking.start()
        self._asking.join(0.2)
        return self.tick(ctx)

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """The row, once."""
        waited = time.monotonic_ns() - self._began
        if self._row is not None and (not self._asking.is_alive() or waited > _GPU_PATIENCE_NS):
            yield from self._write()

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """The row, if it was not written yet."""
        if self._row is not None:
            yield from self._write()

    def _write(self) -> Iterable[Batch]:
        row, self._row = self._row, None
        if row is not None:
            yield "node_info", [row | self._gpu_columns()]

    def _ask_nvml(self) -> None:
        try:
            self._inventory = inventory()
        except (Missing, Denied):
            return

    def _gpu_columns(self) -> Row:
        found = self._inventory
        if found is None:
            return {}
        memory = [gpu.memory_bytes for gpu in found.gpus]
        return {
            "gpus": len(found.gpus),
            "gpu_uuids": ",".join(gpu.uuid for gpu in found.gpus),
            "gpu_models": ",".join(gpu.model for gpu in found.gpus),
            "gpu_memory_bytes": ",".join("" if amount is None else str(amount) for amount in memory),
            "driver_version": found.driver_version,
            "cuda_version": found.cuda_version,
        }

    @staticmethod
    def _describe(ctx: Context) -> Row:
        uname = platform.uname()
        memory = proc.key_values(proc.read_text("/proc/meminfo")).get("MemTotal")
        return {
            "ts_mono_ns": time.monotonic_ns(),
            "hostname": uname.node,
            "slurm_node": ctx.environ.get("SLURMD_NODENAME"),
            "machine_id": _machine_id(),
            "kernel": f"{uname.release} {uname.version}",
            "os": _field(proc.read_text("/etc/os-release") or "", "PRETTY_NAME"),
            "cpu_model": cpu_model(proc.read_text("/proc/cpuinfo") or ""),
            "cpus": os.sysconf("SC_NPROCESSORS_ONLN"),
            "memory_total_bytes": None if memory is None else memory * 1024,
            "numa_nodes": len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or None,
            "tool_version": __version__,
            "job_env": json.dumps(jobenv.allowed(ctx.environ), sort_keys=True),
            "simulated": False,
            "utc_offset_s": time.localtime().tm_gmtoff,
        }
