"""Triples of clocks, and what chrony says of the wall clock: against a real chronyd, where there is one."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from inquest.capture.collector import Context
from inquest.capture.collectors.clock import Clock, chrony_error_us

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from inquest.capture.collector import Row

CHRONYD = shutil.which("chronyd", path=f"{os.environ['PATH']}:/usr/sbin")
SYNCED = "7F000001,127.0.0.1,9,1795267001.2,-0.000000144,0.000000009,0.000000314,-0.170,0.021,1.147,{},{},0.0,{}\n"
"""Fields as chronyc 4.3 printed them."""
PATIENCE_S = 30.0


@pytest.mark.parametrize(
    ("answer", "error_us"),
    [
        (SYNCED.format("0.000002316", "0.000001196", "Normal"), 0.144 + 1.196 + 1.158),
        (SYNCED.format("0.000002316", "0.000001196", "Not synchronised"), None),
        (SYNCED.format("0.000002316", "nonsense", "Normal"), None),
        ("7F7F0101,,10,1795266926.1,0.0,0.0,0.0,0.000,0.000,0.000,0.000000000,0.000000000,0.0,Normal\n", None),
        ("506 Cannot talk to daemon\n", None),
        ("", None),
    ],
    ids=["synchronised", "not yet", "nonsense", "its own clock", "no daemon", "nothing"],
)
def test_the_bound_is_offset_dispersion_and_half_the_delay(answer: str, error_us: float | None) -> None:
    assert chrony_error_us(answer) == pytest.approx(error_us)


def rows(clock: Clock, step: str, ctx: Context) -> list[Row]:
    return [row for _, batch in getattr(clock, step)(ctx) for row in batch]


@pytest.fixture
def chrony(tmp_path: Path) -> Iterator[None]:
    """A chronyd that follows another, both without touching the clock of this machine."""
    if CHRONYD is None or shutil.which("chronyc") is None or os.geteuid() != 0:
        pytest.skip("no chronyd here, or not root")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as theirs:
        try:
            theirs.bind(("127.0.0.1", 323))
        except OSError:
            pytest.skip("this machine's own chronyd has the port that chronyc asks")
    configs = {
        "leads": f"local stratum 8\nport {port}\nallow 127.0.0.1\ncmdport 0\n",
        "follows": f"server 127.0.0.1 port {port} minpoll -6 maxpoll -6\nport 0\nbindcmdaddress 127.0.0.1\n",
    }
    daemons = []
    for name, text in configs.items():
        path = tmp_path / name
        path.write_text(f"{text}bindcmdaddress /\npidfile {path}.pid\n")
        command = [CHRONYD, "-x", "-d", "-u", "root", "-f", str(path)]
        daemons.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    yield
    for daemon in daemons:
        daemon.terminate()
        daemon.wait()


@pytest.mark.usefixtures("chrony")
def test_chrony_is_asked_once_a_minute(tmp_path: Path) -> None:
    ctx, deadline = Context(tmp_path, "n1", "boot", 1, 0, {}), time.monotonic() + PATIENCE_S
    while True:
        clock = Clock()
        (first,) = rows(clock, "start", ctx)
        if first["chrony_error_us"] is not None:
            break
        assert time.monotonic() < deadline, "chrony never said how well it keeps the clock"
        rows(clock, "stop", ctx)
        time.sleep(0.2)
    assert 0 < first["chrony_error_us"] < 1e6
    assert [rows(clock, "tick", ctx)[0]["chrony_error_us"] for _ in range(5)] == [None] * 5
    assert rows(clock, "tick", ctx)[0]["chrony_error_us"] is not None
    assert rows(clock, "stop", ctx)[0]["wall_ns"] > 0


def test_a_machine_without_chrony_has_triples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (row,) = rows(Clock(), "start", Context(tmp_path, "n1", "boot", 1, 0, {}))
    assert row["chrony_error_us"] is None
    assert row["boottime_ns"] > 0
