"""DCGM's shares through ``dcgmi``: a STAND-IN prints what DeviceMonitor.cpp and Query.cpp of DCGM 4 print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from inquest.capture.collectors.dcgm import numbers, shares
from tests.capture.recorder_kit import Stub

if TYPE_CHECKING:
    from pathlib import Path

UUID = "GPU-5eed0000-0000-0000-0000-00000000000"
LISTING = f"""\
2 GPUs found.
+--------+----------------------------------------------------------------------+
| GPU ID | Device Information                                                   |
+--------+----------------------------------------------------------------------+
| 0      | Name: NVIDIA A100-SXM4-80GB                                          |
|        | PCI Bus ID: 00000000:11:00.0                                         |
|        | Device UUID: {UUID}1                |
+--------+----------------------------------------------------------------------+
| 1      | Name: NVIDIA A100-SXM4-80GB                                          |
|        | PCI Bus ID: 00000000:10:00.0                                         |
|        | Device UUID: {UUID}0                |
+--------+----------------------------------------------------------------------+
0 NvSwitches found.
"""
HEADER = "#Entity   SMACT        SMOCC        TENSO        DRAMA        FP64A        FP32A        FP16A        \nID  "
ROWS = (
    "GPU 0     0.571        0.402        0.310        0.250        N/A          0.100        0.000        ",
    "GPU 1     0.000        0.000        0.000        0.001        0.000        0.000        0.000        ",
)


@pytest.fixture
def stub(tmp_path: Path) -> Stub:
    stub = Stub(tmp_path)
    stub.say("* gpus 2", "* gpm 0")
    return stub


def dcgmi(tmp_path: Path, body: str) -> dict[str, str]:
    """A ``dcgmi`` on PATH: ``body`` is what dmon does."""
    (tmp_path / "listing").write_text(LISTING)
    (tmp_path / "rows").write_text("\n".join((HEADER, *ROWS, "")))
    program = tmp_path / "bin" / "dcgmi"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\ncase "$1" in discovery) cat {tmp_path}/listing ;; '
        f'dmon) echo "$@" > {tmp_path}/asked; {body} ;; esac\n'
    )
    program.chmod(0o755)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}"}


_DRIVE = """\
import json, os, time
from pathlib import Path
from inquest.capture.collector import Context, Missing
from inquest.capture.collectors.dcgm import Dcgm
ctx = Context(Path("/tmp"), "n", "b", 1, time.monotonic_ns(), {})
dcgm = Dcgm()
rows = []
try:
    dcgm.start(ctx)
    deadline = time.monotonic() + 30
    while len(rows) < 4 and time.monotonic() < deadline:
        rows += [row for _, some in dcgm.tick(ctx) for row in some]
        time.sleep(0.02)
    pid = dcgm._monitor.pid
    list(dcgm.stop(ctx))
    print(json.dumps({"rows": rows, "left": os.path.exists(f"/proc/{pid}")}))
except (Missing, RuntimeError) as error:
    print(json.dumps({"error": str(error)}))
"""


def drive(stub: Stub, environ: dict[str, str]) -> dict[str, Any]:
    argv = [sys.executable, "-c", _DRIVE]
    done = subprocess.run(argv, env=os.environ | stub.env | environ, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_shares_of_gpus_that_do_not_tell_nvml(stub: Stub, tmp_path: Path) -> None:
    found = drive(stub, dcgmi(tmp_path, f"while :; do cat {tmp_path}/rows; sleep 0.1; done"))
    first, second = found["rows"][:2]
    assert (first["gpu_uuid"], first["gpu_index"]) == (f"{UUID}1", 1), "DCGM's numbers are not NVML's"
    assert (first["sm_active"], first["tensor_active"], first["fp32_active"]) == (0.571, 0.31, 0.1)
    assert "fp64_active" not in first, "N/A is not zero"
    assert (second["gpu_uuid"], second["dram_active"]) == (f"{UUID}0", 0.001)
    assert not found["left"]
    assert (tmp_path / "asked").read_text().split()[:3] == ["dmon", "-e", "1002,1003,1004,1005,1006,1007,1008"]


def test_a_monitor_that_ends_is_told(stub: Stub, tmp_path: Path) -> None:
    found = drive(stub, dcgmi(tmp_path, "exit 226"))
    assert found == {"error": "dcgmi dmon ended with status 226"}


def test_gpus_that_tell_themselves_need_no_dcgm(stub: Stub, tmp_path: Path) -> None:
    stub.say("* gpus 2")
    assert "not needed" in drive(stub, dcgmi(tmp_path, "exit 1"))["error"]


def test_no_engine_is_an_outcome(stub: Stub, tmp_path: Path) -> None:
    assert "not installed" in drive(stub, {"PATH": "/usr/bin:/bin"})["error"]
    environ = dcgmi(tmp_path, "exit 1")
    (tmp_path / "listing").write_text("Error: unable to establish a connection to the specified host: localhost\n")
    assert "no DCGM host engine" in drive(stub, environ)["error"]


def test_lines_of_the_monitor() -> None:
    assert numbers(LISTING) == {"0": f"{UUID}1", "1": f"{UUID}0"}
    assert shares(HEADER) is None
    assert shares("GPU-I 3   0.1 0.1 0.1 0.1 0.1 0.1 0.1") is None
    assert shares("GPU 3") is None
    assert shares("") is None
