"""Incidents t01 to t07 of the eighteenth set, simulated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from . import kit
from .kit import OFF, Job, Load, Rig, falls, hms, loc, ms, put, when

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def t01(place: Path, rng: Random) -> None:
    """A1: at epoch 32 the job's own hook calls what DDP does not have, on each of twelve ranks."""
    zone, nodes, job = "+05:30", ["l4-03", "l4-04", "l4-05"], 60817
    begin = when("2026-11-09T19:41:07", zone)
    out = [
        *(
            f"Training in distributed mode with multiple processes, 1 device per process.Process {r}, total 12, device cuda:{r % 4}."
            for r in sorted(range(12), key=lambda _: rng.random())
        ),
        "Model convnext_base created, param count:88591464",
        "Data processing configuration for current model + dataset:",
        "\tinput_size: (3, 224, 224)",
        "\tinterpolation: bicubic",
        "\tmean: (0.485, 0.456, 0.406)",
        "\tstd: (0.229, 0.224, 0.225)",
        "\tcrop_pct: 0.875",
        "\tcrop_mode: center",
        "Learning rate (0.00075) calculated from base learning rate (0.0005) and effective global batch size (768) with linear scaling.",
        "Using native Torch AMP. Training in mixed precision.",
        "Using native Torch DistributedDataParallel.",
        "Scheduled epochs: 120 (epochs + cooldown_epochs). Warmup within epochs when warmup_prefix=False. LR stepped per epoch.",
    ]
    t, per, spans, best = begin + 47.0, 1668, [], []
    for epoch in range(32):
        lr = 7.5e-4 * min(1, (epoch + 0.2) / 5) * (0.5 + 0.5 * math.cos(math.pi * epoch / 120))
        t0, total, times = t, 0.0, 0.0
        for i in [*range(0, per, 50), per - 1]:
            loss = falls(rng, epoch * per + i, 6.95, 2.5, 9000, 0.035)
            dt = 0.574 * rng.gauss(1, 0.012) + (2.3 if i == 0 else 0)
            total, times = total + loss, times + 1
            mean = 0.575 + (1.7 if i == 0 else 1.7 / (i + 1))
            data = 0.011 * rng.uniform(0.7, 1.6) + (1.6 if i == 0 else 0)
            out.append(
                f"Train: {epoch} [{i:>4d}/{per} ({100.0 * (i + 1) / per:>3.0f}%)]  Loss: {loss:#.3g} ({total / times:#.3g})  "
                f"Time: {dt:.3f}s, {768 / dt:>7.2f}/s  ({mean:.3f}s, {768 / mean:>7.2f}/s)  LR: {lr:.3e}  "
                f"Data: {data:.3f} ({0.012 + 1.6 / (i + 1):.3f})"
            )
        t += per * 0.5755 + rng.uniform(1, 4)
        spans.append((t0, t))
        top = 80.5 * (1 - math.exp(-(epoch + 0.4) / 13)) + rng.gauss(0, 0.25)
        five = 100 * (top / 100) ** (0.35 + 0.35 * (1 - top / 100) ** 4)
        slow, mean_s = rng.uniform(1.7, 2.4), rng.uniform(0.79, 0.84)
        out += [
            f"Test: [{i:>4d}/32]  Time: {slow if i == 0 else mean_s / 2:.3f} ({slow if i == 0 else mean_s:.3f})  "
            f"Loss: {6.4 - top / 14 + rng.gauss(0, 0.02):>7.3f} ({6.4 - top / 14:>6.3f})  Acc@1: {top + rng.gauss(0, 0.6):>7.3f} ({top:>7.3f})  "
            f"Acc@5: {five + rng.gauss(0, 0.3):>7.3f} ({five:>7.3f})"
            for i in (0, 32)
        ]
        t += 33 * mean_s + 7
        best = sorted([*best, (round(top, 5), epoch)], reverse=True)[:4]
        out.append("Current checkpoints:")
        out += [
            f" ('./output/train/20261109-194131-convnext_base-224/checkpoint-{e}.pth.tar', {acc})" for acc, e in best
        ]
        out.append("")
    end = t + 1.2
    out.append("epoch 32: unfreezing backbone, enabling gradient checkpointing")
    for rank in sorted(range(12), key=lambda _: rng.random()):
        out += [
            f"[rank{rank}]: {text}"
            for text in (
                "Traceback (most recent call last):",
                '  File "/home/apillai/vision/train.py", line 1288, in <module>',
                "    main()",
                '  File "/home/apillai/vision/train.py", line 897, in main',
                "    staged_unfreeze(model, epoch, args)",
                '  File "/home/apillai/vision/staging.py", line 41, in staged_unfreeze',
                "    model.set_grad_checkpointing(True)",
                '  File "/home/apillai/miniforge3/envs/vis/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1931, in __getattr__',
                "    raise AttributeError(",
                "AttributeError: 'DistributedDataParallel' object has no attribute 'set_grad_checkpointing'",
            )
        ]
    where = "torch/distributed/elastic/multiprocessing/api.py"
    for k, host in enumerate(nodes):
        pid = 418210 + 3391 * k
        e = end + 5 + 0.4 * k
        out += [
            f"E{loc(e, zone, '%m%d %H:%M:%S')}.{ms(e)}000 {pid} {where}:874] failed (exitcode: 1) local_rank: {k} (pid: {pid + 40 + k}) of binary: /home/apillai/miniforge3/envs/vis/bin/python3.11",
            "Traceback (most recent call last):",
            '  File "/home/apillai/miniforge3/envs/vis/bin/torchrun", line 8, in <module>',
            "    sys.exit(main())",
            "             ^^^^^^",
            '  File "/home/apillai/miniforge3/envs/vis/lib/python3.11/site-packages/torch/distributed/run.py", line 918, in main',
            "    run(args)",
            '  File "/home/apillai/miniforge3/envs/vis/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 268, in launch_agent',
            "    raise ChildFailedError(",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 60,
            "train.py FAILED",
            "-" * 60,
            "Failures:",
        ]
        for n, r in enumerate(x for x in range(4) if x != k):
            out += _failure(n + 1, end + 0.5, zone, host, 4 * k + r, r, pid + 40 + r)
        out += ["-" * 60, "Root Cause (first observed failure):"]
        out += _failure(0, end + 0.5, zone, host, 4 * k + k, k, pid + 40 + k)
        out.append("=" * 60)
    out += [f"srun: error: {host}: task {k}: Exited with exit code 1" for k, host in enumerate(nodes)]
    put(place, f"slurm-{job}.out", out)
    end += 8

    def load(_node: int, _gpu: int, at: float) -> Load:
        if not begin + 12 < at < end:
            return OFF
        if at < begin + 44:
            return Load(used=900)
        if any(a <= at < b for a, b in spans):
            return Load(0.99, 0.95, 0.55, 0.84, 15840)
        return Load(0.62, 0.4, 0.18, 0.3, 15840) if at < end - 8 else Load(0.0, 0, 0, 0, 15840)

    rig = Rig("L4", nodes, 4, load, begin - 300, end + 600, 30, 101, flat={(1, 2, "SBE"): 6, (1, 2, "CREMAP"): 1})
    kit.prometheus(place, "prom_dcgm.json", [rig], style="uuid")
    rows = [
        ("", "cnx-base-in1k", "FAILED", "1:0", begin, end),
        (".batch", "batch", "FAILED", "1:0", begin, end),
        (".extern", "extern", "COMPLETED", "0:0", begin, end),
        (".0", "torchrun", "FAILED", "1:0", begin + 2, end),
    ]
    Job(
        job,
        "cnx-base-in1k",
        "apillai",
        "l4",
        "l4-[03-05]",
        3,
        96,
        12,
        2880,
        begin - 2210,
        zone,
        "sbatch run_cnx.sh",
        rows,
    ).bars(place, "sacct.txt")
    for host in nodes:
        boot = begin - rng.uniform(8, 40) * 86400
        kit.kernel(place, f"{host}/dmesg.txt", "dmesg -T", zone, host, boot, kit.quiet(rng, boot, begin, end, "L4", 4))


