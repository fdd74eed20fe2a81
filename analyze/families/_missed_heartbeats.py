"""Ranks that stood in a collective until the job's coordination service missed a peer's heartbeats (JAX, TensorFlow).

The service ends all that are left and says that a task crashed: it only knows that the task is silent. It takes that
work had begun, that those that were left are seen to wait after their last step, that no step came later, and that
nothing tells how the silent task ended: what does is the cause, and this its consequence.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._case import Claims
from inquest.analyze.families._rows import named
from inquest.analyze.families._stall import stall
from inquest.analyze.families._story import when
from inquest.analyze.families._witnesses import add_end
from inquest.analyze.families.base import RuledIn, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Failing, Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


def by_missed_heartbeats(ev: Evidence, story: Story) -> RuledIn | None:
    """Ranks that waited for a task that had fallen silent without a word, until the service ended them."""
    if not story.progressed or not ev.has("log_lines") or story.ended_well or story.failures or story.crashes:
        return None
    if story.of(*_ENDED_OTHERWISE):
        return None
    said = missed(ev)
    lost = tuple(sorted({int(task) for row in said for task in _TASK.findall(str(row["text"]))}))
    said = [row for row in said if "heartbeat" in str(row["text"])]
    # Where most are missed, those that speak may be the ones that were cut off.
    most = 2 * len(lost) > max(len(story.ranks), ev.world_size() or 0, 2)
    if not said or not lost or most or _told_of_an_end(story, lost):
        return None
    waited = _waited_s(ev, story)
    pause = stall(ev, story, until_ns=said[0]["ts_ns"]) if said[0]["ts_ns"] is not None else None
    if max(waited, 0 if pause is None else pause.silent_ns / 1e9) < ev.threshold("stall.least_silence"):
        return None
    if _went_on(story, said[0]) or _trouble(ev, story):
        return None
    names = named(lost)
    claims = Claims(ev, "C2")
    claims.row("Whose heartbeats were missed", "log_lines", said[0], "text")
    support = [Support("logs", f"the job's own service missed the heartbeats of {names}", decisive=True)]
    add_end(claims, support, story)
    waits = f"for {waited:.0f} s in a collective" if waited else "without a step"
    after = when(story).replace(" at ", " after ")
    text = f"{names[0].upper()}{names[1:]} fell silent{after}, and the others waited {waits}"
    return RuledIn(
        because=f"{text} until the coordination service missed its heartbeats; nothing tells how it ended.",
        would_change_if=f"a word of {names}, its launcher or its node on how it ended, or steps after that",
        headline=f"{text} until the coordination service ended them.",
        claims=claims.all,
        support=tuple(support),
        attribution="unknown",
        scope="allocation",
        onset_ns=said[0]["ts_ns"],
        sub_mode="peer_lost",
        first_failing=Failing(rank=lost[0] if len(lost) == 1 else None),
        culprit_ranks=lost,
        implies=("That the others were ended is a consequence: their peer had gone.",),
        cannot_decide=(
            Missing(
                f"Why {names} fell silent", f"the output of {names}, its node's kernel log, the scheduler's records"
            ),
        ),
        next=Next(
            "job", f"Look at what became of {names}: its own output, its node, its memory; the others need no fix."
        ),
    )


def missed(ev: Evidence) -> list[Row]:
    """The lines of ``log_lines``, in order, by which a coordination service says that it missed a task's heartbeats."""
    return list(_lines(ev, _MISSED).iter_rows(named=True))


def _lines(ev: Evidence, pattern: str) -> pl.DataFrame:
    return (
        ev.scan("log_lines")
        .filter(pl.col("text").str.contains(pattern))
        .sort("ts_ns", "seq", nulls_last=True)
        .collect()
    )


def _told_of_an_end(story: Story, lost: tuple[int, ...]) -> bool:
    """Whether a launcher tells how a silent task ended: that is its own cause, or stands for one that was not kept."""
    ended = {death.row["rank"] for death in story.deaths}
    tasks = " ".join(str(row["text"]) for row in story.of(Kind.TASK_EXIT))
    return bool(ended & set(lost)) or any(re.search(rf"\btasks? (?:[\d,-]*[,-])?{task}\b", tasks) for task in lost)


def _waited_s(ev: Evidence, story: Story) -> float:
    """How long ranks say that they had stood in a collective, below the last step that their output reports."""
    longest = 0.0
    for row in _lines(ev, _STANDS).iter_rows(named=True):
        last = story.steps.filter(same_stream(row))["line_seq"].max()
        found = _FOR.search(str(row["text"]))
        if found is not None and (last is None or row["seq"] > last):
            longest = max(longest, float(found[1]) / (1000 if found[2] == "ms" else 1))
    return longest if not _lines(ev, _AFTER_ALL).height else 0.0


def _went_on(story: Story, said: Row) -> bool:
    """Whether a step was reported below the service's word, or later."""
    last = story.steps.filter(same_stream(said))["line_seq"].max()
    times = story.steps["ts_ns"].max()
    later = said["ts_ns"] is not None and isinstance(times, int) and times > said["ts_ns"]
    return later or (isinstance(last, int) and last > said["seq"])


def _trouble(ev: Evidence, story: Story) -> bool:
    """Whether any output tells of trouble below its last step, in words other than the service's own."""
    lines = ev.scan("log_lines").filter(
        pl.col("text").str.contains(_TROUBLE) & ~pl.col("text").str.contains(_OF_THE_SERVICE)
    )
    for row in lines.collect().iter_rows(named=True):
        last = story.steps.filter(same_stream(row))["line_seq"].max()
        if last is None or row["seq"] > last:
            return True
    return False


_ENDED_OTHERWISE: Final = (
    *(Kind.TIME_LIMIT, Kind.CANCELLED, Kind.PREEMPTED, Kind.NODE_FAILURE, Kind.SLURM_OOM, Kind.OOM_KILLER),
    *(
        Kind.CGROUP_OOM,
        Kind.SEGFAULT,
        Kind.USER_INTERRUPT,
        Kind.HANG_UP,
        Kind.SIGNAL_RECEIVED,
        Kind.ECC_ERROR,
        Kind.XID,
    ),
)
_MISSED: Final = (
    r"/task:\d{1,6} heartbeat timeout|tasks are unhealthy \(stopped sending heartbeats\)"
    r"|^\s*/job:\w+/replica:\d+/task:\d{1,6}\s*$"
)
"""What the service says, and a line below it, where it tells one task a line."""
_TASK: Final = re.compile(r"/task:(\d{1,6})\b")
_STANDS: Final = r"\band may be stuck\b"
"""What XLA says of a thread that waits for others."""
_AFTER_ALL: Final = r"\bis unstuck\b"
_FOR: Final = re.compile(r"\bfor (\d{1,9}(?:\.\d{1,6})?) ?(ms|s\b|seconds)")
_TROUBLE: Final = (
    r"(?i)\b(?:\w*error|exception|fatal|fail(?:ed|ure)|traceback|killed|abort\w*|oom|xid|ecc|evict\w*|preempt\w*|panic"
    r"|out of memory|no space|segmentation|illegal|cannot|unable)\b|CUDA_ERROR|^[EF]\d{4} |(?:^|[ :])[EF] external/"
)
_OF_THE_SERVICE: Final = (
    r"heartbeat|coordination.service|JAX distributed service|The tasks have crashed|may be stuck|srun: |slurmstepd"
    r"|CoordinationServiceError|local_rendezvous\.cc|^\s*/job:\w+/replica"
)
