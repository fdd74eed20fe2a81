"""What a shell and a terminal see: completion, help of every verb, colours, progress, pipes."""

from __future__ import annotations

import importlib
import os
import pty
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from inquest.cli import VERBS
from inquest.cli._complete import bundles, with_bundles

from .conftest import ROOT, inquest

INQUEST = Path(sys.executable).parent / "inquest"
needs_script = pytest.mark.skipif(not INQUEST.exists(), reason="the inquest script is not installed beside Python")


def complete(line: str, cwd: Path, instruction: str = "complete_bash") -> list[str]:
    """What the shell is offered for the last word of ``line``."""
    words = line.split(" ")
    done = subprocess.run(
        [str(INQUEST)],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "_INQUEST_COMPLETE": instruction, "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)},
    )
    assert not done.stderr, done.stderr
    return done.stdout.split()


@needs_script
def test_verbs_complete(tmp_path: Path) -> None:
    assert complete("inquest ", tmp_path) == [name for name, _ in VERBS]
    assert complete("inquest tri", tmp_path) == ["triage"]
    assert complete("inquest no-such-verb", tmp_path) == []


@needs_script
def test_options_and_their_values_complete(tmp_path: Path) -> None:
    assert "--force" in complete("inquest analyze --", tmp_path)
    assert complete("inquest analyze --format m", tmp_path) == ["md"]


@needs_script
@pytest.mark.parametrize("verb", ["analyze", "query", "diff"])
def test_bundles_complete(verb: str, tmp_path: Path) -> None:
    (tmp_path / "job-1.inquest").write_text("")
    (tmp_path / "job-2.log").write_text("")
    assert complete(f"inquest {verb} jo", tmp_path) == ["job-1.inquest"]


def test_which_bundles_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("job-1.inquest", "job-2.inquest", "job-3.log", "sub/x.inquest"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    assert bundles("") == bundles("jo") == ["job-1.inquest", "job-2.inquest"]
    assert bundles("sub/") == ["sub/x.inquest"]
    assert bundles(f"{tmp_path}/job-2") == [f"{tmp_path}/job-2.inquest"]
    assert bundles("nothing") == bundles("no/such/folder/") == []


@pytest.mark.parametrize(
    "verb", ["analyze", "info", "verify", "query", "cite", "diff", "ui", "mcp", "timeline", "signals", "redact"]
)
def test_every_verb_that_takes_a_bundle_says_so(verb: str) -> None:
    command = with_bundles(importlib.import_module(f"inquest.cli.{verb}").command)
    told = [info for hint in command.__annotations__.values() for info in getattr(hint, "__metadata__", ())]
    assert any(getattr(info, "autocompletion", None) is bundles for info in told)


@needs_script
def test_an_option_that_takes_a_bundle_completes_to_one(tmp_path: Path) -> None:
    (tmp_path / "good.inquest").write_text("")
    assert complete("inquest analyze x --baseline go", tmp_path) == ["good.inquest"]


@needs_script
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_itself_completes_with_what_show_completion_prints(tmp_path: Path) -> None:
    (tmp_path / "job.inquest").write_text("")
    script = (
        "source <(inquest --show-completion); type -t _inquest_completion; "
        "COMP_WORDS=(inquest merge); COMP_CWORD=1; _inquest_completion inquest; echo ${COMPREPLY[@]}; "
        "COMP_WORDS=(inquest analyze jo); COMP_CWORD=2; _inquest_completion inquest; echo ${COMPREPLY[@]}; true"
    )
    env = {**os.environ, "PATH": f"{INQUEST.parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path, env=env)
    assert done.stdout.split() == ["function", "merge", "job.inquest"], done.stderr


def test_help_is_broken_by_the_terminal_not_by_the_source() -> None:
    """A docstring's own line ends in the middle of a paragraph would leave ragged lines."""
    wide = inquest("diff", "--help", env={"COLUMNS": "400"}).stdout
    assert any("ordered by what matters" in line and "make no difference." in line for line in wide.splitlines())


def on_a_terminal(*args: str, cwd: Path, env: dict[str, str] | None = None) -> tuple[bytes, bytes]:
    """Standard output (a pipe) and standard error (a terminal) of a verb."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "inquest", *args],
        stdout=subprocess.PIPE,
        stderr=theirs,
        cwd=cwd,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **(env or {})},
    )
    os.close(theirs)
    assert running.stdout is not None
    out, err, open_ = b"", b"", [running.stdout.fileno(), ours]
    while open_:
        for descriptor in select.select(open_, [], [], 60)[0]:
            try:
                part = os.read(descriptor, 1 << 16)
            except OSError:  # a terminal whose other end is closed
                part = b""
            if not part:
                open_.remove(descriptor)
            elif descriptor == ours:
                err += part
            else:
                out += part
    running.wait(60)
    running.stdout.close()
    os.close(ours)
    return out, err


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from inquest.bundle.merge import merge

    folder = tmp_path_factory.mktemp("shell")
    merge(
        [path for path in (ROOT / "samples" / "recorded" / "healthy").iterdir() if path.is_dir()], folder / "a.inquest"
    )
    return folder


@pytest.mark.parametrize(
    "verb", [("analyze", "a.inquest", "-o", "out", "--force", "--json"), ("triage", ".", "--json")]
)
def test_progress_goes_to_a_terminal_on_standard_error_only(verb: tuple[str, ...], folder: Path) -> None:
    out, err = on_a_terminal(*verb, cwd=folder)
    assert out.startswith(b"{")
    assert b"\x1b" not in out
    assert b"deciding" in err or b"reading" in err
    quiet = inquest(*verb, cwd=folder)
    assert "deciding" not in quiet.stderr
    assert "reading" not in quiet.stderr
    assert "\x1b" not in quiet.stdout + quiet.stderr


def test_a_reader_that_leaves_is_no_fault(folder: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m inquest signals | head -n 1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert "Traceback" not in done.stderr
    assert "Broken pipe" not in done.stderr
