"""The peak of this process's memory, as the kernel counts it.

Not ``ru_maxrss``: that one begins with what the parent had when it started us, and is never set back.
"""

from __future__ import annotations

from pathlib import Path


def reset_peak() -> int:
    """Have the peak begin with what is held now; bytes held."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    """Largest resident set so far (VmHWM), bytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    raise AssertionError("the kernel says no VmHWM")
