"""A folder of files of any kind: told apart, read, made a bundle, verified.

Pairs of parts: a byte that names the file, and its content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.bundle.imports import bundle
from inquest.bundle.imports.core import import_paths
from inquest.bundle.verify import verify
from tests.fuzz.packed import pack, unpack
from tests.fuzz.targets.importer import told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place

_NAMES = (
    "meta.json",
    "slurm-42.out",
    "slurm-42_3.err",
    "node-a/dmesg.txt",
    "node-b/nvidia-smi.log",
    "sacct.txt",
    "scontrol.txt",
    "nccl_trace_rank_0",
    "nccl_trace_rank_1.json",
    "trace.json.gz",
    "log.zst",
    "metrics.prom",
    "rank3.log",
    "trainer_state.json",
    "metrics.csv",
    "mlruns/0/a/metrics/loss",
)


def run(data: bytes, place: Place) -> object:
    folder = place.scratch / "in"
    folder.mkdir()
    parts = unpack(data)
    for which, content in zip(parts[::2], parts[1::2], strict=False):
        path = folder / _NAMES[which[0] % len(_NAMES) if which else 0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    imported = import_paths([folder])
    answer = told(imported)
    out = place.scratch / "job.inquest"
    written = bundle.write(imported, out)
    found = verify(out)
    assert found.ok, found.problems
    return answer, written.content_digest


def seeds() -> Iterator[bytes]:
    log = b"2026-11-20 21:39:05,576 INFO step 1 loss 2.5\n[rank0]: Traceback (most recent call last):\n"
    sacct = (
        b"JobID|State|ExitCode|Start|End|NodeList\n42|FAILED|1:0|2026-11-20T21:39:00|2026-11-20T21:40:00|node-[a-b]\n"
    )
    dmesg = b"[12.5] NVRM: Xid (PCI:0000:3b:00): 79, pid=77, GPU has fallen off the bus.\n"
    meta = b'{"job_id": "42", "utc_offset_minutes": 120, "collected_at": "2026-11-20T20:00:00Z"}'
    yield pack([b"\0", meta, b"\1", log, b"\3", dmesg, b"\5", sacct])
    yield pack([b"\1", log, b"\5", sacct])
    yield pack(
        [
            b"\7",
            b'{"version": "2.5", "rank": 1, "entries": []}',
            b"\x0b",
            b'# TYPE a gauge\na{gpu="0"} 1 1700000000000\n',
        ]
    )
