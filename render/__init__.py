"""One verdict, many views: every view is a pure function from a verdict and its evidence to bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from inquest.render import json_view, report, terminal, timeline

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


VIEWS: Final[tuple[View, ...]] = (json_view, report, timeline, terminal)
