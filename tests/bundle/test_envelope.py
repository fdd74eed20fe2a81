"""Signatures and encryption with the real tools: age, GnuPG, minisign."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inquest.bundle import envelope
from inquest.bundle.errors import InputError, UnsafeInput, UsageError
from inquest.cli import dispatch
from tests.bundle.forge import write_bundle

if TYPE_CHECKING:
    from collections.abc import Iterator


def need(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed (apt: age, gnupg, minisign)")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "J 'a'.inquest", {"log_lines": [{"text": "hello", "stream": "stdout"}]})


@pytest.fixture
def mini(tmp_path: Path) -> Path:
    """Key pair of minisign: ``key`` and ``key.pub``."""
    need("minisign")
    words = ["minisign", "-G", "-W", "-s", tmp_path / "key", "-p", tmp_path / "key.pub"]
    subprocess.run(words, check=True, capture_output=True)
    return tmp_path / "key"


@pytest.fixture(scope="module")
def gnupg(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A keyring with a key of coroner@example.org, its public half in ``public.asc``."""
    need("gpg")
    home = tmp_path_factory.mktemp("g")
    home.chmod(0o700)
    environment = {**os.environ, "GNUPGHOME": str(home)}
    gpg = ["gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", ""]
    made = subprocess.run(
        [*gpg, "--quick-generate-key", "coroner@example.org", "default", "default", "never"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"GnuPG makes no key here: {made.stderr[-200:]}")
    with (home / "public.asc").open("wb") as out:
        subprocess.run(["gpg", "--armor", "--export", "coroner@example.org"], env=environment, stdout=out, check=True)
    yield home
    subprocess.run(["gpgconf", "--kill", "all"], env=environment, check=False, capture_output=True)


@pytest.fixture
def with_gnupg(gnupg: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GNUPGHOME", str(gnupg))
    return gnupg / "public.asc"


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_minisign(file: Path, mini: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    public = tmp_path / "key.pub"
    assert dispatch(["sign", str(file), "--key", str(mini)]) == 0
    signature = Path(capsys.readouterr().out.strip())
    assert signature.name == "J 'a'.inquest.minisig"
    assert dispatch(["verify", str(file), "--public-key", str(public)]) == 0
    assert "signed by file:J 'a'.inquest (minisign)" in capsys.readouterr().out
    literal = public.read_text().splitlines()[1]
    assert envelope.check(file, signature, literal).tool == "minisign"
    assert dispatch(["sign", str(file), "--key", str(mini)]) == 2
    assert "--force" in capsys.readouterr().err
    flip(file, 5000)
    assert dispatch(["verify", str(file), "--public-key", str(public)]) == 5
    assert "is no signature of" in capsys.readouterr().err
    signature.unlink()
    assert dispatch(["verify", str(file), "--public-key", str(public)]) == 5
    assert "bears no signature" in capsys.readouterr().err
    assert dispatch(["verify", str(file), "--signature", str(signature)]) == 2


def test_minisign_by_another_key(file: Path, mini: Path, tmp_path: Path) -> None:
    signature = envelope.sign(file, str(mini))
    words = ["minisign", "-G", "-W", "-s", tmp_path / "other", "-p", tmp_path / "other.pub"]
    subprocess.run(words, check=True, capture_output=True)
    with pytest.raises(InputError, match="by that key"):
        envelope.check(file, signature, str(tmp_path / "other.pub"))
    flip(signature, signature.read_bytes().index(b"\n") + 60)  # the first line is a comment that nobody signs
    with pytest.raises(InputError):
        envelope.check(file, signature, str(tmp_path / "key.pub"))


def test_gnupg_signs(file: Path, with_gnupg: Path, capsys: pytest.CaptureFixture[str]) -> None:
    signature = envelope.sign(file, "coroner@example.org")
    assert signature.name.endswith(".inquest.asc")
    assert dispatch(["verify", str(file), "--public-key", str(with_gnupg)]) == 0
    assert "(gpg)" in capsys.readouterr().out
    flip(file, 5000)
    with pytest.raises(InputError, match="is no signature"):
        envelope.check(file, signature, str(with_gnupg))
    with pytest.raises(UsageError, match="cannot sign"):
        envelope.sign(file, "nobody@example.org", force=True)


def test_gnupg_counts_only_the_key_given(file: Path, with_gnupg: Path, tmp_path: Path) -> None:
    """A signature by a key in the user's own keyring is none by the key that was asked for."""
    signature = envelope.sign(file, "coroner@example.org")
    other = tmp_path / "h"
    other.mkdir(mode=0o700)
    words = ["gpg", "--homedir", other, "--batch", "--pinentry-mode", "loopback", "--passphrase", ""]
    subprocess.run([*words, "--quick-generate-key", "x@example.org"], check=True, capture_output=True)
    exported = subprocess.run([*words, "--armor", "--export"], check=True, capture_output=True).stdout
    subprocess.run(["gpgconf", "--homedir", other, "--kill", "all"], check=False, capture_output=True)
    (tmp_path / "x.asc").write_bytes(exported)
    with pytest.raises(InputError, match="is no signature"):
        envelope.check(file, signature, str(tmp_path / "x.asc"))
    (tmp_path / "x.asc").write_text("no key")
    with pytest.raises(InputError, match="holds no public key"):
        envelope.check(file, signature, str(tmp_path / "x.asc"))


def test_age(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need("age", "age-keygen")
    for name in ("me", "other"):
        subprocess.run(["age-keygen", "-o", tmp_path / name], check=True, capture_output=True)
    public = subprocess.run(
        ["age-keygen", "-y", tmp_path / "me"], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert dispatch(["encrypt", str(file), "--to", public]) == 0
    secret = Path(capsys.readouterr().out.strip())
    assert secret.name == "J 'a'.inquest.age"
    assert b"PAR1" not in secret.read_bytes()
    assert dispatch(["decrypt", str(secret), "--key", str(tmp_path / "me")]) == 2, "the plain file is there"
    assert "--force" in capsys.readouterr().err
    back = tmp_path / "back"
    assert dispatch(["decrypt", str(secret), "--key", str(tmp_path / "me"), "-o", str(back)]) == 0
    assert back.read_bytes() == file.read_bytes()
    assert dispatch(["decrypt", str(secret), "--key", str(tmp_path / "other"), "-o", str(tmp_path / "b")]) == 5
    assert "cannot be decrypted by that key" in capsys.readouterr().err
    assert dispatch(["decrypt", str(secret), "-o", str(tmp_path / "b")]) == 2
    flip(secret, secret.stat().st_size - 1)
    assert dispatch(["decrypt", str(secret), "--key", str(tmp_path / "me"), "-o", str(tmp_path / "b")]) == 5
    assert not (tmp_path / "b").exists(), "nothing half decrypted is left"
    assert not list(tmp_path.glob(".*"))
    (tmp_path / "recipients").write_text(public + "\n")
    assert envelope.encrypt(file, [str(tmp_path / "recipients")], tmp_path / "c").exists()


def test_gnupg_encrypts(file: Path, with_gnupg: Path, tmp_path: Path) -> None:
    for number, recipient in enumerate(("coroner@example.org", str(with_gnupg))):
        secret = envelope.encrypt(file, [recipient], tmp_path / f"{number}.gpg")
        assert envelope.decrypt(secret, tmp_path / f"{number}.out").read_bytes() == file.read_bytes()
    with pytest.raises(UsageError, match="cannot encrypt"):
        envelope.encrypt(file, ["nobody@example.org"])
    with pytest.raises(UsageError, match="encrypt twice"):
        envelope.encrypt(file, ["coroner@example.org", "age1" + "q" * 58])
    with pytest.raises(InputError):
        envelope.decrypt(file, tmp_path / "none")


def test_a_bomb_does_not_fill_the_disk(with_gnupg: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zeros").write_bytes(bytes(1 << 20))
    words = [
        "gpg",
        "--batch",
        "--trust-model",
        "always",
        "--compress-algo",
        "zip",
        "-f",
        with_gnupg,
        "-e",
        tmp_path / "zeros",
    ]
    subprocess.run(words, check=True, capture_output=True)
    monkeypatch.setattr(envelope, "_SLACK_BYTES", 1000)
    with pytest.raises(UnsafeInput, match="unpacks to more"):
        envelope.decrypt(tmp_path / "zeros.gpg", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_missing_tool_is_named_with_its_package(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "key").write_text("x")
    (tmp_path / "s").write_text("untrusted comment: x\n")
    for call, package in (
        (lambda: envelope.sign(file, str(tmp_path / "key")), "minisign"),
        (lambda: envelope.sign(file, "me"), "gnupg"),
        (lambda: envelope.encrypt(file, ["age1" + "q" * 58]), "age"),
        (lambda: envelope.check(file, tmp_path / "s", "RWx"), "minisign"),
    ):
        with pytest.raises(UsageError, match=f"package '{package}'"):
            call()


@pytest.mark.parametrize("word", ["--output=/etc/x", "-o", "", "a\nb"])
def test_no_word_becomes_an_option(word: str, file: Path) -> None:
    with pytest.raises(UsageError, match="is no key"):
        envelope.sign(file, word)
    with pytest.raises(UsageError, match="is no key"):
        envelope.encrypt(file, [word])


@pytest.mark.parametrize("verb", ["sign", "encrypt", "decrypt"])
def test_help_has_an_example(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch([verb, "--help"]) == 0
    assert f"inquest {verb} job.inquest" in capsys.readouterr().out
