"""A bundle that someone cuts short between the check of its size and the read of its bytes: one sentence, exit 5."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import pytest

from tests.bundle.forge import write_bundle

if TYPE_CHECKING:
    from pathlib import Path

ROWS = {"log_lines": [{"text": f"step {i} " + "x" * 40, "ts_ns": i, "rank": i % 4} for i in range(3000)]}

# Cuts the bundle when it was opened and found whole, as a copy that begins anew would.
CUT = textwrap.dedent(
    """
    import os, sys
    from inquest.bundle import container, manifest
    check = container.Container.check

    def check_and_cut(self):
        check(self)
        os.truncate(self.path, 4096)

    container.Container.check = check_and_cut
    container.Container.check_size = lambda self: None  # the size was right a moment ago
    """
)


@pytest.mark.parametrize(
    "command",
    [["verify", "{path}"], ["merge", "{path}", "-o", "{path}.merged"], ["analyze", "{path}", "-o", "{path}.out"]],
    ids=lambda command: command[0],
)
def test_a_cut_while_reading_is_one_sentence(command: list[str], tmp_path: Path) -> None:
    path = write_bundle(tmp_path / "job.inquest", ROWS)
    run = "from inquest.cli import dispatch, leave\nleave(dispatch(sys.argv[1:]))\n"
    done = subprocess.run(
        [sys.executable, "-c", CUT + run, *(word.format(path=path) for word in command)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 5, (done.returncode, done.stderr)
    assert done.stderr == "inquest: a file was cut short while it was read: wait until it is copied, and try again\n"


def test_a_query_about_it_says_so_too(tmp_path: Path) -> None:
    path = write_bundle(tmp_path / "job.inquest", ROWS)
    # What `ask` starts, with the same standard input, and a bundle that is cut once it is open.
    spy = (
        "import json, subprocess\nfrom pathlib import Path\nfrom inquest.analyze import apart\n"
        "from inquest.bundle.errors import InquestError\n"
        "start = subprocess.Popen\n"
        'main = \'\\nimport runpy\\nrunpy.run_module("inquest.analyze.apart", run_name="__main__")\'\n'
        "child = sys.argv[2] + main\n"
        "subprocess.Popen = lambda command, **more: start([command[0], '-c', child], **more)\n"
        "try:\n    apart.ask(Path(sys.argv[1]), 'SELECT max(text) FROM log_lines', row_limit=9)\n"
        "except InquestError as error:\n    print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", "import sys\n" + spy, str(path), CUT],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.startswith("DamagedBundle "), done.stderr
    assert "was cut short while it was read" in done.stdout
