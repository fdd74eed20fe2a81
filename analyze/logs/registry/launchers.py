"""What starts a job, other than torchrun: mpirun, Poetry, uv, conda (A1, A2).

Texts: Open MPI's help files (help-orterun.txt), MPICH's Hydra, and the programs' own sources.
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of

PATTERNS = (
    *of(
        "launcher",
        Pattern(
            "restarting",
            Kind.RESTART,
            "marker",
            ("estarting job", "estarting the job", "estarting training", "estarting the training", "estarting run"),
            # What a user's own loop around the command prints: a heading, not a sentence about restarts.
            r"^(?:\[?20\d\d-\S+ [\d:.,]+\]? )?\W{0,12}[Rr]estarting (?:the )?(?:job|training|run)\b[^.?!]{0,60}\W{0,12}$",
            "=== restarting job (attempt 2) ===",
            "Restarting the job from the last checkpoint costs at most ten minutes of work. See docs.",
        ),
    ),
    *of(
        "mpirun",
        Pattern(
            "signal",
            Kind.SIGNAL_DEATH,
            "confirmation",
            (" exited on signal ",),
            r"noticed that process rank (?P<rank>\d+) with PID \d+ on node \S+ exited on signal (?P<num>\d+)(?: \((?P<subject>[^)]+)\))?\.",
            "mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).",
            "the helper process exited on signal 9, and was started again",
            num_unit="signal",
        ),
        Pattern(
            "hydra_signal",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("KILLED BY SIGNAL: ",),
            r"^=   KILLED BY SIGNAL: (?P<num>\d+) \((?P<subject>[^)]+)\)",
            "=   KILLED BY SIGNAL: 9 (Killed)",
            "a process KILLED BY SIGNAL: 9 is restarted by the supervisor",
            num_unit="signal",
        ),
        Pattern(
            "hydra_exit_string",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("YOUR APPLICATION TERMINATED WITH THE EXIT STRING: ",),
            r"YOUR APPLICATION TERMINATED WITH THE EXIT STRING: (?P<subject>[A-Z][\w ]+) \(signal (?P<num>\d+)\)",
            "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)",
            "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Exit code 1",
            num_unit="signal",
        ),
        Pattern(
            "signal_below",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("(Killed).", "(Segmentation fault).", "(Aborted).", "(Bus error).", "(Illegal instruction)."),
            # The second line of the sentence above, where Open MPI 5 breaks it.
            r"^signal (?P<num>\d+) \((?P<subject>[^)]+)\)\.$",
            "signal 9 (Killed).",
            "the helper got signal 9 (Killed).",
            num_unit="signal",
        ),
        Pattern(
            "process_name",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            ("  Process name: [[",),
            r"^  Process name: \[\[\d+,\d+\],(?P<rank>\d+)\]",
            "  Process name: [[26620,1],1]",
            "Process name: trainer",
        ),
        Pattern(
            "exit_code",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            ("  Exit code:    ",),
            r"^  Exit code:    (?P<num>\d+)$",
            "  Exit code:    1",
            "  Exit code:    unknown",
            num_unit="exit_code",
        ),
    ),
    *of(
        "launcher",
        Pattern(
            "composer_crashed",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            (" crashed with exit code ",),
            r"composer\.cli\.launcher:Rank (?P<rank>\d+) crashed with exit code (?P<num>-?\d+)",
            "ERROR:composer.cli.launcher:Rank 3 crashed with exit code -9.",
            "what if Rank 3 crashed with exit code -9?",
            num_unit="exit_code",
        ),
        Pattern(
            "paddle_failed",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            (" status failed cmd ",),
            r"^Container rank (?P<rank>\d+) status failed cmd .{0,2000} code (?P<num>-?\d+)\b",
            "Container rank 3 status failed cmd ['/usr/bin/python', '-u', 'train.py'] code -9 log log/workerlog.3",
            "Container rank 3 status running cmd ['/usr/bin/python', '-u', 'train.py'] code None log log/workerlog.3",
            num_unit="exit_code",
        ),
        Pattern(
            "honcho_stopped",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            (" stopped (rc=",),
            r"^(?:\d\d:\d\d:\d\d )?system +\| (?P<subject>\S+) stopped \(rc=(?P<num>(?!0\)|-15\))-?\d+)\)",
            "06:57:17 system     | trainer1.1 stopped (rc=139)",
            "06:57:17 system     | trainer0.1 stopped (rc=-15)",
            num_unit="exit_code",
        ),
        Pattern(
            "compose_exited",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            (" exited with code ",),
            r"^(?P<subject>[\w.-]+-\d+) exited with code (?P<num>[1-9]\d{0,2})$",
            "trainer-1 exited with code 137",
            "trainer-1 exited with code 0",
            num_unit="exit_code",
        ),
        Pattern(
            "poetry_project",
            Kind.COMMAND_FAILED,
            "root",
            ("Poetry could not find a ",),
            r"^Poetry could not find a (?P<subject>pyproject\.toml file in .{1,300}) or its parents",
            "Poetry could not find a pyproject.toml file in /work/run7 or its parents",
            "hint: Poetry could not find a lock file, and makes one",
        ),
        Pattern(
            "command_not_found",
            Kind.COMMAND_FAILED,
            "root",
            ("Command not found: ",),
            r"^Command not found: (?P<subject>\S+)$",
            "Command not found: torchrun",
            "Command not found: using the built-in one instead",
        ),
        Pattern(
            "uv_spawn",
            Kind.COMMAND_FAILED,
            "root",
            ("error: Failed to spawn: ",),
            r"^error: Failed to spawn: `(?P<subject>[^`]+)`",
            "error: Failed to spawn: `torchrun`",
            "retrying: error: Failed to spawn: worker 3",
        ),
        Pattern(
            "conda_environment",
            Kind.COMMAND_FAILED,
            "root",
            ("EnvironmentLocationNotFound: ", "EnvironmentNameNotFound: "),
            r"^Environment(?:Location|Name)NotFound: (?P<subject>(?:Not a conda environment|Could not find conda environment): \S+)",
            "EnvironmentNameNotFound: Could not find conda environment: torch27",
            "except EnvironmentNameNotFound: pass",
        ),
    ),
    *of(
        "horovod",
        Pattern(
            "stall",
            Kind.LATE_RANKS,
            "confirmation",
            ("One or more tensors were submitted to be reduced",),
            # horovod/common/stall_inspector.cc. Which ranks stands below it, as "3: [tensors", which reads as srun's label.
            r"One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for"
            r" remainder of ranks for more than (?P<num>\d+) seconds",
            "W stall_inspector.cc:107] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks"
            " and are waiting for remainder of ranks for more than 60 seconds. This may indicate that different ranks",
            "docs: One or more tensors were submitted to be reduced twice",
            num_unit="s",
        ),
    ),
)
