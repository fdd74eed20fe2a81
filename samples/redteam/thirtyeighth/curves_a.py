"""Curves of the lots c01 to c06. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.thirtyeighth.cu_tools import Clock, fall, hms, jitter, write

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_gasdemand(place: Path, rng: Random) -> None:
    """A forecaster on hourly gas demand whose loss blows up in both attempts."""
    out: list[str] = []
    err: list[str] = []
    clock = Clock("2026-02-19T21:40:07")
    for attempt, (seed, lr, first, bad, until) in enumerate(
        ((17, 0.012, 0.884, 1730, 4200), (4, 0.009, 0.871, 2390, 8600)), start=1
    ):
        out.append(
            f"{clock.show('%Y-%m-%d %H:%M:%S')} == fit_gas.py attempt {attempt} on mlbox-3, pid "
            f"{rng.randint(9000, 60000)}"
        )
        out.append(
            f"{clock.show('%Y-%m-%d %H:%M:%S')} 412 series, hourly, 2019-01-01 .. 2025-11-30; val_size=336 test_size=0"
        )
        out.append(
            f"{clock.show('%Y-%m-%d %H:%M:%S')} NHITS h=168 input_size=672 loss=MAE scaler=robust lr={lr} "
            f"windows_batch_size=1024 random_seed={seed} clip=None"
        )
        clock.on(6.4)
        err += [
            f"Seed set to {seed}",
            "GPU available: True (cuda), used: True",
            "TPU available: False, using: 0 TPU cores",
            "HPU available: False, using: 0 HPUs",
            "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [2]",
            "",
            "  | Name         | Type          | Params | Mode ",
            "-------------------------------------------------------",
            "0 | loss         | MAE           | 0      | train",
            "1 | padder_train | ConstantPad1d | 0      | train",
            "2 | scaler       | TemporalNorm  | 0      | train",
            "3 | blocks       | ModuleList    | 5.9 M  | train",
            "-------------------------------------------------------",
            "5.9 M     Trainable params",
            "0         Non-trainable params",
            "5.9 M     Total params",
            "23.494    Total estimated model params size (MB)",
            "34        Modules in train mode",
            "0         Modules in eval mode",
        ]
        level = 0.0
        for step in range(10, until + 1, 10):
            clock.on(jitter(rng, 2.9, 0.06))
            if step < bad:
                loss = jitter(rng, fall(step, first, 0.402, 520), 0.05)
                grad = jitter(rng, 0.9, 0.3)
            elif step < bad + 60:
                loss = jitter(rng, 0.41 * 3.1 ** ((step - bad) / 10 + 1), 0.2)
                grad = jitter(rng, 60 * 3.0 ** ((step - bad) / 10), 0.3)
                level = 27.0 if attempt == 1 else 11.6
            else:
                loss = jitter(rng, level, 0.07)
                grad = jitter(rng, 0.0031, 0.4)
            out.append(
                f"{clock.show('%Y-%m-%d %H:%M:%S')} [PrintLoss] global_step={step} train_loss_step={loss:.4f} "
                f"grad_norm={grad:.3g} lr={lr:.2e}"
            )
            if step % 200 == 0:
                clock.on(1.8)
                out.append(
                    f"{clock.show('%Y-%m-%d %H:%M:%S')} [PrintLoss] global_step={step} "
                    f"ptl/val_loss={jitter(rng, loss * 1.09, 0.02):.4f}"
                )
        if attempt == 1:
            clock.on(22)
            err += ["", "Detected KeyboardInterrupt, attempting graceful shutdown ..."]
            out.append(
                f"{clock.show('%Y-%m-%d %H:%M:%S')} stopped by hand at step {until}; other seed, lower lr, again"
            )
            clock.on(214)
        else:
            err.append("Time limit reached. Elapsed time is 0:43:00. Signaling Trainer to stop.")
            clock.on(3)
            out.append(f"{clock.show('%Y-%m-%d %H:%M:%S')} nf.save('runs/gas_nhits'), exit 0")
    write(place / "fit_gas.out", out)
    write(place / "fit_gas.err", err)


def c02_millinat(place: Path, rng: Random) -> None:
    """A hand-written FSDP loop, a line of each of 8 ranks, losses in thousandths of a nat."""
    clock = Clock("2026-06-03T05:11:48")
    lines = [
        f"{clock.show('%d.%m.%y %H:%M:%S')} | r0/8 | torchrun --nproc_per_node=8 fsdp_bulgarian.py",
        f"{clock.show('%d.%m.%y %H:%M:%S')} | r0/8 | 1 310 440 192 parameters, FULL_SHARD, bf16; plan: 7200 updates, "
        f"a line each 60",
        f"{clock.show('%d.%m.%y %H:%M:%S')} | r0/8 | units: loss mnat/token, gnorm x1000, upd decisecond, rate "
        f"ktok/min/gpu, mem decigib",
    ]
    for rank in range(8):
        clock.on(rng.uniform(0.0, 0.3))
        lines.append(
            f"{clock.show('%d.%m.%y %H:%M:%S')} | r{rank}/8 | wrapped 26 blocks on cuda:{rank}, first all-gather ok"
        )
    best = 0.0
    for step in range(60, 7201, 60):
        pace = jitter(rng, 13.4, 0.01)
        clock.on(6.0 * pace)
        base = fall(step, 8600, 2890, 900) + fall(step, 1500, 0, 4000) * 0.25
        order = list(range(8))
        rng.shuffle(order)
        for rank in order:
            lines.append(
                f"{clock.show('%d.%m.%y %H:%M:%S')} | r{rank}/8 | upd {step:>4} loss {jitter(rng, base, 0.012):.0f} "
                f"mnat "
                f"gnorm {jitter(rng, fall(step, 2900, 310, 700), 0.08):.0f} lr "
                f"{2.6e2 * min(1.0, step / 300) * (1 - step / 7900):.1f}u "
                f"{pace:.2f} ds {16384 * 600 / pace / 1000:.0f} ktok/min {jitter(rng, 583, 0.002):.0f} dGiB"
            )
        if step % 1200 == 0:
            clock.on(19)
            best = base * 1.015
            lines.append(
                f"{clock.show('%d.%m.%y %H:%M:%S')} | r0/8 | held-out {best:.0f} mnat ({best / 693.147:.3f} bit/token)"
            )
            clock.on(27)
            lines.append(
                f"{clock.show('%d.%m.%y %H:%M:%S')} | r0/8 | shards written: ck/upd{step:05d} (8 files, "
                f"15.7 GB) in 268 ds"
            )
    for rank in range(8):
        lines.append(f"{clock.show('%d.%m.%y %H:%M:%S')} | r{rank}/8 | all 7200 updates made, group closed, return 0")
    clock.on(2)
    lines.append(
        f"{clock.show('%d.%m.%y %H:%M:%S')} | launcher | 8 of 8 workers returned 0; held-out at the end {best:.0f} mnat"
    )
    write(place / "fsdp_bulgarian.log", lines)


def c03_zeolite(place: Path, rng: Random) -> None:
    """A PaiNN on zeolite frames; a batch of large cells asks for more memory than is left."""
    clock = Clock("2026-04-27T13:02:31")
    stamp = "[%Y-%m-%d %H:%M:%S,%L]"
    lines = [
        f"{clock.show(stamp)}[schnetpack.cli][INFO] - Running on host: nc-gpu07",
        f"{clock.show(stamp)}[schnetpack.cli][INFO] - ",
        "   _____      __    _   __     __  ____             __",
        "  / ___/_____/ /_  / | / /__  / /_/ __ \\____ ______/ /__",
        "⚙ Running with the following config:",
        "├── run",
        "│   └── work_dir: /scratch/okafor/zeo_painn",
        "│       data_dir: /scratch/okafor/data",
        "│       id: 5d1c06ae-41a2-11f1",
        "├── trainer",
        "│   └── _target_: pytorch_lightning.Trainer",
        "│       devices: 1",
        "│       max_epochs: 90",
        "│       accelerator: gpu",
        "│       log_every_n_steps: 40",
        "├── data",
        "│   └── datapath: /scratch/okafor/data/zeo_mixed.db",
        "│       batch_size: 24",
        "│       num_train: 23040",
        "│       num_val: 1200",
        "└── model",
        "    └── representation: schnetpack.representation.PaiNN, n_atom_basis: 128, n_interactions: 4, cutoff: 6.0",
        f"{clock.show(stamp)}[schnetpack.cli][INFO] - Seed randomly...",
        f"{clock.show(stamp)}[schnetpack.cli][INFO] - Instantiating datamodule <schnetpack.data.AtomsDataModule>",
        f"{clock.show(stamp)}[schnetpack.cli][INFO] - Instantiating model <schnetpack.model.NeuralNetworkPotential>",
        f"{clock.show(stamp)}[schnetpack.cli][INFO] - Instantiating task <schnetpack.task.AtomisticTask>",
        f"{clock.show(stamp)}[schnetpack.cli][INFO] - Instantiating trainer <pytorch_lightning.Trainer>",
        "GPU available: True (cuda), used: True",
        f"{clock.show(stamp)}[schnetpack.cli][INFO] - Starting training.",
        "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0]",
        "",
        "  | Name    | Type                   | Params",
        "---------------------------------------------------",
        "0 | model   | NeuralNetworkPotential | 794 K ",
        "1 | outputs | ModuleList             | 0     ",
        "---------------------------------------------------",
        "794 K     Trainable params",
        "0         Non-trainable params",
    ]
    per, val = 960, 0.0
    for epoch in range(27):
        into = 0.0
        for batch in range(40, per + 1, 40):
            at = epoch * per + batch
            if epoch == 26 and batch > 520:
                break
            spent = jitter(rng, 6.3, 0.03)
            into += spent
            clock.on(spent)
            loss = jitter(rng, fall(at, 1.94, 0.021, 3300), 0.12)
            full = int(batch / per * 10)
            tail = f", val_loss={val:.4f}" if val else ""
            lines.append(
                f"{clock.show(stamp)} Epoch {epoch}: {batch * 100 // per:>3}%|{'█' * full}{' ' * (10 - full)}| "
                f"{batch}/{per} "
                f"[{hms(into)}<{hms((per - batch) * into / batch)}, {batch / into:.2f}it/s, v_num=0, "
                f"train_loss={loss:.4f}{tail}]"
            )
        if epoch == 26:
            break
        clock.on(5.1)
        val = jitter(rng, fall((epoch + 1) * per, 1.94, 0.026, 3300), 0.05)
        lines.append(
            f"{clock.show(stamp)}[zeo.report][INFO] - epoch {epoch} val_loss {val:.4f} val_energy_MAE {val * 0.61:.4f} "
            f"val_forces_MAE {val * 0.87:.4f} lr 5.0e-04 largest batch {rng.randint(2900, 5200)} atoms"
        )
    clock.on(3.8)
    pack = "/home/okafor/envs/spk/lib/python3.11/site-packages/"
    lines += [
        f"{clock.show(stamp)}[zeo.sampler][INFO] - epoch 26 batch 537: 9312 atoms, 771034 pairs",
        "Error executing job with overrides: ['experiment=zeo_painn', 'data.batch_size=24']",
        "Traceback (most recent call last):",
        f'  File "{pack}schnetpack/cli.py", line 180, in train',
        "    trainer.fit(model=task, datamodule=datamodule, ckpt_path=config.run.ckpt_path)",
        f'  File "{pack}pytorch_lightning/trainer/trainer.py", line 544, in fit',
        "    call._call_and_handle_interrupt(",
        f'  File "{pack}schnetpack/task.py", line 247, in training_step',
        "    pred = self.predict_without_postprocessing(batch)",
        f'  File "{pack}schnetpack/model/base.py", line 210, in forward',
        "    inputs = self.representation(inputs)",
        f'  File "{pack}schnetpack/representation/painn.py", line 229, in forward',
        "    q, mu = interaction(",
        f'  File "{pack}schnetpack/representation/painn.py", line 62, in forward',
        "    dmu = dmuR * dir_ij[..., None] + dmumu * muj",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.10 GiB. GPU 0 has a total capacity of 23.57 "
        "GiB of "
        "which 783.62 MiB is free. Including non-PyTorch memory, this process has 22.79 GiB memory in use. Of the "
        "allocated "
        "memory 21.94 GiB is allocated by PyTorch, and 391.40 MiB is reserved by PyTorch but unallocated. If "
        "reserved but "
        "unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid "
        "fragmentation.",
        "",
        "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.",
        "spktrain exit status 1",
    ]
    write(place / "zeo_painn.log", lines)


def c04_halfway(place: Path, rng: Random) -> None:
    """An EasyDeL run whose log just ends half way, after a mended upload error."""
    clock = Clock("2026-07-15T23:18:04")
    stamp = "%H:%M:%S"
    lines = [
        f"{clock.show('%Y-%m-%d %H:%M:%S')} launching python sft_swahili.py",
        f"({clock.show(stamp)} easydel.trainers.SFTTrainer) INFO Devices: 4 x cuda (NVIDIA A100-SXM4-80GB), mesh "
        f"dp=1 fsdp=4 ep=1 tp=1 sp=1",
        f"({clock.show(stamp)} easydel.trainers.SFTTrainer) INFO Initialized dataloaders, train batches 38,212",
        f"({clock.show(stamp)} easydel.trainers.SFTTrainer) INFO max_training_steps 9,000 | epochs 1 | batch 64 | "
        f"grad accum 2",
        f"({clock.show(stamp)} easydel.trainers.SFTTrainer) INFO Number of parameters 2.61 B",
        f"({clock.show(stamp)} easydel.trainers.SFTTrainer) INFO Compiling training step ...",
    ]
    clock.on(97)
    lines.append(f"({clock.show(stamp)} easydel.trainers.SFTTrainer) INFO Training step compiled in 96.83 s")
    begun = clock.now
    for step in range(3, 5842, 3):
        clock.on(jitter(rng, 7.5, 0.02))
        loss = jitter(rng, fall(step, 2.93, 1.207, 1100), 0.035)
        spent = (clock.now - begun).total_seconds()
        lines.append(
            f"({clock.show(stamp)} easydel.trainers.SFTTrainer) INFO train {step}/9000 [{hms(spent)}] loss={loss:.4f} "
            f"perplexity={2.71828**loss:.3f} accuracy={0.78 - loss * 0.11:.4f} "
            f"learning_rate={2e-5 * (1 - step / 9000):.3e} "
            f"grad_norm={jitter(rng, 0.71, 0.2):.3f} step_time={jitter(rng, 2.5, 0.02):.3f} "
            f"mean_loss={fall(step, 2.95, 1.33, 1200):.4f}"
        )
        if step % 1500 == 0:
            clock.on(31)
            lines.append(
                f"({clock.show(stamp)} easydel.trainers.SFTTrainer) INFO saving state to runs/sw-sft/run-{step}"
            )
            clock.on(8)
            if step == 3000:
                lines += [
                    f"({clock.show(stamp)} sw.upload) ERROR copy of run-3000 to bucket failed: HTTP 503 backend "
                    f"error (try 1 of 5)",
                    f"({clock.show(stamp)} sw.upload) ERROR copy of run-3000 to bucket failed: HTTP 503 backend "
                    f"error (try 2 of 5)",
                ]
                clock.on(40)
            lines.append(f"({clock.show(stamp)} sw.upload) INFO copy of run-{step} to bucket done, 5.24 GB")
    write(place / "sft_swahili.log", lines)


def c05_tatar(place: Path, rng: Random) -> None:
    """Two nodes of OpenNMT-py that never meet; one log of each rank."""
    for rank in range(8):
        node = "hpc-b04" if rank < 4 else "hpc-b19"
        clock = Clock("2026-03-30T08:47:12")
        clock.on(rng.uniform(0.0, 2.5))
        pid = 21400 + rank * 3 if rank < 4 else 90310 + rank * 3
        stamp = "[%Y-%m-%d %H:%M:%S,%L INFO]"
        warn = "[%Y-%m-%d %H:%M:%S,%L WARNING]"
        fail = "[%Y-%m-%d %H:%M:%S,%L ERROR]"
        lines = [
            f"{clock.show(stamp)} onmt_train -config tat-rus.yaml on {node}, local gpu {rank % 4}, process {pid}",
            f"{clock.show(stamp)} world_size: 8, gpu_ranks: [0, 1, 2, 3, 4, 5, 6, 7], master_ip: 10.41.0.104, "
            f"master_port: 10213",
            f"{clock.show(stamp)} train_steps: 120000, valid_steps: 4000, batch_type: tokens, batch_size: 6144",
            f"{clock.show(stamp)} Missing transforms field for corpus_tatoeba data, set to default: [sentencepiece, "
            f"filtertoolong].",
            f"{clock.show(stamp)} Parsed 4 corpora from -data.",
            f"{clock.show(stamp)} Get special vocabs from Transforms: {{'src': [], 'tgt': []}}.",
        ]
        clock.on(rng.uniform(1.0, 1.6))
        lines += [
            f"{clock.show(fail)} /fast/tat/vocab.src.txt: [Errno 116] Stale file handle; reading "
            f"/home/projects/tat/vocab.src.txt instead",
            f"{clock.show(stamp)} The first 10 tokens of the vocabs are:['<unk>', '<blank>', '<s>', '</s>', '▁', "
            f"',', '.', 'а', '▁һәм', 'ы']",
            f"{clock.show(stamp)} The decoder start token is: </s>",
            f"{clock.show(stamp)} src vocab size: 24008, tgt vocab size: 24008",
            f"{clock.show(stamp)} Starting process pid: {pid}",
            f"{clock.show(stamp)} rank {rank}: init_process_group(backend=nccl, init_method=tcp://10.41.0.104:10213, "
            f"world_size=8, rank={rank})",
        ]
        where = "/opt/onmt/lib/python3.10/site-packages/"
        trace = [
            "Traceback (most recent call last):",
            f'  File "{where}onmt/utils/distributed.py", line 179, in spawn_consumer',
            "    gpu_rank = multi_init(opt, device_id)",
            f'  File "{where}onmt/utils/distributed.py", line 27, in multi_init',
            "    torch.distributed.init_process_group(",
            f'  File "{where}torch/distributed/distributed_c10d.py", line 1361, in init_process_group',
            "    store, rank, world_size = next(rendezvous_iterator)",
            f'  File "{where}torch/distributed/rendezvous.py", line 194, in _tcp_rendezvous_handler',
            "    store = _create_c10d_store(",
            f'  File "{where}torch/distributed/rendezvous.py", line 189, in _create_c10d_store',
            "    return TCPStore(",
        ]
        if rank >= 4:
            for _ in range(9):
                clock.on(64)
                lines.append(
                    f"{clock.show('[W%m%d %H:%M:%S.%L000000')} socket.cpp:697] [c10d] The client socket has failed "
                    f"to connect to "
                    "[10.41.0.104]:10213 (errno: 113 - No route to host)."
                )
            clock.on(25)
            lines += trace
            lines.append(
                "torch.distributed.DistNetworkError: The client socket has timed out after 600000ms while trying to "
                "connect "
                "to (10.41.0.104, 10213)."
            )
        else:
            clock.on(600.3)
            lines += trace
            lines.append(
                "torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. 4/8 clients joined."
            )
        lines.append(f"{clock.show(warn)} rank {rank} on {node} left with status 1")
        write(place / f"onmt-rank{rank}.log", lines)


def c06_titania(place: Path, rng: Random) -> None:
    """A chain of DeePMD-kit jobs whose second link begins anew without a word."""
    lines: list[str] = []
    clock = Clock("2026-01-08T16:20:55")
    for link, (job, last) in enumerate((("6630418", 60000), ("6630419", 30000)), start=1):
        stamp = "[%Y-%m-%d %H:%M:%S,%L] DEEPMD INFO   "
        lines.append(
            f"### {clock.show('%a %d %b %H:%M:%S %Z%Y')}  link {link}  job {job}  node tcn{rng.randint(100, 900)}"
        )
        if link == 2:
            lines.append("### SLURM_JOB_DEPENDENCY=afterok:6630418   goes on with the model of link 1 (tio2_water)")
        clock.on(11)
        lines += [
            f"{clock.show(stamp)} DeePMD version: 3.0.0b4",
            f"{clock.show(stamp)} Configuration path: tio2_water.json",
            f"{clock.show(stamp)} Calculate neighbor statistics... (add --skip-neighbor-stat to skip this step)",
        ]
        clock.on(36)
        lines += [
            f"{clock.show(stamp)} training data with min nbor dist: 0.9127",
            f"{clock.show(stamp)} training data with max nbor size: [71 38 64]",
            f"{clock.show(stamp)} Packing data for statistics from 34 systems",
            f"{clock.show(stamp)} Constructed DataLoaders from tio2/set_a, tio2/set_b, tio2/if_110",
            f"{clock.show(stamp)} Start to train, device cuda:0",
        ]
        for batch in range(500, last + 1, 500):
            clock.on(jitter(rng, 118.0, 0.01))
            force = jitter(rng, fall(batch, 1.31, 0.061, 6500), 0.05)
            energy = jitter(rng, fall(batch, 0.42, 0.0011, 4200), 0.1)
            rate = 1e-3 * 0.95 ** (batch // 1500)
            lines.append(
                f"{clock.show(stamp)} batch {batch:>7}: trn: rmse = {force * (rate * 1000) ** 0.5 * 31.6:.2e}, "
                f"rmse_e = {energy:.2e}, "
                f"rmse_f = {force:.2e}, lr = {rate:.2e}"
            )
            lines.append(f"{clock.show(stamp)} batch {batch:>7}: total wall time = {jitter(rng, 118.0, 0.01):.2f} s")
            if batch % 10000 == 0:
                lines.append(f"{clock.show(stamp)} Saved model to model.ckpt-{batch}.pt")
        clock.on(4)
        lines.append(f"### link {link}: time slice used up as meant, status 0, over to link {link + 1}")
        clock.on(640)
    write(place / "tio2_chain.log", lines)
