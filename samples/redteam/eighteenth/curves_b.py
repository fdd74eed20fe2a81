"""The last nine curves of the eighteenth set, SIMULATED: each says which family it is and why the logs show it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from samples.redteam.seventeenth.pen import clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

HOUR: Final = 3600.0
DAY: Final = 24 * HOUR


def c10(place: Path, rng: Random) -> None:
    """E3: the rate of a detectron2 run is zero from iteration 1000 on, so 30000 iterations later nothing was learnt."""
    now = 1 * DAY + 16.2 * HOUR
    began = now

    def says(name: str, text: str, level: str = "INFO") -> str:
        return f"[{clock(now, '%m/%d %H:%M:%S')}] {name} {level}: {text}"

    heads = []
    for rank in range(4):
        heads.append(
            [
                says("detectron2", f"Rank of current process: {rank}. World size: 4"),
                says("detectron2", "Environment info:"),
                "----------------------  ---------------------------------------------------------------",
                "sys.platform            linux",
                "Python                  3.10.14 (main, May  6 2024, 19:42:50) [GCC 11.2.0]",
                "numpy                   1.26.4",
                "detectron2              0.6 @/opt/detectron2/detectron2",
                "Compiler                GCC 11.4",
                "CUDA compiler           CUDA 12.1",
                "PyTorch                 2.1.2+cu121 @/opt/conda/lib/python3.10/site-packages/torch",
                "PyTorch debug build     False",
                "GPU available           Yes",
                "GPU 0,1,2,3             NVIDIA RTX A6000 (arch=8.6)",
                "Pillow                  9.5.0",
                "fvcore                  0.1.5.post20221221",
                "iopath                  0.1.9",
                "----------------------  ---------------------------------------------------------------",
                says(
                    "detectron2",
                    "Command line arguments: Namespace(config_file='projects/weld/mask_rcnn_weld.py', "
                    "resume=False, eval_only=False, num_gpus=4, num_machines=1, machine_rank=0, "
                    "dist_url='tcp://127.0.0.1:49152', opts=[])",
                ),
            ]
        )
        now += 0.01
    lines = heads[0]
    now += 14
    lines += [
        says("detectron2", "Full config saved to ./output/weld_r50/config.yaml"),
        says("d2.utils.env", "Using a generated random seed 14088723"),
        says("d2.data.build", "Removed 41 images with no usable annotations. 11873 images left."),
        says("d2.data.build", "Using training sampler TrainingSampler"),
        says("d2.data.common", "Serializing 11873 elements to byte tensors and concatenating them all ..."),
        says("d2.data.common", "Serialized dataset takes 38.17 MiB"),
        says(
            "fvcore.common.checkpoint", "[Checkpointer] Loading from detectron2://ImageNetPretrained/MSRA/R-50.pkl ..."
        ),
        says("fvcore.common.checkpoint", "Reading a file from 'torchvision'"),
        says("d2.engine.train_loop", "Starting training from iteration 0"),
    ]
    ap = {"bbox": (2.1437, 6.8821, 0.6023), "segm": (1.4820, 5.2117, 0.3191)}
    last = 0
    for it in range(19, 36_000, 20):
        now += 20 * 0.2893 + rng.gauss(0, 0.06)
        eff = min(it, 900)
        warm = 0.02 * min(1.0, it / 100)
        lr = warm * 0.5 * (1 + math.cos(math.pi * min(1.0, it / 1000)))
        parts = {
            "loss_cls": falls(rng, eff, 1.92, 0.46, 300, 0.06),
            "loss_box_reg": 0.11 + 0.33 * (1 - math.exp(-eff / 350)) + rng.gauss(0, 0.02),
            "loss_mask": falls(rng, eff, 0.693, 0.58, 400, 0.015),
            "loss_rpn_cls": falls(rng, eff, 0.69, 0.14, 150, 0.08),
            "loss_rpn_loc": 0.121 + rng.gauss(0, 0.011),
        }
        total = sum(parts.values()) + rng.gauss(0, 0.01)
        words = "  ".join(f"{k}: {v:.4g}" for k, v in {"total_loss": total, **parts}.items())
        data = 0.0081 + abs(rng.gauss(0, 0.001))
        lines.append(
            says(
                "d2.utils.events",
                f" iter: {it}  {words}  time: {0.2893 + rng.gauss(0, 0.0002):.4f}  last_time: "
                f"{0.289 + rng.gauss(0, 0.008):.4f}  data_time: {data:.4f}  last_data_time: "
                f"{data + abs(rng.gauss(0, 0.0006)):.4f}   lr: {lr:.5g}  max_mem: 6128M",
            )
        )
        if (it + 1) // 6000 > last:
            last = (it + 1) // 6000
            lines.append(says("fvcore.common.checkpoint", f"Saving checkpoint to ./output/weld_r50/model_{it:07d}.pth"))
            now += 2
            lines.append(says("d2.data.common", "Serialized dataset takes 4.29 MiB"))
            lines.append(says("d2.evaluation.evaluator", "Start inference on 335 batches"))
            now += 31
            lines += [
                says(
                    "d2.evaluation.evaluator",
                    "Total inference time: 0:00:30.118231 (0.091267 s / iter per device, on 4 devices)",
                ),
                says("d2.evaluation.coco_evaluation", "Preparing results for COCO format ..."),
                says(
                    "d2.evaluation.coco_evaluation", "Saving results to ./output/weld_r50/coco_instances_results.json"
                ),
                says("d2.evaluation.coco_evaluation", "Evaluating predictions with unofficial COCO API..."),
            ]
            for task, three in ap.items():
                now += 1
                lines += [
                    says("d2.evaluation.coco_evaluation", f"Evaluation results for {task}: "),
                    "|  AP   |  AP50  |  AP75  |  APs  |  APm  |  APl  |",
                    "|:-----:|:------:|:------:|:-----:|:-----:|:-----:|",
                    f"| {three[0]:.3f} | {three[1]:.3f}  | {three[2]:.3f}  | 0.413 | 2.297 | 3.906 |",
                ]
            for task, three in ap.items():
                lines += [
                    says("d2.evaluation.testing", f"copypaste: Task: {task}"),
                    says("d2.evaluation.testing", "copypaste: AP,AP50,AP75,APs,APm,APl"),
                    says(
                        "d2.evaluation.testing",
                        "copypaste: " + ",".join(f"{v:.4f}" for v in three) + ",0.4128,2.2971,3.9064",
                    ),
                ]
    spent = now - began - 20
    lines += [
        says("d2.engine.hooks", f"Overall training speed: 35998 iterations in {hms(35_998 * 0.2893)} (0.2893 s / it)"),
        says("d2.engine.hooks", f"Total training time: {hms(spent)} ({hms(spent - 35_998 * 0.2893)} on hooks)"),
    ]
    put(place, "output/weld_r50/log.txt", lines)
    ended = now
    for rank in (1, 2, 3):
        now = began + 14
        rows = heads[rank] + [
            says("d2.data.common", "Serialized dataset takes 38.17 MiB"),
            says("d2.engine.train_loop", "Starting training from iteration 0"),
        ]
        if rank == 2:
            now = began + 3120
            rows += [
                says(
                    "weld.mapper",
                    "read of /nfs/weld/images/s3/004417.png failed: [Errno 116] Stale file handle",
                    "WARNING",
                ),
                says("weld.mapper", "read of /nfs/weld/images/s3/004417.png: ok after 2 retries", "WARNING"),
            ]
        now = ended
        rows.append(
            says(
                "d2.engine.hooks", f"Overall training speed: 35998 iterations in {hms(35_998 * 0.2893)} (0.2893 s / it)"
            )
        )
        put(place, f"output/weld_r50/log.txt.rank{rank}", rows)


def c11(place: Path, rng: Random) -> None:
    """Cannot decide: 24 of 1500 epochs of an Isaac Lab run are written, then the text ends; nothing says why."""
    grey, off = "\x1b[33m", "\x1b[0m"
    lines = [
        "[INFO] Using python from: /workspace/isaaclab/_isaac_sim/python.sh",
        "[INFO][AppLauncher]: Loading experience file: /workspace/isaaclab/apps/isaaclab.python.headless.kit",
        "Loading user config located at: '/isaac-sim/kit/data/Kit/Isaac-Sim/4.2/user.config.json'",
        "[Info] [carb] Logging to file: /isaac-sim/kit/logs/Kit/Isaac-Sim/4.2/kit_20261105_091422.log",
        f"2026-11-05 09:14:24 [2,181ms] {grey}[Warning] [omni.platforminfo.plugin] failed to open "
        "the default display.  "
        f"Can't verify X Server version.{off}",
        f"2026-11-05 09:14:31 [9,407ms] {grey}[Warning] [omni.usd_config.extension] Enable "
        "omni.materialx.libs extension "
        f"to use MaterialX{off}",
        "[INFO]: Parsing configuration from: omni.isaac.lab_tasks.manager_based.locomotion.velocity.config.anymal_c."
        "rough_env_cfg:AnymalCRoughEnvCfg",
        "[INFO]: Base environment:",
        "\tEnvironment device    : cuda:0",
        "\tEnvironment seed      : 42",
        "\tPhysics step-size     : 0.005",
        "\tRendering step-size   : 0.02",
        "\tEnvironment step-size : 0.02",
        "[INFO]: Time taken for scene creation : 9.412633 seconds",
        "[INFO]: Starting the simulation. This may take a few seconds. Please wait...",
        "[INFO]: Time taken for simulation start : 6.908120 seconds",
        "[INFO]: Completed setting up the environment...",
        "self.seed = 42",
        "Started to train",
        "Exact experiment name requested from command line: 2026-11-05_09-15-02",
        "current training device: cuda:0",
        "build mlp: 235",
        "RunningMeanStd:  (1,)",
        "RunningMeanStd:  (235,)",
    ]
    for epoch in range(1, 25):
        step = rng.gauss(71_400, 900)
        lines.append(
            f"fps step: {step:.0f} fps step and policy inference: {step * 0.962:.0f} fps total: "
            f"{step * 0.781 + rng.gauss(0, 150):.0f} epoch: {epoch}/1500 frames: {(epoch - 1) * 98_304}"
        )
    put(place, "anymal_rough.log", lines)


def c12(place: Path, rng: Random) -> None:
    """Outside: the quota of the disk is used up, and the event writer of a CleanRL run raises what it met."""
    at = "/home/s2214/miniforge3/envs/crl/lib/python3.10/site-packages"
    lines = []
    step, gone, ended = 0, 0.0, 0
    while step < 262_144:
        step += 2048
        while ended + 1000 <= step:
            ended += 1000
            skill = 1840 * (1 - math.exp(-ended / 110_000)) - 390 * math.exp(-ended / 24_000)
            score = skill * (1 + rng.gauss(0, 0.06)) + rng.gauss(0, 24)
            lines.append(f"global_step={ended}, episodic_return=[{score:.4f}]")
        gone += 2048 / 312 * (1 + rng.gauss(0, 0.03))
        lines.append(f"SPS: {int(step / (gone + 2))}")
    put(place, "ppo_continuous-HalfCheetah-v4-s3.out", lines[:-1])
    err = [
        "wandb: Currently logged in as: s2214 (uni-robotics). Use `wandb login --relogin` to force relogin",
        "wandb: Tracking run with wandb version 0.17.9",
        "wandb: Run data is saved locally in /home/s2214/cleanrl/wandb/run-20261103_221409-8h2k1q0z",
        "wandb: Run `wandb offline` to turn off syncing.",
        "wandb: Syncing run HalfCheetah-v4__ppo_continuous_action__3__1793744047",
        f"{at}/gymnasium/core.py:311: UserWarning: \x1b[33mWARN: env.single_observation_space to get variables from "
        "other wrappers is deprecated and will be removed in v1.0\x1b[0m",
        "wandb: Network error (ConnectionError), entering retry loop.",
        "wandb: Network error resolved after 0:01:12.481902, resuming normal operation.",
        "Exception in thread Thread-4:",
        "Traceback (most recent call last):",
        '  File "/home/s2214/miniforge3/envs/crl/lib/python3.10/threading.py", line 1016, in _bootstrap_inner',
        "    self.run()",
        f'  File "{at}/tensorboard/summary/writer/event_file_writer.py", line 244, in run',
        "    self._run()",
        f'  File "{at}/tensorboard/summary/writer/event_file_writer.py", line 289, in _run',
        "    self._record_writer.flush()",
        f'  File "{at}/tensorboard/summary/writer/record_writer.py", line 43, in flush',
        "    self._writer.flush()",
        "OSError: [Errno 122] Disk quota exceeded",
        "Traceback (most recent call last):",
        '  File "/home/s2214/cleanrl/cleanrl/ppo_continuous_action.py", line 314, in <module>',
        '    writer.add_scalar("losses/policy_loss", pg_loss.item(), global_step)',
        f'  File "{at}/torch/utils/tensorboard/writer.py", line 381, in add_scalar',
        "    self._get_file_writer().add_summary(summary, global_step, walltime)",
        f'  File "{at}/torch/utils/tensorboard/writer.py", line 115, in add_summary',
        "    self.add_event(event, global_step, walltime)",
        f'  File "{at}/torch/utils/tensorboard/writer.py", line 99, in add_event',
        "    self.event_writer.add_event(event)",
        f'  File "{at}/tensorboard/summary/writer/event_file_writer.py", line 117, in add_event',
        "    self._async_writer.write(event.SerializeToString())",
        f'  File "{at}/tensorboard/summary/writer/event_file_writer.py", line 171, in write',
        "    self._check_worker_status()",
        f'  File "{at}/tensorboard/summary/writer/event_file_writer.py", line 212, in _check_worker_status',
        "    raise exception",
        f'  File "{at}/tensorboard/summary/writer/event_file_writer.py", line 244, in run',
        "    self._run()",
        f'  File "{at}/tensorboard/summary/writer/event_file_writer.py", line 289, in _run',
        "    self._record_writer.flush()",
        f'  File "{at}/tensorboard/summary/writer/record_writer.py", line 43, in flush',
        "    self._writer.flush()",
        "OSError: [Errno 122] Disk quota exceeded",
        "wandb: WARNING No program path found, not creating job artifact.",
        "wandb: \U0001f680 View run HalfCheetah-v4__ppo_continuous_action__3__1793744047 at: "
        "https://wandb.ai/uni-robotics/cleanRL/runs/8h2k1q0z",
    ]
    put(place, "ppo_continuous-HalfCheetah-v4-s3.err", err)


def c13(place: Path, rng: Random) -> None:
    """E1: the loss of a Megatron run falls to 3.6, climbs above 7 and stays; the job ends by its exit interval."""
    now = 0 * DAY + 6.0 * HOUR
    job = clock(now, "%Y-%m-%dT%H:%M:%S")
    lines = [
        "using world size: 16, data-parallel size: 4, context-parallel size: 1, hierarchical context-parallel sizes: "
        "Nonetensor-model-parallel size: 4, encoder-tensor-model-parallel size: 0, pipeline-model-parallel size: 1, "
        "encoder-pipeline-model-parallel size: 0",
        "setting global batch size to 512",
        "using torch.bfloat16 for parameters ...",
        "> building HuggingFaceTokenizer tokenizer ...",
        " > padded vocab (size: 128256) with 256 dummy tokens (new size: 128512)",
        "> initialized tensor model parallel with size 4",
        "> setting random seeds to 1234 ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 2012413952",
        "> learning rate decay style: cosine",
        "WARNING: could not find the metadata file /p/scratch/nlp/ckpt/gpt8b-hi-lr/latest_checkpointed_iteration.txt",
        "    will not load any checkpoints and will start from random",
        "done with setup ...",
        "training ...",
    ]
    now += 410
    for it in range(100, 2901, 100):
        took = 39_420 + rng.gauss(0, 140) + (2100 if it == 100 else 0)
        now += took / 10
        if it <= 1500:
            loss = falls(rng, it, 11.6, 2.88, 230, 0.006)
            norm = 1.1 + 6 * math.exp(-it / 250) + abs(rng.gauss(0, 0.12)) + (2.4 if it == 1500 else 0)
        else:
            path = {1600: 3.71, 1700: 5.44, 1800: 6.83, 1900: 7.52, 2000: 7.41}
            loss = path.get(it, 7.31) * (1 + rng.gauss(0, 0.004))
            norm = {1600: 38.2, 1700: 61.7, 1800: 22.4, 1900: 6.31}.get(it, 0.28 + abs(rng.gauss(0, 0.07)))
        lr = 6e-4 * min(1.0, it / 2000)
        lines.append(
            f" [{clock(now)}] iteration {it:8d}/   60000 | consumed samples: {it * 512:12d} | "
            "elapsed time per iteration "
            f"(ms): {took:.1f} | throughput per GPU (TFLOP/s/GPU): {389.4 * 39_420 / took / 1.9:.1f} | learning rate: "
            f"{lr:.6E} | global batch size:   512 | lm loss: {loss:.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | "
            "number of skipped iterations:   0 | number of nan iterations:   0 |"
        )
        if it % 1000 == 0:
            valid = 4.034 if it == 1000 else 7.437
            shown = f"lm loss value: {valid:.6E} | lm loss PPL: {math.exp(valid):.6E} | "
            text = f" validation loss at iteration {it} | {shown}"
            lines += ["-" * len(text), text, "-" * len(text)]
    lines += [
        "saving checkpoint at iteration    2900 to /p/scratch/nlp/ckpt/gpt8b-hi-lr in torch_dist format",
        "  successfully saved checkpoint from iteration    2900 to /p/scratch/nlp/ckpt/gpt8b-hi-lr [ t 1/4, p 1/1 ]",
        f"[exiting program at iteration 2900] datetime: {clock(now + 21)} ",
    ]
    put(place, "gpt8b-hi-lr.log", lines)
    spent = int(now + 40 - 6.0 * HOUR)
    took_text = f"{spent // 86400}-{spent % 86400 // 3600:02d}:{spent % 3600 // 60:02d}:{spent % 60:02d}"
    end = clock(now + 40, "%Y-%m-%dT%H:%M:%S")
    put(
        place,
        "sacct.txt",
        [
            "JobID|JobName|State|ExitCode|Start|End|Elapsed|Timelimit|NNodes|NodeList",
            f"7710482|gpt8b-hi-lr|COMPLETED|0:0|{job}|{end}|{took_text}|3-00:00:00|4|jwb[0417-0420]",
            f"7710482.batch|batch|COMPLETED|0:0|{job}|{end}|{took_text}||1|jwb0417",
            f"7710482.extern|extern|COMPLETED|0:0|{job}|{end}|{took_text}||4|jwb[0417-0420]",
            f"7710482.0|bash|COMPLETED|0:0|{job}|{end}|{took_text}||4|jwb[0417-0420]",
        ],
    )


def c14(place: Path, rng: Random) -> None:
    """E1: the loss of an icefall run climbs, the gradient scale shrinks until the recipe gives up."""
    now = 3 * DAY + 4.7 * HOUR
    lines: list[str] = []

    def says(where: str, text: str, level: str = "INFO", rank: int = 0) -> None:
        lines.append(f"{clock(now)},{int(now % 1 * 1000):03d} {level} [{where}] ({rank}/4) {text}")

    def losses(loss: float, frames: float) -> str:
        simple, pruned = loss * 0.92 + 0.03, loss * 0.54 + 0.01
        return f"loss={loss:.4g}, simple_loss={simple:.4g}, pruned_loss={pruned:.4g}, over {frames:.2f} frames. "

    quart, warned = 1.0, False
    scale, done = 32.0, 0
    for epoch, first, last in ((2, 1350, 4150), (3, 0, 4150), (4, 0, 1600)):
        for batch in range(first, last + 1, 50):
            now += 50 * 0.613 + rng.gauss(0, 0.8)
            done = (epoch - 1) * 4180 + batch
            tot = 0.21 + 0.34 * math.exp(-done / 5200)
            bad = batch - 850 if epoch == 4 else -1
            if bad > 0:
                tot = tot * math.exp(bad / 320)
                quart = math.exp(bad / 130)
                if batch % 100 == 0:
                    scale = scale / 2 ** rng.choice((3, 4))
                if bad >= 700:
                    tot = math.nan
            if (epoch, batch) == (4, 1600):
                scale = 7.62939453125e-06
            cur = tot * (1 + rng.gauss(0, 0.07))
            lr = 0.045 * ((done / 7500) ** 2 + 1) ** -0.25 * ((epoch / 3.5) ** 2 + 1) ** -0.25
            if batch % 100 == 0 and scale < 0.01:
                if not warned:
                    says("checkpoint.py:75", "Saving checkpoint to zipformer/exp-gl/bad-model-first-warning-0.pt")
                    now += 2.4
                warned = True
                says("train.py:894", f"Grad scale is small: {scale}", "WARNING")
            if (epoch, batch) == (4, 1600):
                says("checkpoint.py:75", "Saving checkpoint to zipformer/exp-gl/bad-model-0.pt")
                break
            if batch % 100 == 0 and scale < 8:
                scale *= 2
            says(
                "train.py:919",
                f"Epoch {epoch}, batch {batch}, loss[{losses(cur, rng.uniform(14e3, 21e3))}], "
                f"tot_loss[{losses(tot, rng.uniform(3.4e6, 3.6e6))}], batch size: {rng.randrange(38, 190)}, "
                f"lr: {lr:.2e}, grad_scale: {scale}",
            )
            if batch % 200 == 100:
                base = 2.1e2 * quart
                five = [base * f * (1 + rng.gauss(0, 0.03)) for f in (0.66, 0.88, 1.0, 1.17, 2.2)]
                clipped = 2.0 if quart == 1.0 else 31.0
                says(
                    "optim.py:487",
                    "Clipping_scale=2.0, grad-norm quartiles "
                    + " ".join(f"{v:.3e}" for v in five)
                    + f", threshold={2 * base:.3e}, percent-clipped={clipped}",
                )
            if epoch == 2 and batch == 2600:
                says(
                    "utils.py:1162",
                    "reading shard cuts_train.000117.tar failed (OSError: [Errno 5] Input/output "
                    "error), opened again, ok",
                    "WARNING",
                )
            if (epoch, batch) in ((2, 3000), (3, 1800), (3, 3000)):
                says("train.py:944", "Computing validation loss")
                now += 24
                says(
                    "train.py:952",
                    f"Epoch {epoch}, validation: {losses(0.19 + 0.3 * math.exp(-done / 5200), 2_944_034)}",
                )
                says("train.py:953", "Maximum memory allocated so far is 27418MB")
        if epoch < 4:
            says("checkpoint.py:75", f"Saving checkpoint to zipformer/exp-gl/epoch-{epoch}.pt")
            now += 9
    put(place, "log-train-2026-11-05-00-02-11-0.tail", lines)
    site = "/opt/conda/envs/k2/lib/python3.10"
    pad = " " * 8
    note = [
        "RuntimeError: ",
        f"{pad}grad_scale is too small, exiting: 7.62939453125e-06",
        "",
        f"{pad}========================= NOTE =========================",
        f"{pad}If you see this error, it means that the gradient scale is too small.",
        "",
        f"{pad}The default base_lr is 0.045 / 0.05 (depends on which recipe you are ",
        f"{pad}using), this is an empirical value obtained mostly using 4 * 32GB V100 ",
        f"{pad}GPUs with a max_duration of approx. 1,000. ",
        f"{pad}The proper value of base_lr may vary depending on the number of GPUs ",
        f"{pad}and the value of max-duration you are using. ",
        "",
        f"{pad}To fix this issue, you may need to adjust the value of base_lr accordingly.",
        "",
        f"{pad}We would suggest you to decrease the value of base_lr by 0.005 (e.g., ",
        f"{pad}from 0.045 to 0.04), and try again. If the error still exists, you may ",
        f"{pad}repeat the process until base_lr hits 0.02. (Note that this will lead to ",
        f"{pad}certain loss of performance, but it should work. You can compensate this by",
        f"{pad}increasing the num_epochs.)",
        f"{pad}",
        f"{pad}If the error still exists, you could try to seek help by raising an issue, ",
        f"{pad}with a detailed description of (a) your computational resources, (b) the ",
        f"{pad}base_lr and (c) the max_duration you are using, (d) detailed configuration ",
        f"{pad}of your model.",
        "",
        f"{pad}========================================================",
        f"{pad}",
    ]
    err = [
        "Traceback (most recent call last):",
        '  File "/work/icefall/egs/galician/ASR/./zipformer/train.py", line 1393, in <module>',
        "    main()",
        '  File "/work/icefall/egs/galician/ASR/./zipformer/train.py", line 1384, in main',
        "    mp.spawn(run, args=(world_size, args), nprocs=world_size, join=True)",
        f'  File "{site}/site-packages/torch/multiprocessing/spawn.py", line 246, in spawn',
        '    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")',
        f'  File "{site}/site-packages/torch/multiprocessing/spawn.py", line 202, in start_processes',
        "    while not context.join():",
        f'  File "{site}/site-packages/torch/multiprocessing/spawn.py", line 163, in join',
        "    raise ProcessRaisedException(msg, error_index, failed_process.pid)",
        "torch.multiprocessing.spawn.ProcessRaisedException: ",
        "",
        "-- Process 0 terminated with the following error:",
        "Traceback (most recent call last):",
        f'  File "{site}/site-packages/torch/multiprocessing/spawn.py", line 74, in _wrap',
        "    fn(i, *args)",
        '  File "/work/icefall/egs/galician/ASR/zipformer/train.py", line 1244, in run',
        "    train_one_epoch(",
        '  File "/work/icefall/egs/galician/ASR/zipformer/train.py", line 902, in train_one_epoch',
        "    raise_grad_scale_is_too_small_error(cur_grad_scale)",
        '  File "/work/icefall/icefall/err.py", line 20, in raise_grad_scale_is_too_small_error',
        "    raise RuntimeError(",
        *note,
        "",
    ]
    put(place, "train.err", err)


def c15(place: Path, rng: Random) -> None:
    """A1: both ranks of an axolotl run refuse the settings: a length of ``8k`` is no whole number."""
    at = "/root/miniconda3/envs/py3.11/lib/python3.11/site-packages"
    now = 2 * DAY + 10.35 * HOUR
    trace = [
        "Traceback (most recent call last):",
        '  File "<frozen runpy>", line 198, in _run_module_as_main',
        '  File "<frozen runpy>", line 88, in _run_code',
        '  File "/workspace/axolotl/src/axolotl/cli/train.py", line 109, in <module>',
        "    fire.Fire(do_cli)",
        f'  File "{at}/fire/core.py", line 135, in Fire',
        "    component_trace = _Fire(component, args, parsed_flag_args, context, name)",
        "                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{at}/fire/core.py", line 468, in _Fire',
        "    component, remaining_args = _CallAndUpdateTrace(",
        "                                ^^^^^^^^^^^^^^^^^^^^",
        f'  File "{at}/fire/core.py", line 684, in _CallAndUpdateTrace',
        "    component = fn(*varargs, **kwargs)",
        "                ^^^^^^^^^^^^^^^^^^^^^^",
        '  File "/workspace/axolotl/src/axolotl/cli/train.py", line 83, in do_cli',
        "    parsed_cfg = load_cfg(config, **kwargs)",
        "                 ^^^^^^^^^^^^^^^^^^^^^^^^^^",
        '  File "/workspace/axolotl/src/axolotl/cli/config.py", line 213, in load_cfg',
        "    cfg = validate_config(",
        "          ^^^^^^^^^^^^^^^^",
        '  File "/workspace/axolotl/src/axolotl/utils/config/__init__.py", line 249, in validate_config',
        "    AxolotlConfigWCapabilities(",
        f'  File "{at}/pydantic/main.py", line 214, in __init__',
        "    validated_self = self.__pydantic_validator__.validate_python(data, self_instance=self)",
        "                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "pydantic_core._pydantic_core.ValidationError: 1 validation error for AxolotlConfigWCapabilities",
        "sequence_len",
        "  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='8k', "
        "input_type=str]",
        "    For further information visit https://errors.pydantic.dev/2.10/v/int_parsing",
    ]
    for rank in (0, 1):
        ms = lambda: f"{clock(now + 11 + rank * 0.04)},{int(now % 1 * 1000):03d}"  # noqa: B023, E731
        head = [
            f"[{ms()}] [INFO] [datasets.<module>:54] [PID:{2210 + rank}] PyTorch version 2.5.1+cu124 available.",
            f"[{ms()}] [INFO] [root.spawn:60] [PID:{2210 + rank}] gcc -pthread -B /root/miniconda3/envs/py3.11/"
            "compiler_compat -fno-strict-overflow -Wsign-compare -DNDEBUG -O2 -Wall -fPIC -c /tmp/tmpg0v/test.c "
            "-o /tmp/tmpg0v/test.o",
            f"[{ms()}] [WARNING] [axolotl.utils.config.models.input.hint_sample_packing_padding:912] "
            f"[PID:{2210 + rank}] [RANK:{rank}] `pad_to_sequence_len: true` is recommended when using sample_packing",
        ]
        put(place, f"logs/rank_{rank}.log", head + trace)
    end = clock(now + 16, "%m%d %H:%M:%S")
    box = clock(now + 16, "%Y-%m-%d_%H:%M:%S")
    put(
        place,
        "logs/launcher.log",
        [
            "The following values were not passed to `accelerate launch` and had defaults used instead:",
            "\t`--num_processes` was set to a value of `2`",
            "\t\tMore than one GPU was found, enabling multi-GPU training.",
            "\t\tIf this was unintended please pass in `--num_processes=1`.",
            "\t`--num_machines` was set to a value of `1`",
            "\t`--mixed_precision` was set to a value of `'no'`",
            "\t`--dynamo_backend` was set to a value of `'no'`",
            "To avoid this warning pass in values for each of the problematic parameters or run `accelerate config`.",
            f"W{end}.118000 2174 site-packages/torch/distributed/elastic/multiprocessing/api.py:897] Sending process "
            "2211 closing signal SIGTERM",
            f"E{end}.334000 2174 "
            "site-packages/torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) "
            "local_rank: 0 (pid: 2210) of binary: /root/miniconda3/envs/py3.11/bin/python",
            "Traceback (most recent call last):",
            '  File "/root/miniconda3/envs/py3.11/bin/accelerate", line 8, in <module>',
            "    sys.exit(main())",
            f'  File "{at}/accelerate/commands/accelerate_cli.py", line 48, in main',
            "    args.func(args)",
            f'  File "{at}/accelerate/commands/launch.py", line 1159, in launch_command',
            "    multi_gpu_launcher(args)",
            f'  File "{at}/accelerate/commands/launch.py", line 793, in multi_gpu_launcher',
            "    distrib_run.run(args)",
            f'  File "{at}/torch/distributed/run.py", line 910, in run',
            "    elastic_launch(",
            f'  File "{at}/torch/distributed/launcher/api.py", line 138, in __call__',
            "    return launch_agent(self._config, self._entrypoint, list(args))",
            f'  File "{at}/torch/distributed/launcher/api.py", line 269, in launch_agent',
            "    raise ChildFailedError(",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 60,
            "axolotl.cli.train FAILED",
            "-" * 60,
            "Failures:",
            "  <NO_OTHER_FAILURES>",
            "-" * 60,
            "Root Cause (first observed failure):",
            "[0]:",
            f"  time      : {box}",
            "  host      : c4f1d7a90b2e",
            "  rank      : 0 (local_rank: 0)",
            "  exitcode  : 1 (pid: 2210)",
            "  error_file: <N/A>",
            "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
            "=" * 60,
        ],
    )


def c16(place: Path, rng: Random) -> None:
    """B1: a fine-tune of the Trainer learns for some hundred steps, then one request of memory is refused."""
    at = "/home/ibrahim/venv/lib/python3.11/site-packages"
    start = 4 * DAY + 14.1 * HOUR
    lines = [
        "Error in cpuinfo: prctl(PR_SVE_GET_VL) failed",
        "`torch_dtype` is deprecated! Use `dtype` instead!",
        "Loading checkpoint shards: 100%|██████████| 4/4 [00:09<00:00,  2.31s/it]",
        "Some weights of LlamaForSequenceClassification were not initialized from the model checkpoint at "
        "meta-llama/Llama-3.1-8B and are newly initialized: ['score.weight']",
        "You should probably TRAIN this model on a down-stream task to be able to use it for "
        "predictions and inference.",
        "max_steps is given, it will override any value given in num_train_epochs",
        "The tokenizer has new PAD/BOS/EOS tokens that differ from the model config and generation config. The model "
        "config and generation config were aligned accordingly, being updated with the tokenizer's values. Updated "
        "tokens: {'pad_token_id': 128009}.",
        "  0%|          | 0/6000 [00:00<?, ?it/s]`use_cache=True` is incompatible with gradient checkpointing. Setting "
        "`use_cache=False`.",
    ]
    for step in range(25, 401, 25):
        loss = falls(rng, step, 1.71, 0.44, 160, 0.03)
        lr = 2e-5 * min(1.0, step / 180) * (1 if step <= 180 else (6000 - step) / 5820)
        lines.append(
            f"{{'loss': {round(loss, 4)}, 'grad_norm': {4 + 20 * math.exp(-step / 90) + rng.gauss(0, 0.6)}, "
            f"'learning_rate': {lr}, 'epoch': {round(step / 2500, 2)}}}"
        )
    tail = f"{hms(417 * 2.87)}<{hms(5583 * 2.87)},  2.87s/it]"
    lines += [
        "Traceback (most recent call last):",
        '  File "/home/ibrahim/judge/finetune.py", line 141, in <module>',
        "    trainer.train()",
        f'  File "{at}/transformers/trainer.py", line 2325, in train',
        "    return inner_training_loop(",
        "           ^^^^^^^^^^^^^^^^^^^^",
        f'  File "{at}/transformers/trainer.py", line 2674, in _inner_training_loop',
        "    tr_loss_step = self.training_step(model, inputs, num_items_in_batch)",
        "                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        f'  File "{at}/transformers/trainer.py", line 4071, in training_step',
        "    self.accelerator.backward(loss, **kwargs)",
        f'  File "{at}/accelerate/accelerator.py", line 2734, in backward',
        "    loss.backward(**kwargs)",
        f'  File "{at}/torch/_tensor.py", line 648, in backward',
        "    torch.autograd.backward(",
        f'  File "{at}/torch/autograd/__init__.py", line 353, in backward',
        "    _engine_run_backward(",
        f'  File "{at}/torch/autograd/graph.py", line 824, in _engine_run_backward',
        "    return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.50 GiB. GPU 0 has a total "
        "capacity of 94.50 GiB "
        "of which 2.31 GiB is free. Including non-PyTorch memory, this process has 92.18 GiB memory in use. Of the "
        "allocated memory 84.92 GiB is allocated by PyTorch, and 6.50 GiB is reserved by PyTorch but unallocated. If "
        "reserved but unallocated memory is large try setting "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
        "fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
        f"  7%|▋         | 417/6000 [{tail}",
    ]
    put(place, "judge-881204.log", lines)
    begin = clock(start, "%Y-%m-%dT%H:%M:%S")
    end = clock(start + 1297, "%Y-%m-%dT%H:%M:%S")
    put(
        place,
        "sacct.txt",
        [
            "JobID           JobName      State ExitCode               Start                 End   "
            " Elapsed     MaxRSS ",
            "------------ ---------- ---------- -------- ------------------- ------------------- "
            "---------- ---------- ",
            f"881204            judge     FAILED      1:0 {begin} {end}   00:21:37            ",
            f"881204.batch      batch     FAILED      1:0 {begin} {end}   00:21:37  41877216K ",
            f"881204.exte+     extern  COMPLETED      0:0 {begin} {end}   00:21:37       944K ",
        ],
    )


def c17(place: Path, rng: Random) -> None:
    """G1: an ESPnet model learns epoch after epoch; a few updates are skipped; the best are averaged."""
    now = 2 * DAY + 7.5 * HOUR
    lines: list[str] = []

    def says(where: str, text: str, level: str = "INFO") -> None:
        lines.append(f"[gpu-b03] {clock(now)},{int(now % 1 * 1000):03d} ({where}) {level}: {text}")

    per, chunk, step = 4980, 498, 0
    best, recent = 0.0, []
    for epoch in range(1, 37):
        rows: dict[str, float] = {}
        for part in range(10):
            if (epoch, part) in ((1, 3), (6, 7), (19, 2)):
                for _ in range(2 if epoch == 1 else 1):
                    says("trainer:675", "The grad norm is nan. Skipping updating the model.", "WARNING")
            step += chunk
            took = 0.331 + rng.gauss(0, 0.002)
            now += chunk * took
            ctc = falls(rng, step, 212, 15.1, 17_000, 0.01)
            att = falls(rng, step, 128, 11.2, 21_000, 0.01)
            acc = 0.938 - 0.78 * math.exp(-step / 21_000) + rng.gauss(0, 0.002)
            lr = 2e-3 * min(step / 25_000, (25_000 / step) ** 0.5)
            rows = {
                "iter_time": abs(rng.gauss(1.4e-4, 3e-5)),
                "forward_time": 0.118 + rng.gauss(0, 0.001),
                "loss_ctc": ctc,
                "loss_att": att,
                "acc": acc,
                "loss": 0.3 * ctc + 0.7 * att,
                "backward_time": 0.121 + rng.gauss(0, 0.001),
                "grad_norm": 38 * math.exp(-step / 90_000) + 9 + rng.gauss(0, 1),
                "clip": 100.0,
                "loss_scale": 65_536.0 * 2 ** min(4, step // 20_000),
                "optim_step_time": 0.041 + rng.gauss(0, 0.0005),
                "optim0_lr0": lr,
                "train_time": took * 4,
            }
            says(
                "trainer:756",
                f"{epoch}epoch:train:{part * chunk + 1}-{(part + 1) * chunk}batch: "
                + ", ".join(f"{k}={_espnet(v)}" for k, v in rows.items()),
            )
        now += 94
        vacc = 0.927 - 0.74 * math.exp(-step / 22_000) + rng.gauss(0, 0.0012)
        vctc, vatt = rows["loss_ctc"] * 1.06, rows["loss_att"] * 1.09
        train = ", ".join(f"{k}={_espnet(v)}" for k, v in rows.items())
        spent = per * 0.331
        says(
            "trainer:357",
            f"{epoch}epoch results: [train] {train}, time={int(spent // 60)} minutes and {spent % 60:.2f} seconds, "
            f"total_count={step}, gpu_max_cached_mem_GB=34.217, [valid] loss_ctc={_espnet(vctc)}, cer_ctc="
            f"{_espnet(0.061 + 0.7 * math.exp(-step / 20_000))}, loss_att={_espnet(vatt)}, acc={_espnet(vacc)}, "
            f"cer={_espnet(0.07 + 0.6 * math.exp(-step / 21_000))}, "
            f"wer={_espnet(0.21 + 0.7 * math.exp(-step / 24_000))}, "
            f"loss={_espnet(0.3 * vctc + 0.7 * vatt)}, time=1 minute and {rng.uniform(21, 24):.2f} seconds, "
            f"total_count={epoch * 211}, gpu_max_cached_mem_GB=34.217, [att_plot] "
            f"time={rng.uniform(8, 10):.2f} seconds, "
            "total_count=0, gpu_max_cached_mem_GB=34.217",
        )
        now += 3
        if vacc > best:
            best = vacc
            says("trainer:416", "The best model has been updated: valid.acc")
        else:
            says("trainer:411", "There are no improvements in this epoch")
        recent.append((vacc, epoch))
        if len(recent) > 10:
            worst = min(recent)
            recent.remove(worst)
            says("trainer:472", f"The model files were removed: exp/asr_train_gl/{worst[1]}epoch.pth")
    says("trainer:490", "The training was finished at 36 epochs ")
    now += 4
    says(
        "average_nbest_models:69",
        'Averaging 10best models: criterion="valid.acc": exp/asr_train_gl/valid.acc.ave_10best.pth',
    )
    put(place, "train.log", lines)


def _espnet(value: float) -> str:
    """A number as the reporter of ESPnet writes it."""
    if value > 1e3 or value < 1e-3:
        return f"{value:.3e}"
    return f"{value:.3f}"


def c18(place: Path, rng: Random) -> None:
    """Cannot decide: a MindSpore run learns well and ends in the middle of an epoch; 1:0 is all that is known of it."""
    start = 1 * DAY + 21.8 * HOUR
    now = start + 164
    lines = []
    mark = f"{clock(start + 12, '%Y-%m-%d-%H:%M:%S')}.{int(now % 1 * 1000):03d}.{int(now % 1 * 1000):03d}"
    lines += [
        f"[WARNING] ME(40118:140211873928000,MainProcess):{mark} [mindspore/context.py:1332] For "
        "'context.set_context', "
        "the parameter 'device_target' is 'GPU', CUDA version 11.6",
        "=> device: GPU x1, mode: GRAPH_MODE, amp_level: O2",
        "=> dataset: /data/imagenet100, 126689 train / 5000 val, batch 256, 494 steps per epoch",
        "=> network: convnext_tiny, 28.0M parameters, epochs 120",
    ]
    for epoch in range(1, 72):
        last = 494 if epoch < 71 else 300
        for step in range(50, last + 1, 50):
            done = (epoch - 1) * 494 + step
            loss = falls(rng, done, 4.62, 0.71, 4200, 0.035)
            if epoch in (17, 18) and done % 494 < 400:
                loss += 2.1 * math.exp(-(done - 16 * 494) / 260)
            if epoch == 44 and step <= 200:
                loss += 0.9 * math.exp(-step / 90)
            lines.append(f"epoch: {epoch} step: {step}, loss is {loss}")
            now += 50 * 0.388
        if epoch < 71:
            spent = 494 * 388.2 + rng.gauss(0, 900) + (58_000 if epoch == 1 else 0)
            lines.append(f"Train epoch time: {spent:.3f} ms, per step time: {spent / 494:.3f} ms")
            now += 494 * 0.388 - 450 * 0.388
            if epoch % 5 == 0:
                top = 0.842 - 0.7 * math.exp(-epoch / 14) + rng.gauss(0, 0.003)
                lines.append(f"epoch: {epoch}, val top1: {top:.4f}, ckpt: ./ckpt/convnext_tiny-{epoch}_494.ckpt")
                now += 22
    put(place, "convnext_stdout.log", lines)
    begin, end = clock(start, "%Y-%m-%dT%H:%M:%S"), clock(now + 11, "%Y-%m-%dT%H:%M:%S")
    spent_s = now + 11 - start
    long = f"{int(spent_s // 3600):02d}:{int(spent_s % 3600 // 60):02d}:{int(spent_s % 60):02d}"
    put(
        place,
        "sacct_30417.txt",
        [
            "JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|Timelimit|ReqMem|MaxRSS|NodeList",
            f"30417|convnext|gpu|FAILED|1:0|{begin}|{end}|{long}|2-00:00:00|96G||ga12",
            f"30417.batch|batch||FAILED|1:0|{begin}|{end}|{long}|||38114420K|ga12",
            f"30417.extern|extern||COMPLETED|0:0|{begin}|{end}|{long}|||0|ga12",
        ],
    )
