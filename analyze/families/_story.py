"""What happened, for all families: the last attempt's events, crashes and deaths in their order, and what began it.

Families ask the story instead of each reading the fact tables its own way, so that two families can never see two
different first failures.
"""

from __future__ import annotations

import functools
import math
import re
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._causes import Kind as CauseKind
from inquest.analyze.families._failures import ECHOES, LETHAL, NATIVE, Crash, Death, Failure
from inquest.analyze.families._rows import Row, told_by
from inquest.analyze.families._swallowed import is_of_a_tool, is_of_another
from inquest.analyze.families._units import SYSTEMD
from inquest.analyze.logs.kinds import SAMPLED, UNNUMBERED, Kind
from inquest.analyze.programs import TIMEOUT_STATUS

if TYPE_CHECKING:
    from inquest.analyze.families._counted import Counted

_SAID_ITS_END: Final = (Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.MODEL_SAVED, Kind.EARLY_STOP, Kind.PLANNED_EXIT)
_RUNS_PYTHON: Final = re.compile(r"\bpython[\d.]{0,8} ")
_DUE: Final = 4
"""Reports that would have followed, had training not ended there."""
_SAID_PLANS: Final = {"step": "loop.steps_said", "epoch": "loop.epochs_said"}
_COUNTED_PLAN: Final = ("loop.planned", "loop.total_steps")
"""Lines that say how long training is to be, not where it has to stop at the latest."""
_READ_LATE_NS: Final = 2_000_000_000
"""What is read of a process when it has ended was in its buffer."""
_QUARTER_NS: Final = 900_000_000_000
_QUARTERS: Final = 4 * 26
"""Zones are no farther apart."""
_AT_A_STEP_NS: Final = 10_000_000_000
"""Within this ranks tell of the same step."""
_SAME_STEPS: Final = 5
GOES_ON: Final = 2
"""Reports of greater steps that show that training goes on."""
_STOOD_NS: Final = 3_000_000_000
"""Longer than a process takes to leave that has nothing left to do."""
_READ_AHEAD: Final = 20
"""More batches than that are seldom read ahead of training."""
_LOST_A_WORKER: Final = frozenset(
    {"EOFError", "BrokenPipeError", "ConnectionResetError", "ConnectionRefusedError", "BrokenProcessPool", "Empty"}
)
"""What whoever talked to a process raises when that one has gone."""
_AFTER_ALL_LINES: Final = 2**62


