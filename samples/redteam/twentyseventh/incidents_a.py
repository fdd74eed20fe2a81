"""Incidents t01 to t08 of the twenty-seventh set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from samples.redteam.twentyfirst.rig_incidents import Row, bare, learn, matrix, smi_csv, smi_exporter
from samples.redteam.twentyfourth.rig_site import (
    FREE,
    STEP_HEAD,
    Hall,
    Work,
    coarse,
    held,
    mmu,
    pods,
    shake,
    spin,
    step_rows,
    still,
)
from samples.redteam.twentythird.rig_more import ISO, account, bar, clock, hms, job, put, sacct, torchrun_end, when

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


def milli(t: float, east: int, mark: str = ",") -> str:
    """With milliseconds, never on the stroke of a tenth."""
    t += Random(f"{t:.2f}").uniform(0.003, 0.094) if abs(10 * t - round(10 * t)) < 1e-3 else 0.0
    return f"{clock(t, east)}{mark}{int(t * 1000) % 1000:03d}"


def xid_of_old(spot: tuple[int, int], code: int = 31) -> Callable[[int, int, float, Row], Row]:
    """The last XID of one GPU, seen before the window and kept by DCGM since."""

    def alter(node: int, gpu: int, _at: float, one: Row) -> Row:
        if (node, gpu) == spot:
            one["XID_ERRORS"] = code
        return one

    return alter


def scontrol(place: Path, name: str, values: dict[str, str], east: int, times: tuple[float, float, float]) -> None:
    """What ``scontrol show job`` says of a job that ended."""
    v = values
    submit, begin, end = (clock(t, east, ISO) for t in times)
    span = int(times[2]) - int(times[1])
    run = f"{span // 3600:02d}:{span % 3600 // 60:02d}:{span % 60:02d}"
    put(
        place,
        name,
        [
            f"JobId={v['id']} JobName={v['name']}",
            f"   UserId={v['user']} GroupId={v['group']} MCS_label=N/A",
            f"   Priority={v['priority']} Nice=0 Account={v['account']} QOS=normal",
            f"   JobState={v['state']} Reason={v['reason']} Dependency=(null)",
            f"   Requeue=0 Restarts=0 BatchFlag=1 Reboot=0 ExitCode={v['exit']}",
            f"   RunTime={run} TimeLimit={v['limit']} TimeMin=N/A",
            f"   SubmitTime={submit} EligibleTime={submit}",
            f"   AccrueTime={submit}",
            f"   StartTime={begin} EndTime={end} Deadline=N/A",
            f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={begin} Scheduler=Main",
            f"   Partition={v['partition']} AllocNode:Sid={v['login']}",
            "   ReqNodeList=(null) ExcNodeList=(null)",
            f"   NodeList={v['nodes']}",
            f"   BatchHost={v['first']}",
            f"   NumNodes={v['n']} NumCPUs={v['cpus']} NumTasks={v['n']} CPUs/Task={v['each']} ReqB:S:C:T=0:0:*:*",
            f"   ReqTRES={v['tres']}",
            f"   AllocTRES={v['tres']}",
            "   Socks/Node=* NtasksPerN:B:S:C=1:0:*:* CoreSpec=*",
            f"   MinCPUsNode={v['each']} MinMemoryNode=0 MinTmpDiskNode=0",
            "   Features=(null) DelayBoot=00:00:00",
            "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)",
            f"   Command={v['command']}",
            f"   WorkDir={v['dir']}",
            f"   StdErr={v['out']}",
            "   StdIn=/dev/null",
            f"   StdOut={v['out']}",
            f"   TresPerNode=gres/gpu:{v['gpus']}",
            "   ",
            "",
        ],
    )


def t01(place: Path, rng: Random) -> None:
    """A long sample in the sixth hour asks for more than is left."""
    east, host = 540, "saku-g03"
    begin = when(17, 22, 40, month=11)
    start = begin + 9 * 60 + 14
    ready, stop = start + 171.0, start + 20322.6

    def work(_n: int, g: int, at: float) -> Work:
        if at < start + 12 or at > stop + 7:
            return FREE
        if at < ready - 60:
            return held(0)
        if at < ready:
            return held(15130)
        if at > stop:
            return spin(40272) if g == 0 else FREE
        grown = min(1.0, 0.74 + 0.06 * sum(at > ready + x for x in (30, 240, 1400, 4100)) + 0.02 * (at > ready + 9300))
        one = Work(engine=0.985, sm=0.79, tensor=0.42, dram=0.51, mib=(41600 if g else 40272) * grown, rx=310, tx=280)
        return shake(one, f"t01{g}{at}", 0.88, 1.0)

    park = Hall("A40", [host], 2, work, begin, begin + 360 * 60, 30, 27101, alter=xid_of_old((0, 0)))
    matrix(place, "gpu_metrics.json", park, bare(park, "dcgm"), form="CLOCK_THROTTLE_REASONS")
    lines = [
        "",
        "*****************************************",
        "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system"
        " being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        "*****************************************",
    ]
    lines[0] = f"W{clock(start + 9, east, '%m%d %H:%M:%S')}.118000 771204 site-packages/torch/distributed/run.py:766] "
    lines = [lines[0], *(lines[0] + one for one in lines[1:])]
    lines += [
        f"{clock(start + 31, east)} - kaiwa - rank 0/2 - saku-g03 - torch 2.7.1+cu126 transformers 4.52.4",
        f"{clock(start + 31, east)} - kaiwa - rank 1/2 - saku-g03 - torch 2.7.1+cu126 transformers 4.52.4",
        "\rLoading checkpoint shards:   0%|          | 0/4 [00:00<?, ?it/s]"
        "\rLoading checkpoint shards:  25%|██▌       | 1/4 [00:11<00:33, 11.06s/it]"
        "\rLoading checkpoint shards:  50%|█████     | 2/4 [00:21<00:21, 10.82s/it]"
        "\rLoading checkpoint shards:  75%|███████▌  | 3/4 [00:33<00:11, 11.21s/it]"
        "\rLoading checkpoint shards: 100%|██████████| 4/4 [00:38<00:00,  9.71s/it]",
        f"{clock(start + 118, east)} - kaiwa - train dialogues: 131,842  held out: 900",
        "trainable params: 40,370,176 || all params: 7,655,986,688 || trainable%: 0.5273",
    ]
    total, per = 4120, (stop - ready) / 1409
    text = "\n".join(lines) + "\n" + f"\r  0%|          | 0/{total} [00:00<?, ?it/s]"
    for step in range(1, 1410):
        at = ready + step * per
        if step % 10 == 0:
            loss = learn(rng, step, 2.31, 1.12, 160, 0.02)
            lr = 1e-4 * min(1, step / 120) * (1 - 0.9 * max(0, step - 120) / (total - 120))
            said = {
                "loss": round(loss, 4),
                "grad_norm": rng.uniform(0.41, 0.78),
                "learning_rate": lr,
                "epoch": round(step / 2060, 2),
            }
            text += f"\r{' ' * 80}\r{said}\n"
        pct, left = f"{100 * step / total:3.0f}%", hms((total - step) * per)
        text += (
            f"\r{pct}|{bar(step, total)}| {step}/{total} [{hms(at - ready)}<{left}, {rng.uniform(13.9, 14.8):.2f}s/it]"
        )
    site = "/home/nmori/env/kaiwa/lib/python3.11/site-packages"
    text += "\n" + "\n".join(
        [
            "[rank1]: Traceback (most recent call last):",
            '[rank1]:   File "/home/nmori/kaiwa/sft.py", line 188, in <module>',
            "[rank1]:     main()",
            '[rank1]:   File "/home/nmori/kaiwa/sft.py", line 171, in main',
            "[rank1]:     trainer.train(resume_from_checkpoint=args.resume)",
            f'[rank1]:   File "{site}/transformers/trainer.py", line 2240, in train',
            "[rank1]:     return inner_training_loop(",
            "[rank1]:            ^^^^^^^^^^^^^^^^^^^^",
            f'[rank1]:   File "{site}/transformers/trainer.py", line 2555, in _inner_training_loop',
            "[rank1]:     tr_loss_step = self.training_step(model, inputs, num_items_in_batch)",
            "[rank1]:                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'[rank1]:   File "{site}/transformers/trainer.py", line 3745, in training_step',
            "[rank1]:     loss = self.compute_loss(model, inputs, num_items_in_batch=num_items_in_batch)",
            "[rank1]:            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'[rank1]:   File "{site}/transformers/trainer.py", line 3810, in compute_loss',
            "[rank1]:     outputs = model(**inputs)",
            "[rank1]:               ^^^^^^^^^^^^^^^",
            f'[rank1]:   File "{site}/torch/nn/modules/module.py", line 1751, in _wrapped_call_impl',
            "[rank1]:     return self._call_impl(*args, **kwargs)",
            "[rank1]:            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'[rank1]:   File "{site}/torch/nn/modules/module.py", line 1762, in _call_impl',
            "[rank1]:     return forward_call(*args, **kwargs)",
            "[rank1]:            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'[rank1]:   File "{site}/torch/nn/parallel/distributed.py", line 1637, in forward',
            "[rank1]:     else self._run_ddp_forward(*inputs, **kwargs)",
            "[rank1]:          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'[rank1]:   File "{site}/accelerate/utils/operations.py", line 814, in forward',
            "[rank1]:     return model_forward(*args, **kwargs)",
            "[rank1]:            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'[rank1]:   File "{site}/peft/peft_model.py", line 1757, in forward',
            "[rank1]:     return self.base_model(",
            "[rank1]:            ^^^^^^^^^^^^^^^^",
            f'[rank1]:   File "{site}/transformers/utils/generic.py", line 969, in wrapper',
            "[rank1]:     output = func(self, *args, **kwargs)",
            "[rank1]:              ^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'[rank1]:   File "{site}/transformers/models/qwen2/modeling_qwen2.py", line 716, in forward',
            "[rank1]:     loss = self.loss_function(logits=logits, labels=labels,"
            " vocab_size=self.config.vocab_size, **kwargs)",
            f'[rank1]:   File "{site}/transformers/loss/loss_utils.py", line 54, in ForCausalLMLoss',
            "[rank1]:     logits = logits.float()",
            "[rank1]:              ^^^^^^^^^^^^^^",
            "[rank1]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.56 GiB. GPU 1 has a total"
            " capacity of 44.35 GiB of which 3.19 GiB is free. Including non-PyTorch memory, this process has 41.15 GiB"
            " memory in use. Of the allocated memory 38.87 GiB is allocated by PyTorch, and 1.83 GiB is reserved by"
            " PyTorch but unallocated. If reserved but unallocated memory is large try setting"
            " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory"
            " Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
            "",
        ]
    )
    tail = torchrun_end(stop + 4.1, east, host, "sft.py", 1, 1, 771301, 771204, 1, "771300")
    text += "\n".join(one.replace("/opt/venv", "/home/nmori/env/kaiwa") for one in tail) + "\n"
    put(place, "kaiwa-sft.40977.log", text)
    scontrol(
        place,
        "scontrol_40977.txt",
        {
            "id": "40977",
            "name": "kaiwa-sft",
            "user": "nmori(20417)",
            "group": "nlp(2010)",
            "priority": "10412",
            "account": "nlp",
            "state": "FAILED",
            "reason": "NonZeroExitCode",
            "exit": "1:0",
            "limit": "1-00:00:00",
            "partition": "a40",
            "login": "saku-login1:1882031",
            "nodes": host,
            "first": host,
            "n": "1",
            "cpus": "24",
            "each": "24",
            "tres": "cpu=24,mem=180G,node=1,billing=24,gres/gpu=2",
            "command": "/home/nmori/kaiwa/run_sft.sh",
            "dir": "/home/nmori/kaiwa",
            "out": "/home/nmori/kaiwa/logs/kaiwa-sft.40977.log",
            "gpus": "2",
        },
        east,
        (start - 20711, start, stop + 11),
    )
    other = (start - 9877.31, mmu(park.bus(0), 702118, "python", rng))
    still(place, f"{host}.kern.log", rng, park, 0, "journalctl", east, [other])


def t02(place: Path, rng: Random) -> None:
    """Somebody else came to compute on one of the two GPUs."""
    east, host = -480, "cypress04"
    begin = when(9, 17, 5, month=11)
    start = begin + 7 * 60 + 21
    ready, other, end = start + 140.0, begin + 3187.0, begin + 124 * 60
    full = Work(engine=0.993, sm=0.91, tensor=0.6, dram=0.66, mib=63340, rx=900, tx=900)

    def work(_n: int, g: int, at: float) -> Work:
        if at < start + 15:
            return FREE
        if at < ready:
            return held(0 if at < start + 60 else 27950)
        if at < other:
            return shake(full, f"t02{g}{at}", 0.95, 1.02)
        if g == 1:
            return shake(Work(1.0, 0.92, 0.55, 0.74, 63340 + 9406, 480, 420), f"t02{at}", 0.96, 1.02)
        return shake(Work(1.0, 0.4, 0.25, 0.285, 63340, 390, 390), f"t02{at}", 0.94, 1.04)

    park = Hall("A100", [host], 2, work, begin, end, 60, 27202)
    smi_exporter(place, "prom_nvidia_smi.json", park)

    lines = []

    def say(t: float, where: str, what: str, level: str = "INFO") -> None:
        lines.append(f"[{milli(t, east)}] [{level}] [{where}] {what}")

    say(start + 8.3, "real_accelerator.py:254:get_accelerator", "Setting ds_accelerator to cuda (auto detect)")
    say(
        start + 12.9,
        "runner.py:610:main",
        "cmd = /u/dreyes/mamba/envs/ds/bin/python -u -m deepspeed.launcher.launch"
        " --world_info=eyJsb2NhbGhvc3QiOiBbMCwgMV19 --master_addr=127.0.0.1 --master_port=29500"
        " --enable_each_rank_log=None pretrain_prot.py --deepspeed --deepspeed_config z1.json",
    )
    say(start + 15.2, "launch.py:146:main", "WORLD INFO DICT: {'localhost': [0, 1]}")
    say(start + 15.2, "launch.py:152:main", "nnodes=1, num_local_procs=2, node_rank=0")
    say(start + 15.2, "launch.py:164:main", "dist_world_size=2")
    say(start + 15.3, "launch.py:168:main", "Setting CUDA_VISIBLE_DEVICES=0,1")
    for pid, g in ((218840, 0), (218841, 1)):
        say(
            start + 15.4 + g * 0.1,
            "launch.py:256:main",
            f"process {pid} spawned with command: ['/u/dreyes/mamba/envs/ds/bin/python', '-u', 'pretrain_prot.py',"
            f" '--local_rank={g}', '--deepspeed', '--deepspeed_config', 'z1.json']",
        )
    say(
        start + 31.7,
        "comm.py:683:init_distributed",
        "Initializing TorchBackend in DeepSpeed with backend nccl",
    )
    lines.append("650M encoder, 33 layers; UniRef50 shards: 214 (rank i takes i, i+2, ...)")
    say(start + 66.1, "logging.py:107:log_dist", "[Rank 0] DeepSpeed info: version=0.16.9, git-hash=unknown")
    say(start + 80.4, "logging.py:107:log_dist", "[Rank 0] DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer")
    at, step, samples, avg = ready, 0, 0, 0.0
    while at < end:
        late = at > other
        inner = rng.gauss(1214, 9)
        fwd, calc = rng.gauss(561, 5), rng.gauss(1775, 14) * (rng.gauss(2.36, 0.04) if late else 1.0)
        waited = max(0.0, calc - 1775) + rng.gauss(44, 3)
        opt = rng.gauss(39, 1.2)
        took = (fwd + inner + waited + opt) / 1000 + 0.02
        at, step, samples = at + took, step + 1, samples + 1
        avg += took
        if step % 20 or at > end:
            continue
        rate = 96 / took
        say(
            at,
            "logging.py:107:log_dist",
            f"[Rank 0] step={step}, skipped=0, lr=[{4e-4 * min(1, step / 2000):.6g}], mom=[(0.9, 0.98)]",
        )
        say(
            at + 0.001,
            "timer.py:264:stop",
            f"epoch=0/micro_step={step * 2}/global_step={step}, RunningAvgSamplesPerSec={96 * samples / avg},"
            f" CurrSamplesPerSec={rate}, MemAllocated=11.31GB, MaxMemAllocated=57.04GB",
        )
        say(
            at + 0.002,
            "logging.py:107:log_dist",
            f"[Rank 0] time (ms) | fwd: {fwd:.2f} | bwd: {inner + waited:.2f} | bwd_inner: {inner:.2f}"
            f" | bwd_allreduce: {waited:.2f} | step: {opt:.2f}",
        )
        if step % 100 == 0:
            mine, yours = (fwd + inner) / 1000, calc / 1000
            lines.append(
                f"step {step} mlm_loss {learn(rng, step, 2.88, 2.1, 900, 0.006):.4f}"
                f" acc {0.17 + 0.1 * (1 - 2.718 ** (-step / 1800)) + rng.gauss(0, 0.003):.3f}"
                f" fwd+bwd s by rank [{mine:.2f}, {yours:.2f}] tok by rank [49152, 49152]"
            )
    put(place, "pretrain_prot.out", lines)
    row = job(
        "118204", "prot650", "a100", "RUNNING", "0:0", (start - 912, start, end + 70), east, "2-00:00:00", (1, host)
    )
    row[7] = "Unknown"
    sacct(place, "sacct.txt", [row])
    still(place, "dmesg_cypress04.txt", rng, park, 0, "dmesg -T", east)


def t03(place: Path, rng: Random) -> None:
    """One rank blocks in a read that never returns; the other seven wait until the limit."""
    east, nodes = 0, ["volt11", "volt12", "volt15", "volt16"]
    begin = when(4, 1, 20, month=11)
    start = begin + 5 * 60 + 3
    ready, froze, stop = start + 96.0, start + 11871.0, start + 21629.0

    def work(n: int, g: int, at: float) -> Work:
        if at < start + 10 or at > stop:
            return FREE
        if at < ready:
            return held(1900)
        if at > froze:
            return held(27410) if (n, g) == (2, 1) else spin(27410)
        if (at - ready) % 3300 > 3262:
            return spin(27410) if (n, g) != (0, 0) else held(27410)
        return shake(Work(0.98, 0.93, 0.66, 0.7, 27410, 640, 610), f"t03{n}{g}{at}", 0.92, 1.02)

    park = Hall("V100", nodes, 2, work, begin, begin + 383 * 60, 30, 27303)
    smi_exporter(place, "query_range.json", park)
    put(
        place,
        "slurm-552019.out",
        [
            "Loading cuda/12.1",
            "  Loading requirement: gcc/11.3.0",
            "slurmstepd: error: *** STEP 552019.0 ON volt11 CANCELLED AT"
            f" {clock(start + 21606, east, ISO)} DUE TO TIME LIMIT ***",
            "slurmstepd: error: *** JOB 552019 ON volt11 CANCELLED AT"
            f" {clock(start + 21606, east, ISO)} DUE TO TIME LIMIT ***",
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        ],
    )
    rows = step_rows(
        "552019",
        "seg3d-b",
        "phanley",
        "v100",
        ("TIMEOUT", "0:0"),
        ("CANCELLED", "0:15"),
        ("CANCELLED", "0:15"),
        (start, start + 21631),
        east,
        "billing=64,cpu=64,gres/gpu=8,mem=720G,node=4",
        "volt[11-12,15-16]",
        "volt11",
        task="python3",
    )
    account(place, "sacct_552019.txt", rows, STEP_HEAD, bars=True)
    ost = "scratch-OST0013-osc-ffff9d1c4ab6f800"
    taint = "      Tainted: P           OE     -------  ---  5.14.0-503.40.1.el9_5.x86_64 #1"
    bad = [
        (
            froze + 58.6,
            "LNetError: 4391:0:(o2iblnd_cb.c:3442:kiblnd_check_conns()) Timed out RDMA with 10.22.8.19@o2ib (54): c: 0,"
            " oc: 2, rc: 32",
        ),
        (
            froze + 104,
            "Lustre: 4417:0:(client.c:2334:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply:"
            f" [sent {int(froze + 4)}/real {int(froze + 4)}]  req@ffff9d0e55c1a300 x1812204471982656/t0(0)"
            f" o3->{ost}@10.22.8.19@o2ib:6/4 lens 488/440 e 0 to 1 dl {int(froze + 104)} ref 2 fl"
            " Rpc:XQr/200/ffffffff rc 0/-1 job:'python3.552019'",
        ),
        (
            froze + 104.1,
            f"Lustre: {ost}: Connection to scratch-OST0013 (at 10.22.8.19@o2ib) was lost; in progress operations using"
            " this service will wait for recovery to complete",
        ),
    ]
    for i in range(10):
        t = froze + 181 + 122.9 * i
        bad += [
            (t, f"INFO: task python3:88412 blocked for more than {122 + 123 * i - i // 2} seconds."),
            (t + 0.001, taint),
            (t + 0.002, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'),
            (t + 0.003, "task:python3         state:D stack:0     pid:88412 tgid:88412 ppid:88371  flags:0x00000002"),
            (t + 0.004, "Call Trace:"),
            (t + 0.005, " <TASK>"),
            (t + 0.006, " __schedule+0x259/0x640"),
            (t + 0.007, " schedule+0x2d/0x70"),
            (t + 0.008, " io_schedule+0x42/0x70"),
            (t + 0.009, " folio_wait_bit_common+0x13d/0x370"),
            (t + 0.010, " filemap_update_page+0x1d1/0x2b0"),
            (t + 0.011, " filemap_get_pages+0x248/0x3c0"),
            (t + 0.012, " filemap_read+0xb9/0x360"),
            (t + 0.013, " vvp_io_read_start+0x4a6/0x7c0 [lustre]"),
            (t + 0.014, " cl_io_start+0x6b/0x130 [obdclass]"),
            (t + 0.015, " cl_io_loop+0xab/0x1f0 [obdclass]"),
            (t + 0.016, " ll_file_io_generic+0x4e1/0xf80 [lustre]"),
            (t + 0.017, " ll_file_read_iter+0x1f9/0x2b0 [lustre]"),
            (t + 0.018, " vfs_read+0x202/0x330"),
            (t + 0.019, " ksys_read+0x5f/0xe0"),
            (t + 0.020, " do_syscall_64+0x5c/0xf0"),
            (t + 0.021, " </TASK>"),
        ]
    for n, node in enumerate(nodes):
        still(place, f"dmesg/{node}.txt", rng, park, n, "dmesg -T", east, bad if n == 2 else (), "rocky")


def nanotron(t: float, east: int, where: str, said: str, level: str = "INFO") -> str:
    """A line of nanotron's logger."""
    return f"{clock(t, east, '%m/%d/%Y %H:%M:%S')} [{level}|{where}]: {said}"


