"""What a run was set to do, in a file beside its curve: ``hparams.yaml``, ``args.json``, ``.hydra/config.yaml``.

Taken is only for how long it was to train, whether a rule may end it sooner, and whether it was to go on from a state.
They become rows of ``metrics`` of a framework of their own, without a step: values that were set and not measured. No
more of YAML or TOML is read than lines of a name and a value, by their indentation and their section.
"""

from __future__ import annotations

import contextlib
import json
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports._values import MAX_NAME, Row, folder, number, real
from inquest.bundle.imports.source import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

FRAMEWORK: Final = "settings"
"""``framework`` of values that were set."""
STEPS: Final = "steps"
EPOCHS: Final = "epochs"
RULE: Final = "rule"
PARTS: Final = "parts"
RESUME: Final = "resume"
DONE: Final = "train_runtime"
"""What the Trainer of Hugging Face writes into a file of results when training is done."""

_NAMED: Final = re.compile(
    r"(?i)(?:^|[/_.-])(?:h(?:yper)?[-_]?param(?:eter)?s?|config(?:uration)?|cfg|conf|args?|arguments|opts?|options|settings"
    r"|flags|params|parameters|inputs?|cmd|command(?:[-_]?line)?)(?:[-_]\w{1,30})?\.(?:ya?ml|json|toml|txt|ini|csv)$"
)
_ARGUMENTS: Final = re.compile(
    r"(?i)(?:^|[/_.-])(?:args?|arguments|opts?|options|flags|h(?:yper)?[-_]?param(?:eter)?s?)\.\w+$"
)
"""Files of what a program was given, and not of where it stood."""
_IN_A_FORM: Final = re.compile(r"(?i)\.(?:ya?ml|toml|json)$")
"""Files that programs are set by, whatever they are called; of JSON, what a member of settings holds."""
_OF_STANDING: Final = re.compile(
    r"(?i)(?:^|[/_.-])(?:state|status|progress|summary|results?|metrics?|history|last|best|latest|checkpoint\w*|ckpt|final"
    r"|done|reports?|scores?|eval\w*|stats|outputs?|logs?|metadata|model|tokenizer\w*|environment|requirements"
    r"|(?:docker-)?compose|deployment|pyproject|pre-commit\w*|mkdocs)(?=[/_.-]|\d)[^/]*$"
)
"""Files of where a run stood, or of what no training is set by."""
_ONE_EPOCH: Final = re.compile(
    r"(?m)^(\s{0,20}(?:\{\s{0,20})?[\"']?epoch)(?=[\"']?\s{0,9}[:=])|([\"']epoch)(?=[\"']\s{0,9}:)"
)
_CALL: Final = re.compile(
    r"(?m)^[^\n]{0,200}\b(?:python\d?|torchrun|accelerate|deepspeed|srun|\w+\.py|mpirun|horovodrun)\b[^\n]* --?\w"
)
_FLAG: Final = re.compile(r"(?<!\S)--([A-Za-z][\w.-]{0,60})[= ]([^\s'\"]{1,40})")
_RESULTS: Final = re.compile(r"(?:^|/)(?:train|all)_results\.json$")
_BOOSTED: Final = re.compile(rb'\s{0,9}\{\s{0,9}"meta"\s{0,9}:')
_ROUNDS: Final = re.compile(rb'"iteration_count"\s{0,9}:\s{0,9}(\d{1,9})')
_ROUND: Final = re.compile(rb'"iteration"\s{0,9}:\s{0,9}(\d{1,9})')
_OF_A_HEAD: Final = 20_000
_FOR_STEPS: Final = re.compile(
    r"(?:(?:max|numb?|n|total|target)_){0,2}(?:(?:train(?:ing)?|opt(?:imizer|imization)?|gradient|grad|global)_)?"
    r"(?:(?:time|env_?)?steps|iters|iterations|updates|boost_rounds?|rounds)|nrounds|n_estimators|max_(?:train_)?(?:step|iter|iteration|update)|total_num_update"
)
_FOR_EPOCHS: Final = re.compile(r"(?:(?:max|num|n|nb|total|train|training)_){0,3}epochs|(?:max|total)_(?:num_)?epoch")
_RULES: Final = re.compile(
    r"(?:use_|do_)?early_?stop(?:ping|per)?(?:_\w{1,30})?|(?:max_)?patience|es_patience|max_(?:time|duration|hours|minutes)"
    r"|(?:max_)?(?:wall_?)?(?:time_limit|time_budget)|limit_train_batches|stop_(?:at|when|on|after)\w{0,30}"
    r"|(?:target|goal)_(?:loss|acc|accuracy|metric|reward|score)"
)
_IN_PARTS: Final = re.compile(
    r"(?:(?:gradient|grad)_)?accum(?:ulat(?:e|ion))?(?:_(?:grad_batches|gradients?|steps|iters?))?|update_freq"
)
_RESUMES: Final = re.compile(
    r"resume(?:_(?:from|ckpt|checkpoint|path|training|file|dir|state)){0,3}|(?:resume_)?ckpt_path|restore_(?:from|path)"
    r"|continue_(?:training|from)(?:_(?:ckpt|checkpoint))?"
)
_IF_THERE_IS_ONE: Final = frozenset({"auto", "allow", "must", "never", "latest", "last", "0", "none"})
"""What a first start is set to as well."""
_OF_A_TRACKER: Final = re.compile(
    r"(?i)(?:^|[._/-])(?:wandb|mlflow|neptune|comet|aim|clearml|logger|tracking)(?=[._/-])"
)
_OTHERS: Final = re.compile(
    r"(?i)(?:^|[._/-])(?:val\w*|eval\w*|test\w*|warm\w*|lr|sched\w*|lr_sched\w*|plateau|diffusion|noise|sampl\w+|generat\w+"
    r"|rollout|env\w*|data\w*|model|network|arch\w*|tokenizer|pre_?train\w*|teacher|search|sweep|tune\w*|checkpoint\w*|sav\w+"
    r"|log\w*|callbacks?)(?=[._/-])"
)
"""Parts of a configuration whose steps and epochs are not those of the training."""
_OF_THE_RATE: Final = re.compile(r"(?i)(?:^|[._/-])(?:lr|sched\w*|lr_sched\w*|plateau)(?=[._/-])")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_LINE: Final = re.compile(
    r"(?P<indent>[ \t]{0,40})(?:- +)?[\"']?(?P<key>[A-Za-z_][\w./-]{0,80})[\"']?[ \t]{0,30}[:=]"
    r"(?P<value>[^#\n]{0,200})(?:#.*)?"
)
_SECTION: Final = re.compile(r"\[{1,2}\s*[\"']?([\w.-]{1,80})[\"']?\s*\]{1,2}\s*")
_PAIRED: Final = re.compile(r"(?<![\w.])([A-Za-z_]\w{0,60})=([^\s,()]{1,40})")
_BESIDE: Final = re.compile(r"(?<![\w.-])([A-Za-z_][\w.-]{0,60}) ?[:=] ?([^\s,;()]{1,40})")
_HELD: Final = re.compile(
    r'(?i)"(?:(?:run_|train(?:ing)?_)?(?:config(?:uration)?|args|arguments|settings|opts?|options)|h(?:yper)?[-_]?param(?:eter)?s'
    r'|params)"\s*:\s*(?=\{)'
)
_DECODER: Final = json.JSONDecoder()
_KEYS: Final = ("key", "name", "param", "parameter")
_COLUMNS: Final = re.compile(
    r"((?:\w{1,30},){0,3}(?:key|name|param|parameter),)((?:\w{1,30},){0,3}value(?:,\w{1,30}){0,3})\r?\n"
)
"""The head of a table of settings, as a database's tables of them are saved."""
_ORDERED: Final = "!!python/object/apply:collections.OrderedDict"
"""What PyYAML writes of an ordered dictionary, as rl-zoo3 keeps its settings: a list of pairs."""
_PAIR: Final = re.compile(r"(?m)^[ -]{0,12}- ([A-Za-z_]\w{0,60})\n {2,12}- ([^\s{[][^\n]{0,60})$")
_NAMESPACE: Final = re.compile(r"\s*(?:\w{1,30}: )?(?:Namespace|TrainingArguments|\w{0,40}(?:Config|Args))\(")
_VALUE_OF: Final = re.compile(r"\.value$")
_NOT_SET: Final = frozenset({"", "null", "none", "~", "false", "no", "off", "nan", "inf", ".inf"})
_SET: Final = frozenset({"true", "yes", "on"})
_LINES: Final = 20_000
_DEPTH: Final = 8
_OF_A_CALL: Final = 20_000
_MOST: Final = 100
"""Settings of one file that are taken."""


