"""One job under several numbers: an array's and a heterogeneous job's are not several jobs."""

from __future__ import annotations

import pyarrow as pa
import pytest

from inquest.bundle import parquet
from inquest.bundle.summary import Summary


def told(environment: str | None, *runs: tuple[str, str | None]) -> set[str]:
    """Jobs of a bundle whose process says a number, with runs as Slurm names and numbers them."""
    summary = Summary()
    same = {"node": "n1", "capture": "c", "ts_mono_ns": 1, "ts_ns": 1}
    rows = {
        "processes": [{**same, "seq": 1, "event": "start", "job_id": environment}],
        "slurm_jobs": [
            {**same, "seq": n, "job_id": name, "job_id_raw": number} for n, (name, number) in enumerate(runs)
        ],
    }
    for table, found in rows.items():
        summary.add(table, pa.RecordBatch.from_pylist(found, schema=parquet.plain_schema(table)))
    return summary.jobs


@pytest.mark.parametrize(
    ("environment", "runs", "jobs"),
    [
        ("31", [("29_3", "31")], {"29_3"}),
        ("29", [("29_4", "29")], {"29_4"}),
        ("27", [("27+0", "27"), ("27+1", "28")], {"27"}),
        ("28", [("27+1", "28")], {"27"}),
        ("31", [("31", None)], {"31"}),
        (None, [("29_3", "31"), ("29_4", "29")], {"29_3", "29_4"}),
        ("5", [("6", None)], {"5", "6"}),
    ],
)
def test_one_job_has_one_name(environment: str | None, runs: list[tuple[str, str | None]], jobs: set[str]) -> None:
    assert told(environment, *runs) == jobs
