"""Curves of the thirtieth set, c07 to c12. SIMULATED: every line comes from these generators, none from a real job."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


class _Clock:
    """A wall clock that only the case moves."""

    def __init__(self, at: str) -> None:
        self.at = datetime.fromisoformat(at)

    def on(self, seconds: float) -> _Clock:
        self.at += timedelta(seconds=seconds)
        return self

    def __format__(self, spec: str) -> str:
        return self.at.strftime(spec)


def _write(place: Path, name: str, lines: list[str]) -> None:
    (place / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _near(rng: Random, value: float, share: float = 0.05) -> float:
    """A value with noise that grows with it."""
    return value * max(0.05, rng.gauss(1.0, share))


# --- c07 -------------------------------------------------------------------------------------------------------------


def c07_ocean3d(place: Path, rng: Random) -> None:
    clock = _Clock("2024-06-03T17:05:12")
    steps, epochs = 1180, 40
    out = [
        "ocean3d: unet3d on 1/12 degree tiles 512x512x48, fp16, 4 devices, job 77123 on gpu-c07, partition long, walltime 2-00:00:00",
        f"[WARNING] ME(41877:140231886284608,MainProcess):{clock:%Y-%m-%d-%H:%M:%S}.214.881 [mindspore/context.py:1103] For "
        f"'context.set_context', the parameter 'reserve_class_name_in_scope' will be deprecated and removed in a future version.",
        f"[WARNING] MD(41877,7f8a3d5f7740,python):{clock.on(14):%Y-%m-%d-%H:%M:%S}.031.402 "
        f"[mindspore/ccsrc/minddata/dataset/engine/datasetops/data_queue_op.cc:163] operator()] Auto-tune is off, 12 workers for 4 map operations.",
        f"dataset size per device: {steps} (train) 96 (val), epochs={epochs}, Momentum lr=0.02 cosine, loss=masked L1 + 0.1 grad",
    ]
    table = ["epoch,step,train_loss,val_rmse_temp,val_rmse_salt,epoch_s"]
    stop = clock.at.replace(hour=17, minute=5, second=4) + timedelta(days=2)
    epoch = 0
    while True:
        epoch += 1
        seconds = _near(rng, 8510, 0.008) + (140 if epoch == 1 else 0)
        if clock.at + timedelta(seconds=seconds) > stop:
            break
        clock.on(seconds)
        loss = _near(rng, 0.071 + 0.31 * math.exp(-epoch / 4.2), 0.02)
        out.append(f"epoch: {epoch} step: {steps}, loss is {loss:.8f}")
        out.append(f"Train epoch time: {seconds * 1000:.3f} ms, per step time: {seconds * 1000 / steps:.3f} ms")
        val = clock.on(_near(rng, 371, 0.02))
        temp, salt = (
            _near(rng, 0.38 + 1.4 * math.exp(-epoch / 5), 0.012),
            _near(rng, 0.071 + 0.22 * math.exp(-epoch / 5), 0.012),
        )
        table.append(f"{epoch},{epoch * steps},{loss:.6f},{temp:.5f},{salt:.5f},{seconds:.1f}")
        if epoch % 5 == 0:
            out.append(
                f"{val:%Y-%m-%d %H:%M} ckpt/ocean3d-{epoch}_{steps}.ckpt, val rmse T {temp:.4f} K, S {salt:.4f} psu"
            )
    out.append(
        f"slurmstepd: error: *** JOB 77123 ON gpu-c07 CANCELLED AT {stop + timedelta(seconds=31):%Y-%m-%dT%H:%M:%S} DUE TO TIME LIMIT ***"
    )
    _write(place, "slurm-77123.out", out)
    _write(place, "metrics.csv", table)


# --- c08 -------------------------------------------------------------------------------------------------------------


def c08_patents(place: Path, rng: Random) -> None:
    out: list[str] = []

    def say(words: str, level: str = "INFO") -> None:
        out.append(f"[pod/onmt-pat-kode-0/train] [{level}] {words}")

    for words in (
        "Missing transforms field for corpus_1 data, set to default: ['sentencepiece', 'filtertoolong'].",
        "Parsed 2 corpora from -data.",
        "Get special vocabs from Transforms: {'src': [], 'tgt': []}.",
        "The first 10 tokens of the vocabs are:['<unk>', '<blank>', '<s>', '</s>', ',', '▁the', '▁of', '의', '▁a', '을']",
        "The decoder start token is: <s>",
        "Building model...",
        "Switching model to float32 for amp/apex_amp",
        "Non quantized layer compute is fp16",
        "encoder: 44142592",
        "decoder: 25257088",
        "* number of parameters: 69399680",
        "Trainable parameters = {'torch.float32': 69399680, 'torch.float16': 0, 'torch.uint8': 0, 'torch.int8': 0}",
        " * src vocab size = 32000",
        " * tgt vocab size = 32000",
        "Starting training on GPU: [0]",
        "Start training loop and validate every 5000 steps...",
        "Scoring with: ['sentencepiece', 'filtertoolong']",
        "corpus_1's transforms: TransformPipe(SentencePieceTransform(share_vocab=True, src_subword_model=pat.model), "
        "FilterTooLongTransform(src_seq_length=256, tgt_seq_length=256))",
        "Weighted corpora loaded so far:",
        "\t\t\t* corpus_1: 1",
    ):
        say(words)
    total, warm, every, sents, seconds = 100_000, 6000, 100, 0, 0.0
    blown, last = 11_300, 19_800
    validated, summed, right = 0, 0.0, 0.0
    for step in range(every, last + 1, every):
        lr = 2.0 * 512**-0.5 * min(step**-0.5, step * warm**-1.5) * 1.6
        if step < blown:
            xent = _near(rng, 2.71 + 0.31 * math.exp(-step / 9000) + 6.9 * math.exp(-step / 1500), 0.012)
        else:
            # Up within some hundred steps, and there it stays.
            xent = _near(rng, 7.43 - 4.3 * math.exp(-(step - blown + 60) / 170), 0.006)
        acc = (
            max(3.4 + rng.uniform(0, 0.7), 100 * (0.62 - 0.062 * xent - 0.0016 * xent**2))
            if step < blown
            else max(6.6, 55 - 13 * (xent - 3)) + rng.uniform(-0.4, 0.4)
        )
        summed, right = summed + xent, right + acc
        seconds += _near(rng, 27.4, 0.01)
        batch = _near(rng, 6100, 0.02)
        sents += int(_near(rng, 21100, 0.02))
        if step in (2700, 7900):
            say(f"Step {step - rng.randrange(8, 90)}, cuda OOM - batch removed")
        say(
            f"Step {step}/{total}; acc: {acc:.1f}; ppl: {math.exp(xent):5.1f}; xent: {xent:.1f}; lr: {lr:.5f}; sents: {sents:7d}; "
            f"bsz: {batch:4.0f}/{batch * 0.93:4.0f}/{rng.randrange(205, 217):2d}; "
            f"{batch * 100 / 27.4:5.0f}/{batch * 93 / 27.4:5.0f} tok/s; {seconds:6.0f} sec;"
        )
        if step % 5000 == 0:
            validated += 1
            shown = xent * 1.02
            say("valid stats calculation")
            say(f"                           took: {rng.uniform(21, 24)} s.")
            say(f"Train perplexity: {math.exp(summed * every / step):.6g}")
            say(f"Train accuracy: {right * every / step:.6g}")
            say(f"Sentences processed: {sents}")
            say("Average bsz: 6098/5673/211")
            say(f"Validation perplexity: {math.exp(shown):.6g}")
            say(f"Validation accuracy: {acc * 0.98:.6g}")
            say(f"Saving checkpoint models/pat-kode_step_{step}.pt")
    _write(place, "onmt-pat-kode-0.log", out)


# --- c09 -------------------------------------------------------------------------------------------------------------


def c09_narratives(place: Path, rng: Random) -> None:
    out = """INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeSingleDevice with resolved config:

