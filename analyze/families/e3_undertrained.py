"""E3: the run ended as planned, and the plan was too short to train anything."""

from __future__ import annotations

import itertools
import math
import re
import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._case import Claims
from inquest.analyze.families._curve import curve, series
from inquest.analyze.families._end import planned_end
from inquest.analyze.families._left_over import left_over
from inquest.analyze.families._margins import below_the_last_report, said_first, trouble_below
from inquest.analyze.families._of_how_much import last_line, of_how_much
from inquest.analyze.families._resumes import unproved_continuation
from inquest.analyze.families._rows import failing, told_by
from inquest.analyze.families._spoken_times import SAVES
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._end import PlannedEnd
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class Undertrained:
    """See the module."""

    id: str = "E3"
    name: str = "undertrained"
    needs: tuple[str, ...] = ("steps",)
    any_of: tuple[str, ...] = ()
    helps: tuple[str, ...] = ("exits",)

    def judge(self, ev: Evidence) -> Finding:
        """Few steps, a planned end, no failure."""
        story = tell(ev)
        first, last = story.first_step, story.last_step
        if last is None and (whole := _summed_up(ev, story)) is not None:
            first, last = 1, whole
        counted = story.steps.filter(pl.col("kind").is_in(["step", "bar"]))
        plan = _cut_short(ev, story)
        told = plan is not None and (plan.row is not None or plan.done is not None)
        if (first is None or last is None or (counted.is_empty() and plan is None)) and not told:
            return CannotDecide(because="Steps are not numbered, so they cannot be counted.", missing=("step numbers",))
        done = _done(story, first, last, plan)
        said = story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.MODEL_SAVED)
        if done <= 0 and plan is None and not said and counted["kind"].eq("bar").all():
            return CannotDecide(
                because="A bar was drawn that counted nothing; what the job did meanwhile is not told.",
                missing=("reports of progress",),
            )
        few = ev.threshold("e3.few_steps")
        if done <= few and not told and (whole := _of_epochs_above(story)) is not None and whole > few:
            return RuledOut(
                because=f"Its count began anew within its epochs, one of which came to {story.counted_in} {whole}.",
                would_change_if=f"at most {few:g} steps in all epochs",
                stores=("logs",),
            )
        warming = plan is None and done > few and _warmed_up_throughout(ev, story, done)
        warm_up = _before_its_schedule(ev, story, done) if plan is None and done > few and not warming else None
        hardly = plan is None and done > few and _hardly_began(ev, story, done)
        epoch = _epoch(ev, story, done) if plan is None and done > few else None
        if done > few and not (warming or warm_up or hardly or epoch) and plan is None:
            return RuledOut(
                because=f"{done} {story.counted_in}s were done.",
                would_change_if=f"at most {few:g} steps",
                stores=("logs",),
            )
        if (story.attempts["began_by"] == "new_run").any():
            return CannotDecide(
                because=f"{done} steps were done by the last of several trainings of a sweep, which may each be short.",
                missing=("how many steps each training of the sweep was to do",),
            )
        if story.failures or story.ended_well is False:
            return RuledOut(
                because="The run failed; it was not planned to be that short.",
                would_change_if="a planned end after these steps",
                stores=("logs",),
            )
        end = planned_end(ev, story)
        if done <= few and plan is None and of_many(ev, story):
            return CannotDecide(
                because=f"Only {done} reports were counted, each of which tells of many steps.",
                missing=("how many steps each of them was",),
            )
        if end is None and plan is None:
            return CannotDecide(
                because=f"Only {done} steps were seen, but whether the run ended as planned is not known.",
                missing=("the exit status or an end-of-training line",),
            )
        if (lacking := unproved_continuation(ev, story, left_out=True)) is not None:
            return CannotDecide(
                because=f"{done} steps were done by a job that the scheduler made wait for another, without a word of a"
                " load; whether it was to go on with that one's work is not known.",
                missing=(lacking,),
            )
        short = _Short(done, last, plan, warming, warm_up, hardly, epoch, done <= few)
        return _too_short(ev, story, end, short, (story.steps if counted.is_empty() else counted).row(-1, named=True))


@dataclass(frozen=True, slots=True)
class _Short:
    """How a run was too short.

    Attributes:
        done: How much was done.
        last: The last number reported, or summed up.
        plan: What was planned, where it came to a small part of that.
        warming: Whether its learning rate was still warming up in all of it.
        warm_up: The line that sets a warm-up which was longer than all of it, where its rates are not told.
        hardly: Whether its loss had hardly begun to fall.
        epoch: The steps of its first epoch, where it came to a part of that.
        few: Whether so little was done that no speed can be told of it.
    """

    done: int
    last: int | None
    plan: _Plan | None
    warming: bool
    warm_up: Row | None
    hardly: bool
    epoch: int | None
    few: bool


