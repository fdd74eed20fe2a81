"""The eighteen failure families, in the order in which a verdict lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.analyze.families import (
    a1_startup_crash,
    a2_signal_kill,
    b1_cuda_oom,
    b2_gpu_hardware,
    b3_throttling,
    c1_rendezvous_hang,
    c2_collective_freeze,
    c3_idle_gpu_hang,
    d1_input_starvation,
    d2_throughput_bound,
    d3_straggler,
    e1_divergence,
    e2_restart_or_load,
    e3_undertrained,
    f1_node_down,
    f2_requeue_preemption,
    f3_time_out,
    g1_healthy,
)

if TYPE_CHECKING:
    from inquest.analyze.families.base import Family

FAMILIES: Final[tuple[Family, ...]] = (
    a1_startup_crash.FAMILY,
    a2_signal_kill.FAMILY,
    b1_cuda_oom.FAMILY,
    b2_gpu_hardware.FAMILY,
    b3_throttling.FAMILY,
    c1_rendezvous_hang.FAMILY,
    c2_collective_freeze.FAMILY,
    c3_idle_gpu_hang.FAMILY,
    d1_input_starvation.FAMILY,
    d2_throughput_bound.FAMILY,
    d3_straggler.FAMILY,
    e1_divergence.FAMILY,
    e2_restart_or_load.FAMILY,
    e3_undertrained.FAMILY,
    f1_node_down.FAMILY,
    f2_requeue_preemption.FAMILY,
    f3_time_out.FAMILY,
    g1_healthy.FAMILY,
)
"""All families, "A1" to "G1"."""
