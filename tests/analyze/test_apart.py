"""Claims of a stranger's verdict: what their SQL costs is paid by a child that may be ended."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze import apart
from inquest.bundle.errors import InputError
from inquest.bundle.store import BundleStore
from inquest.cli import dispatch
from tests.bundle.forge import write_bundle

if TYPE_CHECKING:
    from pathlib import Path

MIB = 1 << 20
PLAIN = "SELECT COUNT(*) FROM host_samples"
JOINS = " ".join(f"JOIN host_samples {t} ON a.node = {t}.node" for t in "bcdef")
HUGE = f"SELECT a.seq + b.seq * 50 + c.seq * 2500 AS x, COUNT(*) FROM host_samples a {JOINS} GROUP BY x ORDER BY x"
"""50^6 rows of 8 bytes and more, each counted apart: 125 GB."""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bundle(tmp_path_factory.mktemp("claims") / "J.inquest", {"host_samples": [{} for _ in range(50)]})


def claim(name: str, sql: str = PLAIN, value: object = 50) -> dict[str, Any]:
    said = {"id": name, "text": "t", "sql": sql, "value": value, "unit": "1", "table": "host_samples", "excerpt": ""}
    return {**said, "rows": [{"table": "host_samples", "node": "n0", "seq": 3, "capture": "c"}]}


def verdict(bundle: Path, path: Path, *claims: dict[str, Any]) -> Path:
    digest = BundleStore(bundle).info.content_digest
    path.write_text(
        json.dumps({"schema": "inquest-verdict/1", "bundle": {"content_digest": digest}, "shows": list(claims)})
    )
    return path


def test_all_claims_of_a_verdict_take_one_process(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []

    class Counted(subprocess.Popen[bytes]):
        def __init__(self, command: list[str], **more: Any) -> None:
            started.append(command)
            super().__init__(command, **more)

    monkeypatch.setattr(subprocess, "Popen", Counted)
    path = verdict(bundle, tmp_path / "v.json", claim("X.1"), claim("X.2", value=7), claim("X.3", sql="DROP TABLE x"))
    count, problems = apart.check_claims(bundle, path)
    assert (count, len(problems), len(started)) == (3, 2, 1)
    assert problems[0] == "claim X.2 was 7 and is 50"
    assert problems[1].startswith("claim X.3 cannot be run again")


@pytest.mark.parametrize("verb", ["verify", "cite"])
def test_a_claim_that_wants_a_hundred_gigabytes_costs_the_limit(bundle: Path, tmp_path: Path, verb: str) -> None:
    path = verdict(bundle, tmp_path / "v.json", claim("X.1"), claim("X.2", HUGE), claim("X.3"))
    words = [str(bundle), str(path)] if verb == "verify" else [str(bundle), "X.2", "--verdict", str(path)]
    code = (
        "import resource, sys; from inquest.cli import dispatch; from tests.memory import peak; "
        "code = dispatch(sys.argv[1:]); "
        "print(code, peak(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, verb, *words, "--memory", "512"], capture_output=True, check=True, text=True
    )
    status, *peaks = map(int, done.stdout.split())
    assert status == 5
    assert "needs more memory than 512 MiB" in done.stderr
    assert "X.2 cannot be run again" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    # What a process maps of libraries is not in the limit.
    assert max(peaks) < (512 + 700) * MIB


def test_claims_before_the_one_that_took_too_long_count(bundle: Path, tmp_path: Path) -> None:
    path = verdict(bundle, tmp_path / "v.json", claim("X.1", value=7), claim("X.2", HUGE), claim("X.3"))
    said = apart._Said(b'["X.1", "X.2", "X.3"]\n["claim X.1 was 7 and is 50"]\n["half a li', apart.QueryRefused("late"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(apart, "_said", lambda *_: said)
        count, problems = apart.check_claims(bundle, path)
    assert count == 3
    assert problems == [
        "claim X.1 was 7 and is 50",
        "claim X.2 cannot be run again (late), and no claim after it was run",
    ]


def test_a_verdict_past_its_time_ends_in_one_sentence(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = verdict(bundle, tmp_path / "v.json", claim("X.1", HUGE))
    assert dispatch(["cite", str(bundle), "X.1", "--verdict", str(path), "--timeout", "0.2"]) == 5
    assert "ran past 0.2 s" in capsys.readouterr().err
    assert dispatch(["verify", str(bundle), str(path), "--timeout", "0.2"]) == 5
    assert "ran past 0.2 s" in capsys.readouterr().err


def test_an_answer_larger_than_a_claim_is_refused(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    monkeypatch.setattr(apart, "_LINE_BYTES", 20)
    path = verdict(bundle, tmp_path / "v.json", claim("X.1", value=7))
    with pytest.raises(InputError, match="Do not trust the verdict"):
        apart._checked({"path": str(bundle), "verdict": str(path)}, io.BytesIO())
