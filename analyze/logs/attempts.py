"""Attempts in one source: a restart in the same file begins the next one.

The step counter going back is the strongest sign, but ranks that interleave and buffered output make it jitter; so a
step back counts only where the counter is near its beginning again, or where the log says in between that something
was restarted, loaded or lost.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ATTEMPT_DIR: Final = re.compile(r"(?i)(?:^|/)(?:attempt|try|retry|restart)[-_]?(\d{1,4})/")
_AGENT: Final = re.compile(r"^[EW]\d{4} [\d:.]+ (\d+) ")
_LOCAL_RANK: Final = re.compile(r"local_rank: (\d+)")
_TURNS: Final = 8
"""How soon a counter that runs beside another one has its turn again, in reports."""
_STEPS_OF_A_RESTART: Final = 2
"""Reports after a failure that tell a restart from a line that was still in a pipe."""

_NEWS: Final = frozenset(
    {
        Kind.BANNER,
        Kind.TRAINING_BEGIN,
        Kind.RESTART,
        Kind.CHECKPOINT_LOADED,
        Kind.CHECKPOINT_LOAD_BEGIN,
        Kind.CHECKPOINT_SKIP,
        Kind.NO_CHECKPOINT_FOUND,
        Kind.PROCESS_GROUP_INIT,
        Kind.SIGNAL_DEATH,
        Kind.LAUNCHER_FAILURE,
        Kind.EXCEPTION,
        Kind.REQUEUED,
    }
)
"""Kinds after which a smaller step is a new attempt."""

_ENDS: Final = frozenset({Kind.TRAINING_END, Kind.TRAIN_SUMMARY})
_GOES_ON: Final = frozenset(
    {
        Kind.RESTART,
        Kind.RESUME_SET,
        Kind.CHECKPOINT_LOADED,
        Kind.CHECKPOINT_LOAD_BEGIN,
        Kind.CHECKPOINT_SKIP,
        Kind.NO_CHECKPOINT_FOUND,
    }
)
"""What the next training says that was to go on with the one before, whether it did or not."""
_SAVED: Final = frozenset({Kind.CHECKPOINT_SAVED, Kind.MODEL_SAVED})
_DONE: Final = re.compile(
    r"(?i)(?<![\w-])(?:finished|done|completed?)\b(?! (?:sav|writ|stor|checkpoint|epoch|step|round|iter|eval|valid))"
)
_OF_THE_SAVE: Final = re.compile(
    r"(?i)\b(?:sav\w+|writ\w+|checkpoint\w*|epoch \d+|step \d+)\W{1,3}(?:is |was )?(?:finished|done|complete)"
)

_TRACE: Final = "sweep.shell_trace"
_HEADING: Final = "sweep.heading"
_SETTINGS: Final = "sweep.settings"
_OF_A_COMMAND: Final = "sweep.command"
_HEADINGS: Final = (_HEADING, _SETTINGS, _TRACE, _OF_A_COMMAND)
"""Headings that may stand above anything: only steps that begin anew below them show that they mean a training."""

_OWN_WORDS: Final = "launcher.restarting"
_BEGINS: Final = _NEWS - {Kind.SIGNAL_DEATH, Kind.LAUNCHER_FAILURE, Kind.EXCEPTION, Kind.REQUEUED}
"""Those that the next attempt itself says."""

_SERIES: Final = ["rank", "framework", "kind", "speaker"]
"""What counts steps of its own."""

Place = tuple[str, str, str | None]
"""node, capture, source: what an attempt is counted in."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where an attempt begins, and by what it was recognised."""

    line_seq: int
    began_by: str


@dataclass(frozen=True, slots=True)
class Event:
    """What the search for attempts needs of an event."""

    line_seq: int
    kind: str
    pattern: str
    text: str


