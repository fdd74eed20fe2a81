"""Attempts that began again where the one before them had long been, and were no training of their own."""

from __future__ import annotations

import difflib
import itertools
import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._curve import swings
from inquest.analyze.families._set_back import STRIDES
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


def went_back(ev: Evidence, story: Story, but: frozenset[str] = frozenset()) -> tuple[Row, Row] | None:
    """Two attempts of one source, the later one beginning where the earlier one had long been, with nothing loaded.

    Attempts that began by one of ``but`` are no restarts.
    """
    if any(_AT_NOTHING.search(str(row["text"])) is None for row in story.of(Kind.CHECKPOINT_LOADED)):
        return None
    rows = story.attempts.sort("node", "source", "attempt").iter_rows(named=True)
    before: Row | None = None
    for row in rows:
        same = before is not None and (before["node"], before["source"]) == (row["node"], row["source"])
        if (
            before is not None
            and same
            and (row["began_by"] not in but or _was_to_go_on(ev, story, before, row))
            and not _beside(before, row)
            and before["last_step"] is not None
            and row["first_step"] is not None
            and row["first_step"] * 2 <= before["last_step"]
            and not (
                _finished(story, before, restarted=row["began_by"] == "restart_line")
                and not _was_to_go_on(ev, story, before, row)
            )
            and not _tried_again(story, before)
            and not _with_other_means(ev, story, before, row)
            and not (_called_off(story, before) and not _was_to_go_on(ev, story, before, row))
            and not _of_another_trial(ev, story, before, row)
            and not (_of_other_settings(ev, story, before, row) and not _was_to_go_on(ev, story, before, row))
            and _loss_went_back(story, before, row)
            and (not (_in_turn(story, before) or _copied(story, before, row)) or _was_to_go_on(ev, story, before, row))
        ):
            return before, row
        if row["last_step"] is not None or not same:
            before = row
    return None


_AT_NOTHING: Final = re.compile(r"\bat (?:iteration|step|rollout) +0\b")
"""Of a state that was taken: of the model that training begins with."""


def began_anew_longer(story: Story) -> Row | None:
    """A line that a state was looked for in vain, where a longer training begins below one that was done and saved.

    Its loss is back where that one had begun: a slice of one training that was to go on. Of several trainings each
    looks for a state of its own.
    """
    said = [row for row in story.all_events if row["kind"] in (Kind.NO_CHECKPOINT_FOUND, Kind.CHECKPOINT_SKIP)]
    if not said or story.of(Kind.CHECKPOINT_LOADED):
        return None
    attempts = story.attempts.sort("node", "source", "attempt").to_dicts()
    for before, after in itertools.pairwise(attempts):
        first, then = (story.all_steps.filter(same_stream(each), _of(each)) for each in (before, after))
        plans = first["total_steps"].max(), then["total_steps"].max()
        if not isinstance(plans[0], int) or not isinstance(plans[1], int) or plans[0] >= plans[1]:
            continue
        mine, later = first["line_seq"].drop_nulls().to_list(), then["line_seq"].drop_nulls().to_list()
        if before["source"] != after["source"] or not mine or not later:
            continue
        begin, end, again = min(mine), max(mine), min(later)
        told = [row for row in said if row["source"] == after["source"] and row["line_seq"] is not None]
        looked = next((row for row in told if end < row["line_seq"] < again), None)
        own = next((row for row in told if row["line_seq"] < begin), None)
        saved = any(
            row["kind"] in (Kind.CHECKPOINT_SAVED, Kind.MODEL_SAVED) and begin < (row["line_seq"] or 0) < again
            for row in story.all_events
        )
        if looked and (saved if own is None else _alike(own, looked)) and _loss_went_back(story, before, after):
            return looked
    return None


def _of(attempt: Row) -> pl.Expr:
    return pl.col("attempt") == pl.lit(attempt["attempt"])


def _alike(one: Row, other: Row) -> bool:
    """Whether two lines name the same place, or one of them with a slip of the pen."""
    said, also = str(one["text"])[:_SHOWN], str(other["text"])[:_SHOWN]
    if re.findall(r"\d+", said) != re.findall(r"\d+", also):
        return False
    return difflib.SequenceMatcher(None, said, also, autojunk=False).ratio() >= _SLIP


_SLIP: Final = 0.97
"""A letter of thirty."""
_SHOWN: Final = 200


