"""The incidents, each with its near-miss twin where there is one. Their truth stands in ``truth.jsonl``."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, Final

from .papers import STYLES, clock, step_line
from .world import Row, Truth, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CASES: Final[dict[str, tuple[Callable[[World], Truth], dict[str, Any]]]] = {}


def case(name: str, **how: Any) -> Callable[[Callable[[World], Truth]], Callable[[World], Truth]]:  # noqa: ANN401
    """Register an incident; ``how`` fixes what is else drawn from the seed."""

    def put(function: Callable[[World], Truth]) -> Callable[[World], Truth]:
        CASES[name] = (function, how)
        return function

    return put


def build(name: str, seed: int) -> tuple[World, Truth]:
    """The incident and its truth: the same for the same seed."""
    function, how = CASES[name]
    shape = {k: how[k] for k in ("nodes", "gpus", "board") if k in how}
    world = World(name, seed, **shape)
    world.style = random.Random(f"{name}/{seed}/style").choice(STYLES)
    for key, value in how.items():
        if key not in shape:
            setattr(world, key, value)
    return world, function(world)


# ---- what jobs have in common


def launch(w: World, minutes: float = 0, planned: int = 0, loads: bool = True) -> None:
    """The job starts: processes come, contexts are made, weights are read."""
    w.planned = planned or w.planned or 100_000
    w.say(f"*** job {w.job} on {w.n} node(s): {','.join(w.nodes[:3])}{' ...' if w.n > 3 else ''}")
    w.everyone("absent", w.rng.uniform(8, 40))
    w.say(f"world size {w.world}, backend nccl, torch 2.9.1+cu128, board {w.board.name}", 0)
    if loads:
        seconds = minutes * 60 or w.rng.uniform(40, 260)
        w.everyone("host", seconds, memory=0.03)
        w.say(f"model built in {seconds:.1f}s; {w.rng.choice(['1.3', '6.7', '12.9', '70.6'])}B parameters", 0)


def train(
    w: World,
    minutes: float,
    *,
    ranks: Iterable[int] | None = None,
    slower: float = 1.0,
    loss: Callable[[int], float] | None = None,
    data: float = 0.0,
    quiet: bool = False,
    **work: Any,  # noqa: ANN401
) -> None:
    """Steps for so long; ``slower`` stretches them, ``data`` is what the job's own timer says of its input."""
    figures = w.steady(**work)
    figures["step"] *= slower
    seconds = figures["step"]
    begin, n = w.now, int(minutes * 60 / seconds)
    every = max(1, round(n / w.rng.choice([40, 80, 160]))) if w.every == 1 else w.every
    for k in range(1, n + 1):
        w.step += 1
        if w.step % every == 0 and not quiet:
            value = loss(w.step) if loss else w.loss(w.step)
            w.say(step_line(w, w.step, value, seconds * w.rng.gauss(1, 0.01), data), 0, begin + k * seconds)
    if ranks is None:
        w.put(w.all(), "train", minutes * 60, **figures)
    w.now = begin + minutes * 60


def book(
    w: World,
    state: str,
    code: str,
    *,
    step_state: str = "",
    step_code: str = "",
    begin: float | None = None,
    open_end: bool = False,
) -> None:
    """The rows of one run in accounting."""
    start, end = begin or w.start, None if open_end else w.now
    w.rows += [
        Row("", "pretrain", state, code, start, end),
        Row(".batch", "batch", step_state or state.split()[0], step_code or code, start, end),
        Row(".extern", "extern", "COMPLETED", "0:0", start, end),
        Row(".0", "python3", step_state or state.split()[0], step_code or code, start + 3, end),
    ]


def finish(w: World, word: bool = True) -> None:
    """A planned end: the last step is told."""
    if 0 < w.planned - w.step <= 3:
        w.step = w.planned
        w.say(step_line(w, w.step, w.loss(w.step), w.step_s), 0)
    if word:
        w.say(
            w.rng.choice(
                [
                    "training finished: final checkpoint written to /ckpt/final",
                    "max steps reached, saving and exiting",
                    "Done. Total time 5:02:11",
                ]
            ),
            0,
        )
    w.everyone("host", 20)
    w.everyone("absent", 10)
    book(w, "COMPLETED", "0:0")


def failing(w: World, code: str = "1:0", state: str = "FAILED", step_state: str = "", step_code: str = "") -> None:
    """An end by failure: processes go."""
    w.go(w.rng.uniform(4, 25))
    w.everyone("absent", 5)
    book(w, state, code, step_state=step_state, step_code=step_code)


def planned(w: World, minutes: float) -> None:
    """Fix the plan so that the run ends at its last step."""
    w.planned = int(minutes * 60 / w.step_s)


def traceback(w: World, rank: int, frames: list[tuple[str, int, str, str]], error: str) -> None:
    """A Python traceback of one rank, straight to its stderr."""
    w.shout("Traceback (most recent call last):", rank)
    for path, line, name, code in frames:
        w.shout(f'  File "{path}", line {line}, in {name}', rank)
        w.shout(f"    {code}", rank)
    for line in error.split("\n"):
        w.shout(line, rank)


MAIN = ("/home/mreyes/pt/main.py", 311, "<module>", "run(cfg)")
LOOP = ("/home/mreyes/pt/loop.py", 128, "fit", "loss = self.forward_backward(batch)")


def torn_down(w: World, rank: int, code: int = 1) -> None:
    """The launcher ends the others."""
    w.shout(
        f"srun: error: {w.node_of(rank)}: task {rank}: Exited with exit code {code}"
        if code < 128
        else f"srun: error: {w.node_of(rank)}: task {rank}: {'Killed' if code == 137 else 'Segmentation fault (core dumped)' if code == 139 else 'Aborted (core dumped)'}"
    )
    w.shout(f"srun: Terminating StepId={w.job}.0")


