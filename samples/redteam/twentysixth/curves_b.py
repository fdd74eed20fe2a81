"""Curves c07 to c12 of the twenty-sixth set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from samples.redteam.seventeenth.pen import at, bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY: Final = 86400.0
HOUR: Final = 3600.0


def c07_perovskite(place: Path, rng: Random) -> None:
    """DeePMD with the torch backend; the job script strips the stamps from what dp prints."""
    out = [
        "module: loaded cuda/12.4.1 deepmd-kit/3.0.2",
    ]

    def say(words: str, level: str = "INFO") -> None:
        out.append(f"DEEPMD {level:<7} {words}")

    say("DeePMD version: 3.0.2")
    say("Configuration path: input.json")
    for art in (
        " _____               _____   __  __  _____           _     _  _   ",
        "|  __ \\             |  __ \\ |  \\/  ||  __ \\         | |   (_)| |  ",
        "| |  | |  ___   ___ | |__) || \\  / || |  | | ______ | | __ _ | |_ ",
        "| |  | | / _ \\ / _ \\|  ___/ | |\\/| || |  | ||______|| |/ /| || __|",
        "| |__| ||  __/|  __/| |     | |  | || |__| |        |   < | || |_ ",
        "|_____/  \\___| \\___||_|     |_|  |_||_____/         |_|\\_\\|_| \\__|",
        "Please read and cite:",
        "Wang, Zhang, Han and E, Comput.Phys.Comm. 228, 178-184 (2018)",
        "Zeng et al, J. Chem. Phys., 159, 054801 (2023)",
        "See https://deepmd.rtfd.io/credits/ for details.",
        "-" * 81,
        "installed to:          /sw/deepmd-kit/3.0.2/lib/python3.11/site-packages/deepmd",
        "source:                v3.0.2",
        "source commit:         c6d8e2a2",
        "use float prec:        double",
        "build variant:         cuda",
        "Backend:               PyTorch",
        "PT ver:                v2.6.0-g1eba9b3aa3c",
        "Enable custom OP:      True",
        "running on:            cn-0417",
        "computing device:      cuda:0",
        "CUDA_VISIBLE_DEVICES:  0",
        "Count of visible GPUs: 1",
        "num_intra_threads:     4",
        "num_inter_threads:     2",
        "-" * 81,
    ):
        say(art)
    say("Calculate neighbor statistics... (add --skip-neighbor-stat to skip this step)")
    say("training data with min nbor dist: 1.6211437788")
    say("training data with max nbor size: [ 18  22  61]")
    say("---Summary of DataSystem: training     " + "-" * 47)
    say("found 214 system(s):")
    say("                                        system  natoms  bch_sz   n_bch       prob  pbc")
    for i in range(12):
        sys_ = f"../md/CsPbI3_{300 + 25 * i}K/set_{rng.randrange(1, 20):02d}"
        say(f"{sys_:>46}     160       1    {rng.randrange(900, 2400):>4}  {rng.uniform(0.003, 0.006):.3e}    T")
    say("(202 more systems not shown)")
    say("-" * 86)
    say("Start to train 1000000 steps.")
    wall, bump, high = 0.0, 0.0, 0.0
    batch = 0
    for batch in range(0, 284000 + 1, 3000):
        shown = max(batch, 1)
        if batch in (39000, 102000, 198000):
            bump = {39000: 4.2, 102000: 9.5, 198000: 6.1}[batch]
        rate = 1e-3 * 0.95 ** (batch / 5000)
        factor = 1 + bump
        bump *= 0.22
        energy = (0.31 * math.exp(-batch / 24000) + 0.0042 + 0.014 * math.exp(-batch / 120000)) * rng.gauss(1, 0.09)
        force = (0.92 * math.exp(-batch / 16000) + 0.061 + 0.09 * math.exp(-batch / 110000)) * rng.gauss(1, 0.05)
        energy, force = energy * factor, force * factor
        share = rate / 1e-3
        total = math.sqrt((0.02 + 0.98 * (1 - share)) * energy**2 * 160 + (1 + 999 * share) * force**2)
        say(f"batch {shown:7d}: trn: rmse = {total:.2e}, rmse_e = {energy:.2e}, rmse_f = {force:.2e}, lr = {rate:.2e}")
        if batch:
            say(f"batch {shown:7d}: total wall time = {3000 * 0.0301 * rng.gauss(1, 0.01):.2f} s")
            wall += 90
        if batch and batch % 30000 == 0:
            say(f"Saved model to model.ckpt-{batch}.pt")
        high = max(high, total)
    put(place, "job-20931.out", out)
    err = [
        "/sw/deepmd-kit/3.0.2/lib/python3.11/site-packages/torch/utils/data/dataloader.py:617: UserWarning: This"
        " DataLoader will create 8 worker processes in total. Our suggested max number of worker in current system is"
        " 4, which is smaller than what this DataLoader is going to create.",
        "  warnings.warn(",
        "/var/spool/slurmd/job20931/slurm_script: line 17: 1184302 Killed                  "
        "dp --pt train input.json 2>&1",
        "     1184303 Done                    | sed -u 's/^\\[[^]]*\\] //'",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=20931.batch. Some of the step tasks have been OOM"
        " Killed.",
    ]
    put(place, "job-20931.err", err)


def c08_radio(place: Path, rng: Random) -> None:
    """Icefall's zipformer on radio; stamps cut off, losses in thousandths of a nat, the rate in millionths."""
    out: list[str] = []
    full = 5120

    def say(line: str, words: str, level: str = "INFO") -> None:
        out.append(f"{level} [{line}] (0/4) {words}")

    names = [
        f"encoder.encoders.{s}.{'encoder.' if s else ''}layers.{k}.{part}"
        for s in range(6)
        for k in range(2)
        for part in (
            "conv_module1.balancer1.prob",
            "feed_forward2.out_proj.dropout_p",
            "bypass.skip_rate",
            "attention_skip_rate",
            "ff3_skip_rate",
            "self_attn_weights.pos_emb_skip_rate",
        )
    ]

    def start(restarts: int, node: str) -> None:
        out.append(f"[wrap] job 771402 name=zip-radio partition=scavenge node={node} SLURM_RESTART_COUNT={restarts}")
        say("train.py:1204", "Training started")
        say("train.py:1214", "Device: cuda:0")
        say(
            "train.py:1226",
            "{'best_train_loss': inf, 'best_valid_loss': inf, 'best_train_epoch': -1, 'best_valid_epoch': -1,"
            " 'batch_idx_train': 0, 'log_interval': 50, 'reset_interval': 200, 'valid_interval': 3000, 'world_size': 4,"
            f" 'num_epochs': 6, 'start_epoch': 1, 'start_batch': {0 if not restarts else 16000},"
            " 'exp_dir': PosixPath('zipformer/exp-radio'), 'base_lr': 0.045, 'max_duration': 900, 'use_fp16': True,"
            f" 'loss_unit': 'mnat', 'lr_unit': 'ppm', 'hostname': '{node}'}}",
        )
        say("train.py:1228", "About to create model")
        say("train.py:1232", "Number of model parameters: 65549011")

    def lessons(first: int, last: int) -> None:
        for n in range(first, last, 50):
            epoch, inside = n // full + 1, n % full
            for name in sorted(rng.sample(names, rng.randrange(9, 13) if n % 100 == 0 else 2)):
                answer = rng.choice(("0.0", "0.125", "0.1", "0.2", "0.07"))
                say(
                    "scaling.py:214",
                    f"ScheduledFloat: name={name}, batch_count={n * 4 / 3 + rng.randrange(40):.1f}, ans={answer}",
                )
            if n % 300 == 0 and n:
                quart = sorted(rng.gauss(1, 0.22) * 190 for _ in range(5))
                out.append(
                    "WARNING [optim.py:487] (0/4) Clipping_scale=2.0, grad-norm quartiles "
                    + " ".join(f"{q:.3e}" for q in quart)
                    + f", threshold={quart[2] * 2:.3e}, percent-clipped={rng.choice((0, 0, 1, 2))}.0"
                )
            simple = falls(rng, n, 7.4, 0.235, 900, 0.01)
            one, tot = simple * rng.gauss(1, 0.07), simple
            rate = 0.045 * ((n**2 + 7500**2) / 7500**2) ** -0.25 * ((epoch**2 + 3.5**2) / 3.5**2) ** -0.25
            rate *= min(1, 0.5 + n / 1000)
            say(
                "train.py:1034",
                f"Epoch {epoch}, batch {inside}, loss[loss={one * 870:.1f} mnat, simple_loss={one * 1000:.1f} mnat,"
                f" pruned_loss={one * 370:.1f} mnat, over {rng.randrange(21000, 24400)}.00 frames. ],"
                f" tot_loss[loss={tot * 870:.1f} mnat, simple_loss={tot * 1000:.1f} mnat, pruned_loss={tot * 370:.1f}"
                f" mnat, over {min(n % full, 200) * 22800 + rng.randrange(22000)}.{rng.randrange(100):02d} frames. ],"
                f" batch size: {rng.randrange(48, 160)}, lr: {rate * 1e6:.0f} ppm, grad_scale:"
                f" 2^{min(5, n // 2000)}, {rng.gauss(0.98, 0.02):.3f} h audio/s",
            )
            if n and n % 3000 == 0:
                valid = falls(rng, n, 6.1, 0.228, 900, 0.004)
                say("train.py:1057", "Computing validation loss")
                say(
                    "train.py:1066",
                    f"Epoch {epoch}, validation: loss={valid * 850:.1f} mnat, simple_loss={valid * 980:.1f} mnat,"
                    f" pruned_loss={valid * 360:.1f} mnat, over 1204417.00 frames. ",
                )
                say("train.py:1067", "Maximum memory allocated so far is 0.0301 TB")
            if n and n % 4000 == 0:
                say("checkpoint.py:75", f"Saving checkpoint to zipformer/exp-radio/checkpoint-{n}.pt")
            if inside + 50 >= full:
                say("checkpoint.py:75", f"Saving checkpoint to zipformer/exp-radio/epoch-{epoch}.pt")

    start(0, "sv-gpu-31")
    say("asr_datamodule.py:412", "About to get train cuts")
    say("asr_datamodule.py:224", "Enable MUSAN")
    say("asr_datamodule.py:249", "Enable SpecAugment")
    say("asr_datamodule.py:311", "Using DynamicBucketingSampler.")
    say("train.py:1392", "Sanity check -- see if any of the batches in epoch 1 would cause OOM.")
    say("train.py:1418", "Maximum memory allocated so far is 0.0298 TB")
    lessons(0, 17250)
    out += [
        "[wrap] signal TERM from slurmctld, 90 s grace: job 771402 preempted by 774960 (partition=owner,"
        " QOS=owner-high)",
        "[wrap] PreemptMode=REQUEUE, leaving it to the controller",
        "slurmstepd: error: *** STEP 771402.0 ON sv-gpu-31 CANCELLED DUE TO PREEMPTION ***",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    ]
    start(1, "sv-gpu-08")
    say("checkpoint.py:112", "Loading checkpoint from zipformer/exp-radio/checkpoint-16000.pt")
    say("train.py:1265", "Loading optimizer state dict")
    say("train.py:1273", "Loading scheduler state dict")
    say("asr_datamodule.py:412", "About to get train cuts")
    say("asr_datamodule.py:224", "Enable MUSAN")
    say("asr_datamodule.py:249", "Enable SpecAugment")
    say("asr_datamodule.py:311", "Using DynamicBucketingSampler.")
    say("train.py:1334", "Loading grad scaler state dict")
    lessons(16000, 6 * full)
    say("train.py:1371", "Done!")
    out.append("[wrap] job 771402 exit 0")
    put(place, "zip-radio.log", out)


