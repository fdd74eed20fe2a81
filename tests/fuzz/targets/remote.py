"""What a node answers to ``collect``: first a list of its files, then a tar stream of its recordings."""

from __future__ import annotations

import io
import tarfile
from typing import TYPE_CHECKING

from inquest.bundle import collect
from tests.fuzz.packed import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place

_RECORDING = ("node-a", "20261120T000000Z-00000000-1-abcd")


def run(data: bytes, place: Place) -> object:
    listing, archive, *_ = [*unpack(data), b"", b""]
    out = place.scratch / "out"
    out.mkdir()
    listed = collect._read_listing("node-a", io.BytesIO(listing))
    report = collect.Host("node-a")
    try:
        with collect._Arrival(out, report, max_bytes=1 << 22) as arrival:
            status: object = collect._unpack(io.BytesIO(archive), {_RECORDING}, arrival)
    except (OSError, ValueError) as error:  # fanout.each makes them the outcome of that node
        status = type(error).__name__
    assert {path.name for path in place.scratch.iterdir()} == {"out"}
    assert all(path.is_dir() or path.is_file() for path in out.rglob("*") if not path.is_symlink())
    assert not any(path.is_symlink() for path in out.rglob("*"))
    return listed, status, report.fetched


def seeds() -> Iterator[bytes]:
    name = "/".join(_RECORDING)
    listing = f"12 1700000000 ./{name}/node.json\n\ninquest-exit 0\n".encode()
    for style in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=style) as archive:
            for file, kind in (
                ("", tarfile.DIRTYPE),
                ("/node.json", tarfile.REGTYPE),
                ("/" + "a" * 120, tarfile.REGTYPE),
            ):
                member = tarfile.TarInfo(f"./{name}{file}")
                member.type, member.size = kind, 12 * (kind == tarfile.REGTYPE)
                archive.addfile(member, io.BytesIO(b"{}" * 6))
        yield pack([listing, stream.getvalue()[:6144] + b"\ninquest-exit 0\n"])