# ---- A: the job's own ends


@case("a1-plugin-missing")
def a1_plugin(w: World) -> Truth:
    launch(w, minutes=0.7)
    for r in w.all():
        traceback(
            w,
            r,
            [MAIN, ("/home/mreyes/pt/build.py", 40, "build", "from xentropy_cuda_lib import fused")],
            "ModuleNotFoundError: No module named 'xentropy_cuda_lib'",
        )
    torn_down(w, 0)
    failing(w)
    return Truth("A1", "an import fails on every rank before a step")


@case("a1-one-rank-shard", nodes=4)
def a1_shard(w: World) -> Truth:
    launch(w, minutes=2)
    r = w.rng.randrange(1, w.world)
    traceback(
        w,
        r,
        [MAIN, ("/home/mreyes/pt/data.py", 77, "open_shard", "return np.memmap(path, dtype=np.uint16)")],
        f"FileNotFoundError: [Errno 2] No such file or directory: '/local/corpus/shard-{r:05d}.bin'",
    )
    torn_down(w, r)
    failing(w)
    return Truth("A1", "one rank lacks its shard at the start", ranks=[], nodes=[])


@case("a1-mid-run-tokenizer")
def a1_mid(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(70, 160))
    r = w.rng.randrange(w.world)
    traceback(
        w,
        r,
        [MAIN, LOOP, ("/home/mreyes/pt/data.py", 201, "collate", "ids = pad(rows, self.length)")],
        "ValueError: could not broadcast input array from shape (8193,) into shape (8192,)",
    )
    torn_down(w, r)
    failing(w)
    return Truth("A1", "an exception of the job's own code after hours")


@case("a1-near-handled")
def a1_handled(w: World) -> Truth:
    planned(w, 90)
    launch(w)
    train(w, 40)
    w.say("evaluation harness failed, will be skipped:", 0)
    traceback(
        w, 0, [("/home/mreyes/pt/eval.py", 18, "maybe_eval", "scores = harness(model)")], "KeyError: 'arc_challenge'"
    )
    w.say("continuing without evaluation", 0)
    train(w, 50)
    finish(w)
    return Truth("G1", "a traceback that was handled; the run ended as planned")


@case("a2-kernel-oom")
def a2_oom(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(45, 140))
    r = w.rng.randrange(w.world)
    node, pid = r // w.g, w.rng.randint(20_000, 400_000)
    w.kern(
        node,
        "python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
    )
    w.kern(
        node,
        f"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/system.slice/slurmstepd.scope/job_{w.job}/step_0/user/task_{r},task=python3,pid={pid},uid=5012",
    )
    w.kern(
        node,
        f"Out of memory: Killed process {pid} (python3) total-vm:918276120kB, anon-rss:431887304kB, file-rss:71204kB, shmem-rss:1822444kB, UID:5012 pgtables:868432kB oom_score_adj:0",
    )
    w.go(4)
    torn_down(w, r, 137)
    failing(w, "0:9", step_state="FAILED", step_code="0:9")
    return Truth(
        "A2", "the kernel killed a rank for memory of the host; the step ended over it", nodes=[w.nodes[node]], also=[]
    )


@case("a2-cgroup-accounting")
def a2_cgroup(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(30, 100))
    node = w.rng.randrange(w.n)
    w.shout(
        f"slurmstepd: error: Detected 1 oom_kill event in StepId={w.job}.0. Some of the step tasks have been OOM Killed."
    )
    w.shout(f"srun: error: {w.nodes[node]}: task {node * w.g}: Out Of Memory")
    failing(w, "0:125", "OUT_OF_MEMORY", "OUT_OF_MEMORY", "0:125")
    w.has["dmesg"] = False
    return Truth("A2", "Slurm says that the cgroup's limit killed tasks", nodes=[])


@case("a2-segv-kernel-line")
def a2_segv(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(20, 90))
    r = w.rng.randrange(w.world)
    w.kern(
        r // w.g,
        f"pt_data_worker[{w.rng.randint(9000, 90000)}]: segfault at 7f1c00000018 ip 00007f1e9b2c4a11 sp 00007ffd3c1a8e40 error 4 in libtokenizers.so[7f1e9b1f0000+1a2000] likely on CPU 41 (core 9, socket 1)".replace(
            "pt_data_worker", "python3"
        ),
    )
    w.go(1)
    torn_down(w, r, 139)
    failing(w, "0:11", step_state="FAILED", step_code="0:11")
    return Truth("A2", "a rank died of signal 11, as kernel, srun and accounting say", nodes=[w.node_of(r)])


@case("a2-near-bystander-oom")
def a2_near(w: World) -> Truth:
    planned(w, 75)
    launch(w)
    train(w, 33)
    w.kern(
        w.rng.randrange(w.n),
        "Out of memory: Killed process 3312 (telegraf) total-vm:9182761kB, anon-rss:8188730kB, file-rss:0kB, shmem-rss:0kB, UID:998 pgtables:16432kB oom_score_adj:0",
    )
    train(w, 42)
    finish(w)
    return Truth("G1", "the kernel killed a daemon of the node; the run ended as planned")


@case("b1-backward", style="logged")
def b1(w: World) -> Truth:
    w.memory = 0.96
    launch(w)
    train(w, w.rng.uniform(5, 30))
    r = w.rng.randrange(w.world)
    gib = w.board.mib / 1024
    traceback(
        w,
        r,
        [
            MAIN,
            LOOP,
            (
                "/opt/venv/lib/python3.12/site-packages/torch/autograd/graph.py",
                841,
                "_engine_run_backward",
                "return Variable._execution_engine.run_backward(",
            ),
        ],
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.98 GiB. GPU {r % w.g} has a total capacity of {gib:.2f} GiB of which 871.31 MiB is free. Including non-PyTorch memory, this process has {gib - 1:.2f} GiB memory in use. Of the allocated memory {gib - 6:.2f} GiB is allocated by PyTorch, and 3.11 GiB is reserved by PyTorch but unallocated.",
    )
    torn_down(w, r)
    failing(w)
    return Truth("B1", "a request was refused in backward", nodes=[w.node_of(r)], ranks=[r])


