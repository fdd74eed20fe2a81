"""A stranger's question, or one about a stranger's bundle, in a process of its own: the caller survives what it costs.

A statement within the allow-list may still ask for more than a machine has, and Polars ends the whole process where
an allocation fails and goes on in its threads when a query is given up. Here memory is limited by the kernel
(RLIMIT_DATA: what a process allocates, not the bundle it maps), and a query past its time is killed with its threads.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from inquest.bundle import bus, errors
from inquest.bundle.errors import DamagedBundle, InputError, InquestError, QueryRefused

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Claim, RunName

SECONDS: Final = 300.0
"""Wall-clock seconds a question may take, with the facts that have to be worked out for it."""

MEMORY_BYTES: Final = 4 << 30
"""Memory a question may take, in bytes."""

LEAST_MEMORY_BYTES: Final = 512 << 20
"""With less than this, Polars cannot even start its threads."""

_THREADS: Final = 8
"""Threads at most: each takes some megabytes of the limit, and a desk may have two hundred cores."""

_REFUSED: Final = 3
"""Status of a child whose last line names an error of ours."""

_LINE_BYTES: Final = 64 << 20
"""What may be said of one claim."""

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
    request = {"work": "rows", "path": os.fspath(path), "sql": sql, "row_limit": row_limit}
    said = _said(request, seconds, memory_bytes)
    if said.cut_off is not None:
        raise said.cut_off
    import polars as pl

    return pl.read_ipc_stream(io.BytesIO(said.answer.partition(b"\n")[2]))


def cite(
    bundle: Path,
    verdict: Path,
    claim: str,
    *,
    others: Mapping[RunName, Path] = MappingProxyType({}),
    seconds: float = SECONDS,
    memory_bytes: int = MEMORY_BYTES,
) -> dict[str, Any]:
    """What ``claims.again`` says of one claim of a verdict file.

    ``others`` are bundles of the runs the verdict was held against.

    Raises:
        UsageError: The verdict has no such claim.
        InputError: Bundle or verdict cannot be read, or the claim's SQL cannot be run within its limits.
    """
    request: dict[str, Any] = {"work": "cite", "path": os.fspath(bundle), "verdict": os.fspath(verdict), "claim": claim}
    request["others"] = {name: os.fspath(path) for name, path in others.items()}
    try:
        said = _said(request, seconds, memory_bytes)
        if said.cut_off is not None:
            raise said.cut_off
    except QueryRefused as error:
        raise InputError(f"Claim {claim} cannot be run again. {error}") from error
    found: dict[str, Any] = json.loads(said.answer.splitlines()[-1])
    return found


def check_claims(
    bundle: Path,
    verdict: Path,
    *,
    others: Mapping[RunName, Path] = MappingProxyType({}),
    seconds: float = SECONDS,
    memory_bytes: int = MEMORY_BYTES,
) -> tuple[int, list[str]]:
    """Run every claim of a verdict file again, all in one process, one after the other.

    Args:
        bundle: What the verdict is about.
        verdict: The verdict.json.
        others: Bundles of the runs the verdict was held against.
        seconds: Wall-clock seconds for all claims.
        memory_bytes: Memory for all claims. The first claim past a limit is named, and those after it are not run.

    Returns:
        How many claims there are, and what no longer holds, each as a sentence (``claims.wrong_with``).

    Raises:
        InputError: Bundle or verdict cannot be read.
    """
    request: dict[str, Any] = {"work": "claims", "path": os.fspath(bundle), "verdict": os.fspath(verdict)}
    request["others"] = {name: os.fspath(path) for name, path in others.items()}
    said = _said(request, seconds, memory_bytes)
    lines = [json.loads(line) for line in said.answer.splitlines(keepends=True) if line.endswith(b"\n")]
    if not lines:
        raise InputError(f"{verdict} cannot be checked against {bundle}. {said.cut_off}")
    names, *wrong = lines
    problems = [problem for found in wrong for problem in found]
    if said.cut_off is not None and len(wrong) < len(names):
        problems.append(
            f"claim {names[len(wrong)]} cannot be run again ({said.cut_off}), and no claim after it was run"
        )
    return len(names), problems


@dataclass(frozen=True, slots=True)
class _Said:
    """What a child wrote, and why it was ended if it was: what came before that still counts."""

    answer: bytes
    cut_off: QueryRefused | None


def _said(request: dict[str, Any], seconds: float, memory_bytes: int) -> _Said:
    """Have a child do ``request``.

    Raises:
        InquestError: The error that the child ended with.
    """
    cut_off: QueryRefused | None = None
    with tempfile.TemporaryDirectory(prefix="inquest-query-") as scratch:
        limits = {"memory_bytes": max(memory_bytes, LEAST_MEMORY_BYTES), "scratch": scratch}
        child = subprocess.Popen(
            [sys.executable, "-m", "inquest.analyze.apart"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "POLARS_MAX_THREADS": str(min(_THREADS, os.cpu_count() or 1))},
        )
        if request["work"] == "rows":
            import polars as pl  # noqa: F401  while the child loads it too
        try:
            answer, told = child.communicate(json.dumps({**request, **limits}).encode(), timeout=seconds)
        except subprocess.TimeoutExpired:
            cut_off = QueryRefused(
                f"The query ran past {seconds:g} s. Narrow it with WHERE, join fewer rows, or raise --timeout."
            )
            child.kill()
            answer, told = child.communicate()
        finally:
            if child.poll() is None:
                child.kill()
                child.communicate()
    if cut_off is not None:
        return _Said(answer, cut_off)
    tail = told[-_STDERR_BYTES:].decode(errors="replace")
    if child.returncode == _REFUSED:
        status = json.loads(answer.splitlines()[-1])
        raise getattr(errors, status["error"], InquestError)(status["message"])
    if child.returncode and any(word in tail for word in _OUT_OF_MEMORY):
        return _Said(
            answer,
            QueryRefused(
                f"The query needs more memory than {memory_bytes >> 20} MiB. Narrow it with WHERE, ask for fewer "
                "columns, or raise --memory."
            ),
        )
    if child.returncode:
        raise InquestError(f"the query ended with status {child.returncode} and no answer: {tail.strip()[-300:]}")
    return _Said(answer, None)


# --- the child ---------------------------------------------------------------------------------------------------


def _rows(request: dict[str, Any], out: BinaryIO) -> None:
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.opened import open_store

    store = open_store(Path(request["path"]), Path(request["scratch"]))
    rows = Evidence(store).sql(request["sql"], row_limit=request["row_limit"])
    body = io.BytesIO()
    rows.write_ipc_stream(body)
    out.write(b'{"rows": %d}\n' % rows.height)
    out.write(body.getbuffer())


def _claims(request: dict[str, Any]) -> tuple[dict[str, Claim], Evidence]:
    from inquest.analyze.claims import read_claims
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import BundleStore

    bundle = Path(request["path"])
    others = [Evidence(BundleStore(Path(path)), name=name) for name, path in request.get("others", {}).items()]
    evidence = Evidence(BundleStore(bundle), others=others)
    return read_claims(Path(request["verdict"]), bundle, evidence), evidence


def _cited(request: dict[str, Any], out: BinaryIO) -> None:
    from inquest.analyze.claims import again, named

    claims, evidence = _claims(request)
    _line(out, again(named(claims, request["claim"]), evidence))


def _checked(request: dict[str, Any], out: BinaryIO) -> None:
    from inquest.analyze.claims import wrong_with

    claims, evidence = _claims(request)
    _line(out, list(claims))
    for claim in claims.values():
        _line(out, wrong_with(claim, evidence))


def _line(out: BinaryIO, value: object) -> None:
    line = json.dumps(value).encode() + b"\n"
    if len(line) > _LINE_BYTES:
        raise InputError(f"The answer of a claim is larger than {_LINE_BYTES >> 20} MiB. Do not trust the verdict.")
    out.write(line)
    out.flush()  # what was said counts, also if this process is ended at the next claim


_WORK: Final = {"rows": _rows, "cite": _cited, "claims": _checked}


def _serve() -> None:
    """The child: one request on standard input, its answer on standard output."""
    import resource

    request = json.load(sys.stdin)
    limit = request["memory_bytes"]
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    cut = DamagedBundle(f"{request['path']} was cut short while it was read: wait until it is copied, and try again")
    bus.end_with(b"\n" + _refusal(cut), _REFUSED, descriptor=1)
    out = sys.stdout.buffer
    status = 0
    try:
        _WORK[request["work"]](request, out)
    except InquestError as error:
        out.write(_refusal(error))
        status = _REFUSED
    out.flush()
    os._exit(status)  # threads of Polars may still be inside a scan of ours: no tear-down


def _refusal(error: InquestError) -> bytes:
    """The last line of a child that ends with ``_REFUSED``."""
    return json.dumps({"error": type(error).__name__, "message": str(error)}).encode() + b"\n"


if __name__ == "__main__":
    _serve()
