"""Training told as JSON: one object a report, with its step and numbers, as many loops keep in ``metrics.jsonl``.

A file counts as one of training when its first objects name a step (or iteration, or epoch) and, beside it, what
training is about or at least two clocks of a step. They may be lines, or items of an array; or one object holds a list
for each metric, as Keras' history does, or the points of each. YAML holds either as well. The numbers may lie one level
deeper (``{"step": 10, "metrics": {"loss": 2.3}}``); their names are then joined by a slash, but for words such as
"metrics" that say nothing. JSON has no NaN: where a loss was told in every object and from some object on only
``null``, up to the end, it is read as NaN; a null between numbers is a report without that value.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports._values import (
    MAX_NAME,
    Row,
    batches,
    english,
    folder,
    int64,
    nanoseconds,
    number,
    real,
    reason_bits,
    teller,
)
from inquest.bundle.imports.json_stream import first_values, values
from inquest.bundle.imports.settings import held_in, rows_of
from inquest.bundle.imports.source import SAMPLE
from inquest.bundle.imports.yaml_history import NAMED, objects
from inquest.bundle.timers import SAVE, timer_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

STEP: Final = re.compile(
    r"_?(?:trainer/|train/|train_|training_)?(?:(?:global|num|n|total|current|opt|optim|optimizer|grad|gradient|learner"
    r"|(?:iter|iteration|update)(?=[_ ]step))[_ ]?)?"
    r"(?:(?:time|env_?)?step|iter|iteration|it|update|batch|minibatch|kimg|pass|schritt)"
    r"(?:e?s|_num|_number|_idx|_index|_no|_count)?"
    r"|(?:samples|tokens|examples|images)_seen|consumed_(?:samples|tokens)",
    re.IGNORECASE,
)
"""Names of what counts steps, or what goes with them."""
SAMPLES: Final = re.compile(r"(?:samples|tokens|examples|images)_seen|consumed_(?:samples|tokens)|kimg", re.IGNORECASE)
"""Those that only go with steps: they count where nothing else does."""
PLANNED: Final = re.compile(r"(?:total|max)[_ ]?(?:step|iter|iteration|it|update)s?|of", re.IGNORECASE)
"""Names of how many steps there are to be, where another counts them."""
LONG_NAMES: Final = ("metric", "name", "key", "tag", "metric_name", "variable", "metricname", "metric.name", "title")
"""Columns or members that name a metric whose value stands beside them, in a line of its own."""
LONG_VALUES: Final = ("value", "metricvalue", "metric_value")
"""What that value is called."""
_ARRAYS: Final = frozenset(
    {"history", "log_history", "train_history", "training_history", "records", "results", "rows", "points"}
    | {"steps", "epochs", "metrics", "log", "logs", "data", "values"}
)
"""Members of one object that may hold the reports, as an export of a tracker does."""
LOSS: Final = re.compile(
    r"(?:^|[\W_])(?:loss|losses|verlust|nll|b?ce|perplexity|ppl|objective|cost|x?entropy|xent|n?elbo|log_?likelihood|bp[cbd]|bits_per_\w+|rmse|mse|mae"
    r"|logloss|reward|rew|ret|return|smape|pinball|quantile|bpr|nce|infonce|nt_?xent|triplet|contrastive|ctc|rnn_?t|focal|huber|hinge|charbonnier)(?:$|[\W_])",
    re.IGNORECASE,
)
"""Names of what training is about."""
JUDGED: Final = re.compile(
    r"(?:^|[\W_])(?:acc(?:uracy)?(?:@1)?|top[-_]?1|m?ap(?:_?\d\d)?|m?iou|m?dice|f1|auc|auroc|wer|cer|[fk]id(?:\d+k(?:_\w+)?)?)(?:$|[\W_])",
    re.IGNORECASE,
)
"""Names of what a model is judged by: beside a counter they tell of training, where no loss is told."""
_LISTS: Final = re.compile(
    rb'\s*\{\s*(?:"[^"\n]{1,200}"\s*:\s*\{\s*){0,2}"[^"\n]{1,200}"\s*:\s*\[\s*(?:-?\d|NaN|null|-?Infinity)'
)
"""Lists of numbers by their names, one or two levels deep."""
_CURVES: Final = re.compile(
    rb'\s*(?:\[\s*)?\{\s*(?:"[^"\n]{1,200}"\s*:\s*(?:\[\s*)?\{\s*){0,3}(?:"[a-z]{1,20}"\s*:\s*"[^"\n]{0,200}"\s*,\s*){0,8}"[xy]"\s*:\s*\[\s*-?\d'
)
"""Points of curves as plotting programs hold them: a list for each axis."""
_SERIES: Final = re.compile(
    rb'\s*\{\s*(?:"[^"\n]{1,200}"\s*:\s*\{\s*){1,3}"(?:steps?|values?|timestamps?)"\s*:\s*\[(?!\s*\{)'
)
_VALUES: Final = re.compile(rb'"values?"\s*:\s*\[')
"""The same as Sacred keeps them: steps and values by the name of each metric."""
_POINTS: Final = re.compile(
    rb'\s*\{\s*((?:"[^"\n]{1,200}"\s*:\s*\{\s*){0,2}"[^"\n]{1,200}"\s*:\s*\[)\s*'
    rb'(?:\[\s*-?\d|\{\s*"(?:[xy]|step|epoch|iter|iteration|value|wall_time|timestamp|time)"\s*:)'
)
"""By the name of each metric a list of its points: pairs of step and value, or objects that hold both."""
DONE: Final = "done"
"""What each record of Ray's Tune says: whether the training came to where it was to stop."""
_AXES: Final = (("x", "y"), ("steps", "values"), ("step", "value"), ("steps", "value"))
_NUMBERS: Final = re.compile(
    rb"""\s*(?:\[\s*(?:\[\s*)?-?\d[\d.eE+-]*\s*,\s*-?(?:\d|[Nn]a[Nn]|null|[Ii]nf)|\{\s*"\d{1,12}"\s*:\s*-?(?:\d|NaN|null|Inf))"""
)
"""Numbers without a name: a list of them, of pairs with a step, of triples with a time before it, or by their step."""
_CURVE: Final = re.compile(rb'"name"\s*:\s*"([^"\n]{1,200})"|"([^"\n]{1,200})"\s*:\s*\{')
"""What a curve may be called: the member it is, or its own name."""
_FRAME: Final = re.compile(
    rb'\s*\{\s*(?:"[^"\n]{1,200}"\s*:\s*\{\s*"0"\s*:\s*(?:-?\d|NaN|null)|"0"\s*:\s*\{\s*"|"columns"\s*:\s*\[\s*")'
)
"""A data frame as pandas writes it: by columns, by rows, or split into names and rows."""
_LIST: Final = re.compile(rb'"([^"\n]{1,200})"\s*:\s*[\[{]')
_BETWEEN: Final = re.compile(r"[\s,]*")
_DECODER: Final = json.JSONDecoder()
_MOST_WHOLE: Final = 16 << 20
"""Bytes of a file that has to be held as a whole: a million numbers."""
_MAX_NUMBERS: Final = 2000
_LOOKED_AT: Final = 20
_SHARE: Final = 0.8
_EPOCH: Final = re.compile(r"epochs?", re.IGNORECASE)
_TIME: Final = re.compile(r"_?(?:wall_?|unix_?)?time(?:_?stamp)?|_?ts|created_at|date(?:time)?", re.IGNORECASE)
RANK: Final = re.compile(r"(?:global[_ ]?|world[_ ]?)?rank(?:_?id)?|process_index", re.IGNORECASE)
"""Names of what tells ranks apart in one file."""
RUN: Final = re.compile(r"(?:run|seed|fold|trial|replicate)(?:_?(?:id|name|no))?", re.IGNORECASE)
"""Columns or members that tell trainings apart which one file holds one after another."""
MAX_RANK: Final = 1 << 20
"""More ranks has no job."""
_NAMED: Final = re.compile(r"\.(?:jsonl|ndjson|json)(?:\.gz|\.zst)?$", re.IGNORECASE)
_ARRAY: Final = re.compile(rb"\s*\[\s*\{\s*\"")
"""An array of objects, whatever its file is called: Chainer's report is a file of the name ``log``."""
_PLAIN: Final = frozenset(
    {"metrics", "metric", "results", "result", "scalars", "values", "data", "stats", "logs", "log", "scores"}
)
"""Names of what holds the numbers that do not tell them apart."""
_EPOCH_S: Final = (1e9, 4.2e9)
"""Seconds of this century: what a number of time holds, if it is a time of day."""
_TOLD_BEFORE: Final = 2
"""Numbers in a row before a null stands for what JSON cannot say."""
_NOT_ALWAYS: Final = -1
_MOST_NULLS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class _Report:
    """One object: what it is about, and what it tells; ``nulls`` are names without a number."""

    about: Row
    numbers: dict[str, float]
    nulls: tuple[str, ...]

    @property
    def parts_of_epochs(self) -> bool:
        """Whether nothing but an epoch counts it, and not in whole ones."""
        epoch = self.about["epoch"]
        return self.about["step"] is None and epoch is not None and not float(epoch).is_integer()


