"""SIMULATED curves c01 to c08 of the twenty-third set: nothing here was taken from a real job."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def big(num: float) -> str:
    """LeRobot's short numbers."""
    for suffix in ("", "K", "M"):
        if abs(num) < 1000:
            return f"{num:.0f}{suffix}"
        num /= 1000
    return f"{num:.0f}B"


def c01_lerobot(place: Path, rng: Random) -> None:
    """ACT on a data set of crashes that are recovered from: trains to its 40,000 steps."""
    now = 86400 + 33000.0
    out: list[str] = []

    def say(where: str, text: str, level: str = "INFO") -> None:
        out.append(f"{level} {clock(now)} {where[-15:]:>15} {text}")

    src = "/home/mlindq/lerobot/src/lerobot/scripts/lerobot_train.py"
    say(
        f"{src}:163",
        "{'batch_size': 8,\n 'dataset': {'episodes': None,\n             'image_transforms': {'enable': False},\n"
        "             'repo_id': 'mlindq/so101_fatal_collision_recovery',\n             'root': None,\n"
        "             'video_backend': 'pyav'},\n 'env': None,\n 'eval_freq': 20000,\n"
        " 'job_name': 'act_abort_on_failure_v3',\n 'log_freq': 200,\n 'num_workers': 4,\n"
        " 'output_dir': PosixPath('outputs/train/act_abort_on_failure_v3'),\n"
        " 'policy': {'chunk_size': 100,\n            'dim_model': 512,\n            'device': 'cuda',\n"
        "            'kl_weight': 10.0,\n            'n_action_steps': 100,\n            'type': 'act',\n"
        "            'vision_backbone': 'resnet18'},\n 'resume': False,\n 'save_checkpoint': True,\n"
        " 'save_freq': 10000,\n 'seed': 1000,\n 'steps': 40000,\n 'wandb': {'enable': False}}",
    )
    say("/home/mlindq/lerobot/src/lerobot/utils/utils.py:112", "Logs will be saved locally.")
    say(f"{src}:183", "Creating dataset")
    now += 3
    say(
        "/home/mlindq/lerobot/src/lerobot/datasets/video_utils.py:38",
        "'torchcodec' is not available in your platform, falling back to 'pyav' as a default decoder",
        "WARNING",
    )
    say(f"{src}:206", "Creating policy")
    now += 4
    say(f"{src}:232", "Creating optimizer and scheduler")
    say(f"{src}:268", "Output dir: outputs/train/act_abort_on_failure_v3")
    say(f"{src}:271", "cfg.steps=40000 (40K)")
    say(f"{src}:272", "dataset.num_frames=31207 (31K)")
    say(f"{src}:273", "dataset.num_episodes=64")
    say(f"{src}:276", "Effective batch size: 8 x 1 = 8")
    say(f"{src}:277", "num_learnable_params=51597190 (52M)")
    say(f"{src}:278", "num_total_params=51597238 (52M)")
    say(f"{src}:318", "Start offline training on a fixed dataset, with effective batch size: 8")
    for step in range(200, 40001, 200):
        each, data = abs(rng.gauss(0.118, 0.002)), abs(rng.gauss(0.006, 0.001))
        now += 200 * (each + data)
        loss = falls(rng, step, 6.8, 0.052, 900, 0.02) if step < 2000 else falls(rng, step, 2.6, 0.052, 3000, 0.03)
        frames = step * 8
        grad = falls(rng, step, 150, 5.2, 1200, 0.06)
        say(
            f"{src}:352",
            f"step:{big(step)} smpl:{big(frames)} ep:{big(frames / 31207 * 64)} epch:{frames / 31207:.2f} "
            f"loss:{loss:.3f} grdn:{grad:.3f} lr:1.0e-05 updt_s:{each:.3f} data_s:{data:.3f}",
        )
        if step % 10000 == 0:
            say(f"{src}:362", f"Checkpoint policy after step {step}")
            now += 2
    say(f"{src}:434", "End of training")
    put(place, "train_abort_on_failure.log", out)


