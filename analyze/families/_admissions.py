"""What a program says of itself that no run says which went well: its last act failed, a part of it was given up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._ended import SAVED
from inquest.analyze.families._margins import below_the_last_report
from inquest.analyze.families.base import CannotDecide
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._curve import Curve
    from inquest.analyze.families._ended import Ended
    from inquest.analyze.families._story import Story

_READ: Final = 20_000
"""Lines that are looked for among all."""
_SHOWN: Final = 140


def of_trouble(run: Ended) -> CannotDecide | None:
    """What is said, and what would tell whether it matters."""
    ev = run.ev
    if (said := _admitted(below_the_last_report(ev, run.story))) is not None:
        return CannotDecide(
            because=f'Below the last report stands "{said.strip()[:_SHOWN]}".',
            missing=("whether what was to be made is there",),
        )
    if (empty := _nothing_to_read(ev)) is not None:
        return CannotDecide(because=f'It says: "{empty.strip()[:_SHOWN]}".', missing=("what was trained on",))
    if (lost := _part_lost(ev)) is not None:
        return CannotDecide(
            because=f'It says of a part of itself: "{lost.strip()[:_SHOWN]}".', missing=("whether that was made good",)
        )
    return _often_skipped(run.story, run.losses)


def _admitted(below: list[str]) -> str | None:
    """The first of the lines that tells of trouble which none below it made good."""
    told, made_good = None, False
    for text in reversed(below):
        failed = act_failed(text)
        if admits(text) or parts_failed(text) or (failed and not made_good):
            told = text
        made_good |= not failed and _MADE_GOOD.search(text) is not None
    return told


# --- the last act ----------------------------------------------------------------------------------------------------


def act_failed(text: str) -> bool:
    """Whether a line tells that saving, sending, converting or testing what was trained failed, or gave nothing."""
    told = _CAME_OUT_EMPTY.search(text) is not None or (
        _NOT_FAILED.search(text) is None and (_NO_ROOM.search(text) is not None or _beside(_ACT, _FAILS, text))
    )
    return told and _NO_MATTER.search(text) is None


def _beside(one: re.Pattern[str], other: re.Pattern[str], text: str) -> bool:
    """Whether both stand in a text, neither within the other."""
    ones = [found.span() for found in one.finditer(text)]
    others = [found.span() for found in other.finditer(text)]
    if not ones or not others:
        return False
    return min(end for _, end in ones) <= others[-1][0] or min(end for _, end in others) <= ones[-1][0]


_ACT: Final = re.compile(
    r"(?i)\b(?:sav(?:e|ed|ing)|writ(?:e|ing|ten)|wrote|upload\w*|push\w*|export\w*|cop(?:y|ied|ying)|publish\w*"
    r"|regist(?:er|ering|ry)|convert\w*|conversion|quanti[sz]\w*|trac(?:e|ing)|merg(?:e|ing)|checkpoint\w*|ckpt|model"
    r"|weights|adapter|results?|predictions?|evaluat\w*|eval|test(?:ing)?|inference|artifacts?|onnx|torchscript"
    r"|\w+\.(?:pt|pth|bin|npz|npy|ckpt|safetensors|h5|pkl|onnx|gguf))\b"
)
_FAILS: Final = re.compile(
    r"(?i)(?:fail(?:ed|s|ure)\b(?!\s?[:=]\s?0)|could not|couldn't|cannot|can't|unable to|abort(?:ed|ing)|denied|refused"
    r"|unauthori[sz]ed|forbidden|crashed|corrupt(?:ed)?|truncated|mismatch|no space left|quota exceeded|gave up"
    r"|giving up|not (?:written|saved|uploaded|exported|found)|no such file|stale file handle|read-only"
    r"|(?:exited|ended) with (?:exit )?(?:code|status) [1-9]\d*"
    r"|(?:raised|error:?) [A-Z]\w*(?:Error|Exception)\b|\bErrno \d|gives? nan)"
)
_NOT_FAILED: Final = re.compile(r"(?i)\b(?:no|without|0|zero|any|if|when) (?:\w+ ){0,2}(?:fail|error|mismatch)")
_NO_ROOM: Final = re.compile(r"(?i)\b(?:No space left on device|quota exceeded)|\[Errno (?:28|122)\]")
_OF_DATA: Final = r"(?:rows|samples|examples|predictions|images|records|batches)"
_CAME_OUT_EMPTY: Final = re.compile(
    rf"(?i)(?<![\d.,/])\b0 (?:of \d+ )?(?:\w+ )?(?:{_OF_DATA}|bytes)\b"
    r".{0,20}\b(?:written|evaluated|saved|scored|predicted|tested)\b"
    rf"|\b(?:evaluated|tested|scored|wrote|saved|written)(?: on)? 0 (?:\w+ )?{_OF_DATA}\b"
    r"|\b(?:rows|samples|examples|predictions)(?: written| evaluated)?\s?[:=]\s?0(?![\d.,])"
    r"|\b(?:test|eval\w*|validation|val|result\w*)\b.{0,20}\b(?:is|are|was|were) empty\b"
    r"|\b(?:test|final|eval\w*)[ _](?:\w+[ _]){0,2}(?:acc\w*|loss|score|metric\w*|f1|auc|bleu|wer|map)\W{1,3}nan\b"
    r"|\b(?:acc\w*|f1|auc|bleu|wer|perplexity)\W{1,3}nan\b"
    r"|\b(?:no|0) (?:checkpoints?|models?|weights|results|predictions|outputs?)(?: files?)?"
    r"(?: was| were| have been)? (?:saved|written|found|produced)\b"
    # Whoever says so of all that a model gave has looked at it.
    r"|\ball (?:of the |its )?(?:\d[\d,]{0,12} )?(?:\w+ )?(?:translations|hypotheses|outputs|predictions|generations"
    r"|answers|responses|captions|transcripts|summaries|masks) (?:are|were|is|was) (?:empty|blank|identical|the same)\b"
    r"|\b(?:hypothes[ie]s|transcripts?|predictions?|translations?) files? (?:are|is|were|was) empty\b"
    r"|\bnothing (?:was |to )?(?:saved?|written|evaluated?)\b|\boutput (?:dir\w*|folder) is empty\b"
    r"|\bcheckpoints? (?:saved|written)\s?[:=]\s?0(?![\d.,])"
    r"|\b(?:saved|wrote|written|stored|exported)\b.{0,80}[ (,:]0(?:\.0{1,3})? ?(?:bytes|[KMG]?i?B)\b"
    r"|\bbest[ _](?:[a-z]+[ _]){0,3}(?:loss|metric|score|acc\w*)\W{1,3}(?:-?inf|nan|none)\b"
    r"|\bepoch\W{0,3}\d{1,6}\b.{0,20}\b0 (?:batches|steps|samples|examples|iterations)\b"
)
_NO_MATTER: Final = re.compile(
    r"(?i)\b(?:wandb|w&b|weights (?:and|&) biases|tensorboard|mlflow|comet|neptune|plot\w*|figures?|histogram|e-?mail"
    r"|slack|webhook|notif\w*|telemetry|cach(?:e[ds]?|ing)|temp|tmp|lock|prometheus|clean\w*|remov\w*|delet\w*|prun\w*"
    r"|old|destroy\w*|shut\w*|dataloader|socket|thread|profil\w*|retry\w*|again|attempt|failed over)\b"
)
"""Things without which the model is as good, and what is tried again."""
_MADE_GOOD: Final = re.compile(
    r"(?i)\b(?:saved|uploaded|exported|written|wrote|pushed|copied|published|registered|converted|succe\w+|recovered)\b"
)


def admits(text: str) -> bool:
    """Whether a line says that the whole came to nothing, or was left because of an error."""
    return _CAME_TO_NOTHING.search(text) is not None or (_LEFT.search(text) is not None and not _NO_MATTER.search(text))


_CAME_TO_NOTHING: Final = re.compile(
    r"(?i)\b(?:status|state|result|outcome|verdict)[\"']?\s?[:=]\s?[\"']?(?:failed|failure|error|aborted|crashed)\b"
    r"|\bsuccess(?:ful)?[\"']?\s?[:=]\s?[\"']?(?:false|no)\b|(?<!above )(?<!than )\bchance[- ]level\b"
    r"|\b(?:no better|not better|worse) than (?:chance|random|guessing|(?:the )?baseline)\b"
    r"|(?<![\d.])(\d{1,3}(?:\.\d{1,4})?) ?%?\W{1,4}(?:random|chance|majority)\b[^\d]{0,24}\1(?![\d.])"
    r"|\bcollapsed to (?:a single|one)\b|\bdid not (?:learn|train)\b"
    r"|^(?!.*\b(?:no|none|0|without|if|whether|any)\b).*\b(?:tensors|weights|param\w{0,8}|outputs|logits|embeddings"
    r"|predictions)\b.{0,20}\b(?:contain|are|is|have|has)\b.{0,12}\bnan\b"
)
_LEFT: Final = re.compile(
    r"(?i)^(?!.*\b(?:no|without|0|if|when|on) (?:\w+ )?(?:error|exception|failure)s?\b)"
    r".*(?:\b(?:exception|error|crash(?:ed)?|failure)\b|\b[A-Z]\w+(?:Error|Exception)\b)"
    r".{0,60}\b(?:stopping(?! crit)|stopped|exiting|leaving|left|breaking out|broke off|quitting"
    r"|ending early|gracefully)\b"
)


def parts_failed(text: str) -> bool:
    """Whether a line sums up parts of the whole, trials or workers, of which some failed."""
    return _SOME_FAILED.search(text) is not None and _OF_PARTS.search(text) is not None and not _NO_MATTER.search(text)


_SOME_FAILED: Final = re.compile(
    r"(?i)(?<![\d.,])[1-9]\d{0,6} (?:of \d{1,6} )?(?:[a-z]{3,12} ){0,2}(?:failed|errored|crashed)\b"
    r"|\b(?:failed|errored|crashed)(?: [a-z]{3,12})?\s?[:=]\s?[1-9]\d{0,6}\b(?![.%])"
)
_OF_PARTS: Final = re.compile(
    r"(?i)\b(?:trials|runs|jobs|workers|ranks|nodes|tasks|configs?|configurations|folds|seeds|clients|experiments|models"
    r"|sweep|grid|search|\d{1,6} (?:ok|succe\w{2,8}|passed|done|completed?))\b"
)


# --- parts of it -----------------------------------------------------------------------------------------------------


def _part_lost(ev: Evidence) -> str | None:
    """A line by which a fold, a seed or a worker was given up, and no later one of the same part."""
    if not ev.has("log_lines"):
        return None
    text = pl.col("text").fill_null("").str.slice(0, 400)
    lines = ev.scan("log_lines").filter(text.str.contains(_PART)).sort("node", "source", "seq").select(text)
    lost, made_good = None, set[str]()
    for said in reversed(lines.head(_READ).collect()["text"].to_list()):
        given_up = _GIVEN_UP.search(said)
        if given_up is not None and not _TRIED_AGAIN.search(said):
            name = next(filter(None, given_up.groups()))
            lost = lost if _bare(name) in made_good else said
        if _MADE_GOOD_OF_IT.search(said):
            made_good.update(map(_bare, _NAMED.findall(said)))
    return lost


def _nothing_to_read(ev: Evidence) -> str | None:
    """A trainer's own line by which there is nothing to train on."""
    if not ev.has("log_lines"):
        return None
    said = ev.scan("log_lines").filter(pl.col("text").str.contains(_EMPTY)).select("text").head(1).collect()["text"]
    return str(said[0]) if len(said) else None


