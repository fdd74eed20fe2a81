"""Results that go into a file whose name tells the format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.bundle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def form_of(out: Path | None, forms: Sequence[str], *, force: bool) -> str:
    """The format that ``out`` asks for by its suffix; empty where nothing is to be written.

    Raises:
        UsageError: It names none of ``forms``, or exists.
    """
    if out is None:
        return ""
    if out.suffix not in forms:
        raise UsageError(f"{out} does not tell its format: call it {', '.join(forms)}")
    if out.exists() and not force:
        raise UsageError(f"{out} exists: choose another name, or replace it with --force")
    return out.suffix


def write(out: Path, data: bytes) -> None:
    """Write ``data`` in one step, so that a reader never meets half a file."""
    import secrets

    staged = out.with_name(f".{out.name}.{secrets.token_hex(4)}.tmp")
    try:
        staged.write_bytes(data)
        staged.replace(out)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror or error}") from error
    finally:
        staged.unlink(missing_ok=True)