def _beside(before: Row, row: Row) -> bool:
    """True for two tasks of one node, each recorded on its own: their sources bear one name, and they ran together."""
    apart = before["end_ns"] is not None and row["ts_ns"] is not None and row["ts_ns"] > before["end_ns"]
    return row["began_by"] == "start" and (before["rank"] != row["rank"] or not apart)


def _in_turn(story: Story, attempt: Row) -> bool:
    """True of three attempts and more that all ended at the same step: folds, or seeds; no chance ends so.

    Unless all of them ended far from their plan: parts of one time, each of which began anew.
    """
    begun = story.attempts.filter((pl.col("node") == attempt["node"]) & pl.col("source").eq_missing(attempt["source"]))
    steps = begun["last_step"].drop_nulls()
    long = len(_losses(story, attempt)) >= _MANY and "restart_line" not in begun["began_by"]
    plans = story.all_steps.filter((pl.col("node") == attempt["node"]) & pl.col("epoch").is_null())["total_steps"]
    least = plans.min()
    if isinstance(least, int) and plans.null_count() == 0 and 2 * int(steps.max() or 0) < least:  # type: ignore[arg-type]
        return False
    return len(steps) >= STRIDES and steps.n_unique() == 1 and long


def _was_to_go_on(ev: Evidence, story: Story, before: Row, row: Row) -> bool:
    """Whether a line between the reports of two attempts says that the later one goes on with that work."""
    told = story.all_steps.filter(same_stream(row) & pl.col("line_seq").is_not_null())
    last = told.filter(_of(before))["line_seq"].max()
    first = told.filter(_of(row))["line_seq"].min()
    if not isinstance(last, int) or not isinstance(first, int) or not ev.has("log_lines"):
        return False
    between = ev.scan("log_lines").filter(same_stream(row) & pl.col("seq").is_between(last + 1, first - 1))
    texts = between.sort("seq").tail(_LINES_BETWEEN).select(pl.col("text").fill_null("")).collect()["text"]
    return any(_WITH_WHAT_CAME_BEFORE.search(text[:_SHOWN]) for text in texts)


_LINES_BETWEEN: Final = 200
_WITH_WHAT_CAME_BEFORE: Final = re.compile(
    r"(?i)\b(?<!not )(?:continu(?:es?|ing)|resum(?:es?|ing)|go(?:es|ing) on|pick(?:s|ing) up)\b[^.;]{0,30}?\b(?:"
    r"(?:part|job|run|attempt|chunk|segment|slice|link|leg) (?:before|above)\b"
    r"|(?:previous|last|preceding|earlier|prior) (?:part|job|run|attempt|chunk|segment|slice|link|leg)\b"
    r"|where (?:it|the|that|we|part|job|run)\b"
    r"|(?:from|with) (?:the |its |our |that )?(?:\d[\d.,]*k? |last |saved |first )?"
    r"(?:model|checkpoint|ckpt|weights|state)\b)"
)
"""Not a fold's or a seed's words: those begin anew, from the same weights at the most."""
_MANY: Final = 10
"""Reports of an attempt whose last one comes at the same step by more than chance."""


def _copied(story: Story, before: Row, row: Row) -> bool:
    """True where an attempt tells what the one before told, loss by loss, and nothing says why: a file put in twice."""
    broke = any(event["kind"] == Kind.EXCEPTION and _within(event, before) for event in story.all_events)
    told = _losses(story, row)
    (_, ended), (began, _) = (_times(story, each) for each in (before, row))
    later = ended is not None and began is not None and began > ended  # it was printed twice
    apart = later or before["ts_ns"] != row["ts_ns"]
    same = row["began_by"] == "step_back" and not (broke or apart)
    return same and len(told) >= _MANY and told == _losses(story, before)


def _times(story: Story, attempt: Row) -> tuple[int | None, int | None]:
    """When the first and the last report of an attempt were made."""
    mine = story.all_steps.filter(same_stream(attempt), pl.col("attempt") == attempt["attempt"])["ts_ns"]
    return mine.min(), mine.max()  # type: ignore[return-value]


