"""What loops call the clocks of a step: which part of it each one measures, and in which unit.

A loop that times itself names what it times in its own words: ``t_dataload``, ``data_wait_s``, ``perf/fwd-bwd (ms)``,
``allreduce_wait_s``, ``ckptSaveSeconds``. What such names have in common is a word for the part, and a word or unit of
time; so they are read as words, not matched as a whole. What is a rate, a share, an extreme, or the time of an
evaluation is no clock of a step.
"""

# ruff: noqa: SIM905 (lists of words are read more easily as text)

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

STEP: Final = "step_time_s"
DATA: Final = "data_time_s"
COMPUTE: Final = "compute_time_s"
COMM: Final = "comm_time_s"
SAVE: Final = "save_time_s"
CLOCKS: Final = (STEP, DATA, COMPUTE, COMM, SAVE)
"""Columns of ``fact_steps`` that hold what a clock of a step read."""

_ABROAD: Final = {
    **dict.fromkeys(
        "calcolo calcul calculo cálculo berechnung rechenzeit rechnen berekening rekenen".split(), "compute"
    ),
    **dict.fromkeys(
        "вычисление вычисления расчёт расчет obliczenia hesaplama hesap beräkning laskenta".split(), "compute"
    ),
    **dict.fromkeys("计算 計算 演算 계산 연산".split(), "compute"),
    **dict.fromkeys(
        "attesa attente espera warten wartezeit wachten wachttijd ожидание czekanie bekleme".split(), "wait"
    ),
    **dict.fromkeys(
        "väntan odotus väntar wartet gewartet aguardando esperando attendendo attendant wachtend".split(), "wait"
    ),
    **dict.fromkeys("ждал ждала ждали ожидал простаивала простаивал простой czekał bekleniyor bekledi".split(), "wait"),
    **dict.fromkeys("rede réseau rete netz netzwerk netwerk сеть sieć ağ модель modelo modèle".split(), "model"),
    **dict.fromkeys("gesamt insgesamt всего итого totale toplam łącznie totaal".split(), "total"),
    **dict.fromkeys("счёт счет обучение".split(), "compute"),
    **dict.fromkeys(
        "dati données donnees daten datos dados gegevens данные dane veri 数据 データ 데이터".split(), "data"
    ),
    **dict.fromkeys("gradienti gradientes gradienten градиенты gradyan 梯度 勾配 기울기".split(), "gradients"),
    **dict.fromkeys(
        "comunicazione comunicación comunicação kommunikation communicatie связь 通信 통신".split(), "comm"
    ),
    **dict.fromkeys("sincronizzazione synchronisation synchronisierung abgleich sincronización".split(), "sync"),
    **dict.fromkeys("sincronização синхронизация 同步 同期 동기화".split(), "sync"),
    **dict.fromkeys(
        "leitura lectura lecture lettura lesen einlesen lezen inlezen чтение czytanie odczyt".split(), "read"
    ),
    **dict.fromkeys("okuma läsning lukeminen 读取 讀取 读数据 取数据 读盘 読込 読み込み 읽기".split(), "read"),
    **dict.fromkeys("carregamento caricamento chargement laden загрузка wczytywanie yükleme".split(), "loading"),
    **dict.fromkeys("加载 載入 ロード 로딩 적재".split(), "loading"),
    **dict.fromkeys("guardado guardar salvamento sauvegarde speichern sichern opslaan salvataggio".split(), "save"),
    **dict.fromkeys("сохранение zapis kaydetme kayıt sparande tallennus 保存 저장".split(), "save"),
    **dict.fromkeys("validación validação validierung évaluation auswertung convalida walidacja".split(), "validation"),
    **dict.fromkeys("оценка проверка doğrulama 验证 驗證 评估 検証 評価 검증 평가".split(), "validation"),
    **dict.fromkeys("schritt étape etape passo paso шаг stap krok adım 步 ステップ 단계".split(), "step"),
    **dict.fromkeys("vorwärts avant avanti adelante 前向 順伝播".split(), "forward"),
    **dict.fromkeys("rückwärts arrière indietro atrás 反向 逆伝播".split(), "backward"),
    **dict.fromkeys("vorwaerts frente вперёд вперед прямой".split(), "forward"),
    **dict.fromkeys("rueckwaerts arriere trás tras назад обратный".split(), "backward"),
    **dict.fromkeys("rechnung berechnen calculs cálculos calculos cómputo computo rechnet".split(), "compute"),
    **dict.fromkeys("вычислений расчёта расчета счёта счета".split(), "compute"),
    **dict.fromkeys("attend attendu espero esperó aguarda aguardou aspetta attese wartete esp".split(), "wait"),
    **dict.fromkeys("ожидания ожидает простоя".split(), "wait"),
    **dict.fromkeys("данных entrée entree entrada entradas ingresso eingabe".split(), "data"),
    **dict.fromkeys("lire leggere leer ler чтения считывание считывания".split(), "read"),
    **dict.fromkeys("carga cargar cargando carregar carregando caricare charge загрузки подкачка".split(), "loading"),
    **dict.fromkeys("lot lote lotto stapel paczka партия バッチ 배치 批次".split(), "batch"),
    **dict.fromkeys("sicherung sicherungen speicherung abspeichern sauv sauvegardes guardando salvar".split(), "save"),
    **dict.fromkeys("salvando gravação gravacao gravar gravando сохранения запись записи".split(), "save"),
    **dict.fromkeys("écriture ecriture écrire ecrire escritura escrita scrittura scrivere schreiben".split(), "write"),
    **dict.fromkeys(
        "scambio troca trocas intercambio intercâmbio échange echange échanges echanges".split(), "exchange"
    ),
    **dict.fromkeys("austausch abtausch обмен обмена wymiana uitwisseling 交換 交换 교환".split(), "exchange"),
    **dict.fromkeys("synchro sincro synchronisieren".split(), "sync"),
    **dict.fromkeys("escribiendo grabando escrevendo schreibend écrivant scrivendo запись".split(), "write"),
    **dict.fromkeys("pas".split(), "step"),
}
"""Words of other languages for the parts of a step."""
_OF_TIME: Final = {
    **dict.fromkeys("lade nachlade einlade".split(), "loading"),
    **dict.fromkeys("lese einlese datenlese datenlade daten".split(), "data"),
    **dict.fromkeys("rechen berechnungs netz".split(), "compute"),
    **dict.fromkeys("warte datenwarte".split(), "wait"),
    **dict.fromkeys("speicher sicherungs schreib".split(), "save"),
    **dict.fromkeys("austausch tausch kommunikations abgleich".split(), "exchange"),
    "gesamt": "total",
    "schritt": "step",
}
"""What German puts before its word for a time, in one word with it: ``Ladezeit``."""
_TIME_WORD: Final = re.compile(r"([a-zäöüß]{3,20}?)s?(?:zeit|zeiten|dauer)")
_STEMS: Final = {
    "等待|等候|待機|待ち|대기|阻塞|空闲": "wait",
    "数据|數據|データ|데이터|取数|读图|图片|画像|이미지|样本|入力|输入|輸入|입력": "data",
    "交換|交换|교환|全規約|规约": "exchange",
    "读取|讀取|读盘|加载|載入|読込|読み込み|ロード|로딩|적재|읽기": "read",
    "计算|計算|연산|演算|계산|网络|ネット": "compute",
    "保存|저장|写入|書込|書き込み|存盘|写盘|落盘": "save",
    "验证|驗證|检验|検証|검증": "validation",
    "同步|同期|동기화": "sync",
    "通信|通讯|통신": "comm",
    "全体|全部|总计|總計|合計|전체": "total",
}
"""Of languages that write their words without spaces between them."""
_CHECKPOINTS: Final = re.compile(
    r"(?i)\bpoints? de (?:reprise|contr[oô]le|sauvegarde)|\bp[uo]nt[oi]s? d[ei] (?:control\w*|guardado|salvamento)"
    r"|\bpunt[oi] di (?:controllo|salvataggio|ripristino)|\b(?:kontroll|sicherungs)punkte?n?|контрольн\w+ точ\w+"
)
"""What others call a checkpoint, in more than a word."""
A_STEPS_TIME: Final = (
    r"(?:время|длительность) (?:одного )?(?:шага|итерации)|temps (?:de |du |par )?(?:pas|étape|itération)"
    r"|tempo (?:de |do |da |di |por |per )?(?:passo|iteração|iterazione)|tiempo (?:de |del |por )?(?:paso|iteración)"
    r"|czas (?:kroku|iteracji)|adım süresi|stegtid|staptijd|单步(?:时间|耗时)|每步(?:时间|耗时)|ステップ時間|스텝 ?시간"
)
"""What others call the time of a step, in more than a word, or in one that is two."""
_STEPS_TIME: Final = re.compile(rf"(?i)\b(?:{A_STEPS_TIME})\b")
_STEM: Final = [(re.compile(stems), f" {word} ") for stems, word in _STEMS.items()]
_FOREIGN: Final = re.compile(r"[^\W\d_]+")
_LONGEST: Final = 100
_KNOWN: Final = 4096
"""Names that are remembered: a stranger's file may hold any number of them."""
_SPLIT: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|%")
_JOINED: Final = (
    (re.compile(r"\ball (reduce|gather)\b"), r"all\1"),
    (re.compile(r"\breduce scatter\b"), "reducescatter"),
    (re.compile(r"\ball to all\b"), "alltoall"),
    (re.compile(r"\bend to end\b"), "whole"),
    (re.compile(r"\bdata (?:loader|loading|load)\b"), "dataloader"),
    (re.compile(r"\b(?:data|model|tensor|pipeline) parallel\b"), "parallel"),
    (re.compile(r"\bcheck point"), "checkpoint"),
    (
        re.compile(r"\b(sec|secs|seconds|s|ms|msec|time|t) (?:per )?(?:step|iter|iteration|it|batch|update)$"),
        r"step \1",
    ),
)
"""Words that mean one thing together; the last turns "seconds per step" into "step seconds"."""
_UNITS: Final = {
    **dict.fromkeys("s sec secs second seconds".split(), 1.0),
    **dict.fromkeys("ms msec msecs millis millisecond milliseconds".split(), 1e-3),
    **dict.fromkeys("us usec usecs microsecond microseconds".split(), 1e-6),
    **dict.fromkeys("ns nsec nanosecond nanoseconds".split(), 1e-9),
}
_TIME: Final = frozenset(
    "t dt time times timer timing timings duration elapsed latency took wait waits waited waiting stall stalled"
    " starve starves".split()
)
_WAITS: Final = frozenset(
    "wait waits waited waiting stall stalled idle idles idled queue queued blocked blocking starved starving"
    " starve starves starvation".split()
)
_NO_CLOCK: Final = frozenset(
    "per rate ratio share frac fraction pct percent % max min std p90 p95 p99 count num remaining eta left since"
    " start end begin stamp limit budget timeout temp loss losses acc accuracy error reward return entropy score norm"
    " bytes size mem memory restore restored resume resumed samples tokens tok examples images imgs sequences frames"
    " throughput tps flops tflops tflop gflops flop gb mb gib gbps mbps its steps iters iterations batches".split()
)
"""Words of names that tell a rate, a share, an extreme, a time of day, a limit, a load, or nothing of time."""
_OTHER_PHASE: Final = frozenset(
    "val valid validation eval evaluation test dev predict prediction sampling generate generation rollout startup init"
    " compile compilation warmup epoch".split()
)
_SAVES: Final = frozenset(
    "save saves saved saving ckpt ckpts checkpoint checkpoints checkpointing snapshot snapshots dump dumping wrote"
    " write writes writing persist persists persisted archive archived archiving serialize serializing serialization"
    " serialise serialising".split()
)
_LOADS: Final = frozenset("load loads loading loaded read reading".split())
_PROCESSORS: Final = frozenset("gpu gpus cpu vram".split())
"""The load of one of these is how much it has to do."""
_TALKS: Final = {
    **dict.fromkeys("comm comms communication nccl rccl gloo mpi collective collectives dist sync barrier".split(), ""),
    **dict.fromkeys("ddp fsdp synchronize synchronization peers peer others exchange exchanged exchanging".split(), ""),
    **dict.fromkeys("exch xchg dcn interconnect".split(), ""),
    **dict.fromkeys("allreduce reduce".split(), "allreduce"),
    "grdcomm": "",
    **{word: word for word in "allgather reducescatter alltoall gather scatter broadcast bcast p2p send recv".split()},
}
_ON_DEVICE: Final = frozenset("cuda gpu device".split())
_FEEDS: Final = frozenset(
    "data iterator iteratorgetnext"
    " dataload dataloader dataloading dataset datapipe load loader loading input inputs io fetch fetched fetching"
    " prefetch read reader readers reading collate feed feeding augment augmentation decode decoding unpack unpacking"
    " decompress decompressing unzip unzipping starved starving starve starves starvation featurize featurizing"
    " featurization etl infeed dl"
    " tokenize tokenizing".split()
)
_GIVEN: Final = frozenset("batch minibatch next".split())
_GETS: Final = frozenset(
    "get gets getting got receive received receiving prepare prepared preparing next ready arrived came".split()
)
"""What is waited for, or got, is the loop's input."""
_TRAINS: Final = frozenset("train training trained learn learning fit fitted fitting".split())
"""What stands beside the time of saves or of waiting: the rest of the step."""
_JOINT: Final = re.compile(r"(?i)[a-zà-ÿ]\s?[+&]\s?[a-zà-ÿ]|\b(?:and|und|et|y|e|и)\b")
"""What joins the names of two parts that one clock covers."""
_SENT_OFF: Final = frozenset("upload uploads uploaded uploading".split())
_STATES: Final = frozenset("state states weights params parameters model snapshot ckpt checkpoint checkpoints".split())
"""What is saved where it is sent elsewhere: data, too, may be uploaded, to a GPU."""
_BY_A_SERVER: Final = frozenset({"push", "pull"})
"""What goes to a server of parameters, and comes back."""
_REDUCES: Final = frozenset("ar a2a".split())
"""Short for the sum over all ranks, where nothing else is said."""
_RECEIVES: Final = frozenset("recv receive received".split())
_GRADIENTS: Final = frozenset("grad grads gradient gradients".split())
"""What is waited for beside them is what the others have of them."""
_APPLIED: Final = frozenset("update updates updating apply applied applying".split())
"""What is done with gradients where they were computed."""
_COMPUTES: Final = {
    **dict.fromkeys(
        "busy compute computed computation computing comp calc work model kernel kernels math cuda gpu device".split(),
        "",
    ),
    **dict.fromkeys("work working worked own fb fwdbwd fwbw exec execute solve matmul gemm".split(), ""),
    **dict.fromkeys("fwd forward".split(), "forward"),
    **dict.fromkeys("bwd backward bkwd backprop".split(), "backward"),
    **dict.fromkeys("optim optimizer optimiser opt".split(), "optimizer"),
}
_WHOLE: Final = frozenset("step iter iteration it batch minibatch total whole update loop".split())
_OF_AN_EPOCH: Final = frozenset({"epoch", "per", "took", "time", "duration", "elapsed", "train", *_UNITS})
_BESIDE: Final = frozenset(
    "avg mean median last cur current perf performance metrics charts timers in of this train training trainer global"
    " local rank wall".split()
)
"""Words beside those of a whole step that leave it one; any other names a part that is not known here."""


