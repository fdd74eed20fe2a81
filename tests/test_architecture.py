"""The architecture as rules: imports point one way, the parent stays light, nothing leaks into a user's imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import LONGEST, ROOT

ROOMS = ("capture", "bundle", "analyze", "render")
MAY_IMPORT = {
    "capture": {"capture", "bundle"},
    "bundle": {"bundle"},
    "analyze": {"analyze", "bundle"},
    "render": {"render", "analyze", "bundle"},
}
NOT_ON_THE_NODE = {"polars", "typer", "jinja2", "rich", "sqlglot", "perfetto"}


def imported(path: Path) -> set[str]:
    """Every module named by an import statement in the file, function bodies included."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room: str) -> None:
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    for path in files:
        for name in imported(path):
            parts = name.split(".")
            assert parts[0] not in ROOMS, f"{path}: bare import of {name}"
            if parts[0] == "inquest" and len(parts) > 1 and parts[1] in (*ROOMS, "cli"):
                lazily = room == "bundle" and path.name == "verify.py"
                assert parts[1] in MAY_IMPORT[room] or lazily, f"{path} imports {name}"


def test_the_agent_imports_nothing_of_the_desk() -> None:
    for path in sorted((ROOT / "capture").rglob("*.py")):
        heavy = {name.split(".")[0] for name in imported(path)} & NOT_ON_THE_NODE
        assert not heavy, f"{path} imports {heavy}"


def test_the_parent_of_run_imports_only_the_standard_library() -> None:
    code = "import sys; import inquest.capture.run; print(*{m.split('.')[0] for m in sys.modules})"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd="/")
    extra = set(out.stdout.split()) & (NOT_ON_THE_NODE | {"pyarrow", "pynvml", "numpy", *ROOMS})
    assert not extra


def test_the_links_are_links() -> None:
    for room in ROOMS:
        link = ROOT / "inquest" / room
        assert link.is_symlink()
        assert link.readlink() == Path("..") / room


def test_what_comes_first_exists() -> None:
    assert not [name for name in LONGEST if not (ROOT / name).is_file()]
