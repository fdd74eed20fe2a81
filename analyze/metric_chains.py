"""Which values of trackers belong together: units that are no copies, the chains they make, and the attempts in these.

- A *unit* is what one writer wrote in one go: a file, or all files of a run where a tracker keeps one file a metric
  (MLflow). A unit of which another one holds every value is a copy (each HF checkpoint repeats the history) and is
  left out.
- Units of one run, or of runs in one folder, that follow each other in time are one *source*, and the runs are its
  attempts; so is a step counter that begins again. Units that overlap in time are sources of their own.
"""

from __future__ import annotations

import bisect
import itertools
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.bundle.imports.rows import UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Iterator

MANY_ROWS: Final = 20
OFTEN: Final = 0.25
"""Share of the rows of a table before which the counter stood higher; one that restarts does so a few times."""
_VERSION: Final = re.compile(r"version_(\d{1,9})(?:/|$)")
_STARTS: Final = re.compile(
    r"(?i)((?:^|[/_.-])(?:(?:re)?start|attempt|incarnation|retry|requeue|resume|part|segment|leg)s?)[_.-]?\d{1,4}"
    r"(?=/|(?:\.(?:csv|tsv|txt|dat|jsonl?|ndjson|gz|zst))+$)"
)
"""A folder or file for each start of one training; those of runs, seeds or folds are trainings of their own."""
_NUMBERED: Final = re.compile(
    r"(?i)(\d{1,9})(?=(?:\.(?:csv|tsv|txt|dat|jsonl?|ndjson|gz|zst))+$)|(?<=[A-Za-z_-])(\d{1,9})(?=/[^/]+$)"
)
"""The number of a file among others of its name, or that of its folder."""
_NUMBERED_FILE: Final = r"\d\.[A-Za-z][\w.]*$|\d/[^/]+$"
"""The same for engines that look at no neighbours."""
_STAGE: Final = re.compile(
    r"(?i)(?:^|[/_.-])(?:(?:stage|phase|task|level|curriculum|cycle)[_.-]?\d{1,9}|(?:19|20)\d\d)(?=[./])"
)
"""The name of a file or folder that tells stages of a training, or years, apart: each may have a loss of its own."""
_TRIAL: Final = re.compile(
    r"(?i)(?:^|[/_.-])(?:run|seed|fold|trial|exp|experiment|rep|replicate|cv|split|model|config)[_.-]?\d{1,9}(?=[./])"
)
"""The name of a file or folder that tells trainings apart, of which none goes on where another had come to."""
_OF_THE_WHOLE: Final = ("counter", "total_steps", "progress", "total_epochs", "runtime", "patience", "impatience")
"""What a copy may tell otherwise: where it stood when it was made."""

_Row = dict[str, Any]


def in_chains(values: pl.DataFrame) -> pl.DataFrame:
    """Values with ``chain``, its ``source`` and ``node``, ``at`` (their order in it), ``attempt`` and ``began_by``."""
    values = _counted_through(values)
    rows = values.join(_units(values), on="unit").join(_disordered(values), on="unit", how="left")
    rows = rows.with_columns(at=_order()).sort("chain", "at", "place", "seq")
    sources = _labels(rows)
    one_node = pl.col("node").n_unique().over("chain") == 1
    rows = rows.with_columns(
        node=pl.when(one_node).then("node").otherwise(pl.lit(UNKNOWN_NODE)),
        source=pl.col("chain").replace_strict(sources, default=None, return_dtype=pl.String),
        attempt=_attempt(rows),
        lap=_laps(rows),
    )
    first = pl.col("attempt") == pl.col("attempt").min().over("unit")
    # A process that starts anew writes a new event file: a counter that begins again within one is a fold, or a stage.
    stage = ~first & (pl.col("framework") == "tensorboard")
    # A table may hold one training after another, and say which a row is of: by fold or seed, or runs that begin anew.
    begins = pl.col("step").min().over("chain", "attempt") <= 2 * pl.col("step").min().over("chain") + 1
    several = (pl.col("attempt") > 0) & (pl.col("run").n_unique().over("unit") > 1)
    stage |= several & (pl.col("run").str.contains("=", literal=True) | begins)
    return rows.with_columns(
        began_by=pl.when((pl.col("anew") & first) | stage)
        .then(pl.lit("new_run"))
        .when(pl.col("attempt") == 0)
        .then(pl.lit("start"))
        .otherwise(pl.lit("step_back"))
    )


