"""What happened, told once for all families: the last attempt's events, crashes and deaths in their order.

Families ask this module instead of each reading the fact tables its own way, so that two families can never see two
different first failures. Everything here is derived from fact tables, sorted before use, and cached for one evidence.
"""

from __future__ import annotations

import functools
import re
import signal
import weakref
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._announced import announced
from inquest.analyze.families._causes import Cause, classify, is_relay
from inquest.analyze.families._causes import Kind as CauseKind
from inquest.analyze.families._counted import Counted, counted
from inquest.analyze.families._pods import of_other_pods
from inquest.analyze.families._swallowed import is_of_another, is_python_itself, last_word, lived_through
from inquest.analyze.families._units import SYSTEMD, of_other_units
from inquest.analyze.families._window import every_run
from inquest.analyze.logs.kinds import UNNUMBERED, Kind
from inquest.analyze.metrics import TRACKER
from inquest.analyze.model import Failing
from inquest.analyze.programs import all_left_well
from inquest.bundle.hostlist import assigned, is_cut
from inquest.bundle.logs_import import NODE as UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import StoreName

Row = dict[str, Any]

LETHAL: Final = frozenset(
    {
        *(signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE),
        *(signal.SIGALRM, signal.SIGTRAP, signal.SIGSYS),
    }
)
"""Signals that nobody sends to end a run in order."""

NATIVE: Final = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE})
"""Signals a process raises by its own fault."""

ORDERLY: Final = frozenset(
    {signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU}
)
"""Signals by which a person, a launcher or a scheduler asks a process to end."""

TIMEOUT_STATUS: Final = 124
"""Exit status of timeout(1) when its limit was reached."""

_LOOPBACK: Final = (None, "", "localhost", "localhost.localdomain", "127.0.0.1")
"""Names by which a source says no more than "here"."""

_SAID_ITS_END: Final = (Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.MODEL_SAVED, Kind.EARLY_STOP, Kind.PLANNED_EXIT)
_RUNS_PYTHON: Final = re.compile(r"\bpython[\d.]{0,8} ")
_DUE: Final = 4
"""Reports that would have followed, had training not ended there."""
_SAID_PLANS: Final = {"step": "loop.steps_said", "epoch": "loop.epochs_said"}
_COUNTED_PLAN: Final = "loop.planned"
"""Lines that say how long training is to be, not where it has to stop at the latest."""
_KERNEL_KILLS: Final = (Kind.CGROUP_OOM, Kind.OOM_KILLER, Kind.SEGFAULT)
_RUN_OF_RANKS: Final = 4
"""Neighbours from which on a sentence names the first and the last."""

_READ_LATE_NS: Final = 2_000_000_000
"""What is read of a process when it has ended was in its buffer."""
_GOES_ON: Final = 2
"""Reports of greater steps that show that training goes on."""
_EXIT_MINUS_TWO: Final = 254
_AFTER_ALL_LINES: Final = 2**62
_ECHOES: Final = frozenset({Cause.LAUNCHER, Cause.INTERRUPT, Cause.PEER_LOST})


@dataclass(frozen=True, slots=True)
class Crash:
    """One fatal traceback: ``root`` is where the chain began, ``shown`` the exception its process died with."""

    cause: CauseKind
    root: Row
    shown: Row
    speaking: Row
    """The exception of the chain that decided ``cause``."""
    ranks: tuple[int, ...] = ()
    """Ranks that failed with the same signature."""
    streams: int = 1
    """Logs in which a process that no rank is told of failed with the same signature."""

    @property
    def title(self) -> str:
        """Type and first line of the message, short enough for a headline."""
        return exception_title(self.shown)


@dataclass(frozen=True, slots=True)
class Death:
    """One process that ended badly, as one source reports it."""

    row: Row
    term_signal: int | None
    exit_code: int | None

    @property
    def signal_name(self) -> str:
        """SIGKILL and the like; "signal N" for a number without a name."""
        return signal_name(self.term_signal or 0)


