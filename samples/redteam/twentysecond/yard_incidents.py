"""What the incidents of the twenty-second set write with, beside what the twenty-first's rig gives. SIMULATED."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Final

from samples.redteam.twentieth.rig import clock, put
from samples.redteam.twentyfirst.rig_incidents import PROFILED, Model, Park, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

CARDS: Final = {
    "H100": Model("NVIDIA H100 80GB HBM3", 700, 71, 81559, 1980, 345, 2619, 2619, 0.05, driver="570.172.08"),
    "H200": Model("NVIDIA H200", 700, 76, 143771, 1980, 345, 3201, 3201, 0.05, driver="570.133.20"),
    "A100": Model("NVIDIA A100-SXM4-80GB", 400, 62, 81920, 1410, 210, 1593, 1593, 0.095, driver="550.163.01"),
    "A100-40": Model("NVIDIA A100-SXM4-40GB", 400, 55, 40960, 1410, 210, 1215, 1215, 0.095, driver="535.230.02"),
    "A6000": Model("NVIDIA RTX A6000", 300, 22, 49140, 1800, 210, 8001, 405, 0.15, driver="550.144.03"),
    "A30": Model("NVIDIA A30", 165, 28, 24576, 1440, 210, 1215, 1215, 0.24, driver="535.183.06"),
}


class Yard(Park):
    """A park of these cards."""

    @property
    def of(self) -> Model:
        """Which model they are."""
        return CARDS[self.kind]


def plain(park: Park, **more: str) -> Callable[[int, int], dict[str, str]]:
    """Labels of a dcgm-exporter on bare metal."""
    return lambda n, g: {
        "Hostname": park.nodes[n],
        "UUID": park.uuid(n, g),
        "device": f"nvidia{g}",
        "gpu": str(g),
        "instance": f"{park.nodes[n]}:9400",
        "job": "dcgm",
        "modelName": park.of.name,
        "pci_bus_id": f"00000000:{park.bus(g)}",
        **more,
    }


def by_uuid(park: Park) -> Callable[[int, int], dict[str, str]]:
    """Labels where the site's relabelling kept the UUID and the host alone."""
    return lambda n, g: {"UUID": park.uuid(n, g), "host": park.nodes[n]}


def in_pods(park: Park, space: str, pods: Sequence[str]) -> Callable[[int, int], dict[str, str]]:
    """Labels of the GPU operator's exporter."""
    inner = [f"10.244.{7 + 3 * n}.{Random(f'{park.seed}.{n}').randrange(9, 240)}" for n in range(len(park.nodes))]
    return lambda n, g: {
        "DCGM_FI_DRIVER_VERSION": park.of.driver,
        "Hostname": park.nodes[n],
        "UUID": park.uuid(n, g),
        "container": "trainer",
        "device": f"nvidia{g}",
        "endpoint": "gpu-metrics",
        "exported_container": "pytorch",
        "exported_namespace": space,
        "exported_pod": pods[n],
        "gpu": str(g),
        "instance": f"{inner[n]}:9400",
        "job": "nvidia-dcgm-exporter",
        "modelName": park.of.name,
        "namespace": "gpu-operator",
        "pci_bus_id": f"00000000:{park.bus(g)}",
        "service": "nvidia-dcgm-exporter",
    }


def victoria(
    place: Path,
    name: str,
    park: Park,
    labels: Callable[[int, int], dict[str, str]],
    *,
    keep: Callable[[str], bool] = bool,
    form: str = "CLOCKS_EVENT_REASONS",
) -> None:
    """What /api/v1/export of VictoriaMetrics gives: a JSON line for each series, times in milliseconds."""
    out = []
    for n, g in park.all():
        rows = park.rows(n, g)
        for one in rows[0][1]:
            if keep(one):
                said = form if one == "CLOCKS_EVENT_REASONS" else one
                full = f"DCGM_FI_{'PROF' if one in PROFILED else 'DEV'}_{said}"
                series = {
                    "metric": {"__name__": full, **labels(n, g)},
                    "values": [json.loads(text(one, row[one])) for _, row in rows],
                    "timestamps": [int(t * 1000) for t, _ in rows],
                }
                out.append(json.dumps(series, separators=(",", ":")))
    put(place, name, out)


def journal(place: Path, name: str, lines: Iterable[tuple[float, str]], east: int, host: str) -> None:
    """What the whole journal or a syslog has, daemons and all; each line brings its own teller."""
    put(place, name, [f"{clock(t, east, '%b %e %H:%M:%S')} {host} {said}" for t, said in sorted(lines)])


def iso(t: float, east: int) -> str:
    """As dmesg --time-format iso has it."""
    sign = f"{'-' if east < 0 else '+'}{abs(east) // 60:02d}:{abs(east) % 60:02d}"
    return f"{clock(t, east, '%Y-%m-%dT%H:%M:%S')},{int(t * 1e6) % 10**6:06d}{sign}"


def dmesg_iso(place: Path, name: str, lines: Iterable[tuple[float, str]], east: int) -> None:
    """Write the kernel log as ``dmesg --time-format iso`` has it."""
    put(place, name, [f"{iso(t, east)} {said}" for t, said in sorted(lines)])


def xid31(t: float, bus: str, pid: int, prog: str) -> tuple[float, str]:
    """A page fault of somebody's kernel."""
    return (
        t,
        f"NVRM: Xid (PCI:0000:{bus[:2].lower()}:00): 31, pid={pid}, name={prog}, Ch 00000012, intr 00000000. "
        "MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_4 faulted @ 0x7f3c_2a400000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    )


def hms(seconds: float) -> str:
    """As tqdm has it."""
    whole = int(seconds)
    head = f"{whole // 3600}:" if whole >= 3600 else ""
    return f"{head}{whole % 3600 // 60:02d}:{whole % 60:02d}"
