"""The incidents and their truth, written and committed before the engine saw one of them. SIMULATED.

``around-WRAP.STORY``: one story in every form that runtimes and collectors of logs give a line. The others are what
batch systems, clouds, launchers and frameworks say in words of their own, each with what must not be taken for it.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from .scene import Scene, Truth, outside, undecidable
from .wraps import WRAPS

if TYPE_CHECKING:
    from collections.abc import Callable

Build = "Callable[[str, random.Random], tuple[Scene, Truth]]"
CASES: dict[str, Callable[[str, random.Random], tuple[Scene, Truth]]] = {}


def case(
    function: Callable[[str, random.Random], tuple[Scene, Truth]],
) -> Callable[[str, random.Random], tuple[Scene, Truth]]:
    """Register a builder under its own name."""
    CASES[function.__name__.replace("_", "-")] = function
    return function


def build(name: str, seed: int) -> tuple[Scene, Truth]:
    """The incident ``name`` of a seed."""
    return CASES[name](name, random.Random(f"sites:{seed}:{name}"))


# --- one story in every form ------------------------------------------------------------------------------------
def story_crash(s: Scene) -> Truth:
    s.under_way()
    r = s.rng.randrange(s.world)
    s.trace("KeyError: 'attention_mask'", [r])
    return Truth("A1", why="a traceback of the job's own code")


def story_oom(s: Scene) -> Truth:
    s.under_way()
    r = s.rng.randrange(s.world)
    s.trace(
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU {r % s.g} has a total capacity of 79.15 GiB"
        " of which 1.21 GiB is free. Including non-PyTorch memory, this process has 77.92 GiB memory in use.",
        [r],
    )
    return Truth("B1", why="the allocator's own words")


def story_mismatch(s: Scene) -> Truth:
    s.begin(2000)
    s.trace(
        "RuntimeError: Error(s) in loading state_dict for GPT:\n\tsize mismatch for wte.weight: copying a param with shape"
        " torch.Size([50257, 768]) from checkpoint, the shape in current model is torch.Size([50304, 768]).",
        [0],
        [
            ("/workspace/train.py", 88, "<module>", "resume(model)"),
            ("/workspace/train.py", 41, "resume", "model.load_state_dict(sd)"),
        ],
    )
    return Truth("E2", why="the checkpoint does not fit the model")


def story_import(s: Scene) -> Truth:
    s.t += 9
    s.trace(
        "ImportError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
        range(s.world),
        [
            ("/workspace/train.py", 3, "<module>", "import ext"),
            ("/opt/ext/__init__.py", 1, "<module>", "from ext._C import f"),
        ],
    )
    return Truth("A1", why="a library of another toolkit")


def story_freeze(s: Scene) -> Truth:
    s.under_way()
    lost = s.rng.randrange(s.world)
    s.t += 600
    for r in range(s.world):
        if r != lost:
            s.say(
                f"[rank{r}]:[E ProcessGroupNCCL.cpp:629] [Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=812,"
                f" OpType=ALLREDUCE, NumelIn=16777216, NumelOut=16777216, Timeout(ms)=600000) ran for 6000{70 + r} milliseconds before"
                " timing out.",
                r,
                1,
            )
    return Truth("C2", why="all ranks but one timed out in the same collective")


def story_nan(s: Scene) -> Truth:
    at = 0
    s.curve = lambda n: s.falling(n) if n < at else float("nan")
    s.begin(s.every * 90)
    at = int(s.total * 0.4)
    s.train(s.total)
    for line in s.speaker.end(s.t, 0, s.done):
        s.say(line)
    return Truth("E1", why="the loss is NaN from 40 % on")


FAILING = (story_crash, story_oom, story_mismatch, story_import, story_freeze, story_nan)

SCARY = (
    "E0000 00:00:1757000000.123456   77 cuda_dnn.cc:8310] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered",
    "NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.",
    "[WARNING]  async_io requires the dev libaio .so object and headers but these were not found.",
    "UserWarning: resource_tracker: There appear to be 6 leaked semaphore objects to clean up at shutdown",
    "config: {'on_oom': 'raise', 'nan_action': 'error', 'timeout_s': 600, 'signal': 'SIGTERM', 'resume': None}",
    "WARNING: retrying download of shard 17 after ConnectionResetError (attempt 1/5)",
    "INFO: eval: hardest example: 'Traceback (most recent call last): how do I read it?'",
    "wandb: ERROR Error while calling W&B API: 502 Bad Gateway; retrying in the background",
    "UserWarning: CUDA out of memory is more likely without expandable_segments; see the docs",
)


def story_healthy(s: Scene) -> Truth:
    s.begin(s.every * 50)
    for line in s.rng.sample(SCARY, 4):
        s.train(s.total // 5)
        s.say(line)
    s.save()
    s.train(s.total - s.done)
    s.save()
    for line in s.speaker.end(s.t, 0, s.done):
        s.say(line)
    return Truth("G1", why="frightening lines, and a run to its planned end")


def _around(wrap: str, turn: int) -> None:
    def failing(name: str, rng: random.Random) -> tuple[Scene, Truth]:
        s = Scene(name, rng, wrap=wrap)
        return s, FAILING[(turn + rng.randrange(len(FAILING))) % len(FAILING)](s)

    def healthy(name: str, rng: random.Random) -> tuple[Scene, Truth]:
        s = Scene(name, rng, wrap=wrap)
        return s, story_healthy(s)

    CASES[f"around-{wrap.replace('_', '-')}.fails"] = failing
    CASES[f"around-{wrap.replace('_', '-')}.sound"] = healthy


for _turn, _wrap in enumerate(WRAPS):
    _around(_wrap, _turn)


# --- Kubernetes --------------------------------------------------------------------------------------------------
def describe(
    s: Scene,
    node: int,
    *,
    state: str,
    events: list[str],
    status: str = "Running",
    before: str = "",
    sidecar: str = "",
    restarts: int = 0,
) -> None:
    """What ``kubectl describe pod`` prints; ``state`` and ``before`` are indented lines of it."""
    s.files[f"describe-{s.pod(node)}.txt"] = (
        f"Name:             {s.pod(node)}\nNamespace:        {s.namespace}\nPriority:         0\nService Account:  default\n"
        f"Node:             {s.nodes[node]}/10.128.0.{14 + node}\nStart Time:       Thu, 20 Nov 2025 10:03:11 +0000\n"
        f"Labels:           job-name={s.run}\n                  training.kubeflow.org/replica-type=worker\nAnnotations:      <none>\n"
        f"Status:           {status}\nIP:               10.4.1.{14 + node}\nContainers:\n  {s.container}:\n"
        f"    Container ID:  containerd://{s.uids[node].replace('-', '')}{s.uids[node].replace('-', '')}\n"
        f"    Image:         nvcr.io/nvidia/pytorch:25.01-py3\n    Port:          <none>\n    Command:\n      torchrun\n      train.py\n"
        f"{state}{before}    Ready:          False\n    Restart Count:  {restarts}\n    Limits:\n      memory:          400Gi\n"
        f"      nvidia.com/gpu:  {s.g}\n    Requests:\n      cpu:             48\n      memory:          400Gi\n"
        f"    Environment:\n      NCCL_DEBUG:  INFO\n    Mounts:\n      /data from data (rw)\n{sidecar}"
        f"Conditions:\n  Type              Status\n  Initialized       True\n  Ready             False\nQoS Class:         Burstable\n"
        f"Node-Selectors:    <none>\nTolerations:       node.kubernetes.io/not-ready:NoExecute op=Exists for 300s\n"
        f"                   node.kubernetes.io/unreachable:NoExecute op=Exists for 300s\n                   nvidia.com/gpu:NoSchedule op=Exists\nEvents:\n"
        + (
            "  Type     Reason     Age   From               Message\n  ----     ------     ----  ----               -------\n"
            if events
            else ""
        )
        + "".join(f"  {line}\n" for line in events)
    )


def ended(s: Scene, reason: str, code: int, word: str = "State", signal: int = 0) -> str:
    return (
        f"    {word}:          Terminated\n      Reason:       {reason}\n"
        + (f"      Signal:       {signal}\n" if signal else "")
        + f"      Exit Code:    {code}\n      Started:      Thu, 20 Nov 2025 10:03:14 +0000\n      Finished:     Thu, 20 Nov 2025 11:12:51 +0000\n"
    )


def kube(name: str, rng: random.Random, **how: Any) -> Scene:  # noqa: ANN401
    return Scene(name, rng, wrap=rng.choice(["kubectl", "kubectl", "kubectl_prefix", "cri", "stern"]), **how)


@case
def kube_oom(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    describe(s, 0, state=ended(s, "OOMKilled", 137), events=[], status="Failed")
    return s, Truth("A2", why="the container's memory limit, by the kubelet")


@case
def kube_oom_yaml(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    s.files["pod.yaml"] = (
        f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: {s.pod(0)}\n  namespace: {s.namespace}\n  uid: {s.uids[0]}\nspec:\n  nodeName: {s.nodes[0]}\n"
        f"status:\n  containerStatuses:\n  - name: {s.container}\n    lastState: {{}}\n    state:\n      terminated:\n        exitCode: 137\n"
        f'        finishedAt: "{s.iso()}"\n        reason: OOMKilled\n  phase: Failed\n'
    )
    return s, Truth("A2", why="the container's memory limit, in YAML")


@case
def kube_sidecar_oom(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.whole()
    side = (
        "  log-shipper:\n    Image:          fluent/fluent-bit:3\n    State:          Running\n      Started:      Thu, 20 Nov 2025 10:31:00 +0000\n"
        "    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Ready:          True\n    Restart Count:  1\n"
    )
    describe(s, 0, state=ended(s, "Completed", 0), events=[], status="Succeeded", sidecar=side)
    return s, Truth("G1", why="a side car ran out of memory; the training completed")


@case
def kube_evicted(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    describe(s, 0, state=ended(s, "Error", 137), status="Failed\nReason:           Evicted\nMessage:          The node was low on resource: memory. Threshold quantity: 100Mi, available: 61012Ki. Container pytorch was using 391Gi, request is 200Gi, has larger consumption of memory. ", events=[
        "Warning  Evicted    12s   kubelet            The node was low on resource: memory. Threshold quantity: 100Mi, available: 61012Ki. Container pytorch was using 391Gi, request is 200Gi, has larger consumption of memory. ",
        "Normal   Killing    12s   kubelet            Stopping container pytorch",
    ])  # fmt: skip
    return s, Truth("A2", also=["F2"], why="evicted: the node had no memory left")


@case
def kube_evicted_disk(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    describe(s, 0, state=ended(s, "Error", 137), status="Failed\nReason:           Evicted", events=[
        "Warning  Evicted    12s   kubelet            Pod ephemeral local storage usage exceeds the total limit of containers 50Gi. ",
        "Normal   Killing    12s   kubelet            Stopping container pytorch",
    ])  # fmt: skip
    return s, outside("evicted for its scratch space", "A2", "F2")


@case
def kube_preempted(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    describe(s, 0, state=ended(s, "Error", 143), status="Failed", events=[
        f"Normal   Scheduled  91m   default-scheduler  Successfully assigned {s.namespace}/{s.pod(0)} to {s.nodes[0]}",
        f"Normal   Preempted  42s   default-scheduler  Preempted by pod {s.uids[1]} on node {s.nodes[0]}",
        "Normal   Killing    41s   kubelet            Stopping container pytorch",
    ])  # fmt: skip
    return s, Truth("F2", why="preempted by a pod of higher priority")


@case
def kube_kueue(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    s.files["events.txt"] = (
        "LAST SEEN   TYPE      REASON              OBJECT                       MESSAGE\n"
        f"92m         Normal    QuotaReserved       workload/pytorchjob-{s.run}   Quota reservation in ClusterQueue team-nlp, wait time since queued was 1s\n"
        f"31s         Normal    EvictedDueToPreempted   workload/pytorchjob-{s.run}   Preempted to accommodate a workload (UID: {s.uids[1]}, JobUID: {s.uids[0]}) due to prioritization in the ClusterQueue\n"
        f"30s         Normal    Stopped             pytorchjob/{s.run}            Preempted to accommodate a workload (UID: {s.uids[1]}, JobUID: {s.uids[0]}) due to prioritization in the ClusterQueue\n"
    )
    return s, Truth("F2", why="preempted by Kueue")


@case
def kube_spot(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    describe(s, 0, state=ended(s, "Error", 137), status="Failed\nReason:           Terminated\nMessage:          Pod was terminated in response to imminent node shutdown.", events=[
        "Warning  NodeShutdown  31s  kubelet          Pod was terminated in response to imminent node shutdown.",
    ])  # fmt: skip
    return s, Truth("F2", also=["F1"], why="the machine was taken away, with notice")


@case
def kube_node_lost(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng)
    s.under_way()
    describe(s, 1, state="    State:          Running\n      Started:      Thu, 20 Nov 2025 10:03:14 +0000\n", status="Terminating (lasts 3m)", events=[
        "Warning  NodeNotReady            8m    node-controller        Node is not ready",
        f"Normal   TaintManagerEviction    3m    taint-eviction-controller  Marking for deletion Pod {s.namespace}/{s.pod(1)}",
    ])  # fmt: skip
    s.files["nodes.txt"] = (
        "NAME                 STATUS     ROLES    AGE   VERSION\n"
        f"{s.nodes[0]}   Ready      <none>   31d   v1.31.4\n{s.nodes[1]}   NotReady   <none>   31d   v1.31.4\n"
    )
    return s, Truth("F1", nodes=[s.nodes[1]], why="the node of one pod stopped answering")


@case
def kube_deadline(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way(0.8)
    s.files["job.txt"] = (
        f"Name:             {s.run}\nNamespace:        {s.namespace}\nParallelism:      1\nCompletions:      1\nActive Deadline Seconds:  3600s\n"
        "Pods Statuses:    0 Active (0 Ready) / 0 Succeeded / 1 Failed\nEvents:\n  Type     Reason            Age   From            Message\n"
        f"  ----     ------            ----  ----            -------\n  Normal   SuccessfulCreate  60m   job-controller  Created pod: {s.pod(0)}\n"
        f"  Normal   SuccessfulDelete  12s   job-controller  Deleted pod: {s.pod(0)}\n"
        "  Warning  DeadlineExceeded  12s   job-controller  Job was active longer than specified deadline\n"
    )
    return s, Truth("F3", why="the job's active deadline")


@case
def kube_liveness(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    describe(s, 0, state=ended(s, "Error", 137), restarts=1, events=[
        "Warning  Unhealthy  2m (x3 over 3m)  kubelet  Liveness probe failed: Get \"http://10.4.1.14:8080/healthz\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
        "Normal   Killing    2m               kubelet  Container pytorch failed liveness probe, will be restarted",
    ])  # fmt: skip
    return s, Truth("A2", why="killed by the kubelet for its liveness probe")


@case
def kube_noise(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.whole()
    describe(s, 0, state=ended(s, "Completed", 0), status="Succeeded", events=[
        "Warning  FailedScheduling  96m   default-scheduler  0/12 nodes are available: 12 Insufficient nvidia.com/gpu. preemption: 0/12 nodes are available: 12 No preemption victims found for incoming pod.",
        "Warning  FailedMount       94m   kubelet            MountVolume.SetUp failed for volume \"data\" : rpc error: code = DeadlineExceeded desc = context deadline exceeded",
        "Normal   Pulled            93m   kubelet            Successfully pulled image \"nvcr.io/nvidia/pytorch:25.01-py3\" in 41s",
        "Warning  Unhealthy         92m   kubelet            Readiness probe failed: dial tcp 10.4.1.14:8080: connect: connection refused",
    ])  # fmt: skip
    return s, Truth("G1", why="events of a start that was slow, and a run that completed")


@case
def kube_exit_1(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    describe(s, 0, state=ended(s, "Error", 1), events=[], status="Failed")
    return s, undecidable("Exit Code 1 and no log", "A1")


@case
def kube_143(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    describe(
        s,
        0,
        state=ended(s, "Error", 143),
        events=["Normal   Killing    12s   kubelet            Stopping container pytorch"],
        status="Failed",
    )
    return s, undecidable("SIGTERM by the kubelet: deleted, scaled or drained, nobody says", "outside_families", "A2")


@case
def kube_restarted(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, wrap="kubectl", speaker=rng.choice(["plain", "megatron", "titan", "fairseq"]))
    s.under_way(0.6)
    s.files["previous.log"] = next(iter(dict(WRAPS["kubectl"](s)).values()))
    s.lines, s.done = [], 0
    s.t += 40
    s.under_way(0.3)
    describe(
        s,
        0,
        state="    State:          Running\n      Started:      Thu, 20 Nov 2025 11:13:14 +0000\n",
        before=ended(s, "Error", 1, "Last State"),
        restarts=1,
        events=[],
    )
    return s, Truth(
        "E2",
        also=["cannot_decide"],
        why="a container that was started anew began at step 0 although a checkpoint had been saved",
    )


_KUBEPODS = "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{uid}.slice/cri-containerd-{cid}.scope"


def _pod_oom(s: Scene, node: int, uid: str, task: str, t: float) -> None:
    """The kernel's words about a pod, as dmesg -T prints them."""
    from datetime import UTC, datetime

    path = _KUBEPODS.format(uid=uid.replace("-", "_"), cid=uid.replace("-", "") * 2)
    pid = s.rng.randint(20000, 900000)
    stamp = f"[{datetime.fromtimestamp(t, UTC):%a %b %e %H:%M:%S %Y}] "
    s.files[f"dmesg-{s.nodes[node]}.txt"] = (
        stamp + f"{task} invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=969\n"
        + stamp + f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={path.rpartition('/')[2]},mems_allowed=0-1,oom_memcg={path.rpartition('/')[0]},task_memcg={path},task={task},pid={pid},uid=0\n"
        + stamp + f"Memory cgroup out of memory: Killed process {pid} ({task}) total-vm:21120034kB, anon-rss:9820011kB, file-rss:91220kB, shmem-rss:8812kB, UID:0 pgtables:28112kB oom_score_adj:969\n"
    )  # fmt: skip


