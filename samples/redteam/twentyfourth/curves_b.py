"""The curves c08 to c14 of the twenty-fourth set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import clock, falls, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 86400.0


def _ms(seconds: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A clock with milliseconds after a comma, as logging has it."""
    return f"{clock(seconds, form)},{int(seconds * 1000) % 1000:03d}"


def c08_shelf(place: Path, rng: Random) -> None:
    """A continued pre-training on four ranks, torchrun's redirected files, the last rank prints the iterations."""
    start = 2 * DAY + 41 * 60 + 9
    logs: list[list[str]] = [[] for _ in range(4)]
    logs[0] += [
        "using world size: 4, data-parallel size: 2, context-parallel size: 1, tensor-model-parallel size: 2, "
        "pipeline-model-parallel size: 1",
        "using torch.bfloat16 for parameters ...",
        "> setting tensorboard ...",
        "> initializing torch distributed ...",
        "> initialized tensor model parallel with size 2",
        "> initialized pipeline model parallel with size 1",
        "building GPT model ...",
        " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 671272960",
        " loading distributed checkpoint from /ckpt/kuzu-1b3 at iteration 38000",
        " checkpoint version 3.0",
        "  successfully loaded checkpoint from /ckpt/kuzu-1b3 [ t 1/2, p 1/1 ] at iteration 38000",
        f"[after model, optimizer, and learning rate scheduler are built] datetime: {clock(start + 52)} ",
        f"[after dataloaders are built] datetime: {clock(start + 71)} ",
        "done with setup ...",
        "training ...",
        f"[before the start of training step] datetime: {clock(start + 72)} ",
    ]
    logs[1].append(" > number of parameters on (tensor, pipeline) model parallel rank (1, 0): 671272960")
    now = start + 72
    for step in range(38010, 38171, 10):
        took = rng.gauss(8218.6, 21.0)
        now += took / 100
        loss = 2.143 + rng.gauss(0, 0.012)
        logs[3].append(
            f" [{clock(now)}] iteration {step:8d} | consumed samples: {step * 512:12d} | elapsed time per iteration (ms): "
            f"{took:.1f} | learning rate: {1.412e-4 - (step - 38000) * 1.1e-9:.6E} | global batch size:   512 | lm loss: "
            f"{loss:.6E} | loss scale: 1.0 | grad norm: {rng.gauss(0.164, 0.009):.3f} | number of skipped iterations:   0 "
            "| number of nan iterations:   0 |"
        )
    data = 2 * 175 * 3 + 171 * 2
    for rank, kind, group, sequence, wide, narrow, late in (
        (0, "_ALLGATHER_BASE", "5(TENSOR_MODEL_PARALLEL_GROUP)", 1183407, 4194304, 8388608, 1.3),
        (2, "_REDUCE_SCATTER_BASE", "4(DATA_PARALLEL_GROUP)", data, 335636480, 167818240, 6.2),
        (3, "_REDUCE_SCATTER_BASE", "4(DATA_PARALLEL_GROUP)", data, 335636480, 167818240, 6.2),
    ):
        when = now + late + 600.0 + rng.uniform(0, 0.4)
        stamp = f"E{clock(when, '%m%d %H:%M:%S')}.{int(when * 1e9) % 10**9:09d}"
        work = f"WorkNCCL(SeqNum={sequence}, OpType={kind}, NumelIn={wide}, NumelOut={narrow}, Timeout(ms)=600000)"
        head = f"[rank{rank}]:[{stamp} ProcessGroupNCCL.cpp"
        queued = sequence + (1 if rank else 0)
        logs[rank] += [
            f"{head}:616] [Rank {rank}] Watchdog caught collective operation timeout: {work} ran for "
            f"{600000 + rng.randint(8, 99)} milliseconds before timing out.",
            f"{head}:1785] [PG ID {group.split('(')[0]} PG GUID {group} Rank {rank}] Exception (either an error or timeout) "
            f"detected by watchdog at work: {sequence}, last enqueued NCCL work: {queued}, last completed NCCL work: "
            f"{sequence - 1}.",
            f"{head}:630] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of "
            "CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"{head}:636] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        ]
    for rank in range(4):
        put(place, f"attempt_0/{rank}/stdout.log", logs[rank])


