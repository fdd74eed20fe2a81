"""How far estimates lie from the truth of a simulation, and whether their bounds say so."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from simulator import EPOCH

from inquest.bundle import clock

if TYPE_CHECKING:
    from simulator import Cluster

_INSTANTS: Final = 9
_SETTLED: Final = 20


@dataclass(slots=True)
class Errors:
    """Of each node the error against the common clock of its component, and the bound, where they are closest; ns.

    ``order`` counts pairs of nodes, and among them those whose order the bounds would have got wrong.
    """

    error: list[int] = field(default_factory=list)
    bound: list[int] = field(default_factory=list)
    pairs: int = 0
    broken: int = 0
    unbounded: int = 0
    seconds: float = 0.0

    def add(self, other: Errors) -> None:
        """Take the nodes of another run."""
        self.error += other.error
        self.bound += other.bound
        self.pairs += other.pairs
        self.broken += other.broken
        self.unbounded += other.unbounded
        self.seconds += other.seconds

    def percentile(self, share: float) -> int:
        """Error in ns that ``share`` of the nodes do not exceed."""
        ordered = sorted(self.error)
        return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]

    @property
    def covered(self) -> float:
        """Share of nodes whose bound covers their error."""
        return statistics.fmean(error <= bound for error, bound in zip(self.error, self.bound, strict=True))

    @property
    def width(self) -> float:
        """Median bound by median error."""
        return statistics.median(self.bound) / max(1.0, statistics.median(self.error))


def measure(cluster: Cluster) -> Errors:
    """Estimate from the rows of a simulated job, and compare with its truth."""
    began = time.process_time()
    seen = clock.Observations()
    spent = time.process_time() - began
    for table, batch in cluster.batches():
        began = time.process_time()
        seen.observe(table, batch)
        spent += time.process_time() - began
    began = time.process_time()
    found = clock.estimate(seen)
    spent += time.process_time() - began
    result = Errors(seconds=spent)
    components: dict[str, list[tuple[list[int], list[int]]]] = {}
    for node in cluster.present:
        alignment = found.get((node.name, node.boot_id))
        error, bounds = [], []
        for k in range(_INSTANTS if alignment else 0):
            t = cluster.run * (k + 0.5) / _INSTANTS
            shown = node.clock(t)
            piece = alignment.piece(shown)
            error.append(round(shown + piece.at(shown) - t) - EPOCH)
            bounds.append(piece.bound_ns)
        if None in bounds or not bounds:
            result.unbounded += 1
        else:
            components.setdefault(alignment.reference, []).append((error, bounds))
    for reference, nodes in sorted(components.items()):
        errors = []
        for k in range(_INSTANTS):
            common = 0 if reference == "utc" else _common([(error[k], bound[k]) for error, bound in nodes])
            errors.append([error[k] - common for error, _ in nodes])
        for number, (_, bound) in enumerate(nodes):
            if any(bound):  # else it is the common clock itself, and right by definition
                worst = max(range(_INSTANTS), key=lambda k: abs(errors[k][number]) / (bound[k] + 1))
                result.error.append(abs(errors[worst][number]))
                result.bound.append(bound[worst])
            for other in range(number + 1, min(number + 33, len(nodes))):
                apart = [
                    abs(errors[k][number] - errors[k][other]) - bound[k] - nodes[other][1][k] for k in range(_INSTANTS)
                ]
                result.pairs += 1
                result.broken += max(apart) > 0
    return result


def _common(nodes: list[tuple[int, int]]) -> int:
    """The error of the common clock, which no clock need show: the mean of the nodes, weighted by their bounds.

    Nodes outside their bound weigh less (Huber's estimate), so that one of them does not put others in the wrong. Two
    nodes are by this both within their bounds or both outside, as their order is right or wrong.
    """
    weights = [1 / max(bound, 1) ** 2 for _, bound in nodes]
    common = statistics.median(error for error, _ in nodes)
    for _ in range(_SETTLED):
        pulls = [
            weight * min(1.0, max(bound, 1) / max(abs(error - common), 1))
            for weight, (error, bound) in zip(weights, nodes, strict=True)
        ]
        common = sum(pull * error for pull, (error, _) in zip(pulls, nodes, strict=True)) / sum(pulls)
    return round(common)
