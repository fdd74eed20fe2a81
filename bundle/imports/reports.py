"""What an import says of its files: a report of each and of all, and the rows that keep them in a bundle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inquest.bundle.imports import files
from inquest.bundle.imports.rows import UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Set

    from inquest.bundle.imports.rows import Rows
    from inquest.bundle.imports.zone import Offset


@dataclass(slots=True)
class FileReport:
    """What became of one file.

    Attributes:
        name: Its name in the import.
        kind: Kind it was read as; None where it was not read.
        title: That kind for people, "" where it was not read.
        nodes: Nodes its rows are of.
        rows: Rows by table.
        refused: Records left out, by reason.
        warnings: What to know of how it was read.
        reason: Why it was not read, or not to its end; None where it was.
        sha256: Digest of its content, expanded; None where it was not read to its end.
        bytes: Size of the content as far as it was read, else of the file.
    """

    name: str
    kind: str | None = None
    title: str = ""
    nodes: tuple[str, ...] = ()
    rows: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    reason: str | None = None
    sha256: str | None = None
    bytes: int | None = None


@dataclass(slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        files: Every file, in order.
        offset: The cluster's offset from UTC, and how it is known.
        job_id: The job all rows belong to; None where files tell none or several.
        notes: What was inferred or assumed for all files, one sentence each.
        capture: Name of the recording that the rows belong to: a digest of files and options.
        rows: Rows by table.
    """

    files: tuple[FileReport, ...]
    offset: Offset
    job_id: str | None
    notes: tuple[str, ...]
    capture: str
    rows: dict[str, int]


@dataclass(slots=True)
class Imported:
    """Rows of all files, and the report on them."""

    rows: Rows
    report: ImportReport


class Reports:
    """The reports while an import goes on: one a file, and how many rows each kind gave of each node."""

    def __init__(self) -> None:
        self._by_file: dict[str, FileReport] = {}
        self._by_kind: dict[tuple[str, str], int] = {}

    def of(self, file: str) -> FileReport:
        """The report of a file by its name in the import; a new one says nothing yet."""
        return self._by_file.setdefault(file, FileReport(file))

    def files(self) -> tuple[str, ...]:
        """Names of all files that were looked at."""
        return tuple(self._by_file)

    def count(self, kind: str, rows: Mapping[tuple[str, str], int]) -> None:
        """Add what a file of this kind gave, by table and node."""
        for (_, node), number in rows.items():
            self._by_kind[kind, node] = self._by_kind.get((kind, node), 0) + number

    def rename_nodes(self, names: Mapping[str, str]) -> None:
        """Call nodes by other names; what was counted of two that are one from now on is added up."""
        counted: dict[tuple[str, str], int] = {}
        for (kind, node), rows in self._by_kind.items():
            place = kind, names.get(node, node)
            counted[place] = counted.get(place, 0) + rows
        self._by_kind = counted
        for report in self._by_file.values():
            report.nodes = tuple(sorted({names.get(node, node) for node in report.nodes}))

    def forget_nodes(self, gone: Set[str]) -> None:
        """Say no more of nodes whose rows were all left out."""
        self._by_kind = {place: rows for place, rows in self._by_kind.items() if place[1] not in gone}
        for report in self._by_file.values():
            report.nodes = tuple(node for node in report.nodes if node not in gone)

    def keep(self, rows: Rows, reports: Sequence[FileReport], notes: Sequence[str]) -> None:
        """Add rows of ``artifacts`` (one a file) and ``collection`` (one a kind and node)."""
        home = next(iter(rows.all_nodes()), UNKNOWN_NODE)
        of_files = [
            {
                "node": report.nodes[0] if len(report.nodes) == 1 else home,
                "path": report.name,
                "kind": report.kind or "not read",
                "rows": sum(report.rows.values()) if report.kind else None,
                "bytes": report.bytes,
                "sha256": report.sha256,
                "reason": report.reason,
                "detail": _detail(report),
            }
            for report in reports
        ]
        rows.begin()
        rows.add("artifacts", of_files, "", home)
        rows.add("collection", list(self._attempts(reports, home, notes)), "", home)
        rows.commit()

    def _attempts(self, reports: Sequence[FileReport], home: str, notes: Sequence[str]) -> Iterator[dict[str, Any]]:
        by_name: dict[str, list[FileReport]] = {}
        for report in reports:
            if report.kind is not None and report.kind != "meta":
                by_name.setdefault(report.kind, []).append(report)
        for name in sorted(by_name):
            mine = by_name[name]
            nodes = sorted(node for kind, node in self._by_kind if kind == name) or [home]
            for node in nodes:
                here = [r for r in mine if node in r.nodes or (not r.nodes and node == nodes[0])]
                rows = self._by_kind.get((name, node), 0)
                broken = [r for r in here if r.reason]
                outcome = ("truncated" if rows else "failed") if broken else ("ok" if rows else "empty")
                told = [r.reason for r in broken] + [w for r in here for w in r.warnings] + list(notes)
                notes = ()  # of the whole import, said once
                yield {
                    "node": node,
                    "collector": f"import:{name}",
                    "outcome": outcome,
                    "tables": ",".join(sorted({table for r in here for table in r.rows})) or None,
                    "rows": rows,
                    "drops": sum(sum(r.refused.values()) for r in here) if len(nodes) == 1 else None,
                    "detail": " ".join(dict.fromkeys(filter(None, told)))[:2000] or None,
                }
        if left := [r for r in reports if r.kind is None and files.may_be_evidence(r.reason or "")]:
            named = ", ".join(f"{r.name} ({r.reason})" for r in left)
            yield {
                "node": home,
                "collector": "import",
                "outcome": "failed",
                "rows": 0,
                "detail": f"not read: {named}"[:2000],
            }


def _detail(report: FileReport) -> str | None:
    refused = [f"left out {count:,}: {why}." for why, count in sorted(report.refused.items())]
    return " ".join([*refused, *report.warnings])[:2000] or None
