"""Who is waited for by barriers, tables of hosts and Megatron's extremes, returns, and last words; with near misses."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.families._tellers import Tellings, _of_arrivals
from inquest.bundle.imports.files import _OF_SPEAKERS
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HOSTS = ("elm", "fir", "oak", "yew")


def loss(at: int) -> float:
    return 2.5 * math.exp(-at / 20) + 0.2


def clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{9 + whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def told(folder: Path, **files: list[str]) -> tuple[str | None, str]:
    for name, lines in files.items():
        (folder / name.replace("__", ".")).write_text("\n".join([*lines, ""]), encoding="utf-8")
    verdict = analyze(import_logs([folder]), strict=True)[0]
    return verdict.family, verdict.headline


def barrier(at: int, late: float, who: str, *, every: float) -> str:
    others = [host for host in HOSTS if host != who]
    first = at % len(others)
    came = [*others[first:], *others[:first]]
    each = " ".join(f"{host}+{0.05 * place:.2f}" for place, host in enumerate(came))
    return f"{clock(at * every)} round {at} order {each} {who}+{late:.2f} | mean loss {loss(at):.4f}"


def test_who_comes_last_to_every_barrier_is_named(tmp_path: Path) -> None:
    lines = [barrier(at, 4.0, "yew", every=7) for at in range(1, 61)]
    family, text = told(tmp_path, barrier__log=lines)
    assert family == "D3"
    assert "yew" in text.lower()


@pytest.mark.parametrize(
    "line",
    [
        lambda at: barrier(at, 0.3, HOSTS[at % 4], every=3),  # now one and now another
        lambda at: barrier(at, 0.3, "yew", every=7),  # always the same, by little of a round
        lambda at: barrier(at, 4.0, HOSTS[at % 4], every=7),
    ],
)
def test_who_comes_last_now_and_then_is_not(tmp_path: Path, line: Callable[[int], str]) -> None:
    assert told(tmp_path, barrier__log=[*map(line, range(1, 61)), "rounds complete, releasing parties"])[0] == "G1"


@pytest.mark.parametrize("text", ["order a+1 b+2", "order x+0.1 x+0.2 x+0.3", "in order of size: 3 4 5", "late + 3"])
def test_what_is_no_arrival(text: str) -> None:
    nothing = Tellings()
    _of_arrivals(nothing, text, {"source": "a.log", "seq": 1})
    assert not nothing.forms


def table(slow: float) -> list[str]:
    rows = ["step,host,compute_s,wait_s"]
    for at in range(1, 61):
        own = {host: 1.1 + 0.01 * ((at + place) % 5) for place, host in enumerate(HOSTS)}
        own["oak"] *= slow
        rows += [f"{at},{host},{each:.3f},{max(own.values()) - each:.3f}" for host, each in own.items()]
    return rows


@pytest.mark.parametrize(("slow", "family"), [(2.2, "D3"), (1.0, "G1"), (1.1, "G1")])
def test_a_table_of_hosts(tmp_path: Path, slow: float, family: str) -> None:
    lines = [f"{at}/60 loss {loss(at):.4f}" for at in range(1, 61)]
    assert told(tmp_path, run__log=[f"step {line}" for line in lines], timing__csv=table(slow))[0] == family


@pytest.mark.parametrize(
    ("head", "read"),
    [
        (b"step,host,compute_s,wait_s\n", True),
        (b"iter;rank;busy_ms;comm_ms\n", True),
        (b"time,host,cpu_wait,io_wait\n", False),  # a host's own load
        (b"step,host,loss,lr\n", False),
        (b"name,rank,work,idle\n", False),
    ],
)
def test_heads_of_tables(head: bytes, *, read: bool) -> None:
    assert bool(_OF_SPEAKERS.match(head)) is read


def workers(slow: float) -> list[str]:
    lines = []
    for at in range(80):
        lines.append(f"{clock(at * 4)} [{at}]\ttrain-logloss:{loss(at):.5f}")
        if at % 5 == 4:
            own = [9.5 + 0.1 * ((at + who) % 4) for who in range(4)]
            own[2] *= slow
            lines += [
                f"   last 5 rounds  10.1.0.{who + 7}  hist {each:.2f}s  allreduce {max(own) - each + 0.3:.2f}s"
                for who, each in enumerate(own)
            ]
    return [*lines, "[train] booster saved, 80 trees"]


@pytest.mark.parametrize(("slow", "family"), [(3.0, "D3"), (1.0, "G1")])
def test_workers_that_are_called_by_an_address(tmp_path: Path, slow: float, family: str) -> None:
    assert told(tmp_path, dask__log=workers(slow))[0] == family


def megatron(part: str, most: float, who: Callable[[int], int]) -> list[str]:
    lines = []
    for at in range(1, 61):
        lines.append(
            f" iteration {at * 10:8d}/     600 | elapsed time per iteration (ms): 1700.0 | lm loss: {loss(at):.6E} |"
        )
        lines.append(f"(min, max) time across ranks (ms): {part}: ({847 + at % 7}.02, {most}) rank of max: {who(at)}")
    return lines


@pytest.mark.parametrize(
    ("part", "most", "who", "family"),
    [
        ("forward-backward", 1640.5, lambda _: 5, "D3"),
        ("forward-backward", 1640.5, lambda at: at % 8, "G1"),  # now one and now another
        ("forward-backward", 860.5, lambda _: 5, "G1"),  # by a hair
        ("optimizer", 1640.5, lambda _: 5, "G1"),  # no part that fills a step
        ("all-grads-sync", 1640.5, lambda _: 5, "G1"),  # who waits is not the slow one
    ],
)
def test_the_least_and_the_greatest(
    tmp_path: Path, part: str, most: float, who: Callable[[int], int], family: str
) -> None:
    assert told(tmp_path, train__log=megatron(part, most, who))[0] == family


def test_a_short_word_for_a_return(tmp_path: Path) -> None:
    lines = [f"upd {at}0/600 ret {-20 + 0.6 * at:.2f} q 0.{at:03d}" for at in range(1, 61)]
    assert told(tmp_path, agent__log=lines)[0] == "G1"


def test_what_a_call_came_back_with_is_no_return(tmp_path: Path) -> None:
    lines = [f"step {at}0/600 barrier ret={at % 3}" for at in range(1, 61)]
    assert told(tmp_path, agent__log=lines)[0] is None


def test_an_arrow_to_what_was_made(tmp_path: Path) -> None:
    lines = [f"round {at} loss {loss(at):.4f}" for at in range(1, 61)]
    assert told(tmp_path, job__log=[*lines, "policy -> runs/a/policy.pt"])[0] == "G1"


@pytest.mark.parametrize(
    "last",
    [
        "policy -> runs/a/best.pt",
        "model -> out/step_60.pt",
        "rounds complete, 3 left",
        "rounds complete, resubmitting",
        "tree saved, 80 leaves",
    ],
)
def test_last_words_that_are_none(tmp_path: Path, last: str) -> None:
    lines = [f"round {at} loss {loss(at):.4f}" for at in range(1, 61)]
    assert told(tmp_path, job__log=[*lines, last])[0] is None
