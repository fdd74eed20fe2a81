"""Curves c01 to c06 of the thirty-eighth set.

SIMULATED: nothing here was taken from a real job.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.thirtyeighth.kit_cv import Clock, falling, put, span

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_tidegauge(place: Path, rng: Random) -> None:
    """Two tries of one forecaster: each learns for a while, is thrown out, and stays where it fell."""
    clock = Clock(2026, 5, 19, 21, 14, 7)
    for attempt, (rate, throw, level) in enumerate(((0.012, 1180, 1.87), (0.009, 2040, 1.79)), 1):
        out = [f"{clock.form('%H:%M:%S')} fit_tides.py model=TFT h=72 input_size=336 series=214 lr={rate} batch=48"]
        out.append(f"{clock.form('%H:%M:%S')} frame: 3 418 752 rows, 2009-01-01 .. 2026-03-31, freq=h, scaler=robust")
        out.append(f"{clock.form('%H:%M:%S')} seasonal naive on the held-out part, scaled MAE: 0.731")
        err = [
            "Seed set to 17",
            "GPU available: True (cuda), used: True",
            "TPU available: False, using: 0 TPU cores",
            "HPU available: False, using: 0 HPUs",
            (
                "You are using a CUDA device ('NVIDIA L40S') that has Tensor Cores. To properly utilize them, you"
                " should set `torch.set_float32_matmul_precision('medium' | 'high')` which will trade-off precision for"
                " performance. For more details, read"
                " https://pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html"
            ),
            "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
            "",
            "  | Name                    | Type                     | Params | Mode ",
            "-----------------------------------------------------------------------------",
            "0 | loss                    | MAE                      | 0      | train",
            "1 | padder_train            | ConstantPad1d            | 0      | train",
            "2 | scaler                  | TemporalNorm             | 0      | train",
            "3 | embedding               | TFTEmbedding             | 1.9 K  | train",
            "4 | static_encoder          | StaticCovariateEncoder   | 1.3 M  | train",
            "5 | temporal_encoder        | TemporalCovariateEncoder | 2.9 M  | train",
            "6 | temporal_fusion_decoder | TemporalFusionDecoder    | 1.1 M  | train",
            "7 | output_adapter          | Linear                   | 193    | train",
            "-----------------------------------------------------------------------------",
            "5.3 M     Trainable params",
            "0         Non-trainable params",
            "5.3 M     Total params",
            "21.214    Total estimated model params size (MB)",
        ]
        best = 9.0
        for step in range(10, 4010 + 400 * attempt, 10):
            clock.tick(rng.uniform(2.4, 2.8))
            if step < throw:
                loss = falling(rng, step, 1.02, 0.36, 260, 0.03)
                norm = rng.uniform(0.5, 1.4)
            elif step < throw + 60:
                loss = (41.0, 1260.5, 318.7, 66.2, 12.9, 4.4)[(step - throw) // 10] * rng.uniform(0.8, 1.2)
                norm = loss * rng.uniform(30, 60)
            else:
                loss = level * math.exp(rng.gauss(0, 0.02))
                norm = rng.uniform(0.0004, 0.0021)
            out.append(
                f"{clock.form('%H:%M:%S')} step={step} train_loss_step={loss:.4f} grad_norm={norm:.4f} lr={rate:.3g}"
            )
            if step % 200 == 0:
                clock.tick(6)
                valid = falling(rng, step, 1.0, 0.41, 260, 0.01) if step < throw else level * rng.uniform(1.02, 1.04)
                best = min(best, valid)
                out.append(f"{clock.form('%H:%M:%S')} step={step} ptl/val_loss={valid:.4f} (best {best:.4f})")
        err.append(
            f"/opt/venvs/nf/lib/python3.11/site-packages/pytorch_lightning/trainer/connectors/data_connector.py:{424}:"
            " The 'val_dataloader' does not have many workers which may be a bottleneck. Consider increasing the value"
            " of the `num_workers` argument` to `num_workers=31` in the `DataLoader` to improve performance."
        )
        clock.tick(15)
        out.append(f"{clock.form('%H:%M:%S')} fit over, last weights kept (no best-weights callback in this script)")
        out.append(
            f"{clock.form('%H:%M:%S')} held-out scaled MAE of these weights: {level * 1.03:.3f} (seasonal naive 0.731)"
        )
        out.append(f"{clock.form('%H:%M:%S')} forecast: 214 of 214 series have the same value at all 72 hours")
        put(place / f"try{attempt}.out", out)
        put(place / f"try{attempt}.err", err)
        clock.tick(1900)


def c02_chorale(place: Path, rng: Random) -> None:
    """Eight ranks that all speak, in millibits for a byte and hours; the run does what it set out to do."""
    clock = Clock(2026, 8, 2, 3, 40, 11)
    begun = clock.now
    steps, every, ranks = 2700, 20, 8
    out = [
        f"[r0] {clock.form('%d.%m %H:%M:%S')} hand-rolled FSDP, world=8 on 1 host, torch 2.8.0+cu128, 8x H100 80GB",
        f"[r0] {clock.form('%d.%m %H:%M:%S')} 412.7 Mparam, FULL_SHARD, bf16, ctx 3072 bytes, 1.18 Mbyte a step in all",
        f"[r0] {clock.form('%d.%m %H:%M:%S')} plan: {steps} steps, a line of each rank every {every}, save every 900",
        f"[r0] {clock.form('%d.%m %H:%M:%S')} units: loss mbit/byte; pace Gbyte/h; time h; memory Mword (8 byte)",
    ]
    for rank in rng.sample(range(ranks), ranks):
        out.append(
            f"[r{rank}] {clock.form('%d.%m %H:%M:%S')} shard wrapped, {rng.randint(101, 106)} Mword held, corpus part"
            f" {rank}/8 open"
        )
    for step in range(every, steps + 1, every):
        clock.tick(every * rng.uniform(1.38, 1.46))
        hours = (clock.now - begun).total_seconds() / 3600
        warm = min(1.0, step / 200)
        rate = 0.5 * (1 + math.cos(math.pi * step / steps)) * 4.1e-4 * warm
        base = falling(rng, step, 6900, 925, 85, 0.004)
        for rank in rng.sample(range(ranks), ranks):
            out.append(
                f"[r{rank}] {clock.form('%d.%m %H:%M:%S')} {step}/{steps}"
                f" loss={base * math.exp(rng.gauss(0, 0.008)):.0f}mb/B"
                f" gn={falling(rng, step, 3.1, 0.21, 150, 0.06):.2f} lr={rate * 1e6:.1f}e-6 t={hours:.4f}h"
                f" pace={rng.uniform(2.93, 3.06):.2f}GB/h mem={rng.randint(6120, 6170)}MW"
            )
        if step % 900 == 0:
            clock.tick(9)
            out.append(
                f"[r0] {clock.form('%d.%m %H:%M:%S')} held-out {falling(rng, step, 6900, 948, 85, 0.001):.0f}mb/B over"
                " 96 Mbyte"
            )
            for rank in rng.sample(range(ranks), ranks):
                out.append(
                    f"[r{rank}] {clock.form('%d.%m %H:%M:%S')} saved shard {rank} of step {step}, 77 Mword in"
                    f" {rng.uniform(1.4, 1.9) / 1000:.5f}h"
                )
            clock.tick(7)
    out.append(
        f"[r0] {clock.form('%d.%m %H:%M:%S')} all {steps} steps done, consolidated to chorale-412m.safetensors (206"
        " Mword)"
    )
    for rank in rng.sample(range(ranks), ranks):
        out.append(f"[r{rank}] {clock.form('%d.%m %H:%M:%S')} process group closed, leaving with 0")
    put(place / "chorale.log", out)


def c03_zeolith(place: Path, rng: Random) -> None:
    """Crystals of mixed size: the fat batch of epoch 26 asks for more than the card has."""
    clock = Clock(2026, 10, 6, 17, 2, 31)
    tag = "[schnetpack.cli][INFO] - "

    def say(text: str) -> str:
        return f"[{clock.millis()}]{tag}{text}"

    out = [
        "   _____      __    _   __     __  ____             __",
        "  / ___/_____/ /_  / | / /__  / /_/ __ \\____ ______/ /__",
        "  \\__ \\/ ___/ __ \\/  |/ / _ \\/ __/ /_/ / __ `/ ___/ //_/",
        " ___/ / /__/ / / / /|  /  __/ /_/ ____/ /_/ / /__/ ,<",
        "/____/\\___/_/ /_/_/ |_/\\___/\\__/_/    \\__,_/\\___/_/|_|",
        "",
        say("Running on host: kobalt07"),
        say("Seed randomly with 2207146139"),
        "⚙ Running with the following config:",
        "├── run",
        "│   └── work_dir: /scratch/nvogel/zeo                                           ",
        "│       data_dir: /scratch/nvogel/zeo/data                                      ",
        "│       path: runs                                                              ",
        "│       id: 5f0c8a1e-af21-11f0-9c1d-0c42a1be60d4                                ",
        "├── globals",
        "│   └── model_path: best_model                                                  ",
        "│       cutoff: 6.5                                                             ",
        "│       lr: 0.0004                                                              ",
        "├── data",
        "│   └── _target_: schnetpack.data.AtomsDataModule                               ",
        "│       datapath: zeolites_mixed.db                                             ",
        "│       batch_size: 12                                                          ",
        "│       num_train: 0.8                                                          ",
        "│       num_workers: 6                                                          ",
        "├── model",
        "│   └── representation: schnetpack.representation.PaiNN                         ",
        "│       n_atom_basis: 256                                                       ",
        "│       n_interactions: 5                                                       ",
        "├── trainer",
        "│   └── max_epochs: 120                                                         ",
        "│       accelerator: auto                                                       ",
        "│       precision: 32                                                           ",
        say("Instantiating datamodule <schnetpack.data.AtomsDataModule>"),
    ]
    clock.tick(14.2)
    out.append(say("Instantiating model <schnetpack.model.NeuralNetworkPotential>"))
    clock.tick(0.4)
    out.append(say("Instantiating task <schnetpack.AtomisticTask>"))
    for callback in (
        "train.ModelCheckpoint",
        "lightning.EarlyStopping",
        "lightning.LearningRateMonitor",
        "train.ExponentialMovingAverage",
    ):
        out.append(say(f"Instantiating callback <{callback}>"))
    out.append(say("Instantiating logger <pytorch_lightning.loggers.CSVLogger>"))
    out.append(say("Instantiating trainer <pytorch_lightning.Trainer>"))
    out += [
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        say("Logging hyperparameters."),
        say("Starting training."),
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name    | Type                   | Params | Mode ",
        "-----------------------------------------------------------",
        "0 | model   | NeuralNetworkPotential | 2.9 M  | train",
        "1 | outputs | ModuleList             | 0      | train",
        "-----------------------------------------------------------",
        "2.9 M     Trainable params",
        "0         Non-trainable params",
        "2.9 M     Total params",
        "11.774    Total estimated model params size (MB)",
    ]
    total, valid, step = 684, 0.0, 0
    for epoch in range(27):
        marks = list(range(38, total + 1, 38))
        for done in marks:
            if epoch == 26 and done > 304:
                break
            step = epoch * total + done
            loss = falling(rng, step, 2.31, 0.011, 420, 0.07)
            pace = rng.uniform(6.02, 6.31)
            full = "█" * (done * 10 // total)
            tail = f", val_loss={valid:.4f}" if epoch else ""
            out.append(
                f"Epoch {epoch}: {done * 100 // total:3d}%|{full:<10}| {done}/{total}"
                f" [{span(done / pace)}<{span((total - done) / pace)}, {pace:5.2f}it/s, v_num=0,"
                f" train_loss_step={loss:.4f}{tail}]"
            )
        if epoch < 26:
            clock.tick(131)
            valid = falling(rng, step, 2.31, 0.014, 420, 0.02)
            out.append(
                f"Epoch {epoch}, global step {step + 0}: 'val_loss' reached {valid:.5f} (best {valid:.5f}), saving"
                " model to '/scratch/nvogel/zeo/runs/5f0c8a1e-af21-11f0-9c1d-0c42a1be60d4/best_model' as top 1"
            )
    clock.tick(56)
    lib = "/home/nvogel/mamba/envs/spk21/lib/python3.11/site-packages"
    out += [
        "Error executing job with overrides: ['experiment=zeo_painn', 'data.batch_size=12', 'globals.cutoff=6.5']",
        "Traceback (most recent call last):",
        f'  File "{lib}/schnetpack/cli.py", line 189, in train',
        "    trainer.fit(model=task, datamodule=datamodule, ckpt_path=config.run.ckpt_path)",
        f'  File "{lib}/pytorch_lightning/trainer/trainer.py", line 561, in fit',
        "    call._call_and_handle_interrupt(",
        f'  File "{lib}/pytorch_lightning/loops/optimization/automatic.py", line 319, in _training_step',
        '    training_step_output = call._call_strategy_hook(trainer, "training_step", *kwargs.values())',
        f'  File "{lib}/schnetpack/task.py", line 181, in training_step',
        "    pred = self.predict_without_postprocessing(batch)",
        f'  File "{lib}/schnetpack/model/base.py", line 231, in forward',
        "    inputs = self.representation(inputs)",
        f'  File "{lib}/schnetpack/representation/painn.py", line 211, in forward',
        "    q, mu = interaction(q, mu, filter_list[i], dir_ij, idx_i, idx_j, n_atoms)",
        f'  File "{lib}/schnetpack/representation/painn.py", line 62, in forward',
        "    dmuR, dmumu = torch.split(x, self.n_atom_basis, dim=-1)[1:]; dmu = dmuR * dir_ij[..., None] + dmumu * muj",
        (
            "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 5.87 GiB. GPU 0 has a total capacity of"
            " 39.50 GiB of which 3.42 GiB is free. Including non-PyTorch memory, this process has 36.07 GiB memory in"
            " use. Of the allocated memory 33.90 GiB is allocated by PyTorch, and 1.61 GiB is reserved by PyTorch but"
            " unallocated. If reserved but unallocated memory is large try setting"
            " PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory"
            " Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
        ),
        "",
        "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.",
    ]
    put(place / "spktrain.log", out)


def c04_moraine(place: Path, rng: Random) -> None:
    """A TPU-style trainer on GPUs; an upload fails twice and then works; the copy ends between two steps."""
    clock = Clock(2026, 9, 23, 6, 51, 44)
    total = 9600

    def say(text: str, who: str = "BaseTrainer", level: str = "INFO") -> str:
        return f"({clock.form('%H:%M:%S')}) {level:<8} [{who}] {text}"

    out = [
        f"# run_moraine.sh on node ag-118, {clock.form('%Y-%m-%d %H:%M:%S')}, easydel 0.1.4, jax 0.6.2, 4x NVIDIA H200",
        say(
            "Automatic mesh: axis_dims=(1, -1, 1, 1) axis_names=('dp', 'fsdp', 'tp', 'sp') -> (1, 4, 1, 1)",
            "EasyDeLState",
        ),
        say("loading config Qwen/Qwen3-1.7B-Base, attn_mechanism=FLASH_ATTN2, dtype=bfloat16", "AutoEasyDeLModel"),
    ]
    clock.tick(38)
    out += [
        say("converted 311 of 311 parameters, sharded over fsdp=4", "AutoEasyDeLModel"),
        say(
            "TrainingArguments: total_batch_size=64 max_sequence_length=4096 optimizer=ADAMW scheduler=COSINE"
            " learning_rate=3.2e-05",
            "SFTTrainer",
        ),
        say(
            f"max_training_steps={total} (1 epoch of 614 400 examples, packed), log_steps=2, save_steps=1000",
            "SFTTrainer",
        ),
        say("Time For configure dataloaders (sec): 3.21", "SFTTrainer"),
        say("Time For configure functions and sharding them (sec): 0.94", "SFTTrainer"),
        say("compiling train step ...", "SFTTrainer"),
    ]
    clock.tick(71.5)
    out.append(say("compiled forward and backward in 71.4 s", "SFTTrainer"))
    begun = clock.now
    tried = False
    for step in range(2, 6307, 2):
        clock.tick(2 * rng.uniform(2.02, 2.11))
        loss = falling(rng, step, 2.214, 1.262, 260, 0.012)
        rate = 3.2e-5 * min(1, step / 300) * 0.5 * (1 + math.cos(math.pi * step / total))
        ran = (clock.now - begun).total_seconds()
        if step < 20 or step % 4 == 0:
            out.append(
                f"SFTTrainer: {step}/{total} [{span(ran)}<{span(ran / step * (total - step))}] loss={loss:.4f}"
                f" accuracy={0.47 + 0.17 * (1 - (loss - 1.2) / 1.05):.4f}"
                f" grad_norm={falling(rng, step, 2.4, 0.42, 100, 0.07):.3f} learning_rate={rate:.3e}"
                f" perplexity={math.exp(loss):.3f} step_time={rng.uniform(2.02, 2.11):.3f}"
                f" TFLOPs={rng.uniform(318, 331):.1f} visited_tokens={step * 262144}"
            )
        if step % 1000 == 0:
            out.append(say(f"saving state to gs://moraine-ckpt/sft-b/run-{step}", "BaseTrainer"))
            if step == 3000 and not tried:
                tried = True
                for number, wait in ((1, 8), (2, 16)):
                    clock.tick(30)
                    out += [
                        say(
                            f"upload of run-3000/model/d/7c1e failed (try {number} of 6), again in {wait} s",
                            "ckpt-writer",
                            "WARNING",
                        ),
                        "Traceback (most recent call last):",
                        (
                            "  File"
                            ' "/srv/py/lib/python3.11/site-packages/google/resumable_media/requests/'
                            '_request_helpers.py",'
                            " line 178, in wait_and_retry"
                        ),
                        "    response = func()",
                        (
                            "requests.exceptions.ConnectionError: ('Connection aborted.', RemoteDisconnected('Remote"
                            " end closed connection without response'))"
                        ),
                    ]
                    clock.tick(wait)
            clock.tick(rng.uniform(17, 20))
            out.append(
                say(
                    f"state of step {step} is whole at gs://moraine-ckpt/sft-b/run-{step} (29 files, 19.4 GB)",
                    "BaseTrainer",
                )
            )
    put(place / "run_moraine.log", out)


def c05_lintel(place: Path, rng: Random) -> None:
    """Four hosts for a translator: two never meet the other two; one reads its vocabulary only at the second try."""
    hosts = ("wsx031", "wsx032", "wsx047", "wsx048")
    for rank, host in enumerate(hosts):
        clock = Clock(2026, 11, 3, 13, 22, 9 + rng.uniform(0, 2))

        def say(text: str, level: str = "INFO", clock: Clock = clock) -> str:
            clock.tick(rng.uniform(0.002, 0.03))
            return f"[{clock.millis()} {level}] {text}"

        out = [
            f"+ host {host}, node {rank} of 4, 1x A100-SXM4-80GB, OpenNMT-py 3.5.1, torch 2.2.2+cu121",
            (
                f"+ onmt_train -config kat_eng.yaml -world_size 4 -gpu_ranks {rank} -master_ip 10.77.3.31 -master_port"
                " 23917"
            ),
            say("Missing transforms field for corpus_w data, set to default: ['sentencepiece', 'filtertoolong']."),
            say("Missing transforms field for valid data, set to default: ['sentencepiece', 'filtertoolong']."),
            say("Parsed 3 corpora from -data."),
            say("Get special vocabs from Transforms: {'src': [], 'tgt': []}."),
        ]
        if rank == 2:
            out += [
                say("could not read /proj/kat/vocab.joint (try 1 of 4)", "WARNING"),
                "Traceback (most recent call last):",
                '  File "/proj/kat/bin/start_train.py", line 58, in read_vocab',
                "    lines = handle.readlines()",
                "OSError: [Errno 116] Stale file handle: '/proj/kat/vocab.joint'",
            ]
            clock.tick(5)
            out.append(say("read /proj/kat/vocab.joint at try 2"))
        out += [
            say(
                "The first 10 tokens of the vocabs are:['<unk>', '<blank>', '<s>', '</s>', '▁და', ',', '.', '▁the',"
                " 'ს', 'ი']"
            ),
            say("The decoder start token is: <s>"),
            say("Building model..."),
        ]
        clock.tick(1.7)
        out += [
            say("Switching model to float32 for amp/apex_amp"),
            say("Non quantized layer compute is fp16"),
            say("NMTModel("),
            "  (encoder): TransformerEncoder(",
            (
                "    (embeddings): Embeddings((make_embedding): Sequential((emb_luts): Elementwise((0):"
                " Embedding(26008, 768, padding_idx=1))))"
            ),
            "    (transformer): ModuleList(",
            *(f"      ({layer}): TransformerEncoderLayer(heads=12, d_ff=3072, dropout=0.15)" for layer in range(14)),
            "    )",
            "    (layer_norm): LayerNorm((768,), eps=1e-06, elementwise_affine=True)",
            "  )",
            "  (decoder): TransformerDecoder(",
            "    (transformer_layers): ModuleList(",
            *(f"      ({layer}): TransformerDecoderLayer(heads=12, d_ff=3072, dropout=0.15)" for layer in range(6)),
            "    )",
            "  )",
            "  (generator): Linear(in_features=768, out_features=26008, bias=True)",
            ")",
            say("encoder: 119203584"),
            say("decoder: 76717976"),
            say("* number of parameters: 195921560"),
            say(f"Starting training on GPU: [{rank}], to 180000 steps, valid every 4000"),
            say(f" Starting process pid: {rng.randint(20000, 90000)}  "),
        ]
        clock.tick(2.2)
        out.append(say(f"multi_init: backend nccl, tcp://10.77.3.31:23917, world 4, rank {rank}"))
        if rank == 0:
            out.append(say("store listens on [::]:23917"))
        clock.tick(1800.9)
        torch = "/proj/kat/venv/lib/python3.10/site-packages/torch/distributed"
        if rank == 0:
            last = (
                "torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 2/4 clients"
                " joined."
            )
        elif rank == 1:
            last = "torch.distributed.DistNetworkError: Connection reset by peer"
        else:
            last = (
                "torch.distributed.DistNetworkError: The client socket has timed out after 1800s while trying to"
                " connect to (10.77.3.31, 23917)."
            )
            out += [
                "[W socket.cpp:663] [c10d] The client socket has failed to connect to [::ffff:10.77.3.31]:23917 "
                "(errno: 110 - Connection timed out)."
            ] * 13
        out += [
            "Traceback (most recent call last):",
            '  File "/proj/kat/venv/bin/onmt_train", line 8, in <module>',
            "    sys.exit(main())",
            '  File "/proj/kat/venv/lib/python3.10/site-packages/onmt/bin/train.py", line 67, in main',
            "    train(opt)",
            '  File "/proj/kat/venv/lib/python3.10/site-packages/onmt/bin/train.py", line 52, in train',
            "    p.join()",
            (
                '  File "/proj/kat/venv/lib/python3.10/site-packages/onmt/utils/distributed.py", line 189, in'
                " signal_handler"
            ),
            "    raise Exception(msg)",
            "Exception: ",
            "",
            "-- Tracebacks above this line can probably",
            "                 be ignored --",
            "",
            "Traceback (most recent call last):",
            (
                '  File "/proj/kat/venv/lib/python3.10/site-packages/onmt/utils/distributed.py", line 206, in'
                " spawned_train"
            ),
            "    gpu_rank = multi_init(opt, device_id)",
            '  File "/proj/kat/venv/lib/python3.10/site-packages/onmt/utils/distributed.py", line 28, in multi_init',
            "    torch.distributed.init_process_group(",
            f'  File "{torch}/distributed_c10d.py", line 1177, in init_process_group',
            "    store, rank, world_size = next(rendezvous_iterator)",
            f'  File "{torch}/rendezvous.py", line 174, in _create_c10d_store',
            "    return TCPStore(",
            last,
            "",
            f"+ {clock.form('%H:%M:%S')} onmt_train left with 1",
        ]
        put(place / f"node{rank}_{host}.log", out)


def c06_brine(place: Path, rng: Random) -> None:
    """Two links of a chain of jobs for one potential: the second begins at nought as if there were no first."""
    clock = Clock(2026, 7, 14, 22, 5, 3)

    def say(text: str, level: str = "INFO") -> str:
        return f"[{clock.millis()}] DEEPMD {level:<7} {text}"

    out: list[str] = []
    for link, (job, last) in enumerate(((6120447, 158000), (6120448, 154000)), 1):
        told = "first of the chain" if link == 1 else "follows job 6120447 (afterok)"
        out.append(f"[chain] {clock.form('%F %T')} job {job}, link {link}: {told}; dir /lustre/u/hbaum/brine/dpa")
        clock.tick(9)
        out += [
            say("Calculate neighbor statistics... (add --skip-neighbor-stat to skip this step)"),
            say("training data with min nbor dist: 0.8127391046173"),
            say("training data with max nbor size: [38 71 6 5]"),
            say(" _____               _____   __  __  _____           _     _  _   "),
            say("|  __ \\             |  __ \\ |  \\/  ||  __ \\         | |   (_)| |  "),
            say("| |  | |  ___   ___ | |__) || \\  / || |  | | ______ | | __ _ | |_ "),
            say("|_____/  \\___| \\___||_|     |_|  |_||_____/         |_|\\_\\|_| \\__|"),
            say("---Summary of the training---------------------------------------"),
            say("running on:           cn0219" if link == 1 else "running on:           cn0227"),
            say("computing device:     gpu:0"),
            say("visible devices: 1"),
            say("num_intra_threads:    6"),
            say("-----------------------------------------------------------------"),
            say("---Summary of DataSystem: training     -----------------------------------------------"),
            say("found 3 system(s):"),
            say("                                        system  natoms  bch_sz   n_bch   prob  pbc"),
            say("                          ../set/nacl_dilute     192       1    3110  0.412    T"),
            say("                        ../set/nacl_saturated     216       1    2904  0.385    T"),
            say("                             ../set/nacl_kcl     208       1    1532  0.203    T"),
            say("--------------------------------------------------------------------------------------"),
        ]
        clock.tick(21)
        out.append(say("built network"))
        out.append(say("built training"))
        out.append(say("initialize model from scratch"))
        out.append(say("start training at lr 1.00e-03 (== 1.00e-03), decay_step 5000, decay_rate 0.953"))
        wall = 0.0
        for batch in range(2000, last + 1, 2000):
            took = 2000 * rng.uniform(0.0512, 0.0534)
            clock.tick(took)
            wall += took
            shape = falling(rng, batch, 1.0, 0.028, 5200, 0.04)
            rate = 1e-3 * 0.953 ** (batch // 5000)
            out.append(
                say(
                    f"batch {batch:7d}: trn: rmse = {21.4 * shape:.2e}, rmse_e = {0.118 * shape:.2e}, rmse_f ="
                    f" {0.71 * shape:.2e}, lr = {rate:.2e}"
                )
            )
            if batch % 10000 == 0:
                val = falling(rng, batch, 1.0, 0.031, 5200, 0.02)
                out.append(
                    say(
                        f"batch {batch:7d}: val: rmse = {21.4 * val:.2e}, rmse_e = {0.118 * val:.2e}, rmse_f ="
                        f" {0.71 * val:.2e}"
                    )
                )
                out.append(say(f"batch {batch:7d}: total wall time = {wall:.2f} s"))
                out.append(say("saved checkpoint model.ckpt"))
        out.append(
            f"[chain] {clock.form('%F %T')} my share of the night is over, ending dp in good order; the next link"
            " goes on"
        )
        clock.tick(3)
        out.append(say("saved checkpoint model.ckpt"))
        out.append(f"[chain] {clock.form('%F %T')} job {job} leaves with 0")
        clock.tick(412)
    put(place / "dpa_chain.log", out)
