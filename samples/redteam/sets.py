"""The two sets of incidents: ``first`` (cases.py) and ``field`` (field/), by one interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from . import cases, incident
from .field import folder, incidents

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NAMES: Final[dict[str, Iterable[str]]] = {"first": tuple(cases.CASES), "field": tuple(incidents.CASES)}


def write(which: str, name: str, seed: int, parent: Path) -> dict[str, Any]:
    """Write the incident's folder into ``parent``; returns its truth."""
    if which == "first":
        case, truth = cases.build(name, seed)
        case.write(parent)
        return incident.truth_json(case, truth)
    case_, truth_ = incidents.build(name, seed)
    case_.write(parent)
    return folder.truth_json(case_, truth_)
