"""Compiles the stub libraries of the tests, and ``step.c`` on them. SIMULATED: no GPU, no driver, no network."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STUBS = ROOT / "tests/capture/ebpf/stubs"
NVML = ROOT / "tests/capture/nvml_stub/nvml_stub.c"
JOB = HERE / "step_job.py"
# Not optimised: every function begins with push, as those of the real libraries do, which a probe stands on cheaply.
_GCC = ("gcc", "-O0", "-fPIC", "-shared")


def build(folder: Path) -> Path:
    """The library of a step, with those it rests on beside it; ``libnvidia-ml.so.1`` too."""
    flags: list[str] = [f"-L{folder}", "-Wl,-rpath,$ORIGIN"]
    needed: list[str] = []
    for name, source in (
        ("libcuda.so.1", "libcuda.c"),
        ("libcudart.so.12", "libcudart.c"),
        ("libnccl.so.2", "libnccl.c"),
    ):
        # cudart calls the driver.
        rests_on = needed[:1] if name.startswith("libcudart") else []
        _compile(folder / name, STUBS / source, f"-Wl,-soname,{name}", *flags, *rests_on)
        needed.append(f"-l:{name}")
    _compile(folder / "libnvidia-ml.so.1", NVML)
    _compile(folder / "libstep.so", HERE / "step.c", *flags, *needed)
    return folder / "libstep.so"


def environment(folder: Path, script: Path) -> dict[str, str]:
    """Environment in which NVML is the stub that `build` made, answering what ``script`` says."""
    return {**os.environ, "LD_LIBRARY_PATH": str(folder), "INQUEST_NVML_STUB": str(script)}


def _compile(to: Path, source: Path, *flags: str) -> None:
    subprocess.run([*_GCC, "-o", to, source, *flags], check=True)