@dataclass(frozen=True, slots=True)
class Failure:
    """A candidate for what began the trouble."""

    cause: CauseKind
    row: Row
    table: str
    crash: Crash | None = None
    death: Death | None = None


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
    lived_through: frozenset[tuple[str, int]] = frozenset()
    """Nodes and pids of recorded processes that were there when the first step was reported."""
    last_word: Row | None = None
    """An end of a process by which a log ends, behind a status 0, where nothing says that all was done."""
    handled: tuple[Crash, ...] = ()
    """Tracebacks of what the program caught, and went on."""
    counted: Counted | None = None
    """What lines counted of a run whose progress no reader knows."""
    after_all: Death | None = None
    """The bad status of a script whose programs all left well, when all was done: of whatever it ran last."""

    # --- asking --------------------------------------------------------------------------------------------------
    def of(self, *kinds: Kind) -> list[Row]:
        """Events of these kinds in the last attempt, in order."""
        wanted = {str(kind) for kind in kinds}
        return [row for row in self.events if row["kind"] in wanted]

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
        rows = self.steps.filter((pl.col("step") == self.last_step) & pl.col("total_steps").is_not_null())
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
        said += [row["num"] for row in self.events if row["pattern"] == _COUNTED_PLAN and self.unit == "step"]
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
        plain = counted.height > _GOES_ON or (counted["kind"] == str(Kind.EPOCH)).all()
        return "epoch" if counted.height and same and plain else "step"

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
            if crash.cause.cause not in _ECHOES
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
        if told_on < _GOES_ON and not (told_on and self._said_and_outlived(row, mine)):
            return False
        return self.ended_well is True or any(
            crash.row.get("line_seq") is not None
            and crash.row["source"] == row["source"]
            and crash.row["line_seq"] > after["line_seq"][0]
            for crash in crashes
        )

    def _said_and_outlived(self, row: Row, steps: pl.DataFrame) -> bool:
        """True where the very line stood there before, and training went on after it."""
        same = [death.row["line_seq"] for death in self.deaths if death.row["text"] == row["text"]]
        first = min((seq for seq in same if seq is not None), default=row["line_seq"])
        return bool(first < row["line_seq"] and steps["line_seq"].is_between(first, row["line_seq"]).sum() >= _GOES_ON)

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
        return (1 if ts is None else 0, int(ts or 0), line)

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
    falls = apart.filter(pl.col("by") < -_GOES_ON * usual) if isinstance(usual, float) else apart.clear()
    return bool((falls.group_by(place).len()["len"] > _GOES_ON).any())


def _who(row: Row) -> int | None:
    rank = row.get("rank")
    return None if rank is None else int(rank)


def exception_title(row: Row, width: int = 160) -> str:
    """Type and first line of the message of a fact_exceptions row, cut at ``width`` characters.

    A line that only announces what follows (load_state_dict does) is followed by the next one.
    """
    kind = str(row["exc_type"] or "exception").rsplit(".", 1)[-1]
    lines = [line.strip() for line in str(row["message"] or "").splitlines() if line.strip()]
    message = " ".join(lines[: 2 if lines and lines[0].endswith(":") else 1])
    text = f"{kind}: {message}" if message else kind
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


def _out_of_cpu_time(death: Death) -> bool:
    """True where a shell tells of a limit on CPU time; a scheduler sends the same signal as a warning."""
    return death.term_signal == signal.SIGXCPU and death.row["said_by"] == "shell"


_SLURM_OOM: Final = 125


def signal_name(number: int) -> str:
    """Name of a signal number; 125 is none, but Slurm's word for memory that ran out (SIG_OOM, 253, of seven bits)."""
    if number == _SLURM_OOM:
        return "an out-of-memory kill (Slurm's 0:125)"
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def place(row: Row) -> str | None:
    """Node a fact is about: the host it names, else where it was read; None for an imported log."""
    host = row.get("host")
    node = row.get("node") if host in _LOOPBACK else host
    return None if node is None or node == UNKNOWN_NODE else str(node)


def failing(row: Row) -> Failing:
    """Where and when a fact was seen, as the verdict words it."""
    node = place(row)
    return Failing(rank=row.get("rank"), node=node, pid=row.get("pid"), ts_ns=row.get("ts_ns"))


