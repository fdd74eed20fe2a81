"""Signatures and encryption of a file by tools that do nothing else: age, GnuPG, minisign. Nothing of it is ours.

Which tool follows from what the user has: a key file of minisign signs with minisign, the name of a key with GnuPG;
an age recipient (``age1...``, an SSH key, a file of them) encrypts with age, anything else with GnuPG. What comes in is
told by its first bytes. A tool gets absolute paths and words that cannot be taken for options, never a shell.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from inquest.bundle.errors import InputError, UnsafeInput, UsageError
from inquest.bundle.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_PACKAGES: Final = {"age": "age", "gpg": "gnupg", "minisign": "minisign"}
_MINISIGN: Final = b"untrusted comment:"
_AGE: Final = (b"age-encryption.org/v1", b"-----BEGIN AGE ENCRYPTED FILE-----")
_AGE_RECIPIENT: Final = re.compile(
    r"age1[0-9a-z]{10,4000}|(?:ssh-ed25519|ssh-rsa) [A-Za-z0-9+/=]{20,4000}(?: \S{1,200})?"
)
_PGP_PUBLIC_KEY: Final = b"-----BEGIN PGP PUBLIC KEY BLOCK-----"
_FINGERPRINT: Final = re.compile(r"^\[GNUPG:\] VALIDSIG ([0-9A-F]{40,64}) ", re.MULTILINE)
_COMMENT: Final = re.compile(r"^Trusted comment: (.{1,500})$", re.MULTILINE)
_HEAD_BYTES: Final = 4096
_SLACK_BYTES: Final = 1 << 30
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Signed:
    """Whose signature fits: the tool, and what it says of the signer (key fingerprint, or signed comment)."""

    tool: str
    by: str


def sign(file: Path, key: str, *, force: bool = False) -> Path:
    """Sign ``file`` with a secret key: a file of minisign, or the name of a key GnuPG has. Returns the signature.

    Raises:
        UsageError: The tool is missing, the signature exists, or the tool refused.
    """
    _is_there(file)
    with_minisign = Path(key).is_file()
    out = file.with_name(file.name + (".minisig" if with_minisign else ".asc"))

    def make(staged: Path) -> None:
        if with_minisign:
            words = ["minisign", "-S", "-s", str(Path(key).resolve()), "-x", str(staged), "-m", str(file.resolve())]
            _run([*words, "-t", f"file:{file.name}"], f"cannot sign {file}")
        else:
            words = ["gpg", "--armor", "--local-user", _word(key), "--output", str(staged), "--detach-sign"]
            _run([*words, str(file.resolve())], f"cannot sign {file}")

    return _produce(out, make, force=force)


def check(file: Path, signature: Path, public_key: str) -> Signed:
    """Whether ``signature`` was made over ``file`` by the owner of ``public_key``: a file, or minisign's key itself.

    Raises:
        UsageError: The tool is missing.
        InputError: It was not, or what was given is no signature or no key.
    """
    _is_there(file)
    _is_there(signature)
    wrong = f"{signature} is no signature of {file} by that key: do not rely on the file"
    if _head(signature).startswith(_MINISIGN):
        key = ["-p", str(Path(public_key).resolve())] if Path(public_key).is_file() else ["-P", _word(public_key)]
        words = ["minisign", "-V", *key, "-x", str(signature.resolve()), "-m", str(file.resolve())]
        told = _run(words, wrong, InputError)
        comment = _COMMENT.search(told)
        return Signed("minisign", comment[1] if comment else "")
    _is_there(Path(public_key))
    with tempfile.TemporaryDirectory(prefix="inquest-gpg-") as home:  # of the user's own keys none counts here
        gpg = ["gpg", "--homedir", home, "--batch", "--no-autostart", "--trust-model", "always"]
        _run(
            [*gpg, "--import", str(Path(public_key).resolve())],
            f"{public_key} holds no public key of GnuPG",
            InputError,
        )
        words = [*gpg, "--status-fd", "1", "--verify", str(signature.resolve()), str(file.resolve())]
        fingerprint = _FINGERPRINT.search(_run(words, wrong, InputError))
    if fingerprint is None:
        raise InputError(wrong)
    return Signed("gpg", fingerprint[1])


def encrypt(file: Path, recipients: Sequence[str], out: Path | None = None, *, force: bool = False) -> Path:
    """Encrypt ``file`` so that any of ``recipients`` can read it. Returns the encrypted file, ``FILE.age`` or ``.gpg``.

    Raises:
        UsageError: The tool is missing, ``out`` exists, recipients need different tools, or the tool refused.
    """
    _is_there(file)
    if not recipients:
        raise UsageError("name who may read it: --to RECIPIENT")
    kinds = {_tool_for(recipient) for recipient in recipients}
    if len(kinds) > 1:
        raise UsageError("recipients of age and of GnuPG do not go together: encrypt twice")
    tool = kinds.pop()
    words: list[str] = []
    for recipient in recipients:
        place = Path(recipient)
        if tool == "age":
            words += ["-R", str(place.resolve())] if place.is_file() else ["-r", _word(recipient)]
        else:
            words += ["-f", str(place.resolve())] if place.is_file() else ["-r", _word(recipient)]

    def make(staged: Path) -> None:
        if tool == "age":
            argv = ["age", "--encrypt", *words, "-o", str(staged), str(file.resolve())]
        else:
            # A bundle is compressed already.
            gpg = ["gpg", "--batch", "--trust-model", "always", "--compress-algo", "none"]
            argv = [*gpg, *words, "--output", str(staged), "--encrypt", str(file.resolve())]
        _run(argv, f"cannot encrypt {file}")

    return _produce(out or file.with_name(f"{file.name}.{tool}"), make, force=force)


def decrypt(
    file: Path,
    out: Path | None = None,
    *,
    key: Path | None = None,
    force: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Decrypt ``file``: with age by the identity in ``key``, with GnuPG by the keys it has. Returns the plain file.

    ``progress`` is told the bytes written and about how many there will be.

    Raises:
        UsageError: The tool is missing, ``out`` exists, or a key is needed.
        InputError: It is not encrypted to that key, or damaged.
        UnsafeInput: It unpacks to far more than it is.
    """
    _is_there(file)
    if out is None:
        if file.suffix not in (".age", ".gpg", ".asc", ".pgp"):
            raise UsageError(f"{file} does not tell the name of what is in it: give one with -o")
        out = file.with_suffix("")
    with_age = _head(file).startswith(_AGE)
    if with_age:
        if key is None:
            raise UsageError(f"{file} is encrypted with age: give the file of your identity with --key")
        _is_there(key)
        argv = ["age", "--decrypt", "-i", str(key.resolve()), str(file.resolve())]
    else:
        argv = ["gpg", "--decrypt", str(file.resolve())]
    # GnuPG unpacks what was compressed: a few bytes may be gigabytes.
    size = file.stat().st_size
    most = 20 * size + _SLACK_BYTES

    def tell(written: int) -> None:
        if progress is not None:
            progress(written, max(written, size))

    def make(staged: Path) -> None:
        _stream(argv, staged, most, f"{file} cannot be decrypted by that key, or is damaged", tell)

    return _produce(out, make, force=force)