_EMPTY: Final = r"Total length of `\w{1,40}` across ranks is zero|`Trainer\.fit` stopped: No training batches"


def _bare(part: str) -> str:
    """The name of a part, however it is written: ``CV fold #3`` is ``fold 3``."""
    return re.sub(r"^cv[ _-]?|[ #]", "", part.lower())


_UNIT: Final = r"(?:(?:cv[ _-]?)?fold|seed|split|repeat|replicate|member|stage|phase) ?#?\d{1,4}"
_WORKERS: Final = r"\d{1,5} (?:of \d{1,5} )?(?:workers|ranks|nodes|gpus|processes)"
_PART: Final = (
    rf"(?i)\b{_UNIT}\b.{{0,60}}\b(?:fail|crash|abort|died|skip|done|finish|complet|succe|again|ok\b)"
    rf"|\bskipp(?:ed|ing) (?:the )?{_UNIT}|\bwith (?:only )?{_WORKERS}\b|world size is now"
)
"""Lines that may tell how a part ended."""
_NAMED: Final = re.compile(rf"(?i)\b(?:{_UNIT}|{_WORKERS}|world size is now)\b")
_GIVEN_UP: Final = re.compile(
    rf"(?i)\b({_UNIT})\b:? (?:has |was |is )?(?:failed|crashed|aborted|died|skipped)\b"
    rf"|\bskipp(?:ed|ing) (?:the )?({_UNIT})\b"
    rf"|\b(?:continu(?:e|ed|es|ing)|go(?:es|ing)? on|proceed(?:s|ed|ing)?) with (?:only )?({_WORKERS})\b"
    r"|\b(world size is now)\b"
)
_TRIED_AGAIN: Final = re.compile(r"(?i)\b(?:retry\w*|again|restart\w*|resubmit\w*|cached|already|done before)\b")
_MADE_GOOD_OF_IT: Final = re.compile(r"(?i)\b(?:done|finish\w*|complet\w*|succe\w*|again|ok)\b")


