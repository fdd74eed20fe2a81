"""Which rank did not come to a collective, by what the ranks that waited reported of it."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_NUMBERS: Final = re.compile(r"\d+")
_BARRIER: Final = re.compile(r"Ranks? ([\d, ]+) failed to pass monitoredBarrier")
_WORLD: Final = re.compile(r"(?i)\bworld[_ ]size\s*(?:[=:]\s*)?(\d{1,6})\b|\bnum_processes=(\d{1,6})\b")
_WORK: Final = re.compile(r"SeqNum=(?P<seq>\d+), OpType=(?P<op>\w+)(?:, NumelIn=(?P<size>\d+))?")
_LEAST_IN_ORDER: Final = 4
"""Ranks that one may be told from, and how many must agree for each that does not."""


def did_not_come(ev: Evidence, story: Story, *, crashes: list[str], victims: set[int]) -> tuple[int, ...]:
    """Ranks named late; else the ranks that reported no time-out while all others did; else the lowest sequence."""
    late: set[int] = set()
    for row in story.of(Kind.LATE_RANKS):
        late |= {int(n) for n in _NUMBERS.findall(str(row["subject"] or ""))}
    for message in crashes:
        if match := _BARRIER.search(message):
            late |= {int(n) for n in _NUMBERS.findall(match[1])}
    if late:
        return tuple(sorted(late))
    known = set(range(ev.world_size() or 0)) or set(ev.ranks()) - _tasks(story, victims)
    if known <= victims:
        # Who left no trace of any kind is seen by the gap in the numbers.
        known = set(range(max(said_world(story), max(known, default=-1) + 1)))
    absent = known - victims
    # One silent rank among many is the suspect; half of them silent says nothing about one.
    if victims and absent and len(absent) * 2 < len(known) + 1:
        return tuple(sorted(absent))
    return _behind(story)


def _tasks(story: Story, victims: set[int]) -> set[int]:
    """Numbers of srun's tasks that are no ranks: one started several, so ranks have higher numbers than tasks."""
    tasks = {int(death.row["rank"]) for death in story.deaths if death.row.get("rank_by") == "task"}
    told = {int(row["rank"]) for row in story.events if row["rank"] is not None}
    told |= {rank for crash in story.crashes for rank in crash.ranks}
    told |= set(story.steps["rank"].drop_nulls().to_list())
    return tasks - told - victims if tasks and max(told | victims, default=0) > max(tasks) else set()


def called_another(timeouts: list[Row]) -> tuple[int, ...]:
    """Ranks that waited in another collective than most, where all waited in the same place of one group's order.

    Numbers of different groups count apart, so that all ranks must name one number and each of them once.
    """
    told: dict[int, tuple[str, str]] = {}
    for row in timeouts:
        work = _WORK.search(str(row["text"]))
        if row["rank"] is None or work is None:
            return ()
        told.setdefault(int(row["rank"]), (work["seq"], f"{work['op']} {work['size'] or ''}"))
    counted = Counter(what for _, what in told.values())
    if len({seq for seq, _ in told.values()}) != 1 or len(counted) < 2:
        return ()
    usual, times = counted.most_common(1)[0]
    return tuple(sorted(r for r, (_, what) in told.items() if what != usual)) if times * 2 > len(told) else ()


def _behind(story: Story) -> tuple[int, ...]:
    """Ranks whose watchdog was stuck at a lower sequence number than most; in the group of all ranks only.

    Sequence numbers of different process groups, and ranks within them, say nothing about each other.
    """
    reached = {
        int(row["rank"]): int(row["num"])
        for row in story.of(Kind.COLLECTIVE_STATUS)
        if row["rank"] is not None and row["num"] is not None and "default_pg" in str(row["text"])
    }
    late = [rank for rank, number in reached.items() if number == min(reached.values())]
    if reached:
        return tuple(sorted(late)) if len(late) * 2 < len(reached) else ()
    return _in_the_one_before(story)


def _in_the_one_before(story: Story) -> tuple[int, ...]:
    """Ranks that waited in the collective right before the one that most waited in; all in the group of all ranks.

    Numbers next to each other are of one order: those of other groups run apart.
    """
    told: dict[int, int] = {}
    for row in story.of(Kind.COLLECTIVE_TIMEOUT):
        if row["rank"] is not None and (work := _WORK.search(str(row["text"]))):
            told.setdefault(int(row["rank"]), int(work["seq"]))
    counted = Counter(told.values())
    if len(counted) != 2 or len(told) < _LEAST_IN_ORDER:
        return ()
    (usual, times), (other, few) = counted.most_common()
    late = tuple(sorted(rank for rank, number in told.items() if number == other))
    return late if other == usual - 1 and few * _LEAST_IN_ORDER <= times else ()


def said_world(story: Story) -> int:
    """Ranks of the job, as what tells of its process group says; 0 where nothing does."""
    told = [row for row in story.of(Kind.PROCESS_GROUP_READY, Kind.PROCESS_GROUP_INIT) if row["text"]]
    sizes = [int(found[1] or found[2]) for row in told if (found := _WORLD.search(row["text"]))]
    sizes += [int(row["num"]) for row in told if row["num_unit"] == "ranks" and row["num"] is not None]
    return max(sizes, default=0)
