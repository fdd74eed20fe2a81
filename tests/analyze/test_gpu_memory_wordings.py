"""GPU memory that was refused, as each library words it; and what resembles it and is something else."""

from __future__ import annotations

import pytest

from inquest.analyze.claims import wrong_with
from inquest.analyze.engine import judge
from inquest.analyze.families._causes import Cause, classify

from .builders import Run, at

# ruff: noqa: E501 (messages are kept whole)

REFUSED = {
    "torch-1.x": (
        "RuntimeError",
        "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.90 GiB total capacity; 14.80 GiB already allocated; 9.75 MiB free; 15.02 GiB reserved in total by PyTorch)",
    ),
    "torch-1.0": (
        "RuntimeError",
        "CUDA out of memory. Tried to allocate 256.00 MiB (GPU 0; 7.93 GiB total capacity; 6.90 GiB already allocated; 30.94 MiB free; 24.62 MiB cached)",
    ),
    "torch-0.4": (
        "RuntimeError",
        "cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/generic/THCStorage.cu:58",
    ),
    "torch-1.13": (
        "torch.cuda.OutOfMemoryError",
        "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 3; 79.15 GiB total capacity; 70 GiB already allocated; 1.00 GiB free; 75 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.",
    ),
    "torch-2.x": (
        "torch.OutOfMemoryError",
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.00 GiB is free.",
    ),
    "cuda-error": (
        "RuntimeError",
        "CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported at some other API call",
    ),
    "accelerator": (
        "torch.AcceleratorError",
        "CUDA error: out of memory\nSearch for `cudaErrorMemoryAllocation' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.",
    ),
    "hip": (
        "torch.OutOfMemoryError",
        "HIP out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 63.98 GiB",
    ),
    "xpu": (
        "torch.OutOfMemoryError",
        "XPU out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 48.00 GiB.",
    ),
    "cublas": ("RuntimeError", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    "cublas2": (
        "RuntimeError",
        "cublas runtime error : resource allocation failed at /pytorch/aten/src/THC/THCGeneral.cpp:411",
    ),
    "cudnn": ("RuntimeError", "cuDNN error: CUDNN_STATUS_ALLOC_FAILED"),
    "nccl": (
        "torch.distributed.DistBackendError",
        "NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.hpp:275, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 2 'out of memory'",
    ),
    "nccl-calloc": ("RuntimeError", "NCCL error: Failed to CUDA calloc async 608 bytes"),
    "tf": (
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError",
        "Graph execution error: OOM when allocating tensor with shape[64,1024,56,56] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Conv2D]",
    ),
    "tf-internal": ("tensorflow.python.framework.errors_impl.InternalError", "CUDA_ERROR_OUT_OF_MEMORY: out of memory"),
    "jax": (
        "jaxlib.xla_extension.XlaRuntimeError",
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934720 bytes.",
    ),
    "jax2": (
        "jax.errors.JaxRuntimeError",
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 34359738368 bytes.",
    ),
    "bnb": ("RuntimeError", "CUDA error: out of memory in file /src/csrc/ops.cu in line 380"),
    "bnb2": (
        "Exception",
        "Error out of memory at line 380 in file /mmfs1/gscratch/zlab/timdettmers/git/bitsandbytes/csrc/pythonInterface.c",
    ),
    "deepspeed": (
        "torch.cuda.OutOfMemoryError",
        "CUDA out of memory. Tried to allocate 10.00 GiB. GPU 1 has a total capacty of 39.39 GiB of which 5.00 GiB is free.",
    ),
    "cupy": (
        "cupy.cuda.memory.OutOfMemoryError",
        "Out of memory allocating 1,073,741,824 bytes (allocated so far: 8,589,934,592 bytes).",
    ),
    "numba": ("numba.cuda.cudadrv.driver.CudaAPIError", "[2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY"),
    "npu": (
        "RuntimeError",
        "NPU out of memory. Tried to allocate 2.00 GiB (NPU 5; 60.97 GiB total capacity; 55.10 GiB already allocated; 1.01 GiB free)",
    ),
    "mps": ("RuntimeError", "MPS backend out of memory (MPS allocated: 17.01 GiB, other allocations: 1.00 GiB)"),
    "xgboost": (
        "xgboost.core.XGBoostError",
        "[09:00:11] /workspace/src/data/../common/device_helpers.cuh:431: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory",
    ),
    "catboost": ("_catboost.CatBoostError", "catboost/cuda/cuda_lib/cuda_base.h:281: CUDA error 2: out of memory"),
    "lightgbm": (
        "lightgbm.basic.LightGBMError",
        "[CUDA] out of memory /tmp/LightGBM/src/io/cuda/cuda_row_data.cpp 62",
    ),
    "dgl": (
        "dgl._ffi.base.DGLError",
        "[09:00:11] /opt/dgl/src/runtime/cuda/cuda_device_api.cc:117: Check failed: e == cudaSuccess || e == cudaErrorCudartUnloading: CUDA: out of memory",
    ),
    "mxnet": (
        "mxnet.base.MXNetError",
        "[09:01:11] src/storage/./pooled_storage_manager.h:161: cudaMalloc retry failed: out of memory",
    ),
    "paddle-runtime": ("OSError", "(External) CUDA error(2), out of memory. "),
    "paddle": (
        "SystemError",
        "(Fatal) ResourceExhaustedError: Out of memory error on GPU 0. Cannot allocate 1.171875GB memory on GPU 0, 31.5GB memory has been allocated and available memory is only 230MB.",
    ),
    "vllm": (
        "ValueError",
        "Free memory on device (3.2/79.15 GiB) on startup is less than desired GPU memory utilization (0.9, 71.24 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.",
    ),
}
OTHERS = {
    "shared memory of a kernel": (
        "triton.runtime.errors.OutOfResources",
        "out of resource: shared memory, Required: 180224, Hardware limit: 101376. Reducing block sizes or `num_stages` may help.",
    ),
    "memory of the host": (
        "RuntimeError",
        "[enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: can't allocate memory: you tried to allocate 137438953472 bytes. Error code 12 (Cannot allocate memory)",
    ),
    "XLA's allocator of the host": (
        "jax.errors.JaxRuntimeError",
        "RESOURCE_EXHAUSTED: Out of memory allocating 4398046511104 bytes.",
    ),
    "TensorFlow on the host": (
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError",
        "OOM when allocating tensor with shape[1] and type float on /job:localhost/device:CPU:0 by allocator mklcpu",
    ),
    "another cuBLAS error": (
        "RuntimeError",
        "CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling `cublasCreate(handle)`",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_refused_allocation_of_the_gpu(name: str) -> None:
    assert classify(*REFUSED[name]).cause is Cause.GPU_MEMORY


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_memory_of_the_gpu(name: str) -> None:
    assert classify(*OTHERS[name]).cause is Cause.APPLICATION


REFUSAL = (
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.00 GiB is free."
)
NODE = ("ray.exceptions.OutOfMemoryError", "Task was killed due to the node running low on memory.")
AT_THE_STEP = {
    "load": "/venv/transformers/modeling_utils.py:3 from_pretrained",
    "forward": "/venv/torch/nn/modules/module.py:1773 _call_impl\n/work/model.py:9 forward",
    "backward": "/venv/torch/_tensor.py:523 backward",
    "optimizer": "/venv/torch/optim/adamw.py:220 step",
}


def test_a_worker_that_ray_killed_for_the_memory_of_its_node() -> None:
    assert classify(*NODE).cause is Cause.WORKER_KILLED


@pytest.mark.parametrize("mode", AT_THE_STEP)
def test_what_the_process_was_doing(mode: str) -> None:
    run = Run().raised("torch.OutOfMemoryError", REFUSAL, t=3, frames=AT_THE_STEP[mode]).ended(1, t=4)
    verdict = judge(run.evidence(), strict=True)
    assert (verdict.family, verdict.sub_mode) == ("B1", mode)


def _filled(share: float, *, more: str = "", rank: int = 0) -> Run:
    """An hour of training in which the memory in use of GPU-0, that of rank 0, grows by ``share`` of 80 GiB."""
    run = Run()
    for number in range(60):
        run.fact("fact_steps", kind="step", rank=0, step=number, loss=4.0 - 0.01 * number, ts_ns=at(60 * number))
    run.row("gpu_processes", gpu_uuid="GPU-0", rank=0, pid=100, event="attached", ts_ns=at(1))
    for second in range(0, 3541, 10):
        used = int((15 + 80 * share * second / 3540) * 2**30)
        run.row("gpu_samples", gpu_uuid="GPU-0", ts_ns=at(second), fb_used_bytes=used, fb_total_bytes=80 * 2**30)
    return run.raised("torch.OutOfMemoryError", REFUSAL + more, rank=rank, t=3545).ended(1, t=3550)


def test_memory_that_grew_all_through_training_leaked() -> None:
    run = _filled(0.8)
    verdict, ev = judge(run.evidence(), strict=True), run.evidence()
    assert (verdict.family, verdict.sub_mode) == ("B1", "leak")
    assert "grown all through training" in verdict.headline
    assert ".detach()" in verdict.next.action
    assert [claim for claim in verdict.shows if claim.unit == "GiB/h"]
    assert [problem for claim in verdict.claims for problem in wrong_with(claim, ev)] == []


def test_what_resembles_a_leak() -> None:
    pieces = " Of the allocated memory 30.00 GiB is allocated by PyTorch, and 40.00 GiB is reserved by PyTorch but unallocated."
    assert judge(_filled(0.0).evidence(), strict=True).sub_mode == "training"
    assert judge(_filled(0.8, more=pieces).evidence(), strict=True).sub_mode == "fragmentation"
    assert judge(_filled(0.8, rank=3).evidence(), strict=True).sub_mode == "training", "another rank's GPU grew"
