"""Whether the GPUs of a job stood still before its end while its ranks waited for each other, by their samples alone.

A rank that waits in a collective keeps a kernel resident: its engine reads busy, while SMs, memory traffic and power
fall far below what the same GPU showed when it computed. A rank that never came has no kernel at all, or its GPU is no
longer there. So a last stretch in which nobody computes and most spin is a freeze, whatever the log says or does not:
many logs carry no times, and a collective without a watchdog reports nothing.

Saves and evaluations behind a barrier look the same while they last: the job's own earlier pauses tell how long those
are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import polars as pl

from inquest.analyze.each_gpu import Question, together
from inquest.analyze.families._gpu import Gpu, in_run, medians, of_run
from inquest.analyze.families._pace import clocked
from inquest.analyze.families._window import run_span
from inquest.bundle.hostlist import expand

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story

_GPU: Final = ("node", "gpu_uuid")
_LEAST_WIDTH_NS: Final = 30_000_000_000
"""Width of the windows that samples of nodes with clocks of their own are compared in, at the least."""
_GPUS_TIMED: Final = 16
"""GPUs whose samples tell the cadence."""
_SAMPLES_A_WINDOW: Final = 2
_LAST_WINDOWS: Final = 4
"""Windows at the end of a run that tell what it ended in."""


@dataclass(frozen=True, slots=True)
class Still:
    """The last stretch of a job in which no GPU computed.

    Attributes:
        since_ns: When the last GPU stopped computing, UTC, to the width of a window.
        until_ns: Its last instant.
        earlier_ns: The longest stretch of this kind that the job came out of.
    """

    since_ns: int
    until_ns: int
    earlier_ns: int

    @property
    def length_ns(self) -> int:
        """How long it lasted."""
        return self.until_ns - self.since_ns

    def unlike_a_pause(self, ev: Evidence) -> bool:
        """True where it lasted far longer than any barrier this job came out of, and than any save or evaluation."""
        least = ev.threshold("c2.frozen_least") * 1e9
        return self.length_ns >= max(least, ev.threshold("stall.own_pauses") * self.earlier_ns)


@dataclass(frozen=True, slots=True)
class Frozen(Still):
    """A still stretch in which most GPUs spun.

    Attributes:
        spinning: GPUs that kept a kernel resident without computing.
        cold: GPUs on which nothing ran, or which gave no more samples although their node did.
    """

    spinning: tuple[Gpu, ...]
    cold: tuple[Gpu, ...]


def idle_stretch(ev: Evidence) -> Still | None:
    """The last stretch in which nothing ran on a job's only GPU while it held memory; None where there is none."""
    windows = _states(ev).filter(pl.col("held"))
    if windows.select(_GPU).unique().height != 1 or not windows["works"].any():
        return None
    told = windows.sort("window").with_columns(still=pl.col("engine_active") <= ev.threshold("c3.idle_engine"))
    return _last_still(told, windows["width"][0])


def frozen(ev: Evidence) -> Frozen | None:
    """The freeze that the samples show; None where they show none, or where fewer than two GPUs worked."""
    return _frozen_with(ev, least=_MORE_THAN_HALF)


def frozen_after(ev: Evidence, lost_ns: int) -> Frozen | None:
    """The freeze of a job that lost a process at an instant; no more GPUs may spin than let go: one of two, say.

    By itself that one of two GPUs spins while the other idles tells nothing: they may be of two programs. Where a
    process of the job died as the stretch began, and what idles holds no memory since, it is the peer that waits.
    """
    found = _frozen_with(ev, least=_HALF)
    if found is None or not found.cold:
        return None
    near_ns = _NEAR_WINDOWS * _width_ns(ev)
    emptied = all((gpu.memory_bytes or 0.0) < ev.threshold("c3.resident_memory") for gpu in found.cold)
    held = all((gpu.memory_bytes or 0.0) >= ev.threshold("c3.resident_memory") for gpu in found.spinning)
    return found if emptied and held and abs(found.since_ns - lost_ns) <= near_ns else None


