"""What NVIDIA's XID numbers tell of: hardware, the application, an engine that may be either, or a consequence.

Every number of NVIDIA's catalogue (Xid-Catalog.xlsx, sheet Xids) has one class. Its column "immediate action" decides:
a reset of the GPU, a restart of the machine or a look at its mechanics is hardware; a restart of the application with a
look at the application is the application's; a restart of the application with a call to support is hardware only where
the same unit repeats it.
"""

from __future__ import annotations

from typing import Final, Literal

XidClass = Literal["hardware", "repeated", "application", "consequence", "notice", "unused"]
"""``hardware``: the GPU, its memory, link or firmware. ``repeated``: an engine stopped; hardware where the same GPU
repeats it over jobs. ``application``: by itself. ``consequence``: of another. ``notice``: asks for nothing."""

HARDWARE_XIDS: Final[dict[int, str]] = {
    46: "GPU stopped processing",
    48: "double-bit ECC error",
    54: "auxiliary power not connected",
    61: "internal micro-controller breakpoint",
    62: "internal micro-controller halt",
    63: "memory page retirement or row remap",
    64: "failed page retirement or row remap",
    74: "NVLink error",
    79: "the GPU fell off the bus",
    92: "high rate of single-bit ECC errors",
    94: "contained ECC error",
    95: "uncontained ECC error",
    109: "context-switch time-out",
    110: "security fault",
    119: "GSP time-out",
    120: "GSP error",
    121: "chip-to-chip link error",
    125: "InfoROM fault",
    136: "link training failure",
    140: "unrecovered ECC error",
    143: "GPU initialisation failure",
    144: "NVLink fault",
    145: "NVLink fault",
    146: "NVLink fault",
    147: "NVLink fault",
    148: "NVLink fault",
    149: "NVLink fault",
    150: "NVLink fault",
    155: "NVLink flow-control error",
    156: "resource retirement",
    157: "failed resource retirement",
    158: "GPU fatal time-out",
    167: "fatal PCIe time-out",
    168: "reduced memory capacity",
    169: "internal micro-controller halt",
    171: "uncorrectable DRAM error",
    172: "uncorrectable SRAM error",
    173: "fatal chip-to-chip link error",
    175: "memory subsystem error",
}
"""XIDs that tell of hardware. Source: NVIDIA's XID catalogue and nverror.h of the open driver, release 595.45."""

APPLICATION_XIDS: Final = frozenset({11, 13, 25, 31, 32, 43, 69, 80, 137})
"""XIDs that an application causes by itself, until something else says hardware (same source)."""

_REPEATED: Final = frozenset(
    {8, 39, 40, 41, 44, 60, 68, 70, 71, 72, 75, 76, 77, *range(82, 87), 88, 89, *range(96, 106)}
    | {*range(126, 136), 139, 141, 142, 151, 159}
)
_CONSEQUENCES: Final = frozenset({45, 154})
_NOTICES: Final = frozenset(
    {14, 37, 38, 66, 67, 78, 93, 106, 107, 108, 152, 153, 160, 161, 162, 163, 164, 165, 166, 170}
)
_UNUSED: Final = frozenset(
    {*range(1, 8), 9, 10, 12, *range(15, 25), *range(26, 31), *range(33, 37), 42, 47, *range(49, 54)}
    | {*range(55, 60), 65, 73, 81, 87, 90, 91, *range(111, 119), 122, 123, 124, 138}
)


def class_of(xid: int) -> XidClass | None:
    """The class of an XID; None for a number the catalogue does not have."""
    classes: tuple[tuple[XidClass, frozenset[int]], ...] = (
        ("hardware", frozenset(HARDWARE_XIDS)),
        ("repeated", _REPEATED),
        ("application", APPLICATION_XIDS),
        ("consequence", _CONSEQUENCES),
        ("notice", _NOTICES),
        ("unused", _UNUSED),
    )
    return next((name for name, numbers in classes if xid in numbers), None)