def boundaries(place: Place, first_seq: int, steps: pl.DataFrame, events: Sequence[Event]) -> list[Boundary]:
    """Beginnings of the attempts of one source, the first one included.

    Args:
        place: the source.
        first_seq: number of its first line.
        steps: its rows of progress in order (``line_seq``, ``step``, ``back`` and the columns of a series).
        events: its events in order.
    """
    found = [Boundary(first_seq, "start")]
    stepped = steps.filter(pl.col("step").is_not_null())
    # Where only epochs are told, they say when something was reported.
    told = stepped if stepped.height else steps.filter(pl.col("epoch").is_not_null())
    step_seqs = told["line_seq"].to_list()
    sweep = [event for event in events if event.kind == Kind.NEXT_RUN]
    commands = Counter(event.text for event in sweep if event.pattern == _TRACE)
    settings = Counter(event.text for event in sweep if event.pattern == _SETTINGS)
    # A heading tells the time beside its command.
    headed = Counter(_command_of(event.text) for event in sweep if event.pattern == _OF_A_COMMAND)
    headings = [
        event.line_seq
        for event in sweep
        if commands[event.text] <= 1 and settings[event.text] <= 1 and headed[_command_of(event.text)] <= 1
    ]
    begins = [event.line_seq for event in events if event.kind in _BEGINS]
    news = [event.line_seq for event in events if event.kind in _NEWS]
    broke = [event.line_seq for event in events if event.kind == Kind.EXCEPTION]
    ends = [event.line_seq for event in events if event.kind in _ENDS or _says_it_is_done(event)]
    goes_on = [event.line_seq for event in events if event.kind in _GOES_ON]
    renewed = [
        (_renewed(seq, before, headings, begins, done=done), before)
        for before, seq, done in _steps_back(stepped, news, broke, ends, goes_on)
    ]
    since = dict(renewed)
    candidates = [
        *(Boundary(event.line_seq, "restart_line") for event in events if _restarts(event, stepped)),
        *(Boundary(seq + 1, "restart_line") for seq in _agent_restarts(events, stepped)),
        *(Boundary(seq + 1, "restart_line") for seq in _ended_again(events)),
        *(Boundary(seq, "restart_line") for seq in _launched_again(events)),
        *(Boundary(seq + 1, "restart_line") for seq in _taken_and_went_on(events, step_seqs)),
        *(Boundary(seq, "banner") for seq in _second_banners(events, step_seqs)),
        *(Boundary(seq, "new_run") for seq in _never_met(events, step_seqs)),
        *(boundary for boundary, _ in renewed),
        *(Boundary(seq, "step_back") for seq in _other_programs(events, stepped)),
        *_called(events, stepped),
        *(Boundary(event.line_seq, "new_run") for event in sweep if event.pattern not in _HEADINGS),
        *(Boundary(seq, "step_back") for seq in (_epochs_back(told, news, begins) if stepped.is_empty() else ())),
    ]
    for candidate in sorted(candidates, key=lambda boundary: boundary.line_seq):
        if found[-1].began_by == "step_back" and since.get(candidate, found[-1].line_seq) < found[-1].line_seq:
            # A count of epochs that is told later than that of steps: what began anew has a boundary already.
            if candidate.began_by == "new_run":
                found[-1] = Boundary(found[-1].line_seq, "new_run")
            continue
        steps_between = bisect.bisect_left(step_seqs, candidate.line_seq) - bisect.bisect_left(
            step_seqs, found[-1].line_seq
        )
        # One of several trainings that crashed before its first report was a training all the same.
        crashed = candidate.began_by == "new_run" and bisect.bisect_left(
            broke, candidate.line_seq
        ) > bisect.bisect_left(broke, found[-1].line_seq)
        if candidate.began_by == "restart_line" or steps_between > 0 or crashed:
            found.append(candidate)
    return found


def _command_of(text: str) -> str:
    """The command that a heading names, without what stands before it."""
    return text[found.start() :] if (found := _SCRIPT.search(text)) is not None else text


_SCRIPT: Final = re.compile(r"[\w./-]{1,80}\.py ")


def _says_it_is_done(event: Event) -> bool:
    """Whether a line that tells of a save says that the training is over (``finished, reef.ckpt saved``)."""
    return event.kind in _SAVED and bool(_DONE.search(event.text)) and not _OF_THE_SAVE.search(event.text)


def _renewed(seq: int, before: int, headings: list[int], begins: list[int], *, done: bool) -> Boundary:
    """The beginning of what counts anew at ``seq``.

    The next training of several, where a heading above says so, or the one before was ``done`` or of another length.
    What a program says as it ``begins``, of a checkpoint that it loaded or did not, is its own.
    """
    above = [line for line in headings if before < line < seq]
    if done and not above:
        return Boundary(seq, "new_run")
    if above:
        return Boundary(above[-1], "new_run")
    return Boundary(min((line for line in begins if before < line < seq), default=seq), "step_back")


