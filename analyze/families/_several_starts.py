"""Several starts, folds or logs of one run: what keeps it from being called healthy, though one of them ended well."""

from __future__ import annotations

import itertools
import re
import statistics
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._curve_doubts import A_FEW, went_on_from
from inquest.analyze.families._margins import said_first
from inquest.analyze.families.base import CannotDecide
from inquest.analyze.logs.attempts import of_any_attempt
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._ended import Ended
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


def done_twice(run: Ended) -> CannotDecide | None:
    """Much of the work was done again after restarts that went on from far behind."""
    if run.losses.numbers.is_empty():
        return None
    source, node, rank = (run.losses.numbers[name][0] for name in ("source", "node", "rank"))
    told = run.story.all_steps.filter(
        (pl.col("node") == node)
        & pl.col("source").eq_missing(pl.lit(source, dtype=pl.String))
        & pl.col("rank").eq_missing(pl.lit(rank, dtype=pl.Int64))
        & pl.col("loss").is_finite()
        & pl.col("step").is_not_null()
        & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    ).sort("line_seq", "seq", nulls_last=True)
    steps, values = told["step"].to_list(), told["loss"].to_list()
    stride = told["step"].diff().median()
    if not isinstance(stride, float) or stride <= 0:
        return None
    if any(high - low >= _STRIDES * stride for low, high in itertools.pairwise(steps)):
        return None  # who begins again never leaps on: two count side by side
    lost, times = 0, 0
    for at in range(1, len(steps)):
        back = steps[at - 1] - steps[at]
        if back < _STRIDES * stride or steps[at] <= steps[0] + stride:
            continue  # folds and trials begin at the start, and another's E2 judges that
        there = next(number for number, step in enumerate(steps) if step >= steps[at])
        if values[at] >= _HIGHER * values[at - 1] and abs(values[at] - values[there]) <= _AS_THEN * abs(values[there]):
            lost, times = lost + back, times + 1
    if 0 < times <= _STARTS and lost * _PART >= max(steps):
        again = "once" if times == 1 else f"{times} times"
        return CannotDecide(
            because=f"It went back {again}, and did {lost} of {max(steps)} steps twice.",
            missing=("why no newer state was loaded",),
        )
    return None


_STRIDES: Final = 5
_HIGHER: Final = 1.1
_AS_THEN: Final = 0.2
_STARTS: Final = 20
_PART: Final = 4


def told_again(run: Ended) -> CannotDecide | None:
    """The count began again, and the losses are those of before, number by number: nothing was taken of what was saved.

    Where nothing was saved, and nobody speaks of going on, it is another training with the same seed.
    """
    losses = run.losses
    if losses.numbers.is_empty():
        return None
    source = losses.numbers["source"][0]
    told = run.story.all_steps.filter(
        pl.col("source").eq_missing(pl.lit(source, dtype=pl.String))
        & pl.col("loss").is_finite()
        & pl.col("step").is_not_null()
        & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    ).sort("line_seq", "seq", nulls_last=True)
    steps, values, lines = (told[name].to_list() for name in ("step", "loss", "line_seq"))
    begun = [at for at in range(1, len(steps)) if steps[at] == steps[0] and steps[at] < steps[at - 1]]
    mine = [row for row in run.story.all_events if row["source"] == source and row["line_seq"] is not None]
    ends = [row["line_seq"] for row in mine if row["kind"] in (Kind.TRAINING_END, Kind.TRAIN_SUMMARY)]
    saves = [row["line_seq"] for row in mine if row["kind"] in (Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN)]
    for at in begun:
        if lines[at - 1] is None or lines[at] is None:
            continue
        if any(lines[at - 1] < end < lines[at] for end in ends):
            continue  # one training was done
        if not any(save < lines[at] for save in saves) and not _goes_on(run.ev, source, lines[at - 1], lines[at]):
            continue
        first, again = (list(zip(steps[low:], values[low:], strict=True))[:_STRIDES] for low in (0, at))
        if len(again) == _STRIDES and first == again and len({*values[:_STRIDES]}) > 1:
            why = f"Its count began again at {steps[at]}, with the same losses as at first."
            return CannotDecide(because=why, missing=("whether it was to go on from what was saved",))
    return None


def _goes_on(ev: Evidence, source: str | None, above: int, below: int) -> bool:
    """Whether somebody says between two lines that what follows goes on from what was, or is of another seed."""
    between = ev.scan("log_lines").filter(
        pl.col("source").eq_missing(pl.lit(source, dtype=pl.String))
        & pl.col("seq").is_between(above, below, closed="none")
    )
    said = between.filter(pl.col("text").str.contains(_GOES_ON)).head(1).collect()
    return not said.is_empty()


