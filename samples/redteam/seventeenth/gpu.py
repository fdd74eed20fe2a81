"""GPUs as dcgm-exporter shows them to Prometheus: what a load does to power, heat and clocks. Written new, simulated."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Final

from .pen import ZERO, put

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class Card:
    """One model of GPU, as its data sheet has it."""

    model: str
    cap_w: float
    idle_w: float
    mib: int
    boost: int
    idle_mhz: int
    mem_mhz: int
    k_per_w: float
    rows: bool = True
    driver: str = "550.127.08"


CARDS: Final = {
    "A100": Card("NVIDIA A100-SXM4-80GB", 400, 58, 81559, 1410, 210, 1593, 0.098),
    "H100": Card("NVIDIA H100 80GB HBM3", 700, 70, 81559, 1980, 345, 2619, 0.058),
    "H200": Card("NVIDIA H200", 700, 76, 143771, 1980, 345, 3201, 0.052),
    "L40S": Card("NVIDIA L40S", 350, 33, 46068, 2520, 210, 9001, 0.115),
    "V100": Card("Tesla V100-SXM2-32GB", 300, 41, 32768, 1530, 135, 877, 0.125, rows=False),
    "A40": Card("NVIDIA A40", 300, 30, 46068, 1740, 210, 7251, 0.150),
    "A30": Card("NVIDIA A30", 165, 27, 24576, 1440, 210, 1215, 0.230),
    "A6000": Card("NVIDIA RTX A6000", 300, 23, 49140, 1800, 210, 8001, 0.155),
}


@dataclass(frozen=True)
class Load:
    """What a GPU is asked for at one moment."""

    engine: float = 0.0
    sm: float = 0.0
    tensor: float = 0.0
    dram: float = 0.0
    used_mib: float = 0.0
    rx_mb: float = 0.0
    tx_mb: float = 0.0
    held: bool = True
    """Whether a process holds a context."""


@dataclass
class Fleet:
    """The GPUs of some nodes, their loads and what is odd about them.

    Attributes:
        card: The model, a key of CARDS.
        nodes: Names of nodes.
        gpus: GPUs of each node.
        load: Called with node's number, GPU's number and seconds; tells what is asked for.
        begin: First scrape, seconds after the Monday.
        end: Last one.
        every: Seconds between scrapes.
        gaps: Spans in which nothing was scraped.
        flat: Counters of single GPUs that stand at a value throughout, by (node, gpu, metric).
        inlet: Air, in degrees.
    """

    card: str
    nodes: Sequence[str]
    gpus: int
    load: Callable[[int, int, float], Load]
    begin: float
    end: float
    every: int
    seed: int
    gaps: Sequence[tuple[float, float]] = ()
    flat: dict[tuple[int, int, str], int] = field(default_factory=dict)
    inlet: float = 27.0

    def _one(self, node: int, gpu: int) -> list[dict[str, object]]:
        """All series of one GPU."""
        of, rng = CARDS[self.card], Random(self.seed * 1000 + node * 16 + gpu)
        slot = rng.uniform(-0.9, 2.6) + 1.1 * (gpu % 2)
        thirst = rng.uniform(0.97, 1.03)
        heat = self.inlet + slot + of.k_per_w * of.idle_w
        rows: dict[str, list[tuple[int, str]]] = {}
        uuid = f"GPU-{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}-{rng.getrandbits(16):04x}-{rng.getrandbits(16):04x}-{rng.getrandbits(48):012x}"
        joule = rng.randrange(10**9, 9 * 10**9)
        at = self.begin
        while at <= self.end:
            now = self.load(node, gpu, at)
            wish = of.idle_w * (1.0 if not now.held else 1.22)
            wish += (
                (of.cap_w - of.idle_w)
                * thirst
                * (0.13 * now.engine + 0.42 * now.sm + 0.36 * now.tensor + 0.34 * now.dram)
            )
            if now.engine > 0.02:
                wish *= rng.gauss(1, 0.018)
            capped = wish > of.cap_w * 0.995
            watts = min(wish, of.cap_w * rng.uniform(0.985, 1.002))
            clock = of.boost if now.held else of.idle_mhz
            if capped:
                clock = int(of.boost * max(0.82, 1 - 0.55 * (wish / of.cap_w - 0.995)) // 15 * 15)
            heat += (self.inlet + slot + of.k_per_w * watts - heat) * min(1.0, self.every / 55)
            joule += int(watts * self.every * 1000)
            jit = rng.gauss
            values = {
                "DCGM_FI_DEV_GPU_UTIL": f"{min(100, max(0, round(100 * now.engine + (jit(0, 0.8) if now.engine else 0))))}",
                "DCGM_FI_PROF_GR_ENGINE_ACTIVE": f"{min(1.0, max(0.0, now.engine + (jit(0, 0.006) if now.engine else 0))):.6f}",
                "DCGM_FI_PROF_SM_ACTIVE": f"{min(1.0, max(0.0, now.sm * jit(1, 0.025))):.6f}",
                "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": f"{max(0.0, now.tensor * jit(1, 0.03)):.6f}",
                "DCGM_FI_PROF_DRAM_ACTIVE": f"{max(0.0, now.dram * jit(1, 0.03)):.6f}",
                "DCGM_FI_PROF_PCIE_RX_BYTES": f"{int(max(0.0, now.rx_mb * jit(1, 0.08)) * 1e6 + 41000)}",
                "DCGM_FI_PROF_PCIE_TX_BYTES": f"{int(max(0.0, now.tx_mb * jit(1, 0.08)) * 1e6 + 18000)}",
                "DCGM_FI_DEV_FB_USED": f"{round(now.used_mib + (of.mib * 0.0001 if not now.held else 430))}",
                "DCGM_FI_DEV_FB_FREE": f"{round(of.mib * 0.991 - now.used_mib - (of.mib * 0.0001 if not now.held else 430))}",
                "DCGM_FI_DEV_POWER_USAGE": f"{watts:.3f}",
                "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": f"{joule}",
                "DCGM_FI_DEV_GPU_TEMP": f"{round(heat)}",
                "DCGM_FI_DEV_SM_CLOCK": f"{clock}",
                "DCGM_FI_DEV_MEM_CLOCK": f"{of.mem_mhz if now.held or of.mem_mhz < 4000 else 405}",
                "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": f"{4 if capped else 0 if now.engine > 0.02 else 1}",
                "DCGM_FI_DEV_XID_ERRORS": "0",
                "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL": "0",
                "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "0",
            }
            extra = (
                ("UNCORRECTABLE_REMAPPED_ROWS", "CORRECTABLE_REMAPPED_ROWS")
                if of.rows
                else ("RETIRED_SBE", "RETIRED_DBE")
            )
            values |= {f"DCGM_FI_DEV_{name}": "0" for name in extra}
            for name in values:
                if (node, gpu, name) in self.flat:
                    values[name] = str(self.flat[node, gpu, name])
            if not any(low <= at < high for low, high in self.gaps):
                stamp = int(ZERO.timestamp() + at)
                for name, value in values.items():
                    rows.setdefault(name, []).append((stamp, value))
            at += self.every
        host = self.nodes[node]
        labels = {
            "DCGM_FI_DRIVER_VERSION": of.driver,
            "Hostname": host,
            "UUID": uuid,
            "device": f"nvidia{gpu}",
            "gpu": str(gpu),
        }
        labels |= {
            "instance": f"{host}:9400",
            "job": "dcgm-exporter",
            "modelName": of.model,
            "pci_bus_id": f"00000000:{(0x17, 0x2A, 0x3D, 0x5E, 0x97, 0xAB, 0xBD, 0xDB)[gpu]:02X}:00.0",
        }
        return [
            {"metric": {"__name__": name, **labels}, "values": [list(one) for one in series]}
            for name, series in rows.items()
        ]

    def write(self, place: Path, name: str, only: Sequence[int] | None = None) -> None:
        """Write the answer of Prometheus to a query of all DCGM metrics.

        Args:
            place: The folder of the case.
            name: The file's name.
            only: Numbers of the nodes that are in it; all without.
        """
        found = [
            one
            for node in (range(len(self.nodes)) if only is None else only)
            for gpu in range(self.gpus)
            for one in self._one(node, gpu)
        ]
        put(
            place,
            name,
            json.dumps({"status": "success", "data": {"resultType": "matrix", "result": found}}, separators=(",", ":"))
            + "\n",
        )


def nothing(_node: int, _gpu: int, _at: float) -> Load:
    """A GPU that nobody holds."""
    return Load(held=False)
