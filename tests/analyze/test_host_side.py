"""What the host and the links add to a straggler and to a slow interconnect; what all share explains no difference."""

from __future__ import annotations

from typing import Any

import pytest

from inquest.analyze.engine import judge

from .builders import at, gpu_samples, healthy
from .proof_kinds import polled, verdict_on


def test_each_reason_of_a_straggler_is_told() -> None:
    verdict = verdict_on("held up by its host")
    assert (verdict.family, verdict.culprit_gpus) == ("D3", ("GPU-3",))
    told = " ".join(verdict.implies)
    for words in (
        "900 MHz",
        "4 lanes",
        "generation 3",
        "hypervisor took 30%",
        "waited for storage 40%",
        "was retrained",
        "NUMA node 1",
    ):
        assert words in told


def test_what_all_gpus_share_is_no_reason() -> None:
    run = gpu_samples(
        healthy(), gpus=4, engine=1.0, sm_active=[0.16, 0.55, 0.15, 0.17], sm_clock_mhz=900, pcie_width=4, pcie_gen=3
    )
    for second in range(60):
        run.row("host_samples", cpu_steal_share=0.3, psi_io_full_avg10=40.0, ts_ns=at(10 + second))
    verdict = judge(run.evidence(), strict=True)
    assert verdict.family == "D3"
    assert verdict.implies == ()


def test_a_network_of_sockets_and_links_that_trained_down_are_told() -> None:
    verdict = verdict_on("over sockets")
    assert (verdict.family, verdict.sub_mode) == ("D2", "interconnect")
    assert "sockets (TCP)" in verdict.implies[0]
    assert "NVLink carried next to nothing (0.2 GB/s" in verdict.implies[1]
    assert "fewer lanes" in verdict.implies[2]


def test_a_whole_link_is_no_reason() -> None:
    run = gpu_samples(healthy(), gpus=4, engine=1.0, sm=0.05, pcie_width=16, pcie_width_max=16, nvlink_bytes_s=10**11)
    verdict = judge(run.evidence(), strict=True)
    assert (verdict.sub_mode, verdict.implies) == ("interconnect", ())


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, True),
        ({"power_limit_w": 700.0, "board": "a board nobody knows"}, True),
        ({"board": "a board nobody knows"}, False),
        ({"power_limit_w": 300.0}, False),  # a low limit, and much of it drawn
        ({"sm_clock_mhz": 1200}, False),  # held down: the board's power is not what it may draw
        ({"power_w": 420.0}, False),
        ({"mem_util": 0.4}, False),  # bound by memory
        ({"mem_util": None}, False),
        ({"engine_active": 0.4}, False),  # idle for most of the time
        ({"nodes": ("node01", "node01")}, False),  # nothing goes between nodes
        ({"way": "IB"}, False),
        ({"step_s": 0.2}, False),  # kernels too small for the GPU
        ({"wait_s": 1.5}, False),
        ({"clocks": False}, False),
        ({"across": False}, False),  # it may be two runs, one on each node
        ({"sm_clock_mhz": 1200, "power_limit_w": 700.0}, False),  # held down by heat
    ],
)
def test_power_tells_of_polling_where_all_else_agrees(change: dict[str, Any], found: bool) -> None:
    verdict = judge(polled(**change).evidence(), strict=True)
    assert (verdict.sub_mode == "interconnect") is found