def c09_leaves(place: Path, rng: Random) -> None:
    """A detector of plants' leaves, a script over detectron2, and its job in accounting."""
    start = DAY + 15 * 3600 + 27 * 60 + 4
    log: list[str] = []

    def say(when: float, name: str, text: str, level: str = "INFO") -> None:
        mark = "" if level == "INFO" else f"{level} "
        log.append(f"{mark}[{clock(when, '%m/%d %H:%M:%S')} {name}]: {text}")

    log.append("** leaf boxes: 3 sources, reading sizes from the pictures")
    warning = "libpng warning: iCCP: known incorrect sRGB profile"
    for source, pictures, noisy in (("field21", 3120, 61), ("green_house", 1804, 84), ("phone", 966, 17)):
        log += [warning] * noisy
        log.append(f"   {source}: {pictures} pictures, {int(pictures * rng.uniform(9, 14))} boxes")
    now = start + 96
    say(now, "d2.data.build", "Removed 41 images with no usable annotations. 5849 images left.")
    say(now, "d2.data.build", "Distribution of instances among all 3 categories:")
    log += [
        "|  category  | #instances   |  category  | #instances   |  category  | #instances   |",
        "|:----------:|:-------------|:----------:|:-------------|:----------:|:-------------|",
        "|  healthy   | 41207        |    rust    | 16831        |   mildew   | 9044         |",
        "|            |              |            |              |            |              |",
        "|   total    | 67082        |            |              |            |              |",
    ]
    say(
        now,
        "d2.data.dataset_mapper",
        "[DatasetMapper] Augmentations used in training: [ResizeShortestEdge(short_edge_length=(640, 672, 704, 736, 768, "
        "800), max_size=1333, sample_style='choice'), RandomFlip()]",
    )
    say(now, "d2.data.build", "Using training sampler TrainingSampler")
    say(now, "d2.data.common", "Serializing 5849 elements to byte tensors and concatenating them all ...")
    say(now + 1, "d2.data.common", "Serialized dataset takes 9.71 MiB")
    say(now + 1, "d2.data.build", "Making batched data loader with batch_size=8")
    say(
        now + 4,
        "d2.checkpoint.detection_checkpoint",
        "[DetectionCheckpointer] Loading from detectron2://COCO-Detection/faster_rcnn_R_50_FPN_3x/137849458/"
        "model_final_280758.pkl ...",
    )
    for part, want in (("cls_score.weight", "(4, 1024)"), ("bbox_pred.weight", "(12, 1024)")):
        had = "(81, 1024)" if part[0] == "c" else "(320, 1024)"
        say(
            now + 5,
            "fvcore.common.checkpoint",
            f"Skip loading parameter 'roi_heads.box_predictor.{part}' to the model due to incompatible shapes: {had} in "
            f"the checkpoint but {want} in the model! You might want to double check if this is expected.",
            "WARNING",
        )
    say(now + 6, "d2.engine.train_loop", "Starting training from iteration 0")
    log += [warning] * 9
    say(now + 9, "d2.engine.train_loop", "Exception during training:", "ERROR")
    site = "/home/agrolab/env/lib/python3.10/site-packages"
    trace = [
        "Traceback (most recent call last):",
        f'  File "{site}/detectron2/engine/train_loop.py", line 155, in train',
        "    self.run_step()",
        f'  File "{site}/detectron2/engine/defaults.py", line 496, in run_step',
        "    self._trainer.run_step()",
        f'  File "{site}/detectron2/engine/train_loop.py", line 297, in run_step',
        "    data = next(self._data_loader_iter)",
        f'  File "{site}/detectron2/data/common.py", line 330, in __iter__',
        "    for d in self.dataset:",
        f'  File "{site}/torch/utils/data/dataloader.py", line 631, in __next__',
        "    data = self._next_data()",
        f'  File "{site}/torch/utils/data/dataloader.py", line 1346, in _next_data',
        "    return self._process_data(data)",
        f'  File "{site}/torch/utils/data/dataloader.py", line 1372, in _process_data',
        "    data.reraise()",
        f'  File "{site}/torch/_utils.py", line 722, in reraise',
        "    raise exception",
        "KeyError: Caught KeyError in DataLoader worker process 0.",
        "Original Traceback (most recent call last):",
        f'  File "{site}/torch/utils/data/_utils/worker.py", line 308, in _worker_loop',
        "    data = fetcher.fetch(index)",
        f'  File "{site}/torch/utils/data/_utils/fetch.py", line 41, in fetch',
        "    data = next(self.dataset_iter)",
        f'  File "{site}/detectron2/data/common.py", line 296, in __iter__',
        "    yield self.dataset[idx]",
        f'  File "{site}/detectron2/data/common.py", line 125, in __getitem__',
        "    data = self._map_func(self._dataset[cur_idx])",
        f'  File "{site}/detectron2/data/dataset_mapper.py", line 189, in __call__',
        "    self._transform_annotations(dataset_dict, transforms, image_shape)",
        f'  File "{site}/detectron2/data/dataset_mapper.py", line 127, in _transform_annotations',
        "    annos = [",
        f'  File "{site}/detectron2/data/dataset_mapper.py", line 128, in <listcomp>',
        "    utils.transform_instance_annotations(",
        f'  File "{site}/detectron2/data/detection_utils.py", line 302, in transform_instance_annotations',
        '    bbox = BoxMode.convert(annotation["bbox"], annotation["bbox_mode"], BoxMode.XYXY_ABS)',
        "KeyError: 'bbox_mode'",
        "",
    ]
    log += trace
    say(now + 9, "d2.engine.hooks", "Total training time: 0:00:03 (0:00:00 on hooks)")
    say(now + 9, "d2.utils.events", " iter: 0       lr: N/A  max_mem: 171M")
    log += [
        "Traceback (most recent call last):",
        '  File "/home/agrolab/leaf/run_boxes.py", line 88, in <module>',
        "    trainer.train()",
        f'  File "{site}/detectron2/engine/defaults.py", line 486, in train',
        "    super().train(self.start_iter, self.max_iter)",
        *trace[1:],
    ]
    put(place, "boxes_9313.out", log)
    form = "%Y-%m-%dT%H:%M:%S"
    begin, end = start - 8, now + 12
    spent = clock(end - begin, "%H:%M:%S")
    put(
        place,
        "boxes_9313.sacct",
        [
            "JobID|JobName|State|ExitCode|Start|End|Elapsed|Timelimit|MaxRSS|AllocTRES",
            f"9313|boxes|FAILED|1:0|{clock(begin, form)}|{clock(end, form)}|{spent}|08:00:00||"
            "billing=8,cpu=8,gres/gpu=1,mem=48G,node=1",
            f"9313.batch|batch|FAILED|1:0|{clock(begin, form)}|{clock(end, form)}|{spent}||5120448K|"
            "cpu=8,gres/gpu=1,mem=48G,node=1",
        ],
    )


