"""Probes are tried on a process that may die of them, before they stand on any of the job's.

There were kernels on which a return probe ended a process under a seccomp filter (x86, 6.11 until early 2025). So a
child of ours, under such a filter, calls functions of a page of code that it maps for the purpose, with the very
programs on them: it must live, return in time, and be counted exactly. What the calls cost it is measured on the way.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import mmap
import os
import platform
import select
import struct
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn

from inquest.capture.collector import Denied
from inquest.capture.ebpf import elf
from inquest.capture.ebpf.calls import CudaCalls
from inquest.capture.ebpf.functions import FUNCTIONS
from inquest.capture.ebpf.libraries import Found

if TYPE_CHECKING:
    from inquest.capture.ebpf.session import Session

_PATIENCE_S: Final = 15.0
"""We run at the lowest priority, beside a job that may use every CPU."""
_CALLS: Final = 500
_ROUNDS: Final = 3

# A function whose first instruction the kernel emulates, one that it single-steps, and for each a loop that calls it as
# often as its argument says.
_CODE: Final = {
    "x86_64": {
        0: "55 5d 31c0 c3",  # push rbp; pop rbp; xor eax, eax; ret
        32: "55 5d 31c0 c3",
        64: "31c0 c3",  # xor eax, eax; ret
        128: "53 89fb e878ffffff ffcb 75f7 5b c3",  # push rbx; mov ebx, edi; 1: call 0; dec ebx; jnz 1b; pop rbx; ret
        192: "53 89fb e858ffffff ffcb 75f7 5b c3",
        256: "53 89fb e838ffffff ffcb 75f7 5b c3",
    },
    "aarch64": {
        0: "1f2003d5 00008052 c0035fd6",  # nop; mov w0, 0; ret
        32: "1f2003d5 00008052 c0035fd6",
        64: "fd7bbfa9 fd7bc1a8 00008052 c0035fd6",  # stp x29, x30, [sp, -16]!; ldp x29, x30, [sp], 16; mov w0, 0; ret
        # stp x29, x30, [sp, -32]!; str x19, [sp, 16]; mov w19, w0; 1: bl 0; subs w19, w19, 1; b.ne 1b; ldr, ldp, ret
        128: "fd7bbea9 f30b00f9 f303002a ddffff97 73060071 c1ffff54 f30b40f9 fd7bc2a8 c0035fd6",
        192: "fd7bbea9 f30b00f9 f303002a d5ffff97 73060071 c1ffff54 f30b40f9 fd7bc2a8 c0035fd6",
        256: "fd7bbea9 f30b00f9 f303002a cdffff97 73060071 c1ffff54 f30b40f9 fd7bc2a8 c0035fd6",
    },
}
_LOOPS: Final = (128, 192, 256)
_PLACES: Final = (("cuLaunchKernel", 0, False), ("cuStreamSynchronize", 32, False), ("cuLaunchKernelEx", 64, True))
"""What each function plays: one that is counted, one that is timed, and one that is counted and single-stepped."""
_URETPROBE: Final = 335
"""The system call that such filters knew nothing of (x86-64)."""


@dataclass(frozen=True, slots=True)
class Costs:
    """CPU time that a probed call costs its thread, in nanoseconds, as measured on this node."""

    counted_ns: int
    timed_ns: int
    stepped_ns: int
    """A call that is only counted, where the kernel must single-step the instruction under the probe."""

    def words(self) -> str:
        """For a sentence."""
        return f"a call costs {self.counted_ns} ns counted, {self.timed_ns} timed, {self.stepped_ns} single-stepped"


def run(session: Session) -> Costs:
    """Try the probes on a child, and measure them.

    Raises:
        Denied: The child crashed, hung, or was not counted right; probes must not be used on this node.
    """
    from inquest.capture.run import self_command

    page = _code_page()
    probes = CudaCalls(session)
    try:
        child = subprocess.Popen(
            [*self_command("ebpf.selftest"), str(page)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=[page],
        )
        try:
            bare = _times(child, time.monotonic() + _PATIENCE_S)
            session.follow({child.pid})
            functions = {name: elf.Function(name, at, stepped, "") for name, at, stepped in _PLACES}
            probes.attach_to(Found("self-test", page, elf.Library(functions, None, 0)))
            probed = _times(child, time.monotonic() + _PATIENCE_S)
            counted = {FUNCTIONS[key.number].name: total.calls for key, total in probes.sums() if key.pid == child.pid}
        finally:
            child.kill()
            child.communicate()
            session.follow(())
    finally:
        os.close(page)
        # The kernel takes its time to take probes off, and nothing waits for it.
        threading.Thread(target=probes.close, name="selftest-close", daemon=True).start()
    if any(counted.get(name) != _CALLS * _ROUNDS for name, *_ in _PLACES):
        raise Denied(f"eBPF is off: in the self-test {_CALLS * _ROUNDS} calls of each function counted as {counted}")
    return Costs(*(max(0, with_ - without) // _CALLS for with_, without in zip(probed, bare, strict=True)))


def _times(child: subprocess.Popen[bytes], until: float) -> list[int]:
    """Have the child make its calls; the least time they took it, by function."""
    assert child.stdin is not None
    assert child.stdout is not None
    with contextlib.suppress(BrokenPipeError):
        child.stdin.write(b"go\n")
        child.stdin.flush()
    if select.select([child.stdout], [], [], max(0.0, until - time.monotonic()))[0] and (
        said := child.stdout.readline()
    ):
        times: list[int] = json.loads(said)
        return times
    status = child.poll()
    if status is None and select.select([child.stdout], [], [], 0)[0]:
        status = child.wait(_PATIENCE_S)
    if status is None:
        raise Denied(f"eBPF is off: a process under probes hung in the self-test for {_PATIENCE_S:g} s")
    how = f"died by signal {-status}" if status < 0 else f"ended with status {status}"
    raise Denied(f"eBPF is off: a process under probes {how} in the self-test")


def _code_page() -> int:
    """A file descriptor of a page with the code; in memory, so no file system's noexec is in the way."""
    fd = os.memfd_create("inquest-selftest", os.MFD_CLOEXEC)
    os.truncate(fd, mmap.PAGESIZE)
    for at, code in _CODE[platform.machine()].items():
        os.pwrite(fd, bytes.fromhex(code), at)
    return fd