@dataclass(slots=True)
class _Silent:
    """A name that was told in every report so far, then not."""

    told: int = 0
    since: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MetricLines:
    """See the module."""

    name: str = "metric_lines"
    title: str = "JSON lines of training metrics"
    tables: tuple[str, ...] = ("metrics", "log_lines")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        """Objects of one line each, of which as good as all tell a step and a number that is a metric's by its name."""
        if NAMED.search(source.name):
            return _in_yaml(objects(source.head[:65536].decode("utf-8", "replace").rpartition("\n")[0].splitlines()))
        whole = _ARRAY.match(source.head) is not None and source.tail.rstrip().endswith(b"]")
        head = source.head[:65536]
        if (subject := by_file(source.name)) is not None and _NUMBERS.match(head):
            return _NAMED.search(source.name) is not None or source.tail.rstrip().endswith((b"]", b"}"))
        if not whole and not _NAMED.search(source.name):  # in a log the same objects stand among lines of other kinds
            return False
        if _holds_axes(head):
            return of_training(b"".join(names).decode("utf-8", "replace") for names in _CURVE.findall(head))
        if _holds_points(head):
            return True
        if _FRAME.match(head):
            return _of_frame(source)
        if _holds_lists(source):
            return True
        if _LISTS.match(head):
            names = [name.decode("utf-8", "replace") for name in _LIST.findall(head)]
            return of_training(names) or any(subject is not None and split_of(name, subject) for name in names)
        if _one_of_many(source) is not None:
            return True
        reports = _first_items(head) if head.lstrip().startswith(b"[") else _first_lines(head) or _first_held(source)
        if not reports and of_training(name for report in _counted_lines(head) for name in report.numbers):
            return True
        told = [
            report
            for report in reports
            if report is not None and (report.about["step"] is not None or report.parts_of_epochs)
        ]
        numbered = {name for report in told for name in (*report.numbers, *report.nulls)}
        named = of_training(numbered) or any(map(JUDGED.search, numbered))
        return named and len(told) >= _SHARE * len(reports)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """One row a number; a folder is a run. Objects that tell of an event in words are lines of a log."""
        about = teller(source, "jsonl", folder(source.name))
        ends = _run_of_w_and_b(source)
        about |= {"framework": "wandb"} if ends else {}
        said: list[Row] = []
        reports = _numbered(_in_utc(_reports(source, context, said), context.utc_offset_minutes))
        told = chain(ends[:-1], _rows(reports, context), ends[-1:])
        yield from batches({**about, **row} for row in told)
        if not ends:
            yield from batches(rows_of(held_in(source.head.decode("utf-8", "replace")), folder(source.name)))
        where = {"rank": source.rank, "rank_by": source.rank_by}
        yield from batches(({**where, **_row_in_utc(row, context.utc_offset_minutes)} for row in said), "log_lines")


