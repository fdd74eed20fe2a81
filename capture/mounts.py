"""Which file systems are mounted, and on which a path lies, without asking any of them: a dead one does not answer.

Source: /proc/PID/mountinfo, proc(5).
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Final, NamedTuple

from inquest.capture import proc

_ESCAPES: Final = (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\"))
_ON_A_DISK: Final = frozenset({"ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "reiserfs"})
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
_IN_LAYERS: Final = frozenset({"overlay", "fuse-overlayfs", "aufs"})
_MOST: Final = 1 << 20
"""Bytes of the table that are read: some 8,000 mounts."""


class Mount(NamedTuple):
    """One mounted file system."""

    point: str
    kind: str
    """Its type, as mount(8) has it."""
    device: str
    """Number of its device, major:minor: the same for all places at which one file system is mounted."""
    writable: bool

    @property
    def local(self) -> bool:
        """Whether the node itself keeps what is written there, so that asking it cannot hang with a server."""
        return self.kind in _ON_A_DISK or self.kind in _IN_MEMORY or self.kind in _IN_LAYERS


def unescaped(path: str) -> str:
    """A path as it is; in the kernel's tables of mounts blanks and their like are octal escapes."""
    for code, character in _ESCAPES:
        path = path.replace(code, character)
    return path


def mounts(table: str | None = None) -> dict[str, Mount]:
    """What is mounted here, by mount point; of several on one place the last, which is the one that is seen."""
    text = proc.read_text("/proc/self/mountinfo", _MOST) if table is None else table
    found = {}
    for line in (text or "").splitlines():
        before, _, after = line.partition(" - ")
        fields, kept = before.split(" "), after.split(" ")
        if len(fields) > 5 and len(kept) > 2:
            point = unescaped(fields[4])
            writable = "ro" not in (*fields[5].split(","), *kept[2].split(","))
            found[point] = Mount(point, kept[0], fields[2], writable)
    return found


def mount_of(path: str, mounted: dict[str, Mount]) -> Mount | None:
    """The mount that an absolute path lies on; links in the path are not followed."""
    place = PurePath(path)
    return next((mounted[str(part)] for part in (place, *place.parents) if str(part) in mounted), None)
