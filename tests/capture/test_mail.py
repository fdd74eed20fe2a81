"""A mail at the end, through a real SMTP server that is up, slow, refusing, or not there."""

from __future__ import annotations

import asyncio
import email
import email.policy
import json
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP

from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore

from .conftest import Wrapped, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import EmailMessage
    from pathlib import Path

TOKEN = "hf_" + "abcdefghijklmnopqrstuvwxyzABCDEFGH"
FAILING = (
    "import sys\n"
    "for step in range(300): print('step', step, 'loss', 2.5)\n"
    f"print('token {TOKEN}')\n"
    "print('Traceback (most recent call last):', file=sys.stderr)\n"
    "print('  File \"train.py\", line 7, in <module>', file=sys.stderr)\n"
    "print('FileNotFoundError: [Errno 2] No such file or directory: \\'/data/shard-7\\'', file=sys.stderr)\n"
    "sys.exit(1)\n"
)


class Inbox:
    """What a server does with the mails it is offered."""

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.receivers: list[list[str]] = []
        self.rcpt = "250 OK"
        self.patience_s = 0.0

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        await asyncio.sleep(self.patience_s)
        if self.rcpt.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.rcpt

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.mails.append(email.message_from_bytes(envelope.content, policy=email.policy.default))
        self.receivers.append(list(envelope.rcpt_tos))
        return "250 taken"


class _Local(Controller):
    def factory(self) -> SMTP:
        return SMTP(self.handler, hostname="test.example")


@pytest.fixture
def inbox() -> Iterator[Inbox]:
    box = Inbox()
    server = _Local(box, hostname="127.0.0.1", port=_free_port())
    server.start()
    box.server = f"127.0.0.1:{server.port}"  # type: ignore[attr-defined]
    yield box
    server.stop()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def run(wrapped: Wrapped, server: str, code: str, *more: str) -> tuple[int, float]:
    """Exit code of a wrapped job that mails, and how long it all took."""
    began = time.monotonic()
    options = ("--no-recorder", "--mail-to", "me@x.example,you@x.example", "--mail-server", server, *more)
    done = wrapped.python(code, options=options)
    return done.returncode, time.monotonic() - began


def outcome(wrapped: Wrapped, but: str = "the mail was begun") -> dict[str, Any]:
    """What mail.json says in the end."""

    def told() -> dict[str, Any] | None:
        found = list(wrapped.out.glob("n1/*/mail.json"))
        said: dict[str, Any] | None = json.loads(found[0].read_text()) if found else None
        return said if said is not None and not said["detail"].startswith(but) else None

    said = wait_for(told, "the mail's outcome", 120)
    assert isinstance(said, dict)
    return said


def test_a_failure_is_told_with_its_cause(wrapped: Wrapped, inbox: Inbox, tmp_path: Path) -> None:
    code, _ = run(wrapped, inbox.server, FAILING, "--job-id", "4711")  # type: ignore[attr-defined]
    assert code == 1
    assert outcome(wrapped)["outcome"] == "ok"
    (mail,) = inbox.mails
    assert inbox.receivers == [["me@x.example", "you@x.example"]]
    assert mail["Subject"].startswith("[inquest] job 4711 on n1 failed with exit code 1 after ")
    body = mail.get_body().get_content()  # type: ignore[union-attr]
    assert "FileNotFoundError" in body
    assert "Verdict:" in body
    assert "step 299 loss 2.5" in body
    (log,) = [part.get_content() for part in mail.iter_attachments()]
    assert "No such file or directory: '/data/shard-7'" in log
    assert len(log.encode()) <= 65536
    assert TOKEN not in mail.as_string()
    assert "[masked:" in log
    merge([wrapped.out], tmp_path / "job.inquest")
    rows = BundleStore(tmp_path / "job.inquest").scan("collection").collect().to_dicts()
    (told,) = [row for row in rows if row["collector"] == "mail"]
    assert (told["outcome"], told["detail"]) == ("ok", "sent to 2 receivers")