def _in_utc(reports: Iterator[_Report | None], offset_minutes: int) -> Iterator[_Report | None]:
    """Reports whose times are UTC."""
    for report in reports:
        if report is not None:
            _row_in_utc(report.about, offset_minutes)
        yield report


def _row_in_utc(about: Row, offset_minutes: int) -> Row:
    """``about``, in which a time that told no zone was one of the cluster's."""
    if about.pop(_LOCAL, False):
        about["ts_ns"] -= offset_minutes * _MINUTE
    return about


_LOCAL: Final = "is_local"
_MINUTE: Final = 60_000_000_000


def _run_of_w_and_b(source: Source) -> list[Row]:
    """How a run ended, and what was planned of it, by an object that its API gave for the whole run."""
    around = source.head[:65536] + source.tail
    state = _STATE.search(around)
    if (
        source.head.lstrip()[:1] != b"{"
        or not _HOLDS.search(source.head[:65536])
        or not state
        or b'"_step"' not in around
    ):
        return []
    planned = _PLANNED_STEPS.search(around)
    first = {"step": 0, "epoch": None, "ts_ns": None}
    return [
        *([{**first, "name": "max_steps", "value": float(planned[1])}] if planned else []),
        {**first, "step": None, "name": "exit_code", "value": 0.0 if state[1] == b"finished" else 1.0},
    ]


_STATE: Final = re.compile(rb'"state"\s*:\s*"(finished|failed)"')
_PLANNED_STEPS: Final = re.compile(rb'"(?:max|total|num_train(?:ing)?)_(?:steps|iters)"\s*:\s*(\d{1,12})\b')


def _numbered(reports: Iterator[_Report | None]) -> Iterator[_Report | None]:
    """Reports with steps; where parts of epochs alone count them, each report is one."""
    first = list(islice(reports, _LOOKED_AT))
    parts = any(report.parts_of_epochs for report in first if report is not None)
    count = 0
    for report in chain(first, reports):
        if parts and report is not None and report.about["epoch"] is not None:
            count += 1
            report.about["step"] = count
        yield report


def of_training(names: Iterable[str]) -> bool:
    """Whether names of numbers tell what training is about, or how long at least two parts of a step took."""
    told = {english(name) for name in names}
    if any(LOSS.search(_FAINT.sub("_", name)) for name in told):
        return True
    if any(LOSS.search(name) for name in told):  # "cost" alone: that of a plant stands beside its power
        return sum(not _OF_TRAINING.search(name) for name in told) <= _STRANGERS
    return len({timer.column for name in told if (timer := timer_of(name)) is not None}) > 1


_FAINT: Final = re.compile(r"(?i)(?:^|(?<=[\W_]))(?:cost|objective|return|ret)(?=$|[\W_])")
"""Words that other trades have for other things."""
_OF_TRAINING: Final = re.compile(
    r"(?i)cost|objective|(?:^|[\W_])ret|step|iter|epoch|time|date|(?:^|[\W_])(?:ts|lr|it|id|run|seed|fold|kl|len|n|std|fps|acc)"
    r"(?:$|[\W_])|rate|grad|norm|accura|valid|(?:^|[\W_])(?:val|test|dev|eval|train)|entropy|episode|length|clip|loss"
    r"|update|batch|sample|token|gpu|mem|^$|^unnamed"
)
_STRANGERS: Final = 1

