"""Order statistics over GPU samples, shared by the families that judge how busy GPUs were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.each_gpu import Question, ask, together
from inquest.analyze.families._pace import clocked
from inquest.analyze.families._strange_gpus import strange_gpus
from inquest.analyze.families._telling import tell
from inquest.analyze.families._window import recorded_span
from inquest.analyze.thresholds import THRESHOLDS
from inquest.bundle.by_node import by_node

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class Gpu:
    """Medians of one GPU over the run; None: not measured. Shares are 0 to 1.

    ``engine_high`` is the upper quartile: readings of an instant are 0 or 1, and their median says little. The means
    stand for what exporters that tell nothing of SMs do tell.
    """

    node: str
    gpu_uuid: str
    samples: int
    engine: float | None
    sm: float | None
    memory_bytes: float | None
    engine_high: float | None = None
    engine_mean: float | None = None
    sm_mean: float | None = None
    tensor_mean: float | None = None
    dram_mean: float | None = None
    traffic_mean: float | None = None
    power_mean: float | None = None
    nvlink: float | None = None

    @property
    def work(self) -> float | None:
        """Share of cycles in which the tensor pipe or memory worked, whichever is more; None where one is untold."""
        return None if self.tensor_mean is None or self.dram_mean is None else max(self.tensor_mean, self.dram_mean)

    @property
    def unused(self) -> bool:
        """Whether the job did nothing on it: reserved and left alone, or of nobody."""
        return self.engine_mean is not None and self.engine_mean < _TOUCHED and (self.memory_bytes or 0.0) < _CONTEXT


_CONTEXT: Final = 256 << 20
"""Bytes that a process which uses a GPU holds on it at the least."""
_TOUCHED: Final = 0.01
"""Engine activity of a GPU that is left alone stays below this."""
_MEANS: Final = {
    "engine_mean": "engine_active",
    "sm_mean": "sm_active",
    "tensor_mean": "tensor_active",
    "dram_mean": "dram_active",
    "traffic_mean": "mem_util",
    "power_mean": "power_w",
}
_GRAIN: Final = 10_000
"""Parts that readings are counted in: whole numbers add up to the same in any order."""


def mean_sql(column: str, where: str) -> str:
    """SQL of the mean reading of a column of samples, the same whatever the order they are added in."""
    parts = f"SUM(ROUND({column} * {_GRAIN}))"
    return f"SELECT {parts} / COUNT({column}) / {_GRAIN} AS mean FROM gpu_samples WHERE {where}"


def work_sampled(ev: Evidence) -> bool:
    """Whether any GPU told how much of it worked, by its SMs or its tensor pipe; that a kernel ran tells little."""
    if not ev.has("gpu_samples"):
        return False
    told = ev.scan("gpu_samples").select(pl.col("sm_active", "tensor_active").is_not_null().any()).collect()
    return any(told.row(0))


def medians(ev: Evidence, since_ns: int | None = None, until_ns: int | None = None) -> tuple[Gpu, ...]:
    """Each GPU's medians, from ``since_ns`` on and up to ``until_ns``, by node and UUID."""
    if (since_ns, until_ns) == _span(ev, tell(ev)):
        return _gpus(_trained(ev))
    return ev.once(("gpu medians", since_ns, until_ns), lambda: _gpus(ask(ev, _medians(since_ns, until_ns))[0]))


def _medians(since_ns: int | None, until_ns: int | None) -> Question:
    inside = [pl.col("ts_ns") >= since_ns] if since_ns is not None else []
    inside += [pl.col("ts_ns") <= until_ns] if until_ns is not None else []
    aggregates = {
        "samples": pl.len(),
        "engine": pl.col("engine_active").median(),
        "sm": pl.col("sm_active").median(),
        "memory_bytes": pl.col("fb_used_bytes").median(),
        "engine_high": pl.col("engine_active").quantile(0.75),
        "nvlink": pl.col("nvlink_bytes_s").median(),
        **{name: _mean(pl.col(column)) for name, column in _MEANS.items()},
    }
    return Question(aggregates, pl.all_horizontal(inside) if inside else None)


def _mean(reading: pl.Expr) -> pl.Expr:
    """The same number as `mean_sql` gives; null where nothing was read."""
    count = reading.count()
    return pl.when(count > 0).then((reading * _GRAIN).round().sum() / count / _GRAIN)


def _gpus(frame: pl.DataFrame) -> tuple[Gpu, ...]:
    return tuple(Gpu(**row) for row in frame.iter_rows(named=True))


def in_run(ev: Evidence, margin_s: float = 0.0) -> pl.Expr:
    """Condition for GPU samples of the run, up to ``margin_s`` after it: telemetry is often gathered for far longer.

    All with a time where none lies in the run: its clock is then another, as of accounting in an unknown zone.
    """
    return ev.once(("in run", margin_s), lambda: _in_run(ev, margin_s))


