"""Where the running kernel keeps what our programs read: offsets of fields, from the kernel's own BTF.

BTF (the kernel's description of its types, Documentation/bpf/btf.rst) is what CO-RE relocations are made from. Our
programs carry none: they read offsets from a map that ``layout`` fills, so that the loader stays small and bcc needs
no kernel headers. Arguments of raw tracepoints are told by the same file: each has a type ``btf_trace_<name>``.
"""

from __future__ import annotations

import platform
import struct
import threading
from array import array
from bisect import bisect_left
from functools import cache
from typing import Final

from inquest.capture.collector import Denied, Missing

VMLINUX: Final = "/sys/kernel/btf/vmlinux"
_lock: Final = threading.Lock()

_HEADER: Final = struct.Struct("<HBBIIIII")
_TYPE: Final = struct.Struct("<III")
_MEMBER: Final = struct.Struct("<III")
_PARAMETER: Final = struct.Struct("<II")
_MAGIC: Final = 0xEB9F
_KINDS: Final = range(1, 20)
_INT, _PTR, _ARRAY, _STRUCT, _UNION, _TYPEDEF, _PROTO = 1, 2, 3, 4, 5, 8, 13
_MODIFIERS: Final = frozenset({8, 9, 10, 11, 18})
"""Types that stand for another one: typedef, volatile, const, restrict, type tag."""
# Bytes that follow the header of a type, beside those for each of its members (same document).
_EXTRA: Final = {1: 4, 3: 12, 14: 4, 17: 4}
_EACH: Final = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}

_MACHINES: Final = {"x86_64": (1, 20), "aarch64": (64, 66)}
"""Numbers of write and writev (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h)."""

LAYOUT: Final = (
    "task_pid",
    "task_comm",
    "task_signal",
    "task_mm",
    "task_leader",
    "task_parent",
    "task_exit_code",
    "task_state",
    "task_start",
    "task_files",
    "signal_live",
    "signal_flags",
    "signal_exit_code",
    "signal_oom_adj",
    "siginfo_code",
    "binprm_filename",
    "mm_total_vm",
    "mm_hiwater_rss",
    "mm_file_rss",
    "mm_anon_rss",
    "mm_shmem_rss",
    "mm_pgtables",
    "files_fdt",
    "fdtable_fd",
    "file_inode",
    "inode_mode",
    "regs_arg0",
    "regs_arg1",
    "regs_arg2",
    "victim_is_pid",
    "switch_has_state",
    "nr_write",
    "nr_writev",
)
"""Fields of ``struct layout`` in programs/kernel.h, in its order."""

_FIELDS: Final = {
    "task_pid": ("task_struct", "pid"),
    "task_comm": ("task_struct", "comm"),
    "task_signal": ("task_struct", "signal"),
    "task_mm": ("task_struct", "mm"),
    "task_leader": ("task_struct", "group_leader"),
    "task_parent": ("task_struct", "real_parent"),
    "task_exit_code": ("task_struct", "exit_code"),
    "task_state": ("task_struct", "__state", "state"),
    "task_start": ("task_struct", "start_boottime", "real_start_time"),
    "task_files": ("task_struct", "files"),
    "signal_live": ("signal_struct", "live"),
    "signal_flags": ("signal_struct", "flags"),
    "signal_exit_code": ("signal_struct", "group_exit_code"),
    "signal_oom_adj": ("signal_struct", "oom_score_adj"),
    "siginfo_code": ("kernel_siginfo", "si_code"),
    "binprm_filename": ("linux_binprm", "filename"),
    "files_fdt": ("files_struct", "fdt"),
    "fdtable_fd": ("fdtable", "fd"),
    "file_inode": ("file", "f_inode"),
    "inode_mode": ("inode", "i_mode"),
    "mm_total_vm": ("mm_struct", "total_vm"),
    "mm_hiwater_rss": ("mm_struct", "hiwater_rss"),
    "mm_pgtables": ("mm_struct", "pgtables_bytes"),
}
"""Structure, and the names its field has had."""
_RSS: Final = {"mm_file_rss": 0, "mm_anon_rss": 1, "mm_shmem_rss": 3}
"""Order of the counters in mm_struct.rss_stat (include/linux/mm_types_task.h: MM_FILEPAGES ...)."""