SPLIT: Final = re.compile(r"(?i)(?:data_?)?(?:split|subset|set|partition)|phase|mode|stage|series")
"""Columns or members that tell in a word on which data the numbers of a row were measured."""


def on_data(name: str, word: str) -> str:
    """The name of a number, with the word for data held out that stands beside it where it is a loss of these."""
    apart = _HELD_OUT.fullmatch(word) and of_training([name]) and not _HELD_OUT.search(name)
    return f"{word.lower()}_{name}" if apart else name


def run_called(name: str, told: str) -> str | None:
    """The run that a column or member of this name tells; None where it is blank or far too long."""
    run = told if not told or name.lower().startswith("run") else f"{name}={told}"
    return run if 0 < len(run) <= MAX_NAME else None


_OF_RANK: Final = re.compile(
    r"(?i)(?:rank[_ -]?(?P<first>\d{1,6})[/_. :-]+)?(?P<name>.{1,200}?)(?:[/_. :-]+\(?rank[_ -]?(?P<last>\d{1,6})\)?)?"
)


def of_rank(name: str) -> Row:
    """Name and rank of a number that was told of each rank by a name of its own (``loss_rank3``)."""
    told = _OF_RANK.fullmatch(name)
    rank = (told["first"] or told["last"]) if told else None
    if told is None or rank is None or not of_training([told["name"]]) or told["name"] == name:
        return {"name": name}  # the first answer of a retrieval is of "rank 1" too
    return {"name": told["name"], "rank": int(rank), "rank_by": "content"}


_FILE: Final = re.compile(
    r"(?i)(?:^|[\W_])(?:train|training)?(?:loss|losses|nll|ppl|perplexity|xent|bp[bc])(?:hist|history|curve|log|s)?(?:$|[\W_\d])"
)
_HELD_OUT: Final = re.compile(r"(?i)(?:^|[\W_])(?:val|valid|validation|eval|evaluation|test|dev|held_?out)(?:$|[\W_])")
_PLAYS: Final = re.compile(
    r"(?i)(?:^|[\W_])(?:stop|weight|hair|heat|packet|profit|hearing|water|path|power|mass|bone|sleep|d|g|disc|gen|discriminator|generator|critic|actor|policy|value|adv|acc|accuracy|lr)(?:$|[\W_])"
)
_TRAINS: Final = re.compile(r"(?i)tr|trn|train|training")


def by_file(name: str) -> str | None:
    """What a file holds that is named after a loss: that of training, or of validation; None of another name."""
    stem = PurePosixPath(name).name.partition(".")[0]
    if not _FILE.search(stem) or _PLAYS.search(stem):
        return None
    return "val_loss" if _HELD_OUT.search(stem) else "train_loss"


def split_of(name: str, subject: str) -> str | None:
    """The loss a column is of that is named by its data alone, in a file of losses."""
    if name.lower() == "value":
        return subject
    return "train_loss" if _TRAINS.fullmatch(name) else "val_loss" if _HELD_OUT.fullmatch(name) else None


def _reports(source: Source, context: Context, said: list[Row]) -> Iterator[_Report | None]:
    """All reports of a file, whatever its form; lines of JSON that tell of events are put into ``said``."""
    if NAMED.search(source.name):
        for told in objects(source.lines()):
            lists = {name: items for name, items in told.items() if isinstance(items, list)}
            yield from _side_by_side(lists) if lists else (_report(told),)
    elif (subject := by_file(source.name)) is not None and _NUMBERS.match(source.head):
        yield from _nameless(_whole(source), subject)
    elif _holds_axes(source.head[:65536]) or _holds_points(source.head[:65536]):
        yield from _curves(_whole(source), "")
    elif _FRAME.match(source.head):
        yield from _side_by_side(_columns(_whole(source)))
    elif _LISTS.match(source.head) or _holds_lists(source):
        yield from _by_name(source, subject)
    elif source.head.lstrip().startswith(b"["):
        yield from (_report(item) for item in values(source, frozenset(), context))
    elif (alone := _one_of_many(source)) is not None:
        yield alone
    elif not _first_lines(source.head[:65536]) and _counter(source.head[:65536]) is None:
        yield from (_report(item) for item in values(source, _ARRAYS, context))
    else:
        offset = 0
        counter = _counter(source.head[:65536])
        for line in source.lines():
            report = _of_line(line, counter) if line.strip() else None
            words = report is None and _WORDS.match(line) is not None
            event = _EVENT.search(line) is not None and (report is None or not of_training(report.numbers))
            if (event or words) and len(said) < _MOST_EVENTS:
                about: Row = {
                    "ts_ns": report.about["ts_ns"] if report else None,
                    **({_LOCAL: True} if report and _LOCAL in report.about else {}),
                    "source": source.name,
                    "stream": "file",
                }
                size = len(line.encode("utf-8", "replace"))
                said.append({**about, "text": line[:_LONGEST], "offset": offset, "eol": "lf", "line_bytes": size})
            offset += len(line.encode("utf-8", "replace")) + 1
            if line.strip() and not words:
                yield report