def _failure(n: int, t: float, zone: str, host: str, rank: int, local: int, pid: int) -> list[str]:
    return [
        f"[{n}]:",
        f"  time      : {loc(t, zone, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {host}.cluster.local",
        f"  rank      : {rank} (local_rank: {local})",
        f"  exitcode  : 1 (pid: {pid})",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
    ]


def t02(place: Path, rng: Random) -> None:
    """G1: pretraining of 30000 iterations that reached its last; the XID was another's, three hours earlier."""
    zone, host, job = "+01:00", "mars4", 7129
    begin = when("2026-11-05T08:02:11", zone)
    out = [
        "W1105 08:02:19.114000 20817 torch/distributed/run.py:793] ",
        "W1105 08:02:19.114000 20817 torch/distributed/run.py:793] *****************************************",
        "W1105 08:02:19.114000 20817 torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        "W1105 08:02:19.114000 20817 torch/distributed/run.py:793] *****************************************",
        "using world size: 2, data-parallel size: 2, context-parallel size: 1, hierarchical context-parallel sizes: Nonetensor-model-parallel size: 1, encoder-tensor-model-parallel size: 0, pipeline-model-parallel size: 1, encoder-pipeline-model-parallel size: 0",
        "using torch.bfloat16 for parameters ...",
        "------------------------ arguments ------------------------",
        *(
            f"  {key} {'.' * (46 - len(key))} {value}"
            for key, value in (
                ("adam_beta1", "0.9"),
                ("adam_beta2", "0.95"),
                ("bf16", "True"),
                ("check_for_nan_in_loss_and_grad", "True"),
                ("distributed_timeout_minutes", "10"),
                ("eval_interval", "2000"),
                ("eval_iters", "20"),
                ("exit_duration_in_mins", "None"),
                ("global_batch_size", "64"),
                ("hidden_size", "1024"),
                ("log_interval", "100"),
                ("lr", "0.0003"),
                ("lr_decay_iters", "30000"),
                ("micro_batch_size", "8"),
                ("num_layers", "24"),
                ("save_interval", "5000"),
                ("seq_length", "1024"),
                ("train_iters", "30000"),
            )
        ),
        "-------------------- end of arguments ---------------------",
        "> building GPT2BPETokenizer tokenizer ...",
        " > padded vocab (size: 50257) with 47 dummy tokens (new size: 50304)",
        "> initializing torch distributed ...",
        "> setting random seeds to 1234 ...",
        "> compiling dataset index builder ...",
        ">>> done with dataset index builder. Compilation time: 0.041 seconds",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 354871296",
        "WARNING: could not find the metadata file /work/ckpt/gpt350m-de/latest_checkpointed_iteration.txt ",
        "    will not load any checkpoints and will start from random",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {loc(begin + 41, zone)} ",
        "> building train, validation, and test datasets ...",
        "> finished creating GPT datasets ...",
        f"[after dataloaders are built] datetime: {loc(begin + 58, zone)} ",
        "done with setup ...",
        "(min, max) time across ranks (ms):",
        "    model-and-optimizer-setup ......................: (2107.41, 2109.80)",
        "    train/valid/test-data-iterators-setup ..........: (16722.05, 16722.60)",
        "training ...",
        f"[before the start of training step] datetime: {loc(begin + 59, zone)} ",
    ]
    t, evals = begin + 59.0, []
    for it in range(100, 30001, 100):
        dt = 1.0165 * rng.gauss(1, 0.003) + (0.031 if it == 100 else 0)
        t += 100 * dt
        loss = falls(rng, it, 10.9, 2.62, 260, 0.006)
        lr = 3e-4 * min(1, it / 600) * (0.55 + 0.45 * math.cos(math.pi * it / 30000))
        out.append(
            f" [{loc(t, zone)}] iteration {it:8d}/{30000:8d} | consumed samples: {it * 64:12d} | elapsed time per iteration (ms): {dt * 1000:.1f} | "
            f"throughput per GPU (TFLOP/s/GPU): {88.9 / dt:.1f} | learning rate: {lr:.6E} | global batch size: {64:5d} | lm loss: {loss:.6E} | "
            f"loss scale: 1.0 | grad norm: {0.9 * (1 + 4 / (it / 100)) * rng.uniform(0.3, 0.42):.3f} | number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} |"
        )
        if it == 100:
            out.append(
                "[Rank 0] (after 100 iterations) memory (MB) | allocated: 5427.61 | max allocated: 30911.55 | reserved: 32344.0 | max reserved: 32344.0"
            )
        if it % 2000 == 0:
            evals.append((t, t + 9))
            t += 9
            value = falls(rng, it, 10.9, 2.65, 260, 0.003)
            out += _validation(f"iteration {it}", value)
        if it % 5000 == 0:
            out += [
                f"saving checkpoint at iteration {it:7d} to /work/ckpt/gpt350m-de in torch_dist format",
                f"  successfully saved checkpoint from iteration {it:7d} to /work/ckpt/gpt350m-de [ t 1/1, p 1/1 ]",
            ]
            evals.append((t, t + 14))
            t += 14
    out += [f"[after training is done] datetime: {loc(t, zone)} ", "Evaluating on 1280 samples"]
    out += ["Evaluating iter 10/20", "Evaluating iter 20/20", *_validation("iteration 30000 on validation set", value)]
    evals.append((t, t + 9))
    t += 9
    end = t + 11
    put(place, f"gpt350m-{job}.log", out)

    def load(_node: int, _gpu: int, at: float) -> Load:
        if not begin + 14 < at < end - 3:
            return OFF
        if at < begin + 60:
            return Load(used=2600)
        if any(a <= at < b for a, b in evals):
            return Load(0.5, 0.33, 0.2, 0.2, 32400)
        return Load(0.99, 0.83, 0.44, 0.47, 32400)

    rig = Rig("L40S", [host], 2, load, begin - 600, end + 900, 15, 202)
    rig.flat = {(0, 1, "XID"): 31}
    kit.prometheus(place, "query_range.json", [rig])
    name = "gpt350m-de"
    rows = [
        ("", name, "COMPLETED", "0:0", begin, end),
        (".batch", "batch", "COMPLETED", "0:0", begin, end),
        (".extern", "extern", "COMPLETED", "0:0", begin, end),
    ]
    Job(job, name, "kbrandt", "l40s", host, 1, 32, 2, 1440, begin - 61, zone, "sbatch pretrain_350m.sbatch", rows).bars(
        place, "sacct_all.psv", everything=True
    )
    boot = begin - 11.3 * 86400
    more = (
        begin - 11020.4,
        "NVRM: Xid (PCI:0000:0f:00): 31, pid=3318801, name=jupyter-lab, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_3 faulted @ 0x7f3c_2a000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
    )
    kit.kernel(
        place,
        "dmesg_mars4.txt",
        "dmesg",
        zone,
        host,
        boot,
        [*kit.quiet(rng, boot, begin, end, "L40S", 2), more],
    )


