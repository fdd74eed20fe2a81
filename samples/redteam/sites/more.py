"""More incidents, of other mechanisms: written after the first score of ``cases.py``, committed before their own. SIMULATED."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from .cases import CASES, FAILING, SCARY, _crash, _tail, case, lsf, story_crash, story_healthy, story_oom
from .scene import Scene, Truth, outside, undecidable
from .wraps import _z

if TYPE_CHECKING:
    import random

_BEFORE = frozenset(CASES)


# --- exports of collectors in other forms ---------------------------------------------------------------------------
def _file(s: Scene, name: str, value: object) -> None:
    """The lines of the scene as ``value`` in a file of their own; none as a log."""
    s.files[name] = json.dumps(value)
    s.lines = []


@case
def loki_api(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng)
    truth = story_healthy(s)
    pairs = [[str(int(t * 1e9)), x] for t, _, x in reversed(s.lines)]
    _file(s, "query_range.json", {"status": "success", "data": {"resultType": "streams", "result": [{"stream": {"pod": s.pod(0), "app": s.run}, "values": pairs}]}})  # fmt: skip
    return s, truth


@case
def elastic_hits(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng)
    truth = story_oom(s)
    hits = [{"_index": "logs-1", "_id": f"{i:x}", "_source": {"@timestamp": _z(t, 3), "message": x, "kubernetes": {"pod": {"name": s.pod(0)}, "node": {"name": s.nodes[0]}}, "log": {"offset": i}}} for i, (t, _, x) in enumerate(s.lines)]  # fmt: skip
    _file(s, "search.json", {"took": 11, "timed_out": False, "hits": {"total": {"value": len(hits)}, "hits": hits}})
    return s, truth


@case
def aws_events(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng)
    truth = story_crash(s)
    events = [{"timestamp": int(t * 1000), "message": x, "ingestionTime": int(t * 1000) + 812} for t, _, x in s.lines]
    _file(s, "log-events.json", {"events": events, "nextForwardToken": "f/38", "nextBackwardToken": "b/38"})
    return s, truth


@case
def docker_partial(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way()
    s.say("config: " + "x" * 40000)
    truth = story_crash_here(s)
    rows = []
    for t, _, x in s.lines:
        whole = x + "\n"
        rows += [json.dumps({"log": whole[i : i + 16384], "stream": "stdout", "time": _z(t)}, separators=(",", ":")) for i in range(0, len(whole), 16384)]  # fmt: skip
    s.lines = []
    s.files["c-json.log"] = "\n".join(rows) + "\n"
    return s, truth


def story_crash_here(s: Scene) -> Truth:
    s.trace("RuntimeError: shape '[8, 512]' is invalid for input of size 4088", [0])
    return Truth("A1", why="the job's own traceback")


@case
def vector_records(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng)
    truth = FAILING[rng.randrange(len(FAILING))](s)
    rows = [json.dumps({"file": "/var/log/pods/x/0.log", "host": s.nodes[0], "message": x, "source_type": "kubernetes_logs", "timestamp": _z(t)}) for t, _, x in s.lines]  # fmt: skip
    s.lines = []
    s.files["vector.ndjson"] = "\n".join(rows) + "\n"
    return s, truth


@case
def azure_table(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng)
    truth = story_crash(s)
    rows = [{"TimeGenerated": _z(t, 3), "Computer": s.nodes[0], "ContainerName": s.container, "PodName": s.pod(0), "LogMessage": x} for t, _, x in s.lines]  # fmt: skip
    _file(s, "ContainerLogV2.json", rows)
    return s, truth


# --- how containers ended, in other forms ----------------------------------------------------------------------------
def _pod_json(
    s: Scene, node: int, states: list[tuple[str, bool, dict[str, object]]], phase: str = "Failed", **status: object
) -> dict[str, object]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": s.pod(node), "namespace": s.namespace, "uid": s.uids[node]},
        "spec": {
            "nodeName": s.nodes[node],
            "containers": [{"name": n, "resources": {"limits": {"memory": "400Gi", **({"nvidia.com/gpu": "4"} if gpu else {})}}} for n, gpu, _ in states],
        },
        "status": {"phase": phase, **status, "containerStatuses": [{"name": n, "lastState": {}, "state": st, "restartCount": 0} for n, _, st in states]},
    }  # fmt: skip


def _over(s: Scene, reason: str, code: int) -> dict[str, object]:
    return {"terminated": {"exitCode": code, "reason": reason, "startedAt": s.iso(s.start), "finishedAt": s.iso()}}


@case
def pods_json_oom(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=2, wrap="kubectl")
    s.under_way()
    items = [
        _pod_json(s, 0, [("main", True, _over(s, "Error", 1)), ("istio-proxy", False, _over(s, "Completed", 0))]),
        _pod_json(s, 1, [("istio-proxy", False, _over(s, "Completed", 0)), ("main", True, _over(s, "OOMKilled", 137))]),
    ]
    s.files["pods.json"] = json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=4)
    return s, Truth("A2", also=["C2"], why="one pod of two beyond its memory limit, the other ended with 1")


@case
def pods_json_evicted(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, wrap="kubectl")
    s.under_way()
    pod = _pod_json(
        s,
        0,
        [("main", True, _over(s, "Error", 137))],
        reason="Preempting",
        message="Preempted in order to admit critical pod",
    )
    s.files["pod.json"] = json.dumps(pod)
    return s, Truth("F2", why="the kubelet made room for a critical pod")


@case
def pods_table(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, wrap="kubectl")
    s.under_way()
    s.files["get-pods.txt"] = (
        f"NAME{' ' * 30}READY   STATUS      RESTARTS   AGE\n{s.pod(0):33} 0/1     OOMKilled   0          71m\n"
    )
    return s, Truth("A2", why="OOMKilled, in kubectl's table")


@case
def events_json(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, wrap="kubectl")
    s.under_way()
    item = {"kind": "Event", "involvedObject": {"kind": "Pod", "name": s.pod(0)}, "reason": "Preempted", "message": f"Preempted by pod {s.uids[1]} on node {s.nodes[0]}", "lastTimestamp": s.iso(), "type": "Normal", "source": {"component": "default-scheduler"}}  # fmt: skip
    s.files["events.json"] = json.dumps({"apiVersion": "v1", "kind": "EventList", "items": [item]})
    return s, Truth("F2", why="preempted, by an event")


@case
def crictl_inspect(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, wrap="cri")
    s.under_way()
    s.files["crictl-inspect.json"] = json.dumps({"status": {"id": s.uids[0], "metadata": {"attempt": 0, "name": "main"}, "state": "CONTAINER_EXITED", "exitCode": 137, "reason": "OOMKilled", "finishedAt": s.iso(), "labels": {"io.kubernetes.pod.name": s.pod(0)}}, "info": {}}, indent=2)  # fmt: skip
    return s, Truth("A2", why="containerd's own word: OOMKilled")


@case
def backoff_limit(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, wrap="kubectl")
    s.t += 12
    s.trace(
        "ModuleNotFoundError: No module named 'flash_attn'",
        [0],
        [("/workspace/train.py", 9, "<module>", "import flash_attn")],
    )
    s.files["job.txt"] = (
        f"Name:             {s.run}\nNamespace:        {s.namespace}\nStatus:  Failed\nEvents:\n  Type     Reason                Age   From            Message\n  ----     ------                ----  ----            -------\n  Warning  BackoffLimitExceeded  12s   job-controller  Job has reached the specified backoff limit\n"
    )
    return s, Truth("A1", why="a package is missing, at every try")


@case
def volcano_evicted(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, wrap="kubectl")
    s.under_way()
    s.files["events.txt"] = (
        f"LAST SEEN   TYPE      REASON   OBJECT                MESSAGE\n31s         Warning   Evict    pod/{s.pod(0)}   Pod is evicted, because of preempt\n"
    )
    return s, Truth("F2", why="Volcano made room")


@case
def image_pull(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    pod = _pod_json(
        s,
        0,
        [
            (
                "main",
                True,
                {"waiting": {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "registry/x:1"'}},
            )
        ],
        phase="Pending",
    )
    s.files["pod.json"] = json.dumps(pod)
    return s, Truth("A1", also=["outside_families"], why="the image cannot be had; nothing began")


# --- batch systems, in other forms ---------------------------------------------------------------------------------------
@case
def sacct_long(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way()
    a, b = (datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%dT%H:%M:%S") for t in (s.start, s.t))
    head = "JobID|JobIDRaw|JobName|Partition|MaxVMSize|MaxVMSizeNode|MaxRSS|MaxRSSNode|AveRSS|NTasks|AllocCPUS|Elapsed|State|ExitCode|ReqMem|ConsumedEnergy|AllocTRES|TRESUsageInMax|Start|End|NodeList"
    rows = [f"{s.job}|{s.job}|train|gpu||||||||01:11:02|OUT_OF_MEMORY|0:125|400G||billing=8,gres/gpu=4,mem=400G,node=1||{a}|{b}|{s.nodes[0]}", f"{s.job}.batch|{s.job}.batch|batch||0|{s.nodes[0]}|419430400K|{s.nodes[0]}|419430400K|1|48|01:11:02|OUT_OF_MEMORY|0:125||0||cpu=03:11:02,mem=400G|{a}|{b}|{s.nodes[0]}"]  # fmt: skip
    s.files["sacct-l.txt"] = "\n".join([head, *rows]) + "\n"
    return s, Truth("A2", why="OUT_OF_MEMORY in sacct -l")


@case
def seff(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way()
    s.files["seff.txt"] = (
        f"Job ID: {s.job}\nCluster: c1\nUser/Group: kim/kim\nState: OUT_OF_MEMORY (exit code 0)\nNodes: 1\nCores per node: 48\nCPU Utilized: 03:11:02\nCPU Efficiency: 5.59% of 2-08:49:36 core-walltime\nJob Wall-clock time: 01:11:02\nMemory Utilized: 399.98 GB\nMemory Efficiency: 99.99% of 400.00 GB\n"
    )
    return s, Truth("A2", why="seff's state")


@case
def show_job(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way(0.7)
    a, b = (datetime.fromtimestamp(t, UTC).strftime("%Y-%m-%dT%H:%M:%S") for t in (s.start, s.t))
    s.files["scontrol.txt"] = (
        f"JobId={s.job} JobName=train\n   UserId=kim(2001) GroupId=kim(2001) MCS_label=N/A\n   Priority=1 Nice=0 Account=ml QOS=normal\n   JobState=TIMEOUT Reason=TimeLimit Dependency=(null)\n   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:15\n   RunTime=01:00:11 TimeLimit=01:00:00 TimeMin=N/A\n   SubmitTime={a} EligibleTime={a}\n   StartTime={a} EndTime={b} Deadline=N/A\n   Partition=gpu AllocNode:Sid=login1:881\n   NodeList={s.nodes[0]}\n   NumNodes=1 NumCPUs=48 NumTasks=1\n"
    )
    return s, Truth("F3", why="JobState=TIMEOUT")


@case
def lsf_history(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way()
    s.files["bhist.txt"] = (
        f"\nJob <{s.job}>, User <kim>, Project <default>, Command <python train.py>\nThu Nov 20 10:03:01: Submitted from host <login1>, to Queue <gpu>, CWD <$HOME/run>;\nThu Nov 20 10:03:05: Dispatched 48 Task(s) on Host(s) <{s.nodes[0]}>;\nThu Nov 20 11:12:51: Exited with exit code 137. The CPU time used is 10803.1 seconds;\nThu Nov 20 11:12:51: Completed <exit>; TERM_MEMLIMIT: job killed after reaching LSF memory usage limit;\n\nMEMORY USAGE:\nMAX MEM: 390.9 Gbytes;  AVG MEM: 201.4 Gbytes\n"
    )
    return s, Truth("A2", why="LSF's memory limit, in bhist -l")


@case
def pbs_full(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way()
    s.files["qstat-xf.txt"] = (
        f"Job Id: {s.job}.pbs01\n    Job_Name = train\n    Job_Owner = kim@login1\n    resources_used.mem = 391204112kb\n    resources_used.walltime = 01:11:02\n    job_state = F\n    exec_host = {s.nodes[0]}/0*48\n    Resource_List.walltime = 04:00:00\n    comment = Job run at Thu Nov 20 at 10:03 on ({s.nodes[0]}:ncpus=48) and failed\n    Exit_status = 265\n"
    )
    return s, Truth("A2", also=["cannot_decide"], why="status 265 is 256 and SIGKILL")


_tail(
    "condor-signal",
    "005 ({job}.000.000) 11/20 11:12:51 Job terminated.\n\t(0) Abnormal termination (signal 9)\n\t(0) No core file\n\t\tUsr 0 03:11:02, Sys 0 00:10:41  -  Run Remote Usage\n...",
    Truth("A2", also=["cannot_decide"], why="signal 9, by HTCondor"),
)
_tail(
    "condor-done",
    "005 ({job}.000.000) 11/20 11:12:51 Job terminated.\n\t(1) Normal termination (return value 0)\n\t\tUsr 0 03:11:02, Sys 0 00:10:41  -  Run Remote Usage\n...",
    Truth("G1", why="returned 0"),
    whole=True,
)
_tail(
    "condor-removed",
    "009 ({job}.000.000) 11/20 11:12:51 Job was aborted.\n\tvia condor_rm (by user kim)\n...",
    outside("the user removed it", "cannot_decide"),
)
_tail(
    "nomad-oom",
    '{iso}  Terminated  Exit Code: 137, Exit Message: "OOM Killed"\n{iso}  Not Restarting  Policy allows no restarts',
    Truth("A2", why="Nomad's word"),
)
_tail(
    "yarn-memory",
    "ERROR YarnScheduler: Lost executor 3 on {node}: Container killed by YARN for exceeding memory limits. 22.1 GB of 22 GB physical memory used. Consider boosting spark.yarn.executor.memoryOverhead.",
    Truth("A2", why="YARN's memory limit"),
)
_tail(
    "modal-preempted",
    "Runner interrupted due to worker preemption. Your Function will be restarted with the same input.",
    Truth("F2", why="Modal's word"),
)
_tail(
    "actions-limit",
    "##[error]The job running on runner gpu-3 has exceeded the maximum execution time of 360 minutes.",
    Truth("F3", why="the runner's limit"),
)
_tail("actions-cancel", "##[error]The operation was canceled.", outside("cancelled in the web page", "cannot_decide"))
_tail(
    "jenkins-timeout",
    "Cancelling nested steps due to timeout\nSending interrupt signal to process\nTerminated\nscript returned exit code 143\nTimeout has been exceeded\nFinished: ABORTED",
    Truth("F3", why="Jenkins' timeout"),
)
_tail(
    "jenkins-abort",
    "Aborted by kim\nSending interrupt signal to process\nTerminated\nscript returned exit code 143\nFinished: ABORTED",
    outside("a person aborted it"),
)
_tail(
    "ray-stopped",
    "Job 'raysubmit_x' was stopped\nStatus message: Job was intentionally stopped.",
    outside("stopped by its user", "cannot_decide"),
)
_tail(
    "ssh-gone",
    "client_loop: send disconnect: Broken pipe",
    undecidable("the session is gone; what became of the run nobody says", "outside_families"),
)
_tail(
    "quota",
    'Traceback (most recent call last):\n  File "/workspace/train.py", line 90, in save\n    torch.save(sd, path)\nOSError: [Errno 122] Disk quota exceeded',
    outside("the quota was full at a save", "A1"),
)
_tail(
    "systemd-oom",
    "Nov 20 11:12:51 {node} systemd[1]: train.service: A process of this unit has been killed by the OOM killer.\nNov 20 11:12:51 {node} systemd[1]: train.service: Main process exited, code=killed, status=9/KILL\nNov 20 11:12:51 {node} systemd[1]: train.service: Failed with result 'oom-kill'.",
    Truth("A2", why="systemd's word"),
)
_tail(
    "systemd-runtime",
    "Nov 20 11:12:51 {node} systemd[1]: train.service: Service reached runtime time limit. Stopping.\nNov 20 11:12:52 {node} systemd[1]: train.service: Failed with result 'timeout'.",
    Truth("F3", why="RuntimeMaxSec"),
)
_tail(
    "spot-itn",
    "{iso} WARN aws-node-termination-handler: Received spot interruption notice (ITN): instance-action terminate at {iso}",
    Truth("F2", also=["cannot_decide"], why="a notice that the machine is taken away"),
)

_TB = 'Traceback (most recent call last):\n  File "/workspace/train.py", line 311, in <module>\n    main()\n  File "/workspace/train.py", line 204, in main\n    loss = step(batch)\n'
_crash(
    "jax-runtime-oom",
    "2025-11-20 11:12:51.113345: W external/xla/xla/tsl/framework/bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 8.00GiB (rounded to 8589934592)requested by op \n"
    + _TB
    + "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 8589934592 bytes.",
    Truth("B1", why="the GPU's allocator, by XLA"),
)
_crash(
    "jax-nan",
    _TB + "FloatingPointError: invalid value (nan) encountered in jit(train_step)",
    Truth("E1", why="jax_debug_nans"),
)
_crash(
    "anomaly",
    _TB + "RuntimeError: Function 'LogSoftmaxBackward0' returned nan values in its 0th output.",
    Truth("E1", why="autograd's anomaly mode"),
)
_crash(
    "duplicate-gpu",
    "{node}:4101:4312 [0] init.cc:943 NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 4f000\n"
    + _TB.replace("loss = step(batch)", "model = DDP(model)")
    + "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.21.5\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank 1 and rank 0 both on CUDA device 4f000",
    Truth("A1", why="two ranks on one GPU"),
    started=False,
)
_crash(
    "unused-parameters",
    _TB
    + "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your module has parameters that were not used in producing loss. Parameter indices which did not receive grad for rank 3: 12 13",
    Truth("A1", why="DDP's own check of the model"),
)
_crash(
    "lustre-108",
    _TB + "OSError: [Errno 108] Cannot send after transport endpoint shutdown: '/lustre/data/shard-0012.bin'",
    Truth("A1", why="the file system went away under the job"),
)
_crash(
    "keras-load",
    _TB.replace("loss = step(batch)", "model.load_weights(path)")
    + "ValueError: Layer 'dense' expected 2 variables, but received 0 variables during loading. Expected: ['kernel', 'bias']",
    Truth("E2", why="Keras: weights of another model"),
    started=False,
)
_crash(
    "header",
    'Traceback (most recent call last):\n  File "/workspace/train.py", line 88, in <module>\n    trainer.train(resume_from_checkpoint=True)\n  File "/opt/conda/lib/python3.11/site-packages/transformers/trainer.py", line 2800, in _load_from_checkpoint\n    state_dict = safetensors.torch.load_file(weights_file)\nsafetensors_rust.SafetensorError: Error while deserializing header: incomplete metadata, file not fully covered',
    Truth("E2", why="a checkpoint cut short"),
    started=False,
)
_crash(
    "client-socket",
    _TB.replace("loss = step(batch)", "dist.init_process_group('nccl')")
    + "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to (10.4.0.11, 29500).",
    Truth("C1", why="the coordinator was never reached"),
    started=False,
    nodes=2,
)
_crash(
    "unique-id",
    _TB.replace("loss = step(batch)", "dist.barrier()")
    + "torch.distributed.DistBackendError: [3] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: wait timeout after 600000ms, keys: /default_pg/0//cuda//0",
    Truth("C1", why="rank 0 never gave its id"),
    started=False,
    nodes=2,
)
_crash(
    "gloo-wait",
    _TB.replace("loss = step(batch)", "dist.all_reduce(t)")
    + "RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 1800000ms for recv operation to complete",
    Truth("C2", why="a peer that never sent"),
    nodes=2,
)


@case
def restarted_from_scratch(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, speaker=rng.choice(["plain", "fairseq", "megatron"]))
    s.under_way(0.6)
    s.say("WARNING: could not load checkpoint out/latest (No such file or directory), starting from scratch", None, 90)
    s.done = 0
    s.under_way(0.4)
    return s, Truth("E2", also=["cannot_decide"], why="begun anew from nothing, although a checkpoint had been saved")


@case
def xid_since_boot(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way()
    s.trace("RuntimeError: CUDA error: unknown error", [1])
    up = 412345.0
    s.files["dmesg.txt"] = (
        f"[    4.112233] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.05\n[{up:12.6f}] NVRM: Xid (PCI:0000:4f:00): 119, pid=4102, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x4).\n[{up + 6:12.6f}] NVRM: Xid (PCI:0000:4f:00): 119, pid=4102, name=python, Timeout after 6s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x4).\n"
    )
    return s, Truth("B2", why="XID 119: the GPU's own processor does not answer")


# --- nvidia-smi's own loop beside a log ------------------------------------------------------------------------------------
def _smi(s: Scene, states: list[tuple[float, float, dict[int, str]]], every: float = 15.0) -> None:
    """``nvidia-smi --query-gpu=... --format=csv -l 15`` of four or eight GPUs; states by time: compute, wait, idle, hot."""
    rows = ["timestamp, index, uuid, utilization.gpu [%], utilization.memory [%], memory.used [MiB], memory.total [MiB], temperature.gpu, power.draw [W], clocks.current.sm [MHz], clocks_throttle_reasons.hw_thermal_slowdown, clocks_throttle_reasons.sw_power_cap"]  # fmt: skip
    rng, t = s.rng, s.start
    uuids = [f"GPU-{s._uid()}" for _ in range(s.g)]
    while t < s.t:
        by = next((who for a, b, who in states if a <= t < b), {})
        for k in range(s.g):
            state = by.get(k, by.get(-1, "idle"))
            util, mem, temp, watt, clock, hot = {
                "compute": (rng.randint(94, 100), rng.randint(50, 70), 64, 610, 1755, "Not Active"),
                "wait": (100, rng.randint(0, 1), 47, 168, 1755, "Not Active"),
                "idle": (0, 0, 36, 112, 1755, "Not Active"),
                "starved": (rng.choice([0, 0, 0, 0, 3]), 0, 37, 118, 1755, "Not Active"),
                "hot": (100, rng.randint(30, 40), 89, 300, 690, "Active"),
            }[state]
            stamp = datetime.fromtimestamp(t, UTC).strftime("%Y/%m/%d %H:%M:%S") + f".{int(t % 1 * 1000):03d}"
            rows.append(f"{stamp}, {k}, {uuids[k]}, {util} %, {mem} %, {61200 if state != 'idle' or by else 4} MiB, 81559 MiB, {temp + rng.randint(-1, 1)}, {watt + rng.uniform(-9, 9):.2f} W, {clock} MHz, {hot}, Not Active")  # fmt: skip
        t += every
    s.files["gpu.csv"] = "\n".join(rows) + "\n"


@case
def smi_healthy(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, gpus=4)
    s.begin(s.every * 60)
    began = s.t
    s.train(s.total)
    for line in s.speaker.end(s.t, 0, s.done):
        s.say(line)
    _smi(s, [(began, s.t, {-1: "compute"})])
    return s, Truth("G1", why="busy GPUs, a run to its planned end")


@case
def smi_frozen(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, gpus=8)
    s.begin(s.every * 120)
    began = s.t
    s.train(max(s.total // 2, int(900 / s.step_s)))
    froze, lost = s.t, rng.randrange(8)
    s.t += rng.uniform(1500, 2500)
    s.say("slurmstepd: error: *** JOB 1 ON gpu1 CANCELLED AT " + s.iso()[:19] + " ***")
    _smi(s, [(began, froze, {-1: "compute"}), (froze, s.t, {-1: "wait", lost: "idle"})])
    return s, Truth("C2", ranks=[lost], why="seven GPUs at 100 % and 170 W for half an hour, one at nothing")


@case
def smi_hot(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, gpus=4)
    s.begin(s.every * 120)
    began = s.t
    s.train(s.total // 2)
    slow = s.t
    s.step_s *= 2.4
    s.train(s.total - s.done)
    for line in s.speaker.end(s.t, 0, s.done):
        s.say(line)
    _smi(s, [(began, slow, {-1: "compute"}), (slow, s.t, {-1: "wait", 2: "hot"})])
    return s, Truth("B3", why="GPU 2 at 89 C and 690 MHz, all steps 2.4 times as long from then on")


@case
def smi_starved(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, gpus=1)
    s.step_s = 0.3
    s.every = 5
    s.begin(200)
    began = s.t
    s.train(200, data_s=12.0)
    for line in s.speaker.end(s.t, 0, s.done):
        s.say(line)
    _smi(s, [(began, s.t, {-1: "starved"})])
    return s, Truth("D1", why="one GPU, nearly never busy, steps of twelve seconds")


@case
def two_failures_one_bundle(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way()
    s.say("WARNING: CUDA out of memory in validation batch 12, skipped", None, 5)
    s.train(s.every * 3)
    s.trace("IndexError: index 32000 is out of bounds for dimension 0 with size 32000", [2])
    return s, Truth("A1", why="an out-of-memory that was skipped, then the job's own crash")


@case
def quoted_failures(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.begin(s.every * 50)
    s.train(s.total // 2)
    for line in (
        "sample[3]: 'Status: OOMKilled. Exit Code: 137. What does it mean?'",
        "generated: slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2025-11-20T11:12:51 DUE TO TIME LIMIT ***",
        "eval prompt=TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.",
        "INFO retention policy: evicted checkpoint 3, preempted checkpoint 4",
        *rng.sample(SCARY, 2),
    ):
        s.say(line)
    s.train(s.total - s.done)
    for line in s.speaker.end(s.t, 0, s.done):
        s.say(line)
    return s, Truth("G1", why="a model that is trained on logs prints them")


@case
def lsf_array_done(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way()
    s.trace("TypeError: forward() got an unexpected keyword argument 'num_items_in_batch'", [0])
    lsf(s, "Exited with exit code 1.")
    return s, Truth("A1", why="a traceback, then LSF's report")


NAMES = tuple(name for name in CASES if name not in _BEFORE)
"""The incidents of this module."""