_GOES_ON: Final = r"(?i)\b(?:continu|resum|pick(?:s|ed|ing)? up|seed)"


def begun_below(run: Ended) -> CannotDecide | None:
    """Another training began below the last planned step, and its reports end in its midst: a sweep goes on, or did."""
    row = run.end.row
    if run.end.table != "fact_steps" or run.end.column != "step" or row is None or run.story.ended_well:
        return None
    if row["total_steps"] is None or row["line_seq"] is None:
        return None
    rank = pl.col("rank").eq_missing(pl.lit(row["rank"], dtype=pl.Int64))
    of_such = (pl.col("total_steps") == row["total_steps"]) & pl.col("loss").is_not_null()
    told = run.story.steps.filter(same_stream(row) & rank & of_such & (pl.col("kind") == row["kind"]))
    last = told.filter(pl.col("line_seq") > row["line_seq"]).sort("line_seq", "seq").tail(1)
    if last.is_empty() or last["step"][0] is None or last["step"][0] >= row["step"]:
        return None
    return CannotDecide(
        because=f"Below the last planned step another training began, whose reports end at"
        f" {run.story.counted_in} {last['step'][0]} of {row['step']}.",
        missing=("whether more was to come", "an end-of-training line"),
    )


def loaded_nothing(run: Ended) -> CannotDecide | None:
    """After a load was told, the loss was back near where the run had begun, and no count says where that was."""
    losses = run.losses
    if losses.numbers.is_empty() or losses.numbers["step"].is_not_null().any():
        return None
    loads = (Kind.CHECKPOINT_LOADED, Kind.CHECKPOINT_LOAD_BEGIN)
    source = losses.numbers["source"][0]
    told = run.story.all_steps.filter(
        pl.col("source").eq_missing(pl.lit(source, dtype=pl.String)) & pl.col("loss").is_finite()
    ).drop_nulls("line_seq")
    for row in run.story.all_events:
        if row["kind"] not in loads or row["source"] != source or row["line_seq"] is None:
            continue
        before = told.filter(pl.col("line_seq") < row["line_seq"]).sort("line_seq")["loss"].to_list()
        after = told.filter(pl.col("line_seq") > row["line_seq"]).sort("line_seq")["loss"].to_list()
        if min(len(before), len(after)) < _STRIDES:
            continue
        begin, reached = statistics.median(before[:A_FEW]), statistics.median(before[-_STRIDES:])
        again = statistics.median(after[:A_FEW])
        learned = begin - reached
        if learned >= run.ev.threshold("e1.learned") * abs(begin) and again - reached >= learned / 2:
            why = f"It went on from a saved state at a loss of {again:.4g}, after {reached:.4g}."
            return CannotDecide(because=why, missing=("whether the weights that were saved were taken",))
    return None


def as_from_nothing(run: Ended) -> CannotDecide | None:
    """Its count began far into its plan, and its loss came down from there as that of a model that knows nothing."""
    told, story = run.losses.numbers.drop_nulls("step"), run.story
    if told.height < 2 * _STRIDES or story.all_steps.height > story.steps.height or run.ev.other("parent") is not None:
        return None
    if told["step"].n_unique() < told.height / 2:  # each epoch counts its own steps
        told = told.drop_nulls("epoch").with_columns(step=pl.col("epoch"))
        if told.height < 2 * _STRIDES:
            return None
    first, last = min(told["step"].to_list()), max(told["step"].to_list())
    values = run.losses.finite
    begin, end = statistics.median(values[:_STRIDES]), statistics.median(values[-_STRIDES:])
    anew = _LEARNED_ANEW if not story.loads else _THOUGH_LOADED
    if first < _FAR_IN * max(last, story.total_steps or 0) or not 0 < end * anew <= begin:
        return None
    if went_on_from(story, run.losses):
        return None
    if any(
        begin <= _AS_SAVED * float(told) for text in said_first(run.ev, story) for told in _LOSS_THERE.findall(text)
    ):
        return None
    why = (
        f"It counted on from {first:g}, and its loss came down from {begin:.4g} to {end:.4g}, as it does where a"
        " model begins to learn."
    )
    return CannotDecide(because=why, missing=("the loss that the run before had come to (--parent)",))


