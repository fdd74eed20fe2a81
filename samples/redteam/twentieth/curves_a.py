"""The first half of the curves of the twentieth set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import json
import math
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY: Final = 86400


def c01_fibrosis(place: Path, rng: Random) -> None:
    """A1, MATLAB in a batch job: the network has five outputs, the labels six classes."""
    lines = [
        "fibrosis staging, ResNet-50, fold 3 of 5",
        "R2023b Update 5, Deep Learning Toolbox 23.2, Parallel Computing Toolbox 23.2",
        "",
        "g = ",
        "",
        "  CUDADevice with properties:",
        "",
        "                      Name: 'NVIDIA A40'",
        "                     Index: 1",
        "         ComputeCapability: '8.6'",
        "            SupportsDouble: 1",
        "     GraphicsDriverVersion: '535.129.03'",
        "               DriverModel: 'N/A'",
        "            ToolkitVersion: 11.8000",
        "        MaxThreadsPerBlock: 1024",
        "          MaxShmemPerBlock: 49152 (49.15 KB)",
        "        MaxThreadBlockSize: [1024 1024 64]",
        "               MaxGridSize: [2.1475e+09 65535 65535]",
        "                 SIMDWidth: 32",
        "               TotalMemory: 47608692736 (47.61 GB)",
        "           AvailableMemory: 47190376448 (47.19 GB)",
        "               CachePolicy: 'balanced'",
        "        MultiprocessorCount: 84",
        "              ClockRateKHz: 1740000",
        "               ComputeMode: 'Default'",
        "      GPUOverlapsTransfers: 1",
        "    KernelExecutionTimeout: 0",
        "          CanMapHostMemory: 1",
        "           DeviceSupported: 1",
        "           DeviceAvailable: 1",
        "            DeviceSelected: 1",
        "",
    ]
    total = 0
    for slide in sorted(rng.sample(range(1000, 9999), 118)):
        tiles = rng.randrange(90, 620)
        total += tiles
        note = "   (pen marks removed)" if rng.random() < 0.08 else ""
        lines.append(
            f"  slide P{slide}  stage F{rng.choices(range(6), (14, 26, 25, 18, 14, 3))[0]}  {tiles:4d} tiles{note}"
        )
    held = total // 5
    lines += [
        "",
        f"118 slides, {total} tiles: {total - held} for training, {held} for validation",
        "",
        "ans =",
        "",
        "  6×2 table",
        "",
        "    Label    Count",
        "    _____    _____",
        "",
    ]
    shares = [0.15, 0.26, 0.25, 0.18, 0.13]
    counts = [int((total - held) * share) for share in shares]
    counts.append(total - held - sum(counts))
    lines += [f"     F{number}      {count:5d}" for number, count in enumerate(counts)]
    lines += [
        "",
        "",
        "replacing fc1000 by fc_stage (5 outputs), WeightLearnRateFactor 10",
        "training, 30 epochs, minibatch 64",
        "",
    ]
    put(place, "fib_f3.out", lines)
    put(
        place,
        "fib_f3.err",
        [
            "[\bWarning: Some images have a third dimension of 4 (alpha). The alpha channel is ignored.]\b ",
            "[\b> In tileDatastore>readTile (line 61)",
            "In tileDatastore (line 22)",
            "In train_fold (line 74)]\b ",
            "{\bError using trainNetwork (line 191)",
            "Invalid training data. The output size (5) of the last layer does not match the number of classes (6).",
            "",
            "Error in train_fold (line 131)",
            "net = trainNetwork(augTrain, lgraph, options);",
            "}\b ",
        ],
    )


def c02_llama_zh(place: Path, rng: Random) -> None:
    """A2, ColossalAI: one of eight ranks dies by SIGKILL while a checkpoint is gathered in host memory."""
    run = "/opt/conda/lib/python3.10/site-packages/"
    start = 3 * DAY + 9 * 3600 + 14 * 60
    lines = [
        "GPU Memory Usage:",
        *[f"     {gpu}  {rng.randrange(3, 5)} MiB" for gpu in range(8)],
        "Now CUDA_VISIBLE_DEVICES is set to:",
        "CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7",
        f"[{clock(start, '%m/%d/%y %H:%M:%S')}] INFO     colossalai - colossalai - INFO:                    ",
        f"                             {run}colossalai/",
        "                             initialize.py:67 launch                            ",
        "                    INFO     colossalai - colossalai - INFO: Distributed        ",
        "                             environment is initialized, world size: 8          ",
        "Max CUDA memory after data loader: 0.00 MB",
        "Model params: 6.74 B",
        "Booster init max CUDA memory: 6904.71 MB",
        "Booster init max CPU memory: 41218.02 MB",
        "Warmup steps is set to 120",
    ]
    spans, at_s = [], start + 143
    total = 4821
    step = 0
    while step < 2000:
        step += 10
        at_s += 10 * 7.31 * (1 + rng.gauss(0, 0.008))
        spent = at_s - start - 143
        rate = spent / step
        loss = falls(rng, step, 2.31, 1.72, 420, 0.012)
        spans.append(
            f"Epoch 0: {100 * step // total:3d}%|{bar(step, total)}| {step}/{total} "
            f"[{hms(spent)}<{hms((total - step) * rate)}, {rate:5.2f}s/it, Loss={loss:.4f}]"
        )
        if step % 1000 == 0 and step < 2000:
            spans += [
                "",
                "Start saving model checkpoint with running states",
                f"Saved checkpoint at epoch 0 step {step} at folder /mnt/nvme/ckpt/zh-sft-7b",
            ]
            at_s += 204
    lines += spans
    lines += ["", "Start saving model checkpoint with running states"]
    dead = at_s + 131
    stamp = f"[{clock(dead)},{rng.randrange(1000):03d}]"
    lines += [
        f"{stamp} torch.distributed.elastic.multiprocessing.api: [WARNING] Sending process {pid} closing signal SIGTERM"
        for pid in (30112, 30113, 30114, 30115, 30116, 30117, 30119)
    ]
    lines += [
        f"[{clock(dead + 30)},412] torch.distributed.elastic.multiprocessing.api: [WARNING] Unable to shutdown process "
        "30112 via 15, forcefully exiting via 9",
        f"[{clock(dead + 33)},090] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: -9) "
        "local_rank: 6 (pid: 30118) of binary: /opt/conda/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/conda/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        f'  File "{run}torch/distributed/elastic/multiprocessing/errors/__init__.py", line 346, in wrapper',
        "    return f(*args, **kwargs)",
        f'  File "{run}torch/distributed/run.py", line 806, in main',
        "    run(args)",
        f'  File "{run}torch/distributed/run.py", line 797, in run',
        "    elastic_launch(",
        f'  File "{run}torch/distributed/launcher/api.py", line 134, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        f'  File "{run}torch/distributed/launcher/api.py", line 264, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 59,
        "train.py FAILED",
        "-" * 59,
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-" * 59,
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(dead, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : gn-a800-031",
        "  rank      : 6 (local_rank: 6)",
        "  exitcode  : -9 (pid: 30118)",
        "  error_file: <N/A>",
        "  traceback : Signal 9 (SIGKILL) received by PID 30118",
        "=" * 59,
        "Error: failed to run torchrun --nproc_per_node=8 --nnodes=1 --node_rank=0 --master_addr=127.0.0.1 "
        "--master_port=29500 train.py --pretrained /mnt/nvme/Llama-2-7b-hf --dataset /mnt/nvme/zh-sft/part-00000 "
        "--plugin zero2_cpu --save_interval 1000 --save_dir /mnt/nvme/ckpt/zh-sft-7b --num_epochs 1 "
        "--micro_batch_size 8 "
        "--lr 2e-5 --max_length 4096 --grad_clip 1.0 --use_grad_checkpoint --use_flash_attn on 127.0.0.1, is "
        "localhost: "
        "True, exception: Encountered a bad command exit code!",
        "",
        "Command: 'cd /workspace/Colossal-LLaMA && torchrun --nproc_per_node=8 --nnodes=1 --node_rank=0 "
        "--master_addr=127.0.0.1 --master_port=29500 train.py'",
        "",
        "Exit code: 1",
        "",
        "Stdout: already printed",
        "",
        "Stderr: already printed",
        "",
        "",
        "====== Training on All Nodes =====",
        "127.0.0.1: failure",
        "",
        "====== Stopping All Nodes =====",
        "127.0.0.1: finish",
    ]
    put(place, "train_zh_sft.log", lines)


def c03_maskdino(place: Path, rng: Random) -> None:
    """G1, detrex: the whole schedule done and evaluated; no head, one copy to the CPU was got over."""
    lines, rows = [], []
    now = 1 * DAY + 4 * 3600.0
    total, step = 36000, 5299

    def say(name: str, words: str) -> None:
        lines.append(f"[{clock(now, '%m/%d %H:%M:%S')}] {name} INFO: {words}")

    def evaluate(image_ap: float) -> None:
        nonlocal now
        say("d2.data.datasets.coco", "Loaded 1288 images in COCO format from /data/cells/annotations/val.json")
        say("d2.data.common", "Serializing 1288 elements to byte tensors and concatenating them all ...")
        say("d2.data.common", "Serialized dataset takes 6.71 MiB")
        say("d2.evaluation.evaluator", "Start inference on 322 batches")
        done = 11
        while done < 322:
            each = 0.2311 + rng.gauss(0, 0.002)
            left = timedelta(seconds=int((322 - done) * each))
            say(
                "d2.evaluation.evaluator",
                f"Inference done {done}/322. Dataloading: {0.0016 + rng.random() / 2000:.4f} s/iter. Inference: "
                f"{each - 0.04:.4f} s/iter. Eval: {0.0381 + rng.random() / 500:.4f} s/iter. Total: {each:.4f} "
                f"s/iter. ETA={left}",
            )
            done += 66
            now += 15.2
        say(
            "d2.evaluation.evaluator",
            f"Total inference time: 0:01:{(took := 13.4 + rng.random()):.6f} ({(60 + took) / 317:.6f} s / iter per "
            f"device, on 4 devices)",
        )
        say("d2.evaluation.coco_evaluation", "Preparing results for COCO format ...")
        say("d2.evaluation.coco_evaluation", "Evaluating predictions with unofficial COCO API...")
        now += 9
        for task, ap in (("bbox", image_ap), ("segm", image_ap - 2.31)):
            marks = [ap, ap * 1.52, ap * 1.07, ap * 0.61, ap * 1.12, ap * 1.29]
            say(
                "d2.evaluation.coco_evaluation",
                f"Evaluation results for {task}: \n"
                "|   AP   |  AP50  |  AP75  |  APs   |  APm   |  APl   |\n"
                "|:------:|:------:|:------:|:------:|:------:|:------:|\n"
                f"| {' | '.join(f'{mark:.3f}' for mark in marks)} |",
            )
        for task, ap in (("bbox", image_ap), ("segm", image_ap - 2.31)):
            marks = [ap, ap * 1.52, ap * 1.07, ap * 0.61, ap * 1.12, ap * 1.29]
            say("d2.evaluation.testing", f"copypaste: Task: {task}")
            say("d2.evaluation.testing", "copypaste: AP,AP50,AP75,APs,APm,APl")
            say("d2.evaluation.testing", f"copypaste: {','.join(f'{mark:.4f}' for mark in marks)}")
        row = {"iteration": step, "bbox/AP": round(image_ap, 4), "segm/AP": round(image_ap - 2.31, 4)}
        rows.append(json.dumps(row))

    while step < total - 1:
        step = min(step + 50, total - 1)
        rate = 0.8123 + rng.gauss(0, 0.006)
        now += 50 * rate
        rate_lr = 1e-4 if step < 28000 else 1e-5 if step < 33600 else 1e-6
        base = 46.5 if step < 28000 else 41.5
        loss = falls(rng, step, 118.0, base, 5200, 0.035)
        parts = {"loss_ce": 0.011, "loss_mask": 0.0071, "loss_dice": 0.019, "loss_bbox": 0.0058, "loss_giou": 0.0094}
        words = "  ".join(f"{key}: {loss * share * (1 + rng.gauss(0, 0.03)):.4g}" for key, share in parts.items())
        left = timedelta(seconds=int((total - 1 - step) * 0.8123))
        say(
            "d2.utils.events",
            f" eta: {left}  iter: {step}  total_loss: {loss:.4g}  {words}    time: {rate:.4f}  last_time: "
            f"{rate + rng.gauss(0, 0.03):.4f}  data_time: {0.031 + rng.random() / 200:.4f}  last_data_time: "
            f"{0.02 + rng.random() / 60:.4f}   lr: {rate_lr:.5g}  max_mem: 30871M",
        )
        row = {"data_time": round(0.031 + rng.random() / 200, 6), "iteration": step, "lr": rate_lr}
        rows.append(json.dumps(row | {"time": round(rate, 6), "total_loss": round(loss, 5)}))
        if step == 21349:
            for shape in (
                "<function SetCriterion.loss_masks at 0x7f0a4c1e3d90>",
                "<function batch_dice_loss at 0x7f0a4c1e2ef0>",
            ):
                say("d2.utils.memory", f"Attempting to copy inputs of {shape} to CPU due to CUDA OOM")
            now += 21
        if (step + 1) % 6000 == 0 or step == total - 1:
            name = "model_final" if step == total - 1 else f"model_{step:07d}"
            say("fvcore.common.checkpoint", f"Saving checkpoint to ./output/maskdino_cells_r50/{name}.pth")
            now += 6
            if step == total - 1:
                say("d2.engine.hooks", f"Overall training speed: {total - 2} iterations in 8:07:23 (0.8124 s / it)")
                say("d2.engine.hooks", "Total training time: 8:17:40 (0:10:17 on hooks)")
            evaluate(46.2 - 14 * math.exp(-step / 11000) + (0.9 if step > 28000 else 0))
    put(place, "log.txt", lines[3:])
    put(place, "metrics.json", rows)


def c04_qlora(place: Path, rng: Random) -> None:
    """A1, DeepSpeed: batch sizes that do not fit six GPUs, after a hub that had to be asked again."""
    start = 2 * DAY + 15 * 3600 + 41 * 60
    gpus = 6
    args = "'--deepspeed', 'ds_z2.json', '--model', 'mistralai/Mistral-7B-v0.3', '--data', '/data/tickets.jsonl'"
    lines = [
        f"[{clock(start)},118] [INFO] [real_accelerator.py:203:get_accelerator] Setting ds_accelerator to cuda (auto "
        f"detect)",
        " [WARNING]  async_io requires the dev libaio .so object and headers but these were not found.",
        " [WARNING]  async_io: please install the libaio-dev package with apt",
        " [WARNING]  If libaio is already installed (perhaps from source), try setting the CFLAGS and LDFLAGS "
        "environment "
        "variables to where it can be found.",
        f"[{clock(start + 3)},630] [WARNING] [runner.py:202:fetch_hostfile] Unable to find hostfile, will proceed with "
        "training with local resources only.",
        f"[{clock(start + 3)},631] [INFO] [runner.py:568:main] cmd = /usr/bin/python3 -u -m deepspeed.launcher.launch "
        "--world_info=eyJsb2NhbGhvc3QiOiBbMCwgMSwgMiwgMywgNCwgNV19 --master_addr=127.0.0.1 --master_port=29500 "
        "--enable_each_rank_log=None finetune.py --deepspeed ds_z2.json --model mistralai/Mistral-7B-v0.3 --data "
        "/data/tickets.jsonl",
        f"[{clock(start + 7)},224] [INFO] [launch.py:145:main] WORLD INFO DICT: {{'localhost': [0, 1, 2, 3, 4, 5]}}",
        f"[{clock(start + 7)},224] [INFO] [launch.py:151:main] nnodes=1, num_local_procs=6, node_rank=0",
        f"[{clock(start + 7)},224] [INFO] [launch.py:163:main] dist_world_size=6",
        f"[{clock(start + 7)},224] [INFO] [launch.py:165:main] Setting CUDA_VISIBLE_DEVICES=0,1,2,3,4,5",
    ]
    pids = [118342 + gpu for gpu in range(gpus)]
    lines += [
        "'(ReadTimeoutError(\"HTTPSConnectionPool(host='huggingface.co', port=443): Read timed out. (read "
        'timeout=10)"), '
        "'(Request ID: 5d3cf0e1-8f0c-4e2f-9c55-0a3cc8f6b6e1)')' thrown while requesting HEAD "
        "https://huggingface.co/mistralai/Mistral-7B-v0.3/resolve/main/config.json",
        "Retrying in 1s [Retry 1/5].",
        f"[{clock(start + 41)},502] [INFO] [comm.py:637:init_distributed] cdb=None",
        f"[{clock(start + 41)},502] [INFO] [comm.py:668:init_distributed] Initializing TorchBackend in DeepSpeed with "
        "backend nccl",
        "Loading checkpoint shards: 100%|██████████| 3/3 [00:06<00:00,  2.11s/it]",
        "14211 examples, 13501 train, 710 held out",
        f"[{clock(start + 66)},871] [INFO] [logging.py:96:log_dist] [Rank 0] DeepSpeed info: version=0.13.1, "
        "git-hash=unknown, git-branch=unknown",
    ]
    lines += 2 * [
        "Traceback (most recent call last):",
        '  File "/home/nadia/tickets/finetune.py", line 164, in <module>',
        "    main()",
        '  File "/home/nadia/tickets/finetune.py", line 118, in main',
        "    engine, optimizer, _, sched = deepspeed.initialize(model=model, model_parameters=params, "
        "config=args.deepspeed)",
        '  File "/usr/local/lib/python3.10/dist-packages/deepspeed/__init__.py", line 171, in initialize',
        "    config_class = DeepSpeedConfig(config, mpu)",
        '  File "/usr/local/lib/python3.10/dist-packages/deepspeed/runtime/config.py", line 804, in __init__',
        "    self._configure_train_batch_size()",
        '  File "/usr/local/lib/python3.10/dist-packages/deepspeed/runtime/config.py", line 983, in '
        "_configure_train_batch_size",
        "    self._batch_assertion()",
        '  File "/usr/local/lib/python3.10/dist-packages/deepspeed/runtime/config.py", line 931, in _batch_assertion',
        "    assert train_batch == micro_batch * grad_acc * self.world_size, (",
        "AssertionError: Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * "
        "gradient_acc_step * world_size 128 != 4 * 5 * 6",
    ]
    dead = start + 72
    lines += [
        f"[{clock(dead)},{rng.randrange(300):03d}] [INFO] [launch.py:315:sigkill_handler] Killing subprocess {pids[0]}"
    ]
    lines += [
        f"[{clock(dead)},{300 + 30 * number:03d}] [INFO] [launch.py:315:sigkill_handler] Killing subprocess {pid}"
        for number, pid in enumerate(pids[1:])
    ]
    lines.append(
        f"[{clock(dead)},977] [ERROR] [launch.py:321:sigkill_handler] ['/usr/bin/python3', '-u', 'finetune.py', "
        f"'--local_rank=5', {args}] exits with return code = 1"
    )
    put(place, "finetune.log", lines)


def c05_load_forecast(place: Path, rng: Random) -> None:
    """cannot_decide, a temporal fusion transformer: the log stops in the middle of an epoch that goes as all others."""
    err = [
        "/home/kb/envs/tft/lib/python3.11/site-packages/lightning/pytorch/utilities/parsing.py:209: Attribute 'loss' "
        "is an "
        "instance of `nn.Module` and is already saved during checkpointing. It is recommended to ignore them using "
        "`self.save_hyperparameters(ignore=['loss'])`.",
        "/home/kb/envs/tft/lib/python3.11/site-packages/lightning/pytorch/utilities/parsing.py:209: Attribute "
        "'logging_metrics' is an instance of `nn.Module` and is already saved during checkpointing. It is "
        "recommended to "
        "ignore them using `self.save_hyperparameters(ignore=['logging_metrics'])`.",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
        "You are using a CUDA device ('NVIDIA L40S') that has Tensor Cores. To properly utilize them, you should set "
        "`torch.set_float32_matmul_precision('medium' | 'high')` which will trade-off precision for performance.",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "   | Name                               | Type                            | Params | Mode ",
        "------------------------------------------------------------------------------------------------",
        "0  | loss                               | QuantileLoss                    | 0      | train",
        "1  | logging_metrics                    | ModuleList                      | 0      | train",
        "2  | input_embeddings                   | MultiEmbedding                  | 1.8 K  | train",
        "3  | prescalers                         | ModuleDict                      | 416    | train",
        "4  | static_variable_selection          | VariableSelectionNetwork        | 21.4 K | train",
        "5  | encoder_variable_selection         | VariableSelectionNetwork        | 95.2 K | train",
        "6  | lstm_encoder                       | LSTM                            | 132 K  | train",
        "7  | multihead_attn                     | InterpretableMultiHeadAttention | 41.2 K | train",
        "8  | output_layer                       | Linear                          | 903    | train",
        "------------------------------------------------------------------------------------------------",
        "611 K     Trainable params",
        "0         Non-trainable params",
        "611 K     Total params",
        "2.447     Total estimated model params size (MB)",
    ]
    put(place, "tft.err", err)
    lines = [
        "substations: 412, quarter-hours of 2021-01-01..2026-08-31, target net load in kWh per quarter-hour",
        "window 672 -> 96",
    ]
    now = 4 * DAY + 11 * 3600 + 207.0
    batches, best = 2210, 1e9
    for epoch in range(27):
        rounds = range(100, batches, 100) if epoch < 26 else range(100, 1301, 100)
        for batch in rounds:
            now += 100 * 0.0712 * (1 + rng.gauss(0, 0.02))
            loss = falls(rng, epoch * batches + batch, 1842, 611, 9000, 0.021)
            lines.append(
                f"{clock(now, '%H:%M:%S')} ep {epoch:3d} b {batch:5d}  pinball {loss:8.1f} kWh   "
                f"{71.2 + rng.gauss(0, 1.2):5.1f} ms/b"
            )
        if epoch < 26:
            now += 31
            val = falls(rng, (epoch + 1) * batches, 1710, 668, 9500, 0.006)
            word = "   * best, saved" if val < best else ""
            best = min(best, val)
            lines.append(
                f"{clock(now, '%H:%M:%S')} ep {epoch:3d} VAL  pinball {val:8.1f} kWh  MAE {val * 1.71:8.1f} kWh  "
                f"coverage p10-p90 "
                f"{0.8 - 0.1 * math.exp(-epoch / 4) + rng.gauss(0, 0.006):.3f}{word}"
            )
    put(place, "tft.out", lines)


def c06_reid(place: Path, rng: Random) -> None:
    """E1, fastreid: the second attempt collapses to one point and stays at chance to its regular end."""
    green, plain = "\x1b[32m", "\x1b[0m"
    lines, rows = [], []
    now = 5 * DAY + 7 * 3600.0

    def say(name: str, words: str) -> None:
        lines.append(f"{green}[{clock(now, '%m/%d %H:%M:%S')} {name}]: {plain}{words}")

    def head() -> None:
        nonlocal now
        say("fastreid", "Rank of current process: 0. World size: 1")
        now += 3
        say(
            "fastreid",
            "Command line arguments: Namespace(config_file='configs/Market1501/sbs_S50.yml', "
            "dist_url='tcp://127.0.0.1:49152', "
            "eval_only=False, machine_rank=0, num_gpus=1, num_machines=1, opts=['MODEL.BACKBONE.PRETRAIN', 'False', "
            "'SOLVER.BASE_LR', '0.0035', 'OUTPUT_DIR', 'logs/trolleys/sbs_S50'], resume=False)",
        )
        say("fastreid", "Running with full config:")

    head()
    lines += [
        "Traceback (most recent call last):",
        '  File "tools/train_net.py", line 53, in <module>',
        "    args=(args,),",
        '  File "./fastreid/engine/launch.py", line 71, in launch',
        "    main_func(*args)",
        '  File "tools/train_net.py", line 39, in main',
        "    trainer = DefaultTrainer(cfg)",
        '  File "./fastreid/engine/defaults.py", line 208, in __init__',
        "    data_loader = self.build_train_loader(cfg)",
        '  File "./fastreid/data/datasets/trolleys.py", line 31, in __init__',
        "    self.check_before_run([self.data_dir, self.train_dir])",
        '  File "./fastreid/data/datasets/bases.py", line 113, in check_before_run',
        "    raise RuntimeError('\"{}\" is not found'.format(f))",
        'RuntimeError: "datasets/trolleys/bounding_box_train" is not found',
    ]
    now += 412
    head()
    say("fastreid.engine.defaults", "Prepare training set")
    say(
        "fastreid.data.datasets.bases",
        "=> Loaded Trolleys in csv format: \n\x1b[36m| subset   | # ids   | # images   | # cameras   |\n"
        "|:---------|:--------|:-----------|:------------|\n| train    | 751     | 12936      | 6           |\x1b[0m",
    )
    say("fastreid.engine.defaults", "Auto-scaling the num_classes=751")
    now += 4
    say("fastreid.engine.train_loop", "Starting training from epoch 0")
    epochs, per = 60, 202
    for epoch in range(epochs):
        for batch in (per - 3,):
            step = epoch * per + batch
            spent = 0.3012 + rng.gauss(0, 0.002)
            now += per * spent
            lr = (
                0.0035 * min(1.0, (epoch + 0.6) / 10)
                if epoch < 30
                else 0.0035 * 0.5 * (1 + math.cos(math.pi * (epoch - 30) / 30))
            )
            cls = math.log(751) + 0.004 + rng.gauss(0, 0.004) + 0.31 * math.exp(-epoch / 0.9)
            triplet = 0.6931 + abs(rng.gauss(0, 0.0002)) + 0.62 * math.exp(-epoch / 0.7)
            left = timedelta(seconds=int((epochs * per - step) * 0.3012))
            say(
                "fastreid.utils.events",
                f" eta: {left}  epoch/iter: {epoch}/{step}  total_loss: {cls + triplet:.4g}  loss_cls: {cls:.4g}  "
                f"loss_triplet: {triplet:.4g}  time: {spent:.4f}  data_time: {0.0014 + rng.random() / 2000:.4f}  lr: "
                f"{lr:.2e}  "
                "max_mem: 11408M",
            )
            rows.append(
                json.dumps(
                    {
                        "iteration": step,
                        "cls_accuracy": round(abs(rng.gauss(0.0013, 0.0009)), 5),
                        "loss_cls": round(cls, 5),
                        "loss_triplet": round(triplet, 5),
                        "lr": round(lr, 8),
                        "total_loss": round(cls + triplet, 5),
                    }
                )
            )
        if (epoch + 1) % 10 == 0:
            say("fastreid.evaluation.evaluator", "Start inference on 151 batches")
            now += 19
            say(
                "fastreid.evaluation.evaluator",
                f"Total inference time: 0:00:{(each := 16.4 + rng.random() / 3):.6f} ({each / 146:.6f} s / batch per "
                f"device, on 1 devices)",
            )
            now += 6
            one = 0.0006 + rng.random() * 0.001
            say(
                "fastreid.evaluation.testing",
                "Evaluation results in csv format: \n"
                "\x1b[36m| Dataset   | Rank-1   | Rank-5   | Rank-10   | mAP   | mINP   | metric   |\n"
                "|:----------|:---------|:---------|:----------|:------|:-------|:---------|\n"
                f"| Trolleys  | {100 * one:.2f}     | {380 * one:.2f}     | {710 * one:.2f}      | "
                f"{100 * one * 1.6:.2f}  | {100 * one * 1.1:.2f}   | {100 * one * 1.3:.2f}     |\x1b[0m",
            )
            name = "model_final" if epoch + 1 == epochs else f"model_{epoch:04d}"
            say("fastreid.utils.checkpoint", f"Saving checkpoint to logs/trolleys/sbs_S50/{name}.pth")
    say("fastreid.engine.hooks", f"Overall training speed: {epochs * per} iterations in 1:00:51 (0.3012 s / it)")
    say("fastreid.engine.hooks", "Total training time: 1:03:40 (0:02:49 on hooks)")
    put(place, "reid.console.log", lines)
    put(place, "metrics.json", rows)


def c07_clicks(place: Path, rng: Random) -> None:
    """D1, HugeCTR's low-level loop: every part is fetched from a far store first, and the GPU waits for that."""
    now = 15 * 3600 + 3 * 60.0

    def tag(level: str = "INFO") -> str:
        nonlocal now
        now += rng.uniform(0.001, 0.09)
        return f"[HCTR][{clock(now, '%H:%M:%S.%f')[:-3]}][{level}][RK0][main]: "

    lines = ["HugeCTR Version: 23.12", "=" * 52 + "Model Init" + "=" * 53]
    lines.append(tag("WARNING") + "The model name is not specified when creating the solver.")
    lines.append(tag() + "Global seed is 3671892215")
    lines.append(tag() + "Device to NUMA mapping:\n  GPU 0 ->  node 0")
    now += 4
    lines.append(tag("WARNING") + "Peer-to-peer access is not fully available.")
    lines += [tag() + "Start all2all warmup", tag() + "End all2all warmup", tag() + "Using All-reduce algorithm: NCCL"]
    lines.append(tag() + "Device 0: NVIDIA A30")
    lines.append(tag() + "num of DataReader workers for train: 12")
    lines.append("=" * 51 + "Model Compile" + "=" * 51)
    lines.append(tag() + "gpu0 start to init embedding")
    now += 2
    lines.append(tag() + "gpu0 init embedding done")
    lines.append("fraud_and_crash_reports/ is the folder of labels, errors_v2.keyset the keyset")
    rows, step = ["timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W]"], 0
    waited = worked = 0.0
    tick = now + 2.437
    for part in range(19):
        fetch = 47.0 * (1 + abs(rng.gauss(0, 0.14)))
        train = 6.1 * (1 + rng.gauss(0, 0.02))
        begun = now
        now += fetch + train
        step += 1000
        waited += fetch
        worked += train
        loss = falls(rng, step, 0.4931, 0.3984, 5200, 0.006)
        lines.append(
            f"[HUGECTR][INFO] iter: {step}; loss: {loss:.6f}; s3 fetch part-{part:05d}.parquet {fetch:.1f} s (no "
            f"batch to train on), "
            f"1000 iterations {train:.2f} s"
        )
        while tick < now:
            busy = tick > begun + fetch
            util = rng.randrange(71, 93) if busy else 0
            power = rng.uniform(118, 139) if busy else rng.uniform(30.5, 32.5)
            rows.append(f"{clock(tick, '%Y/%m/%d %H:%M:%S.%f')[:-3]}, 0, {util} %, 18731 MiB, {power:.2f} W")
            tick += 10
    lines.append(tag() + "Dumping sparse weights to files, successful")
    lines.append(tag() + "Dumping dense weights to file, successful")
    total = waited + worked
    lines.append(
        f"parts 19, waiting for parts {waited:.0f} s, training {worked:.0f} s, {100 * waited / total:.0f} % of the "
        f"time without data"
    )
    put(place, "dlrm_daily.log", lines)
    put(place, "gpu.csv", rows)