def _often_skipped(story: Story, losses: Curve) -> CannotDecide | None:
    """Updates were skipped in a good part of all steps, since a number was none."""
    told = [row for row in story.of(Kind.UPDATE_SKIPPED) if not next_to_none(str(row["text"]))]
    skipped = len({(row["source"], row["line_seq"]) for row in told})
    first, last = story.first_step, story.last_step
    steps = losses.frame.height if first is None or last is None else last - first + 1
    if skipped < _MANY or skipped < _A_FIFTH * steps:
        return None
    return CannotDecide(
        because=f"Updates were skipped {skipped} times in {steps} steps.",
        missing=(SAVED,),
    )


def next_to_none(text: str) -> bool:
    """Whether a line counts what was skipped of how much, and that is less than a fifth."""
    counts = _SKIPPED_OF.search(text)
    return counts is not None and int(counts[1]) < _A_FIFTH * int(counts[2] or _MANY)


_SKIPPED_OF: Final = re.compile(r"(?i)\bskipped[ :=]{1,3}(\d{1,9})(?: ?(?:/|of|out of) ?(\d{1,9}))?\b")
_MANY: Final = 20
_A_FIFTH: Final = 0.2


# --- little data -----------------------------------------------------------------------------------------------------


def of_too_little(text: str) -> bool:
    """Whether a line says that next to nothing of the data is used, or nothing of the weights that were given."""
    if _NO_WEIGHTS.search(text) or _BAD_SHARE.search(text):
        return True
    if (bad := _BAD_DATA.search(text)) is not None and not _OTHER_SET.search(text):
        gone, there = (int(number.replace(",", "").replace("_", "")) for number in bad.groups())
        return gone >= _NEARLY_ALL * there > 0
    told = _USES.search(text)
    if told is None or _OTHER_USE.search(text):
        return False
    used, there = (int(number.replace(",", "").replace("_", "")) for number in told.groups())
    return 0 < used <= _NEXT_TO_NOTHING * there


