"""Constructed: several stores at once, quotations of failures, strangers' failures, and curves at the border."""

import math

from tests.analyze.cases import texts as t
from tests.analyze.cases.model import Case, log

_GOOD = t.falling(60)
_DONE = "Training finished."
_NAN = float("nan")
_GLOO = (
    "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer [10.0.0.3]:41130."
    " This is typically caused by a remote worker crashing."
)

CASES = (
    # several logs per rank, torchrun redirect
    Case(
        "mixed-per-rank-files",
        {
            "rank_0.log": t.lines(t.plain(t.falling(9)), t.traceback(_GLOO)),
            "rank_1.log": t.lines(t.plain(t.falling(9)), t.traceback("ValueError: bad token")),
            "rank_2.log": t.traceback(_GLOO),
        },
        "A1",
        1,
        ranks=(1,),
    ),
    Case(
        "mixed-per-rank-files-oom",
        {
            "rank_0.log": t.lines(t.plain(t.falling(9)), t.traceback(_GLOO)),
            "rank_1.log": t.lines(t.plain(t.falling(9)), t.traceback(t.OOM_2_9)),
        },
        "B1",
        1,
    ),
    # nan only in eval
    log(
        "mixed-nan-only-in-eval",
        t.lines(
            t.hf4(t.falling(30)),
            "{'eval_loss': nan, 'eval_runtime': 3.1, 'eval_samples_per_second': 9.1, 'epoch': 0.5}",
            t.hf4(t.falling(30, 3.2, 3.0)),
            "{'eval_loss': nan, 'eval_runtime': 3.1, 'eval_samples_per_second': 9.1, 'epoch': 1.0}",
            t.hf_end(),
        ),
        "E1 -",
        0,
    ),
    # loss 0 grad nan json
    log("mixed-json-loss0-gradnan", t.json_lines([*t.falling(20), *[0.0] * 20], [*[0.8] * 20, *[_NAN] * 20]), "E1", 0),
    log(
        "mixed-diverge-1e4",
        t.lines(t.json_lines([*t.falling(30, 9, 4), *[min(1e4, 5 * 2.0**i) for i in range(25)]]), _DONE),
        "E1",
        0,
    ),
    log(
        "mixed-diverge-then-killed",
        t.lines(
            t.plain([*t.falling(30, 9, 4), *[min(1e4, 5 * 2.0**i) for i in range(25)]]),
            "run.sh: line 3: 4410 Killed    python train.py",
        ),
        "A2 E1",
        137,
    ),
    log(
        "mixed-diverge-inf",
        t.lines(t.plain([*t.falling(30, 9, 4), *[5 * 2.0**i for i in range(15)], *[float("inf")] * 9]), _DONE),
        "E1",
        0,
    ),
    log(
        "mixed-plateau-long-high",
        t.lines(t.plain([10.82 + 0.01 * math.sin(9 * i) for i in range(100)]), _DONE),
        "E1",
        0,
    ),
    log("mixed-plateau-noisy", t.lines(t.plain([10.82 + 0.3 * math.sin(9 * i) for i in range(100)]), _DONE), "E1 -", 0),
    log(
        "mixed-accuracy-chance",
        t.lines("".join(f"Epoch {i} | train_loss 2.3026 | acc 0.1000\n" for i in range(1, 60)), _DONE),
        "E1",
        0,
    ),
    log("mixed-nan-from-start", t.lines(t.plain([_NAN] * 30), _DONE), "E1", 0),
    log(
        "mixed-nan-exit-1-assert",
        t.lines(t.plain(t.falling(9)), t.plain([_NAN], first=10), t.traceback("AssertionError: loss is not finite")),
        "E1",
        1,
    ),
    log(
        "mixed-nan-in-generated-metric",
        t.lines("".join(f"step {i} loss {8 - 0.05 * i:.3f} rouge nan bleu nan\n" for i in range(1, 60)), _DONE),
        "G1",
        0,
    ),
    log(
        "mixed-grad-norm-nan-once",
        t.lines(t.json_lines(t.falling(40), [0.8] * 10 + [_NAN] + [0.8] * 29), _DONE),
        "G1",
        0,
    ),
    log(
        "mixed-exploding-grad-no-loss-change",
        t.lines(t.json_lines(t.falling(40), [0.8 * 2**i for i in range(40)]), _DONE),
        "G1 E1 -",
        0,
    ),
    # A1 after training done
    log(
        "mixed-crash-after-training-upload",
        t.lines(
            t.hf4(t.falling(40)),
            t.hf_end(),
            t.traceback(
                "requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: https://huggingface.co/api/repos/create"
            ),
        ),
        "A1",
        1,
    ),
    log("mixed-exit1-after-done", t.lines(t.plain(_GOOD), _DONE), "- A1", 1),
    log("mixed-sigkill-after-done", t.lines(t.hf4(t.falling(40)), t.hf_end()), "A2 -", 137),
    # rank numbers
    log(
        "mixed-agent-fail-only-no-summary",
        t.lines(t.plain(t.falling(9)), t.agent(-9, 6, 777, others=(770, 771))),
        "A2",
        1,
    ),
    log(
        "mixed-agent-exit1-no-traceback",
        t.lines(t.plain(t.falling(9)), t.agent(1, 6, 777, others=(770, 771)), t.summary(t.entry(0, 6, 1, 777))),
        "A1 -",
        1,
        ranks=(6,),
    ),
    log(
        "mixed-sigabrt-nccl-cuda-error",
        t.lines(
            t.plain(t.falling(9)),
            "[rank3]:[E311 02:07:08.408 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered",
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
            "terminate called after throwing an instance of 'c10::DistBackendError'",
            "  what():  [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered",
            t.agent(-6, 3, 777),
            t.summary(t.entry(0, 3, -6, 777)),
        ),
        "A1 A2",
        1,
    ),
    log(
        "mixed-sigabrt-ecc",
        t.lines(
            t.plain(t.falling(9)),
            "[rank3]:[E311 02:07:08.408 ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered",
            "terminate called after throwing an instance of 'c10::DistBackendError'",
            t.agent(-6, 3, 777),
            t.summary(t.entry(0, 3, -6, 777)),
        ),
        "B2",
        1,
    ),
    # dmesg of other jobs
    Case(
        "mixed-dmesg-other-oom-healthy",
        {
            "train.log": t.lines(t.plain(_GOOD), _DONE),
            "dmesg.txt": t.oom_kill(555, name="chrome", cgroup="/user.slice"),
        },
        "G1",
        0,
    ),
    Case(
        "mixed-dmesg-other-oom-crash",
        {
            "train.log": t.lines(t.plain(t.falling(9)), t.traceback("KeyError: 'x'")),
            "dmesg.txt": t.oom_kill(555, name="java", cgroup="/system.slice"),
        },
        "A1",
        1,
    ),
    Case(
        "mixed-dmesg-only-xid79",
        {
            "dmesg.txt": "[Wed Mar 11 14:02:37 2026] NVRM: Xid (PCI:0000:4f:00): 79, pid=2924364, name=python3, GPU has fallen off the bus.\n"
        },
        "B2 -",
        1,
    ),
    Case(
        "mixed-dmesg-xid63-only-healthy",
        {
            "train.log": t.lines(t.plain(_GOOD), _DONE),
            "dmesg.txt": "[Wed Mar 11 14:02:37 2026] NVRM: Xid (PCI:0000:4f:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping\n",
        },
        "G1",
        0,
    ),
    Case(
        "mixed-dmesg-nfs-hang",
        {
            "train.log": t.plain(t.falling(9)),
            "dmesg.txt": "[ 9867.8] nfs: server nas1 not responding, still trying\n[ 9990.8] INFO: task python:1234 blocked for more than 120 seconds.\n",
        },
        "-",
    ),
    # scheduler + hang
    Case(
        "mixed-sacct-timeout-hang-times",
        {
            "slurm-7120.out": t.lines(
                *(f"2026-03-11 10:{i:02d}:00,000 INFO step {i} loss {8 - 0.05 * i:.3f}" for i in range(1, 40))
            ),
            "sacct.txt": t.sacct(
                ("TIMEOUT", "0:0", "2026-03-11T10:00:00", "2026-03-11T22:00:00", "12:00:00"), limit="12:00:00"
            ),
        },
        "F3 C2 C3",
    ),
    Case(
        "mixed-sacct-timeout-advancing",
        {
            "slurm-7120.out": t.lines(
                *(
                    f"2026-03-11 {10 + i // 60}:{i % 60:02d}:00,000 INFO step {i} loss {8 - 0.01 * i:.3f}"
                    for i in range(1, 120)
                )
            ),
            "sacct.txt": t.sacct(
                ("TIMEOUT", "0:0", "2026-03-11T10:00:00", "2026-03-11T12:00:30", "02:00:30"), limit="02:00:00"
            ),
        },
        "F3",
    ),
    Case(
        "mixed-sacct-cancel-and-crash",
        {
            "slurm-7120.out": t.lines(
                t.plain(t.falling(9)),
                t.prefixed("[rank1]: ", t.traceback("ValueError: bad batch")),
                "slurmstepd: error: *** STEP 7120.0 ON gpu01 CANCELLED AT 2026-03-11T12:00:00 ***",
            ),
            "sacct.txt": t.sacct(
                ("CANCELLED by 2001", "0:0", "2026-03-11T10:00:00", "2026-03-11T12:00:00", "02:00:00")
            ),
        },
        "A1",
    ),
    Case(
        "mixed-sacct-cancel-after-hang",
        {
            "slurm-7120.out": t.lines(
                t.plain(t.falling(9)),
                t.watchdog(0, 10),
                "slurmstepd: error: *** STEP 7120.0 ON gpu01 CANCELLED AT 2026-03-11T12:00:00 ***",
            ),
            "sacct.txt": t.sacct(
                ("CANCELLED by 2001", "0:0", "2026-03-11T10:00:00", "2026-03-11T12:00:00", "02:00:00")
            ),
        },
        "C2",
    ),
    Case(
        "mixed-sacct-sigterm-traceback-by-preempt",
        {
            "slurm-7120.out": t.lines(
                t.plain(t.falling(9)),
                "slurmstepd: error: *** JOB 7120 ON gpu01 CANCELLED AT 2026-03-11T12:00:00 DUE TO PREEMPTION ***",
                "W0311 12:00:01 16895 torch/distributed/elastic/agent/server/api.py:753] Received 15 death signal, shutting down workers",
                t.traceback(
                    "torch.distributed.elastic.multiprocessing.api.SignalException: Process 16895 got signal: 15"
                ),
            ),
            "sacct.txt": t.sacct(("PREEMPTED", "0:0", "2026-03-11T10:00:00", "2026-03-11T12:00:00", "02:00:00")),
        },
        "F2",
    ),
    Case(
        "mixed-sacct-timeout-echo-traces",
        {
            "slurm-7120.out": t.lines(
                t.plain(t.falling(9)),
                "slurmstepd: error: *** JOB 7120 ON gpu01 CANCELLED AT 2026-03-11T12:00:00 DUE TO TIME LIMIT ***",
                t.prefixed("[rank0]: ", t.traceback(_GLOO)),
                "srun: error: gpu01: tasks 0-3: Terminated",
            ),
            "sacct.txt": t.sacct(("TIMEOUT", "0:0", "2026-03-11T10:00:00", "2026-03-11T12:00:00", "02:00:00")),
        },
        "F3",
    ),
    Case(
        "mixed-sacct-failed-9-killed",
        {
            "slurm-7120.out": t.plain(t.falling(9)),
            "sacct.txt": t.sacct(("FAILED", "0:9", "2026-03-11T10:00:00", "2026-03-11T12:00:00", "02:00:00")),
        },
        "A2",
    ),
    Case(
        "mixed-sacct-completed-but-nan",
        {
            "slurm-7120.out": t.lines(t.plain(t.falling(9)), t.plain([_NAN] * 30, first=10), _DONE),
            "sacct.txt": t.sacct(("COMPLETED", "0:0", "2026-03-11T10:00:00", "2026-03-11T12:00:00", "02:00:00")),
        },
        "E1",
    ),
    Case(
        "mixed-sacct-running",
        {
            "slurm-7120.out": t.plain(t.falling(9)),
            "sacct.txt": t.sacct(("RUNNING", "0:0", "2026-03-11T10:00:00", "Unknown", "02:00:00")),
        },
        "-",
    ),
    Case(
        "mixed-sacct-three-runs",
        {
            "slurm-7120.out": t.plain(_GOOD) + _DONE + "\n",
            "sacct.txt": t.sacct(
                ("PREEMPTED", "0:0", "2026-03-11T10:00:00", "2026-03-11T12:00:00", "02:00:00"),
                ("PREEMPTED", "0:0", "2026-03-11T13:00:00", "2026-03-11T14:00:00", "01:00:00"),
                ("COMPLETED", "0:0", "2026-03-11T15:00:00", "2026-03-11T18:00:00", "03:00:00"),
            ),
        },
        "F2",
    ),
    Case(
        "mixed-sacct-requeued-no-done",
        {
            "slurm-7120.out": t.plain(_GOOD),
            "sacct.txt": t.sacct(
                ("PREEMPTED", "0:0", "2026-03-11T10:00:00", "2026-03-11T12:00:00", "02:00:00"),
                ("FAILED", "1:0", "2026-03-11T13:00:00", "2026-03-11T14:00:00", "01:00:00"),
            ),
        },
        "F2 - A1",
    ),
    # text adversaries
    log(
        "mixed-prompt-with-slurm-lines",
        t.lines(
            t.plain(t.falling(20)),
            '{"text": "slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***"}',
            "sample> srun: error: node1: task 0: Killed",
            t.plain(t.falling(20, 3.3, 3), first=21),
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "mixed-prompt-with-watchdog",
        t.lines(
            t.plain(t.falling(20)),
            'completion: "[Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600020 milliseconds before timing out."',
            t.plain(t.falling(20, 3.3, 3), first=21),
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "mixed-prompt-with-oom-then-real-kill",
        t.lines(
            t.plain(t.falling(20)),
            "sample: RuntimeError: CUDA out of memory. Tried to allocate 2 GiB",
            t.plain(t.falling(20, 3.3, 3), first=21),
            "run.sh: line 3: 4410 Killed    python train.py",
        ),
        "A2",
        137,
    ),
    log(
        "mixed-doc-text-nan",
        t.lines(
            t.plain(t.falling(20)),
            "generated: the loss is nan because",
            t.plain(t.falling(20, 3.3, 3), first=21),
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "mixed-tests-in-log",
        t.lines(
            "test_oom_is_handled PASSED",
            "test_nccl_timeout PASSED",
            "self-test: simulating CUDA out of memory ... ok",
            t.plain(_GOOD),
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "mixed-error-level-noise",
        t.lines(
            "E0311 10:20:27.102000 11490 torch/_inductor/select_algorithm.py:1905] [0/0] Exception out of resource: shared memory, Required: 147456, Hardware limit: 101376 for benchmark choice",
            "ERROR:root:FATAL: metrics endpoint unreachable",
            t.titan(_GOOD),
            "[rank0]:[titan] 2026-08-21 22:30:21,123 - root - INFO - Training completed",
        ),
        "G1",
        0,
    ),
    log(
        "mixed-autotune-oom-noise",
        t.lines(
            "W0311 torch/_inductor/autotune: CUDA out of memory. Tried to allocate 2.00 GiB while benchmarking choice, skipping",
            "AUTOTUNE mm(4096x4096)",
            t.nanogpt(_GOOD),
            "training finished",
        ),
        "G1",
        0,
    ),
    log(
        "mixed-worker-restart-note",
        t.lines(
            t.plain(t.falling(20)),
            "WARNING data worker 3 died (exit code -9), respawned",
            t.plain(t.falling(20, 3.3, 3), first=21),
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "mixed-nccl-retry",
        t.lines(
            t.plain(t.falling(20)),
            "gpu01:1:9 [0] NCCL INFO socketPollConnect: connect returned Connection refused, retrying (1/34) after sleep for 100 msec",
            t.plain(t.falling(20, 3.3, 3), first=21),
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "mixed-ckpt-corrupt-fallback",
        t.lines(
            "WARNING: could not load ckpt/step_400.pt: PytorchStreamReader failed reading zip archive: failed finding central directory; falling back to ckpt/step_300.pt",
            "Resuming training from ckpt/step_300.pt",
            t.plain(t.falling(20, 3.3, 3), first=31),
            _DONE,
        ),
        "G1",
        0,
    ),
    log(
        "missing-fresh-start-or-restart",
        t.lines("No checkpoint found, starting from scratch", t.plain(_GOOD), _DONE),
        "- G1 E2",
        0,
    ),
    log(
        "mixed-loss-words-inf",
        t.lines("config: max_loss=inf, clip=inf, best_loss: inf", t.plain(_GOOD), _DONE),
        "G1",
        0,
    ),
    log(
        "mixed-sigterm-handler-installed",
        t.lines("Installed SIGTERM handler; will checkpoint on preemption", t.plain(_GOOD), _DONE),
        "G1",
        0,
    ),
)
