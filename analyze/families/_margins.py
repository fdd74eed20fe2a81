"""What a program said before its first report of progress, that it would do and with what, and after its last one."""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_LINES: Final = 400
"""Lines that are read above the first report, and below the last."""
_WIDTH: Final = 2000
_AT_TIMES: Final = re.compile(
    r"(?i)\b(?:every|each|per|interval|freq\w*|warm\w*|ramp\w*|decay\w*|patience|accumul\w*|burn\w*|log(?:ging|s)?"
    r"|sav(?:e|es|ing)|eval\w*|val\w*|test\w*|check\w*|report\w*|print\w*|resum\w*|restor\w*|load\w*|continu\w*|start\w*"
    r"|from|after|at (?:least|most)|up to|max\w*|within|already|finished|done|took|previous\w*|last|best"
    r"|pretrain\w*|rollout|horizon|bptt|unroll\w*|inner|diffusion|timesteps? for|sampling|steps?/|/s)\b"
)
"""Words beside a number of steps that is no plan: how often something is done, a limit, or what was done before."""
_CLAUSES: Final = re.compile(r",\s|[;()|{}]|\s[-\u2013]\s")
_WORD: Final = r"(?i)([a-z]{2,16}?)[ :=#]{0,3}\[?[ 0]{0,6}"
_TRAINED_ON: Final = (
    r"(?:train(?:ing)?|samples?|examples?|images?|documents?|files?|batches|records?|rows|sequences|tokens|shards?|sentences"
    r"|utterances|clips|episodes|pairs)"
)
_NO_DATA: Final = re.compile(
    rf"(?i)(?:(?<![\d.,/])0 (?:of \d[\d,]* )?(?:train(?:ing)? )?{_TRAINED_ON}\b"
    rf"|\b{_TRAINED_ON}(?: set| data)?(?: size)?\s?[:=]\s?0(?![\d.,:x]))"
)
_OTHERWISE: Final = re.compile(
    r"(?i)\b(?:val\w*|test\w*|dev|eval\w*|skip\w*|missing|bad|corrupt\w*|broken|fail\w*|error\w*|duplicat\w*|drop\w*|remov\w*"
    r"|left|without|filter\w*|invalid|cached|done|processed|seen|epoch|step|loss|%|rank|worker|queue\w*|lost|stale|empty|unused"
    r"|overlap\w*|shared|exclud\w*|ignor\w*)\b"
)
"""Words of a line whose 0 is good news, or of something else."""
_NOTHING_TRAINS: Final = re.compile(
    r"(?i)(?<!un)(?<!non-)\btrain(?:able|ed)\b(?: \w+){0,2}(?: are| is)?\s?[:=]?\s?0(?![\d.,:x])"
    r"|(?<![\d.,])0 (?:\w+ )?trainable\b"
)


def said_first(ev: Evidence, story: Story) -> list[str]:
    """The lines before the first report of progress, in whichever stream; none where no line reports."""
    return ev.once(("said first",), lambda: _said_first(ev, story))


def _said_first(ev: Evidence, story: Story) -> list[str]:
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    return [] if told.is_empty() else _lines(ev, told.row(0, named=True), below=False)


def _lines(ev: Evidence, report: Row, *, below: bool) -> list[str]:
    """The first lines above or below a report, in whichever stream of its node; those of others by their time."""
    if not ev.has("log_lines"):
        return []
    place = pl.col("source").eq_missing(pl.lit(report["source"], dtype=pl.String))
    line, time = report["line_seq"], report["ts_ns"]
    wanted = place & (pl.col("seq") > line if below else pl.col("seq") < line)
    if time is not None:
        wanted |= ~place & (pl.col("ts_ns") > time if below else pl.col("ts_ns") <= time)
    lines = ev.scan("log_lines").filter((pl.col("node") == report["node"]) & wanted).sort("source", "seq")
    text = pl.col("text").str.slice(0, _WIDTH).str.replace_all(ANSI, "")
    return lines.select(text).head(_LINES).collect()["text"].drop_nulls().to_list()