def c08_potential(place: Path, rng: Random) -> None:
    """G1, Fortran with OpenACC: leaves with a restart file when its budget is used, goes on, ends as planned."""

    def head(job: int, host: str) -> list[str]:
        return [
            " *** nnpot 4.2   high-dimensional neural network potential, OpenACC build (nvfortran 24.5)",
            f" *** job {job} on {host}, device 0: NVIDIA A100-SXM4-40GB, managed memory off",
            " &control  nepoch= 640  nbatch= 96  lr0= 1.0E-03  tbudget_h= 11.50  /",
            " species Cu O H     symmetry functions   62   58   71     weights       24871",
            " structures: 18432 (train 16589, test 1843), energies eV, forces eV/Angstrom",
        ]

    def rounds(lines: list[str], begun: int, until: int, host: float) -> float:
        now = 0.0
        for epoch in range(begun, until + 1):
            for quarter in range(1, 5):
                now += 38.2 * (1 + rng.gauss(0, 0.006))
                part = epoch - 1 + quarter / 4
                fe = falls(rng, part, 4.1e-1, 1.9e-3, 42, 0.02)
                ff = falls(rng, part, 9.8e-1, 6.4e-2, 47, 0.02)
                lines.append(
                    f" epoch {epoch:5d} batch {quarter * 24:4d}   rmse_E = {fe:12.5E}   rmse_F = {ff:12.5E}   |g| = "
                    f"{3.2 * ff * (1 + rng.gauss(0, 0.1)):10.3E}   t = {now + host:11.2f} s"
                )
            if epoch % 20 == 0:
                te = falls(rng, epoch, 4.2e-1, 2.3e-3, 43, 0.008)
                tf = falls(rng, epoch, 9.9e-1, 7.1e-2, 48, 0.008)
                lines.append(f" --- test  epoch {epoch:5d}   rmse_E = {te:12.5E}   rmse_F = {tf:12.5E}")
                lines.append(f" --- weights.{epoch:04d}.dat and restart.{epoch:04d}.dat written")
        return now + host

    one = head(48211, "gpu0117")
    one.append(" no restart file named in input: weights drawn at random, seed 90210")
    spent = rounds(one, 1, 270, 11.4)
    one += [
        f" time used {spent / 3600:6.2f} h, next epoch would pass tbudget_h = 11.50",
        " writing restart.0270.dat (weights, Adam moments, shuffling state)",
        " leaving in good order, submit again with restart = 'restart.0270.dat'",
    ]
    two = head(48377, "gpu0121")
    two.append(" reading restart.0270.dat: epoch   270, Adam moments found, shuffling state found")
    spent = rounds(two, 271, 540, 12.9)
    two += [
        f" time used {spent / 3600:6.2f} h, next epoch would pass tbudget_h = 11.50",
        " writing restart.0540.dat (weights, Adam moments, shuffling state)",
        " leaving in good order, submit again with restart = 'restart.0540.dat'",
    ]
    three = head(48502, "gpu0121")
    three.append(" reading restart.0540.dat: epoch   540, Adam moments found, shuffling state found")
    spent = rounds(three, 541, 640, 12.6)
    three += [
        " --- weights.final.dat written",
        f" nepoch reached. total wall time of this job {spent:11.2f} s",
        " *** nnpot ends normally",
    ]
    put(place, "nnpot.o48211", one)
    put(place, "nnpot.o48377", two)
    put(place, "nnpot.o48502", three)
