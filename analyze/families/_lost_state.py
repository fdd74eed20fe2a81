"""A saved state that was to be taken and was not, and the training that began anew without it and said so in passing.

What a loop that swallows the error of a load prints is its own: a line that speaks of a state of a training (no cache,
no pretrained part), and of why it could not be taken (not that there is none: every first start finds none).
"""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._curve import curve
from inquest.analyze.families._resumes import GOES_ON
from inquest.analyze.families._set_back import KEYS_APART, NONE_TAKEN, STRIDES
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.reader import ANSI

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_LINES: Final = 400
"""Lines that are read above the first report."""
_READ: Final = 1000


@dataclass(frozen=True, slots=True)
class NotTaken:
    """The line of ``log_lines`` that says so, the first report below it, and the loss the state had, where told."""

    said: Row
    began: Row
    saved: float | None = None
    keys: Row | None = None
    """The line that names keys of it that the model does not have, where that is what shows it."""
    shows: str = "and came down there again"
    """What else shows it, as the rest of a sentence."""
    measure: str = "loss"
    """What is told of the state: its loss, or the reward of a policy."""


def left_at_the_load(ev: Evidence, story: Story) -> Row | None:
    """The line by which a rank says that a state did not fit, right above the others losing it; it trained nothing.

    Who catches the error and leaves says so in a line of a log; the tracebacks are those of its peers.
    """
    lost = story.crashes_of(Cause.PEER_LOST)
    if story.progressed or not lost or len(lost) < len(story.crashes) or not ev.has("log_lines"):
        return None
    first = min((crash.root for crash in lost), key=lambda row: row["line_seq"] or 0)
    if first["line_seq"] is None:
        return None
    above = pl.col("seq").is_between(first["line_seq"] - _RIGHT_ABOVE, first["line_seq"] - 1)
    lines = ev.scan("log_lines").filter(same_stream(first), above).sort("seq").collect()
    return next((row for row in lines.iter_rows(named=True) if _DID_NOT_FIT.search(shown(row))), None)


_RIGHT_ABOVE: Final = 12
_DID_NOT_FIT: Final = re.compile(
    r"Error\(s\) in loading state_dict for \w|size mismatch for [\w.]+: copying a param|Missing key\(s\) in state_dict"
    r"|PytorchStreamReader failed|SafetensorError|incomplete metadata, file not fully covered"
)
"""What torch and safetensors say of a state that cannot be loaded."""


def left_aside(ev: Evidence, story: Story) -> NotTaken | None:
    """A state that could not be read, or did not fit, above a training that began at its first step and learned.

    None where one was taken after all, and where the run failed: then its end is what is asked about.
    """
    if story.of(Kind.CHECKPOINT_LOADED) or story.failures or story.ended_well is False:
        return None
    began = _first_report(story)
    if began is None or not from_the_start(story, began) or not learned(ev, story):
        return None
    said = _said_last(above_the_first(ev, story, began))
    return None if said is None else NotTaken(said, began)


def said_at_the_start(ev: Evidence, story: Story) -> str | None:
    """The line of the start by which a saved state was not taken, wherever the reports begin; None as above."""
    began = _first_report(story)
    if began is None or story.of(Kind.CHECKPOINT_LOADED):
        return None
    lines = above_the_first(ev, story, began)
    said = _said_last(lines) or _said_last(lines, without_reason=True)
    return None if said is None else shown(said).strip()[:160]


def told_to_resume(ev: Evidence, story: Story) -> str | None:
    """A line of the start that names a state to resume from, and nothing says that it was taken; all began anew."""
    began = _first_report(story)
    if began is None or story.loads:
        return None
    lines = [shown(row) for row in above_the_first(ev, story, began)]
    asked = next((text for text in lines if _RESUME_FROM.search(text)), None)
    if asked is None or any(_TAKEN.search(text) for text in lines) or not from_the_start(story, began):
        return None
    return asked.strip()[:160] if learned(ev, story) else None


def _said_last(lines: list[Row], *, without_reason: bool = False) -> Row | None:
    """The first line by which a state was not taken, below which none says that another one was."""
    found: Row | None = None
    for row in lines:
        text = shown(row)
        if found is not None and _TAKEN.search(text) is not None and _STATE.search(text) is not None:
            found = None
        if _says_so(text, without_reason=without_reason):
            found = found or row
    return found


