"""SIMULATED clocks of a cluster, and the rows that recorders and importers would have written on it.

The truth is known here and nowhere else: nothing of the product imports this module, and it imports nothing of the
estimator (tests/bundle/test_clock_study.py). Spreads are those of the issue: ends of a collective log-normal with
median 30 us and 99th percentile 2 ms, 5 % of them up to 50 ms late; round trips log-normal with median 200 us and 99th
percentile 5 ms, one way up to three times the other; offsets to 1 s, drifts to 100 ppm, wall clocks set in mid-run.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from inquest.bundle import parquet

if TYPE_CHECKING:
    from collections.abc import Iterator

SECOND: Final = 1_000_000_000
EPOCH: Final = 1_700_000_000 * SECOND
_END_MEDIAN, _END_SIGMA = 30e3, math.log(2e6 / 30e3) / 2.3263
_TRIP_MEDIAN, _TRIP_SIGMA = 200e3, math.log(5e6 / 200e3) / 2.3263
_LATE_SHARE, _LATE_NS = 0.05, 50e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One simulated job.

    ``collectives`` are spread evenly over the run; each node's record of one is lost with probability ``lost``.
    ``probes`` is how often each node asks the first node and its neighbour. ``imported`` jobs have wall clocks only.
    ``steps`` is how often each wall clock is set, by up to a second.
    ``missing`` is the share of nodes of which nothing is left. One way of a probe takes up to ``asymmetry`` times as
    long as the other, in ``one_way`` jobs always the same.
    ``wander_ppb`` is how far frequencies move, one way and back, over the run.
    """

    nodes: int
    seconds: int = 3600
    collectives: int = 0
    probes: int = 0
    ranks: int = 1
    lost: float = 0.0
    missing: float = 0.0
    steps: int = 0
    imported: bool = False
    one_way: bool = False
    asymmetry: float = 3.0
    kernel_error_us: float | None = None
    wander_ppb: float = 0.0
    seed: int = 1


@dataclass(slots=True)
class Node:
    """One simulated node: its clocks as functions of true time (ns since `EPOCH`)."""

    name: str
    boot_id: str
    uptime: int
    offset: int
    drift: float
    wander: float
    period: float
    steps: list[tuple[int, int]] = field(default_factory=list)

    def mono(self, t: float) -> int:
        """The monotonic clock."""
        moved = self.wander * self.period / math.tau * (1 - math.cos(math.tau * t / self.period))
        return self.uptime + round(t + self.drift * t + moved)

    def wall(self, t: float) -> int:
        """The wall clock: it runs as the monotonic one does, and steps."""
        return EPOCH + self.offset + self.mono(t) - self.uptime + sum(by for at, by in self.steps if t >= at)

    def clock(self, t: float) -> int:
        """The clock that rows are told by."""
        return self.mono(t) if self.boot_id else self.wall(t)


class Cluster:
    """The nodes of a scenario, and the rows they left."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._random = random.Random(scenario.seed)
        run = scenario.seconds * SECOND
        self.run = run
        self.nodes = [self._node(number, run) for number in range(scenario.nodes)]
        count = max(2, round(scenario.nodes * (1 - scenario.missing)))
        present = sorted(self._random.sample(range(scenario.nodes), count))
        self.present = [self.nodes[number] for number in present]

    def _node(self, number: int, run: int) -> Node:
        chance = self._random
        steps = [
            (round(chance.uniform(0.1, 0.9) * run), round(chance.uniform(-1, 1) * SECOND))
            for _ in range(self.scenario.steps)
        ]
        return Node(
            name=f"n{number:03d}",
            boot_id="" if self.scenario.imported else f"boot-{number}",
            uptime=round(chance.uniform(1e3, 1e7)) * SECOND + chance.randrange(SECOND),
            offset=round(chance.uniform(-1, 1) * SECOND),
            drift=chance.uniform(-100e-6, 100e-6),
            wander=chance.uniform(-1, 1) * self.scenario.wander_ppb * 1e-9,
            period=float(run),
            steps=steps,
        )

    def batches(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """All rows, node by node."""
        yield from self._clock_samples()
        yield from self._collectives()

    def _clock_samples(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        chance, scenario = self._random, self.scenario
        names = {node.name for node in self.present}
        for number, node in enumerate(self.nodes):
            if node.boot_id and node.name in names:
                rows = []
                for t in range(0, self.run + 1, 10 * SECOND):
                    row = {"ts_mono_ns": node.mono(t), "wall_ns": node.wall(t), "read_bound_ns": 60}
                    rows.append(row | {"kernel_error_us": scenario.kernel_error_us})
                for peer in {0, (number + 1) % len(self.nodes)} - {number}:
                    shape = chance.uniform(-1, 1)
                    for count in range(scenario.probes):
                        shape = shape if scenario.one_way else chance.uniform(-1, 1)
                        at = (count + chance.random()) / scenario.probes * self.run
                        if self.nodes[peer].name in names:
                            rows.append(self._probe(node, self.nodes[peer], at, shape))
                yield "clock_samples", _batch("clock_samples", node, rows)

    def _probe(self, node: Node, peer: Node, sent: float, shape: float) -> dict[str, Any]:
        trip = self._random.lognormvariate(math.log(_TRIP_MEDIAN), _TRIP_SIGMA)
        ways = self.scenario.asymmetry**shape
        there = trip * ways / (1 + ways)
        answered = sent + there + self._random.uniform(5e3, 50e3)
        return {
            "ts_mono_ns": node.mono(sent),
            "kind": "probe",
            "peer": peer.name,
            "peer_boot_id": peer.boot_id,
            "peer_receive_mono_ns": peer.mono(sent + there),
            "peer_send_mono_ns": peer.mono(answered),
            "return_mono_ns": node.mono(answered + trip - there),
        }

    def _collectives(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        chance, scenario = self._random, self.scenario
        gap = self.run / max(1, scenario.collectives)
        at = [(number + chance.random()) * gap for number in range(scenario.collectives)]
        for node in self.present if at else ():
            rows: list[dict[str, Any]] = []
            for number, t in enumerate(at):
                for rank in range(scenario.ranks):
                    if chance.random() >= scenario.lost:
                        end = node.clock(t + self._lateness())
                        row = {"ts_mono_ns": end, "comm": "0xabc", "op": "AllReduce", "coll_seq": number, "rank": rank}
                        rows.append(row | {"complete_mono_ns": end})
            yield "nccl_collectives", _batch("nccl_collectives", node, rows)

    def _lateness(self) -> float:
        if self._random.random() < _LATE_SHARE:
            return self._random.uniform(0, _LATE_NS)
        return self._random.lognormvariate(math.log(_END_MEDIAN), _END_SIGMA)


def _batch(table: str, node: Node, rows: list[dict[str, Any]]) -> pa.RecordBatch:
    identity = {"node": node.name, "boot_id": node.boot_id or None, "capture": "simulated"}
    full = [identity | {"seq": seq} | row for seq, row in enumerate(rows)]
    return pa.RecordBatch.from_pylist(full, schema=parquet.plain_schema(table))