def _in_run(ev: Evidence, margin_s: float) -> pl.Expr:
    timed = pl.col("ts_ns").is_not_null()
    began, ended = recorded_span(ev)
    inside = timed if began is None else timed & (pl.col("ts_ns") >= began)
    if ended is not None:
        inside &= pl.col("ts_ns") <= ended + int(margin_s * 1e9)
    some = ev.scan("gpu_samples").filter(inside).select("ts_ns").head(1).collect(engine="streaming")
    return inside if some.height else timed


def of_run(ev: Evidence, margin_s: float = 0.0) -> pl.LazyFrame:
    """GPU samples of the run; see `in_run`."""
    return ev.scan("gpu_samples").filter(in_run(ev, margin_s))


def while_training(ev: Evidence, story: Story) -> tuple[Gpu, ...]:
    """Medians of each GPU that was used, between the first and the last report of progress.

    Start-up and hangs are judged elsewhere. GPUs that another job held are left out.
    """
    strange = strange_gpus(ev)
    gpus = tuple(gpu for gpu in medians(ev, *span(ev, story)) if (gpu.node, gpu.gpu_uuid) not in strange)
    return tuple(gpu for gpu in gpus if not gpu.unused) or gpus


@together
def _trained(ev: Evidence) -> Question:
    return _medians(*_span(ev, tell(ev)))


def never_touched(ev: Evidence) -> frozenset[tuple[str, str]]:
    """Node and UUID of each GPU on which nobody ever held memory, or ran anything, while it was sampled."""
    idle = (pl.col("memory") < _CONTEXT) & (pl.col("engine").fill_null(0.0) < _TOUCHED)
    return frozenset(_most(ev).filter(idle).select("node", "gpu_uuid").iter_rows())


@together
def _most(_: Evidence) -> Question:
    return Question({"memory": pl.col("fb_used_bytes").max(), "engine": pl.col("engine_active").max()})


def done_before(ev: Evidence, story: Story) -> frozenset[tuple[str, str]]:
    """Node and UUID of each GPU that ran nothing more in the last part of training, while others went on.

    Of several trainings in one job (the folds of a cross-validation, a node each) one is done before the others: its
    GPUs idle from then on, and keep nobody waiting.
    """
    first, last = span(ev, story)
    if first is None or last is None:
        return frozenset()
    since = last - (last - first) // _PARTS
    late = ev.scan("gpu_samples").filter(
        pl.col("ts_ns").is_between(since, last) & pl.col("engine_active").is_not_null()
    )
    most = late.group_by("node", "gpu_uuid").agg(most=pl.col("engine_active").max(), samples=pl.len()).collect()
    idle = most.filter((pl.col("most") < _TOUCHED) & (pl.col("samples") >= _SAMPLES))
    return frozenset(idle.select("node", "gpu_uuid").iter_rows()) if idle.height < most.height else frozenset()


_PARTS: Final = 8
_SAMPLES: Final = 3


def trained_on(ev: Evidence, gpu: Gpu, story: Story) -> str:
    """SQL condition for the samples of one GPU between the first and the last report of progress."""
    return sampled_of(gpu, *span(ev, story))


def span(ev: Evidence, story: Story) -> tuple[int | None, int | None]:
    """First and last report of progress; where reports have no time, the first and last sample that saw a kernel."""
    if not _reported(story):
        ev.threshold(_IDLE)
    return _span(ev, story)


_IDLE: Final = "c3.idle_engine"


def _span(ev: Evidence, story: Story) -> tuple[int | None, int | None]:
    """`span`, without a note that a threshold was used: nobody may have asked yet.

    The log's clock is another than the samples' where the run that accounting tells has samples, and none of them lies
    between reports.
    """
    told = _reported(story)
    if told is not None and ev.once(("sampled within", told), lambda: _sampled_within(ev, *told)):
        return told
    return ev.once(("kernels seen",), lambda: _active(ev))


def _sampled_within(ev: Evidence, first: int, last: int) -> bool:
    """Whether GPUs were sampled between two instants; True where accounting tells of no run apart from these."""
    began, ended = recorded_span(ev)
    at = ev.scan("gpu_samples").select("ts_ns").drop_nulls()
    if began is None or ended is None or (first <= ended and last >= began):
        return True  # reports lie in the run: samples were kept of another part of it
    inside, of_it = (
        at.filter(pl.col("ts_ns").is_between(*edges)).head(_FEW).collect(engine="streaming").height
        for edges in ((first, last), (began, ended))
    )
    return inside > 0 or of_it < _FEW


_FEW: Final = 100
"""Samples that are no stray ones."""


def _reported(story: Story) -> tuple[int, int] | None:
    timed = clocked(story)["ts_ns"]
    first, last = timed.min(), timed.max()
    return (first, last) if isinstance(first, int) and isinstance(last, int) else None


