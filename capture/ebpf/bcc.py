"""The programs compiled on the node by bcc, instead of the precompiled objects: ``--ebpf-backend bcc``.

For sites that would rather compile a text they can read than load a binary. bcc is here the compiler only: maps,
loading and attaching are ours (``rawbpf``), so both backends run the same text on the same maps.

bcc comes with the distribution (Debian and Ubuntu: python3-bpfcc; RHEL: python3-bcc). The project called ``bcc`` on
PyPI is something else. Kernel headers are not needed: the few that bcc's own prelude includes are written here.
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from inquest.capture.collector import Missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_HOMES: Final = ("/usr/lib/python3/dist-packages", f"/usr/lib/python3.{sys.version_info[1]}/site-packages")
_PATIENCE_S: Final = 120.0
"""Beside a job that uses every CPU, at the lowest priority."""
_INCLUDE: Final = re.compile(r'^#include "([a-z_]+\.h)"$', re.MULTILINE)

_TYPES: Final = """
typedef signed char __s8, s8; typedef unsigned char __u8, u8;
typedef short __s16, s16; typedef unsigned short __u16, u16;
typedef int __s32, s32, pid_t; typedef unsigned int __u32, u32; typedef long long __s64, s64;
typedef unsigned long long __u64, u64; typedef __u16 __le16, __be16, __sum16; typedef __u32 __le32, __be32, __wsum;
typedef __u64 __le64, __be64, __aligned_u64 __attribute__((aligned(8)));
typedef unsigned long size_t, uintptr_t; typedef long ssize_t; typedef _Bool bool; enum { false = 0, true = 1 };
#define NULL ((void *)0)
#define __always_inline inline __attribute__((always_inline))
"""
_REGISTERS: Final = """
#ifdef __aarch64__
struct pt_regs { unsigned long long regs[31], sp, pc, pstate; };
#define user_pt_regs pt_regs
#else
struct pt_regs {
  unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
#endif
"""
_HEADERS: Final = {
    "linux/kconfig.h": "#define CONFIG_BPF_SYSCALL 1\n",
    "linux/types.h": _TYPES,
    "linux/log2.h": "",
    "linux/bpf_common.h": "",
    "linux/version.h": "#define KERNEL_VERSION(a, b, c) (((a) << 16) + ((b) << 8) + (c))\n"
    "#ifndef LINUX_VERSION_CODE\n#define LINUX_VERSION_CODE KERNEL_VERSION(5, 15, 0)\n#endif\n",
    "asm/page.h": "#define PAGE_SIZE 4096\n",
    "uapi/linux/bpf.h": "#include <linux/types.h>\n#include <bcc/bpf.h>\n",
    "uapi/linux/if_packet.h": "",
    "uapi/linux/if_ether.h": "",
    "uapi/linux/ptrace.h": _REGISTERS,
}


def compile_programs(name: str, programs: Iterable[str], maps: Mapping[str, int]) -> dict[str, bytes]:
    """Code of the programs of ``programs/NAME.bpf.c``, with the file descriptors of the maps filled in.

    A process of its own compiles: LLVM needs a hundred megabytes, is for one thread at a time, and may crash.

    Raises:
        Missing: There is no bcc here, or it could not compile the text.
    """
    from inquest.capture.run import self_command

    wanted = json.dumps({"name": name, "programs": list(programs), "maps": dict(maps)})
    try:
        done = subprocess.run(
            self_command("ebpf.bcc"), input=wanted.encode(), capture_output=True, timeout=_PATIENCE_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise Missing(f"eBPF is off: bcc took more than {_PATIENCE_S:g} s for {name}.bpf.c") from None
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise Missing(f"eBPF is off: {said or f'bcc ended with status {done.returncode}'}"[:500])
    code: dict[str, str] = json.loads(done.stdout)
    return {program: bytes.fromhex(text) for program, text in code.items()}


def serve(argv: list[str]) -> NoReturn:
    """Be the process that compiles: what is wanted comes on standard input, code or a complaint goes out."""
    wanted = json.load(sys.stdin)
    try:
        code = _compile(wanted["name"], wanted["programs"], wanted["maps"])
    except Exception as error:  # whatever it is, it is what our parent has to tell
        sys.exit(str(error) or type(error).__name__)
    print(json.dumps({program: text.hex() for program, text in code.items()}), flush=True)
    os._exit(0)


def _compile(name: str, programs: Iterable[str], maps: Mapping[str, int]) -> dict[str, bytes]:
    bcc = _bcc()
    flags = ["-DINQUEST_BCC", f"-DINQUEST_{platform.machine()}", *(f"-DFD_{of}={fd}" for of, fd in maps.items())]
    with tempfile.TemporaryDirectory(prefix="inquest-bcc-") as headers:
        for path, text in _HEADERS.items():
            file = Path(headers, "include", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"#pragma once\n{text}")
        Path(headers, "arch/x86/include").mkdir(parents=True)
        os.environ["BCC_KERNEL_SOURCE"] = headers
        try:
            compiled = bcc.BPF(text=_source(f"{name}.bpf.c").encode(), cflags=flags)
        except Exception as error:  # bcc raises plain Exception
            raise Missing(f"bcc could not compile {name}.bpf.c ({error})") from error
        return {program: bytes(compiled.dump_func(program.encode())) for program in programs}


def _source(name: str) -> str:
    """A program's text with our own headers in place of their ``#include``."""
    text = (resources.files("inquest.capture.ebpf") / "programs" / name).read_text()
    text = text.replace("#pragma once\n", "")
    return _INCLUDE.sub(lambda found: _source(found[1]), text)


def _bcc() -> Any:  # noqa: ANN401 - a module without types
    """The distribution's bcc, wherever this Python looks for its own packages."""
    for home in _HOMES:
        path = Path(home, "bcc", "__init__.py")
        spec = importlib.util.spec_from_file_location("bcc", path, submodule_search_locations=[str(path.parent)])
        if spec is None or spec.loader is None or not path.exists():
            continue
        module = importlib.util.module_from_spec(spec)
        sys.modules["bcc"] = module
        try:
            spec.loader.exec_module(module)
        except (ImportError, OSError) as error:  # libbcc.so.0 is missing, or of another version
            raise Missing(f"bcc cannot be loaded ({error}): install python3-bpfcc") from error
        return module
    raise Missing("--ebpf-backend bcc needs the distribution's bcc: install python3-bpfcc")


if __name__ == "__main__":
    serve(sys.argv[1:])