def _counted_through(values: pl.DataFrame) -> pl.DataFrame:
    """Values whose steps go on from epoch to epoch, where a unit counts within each of them, as mmcv's logs do.

    Each later epoch begins below where the one before had come to; an epoch is as long as the highest of all steps.
    """
    told = values.filter(pl.col("step").is_not_null() & pl.col("epoch").is_finite())
    if told.is_empty():
        return values
    each = told.group_by("unit", "epoch").agg(
        low=pl.col("step").min(), high=pl.col("step").max(), n=pl.col("step").n_unique(), at=pl.col("seq").min()
    )
    each = each.sort("unit", "at")
    before = {name: pl.col(name).shift().over("unit") for name in ("epoch", "high")}
    judged = each.with_columns(
        again=(pl.col("low") < before["high"]) & (pl.col("epoch") == before["epoch"] + 1),
        first=before["epoch"].is_null(),
    )
    units = judged.group_by("unit").agg(
        within=(pl.col("again") | pl.col("first")).all() & (pl.col("n").max() > 1) & (pl.len() > 1),
        length=pl.col("high").max(),
        begin=pl.col("epoch").min(),
    )
    within = units.filter(pl.col("within")).select("unit", "length")
    joined = values.join(within, on="unit", how="left", maintain_order="left")
    epochs = (pl.col("epoch") - min(1.0, float(units["begin"].min()))).floor().cast(pl.Int64)  # type: ignore[arg-type]
    step = pl.col("step") + pl.col("length") * epochs
    return joined.with_columns(step=pl.coalesce(step, "step")).drop("length")


def located(notes: pl.DataFrame, placed: pl.DataFrame) -> pl.DataFrame:
    """Notes with the node, source and attempt of the values of their unit; of one without values, its own."""
    last = placed.group_by("unit").agg(pl.col("node", "source").first(), pl.col("attempt").max())
    joined = notes.join(last, on="unit", how="left", suffix="_of_chain")
    return joined.with_columns(
        node=pl.coalesce("node_of_chain", "node"), source=pl.coalesce("source_of_chain", "source")
    ).sort("unit", "seq")


def _units(values: pl.DataFrame) -> pl.DataFrame:
    """One row a unit that is no copy: ``chain``, ``place`` in it, ``anew`` (a new run begins)."""
    sizes = values.group_by("unit").len().sort("len", "unit").with_row_index("weight").drop("len")
    judged = values.join(sizes, on="unit")
    timed_run = pl.when(pl.col("ts_ns").is_not_null()).then("run")
    held = judged.with_columns(
        heaviest=pl.col("weight").max().over("framework", "rank", timed_run, "ts_ns", "step", "name", "value"),
        counts=~pl.col("column").is_in(_OF_THE_WHOLE),
    )
    found = (
        held.group_by("unit")
        .agg(
            copied=(pl.col("heaviest") > pl.col("weight")).filter("counts").all(),
            begin=pl.col("ts_ns").min(),
            end=pl.col("ts_ns").max(),
            framework=pl.col("framework").first(),
            run=pl.col("run").first(),
            source=pl.col("source").first(),
            rank=pl.col("rank").first(),
            first=pl.col("step").min(),
            last=pl.col("step").max(),
            steps=pl.col("step").n_unique(),
        )
        .filter(~pl.col("copied"))
    )
    rows: list[_Row] = []
    open_chains: dict[tuple[str | None, int | None, str], _Row] = {}
    for unit in sorted(found.iter_rows(named=True), key=_began):
        group = (unit["framework"], unit["rank"], _group(unit))
        before = open_chains.get(group)
        follows = before is not None and _follows(before, unit)
        row = {
            "unit": unit["unit"],
            "chain": before["chain"] if before is not None and follows else len(rows),
            "place": before["place"] + 1 if before is not None and follows else 0,
            "anew": bool(
                before is not None
                and follows
                and before["run"] != unit["run"]
                and not (_start(unit) or _counts_on(before, unit))
            ),
        }
        rows.append(row)
        if before is None or follows or _began(unit) > _began(before):
            open_chains[group] = {**unit, **row}
    return pl.DataFrame(rows, schema={"unit": pl.String, "chain": pl.Int64, "place": pl.Int64, "anew": pl.Boolean})