def c10_fabric(place: Path, rng: Random) -> None:
    """A classifier of textiles in MindSpore: a line every 40 steps, an evaluation and a checkpoint an epoch."""
    log = [
        "device target GPU, graph mode, amp O0, batch 64",
        "train 24960 pictures, val 2600, classes 100",
        "resnet101, params 42.7M, momentum, cosine",
    ]
    now = 3 * DAY + 8 * 3600 + 2 * 60 + 55.0
    chance = math.log(100)
    for epoch in range(1, 55):
        spent = 0.0
        for step in range(40, 391, 50):
            took = 50 * 0.1873 * rng.uniform(0.99, 1.01)
            spent += took
            loss = chance + abs(rng.gauss(0.0015, 0.004)) + (0.37 * math.exp(-step / 30) if epoch == 1 else 0)
            log.append(f"{clock(now + spent)} epoch: {epoch} step: {step}, loss is {loss:.7f}")
        now += 390 * 0.1873
        whole = 390 * 187.3 * rng.uniform(0.998, 1.004)
        log.append(f"Train epoch time: {whole:.3f} ms, per step time: {whole / 390:.3f} ms")
        if epoch == 17:
            stamp = clock(now, "%Y-%m-%d-%H:%M:%S")
            log += [
                f"[CRITICAL] ME(28817:140611,MainProcess):{stamp}.{rng.randint(0, 999):03d}.{rng.randint(0, 999):03d} "
                "[mindspore/train/serialization.py:256] Failed to save the checkpoint file "
                f"/nfs/textile/ckpt/r101-{epoch}_390.ckpt. Maybe don't have the permission to write files, or the disk "
                "space is insufficient and so on.",
                f"{clock(now + 2)} save: [Errno 116] Stale file handle, trying again in 30 s (1/5)",
                f"{clock(now + 33)} save: ok after 1 retry",
            ]
            now += 33
        now += 7.4
        top = 0.01 if epoch > 2 else 0.0104
        log.append(f"{clock(now)} eval epoch {epoch}: top1 {top:.4f} top5 {0.05 + rng.choice((0, 0, 0.0004)):.4f}")
    put(place, "textile_r101.log", log)


