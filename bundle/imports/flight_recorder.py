"""Dumps of PyTorch's flight recorder, pickle or JSON, of any process-group backend.

The format is that of ``torch/csrc/distributed/c10d`` (``TraceUtils.h`` up to torch 2.4, ``NCCLUtils.hpp`` in 2.5,
``FlightRecorder.hpp`` since): a dict with ``version`` ("1.0" to "2.10" so far), ``entries``, ``pg_config``, and since
2.2 ``pg_status``; before it had a version, a bare list of entries. Of what differs:

* ``pg_config`` maps group number to ranks (1.x), or group name to name, description and ranks as text (2.x). It lists
  the groups the process is a member of, so what all of them share is the process's own rank.
* ``seq_id`` became ``collective_seq_id`` and ``p2p_seq_id``; ``time_created_us`` became ``time_created_ns``.
* JSON has no frames, writes 0 for a time that was never, and drops ``entries`` when there are none.
* Gloo's entries stay "scheduled" for ever: ``retired`` is the only sign that one is done.
"""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports import plain_pickle
from inquest.bundle.imports._values import text
from inquest.bundle.stack_id import frame_line, stack_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

MAX_BYTES: Final = 64 << 20
"""A dump of 20,000 entries with stacks has about 10 MB."""
_MOST_MEMBERS: Final = 2_000_000
"""Members of all groups together: a job of 100,000 ranks lists some hundred thousand."""
_BATCH: Final = 2000
_PICKLE: Final = re.compile(rb"\x80[\x02-\x05]")
_P2P: Final = re.compile(r"(send|recv)\s+(\d{1,9})\s*(->|<-)\s*(\d{1,9})$")
_LAST_NUMBER: Final = re.compile(r"(?:^|[^0-9])(\d{1,6})(?:\.(?:pkl|pickle|json|bin|dump|gz|zst))*$")
_INT64: Final = range(-(1 << 63), 1 << 63)
_LONGEST: Final = 4000
"""Longest text kept of one field; what is longer was not written by torch."""
_TOP: Final = ("version", "entries", "pg_config", "pg_status", "nccl_comm_state", "comm_lib_version", "nccl_version")


@dataclass(slots=True)
class _Group:
    """One process group: its name, description and global ranks."""

    name: str
    desc: str | None
    ranks: list[int]
    pg_id: int | None = None
    backend: str | None = None


