"""Stacks that a lone process prints, bars that are wiped, states of which nothing was taken; and near misses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict


def _told(folder: Path, text: str, status: int | None = None) -> Verdict:
    folder.mkdir(exist_ok=True)
    (folder / "train.log").write_text(text)
    return analyze(import_logs([folder], exit_code=status), strict=True)[0]


# --- stacks ----------------------------------------------------------------------------------------------------------


def _at(seconds: float) -> str:
    return f"2026-11-25T02:{40 + int(seconds) // 60:02}:{seconds % 60:06.3f}000000Z "


def _reports(count: int = 40) -> str:
    return "".join(f"{_at(n / 8)}doc {n * 5}/4000  nll {2.8 - 0.05 * n:.4f}\n" for n in range(1, count))


def _dump(seconds: float, line: int = 32, thread: str = "0x00007fedae491b80", timer: str = "Timeout (0:00:15)!") -> str:
    frames = [f'  File "/job/saga.py", line {line} in ask', '  File "/job/saga.py", line 82 in <module>']
    told = [timer, f"Thread {thread} (most recent call first):", *frames]
    return "".join(f"{_at(seconds)}{each}\n" for each in told if each)


def test_one_process_at_one_line_dump_after_dump_stands_still(tmp_path: Path) -> None:
    hung = _told(tmp_path / "a", _reports() + "".join(_dump(20 + 15 * n) for n in range(4)))
    assert hung.family == "C3"
    assert "saga.py:32" in hung.headline
    went = _told(tmp_path / "b", _reports() + "".join(_dump(20 + 15 * n, line=32 + n) for n in range(4)))
    assert went.family != "C3"  # it moves
    two = "".join(_dump(20 + 15 * (n // 2), thread=f"0x00007fedae491b{n % 2}0") for n in range(8))
    assert _told(tmp_path / "c", _reports() + two).family != "C3"
    on = f"{_at(66)}doc 205/4000  nll 0.8012\n"
    assert _told(tmp_path / "d", _reports() + "".join(_dump(20 + 15 * n) for n in range(4)) + on).family != "C3"
    early = _told(tmp_path / "e", _dump(1) + _reports() + "".join(_dump(20 + 15 * n) for n in range(4)))
    assert early.family != "C3"  # its timer fires while all goes well
    soon = _told(tmp_path / "f", _reports() + "".join(_dump(8 + 3 * n) for n in range(4)))
    assert soon.family != "C3"
    done = f"{_at(66)}writing the index of all documents\n"
    assert _told(tmp_path / "g", _reports() + "".join(_dump(20 + 15 * n) for n in range(4)) + done).family != "C3"


def _locked(feeder: str, watch: str = "still at lesson 200, not a word for {} seconds...") -> str:
    told = "".join(f"{_at(n / 4)}lesson {n * 10}: surprise is {3.5 - 0.1 * n:.3f}\n" for n in range(1, 20))
    told += "".join(f"{_at(5 + n)}{watch.format(n + 1)}\n" for n in (10, 20, 30))
    lib = "/usr/lib/python3.11"
    stacks = [
        "who is doing what:",
        "Current thread 0x00007fae495646c0 (most recent call first):",
        '  File "/job/diary.py", line 90 in mind',
        f'  File "{lib}/threading.py", line 1002 in _bootstrap',
        "",
        "Thread 0x00007fae49d656c0 (most recent call first):",
        feeder.format(lib=lib),
        '  File "/job/diary.py", line 51 in run',
        f'  File "{lib}/threading.py", line 1002 in _bootstrap',
        "",
        "Thread 0x00007fae75c48b80 (most recent call first):",
        f'  File "{lib}/threading.py", line 327 in wait',
        f'  File "{lib}/queue.py", line 140 in put',
        '  File "/job/diary.py", line 69 in on_step_end',
        '  File "/job/diary.py", line 114 in <module>',
    ]
    return told + "".join(f"{_at(35)}{each}\n" for each in stacks) + f"{_at(45)}{watch.format(41)}\n"


def test_threads_that_all_wait_for_each_other_stand_still(tmp_path: Path) -> None:
    waits = '  File "{lib}/threading.py", line 327 in wait'
    hung = _told(tmp_path / "a", _locked(waits))
    assert hung.family == "C3"
    assert "another thread" in hung.headline
    assert _told(tmp_path / "b", _locked('  File "/job/diary.py", line 48 in decode')).family != "C3"  # it works
    said = _locked(waits, watch="evaluated {} of 900 pages")
    assert _told(tmp_path / "c", said).family != "C3"


# --- bars ------------------------------------------------------------------------------------------------------------


def _bars(epochs: int, last: int, anew: bool = False) -> str:
    told = ""
    for epoch in range(epochs):
        for step in range(7, last + 1, 7):
            loss = 2.3 * 0.9 ** ((step if anew else step + 188 * epoch) / 20) + 0.01
            name = "train" if step < 150 else "valid"
            told += f"\r {100 * step // 188}%|###  | {step}/188 [00:01<00:01, 62.38it/s, {name}_loss={loss:.3g}]"
        told += "\r" + " " * 60 + "\r\r  0%|     | 0/188 [00:00<?, ?it/s]"
    return told + " slurmstepd: error: *** JOB 55 ON n07 CANCELLED AT 2026-11-25T02:48:37 DUE TO TIME LIMIT ***\n"


def test_a_bar_that_is_wiped_before_it_is_full_is_an_epoch(tmp_path: Path) -> None:
    assert _told(tmp_path / "a", _bars(9, 182)).family == "F3"
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "train.log").write_text(_bars(3, 119, anew=True))  # three starts, each killed in mid-epoch
    _, ev = analyze(import_logs([tmp_path / "b"]), strict=True)
    assert ev.facts("fact_steps")["step"].max() == 119


# --- states of which nothing was taken -------------------------------------------------------------------------------


def _resumed(keys: str, begin: float, epoch: int = 7, end: float = 0.42) -> str:
    told = f"resumed runs/last.pt: {epoch - 1} epochs done, val loss 0.2348, val acc 0.979\n{keys}"
    for n in range(80):
        loss = end + (begin - end) * 0.93**n
        step = n % 20 * 7
        told += f"epoch {epoch + n // 20}/10:  8%|#   | {step}/150 [00:01<00:00, 133.27it/s, loss={loss:.4f}]\n"
    return told + "epoch 10: val loss 0.3891  val acc 0.975\nbest model in runs/last.pt\n"


def test_a_resume_with_keys_apart_that_learns_anew_took_nothing(tmp_path: Path) -> None:
    keys = "  (20 missing, 24 unexpected keys)\n"
    lost = _told(tmp_path / "a", _resumed(keys, 2.5), 0)
    assert lost.family == "E2"
    assert "keys" in lost.headline
    assert _told(tmp_path / "b", _resumed(keys, 0.26, end=0.2), 0).family != "E2"
    assert _told(tmp_path / "c", _resumed("  (0 missing, 0 unexpected keys)\n", 2.5), 0).family != "E2"


def _parts(taken: str, again: float) -> str:
    told = "Kein Prüfpunkt vorhanden, Gewichte werden zufällig belegt.\n"
    for n in range(1, 119):
        told += f"Schritt {n * 100}/20000   Verlust {3 + 7.7 * 0.95**n + 0.02 * (n % 2):.4f}   LR 3.0e-04\n"
    told += f"Ende von Teil 1.\nLese ckpt/schritt_11800.pt\n  Gewichte: strict=False, {taken}\nWeiter.\n"
    for n in range(1, 80):
        told += f"Schritt {11800 + n * 100}/20000   Verlust {3.5 + (again - 3.5) * 0.95**n:.4f}   LR 3.0e-04\n"
    return told + "Alle Schritte getan.\n"


def test_none_of_its_entries_taken_in_german(tmp_path: Path) -> None:
    none = "0 von 148 Einträgen übernommen, 148 fehlend, 148 unerwartet"
    assert _told(tmp_path / "a", _parts(none, 10.8), 0).family == "E2"
    assert _told(tmp_path / "b", _parts("148 von 148 Einträgen übernommen, 0 fehlend", 10.8), 0).family != "E2"
    assert _told(tmp_path / "c", _parts(none, 3.6), 0).family != "E2"  # it was read again, by another road