def told_by(row: Row) -> StoreName:
    """Store a fact comes from: "metrics" where a tracker noted it, else "logs"."""
    if "said_by" in row:
        tracked = row["said_by"] == TRACKER
    elif "pattern" in row:
        tracked = str(row["pattern"]).startswith("metrics.")
    else:
        tracked = row["first_line_seq" if "first_line_seq" in row else "line_seq"] is None
    return "metrics" if tracked else "logs"


def who(row: Row) -> str:
    """The process as the subject of a sentence, for instance "Rank 3 on node02", as far as it is known."""
    node, rank = place(row), row.get("rank")
    if rank is None:
        return f"A process on {node}" if node else "A process of the job"
    return f"Rank {rank} on {node}" if node else f"Rank {rank}"


def named(ranks: Iterable[int]) -> str:
    """Ranks as a sentence names them: "rank 3", "ranks 0, 1, 2", or "ranks 0-6, 8-511"."""
    ordered = sorted(set(ranks))
    runs: list[list[int]] = []
    for rank in ordered:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    told = (f"{run[0]}-{run[-1]}" if len(run) >= _RUN_OF_RANKS else ", ".join(map(str, run)) for run in runs)
    return f"rank{'s' if len(ordered) > 1 else ''} {', '.join(told)}"


def when(story: Story, row: Row | None = None) -> str:
    """Where in training, for a headline, with a blank before it: at step 41, or before the first step.

    What lines count that no reader knows may be steps.

    Args:
        story: The run.
        row: What happened to one process: what others reported is no word on how far that one had come.
    """
    if not story.progressed:
        return " before the first step" if story.counted is None else f" after it had counted to {story.counted.number}"
    if story.last_step is None:
        return f" after {story.steps.height} reports of training"  # Hugging Face's bear no step
    step = story.last_step if row is None else story.came_to(row)
    return " after training had begun" if step is None else f" at {story.unit} {step}"


_CACHE: weakref.WeakKeyDictionary[Evidence, Story] = weakref.WeakKeyDictionary()


def tell(ev: Evidence) -> Story:
    """The story of this evidence, worked out once."""
    story = _CACHE.get(ev)
    if story is None:
        story = _CACHE[ev] = _tell(ev)
    return story


def _tell(ev: Evidence) -> Story:
    attempts = ev.facts("fact_attempts")
    last = _judged_attempts(attempts)
    ours = _recorded_pids(ev)
    began, runs = _began(ev), every_run(ev)
    others = _of_other_jobs(ev) | of_other_pods(ev) | _outlived(ev, ours)
    units, job, nodes = of_other_units(ev), job_numbers(ev), _job_nodes(ev)
    all_events = tuple(
        row
        for row in ev.facts("fact_events").iter_rows(named=True)
        if not _foreign(row, ours) and not _before_the_job(row, began) and not _of_another_time(row, runs)
        if not _of_another_job(row, job) and not _of_another_node(row, nodes)
        if row["kind"] not in _KERNEL_KILLS or (row["node"], row["num"]) not in others
        if row["framework"] != SYSTEMD or (row["node"], row["source"]) not in units
    )
    all_events = _without_announcements(all_events, ev, others)
    logs = attempts.filter(pl.col("first_line_seq").is_not_null())
    sources = {(row["node"], row["source"]) for row in logs.iter_rows(named=True)}
    draft = Story(
        all_events=all_events,
        events=(),
        crashes=(),
        deaths=(),
        all_steps=ev.facts("fact_steps"),
        steps=ev.facts("fact_steps"),
        attempts=attempts,
        one_stream=len(sources) <= 1 and not _recorded(ev),
        watched=frozenset(ours),
    )
    events = sorted(_current(all_events, last), key=draft.order)
    if _status_zero(ev):
        events = _without_the_outlived(events, draft.all_steps)
    exceptions = _current(ev.facts("fact_exceptions").iter_rows(named=True), last)
    ends = [
        row
        for row in ev.facts("fact_exits").iter_rows(named=True)
        if not _foreign_exit(row, ours) and not _of_another_time(row, runs) and not _of_another_node(row, nodes)
        if row["said_by"] != "kernel" or (row["node"], row["pid"]) not in others
        if row["said_by"] != SYSTEMD or (row["node"], row["source"]) not in units
    ]
    if _status_zero(ev):
        ends = [row for row in ends if not _passed_by(row, draft.all_steps)]
    exits = sorted(_current(ends, last), key=draft.order)
    steps = _current_steps(draft.all_steps, last)
    raised = ev.facts("fact_exceptions").iter_rows(named=True)
    earlier = [row for row in raised if _of_an_earlier_training(row, attempts)]
    story = replace(
        draft,
        events=tuple(events),
        crashes=announced(ev, _crashes(exceptions, draft)),
        handled=announced(ev, _crashes(exceptions, draft, handled=True)),
        deaths=tuple(_death(row) for row in exits),
        steps=steps,
        lived_through=lived_through(ev, steps),
        by_python=is_python_itself(ev),
        left_behind=_crashes(earlier, draft),
    )
    unread = None if story.progressed else counted(ev)
    story = replace(story, counted=unread, last_word=last_word(ev, story))
    later = _after_all(ev, story)
    return story if later is None else replace(story, deaths=_without(story.deaths, later), after_all=later)


