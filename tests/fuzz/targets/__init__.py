"""One file a target: ``run(data, place)`` gives an answer for any bytes, ``seeds()`` gives inputs that mean something.

A target may raise `InquestError`, and nothing else; it works inside ``place.scratch``.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from inquest.bundle.imports import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.fuzz.guard import Place

_MODULES: Final = (
    "bundle",
    "manifest",
    "member",
    "judged",
    "frames",
    "journal",
    "rawlog",
    "node_dir",
    "pickled",
    "mixed",
    "logs",
    "sql",
    "verdict",
    "parts",
    "remote",
    "mask",
    "pseudonyms",
    "hostlist",
)
TARGETS: Final = (*_MODULES, *(f"import_{kind}" for kind in KINDS))
"""Names of all targets: modules of this folder, and ``importer`` once for every kind of file."""


def load(name: str) -> tuple[Callable[[bytes, Place], object], Callable[[], Iterator[bytes]]]:
    """``run`` and ``seeds`` of a target."""
    if name in _MODULES:
        module = import_module(f"{__name__}.{name}")
        return module.run, module.seeds
    importer = import_module(f"{__name__}.importer")
    kind = name.removeprefix("import_")
    return partial(importer.run, kind), partial(importer.seeds, kind)
