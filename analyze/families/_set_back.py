"""Where losses, counts and rates show that work was lost: they are back where the run had been before."""

from __future__ import annotations

import itertools
import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._curve import curve, swings
from inquest.analyze.families._job_logs import numbers_in, without_numbers
from inquest.analyze.families._resumes import GOES_ON
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

TAIL: Final = 5
"""Reports whose median says where a loss had come to."""

STRIDES: Final = 3
"""Reports that tell how many steps lie between two."""
OTHER_RUN: Final = frozenset({"new_run"})
_WHOLE: Final = 0.75
HALF_WAY: Final = 0.5
_LOADS: Final = frozenset(map(str, (Kind.CHECKPOINT_LOAD_BEGIN, Kind.CHECKPOINT_LOADED, Kind.CHECKPOINT_PARTIAL)))


@dataclass(frozen=True, slots=True)
class CountedOn:
    """The last report before a restart, the first after it, and how it shows."""

    before: Row
    after: Row
    how: str
    back: float
    """Part of the way to where it had begun that the loss was back."""
    said: Row | None = None
    """The line of the log that says why, where there is one."""

    @property
    def whole(self) -> bool:
        """Whether it was all of the way."""
        return self.back >= _WHOLE


def counted_on(ev: Evidence, story: Story) -> CountedOn | None:
    """A restart after which the step counter goes on, and the loss is back near where the run had begun."""
    losses = curve(story).numbers
    if losses.is_empty():
        return None
    source, node, rank = (losses[name][0] for name in ("source", "node", "rank"))
    everything = story.all_steps.filter(
        (pl.col("node") == node)
        & pl.col("rank").eq_missing(rank)
        & pl.col("loss").is_finite()
        & pl.col("step").is_not_null()
        & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    ).sort("attempt", "line_seq", "seq", nulls_last=True)
    everything = _of_one_count(everything)
    begun = story.attempts.filter((pl.col("node") == node) & pl.col("source").eq_missing(source))
    other = begun.filter(pl.col("began_by").is_in(list(OTHER_RUN)))["attempt"].max()
    told = everything.filter(pl.col("source").eq_missing(source))
    if other is not None:
        told = told.filter(pl.col("attempt") >= other)  # what another training had learned, this one never had
    if swings(told["loss"].to_list()):
        return None
    pairs = list(itertools.pairwise(told.partition_by("attempt", maintain_order=True)))
    # A load that stands between two reports parts them as well.
    loads = {row["line_seq"] for row in story.all_events if row["kind"] in _LOADS and row["source"] == source}
    at, between = pl.col("line_seq"), sorted(loads - {None})
    pairs += [(told.filter(at < line), told.filter(at > line)) for line in between]
    said = _said_to_go_on(ev, told) if source is not None else []
    pairs += [(told.filter(at < line), told.filter(at > line)) for line in said]
    tracked = told["line_seq"].is_null().all() and not begun["ts_ns"].is_not_null().any()
    shown = [NEXT_FILE if tracked else "after a restart"] * len(pairs)
    for cuts, how in (
        (_warmed_up_anew(told["lr"].to_list()), "while its learning rate warmed up anew"),
        (_replayed(told["loss"].to_list()), REPLAYED),
    ):
        parted = [(told[:cut], told[cut:]) for cut in cuts]
        parted = [
            pair for pair in parted if not _headed(story, pair[0].row(-1, named=True), pair[1].row(0, named=True))
        ]
        pairs += parted
        shown += [how] * len(parted)
    if source is not None and (following := _next_log(everything, source)) is not None:
        rates = [*told["lr"].to_list(), *following["lr"].to_list()]
        if _warmed_up_anew(rates) == [told.height]:
            pairs.append((told, following))
            shown.append(_NEXT_LOG)
    for how, (earlier, later) in zip(shown, pairs, strict=True):
        if min(earlier.height, later.height) < TAIL or int(later["step"][0]) <= int(earlier["step"][-1]):
            continue
        begin, reached = float(told["loss"][:STRIDES].median()), float(earlier["loss"][-TAIL:].median())  # type: ignore[arg-type]
        again = float(later["loss"][:STRIDES].median())  # type: ignore[arg-type]
        learned = begin - reached
        if how != REPLAYED and _as_at_first(told, earlier, later):
            first = float(told["loss"][0])
            part = (float(later["loss"][0]) - reached) / (first - reached)
            return CountedOn(earlier.row(-1, named=True), later.row(0, named=True), how, part)
        if learned < ev.threshold("e1.learned") * begin:
            continue
        rested = how != REPLAYED and _never_back(ev, later, reached, learned)
        if again - reached >= ev.threshold("parent.forgotten") * learned or rested:
            return CountedOn(earlier.row(-1, named=True), later.row(0, named=True), how, (again - reached) / learned)
    return None