def c02_ms_swift(place: Path, rng: Random) -> None:
    """Qwen2.5-VL by swift sft: the 48th step meets an image whose tokens were cut."""
    out = [
        "run sh: `/opt/conda/envs/swift/bin/python3.10 /opt/conda/envs/swift/lib/python3.10/site-packages/swift/cli/sft.py --model Qwen/Qwen2.5-VL-7B-Instruct --dataset /data/zhangwl/invoice_vqa.jsonl --train_type lora --torch_dtype bfloat16 --num_train_epochs 2 --per_device_train_batch_size 2 --gradient_accumulation_steps 8 --max_length 2048 --truncation_strategy right --logging_steps 5 --output_dir output`",
        "[INFO:swift] Successfully registered `/opt/conda/envs/swift/lib/python3.10/site-packages/swift/llm/dataset/data/dataset_info.json`.",
        "[INFO:swift] rank: -1, local_rank: -1, world_size: 1, local_world_size: 1",
        "[INFO:swift] Loading the model using model_dir: /root/.cache/modelscope/hub/models/Qwen/Qwen2___5-VL-7B-Instruct",
        "[INFO:swift] Setting torch_dtype: torch.bfloat16",
        "[INFO:swift] model_kwargs: {'device_map': 'cuda:0'}",
        "Loading checkpoint shards: 100%|██████████| 5/5 [00:06<00:00,  1.31s/it]",
        "[INFO:swift] Global seed set to 42",
        "[INFO:swift] train_dataset: Dataset({",
        "    features: ['images', 'messages'],",
        "    num_rows: 18211",
        "})",
        "[INFO:swift] val_dataset: Dataset({",
        "    features: ['images', 'messages'],",
        "    num_rows: 183",
        "})",
        "[INFO:swift] The split dataset from the training set will be saved at: /data/zhangwl/output/v2-20261104-142207/val_dataset.jsonl.",
        "[INFO:swift] PeftModelForCausalLM: 8312.3512M Params (20.1851M Trainable [0.2428%]), 0.0019M Buffers.",
        "[INFO:swift] The logging file will be saved in: /data/zhangwl/output/v2-20261104-142207/logging.jsonl",
    ]
    rows = []
    total = 2276
    spent = 0.0
    for step in (1, 5, 10, 15, 20, 25, 30, 35, 40, 45):
        spent = 9.4 + (step - 1) * 7.12 + rng.random()
        left = spent / step * (total - step)
        loss = falls(rng, step, 1.92, 0.71, 18, 0.02)
        row = {
            "loss": round(loss, 8),
            "token_acc": round(0.9 - loss * 0.16 + rng.gauss(0, 0.004), 8),
            "grad_norm": round(abs(rng.gauss(1.4, 0.2)), 8),
            "learning_rate": round(1e-4 * step / 114, 10),
            "memory(GiB)": 37.61 if step < 10 else 41.08,
            "train_speed(iter/s)": round(step / spent, 6),
            "epoch": round(step / 1138, 8),
            "global_step/max_steps": f"{step}/{total}",
            "percentage": f"{100 * step / total:.2f}%",
            "elapsed_time": f"{int(spent) // 60}m {int(spent) % 60}s" if spent >= 60 else f"{int(spent)}s",
            "remaining_time": f"{int(left) // 3600}h {int(left) % 3600 // 60}m {int(left) % 60}s",
        }
        rows.append(json.dumps(row))
        out.append(str(row))
    site = "/opt/conda/envs/swift/lib/python3.10/site-packages"
    out.append(f"Train:   2%|{bar(47, total)}| 47/{total} [{hms(spent + 14)}<4:26:41,  7.18s/it]")
    out += [
        "Traceback (most recent call last):",
        f'  File "{site}/swift/cli/sft.py", line 7, in <module>',
        "    sft_main()",
        f'  File "{site}/swift/llm/train/sft.py", line 281, in sft_main',
        "    return SwiftSft(args).main()",
        f'  File "{site}/swift/llm/train/sft.py", line 147, in run',
        "    return self.train(trainer)",
        f'  File "{site}/swift/trainers/mixin.py", line 321, in train',
        "    res = super().train(*args, **kwargs)",
        f'  File "{site}/transformers/trainer.py", line 2245, in train',
        "    return inner_training_loop(",
        f'  File "{site}/transformers/trainer.py", line 2560, in _inner_training_loop',
        "    tr_loss_step = self.training_step(model, inputs, num_items_in_batch)",
        f'  File "{site}/transformers/trainer.py", line 3736, in training_step',
        "    loss = self.compute_loss(model, inputs, num_items_in_batch=num_items_in_batch)",
        f'  File "{site}/swift/trainers/trainers.py", line 185, in compute_loss',
        "    outputs = model(**inputs)",
        f'  File "{site}/transformers/models/qwen2_5_vl/modeling_qwen2_5_vl.py", line 1739, in forward',
        "    raise ValueError(",
        "ValueError: Image features and image tokens do not match: tokens: 1961, features 2394",
    ]
    put(place, "nohup.out", out)
    put(place, "logging.jsonl", rows)