def without_effect(ev: Evidence, story: Story) -> NotTaken | None:
    """A line that names the loss of the state that was taken, where the loss began far above, and came there again.

    That it came there shows that it is the same loss, of the same data: the weights were not what was saved. So do keys
    that are not the model's, and a second measure that fell back with it, of a run that goes on with the count, and
    learns anew.
    """
    began = _first_report(story)
    losses = curve(story).finite
    if began is None or len(losses) < 2 * STRIDES:
        return _of_a_policy(ev, story)
    first, last = statistics.median(losses[:STRIDES]), statistics.median(losses[-STRIDES:])
    begin = losses[0] if max(losses[:STRIDES]) == losses[0] else first
    above = above_the_first(ev, story, began)
    keys = next((row for row in reversed(above) if _KEYS.search(shown(row)) and not _OF_ELSE.search(shown(row))), None)
    goes_on = (began["epoch"] or 0) > 1 or not from_the_start(story, began)
    for row in above:
        told = _WITH_A_LOSS.search(shown(row))
        saved = None if told is None else float(told[1] or told[2])
        if saved is None or saved <= 0 or begin < saved * ev.threshold("e2.far_above"):
            continue
        if last <= saved * ev.threshold("e1.climbed") and max(losses[:STRIDES]) == losses[0]:
            return NotTaken(row, began, saved)
        # The keys of a pretrained part, or of a new head, are of a run that begins, or stand with another load.
        near = keys is not None and abs(keys["seq"] - row["seq"]) <= _NEAR
        if near and goes_on and first - last >= ev.threshold("e1.learned") * first:
            return NotTaken(row, began, saved, keys)
        # Who lost its optimizer alone is back after a few reports; a new model takes its time.
        anew = goes_on and first - last >= ev.threshold("e1.learned") * first and max(losses[:STRIDES]) == losses[0]
        if anew and told is not None and _BEST.search(told[0]) is None and _right_before(story, row, began):
            return NotTaken(row, began, saved, shows="and came down from there as that of a new model does")
        # What two measures tell takes no long way down to be believed.
        if goes_on and last < first and (beside := _fell_back(ev, row, began)) is not None:
            return NotTaken(row, began, saved, shows=beside)
    return None


def _of_a_policy(ev: Evidence, story: Story) -> NotTaken | None:
    """A line that names the reward of the policy that was taken, where the first ones are of half as much at most.

    None where it came near that again: what it is tried on may be new.
    """
    told = story.steps.filter(pl.col("line_seq").is_not_null() & pl.col("score").is_finite()).sort("line_seq")
    if told.height < 2 * STRIDES:
        return None
    began = told.row(0, named=True)
    first, best = float(told["score"][:STRIDES].median()), float(told["score"].max())  # type: ignore[arg-type]
    for row in above_the_first(ev, story, began):
        if (said := _WITH_A_REWARD.search(shown(row))) is None:
            continue
        saved = float(said[1])
        if saved > 0 and abs(first) <= saved / 2 and best <= _CAME_NEAR * saved:
            return NotTaken(row, began, saved, shows="and never came near it", measure="reward")
    return None


_CAME_NEAR: Final = 0.8
_WITH_A_REWARD: Final = re.compile(
    rf"{GOES_ON}[^\n]{{0,120}}?(?<![\w-])(?:(?:ep(?:isode)?|mean|avg|average|eval)[_ ])*"
    r"(?:reward|return|rew)(?:[_ ]mean)?"
    r"\W{1,3}(\d{1,9}(?:\.\d{1,12})?)(?![\w%])"
)
"""A line that names a policy that was taken, and its reward."""


def _right_before(story: Story, said: Row, began: Row) -> bool:
    """Whether a number of a line is the count right before the first report's: the state is of this count."""
    counts = [int(number) for number in _COUNT.findall(shown(said))]
    for name in ("step", "epoch"):
        apart = story.steps[name].drop_nulls().unique().sort().diff().median()
        if began[name] is not None and isinstance(apart, float):
            low = began[name] - _STRIDES_BEFORE * max(apart, 1.0)
            if any(low <= count <= began[name] for count in counts):
                return True
    return False


_COUNT: Final = re.compile(r"(?<![\w.])\d{1,12}(?![\w.])")
_STRIDES_BEFORE: Final = 2
"""Reports by which a state may lie before the first one: the last save, and a report that was not yet due."""


def _fell_back(ev: Evidence, said: Row, began: Row) -> str | None:
    """The measure of a state beside its loss that is far lower in the first report, in words; None: there is none.

    Harder data raise a loss and lower what is right by less.
    """
    lines = ev.scan("log_lines").filter(same_stream(began), pl.col("seq") == began["line_seq"]).collect()
    own = {
        name.lower(): float(value)
        for row in lines.iter_rows(named=True)
        for name, value in _MEASURE.findall(shown(row))
    }
    for name, value in _MEASURE.findall(shown(said)):
        now = own.get(name.lower())
        if "loss" not in name.lower() and now is not None and 0 <= now <= _FALLEN * float(value) and float(value) <= 1:
            return f"with {name} at {now:g}, not {value}"
    return None