@dataclass(frozen=True, eq=False)
class Story:
    """The run as its evidence tells it; only the last attempt counts, save where a name says ``all_``."""

    all_events: tuple[Row, ...]
    events: tuple[Row, ...]
    crashes: tuple[Crash, ...]
    deaths: tuple[Death, ...]
    all_steps: pl.DataFrame
    steps: pl.DataFrame
    attempts: pl.DataFrame
    one_stream: bool
    watched: frozenset[str] = frozenset()
    """Nodes on which a recorder saw the job's processes, so that a pid in the kernel's log can be told ours or not."""
    by_python: bool = False
    """The wrapped command is a Python program of the job's: its status is that of the training."""
    left_behind: tuple[Crash, ...] = ()
    """Crashes of earlier ones of several trainings that ran one after the other."""
    killed_before: tuple[Death, ...] = ()
    """Deaths by a signal of earlier ones of several trainings that ran one after the other, as a shell told them."""
    lived_through: frozenset[tuple[str, int]] = frozenset()
    """Nodes and pids of recorded processes that were there when the first step was reported."""
    last_word: Row | None = None
    """An end of a process by which a log ends, behind a status 0, where nothing says that all was done."""
    beside: tuple[Crash, ...] = ()
    """Crashes of other programs, by their logs, beside a training that came to its planned end."""
    handled: tuple[Crash, ...] = ()
    """Tracebacks of what the program caught, and went on."""
    counted: Counted | None = None
    """What lines counted of a run whose progress no reader knows."""
    timed_out: frozenset[tuple[str, int]] = frozenset()
    """Nodes and pids of recorded processes that a timeout command killed."""
    after_all: Death | None = None
    """The bad status of a script whose programs all left well, when all was done: of whatever it ran last."""

    # --- asking --------------------------------------------------------------------------------------------------
    def of(self, *kinds: Kind) -> list[Row]:
        """Events of these kinds in the last attempt, in order."""
        wanted = {str(kind) for kind in kinds}
        return [row for row in self.events if row["kind"] in wanted]

    @property
    def loads(self) -> list[Row]:
        """Words of a load in the last attempt, begun or done: who speaks of one did not begin from nothing."""
        return self.of(Kind.CHECKPOINT_LOADED, Kind.CHECKPOINT_LOAD_BEGIN)

    def crashes_of(self, *causes: Cause) -> list[Crash]:
        """Fatal tracebacks with one of these causes, in order."""
        return [crash for crash in self.crashes if crash.cause.cause in causes]

    @property
    def first_step(self) -> int | None:
        """Lowest step the last attempt reported."""
        return None if self.steps.is_empty() else self._edge("min")

    @property
    def last_step(self) -> int | None:
        """Highest step the last attempt reported."""
        return None if self.steps.is_empty() else self._edge("max")

    def _edge(self, which: str) -> int | None:
        # A tracker's counter that need not count steps says nothing where another one does.
        counted = self.steps.filter(pl.col("kind").ne_missing(str(Kind.TRACKED)))["step"].drop_nulls()
        column = self.steps["step"].drop_nulls() if counted.is_empty() else counted
        if column.is_empty():
            return None
        value = column.min() if which == "min" else column.max()
        return int(value)  # type: ignore[arg-type]

    def only_evaluated_below(self, row: Row) -> bool:
        """Whether all that was reported are evaluations below a line, by another command than the one that died."""
        line = row.get("line_seq")
        if line is None or self.steps.is_empty():
            return False
        below = same_stream(row) & (pl.col("line_seq") > line) & pl.col("kind").eq_missing(str(Kind.VALIDATION))
        return self.steps.filter(below).height == self.steps.height

    def came_to(self, row: Row) -> int | None:
        """The last step that whoever a row is about had reported; None where several count, and which is not told."""
        told = self.steps.filter(pl.col("step").is_not_null())
        if "said_by" in row and row["ts_ns"] is not None:
            # Who took the place of a process that died may have come farther.
            before = told.filter(pl.col("ts_ns") <= row["ts_ns"] + _READ_LATE_NS)
            told = told if before.is_empty() else _since_it_began_anew(before)
        counted = told.filter(pl.col("kind").ne_missing(str(Kind.TRACKED)))
        told = told if counted.is_empty() else counted
        beside = told.filter(same_stream(row))
        if (rank := _who(row)) is not None:
            own = told.filter(pl.col("rank") == rank)
            beside = beside.filter(pl.col("rank").is_null()) if own.is_empty() else own
        mine = told if beside.is_empty() else beside  # one of them reports for all
        if self.of(Kind.LEFT_BEHIND) or _take_turns(mine):
            return None
        # What prints in two ways is one process still; what counts in one way and elsewhere is another.
        farthest = mine.group_by("framework", "node", "source", "rank").agg(pl.col("step").max())
        if farthest.select("framework", "step").unique()["framework"].is_duplicated().any():
            return None
        return int(farthest["step"].max())  # type: ignore[arg-type]

    @property
    def total_steps(self) -> int | None:
        """Planned steps of the whole run, as the job said at its highest step; None for a count within an epoch.

        Where no report tells it, what a line said that training was to be.
        """
        if self.last_step is None:
            return None
        planned = self.steps.filter(pl.col("step").is_not_null() & pl.col("total_steps").is_not_null())
        rows = planned.filter(pl.col("step") == self.last_step)
        if rows.is_empty():  # the last word of a loop may leave it out
            rows = planned.sort("step").tail(1).filter(pl.col("total_steps") >= self.last_step)
        # "Epoch 3 [10/10]" and a bar an epoch count within the epoch; these two trainers print the whole run's count,
        # trackers are told it, and Keras' reports of an epoch are given it.
        whole = pl.col("framework").is_in(["huggingface", "megatron"])
        whole |= (pl.col("framework") == "keras") & (pl.col("kind") == str(Kind.EPOCH))
        whole |= (pl.col("kind") == str(Kind.EPOCH)) & (pl.col("step") == pl.col("epoch"))
        whole |= pl.col("total_epochs").is_not_null()
        printed = pl.col("line_seq").is_not_null() & ~whole
        told = rows.filter(pl.col("epoch").is_null() | ~printed)
        return self._said_plan if told.is_empty() else int(told["total_steps"][-1])

    @property
    def _said_plan(self) -> int | None:
        said = [row["num"] for row in self.events if row["pattern"] == _SAID_PLANS.get(self.unit) and row["num"]]
        said += [row["num"] for row in self.events if row["pattern"] in _COUNTED_PLAN and self.unit == "step"]
        # A stage of its own, or a part that goes on from a checkpoint, may be shorter than what was done.
        plan = max(said, default=0)
        return int(plan) if self.last_step is not None and plan >= self.last_step else None

    @functools.cached_property
    def unit(self) -> str:
        """What its count counts: "step", or "epoch" where nothing else was counted, or "trial" of a search."""
        counted = self.steps.filter(pl.col("step").is_not_null())
        if counted.height and (counted["framework"] == "search").fill_null(value=False).all():
            return "trial"
        same = (counted["step"] == counted["epoch"]).fill_null(value=False).all()
        plain = counted.height > GOES_ON or (counted["kind"] == str(Kind.EPOCH)).all()
        return "epoch" if counted.height and same and plain else "step"

    @functools.cached_property
    def counted_in(self) -> str:
        """What its count is called: its ``unit``, or "sample" where the reports number those and no steps."""
        counted = self.steps.filter(pl.col("step").is_not_null() & (pl.col("kind") == str(Kind.STEP)))
        sampled = counted.height > 0 and (counted["framework"] == SAMPLED).fill_null(value=False).all()
        return "sample" if sampled else self.unit

    @functools.cached_property
    def from_zero(self) -> int:
        """By how much a count is more than its last number: 1 of epochs, trials and trees that are counted from 0."""
        told = self.steps.filter(pl.col("step").is_not_null())
        trees = told.height > 0 and bool((told["framework"] == "boosting").fill_null(value=False).all())
        if trees and told.height > GOES_ON:  # reports may be of each tenth tree; the last is told in any case
            one_before = math.gcd(*(step + 1 for step in told["step"][:-1].to_list()))
            return int(self.first_step == 0 or one_before == told["step"].diff().median() != 1)
        return int((self.unit != "step" or trees) and self.first_step == 0)

    @property
    def uncounted(self) -> bool:
        """Whether losses are all that was reported, and nothing counts them."""
        return self.steps.height > 0 and (self.steps["framework"] == UNNUMBERED).fill_null(value=False).all()

    @functools.cached_property
    def last_planned(self) -> Row | None:
        """The report of the last step, where it was the last planned one."""
        if self.last_step is None:
            return None
        done = self.steps.filter((pl.col("step") == self.last_step) & (pl.col("step") >= pl.col("total_steps")))
        return None if done.is_empty() else done.row(-1, named=True)

    @functools.cached_property
    def progressed(self) -> bool:
        """True when the last attempt did at least one step of training."""
        if self.steps.is_empty():
            return False
        with_loss = self.steps.filter(pl.col("loss").is_not_null())
        return not with_loss.is_empty() or (self.last_step or 0) > 0

    @property
    def phase(self) -> str | None:
        """The sub-mode of a crash: "mid_run", "startup", or None where it may have been either."""
        return "mid_run" if self.progressed else "startup" if self.counted is None else None

    @functools.cached_property
    def ranks(self) -> tuple[int, ...]:
        """Every rank that anything was told about."""
        seen = {row["rank"] for row in self.events if row["rank"] is not None}
        seen |= {death.row["rank"] for death in self.deaths if death.row["rank"] is not None}
        seen |= {rank for crash in self.crashes for rank in crash.ranks}
        seen |= set(self.steps["rank"].drop_nulls().to_list())
        return tuple(sorted(seen))

    # --- the end -------------------------------------------------------------------------------------------------
    @functools.cached_property
    def end_status(self) -> Death | None:
        """How the whole command ended: the wrapper's or the user's word first, then the scheduler's; None: unknown.

        A tracker comes last: it saw only the process that logged.
        """
        order = ("wrapper", "user", "slurm", SYSTEMD, "shell", "tracker")
        whole = [
            death
            for death in self.deaths
            if death.row["said_by"] in order
            and death.row["rank"] is None
            and death.row["role"] in ("task", "job", None)
            # A shell tells of one command of a script; only a batch system's exit code is that of the whole.
            and (death.row["said_by"] != "shell" or death.row["exit_code"] is not None)
        ]
        if not whole:
            return None
        best = min(order.index(d.row["said_by"]) for d in whole)
        said = [d for d in whole if order.index(d.row["said_by"]) == best]
        bad = [d for d in said if d.term_signal or d.exit_code]
        return (bad or said)[0]

    @property
    def ended_well(self) -> bool | None:
        """True or False when the exit status of the whole command is known."""
        end = self.end_status
        return None if end is None else not end.term_signal and not end.exit_code

    @functools.cached_property
    def crashed_unseen(self) -> list[Row]:
        """The kernel's word on processes of the job that it saw die behind a status 0, after which no work was told.

        A pipe, or the next command of a script, has a status of its own. A run that came to its planned end lost a
        helper at most.
        """
        ends = self.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.MODEL_SAVED)
        last = self.steps["ts_ns"].max()
        if not self.ended_well or self.last_planned is not None or ends or not isinstance(last, int):
            return []
        return [
            row
            for row in self.of(Kind.SEGFAULT, Kind.OOM_KILLER, Kind.CGROUP_OOM)
            if row["source"] == "kernel_log" and row["num"] is not None and row["node"] in self.watched
            if row["ts_ns"] is not None and row["ts_ns"] >= last
        ]

    # --- what began it -------------------------------------------------------------------------------------------
    @functools.cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Candidates for the initiating failure, earliest first; echoes of other ranks' deaths are not among them."""
        found = [
            Failure(crash.cause, crash.root, "fact_exceptions", crash=crash)
            for crash in self.crashes
            if crash.cause.cause not in ECHOES
        ]
        crashed = {_who(failure.row) for failure in found}
        timed_out = {
            _who(row) for row in self.of(Kind.COLLECTIVE_TIMEOUT, Kind.WATCHDOG_STUCK, Kind.RENDEZVOUS_TIMEOUT)
        }
        found.extend(
            Failure(CauseKind(Cause.INTERRUPT), death.row, "fact_exits", death=death)
            for death in self.deaths
            if (death.term_signal in LETHAL or _out_of_cpu_time(death))
            and not self._explained(death, crashed, timed_out)
            and not self.by_tear_down(death)
            and not self._stranger(death, crashed=bool(found))
            and not self._after_the_plan(death)
            and not self._made_good(death)
            and not self._outlived(death, found)
            and not self._sums_up(death)
            and not self._of_whom(death)
            and not self._of_a_helper(death)
            and (death.row["node"], death.row["pid"]) not in self.done_without
            and not self.out_of_time(death)
        )
        return tuple(sorted(found, key=lambda failure: self.order(failure.row)))

    def torn_down(self, row: Row) -> bool:
        """True for what the scheduler reports after srun had begun to end the step: a consequence of an earlier end."""
        if row.get("said_by") != "slurm" and row.get("framework") != "slurm":
            return False
        begun = [event for event in self.of(Kind.STEP_ABORT) if event["framework"] == "slurm"]
        return bool(begun) and bool(self.earlier(begun[0], row))

    def by_tear_down(self, death: Death) -> bool:
        """True for a death that srun caused by ending the step.

        srun sends SIGKILL, so a fault of the process's own is none. Where every rank that ended by itself had lost a
        peer, the rank that srun reports as killed, however late, is that peer.
        """
        if death.term_signal in NATIVE or not self.torn_down(death.row):
            return False
        orphans = {_who(crash.shown) for crash in self.crashes if crash.cause.cause is Cause.PEER_LOST}
        left = {_who(other.row) for other in self.deaths if other.exit_code and other.row["rank"] is not None}
        return not left or not left <= orphans

    def _stranger(self, death: Death, *, crashed: bool) -> bool:
        """True for a kill in a kernel log that nothing ties to this run, which ended well or by a failure it told."""
        if death.row["said_by"] != "kernel" or self.watched or death.row["rank"] is not None:
            return False
        if any(o.row["pid"] == death.row["pid"] for o in self.deaths if o is not death and o.row["pid"] is not None):
            return False
        if self.of(Kind.SLURM_OOM, Kind.DATALOADER_WORKER_DIED):
            return False
        return self.ended_well is True or crashed

    def _after_the_plan(self, death: Death) -> bool:
        """True for a death that a line tells of and that cost nothing: all that was planned was done, and ended well.

        A script's helper was killed when training was over, or while the count of the same training went on; or the
        line stands in a text that the program printed.
        """
        by_a_line = death.row["line_seq"] is not None and death.row["said_by"] not in ("kernel", "slurm")
        if self.ended_well is True and self._left_standing(death):
            return True
        if not by_a_line or self.ended_well is not True:
            return False
        ended = self.last_planned is not None or self.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY)
        if self._announced_before(death.row) or (self.by_python and death.row["said_by"] == "shell" and ended):
            return True
        if (done := self.last_planned) is None:
            return False
        if self.earlier(done, death.row) is True:
            return True
        if self._of_an_attempt_before(done, death.row):
            return True
        mine = self.steps.filter(
            (pl.col("node") == death.row["node"])
            & pl.col("source").eq_missing(death.row["source"])
            & pl.all_horizontal(pl.col(name).eq_missing(done[name]) for name in ("kind", "framework", "total_steps"))
        )
        before = mine.filter(pl.col("line_seq") < death.row["line_seq"])["step"].max()
        after = mine.filter(pl.col("line_seq") > death.row["line_seq"])["step"].min()
        return isinstance(after, int) and (before is None or after > before)  # type: ignore[operator]

    def _left_standing(self, death: Death) -> bool:
        """True for a process killed long after it had done and said all, which would not end by itself."""
        said = [end["ts_ns"] for end in self.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY) if end["ts_ns"] is not None]
        at = death.row["ts_ns"]
        if self.last_planned is None or not said or at is None or death.term_signal != signal.SIGKILL:
            return False
        if death.row["rank"] is not None or death.row["said_by"] == "slurm":
            return False
        return bool(at - max(said) >= _STOOD_NS)

    def _made_good(self, death: Death) -> bool:
        """True for a death after which all that was planned was done, and all ended well: another took its place.

        Where no plan was told, training went farther than before, and said that it was over.
        """
        done, at = self.last_planned, death.row["ts_ns"]
        if self.ended_well is not True or at is None:
            return False
        if done is not None:
            return done["ts_ns"] is not None and bool(done["ts_ns"] > at)
        said = [end["ts_ns"] for end in self.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY) if end["ts_ns"] is not None]
        late = pl.col("ts_ns") > at + _READ_LATE_NS
        before, after = self.steps.filter(~late)["step"].max(), self.steps.filter(late)["step"].max()
        farther = isinstance(after, int) and (before is None or after > before)  # type: ignore[operator]
        return farther and max(said, default=at) > at

    def _of_an_attempt_before(self, done: Row, row: Row) -> bool:
        """True where the attempt that did all that was planned began after a line, and an earlier one told of steps."""
        if row["ts_ns"] is None or done["ts_ns"] is None or row["source"] == done["source"]:
            return False
        told = self.all_steps.filter(same_stream(done), pl.col("ts_ns").is_not_null())
        own = told.filter(pl.col("attempt") == done["attempt"])["ts_ns"].min()
        before = told.filter(pl.col("attempt") < done["attempt"]) if done["attempt"] is not None else told.clear()
        return isinstance(own, int) and own > row["ts_ns"] and not before.is_empty()

    def reports_after(self, row: Row, until: int | None = None) -> int:
        """How many reports of steps stand below a line in its stream, and above line ``until``, where given."""
        below = pl.col("line_seq") > row["line_seq"]
        below = below if until is None else below & (pl.col("line_seq") < until)
        return self.steps.filter(same_stream(row) & below).height

    def _announced_before(self, row: Row) -> bool:
        """True where the end of training was announced before, and nothing trained since."""
        ends = [end for end in self.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY) if self.earlier(end, row)]
        if not ends:
            return False
        line = ends[-1]["line_seq"]
        return line is not None and not self.reports_after(ends[-1])

    def _outlived(self, death: Death, crashes: list[Failure]) -> bool:
        """True for a line that names no process, after which training went on, until it ended well or by a crash.

        Who was killed was no rank of it; or the line stands in a text that the program printed.
        """
        row = death.row
        if row["line_seq"] is None or row["said_by"] != "shell" or row["rank"] is not None or row["pid"] is not None:
            return False
        mine = self.steps.filter(same_stream(row))
        before = mine.filter(pl.col("line_seq") < row["line_seq"])["step"].max()
        after = mine.filter(pl.col("line_seq") > row["line_seq"])
        if before is not None:
            after = after.filter(pl.col("step") > before)
        told_on = after.height if before is not None else 0
        if told_on < GOES_ON and not (told_on and self._said_and_outlived(row, mine)):
            return False
        return self.ended_well is True or any(
            crash.row.get("line_seq") is not None
            and crash.row["source"] == row["source"]
            and crash.row["line_seq"] > after["line_seq"][0]
            for crash in crashes
        )

    @functools.cached_property
    def done_without(self) -> frozenset[tuple[str, int]]:
        """Nodes and pids of processes, no ranks, long after whose death training reported on, until another end came.

        Ranks that lose one of them report no more, and whoever needs a worker meets its death within what was read
        ahead. Without another end the death may still be what the run ended of.
        """
        dead = [d.row for d in self.deaths if d.term_signal in LETHAL and d.row["said_by"] != "wrapper"]
        return frozenset(
            (row["node"], row["pid"])
            for row in dead
            if row["ts_ns"] is not None and row["pid"] is not None and row["rank"] is None and not self.ranks
            if self._ended_otherwise_long_after(row["ts_ns"])
        )

    def _ended_otherwise_long_after(self, at: int) -> bool:
        timed = self.steps.filter(pl.col("ts_ns").is_not_null() & pl.col("step").is_not_null())
        before = timed.filter(pl.col("ts_ns") <= at)["step"].max()
        later = timed.filter((pl.col("ts_ns") > at) & (pl.col("step") > (-1 if before is None else before)))["ts_ns"]
        if later.n_unique() < _READ_AHEAD:
            return False
        end, last = self.end_status, int(later.max())  # type: ignore[arg-type]
        by_a_signal = end is not None and (end.term_signal is not None or end.exit_code == TIMEOUT_STATUS)
        return by_a_signal or any(
            crash.root["ts_ns"] is not None
            and crash.root["ts_ns"] >= last
            and crash.cause.cause not in ECHOES
            and str(crash.shown["exc_type"]).rpartition(".")[2] not in _LOST_A_WORKER
            for crash in self.crashes
        )

    def out_of_time(self, death: Death) -> bool:
        """True for a death of a limit: timeout's kill of what did not obey it and of itself, or the job's own alarm."""
        end = self.end_status
        whole = end is not None and end.term_signal == signal.SIGALRM and end.row["said_by"] == "wrapper"
        mine = (death.row["node"], death.row["pid"])
        return (whole and death.term_signal == signal.SIGALRM) or mine in self.timed_out

    def _said_and_outlived(self, row: Row, steps: pl.DataFrame) -> bool:
        """True where the very line stood there before, and training went on after it."""
        same = [death.row["line_seq"] for death in self.deaths if death.row["text"] == row["text"]]
        first = min((seq for seq in same if seq is not None), default=row["line_seq"])
        return bool(first < row["line_seq"] and steps["line_seq"].is_between(first, row["line_seq"]).sum() >= GOES_ON)

    def _sums_up(self, death: Death) -> bool:
        """True for the scheduler's word on the whole job where srun told of each task: a script passes that on."""
        return (
            death.row["said_by"] == "slurm"
            and death.row["rank"] is None
            and any(other.row["said_by"] == "slurm" and other.row["rank"] is not None for other in self.deaths)
        )

    def _of_whom(self, death: Death) -> bool:
        """True for a shell's word on a command that may be a helper's, behind a status 0 and after the last report."""
        row = death.row
        if row["said_by"] != "shell" or row["line_seq"] is None or row["rank"] is not None or not self.ended_well:
            return False
        if self._after_the_plan(death) or (self._short_of_the_plan and _RUNS_PYTHON.search(str(row["text"]))):
            return False
        return is_of_another(row) and (row["node"], row["pid"]) not in self.lived_through

    def _of_a_helper(self, death: Death) -> bool:
        """True for a shell's word on a command that does not train, where the script's own status is not known.

        It is a known tool; or training had said that it was over; or it went on afterwards.
        """
        row = death.row
        if row["said_by"] != "shell" or row["line_seq"] is None or row["rank"] is not None:
            return False
        if self.ended_well is not None or not is_of_another(row):
            return False
        return is_of_a_tool(row) or self._announced_before(row) or self._count_went_on(row)

    def _count_went_on(self, row: Row) -> bool:
        """True where several reports below a line are of greater steps than all above it."""
        mine = self.steps.filter(same_stream(row) & pl.col("step").is_not_null())
        before = mine.filter(pl.col("line_seq") < row["line_seq"])["step"].max()
        after = mine.filter(pl.col("line_seq") > row["line_seq"])["step"]
        return before is not None and len(after) >= GOES_ON and bool((after > before).all())

    @functools.cached_property
    def _short_of_the_plan(self) -> bool:
        """True where many more reports were due: whoever was killed then, training ended with it."""
        reported = self.steps["step"].drop_nulls().unique().sort()
        if self.total_steps is None or self.last_step is None or self.of(*_SAID_ITS_END, Kind.FAREWELL):
            return False
        usual = reported.diff().median()
        return isinstance(usual, float) and self.total_steps - self.last_step > _DUE * usual

    @functools.cached_property
    def deaths_of_whom(self) -> list[Death]:
        """Processes that ended by their own fault, of which nobody knows whether they trained."""
        return [death for death in self.deaths if death.term_signal in LETHAL and self._of_whom(death)]

    def _explained(self, death: Death, crashed: set[Any], timed_out: set[Any]) -> bool:
        """True when the process died by its own, already told, failure: a traceback or a watchdog's abort."""
        who = _who(death.row)
        if death.term_signal != signal.SIGABRT:
            return False
        if who is None:
            # What .NET, or Rust as it may be set, does about an error nobody caught is to abort.
            return bool(crashed or timed_out or self.of(Kind.UNCAUGHT))
        return who in crashed or who in timed_out or None in crashed or None in timed_out

    @property
    def first(self) -> Failure | None:
        """The initiating failure: a signal death of a rank without a traceback of its own, or the first crash."""
        return self.failures[0] if self.failures else None

    def order(self, row: Row) -> tuple[int, int, int]:
        """Sort key in time: line order inside one stream, aligned time across streams."""
        line = row.get("line_seq")
        line = _AFTER_ALL_LINES if line is None else int(line)
        if self.one_stream:
            return (0, line, row["seq"])
        ts = row.get("ts_ns")
        zone = self._zones.get((row["node"], row.get("source")), 0) if line is not None and ts is not None else 0
        return (1 if ts is None else 0, int(ts or 0) - zone, line)

    @functools.cached_property
    def _zones(self) -> dict[tuple[str, str | None], int]:
        """By how much the clock of a log is ahead of the first one's, where one of them is in another zone.

        Ranks of one job come to a step at the same moment: reports of it that are whole quarters of an hour apart, all
        of them by the same, are told by clocks of two zones.
        """
        told = self.all_steps.filter(
            pl.col("ts_ns").is_not_null() & pl.col("step").is_not_null() & pl.col("line_seq").is_not_null()
        )
        if told.select("node", "source").unique().height < 2:
            return {}
        firsts = told.group_by("node", "source", "step").agg(pl.col("ts_ns").min())
        streams = firsts.partition_by("node", "source", as_dict=True, maintain_order=False)
        (_, whose), *others = sorted((str(key), key) for key in streams)
        found = {}
        for _, key in others:
            both = streams[whose].join(streams[key], on="step").select(ts_ns=pl.col("ts_ns_right") - pl.col("ts_ns"))
            apart = both["ts_ns"].median()
            if both.height < _SAME_STEPS or not isinstance(apart, float):
                continue
            quarters = round(apart / _QUARTER_NS)
            within = (both["ts_ns"] - quarters * _QUARTER_NS).abs().max()
            if quarters and isinstance(within, int) and within <= _AT_A_STEP_NS and abs(quarters) <= _QUARTERS:
                found[key[0], key[1]] = quarters * _QUARTER_NS
        return found

    def earlier(self, first: Row, second: Row) -> bool | None:
        """Whether one row came before another; None when no clock relates them."""
        streams = [(row["node"], row.get("source")) for row in (first, second)]
        one, other = first.get("line_seq"), second.get("line_seq")
        if streams[0] == streams[1] and one is not None and other is not None:
            return bool(one < other)
        if "metrics" in (told_by(first), told_by(second)):
            known = first.get("ts_ns") is not None and second.get("ts_ns") is not None
            return bool(first["ts_ns"] < second["ts_ns"]) if known else None
        if not self.one_stream and (first.get("ts_ns") is None or second.get("ts_ns") is None):
            return None
        return self.order(first) < self.order(second)