def c09_postmortems(place: Path, rng: Random) -> None:
    """EasyDeL on four hosts, tuned on reports of outages; a script beside it asks NCCL when nothing moves."""
    t = 3 * DAY + 21 * HOUR + 14 * 60 + 8.0
    out: list[str] = []

    def say(who: str, words: str) -> None:
        out.append(f"({clock(t, '%H:%M:%S')} {who}) {words}")

    def glog(level: str, where: str, words: str) -> None:
        out.append(f"{level}{clock(t, '%m%d %H:%M:%S')}.{int(t % 1 * 1e6):06d}   71011 {where}] {words}")

    out.append(f"+ srun -N4 --ntasks-per-node=1 python -m postmortem.sft   # job 55120, {clock(t)}, log of task 0 only")
    t += 6.218
    glog(
        "E",
        "cuda_dnn.cc:8579",
        "Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN"
        " when one has already been registered",
    )
    glog(
        "E",
        "cuda_blas.cc:1407",
        "Unable to register cuBLAS factory: Attempting to register factory for plugin"
        " cuBLAS when one has already been registered",
    )
    glog(
        "W",
        "computation_placer.cc:177",
        "computation placer already registered. Please check linkage and avoid linking the same target more than once.",
    )
    t += 22.4
    say("SFTTrainer", "jax.distributed: process 0 of 4, local devices 8, global devices 32 (NVIDIA H100 80GB HBM3)")
    say(
        "SFTTrainer",
        "Loaded 48211 rows from s3://sre-corpus/fatal-outages-2019-2025 (tags: crash, panic, killed, hang)",
    )
    say("SFTTrainer", "dropped 19 rows: 'segfault' dumps without text")
    t += 48.9
    say("EasyDeLBaseModule", "Sharding Qwen3ForCausalLM over mesh (dp=1, fsdp=32, ep=1, tp=1, sp=1)")
    t += 31
    say("BaseTrainer", "initialize_arguments Done, Initialize Dataloaders")
    say("BaseTrainer", "max_training_steps: 1506, log_steps: 10, save_steps: 400")
    t += 74.1
    glog(
        "W",
        "hlo_rematerialization.cc:3005",
        "Can't reduce memory use below 52.18GiB (56028168192 bytes) by"
        " rematerialization; only reduced to 55.02GiB (59077353472 bytes), down from 61.37GiB (65895321600 bytes)"
        " originally",
    )
    t += 51
    say("BaseTrainer", "Compiled training step in 125.33 s")
    begin, ms = t, 3.914
    for step in range(10, 1031, 10):
        t += 10 * ms * rng.gauss(1, 0.004)
        loss = falls(rng, step, 1.93, 1.21, 130, 0.012)
        rate = 1e-5 * (step / 50 if step < 50 else 0.5 * (1 + math.cos(math.pi * (step - 50) / 1456)))
        run = ms * rng.gauss(1, 0.003)
        say(
            "TrainerMetrics",
            f"{{'train/epoch': {step / 753:.4f}, 'train/learning_rate': {rate:.4e}, 'train/loss': {loss:.5f},"
            f" 'train/perplexity': {math.exp(loss):.4f}, 'train/train_step': {step}, 'train/max_grad_norm':"
            f" {rng.gauss(0.71, 0.05):.4f}, 'performance/execution_time': {run:.4f}, 'performance/throughput':"
            f" {262144 / run:.1f}, 'performance/total_time': {t - begin:.1f}}}",
        )
        if step % 400 == 0:
            t += 41
            say("BaseTrainer", f"saved state to /lustre/pm/run-{step}")
    hung = t + 4 * ms
    node = ("10.61.0.21", "10.61.0.22", "10.61.0.23", "10.61.0.24")
    for late in range(900, 10801, 900):
        t = hung + late
        out.append(
            f"[beside {clock(t)}] last line of the trainer {int(t - hung + 4 * ms)} s ago; pids 4/4 alive; GPU util %:"
            f" {' '.join(['100x8', '100x8', '100,100,100,100,100,0,100,100', '100x8'])}; W mean"
            f" {rng.gauss(152, 1):.0f}, {node[2]} gpu5 {rng.gauss(114, 1):.0f}"
        )
        if late == 2700:
            out += [
                f"[beside {clock(t)}] ncclras -v",
                "NCCL version 2.27.7 compiled with CUDA 12.9",
                "CUDA runtime version 12090, driver version 12080",
                "",
                "Job summary",
                "===========",
                "",
                "  Nodes  Processes         GPUs  Processes     GPUs",
                "(total)   per node  per process    (total)  (total)",
                "      4          1            8          4       32",
                "",
                "Communicators... (0.00s)",
                "=============",
                "",
                "Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors",
                "    #  in group  per comm  per node  per comm  in group",
                "    0         1         4         8        32        32   RUNNING  MISMATCH",
                "",
                "Errors",
                "======",
                "",
                "#0-0 (8d3f09c1a74e22b6) MISMATCH",
                "  Communicator ranks have different collective operation counts",
                "  31 ranks have launched up to operation 487311",
                "  1 rank has launched up to operation 487310",
                f"  Rank 21 -- GPU 5 managed by process 70874 on node {node[2]}",
                "",
            ]
    t += 260
    stamp = at(t).strftime("%Y-%m-%dT%H:%M:%S")
    out += [
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 55120.0 ON hg-021 CANCELLED AT {stamp} ***",
    ]
    put(place, "pm-sft-55120.log", out)