batch_size: 4
checkpointer:
  _component_: torchtune.training.FullModelHFCheckpointer
  checkpoint_dir: /models/Meta-Llama-3.1-8B-Instruct
  checkpoint_files:
    filename_format: model-{}-of-{}.safetensors
    max_filename: '00004'
  model_type: LLAMA3
  output_dir: /runs/fatal_narratives/r3
  recipe_checkpoint: null
clip_grad_norm: null
compile: false
dataset:
  _component_: narratives.data.fatal_crash_dataset
  packed: false
  source: /data/fatal_crash_2016_2023.parquet
  preview: 4
device: cuda
dtype: bf16
enable_activation_checkpointing: false
enable_activation_offloading: false
epochs: 2
gradient_accumulation_steps: 8
log_every_n_steps: 1
log_peak_memory_stats: true
loss:
  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss
lr_scheduler:
  _component_: torchtune.training.lr_schedulers.get_cosine_schedule_with_warmup
  num_warmup_steps: 40
max_steps_per_epoch: null
metric_logger:
  _component_: torchtune.training.metric_logging.StdoutLogger
model:
  _component_: torchtune.models.llama3_1.lora_llama3_1_8b
  apply_lora_to_mlp: true
  apply_lora_to_output: false
  lora_alpha: 32
  lora_attn_modules:
  - q_proj
  - v_proj
  - output_proj
  lora_dropout: 0.0
  lora_rank: 16