def plan_in_its_own_word(ev: Evidence, story: Story) -> tuple[str, int] | None:
    """How many of what its reports count the program said, at its start, that it would do: "updates", 12000.

    None where it said nothing of the sort, or several numbers.
    """
    word = _counting_word(ev, story)
    number = None if word is None else said_of(ev, story, word)
    return None if word is None or number is None else (word.lower().removesuffix("s") + "s", number)


def said_of(ev: Evidence, story: Story, word: str) -> int | None:
    """The one number of what ``word`` counts that the program said, at its start, that it would do."""
    stem = re.escape(word.lower().removesuffix("s"))
    plural = rf"{stem}(?:e?s)?"
    plan = re.compile(
        rf"(?i)(?<![\d.,/x-])(\d[\d,_]{{0,14}})(k?) (?:[a-z-]{{2,14}} ){{0,2}}?{plural}\b(?!\s?[\d/=:-])"
        rf"|\b(?:num[_ -]|n_|total[_ -])?{plural}[\"']?\s?[:=]\s?(\d[\d,_]{{0,14}})(k?)\b(?![./:])"
    )
    found = set()
    for clause in (clause for text in said_first(ev, story) for clause in _CLAUSES.split(text)):
        for told in () if _AT_TIMES.search(clause) else plan.finditer(clause):
            number, thousands = told[1] or told[3], told[2] or told[4]
            found.add(int(re.sub("[,_]", "", number)) * (1000 if thousands else 1))
    return found.pop() if len(found) == 1 else None


def any_count_said(ev: Evidence, story: Story) -> bool:
    """Whether some number of the start, by a word for what is counted or for all of it, is that of the last step."""
    last = story.last_step
    if last is None or last < _NO_CHANCE:
        return False
    told = {
        int(re.sub("[,_]", "", number))
        for text in said_first(ev, story)
        for clause in _CLAUSES.split(text)
        if not _AT_TIMES.search(_LIMITS.sub(" ", clause)) and _COUNTED.search(clause) and "early_stop" not in clause
        for number in re.findall(r"(?<![\w.,/-])\d[\d,_]{1,14}(?![\w.])", clause)
    }
    return last in told


_NO_CHANCE: Final = 20
"""A smaller number may be anything's."""
_LIMITS: Final = re.compile(r"(?i)\bmax\w*|\bat most\b|\bup to\b")
"""Who came to a limit exactly was ended by it."""
_COUNTED: Final = re.compile(
    r"(?i)(?:steps?|iter(?:ation)?s?|updates?|batches|sweeps|passes|rounds|frames|tokens|games|slides|generations|trees|looks"
    r"|itmax|max_?iter\w*|budget|in all|total|epochs?|schritte|pas|pasos|passi|kroki|adım|stappen|шаг\w*|步|ステップ)(?:[^a-z]|$)"
)


def rounds_said(ev: Evidence, story: Story) -> int | None:
    """The one number of trees or rounds that a boosting program named among its parameters, at its start."""
    if not (story.steps["framework"] == "boosting").fill_null(value=False).all():
        return None
    told = {int(found[1]) for text in said_first(ev, story) for found in _ROUNDS.finditer(text)}
    return told.pop() if len(told) == 1 else None


_ROUNDS: Final = re.compile(
    r"(?i)(?<![\w.-])(?:--)?(?:num_boost_rounds?|num_iterations?|n_estimators|num_trees?|(?:num_|n_?)?rounds?|iterations"
    r"|n_iter)[\"']?\s?[:=]\s?(\d{1,7})\b(?![.,/:]\d)"
)
"""Names of LightGBM's, XGBoost's, CatBoost's and scikit-learn's parameter."""


def steps_by_epochs(ev: Evidence, story: Story) -> int | None:
    """The steps of each epoch times the epochs, where the program said one number of either at its start."""
    told = [
        {int(found[1]) for text in said_first(ev, story) for found in words.finditer(text)}
        for words in (_OF_AN_EPOCH, _EPOCHS)
    ]
    return told[0].pop() * told[1].pop() if all(len(numbers) == 1 for numbers in told) else None


