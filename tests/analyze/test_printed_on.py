"""Errors below which a program printed on as before, and what a person's end is called in many languages."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs.printed_on import printed_on
from inquest.analyze.logs.registry import matches
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

REPORTS = {
    "read": "step {n}/400 loss {loss:.4f}\n",
    "of epochs": "epoch {n} of 400: train loss {loss:.4f}, 12.1 s\n",
    "unread": "Tur {n} / 400 bitti, ortalama {loss:.4f}\n",
}
CAUGHT = """\
{head}
Traceback (most recent call last):
  File "/w/fit.py", line 88, in preview
    image.save(path)
OSError: [Errno 13] Permission denied: '/srv/preview/0001.png'
"""
OF_THE_SCRIPT = CAUGHT.replace("in preview", "in <module>")
MEMORY = """\
Traceback (most recent call last):
  File "/w/fit.py", line 12, in <module>
    main()
  File "/w/fit.py", line 203, in main
    out.backward()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of 79 GiB of which
 22.31 MiB is free. Including non-PyTorch memory, this process has 79.12 GiB memory in use.
"""


def told(form: str, first: int, last: int) -> str:
    return "".join(
        REPORTS[form].format(n=n, loss=2.1 * math.exp(-n / 20) + 0.3 + 0.01 * (n % 3)) for n in range(first, last)
    )


def judged(folder: Path, text: str, status: int | None = None) -> Verdict:
    path = folder / "job.log"
    path.write_text("fitting 400 rounds\n" + text)
    return analyze(import_logs([path], exit_code=status), strict=True)[0]


def named(verdict: Verdict) -> str:
    return verdict.family or verdict.outcome


# --- whose form goes on
def test_a_form_that_goes_on_growing() -> None:
    above, below = told("unread", 1, 10).splitlines(), told("unread", 10, 14).splitlines()
    assert printed_on(above, below) == 4
    assert printed_on([], below) == 0  # as of a pipe that held all of it back
    assert printed_on(above, told("unread", 1, 5).splitlines()) == 0  # begun again
    assert printed_on(above, above[-1:] * 5) == 0
    assert printed_on(["heartbeat 10", "heartbeat 20"], ["heartbeat 30", "heartbeat 40", "heartbeat 50"]) == 0


# --- what ended the run
@pytest.mark.parametrize("form", REPORTS)
@pytest.mark.parametrize("head", ["ERROR no preview", "no preview", "*** kein Vorschaubild"])
@pytest.mark.parametrize("error", [CAUGHT, OF_THE_SCRIPT])
def test_who_is_killed_did_not_die_of_what_it_had_got_over(tmp_path: Path, form: str, head: str, error: str) -> None:
    text = told(form, 1, 30) + error.format(head=head) + told(form, 30, 60)
    assert named(judged(tmp_path, text, 137)) == "A2"
    assert named(judged(tmp_path, text + MEMORY, 1)) == "B1"
    assert named(judged(tmp_path, text)) == "cannot_decide"


@pytest.mark.parametrize("form", REPORTS)
def test_who_prints_no_more_died_of_it(tmp_path: Path, form: str) -> None:
    for status in (None, 1):
        assert named(judged(tmp_path, told(form, 1, 30) + CAUGHT.format(head="ERROR no preview"), status)) == "A1"
    # It left with 1, and nothing else was raised.
    text = told(form, 1, 30) + CAUGHT.format(head="ERROR no preview") + told(form, 30, 60)
    assert named(judged(tmp_path, text, 1)) == "A1"


def test_a_command_that_the_program_could_do_without(tmp_path: Path) -> None:
    error = CAUGHT.replace(
        "OSError: [Errno 13] Permission denied: '/srv/preview/0001.png'",
        "subprocess.CalledProcessError: Command '['git', 'rev-parse', 'HEAD']' returned non-zero exit status 128.",
    ).format(head="ERROR no revision")
    done = told("read", 1, 30) + error + told("read", 30, 401) + "training finished\n"
    assert named(judged(tmp_path, done, 0)) == "G1"
    launched = error.replace("'git', 'rev-parse', 'HEAD'", "'/env/bin/python', 'fit.py'").replace("128", "1")
    assert named(judged(tmp_path, launched, 1)) == "A1"
    # In the midst of training it may have left for anything, and what it said is not there.
    assert named(judged(tmp_path, told("read", 1, 30) + launched, 1)) == "cannot_decide"


# --- by a person
@pytest.mark.parametrize(
    "text",
    [
        "KeyboardInterrupt received, saving checkpoint to runs/last.pt",
        "[!] Ctrl-C pressed - stopping",
        "2026-11-28 12:00:01 INFO caught SIGINT, finishing the current batch",
        "Training interrupted by user (Ctrl+C).",
        "stopped by the operator at step 40",
        "user requested stop",
        "Aborted!",
        "Abgebrochen durch Benutzer, letzter Stand gesichert.",
        "Vom Anwender beendet",
        "Entraînement interrompu par l'utilisateur",
        "Entrenamiento detenido por el usuario",
        "Treino interrompido pelo usuário",
        "Interrotto dall'utente alla fine del lotto 12",
        "Afgebroken door de gebruiker",
        "Träningen avbruten av användaren",
        "Trening przerwany przez użytkownika",
        "Trénink přerušen uživatelem",
        "Eğitim kullanıcı tarafından durduruldu",
        "Обучение прервано пользователем",
        "Навчання перервано користувачем",
        "用户中断训练，正在保存模型",
        "ユーザーによって学習が中断されました",
        "사용자에 의해 중단되었습니다",
        "أوقف المستخدم التدريب",
        "Người dùng đã dừng huấn luyện, người dùng đã dừng",
    ],
)
def test_a_person_ended_it(tmp_path: Path, text: str) -> None:
    verdict = judged(tmp_path, told("read", 1, 60) + text + "\n", 1)
    assert verdict.outcome == "outside_families"
    assert verdict.headline.startswith("A person ended the run")


@pytest.mark.parametrize(
    "text",
    [
        "Press Ctrl-C to stop at any time; the last checkpoint is kept.",
        "If interrupted by the user, the run can be resumed with --resume.",
        "last run was interrupted by user at step 400",
        "signal handlers registered: SIGINT, SIGTERM",
        "Mit Strg-C abbrechen.",
        "按 Ctrl-C 可中断训练",
        "warning: process killed by user quota daemon last week",
        "dataset: user cancelled subscriptions 2019-2024",
        "stopped by the user's early stopping rule",
        "jobs of this queue may be preempted by a job of higher priority",
    ],
)
def test_words_about_a_person_that_end_nothing(text: str) -> None:
    told_of = {pattern.kind for pattern, _ in matches(text)}
    assert not {kind for kind in told_of if kind in ("user_interrupt", "preempted")}