@case("b1-no-sampled-peak", nodes=1, gpus=1, board="l40s")
def b1_peak(w: World) -> Truth:
    w.memory = 0.31
    launch(w)
    train(w, 12)
    traceback(
        w,
        0,
        [MAIN, LOOP],
        "RuntimeError: CUDA out of memory. Tried to allocate 30.52 GiB (GPU 0; 44.39 GiB total capacity; 13.66 GiB already allocated; 29.80 GiB free; 14.02 GiB reserved in total by PyTorch)",
    )
    w.shout("srun: error: " + w.nodes[0] + ": task 0: Exited with exit code 1")
    failing(w)
    return Truth("B1", "one request was larger than what was free; samples never saw memory full")


@case("b1-near-full-but-fine")
def b1_full(w: World) -> Truth:
    w.memory = 0.985
    planned(w, 80)
    launch(w)
    train(w, 30)
    w.say("warning: allocator retry, 1 cudaMalloc retries on rank 0 since last report; consider expandable_segments", 0)
    train(w, 50)
    finish(w)
    return Truth("G1", "memory nearly full all along, and the run ended as planned")


@case("b1-near-probing")
def b1_probe(w: World) -> Truth:
    planned(w, 60)
    launch(w)
    w.say("probing micro batch 64: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 24.00 GiB.", 0)
    w.say("probing micro batch 32: fits (91%)", 0)
    train(w, 60)
    finish(w)
    return Truth("G1", "a probe for the batch size that was refused once, before training")


# ---- B2: hardware


def _dies(w: World, r: int, error: str = "torch.AcceleratorError: CUDA error: unspecified launch failure") -> None:
    w.go(3)
    traceback(w, r, [MAIN, LOOP], error)
    torn_down(w, r)
    failing(w)


@case("b2-off-the-bus")
def b2_79(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(40, 160))
    r = w.rng.randrange(w.world)
    node, gpu = divmod(r, w.g)
    w.kern(node, f"NVRM: GPU at PCI:0000:{w.bus[gpu].lower()}:00: {w.uuids[r]}")
    w.kern(
        node,
        f"NVRM: Xid (PCI:0000:{w.bus[gpu].lower()}:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
    )
    w.bump(r, "XID_ERRORS", 79)
    w.kern(node, f"NVRM: GPU 0000:{w.bus[gpu].lower()}:00.0: GPU has fallen off the bus.")
    w.kern(
        node,
        f"NVRM: Xid (PCI:0000:{w.bus[gpu].lower()}:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
    )
    _dies(w, r, "torch.AcceleratorError: CUDA error: unknown error")
    return Truth("B2", "XID 79 just before the end", nodes=[w.nodes[node]], gpus=[w.uuids[r]], ranks=[r])


@case("b2-dbe-counters-only", metrics="everything")
def b2_dbe(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(40, 160))
    r = w.rng.randrange(w.world)
    w.bump(r, "ECC_DBE_VOL_TOTAL", 2)
    w.bump(r, "XID_ERRORS", 48)
    w.has["dmesg"] = False
    w.go(w.scrape * 2)
    w.put(w.all(), "host", 1)
    _dies(w, r, "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered")
    return Truth(
        "B2",
        "double-bit errors were counted at the end, and CUDA said so",
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
        ranks=[r],
    )


@case("b2-gsp-timeout")
def b2_119(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(40, 100))
    r = w.rng.randrange(w.world)
    node, gpu = divmod(r, w.g)
    for k in range(3):
        w.kern(
            node,
            f"NVRM: Xid (PCI:0000:{w.bus[gpu].lower()}:00): 119, pid={w.rng.randint(9000, 99999)}, name=python3, Timeout after 45s of waiting for RPC response from GPU{gpu} GSP! Expected function 76 (GSP_RM_CONTROL) (0x20801348 0x410).",
            w.now + 45 * k,
        )
    w.bump(r, "XID_ERRORS", 119)
    w.put(w.all(), "spin", 150)
    w.go(150)
    _dies(w, r, "RuntimeError: CUDA error: unknown error")
    return Truth(
        "B2", "the GPU's system processor stopped answering", nodes=[w.nodes[node]], gpus=[w.uuids[r]], ranks=[r]
    )


@case("b2-nvlink-fatal", gpus=8)
def b2_74(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(40, 100))
    r = w.rng.randrange(w.world)
    node, gpu = divmod(r, w.g)
    w.kern(
        node,
        f"NVRM: Xid (PCI:0000:{w.bus[gpu].lower()}:00): 74, pid='<unknown>', name=<unknown>, NVLink: fatal error detected on link 11(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)",
    )
    w.bump(r, "XID_ERRORS", 74)
    _dies(
        w,
        r,
        "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, unhandled cuda error, NCCL version 2.27.5",
    )
    return Truth(
        "B2", "a fatal error of NVLink just before the end", nodes=[w.nodes[node]], gpus=[w.uuids[r]], ranks=[r]
    )


