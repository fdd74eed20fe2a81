"""Constructed: ends that a scheduler made (F1, F2, F3) or a person, told by accounting, by Slurm's lines, or by both."""

from tests.analyze.cases import texts as t
from tests.analyze.cases.model import OUTSIDE, UNDECIDABLE, Case, log

_RUN = ("2026-03-11T10:00:00", "2026-03-11T12:00:00", "02:00:00")
_AGAIN = ("2026-03-11T12:10:00", "2026-03-11T15:00:00", "02:50:00")
_STEPS = "".join(
    f"2026-03-11 {11 + n // 30:02d}:{2 * n % 60:02d}:00{line[19:]}\n"
    for n, line in enumerate(t.epochs(t.falling(30)).splitlines())
)
"""A report every two minutes to shortly before noon, when these jobs end: a longer silence would be a standstill."""


def _cancelled(what: str, job: str = "7120") -> str:
    return f"slurmstepd: error: *** JOB {job} ON gpu01 CANCELLED AT 2026-03-11T12:00:00{what} ***\n"


_SCONTROL = (
    "JobId=7120 JobName=llm\n   UserId=trainer(2001) GroupId=ml(2001)\n   JobState={state} Reason=None Dependency=(null)\n"
    "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=1:0\n   RunTime=02:00:00 TimeLimit=1-00:00:00\n"
    "   SubmitTime=2026-03-11T09:59:00 StartTime=2026-03-11T10:00:00 EndTime=2026-03-11T12:00:00\n"
    "   PreemptEligibleTime=2026-03-11T10:00:00 PreemptTime={preempted}\n   Partition=train NodeList=gpu[01-02]\n"
)