_FAR_IN: Final = 0.3
_LEARNED_ANEW: Final = 2.5
_THOUGH_LOADED: Final = 4
_AS_SAVED: Final = 1.3
_LOSS_THERE: Final = re.compile(r"(?i)\bloss\b[^\d]{0,16}(\d{1,6}\.\d{1,8})")
"""What the state that was taken says of its own loss."""


def began_again_unseen(run: Ended) -> CannotDecide | None:
    """Where validation is all that is told: its count began again, and so did what it measures."""
    if run.losses.finite:
        return None
    told = run.story.all_steps.filter(pl.col("eval_loss").is_finite() & pl.col("step").is_not_null())
    if told.select("node", "source", "rank").n_unique() != 1:
        return None
    told = told.sort("line_seq", "seq", nulls_last=True)
    steps, values = told["step"].to_list(), told["eval_loss"].to_list()
    backs = [at for at in range(A_FEW, len(steps)) if steps[at] < steps[at - 1]]
    if len(backs) != 1 or any(row["kind"] == Kind.NEXT_RUN for row in run.story.all_events):
        return None
    at = backs[0]
    lost = values[at] >= _HIGHER * values[at - 1] and values[at] - values[at - 1] >= (values[0] - values[at - 1]) / 2
    if values[at - 1] < values[0] and lost and steps[at] * 2 <= steps[at - 1]:
        why = f"Its count went from {steps[at - 1]} back to {steps[at]}, and the validation loss to {values[at]:.4g}."
        return CannotDecide(because=why, missing=("whether it was started again, and from what",))
    return None


def fold_lost(run: Ended) -> CannotDecide | None:
    """Of several trainings in turn in a log, each under a heading, the losses of one end as no numbers."""
    heads = {
        (row["node"], row["source"], row["attempt"]): str(row["subject"])
        for row in run.story.all_events
        if row["kind"] == Kind.NEXT_RUN and _FOLD.match(str(row["subject"] or ""))
    }
    told = run.story.all_steps.filter(pl.col("loss").is_not_null() & pl.col("kind").ne_missing(str(Kind.VALIDATION)))
    for (node, source, attempt), name in heads.items():
        mine = told.filter(
            (pl.col("node") == node)
            & pl.col("source").eq_missing(pl.lit(source, dtype=pl.String))
            & (pl.col("attempt") == attempt)
        )
        late = mine.sort("line_seq", "seq", nulls_last=True)["loss"].tail(A_FEW)
        if mine.height > A_FEW and not late.is_finite().any():
            return CannotDecide(
                because=f"The losses of {name[:40]} are no numbers at its end.", missing=("whether it was run again",)
            )
    return None


_FOLD: Final = re.compile(r"(?i)(?:cv[ _-]?)?fold|seed|(?:random )?split|repeat|stage|phase")


def folds_to_come(run: Ended) -> CannotDecide | None:
    """The last heading of a fold or stage says of how many it is one, and others were to come after it."""
    heads = [str(row["subject"] or "") for row in run.story.all_events if row["kind"] == Kind.NEXT_RUN]
    told = [found for head in heads if _FOLD.match(head) and (found := _OF_FOLDS.search(head)) is not None]
    mine = {_NUMBERED.sub(r"\1", found.string).lower() for found in told}
    # "stage 1 finished" is a word on one of those that the headings count.
    others = [head for head in heads if _OF_FOLDS.search(head) is None and head.lower() not in mine]
    if others or not told:
        return None
    numbers, whole = [int(found[1]) for found in told], {int(found[2]) for found in told}
    begun = max(numbers) + (min(numbers) == 0)
    if len(whole) > 1 or begun >= max(whole) or len(set(numbers)) < len(numbers):
        return None
    return CannotDecide(
        because=f"The last heading is that of {begun} of {max(whole)}.",
        missing=("what ended it, and where the others are",),
    )


_NUMBERED: Final = re.compile(r"(?i)^(\D*\d{1,4}).*")
_OF_FOLDS: Final = re.compile(r"(?i)(\d{1,4}) ?(?:/|of|von) ?(\d{1,4})\b")