def _after_all(ev: Evidence, story: Story) -> Death | None:
    """The exit code of the wrapped script, where it is that of a command which it ran when all was done."""
    end = story.end_status
    if end is None or not end.exit_code or end.row["said_by"] != "wrapper" or story.by_python or story.crashes:
        return None
    done = story.last_planned is not None or story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY)
    others = [death for death in story.deaths if death is not end and (death.exit_code or death.term_signal)]
    return end if done and not others and all_left_well(ev.store) else None


def _without(deaths: tuple[Death, ...], one: Death) -> tuple[Death, ...]:
    return tuple(death for death in deaths if death is not one)


_TERMINAL: Final = frozenset(
    {
        *(Kind.TIME_LIMIT, Kind.NODE_FAILURE, Kind.COLLECTIVE_TIMEOUT, Kind.WATCHDOG_STUCK, Kind.SLURM_OOM),
        *(Kind.TASK_EXIT, Kind.LAUNCHER_FAILURE),
    }
)
"""What no process outlives: said in the middle of a training that goes on and ends well, it was said of another."""


_OFF_THE_BUS: Final = 79
"""The XID of a GPU that is gone: of another GPU, or a text, where the job's own log goes on."""


def _status_zero(ev: Evidence) -> bool:
    told = ev.facts("fact_exits").filter(pl.col("said_by").is_in(["wrapper", "user"]) & pl.col("rank").is_null())
    return not told.is_empty() and bool((told["exit_code"] == 0).fill_null(value=False).all())


def _without_the_outlived(events: list[Row], steps: pl.DataFrame) -> list[Row]:
    last = dict(steps.group_by("source").agg(pl.col("line_seq").max()).iter_rows())

    def terminal(row: Row) -> bool:
        lost = row["kind"] == Kind.GPU_LOST or (row["kind"] == Kind.XID and row["num"] == _OFF_THE_BUS)
        return row["kind"] in _TERMINAL or (lost and row["source"] != "kernel_log")

    def outlived(row: Row) -> bool:
        seq = row["line_seq"]
        return terminal(row) and seq is not None and seq < (last.get(row["source"]) or 0)

    # What was said and outlived several times ends nothing where it stands after the last step, either.
    said = Counter((row["source"], row["text"]) for row in events if outlived(row))
    return [
        row
        for row in events
        if not outlived(row) and not (terminal(row) and said[row["source"], row["text"]] >= _GOES_ON)
    ]