def _restarts(event: Event, steps: pl.DataFrame) -> bool:
    """Whether a line begins another attempt; what anybody may print does not where the count goes on by its stride."""
    if event.kind != Kind.RESTART or event.pattern != _OWN_WORDS:
        return event.kind == Kind.RESTART
    before = steps.filter(pl.col("line_seq") < event.line_seq).tail(1)
    after = steps.filter(pl.col("line_seq") > event.line_seq).head(1)
    if before.is_empty() or after.is_empty() or any(before[name][0] != after[name][0] for name in _SERIES):
        return True
    numbers = steps.filter(pl.all_horizontal(pl.col(name).eq_missing(before[name][0]) for name in _SERIES))["step"]
    stride = numbers.unique().sort().diff().median()
    return not 0 < after["step"][0] - before["step"][0] <= (stride if isinstance(stride, float) else 0)


def path_attempt(source: str | None) -> int:
    """Number of the attempt that a folder of torchrun's, or of a person's, names; 0 where the path names none."""
    named = _ATTEMPT_DIR.search(source or "")
    return int(named[1]) if named else 0


def of_any_attempt(source: str | None) -> str | None:
    """What a path that names an attempt has in common with those of others: two of one are tries of one thing."""
    named = _ATTEMPT_DIR.search(source or "")
    return None if named is None or source is None else f"{source[: named.start(1)]}#{source[named.end(1) :]}"


def _agent_restarts(events: Sequence[Event], steps: pl.DataFrame) -> list[int]:
    """Failures after which the same torchrun agent had started its workers anew.

    At its default log level the agent does not say that it restarts. It did where it fails again later, or, as the only
    agent of this source, where the very rank it reports goes on, or steps that no rank is told of: it stops all its
    workers before it reports one.
    """
    by_agent: dict[str, list[Event]] = {}
    for event in events:
        if event.pattern == "torchrun.failed" and (agent := _AGENT.search(event.text)):
            by_agent.setdefault(agent[1], []).append(event)
    restarts = [event.line_seq for failures in by_agent.values() for event in failures[:-1]]
    if len(by_agent) == 1:
        (failures,) = by_agent.values()
        last = failures[-1]
        rank = _LOCAL_RANK.search(last.text)
        mine = pl.col("rank").is_null() | (pl.col("rank") == (int(rank[1]) if rank else None))
        later = steps.filter((pl.col("line_seq") > last.line_seq) & mine)
        if len(later) >= _STEPS_OF_A_RESTART:
            restarts.append(last.line_seq)
    return restarts


def _ended_again(events: Sequence[Event]) -> list[int]:
    """Ends of tasks of srun's that end once more below an exception: what ended then was run after them."""
    found = []
    ended: dict[str, int] = {}
    broke = -1
    for event in events:
        if event.kind == Kind.EXCEPTION:
            broke = event.line_seq
        elif event.pattern.startswith("slurm.task_") and (task := _TASK.search(event.text)):
            before = ended.get(task[0])
            if before is not None and before < broke:
                found.append(max(ended.values()))
                ended.clear()
            ended[task[0]] = event.line_seq
    return found


def _launched_again(events: Sequence[Event]) -> list[int]:
    """First words of DeepSpeed's launchers where all that had begun before had said how they ended.

    It starts no workers anew: what begins then was called by somebody else. Of several nodes each has a launcher.
    """
    found, begun, ended = [], 0, 0
    for event in events:
        if event.pattern == LAUNCHED:
            if ended and begun <= ended:
                found.append(event.line_seq)
                begun = ended = 0
            begun += 1
        elif event.pattern == "torchrun.deepspeed_exit":
            ended += 1
    return found


LAUNCHED: Final = "torchrun.deepspeed_begin"
_TASK: Final = re.compile(r"srun: error: \S+: tasks? [\d,-]+: ")


def _second_banners(events: Sequence[Event], step_seqs: list[int]) -> list[int]:
    """Banners after steps, unless the training before it had ended."""
    found = []
    last_banner: int | None = None
    ended = False
    for event in events:
        if event.kind in {Kind.TRAINING_END, Kind.TRAIN_SUMMARY}:
            ended = True
        elif event.kind in {Kind.BANNER, Kind.TRAINING_BEGIN}:
            stepped = bisect.bisect_left(step_seqs, event.line_seq) > bisect.bisect_left(step_seqs, last_banner or 0)
            if stepped and not ended:
                found.append(event.line_seq)
            last_banner, ended = event.line_seq, False
    return found


