"""The curves c01 to c06 of the thirty-second set. SIMULATED: no line here was taken from a real job."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _clock(text: str) -> datetime:
    """A moment from its ISO words."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _span(seconds: float) -> str:
    """As tqdm writes a time."""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes:02d}:{whole % 60:02d}"


def _bar(done: int, total: int, width: int = 10) -> str:
    """The blocks of a tqdm bar."""
    eighths = int(done / total * width * 8)
    full, part = divmod(eighths, 8)
    return ("█" * full + (" ▏▎▍▌▋▊▉"[part] if part else "")).ljust(width)


def c01_nanobody_refold(place: Path, rng: Random) -> None:
    """OpenFold, two attempts in one log; in the second the loss leaves for good."""
    out: list[str] = []
    root = "/lustre/grp/ylab/nanofold"

    def head(job: int, node: str, when: str, resumed: str) -> None:
        out.append(f"== job {job} on {node} {when}")
        out.append("[rank: 0] Seed set to 4242022")
        if resumed:
            out.append(f"INFO:root:Loading model state from checkpoint {resumed}")
        out.extend(
            (
                "WARNING:root:mmcif_cache.json: 211402 entries, 1873 filtered by release date",
                "INFO:root:Successfully loaded chain data cache nb_chain_data_cache.json",
                "Using bfloat16 Automatic Mixed Precision (AMP)",
                "GPU available: True (cuda), used: True",
                "TPU available: False, using: 0 TPU cores",
                "HPU available: False, using: 0 HPUs",
            )
        )
        out.extend([f"Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/4" for rank in range(4)])
        out.append("-" * 100)
        out.append("distributed_backend=nccl")
        out.append("All distributed processes registered. Starting with 4 processes")
        out.append("-" * 100)
        out.append("")
        if resumed:
            out.append(f"Restoring states from the checkpoint path at {resumed}")
        out.extend([f"LOCAL_RANK: {rank} - CUDA_VISIBLE_DEVICES: [0,1,2,3]" for rank in range(4)])
        out.append("")
        out.append("  | Name  | Type          | Params | Mode ")
        out.append("------------------------------------------------")
        out.append("0 | model | AlphaFold     | 93.2 M | train")
        out.append("1 | loss  | AlphaFoldLoss | 0      | train")
        out.append("------------------------------------------------")
        out.append("93.2 M    Trainable params")
        out.append("0         Non-trainable params")
        out.append("93.2 M    Total params")
        out.append("372.916   Total estimated model params size (MB)")
        if resumed:
            out.append(f"Restored all states from the checkpoint at {resumed}")

    def show(epoch: int, done: int, loss: float, pace: float, val: str) -> None:
        left = _span((500 - done) / pace)
        text = f"Epoch {epoch}: {done * 100 // 500:3d}%|{_bar(done, 500)}| {done}/500 [{_span(done / pace)}<{left}, "
        out.append(text + f"{pace:5.2f}it/s, v_num=r7xk, train/loss={loss:.3g}{val}]")

    val = ""
    head(88190, "gpu-c14", "Tue Mar 11 21:04:17 CET 2025", "")
    for epoch in range(4):
        last = 500 if epoch < 3 else 350
        for done in range(50, last + 1, 50):
            step = epoch * 500 + done
            show(epoch, done, 41 + 98 * math.exp(-step / 420) + rng.gauss(0, 2.6), 0.11 + rng.random() * 0.01, val)
        if last == 500:
            val = f", val/loss={47 + 60 * math.exp(-epoch) + rng.random():.3g}"
            val += f", val/lddt_ca={0.31 + 0.09 * epoch + rng.random() * 0.02:.3f}"
    out.append("slurmstepd: error: *** STEP 88190.0 ON gpu-c14 CANCELLED AT 2025-03-12T01:34:22 DUE TO PREEMPTION ***")
    out.append("srun: Job step aborted: Waiting up to 62 seconds for job step to finish.")
    head(88213, "gpu-c09", "Wed Mar 12 02:10:50 CET 2025", f"{root}/ckpt/nb_r7xk/checkpoints/3-1500.ckpt")
    for epoch in range(3, 9):
        last = 500 if epoch < 8 else 50
        for done in range(50, last + 1, 50):
            step = epoch * 500 + done
            if step <= 2150:
                loss = 41 + 98 * math.exp(-step / 420) + rng.gauss(0, 2.4)
            elif step <= 2350:
                loss = 48 + (step - 2150) * 1.1 + rng.gauss(0, 9)
            else:
                loss = 268 + rng.gauss(0, 11) + 12 * math.sin(step / 170)
            show(epoch, done, loss, 0.11 + rng.random() * 0.01, val)
        if last == 500:
            gone = epoch > 3
            val = f", val/loss={271 + rng.gauss(0, 4):.3g}" if gone else f", val/loss={46.2 + rng.random():.3g}"
            val += f", val/lddt_ca={0.042 + rng.random() * 0.008:.3f}" if gone else ", val/lddt_ca=0.607"
    names = ("distogram", "experimentally_resolved", "fape", "plddt_loss", "masked_msa", "supervised_chi", "violation")
    for number in range(9):
        out += [
            f"WARNING:root:{name} loss is NaN. Skipping..." for name in (names if number else ("fape", "violation"))
        ]
    show(8, 60, 0.0, 0.114, val)
    for _ in range(6):
        out += [f"WARNING:root:{name} loss is NaN. Skipping..." for name in names]
    (place / "train_nb_r7xk.log").write_text("\n".join(out) + "\n")


