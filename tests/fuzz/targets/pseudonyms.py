"""Names in text: hosts, users, paths and addresses are learnt from the first half and replaced in the second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.bundle.pseudonyms import SORTS, Pseudonyms
from tests.fuzz.packed import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place


def run(data: bytes, place: Place) -> object:
    del place
    texts = [part.decode("utf-8", "replace").replace("\0", "") for part in unpack(data)]
    names = Pseudonyms(SORTS, b"k" * 32)
    middle = len(texts) // 2
    for text in texts[:middle]:
        names.learn_hosts(text)
        names.learn_user(text)
        names.learn_path(text)
        names.learn_text(text)
        names.learn_environment(text)
    names.ready()
    return [(names.text(text), names.hosts(text), names.path(text), names.address(text)) for text in texts[middle:]]


def seeds() -> Iterator[bytes]:
    yield pack(
        [
            b"gpu[001-003,007]",
            b"alice",
            b"/home/alice/run",
            b"gpu001: /scratch/alice/x at 10.0.0.1",
            b"HOME=/home/alice",
            b"gpu002 and alice",
            b"gpu[001-002]",
            b"/home/alice/run/a.py",
            b"fe80::1%eth0",
            b"10.0.0.1:29500",
        ]
    )