def _validation(where: str, value: float) -> list[str]:
    text = f" validation loss at {where} | lm loss value: {value:.6E} | lm loss PPL: {math.exp(value):.6E} | "
    return ["-" * (len(text) + 1), text, "-" * (len(text) + 1)]


def t03(place: Path, rng: Random) -> None:
    """G1: twelve epochs of segmentation in a quarter of an hour, French log, ended as planned."""
    zone, nodes, job = "+01:00", ["calcul07", "calcul08", "calcul09"], 341290
    begin = when("2026-11-17T14:20:33", zone)
    out = ["Chargement du module cuda/12.4", "Chargement du module python/3.11.9"]
    t = begin + 21

    def say(text: str) -> None:
        out.append(f"[{loc(t, zone, '%d/%m/%Y %H:%M:%S')}] {text}")

    say("Démarrage : 12 processus sur 3 nœuds (calcul07, calcul08, calcul09)")
    say("Graine aléatoire : 42 — précision bf16")
    say("Jeu d'apprentissage : 18 432 images, validation : 2 304 images")
    say("Modèle : SegFormer-B3, 47,2 M de paramètres ; lot global 192 (16 par GPU)")
    t += 24
    say("Début de l'apprentissage : 12 époques de 96 itérations")
    spans, best = [], 0.0
    for epoch in range(1, 13):
        a = t
        for i in (32, 64, 96):
            t += 32 * 0.522 * rng.gauss(1, 0.01)
            loss = falls(rng, (epoch - 1) * 96 + i, 1.61, 0.171, 55, 0.03)
            lr = 6e-5 * (1 - ((epoch - 1) * 96 + i - 1) / 1152) ** 0.9
            say(
                f"Époque {epoch:2d}/12  itération {i:3d}/96  perte {loss:.4f}".replace(".", ",")
                + f"  taux {lr:.2e}".replace(".", ",")
            )
        spans.append((a, t))
        t += 13 * rng.gauss(1, 0.04)
        miou = 0.741 - 0.48 * math.exp(-epoch / 3.2) + rng.gauss(0, 0.003)
        say(f"Validation : perte {falls(rng, epoch * 96, 1.55, 0.2, 55, 0.02):.4f}  mIoU {miou:.4f}".replace(".", ","))
        if miou > best:
            best = miou
            say("Meilleur modèle jusqu'ici, enregistré dans resultats/meilleur.pt")
            t += 2
    say(
        "Apprentissage terminé. Meilleur mIoU : " + f"{best:.4f}".replace(".", ",") + f". Durée : {hms(t - begin - 45)}"
    )
    end = t + 9
    put(place, f"seg_{job}.out", out)

    def load(_node: int, _gpu: int, at: float) -> Load:
        if not begin + 13 < at < end - 4:
            return OFF
        if any(a <= at < b for a, b in spans):
            return Load(0.96, 0.62, 0.22, 0.38, 41200)
        return Load(0.45, 0.2, 0.08, 0.12, 41200) if at > begin + 45 else Load(used=1100)

    rig = Rig("H100", nodes, 4, load, begin - 600, end + 600, 60, 303)
    kit.prometheus(place, "dcgm.json", [rig], without=kit.PROFILE)
    rows = [
        ("", "segformer", "COMPLETED", "0:0", begin, end),
        (".batch", "batch", "COMPLETED", "0:0", begin, end),
        (".extern", "extern", "COMPLETED", "0:0", begin, end),
        (".0", "python", "COMPLETED", "0:0", begin + 8, end - 1),
    ]
    Job(
        job,
        "segformer",
        "mlefevre",
        "gpu_h100",
        "calcul[07-09]",
        3,
        144,
        12,
        60,
        begin - 740,
        zone,
        "sbatch soumission.slurm",
        rows,
    ).bars(place, "sacct.txt", everything=True)
    for host in nodes:
        boot = begin - rng.uniform(5, 60) * 86400
        kit.kernel(
            place, f"dmesg.{host}.txt", "dmesg iso", zone, host, boot, kit.quiet(rng, boot, begin, end, "H100", 4)
        )


