"""Ranks that wait for a network of sockets, told by power where SMs and pipes were not sampled.

Kernels that only poll draw far less than the board may, at full clocks, and leave its memory alone. Small kernels, low
limits and host work look alike one by one. So all has to come together: every GPU, of several nodes, NCCL's own word
that what goes between them goes over sockets, and steps of seconds in which the loop waits for no data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._clocks import clocks
from inquest.analyze.families._gpu import span
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._clocks import Clocks
    from inquest.analyze.families._gpu import Gpu
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_BOARD_W: Final = {
    "Tesla T4": 70,
    "Tesla V100-PCIE-16GB": 250,
    "Tesla V100-PCIE-32GB": 250,
    "Tesla V100-SXM2-16GB": 300,
    "Tesla V100-SXM2-32GB": 300,
    "NVIDIA A100-PCIE-40GB": 250,
    "NVIDIA A100 80GB PCIe": 300,
    "NVIDIA A100-SXM4-40GB": 400,
    "NVIDIA A100-SXM4-80GB": 400,
    "NVIDIA H100 PCIe": 350,
    "NVIDIA H100 80GB HBM3": 700,
    "NVIDIA H200": 700,
    "NVIDIA B200": 1000,
    "NVIDIA A10": 150,
    "NVIDIA A30": 165,
    "NVIDIA A40": 300,
    "NVIDIA L4": 72,
    "NVIDIA L40": 300,
    "NVIDIA L40S": 350,
    "NVIDIA RTX A6000": 300,
    "NVIDIA RTX 6000 Ada Generation": 300,
    "NVIDIA GeForce RTX 3090": 350,
    "NVIDIA GeForce RTX 4090": 450,
}
"""Power that NVIDIA's data sheets give boards, by NVML's names; exporters ship no limit as they come."""
_ACROSS: Final = r"NCCL INFO Channel .{1,80} via NET/"
"""What goes to a GPU that is reached over the network."""
_SOCKETS: Final = r" via NET/Socket/"
_HARDLY: Final = 0.1
"""Part of a step that a loop waits for its data, and of the time that memory works, where neither is what bounds it."""


@dataclass(frozen=True, slots=True)
class Polling:
    """GPUs that only polled.

    Attributes:
        most: The one that drew most of its board's power.
        share: How much of it that was.
        said: The line of a log by which NCCL goes over sockets from GPU to GPU.
        told: The loop's own clocks.
    """

    most: Gpu
    share: float
    said: Row
    told: Clocks


def polling(ev: Evidence, story: Story, gpus: tuple[Gpu, ...]) -> Polling | None:
    """The GPUs of the job as they waited for each other; None where anything of the picture is missing."""
    if len({gpu.node for gpu in gpus}) < 2 or not ev.has("log_lines"):
        return None
    busy = all((gpu.engine_mean or 0.0) >= ev.threshold("d2.engine_busy") for gpu in gpus)
    if not busy or not all(gpu.traffic_mean is not None and gpu.traffic_mean <= _HARDLY for gpu in gpus):
        return None
    told, drawn = _slow_steps(ev, story), most_drawn(ev, story, gpus)
    if told is None or drawn is None:
        return None
    share, most = drawn
    if share > ev.threshold("d2.polling_power") or (said := _over_sockets(ev, story)) is None:
        return None
    return Polling(most, share, said, told)


def most_drawn(ev: Evidence, story: Story, gpus: tuple[Gpu, ...]) -> tuple[float, Gpu] | None:
    """The highest share of its board's power that a GPU drew, 0 to 1, and that GPU; None where one's is not known."""
    limits = _limits(ev, story)
    if not gpus or not all(gpu.power_mean and (gpu.node, gpu.gpu_uuid) in limits for gpu in gpus):
        return None
    return max(
        (((gpu.power_mean or 0.0) / limits[gpu.node, gpu.gpu_uuid], gpu) for gpu in gpus),
        key=lambda each: (each[0], each[1].node, each[1].gpu_uuid),
    )


def _slow_steps(ev: Evidence, story: Story) -> Clocks | None:
    """The loop's clocks where its steps take long and hardly wait for data; None where they are not told to."""
    told = clocks(story)
    slow = all(
        each.step_time_s is not None
        and each.step_time_s >= ev.threshold("d2.long_step")
        and each.data_time_s is not None
        and each.data_time_s <= _HARDLY * each.step_time_s
        for each in told
    )
    return told[0] if told and slow else None


def _limits(ev: Evidence, story: Story) -> dict[tuple[str, str], float]:
    """What each GPU may draw, W, whose clocks show that nothing held it back: its limit, else its board's power."""
    return ev.once(("power limits",), lambda: _read_limits(ev, story))


def _read_limits(ev: Evidence, story: Story) -> dict[tuple[str, str], float]:
    names = {}
    if ev.has("devices"):
        boards = ev.scan("devices").filter(pl.col("name").is_in(list(_BOARD_W)))
        names = dict(boards.select("gpu_uuid", "name").drop_nulls().collect().iter_rows())
    first, last = span(ev, story)
    trained = pl.col("ts_ns").is_between(first, last) if first is not None and last is not None else pl.lit(value=True)
    clock = pl.col("sm_clock_mhz")
    read = (
        ev.scan("gpu_samples")
        .group_by("node", "gpu_uuid")
        .agg(
            limit=pl.col("power_limit_w").filter(trained).min(),
            clock=clock.filter(trained).median(),
            highest=clock.max(),
        )
    )
    limits = {}
    for row in read.collect().iter_rows(named=True):
        limit = row["limit"] or _BOARD_W.get(names.get(row["gpu_uuid"], ""))
        free = row["clock"] is not None and row["clock"] >= (1 - ev.threshold("b3.clock_drop")) * row["highest"]
        if limit is not None and free:
            limits[row["node"], row["gpu_uuid"]] = float(limit)
    return limits


def _over_sockets(ev: Evidence, story: Story) -> Row | None:
    """The line by which NCCL reaches another node over sockets; None where any line or word of it tells another way."""
    networks = {str(row["subject"]).strip().lower() for row in story.of(Kind.NCCL_TRANSPORT)}
    if networks != {"socket"}:
        return None
    text = pl.col("text")
    across = ev.scan("log_lines").filter(text.str.contains(" via NET/", literal=True)).collect()
    across = across.filter(text.str.contains(_ACROSS)).sort("node", "seq")
    if across.is_empty() or not across["text"].str.contains(_SOCKETS, literal=True).all():
        return None
    return across.row(0, named=True)
