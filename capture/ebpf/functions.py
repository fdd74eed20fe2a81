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
    GROUP_START = 9
    GROUP_END = 10
    """A grouped call does its work, and may hang, where the group ends."""
    RETAIN = 11
    """Takes a device into use."""
    WAIT = 12
    """Returns once all is done that was launched on the device."""


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
        blurs: Whether, once it was called, waits for the device prove nothing of what is launched: work is captured for
            later, cut off, or on another context.
        newer: Only newer libraries have it.
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
    blurs: bool = False
    newer: bool = False

    @property
    def symbols(self) -> tuple[str, ...]:
        """Symbols a library may export it under."""
        return tuple(self.name + suffix for suffix in self.suffixes)


_STREAM: Final = ("", "_ptsz")
_DEFAULT: Final = ("", "_ptds")
_V2_STREAM: Final = ("_v2", "_v2_ptsz")
_V2_DEFAULT: Final = ("_v2", "_v2_ptds")
_VERSIONS: Final = ("", "_v2", "_v3", "_v4")


def _driver(name: str, suffixes: tuple[str, ...] = ("",), size: int = 0, to: Direction = Direction.NONE) -> Function:
    return Function(name, "cuda", suffixes=suffixes, bytes_arg=size, direction=to)


def _runtime(name: str, suffixes: tuple[str, ...] = ("",), size: int = 0, kind: int = 0) -> Function:
    return Function(name, "cudart", suffixes=suffixes, bytes_arg=size, kind_arg=kind)


def _blurs(name: str, library: Library, suffixes: tuple[str, ...] = ("",), *, newer: bool = False) -> Function:
    return Function(name, library, suffixes=suffixes, blurs=True, newer=newer)


def _end(name: str, *, newer: bool = False) -> Function:
    return Function(name, "nccl", What.END, comm_arg=1, blurs=True, newer=newer)


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
    Function("cuCtxSynchronize", "cuda", What.WAIT),
    Function("cuDevicePrimaryCtxRetain", "cuda", What.RETAIN),
    _blurs("cuDevicePrimaryCtxRelease", "cuda", _VERSIONS),
    _blurs("cuDevicePrimaryCtxReset", "cuda", _VERSIONS),
    _blurs("cuCtxCreate", "cuda", _VERSIONS),
    _blurs("cuGreenCtxCreate", "cuda", newer=True),
    _blurs("cuStreamBeginCapture", "cuda", (*_STREAM, *_V2_STREAM)),
    _blurs("cuStreamBeginCaptureToGraph", "cuda", _STREAM, newer=True),
    _blurs("cuStreamBeginCaptureToCig", "cuda", _STREAM, newer=True),
    _blurs("cuStreamBeginRecaptureToGraph", "cuda", _STREAM, newer=True),
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
    Function("cudaDeviceSynchronize", "cudart", What.WAIT),
    _blurs("cudaDeviceReset", "cudart"),
    _blurs("cudaStreamBeginCapture", "cudart", _STREAM),
    _blurs("cudaStreamBeginCaptureToGraph", "cudart", _STREAM, newer=True),
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
    Function("ncclCommShrink", "nccl", What.SPLIT, comm_arg=1, blurs=True, newer=True),
    _end("ncclCommFinalize", newer=True),
    _end("ncclCommDestroy"),
    _end("ncclCommAbort"),
    _end("ncclCommRevoke", newer=True),
    Function("ncclCommGetAsyncError", "nccl", What.ASYNC_ERROR, comm_arg=1),
    Function("ncclGroupStart", "nccl", What.GROUP_START),
    Function("ncclGroupEnd", "nccl", What.GROUP_END),
    _blurs("ncclGroupSimulateEnd", "nccl", newer=True),
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
        function.blurs,
    )
    return number | sum(part << 16 + 4 * at for at, part in enumerate(parts))


def telling(library: Library) -> set[str]:
    """Functions of a library without whose calls a wait for the device proves nothing; newer ones may be absent."""
    kinds = (What.GROUP_START, What.GROUP_END, What.RETAIN)
    of = (function for function in FUNCTIONS if function.library == library and not function.newer)
    return {function.name for function in of if function.blurs or function.what in kinds}


def by_symbol(library: Library) -> dict[str, int]:
    """Numbers of a library's functions in the table, by each symbol that may stand for them."""
    return {
        symbol: number
        for number, function in enumerate(FUNCTIONS)
        if function.library == library
        for symbol in function.symbols
    }