def _passed_by(row: Row, steps: pl.DataFrame) -> bool:
    """True for the end of another process that a line tells of, while the count of a training went on as before.

    Or began only afterwards: what is shown of an earlier job, or was tried again. On another stream than the steps, the
    line is held against them by the time at which it was read.
    """
    seq, at = row["line_seq"], row["ts_ns"]
    if seq is None or row["said_by"] == "kernel":
        return False
    mine = steps.filter(pl.col("node") == row["node"])
    own = mine.filter(pl.col("source").eq_missing(row["source"]))
    if not own.is_empty():
        earlier = (pl.col("line_seq") < seq) & pl.col("attempt").eq_missing(row["attempt"])
        before, after = own.filter(earlier)["step"].max(), own.filter(pl.col("line_seq") > seq)["step"].drop_nulls()
    elif at is not None:
        before, after = (
            mine.filter(pl.col("ts_ns") < at)["step"].max(),
            mine.filter(pl.col("ts_ns") > at)["step"].drop_nulls(),
        )
    else:
        return False
    return len(after) > _GOES_ON and (before is None or bool((after > before).all()))


def _recorded_pids(ev: Evidence) -> dict[str, set[int]]:
    """Process ids of the job by node, where a recorder watched them."""
    if not _recorded(ev):
        return {}
    scan = ev.scan("processes").filter(pl.col("role").ne_missing("outside"))
    rows = scan.select("node", "pid").drop_nulls().unique().sort("node", "pid").collect()
    found: dict[str, set[int]] = {}
    for node, pid in rows.iter_rows():
        found.setdefault(node, set()).add(pid)
    return found


def _began(ev: Evidence) -> dict[str, int]:
    """When the wrapped command began, by node, in UTC nanoseconds."""
    rows = (
        ev.scan("processes")
        .filter((pl.col("role") == "task") & (pl.col("event") == "start"))
        .group_by("node")
        .agg(pl.col("ts_ns").min())
        .drop_nulls()
        .collect()
    )
    return dict(rows.iter_rows())


def _before_the_job(row: Row, began: dict[str, int]) -> bool:
    """True for the kernel's word from before the job: a recorder keeps a minute of it, for context."""
    return (
        row["source"] == "kernel_log"
        and row["ts_ns"] is not None
        and row["node"] in began
        and row["ts_ns"] < began[row["node"]]
    )


def _of_other_jobs(ev: Evidence) -> frozenset[tuple[str, int]]:
    """Nodes and pids of processes that the kernel killed in the memory cgroup of another Slurm job than ours.

    Where Slurm accounts for the job, its processes are in nobody's login session, and in no service but Slurm's own.
    """
    jobs = ev.scan("slurm_jobs").select("job_id", "job_id_raw").collect()
    names = (*jobs["job_id"], *jobs["job_id_raw"], ev.info.job_id)
    ours = {number for name in names if name for number in re.findall(r"\d+", name)}
    if not ours or not ev.has("kernel_log"):
        return frozenset()
    text = pl.col("text")
    kills = ev.scan("kernel_log").filter(text.str.contains("task_memcg=", literal=True))
    told = kills.select(
        "node",
        job=text.str.extract(r"task_memcg=[^,]*/job_(\d+)"),
        beside=text.str.contains(_BESIDE_SLURM) & ~text.str.contains(_OF_SLURM) & (jobs.height > 0),
        pid=text.str.extract(r",pid=(\d{1,9})\b").cast(pl.Int64),
    ).drop_nulls("pid")
    return frozenset(
        (node, pid)
        for node, job, beside, pid in told.collect().iter_rows()
        if (beside if job is None else job not in ours)
    )


_BESIDE_SLURM: Final = r"task_memcg=/(?:user\.slice/user-\d+\.slice/session-|system\.slice/[^/,]+\.service,)"
_OF_SLURM: Final = r"task_memcg=[^,]*slurm"


def job_numbers(ev: Evidence) -> frozenset[str] | None:
    """Numbers that Slurm calls the job by; empty where a recorder saw that it runs under none, None: not known.

    Of a part of an array or of a het job, its daemons know a number of their own, which accounting may leave out.
    """
    jobs = ev.scan("slurm_jobs").select("job_id", "job_id_raw").collect()
    if any(re.search(r"\d[_+]", str(name)) for name in (*jobs["job_id"], ev.info.job_id)):
        return None
    names = (*jobs["job_id"], *jobs["job_id_raw"], ev.info.job_id)
    ours = frozenset(number for name in names if name for number in re.findall(r"\d+", name))
    if ours or not _recorded(ev):
        return ours or None
    told = ev.scan("node_info").select(pl.col("job_env").str.contains("SLURM_").any()).collect().item()
    return None if told else frozenset()