@dataclass(frozen=True, slots=True)
class Timer:
    """What a clock measures.

    Attributes:
        column: One of ``CLOCKS``.
        seconds: What one of its unit is, in seconds; None where the name does not tell the unit.
        pieces: Pieces of the part that it covers (forward and backward, of computing); empty: all of it.
    """

    column: str
    seconds: float | None
    pieces: frozenset[str] = frozenset()


@lru_cache(maxsize=_KNOWN)
def timer_of(name: str) -> Timer | None:
    """The clock a metric of this name is; None where it is none."""
    if len(name) > _LONGEST:
        return None
    told_of = _in_english(name)
    plain = " ".join(word.lower() for word in _SPLIT.findall(told_of))
    for together, one in _JOINED:
        plain = together.sub(one, plain)
    told = plain.split()
    words = frozenset(told)
    unit = next((_UNITS[word] for word in reversed(told) if word in _UNITS), None)
    if (
        not words
        or words & (_NO_CLOCK | _OTHER_PHASE)
        or (unit is None and not words & _TIME)
        or told[-2:] == ["it", "s"]
    ):
        return None
    if _JOINT.search(name) and words & (_TALKS.keys() | _WAITS) and words & (_COMPUTES.keys() | _GRADIENTS):
        return None  # of computing and of waiting, and how much of each it does not tell
    column, pieces = _part(words)
    return None if column is None else Timer(column, unit, pieces)


