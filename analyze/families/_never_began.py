"""A single process that put its model on a GPU and told for long that no update was done, its GPU and CPU idle.

There is no report that tells a cadence then: what stands is a count of nought beside what is held. It takes that such
lines alone fill the log to its end, and that none speaks of a second process.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from inquest.analyze.families._alone import alone, of_several
from inquest.analyze.families._case import Claims
from inquest.analyze.families._pulses import last_pulses, stood_to_the_end
from inquest.analyze.families.base import RuledIn, Support
from inquest.analyze.model import Failing, Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._story import Story


def never_began(ev: Evidence, story: Story) -> RuledIn | None:
    """The hang of a process that never did its first update; None where nothing shows one."""
    pulses = last_pulses(ev, story)
    if story.progressed or len(pulses) != 1 or not stood_to_the_end(story, pulses):
        return None
    (pulse,) = pulses
    last = str(pulse.last["text"])
    shown = pulse.idle and _NONE_DONE.search(last) and _holds(last) >= ev.threshold("c3.resident_memory")
    if not shown or pulse.length_s < 2 * ev.threshold("c2.frozen_least") or not alone(ev, story):
        return None
    claims = Claims(ev, "C3")
    claims.row("What it told last", "log_lines", pulse.last, "text")
    claims.row("What it told first of those", "log_lines", pulse.rows[0], "text")
    claims.over("Lines that speak of several ranks", "COUNT", "*", "log_lines", of_several(), unit="lines")
    text = f"The job held memory of a GPU and did nothing for {pulse.length_s:.0f} s: no update was ever done"
    told = f"{len(pulse.rows)} lines tell that"
    return RuledIn(
        because=f"{text}; {told}, and nothing tells of a second process.",
        would_change_if="an update, or work on the GPU, in that time; a second rank, which it may have waited for",
        headline=f"{text}; {told}.",
        claims=claims.all,
        support=(Support("logs", f"{told}, with the GPU idle"),),
        attribution="job",
        scope="rank",
        onset_ns=pulse.rows[0]["ts_ns"],
        sub_mode="host_side",
        first_failing=Failing(node=pulse.last["node"], ts_ns=pulse.rows[0]["ts_ns"]),
        cannot_decide=(Missing("What the process waited for", "stacks of the process at the stall"),),
        next=Next(
            "job", "Look for what it waited for: a lock, a queue, a reader or the network (stacks: inquest attach)."
        ),
    )


def _holds(text: str) -> float:
    """Bytes of a GPU that a line says are held, the most of several."""
    told = [
        float(found["held"]) * {"m": 2.0**20, "g": 2.0**30}.get((found["unit"] or found["behind"] or "").lower()[:1], 0)
        for found in _HELD.finditer(text)
    ]
    return max(told, default=0.0)


_NONE_DONE: Final = re.compile(
    r"(?i)\b(?:updates?|steps?|iter(?:ation)?s?|batch(?:es)?|epochs?|samples|schritte?|pasos?|lotes?|passos?|[ée]tapes?|kroki?"
    r"|шаг\w{0,2}|steps_done|global_step)[\"']?\W{1,3}0(?![\d.,]|\s?/)|(?:步数|ステップ|스텝)\W{1,3}0(?![\d.])"
)
"""A count of what a loop does, which stands at nought."""
_HELD: Final = re.compile(
    r"(?i)(?:gpu|dev(?:ice)?|cuda|vram|fb|mem(?:ory)?|memoria|m[ée]moire|speicher|память)\w{0,8}?"
    r"(?:[_ ](?P<unit>[mg])i?b)?[\"']?[=: ]{1,3}(?P<held>\d{1,6}(?:\.\d{1,3})?) ?(?P<behind>[mg]i?b)?"
)
"""``dev_gib=18.7``, ``memoria GPU 9.7 GB``."""