CASES = (
    Case(
        "a1-three-records-of-one-run",
        {
            "slurm-7120.out": t.lines(_STEPS, t.traceback("ValueError: token id 32001 is out of range")),
            "sacct.txt": t.sacct(("FAILED", "1:0", *_RUN)),
            "scontrol-running.txt": _SCONTROL.format(state="RUNNING", preempted="None"),
            "scontrol-final.txt": _SCONTROL.format(state="FAILED", preempted="None"),
        },
        "A1",
    ),
    Case(
        "f2-left-in-grace-time",
        {
            "slurm-7120.out": t.lines(_STEPS, "srun: error: gpu01: tasks 0-3: Exited with exit code 143"),
            "sacct.txt": t.sacct(("FAILED", "15:0", "2026-03-11T10:00:00", "2026-03-11T11:01:00", "01:01:00")),
            "scontrol.txt": _SCONTROL.format(state="FAILED", preempted="2026-03-11T11:00:50").replace(
                "12:00:00", "11:01:00"
            ),
        },
        "F2",
        attribution="scheduler",
    ),
    Case(
        "f1-node-fail",
        {
            "slurm-7120.out": t.lines(
                _STEPS,
                "srun: error: Node failure on gpu02",
                _cancelled(" DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"),
            ),
            "sacct.txt": t.sacct(("NODE_FAIL", "0:0", *_RUN)),
        },
        "F1",
        attribution="infrastructure",
    ),
    log(
        "f1-log-only",
        t.lines(
            _STEPS,
            "srun: error: Node failure on gpu02",
            _cancelled(" DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"),
        ),
        "F1",
        1,
        attribution="infrastructure",
        nodes=("gpu02",),
    ),
    Case("f1-accounting-only", {"sacct.txt": t.sacct(("NODE_FAIL", "0:0", *_RUN))}, "F1", attribution="infrastructure"),
    Case(
        "f1-victims-traceback-first",
        {
            "slurm-7120.out": t.lines(
                _STEPS,
                t.prefixed(
                    "0: ",
                    t.traceback(
                        "RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection"
                        " closed by peer [10.0.0.3]:41130. This is typically caused by a remote worker crashing."
                    ),
                ),
                "srun: error: gpu01: tasks 0-3: Exited with exit code 1",
                "srun: error: Node failure on gpu02",
            ),
            "sacct.txt": t.sacct(("NODE_FAIL", "1:0", *_RUN)),
        },
        "F1",
        attribution="infrastructure",
    ),
    Case(
        "f2-preempted-requeued-done",
        {
            "slurm-7120.out": t.lines(_STEPS, _cancelled(" DUE TO PREEMPTION")),
            "sacct.txt": t.sacct(("PREEMPTED", "0:0", *_RUN), ("COMPLETED", "0:0", *_AGAIN)),
        },
        "F2",
        attribution="scheduler",
    ),
    Case(
        "f2-back-and-failed-by-itself",
        {
            "slurm-7120.out": t.lines(_STEPS, t.traceback("KeyError: 'labels'")),
            "sacct.txt": t.sacct(
                ("PREEMPTED", "0:0", "2026-03-11T08:00:00", "2026-03-11T09:50:00", "01:50:00"), ("FAILED", "1:0", *_RUN)
            ),
        },
        "A1",
    ),
    log("f2-preempted-log-only", t.lines(_STEPS, _cancelled(" DUE TO PREEMPTION")), "F2", 143, attribution="scheduler"),
    log("f2-requeue-line", t.lines(_STEPS, _cancelled(" DUE TO JOB REQUEUE")), "F2", attribution="scheduler"),
    Case(
        "f2-requeued-accounting-only",
        {"sacct.txt": t.sacct(("REQUEUED", "0:0", *_RUN), ("COMPLETED", "0:0", *_AGAIN))},
        "F2",
    ),
    Case(
        "f2-node-fail-then-done",
        {
            "slurm-7120.out": t.lines(_STEPS, t.epochs(t.falling(30, 3.2, 2.9)), "Training done."),
            "sacct.txt": t.sacct(("NODE_FAIL", "1:0", *_RUN), ("COMPLETED", "0:0", *_AGAIN)),
        },
        "F2 F1",
        attribution="infrastructure",
    ),
    Case(
        "f3-limit",
        {
            "slurm-7120.out": t.lines(_STEPS, _cancelled(" DUE TO TIME LIMIT")),
            "sacct.txt": t.sacct(("TIMEOUT", "0:0", *_RUN), limit="02:00:00"),
        },
        "F3",
    ),
    Case(
        "f3-limit-after-a-probe-and-a-warning",
        {
            "slurm-7120.out": t.lines(
                "slurmstepd: error: couldn't chdir to `/home/a': No such file or directory: going to /tmp instead",
                _STEPS,
                _cancelled(" DUE TO TIME LIMIT"),
            ),
            "sacct.txt": t.sacct(("TIMEOUT", "0:0", *_RUN), limit="02:00:00"),
            "dmesg.txt": "[Wed Mar 11 10:45:00 2026] NVRM: Xid (PCI:0000:4f:00): 43, pid=99, name=probe, Ch 08\n",
        },
        "F3",
    ),
    log("f3-log-only", t.lines(_STEPS, _cancelled(" DUE TO TIME LIMIT")), "F3", 143),
    Case(
        "f3-accounting-only",
        {"slurm-7120.out": _STEPS, "sacct.txt": t.sacct(("TIMEOUT", "0:0", *_RUN), limit="02:00:00")},
        "F3",
    ),
    log(
        "f3-srun-label-step",
        t.lines(
            t.prefixed("0: ", t.plain(t.falling(20), total=5000)),
            "0: slurmstepd-gpu01: error: *** STEP 7120.0 ON gpu01 CANCELLED AT 2026-03-11T12:00:00 DUE TO TIME LIMIT ***",
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
            "srun: error: gpu01: tasks 0-3: Terminated",
        ),
        "F3",
        143,
    ),
    Case(
        "f3-limit-after-hang",
        {
            "slurm-7120.out": t.lines(_STEPS, t.watchdog(0, 91), t.watchdog(1, 91), _cancelled(" DUE TO TIME LIMIT")),
            "sacct.txt": t.sacct(("TIMEOUT", "0:0", *_RUN)),
        },
        "C2",
    ),
    Case(
        "f3-crash-before-limit",
        {
            "slurm-7120.out": t.lines(
                _STEPS, t.prefixed("[rank1]: ", t.traceback("KeyError: 'labels'")), _cancelled(" DUE TO TIME LIMIT")
            ),
            "sacct.txt": t.sacct(("TIMEOUT", "0:0", *_RUN)),
        },
        "A1 F3 C2",
    ),
    Case(
        "outside-scancel",
        {"slurm-7120.out": t.lines(_STEPS, _cancelled("")), "sacct.txt": t.sacct(("CANCELLED by 2001", "0:0", *_RUN))},
        OUTSIDE,
        attribution="none",
    ),
    log("outside-scancel-log-only", t.lines(_STEPS, _cancelled("")), f"{OUTSIDE} {UNDECIDABLE}", 143),
    Case(
        "outside-new-wording",
        {
            "slurm-7120.out": t.lines(_STEPS, _cancelled(" DUE to SIGNAL Terminated")),
            "sacct.txt": t.sacct(("CANCELLED by 0", "0:0", *_RUN)),
        },
        OUTSIDE,
    ),
    Case(
        "a1-failed-in-accounting",
        {
            "slurm-7120.out": t.lines(
                _STEPS,
                t.traceback("ValueError: token id 32001 is out of range"),
                "srun: error: gpu01: task 0: Exited with exit code 1",
            ),
            "sacct.txt": t.sacct(("FAILED", "1:0", *_RUN)),
        },
        "A1",
    ),
    Case(
        "a1-after-a-step-that-was-tried-again",
        {
            "slurm-7120.out": t.lines(
                *_STEPS.splitlines()[:15],
                t.traceback("torch.OutOfMemoryError: CUDA out of memory.").replace("in <module>", "in attempt"),
                "emptied the cache, retry 1 succeeded",
                *_STEPS.splitlines()[15:],
                t.prefixed("[rank2]: ", t.traceback("KeyError: 'labels'")),
                "srun: error: gpu01: task 2: Exited with exit code 1",
            ),
            "sacct.txt": t.sacct(("FAILED", "1:0", *_RUN)),
        },
        "A1",
    ),
    Case(
        "a1-and-gpus-watched-for-longer",
        {
            "train.log": t.lines(
                *(f"[rank{rank}]: {line}" for line in _STEPS.splitlines() for rank in (0, 1)),
                t.prefixed("[rank1]: ", t.traceback("KeyError: 'labels'")),
                "E0311 11:00:31.263000 4711 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1)"
                " local_rank: 1 (pid: 21007) of binary: /usr/bin/python",
            ),
            "smi.csv": "timestamp, uuid, utilization.gpu [%], memory.used [MiB]\n"
            + "".join(
                f"2026/03/11 {at}:01.000, GPU-{n}2345678-1234-1234-1234-123456789abc, {used}\n"
                for at, used in (("10:59", "97 %, 60000 MiB"), ("11:00", "97 %, 60000 MiB"), ("11:30", "0 %, 4 MiB"))
                for n in (0, 1)
            ),
        },
        "A1",
    ),
    Case(
        "a2-oom-state-only",
        {"slurm-7120.out": _STEPS, "sacct.txt": t.sacct(("OUT_OF_MEMORY", "0:125", *_RUN))},
        "A2",
        attribution="job",
    ),
    Case(
        "a2-oom-three-stores",
        {
            "slurm-7120.out": t.lines(_STEPS, "srun: error: gpu01: task 1: Out Of Memory"),
            "sacct.txt": t.sacct(("OUT_OF_MEMORY", "0:125", *_RUN)),
            "dmesg.txt": t.oom_kill(9911, cgroup="/slurm/uid_2001/job_7120/step_0/task_1"),
        },
        "A2",
        attribution="job",
        ranks=(1,),
        nodes=("gpu01",),
    ),
    Case(
        "g1-completed-in-accounting",
        {"slurm-7120.out": t.lines(_STEPS, "Training complete."), "sacct.txt": t.sacct(("COMPLETED", "0:0", *_RUN))},
        "G1",
    ),
    Case(
        "g1-an-end-on-a-node-of-others",
        {
            "slurm-7120.out": t.lines("srun: error: zz91: task 0: Out Of Memory", _STEPS, "Training complete."),
            "sacct.txt": t.sacct(("COMPLETED", "0:0", *_RUN)),
        },
        "G1",
    ),
    Case(
        "g1-monitor-step-cancelled",
        {
            "slurm-7120.out": t.lines(
                _STEPS,
                "Training complete.",
                "slurmstepd: error: *** STEP 7120.1 ON gpu01 CANCELLED AT 2026-03-11T12:00:00 ***",
            ),
            "sacct.txt": t.sacct(("COMPLETED", "0:0", *_RUN)),
        },
        "G1",
    ),
    log(
        "miss-scheduler-words",
        t.lines(
            "#SBATCH --signal=B:USR1@120   # before DUE TO TIME LIMIT",
            "echo 'requeue on PREEMPTION; NODE_FAIL handled'",
            _STEPS,
            "Training complete.",
        ),
        "G1",
        0,
    ),
    Case(
        "missing-failed-beside-a-kill-in-a-login",
        {
            "slurm-7120.out": _STEPS,
            "sacct.txt": t.sacct(("FAILED", "1:0", *_RUN)),
            "dmesg.txt": t.oom_kill(555, name="rsync", cgroup="/user.slice/user-4021.slice/session-88.scope"),
        },
        UNDECIDABLE,
    ),
    Case(
        "g1-beside-what-others-met",
        {
            "train.log": t.lines(
                t.plain(t.falling(15), total=300),
                "WARNING: CUDA out of memory. Tried to allocate 3.91 GiB. Caught; the batch is halved",
                t.plain(t.falling(15), total=300, first=16),
                "Training complete.",
            ),
            "dmesg.txt": "[ 1990.1] NVRM: Xid (PCI:0000:4f:00): 63, pid=0, name=none, Row Remapper: New row marked\n",
        },
        "G1",
    ),
    Case(
        "g1-beside-whom-the-kernel-killed",
        {"train.log": t.lines(t.plain(t.falling(15), total=300), "Training complete."), "dmesg.txt": t.oom_kill(555)},
        f"G1 {UNDECIDABLE}",
    ),
    Case("missing-failed-without-output", {"sacct.txt": t.sacct(("FAILED", "1:0", *_RUN))}, UNDECIDABLE),
)
