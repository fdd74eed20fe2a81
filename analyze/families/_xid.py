"""What NVIDIA's XID numbers tell of: hardware, the application, or a consequence."""

from __future__ import annotations

from typing import Final

HARDWARE_XIDS: Final[dict[int, str]] = {
    48: "double-bit ECC error",
    61: "internal micro-controller breakpoint",
    62: "internal micro-controller halt",
    63: "memory page retirement or row remap",
    64: "failed page retirement or row remap",
    74: "NVLink error",
    79: "the GPU fell off the bus",
    92: "high rate of single-bit ECC errors",
    94: "contained ECC error",
    95: "uncontained ECC error",
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
    171: "uncorrectable DRAM error",
    172: "uncorrectable SRAM error",
    173: "fatal chip-to-chip link error",
    175: "memory subsystem error",
}
"""XIDs that tell of hardware. Source: NVIDIA's XID catalogue and nverror.h of the open driver, release 595.45."""

APPLICATION_XIDS: Final = frozenset({13, 31, 32, 43, 69})
"""XIDs that an application causes by itself, until something else says hardware (same source)."""