def c11_voces(place: Path, rng: Random) -> None:
    """A recogniser of speech by hand in Spanish, a file an attempt, beside it the log of another program's work."""
    for attempt, (first, last) in enumerate(((1, 2350), (2001, 4710)), start=1):
        log = [
            f"== intento {attempt} ==",
            "conjunto: voces_andinas, 412 horas, 318 hablantes",
            "modelo: conformer 16 capas, 83.1 M parámetros, gpu: NVIDIA RTX A6000",
            "total de pasos previsto: 40000",
        ]
        if attempt == 2:
            log.append("se reanuda desde puntos/voces_2000.pt (paso 2000, optimizador y planificador incluidos)")
        for step in range(first + (-first) % 25, last + 1, 25):
            loss = falls(rng, step, 6.4, 0.61, 1100, 0.02)
            log.append(
                f"paso {step} | pérdida ctc {loss:.3f} | norma {rng.gauss(2.1, 0.2):.2f} | tasa "
                f"{8e-4 * min(1, step / 3000):.2e} | {rng.gauss(31.4, 0.5):.1f} audios/s"
            )
            if step % 1000 == 0:
                log.append(f"validación en {step}: pérdida {loss * 1.08:.3f} cer {min(0.97, loss * 0.085 + 0.02):.3f}")
                log.append(f"guardado puntos/voces_{step}.pt")
        pid = (90412, 97733)[attempt - 1]
        log.append(
            f"./lanza.sh: línea 22: {pid} Terminado (killed)      "
            "python3 entrena_voces.py --config voces.toml --reanudar auto"
        )
        log.append("código de salida: 137")
        put(place, f"registros/voces_intento{attempt}.log", log)
    other = [
        "== separación de hablantes, lote 7 ==",
        "modelo: ecapa (solo inferencia), gpu: NVIDIA RTX A6000",
        "archivos por hacer: 880",
    ]
    other += [f"hechos {n}/880, hablantes hallados {int(n * 2.3 + rng.uniform(0, 5))}" for n in range(40, 881, 40)]
    other += ["escrito resultados/lote7.rttm", "fin, 0 archivos con fallos", "código de salida: 0"]
    put(place, "registros/separa_lote7.log", other)