def _began(unit: _Row) -> tuple[int, tuple[int, ...], str]:
    """When a unit began: by its times, else by Lightning's number of the version, or those in the names of the file."""
    source = unit["source"] or ""
    version = _VERSION.search(source) or _NUMBERED.search(source)
    number = (int(version[version.lastindex or 0]),) if version else ()
    named = () if _VERSION.search(source) else tuple(int(digits) for digits in re.findall(r"\d{1,18}", source))
    return (unit["begin"] or 0, named or number, unit["unit"])


def _start(unit: _Row) -> str | None:
    """The place of a unit without the number of its folder, where that numbers starts of one training; else None."""
    source = unit["source"] or ""
    return _STARTS.sub(r"\1", source, count=1) if _STARTS.search(source) else None


def _group(unit: _Row) -> str:
    """Runs that may be attempts of one training: those in one folder."""
    if unit["framework"] == "mlflow":
        return ""
    if start := _start(unit):
        return start
    source = unit["source"] or ""
    if (unit["begin"] is None or unit["framework"] == "csv") and not _VERSION.search(source):
        return _of_one_form(source) or str(unit["unit"])
    return str(PurePosixPath(source).parent.parent)


def _of_one_form(source: str) -> str:
    """A name without its numbers, and without what says that it is the part that goes on: ``train2``, ``run-cont``."""
    form = _CONTINUED.sub("", _DIGITS.sub("#", source))
    return re.sub(r"[_. -]?#(?=[./]|$)", "", form)


_DIGITS: Final = re.compile(r"\d+(?:[-_.:T+]\d+)*")
_CONTINUED: Final = re.compile(
    r"(?i)[_. -]?(?:cont(?:d|inued|inuation|inue)?|resum(?:e|ed|ing)|restart(?:ed)?|again|suite|forts(?:etzung)?|weiter"
    r"|continua(?:cion|ción|ção|cao|to)|reprise|riprend\w*|neustart|part|teil|partie|parte|\u7eed|\u7eed\u8bad|\u7d9a\u304d)"
    r"(?=[_. #/-]|$)"
)
"""What the name of a file or folder says of one that goes on with another."""


def _follows(before: _Row, unit: _Row) -> bool:
    """Whether a unit began when the one before had ended: by its times, else by Lightning's number of the version.

    Of files that are numbered only, where they number starts, or the counter goes on from one to the next.
    """
    if before["end"] is not None and unit["begin"] is not None:
        trial = unit["framework"] == "csv" or (before["run"] == unit["run"] and _TRIAL.search(unit["source"] or ""))
        return bool(unit["begin"] >= before["end"] and (not trial or _start(unit) or _counts_on(before, unit)))
    if unit["begin"] is not None or before["end"] is not None:
        return False
    versions = [_VERSION.search(each["source"] or "") for each in (before, unit)]
    return all(versions) or _start(unit) is not None or _counts_on(before, unit)


