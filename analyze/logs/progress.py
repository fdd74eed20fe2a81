"""Training progress as the job printed it: steps, losses, rates, from log lines and progress bars.

Everything works on columns: a log of a million metric lines is read by a few dozen regular expressions, none of which
can take more than linear time. Precision over recall: a row needs a step-like integer beside a loss-like number, or a
shape only one framework prints; a bar needs the words of a training bar, or to be the longest bare bar of its source.
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.logs.bars import NOT_TRAINING, bar_steps
from inquest.analyze.logs.clock_reports import clock_reports
from inquest.analyze.logs.framework_steps import (
    boosting,
    boxes,
    composer,
    darts,
    deepspeed,
    huggingface,
    keras,
    lightning,
    megatron,
    ultralytics,
    under_epochs,
)
from inquest.analyze.logs.kinds import UNNUMBERED, Kind
from inquest.analyze.logs.loop_clocks import APART, apart_clocks, waited_in_turn
from inquest.analyze.logs.other_names import judged, learned, overflowed, renamed, trials
from inquest.analyze.logs.own_reports import by_forms
from inquest.analyze.logs.plain_loops import COUNTS, EVALUATION, NAMED, OF_A_SAVED_STATE, STEP_COUNT, plain_steps
from inquest.analyze.logs.reader import ANSI
from inquest.analyze.logs.step_rows import KEYS, LOSS, LR, accuracies, as_steps, integer_of, no_steps, number_of, where
from inquest.analyze.logs.step_tables import bare_rows, headless_scores, table_steps
from inquest.analyze.logs.step_times import ESPNET, step_times
from inquest.analyze.logs.tool_steps import tool_steps
from inquest.analyze.logs.tune_results import tune_results
from inquest.analyze.logs.under_heads import under_heads
from inquest.analyze.logs.unnamed_losses import unnamed_losses
from inquest.bundle.timers import CLOCKS, DATA, STEP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.logs.attempts import Place
    from inquest.bundle.store import Store

_UNTABBED: Final = r"^(\[\d{1,9}\]) {1,8}([\w-]{1,60}-[\w@.]{1,60}:-?[\d.])"
"""Such a round, copied from a terminal that made blanks of the tab."""
_SCALED: Final = r"\| \w{1,40}: \d[\d.]{0,12}[KMGT](?: \||$)"
"""A number in thousands or more, between strokes, as nanotron prints them all."""
_NUMPY: Final = r"\bnp\.float\d{2,3}\((-?(?:nan|inf|\d[\d.]{0,20}(?:e[-+]?\d{1,3})?))\)"
"""A number as NumPy 2 shows it where a logger asks for its repr."""
_CONFIG_LINE: Final = (
    r"^\s*(?:--|\+ |#|Namespace\(|usage: |>>> )|Warning: |\(most recent call|^[A-Za-z_.]{1,80}(?:Error|Exception): "
)
_PREFIX: Final = r"^(?:\[[0-9A-Za-z_.@-]{1,100},(?:\d{1,5}|mpirank:\d{1,5},[0-9A-Za-z_.-]{1,60})\]<std(?:out|err)>: ?)?(?:\d{1,5}: )?(?:stderr: |stdout: )?(?:\[rank\d{1,5}\]: ?|\[[a-z][a-z_]*\d{1,5}\]:(?:\[rank\d{1,5}\]: ?)?)?(?:(?:DEBUG|INFO|WARNING):[\w.-]{1,80}:)?"
_PREFIXED: Final = r"^(?:\[|\d{1,5}: |std(?:err|out): |(?:DEBUG|INFO|WARNING):)"
"""What every line that ``_PREFIX`` changes begins with."""
_GLOG: Final = r"^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{6,9} {1,7}\d{1,20} [\w./<>-]{1,120}:\d{1,6}\] "
"""What glog and absl put before a line: its month and day are no count, and the letter before them no name of one."""
_SPEAKER: Final = (
    r"^(?:[0-9]{2}:[0-9]{2}:[0-9]{2} |[ \t]{1,8})?(\[pod/[^\]]{1,200}\]|[A-Za-z][0-9A-Za-z_.-]{0,62} +\| "
    r"|(?:[fF]old|FOLD|[sS]plit|[tT]rial|[sS]eed|[mM]ember|[aA]ctor|[aA]gent|[lL]earner|[cC]lient|[iI]sland|[cC]hild) #?[0-9]{1,4}(?:/[0-9]{1,4})?[ :,|-]"
    r"|[A-Za-z][A-Za-z_.-]{0,40}[0-9][0-9A-Za-z_.-]{0,40}: |\[[A-Za-z][0-9A-Za-z_.-]{0,30}(?:[ :=#][0-9]{1,4}(?:[.e-][0-9e-]{1,8})?)?\] )"
)
"""What pdsh, honcho, docker compose, kubectl and ``sed`` put before a line: which of several processes wrote it, or which
stage."""
_COUNTED: Final = (
    r"(?i)^\W?(?:attempt|try|run|step|iter|epoch|batch|update|round"
    r"|(?:debug|info|notice|warn|warning|error|critical|fatal)\b)"
)
"""What is counted before a line, and so changes with every line, or where the run begins anew; levels of loggers."""


def progress(store: Store, lines: pl.DataFrame, calls: Sequence[tuple[Place, int]] = ()) -> pl.DataFrame:
    """Rows of ``fact_steps``, plus ``capture``, ``task``, ``sub``, ``speaker`` and ``back`` (the step went back).

    ``seq`` and ``attempt`` are not final yet.

    Args:
        store: The recorded tables.
        lines: Its lines that may hold progress, as ``survey`` gives them.
        calls: Where a shell says that it runs a program: what is counted below belongs to that one.
    """
    if lines.is_empty():
        return _bare(store)
    called = pl.DataFrame([(*place, seq) for place, seq in calls], schema=_CALLED, orient="row").sort("called")
    text = pl.col("text")
    lines = lines.with_columns(
        **where(lines, r"[\x1b\x00\x08]", text=text.str.replace_all(ANSI, "")),
    )
    lines = lines.with_columns(**where(lines, _PREFIXED, text=text.str.replace(_PREFIX, "")))
    lines = lines.with_columns(**where(lines, _GLOG, text=text.str.replace(_GLOG, "")))
    lines = lines.with_columns(**where(lines, _UNTABBED, text=text.str.replace(_UNTABBED, "$1\t$2")))
    lines = lines.with_columns(**where(lines, _NUMPY, text=pl.col("text").str.replace_all(_NUMPY, "$1")))
    if lines["text"].str.contains(_SCALED).any():
        for letter, power in (("K", "e3"), ("M", "e6"), ("G", "e9"), ("T", "e12")):
            scaled = rf"(: \d[\d.]{{0,12}}){letter}( \||$)"
            lines = lines.with_columns(pl.col("text").str.replace_all(scaled, f"${{1}}{power}$2"))
    lines = lines.filter(~pl.col("text").str.contains(_CONFIG_LINE))
    speaker = pl.col("text").str.extract(_SPEAKER)
    lines = lines.with_columns(speaker=pl.when(~speaker.str.contains(_COUNTED)).then(speaker))
    lines = _runs_in_turn(lines)
    lines = _told_ranks(lines)
    bars = bar_steps(lines)
    parts = [
        _unrolled(pl.concat([no_steps(), part], how="diagonal"), called)
        for part in (
            huggingface(lines, bars),
            megatron(lines),
            deepspeed(lines),
            keras(lines),
            lightning(lines),
            composer(lines),
            under_epochs(lines),
            darts(lines),
            boosting(lines),
            ultralytics(lines),
            boxes(lines),
            plain_steps(lines),
            _apart(lines),
            clock_reports(lines),
            table_steps(store, lines),
            _unnamed(store, lines),
            _by_tools(lines),
            _summed_up(lines),
            bars,
        )
        if not part.is_empty()
    ]
    told = pl.concat([part.select("node", "capture", "source") for part in parts]).unique() if parts else None
    if not (under := _under_heads(store, lines, told)).is_empty():
        parts.append(_unrolled(pl.concat([no_steps(), under], how="diagonal"), called))
    if not parts and not (paced := _paced(lines)).is_empty():
        parts = [_unrolled(pl.concat([no_steps(), paced], how="diagonal"))]
    if not parts:
        rows = _bare(store)
        return rows if rows.height else _unnumbered(lines)
    if not any(part.select(_TELLS).item() for part in parts):
        parts.append(_judged(store))
    elif not any(part.select(_TRAINED).item() for part in parts):
        parts.append(_named_otherwise(store))
        if not parts[-1].select(_TRAINED).item():
            parts = _with_losses(parts, _formed(store))
    rows = pl.concat([no_steps(), *parts], how="diagonal").sort("node", "capture", "line_seq", "sub")
    return _without_sums(_best_of_trials(rows))


def _unnumbered(lines: pl.DataFrame) -> pl.DataFrame:
    """Losses that fall, in lines of one form, where nothing tells the number of a step: a shard and a sample, say."""
    text = pl.col("text")
    told = lines.filter(text.str.contains(LOSS) & ~text.str.contains(EVALUATION) & ~text.str.contains(OF_A_SAVED_STATE))
    told = told.with_columns(loss=number_of(LOSS), form=text.str.slice(0, 160).str.replace_all(_VALUES, "#"))
    third = pl.len() // 3
    falls = pl.col("loss").tail(third).median() < _FALLEN * pl.col("loss").head(third).median()
    own = (pl.len() >= COUNTS) & falls.fill_null(value=False)
    told = told.sort("seq").filter(own.over("node", "capture", "source", "rank", "form"))
    return _unrolled(
        pl.concat([no_steps(), as_steps(told, Kind.STEP, UNNUMBERED, loss=pl.col("loss"))], how="diagonal")
    )


_VALUES: Final = r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|nan|inf"
_FALLEN: Final = 0.9
_TELLS: Final = pl.any_horizontal(pl.col("loss", "eval_loss", "score", "accuracy").is_not_null()).any()


_TRAINED: Final = pl.any_horizontal(pl.col("loss", "score").is_not_null()).any()


def _named_otherwise(store: Store) -> pl.DataFrame:
    """Training losses by rarer names or in other languages, beside evaluations that were read."""
    lines = renamed(store)
    if lines.is_empty():
        return no_steps()
    return _unrolled(
        pl.concat(
            [no_steps(), learned(plain_steps(_told_ranks(lines.with_columns(speaker=pl.lit(None, pl.String)))))],
            how="diagonal",
        )
    )


def _with_losses(parts: list[pl.DataFrame], formed: pl.DataFrame) -> list[pl.DataFrame]:
    """``parts`` that tell how much was right, and no loss, with the one that a program's own words tell beside it."""
    place = ["node", "capture", "source", "line_seq"]
    told = formed.filter(pl.col("loss").is_not_null()).unique(place, keep="first", maintain_order=True)
    if told.is_empty():
        return parts
    right = pl.concat([part.select(*place, "accuracy") for part in parts]).drop_nulls("accuracy")
    beside = right.unique(place, keep="first").rename({"accuracy": "right"})
    joined = told.join(beside, on=place, how="left", nulls_equal=True, maintain_order="left")
    both = joined.with_columns(accuracy=pl.coalesce("accuracy", "right")).drop("right")
    rest = [part.join(told, on=place, how="anti", nulls_equal=True, maintain_order="left") for part in parts]
    return [*(part for part in rest if part.height), both]