@case("b2-contained-95")
def b2_95(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(40, 100))
    r = w.rng.randrange(w.world)
    node, gpu = divmod(r, w.g)
    for code, words in (
        (63, "Row Remapper: New row (0x0000000000d1c0a4) marked for remapping, reset gpu to activate."),
        (95, "Uncontained: FBHUB. RST: Yes, D-RST: No"),
    ):
        w.kern(node, f"NVRM: Xid (PCI:0000:{w.bus[gpu].lower()}:00): {code}, pid='<unknown>', name=<unknown>, {words}")
    w.bump(r, "XID_ERRORS", 95)
    w.bump(r, "UNCORRECTABLE_REMAPPED_ROWS", 1)
    _dies(w, r, "torch.AcceleratorError: CUDA error: an illegal instruction was encountered")
    return Truth("B2", "an uncontained ECC error", nodes=[w.nodes[node]], gpus=[w.uuids[r]], ranks=[r])


@case("b2-near-app-31")
def b2_31(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(10, 60))
    r = w.rng.randrange(w.world)
    node, gpu = divmod(r, w.g)
    w.kern(
        node,
        f"NVRM: Xid (PCI:0000:{w.bus[gpu].lower()}:00): 31, pid={w.rng.randint(9000, 99999)}, name=python3, channel 0x0000000d, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_3 faulted @ 0x7f1a_4c000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    )
    w.bump(r, "XID_ERRORS", 31)
    _dies(w, r, "torch.AcceleratorError: CUDA error: an illegal memory access was encountered")
    return Truth("A1", "an illegal access of the program (XID 31), not a fault of the board", ranks=[])


@case("b2-near-old-counters", metrics="everything")
def b2_old(w: World) -> Truth:
    r = w.rng.randrange(w.world)
    w.bases = {
        (r, "XID_ERRORS"): 63.0,
        (r, "UNCORRECTABLE_REMAPPED_ROWS"): 3.0,
        (r, "ECC_SBE_VOL_TOTAL"): 811.0,
        (r, "ECC_DBE_VOL_TOTAL"): 1.0,
        (r, "PCIE_REPLAY_COUNTER"): 40.0,
    }
    w.kern(
        r // w.g,
        f"NVRM: Xid (PCI:0000:{w.bus[r % w.g].lower()}:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping, reset gpu to activate.",
        w.start - 86400 * 1.5,
    )
    planned(w, 100)
    launch(w)
    train(w, 100)
    finish(w)
    return Truth("G1", "counters that were high before, and never moved")


@case("b2-near-other-failure", metrics="everything")
def b2_other(w: World) -> Truth:
    r = w.rng.randrange(w.world)
    w.bases = {(r, "ECC_SBE_VOL_TOTAL"): 4402.0, (r, "UNCORRECTABLE_REMAPPED_ROWS"): 2.0}
    launch(w)
    train(w, 44)
    q = w.rng.randrange(w.world)
    traceback(
        w,
        q,
        [MAIN, ("/home/mreyes/pt/ckpt.py", 92, "rotate", "old = self.kept[self.keep]")],
        "IndexError: list index out of range",
    )
    torn_down(w, q)
    failing(w)
    return Truth("A1", "an exception; the ECC counts of another GPU are old")


# ---- B3: heat and power


@case("b3-one-hot", metrics="everything")
def b3_hot(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(30, 60))
    r = w.rng.randrange(w.world)
    minutes = w.rng.uniform(60, 120)
    clock = w.rng.uniform(0.42, 0.62)
    f = w.steady()
    stretch = (f["work"] / clock + f["wait"]) / (f["work"] + f["wait"])
    w.put(
        [k for k in w.all() if k != r],
        "train",
        minutes * 60,
        **{**f, "step": f["step"] * stretch, "work": f["work"] / stretch, "wait": 1 - f["work"] / stretch - 0.02},
    )
    w.put(
        [r],
        "train",
        minutes * 60,
        **{
            **f,
            "step": f["step"] * stretch,
            "work": 0.96,
            "wait": 0.02,
            "clock": clock,
            "hot": 92 - w.board.work_c,
            "reason": 0x20 | 0x40,
        },
    )
    train(w, minutes, ranks=(), slower=stretch)
    w.say("cancelling: throughput is half of yesterday's", 0)
    w.everyone("absent", 10)
    book(w, "CANCELLED by 5012", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth(
        "B3",
        "one GPU at 92 C with slowdown by heat, clocks at half, all steps slower",
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
        ranks=[r],
        also=["outside_families"],
    )


@case("b3-brake-node", nodes=4, metrics="everything")
def b3_brake(w: World) -> Truth:
    planned(w, 400)
    launch(w)
    train(w, 40)
    node = w.rng.randrange(w.n)
    clock, minutes = w.rng.uniform(0.2, 0.35), 150
    f = w.steady()
    stretch = f["work"] / clock + f["wait"]
    mine = [k for k in w.all() if k // w.g == node]
    w.put(
        [k for k in w.all() if k not in mine],
        "train",
        minutes * 60,
        **{**f, "step": f["step"] * stretch, "work": f["work"] / stretch, "wait": 1 - f["work"] / stretch - 0.02},
    )
    w.put(
        mine,
        "train",
        minutes * 60,
        **{**f, "step": f["step"] * stretch, "work": 0.96, "wait": 0.02, "clock": clock, "reason": 0x88},
    )
    train(w, minutes, ranks=(), slower=stretch)
    w.planned = w.step
    finish(w)
    return Truth(
        "B3",
        "a power brake held one node's clocks at a quarter for two hours; steps three times slower",
        nodes=[w.nodes[node]],
        gpus=[w.uuids[k] for k in mine],
        ranks=mine,
    )


@case("b3-near-cap", metrics="everything", board="h100")
def b3_cap(w: World) -> Truth:
    w.power, w.sm = 0.99, 0.88
    planned(w, 90)
    launch(w)
    w.put(w.all(), "train", 90 * 60, **w.steady(clock=0.91, reason=4))
    train(w, 90, ranks=())
    finish(w)
    return Truth("G1", "the software power cap holds the clocks a little down, as it should")


@case("b3-near-warm", metrics="everything", board="a10")
def b3_warm(w: World) -> Truth:
    planned(w, 70)
    launch(w)
    w.put(w.all(), "train", 70 * 60, **w.steady(hot=12.0))
    train(w, 70, ranks=())
    finish(w)
    return Truth("G1", "warm boards that keep their clocks")


# ---- C: hangs


@case("c1-store", nodes=3)
def c1(w: World) -> Truth:
    launch(w, loads=False)
    minutes = w.rng.choice([10, 15, 30])
    w.say("connecting to rendezvous " + w.nodes[0] + ":29512", 0)
    w.put(w.all(), "host", minutes * 60, memory=0.008)
    w.go(minutes * 60)
    absent = w.n - 1
    for r in range((w.n - 1) * w.g):
        if r % w.g == 0:
            w.shout(
                f"torch.distributed.DistStoreError: Timed out after {minutes * 60 + 1} seconds waiting for clients. {(w.n - 1) * w.g}/{w.world} clients joined.",
                r,
            )
    torn_down(w, 0)
    failing(w)
    return Truth("C1", f"node {w.nodes[absent]} never joined; all GPUs cold", nodes=[])


@case("c1-silent-limit", nodes=4)
def c1_limit(w: World) -> Truth:
    w.limit_min = 120
    launch(w, loads=False)
    w.say("init_process_group(backend='nccl', init_method='env://')", 0)
    w.put(w.all(), "idle", w.limit_min * 60 - (w.now - w.start))
    w.now = w.start + w.limit_min * 60
    w.shout(
        f"slurmstepd: error: *** JOB {w.job} ON {w.nodes[0]} CANCELLED AT {clock(w.now, w.offset_min):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    w.everyone("absent", 30)
    book(w, "TIMEOUT", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth("C1", "two hours in init_process_group with cold GPUs, until the limit")


@case("c1-near-slow-load", nodes=2)
def c1_slow(w: World) -> Truth:
    planned(w, 50)
    launch(w, minutes=24)
    train(w, 50)
    finish(w)
    return Truth("G1", "weights took 24 minutes to load, then the run was sound")


def _frozen(w: World, minutes: float, cold: Iterable[int]) -> None:
    cold = list(cold)
    w.put([k for k in w.all() if k not in cold], "spin", minutes * 60)
    w.put(cold, "host", minutes * 60)
    w.go(minutes * 60)


@case("c2-watchdog", nodes=2, gpus=4)
def c2(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(40, 120))
    r = w.rng.randrange(1, w.world)
    minutes = w.rng.choice([10, 30])
    _frozen(w, minutes, [r])
    for k in w.all():
        if k != r:
            w.shout(
                f"[rank{k}]:[E{clock(w.now, w.offset_min):%m%d %H:%M}:{k % 60:02d}.301223761 ProcessGroupNCCL.cpp:683] [Rank {k}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=88121, OpType=ALLREDUCE, NumelIn=16777216, NumelOut=16777216, Timeout(ms)={minutes * 60000}) ran for {minutes * 60000 + 37} milliseconds before timing out.",
                k,
            )
    torn_down(w, 0 if r else 1, 134)
    failing(w, "0:6", step_code="0:6")
    w.has["dmesg"] = False
    return Truth(
        "C2",
        "all but one rank waited in an all-reduce; that one idles on its host",
        ranks=[r],
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
    )


@case("c2-no-watchdog-limit", nodes=2, gpus=8, metrics="profiled")
def c2_limit(w: World) -> Truth:
    w.limit_min = 300
    launch(w)
    train(w, 130)
    r = w.rng.randrange(1, w.world)
    _frozen(w, (w.start + w.limit_min * 60 - w.now) / 60, [r])
    w.shout(
        f"slurmstepd: error: *** JOB {w.job} ON {w.nodes[0]} CANCELLED AT {clock(w.now, w.offset_min):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    w.everyone("absent", 30)
    book(w, "TIMEOUT", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth(
        "C2",
        "frozen for hours with engines busy and SMs idle, until the time limit",
        ranks=[r],
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
    )


@case("c2-dashboard-cancelled", nodes=4, gpus=8, metrics="dashboard", board="h100")
def c2_dash(w: World) -> Truth:
    launch(w)
    train(w, 100)
    r = w.rng.randrange(1, w.world)
    _frozen(w, 95, [r])
    w.shout("slurmstepd: error: *** STEP ON " + w.nodes[0] + " CANCELLED ***")
    w.everyone("absent", 10)
    book(w, "CANCELLED by 5012", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth(
        "C2",
        "an hour and a half of full utilisation at a quarter of the power on all but one GPU, which idles",
        ranks=[r],
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
    )


@case("c2-all-spin", nodes=8, gpus=4, metrics="profiled")
def c2_spin(w: World) -> Truth:
    launch(w)
    train(w, 60)
    _frozen(w, 45, [])
    w.shout("slurmstepd: error: *** STEP ON " + w.nodes[0] + " CANCELLED ***")
    w.everyone("absent", 10)
    book(w, "CANCELLED by 0", "0:0", step_state="CANCELLED", step_code="0:9")
    return Truth("C2", "every rank waits in a collective that never completes; no culprit can be told")


@case("c2-near-eval", nodes=2, gpus=8)
def c2_eval(w: World) -> Truth:
    planned(w, 110)
    launch(w)
    train(w, 60)
    w.say(f"evaluation begins at step {w.step}", 0)
    w.put([0], "train", 780, **w.steady(work=0.5, wait=0.0, sm=0.3, power=0.4))
    w.put(range(1, w.world), "spin", 780)
    w.go(780)
    w.say("evaluation: perplexity 11.31 in 780.2 s", 0)
    train(w, 50)
    finish(w)
    return Truth("G1", "rank 0 evaluated for 13 minutes while the others waited, and the run went on to its end")


@case("c3-mid", nodes=1, gpus=1, metrics="profiled")
def c3(w: World) -> Truth:
    launch(w)
    train(w, 55)
    w.everyone("host", 3.5 * 3600)
    w.shout("^C")
    w.everyone("absent", 10)
    book(w, "CANCELLED by 5012", "0:0", step_state="CANCELLED", step_code="0:2")
    return Truth("C3", "one GPU, memory held, nothing launched for hours", nodes=[w.nodes[0]], gpus=[w.uuids[0]])


@case("c3-from-start", nodes=1, gpus=1)
def c3_start(w: World) -> Truth:
    w.limit_min = 240
    launch(w, minutes=3)
    w.everyone("host", w.limit_min * 60 - (w.now - w.start), memory=0.22)
    w.shout(
        f"slurmstepd: error: *** JOB {w.job} ON {w.nodes[0]} CANCELLED AT {clock(w.now, w.offset_min):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    w.everyone("absent", 20)
    book(w, "TIMEOUT", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth(
        "C3",
        "weights were loaded, then nothing was ever launched until the limit",
        nodes=[w.nodes[0]],
        gpus=[w.uuids[0]],
    )


@case("c3-near-cpu-eval", nodes=1, gpus=1)
def c3_near(w: World) -> Truth:
    planned(w, 75)
    launch(w)
    train(w, 35)
    w.say("scoring generations on the CPU (sacrebleu, 40000 pairs)", 0)
    w.everyone("host", 900)
    w.say("bleu 31.2", 0)
    train(w, 40)
    finish(w)
    return Truth("G1", "a quarter of an hour on the CPU, announced, and the run went on")


# ---- D: slow


@case("d1-severe", metrics="profiled", style="mmengine")
def d1(w: World) -> Truth:
    w.step_s = w.rng.choice([7.5, 12.0, 22.0])
    planned(w, 110)
    launch(w)
    train(w, 110, work=0.06, wait=0.02 if w.world > 1 else 0.0, data=w.step_s * 0.91)
    finish(w)
    return Truth("D1", "GPUs work a sixteenth of each long step; the job's own timer says data", also=[])


@case("d1-dashboard", metrics="dashboard", nodes=1, style="nano")
def d1_dash(w: World) -> Truth:
    w.step_s = 14.0
    planned(w, 90)
    launch(w)
    train(w, 90, work=0.05, wait=0.0)
    finish(w)
    return Truth("D1", "utilisation near nothing in bursts, steps of 14 seconds, learning goes on")


@case("d1-near-mild", metrics="profiled")
def d1_mild(w: World) -> Truth:
    planned(w, 90)
    launch(w)
    train(w, 90, work=0.68, wait=0.1 if w.world > 1 else 0.0)
    finish(w)
    return Truth("G1", "a fifth of each step idles: mild, a warning at most")


@case("d2-sockets", nodes=4, gpus=8, metrics="profiled")
def d2(w: World) -> Truth:
    launch(w, loads=True)
    w.shout("NCCL INFO NET/IB : No device found.", 0)
    w.shout("NCCL INFO Using network Socket", 0)
    w.step_s = 19.0
    w.planned = 3000
    train(w, 140, work=0.08, wait=0.9)
    w.everyone("absent", 10)
    w.shout("slurmstepd: error: *** STEP CANCELLED ***")
    book(w, "CANCELLED by 5012", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth(
        "D2", "all ranks alike wait nine tenths of each step in collectives over sockets", also=["outside_families"]
    )


@case("d2-saves", nodes=1, gpus=4, metrics="profiled", style="own")
def d2_saves(w: World) -> Truth:
    w.planned = 200
    launch(w)
    for k in range(1, 201):
        begin = w.now
        w.step += 1
        w.put(w.all(), "train", 3.0, step=3.0, work=0.9, wait=0.08, sm=w.sm, power=w.power)
        w.go(3.0)
        w.say(step_line(w, w.step, w.loss(w.step), 23.0), 0)
        w.say(f"saving checkpoint step-{k} to /scratch/ckpt/step-{k}", 0)
        w.put(w.all(), "host", 20.0)
        w.go(20.0)
        w.say(f"saved in {w.now - begin - 3.0:.1f}s", 0)
    finish(w)
    return Truth("D2", "a save of 20 seconds after every step of 3")


@case("d2-blocking", nodes=1, gpus=8, metrics="profiled", style="logged")
def d2_blocking(w: World) -> Truth:
    w.step_s = 9.0
    planned(w, 100)
    launch(w)
    w.say("environment: CUDA_LAUNCH_BLOCKING=1 NCCL_DEBUG=WARN OMP_NUM_THREADS=8", 0)
    train(w, 100, work=0.97, wait=0.01, sm=0.11, power=0.17)
    finish(w)
    return Truth(
        "D2", "launches are blocking, as the job's environment says; engines busy, SMs at a ninth on all ranks"
    )


@case("d2-near-comm", nodes=8, gpus=8, metrics="profiled", scrape=60)
def d2_near(w: World) -> Truth:
    planned(w, 100)
    launch(w)
    train(w, 100, work=0.72, wait=0.26)
    finish(w)
    return Truth("G1", "a quarter of each step in collectives: usual at scale")


@case("d3-slow-gpu", nodes=4, gpus=8, metrics="profiled")
def d3(w: World) -> Truth:
    r = w.rng.randrange(w.world)
    launch(w)
    f = w.steady()
    minutes = 120
    w.put(
        [k for k in w.all() if k != r],
        "train",
        minutes * 60,
        **{**f, "step": w.step_s * 2.6, "work": f["work"] / 2.6, "wait": 1 - f["work"] / 2.6 - 0.01},
    )
    w.put([r], "train", minutes * 60, **{**f, "step": w.step_s * 2.6, "work": 0.96, "wait": 0.02})
    w.planned = int(minutes * 60 / (w.step_s * 2.6))
    train(w, minutes, ranks=(), slower=2.6)
    finish(w)
    return Truth(
        "D3",
        "one rank computes all the time, the others wait for it",
        ranks=[r],
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
    )


@case("d3-late-host", nodes=2, gpus=8, metrics="profiled")
def d3_host(w: World) -> Truth:
    r = w.rng.randrange(w.world)
    launch(w)
    f = w.steady()
    minutes = 100
    w.put(
        [k for k in w.all() if k != r],
        "train",
        minutes * 60,
        **{**f, "step": w.step_s * 3, "work": f["work"] / 3, "wait": 0.98 - f["work"] / 3},
    )
    w.put([r], "train", minutes * 60, **{**f, "step": w.step_s * 3, "work": f["work"] / 3, "wait": 0.03})
    w.planned = int(minutes * 60 / (w.step_s * 3))
    train(w, minutes, ranks=(), slower=3)
    finish(w)
    return Truth(
        "D3",
        "one rank comes late to every collective: its GPU idles, the others spin",
        ranks=[r],
        nodes=[w.node_of(r)],
        gpus=[w.uuids[r]],
    )


@case("d3-near-stages", nodes=2, gpus=4, metrics="profiled", style="megatron")
def d3_near(w: World) -> Truth:
    planned(w, 90)
    launch(w)
    w.shout("  pipeline_model_parallel_size .................... 4", 0)
    for r in w.all():
        share = (0.62, 0.74, 0.74, 0.81)[r // 2]
        w.put([r], "train", 90 * 60, **w.steady(work=share, wait=0.98 - share))
    train(w, 90, ranks=())
    finish(w)
    return Truth("G1", "stages of a pipeline that differ somewhat, as stages do")


# ---- E: learning


@case("e1-nan", style="own")
def e1(w: World) -> Truth:
    planned(w, 120)
    launch(w)
    train(w, 70)
    train(w, 50, loss=lambda n: float("nan"))
    finish(w)
    return Truth("E1", "the loss is NaN from two thirds on")


@case("e1-climbs", style="nano")
def e1_climb(w: World) -> Truth:
    planned(w, 120)
    launch(w)
    train(w, 50)
    at, base = w.step, w.loss(w.step)
    train(w, 70, loss=lambda n: base + (3.2 * w.loss0 - base) * min(1, (n - at) / 400) * w.rng.gauss(1, 0.01))
    finish(w)
    return Truth("E1", "the loss climbs to three times its first value and stays")


@case("e1-near-spike", style="megatron")
def e1_near(w: World) -> Truth:
    planned(w, 120)
    launch(w)
    train(w, 60)
    train(w, 2, loss=lambda n: w.loss0 * 0.9)
    train(w, 58)
    finish(w)
    return Truth("G1", "a spike of two minutes that came back")


@case("e2-load-fails", nodes=2)
def e2(w: World) -> Truth:
    launch(w)
    w.say("resuming from /ckpt/pt-7/step_41000", 0)
    for r in w.all():
        traceback(
            w,
            r,
            [MAIN, ("/home/mreyes/pt/ckpt.py", 55, "restore", "self.model.load_state_dict(shard['model'])")],
            "RuntimeError: Error(s) in loading state_dict for Decoder:\n\tsize mismatch for embed.weight: copying a param with shape torch.Size([50304, 4096]) from checkpoint, the shape in current model is torch.Size([128256, 4096]).",
        )
    torn_down(w, 0)
    failing(w)
    return Truth("E2", "the checkpoint's embedding has another size")


@case("e3-five-minutes", style="hf", nodes=1)
def e3(w: World) -> Truth:
    w.step_s, w.planned, w.every = 11.0, 3, 1
    launch(w)
    train(w, 0.56)
    w.say(
        "{'train_runtime': 33.4, 'train_samples_per_second': 5.7, 'train_steps_per_second': 0.09, 'train_loss': 10.1, 'epoch': 0.01}",
        0,
    )
    finish(w)
    return Truth("E3", "three steps, all of the plan")


# ---- F: machines and the scheduler


@case("f1-node-fail", nodes=6)
def f1(w: World) -> Truth:
    launch(w)
    train(w, w.rng.uniform(60, 150))
    node = w.rng.randrange(w.n)
    w.lost[node] = w.now
    w.put(w.all(), "spin", 290)
    w.go(290)
    w.shout(f"srun: error: Node failure on {w.nodes[node]}")
    w.shout(
        f"slurmstepd: error: *** JOB {w.job} ON {w.nodes[0]} CANCELLED AT {clock(w.now, w.offset_min):%Y-%m-%dT%H:%M:%S} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***"
    )
    w.everyone("absent", 5)
    book(w, "NODE_FAIL", "1:0", step_state="CANCELLED", step_code="0:9")
    return Truth("F1", "a node went down, as Slurm says, and its series end", nodes=[w.nodes[node]])


@case("f1-near-hole", nodes=6)
def f1_near(w: World) -> Truth:
    planned(w, 100)
    launch(w)
    train(w, 40)
    node = w.rng.randrange(w.n)
    w.holes.append((w.now, w.now + 900, node))
    train(w, 60)
    finish(w)
    return Truth("G1", "a quarter of an hour without samples of one node, and the run went on")


@case("f2-preempted-back")
def f2(w: World) -> Truth:
    planned(w, 160)
    launch(w)
    train(w, 60)
    w.shout(
        f"slurmstepd: error: *** JOB {w.job} ON {w.nodes[0]} CANCELLED AT {clock(w.now, w.offset_min):%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***"
    )
    book(w, "PREEMPTED", "0:0", step_state="CANCELLED", step_code="0:15")
    w.everyone("absent", 1500)
    begin = w.now
    w.everyone("host", 90, memory=0.03)
    w.say(f"resumed from /ckpt/step-{w.step} after preemption", 0)
    train(w, 100)
    w.step = w.planned
    w.say(step_line(w, w.step, w.loss(w.step), w.step_s), 0)
    w.say("training finished: final checkpoint written to /ckpt/final", 0)
    w.everyone("absent", 10)
    book(w, "COMPLETED", "0:0", begin=begin)
    return Truth("F2", "preempted, requeued, resumed and finished")


@case("f2-requeued-node-fail-pending")
def f2_pending(w: World) -> Truth:
    launch(w)
    train(w, 85)
    w.shout(
        f"slurmstepd: error: *** JOB {w.job} ON {w.nodes[0]} CANCELLED AT {clock(w.now, w.offset_min):%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***"
    )
    w.everyone("absent", 30)
    book(w, "PREEMPTED", "0:0", step_state="CANCELLED", step_code="0:15")
    w.rows.append(Row("", "pretrain", "PENDING", "0:0", None, None))
    return Truth("F2", "preempted and not started again yet")


@case("f3-limit")
def f3(w: World) -> Truth:
    w.limit_min = 180
    launch(w, planned=1_000_000)
    train(w, (w.start + w.limit_min * 60 - w.now) / 60)
    w.shout(
        f"slurmstepd: error: *** JOB {w.job} ON {w.nodes[0]} CANCELLED AT {clock(w.now, w.offset_min):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    w.everyone("absent", 20)
    book(w, "TIMEOUT", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth("F3", "it advanced until the limit")


@case("f3-accounting-and-metrics")
def f3_nolog(w: World) -> Truth:
    w.limit_min = 240
    launch(w, planned=1_000_000)
    train(w, (w.start + w.limit_min * 60 - w.now) / 60)
    w.everyone("absent", 20)
    book(w, "TIMEOUT", "0:0", step_state="CANCELLED", step_code="0:15")
    w.has["log"] = False
    return Truth("F3", "no log; GPUs worked until the limit, and accounting says TIMEOUT")


# ---- G: sound


def _sound(w: World) -> Truth:
    planned(w, 100)
    launch(w)
    train(w, 100)
    finish(w)
    return Truth("G1", "a sound run")


for _name, _how in {
    "g1-any": {},
    "g1-operator": {"scheme": "operator", "layout": "chunks"},
    "g1-noname": {"scheme": "noname", "layout": "metric"},
    "g1-dict": {"layout": "dict", "metrics": "profiled"},
    "g1-federated": {"scheme": "federated", "layout": "one"},
    "g1-sixty-four": {"nodes": 64, "gpus": 4, "scrape": 60, "metrics": "shipped"},
    "g1-one-gpu": {"nodes": 1, "gpus": 1, "scrape": 5},
    "g1-b200": {"board": "b200", "scheme": "relabelled"},
    "g1-instance": {"scheme": "instance", "sacct": "json-old"},
    "g1-small-work": {"sm": 0.34, "power": 0.42, "metrics": "profiled", "board": "a6000"},
}.items():
    case(_name, **_how)(_sound)


@case("g1-scary-kernel")
def g1_scary(w: World) -> Truth:
    planned(w, 80)
    launch(w)
    train(w, 30)
    w.kern(
        0,
        f"NVRM: Xid (PCI:0000:{w.bus[0].lower()}:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x000000000d1c0a4) marked for remapping, reset gpu to activate.",
    )
    w.kern(0, "mce: [Hardware Error]: Machine check events logged")
    w.kern(
        0,
        "EDAC MC3: 1 CE memory read error on CPU_SrcID#1_MC#1_Chan#0_DIMM#0 (channel:0 slot:0 page:0x3a5b offset:0x540)",
    )
    w.kern(0, "mlx5_core 0000:9a:00.0: Port module event: module 0, Cable error")
    train(w, 50)
    finish(w)
    return Truth("G1", "corrected errors and a row to be remapped later; the run ended as planned")


@case("g1-no-log")
def g1_nolog(w: World) -> Truth:
    planned(w, 100)
    launch(w)
    train(w, 100)
    finish(w)
    w.has["log"] = False
    return Truth("G1", "no log; accounting says COMPLETED and GPUs worked evenly", also=["cannot_decide"])


# ---- what cannot be told


@case("nothing-metrics-only")
def nothing_metrics(w: World) -> Truth:
    launch(w)
    train(w, 80)
    w.margin = 0
    w.has |= {"log": False, "sacct": False, "dmesg": False}
    return Truth(None, "busy GPUs, and no word of the end", outcome="cannot_decide")


@case("nothing-failed-silently")
def nothing_failed(w: World) -> Truth:
    launch(w)
    train(w, 80)
    failing(w, "1:0")
    return Truth(None, "accounting says FAILED with 1; neither log nor kernel tell why", outcome="cannot_decide")


@case("nothing-log-lost-at-freeze", metrics="dashboard")
def nothing_blackout(w: World) -> Truth:
    launch(w)
    train(w, 70)
    w.holes.append((w.now - 1200, w.now + 4000, None))
    w.go(600)
    failing(w, "1:0")
    w.has["log"] = False
    return Truth(None, "samples end long before the job, which FAILED; no log", outcome="cannot_decide")


@case("outside-cancelled")
def outside(w: World) -> Truth:
    launch(w)
    train(w, 60)
    w.shout(
        f"slurmstepd: error: *** STEP {w.job}.0 ON {w.nodes[0]} CANCELLED AT {clock(w.now, w.offset_min):%Y-%m-%dT%H:%M:%S} ***"
    )
    w.shout("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    w.everyone("absent", 15)
    book(w, "CANCELLED by 5012", "0:0", step_state="CANCELLED", step_code="0:15")
    return Truth(None, "its user cancelled a sound run", outcome="outside_families")
