"""The runs a verdict is held against: options that verbs share, and the bundles they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inquest.bundle.errors import UsageError
from inquest.cli._spread import no_bundle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inquest.analyze.model import RunName
    from inquest.bundle.store import BundleStore, Store

Parent = Annotated[
    Path | None,
    typer.Option("--parent", metavar="B.inquest", help="Bundle of the run this one was to continue."),
]
Baseline = Annotated[
    Path | None,
    typer.Option("--baseline", metavar="B.inquest", help="Bundle of a good run of the same training."),
]


def others(parent: Path | None, baseline: Path | None) -> dict[RunName, Path]:
    """The bundles that were given, by what they are to the run."""
    given: tuple[tuple[RunName, Path | None], ...] = (("parent", parent), ("baseline", baseline))
    return {name: path for name, path in given if path is not None}


def opened(bundle: Path, paths: Mapping[RunName, Path], store: Store | None = None) -> dict[RunName, BundleStore]:
    """Stores of ``paths``; ``store`` is that of ``bundle``, where it is open already.

    Raises:
        UsageError: One is a directory, or the very evidence of ``bundle``.
    """
    from inquest.bundle.store import BundleStore

    if not paths:
        return {}
    digest = (store or BundleStore(bundle)).info.content_digest
    found: dict[RunName, BundleStore] = {}
    for name, path in paths.items():
        if path.is_dir():
            raise no_bundle(path)
        found[name] = BundleStore(path)
        if found[name].info.content_digest == digest:
            raise UsageError(f"--{name} {path} holds the very evidence of {bundle}: give the other run's bundle.")
    return found
