"""What a pattern of the registry is."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inquest.analyze.logs.kinds import Kind, Role

SIZE: Final = r"(?P<num>[\d.]+) (?P<unit>[KMGTP]i?B|bytes?)"
"""A size as allocators print it; ``num`` becomes bytes."""

_UNITS: Final = {"B": 0, "K": 10, "M": 20, "G": 30, "T": 40, "P": 50}

NOT_AN_EVENT: Final = re.compile(
    r"^\s*(?:\+{1,3} \S|#(?!#* ?\[?(?:2\d{3}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d)|//|\$ |>(?:>>)? |export |echo |raise "
    r"|print\(|log(?:ger|ging)?\.\w+\(|assert |except\b|def "
    r"|class |Namespace\(|usage: |warnings\.warn\(|--\w|(?:TrainingArguments|\w*Config)\()"
    r"|^[\s{\"'\[]{0,8}(?:text|prompt|completion|sample\w{0,9}|generated|response|instruction|question|answer)"
    r"[\"']?(?:\[\d{1,9}\])?\s?[:=>]"
    r"|^[^\":]{0,80}[\s,;|(\[][\"'`\u2018\u201c](?:\w{2,20}: )?"
    r"(?:kernel: |NVRM: |Memory cgroup |Out of memory: |\w+\[\d+\]: )"
    # Marks of a chat's turns, records of who says what, and what Python shows of a list of texts.
    r"|<\|(?:im_start|im_end|eot_id|start_header_id|end_header_id|begin_of_text|endoftext|user|assistant|system)\|>"
    r"|<(?:start|end)_of_turn>|<s> ?\[INST\]|\[INST\] .*\[/INST\]|<<SYS>>"
    r"|###? (?:Instruction|Response|Human|Assistant):"
    r"|[\"'](?:role|from)[\"']: ?[\"'](?:user|assistant|system|human|gpt)[\"']"
    r"|^\s*[\[(]{1,3}[\"'](?!Traceback \(most).{0,8000}\\n"
    # Nobody but a person asks so.
    r"|\b(?:[Hh]ow (?:can|do|should)|[Ww]hat (?:can|should|do)) I\b[^?]{0,200}\?"
    r"|\b[Ww]hy (?:do|does|did|is|are|was) my\b[^?]{0,200}\?"
    r"|\b(?:User|Future|Deprecation|Runtime|PendingDeprecation|Resource|Syntax)Warning: "
)
"""Lines that quote, configure or advise: shell traces, source code, argument dumps, texts trained on, warnings.

No comment begins with a clock: a script that writes one behind its hashes speaks.
"""


@dataclass(frozen=True)
class Pattern:
    """One wording of one fact.

    ``regex`` is searched in a line without rank prefixes and ANSI codes. Its named groups become columns: ``subject``,
    ``num`` (with ``unit`` a size in bytes) and ``rank`` (where the line names the rank it is about). Every match holds
    one of ``anchors``, which the prefilter looks for. ``unless`` voids a match (the safety constraint).
    ``positive`` is a real line (source: shared/reference/log-formats*.md and real-logs); ``near_miss`` is one that
    looks alike and must not match.
    """

    id: str
    kind: Kind
    role: Role
    anchors: tuple[str, ...]
    regex: str
    positive: str
    near_miss: str
    unless: str = ""
    num_unit: str = ""
    quoted: bool = False
    """True when the pattern holds even in a line that looks like a quotation or a warning (``NOT_AN_EVENT``)."""
    framework: str = ""

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """``regex``, compiled once."""
        return re.compile(self.regex)

    @cached_property
    def _void(self) -> re.Pattern[str] | None:
        return re.compile(self.unless) if self.unless else None

    def match(self, line: str, *, quotation: bool | None = None) -> re.Match[str] | None:
        """The match in ``line``, or None; ``quotation`` saves a second look at ``NOT_AN_EVENT``."""
        if not any(anchor in line for anchor in self.anchors):
            return None
        found = self.compiled.search(line)
        if found is None or (self._void and self._void.search(line)):
            return None
        if quotation is None:
            quotation = NOT_AN_EVENT.search(line) is not None
        return None if quotation and not self.quoted else found


def fields(pattern: Pattern, found: re.Match[str]) -> dict[str, str | float | int | None]:
    """Columns ``subject``, ``num``, ``num_unit`` and ``rank`` of a match."""
    groups = found.groupdict()
    number = _number(groups.get("num"))
    unit = pattern.num_unit or None
    if number is not None and groups.get("unit"):
        number *= 1 << _UNITS.get(groups["unit"][0].upper(), 0)
        unit = "bytes"
    rank = groups.get("rank")
    return {
        "subject": (groups.get("subject") or "").strip()[:500] or None,
        "num": number,
        "num_unit": unit if number is not None else None,
        "rank": int(rank) if rank else None,
    }


def of(framework: str, *patterns: Pattern) -> tuple[Pattern, ...]:
    """``patterns``, all printed by ``framework``."""
    return tuple(replace(pattern, framework=framework, id=f"{framework}.{pattern.id}") for pattern in patterns)


def _number(text: str | None) -> float | None:
    try:
        return float(text.replace(",", "")) if text else None
    except ValueError:
        return None
