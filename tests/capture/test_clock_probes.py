"""Clock probes: two real collectors on this machine ask each other, and strangers get no answer."""

from __future__ import annotations

import json
import os
import socket
import time
from typing import TYPE_CHECKING, Any

import pytest

from inquest.capture import proc
from inquest.capture.collector import Context, Missing
from inquest.capture.collectors.clock_probes import PEERS, ClockProbes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


class Probes:
    """Collectors of several nodes that share OUT."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.running: list[tuple[ClockProbes, Context]] = []

    def start(self, node: str, *, job: str = "7", **facts: Any) -> tuple[ClockProbes, Context]:
        """The collector of a node, started."""
        directory = self.out / node / "capture"
        directory.mkdir(parents=True)
        (directory / "node.json").write_text(json.dumps({"node": node, "job_id": job, **facts}))
        ctx = Context(directory, node, proc.boot_id(), os.getpid(), time.monotonic_ns(), {})
        collector = ClockProbes()
        list(collector.start(ctx))
        self.running.append((collector, ctx))
        return collector, ctx

    def file(self, node: str) -> dict[str, Any]:
        """What a node tells its peers."""
        found: dict[str, Any] = json.loads((self.out / PEERS / f"{node}.json").read_text())
        return found

    def change(self, node: str, **changes: Any) -> None:
        """Have a node tell its peers something else."""
        (self.out / PEERS / f"{node}.json").write_text(json.dumps(self.file(node) | changes))


@pytest.fixture
def probes(tmp_path: Path) -> Iterator[Probes]:
    started = Probes(tmp_path)
    yield started
    for collector, ctx in started.running:
        list(collector.stop(ctx))


def rows(batches: Iterable[tuple[str, list[dict[str, Any]]]]) -> list[dict[str, Any]]:
    return [row for _, some in batches for row in some]


def test_peers_answer_with_times_in_their_order(probes: Probes) -> None:
    first, ctx = probes.start("a")
    assert rows(first.tick(ctx)) == [], "nobody is there yet"
    probes.start("b")
    (row,) = rows(first.tick(ctx))
    assert (row["kind"], row["peer"], row["peer_boot_id"]) == ("probe", "b", proc.boot_id())
    # Both ends read one clock here, so the four times are in order.
    times = [row[name] for name in ("ts_mono_ns", "peer_receive_mono_ns", "peer_send_mono_ns", "return_mono_ns")]
    assert times == sorted(times)


def test_a_pause_while_an_arrival_is_noted_does_not_put_it_before_the_question(
    probes: Probes, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, ctx = probes.start("a")
    probes.start("b")
    real = {name: getattr(time, name) for name in ("time_ns", "monotonic_ns")}

    def preempted(name: str) -> Callable[[], int]:
        def read() -> int:
            time.sleep(0.001)  # what a loaded machine does between any two instructions
            return int(real[name]())

        return read

    for name in real:
        monkeypatch.setattr(time, name, preempted(name))
    (row,) = rows(first.tick(ctx))
    times = [row[name] for name in ("ts_mono_ns", "peer_receive_mono_ns", "peer_send_mono_ns", "return_mono_ns")]
    assert times == sorted(times)


def test_everybody_asks_the_first_and_the_next(probes: Probes) -> None:
    started = {node: probes.start(node) for node in "abcd"}
    asked = {node: {row["peer"] for row in rows(one.tick(ctx))} for node, (one, ctx) in started.items()}
    assert asked == {"a": {"b"}, "b": {"a", "c"}, "c": {"a", "d"}, "d": {"a"}}


def test_files_are_private_and_removed_at_the_end(probes: Probes) -> None:
    collector, ctx = probes.start("a")
    folder = probes.out / PEERS
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "a.json").stat().st_mode & 0o777 == 0o600
    list(collector.stop(ctx))
    probes.running.clear()
    assert list(folder.iterdir()) == []


def test_other_jobs_and_broken_files_are_left_alone(probes: Probes) -> None:
    collector, ctx = probes.start("a")
    probes.start("b", job="8")
    for number, broken in enumerate((b"", b"[]", b"{", b'{"node": 1}', b"\xff\xfe", b"[" * 5000)):
        (probes.out / PEERS / f"aa{number}.json").write_bytes(broken)
    assert rows(collector.tick(ctx)) == []


@pytest.mark.parametrize("changes", [{"addresses": ["metadata.internal"]}, {"port": 0}, {"token": "zz"}, {"seen": 1}])
def test_a_file_that_cannot_be_right_is_not_used(probes: Probes, changes: dict[str, Any]) -> None:
    collector, ctx = probes.start("a")
    probes.start("b")
    probes.change("b", **changes)
    assert rows(collector.tick(ctx)) == []


def test_strangers_get_no_answer(probes: Probes) -> None:
    probes.start("a")
    told = probes.file("a")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.settimeout(0.3)
        right = b"iqp1" + bytes.fromhex(told["token"]) + b"12345678"
        for wrong in (b"", right[:-1], right + b"x", b"iqp1" + bytes(16) + b"12345678", b"iqp2" + right[4:]):
            stranger.sendto(wrong, ("127.0.0.1", told["port"]))
            with pytest.raises(TimeoutError):
                stranger.recv(64)
        stranger.sendto(right, ("127.0.0.1", told["port"]))
        assert len(stranger.recv(64)) == len(right), "an answer is no longer than its question"


def test_where_no_datagram_comes_through_files_carry_the_times(probes: Probes) -> None:
    (first, ctx), (second, other) = probes.start("a"), probes.start("b")
    for node in "ab":
        probes.change(node, port=9)
        probes.running["ab".index(node)][0]._about["port"] = 9
    found: list[dict[str, Any]] = []
    for _ in range(4):
        found += rows(first.tick(ctx))
        rows(second.tick(other))
    assert {row["kind"] for row in found} == {"handshake"}
    for row in found:
        assert row["ts_mono_ns"] <= row["peer_receive_mono_ns"] <= row["peer_send_mono_ns"] <= row["return_mono_ns"]


def test_it_can_be_switched_off_and_believes_no_public_folder(probes: Probes) -> None:
    with pytest.raises(Missing, match="--no-peer-probes"):
        probes.start("a", probes=False)
    assert not (probes.out / PEERS).exists()
    (probes.out / PEERS).mkdir()
    (probes.out / PEERS).chmod(0o777)
    with pytest.raises(Missing, match="others"):
        probes.start("b")