def _finished(story: Story, attempt: Row, *, restarted: bool) -> bool:
    """True when an attempt reached its planned end: what follows is another training, a fold or a sweep.

    The last report of a loop that prints every tenth step stands before the end; where something says that the run was
    ``restarted``, that is no end.
    """
    ends = (Kind.TRAIN_SUMMARY, Kind.TRAINING_END, Kind.MODEL_SAVED, Kind.EARLY_STOP)
    if any(event["kind"] in ends and _within(event, attempt) for event in story.all_events):
        return True
    mine = story.all_steps.filter(
        (pl.col("node") == attempt["node"])
        & pl.col("source").eq_missing(attempt["source"])
        & (pl.col("attempt") == attempt["attempt"])
        # A count within an epoch tells of that alone.
        & (pl.col("epoch").is_null() | (pl.col("kind") == str(Kind.EPOCH)))
    )
    steps = mine["step"].drop_nulls().unique().sort()
    stride = 0 if restarted or len(steps) < STRIDES else int(steps.diff().tail(STRIDES - 1).max() or 0)  # type: ignore[arg-type]
    return not mine.filter(pl.col("step") + stride >= pl.col("total_steps")).is_empty()


def _tried_again(story: Story, attempt: Row) -> bool:
    """True when the log shows what ended an attempt, and nothing had been saved: the next one had to begin anew."""
    mine = [event for event in story.all_events if _within(event, attempt)]
    crashed = any(event["kind"] == Kind.EXCEPTION and event["role"] == "root" for event in mine)
    return crashed and not any(event["kind"] in {Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN} for event in mine)


def _called_off(story: Story, before: Row) -> bool:
    """Whether an attempt was cancelled: whoever did may have begun anew on purpose."""
    return any(event["kind"] == Kind.CANCELLED and _within(event, before) for event in story.all_events)


def _with_other_means(ev: Evidence, story: Story, before: Row, row: Row) -> bool:
    """Whether a workflow called a killed task once more with other means, as its headings tell, and nothing was saved.

    ``attempt 2 mem=64 GB`` below ``attempt 1 mem=32 GB``: the task is known to begin anew, and nothing of it is silent.
    """
    mine = [event for event in story.all_events if _within(event, before)]
    killed = any(event["kind"] == Kind.SIGNAL_DEATH for event in mine)
    if not killed or any(event["kind"] in {Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN} for event in mine):
        return False
    told = story.all_steps.filter(same_stream(row) & pl.col("line_seq").is_not_null())
    firsts = [told.filter(_of(each))["line_seq"].min() for each in (before, row)]
    if not all(isinstance(first, int) for first in firsts) or not ev.has("log_lines"):
        return False
    lines = ev.scan("log_lines").filter(same_stream(row) & pl.col("text").str.contains(_A_TRY)).sort("seq")
    heads = lines.select("seq", "text").collect().rows()
    above = [text for seq, text in heads if seq < firsts[0]][-1:]
    between = [text for seq, text in heads if firsts[0] < seq < firsts[1]][-1:]
    if not above or not between:
        return False
    (first, *means), (then, *others) = (re.findall(r"\d+(?:\.\d+)?", text) for text in (*above, *between))
    alike = re.sub(r"\d+", "#", above[0]) == re.sub(r"\d+", "#", between[0])
    return alike and int(float(then)) == int(float(first)) + 1 and means != others


def _of_another_trial(ev: Evidence, story: Story, before: Row, row: Row) -> bool:
    """Whether the reports themselves name another trial, fold or seed, as ``trial 12 epoch 1`` below ``trial 11``."""
    told = story.all_steps.filter(same_stream(row) & pl.col("line_seq").is_not_null())
    last, first = told.filter(_of(before))["line_seq"].max(), told.filter(_of(row))["line_seq"].min()
    if last is None or first is None or not ev.has("log_lines"):
        return False
    lines = ev.scan("log_lines").filter(same_stream(row) & pl.col("seq").is_in([last, first])).sort("seq")
    found = [_TRIAL.search((text or "")[:_SHOWN]) for text in lines.select("text").collect()["text"]]
    named = [each.groups() for each in found if each is not None]
    return len(named) == 2 and named[0][0].lower() == named[1][0].lower() and named[0][1] != named[1][1]


