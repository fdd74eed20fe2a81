"""What keeps a run that ended as planned from being called healthy: it stopped too soon, or a part was left out."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._curve import series
from inquest.analyze.families._margins import below_the_last_report, said_first
from inquest.analyze.families.base import CannotDecide
from inquest.analyze.families.e3_undertrained import of_many
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.families._ended import Ended


# --- too soon --------------------------------------------------------------------------------------------------------


def stopped_too_soon(run: Ended) -> CannotDecide | None:
    """A rule stopped it before any report was better than the first."""
    story = run.story
    values, held = run.losses.finite, series(story, "eval_loss")
    if not story.of(Kind.EARLY_STOP) or len(values) < 2 or min(values[1:]) < values[0]:
        return None
    if any(value < held[0] for value in held[1:]) or series(story, "score") or series(story, "accuracy"):
        return None
    return CannotDecide(
        because=f"It was stopped after {len(values)} reports, none of which was better than the first"
        f" ({values[0]:.4g}).",
        missing=("why it did not learn",),
    )


def ended_in_its_fall(run: Ended) -> CannotDecide | None:
    """A handful of steps, each of which gained as much as the first, were all of a plan: it may have been a trial."""
    story, values = run.story, run.losses.finite
    few = _TIMES * run.ev.threshold("e3.few_steps")
    done = None if story.last_step is None else story.last_step + story.from_zero
    if done is None or done > few or story.unit != "step" or len(values) < _TIMES or story.of(Kind.CHECKPOINT_LOADED):
        return None
    if run.losses.frame["kind"].ne_missing(str(Kind.STEP)).any() or of_many(run.ev, story):
        return None  # what a tracker counts may be epochs, and a round many updates
    gains = [before - after for before, after in itertools.pairwise(values)]
    learnt = values[-1] <= (1 - run.ev.threshold("e1.learned")) * values[0]
    if learnt or values[0] <= 0 or min(gains) <= 0 or 2 * gains[-1] < gains[0] or story.of(Kind.EARLY_STOP):
        return None
    return CannotDecide(
        because=f"After {done} steps its loss still fell with each, from {values[0]:.4g} to {values[-1]:.4g}.",
        missing=("whether so short a training was meant",),
    )


_TIMES: Final = 3


# --- parts of the data -----------------------------------------------------------------------------------------------

_STORES: Final = r"(?:shards?|files?|parts|partitions|archives|tars|tarballs|volumes|chunks|blobs)"
_LOST: Final = (
    r"(?:skipped|missing|unreadable|corrupt(?:ed)?|failed|lost|not (?:found|readable|opened|read|there)|unavailable"
    r"|could not be (?:opened|read|loaded|found))"
)
_COUNT: Final = r"(\d[\d,_]{0,14}) ?(?:of|/|out of) ?(?:the |all )?(\d[\d,_]{0,14}) (?:\w+ )?"
_PART: Final = re.compile(
    rf"(?i)(?<![\d.,/]){_COUNT}{_STORES}\b(?: \w+)? ?(?:were |was |are |is |had |have )?(?:been )?{_LOST}\b"
    r"|\b(?:skipped|lost|missing|dropped|cannot (?:open|read)|could not (?:open|read|load)"
    rf"|failed to (?:open|read|load))[: ]{{1,2}}{_COUNT}{_STORES}\b"
)
_OTHER: Final = re.compile(
    r"(?i)\b(?:val\w*|test|dev|eval\w*|cache\w*|dup\w*|already|up[- ]to[- ]date|unchanged|done|log|lock"
    r"|checkpoint\w*|old)\b"
)
_A_LOT: Final = 0.2


_OF_A_RANK: Final = re.compile(
    r"(?i)^.{0,40}\b(?:rank|worker|node|host|shard|split|language|corpus|source)[ _-]?[\w./-]{1,40}?:? .{0,40}?"
    r"\bno (?:files?|data|shards?|samples?|examples?|records?|rows)\b.{0,12}\b(?:match\w*|found|there|left|available)\b"
)


def part_of_the_data(run: Ended) -> CannotDecide | None:
    """The start says that a good part of the files to learn from could not be read, or that a rank has none."""
    for text in said_first(run.ev, run.story):
        if _OF_A_RANK.search(text) and not _OTHER.search(text):
            return CannotDecide(
                because=f'It said at its start: "{text.strip()[:120]}".', missing=("whether the rest was enough",)
            )
        found = _PART.search(text)
        if found is None or _OTHER.search(text):
            continue
        gone, there = (int(re.sub("[,_]", "", number)) for number in found.groups() if number)
        if gone >= _A_LOT * there > 0:
            return CannotDecide(
                because=f'It said at its start: "{text.strip()[:120]}".', missing=("whether the rest was enough",)
            )
    return None


# --- what was saved --------------------------------------------------------------------------------------------------

_READ_BACK: Final = re.compile(
    r"(?i)\b(?:re-?load(?:ed|ing)?|read back|verif\w+|round[- ]?trip|sanity|re-?evaluat\w+|restored)\b"
)
_AGAINST: Final = re.compile(
    r"(?i)\bloss\b[^\d\n]{0,20}(\d{1,6}\.\d{1,8})\W{1,6}(?:expected|instead of|should be|was|before|vs\.?|against"
    r"|trained)\W{1,3}(?:\w+ )?(\d{1,6}\.\d{1,8})(?![\w.])"
)
_APART: Final = 1.5


def read_back_otherwise(run: Ended) -> CannotDecide | None:
    """Below the last report stands that what was saved, read back, has a loss far above that of what was trained."""
    for text in below_the_last_report(run.ev, run.story):
        told = _AGAINST.search(text) if _READ_BACK.search(text) else None
        if told is not None and float(told[1]) > _APART * float(told[2]):
            return CannotDecide(
                because=f'Below the last report stands "{text.strip()[:120]}".',
                missing=("whether what was saved is what was trained",),
            )
    return None