def frozen_of_all(ev: Evidence) -> Frozen | None:
    """The freeze of a job that has no more GPUs than those that worked, one of two of which spins, say.

    What two programs of one job do tells nothing of either: here all let go in the same windows, hold memory on as
    before, and those that spin do no work, which none does that has no peer.
    """
    found = _frozen_with(ev, least=_HALF)
    if found is None or not found.cold or not _are_all(ev, (*found.spinning, *found.cold)):
        return None
    least = ev.threshold("c3.resident_memory")
    held = all((gpu.memory_bytes or 0.0) >= least for gpu in (*found.spinning, *found.cold))
    return found if held and _let_go_together(ev, found) else None


def _are_all(ev: Evidence, gpus: tuple[Gpu, ...]) -> bool:
    """Whether these are all GPUs of the one job that accounting tells of, by their number, else one of each node.

    What a job asked for it was given, where it began.
    """
    if not ev.has("slurm_jobs"):
        return ev.world_size() == len(gpus)
    given = pl.coalesce("gpus_allocated", "gpus_requested").alias("given")
    began = ev.scan("slurm_jobs").filter(pl.col("start_ns").is_not_null())
    told = began.select("job_id", "node_list", given).unique().collect()
    if told.height != 1:
        return False
    _, listed, number = told.row(0)
    if number is not None:
        return bool(number == len(gpus))
    nodes = {node.partition(".")[0] for node in expand(listed or "")}
    return len(gpus) > 1 and len(nodes) == len(gpus) and nodes == {gpu.node.partition(".")[0] for gpu in gpus}


def _let_go_together(ev: Evidence, found: Frozen) -> bool:
    """Whether all GPUs began and ended to compute within a window or two of each other."""
    worked = _states(ev).filter("works", (pl.col("window") * pl.col("width")) < found.since_ns)
    each = worked.group_by(_GPU).agg(first=pl.col("window").min(), last=pl.col("window").max())
    apart = each.select(pl.all().exclude(_GPU).max() - pl.all().exclude(_GPU).min()).row(0)
    return None not in apart and max(apart) <= _NEAR_WINDOWS


_MORE_THAN_HALF: Final = 0.50001
_HALF: Final = 0.5
_NEAR_WINDOWS: Final = 2
"""A stretch is told to the width of a window, and its first one may hold the end of a step."""


def _frozen_with(ev: Evidence, least: float) -> Frozen | None:
    if not ev.has("gpu_samples"):
        return None
    windows = _states(ev)
    worked = windows.filter(pl.col("works")).select(_GPU).unique()
    if worked.height < 2:
        return None
    mine = windows.join(worked, on=_GPU, how="semi")
    told = (
        mine.group_by("window")
        .agg(works=pl.col("works").sum(), spins=pl.col("spins").sum())
        .sort("window")
        .with_columns(still=(pl.col("works") == 0) & (pl.col("spins") >= least * worked.height))
    )
    # What comes after the last stretch is the tear-down, unless somebody computes again.
    spun = told.filter("still")["window"].max()
    if spun is None:
        return None
    still = _last_still(told.filter((pl.col("window") <= spun) | (pl.col("works") > 0)), windows["width"][0])
    return None if still is None else _who(ev, worked, still, least)


def at_end(ev: Evidence) -> Literal["computing", "still", "never"] | None:
    """What GPUs did in the last minutes of the run; ``never``: they computed at no time. None: nobody sampled them."""
    if not ev.has("gpu_samples"):
        return None
    windows = _states(ev)
    _, ended = run_span(ev)
    if ended is not None:
        windows = windows.filter((pl.col("window") + 1) * pl.col("width") <= ended)
    worked = windows.filter("works").select(_GPU).unique()
    if worked.is_empty():
        return None if windows.is_empty() else "never"
    last = windows.join(worked, on=_GPU, how="semi").filter(pl.col("window") > pl.col("window").max() - _LAST_WINDOWS)
    return "computing" if 2 * last["works"].sum() >= last.height else "still"


def worked_until(ev: Evidence, node: str | None, gpu_uuid: str | None = None) -> int | None:
    """Until when a GPU computed, or all of its node that ever did; None where nobody sampled them."""
    if not ev.has("gpu_samples"):
        return None
    mine = _states(ev).filter(pl.col("works"), pl.col("node") == node)
    mine = mine if gpu_uuid is None else mine.filter(pl.col("gpu_uuid") == gpu_uuid)
    ends = mine.group_by(_GPU).agg((pl.col("window").max() + 1) * pl.col("width").first())["window"]
    return None if ends.is_empty() else int(ends.min())  # type: ignore[arg-type]