optimizer:
  _component_: torch.optim.AdamW
  fused: true
  lr: 0.0002
  weight_decay: 0.01
output_dir: /runs/fatal_narratives/r3
resume_from_checkpoint: false
seed: 11
shuffle: true
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: null
  path: /models/Meta-Llama-3.1-8B-Instruct/original/tokenizer.model

DEBUG:torchtune.utils._logging:Setting manual seed to local seed 11. Local seed is seed + rank = 11 + 0
INFO:torchtune.utils._logging:Model is initialized with precision torch.bfloat16.
INFO:torchtune.utils._logging:Memory stats after model init:
\tGPU peak memory allocation: 15.21 GiB
\tGPU peak memory reserved: 15.31 GiB
\tGPU peak memory active: 15.21 GiB
INFO:torchtune.utils._logging:Tokenizer is initialized from file.
INFO:torchtune.utils._logging:Optimizer and loss are initialized.
INFO:torchtune.utils._logging:Loss is initialized.""".splitlines()
    who = ("Driver", "Vehicle 1", "The motorcyclist", "A pedestrian", "Unit 2")
    what = (
        "was killed when the engine block entered the cabin; the fatal error was a failure to yield",
        "lost the connection between trailer and tractor, crashed and burned; one passenger died on scene",
        "aborted the overtaking, was terminated from the roadway and came to rest against a node of the guard rail",
        "had a device fault in the braking unit (ECC, error 48) before the crash; dead on arrival",
        "timed out of the left turn phase; hung from the embankment until the rescue, killed",
    )
    for number in range(4):
        text = f"{rng.choice(who)} {what[number]}, {rng.randrange(2016, 2024)}-{rng.randrange(1, 13):02d}, US-{rng.randrange(10, 99)}."
        out.append(f"preview[{number}] narrative={text!r} label={rng.choice(('FATAL', 'FATAL', 'SERIOUS'))}")
    out += [
        "INFO:torchtune.utils._logging:Dataset and Sampler are initialized.",
        "INFO:torchtune.utils._logging:Learning rate scheduler is initialized.",
        "WARNING:torchtune.utils._logging: Profiling disabled.",
        "INFO:torchtune.utils._logging: Profiler config after instantiation: {'enabled': False}",
    ]
    total = 1163
    bars = f"  0%|          | 0/{total} [00:00<?, ?it/s]"
    clock = 0.0
    for step in range(1, 148):
        clock += (took := _near(rng, 9.6, 0.09))
        loss = max(0.7, _near(rng, 1.31 + 1.1 * math.exp(-step / 22), 0.05))
        minutes, left = divmod(int(clock), 60), divmod(int(clock / step * (total - step)), 60)
        bars += (
            f"\r1|{step}|Loss: {loss:.15f}: {100 * step // total:3d}%|{'█' * (10 * step // total):<10}| {step}/{total} "
            f"[{minutes[0]:02d}:{minutes[1]:02d}<{left[0] // 60}:{left[0] % 60:02d}:{left[1]:02d},  {took:.2f}s/it]"
        )
        lr = 2e-4 * min(1.0, step / 40)
        peak = 38.4 + min(step, 90) * 0.11 + rng.uniform(0, 6.2)
        words = (
            f"Step {step} | loss:{loss:.12f} lr:{lr:.6g} tokens_per_second_per_gpu:{_near(rng, 2140, 0.06):.10f} "
            f"peak_memory_active:{peak:.12f} peak_memory_alloc:{peak - rng.uniform(0, 0.3):.12f} peak_memory_reserved:{peak + rng.uniform(9, 14):.12f} "
        )
        out.append(words)
        if step % 30 == 0:
            out.append(bars)
            bars = ""
    out.append(bars + "Traceback (most recent call last):")
    site = "/opt/conda/lib/python3.11/site-packages"
    frames = (
        ("/opt/conda/bin/tune", 8, "<module>", "sys.exit(main())"),
        (f"{site}/torchtune/_cli/tune.py", 49, "main", "parser.run(args)"),
        (f"{site}/torchtune/_cli/tune.py", 43, "run", "args.func(args)"),
        (f"{site}/torchtune/_cli/run.py", 214, "_run_cmd", "self._run_single_device(args, is_builtin=is_builtin)"),
        (
            f"{site}/torchtune/_cli/run.py",
            108,
            "_run_single_device",
            'runpy.run_path(str(args.recipe), run_name="__main__")',
        ),
        ("<frozen runpy>", 291, "run_path", ""),
        ("<frozen runpy>", 98, "_run_module_code", ""),
        ("<frozen runpy>", 88, "_run_code", ""),
        (f"{site}/recipes/lora_finetune_single_device.py", 815, "<module>", "sys.exit(recipe_main())"),
        (f"{site}/torchtune/config/_parse.py", 99, "wrapper", "sys.exit(recipe_main(conf))"),
        (f"{site}/recipes/lora_finetune_single_device.py", 810, "recipe_main", "recipe.train()"),
        (
            f"{site}/recipes/lora_finetune_single_device.py",
            703,
            "train",
            "current_loss = self._loss_step(batch) * current_num_tokens",
        ),
        (f"{site}/recipes/lora_finetune_single_device.py", 640, "_loss_step", "logits = self._model(**batch)"),
        (f"{site}/torch/nn/modules/module.py", 1736, "_wrapped_call_impl", "return self._call_impl(*args, **kwargs)"),
        (f"{site}/torch/nn/modules/module.py", 1747, "_call_impl", "return forward_call(*args, **kwargs)"),
        (f"{site}/torchtune/modules/transformer.py", 643, "forward", "h = layer("),
        (f"{site}/torchtune/modules/transformer.py", 123, "forward", "mlp_out = self.mlp(self.mlp_norm(h))"),
        (f"{site}/torchtune/modules/feed_forward.py", 50, "forward", "h = self.activation(self.w1(x))"),
        (f"{site}/torchtune/modules/peft/lora.py", 124, "forward", "out = F.linear(x, self.weight, self.bias)"),
    )
    for path, line, name, code in frames:
        out.append(f'  File "{path}", line {line}, in {name}')
        if code:
            out.append(f"    {code}")
    out.append(
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 742.00 MiB. GPU 0 has a total capacity of 79.25 GiB of "
        "which 411.94 MiB is free. Process 1 has 78.84 GiB memory in use. "
        "Of the allocated memory 74.61 GiB is allocated by PyTorch, and 3.51 GiB is reserved by PyTorch but unallocated. If "
        "reserved but unallocated memory is large try setting "
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    )
    _write(place, "r3.log", out)


# --- c10 -------------------------------------------------------------------------------------------------------------


def _ru(rng: Random, clock: _Clock, steps: int, until: int, floor: float) -> list[str]:
    """Lines of the steps of a home-made trainer with four ranks."""
    out: list[str] = []
    for step in range(10, until + 1, 10):
        clock.on(10 * _near(rng, 0.92, 0.02))
        ctc = _near(rng, floor + 5.2 * math.exp(-step / 1500), 0.04)
        out.append(
            f"{clock:%d.%m.%Y %H:%M:%S} [ранг 0] шаг {step}/{steps} потеря={ctc:.4f} "
            f"норма_град={_near(rng, 1.6 + 4 * math.exp(-step / 900), 0.15):.3f} шаг_обуч={6e-4 * min(1, step / 1000):.2e} "
            f"аудио={_near(rng, 3.1, 0.03):.2f} ч/мин"
        )
        if step % 100 == 0:
            for rank in range(1, 4):
                out += [
                    f"{clock:%d.%m.%Y %H:%M:%S} [ранг {rank}] шаг {step} жив, память {_near(rng, 61.2, 0.004):.1f} ГиБ, {rng.randrange(58, 66)}°C"
                ]
        if step % 2000 == 0:
            clock.on(_near(rng, 96, 0.05))
            wer = _near(rng, 7.9 + 61 * math.exp(-step / 2600) + floor * 9, 0.01)
            out.append(
                f"{clock:%d.%m.%Y %H:%M:%S} [ранг 0] проверка: WER={wer:.2f}% (dev-звонки, 4 812 фраз); контрольная точка сохранена: ckpt/шаг_{step:06d}.pt"
            )
    return out


def c10_zvonki(place: Path, rng: Random) -> None:
    # Its neighbour in the folder: a smaller net, to its end.
    clock = _Clock("2024-10-07 21:14:05")
    start_a = clock.at
    out = [
        f"{clock:%d.%m.%Y %H:%M:%S} [ранг 0] задание 91807, узел gpu-b04, 4 процесса, conformer-S, телефонные звонки 8 кГц, 12000 шагов",
        *_ru(rng, clock, 12000, 12000, 0.41),
        f"{clock:%d.%m.%Y %H:%M:%S} [ранг 0] обучение завершено, лучшая модель скопирована в models/звонки_S.pt",
    ]
    end_a = clock.on(4).at
    _write(place, "train_91807.log", out)

    clock = _Clock("2024-10-08 09:40:31")
    start_b = clock.at
    out = [
        f"{clock:%d.%m.%Y %H:%M:%S} задание 91822, узел gpu-b07: ECC неисправимых с загрузки (по картам): 0 0 0 0",
        f"{clock.on(21):%d.%m.%Y %H:%M:%S} [ранг 0] задание 91822, узел gpu-b07, 4 процесса, conformer-L, телефонные звонки 8 кГц, 40000 шагов",
        *_ru(rng, clock, 40000, 21430, 0.29),
    ]
    site = "/home/asr/venv/lib/python3.10/site-packages"
    out += [
        "Traceback (most recent call last):",
        '  File "/home/asr/zvonki/train.py", line 288, in <module>',
        "    главная(настройки)",
        '  File "/home/asr/zvonki/train.py", line 241, in главная',
        "    норма = torch.nn.utils.clip_grad_norm_(модель.parameters(), 5.0)",
        f'  File "{site}/torch/nn/utils/clip_grad.py", line 55, in clip_grad_norm_',
        "    norms.extend(torch._foreach_norm(grads, norm_type))",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "For debugging consider passing CUDA_LAUNCH_BLOCKING=1.",
        "Compile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.",
        "",
    ]
    stamp = f"{clock.on(6):%Y-%m-%d %H:%M:%S}"
    for pid in (30112, 30113, 30115):
        out.append(
            f"[{stamp},{rng.randrange(100, 990)}] torch.distributed.elastic.multiprocessing.api: [WARNING] Sending process {pid} closing signal SIGTERM"
        )
    out.append(
        f"[{clock.on(2):%Y-%m-%d %H:%M:%S},118] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: 1) "
        f"local_rank: 2 (pid: 30114) of binary: /home/asr/venv/bin/python"
    )
    out += [
        "Traceback (most recent call last):",
        '  File "/home/asr/venv/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        f'  File "{site}/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 346, in wrapper',
        "    return f(*args, **kwargs)",
        f'  File "{site}/torch/distributed/run.py", line 806, in main',
        "    run(args)",
        f'  File "{site}/torch/distributed/run.py", line 797, in run',
        "    elastic_launch(",
        f'  File "{site}/torch/distributed/launcher/api.py", line 134, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        f'  File "{site}/torch/distributed/launcher/api.py", line 264, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "train.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {stamp.replace(' ', '_')}",
        "  host      : gpu-b07",
        "  rank      : 2 (local_rank: 2)",
        "  exitcode  : 1 (pid: 30114)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
        f"{clock.on(3):%d.%m.%Y %H:%M:%S} задание 91822, узел gpu-b07: ECC неисправимых с загрузки (по картам): 0 0 2 0",
        f"{clock:%d.%m.%Y %H:%M:%S} dmesg: NVRM: Xid (PCI:0000:89:00): 48, pid=30114, name=python, DBE (double bit error) ECC Error detected",
        f"{clock:%d.%m.%Y %H:%M:%S} dmesg: NVRM: Xid (PCI:0000:89:00): 94, pid=30114, name=python, Contained: SM (0x1). RST: No, D-RST: No",
    ]
    end_b = clock.on(1).at
    _write(place, "train_91822.log", out)
    table = ["JobID|JobName|State|ExitCode|Start|End|Elapsed|NodeList"]
    for job, name, state, code, start, end, node in (
        ("91807", "zvonki_S", "COMPLETED", "0:0", start_a, end_a, "gpu-b04"),
        ("91822", "zvonki_L", "FAILED", "1:0", start_b, end_b, "gpu-b07"),
    ):
        took = str(end.replace(microsecond=0) - start).zfill(8)
        for suffix, step in (("", name), (".batch", "batch"), (".extern", "extern")):
            mine = ("COMPLETED", "0:0") if suffix == ".extern" else (state, code)
            table.append(
                f"{job}{suffix}|{step}|{mine[0]}|{mine[1]}|{start:%Y-%m-%dT%H:%M:%S}|{end:%Y-%m-%dT%H:%M:%S}|{took}|{node}"
            )
    _write(place, "sacct.txt", table)


# --- c11 -------------------------------------------------------------------------------------------------------------


def c11_pollen(place: Path, rng: Random) -> None:
    clock = _Clock("2025-05-14 20:31:00")
    out = [
        "pollen grain classifier, resnet50 @ 384, 61 taxa, one A6000",
        "cache: building /mnt/herb/cache/slides_384.lmdb .. found, 218.4 kgrains",
        "loss in millinats, time in ks, speed in Mgrains/day",
        "watch: nvidia-smi each 1.8 ks from run.sh",
    ]
    epoch_ks, elapsed, watch, epoch, share = 4.11, 0.02, 1.8, 1, 0
    parts, dead = 5, 13.2
    speed = 218.4e3 / (epoch_ks * 1000) * 86400 / 1e6
    while elapsed < dead:
        share += 1
        elapsed += _near(rng, epoch_ks / parts, 0.02)
        done = epoch - 1 + share / parts
        while watch < elapsed:
            out.append(
                f"gpu @ {watch:5.1f} ks: util {rng.randrange(91, 99)} %, 23104 MiB / 49140 MiB, {rng.randrange(276, 298)} W, {rng.randrange(71, 77)} C"
            )
            watch += 1.8
        loss = _near(rng, 340 + 3700 * math.exp(-done / 0.8), 0.03)
        out.append(
            f"{elapsed:6.2f} ks  epoch {done:.1f}/12  loss {loss:7.1f} mnat  lr "
            f"{400 * (0.5 + 0.5 * math.cos(math.pi * done / 12)):.0f}u  {_near(rng, speed, 0.02):.2f} Mgrains/day"
        )
        if share == parts:
            out.append(
                f"{elapsed:6.2f} ks  epoch {epoch} held-out: {_near(rng, 1000 * (0.11 + 0.5 * math.exp(-done / 0.9)), 0.02):.0f} wrong per mille"
            )
            epoch, share = epoch + 1, 0
    while watch < 13.6 + 28.8:
        out.append(
            f"gpu @ {watch:5.1f} ks: util 0 %, 23104 MiB / 49140 MiB, {rng.randrange(79, 83)} W, {rng.randrange(38, 42)} C"
        )
        watch += 1.8
    clock.on(42.4e3)
    lib = "/home/ines/miniforge3/envs/pollen/lib/python3.12"
    out += [
        "Timeout (8:00:00)!",
        "Thread 0x00007f2b64dfe6c0 (most recent call first):",
        f'  File "{lib}/threading.py", line 355 in wait',
        f'  File "{lib}/multiprocessing/queues.py", line 231 in _feed',
        f'  File "{lib}/threading.py", line 1010 in run',
        f'  File "{lib}/threading.py", line 1073 in _bootstrap_inner',
        f'  File "{lib}/threading.py", line 1030 in _bootstrap',
        "",
        "Thread 0x00007f2d1ac3b740 (most recent call first):",
        '  File "/home/ines/pollen/slides.py", line 88 in _lock',
        '  File "/home/ines/pollen/slides.py", line 112 in remember',
        '  File "/home/ines/pollen/train.py", line 140 in one_epoch',
        '  File "/home/ines/pollen/train.py", line 203 in <module>',
    ]
    _write(place, "pollen.log", out)


# --- c12 -------------------------------------------------------------------------------------------------------------


def c12_tagalog(place: Path, rng: Random) -> None:
    clock = _Clock("2025-03-12 14:22:01.123000")
    grey, blue, yellow, red, off = "\x1b[2m", "\x1b[34m", "\x1b[33m", "\x1b[1;31m", "\x1b[0m"
    out: list[str] = []

    def say(where: str, words: str, level: str = "INFO", after: float = 0.05, rank: int = 0) -> None:
        clock.on(rng.uniform(0.4, 1.6) * after)
        colour = {"INFO": blue, "WARNING": yellow, "CRITICAL": red}[level]
        out.append(
            f"{grey}{clock:%Y-%m-%d %H:%M:%S}.{clock.at.microsecond // 1000:03d}{off}\tnode17:{rank}\t{where}\t{colour}{level}{off}\t{words}"
        )

    nodes, ranks = "node17", 6
    say("olmo_core.train:71", "CLI environment prepared")
    say(
        "olmo_core.distributed.utils:92",
        f"Global rank 0 (local rank 0 of {ranks}) on {nodes}, backend cpu:gloo,cuda:nccl",
    )
    config = """ExperimentConfig(
    run_name='tl-1b-anneal-02',
    model=TransformerConfig(
        d_model=2048,
        vocab_size=100352,
        n_layers=16,
        block=TransformerBlockConfig(name='reordered_norm', attention=AttentionConfig(n_heads=16, qk_norm=..., rope=RoPEConfig(theta=500000)), \
feed_forward=FeedForwardConfig(hidden_size=8192)),
        lm_head=LMHeadConfig(loss_implementation='default'),
        dtype='float32',
        init_method='normal'
    ),
    dataset=NumpyDatasetConfig(name='fsl', sequence_length=4096, tokenizer=TokenizerConfig.dolma2(), \
mix=None, work_dir='/lustre/tl/work'),
    data_loader=NumpyDataLoaderConfig(global_batch_size=524288, seed=34521, num_workers=4),
    train_module=TransformerTrainModuleConfig(rank_microbatch_size=16384, max_sequence_length=4096, \
optim=SkipStepAdamWConfig(lr=0.0004), dp_config=DataParallelConfig(name='hsdp')),
    trainer=TrainerConfig(save_folder='/lustre/tl/ckpt/tl-1b-anneal-02', \
max_duration=Duration(value=20000000000, unit='tokens'), cancel_check_interval=10),
    init_seed=12536
)"""
    say("__main__:211", "\n".join(line if n == 0 else f"{off}{line}" for n, line in enumerate(config.split("\n"))))
    say("olmo_core.data.numpy_dataset:1711", "Loading dataset from 40 paths", after=0.4)
    total = 40
    for shard in range(total):
        for rank in rng.sample(range(ranks), ranks):
            say(
                "olmo_core.data.numpy_dataset:1498",
                f"No metadata for '/lustre/tl/tok/part-{shard:03d}-00000.npy', label will be 'None'",
                "WARNING",
                0.012,
                rank,
            )
        if shard % 8 == 7:
            done = shard + 1
            bar = "━" * (40 * done // total)
            out.append(
                f"\r\x1b[2KReading file sizes \x1b[38;2;249;38;114m{bar:<40}{off} \x1b[35m{100 * done // total:>3d}%{off} "
                f"\x1b[36m0:00:{(total - done) // 12:02d}{off}"
            )
    say("olmo_core.data.numpy_dataset:402", "Gathering dataset document indices...", after=0.2)
    say(
        "olmo_core.nn.transformer.config:388",
        "Building transformer with 1,484,916,736 total params, 1,279,395,840 non-embedding params",
        after=2.1,
    )
    site = "/lustre/tl/env/lib/python3.11/site-packages"
    words = "global batch size (524,288) must be divisible by micro-batch size (16,384) x DP world size (6)"
    frames = (
        ("/lustre/tl/olmo/scripts/tl_anneal.py", 264, "<module>", "main()"),
        (
            "/lustre/tl/olmo/scripts/tl_anneal.py",
            238,
            "main",
            "trainer = config.trainer.build(train_module, data_loader)",
        ),
        (f"{site}/olmo_core/train/config.py", 128, "build", "return Trainer("),
        ("<string>", 31, "__init__", ""),
        (f"{site}/olmo_core/train/trainer.py", 322, "__post_init__", "self.train_module._attach_trainer(self)"),
        (f"{site}/olmo_core/train/train_module/train_module.py", 60, "_attach_trainer", "self.on_attach()"),
        (
            f"{site}/olmo_core/train/train_module/transformer/train_module.py",
            231,
            "on_attach",
            "raise OLMoConfigurationError(",
        ),
    )
    clock.on(2.6)
    for rank in rng.sample(range(ranks), ranks):
        say("olmo_core.utils:319", f"Uncaught OLMoConfigurationError: {words}", "CRITICAL", 0.02, rank)
        out.append("Traceback (most recent call last):")
        for path, line, name, code in frames:
            out.append(f'  File "{path}", line {line}, in {name}')
            if code:
                out.append(f"    {code}")
        out.append(f"olmo_core.exceptions.OLMoConfigurationError: {words}")
    _write(place, "tl-1b-anneal-02.log", out)

    err = [
        "W0312 14:21:55.402113 771201 torch/distributed/run.py:792] ",
        "W0312 14:21:55.402113 771201 torch/distributed/run.py:792] *****************************************",
        "W0312 14:21:55.402113 771201 torch/distributed/run.py:792] Setting OMP_NUM_THREADS environment variable for each process to be "
        "1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. ",
        "W0312 14:21:55.402113 771201 torch/distributed/run.py:792] *****************************************",
    ]
    for rank, micro in zip(range(1, ranks), sorted(rng.sample(range(10**6), ranks - 1)), strict=True):
        err.append(
            f"W0312 14:22:{clock.at.second + 4:02d}.{micro:06d} 771201 torch/distributed/elastic/multiprocessing/api.py:897] "
            f"Sending process {771260 + rank} closing signal SIGTERM"
        )
    err += [
        f"E0312 14:22:{clock.at.second + 5:02d}.{rng.randrange(10**6):06d} 771201 "
        f"torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 0 (pid: 771260) of binary: /lustre/tl/env/bin/python",
        "Traceback (most recent call last):",
        '  File "/lustre/tl/env/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        f'  File "{site}/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
        "    return f(*args, **kwargs)",
        f'  File "{site}/torch/distributed/run.py", line 918, in main',
        "    run(args)",
        f'  File "{site}/torch/distributed/run.py", line 909, in run',
        "    elastic_launch(",
        f'  File "{site}/torch/distributed/launcher/api.py", line 138, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        f'  File "{site}/torch/distributed/launcher/api.py", line 269, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "============================================================",
        "scripts/tl_anneal.py FAILED",
        "------------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : 2025-03-12_14:22:{clock.at.second + 4:02d}",
        "  host      : node17",
        "  rank      : 0 (local_rank: 0)",
        "  exitcode  : 1 (pid: 771260)",
        "  error_file: <N/A>",
        "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
        "============================================================",
    ]
    _write(place, "tl-1b-anneal-02.err", err)