def _holds_lists(source: Source) -> bool:
    """Whether a small object holds, behind what was set, lists of numbers of one length, losses among them."""
    if source.head.lstrip()[:1] != b"{" or len(source.head) >= SAMPLE or _LISTS.match(source.head):
        return False
    try:
        told = json.loads(source.head)
    except (ValueError, RecursionError):
        return False
    lists = {name: items for name, items in told.items() if isinstance(items, list) and len(items) >= _TO_COUNT}
    numbers = {name: items for name, items in lists.items() if all(real(item) is not None for item in items)}
    return of_training(numbers) and len(set(map(len, numbers.values()))) == 1


def _one_of_many(source: Source) -> _Report | None:
    """The one report that a file holds which is numbered as one of many, one for each epoch or evaluation."""
    head = source.head
    if not _NUMBERED.search(source.name) or len(head) > _ONE or head.strip()[-1:] != b"}":
        return None
    report = _of_line(head)
    told = report is not None and report.about["step"] is not None and of_training(report.numbers)
    return report if told else None


_NUMBERED: Final = re.compile(r"(?i)\d\.json$")
_ONE: Final = 65536
_EVENT: Final = re.compile(r'"(?:ev|evt|event|msg|message|status|state|error|exception|reason)"\s*:\s*"')
_WORDS: Final = re.compile(r"(?=.{0,80}[^\W\d]{3})\s*[^\s{}\[\],:]|\[(?=[^\]\n{}\"]{1,80}\] ?\S)(?=.{0,120}[^\W\d]{3})")
"""A line of no JSON between the objects: what a launcher, a scheduler or a traceback put into the same file."""
_MOST_EVENTS: Final = 2000
_LONGEST: Final = 4096


_BY_PYTHON: Final = re.compile(rb"(?<=[\[,: -])(?:nan|inf)(?=[\],} \n])")


def _as_json(found: re.Match[bytes]) -> bytes:
    return b"NaN" if found[0] == b"nan" else b"Infinity"


def _whole(source: Source) -> dict[str, object]:
    """The one object a file holds; of a list, its items by no name."""
    try:
        told = json.loads(_BY_PYTHON.sub(_as_json, source.read(_MOST_WHOLE)))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name}: cut off or no JSON ({error}); copy it again.") from error
    return told if isinstance(told, dict) else {"": told}


def _of_frame(source: Source) -> bool:
    """Whether a data frame tells of training."""
    with contextlib.suppress(InputError, UnsafeInput):
        lists = _columns(_whole(source))
        cells = itertools.chain.from_iterable(lists.values())
        if any(map(_counts_by, lists)):
            return of_training(lists)
        return any(_LOSS_OF.fullmatch(english(name)) for name in lists) and not any(isinstance(x, str) for x in cells)
    return False


def _counts_by(name: str) -> bool:
    return STEP.fullmatch(english(name)) is not None or _EPOCH.fullmatch(name) is not None


def _columns(told: dict[str, object]) -> dict[str, list[Any]]:
    """The columns of a data frame, whichever way pandas wrote it."""
    names, rows = told.get("columns"), told.get("data")
    if isinstance(names, list) and isinstance(rows, list):
        return {
            str(name): [row[at] if isinstance(row, list) and at < len(row) else None for row in rows]
            for at, name in enumerate(names[:_MAX_NUMBERS])
        }
    held = {name: each for name, each in told.items() if isinstance(each, dict)}
    if "0" not in held:
        return {name: list(each.values()) for name, each in held.items()}
    named = dict.fromkeys(name for each in held.values() for name in each)
    return {name: [each.get(name) for each in held.values()] for name in islice(named, _MAX_NUMBERS)}


def _nameless(told: dict[str, object], subject: str) -> Iterator[_Report]:
    """Reports of numbers without a name; TensorBoard's page gives them with time and step."""
    items = told.get("")
    for item in items if isinstance(items, list) else [[number(step), value] for step, value in told.items()]:
        *before, value = item if isinstance(item, list) and item else [item]
        known = [real(each) for each in before]
        when, _ = (_time(before[0]) if len(known) > 1 else None) or (None, None)  # a number: seconds since 1970
        about: Row = {"step": int64(known[-1]) if known else None, "epoch": None, "ts_ns": when}
        if (told_value := math.nan if value is None else real(value)) is not None:
            yield _Report(about, {subject: told_value}, ())


def _listed(told: dict[str, object], depth: int) -> Iterator[tuple[str, list[Any]]]:
    """Lists by their names, those of members joined by a slash."""
    for name, held in told.items():
        if isinstance(held, list):
            yield str(name), held
        elif isinstance(held, dict) and depth > 1:
            yield from ((f"{name}/{inner}", items) for inner, items in _listed(held, depth - 1))


