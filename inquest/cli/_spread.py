"""Evidence for one verdict: a bundle; or recordings that workers of a cluster merge and read where they lie."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from inquest.bundle.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from inquest.bundle.store import Store


def no_bundle(path: Path) -> UsageError:
    """What to do where a directory was given for a bundle."""
    return UsageError(
        f"{path} is a directory. Make a bundle of it first: 'inquest merge {path} -o JOB.inquest' if inquest"
        f" recorded it, 'inquest import {path} -o JOB.inquest' if it holds logs and other files"
    )


@contextlib.contextmanager
def store_of(
    path: Path, out: Path, dask: str | None, slurm: int | None, tell: Callable[[str], None]
) -> Iterator[Store]:
    """The store of a bundle, or of recordings where a cluster was given; what it needs goes away after it.

    Args:
        path: Bundle, or directory of recordings.
        out: What is being written: scratch lies beside it.
        dask: Address of a scheduler.
        slurm: How many workers to start as jobs of Slurm.
        tell: Told what is being done.

    Raises:
        UsageError: Both a scheduler and Slurm were given; or a directory, and neither; or a cluster that is none.
    """
    if dask is None and slurm is None:
        from inquest.bundle.store import BundleStore

        if path.is_dir():
            raise no_bundle(path)
        yield BundleStore(path)
        return
    if dask is not None and slurm is not None:
        raise UsageError("give --dask or --slurm, not both")
    from inquest.analyze import cluster
    from inquest.bundle import merge
    from inquest.bundle.far import FarStore
    from inquest.bundle.scratch import scratch
    from inquest.cli.merge import tell_incomplete

    out.parent.mkdir(parents=True, exist_ok=True)
    with scratch(out.resolve()) as folder:
        tell("waiting for workers")
        with cluster.at(dask) if dask is not None else cluster.on_slurm(slurm or 1, folder) as workers:
            workers.sees(folder)
            tell("merging")
            staging = merge.stage([path.resolve()], folder, workers)
            tell_incomplete(staging.recovered.incomplete)
            yield FarStore(staging, folder, workers, workers.threads)
