"""Evidence wherever it lies: a bundle, or recordings on the node that made them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.bundle.store import BundleStore

if TYPE_CHECKING:
    from pathlib import Path


def open_store(path: Path, scratch: Path) -> BundleStore:
    """The store of a bundle; or of a node directory, or a directory of them, recovered without touching it.

    Args:
        path: Bundle or directory.
        scratch: Directory in which a directory becomes a bundle; as long as the store is used, it must stay.

    Raises:
        InputError: It is neither, or a bundle that cannot be read.
    """
    if not path.is_dir():
        return BundleStore(path)
    from inquest.bundle.merge import merge

    # Recordings of several jobs may lie on one node: they are asked together, each row names its own.
    merged = merge([path], scratch / "recovered.inquest", job_id=path.resolve().name)
    return BundleStore(merged.out)  # its name may say more
