"""The verdict as JSON: the contract. Every other view is a projection of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict

name: Final = "verdict"
extension: Final = "json"


def render(verdict: Verdict, evidence: Evidence) -> bytes:
    """Canonical JSON, UTF-8. Lone surrogates, which UTF-8 cannot hold, are written as JSON escapes."""
    del evidence
    return verdict.to_json().encode("utf-8", "backslashreplace")