def _judged(store: Store) -> pl.DataFrame:
    """What samples or answers are judged by, of logs in which no other value says how learning went."""
    lines = judged(store)
    if lines.is_empty():
        return no_steps()
    rows = plain_steps(lines.with_columns(speaker=pl.lit(None, pl.String))).with_columns(framework=pl.lit("judged"))
    return _unrolled(pl.concat([no_steps(), rows], how="diagonal"))


_CALLED: Final = {"node": pl.String, "capture": pl.String, "source": pl.String, "called": pl.Int64}


def _bare(store: Store) -> pl.DataFrame:
    """Values by rarer names, or columns of numbers that nothing names, where nothing else tells of progress."""
    if (results := tune_results(store)).height:
        told = {name: pl.col(name) for name in ("step", "loss", "score")}
        return _unrolled(pl.concat([no_steps(), as_steps(results, Kind.STEP, "tune", **told)], how="diagonal"))
    named = _named_otherwise(store)
    if named["loss"].is_not_null().any():
        return named
    if (tried := trials(store)).height:
        tried = tried.with_columns(speaker=pl.lit(None, pl.String))
        told = {name: pl.col(name) for name in ("step", "eval_loss", "score")}
        return _unrolled(pl.concat([no_steps(), as_steps(tried, Kind.EPOCH, "search", **told)], how="diagonal"))
    if (formed := _formed(store)).height and (named.is_empty() or formed["loss"].is_not_null().any()):
        return formed
    if named.height:
        return named
    if (lost := overflowed(store)).height:
        lost = lost.with_columns(speaker=pl.lit(None, pl.String))
        told = {name: pl.col(name) for name in ("step", "loss")}
        return _unrolled(pl.concat([no_steps(), as_steps(lost, Kind.STEP, "columns", **told)], how="diagonal"))
    if (scored := headless_scores(store)).height:
        return _unrolled(pl.concat([no_steps(), scored], how="diagonal"))
    rows = bare_rows(store)
    if rows.is_empty():
        return no_steps()
    rows = rows.with_columns(speaker=pl.lit(None, pl.String))
    return _unrolled(pl.concat([no_steps(), as_steps(rows, Kind.STEP, "columns", step=pl.col("step"))], how="diagonal"))


