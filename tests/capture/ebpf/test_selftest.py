"""The process that probes are tried on: it may crash, hang or be miscounted, and each switches probes off."""

from __future__ import annotations

import os
import platform
from typing import TYPE_CHECKING

import pytest

from inquest.capture.collector import Denied
from inquest.capture.ebpf import selftest

if TYPE_CHECKING:
    from inquest.capture.ebpf.session import Session

_TRAP = {"x86_64": "0f0b", "aarch64": "00000000"}
_FOR_EVER = {"x86_64": "ebfe", "aarch64": "00000014"}


def test_a_healthy_node_has_its_costs_measured(probing: Session) -> None:
    costs = probing.costs()
    assert 0 < costs.counted_ns < costs.timed_ns
    assert costs.counted_ns < costs.stepped_ns
    assert probing.costs() is costs, "the test is made once"


def spoil(monkeypatch: pytest.MonkeyPatch, code: dict[str, str]) -> None:
    machine = platform.machine()
    monkeypatch.setitem(selftest._CODE, machine, selftest._CODE[machine] | {0: code[machine]})


def test_a_crash_switches_probes_off(probing: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, _TRAP)
    for _ in range(2):  # and the second to ask is told the same, without another crash
        with pytest.raises(Denied, match=r"eBPF is off: a process under probes died by signal 4 in the self-test"):
            probing.costs()


def test_a_hang_switches_probes_off(probing: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil(monkeypatch, _FOR_EVER)
    monkeypatch.setattr(selftest, "_PATIENCE_S", 0.5)
    with pytest.raises(Denied, match=r"eBPF is off: a process under probes hung in the self-test"):
        probing.costs()


def test_calls_that_are_not_counted_switch_probes_off(probing: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest.CudaCalls, "attach_to", lambda *_: None)
    with pytest.raises(Denied, match=r"in the self-test 1500 calls of each function counted as \{\}"):
        probing.costs()


def test_a_child_that_cannot_map_code_is_told_apart(probing: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "_code_page", lambda: os.open("/dev/null", os.O_RDONLY))
    with pytest.raises(Denied, match=r"ended with status 3 in the self-test"):
        probing.costs()