_MEASURE: Final = re.compile(r"(?<![\w.])([A-Za-z][\w@./-]{0,24})['\"]?[ =:]{1,2}(\d\.\d{1,12})(?![\w.%])")
"""A share of right answers, or another measure up to 1, by its name."""
_FALLEN: Final = 0.2
"""What is left of such a measure, as a part of it, where nothing of the state was taken."""


_NEAR: Final = 3
_KEYS: Final = re.compile(f"(?i:{KEYS_APART})|(?i:{NONE_TAKEN})".replace("(?i)", ""))


def _first_report(story: Story) -> Row | None:
    told = story.steps.filter(pl.col("line_seq").is_not_null() & pl.col("loss").is_not_null()).sort("line_seq")
    return None if told.is_empty() else told.row(0, named=True)


def from_the_start(story: Story, began: Row) -> bool:
    """Whether the reports begin where a training begins, in steps and in epochs."""
    epochs, last = story.steps["epoch"].drop_nulls(), story.last_step
    if began["epoch"] is not None and (began["epoch"] > 1 or len(epochs) == 0):
        return False
    if began["step"] is None:
        return began["epoch"] is not None
    return last is not None and (began["step"] <= 1 or began["step"] * _EARLY <= last)


_EARLY: Final = 10


def learned(ev: Evidence, story: Story) -> bool:
    """Whether the loss came down from where a new model begins: had the state been taken, it would have been low."""
    losses = curve(story).finite
    if len(losses) < STRIDES:
        return False
    first, last = losses[0], statistics.median(losses[-STRIDES:])
    return first - last >= ev.threshold("e1.learned") * abs(first)


def above_the_first(ev: Evidence, story: Story, began: Row) -> list[Row]:
    """The lines of the same stream above the first report, from the last one of an attempt before it on."""
    if not ev.has("log_lines"):
        return []
    # A bar is drawn at 0 before its first loss: it parts nothing.
    drawn = (
        (pl.col("kind") == str(Kind.BAR))
        & pl.col("loss").is_null()
        & pl.col("step").eq_missing(pl.lit(began["step"], dtype=pl.Int64))
    )
    above = same_stream(began) & (pl.col("line_seq") < began["line_seq"]) & ~drawn.fill_null(value=False)
    earlier = story.all_steps.filter(above)["line_seq"].max()
    least = earlier + 1 if isinstance(earlier, int) else 0
    lines = ev.scan("log_lines").filter(same_stream(began), pl.col("seq").is_between(least, began["line_seq"] - 1))
    return list(lines.sort("seq").tail(_LINES).collect().iter_rows(named=True))


def shown(row: Row) -> str:
    """What a line shows, without the codes of a terminal."""
    return re.sub(ANSI, "", str(row["text"] or "")[:_READ])


def _says_so(text: str, *, without_reason: bool) -> bool:
    if _STATE.search(text) is None or _ABSENT.search(text) is not None:
        return False
    if _OF_A_PART.search(text) is not None and _ANEW.search(text) is None:
        return False
    if without_reason:
        return _NOT_LOADED.search(text) is not None and _OF_ELSE.search(text) is None
    if _NOT_TAKEN.search(text) is None and (_FAILED.search(text) is None or _OF_A_STEP.search(text) is None):
        return False
    return _OF_ELSE.search(text) is None or _ANEW.search(text) is not None