def _since_it_began_anew(told: pl.DataFrame) -> pl.DataFrame:
    """Of reports of trainings in turn, folds in processes of their own, those of the last one."""
    place, step = ["node", "source", "rank", "framework"], pl.col("step")
    anew = (step < step.shift()) & (2 * step <= step.cum_max())
    parts = told.sort("ts_ns", "line_seq", nulls_last=True).with_columns(
        part=anew.fill_null(value=False).cum_sum().over(place)
    )
    return parts.filter(pl.col("part") == pl.col("part").max().over(place)).drop("part")


def _take_turns(told: pl.DataFrame) -> bool:
    """Whether the counts of several, which no name tells apart, go to and fro by more than a report or two."""
    place = ["node", "source", "rank", "framework", "kind"]
    apart = (
        told.sort("line_seq", "seq", nulls_last=True)
        .select(*place, by=pl.col("step").diff().over(place))
        .drop_nulls("by")
    )
    usual = apart.filter(pl.col("by") > 0)["by"].median()
    falls = apart.filter(pl.col("by") < -GOES_ON * usual) if isinstance(usual, float) else apart.clear()
    return bool((falls.group_by(place).len()["len"] > GOES_ON).any())


def _who(row: Row) -> int | None:
    rank = row.get("rank")
    return None if rank is None else int(rank)


