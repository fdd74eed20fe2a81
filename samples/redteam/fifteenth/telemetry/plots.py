"""What happens in a SIMULATED incident: one function a family, over the same machine, cards and voice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .lab import BRAKE, OFF, SLOWDOWN, Lab, Mode, lab, metrics, training
from .logs import Teller, write
from .site import Row, accounting, harmless, kernels, nodes, oom_kill

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from samples.redteam.fifteenth.lot_data import Incident

    from .lab import Gpu

Down = dict[str, tuple[str, str]]
End = tuple[list[Row], Down]
"""Accounting's rows, and nodes that are not as they should be."""


Spans = tuple[list[tuple[float, float]], list[tuple[float, float, str]]]
"""Stretches of work, and the pauses between them."""


def _spans(made: Lab, t0: float, t1: float) -> Spans:
    """Work and pauses between two moments: long pauses where the lot wants them, else one short save."""
    rng, odd, long = made.rng, made.lot.oddity, t1 - t0 > 800
    if odd in ("evaluation pause", "checkpoint pause") and long:
        kind, marks, lasts = odd.split()[0], (0.31, 0.64), lambda: rng.uniform(100, 190)
    else:
        kind, marks, lasts = "checkpoint", (0.5,), lambda: rng.uniform(9, 19)
    pauses = []
    for mark in marks:
        begin = t0 + (t1 - t0) * mark
        pauses.append((begin, begin + lasts(), kind))
    edges = [t0, *(edge for pause in pauses for edge in pause[:2]), t1]
    return list(zip(edges[::2], edges[1::2], strict=True)), pauses


def _count(spans: Spans, each: float) -> int:
    """Steps that fit between the pauses."""
    return sum(int((b - a) / each + 1e-6) for a, b in spans[0])


def _train(
    made: Lab,
    teller: Teller,
    t0: float,
    t1: float,
    mode: Mode,
    *,
    data_s: float | None = None,
    odd: tuple[Gpu, Mode] | None = None,
    final: bool = False,
    spans: Spans | None = None,
) -> None:
    """Train between two moments, with pauses; ``final`` makes this the whole plan."""
    each = teller.step_s
    work, pauses = spans or _spans(made, t0, t1)
    if final:
        teller.plan = teller.step + _count((work, pauses), each)
    gpu = odd[0] if odd else None
    for k, (a, b) in enumerate(work):
        made.all_until(b, mode, but=gpu)
        if odd:
            odd[0].story.append((b, odd[1]))
        teller.steps(a, b, each, data_s)
        if k < len(pauses):
            start, stop, kind = pauses[k]
            tested = kind == "evaluation"
            made.all_until(
                stop,
                replace(mode, engine=0.55, sm=0.24, tensor=0.08, link=0.4, duty=1.0)
                if tested
                else replace(mode, engine=0.0, sm=0.0, tensor=0.0, dram=0.0, link=0.0, pcie=4.0, duty=1.0),
            )
            (teller.tested if tested else teller.saved)(start, stop - start)


def _begin(made: Lab, plan_of: float = 3.0, *, step_s: float | None = None) -> tuple[Teller, float, Mode]:
    """Idle until the job comes, then loading; gives the voice, the first moment of work and a healthy mode."""
    rng = made.rng
    mode = training(made, rng)
    each = step_s or rng.uniform(0.7, 3.4)
    teller = Teller(made, each, int(made.window / each * plan_of))
    ready = made.begun + rng.uniform(55, 110)
    made.all_until(made.begun + 14, OFF)
    made.all_until(
        ready, replace(mode, engine=0.03, sm=0.01, tensor=0.0, dram=0.01, mem=mode.mem * 0.25, link=0.0, pcie=5.0)
    )
    teller.banner(made.begun)
    return teller, ready, mode