def c03_espnet2(place: Path, rng: Random) -> None:
    """An ASR training that waits nine of ten seconds for its next batch; the log begins late and still runs."""
    now = 2 * 86400 + 11.0
    out: list[str] = []

    def say(line: str, text: str) -> None:
        out.append(f"[gpu07] {clock(now)},{int(now * 1000) % 1000:03d} ({line}) INFO: {text}")

    tick = 0
    sums: list[float] = []
    for epoch in range(4, 10):
        if epoch > 4:
            left = int((61 - epoch) * 4.52)
            say(
                "trainer:297",
                f"{epoch}/60epoch started. Estimated time to finish: 1 week, {left // 24 - 7} days and {left % 24} hours",
            )
        first = 1651 if epoch == 4 else 1
        for batch in range(first, 2751, 50):
            tick = (epoch - 1) * 2750 + batch
            wait = max(0.4, rng.gauss(5.31, 0.62))
            fwd, back, opt = rng.gauss(0.142, 0.004), rng.gauss(0.233, 0.005), rng.gauss(0.031, 0.001)
            whole = wait + fwd + back + opt + 0.02
            if epoch == 9 and batch > 1400:
                break
            now += 50 * whole
            sums.append(wait)
            ctc, att = falls(rng, tick, 260, 21, 2600, 0.03), falls(rng, tick, 190, 17, 2900, 0.03)
            acc = 0.91 - 0.86 * math.exp(-tick / 7000) + rng.gauss(0, 0.004)
            lr = 0.002 * min(tick / 15000, 1)
            say(
                "trainer:762",
                f"{epoch}epoch:train:{batch}-{batch + 49}batch: iter_time={wait:.3f}, forward_time={fwd:.3f}, "
                f"loss_ctc={ctc:.3f}, loss_att={att:.3f}, acc={acc:.3f}, loss={0.3 * ctc + 0.7 * att:.3f}, "
                f"backward_time={back:.3f}, grad_norm={rng.gauss(46, 6):.3f}, clip=100.000, "
                f"loss_scale=6.554e+04, optim_step_time={opt:.3f}, optim0_lr0={lr:.3e}, train_time={whole:.3f}",
            )
        else:
            mean = sum(sums) / len(sums)
            took = int(2750 * (mean + 0.43))
            now += 312
            say(
                "trainer:351",
                f"{epoch}epoch results: [train] iter_time={mean:.3f}, forward_time=0.142, loss_ctc={ctc:.3f}, "
                f"loss_att={att:.3f}, acc={acc:.3f}, loss={0.3 * ctc + 0.7 * att:.3f}, backward_time=0.233, "
                f"grad_norm=46.113, clip=100.000, loss_scale=6.554e+04, optim_step_time=0.031, "
                f"optim0_lr0={lr:.3e}, train_time={mean + 0.43:.3f}, time={took // 3600} hours, "
                f"{took % 3600 // 60} minutes and {took % 60}.41 seconds, total_count={epoch * 2750}, "
                f"gpu_max_cached_mem_GB=18.721, [valid] loss_ctc={ctc * 0.93:.3f}, cer_ctc={0.31 - epoch * 0.014:.3f}, "
                f"loss_att={att * 0.9:.3f}, acc={acc + 0.011:.3f}, cer={0.28 - epoch * 0.013:.3f}, "
                f"wer={0.61 - epoch * 0.024:.3f}, loss={0.27 * ctc + 0.63 * att:.3f}, "
                f"time=4 minutes and 51.27 seconds, total_count={epoch * 88}, gpu_max_cached_mem_GB=18.721",
            )
            say("trainer:406", "The best model has been updated: valid.acc")
            sums = []
    put(place, "exp/asr_train_asr_conformer_raw_bpe5000_sp/train.log", out)


