"""Curves c25 to c32 of the twenty-first set. SIMULATED: no line was taken from a real job."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 86400


def c25(place: Path, rng: Random) -> None:
    when, log = 0.72 * DAY, []

    def say(text: str) -> None:
        log.append(f"{clock(when, '%Y-%m-%dT%H:%M:%S.%f')}{rng.randrange(1000):03d}Z stdout F {text}")

    for epoch in range(287, 1000):
        when += 4.61 + rng.gauss(0, 0.05)
        loss = falls(rng, epoch, 2.1, 0.702, 190, 0.006)
        val = 0.7291 - 0.19 * math.exp(-epoch / 160) + rng.gauss(0, 0.0011)
        say(f"Epoch {epoch:05d} | Loss {loss:.4f} | Accuracy {val:.4f} ")
        if epoch % 50 == 0:
            when += 2.3
            say(f"Test accuracy so far {val - 0.0104 + rng.gauss(0, 0.001):.4f} (best val {max(val, 0.72):.4f})")
    when += 2
    say("Testing...")
    when += 3
    say("Test accuracy 0.7187")
    say("model saved to /out/ogbn-arxiv-gat.pt")
    put(place, "gat-train-6f9c-x2lqp.log", log)


def c26(place: Path, rng: Random) -> None:
    log = [
        "{'access_token': None,",
        " 'checkpoint_dir': PosixPath('checkpoints/meta-llama/Llama-3.2-3B-Instruct'),",
        " 'data': ContractQA(mask_prompt=True, val_split_fraction=0.03, prompt_style=<litgpt.prompts.Llama3 object at "
        "0x7f0c5a1e2d10>, "
        "ignore_index=-100, seed=42, num_workers=4, include_multiturn_conversations=False),",
        " 'devices': 1,",
        " 'eval': EvalArgs(interval=200,",
        "                  max_new_tokens=100,",
        "                  max_iters=100,",
        "                  initial_validation=False,",
        "                  final_validation=True,",
        "                  evaluate_example='first'),",
        " 'logger_name': 'csv',",
        " 'lora_alpha': 16,",
        " 'lora_dropout': 0.05,",
        " 'lora_r': 8,",
        " 'num_nodes': 1,",
        " 'optimizer': 'AdamW',",
        " 'out_dir': PosixPath('out/lora-contractqa'),",
        " 'precision': 'bf16-true',",
        " 'quantize': None,",
        " 'seed': 1337,",
        " 'train': TrainArgs(save_interval=200,",
        "                    log_interval=10,",
        "                    global_batch_size=8,",
        "                    micro_batch_size=2,",
        "                    lr_warmup_steps=100,",
        "                    epochs=3,",
        "                    max_tokens=None,",
        "                    max_steps=None,",
        "                    max_seq_length=None)}",
        "Seed set to 1337",
        "Number of trainable parameters: 4,587,520",
        "Number of non-trainable parameters: 3,212,749,824",
        "The longest sequence length in the train data is 3871, the model's maximum sequence length is 3871 and "
        "context length is 131072",
        "Verifying settings ...",
    ]
    when, step = 2.61 * DAY, 0
    for number in range(10, 801, 10):
        when += 10 * 0.72 + rng.gauss(0, 0.4)
        log += [
            f"{clock(when - 7 + back)} WARNING contractqa: sample {rng.randrange(1, 21800)} has an empty `input` "
            "field, "
            "prompt falls back to instruction only"
            for back in sorted(rng.random() * 6 for _ in range(rng.choice((0, 1, 1, 2, 3))))
        ]
        step = number // 4
        took = 690 + rng.gauss(0, 70)
        mark = " (step)" if number % 4 == 0 else ""
        log.append(
            f"Epoch 1 | iter {number} step {step} | loss train: {falls(rng, number, 1.98, 1.04, 160, 0.04):.3f}, val: "
            "n/a | "
            f"iter time: {took:.2f} ms{mark}"
        )
    where = "/home/kasia/.venvs/litgpt/lib/python3.11/site-packages"
    log += [
        "Validating ...",
        "Traceback (most recent call last):",
        '  File "/home/kasia/.venvs/litgpt/bin/litgpt", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        f'  File "{where}/litgpt/__main__.py", line 71, in main',
        "    CLI(parser_data)",
        f'  File "{where}/jsonargparse/_cli.py", line 119, in CLI',
        "    return _run_component(component, init.get(subcommand))",
        f'  File "{where}/litgpt/finetune/lora.py", line 160, in setup',
        "    fabric.launch(main, devices, seed, config, data, checkpoint_dir, out_dir, train, eval, optimizer, "
        "num_nodes)",
        f'  File "{where}/litgpt/finetune/lora.py", line 224, in main',
        "    token_counts = fit(",
        f'  File "{where}/litgpt/finetune/lora.py", line 371, in fit',
        "    val_loss = validate(fabric, model, val_dataloader, dataclasses.replace(eval))",
        f'  File "{where}/torch/utils/_contextlib.py", line 116, in decorate_context',
        "    return func(*args, **kwargs)",
        f'  File "{where}/litgpt/finetune/lora.py", line 414, in validate',
        "    logits = model(input_ids)",
        f'  File "{where}/lightning/fabric/wrappers.py", line 139, in forward',
        "    output = self._forward_module(*args, **kwargs)",
        f'  File "{where}/litgpt/lora.py", line 528, in forward',
        '    raise ValueError(f"Cannot forward sequence of length {T}, max seq length is only {self.max_seq_length}.")',
        "ValueError: Cannot forward sequence of length 4202, max seq length is only 3871.",
    ]
    put(place, "nohup.out", log)


def _fastai(rng: Random, log: list[str], rows: list[str], stage: int) -> None:
    """Thirty epochs of the fastai table with the bars of its console in between."""
    batches, valids = 147, 37
    log.append("epoch     train_loss  valid_loss  accuracy  error_rate  time    ")
    rows.append("epoch,train_loss,valid_loss,accuracy,error_rate,time")
    best = 9.0
    for epoch in range(30):
        far = epoch + (30 if stage else 0)
        rotten = stage == 1 and epoch >= 9
        for done in range(0, batches + 1, 3):
            x = epoch * batches + done
            if stage == 0:
                smooth = falls(rng, x, 5.35, 0.93, 900, 0.006)
            elif rotten:
                smooth = math.nan
            else:
                smooth = (
                    1.418
                    - 0.16 * min(1, x / 900)
                    + (0.03 * math.exp((x - 1010) / 92) if x > 900 else 0)
                    + rng.gauss(0, 0.004)
                )
            spent, left = done * 0.31, (batches - done) * 0.31
            log.append(
                f"Epoch {epoch + 1}/30 : |{'█' * (60 * done // batches)}{'-' * (60 - 60 * done // batches)}| "
                f"{100 * done / batches:.2f}% [{done}/{batches} {hms(spent)}<{hms(left)} {smooth:.4f}]"
            )
        log += [
            (
                f"Epoch {epoch + 1}/30 : |{'█' * (60 * done // valids)}{'-' * (60 - 60 * done // valids)}| "
                f"{100 * done / valids:.2f}% [{done}/{valids} {hms(done * 0.2)}<{hms((valids - done) * 0.2)} "
                f"{smooth:.4f}]"
            )
            for done in range(0, valids + 1, 6)
        ]
        if rotten:
            valid, acc = math.nan, 0.005006
        else:
            valid = falls(rng, far, 4.6, 0.98, 8, 0.008) if stage == 0 or epoch < 7 else (1.583, 2.904)[epoch - 7]
            acc = min(0.81, 0.97 - valid / 5.4) if valid < 5 else 0.02
        minutes = hms(53 + rng.random() * 2)
        cells = (f"{smooth:.6f}", f"{valid:.6f}", f"{acc:.6f}", f"{1 - acc:.6f}", minutes)
        log.append(
            f"{epoch:<10d}"
            + "  ".join(cell.ljust(width) for cell, width in zip(cells, (10, 10, 8, 10, 8), strict=True))
        )
        rows.append(",".join((str(epoch), *cells)))
        if valid < best:
            log.append(f"Better model found at epoch {epoch} with valid_loss value: {valid:.16g}.")
            best = valid


def c27(place: Path, rng: Random) -> None:
    log = [
        "fastai 2.7.14, torch 2.1.2+cu118, NVIDIA GeForce RTX 3090",
        "CUB-200-2011: train 9430, valid 2358, bs 64, resnet50",
    ]
    rows: list[str] = []
    _fastai(rng, log, rows, 0)
    log += [
        "saved models/cub_stage1.pth",
        "",
        "$ python train_birds.py --resume models/cub_stage1.pth --unfreeze --lr-max 1e-2",
        "fastai 2.7.14, torch 2.1.2+cu118, NVIDIA GeForce RTX 3090",
        "CUB-200-2011: train 9430, valid 2358, bs 64, resnet50",
        "loaded models/cub_stage1.pth (with_opt=True)",
    ]
    _fastai(rng, log, rows, 1)
    log.append("saved models/cub_stage2.pth")
    put(place, "train_birds.log", log)
    put(place, "models/history.csv", rows)


def c28(place: Path, rng: Random) -> None:
    when = 1.87 * DAY

    def say(text: str) -> str:
        return f"{clock(when, '%d/%m/%Y %H:%M:%S')} [INFO] {text}"

    log = [
        say("Dispositivo: cuda:0 (NVIDIA L40S, 46068 MiB)"),
        say("Corpus de entrenamiento: 1 284 310 frases; validación: 4 000 frases"),
        say("Modelo: transformer_base es-qu, 61.4 M de parámetros"),
        say("Reanudando desde salida/punto_control_epoca14.pt"),
        say(
            "Estado restaurado: pesos, optimizador, planificador y semilla (época 14, paso 58800, mejor pérdida de "
            "validación 2.6142)"
        ),
    ]
    when += 21
    step, best = 58800, 2.6142
    for epoch in range(15, 31):
        log.append(say(f"--- Comienza la época {epoch} ---"))
        for _part in range(100, 4201, 100):
            when += 100 / (7.4 + rng.gauss(0, 0.06))
            step += 100
            loss = 2.281 + 1.9 * math.exp(-step / 38000) + rng.gauss(0, 0.021)
            log.append(
                say(
                    f"época {epoch} paso {step} | pérdida {loss:.4f} | tasa {0.0442 * step**-0.5:.3e} | norma "
                    f"{0.81 + abs(rng.gauss(0, 0.06)):.2f} | {59200 + rng.gauss(0, 400):.0f} palabras/s"
                )
            )
        when += 44
        valid = 2.4012 + 1.34 * math.exp(-step / 33000) + rng.gauss(0, 0.0035)
        log.append(say(f"Validación tras la época {epoch}: pérdida {valid:.4f}, chrF {44.8 - 9 * (valid - 2.4):.2f}"))
        if valid < best:
            best = valid
            log.append(say(f"Nueva mejor pérdida de validación; guardado salida/mejor.pt ({best:.4f})"))
        log.append(say(f"Punto de control guardado: salida/punto_control_epoca{epoch}.pt"))
    log += [
        say(f"Entrenamiento finalizado. Mejor pérdida de validación: {best:.4f}"),
        say("Evaluación sobre el conjunto de prueba: BLEU 17.84, chrF 44.31"),
        say("Modelo exportado a salida/final. Hasta luego."),
    ]
    put(place, "entrenar.out", log)
    put(
        place,
        "entrenar.err",
        [
            "/home/yupanqui/entorno/lib/python3.10/site-packages/torch/nn/modules/transformer.py:286: UserWarning: "
            "enable_nested_tensor "
            "is True, but self.use_nested_tensor is False because encoder_layer.norm_first was True",
            '  warnings.warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because '
            '{why_not_sparsity_fast_path}")',
            "/home/yupanqui/qu/entrenar.py:88: FutureWarning: You are using `torch.load` with `weights_only=False` "
            "(the current default "
            "value), which uses the default pickle module implicitly.",
            "  estado = torch.load(ruta, map_location=dispositivo)",
        ],
    )


def c29(place: Path, rng: Random) -> None:
    log = [
        "Not using distributed mode",
        "Namespace(data_path='/data/plantdoc', model='resnet34', device='cuda', batch_size=64, epochs=4, workers=8, "
        "opt='sgd', lr=0.005, "
        "momentum=0.9, weight_decay=0.0001, lr_scheduler='cosineannealinglr', print_freq=100, "
        "output_dir='runs/plantdoc', resume='', "
        "start_epoch=0, weights='ResNet34_Weights.IMAGENET1K_V1', amp=True, distributed=False)",
        "Loading data",
        "Loading training data",
        "Took 0.41182351112365723",
        "Loading validation data",
        "Creating data loaders",
        "Creating model",
        "Start training",
    ]
    batches, clockwork = 352, 0.0
    for epoch in range(4):
        rate = 0.005 * 0.5 * (1 + math.cos(math.pi * epoch / 4))
        total = 0.0
        for done in (0, 100, 200, 300):
            x = epoch * batches + done
            now = falls(rng, max(0, x - 10), 3.42, 0.62, 190, 0.03)
            avg = now if done == 0 else (falls(rng, epoch * batches, 3.42, 0.62, 190, 0.01) + 1.4 * now) / 2.4
            acc = round(max(3, min(95, 100 - 28 * now + rng.gauss(0, 2))) * 0.64) / 0.64
            top = min(100.0, round((acc + (100 - acc) * 0.72) * 0.64) / 0.64)
            gap = 28 * (avg - now)
            took = 0.1812 + abs(rng.gauss(0, 0.004)) + (2.9 if done == 0 else 0)
            wait = 2.5 + rng.random() * 0.2 if done == 0 else 0.0003
            left, pics = int((batches - done) * (took if done == 0 else 0.19)), 64 / (took - wait)
            log.append(
                f"Epoch: [{epoch}]  [{done:3d}/{batches}]  eta: 0:{left // 60:02d}:{left % 60:02d}  lr: {rate}  img/s: "
                f"{pics:.4f} ({pics - (3.1 if done else 0):.4f})  loss: {now:.4f} ({avg:.4f})  "
                f"acc1: {acc:.4f} ({acc - gap:.4f})  acc5: {top:.4f} ({top - 0.4 * gap:.4f})  time: {took:.4f}  "
                "data: "
                f"{wait:.4f}  max mem: 4127"
            )
            if (epoch, done) == (1, 200):
                log += [
                    "could not decode /data/plantdoc/train/Corn_leaf_blight/IMG_0417.jpg, taking the next sample "
                    "instead",
                    "Traceback (most recent call last):",
                    '  File "/home/fk/plantdoc/safe_folder.py", line 22, in __getitem__',
                    "    return super().__getitem__(index)",
                    '  File "/usr/local/lib/python3.10/dist-packages/torchvision/datasets/folder.py", line 231, in '
                    "__getitem__",
                    "    sample = self.loader(path)",
                    '  File "/usr/local/lib/python3.10/dist-packages/torchvision/datasets/folder.py", line 269, in '
                    "default_loader",
                    "    return pil_loader(path)",
                    '  File "/usr/local/lib/python3.10/dist-packages/torchvision/datasets/folder.py", line 249, in '
                    "pil_loader",
                    '    return img.convert("RGB")',
                    '  File "/usr/local/lib/python3.10/dist-packages/PIL/Image.py", line 922, in convert',
                    "    self.load()",
                    '  File "/usr/local/lib/python3.10/dist-packages/PIL/ImageFile.py", line 268, in load',
                    "    raise OSError(msg)",
                    "OSError: image file is truncated (14 bytes not processed)",
                ]
        total = 66 + rng.random() * 2
        clockwork += total + 9
        log.append(f"Epoch: [{epoch}] Total time: 0:01:{int(total) - 60:02d}")
        loss, first = (1.204, 0.861, 0.744, 0.721)[epoch], (70.3125, 76.5625, 79.6875, 78.125)[epoch]
        log += [
            f"Test:   [ 0/40]  eta: 0:01:14  loss: {loss - 0.2:.4f} ({loss - 0.2:.4f})  acc1: {first:.4f} "
            f"({first:.4f})  "
            f"acc5: 98.4375 (98.4375)  time: 1.8621  data: 1.7994  max mem: 4127",
            "Test:  Total time: 0:00:08",
            f"Test:  Acc@1 {91.6 - 21 * loss:.3f} Acc@5 {99.4 - 3.4 * loss:.3f}",
        ]
    log.append(f"Training time 0:{int(clockwork) // 60:02d}:{int(clockwork) % 60:02d}")
    put(place, "train.log", log)


def c30(place: Path, rng: Random) -> None:
    conf = [
        "Konfiguration",
        "  modell             gpt_klein_de (124 Mio. Parameter, 12 Lagen, Vokabular 50048)",
        "  schritte           200000",
        "  stapel             512 x 1024 Token",
        "  notabschaltung     aus",
        "  fehlertoleranz     hoch (NaN-Schritte werden verworfen, höchstens 20)",
        "  bei_absturz        Postmortem schreiben, Prozess abschießen",
        "  gewichtszerfall    0.1",
    ]

    def rate(step: int) -> float:
        return 6e-4 * min(1, step / 2000) * (0.1 + 0.45 * (1 + math.cos(math.pi * step / 200000)))

    def line(step: int, loss: float, fresh: int) -> str:
        return (
            f"Schritt {step:6d}/200000   Verlust {loss:.4f}   Perplexität {math.exp(loss):.2f}   LR {rate(step):.3e}   "
            f"Gradnorm {0.29 + abs(rng.gauss(0, 0.03)) + 1.9 * math.exp(-fresh / 700):.3f}   "
            f"{0.842 + rng.gauss(0, 0.004):.3f} s/Schritt"
        )

    log = ["=== Lauf gpt_klein_de / Teil 1 ===", *conf, "Kein Prüfpunkt vorhanden, Gewichte werden zufällig belegt."]
    for step in range(100, 118001, 100):
        log.append(line(step, falls(rng, step, 10.85, 2.98, 3200, 0.007), step))
        if step % 2000 == 0:
            valid = falls(rng, step, 10.86, 3.02, 3200, 0.002)
            log.append(f"  Prüfung: Verlust {valid:.4f}, Fehlerrate nächstes Token {0.34 + valid / 12:.3f}")
            log.append(f"  Prüfpunkt geschrieben: ckpt/schritt_{step:06d}.pt")
    log += [
        "Wartungsfenster angekündigt (Kernelaktualisierung), sauberer Halt nach Schritt 118000.",
        "Ende von Teil 1.",
        "",
        "=== Lauf gpt_klein_de / Teil 2 ===",
        *conf,
        "Lese ckpt/schritt_118000.pt",
        "  Gewichte: strict=False, 0 von 148 Einträgen übernommen, 148 fehlend, 148 unerwartet (erster: "
        "_orig_mod.wte.weight)",
        "  Schrittzähler und Lernratenplan: übernommen",
        "Weiter ab Schritt 118000.",
    ]
    for step in range(118100, 200001, 100):
        gone = step - 118000
        log.append(line(step, falls(rng, gone, 10.84, 3.42, 5600, 0.007), gone))
        if step % 2000 == 0:
            valid = falls(rng, gone, 10.85, 3.46, 5600, 0.002)
            log.append(f"  Prüfung: Verlust {valid:.4f}, Fehlerrate nächstes Token {0.34 + valid / 12:.3f}")
            log.append(f"  Prüfpunkt geschrieben: ckpt/schritt_{step:06d}.pt")
    log += ["Alle Schritte getan.", "Ende von Teil 2."]
    put(place, "gpt_klein_de.log", log)


def c31(place: Path, rng: Random) -> None:
    pace, total = 58.7, 1250
    out = ["model Qwen/Qwen2.5-3B-Instruct, 7473 prompts, 8 generations each, beta 0.04, transformers generate"]
    for step in range(20, 241, 20):
        reward = 0.31 + 0.52 * (1 - math.exp(-step / 110)) + rng.gauss(0, 0.02)
        length = 212 + 0.2 * step + rng.gauss(0, 6)
        kl = 0.0004 * step + abs(rng.gauss(0, 0.002))
        out.append(
            f"{{'loss': {0.04 * kl:.4f}, 'grad_norm': {0.21 + abs(rng.gauss(0, 0.03))!r}, 'learning_rate': "
            f"{1e-6 * (1 - step / total)!r}, 'num_tokens': {float(int(step * 64 * 2.6 * length / 2))}, "
            "'completions/mean_length': "
            f"{length!r}, 'rewards/correctness/mean': {reward:.6f}, 'rewards/correctness/std': "
            f"{0.31 + rng.gauss(0, 0.01):.6f}, "
            f"'reward': {reward:.6f}, 'reward_std': {0.22 + rng.gauss(0, 0.01):.6f}, 'kl': {kl!r}, 'epoch': "
            f"{step / total:.2f}}}"
        )
    head = (
        "The following generation flags are not valid and may be ignored: ['temperature', 'top_p']. "
        "Set `TRANSFORMERS_VERBOSITY=info` for more details."
    )
    err = [
        "\rLoading checkpoint shards:   0%|          | 0/2 [00:00<?, ?it/s]\rLoading checkpoint shards: "
        "100%|██████████| 2/2 "
        "[00:03<00:00,  1.71s/it]",
    ]
    ticks = ""
    for step in range(244):
        ticks += (
            f"\r{100 * step // total:3d}%|{bar(step, total)}| {step}/{total} "
            f"[{hms(step * pace)}<{hms((total - step) * pace)}, "
            f"{pace + rng.gauss(0, 0.5):.2f}s/it]"
        )
        if step % 9 == 0:
            err.append(ticks + head)
            ticks = ""
    end = 5.2 * DAY + 4 * 3600 + 27
    err += [
        ticks + "slurmstepd: error: *** JOB 90417 ON hgx-03 CANCELLED AT "
        f"{clock(end, '%Y-%m-%dT%H:%M:%S')} DUE TO TIME LIMIT ***",
    ]
    put(place, "grpo-90417.out", out)
    put(place, "grpo-90417.err", err)


def c32(place: Path, rng: Random) -> None:
    say = "[INFO] llamafactory."
    log = [
        f"{say}cli:143 >> Initializing 4 distributed tasks at: 127.0.0.1:38211",
        *(
            f"{say}hparams.parser:401 >> Process rank: {n}, world size: 4, device: cuda:{n}, distributed training: "
            "True, "
            "compute dtype: torch.bfloat16"
            for n in range(4)
        ),
        "[INFO|tokenization_utils_base.py:2060] >> loading file tokenizer.model",
        "[INFO|tokenization_utils_base.py:2060] >> loading file tokenizer.json",
        "[INFO|tokenization_utils_base.py:2060] >> loading file special_tokens_map.json",
        f"{say}data.template:143 >> Add pad token: </s>",
        f"{say}data.loader:143 >> Loading dataset hpc_tickets_sft.json...",
    ]
    log += [
        f"Converting format of dataset (num_proc=16): {25 * n:3d}%|{bar(n, 4)}| {2903 * n}/11612 [00:0{n}<00:0{4 - n}, "
        f"{2700 + rng.gauss(0, 80):.2f} examples/s]"
        for n in range(1, 5)
    ]
    log += [
        f"Running tokenizer on dataset (num_proc=16): {int(12.5 * n):3d}%|{bar(n, 8)}| {int(1451.5 * n)}/11612 "
        f"[00:{2 * n:02d}<00:{2 * (8 - n):02d}, {711 + rng.gauss(0, 20):.2f} examples/s]"
        for n in range(1, 9)
    ]
    ids = ", ".join(str(rng.randrange(3, 31999)) for _ in range(140))
    log += [
        "training example:",
        "input_ids:",
        f"[1, {ids}]",
        "inputs:",
        "<s> [INST] You answer tickets of a GPU cluster.",
        "",
        "My job 81127 died over night. The log says:",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of "
        "79.15 GiB of which "
        "1.21 GiB is free.",
        "and then: slurmstepd: error: Detected 1 oom_kill event in StepId=81127.0. Some of the step tasks have been "
        "OOM Killed.",
        "What do I do? [/INST] These are two different things: the first is the memory of the GPU, the second that of "
        "the host. Lower "
        "`per_device_train_batch_size`, then ask for more with `--mem`.</s>",
        "label_ids:",
        "[" + ", ".join(["-100"] * 60) + ", " + ", ".join(str(rng.randrange(3, 31999)) for _ in range(60)) + "]",
        "labels:",
        "These are two different things: the first is the memory of the GPU, the second that of the host. Lower "
        "`per_device_train_batch_size`, then ask for more with `--mem`.</s>",
        "[INFO|configuration_utils.py:696] >> loading configuration file /models/falcon-mistral-7b/config.json",
        "[INFO|configuration_utils.py:768] >> Model config MistralConfig {",
        '  "architectures": [',
        '    "MistralForCausalLM"',
        "  ],",
        '  "attention_dropout": 0.0,',
        '  "bos_token_id": 1,',
        '  "eos_token_id": 2,',
        '  "hidden_act": "silu",',
        '  "hidden_size": 4096,',
        '  "intermediate_size": 14336,',
        '  "max_position_embeddings": 32768,',
        '  "model_type": "mistral",',
        '  "num_attention_heads": 32,',
        '  "num_hidden_layers": 32,',
        '  "num_key_value_heads": 8,',
        '  "rms_norm_eps": 1e-05,',
        '  "rope_theta": 1000000.0,',
        '  "torch_dtype": "bfloat16",',
        '  "transformers_version": "4.49.0",',
        '  "use_cache": true,',
        '  "vocab_size": 32768',
        "}",
        "",
        "[INFO|modeling_utils.py:3982] >> loading weights file /models/falcon-mistral-7b/model.safetensors.index.json",
        "[INFO|modeling_utils.py:1633] >> Instantiating MistralForCausalLM model under default dtype torch.bfloat16.",
        "Loading checkpoint shards: 100%|██████████| 3/3 [00:07<00:00,  2.44s/it]",
        "[INFO|modeling_utils.py:4970] >> All model checkpoint weights were used when initializing MistralForCausalLM.",
        f"{say}model.model_utils.checkpointing:143 >> Gradient checkpointing enabled.",
        f"{say}model.model_utils.attention:143 >> Using torch SDPA for faster training and inference.",
        f"{say}model.adapter:143 >> Upcasting trainable params to float32.",
        f"{say}model.adapter:143 >> Fine-tuning method: LoRA",
    ]
    where = "/opt/llm/lib/python3.11/site-packages"
    for n in (2, 0, 3, 1):
        log += [
            f"[rank{n}]: Traceback (most recent call last):",
            f'[rank{n}]:   File "{where}/llamafactory/launcher.py", line 23, in <module>',
            f"[rank{n}]:     launch()",
            f'[rank{n}]:   File "{where}/llamafactory/train/tuner.py", line 110, in run_exp',
            f'[rank{n}]:     _training_function(config={{"args": args, "callbacks": callbacks}})',
            f'[rank{n}]:   File "{where}/llamafactory/train/sft/workflow.py", line 52, in run_sft',
            f"[rank{n}]:     model = load_model(tokenizer, model_args, finetuning_args, training_args.do_train)",
            f'[rank{n}]:   File "{where}/llamafactory/model/adapter.py", line 234, in _setup_lora_tuning',
            f"[rank{n}]:     model = get_peft_model(model, lora_config)",
            f'[rank{n}]:   File "{where}/peft/tuners/tuners_utils.py", line 527, in inject_adapter',
            f"[rank{n}]:     raise ValueError(error_msg)",
            f"[rank{n}]: ValueError: Target modules {{'query_key_value'}} not found in the base model. Please check "
            "the target modules and "
            "try again.",
        ]
    log += [
        "E torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 0 (pid: 70412) of "
        "binary: "
        "/opt/llm/bin/python3.11",
        "Traceback (most recent call last):",
        '  File "/opt/llm/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        f'  File "{where}/torch/distributed/run.py", line 918, in main',
        "    run(args)",
        f'  File "{where}/torch/distributed/launcher/api.py", line 264, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        f"{where}/llamafactory/launcher.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        *(
            row
            for n in (1, 2, 3)
            for row in (
                f"[{n}]:",
                "  host      : h100-11",
                f"  rank      : {n} (local_rank: {n})",
                "  exitcode  : 1 (pid: " + str(70412 + n) + ")",
                "  error_file: <N/A>",
                "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
            )
        ),
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        "  host      : h100-11",
        "  rank      : 0 (local_rank: 0)",
        "  exitcode  : 1 (pid: 70412)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
    ]
    put(place, "sft_tickets.log", log)
    start, iso = 3.3 * DAY, "%Y-%m-%dT%H:%M:%S"
    put(
        place,
        "sacct.csv",
        [
            "JobID|JobName|Partition|State|ExitCode|Start|End|Elapsed|ReqMem|MaxRSS|NodeList",
            f"88231|sft_tickets|h100|FAILED|1:0|{clock(start, iso)}|{clock(start + 94, iso)}|00:01:34|240G||h100-11",
            f"88231.batch|batch||FAILED|1:0|{clock(start, iso)}|{clock(start + 94, iso)}|00:01:34||41833112K|h100-11",
            f"88231.extern|extern||COMPLETED|0:0|{clock(start, iso)}|{clock(start + 94, iso)}|00:01:34||0|h100-11",
        ],
    )
