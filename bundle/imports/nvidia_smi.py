"""What nvidia-smi prints, as people keep and paste it: tables, ``-q``, ``-L``, ``dmon``, ``pmon``, ``nvlink``, any mix.

Loops (``-l``, ``watch``) and several outputs in one file are read in order; the time of a row is the last one printed
before it. nvidia-smi prints the node's local time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports.metric_table import MIB
from inquest.bundle.imports.series import typed
from inquest.bundle.imports.smi_fields import GpuLog, Gpus, Holders, count, log_rows, mebibytes, number, sample
from inquest.bundle.imports.told_time import told_ns

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

TABLES: Final = ("gpu_samples", "gpu_processes", "gpu_events", "nvlink_samples", "node_info")
_BUS: Final = r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9A-Fa-f]"
_HEAD: Final = re.compile(
    r"\| NVIDIA-SMI \S+ +(?:Driver|KMD) Version: (?P<driver>\S+)(?: +CUDA (?:UMD )?Version: (?P<cuda>\S+))?"
)
_ROW_1: Final = re.compile(
    rf"\| +(\d{{1,4}}) +(.+?) +(?:On|Off|N/A|ERR!|TCC|WDDM|MCDM) *\| +({_BUS}) +\S+ *\| +(\S+).*\|$"
)
_ROW_2: Final = re.compile(
    r"\| *(\S+) +(\S+) +(\S+) +(\S+) */ *(\S+) *\| +(?:(\S+?)MiB|\S+) */ *(?:(\S+?)MiB|\S+) *\| +(\S+) .*\|$"
)
_PROCESS: Final = re.compile(
    r"\| +(\d{1,4}) +(?:\S+ +\S+ +)?(\d{1,10}) +(?:C|G|C\+G|M\+C) +.*? (?:(\d{1,12}MiB)|N/A) *\|$"
)
_LISTED: Final = re.compile(r"GPU (\d{1,4}): (.+?)(?: \(UUID: (GPU-[0-9a-f-]+)\))?\s*$")
_LINK: Final = re.compile(
    r"\s+Link (\d{1,3}): (?:<(inactive)>|([\d.]+ GB/s)|(Replay|Recovery|CRC(?: Flit| Data)?) Errors?: (\d{1,18}))\s*$"
)
_LOG_GPU: Final = re.compile(rf"GPU ({_BUS})\s*$")
_LOST: Final = re.compile(
    rf"Unable to determine the device handle for (?:gpu|GPU) ?(?:(\d{{1,3}}): ?)?({_BUS})?.*"
    r"|.*GPU is lost.*"
)
_OTHER: Final = re.compile(
    r"[+|][-=+| ].*[+|]$|\|.*\|$|\s*=+NVSMI LOG=+\s*$|Every [\d.]+s: |[$#>] ?(?:sudo )?nvidia-smi"
    r"|NVIDIA-SMI has failed|NVIDIA-SMI version|No devices were found|Failed to initialize NVML|Reboot the system"
    r"|(?:Attached GPUs|Timestamp|(?:Driver|KMD|CUDA|CUDA UMD|DRIVER|NVML) [Vv]ersion) +:"
    r"|\s+\S*GPU\d+\s|(?:GPU|NIC)\d+\s|(?:NIC )?Legend:|\s+(?:X|SYS|NODE|PHB|PXB|PIX|NV#)\s+=|\s+NIC\d+: "
    r"|  MIG .* \(UUID: MIG-"
)
_MONITORED: Final = re.compile(r"\s*(?:\d{8} +)?(?:\d\d:\d\d:\d\d +)?\d{1,4} ")
_MONITOR: Final = {
    "pwr": ("power_w", 1.0),
    "gtemp": ("temp_core_c", 1.0),
    "temp": ("temp_core_c", 1.0),
    "mtemp": ("temp_memory_c", 1.0),
    "sm": ("engine_active", 0.01),
    "mem": ("mem_util", 0.01),
    "mclk": ("mem_clock_mhz", 1.0),
    "pclk": ("sm_clock_mhz", 1.0),
    "fb": ("fb_used_bytes", float(MIB)),
    "sbecc": ("ecc_corrected_aggregate", 1.0),
    "dbecc": ("ecc_uncorrected_aggregate", 1.0),
    "pci": ("pcie_replays", 1.0),
    "rxpci": ("pcie_rx_bytes_s", 1e6),
    "txpci": ("pcie_tx_bytes_s", 1e6),
}
"""Columns of ``nvidia-smi dmon``; its ECC counts are aggregates (manual, "dmon")."""
_LINK_COLUMNS: Final = {"Replay": "replay_errors", "Recovery": "recovery_errors"}
_SAMPLED_LINES: Final = 400
_MOST_OTHER: Final = 0.08
_DEPTH: Final = 8
_LINE_CAP: Final = 1024
_GPU_INDENT: Final = 4
_MAX_VALUES: Final = 4096
"""Values of one GPU in ``-q``, which prints some three hundred; GPUs of one output; processes of one GPU."""
_BATCH: Final = 20_000

Row = tuple[str, dict[str, Any]]


class _NvidiaSmi:
    name = "nvidia-smi"
    title = "Output of nvidia-smi"
    tables = TABLES
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        lines = [line for line in source.head.decode("utf-8", "replace").splitlines() if line.strip()][:_SAMPLED_LINES]
        reader = Reader(0)
        known = other = clocks = 0
        for line in lines:
            line = line[:_LINE_CAP].rstrip()
            if reader.knows(line):
                known += 1
            elif not _OTHER.match(line):
                clock = told_ns(line, 0) is not None
                clocks, other = clocks + clock, other + (not clock)
        return 0 < known >= clocks and other <= _MOST_OTHER * len(lines)  # in a log, clocks are on every line

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        reader = Reader(context.utc_offset_minutes)
        yield from batches(reader.rows(source.lines(_LINE_CAP)))
        if reader.unread:
            context.refuse("lines that are not nvidia-smi's", reader.unread)
        if reader.without_time:
            context.warn("nvidia-smi printed no time before some readings: their rows have none.")


KIND = _NvidiaSmi()


def batches(rows: Iterable[Row]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Rows by table in frames, in the types of the schema."""
    held: dict[str, list[dict[str, Any]]] = {}
    for table, row in rows:
        waiting = held.setdefault(table, [])
        waiting.append(row)
        if len(waiting) >= _BATCH:
            yield table, typed(table, pl.DataFrame(held.pop(table), infer_schema_length=None))
    for table, waiting in held.items():
        yield table, typed(table, pl.DataFrame(waiting, infer_schema_length=None))


