"""Curves c25 to c32 of the twenty-second set, written blind. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


PROFILE = "libpng warning: iCCP: known incorrect sRGB profile"
NOISE = (PROFILE, PROFILE, "Corrupt JPEG data: 2 extraneous bytes before marker 0xd9")


def c25_accelerate_starved(place: Path, rng: Random) -> None:
    """An image classifier on four ranks that waits seconds for its data in each step, and learns meanwhile."""
    start = 3 * 86400 + 7 * 3600 + 22 * 60
    waits = [[max(1.6, rng.gauss(4.4, 1.3)) for _ in range(37)] for _ in range(4)]
    shared = [max(row[k] for row in waits) for k in range(37)]
    for rank in range(4):
        out, now = [], start + 0.2 * rank
        total_wait = total = 0.0
        for k in range(37):
            step = 420 + 20 * k
            wait = waits[rank][k]
            sync = shared[k] - wait
            whole = shared[k] + rng.gauss(0.318, 0.006)
            now += 20 * whole
            total += 20 * whole
            total_wait += 20 * wait
            loss = falls(rng, step, 4.61, 1.48, 420, 0.02) + {11: 1.9, 12: 0.8, 27: 1.3}.get(k, 0)
            out.append(
                f"[{clock(now)}] rank{rank} epoch {(step - 1) // 570} step {step}/1140 loss {loss:.4f} | "
                f"data {wait:.3f}s h2d {rng.gauss(0.011, 0.001):.3f}s fwd+bwd {rng.gauss(0.296, 0.005):.3f}s "
                f"allreduce {0.011 + sync:.3f}s | step {whole:.3f}s  {256 / whole:.0f} img/s"
            )
            if step == 560 and rank == 0:
                out.append("epoch 0: 41.37")
            if step == 1140 and rank == 0:
                out.append("epoch 1: 58.82")
        share = 100 * total_wait / total
        out.append(f"[{clock(now + 2)}] rank{rank} training finished; time in dataloader.__next__: {share:.1f} %")
        put(place, f"logs/rank_{rank}.txt", out)


def c26_deepspeed_quota(place: Path, rng: Random) -> None:
    """DeepSpeed: a save meets the quota of the project's file system, the job ends with that error."""
    out = [
        "[INFO] [real_accelerator.py:222:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
        "[INFO] [comm.py:652:init_distributed] cdb=None",
        "[INFO] [comm.py:683:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl",
        "[INFO] [logging.py:128:log_dist] [Rank 0] DeepSpeed info: version=0.16.2,"
        " git-hash=unknown, git-branch=unknown",
        "[INFO] [logging.py:128:log_dist] [Rank 0] DeepSpeed Flops Profiler Enabled: False",
        "[INFO] [logging.py:128:log_dist] [Rank 0] Using client Optimizer as basic optimizer",
        "[INFO] [logging.py:128:log_dist] [Rank 0] Removing param_group that has no 'params' in the basic Optimizer",
        "[INFO] [logging.py:128:log_dist] [Rank 0] DeepSpeed Basic Optimizer = FusedAdam",
        "[INFO] [logging.py:128:log_dist] [Rank 0] Creating torch.bfloat16 ZeRO stage 2 optimizer",
        "[INFO] [stage_1_and_2.py:149:__init__] Reduce bucket size 500000000",
        "[INFO] [stage_1_and_2.py:150:__init__] Allgather bucket size 500000000",
        "[INFO] [stage_1_and_2.py:151:__init__] CPU Offload: False",
        "[INFO] [stage_1_and_2.py:152:__init__] Round robin gradient partitioning: False",
        "[INFO] [logging.py:128:log_dist] [Rank 0] DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer",
        "[INFO] [config.py:999:print] DeepSpeedEngine configuration:",
        "[INFO] [config.py:1003:print]   gradient_clipping ............ 1.0",
        "[INFO] [config.py:1003:print]   steps_per_print .............. 20",
        "[INFO] [config.py:1003:print]   train_batch_size ............. 512",
        "[INFO] [config.py:1003:print]   zero_optimization_stage ...... 2",
    ]
    rows = ["step,bits_per_byte,kilotokens_per_us,step_us,hbm_pages_2m"]
    for step in range(20, 1601, 20):
        rate = 3e-4 * min(step / 200, 1)
        bits = falls(rng, step, 3.61, 1.02, 380, 0.006)
        micros = rng.gauss(2_418_000, 14000)
        out.append(
            f"[INFO] [logging.py:128:log_dist] [Rank 0] step={step}, skipped=0, lr=[{rate!r}], mom=[(0.9, 0.95)]"
        )
        out.append(
            "[INFO] [timer.py:264:stop] "
            f"epoch=0/micro_step={4 * step}/global_step={step}, RunningAvgSamplesPerSec={rng.gauss(211.8, 0.2)!r}, "
            f"CurrSamplesPerSec={512e6 / micros!r}, MemAllocated=19.44GB, MaxMemAllocated=52.17GB"
        )
        out.append(f"step {step:>5} | {bits:.4f} bits/byte | {micros:,.0f} µs/step | {step * 1.048576 / 1000:.4f} Gtok")
        rows.append(f"{step},{bits:.5f},{1048.576 / micros:.6f},{micros:.0f},{rng.choice((26711, 26712))}")
        if step % 400 == 0:
            tag, root = f"global_step{step}", "/proj/lm4med/ckpt/geneva-1b"
            model = f"{root}/{tag}/mp_rank_00_model_states.pt"
            out += [
                f"[INFO] [logging.py:128:log_dist] [Rank 0] [Torch] Checkpoint {tag} is about to be saved!",
                f"[INFO] [logging.py:128:log_dist] [Rank 0] Saving model checkpoint: {model}",
                f"[INFO] [torch_checkpoint_engine.py:21:save] [Torch] Saving {model}...",
            ]
            if step < 1600:
                optim = f"{root}/{tag}/bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt"
                out += [
                    f"[INFO] [torch_checkpoint_engine.py:23:save] [Torch] Saved {model}.",
                    f"[INFO] [torch_checkpoint_engine.py:21:save] [Torch] Saving {optim}...",
                    f"[INFO] [torch_checkpoint_engine.py:23:save] [Torch] Saved {optim}.",
                    f"[INFO] [engine.py:3635:_save_zero_checkpoint] zero checkpoint saved {optim}",
                    f"[INFO] [torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint {tag} is ready now!",
                ]
    lib = "/proj/lm4med/env/lib/python3.11/site-packages"
    out += [
        "[rank0]: Traceback (most recent call last):",
        f'[rank0]:   File "{lib}/torch/serialization.py", line 850, in save',
        "[rank0]:     _save(",
        f'[rank0]:   File "{lib}/torch/serialization.py", line 1114, in _save',
        "[rank0]:     zip_file.write_record(name, storage, num_bytes)",
        "[rank0]: OSError: [Errno 122] Disk quota exceeded",
        "[rank0]: ",
        "[rank0]: During handling of the above exception, another exception occurred:",
        "[rank0]: ",
        "[rank0]: Traceback (most recent call last):",
        '[rank0]:   File "/proj/lm4med/src/pretrain.py", line 312, in <module>',
        "[rank0]:     main()",
        '[rank0]:   File "/proj/lm4med/src/pretrain.py", line 287, in main',
        "[rank0]:     engine.save_checkpoint(args.ckpt, client_state={'step': step})",
        f'[rank0]:   File "{lib}/deepspeed/runtime/engine.py", line 3207, in save_checkpoint',
        "[rank0]:     self._save_checkpoint(save_dir,",
        f'[rank0]:   File "{lib}/deepspeed/runtime/engine.py", line 3429, in _save_checkpoint',
        "[rank0]:     self.checkpoint_engine.save(state, save_path)",
        f'[rank0]:   File "{lib}/deepspeed/runtime/checkpoint_engine/torch_checkpoint_engine.py", line 22, in save',
        "[rank0]:     torch.save(state_dict, path)",
        f'[rank0]:   File "{lib}/torch/serialization.py", line 849, in save',
        "[rank0]:     with _open_zipfile_writer(f) as opened_zipfile:",
        f'[rank0]:   File "{lib}/torch/serialization.py", line 690, in __exit__',
        "[rank0]:     self.file_like.write_end_of_file()",
        "[rank0]: RuntimeError: [enforce fail at inline_container.cc:603] . unexpected pos 1073742208 vs 1073742098",
        "[INFO] [launch.py:319:sigkill_handler] Killing subprocess 118204",
        "[INFO] [launch.py:319:sigkill_handler] Killing subprocess 118205",
        "[INFO] [launch.py:319:sigkill_handler] Killing subprocess 118206",
        "[INFO] [launch.py:319:sigkill_handler] Killing subprocess 118207",
        "[ERROR] [launch.py:325:sigkill_handler] ['/proj/lm4med/env/bin/python', '-u', 'src/pretrain.py',"
        " '--local_rank=3', '--deepspeed_config', 'conf/z2.json'] exits with return code = 1",
    ]
    put(place, "pretrain.log", out)
    put(place, "metrics.csv", rows)


