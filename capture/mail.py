"""A mail when the job has ended: why it failed, with the lines that say so, or how long it took and where it got.

``python -m inquest.capture.mail CAPTURE_DIR SETTINGS`` is started by the wrapper's parent as soon as the job has ended
and its output is out, in a session of its own, and nobody waits for it: status and end of the job are the same whether
a mail server answers, is slow, refuses or is not there. What became of the mail stands in CAPTURE_DIR/mail.json, which
merge turns into a row of ``collection``. What is sent was masked as all that leaves the node; of a recording with
--no-mask no line is sent.

Only the first task of a job sends one (RANK or SLURM_PROCID 0, or a task without either).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import smtplib
import subprocess
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from inquest.bundle.nodedir import MAIL_JSON
from inquest.bundle.recovery import RecoveryReport, recover_capture

if TYPE_CHECKING:
    from collections.abc import Mapping

_CONNECT_S: Final = 20.0
_TRIES: Final = (0.0, 5.0, 30.0)
"""Seconds before each attempt: a relay that restarts is back by the last one."""
_VERDICT_S: Final = 20.0
_READ_TRIES: Final = 5
"""The recorder may be sealing what is read here: a file that has just become Parquet is found at the next look."""
_TAIL: Final = 60
_AROUND: Final = 4
_WINDOWS: Final = 12
_LONG: Final = 400
_TELLING: Final = re.compile(
    r"Traceback \(most recent|\b[A-Z]\w*(?:Error|Exception)\b|\b(?:FATAL|CRITICAL|ERROR)\b|[Oo]ut of memory|Killed"
    r"|CUDA error|NCCL (?:WARN|error)|[Ss]egmentation fault|Signal \d+|exitcode *:|Watchdog caught|[Cc]ould not"
    r"|[Ff]ailed"
)
"""Lines worth a window of the mail; which of them killed the run is for analyze to say."""
_PROGRESS: Final = re.compile(r"(?i)\bloss\b.{0,40}\d|\bstep\b.{0,12}\d|\d+/\d+ \[")


@dataclass(slots=True)
class Story:
    """What one recording says of its job, in bounded memory."""

    command: str = ""
    began_ns: int | None = None
    ended_ns: int | None = None
    signals: list[str] = field(default_factory=list)
    lines: int = 0
    tail: deque[str] = field(default_factory=lambda: deque(maxlen=_TAIL))
    windows: deque[list[str]] = field(default_factory=lambda: deque(maxlen=_WINDOWS))
    progress: str = ""

    def read(self, capture_dir: Path) -> bool:
        """Take everything in; False when the log could not be read whole."""
        report = RecoveryReport()
        before: deque[str] = deque(maxlen=_AROUND)
        after = 0
        for table, batch in recover_capture(capture_dir, report):
            if table == "processes":
                self._processes(batch.to_pylist())
            if table != "log_lines":
                continue
            for text in batch.column("text").to_pylist():
                line = (text or "")[:_LONG]
                self.lines += 1
                self.tail.append(line)
                if _PROGRESS.search(line):
                    self.progress = line
                if _TELLING.search(line):
                    if after == 0:
                        self.windows.append(list(before))
                    after = _AROUND + 1
                if after:
                    self.windows[-1].append(line)
                    after -= 1
                    before.clear()
                else:
                    before.append(line)
        return not any(segment.state == "unreadable" for segment in report.segments)

    def _processes(self, rows: list[dict[str, Any]]) -> None:
        for row in rows:
            if row["event"] == "signal" and row["signal"] is not None:
                sender = f" from {row['sender_command']} ({row['sender_pid']})" if row["sender_pid"] else ""
                self.signals.append(f"{_signal_name(row['signal'])}{sender}")
            if row["event"] == "start" and not self.command:
                self.command = row["argv"] or row["command"] or ""


def compose(story: Story, settings: Mapping[str, Any], verdict: Mapping[str, Any] | None) -> EmailMessage:
    """The mail: what happened in the text, the lines it rests on in an attachment within the budget."""
    how = _how(settings)
    took = _duration((settings["ended_ns"] - settings["began_ns"]) / 1e9)
    job = f"job {settings['job_id']}" if settings.get("job_id") else "a job"
    mail = EmailMessage()
    mail["From"] = settings["from"]
    mail["To"] = ", ".join(settings["to"])
    mail["Subject"] = f"[inquest] {job} on {settings['node']} {how} after {took}"
    mail["Auto-Submitted"] = "auto-generated"  # RFC 3834: no out-of-office answers
    facts = {
        "Job": settings.get("job_id"),
        "Node": settings["node"],
        "Command": _shortened(story.command, 2000),
        "Began": _utc(settings["began_ns"]),
        "Ended": f"{_utc(settings['ended_ns'])}, after {took}",
        "Ended by": how,
        "Signals": "; ".join(story.signals[-4:]),
        "Last figures": story.progress.strip(),
    }
    text = [f"{name + ':':<14}{value}" for name, value in facts.items() if value]
    failed = how != "finished"
    if verdict is not None:
        text += ["", f"Verdict:      {verdict['headline']}"]
        if verdict["next"]["action"] and failed:
            text += [f"Next:         {verdict['next']['action']}  ({verdict['next']['owner']})"]
        text += [f"  - {claim['text']}: {claim.get('excerpt') or claim['value']}" for claim in verdict["shows"][:6]]
        text += ["This is the word of one node's log. Merge all nodes and run `inquest analyze` for the whole of it."]
    elif failed:
        text += ["", "For the cause: `inquest merge` all nodes, and `inquest analyze` the bundle."]
    text += ["", f"Recording:    {settings['directory']}"]
    if not settings["masked"]:
        text += ["              (recorded with --no-mask: no line of it is sent)"]
    mail.set_content("\n".join(text) + "\n")
    log = _excerpt(story, int(settings["budget"]), failed=failed) if settings["masked"] else ""
    if log:
        mail.add_attachment(log, filename="log.txt")
    return mail


def _excerpt(story: Story, budget: int, *, failed: bool) -> str:
    """The last lines, and before them, for a failure, windows around telling ones; whole lines within the budget."""
    parts = [[f"--- the last {len(story.tail)} of {story.lines} lines ---", *story.tail]]
    if failed:  # the last windows are nearest to the end
        parts += [["--- before that ---", *window] for window in reversed(story.windows)]
    kept: list[str] = []
    room = budget
    for part in parts:
        size = sum(len(line.encode()) + 1 for line in part)
        if size > room:
            part = [part[0], *_fitting(part[1:], room - len(part[0].encode()) - 1)]
            kept += part if len(part) > 1 else []
            break
        room -= size
        kept += part
    return "\n".join(kept) + "\n" if kept else ""


def _fitting(lines: list[str], room: int) -> list[str]:
    """The last lines that fit."""
    kept: list[str] = []
    for line in reversed(lines):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        kept.append(line)
    return kept[::-1]


def _verdict(story: Story, settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """What `inquest explain` says of the last lines and windows, where the desk's part is installed; else None."""
    if getattr(sys, "frozen", False):
        return None
    lines = [line for window in story.windows for line in window] + list(story.tail)
    end = ["--exit-code", str(settings["exit_code"])]
    if settings["term_signal"] is not None:
        end = ["--signal", str(settings["term_signal"])]
    try:
        done = subprocess.run(
            [sys.executable, "-E", "-P", "-m", "inquest", "explain", "--json", *end, "-"],
            input="\n".join(lines).encode(),
            capture_output=True,
            timeout=_VERDICT_S,
            check=False,
        )
        verdict = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return verdict if isinstance(verdict, dict) and verdict.get("outcome") == "decided" else None


