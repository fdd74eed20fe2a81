"""The sets of incidents by one interface: ``first`` (cases.py), ``field`` and ``hard`` (field/), the others (sites/)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from . import cases, incident
from .field import folder, harder, incidents
from .sites import cases as sites
from .sites import more, scene

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NAMES: Final[dict[str, Iterable[str]]] = {
    "first": tuple(cases.CASES),
    "field": tuple(name for name in incidents.CASES if name not in harder.NAMES),
    "hard": harder.NAMES,
    "sites": tuple(name for name in sites.CASES if name not in more.NAMES),
    "more": more.NAMES,
}


def write(which: str, name: str, seed: int, parent: Path) -> dict[str, Any]:
    """Write the incident's folder into ``parent``; returns its truth."""
    if which == "first":
        case, truth = cases.build(name, seed)
        case.write(parent)
        return incident.truth_json(case, truth)
    if which in ("sites", "more"):
        scene_, expected = sites.build(name, seed)
        scene_.write(parent)
        return scene.truth_json(scene_, expected)
    case_, truth_ = incidents.build(name, seed)
    case_.write(parent)
    return folder.truth_json(case_, truth_)