def c27_mmdetection_segfault(place: Path, rng: Random) -> None:
    """MMDetection on one GPU: a segmentation fault in the third epoch, told by the shell alone."""
    now = 4 * 86400 + 16 * 3600 + 2 * 60 + 10.0

    def says(text: str) -> str:
        """A line of mmengine's logger."""
        return f"{clock(now, '%m/%d %H:%M:%S')} - mmengine - INFO - {text}"

    out = [
        says(""),
        "------------------------------------------------------------",
        "System environment:",
        "    sys.platform: linux",
        "    Python: 3.8.19 (default, Mar 20 2024, 19:58:24) [GCC 11.2.0]",
        "    CUDA available: True",
        "    MUSA available: False",
        "    numpy_random_seed: 1207394121",
        "    GPU 0: NVIDIA RTX A6000",
        "    CUDA_HOME: /usr/local/cuda",
        "    NVCC: Cuda compilation tools, release 11.8, V11.8.89",
        "    GCC: gcc (Ubuntu 9.4.0-1ubuntu1~20.04.2) 9.4.0",
        "    PyTorch: 2.0.1+cu118",
        "    OpenCV: 4.10.0",
        "    MMEngine: 0.10.4",
        "",
        "Runtime environment:",
        "    cudnn_benchmark: False",
        "    mp_cfg: {'mp_start_method': 'fork', 'opencv_num_threads': 0}",
        "    dist_cfg: {'backend': 'nccl'}",
        "    seed: 1207394121",
        "    Distributed launcher: none",
        "    Distributed training: False",
        "    GPU number: 1",
        "------------------------------------------------------------",
        "",
        "loading annotations into memory...",
        "Done (t=4.81s)",
        "creating index...",
        "index created!",
        says("load model from: torchvision://resnet50"),
        says("Loads checkpoint by torchvision backend from path: torchvision://resnet50"),
        says(
            '"FileClient" will be deprecated in future. Please use io functions in'
            " https://mmengine.readthedocs.io/en/latest/api/fileio.html#file-io"
        ).replace("INFO", "WARNING"),
        says("Checkpoints will be saved to /home/tomas/mmdetection/work_dirs/faster-rcnn_r50_fpn_1x_herbarium."),
    ]
    per, take = 29310, 0.2318
    for epoch in (1, 2, 3):
        for it in range(50, per + 1, 50):
            whole = (epoch - 1) * per + it
            now += 50 * take
            warm = min(whole / 500, 1)
            rate = 0.0025 * (0.001 + 0.999 * warm)
            parts = [
                falls(rng, whole, 0.52, 0.034, 3000, 0.1),
                falls(rng, whole, 0.14, 0.051, 4000, 0.08),
                falls(rng, whole, 1.1, 0.231, 2600, 0.06),
                falls(rng, whole, 0.41, 0.238, 5000, 0.05),
            ]
            left = int((12 * per - whole) * take)
            eta = f"{'1 day, ' if left >= 86400 else ''}{left % 86400 // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}"
            out.append(
                says(
                    f"Epoch(train)  [{epoch}][{it:5d}/{per}]  lr: {rate:.4e}  eta: {eta}  "
                    f"time: {rng.gauss(take, 0.002):.4f}  data_time: {rng.gauss(0.0061, 0.0004):.4f}  memory: 4187  "
                    f"loss: {sum(parts):.4f}  loss_rpn_cls: {parts[0]:.4f}  loss_rpn_bbox: {parts[1]:.4f}  "
                    f"loss_cls: {parts[2]:.4f}  acc: {100 - 28 * parts[2]:.4f}  loss_bbox: {parts[3]:.4f}"
                )
            )
            out += [rng.choice(NOISE) for _ in range(rng.choice((0, 0, 1, 1, 2, 3)))]
            if it % 1000 == 0:
                out.append(
                    says(f"Exp name: faster-rcnn_r50_fpn_1x_herbarium_{clock(4 * 86400 + 57730, '%Y%m%d_%H%M%S')}")
                )
            if (epoch, it) == (3, 11850):
                break
        if epoch == 3:
            break
        out.append(says(f"Saving checkpoint at {epoch} epochs"))
        for it in range(50, 1451, 50):
            now += 50 * 0.071
            out.append(
                says(
                    f"Epoch(val)  [{epoch}][{it:4d}/1466]    eta: {'0:' + hms((1466 - it) * 0.071)}  "
                    f"time: {rng.gauss(0.071, 0.001):.4f}  data_time: {rng.gauss(0.0021, 0.0002):.4f}  memory: 831  "
                )
            )
        out += [
            says("Evaluating bbox..."),
            "Loading and preparing results...",
            "DONE (t=0.61s)",
            "creating index...",
            "index created!",
            "Running per image evaluation...",
            "Evaluate annotation type *bbox*",
            "DONE (t=11.35s).",
            "Accumulating evaluation results...",
            "DONE (t=1.42s).",
        ]
        now += 14
        got = (0.214, 0.402, 0.207) if epoch == 1 else (0.271, 0.468, 0.279)
        for text, value in zip(("0.50:0.95", "0.50     ", "0.75     "), got, strict=True):
            most = 100 if text == "0.50:0.95" else 1000
            out.append(f" Average Precision  (AP) @[ IoU={text} | area=   all | maxDets={most:>4} ] = {value:.3f}")
        out.append(says(f"bbox_mAP_copypaste: {got[0]:.3f} {got[1]:.3f} {got[2]:.3f} -1.000 0.118 {got[0] + 0.02:.3f}"))
        out.append(
            says(
                f"Epoch(val) [{epoch}][1466/1466]    coco/bbox_mAP: {got[0]:.4f}  coco/bbox_mAP_50: {got[1]:.4f}  "
                f"coco/bbox_mAP_75: {got[2]:.4f}  data_time: 0.0021  time: 0.0711"
            )
        )
    out.append(
        "run.sh: line 9: 1810332 Segmentation fault      (core dumped) "
        "python tools/train.py configs/herbarium/faster-rcnn_r50_fpn_1x_herbarium.py"
    )
    put(place, "run.out", out)