def _of_another_job(row: Row, job: frozenset[str] | None) -> bool:
    """True for a line in Slurm's words on a job that is not this one: a text, or the log of another one."""
    if job is None or row["framework"] != "slurm" or row["line_seq"] is None or row["kind"] not in _OF_A_JOB:
        return False
    named = re.match(r"\d+", str(row["subject"] or ""))
    return named is not None and named[0] not in job


def _job_nodes(ev: Evidence) -> frozenset[str] | None:
    """Short names of the nodes that accounting lists for the job, or its environment; None where neither lists all.

    None of Slurm's where a recorder saw that it runs under none, and that nothing in it calls srun.
    """
    lists = ev.scan("slurm_jobs").select(pl.col("node_list").unique()).collect()["node_list"].drop_nulls()
    env = ev.scan("node_info").select(pl.col("job_env").unique()).collect()["job_env"].drop_nulls()
    lists = lists if len(lists) else env.str.extract(r'"SLURM_JOB_NODELIST": ?"([^"]+)"').drop_nulls()
    if any(map(is_cut, lists)):
        return None
    if nodes := frozenset(node.partition(".")[0].casefold() for node in assigned(lists)):
        return nodes
    calls = ev.scan("processes").select(pl.col("argv").str.contains(r"(?:^|[/ ])srun ").any()).collect().item()
    elsewhere = len(env) > 0 and not calls and not env.str.contains("SLURM_").any()
    return frozenset() if elsewhere and _recorded(ev) else None


def _of_another_node(row: Row, nodes: frozenset[str] | None) -> bool:
    """True for srun's word on a task of a node that the job did not have: of another job, or a text."""
    told = _OF_A_TASK.search(str(row["text"])) if nodes is not None and row["line_seq"] is not None else None
    return told is not None and nodes is not None and told[1].partition(".")[0].casefold() not in nodes


_OF_A_TASK: Final = re.compile(r"\bsrun: error: ([\w.-]+): tasks? \d")
_OF_A_JOB: Final = frozenset({Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.CANCELLED, Kind.NODE_FAILURE})
"""Kinds whose subject is the job in Slurm's words, unless it is a node."""


def _without_announcements(
    events: tuple[Row, ...], ev: Evidence, others: frozenset[tuple[str, int]]
) -> tuple[Row, ...]:
    """``events`` without the lines that name no victim and announce the kill of another's process."""
    if not others:
        return events
    kills = ev.facts("fact_events").filter(pl.col("kind").is_in(_KERNEL_KILLS) & pl.col("num").is_not_null())
    times = [
        (node, at) for node, pid, at in kills.select("node", "num", "ts_ns").iter_rows() if (node, int(pid)) in others
    ]

    def announces(row: Row) -> bool:
        if row["kind"] not in _KERNEL_KILLS or row["num"] is not None or row["source"] != "kernel_log":
            return False
        return any(
            node == row["node"] and (at is None or abs(at - (row["ts_ns"] or at)) <= _ONE_KILL_NS) for node, at in times
        )

    return tuple(row for row in events if not announces(row))


_ONE_KILL_NS: Final = 5_000_000_000
"""Within this the kernel prints all it says about one kill: the tasks of the group take most of it."""