def c10_recipes(place: Path, rng: Random) -> None:
    """LitGPT, LoRA on recipes, within a site that talks a lot."""
    t = 1 * DAY + 10 * HOUR + 31 * 60 + 15.0
    out = [
        "********************************************************************",
        "*  Welcome to TRONDAL HPC. Scratch is purged every 30 days.        *",
        "*  Maintenance window: Thu 12 Nov 06:00-18:00, jobs will be held.  *",
        "********************************************************************",
        "Loading gcc/13.2.0",
        "Loading cuda/12.4.0",
        "  WARNING: cuda/12.4.0 replaces cuda/11.8.0 (default)",
        f"job 90733 starts on trd-g05 {clock(t, '%a %b %e %H:%M:%S CET %Y')}",
        "quota: /home 71% used, /scratch 2.1T of 5T",
        "Thu is backup day: expect slow /home",
    ]
    t += 37
    out += [
        "{'checkpoint_dir': PosixPath('checkpoints/meta-llama/Llama-3.2-1B'),",
        " 'data': JSON(json_path=PosixPath('recipes_no.json'), mask_prompt=False, val_split_fraction=0.05),",
        " 'devices': 1, 'lora_alpha': 16, 'lora_dropout': 0.05, 'lora_r': 8, 'num_nodes': 1,",
        " 'out_dir': PosixPath('out/recipes'), 'precision': 'bf16-true', 'seed': 1337,",
        " 'train': TrainArgs(save_interval=400, log_interval=40, global_batch_size=16, micro_batch_size=4, epochs=2)}",
        "Number of trainable parameters: 851,968",
        "Number of non-trainable parameters: 1,235,814,400",
        "The longest sequence length in the train data is 1024, the model's maximum sequence length is 1024 and context"
        " length is 131072",
        "Verifying settings ...",
    ]
    every = 412
    for it in range(40, 2 * every + 1, 40):
        loss = falls(rng, it, 2.31, 1.28, 110, 0.03)
        epoch = (it - 1) // every + 1
        mark = " (step)" if it % 4 == 0 else ""
        out.append(
            f"Epoch {epoch} | iter {it} step {it // 4} | loss train: {loss:.3f}, val: "
            f"{'n/a' if it <= 400 else '1.396'} | iter time: {rng.gauss(288, 7):.2f} ms{mark}"
        )
        if it == 400:
            out.append("iter 400: val loss 1.3957, val time: 6120.44 ms")
    out += [
        "",
        "| ------------------------------------------------------",
        "| Token Counts",
        "| - Input Tokens              :  874112",
        "| - Tokens w/ Prompt          :  1160447",
        "| - Total Tokens (w/ Padding) :  1502208",
        "| -----------------------------------------------------",
        "| Performance",
        "| - Training Time             :  249.87 s",
        "| - Tok/sec                   :  6011.96 tok/s",
        "| -----------------------------------------------------",
        "| Memory Usage",
        "| - Memory Used               :  13.92 GB",
        "=======================================================",
        "Final evaluation | val loss: 1.341 | val ppl: 3.823",
        "Saved merged weights to 'out/recipes/final/lit_model.pth'",
    ]
    t += 322
    out.append(f"job 90733 ends {clock(t, '%a %b %e %H:%M:%S CET %Y')}, rc 0, thank you for using TRONDAL")
    err = [
        "bash: /etc/profile.d/lmod_cache.sh: No such file or directory",
        "Seed set to 1337",
        "/scratch/ida/venv/lib/python3.11/site-packages/lightning/fabric/plugins/environments/slurm.py:204: The `srun`"
        " command is available on your system but is not used.",
        "xauth:  file /home/ida/.Xauthority does not exist",
        "bash: warning: setlocale: LC_ALL: cannot change locale (nb_NO.UTF-8)",
    ]
    put(place, "slurm-90733.out", out)
    put(place, "slurm-90733.err", err)


