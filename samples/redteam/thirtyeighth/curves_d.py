"""Curves c07 to c12 of the thirty-eighth set.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.thirtyeighth.kit_cv import Clock, falling, put, span

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c07_skylark(place: Path, rng: Random) -> None:
    """A voice that is never trained: the first try lacks a built module, the second meets a newer trainer."""
    seed = rng.randint(1000, 9999)
    home = "/home/ingrid/piper/src/python"
    head = [
        "$ python3 -m piper_train --dataset-dir ~/voices/nb_skylark --accelerator gpu --devices 1 --batch-size 20 \\",
        "    --validation-split 0.02 --num-test-examples 4 --max_epochs 3400 --checkpoint-epochs 50 --precision 32",
    ]
    named = (
        "DEBUG:piper_train:Namespace(dataset_dir='/home/ingrid/voices/nb_skylark', checkpoint_epochs=50,"
        " quality='medium', accelerator='gpu', devices='1', max_epochs=3400, precision='32', batch_size=20,"
        f" validation_split=0.02, seed={seed})"
    )
    first = [
        *head,
        "WARNING:numexpr.utils:could not read NUMEXPR_MAX_THREADS ('auto'), taking 8 threads",
        "INFO:numexpr.utils:NumExpr defaulting to 8 threads.",
        "Traceback (most recent call last):",
        '  File "/usr/lib/python3.10/runpy.py", line 196, in _run_module_as_main',
        "    return _run_code(code, main_globals, None,",
        f'  File "{home}/piper_train/__main__.py", line 10, in <module>',
        "    from .vits.lightning import VitsModel",
        f'  File "{home}/piper_train/vits/lightning.py", line 15, in <module>',
        "    from .models import MultiPeriodDiscriminator, SynthesizerTrn",
        f'  File "{home}/piper_train/vits/models.py", line 10, in <module>',
        "    from . import attentions, commons, modules, monotonic_align",
        f'  File "{home}/piper_train/vits/monotonic_align/__init__.py", line 4, in <module>',
        "    from .monotonic_align.core import maximum_path_c",
        "ModuleNotFoundError: No module named 'piper_train.vits.monotonic_align.monotonic_align'",
    ]
    second = [
        "$ ./build_monotonic_align.sh",
        "Compiling core.pyx because it changed.",
        "[1/1] Cythonizing core.pyx",
        *head,
        "WARNING:numexpr.utils:could not read NUMEXPR_MAX_THREADS ('auto'), taking 8 threads",
        "INFO:numexpr.utils:NumExpr defaulting to 8 threads.",
        named,
        (
            "ERROR:fsspec.local:[Errno 11] Resource temporarily unavailable:"
            " '/home/ingrid/voices/nb_skylark/config.json' (lock held)"
        ),
        "INFO:fsspec.local:lock is free again, config.json read at the second try",
        "DEBUG:piper_train:Checkpoints will be saved every 50 epoch(s)",
        "Traceback (most recent call last):",
        '  File "/usr/lib/python3.10/runpy.py", line 196, in _run_module_as_main',
        "    return _run_code(code, main_globals, None,",
        '  File "/usr/lib/python3.10/runpy.py", line 86, in _run_code',
        "    exec(code, run_globals)",
        f'  File "{home}/piper_train/__main__.py", line 147, in <module>',
        "    main()",
        f'  File "{home}/piper_train/__main__.py", line 55, in main',
        "    trainer = Trainer.from_argparse_args(args)",
        "AttributeError: type object 'Trainer' has no attribute 'from_argparse_args'",
    ]
    put(place / "skylark_1.log", first)
    put(place / "skylark_2.log", second)


def c08_ferryman(place: Path, rng: Random) -> None:
    """A tuning that writes its whole state after every step, and so waits for the file server most of the day."""
    clock = Clock(2026, 4, 8, 8, 31, 20)

    def say(text: str, level: str = "INFO") -> str:
        return f"[{clock.millis()}] [{level:>8}] - {text}"

    rule = "=" * 60
    out = [
        say(rule),
        say("     Training Configuration Arguments    "),
        say("paddle commit id              : 8c0529fbbd2d4d4cd0f1b3c5e1f1d7d16ed1d7f5"),
        say("paddlenlp commit id           : 5d4ab7a1cf1e9a1e8c1f21a0cb0e1a0d9d9c1c52"),
        say("bf16                          : True"),
        say("device                        : gpu"),
        say("gradient_accumulation_steps   : 2"),
        say("learning_rate                 : 2.5e-05"),
        say("logging_steps                 : 1"),
        say("output_dir                    : /nfs/ferry/out_b3"),
        say("per_device_train_batch_size   : 6"),
        say("save_steps                    : 1"),
        say("save_strategy                 : IntervalStrategy.STEPS"),
        say("save_total_limit              : 2"),
        say("sharding                      : []"),
        say("world_size                    : 1"),
        say(rule),
        say("Loading weights file model.safetensors from cache at /nfs/ferry/base/ernie-4.5-0.3b"),
    ]
    clock.tick(11.31)
    out += [
        say("All model checkpoint weights were used when initializing Ernie4_5_ForCausalLM."),
        say("The global seed is set to 42, local seed is set to 43 and random seed is set to 42."),
        say("***** Running training *****"),
        say("  Instantaneous batch size per device = 6"),
        say("  Total train batch size (w. parallel, distributed & accumulation) = 12"),
        say("  Number of trainable parameters = 361,051,136 (per device)"),
    ]
    begun, losses = clock.now, 0.0
    steps = 118
    for step in range(1, steps + 1):
        work = rng.uniform(0.52, 0.61) + (4.0 if step == 1 else 0.0)
        clock.tick(work)
        loss = falling(rng, step, 3.92, 0.81, 13, 0.03)
        losses += loss
        out.append(
            say(
                f"loss: {loss:.6f}, learning_rate: {2.5e-5 * min(1, step / 8) * (1 - 0.9 * step / steps):.3e},"
                f" global_step: {step}, current_memory_allocated: 5.39 GB, max_memory_reserved: 21.8 GB,"
                f" interval_runtime: {work:.4f}, interval_samples_per_second: {12 / work:.4f},"
                f" interval_steps_per_second: {1 / work:.4f}, ppl: {math.exp(loss):.4f}"
            )
        )
        out.append(say(f"Saving model checkpoint to /nfs/ferry/out_b3/checkpoint-{step}"))
        wait = rng.uniform(46.0, 58.0)
        clock.tick(wait)
        out.append(say(f"Saving optimizer files, checkpoint-{step} is complete (5.05 GB, {wait:.1f} s)"))
    ran = (clock.now - begun).total_seconds()
    out += [
        say("\nTraining completed. \n"),
        say(
            f"train_runtime: {ran:.4f}, train_samples_per_second: {12 * steps / ran:.4f}, train_steps_per_second:"
            f" {steps / ran:.4f}, train_loss: {losses / steps:.4f}"
        ),
        say("Saving model checkpoint to /nfs/ferry/out_b3"),
        say("***** train metrics *****"),
        say(f"  train_runtime              = {span(ran, True)}"),
        say("***** eval metrics *****"),
        say(f"  eval_loss                  = {falling(rng, steps, 3.92, 0.9, 13, 0.01):.4f}"),
        say("  eval_ppl is under the baseline's 6.71"),
    ]
    put(place / "workerlog.0", out)


def c09_alcotan(place: Path, rng: Random) -> None:
    """A Spanish script that is pushed off its node by a dearer queue and comes back to its last state."""
    clock = Clock(2026, 6, 3, 1, 17, 48)

    def di(text: str) -> str:
        return f"[{clock.form('%d/%m/%Y %H:%M:%S')}] {text}"

    out = [
        di("trabajo 3381907, partición 'prestada' (puede ser expulsado), nodo ibis22, reinicios previos: 0"),
        di("tarea: clasificar avisos de avería (clases: fallo_mortal, error_leve, muerte_subita, sin_novedad)"),
        di("1 x RTX 6000 Ada; 18 432 avisos de entreno, 2 048 de validación; lote 36; 30 épocas = 15 360 pasos"),
        di("AVISO: 7 avisos corruptos descartados; 0 errores fatales"),
        di("no hay estado previo en /datos/alcotan/estado: se empieza de cero (normal en el primer arranque)"),
    ]
    last_state = 0
    step = 0
    back = False
    epoch_steps = 512
    while step < 15360:
        step += 64
        clock.tick(64 * rng.uniform(0.53, 0.57))
        if not back and step == 7616:
            clock.tick(-17)
            out += [
                di("recibida SIGTERM del planificador: un trabajo de la cola 'urgente' pide el nodo"),
                di("matando a los hijos del cargador (4)... muertos los 4"),
                "slurmstepd: error: *** JOB 3381907 ON ibis22 CANCELLED AT "
                + clock.form("%Y-%m-%dT%H:%M:%S")
                + " DUE TO PREEMPTION ***",
            ]
            clock.tick(2821)
            out += [
                di("trabajo 3381907, partición 'prestada' (puede ser expulsado), nodo ibis09, reinicios previos: 1"),
                di(
                    "1 x RTX 6000 Ada; 18 432 avisos de entreno, 2 048 de validación; lote 36; 30 épocas = 15 360 pasos"
                ),
                di("AVISO: 7 avisos corruptos descartados; 0 errores fatales"),
                di(
                    f"estado encontrado: /datos/alcotan/estado/paso_{last_state:05d}.pt; cargados pesos, optimizador y"
                    " orden de datos"
                ),
                di(f"se sigue desde el paso {last_state + 1}"),
            ]
            back = True
            step = last_state
            continue
        out.append(
            di(
                f"paso {step:5d}/15360  pérdida {falling(rng, step, 1.39, 0.118, 700, 0.05):.4f}".replace(".", ",")
                + f"  ritmo {rng.uniform(63, 68):.1f} avisos/s".replace(".", ",")
            )
        )
        if step % epoch_steps == 0:
            clock.tick(11)
            hit = 97.4 - 60 / (1 + step / 600)
            out.append(
                di(
                    f"época {step // epoch_steps:2d}: validación {falling(rng, step, 1.39, 0.13, 700, 0.02):.4f};"
                    f" acierto {hit:.1f} %; F1 de 'muerte_subita' {hit / 100 - 0.06:.3f}".replace(".", ",")
                )
            )
            out.append(di(f"estado guardado: paso_{step:05d}.pt"))
            last_state = step
    out += [
        di("30 épocas hechas; mejor validación en la última"),
        di("prueba final: acierto 95,1 %; se pierden por error 3 de 211 'fallo_mortal'"),
        di("modelo exportado a /datos/alcotan/final.onnx; salida 0"),
    ]
    put(place / "alcotan_3381907.log", out)


def c10_hopper(place: Path, rng: Random) -> None:
    """Three lives on borrowed machines: twice the cloud takes one back, twice the run goes on from its last save."""
    clock = Clock(2026, 3, 27, 19, 48, 2)
    green, reset, yellow, red = "\x1b[32m", "\x1b[0m", "\x1b[5m\x1b[33m", "\x1b[5m\x1b[31m"

    def say(text: str, who: str = "d2.engine.defaults", level: str = "") -> str:
        word = {"": "", "WRN": f"{yellow}WRN{reset} ", "ERR": f"{red}ERR{reset} "}[level]
        return f"{green}[{clock.form('%m/%d %H:%M:%S')} {who}]: {reset}{word}{text}"

    total, ends, saved = 12000, (5230, 9410, 12000), 0
    for life, end in enumerate(ends):
        out = [
            f"## {clock.form('%FT%TZ')} spot instance i-0{rng.getrandbits(60):015x} up, g6e.12xlarge, life {life}",
            say("Rank of current process: 0. World size: 4", "detectron2"),
            say(
                "Command line arguments: Namespace(config_file='configs/hopper_seeds.yaml', eval_only=False,"
                " num_gpus=4, resume=True)",
                "detectron2",
            ),
            say("Full config saved to /mnt/efs/hopper/out/config.yaml", "detectron2"),
            say(f"Using a generated random seed {rng.randint(10**7, 10**8)}", "d2.utils.env"),
        ]
        clock.tick(14)
        out += [
            say("Loaded 21874 images in COCO format from /mnt/efs/hopper/train.json", "d2.data.datasets.coco"),
            say("Removed 311 images with no usable annotations. 21563 images left.", "d2.data.build"),
            f"|{'category':^14}|{'#instances':^13}|{'category':^14}|{'#instances':^13}|",
            "|:------------:|:-----------:|:------------:|:-----------:|",
            f"| {green}husk{reset}         | 41207       | {green}kernel{reset}       | 188340      |",
            f"| {green}stone{reset}        | 3911        | {green}insect{reset}       | 2874        |",
        ]
        if life == 0:
            out.append(
                say(
                    "Loading from https://dl.fbaipublicfiles.com/detectron2/ImageNetPretrained/MSRA/R-101.pkl ...",
                    "d2.checkpoint.detection_checkpoint",
                )
            )
            out.append(
                "\r".join(
                    f"R-101.pkl: {part / 10:4.1f}MB [00:{part // 90:02d}, {rng.uniform(8, 9.5):.2f}MB/s]"
                    for part in range(0, 1790, 210)
                )
            )
            out.append(
                say(
                    "Some model parameters or buffers are not found in the checkpoint:",
                    "fvcore.common.checkpoint",
                    "WRN",
                )
            )
            out.append(
                "\x1b[34mproposal_generator.rpn_head.conv.{bias, weight}\x1b[0m,"
                " \x1b[34mroi_heads.box_predictor.cls_score.{bias, weight}\x1b[0m"
            )
        else:
            out.append(
                say(
                    f"[Checkpointer] Loading from /mnt/efs/hopper/out/model_{saved - 1:07d}.pth ...",
                    "fvcore.common.checkpoint",
                )
            )
            out.append(
                say(
                    f"Loading optimizer from /mnt/efs/hopper/out/model_{saved - 1:07d}.pth ...",
                    "fvcore.common.checkpoint",
                )
            )
            out.append(
                say(
                    f"Loading scheduler from /mnt/efs/hopper/out/model_{saved - 1:07d}.pth ...",
                    "fvcore.common.checkpoint",
                )
            )
        out.append(say(f"Starting training from iteration {saved}", "d2.engine.train_loop"))
        begin = saved
        for iteration in range(begin + 19, end, 20):
            pace = rng.uniform(0.442, 0.461)
            clock.tick(20 * pace)
            done = iteration + 1
            box, cls, mask = (
                falling(rng, done, start, floor, 900, 0.05)
                for start, floor in ((0.71, 0.19), (1.42, 0.14), (0.69, 0.21))
            )
            rpn, loc = falling(rng, done, 0.62, 0.031, 500, 0.08), falling(rng, done, 0.21, 0.048, 700, 0.06)
            rate = 0.02 * min(1, done / 500) * (1 if done < 8000 else 0.1 if done < 11000 else 0.01)
            out.append(
                say(
                    f" eta: {span((total - done) * pace, True)}  iter: {iteration}  total_loss:"
                    f" {box + cls + mask + rpn + loc:.4g}  loss_cls: {cls:.4g}  loss_box_reg: {box:.4g}  loss_mask:"
                    f" {mask:.4g}  loss_rpn_cls: {rpn:.4g}  loss_rpn_loc: {loc:.4g}    time: {pace:.4f}  last_time:"
                    f" {rng.uniform(0.43, 0.48):.4f}  data_time: {rng.uniform(0.011, 0.017):.4f}  last_data_time:"
                    f" {rng.uniform(0.010, 0.019):.4f}   lr: {rate:.5g}  max_mem: 17944M",
                    "d2.utils.events",
                )
            )
            if done == 6600:
                out.append(
                    say(
                        "Caught error in prefetch of /mnt/efs/hopper/img/004/19.png, read again:",
                        "hopper.mapper",
                        "ERR",
                    )
                )
                out.append("Traceback (most recent call last):")
                out.append('  File "/opt/hopper/mapper.py", line 71, in read')
                out.append("    image = utils.read_image(name, format='BGR')")
                out.append("OSError: [Errno 5] Input/output error: '/mnt/efs/hopper/img/004/19.png'")
                clock.tick(2)
                out.append(say("19.png read at try 2", "hopper.mapper"))
            if done % 1000 == 0:
                saved = done
                out.append(
                    say(
                        f"Saving checkpoint to /mnt/efs/hopper/out/model_{done - 1:07d}.pth", "fvcore.common.checkpoint"
                    )
                )
                clock.tick(4)
            if done % 3000 == 0:
                out.append(
                    "\r".join(
                        f"Inference: {100 * part // 47:3d}%|{'█' * (part * 20 // 47):<20}| {part}/47"
                        for part in range(0, 48, 8)
                    )
                    + "\r"
                )
                clock.tick(58)
                out.append(say(f"copypaste: segm AP {41.8 - 26 / (1 + done / 2500):.4f}", "d2.evaluation.testing"))
        if life < 2:
            clock.tick(3)
            out += [
                f"## {clock.form('%FT%TZ')} spot watcher: instance-action terminate in 120 s (capacity is wanted back)",
                (
                    f"## {clock.form('%FT%TZ')} spot watcher: passing signal 15 to the launcher; the fleet will find"
                    " another machine"
                ),
            ]
            clock.tick(1400 + 900 * life)
        else:
            out.append(
                say(
                    f"Overall training speed: {total - begin} iterations in {span((total - begin) * 0.4513, True)}"
                    " (0.4513 s / it)",
                    "d2.engine.hooks",
                )
            )
            out.append(say("Saving checkpoint to /mnt/efs/hopper/out/model_final.pth", "fvcore.common.checkpoint"))
            clock.tick(3)
            out.append(f"## {clock.form('%FT%TZ')} train_net.py left with 0; instance given back by us")
        put(place / f"life_{life}.log", out)


def c11_petrel(place: Path, rng: Random) -> None:
    """A small tagger: it goes on for as long as it gains, stops by its own rule, and keeps the best."""
    clock = Clock(2026, 1, 30, 10, 6, 12)

    def say(text: str) -> str:
        return f"{clock.form('%H:%M:%S')} | {text}"

    out = [
        say("accelerate 1.12.0, 2 processes, mixed precision bf16, 2 x RTX A5000"),
        say(
            "petrel: tags in seabird ring notes; 8 861 notes for training, 940 held out, 1 022 for the end; batch 2"
            " x 16"
        ),
        say("rule: evaluate every 277 updates, go on until four evaluations in a row bring no gain, keep the best"),
        say("model xlm-roberta-base + 1 linear layer of 23 tags, 277.5 M weights, lr 2.1e-05 (constant after 100)"),
    ]
    rows: list[str] = []
    scores = [
        0.6127,
        0.7419,
        0.7984,
        0.8277,
        0.8431,
        0.8560,
        0.8622,
        0.8691,
        0.8735,
        0.8752,
        0.8789,
        0.8801,
        0.8797,
        0.8794,
        0.8800,
        0.8786,
    ]
    best, best_at = 0.0, 0
    update = 0
    for score in scores:
        for _ in range(3):
            near = 92 if update % 277 < 184 else 93
            update += near
            pace = rng.uniform(7.1, 7.5)
            clock.tick(near / pace)
            loss = falling(rng, update, 2.97, 0.041, 110, 0.05)
            rows.append(
                json.dumps(
                    {
                        "update": update,
                        "train_loss": round(loss, 4),
                        "grad_norm": round(falling(rng, update, 6, 0.8, 200, 0.1), 3),
                        "lr": 2.1e-05 * min(1, update / 100),
                        "updates_per_s": round(pace, 2),
                    }
                )
            )
        out.append(say(f"update {update:5d}  loss {loss:.4f}  {pace:.2f} updates/s"))
        clock.tick(8)
        held = falling(rng, update, 2.9, 0.115, 110, 0.01)
        gain = score > best
        if gain:
            best, best_at = score, update
        rows.append(json.dumps({"update": update, "eval_loss": round(held, 4), "eval_f1": score}))
        out.append(
            say(
                f"   held out: loss {held:.4f}  F1 {score:.4f}  "
                + ("gain, kept" if gain else f"no gain over {best:.4f}")
            )
        )
    out += [
        say(f"four in a row without gain: done as the rule has it. best is update {best_at} with F1 {best:.4f}"),
        say("best weights loaded again; notes for the end: F1 0.8774 (rule-based tagger: 0.7130)"),
        say("written: petrel_tagger/model.safetensors, petrel_tagger/tokenizer.json"),
        say("bye, both processes return 0"),
    ]
    put(place / "petrel.log", out)
    put(place / "petrel_metrics.jsonl", rows)


def c12_cairn(place: Path, rng: Random) -> None:
    """Fearsome words that mean nothing, sound training, and a log that is cut off within a line."""
    clock = Clock(2026, 12, 4, 15, 30, 27)
    pid = 41877

    def say(text: str, where: str = "train.py:512", level: str = "I") -> str:
        clock.tick(rng.uniform(0.001, 0.02))
        return f"{level}{clock.form('%m%d %H:%M:%S.%f')} {pid} {where}] {text}"

    out = [
        say(
            "Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared"
            " object file",
            "xla_bridge.py:889",
        ),
        say(
            "Unable to initialize backend 'rocm': module 'jaxlib.xla_extension' has no attribute 'GpuAllocatorConfig'",
            "xla_bridge.py:889",
        ),
        say("Process ID: 0, process count: 1, local devices: 8 x NVIDIA A100-SXM4-80GB", "train.py:161"),
        say("Random seed not provided, using RNGBitGenerator with hardware seed 1764", "train.py:170", "W"),
        say(
            "feature converter: EncDecFeatureConverter; mixture: cairn_legal_spans; {'inputs': 640, 'targets': 96}",
            "seqio_utils.py:44",
        ),
        say(
            "task cairn_death_certificates: 918 220 examples; task cairn_fatal_accidents: 401 733; task"
            " cairn_killed_in_action: 77 018"
        ),
        say("Fatal-accident reports over 640 pieces are cut, 3.1 % of them", "preprocessors.py:88", "W"),
        say(
            "Restoring from T5 1.1 checkpoint gs://t5x-pub/t5_1_1_large/checkpoint_1000000, fallback to scratch is off",
            "checkpoints.py:1022",
        ),
    ]
    clock.tick(93)
    out += [
        say("Restored 558 of 558 arrays, 783 150 080 parameters; step set to 1000000", "checkpoints.py:1191"),
        say(
            "Variable encoder/logits_dense/kernel            size 32899072     shape (embed=1024, vocab=32128)",
            "utils.py:902",
        ),
        say(
            "Training with artificial batch size of 192, from step 1000000 to step 1030000, eval period 1000",
            "train.py:488",
        ),
        say("BEGIN Train loop.", "train.py:603"),
    ]
    clock.tick(118)
    out.append(
        say("Compiled train step; 1 all-reduce killed by the simplifier, 0 aborted rewrites", "partitioning.py:877")
    )
    for step in range(25, 24000 + 1, 25):
        clock.tick(25 * rng.uniform(0.401, 0.422))
        loss = falling(rng, step, 1.874, 0.447, 420, 0.015)
        out.append(
            say(
                f"[{1000000 + step}] collection=train accuracy={0.93 - 0.19 * loss:.4f}, cross_ent_loss={loss:.5f},"
                f" learning_rate=0.0005, grad_norm={falling(rng, step, 1.9, 0.31, 300, 0.08):.4f},"
                f" timing/seqs_per_second={rng.uniform(455, 479):.1f},"
                f" timing/steps_per_second={rng.uniform(2.37, 2.49):.3f}, z_loss={loss * 0.011:.5f}",
                "logging_writer.py:48",
            )
        )
        if step % 1000 == 0:
            out.append(say("Evaluating cairn_fatal_accidents ...", "train.py:655"))
            clock.tick(31)
            out.append(
                say(
                    f"[{1000000 + step}] collection=training_eval/cairn_fatal_accidents"
                    f" loss={falling(rng, step, 1.9, 0.49, 420, 0.006):.5f}",
                    "logging_writer.py:48",
                )
            )
            if step % 4000 == 0:
                out.append(
                    say(
                        f"Saving checkpoint for step {1000000 + step} to gs://cairn/run7/checkpoint_{1000000 + step}",
                        "checkpoints.py:645",
                    )
                )
                clock.tick(26)
                out.append(
                    say(
                        f"Killing background writer threads after checkpoint_{1000000 + step}: all 64 had ended",
                        "checkpoints.py:771",
                    )
                )
    for step in range(24025, 24025 + 25 * 11, 25):
        clock.tick(25 * rng.uniform(0.401, 0.422))
        loss = falling(rng, step, 1.874, 0.447, 420, 0.015)
        out.append(
            say(
                f"[{1000000 + step}] collection=train accuracy={0.93 - 0.19 * loss:.4f}, cross_ent_loss={loss:.5f},"
                f" learning_rate=0.0005, grad_norm={falling(rng, step, 1.9, 0.31, 300, 0.08):.4f},"
                f" timing/seqs_per_second={rng.uniform(455, 479):.1f},"
                f" timing/steps_per_second={rng.uniform(2.37, 2.49):.3f}, z_loss={loss * 0.011:.5f}",
                "logging_writer.py:48",
            )
        )
    out[-1] = out[-1][:121]
    put(place / "cairn_run7.log", out, end="")