def tells_a_wait(name: str) -> bool:
    """Whether a clock of this name is of waiting, whatever for."""
    return bool(_words(name) & _WAITS)


def unit_in(name: str) -> float | None:
    """Seconds of the unit that a name tells, as ``blocked_ms`` does; None where it tells none."""
    words = [word.lower() for word in _SPLIT.findall(name[:_LONGEST])]
    return next((_UNITS[word] for word in reversed(words) if word in _UNITS), None)


def tells_of_others(name: str) -> bool:
    """Whether it names those who work beside it."""
    return bool(_words(name) & _OTHERS)


def _in_english(name: str) -> str:
    name = _STEPS_TIME.sub("step time", _CHECKPOINTS.sub("checkpoint", name))
    if not name.isascii():
        for stem, word in _STEM:
            name = stem.sub(word, name)
    return _FOREIGN.sub(lambda word: _word_in_english(word[0]), name)


def _word_in_english(word: str) -> str:
    known = _ABROAD.get(word.lower())
    compound = None if known else _TIME_WORD.fullmatch(word.lower())
    first = None if compound is None else _OF_TIME.get(compound[1])
    return known or (word if first is None else f"{first} time")


def _words(name: str) -> frozenset[str]:
    told = _in_english(name[:_LONGEST])
    return frozenset(word.lower() for word in _FOREIGN.findall(told))


