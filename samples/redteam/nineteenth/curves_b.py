"""SIMULATED curves c10 to c18 of the nineteenth set, as lot_curves.py drew them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import at, bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

H = 3600.0
DAY = 86400.0


def c10_tianshou(place: Path, rng: Random) -> None:
    out = ["$ cat run.sh", "#!/bin/bash", "export MUJOCO_GL=egl"]
    out.append("python3 mujoco_sac.py --task Ant-v4 --buffer-size 20000000 --epoch 400 --training-num 8 $RESUME")
    out.append("$ bash run.sh 2>&1 | tr '\\r' '\\n' > sac_ant.txt")

    def head(resumed: str) -> None:
        out.append("Observations shape: (27,)")
        out.append("Actions shape: (8,)")
        out.append("Action range: -1.0 1.0")
        if resumed:
            out.append(f"Loaded agent from:  {resumed}")

    def run(first: int, last: int, stop: int | None, base: float, done_before: int) -> None:
        ret = base
        best, best_at, best_sd = base, 0, 91.3
        for ep in range(first, last + 1):
            pace = 171 + rng.gauss(0, 4)
            marks = [0, 640, 1288, 1928, 2576, 3224, 3872, 4520, 5001]
            for done in marks:
                if ep == last and stop is not None and done > stop:
                    return
                a = -ret / 30 + rng.gauss(0, 2)
                q = 6 + ret / 900 + rng.gauss(0, 0.5)
                body = (
                    f"actor_loss={a:.3f}, alpha={0.06 + 0.9 * math.exp(-(ep + done_before) / 5):.3f}, "
                    f"alpha_loss={rng.gauss(0, 0.2):.3f}, "
                    f"critic1_loss={q:.3f}, critic2_loss={q + rng.gauss(0, 0.1):.3f}, "
                    f"env_step={(ep - 1) * 5000 + min(done, 5000)}, "
                    f"len={1000 if ep + done_before > 30 else rng.randrange(140, 1000)}, n/ep=0, n/st=8, "
                    f"rew={ret * (1 + rng.gauss(0, 0.03)):.2f}"
                )
                if not done:
                    out.append(f"Epoch #{ep}:   0%|{bar(0, 5000)}| 0/5000 [00:00<?, ?it/s]")
                elif done > 5000:
                    out.append(f"Epoch #{ep}: 5001it [{hms(done / pace)}, {pace:.2f}it/s, {body}]")
                else:
                    out.append(
                        f"Epoch #{ep}: {done / 50:3.0f}%|{bar(done, 5000)}| {done}/5000 "
                        f"[{hms(done / pace)}<{hms((5000 - done) / pace)}, {pace + rng.gauss(0, 3):.2f}it/s, {body}]"
                    )
            ret = 5400 * (1 - math.exp(-(ep + done_before) / 140)) * (1 + rng.gauss(0, 0.03))
            sd = abs(rng.gauss(0.03, 0.01)) * ret + 3 * rng.random()
            if ret > best:
                best, best_at, best_sd = ret, ep, sd
            out.append(
                f"Epoch #{ep}: test_reward: {ret:.6f} ± {sd:.6f}, best_reward: {best:.6f} ± {best_sd:.6f} in #{best_at}"
            )

    head("")
    run(1, 148, 2000, 12, 0)
    out.append(
        "run.sh: line 3: 40127 Killed                  python3 mujoco_sac.py --task Ant-v4 --buffer-size 20000000 "
    )
    out[-1] += "--epoch 400 --training-num 8 $RESUME"
    out.append("$ RESUME='--resume-path log/Ant-v4/sac/0/policy.pth' bash run.sh 2>&1 | tr '\\r' '\\n' >> sac_ant.txt")
    head("log/Ant-v4/sac/0/policy.pth")
    run(1, 171, 3300, 3441, 143)
    out.append(
        "run.sh: line 3: 58833 Killed                  python3 mujoco_sac.py --task Ant-v4 --buffer-size 20000000 "
    )
    out[-1] += "--epoch 400 --training-num 8 $RESUME"
    put(place, "sac_ant.txt", out)


def c11_table(place: Path, rng: Random) -> None:
    out = ["iter,mtokens,train_loss,val_loss,lr,grad_norm,s_per_iter"]
    for it in range(100, 24001, 100):
        lr = 1.2e-3 * min(1, it / 2000) * (1 if it < 2000 else 0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * it / 60000)))
        loss = falls(rng, it, 9.9, 3.02, 1500, 0.007)
        norm = 0.6 + rng.random() * 0.2
        if it > 15200:
            d = (it - 15200) / 1000
            loss = min(3.2 + 0.35 * d + 0.16 * d * d, 7.43) + abs(rng.gauss(0, 0.05))
            norm = 2.1 * 1.7**d * (1 + abs(rng.gauss(0, 0.5))) if d < 4 else 0.9 + rng.random() * 3
        val = f"{loss * 1.012 + rng.gauss(0, 0.01):.4f}" if it % 1000 == 0 else ""
        out.append(f"{it},{it * 0.262144:.1f},{loss:.4f},{val},{lr:.6g},{norm:.3f},{0.731 + rng.gauss(0, 0.004):.3f}")
    put(place, "run7_lr12e-4.csv", out)


def c12_lightning(place: Path, rng: Random) -> None:
    t = DAY + 19.7 * H
    out: list[str] = []
    per, log_every = 1850, 50

    def head(ckpt: str) -> None:
        out.append(f"# {clock(t, '%a %b %d %H:%M:%S CET %Y')} host {hosts[starts]} SLURM_RESTART_COUNT={starts}")
        out.extend(
            (
                "Using bfloat16 Automatic Mixed Precision (AMP)",
                "GPU available: True (cuda), used: True",
                "TPU available: False, using: 0 TPU cores",
                "HPU available: False, using: 0 HPUs",
                *(f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/4" for r in (0, 2, 1, 3)),
                "-" * 100,
                "distributed_backend=nccl",
                "All distributed processes registered. Starting with 4 processes",
                "-" * 100,
                "",
            )
        )
        if ckpt:
            out.append(f"Restoring states from the checkpoint path at {ckpt}")
        out.append("LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3]")
        if ckpt:
            out.append(f"Restored all states from the checkpoint at {ckpt}")
        out.extend(
            (
                "",
                "  | Name    | Type             | Params | Mode ",
                "-----------------------------------------------------",
                "0 | encoder | SwinTransformerV2| 27.6 M | train",
                "1 | decoder | UperHead         | 31.4 M | train",
                "2 | loss    | CrossEntropyLoss | 0      | train",
                "-----------------------------------------------------",
                "59.0 M    Trainable params",
                "0         Non-trainable params",
                "59.0 M    Total params",
                "236.114   Total estimated model params size (MB)",
                "SLURM auto-requeueing enabled. Setting signal handlers.",
            )
        )

    def run(first: int, last: int, stop: int) -> None:
        nonlocal t
        for ep in range(first, last + 1):
            spent = 0.0
            for b in range(log_every, per + 1, log_every):
                if ep == last and b > stop:
                    return
                pace = 3.61 * (1 + rng.gauss(0, 0.006))
                t += log_every / pace
                spent += log_every / pace
                step = ep * per + b
                loss = falls(rng, step, 3.1, 0.31, 4500, 0.04)
                miou = 0.61 - 0.55 * math.exp(-(ep + 0.3) / 3.1)
                tail = f"v_num={'418810'}, train/loss_step={loss:.3f}"
                tail += (
                    f", val/miou={miou:.3f}, train/loss_epoch={falls(rng, step - 900, 3.1, 0.31, 4500, 0.002):.3f}"
                    if ep
                    else ""
                )
                out.append(
                    f"Epoch {ep}: {100 * b // per:3d}%|{bar(b, per)}| {b}/{per} "
                    f"[{hms(spent)}<{hms((per - b) / pace)}, {pace:5.2f}it/s, {tail}]"
                )
            t += 62
            out.append(
                f"Epoch {ep}, global step {(ep + 1) * per}: 'val/miou' reached "
                f"{0.61 - 0.55 * math.exp(-(ep + 1.3) / 3.1):.5f} "
            )
            out[-1] += (
                f"(best {0.61 - 0.55 * math.exp(-(ep + 1.3) / 3.1):.5f}), saving model to "
                "'/lus/seg/ckpt/best.ckpt' as top 1"
            )

    def cut() -> None:
        nonlocal t
        t += 11
        out.extend(f"[rank: {r}] Bypassing SIGTERM: 15" for r in (0, 3, 1, 2))
        t += 60
        out.append("srun: Job step aborted: Waiting up to 62 seconds for job step to finish.")
        when = clock(t, "%Y-%m-%dT%H:%M:%S")
        out.extend(
            f"slurmstepd: error: *** {what} ON {hosts[starts]} CANCELLED AT {when} DUE TO JOB REQUEUE ***"
            for what in ("STEP 418810.0", "JOB 418810")
        )

    starts, hosts = 0, ("gpu-x09", "gpu-x26", "gpu-x17")
    head("")
    run(0, 6, 1300)
    cut()
    t += 2.2 * H
    starts = 1
    head("/lus/seg/ckpt/last.ckpt")
    run(6, 9, 450)
    cut()
    t += 5.9 * H
    starts = 2
    head("/lus/seg/ckpt/last.ckpt")
    run(9, 11, 900)
    cut()
    put(place, "seg_418810.out", out)


def c13_diffusers(place: Path, rng: Random) -> None:
    t = 4 * DAY + 22.1 * H
    out: list[str] = []

    def say(level: str, where: str, text: str) -> None:
        out.append(f"{clock(t, '%m/%d/%Y %H:%M:%S')} - {level} - {where} - {text}")

    say("INFO", "__main__", "Distributed environment: DistributedType.NO")
    out += [
        "Num processes: 1",
        "Process index: 0",
        "Local process index: 0",
        "Device: cuda",
        "",
        "Mixed precision type: fp16",
        "",
    ]
    out.append(
        "'(ReadTimeoutError(\"HTTPSConnectionPool(host='huggingface.co', port=443): Read timed out. "
        '(read timeout=10)"), '
        "'(Request ID: 5f0d6a70-9f0e-4c1e-8a3c-6b1b1e3cb1a4)')' thrown while requesting HEAD "
        "https://huggingface.co/stabilityai/stable-diffusion-2-1-base/resolve/main/unet/config.json"
    )
    t += 10
    say("WARNING", "huggingface_hub.utils._http", out.pop())
    say("WARNING", "huggingface_hub.utils._http", "Retrying in 1s [Retry 1/5].")
    out.append("{'timestep_spacing', 'variance_type', 'clip_sample_range', 'rescale_betas_zero_snr', 'thresholding', ")
    out[-1] += "'dynamic_thresholding_ratio'} was not found in config. Values will be initialized to default values."
    t += 21
    for row in (
        "***** Running training *****",
        "  Num examples = 1164",
        "  Num batches each epoch = 291",
        "  Num Epochs = 7",
        "  Instantaneous batch size per device = 4",
        "  Total train batch size (w. parallel, distributed & accumulation) = 4",
        "  Gradient Accumulation steps = 1",
        "  Total optimization steps = 2000",
    ):
        say("INFO", "__main__", row)
    for step in range(100, 2001, 100):
        spent = step / 2.31
        loss = f"{abs(rng.gauss(0.11, 0.05)) + 0.012:.4g}" if step < 700 else "nan"
        out.append(
            f"Steps: {100 * step // 2000:3d}%|{bar(step, 2000)}| {step}/2000 "
            f"[{hms(spent)}<{hms((2000 - step) / 2.31)},  "
            f"{2.31 + rng.gauss(0, 0.02):.2f}it/s, lr=0.001, step_loss={loss}]"
        )
        if step == 1500:
            t0, t = t, t + spent
            say("INFO", "accelerate.accelerator", "Saving current state to sd21-herbarium-lora/checkpoint-1500")
            out.append("Model weights saved in sd21-herbarium-lora/checkpoint-1500/pytorch_lora_weights.safetensors")
            t = t0
    out.append("Model weights saved in sd21-herbarium-lora/pytorch_lora_weights.safetensors")
    t += 880
    say("INFO", "__main__", "Running validation... \n Generating 4 images with prompt: herbarium sheet of a fern.")
    out.append(
        "/opt/diff/lib/python3.11/site-packages/diffusers/image_processor.py:147: RuntimeWarning: "
        "invalid value encountered "
        'in cast\n  images = (images * 255).round().astype("uint8")'
    )
    put(place, "lora.log", out)


def c14_cpp(place: Path, rng: Random) -> None:
    out = [
        "tinynet 0.9 (libtorch 2.4.0+cu124)",
        "device: cuda:0 NVIDIA RTX A5000",
        "dataset: /data/plants100  train 86400  test 9600  classes 100",
        "model: resnet18-ish, 11.23 M parameters",
        "optimizer: SGD momentum 0.9 wd 5e-4, base lr 0.1, schedule: cosine",
    ]
    t, step = 0.0, 0
    for ep in range(1, 31):
        for b in range(45, 676, 45):
            step += 45
            lr = 0.1 if step <= 0 else 0.05 * (1 + math.cos(math.pi * min(step, 675) / 675))
            level = 4.605 - 0.47 * (1 - math.exp(-min(step, 620) / 240))
            t += 45 * 0.0931 * (1 + rng.gauss(0, 0.01))
            out.append(
                f"[{t:9.1f}s] ep {ep:3d} batch {b:4d}  loss {level + rng.gauss(0, 0.018):.4f}  "
                f"lr {lr:.3e}  |g| {1.31 + rng.gauss(0, 0.08):.3f}  {128 / 0.0931 * (1 + rng.gauss(0, 0.01)):.0f} img/s"
            )
        t += 4.1
        acc = 6.9 + rng.gauss(0, 0.02) if ep > 1 else 6.84
        out.append(f"[{t:9.1f}s] ep {ep:3d} test   loss {4.148 + rng.gauss(0, 0.0015):.4f}  top1 {acc:.2f}%")
    out += ["saved plants100_final.pt", "done"]
    put(place, "train_plants.txt", out)


def c15_mxnet(place: Path, rng: Random) -> None:
    out, err = [], []
    err.append(
        "\x1b[33m/usr/local/lib/python3.8/dist-packages/mxnet/gluon/block.py:1512: UserWarning: Cannot decide type "
    )
    err[-1] += "for the following arguments. Consider providing them as input:\n\tdata: None\n  input_sym_arg_type = "
    err[-1] += "in_param.infer_type()[0]\x1b[0m"
    err.append(
        "[21:14:03] ../src/operator/nn/./cudnn/./cudnn_algoreg-inl.h:97: Running performance tests to find the best "
    )
    err[-1] += (
        "convolution algorithm, this can take a while... (set the environment variable MXNET_CUDNN_AUTOTUNE_DEFAULT "
    )
    err[-1] += "to 0 to disable)"
    out.append("INFO:root:Namespace(batch_size=32, data_shape=512, dataset='voc', epochs=20, gpus='0,1', lr=0.01, ")
    out[-1] += "lr_decay=0.1, lr_decay_epoch='14,18', momentum=0.9, network='resnet50_v1', num_workers=8, wd=0.0005)"
    out.append("INFO:root:Start training from [Epoch 0]")
    names = ["aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow"]
    names += [
        "diningtable",
        "dog",
        "horse",
        "motorbike",
        "person",
        "pottedplant",
        "sheep",
        "sofa",
        "train",
        "tvmonitor",
    ]
    for ep in range(20):
        spent = 0.0
        for b in range(99, 517, 100):
            step = ep * 517 + b
            speed = 61.5 + rng.gauss(0, 1.2)
            spent += 3200 / speed
            ce, sl = falls(rng, step, 6.9, 2.6, 700, 0.02), falls(rng, step, 3.3, 1.5, 900, 0.02)
            if step > 1850:
                d = (step - 1850) / 100
                ce, sl = ce * 2.9**d, sl * 2.1**d
            word = (f"{ce:.3f}", f"{sl:.3f}") if step < 2700 else ("nan", "nan")
            out.append(
                f"INFO:root:[Epoch {ep}][Batch {b}], Speed: {speed:.3f} samples/sec, "
                f"CrossEntropy={word[0]}, SmoothL1={word[1]}"
            )
        took = spent + 17 * 32 / 61
        out.append(f"INFO:root:[Epoch {ep}] Training cost: {took:.3f}, CrossEntropy={word[0]}, SmoothL1={word[1]}")
        if ep % 2 == 1:
            good = ep < 3
            nan = float("nan")
            aps = [abs(rng.gauss(0.31, 0.1)) if good else nan for _ in names]
            rows = [f"{n}={ap}" for n, ap in zip(names, aps, strict=True)]
            out.append(f"INFO:root:[Epoch {ep}] Validation: \n" + "\n".join([*rows, f"mAP={sum(aps) / len(aps)}"]))
            n = 155
            for k in (31, 78, 124, 155):
                pace = 3.9 + rng.gauss(0, 0.1)
                err.append(
                    f"\rval: {100 * k // n:3d}%|{bar(k, n)}| {k}/{n} "
                    f"[{hms(k / pace)}<{hms((n - k) / pace)}, {pace:5.2f}it/s]"
                )
    put(place, "ssd_512.log", out)
    put(place, "ssd_512.err", "\n".join(err).replace("\n\r", "\r") + "\n")


def c16_litgpt(place: Path, rng: Random) -> None:
    t = 3 * DAY + 15.02 * H
    out = ["+ srun --label --nodes=2 --ntasks-per-node=8 litgpt pretrain --config config_hub/pretrain/finnish-1b.yaml"]
    order = list(range(16))
    rng.shuffle(order)
    out.extend(f"{r:2d}: Using bfloat16 Automatic Mixed Precision (AMP)" for r in order)
    err = "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR"
    for r in rng.sample(order, 3):
        out.append(f"{r:2d}: {err}")
        out.append(
            f"{r:2d}: E0000 00:00:{at(t + 6).timestamp() + rng.random():.6f}   {33104 + r} cuda_dnn.cc:8310] Unable to "
            "register cuDNN factory: Attempting to register factory for plugin cuDNN when one has "
            "already been registered"
        )
    rng.shuffle(order)
    out.extend(f"{r:2d}: Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/16" for r in order)
    for m in range(10):
        for r in rng.sample(range(8, 16), 8 if m < 4 else 4):
            when = t + 131 + m * 137 + rng.random()
            out.append(
                f"{r:2d}: [W{clock(when, '%m%d %H:%M:%S')}.{rng.randrange(10**9):09d} "
                "socket.cpp:752] [c10d] The client "
                f"socket has failed to connect to [g2104]:21877 (errno: 110 - Connection timed out)."
            )
    out.extend(
        f"{r:2d}: [E{clock(t + 1806 + k * 0.01, '%m%d %H:%M:%S')}.{rng.randrange(10**9):09d} socket.cpp:1011] [c10d] "
        "The client socket has timed out after 1800000ms while trying to connect to (g2104, 21877)."
        for k, r in enumerate((9, 12, 8))
    )
    trace = (
        "Traceback (most recent call last):",
        '  File "/users/aho/venv/bin/litgpt", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/users/aho/venv/lib/python3.11/site-packages/litgpt/pretrain.py", line 156, in setup',
        "    fabric.launch()",
        '  File "/users/aho/venv/lib/python3.11/site-packages/lightning/fabric/strategies/fsdp.py", line 658, in '
        "_setup_distributed",
        "    _init_dist_connection(self.cluster_environment, self._process_group_backend, timeout=self._timeout)",
        '  File "/users/aho/venv/lib/python3.11/site-packages/torch/distributed/rendezvous.py", line 189, in '
        "_create_c10d_store",
        "    return TCPStore(",
        "           ^^^^^^^^^",
    )
    out.extend(f" 8: {row}" for row in trace)
    out.append(
        " 8: torch.distributed.DistNetworkError: The client socket has timed out after 1800000ms while trying to "
        "connect to (g2104, 21877)."
    )
    out.extend(f" 0: {row}" for row in trace)
    out.append(
        " 0: torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 8/16 clients joined."
    )
    out.append("srun: error: g2104: tasks 0-7: Exited with exit code 1")
    out.append("srun: error: g2105: tasks 8-15: Exited with exit code 1")
    put(place, "pretrain-90211.out", out)
    gpu = ["timestamp, index, utilization.gpu [%], memory.used [MiB], temperature.gpu, power.draw [W]"]
    for m in range(16):
        for g in range(8):
            stamp = clock(t + 22 + m * 120 + g * 0.02, "%Y/%m/%d %H:%M:%S") + f".{411 + g * 2}"
            gpu.append(
                f"{stamp}, {g}, 0 %, {4 if m == 0 else 527} MiB, {31 + g % 3}, {69.2 + g % 4 + rng.gauss(0, 0.4):.2f} W"
            )
    put(place, "gpu_node0.csv", gpu)


def c17_marian(place: Path, rng: Random) -> None:
    t = 5 * DAY + 6.25 * H
    log, err = [], []
    up, sents, words = 214500, 0, 0
    for n in range(23):
        up += 500
        speed = 88123 + rng.gauss(0, 900)
        got = 19_411_000 + rng.randrange(90_000)
        took = got / speed
        t += took
        sents = 61_204_118 + (n + 1) * 702_000 + rng.randrange(4000)
        words += got
        cost = 31.2 + 0.9 * math.exp(-n / 60) + rng.gauss(0, 0.11)
        log.append(
            f"[{clock(t)}] Ep. {(8_211_009_114 + words) / 2.5e9:.4f} : Up. {up} : Sen. {sents:,} : Cost {cost:.8f} @ "
            f"{27_000 + rng.randrange(5000):,} after {8_211_009_114 + words:,} : Time {took:.2f}s : "
            f"{speed:.2f} words/s : "
            f"gNorm {0.31 + rng.gauss(0, 0.02):.4f} : L.r. {3e-4 * math.sqrt(16000 / up):.4e}"
        )
        if up == 220000:
            log.append(
                f"[{clock(t + 1)}] Saving model weights and runtime parameters to model/fien.npz.best-bleu-detok.npz"
            )
            log.append(f"[{clock(t + 9)}] Saving model weights and runtime parameters to model/fien.npz")
            log.append(f"[{clock(t + 14)}] Saving Adam parameters")
            t += 19
            log.append(
                f"[{clock(t)}] [valid] Ep. {(8_211_009_114 + words) / 2.5e9:.4f} : Up. 220000 : bleu-detok : "
                "31.8871 : new best"
            )
    t += 117
    why = [
        "Error: CUDA error 214 'uncorrectable ECC error encountered' - "
        "/opt/marian-dev/src/tensors/gpu/algorithm.cu:46: "
        "cudaStreamSynchronize(0)",
        "Error: Aborted from void marian::gpu::fill(marian::Ptr<marian::Backend>, T*, T*, T) [with T = float; "
        "marian::Ptr<marian::Backend> = std::shared_ptr<marian::Backend>] in "
        "/opt/marian-dev/src/tensors/gpu/algorithm.cu:46",
    ]
    rows = [f"[{clock(t)}] {row}" for row in why]
    stack = [
        "",
        "[CALL STACK]",
        "[0x55d0c1f7a1d8]    void marian::gpu::  fill  <float>(std::shared_ptr<marian::Backend>,  "
        "float*,  float*,  float) "
        "+ 0x7e8",
        "[0x55d0c1a1f0c4]    marian::TensorBase::  set  (float)          + 0x254",
        "[0x55d0c1a4be2b]    marian::ExpressionGraph::  backward  (bool,  float) + 0x52b",
        "[0x55d0c1c3d3a9]                                                       + 0x8c13a9",
        "[0x7f3d11edc253]                                                       + 0xdc253",
        "[0x7f3d11a94ac3]                                                       + 0x94ac3",
        "",
    ]
    log += rows
    err += (
        rows + stack + ["/var/spool/slurmd/job77120/slurm_script: line 31: 9120 Aborted                 (core dumped) "]
    )
    err[-1] += "$MARIAN/marian -c config.yml --cost-type ce-mean --logical-epoch 2500Mt"
    put(place, "fien_train.log", log)
    put(place, "fien.err", err)


def c18_rust(place: Path, rng: Random) -> None:
    t = 0.9 * DAY
    out: list[str] = []
    rows: list[str] = []

    def say(where: str, text: str, level: str = "\x1b[32m INFO\x1b[0m") -> None:
        stamp = clock(t, "%Y-%m-%dT%H:%M:%S") + f".{int(t % 1 * 1e6):06d}Z"
        out.append(f"\x1b[2m{stamp}\x1b[0m {level} \x1b[2mbytelm::{where}\x1b[0m\x1b[2m:\x1b[0m {text}")

    def kv(**of: str) -> str:
        return " ".join(f"\x1b[3m{k}\x1b[0m\x1b[2m=\x1b[0m{v}" for k, v in of.items())

    say("main", "starting " + kv(backend="cuda", device="0", candle='"0.8.1"'))
    say("data", "mapped corpus " + kv(shards="96", gib="41.7"))
    say("model", "built " + kv(layers="24", dim="1024", params_m="302.1"))
    say("train", "plan " + kv(steps="80000", mib_per_step="2", warmup="1500"))
    t += 5
    for step in range(200, 42001, 200):
        t += 200 * 0.418 * (1 + rng.gauss(0, 0.004))
        nats = falls(rng, step, 3.3, 0.702, 2400, 0.006)
        gib = step * 2 / 1024
        bits = nats / math.log(2)
        say(
            "train",
            kv(
                step=f"{step}/80000",
                gib=f"{gib:.2f}",
                bpb=f"{bits:.4f}",
                gnorm=f"{0.41 + rng.gauss(0, 0.02):.3f}",
                kib_s=f"{2048 / 0.418 * (1 + rng.gauss(0, 0.004)):.0f}",
            ),
        )
        rows.append(
            json.dumps({"t": round(t - 0.9 * DAY, 1), "step": step, "gib": round(gib, 3), "bpb": round(bits, 5)})
        )
        if step % 5000 == 0:
            say("ckpt", "wrote " + kv(path=f'"ckpt/bytelm-{step:06d}.safetensors"', ms=f"{rng.randrange(1900, 2600)}"))
            t += 2.4
        if step == 17000:
            say("data", "slow shard read " + kv(shard="41", ms="2210"), "\x1b[33m WARN\x1b[0m")
    put(place, "bytelm.log", out)
    put(place, "metrics.jsonl", rows)
