"""Lines with secrets in them: masked line by line, and as a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from inquest.bundle.mask import Masker
from tests.fuzz.corpus import committed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.fuzz.guard import Place

_KEY = bytes(16)


def run(data: bytes, place: Place) -> object:
    del place
    lines = data.decode("utf-8", "replace").replace("\0", "").splitlines()
    masker = Masker(_KEY)
    single = [masker.text(line) for line in lines]
    masker.column(pa.array(lines, pa.string()), "log_lines", "text", ["s"] * len(lines))
    return single, masker.counts()


def seeds() -> Iterator[bytes]:
    yield from committed("mask")
    yield b"password=hunter2\nAuthorization: Bearer abcdefghijklmnop\nhttps://user:secret@host/x?token=abcdef\n"
    yield b"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----\nAKIAIOSFODNN7EXAMPLE\n"
    yield b"export HF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz012345\nghp_0123456789abcdefghijABCDEFGHIJ012345 sk-abc\n"