def _as_at_first(told: pl.DataFrame, earlier: pl.DataFrame, later: pl.DataFrame) -> bool:
    """Whether the first report after a restart is where the very first one was, and the next not yet back.

    Of few reports, the first step of a model that has learned nothing stands alone, whatever the median of several is.
    """
    first, again, then = float(told["loss"][0]), float(later["loss"][0]), float(later["loss"][1])
    reached = float(earlier["loss"][-1])
    return 0 < _TWICE * reached <= first <= _ABOUT * again and then > max(
        float(value) for value in earlier["loss"][-3:]
    )


_TWICE: Final = 2
_ABOUT: Final = 1.2


def _said_to_go_on(ev: Evidence, told: pl.DataFrame) -> list[int]:
    """Lines between two reports that speak of taking up what was begun before, above the next report."""
    lines = told["line_seq"].drop_nulls()
    if lines.is_empty() or not ev.has("log_lines"):
        return []
    here = same_stream(told.row(-1, named=True)) & pl.col("seq").is_between(int(lines.min()), int(lines.max()))  # type: ignore[arg-type]
    found = ev.scan("log_lines").filter(
        here & pl.col("text").str.slice(0, _READ).str.contains(f"{GOES_ON}|{_ASKED_TO}")
    )
    reports = set(lines)
    seqs = [int(seq) for seq in found.select("seq").collect()["seq"].sort() if seq not in reports]
    return seqs if len(seqs) <= _SPOKEN_OF else []  # who says so time and again means something else


_ASKED_TO: Final = (
    r"(?:^|\s)--?\w{0,20}[-_]?(?:resum|restor|init[-_]from|load[-_](?:ckpt|checkpoint|state))\w{0,24}[= ]['\"]?[\w./~$]"
)
"""A command that names the state to go on from, at a prompt between two reports."""
_SPOKEN_OF: Final = 8
"""Lines of one log that may speak of it, where each is a start of its own."""


def _of_one_count(told: pl.DataFrame) -> pl.DataFrame:
    """Without the sums of epochs, where steps are reported beside them: step 40 is not behind epoch 2."""
    of_epochs = pl.col("kind") == str(Kind.EPOCH)
    steps = told.filter(~of_epochs.fill_null(value=False))
    return steps if steps.height else told


def _never_back(ev: Evidence, later: pl.DataFrame, reached: float, learned: float) -> bool:
    """Whether a loss that leapt at a restart was still far above where it had come to after many more reports."""
    told = later["loss"].to_list()
    least = reached + max(_PART * learned, min(ev.threshold("e1.divergence_rise"), learned / 2))
    leapt = statistics.median(told[:STRIDES]) >= least
    return (
        leapt
        and len(told) >= ev.threshold("e1.plateau_losses")
        and min(told) >= ev.threshold("g1.above_best") * reached
    )


_PART: Final = 0.25
"""Part of what was learned that is missed after a restart by more than a change of data explains."""


def _next_log(told: pl.DataFrame, source: str) -> pl.DataFrame | None:
    """Reports of the log of the next number, where its counter goes on where that of ``source`` had come to."""
    mine = told.filter(pl.col("source") == source)
    stride = mine["step"].diff().median()
    others = told.filter(
        (pl.col("source") != source) & (pl.col("source").str.replace_all(r"\d+", "#") == without_numbers(source))
    )
    for other in others.partition_by("source", maintain_order=True):
        gap = int(other["step"][0]) - int(mine["step"][-1])
        if isinstance(stride, float) and 0 < gap <= 2 * stride:
            return other
    return None


def _headed(story: Story, before: Row, after: Row) -> bool:
    """Whether a heading between two reports says that the next stage, fold or trial begins."""
    if before["line_seq"] is None or after["line_seq"] is None:
        return False
    return any(
        row["kind"] == Kind.NEXT_RUN
        and row["source"] == after["source"]
        and before["line_seq"] < row["line_seq"] < after["line_seq"]
        for row in story.all_events
    )