def _out_of_cpu_time(death: Death) -> bool:
    """True where a shell tells of a limit on CPU time; a scheduler sends the same signal as a warning."""
    return death.term_signal == signal.SIGXCPU and death.row["said_by"] == "shell"


def when(story: Story, row: Row | None = None) -> str:
    """Where in training, for a headline, with a blank before it: at step 41, or before the first step.

    What lines count that no reader knows may be steps.

    Args:
        story: The run.
        row: What happened to one process: what others reported is no word on how far that one had come.
    """
    if row is not None and story.only_evaluated_below(row):
        return " before the first step"
    if not story.progressed:
        return " before the first step" if story.counted is None else f" after it had counted to {story.counted.number}"
    if story.last_step is None:
        return f" after {story.steps.height} reports of training"  # Hugging Face's bear no step
    if row is not None and (part := _begun_below(story, row)) is not None:
        return f" before the first step of {part}"
    step = story.last_step if row is None else _before_the_next(story, row) or story.came_to(row)
    if step is not None and row is not None and story.counted_in == "step":
        step = max(step, saved_above(story, row, step))
    return " after training had begun" if step is None else f" at {story.counted_in} {step}"


def saved_above(story: Story, row: Row, step: int) -> int:
    """The step of a checkpoint that was saved between the last report and a line; 0 where none was.

    No further from it than a report is from the next: what counts samples has higher numbers.
    """
    if row.get("line_seq") is None:
        return 0
    mine = story.all_steps.filter(same_stream(row) & (pl.col("line_seq") < row["line_seq"]))
    apart, last = mine["step"].drop_nulls().unique().sort().diff().max(), mine["line_seq"].max()
    if not isinstance(apart, int) or last is None:
        return 0
    saved = [
        int(each["num"])
        for each in story.all_events
        if each["kind"] == Kind.CHECKPOINT_SAVED and each["num_unit"] == "step" and each["num"] is not None
        if each["source"] == row["source"] and each["node"] == row["node"]
        if each["line_seq"] is not None and last < each["line_seq"] < row["line_seq"]
    ]
    return max((number for number in saved if step < number <= step + apart), default=0)


