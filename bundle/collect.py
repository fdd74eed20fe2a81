"""Collect: recordings from a shared file system, or from the nodes themselves, into one directory for merge.

A node needs nothing but ``sh``, ``find``, ``stat`` and ``tar``. It is asked twice: for a list of its files (size and
time of change), then for those recordings that differ from what is here; so a second collect fetches only what grew.
What arrives is a stranger's: of the archive only plain files of the recordings that were asked for are taken, read
header by header in bounded memory, and a recording appears in its place when all of it is here.

Hosts that stayed silent are written down in ``collect.json``, which merge reads: they are named in the bundle.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
import shlex
import shutil
import tarfile
import tempfile
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from inquest.bundle import fanout
from inquest.bundle.errors import InputError, UnsafeInput, UsageError
from inquest.bundle.journal import DERIVED_SEQ
from inquest.bundle.nodedir import NODE_JSON
from inquest.bundle.seal import read_identity
from inquest.bundle.summary import COLLECT_CAPTURE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from inquest.bundle.fanout import Outcome, Via

    Recording = tuple[str, str]
    Listing = dict[Recording, dict[str, tuple[int, int]]]

COLLECT_JSON: Final = "collect.json"

MAX_BYTES: Final = 256 << 30
"""Bytes a host may give at most."""

_FORMAT: Final = "inquest-collect/1"
_MAX_FILES: Final = 200_000
_LISTING_BYTES: Final = 64 << 20
_JSON_BYTES: Final = 64 << 20
_NAME: Final = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,254}"
_LISTED: Final = re.compile(rf"(\d{{1,18}}) (\d{{1,18}}) \./({_NAME})/({_NAME})/+({_NAME})")
_MEMBER: Final = re.compile(rf"\./({_NAME})/({_NAME})(?:/+({_NAME})?)?")
_HIDDEN: Final = re.compile(rf"\./{_NAME}/{_NAME}/\.[A-Za-z0-9._-]{{1,254}}")
_EXIT: Final = re.compile(rb"\ninquest-exit (\d{1,3})\n")
_NO_DIRECTORY: Final = 73
_RECORDINGS_A_TURN: Final = 200
"""Recordings asked for in one command: Linux takes no argument longer than 128 KiB."""

_CHUNK: Final = 1 << 20
_BLOCK: Final = tarfile.BLOCKSIZE


@dataclass(slots=True)
class Host:
    """What became of a host: recordings fetched now, and those that were here already; bytes fetched."""

    host: str
    outcome: Outcome = "ok"
    detail: str = ""
    fetched: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    bytes: int = 0


def collect(
    out: Path,
    source: str,
    *,
    hosts: Sequence[str] | None = None,
    via: Via | None = None,
    job_id: str | None = None,
    timeout_s: float = 120.0,
    total_s: float = 1800.0,
    parallel: int = 16,
    max_bytes: int = MAX_BYTES,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Host]:
    """Bring the recordings under ``source`` (the ``--out`` of ``inquest run``) to ``out``.

    Args:
        out: Directory for merge; made where it is missing.
        source: A directory here, or with ``via`` on each node.
        hosts: Nodes that are expected; None takes whatever lies in ``source``.
        via: How nodes are reached; None reads ``source`` here.
        job_id: Only recordings of this job.
        timeout_s: Seconds a node has for each of the two questions.
        total_s: Seconds for everything.
        parallel: Nodes at once.
        max_bytes: Bytes a node may give at most.
        tell: Called with a line of news.

    Returns:
        One entry a host, in the order asked.

    Raises:
        UsageError: There is no such directory here, or ``out`` cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True, mode=0o700)
        _sweep(out)
        deadline = time.monotonic() + total_s
        if via is None:
            found = _from_here(out, Path(source), hosts, job_id, deadline, parallel)
        else:
            assert hosts is not None
            found = _from_nodes(out, source, hosts, via, job_id, deadline, timeout_s, parallel, max_bytes, tell)
        _write_down(out, found)
    except OSError as error:
        raise UsageError(f"cannot collect into {out}: {error.strerror or error}") from error
    return found


# --- from a file system that is mounted here ------------------------------------------------------------------------