def _of_other_settings(ev: Evidence, story: Story, before: Row, row: Row) -> bool:
    """Whether what both told above their first reports differs in what a model is, or how it learns.

    A run that is started again is started as before: with another width or rate it is another one of a search.
    """
    told = story.all_steps.filter(same_stream(row) & pl.col("line_seq").is_not_null())
    if not ev.has("log_lines"):
        return False
    heads: list[dict[str, set[str]]] = []
    for attempt in (before, row):
        first = told.filter(_of(attempt))["line_seq"].min()
        above = None if first is None else told.filter(pl.col("line_seq") < first)["line_seq"].max()
        if not isinstance(first, int):
            return False
        since = int(above) if isinstance(above, int) else first - _HEAD
        here = same_stream(row) & pl.col("seq").is_between(max(since + 1, first - _HEAD), first - 1)
        lines = ev.scan("log_lines").filter(here & pl.col("text").str.contains(_SETTINGS)).head(_HEAD)
        found: dict[str, set[str]] = {}
        for text in lines.select(pl.col("text").str.slice(0, _WIDE)).collect()["text"]:
            for name, value in _SETTING.findall(text):
                if name.lower() == "seed" and len(value) > _CHOSEN:
                    continue
                found.setdefault(name.lower().replace("-", "_"), set()).add(value.rstrip(".,"))
        heads.append(found)
    one, other = heads
    return any(not one[name] & other[name] for name in one.keys() & other.keys())


_SETTINGS: Final = (
    r"(?i)\b(lr|learning[_-]rate|weight[_-]decay|wd|dropout|depth|width|hidden(?:[_-](?:size|dim|units))?"
    r"|(?:n|num)[_-](?:layers?|heads?|blocks?|units)|layers|heads|d[_-]model|dim|optimi[sz]er|optim|momentum|gamma|alpha"
    r"|lora[_-]r|label[_-]smoothing|temperature|seed)"
)
"""What a training is made with, and its seed; not how many do it, which may change at a restart."""
_SETTING: Final = re.compile(rf"{_SETTINGS}[\"']?(?:\s{{0,2}}[=:]\s{{0,2}}|\s)[\"']?([\w.+-]{{1,24}})")
_CHOSEN: Final = 5
"""Digits of a seed that somebody chose: one that is drawn at each start has more."""
_HEAD: Final = 400
_WIDE: Final = 2000
_BELOW: Final = 20
"""Reports of one that learned anew."""
_FAR: Final = 2
"""How many times as high a loss begins that has nothing of what lay level before."""
_NEAR: Final = 1.2
"""How near to it what learns the same comes in the end."""
_TRIAL: Final = re.compile(
    r"(?i)(?<![\w.-])(trial|fold|seed|config|member|candidate|experiment|split|study|versuch|essai|prueba|试验|折)s?"
    r"[ _#:=-]{0,3}(\d{1,6})\b"
)
_A_TRY: Final = (
    r"(?i)^\W{0,4}(?:attempt|try|retry|task\.attempt|versuch|essai|tentative|intento|tentativo|попытка|第)"
    r"\W{0,3}\d{1,3}\b.{1,120}\d"
)
"""A heading that numbers a try, and says with what it is made."""


def _within(event: Row, attempt: Row) -> bool:
    return all(event[name] == attempt[name] for name in ("node", "source", "attempt"))


def _loss_went_back(story: Story, before: Row, after: Row) -> bool:
    """True when the loss after the restart is nearer to the start of the curve than to where it had come.

    Where no loss is told, what is to rise tells the same. Without either in both attempts the step counter alone
    decides, provided that a checkpoint had been saved.
    """
    old, new = _losses(story, before), _losses(story, after)
    if swings(old):
        old, new = [], []
    old = old or _losses(story, before, of="score")
    new = new or _losses(story, after, of="score")
    if len(old) >= 2 and new:
        begin, reached, again = old[0], old[-1], new[0]
        if reached < begin and again - reached > (begin - reached) / 2:
            return True
        # Of the log before only its last lines may be told: its loss lies level there, and far below.
        level, last = max(old), new[-1]
        return len(new) >= _BELOW and 0 < _FAR * level <= again and last <= _NEAR * level
    saved = any(
        event["kind"] == Kind.CHECKPOINT_SAVED and event["attempt"] == before["attempt"] for event in story.all_events
    )
    return saved and not old


def _losses(story: Story, attempt: Row, of: str = "loss") -> list[float]:
    """The losses that an attempt told, or its scores, turned so that they fall as well."""
    sign = 1.0 if of == "loss" else -1.0
    return (
        story.all_steps.filter(
            (pl.col("node") == attempt["node"])
            & pl.col("source").eq_missing(attempt["source"])
            & (pl.col("attempt") == attempt["attempt"])
            & pl.col(of).is_finite()
        )
        .sort("line_seq", "seq", nulls_last=True)
        .select(sign * pl.col(of))
        .to_series()
        .to_list()
    )