def _warmed_up_anew(rates: list[float | None]) -> list[int]:
    """Reports at which the learning rate is at once back where it began, and rises from there as it did at first.

    A schedule with warm restarts leaps up, and one that cycles comes down step by step.
    """
    told = [rate for rate in rates if rate is not None]
    if len(told) < len(rates) or len(told) < 2 * TAIL or told[0] >= max(told) / 2:
        return []
    return [
        at
        for at in range(TAIL, len(told) - TAIL)
        if told[at] <= 2 * told[0] and told[at - 1] >= 3 * told[at] and told[at] < told[at + 1] < told[at + 2]
    ][:1]


def keys_apart(ev: Evidence, story: Story) -> CountedOn | None:
    """A restart at which the loss began anew, where a log names keys that a state lacked or had beside the model's.

    The counter went back by less than half of the way there, as it does to the last save: folds begin at the start. Or
    it went on from the step that is named beside the keys: importers leave out what was done twice.
    """
    told = _of_all_attempts(story)
    steps, losses = told["step"].to_list(), told["loss"].to_list()
    for at in range(TAIL, len(steps) - STRIDES):
        if 2 * steps[at] < steps[at - 1] or losses[at] <= losses[at - 1]:
            continue
        begin, reached = statistics.median(losses[:STRIDES]), statistics.median(losses[at - TAIL : at])
        learned, lost = begin - reached, statistics.median(losses[at : at + STRIDES]) - reached
        # The report itself has to be back: the one before it has the leap within its next three.
        lost = min(lost, losses[at] - reached)
        if learned < ev.threshold("e1.learned") * begin or lost < ev.threshold("parent.forgotten") * learned:
            continue
        before, after = told.row(at - 1, named=True), told.row(at, named=True)
        lines = ev.scan("log_lines").filter(pl.col("text").str.contains(rf"{KEYS_APART}|{NONE_TAKEN}"))
        if after["line_seq"] is not None:  # another load of the same log is of something else
            between = pl.col("seq").is_between(before["line_seq"], after["line_seq"])
            lines = lines.filter(~same_stream(after) | between)
        said = lines.tail(1).collect()
        if said.is_empty():
            return None
        row = said.row(0, named=True)
        # Where not one entry was taken, and the count goes on below, no other state can be meant.
        none = (row["node"], row["source"]) == (after["node"], after["source"]) and re.search(
            NONE_TAKEN, str(row["text"] or "")[:_READ]
        ) is not None
        if (
            steps[at] < steps[at - 1]
            or none
            or any(steps[at - 1] <= step < steps[at] for step in _named_beside(ev, row))
        ):
            return CountedOn(before, after, _WITH_OTHER_KEYS, lost / learned, row)
    return None


def _named_beside(ev: Evidence, row: Row) -> list[int]:
    """Steps that a line and the two on either side of it name."""
    near = ev.scan("log_lines").filter(same_stream(row), pl.col("seq").is_between(row["seq"] - 2, row["seq"] + 2))
    texts = near.select(pl.col("text").fill_null("").str.head(_READ)).collect()["text"]
    return [int(named or other) for text in texts for named, other in _A_STEP.findall(text)]