_OF_AN_EPOCH: Final = re.compile(
    r"(?i)\b(?:max_)?(?:steps|batches|iters)_per_epoch[\"']?\s?[:=]\s?(\d{1,9})\b(?![.\d])"
)
_EPOCHS: Final = re.compile(r"(?i)(?<![\w.])(?:num_|n_|max_)?epochs[\"']?\s?[:=]\s?(\d{1,6})\b(?![.\d/])")


def to_be_played(ev: Evidence, story: Story) -> int | None:
    """The one number of steps of a game that the program said, at its start, that it would play."""
    told = {int(found[1]) for text in said_first(ev, story) for found in _TO_PLAY.finditer(text)}
    return told.pop() if len(told) == 1 else None


_TO_PLAY: Final = re.compile(r"(?i)\b(?:total|n|num|max)_(?:time|env_?)steps\W{1,5}(\d{4,12})(?:\.0)?\b(?![\d.])")


def _counting_word(ev: Evidence, story: Story) -> str | None:
    """The word before the number of the step in the report of the last one."""
    last = story.steps.filter((pl.col("step") == story.last_step) & pl.col("line_seq").is_not_null())
    if last.is_empty():
        return None
    row = last.row(-1, named=True)
    said = re.search(rf"{_WORD}{row['step']}(?![\d.])", _text_of(ev, row))
    return None if said is None else said[1]


def _text_of(ev: Evidence, row: Row) -> str:
    lines = ev.scan("log_lines").filter(same_stream(row), pl.col("seq") == row["line_seq"])
    return " ".join(lines.select(pl.col("text").fill_null("").str.slice(0, _WIDTH)).head(1).collect()["text"])


def nothing_to_learn(ev: Evidence, story: Story) -> str | None:
    """A line of the start that tells of no data to train on, or of nothing that is trained."""
    for text in said_first(ev, story):
        if _NOTHING_TRAINS.search(text) or (_NO_DATA.search(text) and not _OTHERWISE.search(text)):
            return text.strip()[:160]
    return None


def replaced(ev: Evidence, story: Story) -> str | None:
    """A line of the start by which weights or data that were asked for were not there, and others were taken."""
    return next((text.strip()[:160] for text in said_first(ev, story) if _lacked(text)), None)


def _lacked(text: str) -> bool:
    return all(words.search(text) for words in (_NEEDED, _NOT_THERE, _IN_ITS_PLACE)) and not _NO_MATTER.search(text)


_NEEDED: Final = re.compile(
    r"(?i)(?:\b|_)(?:data ?sets?|data|corpus|shards?|weights|pre-?trained|backbone|encoder|embeddings?|teacher"
    r"|vocab(?:ulary)?|tokenizer|labels|annotations|model)(?:\b|_)"
)
_NOT_THERE: Final = re.compile(
    r"(?i)\b(?:not found|does(?: not|n't) exist|no such|could not|couldn't|cannot|can't|failed to|unable to|unavailable"
    r"|missing|not (?:there|available|readable)|is empty|no (?:\w+ ){0,2}(?:found|available|match\w*))\b"
)
_IN_ITS_PLACE: Final = re.compile(
    r"(?i)\b(?:random(?:ly)?(?: init\w*| weights| data| values| noise)?|dummy|synthetic|fake|toy|placeholder|made[ -]up"
    r"|fall(?:ing|s|en)? ?back|fell back|instead|untrained|continuing without|going on without|without (?:it|them))\b"
)
_NO_MATTER: Final = re.compile(
    r"(?i)\b(?:cache[ds]?|logg\w*|plot\w*|wandb|tensorboard|apex|flash|attention|triton|compil\w*|fused|kernels?|fast|slow|cpu"
    r"|gpu|cuda|device|memory|threads?|workers?)\b"
)
"""Things of a run without which it learns the same."""


def unmatched(ev: Evidence, story: Story) -> str | None:
    """A line of the start by which as many names of weights are missing as are unexpected: they bear another prefix."""
    for text in said_first(ev, story):
        if _BOTH.search(text) is None:
            continue
        counts = [number for number in _COUNT.findall(text) if int(number)]
        if len(counts) > len(set(counts)) or _LISTS.search(text):
            return text.strip()[:160]
    return None