def _counts_on(before: _Row, unit: _Row) -> bool:
    """Whether a unit's counter goes on where that of the one before had come to, or a few reports before."""
    if before["steps"] == unit["steps"] == 1 and before["last"] is not None and unit["first"] is not None:
        return unit["first"] > before["last"] and _numbered_by_step(before) and _numbered_by_step(unit)
    staged = _STAGE.search(unit["source"] or "") is not None
    if None in (before["last"], unit["first"]) or before["steps"] < _TO_COUNT_ON or staged:
        return False
    stride = (before["last"] - before["first"]) / (before["steps"] - 1)
    return bool(
        -_TO_COUNT_ON * stride <= unit["first"] - before["last"] <= 2 * stride and unit["last"] > before["last"]
    )


def _numbered_by_step(unit: _Row) -> bool:
    """Whether the number of a file is the step, or epoch, of the one report it holds."""
    number = _NUMBERED.search(unit["source"] or "")
    return number is not None and int(number[number.lastindex or 0]) == unit["first"]


_TO_COUNT_ON: Final = 5
"""Reports of a file whose stride tells whether the next one goes on, and how many of them may be done again."""


def _order() -> pl.Expr:
    """Place of a value in its chain: by time where every value has one (files of one run), else as it was written."""
    timed = pl.col("ts_ns").is_not_null().all().over("chain")
    told = pl.when("disordered").then(pl.col("step").fill_null(0).clip(0, 2**40 - 1)).otherwise("seq")
    return pl.when(timed).then("ts_ns").otherwise(pl.col("place") * 2**40 + told)


def _disordered(values: pl.DataFrame) -> pl.DataFrame:
    """Units whose counter goes back again and again: a table that nobody sorted, or that has its newest rows first."""
    back = (pl.col("step").diff() < 0).mean()
    told = (
        values.filter(pl.col("step").is_not_null())
        .group_by("unit", "name")
        .agg(
            pl.len(),
            back=back,
            turns=pl.col("run").ne_missing(pl.col("run").shift()).mean(),
            runs=pl.col("run").n_unique(),
        )
    )
    # Of several runs in a table, where they stand side by side.
    beside = (pl.col("runs") == 1) | (pl.col("turns") > OFTEN)
    often = (pl.col("len") >= MANY_ROWS) & (pl.col("back") > OFTEN) & beside
    return told.filter(often).select("unit", disordered=True).unique()


def _labels(rows: pl.DataFrame) -> dict[int, str | None]:
    """``source`` of each chain: its file, or the folder that holds all of its files; no two chains have the same."""
    labels: dict[int, str | None] = {}
    files = rows.select("chain", "source").drop_nulls().unique().sort("chain", "source")
    for chain, names in files.group_by("chain", maintain_order=True).agg("source").iter_rows():
        parts = [name.split("/")[:-1] for name in names]
        shared = itertools.takewhile(lambda same: len(set(same)) == 1, zip(*parts, strict=False))
        folder = "/".join(same[0] for same in shared) or "."
        labels[chain] = names[0] if len(names) == 1 or folder in labels.values() else folder
    return labels


def _attempt(rows: pl.DataFrame) -> pl.Series:
    """Attempt of each row within its chain: a new run begins one, and so does a counter that is at its start again.

    The most frequent metric of a chain decides for all; a step that is only a little late is none. Files that number
    their attempts, or name their runs, are believed.
    """
    boundaries: dict[int, list[int]] = {}
    for (chain,), part in rows.group_by("chain", maintain_order=True):
        stepped = part.filter(pl.col("step").is_not_null())
        starts = part.filter("anew").group_by("place").agg(pl.col("at").min())["at"].sort().to_list()
        counts = stepped.group_by("name").len().sort("len", "name", descending=[True, False])
        again = () if counts.is_empty() else _begun_again(stepped, counts["name"][0], starts)
        boundaries[int(str(chain))] = sorted({*starts, *again, *_told_anew(part), *_leapt(part)})
    number = [bisect.bisect_right(boundaries[chain], at) for chain, at in rows.select("chain", "at").iter_rows()]
    return pl.Series("attempt", number, dtype=pl.Int64)


