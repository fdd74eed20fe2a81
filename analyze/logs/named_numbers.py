"""The numbers of a line of text, each with what it is called, and what such names mean beside a count.

``After 1,025 steps the cost is 0.91``, ``0.82 M tok  0.94 nats/tok``, ``{"ep": 3, "ce": 2.1}``.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import itertools
import math
import re
from functools import lru_cache
from typing import Final, NamedTuple

_MONTH: Final = (
    r"(?:Jan(?:uary?)?|Feb(?:ruary?)?|Mar(?:ch)?|Apr(?:il)?|Ma[iy]|June?|Juni|Jul[yi]?|Aug(?:ust)?|Sep(?:t(?:ember)?)?"
    r"|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)\b"
)
_KINDS_OF_FILES: Final = (
    "pt pth bin npz npy pkl h5 hdf5 ckpt json jsonl yaml yml keras safetensors snap html net mlp png jpg csv txt log out"
    " err py cpp cc cu c h go java rs jl tar gz zip zst onnx gguf model pdf wav mp3 mp4 ts js sh db nc rst dat xyz mdf"
    " root sqlite parquet tfrecord mat rds rktd fits jld2 params ipynb pdparams"
)
_NO_VALUE: Final = re.compile(
    r"(?i)\b20\d\d[-/.]\d\d[-/.]\d\d(?:[T _]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\b\d\d[-./]\d\d(?:[-./]\d{2,4})?[ T]+(?=\d\d:\d\d)"
    rf"|\b\d{{1,2}} {_MONTH}(?: 20\d\d)?|\b{_MONTH} +\d{{1,2}}\b(?:,? 20\d\d\b)?(?! *[/%])"
    r"|\b\d{1,4}:\d\d(?::\d\d)?(?:[.,]\d+)?\b"
    r"|\b\d+h ?\d+m\b"
    r"|(?<![\w)])(?:[a-z]{2,6}:/)?/[\w./@:+-]{3,}"
    rf"|(?<![\w./-])[\w./-]++(?:{'|'.join(rf'(?<=[.]{kind})' for kind in _KINDS_OF_FILES.split())})(?::\d+)?"
    r"|^\[\d{1,6}\] (?=\")|^\s{0,4}\d{1,4}: (?=\S)|\b20\d{6}[-_T]\d{6}\b"
    r"|\b0x[0-9a-f]+\b|\b[a-z][\w.-]*\[\d+\]:|\b(?:pid|port|job|seed)\W{1,2}\d+"
    r"|\b(?:tensor|array|(?:np|numpy)\.float\d+)\((?=[-+.\dni])|(?:cuda|gpu|npu|xpu|mps):\d+\b|<\d+/\d+>"
)
"""Times, places and what else is written with digits and tells no value."""
_OF_SEVERAL_UNITS: Final = re.compile(
    r"\b(?:(\d{1,4}) ?h(?:ours?)? ?)?(\d{1,4}) ?m(?:in(?:utes?)?)? ?(\d{1,2}(?:\.\d{1,9})?) ?s(?:ec(?:onds?)?)?\b"
)
"""A time that is told in seconds while it is short, and in minutes beside them then: ``1m26.2s``."""
_NUMBER: Final = re.compile(
    r"(?i)(?<![\w.])[-+]?\.?(?:nan|inf(?:inity)?)(?:\.0)?(?![\w])"
    r"|(?<![A-Za-z0-9_.,])(?<![A-Za-z0-9_)][-+])[-+]?(?:\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|\d+,\d+|\d+(?:\.\d+)?(?:[edf][-+]?\d{1,3})?)(?![.,]?\d)(?!\.\w)"
    r"|(?<![a-z0-9])(?P<letter>epoch|ep|e|batch|b|iter|it|i|step|s|round|r|update|u|gen|g|n)(?P<count>\d{1,9})(?![\w.])"
)
_NO_KEY: Final = r"(?!\s?[\"']?[=:])"
"""What stands before one of these is the name of the next number."""
_UNIT: Final = re.compile(
    r"\s?((?:ms|msec|millis|secs?|seconds?|mins?|minutes?)(?=:(?:\s|$))"
    rf"|(?:[mu\u00b5]?s|secs?)(?:/| per )[^\W\d_]{{2,12}}(?!\w){_NO_KEY}|%{_NO_KEY}"
    rf"|(?:[mun\u00b5]?s|secs?|seconds?|mins?|minutes?|hours?|hrs?|h|millis|msec)(?![\w/]){_NO_KEY}"
    r"|(?:\u0441\u0435\u043a(?:\u0443\u043d\w{1,2})?|\u043c\u0441|\u6beb\u79d2|\u79d2|\ucd08|\u5206|\ubd84|sn|segundos?|secondes?|secondi|sekund\w{0,3}|seconden"
    rf"|\u0441(?=\s{{2}}|\s*(?:[,;|()\[\]/.]|$|\d)))(?!\w){_NO_KEY}"
    rf"|[KMGT]i?B(?:/s)?(?!\w){_NO_KEY}|(?:[cmk]?m|kg|g|W|V|A|\u00b0?C|[kMG]?Hz|rpm|px)(?![\w/=:.]){_NO_KEY}"
    rf"|[KMGk]?\s?(?:[A-Za-z]{{1,14}}[/ ]?(?:/|per )\s?s(?:ec(?:ond)?)?)(?!\w){_NO_KEY}|[kM](?= tok))"
)
_SECONDS_ABROAD: Final = (
    "\u0441 \u0441\u0435\u043a \u0441\u0435\u043a\u0443\u043d\u0434 \u0441\u0435\u043a\u0443\u043d\u0434\u044b \u79d2 \ucd08 sn segundo segundos seconde secondes secondi"
    " sekunde sekunden sekund sekundy seconden"
)
TIMES: Final = {
    **dict.fromkeys("s sec secs second seconds".split(), 1.0),  # noqa: SIM905 - read more easily
    **dict.fromkeys(_SECONDS_ABROAD.split(), 1.0),
    **dict.fromkeys(("ms", "msec", "millis", "\u043c\u0441", "\u6beb\u79d2"), 1e-3),
    **dict.fromkeys(("us", "\u00b5s"), 1e-6),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "\u5206", "\ubd84"), 60.0),
    **dict.fromkeys("h hr hrs hour hours".split(), 3600.0),  # noqa: SIM905
}
_BETWEEN: Final = re.compile(
    r"[|;,\uff0c\u3001\uff1b\u3010\u3011\uff08\uff09\[\]{}<>\u2502\u2551\u2503\u2022\u00b7\t]+|\s{2,}|->|=>"
)
_WORD: Final = re.compile(r"[^\W\d_][\w/.+*'\u00b2-]*|[-+]?[A-Z]{2,}\b|\|\|?[^\W\d_][^|]{0,20}\|\|?")
_OF: Final = re.compile(
    r"(?i)^\s*(?:[/]|\W{0,2}(?:of|out of|von|van|av|sur|de|di|z|из|od|af|do|a)\b(?: (?:the|a total of))?)\s*$"
)
_SMALL_WORDS: Final = (
    "the a an is of at was now has to and in with for it i find my are as on by after before so far per this that then"
    " done came comes stands stood from be been its info debug"
)
_SMALL: Final = frozenset(_SMALL_WORDS.split())

# --- what numbers are called -----------------------------------------------------------------------------------------
COUNTS: Final = re.compile(
    r"(?i)(?:.*[_/. -])?(?:global ?)?(?:step|iter(?:ation)?|it|itr|epoch|ep|e|batch|minibatch|b|char(?:acter)?|update|upd|round|pass"
    r"|sweep|cycle|chunk|gen(?:eration)?|episode|frame|kimg|tok(?:en)?|sample|image|img|example|picture|slide|patch|shot"
    r"|look|lap|turn|window|win|minute|min|interval|block|tick|fen\u00eatre|tour|fenster|ventana|janela|finestra|minut\w?|rodada|lote|\u043e\u043a\u043d\u043e|\u043c\u0438\u043d\u0443\u0442\u0430|\u6279\u6b21|\u8fed\u4ee3|\u5206|\u5468\u56de|n|t|i|k|r|nfe|trip|stage|impression|game|match|time|rank|zyklus|schritt|epoche|runde|\u00e9tape"
    r"|\u00e9poque|paso|passo|\u00e9poca|epoca|vuelta|volta|giro|krok|epoka|ad\u0131m|tur|stap|ronde|durchlauf|stapel|lettura|v\u00eddeo|epoka|paczka|itér|it\u00e9ration|v\u00f2ng|vong|buoc|\u0438\u0442\u0435\u0440|\u8f6e|\u6279|\u53cd\u5fa9|\u56de|b\u01b0\u1edbc|v\u00f2ng|\u0448\u0430\u0433"
    r"|\u044d\u043f\u043e\u0445\u0430|\u0435\u043f\u043e\u0445\u0430|\u043a\u0440\u043e\u043a|\u043f\u0430\u043a\u0435\u0442|\u0431\u0430\u0442\u0447|\u0438\u0442\u0435\u0440\u0430\u0446\u0438\u044f|\u0456\u0442\u0435\u0440\u0430\u0446\u0456\u044f|epocha|epok|epokki|steg|askel|l\u00e9p\u00e9s|korszak|d\u00f6nem|\u30a8\u30dd\u30c3\u30af|\u30d0\u30c3\u30c1|\uc5d0\ud3ec\ud06c|\uc2a4\ud15d|\ubc30\uce58|\u6b65|\u8f6e|\u56de|\u30b9\u30c6\u30c3\u30d7|\u30a8\u30dd\u30c3\u30af|\ub2e8\uacc4|\uc5d0\ud3ed)(?:e?s)?(?:[ _]?(?:done|seen|number|no|nr|count|idx))?$"
)
NO_COUNT: Final = (
    r"(?i)^(?:fold|seed|trial|client|worker|layer|class|user|device|gpu|depth|model|run|part|file|day|year|line|port"
    r"|pid|job|task|node|head|phase|lr|loss|acc|val|width|size|dim|hidden|split|group|expert|site|shard|download|attempt"
    r"|retry|try|thread|process|param|weight|vocab)"
)
SURE: Final = re.compile(
    r"(?i)(?:.*[\W_])?(?:\w*loss|objective|obj|perplexity|ppl|[bn]?ce|x-?ent|\w*cross-?entropy|b?nll|nelbo|-elbo|nats|bits"
    r"|bp[dctb]|nats/\w+|bits/\w+|bits per \w+|\w*mse|\w*mae|\w*rmse|rms(?: error)?|deviance|huber|focal|pinball|ctc|chamfer|cd"
    r"|log-?loss|hinge|kl|mean squared (?:residual|error)|misfit|\u2113|\u2112|crps|\w*mape|[sw]mape|wape|msle|energy score|cost|kosten|co\u00fbt|coste|custo|erro|verlies|f\u00f6rlust|\u6210\u672c|\u4ee3\u4ef7|\uc624\ucc28|neg\w*lik\w*|koszt|fout|fehler|sorpresa|mat_mat|chi2|entrop\w*|\u043d\u0435\u0432\u044f\u0437\u043a\u0430|kayip|-log \w+|-ll|criterion|smoothl1|\w*l1|verlust"
    r"|perte|p\u00e9rdida|perda|perdita|kost|strata|ztr\u00e1ta|vesztes\u00e9g|h\u00e4vi\u00f6|tappio|\u03b1\u03c0\u03ce\u03bb\u03b5\u03b9\u03b1|pierdere|t\u1ed5n th\u1ea5t|m\u1ea5t m\u00e1t|kay\u0131p|\u043f\u043e\u0442\u0435\u0440[\u0438\u044f]|\u043b\u043e\u0441\u0441|\u0432\u0442\u0440\u0430\u0442[\u0430\u0438]|\u043e\u0448\u0438\u0431\u043a\u0430|\u635f\u5931|\u640d\u5931|\u8aa4\u5dee|\u8bef\u5dee|\uc190\uc2e4)s?(?:[ _/](?:avg|mean|value|total|per \w+|\w{2,12}))?$"
)
"""What learning brings down, by a name that means nothing else beside a count."""
PERHAPS: Final = re.compile(
    r"(?i)(?:.*[\W_])?(?:l|energy|err(?:or)?|distance|deviation|residuals?|resid|gap|slack|margin|mismatch|miss|score|align\w*"
    r"|cycle|discrepancy|infonce|nt_?xent|contrast\w*|inertia|surprisal|uncertainty|penalty|fehler|erreur|errore|abweichung"
    r"|total|sum|all|overall|train(?:ing)?|fit)(?:[ _/]\w{1,12})?$"
)
TOTAL: Final = re.compile(r"(?i)(?:.*[\W_])?(?:total|sum|all|overall|loss|l|objective)$")
HELD: Final = re.compile(
    r"(?i)(?:^|[^a-z])(?:val(?:id(?:ation)?)?|test(?:ing)?|dev|eval\w*|held(?:-?out)?|hold-?out|oot|oos|unseen|aside"
    r"|backtest|quiz|toets\w*|pr\u00fcf\w*|apartad[ao]s?|sprawdzian|s\u0131nama|kiem_tra|\u043a\u043e\u043d\u0442\u0440\u043e\u043b\u044c\w*|non conosco|tuning|control|independent|year-out|benchmark|validierung|validaci\u00f3n|valida\u00e7\u00e3o|convalida"
    r"|walidac\w*|do\u011frulama|validatie|\u0432\u0430\u043b\u0438\u0434\u0430\w*|\u9a8c\u8bc1|\u691c\u8a3c|\uac80\uc99d)(?:[^a-z]|$)"
)
SCORE: Final = re.compile(
    r"(?i)(?:.*[\W_])?(?:acc(?:uracy)?|top-?[15]|f1|map(?:@[\d.]+)?|m?ap\d*|auc|auroc|r2|m?iou|dice|bleu|rouge|psnr|ssim|reward|return|ret|win(?:rate)?"
    r"|success|recall|precision|ndcg|corr|spearman|pearson|elo|\w*[\W_]c|ic|guesses|justesse|aciertos|trafno\u015b\u0107|do\u011fruluk|do_chinh_xac|overlap|genauigkeit|pr\u00e9cision|precisi\u00f3n"
    r"|dok\u0142adno\u015b\u0107|\u7cbe\u5ea6|\u51c6\u786e\u7387|\uc815\ud655\ub3c4|\u0442\u043e\u0447\u043d\u043e\u0441\u0442\u044c)(?:[ _/@]\w{1,12})?$"
)
NO_LOSS: Final = re.compile(
    r"(?i)(?:.*[\W_])?(?:lr|learning rate|rate|step ?s(?:i)?z(?:e)?|pace|eps(?:ilon)?|temp(?:erature)?|g?norm|grad\w*|gn|\|g\||mem\w*|gpu|vram"
    r"|speed|fps|kps|throughput|time|sec(?:ond)?s?|ms|dt|took|elapsed|wall|eta|left|best|lowest|min|momentum|wd|beta|scale|\u00e9chelle|escala|skala\w*|\u043c\u0430\u0441\u0448\u0442\u0430\u0431|\u7f29\u653e|\u30b9\u30b1\u30fc\u30eb"
    r"|(?:code_?book|codes?|vq|gumbel|quantizer|prob)[_ /-](?:ppl|perplexity)"
    r"|clip\w*|lernrate|taux|tasa|taxa|tasso|\u0442\u0435\u043c\u043f|\u5b66\u4e60\u7387|\u5b66\u7fd2\u7387|\ud559\uc2b5\ub960)(?:[ _/]\w{1,12})?$"
)
NOT_TRAINING: Final = re.compile(
    r"(?i)\b(?:download|extract|unpack|preprocess|tokeniz|convert|index|upload|copy|scann|crawl|render|generat|decod|infer"
    r"|predict|sampl(?:e|ing)\b|embed|load(?:ing|ed)? (?:checkpoint|shard)|install|build|compil|free memory|batch size)\w*"
)
LIKELIHOOD: Final = re.compile(
    r"(?:^|[^a-z])log[- ]?(?:lik\w{0,9}|vraisemblance|veros+imi\w{2,9}|densit[y\u00e9]|prob\w{0,8}|evidence)"
    r"|(?:^|[^a-z])(?:elbo|evidence lower bound|log p\([^)]{1,20}\))(?:[^a-z]|$)"
)
"""What learning raises, whatever is learned."""
LEFT: Final = re.compile(
    r"(?:^|[^a-z])(?:left|remain(?:s|ing)?|to go|to do|go|to come|come|\u00fcbrig|noch|restant(?:e?s)?|restan|rimanenti)(?:[^a-z]|$)"
)
"""Of how many are still to be done."""
_KNOWN: Final = (SURE, PERHAPS, SCORE, NO_LOSS, COUNTS)


class Number(NamedTuple):
    """A number in a line: what it is called, in small letters, and the unit behind it."""

    name: str
    value: float
    whole: bool
    unit: str
    of: bool
    """It stands behind ``/`` or ``of``, after another number."""
    behind: str = ""
    """The words between it and what separates it from the next number, in small letters."""


class _Called(NamedTuple):
    """What is told of a number, whichever it is: fields as those of ``Number``."""

    name: str
    unit: str
    of: bool
    behind: str


_NAME_AT_MOST: Final = 80
_MOST: Final = 32
"""Numbers of a report; a line of more is a row of data."""


def numbers_of(text: str, ones: str | None = None) -> list[Number]:
    """The numbers of a line, each with what it is called and its unit; ``ones`` is ``alike(text)`` where it is known."""
    ones = alike(text) if ones is None else ones
    if _has_several_units(ones):
        text = _OF_SEVERAL_UNITS.sub(_in_seconds, text)
        ones = alike(text)
    places = _places(ones)
    if any("1" in told.name or "1" in told.behind for _, _, told in places):
        places = _places(text)  # words with digits of their own, which are not alike
    values = [text[start:end] for start, end, _ in places]
    if any(map(_DECIMAL_COMMA.fullmatch, values)) and not any("." in value for value in values):
        values = [value.replace(",", ".") if value.count(",") == 1 else value for value in values]
    told = zip(values, places, strict=True)
    return [Number(name, *_value(value), unit, of, behind) for value, (_, _, (name, unit, of, behind)) in told]


@lru_cache(maxsize=4096)
def _has_several_units(ones: str) -> bool:
    return _OF_SEVERAL_UNITS.search(ones) is not None


_DECIMAL_COMMA: Final = re.compile(r"[-+]?(?:0,\d+|\d+,(?!\d{3}(?!\d))\d+)(?:[eE][-+]?\d+)?")
"""A number that is none of thousands: where one is, and none has a point, all commas of the line stand for points."""


def alike(text: str) -> str:
    """``text`` with ones for digits: lines of a loop are the same then, report after report, save for lengths.

    Digits within words, of years and of hexadecimals stay: they are told apart from numbers by which digits they are.
    """
    return _DIGITS.sub(_ones, text)


_DIGITS: Final = re.compile(r"(?<!\w)(?!20\d\d|0[xX])\d+")
_ONES: Final = tuple("1" * length for length in range(64))


def _ones(digits: re.Match[str]) -> str:
    length = digits.end() - digits.start()
    return _ONES[length] if length < len(_ONES) else "1" * length


@lru_cache(maxsize=4096)
def _places(text: str) -> list[tuple[int, int, _Called]]:
    """Where the numbers of a line begin and end, and what they are called."""
    plain, shifts, end = [], [(0, 0)], 0
    for gone in _NO_VALUE.finditer(text):
        plain += [text[end : gone.start()], " "]
        end = gone.end()
        shifts.append((sum(map(len, plain)), end))
    left = "".join((*plain, text[end:]))
    found = list(itertools.islice(_NUMBER.finditer(left), _MOST + 1))
    if len(found) > _MOST:
        return []
    words, end = [], 0
    for number in found:
        words.append(left[end : number.start()])
        end = number.end()
    # A sign or a letter parts words otherwise than a digit does; which digit it is makes no difference.
    begins = (re.sub(r"\d.*", "0", number[0]) for number in found)
    letters = (number["letter"] or "" for number in found)
    called = _called((*words, left[end:]), (*begins, ""), tuple(letters))
    places = []
    for number, told in zip(found, called, strict=True):
        start, end = number.span("count" if number["count"] else 0)
        since, was = next(shift for shift in reversed(shifts) if shift[0] <= start)
        places.append((was + start - since, was + end - since, told))
    return places


def _called(words: tuple[str, ...], begins: tuple[str, ...], letters: tuple[str, ...]) -> list[_Called]:
    """What the numbers between ``words`` are called."""
    told: list[_Called] = []
    said = 0
    for at, letter in enumerate(letters):
        between, behind_it = words[at][said:], words[at + 1]
        last = at + 1 == len(letters)
        unit = _UNIT.match(behind_it + begins[at + 1])
        said = unit.end() if unit is not None else 0
        rest = behind_it[said:]
        of = at > 0 and _OF.match(between) is not None
        name = letter or ("" if of else _name(between))
        behind = _RIGHT_BEHIND.match(rest)
        if behind is not None and not last and _SAYS_OF_THE_NEXT.match(rest, behind.end()):
            behind = _ALL_BUT_THE_LAST.match(behind[0])  # ``25.06kpair/min/gpu LR: 0.004``
        if not of and behind is not None:
            own = behind[1].strip(".:")
            if not name or not HELD.sub(" ", name).strip():
                name = f"{name} {own}".strip()
                said += behind.end()  # those words are this number's, and not the next one's
            elif not letter and SURE.match(own) and not any(known.match(name) for known in _KNOWN):
                alone = last or _BETWEEN.search(rest[behind.end() :]) or rest.endswith("  ")
                name = own if alone else name
        # Words that nothing parts from the next number are what that one is called.
        apart = last or _BETWEEN.search(rest) is not None
        after = _BETWEEN.split(rest, maxsplit=1)[0].strip().lower()[:_NAME_AT_MOST] if apart else ""
        told.append(_Called(name.lower()[:_NAME_AT_MOST], "" if unit is None else unit[1].strip().lower(), of, after))
    return told


def _name(between: str) -> str:
    """The words right before a number."""
    pieces = [piece for piece in _BETWEEN.split(between) if piece and not piece.isspace()]
    if not pieces:
        return ""
    own = re.split(r"[=:\uff1a](?=.*[^\W\d_])", pieces[-1])[-1]
    words = [word.strip("'\"().:") for word in _WORD.findall(own)]
    named = [word for word in words if word and word.lower() not in _SMALL]
    # ``it 7`` is its seventh iteration, whatever else the word means.
    return " ".join(named[-4:]) or next((word for word in words[-1:] if word.lower() == "it"), "")


_RIGHT_BEHIND: Final = re.compile(
    rf"\s?([^\W\d_][\w/.+'-]*(?: (?!(?:{'|'.join(sorted(_SMALL))})\b)[^\W\d_][\w/.+'-]*){{0,2}})"
)


_SAYS_OF_THE_NEXT: Final = re.compile(r"\s?[:=]\s?$")
_ALL_BUT_THE_LAST: Final = re.compile(r"\s?(\S+(?: \S+)*)(?= \S+$)")


def _in_seconds(time: re.Match[str]) -> str:
    return f"{int(time[1] or 0) * 3600 + int(time[2]) * 60 + float(time[3]):.3f}s"


def _value(text: str) -> tuple[float, bool]:
    if text.isdecimal():
        return float(text), True
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
