"""What runs jobs, other than Slurm and torchrun: containers, batch systems, clouds, Ray (A2, F1, F2, F3).

Sources of the texts: kubelet, kube-controller-manager, Kueue, PBS's mom, LSF's mbatchd (lsb.events), Grid Engine's
execd, HTCondor's user log, Flux, GitLab's runner, AWS Batch, SageMaker, Vertex AI, SkyPilot, Ray's raylet. Lines that
begin with ``kubernetes:`` or ``docker:`` are those of `inquest.bundle.imports.containers`.
"""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from typing import Final

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import Pattern, of
from inquest.analyze.programs import TIMED_OUT

_EVENT = r"\s{0,8}(?:\S{1,20} {1,20})?(?:Normal|Warning) {1,20}"
"""How a line of kubectl's table of events begins, up to its reason: pasted below a log by whoever asks for help."""
_UNIT = r"\bsystemd(?:\[\d{1,8}\])?: (?P<subject>[\w@\\:.-]{1,200}\.(?:service|scope)): "
_DAEMON = r"systemd(?:\[\d+\])?: (?:Stopping )?(?:systemd-|dbus|cron|ssh|slurm|munge|docker|containerd|kubelet|crio|podman|snap|nv|dcgm|user@|session-|init\.|getty|serial-|network|NetworkManager|rsyslog|chrony|ntp|apt-|unattended|polkit|udisks|multipathd|rpc|nfs|lustre|autofs|ib|opensm|node_exporter|prometheus)"
"""Units of daemons: their end is not the job's."""
_GONE: Final = ("unusable", "unreachable", "offline", "lost", "dead", "down", "not_ready", "NotReady", "Unreachable")
"""States of a machine that answers no more."""