def _holds_axes(head: bytes) -> bool:
    """Whether curves begin here of which each has a list for its steps, and one for its values."""
    return bool(_CURVES.match(head) or (_SERIES.match(head) and _VALUES.search(head)))


def _holds_points(head: bytes) -> bool:
    """Whether points begin here, of what training is about."""
    found = _POINTS.match(head)
    return found is not None and of_training(name.decode("utf-8", "replace") for name in _LIST.findall(found[1]))


def _curves(told: object, name: str) -> Iterator[_Report]:
    """Reports of the points of curves: each has steps of its own, and a name beside them or above."""
    if isinstance(told, list):
        if all(isinstance(each, list) for each in told) and 0 < len(name) <= MAX_NAME:
            yield from _nameless({"": told}, name)
        for each in told:
            if isinstance(each, dict):
                yield from _curves(each, name)
    elif not isinstance(told, dict):
        return
    elif (
        axes := next((axes for axes in _AXES if all(isinstance(told.get(axis), list) for axis in axes)), None)
    ) is not None:
        own = told.get("name")
        known = own if isinstance(own, str) and not of_training([name]) else name
        for step, value in zip(told[axes[0]], told[axes[1]], strict=False):
            yield from _point(known, step, value)
    elif (
        axis := next((axis for axis in ("value", "y") if not isinstance(told.get(axis, {}), dict | list)), None)
    ) is not None:
        yield from _point(name, next((each for key, each in told.items() if key in _COUNTS), None), told[axis])
    elif name.count("/") < _DEEP:
        for inner, each in told.items():
            if isinstance(each, dict | list):
                yield from _curves(each, "/".join(filter(None, (name, inner))))


_COUNTS: Final = ("step", "x", "iteration", "iter", "epoch")


def _point(name: str, step: object, value: object) -> Iterator[_Report]:
    """The report of one point of a curve, where it is one."""
    told = math.nan if value is None else real(value)
    if 0 < len(name) <= MAX_NAME and told is not None:
        yield _Report({"step": int64(step), "epoch": None, "ts_ns": None}, {name: told}, ())


def _by_name(source: Source, subject: str | None) -> Iterator[_Report]:
    """Reports of a file that holds a list for each metric; without one that counts them they are epochs."""
    lists = dict(_listed(_whole(source), 3))
    if subject is not None and not of_training(lists):
        lists = {split_of(name, subject) or name: items for name, items in lists.items()}
    yield from _side_by_side(lists)


def _side_by_side(lists: dict[str, list[Any]]) -> Iterator[_Report]:
    """Reports of lists of numbers by their names."""
    for at in range(max(map(len, lists.values()))):
        report = _report({name: items[at] for name, items in lists.items() if at < len(items)})
        if report is not None:
            if report.about["step"] is None:
                report.about.update(step=at, epoch=float(at))
            yield report


def _in_yaml(told: Iterable[dict[str, Any]]) -> bool:
    """Whether maps tell a step that rises and a loss, or lists bear the very names of losses: settings do neither."""
    maps = list(told)
    lists = maps.pop() if maps and any(isinstance(items, list) for items in maps[-1].values()) else {}
    named = [name for name, items in lists.items() if len(items) >= _TO_COUNT and _LOSS_OF.fullmatch(english(name))]
    reports = [report for each in maps if (report := _report(each)) is not None and report.about["step"] is not None]
    steps = [report.about["step"] for report in reports if of_training((*report.numbers, *report.nulls))]
    return bool(named) or (len(steps) >= _TO_COUNT and steps == sorted(set(steps)))


_LOSS_OF: Final = re.compile(
    r"(?i)(?:(?:train|training|trn|val|valid|validation|test|dev)[ _/.-]?)?(?:loss(?:es)?|nll|ppl|perplexity)"
)


def _first_lines(head: bytes) -> list[_Report | None]:
    lines = _whole_lines(head)
    if len(lines) == 1 and _HOLDS.search(lines[0]):
        return []
    reports = [_of_line(line) for line in lines] if lines and lines[0].lstrip().startswith(b"{") else []
    counted = (report.about["step"] is not None or report.parts_of_epochs for report in reports if report is not None)
    return reports if any(counted) else []


_HOLDS: Final = re.compile(rb'"(?:%s)"\s*:\s*\[\s*\{' % b"|".join(name.encode() for name in sorted(_ARRAYS)))


def _first_held(source: Source) -> list[_Report | None]:
    """The first reports that an object holds in one of its members."""
    with contextlib.suppress(InputError):
        return [_report(item) for item in islice(first_values(source.name, source.head[:65536], _ARRAYS), _LOOKED_AT)]
    return []


def _first_items(head: bytes) -> list[_Report | None]:
    text = head.decode("utf-8", "replace")
    at = text.index("[") + 1
    found: list[_Report | None] = []
    with contextlib.suppress(ValueError, RecursionError):
        while len(found) < _LOOKED_AT and (between := _BETWEEN.match(text, at)):
            item, at = _DECODER.raw_decode(text, between.end())
            found.append(_report(item))
    return found


