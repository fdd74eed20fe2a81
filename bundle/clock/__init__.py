"""Aligned time: from what rows tell of clocks to UTC of every row, with a bound.

A merge shows what `SOURCES` hold to `Observations.observe`, asks once for `estimate`, and writes each row through
`apply`:

    seen = clock.Observations()
    seen.know(node, boot_id)                      # each recording
    seen.observe(table, batch)                    # rows of SOURCES, in any order, once or twice; `head` is enough
    alignments = clock.estimate(seen)             # by (node, boot_id); boot_id "" where rows have none
    clock.apply(batch, alignments.get((node, boot_id or "")))
    clock.rows(node, alignments)                  # the table clock_alignment of one node, in batches

``docs/clock.md`` says how it works and what a bound means.
"""

from inquest.bundle.clock.apply import apply, rows
from inquest.bundle.clock.estimate import Aligned, Alignment, estimate
from inquest.bundle.clock.observe import HEAD, SOURCES, Clock, Observations, head, telling

__all__ = [
    "HEAD",
    "SOURCES",
    "Aligned",
    "Alignment",
    "Clock",
    "Observations",
    "apply",
    "estimate",
    "head",
    "rows",
    "telling",
]