def at_work(ev: Evidence, node: str, ts_ns: int) -> bool:
    """Whether a GPU of the node computed in the window of an instant, or in the one before."""
    windows = _states(ev).filter(pl.col("works"), pl.col("node") == node)
    begins, ends = pl.col("window") * pl.col("width"), (pl.col("window") + 1) * pl.col("width")
    return not windows.filter((begins <= ts_ns) & (ends >= ts_ns - pl.col("width"))).is_empty()


def others_work(ev: Evidence, node: str, since_ns: int, until_ns: int) -> bool:
    """Whether a GPU of another node computed in windows that lie within that time."""
    windows = _states(ev).filter(pl.col("works"), pl.col("node") != node)
    begins, ends = pl.col("window") * pl.col("width"), (pl.col("window") + 1) * pl.col("width")
    return not windows.filter((begins >= since_ns) & (ends <= until_ns)).is_empty()


def beside_work(ev: Evidence, ts_ns: int | None) -> bool:
    """Whether an instant lies long before or after all that the job's GPUs computed, while they were sampled."""
    if ts_ns is None or not ev.has("gpu_samples"):
        return False
    windows, margin = _states(ev), ev.threshold("run.margin") * 1e9
    begins, ends = pl.col("window") * pl.col("width"), (pl.col("window") + 1) * pl.col("width")
    span = windows.filter("works").select(begins.min(), end=ends.max()).row(0)
    seen = windows.select(begins.min(), end=ends.max()).row(0)
    if None in (*span, *seen):
        return False
    before = seen[0] < span[0] and ts_ns < span[0] - margin
    return bool(before or (span[1] < seen[1] and ts_ns > span[1] + margin))


def advanced(ev: Evidence, story: Story, still: Still) -> bool:
    """Whether steps were done in a still stretch: then ranks waited much, but nothing froze.

    By the times of the reports, else by what the steps say they took: more than the time there was before.
    """
    timed = clocked(story)["ts_ns"]
    if len(timed):
        return bool(timed.is_between(still.since_ns, still.until_ns).sum() > 1)
    active = of_run(ev).filter(pl.col("engine_active") > ev.threshold("c3.idle_engine"))
    began = active.select(pl.col("ts_ns").min()).collect().item()
    told = story.steps.select("step", "step_time_s").drop_nulls().unique("step").sort("step")
    took = (told["step_time_s"] * told["step"].diff().fill_null(1)).to_list()
    return began is not None and sum(took) * 1e9 > still.since_ns - began + still.length_ns / 2


def _last_still(told: pl.DataFrame, width: int) -> Still | None:
    """The stretch of still windows that ends ``told``, and the longest one before it; None where it does not."""
    runs = told.with_columns(run=pl.col("still").rle_id()).group_by("run", "still")
    stretches = runs.agg(first=pl.col("window").min(), last=pl.col("window").max()).sort("run")
    if stretches.is_empty() or not stretches["still"][-1]:
        return None
    first, last = stretches["first"][-1], stretches["last"][-1]
    earlier = stretches.filter("still")[:-1].select((pl.col("last") - pl.col("first") + 1).max()).item()
    # The first window may hold the end of a step, the last one the beginning of the end.
    since, until = (first + 1) * width, last * width
    return Still(since, until, (earlier or 0) * width) if since < until else None


_MULTIPLIES: Final = 0.02
"""Tensor pipe activity that no kernel has which only waits: slow as it is, the job goes on."""


def _who(ev: Evidence, worked: pl.DataFrame, still: Still, share: float) -> Frozen | None:
    least, busy = ev.threshold("c3.idle_engine"), ev.threshold("d2.engine_busy")
    gpus = {(gpu.node, gpu.gpu_uuid): gpu for gpu in medians(ev, still.since_ns, still.until_ns)}
    sampled = {node for node, _ in gpus}
    spinning, cold = [], []
    for node, uuid in worked.sort(_GPU).iter_rows():
        gpu = gpus.get((node, uuid))
        if gpu is None:
            if node in sampled:
                cold.append(Gpu(node, uuid, 0, None, None, None))
        elif (gpu.engine or 0.0) >= busy:
            spinning.append(gpu)
        elif (gpu.engine or 0.0) <= least:
            cold.append(gpu)
    at_work = sum((gpu.tensor_mean or 0.0) >= _MULTIPLIES for gpu in spinning)
    if len(spinning) < share * (len(spinning) + len(cold)) or 2 * at_work > len(spinning):
        return None
    return Frozen(still.since_ns, still.until_ns, still.earlier_ns, tuple(spinning), tuple(cold))


