"""A disk that hangs holds up nobody. Needs root, a loop device, mkfs.ext4 and fsfreeze, which not every CI has."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.capture.conftest import PLAIN_PYTHON, Wrapped, helpers, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own that can be frozen: whoever writes to it then hangs in the kernel."""
    if os.geteuid() != 0:
        pytest.skip("mounting and freezing a file system needs root")
    image, place = tmp_path / "image", tmp_path / "disk"
    place.mkdir()
    with open(image, "wb") as file:
        file.truncate(32 << 20)
    try:
        subprocess.run(["mkfs.ext4", "-q", image], check=True, capture_output=True)
        subprocess.run(["mount", "-o", "loop", image, place], check=True, capture_output=True)
        subprocess.run(["fsfreeze", "--unfreeze", place], check=False, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no file system can be made, mounted and frozen here: {error}")
    yield place
    subprocess.run(["fsfreeze", "--unfreeze", place], check=False, capture_output=True)
    for _ in range(200):  # the processes that hung are still ending
        if subprocess.run(["umount", place], check=False, capture_output=True).returncode == 0:
            return
        time.sleep(0.05)
    subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.root
def test_a_hung_disk_holds_up_neither_signal_nor_output_nor_status(disk: Path, tmp_path: Path) -> None:
    wrapped = Wrapped(disk / "out")
    code = (
        "import os, signal\n"
        "print('ready', flush=True)\n"
        "for n in range(3): os.write(1, b'got %d\\n' % signal.sigwait({signal.SIGUSR1, signal.SIGUSR2}))\n"
        "os._exit(6)"
    )
    code = "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGUSR2})\n" + code
    process = subprocess.Popen(
        wrapped.argv(*PLAIN_PYTHON, "-c", code, options=()), stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    wait_for(lambda: helpers(process.pid)["guard"] and helpers(process.pid)["recorder"], "the helpers")
    wait_for(lambda: wrapped.events("start"), "the record of the start")
    subprocess.run(["fsfreeze", "--freeze", disk], check=True)
    try:
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGUSR1):
            os.kill(process.pid, number)
            assert process.stdout.readline() == b"got %d\n" % number
        assert process.wait(20) == 6
    finally:
        subprocess.run(["fsfreeze", "--unfreeze", disk], check=True)
    process.stdout.close()
    # The process that hung in the write goes on; what still waited in the parent's memory is lost with the parent.
    wait_for(lambda: [event["signal"] for event in wrapped.events("signal")][:1] == [signal.SIGUSR1], "its event")
