"""Reports of programs in words of their own, by the form of their lines and by the way that their numbers go.

``<3.00200> -ELBO 0.51``, ``After 1,025 steps the cost is 0.91``, ``0.82 M tok  0.94 nats/tok``. Asked where nothing
else told of training. Lines that name the same numbers are one form; a number that only rises counts; a number that is
called by what learning brings down, or that goes that way in no smooth line, is a loss. Numbers of lines that do not
count belong to the line above that does.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import itertools
import math
import re
import statistics
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import polars as pl

from inquest.analyze.logs.reader import ANSI
from inquest.analyze.logs.unnamed_losses import BESIDE, CRITERION, READ
from inquest.bundle.timers import DATA, STEP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from inquest.bundle.store import Store

_LINES: Final = 20_000
_WIDTH: Final = 600
_REPORTS: Final = 6
"""Reports of one form."""
_BELOW: Final = 8
"""How far below a line that counts its numbers may stand."""

# --- numbers ---------------------------------------------------------------------------------------------------------
_MONTH: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
_NO_VALUE: Final = re.compile(
    r"(?i)\b20\d\d[-/.]\d\d[-/.]\d\d(?:[T _]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\b\d\d[-./]\d\d(?:[-./]\d{2,4})?[ T]+(?=\d\d:\d\d)"
    rf"|\b\d{{1,2}} {_MONTH}\b(?: 20\d\d)?|\b{_MONTH} +\d{{1,2}}\b(?:,? 20\d\d\b)?(?! *[/%])"
    r"|\b\d{1,4}:\d\d(?::\d\d)?(?:[.,]\d+)?\b"
    r"|\b\d+h ?\d+m(?: ?\d+s)?\b|\b\d+m ?\d+(?:\.\d+)?s\b"
    r"|(?<![\w)])(?:[a-z]{2,6}:/)?/[\w./@:+-]{3,}"
    r"|[\w./-]*[a-z_-][\w./-]*\.(?:[a-z]{1,3}\d?|ckpt|json|jsonl|yaml|keras|safetensors|snap|html)\b(?::\d+)?"
    r"|^\[\d{1,6}\] (?=\")|^\s{0,4}\d{1,4}: (?=\S)|\b20\d{6}[-_T]\d{6}\b"
    r"|\b0x[0-9a-f]+\b|\b[a-z][\w.-]*\[\d+\]:|\b(?:pid|port|job|seed)\W{1,2}\d+"
    r"|\b(?:tensor|array|(?:np|numpy)\.float\d+)\((?=[-+.\dni])|(?:cuda|gpu|npu|xpu|mps):\d+\b|<\d+/\d+>"
)
"""Times, places and what else is written with digits and tells no value."""
_NUMBER: Final = re.compile(
    r"(?i)(?<![\w.])[-+]?\.?(?:nan|inf(?:inity)?)(?:\.0)?(?![\w])"
    r"|(?<![A-Za-z0-9_.,])(?<![A-Za-z0-9_)][-+])[-+]?(?:\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|\d+,\d+|\d+(?:\.\d+)?(?:[edf][-+]?\d{1,3})?)(?![.,]?\d)(?!\.\w)"
    r"|(?<![a-z0-9])(?P<letter>epoch|ep|e|batch|b|iter|it|i|step|s|round|r|update|u|gen|g|n)(?P<count>\d{1,9})(?![\w.])"
)
_UNIT: Final = re.compile(
    r"\s?(%|(?:[mun\u00b5]?s|secs?|seconds?|mins?|minutes?|hours?|hrs?|h|millis|msec)(?![\w/])|[KMGT]i?B(?:/s)?(?!\w)|(?:[cmk]?m|kg|g|W|V|A|\u00b0?C|[kMG]?Hz|rpm|px)(?![\w/=:.])"
    r"|[KMGk]?\s?(?:[A-Za-z]{1,14}[/ ]?(?:/|per )\s?s(?:ec(?:ond)?)?)(?!\w)|[kM](?= tok))(?!\s?[\"']?[=:])"
)
_TIMES: Final = {
    **dict.fromkeys("s sec secs second seconds".split(), 1.0),  # noqa: SIM905 - read more easily
    **dict.fromkeys(("ms", "msec", "millis"), 1e-3),
    **dict.fromkeys("min mins minute minutes".split(), 60.0),  # noqa: SIM905
    **dict.fromkeys("h hr hrs hour hours".split(), 3600.0),  # noqa: SIM905
}
_BETWEEN: Final = re.compile(
    r"[|;,\uff0c\u3001\uff1b\u3010\u3011\uff08\uff09\[\]{}<>\u2502\u2551\u2503\u2022\u00b7\t]+|\s{2,}|->|=>"
)
_WORD: Final = re.compile(r"[^\W\d_][\w/.+*'\u00b2-]*|[-+]?[A-Z]{2,}\b|\|\|?[^\W\d_][^|]{0,20}\|\|?")
_OF: Final = re.compile(
    r"(?i)^\s*(?:[/]|\W{0,2}(?:of|out of|von|van|av|sur|de|di|z|из|od|af|do|a)\b(?: (?:the|a total of))?)\s*$"
)
_SMALL: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "is",
        "of",
        "at",
        "was",
        "now",
        "has",
        "to",
        "and",
        "in",
        "with",
        "for",
        "it",
        "i",
        "find",
        "my",
        "are",
        "as",
        "on",
        "by",
        "after",
        "before",
        "so",
        "far",
        "per",
        "this",
        "that",
        "then",
        "done",
        "came",
        "comes",
        "stands",
        "stood",
        "from",
        "be",
        "been",
        "its",
        "info",
        "debug",
    ]
)

# --- what numbers are called -----------------------------------------------------------------------------------------
_COUNTS: Final = re.compile(
    r"(?i)(?:.*[_/. -])?(?:global ?)?(?:step|iter(?:ation)?|it|itr|epoch|ep|e|batch|minibatch|b|char(?:acter)?|update|upd|round|pass"
    r"|sweep|cycle|chunk|gen(?:eration)?|episode|frame|kimg|tok(?:en)?|sample|image|img|example|picture|slide|patch|shot"
    r"|look|lap|turn|n|t|i|k|r|nfe|trip|stage|impression|game|match|time|rank|zyklus|schritt|epoche|runde|\u00e9tape"
    r"|\u00e9poque|paso|passo|\u00e9poca|epoca|vuelta|volta|giro|krok|epoka|ad\u0131m|tur|stap|ronde|durchlauf|stapel|lettura|v\u00eddeo|epoka|paczka|itér|it\u00e9ration|v\u00f2ng|vong|buoc|\u0438\u0442\u0435\u0440|\u8f6e|\u6279|\u53cd\u5fa9|\u56de|b\u01b0\u1edbc|v\u00f2ng|\u0448\u0430\u0433"
    r"|\u044d\u043f\u043e\u0445\u0430|\u0438\u0442\u0435\u0440\u0430\u0446\u0438\u044f|\u6b65|\u8f6e|\u56de|\u30b9\u30c6\u30c3\u30d7|\u30a8\u30dd\u30c3\u30af|\ub2e8\uacc4|\uc5d0\ud3ed)(?:e?s)?(?:[ _]?(?:done|seen|number|no|nr|count|idx))?$"
)
NO_COUNT: Final = re.compile(
    r"(?i)^(?:fold|seed|trial|client|worker|layer|class|user|device|gpu|depth|model|run|part|file|day|year|line|port"
    r"|pid|job|task|node|head|phase|lr|loss|acc|val|width|size|dim|hidden|split|group|expert|site|shard|download|attempt"
    r"|retry|try|thread|process|row|record|param|weight|vocab)"
)
_SURE: Final = re.compile(
    r"(?i)(?:.*[\W_])?(?:\w*loss|objective|obj|perplexity|ppl|[bn]?ce|x-?ent|\w*cross-?entropy|b?nll|nelbo|-elbo|nats|bits"
    r"|bp[dctb]|nats/\w+|bits/\w+|bits per \w+|\w*mse|\w*mae|\w*rmse|rms(?: error)?|deviance|huber|focal|pinball|ctc|chamfer|cd"
    r"|log-?loss|hinge|kl|mean squared (?:residual|error)|misfit|cost|neg\w*lik\w*|log\\.? lik\\.?|koszt|fout|fehler|sorpresa|mat_mat|chi2|entrop\w*|\u043d\u0435\u0432\u044f\u0437\u043a\u0430|kayip|-log \w+|-ll|criterion|smoothl1|\w*l1|verlust"
    r"|perte|p\u00e9rdida|perda|perdita|kost|strata|kay\u0131p|\u043f\u043e\u0442\u0435\u0440\u0438|\u043e\u0448\u0438\u0431\u043a\u0430|\u635f\u5931|\u640d\u5931|\u8aa4\u5dee|\u8bef\u5dee|\uc190\uc2e4)s?(?:[ _/](?:avg|mean|value|total|per \w+|\w{2,12}))?$"
)
"""What learning brings down, by a name that means nothing else beside a count."""
_PERHAPS: Final = re.compile(
    r"(?i)(?:.*[\W_])?(?:l|energy|err(?:or)?|distance|deviation|residuals?|resid|gap|slack|margin|mismatch|miss|score|align\w*"
    r"|cycle|discrepancy|infonce|nt_?xent|contrast\w*|inertia|surprisal|uncertainty|penalty|fehler|erreur|errore|abweichung"
    r"|total|sum|all|overall|train(?:ing)?|fit)(?:[ _/]\w{1,12})?$"
)
_TOTAL: Final = re.compile(r"(?i)(?:.*[\W_])?(?:total|sum|all|overall|loss|l|objective)$")
_HELD: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:val(?:id(?:ation)?)?|test(?:ing)?|dev|eval\w*|held(?:-?out)?|hold-?out|oot|oos|unseen|aside"
    r"|backtest|quiz|toets\w*|pr\u00fcf\w*|apartad[ao]s?|sprawdzian|s\u0131nama|kiem_tra|\u043a\u043e\u043d\u0442\u0440\u043e\u043b\u044c\w*|non conosco|tuning|control|independent|year-out|benchmark|validierung|validaci\u00f3n|valida\u00e7\u00e3o|convalida"
    r"|walidac\w*|do\u011frulama|validatie|\u0432\u0430\u043b\u0438\u0434\u0430\w*|\u9a8c\u8bc1|\u691c\u8a3c|\uac80\uc99d)(?:[^a-z]|$)"
)
_SCORE: Final = re.compile(
    r"(?i)(?:.*[\W_])?(?:acc(?:uracy)?|top-?[15]|f1|map(?:@[\d.]+)?|m?ap\d*|auc|auroc|r2|m?iou|dice|bleu|rouge|psnr|ssim|reward|return|ret|win(?:rate)?"
    r"|success|recall|precision|ndcg|corr|spearman|pearson|elo|\w*[\W_]c|ic|guesses|justesse|aciertos|trafno\u015b\u0107|do\u011fruluk|do_chinh_xac|overlap|genauigkeit|pr\u00e9cision|precisi\u00f3n"
    r"|dok\u0142adno\u015b\u0107|\u7cbe\u5ea6|\u51c6\u786e\u7387|\uc815\ud655\ub3c4|\u0442\u043e\u0447\u043d\u043e\u0441\u0442\u044c)(?:[ _/@]\w{1,12})?$"
)
_NO_LOSS: Final = re.compile(
    r"(?i)(?:.*[\W_])?(?:lr|learning rate|rate|step ?s(?:i)?z(?:e)?|pace|eps(?:ilon)?|temp(?:erature)?|g?norm|grad\w*|gn|\|g\||mem\w*|gpu|vram"
    r"|speed|fps|kps|throughput|time|sec(?:ond)?s?|ms|dt|took|elapsed|wall|eta|left|best|lowest|min|momentum|wd|beta|scale"
    r"|clip\w*|lernrate|taux|tasa|taxa|tasso|\u0442\u0435\u043c\u043f|\u5b66\u4e60\u7387|\u5b66\u7fd2\u7387|\ud559\uc2b5\ub960)(?:[ _/]\w{1,12})?$"
)
_NOT_TRAINING: Final = re.compile(
    r"(?i)\b(?:download|extract|unpack|preprocess|tokeniz|convert|index|upload|copy|scann|crawl|render|generat|decod|infer"
    r"|predict|sampl(?:e|ing)\b|embed|load(?:ing|ed)? (?:checkpoint|shard)|install|build|compil|free memory|batch size)\w*"
)
_KNOWN: Final = (_SURE, _PERHAPS, _SCORE, _NO_LOSS, _COUNTS)
_FELL: Final = 0.9
_GONE: Final = 3
_BEYOND: Final = 1e30


class _Number(NamedTuple):
    name: str
    value: float
    whole: bool
    unit: str
    of: bool
    """It stands behind ``/`` or ``of``, after another number."""


def numbers_of(text: str) -> list[_Number]:
    """The numbers of a line, each with what it is called and its unit."""
    text = _NO_VALUE.sub(" ", text)
    found = list(_NUMBER.finditer(text))
    told: list[_Number] = []
    end = 0
    for at, number in enumerate(found):
        between = text[end : number.start()]
        end = number.end()
        unit = _UNIT.match(text, end)
        if unit is not None:
            end = unit.end()
        rest = text[end : found[at + 1].start()] if at + 1 < len(found) else text[end:]
        of = at > 0 and _OF.match(between) is not None
        name = number["letter"] or ("" if of else _name(between))
        behind = _RIGHT_BEHIND.match(rest)
        if not of and behind is not None:
            words = behind[1].strip(".:")
            if not name or not _HELD.sub(" ", name).strip():
                name = f"{name} {words}".strip()
                end += behind.end()  # those words are this number's, and not the next one's
            elif not number["letter"] and _SURE.match(words) and not any(known.match(name) for known in _KNOWN):
                alone = at + 1 == len(found) or _BETWEEN.search(rest[behind.end() :]) or rest.endswith("  ")
                name = words if alone else name
        value, whole = _value(number["count"] or number[0])
        told.append(_Number(name.lower(), value, whole, "" if unit is None else unit[1].strip(), of))
    return told


def _name(between: str) -> str:
    """The words right before a number."""
    pieces = [piece for piece in _BETWEEN.split(between) if piece and not piece.isspace()]
    if not pieces:
        return ""
    own = re.split(r"[=:\uff1a](?=.*[^\W\d_])", pieces[-1])[-1]
    words = [word.strip("'\"().:") for word in _WORD.findall(own)]
    return " ".join([word for word in words if word and word.lower() not in _SMALL][-4:])


_RIGHT_BEHIND: Final = re.compile(
    rf"\s?([^\W\d_][\w/.+'-]*(?: (?!(?:{'|'.join(sorted(_SMALL))})\b)[^\W\d_][\w/.+'-]*){{0,2}})"
)


def _value(text: str) -> tuple[float, bool]:
    low = text.lower().lstrip("+").replace("_", "")
    if "nan" in low:
        return math.nan, False
    if "inf" in low:
        return -math.inf if low.startswith("-") else math.inf, False
    if "," in low:
        head, *groups = low.lstrip("-").split(",")
        thousands = all(len(group.split(".")[0]) == 3 for group in groups) and head != "0"
        low = low.replace(",", "" if thousands else ".")
    whole = low.lstrip("-").isdigit()
    return float(re.sub("[df]", "e", low)), whole


# --- forms -----------------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class _Form:
    """Lines that name the same numbers: ``rows`` are places in the log, ``columns`` its numbers by place in the line."""

    names: tuple[str, ...]
    held: bool
    rows: list[int]
    columns: list[list[_Number]]
    steps: list[tuple[int, int | None]] | None = None
    epochs: list[float] | None = None
    counters: frozenset[int] = frozenset()
    clocked: bool = False
    """Its lines begin with a word for times: their numbers are some."""

    def values(self, column: int) -> list[float]:
        return [number.value for number in self.columns[column]]


def by_forms(store: Store) -> pl.DataFrame:
    """Lines with ``step``, ``total_steps`` where they tell it, ``loss``, ``eval_loss`` and ``score``."""
    text = pl.col("text")
    lines = store.scan("log_lines").filter(text.str.contains(r"\S"))
    rows = lines.tail(_LINES).with_columns(text=text.str.slice(0, _WIDTH).str.replace_all(ANSI, "")).collect()
    found: list[tuple[Any, ...]] = []
    for _, group in rows.sort("seq").group_by("node", "capture", "source", "rank", maintain_order=True):
        if group.height >= _REPORTS:
            found += _read(group)
    told = pl.DataFrame(found, schema=READ | dict.fromkeys(_MORE, pl.Float64), orient="row")
    return rows.join(told, on=["node", "capture", "seq"], how="inner", maintain_order="left")


def _read(group: pl.DataFrame) -> list[tuple[Any, ...]]:
    texts = group["text"].to_list()
    forms = _forms(texts)
    for form in forms:
        _name_by_head(form, texts)
        _count(form)
    _count_by_lines_above(forms, group["seq"].to_list())
    told = _told([form for form in forms if form.steps is not None])
    where = group.select("node", "capture", "seq").rows()
    return [(*where[row], *values) for row, values in sorted(told.items())]


def _forms(texts: Sequence[str]) -> list[_Form]:
    forms: dict[tuple[Any, ...], _Form] = {}
    section = False
    for row, text in enumerate(texts):
        if not _ANY.search(text) and len(text) <= _SHORT:
            section = _HELD.search(text) is not None
        if not _ANY.search(text) or _NOT_TRAINING.search(text):
            continue
        numbers = numbers_of(text)
        if not numbers:
            continue
        names = tuple(number.name for number in numbers)
        columns = " ".join(names)
        held = (_HELD.search(text) is not None and _HELD.search(columns) is None) or (section and len(numbers) == 1)
        key = (names, held, tuple(number.of for number in numbers), tuple(number.unit == "%" for number in numbers))
        if (form := forms.get(key)) is None:
            form = forms[key] = _Form(names, held, [], [[] for _ in numbers], clocked=_CLOCKED.match(text) is not None)
        form.rows.append(row)
        for column, number in zip(form.columns, numbers, strict=True):
            column.append(number)
    return _like_each_other([form for form in forms.values() if len(form.rows) >= 2])


_SHORT: Final = 40
"""The head of a part of a report (``kind: validation``), whose values stand below it, one a line."""
_ANY: Final = re.compile(r"\d|(?i:nan)\b")


def _name_by_head(form: _Form, texts: Sequence[str]) -> None:
    """Name the columns of a table after the line above it that has as many words as it has numbers."""
    if 2 * sum(name == "" for name in form.names) <= len(form.names) or len(form.names) < 2:
        return
    for row in range(form.rows[0] - 1, max(-1, form.rows[0] - 1 - _HEAD), -1):
        if _ANY.search(re.sub(r"[A-Za-z@.][\w@.]*\d[\w@.]*", "", texts[row])):
            continue
        for apart in (r"\s*[|\u2502\u2503\u2551,;\t]\s*", r"\s{2,}", r"\s+"):
            cells = [cell.strip() for cell in re.split(apart, texts[row].strip().strip("#|\u2502\u2503\u2551").strip())]
            if len(cells) == len(form.names) and all(re.search(r"[^\W\d]", cell) for cell in cells):
                form.names = tuple(cell.lower() for cell in cells)
                return


_HEAD: Final = 4
"""How far above its first row the head of a table may stand."""


def _like_each_other(forms: Sequence[_Form]) -> list[_Form]:
    """``forms``, those of the same numbers in other sentences put together; without those of few lines."""
    merged: dict[tuple[Any, ...], _Form] = {}
    for form in forms:
        key = (tuple(_plain(name) for name in form.names), form.held)
        if (known := merged.get(key)) is None or len(known.columns) != len(form.columns):
            merged[key if known is None else (*key, len(form.columns))] = form
            continue
        order = sorted(range(len(known.rows) + len(form.rows)), key=(known.rows + form.rows).__getitem__)
        known.columns = [
            [both[at] for at in order] for both in (a + b for a, b in zip(known.columns, form.columns, strict=True))
        ]
        known.rows = [(known.rows + form.rows)[at] for at in order]
    return [form for form in merged.values() if len(form.rows) >= _REPORTS]


def _plain(name: str) -> str:
    return re.sub(r"e?s$", "", name)


# --- counts ----------------------------------------------------------------------------------------------------------
def _count(form: _Form) -> None:
    """Find the numbers of a form that count."""
    names = form.names
    _one_of_all_ranks(form)
    whole = [
        at
        for at, column in enumerate(form.columns)
        if all(number.whole for number in column)
        and not NO_COUNT.match(names[at])
        and not column[0].of
        and column[0].unit not in _TIMES
        and "/" not in column[0].unit
    ]
    moves = [at for at in whole if len(set(form.values(at))) > 1 and (_COUNTS.match(names[at]) or at <= 1)]
    for chosen, again in _choices(moves):
        keys = list(zip(*(form.values(at) for at in chosen), strict=True))
        if not _rises(keys, again=again):
            continue
        plans = [_plan(form, at) for at in chosen]
        if len(chosen) == 1:
            form.steps = _on([int(key[0]) for key in keys], plans[0])
        else:
            each = plans[1] or int(max(form.values(chosen[1])))
            first = min(form.values(chosen[0]))
            total = plans[0] * each if plans[0] else None
            form.steps = [(int((key[0] - min(first, 1)) * each + key[1]), total) for key in keys]
            form.epochs = [key[0] for key in keys]
        form.counters = frozenset(
            {*chosen, *(at + 1 for at in chosen if at + 1 < len(form.columns) and form.columns[at + 1][0].of)}
        )
        return
    _count_parts(form)


def _one_of_all_ranks(form: _Form) -> None:
    """Of lines that several ranks tell of each step, keep the first."""
    column = next((c for c in form.columns if all(n.whole for n in c) and len({n.value for n in c}) > 1), None)
    if column is None:
        return
    groups = [
        [place for place, _ in each] for _, each in itertools.groupby(enumerate(column), key=lambda x: x[1].value)
    ]
    size, often = Counter(map(len, groups)).most_common(1)[0]
    if size > 1 and len(groups) >= _REPORTS and often >= _ALIKE * len(groups) and len(form.columns) > 1:
        # Another count within it is no other rank's.
        inner = [c for c in form.columns if c is not column and all(n.whole for n in c) and not c[0].of]
        if any(len({c[place].value for place in groups[0]}) == size for c in inner):
            return
        kept = [group[0] for group in groups]
        form.rows = [form.rows[place] for place in kept]
        form.columns = [[c[place] for place in kept] for c in form.columns]


_ALIKE: Final = 0.8


def _choices(moves: Sequence[int]) -> Iterable[tuple[tuple[int, ...], bool]]:
    """One count, or one within another; those that may begin anew only after those that never do."""
    for again in (False, True):
        yield from (((at,), again) for at in moves)
        yield from ((both, again) for both in itertools.combinations(moves, 2))


def _rises(keys: Sequence[tuple[float, ...]], *, again: bool) -> bool:
    """Whether counts rise from line to line; with ``again``, but for places where they begin anew."""
    if any(after == before for before, after in itertools.pairwise(keys)):
        return False
    anew = [after for before, after in itertools.pairwise(keys) if after < before]
    if not again:
        return not anew
    return 2 * len(anew) <= len(keys) and all(after <= keys[min(1, len(keys) - 1)] for after in anew)


def _on(counts: Sequence[int], plan: int | None) -> list[tuple[int, int | None]]:
    """Counts that begin anew, as those of an epoch do, counted on: how many epochs there are to be, they do not tell."""
    if all(after > before for before, after in itertools.pairwise(counts)):
        return [(count, plan) for count in counts]
    each = plan or max(counts)
    done = itertools.accumulate((after < before for before, after in itertools.pairwise(counts)), initial=0)
    return [(epoch * each + count, None) for epoch, count in zip(done, counts, strict=True)]


def _plan(form: _Form, at: int) -> int | None:
    """How many there are to be, where the number behind a count tells it."""
    if at + 1 >= len(form.columns) or not form.columns[at + 1][0].of:
        return None
    told = set(form.values(at + 1))
    return int(told.pop()) if len(told) == 1 and max(form.values(at)) <= form.columns[at + 1][0].value else None


def _count_parts(form: _Form) -> None:
    """Find a share of all that is to be done, or an amount in parts of thousands, that only rises."""
    for at, column in enumerate(form.columns[:2]):
        values = form.values(at)
        if not all(map(math.isfinite, values)) or any(b <= a for a, b in itertools.pairwise(values)):
            continue
        if column[0].unit == "%" and values[0] >= 0 and values[-1] <= 100 and not _SCORE.match(form.names[at]):
            form.steps = [(round(value), 100) for value in values]
        elif _COUNTS.match(form.names[at]) or _COUNTS.match(column[0].unit):
            gaps = [b - a for a, b in itertools.pairwise(values)]
            if max(gaps) > 2 * statistics.median(gaps):
                continue
            form.steps = [(place, None) for place in range(1, len(values) + 1)]
        else:
            continue
        form.counters = frozenset({at})
        return


def _count_by_lines_above(forms: Sequence[_Form], seqs: Sequence[int]) -> None:
    """Give lines that count nothing the count of the line above that does."""
    counted = sorted(
        (row, step) for form in forms if form.steps is not None for row, step in zip(form.rows, form.steps, strict=True)
    )
    if not counted:
        return
    places = [row for row, _ in counted]
    for form in forms:
        if form.steps is not None:
            continue
        above = [_last_before(places, row) for row in form.rows]
        told = [
            (counted[at][1] if at >= 0 and seqs[row] - seqs[places[at]] <= _BELOW else None)
            for at, row in zip(above, form.rows, strict=True)
        ]
        known = [step for step in told if step is not None]
        distinct = len({step for step, _ in known})
        if len(known) == len(told) and distinct >= max(_REPORTS, 0.8 * len(told)):
            form.steps = [step for step in told if step is not None]


def _count_as(leader: _Form, others: Sequence[_Form]) -> None:
    """Give what is told beside a loss the step of the report above it: an evaluation may be counted otherwise."""
    assert leader.steps is not None
    for form in others:
        above = [max(0, _last_before(leader.rows, row)) for row in form.rows]
        form.steps = [leader.steps[at] for at in above]


def _last_before(places: Sequence[int], row: int) -> int:
    import bisect

    return bisect.bisect_left(places, row) - 1


# --- what they tell --------------------------------------------------------------------------------------------------
def _told(forms: Sequence[_Form]) -> dict[int, tuple[Any, ...]]:
    """Step, plan, loss, validation loss and score by row."""
    chosen: tuple[float, _Form, int] | None = None
    for form in forms:
        for at in range(len(form.columns)):
            weight = _weight(form, at)
            if (
                weight
                and not form.held
                and (chosen is None or (weight, len(form.rows)) > (chosen[0], len(chosen[1].rows)))
            ):
                chosen = weight, form, at
    if chosen is not None and chosen[0] < _THE_LOSS and _which_is_untold(chosen[1]):
        return {}
    rows: dict[int, list[Any]] = {}

    def put(form: _Form, at: int, place: int) -> None:
        assert form.steps is not None
        epochs: Sequence[float | None] = form.epochs or [None] * len(form.rows)
        for row, step, epoch, number in zip(form.rows, form.steps, epochs, form.columns[at], strict=True):
            told = rows.setdefault(row, [*step, *(None,) * len(_MORE), epoch])
            if told[place] is None:
                told[place] = number.value

    parts: tuple[int, ...] = ()
    if chosen is not None:
        put(chosen[1], chosen[2], 2)
        parts = _parts(chosen[1], chosen[2])
        _count_as(chosen[1], [form for form in forms if form is not chosen[1]])
    for form in forms:
        for at, name in enumerate(form.names):
            if at in form.counters or (chosen is not None and form is chosen[1] and at in (chosen[2], *parts)):
                continue
            held = form.held or _HELD.search(name) is not None
            if _SCORE.match(name) and not _HELD_AMONG.search(name):
                put(form, at, 4)
            elif held and _weight(form, at, held_too=True):
                put(form, at, 3)
    leader = chosen[1] if chosen is not None else max(forms, key=lambda form: len(form.rows), default=None)
    if leader is not None and leader.steps is not None:
        for row, whole, waited in _spent(forms, leader):
            told = rows.setdefault(row, [*leader.steps[leader.rows.index(row)], *(None,) * (1 + len(_MORE))])
            told[5:7] = whole, waited
    if chosen is None and not any(told[3] is not None for told in rows.values()):
        return {}
    return {row: tuple(told) for row, told in rows.items()}


_MORE: Final = ("eval_loss", "score", STEP, DATA, "epoch")


def _spent(forms: Sequence[_Form], leader: _Form) -> list[tuple[int, float, float]]:
    """Rows of the leading form with the seconds since the one before, and what of them was waited for data.

    Both may stand in lines of their own. Nothing where they are not told, or may be of something else.
    """
    times: list[tuple[str, dict[int, float]]] = []
    for form in forms:
        at_leader = [max(0, _last_before(leader.rows, row + 1)) for row in form.rows]
        for at, name in enumerate(form.names):
            if not form.held and (scale := _seconds(form, at)) is not None:
                values = {
                    leader.rows[place]: value * scale for place, value in zip(at_leader, form.values(at), strict=True)
                }
                times.append((name, values))
    waits = [each for each in times if _WAITS.search(each[0]) and not _ELSE.search(each[0])]
    if len(waits) != 1:
        return []
    waited = waits[0][1]
    rest = [each for each in times if each is not waits[0] and not _LEFT.search(each[0])]
    for name, values in sorted(rest, key=lambda each: -sum(each[1].values())):
        both = sorted(values.keys() & waited.keys())
        whole = [values[row] + (waited[row] if _REST.search(name) else 0.0) for row in both]
        if len(both) < _REPORTS or any(all_ < 0.999 * waited[row] for row, all_ in zip(both, whole, strict=True)):
            continue
        if not all(
            later >= sooner for sooner, later in itertools.pairwise(whole)
        ):  # what only rises counts from the start
            return [(row, all_, waited[row]) for row, all_ in zip(both, whole, strict=True)]
    return []


_REST: Final = re.compile(r"(?:^|[_\W])(?:rest|other|remainder|compute|gpu|calc)(?:$|[_\W])")


def _seconds(form: _Form, at: int) -> float | None:
    """What one of a column's unit is in seconds; None where it is no time."""
    column, name = form.columns[at], form.names[at]
    if at in form.counters or any(not math.isfinite(number.value) or number.value < 0 for number in column):
        return None
    if column[0].unit in _TIMES:
        return _TIMES[column[0].unit]
    if column[0].unit or (not form.clocked and not _TIMED.search(name)):
        return None
    return 1e-3 if re.search(r"(?:^|[_ .])(?:ms|millis|msec)(?:$|[_ .])", name) else 1.0


