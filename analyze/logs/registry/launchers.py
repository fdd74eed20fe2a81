"""What starts a job, other than torchrun: mpirun, supervisors, workflow engines, Poetry, uv, conda (A1, A2).

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
            (
                "estarting job",
                "estarting the job",
                "estarting training",
                "estarting the training",
                "estarting run",
                "ttempt ",
                "ttempt: ",
                "ry: ",
                *(f"ry {digit}:" for digit in range(1, 10)),
                *(f"{verb} with " for verb in ("exited", "ended", "failed", "died", "crashed", "left")),
            ),
            # What a user's own loop around the command prints: a heading, not a sentence about restarts.
            r"^(?:\[?20\d\d-\S+ [\d:.,]+\]? )?(?:\[[\w./:-]{1,30}\] |[\w./-]{1,30}\.sh: )?(?:\W{0,12}[Rr]estarting (?:the )?(?:job|training|run)\b[^.?!]{0,60}\W{0,12}$"
            r"|(?:\W{2,12}(?:[Ss]tarting )?|[\[<(])[Aa]ttempt #?(?:[2-9]|[1-9]\d{1,2})(?: ?(?:/|of) ?\d{1,3})?(?:[,;:] [^.?!]{1,40})?\W{0,12}$"
            r"|\W{0,12}[Aa]ttempt #?\d{1,3} (?:ended|exited|failed|died|crashed|returned|left)\b[^.?!]{0,60}$"
            r"|\W{0,12}(?:[Aa]ttempt|[Tt]ry) #?\d{1,3}: (?:exit(?:ed)?[ :=]{1,3})?(?:with |code |status )?[1-9]\d{0,2}\W{0,12}$"
            r"|\W{0,12}(?:first|second|third|fourth|\d{1,2}(?:st|nd|rd|th)) (?:try|attempt): [1-9]\d{0,2}(?:[;,] .{0,60})?$"
            r"|\W{0,12}(?:[Tt]he )?(?:[Tt]raining|[Tt]rainer|[Jj]ob|[Rr]un|[Cc]ommand|[Ss]cript|[Pp]rogram|python3?|[\w./-]{1,40}\.(?:py|sh))"
            r"(?: \w{1,10}){0,2} (?:exited|ended|failed|died|crashed|left) with [a-z: ]{0,20}[1-9]\d{0,2}\b[^.?!]{0,30}\b(?:again|anew"
            r"|retry(?:ing)?|restart(?:ing)?|(?:attempt|try) #?\d)\b[^.?!]{0,30}$)",
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
            "abort",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            ("with errorcode ", " Errorcode: ", "application called MPI_Abort("),
            # Open MPI 4 and 5, the first on a line of its own; MPICH and its kin
            r"^ {0,3}(?:with errorcode (?P<num>\d+)\.$|Errorcode: (?P<code>\d+)$|.{0,80}application called MPI_Abort\(.{1,60}, (?P<status>-?\d+)\) - process (?P<rank>\d+))",
            "with errorcode 17.",
            "the job ended with errorcode 17.",
            num_unit="exit_code",
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
            # paddle/distributed/launch/controllers/controller.py; the head "LAUNCH INFO" with its time may be cut off
            "paddle_success",
            Kind.CLEAN_EXIT,
            "marker",
            ("Pod completed",),
            r"^(?:LAUNCH INFO 20\d\d-\d\d-\d\d [\d:]{8} )?Pod completed$",
            "LAUNCH INFO 2025-11-09 01:29:17 Pod completed",
            "LAUNCH INFO 2025-11-09 01:29:17 Pod failed",
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
        # supervisor/process.py, Subprocess.finish
        Pattern(
            "supervisord_signal",
            Kind.SIGNAL_DEATH,
            "confirmation",
            (" (terminated by SIG",),
            r"\bexited: (?P<subject>\S+) \(terminated by SIG(?!TERM|INT|QUIT)[A-Z]+(?: \(core dumped\))?; not expected\)$",
            "2026-11-21 10:31:07,552 WARN exited: pretrain_00 (terminated by SIGSEGV; not expected)",
            "2026-11-21 10:31:07,552 WARN exited: pretrain_00 (terminated by SIGTERM; not expected)",
        ),
        Pattern(
            "supervisord_gave_up",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            (" entered FATAL state",),
            r"\bgave up: (?P<subject>\S+) entered FATAL state",
            "2026-11-21 10:31:31,200 INFO gave up: pretrain_00 entered FATAL state, too many start retries too quickly",
            "why a program entered FATAL state",
        ),
        # subprocess.CalledProcessError.__str__, by whatever prints it
        Pattern(
            "command_died",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("died with <Signals.SIG",),
            r"(?:^|[:>\]-] )Command .{1,4000} died with <Signals\.(?P<subject>SIG\w+): (?P<num>\d+)>\.?$",
            "Command 'bash -c ./fit.sh' died with <Signals.SIGBUS: 7>.",
            "what does died with <Signals.SIGBUS: 7> mean?",
            num_unit="signal",
            unless=r"CalledProcessError: ",
        ),
        Pattern(
            # Python's way to say which signal ended a child, in anybody's words: multiprocessing.Process.exitcode.
            "child_signal",
            Kind.SIGNAL_DEATH,
            "confirmation",
            (
                "exitcode -",
                "exitcode=-",
                "exitcode: -",
                "exit code -",
                "exit code: -",
                "returncode -",
                "returncode=-",
                "return code -",
                "returned -",
                "exited with -",
                "status -",
                "status=-",
                "rc=-",
                "rc -",
            ),
            r"\b(?i:worker|rank|process|proc|child|trainer|training|subprocess|job|command|python\d?|\S+\.py)\b.{0,80}\b(?:(?:exit ?code|return ?code|status|rc)(?:: |=| )|returned |exited with )-(?P<num>4|6|7|8|9|11)\b",
            "launcher: worker 5 ended early, exit code -11, stopping its siblings",
            "worker 5: exit code -15",
            num_unit="signal",
            unless=r"local_rank|/torch/|torch\.|sigkill_handler|composer\.cli|Container rank|Child process with PID|CalledProcessError|(?i:respawn|restart|replac|relaunch|started again|start it again)",
        ),
        Pattern(
            # A supervisor of the job's own making, in its own words, which name the signal.
            "signal_named",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("SIGKILL", "SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE"),
            r"(?i:\b(?:worker|rank|process|proc|child|trainer|subprocess|task|job|main|python\d?|pid|it)\b.{0,60}\b(?:died|dead|down|gone|lost|crashed|killed|terminated|ended|exited|stopped|signaled|aborted)\b)(?:.{0,40}[\s=:(])?(?P<subject>SIG(?:KILL|SEGV|ABRT|BUS|ILL|FPE))\b",
            "[supervise] trainer-0 went down: signal=SIGSEGV after step file .step",
            "worker 3 would be killed by SIGKILL on the next attempt",
            unless=r"(?i)\b(?:will|would|may|might|could|can|should|if|when|unless|causes?|reasons?|test|simulat\w*|inject\w*|chaos|expect\w*|handl\w*|ignor\w*|respawn\w*|restart\w*|replac\w*|relaunch\w*|started again|start it again|recover\w*|resum\w*|no|not|never)\b|exitcode|torch\.|/torch/|sigkill_handler|terminated by SIG|died with <",
        ),
        Pattern(
            "snakemake_restart",
            Kind.RESTART,
            "marker",
            ("Trying to restart job ",),
            r"^Trying to restart job \S+\.$",
            "Trying to restart job 12.",
            "Trying to restart job queue workers.",
        ),
        Pattern(
            # snakemake/scheduler.py: progress(), when every job of the workflow was done
            "snakemake_done",
            Kind.CLEAN_EXIT,
            "marker",
            (" steps (100%) done",),
            r"^(?P<num>[1-9]\d{0,6}) of (?P=num) steps \(100%\) done$",
            "8 of 8 steps (100%) done",
            "7 of 8 steps (88%) done",
        ),
        # nextflow/processor/TaskProcessor.groovy
        Pattern(
            "nextflow_retry",
            Kind.RESTART,
            "marker",
            (" -- Execution is retried (",),
            r"Process `(?P<subject>[^`]{1,200})` terminated .{0,80} -- Execution is retried \(\d+\)$",
            "[ab/12cd34] NOTE: Process `FIT (3)` terminated with an error exit status (137) -- Execution is retried (1)",
            "Execution is retried (1)",
        ),
        Pattern(
            "nextflow_failed",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            ("` terminated with an error exit status (",),
            r"Process `(?P<subject>[^`]{1,200})` terminated with an error exit status \((?P<num>[1-9]\d{0,2})\)(?! -- )",
            "  Process `FIT (3)` terminated with an error exit status (137)",
            "NOTE: Process `FIT (3)` terminated with an error exit status (137) -- Error is ignored",
            num_unit="exit_code",
        ),
        # The last words of a user's own script, of statuses that tell of a signal or of timeout(1); those of programs say less.
        Pattern(
            "own_status",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            (
                *(
                    f"{word}{joint}1"
                    for word in ("status", "code", "rc", "STATUS", "CODE", "RC")
                    for joint in (" ", "=", ": ")
                ),
            ),
            r"^[^\w(]{0,8}(?:20\d\d-\d\d-\d\d[T ])?(?:\d\d:\d\d:\d\d\S{0,6}\W{0,3})?"
            r"(?i:(?:(?:the )?(?:job|script|command|training|task|run|program|python3?|srun|[\w./-]{1,40}\.(?:py|sh))(?: [\w./-]{1,30})?[:,]? )?"
            r"(?:is )?(?:over|done|ended|finished|exit(?:ed)?|left|returned|terminated|died)?[:,]?(?: 20\d\d-\S{5,12} [\d:.]{5,15})?"
            r"(?: with)?(?: an?)?(?: exit)? ?(?:status|code|rc)[ :=]{1,3}(?P<num>124|13[0-9]|14[0-3]))[^\w)]{0,6}$",
            "job eels: exit status 137",
            "(rc=124)",
            unless=r"^\s*(?:#(?!#)|\+|>|\$|//|echo\b|export\b)",
            num_unit="exit_code",
            quoted=True,  # a script may set it off by hashes
        ),
        Pattern(
            # What bash -x shows of a command is what it does, with the value of each variable.
            "traced_exit",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            ("+ exit 1",),
            r"^\+{1,4} exit (?P<num>124|13[0-9]|14[0-3])$",
            "+ exit 124",
            "+ exit 124 # by timeout, said the page",
            num_unit="exit_code",
            quoted=True,  # it is no text: bash writes it as it goes
        ),
        Pattern(
            "own_return",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            tuple(f"{word} 1" for word in ("returned", "exited", "exited with", "ended with", "left with")),
            r"(?i:\b(?:training|trainer|train|job|script|command|program|python3?|[\w./-]{1,40}\.(?:py|sh))(?: [\w./-]{1,30})?"
            r" (?:returned|(?:exited|ended|left)(?: with)?) (?P<num>124|13[0-9]|14[0-3])(?: after \d{1,7}(?:\.\d+)? ?(?:s|sec(?:onds)?|min(?:utes)?|h))?)[^\w)]{0,6}$",
            "entrypoint: training returned 124 after 30s",
            "the job returned 124 rows",
            unless=r"^\s*(?:#(?!#)|\+|>|\$|//|echo\b|export\b)",
            num_unit="exit_code",
        ),
        # airflow/jobs/local_task_job_runner.py and task_runner: the name of psutil's enumeration of negative statuses
        Pattern(
            "airflow_task",
            Kind.LAUNCHER_FAILURE,
            "confirmation",
            ("Task exited with return code ", "Command exited with return code "),
            r"(?:Task|Command) exited with return code (?P<subject>Negsignal\.SIG(?!TERM)\w+|-?[1-9]\d{0,2})\b",
            "{local_task_job_runner.py:266} INFO - Task exited with return code Negsignal.SIGKILL",
            "{local_task_job_runner.py:266} INFO - Task exited with return code 0",
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
