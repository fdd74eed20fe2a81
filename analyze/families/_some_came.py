"""A server of a round that goes on telling that some of its members have come and the others have not, to the end.

``round 72 open 7/8, age 3600 s``: who counts so has closed round after round with all of them before.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._case import Claims
from inquest.analyze.families._pulses import last_pulses, stood_to_the_end
from inquest.analyze.families._rows import failing
from inquest.analyze.families._story import when
from inquest.analyze.families._witnesses import add_end
from inquest.analyze.families.base import RuledIn, Support
from inquest.analyze.model import Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._pulses import Pulse
    from inquest.analyze.families._story import Story


class Count(NamedTuple):
    """How many have come, and of how many."""

    have: int
    want: int


def some_came(ev: Evidence, story: Story) -> RuledIn | None:
    """The freeze of a round that never closed; None where nobody counts who came, or all were there."""
    pulses = last_pulses(ev, story)
    if not story.progressed or len(pulses) != 1 or not stood_to_the_end(story, pulses):
        return None
    (pulse,) = pulses
    count = counted(ev, pulse)
    if count is None or pulse.length_s < ev.threshold("c2.frozen_least"):
        return None
    claims = Claims(ev, "C2")
    claims.row("What was told last", "log_lines", pulse.last, "text")
    claims.row("What was told first of those", "log_lines", pulse.rows[0], "text")
    told = f"{count.have} of {count.want} had come{when(story).replace(' at ', ' after ')}"
    support = [Support("logs", f"{len(pulse.rows)} lines tell that {count.have} of {count.want} had come")]
    add_end(claims, support, story)
    text = f"{told}, and they waited {pulse.length_s:.0f} s for the rest, to the end"
    return RuledIn(
        because=f"{text}; rounds before had closed with all of them.",
        would_change_if="a later line in which all have come, or a failure of the missing one before",
        headline=f"{text}.",
        claims=claims.all,
        support=tuple(support),
        attribution="unknown",
        scope="allocation",
        onset_ns=pulse.rows[0]["ts_ns"],
        sub_mode="silent",
        first_failing=failing(pulse.rows[0]),
        cannot_decide=(Missing("Why the missing one did not come", "its own output, its stack, its node"),),
        next=Next("job", "Look at the member that did not come: its own output, its stack, its node."),
    )


def counted(ev: Evidence, pulse: Pulse) -> Count | None:
    """How many of how many a pulse says have come, where lines above it told of all of them, time and again."""
    found = _CAME.search(str(pulse.last["text"]))
    if found is None:
        return _by_a_field(ev, pulse)
    have, want = (int(found["have"] or found["came"]), int(found["want"] or found["all"]))
    if not 0 < have < want:
        return None
    every = rf"(?:^|[^\d./]){want} ?(?:/|of|out of|von|sur|de|di|из) ?{want}(?:[^\d./]|$)"
    above = same_stream(pulse.last) & (pl.col("seq") < pulse.rows[0]["seq"])
    told = ev.scan("log_lines").filter(above & pl.col("text").str.contains(every)).select(pl.len()).collect().item()
    return Count(have, want) if told >= _CLOSED else None


def _by_a_field(ev: Evidence, pulse: Pulse) -> Count | None:
    """The same where a field tells how many have come, and it told of more, time and again the same, in rounds above.

    Who names the ones that have come, or how long the round is open, counts those who came, and not its own work.
    """
    text = str(pulse.last["text"])
    told = {found["key"].lower(): int(found["count"]) for found in _FIELD.finditer(text)}
    if not told or _OPEN.search(text) is None:
        return None
    above = same_stream(pulse.last) & (pl.col("seq") < pulse.rows[0]["seq"]) & pl.col("text").is_not_null()
    texts = ev.scan("log_lines").filter(above).sort("seq").tail(_ABOVE).collect()["text"].to_list()
    for key, have in told.items():
        closed = [
            int(found["count"])
            for line in texts
            if _OPEN.search(line) is None
            for found in _FIELD.finditer(line)
            if found["key"].lower() == key
        ]
        if len(closed) >= _CLOSED and len(set(closed)) == 1 and 0 < have < closed[0]:
            return Count(have, closed[0])
    return None


_ABOVE: Final = 2000
_CLOSED: Final = 5
"""Rounds that had been closed by all."""
_WHO: Final = r"(?:workers?|ranks?|members?|clients?|peers?|parts?|nodes?|sites?|replicas?|grads?|gradients?|results?)"
_CAME: Final = re.compile(
    rf"(?i)\b(?:open|have|got|has|with|received|arrived|present|joined|ready|in|at barrier|waiting(?: for)?|{_WHO})"
    r"[:=]? {0,2}(?P<have>\d{1,4}) ?(?:/|of|out of) ?(?P<want>\d{1,4})(?![\d.])"
    r"|(?<![\d./])(?P<came>\d{1,4}) ?(?:/|of|out of) ?(?P<all>\d{1,4})"
    rf" (?:{_WHO}|joined|arrived|present|ready|here|in\b|reported|answered|received|delivered)"
)
"""``open 7/8``, ``3 of 4 ranks``: no count of steps, whose word stands before it."""
_FIELD: Final = re.compile(
    rf"(?i)(?<![a-z])[\"']?(?P<key>{_WHO}|updates?|joined|arrived|received|reported|replies|answers?|acks?|votes?|in)[\"']?"
    r" ?[:=] ?(?P<count>\d{1,4})(?![\d.])"
)
"""``"grads": 5``, ``arrived=3``."""
_OPEN: Final = re.compile(
    r"(?i)\b(?:open|pending|waiting|wait(?:s|ed)?|missing|incomplete|not (?:all|complete|closed)|still)\b"
)
"""What a line says of a round that is not closed."""
