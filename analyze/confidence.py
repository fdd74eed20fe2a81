"""Confidence from declared evidence: no family types in a number of its own.

Each independent store that supports a finding speaks with the weight of its best piece: ``confidence.decisive`` or
``confidence.circumstantial``. Independent stores are combined as independent witnesses, 1 - (1-a)(1-b)...: what remains
is the chance that all of them are wrong. One store alone is capped, unless a row ``confidence.alone.<family>`` of the
thresholds says how far its word goes and why. Evidence a family would have liked to have (``helps``) and that was not
captured takes ``confidence.per_missing_help`` off, each. G1 claims that nothing went wrong, so whatever was not
captured caps it. Where a fault of ours kept evidence from being read, nothing exceeds ``confidence.misread``. What
stated confidences were worth on labelled cases is measured by ``benchmarks/calibration`` and told in
``docs/calibration.md``: they are floors. Where cross-validation showed that a family had stated too much, a row
``confidence.ceiling.<family>`` holds what it may state without a scheduler's word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.analyze.thresholds import THRESHOLDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families.base import Support
    from inquest.analyze.model import StoreName

DIGITS = 2


def stores(support: Sequence[Support]) -> tuple[StoreName, ...]:
    """Independent stores that speak for a finding, sorted."""
    return tuple(sorted({item.store for item in support}))


def confidence(ev: Evidence, family: str, support: Sequence[Support], missing_helps: int) -> float:
    """Confidence in a ruled-in family, 0 to 1, at two digits.

    Args:
        ev: Where the thresholds used are remembered.
        family: "A1" to "G1".
        support: What speaks for it.
        missing_helps: How many of its ``helps`` were not captured.
    """
    decisive, circumstantial = ev.threshold("confidence.decisive"), ev.threshold("confidence.circumstantial")
    doubt = 1.0
    witnesses = stores(support)
    for store in witnesses:
        best = any(item.decisive for item in support if item.store == store)
        doubt *= 1 - (decisive if best else circumstantial)
    value = 1 - doubt
    if len(witnesses) < 2:
        alone = f"confidence.alone.{family}"
        privileged = alone in THRESHOLDS and not any(item.contradicted for item in support)
        value = min(value, ev.threshold(alone if privileged else "confidence.one_store_cap"))
    if (ceiling := f"confidence.ceiling.{family}") in THRESHOLDS and "scheduler" not in witnesses:
        value = min(value, ev.threshold(ceiling))
    if "scheduler" in witnesses and ev.jobs_in_doubt():
        value = min(value, ev.threshold("confidence.one_store_cap"))
    if missing_helps:
        value *= 1 - ev.threshold("confidence.per_missing_help") * missing_helps
        if family == "G1":
            value = min(value, ev.threshold("confidence.one_store_cap"))
    if ev.misread:
        value = min(value, ev.threshold("confidence.misread"))
    return round(min(max(value, 0.0), ev.threshold("confidence.most")), DIGITS)