def c04_francais(place: Path, rng: Random) -> None:
    """A French segmentation of ultrasound that simply has no more lines after an epoch; no plan is said."""
    now = 3 * 86400 + 30120.0
    out = [
        f"[{clock(now, '%d/%m/%Y %H:%M:%S')}] Démarrage de l'entraînement — segmentation échographie (UNet++)",
        f"[{clock(now + 1, '%d/%m/%Y %H:%M:%S')}] Périphérique : cuda:0 (NVIDIA A40), précision mixte activée",
        f"[{clock(now + 4, '%d/%m/%Y %H:%M:%S')}] Jeu d'entraînement : 6 412 images ; validation : 802 images",
        f"[{clock(now + 4, '%d/%m/%Y %H:%M:%S')}] Taille de lot : 16 ; pas d'apprentissage initial : 3,0e-04",
    ]
    now += 9
    best = 0.0
    for epoch in range(1, 42):
        loss = falls(rng, epoch, 0.84, 0.142, 7, 0.015)
        for part in (100, 200, 300, 400):
            now += rng.gauss(27.4, 0.7)
            one = falls(rng, epoch - 1 + part / 400, 0.86, 0.14, 7, 0.04)
            if epoch == 41 and part > 200:
                break
            out.append(
                f"[{clock(now, '%d/%m/%Y %H:%M:%S')}] Époque {epoch} | lot {part} | perte "
                + f"{one:.4f}".replace(".", ",")
            )
        if epoch == 41:
            break
        now += 14
        dice = 0.9 - loss * 0.62 + rng.gauss(0, 0.006)
        text = f"perte moy. {loss:.4f} | perte val. {loss * 1.13 + rng.gauss(0, 0.006):.4f} | Dice {dice:.4f}"
        out.append(
            f"[{clock(now, '%d/%m/%Y %H:%M:%S')}] Fin de l'époque {epoch} | "
            + text.replace(".", ",").replace("moy,", "moy.").replace("val,", "val.")
        )
        if dice > best:
            best = dice
            out.append(f"[{clock(now + 1, '%d/%m/%Y %H:%M:%S')}] Meilleur modèle enregistré : points/meilleur.pt")
    put(place, "journal.txt", out)


def c05_darts(place: Path, rng: Random) -> None:
    """A TFT in Darts on counts of failures; what is left stops in the middle of an epoch and says no end."""
    out = [
        "python forecast_failures.py --series crash_counts_by_depot.parquet --model tft --epochs 300",
        "series: 48 depots, 2190 days, target=n_failures, past_covariates=[fatal_error_rate, temperature, km_driven]",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "   | Name                              | Type                             | Params | Mode ",
        "------------------------------------------------------------------------------------------------",
        "0  | train_metrics                     | MetricCollection                 | 0      | train",
        "1  | val_metrics                       | MetricCollection                 | 0      | train",
        "2  | input_embeddings                  | _MultiEmbedding                  | 0      | train",
        "3  | static_covariates_vsn             | _VariableSelectionNetwork        | 0      | train",
        "4  | encoder_vsn                       | _VariableSelectionNetwork        | 10.2 K | train",
        "5  | decoder_vsn                       | _VariableSelectionNetwork        | 4.1 K  | train",
        "6  | lstm_encoder                      | LSTM                             | 33.3 K | train",
        "7  | lstm_decoder                      | LSTM                             | 33.3 K | train",
        "8  | multihead_attn                    | _InterpretableMultiHeadAttention | 10.4 K | train",
        "9  | output_layer                      | Linear                           | 195    | train",
        "------------------------------------------------------------------------------------------------",
        "112 K     Trainable params",
        "0         Non-trainable params",
        "112 K     Total params",
        "0.449     Total estimated model params size (MB)",
    ]
    table = ["epoch,step,train_loss,val_loss"]
    for epoch in range(138):
        loss = falls(rng, epoch, 2.31, 0.614, 16, 0.006)
        val = falls(rng, epoch, 2.2, 0.681, 16, 0.012)
        rate = rng.gauss(21.3, 0.3)
        marks = (171, 342, 513, 684) if epoch < 137 else (171, 342)
        for done in marks:
            seen = done / rate
            tail = f"train_loss={loss:.3f}"
            if epoch:
                tail = f"train_loss={loss * (1 + rng.gauss(0, 0.03)):.3f}, val_loss={val:.3f}"
            out.append(
                f"Epoch {epoch}: {100 * done // 684:3d}%|{bar(done, 684)}| {done}/684 "
                f"[{hms(seen)}<{hms((684 - done) / rate)}, {rate:.2f}it/s, {tail}]"
            )
        if epoch < 137:
            table.append(f"{epoch},{(epoch + 1) * 684 - 1},{loss:.6f},{val:.6f}")
    put(place, "stdout.txt", out)
    put(place, "metrics.csv", table)