def t04(place: Path, rng: Random) -> None:
    """C1: the fourth node never reached the store of accelerate's static rendezvous; no GPU was ever touched."""
    zone, nodes = "+01:00", [f"gpu-l4-{n}" for n in (11, 12, 13, 17)]
    begin = when("2026-11-12T16:07:40", zone)
    lib = "/opt/conda/lib/python3.11/site-packages"
    tail = [
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/accelerate", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        f'  File "{lib}/accelerate/commands/accelerate_cli.py", line 50, in main',
        "    args.func(args)",
        f'  File "{lib}/accelerate/commands/launch.py", line 1198, in launch_command',
        "    multi_gpu_launcher(args)",
        f'  File "{lib}/accelerate/commands/launch.py", line 815, in multi_gpu_launcher',
        "    distrib_run.run(args)",
        f'  File "{lib}/torch/distributed/run.py", line 910, in run',
        "    elastic_launch(",
        f'  File "{lib}/torch/distributed/launcher/api.py", line 138, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/torch/distributed/launcher/api.py", line 260, in launch_agent',
        "    result = agent.run()",
        "             ^^^^^^^^^^^",
        f'  File "{lib}/torch/distributed/elastic/metrics/api.py", line 137, in wrapper',
        "    result = f(*args, **kwargs)",
        "             ^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/torch/distributed/elastic/agent/server/api.py", line 696, in run',
        "    result = self._invoke_run(role)",
        "             ^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/torch/distributed/elastic/agent/server/api.py", line 849, in _invoke_run',
        "    self._initialize_workers(self._worker_group)",
        f'  File "{lib}/torch/distributed/elastic/agent/server/api.py", line 668, in _initialize_workers',
        "    self._rendezvous(worker_group)",
        f'  File "{lib}/torch/distributed/elastic/agent/server/api.py", line 500, in _rendezvous',
        "    rdzv_info = spec.rdzv_handler.next_rendezvous()",
        "                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/torch/distributed/elastic/rendezvous/static_tcp_rendezvous.py", line 67, in next_rendezvous',
        "    self._store = TCPStore(  # type: ignore[call-arg]",
        "                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ]
    gather = [
        *tail[:-5],
        f'  File "{lib}/torch/distributed/elastic/agent/server/api.py", line 513, in _rendezvous',
        "    workers = self._assign_worker_ranks(",
        "              ^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{lib}/torch/distributed/elastic/agent/server/api.py", line 601, in _assign_worker_ranks',
        '    assigned_data = store.get(f"{ASSIGNED_RANKS_PREFIX}{group_rank}")',
        "                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ]
    starts = [begin + 6.2, begin + 7.1, begin + 6.8, begin + 8.0]
    for k, host in enumerate(nodes):
        s = starts[k]
        glog = loc(s + 3, zone, "%m%d %H:%M:%S")
        out = [
            f"== {host} == {loc(begin + 1, zone, '%a %b %e %H:%M:%S CET %Y')}",
            f"MASTER_ADDR={nodes[0]} MASTER_PORT=29500 machine_rank={k} num_machines=4 num_processes=16",
            f"E{glog}.{411200 + k * 311} {2214 + k} cuda_dnn.cc:8579] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered",
            f"E{glog}.{418833 + k * 97} {2214 + k} cuda_blas.cc:1407] Unable to register cuBLAS factory: Attempting to register factory for plugin cuBLAS when one has already been registered",
            f"{loc(s + 4, zone)}.{ms(s * 1.7)}: W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT",
        ]
        if k == 0:
            out += [
                *tail,
                "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 3/4 clients joined.",
            ]
        elif k == 3:
            for n in range(4):
                at = s + 5 + 131.4 * (n + 1)
                stamp = loc(at, zone, "%a %b %e %H:%M:%S %Y")
                out.append(
                    f"[W{loc(at, zone, '%m%d %H:%M:%S')}.{rng.randrange(10**9):09d} socket.cpp:697] [c10d] The client socket has failed to connect to [{nodes[0]}]:29500 (errno: 110 - Connection timed out)."
                )
                assert stamp
            at = s + 5 + 600
            out += [
                f"[E{loc(at, zone, '%m%d %H:%M:%S')}.{rng.randrange(10**9):09d} socket.cpp:1019] [c10d] The client socket has timed out after 600000ms while trying to connect to ({nodes[0]}, 29500).",
                *tail,
                f"torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to connect to ({nodes[0]}, 29500).",
            ]
        else:
            out += [*gather, "torch.distributed.DistNetworkError: failed to recv, got 0 bytes"]
        put(place, f"logs/{host}.log", out)
    end = begin + 19 * 60
    rig = Rig("L4", nodes, 4, lambda _n, _g, _t: OFF, begin - 300, end, 60, 404)
    kit.prometheus(place, "prometheus.json", [rig])
    for host in nodes:
        boot = begin - rng.uniform(1, 30) * 86400
        lines = kit.quiet(rng, boot, begin, end, "L4", 4)
        kit.kernel(place, f"dmesg/{host}.txt", "dmesg iso", zone, host, boot, lines)


def t05(place: Path, rng: Random) -> None:
    """G1: nanoGPT to its max_iters; the exporter was not scraped for 24 minutes."""
    zone, host, job = "+01:00", "hx02", 20418
    begin = when("2026-11-03T09:15:00", zone)
    out = [
        "Overriding config with config/train_gpt2.py:",
        "# config for training GPT-2 (124M) down to very nice loss of ~2.85 on 1 node of 8X A100 40GB",
        "# launch as the following (e.g. in a screen session) and wait ~5 days:",
        "# $ torchrun --standalone --nproc_per_node=8 train.py config/train_gpt2.py",
        "",
        "wandb_log = False",
        "batch_size = 12",
        "block_size = 1024",
        "gradient_accumulation_steps = 5 * 8",
        "max_iters = 600000",
        "lr_decay_iters = 600000",
        "eval_interval = 1000",
        "eval_iters = 200",
        "log_interval = 10",
        "weight_decay = 1e-1",
        "",
        "Overriding: out_dir = out-fr124m",
        "Overriding: dataset = frwiki",
        "Overriding: max_iters = 38000",
        "Overriding: lr_decay_iters = 38000",
        "tokens per iteration will be: 491,520",
        "Initializing a new model from scratch",
        "defaulting to vocab_size of GPT-2 to 50304 (50257 rounded up for efficiency)",
        "number of parameters: 123.59M",
        "num decayed parameter tensors: 50, with 124,354,560 parameters",
        "num non-decayed parameter tensors: 98, with 121,344 parameters",
        "using fused AdamW: True",
        "compiling the model... (takes a ~minute)",
    ]
    t, evals, mfu, best = begin + 31.0, [], -1.0, 1e9
    for it in range(0, 38001, 10):
        extra = 0.0
        if it % 1000 == 0:
            train, val = falls(rng, it, 10.95, 2.71, 190, 0.002), falls(rng, it, 10.96, 2.79, 190, 0.002)
            extra = 51.0 if it == 0 else 7.4
            evals.append((t, t + extra))
            out.append(f"step {it}: train loss {train:.4f}, val loss {val:.4f}")
            if it and val < best:
                best = val
                out.append("saving checkpoint to out-fr124m")
                extra += 1.9
        dt = 0.2261 * rng.gauss(1, 0.004)
        t += extra + (2.261 * rng.gauss(1, 0.002) if it else 4.1)
        now = 0.7467 * 0.2261 / dt
        mfu = (-1.0 if it < 50 else now) if mfu < 0 else 0.9 * mfu + 0.1 * now
        shown = (dt + (extra if it else 55.12)) * 1000
        out.append(
            f"iter {it}: loss {falls(rng, it, 10.97, 2.71, 190, 0.013):.4f}, time {shown:.2f}ms, mfu {mfu * 100:.2f}%"
        )
    end = t + 6
    put(place, f"slurm-{job}.out", out)

    def load(_node: int, _gpu: int, at: float) -> Load:
        if not begin + 11 < at < end - 3:
            return OFF
        if at < begin + 84:
            return Load(0.11, 0.05, 0.02, 0.03, 9100)
        if any(a <= at < b for a, b in evals):
            return Load(0.93, 0.68, 0.4, 0.33, 38600)
        return Load(0.99, 0.84, 0.42, 0.49, 38600)

    rig = Rig("H100", [host], 8, load, begin - 900, end + 900, 30, 505, gaps=[(begin + 4310, begin + 5750)])
    kit.prometheus(place, "hx02_gpu.json", [rig])
    rows = [
        ("", "nanogpt-fr", "COMPLETED", "0:0", begin, end),
        (".batch", "batch", "COMPLETED", "0:0", begin, end),
        (".extern", "extern", "COMPLETED", "0:0", begin, end),
    ]
    Job(
        job, "nanogpt-fr", "ojuarez", "h100", host, 1, 96, 8, 720, begin - 3, zone, "sbatch go.sh", rows, account="nlp"
    ).columns(place, "sacct.out", kit.DEFAULT)


def t06(place: Path, rng: Random) -> None:
    """C3: one process of fairseq, memory held, nothing launched for the last half of an hour, the pod runs."""
    zone = "+00:00"
    pod, host = "mt-en-is-0", "gke-a100-pool-7b1c9e55-x2vq"
    begin = when("2026-11-19T10:31:12")
    out = []
    t = begin + 14.0

    def say(who: str, text: str) -> None:
        out.append(f"{loc(t, zone)} | INFO | {who} | {text}")

    say("fairseq.tasks.text_to_speech", "Please install tensorboardX: pip install tensorboardX")
    say("fairseq.tasks.translation", "[en] dictionary: 32760 types")
    say("fairseq.tasks.translation", "[is] dictionary: 32760 types")
    t += 4
    say("fairseq_cli.train", "task: TranslationTask")
    say("fairseq_cli.train", "model: TransformerModel")
    say("fairseq_cli.train", "criterion: LabelSmoothedCrossEntropyCriterion")
    say("fairseq_cli.train", "num. shared model params: 209,911,808 (num. trained: 209,911,808)")
    say("fairseq.data.data_utils", "loaded 2,004 examples from: /data/bin/en-is/valid.en-is.en")
    say("fairseq.utils", "***********************CUDA enviroments for all 1 workers***********************")
    say(
        "fairseq.utils",
        "rank   0: capabilities =  8.0  ; total memory = 39.394 GB ; name = NVIDIA A100-SXM4-40GB                   ",
    )
    say("fairseq.utils", "***********************CUDA enviroments for all 1 workers***********************")
    say("fairseq_cli.train", "training on 1 devices (GPUs/TPUs)")
    say("fairseq_cli.train", "max tokens per device = 16384 and max sentences per device = None")
    say("fairseq.trainer", "Preparing to load checkpoint /ckpt/en-is/checkpoint_last.pt")
    say("fairseq.trainer", "No existing checkpoint found /ckpt/en-is/checkpoint_last.pt")
    say("fairseq.trainer", "loading train data for epoch 1")
    t += 9
    say("fairseq.data.data_utils", "loaded 4,912,377 examples from: /data/bin/en-is/train.en-is.en")
    t += 11
    say("fairseq.data.iterators", "grouped total_num_itrs = 2614")
    say("fairseq.trainer", "begin training epoch 1")
    say("fairseq_cli.train", "Start iterating over samples")
    start = t
    for n in range(100, 2101, 100):
        t += 100 / 2.07 * rng.gauss(1, 0.01)
        nll = falls(rng, n, 13.9, 4.4, 420, 0.01)
        say(
            "train_inner",
            f"epoch 001:{n:7d} / 2614 loss={nll + 0.9:.3f}, nll_loss={nll:.3f}, ppl={2**nll:.2f}, wps={rng.gauss(54800, 300):.1f}, ups={rng.gauss(2.07, 0.01):.2f}, "
            f"wpb={rng.gauss(26470, 60):.1f}, bsz={rng.gauss(1879, 20):.1f}, num_updates={n}, lr={n * 1.25e-07:.4g}, gnorm={1.1 + 300 / (n + 90) * rng.uniform(0.9, 1.1):.3f}, "
            f"train_wall={48 + rng.randrange(2)}, gb_free=11.8, wall={t - begin - 14:.0f}",
        )
    stop = t + 21.4
    put(place, f"{pod}.log", out)
    seen = begin + 47 * 60

    def load(_node: int, _gpu: int, at: float) -> Load:
        if at < begin + 16:
            return OFF
        if at < start:
            return Load(used=1900)
        return Load(0.98, 0.95, 0.62, 0.79, 27320) if at < stop else Load(0, 0, 0, 0, 27320)

    rig = Rig("A100-40", [host], 1, load, begin - 20, seen, 60, 606)
    kit.smi_csv(place, "nvidia-smi.csv", rig, 0, zone, old=True)
    put(
        place,
        "describe.txt",
        f"""Name:             {pod}
Namespace:        mt
Priority:         0
Service Account:  default
Node:             {host}/10.132.0.41
Start Time:       {loc(begin - 8, zone, "%a, %d %b %Y %H:%M:%S +0000")}
Labels:           app=mt-train
                  pair=en-is
Annotations:      <none>
Status:           Running
IP:               10.8.3.117
IPs:
  IP:  10.8.3.117
Containers:
  fairseq:
    Container ID:  containerd://{rng.getrandbits(256):064x}
    Image:         eu.gcr.io/mt-lab/fairseq:0.12.3-cu121
    Image ID:      eu.gcr.io/mt-lab/fairseq@sha256:{rng.getrandbits(256):064x}
    Port:          <none>
    Host Port:     <none>
    Command:
      bash
      /opt/run/train_en_is.sh
    State:          Running
      Started:      {loc(begin, zone, "%a, %d %b %Y %H:%M:%S +0000")}
    Ready:          True
    Restart Count:  0
    Limits:
      cpu:             11
      memory:          80Gi
      nvidia.com/gpu:  1
    Requests:
      cpu:             11
      memory:          80Gi
      nvidia.com/gpu:  1
    Environment:       <none>
    Mounts:
      /ckpt from ckpt (rw)
      /data from data (ro)
Conditions:
  Type                        Status
  PodReadyToStartContainers   True
  Initialized                 True
  Ready                       True
  ContainersReady             True
  PodScheduled                True
Volumes:
  data:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  mt-data
    ReadOnly:   true
  ckpt:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  mt-ckpt
    ReadOnly:   false
QoS Class:                   Guaranteed
Node-Selectors:              cloud.google.com/gke-accelerator=nvidia-tesla-a100
Tolerations:                 node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                             node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
                             nvidia.com/gpu=present:NoSchedule
Events:
  Type    Reason     Age   From               Message
  ----    ------     ----  ----               -------
  Normal  Scheduled  47m   default-scheduler  Successfully assigned mt/{pod} to {host}
  Normal  Pulled     47m   kubelet            Container image "eu.gcr.io/mt-lab/fairseq:0.12.3-cu121" already present on machine
  Normal  Created    47m   kubelet            Created container fairseq
  Normal  Started    47m   kubelet            Started container fairseq
""",
    )


def t07(place: Path, rng: Random) -> None:
    """D2: a checkpoint of minutes to slow storage after every 25 steps of a half-minute; preempted once, resumed."""
    zone, host = "+09:00", "yukari"
    begin = when("2026-11-13T11:02:05", zone)
    out: list[str] = []
    saves, trains = [], []
    t, step = begin, 0
    where = "/mnt/nas/exp/gpt2-large-ja"

    def launch(resumed: int) -> None:
        nonlocal t
        out.extend(
            [
                "GPU available: True (cuda), used: True",
                "TPU available: False, using: 0 TPU cores",
                "HPU available: False, using: 0 HPUs",
                "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/2",
                "Initializing distributed: GLOBAL_RANK: 1, MEMBER: 2/2",
                "-" * 100,
                "distributed_backend=nccl",
                "All distributed processes registered. Starting with 2 processes",
                "-" * 100,
                "",
            ]
        )
        if resumed:
            out.append(f"Restoring states from the checkpoint path at {where}/step-{resumed:06d}.ckpt")
        out.extend(
            [
                "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1]",
                "LOCAL_RANK: 1 - CUDA_VISIBLE_DEVICES: [0,1]",
                "",
                "  | Name  | Type             | Params | Mode ",
                "---------------------------------------------------",
                "0 | model | GPT2LMHeadModel  | 774 M  | train",
                "---------------------------------------------------",
                "774 M     Trainable params",
                "0         Non-trainable params",
                "774 M     Total params",
                "3,096.121 Total estimated model params size (MB)",
            ]
        )
        if resumed:
            out.append(f"Restored all states from the checkpoint at {where}/step-{resumed:06d}.ckpt")
        t += 118 if resumed else 74

    def run(until: float, shown: float) -> None:
        nonlocal t, step
        best = 9.9
        while t < until:
            a = t
            bar = ""
            for n in range(1, 26):
                t += 1.12 * rng.gauss(1, 0.02)
                step += 1
                loss = falls(rng, step, 4.6, 2.3, 300, 0.02)
                if n % 5 == 0:
                    full, part = divmod(80 * step // 12000, 8)
                    bar += (
                        f"\rEpoch 0: {100 * step // 12000:3d}%|{'█' * full}{' ▏▎▍▌▋▊▉'[part]}{' ' * (9 - full)}| {step}/12000 "
                        f"[{hms(t - shown)}<{hms((12000 - step) * (t - shown) / max(step - first, 1))}, {(step - first) / (t - shown):5.2f}it/s, v_num=1, train_loss={loss:.3f}]"
                    )
            out.append(bar)
            trains.append((a, t))
            took = rng.gauss(121, 17)
            saves.append((t, t + took))
            best = min(best, loss)
            t += took
            out.append(
                f"Epoch 0, global step {step}: 'train_loss' reached {loss:.5f} (best {best:.5f}), saving model to '{where}/step-{step:06d}.ckpt' as top {step // 25}"
            )
            out.append(
                f"{loc(t, zone)},{ms(t)} INFO callbacks.py:61 step {step}: checkpoint written in {took:.1f} s (9.3 GB, {9290 / took:.0f} MB/s)"
            )

    first = 0
    launch(0)
    run(begin + 5100, t)
    out.append(
        f"slurmstepd: error: *** JOB 5571 ON {host} CANCELLED AT {loc(t + 3, zone, kit.ISO)} DUE TO PREEMPTION ***"
    )
    cut = t + 3
    t = again = cut + 1490
    first = step
    launch(step)
    run(begin + 440 * 60, t)
    put(place, "slurm-5571.out", out)

    def load(_node: int, gpu: int, at: float) -> Load:
        if at < begin + 20 or cut <= at < again + 20:
            return OFF
        if any(a <= at < b for a, b in trains):
            return Load(0.98, 0.8, 0.42, 0.55, 20110)
        if any(a <= at < b for a, b in saves):
            return Load(0.0, 0, 0, 0, 20110) if gpu == 0 else Load(1.0, 0.05, 0, 0.004, 20110)
        return Load(used=3100)

    rig = Rig("A10", [host], 2, load, begin - 300, t, 30, 707)
    kit.smi_exporter(place, "nvidia_smi_exporter.json", rig)
    boot = begin - 73 * 86400
    kit.kernel(place, "dmesg.yukari.txt", "dmesg iso", zone, host, boot, kit.quiet(rng, boot, begin, t, "A10", 2))