def _active(ev: Evidence) -> tuple[int | None, int | None]:
    least = THRESHOLDS[_IDLE].value
    active = of_run(ev).filter(pl.col("engine_active") > least)
    first, last = active.select(pl.col("ts_ns").min(), pl.col("ts_ns").max().alias("last")).collect().row(0)
    return first, last


def stopped(ev: Evidence, since_ns: int, until_ns: int | None = None) -> tuple[Gpu, ...]:
    """GPUs on which nothing ran from ``since_ns`` on (up to ``until_ns``) while most others spun.

    Empty where the picture is not that one.

    A rank that waits in a collective keeps its engine busy and its SMs idle; the one that did not come has neither.
    """
    strange = strange_gpus(ev)
    gpus = [gpu for gpu in medians(ev, since_ns, until_ns) if gpu.engine is not None]
    gpus = [gpu for gpu in gpus if (gpu.node, gpu.gpu_uuid) not in strange]
    spinning = [
        gpu
        for gpu in gpus
        if (gpu.engine or 0.0) >= ev.threshold("d2.engine_busy")
        and (gpu.sm is None or gpu.sm <= ev.threshold("c2.spinning_sm"))
    ]
    cold = [gpu for gpu in gpus if (gpu.engine or 0.0) <= ev.threshold("c3.idle_engine")]
    return tuple(cold) if cold and len(cold) < len(spinning) and len(cold) + len(spinning) == len(gpus) else ()


def last_signs(ev: Evidence) -> dict[str, tuple[int, str]]:
    """When each node was last sampled, UTC, and by which table; nodes that were never sampled are not there.

    Where the scheduler says when the run ended, up to then: a node that was lost may be back before its record ends.
    """
    found: dict[str, tuple[int, str]] = {}
    ended = ev.scan("slurm_jobs").select(pl.col("end_ns").max()).collect().item() if ev.has("slurm_jobs") else None

    def last_sign(scan: pl.LazyFrame) -> pl.LazyFrame:
        until = pl.lit(value=True) if ended is None else pl.col("ts_ns") <= ended
        return scan.filter(until).group_by("node").agg(pl.col("ts_ns").max())

    for table in ("gpu_samples", "host_samples"):
        if ev.has(table):
            last = by_node(ev.store, table, last_sign)
            for node, ts_ns in last.sort("node").drop_nulls().iter_rows():
                found[node] = max((ts_ns, table), found.get(node, (ts_ns, table)))
    return found


def fell_silent(ev: Evidence) -> dict[str, tuple[int, str]]:
    """Nodes whose samples ended long before those of the other nodes, with the time and table of the last one."""
    signs = last_signs(ev)
    if len(signs) < 2:
        return {}
    gap = int(ev.threshold("f1.silence") * 1e9)
    latest, _ = max(signs.values())
    silent = {node: sign for node, sign in signs.items() if latest - sign[0] >= gap}
    # Where half of the nodes end early, it is the samplers that differ.
    return silent if len(silent) * 2 < len(signs) + 1 and len(silent) < len(signs) else {}


def rank_of_gpu(ev: Evidence, gpu_uuid: str | None) -> int | None:
    """Rank of the one process that used a GPU; None where it was not captured or several did."""
    if gpu_uuid is None:
        return None
    found = (
        ev.scan("gpu_processes").filter(pl.col("gpu_uuid") == gpu_uuid).select("rank").drop_nulls().unique().collect()
    )
    return int(found["rank"][0]) if found.height == 1 else None


def of_process(ev: Evidence, node: str | None, pid: int) -> tuple[int | None, str | None]:
    """Rank and GPU of a process of the job, each where it was captured."""
    rank: int | None = None
    gpu: str | None = None
    mine = (pl.col("node") == node) & (pl.col("pid") == pid)
    for table, column in (("gpu_processes", "rank"), ("processes", "rank"), ("gpu_processes", "gpu_uuid")):
        found = ev.scan(table).filter(mine).select(column).drop_nulls().unique().collect()[column]
        if len(found) == 1 and column == "gpu_uuid":
            gpu = str(found[0])
        elif len(found) == 1 and rank is None:
            rank = int(found[0])
    return rank, gpu


def sampled_of(gpu: Gpu, since_ns: int | None = None, until_ns: int | None = None) -> str:
    """SQL condition for the samples of one GPU: the very ones that ``medians`` takes for the same span."""
    from inquest.analyze.sql import literal

    uuid = "IS NULL" if gpu.gpu_uuid is None else f"= {literal(gpu.gpu_uuid)}"
    since = "" if since_ns is None else f" AND ts_ns >= {since_ns}"
    until = "" if until_ns is None else f" AND ts_ns <= {until_ns}"
    return f"node = {literal(gpu.node)} AND gpu_uuid {uuid}{since}{until}"