_CLOCKED: Final = re.compile(r"(?i)^\W{0,8}(?:seconds|secs?|times?|timings?|wall|zeiten?|duration)\b\W{1,3}")
_TIMED: Final = re.compile(
    r"^t_|\[(?:ms|s|sec)\]|thereof|davon|of which|(?:^|[_ .])(?:s|ms|secs?|seconds|millis|msec|dt|time|wall|took|elapsed|wait)(?:$|[_ .])"
)
_WAITS: Final = re.compile(
    r"(?:^|[_\W])(?:wait\w*|i/?o|read(?:s|er|ing)?|load(?:s|er|ing)?|data\w*|fetch\w*|input|feed\w*|decod\w*|prefetch\w*|starv\w*"
    r"|idle|stall\w*|queue\w*|etl|jdbc|sql|nas|nfs|disk|files?|sampling|\u0447\u0442\u0435\u043d\u0438\u0435|\u53d6\u6570\u8017\u65f6|leest|lecture|lettura dati|lesen)(?:$|[_\W])"
)
_ELSE: Final = re.compile(
    r"sav|ckpt|checkpoint|snapshot|comm|reduce|gather|sync|barrier|peer|rank|eval|valid|test|forward|backward|fwd|bwd|optim|log|plot"
    r"|writ|upload|compute|gpu"
)
_LEFT: Final = re.compile(r"eta|left|remain|since|start|total time|budget|limit")
_HELD_AMONG: Final = re.compile(r"(?i)best|lowest|target|goal")


