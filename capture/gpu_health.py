"""What a GPU's readings say of its health, and why its clocks are held back, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inquest.capture.collector import Row

CLOCK_REASONS: Final = {
    0x001: "idle",
    0x002: "application clocks setting",
    0x004: "software power cap",
    0x008: "hardware slowdown",
    0x010: "sync boost",
    0x020: "software thermal slowdown",
    0x040: "hardware thermal slowdown",
    0x080: "hardware power brake",
    0x100: "display clock setting",
}
"""Bits of the clock event reasons. Source: nvml.h, nvmlClocksEventReason*."""

SEVERE: Final = 0x0E8
"""Reasons that mean trouble; the others are how a GPU runs by day and night."""

RECOVERY_ACTIONS: Final = (
    "none",
    "gpu_reset",
    "node_reboot",
    "drain_p2p",
    "drain_and_reset",
    "recover_imex_domain",
    "bus_reset",
    "system_reboot",
)
"""nvmlDeviceGpuRecoveryAction_t, in order."""

_JOINED, _NO_FABRIC = "completed", "not supported"
"""What ``gpu_fabric`` says where nothing is wrong."""


def in_words(reasons: int) -> str:
    """Clock event reasons, comma-separated; empty when there is none."""
    return ", ".join(words for bit, words in CLOCK_REASONS.items() if reasons & bit)


def health(known: Row) -> str:
    """The roll-up of one GPU: ``ok``, or ``warning`` or ``failure`` with the reasons for it.

    Args:
        known: Latest readings by column of ``gpu_samples`` and ``gpu_ecc``, and ``links_down``: how many NVLinks went
            down. A reading that is not there says nothing.
    """
    action = known.get("recovery_action")
    failures = [
        "a row remap has failed" if known.get("remap_failure") else "",
        f"the driver asks for {action.replace('_', ' ')}" if action not in (None, "none") else "",
        "SRAM errors are beyond NVIDIA's threshold" if known.get("over_threshold") else "",
        f"{known['links_down']} NVLinks went down" if known.get("links_down") else "",
        f"NVSwitch fabric: {known['fabric']}" if known.get("fabric", _JOINED) not in (_JOINED, _NO_FABRIC) else "",
    ]
    width, widest = known.get("pcie_width"), known.get("pcie_width_max")
    warnings = [
        "a row remap waits for a reset" if known.get("remap_pending") else "",
        "a page retirement waits for a reboot" if known.get("retired_pending") else "",
        "uncorrected ECC errors since the driver was loaded" if known.get("ecc_uncorrected_volatile") else "",
        f"PCIe runs on {width} of {widest} lanes" if width and widest and width < widest else "",
    ]
    told = [reason for reason in (*failures, *warnings) if reason]
    if not told:
        return "ok"
    return f"{'failure' if any(failures) else 'warning'}: {'; '.join(told)}"