def c02_sorbian_pi(place: Path, rng: Random) -> None:
    """JoeyNMT on a desktop's processor: slow from first to last, and it ends as planned."""
    out: list[str] = []
    now = _clock("2024-11-08T17:22:41.318")

    def say(name: str, text: str, after: float) -> None:
        nonlocal now
        now += timedelta(seconds=after * (1 + 0.05 * rng.random()) + rng.random() * 0.002)
        out.append(f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03d} - INFO - {name} - {text}")

    say("root", "Hello! This is Joey-NMT (version 2.3.0).", 0)
    say("joeynmt.config", "             cfg.name : hsb_de_small", 0.01)
    say("joeynmt.config", "  cfg.training.epochs : 8", 0.001)
    say("joeynmt.config", "cfg.training.use_cuda : False", 0.001)
    say("joeynmt.data", "Loading train set...", 0.3)
    say("joeynmt.data", "Data loaded.", 0.1)
    say("joeynmt.data", "Train dataset: PlaintextDataset(split=train, len=58389, src_lang=hsb, trg_lang=de)", 0.01)
    say("joeynmt.data", "Valid dataset: PlaintextDataset(split=dev, len=2000, src_lang=hsb, trg_lang=de)", 0.01)
    say("joeynmt.model", "Enc-dec model built.", 0.9)
    say("joeynmt.model", "Total params: 12181504", 0.02)
    say("joeynmt.training", "EPOCH 1", 0.8)
    step = 0
    best = 0.0
    for epoch in range(1, 9):
        if epoch > 1:
            say("joeynmt.training", f"EPOCH {epoch}", 0.1)
        total = 0.0
        for _ in range(2):
            step += 200
            loss = 1.72 + 4.1 * math.exp(-step / 640) + rng.gauss(0, 0.06)
            total += loss * 200
            text = f"Epoch {epoch:3d}, Step: {step:8d}, Batch Loss: {loss:12.6f}, Batch Acc: "
            text += f"{0.69 - 0.58 * math.exp(-step / 900) + rng.gauss(0, 0.008):.6f}, "
            say(
                "joeynmt.training",
                text + f"Tokens per Sec: {131 + rng.random() * 17:8.0f}, Lr: 0.000300",
                5210 + rng.random() * 700,
            )
        say("joeynmt.training", f"Epoch {epoch:3d}: total training loss {total:.2f}", 260)
        if epoch % 2 == 0:
            bleu = 29.4 * (1 - math.exp(-epoch / 3.4)) + rng.random()
            best = max(best, bleu)
            took = 2890 + rng.random() * 300
            dev = 1.9 + 2.2 * math.exp(-epoch / 2)
            text = f"bleu: {bleu:6.2f}, loss: {dev:6.2f}, ppl: {math.exp(dev):6.2f}, acc: {0.3 + 0.04 * epoch:6.2f}, "
            text += f"generation: {took:.4f}[sec], evaluation: {1.2 + rng.random() * 0.05:.4f}[sec]"
            say("joeynmt.prediction", "Predicting 2000 example(s)... (Greedy decoding with min_output_length=1)", 0.2)
            say("joeynmt.prediction", "Evaluation result (greedy): " + text, took + 3)
            say("joeynmt.training", "Hooray! New best validation result [bleu]!", 0.1)
            say("joeynmt.helpers", f"Saved models/hsb_de_small/{step}.ckpt", 1.2)
    say("joeynmt.training", "Training ended after   8 epochs.", 0.4)
    say("joeynmt.training", f"Best validation result (greedy) at step {step:8d}: {best:6.2f} bleu.", 0.01)
    (place / "train.log").write_text("\n".join(out) + "\n")