def c06_spacy(place: Path, rng: Random) -> None:
    """A transformer NER that learns and then collapses to nothing while its loss climbs; the run ends its steps."""
    blue, green, off = "\x1b[38;5;4m", "\x1b[38;5;2m", "\x1b[0m"
    out = [
        f"{blue}ℹ Saving to output directory: training/ner_trf{off}",
        f"{blue}ℹ Using GPU: 0{off}",
        "\x1b[1m",
        f"=========================== Initializing pipeline ==========================={off}",
        f"{green}✔ Initialized pipeline{off}",
        "\x1b[1m",
        f"============================= Training pipeline ============================={off}",
        f"{blue}ℹ Pipeline: ['transformer', 'ner']{off}",
        f"{blue}ℹ Initial learn rate: 0.0{off}",
        "E    #       LOSS TRANS...  LOSS NER  ENTS_F  ENTS_P  ENTS_R  SCORE ",
        "---  ------  -------------  --------  ------  ------  ------  ------",
    ]
    err: list[str] = [
        "/opt/venv/lib/python3.10/site-packages/spacy/training/iob_utils.py:149: UserWarning: [W030] Some entities could not be aligned in the text \"Az. 4 O 211/19 LG Köln ...\" with entities \"[(0, 13, 'AKTENZ'), (14, 21, 'GERICHT')]\". Use `spacy.training.offsets_to_biluo_tags(nlp.make_doc(text), entities)` to check the alignment. Misaligned entities ('-') will be ignored during training.",
        "  warnings.warn(",
    ]
    bars = ""
    for number in range(0, 20001, 40):
        epoch = number // 612
        if number == 0:
            trf, ner, prec, rec = 1181.42, 702.17, 0.31, 0.22
        elif number < 7240:
            trf = falls(rng, number, 21000, 160, 500, 0.08)
            ner = falls(rng, number, 18000, 190, 560, 0.08)
            prec = 88.4 * (1 - math.exp(-number / 700)) + rng.gauss(0, 0.7)
            rec = 86.9 * (1 - math.exp(-number / 800)) + rng.gauss(0, 0.8)
        elif number < 7400:
            up = (number - 7200) / 40
            trf, ner = 900 * 3.1**up * rng.uniform(0.9, 1.1), 800 * 2.6**up * rng.uniform(0.9, 1.1)
            prec, rec = max(0, 88 - 27 * up + rng.gauss(0, 2)), max(0, 87 - 30 * up + rng.gauss(0, 2))
        else:
            trf, ner = rng.gauss(412, 60), rng.gauss(27300, 1900)
            prec = rec = 0.0
        if min(prec, rec) <= 0:
            prec = rec = 0.0
        both = 2 * prec * rec / (prec + rec) if prec + rec else 0.0
        out.append(
            f"{epoch:3d}  {number:6d}  {trf:13.2f}  {ner:8.2f}  {both:6.2f}  {prec:6.2f}  {rec:6.2f}  {both / 100:6.2f}"
        )
        if number % 400 == 0 and number:
            bars += "".join(
                f"\rEpoch {epoch + 1}: {100 * k // 40:3d}%|{bar(k, 40)}| {k}/40 [{hms(k * 0.61)}<{hms((40 - k) * 0.61)},  1.64it/s]"
                for k in (0, 9, 21, 33)
            )
        if number == 3000:
            err.append(bars)
            bars = ""
            err += [
                "wandb: Network error (ConnectTimeout), entering retry loop.",
                "wandb: Network error resolved after 0:00:41.310522, resuming normal operation.",
            ]
    err.append(bars)
    out += [f"{green}✔ Saved pipeline to output directory{off}", "training/ner_trf/model-last"]
    put(place, "train.out", out)
    put(place, "train.err", err)


