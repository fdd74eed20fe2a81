"""The keyword baseline: what an operator gets from ``grep``, for comparison with the engine only.

Written and committed before the engine was scored, so that the gain shown beside it comes from reasoning and not from
vocabulary. No verdict uses this module. The words are the ones an operator greps for; order is fixed priority: the
first family with any of its words in the text (or the first fitting exit code) is the answer.
"""

from __future__ import annotations

from typing import Final

KEYWORDS: Final[dict[str, tuple[str, ...]]] = {
    "B2": ("NVRM: Xid", "uncorrectable ECC", "fallen off the bus", "uncorrectable NVLink", "SXid", "GPU is lost"),
    "B1": ("CUDA out of memory", "CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED", "Error out of memory at"),
    "F1": ("DUE TO NODE FAILURE", "Node failure on", "NODE_FAIL", "unexpectedly rebooted"),
    "F2": ("DUE TO PREEMPTION", "DUE TO JOB REQUEUE", "has been requeued", "preempted"),
    "F3": ("DUE TO TIME LIMIT", "TERM_RUNLIMIT", "Time limit exhausted"),
    "C1": (
        "RendezvousTimeoutError",
        "client socket has timed out",
        "waiting for clients",
        "connectFullMesh failed",
        "cannot be retrieved (gai error",
        "DEADLINE_EXCEEDED",
    ),
    "C2": (
        "Watchdog caught collective operation timeout",
        "Timed out waiting",
        "failed to pass monitoredBarrier",
        "NCCL timeout",
        "Detected mismatch between collectives",
    ),
    "A2": (
        "oom-kill",
        "oom_kill",
        "Out of memory: Killed process",
        "SIGKILL",
        "SIGSEGV",
        "SIGABRT",
        "exitcode: -",
        "Segmentation fault",
        "core dumped",
        "Bus error",
        "Killed",
        "killed by signal",
    ),
    "E2": (
        "size mismatch for",
        "Missing key(s) in state_dict",
        "PytorchStreamReader failed",
        "Error while deserializing header",
        "UnpicklingError",
        "No valid checkpoint found",
        "Unable to find latest file",
        "start from random",
        "Training from scratch",
    ),
    "D1": ("DataLoader timed out", "ran out of data"),
    "D2": ("CUDA_LAUNCH_BLOCKING=1", "NET/Socket : Using"),
    "B3": ("thermal slowdown", "HW Slowdown", "clock throttled"),
    "E1": (
        "loss: nan",
        "loss nan",
        "loss=nan",
        "'loss': nan",
        "'loss': 'nan'",
        "grad_norm': nan",
        "grad_norm': 'nan'",
        "Unexpected result nan",
        "Invalid loss",
        "is not finite",
        "loss scale already at minimum",
    ),
    "A1": ("Traceback (most recent call last)", "Error:", "error: argument", "command not found"),
}
"""Family -> words, in priority order. C3, D3 and E3 have no words: nothing prints them."""

_SIGNAL_CODES: Final = frozenset({132, 134, 135, 136, 137, 139, 143, 247})


def classify(text: str, exit_code: int | None = None) -> str | None:
    """The family whose word stands in ``text`` first by priority, else by exit code; None when nothing speaks.

    Args:
        text: the whole log.
        exit_code: status of the job as the shell saw it; negative or 128+n means a signal.
    """
    for family, words in KEYWORDS.items():
        if any(word in text for word in words):
            return family
    if exit_code is None:
        return None
    if exit_code < 0 or exit_code in _SIGNAL_CODES:
        return "A2"
    return "G1" if exit_code == 0 else "A1"