@dataclass(frozen=True, slots=True)
class Settings:
    """See the module."""

    name: str = "settings"
    title: str = "Settings of a run (how long it was to train)"
    tables: tuple[str, ...] = ("metrics",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """A file that is named after settings, or after the Trainer's results, and tells any; or CatBoost's own."""
        if _rounds(source):
            return True
        if len(source.head) >= SAMPLE:
            return False
        if _RESULTS.search(source.name):
            return bool(_results(source.head))
        return any(_told(source, source.head))

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """One row a setting."""
        del context
        told: Iterable[tuple[str, float]] = _rounds(source)
        if not told:
            content = source.read(SAMPLE)
            told = _results(content) if _RESULTS.search(source.name) else _told(source, content)
        if rows := rows_of(told, folder(source.name)):
            yield "metrics", rows


def _told(source: Source, content: bytes) -> Iterator[tuple[str, float]]:
    """The settings of a file; what a program is given as its epoch is how many there are to be."""
    text = content.decode("utf-8", "replace")
    if _NAMED.search(source.name) is None:
        if _IN_A_FORM.search(source.name) is None or _OF_STANDING.search(source.name) is not None:
            return iter(())
        return held_in(text) if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")) else settings(text)
    return settings(_ONE_EPOCH.sub(r"\g<0>s", text) if _ARGUMENTS.search(source.name) else text)


def _rounds(source: Source) -> list[tuple[str, float]]:
    """How many rounds CatBoost was to boost, by its own account of them, where the last one stands in it.

    Of one that ended sooner nothing is told: a rule for that, or none, is not said in this file.
    """
    head = source.head[:_OF_A_HEAD]
    planned = _ROUNDS.search(head) if _BOOSTED.match(head) and b'"learn_metrics"' in head else None
    done = _ROUND.findall(source.tail) if planned else []
    return [("iterations", float(planned[1]))] if planned and done and int(done[-1]) + 1 == int(planned[1]) else []


def rows_of(told: Iterable[tuple[str, float]], run: str | None) -> list[Row]:
    """Rows of ``metrics`` for settings of a run."""
    about = {"framework": FRAMEWORK, "run": run, "step": None}
    return [{**about, "name": name, "value": value} for name, value in islice(told, _MOST)]


def meaning(name: str) -> str | None:
    """What the setting of this name, behind those that hold it, tells: ``STEPS``, ``EPOCHS``, ``RULE`` and so on."""
    plain = _HUMP.sub("_", name).lower().replace("-", "_")
    key = re.split(r"[./]", plain)[-1]
    if _RULES.fullmatch(key):
        return None if _OF_THE_RATE.search(plain) else RULE
    if _IN_PARTS.fullmatch(key):
        return PARTS
    if _RESUMES.fullmatch(key):
        return None if _OF_A_TRACKER.search(plain) or _OTHERS.search(plain) else RESUME
    kind = STEPS if _FOR_STEPS.fullmatch(key) else EPOCHS if _FOR_EPOCHS.fullmatch(key) else None
    return None if _OTHERS.search(plain) else kind


def settings(text: str) -> Iterator[tuple[str, float]]:
    """Names, behind those that hold them, and values of the settings that a text of any form tells."""
    begin = text.lstrip("\ufeff \t\r\n")[:1]
    if begin == "{":
        try:
            pairs = _in_json(json.loads(text), "")
        except (ValueError, RecursionError):
            pairs = iter(())
    elif (columns := _COLUMNS.match(text)) is not None:
        pairs = _in_rows(text, (columns[1] + columns[2]).lower().split(","))
    elif text.startswith(_ORDERED):
        pairs = ((found[1], found[2]) for found in _PAIR.finditer(text))
    elif _CALL.match(text):
        pairs = ((name.replace("-", "_"), value) for name, value in _FLAG.findall(text[:_OF_A_CALL]))
    elif _NAMESPACE.match(text):
        pairs = ((found[1], found[2].strip("'\"")) for found in _PAIRED.finditer(text))
    else:
        pairs = _in_lines(text)
    for name, value in pairs:
        if (told := set_to(_VALUE_OF.sub("", name), value)) is not None:
            yield told


def in_comments(lines: Iterable[str]) -> Iterator[tuple[str, float]]:
    """The same of lines that stand above a table."""
    for line in lines:
        bare = line.lstrip("#%/ \t")
        told = settings(bare) if bare.startswith("{") else (set_to(*found) for found in _BESIDE.findall(bare))
        yield from filter(None, told)


def held_in(text: str) -> Iterator[tuple[str, float]]:
    """The same of the one member of a JSON document that holds what was set; of several, they are those of trials."""
    places = list(islice(_HELD.finditer(text), 2))
    if len(places) == 1:
        with contextlib.suppress(ValueError, RecursionError):
            held, _ = _DECODER.raw_decode(text, places[0].end())
            yield from filter(None, (set_to(_VALUE_OF.sub("", name), value) for name, value in _in_json(held, "")))


def set_to(name: str, value: object) -> tuple[str, float] | None:
    """A setting and its number, where it tells how long training was to be; None for all others."""
    means = meaning(name) if len(name) <= MAX_NAME else None
    if means == RESUME:
        bare = str(value).strip().strip("\"',").strip().lower()
        return None if bare in _NOT_SET | _IF_THERE_IS_ONE else (name, 1.0)
    told = _value(value) if means is not None else None
    return None if told is None else (name, told)


def _value(value: object) -> float | None:
    """A number above 0, or 1 for what is set to be; None for what is not set."""
    if value is True:
        return 1.0
    if isinstance(value, str):
        bare = value.strip().strip("\"',").strip()
        if bare.lower() in _NOT_SET:
            return None
        told = 1.0 if bare.lower() in _SET else number(bare.replace("_", ""))
    else:
        told = real(value)
    return told if told is not None and 0 < told < float(1 << 53) else None


def _in_json(held: object, name: str, depth: int = _DEPTH) -> Iterator[tuple[str, object]]:
    if isinstance(held, dict) and depth:
        for key, value in held.items():
            yield from _in_json(value, f"{name}.{key}" if name else str(key), depth - 1)
    elif isinstance(held, list) and depth:
        for each in held[:_MOST]:
            if isinstance(each, dict):
                yield from _in_json(each, name, depth - 1)
    else:
        yield name, held


def _in_rows(text: str, head: list[str]) -> Iterator[tuple[str, object]]:
    """Rows of a table that has a column of names and one of values."""
    name, value = (next(at for at, word in enumerate(head) if word in words) for words in (_KEYS, ("value",)))
    for line in islice(text.splitlines(), 1, _LINES):
        row = line.split(",")
        if len(row) == len(head):
            yield row[name].strip('"'), row[value].strip('"')


def _in_lines(text: str) -> Iterator[tuple[str, object]]:
    """Lines of a name and a value, the name behind those of the lines that hold it, or of its section."""
    above: list[tuple[int, str]] = []
    section = ""
    for line in islice(text.splitlines(), _LINES):
        if (head := _SECTION.fullmatch(line)) is not None:
            section, above = f"{head[1]}.", []
        elif (found := _LINE.fullmatch(line)) is not None:
            indent = len(found["indent"])
            above = [each for each in above if each[0] < indent][-_DEPTH:]
            name = section + ".".join([*(key for _, key in above), found["key"]])
            if found["value"].strip():
                yield name, found["value"]
            else:
                above.append((indent, found["key"]))


def _results(head: bytes) -> list[tuple[str, float]]:
    try:
        told = json.loads(head)
    except (ValueError, RecursionError):
        return []
    value = real(told.get(DONE)) if isinstance(told, dict) else None
    return [] if value is None or value <= 0 else [(DONE, value)]


KIND: Final = Settings()