class Btf:
    """The types of one BTF blob.

    Raises:
        Missing: When it is no BTF, or of a kind this build does not know.
    """

    def __init__(self, data: bytes) -> None:
        if len(data) < _HEADER.size or _HEADER.unpack_from(data)[0] != _MAGIC:
            raise Missing(f"{VMLINUX} is no BTF that this build reads")
        _, _, _, header, types, types_len, strings, strings_len = _HEADER.unpack_from(data)
        if header + max(types + types_len, strings + strings_len) > len(data):
            raise Missing(f"{VMLINUX} is cut off")
        self._types = data[header + types : header + types + types_len]
        self._strings = data[header + strings : header + strings + strings_len]
        self._at = self._index()

    def field(self, structure: str, *names: str) -> tuple[int, int]:
        """Offset in bytes and type of the field that has one of ``names``; Missing when there is none."""
        number = self._named(structure, _STRUCT)
        for name in names:
            found = self._member(number, name.encode())
            if found is not None:
                return found
        raise Missing(f"this kernel's {structure} has no {names[0]}: its layout is not known to this build")

    def arguments(self, tracepoint: str) -> list[bool]:
        """Of each argument of a raw tracepoint, whether it is a pointer; Missing when the kernel has no such event."""
        _, pointer = self._kind_of(self._named(f"btf_trace_{tracepoint}", _TYPEDEF))
        kind, proto = self._kind_of(self._link(pointer))
        if kind != _PROTO:
            raise Missing(f"this kernel describes {tracepoint} in a way this build does not know")
        count = self._head(proto)[1] & 0xFFFF
        types = [_PARAMETER.unpack_from(self._types, self._at[proto] + 12 + 8 * i)[1] for i in range(count)]
        return [self._kind_of(number)[0] == _PTR for number in types[1:]]  # the first is the tracepoint's own

    def element(self, number: int) -> tuple[int, int] | None:
        """Type and size in bytes of the elements of an array type; None when it is no array."""
        kind, number = self._kind_of(number)
        if kind != _ARRAY:
            return None
        (inner,) = struct.unpack_from("<I", self._types, self._at[number] + 12)
        kind, inner = self._kind_of(inner)
        return inner, self._head(inner)[2] if kind in (_INT, _STRUCT, _UNION) else 8

    def inner(self, number: int, name: str) -> int:
        """Offset of a field of the structure ``number``."""
        found = self._member(self._kind_of(number)[1], name.encode())
        if found is None:
            raise Missing(f"this kernel has no {name} where it was looked for: its layout is not known to this build")
        return found[0]

    def _index(self) -> array[int]:
        """Where each type begins; type 0 is void."""
        at, end, places, data = 0, len(self._types), array("I", [0]), self._types
        unpack, places_append = struct.Struct("<4xI").unpack_from, places.append
        while at < end:
            places_append(at)
            (info,) = unpack(data, at)
            kind = info >> 24 & 31
            if kind not in _KINDS:
                raise Missing(f"{VMLINUX} holds a kind of type ({kind}) that this build does not know")
            at += 12 + _EXTRA.get(kind, 0) + (info & 0xFFFF) * _EACH.get(kind, 0)
        return places

    def _head(self, number: int) -> tuple[int, int, int]:
        """Offset of the name; kind and count; size, or the type it refers to."""
        name, info, size = _TYPE.unpack_from(self._types, self._at[number])
        return name, info, size

    def _link(self, number: int) -> int:
        return self._head(number)[2]

    def _kind_of(self, number: int) -> tuple[int, int]:
        """Kind and number of a type, past typedefs and qualifiers."""
        while True:
            kind = self._head(number)[1] >> 24 & 31 if number else 0
            if kind not in _MODIFIERS:
                return kind, number
            number = self._link(number)

    def _named(self, name: str, kind: int) -> int:
        """The type called ``name``; Missing when there is none of that kind."""
        place = self._strings.find(b"\0" + name.encode() + b"\0") + 1
        want = struct.pack("<I", place)
        at = self._types.find(want) if place else -1
        while at >= 0:
            # A number equal to the name's offset may stand anywhere: only the begin of a type counts.
            number = bisect_left(self._at, at, lo=1)
            if number < len(self._at) and self._at[number] == at and self._head(number)[1] >> 24 & 31 == kind:
                return number
            at = self._types.find(want, at + 1)
        raise Missing(f"this kernel's BTF does not know {name}")

    def _member(self, number: int, name: bytes) -> tuple[int, int] | None:
        """Offset and type of a member, looked for inside unnamed members too."""
        _, info, _ = self._head(number)
        if info >> 24 & 31 not in (_STRUCT, _UNION):
            return None
        for index in range(info & 0xFFFF):
            name_at, inner, bits = _MEMBER.unpack_from(self._types, self._at[number] + 12 + 12 * index)
            if info >> 31:
                bits &= 0xFFFFFF  # the high byte is the width of a bit field
            if name_at:
                if self._strings.startswith(name + b"\0", name_at):
                    return bits // 8, inner
            elif (found := self._member(self._kind_of(inner)[1], name)) is not None:
                return bits // 8 + found[0], found[1]
        return None