_USES: Final = re.compile(
    r"(?i)\b(?:us(?:e[sd]?|ing)|kept|keep(?:s|ing)?|load(?:s|ed|ing)|train(?:s|ed|ing)? on|subset of)\b (?:only )?"
    r"(\d[\d,_]*) ?(?:/|of|out of) ?(\d[\d,_]*) (?:train(?:ing)? )?"
    r"(?:samples|examples|images|rows|records|sequences|documents|files|shards|batches)\b"
)
_OTHER_USE: Final = re.compile(
    r"(?i)\b(?:val\w*|test|dev|eval\w*|cach\w*|remov\w*|skip\w*|per|each|every|probe|preview)\b"
)
_BAD_DATA: Final = re.compile(
    r"(?i)\b(?:skip(?:s|ped)|dropp?(?:s|ed)|discard(?:s|ed)|failed to (?:read|load|open|decode)) (\d[\d,_]*)"
    r" ?(?:/|of|out of) ?(\d[\d,_]*) (?:\w+ )?"
    r"(?:samples|examples|images|rows|records|sequences|documents|files|shards)\b"
)
_BAD_SHARE: Final = re.compile(
    r"(?i)(?<![\d.])(?:9\d|100)(?:\.\d+)? ?% of (?:the |all )?"
    r"(?:samples|examples|images|rows|records|documents|files|shards)\b"
    r".{0,20}\b(?:could not|failed|skipped|dropped|corrupt|unreadable|missing)\b"
)
_OTHER_SET: Final = re.compile(r"(?i)\b(?:val\w*|test|dev|eval\w*|cach\w*|dup\w*|already)\b")
_NEARLY_ALL: Final = 0.9
_NO_WEIGHTS: Final = re.compile(
    r"(?i)(?<![\d.,])\b0 ?(?:/|of|out of) ?[1-9]\d* (?:keys|weights|tensors|parameters|layers)\b"
    r".{0,20}\b(?:match\w*|load\w*|taken|used|found|restored)\b"
    r"|\bmissing keys\b.{0,40}\brandomly initiali[sz]ed\b"
    r"|\bpre-?trained weights (?:were |are )?(?:skipped|ignored|not used)\b"
)
_NEXT_TO_NOTHING: Final = 0.01
