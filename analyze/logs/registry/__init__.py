"""The registry of facts: every wording the analyzer knows, one file an area.

``REGISTRY`` is searched in order. ``ANCHOR`` is one alternation of all literals, for one pass over many lines;
``candidates`` names the patterns that can match a line at all.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from inquest.analyze.logs.registry import (
    checkpoint,
    cuda,
    hardware,
    kernel,
    launchers,
    nccl,
    network,
    persons,
    plans,
    platforms,
    runtimes,
    startup,
    storage,
    sweeps,
    system,
    torchrun,
    trainers,
    training,
)
from inquest.analyze.logs.registry.pattern import NOT_AN_EVENT, Pattern, fields
from inquest.bundle.line_clock import strip_clock

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NOT_AN_EVENT", "REGISTRY", "Pattern", "anchor_regex", "fields", "matches"]

REGISTRY: Final[tuple[Pattern, ...]] = (
    *kernel.PATTERNS,
    *hardware.PATTERNS,
    *storage.PATTERNS,
    *network.PATTERNS,
    *cuda.PATTERNS,
    *nccl.PATTERNS,
    *torchrun.PATTERNS,
    *launchers.PATTERNS,
    *system.PATTERNS,
    *platforms.PATTERNS,
    *checkpoint.PATTERNS,
    *sweeps.PATTERNS,
    *trainers.PATTERNS,
    *plans.PATTERNS,
    *training.PATTERNS,
    *runtimes.PATTERNS,
    *startup.PATTERNS,
    *persons.PATTERNS,
)


@cache
def anchor_regex() -> str:
    """One regex that matches every line any pattern can match: literals only, so that it costs one pass."""
    anchors = {anchor for pattern in REGISTRY for anchor in pattern.anchors}
    return "|".join(re.escape(anchor) for anchor in sorted(anchors))


@cache
def _by_anchor() -> tuple[tuple[str, tuple[int, ...]], ...]:
    table: dict[str, list[int]] = {}
    for number, pattern in enumerate(REGISTRY):
        for anchor in pattern.anchors:
            table.setdefault(anchor, []).append(number)
    return tuple((anchor, tuple(numbers)) for anchor, numbers in table.items())


def matches(line: str) -> Iterator[tuple[Pattern, re.Match[str]]]:
    """Patterns that match ``line``, in the order of the registry; one of each kind at most."""
    numbers = sorted({number for anchor, found in _by_anchor() if anchor in line for number in found})
    if not numbers:
        return
    # What a collector put before the line may hide its beginning from a pattern.
    bare = strip_clock(line)
    quotation = NOT_AN_EVENT.search(line) is not None or NOT_AN_EVENT.search(bare) is not None
    seen = set()
    for number in numbers:
        pattern = REGISTRY[number]
        if pattern.kind in seen:
            continue
        found = pattern.match(line, quotation=quotation)
        if found is None and bare is not line:
            found = pattern.match(bare, quotation=quotation)
        if found is not None:
            seen.add(pattern.kind)
            yield pattern, found
