"""Constructed: GPU memory (B1), GPU hardware (B2), and what only looks like them."""

from tests.analyze.cases import texts as t
from tests.analyze.cases.model import UNDECIDABLE, Case, log


def _xid(code: int, text: str, bus: str = "0000:4f:00", second: int = 37) -> str:
    return f"[Wed Mar 11 14:02:{second:02d} 2026] NVRM: Xid (PCI:{bus}): {code}, {text}\n"


CASES = (
    log("b1-torch-1.1", t.lines(t.epochs(t.falling(5)), t.traceback(t.OOM_OLD)), "B1", 1, attribution="job"),
    log(
        "b1-torch-1.13-rank-3",
        t.lines(
            t.plain(t.falling(5)),
            t.traceback(t.OOM_1_13),
            t.agent(1, 3, 5001, others=(4998, 4999), old="1.13"),
            t.summary(t.entry(0, 3, 1, 5001)),
        ),
        "B1",
        1,
    ),
    log(
        "b1-torch-2.1-at-load",
        t.lines(
            "Loading checkpoint shards:  50%|#####     | 1/2 [00:04<00:04,  4.41s/it]",
            t.traceback(t.OOM_2_1, "/opt/lib/transformers/modeling_utils.py", "from_pretrained"),
        ),
        "B1",
        1,
    ),
    log(
        "b1-torch-2.9-other-tenant",
        t.lines(
            t.hf5(t.falling(6), total=900),
            t.prefixed("[rank5]: ", t.traceback(t.OOM_2_9)),
            t.prefixed(
                "[rank0]: ",
                t.traceback(
                    "torch.distributed.DistBackendError: NCCL error in: NCCLUtils.cpp:94,"
                    " remote process exited or there was a network error, NCCL version 2.26.2"
                ),
            ),
            t.agent(1, 5, 900, others=(895, 896)),
            t.summary(t.entry(0, 5, 1, 900)),
        ),
        "B1",
        1,
    ),
    log(
        "b1-jax",
        t.lines(
            t.traceback(
                "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while"
                " trying to allocate 17179869184 bytes.\nBufferAssignment OOM Debugging.\nBufferAssignment stats:\n"
                "             parameter allocation:    2.00GiB\n"
            )
        ),
        "B1 A1",
        1,
    ),
    log(
        "b1-tensorflow",
        t.lines(
            t.traceback(
                "tensorflow.python.framework.errors_impl.ResourceExhaustedError:"
                " {{function_node __wrapped__Mul}} OOM when allocating tensor with shape[8192,65536] and type float on"
                " /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Mul]"
            )
        ),
        "B1",
        1,
    ),
    log(
        "b1-bitsandbytes",
        t.lines(t.hf4(t.falling(5)), "Error out of memory at line 559 in file /src/csrc/pythonInterface.cpp"),
        "B1",
        1,
    ),
    log(
        "b1-nccl-calloc",
        t.lines(
            t.prefixed(
                "[rank1]: ",
                t.traceback(
                    "torch.distributed.DistBackendError: NCCL error in:"
                    " /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, unhandled cuda error (run with NCCL_DEBUG=INFO for"
                    " details), NCCL version 2.26.2\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure"
                    " 2 'out of memory'"
                ),
            )
        ),
        "B1",
        1,
    ),
    # --- near-misses
    log(
        "miss-oom-caught-batch-halved",
        t.lines(
            t.plain(t.falling(4), total=200),
            "WARNING " + t.OOM_2_1,
            "WARNING OOM at batch size 64: halving to 32 and retrying",
            t.plain(t.falling(16, 6, 3), total=200, first=5),
            "Training complete.",
        ),
        "G1",
        0,
    ),
    log(
        "miss-accelerate-finds-batch-size",
        t.lines(
            "Trying batch size 64",
            t.traceback(t.OOM_2_9),
            "Decreasing batch size to: 32.",
            t.hf4(t.falling(40)),
            t.hf_end(),
        ),
        "G1",
        0,
    ),
    log(
        "miss-oom-advice-in-config",
        t.lines(
            "env: PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True  # avoids 'CUDA out of memory'",
            "argv: --on-oom=skip --oom-message 'CUDA out of memory. Tried to allocate'",
            "Note: CUDA out of memory may happen with seq_len > 8192; lower the micro batch then.",
            t.titan(t.falling(30)),
            "[rank0]:[titan] 2026-08-21 22:30:21,123 - root - INFO - Training completed",
        ),
        "G1",
        0,
    ),
    log(
        "miss-titan-alloc-retries",
        t.lines(
            t.titan(t.falling(15)),
            "[rank0]:[titan] 2026-08-21 21:31:21,123 - root - WARNING - 3 CUDA memory allocation retries.",
            t.titan(t.falling(20, 4, 3), first=16),
            "[rank0]:[titan] 2026-08-21 22:30:21,123 - root - INFO - Training completed",
        ),
        "G1",
        0,
    ),
    log(
        "miss-host-memory-not-gpu",
        t.lines(
            t.traceback(
                "RuntimeError: [enforce fail at alloc_cpu.cpp:127] err == 0."
                " DefaultCPUAllocator: can't allocate memory: you tried to allocate 17592186044416 bytes. Error code 12 (Cannot"
                " allocate memory)"
            )
        ),
        "A1",
        1,
    ),
    log(
        "miss-triton-shared-memory",
        t.lines(
            t.traceback(
                "triton.runtime.errors.OutOfResources: out of resource: shared"
                " memory, Required: 147456, Hardware limit: 101376. Reducing block sizes or `num_stages` may help."
            )
        ),
        "A1",
        1,
    ),
    # --- B2
    Case(
        "b2-xid-79-in-dmesg",
        {
            "train.log": t.lines(
                t.hf4(t.falling(9)), t.traceback("RuntimeError: CUDA error: unspecified launch failure")
            ),
            "dmesg.txt": _xid(79, "pid=2924364, name=python3, GPU has fallen off the bus.")
            + "[Wed Mar 11 14:02:37 2026] NVRM: GPU 0000:4f:00.0: GPU has fallen off the bus.\n",
        },
        "B2",
        1,
        attribution="infrastructure",
    ),
    Case(
        "b2-ecc-48-94",
        {
            "train.log": t.lines(
                t.plain(t.falling(9)), t.traceback("RuntimeError: CUDA error: uncorrectable ECC error encountered")
            ),
            "dmesg.txt": _xid(48, "pid=311, name=python3, DBE (double bit error) ECC Error detected: L2")
            + _xid(63, "pid=311, name=python3, Row Remapper: New row marked for remapping", second=38)
            + _xid(94, "pid=311, name=python3, Contained: CE User Channel (0x9). RST: No, D-RST: No", second=38)
            + _xid(45, "pid=311, name=python3, Ch 0000000a", second=39),
        },
        "B2",
        1,
        attribution="infrastructure",
    ),
    log(
        "b2-ecc-in-log-only",
        t.lines(
            t.plain(t.falling(9)),
            t.prefixed(
                "[rank3]: ",
                t.traceback(
                    "torch.AcceleratorError:"
                    " CUDA error: uncorrectable ECC error encountered\nSearch for `cudaErrorECCUncorrectable' in"
                    " https://docs.nvidia.com/cuda/cuda-runtime-api for more information."
                ),
            ),
        ),
        "B2",
        1,
    ),
    log(
        "b2-nvlink-in-log",
        t.lines(
            t.plain(t.falling(9)),
            t.traceback("RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution"),
        ),
        "B2",
        1,
    ),
    Case(
        "b2-gsp-timeout-hang",
        {
            "train.log": t.lines(t.plain(t.falling(9)), t.watchdog(0, 809), t.watchdog(1, 809)),
            "dmesg.txt": _xid(
                119,
                "pid=2924364, name=python3, Timeout after 6s of waiting for RPC response from GPU4 GSP!"
                " Expected function 76 (GSP_RM_CONTROL) (0x20803032 0x58c).",
            ),
        },
        "B2 C2",
        1,
    ),
    Case(
        "miss-xid-13-app",
        {
            "train.log": t.lines(
                t.plain(t.falling(9)),
                t.traceback(
                    "RuntimeError: CUDA error: an illegal memory access was encountered",
                    "/workspace/kernels.py",
                    "launch",
                ),
            ),
            "dmesg.txt": _xid(13, "pid=311, name=python3, Graphics Exception: ESR 0x546fb0=0x11f000e 0x546fb4=0x20")
            + _xid(45, "pid=311, name=python3, Ch 0000000a", second=38),
        },
        "A1",
        1,
        attribution="job",
    ),
    Case(
        "miss-xid-31-app",
        {
            "train.log": t.lines(
                t.plain(t.falling(9)),
                t.traceback(
                    "RuntimeError: CUDA error: an illegal memory access was encountered",
                    "/workspace/kernels.py",
                    "launch",
                ),
            ),
            "dmesg.txt": _xid(
                31,
                "pid=311, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS"
                " GPCCLIENT_T1_0 faulted @ 0x7f31_a0000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
            ),
        },
        "A1",
        1,
        attribution="job",
    ),
    Case(
        "miss-xid-45-of-a-kill",
        {
            "train.log": t.lines(t.plain(t.falling(9)), "run.sh: line 3: 4410 Killed                  python train.py"),
            "dmesg.txt": _xid(45, "pid=4410, name=python3, Preemptive Channel Removal"),
        },
        "A2",
        137,
    ),
    Case(
        "miss-old-xid-healthy-run",
        {
            "train.log": t.lines(t.plain(t.falling(20), total=200), "Training finished"),
            "dmesg.txt": "[Mon Mar  2 01:02:37 2026] NVRM: Xid (PCI:0000:4f:00): 31, pid=99, name=python, Ch 00000008\n",
        },
        "G1",
        0,
    ),
    log(
        "missing-unspecified-launch-failure",
        t.lines(t.plain(t.falling(9)), t.traceback("RuntimeError: CUDA error: unspecified launch failure")),
        f"A1 B2 {UNDECIDABLE}",
        1,
    ),
)