def stopped_beside(run: Ended) -> CannotDecide | None:
    """Of logs of one name that began alike, one stops far short of where the others came to, without a word."""
    told = run.story.all_steps.filter(pl.col("step").is_not_null() & pl.col("source").str.contains(r"\d"))
    ended = {str(row["source"]) for row in run.story.all_events if row["kind"] in _SAY_THEIR_END}
    spans = (
        told.group_by("source")
        .agg(
            low=pl.col("step").min(),
            high=pl.col("step").max(),
            reports=pl.col("step").n_unique(),
            took=pl.col("step_time_s").median() * pl.col("step").max(),
        )
        .with_columns(longest=pl.col("took").max())
    )
    # By its own clocks a slow one went on for as long as the others.
    spans = spans.filter(
        (4 * pl.col("took") < 3 * pl.col("longest")).fill_null(value=True) | (pl.col("high") == pl.col("high").max())
    )
    forms: dict[str, list[tuple[str, int, int]]] = {}
    for source, low, high, reports in spans.select("source", "low", "high", "reports").sort("source").iter_rows():
        if reports >= 2 * _STRIDES:
            forms.setdefault(re.sub(r"\d+", "#", source), []).append((source, low, high))
    for logs in forms.values():
        farthest = max(high for _, _, high in logs)
        short = [(source, high) for source, _, high in logs if 4 * high <= 3 * farthest]
        alike = len({low for _, low, _ in logs}) == 1
        others = {high for source, _, high in logs if (source, high) not in short}
        if len(short) == 1 and alike and len(others) == 1 and short[0][0] not in ended:
            if len(logs) == 2 and _TRIAL.search(short[0][0]):  # of two, each may have had enough of it
                continue
            source, high = short[0]
            return CannotDecide(
                because=f"{source} stops at step {high}, and another log of its name came to {farthest}.",
                missing=("what ended it",),
            )
    return None