def _taken_and_went_on(events: Sequence[Event], step_seqs: Sequence[int]) -> list[int]:
    """Where the scheduler or a person ended the job between reports: what goes on counting below is its next start.

    A job that is told to leave may report once or twice more.
    """
    seqs = sorted(set(step_seqs))
    reported = [event.line_seq for event in events if event.pattern == _LSF_REPORT]
    return [
        event.line_seq
        for event in events
        if (event.kind == Kind.USER_INTERRUPT or _is_taken(event, reported))
        and bisect.bisect_left(seqs, event.line_seq) > 0
        and len(seqs) - bisect.bisect_left(seqs, event.line_seq) >= _REPORTS_OF_A_START
    ]


def ended_an_earlier_start(event: Mapping[str, Any], steps: pl.DataFrame) -> bool:
    """Whether an event of the log is a batch system's word on a start that others followed, in its log or beside it."""
    word = Event(event["line_seq"], event["kind"], event["pattern"], str(event["text"]))
    if not _is_taken(word, ()):
        return False
    later = pl.all_horizontal(
        *(pl.col(name).eq_missing(pl.lit(event[name], pl.String)) for name in ("node", "capture", "source")),
        pl.col("line_seq") > event["line_seq"],
    )
    if event["ts_ns"] is not None:
        later |= (pl.col("ts_ns") > event["ts_ns"] + _GONE_NS).fill_null(value=False)
    return steps.filter(later)["line_seq"].n_unique() >= _REPORTS_OF_A_START


_GONE_NS: Final = 300_000_000_000
"""What was told to end is gone by then, in any batch system."""


def _is_taken(event: Event, reported: Sequence[int]) -> bool:
    """Whether it says that all that ran is dead by now; above its output LSF's mail says so of what follows there."""
    if event.kind in _TAKEN and "slurmstepd" in event.text:
        return True
    if any(event.line_seq < line <= event.line_seq + _LINES_OF_A_REPORT for line in reported):
        return False
    return event.pattern in _DEAD_BY_NOW


_TAKEN: Final = frozenset({Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.CANCELLED})
"""What the scheduler says of a job that it ends."""
_DEAD_BY_NOW: Final = frozenset(
    {
        *(f"lsf.{what}" for what in ("run_limit", "memory_limit", "preempted", "requeued", "owner")),
        *(f"pbs.{what}" for what in ("walltime", "memory", "sister_lost")),
        *(f"kube.{what}" for what in ("evicted", "evicted_disk", "deadline")),
        "runtime.make_signal",
    }
)
"""Words of who ended all that ran, said when it was over, and not before."""
_LSF_REPORT: Final = "lsf.exit"
_LINES_OF_A_REPORT: Final = 3


_REPORTS_OF_A_START: Final = 5
"""Reports that a job which was told to leave does not make any more."""


def _never_met(events: Sequence[Event], step_seqs: list[int]) -> list[int]:
    """First lines of a launch whose ranks never met, below a training of another one.

    A launcher asks its ranks to meet again only after one of them failed, and says so: where nothing failed since the
    last report, it was called anew.
    """
    last = step_seqs[-1] if step_seqs else None
    unmet = next((event for event in events if event.pattern == _UNMET), None)
    if last is None or unmet is None or unmet.line_seq < last:
        return []
    between = [event for event in events if last < event.line_seq < unmet.line_seq]
    if any(event.kind in _FAILURES and not _HANDS_ON.search(event.text) for event in between):
        return []
    ends = [event.line_seq for event in between if event.kind in _ENDS | _SAVED]
    return [max((last, *ends)) + 1]


_UNMET: Final = "torchrun.rendezvous_timeout"
_HANDS_ON: Final = re.compile(r"^torch\.multiprocessing\.spawn\.ProcessRaisedException: *$")
"""What the parent raises: the exception of the child, which may be that its ranks never met, is its message."""
_FAILURES: Final = frozenset({Kind.EXCEPTION, Kind.SIGNAL_DEATH, Kind.LAUNCHER_FAILURE, Kind.RESTART, Kind.REQUEUED})