def _failed(
    made: Lab, ended: float, code: str = "1:0", *, state: str = "FAILED", step: tuple[str, str] | None = None
) -> list[Row]:
    """One row of a job that failed."""
    return [Row(state, code, made.begun, ended, made.lot.minutes * 4, step or ("FAILED", code), ("FAILED", code))]


def _exit(made: Lab, t: float, host: str, rank: int, code: int = 1) -> None:
    """The words of srun on a task that failed, and on the end of the others."""
    made.say(t, f"srun: error: {host}: task {rank}: Exited with exit code {code}")
    if len(made.gpus) > 1:
        made.say(t + 1, f"srun: Terminating StepId={made.job}.0")
        made.say(
            t + 1,
            f"slurmstepd: error: *** STEP {made.job}.0 ON {made.hosts[0]} CANCELLED AT {made.local(t + 1, made.hosts[0]):%Y-%m-%dT%H:%M:%S} ***",
        )


def healthy(made: Lab) -> End:
    """All steps of the plan, and a goodbye."""
    teller, ready, mode = _begin(made)
    end = made.window - made.rng.uniform(150, 260)
    teller_ready = ready
    _train(made, teller, ready, end, mode, final=True)
    teller.ready(teller_ready - 4)
    teller.saved(end + 1, 8.0)
    teller.goodbye(end + 12)
    made.all_until(end + 18, replace(mode, engine=0, sm=0, tensor=0, dram=0, link=0))
    return [Row("COMPLETED", "0:0", made.begun, end + 20, made.lot.minutes * 3)], {}