@case
def kube_others_oom(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.begin(s.every * 60)
    s.train(s.total // 2)
    _pod_oom(s, 0, s._uid(), rng.choice(["java", "python3", "envoy"]), s.t)
    s.train(s.total - s.done)
    for line in s.speaker.end(s.t, 0, s.done):
        s.say(line)
    return s, Truth("G1", why="another pod of the node was killed for memory; this run went to its end")


@case
def kube_others_oom_then_crash(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    _pod_oom(s, 0, s._uid(), "python3", s.t - 300)
    s.train(20)
    s.trace("ValueError: Expected input batch_size (8) to match target batch_size (7).", [0])
    return s, Truth("A1", why="another pod's OOM five minutes before the job's own traceback")


@case
def kube_others_oom_and_cut(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    _pod_oom(s, 0, s._uid(), "java", s.t - 2000)
    describe(
        s, 0, state="    State:          Running\n      Started:      Thu, 20 Nov 2025 10:03:14 +0000\n", events=[]
    )
    return s, undecidable("a pod that runs, a log that ends in mid-run, another pod's OOM half an hour before", "G1")


@case
def kube_ours_oom(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    _pod_oom(s, 0, s.uids[0], "python", s.t + 1)
    describe(s, 0, state=ended(s, "Error", 137), events=[], status="Failed")
    return s, Truth("A2", why="the kernel killed in this pod's group, and it ended with 137")


@case
def kube_one_of_many(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=4, gpus=1, wrap="kubectl")
    s.under_way()
    lost = rng.randrange(1, s.n)
    s.t += 3
    for r in range(s.world):
        if r != lost:
            s.trace(
                "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251, remote process exited or there was a network error, NCCL version 2.21.5\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.",
                [r],
            )
    describe(s, lost, state=ended(s, "OOMKilled", 137), events=[], status="Failed")
    return s, Truth("A2", also=["C2"], why="one pod of four was killed for memory; the others lost their peer")


@case
def kube_pytorchjob(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng)
    s.t += 20
    s.trace("FileNotFoundError: [Errno 2] No such file or directory: '/data/train/shard-00017.parquet'", [5])
    s.files["pytorchjob.yaml"] = (
        'apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nstatus:\n  conditions:\n  - lastTransitionTime: "2025-11-20T10:03:11Z"\n'
        f'    message: PyTorchJob {s.run} is created.\n    reason: PyTorchJobCreated\n    status: "True"\n    type: Created\n'
        f'  - message: PyTorchJob {s.run} is failed because 1 Worker replica(s) failed.\n    reason: PyTorchJobFailed\n    status: "True"\n    type: Failed\n'
    )
    return s, Truth("A1", why="a shard that is not there")


@case
def kube_device_plugin(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    s.trace(
        "RuntimeError: CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        [3],
    )
    s.files["device-plugin.log"] = (
        f"I{'1120'} 11:12:40.113345       1 health.go:159] Processing event {{Device:{{Handle:0x7f}} EventType:8 EventData:79 GpuInstanceId:4294967295 ComputeInstanceId:4294967295}}\n"
        f"I1120 11:12:40.113401       1 health.go:185] XidCriticalError: Xid=79 on Device=GPU-{s.uids[0]}; marking device as unhealthy.\n"
        f"I1120 11:12:40.113466       1 server.go:245] 'nvidia.com/gpu' device marked unhealthy: GPU-{s.uids[0]}\n"
    )
    return s, Truth("B2", why="XID 79, by the device plugin")


@case
def kube_xid_event(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = kube(name, rng, nodes=1)
    s.under_way()
    s.trace("RuntimeError: CUDA error: uncorrectable ECC error encountered", [2])
    describe(s, 0, state=ended(s, "Error", 1), events=[], status="Failed")
    s.files["events.txt"] = (
        "LAST SEEN   TYPE      REASON       OBJECT                MESSAGE\n"
        f"2m          Warning   XIDError     node/{s.nodes[0]}   NVRM: Xid (PCI:0000:4f:00): 48, pid=140231, name=python, An uncorrectable double bit error (DBE) has been detected on GPU\n"
    )
    return s, Truth("B2", why="a double bit error, by an event of the node and CUDA")


# --- other batch systems --------------------------------------------------------------------------------------------
def lsf(s: Scene, words: str, seconds: int = 3600) -> None:
    """The report LSF puts at the end of a job's output."""
    s.say(
        f"\n------------------------------------------------------------\nSender: LSF System <lsfadmin@{s.nodes[0]}>\nSubject: Job {s.job}: <train> in cluster <c1> {'Done' if 'Success' in words else 'Exited'}\n\n"
        f"Job <train> was submitted from host <login1> by user <kim> in cluster <c1> at Thu Nov 20 10:03:01 2025\nJob was executed on host(s) <{s.g}*{s.nodes[0]}>, in queue <gpu>, as user <kim> in cluster <c1> at Thu Nov 20 10:03:05 2025\n"
        "</home/kim> was used as the home directory.\n</home/kim/run> was used as the working directory.\n\nYour job looked like:\n\n------------------------------------------------------------\n# LSBATCH: User input\npython train.py\n------------------------------------------------------------\n\n"
        f"{words}\n\nResource usage summary:\n\n    CPU time :                                   {seconds * 3}.12 sec.\n    Max Memory :                                 391204 MB\n    Average Memory :                             201442.11 MB\n"
        f"    Total Requested Memory :                     400000.00 MB\n    Delta Memory :                               8796.00 MB\n    Max Swap :                                   -\n    Max Processes :                              41\n    Max Threads :                                912\n    Run time :                                   {seconds} sec.\n    Turnaround time :                            {seconds + 4} sec.\n\n\nThe output (if any) is above this job summary."
    )


def _lsf(name: str, words: str, truth: Truth, *, whole: bool = False) -> None:
    def make(title: str, rng: random.Random) -> tuple[Scene, Truth]:
        s = Scene(title, rng, nodes=1)
        if whole:
            s.whole()
        else:
            s.under_way()
        lsf(s, words)
        return s, truth

    CASES[name] = make


_lsf(
    "lsf-memory",
    "TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.\nExited with exit code 137.",
    Truth("A2", why="LSF's memory limit"),
)
_lsf(
    "lsf-signal-9",
    "Exited by signal 9. The CPU time used is 10803 seconds.",
    Truth("A2", also=["cannot_decide"], why="signal 9, by LSF; who sent it stays open"),
)
_lsf(
    "lsf-run-limit",
    "TERM_RUNLIMIT: job killed after reaching LSF run time limit.\nExited with exit code 140.",
    Truth("F3", why="LSF's run limit"),
)
_lsf("lsf-owner", "TERM_OWNER: job killed by owner.\nExited with exit code 130.", outside("the owner ended it"))
_lsf(
    "lsf-preempted",
    "TERM_PREEMPT: job killed after preemption.\nExited with exit code 130.",
    Truth("F2", why="preempted under LSF"),
)
_lsf(
    "lsf-requeued",
    "TERM_REQUEUE_OWNER: job killed and requeued by owner.\nExited with exit code 143.",
    Truth("F2", also=["outside_families"], why="requeued by its owner"),
)
_lsf("lsf-unknown", "Exited with exit code 1.", undecidable("exit code 1 in mid-run, and not a word why", "A1"))
_lsf("lsf-done", "Successfully completed.", Truth("G1", why="LSF calls it done, and so does the log"), whole=True)
_lsf(
    "lsf-deadline",
    "TERM_DEADLINE: job killed after deadline expires.\nExited with exit code 143.",
    Truth("F3", why="the queue's dead line"),
)
_lsf(
    "lsf-swap",
    "TERM_SWAP: job killed after reaching LSF swap usage limit.\nExited with exit code 137.",
    Truth("A2", why="LSF's swap limit"),
)
_lsf(
    "lsf-cpulimit",
    "TERM_CPULIMIT: job killed after reaching LSF CPU usage limit.\nExited with exit code 152.",
    Truth("F3", also=["outside_families", "A2"], why="a limit of CPU time"),
)


def _tail(name: str, text: str, truth: Truth, *, whole: bool = False, **how: Any) -> None:  # noqa: ANN401
    """A run whose log ends in these words."""

    def make(title: str, rng: random.Random) -> tuple[Scene, Truth]:
        s = Scene(title, rng, **{"nodes": 1, **how})
        if whole:
            s.whole()
        else:
            s.under_way()
        s.say(text.format(node=s.nodes[0], job=s.job, run=s.run, iso=s.iso()))
        return s, truth

    CASES[name] = make


_tail("pbs-walltime", "=>> PBS: job killed: walltime 14431 exceeded limit 14400", Truth("F3", why="PBS's wall time"))
_tail(
    "pbs-memory",
    "=>> PBS: job killed: mem 403701232kb exceeded limit 402653184kb",
    Truth("A2", why="PBS's memory limit"),
)
_tail(
    "pbs-cgroup",
    "Cgroup memory limit exceeded: Killed process 40021 (python) total-vm:911200340kB, anon-rss:398200112kB, file-rss:91220kB",
    Truth("A2", why="PBS's hook quotes the kernel"),
)
_tail(
    "sge-hard-limit",
    "job {job} exceeded hard wallclock time - initiate terminate method",
    Truth("F3", why="Grid Engine's h_rt, as its execd says"),
)
_tail(
    "condor-memory",
    "012 ({job}.000.000) 11/20 11:12:51 Job was held.\n\tError from slot1_1@{node}: Job has gone over cgroup memory limit of 409600 megabytes. Last measured usage: 409596 megabytes.  Consider resubmitting with a higher request_memory.\n\tCode 34 Subcode 0\n...",
    Truth("A2", why="HTCondor's memory limit"),
)
_tail(
    "condor-evicted",
    "004 ({job}.000.000) 11/20 11:12:51 Job was evicted.\n\t(0) CPU times\n\t\tUsr 0 03:12:11, Sys 0 00:11:20  -  Run Remote Usage\n\t0  -  Run Bytes Sent By Job\n...",
    Truth("F2", why="evicted from its slot"),
)
_tail(
    "flux-timelimit",
    "flux-job: task(s) exited with exit code 142\n{iso} job.exception type=timeout severity=0 resource allocation expired",
    Truth("F3", why="Flux's time limit"),
)


@case
def sge_accounting(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way()
    s.files["qacct.txt"] = (
        "==============================================================\n"
        f"qname        gpu.q               \nhostname     {s.nodes[0]}\nowner        kim                 \njobname      train               \njobnumber    {s.job}\n"
        "qsub_time    Thu Nov 20 10:03:01 2025\nstart_time   Thu Nov 20 10:03:05 2025\nend_time     Thu Nov 20 11:12:51 2025\n"
        "failed       100 : assumedly after job\nexit_status  137                  (Killed)\nru_wallclock 4186s\nmaxvmem      391.204G\n"
    )
    return s, Truth("A2", also=["cannot_decide"], why="status 137 in Grid Engine's accounting")


# --- clouds ------------------------------------------------------------------------------------------------------------
_tail(
    "skypilot-preempted",
    "(task, pid=4512) \nINFO: Cluster was preempted or failed: recovering...\nI 11-20 11:12:51 controller.py:412] Cluster preempted or in a failed state. Cluster status: INIT\nI 11-20 11:12:52 recovery_strategy.py:501] Relaunching the cluster",
    Truth("F2", why="a spot cluster was taken, says SkyPilot"),
)
_tail(
    "batch-host-gone",
    "statusReason: Host EC2 (instance i-0a1b2c3d4e5f67890) terminated.",
    Truth("F1", also=["F2"], why="AWS Batch lost the machine"),
)
_tail(
    "batch-timeout", "statusReason: Job attempt duration exceeded timeout", Truth("F3", why="AWS Batch's attempt limit")
)
_tail(
    "sagemaker-max-runtime",
    "SecondaryStatus: MaxRuntimeExceeded\nFailureReason: Training job runtime exceeded MaxRuntimeInSeconds provided",
    Truth("F3", why="SageMaker's limit"),
)
_tail(
    "sagemaker-spot",
    "{iso} Interrupted - Training job interrupted. Managed Spot Training: capacity was reclaimed\nSecondaryStatus: Interrupted",
    Truth("F2", why="a spot interruption"),
)
_tail(
    "gitlab-limit",
    "ERROR: Job failed: execution took longer than 1h0m0s seconds",
    Truth("F3", why="the runner's limit"),
)
_tail(
    "airflow-timeout",
    "airflow.exceptions.AirflowTaskTimeout: Timeout, PID: 4512",
    Truth("F3", also=["A1", "outside_families"], why="Airflow's execution_timeout"),
)
_tail(
    "vertex-preempted",
    "The replica workerpool0-0 exited with a non-zero status of 143 because the VM was preempted.",
    Truth("F2", why="Vertex AI says preempted"),
)


@case
def flyte_oom(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.under_way()
    s.files["execution.log"] = (
        f"[1/1] currentAttempt done. Last Error: USER::\n[{s.run}-n0-0] terminated with exit code (137). Reason [OOMKilled]. Message: \n.\n"
    )
    return s, Truth("A2", why="OOMKilled, in Flyte's words")


@case
def docker_inspect(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, wrap="docker")
    s.under_way()
    state = {
        "Status": "exited",
        "Running": False,
        "Paused": False,
        "OOMKilled": True,
        "Dead": False,
        "Pid": 0,
        "ExitCode": 137,
        "Error": "",
        "FinishedAt": s.iso(),
    }
    s.files["inspect.json"] = json.dumps(
        [{"Id": s.uids[0].replace("-", "") * 2, "Path": "python", "State": state, "RestartCount": 0}], indent=4
    )
    return s, Truth("A2", why="docker inspect: OOMKilled")


# --- launchers -----------------------------------------------------------------------------------------------------------
_tail(
    "deepspeed-killed",
    "{node}: [2025-11-20 11:12:51,413] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 4101\n{node}: [2025-11-20 11:12:51,871] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 4102\n{node}: [2025-11-20 11:12:52,113] [ERROR] [launch.py:325:sigkill_handler] ['/opt/conda/bin/python', '-u', 'train.py', '--local_rank=1'] exits with return code = -9\npdsh@login: {node}: ssh exited with exit code 247",
    Truth("A2", why="the launcher saw signal 9"),
)
_tail(
    "deepspeed-segv",
    "{node}: [2025-11-20 11:12:52,113] [ERROR] [launch.py:325:sigkill_handler] ['/opt/conda/bin/python', '-u', 'train.py', '--local_rank=1'] exits with return code = -11",
    Truth("A2", why="the launcher saw signal 11"),
)
_tail(
    "accelerate-killed",
    "Traceback (most recent call last):\n  File \"/opt/conda/bin/accelerate\", line 8, in <module>\n    sys.exit(main())\n  File \"/opt/conda/lib/python3.11/site-packages/accelerate/commands/launch.py\", line 1191, in launch_command\n    simple_launcher(args)\n  File \"/opt/conda/lib/python3.11/site-packages/accelerate/commands/launch.py\", line 774, in simple_launcher\n    raise subprocess.CalledProcessError(returncode=process.returncode, cmd=cmd)\nsubprocess.CalledProcessError: Command '['/opt/conda/bin/python', 'train.py']' died with <Signals.SIGKILL: 9>.",
    Truth("A2", why="the script was killed; the launcher's traceback is no crash"),
)
_tail(
    "composer-killed",
    "ERROR:composer.cli.launcher:Rank 3 crashed with exit code -9.\nWaiting up to 30 seconds for all training processes to terminate. Press Ctrl-C to exit immediately.\nGlobal rank 3 (PID 4103) exited with code -9",
    Truth("A2", ranks=[3], why="Composer's launcher saw signal 9"),
)
_tail(
    "spawn-segv",
    'W1120 11:12:51.712000 4100 torch/multiprocessing/spawn.py:169] Terminating process 4101 via signal SIGTERM\nTraceback (most recent call last):\n  File "/workspace/train.py", line 90, in <module>\n    mp.spawn(run, nprocs=4)\n  File "/opt/conda/lib/python3.11/site-packages/torch/multiprocessing/spawn.py", line 196, in join\n    raise ProcessExitedException(\ntorch.multiprocessing.spawn.ProcessExitedException: process 2 terminated with signal SIGSEGV',
    Truth("A2", ranks=[2], why="a child died by SIGSEGV"),
)
_tail(
    "mpirun-killed",
    "--------------------------------------------------------------------------\nprterun noticed that process rank 2 with PID 4102 on node {node} exited on\nsignal 9 (Killed).\n--------------------------------------------------------------------------",
    Truth("A2", ranks=[2], why="Open MPI 5 wraps the line"),
)
_tail(
    "mpirun-bad-exit",
    "--------------------------------------------------------------------------\nPrimary job  terminated normally, but 1 process returned\na non-zero exit code. Per user-direction, the job has been aborted.\n--------------------------------------------------------------------------\nmpirun detected that one or more processes exited with non-zero status, thus causing\nthe job to be terminated. The first process to do so was:\n\n  Process name: [[51111,1],2]\n  Exit code:    1",
    undecidable("exit code 1 of a rank that said nothing", "A1"),
)
_tail(
    "torchrun-bus",
    "E1120 11:12:51.712000 4100 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: -7) local_rank: 1 (pid: 4101) of binary: /opt/conda/bin/python",
    Truth("A2", why="SIGBUS: shared memory, as a rule"),
)


@case
def ray_worker_oom(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, wrap="ray")
    s.under_way()
    s.files["driver.log"] = (
        "(raylet) [2025-11-20 11:12:51,113 E 411 411] (raylet) node_manager.cc:3069: 1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: 9f3b, IP: 10.4.0.11) over the last time period. To see more information about the Workers killed on this node, use `ray logs raylet.out -ip 10.4.0.11`\n"
        'Traceback (most recent call last):\n  File "/workspace/driver.py", line 40, in <module>\n    trainer.fit()\n'
        "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.\nMemory on the node (IP: 10.4.0.11, ID: 9f3b) where the task (actor ID: 77, name=RayTrainWorker.__init__, pid=5101, memory used=310.11GB) was running was 498.00GB / 503.00GB (0.990), which exceeds the memory usage threshold of 0.95.\n"
    )
    return s, Truth("A2", also=["A1"], why="Ray's memory monitor killed a worker")


@case
def ray_node_died(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, wrap="ray")
    s.under_way()
    s.files["driver.log"] = (
        'Traceback (most recent call last):\n  File "/workspace/driver.py", line 40, in <module>\n    trainer.fit()\n'
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n\tclass_name: RayTrainWorker\n\tactor_id: 77ab\n\tnamespace: 1\n\tip: 10.4.0.12\n"
        "The actor died because its node has died. Node Id: 9f3b01\n\tthe actor's node was terminated unexpectedly: health check failed due to missing too many heartbeats\n"
    )
    return s, Truth("F1", why="a node stopped answering Ray's health checks")


@case
def ray_actor_died(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, wrap="ray")
    s.under_way()
    s.files["driver.log"] = (
        'Traceback (most recent call last):\n  File "/workspace/driver.py", line 40, in <module>\n    trainer.fit()\n'
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.\n\tclass_name: RayTrainWorker\n\tpid: 5102\n"
        "The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file. There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer due to high memory usage. (2) ray stop --force is called. (3) The worker is crashed unexpectedly due to SIGSEGV or other unexpected errors.\n"
    )
    return s, Truth(
        "A2", also=["cannot_decide"], why="a process is gone without a traceback; of what, Ray only guesses"
    )


@case
def ray_user_error(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, wrap="bare")
    s.under_way()
    s.say(
        'Traceback (most recent call last):\n  File "/workspace/driver.py", line 40, in <module>\n    trainer.fit()\n'
        "ray.exceptions.RayTaskError(IndexError): ray::_RayTrainWorker__execute.get_next() (pid=5102, ip=10.4.0.12, actor_id=77ab, repr=<ray.train._internal.worker_group.RayTrainWorker object at 0x7f>)\n"
        '  File "/opt/conda/lib/python3.11/site-packages/ray/train/_internal/utils.py", line 176, in discard_return_wrapper\n    train_func(*args, **kwargs)\n'
        '  File "/workspace/loop.py", line 77, in train_func\n    label = labels[idx]\nIndexError: list index out of range'
    )
    return s, Truth("A1", why="the loop's own error, raised at the driver")


@case
def horovod_stall(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, wrap="mpi", nodes=2, gpus=2)
    s.under_way()
    lost = rng.randrange(1, 4)
    for k in range(1, 6):
        s.t += 60
        s.say(
            f"[{s.iso()[:10]} {s.iso()[11:19]}.123456: W /tmp/pip-req-build/horovod/common/stall_inspector.cc:107] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than {60 * k} seconds. This may indicate that different ranks are trying to submit different tensors or that only subset of ranks is submitting tensors, which will cause deadlock. \nMissing ranks:\n{lost}: [DistributedOptimizer_Allreduce/cond/then/grads_0, DistributedOptimizer_Allreduce/cond/then/grads_1 ...]",
            0,
        )
    s.say("=>> PBS: job killed: walltime 14431 exceeded limit 14400", 0, 900)
    return s, Truth("C2", ranks=[lost], why="Horovod names the rank that does not come; the limit only ended it")


# --- frameworks ------------------------------------------------------------------------------------------------------------
def _crash(name: str, text: str, truth: Truth, *, started: bool = True, rank: int | None = None, **how: Any) -> None:  # noqa: ANN401
    """A run that ends in these words of a framework."""

    def make(title: str, rng: random.Random) -> tuple[Scene, Truth]:
        s = Scene(title, rng, **{"nodes": 1, **how})
        if started:
            s.under_way()
        else:
            s.begin(5000)
        s.say(text.format(node=s.nodes[0], done=s.done), rank)
        return s, truth

    CASES[name] = make


_TB = 'Traceback (most recent call last):\n  File "/workspace/train.py", line 311, in <module>\n    main()\n  File "/workspace/train.py", line 204, in main\n    state, metrics = step(state, batch)\n'
_crash(
    "jax-bfc",
    "2025-11-20 11:12:51.113345: W external/xla/xla/tsl/framework/bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 12.31GiB (rounded to 13217562880)requested by op \n"
    + _TB
    + "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 13217562624 bytes.",
    Truth("B1", why="XLA's allocator"),
)
_crash(
    "jax-illegal",
    _TB
    + "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to synchronize GPU stream: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered",
    Truth("A1", why="an illegal address of the job's own kernel"),
)
_crash(
    "orbax-shape",
    _TB
    + "ValueError: Requested shape: (32768, 4096) is not compatible with the stored shape: (32000, 4096). Truncating/padding is disabled by setting of `strict=True`. When using standard Orbax APIs, this behavior can be modified by specifying `strict=False` in `ArrayRestoreArgs` for any array in which padding/truncation is desired.",
    Truth("E2", why="Orbax: the checkpoint has another shape"),
    started=False,
)
_crash(
    "megatron-ckpt",
    _TB
    + "megatron.core.dist_checkpointing.core.CheckpointingException: Global shape mismatch for loaded (torch.Size([128256, 4096])) and expected ((128512, 4096)) tensor for key model.embedding.word_embeddings.weight",
    Truth("E2", why="Megatron: another vocabulary"),
    started=False,
)
_crash(
    "dcp-missing",
    _TB
    + 'torch.distributed.checkpoint.api.CheckpointException: CheckpointException ranks:dict_keys([0, 1, 2, 3])\nTraceback (most recent call last): (RANK 0)\n  File "/opt/conda/lib/python3.11/site-packages/torch/distributed/checkpoint/utils.py", line 164, in reduce_scatter\n    local_data = map_fun()\nRuntimeError: Missing key in checkpoint state_dict: optimizer.state.layers.0.exp_avg.',
    Truth("E2", why="torch's distributed checkpoint lacks a key"),
    started=False,
)
_crash(
    "tf-slice-reader",
    _TB
    + "tensorflow.python.framework.errors_impl.NotFoundError: Unsuccessful TensorSliceReader constructor: Failed to find any matching files for /ckpt/model.ckpt-120000",
    Truth("E2", also=["A1"], why="TensorFlow finds no checkpoint"),
    started=False,
)
_crash(
    "hf-no-checkpoint",
    _TB.replace("state, metrics = step(state, batch)", "trainer.train(resume_from_checkpoint=True)")
    + "ValueError: No valid checkpoint found in output directory (out)",
    Truth("E2", why="the Trainer finds nothing to resume"),
    started=False,
)
_crash(
    "tf-nan-hook",
    _TB + "tensorflow.python.training.basic_session_run_hooks.NanLossDuringTrainingError: NaN loss during training.",
    Truth("E1", why="TensorFlow's hook stops at NaN"),
)
_crash("keras-terminate", "Batch 312: Invalid loss, terminating training", Truth("E1", why="Keras' TerminateOnNaN"))
_crash(
    "lightning-not-finite",
    "Monitored metric train_loss = nan is not finite. Previous best value was 2.311. Signaling Trainer to stop.",
    Truth("E1", why="Lightning's EarlyStopping met NaN"),
)
_crash(
    "megatron-rerun",
    _TB
    + "RuntimeError: Rank 3, node {node}, device 3, iteration {done}: Unexpected result nan (message='found NaN in local forward loss calculation')",
    Truth("E1", why="Megatron's check of results"),
)
_crash(
    "deepspeed-scale",
    _TB + "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
    Truth("E1", why="DeepSpeed's loss scale is at its floor"),
)
_crash(
    "paddle-oom",
    "----------------------\nError Message Summary:\n----------------------\nResourceExhaustedError: \n\nOut of memory error on GPU 0. Cannot allocate 2.000000GB memory on GPU 0, 78.412109GB memory has been allocated and available memory is only 747.937500MB.\n\nPlease check whether there is any other process using GPU 0.\n (at /paddle/paddle/phi/core/memory/allocation/cuda_allocator.cc:84)",
    Truth("B1", why="Paddle's allocator"),
    speaker="paddle",
)
_crash(
    "paddle-launch",
    "LAUNCH INFO 2025-11-20 11:12:51,113 Pod failed\nLAUNCH ERROR 2025-11-20 11:12:51,114 Container failed !!!\nContainer rank 3 status failed cmd ['/usr/bin/python', '-u', 'train.py'] code -9 log log/workerlog.3\nLAUNCH INFO 2025-11-20 11:12:51,115 ------------------------- ERROR LOG DETAIL -------------------------\nLAUNCH INFO 2025-11-20 11:12:54,001 Exit code -9",
    Truth("A2", why="Paddle's launcher saw signal 9"),
    speaker="paddle",
)
_crash(
    "triton-arch",
    _TB + "torch._inductor.exc.InductorError: RuntimeError: Triton Error [CUDA]: device kernel image is invalid",
    Truth("A1", why="a kernel for another GPU"),
    started=False,
)
_crash(
    "mismatch-toolkit",
    _TB
    + "RuntimeError: \nThe detected CUDA version (11.8) mismatches the version that was used to compile\nPyTorch (12.4). Please make sure to use the same CUDA versions.",
    Truth("A1", why="driver and toolkit differ"),
    started=False,
)
_crash(
    "unsloth-nan",
    "Unsloth: Your loss is nan at step 41. Stopping.\n"
    + _TB
    + "ZeroDivisionError: Unsloth: All labels in your dataset are -100. Training losses will be all 0.",
    Truth("A1", also=["E1"], why="Unsloth refuses the data"),
    started=False,
)
_crash(
    "bus-shm",
    "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).\n"
    + _TB
    + "RuntimeError: DataLoader worker (pid(s) 4711) exited unexpectedly",
    Truth("A2", also=["A1"], why="no shared memory: a loader's worker died by SIGBUS"),
)
_crash(
    "nccl-no-route",
    "{node}:4101:4312 [0] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.4.0.12<45123> failed : No route to host\n{node}:4101:4312 [0] NCCL INFO misc/socket.cc:567 -> 2\n"
    + _TB
    + "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:268, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.",
    Truth("C1", also=["A1"], why="ranks cannot reach each other at the start"),
    started=False,
    nodes=2,
)
_crash(
    "jax-barrier",
    _TB
    + "jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: jax_init_barrier::0. This usually happens because a task triggered the barrier too early or too slowly. Please look at the task logs (both timed out and first task) to debug further.\n# of tasks that reached the barrier: 7/8.\nThe first task at the barrier: /job:jax_worker/replica:0/task:0. Some timed out task names:\n/job:jax_worker/replica:0/task:6",
    Truth("C1", also=["C2"], why="one task of eight never came to the first barrier"),
    started=False,
    nodes=2,
)
_crash(
    "jax-heartbeat",
    "E1120 11:12:51.113345   77 coordination_service_agent.cc:299] Polled an error from coordination service (this can be an error from this or another task).\nF1120 11:12:51.113401   77 client.h:80] Terminating process because the JAX distributed service detected fatal errors. This most likely indicates that another task died; see the other task logs for more details. Disable Python buffering, i.e. `python -u`, to be sure to see all the previous output. absl::Status: UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):\n/job:jax_worker/replica:0/task:5\nThe tasks have crashed. Check the task logs for an earlier error, or scheduler events (e.g. preemption, eviction) to debug further.",
    undecidable("task 5 is gone; its own log is not here", "C2", "A2", "F1"),
    nodes=2,
)
_crash(
    "nvrx-straggler",
    "GPU relative performance:\n Worst performing 5/8 ranks:\n  Rank=5 Node={node} Score=0.41\n  Rank=1 Node={node} Score=0.97\n  Rank=0 Node={node} Score=0.98\n  Rank=2 Node={node} Score=0.98\n  Rank=7 Node={node} Score=0.99\nSTRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: [StragglerId(rank=5, node='{node}')]",
    Truth("D3", also=["cannot_decide"], ranks=[5], why="the resiliency extension names the slow rank; the log is cut"),
    gpus=8,
)


@case
def imagenet_starved(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, gpus=1)
    s.t += 20
    s.say("=> creating model 'resnet50'")
    for n in range(0, 1001, 10):
        data = rng.uniform(8.5, 12.5)
        s.t += 10 * (data + 0.3)
        s.say(
            f"Epoch: [0][{n:4d}/1001]\tTime {data + 0.31:6.3f} ({data + 0.28:6.3f})\tData {data:6.3f} ({data - 0.02:6.3f})\tLoss {7 - n / 400:.4e} ({7 - n / 420:.4e})\tAcc@1 {n / 50:6.2f} ({n / 55:6.2f})\tAcc@5 {n / 20:6.2f} ({n / 22:6.2f})"
        )
    s.say(" *   Acc@1 21.312 Acc@5 43.120")
    return s, Truth("D1", also=["G1"], why="ten seconds of each step go into waiting for data, by the job's own words")


@case
def ten_steps(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, speaker=rng.choice(["titan", "megatron", "hf", "fairseq"]))
    s.every = 1
    s.begin(6)
    s.train(6)
    s.save()
    for line in s.speaker.end(s.t, 0, s.done):
        s.say(line)
    return s, Truth("E3", also=["G1"], why="six steps, all of the plan: too few, or a trial")


@case
def cut_off(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1, wrap=rng.choice(["kubectl", "docker", "mpi", "bare"]))
    s.under_way()
    return s, undecidable("a log that ends in mid-run, and nothing else")


@case
def only_events(name: str, rng: random.Random) -> tuple[Scene, Truth]:
    s = Scene(name, rng, nodes=1)
    s.files["events.txt"] = (
        "LAST SEEN   TYPE      REASON      OBJECT                MESSAGE\n"
        f"3m          Normal    Scheduled   pod/{s.pod(0)}   Successfully assigned {s.namespace}/{s.pod(0)} to {s.nodes[0]}\n"
        f"2m          Normal    Pulled      pod/{s.pod(0)}   Container image already present on machine\n"
        f"2m          Normal    Started     pod/{s.pod(0)}   Started container {s.container}\n"
    )
    return s, undecidable("events of a start, and nothing of the run")