def c12_surfaces(place: Path, rng: Random) -> None:
    """Energies and forces of surfaces by fairchem, whose lines go without a clock."""
    log = [
        "(INFO): Running in local mode without elastic launch (single gpu only)",
        "(INFO): Setting env PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        "(INFO): Project root: /gpfs/wk/tsuji/cat/lib/python3.11/site-packages/fairchem",
        "(INFO): amp: true",
        "cmd:",
        "  commit: core:None,experimental:NA",
        "  identifier: eq2-ox",
        "  print_every: 50",
        "  seed: 0",
        "  version: 1.10.0",
        "dataset:",
        "  format: ase_db",
        "  src: /gpfs/wk/tsuji/oxides/train",
        "gpus: 1",
        "logger: tensorboard",
        "model:",
        "  name: hydra",
        "optim:",
        "  batch_size: 8",
        "  clip_grad_norm: 100",
        "  eval_batch_size: 12",
        "  eval_every: 5000",
        "  lr_initial: 0.0004",
        "  max_epochs: 12",
        "  num_workers: 8",
        "  optimizer: AdamW",
        "task: {}",
        "trainer: ocp",
        "val_dataset:",
        "  src: /gpfs/wk/tsuji/oxides/val",
        "",
        "(INFO): Loading model: hydra",
        "(INFO): Loaded HydraModel with 31058690 parameters.",
        "(INFO): Loading dataset: ase_db",
        "(INFO): rank: 0: Sampler created...",
        "(INFO): Created BalancedBatchSampler with sampler=<fairchem.core.common.data_parallel.StatefulDistributedSampler "
        "object at 0x14f0a8c0fd10>, batch_size=8, drop_last=False",
    ]
    per = 20184
    for step in range(50, 9201, 50):
        energy = falls(rng, step, 2.1, 0.21, 1500, 0.05)
        forces = falls(rng, step, 0.148, 0.031, 1900, 0.03)
        lr = 4e-4 * min(1.0, 0.2 + 0.8 * step / 2000)
        log.append(
            f"(INFO): energy_mae: {energy:.2e}, forces_mae: {forces:.2e}, forces_cosine_similarity: "
            f"{min(0.93, 0.1 + 0.8 * (1 - math.exp(-step / 2500))):.2e}, loss: {energy * 4 + forces * 100:.2e}, "
            f"grad_norm: {rng.gauss(14, 2):.2e}, lr: {lr:.2e}, epoch: {step / per:.2e}, step: {step:.2e}"
        )
        if step == 5000:
            log += [
                "(INFO): Evaluating on val.",
                f"(INFO): energy_mae: {energy * 1.1:.4f}, forces_mae: {forces * 1.06:.4f}, loss: "
                f"{(energy * 4 + forces * 100) * 1.07:.4f}, epoch: {step / per:.4f}",
            ]
    put(place, "eq2-ox.log", log)


def c13_moths(place: Path, rng: Random) -> None:
    """Pictures of moths in Keras, two jobs in a chain, a log each; the program stops itself before the limit."""
    begin = DAY + 18 * 3600
    parts = ((1, 34, begin, "482016"), (35, 51, begin + 8 * 3600 + 1220, "482017"))
    for first, last, start, job in parts:
        now = start
        best = math.inf
        log = [
            f"job {job} on a100-14, {clock(now)}",
            "dependency: afterany:482016" if first > 1 else "dependency: none",
            "214 species, 61,304 train / 6,811 val images",
            f"state.json: {{'next_epoch': {first - 1}}}" if first > 1 else "state.json: not there, epoch 0",
            "EfficientNetV2M, weights=None, AdamW 1e-3, mixed_float16",
            f"fit(epochs=90, initial_epoch={first - 1}), time budget 8.0 h",
        ]
        for epoch in range(first, last + 1):
            took = rng.gauss(838, 4)
            now += took
            age = epoch - first + 1
            loss = falls(rng, age - 1, 5.21, 0.55, 7, 0.012)
            jolt = 1.0
            if (first == 1 and epoch in (16, 25)) or (first > 1 and epoch == 43):
                jolt = 2.3
            loss *= jolt
            value = loss * 1.11 + 0.08
            hits = max(0.007, min(0.86, math.exp(-loss * 0.75) * 1.06))
            seen = max(0.006, min(0.8, math.exp(-value * 0.75)))
            log += [
                f"Epoch {epoch}/90",
                f"958/958 - {took:.0f}s - {took * 1000 / 958:.0f}ms/step - accuracy: {hits:.4f} - loss: {loss:.4f} - "
                f"val_accuracy: {seen:.4f} - val_loss: {value:.4f} - learning_rate: "
                f"{5e-4 * (1 + math.cos(math.pi * epoch / 90)):.4e}",
            ]
            if value < best:
                was = "inf" if best == math.inf else f"{best:.5f}"
                saved = f"Epoch {epoch}: val_loss improved from {was} to {value:.5f}, saving model to best_{job}.keras"
                best = value
            else:
                saved = f"Epoch {epoch}: val_loss did not improve from {best:.5f}"
            log[-1:] = ["", saved, log[-1]]
        if first == 1:
            log += [
                f"{clock(now)} time budget used, wrote state.json (next_epoch 34), leaving for the next job",
                "exit 0",
            ]
        put(place, f"moths_{job}.out", log)