def _from_here(
    out: Path, source: Path, hosts: Sequence[str] | None, job_id: str | None, deadline: float, parallel: int
) -> list[Host]:
    if not source.is_dir():
        raise UsageError(f"{source} is not a directory: give what 'inquest run --out' wrote to")
    if out.resolve() == source.resolve():
        raise UsageError(f"{out} is where the recordings lie: collect into another directory")
    listing = _list_here(source, job_id)
    nodes = {node for node, _ in listing}
    names = list(hosts) if hosts is not None else sorted(nodes)
    if not names:
        raise InputError(f"{source} holds no recording" + (f" of job {job_id}" if job_id else ""))

    def one(host: str) -> Host:
        report = Host(host)
        wanted = {key: files for key, files in listing.items() if _is_of(host, key[0])}
        if not wanted:
            report.outcome, report.detail = "missing", f"no recording of it lies in {source}" + _of(job_id)
        try:
            with _Arrival(out, report, deadline=deadline) as arrival:
                for recording, files in sorted(wanted.items()):
                    if _files_in(out.joinpath(*recording)) == files:
                        report.kept.append("/".join(recording))
                        continue
                    for name, (size, changed) in sorted(files.items()):
                        with _open_plain(source.joinpath(*recording, name)) as file:
                            # What is appended while we read is left for the next collect.
                            arrival.take(recording, name, changed, _limited(file, size))
                    arrival.done(recording)
        except TimeoutError as error:
            report.outcome, report.detail = "timed_out", str(error)
        except OSError as error:
            report.outcome, report.detail = "failed", f"{error.filename}: {error.strerror}"
        return report

    with ThreadPoolExecutor(max_workers=min(parallel, 8)) as pool:
        return list(pool.map(one, names))


def _list_here(source: Path, job_id: str | None) -> Listing:
    listing: Listing = {}
    for node in source.iterdir():
        if not re.fullmatch(_NAME, node.name) or node.is_symlink() or not node.is_dir():
            continue
        for capture in node.iterdir():
            if not re.fullmatch(_NAME, capture.name) or capture.is_symlink() or not capture.is_dir():
                continue
            if job_id is not None and str(read_identity(capture).get("job_id")) != job_id:
                continue
            files = _files_in(capture)
            if files:
                listing[node.name, capture.name] = files
    return listing


def _files_in(capture: Path) -> dict[str, tuple[int, int]]:
    """Name, size in bytes and time of change in seconds of the plain files of a recording."""
    found: dict[str, tuple[int, int]] = {}
    with contextlib.suppress(FileNotFoundError), os.scandir(capture) as entries:
        for entry in entries:
            if re.fullmatch(_NAME, entry.name) and entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                found[entry.name] = (status.st_size, int(status.st_mtime))
    return found


