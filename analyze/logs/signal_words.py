"""How C libraries and shells word the signal that ended a process, in English and in other languages.

bash prints ``strsignal(3)`` in the language of the user: the words are those of glibc's catalogues
(``/usr/share/locale/*/LC_MESSAGES/libc.mo``). zsh has words of its own.
"""

from __future__ import annotations

import signal
from typing import Final

ENGLISH: Final = {
    "Hangup": signal.SIGHUP,
    "Aborted": signal.SIGABRT,
    "Bus error": signal.SIGBUS,
    "Floating point exception": signal.SIGFPE,
    "Illegal instruction": signal.SIGILL,
    "Killed": signal.SIGKILL,
    "Quit": signal.SIGQUIT,
    "Segmentation fault": signal.SIGSEGV,
    "Terminated": signal.SIGTERM,
    "Alarm clock": signal.SIGALRM,
    "CPU time limit exceeded": signal.SIGXCPU,
    "User defined signal 1": signal.SIGUSR1,
    "User defined signal 2": signal.SIGUSR2,
}

_ABROAD: Final = {
    # In cs, da, de, es, fi, fr, it, ja, ko, nl, pl, pt, pt_BR, ru, sv, zh_CN and zh_TW, where there is a word for it.
    signal.SIGKILL: "Getötet|Terminado (killed)|Processus arrêté|Ucciso|強制終了|죽었음|Unicestwiony|Morto|Убито|已杀死"
    "|強制結束|Gedood|Geëlimineerd|Dödad|Dræbt|Tapettu|Zabit",
    signal.SIGSEGV: "Speicherzugriffsfehler|Violación de segmento|Erreur de segmentation|Errore di segmentazione"
    "|세그멘테이션 오류|Naruszenie ochrony pamięci|Falta de segmentação|Falha de segmentação|Ошибка сегментирования"
    "|段错误|程式記憶體區段錯誤",
    signal.SIGABRT: "Abgebrochen|Abortado|Abandon|Annullato|中止|중지됨|Przerwane|Аварийный останов|已放弃",
    signal.SIGBUS: "Bus-Zugriffsfehler|Error del bus|Erreur du bus|Errore di bus|バスエラー|버스 오류|Błąd szyny"
    "|Erro de bus|Erro no barramento|Ошибка шины|总线错误|匯流排錯誤",
}
ABROAD: Final = {word: number for number, words in _ABROAD.items() for word in words.split("|")}

ZSH: Final = {
    "killed": signal.SIGKILL,
    "terminated": signal.SIGTERM,
    "abort": signal.SIGABRT,
    "bus error": signal.SIGBUS,
    "segmentation fault": signal.SIGSEGV,
    "floating point exception": signal.SIGFPE,
    "illegal hardware instruction": signal.SIGILL,
}

_ALL: Final = {**ENGLISH, **ABROAD, **ZSH}


def signal_number(name: str) -> int | None:
    """Number of a signal named "SIGKILL", "KILL" or in the words of a C library or shell; None when it is none."""
    if name in _ALL:
        return int(_ALL[name])
    member = getattr(signal, name if name.startswith("SIG") else f"SIG{name}", None)
    return int(member) if isinstance(member, signal.Signals) else None
