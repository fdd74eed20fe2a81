"""Constructed: processes that a signal ended (A2), and what only looks like it."""

from tests.analyze.cases import texts as t
from tests.analyze.cases.model import OUTSIDE, UNDECIDABLE, Case, log

CASES = (
    log(
        "a2-rank-killed-torch-2.13",
        t.lines(
            t.hf5(t.falling(12), total=400),
            t.peer_lost(0),
            t.peer_lost(1),
            t.agent(-9, 2, 13087, others=(13085, 13086, 13088)),
            t.summary(t.entry(0, 2, -9, 13087), t.entry(1, 0, -15, 13085) + t.entry(2, 1, -15, 13086)),
        ),
        "A2",
        1,
        ranks=(2,),
    ),
    log(
        "a2-rank-killed-torch-1.13",
        t.lines(
            t.plain(t.falling(9), total=900),
            t.agent(-9, 4, 364592, others=(364588, 364589), old="1.13"),
            t.summary(t.entry(0, 4, -9, 364592)),
        ),
        "A2",
        1,
        ranks=(4,),
    ),
    log(
        "a2-segfault-torch-2.1",
        t.lines(
            "Loading extension module fused_adam...",
            "Fatal Python error: Segmentation fault",
            "",
            "Current thread 0x00007f1 (most recent call first):",
            '  File "/workspace/ops.py", line 12 in forward',
            t.agent(-11, 0, 62498, old="2.1"),
            t.summary(t.entry(0, 0, -11, 62498)),
        ),
        "A2",
        1,
        attribution="job",
    ),
    log(
        "a2-shell-killed",
        t.lines(t.nanogpt(t.falling(30)), "run.sh: line 7: 15894 Killed                  python train.py --compile"),
        "A2",
        137,
    ),
    log("a2-exit-137-silent", t.lines(t.json_lines(t.falling(30))), "A2", 137),
    Case("a2-signal-given-by-user", {"out.txt": t.plain(t.falling(12), total=999)}, "A2", signal=9),
    Case(
        "a2-cgroup-with-dmesg",
        {
            "slurm-7120.out": t.lines(
                t.hf4(t.falling(9)),
                "slurmstepd-gpu01: error: Detected 1 oom_kill event in StepId=7120.0. Some of the step tasks have been OOM"
                " Killed.",
                "srun: error: gpu01: task 1: Out Of Memory",
            ),
            "dmesg.txt": t.oom_kill(20117, cgroup="/slurm/uid_2001/job_7120/step_0/task_1"),
        },
        "A2",
        1,
        attribution="job",
    ),
    log(
        "a2-slurm-oom-old-wording",
        t.lines(
            t.plain(t.falling(7)),
            "slurmstepd: error: Detected 1 oom-kill event(s) in step 7120.0 cgroup. Some of your processes may have been"
            " killed by the cgroup out-of-memory handler.",
            "srun: error: gpu01: task 0: Out Of Memory",
        ),
        "A2",
        1,
    ),
    log(
        "a2-dataloader-worker-killed",
        t.lines(
            t.epochs(t.falling(9)),
            t.traceback(
                "RuntimeError: DataLoader worker (pid 3051) is killed by signal: Killed. ",
                "/opt/lib/torch/utils/data/_utils/signal_handling.py",
                "handler",
            ),
            "\nThe above exception was the direct cause of the following exception:\n",
            t.traceback("RuntimeError: DataLoader worker (pid(s) 3051) exited unexpectedly"),
        ),
        "A2",
        1,
    ),
    log(
        "a2-dataloader-bus-error",
        t.lines(
            "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory"
            " (shm).\0",
            t.traceback(
                "RuntimeError: DataLoader worker (pid 811) is killed by signal: Bus error. It is possible that"
                " dataloader's workers are out of shared memory. Please try to raise your shared memory limit."
            ),
        ),
        "A2 A1",
        1,
    ),
    log(
        "a2-mpirun",
        t.lines(
            t.plain(t.falling(9)),
            "-" * 60,
            "Primary job  terminated normally, but 1 process returned",
            "a non-zero exit code. Per user-direction, the job has been aborted.",
            "-" * 60,
            "mpirun noticed that process rank 1 with PID 5123 on node h2 exited on signal 9 (Killed).",
        ),
        "A2",
        137,
    ),
    log(
        "a2-deepspeed-minus-9",
        t.lines(
            "[2026-01-09 10:00:00,101] [INFO] [launch.py:245:main] process 3184 spawned with command:"
            " ['/opt/bin/python', '-u', 'ds.py', '--local_rank=0']",
            t.plain(t.falling(9)),
            "[2026-01-09 10:05:09,101] [INFO] [launch.py:253:sigkill_handler] Killing subprocess 3184",
            "[2026-01-09 10:05:09,101] [INFO] [launch.py:253:sigkill_handler] Killing subprocess 3185",
            "[2026-01-09 10:05:09,102] [ERROR] [launch.py:259:sigkill_handler] ['/opt/bin/python', '-u', 'ds.py',"
            " '--local_rank=1'] exits with return code = -9",
        ),
        "A2",
        247,
    ),
    log(
        "a2-srun-label-segv-late-report",
        t.lines(
            t.prefixed("0: ", t.plain(t.falling(9))),
            t.prefixed("0: ", t.traceback("ConnectionResetError: [Errno 104] Connection reset by peer")),
            t.prefixed("2: ", t.traceback("ConnectionResetError: [Errno 104] Connection reset by peer")),
            "srun: error: gpu01: task 0: Exited with exit code 1",
            "srun: launch/slurm: _step_signal: Terminating StepId=7120.0",
            "srun: error: gpu02: task 2: Exited with exit code 1",
            "srun: error: gpu02: task 3: Segmentation fault (core dumped)",
        ),
        "A2",
        139,
        ranks=(3,),
    ),
    # --- near-misses
    log(
        "miss-killed-in-sample",
        t.lines(
            t.plain(t.falling(9), total=90),
            "sample[3]: The storm Killed 12 people and Terminated the harvest. Segmentation fault is a book.",
            "sample[4]: OOM killer invoked, said the poet. oom-kill: Killed process 12 (dragon)",
            "step 90/90 loss 3.01",
            "Training finished",
        ),
        "G1",
        0,
    ),
    log(
        "miss-leaked-semaphores-at-clean-exit",
        t.lines(
            t.plain(t.falling(20), total=200),
            "Training complete, saving final model to out/final",
            "/usr/lib/python3.11/multiprocessing/resource_tracker.py:254: UserWarning: resource_tracker: There appear to"
            " be 4 leaked semaphore objects to clean up at shutdown",
        ),
        "G1",
        0,
    ),
    log(
        "miss-sigterm-from-agent-is-cleanup",
        t.lines(
            t.plain(t.falling(9)),
            t.prefixed(
                "[rank1]: ", t.traceback("IndexError: list index out of range", "/workspace/data.py", "__getitem__")
            ),
            t.agent(1, 1, 13086, others=(13085,)),
            t.summary(t.entry(0, 1, 1, 13086), t.entry(1, 0, -15, 13085)),
        ),
        "A1",
        1,
        ranks=(1,),
    ),
    log("outside-ctrl-c", t.lines(t.plain(t.falling(9)), "^C" + t.traceback("KeyboardInterrupt")), OUTSIDE, 130),
    log(
        "outside-agent-sigterm",
        t.lines(
            t.plain(t.falling(9)),
            "W0311 18:23:36.544000 16895 torch/distributed/elastic/agent/server/api.py:753] Received 15 death signal,"
            " shutting down workers",
            "W0311 18:23:36.545000 16895 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process 16899"
            " closing signal SIGTERM",
            t.traceback(
                "torch.distributed.elastic.multiprocessing.api.SignalException: Process 16895 got signal: 15",
                "/opt/lib/torch/distributed/elastic/multiprocessing/api.py",
                "_terminate_process_handler",
            ),
        ),
        f"{OUTSIDE} {UNDECIDABLE} F2 F3",
        1,
    ),
    log(
        "outside-hang-up",
        t.lines(
            t.plain(t.falling(9)),
            "[2024-04-10 16:02:56,193] torch.distributed.elastic.agent.server.api: [WARNING] Received 1 death signal,"
            " shutting down workers",
            t.traceback("torch.distributed.elastic.multiprocessing.api.SignalException: Process 16895 got signal: 1"),
        ),
        OUTSIDE,
        1,
    ),
    log("missing-cut-in-mid-run", t.plain(t.falling(12), total=4000), UNDECIDABLE),
    log(
        "missing-only-victims",
        t.lines(
            t.prefixed(
                "[rank0]: ",
                t.traceback(
                    "torch.distributed.DistBackendError: NCCL error in:"
                    " /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1691, remote process exited or there was a network"
                    " error, NCCL version 2.21.5\nncclRemoteError: A call failed possibly due to a network error or a remote"
                    " process exiting prematurely.\nLast error:\nNET/IB : Got completion from peer 10.0.0.7<41231> with status=12"
                ),
            )
        ),
        f"{UNDECIDABLE} C2",
        1,
    ),
)