def _rows(reports: Iterable[_Report | None], context: Context) -> Iterator[Row]:
    silent: dict[str, _Silent] = {}
    count = 0
    for report in reports:
        if report is None:
            context.refuse("record is no object of numbers")
            continue
        for name, value in report.numbers.items():
            yield {**report.about, **of_rank(name), "value": value}
            known = silent.setdefault(name, _Silent())
            always = known.told == count and not known.since
            known.told = known.told + 1 if always else _NOT_ALWAYS
            known.since.clear()
        for name in report.nulls:
            before = silent.get(name)
            if before is not None and before.told >= _TOLD_BEFORE and len(before.since) < _MOST_NULLS:
                before.since.append(report.about)
        count += 1
    for name, known in silent.items():
        if known.since and LOSS.search(name):
            context.warn(f"{name} ends in null after {known.told} numbers: read as NaN, for which JSON has no word.")
            yield from ({**about, "name": name, "value": math.nan} for about in known.since)


def _of_line(line: str | bytes, counter: str | None = None) -> _Report | None:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if counter is not None and isinstance(told, dict) and counter in told:
        told = {"step" if name == counter else name: value for name, value in told.items()}
    return _report(told)


def _counter(head: bytes) -> str | None:
    """The member that counts up evenly, where none is called a step: the first one, or one that is named so."""
    if _first_lines(head) or not head.lstrip().startswith(b"{"):
        return None
    try:
        told = [json.loads(line) for line in _whole_lines(head)]
    except (ValueError, RecursionError):
        return None
    if not all(isinstance(each, dict) for each in told):
        return None
    firsts = {next(iter(each), "") for each in told}
    named = [name for name in dict.fromkeys(itertools.chain(*told)) if _TALLY.fullmatch(name)]
    return next((name for name in (*(firsts if len(firsts) == 1 else ()), *named) if _counts_up(told, name)), None)


def _counts_up(told: list[dict[str, object]], name: str) -> bool:
    """Whether as good as all objects tell this member, and it rises evenly; those who step together tell the same."""
    counts = [int64(each[name]) for each in told if name in each]
    if not name or LOSS.search(english(name)) or None in counts or len(counts) < max(_TO_COUNT, _SHARE * len(told)):
        return False
    apart = [high - low for low, high in itertools.pairwise(counts)]  # type: ignore[operator]
    rises = {rise for rise in apart if rise or not _TALLY.fullmatch(name)}
    return len(rises) == 1 and min(rises) > 0


_TALLY: Final = re.compile(r"(?i)i|k|n|j|idx|index|count|rounds?|cycle|tick|window|chunk|runde|ronda|rodada|tour|giro")
"""Names of what counts something that is no step by its name."""
_TO_COUNT: Final = 5


def _counted_lines(head: bytes) -> list[_Report]:
    """The first reports of a file in which something counts that is not called a step."""
    counter = _counter(head)
    reports = [] if counter is None else [_of_line(line, counter) for line in _whole_lines(head)]
    return [report for report in reports if report is not None]


def _whole_lines(head: bytes) -> list[bytes]:
    whole = head.rpartition(b"\n")[0] or head
    lines = [line for line in whole.split(b"\n") if line.strip()]
    # What a module or an import says before the program's own lines goes into the same file.
    first = next((at for at, line in enumerate(lines[:_LOOKED_AT]) if line.lstrip()[:1] == b"{"), 0)
    return lines[first : first + _LOOKED_AT]


