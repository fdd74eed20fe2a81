"""Records of a raw log: decoded, and split into lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.bundle import lines, rawlog
from tests.fuzz.packed import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place


def run(data: bytes, place: Place) -> object:
    del place
    records = []
    for payload in unpack(data):
        try:
            records.append(rawlog.decode(payload))
        except ValueError:
            continue
    identity = {"node": "n0", "boot_id": None, "capture": "c"}
    rows = []
    for table, batch in lines.split(records, 0, identity, {"pid": 1}):
        batch.validate(full=True)
        rows.append((table, batch.to_pydict()))
    seqs = [seq for table, columns in rows if table == "log_lines" for seq in columns["seq"]]
    assert len(set(seqs)) == len(seqs)
    return repr(rows)


def seeds() -> Iterator[bytes]:
    yield pack([rawlog.encode(0, 5, 0, b"step 1\nstep 2\r"), rawlog.encode(0, 6, 14, b"\nstep 3 50%\r60%\r\n\0\xff")])
    yield pack(
        [rawlog.encode(1, 5, 0, b"a\n"), rawlog.encode_gap(1, 6, 2, 100, "full"), rawlog.encode(1, 7, 102, b"b")]
    )
    yield pack([rawlog.encode(2, 5, 3, b"abc" * 99), rawlog.encode(2, 5, 1, b"overlap\n" * 40)])