def _formed(store: Store) -> pl.DataFrame:
    """Reports in a program's own words."""
    rows = by_forms(store)
    if rows.is_empty():
        return no_steps()
    rows = rows.with_columns(speaker=pl.lit(None, pl.String))
    told = {name: pl.col(name) for name in ("step", "total_steps", "epoch", "loss", "eval_loss", "score")}
    rows, times = step_times(rows)
    # Columns of times are of all steps since the report before, or of one: only a clock of the lines tells which.
    place = ("node", "capture", "source", "rank")
    steps, gap = (pl.col(name).diff().backward_fill().over(place) for name in ("step", "ts_ns"))
    gap = gap / 1e9
    of = (
        pl.when((steps > 1) & (pl.col(STEP) > gap / 2))
        .then(steps)
        .when((steps > 1) & gap.is_null())
        .then(None)
        .otherwise(1)
    )
    times |= {name: pl.coalesce(pl.col(name) / of, times[name]) for name in (STEP, DATA)}
    found = as_steps(rows, Kind.STEP, "loop", **told, **times)
    judged = pl.col("loss").is_null() & pl.col("eval_loss").is_not_null()
    found = found.with_columns(kind=pl.when(judged).then(pl.lit(str(Kind.VALIDATION))).otherwise("kind"))
    return _unrolled(pl.concat([no_steps(), found], how="diagonal"))


