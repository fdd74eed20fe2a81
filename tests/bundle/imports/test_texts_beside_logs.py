"""Texts that lie beside logs: what a project says of itself, and the driver's own report of a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.bundle.imports.core import import_paths
from tests.conftest import inquest

if TYPE_CHECKING:
    from pathlib import Path

ADVICE = "# trainer\nINFO: see below\n- RuntimeError: CUDA out of memory: lower the batch\n- ValueError: wrong shape\n"
LOG = "step 10 loss 3.1\nstep 20 loss 3.0\n"


@pytest.mark.parametrize("name", ["README.txt", "README", "changelog.txt", "CONTRIBUTING.txt", "readme-first.txt"])
def test_what_a_project_says_of_itself_is_no_log(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(ADVICE)
    (tmp_path / "train.log").write_text(LOG)
    kinds = {file.name: file.kind for file in import_paths([tmp_path]).report.files}
    assert kinds == {name: None, "train.log": "log"}
    assert [file.kind for file in import_paths([tmp_path / name]).report.files] == ["log"]  # the user named it


@pytest.mark.parametrize("name", ["readmission_model.txt", "data.txt", "todos_train.txt", "readme.log"])
def test_names_that_only_begin_alike(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(LOG)
    assert [file.kind for file in import_paths([tmp_path]).report.files] == ["log"]


REPORT = """\
____________________________________________

Start of NVIDIA bug report log file.  Please include this file, along
with a detailed description of your problem.

nvidia-bug-report.sh Version: 34275561

Date: Fri Nov 20 08:23:21 UTC 2026
uname: Linux {node} 5.15.0-105-generic #115-Ubuntu SMP x86_64 GNU/Linux

[Fri Nov 20 08:12:21 2026] NVRM: Xid (PCI:0000:9a:00): 48, pid=22817, name=python, DBE detected
"""


def test_the_report_of_the_driver_names_its_node(tmp_path: Path) -> None:
    (tmp_path / "nvidia-bug-report.log").write_text(REPORT.format(node="gpu040"))
    (file,) = import_paths([tmp_path]).report.files
    assert file.nodes == ("gpu040",)


def test_a_log_that_prints_its_system_does_not(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text("uname: Linux gpu040 5.15.0 x86_64\n" + LOG)
    (file,) = import_paths([tmp_path]).report.files
    assert file.nodes == ("unknown",)


def test_explain_names_what_was_read_and_held_nothing(tmp_path: Path) -> None:
    torn = (
        '{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL"},"val'
    )
    (tmp_path / "prom.json").write_text(torn + 'ues":[[1763625600,"9')
    (tmp_path / "acct.txt").write_text("JobID|State|ExitCode\n")
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "other.log").write_text("")
    given = inquest("explain", str(tmp_path))
    assert given.returncode == 4
    (line,) = given.stderr.splitlines()
    assert line.startswith("inquest: nothing in: acct.txt (no rows), prom.json (A series ends in its middle")
    (tmp_path / "acct.txt").unlink()
    (tmp_path / "prom.json").unlink()
    assert inquest("explain", str(tmp_path)).stderr == ""