def _steps_back(
    steps: pl.DataFrame, news: list[int], broke: list[int], ends: list[int], goes_on: list[int]
) -> list[tuple[int, int, bool]]:
    """Lines of the last report before the step counter of one series began again, and of the first after it.

    And whether it is another training: all epochs that were planned had been reported by then, or it was said that it
    ``ends`` and not that the next one ``goes_on``, or another number of steps is planned and nothing ``broke`` between.
    Of evaluations each counts its own batches. A restart prints as before: what tells how many steps there are to be is
    another loop than what did not.
    """
    trained = steps.filter(pl.col("kind").ne_missing(str(Kind.VALIDATION)))
    steps = trained if trained.height else steps
    series = [*_SERIES, pl.col("total_steps").is_null()]
    rows = steps.with_columns(
        done=(pl.col("epoch") >= pl.col("total_epochs")).fill_null(value=False).shift().over(series),
        longer=(pl.col("total_steps") != pl.col("total_steps").shift().over(series)).fill_null(value=False),
        before=pl.col("step").shift().over(series),
        before_seq=pl.col("line_seq").shift().over(series),
        lowest=pl.col("step").cum_min().shift().over(series),
        over_end=_over_its_end().over(series),
    ).filter(pl.col("back") & (pl.col("step") < pl.col("before")))
    beside = _beside(steps.sort("line_seq")) if rows.height else frozenset()
    around = _outer_counts(steps) if rows.height else []
    found = []
    for step, before, before_seq, lowest, seq, done, longer, over_end in rows.select(
        "step", "before", "before_seq", "lowest", "line_seq", "done", "longer", "over_end"
    ).iter_rows():
        told = bisect.bisect_left(news, seq + 1) > bisect.bisect_left(news, before_seq)
        near_start = not over_end and step <= lowest + 1 and (longer or before - step >= 2)
        if (told or near_start) and seq not in beside and not any(_goes_on(outer, before_seq, seq) for outer in around):
            another = longer and near_start and not any(before_seq < line < seq for line in broke)
            told_to = any(before_seq < line < seq for line in goes_on)
            done |= near_start and not told_to and any(before_seq < line < seq for line in ends)
            found.append((before_seq, seq, done or another))
    return found


def _over_its_end() -> pl.Expr:
    """Whether a count of batches went over its end by the very stride of its reports: ``[124/127]``, ``[2/127]``.

    The number of its epoch need not rise in the same report. Who begins anew at the first epoch does so at its start.
    """
    step, total, epoch = pl.col("step"), pl.col("total_steps"), pl.col("epoch")
    before = step.shift()
    goes_over = (before < total) & (step == before + (before - step.shift(2)) - total)
    rises = pl.any_horizontal(epoch.shift(-ahead) > epoch for ahead in range(1, _AHEAD + 1))
    within = (epoch == epoch.shift()) & (rises | (epoch > epoch.first()))
    return (goes_over & within).fill_null(value=False)


_AHEAD: Final = 3
"""Reports after which the number of the epoch has risen too."""


def _outer_counts(steps: pl.DataFrame) -> list[list[tuple[int, int]]]:
    """Line and number of each counter with a plan that rises one by one from first to last: rounds around a loop."""
    planned = steps.filter(pl.col("total_steps").is_not_null())
    parts = planned.partition_by([*_SERIES, "total_steps"], maintain_order=True)
    counts = [list(part.sort("line_seq").select("line_seq", "step").iter_rows()) for part in parts]
    return [count for count in counts if len(count) >= _ROUNDS and all(b[1] == a[1] + 1 for a, b in pairwise(count))]


def _goes_on(outer: list[tuple[int, int]], before_seq: int, seq: int) -> bool:
    """Whether a round was told between two reports, and another one below them: what began again is the next round."""
    at = bisect.bisect_left(outer, (before_seq, 0))
    return at < len(outer) - 1 and before_seq <= outer[at][0] < seq


_ROUNDS: Final = 3


