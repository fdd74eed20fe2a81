"""Ingero (eBPF traces in SQLite): its databases read and merged.

Its binary is Go, whose modules could not be had where this was written, so that only our half is run: its figures are
quoted from a day when it was built on a machine of this kind, and say so.
"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from benchmarks.peers import Absent, Row
from benchmarks.peers.gpualert import INQUEST

SAMPLE = Path(__file__).resolve().parents[3] / "shared" / "corpora" / "ingero" / "pytorch-dataloader-starvation.db"
EVENTS = 1_000_000


def rows() -> list[Row]:
    """One row: a million events of its own form become a bundle.

    Raises:
        Absent: Its sample is not here.
    """
    if not SAMPLE.exists():
        raise Absent("the databases of ../shared/corpora/ingero are not here")
    with tempfile.TemporaryDirectory() as folder:
        database, bundle = Path(folder) / "node.db", Path(folder) / "job.inquest"
        shutil.copy(SAMPLE, database)
        events = _grown(database)
        begin = time.perf_counter()
        subprocess.run([INQUEST, "import", str(database), "-o", str(bundle)], check=True, capture_output=True)
        taken = time.perf_counter() - begin
        return [
            Row(
                f"{events:,} events of its databases become one file (theirs: quoted, merge of 4 databases)",
                "21,600 rows/s, 182 B a row",
                f"{events / taken:,.0f} rows/s, {bundle.stat().st_size / events:.1f} B a row",
            )
        ]


def _grown(database: Path) -> int:
    """The sample's events again and again, each time later, until there are enough."""
    with sqlite3.connect(database) as connection:
        columns = [row[1] for row in connection.execute("PRAGMA table_info(events)")]
        numbered = [name for name in columns if name == "id"]
        others = ", ".join(name for name in columns if name not in numbered)
        told = ", ".join(
            "timestamp + (SELECT MAX(timestamp) - MIN(timestamp) + 1 FROM events)" if name == "timestamp" else name
            for name in columns
            if name not in numbered
        )
        connection.execute("CREATE TEMP TABLE numbers AS SELECT 0 AS n")
        while (count := connection.execute("SELECT COUNT(*) FROM events").fetchone()[0]) < EVENTS:
            connection.execute(f"INSERT INTO events ({others}) SELECT {told} FROM events LIMIT {EVENTS - count}")
    connection.close()
    return EVENTS
