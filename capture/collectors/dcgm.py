"""How busy the parts of a GPU are, from DCGM's host engine: where the GPU itself does not tell (before Hopper).

The engine is asked through ``dcgmi dmon``, which prints one line a GPU and second: NVIDIA's bindings for Python come
with DCGM only, and for one version of it. An engine that runs has been set up by the site to watch these GPUs; none
is started. Facts: ``dcgmi/DeviceMonitor.cpp`` and ``Query.cpp`` of DCGM 4; field numbers of ``dcgm_fields.h``.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import time
from typing import TYPE_CHECKING, Final

from inquest.capture.asking import Asking
from inquest.capture.collector import Batch, Budget, Collector, Context, Missing, Row
from inquest.capture.gpus import Gpu, ask, inventory

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_FIELDS: Final = {
    1002: "sm_active",
    1003: "sm_occupancy",
    1004: "tensor_active",
    1005: "dram_active",
    1006: "fp64_active",
    1007: "fp32_active",
    1008: "fp16_active",
}
"""DCGM_FI_PROF_*, each a share from 0 to 1; in this order on a line."""
_LIST_S: Final = 5.0
_LIST_BYTES: Final = 256 * 1024
_MOST_BYTES: Final = 64 * 1024
_GPU: Final = re.compile(r"\|\s*(\d{1,4})\s*\|")
_UUID: Final = re.compile(r"Device UUID:\s*(GPU-[0-9a-f-]{36})")


def numbers(listing: str) -> dict[str, str]:
    """UUIDs by DCGM's number of the GPU, from ``dcgmi discovery -l``; its numbers need not be NVML's."""
    found: dict[str, str] = {}
    number = None
    for line in listing.splitlines():
        if begin := _GPU.match(line):
            number = begin[1]
        if number is not None and (uuid := _UUID.search(line)):
            found[number] = uuid[1]
    return found


def shares(line: str) -> tuple[str, Row] | None:
    """Number of a GPU and its columns, from one line of ``dcgmi dmon``; None for any other line."""
    words = line.split()
    if len(words) != 2 + len(_FIELDS) or words[0] != "GPU":
        return None
    row: Row = {}
    for column, word in zip(_FIELDS.values(), words[2:], strict=True):
        with contextlib.suppress(ValueError):  # N/A
            row[column] = round(float(word), 4)
    return words[1], row


class Dcgm(Collector):
    """One row a GPU and second with what the profiling counters tell, beside the rows of NVML."""

    name = "dcgm"
    tables = ("gpu_samples",)
    requires = "dcgmi and a running DCGM host engine, on GPUs before Hopper (later ones tell NVML)"
    budget = Budget(seconds=8.0, bytes=128 * 1024)
    node_wide = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Find out whether DCGM is needed and whether its engine runs; if so, have it tell."""
        self._gpus = {gpu.uuid: gpu.index for gpu in inventory().gpus if not _tells_itself(gpu)}
        if not self._gpus:
            raise Missing("not needed: every GPU here tells NVML how busy its parts are, or there is none")
        program = shutil.which("dcgmi")
        if program is None:
            raise Missing("dcgmi is not installed: how busy the SMs of these GPUs are stays unknown")
        environ = {**os.environ, "LC_ALL": "C"}
        listing = Asking([program, "discovery", "-l"], environ, limit_s=_LIST_S, limit_bytes=_LIST_BYTES)
        reply = listing.reply(_LIST_S + 1)
        known = {} if reply is None else numbers(reply.output.decode(errors="replace"))
        self._uuids = {number: uuid for number, uuid in known.items() if uuid in self._gpus}
        if not self._uuids:
            raise Missing("no DCGM host engine answers dcgmi for these GPUs (nv-hostengine)")
        fields = ",".join(map(str, _FIELDS))
        self._monitor = subprocess.Popen(
            [program, "dmon", "-e", fields, "-i", ",".join(self._uuids), "-d", "1000"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environ,
            cwd="/",
            start_new_session=True,
        )
        if self._monitor.stdout is not None:
            os.set_blocking(self._monitor.stdout.fileno(), False)
        self._rest = b""
        return ()

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """What the monitor has printed since the last tick."""
        now = time.monotonic_ns()
        rows: list[Row] = []
        for line in self._lines():
            told = shares(line)
            uuid = self._uuids.get(told[0]) if told else None
            if told and uuid:
                rows.append({"ts_mono_ns": now, "gpu_uuid": uuid, "gpu_index": self._gpus[uuid], **told[1]})
        if not rows and self._monitor.poll() is not None:
            raise RuntimeError(f"dcgmi dmon ended with status {self._monitor.returncode}")
        yield "gpu_samples", rows

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """The last lines, and the end of the monitor."""
        self._monitor.kill()
        with contextlib.suppress(RuntimeError):
            yield from self.tick(ctx)
        self._monitor.wait()

    def _lines(self) -> Iterator[str]:
        assert self._monitor.stdout is not None
        with contextlib.suppress(BlockingIOError):
            self._rest += os.read(self._monitor.stdout.fileno(), _MOST_BYTES)
        *whole, self._rest = self._rest.split(b"\n")
        self._rest = self._rest[-_MOST_BYTES:]
        for line in whole:
            yield line.decode(errors="replace")


def _tells_itself(gpu: Gpu) -> bool:
    import pynvml

    support = ask(pynvml.nvmlGpmQueryDeviceSupport, gpu.handle)
    return support is not None and bool(support.isSupportedDevice)
