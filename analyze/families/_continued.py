"""A run held against the one that it continues: whether its loss went on where that one's had come to."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from inquest.analyze.families._case import Claims
from inquest.analyze.families._compared import dependencies
from inquest.analyze.families._curve import curve
from inquest.analyze.families._set_back import TAIL
from inquest.analyze.families._telling import tell
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    import polars as pl

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import Claim


def _last_save(story: Story) -> Row | None:
    """The last save of a run that names its path."""
    saves = [row for row in story.all_events if row["kind"] == Kind.CHECKPOINT_SAVED and row["subject"]]
    return saves[-1] if saves else None


def saved_by_parent(ev: Evidence, family: str) -> tuple[str | None, tuple[Claim, ...]]:
    """What the parent saved last, and the claim of it; nothing where there is no parent or it saved nothing."""
    parent = ev.other("parent")
    row = None if parent is None else _last_save(tell(parent))
    if parent is None or row is None:
        return None, ()
    claims = Claims(parent, family)
    claims.row("Last checkpoint the parent saved", "fact_events", row, "subject")
    return str(row["subject"]), claims.all


@dataclass(frozen=True, eq=False)
class After:
    """A run and the one it continues."""

    ev: Evidence
    story: Story
    parent: Evidence

    @cached_property
    def before(self) -> Story:
        """What the parent's evidence tells."""
        return tell(self.parent)

    @cached_property
    def _mine(self) -> pl.DataFrame:
        return curve(self.story).numbers

    @cached_property
    def _theirs(self) -> pl.DataFrame:
        return curve(self.before).numbers

    @property
    def first(self) -> Row:
        """The first report of the run, of a loss where there is one."""
        told = self._mine if self._mine.height else self.story.steps.sort("line_seq", "seq", nulls_last=True)
        return told.row(0, named=True)

    @property
    def begin(self) -> float:
        """Loss the parent began with."""
        return float(self._theirs["loss"][0])

    @cached_property
    def reached(self) -> float | None:
        """Loss the parent had come to; None where it tells too few or learned nothing, or the run tells none."""
        if self._mine.is_empty() or self._theirs.height <= TAIL:
            return None
        tail = float(statistics.median(self._theirs["loss"].tail(TAIL)))
        return tail if tail < self.begin else None

    @property
    def again(self) -> float:
        """Loss the run began with."""
        return float(self._mine["loss"][0])

    @property
    def _back(self) -> float:
        """How much of what the parent had learned was gone at first, and stayed so: 0 to 1, or a little beyond."""
        settled = float(statistics.median(self._mine["loss"].head(3)))
        least = min(self.again, settled) if self.loaded is not None else self.again
        return (least - (self.reached or 0.0)) / (self.begin - (self.reached or 0.0))

    @property
    def foreign(self) -> bool:
        """True where the loss cannot be the one the parent reported."""
        return self.begin > 0 and self.again > self.begin * self.ev.threshold("parent.unlike")

    @property
    def went_on(self) -> bool:
        """True where the loss went on where the parent's had come to."""
        return self._back <= self.ev.threshold("parent.continued")

    @property
    def forgotten(self) -> bool:
        """True where the loss began anew."""
        return self._back > self.ev.threshold("parent.forgotten")

    @property
    def loaded(self) -> Row | None:
        """The line that says a checkpoint was loaded."""
        return next(iter(self.story.of(Kind.CHECKPOINT_LOADED)), None)

    @property
    def saved(self) -> Row | None:
        """The last save of the parent that names its path."""
        return _last_save(self.before)

    @cached_property
    def waited(self) -> Row | None:
        """The scheduler's row that says this run had to wait for the parent."""
        job = self.parent.info.job_id
        if job is None or job not in dependencies(self.ev):
            return None
        rows = self.ev.frame("slurm_jobs").drop_nulls("dependency").iter_rows(named=True)
        return next((row for row in rows if job in row["dependency"]), None)

    def claims(self, family: str, *, losses: bool) -> tuple[Claim, ...]:
        """What both runs show of it."""
        mine, theirs = Claims(self.ev, family), Claims(self.parent, family)
        if losses:
            mine.row("Loss at the first report", "fact_steps", self.first, "loss")
            theirs.row("Loss at the parent's first report", "fact_steps", self._theirs.row(0, named=True), "loss")
            last = ", ".join(str(seq) for seq in self._theirs["seq"].tail(TAIL))
            where = f"{curve(self.before).where} AND seq IN ({last})"
            theirs.over("Median loss of the parent's last reports", "MEDIAN", "loss", "fact_steps", where)
        else:
            mine.row("First step reported", "fact_steps", self.first, "step", "steps")
            theirs.over("Last step the parent reported", "MAX", "step", "fact_steps", "kind = 'step'", unit="steps")
        if self.saved is not None:
            theirs.row("Last checkpoint the parent saved", "fact_events", self.saved, "subject")
        if self.waited is not None:
            mine.row("What the scheduler made the run wait for", "slurm_jobs", self.waited, "dependency")
        return (*mine.all, *theirs.all)