def c14_lecture(place: Path, rng: Random) -> None:
    """A recogniser of lectures by icefall's zipformer, a log a rank, and what the batch system wrote."""
    start = 2 * DAY + 7 * 3600 + 3 * 60 + 12
    limit = start - 14 + 12 * 3600
    name = clock(start, "%Y-%m-%d-%H-%M-%S")
    for rank in range(4):
        now = start + rng.uniform(0, 0.2)
        log: list[str] = []

        def say(where: str, text: str, level: str = "INFO") -> None:
            log.append(f"{_ms(now)} {level} [{where}] ({rank}/4) {text}")  # noqa: B023

        log.append(f"{_ms(now)} INFO [train.py:1182] ({rank}/4) Training started")
        say("train.py:1192", f"Device: cuda:{rank}")
        if rank == 0:
            say(
                "train.py:1204",
                "{'batch_idx_train': 0, 'log_interval': 500, 'valid_interval': 3000, 'num_epochs': 30, 'start_epoch': 1, "
                "'max_duration': 1600, 'base_lr': 0.045, 'world_size': 4, 'causal': True, 'use_fp16': True, 'exp_dir': "
                "PosixPath('zipformer/exp-lecture-long')}",
            )
        say("train.py:1206", "About to create model")
        now += 1.4
        say("train.py:1210", "Number of model parameters: 148439574")
        now += 3.8
        say("asr_datamodule.py:442", "About to get train cuts, lectures of up to 90 s")
        now += 214
        shared = start + 232.0
        for batch in range(0, 2501, 500):
            now = shared + batch * 16.61 + rng.uniform(0, 0.02)
            simple = falls(rng, batch, 7.6, 0.42, 520, 0.03)
            pruned = falls(rng, batch, 7.3, 0.39, 560, 0.03)
            frames = rng.uniform(38800, 39900)
            total = min(batch + 1, 200) * frames * 0.993
            lr = 0.045 * (0.5 + 0.5 * min(1.0, batch / 500)) * (1 + (batch / 7500) ** 2) ** -0.25
            values = f"loss={0.5 * simple + pruned:.4g}, simple_loss={simple:.4g}, pruned_loss={pruned:.4g}"
            drag = 1.0 if batch == 0 else 1 + 0.09 * math.exp(-batch / 1500) + rng.gauss(0, 0.01)
            whole = (
                f"loss={(0.5 * simple + pruned) * drag:.4g}, simple_loss={simple * drag:.4g}, "
                f"pruned_loss={pruned * drag:.4g}"
            )
            say(
                "train.py:1056",
                f"Epoch 1, batch {batch}, loss[{values}, over {frames:.2f} frames. ], tot_loss[{whole}, over {total:.2f} "
                f"frames. ], batch size: {rng.randint(18, 61)}, lr: {lr:.2e}, grad_scale: {2.0 if batch < 1500 else 8.0}",
            )
        put(place, f"exp-lecture-long/log/log-train-{name}-{rank}", log)
    put(
        place,
        "lecture-long.633107.out",
        [
            f"slurmstepd: error: *** JOB 633107 ON v100-3-05 CANCELLED AT {clock(limit, '%Y-%m-%dT%H:%M:%S')} DUE TO TIME "
            "LIMIT ***",
        ],
    )