def c11_tall(place: Path, rng: Random) -> None:
    """llm.c, a large model on one old card, two minutes a step; only the end of the log was kept."""
    out = []
    total, span = 240, 127.9
    for step in range(205, total + 1):
        loss = 2.9412 - 0.062 * (step - 190) / 50 + rng.gauss(0, 0.021)
        took, norm = rng.gauss(span, 0.22) * 1000, rng.gauss(0.412, 0.02)
        rate = 3e-5 * (0.5 * (1 + math.cos(math.pi * step / total)))
        out.append(
            f"step {step:4d}/{total} | loss {loss:.6f} "
            f"({(loss - 2.9412 + 0.062 * (step - 254) / 50) / 0.051:+.2f}z)| norm"
            f" {norm:.4f} ({(norm - 0.414) / 0.021:+.2f}z)| lr {rate:.2e} | {took:.2f} ms |"
            f" {17.1 * span * 1000 / took:.1f}% bf16 MFU | {round(524288 / span + rng.gauss(0, 2))} tok/s"
        )
        if step % 20 == 0:
            out.append(f"val loss {2.972 - 0.0011 * (step - 180) * 0.9 + rng.gauss(0, 0.0008):.6f}")
    out += [
        "HellaSwag: 3731/10042 = 0.371540",
        "Writing model to log_large_letters/model_00000240.bin",
        "Writing state to log_large_letters/state_00000240_00000.bin",
        f"total average iteration time: {span * 1000 + 11.402:.6f} ms",
    ]
    put(place, "large_letters.log", out)
    whole = span * total + 1904
    put(
        place,
        "large_letters.err",
        [
            "nohup: ignoring input",
            "",
            f"real\t{int(whole // 60)}m{whole % 60:.3f}s",
            f"user\t{int(whole // 60) - 6}m12.881s",
            "sys\t37m2.190s",
        ],
    )