def c07_mmdetection(place: Path, rng: Random) -> None:
    """A resume after the head was changed: the optimizer's state does not fit; the log's head is gone."""
    now = 86400 + 54123.0
    tag = f"{clock(now, '%m/%d %H:%M:%S')} - mmengine - "
    later = f"{clock(now + 3, '%m/%d %H:%M:%S')} - mmengine - "
    last = f"{clock(now + 5, '%m/%d %H:%M:%S')} - mmengine - "
    site = "/opt/conda/lib/python3.8/site-packages"
    put(
        place,
        "slurm-481207.out",
        [
            "val_evaluator = dict(",
            "    ann_file='data/pcb/annotations/val.json',",
            "    metric=['bbox', 'segm'],",
            "    type='CocoMetric')",
            "work_dir = './work_dirs/mask-rcnn_r50_pcb'",
            "",
            tag
            + "INFO - Distributed training is not used, all SyncBatchNorm (SyncBN) layers in the model will be automatically reverted to BatchNormXd layers if they are used.",
            later + "INFO - Hooks will be executed in the following order:",
            "before_run:",
            "(VERY_HIGH   ) RuntimeInfoHook                    ",
            "(BELOW_NORMAL) LoggerHook                         ",
            " -------------------- ",
            "loading annotations into memory...",
            f"Done (t={rng.uniform(0.3, 0.6):.2f}s)",
            "creating index...",
            "index created!",
            last
            + "INFO - Auto resumed from the latest checkpoint /home/tkim/mmdetection/work_dirs/mask-rcnn_r50_pcb/epoch_8.pth.",
            "Loads checkpoint by local backend from path: /home/tkim/mmdetection/work_dirs/mask-rcnn_r50_pcb/epoch_8.pth",
            "The model and loaded state dict do not match exactly",
            "",
            "size mismatch for roi_head.bbox_head.fc_cls.weight: copying a param with shape torch.Size([7, 1024]) from checkpoint, the shape in current model is torch.Size([10, 1024]).",
            "size mismatch for roi_head.bbox_head.fc_cls.bias: copying a param with shape torch.Size([7]) from checkpoint, the shape in current model is torch.Size([10]).",
            "size mismatch for roi_head.bbox_head.fc_reg.weight: copying a param with shape torch.Size([24, 1024]) from checkpoint, the shape in current model is torch.Size([36, 1024]).",
            "size mismatch for roi_head.bbox_head.fc_reg.bias: copying a param with shape torch.Size([24]) from checkpoint, the shape in current model is torch.Size([36]).",
            "unexpected key in source state_dict: backbone.layer4.2.conv2.conv_offset.weight, backbone.layer4.2.conv2.conv_offset.bias",
            "",
            "Traceback (most recent call last):",
            '  File "tools/train.py", line 121, in <module>',
            "    main()",
            '  File "tools/train.py", line 117, in main',
            "    runner.train()",
            f'  File "{site}/mmengine/runner/runner.py", line 1764, in train',
            "    self.load_or_resume()",
            f'  File "{site}/mmengine/runner/runner.py", line 1702, in load_or_resume',
            "    self.resume(resume_from)",
            f'  File "{site}/mmengine/runner/runner.py", line 2095, in resume',
            "    self.optim_wrapper.load_state_dict(  # type: ignore",
            f'  File "{site}/mmengine/optim/optimizer/optimizer_wrapper.py", line 324, in load_state_dict',
            "    self.optimizer.load_state_dict(state_dict)",
            f'  File "{site}/torch/optim/optimizer.py", line 390, in load_state_dict',
            '    raise ValueError("loaded state dict contains a parameter group "',
            "ValueError: loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
        ],
    )