def _other_programs(events: Sequence[Event], steps: pl.DataFrame) -> list[int]:
    """First reports after a crash that are told in other ways than all before it, and of no greater steps.

    Of several ranks, one may print what another does not.
    """
    if steps["framework"].n_unique() < 2 or steps["rank"].is_not_null().any():
        return []
    found = []
    for event in events:
        if event.kind == Kind.EXCEPTION:
            is_later = pl.col("line_seq") > event.line_seq
            after = steps.filter(is_later)
            apart = not set(steps.filter(~is_later)["framework"]) & set(after["framework"])
            if apart and _trains_anew(steps, event.line_seq):
                found.append(after["line_seq"][0])
    return found


def _called(events: Sequence[Event], steps: pl.DataFrame) -> list[Boundary]:
    """Where somebody called a command again that had crashed, or another one, which trains, after a training's end."""
    found: list[Boundary] = []
    called: set[str] = set()
    crashed = ended = False
    first_step = steps["line_seq"].min()
    for event in events:
        crashed |= event.kind == Kind.EXCEPTION
        ended |= event.kind in {Kind.TRAINING_END, Kind.TRAIN_SUMMARY}
        if event.pattern != _TRACE:
            continue
        # Settings before a command may differ from one start to the next.
        command = _COMMAND.sub("", event.text, count=1)
        # Who shows the second command only, after a crash before any step, called again what had crashed.
        mended = crashed and not called and isinstance(first_step, int) and first_step > event.line_seq
        if (crashed and command in called) or mended:
            found.append(Boundary(event.line_seq, "restart_line"))
        elif ended and _trains_anew(steps, event.line_seq):
            found.append(Boundary(event.line_seq, "new_run"))
        called.add(command)
        crashed = ended = False
    return found


_COMMAND: Final = re.compile(r"^.{0,80}?[$#+] (?:\w{1,60}=\S{0,300} ){0,20}")
"""A prompt, and what is set for one command."""


def _trains_anew(steps: pl.DataFrame, seq: int) -> bool:
    """Reports of training follow a line, and the first is of no greater step than the last before it."""
    trained = steps.filter(pl.col("kind").ne_missing(str(Kind.VALIDATION)))
    before, after = trained.filter(pl.col("line_seq") < seq), trained.filter(pl.col("line_seq") > seq)
    return bool(before.height and after.height > _STEPS_OF_A_RESTART and after["step"][0] <= before["step"][-1])


def _epochs_back(steps: pl.DataFrame, news: list[int], begins: list[int]) -> list[int]:
    """Lines at which reports that tell epochs only began anew, where ``news`` in between say so.

    The first of those that a program says as it ``begins`` is such a line, else the first report.
    """
    rows = steps.with_columns(
        before=pl.col("epoch").shift().over(_SERIES), before_seq=pl.col("line_seq").shift().over(_SERIES)
    ).filter(pl.col("epoch") * 2 <= pl.col("before"))
    found = []
    for before_seq, seq in rows.select("before_seq", "line_seq").iter_rows():
        if bisect.bisect_left(news, seq + 1) > bisect.bisect_left(news, before_seq):
            found.append(min((line for line in begins if before_seq < line < seq), default=seq))
    return found


def _beside(steps: pl.DataFrame) -> frozenset[int]:
    """Lines of smaller steps that are another process's, whose lines no prefix tells from those of the first.

    Two counters that run side by side take turns: the greater one goes on by its own stride, where one that began again
    would first have to come there.
    """
    found: set[int] = set()
    for _, part in steps.group_by(_SERIES, maintain_order=True):
        numbers, seqs = part["step"].to_list(), part["line_seq"].to_list()
        strides = sorted(b - a for a, b in pairwise(sorted(set(numbers))))
        stride = strides[len(strides) // 2] if strides else 0
        for at in range(1, len(numbers)):
            if numbers[at] >= numbers[at - 1]:
                continue
            top = numbers[at - 1]
            later = next((k for k in range(at + 1, min(at + 1 + _TURNS, len(numbers))) if numbers[k] > top), None)
            # The jump back up ends where the first counter had its next report, and leaves reports out on its way.
            if later is None:
                continue
            jump = numbers[later] - numbers[later - 1]
            # A bar that a resume begins at 0 leaps too, but comes back no more.
            again = any(numbers[later - 1] <= step < top for step in numbers[later + 1 : later + 1 + _TURNS])
            if again and numbers[later] - top <= 2 * stride and 2 * jump > 3 * stride:
                found.add(seqs[at])
    return frozenset(found)
