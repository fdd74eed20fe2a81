"""``nvidia-smi -q -x``: one XML document, or those of a loop one after the other.

Entities are refused: nvidia-smi writes none, and they are how small XML becomes large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal
from xml.parsers import expat

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports.nvidia_smi import batches
from inquest.bundle.imports.smi_fields import GpuLog, Gpus, Holders, count, log_rows, mebibytes
from inquest.bundle.imports.told_time import told_ns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_END: Final = b"</nvidia_smi_log>"
_MAX_DOCUMENT: Final = 16 << 20
"""Bytes of one document: sixteen GPUs take half a megabyte."""
_MAX_TEXT: Final = 4096
_MAX_DEPTH: Final = 32


class _NvidiaSmiXml:
    name = "nvidia-smi-xml"
    title = "Output of nvidia-smi -q -x"
    tables = ("gpu_samples", "gpu_processes", "gpu_events", "node_info")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        head = source.head[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
        return head.startswith(b"<") and b"<nvidia_smi_log" in head

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        yield from batches(self._rows(source, context))

    def _rows(self, source: Source, context: Context) -> Iterator[tuple[str, dict[str, Any]]]:
        gpus, holders = Gpus(), Holders()
        info: dict[str, Any] = {}
        read = 0
        for text in _documents(source):
            document = _Document(source.name)
            try:
                document.parser.Parse(text, True)
            except expat.ExpatError as error:
                context.refuse(f"documents that are damaged ({error})")
                if not document.logs:
                    continue
            read += 1
            ts_ns = told_ns(document.values.get("timestamp", ""), context.utc_offset_minutes)
            if ts_ns is None:
                context.warn("nvidia-smi wrote no time that can be read: the rows have none.")
            attached = count(document.values.get("attached_gpus", ""))
            yield from log_rows(document.logs, attached, ts_ns, gpus, holders)
            info |= {name: document.values[name].split()[0] for name in _VERSIONS if document.values.get(name)}
        if not read:
            raise InputError(f"{source.name}: no document of nvidia-smi in it is whole; write it again.")
        yield "node_info", gpus.node_info() | info


KIND = _NvidiaSmiXml()
_VERSIONS: Final = ("driver_version", "cuda_version")


def _documents(source: Source) -> Iterator[bytes]:
    """The documents one by one; what follows the last is a document that was cut off."""
    rest = b""
    for chunk in source.chunks():
        *whole, rest = (rest + chunk).split(_END)
        for text in whole:
            if len(text) > _MAX_DOCUMENT:
                break
            yield text.lstrip(b"\xef\xbb\xbf \t\r\n") + _END
        if len(rest) > _MAX_DOCUMENT:
            raise UnsafeInput(
                f"{source.name}: one document is larger than {_MAX_DOCUMENT >> 20} MiB; it is no nvidia-smi."
            )
    if rest.strip():
        yield rest.lstrip()


class _Document:
    """One document, read as it streams by: values of the whole and of each GPU, by path of tags."""

    def __init__(self, name: str) -> None:
        self.values: dict[str, str] = {}
        self.logs: list[GpuLog] = []
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.EntityDeclHandler = self._entity
        self._name = name
        self._path: list[str] = []
        self._text = ""
        self._pid: int | None = None

    def _entity(self, *_: object) -> None:
        raise UnsafeInput(f"{self._name}: declares XML entities, which nvidia-smi never does.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._path.append(tag)
        self._text = ""
        if len(self._path) > _MAX_DEPTH:
            raise UnsafeInput(f"{self._name}: XML nested more deeply than nvidia-smi writes it.")
        if self._path[1:] == ["gpu"]:
            self.logs.append(GpuLog(attributes.get("id", "")))

    def _characters(self, text: str) -> None:
        self._text = (self._text + text)[:_MAX_TEXT]

    def _end(self, tag: str) -> None:
        path, value = self._path[1:], self._text.strip()
        self._path.pop()
        self._text = ""
        if not path:
            return
        if path[0] != "gpu":
            self.values.setdefault("/".join(path), value)
        elif path[1:2] == ["processes"]:
            self._process(self.logs[-1], tag, value)
        elif value:
            self.logs[-1].values["/".join(path[1:])] = value

    def _process(self, log: GpuLog, tag: str, value: str) -> None:
        if tag == "processes":
            if value != "N/A" and log.processes is None:
                log.processes = {}
            return
        log.processes = {} if log.processes is None else log.processes
        if tag == "pid":
            self._pid = count(value)
            if self._pid is not None:
                log.processes[self._pid] = None
        elif tag == "used_memory" and self._pid in log.processes:
            log.processes[self._pid] = mebibytes(value)
