"""Nodes to reach in tests: a real sshd on this machine, with a key and a configuration of its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass
class Cluster:
    """Host names that all lead to this machine, and the words for --via."""

    config: Path
    via: str
    hosts: tuple[str, ...]
    dead: str
    """A host whose port nobody listens on."""
    deaf: str
    """A host that takes the connection and then says nothing."""


@contextlib.contextmanager
def sshd(folder: Path) -> Iterator[Cluster]:
    """A running sshd; skips where there is none."""
    for program in ("sshd", "ssh", "ssh-keygen"):
        if shutil.which(program) is None and not Path(f"/usr/sbin/{program}").exists():
            pytest.skip(f"{program} is not installed (apt: openssh-server)")
    if os.geteuid() != 0:
        pytest.skip("an sshd of our own needs root")
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    keygen = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f"]
    subprocess.run([*keygen, folder / "host_key"], check=True)
    subprocess.run([*keygen, folder / "id"], check=True)
    (folder / "authorized").write_text((folder / "id.pub").read_text())
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()
    mute = socket.create_server(("127.0.0.1", 0))
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\nPidFile {folder}/pid\nStrictModes no\n"
        f"AuthorizedKeysFile {folder}/authorized\nPasswordAuthentication no\nUsePAM no\nPermitRootLogin yes\n"
        "MaxStartups 100\n"
    )
    (folder / "config").write_text(
        f"Host deaf\n  Port {mute.getsockname()[1]}\nHost dead\n  Port 1\n"
        f"Host *\n  HostName 127.0.0.1\n  Port {port}\n  User root\n  IdentityFile {folder}/id\n  IdentitiesOnly yes\n"
        f"  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n  LogLevel ERROR\n"
    )
    with (folder / "sshd.log").open("wb") as log:
        server = subprocess.Popen(
            ["/usr/sbin/sshd", "-D", "-e", "-f", folder / "sshd_config"], stderr=log, stdin=subprocess.DEVNULL
        )
    try:
        for _ in range(100):
            if (
                subprocess.run(
                    ["ssh", "-F", folder / "config", "n1", "true"], check=False, stderr=subprocess.DEVNULL
                ).returncode
                == 0
            ):
                break
            time.sleep(0.1)
        else:
            pytest.skip(f"no sshd of our own comes up here: {(folder / 'sshd.log').read_text()[-300:]}")
        yield Cluster(folder / "config", f"ssh -F {folder / 'config'}", ("n1", "n2", "n3"), "dead", "deaf")
    finally:
        server.terminate()
        server.wait()
        mute.close()