def c03_parts_catalogue(place: Path, rng: Random) -> None:
    """sentence-transformers on pairs from a catalogue of spare parts: all vectors become one, to the last step."""
    out = [
        "2025-02-19 08:14:02 - Load pretrained SentenceTransformer: microsoft/mpnet-base",
        "2025-02-19 08:14:03 - No sentence-transformers model found with name microsoft/mpnet-base. "
        "Creating a new one with mean pooling.",
        "Some weights of MPNetModel were not initialized from the model checkpoint at microsoft/mpnet-base and are "
        "newly initialized: ['pooler.dense.bias', 'pooler.dense.weight']",
        "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and "
        "inference.",
        "2025-02-19 08:14:11 - Dataset({",
        "    features: ['anchor', 'positive'],",
        "    num_rows: 412160",
        "})",
        "2025-02-19 08:14:11 - Use pytorch device_name: cuda:0",
    ]
    now = _clock("2025-02-19T08:14:20")
    total, warm, peak = 6440, 644, 4e-4
    for step in range(50, total + 1, 50):
        rate = peak * step / warm if step < warm else peak * (total - step) / (total - warm)
        if step < 420:
            loss, grad = 0.62 + 2.9 * math.exp(-step / 110) + rng.gauss(0, 0.03), 4.1 + rng.gauss(0, 0.6)
        elif step < 650:
            loss, grad = 0.7 + (step - 420) / 230 * 3.2 + rng.gauss(0, 0.12), 21 + rng.gauss(0, 6)
        else:
            loss, grad = 4.1589 + rng.choice((0, 0, 0, 0.0001, -0.0001, 0.0002)), abs(rng.gauss(0, 0.0008))
        row = {
            "loss": round(loss, 4),
            "grad_norm": grad,
            "learning_rate": rate,
            "epoch": round(step / 3220, 2),
        }
        out.append(str(row))
        if step % 1000 == 0:
            now += timedelta(seconds=431 + rng.random() * 9)
            part = f"after {step} steps"
            if step / 3220 > 0:
                part = f"in epoch {round(step / 3220, 4)} after {step} steps"
            out.append(
                f"{now:%Y-%m-%d %H:%M:%S} - Information Retrieval Evaluation of the model on the dev dataset {part}:"
            )
            out.append(f"{now:%Y-%m-%d %H:%M:%S} - Queries: 1800")
            out.append(f"{now:%Y-%m-%d %H:%M:%S} - Corpus: 21044")
            out.append("")
            out.append(f"{now:%Y-%m-%d %H:%M:%S} - Score-Function: cosine")
            for cut, hit in ((1, 0.0), (5, 0.06), (10, 0.11)):
                out.append(f"{now:%Y-%m-%d %H:%M:%S} - Accuracy@{cut}: {hit:.2f}%")
            out.append(f"{now:%Y-%m-%d %H:%M:%S} - MRR@10: 0.0002")
            out.append(f"{now:%Y-%m-%d %H:%M:%S} - NDCG@10: 0.0004")
            ev = {"eval_loss": 4.158883094787598, "eval_dev_cosine_ndcg@10": 0.0004, "eval_runtime": 41.2287}
            ev |= {"eval_samples_per_second": 43.659, "eval_steps_per_second": 0.703, "epoch": round(step / 3220, 2)}
            out.append(str(ev))
            out.append(f"Saving model checkpoint to output/parts-mpnet-mnrl/checkpoint-{step}")
    took = {"train_runtime": 2836.2117, "train_samples_per_second": 290.641, "train_steps_per_second": 2.271}
    took |= {"train_loss": 3.8126530487, "epoch": 2.0}
    out.append(str(took))
    out.append(f"{now + timedelta(seconds=240):%Y-%m-%d %H:%M:%S} - Save model to output/parts-mpnet-mnrl/final")
    (place / "nohup.out").write_text("\n".join(out) + "\n")


