"""Slurm, shells, DataLoader workers, C++ aborts (A2, D1, F1, F2, F3)."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

import re

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of
from inquest.analyze.logs.signal_words import ABROAD, ZSH

_CANCELLED = r"(?:^|[^\"'>{} ]|[\]\d:] )slurmstepd[\w.-]*: (?:error: )?\*\*\* (?:JOB|STEP) (?P<subject>[\w.+]+) ON \S+ CANCELLED(?: AT \S+)?"

PATTERNS = (
    *of(
        "slurm",
        Pattern(
            "time_limit",
            Kind.TIME_LIMIT,
            "root",
            ("DUE TO TIME LIMIT",),
            _CANCELLED + r" DUE TO TIME LIMIT",
            "slurmstepd-node01: error: *** JOB 1014 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO TIME LIMIT ***",
            "slurmstepd: error: *** JOB 1014 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO PREEMPTION ***",
        ),
        Pattern(
            # What scripts say that watch the clock themselves, and timeout --verbose.
            "own_time_limit",
            Kind.TIME_LIMIT,
            "root",
            ("all time ", "alltime ", "all clock ", "allclock ", "ime limit ", "timeout: sending signal "),
            r"(?:(?:^|[\]|%]\s?)timeout: sending signal (?:TERM|KILL|INT) to command|(?i:\b(?:wall ?(?:clock )?(?:time|limit)|(?:run ?)?time limit)\b(?!.*\b(?:never|not|unless|before|if|when)\b).{0,40}\b(?:reached|exceeded|expired|is up|ran out|over)\b"
            r".{0,40}\b(?:send(?:ing|s)?|sent|kill(?:ing|ed|s)?|terminat(?:ing|ed|es))\b))",
            "batch.sh: wall clock limit of 2:00:00 exceeded, killing process group 4711",
            "the time limit was never reached; sending the summary",
        ),
        Pattern(
            # A loop that asks the clock itself, and leaves before the scheduler would end it.
            "own_slot",
            Kind.TIME_LIMIT,
            "root",
            tuple(
                f"{what} {of}"
                for what in ("udget", "slot", "llowance", "time limit", "clock limit", "walltime limit")
                for of in ("of ", "is ", "used", "spent", "exhausted", "reached", "over")
            ),
            r"(?i:\b(?:wall[ -]?(?:clock|time)|time|clock) (?:time )?(?:budget|slot|allowance|limit)(?: of [\w:. ]{1,24}?)?(?: is| has been| was)? "
            r"(?P<subject>used up|spent|exhausted|reached|over|up)\b.{0,60}\b(?:stopp(?:ing|ed)|leaving|left|ending|at step|after step|next (?:slot|job)"
            r"|resubmit\w*|requeu\w*)\b)",
            "wall clock budget of 3:55:00 used up at step 4100 of 20000; state saved for the next slot",
            "time budget of the search is spent on 40 trials",
            unless=r"(?i)\b(?:if|when|until|once|never|not|eval\w*|valid\w*|search|trials?|stud(?:y|ies))\b",
        ),
        Pattern(
            # The same in looser words: how much time there was, that it is used up, where the loop stood, that it leaves.
            "own_time_used",
            Kind.TIME_LIMIT,
            "root",
            (
                *("ock used up", "me used up", "s used up", "s up", "ock up", "as run out", " ran out", "s over"),
                *("ock spent", "me spent", "s spent", "ock gone", "s gone", "ut of time", "ut of wall"),
            ),
            r"(?i:(?:\b\d[\d.:]{0,9} ?(?:s|sec|seconds?|m|min|minutes?|h|hours?)? of (?:the |my |our |its )?(?:wall[- ]?(?:clock|time)(?: time)?|run ?time|time)"
            r"(?: (?:is|are|has been|have been|was|were))? (?:used up|up|spent|exhausted|gone|over)|\b(?:wall[- ]?(?:clock|time)(?: time)?|run ?time|time) (?:is (?:up|over|used up)|has run out|ran out)"
            r"|\b(?:ran |run |running )?out of (?:wall[- ]?(?:clock|time)(?: time)?|time)\b)"
            r".{0,60}?\b(?P<subject>(?:epoch|step|batch|iter(?:ation)?|update|round)s?[ =:#]{1,2}\d{1,12}\b).{0,80}?\b(?:leaving|exiting|stopping|quitting|ending)"
            r"(?:$|[.,;!)]| (?:now|here|cleanly|gracefully|early|(?:the )?(?:training|run|job|loop)|for the next)\b))",
            "7200 s of wall-clock used up in epoch 7 of 90, batch 310; state saved, leaving",
            "40 s of wall-clock used up by step 20 of the warm-up, going on",
            unless=r"(?i)\b(?:if|when|until|once|never|not|would|eval\w*|valid\w*|search|trials?|stud(?:y|ies)|read\w*|fetch\w*|wait\w*|test\w*)\b",
        ),
        Pattern(
            "preempted",
            Kind.PREEMPTED,
            "root",
            ("DUE TO PREEMPTION", "preempted JobId="),
            rf"(?:{_CANCELLED} DUE TO PREEMPTION|preempted JobId=\d+ has been)",
            "slurmstepd: error: *** JOB 1014 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO PREEMPTION ***",
            "PreemptMode=REQUEUE",
        ),
        Pattern(
            "requeued",
            Kind.REQUEUED,
            "root",
            ("DUE TO JOB REQUEUE", "Requeuing JobId=", "Requeued job "),
            # The last is submitit's, which has called scontrol.
            rf"(?:{_CANCELLED} DUE TO JOB REQUEUE|Requeuing JobId=\d+"
            r"|^submitit INFO \([^()]{1,40}\) - Requeued job \d{1,12} \(\d{1,6} remaining timeouts\))",
            "slurmstepd: error: *** JOB 1014 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO JOB REQUEUE ***",
            "Requeue=1 Restarts=0",
        ),
        Pattern(
            "node_failure",
            Kind.NODE_FAILURE,
            "root",
            ("DUE TO NODE FAILURE",),
            _CANCELLED + r" DUE TO NODE FAILURE",
            "slurmstepd: error: *** JOB 1014 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO NODE FAILURE, SEE SLURMCTLD LOG"
            " FOR DETAILS ***",
            "slurmstepd: error: *** JOB 1014 ON node01 CANCELLED AT 2026-11-20T18:28:37 ***",
        ),
        Pattern(
            "srun_node_failure",
            Kind.NODE_FAILURE,
            "root",
            ("Node failure on ", " on failed node ", "not responding, setting DOWN", " rebooted "),
            r"(?:(?:srun|salloc): error: Node failure on |Killing JobId=\d+ on failed node |Nodes |Node )(?P<subject>[\w\[\],.-]+)"
            r"(?:$| not responding, setting DOWN| (?:unexpectedly )?rebooted )",
            "srun: error: Node failure on node02",
            "Nodes node02 not responding",
        ),
        Pattern(
            "task_failure",
            Kind.STEP_ABORT,
            "cascade",
            ("DUE TO TASK FAILURE",),
            _CANCELLED + r" DUE TO TASK FAILURE",
            "slurmstepd: error: *** STEP 1014.0 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO TASK FAILURE ***",
            "slurmstepd: error: *** STEP 1014.0 ON node01 CANCELLED AT 2026-11-20T18:28:37 ***",
        ),
        Pattern(
            "cancelled",
            Kind.CANCELLED,
            "root",
            (" CANCELLED AT ",),
            _CANCELLED + r" (?:\*\*\*|DUE to SIGNAL)",
            "slurmstepd: error: *** JOB 11979 ON uit-dgx01 CANCELLED AT 2025-06-06T10:36:32 ***",
            "slurmstepd: error: *** JOB 1014 ON node01 CANCELLED AT 2026-11-20T18:28:37 DUE TO TIME LIMIT ***",
        ),
        Pattern(
            "oom",
            Kind.SLURM_OOM,
            "root",
            ("oom-kill event", "oom_kill event", "Exceeded job memory limit"),
            r"(?:Detected (?P<num>\d+) oom[-_]kill event(?:\(s\)|s)? in (?:Step[Ii]d=|step )(?P<subject>[\w.+]+)|error: Exceeded job"
            r" memory limit)",
            "slurmstepd-node02: error: Detected 1 oom-kill event(s) in StepId=1007.0. Some of your processes may have been"
            " killed by the cgroup out-of-memory handler.",
            "oom-kill:constraint=CONSTRAINT_MEMCG",
            num_unit="count",
        ),
        Pattern(
            "seff_oom",
            Kind.SLURM_OOM,
            "root",
            ("State: OUT_OF_MEMORY (exit code",),
            r"^State: OUT_OF_MEMORY \(exit code \d+\)$",
            "State: OUT_OF_MEMORY (exit code 0)",
            "last State: OUT_OF_MEMORY (exit code 0), retrying",
        ),
        Pattern(
            "seff_time_limit",
            Kind.TIME_LIMIT,
            "root",
            ("State: TIMEOUT (exit code",),
            r"^State: TIMEOUT \(exit code \d+\)$",
            "State: TIMEOUT (exit code 0)",
            "last State: TIMEOUT (exit code 0), retrying",
        ),
        Pattern(
            "seff_node_fail",
            Kind.NODE_FAILURE,
            "root",
            ("State: NODE_FAIL (exit code",),
            r"^State: NODE_FAIL \(exit code \d+\)$",
            "State: NODE_FAIL (exit code 0)",
            "last State: NODE_FAIL (exit code 0), retrying",
        ),
        Pattern(
            "seff_preempted",
            Kind.PREEMPTED,
            "root",
            ("State: PREEMPTED (exit code",),
            r"^State: PREEMPTED \(exit code \d+\)$",
            "State: PREEMPTED (exit code 0)",
            "last State: PREEMPTED (exit code 0), retrying",
        ),
        Pattern(
            "task_oom",
            Kind.SLURM_OOM,
            "confirmation",
            (": Out Of Memory",),
            r"srun: error: \S+: tasks? (?P<subject>[\d,-]+): Out Of Memory",
            "srun: error: node01: task 0: Out Of Memory",
            "srun: error: node01: task 0: Exited with exit code 1",
        ),
        Pattern(
            "task_exit",
            Kind.TASK_EXIT,
            "confirmation",
            (": Exited with exit code ",),
            r"srun: error: \S+: tasks? (?P<subject>[\d,-]+): Exited with exit code (?P<num>\d+)",
            "srun: error: node02: task 3: Exited with exit code 7",
            "Exited with exit code 140.",
            num_unit="exit_code",
        ),
        Pattern(
            "task_signal",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("srun: error: ",),
            r"srun: error: \S+: tasks? [\d,-]+: (?P<subject>Killed|Segmentation fault|Aborted|Bus error|Terminated"
            r"|Floating point exception|Illegal instruction)",
            "srun: error: node02: task 2: Killed",
            "srun: error: Unable to allocate resources",
        ),
        Pattern(
            "terminating",
            Kind.STEP_ABORT,
            "cascade",
            ("Terminating StepId=", "Job step aborted: Waiting up to", "Force Terminated StepId="),
            r"srun: (?:launch/slurm: _step_signal: )?(?:Terminating StepId=(?P<subject>\S+)|Job step aborted: Waiting|Force Terminated)",
            "srun: launch/slurm: _step_signal: Terminating StepId=1026.0",
            "Terminating StepId=",
        ),
        Pattern(
            "launch",
            Kind.COMMAND_FAILED,
            "root",
            (
                "Unable to allocate resources",
                "Application launch failed",
                "Unable to create TMPDIR",
                "couldn't chdir to",
                "execve(): ",
            ),
            r"error: (?P<subject>Unable to allocate resources.{0,80}|Application launch failed.{0,80}|Unable to create TMPDIR"
            r"|couldn't chdir to.{0,80}|execve\(\): .{0,80})",
            "slurmstepd: error: execve(): prog: No such file or directory",
            "Unable to allocate resources right now, waiting",
        ),
    ),
    *of(
        "shell",
        Pattern(
            "killed",
            Kind.SIGNAL_DEATH,
            "confirmation",
            (
                "Killed",
                "Terminated",
                "Aborted",
                "Bus error",
                "Floating point exception",
                "Segmentation fault",
                "Hangup",
                "Quit",
                "Alarm clock",
                "User defined signal",
                "CPU time limit exceeded",
                "Illegal instruction",
            ),
            # A script's shell names the line, one that runs jobs in the background their number, helpers among them.
            r"(?:^|: line \d+: +\d+ |^\[\d{1,4}\][+-]? {1,4}(?:\d{1,9} )?(?=[A-Z][a-z ]{3,40}(?:\(core dumped\))? {2,40}.{0,100}(?:train|fit|tune|torchrun|accelerate|deepspeed|mpirun|nohup (?!.{0,60}(?:serv|monitor|watch|board|log|http|prox|export|notebook|jupyter|tunnel|ssh|sleep|smi)))))(?P<subject>Killed|Terminated|Aborted|Bus error|Floating point exception|Segmentation fault|Hangup|Quit|Alarm clock"
            r"|User defined signal [12]|CPU time limit exceeded|Illegal instruction)(?: *\(core dumped\))?(?:$| {2,}\S| *python)",
            "/var/spool/slurmd/job01009/slurm_script: line 15:  9695 Killed                  python train.py",
            "Killed 3 stale workers",
        ),
        Pattern(
            "core_dumped",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("(core dumped)",),
            # A shell ends its line there, or puts the command behind blanks; advice goes on in its sentence.
            r"(?P<subject>Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception|Killed|Quit) ?\(core dumped\)(?:\s*$| {2,}\S)",
            "Segmentation fault (core dumped)",
            "Tip: a Segmentation fault (core dumped) may be caused by an old driver",
            unless=r"^srun: |: line \d+: ",
        ),
        Pattern(
            # MXNet's own handler, src/initialize.cc: "\nSegmentation fault: 11\n\nStack trace:"
            "mxnet_signal",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("Segmentation fault: 11", "Aborted: 6", "Bus error: 7", "Floating point exception: 8"),
            r"^(?:\S.{0,80} )?(?P<subject>Segmentation fault|Aborted|Bus error|Floating point exception): (?:11|6|7|8)\s*$",
            "Segmentation fault: 11",
            "Segmentation fault: 11 cases were reported",
        ),
        Pattern(
            "killed_abroad",
            Kind.SIGNAL_DEATH,
            "confirmation",
            tuple(ABROAD),
            # In any language: script, number of the line, pid, what happened, and the command behind blanks.
            r"^.{1,200}?[:：] \D{0,12}\d{1,6}\D{0,6}[:：] ? +\d{1,9} (?P<subject>"
            + "|".join(map(re.escape, ABROAD))
            + r")(?: *\([^)]{1,40}\))?(?:$| {2,}\S)",
            "run.sh: Zeile 2:  8551 Speicherzugriffsfehler  python -u train.py",
            "2026-11-20 10:00:00 Speicherzugriffsfehler sind heute keine da",
        ),
        Pattern(
            "zsh_killed",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("(core dumped)  ", *(f"{word}  " for word in ZSH)),
            rf"^(?:zsh: |\[\d+\] +(?:[+-] +)?\d+ )(?P<subject>{'|'.join(ZSH)})(?: \(core dumped\))? {{2,}}\S",
            "zsh: killed     python train.py --config big.yaml",
            "zsh: killed the idea of a second epoch",
        ),
        Pattern(
            "fish_killed",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("terminated by signal SIG",),
            r"^fish: Job \d+, .{1,400} terminated by signal (?P<subject>SIG[A-Z]{2,6}) \(",
            "fish: Job 1, 'python train.py' terminated by signal SIGKILL (Forced quit)",
            "Helper terminated by signal SIGTERM (Polite quit request)",
        ),
        Pattern(
            "nohup",
            Kind.HANG_UP,
            "root",
            ("Received 1 death signal", "got signal: 1"),
            r"(?:Received 1 death signal|got signal: 1$)",
            "torch.distributed.elastic.multiprocessing.api.SignalException: Process 191415 got signal: 1",
            "torch.distributed.elastic.multiprocessing.api.SignalException: Process 191415 got signal: 15",
        ),
        Pattern(
            "abort_cpp",
            Kind.ABORT,
            "root",
            (
                "terminate called after throwing an instance of",
                "terminate called without an active exception",
                "double free or corruption",
                "malloc(): ",
                "double free detected",
                "realloc(): ",
                "munmap_chunk(): ",
                "corrupted size vs",
                "corrupted double-linked",
                "stack smashing detected",
                "buffer overflow detected",
                "free(): invalid",
                "*** Check failure stack trace: ***",
            ),
            r"(?:terminate called after throwing an instance of '(?P<subject>[^']+)'|^terminate called without"
            r"|^double free or corruption|^malloc\(\): \w|^free\(\): (?:invalid|double free)|^realloc\(\): \w|^munmap_chunk\(\): |^corrupted (?:size vs|double-linked)|^\*\*\* (?:stack smashing|buffer overflow) detected|\*\*\* Check failure stack trace: \*\*\*)",
            "terminate called after throwing an instance of 'std::runtime_error'",
            "terminate called by user",
            unless=r"DistBackendError",
        ),
        Pattern(
            "glog_fatal",
            Kind.ABORT,
            "root",
            ("] Check failed: ",),
            r"^F\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w./-]+:\d+\] (?P<subject>Check failed: .{1,200})",
            "F1121 06:12:07.123456   4711 tensor_shape.cc:356] Check failed: size >= 0 (-4 vs. 0)",
            "I1121 06:12:07.123456   4711 health.cc:12] Check failed: retrying",
        ),
        Pattern(
            "abort_watchdog",
            Kind.ABORT,
            "cascade",
            ("terminate called after throwing an instance of", "we are taking the entire process down"),
            r"(?:terminate called after throwing an instance of '(?P<subject>c10::DistBackendError)'|we are taking the entire process down)",
            "terminate called after throwing an instance of 'c10::DistBackendError'",
            "terminate called after throwing an instance of 'std::bad_alloc'",
        ),
    ),
    *of(
        "dataloader",
        Pattern(
            "killed",
            Kind.DATALOADER_WORKER_DIED,
            "root",
            ("DataLoader worker (pid",),
            r"Error: DataLoader worker \(pid(?:\(s\))? (?P<num>\d+)[\d, ]*\) (?P<subject>is killed by signal: [A-Z][\w ]+"
            r"|exited unexpectedly(?: with exit code \d+)?)",
            "RuntimeError: DataLoader worker (pid 3051) is killed by signal: Killed. ",
            "DataLoader worker (pid 3051) started",
            num_unit="pid",
        ),
        Pattern(
            "exception",
            Kind.DATA_ERROR,
            "root",
            (" in DataLoader worker process ",),
            r"Caught (?P<subject>\w+) in DataLoader worker process (?P<num>\d+)",
            "FileNotFoundError: Caught FileNotFoundError in DataLoader worker process 1.",
            "workers in DataLoader worker process group",
            num_unit="worker",
        ),
        Pattern(
            "shm",
            Kind.SHM_EXHAUSTED,
            "root",
            ("Unexpected bus error encountered in worker",),
            r"ERROR: Unexpected bus error encountered in worker",
            "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
            "Unexpected bus error",
        ),
        Pattern(
            "segv",
            Kind.SEGFAULT,
            "root",
            ("Unexpected segmentation fault encountered in worker",),
            r"ERROR: Unexpected segmentation fault encountered in (?P<subject>worker)",
            "ERROR: Unexpected segmentation fault encountered in worker.",
            "Unexpected segmentation fault",
        ),
        Pattern(
            "timeout",
            Kind.DATALOADER_TIMEOUT,
            "root",
            ("DataLoader timed out after",),
            r"RuntimeError: DataLoader timed out after (?P<num>[\d.]+) seconds",
            "RuntimeError: DataLoader timed out after 5 seconds",
            "DataLoader timed out after is configurable",
            num_unit="s",
        ),
    ),
)
