"""The client of NCCL's RAS, against a server that speaks its protocol.

NCCL is not here: the server is a stand-in, written after NCCL 2.30's src/ras/client_support.cc (commands, answers, and
that the connection is closed behind an answer). The texts it serves are those of NCCL's user guide.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.imports.core import import_paths
from inquest.capture import ras

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXT = b"""NCCL version 2.27.3 compiled with CUDA 12.9
CUDA runtime version 12090, driver version 12090

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          8            1         32       32

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4         8        32        32   RUNNING  MISMATCH

Warnings
========

#0-0 (27a079b828ff1a75) MISMATCH
  Communicator ranks have different collective operation counts
  26 ranks have launched up to operation 6650
  6 ranks have launched up to operation 6649
  Rank 0 -- GPU 0 managed by process 483072 on node 172.16.64.210
"""
JSON = json.dumps(
    {
        "nccl_version": "2.29.1",
        "timestamp": "2025-12-19 13:06:53",
        "communicators_count": 1,
        "communicators": [
            {
                "hash": "0xae94423cfbb2ef4a",
                "size": 2,
                "ranks": [
                    {
                        "rank": 0,
                        "host": "172.16.64.245",
                        "pid": 1524344,
                        "cuda_dev": 0,
                        "status": {"init_state": 0, "async_error": 0},
                        "collective_counts": {"AllGather": 3, "AllReduce": 4},
                    }
                ],
                "missing_ranks": [
                    {"rank": 1, "pid": 1524345, "status": {"unresponsive": True, "considered_dead": False}}
                ],
            }
        ],
    }
).encode()


class Server:
    """A stand-in for the RAS thread of one NCCL process (simulated)."""

    def __init__(self, answer: bytes, *, knows_json: bool = True, greeting: bytes = b"SERVER PROTOCOL 2\n") -> None:
        self.asked: list[bytes] = []
        self._answer, self._knows_json, self._greeting = answer, knows_json, greeting
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._socket.listen()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(10)

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with client, client.makefile("rwb") as stream, contextlib.suppress(OSError):
                for line in stream:
                    self.asked.append(line)
                    if not self._say(line.strip().lower(), stream):
                        break

    def _say(self, command: bytes, stream: socket.SocketIO) -> bool:
        if command == b"verbose status":
            stream.write(self._answer)
        elif command.startswith(b"client protocol "):
            stream.write(self._greeting)
        elif command.startswith(b"timeout ") or (command == b"set format json" and self._knows_json):
            stream.write(b"OK\n")
        else:
            stream.write(b"ERROR: Unknown command " + command + b"\n")
        stream.flush()
        return command != b"verbose status"


@contextlib.contextmanager
def server(*args: bytes, **options: object) -> Iterator[Server]:
    serving = Server(*args, **options)  # type: ignore[arg-type]
    try:
        yield serving
    finally:
        serving.close()


OURS = [os.getpid()]


def test_json_where_it_is_known_and_the_importer_reads_it(tmp_path: Path) -> None:
    with server(JSON) as serving:
        form, answer = ras.ask("127.0.0.1", serving.port, OURS)
    assert (form, answer) == ("json", JSON)
    assert serving.asked == [b"CLIENT PROTOCOL 2\n", b"TIMEOUT 5\n", b"SET FORMAT json\n", b"VERBOSE STATUS\n"]
    (tmp_path / "nccl-ras.json").write_bytes(answer)
    rows = [
        row
        for frame in import_paths([tmp_path / "nccl-ras.json"]).rows.frames("nccl_comms")
        for row in frame.to_dicts()
    ]
    assert {(row["comm_rank"], row["state"], row["last_enqueued_seq"]) for row in rows} == {
        (0, "RUNNING", 7),
        (1, "UNRESPONSIVE", None),
    }
    assert {row["last_completed_seq"] for row in rows} == {None}  # counts of launches: enqueue is not completion


def test_text_of_an_older_nccl_and_the_importer_reads_it(tmp_path: Path) -> None:
    with server(TEXT, knows_json=False) as serving:
        form, answer = ras.ask("127.0.0.1", serving.port, OURS)
    assert (form, answer) == ("text", TEXT)
    (tmp_path / "nccl-ras.txt").write_bytes(answer)
    (frame,) = import_paths([tmp_path / "nccl-ras.txt"]).rows.frames("nccl_comms")
    assert frame["last_enqueued_seq"].to_list() == [6649]


def test_nobody_listens() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(ras.NoAnswer, match="NCCL_RAS_ENABLE"):
            ras.ask("127.0.0.1", unused.getsockname()[1], OURS)


def test_another_jobs_nccl_is_not_taken_for_ours() -> None:
    with server(JSON) as serving, pytest.raises(ras.NoAnswer, match="no process of the job"):
        ras.ask("127.0.0.1", serving.port, [os.getppid()])
    assert serving.asked == []


def test_of_two_jobs_on_one_port_only_ours_is_asked() -> None:
    """Another process listens on the same port (SO_REUSEPORT): whatever connection it gets, no answer of it counts."""
    with server(JSON) as serving:
        script = STRANGER.replace("PORT", str(serving.port))
        stranger = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
        try:
            assert stranger.stdout is not None
            stranger.stdout.readline()
            answers = [_asked(serving.port) for _ in range(4)]
        finally:
            stranger.kill()
            stranger.communicate()
    # Where the kernel chose the stranger each time, there is no answer.
    assert set(answers) <= {JSON, b"another job answered"}


STRANGER = """
import socket
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
s.bind(("127.0.0.1", PORT))
s.listen()
print(flush=True)
while True:
    client, _ = s.accept()
    client.recv(99)
    client.sendall(b"SERVER PROTOCOL 2\\n")
    client.recv(99)
    client.close()
"""


def _asked(port: int) -> bytes:
    try:
        return ras.ask("127.0.0.1", port, OURS)[1]
    except ras.NoAnswer as silent:
        return str(silent).partition(" (")[0].encode()


def test_a_stopped_process_is_given_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ras, "_HANDSHAKE_S", 0.1)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        with pytest.raises(ras.NoAnswer, match="does not answer"):
            ras.ask("127.0.0.1", deaf.getsockname()[1], OURS)


def test_what_is_not_ras_is_left_alone() -> None:
    with server(b"", greeting=b"HTTP/1.1 400 Bad Request\n") as serving, pytest.raises(ras.NoAnswer, match="not RAS"):
        ras.ask("127.0.0.1", serving.port, OURS)
    assert len(serving.asked) == 1


def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ras, "MOST_BYTES", 1000)
    with server(b"x" * 100_000) as serving, pytest.raises(ras.NoAnswer, match="did not end"):
        ras.ask("127.0.0.1", serving.port, OURS)


@pytest.mark.parametrize(
    ("told", "place"),
    [
        (None, ("localhost", 28028)),
        ("", ("localhost", 28028)),
        ("10.0.0.1:5000", ("10.0.0.1", 5000)),
        ("[::1]:5000", ("::1", 5000)),
        ("localhost:28029", ("localhost", 28029)),
    ],
)
def test_addresses(told: str | None, place: tuple[str, int]) -> None:
    assert ras.address(told) == place


@pytest.mark.parametrize("told", ["localhost", ":5", "a:b", "::1:5", "x:999999"])
def test_what_is_no_address(told: str) -> None:
    with pytest.raises(ras.NoAnswer):
        ras.address(told)