PATTERNS = (
    *of(
        "kube",
        Pattern(
            "oom_killed",
            Kind.BATCH_MEMORY_LIMIT,
            "root",
            ("OOMKilled", "OOM Killed"),
            # Of a container that ended so; kubectl describe and get -o json or yaml pasted into a log; Flyte. A policy
            # on it, or zero of them, is none.
            r"^(?:kubernetes: (?:container \S+ of pod \S+ terminated:|pod \S+ is) OOMKilled|docker: container \S+ exited, OOMKilled)"
            r"|^\s*(?:[Rr]eason\"?: *\"?OOMKilled\b|(?:\{.{0,400})?\"OOMKilled\": *true)|terminated with exit code \(\d+\)\. Reason \[OOMKilled\]"
            r"|Exit Message: \"OOM Killed\"",
            "      Reason:       OOMKilled",
            "alerts: none; restart policy on OOMKilled: double the memory",
        ),
        Pattern(
            "evicted",
            Kind.BATCH_MEMORY_LIMIT,
            "root",
            ("The node was low on resource: memory",),
            r"The node was low on resource: (?P<subject>memory)\b",
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: 68Mi. Container trainer was using 498Gi.",
            "The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi.",
        ),
        Pattern(
            "evicted_disk",
            Kind.DISK_FULL,
            "root",
            ("The node was low on resource: ephemeral-storage", "ephemeral local storage usage exceeds"),
            r"(?:The node was low on resource: |Pod )(?P<subject>ephemeral(?:-storage| local storage))\b",
            "Pod ephemeral local storage usage exceeds the total limit of containers 50Gi.",
            "The ephemeral local storage usage exceeds what we planned",
        ),
        Pattern(
            "exit",
            Kind.TASK_EXIT,
            "confirmation",
            (", exit code ",),
            r"^(?:kubernetes: container (?P<subject>\S+) of pod \S+ terminated: [^,]{1,80}|docker: container \S+ exited(?:, OOMKilled)?), exit code (?P<num>[1-9]\d*)",
            "kubernetes: container pytorch of pod train-0 terminated: Error, exit code 137",
            "kubernetes: container pytorch of pod train-0 terminated before its restart: Error, exit code 1",
            num_unit="exit_code",
        ),
        Pattern(
            "completed",
            Kind.CLEAN_EXIT,
            "marker",
            (", exit code 0",),
            r"^(?:kubernetes: container (?P<subject>\S+) of pod \S+ terminated: [^,]{1,80}|docker: container \S+ exited), exit code 0$",
            "kubernetes: container pytorch of pod train-0 terminated: Completed, exit code 0",
            "kubernetes: container pytorch of pod train-0 terminated before its restart: Completed, exit code 0",
        ),
        Pattern(
            "job_succeeded",
            Kind.CLEAN_EXIT,
            "marker",
            ("kubernetes: job ",),
            r"^kubernetes: job (?P<subject>\S+) succeeded: ",
            "kubernetes: job rm-8b succeeded: PyTorchJobSucceeded: PyTorchJob rm-8b is successfully completed.",
            "kubernetes: job rm-8b failed: PyTorchJobFailed: PyTorchJob rm-8b is failed because 1 Worker replica(s) failed.",
        ),
        Pattern(
            "restarted",
            Kind.RESTART,
            "marker",
            (" terminated before its restart: ",),
            r"^kubernetes: container (?P<subject>\S+) of pod \S+ terminated before its restart: ",
            "kubernetes: container pytorch of pod train-0 terminated before its restart: Error, exit code 1",
            "kubernetes: container pytorch of pod train-0 terminated: Error, exit code 1",
        ),
        Pattern(
            "waits",
            Kind.COMMAND_FAILED,
            "root",
            (" waits: ",),
            r"^kubernetes: container \S+ of pod \S+ waits: (?P<subject>ImagePullBackOff|ErrImagePull|InvalidImageName|CreateContainer(?:Config)?Error|RunContainerError)\b",
            "kubernetes: container pytorch of pod train-0 waits: ImagePullBackOff: Back-off pulling image",
            "kubernetes: container pytorch of pod train-0 waits: ContainerCreating: ",
        ),
        Pattern(
            "preempted",
            Kind.PREEMPTED,
            "root",
            (
                "kubernetes: event Preempted",
                "kubernetes: event EvictedDueToPreempted",
                "Preempted by pod ",
                "Preempted by a pod ",
                "Preempted to accommodate a workload",
                "in response to imminent node shutdown",
                "Preempted in order to admit critical pod",
                "Pod is evicted, because of ",
                ": DisruptionTarget: ",
                "Preempted to accommodate a higher priority",
            ),
            # A table of events, the conditions of ``kubectl describe workload``, and what imports/containers.py writes.
            rf"^{_EVENT}(?:Preempted|EvictedDueToPreempted) .{{1,300}}Preempted by (?:a )?pod\b"
            rf"|^{_EVENT}(?:Evicted|Preempted|EvictedDueToPreempted) .{{1,300}}Preempted to accommodate a (?:higher priority )?workload\b"
            r"|^\s{2,12}Message: {1,40}Preempted to accommodate a (?:higher priority )?[Ww]orkload\b"
            r"|^kubernetes: (?:event (?:Preempted|EvictedDueToPreempted) of|.{1,300}(?:: Preempted to accommodate a workload|in response to imminent node shutdown|: Preempted in order to admit critical pod"
            r"|: Pod is evicted, because of (?:preempt|reclaim)))",
            "kubernetes: event Preempted of train-0: Preempted by pod f5ff0ce4-731f on node gpu-7",
            "kubernetes: event FailedScheduling of train-0: 0/12 nodes are available. preemption: 0/12 nodes are available: No preemption victims found",
        ),
        Pattern(
            "node_lost",
            Kind.NODE_FAILURE,
            "root",
            (
                "kubernetes: event NodeNotReady",
                "kubernetes: event TaintManagerEviction",
                ": NodeLost: ",
                "NodeNotReady ",
            ),
            rf"^{_EVENT}NodeNotReady .{{1,300}}Node is not ready$"
            r"|^kubernetes: (?:event (?:NodeNotReady|TaintManagerEviction) of \S+:|pod \S+ \S*: NodeLost: )",
            "kubernetes: event NodeNotReady of train-1: Node is not ready",
            "kubernetes: event NodeReady of train-1: Node is ready",
        ),
        Pattern(
            "deadline",
            Kind.TIME_LIMIT,
            "root",
            ("active longer than specified deadline", "active on the node longer than the specified deadline"),
            rf"^(?:kubernetes: .{{1,300}}|{_EVENT}DeadlineExceeded .{{0,300}}|DeadlineExceeded: ?)(?:Job|Pod|because it) was active (?:on the node )?longer than (?:the )?specified deadline",
            "kubernetes: event DeadlineExceeded of train: Job was active longer than specified deadline",
            "kubernetes: event FailedMount of train-0: rpc error: code = DeadlineExceeded desc = context deadline exceeded",
        ),
        Pattern(
            "xid",
            Kind.XID,
            "root",
            ("XidCriticalError: Xid=",),
            r"XidCriticalError: Xid=(?P<num>\d+) on Device=(?P<subject>(?:GPU|MIG)-[0-9a-f-]+)",
            "I1120 11:12:40.113401       1 health.go:185] XidCriticalError: Xid=79 on Device=GPU-7f31c0de-1d1f-4a5b-8c1e-0a1b2c3d4e5f; marking device as unhealthy.",
            "skipping XidCriticalError: Xid=31 by configuration",
            num_unit="xid",
        ),
    ),
    *of(
        "pbs",
        Pattern(
            "walltime",
            Kind.TIME_LIMIT,
            "root",
            ("PBS: job killed: walltime",),
            r"^=>> PBS: job killed: walltime \d+ exceeded limit \d+",
            "=>> PBS: job killed: walltime 3610 exceeded limit 3600",
            "see PBS: job killed: walltime",
        ),
        Pattern(
            "memory",
            Kind.BATCH_MEMORY_LIMIT,
            "root",
            ("PBS: job killed: mem", "PBS: job killed: vmem", "Cgroup mem"),
            r"^(?:=>> PBS: job killed: v?mem \d+\w* exceeded limit \d+|Cgroup mem(?:ory|sw) limit exceeded: )",
            "=>> PBS: job killed: mem 8400000kb exceeded limit 8388608kb",
            "see PBS: job killed: mem",
        ),
        # ``qstat -f -x`` and ``tracejob``; 256 and a signal's number where one ended the job's shell. Numbers below zero
        # are PBS' own: what it killed the job for.
        Pattern(
            "exit",
            Kind.TASK_EXIT,
            "confirmation",
            ("Exit_status",),
            r"^\s*(?:\d\d/\d\d/20\d\d .{0,40})?\bExit_status ?= ?(?P<num>[1-9]\d*)\b",
            "    Exit_status = 265",
            "    Exit_status = 0",
            num_unit="exit_code",
        ),
        Pattern(
            "success",
            Kind.CLEAN_EXIT,
            "marker",
            ("Exit_status",),
            r"^\s*(?:\d\d/\d\d/20\d\d .{0,40})?\bExit_status ?= ?0(?: |$)",
            "    Exit_status = 0",
            "    Exit_status = -29",
        ),
        Pattern(
            "told_walltime",
            Kind.TIME_LIMIT,
            "root",
            ("Exit_status",),
            r"^\s*(?:\d\d/\d\d/20\d\d .{0,40})?\bExit_status ?= ?-29\b",
            "    Exit_status = -29",
            "    Exit_status = 29",
        ),
        Pattern(
            "told_memory",
            Kind.BATCH_MEMORY_LIMIT,
            "root",
            ("Exit_status",),
            r"^\s*(?:\d\d/\d\d/20\d\d .{0,40})?\bExit_status ?= ?-2[67]\b",
            "    Exit_status = -27",
            "    Exit_status = 27",
        ),
        Pattern(
            # mom_comm.c: who is told by TCP that one of the job's other machines closed its end
            "sister_lost",
            Kind.NODE_FAILURE,
            "root",
            ("PBS: job killed: node ",),
            r"^=>> PBS: job killed: node \d+ \((?P<subject>[^\s()]{1,253})\) requested job (?:terminate|die), (?:'EOF'|.{0,60}\bSISTER_EOF\b)",
            "=>> PBS: job killed: node 2 (n012) requested job terminate, 'EOF' (code 1099) - received SISTER_EOF attempting to"
            " communicate with sister MOM's",
            "=>> PBS: job killed: node 2 (n012) requested job terminate, 'TASK' (code 1) - user asked",
        ),
    ),
    *of(
        "lsf",
        Pattern(
            "run_limit",
            Kind.TIME_LIMIT,
            "root",
            ("TERM_RUNLIMIT: ", "TERM_DEADLINE: ", "TERM_WINDOW: ", "TERM_CPULIMIT: "),
            r"^(?:.{0,60}(?:Completed <exit>|Exited(?: with exit code \d{1,3}| by signal \d{1,2})?)[;.,] )?TERM_(?:RUNLIMIT|DEADLINE|WINDOW|CPULIMIT): job killed ",
            "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
            "see TERM_RUNLIMIT: the run limit",
        ),
        # Azure Pipelines: of a job, and of a step.
        Pattern(
            "agent_limit",
            Kind.TIME_LIMIT,
            "root",
            ("##[error]The job running on agent ", "##[error]The task has timed out"),
            r"^##\[error\]The (?:task has timed out|job running on agent .{1,200} ran longer than the maximum time of (?P<num>\d+) minutes)",
            "##[error]The job running on agent gpu 2 ran longer than the maximum time of 60 minutes. For more information, see",
            "##[error]The task has failed",
            num_unit="min",
            quoted=True,
        ),
        Pattern(
            "memory_limit",
            Kind.BATCH_MEMORY_LIMIT,
            "root",
            ("TERM_MEMLIMIT: ", "TERM_SWAP: "),
            r"^(?:.{0,60}(?:Completed <exit>|Exited(?: with exit code \d{1,3}| by signal \d{1,2})?)[;.,] )?TERM_(?:MEMLIMIT|SWAP): job killed after reaching LSF (?:memory|swap) usage limit",
            "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.",
            "see TERM_MEMLIMIT: the limit",
        ),
        Pattern(
            "preempted",
            Kind.PREEMPTED,
            "root",
            ("TERM_PREEMPT: ",),
            r"^(?:.{0,60}(?:Completed <exit>|Exited(?: with exit code \d{1,3}| by signal \d{1,2})?)[;.,] )?TERM_PREEMPT: job killed ",
            "TERM_PREEMPT: job killed after preemption.",
            "see TERM_PREEMPT: a job of higher priority",
        ),
        Pattern(
            "requeued",
            Kind.REQUEUED,
            "root",
            ("TERM_REQUEUE_",),
            r"^(?:.{0,60}(?:Completed <exit>|Exited(?: with exit code \d{1,3}| by signal \d{1,2})?)[;.,] )?TERM_REQUEUE_(?P<subject>OWNER|ADMIN|RC): job killed and requeued",
            "TERM_REQUEUE_ADMIN: job killed and requeued by root or LSF administrator.",
            "see TERM_REQUEUE_OWNER: requeued",
        ),
        Pattern(
            "owner",
            Kind.SCHEDULER_TERM,
            "root",
            ("TERM_OWNER", "TERM_ADMIN", "TERM_FORCE_OWNER", "TERM_FORCE_ADMIN", "TERM_EXTERNAL_SIGNAL"),
            r"^(?:.{0,60}Completed <exit>; )?(?P<subject>TERM_(?:FORCE_)?(?:OWNER|ADMIN)|TERM_EXTERNAL_SIGNAL): job killed",
            "TERM_OWNER: job killed by owner.",
            "TERM_OWNER means the owner",
        ),
        Pattern(
            "exit",
            Kind.TASK_EXIT,
            "confirmation",
            ("Exited with exit code ",),
            r"^Exited with exit code (?P<num>\d+)\.$",
            "Exited with exit code 140.",
            "srun: error: node02: task 3: Exited with exit code 7",
            num_unit="exit_code",
        ),
        Pattern(
            "success",
            Kind.CLEAN_EXIT,
            "marker",
            ("Successfully completed.",),
            r"^Successfully completed\.$",
            "Successfully completed.",
            "Successfully completed. Next one",
        ),
    ),
    # Which unit is the job's, a line does not tell: families/_units.py.
    *of(
        "systemd",
        Pattern(
            "oom",
            Kind.BATCH_MEMORY_LIMIT,
            "root",
            ("Failed with result 'oom-kill'", "has been killed by the OOM killer"),
            rf"{_UNIT}(?:Failed with result 'oom-kill'|A process of this unit has been killed by the OOM killer)",
            "Nov 20 09:31:51 gpu7 systemd[1]: pretrain.service: Failed with result 'oom-kill'.",
            "Nov 20 09:31:51 gpu7 systemd[1]: dockerd.service: Failed with result 'oom-kill'.",
            unless=_DAEMON,
        ),
        Pattern(
            "killed",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("Main process exited, code=killed", "Main process exited, code=dumped"),
            rf"{_UNIT}Main process exited, code=(?:killed|dumped), status=(?P<num>\d{{1,3}})/",
            "Nov 20 09:31:51 gpu7 systemd[1]: pretrain.service: Main process exited, code=killed, status=9/KILL",
            "Nov 20 09:31:51 gpu7 systemd[1]: slurmd.service: Main process exited, code=killed, status=9/KILL",
            unless=_DAEMON,
            num_unit="signal",
        ),
        Pattern(
            "exited",
            Kind.TASK_EXIT,
            "confirmation",
            ("Main process exited, code=exited",),
            rf"{_UNIT}Main process exited, code=exited, status=(?P<num>\d{{1,3}})",
            "Nov 20 09:31:51 gpu7 systemd[1]: pretrain.service: Main process exited, code=exited, status=1/FAILURE",
            "Nov 20 09:31:51 gpu7 systemd[1]: nvidia-persistenced.service: Main process exited, code=exited, status=1/FAILURE",
            unless=_DAEMON,
            num_unit="exit_code",
        ),
        Pattern(
            "deactivated",
            Kind.CLEAN_EXIT,
            "confirmation",
            ("Deactivated successfully.", ".service: Succeeded."),
            # A scope's end tells of no status.
            r"\bsystemd(?:\[\d{1,8}\])?: (?P<subject>[\w@\\:.-]{1,200}\.service): (?:Deactivated successfully|Succeeded)\.$",
            "Nov 20 11:57:52 gpu7 systemd[1]: pretrain.service: Deactivated successfully.",
            "Nov 20 11:57:52 gpu7 systemd[1]: docker.service: Deactivated successfully.",
            unless=_DAEMON,
        ),
        Pattern(
            "time_limit",
            Kind.TIME_LIMIT,
            "root",
            ("reached runtime time limit. Stopping",),
            rf"{_UNIT}(?:Service|Scope) reached runtime time limit\. Stopping",
            "Nov 20 11:57:51 gpu7 systemd[1]: pretrain.service: Service reached runtime time limit. Stopping.",
            "pretrain.service: RuntimeMaxSec=14400 is the runtime time limit",
            unless=_DAEMON,
        ),
        Pattern(
            "stopped",
            Kind.SCHEDULER_TERM,
            "root",
            (": Stopping ",),
            r"\bsystemd(?:\[\d{1,8}\])?: Stopping (?P<subject>[\w@\\:.-]{1,200}\.(?:service|scope))\b",
            "Nov 20 11:57:51 gpu7 systemd[1]: Stopping pretrain.service - Pretraining of the small model...",
            "Nov 20 11:57:51 gpu7 systemd[1]: Stopping docker.service - Docker Application Container Engine...",
            unless=_DAEMON,
        ),
    ),
    *of(
        "batch",
        Pattern(
            "time_limit",
            Kind.TIME_LIMIT,
            "root",
            (
                " exceeded hard wallclock ",
                "job.exception type=timeout",
                "ERROR: Job failed: execution took longer than ",
                "Job attempt duration exceeded timeout",
                "MaxRuntimeExceeded",
                "AirflowTaskTimeout: Timeout",
                "Cancelling nested steps due to timeout",
                "TimeoutExpired: Command ",
            ),
            # Grid Engine, Flux, GitLab, AWS Batch, SageMaker, Airflow, Jenkins, a program that runs the training
            r"(?:\bjob (?:\d+(?:\.\d+)? )?exceeded hard wallclock (?:time|limit)\b|\bjob\.exception type=timeout\b|^ERROR: Job failed: execution took longer than"
            r"|[sS]tatusReason\"?: \"?Job attempt duration exceeded timeout|(?:^|\s|\")(?:Secondary)?Status\"?: \"?MaxRuntimeExceeded|^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d MaxRuntimeExceeded - "
            r"|^airflow\.exceptions\.AirflowTaskTimeout: Timeout"
            rf"|^subprocess\.{TIMED_OUT}"
            r"|^Cancelling nested steps due to timeout$)",
            "ERROR: Job failed: execution took longer than 1h0m0s seconds",
            "config: {'on': 'MaxRuntimeExceeded'}",
        ),
        Pattern(
            "preempted",
            Kind.PREEMPTED,
            "root",
            (
                "Job was evicted.",
                "Cluster preempted or in a failed state",
                "Managed Spot Training: ",
                "Status: Interrupted",
                "because the VM was preempted",
                "Runner interrupted due to worker preemption",
            ),
            # HTCondor, SkyPilot, SageMaker, Vertex AI, Modal
            r"(?:^004 \([\d.]+\) \S+ \S+ Job was evicted\.|Cluster preempted or in a failed state|SecondaryStatus\"?: \"?Interrupted"
            r"|Managed Spot Training: .{0,40}reclaimed|exited with a non-zero status of \d+ because the VM was preempted|^Runner interrupted due to worker preemption)",
            "The replica workerpool0-0 exited with a non-zero status of 143 because the VM was preempted.",
            "the plan if Job was evicted.",
        ),
        Pattern(
            # What agents on instances that may be taken back say of the cloud's notice.
            "spot_notice",
            Kind.PREEMPTED,
            "root",
            (
                "pot interruption",
                "pot instance",
                "pot termination",
                "reemption notice",
                "nterruption notice",
                "reemptible",
                "reemption signal",
            ),
            r"(?i:\b(?:spot|preemptible|preemption|interruption|rebalance)\b.{0,40}\b(?:notice|warning|signal|event|interruption|termination|preemption)\b"
            r" (?:was |has been )?(?P<subject>received|detected|issued|arrived)\b"
            r"|(?:^|[\]>|:!-] ?|\b(?:info|warn|warning|notice) )(?:received|got|detected|caught) (?:an? |the )?(?:\w+ )?(?:spot|preemptible|preemption|interruption|rebalance)\b"
            r".{0,40}\b(?:notice|warning|signal|event|interruption|termination)\b)",
            "WARN spot interruption notice received: instance will be terminated in 2 minutes",
            "watching for spot interruption notices",
            unless=r"(?i)\b(?:no|if|when|until|whether|not)\b",
        ),
        Pattern(
            # The same in the words of a job's own watch.
            "taken_back",
            Kind.PREEMPTED,
            "root",
            (
                "pot reclaim",
                "ot reclaimed",
                "takes this ",
                "take this ",
                "reclaimed by ",
                "be reclaimed in ",
                "reclaims this ",
                "reclaiming this ",
            ),
            r"(?i:\b(?:cloud|provider|scheduler|spot|azure|aws|gcp|ec2)\b.{0,30}\b(?P<subject>takes? this (?:machine|node|instance|vm) (?:back|away)"
            r"|reclaim(?:s|ed|ing)? this (?:machine|node|instance|vm)|reclaim(?:ed)?\)?$)|\bthis (?:machine|node|instance|vm) (?:is|was|will be) (?:being )?reclaimed (?:by|in \d))",
            "!! the cloud takes this machine back in 120 s (spot reclaim)",
            "the pool takes this machine for tests",
            unless=r"(?i)\b(?:no|if|when|until|whether|not|may|can)\b",
        ),
        Pattern(
            # What a job says that was told to make room for another.
            "asked_to_make_room",
            Kind.PREEMPTED,
            "root",
            ("reempt", "higher priority", "higher-priority"),
            r"(?i:\b(?:got|received|caught|on) (?:a )?SIG(?:TERM|USR1|USR2)\b.{0,20}\b(?P<subject>preempt(?:ion|ed|ing)|higher[- ]priority)\b"
            r"|(?:^|[\]>|:!-] ?|\b(?:info|warn|warning|notice) )(?:(?:this |the )?(?:job|run|task|we) (?:is|was|were|are|has been|have been|got) )?(?:being )?(?:preempted|evicted|displaced) by (?:an? |the )?(?:other )?(?:\w+ )?(?:job|user|task|run|partition|queue|higher[- ]priority)\b)",
            "Received SIGTERM, preemption by a higher priority job: saving state",
            "jobs of this queue may be preempted by a job of higher priority",
            unless=r"(?i)\b(?:no|if|when|until|whether|not|may|can|could|will|might|handler|handling|on sig\w+ )\b",
        ),
        Pattern(
            # What EC2's metadata and Azure's scheduled events say, as an agent prints it.
            "told_action",
            Kind.PREEMPTED,
            "root",
            ("instance-action", "instance action", '"Preempt"'),
            r"(?:\binstance[- ]action\b[^{}]{0,80}\{[^{}]{0,80}[\"']action[\"']: ?[\"'](?P<subject>terminate|stop|hibernate)[\"']"
            r"|\binstance[- ]action:? (?:terminate|stop|hibernate) (?:in \d{1,4} ?s|at 2\d{3}-)"
            r"|[\"']EventType[\"']: ?[\"']Preempt[\"'])",
            '2026-11-18T10:11:02Z imds: instance-action {"action": "terminate", "time": "2026-11-18T10:13:00Z"}',
            "GET /latest/meta-data/spot/instance-action 404",
        ),
        Pattern(
            # HTCondor's user log
            "condor_success",
            Kind.CLEAN_EXIT,
            "marker",
            ("Normal termination (return value 0)",),
            r"^\s{1,8}\(1\) Normal termination \(return value 0\)$",
            "\t(1) Normal termination (return value 0)",
            "(1) Normal termination (return value 0) is what we want",
        ),
        Pattern(
            "condor_exit",
            Kind.TASK_EXIT,
            "confirmation",
            ("Normal termination (return value ",),
            r"^\s{1,8}\(1\) Normal termination \(return value (?P<num>[1-9]\d{0,2})\)$",
            "\t(1) Normal termination (return value 2)",
            "\t(1) Normal termination (return value 0)",
            num_unit="exit_code",
        ),
        Pattern(
            "condor_signal",
            Kind.SIGNAL_DEATH,
            "confirmation",
            ("Abnormal termination (signal ",),
            r"^\s{1,8}\(0\) Abnormal termination \(signal (?P<num>\d{1,2})\)$",
            "\t(0) Abnormal termination (signal 9)",
            "\t(1) Normal termination (return value 9)",
            num_unit="signal",
        ),
        Pattern(
            # Of a machine that answered no more until its lease was over: the reason of events 024, and 022 above it.
            "condor_lease",
            Kind.NODE_FAILURE,
            "root",
            ("LeaseDuration (", "Job lease expired"),
            r"^\s{1,8}Job (?:disconnected too long: JobLeaseDuration \(\d{1,9} seconds\)|lease) expired\.?$",
            "    Job disconnected too long: JobLeaseDuration (2400 seconds) expired",
            "    Job not found at execution machine",
        ),
        Pattern(
            # What imports/job_services.py writes of an attempt whose machine was taken, where another one followed.
            "attempt_again",
            Kind.REQUEUED,
            "root",
            ("aws-batch: attempt ",),
            r"^aws-batch: attempt \d{1,3} of (?P<subject>\S{1,200}) ended: Host EC2 \(instance i-\w+\) terminated\.; attempt \d{1,3} began$",
            "aws-batch: attempt 1 of fit ended: Host EC2 (instance i-0a91be) terminated.; attempt 2 began",
            "aws-batch: attempt 1 of fit ended: Essential container in task exited, exit code 1; attempt 2 began",
        ),
        Pattern(
            "attempt_restarted",
            Kind.RESTART,
            "marker",
            ("aws-batch: attempt ",),
            r"^aws-batch: attempt \d{1,3} of (?P<subject>\S{1,200}) ended: .{0,400}; attempt \d{1,3} began$",
            "aws-batch: attempt 1 of fit ended: Essential container in task exited, exit code 1; attempt 2 began",
            "aws-batch: attempt 3 of fit ended: Essential container in task exited, exit code 1",
        ),
        Pattern(
            "attempt_exit",
            Kind.TASK_EXIT,
            "confirmation",
            ("aws-batch: attempt ",),
            r"^aws-batch: attempt \d{1,3} of (?P<subject>\S{1,200}) ended: .{0,400}, exit code (?P<num>[1-9]\d{0,2})$",
            "aws-batch: attempt 3 of fit ended: Essential container in task exited, exit code 137",
            "aws-batch: attempt 1 of fit ended: Essential container in task exited, exit code 1; attempt 2 began",
            num_unit="exit_code",
        ),
        Pattern(
            "service_success",
            Kind.CLEAN_EXIT,
            "marker",
            ("aws-batch: job ", "sagemaker: "),
            r"^(?:aws-batch: job (?P<subject>\S{1,200}) is SUCCEEDED$|sagemaker: Completed: )",
            "aws-batch: job fit is SUCCEEDED",
            "aws-batch: job fit is FAILED",
        ),
        Pattern(
            "sagemaker_interrupted",
            Kind.PREEMPTED,
            "root",
            ("sagemaker: Interrupted",),
            r"^sagemaker: (?P<subject>Interrupted): ",
            "sagemaker: Interrupted: Training job interrupted, waiting for capacity",
            "sagemaker: Training: Training image download completed. Training in progress.",
        ),
        Pattern(
            "sagemaker_limit",
            Kind.TIME_LIMIT,
            "root",
            ("sagemaker: MaxRuntimeExceeded", "sagemaker: MaxWaitTimeExceeded"),
            r"^sagemaker: (?P<subject>Max(?:Runtime|WaitTime)Exceeded): ",
            "sagemaker: MaxRuntimeExceeded: Training job runtime exceeded MaxRuntimeInSeconds provided",
            "sagemaker: Stopped: Training job stopped",
        ),
        Pattern(
            # azureml's context managers, below the last line of the script
            "azureml_success",
            Kind.CLEAN_EXIT,
            "marker",
            ("The experiment completed successfully.",),
            r"^(?:\[[\dT:.Z-]{10,40}\] )?The experiment completed successfully\. Finalizing run",
            "[2026-11-18T09:40:01.118204] The experiment completed successfully. Finalizing run...",
            "The experiment completed successfully. More are to come",
        ),
        Pattern(
            # Determined's ResourcesStopped
            "determined_success",
            Kind.CLEAN_EXIT,
            "marker",
            ("esources exited successfully with a zero exit code",),
            r"(?:^|\|\| (?:INFO: )?)[Rr]esources exited successfully with a zero exit code$",
            "[2026-11-18T09:30:50.000000Z] a1b2 || INFO: resources exited successfully with a zero exit code",
            "assert 'resources exited successfully with a zero exit code' in log",
        ),
        Pattern(
            # AWS Batch's description of a job, pasted below its log
            "aws_success",
            Kind.CLEAN_EXIT,
            "marker",
            ('"SUCCEEDED"',),
            r'^\s{0,8}\{.{0,400}"job(?:Name|Id)".{0,400}"status": ?"SUCCEEDED"',
            '{"jobName": "fit", "status": "SUCCEEDED", "container": {"exitCode": 0}}',
            '{"wants": "SUCCEEDED", "status": "RUNNABLE"}',
        ),
        Pattern(
            # The message of the operation by which Compute Engine takes an instance back.
            "gce_preempted",
            Kind.PREEMPTED,
            "root",
            (
                *("Instance was preempted", "compute.instances.preempted", "shutdown-script: ", "instance/preempted"),
                *("preempted=TRUE", "preempted: TRUE", "preempted TRUE", "preempted = TRUE"),
                "TERMINATE_ON_HOST_MAINTENANCE",
            ),
            # What is behind the last word is of the instance's own script, which looks at its metadata.
            r"(?:\bInstance was preempted\.|\binstance/preempted\b.{0,12}\bTRUE\b|\bshutdown-script: (?:\w+ ){0,4}?(?i:preempted)\b|\boperationType[\"']?: ?[\"']?compute\.instances\.preempted\b"
            # A row of gcloud's list of operations; what the metadata server answers to who asks it.
            r"|^\s{0,4}systemevent-\S{1,60} +compute\.instances\.preempted +\S|\bpreempted(?: ?[=:] ?| )TRUE\b"
            r"|\bmaintenance[-_ ]event\b.{0,40}\bTERMINATE_ON_HOST_MAINTENANCE\b)",
            "statusMessage: Instance was preempted.",
            "filter by compute.instances.preempted in the console",
        ),
        Pattern(
            "host_down",
            Kind.NODE_FAILURE,
            "root",
            ("went down", "is down", "is unreachable", "was lost", "stopped responding"),
            # LSF's and PBS' word on the host that ran the job
            r"(?i:\b(?:execution|allocated|master execution) (?:host|node)s?(?: or allocated (?:host|node)s?)?:? <?(?P<subject>[\w.-]{1,80})>? "
            r"(?:went down|is down|was lost|is unreachable|stopped responding)\b)",
            "Tue Mar 11 09:30:11: Exited; the execution host or allocated hosts <g12> went down.",
            "the execution host g12 is downloading",
            unless=r"(?i)\b(?:if|when|whether|once)\b",
        ),
        Pattern(
            # What a pool of machines writes of one of them, as records: Azure Batch and its like
            "machine_gone",
            Kind.NODE_FAILURE,
            "root",
            tuple(f'state": "{state}"' for state in _GONE) + tuple(f'state":"{state}"' for state in _GONE),
            rf'^\s{{0,8}}\{{(?=.{{0,300}}"(?:node|nodeId|host|machine|instance|vm)": ?"(?P<subject>[\w.-]{{1,80}})")'
            rf'.{{0,300}}"(?:state|status)": ?"(?:{"|".join(_GONE)})"',
            '{"time": "2026-11-05T09:33:47Z", "node": "tvm_07a", "state": "unusable", "errors": ["NodeNotReachable"]}',
            '{"time": "2026-11-05T09:33:47Z", "node": "tvm_07a", "state": "rebooting"}',
        ),
        Pattern(
            # Open MPI and PRRTE, where the daemon on another machine answered no more: why, others have to tell.
            "daemon_lost",
            Kind.NODE_FAILURE,
            "confirmation",
            ("Remote daemon: [", "lost communication with a remote daemon on "),
            r"^\s{0,4}Remote daemon: \[\S{1,40}\] on node (?P<subject>[\w.-]{1,80})$"
            r"|\blost communication with a remote daemon on [\w.-]{1,80}$",
            "  Remote daemon: [[41022,0],2] on node c1-07",
            "ORTE has lost communication with a remote daemon.",
        ),
        Pattern(
            "runner_cancelled",
            Kind.CANCELLED,
            "root",
            ("##[error]The operation was cancel", "##[error]The run was cancel"),
            r"^##\[error\]The (?P<subject>operation|run) was cancell?ed\b",
            "##[error]The operation was canceled.",
            "echo ##[error]The operation was canceled.",
            quoted=True,
        ),
        Pattern(
            "runner_limit",
            Kind.TIME_LIMIT,
            "root",
            ("##[error]The job running on runner ",),
            r"^##\[error\]The job running on runner .{1,200} has exceeded the maximum execution time of (?P<num>\d+) minutes",
            "##[error]The job running on runner gpu-3 has exceeded the maximum execution time of 360 minutes.",
            "echo ##[error]The job running on runner gpu-3 has failed",
            num_unit="min",
            quoted=True,  # the sign is the runner's own, not a comment's
        ),
        Pattern(
            "memory_limit",
            Kind.BATCH_MEMORY_LIMIT,
            "root",
            (
                "gone over cgroup memory limit of ",
                "gone over memory limit of ",
                "killed due to memory pressure (OOM)",
                "killed due to the node running low on memory",
                "Container killed by YARN for exceeding ",
            ),
            # HTCondor; Ray's memory monitor, as the raylet and the driver say it
            r"(?:Job has gone over (?:cgroup )?memory limit of (?P<num>\d+) megabytes"
            r"|[1-9]\d* Workers \(tasks / actors\) killed due to memory pressure \(OOM\)"
            r"|^ray\.exceptions\.OutOfMemoryError: Task was killed due to the node running low on memory"
            r"|Container killed by YARN for exceeding (?:physical |virtual )?memory limits)",
            "Error from slot1_1@node1: Job has gone over cgroup memory limit of 409600 megabytes.",
            "0 Workers (tasks / actors) killed due to memory pressure (OOM)",
            num_unit="MB",
        ),
        Pattern(
            "node_failure",
            Kind.NODE_FAILURE,
            "root",
            ("The actor died because its node has died", "Host EC2 (instance "),
            # Ray; AWS Batch
            r"(?:The actor died because its node has died\.(?: Node Id: (?P<subject>\w+))?|Host EC2 \(instance (?:i-\w+)\) terminated\.(?!; attempt \d))",
            "The actor died because its node has died. Node Id: 9f3b01",
            "what if Host EC2 (instance i-0a) terminated",
        ),
        Pattern(
            # SageMaker's toolkit, which prints the last line of the script's traceback.
            "user_script",
            Kind.UNCAUGHT,
            "root",
            ('ErrorMessage "',),
            r'^ErrorMessage "(?P<subject>(?:\w+\.)*\w*(?:Error|Exception|Interrupt)\b[^"]{0,300})',
            'ErrorMessage "ValueError: Target size (torch.Size([8])) must be the same as input size',
            'ErrorMessage ""',
        ),
        Pattern(
            # dstack/_internal/core/models/runs.py: JobTerminationReason
            "dstack_duration",
            Kind.TIME_LIMIT,
            "root",
            ("max_duration_exceeded", "max duration exceeded"),
            r"(?i)\b(?:terminat|stopp|abort|fail)\w{0,6}\b.{0,60}\bmax[_ ]duration[_ ]exceeded\b",
            "The job is terminating: max_duration_exceeded",
            "termination reasons: none; max_duration_exceeded was not seen",
            unless=r"(?i)\bnot\b|\bnone\b",
        ),
        Pattern(
            # Azure Machine Learning's lifecycler, on nodes of low priority
            "azure_preempted",
            Kind.PREEMPTED,
            "root",
            ("Job was preempted", "reemption notice for "),
            r"(?:\bJob was preempted\b|\b[Rr]eceived preemption notice for (?:low[- ]priority|spot) node\b)",
            "[lifecycler] Job was preempted: the low-priority node was reclaimed.",
            "Jobs that were preempted are listed below",
        ),
        Pattern(
            # ray/dashboard/modules/job/cli.py, below the log that ``ray job submit`` follows
            "ray_success",
            Kind.CLEAN_EXIT,
            "marker",
            ("' succeeded",),
            r"^(?:\d{4}-\d\d-\d\d [\d:,]{8,12}\s{1,4}SUCC\s{1,4}\S{1,40} --)?\W{0,4}Job '[\w.-]{1,80}' succeeded\W{0,4}$",
            "2026-03-18 12:18:39,248\tSUCC cli.py:66 -- Job 'raysubmit_7VvKqWc3bTnU4h1E' succeeded",
            "Job 'raysubmit_7VvKqWc3bTnU4h1E' submitted successfully",
        ),
        Pattern(
            # sky/utils/ux_utils.py and sky/jobs/utils.py, below the log that ``sky logs`` shows
            "sky_success",
            Kind.CLEAN_EXIT,
            "marker",
            ("Job finished (status: SUCCEEDED",),
            r"^\W{0,4}(?:Managed )?[Jj]ob finished \(status: SUCCEEDED\)",
            "\u2713 Job finished (status: SUCCEEDED).",
            "Job finished (status: FAILED).",
        ),
        Pattern(
            # metaflow/plugins/retry_decorator.py and runtime.py
            "metaflow_retry",
            Kind.RESTART,
            "marker",
            ("Task is starting (retry",),
            r"^Task is starting \(retry\)\.$",
            "Task is starting (retry).",
            "Task is starting.",
        ),
        Pattern(
            # determined/master/internal/trial.go
            "determined_restart",
            Kind.RESTART,
            "marker",
            (" failed unexpectedly ",),
            r"\b[Tt]rial \d+.{0,80} failed unexpectedly \d+ times?, restarting\b",
            "Trial 18 failed unexpectedly 1 times, restarting (max restarts 5)",
            "Trial 18 failed unexpectedly 6 times",
        ),
        Pattern(
            # determined/master/internal/task/allocation.go; the agent's word on the container
            "determined_exit",
            Kind.TASK_EXIT,
            "confirmation",
            ("container failed with non-zero exit code: ",),
            r"\bcontainer failed with non-zero exit code: (?P<num>[1-9]\d{0,2})\b",
            "Resources exited: resources failed with non-zero exit code: container failed with non-zero exit code: 137",
            "container failed with non-zero exit code: unknown",
            num_unit="exit_code",
        ),
        Pattern(
            # Grid Engine's accounting (qacct) on what ended a job: sge_qmaster or execd at a limit of time
            "sge_time_limit",
            Kind.TIME_LIMIT,
            "root",
            ("qmaster enforced h_rt", "execd enforced h_rt", "exceeded hard wallclock time"),
            r"^failed +\d+ *: (?:qmaster|execd) enforced (?P<subject>h_rt)\b|\bexceeded hard wallclock time\b",
            "failed       37  : qmaster enforced h_rt, h_cpu, or h_vmem limit",
            "failed       100 : assumedly after job",
        ),
        Pattern(
            "sge_exit",
            Kind.TASK_EXIT,
            "confirmation",
            ("exit_status  ",),
            r"^exit_status  +(?P<num>[1-9]\d*)(?: +\(\w+\))? *$",
            "exit_status  137                  (Killed)",
            "exit_status  0",
            num_unit="exit_code",
        ),
        Pattern(
            "sge_success",
            Kind.CLEAN_EXIT,
            "marker",
            ("exit_status  ",),
            r"^exit_status  +0 *$",
            "exit_status  0",
            "exit_status  unknown",
        ),
    ),
)