_STATE: Final = re.compile(
    r"(?i)check-?point|(?:\b|_)ckpt|\bsnapshot|\bresum(?:e|ed|ing|ption)\b|\bre-?start file|\bstate_?dict"
    r"|(?:step|epoch|iter|last|latest|best|newest|state|model|resume|run|exp)[\w./-]{0,60}"
    r"\.(?:pth?|ckpt|safetensors|npz|pdparams|pkl|h5|keras|tar|bin|msgpack|eqx)\b"
    r"|контрольн\w+ точк|чекпоинт|检查点|断点|チェックポイント|체크포인트"
    r"|punto de control|point de (?:contrôle|reprise)"
)
_OF_A_PART: Final = re.compile(
    r"\w\.(?:weight|bias|gamma|beta|kernel|running_(?:mean|var)|num_batches_tracked|in_proj_\w+)\b"
)
"""A parameter by its name: one that does not fit is a new head on a pretrained model, and the rest was taken."""
_FAILED: Final = re.compile(r"(?i)\b(?:could not|couldn't|cannot|can't|fail(?:ed|ure|s)?|unable)\b")
"""Words of one who fails: without a reason a file may simply not be there, unless it is one of a step."""
_NOT_LOADED: Final = re.compile(
    r"(?i)\b(?:could not|couldn't|cannot|can't|failed to|unable to) (?:be )?(?:load|restore|resume|read)\b"
)
"""A load that failed, of a file that may be there or not."""
_OF_A_STEP: Final = re.compile(
    r"(?i)(?:step|iter(?:ation)?|epoch|checkpoint|ckpt)s?[ _=-]?0{0,12}[1-9]\d{0,11}(?:\b|_|\D)"
)
_NOT_TAKEN: Final = re.compile(
    r"(?i)(?:\b|_)(?:unreadable|corrupt(?:ed)?|truncated|damaged|broken|mismatch|incompatible|differs?|denied"
    r"|(?:does|do|did)(?: not|n't) (?:fit|match)|ignor(?:ed|ing)|skip(?:ped|ping)|ran out of input"
    r"|of (?:another|a different|other) (?:shape|model|architecture|size|config\w*))\b"
    r"|failed (?:finding|reading) |\bErrors?\b|[A-Z]\w{2,40}Error\b|\bErrno\b"
    r"|nicht lesbar|beschädigt|defekt|corrompid|danificad|dañad|endommag|illisible|corrotto|danneggiat|поврежд"
    r"|損壞|损坏|壊れ|uszkodzon"
)
_ABSENT: Final = re.compile(
    r"(?i)not (?:be )?found|no such file|FileNotFoundError|\bErrno 2\b|(?:does not|doesn't|not) exist|not there"
    r"|\bno (?:\w+ )?(?:checkpoints?|ckpt|state)\b"
    r"|nicht gefunden|existiert nicht|no existe|não existe|não encontrad|introuvable|n'existe pas|не найден"
    r"|不存在|存在しない"
    r"|\b(?:sav(?:e|ing)|writ(?:e|ing)|upload\w*|push\w*|delet\w*|remov\w*|prun\w*)\b|\bsaved?\b.{0,30}fail"
    r"|\b(?:wandb|W&B|mlflow|comet|neptune|clearml|checkpointing|logger|tensorboard|some weights|newly initiali[sz]ed"
    r"|utils\.checkpoint|(?:User|Future|Deprecation|Runtime)Warning)\b"
)
"""There is none, as at each first start; or it is about writing one, a tracker, layers that are new, a library."""
_OF_ELSE: Final = re.compile(
    r"(?i)\b(?:cache[ds]?|features?|data ?sets?|corpus|index|vocab\w*|tokenizer|embeddings?|pre-?trained|backbone"
    r"|teacher|encoder|reference|reward|libs?|plugins?|extensions?|image|ema|optimi[sz]er|scheduler|scaler|rng|random"
    r"|sampler|loader|head|classifier|config(?:uration)? file)\b|\.so\b"
)
"""What is no state of this training, or only a part of it."""
_ANEW: Final = re.compile(
    r"(?i)\b(?:start(?:ing|ed|s)?|begin(?:ning|s)?|going|train(?:ing)?) (?:\w+ ){0,2}"
    r"(?:over|anew|again|afresh|fresh|from scratch|from (?:step|epoch|zero|the (?:start|beginning))"
    r"|at (?:step|epoch|iteration) 0)\b|\bfrom scratch\b"
    r"|von vorn|von neuem|do zero|desde cero|à zéro|da zero|с нуля|从头|最初から|처음부터|od zera"
)
_TAKEN: Final = re.compile(
    r"(?i)\b(?:re)?(?:loaded|restored|resumed|resuming|continuing|recovered"
    r"|geladen|carregado|cargado|chargé|caricato)\b|загружен|已加载|読み込みました"
)
_RESUME_FROM: Final = re.compile(
    r"(?i)(?:\b|_)resum(?:e|ing)(?:[_-]?(?:from|path|ckpt|checkpoint)){0,3}['\"]?(?:\s?[=:]\s?|\s)['\"]?"
    r"(?!(?:none|null|false|auto|latest|last|true)\b)[^\s'\",=]{0,120}(?:/[^\s'\",]|\.(?:pth?|ckpt|safetensors|npz|bin)\b)"
)
_WITH_A_LOSS: Final = re.compile(
    rf"{GOES_ON}[^\n]{{0,100}}?"
    r"(?<![\w-])(?:train(?:ing)?[_ ])?loss(?: (?:was|there|then|of|at that (?:time|step|point)))?"
    r"\W{1,3}(\d{1,9}\.\d{1,12}(?:e[+-]?\d{1,3})?)(?![\w%])"
    r"|(?:^|[,;:( ])(?:train(?:ing)?[_ ]|last |previous )?loss[ =:]{1,3}(\d{1,9}\.\d{1,12})\W[^\n]{0,40}?"
    r"\b(?:resuming|continuing|going on|picking up)\b"
)
"""A line that names a state that was taken, and its training loss; of no best one of old, nor of held-out data."""
_BEST: Final = re.compile(r"(?i)\b(?:best|lowest|min(?:imum)?|val(?:id\w*)?|eval\w*|dev|test|held-?out)\b")
