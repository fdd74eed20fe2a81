"""Whether a text shows a sign of what hands, clipboards and pages do: only then is ``by_hand`` loaded, and asked."""

from __future__ import annotations

from typing import Final

LOOKED_AT: Final = 1 << 16
"""Bytes of the beginning by which it is told."""

_ENTITIES: Final = (b"&lt;", b"&gt;", b"&amp;", b"&quot;", b"&nbsp;", b"&apos;", b"&#")
_SIGNS: Final = (
    *(b"\\", b"[0m", b"[m", b"[39m", b"[22m", b"^[", b"^M\n", b"^M\r", b"\0", b"uoted-printable"),
    *(b"\n>", b"\n+", b"\n|", b"\n  ", b"  \n", b"  \r\n"),
)
_BEYOND_ASCII: Final = (
    *("\u00a0".encode(), "\u202f".encode(), "\u200b".encode(), "\u2060".encode()),
    *("\u201c".encode(), "\u201d".encode(), "\u201e".encode(), "\u2018".encode(), "\u2019".encode()),
    *("\u2190[".encode(), "\u241b[".encode(), "\ufffd[".encode(), b"\n\xe2\x94", b"\n\xe2\x95"),
)
_COUNTED: Final = (b"|", b":", b"\t", "│".encode())
"""What stands behind the number of a line."""
_FEW_ENDS: Final = 3


def looks_touched(head: bytes) -> bool:
    """Whether a text with this ``head`` shows a sign of it."""
    sample = head[:LOOKED_AT]
    signs = (*_SIGNS, *(() if sample.isascii() else _BEYOND_ASCII), *(_ENTITIES if b"&" in sample else ()))
    if any(sign in sample for sign in signs) or sample.count(b"\n") <= _FEW_ENDS:
        return True
    counted = sample[:16].lstrip(b" ").lstrip(b"0123456789").lstrip(b" ")
    # "1: loading", not "10:00:00 loading".
    numbered = counted.startswith(_COUNTED) and not counted[1:2].isdigit()
    return numbered and sample[:16].lstrip(b" ")[:1].isdigit()