def layout(btf: Btf, machine: str | None = None) -> bytes:
    """The value of the map ``layout``, for the programs.

    Raises:
        Missing: When this kernel keeps something in a way the programs do not know.
    """
    machine = machine or platform.machine()
    if machine not in _MACHINES:
        raise Missing(f"the kernel programs are not built for {machine}")
    found = {name: btf.field(*where)[0] for name, where in _FIELDS.items()}
    if btf.field("task_struct", "tgid")[0] != found["task_pid"] + 4:
        raise Missing("this kernel's task_struct has pid and tgid apart: its layout is not known to this build")
    found |= _resident(btf)
    found |= dict(zip(("regs_arg0", "regs_arg1", "regs_arg2"), _arguments(btf, machine), strict=True))
    found["victim_is_pid"] = int(not btf.arguments("mark_victim")[0])
    found["switch_has_state"] = int(len(btf.arguments("sched_switch")) > 3)
    found["nr_write"], found["nr_writev"] = _MACHINES[machine]
    return struct.pack(f"<{len(LAYOUT)}I", *(found[name] for name in LAYOUT))


def of_this_kernel() -> bytes:
    """``layout`` of the running kernel, read once: it takes some 50 ms of CPU time.

    Raises:
        Missing: The kernel has no BTF (CONFIG_DEBUG_INFO_BTF), or one the programs do not know.
        Denied: We may not read it.
    """
    with _lock:
        return _of_this_kernel()


@cache
def _of_this_kernel() -> bytes:
    try:
        with open(VMLINUX, "rb") as file:
            return layout(Btf(file.read()))
    except FileNotFoundError:
        raise Missing(f"this kernel has no {VMLINUX}: it was built without CONFIG_DEBUG_INFO_BTF") from None
    except OSError as error:
        raise Denied(f"{VMLINUX}: {error.strerror}; it must be readable") from None
    except (struct.error, IndexError):
        raise Missing(f"{VMLINUX} is cut off, or no BTF that this build reads") from None


def _resident(btf: Btf) -> dict[str, int]:
    """Where the counters of resident pages lie: an array of per-CPU counters (6.2 and later), or of plain numbers."""
    base, counters = btf.field("mm_struct", "rss_stat")
    element = btf.element(counters)
    if element is None:
        return {name: base + btf.inner(counters, "count") + 8 * index for name, index in _RSS.items()}
    inner, stride = element
    return {name: base + btf.inner(inner, "count") + stride * index for name, index in _RSS.items()}


def _arguments(btf: Btf, machine: str) -> tuple[int, ...]:
    """Where the registers lie that hold the first three arguments of a system call."""
    if machine == "aarch64":
        base = btf.field("pt_regs", "regs")[0]
        return base, base + 8, base + 16
    return tuple(btf.field("pt_regs", name)[0] for name in ("di", "si", "dx"))
