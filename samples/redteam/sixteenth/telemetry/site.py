"""What a site keeps of a job: metrics in three forms, accounting, kernel logs. SIMULATED."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from samples.redteam.sixteenth.curves.leave import put

from .lab import BOARDS, WORKS, Card, Phase, follow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from random import Random

    from samples.redteam.sixteenth.lot_data import Incident
    from samples.redteam.sixteenth.shell import Job

_DCGM: Final = {
    "DCGM_FI_DEV_GPU_UTIL": "util",
    "DCGM_FI_DEV_MEM_COPY_UTIL": "copy",
    "DCGM_FI_DEV_FB_USED": "used",
    "DCGM_FI_DEV_POWER_USAGE": "power",
    "DCGM_FI_DEV_GPU_TEMP": "temp",
    "DCGM_FI_DEV_SM_CLOCK": "sm_clock",
    "DCGM_FI_DEV_MEM_CLOCK": "mem_clock",
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": "reasons",
    "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION": "energy",
    "DCGM_FI_DEV_XID_ERRORS": "xid",
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "dbe",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE": "active",
    "DCGM_FI_PROF_SM_ACTIVE": "sm",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": "tensor",
    "DCGM_FI_PROF_DRAM_ACTIVE": "dram",
    "DCGM_FI_PROF_NVLINK_TX_BYTES": "link",
}
_PROFILING: Final = ("active", "sm", "tensor", "dram", "link")


@dataclass
class Site:
    """One incident: its job, its cards and when it began."""

    rng: Random
    lot: Incident
    job: Job
    begin: datetime
    length_s: float
    cards: list[Card] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    work_period_s: float = 0.0

    def at(self, seconds: float) -> datetime:
        """The time so many seconds after the job began."""
        return self.begin + timedelta(seconds=seconds)

    def run(
        self, phases: Callable[[int], Sequence[Phase]], cap_w: float = 0.0, hot: int = -1, around_s: float = 150.0
    ) -> None:
        """Let every card do what it does; ``phases`` is asked by rank, ``hot`` has a sink full of dust."""
        rng, lot = self.rng, self.lot
        board = BOARDS[lot.card]
        step = float(lot.step_s)
        first = -around_s - rng.uniform(0, step)
        self.times = [first + step * number for number in range(int((self.length_s + 2 * around_s) / step))]
        for place, node in enumerate(self.job.nodes):
            inlet = 23.0 + 3.0 * rng.random() + 0.8 * place
            for gpu in range(self.job.gpus):
                rank = place * self.job.gpus + gpu
                card = Card(
                    board,
                    rng,
                    gpu,
                    node,
                    inlet,
                    cap_w=cap_w,
                    sink=1.31 if rank == hot else 1.0,
                    linked=self.job.gpus > 1,
                )
                follow(card, WORKS[lot.work], phases(rank), self.times, step)
                self.cards.append(card)

    def metrics(self, place: Path, without: Sequence[str] = (), restarted_s: float = -1.0, full: str = "") -> None:
        """Write the metrics in the form of the lot.

        Args:
            place: Where.
            without: Nodes whose metrics are not there.
            restarted_s: When the exporter began anew: it misses some samples, then.
            full: What stands behind the nodes' names in metrics alone.
        """
        cards = [card for card in self.cards if card.node not in without]
        fields = dict(_DCGM)
        if not BOARDS[self.lot.card].nvlink_gbs:
            fields.pop("DCGM_FI_PROF_NVLINK_TX_BYTES")
            fields["DCGM_FI_PROF_PCIE_TX_BYTES"] = "link"
        if self.lot.missing == "profiling fields":
            fields = {key: name for key, name in fields.items() if name not in _PROFILING}
        kept = [number for number, at in enumerate(self.times) if not 0 <= at - restarted_s < 95 or restarted_s < 0]
        if self.lot.form.startswith("prometheus"):
            self._prometheus(place, cards, fields, kept, full)
        elif self.lot.form == "dcgmi dmon":
            for node in dict.fromkeys(card.node for card in cards):
                self._dmon(place, node, [card for card in cards if card.node == node], kept)
        else:
            for node in dict.fromkeys(card.node for card in cards):
                self._smi(place, node, [card for card in cards if card.node == node], kept)

    def _prometheus(self, place: Path, cards: list[Card], fields: dict[str, str], kept: list[int], full: str) -> None:
        nodes = list(dict.fromkeys(card.node for card in cards))
        files: dict[str, list[object]] = {}
        for key, name in fields.items():
            for card in cards:
                labels = {
                    "__name__": key,
                    "DCGM_FI_DRIVER_VERSION": self.job.driver,
                    "Hostname": card.node + full,
                    "UUID": card.uuid,
                    "device": f"nvidia{card.index}",
                    "gpu": str(card.index),
                    "instance": f"10.{40 + nodes.index(card.node)}.0.7:9400",
                    "job": "dcgm-exporter",
                    "modelName": card.board.name,
                    "pci_bus_id": card.bus,
                }
                values = [
                    [
                        round(self.at(self.times[number]).timestamp(), 3),
                        _printed(name, card.rows[number].get(name, 0.0)),
                    ]
                    for number in kept
                ]
                file = {"prometheus, one a metric": key, "prometheus, one a node": card.node}.get(self.lot.form, "dcgm")
                files.setdefault(file, []).append({"metric": labels, "values": values})
        for file, result in files.items():
            whole = {"status": "success", "data": {"resultType": "matrix", "result": result}}
            put(place, f"{file}.json", [json.dumps(whole, separators=(",", ":"))])

    def _dmon(self, place: Path, node: str, cards: list[Card], kept: list[int]) -> None:
        """``dcgmi dmon -e 203,252,155,150,100,1001,1002,1004,1005`` through ``ts``: every line has its time."""
        lines = []
        for count, number in enumerate(kept):
            stamp = f"{self.at(self.times[number]):%Y-%m-%dT%H:%M:%S}"
            if count % 20 == 0:
                lines.append(f"{stamp} #Entity   GPUTL  FBUSD  POWER    TMPTR  SMCLK  GRACT  SMACT  TENSO  DRAMA")
                lines.append(f"{stamp} ID                      W        C")
            for card in cards:
                row = card.rows[number]
                lines.append(
                    f"{stamp} GPU {card.index}     {row['util']:<7.0f}{row['used']:<7.0f}{row['power']:<9.3f}{row['temp']:<7.0f}{row['sm_clock']:<7.0f}"
                    f"{row['active']:<7.3f}{row['sm']:<7.3f}{row['tensor']:<7.3f}{row['dram']:<7.3f}".rstrip()
                )
        put(place, f"dcgmi_dmon_{node}.txt", lines)

    def _smi(self, place: Path, node: str, cards: list[Card], kept: list[int]) -> None:
        lines = [
            "timestamp, index, uuid, name, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], power.draw [W], "
            "temperature.gpu, clocks.current.sm [MHz], clocks_throttle_reasons.active"
        ]
        for number in kept:
            stamp = self.at(self.times[number])
            for card in cards:
                row = card.rows[number]
                lines.append(
                    f"{stamp:%Y/%m/%d %H:%M:%S}.{stamp.microsecond // 1000:03d}, {card.index}, {card.uuid}, {card.board.name}, {row['util']:.0f} %, {row['copy']:.0f} %, "
                    f"{row['used']:.0f} MiB, {card.board.memory_mib} MiB, {row['power']:.2f} W, {row['temp']:.0f}, {row['sm_clock']:.0f} MHz, 0x{int(row['reasons']):016x}"
                )
        put(place, f"nvidia-smi_{node}.csv", lines)

    def dmesg(self, place: Path, more: Sequence[tuple[str, float, str]] = ()) -> None:
        """``dmesg -T`` of each node, from its boot on; ``more`` is (node, second, line)."""
        for node in self.job.nodes:
            up = timedelta(days=self.rng.randint(4, 60), hours=self.rng.randint(0, 23))
            boot = self.begin - up
            rows = [(boot + timedelta(seconds=after), line) for after, line in _boot(self.job, self.rng)]
            rows += [(boot + up * self.rng.random(), line) for line in _daily(self.rng)]
            rows += [(self.at(second), line) for where, second, line in more if where == node]
            put(place, f"dmesg_{node}.txt", [f"[{when:%a %b %e %H:%M:%S %Y}] {line}" for when, line in sorted(rows)])


def _printed(name: str, value: float) -> str:
    """As the exporter prints a value of this field."""
    if name in ("active", "sm", "tensor", "dram"):
        return f"{value:.6f}"
    return f"{value:.3f}" if name == "power" else str(round(value))


def _boot(job: Job, rng: Random) -> list[tuple[float, str]]:
    """What the kernel says while it boots."""
    out = [
        (0.0, "Linux version 5.14.0-503.14.1.el9_5.x86_64 (mockbuild@x86-05) (gcc (GCC) 11.5.0)"),
        (0.0, "Command line: BOOT_IMAGE=/vmlinuz-5.14.0 root=/dev/ram0 ro iommu=pt pci=realloc=off nouveau.modeset=0"),
        (0.4, "x86/fpu: Supporting XSAVE feature 0x020: 'AVX-512 opmask'"),
        (2.1, "ACPI: PM: (supports S0 S5)"),
        (4.8, "ERST: Error Record Serialization Table (ERST) support is initialized."),
        (7.2, "EDAC MC: Ver: 3.0.0"),
        (9.0, "nvme nvme0: 32/0/0 default/read/poll queues"),
        (14.3, "mlx5_core 0000:41:00.0: firmware version: 28.39.3560"),
        (15.9, "mlx5_core 0000:41:00.0 ib0: Link up"),
        (21.0, "nvidia: loading out-of-tree module taints kernel."),
        (21.2, "nvidia-nvlink: Nvlink Core is being initialized, major device number 510"),
        (22.7, f"NVRM: loading NVIDIA UNIX x86_64 Kernel Module  {job.driver}  Tue Nov  5 05:22:41 UTC 2025"),
        (24.4, "nvidia-modeset: Loading NVIDIA Kernel Mode Setting Driver for UNIX platforms"),
        (31.0, "systemd[1]: Started Slurm node daemon."),
    ]
    return [(after + rng.random(), line) for after, line in out]


def _daily(rng: Random) -> list[str]:
    """What a node's kernel says on any day."""
    lines = [
        "perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
        "nfs: server nas-home not responding, still trying",
        "nfs: server nas-home OK",
        "slurm.epilog.cl (88123): drop_caches: 3",
        "mce: [Hardware Error]: Machine check events logged",
        "EDAC sbridge MC0: corrected error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0 (1 corrected)",
        'audit: type=1400 audit(1790000000.101:88): avc:  denied  { read } for  pid=4411 comm="sssd_be"',
        "TCP: request_sock_TCP: Possible SYN flooding on port 8125. Sending cookies.  Check SNMP counters.",
        "ib0: multicast join failed for ff12:401b:ffff:0000:0000:0000:0000:0016, status -22",
        "python[201331]: segfault at 18 ip 00007f1c2a8b sp 00007ffd31 error 4 in libpython3.9.so[7f1c2a000+1b2000]",
        "hrtimer: interrupt took 41210 ns",
        "XFS (nvme0n1p3): Mounting V5 Filesystem",
    ]
    return rng.sample(lines, rng.randint(3, 7))


def start(rng: Random, lot: Incident, job: Job, day: str, minutes: float = 0.0) -> Site:
    """A site for one incident whose job began on ``day`` (ISO), some minutes later."""
    begin = datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(seconds=rng.randint(0, 2400))
    return Site(rng, lot, job, begin, 60.0 * (minutes or lot.minutes))