def _done(story: Story, first: int | None, last: int | None, plan: _Plan | None) -> int:
    """How much the run itself did."""
    if plan is not None and plan.row is not None:  # a summary may count what was planned
        return int(plan.row["num"])
    if plan is not None and plan.done is not None:
        return plan.done
    if first is not None and last is not None and story.of(Kind.CHECKPOINT_LOADED):
        return in_epochs(story) or last - first + 1
    return 0 if last is None else last + story.from_zero


def in_epochs(story: Story) -> int | None:
    """How many steps were done in all, where each epoch counts its own from the start; None where none does."""
    told = story.steps.filter(pl.col("step").is_not_null() & pl.col("epoch").is_not_null())
    told = told.filter(pl.col("total_steps").is_not_null() & pl.col("kind").ne_missing(str(Kind.VALIDATION)))
    each = told.group_by("source", "rank", "epoch").agg(pl.col("step").max()).sort("epoch")
    alone = each.group_by("source", "rank").agg(pl.len(), pl.col("step").sum(), rises=pl.col("step").diff().max())
    again = alone.filter((pl.col("len") > 1) & (pl.col("rises") <= 0))
    return int(again["step"].max()) if again.height else None  # type: ignore[arg-type]


def _of_epochs_above(story: Story) -> int | None:
    """The highest count of a log whose epochs only rise, where its last few reports count anew; None for any other.

    A loop that counts from the start in each epoch, or over its end, looks like one that went back and did little
    then. Where epochs fall, it did go back: to another fold, or to its start.
    """
    told = story.all_steps.filter(
        pl.col("kind").is_in(["step", "bar"]) & pl.all_horizontal(pl.col("step", "epoch", "total_steps").is_not_null())
    ).sort("line_seq", "seq", nulls_last=True)
    if told.is_empty():
        return None
    last = told.row(-1, named=True)
    told = told.filter(same_stream(last) & pl.col("rank").eq_missing(pl.lit(last["rank"], dtype=pl.Int64)))
    if told["epoch"].diff().min() != 0 or told["epoch"][0] >= last["epoch"] or told["total_steps"].n_unique() != 1:
        return None
    return int(told["step"].max())  # type: ignore[arg-type]