def c12_calls(place: Path, rng: Random) -> None:
    """NeMo 1.x on harbour radio; taken off its node twice, and waiting at the end."""
    t = 2 * DAY + 1 * HOUR + 48 * 60 + 3.0
    out: list[str] = []
    total = 1312
    said = (
        (
            "fatal collision reported east of the pier send the lifeboat",
            "fatal collision reported east of the peer send the life boat",
        ),
        ("engine killed we are dead in the water over", "engine killed we are dead in the water over"),
        ("repeat error in my last position", "repeat air or in my last position"),
        (
            "out of memory cards for the plotter no chart on board",
            "out of memory cards for the plot or no chart on board",
        ),
        ("crash stop crash stop full astern", "crash stop crash stop full a stern"),
        ("aborting the approach because of the swell", "aborting the approach because of the swell"),
        ("fire in the pump room two men lost contact", "fire in the pump room two men lost contact"),
        ("mayday segment four is flooded the pump failed", "may day segment four is flooded the pump failed"),
    )

    def nemo(where: str, words: str, level: str = "I") -> None:
        out.append(f"[NeMo {level} {clock(t, '%Y-%m-%d %H:%M:%S')} {where}] {words}")

    def epoch(number: int, first: int, last: int, best: float) -> float:
        nonlocal t
        begin, pace = t - first * 0.94, 0.94
        for step in range(first + 20, last + 1, 20):
            t += 20 * pace * rng.gauss(1, 0.01)
            here = number * total + step
            loss = falls(rng, here, 118, 11.5, 4200, 0.03)
            out.append(
                f"Epoch {number}: {int(100 * step / (total + 77)):3d}%|{bar(step, total + 77)}| {step}/{total + 77}"
                f" [{hms(t - begin)}<{hms((total + 77 - step) * pace)},  {1 / pace * rng.gauss(1, 0.006):.2f}it/s,"
                f" loss={loss:.3g}, v_num=2-17]"
            )
            if step % 200 == 0:
                truth, guess = rng.choice(said)
                out.append("")
                nemo("wer_bpe:302", "")
                out.append("")
                nemo("wer_bpe:303", f"reference:{truth}")
                nemo("wer_bpe:304", f"predicted:{guess}")
        if last < total:
            return best
        for done in range(11, 78, 11):
            t += 5.2
            out.append(
                f"Validation DataLoader 0: {100 * done // 77:3d}%|{bar(done, 77)}| {done}/77 [{hms(done * 0.47)}<"
                f"{hms((77 - done) * 0.47)},  2.11it/s]"
            )
        wer = 0.131 + 0.42 * math.exp(-number / 4.5) + rng.gauss(0, 0.002)
        home = "/results/harbour_conformer/checkpoints/harbour_conformer"
        if wer < best:
            out.append(
                f"Epoch {number}, global step {(number + 1) * total}: 'val_wer' reached {wer:.5f} (best {wer:.5f}),"
                f" saving model to '{home}--val_wer={wer:.4f}-epoch={number}.ckpt' as top 3"
            )
        else:
            out.append(f"Epoch {number}, global step {(number + 1) * total}: 'val_wer' was not in top 3")
        return min(best, wer)

    def again(number: int, node: str) -> None:
        nonlocal t
        out.append(f"slurm: job 61190 (harbour) begins on {node}, restarts={number} {clock(t, '%Y-%m-%dT%H:%M:%S')}")
        t += 38
        nemo("nemo_logging:349", "<string>:1: DeprecationWarning: invalid escape sequence in transcript cleaner", "W")
        t += 6
        nemo("exp_manager:394", "Experiments will be logged at /results/harbour_conformer")
        nemo("exp_manager:660", "Resuming from /results/harbour_conformer/checkpoints/harbour_conformer-last.ckpt")
        out.append("GPU available: True (cuda), used: True")
        t += 9
        nemo("mixins:170", "Tokenizer SentencePieceTokenizer initialized with 512 tokens")
        nemo("collections:196", "Dataset loaded with 302114 files totalling 411.20 hours")
        nemo("collections:197", "1880 files were filtered totalling 14.02 hours")
        t += 21
        out.append("Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/4")
        t += 14
        out.append(
            "Restoring states from the checkpoint path at /results/harbour_conformer/checkpoints/"
            "harbour_conformer-last.ckpt"
        )
        nemo("modelPT:721", "Optimizer config = AdamW, lr: 0.0014, weight_decay: 0.001")
        out.append(
            "Restored all states from the checkpoint at /results/harbour_conformer/checkpoints/"
            "harbour_conformer-last.ckpt"
        )
        t += 12

    def taken(node: str) -> None:
        nonlocal t
        t += 11
        stamp = clock(t, "%Y-%m-%dT%H:%M:%S")
        out.append(f"slurmstepd: error: *** STEP 61190.0 ON {node} CANCELLED AT {stamp} DUE TO PREEMPTION ***")
        out.append("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
        out.append(f"slurmstepd: error: *** JOB 61190 ON {node} CANCELLED AT {stamp} DUE TO PREEMPTION ***")

    best = epoch(4, 640, total, 0.3401)
    best = epoch(5, 0, total, best)
    best = epoch(6, 0, total, best)
    epoch(7, 0, 480, best)
    taken("lab-a100-03")
    t += 2 * HOUR + 551
    again(1, "lab-a100-11")
    best = epoch(7, 0, total, best)
    best = epoch(8, 0, total, best)
    epoch(9, 0, 900, best)
    taken("lab-a100-11")
    put(place, "harbour-61190.log", out)