def _forbid_unknown_calls() -> None:
    """A seccomp filter that refuses the system call of return probes, as those of container engines did."""

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    load_number, is_equal, give = (0x20, 0, 0, 0), (0x15, 0, 1, _URETPROBE), 0x06
    refuse, allow = (give, 0, 0, 0x00050001), (give, 0, 0, 0x7FFF0000)
    code = b"".join(struct.pack("<HBBI", *step) for step in (load_number, is_equal, refuse, allow))
    held = ctypes.create_string_buffer(code, len(code))
    program = Program(4, ctypes.addressof(held))
    prctl = ctypes.CDLL(None).prctl
    prctl(38, ctypes.c_ulong(1), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0))  # PR_SET_NO_NEW_PRIVS
    prctl(22, ctypes.c_ulong(2), ctypes.byref(program))  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def serve(argv: list[str]) -> NoReturn:
    """Be the child: at each line on standard input call every function, and say how long that took."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    address = libc.mmap(None, mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_EXEC, mmap.MAP_PRIVATE, int(argv[0]), 0)
    if address == ctypes.c_void_p(-1).value:
        os._exit(3)
    if platform.machine() == "x86_64":
        _forbid_unknown_calls()
    loops = [ctypes.CFUNCTYPE(None, ctypes.c_int)(address + at) for at in _LOOPS]
    for _ in sys.stdin:
        times: list[int] = []
        for loop in loops:
            rounds = []
            for _ in range(_ROUNDS):
                began = time.thread_time_ns()
                loop(_CALLS)
                rounds.append(time.thread_time_ns() - began)
            times.append(min(rounds))
        print(json.dumps(times), flush=True)
    os._exit(0)


if __name__ == "__main__":
    serve(sys.argv[1:])