def _outlived(ev: Evidence, ours: dict[str, set[int]]) -> frozenset[tuple[str, int]]:
    """Nodes and pids of processes that the kernel killed while the job's training went on, and went on afterwards.

    A node is shared: what runs beside the job, as another pod does, is killed in the same log. Training that reports
    steps on either side of a kill, in one attempt, did not lose a rank or a loader's worker by it; neither did a job
    whose log begins after it.
    """
    killed = ev.facts("fact_events").filter(
        pl.col("kind").is_in(_KERNEL_KILLS)
        & (pl.col("source") == "kernel_log")
        & pl.col("ts_ns").is_not_null()
        & pl.col("num").is_not_null()
        & ~pl.col("node").is_in(list(ours))
    )
    if killed.is_empty():
        return frozenset()
    began = ev.scan("log_lines").select(pl.col("ts_ns").min()).collect().item()
    steps = ev.facts("fact_steps").filter(pl.col("ts_ns").is_not_null() & (pl.col("kind") != str(Kind.TRACKED)))
    spans = steps.group_by("node", "source", "attempt").agg(pl.col("ts_ns").min(), pl.col("ts_ns").max().alias("last"))
    margin = int(ev.threshold("a2.outlived") * 1e9)
    return frozenset(
        (node, int(pid))
        for node, pid, at in killed.select("node", "num", "ts_ns").iter_rows()
        if any(
            (first < at or at + margin < began) and at + margin < last
            for first, last in spans.select("ts_ns", "last").iter_rows()
        )
    )


def _of_another_time(row: Row, runs: tuple[int, int] | None) -> bool:
    """True for the kernel's word from long before or after every run of the job: its log reaches back to the boot."""
    if runs is None or row["source"] != "kernel_log" or row["ts_ns"] is None:
        return False
    return not runs[0] <= row["ts_ns"] <= runs[1]


def _foreign(row: Row, ours: dict[str, set[int]]) -> bool:
    """True for the kernel's word on a process that is none of the job's: a node's kernel log tells of everybody.

    Where the job's processes are known, so is a line that names none: what it announces is told by the line that does.
    """
    if row["kind"] not in _KERNEL_KILLS or row["node"] not in ours:
        return False
    if row["num"] is None:
        return bool(row["source"] == "kernel_log")
    return int(row["num"]) not in ours[row["node"]]


def _foreign_exit(row: Row, ours: dict[str, set[int]]) -> bool:
    return (
        row["said_by"] == "kernel" and row["pid"] is not None and row["pid"] not in ours.get(row["node"], {row["pid"]})
    )


def _recorded(ev: Evidence) -> bool:
    """True when a recorder watched the processes: an exit status given by the user is none."""
    captures = ev.scan("processes").select(pl.col("capture").unique()).collect()["capture"].to_list()
    return any(not capture.startswith("import") for capture in captures)


def _judged_attempts(attempts: pl.DataFrame) -> dict[tuple[Any, Any], int]:
    """For each source, the first attempt that counts: the last one, and those a launcher restarted in vain before it.

    Attempts that a launcher began at once and that made no progress are echoes of the failure before them (ports still
    taken, peers gone), so that failure stays the one to judge.
    """
    first: dict[tuple[Any, Any], int] = {}
    begun: dict[tuple[Any, Any], bool] = {}
    for row in attempts.sort("node", "source", "attempt", descending=[False, False, True]).iter_rows(named=True):
        source = (row["node"], row["source"])
        if row["attempt"] is not None and not begun.get(source):
            first[source] = row["attempt"]
            begun[source] = row["began_by"] != "restart_line" or bool(row["last_step"])
    return first


def _current(rows: Iterable[Row], last: dict[tuple[Any, Any], int]) -> list[Row]:
    """Rows of the last attempt of their source; rows without an attempt belong to the whole run."""
    return [
        row
        for row in rows
        if row["attempt"] is None or row["attempt"] >= last.get((row["node"], row.get("source")), row["attempt"])
    ]


def _current_steps(steps: pl.DataFrame, last: dict[tuple[Any, Any], int]) -> pl.DataFrame:
    if steps.is_empty() or not last:
        return steps
    newest = pl.DataFrame(
        [{"node": node, "source": source, "newest": number} for (node, source), number in last.items()],
        schema={"node": steps.schema["node"], "source": steps.schema["source"], "newest": pl.Int64},
    )
    joined = steps.join(newest, on=["node", "source"], how="left", maintain_order="left", nulls_equal=True)
    return joined.filter(pl.col("attempt").is_null() | (pl.col("attempt") >= pl.col("newest").fill_null(0))).drop(
        "newest"
    )