_THE_LOSS: Final = 4


def _which_is_untold(form: _Form) -> bool:
    """Whether a line tells the losses of several parts, and which of them is what is learned it does not say."""
    parts = [found[1] for name in form.names if (found := _PART.fullmatch(name)) is not None]
    return len(parts) > 1 and len(parts) == len(set(parts)) and not set(parts) & _WHOLE and "loss" not in form.names


_PART: Final = re.compile(r"([a-z]\w{0,24})[ _]loss")
_WHOLE: Final = frozenset(
    {"train", "training", "total", "sum", "main", "g", "gen", "generator", "nll", "avg", "mean", "v"}
)


def _weight(form: _Form, at: int, *, held_too: bool = False) -> float:
    """How much a number looks like the loss that training brings down; 0: it does not."""
    name, values, unit = form.names[at], form.values(at), form.columns[at][0].unit
    sure = _SURE.match(name) is not None
    if at in form.counters or unit == "%" or unit in _TIMES or "/" in unit or unit.endswith("B"):
        return 0
    if (
        all(number.whole for number in form.columns[at])
        or form.columns[at][0].of
        or not any(map(math.isfinite, values))
    ):
        return 0
    if unit and not sure:  # a measure of something
        return 0
    if not held_too and _HELD.search(name):
        return 0
    if _NO_LOSS.match(name) or _SCORE.match(name) or (BESIDE.match(name) and not sure):
        return 0
    if sure or CRITERION.match(name):
        if _parts(form, at):
            return 4
        return 3.5 if _TOTAL.match(name) else 3
    if _TOTAL.match(name) and _parts(form, at):
        return 3.2
    if not _learned(values):
        return 0
    if _parts(form, at):
        return 2.5
    if _PERHAPS.match(name):
        return 2
    return 1 if not _smooth(values) and any(_COUNTS.match(form.names[at]) for at in form.counters) else 0