def startup_crash(made: Lab) -> End:
    """The job's own mistake, before any kernel or in the middle of the run."""
    rng = made.rng
    teller, ready, mode = _begin(made)
    home = f"/home/{made.user}/proj"
    main = [f'  File "{home}/train.py", line 212, in <module>', "    main(parse())"]
    if rng.random() < 0.6:
        for gpu in made.gpus:
            gpu.story = [(made.begun + 30, OFF), (made.begun + 48, Mode(mem=0.007))]
        at = made.begun + 47
        frames, error = rng.choice(
            (
                (
                    [
                        *main,
                        f'  File "{home}/model.py", line 64, in build',
                        "    raise ValueError(f'hidden size {d} is not a multiple of heads {h}')",
                    ],
                    "ValueError: hidden size 4100 is not a multiple of heads 32",
                ),
                (
                    [
                        *main,
                        f'  File "{home}/data.py", line 31, in open_mix',
                        "    with open(root / 'index.json') as handle:",
                    ],
                    f"FileNotFoundError: [Errno 2] No such file or directory: '/scratch/{made.user}/mix-v4/index.json'",
                ),
            )
        )
        for rank in range(teller.ranks):
            teller.raised(at + 0.01 * rank, rank, frames, error)
        _exit(made, at + 3, made.hosts[0], 0)
        return _failed(made, at + 6), {}
    teller.ready(ready - 4)
    at = made.window * rng.uniform(0.45, 0.75)
    _train(made, teller, ready, at, mode)
    rank = rng.randrange(teller.ranks)
    teller.raised(
        at + 1,
        rank,
        [
            *main,
            f'  File "{home}/data.py", line 118, in collate',
            "    return torch.stack([row['ids'] for row in rows])",
        ],
        "RuntimeError: stack expects each tensor to be equal size, but got [4096] at entry 0 and [4017] at entry 3",
    )
    _exit(made, at + 4, made.hosts[rank // made.lot.gpus], rank)
    return _failed(made, at + 8), {}


def killed(made: Lab) -> End:
    """The kernel kills a rank for the job's memory limit, or a library dies of a bad address."""
    rng = made.rng
    teller, ready, mode = _begin(made)
    teller.ready(ready - 4)
    at = made.window * rng.uniform(0.4, 0.8)
    _train(made, teller, ready, at, mode)
    gpu = rng.choice(made.gpus)
    rank, pid = teller.rank(gpu.host, gpu.index), rng.randrange(10**5, 10**6)
    if rng.random() < 0.6:
        made.kernel[gpu.host] += oom_kill(made, gpu.host, at, pid, made.job)
        made.say(
            at + 2,
            f"slurmstepd: error: Detected 1 oom_kill event in StepId={made.job}.0. Some of the step tasks have been OOM Killed.",
        )
        made.say(at + 3, f"srun: error: {gpu.host}: task {rank}: Out Of Memory")
        return _failed(made, at + 9, "0:125", state="OUT_OF_MEMORY", step=("OUT_OF_MEMORY", "0:125")), {}
    made.kernel[gpu.host].append(
        (
            at,
            f"python3[{pid}]: segfault at 18 ip 00007f3c1a985ad8 sp 00007ffca5f09948 error 4 in libdecode_fast.so[1a2ad8,7f3c1a844000+156000] likely on CPU 31 (core 31, socket 0)",
        )
    )
    made.say(at + 2, f"srun: error: {gpu.host}: task {rank}: Segmentation fault (core dumped)")
    if teller.ranks > 1:
        made.say(at + 3, f"srun: Terminating StepId={made.job}.0")
    return _failed(made, at + 8, "11:0", step=("FAILED", "0:11")), {}


def cuda_memory(made: Lab) -> End:
    """The cards fill up until one request is refused."""
    rng = made.rng
    teller, ready, mode = _begin(made)
    teller.ready(ready - 4)
    at = made.window * rng.uniform(0.45, 0.8)
    _train(made, teller, ready, at * 0.6, replace(mode, mem=0.86))
    for part, mem in ((0.75, 0.91), (0.9, 0.94), (1.0, 0.972)):
        made.all_until(at * part, replace(mode, mem=mem))
    teller.steps(at * 0.6, at)
    rank = rng.randrange(teller.ranks)
    total = made.card.memory / 1024
    home = f"/home/{made.user}/proj"
    teller.raised(
        at + 1,
        rank,
        [
            f'  File "{home}/train.py", line 212, in <module>',
            "    main(parse())",
            f'  File "{home}/model.py", line 171, in forward',
            "    scores = q @ k.transpose(-1, -2)",
        ],
        f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.75 GiB. GPU {rank % made.lot.gpus} has a total capacity of {total:.2f} GiB of which 1.41 GiB is free. Including non-PyTorch memory, this process has {total - 1.42:.2f} GiB memory in use. Of the allocated memory {total - 3.4:.2f} GiB is allocated by PyTorch, and 712.33 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.",
    )
    _exit(made, at + 4, made.hosts[rank // made.lot.gpus], rank)
    return _failed(made, at + 8), {}


def broken_card(made: Lab) -> End:
    """A card falls off the bus, or its memory is found broken."""
    rng = made.rng
    teller, ready, mode = _begin(made)
    teller.ready(ready - 4)
    at = made.window * rng.uniform(0.4, 0.8)
    _train(made, teller, ready, at, mode)
    gpu = rng.choice(made.gpus)
    rank, pid = teller.rank(gpu.host, gpu.index), rng.randrange(10**5, 10**6)
    bus = f"PCI:{gpu.bus}"
    frames = [f'  File "/home/{made.user}/proj/train.py", line 188, in step', "    loss.backward()"]
    if rng.random() < 0.5:
        gpu.gone = at
        made.kernel[gpu.host] += [
            (at, f"NVRM: GPU at {bus}: {gpu.uuid}"),
            (at, f"NVRM: Xid ({bus}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."),
            (at, f"NVRM: GPU {gpu.bus}.0: GPU has fallen off the bus."),
            (
                at + 1,
                f"NVRM: Xid ({bus}): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
            ),
        ]
        error = "RuntimeError: CUDA error: unspecified launch failure"
    else:
        gpu.xid.append((at, 95))
        gpu.double = [at, at]
        made.kernel[gpu.host] += [
            (at, f"NVRM: GPU at {bus}: {gpu.uuid}"),
            (
                at,
                f"NVRM: Xid ({bus}): 95, pid={pid}, name=python3, Uncontained: LTC TAG (0x2, 0x1). RST: Yes, D-RST: No",
            ),
            (
                at,
                f"NVRM: Xid ({bus}): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000{rng.randrange(16**8):08x}) marked for remapping, reset gpu to activate.",
            ),
            (at + 1, f"NVRM: Xid ({bus}): 45, pid={pid}, name=python3, Ch 0000000c"),
        ]
        error = "RuntimeError: CUDA error: uncorrectable ECC error encountered"
    teller.raised(at + 1, rank, frames, error)
    _exit(made, at + 5, gpu.host, rank)
    return _failed(made, at + 9), {}


def throttled(made: Lab) -> End:
    """One card's cooling fails, or a whole node's power is braked: clocks fall and all wait."""
    rng = made.rng
    teller, ready, mode = _begin(made)
    first = made.window * rng.uniform(0.28, 0.4)
    end = made.window - rng.uniform(160, 240)
    factor = rng.uniform(1.7, 2.3)
    spans = _spans(made, ready, first)
    teller.plan = _count(spans, teller.step_s) + int((end - first) / (teller.step_s * factor) + 1e-6)
    _train(made, teller, ready, first, mode, spans=spans)
    teller.ready(ready - 4)
    waiting = replace(
        mode, sm=mode.sm / factor, tensor=mode.tensor / factor, dram=mode.dram / factor, link=mode.link / factor
    )
    gpu = rng.choice(made.gpus)
    if rng.random() < 0.5:
        gpu.heat = (first, 2.5)
        slow = {gpu.uuid}
    else:
        slow = {each.uuid for each in made.of(gpu.host)}
    made.all_until(end, waiting)
    for each in made.gpus:
        if each.uuid in slow:
            brake = each.heat[1] == 1.0
            each.story[-1] = (end, replace(mode, clock=0.42, why=BRAKE | SLOWDOWN) if brake else mode)
    teller.steps(first, end, teller.step_s * factor)
    teller.saved(end + 1, 8)
    teller.goodbye(end + 11)
    return [Row("COMPLETED", "0:0", made.begun, end + 20, made.lot.minutes * 3)], {}


def never_met(made: Lab) -> End:
    """Ranks wait for one that cannot reach the store."""
    teller, _, _ = _begin(made)
    wait = 1800 if made.window > 2700 else 600
    at = made.begun + 22 + wait
    for gpu in made.gpus:
        gpu.story = [(at, OFF)]
    lost = made.hosts[-1]
    count = teller.ranks
    joined = count - made.lot.gpus
    where = f"{made.hosts[0]}, 29500"
    teller.raised(
        at,
        0,
        [f'  File "/home/{made.user}/proj/train.py", line 41, in setup', "    dist.init_process_group('nccl')"],
        f"torch.distributed.DistStoreError: Timed out after {wait + 1} seconds waiting for clients. {joined}/{count} clients joined.",
    )
    for rank in range(joined, count):
        teller.raised(
            at + 1,
            rank,
            [f'  File "/home/{made.user}/proj/train.py", line 41, in setup', "    dist.init_process_group('nccl')"],
            f"torch.distributed.DistNetworkError: The client socket has timed out after {wait}000ms while trying to connect to ({where}).",
        )
    _exit(made, at + 4, lost, count - 1)
    return _failed(made, at + 8), {}


def frozen(made: Lab) -> End:
    """One rank stops where nobody sees it; the others wait in a collective."""
    rng = made.rng
    teller, ready, mode = _begin(made)
    teller.ready(ready - 4)
    at = ready + (made.window - 900 - ready) * rng.uniform(0.4, 0.8) if made.window > 1700 else made.window * 0.32
    _train(made, teller, ready, at, mode)
    gpu = rng.choice(made.gpus)
    rank, pid = teller.rank(gpu.host, gpu.index), rng.randrange(10**5, 10**6)
    end = at + 604
    made.all_until(end, replace(mode, engine=0.999, sm=0.02, tensor=0.0, dram=0.005, link=0.0, pcie=0.02), but=gpu)
    gpu.story.append((end, replace(mode, engine=0.0, sm=0.0, tensor=0.0, dram=0.0, link=0.0)))
    if rng.random() < 0.6:
        made.kernel[gpu.host] += [
            (at + 130, f"INFO: task python3:{pid} blocked for more than 120 seconds."),
            (at + 130, "      Tainted: G           OE     5.15.0-113-generic #123-Ubuntu"),
            (at + 130, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'),
        ]
    teller.watchdog(at + 601, [rank], 10)
    made.say(at + 608, f"srun: Terminating StepId={made.job}.0")
    teller.cancelled(at + 609, what="STEP")
    made.say(at + 614, f"srun: error: {gpu.host}: task {rank}: Killed")
    return _failed(made, at + 616, "6:0"), {}


def idle_hang(made: Lab) -> End:
    """One card, a process that holds it and does nothing, until the time limit."""
    rng = made.rng
    teller, ready, mode = _begin(made)
    teller.ready(ready - 4)
    at = made.window * rng.uniform(0.25, 0.5)
    _train(made, teller, ready, at, mode)
    end = made.window - 170
    made.all_until(end, replace(mode, engine=0.0, sm=0.0, tensor=0.0, dram=0.0, link=0.0, pcie=0.01))
    teller.cancelled(end, " DUE TO TIME LIMIT")
    limit = int((end - made.begun) // 60)
    return [Row("TIMEOUT", "0:0", made.begun, end + 2, limit, ("CANCELLED", "0:15"), ("CANCELLED", "0:15"))], {}


def starved(made: Lab) -> End:
    """The loader gives a batch every few seconds, and the cards wait for it."""
    rng = made.rng
    each = rng.uniform(5.5, 9.5)
    teller, ready, mode = _begin(made, step_s=each)
    teller.style = "own" if rng.random() < 0.6 else teller.style
    end = made.window - rng.uniform(150, 240)
    busy = rng.uniform(0.09, 0.16)
    _train(made, teller, ready, end, replace(mode, duty=busy), data_s=each * (1 - busy) * 0.97, final=True)
    teller.ready(ready - 4)
    teller.saved(end + 1, 8)
    teller.goodbye(end + 12)
    return [Row("COMPLETED", "0:0", made.begun, end + 20, made.lot.minutes * 3)], {}


def held_up(made: Lab) -> End:
    """Every rank alike: the network falls back to sockets, saves at every step, or launches that wait."""
    rng = made.rng
    kinds = ["launch", "saves"] + (["network"] * 2 if made.lot.nodes > 1 else [])
    kind = rng.choice(kinds)
    each = {"launch": 5.2, "saves": 14.0, "network": 11.0}[kind] * rng.uniform(0.9, 1.2)
    teller, ready, mode = _begin(made, step_s=each)
    end = made.window - rng.uniform(150, 240)
    if kind == "launch":
        made.say(made.begun + 2, "+ export CUDA_LAUNCH_BLOCKING=1")
        slow = replace(mode, engine=0.97, sm=0.1, tensor=0.03, dram=0.07, link=mode.link * 0.12)
    elif kind == "network":
        for host in made.hosts:
            made.say(
                made.begun + 20,
                f"{host}:{rng.randrange(2000, 90000)}:{rng.randrange(2000, 90000)} [0] NCCL INFO NET/IB : No device found.",
            )
            made.say(
                made.begun + 20,
                f"{host}:{rng.randrange(2000, 90000)}:{rng.randrange(2000, 90000)} [0] NCCL INFO NET/Socket : Using [0]eno1:10.12.0.{rng.randrange(2, 250)}<0>",
            )
            made.say(
                made.begun + 21,
                f"{host}:{rng.randrange(2000, 90000)}:{rng.randrange(2000, 90000)} [0] NCCL INFO Using network Socket",
            )
        slow = replace(mode, engine=0.99, sm=0.11, tensor=0.04, dram=0.09, link=mode.link * 0.1)
    else:
        slow = replace(mode, engine=0.13, sm=0.07, tensor=0.03, dram=0.05, link=mode.link * 0.1, pcie=6.0)
    if kind == "saves":
        teller.plan, teller.every = int((end - ready) / each), 1
        made.all_until(end, slow)
        for k in range(teller.plan):
            t = ready + k * each
            teller.steps(t, t + each * 0.16, each * 0.155)
            teller.saved(t + each * 0.17, each * 0.8)
    else:
        _train(made, teller, ready, end, slow, final=True)
    teller.ready(ready - 4)
    teller.goodbye(end + 12)
    return [Row("COMPLETED", "0:0", made.begun, end + 20, made.lot.minutes * 3)], {}


def straggler(made: Lab) -> End:
    """One card works all the time, the others wait for it in every collective."""
    rng = made.rng
    teller, ready, mode = _begin(made, step_s=rng.uniform(3.0, 5.0))
    end = made.window - rng.uniform(150, 240)
    gpu = rng.choice(made.gpus)
    slow = replace(mode, engine=0.98, sm=rng.uniform(0.52, 0.62), tensor=0.2, dram=0.4)
    wait = replace(mode, engine=0.985, sm=rng.uniform(0.13, 0.18), tensor=0.05, dram=0.12, link=mode.link * 0.3)
    _train(made, teller, ready, end, wait, odd=(gpu, slow), final=True)
    teller.ready(ready - 4)
    teller.saved(end + 1, 8)
    teller.goodbye(end + 12)
    return [Row("COMPLETED", "0:0", made.begun, end + 20, made.lot.minutes * 3)], {}


def node_down(made: Lab) -> End:
    """A node answers no more, and Slurm ends the job."""
    rng = made.rng
    teller, ready, mode = _begin(made)
    teller.ready(ready - 4)
    at = made.window * rng.uniform(0.45, 0.75)
    _train(made, teller, ready, at, mode)
    host = rng.choice(made.hosts[1:])
    for gpu in made.of(host):
        gpu.gone = at
    until = at + rng.uniform(130, 240)
    made.lost = until - 2
    for gpu in made.gpus:
        gpu.story.append((until, replace(mode, engine=0.999, sm=0.02, tensor=0.0, dram=0.005, link=0.0)))
    made.kernel[host] = [line for line in made.kernel[host] if line[0] < at]
    made.say(until, f"srun: error: Node failure on {host}")
    teller.cancelled(until, " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    return [
        Row(
            "NODE_FAIL",
            "0:0",
            made.begun,
            until + 1,
            made.lot.minutes * 4,
            ("CANCELLED", "0:15"),
            ("CANCELLED", "0:15"),
        )
    ], {host: ("down*", "Not responding")}


def preempted(made: Lab) -> End:
    """Put aside for a job of more weight, requeued, resumed and brought to its end."""
    rng = made.rng
    teller, ready, mode = _begin(made)
    at = made.window * rng.uniform(0.35, 0.45)
    back = at + made.window * rng.uniform(0.08, 0.15)
    again = back + rng.uniform(60, 90)
    end = made.window - rng.uniform(150, 200)
    before, after = _spans(made, ready, at), _spans(made, again, end)
    teller.plan = _count(before, teller.step_s) + _count(after, teller.step_s)
    _train(made, teller, ready, at, mode, spans=before)
    teller.ready(ready - 4)
    made.all_until(back, OFF)
    teller.saved(at + 1, 9)
    kept = teller.step
    teller.cancelled(at + 12, " DUE TO PREEMPTION")
    teller.banner(back)
    made.all_until(again, replace(mode, engine=0.03, sm=0.01, tensor=0.0, dram=0.01, mem=mode.mem * 0.25, link=0.0))
    made.say(
        again - 9,
        f"{teller.stamp(again - 9)} INFO resumed from /scratch/{made.user}/ckpt/step_{kept:07d} at step {kept}",
    )
    _train(made, teller, again, end, mode, spans=after)
    teller.goodbye(end + 12)
    first = Row(
        "PREEMPTED", "0:0", made.begun, at + 13, made.lot.minutes * 3, ("CANCELLED", "0:15"), ("CANCELLED", "0:15")
    )
    return [first, Row("COMPLETED", "0:0", back, end + 20, made.lot.minutes * 3)], {}


def timed_out(made: Lab) -> End:
    """It trained well until the limit."""
    teller, ready, mode = _begin(made)
    teller.ready(ready - 4)
    end = made.window - made.rng.uniform(160, 200)
    _train(made, teller, ready, end, mode)
    teller.cancelled(end + 1, " DUE TO TIME LIMIT")
    limit = int((end - made.begun) // 60)
    return [Row("TIMEOUT", "0:0", made.begun, end + 3, limit, ("CANCELLED", "0:15"), ("CANCELLED", "0:15"))], {}


def outside(made: Lab) -> End:
    """Its owner ends it, or the disk is full."""
    rng = made.rng
    teller, ready, mode = _begin(made)
    teller.ready(ready - 4)
    at = made.window * rng.uniform(0.4, 0.8)
    _train(made, teller, ready, at, mode)
    if rng.random() < 0.5:
        teller.cancelled(at + 1)
        return [
            Row(
                f"CANCELLED by {made.uid}",
                "0:0",
                made.begun,
                at + 3,
                made.lot.minutes * 4,
                ("CANCELLED", "0:15"),
                ("CANCELLED", "0:15"),
            )
        ], {}
    made.say(at, f"{teller.stamp(at)} INFO saving checkpoint to /scratch/{made.user}/ckpt/step_{teller.step:07d}")
    teller.raised(
        at + 6,
        0,
        [f'  File "/home/{made.user}/proj/train.py", line 240, in save', "    handle.write(blob)"],
        "OSError: [Errno 28] No space left on device",
    )
    _exit(made, at + 9, made.hosts[0], 0)
    return _failed(made, at + 13), {}


def silent(made: Lab) -> End:
    """All is well, and then nobody is there; nobody says why."""
    teller, ready, mode = _begin(made)
    teller.ready(ready - 4)
    at = made.window * made.rng.uniform(0.4, 0.8)
    _train(made, teller, ready, at, mode)
    return _failed(made, at + 5), {}


PLOTS: dict[str, Callable[[Lab], End]] = {
    "G1": healthy,
    "A1": startup_crash,
    "A2": killed,
    "B1": cuda_memory,
    "B2": broken_card,
    "B3": throttled,
    "C1": never_met,
    "C2": frozen,
    "C3": idle_hang,
    "D1": starved,
    "D2": held_up,
    "D3": straggler,
    "F1": node_down,
    "F2": preempted,
    "F3": timed_out,
    "outside": outside,
    "undecidable": silent,
}


def happen(lot: Incident, rng: Random, place: Path) -> None:
    """Let an incident happen and leave its files."""
    made = lab(lot, rng)
    harmless(made)
    rows, down = PLOTS[lot.family](made)
    accounting(made, place, rows, rng.choice(("pretrain7b", "vit-l", "ft-chat", "asr-large")))
    if lot.missing != "sacct" or down or lot.oddity == "drained neighbour":
        nodes(made, place, down, drained=lot.oddity == "drained neighbour")
    kernels(made, place, down)
    metrics(made, place)
    write(made, place)
