"""What was recorded with --no-mask: kept as it is, said aloud, told by the name, and masked by redact."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from inquest.bundle.errors import UsageError
from inquest.bundle.manifest import open_bundle
from inquest.bundle.merge import merge
from inquest.bundle.opened import open_store
from inquest.bundle.redact import redact
from inquest.bundle.seal import masker_of
from inquest.bundle.store import BundleStore
from inquest.bundle.unredacted import named
from inquest.bundle.verify import verify
from inquest.capture.options import parse
from inquest.cli import dispatch

SECRET = "hun" + "ter2xx"
LINE = f"password={SECRET}"


def record(out: Path, node: str, *options: str) -> str:
    """A real recording of one line; gives what inquest said on standard error."""
    command = [sys.executable, "-m", "inquest", "run", "--no-recorder", "--out", str(out), "--node", node, *options]
    done = subprocess.run([*command, "--", "echo", LINE], check=True, text=True, capture_output=True, timeout=120)
    return done.stderr


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two nodes of one job, the first with its secrets."""
    out = tmp_path_factory.mktemp("recorded")
    said = record(out, "n1", "--no-mask", "--job-id", "7")
    assert said.count("NOT MASKED") == 1
    assert "MASKED" not in record(out, "n2", "--job-id", "7")
    return out


def lines(path: Path) -> dict[str, str]:
    rows = BundleStore(path).scan("log_lines").select("node", "text").collect()
    return dict(rows.iter_rows())


@pytest.mark.parametrize(
    ("given", "becomes"),
    [
        ("job.inquest", "job.UNREDACTED.inquest"),
        ("job.UNREDACTED.inquest", "job.UNREDACTED.inquest"),
        ("job", "job.UNREDACTED.inquest"),
        ("a.b.inquest", "a.b.UNREDACTED.inquest"),
    ],
)
def test_the_name_bears_it_once(given: str, becomes: str) -> None:
    assert named(Path("x", given), unmasked=True) == Path("x", becomes)
    assert named(Path("x", given), unmasked=False) == Path("x", given)


def test_one_unmasked_node_makes_the_bundle_unredacted(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert dispatch(["merge", str(recorded), "-o", str(tmp_path / "job.inquest")]) == 0
    told = capsys.readouterr()
    path = tmp_path / "job.UNREDACTED.inquest"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    assert told.err.count("SECRETS ARE NOT MASKED") == 1
    assert str(path) in told.out
    assert lines(path)["n1"] == LINE
    assert SECRET not in lines(path)["n2"]
    assert verify(path).ok
    assert dispatch(["info", str(path)]) == 0
    assert "UNREDACTED" in capsys.readouterr().out
    assert dispatch(["info", "--json", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)["unmasked"] is True
    with pytest.raises(UsageError, match="exists"):
        merge([recorded], tmp_path / "job.inquest")


def test_recordings_can_be_asked_in_place(recorded: Path, tmp_path: Path) -> None:
    assert open_store(recorded, tmp_path).info.nodes == ("n1", "n2")


def test_redact_masks_it_and_takes_the_mark_off(recorded: Path, tmp_path: Path) -> None:
    path = merge([recorded], tmp_path / "job.inquest").out
    with pytest.raises(UsageError, match="call a redacted bundle unredacted"):
        redact(path, tmp_path / "again.UNREDACTED.inquest")
    report = redact(path, tmp_path / "out.inquest")
    assert report.merged.out == tmp_path / "out.inquest"
    assert not report.merged.unmasked
    assert report.masked["password"] >= 1
    assert not any(SECRET in text for text in lines(tmp_path / "out.inquest").values())
    _, stated = open_bundle(tmp_path / "out.inquest")
    assert "unmasked" not in {redaction.rule for redaction in stated.redactions}
    assert verify(tmp_path / "out.inquest").ok


def test_a_masked_copy_of_the_same_recording_does_not_hide_the_other(recorded: Path, tmp_path: Path) -> None:
    """Whatever state of a recording merge keeps, the mark stays."""
    open_one = merge([recorded], tmp_path / "a.inquest").out
    masked = redact(open_one, tmp_path / "b.inquest").merged.out
    for order in ([open_one, masked], [masked, open_one]):
        again = merge(order, tmp_path / "c.inquest", force=True)
        assert again.unmasked
        assert again.out.name == "c.UNREDACTED.inquest"


def test_merge_leaves_what_was_not_sealed_as_it_is_when_asked(tmp_path: Path) -> None:
    record(tmp_path / "out", "n1")
    (capture,) = (tmp_path / "out" / "n1").iterdir()
    assert not list(capture.glob("log-*.seal")), "without a recorder nothing is sealed"
    assert SECRET not in lines(merge([tmp_path / "out"], tmp_path / "a.inquest").out)["n1"]
    assert lines(merge([tmp_path / "out"], tmp_path / "b.inquest", mask=False).out)["n1"] == LINE


def test_import_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "train.log"
    log.write_text(LINE + "\n")
    assert dispatch(["import", str(log), "--no-mask", "-o", str(tmp_path / "job.inquest")]) == 0
    assert capsys.readouterr().err.count("SECRETS ARE NOT MASKED") == 1
    assert list(lines(tmp_path / "job.UNREDACTED.inquest").values()) == [LINE]
    assert not (tmp_path / "job.inquest").exists()


def test_the_report_says_it(recorded: Path, tmp_path: Path) -> None:
    path = merge([recorded], tmp_path / "job.inquest").out
    assert dispatch(["analyze", str(path), "-o", str(tmp_path / "out")]) in (0, 3, 4)
    text = (tmp_path / "out" / "report.html").read_text()
    assert "<dt>UNREDACTED</dt>" in text
    assert "unmasked 0 times" not in text


@pytest.mark.parametrize(("value", "masks"), [("1", False), ("yes", False), ("0", True), ("", True), ("maybe", True)])
def test_the_environment_may_ask_for_it(value: str, masks: bool) -> None:
    options = parse(["--", "true"], {"INQUEST_NO_MASK": value, "INQUEST_CONFIG": "/dev/null"})
    assert options.mask is masks
    assert any("NOT MASKED" in warning for warning in options.warnings) is not masks


@pytest.mark.parametrize("identity", [{}, {"masked": True}, {"masked": None}, {"masked": 0}, {"masked": "false"}])
def test_only_a_clear_word_leaves_secrets_unmasked(identity: dict[str, object]) -> None:
    assert SECRET not in masker_of(identity).text(LINE)
