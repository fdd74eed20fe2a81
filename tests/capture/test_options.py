from __future__ import annotations

import os
from pathlib import Path

import pytest

from inquest.bundle.errors import UsageError
from inquest.capture.options import HelpWanted, parse


def test_flags_win_over_environment_and_environment_over_file(tmp_path: Path) -> None:
    config = tmp_path / "inquest.toml"
    config.write_text('out = "/from/file"\nnode = "file"\njob_id = "1"\nno_fsync = true\n')
    environ = {"INQUEST_CONFIG": str(config), "INQUEST_NODE": "env", "INQUEST_JOB_ID": "2", "SLURM_JOB_ID": "4"}
    options = parse(["--job-id=3", "--", "true"], environ)
    assert (options.out, options.node, options.job_id, options.fsync) == ("/from/file", "env", "3", False)
    assert options.recorder
    assert not options.warnings


def test_a_no_in_the_environment_wins_over_a_yes_in_the_file(tmp_path: Path) -> None:
    config = tmp_path / "inquest.toml"
    config.write_text("no_recorder = true\n")
    assert parse(["true"], {"INQUEST_CONFIG": str(config), "INQUEST_NO_RECORDER": "0"}).recorder
    assert not parse(["true"], {"INQUEST_CONFIG": str(config)}).recorder


def test_defaults() -> None:
    options = parse(["--", "a", "--out", "b"], {"SLURMD_NODENAME": "gpu-1", "SLURM_JOB_ID": "77", "INQUEST_CONFIG": ""})
    assert options.command == ["a", "--out", "b"]
    assert options.out == str(Path.cwd() / "inquest-out")
    assert (options.node, options.job_id, options.fsync) == ("gpu-1", "77", True)
    assert parse(["a"], {}).node == os.uname().nodename


def test_a_host_name_that_cannot_be_a_directory_is_made_one() -> None:
    assert parse(["a"], {"SLURMD_NODENAME": "../a b"}).node == "a-b"


def test_the_command_begins_at_the_first_word_that_is_no_option() -> None:
    assert parse(["--no-fsync", "python", "--help"], {}).command == ["python", "--help"]
    assert parse(["--out", "x", "--", "--odd"], {}).command == ["--odd"]


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ([], "no command"),
        (["--"], "no command"),
        (["--bogus", "--", "a"], "--bogus"),
        (["-x", "a"], "-x"),
        (["--out"], "needs a value"),
        (["--out=", "a"], "needs a value"),
        (["--no-fsync=1", "a"], "takes no value"),
        (["--node", "../x", "a"], "cannot name a node"),
        (["--node=a/b", "a"], "cannot name a node"),
        (["--job_id", "3", "a"], "--job_id"),
    ],
)
def test_usage_errors_say_what(argv: list[str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        parse(argv, {})


def test_help() -> None:
    with pytest.raises(HelpWanted):
        parse(["--help", "--bogus"], {})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("out = 3", "not a string"),
        ("no_fsync = 'yes'", "not true or false"),
        ("this is not toml", "not a TOML file"),
        ("node = '../up'", "cannot name a node"),
        ("out = '\xff'", "not a TOML file"),
    ],
)
def test_a_broken_central_file_never_stops_a_job(tmp_path: Path, text: str, sentence: str) -> None:
    config = tmp_path / "inquest.toml"
    config.write_bytes(text.encode("latin-1"))
    options = parse(["true"], {"INQUEST_CONFIG": str(config)})
    assert options.command == ["true"]
    (warning,) = options.warnings
    assert sentence in warning
    assert str(config) in warning


def test_a_central_file_that_is_named_and_missing_is_reported(tmp_path: Path) -> None:
    assert "does not exist" in parse(["a"], {"INQUEST_CONFIG": str(tmp_path / "no")}).warnings[0]
    assert "neither true nor false" in parse(["a"], {"INQUEST_NO_FSYNC": "maybe"}).warnings[0]