def c04_units_of_chemistry(place: Path, rng: Random) -> None:
    """Slime on chemistry sums: the reward climbs and the job ends well; how far it should go stands nowhere."""
    out = [
        "Job submission server address: http://127.0.0.1:8265",
        "",
        "-------------------------------------------------------",
    ]
    out += [
        "Job 'raysubmit_q8VhZc3RkT1mWy2e' submitted successfully",
        "-------------------------------------------------------",
        "",
    ]
    out += ["Next steps", "  Query the logs of the job:", "    ray job logs raysubmit_q8VhZc3RkT1mWy2e", ""]
    out += ["Tailing logs until the job exits (disable with --no-wait):"]
    now = _clock("2025-09-23T19:02:10")
    rows: list[str] = []
    pids = [rng.randint(20000, 60000) for _ in range(6)]
    roll, train = f"(RolloutManager pid={pids[0]})", f"(MegatronTrainRayActor pid={pids[1]})"

    def stamp() -> str:
        return f"{now:%Y-%m-%d %H:%M:%S}"

    out.append(
        f"{stamp()},301\tINFO worker.py:1771 -- Connecting to existing Ray cluster at address: 10.44.3.8:6379..."
    )
    out.append(f"{stamp()},311\tINFO worker.py:1942 -- Connected to Ray cluster. View the dashboard at 10.44.3.8:8265 ")
    for number in range(4):
        out.append(
            f"(SGLangEngine pid={pids[2 + number]}) Launch HttpServerEngineAdapter at: 10.44.3.8:{15000 + number * 3}"
        )
    for number in range(4):
        out.append(f"(SGLangEngine pid={pids[2 + number]}) [{stamp()} TP0] Load weight begin. avail mem=138.22 GB")
        out.append(
            f"(SGLangEngine pid={pids[2 + number]}) [{stamp()} TP0] Capture cuda graph end. Time elapsed: "
            f"{11 + rng.random() * 3:.2f} s. mem usage=1.62 GB. avail mem=31.04 GB."
        )
    out.append(
        f"{train}  successfully loaded checkpoint from /mnt/ckpt/Qwen3-4B_torch_dist [ t 1/1, p 1/1 ] at iteration 0"
    )
    step = 0
    for turn in range(68):
        began = now
        for _ in range(16):
            pid = rng.choice(pids[2:])
            now += timedelta(seconds=2 + rng.random() * 5)
            if rng.random() < 0.3:
                text = f"Prefill batch. #new-seq: {rng.randint(1, 16)}, #new-token: {rng.randint(120, 4000)}, #cached-token: "
                text += f"{rng.randint(0, 2000)}, token usage: {rng.random() * 0.2:.2f}, #running-req: {rng.randint(0, 60)}, #queue-req: 0, "
            else:
                run = rng.randint(6, 64)
                text = f"Decode batch. #running-req: {run}, #token: {run * rng.randint(900, 2100)}, token usage: "
                text += f"{run / 160:.2f}, cuda graph: True, gen throughput (token/s): {run * (71 + rng.random() * 14):.2f}, #queue-req: 0, "
            out.append(f"(SGLangEngine pid={pid}) [{stamp()} TP0] {text}")
        out.append(
            f"{roll} Rollout generation: 100%|██████████| 256/256 [{_span((now - began).total_seconds())}<00:00,  3.11it/s]"
        )
        reward = 0.67 - 0.41 * math.exp(-turn / 24) + rng.gauss(0, 0.018)
        length = 1120 + 6.5 * turn + rng.gauss(0, 35)
        took = (now - began).total_seconds()
        short = {"rollout/response_len/mean": length, "rollout/truncated_ratio": max(0.0, rng.gauss(0.02, 0.008))}
        out.append(
            f"{roll} perf {turn}: {short | {'perf/rollout_time': took, 'perf/tokens_per_gpu_per_sec': 256 * length / took / 4}}"
        )
        scores = {
            "rollout/raw_reward": reward,
            "rollout/rewards": rng.gauss(0, 1e-8),
            "rollout/advantages": rng.gauss(0, 1e-8),
        }
        scores |= {"rollout/log_probs": -0.31 + 0.001 * turn + rng.gauss(0, 0.006), "rollout/response_lengths": length}
        out.append(f"{train} rollout {turn}: {scores}")
        for _ in range(2):
            now += timedelta(seconds=19 + rng.random() * 3)
            here = {
                "train/loss": rng.gauss(0, 0.004),
                "train/pg_loss": rng.gauss(0, 0.004),
                "train/entropy_loss": 0.29 - 0.0011 * turn + rng.gauss(0, 0.005),
                "train/pg_clipfrac": abs(rng.gauss(0.0006, 0.0003)),
                "train/ppo_kl": abs(rng.gauss(0.0002, 0.0001)),
                "train/kl_loss": 0.0004 * turn + abs(rng.gauss(0, 0.0004)),
                "train/grad_norm": 0.33 + abs(rng.gauss(0, 0.05)),
                "train/lr-pg_0": 1e-06,
                "train/step": step,
            }
            out.append(f"{train} step {step}: {here}")
            rows.append(json.dumps({"_step": len(rows), "_timestamp": now.timestamp(), **here}))
            step += 1
        rows.append(
            json.dumps({"_step": len(rows), "_timestamp": now.timestamp(), "rollout/step": turn, **short, **scores})
        )
        out.append(f"{train} [{stamp()}] timer.py:24 - Timer train end (elapsed: {38 + rng.random() * 6:.1f}s)")
        out.append(f"{train} [{stamp()}] timer.py:24 - Timer update_weights end (elapsed: {2.1 + rng.random():.1f}s)")
        if turn % 10 == 9:
            level = 0.21 + 0.27 * (1 - math.exp(-turn / 25)) + rng.gauss(0, 0.01)
            now += timedelta(seconds=141)
            out.append(
                f"{roll} eval {turn}: {{'eval/chemsums-heldout': {level}, 'eval/chemsums-heldout-truncated_ratio': 0.015625}}"
            )
            rows.append(json.dumps({"_step": len(rows), "_timestamp": now.timestamp(), "eval/chemsums-heldout": level}))
            out.append(f"{train} saving checkpoint at iteration {turn:7d} to /mnt/ckpt/q3-4b-chem in torch_dist format")
            out.append(
                f"{train}   successfully saved checkpoint from iteration {turn:7d} to /mnt/ckpt/q3-4b-chem [ t 1/1, p 1/1 ]"
            )
    out.append(f"{train} saving checkpoint at iteration {67:7d} to /mnt/ckpt/q3-4b-chem in torch_dist format")
    out.append(
        f"{train}   successfully saved checkpoint from iteration {67:7d} to /mnt/ckpt/q3-4b-chem [ t 1/1, p 1/1 ]"
    )
    out += ["", "------------------------------------------", "Job 'raysubmit_q8VhZc3RkT1mWy2e' succeeded"]
    out += ["------------------------------------------", ""]
    (place / "ray_job.log").write_text("\n".join(out) + "\n")
    (place / "wandb_history.jsonl").write_text("\n".join(rows) + "\n")