def _tool_for(recipient: str) -> str:
    if Path(recipient).is_file():
        return "gpg" if _head(Path(recipient)).startswith(_PGP_PUBLIC_KEY) else "age"
    return "age" if _AGE_RECIPIENT.fullmatch(recipient) else "gpg"


def _produce(out: Path, make: Callable[[Path], None], *, force: bool) -> Path:
    """``out``, which appears when it is whole."""
    if out.exists() and not force:
        raise UsageError(f"{out} exists: choose another name, or replace it with --force")
    try:
        with scratch(out) as folder:
            staged = folder / "out"
            make(staged)
            staged.replace(out)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror or error}") from error
    return out


def _run(argv: list[str], wrong: str, kind: type[UsageError | InputError] = UsageError) -> str:
    """What a tool prints; where it fails, ``wrong`` is raised with its last words."""
    try:
        # It may ask for a passphrase on the terminal.
        seen = None if sys.stderr.isatty() else subprocess.PIPE
        done = subprocess.run(
            _found(argv), stdout=subprocess.PIPE, stderr=seen, text=True, errors="replace", check=False
        )
    except OSError as error:
        raise UsageError(f"{argv[0]} cannot be started: {error.strerror}") from error
    if done.returncode:
        raise kind(wrong + _last_words(argv[0], done.stderr or ""))
    return done.stdout


def _stream(argv: list[str], out: Path, most: int, wrong: str, tell: Callable[[int], None]) -> None:
    with (
        open(out, "xb") as target,
        tempfile.TemporaryFile() as said,
        subprocess.Popen(_found(argv), stdout=subprocess.PIPE, stderr=None if sys.stderr.isatty() else said) as child,
    ):
        assert child.stdout is not None
        while chunk := child.stdout.read(_CHUNK):
            target.write(chunk)
            tell(target.tell())
            if target.tell() > most:
                child.kill()
                raise UnsafeInput(f"{argv[-1]} unpacks to more than {most >> 20} MiB: do not trust the file")
        if child.wait():
            said.seek(0)
            raise InputError(wrong + _last_words(argv[0], said.read(1 << 16).decode(errors="replace")))


def _found(argv: list[str]) -> list[str]:
    program = shutil.which(argv[0])
    if program is None:
        package = _PACKAGES[argv[0]]
        raise UsageError(
            f"{argv[0]} is not installed here: install the package '{package}' of your system and try again"
        )
    return [program, *argv[1:]]


def _last_words(tool: str, said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip() and "unsafe permissions" not in line]
    text = "".join(c if c.isprintable() else " " for c in lines[-1])[:200] if lines else ""
    return f" ({tool}: {text})" if text else ""


def _word(text: str) -> str:
    if text.startswith("-") or not text.isprintable() or not text:
        raise UsageError(f"{text[:80]!r} is no key and no file with one")
    return text


def _head(path: Path) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(_HEAD_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _is_there(path: Path) -> None:
    if not path.is_file():
        raise UsageError(f"{path} is not a file that can be read: check its name")