def _of_an_earlier_training(row: Row, attempts: pl.DataFrame) -> bool:
    """True for what stands in one of several trainings, behind which another one began, and not the same once more."""
    following = attempts.filter(same_stream(row), pl.col("attempt") > (row["attempt"] or 0)).sort("attempt")
    return not following.is_empty() and following["began_by"][0] == "new_run"


def _death(row: Row) -> Death:
    term, code = row["term_signal"], row["exit_code"]
    if term is None and code is not None and code > 128:
        # A shell reports 128+n; DeepSpeed's launcher passes the negative code through modulo 256 (247 for SIGKILL). 255
        # and 254 are what programs leave with that call exit(-1) or exit(-2), as Perl and ssh do.
        number = code - 128 if code < 193 else 256 - code
        if number in ({*LETHAL, *ORDERLY}) and code < _EXIT_MINUS_TWO:
            return Death(row, int(number), None)
    return Death(row, term, code)


def _crashes(rows: Iterable[Row], draft: Story, *, handled: bool = False) -> tuple[Crash, ...]:
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["node"], row["source"], row["attempt"], row["group"]), []).append(row)
    found: list[Crash] = []
    for chain in groups.values():
        chain.sort(key=lambda row: (row["chain_index"] or 0, row["seq"]))
        if (chain[-1]["fatal"] is False) is not handled:
            continue
        found.append(_crash(chain))
    found.sort(key=lambda crash: draft.order(crash.root))
    return tuple(_with_ranks(found))


def _crash(chain: list[Row]) -> Crash:
    """Judge a chain: the first exception whose cause is no plain crash speaks for it, else the one it ended with."""
    kinds = [(row, classify(row["exc_type"], row["message"], row["frames"], row["user_code"])) for row in chain]
    if str(chain[-1]["exc_type"]).endswith("ExceptionGroup"):
        # Tasks that ran together within one process: what they lost was a service, no rank.
        own_errand = CauseKind(Cause.APPLICATION, "env")
        kinds = [(row, own_errand if kind.cause is Cause.PEER_LOST else kind) for row, kind in kinds]
    causes = [kind.cause for _, kind in kinds]
    if causes[0] is Cause.INTERRUPT or all(cause in (Cause.LAUNCHER, Cause.INTERRUPT) for cause in causes):
        return Crash(kinds[0][1], chain[0], chain[-1], chain[0])
    exact = [item for item in kinds if item[1].cause not in (*_ECHOES, Cause.STORE_WAIT, Cause.APPLICATION)]
    # The pipe to a data loader's worker breaks when that one leaves; it is no rank.
    own_worker = str(chain[-1]["message"]).startswith("DataLoader worker")
    waits = [item for item in kinds if item[1].cause in (Cause.PEER_LOST, Cause.STORE_WAIT) and not own_worker]
    # A process that hands on what its child raised, or a launcher, says less than the failure itself.
    own = [item for item in reversed(kinds) if item[1].cause is Cause.APPLICATION]
    own = [item for item in own if not is_relay(item[0]["message"])] or own
    telling = [item for item in own if item[1].fault_class != "code"]
    speaking, cause = (exact or waits or telling or own)[0]
    first_hand = (row for row, kind in reversed(kinds) if kind.cause is not Cause.LAUNCHER)
    shown = next((row for row in first_hand if not is_relay(row["message"])), chain[-1])
    return Crash(cause, chain[0], shown, speaking)


def _with_ranks(crashes: list[Crash]) -> list[Crash]:
    alike: dict[Any, set[int]] = {}
    streams: dict[Any, set[tuple[str, str | None]]] = {}
    for crash in crashes:
        row = crash.shown
        if row["rank"] is not None:
            alike.setdefault(row["signature"], set()).add(int(row["rank"]))
        else:
            streams.setdefault(row["signature"], set()).add((row["node"], row["source"]))
    return [
        replace(
            crash,
            ranks=tuple(sorted(alike.get(crash.shown["signature"], ()))),
            streams=len(streams.get(crash.shown["signature"], ())) or 1,
        )
        for crash in crashes
    ]
