"""The second half of the curves of the twenty-ninth set: logs as their frameworks write them. SIMULATED."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 86400.0


def c07_kelp(place: Path, rng: Random) -> None:
    """A home-made segmenter with rich tables; one evening's half, then the other."""
    rows: list[str] = []
    head = ("epoch", "finished", "train loss", "val loss", "mIoU", "img/s", "GPU mem")
    wide = (5, 19, 10, 8, 6, 5, 8)

    def line(left: str, middle: str, right: str, fill: str) -> str:
        return left + middle.join(fill * (one + 2) for one in wide) + right

    def table(title: str, body: list[tuple[str, ...]]) -> None:
        top = line("┏", "┳", "┓", "━")
        rows.append(title.center(len(top)).rstrip())
        rows.append(top)
        rows.append("┃" + "┃".join(f" {a:>{w}} " for a, w in zip(head, wide, strict=True)) + "┃")
        rows.append(line("┡", "╇", "┩", "━"))
        rows.extend("│" + "│".join(f" {a:>{w}} " for a, w in zip(one, wide, strict=True)) + "│" for one in body)
        rows.append(line("└", "┴", "┘", "─"))

    t = 20 * 3600 + 14 * 60 + 33.0
    best = (0.0, 0)
    for part, (first, last) in enumerate(((1, 11), (12, 20)), start=1):
        if part == 2:
            t = DAY + 18 * 3600 + 2 * 60 + 8
        rows.append(
            f"[{clock(t)}] kelpseg 0.4.1 | unet-r34 | 3 118 tiles train, 402 val | 20 epochs"
            + (" | fresh start" if part == 1 else " | resumed from runs/kelp_b/last.pt (epoch 11, lr 4.05e-05)"),
        )
        body = []
        for epoch in range(first, last + 1):
            rate = 61 + rng.gauss(0, 0.7)
            t += 3118 / rate + 19 + (9 if epoch == first else 0)
            loss = falls(rng, epoch - 1, 0.58, 0.118, 4.5, 0.015)
            val = falls(rng, epoch - 1, 0.51, 0.151, 4.2, 0.02)
            score = 0.842 - 0.43 * math.exp(-epoch / 4.1) + rng.gauss(0, 0.003)
            best = max(best, (score, epoch))
            body.append(
                (str(epoch), clock(t), f"{loss:.4f}", f"{val:.4f}", f"{score:.3f}", f"{rate:.1f}", "10.7 GiB"),
            )
        table(f"kelp_b, part {part}", body)
        if part == 1:
            rows.append(
                f"[{clock(t + 1)}] --until-epoch 11 is reached, state written to runs/kelp_b/last.pt; "
                "go on with: kelpseg train runs/kelp_b --resume",
            )
            rows.append("")
        else:
            rows.append(
                f"[{clock(t + 1)}] all 20 epochs done; best mIoU {best[0]:.3f} at epoch {best[1]} -> "
                f"runs/kelp_b/best.pt",
            )
            rows.append(f"[{clock(t + 9)}] exported runs/kelp_b/kelp_b.onnx (opset 17, 93.4 MB)")
    put(place, "kelp_b.log", rows)