class Reader:
    """Lines of nvidia-smi in order, whatever forms they are of."""

    def __init__(self, utc_offset_minutes: int, gpus: Gpus | None = None) -> None:
        self.unread = 0
        self.without_time = False
        self._offset = utc_offset_minutes
        self._gpus = gpus or Gpus()
        self._holders = Holders()
        self._info: dict[str, Any] = {}
        self._time: int | None = None
        self._row_1: re.Match[str] | None = None
        self._seen: dict[int, dict[int, int | None]] | None = None
        self._columns: list[str] = []
        self._round: dict[tuple[int, str], int | None] = {}
        self._highest = 0
        self._listed: re.Match[str] | None = None
        self._link: dict[str, Any] | None = None
        self._log: GpuLog | None = None
        self._logs: list[GpuLog] = []
        self._attached: int | None = None
        self._path: list[tuple[int, str]] = []
        self._pid: int | None = None
        self._lost: set[str] = set()

    def knows(self, line: str) -> bool:
        """Whether a line is of a form with readings in it; follows the form it is in."""
        if self._log is not None and line.startswith("    "):
            return True
        if found := _LOG_GPU.match(line):
            self._log = GpuLog(found[1])
            return True
        if _monitor(line):
            self._columns = _monitor(line)
            return True
        if self._columns and (line.startswith("#") or _MONITORED.match(line)):
            return len(line.split()) >= len(self._columns)
        forms = (_HEAD, _ROW_1, _ROW_2, _PROCESS, _LISTED, _LINK, _LOST)
        return any(form.match(line) for form in forms)

    def rows(self, lines: Iterable[str]) -> Iterator[Row]:
        """Rows of all lines."""
        for line in lines:
            line = line[:_LINE_CAP].rstrip()
            if line.strip():
                yield from self._take(line)
        yield from self._close()
        told = self._gpus.node_info() | self._info
        if told:
            yield "node_info", told

    def _take(self, line: str) -> Iterator[Row]:
        if self._log is not None and line.startswith("    "):
            self._log_line(self._log, line)
        elif found := _LOG_GPU.match(line):
            if len(self._logs) >= _MAX_VALUES:
                yield from self._close()
            self._log = GpuLog(found[1])
            self._path = []
            self._logs.append(self._log)
        elif columns := _monitor(line):
            yield from self._close()
            self._columns = columns
        elif self._columns and line.startswith("#"):
            pass
        elif self._columns and _MONITORED.match(line):
            yield from self._monitored(line.split())
        elif line.startswith(("|", "+")):
            yield from self._table(line)
        elif found := _LINK.match(line):
            yield from self._linked(found)
        else:
            yield from self._close()
            yield from self._plain(line)

    def _plain(self, line: str) -> Iterator[Row]:
        name, _, value = (part.strip() for part in line.partition(" : "))
        if name == "Timestamp":
            self._time = told_ns(value, self._offset)
        elif name in ("Driver Version", "KMD Version", "CUDA Version", "CUDA UMD Version") and value:
            self._info["cuda_version" if name.startswith("CUDA") else "driver_version"] = value.split()[0]
        elif name == "Attached GPUs":
            self._attached = count(value)
        elif found := _LISTED.match(line):
            self._listed = found
            self._gpus.learn(found[3], int(found[1]), None, found[2])
        elif found := _LOST.match(line):
            index = int(found[1]) if found[1] else None
            keys = self._gpus.keys(None, index, found[2])
            yield from self._lose(keys, line)
        elif (time := told_ns(line, self._offset)) is not None:
            self._time = time
        elif not _OTHER.match(line):
            self.unread += 1

    def _lose(self, keys: dict[str, Any], line: str) -> Iterator[Row]:
        if str(keys["gpu_uuid"]) not in self._lost and len(self._lost) < _MAX_VALUES:
            self._lost.add(str(keys["gpu_uuid"]))
            self.without_time |= self._time is None
            yield (
                "gpu_events",
                {**keys, "ts_ns": self._time, "event": "lost", "detail": f"nvidia-smi: {line.strip()[:300]}"},
            )

    def _sample(self, keys: dict[str, Any], values: dict[str, Any]) -> Iterator[Row]:
        if values and keys["gpu_uuid"] is not None:
            self.without_time |= self._time is None
            self._gpus.sized(keys["gpu_uuid"], values)
            yield "gpu_samples", {**keys, "ts_ns": self._time, **values}

    def _close(self) -> Iterator[Row]:
        """End of whatever form we are in."""
        if self._logs:
            yield from log_rows(self._logs, self._attached, self._time, self._gpus, self._holders)
            self.without_time |= self._time is None
            self._log, self._logs = None, []
        if self._seen is not None:
            yield from self._held(self._seen)
            self._seen = None
        yield from self._end_of_round()
        if self._link is not None:
            yield "nvlink_samples", self._link
            self._link = None
        self._columns = []

    def _end_of_round(self) -> Iterator[Row]:
        """One round of dmon or pmon is over: the latter's processes are all told."""
        if "pid" in self._columns:
            seen: dict[int, dict[int, int | None]] = {}
            for (index, pid), used in self._round.items():
                held = seen.setdefault(index, {})
                if (number_of := count(pid)) is not None:
                    held[number_of] = used
            yield from self._held(seen)
        self._round = {}

    def _held(self, seen: dict[int, dict[int, int | None]]) -> Iterator[Row]:
        for index, now in seen.items():
            yield from self._holders.look(self._gpus.keys(None, index, None), self._time, now)

    # --- the table of plain ``nvidia-smi`` ---

    def _table(self, line: str) -> Iterator[Row]:
        if found := _HEAD.match(line):
            yield from self._close()
            self._seen = {}
            self._info |= {f"{name}_version": value for name, value in found.groupdict().items() if value}
        elif found := _ROW_1.match(line):
            self._row_1 = found
        elif self._row_1 is not None and (found := _ROW_2.match(line)):
            index, _, bus, ecc = self._row_1.groups()
            fan, temperature, state, power, limit, used, total, busy = found.groups()
            self._row_1 = None
            uuid = self._gpus.uuid_by_index.get(int(index))
            self._gpus.learn(uuid, int(index), bus)
            keys = self._gpus.keys(None, int(index), bus)
            printed = {
                "fan.speed": fan,
                "temperature.gpu": temperature.removesuffix("C"),
                "pstate": state,
                "power.draw": power.removesuffix("W"),
                "enforced.power.limit": limit.removesuffix("W"),
                "memory.used": used or "",
                "memory.total": total or "",
                "utilization.gpu": busy,
                "ecc.errors.uncorrected.volatile.total": ecc,
            }
            if self._seen is not None:
                self._seen[int(index)] = {}
            if "ERR!" in printed.values():
                detail = "nvidia-smi: ERR! in place of readings"
                yield "gpu_events", {**keys, "ts_ns": self._time, "event": "health", "detail": detail}
            yield from self._sample(keys, sample(printed))
        elif self._seen is not None and (found := _PROCESS.match(line)):
            held = self._seen.setdefault(int(found[1]), {})
            if len(held) < _MAX_VALUES:
                held[int(found[2])] = mebibytes(found[3] or "")

    # --- dmon and pmon ---

    def _monitored(self, fields: list[str]) -> Iterator[Row]:
        told = dict(zip(self._columns, fields, strict=False))
        index = told.get("gpu", "")
        if not index.isdecimal():
            self.unread += 1
            return
        key = (int(index), told.get("pid", ""))
        if key in self._round or (self._round and key[0] < self._highest) or len(self._round) >= _MAX_VALUES:
            yield from self._end_of_round()
            self._time = None  # the time printed before was the first round's
        if "time" in told:
            self._time = told_ns(f"{told.get('date', '')} {told['time']}", self._offset)
        self._highest = key[0]
        self._round[key] = mebibytes(told.get("fb", ""))
        if "pid" in told:
            return
        values = {
            column: value * scale
            for name, (column, scale) in _MONITOR.items()
            if name in told and (value := number(told[name])) is not None
        }
        yield from self._sample(self._gpus.keys(None, int(index), None), values)

    # --- nvlink ---

    def _linked(self, found: re.Match[str]) -> Iterator[Row]:
        if self._listed is None:
            self.unread += 1
            return
        keys = self._gpus.keys(self._listed[3], int(self._listed[1]), None)
        link = int(found[1])
        if self._link is None or (self._link["gpu_uuid"], self._link["link"]) != (keys["gpu_uuid"], link):
            if self._link is not None:
                yield "nvlink_samples", self._link
            self._link = {**keys, "ts_ns": self._time, "link": link}
        if found[4] is None:
            self._link["active"] = found[2] is None
        elif found[4].startswith("CRC"):
            self._link["crc_errors"] = self._link.get("crc_errors", 0) + int(found[5])
        else:
            self._link[_LINK_COLUMNS[found[4]]] = int(found[5])

    # --- ``nvidia-smi -q`` ---

    def _log_line(self, log: GpuLog, line: str) -> None:
        indent = len(line) - len(line.lstrip())
        label, _, value = (part.strip() for part in line.partition(" : "))
        name = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")
        while self._path and self._path[-1][0] >= indent:
            self._path.pop()
        if log.processes is not None and indent > _GPU_INDENT:
            if name == "process_id":
                self._pid = count(value)
                if self._pid is not None and len(log.processes) < _MAX_VALUES:
                    log.processes[self._pid] = None
            elif name == "used_gpu_memory" and self._pid in log.processes:
                log.processes[self._pid] = mebibytes(value)
        elif name == "processes" and indent == _GPU_INDENT:
            log.processes = {} if value in ("", "None") else None
        else:
            if len(log.values) < _MAX_VALUES:
                log.values["/".join((*(part for _, part in self._path), name))] = value
            if len(self._path) < _DEPTH:
                self._path.append((indent, name))


def _monitor(line: str) -> list[str]:
    """Columns of a header line of dmon or pmon; empty for any other line."""
    if not line.startswith("#"):
        return []
    names = line[1:].lower().split()
    return names if "gpu" in names[:3] and len(names) > 2 and ({"pid", *_MONITOR} & set(names)) else []