def c28_pyg_oom_in_inference(place: Path, rng: Random) -> None:
    """PyG: resumed as it should be, then out of the GPU's memory when it infers layer by layer with all neighbours."""
    head = [
        "Resumed from runs/sage_papers/last.pt (epoch 12, sampled val 0.6311)",
        "SAGE(128, 256, 172, num_layers=3): 285,356 params on cuda:0",
    ]
    text = "\n".join(head) + "\n"
    total = 1207179
    for epoch in range(13, 21):
        took = rng.uniform(236, 241)
        for share in (0.0, 0.086, 0.171, 0.262, 0.347, 0.44, 0.531, 0.612, 0.698, 0.79, 0.881, 0.963, 1.0):
            done = min(total, int(share * total) // 1024 * 1024) if share < 1 else total
            gone = took * share
            pace = f"{done / gone:.2f}it/s" if gone else "?it/s"
            left = hms(took - gone) if gone else "?"
            text += (
                f"\rEpoch {epoch:02d}: {100 * done // total:>3}%|{bar(done, total)}| {done}/{total}"
                f" [{hms(gone)}<{left}, {pace}]"
            )
        loss = falls(rng, epoch, 2.6, 1.13, 5, 0.006)
        text += (
            f"\n\x1b[32mEpoch {epoch:02d}\x1b[0m, Loss: {loss:.4f}, Approx. Train: {0.79 - 0.13 * (loss - 1.1):.4f}\n"
        )
    for share in (0.0, 0.02, 0.04, 0.06):
        done = int(share * 111059956) // 4096 * 4096
        text += (
            f"\rEvaluating: {100 * done // 111059956:>3}%|{bar(done, 111059956)}| {done}/111059956 [{hms(share * 1450)}"
        )
        text += f"<{hms((1 - share) * 1450)}, {76592:.2f}it/s]" if share else "<?, ?it/s]"
    lib = "/users/avo/.conda/envs/pyg/lib/python3.10/site-packages"
    tail = [
        "",
        "Traceback (most recent call last):",
        '  File "/users/avo/papers/sage.py", line 171, in <module>',
        "    train_acc, val_acc, test_acc = test()",
        f'  File "{lib}/torch/utils/_contextlib.py", line 116, in decorate_context',
        "    return func(*args, **kwargs)",
        '  File "/users/avo/papers/sage.py", line 139, in test',
        "    out = model.inference(data.x, subgraph_loader)",
        '  File "/users/avo/papers/sage.py", line 77, in inference',
        "    x = conv(x, batch.edge_index.to(device))",
        f'  File "{lib}/torch/nn/modules/module.py", line 1736, in _wrapped_call_impl',
        "    return self._call_impl(*args, **kwargs)",
        f'  File "{lib}/torch/nn/modules/module.py", line 1747, in _call_impl',
        "    return forward_call(*args, **kwargs)",
        f'  File "{lib}/torch_geometric/nn/conv/sage_conv.py", line 134, in forward',
        "    out = self.propagate(edge_index, x=x, size=size)",
        f'  File "{lib}/torch_geometric/nn/conv/message_passing.py", line 547, in propagate',
        "    out = self.message(**msg_kwargs)",
        f'  File "{lib}/torch_geometric/nn/conv/sage_conv.py", line 147, in message',
        "    return x_j",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 14.62 GiB. GPU"
        " 0 has a total capacity of 39.39 GiB"
        " of which 9.81 GiB is free. Including non-PyTorch memory, this process has 29.57 GiB memory in use. Of the"
        " allocated memory 28.40 GiB is allocated by PyTorch, and 689.12 MiB is reserved by PyTorch but unallocated. If"
        " reserved but unallocated memory is large try setting"
        " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid"
        " fragmentation.  See documentation for Memory Management "
        " (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    ]
    put(place, "sage_resume.log", text + "\n".join(tail) + "\n")
    put(
        place,
        "sacct.txt",
        [
            "JobID           JobName  Partition  AllocTRES                        Elapsed"
            "    Timelimit    State ExitCode"
            "     MaxRSS ",
            "------------ ---------- ---------- ------------------------------ ----------"
            " ---------- ---------- --------"
            " ---------- ",
            "318877             sage       a100 billing=16,cpu=16,gres/gpu=1,+   00:41:48"
            "   12:00:00     FAILED      1:0"
            "            ",
            "318877.batch      batch            cpu=16,gres/gpu=1,mem=480G,nod+   00:41:48"
            "                FAILED      1:0"
            "  287611428K",
            "318877.extern    extern            billing=16,cpu=16,gres/gpu=1,+   00:41:48"
            "             COMPLETED      0:0"
            "       1412K",
        ],
    )


def c29_mlx_lm_no_end(place: Path, rng: Random) -> None:
    """mlx-lm on CUDA: validation rises while the training loss falls; no plan and no end are left."""
    out = [
        "Loading pretrained model",
        "Loading datasets",
        "Training",
        "Trainable parameters: 0.120% (9.044M/7615.617M)",
    ]
    rows = []
    tokens = 0
    for it in range(1, 471):
        if it == 1 or it % 100 == 0:
            val = 2.214 if it == 1 else {100: 1.402, 200: 1.377, 300: 1.431, 400: 1.516}[it]
            exact = val + rng.uniform(-4e-4, 4e-4)
            out.append(f"Iter {it}: Val loss {val:.3f}, Val took {rng.gauss(21.4, 0.2):.3f}s")
            rows.append(f'{{"iteration": {it - 1}, "val_loss": {exact}, "val_time": {rng.gauss(21.4, 0.2)}}}')
        tokens += int(rng.gauss(1460, 120))
        if it % 10 == 0:
            loss = falls(rng, it, 2.05, 0.61, 160, 0.04)
            speed = rng.gauss(2.31, 0.05)
            out.append(
                f"Iter {it}: Train loss {loss:.3f}, Learning Rate 1.000e-04, It/sec {speed:.3f}, "
                f"Tokens/sec {speed * 1460:.3f}, Trained Tokens {tokens}, Peak mem 18.{'642' if it < 210 else '907'} GB"
            )
            rows.append(
                f'{{"iteration": {it}, "train_loss": {loss}, "learning_rate": 0.0001, "trained_tokens": {tokens}}}'
            )
        if it % 100 == 0:
            out.append(
                f"Iter {it}: Saved adapter weights to adapters/adapters.safetensors and "
                f"adapters/{it:07d}_adapters.safetensors."
            )
    put(place, "lora.log", out)
    put(place, "report.jsonl", rows)


def c30_russian_preempted(place: Path, rng: Random) -> None:
    """A home-made loop in Russian, taken by the scheduler for a job of higher priority."""
    now = 3 * 86400 + 23 * 3600 + 40 * 60 + 12.0
    out = [
        f"{clock(now, '%d.%m.%Y %H:%M:%S')} Запуск: сегментация снимков, U-Net++ (26,1"
        " млн параметров), cuda:0 A100-SXM4-80GB",
        f"{clock(now, '%d.%m.%Y %H:%M:%S')} Обучающих фрагментов 18432, проверочных 2304, пакет 24, эпох 120",
    ]
    rows = ["эпоха;потери;потери_пров;IoU;скорость_обучения;секунд"]
    for epoch in range(1, 38):
        took = rng.gauss(311, 3.2)
        now += took
        loss = falls(rng, epoch, 0.81, 0.138, 7, 0.012)
        check = falls(rng, epoch, 0.79, 0.171, 7, 0.02)
        iou = 0.93 - 0.75 * check
        out.append(
            f"{clock(now, '%d.%m.%Y %H:%M:%S')} Эпоха {epoch}/120: потери {loss:.4f}"
            f" | проверка {check:.4f} | IoU {iou:.3f} | {took:.0f} с"
        )
        rate = f"{3e-4 * (1 - epoch / 120) ** 0.9:.6f}"
        rows.append(f"{epoch};{loss:.4f};{check:.4f};{iou:.4f};{rate};{took:.1f}".replace(".", ","))
    now += 143
    out += [
        f"{clock(now, '%d.%m.%Y %H:%M:%S')} Получен SIGTERM, дожидаюсь конца шага",
        f"slurmstepd: error: *** JOB 662140 ON gn17 CANCELLED AT {clock(now, '%Y-%m-%dT%H:%M:%S')}"
        " DUE TO PREEMPTION ***",
        f"{clock(now + 4, '%d.%m.%Y %H:%M:%S')} Состояние сохранено: /work/ivanova/unetpp/stop.pt (эпоха 38, шаг 351)",
    ]
    put(place, "обучение_662140.log", out)
    put(place, "метрики.csv", rows)


def c31_haiku_deadlock(place: Path, rng: Random) -> None:
    """A haiku loop on one GPU stands in its own lock: a watchdog and faulthandler tell of two hours without a step."""
    out = [
        "I xla_bridge.py:889] Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with"
        ' name: "rocm". Available platform names are: CUDA',
        "I xla_bridge.py:889] Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot"
        " open shared object file: No such file or directory",
        "I train.py:88] devices: [cuda(id=0)]",
        "I train.py:97] hk.transform_with_state: ConvNeXt-ish, 28589128 params",
        "W external/xla/xla/service/gpu/nvptx_compiler.cc:742] The NVIDIA driver's"
        " CUDA version is 12.2 which is older than"
        " the ptxas CUDA version (12.3.107). Because the driver is older than the"
        " ptxas version, XLA is disabling parallel"
        " compilation, which may slow down compilation. You should update your NVIDIA driver or use the NVIDIA-provided"
        " CUDA forward compatibility packages.",
        "W external/tsl/tsl/framework/bfc_allocator.cc:296] Allocator (GPU_0_bfc) ran out of memory trying to allocate"
        " 18.12GiB with freed_by_count=0. The caller indicates that this is not a failure, but this may mean that there"
        " could be performance gains if more memory were available.",
    ]
    for step in range(0, 10401, 100):
        loss = falls(rng, step, 6.93, 2.42, 3600, 0.015)
        out.append(f"I train.py:161] step {step:>6d}  loss {loss:.4f}  steps/s {rng.gauss(6.42, 0.05):.2f}")
        if step and step % 2000 == 0:
            out.append(f"I train.py:174] step {step:>6d}  eval top1 {0.62 - 0.078 * loss:.4f}")
            out.append(f"I ckpt.py:52] async save of step {step} handed to writer thread")
            if step < 10000:
                out.append(f"I ckpt.py:71] async save of step {step} finished ({rng.uniform(2.9, 3.6):.1f} s)")
    home = "/home/okafor/hk-vit"
    py = "/usr/lib/python3.10"
    for k in range(1, 5):
        out += [
            f"W watchdog.py:31] no step for {1800 * k} s (last: 10432); gpu0 util 0 %, memory 31274 MiB, process alive",
            "Timeout (0:30:00)!",
            "Thread 0x00007f1b6d7fa640 (most recent call first):",
            f'  File "{home}/watchdog.py", line 33 in run',
            f'  File "{py}/threading.py", line 1016 in _bootstrap_inner',
            f'  File "{py}/threading.py", line 973 in _bootstrap',
            "",
            "Thread 0x00007f1b7dffb640 (most recent call first):",
            f'  File "{home}/metrics.py", line 44 in flush',
            f'  File "{home}/ckpt.py", line 66 in _write',
            f'  File "{py}/threading.py", line 953 in run',
            f'  File "{py}/threading.py", line 1016 in _bootstrap_inner',
            f'  File "{py}/threading.py", line 973 in _bootstrap',
            "",
            "Thread 0x00007f1d0a5c3000 (most recent call first):",
            f'  File "{home}/ckpt.py", line 39 in lock',
            f'  File "{home}/metrics.py", line 58 in push',
            f'  File "{home}/train.py", line 158 in main',
            f'  File "{home}/train.py", line 190 in <module>',
        ]
    put(place, "train.err", out)


def c32_dgl_at_chance(place: Path, rng: Random) -> None:
    """DGL's GAT on Cora, which stays at the loss of a guess among seven classes from the first epoch to the last."""
    out = [
        "DGL backend not selected or invalid.  Assuming PyTorch for now.",
        'Setting the default backend to "pytorch". You can change it in the ~/.dgl/config.json file or export the'
        " DGLBACKEND environment variable.  Valid options are: pytorch, mxnet, tensorflow (all lowercase)",
        "/opt/venv/lib/python3.9/site-packages/torchdata/datapipes/__init__.py:18: UserWarning: ",
        "################################################################################",
        "WARNING!",
        "The 'datapipes', 'dataloader2' modules are deprecated and will be removed in a future torchdata release!",
        "################################################################################",
        "[18:02:44] /opt/dgl/src/runtime/tensordispatch.cc:43: TensorDispatcher: dlopen"
        " failed: /opt/venv/lib/python3.9/"
        "site-packages/dgl/tensoradapter/pytorch/libtensoradapter_pytorch_2.4.1.so:"
        " cannot open shared object file: No such"
        " file or directory",
        "Training with DGL built-in GATConv module.",
        "  NumNodes: 2708",
        "  NumEdges: 10556",
        "  NumFeats: 1433",
        "  NumClasses: 7",
        "  NumTrainingSamples: 140",
        "  NumValidationSamples: 500",
        "  NumTestSamples: 1000",
        "Done loading data from cached files.",
        "Training...",
    ]
    hit = 0.122
    for epoch in range(260):
        loss = 1.94591 + abs(rng.gauss(0, 0.0006)) + (0.0061 if epoch == 0 else 0)
        if rng.random() < 0.18:
            hit = rng.choice((0.058, 0.072, 0.114, 0.122, 0.156, 0.162, 0.316))
        out.append(f"Epoch {epoch:05d} | Loss {loss:.4f} | Accuracy {hit:.4f} ")
    out += ["Testing...", "Test accuracy 0.1440"]
    put(place, "gat_cora.txt", out)