def unfinished_beside(run: Ended) -> CannotDecide | None:
    """Of two logs of training in folders of their own, the other one came to next to nothing, or tells of no end.

    Ranks of one job, and parts of one run, come as far as each other.
    """
    told = run.story.all_steps.filter(
        pl.col("line_seq").is_not_null() & pl.col("step").is_not_null() & pl.col("source").is_not_null()
    )
    reports = told.group_by("source").agg(
        last=pl.col("step").max(), reports=pl.col("step").n_unique(), plan=pl.col("total_steps").max()
    )
    judged = set(run.losses.frame["source"].drop_nulls()) if run.losses.store == "logs" else set()
    mine = reports.filter(pl.col("source").is_in(judged))
    others = reports.filter(~pl.col("source").is_in(judged) & (pl.col("reports") >= A_FEW))
    if mine.height != 1 or others.height != 1:
        return None
    ours, other = mine.row(0, named=True), others.row(0, named=True)
    source = str(other["source"])
    if source.rpartition("/")[0] == str(ours["source"]).rpartition("/")[0] or _TRIAL.search(source):
        return None
    if (like := of_any_attempt(source)) is not None and like == of_any_attempt(ours["source"]):
        return None  # another try of the same
    if other["last"] > ours["last"] // 2 and other["plan"] in (None, ours["plan"]):
        return None
    plan = other["plan"]
    said_its_end = any(row["source"] == source and row["kind"] in _SAY_THEIR_END for row in run.story.all_events)
    if plan is not None and other["last"] <= plan // 2:
        return CannotDecide(
            because=f"{source} stops at step {other['last']} of {plan}, and another training came to its end.",
            missing=(_WHICH,),
        )
    if other["last"] <= min(_HANDFUL, ours["last"] // 10):
        return CannotDecide(
            because=f"{source} tells of {other['last']} steps only, and another training came to its end.",
            missing=(_WHICH,),
        )
    if not said_its_end and (plan is None or other["last"] < plan):
        return CannotDecide(
            because=f"{source} stops at step {other['last']} without a word, and another training came to its end.",
            missing=(_WHICH,),
        )
    return None


def another_curve_beside(run: Ended) -> CannotDecide | None:
    """Two trainings in folders beside each other, one of them in a tracker's table, where the end of one is untold.

    A log and a tracker's table of one run lie in two folders as well: these are called so, or tell the same losses.
    """
    story = run.story
    told = story.steps.filter(
        pl.col("source").is_not_null() & pl.col("loss").is_finite() & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    ).sort("line_seq", "seq", nulls_last=True)
    curves = {str(source): frame for (source,), frame in told.group_by("source", maintain_order=True)}
    judged = set(run.losses.frame["source"].drop_nulls())
    ours = next(iter(judged), "") if len(judged) == 1 else ""
    if ours not in curves or len(curves) != 2:
        return None
    mine, (other,) = curves[ours], (source for source in curves if source != ours)
    theirs = curves[other]
    places = [name.rpartition("/")[0] for name in (ours, other)]
    nested = any(one == two or f"{two}/".startswith(f"{one}/") or not one for one, two in (places, places[::-1]))
    logs = [frame["line_seq"].is_not_null().any() for frame in (mine, theirs)]
    nested = nested or any(_OF_A_TOOL.match(name) for name in (ours, other))
    if nested or all(logs) or min(mine.height, theirs.height) < _TO_COMPARE or not _apart(mine, theirs):
        return None
    for name, place, frame in zip((ours, other), places, (mine, theirs), strict=True):
        if not _told_its_end(story, place, frame):
            return CannotDecide(
                because=f"{name} tells of another training than the one beside it, and not how that one ended.",
                missing=(_WHICH,),
            )
    return None


def _told_its_end(story: Story, place: str, frame: pl.DataFrame) -> bool:
    """Whether a training came to its plan, or something in its folder says that it ended."""
    last, whole = frame["step"].max(), frame["total_steps"].max()
    if not isinstance(last, int):
        return False
    set_to = {row["num"] for row in story.of(Kind.PLANNED_STEPS, Kind.PLANNED_EPOCHS) if _within(row, place)}
    if (isinstance(whole, int) and last + 1 >= whole) or set_to & {last, last + 1}:
        return True
    return any(row["kind"] in _SAY_THEIR_END and _within(row, place) for row in story.all_events)


def _within(row: Row, place: str) -> bool:
    return f"{row['source']}/".startswith(f"{place.partition('/')[0]}/")


_OF_A_TOOL: Final = re.compile(
    r"(?i)(?:\w{0,20}_)?(?:logs?|metrics?|csv|tb|tensorboard|runs?|wandb|mlruns|mlflow|events|outputs?|results?|checkpoints?"
    r"|stdout|slurm|history|artifacts?|exports?|curves?|tables?)/"
)
"""Folders that are named after what lies in them, and not after a run."""
_TO_COMPARE: Final = 5
"""Reports of each of two curves that tell whether they are of one training."""
_NOT_ALIKE: Final = 0.25
"""Part of a loss by which reports of one step of one training do not differ, however they are rounded or averaged."""


def _apart(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether two curves are of trainings of their own: by the losses of like steps, else by how they begin and end."""
    lasts = [frame["step"].max() for frame in (one, other)]
    if all(isinstance(last, int) for last in lasts) and 2 * min(lasts) >= max(lasts):  # type: ignore[type-var, operator]
        pairs = (
            one.select("step", "loss")
            .drop_nulls()
            .sort("step")
            .join_asof(other.select("step", then="loss").drop_nulls().sort("step"), on="step", strategy="nearest")
            .select(off=(pl.col("loss") - pl.col("then")).abs() / pl.max_horizontal("loss", "then").abs())
        )
        off = pairs["off"].median()
        return isinstance(off, float) and off > _NOT_ALIKE
    levels = [(frame["loss"][:A_FEW].median(), frame["loss"][-A_FEW:].median()) for frame in (one, other)]
    return all(
        isinstance(a, float) and isinstance(b, float) and abs(a - b) > _NOT_ALIKE * max(abs(a), abs(b))
        for a, b in zip(*levels, strict=True)
    )


def ends_another(story: Story, losses: Curve, row: Row | None) -> str | None:
    """The log in another folder that tells of an end, where it tells of a training of its own, far longer or shorter.

    A tracker's folder and a log's are of one run as a rule: they come as far as each other, or count other things.
    """
    judged = set(losses.frame["source"].drop_nulls())
    source = None if row is None or row.get("line_seq") is None else row.get("source")
    if source is None or len(judged) != 1 or source in judged:
        return None
    ours = str(*judged)
    if "/" not in ours or "/" not in source or ours.partition("/")[0] == source.partition("/")[0]:
        return None
    told = story.all_steps.filter(
        pl.col("step").is_not_null() & pl.col("loss").is_not_null() & pl.col("kind").ne_missing(str(Kind.EPOCH))
    )
    lasts = dict(told.group_by("source").agg(pl.col("step").max()).iter_rows())
    one, other = lasts.get(ours), lasts.get(source)
    return source if one and other and (one >= 2 * other or other >= 2 * one) else None


_HANDFUL: Final = 20
"""Steps of a run that may have been a trial, and may have been the one that is meant."""
_WHICH: Final = "which of the trainings this is about: name its files alone"


_SAY_THEIR_END: Final = frozenset(
    {Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.EARLY_STOP, Kind.PLANNED_EXIT, Kind.MODEL_SAVED, Kind.FAREWELL}
)
_TRIAL: Final = re.compile(r"(?i)seed|fold|trial|rank|exp|sweep|config|split|rep|lr|wd|bs|model")