def c08_tides(place: Path, rng: Random) -> None:
    """GluonTS's torch estimator under torchrun on four GPUs."""
    home = "/work/envs/gts/lib/python3.11/site-packages"
    t = 4 * DAY + 22 * 3600 + 17 * 60 + 5.0
    warn = f"{clock(t, '%m%d %H:%M:%S')}.418233 2213907"
    rows = [
        f"W{warn} torch/distributed/run.py:766] ",
        f"W{warn} torch/distributed/run.py:766] *****************************************",
        f"W{warn} torch/distributed/run.py:766] Setting OMP_NUM_THREADS environment variable for each process "
        f"to be 1 in "
        "default, to avoid your system being overloaded, please further tune the variable for optimal performance in "
        "your application as needed. ",
        f"W{warn} torch/distributed/run.py:766] *****************************************",
    ]

    def note(text: str) -> None:
        rows.append(f"{clock(t)},{int(t * 1000) % 1000:03d} tides {text}")

    t += 11
    note("tft, 2 192 gauges, hourly, context 336, prediction 72, static_cat 3, dynamic_real 9")
    note("out: /work/tides/runs/tft_k (checkpoints of the five best)")
    rows += [
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        *(f"Initializing distributed: GLOBAL_RANK: {one}, MEMBER: {one + 1}/4" for one in (0, 2, 1, 3)),
        "-" * 100,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 4 processes",
        "-" * 100,
        "",
        *(f"LOCAL_RANK: {one} - CUDA_VISIBLE_DEVICES: [0,1,2,3]" for one in (0, 1, 3, 2)),
        "",
        "  | Name  | Type                           | Params | Mode  | In sizes | Out sizes",
        "-" * 88,
        "0 | model | TemporalFusionTransformerModel | 1.3 M  | train | ?        | ?",
        "-" * 88,
        "1.3 M     Trainable params",
        "0         Non-trainable params",
        "1.3 M     Total params",
        "5.214     Total estimated model params size (MB)",
        f"{home}/lightning/pytorch/trainer/connectors/data_connector.py:425: The 'train_dataloader' does not have many "
        "workers which may be a bottleneck. Consider increasing the value of the `num_workers` argument` to "
        "`num_workers=15` "
        "in the `DataLoader` to improve performance.",
    ]
    t += 17
    tops: list[float] = []
    epochs = 707
    for epoch in range(epochs):
        loss = 0.0
        batches = (60, 120) if epoch < epochs - 1 else (60,)
        for done in batches:
            rate = 14.6 + rng.gauss(0, 0.25)
            loss = falls(rng, epoch, 0.94, 0.231, 75, 0.012)
            spent = done / rate
            rows.append(
                f"Epoch {epoch}: |{'':10}| {done}/? [{hms(spent)}<00:00, {done / spent:5.2f}it/s, v_num=4, "
                f"train_loss={loss:.3f}]",
            )
        t += 8.2 + rng.gauss(0, 0.1)
        if epoch == epochs - 1:
            break
        if epoch % 10 == 9:
            note(f"epoch {epoch}: mean weighted quantile loss on the last 72 h {loss * 0.41 + 0.012:.4f}")
        if len(tops) < 5 or loss < max(tops):
            tops = sorted([*tops, loss])[:5]
            rows.append(
                f"Epoch {epoch}, global step {120 * (epoch + 1)}: 'train_loss' reached {loss:.5f} (best "
                f"{tops[0]:.5f}), saving "
                "model to '/work/tides/runs/tft_k/lightning_logs/version_4/checkpoints/"
                f"epoch={epoch}-step={120 * (epoch + 1)}"
                ".ckpt' as top 5",
            )
        else:
            rows.append(f"Epoch {epoch}, global step {120 * (epoch + 1)}: 'train_loss' was not in top 5")
    t += 1800
    work = 2 * 120 * (epochs - 1) + 2 * 71 + 37
    for rank, late in ((3, 0), (0, 0.041), (1, 0.077)):
        stamp = clock(t + late, "%m%d %H:%M:%S") + f".{int((t + late) * 1e6) % 10**6:06d}"
        ran = 1800000 + int(late * 1000) + 6
        rows += [
            f"[rank{rank}]:[E{stamp} ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective "
            f"operation timeout: "
            f"WorkNCCL(SeqNum={work}, OpType=ALLREDUCE, NumelIn=1303369, NumelOut=1303369, Timeout(ms)=1800000) "
            f"ran for "
            f"{ran} milliseconds before timing out.",
            f"[rank{rank}]:[E{stamp} ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Exception "
            f"(either an error or timeout) detected by watchdog at work: {work}, last enqueued NCCL work: {work + 1}, "
            f"last completed NCCL work: {work - 1}.",
        ]
    for rank, late in ((3, 0.9), (0, 1.0), (1, 1.3)):
        stamp = clock(t + late, "%m%d %H:%M:%S") + f".{int((t + late) * 1e6) % 10**6:06d}"
        rows += [
            f"[rank{rank}]:[E{stamp} ProcessGroupNCCL.cpp:1834] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] "
            f"Timeout at NCCL "
            f"work: {work}, last enqueued NCCL work: {work + 1}, last completed NCCL work: {work - 1}.",
            f"[rank{rank}]:[E{stamp} ProcessGroupNCCL.cpp:630] [Rank {rank}] Some NCCL operations have failed "
            f"or timed out. "
            "Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on "
            "corrupted/incomplete data.",
            f"[rank{rank}]:[E{stamp} ProcessGroupNCCL.cpp:636] [Rank {rank}] To avoid data inconsistency, we "
            f"are taking the "
            "entire process down.",
        ]
    stamp = clock(t + 1.4, "%m%d %H:%M:%S") + ".207731"
    rows += [
        f"[rank3]:[E{stamp} ProcessGroupNCCL.cpp:1595] [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group "
        f"watchdog thread "
        "terminated with exception: [Rank 3] Watchdog caught collective operation timeout: "
        f"WorkNCCL(SeqNum={work}, OpType=ALLREDUCE, NumelIn=1303369, NumelOut=1303369, Timeout(ms)=1800000) ran "
        f"for 1800006 "
        "milliseconds before timing out.",
        "Exception raised from checkTimeout at ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:618 (most "
        "recent call first):",
        "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7f2b5b16c446 in "
        f"{home}/torch/lib/libc10.so)",
        "frame #1: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long, "
        "std::ratio<1l, "
        f"1000l> > >) + 0x282 (0x7f2b1042a772 in {home}/torch/lib/libtorch_cuda.so)",
        f"frame #2: c10d::ProcessGroupNCCL::watchdogHandler() + 0x233 (0x7f2b10431bb3 in "
        f"{home}/torch/lib/libtorch_cuda.so)",
        f"frame #3: c10d::ProcessGroupNCCL::ncclCommWatchdog() + 0x14d (0x7f2b1043361d in "
        f"{home}/torch/lib/libtorch_cuda.so)",
        f"frame #4: <unknown function> + 0x145c0 (0x7f2b5b6b05c0 in {home}/torch/lib/libtorch.so)",
        "frame #5: <unknown function> + 0x94ac3 (0x7f2b5c694ac3 in /lib/x86_64-linux-gnu/libc.so.6)",
        "frame #6: <unknown function> + 0x126850 (0x7f2b5c726850 in /lib/x86_64-linux-gnu/libc.so.6)",
        "",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        "  what():  [PG ID 0 PG GUID 0(default_pg) Rank 3] Process group watchdog thread terminated with "
        "exception: [Rank 3] "
        f"Watchdog caught collective operation timeout: WorkNCCL(SeqNum={work}, OpType=ALLREDUCE, NumelIn=1303369, "
        "NumelOut=1303369, Timeout(ms)=1800000) ran for 1800006 milliseconds before timing out.",
    ]
    stamp = clock(t + 6, "%m%d %H:%M:%S")
    rows += [
        *(
            f"W{stamp}.{311004 + i * 230} 2213907 torch/distributed/elastic/multiprocessing/api.py:897] Sending "
            f"process "
            f"{2213975 + i} closing signal SIGTERM"
            for i in (0, 1, 2)
        ),
        f"W{clock(t + 36, '%m%d %H:%M:%S')}.911870 2213907 "
        f"torch/distributed/elastic/multiprocessing/api.py:916] Unable to "
        "shutdown process 2213977 via Signals.SIGTERM, forcefully exiting via Signals.SIGKILL",
        f"E{clock(t + 37, '%m%d %H:%M:%S')}.019927 2213907 "
        f"torch/distributed/elastic/multiprocessing/api.py:869] failed "
        "(exitcode: -6) local_rank: 3 (pid: 2213978) of binary: /work/envs/gts/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/work/envs/gts/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        f'  File "{home}/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^",
        f'  File "{home}/torch/distributed/run.py", line 919, in main',
        "    run(args)",
        f'  File "{home}/torch/distributed/run.py", line 910, in run',
        "    elastic_launch(",
        f'  File "{home}/torch/distributed/launcher/api.py", line 138, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{home}/torch/distributed/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        "fit_tft.py FAILED",
        "-" * 60,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 60,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(t + 6, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : tide-gpu1.coast.lan",
        "  rank      : 3 (local_rank: 3)",
        "  exitcode  : -6 (pid: 2213978)",
        "  error_file: <N/A>",
        "  traceback : Signal 6 (SIGABRT) received by PID 2213978",
        "=" * 60,
    ]
    put(place, "tft_k.log", rows)


def c09_churn(place: Path, rng: Random) -> None:
    """A home-made tabular transformer that writes logfmt and knows when to leave off."""
    rows = [
        'level=info msg="start" app=tabfit version=2.9.0 host=ads-gpu-02 gpu="NVIDIA L4" seed=11',
        'level=info msg="data" train_rows=4128810 val_rows=516101 cols=188 positives=0.0431',
        'level=info msg="model" kind=ft-transformer params=3.1M batch=8192 amp=bf16',
        'level=info msg="plan" max_epochs=40 select_by=val_auc patience=8 restore_best=true',
    ]
    best, kept = 0.0, 0
    epoch = 0
    seconds = 11.0
    while epoch - kept < 8:
        epoch += 1
        took = 48.1 + rng.gauss(0, 0.4)
        seconds += took + 6.2
        train = 0.1102 + 0.058 * math.exp(-epoch / 3) - 0.0011 * epoch + rng.gauss(0, 0.0003)
        val = 0.1311 + 0.03 * math.exp(-epoch / 2.2) + max(0, epoch - 8) * 0.0014 + rng.gauss(0, 0.0004)
        auc = 0.8712 - 0.07 * math.exp(-epoch / 3.1) - max(0, epoch - 15) * 0.0006 + rng.gauss(0, 0.0004)
        mark = auc > best
        if mark:
            best, kept = auc, epoch
        rows.append(
            f'level=info msg="epoch" n={epoch} train_logloss={train:.5f} val_logloss={val:.5f} val_auc={auc:.5f} '
            f"best={'yes' if mark else 'no'} rows_per_s={4128810 / took:.0f} took={took:.1f}s",
        )
    rows += [
        f'level=info msg="patience used up" epoch={epoch} best_epoch={kept} best_val_auc={best:.5f}',
        f'level=info msg="restored" file=models/churn_q4/ep{kept:02d}.pt',
        f'level=info msg="test" rows=516102 auc={best - 0.0009:.5f} logloss=0.138{rng.randrange(10, 99)} '
        f"lift_top5=7.94",
        'level=info msg="exported" file=models/churn_q4/churn_q4.onnx bytes=12611840',
        f'level=info msg="finished" epochs={epoch} rc=0',
    ]
    put(place, "churn_q4.log", rows)
    span = int(seconds + 31)
    took = f"00:{span // 60:02d}:{span % 60:02d}"
    put(
        place,
        "sacct.txt",
        [
            "JobID|JobName|Partition|AllocTRES|State|ExitCode|Elapsed|Timelimit|MaxRSS",
            f"60318|churn_q4|l4|billing=8,cpu=8,gres/gpu=1,mem=48G,node=1|COMPLETED|0:0|{took}|04:00:00|",
            f"60318.batch|batch||cpu=8,gres/gpu=1,mem=48G,node=1|COMPLETED|0:0|{took}||21877304K",
            f"60318.extern|extern||billing=8,cpu=8,gres/gpu=1,mem=48G,node=1|COMPLETED|0:0|{took}||0",
        ],
    )


def c10_pogoda(place: Path, rng: Random) -> None:
    """A home-made forecaster whose log is in Russian, coloured, with bars; taken up again from its own state."""
    rows: list[str] = []
    table = ["step,time,loss,grad_norm,lr,gpu_mem_mib"]
    t = DAY + 9 * 3600 + 31 * 60 + 2.0

    def say(text: str, level: str = "ИНФО", colour: int = 32) -> None:
        rows.append(f"\x1b[2m{clock(t, '%d.%m.%Y %H:%M:%S')}\x1b[0m \x1b[{colour}m{level:<5}\x1b[0m {text}")

    def head(step: int, rate: float) -> None:
        say("Запуск \x1b[1mmeteo-rnn\x1b[0m, узел gpu-kras-03, 1 x NVIDIA A100-PCIE-40GB")
        say("Данные: /data/era5_sib, 1994-2021 обучение, 2022 проверка; окно 48 ч, горизонт 24 ч")
        say(f"Параметров: 118,4 млн; пакет 96; скорость обучения {rate:g}; разогрев 500 шагов; всего 24000 шагов")
        if step:
            say(f"Состояние взято из runs/sib7/state_{step:06d}.pt (веса, оптимизатор, генератор)")

    def loss_at(step: int, turn: int) -> float:
        clean = 0.208 + 0.82 * (0.8 * math.exp(-step / 900) + 0.2 * math.exp(-step / 6000))
        if step <= turn:
            return clean * (1 + rng.gauss(0, 0.02))
        rise = 1 - math.exp(-(step - turn) / 260)
        return (clean * (1 - rise) + 1.87 * rise) * (1 + rng.gauss(0, 0.03))

    def go(first: int, last: int, rate: float, turn: int) -> None:
        nonlocal t
        start = t
        for step in range(first + 10, last + 1, 10):
            t += 10 * 0.463 * (1 + rng.gauss(0, 0.015))
            loss = loss_at(step, turn)
            if step <= turn:
                norm = 0.62 * (1 + rng.gauss(0, 0.12)) + 2 * math.exp(-step / 500)
            else:
                far = step - turn
                norm = (21 * math.exp(-far / 240) + 0.012) * (1 + rng.gauss(0, 0.3))
            now = rate * min(1, step / 500) * (0.5 + 0.5 * math.cos(math.pi * step / 24000))
            rows.append(
                f"\r\x1b[36mобучение\x1b[0m: {100 * step // 24000:3d}%|{bar(step, 24000, 20)}| {step}/24000 "
                f"[{hms(t - start)}<{hms((24000 - step) * 0.463)}, {1 / 0.463 + rng.gauss(0, 0.02):.2f}шаг/с, "
                f"ошибка={loss:.4f}, норма={norm:.3f}]",
            )
            table.append(
                f"{step},{clock(t, '%Y-%m-%dT%H:%M:%S')},{loss:.5f},{norm:.4f},{now:.3e},31{rng.randrange(740, 760)}"
            )
            if step % 1000 == 0:
                t += 21
                check = loss_at(step, turn) * 1.06
                say(f"Проверка, шаг {step}: ошибка {check:.4f}, RMSE t2m {check * 6.1 + 0.4:.2f} К, за 21 с")
                say(f"Записано runs/sib7/state_{step:06d}.pt (1,4 ГБ)")

    head(0, 8e-4)
    go(0, 9740, 8e-4, 8330)
    say("Прерывание с клавиатуры: шаг доводится до конца, выходим", "ВНИМ", 33)
    rows.append("")
    t += 2417
    head(8000, 4e-4)
    go(8000, 24000, 4e-4, 9120)
    say("Все 24000 шагов пройдены, последнее состояние runs/sib7/state_024000.pt")
    say("Прогноз на 2022 год записан в runs/sib7/fc2022.nc; выход 0")
    put(place, "sib7.log", rows)
    put(place, "sib7_metrics.csv", table)


def c11_herbarium(place: Path, rng: Random) -> None:
    """open_clip on four GPUs, queued a second time with resume latest; its shards want for some files."""
    rows: list[str] = []

    def say(t: float, text: str, level: str = "INFO") -> None:
        rows.append(f"{clock(t, '%Y-%m-%d,%H:%M:%S')} | {level} | {text}")

    samples, world = 2_400_256, 4
    batch = 256
    total = batch * world
    per_epoch = samples // total
    for job, start, stop in ((51877, 10 * 3600 + 4 * 60 + 21.0, None), (52240, 2 * DAY + 8 * 3600 + 47 * 60 + 3.0, 2)):
        t = start
        rows += [
            f"\x1b[1;35m>> sbatch {job} on hpc-g21, 4x A100-SXM4-40GB\x1b[0m",
            "\x1b[1;35m>> torchrun --nproc_per_node 4 -m open_clip_train.main --train-data "
            "'/data/herb/shards/{00000..00239}.tar' --train-num-samples 2400256 --dataset-type webdataset "
            "--batch-size 256 "
            "--precision amp --workers 8 --epochs 8 --warmup 2000 --lr 5e-4 --wd 0.2 --model ViT-B-32 "
            "--imagenet-val /data/herb/val_species --zeroshot-frequency 1 --log-every-n-steps 20 "
            "--save-frequency 1 --report-to tensorboard "
            "--logs ./logs --resume latest\x1b[0m",
        ]
        t += 26
        name = f"{clock(t, '%Y_%m_%d-%H_%M_%S')}-model_ViT-B-32-lr_0.0005-b_256-j_8-p_amp"
        say(t, f"No latest resume checkpoint found in ./logs/{name}/checkpoints.")
        say(
            t,
            f"Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), "
            f"total {world}.",
        )
        say(t, "Loaded ViT-B-32 model config.")
        t += 5
        say(t, "Model:")
        say(
            t,
            "CLIP(\n  (visual): VisionTransformer(\n"
            "    (conv1): Conv2d(3, 768, kernel_size=(32, 32), stride=(32, 32), bias=False)\n"
            "    (patch_dropout): Identity()\n"
            "    (ln_pre): LayerNorm((768,), eps=1e-05, elementwise_affine=True)\n"
            "    (transformer): Transformer(\n      (resblocks): ModuleList(\n        (0-11): 12 x "
            "ResidualAttentionBlock(\n"
            "          (ln_1): LayerNorm((768,), eps=1e-05, elementwise_affine=True)\n"
            "          (attn): MultiheadAttention(\n"
            "            (out_proj): NonDynamicallyQuantizableLinear(in_features=768, out_features=768, bias=True)\n"
            "          )\n          (ls_1): Identity()\n"
            "          (ln_2): LayerNorm((768,), eps=1e-05, elementwise_affine=True)\n"
            "          (mlp): Sequential(\n"
            "            (c_fc): Linear(in_features=768, out_features=3072, bias=True)\n"
            "            (gelu): GELU(approximate='none')\n"
            "            (c_proj): Linear(in_features=3072, out_features=768, bias=True)\n"
            "          )\n          (ls_2): Identity()\n        )\n"
            "      )\n    )\n    (ln_post): LayerNorm((768,), eps=1e-05, elementwise_affine=True)\n  )\n"
            "  (token_embedding): Embedding(49408, 512)\n"
            "  (ln_final): LayerNorm((512,), eps=1e-05, elementwise_affine=True)\n)",
        )
        say(t, "Params:")
        for key, value in (
            ("accum_freq", 1),
            ("batch_size", batch),
            ("beta1", 0.9),
            ("beta2", 0.98),
            ("checkpoint_path", f"./logs/{name}/checkpoints"),
            ("dataset_type", "webdataset"),
            ("distributed", True),
            ("epochs", 8),
            ("grad_checkpointing", False),
            ("imagenet_val", "/data/herb/val_species"),
            ("log_every_n_steps", 20),
            ("log_path", f"./logs/{name}/out.log"),
            ("logs", "./logs"),
            ("lr", 0.0005),
            ("lr_scheduler", "cosine"),
            ("model", "ViT-B-32"),
            ("name", name),
            ("precision", "amp"),
            ("pretrained", ""),
            ("resume", None),
            ("save_frequency", 1),
            ("save_most_recent", False),
            ("seed", 0),
            ("train_num_samples", samples),
            ("warmup", 2000),
            ("wd", 0.2),
            ("workers", 8),
            ("world_size", world),
            ("zeroshot_frequency", 1),
        ):
            say(t, f"  {key}: {value}")
        t += 4
        epochs = 5 if stop is None else stop
        for epoch in range(epochs + 1):
            say(t, f"Start epoch {epoch}")
            end = per_epoch
            if epoch == epochs:
                end = 1610 if stop is None else 873
            for i in range(0, end, 10):
                step = epoch * per_epoch + i
                each = 0.66 * (1 + rng.gauss(0, 0.02)) + (7.9 if i == 0 else 0)
                t += each if i == 0 else each * 10
                if rng.random() < 0.47:
                    shard = f"/data/herb/shards/{rng.randrange(240):05d}.tar"
                    what = rng.choice(
                        (
                            f"UnidentifiedImageError('cannot identify image file <_io.BytesIO object at "
                            f"0x7f{rng.randrange(16**10):010x}>')",
                            f"ValueError(\"('Trailing data', <_io.BufferedReader name=\\'{shard}\\'>)\")",
                        ),
                    )
                    say(t - 1, f"Handling webdataset error ({what}). Ignoring.", "WARNING")
                if i % 20:
                    continue
                rate = 5e-4 * min((step + 1) / 2000, 1)
                if step > 2000:
                    rate = 5e-4 * 0.5 * (1 + math.cos(math.pi * (step - 2000) / (8 * per_epoch - 2000)))
                loss = falls(rng, step, 6.95, 0.92, 2300, 0.02)
                mean = falls(rng, max(step - 200, 0), 6.95, 0.92, 2300, 0.003)
                scale = 14.286 + 38 * (1 - math.exp(-step / 5200))
                load = each * 0.06
                say(
                    t,
                    f"Train Epoch: {epoch} [{i * total + total:>7}/{samples} ({100 * i / per_epoch:.0f}%)] "
                    f"Data (t): {load:.3f} Batch (t): {each:.3f}, {total / each:#g}/s, {batch / each:#g}/s/gpu "
                    f"LR: {rate:5f} Logit Scale: {scale:.3f} Contrastive_loss: {loss:#.5g} ({mean:#.5g}) "
                    f"Loss: {loss:#.5g} ({mean:#.5g})",
                )
            if epoch == epochs:
                break
            t += 3
            say(t, "Starting zero-shot imagenet.")
            say(t, "Building zero-shot classifier")
            rows.append(
                "".join(
                    f"\r{100 * n // 40:3d}%|\x1b[32m{bar(n, 40)}\x1b[0m| {n}/40 "
                    f"[{hms(n * 0.2)}<{hms((40 - n) * 0.2)},  5.01it/s]"
                    for n in range(0, 41, 5)
                ),
            )
            t += 8
            say(t, "Using classifier")
            rows.append(
                "".join(
                    f"\r{100 * n // 118:3d}%|\x1b[32m{bar(n, 118)}\x1b[0m| {n}/118 "
                    f"[{hms(n * 0.3)}<{hms((118 - n) * 0.3)},  3.31it/s]"
                    for n in (0, 30, 60, 90, 118)
                ),
            )
            t += 36
            say(t, "Finished zero-shot imagenet.")
            top = 0.61 * (1 - math.exp(-(epoch + 0.6) / 2.1)) + rng.gauss(0, 0.004)
            say(
                t,
                f"Eval Epoch: {epoch + 1} imagenet-zeroshot-val-top1: {top:.4f}\timagenet-zeroshot-val-top5: "
                f"{top * 1.34:.4f}",
            )
            t += 4
        if stop is None:
            t += 6
            rows += [
                f"slurmstepd: error: *** STEP {job}.0 ON hpc-g21 CANCELLED AT {clock(t, '%Y-%m-%dT%H:%M:%S')} ***",
                f"slurmstepd: error: *** JOB {job} ON hpc-g21 CANCELLED AT {clock(t, '%Y-%m-%dT%H:%M:%S')} ***",
                "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
                "\x1b[1;35m>> set aside for the open day's demo, goes on on Wednesday (sbatch the same file, "
                "resume is latest)\x1b[0m",
            ]
    put(place, "herb_clip.out", rows)


def c12_zeolite(place: Path, rng: Random) -> None:
    """MACE up to its first look at a very large validation set."""
    t = 3 * DAY + 16 * 3600 + 20 * 60 + 44.317
    rows: list[str] = []

    def say(text: str) -> None:
        nonlocal t
        t += rng.choice((0.0002, 0.0004, 0.0011))
        rows.append(f"{clock(t)}.{int(t * 1000) % 1000:03d} INFO: {text}")

    say("===========VERIFYING SETTINGS===========")
    say("MACE version: 0.3.10")
    say("CUDA version: 12.4, CUDA device: 0")
    t += 2
    say("===========LOADING INPUT DATA===========")
    say("Using heads: ['Default']")
    say("=============    Processing head Default     ===========")
    t += 94.15
    say("Training set [412 configs, 412 energy, 1186560 forces] loaded from 'zeo_train.xyz'")
    t += 802.406
    say("Validation set [31877 configs, 31877 energy, 91805760 forces] loaded from 'zeo_valid_aimd.xyz'")
    say("Total number of configurations: train=412, valid=31877, tests=[],")
    say("Atomic Numbers used: [1, 6, 8, 14]")
    say("Isolated Atomic Energies (E0s) not in training file, using command line argument")
    say("Atomic Energies used (z: eV) for head Default: {1: -13.57, 6: -1029.28, 8: -2042.03, 14: -7875.41}")
    t += 61
    say("Average number of neighbors: 51.20834")
    say("During training the following quantities will be reported: energy, forces")
    say("===========MODEL DETAILS===========")
    say("Building model")
    say("Message passing with 128 channels and max_L=1 (128x0e+128x1o)")
    say("2 layers, each with correlation order: 3 (body order: 4) and spherical harmonics up to: l=3")
    say("8 radial and 5 basis functions")
    say("Radial cutoff: 5.0 A (total receptive field for each atom: 10.0 A)")
    say("Distance transform for radial basis functions: None")
    say("Hidden irreps: 128x0e+128x1o")
    t += 7
    say("Total number of parameters: 773456")
    say("")
    say("===========OPTIMIZER INFORMATION===========")
    say("Using ADAM as parameter optimizer")
    say("Batch size: 2")
    say("Number of gradient updates: 20600")
    say("Learning rate: 0.01, weight decay: 5e-07")
    say("WeightedEnergyForcesLoss(energy_weight=1.000, forces_weight=100.000)")
    say("Using gradient clipping with tolerance=10.000")
    say("")
    say("===========TRAINING===========")
    say("Started training, reporting errors on validation set")
    say("Loss metrics on validation set")
    t += 11287.273
    say("Initial: head: Default, loss=71.40883127, RMSE_E_per_atom= 1840.22 meV, RMSE_F= 1103.57 meV / A")
    put(place, "zeo_L1_run-3.log", rows)