def c05_diatoms(place: Path, rng: Random) -> None:
    """DINOv2 on one card, resumed well, then no step for hours while the card holds its memory and does nothing."""
    out: list[str] = []
    now = _clock("2024-07-30T22:10:44")

    def say(name: str, text: str, after: float) -> None:
        nonlocal now
        now += timedelta(seconds=after)
        out.append(f"I{now:%Y%m%d %H:%M:%S} 3316 dinov2 {name}] {text}")

    def smi(after: float, use: int, held: int, watts: float) -> None:
        nonlocal now
        now += timedelta(seconds=after)
        out.append(
            f"{now:%Y/%m/%d %H:%M:%S}.114, NVIDIA A40, {use} %, {held} MiB, 46068 MiB, {watts:.2f} W, {29 + (held > 4) * 6 + use // 4}"
        )

    out.append(
        "timestamp, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], power.draw [W], temperature.gpu"
    )
    smi(0, 0, 4, 21.7)
    say("config.py:59", "git:", 8)
    out.append("  sha: e1277af2ba9496fbadf7aec6eba56e8d882d1e35, status: has uncommitted changes, branch: diatoms")
    out.append("")
    say("config.py:60", "config_file: configs/vits14_diatoms.yaml", 0)
    say("config.py:60", "no_resume: False", 0)
    say("config.py:60", "output_dir: /data/plankton/dino/vits14_b", 0)
    say("config.py:26", "sqrt scaling learning rate; base: 0.004, new: 0.0014142135623730952", 0)
    say("ssl_meta_arch.py:43", "OPTIONS -- architecture : embed_dim: 384", 2)
    say("ssl_meta_arch.py:60", "OPTIONS -- DINO", 0)
    say("ssl_meta_arch.py:62", "OPTIONS -- DINO -- loss_weight: 1.0", 0)
    say("ssl_meta_arch.py:63", "OPTIONS -- DINO -- head_n_prototypes: 16384", 0)
    say("ssl_meta_arch.py:83", "OPTIONS -- IBOT -- loss_weight: 1.0", 0)
    say("ssl_meta_arch.py:120", "Student and Teacher are built: they are both vit_small network.", 0)
    say("ssl_meta_arch.py:383", "DISTRIBUTED FSDP -- preparing model for distributed training", 1)
    last = "/data/plankton/dino/vits14_b/model_0062499.rank_0.pth"
    out.append(
        f"I{now:%Y%m%d %H:%M:%S} 3316 fvcore.common.checkpoint checkpoint.py:150] [Checkpointer] Loading from {last} ..."
    )
    out += [
        f"I{now:%Y%m%d %H:%M:%S} 3316 fvcore.common.checkpoint checkpoint.py:153] Loading {part} from {last} ..."
        for part in ("optimizer", "iteration")
    ]
    say("loaders.py:83", 'using dataset: "ImageFolder:root=/mnt/nas/diatoms/tiles_518"', 5)
    say("loaders.py:88", "# of dataset samples: 1,204,771", 19)
    say("loaders.py:122", "sampler: sharded infinite", 0)
    say("loaders.py:205", "using PyTorch data loader", 0)
    say("loaders.py:220", "infinite data loader", 0)
    say("train.py:229", "Starting training from iteration 62500", 0)

    total, at = 125000, 62500
    means = {
        "total_loss": 8.93,
        "dino_local_crops_loss": 5.31,
        "dino_global_crops_loss": 0.66,
        "koleo_loss": -0.38,
        "ibot_loss": 3.34,
    }
    next_smi = now + timedelta(seconds=300)
    while at < 63690:
        now += timedelta(seconds=7.4 + rng.random())
        left = timedelta(seconds=int((total - at) * 0.78))
        text = f"Training  [{at:6d}/{total}]  eta: {left}  lr: {0.0007 - (at - 62500) * 1.6e-8:.4f} (0.0007)  wd: 0.2201 (0.2200)"
        text += "  mom: 0.9960 (0.9960)  last_layer_lr: 0.0007 (0.0007)  current_batch_size: 64.0000 (64.0000)"
        drift = 0.00012 * (at - 62500)
        for name, mean in means.items():
            text += f"  {name}: {mean - drift * (name == 'total_loss') + rng.gauss(0, 0.03):.4f} ({mean - drift / 2 * (name == 'total_loss'):.4f})"
        out.append(
            f"I{now:%Y%m%d %H:%M:%S} 3316 dinov2 helpers.py:103] {text}  time: {0.772 + rng.random() * 0.02:.6f}"
            f"  data: {0.0004 + rng.random() * 0.0009:.6f}  max mem: 31877"
        )
        at += 10
        if now >= next_smi:
            smi(1, rng.randint(88, 100), 34911, 271 + rng.random() * 20)
            next_smi += timedelta(seconds=300)
    now = next_smi - timedelta(seconds=300)
    for _ in range(92):
        smi(300, 0, 34911, 72.4 + rng.random() * 1.5)
    out.append("$ py-spy dump --pid 3316")
    out.append(
        "Process 3316: python dinov2/train/train.py --config-file configs/vits14_diatoms.yaml --output-dir /data/plankton/dino/vits14_b"
    )
    out.append("Python v3.9.18 (/opt/conda/envs/dinov2/bin/python3.9)")
    out.append("")
    out.append('Thread 3316 (idle): "MainThread"')
    frames = (
        "wait (threading.py:312)",
        "get (queue.py:171)",
        "_try_get_data (torch/utils/data/dataloader.py:1120)",
        "_get_data (torch/utils/data/dataloader.py:1283)",
        "_next_data (torch/utils/data/dataloader.py:1329)",
        "__next__ (torch/utils/data/dataloader.py:633)",
        "log_every (dinov2/logging/helpers.py:80)",
        "do_train (dinov2/train/train.py:234)",
        "main (dinov2/train/train.py:315)",
        "<module> (dinov2/train/train.py:320)",
    )
    out += ["    " + text for text in frames]
    out.append("$ ps -o pid,stat,wchan:24,etime,cmd --ppid 3316")
    out.append("    PID STAT WCHAN                        ELAPSED CMD")
    out += [
        f"   {3391 + number} D    rpc_wait_bit_killable       07:57:1{number} python dinov2/train/train.py --config-file co"
        for number in range(6)
    ]
    smi(210, 0, 34911, 72.9)
    (place / "vits14_b.resume2.log").write_text("\n".join(out) + "\n")


