"""The functions that are probed: one table, from which every backend is made.

Argument numbers count from 1; 0 means that there is none. Source of names and argument order: cuda.h,
cuda_runtime_api.h and nccl.h as NVIDIA ships them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Literal

Library = Literal["cuda", "cudart", "nccl"]


class What(IntEnum):
    """What a call is, as the programs number it."""

    CALL = 0
    LAUNCH = 1
    """Counted only: it may come fifty thousand times a second."""
    COLLECTIVE = 2
    PEER = 3
    """Send or receive."""
    INIT = 4
    INIT_SCALABLE = 5
    SPLIT = 6
    END = 7
    ASYNC_ERROR = 8


class Direction(IntEnum):
    """Which way a copy goes: cudaMemcpyKind + 1, so that 0 is no copy at all."""

    NONE = 0
    H2H = 1
    H2D = 2
    D2H = 3
    D2D = 4
    DEFAULT = 5
    """The driver finds out by the addresses."""


@dataclass(frozen=True, slots=True)
class Function:
    """One function, and which of its arguments holds what.

    Attributes:
        name: What it is called in rows.
        library: Whose it is.
        what: How its calls are recorded.
        suffixes: Endings of the symbols that stand for it, such as those of per-thread default streams.
        bytes_arg: Bytes copied or asked for; of NCCL calls the number of elements.
        type_arg: ncclDataType_t of the elements.
        comm_arg: Communicator.
        root_arg: Root or peer.
        kind_arg: cudaMemcpyKind.
        direction: Which way it copies, where the name says it.
    """

    name: str
    library: Library
    what: What = What.CALL
    suffixes: tuple[str, ...] = ("",)
    bytes_arg: int = 0
    type_arg: int = 0
    comm_arg: int = 0
    root_arg: int = 0
    kind_arg: int = 0
    direction: Direction = Direction.NONE

    @property
    def symbols(self) -> tuple[str, ...]:
        """Symbols a library may export it under."""
        return tuple(self.name + suffix for suffix in self.suffixes)


_STREAM: Final = ("", "_ptsz")
_DEFAULT: Final = ("", "_ptds")
_V2_STREAM: Final = ("_v2", "_v2_ptsz")
_V2_DEFAULT: Final = ("_v2", "_v2_ptds")


def _driver(name: str, suffixes: tuple[str, ...] = ("",), size: int = 0, to: Direction = Direction.NONE) -> Function:
    return Function(name, "cuda", suffixes=suffixes, bytes_arg=size, direction=to)


def _runtime(name: str, suffixes: tuple[str, ...] = ("",), size: int = 0, kind: int = 0) -> Function:
    return Function(name, "cudart", suffixes=suffixes, bytes_arg=size, kind_arg=kind)


def _collective(name: str, comm: int, count: int = 3, root: int = 0, what: What = What.COLLECTIVE) -> Function:
    return Function(name, "nccl", what, bytes_arg=count, type_arg=count + 1, comm_arg=comm, root_arg=root)


FUNCTIONS: Final = (
    # --- the driver, libcuda ---
    Function("cuLaunchKernel", "cuda", What.LAUNCH, _STREAM),
    Function("cuLaunchKernelEx", "cuda", What.LAUNCH, _STREAM),
    Function("cuLaunchCooperativeKernel", "cuda", What.LAUNCH, _STREAM),
    _driver("cuGraphLaunch", _STREAM),
    _driver("cuMemcpy", _DEFAULT, 3),
    _driver("cuMemcpyAsync", _STREAM, 3),
    _driver("cuMemcpyHtoD", _V2_DEFAULT, 3, Direction.H2D),
    _driver("cuMemcpyHtoDAsync", _V2_STREAM, 3, Direction.H2D),
    _driver("cuMemcpyDtoH", _V2_DEFAULT, 3, Direction.D2H),
    _driver("cuMemcpyDtoHAsync", _V2_STREAM, 3, Direction.D2H),
    _driver("cuMemcpyDtoD", _V2_DEFAULT, 3, Direction.D2D),
    _driver("cuMemcpyDtoDAsync", _V2_STREAM, 3, Direction.D2D),
    _driver("cuMemcpyPeer", _DEFAULT, 5, Direction.D2D),
    _driver("cuMemcpyPeerAsync", _STREAM, 5, Direction.D2D),
    _driver("cuMemAlloc", ("_v2",), 2),
    _driver("cuMemAllocAsync", _STREAM, 2),
    _driver("cuMemAllocManaged", size=2),
    _driver("cuMemHostAlloc", size=2),
    _driver("cuMemCreate", size=2),  # what PyTorch's expandable segments ask for
    _driver("cuMemFree", ("_v2",)),
    _driver("cuMemFreeAsync", _STREAM),
    _driver("cuMemRelease"),
    _driver("cuStreamSynchronize", _STREAM),
    _driver("cuEventSynchronize"),
    _driver("cuCtxSynchronize"),
    _driver("cuDevicePrimaryCtxRetain"),
    # --- the runtime, libcudart ---
    Function("cudaLaunchKernel", "cudart", What.LAUNCH, _STREAM),
    Function("cudaLaunchKernelExC", "cudart", What.LAUNCH, _STREAM),
    Function("cudaLaunchCooperativeKernel", "cudart", What.LAUNCH, _STREAM),
    _runtime("cudaGraphLaunch", _STREAM),
    _runtime("cudaMemcpy", _DEFAULT, 3, 4),
    _runtime("cudaMemcpyAsync", _STREAM, 3, 4),
    _runtime("cudaMemcpyPeerAsync", size=5),
    _runtime("cudaMalloc", size=2),
    _runtime("cudaMallocAsync", _STREAM, 2),
    _runtime("cudaMallocManaged", size=2),
    _runtime("cudaMallocHost", size=2),
    _runtime("cudaHostAlloc", size=2),
    _runtime("cudaFree"),
    _runtime("cudaFreeAsync", _STREAM),
    _runtime("cudaStreamSynchronize", _STREAM),
    _runtime("cudaEventSynchronize"),
    _runtime("cudaDeviceSynchronize"),
    # --- NCCL. ncclBcast is not here: it calls ncclBroadcast ---
    _collective("ncclAllReduce", comm=6),
    _collective("ncclReduceScatter", comm=6),
    _collective("ncclAllGather", comm=5),
    _collective("ncclBroadcast", comm=6, root=5),
    _collective("ncclReduce", comm=7, root=6),
    _collective("ncclAlltoAll", comm=5),  # 2.28 and later; and under RCCL's name:
    _collective("ncclAllToAll", comm=5),
    _collective("ncclGather", comm=6, root=5),
    _collective("ncclScatter", comm=6, root=5),
    _collective("ncclSend", comm=5, count=2, root=4, what=What.PEER),
    _collective("ncclRecv", comm=5, count=2, root=4, what=What.PEER),
    Function("ncclCommInitRank", "nccl", What.INIT),
    Function("ncclCommInitRankConfig", "nccl", What.INIT),
    Function("ncclCommInitRankScalable", "nccl", What.INIT_SCALABLE),
    Function("ncclCommSplit", "nccl", What.SPLIT, comm_arg=1),
    Function("ncclCommShrink", "nccl", What.SPLIT, comm_arg=1),
    Function("ncclCommFinalize", "nccl", What.END, comm_arg=1),
    Function("ncclCommDestroy", "nccl", What.END, comm_arg=1),
    Function("ncclCommAbort", "nccl", What.END, comm_arg=1),
    Function("ncclCommRevoke", "nccl", What.END, comm_arg=1),
    Function("ncclCommGetAsyncError", "nccl", What.ASYNC_ERROR, comm_arg=1),
    # A grouped call does its work, and may hang, where the group ends.
    Function("ncclGroupEnd", "nccl", What.CALL),
)


def cookie(number: int) -> int:
    """What tells a program which function it stands on; unpacked by programs/calls.h."""
    function = FUNCTIONS[number]
    parts = (
        function.what,
        function.bytes_arg,
        function.type_arg,
        function.comm_arg,
        function.root_arg,
        function.kind_arg,
        function.direction,
    )
    return number | sum(part << 16 + 4 * at for at, part in enumerate(parts))


def by_symbol(library: Library) -> dict[str, int]:
    """Numbers of a library's functions in the table, by each symbol that may stand for them."""
    return {
        symbol: number
        for number, function in enumerate(FUNCTIONS)
        if function.library == library
        for symbol in function.symbols
    }