def _laps(rows: pl.DataFrame) -> pl.Series:
    """How often the counter of a chain had gone back by many reports at each row: what is done twice is told twice."""
    boundaries: dict[int, list[int]] = {}
    for (chain,), part in rows.group_by("chain", maintain_order=True):
        stepped = part.filter(pl.col("step").is_not_null())
        counts = stepped.group_by("name").len().sort("len", "name", descending=[True, False])
        boundaries[int(str(chain))] = [] if counts.is_empty() else sorted(_gone_back(stepped, counts["name"][0]))
    number = [bisect.bisect_right(boundaries[chain], at) for chain, at in rows.select("chain", "at").iter_rows()]
    return pl.Series("lap", number, dtype=pl.Int64)


def _gone_back(part: pl.DataFrame, main: str) -> Iterator[int]:
    """Where the counter of metric ``main`` goes back by many of its reports, at the first value there of any metric."""
    told = part.filter(pl.col("name") == main).select("step", "at")
    stride = told["step"].diff().median()
    if not isinstance(stride, float) or stride <= 0:
        return
    for (before, seen), (step, at) in itertools.pairwise(told.iter_rows()):
        if before - step >= _MANY * stride:
            early = part.filter((pl.col("at") > seen) & (pl.col("at") <= at) & (pl.col("step") <= step))
            yield int(early["at"].to_list()[0])


_MANY: Final = 10


def _leapt(part: pl.DataFrame) -> Iterator[int]:
    """Where numbered tables of one chain part, and the loss is far above where the one before had come to."""
    numbered = part.filter(pl.col("source").str.contains(_NUMBERED_FILE))
    told = numbered.filter((pl.col("column") == "loss") & pl.col("value").is_finite())
    if part["framework"][0] != "csv" and part["ts_ns"].is_not_null().any():
        return
    several = told.filter(pl.len().over("place") > 1)
    ends = several.group_by("place", maintain_order=True).agg(
        pl.col("at").min(),
        first=pl.col("value").head(_NEIGHBOURS).median(),
        last=pl.col("value").tail(_NEIGHBOURS).median(),
    )
    pairs = itertools.pairwise(ends.iter_rows(named=True))
    leaps = [after["place"] for before, after in pairs if after["first"] > _LEAP * before["last"]]
    if len(leaps) == 1:  # several are trainings in turn
        yield int(part.filter(pl.col("place") == leaps[0])["at"].min())  # type: ignore[arg-type]


_NEIGHBOURS: Final = 3
_LEAP: Final = 1.25
"""A loss that is so many times what it was in the file before did not just go on."""


def _told_anew(part: pl.DataFrame) -> Iterator[int]:
    """Where a row tells another attempt, or another run of one file, than the rows before it."""
    for told, of in ((part.filter(pl.col("column") == "attempt_told"), "value"), (part, "run")):
        if told[of].n_unique() > 1 and (of == "value" or part["source"].n_unique() == 1):
            changed = told.filter((pl.col(of) != pl.col(of).shift()).fill_null(value=False))
            for step in changed["step"]:
                yield int(part.filter(pl.col("step").eq_missing(step))["at"].to_list()[0])


def _begun_again(part: pl.DataFrame, main: str, starts: list[int]) -> Iterator[int]:
    """Where the counter of metric ``main`` is at its start again: at the first value of that round, of any metric."""
    lowest: int | None = None
    before: int | None = None
    seen = -1
    told = part.filter(pl.col("name") == main).select("step", "at", then=pl.col("step").shift(-1))
    for step, at, then in told.iter_rows():
        if any(seen < start <= at for start in starts):
            lowest = before = None
        again = lowest is not None and before is not None and step <= lowest + 1 and before - step >= 2
        if again and not (then is not None and then > before):  # a counter that at once goes on is another writer's
            early = part.filter((pl.col("at") > seen) & (pl.col("at") <= at) & (pl.col("step") <= step))
            yield int(early["at"].to_list()[0])
            lowest = step
        lowest, before, seen = step if lowest is None else min(lowest, step), step, at
