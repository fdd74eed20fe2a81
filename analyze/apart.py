"""A stranger's question, or one about a stranger's bundle, in a process of its own: the caller survives what it costs.

A statement within the allow-list may still ask for more than a machine has, and Polars ends the whole process where
an allocation fails and goes on in its threads when a query is given up. Here memory is limited by the kernel
(RLIMIT_DATA: what a process allocates, not the bundle it maps), and a query past its time is killed with its threads.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from inquest.bundle import errors
from inquest.bundle.errors import InquestError, QueryRefused

if TYPE_CHECKING:
    import polars as pl

SECONDS: Final = 300.0
"""Wall-clock seconds a question may take, with the facts that have to be worked out for it."""

MEMORY_BYTES: Final = 4 << 30
"""Memory a question may take, in bytes."""

LEAST_MEMORY_BYTES: Final = 512 << 20
"""With less than this, Polars cannot even start its threads."""

_THREADS: Final = 8
"""Threads at most: each takes some megabytes of the limit, and a desk may have two hundred cores."""

_STDERR_BYTES: Final = 4096
_OUT_OF_MEMORY: Final = ("memory allocation of", "MemoryError", "malloc of size", "realloc of size", "out of memory")


def ask(
    path: Path, sql: str, *, row_limit: int, seconds: float = SECONDS, memory_bytes: int = MEMORY_BYTES
) -> pl.DataFrame:
    """Rows of one SELECT over a bundle, or over a node directory (which is read in place).

    Raises:
        QueryRefused: See ``sql.run``; or it took more time or memory than it may.
        InputError: There is no evidence at ``path`` that can be read.
    """
    with tempfile.TemporaryDirectory(prefix="inquest-query-") as scratch:
        request = {
            "path": os.fspath(path),
            "sql": sql,
            "row_limit": row_limit,
            "memory_bytes": max(memory_bytes, LEAST_MEMORY_BYTES),
            "scratch": scratch,
        }
        child = subprocess.Popen(
            [sys.executable, "-m", "inquest.analyze.apart"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "POLARS_MAX_THREADS": str(min(_THREADS, os.cpu_count() or 1))},
        )
        import polars as pl  # while the child loads it too

        try:
            answer, said = child.communicate(json.dumps(request).encode(), timeout=seconds)
        except subprocess.TimeoutExpired:
            raise QueryRefused(
                f"The query ran past {seconds:g} s. Narrow it with WHERE, join fewer rows, or raise --timeout."
            ) from None
        finally:
            if child.poll() is None:
                child.kill()
                child.communicate()
    head, _, rows = answer.partition(b"\n")
    status: dict[str, str] = {}
    with contextlib.suppress(ValueError):
        status = json.loads(head)
    if "error" in status:
        raise getattr(errors, status["error"], InquestError)(status["message"])
    if child.returncode or not status:
        tail = said[-_STDERR_BYTES:].decode(errors="replace")
        if any(word in tail for word in _OUT_OF_MEMORY):
            raise QueryRefused(
                f"The query needs more memory than {memory_bytes >> 20} MiB. Narrow it with WHERE, ask for fewer "
                "columns, or raise --memory."
            )
        raise InquestError(f"the query ended with status {child.returncode} and no answer: {tail.strip()[-300:]}")
    return pl.read_ipc_stream(io.BytesIO(rows))


def _answer(request: dict[str, Any]) -> pl.DataFrame:
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.opened import open_store

    store = open_store(Path(request["path"]), Path(request["scratch"]))
    return Evidence(store).sql(request["sql"], row_limit=request["row_limit"])


def _serve() -> None:
    """The child: one question on standard input, its answer on standard output."""
    import resource

    request = json.load(sys.stdin)
    limit = request["memory_bytes"]
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out = sys.stdout.buffer
    try:
        rows = _answer(request)
        body = io.BytesIO()
        rows.write_ipc_stream(body)
    except InquestError as error:
        out.write(json.dumps({"error": type(error).__name__, "message": str(error)}).encode() + b"\n")
    else:
        out.write(b'{"rows": %d}\n' % rows.height)
        out.write(body.getbuffer())
    out.flush()
    os._exit(0)  # threads of Polars may still be inside a scan of ours: no tear-down


if __name__ == "__main__":
    _serve()