def c08_icefall(place: Path, rng: Random) -> None:
    """A zipformer that runs out of CUDA memory on a long batch; beside it lies the decoding of the last model."""
    now = 86400 + 61000.0
    out: list[str] = []

    def say(text: str, where: str = "train.py:1034", level: str = "INFO") -> None:
        out.append(f"{clock(now)},{int(rng.random() * 1000):03d} {level} [{where}] {text}")

    say("Training started", "train.py:1172")
    say("Device: cuda:0", "train.py:1182")
    say(
        "{'best_train_loss': inf, 'best_valid_loss': inf, 'best_train_epoch': -1, 'best_valid_epoch': -1, "
        "'batch_idx_train': 0, 'log_interval': 50, 'reset_interval': 200, 'valid_interval': 3000, 'world_size': 1, "
        "'num_epochs': 30, 'start_epoch': 1, 'exp_dir': PosixPath('zipformer/exp-giga'), 'max_duration': 1400, "
        "'use_fp16': True, 'blank_id': 0, 'vocab_size': 500}",
        "train.py:1194",
    )
    say("About to create model", "train.py:1196")
    now += 2
    say("Number of model parameters: 65549011", "train.py:1200")
    now += 4
    say("About to get train cuts", "asr_datamodule.py:421")
    say(
        "Sanity check -- see if any of the batches in epoch 1 would cause OOM.",
        "train.py:1382",
    )
    now += 19
    for k in range(4):
        say(f"Maximum memory allocated so far is {17000 + 941 * k}MB", "train.py:1410")
        now += 2
    for batch in range(0, 6851, 50):
        loss = falls(rng, batch, 1.3, 0.31, 900, 0.02) + 6.1 * math.exp(-batch / 55)
        mean = falls(rng, batch, 1.35, 0.33, 950, 0.004) + 6.05 * math.exp(-batch / 80)
        here = rng.uniform(31000, 34600)
        say(
            f"Epoch 1, batch {batch}, loss[loss={loss:.4g}, simple_loss={loss * 0.83:.4g}, pruned_loss={loss * 0.91:.4g}, "
            f"over {here:.2f} frames. ], tot_loss[loss={mean:.4g}, simple_loss={mean * 0.83:.4g}, "
            f"pruned_loss={mean * 0.91:.4g}, over {min(6500000, (batch + 1) * 33000):.2f} frames. ], "
            f"batch size: {rng.randint(52, 260)}, lr: {0.0225 + 0.0225 * min(batch / 500, 1):.2e}, "
            f"grad_scale: {min(16.0, 2.0 * 2 ** (batch // 1500)):.1f}"
        )
        if batch in (3000, 6000):
            say("Computing validation loss", "train.py:1057")
            now += 61
            say(
                f"Epoch 1, validation: loss={mean * 0.9:.4g}, simple_loss={mean * 0.8:.4g}, pruned_loss={mean * 0.7:.4g}, over 944034.00 frames. ",
                "train.py:1066",
            )
            say("Maximum memory allocated so far is 21873MB", "train.py:1067")
        now += rng.gauss(31.5, 0.8)
    now += 14
    say("Saving checkpoint to zipformer/exp-giga/bad-model-0.pt", "checkpoint.py:75")
    now += 2
    say("Saving batch to zipformer/exp-giga/batch-9f0a3c11-7b4e-d1f2-88aa-0c1d5e90f3b7.pt", "train.py:1340")
    say("features shape: torch.Size([46, 3062, 80])", "train.py:1346")
    say("num tokens: 11204", "train.py:1350")
    out += [
        "Traceback (most recent call last):",
        '  File "./zipformer/train.py", line 1418, in <module>',
        "    main()",
        '  File "./zipformer/train.py", line 1411, in main',
        "    run(rank=0, world_size=1, args=args)",
        '  File "./zipformer/train.py", line 1285, in run',
        "    train_one_epoch(",
        '  File "./zipformer/train.py", line 972, in train_one_epoch',
        "    loss, loss_info = compute_loss(",
        '  File "./zipformer/train.py", line 812, in compute_loss',
        "    simple_loss, pruned_loss, ctc_loss = model(",
        '  File "/opt/icefall/lib/python3.10/site-packages/torch/nn/modules/module.py", line 1501, in _call_impl',
        "    return forward_call(*args, **kwargs)",
        '  File "/ceph/asr/icefall/egs/gigaspeech/ASR/zipformer/model.py", line 338, in forward',
        "    simple_loss, pruned_loss = self.forward_transducer(",
        '  File "/ceph/asr/icefall/egs/gigaspeech/ASR/zipformer/model.py", line 214, in forward_transducer',
        "    logits = self.joiner(am_pruned, lm_pruned, project_input=False)",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.12 GiB (GPU 0; 23.69 GiB total capacity; 18.04 GiB already allocated; 2.71 GiB free; 20.11 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF",
    ]
    put(place, "exp-giga/train.stdout", out)
    out, now = [], 40000.0
    say("Decoding started", "decode.py:781")
    now += 1
    say("Device: cuda:0", "decode.py:787")
    now += 1
    say("averaging epochs from 21 (excluded) to 30", "decode.py:892")
    now += 9
    say("Number of model parameters: 65549011", "decode.py:920")
    for done in range(0, 101, 20):
        now += 11
        say(f"batch {done}/?, cuts processed until now is {done * 41 + 38}", "decode.py:621")
    now += 2
    say("[test-gigaspeech-greedy_search] %WER 11.27% [44021 / 390656, 6012 ins, 12233 del, 25776 sub ]", "utils.py:657")
    now += 2
    say("Done!", "decode.py:1021")
    put(place, "exp-libri/decode-greedy.log", out)