def _best_of_trials(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows``, of several trainings that each line names by its setting (``[lr=0.1]``) with the losses of the best only.

    What a search wants is one that learns; their losses one after the other are no curve.
    """
    place = ["node", "capture", "source"]
    last = (
        rows.filter(pl.col("speaker").str.contains(_SETTING) & pl.col("loss").is_finite())
        .group_by(*place, "speaker", maintain_order=True)
        .agg(pl.col("loss").last())
    )
    several = last.filter(pl.len().over(place) > 1)
    if several.is_empty():
        return rows
    best = several.sort("loss", "speaker").unique(place, keep="first").select(*place, best="speaker")
    joined = rows.join(best, on=place, how="left", nulls_equal=True, maintain_order="left")
    other = pl.col("speaker").str.contains(_SETTING) & (pl.col("speaker") != pl.col("best"))
    return joined.with_columns(loss=pl.when(~other.fill_null(value=False)).then("loss")).drop("best")


_SETTING: Final = (
    r"^\[(?:lr|wd|bs|seed|dim|width|depth|alpha|beta|gamma|tau|eps|dropout|momentum|optim(?:izer)?|hidden|layers|heads"
    r"|[A-Za-z_.-]{1,20}[_-](?:rate|decay|size|dim|seed|layers|heads))="
)
"""A setting of a trial; what names a process is no such word."""


def _without_sums(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` without losses of epochs that are the sums of their steps': as many times a step's as the epoch has steps.

    Joey NMT tells both, ``Batch Loss: 2.1`` and ``total training loss 842.05``; one after the other they are no curve.
    """
    place, loss, whole = ["node", "capture", "source", "rank"], pl.col("loss"), pl.col("kind") == str(Kind.EPOCH)
    told = rows.filter(loss.is_finite() & pl.col("kind").ne_missing(str(Kind.VALIDATION)))
    if told.is_empty() or told["kind"].n_unique() < 2 or not told.select(whole.any()).item():
        return rows
    epochs = (
        told.with_columns(part=whole.shift(fill_value=False).cast(pl.Int64).cum_sum().over(place))
        .group_by(*place, "part", maintain_order=True)
        .agg(
            said=loss.filter(whole).last(), usual=loss.filter(~whole).median(), last=pl.col("step").filter(~whole).max()
        )
        .with_columns(steps=pl.col("last") - pl.col("last").shift().over(place))
        .filter(pl.col("said").is_not_null() & pl.col("steps").is_not_null())
    )
    times = pl.col("said") / pl.col("usual") / pl.col("steps")
    fits = (pl.col("steps") >= _MANY_STEPS) & (pl.col("usual") > 0) & times.is_between(*_AS_MANY)
    summed = epochs.group_by(place).agg(pl.len(), fits=fits.fill_null(value=False).all())
    summed = summed.filter("fits", pl.col("len") >= _SUMS).select(*place, sums=pl.lit(value=True))
    if summed.is_empty():
        return rows
    joined = rows.join(summed, on=place, how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns(loss=pl.when(~(pl.col("sums").fill_null(value=False) & whole)).then("loss")).drop("sums")


_SUMS: Final = 2
"""Epochs beside the first, whose steps may have been counted from before a resumption."""
_MANY_STEPS: Final = 20
_AS_MANY: Final = (0.4, 2.5)
"""What the sum of an epoch is of its steps times their loss, as far as some of them are told."""


def _runs_in_turn(lines: pl.DataFrame) -> pl.DataFrame:
    """``lines`` with the run that each names as its speaker, where several of equal length follow one another.

    A run that is numbered may be an attempt; those that failed differ in length from the one that did not.
    """
    run = pl.col("text").str.extract(_RUN).cast(pl.Int64, strict=False)
    if not lines.select((pl.col("speaker").is_null() & pl.col("text").str.contains(_RUN)).any()).item():
        return lines
    place = ["node", "capture", "source"]
    told = lines.filter(run.is_not_null()).group_by(*place, run.alias("run")).len()
    even = told.group_by(place).agg(
        even=(pl.col("len").n_unique() == 1) & (pl.len() > 1) & (pl.col("len").min() >= COUNTS)
    )
    even = even.filter("even").with_columns(named=pl.lit(value=True)).drop("even")
    lines = lines.join(even, on=place, how="left", nulls_equal=True, maintain_order="left")
    names = pl.format("run {} ", run)
    return lines.with_columns(speaker=pl.coalesce("speaker", pl.when("named").then(names))).drop("named")


_RUN: Final = r"^[Rr]un[: #]{1,2}(\d{1,3})\b[,:|; ]"


def _told_ranks(lines: pl.DataFrame) -> pl.DataFrame:
    """``lines`` with the rank that a field of theirs names, where nothing else tells it.

    A field of that name may mean anything else (LoRA has one too): it is whose line it is where the values count from 0
    without a gap, and several of them report the same steps.
    """
    untold = pl.col("rank").is_null()
    if not lines.select((untold & pl.col("text").str.contains(_RANK_GATE)).any()).item():
        return _step_together(lines)
    groups = pl.col("text").str.extract_groups(_RANK).struct
    told = pl.coalesce(*(groups.field(str(group)) for group in (1, 2, 3, 4))).cast(pl.Int64, strict=False)
    lines = lines.with_columns(teller=pl.when(untold).then(told))
    seen = lines.filter(pl.col("teller").is_not_null()).select(
        "teller", step=pl.coalesce(integer_of(STEP_COUNT), integer_of(ESPNET, 2), integer_of(_PART_OF))
    )
    seen = seen.drop_nulls()
    ranks, steps = seen["teller"].unique(), seen["step"].n_unique()
    whole = len(ranks) > 1 and ranks.min() == 0 and ranks.max() == len(ranks) - 1
    if not whole or seen.unique().height < _SHARED * steps:
        return lines.drop("teller")
    rank_by = pl.when(pl.col("teller").is_not_null()).then(pl.lit("text")).otherwise("rank_by")
    return lines.with_columns(rank=pl.coalesce("rank", "teller"), rank_by=rank_by).drop("teller")


def _step_together(lines: pl.DataFrame) -> pl.DataFrame:
    """``lines`` with the rank that a number behind any one word in brackets is, where their clocks show it.

    Who works longest waits shortest, step by step: so it is among ranks, and among no folds, seeds or clients.
    """
    if lines["rank"].is_not_null().any():
        return lines
    named = pl.col("text").str.extract_groups(_BRACKETED).struct
    told = lines.select("text", word=named.field("1"), teller=named.field("2").cast(pl.Int64, strict=False))
    ranks = told["teller"].drop_nulls().unique()
    whole = len(ranks) > 1 and ranks.min() == 0 and ranks.max() == len(ranks) - 1
    if not whole or told["word"].drop_nulls().n_unique() != 1:
        return lines
    step = pl.coalesce(integer_of(STEP_COUNT), integer_of(_PART_OF))
    timed = told.with_columns(step=step).rename({"teller": "rank"}).drop_nulls(["step", "rank"])
    if waited_in_turn(timed.select("text", "step", "rank")) is None:
        return lines
    rank_by = pl.when(told["teller"].is_not_null()).then(pl.lit("text")).otherwise("rank_by")
    return lines.with_columns(rank=told["teller"], rank_by=rank_by)


_BRACKETED: Final = r"^\[([^\W\d_]{2,20}) (\d{1,5})\] "
_PART_OF: Final = r"[\[( ]\s{0,4}(\d{1,12})\s?/\s?\d{1,12}[\] )]"
_RANK_GATE: Final = r"(?i)ran[kg]|\[[0-9A-Za-z_.-]{1,60}:\d{1,5}/\d|ранг|ランク|랭크|^\[?r\d|^\W?(?:worker|trainer|pro[cz]|процесс|进程|プロセス|프로세스|replica|device|gpu)"
_RANK: Final = r"""^\[[0-9A-Za-z_.-]{1,60}:(\d{1,5})/\d{1,5}\]|(?i)(?:^|[\s,;|{\[(])["']?(?:global[_ ]?)?(?:rank|rang(?:o|u)?|ранг|ランク|랭크)["']?\s{0,2}[:=]?\s{0,2}["']?(\d{1,5})\b|^\[?r(\d{1,5})\]?\s?[|:\]]|^\W?(?:worker|trainer|proc(?:ess(?:o|us)?|eso)?|prozess|процесс|进程|プロセス|프로세스|replica|device|gpu)[ _:#=-]{0,2}(\d{1,5})\b"""
_SHARED: Final = 1.5
"""How many ranks report a step, at the least, in the mean."""


def _apart(lines: pl.DataFrame) -> pl.DataFrame:
    """Clocks of a step on lines of their own."""
    if not lines["text"].str.contains(APART).any():
        return no_steps()
    read = apart_clocks(lines)
    rows = lines.join(
        read, left_on=["node", "capture", "source", "seq"], right_on=["node", "capture", "source", "line_seq"]
    )
    return as_steps(rows, Kind.STEP, "timers", **{name: pl.col(name) for name in CLOCKS if name in rows.columns})


def _summed_up(lines: pl.DataFrame) -> pl.DataFrame:
    """How far a program says that it came, and of how many steps: ``learned for 15360 of 15000 timesteps``."""
    rows = lines.filter(pl.col("text").str.contains(_CAME_TO))
    return as_steps(rows, Kind.STEP, "loop", step=integer_of(_CAME_TO), total_steps=integer_of(_CAME_TO, 2))


_CAME_TO: Final = (
    r"(?i)\b(?:learn(?:ed|t)|trained|finished|completed|ran)(?: for| all)? (\d{1,12}) (?:out )?of (\d{1,12})"
    r" (?:time)?steps\b"
)


def _unnamed(store: Store, lines: pl.DataFrame) -> pl.DataFrame:
    """Losses that no line calls so."""
    rows = unnamed_losses(store, lines.filter(~pl.col("text").str.contains(NAMED)))
    if rows.is_empty():
        return no_steps()
    told = {name: pl.col(name) for name in ("step", "total_steps", "loss", "eval_loss")}
    rows, times = step_times(rows)
    return as_steps(rows, Kind.STEP, "loop", **told, **where(rows, "(?i)lr|rate", lr=number_of(LR)), **times)


def _by_tools(lines: pl.DataFrame) -> pl.DataFrame:
    """Tools that count in ways of their own."""
    rows = tool_steps(lines)
    told = {name: pl.col(name) for name in ("sub", "step", "total_steps", "loss") if name in rows.columns}
    if rows.is_empty():
        return no_steps()
    rows, times = step_times(rows)
    return as_steps(rows, Kind.STEP, "tool", **told, **where(rows, "lr", lr=number_of(LR)), **times)


def _under_heads(store: Store, lines: pl.DataFrame, told: pl.DataFrame | None) -> pl.DataFrame:
    """Losses under the line that counts, of sources of which nothing else was told."""
    if told is not None:
        lines = lines.join(told, on=told.columns, how="anti", nulls_equal=True, maintain_order="left")
    rows = under_heads(store, lines)
    if rows.is_empty():
        return no_steps()
    names = ("step", "total_steps", "loss", "eval_loss", "score")
    epoch = pl.when("epochs").then(pl.col("step").cast(pl.Float64))
    found = as_steps(rows, Kind.STEP, "loop", **{name: pl.col(name) for name in names}, epoch=epoch, **accuracies(rows))
    kind = pl.when(pl.col("loss").is_null() & pl.col("score").is_null()).then(pl.lit(str(Kind.VALIDATION)))
    return found.with_columns(
        kind=kind.when(pl.col("epoch").is_not_null()).then(pl.lit(str(Kind.EPOCH))).otherwise("kind")
    )


def _paced(lines: pl.DataFrame) -> pl.DataFrame:
    """Steps out of so many, and how fast they came, where nothing is told by a name that is known."""
    rows = lines.filter(
        pl.col("text").str.contains(_OF_SO_MANY)
        & pl.col("text").str.contains(_PACE)
        & ~pl.col("text").str.contains(NOT_TRAINING)
        & ~pl.col("text").str.contains(EVALUATION)
    )
    seconds = pl.col("text").str.extract(_PACE).cast(pl.Float64, strict=False)
    ms = pl.col("text").str.extract(_PACE, 2).str.to_lowercase() == "ms"
    rate = pl.col("text").str.extract(_PACE, 3).cast(pl.Float64, strict=False)
    found = as_steps(
        rows,
        Kind.STEP,
        "loop",
        step=integer_of(_OF_SO_MANY),
        total_steps=integer_of(_OF_SO_MANY, 2),
        **{STEP: pl.coalesce(pl.when(ms).then(seconds / 1000).otherwise(seconds), pl.when(rate > 0).then(1 / rate))},
    )
    one_plan = (pl.col("total_steps").n_unique() == 1) & (pl.col("step").n_unique() >= _PACED)
    return found.filter(one_plan.over(*KEYS))


_OF_SO_MANY: Final = r"(?i)\b(?:update|step|iter(?:ation)?)s? ?[:#=]? ?(\d{1,12}) ?(?:/|of) ?(\d{1,12})\b"
_PACE: Final = (
    r"(?i)(?:^|[\s(\[,;:=])(?:(\d{1,9}(?:\.\d{1,6})?) ?(ms|s|sec)/(?:step|update|it(?:er(?:ation)?)?|batch)\b"
    r"|(\d{1,9}(?:\.\d{1,6})?) ?(?:steps?|updates?|it(?:er(?:ation)?)?s?)/s(?:ec)?\b)"
)
_PACED: Final = 5


# --- steps that begin anew -------------------------------------------------------------------------------------------


def _unrolled(rows: pl.DataFrame, called: pl.DataFrame | None = None) -> pl.DataFrame:
    """Steps counted within an epoch become steps of the run, and a step that goes back otherwise is marked ``back``.

    Within one series (source, rank, kind) a smaller step is a new epoch when the epoch number grew or the count before
    it was complete, and no program was ``called`` between; anything else is the run beginning again, or an earlier
    state of it.
    """
    names = [*KEYS, "kind", "framework", "speaker"]
    rows = rows.with_columns(series=pl.struct(names).rank("dense"), called=pl.lit(None, pl.Int64))
    if called is not None and called.height:
        place = ["node", "capture", "source"]
        rows = (
            rows.drop("called")
            .sort("line_seq")
            .join_asof(called, left_on="line_seq", right_on="called", by=place, coalesce=False, check_sortedness=False)
        )
    rows = rows.sort("series", "line_seq", "sub")

    def previous(column: str) -> pl.Expr:
        return pl.col(column).shift().over("series")

    rows = rows.with_columns(
        fell=(pl.col("step") < pl.col("step").forward_fill().shift().over("series")).fill_null(value=False),
        grew=(pl.col("epoch") > previous("epoch")).fill_null(value=False),
        done=(previous("step") >= previous("total_steps")).fill_null(value=False),
        was=pl.col("step").forward_fill().shift().over("series"),
    )
    # Each epoch has as many steps as the one before it; another run may have any number.
    as_long = pl.col("total_steps").eq_missing(previous("total_steps"))
    anew = (pl.col("called") > previous("line_seq")).fill_null(value=False)
    done = pl.col("done") | _drawn_to_its_end()
    next_epoch = (pl.col("fell") & ~anew) & (
        pl.col("grew") | (done & as_long & ~(pl.col("epoch") < previous("epoch")).fill_null(value=False))
    )
    rows = rows.with_columns(carry=pl.when(next_epoch).then(pl.coalesce(previous("total_steps"), "was")).otherwise(0))
    rows = rows.with_columns(back=pl.col("fell") & ~next_epoch)
    rows = rows.with_columns(run=pl.col("back").cast(pl.Int64).cum_sum().over("series"))
    carried = pl.col("carry").cum_sum().over("series") > 0
    return rows.with_columns(
        step=pl.col("step") + pl.col("carry").cum_sum().over("series", "run"),
        total_steps=pl.when(pl.col("total_epochs").is_not_null())
        .then(_of_the_run())
        .when(~carried)
        .then("total_steps"),
    ).drop("series", "fell", "grew", "done", "was", "carry", "run", "called")


def _drawn_to_its_end() -> pl.Expr:
    """Whether a bar that begins anew had come so near its end that it would not have been drawn again before it.

    A bar that is wiped when it is done is never seen full. One that ended there may have been killed there: only where
    most of several bars of one length did is each of them an epoch.
    """
    place = ["series", pl.col("total_steps")]
    step, total = pl.col("step").shift().over("series"), pl.col("total_steps").shift().over("series")
    moved = pl.col("step").diff().over("series")
    stride = pl.when(moved > 0).then(moved).rolling_max(_DRAWN, min_samples=1).shift().over("series")
    fell = pl.col("fell") & (pl.col("kind") == str(Kind.BAR)) & (pl.col("total_steps") == total)
    near = (fell & (step + 2 * stride >= total) & (step >= _ALL_BUT * total)).fill_null(value=False)
    near_all, fell_all = near.sum().over(place), fell.fill_null(value=False).sum().over(place)
    return near & (near_all >= 2) & (2 * near_all > fell_all)


_DRAWN: Final = 3
_ALL_BUT: Final = 0.8


def _of_the_run() -> pl.Expr:
    """Planned steps of the run by reports that tell how many epochs are planned; null where its count may be either.

    A count that begins anew with every epoch is as long as all of them; one that goes on is where its epoch is.
    """
    place = ["series", "run"]
    step, told, epochs = pl.col("step"), pl.col("total_steps"), pl.col("total_epochs")
    number = pl.col("epoch").floor().cast(pl.Int64, strict=False)
    number = number + (number.min().over(place) == 0).cast(pl.Int64)  # some count epochs from 0
    within = (pl.col("carry") > 0).any().over(place) & (told.n_unique() == 1).over(place)
    fits = ((number - 1) * told <= step * epochs) & (step * epochs <= number * told)
    goes_on = fits.fill_null(value=False).all().over(place) & (number.n_unique() > 1).over(place)
    only = (epochs == 1) | (pl.col("kind") == str(Kind.EPOCH))
    return pl.when(only | goes_on).then(told).when(within).then(told * epochs)