_READ: Final = 400
_A_STEP: Final = re.compile(
    r"(?i)(?:step|iter|iteration|epoch|ckpt|checkpoint|schritt|epoche|étape|pas|paso|passo|шаг|эпоха|steg|stap|krok|adım)s?"
    r"[ _=:-]{0,3}(\d{1,12})|(?:步|ステップ|스텝)[ _=:]{0,3}(\d{1,12})"
)
_WITH_OTHER_KEYS: Final = "after a load whose keys were not the model's"
_LACKED: Final = (
    r"(?:missing|fehlen\w*|manqu\w+|falta\w*|ausente\w*|mancan\w+|отсутств\w*|ontbre\w+|brak\w*|缺失|缺少|不足)"
)
_BESIDE: Final = (
    r"(?:unexpected|extra|unerwartet\w*|überzählig\w*|inattendu\w*|inesperad\w+|sobra\w*|inattes\w+|неожидан\w*|лишн\w*"
    r"|onverwacht\w*|nieoczekiwan\w*|多余|意外|余分)"
)
NONE_TAKEN: Final = (
    r"(?i)(?:^|[^\d.,])0 ?(?:/|of|out of|von|aus|de|sur|di|su|из|van|av|z) ?(?:the )?[1-9]\d{0,6} (?:\w+ ){0,2}"
    r"(?:keys?|entr(?:y|ies)|tensors?|param\w*|weights?|layers?|eintr\w+|schlüssel\w*|gewicht\w*|clés?|poids|entrées"
    r"|claves?|pesos?|entradas?|chaves?|chiavi|pesi|ключ\w*|вес\w*|параметр\w*|тензор\w*|sleutels?|gewichten|klucz\w*)\b"
    r"[^\d\n]{0,24}(?:load|taken|match|restor|copied|transferr|fit|used|übernommen|geladen|gelesen|chargé|repris|cargad|tomad"
    r"|carregad|caricat|загруж|взят|wczytan)"
    r"|\b(?:loaded|restored|matched|copied|took|transferred) 0 ?(?:/|of|out of) ?(?:the )?[1-9]\d{0,6} (?:\w+ ){0,2}"
    r"(?:keys?|entries|tensors?|param\w*|weights?|layers?)\b"
)
"""Of a state's entries not one was taken."""
KEYS_APART: Final = (
    r"(?i)\b[1-9]\d{0,6} (?:missing|unexpected) keys?\b"
    r"|\b(?:missing|unexpected)[ _]keys?\b['\"]?(?: in [\w. ]{1,40})?[ :=(]{0,3}(?:[1-9]\d{0,6}\b|\[['\"])"
    rf"|\b[1-9]\d{{0,6}} {_LACKED}[,;/ ]{{1,3}}(?:\w{{1,3}} )?[1-9]\d{{0,6}} {_BESIDE}"
)
"""Keys that were apart, by their number or their names: none of them is no word of it."""


def stale_start(story: Story) -> tuple[Row, Row] | None:
    """The reports about the one place at which counter and loss went back by half of the way, not to come there again.

    A load of the newest checkpoint costs the steps since it was saved.
    """
    told = curve(story).numbers.filter(pl.col("step").is_not_null())
    steps, losses = told["step"].to_list(), told["loss"].to_list()
    backs = [at for at in range(1, len(steps)) if steps[at] < steps[at - 1]]
    if len(backs) != 1:
        return None
    at = backs[0]
    reached, again = steps[at - 1], steps[at]
    if min(at, len(steps) - at) < 4 * TAIL or 2 * again > reached or max(steps[at:]) >= reached:
        return None
    there = next(number for number, step in enumerate(steps) if step >= again)
    before, level = statistics.median(losses[at - TAIL : at]), statistics.median(losses[at : at + STRIDES])
    as_then = abs(level - losses[there]) <= 2 * _ALIKE * losses[there]
    return (told.row(at - 1, named=True), told.row(at, named=True)) if as_then and level >= 1.1 * before else None


def again_and_again(story: Story) -> tuple[Row, Row, int] | None:
    """The reports about the first of several places at which counter and loss went back to one step, not the first.

    And how many there are: folds begin at the start, and whoever saves goes on from farther each time.
    """
    told = _of_all_attempts(story)
    steps, values = told["step"].to_list(), told["loss"].to_list()
    backs = [at for at in range(1, len(steps)) if steps[at] < steps[at - 1]]
    if len(backs) < 2 or len({steps[at] for at in backs}) > 1:
        return None
    begin, reached = steps[backs[0]], steps[backs[0] - 1]
    there = next(number for number, step in enumerate(steps) if step >= begin)
    long = min(high - low for low, high in itertools.pairwise([0, *backs]))
    if there < STRIDES or long < TAIL or max(steps) > reached:
        return None
    back = all(
        abs(values[at] - values[there]) <= 2 * _ALIKE * values[there] and values[at] >= 1.1 * values[at - 1]
        for at in backs
    )
    first = backs[0]
    return (told.row(first - 1, named=True), told.row(first, named=True), len(backs)) if back else None


