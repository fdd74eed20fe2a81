"""What every verb that may take long says meanwhile, on a real terminal; and that nothing else ever sees it.

One process runs all verbs in turn, as starting Python for each would take most of the time.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from .conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

RECORDED = ROOT / "samples" / "recorded" / "three_steps"
DIRS = sorted(str(path) for path in RECORDED.iterdir() if path.is_dir() and not path.name.startswith("."))

WORDS = {
    "merge": "merging",
    "import": "importing",
    "collect": "collecting from",
    "artifacts": "reading",
    "info": "reading",
    "signals": "counting",
    "verify": "checking every byte",
    "analyze": "deciding",
    "cite": "running the claim again",
    "timeline": "deciding",
    "explain": "reading",
    "query": "asking",
    "diff": "reading",
    "triage": "reading",
    "redact": "masking",
    "split": "splitting",
    "join": "joining",
    "demo": "merging",
    "doctor": "looking at this node",
    "encrypt": "encrypting",
    "decrypt": "decrypting",
    "sign": "signing",
}
TOOLS = {"encrypt": "age", "decrypt": "age", "sign": "minisign"}
FORMS = ["import", "triage", "split", "verify"]
"""Verbs that show each form of bar there is."""

AT_ONCE = {"run", "attach", "status", "mcp", "ui", "clean"}
"""Verbs that hand the terminal over, draw a screen of their own or take no time; ``ui`` says what ``timeline`` does."""

DRIVER = r"""
import json, os, sys
from pathlib import Path
from inquest.cli import dispatch

def turn(folder, verbs):
    os.mkdir(folder)
    os.chdir(folder)
    for argv in verbs:
        print(f"<<{argv[0]}>>", file=sys.stderr, flush=True)
        code = dispatch(argv)
        print(f"<<{argv[0]} ended {code}>>", file=sys.stderr, flush=True)

VERBS, FORMS = map(json.loads, sys.argv[1:])
start = os.getcwd()
turn("plain", VERBS)
os.chdir(start)
os.environ["NO_COLOR"] = "1"
turn("no_colour", [argv for argv in VERBS if argv[0] in FORMS])
os.chdir(start)
os.dup2(os.open("piped.err", os.O_WRONLY | os.O_CREAT), 2)
turn("piped", [argv for argv in VERBS if argv[0] != "demo"])
sys.stdout.flush()
os._exit(0)
"""


def verbs(folder: Path) -> list[list[str]]:
    """Every verb on a small recording, each on what those before it made."""
    log = folder / "job.out"
    log.write_text("step 1/9 loss 2.5\nstep 2/9 loss 2.4\n")
    out = [
        ["merge", *DIRS, "-o", "a.inquest"],
        ["import", str(log), "-o", "b.inquest"],
        ["collect", "--from", str(RECORDED), "-o", "collected"],
        ["artifacts", "a.inquest"],
        ["info", "a.inquest"],
        ["signals", "b.inquest"],
        ["verify", "b.inquest"],
        ["analyze", "b.inquest", "-o", "verdict"],
        ["timeline", "b.inquest", "-o", "b.pftrace.gz"],
        ["explain", str(log)],
        ["cite", "a.inquest", "E3.1"],
        ["query", "b.inquest", "SELECT count(*) FROM log_lines"],
        ["diff", "b.inquest", "b.inquest"],
        ["triage", "."],
        ["redact", "b.inquest", "-o", "c.inquest"],
        ["split", "b.inquest", "--size", "1MB"],
        ["join", "b.inquest.001", "-o", "joined.inquest"],
        ["doctor", "--out", "doctor"],
        ["demo", "three_steps"],
    ]
    if shutil.which("age-keygen"):
        key = folder / "age.key"
        subprocess.run(["age-keygen", "-o", str(key)], capture_output=True, check=True)
        public = re.search(r"age1\w+", key.read_text())
        assert public
        out.append(["encrypt", "b.inquest", "--to", public[0]])
        out.append(["decrypt", "b.inquest.age", "--key", str(key), "-o", "plain.inquest"])
    if shutil.which("minisign"):
        key = folder / "minisign.key"
        made = ["minisign", "-G", "-W", "-s", str(key), "-p", str(folder / "minisign.pub")]
        subprocess.run(made, capture_output=True, check=True)
        out.append(["sign", "b.inquest", "--key", str(key)])
    return out


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What each verb said on standard error: ``plain``, ``no_colour`` and ``piped``."""
    folder = tmp_path_factory.mktemp("progress")
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-c", DRIVER, json.dumps(verbs(folder)), json.dumps(FORMS)],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        cwd=folder,
        env={k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm-256color", "COLUMNS": "100"},
    )
    os.close(theirs)
    said = bytearray()

    def listen() -> None:
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                return
            if not part:
                return
            said.extend(part)

    listener = threading.Thread(target=listen)
    listener.start()
    assert running.wait(300) == 0, said.decode(errors="replace")[-2000:]
    listener.join(60)
    os.close(ours)
    plain, no_colour = _by_verb(said.decode(errors="replace"))
    (piped,) = _by_verb((folder / "piped.err").read_text())
    return {"plain": plain, "no_colour": no_colour, "piped": piped}


def _by_verb(text: str) -> list[dict[str, str]]:
    """Of each turn, what stands between the marks of each verb."""
    turns: list[dict[str, str]] = []
    for verb, said, code in re.findall(r"<<(\S+)>>\r?\n(.*?)<<\1 ended (\d+)>>", text, re.DOTALL):
        if not turns or verb in turns[-1]:
            turns.append({})
        assert code in "0346", (verb, code, said)
        turns[-1][verb] = said
    return turns


def test_every_verb_is_here() -> None:
    from inquest.cli import VERBS

    assert {name for name, _ in VERBS} == set(WORDS) | AT_ONCE


@pytest.mark.parametrize("verb", WORDS)
def test_a_verb_says_what_it_does_on_a_terminal_and_nowhere_else(verb: str, seen: dict[str, dict[str, str]]) -> None:
    tool = TOOLS.get(verb)
    if tool and not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")
    assert WORDS[verb] in seen["plain"][verb]
    if verb != "demo":  # which is merge and analyze
        assert WORDS[verb] not in seen["piped"][verb]
        assert "\x1b" not in seen["piped"][verb]


COLOUR = re.compile(r"\x1b\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;[0-9;]*)?m")


def test_no_color_is_honoured(seen: dict[str, dict[str, str]]) -> None:
    for verb in FORMS:
        assert COLOUR.search(seen["plain"][verb])
        assert WORDS[verb] in seen["no_colour"][verb]
        assert not COLOUR.search(seen["no_colour"][verb])
