"""One kind of file: read whatever the content is, as a user may say with ``--as KIND=PATTERN``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.bundle.errors import InputError
from inquest.bundle.imports import reader
from inquest.bundle.imports.core import import_paths
from tests.fuzz.corpus import committed
from tests.fuzz.guard import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.reports import Imported
    from tests.fuzz.guard import Place

_NAMES = {
    "mlflow": "mlruns/0/abc/metrics/loss",
    "tensorboard": "events.out.tfevents.1700000000.node-a.1.0",
    "wandb": "wandb/offline-run-20260101_000000-abc/run-abc.wandb",
    "lightning_csv": "metrics.csv",
    "metric_lines": "metrics.jsonl",
    "trainer_state": "trainer_state.json",
    "flight_recorder": "nccl_trace_rank_1",
    "log": "slurm-1.out",
}


def run(kind: str, data: bytes, place: Place) -> object:
    path = place.scratch / "in" / _NAMES.get(kind, "node-a.txt")
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    try:
        imported = import_paths([path], overrides=[f"{reader(kind).name}=*"])
    except InputError as refusal:
        if "our reader failed" in str(refusal):
            raise Finding(f"{kind}: {refusal}") from refusal
        raise
    assert path.read_bytes() == data
    return told(imported)


def told(imported: Imported) -> object:
    """What an import says, and its rows; a fault of a reader is a finding, though users get a sentence."""
    for report in imported.report.files:
        if report.reason and "our reader failed" in report.reason:
            raise Finding(f"{report.kind}: {report.reason.partition('our reader')[2]}")
    rows = imported.rows
    digests = {table: sum(int(frame.hash_rows().sum() or 0) for frame in rows.frames(table)) for table in rows.tables()}
    return digests, [(report.rows, report.refused, report.warnings) for report in imported.report.files]


def seeds(kind: str) -> Iterator[bytes]:
    yield from committed(f"import_{kind}")