def test_a_success_tells_how_long_it_took_and_where_it_got(wrapped: Wrapped, inbox: Inbox) -> None:
    code = "for step in range(40): print('step', step, 'loss', 1.25)"
    assert run(wrapped, inbox.server, code, "--mail-budget", "100")[0] == 0  # type: ignore[attr-defined]
    assert outcome(wrapped)["outcome"] == "ok"
    (mail,) = inbox.mails
    assert " finished after " in mail["Subject"]
    assert "step 39 loss 1.25" in mail.get_body().get_content()  # type: ignore[union-attr]
    (log,) = [part.get_content() for part in mail.iter_attachments()]
    assert len(log.encode()) <= 100
    assert log.splitlines()[-1] == "step 39 loss 1.25"


def test_of_an_unmasked_recording_no_line_is_sent(wrapped: Wrapped, inbox: Inbox) -> None:
    assert run(wrapped, inbox.server, FAILING, "--no-mask")[0] == 1  # type: ignore[attr-defined]
    assert outcome(wrapped)["outcome"] == "ok"
    (mail,) = inbox.mails
    assert TOKEN not in mail.as_string()
    assert "step" not in mail.as_string()


def test_other_ranks_send_none(wrapped: Wrapped, inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    assert run(wrapped, inbox.server, "")[0] == 0  # type: ignore[attr-defined]
    time.sleep(1)
    assert not list(wrapped.out.glob("n1/*/mail.json"))
    assert not inbox.mails


@pytest.mark.parametrize(("rcpt", "said"), [("550 no such user", "refused all receivers (550, 550)")])
def test_a_server_that_refuses(wrapped: Wrapped, inbox: Inbox, rcpt: str, said: str) -> None:
    inbox.rcpt = rcpt
    assert run(wrapped, inbox.server, "raise SystemExit(5)")[0] == 5  # type: ignore[attr-defined]
    told = outcome(wrapped)
    assert (told["outcome"], said in told["detail"]) == ("failed", True)
    assert not inbox.mails


def test_a_slow_server_holds_up_nothing(wrapped: Wrapped, inbox: Inbox) -> None:
    inbox.patience_s = 3
    assert run(wrapped, inbox.server, "raise SystemExit(5)")[0] == 5  # type: ignore[attr-defined]
    assert not inbox.mails, "the job's end waited for the mail"
    assert outcome(wrapped)["outcome"] == "ok"
    assert len(inbox.mails) == 1


def test_a_server_that_is_not_there_costs_the_mail_only(wrapped: Wrapped) -> None:
    code, took = run(wrapped, f"127.0.0.1:{_free_port()}", "raise SystemExit(5)")
    assert code == 5
    assert took < 20, "the wrapper waited for somebody"
    (file,) = wait_for(lambda: list(wrapped.out.glob("n1/*/mail.json")), "the note")  # type: ignore[misc]
    assert json.loads(file.read_text())["outcome"] == "failed"


def test_a_silent_server_does_not_hold_the_job(wrapped: Wrapped) -> None:
    """It accepts, and never says a word."""
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        accepted: list[socket.socket] = []
        threading.Thread(target=lambda: accepted.append(mute.accept()[0]), daemon=True).start()
        code, took = run(wrapped, f"127.0.0.1:{mute.getsockname()[1]}", "raise SystemExit(5)")
        assert code == 5
        assert took < 20
        wait_for(lambda: accepted, "the sender to connect")
        accepted[0].close()


@pytest.mark.parametrize(
    "options",
    [("--mail-to", "nobody"), ("--mail-to", "a@b\nBcc: c@d"), ("--mail-server", "x:0"), ("--mail-budget", "lots")],
)
def test_usage(wrapped: Wrapped, options: tuple[str, ...]) -> None:
    done = wrapped.run("true", options=options)
    assert done.returncode == 2
    assert options[0].encode() in done.stderr