def _of_all_attempts(story: Story) -> pl.DataFrame:
    """What the stream of the curve told of losses at steps, in all attempts and in order."""
    losses = curve(story).numbers
    if losses.is_empty():
        return losses
    source, node, rank = (losses[name][0] for name in ("source", "node", "rank"))
    told = story.all_steps.filter(
        (pl.col("node") == node)
        & pl.col("source").eq_missing(source)
        & pl.col("rank").eq_missing(rank)
        & pl.col("loss").is_finite()
        & pl.col("step").is_not_null()
        & pl.col("kind").ne_missing(str(Kind.VALIDATION))
    ).sort("attempt", "line_seq", "seq", nulls_last=True)
    return _of_one_count(told)


def older_link(story: Story) -> tuple[Row, Row] | None:
    """The last report of a log and the first of the log of the next number, which went on from far behind it.

    Its loss is what it had been at that step, in one of the logs before, and it never came as far again.
    """
    told = story.all_steps.filter(
        pl.col("source").str.contains(r"\d") & pl.col("loss").is_finite() & (pl.col("kind") == str(Kind.STEP))
    ).drop_nulls("step")
    links = told.sort("line_seq", "seq", nulls_last=True).partition_by("source", as_dict=True, maintain_order=True)
    named = sorted((numbers_in(str(source)), str(source)) for (source,) in links)
    loaded = {row["source"] for row in story.all_events if row["kind"] == Kind.CHECKPOINT_LOADED}
    for at in range(1, len(named)):
        (_, before), (_, after) = named[at - 1 : at + 1]
        old, new = links[before,], links[after,]
        if (
            without_numbers(before) != without_numbers(after)
            or after not in loaded
            or min(old.height, new.height) < 4 * TAIL
        ):
            continue
        reached, begin = int(old["step"][-1]), int(new["step"][0])
        known = pl.concat([links[name,] for _, name in named[:at] if without_numbers(name) == without_numbers(after)])
        then = known.filter(pl.col("step") <= begin).sort("step")["loss"].tail(STRIDES).median()
        level, last = new["loss"][:STRIDES].median(), old["loss"][-TAIL:].median()
        if (
            not (isinstance(then, float) and isinstance(level, float) and isinstance(last, float))
            or 2 * begin > reached
        ):
            continue
        back = abs(level - then) <= 2 * _ALIKE * then and level >= 1.1 * last
        if back and new["step"].max() < reached:  # type: ignore[operator]
            return old.row(-1, named=True), new.row(0, named=True)
    return None