def _open_plain(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb")


# --- from the nodes ---------------------------------------------------------------------------------------------------


def _from_nodes(
    out: Path,
    source: str,
    hosts: Sequence[str],
    via: Via,
    job_id: str | None,
    deadline: float,
    timeout_s: float,
    parallel: int,
    max_bytes: int,
    tell: Callable[[str], None],
) -> list[Host]:
    reports = {host: Host(host) for host in hosts}

    def left() -> float:
        return max(0.0, deadline - time.monotonic())

    tell(f"asking {len(hosts)} nodes what they hold")
    script = _list_script(source, job_id)
    listed = fanout.each(
        hosts, via, lambda _: script, _read_listing, timeout_s=timeout_s, total_s=left(), parallel=parallel
    )
    for host, answer in listed.items():
        report = reports[host]
        report.outcome, report.detail = answer.outcome, answer.detail
        if answer.outcome == "ok" and answer.value is None:
            report.outcome, report.detail = "missing", f"there is no directory {source}"
        elif answer.outcome == "ok" and not answer.value:
            report.outcome, report.detail = "missing", f"no recording lies in {source}" + _of(job_id)
    plan = _plan(out, reports, {host: a.value for host, a in listed.items() if a.outcome == "ok" and a.value})
    for host, wanted in list(plan.items()):
        size = sum(size for files in wanted.values() for size, _ in files.values())
        if size > max_bytes:
            reports[host].outcome = "failed"
            reports[host].detail = f"it holds {size:,} bytes, more than it may give: raise --max-bytes"
            del plan[host]
    if plan:
        tell(f"fetching from {len(plan)} nodes")
    while plan:
        turn = {host: dict(sorted(wanted.items())[:_RECORDINGS_A_TURN]) for host, wanted in plan.items()}
        _fetch(out, source, turn, reports, via, max_bytes, timeout_s=timeout_s, total_s=left(), parallel=parallel)
        left_over = {host: {k: v for k, v in plan[host].items() if k not in turn[host]} for host in plan}
        plan = {host: wanted for host, wanted in left_over.items() if wanted and reports[host].outcome == "ok"}
    return list(reports.values())


def _fetch(
    out: Path,
    source: str,
    wanted: Mapping[str, Listing],
    reports: Mapping[str, Host],
    via: Via,
    max_bytes: int,
    *,
    timeout_s: float,
    total_s: float,
    parallel: int,
) -> None:
    """Bring recordings here, and say in ``reports`` what became of each host."""

    def read(host: str, stream: BinaryIO) -> int:
        with _Arrival(out, reports[host], max_bytes=max_bytes) as arrival:
            return _unpack(stream, wanted[host].keys(), arrival)

    answers = fanout.each(
        list(wanted),
        via,
        lambda host: _tar_script(source, wanted[host]),
        read,
        timeout_s=timeout_s,
        total_s=total_s,
        parallel=parallel,
    )
    for host, answer in answers.items():
        report = reports[host]
        report.outcome, report.detail = answer.outcome, answer.detail or report.detail
        if answer.outcome == "ok" and answer.value not in (0, 1):  # 1: a file grew while tar read it
            report.outcome, report.detail = "truncated", f"tar ended with status {answer.value} there"
        if report.fetched and report.outcome in ("failed", "timed_out"):
            report.outcome = "truncated"
            report.detail += f"; {len(report.fetched)} recordings arrived before"


def _of(job_id: str | None) -> str:
    return f" of job {job_id}" if job_id else ""


def _list_script(source: str, job_id: str | None) -> str:
    pattern = shlex.quote(f'"job_id": *"{job_id}"')
    only = f'grep -qs {pattern} "${{c}}{NODE_JSON}" || continue; ' if job_id else ""
    return (
        f"cd -- {shlex.quote(source)} 2>/dev/null || {{ printf '\\ninquest-exit {_NO_DIRECTORY}\\n'; exit 0; }}\n"
        f"for c in ./*/*/; do {only}"
        "find \"$c\" -maxdepth 1 -type f -exec stat -c '%s %Y %n' {} + 2>/dev/null; done\n"
        "printf '\\ninquest-exit 0\\n'"
    )


def _tar_script(source: str, recordings: Iterable[Recording]) -> str:
    names = shlex.join(f"./{node}/{capture}" for node, capture in sorted(recordings))
    return f"cd -- {shlex.quote(source)} && tar -cf - -- {names}; printf '\\ninquest-exit %d\\n' $?"


def _read_listing(_: str, stream: BinaryIO) -> Listing | None:
    """What a node holds; None where it has no such directory."""
    text = stream.read(_LISTING_BYTES + 1)
    end = list(_EXIT.finditer(text))
    if not end:
        raise InputError("its list of files broke off" if text else "it gave no answer")
    if int(end[-1][1]) == _NO_DIRECTORY:
        return None
    listing: Listing = {}
    for line in text[: end[-1].start()].decode(errors="replace").splitlines()[:_MAX_FILES]:
        if match := _LISTED.fullmatch(line):
            size, changed, node, capture, name = match.groups()
            listing.setdefault((node, capture), {})[name] = (int(size), int(changed))
    return listing


def _plan(out: Path, reports: Mapping[str, Host], listed: Mapping[str, Listing]) -> dict[str, Listing]:
    """What to fetch from whom: every recording once, from the host it is named after where that one has it."""
    owner: dict[Recording, str] = {}
    earlier = {recording: host for host, told in read_report(out).items() for recording in told}
    for host, listing in listed.items():
        for recording in listing:
            held_by = owner.get(recording)
            if held_by is None or (_is_of(host, recording[0]) and not _is_of(held_by, recording[0])):
                owner[recording] = host
    plan: dict[str, Listing] = {}
    for recording, host in sorted(owner.items()):
        name = "/".join(recording)
        files = listed[host][recording]
        if _files_in(out.joinpath(*recording)) == files:
            reports[host].kept.append(name)
        elif earlier.get(name, host) != host and earlier[name] in listed:
            # A node may speak for itself only: it does not replace what another one gave.
            reports[host].detail = f"{name} came from {earlier[name]} before and was not replaced"
        else:
            plan.setdefault(host, {})[recording] = files
    return plan


def _is_of(host: str, node: str) -> bool:
    host = fanout.node_name(host)
    return host == node or host.partition(".")[0] == node.partition(".")[0]


def _unpack(stream: BinaryIO, wanted: Collection[Recording], arrival: _Arrival) -> int:
    """Take the recordings that were asked for out of a tar stream; returns the status tar ended with there.

    Raises:
        UnsafeInput: The archive holds anything else than plain files of these recordings.
        InputError: It broke off.
    """
    current: Recording | None = None
    members = 0
    long_name: str | None = None
    while True:
        header = _exactly(stream, _BLOCK)
        if not header.strip(b"\0"):
            break
        try:
            member = tarfile.TarInfo.frombuf(header, "utf-8", "replace")
        except tarfile.HeaderError as error:
            raise InputError("what came is no tar archive: does the login print something on that node?") from error
        members += 1
        if members > _MAX_FILES or member.size < 0:
            raise UnsafeInput("its archive holds more files than any recording")
        if member.type in (tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE):
            if member.size > 1 << 16:
                raise UnsafeInput("its archive holds a header of unlikely size")
            body = _exactly(stream, _padded(member.size))[: member.size]
            long_name = body.rstrip(b"\0").decode(errors="replace") if member.type == b"L" else long_name
            continue
        name, long_name = long_name or member.name, None
        match = _MEMBER.fullmatch(name)
        if member.isreg() and _HIDDEN.fullmatch(name):  # what is half written there
            _skip(stream, _padded(member.size))
            continue
        if match is None or (match[1], match[2]) not in wanted:
            raise UnsafeInput(f"its archive holds {name[:100]!r}, which was not asked for: nothing of it is kept")
        if member.isdir():
            continue
        if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or not match[3]:
            raise UnsafeInput(f"its archive holds {name[:100]!r}, which is no plain file: nothing of it is kept")
        recording = (match[1], match[2])
        if recording != current:
            if current is not None:
                arrival.done(current)
            current = recording
        arrival.take(recording, match[3], int(member.mtime), _chunks(stream, member.size))
        _skip(stream, _padded(member.size) - member.size)
    if current is not None:
        arrival.done(current)
    rest = b""
    while chunk := stream.read(_CHUNK):
        rest = (rest + chunk)[-64:]
    end = _EXIT.search(rest)
    if end is None:
        raise InputError("its archive broke off at the end")
    return int(end[1])


def _padded(size: int) -> int:
    return -(-size // _BLOCK) * _BLOCK


def _exactly(stream: BinaryIO, size: int) -> bytes:
    data = b""
    while len(data) < size:
        chunk = stream.read(size - len(data))
        if not chunk:
            raise InputError("its archive broke off")
        data += chunk
    return data


def _skip(stream: BinaryIO, size: int) -> None:
    for _ in _chunks(stream, size):
        pass


def _chunks(stream: BinaryIO, size: int) -> Iterator[bytes]:
    while size:
        chunk = stream.read(min(_CHUNK, size))
        if not chunk:
            raise InputError("its archive broke off")
        size -= len(chunk)
        yield chunk


def _limited(file: BinaryIO, size: int) -> Iterator[bytes]:
    while size and (chunk := file.read(min(_CHUNK, size))):
        size -= len(chunk)
        yield chunk


# --- into place -------------------------------------------------------------------------------------------------------


class _Arrival:
    """Recordings of one host on their way in: under a name of their own until they are whole."""

    def __init__(self, out: Path, report: Host, *, deadline: float | None = None, max_bytes: int = MAX_BYTES) -> None:
        self._out = out
        self._report = report
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._whole: list[Recording] = []

    def __enter__(self) -> _Arrival:
        self._folder = Path(tempfile.mkdtemp(prefix=".collect-", dir=self._out))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            if not isinstance(error, UnsafeInput):  # of a host that sends such things nothing is believed
                for recording in self._whole:
                    self._put(recording)
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def take(self, recording: Recording, name: str, changed: int, chunks: Iterable[bytes]) -> None:
        """One file, written and given its time of change (seconds)."""
        place = self._folder.joinpath(*recording)
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        with open(place / name, "xb", opener=_private) as file:
            for chunk in chunks:
                file.write(chunk)
                self._report.bytes += len(chunk)
                if self._report.bytes > self._max_bytes:
                    raise UnsafeInput("it sends more than it may give (--max-bytes): nothing of it is kept")
                if self._deadline is not None and time.monotonic() > self._deadline:
                    raise TimeoutError("the time for all hosts was over")
        with contextlib.suppress(OverflowError):  # a time that no file can have
            os.utime(place / name, (changed, changed))

    def done(self, recording: Recording) -> None:
        """All of a recording is here."""
        self._whole.append(recording)

    def _put(self, recording: Recording) -> None:
        """Put a recording in its place, over an earlier state of it."""
        final = self._out.joinpath(*recording)
        final.parent.mkdir(exist_ok=True, mode=0o700)
        if final.is_dir():
            final.rename(self._folder / f"old-{len(self._report.fetched)}")
        self._folder.joinpath(*recording).rename(final)
        self._report.fetched.append("/".join(recording))


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def _sweep(out: Path) -> None:
    """Remove what a killed collect left half fetched. Two collects into one directory do not go together."""
    for left in out.glob(".collect-????????"):
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)


# --- what was and what was not collected ------------------------------------------------------------------------------


def _write_down(out: Path, found: Iterable[Host]) -> None:
    hosts = _load(out / COLLECT_JSON)
    for host in found:
        before = hosts.get(host.host, {})
        kept = [name for name in before.get("recordings", []) if isinstance(name, str)]
        hosts[host.host] = {
            "outcome": host.outcome,
            "detail": host.detail,
            "recordings": sorted({*kept, *host.fetched, *host.kept}),
            "bytes": host.bytes,
            "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        }
    text = json.dumps({"format": _FORMAT, "hosts": dict(sorted(hosts.items()))}, indent=1) + "\n"
    staged = out / f".{COLLECT_JSON}.tmp"
    staged.unlink(missing_ok=True)
    with open(staged, "x", encoding="utf-8", opener=_private) as file:
        file.write(text)
    staged.replace(out / COLLECT_JSON)


def read_report(out: Path) -> dict[str, list[str]]:
    """The recordings (``NODE/CAPTURE``) that each host gave to the directory ``out`` so far."""
    return {host: list(told.get("recordings", [])) for host, told in _load(out / COLLECT_JSON).items()}


def silent_rows(path: Path) -> Iterator[tuple[str, pa.RecordBatch]]:
    """``collection`` rows for the hosts of a ``collect.json`` that gave nothing, or not all.

    Raises:
        InputError: The file is not what collect writes.
    """
    import pyarrow as pa

    from inquest.bundle import parquet

    rows: list[dict[str, Any]] = []
    for host, told in sorted(_load(path).items()):
        outcome, detail = str(told.get("outcome")), str(told.get("detail"))
        if outcome not in ("ok", "empty"):
            row = {"node": fanout.node_name(host), "collector": "collect", "outcome": outcome, "detail": detail}
            rows.append({**row, "capture": COLLECT_CAPTURE, "seq": DERIVED_SEQ + zlib.crc32(json.dumps(row).encode())})
    if rows:
        yield "collection", pa.RecordBatch.from_pylist(rows, schema=parquet.plain_schema("collection"))


def _load(path: Path) -> dict[str, dict[str, Any]]:
    try:
        with _open_plain(path) as file:
            plain = json.loads(file.read(_JSON_BYTES))
        hosts = plain["hosts"] if plain["format"] == _FORMAT else None
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        hosts = None
    if not isinstance(hosts, dict) or not all(isinstance(told, dict) for told in hosts.values()):
        raise InputError(f"{path} is not what 'inquest collect' wrote: remove it, and collect again")
    return hosts