def t04(place: Path, rng: Random) -> None:
    """A pretraining that was given an hour."""
    east, nodes = 540, ["hx-021", "hx-022", "hx-024", "hx-027"]
    begin = when(24, 3, 12, month=11)
    start = begin + 3 * 60 + 8
    ready, stop = start + 118.0, start + 3634.0

    def work(n: int, g: int, at: float) -> Work:
        if at < start + 14 or at > stop:
            return FREE
        if at < ready:
            return held(900 if at < start + 70 else 14200)
        if ready + 1802 < at < ready + 1841:
            return held(58230)
        return shake(Work(0.996, 0.81, 0.39, 0.44, 58230, 2900, 2800), f"t04{n}{g}{at}", 0.95, 1.02)

    park = Hall("H100", nodes, 8, work, begin, begin + 72 * 60, 60, 27404, alter=xid_of_old((2, 5)))
    for n, node in enumerate(nodes):
        matrix(place, f"metrics/{node}.json", park, bare(park, "dcgm-exporter"), only=[n])
    w0 = "DP=0|PP=0|TP=0|hx-021"
    lines = [
        "+ srun --ntasks-per-node=1 torchrun --nnodes 4 --nproc_per_node 8 --rdzv_backend c10d --rdzv_endpoint"
        " hx-021:29611 run_train.py --config-file cfg/k1b7.yaml",
        nanotron(start + 41, east, w0, "Building model.."),
        nanotron(start + 41, east, w0, "Initialize RoPE Theta = 500000.0"),
        nanotron(start + 44, east, w0, "Setting PP block ranks..."),
        nanotron(start + 52, east, w0, "Total number of parameters: 1.71G (3264.09MiB)"),
        nanotron(
            start + 52,
            east,
            "DP=0|PP=0|TP=1|hx-021",
            "Local number of parameters: 856M (1632.05MiB)",
        ),
        nanotron(start + 52, east, w0, "Local number of parameters: 856M (1632.05MiB)"),
        nanotron(start + 53, east, w0, "[After model building] Memory usage: 1633.10MiB. Peak allocated: 1633.12MiB"),
        nanotron(start + 53, east, w0, "No checkpoint path provided."),
        nanotron(start + 53, east, w0, "Parametrizing model parameters using StandardParametrizator"),
        nanotron(start + 60, east, w0, "[Optimizer Building] Using LearningRateForSP as learning rate"),
        nanotron(start + 61, east, w0, "[ZeRO sharding] Size of optimizer params per rank:"),
        nanotron(start + 88, east, w0, "[Training Plan] Stage Stable has 46000 remaining training steps"),
        nanotron(
            start + 97,
            east,
            w0,
            "[Start training] datetime: " + clock(start + 97, east) + ".604118"
            " | mbs: 4 | grad_accum: 4 | global_batch_size: 256 | sequence_length: 4096 | train_steps: 46000"
            " | start_iteration_step: 0 | consumed_train_samples: 0",
        ),
    ]
    at, step = ready, 0
    while True:
        took = rng.gauss(2.41, 0.012) if step > 2 else 8.1 - 2.2 * step
        if step == 750:
            path = "/lustre/hx/ckpt/k1b7/750"
            lines.append(nanotron(at, east, w0, f"Saving checkpoint at {path}"))
            took += 39.2
        at, step = at + took, step + 1
        if at > start + 3603:
            break
        if step > 5 and step % 5:
            continue
        loss = learn(rng, step, 11.9, 2.31, 95, 0.004)
        if step > 750 and took > 20:
            took = 2.41
        tps = 1048576 / took
        lines.append(
            nanotron(
                at,
                east,
                w0,
                f"iteration: {step} / 46000 | consumed_tokens: {step * 1048576 / 1e6:.3g}M"
                f" | elapsed_time_per_iteration_ms: {took:.3g}K | tokens_per_sec: {tps / 1e3:.3g}K"
                f" | tokens_per_sec_per_gpu: {tps / 32e3:.3g}K | global_batch_size: 256 | lm_loss: {loss:.3g}"
                f" | lr: {3e-4 * min(1, step / 1000):.3g} | model_tflops_per_gpu: {tps / 32 * 1.19e-2:.3g}"
                f" | hardware_tflops_per_gpu: {tps / 32 * 1.19e-2:.3g} | grad_norm: {rng.uniform(0.35, 0.62):.3g}"
                " | cuda_memory_allocated: 8.44G | cuda_max_memory_reserved: 56.1G | hd_total_memory_tb: 412T"
                " | hd_used_memory_tb: 268T | hd_free_memory_tb: 144T",
            )
        )
    cut = start + 3604
    lines += [
        f"slurmstepd: error: *** JOB 66310 ON hx-021 CANCELLED AT {clock(cut, east, ISO)} DUE TO TIME LIMIT ***",
        f"slurmstepd: error: *** STEP 66310.0 ON hx-021 CANCELLED AT {clock(cut, east, ISO)} DUE TO TIME LIMIT ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    for n in range(4):
        agent = 31007 + 411 * n
        lines.append(
            f"W{clock(cut, east, '%m%d %H:%M:%S')}.{311000 + 7000 * n} {agent}"
            " site-packages/torch/distributed/elastic/agent/server/api.py:719] Received 15 death signal,"
            " shutting down workers"
        )
        lines += [
            f"W{clock(cut, east, '%m%d %H:%M:%S')}.{312000 + 7000 * n} {agent}"
            f" site-packages/torch/distributed/elastic/multiprocessing/api.py:900] Sending process {agent + 66 + g}"
            " closing signal SIGTERM"
            for g in range(8)
        ]
    for n in range(4):
        lib = "/fs/hx/envs/nano/lib/python3.11/site-packages/torch/distributed"
        agent = 31007 + 411 * n
        lines += [
            "Traceback (most recent call last):",
            '  File "/fs/hx/envs/nano/bin/torchrun", line 8, in <module>',
            "    sys.exit(main())",
            "             ^^^^^^",
            f'  File "{lib}/elastic/multiprocessing/errors/__init__.py", line 357, in wrapper',
            "    return f(*args, **kwargs)",
            "           ^^^^^^^^^^^^^^^^^^",
            f'  File "{lib}/run.py", line 892, in main',
            "    run(args)",
            f'  File "{lib}/run.py", line 883, in run',
            "    elastic_launch(",
            f'  File "{lib}/launcher/api.py", line 139, in __call__',
            "    return launch_agent(self._config, self._entrypoint, list(args))",
            "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{lib}/launcher/api.py", line 261, in launch_agent',
            "    result = agent.run()",
            "             ^^^^^^^^^^^",
            f'  File "{lib}/elastic/multiprocessing/api.py", line 84, in _terminate_process_handler',
            '    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)',
            f"torch.distributed.elastic.multiprocessing.api.SignalException: Process {agent} got signal: 15",
        ]
    put(place, "k1b7-66310.out", lines)
    times = (start - 3390, start, start + 3634)
    named = "hx-[021-022,024,027]"
    rows = [
        job("66310", "k1b7", "h100", "TIMEOUT", "0:0", times, east, "01:00:00", (4, named)),
        job("66310.batch", "batch", "", "CANCELLED", "0:15", (start, start, start + 3636), east, "", (1, nodes[0])),
        job("66310.extern", "extern", "", "COMPLETED", "0:0", (start, start, start + 3634), east, "", (4, named)),
        job("66310.0", "torchrun", "", "CANCELLED", "0:15", (start, start + 2, start + 3635), east, "", (4, named)),
    ]
    sacct(place, "sacct.psv", rows)
    for n, node in enumerate(nodes):
        old = [(start - 15131.07, mmu(park.bus(5), 1190247, "vllm::worker_5", rng))] if n == 2 else []
        still(place, f"journal/{node}.log", rng, park, n, "journalctl", east, old, "noble")


def cluster(
    park: Hall, space: str, names: Sequence[str], container: str, operator: str
) -> Callable[[int, int], dict[str, str]]:
    """Labels of dcgm-exporter where Kubernetes says which pod holds the GPU."""
    return lambda n, g: {
        "DCGM_FI_DRIVER_VERSION": park.of.driver,
        "Hostname": park.nodes[n],
        "UUID": park.uuid(n, g),
        "container": container,
        "device": f"nvidia{g}",
        "gpu": str(g),
        "instance": f"10.42.{n + 3}.{17 + 5 * n}:9400",
        "job": operator,
        "modelName": park.of.name,
        "namespace": space,
        "pci_bus_id": f"00000000:{park.bus(g)}",
        "pod": names[n],
    }


def described(
    pod: str, space: str, node: str, role: str, index: int, begin: float, east: int, args: Sequence[str]
) -> list[str]:
    """What ``kubectl describe pod`` says of a pod that runs, in the local clock of who asked."""
    rng = Random(pod)
    zone = f"{'-' if east < 0 else '+'}{abs(east) // 60:02d}{abs(east) % 60:02d}"
    form = f"%a, %d %b %Y %H:%M:%S {zone}"
    image = "registry.agri-vision.internal/train/d2:cu121-r14"
    return [
        f"Name:             {pod}",
        f"Namespace:        {space}",
        "Priority:         0",
        "Service Account:  default",
        f"Node:             {node}/10.60.3.{14 + index}",
        f"Start Time:       {clock(begin - 3, east, form)}",
        "Labels:           training.kubeflow.org/job-name=weeds-rcnn",
        "                  training.kubeflow.org/operator-name=pytorchjob-controller",
        "                  training.kubeflow.org/replica-index=0",
        f"                  training.kubeflow.org/replica-type={role}",
        "Annotations:      <none>",
        "Status:           Running",
        f"IP:               10.42.{index + 3}.{88 + 9 * index}",
        "IPs:",
        f"  IP:           10.42.{index + 3}.{88 + 9 * index}",
        "Controlled By:  PyTorchJob/weeds-rcnn",
        "Containers:",
        "  pytorch:",
        f"    Container ID:  containerd://{rng.getrandbits(256):064x}",
        f"    Image:         {image}",
        f"    Image ID:      registry.agri-vision.internal/train/d2@sha256:{Random(image).getrandbits(256):064x}",
        "    Port:          23456/TCP",
        "    Host Port:     0/TCP",
        "    Command:",
        *(f"      {one}" for one in args),
        "    State:          Running",
        f"      Started:      {clock(begin, east, form)}",
        "    Ready:          True",
        "    Restart Count:  0",
        "    Limits:",
        "      cpu:             2",
        "      memory:          32Gi",
        "      nvidia.com/gpu:  1",
        "    Requests:",
        "      cpu:             2",
        "      memory:          32Gi",
        "      nvidia.com/gpu:  1",
        "    Environment:",
        "      PYTHONUNBUFFERED:   1",
        "      DETECTRON2_DATASETS:  /data",
        "      MASTER_PORT:        23456",
        "      MASTER_ADDR:        weeds-rcnn-master-0",
        "      WORLD_SIZE:         2",
        f"      RANK:               {index}",
        "    Mounts:",
        "      /data from fields (ro)",
        "      /dev/shm from dshm (rw)",
        "      /out from out (rw)",
        "Conditions:",
        "  Type                        Status",
        "  PodReadyToStartContainers   True ",
        "  Initialized                 True ",
        "  Ready                       True ",
        "  ContainersReady             True ",
        "  PodScheduled                True ",
        "Volumes:",
        "  fields:",
        "    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
        "    ClaimName:  fields-2026",
        "    ReadOnly:   true",
        "  dshm:",
        "    Type:       EmptyDir (a temporary directory that shares a pod's lifetime)",
        "    Medium:     Memory",
        "    SizeLimit:  8Gi",
        "  out:",
        "    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
        "    ClaimName:  out",
        "    ReadOnly:   false",
        "QoS Class:                   Guaranteed",
        "Node-Selectors:              gpu=rtx4090",
        "Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
        "                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s",
        "Events:                      <none>",
        "",
    ]


def t05(place: Path, rng: Random) -> None:
    """Two detectors that wait for pictures."""
    east, nodes, space = -360, ["gpu-w07", "gpu-w09"], "phenotyping"
    names = ["weeds-rcnn-master-0", "weeds-rcnn-worker-0"]
    begin = when(19, 15, 30, month=11)
    start = begin + 5 * 60 + 37
    ready, end = start + 61.0, begin + 149 * 60
    last = xid_of_old((1, 0))

    def work(n: int, _g: int, at: float) -> Work:
        if at < start + 9:
            return FREE
        if at < ready:
            return held(0 if at < start + 30 else 1150)
        mib, dice = (7410 if at < ready + 1500 else 8122), Random(f"t05{n}{at}")
        luck = dice.random()
        if luck < 0.1:
            x = dice.uniform(0.15, 0.46)
            return Work(engine=x, sm=0.8 * x, tensor=0.22 * x, dram=0.6 * x, mib=mib)
        if luck < 0.2:
            return Work(engine=dice.uniform(0.1, 0.6), sm=0.02, dram=0.003, mib=mib)
        return held(mib)

    def alter(n: int, g: int, at: float, one: Row) -> Row:
        if one["SM_CLOCK"] > 1000:
            one["POWER_USAGE"] += Random(f"w{n}{at}").uniform(27, 31)
        return last(n, g, at, one)

    park = Hall("4090", nodes, 1, work, begin, end, 60, 27505, alter=alter)
    labels = cluster(park, space, names, "pytorch", "nvidia-dcgm-exporter")
    for n, node in enumerate(nodes):
        matrix(place, f"prom/{node}.json", park, labels, only=[n], keep=coarse)
    stamp = "%m/%d %H:%M:%S"
    for n, pod in enumerate(names):
        args = [
            "python3",
            "train_net.py",
            "--config-file",
            "cfg/rcnn_r50_fields.yaml",
            "--num-gpus",
            "1",
            "--num-machines",
            "2",
            "--machine-rank",
            str(n),
            "--dist-url",
            "tcp://weeds-rcnn-master-0:23456",
        ]
        role = "worker" if n else "master"
        put(place, f"describe_{pod}.txt", described(pod, space, nodes[n], role, n, start + 0.4 * n, east, args))

    def say(t: float, who: str, said: str) -> str:
        return f"[{clock(t, east, stamp)} {who}]: {said}"

    lines = [
        say(start + 12, "detectron2", "Rank of current process: 0. World size: 2"),
        say(
            start + 14,
            "detectron2",
            "Command line arguments: Namespace(config_file='cfg/rcnn_r50_fields.yaml', resume=False, eval_only=False,"
            " num_gpus=1, num_machines=2, machine_rank=0, dist_url='tcp://weeds-rcnn-master-0:23456', opts=[])",
        ),
        say(start + 14, "detectron2", "Full config saved to /out/weeds-rcnn/config.yaml"),
        say(start + 14, "d2.utils.env", "Using a generated random seed 14882073"),
        say(start + 31, "d2.data.build", "Removed 1204 images with no usable annotations. 48117 images left."),
        say(start + 32, "d2.data.build", "Using training sampler TrainingSampler"),
        say(
            start + 32,
            "d2.data.common",
            "Serializing the dataset using: <class 'detectron2.data.common._TorchSerializedList'>",
        ),
        say(start + 32, "d2.data.common", "Serializing 48117 elements to byte tensors and concatenating them all ..."),
        say(start + 34, "d2.data.common", "Serialized dataset takes 61.44 MiB"),
        say(start + 34, "d2.data.build", "Making batched data loader with batch_size=8"),
        say(
            start + 35,
            "d2.checkpoint.detection_checkpoint",
            "[DetectionCheckpointer] Loading from /data/weights/R-50.pkl ...",
        ),
        say(start + 36, "fvcore.common.checkpoint", "[Checkpointer] Loading from /data/weights/R-50.pkl ..."),
        say(start + 38, "d2.engine.train_loop", "Starting training from iteration 0"),
    ]
    put(
        place,
        "logs/weeds-rcnn-worker-0.log",
        [
            "** fvcore version of PathManager will be deprecated soon. **",
            "Command Line Args: Namespace(config_file='cfg/rcnn_r50_fields.yaml', resume=False, eval_only=False,"
            " num_gpus=1, num_machines=2, machine_rank=1, dist_url='tcp://weeds-rcnn-master-0:23456', opts=[])",
        ],
    )
    at, it, spans, waits, every = start + 38.0, 0, [], [], []
    while True:
        wait = max(0.9, rng.lognormvariate(1.58, 0.34)) * (3.1 if it == 0 else 1)
        calc = rng.gauss(0.412, 0.02) + abs(rng.gauss(0, 0.22))
        at, it = at + wait + calc, it + 1
        if at > end - 4:
            break
        every.append(wait + calc)
        spans, waits = [*spans[-19:], wait + calc], [*waits[-19:], wait]
        if it % 20:
            continue
        cls = learn(rng, it, 1.62, 0.31, 130, 0.05)
        box = 0.42 + 0.3 * min(1, it / 150) - 0.33 * min(1, it / 2600) + rng.gauss(0, 0.02)
        rpn, loc = learn(rng, it, 0.69, 0.05, 90, 0.06), learn(rng, it, 0.24, 0.09, 300, 0.05)
        mean, idle = sum(spans) / len(spans), sum(waits) / len(waits)
        far = int((90000 - it) * sorted(every[-1000:])[len(every[-1000:]) // 2])
        eta = f"{far // 86400} days, {far % 86400 // 3600}:{far % 3600 // 60:02d}:{far % 60:02d}"
        lines.append(
            say(
                at,
                "d2.utils.events",
                f" eta: {eta}  iter: {it - 1}  total_loss: {cls + box + rpn + loc:.4g}  loss_cls: {cls:.4g}"
                f"  loss_box_reg: {box:.4g}  loss_rpn_cls: {rpn:.4g}  loss_rpn_loc: {loc:.4g}    time: {mean:.4f}"
                f"  last_time: {spans[-1]:.4f}  data_time: {idle:.4f}  last_data_time: {waits[-1]:.4f}"
                f"   lr: {0.02 * min(1, 0.001 + it / 1000):.5g}  max_mem: {6318 if at < ready + 1500 else 7004}M",
            )
        )
    put(place, "logs/weeds-rcnn-master-0.log", lines)
    for n, node in enumerate(nodes):
        veth = f"veth{rng.getrandbits(32):08x}"
        more = [
            (start - 2.2 + i, f"cni0: port {6 + n}({veth}) entered {word} state")
            for i, word in ((0.0, "blocking"), (0.1, "forwarding"))
        ]
        if n == 1:
            more.append((start - 13020.6, mmu(park.bus(0), 3310922, "blender", rng)))
        still(place, f"dmesg_{node}.txt", rng, park, n, "dmesg -T", east, more)


def short(value: float) -> str:
    """A number as OLMo-core prints it."""
    if value < 0.0001:
        return f"{value:.2E}"
    if value > 1000:
        return f"{int(value):,d}"
    return f"{value:.1f}" if value > 100 else f"{value:.2f}" if value > 10 else f"{value:.{3 if value > 1 else 4}f}"


def t06(place: Path, rng: Random) -> None:
    """A small language model learns to its last step."""
    east, nodes, space = -360, ["kw-v100-02", "kw-v100-03"], "nlp-lab"
    names = ["olmo-190m-ptbr-master-0", "olmo-190m-ptbr-worker-0"]
    begin = when(11, 20, 14, month=11)
    start = begin + 4 * 60 + 26
    ready, last, per = start + 83.0, 3900, 2.66
    saves = [0, 1000, 2000, 3000, 3900]
    done = ready + last * per + 21 * 5
    stop = done + 9.3

    def moment(step: int) -> float:
        return ready + step * per + 21 * sum(1 for one in saves if one < step)

    def work(n: int, g: int, at: float) -> Work:
        if at < start + 11 or at > stop - 2:
            return FREE
        if at < ready - 30:
            return held(0)
        if any(moment(one) < at < moment(one) + 20.5 for one in saves) or at > done - 21 or at < ready:
            return held(22870)
        return shake(Work(0.985, 0.78, 0.37, 0.52, 22870, 1400, 1350), f"t06{n}{g}{at}", 0.94, 1.03)

    holes = [(begin + 3620, begin + 4440), (begin + 8190, begin + 8530), (begin + 10240, begin + 10330)]
    park = Hall("V100", nodes, 4, work, begin, begin + 193 * 60, 60, 27606, holes=holes)
    labels = cluster(park, space, names, "pytorch", "gpu-operator/nvidia-dcgm-exporter")
    matrix(place, "dcgm_query_range.json", park, labels, keep=coarse, form="CLOCK_THROTTLE_REASONS")

    def say(t: float, n: int, module: str, line: int, said: str, level: str = "INFO") -> str:
        return f"{milli(t, east, '.')}\t{names[n]}:0\t{module}:{line}\t{level}\t{said}"

    run = "/mnt/nfs/runs/olmo-190m-ptbr"
    both = [
        (start + 19.2, "olmo_core.train", 118, "Training environment initialized"),
        (start + 24.6, "olmo_core.data.numpy_dataset", 488, "Reading tokens from 37 files"),
        (start + 51.3, "olmo_core.nn.transformer.model", 402, "Applied FSDP to the model"),
        (
            start + 53.9,
            "olmo_core.train.train_module.transformer.train_module",
            233,
            "Number of model parameters: 190,354,176",
        ),
    ]
    lines = [say(t, 0, m, no, s) for t, m, no, s in both]
    lines += [
        say(
            start + 58.4,
            0,
            "olmo_core.train.trainer",
            604,
            f"No checkpoint found in save folder ('{run}') or load path ('None'), will train from scratch...",
            "WARNING",
        ),
        say(start + 58.5, 0, "olmo_core.train.trainer", 609, "Training for 3,900 steps"),
    ]
    other = [say(t + 0.21, 1, m, no, s) for t, m, no, s in both]
    other.append(say(start + 58.7, 1, "olmo_core.train.trainer", 609, "Training for 3,900 steps"))
    t = moment(0)
    for step in range(last + 1):
        t = moment(step) + rng.uniform(-0.05, 0.05)
        if step and (step == 1 or step % 20 == 0):
            loss = learn(rng, step, 10.9, 2.72, 190, 0.007)
            rate = 262144 / per / 8 * rng.gauss(1, 0.006)
            left = int((last - step) * per)
            eta = f"{left // 3600}h{left % 3600 // 60}m" if left >= 3600 else f"{left // 60}m{left % 60}s"
            lr = 6e-4 * min(1, step / 400) * (1 - 0.9 * max(0, step - 400) / (last - 400))
            values = {
                "optim/total grad norm": rng.uniform(0.31, 0.52) + 3.2 / (1 + step / 30),
                "optim/LR (group 0)": lr,
                "throughput/total tokens": step * 262144.0,
                "throughput/device/TPS": rate,
                "throughput/device/TPS (actual avg)": step * 32768 / (t - moment(0)),
                "throughput/device/BPS": 1 / per * rng.gauss(1, 0.006),
                "throughput/device/data loading (%)": rng.uniform(0.11, 0.33),
                "train/CE loss": loss,
                "train/PPL": 2.718281828**loss,
            }
            lines.append(
                say(t, 0, "olmo_core.train.callbacks.console_logger", 79, f"[step={step}/{last},epoch=1,eta={eta}]")
            )
            lines += [f"    {name}={short(value)}" for name, value in values.items()]
        if step in saves:
            path = f"{run}/step{step}"
            for n, book in ((0, lines), (1, other)):
                book.append(
                    say(
                        t + 0.3 + 0.02 * n,
                        n,
                        "olmo_core.train.trainer",
                        771,
                        f"Saving checkpoint for step {step} to '{path}'...",
                    )
                )
                book.append(say(t + 20.4 + 0.03 * n, n, "olmo_core.train.trainer", 778, "Checkpoint saved"))
    lines.append(say(t + 21.9, 0, "olmo_core.train.trainer", 661, "Training complete"))
    other.append(say(t + 21.9, 1, "olmo_core.train.trainer", 661, "Training complete"))
    put(place, f"podlogs/{names[0]}.log", lines)
    put(place, f"podlogs/{names[1]}.log", other)
    command = [
        "torchrun",
        "--nnodes=2",
        "--nproc-per-node=4",
        "--rdzv-backend=c10d",
        "--rdzv-endpoint=olmo-190m-ptbr-master-0:29400",
        "train_ptbr.py",
        "olmo-190m-ptbr",
    ]
    image = "harbor.lab.local/nlp/olmo-core:2.1-cu124"
    pods(place, "pods.json", space, "olmo-190m-ptbr", names, nodes, image, command, 4, (start, stop))
    for n, node in enumerate(nodes):
        more = [
            (
                start - 3.1 + i,
                f"eth0: renamed from veth{rng.getrandbits(32):08x}"
                if i
                else "IPv6: ADDRCONF(NETDEV_CHANGE): cali7d1c0a44f1e: link becomes ready",
            )
            for i in (0, 0.4)
        ]
        still(place, f"dmesg/{node}.txt", rng, park, n, "dmesg -T", east, more)


def t07(place: Path, rng: Random) -> None:
    """Weights of two kinds are to be laid out flat."""
    east, nodes = 0, ["dgxv-03", "dgxv-04", "dgxv-08"]
    begin = when(13, 9, 2, month=11)
    start = begin + 141.0
    fell = start + 168.4

    def work(_n: int, g: int, at: float) -> Work:
        return held(0) if g < 3 and start + 22 < at < fell + 3 else FREE

    park = Hall("V100", nodes, 4, work, begin, begin + 600, 30, 27707)
    matrix(
        place,
        "range.json",
        park,
        bare(park, "node-gpu", cluster="ku"),
        keep=coarse,
        form="CLOCK_THROTTLE_REASONS",
    )
    site = "/proj/remsens/envs/pt27/lib/python3.11/site-packages"
    fsdp = f"{site}/torch/distributed/fsdp"
    lines = [
        f"job 1290337 on dgxv-[03-04,08], head dgxv-03, {clock(start, east, '%a %b %e %H:%M:%S UTC %Y')}",
        *(
            f"[{clock(start + 24 + 0.3 * n, east, '%H:%M:%S')}] {node}: rank {3 * n + g}/9 local {g} -> cuda:{g}"
            for n, node in enumerate(nodes)
            for g in range(3)
        ),
        f"[{clock(start + 25, east, '%H:%M:%S')}] tiles: 1,204,516 train / 8,192 val from /proj/remsens/tiles_v6",
        f"[{clock(start + 29, east, '%H:%M:%S')}] backbone from /proj/remsens/weights/vit_h_14_fp16.pt",
        f"[{clock(start + 151, east, '%H:%M:%S')}] missing keys: 14 (decoder.*)  unexpected keys: 0",
        f"[{clock(start + 153, east, '%H:%M:%S')}] 661.4 M parameters, wrapping",
    ]
    for rank in (4, 3, 5, 0, 2, 1, 7, 8, 6):
        trace = [
            "Traceback (most recent call last):",
            '  File "/proj/remsens/code/canopy/train_fsdp.py", line 231, in <module>',
            "    main(parse())",
            '  File "/proj/remsens/code/canopy/train_fsdp.py", line 164, in main',
            "    model = FSDP(model, auto_wrap_policy=policy, mixed_precision=mp, device_id=None,",
            "            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{fsdp}/fully_sharded_data_parallel.py", line 509, in __init__',
            "    _init_param_handle_from_module(",
            f'  File "{fsdp}/_init_utils.py", line 636, in _init_param_handle_from_module',
            "    _init_param_handle_from_params(state, managed_params, fully_sharded_module)",
            f'  File "{fsdp}/_init_utils.py", line 648, in _init_param_handle_from_params',
            "    handle = FlatParamHandle(",
            "             ^^^^^^^^^^^^^^^^",
            f'  File "{fsdp}/_flat_param.py", line 588, in __init__',
            "    self._init_flat_param_and_metadata(",
            f'  File "{fsdp}/_flat_param.py", line 638, in _init_flat_param_and_metadata',
            "    ) = self._validate_tensors_to_flatten(params)",
            "        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
            f'  File "{fsdp}/_flat_param.py", line 776, in _validate_tensors_to_flatten',
            "    raise ValueError(",
            "ValueError: Must flatten tensors with uniform dtype but got torch.float16 and torch.float32",
        ]
        lines += [f"[rank{rank}]: {one}" for one in trace]
    for n, node in enumerate(nodes):
        agent = 60211 + 3791 * n
        end = torchrun_end(
            fell + 0.4 + 0.1 * n,
            east,
            f"{node}.hpc.ku-geo.net",
            "/proj/remsens/code/canopy/train_fsdp.py",
            3 * n + 1 - n % 2,
            1 - n % 2,
            agent + 71 - n % 2,
            agent,
            1,
            f"{agent + 72}",
        )
        lines += [one.replace("/opt/venv", "/proj/remsens/envs/pt27") for one in end]
    lines += [
        "srun: error: dgxv-04: task 1: Exited with exit code 1",
        "srun: error: dgxv-03: task 0: Exited with exit code 1",
        "srun: error: dgxv-08: task 2: Exited with exit code 1",
    ]
    put(place, "canopy-1290337.out", lines)
    scontrol(
        place,
        "job_1290337.txt",
        {
            "id": "1290337",
            "name": "canopy-h14",
            "user": "lwanjiru(31877)",
            "group": "remsens(3100)",
            "priority": "4294900831",
            "account": "remsens",
            "state": "FAILED",
            "reason": "NonZeroExitCode",
            "exit": "1:0",
            "limit": "12:00:00",
            "partition": "dgxv",
            "login": "ku-login2:904412",
            "nodes": "dgxv-[03-04,08]",
            "first": "dgxv-03",
            "n": "3",
            "cpus": "120",
            "each": "40",
            "tres": "cpu=120,mem=720G,node=3,billing=120,gres/gpu=12",
            "command": "/proj/remsens/code/canopy/go.sbatch",
            "dir": "/proj/remsens/code/canopy",
            "out": "/proj/remsens/code/canopy/canopy-1290337.out",
            "gpus": "4",
        },
        east,
        (start - 40, start, fell + 5),
    )
    for n, node in enumerate(nodes):
        still(place, f"kernel/{node}.journal", rng, park, n, "journalctl", east)


def t08(place: Path, rng: Random) -> None:
    """Three pipeline stages work from the first minute to the last."""
    east, nodes = 0, ["ada01", "ada02", "ada03"]
    begin = when(21, 4, 30, month=11)
    start = begin + 4 * 60 + 48
    ready, last = start + 112.0, start + 9911.0
    stop = last + 36.0

    def work(n: int, g: int, at: float) -> Work:
        if at < start + 14 or at > stop:
            return FREE
        mib = (21040, 18730, 20410)[n] + (96 if g == 0 else 0)
        if at < ready:
            return held(0 if at < start + 48 else mib * 0.42)
        if at > last or (at - ready) % 2444 > 2411:
            return held(mib)
        return shake(Work(0.955, 0.66, 0.4, 0.46, mib), f"t08{n}{g}{at}", 0.9, 1.04)

    park = Hall("4090", nodes, 4, work, begin, begin + 175 * 60, 60, 27808)
    columns = (
        "index",
        "uuid",
        "temperature.gpu",
        "utilization.gpu",
        "utilization.memory",
        "memory.used",
        "memory.total",
        "power.draw",
        "clocks.current.sm",
        "clocks_event_reasons.active",
    )
    for n, node in enumerate(nodes):
        smi_csv(place, f"smi/{node}.csv", park, n, east, columns)
        still(place, f"syslog/{node}_kern.log", rng, park, n, "syslog", east, flavour="noble")
    times = (start - 25, start, stop + 3)
    named = "ada[01-03]"
    rows = [
        job("7715", "mg-legal-1b", "ada", "COMPLETED", "0:0", times, east, "08:00:00", (3, named)),
        job("7715.batch", "batch", "", "COMPLETED", "0:0", (start, start, stop + 3), east, "", (1, "ada01")),
        job("7715.extern", "extern", "", "COMPLETED", "0:0", (start, start, stop + 3), east, "", (3, named)),
        job("7715.0", "torchrun", "", "COMPLETED", "0:0", (start + 2, start + 2, stop + 2), east, "", (3, named)),
    ]
    sacct(place, "sacct_7715.txt", rows)