def loss_leapt(ev: Evidence, story: Story) -> tuple[Row, Row, Row, float, int | None] | None:
    """What was said of an optimizer's state that was not loaded, the reports about a leap of the loss, and its end.

    And after how many reports it was back, where it came back. None where that were few: moments that begin anew cost
    some hundreds of steps, no more.
    """
    said = [row for row in story.all_events if row["kind"] == str(Kind.OPTIMIZER_LOST)]
    told = curve(story).numbers
    losses = told["loss"].to_list()
    if not said or len(losses) < ev.threshold("e1.plateau_losses"):
        return None
    if (risen := _rose_from_its_start(ev, told, said[0])) is not None:
        return said[0], *risen
    leaps = [
        (losses[at] / max(level, 1e-9), at, level)
        for at in range(TAIL, len(losses) - TAIL)
        if (level := statistics.median(losses[at - TAIL : at])) > 0
    ]
    highest = max((each[0] for each in leaps), default=0.0)
    # The first of those that are as good as the highest: the next report stands as high.
    leap, at, level = next((each for each in leaps if each[0] >= _AS_HIGH * highest), (0.0, 0, 0.0))
    end = statistics.median(losses[-max(TAIL, len(losses) // 50) :])
    if leap < 1 + ev.threshold("e1.lost"):
        climbed = _climbed_as_it_warmed_up(told, ev.threshold("g1.above_best"))
        return None if climbed is None else (said[0], *climbed, end, None)
    back = None
    if end < ev.threshold("g1.above_best") * level:
        after = range(at, len(losses) - TAIL)
        back = next((n - at for n in after if statistics.median(losses[n : n + TAIL]) <= level), len(after))
        if back < max(_SLOWLY, len(losses) // _SLOWLY):
            return None
    return said[0], told.row(at - 1, named=True), told.row(at, named=True), end, back


def _rose_from_its_start(ev: Evidence, told: pl.DataFrame, said: Row) -> tuple[Row, Row, float, int | None] | None:
    """The first report below what was said and the highest after it, of a log that begins so, and how it went on."""
    losses, lines = told["loss"].to_list(), told["line_seq"]
    if (
        told["source"][0] != said["source"]
        or lines[0] is None
        or said["line_seq"] is None
        or lines[0] < said["line_seq"]
    ):
        return None
    level = statistics.median(losses[:TAIL])
    levels = [statistics.median(losses[at : at + TAIL]) for at in range(len(losses) - TAIL)]
    top = levels.index(max(levels))
    back = next((at for at in range(top, len(levels)) if levels[at] <= level), None)
    if level <= 0 or levels[top] < ev.threshold("g1.above_best") * level:
        return None
    if back is not None and back < max(_SLOWLY, len(losses) // _SLOWLY):
        return None
    end = statistics.median(losses[-max(TAIL, len(losses) // 50) :])
    return told.row(0, named=True), told.row(top, named=True), end, back


def _climbed_as_it_warmed_up(told: pl.DataFrame, far: float) -> tuple[Row, Row] | None:
    """The last report before the learning rate warmed up anew, and the first after it whose loss was far above it.

    Where the loss stays so far above to the end.
    """
    losses = told["loss"].to_list()
    for at in _warmed_up_anew(told["lr"].to_list()):
        level = statistics.median(losses[at - TAIL : at])
        late = losses[-max(TAIL, (len(losses) - at) // 10) :]
        if level > 0 and min(late) >= far * level and losses[at] < far * level:
            first = next(number for number in range(at, len(losses)) if losses[number] >= far * level)
            return told.row(at - 1, named=True), told.row(first, named=True)
    return None


_SLOWLY: Final = 20
"""Reports, and one part in as many of them, that are more than moments take to settle."""


_AS_HIGH: Final = 0.8
NEXT_FILE: Final = "in its next file"
_NEXT_LOG: Final = "in its next log, while its learning rate warmed up anew"
REPLAYED: Final = "all at once, and fell again as it had at first"
_ALIKE: Final = 0.05
"""How near the losses of two beginnings from the same data are, in parts of them."""


def _replayed(losses: list[float]) -> list[int]:
    """The report from which on the losses are those of the run's own beginning, one by one; several are folds.

    A model that diverged and learns again takes a way of its own.
    """
    long = 4 * TAIL
    if len(losses) <= 2 * long:
        return []
    first = statistics.median(losses[:STRIDES])
    cuts = [
        at
        for at in range(long, len(losses) - long)
        if losses[at] >= first * (1 - _ALIKE) and losses[at] >= 1.5 * max(losses[at - STRIDES : at])
    ]
    if len(cuts) != 1:
        return []
    pairs = list(zip(losses, losses[cuts[0] : 2 * cuts[0]], strict=False))
    apart = sorted(abs(new - old) / max(abs(old), 1e-9) for old, new in pairs)
    fell = statistics.median(old for old, _ in pairs[-TAIL:]) <= first / 1.5
    alike = apart[9 * len(apart) // 10] <= 3 * _ALIKE and apart[len(apart) // 2] <= _ALIKE
    return cuts if fell and alike else []


def schedule_began_anew(story: Story) -> Row | None:
    """First report of a run that began in its middle while the learning rate was warming up again.

    Weights were loaded then, but not the state of optimizer and schedule: nothing says so, and only the rate shows it.
    """
    told = story.steps.filter(pl.col("kind") == Kind.STEP).drop_nulls(["lr", "epoch"])
    logged = told.drop_nulls("line_seq")
    told = told if logged.is_empty() else logged  # a tracker beside the log tells the same again
    if told.height < 3 or told.select("node", "source", "rank").n_unique() > 1:
        return None
    told = told.sort("line_seq", "seq", nulls_last=True)
    (first, second, *_), last = told["epoch"].to_list(), told["epoch"][-1]
    (rate, next_rate, *_), last_rate = told["lr"].to_list(), told["lr"][-1]
    # An epoch that is told by its number alone is the first of all until the next.
    in_full = bool((told["epoch"] == told["epoch"].floor()).all())
    began = 1.0 if in_full else 1.5 * (second - first)
    in_the_middle = first > began and first >= last / 4
    return told.row(0, named=True) if in_the_middle and rate < next_rate and last_rate < next_rate else None