_MOVES: Final = 0.25
"""Part of its most traffic that a GPU at a third of its clock still has while it computes, and none that polls."""


def _states(ev: Evidence) -> pl.DataFrame:
    """By GPU and window of the run: whether it computed, spun or held memory (works, spins, held)."""
    return ev.once(("gpu states",), lambda: _judged(ev))


def _sampled(ev: Evidence) -> pl.Expr:
    return in_run(ev, ev.threshold("run.margin")) & pl.col("engine_active").is_not_null()


def _width_ns(ev: Evidence) -> int:
    return ev.once(("gpu state width",), lambda: max(_LEAST_WIDTH_NS, _SAMPLES_A_WINDOW * _cadence_ns(ev)))


@together
def _windows(ev: Evidence) -> Question:
    measured = ("engine_active", "sm_active", "power_w", "mem_util", "fb_used_bytes", "sm_clock_mhz")
    return Question({name: pl.col(name).median() for name in measured}, _sampled(ev), _width_ns(ev))


def _judged(ev: Evidence) -> pl.DataFrame:
    frame, width = _windows(ev), _width_ns(ev)
    sm, engine = pl.col("sm_active"), pl.col("engine_active")
    by_power = pl.col("power_w") > ev.threshold("c2.spinning_power") * pl.col("power_w").max().over(_GPU)
    by_traffic = pl.col("mem_util") > ev.threshold("c2.spinning_power") * pl.col("mem_util").max().over(_GPU)
    # Boards that draw much when idle come near half of their power by polling: memory traffic tells there.
    much_power = pl.col("power_w") > ev.threshold("c2.computing_power") * pl.col("power_w").max().over(_GPU)
    by_power &= much_power | by_traffic.fill_null(value=True)
    # A clock that is held down takes the power with it: there only traffic tells.
    held_down = pl.col("sm_clock_mhz") < ev.threshold("c2.computing_power") * pl.col("sm_clock_mhz").max().over(_GPU)
    moves = pl.col("mem_util") > _MOVES * pl.col("mem_util").max().over(_GPU)
    by_power |= (held_down & (pl.col("engine_active") > ev.threshold("c3.idle_engine")) & moves).fill_null(value=False)
    by_sm = (sm > ev.threshold("c2.spinning_sm")) & (
        (sm > ev.threshold("c2.channels_sm")) | pl.coalesce(by_power, by_traffic, pl.lit(value=True))
    )
    computes = pl.coalesce(by_sm, by_power, by_traffic, pl.lit(value=True))
    works = (engine > ev.threshold("c3.idle_engine")) & computes
    return frame.with_columns(
        width=pl.lit(width),
        works=works,
        held=pl.col("fb_used_bytes") >= ev.threshold("c3.resident_memory"),
        spins=~works & (engine >= ev.threshold("d2.engine_busy")),
    )


def _cadence_ns(ev: Evidence) -> int:
    """Usual time between two samples of one GPU, by a few of them: one cadence was asked for all."""
    scan = ev.scan("gpu_samples").filter(_sampled(ev))
    few = pl.DataFrame(schema={"node": pl.String, "gpu_uuid": pl.String, "ts_ns": pl.Int64})
    for node in ev.nodes():
        seen = scan.filter(pl.col("node") == node).select(few.columns).collect(engine="streaming")
        few = few.vstack(seen)
        if few.select(_GPU).n_unique() >= _GPUS_TIMED:
            break
    timed = few.join(few.select(_GPU).unique().sort(_GPU).head(_GPUS_TIMED), on=_GPU, how="semi", nulls_equal=True)
    gaps = timed.sort(*_GPU, "ts_ns").select(gap=pl.col("ts_ns").diff().over(_GPU)).filter(pl.col("gap") > 0)
    usual = gaps["gap"].median()
    return int(usual) if isinstance(usual, int | float) else 0