def _send(mail: EmailMessage, server: str) -> str:
    """What became of it; empty when the server took it."""
    host, _, port = server.rpartition(":") if ":" in server else (server, "", "25")
    said = ""
    for pause in _TRIES:
        time.sleep(pause)
        try:
            with smtplib.SMTP(host, int(port), timeout=_CONNECT_S) as smtp:
                refused = smtp.send_message(mail)
            return "; ".join(f"{code} for one of the receivers" for code, _ in refused.values())
        except smtplib.SMTPResponseException as error:
            said = f"{server} answered {error.smtp_code}"
            if error.smtp_code >= 500:
                return said
        except smtplib.SMTPRecipientsRefused as error:
            said = f"{server} refused all receivers ({', '.join(str(code) for code, _ in error.recipients.values())})"
            if all(code >= 500 for code, _ in error.recipients.values()):
                return said
        except (OSError, ValueError, smtplib.SMTPException) as error:
            said = f"{server}: {error}"
    return said


def _how(settings: Mapping[str, Any]) -> str:
    if settings["term_signal"] is not None:
        return f"killed by {_signal_name(settings['term_signal'])}"
    return "finished" if settings["exit_code"] == 0 else f"failed with exit code {settings['exit_code']}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _duration(seconds: float) -> str:
    hours, rest = divmod(int(seconds), 3600)
    minutes, left = divmod(rest, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {left:02} s" if minutes else f"{seconds:.1f} s"


def _utc(ns: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(ns / 1e9))


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + " ..."


def _note(capture_dir: Path, outcome: str, detail: str) -> None:
    new = capture_dir / f".{MAIL_JSON}.tmp"
    with contextlib.suppress(OSError):
        new.write_text(json.dumps({"outcome": outcome, "detail": detail, "mono_ns": time.monotonic_ns()}))
        new.replace(capture_dir / MAIL_JSON)


def main(argv: list[str]) -> int:
    """Read, compose, send, note; nothing is printed."""
    capture_dir, settings = Path(argv[0]), json.loads(argv[1])
    with contextlib.suppress(OSError):
        os.setsid()
    with contextlib.suppress(OSError):
        os.nice(19)
    _note(capture_dir, "failed", "the mail was begun, and whoever sent it was ended before it was out")
    try:
        for _ in range(_READ_TRIES):
            story = Story()
            if not settings["masked"] or story.read(capture_dir):
                break
            time.sleep(0.2)
        mail = compose(story, settings, _verdict(story, settings))
        problem = _send(mail, settings["server"])
    except Exception as error:  # a mail is the least of what a recording is for
        problem = f"{type(error).__name__}: {error}"
    count = len(settings["to"])
    sent = f"sent to {count} receiver{'s' if count > 1 else ''}"
    _note(capture_dir, "failed" if problem else "ok", problem[:500] or sent)
    return 0


def serve(argv: list[str]) -> NoReturn:
    """Be the sender in this process, and end it."""
    os._exit(main(argv))


if __name__ == "__main__":
    serve(sys.argv[1:])
