"""The front door: every verb has help, errors are one sentence with the documented exit code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.cli import VERBS

from .conftest import inquest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("verb", [name for name, _ in VERBS])
def test_every_verb_explains_itself(verb: str) -> None:
    done = inquest(verb, "--help")
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 5
    assert not done.stderr
    text = " ".join(done.stdout.split())
    assert f"inquest {verb} " in text.partition("Example: ")[2], "an example"
    assert "Exit code" in text or "Exit status" in text


def test_help_lists_every_verb() -> None:
    done = inquest("--help")
    assert done.returncode == 0
    for name, short in VERBS:
        assert name in done.stdout
        assert short.split(":")[0].rstrip(".") in done.stdout


def test_version() -> None:
    from inquest import __version__

    assert inquest("--version").stdout == f"inquest {__version__}\n"


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["no-such-verb"], 2),
        (["analyze"], 2),
        (["analyze", "--no-such-option", "x"], 2),
        (["analyze", "absent.inquest"], 5),
        (["info", "absent.inquest"], 5),
        (["merge", "absent", "-o", "x.inquest"], 5),
        (["query", "absent.inquest", "SELECT 1"], 5),
        (["explain", "absent.log"], 5),
        (["demo", "Z9"], 2),
    ],
)
def test_a_mistake_is_answered_in_words_and_by_its_code(args: list[str], code: int, tmp_path: Path) -> None:
    done = inquest(*args, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


def test_a_file_that_is_no_bundle_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "x.inquest").write_bytes(b"hello, world\n" * 1000)
    for verb in ("info", "analyze", "verify"):
        done = inquest(verb, "x.inquest", cwd=tmp_path)
        assert done.returncode == 5
        assert len(done.stderr.strip().splitlines()) == 1
        assert "x.inquest" in done.stderr
        assert "not an inquest bundle" in done.stderr


def test_clean_removes_the_agent_and_nothing_else(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "agent-0123" / "lib").mkdir(parents=True)
    (home / "agent-0123" / "lib" / "x").write_bytes(b"x" * 1000)
    (home / "notes.txt").write_text("mine")
    env = {"INQUEST_HOME": str(home), "HOME": str(tmp_path / "other")}
    assert "would remove" in inquest("clean", "--dry-run", env=env).stdout
    assert (home / "agent-0123").is_dir()
    assert inquest("clean", env=env).returncode == 0
    assert sorted(path.name for path in home.iterdir()) == ["notes.txt"]
