"""One verdict, many views: every view is a pure function from a verdict and its evidence to bytes.

``VIEWS`` is the tuple of them, in the order their files are listed. It is put together when it is first asked for, so
that ``inquest explain``, which only prints, does not pay for templates and protocol buffers (0.1 s).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict


class View(Protocol):
    """What a view module provides. ``name.extension`` is the file ``inquest analyze`` writes it to."""

    @property
    def name(self) -> str:
        """Stem of the file name."""

    @property
    def extension(self) -> str:
        """Extension of the file name, without the dot."""

    def render(self, verdict: Verdict, evidence: Evidence) -> bytes:
        """Project the verdict. Pure: same verdict and evidence, same bytes."""


def __getattr__(attribute: str) -> tuple[View, ...]:
    if attribute != "VIEWS":
        raise AttributeError(f"module {__name__!r} has no attribute {attribute!r}")
    from inquest.render import json_view, markdown, one_page, report, terminal, timeline

    return json_view, report, one_page, timeline, terminal, markdown