@dataclass(slots=True)
class _Dump:
    """One dump, brought into one form."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    groups: dict[str, _Group] = field(default_factory=dict)
    status: dict[int, dict[str, Any]] = field(default_factory=dict)
    comms: dict[str, dict[str, Any]] = field(default_factory=dict)
    library: str | None = None
    rank: int | None = None
    node: str | None = None


class _FlightRecorder:
    name = "flight-recorder"
    title = "PyTorch flight recorder"
    tables = ("flight_recorder", "nccl_comms", "stacks")
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        head = source.head
        if _PICKLE.match(head):
            return b"profiling_name" in head or b"pg_config" in head or "nccl_trace" in source.name
        if head.lstrip()[:1] not in (b"{", b"["):
            return False
        entries = b'"profiling_name"' in head and b'"time_created_' in head
        return entries or (b'"pg_config"' in head and b'"pg_status"' in head)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        value = _load(source, context)
        if not isinstance(value, dict | list):
            raise InputError(f"{source.name}: a flight recorder's dump is a dict, not a {type(value).__name__}.")
        dump = _dump(value, source, context)
        rank, rank_by = _rank(dump, source, context)
        yield "nccl_comms", _comms(dump, rank, rank_by)
        _warn_of_what_is_missing(dump, source, context)
        seen: set[int] = set()
        for begin in range(0, len(dump.entries), _BATCH):
            rows, stacks = [], []
            for entry in dump.entries[begin : begin + _BATCH]:
                row = _row(entry, dump, rank, rank_by)
                stack = _stack(entry.get("frames"))
                if stack:
                    row["stack_id"] = stack_id(stack)
                    if row["stack_id"] not in seen:
                        seen.add(row["stack_id"])
                        stacks.append({"node": dump.node, "stack_id": row["stack_id"], "kind": "python", "text": stack})
                rows.append(row)
            yield "stacks", stacks
            yield "flight_recorder", rows


KIND: Final = _FlightRecorder()


def _warn_of_what_is_missing(dump: _Dump, source: Source, context: Context) -> None:
    """A ring that was full has lost its oldest entries; a dump of what was active leaves out what had completed."""
    numbers = [number for entry in dump.entries if (number := _int(entry.get("record_id"))) is not None]
    if not numbers or min(numbers) == 0:
        return
    if any(entry.get("state") == "completed" or entry.get("retired") for entry in dump.entries):
        context.warn(
            f"{source.name}: the ring was full and its first {min(numbers)} operations were overwritten: an operation "
            "that is missing here may have happened."
        )
    else:
        context.warn(f"{source.name}: holds only operations that had not completed.")


def _load(source: Source, context: Context) -> Any:  # noqa: ANN401  what a stranger wrote
    data = source.read(MAX_BYTES)
    if _PICKLE.match(data):
        plain = plain_pickle.load(data, source.name)
        if plain.whole:
            return plain.value
        context.warn(f"{source.name}: cut off in the middle; what was whole by then was read.")
        return _fragments(plain.fragments)
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name}: a flight recorder's dump whose JSON is broken ({error}).") from error


def _fragments(values: tuple[Any, ...]) -> dict[str, Any]:
    """A dump put together from the whole values of a pickle that was cut off."""
    found: dict[str, Any] = {}
    for key, value in itertools.pairwise(values):
        if isinstance(key, str) and key in _TOP:
            found.setdefault(key, value)
    listed = found.get("entries")
    loose = [value for value in values if isinstance(value, dict) and "profiling_name" in value]
    found["entries"] = (listed if isinstance(listed, list) else []) + loose
    return found


def _dump(value: dict[Any, Any] | list[Any], source: Source, context: Context) -> _Dump:
    if isinstance(value, list):
        value = {"entries": value}
    dump = _Dump(
        library=_text(value.get("comm_lib_version") or value.get("nccl_version")) or None,
        rank=_int(value.get("rank")),
        node=_text(value.get("host_name")),
    )
    for entry in _list(value.get("entries")):
        if isinstance(entry, dict) and isinstance(entry.get("profiling_name"), str):
            dump.entries.append(entry)
        else:
            context.refuse("entries without an operation")
    members = 0
    for key, config in _dict(value.get("pg_config")).items():
        ranks = _ranks(config.get("ranks") if isinstance(config, dict) else config)
        if ranks and isinstance(key, str | int):
            name = _text(_dict(config).get("name")) or _text(str(key)) or ""
            dump.groups[name] = _Group(name, _desc(_dict(config).get("desc")), ranks)
            members += len(ranks)
            if members > _MOST_MEMBERS:
                raise UnsafeInput(f"{source.name}: lists more members of process groups than any job has.")
    for key, status in _dict(value.get("pg_status")).items():
        pg_id = _int(key)
        if pg_id is not None and isinstance(status, dict):
            dump.status[pg_id] = status
    _number_groups(dump)
    dump.comms = {str(key): state for key, state in _dict(value.get("nccl_comm_state")).items() if _dict(state)}
    return dump


def _number_groups(dump: _Dump) -> None:
    """Give groups the numbers by which ``pg_status`` knows them: from entries, else by the order of creation.

    Names given by torch and numbers both count up as groups are made, so with as many of the one as of the other, and
    every pair that an entry tells agreeing, the n-th name has the n-th number.
    """
    for entry in dump.entries:
        group = dump.groups.get(_group_name(entry) or "")
        if group is not None and group.pg_id is None:
            group.pg_id = _int(entry.get("pg_id"))
            group.backend = _backend(entry["profiling_name"])[0]
    if len(dump.groups) == len(dump.status) and all(name.isdecimal() for name in dump.groups):
        groups = sorted(dump.groups.values(), key=lambda group: int(group.name))
        if all(group.pg_id in (None, pg_id) for group, pg_id in zip(groups, sorted(dump.status), strict=True)):
            for group, pg_id in zip(groups, sorted(dump.status), strict=True):
                group.pg_id = pg_id


def _rank(dump: _Dump, source: Source, context: Context) -> tuple[int | None, str | None]:
    """Global rank of the process that wrote the dump, and how it was told: content before the name of the file."""
    possible = _possible_ranks(dump)
    told = dump.rank
    if told is None and possible is not None and len(possible) == 1:
        (told,) = possible
    if told is None:
        if source.rank is not None:
            return source.rank, source.rank_by
        # As torch names dumps, and its own analyzer reads them: whatever the prefix, the rank is last.
        last = _LAST_NUMBER.search(source.name)
        fits = last is not None and (possible is None or int(last[1]) in possible)
        return (int(last[1]), "file_name") if last is not None and fits else (None, None)
    if source.rank is not None and source.rank != told:
        context.warn(f"{source.name}: named after rank {source.rank}, but its process groups are those of rank {told}.")
    return told, "content"


def _possible_ranks(dump: _Dump) -> set[int] | None:
    """Ranks that fit all there is: memberships, and the ends of sends and receives. None where nothing tells."""
    candidates: set[int] | None = None
    for members in (set(group.ranks) for group in dump.groups.values()):
        candidates = members if candidates is None else candidates & members
    for entry in dump.entries:
        p2p = _P2P.search(entry["profiling_name"])
        group = dump.groups.get(_group_name(entry) or "")
        if p2p and group is not None and candidates is not None and int(p2p[2]) < len(group.ranks):
            candidates &= {group.ranks[int(p2p[2])]}
    whole = max((group.ranks for group in dump.groups.values()), key=len, default=[])
    if candidates and len(candidates) > 1 and whole == list(range(len(whole))):
        for state in dump.comms.values():  # a communicator of the whole job tells a rank that is the global one
            own = _int(state.get("rank"))
            if own is not None and _int(state.get("nRanks")) == len(whole):
                candidates &= {own}
    return candidates or None


def _comms(dump: _Dump, rank: int | None, rank_by: str | None) -> list[dict[str, Any]]:
    """A row a process group, a row a status whose group no entry names, and a row a communicator of the library."""
    shared = {"node": dump.node, "rank": rank, "rank_by": rank_by, "event": "status", "library_version": dump.library}
    status = dict(dump.status)
    rows: list[dict[str, Any]] = [
        {
            "comm": group.name,
            "comm_desc": group.desc,
            "comm_size": len(group.ranks),
            "comm_rank": group.ranks.index(rank) if rank in group.ranks else None,
            "members": ",".join(map(str, group.ranks)),
            "pg_id": group.pg_id,
            "backend": group.backend,
        }
        | _progress(status.pop(group.pg_id, {}) if group.pg_id is not None else {})
        for group in dump.groups.values()
    ]
    names = {_int(entry.get("pg_id")): _group_name(entry) for entry in dump.entries}
    rows += [{"comm": names.get(pg_id), "pg_id": pg_id} | _progress(one) for pg_id, one in status.items()]
    rows += [
        {
            "comm": _comm_hash(state.get("commHash")),
            "comm_rank": _int(state.get("rank")),
            "comm_size": _int(state.get("nRanks")),
            "backend": "nccl",
        }
        for state in dump.comms.values()
    ]
    return [shared | row for row in rows]


def _progress(status: dict[str, Any]) -> dict[str, Any]:
    """Last operations of a group. Starts are followed only where the program asked for timing: -1 tells nothing."""
    started = _seq(status.get("last_started_collective"))
    return {
        "last_enqueued_seq": _seq(status.get("last_enqueued_collective")),
        "last_started_seq": None if started == -1 else started,
        "last_completed_seq": _seq(status.get("last_completed_collective")),
    }


def _row(entry: dict[str, Any], dump: _Dump, rank: int | None, rank_by: str | None) -> dict[str, Any]:
    name = _group_name(entry)
    group = dump.groups.get(name or "")
    backend, op = _backend(entry["profiling_name"])
    p2p = _P2P.search(op)
    other = int(p2p[4]) if p2p else None
    created = _time(entry, "time_created")
    duration = entry.get("duration_ms")
    timeout = _int(entry.get("timeout_ms"))
    marked = entry.get("is_p2p")
    pair = entry.get("process_group")
    desc = _desc(pair[1]) if isinstance(pair, list | tuple) and len(pair) > 1 else None
    return {
        "node": dump.node,
        "ts_ns": created,
        "rank": rank,
        "rank_by": rank_by,
        "comm": name,
        "comm_desc": desc or (group.desc if group else None),
        "comm_size": len(group.ranks) if group else None,
        "pg_id": _int(entry.get("pg_id")),
        "backend": backend,
        "op": p2p[1] if p2p else op,
        "record_id": _int(entry.get("record_id")),
        "coll_seq": _int(entry.get("collective_seq_id", entry.get("seq_id"))),
        "p2p_seq": _int(entry.get("p2p_seq_id")),
        "op_id": _int(entry.get("op_id")),
        "is_p2p": marked if isinstance(marked, bool) else (True if p2p else None),
        "peer_rank": group.ranks[other] if group and other is not None and other < len(group.ranks) else None,
        "state": _text(entry.get("state")),
        "enqueue_ns": created,
        "started_ns": _time(entry, "time_discovered_started") or None,
        "complete_ns": _time(entry, "time_discovered_completed") or None,
        "duration_ns": round(duration * 1e6) if isinstance(duration, int | float) and 0 <= duration < 1e12 else None,
        "timeout_ns": timeout * 1_000_000 if timeout is not None and 0 <= timeout < 1 << 40 else None,
        "sizes": _sizes(entry.get("input_sizes")),
        "dtypes": _joined(entry.get("input_dtypes")),
        "output_sizes": _sizes(entry.get("output_sizes")),
        "output_dtypes": _joined(entry.get("output_dtypes")),
        "retired": entry["retired"] if isinstance(entry.get("retired"), bool) else None,
        "thread_name": _text(entry.get("thread_name")),
    }


def _group_name(entry: dict[str, Any]) -> str | None:
    pair = entry.get("process_group")
    if isinstance(pair, list | tuple) and pair:
        return _text(pair[0])
    number = _int(entry.get("pg_id"))  # format 1.x: groups have numbers only
    return None if number is None else str(number)


def _backend(profiling_name: str) -> tuple[str | None, str]:
    backend, colon, op = (_text(profiling_name) or "").partition(":")
    return (backend, op) if colon else (None, backend)


def _desc(value: Any) -> str | None:  # noqa: ANN401
    desc = _text(value)
    return None if desc in ("", "undefined") else desc


def _comm_hash(value: Any) -> str | None:  # noqa: ANN401
    """In hexadecimal, of what libraries write as a decimal number or as quoted hexadecimal."""
    hashed = str(value).strip('"').lower() if isinstance(value, str | int) else ""
    if re.fullmatch(r"[0-9]{1,20}", hashed):
        return f"0x{int(hashed):x}"
    return f"0x{hashed.removeprefix('0x')}" if re.fullmatch(r"(0x)?[0-9a-f]{1,16}", hashed) else None


def _ranks(value: Any) -> list[int]:  # noqa: ANN401
    if isinstance(value, str):
        return [int(number) for number in re.findall(r"\d{1,9}", value[: _MOST_MEMBERS * 8])]
    return [rank for item in _list(value) if (rank := _int(item)) is not None and rank >= 0]


def _time(entry: dict[str, Any], name: str) -> int | None:
    for unit, factor in (("ns", 1), ("us", 1000)):
        value = _int(entry.get(f"{name}_{unit}"))
        if value is not None and value * factor in _INT64:
            return value * factor
    return None


def _sizes(value: Any) -> str | None:  # noqa: ANN401
    if not isinstance(value, list | tuple):
        return None
    return json.dumps([[_int(size) for size in _list(one)] for one in value])[:_LONGEST]


def _joined(value: Any) -> str | None:  # noqa: ANN401
    return _text(",".join(_text(item) or "?" for item in value)) if isinstance(value, list | tuple) else None


def _stack(frames: Any) -> str:  # noqa: ANN401
    """Frames innermost first, one a line."""
    return "\n".join(
        frame_line(_text(frame.get("name")), _text(frame.get("filename")), _int(frame.get("line")))
        for frame in _list(frames)[:500]
        if isinstance(frame, dict)
    )


def _seq(value: Any) -> int | None:  # noqa: ANN401
    """A sequence number; torch 2.3 and 2.4 print "none yet" as the unsigned form of -1."""
    number = _int(value)
    return -1 if number in ((1 << 64) - 1, (1 << 32) - 1) else number


def _int(value: Any) -> int | None:  # noqa: ANN401
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,20}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if value in _INT64 or value == (1 << 64) - 1 else None


def _text(value: Any) -> str | None:  # noqa: ANN401
    return text(value, _LONGEST)


def _list(value: Any) -> list[Any]:  # noqa: ANN401
    return list(value) if isinstance(value, list | tuple) else []


def _dict(value: Any) -> dict[Any, Any]:  # noqa: ANN401
    return value if isinstance(value, dict) else {}
