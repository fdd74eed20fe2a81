"""Agents made in a moment: the real launcher, with something small behind it in the place of a frozen Python."""

from __future__ import annotations

import importlib.util
import io
import shutil
import sys
import tarfile
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_spec = importlib.util.spec_from_file_location("agent_build", ROOT / "packaging" / "agent" / "build.py")
assert _spec is not None
assert _spec.loader is not None
build = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = build  # where dataclasses look
_spec.loader.exec_module(build)

REAL_PYTHON = f"""#!/bin/sh
exec {sys.executable} -E -P {build.HERE / "agent.py"} "$@"
"""
"""The agent's own entry point, run by the Python of the tests."""
REAL_DESK = f"""#!/bin/sh
exec {sys.executable} -E {build.HERE / "desk.py"} "$@"
"""
"""The same for the desk's."""


def make_agent(directory: Path, inside: str) -> Path:
    """A single-file agent that unpacks one script. Skips the test where nothing can be compiled."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        info = tarfile.TarInfo("inquest-agent")
        info.size, info.mode = len(inside), 0o755
        tar.addfile(info, io.BytesIO(inside.encode()))
    return make_single(directory, raw.getvalue(), "inquest-agent")


def make_single(directory: Path, payload: bytes, *needed: str) -> Path:
    """A single file that unpacks ``payload``, of which it needs some files, first its program."""
    if not any(map(shutil.which, ("musl-gcc", "gcc", "cc"))):
        pytest.skip("the launcher needs a C compiler: musl-gcc or gcc")
    path = directory / needed[0]
    path.write_bytes(build.launcher(payload, needed, directory / "launcher") + payload)
    path.chmod(0o755)
    return path
