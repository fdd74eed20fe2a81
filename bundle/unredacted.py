"""Bundles whose secrets were not masked, at their owner's wish: a row in them says so, and so does their name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

UNMASKED: Final = "unmasked"
"""Rule of the row of ``redactions`` that says that a recording's secrets were left as they are."""

SUFFIX: Final = ".inquest"
MARK: Final = ".UNREDACTED"

WARNING: Final = (
    "SECRETS ARE NOT MASKED in {out}: passwords, tokens and keys that the job printed stand in it as they are; "
    "'inquest redact' masks them before it is handed on"
)


def named(out: Path, *, unmasked: bool) -> Path:
    """``out``, or where secrets are ``unmasked``, the name beside it that bears the mark: ``JOB.UNREDACTED.inquest``.

    A bundle is written in any case: to refuse a name after a night's merge would cost more than it saves.
    """
    stem = out.name.removesuffix(SUFFIX)
    return out.with_name(f"{stem}{MARK}{SUFFIX}") if unmasked and not stem.endswith(MARK) else out