def _parts(form: _Form, at: int) -> tuple[int, ...]:
    """Numbers right before or behind one that add up to it."""
    others = [
        each
        for each, column in enumerate(form.columns)
        if each != at and each not in form.counters and not all(number.whole for number in column)
    ]
    for run in (2, 3, 4, 5):
        for first in range(len(others) - run + 1):
            part = others[first : first + run]
            if min(abs(part[0] - at), abs(part[-1] - at)) > 1:
                continue
            sums = [sum(row) for row in zip(*(form.values(each) for each in part), strict=True)]
            pairs = [
                (a, b) for a, b in zip(sums, form.values(at), strict=True) if math.isfinite(a) and math.isfinite(b)
            ]
            if len(pairs) >= _GONE and all(abs(a - b) <= 0.01 * abs(b) + 1e-3 for a, b in pairs):
                return tuple(part)
    return ()


def _learned(values: Sequence[float]) -> bool:
    """Whether a value fell as one that learning brings down, or is none any more where it was one."""
    lost = sum(1 for _ in itertools.takewhile(lambda value: not math.isfinite(value), reversed(values)))
    finite = [value for value in values if math.isfinite(value)]
    third = len(finite) // 3
    if lost or third < 1:
        seen = len(finite) >= _GONE or max(finite, default=0.0) > _BEYOND
        return lost >= _GONE and seen
    begin, end = statistics.median(finite[:third]), statistics.median(finite[-third:])
    if not (begin > 0 and end <= _FELL * begin):
        return False
    falls = Counter(later < sooner for sooner, later in itertools.pairwise(finite))
    middle = statistics.median(finite[third : 2 * third] or finite)
    return falls[True] > falls[False] and end <= 1.02 * middle <= 1.05 * begin


def _smooth(values: Sequence[float]) -> bool:
    """Whether a value never rises: so go schedules, and what is left."""
    finite = [value for value in values if math.isfinite(value)]
    return all(later <= sooner for sooner, later in itertools.pairwise(finite))