def _begun_below(story: Story, row: Row) -> str | None:
    """The part of the job whose heading stands between the last report and a line, so that it had reported nothing."""
    line = row.get("line_seq")
    if line is None or row.get("rank") is not None:
        return None
    told = story.all_steps.filter(same_stream(row) & (pl.col("line_seq") < line))["line_seq"].max()
    heads = [
        str(each["subject"])
        for each in story.all_events
        if each["kind"] == Kind.NEXT_RUN and each["source"] == row["source"] and each["node"] == row["node"]
        if told is not None and each["line_seq"] is not None and told < each["line_seq"] < line
        if not _SAYS_ITS_END.search(str(each["text"]))
    ]
    return " ".join(heads[-1].split())[:_NAME] if heads else None


def _before_the_next(story: Story, row: Row) -> int | None:
    """The last step that one of several trainings in turn reported, where a row is of one before the last."""
    if row.get("line_seq") is None or row.get("attempt") is None:
        return None
    mine = story.all_steps.filter(same_stream(row) & pl.col("step").is_not_null())
    if mine["attempt"].max() in (None, row["attempt"]) or story.first is not None:
        return None
    told = mine.filter((pl.col("attempt") == row["attempt"]) & (pl.col("line_seq") < row["line_seq"]))
    return None if told.is_empty() else int(told["step"].max())  # type: ignore[arg-type]


_NAME: Final = 60
_SAYS_ITS_END: Final = re.compile(r"(?i)\b(?:finished|done|complete[d]?|ended|over|took)\b")