def c06_zeolite_chain(place: Path, rng: Random) -> None:
    """MACE in a chain of jobs; the second link begins again where the first began."""
    log: list[str] = []
    err: list[str] = []
    name = "zeo_l1_128_run-7"

    def part(begin: str, epochs: int, seed_shift: float) -> datetime:
        now = _clock(begin)

        def say(text: str, after: float = 0.0) -> None:
            nonlocal now
            now += timedelta(seconds=after * (1 + 0.01 * rng.random()) + rng.random() * 0.002)
            log.append(f"{now:%Y-%m-%d %H:%M:%S}.{now.microsecond // 1000:03d} INFO: {text}")

        say("===========VERIFYING SETTINGS===========")
        say("MACE version: 0.3.10")
        say("CUDA version: 12.4, CUDA device: 0", 0.3)
        say("===========LOADING INPUT DATA===========")
        say("Using heads: ['Default']")
        say("Using isolated atom energies from training file", 1.1)
        say(
            "Training set 1/1 [energy: 41210, stress: 0, virials: 0, dipole components: 0, head: Default]",
            63 + rng.random() * 9,
        )
        say("Validation set 1/1 [energy: 30388, stress: 0, virials: 0, head: Default]", 40)
        say("Total number of configurations: train=41210, valid=30388, tests=[]")
        say("==================MODEL DETAILS==================")
        say("Building model")
        say("Message passing with 128 channels and max_L=1 (128x0e+128x1o)")
        say("2 layers, each with correlation order: 3 (body order: 4) and spherical harmonics up to: l=3")
        say("Radial cutoff: 6.0 A (total receptive field for each atom: 12.0 A)")
        say("Average number of neighbors: 58.2144893", 20)
        say("Total number of parameters: 751896", 3)
        say("===========OPTIMIZER INFORMATION===========")
        say("Using ADAM as parameter optimizer")
        say("Batch size: 16")
        say("Number of gradient updates: 309075")
        say("Learning rate: 0.01, weight decay: 5e-07")
        say("\x1b[32m===========TRAINING===========\x1b[0m")
        say("Started training, reporting errors on validation set")
        say("Loss metrics on validation set")
        loss, energy, force = 3.8812, 911.42, 803.31
        text = "head: Default, loss={:12.8f}, RMSE_E_per_atom={:8.2f} meV, RMSE_F={:8.2f} meV / A"
        say("Initial: " + text.format(loss, energy, force), 1480 + rng.random() * 20)
        for epoch in range(epochs):
            fall = math.exp(-(epoch + 1) / 4) * 0.5 + 0.9 * math.exp(-(epoch + 1) / 1.1)
            loss = 0.0041 + 0.21 * fall + 0.012 * math.exp(-epoch / 30) + abs(rng.gauss(0, 0.0006)) + seed_shift
            energy = 2.1 + 60 * fall + abs(rng.gauss(0, 0.3))
            force = 24 + 420 * fall + 22 * math.exp(-epoch / 25) + rng.gauss(0, 0.5)
            say(f"Epoch {epoch}: " + text.format(loss, energy, force), 880 + 1480 + rng.random() * 45)
        return now

    def staging(job: int, node: str, begin: str) -> None:
        err.append("+ module load apptainer/1.3.4\n")
        err.append(f"++ sbatch --parsable --dependency=afterany:{job} chain.sbatch\n")
        err.append(f"+ NEXT={job + 17}\n")
        err.append(f"+ echo 'job {job} on {node}, next {job + 17}'\n")
        err.append("+ python stage.py /project/zeo/h5 /tmp/zeo\n")
        for done in range(0, 65, 4):
            pace = 3.1 + rng.random()
            line = f"\rshards: {done * 100 // 64:3d}%|\x1b[34m{_bar(done, 64)}\x1b[0m| {done}/64 "
            line += f"[{_span(done / pace)}<{_span((64 - done) / pace)}, {pace:5.2f}it/s]"
            err.append(line)
        err.append("\n")
        err.append(
            "+ apptainer exec --nv mace_0310.sif mace_run_train --name zeo_l1_128 --seed 7 --train_file /tmp/zeo/train "
        )
        err.append("--valid_file /tmp/zeo/valid --model MACE --num_channels 128 --max_L 1 --r_max 6.0 --batch_size 16 ")
        err.append(
            "--valid_batch_size 4 --max_num_epochs 120 --eval_interval 1 --lr 0.01 --device cuda --default_dtype float64\n"
        )
        err.append("\x1b[34mINFO:   \x1b[0m underlay of /etc/localtime required more than 50 (84) bind mounts\n")
        err.append(
            "/opt/mace/lib/python3.11/site-packages/e3nn/o3/_wigner.py:10: FutureWarning: You are using `torch.load` with "
        )
        err.append(
            "`weights_only=False` (the current default value), which uses the default pickle module implicitly.\n"
        )
        err.append(
            "  _Jd, _W3j_flat, _W3j_indices = torch.load(os.path.join(os.path.dirname(__file__), 'constants.pt'))\n"
        )
        err.append(
            f"cuequivariance or cuequivariance_torch is not available. Cuequivariance acceleration will be disabled. ({begin[:10]})\n"
        )

    staging(771204, "n2gpu1217", "2025-01-14")
    end = part("2025-01-14T11:31:07.204", 70, 0.0)
    stop = end + timedelta(seconds=1391)
    err.append(
        f"slurmstepd: error: *** JOB 771204 ON n2gpu1217 CANCELLED AT {stop:%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***\n"
    )
    again = stop + timedelta(seconds=3122)
    staging(771221, "n2gpu1204", f"{again:%Y-%m-%d}")
    part(f"{again:%Y-%m-%dT%H:%M:%S}.881", 47, 0.0001)
    (place / f"{name}.log").write_text("\n".join(log) + "\n")
    (place / "chain.err").write_text("".join(err))
