"""All collectors, in the one order they are started and listed in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.capture.collectors.artifacts import Artifacts
from inquest.capture.collectors.cgroup import Cgroup
from inquest.capture.collectors.clock import Clock
from inquest.capture.collectors.clock_probes import ClockProbes
from inquest.capture.collectors.cuda_calls import CudaCalls
from inquest.capture.collectors.dcgm import Dcgm
from inquest.capture.collectors.disk import Disk
from inquest.capture.collectors.filesystems import FileSystems
from inquest.capture.collectors.host import Host
from inquest.capture.collectors.identity import Identity
from inquest.capture.collectors.infiniband import InfiniBand
from inquest.capture.collectors.kernel_counters import KernelCounters
from inquest.capture.collectors.kernel_log import KernelLog
from inquest.capture.collectors.nccl_calls import NcclCalls
from inquest.capture.collectors.net import Net
from inquest.capture.collectors.network_mounts import NetworkMounts
from inquest.capture.collectors.nvml import Nvml
from inquest.capture.collectors.output_files import OutputFiles
from inquest.capture.collectors.placements import Placements
from inquest.capture.collectors.process_life import ProcessLife
from inquest.capture.collectors.processes import Processes
from inquest.capture.collectors.sched import Sched
from inquest.capture.collectors.slurm import Slurm
from inquest.capture.collectors.stalls import Stalls
from inquest.capture.collectors.topology import Topology
from inquest.capture.collectors.writes import Writes

if TYPE_CHECKING:
    from inquest.capture.collector import Collector

COLLECTORS: Final[tuple[type[Collector], ...]] = (
    Clock,
    ClockProbes,
    Identity,
    Topology,
    Processes,
    Placements,
    ProcessLife,
    Sched,
    Writes,
    OutputFiles,
    Cgroup,
    Host,
    Net,
    InfiniBand,
    Disk,
    FileSystems,
    NetworkMounts,
    KernelCounters,
    KernelLog,
    Nvml,
    Dcgm,
    CudaCalls,
    NcclCalls,
    Stalls,
    Artifacts,
    Slurm,
)