def _too_short(ev: Evidence, story: Story, end: PlannedEnd | None, short: _Short, row: Row) -> RuledIn:
    """It ended by itself or as planned, and too soon; ``row`` is its last report."""
    claims, losses, plan, done = Claims(ev, "E3"), curve(story), short.plan, short.done
    if short.last is not None:
        claims.over(f"Highest {story.counted_in} reported", "MAX", "step", "fact_steps", unit=f"{story.counted_in}s")
    if end is not None and end.row is not None:
        claims.row("Sign of the planned end", end.table, end.row, end.column)
    planned = story.total_steps if plan is None else plan.total
    about = "about " if plan is not None and plan.left is not None else ""
    total = f" of {about}{planned} planned" if planned else ""
    if short.epoch is not None:
        total = f" of the {short.epoch} of its first epoch"
    if plan is not None and plan.row is not None:
        claims.row("What it says of its end", "fact_events", plan.row, "text")
    if plan is not None and plan.set_by is not None:
        claims.row("What was set beside it", "fact_events", plan.set_by, "num")
    if plan is not None and plan.left is not None:
        claims.row("What it says is left", "log_lines", plan.left, "text")
    counted = plan.line if plan is not None else None
    if counted is not None:
        claims.row("What its last report tells", "log_lines", counted, "text")
    unsure = counted is not None or (plan is not None and plan.untold)
    only = ""
    if short.warming:
        claims.over("Highest learning rate reported", "MAX", "lr", "fact_steps", f"{losses.where} AND lr - lr = 0")
        only = ", in all of which its learning rate was still warming up"
    elif short.warm_up is not None:
        claims.row("What was set of its warm-up", "log_lines", short.warm_up, "text")
        only = ", in all of which its learning rate was to warm up"
    elif (short.hardly or short.epoch is not None) and losses.finite:
        claims.row("Last loss reported", "fact_steps", losses.numbers.row(-1, named=True), "loss")
        only = f", in which its loss went from {losses.head:.4g} to {losses.tail:.4g}"
    unit = f"{plan.unit if plan is not None and plan.unit else story.counted_in}{'s' if done != 1 else ''}"
    further = any((row["num"] or 0) > done + 1 for row in story.of(Kind.PLANNED_STEPS, Kind.PLANNED_EPOCHS))
    by = "by itself" if plan or further else "as planned"
    return RuledIn(
        because=f"The run ended {by} after {done} {unit}{total}{only}.",
        would_change_if="more steps, or a plan that only meant to try the job out",
        headline=f"The run trained for {done} {unit}{total} only{only}, then ended {by}.",
        claims=claims.all,
        support=(
            Support(
                told_by(row),
                f"{done} {unit} and a planned end",
                decisive=not (short.hardly or short.warm_up or about or unsure),
            ),
            *((Support("processes", "exit status 0"),) if _seen_to_end(story) else ()),
        ),
        attribution="job",
        scope="allocation",
        onset_ns=row["ts_ns"],
        severity="low",
        first_failing=replace(failing(row), rank=None),
        implies=(
            *((_NO_SPEED,) if short.few else ()),
            *(("The loss did not fall in them.",) if losses.fell is False else ()),
        ),
        next=Next("job", "Check max_steps, the length of the data set and the resume point; then run it in full."),
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """What was planned of a run that came to a small part of it, and the event that says so, where one does."""

    total: int
    row: Row | None
    set_by: Row | None = None
    """The setting that tells it, with how much was done, and of what."""
    done: int | None = None
    unit: str | None = None
    left: Row | None = None
    """The report whose clocks tell it, about."""
    line: Row | None = None
    """The report that tells how much of how much was done."""
    untold: bool = False
    """Whether no word of its own says that it is done."""


def _cut_short(ev: Evidence, story: Story) -> _Plan | None:
    """The plan of a run that says it is done after a small part of it, and not that a rule of its own stopped it."""
    validated = series(story, "eval_loss")
    part = ev.threshold("e3.of_plan")
    if story.of(Kind.EARLY_STOP) and len(validated) >= _EVERY and _still_gains(validated, curve(story).finite):
        return _planned(story, part) or _of_epochs(story, part)
    if any(row["pattern"] == _TIME_BUDGET for row in story.of(Kind.TRAINING_END)):
        set_to = [int(row["num"]) for row in story.of(Kind.PLANNED_STEPS) if row["num"]]
        due = story.total_steps or max(set_to, default=0)
        return _Plan(due, None) if 0 < (story.last_step or 0) <= _NEXT_TO_NOTHING * due else None
    if _says_why(ev, story) and (story.last_step or 0) > _NEXT_TO_NOTHING * (story.total_steps or 0):
        return None
    if story.of(*FOR_NOW) or any(row["pattern"] in BY_RULE for row in story.of(Kind.TRAINING_END)):
        return None
    plans = {int(row["num"]) for row in story.of(Kind.PLANNED_STEPS) if row["num"]}
    alone = plans.pop() if len(plans) == 1 else ""
    for row in story.of(Kind.DATA_EXHAUSTED):
        total = str(row["subject"] or story.total_steps or alone)
        if row["num"] is not None and total.isdecimal() and 0 < row["num"] <= _HALF * int(total):
            return _Plan(int(total), row)
    own = [row for row in story.of(Kind.TRAINING_END) if row["pattern"] == _OF_ITS_PLAN]
    if own and 0 < (own[-1]["num"] or 0) <= part * int(own[-1]["subject"]):
        return _Plan(int(own[-1]["subject"]), own[-1])  # whatever its counters or a state that it loaded tell
    said = story.of(Kind.TRAINING_END, Kind.MODEL_SAVED, Kind.TRAIN_SUMMARY)
    of_the_final = not said and _speaks_of_the_final_model(ev, story)
    ended = said or story.ended_well or story.of(Kind.FAREWELL) or of_the_final
    if not ended or story.of(Kind.CHECKPOINT_LOADED):
        return None
    next_to_nothing = _planned(story, _NEXT_TO_NOTHING)
    gained = len(validated) > 1 and min(validated) <= ev.threshold("g1.no_fall") * validated[0]
    if len(validated) > 1 and min(validated) < validated[-1] and (gained or next_to_nothing is None):
        return None  # it was past its best: a rule may have stopped it without a word
    if not said:
        # Last words tell less than an end of training does: they are believed of next to nothing.
        taken_leave = next_to_nothing if story.of(Kind.FAREWELL) else None
        whole = _of_told_epochs(ev, story, part) if of_the_final else None
        by_itself = story.ended_well and any(re.search(SAVES, text) for text in below_the_last_report(ev, story))
        counted = _by_its_reports(ev, story, _NEXT_TO_NOTHING) if by_itself else None
        limited = _by_its_limit(ev, story, part) if story.ended_well else None
        told = taken_leave or (_set_beside(story, part) if story.ended_well else None) or whole or limited or counted
        return told or _hardly_any(ev, story)
    return (
        _planned(story, part)
        or _set_beside(story, part, own=True)
        or _part_of_an_epoch(ev, story, part)
        or _by_its_clocks(ev, story, part)
        or _of_told_epochs(ev, story, part)
        or _by_its_reports(ev, story, part)
        or _hardly_any(ev, story)
    )


def _hardly_any(ev: Evidence, story: Story) -> _Plan | None:
    """The plan that reports, a word or a setting tell, of which next to nothing was done when it left with status 0.

    No word says why, in whatever language it spoke: nothing failed, nobody ended it, and no rule of its own would have
    so soon.
    """
    end = story.end_status
    if end is None or end.exit_code != 0 or end.term_signal or _tells_a_rule(ev, story):
        return None
    plan = _least_plan(ev, story)
    return None if plan is None else replace(plan, untold=True)


def _least_plan(ev: Evidence, story: Story) -> _Plan | None:
    if (told := _planned(story, _NEXT_TO_NOTHING) or _of_told_epochs(ev, story, 1 / _FEW_EPOCHS)) is not None:
        return told
    last = story.last_step if story.unit == "step" and not one_by_one(story) else None
    rows = [row for row in story.of(Kind.PLANNED_STEPS) if row["num"] and not _LOOSE.fullmatch(str(row["subject"]))]
    least = min(rows, key=lambda row: row["num"], default=None)
    if least is not None and last is not None and story.total_steps is None:
        return (
            _Plan(int(least["num"]), None, least, last, "step") if 0 < last <= _NEXT_TO_NOTHING * least["num"] else None
        )
    epochs = story.steps["total_epochs"].drop_nulls().unique()
    if len(epochs) == 1 and epochs[0] >= _FEW_EPOCHS and epochs_done(story) == 1 and story.total_steps is not None:
        whole = int(epochs[0]) * story.total_steps  # each report tells how many an epoch has
        return _Plan(whole, None, None, story.last_step) if 0 < (story.last_step or 0) < story.total_steps else None
    begun = _of_epochs(story, 1 / _FEW_EPOCHS)
    return begun if begun is not None and begun.done == 1 else None


_FEW_EPOCHS: Final = 20
"""Of so many epochs one is next to nothing."""


def _of_told_epochs(ev: Evidence, story: Story, part: float) -> _Plan | None:
    """The plan of epochs that each report tells beside its own, hardly any of them begun: no patience ends so soon.

    Whoever stops by another rule says so in words of his own.
    """
    told = story.steps["total_epochs"].drop_nulls().unique()
    done = epochs_done(story)
    if story.total_steps is not None or len(told) != 1 or done is None:
        return None
    if _tells_a_rule(ev, story):
        return None
    total = int(told[0])
    return _Plan(total, None, None, done, "epoch") if 0 < done <= min(_NO_PATIENCE, part * total) else None


_NO_PATIENCE: Final = 2
"""Epochs after which no rule has seen yet that nothing is gained any more."""


def _tells_a_rule(ev: Evidence, story: Story) -> bool:
    return any(_BY_A_RULE.search(text[:_LONG]) for text in below_the_last_report(ev, story))


_BY_A_RULE: Final = re.compile(
    r"(?i)\bearly\b|patience|improv|plateau|\bstopp|converg|budget|limit|\btime (?:is|was|used|up|over)\b|interrupt"
    r"|\barr[êe]t|anticip|amélior|épuis|écoul|limite|früh|abgebrochen|verbesser|abgelaufen|grenze|parad[ao]|mejor[aó]"
    r"|melhor|agotad|esgotad|fermat|migliora|esaurit|ранн|останов|улучш|истек|исчерпан|stopgezet|przerwan|popraw"
    r"|早停|提前|停止|改善|用尽|早期|打ち切|조기|중단|개선"
)
"""Words of a patience, a limit or a person that ended it."""


def _speaks_of_the_final_model(ev: Evidence, story: Story) -> bool:
    """Whether its last words tell how the final model did, and that something was written, and of no trouble.

    Of a save alone nothing says that it was the last one.
    """
    below = [text[:_LONG] for text in below_the_last_report(ev, story) if text.strip()]
    if not 0 < len(below) <= _BELOW or trouble_below(ev, story) is not None:
        return False
    final = any(_OF_THE_FINAL.search(text) and re.search(r"\d", text) for text in below)
    return final and any(re.search(SAVES, text) for text in below)


def _by_its_limit(ev: Evidence, story: Story, part: float) -> _Plan | None:
    """The plan that reports tell, in whatever language, of a run that came to a limit which is set to less."""
    last = story.last_step
    if last is None or story.unit != "step":
        return None
    lines = [*said_first(ev, story), *below_the_last_report(ev, story)]
    limits = (int(found.replace("_", "")) for text in lines for found in _LIMIT.findall(text[:_LONG]))
    if not any(0 <= limit - last <= 1 for limit in limits):
        return None
    told = of_how_much(ev, curve(story)) if story.total_steps is None else None
    if told is None or told.have != last or not 0 < told.have <= part * told.want:
        return _planned(story, part)
    return _Plan(round(told.want), None, None, last, "step", line=last_line(ev, curve(story)))


_LIMIT: Final = re.compile(r"(?i)(?<![\w.])(?:[\w.]*[_.-])?max[_-]\w+[\"']?\s*[=:]\s*(\d[\d_]*)\b(?![.,]\d)")
"""What a program is told, or says, of the most that it may do: ``max_steps=60``."""

_OF_THE_FINAL: Final = re.compile(
    r"(?i)\bfinal (?:model|network|weights|net|policy)\b|\b(?:mod[eè]l[eo]|r[ée]seau|red|rete|rede) final[e]?\b"
    r"|\b(?:endgültig|final)e[nrs]? (?:modell?s?|netz\w*)\b|\b(?:eind|slut|ende?)modell?\b|\bmodelu? końcow\w+"
    r"|(?:итогов|финальн)\w+ (?:модел|сет)\w+|最终(?:的)?模型|最終モデル|최종 ?모델|\b(?:nihai|son) model"
)


def _by_its_clocks(ev: Evidence, story: Story, part: float) -> _Plan | None:
    """The plan by the time that the last reports say is left, where next to all of it was."""
    told = left_over(ev, story)
    if told is None or told.done > part or _tells_a_rule(ev, story):
        return None
    digits = len(str(told.steps)) - _TOLD_BY_TIMES
    return _Plan(round(told.steps, -digits) if digits > 0 else told.steps, None, left=told.row)


def _by_its_reports(ev: Evidence, story: Story, part: float) -> _Plan | None:
    """The plan in units of the reports' own, where another number than that is their step: ``frame 2683/400000``."""
    losses = curve(story)
    told = None if story.total_steps is not None or _tells_a_rule(ev, story) else of_how_much(ev, losses)
    if told is None or not _WORK.fullmatch(told.unit) or told.have == story.last_step:
        return None
    if not 0 < told.have <= part * told.want:
        return None
    line = last_line(ev, losses)
    return None if line is None else _Plan(round(told.want), None, None, round(told.have), told.unit, line=line)


_WORK: Final = re.compile(
    r"(?:env_?|time|train_?)?(?:steps?|frames?|iter(?:ation)?s?|updates?|batch(?:es)?|tokens?|samples?|examples?|images?"
    r"|sequences?|epochs?|rounds?|episodes?|games?)"
)
"""Words for what is worked through; a buffer or a queue has so much of so much in it."""
_TOLD_BY_TIMES: Final = 2
"""Digits of a number of steps that times of a second or so tell."""


def hardly_any_of_plan(ev: Evidence, story: Story) -> tuple[int, int] | None:
    """How many steps were done of how many, where it was next to nothing: too few to tell whether it learns."""
    plan = None if story.failures or story.ended_well is False else _cut_short(ev, story)
    if plan is None or (plan.unit not in (None, "step")) or (story.unit != "step" and plan.row is None):
        return None
    done = _done(story, story.first_step, story.last_step, plan)
    few = 0 < done <= min(ev.threshold("e3.warm_up_steps"), _NEXT_TO_NOTHING * plan.total)
    return (done, plan.total) if few else None


def _summed_up(ev: Evidence, story: Story) -> int | None:
    """The steps that the Trainer said at its start, where it summed up what no report numbers, and nothing cut short.

    As many reports as that are one of each step.
    """
    if not story.of(Kind.TRAIN_SUMMARY) or story.of(Kind.DATA_EXHAUSTED, *FOR_NOW):
        return None
    told = {int(found[1].replace(",", "")) for text in said_first(ev, story) if (found := _TOTAL.search(text))}
    return told.pop() if len(told) == 1 and story.steps["loss"].count() in told else None


_TOTAL: Final = re.compile(r"Total optimization steps = (\d[\d,]{0,12})\b")
_HALF: Final = 0.5
"""Part of its plan by which a program that says that its data came to their end did far less than it was to do."""


def of_many(ev: Evidence, story: Story) -> bool:
    """Whether the last report tells of many updates that were made in what it counts, as in a round."""
    last = story.steps.filter(pl.col("line_seq").is_not_null())
    if last.is_empty():
        return False
    row = last.sort("line_seq").row(-1, named=True)
    text = ev.scan("log_lines").filter(same_stream(row) & (pl.col("seq") == row["line_seq"])).select("text")
    told = _UPDATES.search((text.collect()["text"].to_list() or [""])[0] or "")
    return told is not None and int(told[1].replace(",", "").replace("_", "")) > ev.threshold("d.least_steps")


_UPDATES: Final = re.compile(
    r"(?i)(?<![\d/.])(\d[\d,_]{0,12}) (?:gradient |optimi[sz]er )?(?:updates|steps|iterations)\b"
)


def _says_why(ev: Evidence, story: Story) -> bool:
    """Whether the lines right below the last report say that a budget, a target or a criterion was met."""
    last = story.steps.filter(pl.col("line_seq").is_not_null())
    if last.is_empty():
        return False
    row = last.sort("line_seq").row(-1, named=True)
    below = ev.scan("log_lines").filter(
        same_stream(row) & pl.col("seq").is_between(row["line_seq"] + 1, row["line_seq"] + _BELOW)
    )
    return any(_WHY.search((text or "")[:_LONG]) for text in below.select("text").collect()["text"])


_BELOW: Final = 8
_LONG: Final = 300
_WHY: Final = re.compile(
    r"(?i)\b(?:budget|target|goal|criteri(?:on|a)|quota)\b.{0,60}"
    r"\b(?:reached|met|hit|used up|exhausted|spent|satisfied)\b"
    r"|\b(?:reached|met|hit|exhausted|satisfied|used up)\b.{0,40}\b(?:budget|target|goal|criteri(?:on|a)|quota)\b"
    r"|(?<!not )(?<!n't )\bconverged\b"
)
"""What a job says that ends before its plan by a rule of its own."""


def _part_of_an_epoch(ev: Evidence, story: Story, part: float) -> _Plan | None:
    """The plan of epochs, where reports count nothing but parts of one, and the steps that were said are known."""
    told = story.steps["epoch"].drop_nulls().to_list()
    plans = [row for row in story.of(Kind.PLANNED_EPOCHS) if row["num"]]
    steps = {int(found[1].replace(",", "")) for text in said_first(ev, story) if (found := _TOTAL.search(text))}
    if story.last_step is not None or not told or len({row["num"] for row in plans}) != 1 or len(steps) != 1:
        return None
    share = max(told) / plans[0]["num"]
    whole, done = max(steps), round(share * max(steps))
    if not 0 < share <= part or max(told) >= 1 or done < 1:
        return None
    return _Plan(whole, None, plans[0], done, "step")


def _set_beside(story: Story, part: float, *, own: bool = False) -> _Plan | None:
    """The plan by files beside the reports, where no more than ``part`` of any was done, and they set no other rule.

    With ``own`` the program's word on its steps counts as well: it said that it is done.
    """
    if story.total_steps is not None or story.of(Kind.STOP_RULE) or story.last_step is None:
        return None
    found = None
    for kind, unit, done in (
        (Kind.PLANNED_EPOCHS, "epoch", epochs_done(story)),
        (Kind.PLANNED_STEPS, "step", story.last_step if story.unit == "step" else None),
    ):
        # What is told one by one may be rounds of many of the said steps, and epochs that a log begins with, old ones.
        its_word = own and kind == Kind.PLANNED_STEPS and not (one_by_one(story) or series(story, "score"))
        rows = [row for row in story.of(kind) if (its_word or row["pattern"] in _SET) and row["num"]]
        if not rows or done is None:
            continue
        least = min(rows, key=lambda row: row["num"])
        if not 0 < done <= part * least["num"] or _LOOSE.fullmatch(str(least["subject"])):
            return None
        found = _Plan(int(least["num"]), None, least, done, unit)
    return found


def _of_epochs(story: Story, part: float) -> _Plan | None:
    """The plan of epochs that was said or set, of which no more than ``part`` was done."""
    rows, done = [row for row in story.of(Kind.PLANNED_EPOCHS) if row["num"]], epochs_done(story)
    if not rows or done is None:
        return None
    least = min(rows, key=lambda row: row["num"])
    return _Plan(int(least["num"]), None, least, done, "epoch") if 0 < done <= part * least["num"] else None


def one_by_one(story: Story) -> bool:
    """Whether reports are numbered one by one from the start: whatever they count, they may each be of much."""
    told = story.steps["step"].drop_nulls().unique().sort()
    return len(told) > 1 and told[0] in (0, 1) and told[-1] - told[0] + 1 == len(told)


_SET: Final = ("settings.steps", "settings.epochs")
_LOOSE: Final = re.compile(r"(?i)(?:.*[./])?(?:n_|num_?)?(?:steps|iters|iterations|updates)")
"""Names that may count parts of steps, or steps of something else."""


def epochs_done(story: Story) -> int | None:
    """Epochs that were begun, as far as reports number them."""
    told = story.steps["epoch"].drop_nulls()
    low, high = told.min(), told.max()
    if not isinstance(low, float) or not isinstance(high, float):
        return None
    return math.ceil(high) + (low < 1 and high == int(high))


def _still_gains(validated: list[float], losses: list[float]) -> bool:
    """Whether each validation was better than the one before, or but for a twitch of the last: nothing to stop for."""
    fell = [high - low for high, low in itertools.pairwise(validated)]
    if sum(fell[-_EVERY:]) <= _NEXT_TO_NOTHING * (validated[0] - validated[-1]):
        return False  # rules ask for more than any gain at all
    twitched = fell[-1] <= 0 and len(fell) >= _EVERY and -fell[-1] <= _TWITCH * statistics.median(fell[:-1])
    trains_on = len(losses) >= _EVERY and losses == sorted(set(losses), reverse=True)
    return min(fell[:-1]) > 0 and (fell[-1] > 0 or (twitched and trains_on))


_TWITCH: Final = 0.1
"""Part of its usual fall by which a validation loss may rise by chance, while the loss of training goes on falling."""


_EVERY: Final = 3


def _planned(story: Story, part: float) -> _Plan | None:
    """The plan where no more than ``part`` of it was done."""
    total, last = story.total_steps, story.last_step
    return _Plan(total, None) if total is not None and last is not None and 0 < last <= part * total else None


FOR_NOW: Final = (Kind.EARLY_STOP, Kind.PLANNED_EXIT, Kind.SIGNAL_RECEIVED, Kind.REQUEUED, Kind.TIME_LIMIT)
"""What ends a run early by a rule, or a part of it: long trainings are made in several jobs."""
_OF_ITS_PLAN: Final = "loop.done_of_plan"
_TIME_BUDGET: Final = "lightning.time_budget"
BY_RULE: Final = (
    _TIME_BUDGET,
    "lightning.early_stop",
    "skorch.early_stop",
    "boosting.stopped",
    "sklearn.perceptron_stopped",
)
"""Ends that a rule of the job's own brought about."""


def _epoch(ev: Evidence, story: Story, done: int) -> int | None:
    """How many steps an epoch has of which a handful was done, as bars tell it, in a run that says that it is done.

    Or that did something else afterwards, and left with status 0, without a word of a rule.
    """
    bars = story.steps.filter((pl.col("kind") == "bar") & (pl.col("epoch").fill_null(0) < 1))["total_steps"].max()
    said = story.of(Kind.TRAINING_END, Kind.MODEL_SAVED, Kind.TRAIN_SUMMARY)
    end = story.end_status
    left = end is not None and end.exit_code == 0 and not end.term_signal
    if story.of(Kind.CHECKPOINT_LOADED) or not isinstance(bars, int):
        return None
    if not said and (not left or story.of(*FOR_NOW) or _tells_a_rule(ev, story)):
        return None
    if not said and not below_the_last_report(ev, story):
        return None
    if done <= ev.threshold("d.least_steps") and done <= _NEXT_TO_NOTHING * bars:
        return bars
    epochs = min((row["num"] for row in story.of(Kind.PLANNED_EPOCHS) if row["num"]), default=0)
    trial = epochs >= _FEW_EPOCHS and done <= min(ev.threshold("e3.warm_up_steps"), _HALF * bars)
    # A trial of so little of what was set, by name, needs no level loss to be one.
    return bars if trial and _learnt_nothing(ev, story, ev.threshold("e1.learned")) else None


_NEXT_TO_NOTHING: Final = 0.01


def _hardly_began(ev: Evidence, story: Story, done: int) -> bool:
    """True where a run of some steps more, which loaded nothing, learned next to nothing, and nothing else gained."""
    if done > _A_FEW_MORE * ev.threshold("e3.few_steps"):
        return False
    return story.unit == "step" and _learnt_nothing(ev, story, ev.threshold("e3.hardly_learned"))


def _learnt_nothing(ev: Evidence, story: Story, part: float) -> bool:
    """Whether the loss of a run that loaded nothing came down by less than ``part``, and nothing tells of more."""
    losses = curve(story)
    if losses.head is None or losses.tail is None or losses.head <= 0:
        return False
    beside = any(series(story, column) for column in ("score", "accuracy"))
    learnt = losses.tail <= (1 - part) * losses.head
    return not (story.loads or beside or learnt) and len(losses.finite) > 1


_A_FEW_MORE: Final = 3


def _warmed_up_throughout(ev: Evidence, story: Story, done: int) -> bool:
    """True where the rate climbed from next to nothing at every report of a short run, and little was learnt."""
    losses = curve(story)
    rates = losses.frame["lr"].drop_nulls().to_list()
    if done > ev.threshold("e3.warm_up_steps") or len(rates) < ev.threshold("e3.few_steps") or losses.head is None:
        return False
    climbs = all(low < high for low, high in itertools.pairwise(rates)) and rates[0] * len(rates) <= _NEXT * rates[-1]
    # Steps of one size: a search for the best rate multiplies it.
    gaps = [high - low for low, high in itertools.pairwise(rates)]
    even = max(gaps) <= _EVEN * min(gaps)
    learnt = losses.tail is not None and losses.tail <= (1 - ev.threshold("e1.learned")) * losses.head
    return climbs and even and (not learnt or _warms_up_for(ev) >= _FAR * done)


def _warms_up_for(ev: Evidence) -> int:
    """Steps for which the learning rate is set to rise, as the head of the log tells; 0 where it does not."""
    if not ev.has("log_lines"):
        return 0
    told = pl.col("text").str.slice(0, _WIDTH).str.extract(_WARM_UP).cast(pl.Int64, strict=False)
    return int(ev.scan("log_lines").filter(pl.col("seq") < _HEAD_LINES).select(told.max()).collect().item() or 0)


_WARM_UP: Final = r"(?i)\bwarm[-_ ]?up[-_ ]?(?:steps|updates|iters|iterations)?['\"]?\s?[=:]\s?(\d{1,9})\b"
_HEAD_LINES: Final = 400
_WIDTH: Final = 4000
_FAR: Final = 2
"""A warm-up of so many times what was done had hardly begun."""


def _before_its_schedule(ev: Evidence, story: Story, done: int) -> Row | None:
    """The line that sets a warm-up which was not over at the end, where what was set to follow it is far longer.

    Of a handful of steps a warm-up that is twice as long as they tells enough.
    """
    if not ev.has("log_lines") or story.unit != "step" or story.loads or story.of(*FOR_NOW):
        return None
    text = pl.col("text").str.slice(0, _WIDTH)
    told = [text.str.extract(words).cast(pl.Int64, strict=False) for words in (_WARM_UP_SET, _SCHEDULE)]
    head = ev.scan("log_lines").filter(pl.col("seq") < _HEAD_LINES).with_columns(warm_up=told[0], whole=told[1])
    rows = head.filter(pl.col("warm_up").is_not_null() | pl.col("whole").is_not_null()).sort("seq").collect()
    set_to = rows.filter(pl.col("warm_up") > 0)
    if set_to.is_empty() or set_to["warm_up"].n_unique() > 1 or done >= (warm_up := int(set_to["warm_up"][0])):
        return None
    whole = rows["whole"].max()
    far = isinstance(whole, int) and done <= ev.threshold("e3.of_plan") * whole and warm_up < whole
    few = done <= ev.threshold("e3.warm_up_steps") and _FAR * done <= warm_up
    return set_to.row(0, named=True) if far or few else None


_ENDS: Final = r"(?:[,;|\"'\])}]|\s*$|\s+(?:-|[\w-]{1,40}\s?[=:]))"
"""What follows a number that is no part of a longer one, and bears no unit."""
_WARM_UP_SET: Final = (
    r"(?i)(?:\bwarm[-_ ]?up[-_ ]?(?:steps|updates|iters|iterations)[\"']?\s?[=:]?\s?"
    rf"|--(?:[a-z]{{1,12}}[-_])?warm[-_]?up[ =])(\d{{1,9}}){_ENDS}"
)
"""A warm-up of so many steps, as a setting or as an option of a command."""
_SCHEDULE: Final = (
    r"(?i)(?:\b(?:lr[-_ ]?)?decay[-_ ]?(?:steps|iters|iterations|updates)|\bt_?max|\blr[-_]total[-_](?:steps|iters)"
    rf"|\bnum[-_]training[-_]steps|\btotal[-_](?:num[-_])?updates?)[\"']?\s?[=: ]\s?(\d{{1,9}}){_ENDS}"
)
"""How many steps the schedule of a learning rate is set to last."""
_NO_SPEED: Final = "Rates and ratios over so few steps mean nothing, so speed is not judged."
_NEXT: Final = 3
"""A warm-up from 0 begins at one part in as many as it has reports, or little above."""
_EVEN: Final = 1.5


def _seen_to_end(story: Story) -> bool:
    """True when somebody other than the tracker that counted the steps tells of exit status 0."""
    end = story.end_status
    return bool(story.ended_well) and end is not None and told_by(end.row) != "metrics"


FAMILY: Final = Undertrained()