def _report(told: object) -> _Report | None:
    """What one object tells; None for anything else."""
    if not isinstance(told, dict):
        return None
    about: Row = {"step": None, "epoch": None, "ts_ns": None}
    numbers: dict[str, float] = {}
    planned: dict[str, float] = {}
    nulls: list[str] = []
    samples: int | None = None
    epochs: dict[str, float | None] = {}
    names = {name.lower() for name in told}
    for name, value in _flat(told):
        if len(name) > MAX_NAME:
            continue
        known_as = english(name)
        bare = known_as.rpartition("/")[2]
        if RANK.fullmatch(bare) and (rank := int64(value)) is not None and 0 <= rank < MAX_RANK:
            about |= {"rank": rank, "rank_by": "content"}
        elif RUN.fullmatch(name) and isinstance(value, str | int) and (run := run_called(name, str(value))):
            about["run"] = run
        elif PLANNED.fullmatch(bare) and (known := real(value)) is not None:
            planned[name] = known
        elif STEP.fullmatch(bare) and bare.lower().removesuffix("s") in names - {bare.lower()}:
            # Beside ``step`` the ``steps`` are those there are to be.
            numbers |= {} if (known := real(value)) is None else {f"total_{bare.lower()}": known}
        elif SAMPLES.fullmatch(bare):
            samples = int64(value) if samples is None else samples
        elif STEP.fullmatch(known_as) or (STEP.fullmatch(bare) and about["step"] is None):
            step = int64(number(value) if isinstance(value, str) else value)
            about["step"] = about["step"] if step is None else step
        elif _EPOCH.fullmatch(bare):
            epochs[bare.lower()] = real(value)
        elif _TIME.fullmatch(bare) and (when := _time(value)) is not None:
            about["ts_ns"], is_local = when
            about |= {_LOCAL: True} if is_local else {}
        elif value is None:
            nulls.append(name)
        elif name == DONE and isinstance(value, bool):
            numbers[name] = float(value)
        elif (known := _number_of(name, value)) is not None:
            numbers[name] = known
    named = next((name for key, name in told.items() if key.lower() in LONG_NAMES and isinstance(name, str)), None)
    if (values := [name for name in numbers if name.lower() in LONG_VALUES]) and named is not None:
        numbers = {name: numbers[name] for name in values}  # what else stands beside it (Comet's offset) is no metric
    if named is not None and len(numbers) == 1 and 0 < len(named) <= MAX_NAME:  # one metric a line
        numbers = {named if name.lower() in LONG_VALUES else name: value for name, value in numbers.items()}
    if (
        data := next((word for key, word in told.items() if isinstance(word, str) and SPLIT.fullmatch(key)), None)
    ) is not None:
        numbers = {on_data(name, data): value for name, value in numbers.items()}
        nulls = [on_data(name, data) for name in nulls]
    sort = next((word for key, word in told.items() if isinstance(word, str) and key.lower() in _SORTS), "")
    if sort and (spent := timer_of(f"{sort[:MAX_NAME]} s")) is not None and spent.column == SAVE:
        # What a record of a save took is no clock of a step.
        numbers = {f"{sort}/{name}" if _SPENT.fullmatch(name) else name: value for name, value in numbers.items()}
    about["epoch"] = next(iter(epochs.values()), None)
    if len(epochs) > 1 and (known := epochs.pop("epochs", None)) is not None:  # how many there are to be
        about["epoch"] = next(iter(epochs.values()))
        numbers["total_epochs"] = known
    if about["step"] is None:
        about["step"] = samples
    if about["epoch"] is not None and about["step"] is None and "of" in planned:
        numbers["total_epochs"] = planned.pop("of")
    if about["step"] is None and len(planned) == 1:  # a total that grows is a count
        about["step"] = int64(next(iter(planned.values())))
    else:
        numbers |= planned
    if about["step"] is None and about["epoch"] is not None:
        about["step"] = int64(about["epoch"])
    if about["step"] is None and any(map(JUDGED.search, numbers)):  # samples of a saved model are judged
        of_what = (_SNAPSHOT.search(text) for text in told.values() if isinstance(text, str))
        about["step"] = next((int(found[1]) for found in of_what if found), None)
    return _Report(about, numbers, tuple(nulls))


_SORTS: Final = frozenset({"event", "type", "kind", "msg", "message", "phase", "action"})
"""Members that say what a record is of."""
_SPENT: Final = re.compile(
    r"(?:.*/)?(?:took|ms|s|secs?|seconds|elapsed|dur(?:ation)?|dt|wall|time|latency|spent)(?:_?(?:ms|s|secs?|seconds))?",
    re.IGNORECASE,
)


def _number_of(name: str, value: object) -> float | None:
    if not isinstance(value, str):
        return real(value)
    told = number(value)
    return reason_bits(name, value) if told is None else told


_SNAPSHOT: Final = re.compile(
    r"[-_=](\d{1,12})(?:[-_.][a-z]{1,16}){0,2}\.(?:pkl|pth?|ckpt|bin|safetensors|npz|h5|pdparams|tar)$"
)
"""The file of a saved model whose name ends with its step."""


def _flat(told: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    count = 0
    for outer, value in told.items():
        for name, one in _inner(value, _DEEP) if isinstance(value, dict) else (("", value),):
            if count >= _MAX_NUMBERS:
                return
            count += 1
            yield outer if not name else name if outer.lower() in _PLAIN else f"{outer}/{name}", one


def _inner(told: dict[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    for name, value in told.items():
        if isinstance(value, dict) and depth > 1:
            yield from ((f"{name}/{inner}", one) for inner, one in _inner(value, depth - 1))
        else:
            yield name, value


_DEEP: Final = 4


def _time(value: object) -> tuple[int, bool] | None:
    """Nanoseconds since 1970 of such seconds or milliseconds or of ISO 8601, and whether it lacks the zone."""
    if isinstance(value, str):
        try:
            when = datetime.fromisoformat(value[:40])
        except ValueError:
            return None
        is_local = when.tzinfo is None
        told = nanoseconds((when.replace(tzinfo=UTC) if is_local else when).timestamp())
        return None if told is None else (told, is_local)
    seconds = real(value)
    if seconds is not None and seconds > _EPOCH_S[1]:
        seconds /= 1000
    told = nanoseconds(seconds) if seconds is not None and seconds > _EPOCH_S[0] else None
    return None if told is None else (told, False)


KIND: Final = MetricLines()