_BOTH: Final = re.compile(r"(?i)\bmissing\w*\b.*\bunexpected|\bunexpected\w*\b.*\bmissing")
_COUNT: Final = re.compile(r"(?<![\w./-])\d{1,9}(?![\w./-])")
_LISTS: Final = re.compile(r"missing_keys=\['.*unexpected_keys=\['")


def trouble_below(ev: Evidence, story: Story) -> str | None:
    """An error that stands below the last report, in whichever stream."""
    below = below_the_last_report(ev, story)
    # What a traceback ends in is judged as such.
    own = (text for above, text in itertools.pairwise(["", *below]) if not above.startswith("    "))
    trouble = (text for text in own if _is_trouble(text))
    if (first := next(trouble, None)) is not None and _reports_are_called_so(ev, story):
        # Who reports his progress as an error means nothing by the level; what else the words say counts.
        levelless = (re.sub(_LEVEL_AHEAD, "", text) for text in (first, *trouble))
        first = next((text for text in levelless if _is_trouble(text) or _FAILS.search(text)), None)
    return None if first is None else first.strip()[:160]


def _reports_are_called_so(ev: Evidence, story: Story) -> bool:
    """Whether most of the last reports of progress bear the level of an error themselves."""
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    row = told.row(-1, named=True)
    last = told.filter(same_stream(row))["line_seq"].unique().sort().tail(_LAST_REPORTS)
    lines = ev.scan("log_lines").filter(same_stream(row), pl.col("seq").is_in(last.implode()))
    texts = lines.select(pl.col("text").fill_null("").str.slice(0, _WIDTH).str.replace_all(ANSI, "")).collect()["text"]
    return 2 * sum(_called_an_error(text) for text in texts) > len(last)


_LAST_REPORTS: Final = 20
_LEVEL_AHEAD: Final = re.compile(r"\b(?:ERROR|CRITICAL|FATAL)\b\s?[:\]-]{0,2}\s?|\[(?:error|critical|fatal) {0,5}\]\s?")
_FAILS: Final = re.compile(
    r"(?i)\b(?:fail(?:ed|ure|s)?|could not|couldn't|cannot|can't|unable|unsuccessful\w*|crash(?:ed)?|abort\w*"
    r"|died|denied|no space|not (?:saved|written|found)|lost|broken|corrupt\w*|traceback)\b"
    r"|[A-Z]\w{0,40}(?:Error|Exception)\b"
)
"""Words of one who fails, in a line whose level means nothing."""


def below_the_last_report(ev: Evidence, story: Story) -> list[str]:
    """The lines below the last report of progress, in whichever stream; none where no line reports."""
    told = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    return [] if told.is_empty() else _lines(ev, told.row(-1, named=True), below=True)


def _is_trouble(text: str) -> bool:
    """Words of one who fails: a logger's level behind a clock and a name or two, or the first word of a line."""
    return _called_an_error(text) or _TROUBLE.search(text) is not None


def _called_an_error(text: str) -> bool:
    level = _LEVEL.search(text)
    before = _NAMES.findall(text[: level.start()]) if level is not None else []
    return level is not None and len(before) <= _NAMES_BEFORE and all(len(name) <= _NAME for name in before)


_LEVEL: Final = re.compile(
    r"\b(?:ERROR|CRITICAL|FATAL)\b(?!\s?[:=]?\s?(?:0|rate|bar|=))|\[(?:error|critical|fatal) {0,5}\]"
)
_NAMES: Final = re.compile(r"\w[\w.:,/+-]*")
_NAMES_BEFORE: Final = 4
_NAME: Final = 40
_TROUBLE: Final = re.compile(
    r"^(?:[\w./-]{1,60}: )?(?i:fatal|error): \S"
    r"|(?i:^\W{0,4}(?:aborting|giving up|cannot (?:continue|go on)|bailing out)\b)"
    r"|(?i:^\W{0,4}(?:the )?(?:(?:training|run|job|trainer|worker|child|process|rank)(?: \d{1,6})? )?"
    r"(?:failed|crashed|died)\b)"
    r"|^(?:[\w.-]{1,20}: )?(?:[A-Za-z_]\w*\.){0,6}[A-Z]\w{0,40}(?:Error|Exception)(?:: |\(|$)"
)
"""The first word of a line, or the name of an exception."""