_OTHERS: Final = frozenset(
    "other others peer peers partner partners neighbour neighbours neighbor neighbors rank ranks node nodes"
    " outro outra outros outras otro otra otros otras autre autres altro altri altra andere anderen anderer"
    " ander annan andra muut inny inne innych \u0434\u0440\u0443\u0433\u043e\u0433\u043e"
    " \u0434\u0440\u0443\u0433\u0438\u0445 \u0434\u0440\u0443\u0433\u0438\u0435".split()
)
"""Those who step together, in a few languages."""


@lru_cache(maxsize=_KNOWN)
def epoch_timer_of(name: str) -> Timer | None:
    """The clock of a whole epoch: that of a step where each report tells of an epoch, with its parts beside it."""
    words = frozenset(word.lower() for word in _SPLIT.findall(name[:_LONGEST]))
    unit = next((_UNITS[word] for word in sorted(words) if word in _UNITS), None)
    times = "epoch" in words and words <= _OF_AN_EPOCH and (unit is not None or words & _TIME)
    return Timer(STEP, unit) if times else None


def _part(words: frozenset[str]) -> tuple[str | None, frozenset[str]]:
    if words & _SENT_OFF and words & _STATES:
        return SAVE, frozenset()
    if words >= _BY_A_SERVER or (words & _REDUCES and words <= _REDUCES | {"t", "time"} | _UNITS.keys()):
        return COMM, frozenset()
    if words & _RECEIVES and words & _WAITS and not words - _RECEIVES - _WAITS - _TIME - _UNITS.keys():
        return None, frozenset()  # from another rank, or from whoever prepares its data
    if words & _SAVES:
        return (None if words & _LOADS else SAVE), frozenset()
    if words & _TALKS.keys() and not words & _ON_DEVICE:
        return COMM, _pieces(words, _TALKS)
    if words & _FEEDS or (words & _GIVEN and words & (_WAITS | _GETS)):
        busy = words & _PROCESSORS and words & _FEEDS <= _LOADS
        return (None if busy or words & _COMPUTES.keys() - _ON_DEVICE else DATA), frozenset()
    if words & _GRADIENTS and words & _WAITS:
        return COMM, frozenset()
    if words & _GRADIENTS and words & _APPLIED:
        return COMPUTE, frozenset()
    if words & _COMPUTES.keys():
        return (None if words & _WAITS else COMPUTE), _pieces(words, _COMPUTES)
    if words & _TRAINS and words <= _TRAINS | {"time", "in", "took"} | _UNITS.keys():
        return COMPUTE, frozenset()
    alone = words <= {"dt", *_UNITS} - {"s"}
    whole = words & _WHOLE and words <= _WHOLE | _BESIDE | _TIME - _WAITS | _UNITS.keys()
    return (STEP if alone or whole else None), frozenset()


def _pieces(words: frozenset[str], known: dict[str, str]) -> frozenset[str]:
    return frozenset(piece for word in words if (piece := known.get(word)))


def chosen(column: str, timers: Iterable[tuple[str, Timer]]) -> list[str]:
    """Of the clocks of one part, those that add up to it: names, those that are told most often first.

    A clock of the whole part is taken alone. Else pieces are added, none of them twice: ``fwd_ms`` stands in
    ``fwd_bwd_ms``.
    """
    told = [(name, timer.pieces) for name, timer in timers if timer.column == column]
    whole = [name for name, pieces in told if not pieces]
    if whole:
        return whole[:1]
    names: list[str] = []
    covered: frozenset[str] = frozenset()
    for name, pieces in sorted(told, key=lambda each: -len(each[1])):
        if not pieces & covered:
            names.append(name)
            covered |= pieces
    return names
