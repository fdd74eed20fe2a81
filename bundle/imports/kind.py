"""The contract between the importer and its readers: what a kind of file is, and what it is given.

A reader of a new kind of file is one module in this folder, with one object that satisfies `Kind`, and one line in
``inquest.bundle.imports.KINDS``. Readers never see paths of the machine, never choose identities, and never print.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.source import Source


@dataclass(slots=True)
class Context:
    """What is known beside the content of a file.

    Attributes:
        utc_offset_minutes: Offset of the cluster's local time from UTC: subtract it from text times without a zone.
        job_id: The job all files belong to, where the user or ``meta.json`` says so.
        collected_at_ns: When the files were collected, UTC, where ``meta.json`` says so.
        scrape_interval_s: Seconds between scrapes, where ``meta.json`` says so.
        days: Months and days of the absolute times that other files tell: for dates that may be read in two ways.
        year: Year for text times without one (syslog, glog), where another file tells it.
        boot_ns: When the node of the file booted, UTC, where another file tells it: for times that count from there.
        warnings: What the user should know of how this file was read, one sentence each.
        refused: Why records of this file were left out, with how many: nothing is dropped without a word.
    """

    utc_offset_minutes: int = 0
    job_id: str | None = None
    collected_at_ns: int | None = None
    scrape_interval_s: float | None = None
    days: frozenset[tuple[int, int]] = frozenset()
    year: int | None = None
    boot_ns: int | None = None
    warnings: list[str] = field(default_factory=list)
    refused: dict[str, int] = field(default_factory=dict)

    def warn(self, sentence: str) -> None:
        """Tell the user something about this file."""
        if sentence not in self.warnings:
            self.warnings.append(sentence)

    def refuse(self, reason: str, count: int = 1) -> None:
        """Count records that were left out, by reason."""
        self.refused[reason] = self.refused.get(reason, 0) + count


class Kind(Protocol):
    """A kind of file.

    Attributes:
        name: One word, as ``--as KIND=PATTERN`` names it and the report says it.
        title: What it is, for people: "Slurm accounting (sacct)".
        tables: Tables its rows go to.
        clock: ``utc`` when its times are epochs or carry a zone; ``local`` when they are the cluster's local time.
    """

    name: str
    title: str
    tables: tuple[str, ...]
    clock: Literal["utc", "local"]

    def fits(self, source: Source) -> bool:
        """Whether the file is of this kind, by ``source.head`` alone; the name may only settle what content cannot.

        Cheap, never raises for content, and never true for a plain log that merely quotes such content. Kinds are
        asked in the order of ``KINDS``; the log reader takes what nobody else claims.
        """
        ...

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """Rows of the file: pairs of a table's name and its rows, a list of dicts or a Polars frame.

        Rows have any columns of their table; what is missing is null. Large files give many small pairs.

        The importer fills ``boot_id``, ``capture``, ``seq``, ``source`` (where the table has it and the row does not)
        and ``ts_mono_ns`` (as ``ts_ns``, the original that alignment starts from). The reader gives ``node`` where
        the content tells it (else the importer takes ``source.node``, else "unknown"), and ``ts_ns`` in UTC: null
        where the content tells no time. ``rank`` and ``rank_by`` come from content before the name of the file.
        "Not measured" is null, never 0.

        Raises:
            InputError: The content contradicts its own form so that nothing can be read; one sentence. What can be
                read of a damaged file is given, and the rest said by `Context.refuse` or `Context.warn`.
            UnsafeInput: The content would need unbounded memory, or carries code.
        """
        ...
