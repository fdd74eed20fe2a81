"""The curves c07 to c12 of the thirty-first set, written from their lots.

SIMULATED: nothing here was taken from a real job; the projects, machines and people are made up.
"""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def _fall(x: float, high: float, low: float, scale: float) -> float:
    """A loss that decays from high to low over a scale."""
    return low + (high - low) * math.exp(-x / scale)


SORBIAN = (
    ("Wuhladko je jasne .", "Der Ausblick ist klar .", "Die Aussicht ist klar ."),
    ("Wón dźěła w Budyšinje .", "Er arbeitet in Bautzen .", "Er arbeitet in Bautzen ."),
    ("Dźěći spěwaja w šuli .", "Die Kinder singen in der Schule .", "Kinder singen in der Schule ."),
)

DETOKENIZE = (
    "That's 100 lines that end in a tokenized period ('.')",
    "It looks like you forgot to detokenize your test data, which may hurt your score.",
    "If you insist your data is detokenized, or don't care, you can suppress this message with the `force` parameter.",
)


def c07_sorbian(place: Path, rng: Random) -> None:
    """Upper Sorbian to German in JoeyNMT, a planned end; sacrebleu complains at every validation."""
    now = datetime(2025, 2, 9, 20, 14, 3, 118000, tzinfo=UTC)
    out: list[str] = []

    def say(text: str, who: str = "joeynmt.training", level: str = "INFO") -> None:
        out.append(f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03d} - {level} - {who} - {text}")

    say("Hello! This is Joey-NMT (version 2.3.0).", "root")
    say("                           cfg.name : hsb_de_bpe", "joeynmt.config")
    for key, value in (
        ("data.train", "data/hsb_de/train"),
        ("data.dev", "data/hsb_de/dev"),
        ("data.dataset_type", "plain"),
        ("data.src.lang", "hsb"),
        ("data.src.level", "bpe"),
        ("data.trg.lang", "de"),
        ("data.trg.level", "bpe"),
        ("testing.beam_size", "5"),
        ("testing.eval_metrics", "['bleu', 'chrf']"),
        ("training.random_seed", "42"),
        ("training.optimizer", "adamw"),
        ("training.scheduling", "warmupinversesquareroot"),
        ("training.learning_rate", "0.0005"),
        ("training.batch_size", "8192"),
        ("training.batch_type", "token"),
        ("training.epochs", "24"),
        ("training.validation_freq", "1000"),
        ("training.logging_freq", "400"),
        ("training.early_stopping_metric", "bleu"),
        ("training.model_dir", "models/hsb_de_bpe"),
        ("training.keep_best_ckpts", "3"),
        ("model.encoder.num_layers", "6"),
        ("model.decoder.num_layers", "6"),
    ):
        say(f"{'cfg.' + key:>35} : {value}", "joeynmt.config")
    now += timedelta(seconds=2.4)
    say("Building tokenizer...", "joeynmt.tokenizers")
    say("Loading train set...", "joeynmt.data")
    now += timedelta(seconds=5.1)
    say("Building vocabulary...", "joeynmt.data")
    say("Loading dev set...", "joeynmt.data")
    say("Data loaded.", "joeynmt.data")
    say(
        'Train dataset: PlaintextDataset(split=train, len=412078, src_lang="hsb", trg_lang="de", has_trg=True, random_subset=-1)',
        "joeynmt.data",
    )
    say("Building an encoder-decoder model...", "joeynmt.model")
    say("Enc-dec model built.", "joeynmt.model")
    say("Total params: 48274432", "joeynmt.model")
    say(
        "Train stats:\n\tdevice: cuda\n\tn_gpu: 1\n\t16-bits training: True\n\tgradient accumulation: 1\n\tbatch size per device:"
        " 8192\n\teffective batch size (w. parallel & accumulation): 8192"
    )
    step, best, best_at = 0, 0.0, 0
    saved: list[int] = []
    for epoch in range(1, 25):
        say(f"EPOCH {epoch}")
        total = 0.0
        for _ in range(1025 if epoch % 2 else 1024):
            step += 1
            now += timedelta(seconds=0.171)
            loss = _fall(step, 6.4, 1.46, 3100) + rng.gauss(0, 0.04)
            total += loss
            if step % 400 == 0:
                rate = 0.0005 * min(step / 4000, math.sqrt(4000 / step))
                acc = 0.76 - 0.12 * loss + rng.gauss(0, 0.004) + 0.02
                say(
                    f"Epoch {epoch:3d}, Step: {step:8d}, Batch Loss: {loss:11.6f}, Batch Acc: {max(0.01, acc):.6f}, Tokens per Sec:"
                    f" {rng.randint(38200, 40900):8d}, Lr: {rate:.6f}"
                )
            if step % 1000 == 0:
                say(
                    "Predicting 2000 example(s)... (Greedy decoding with min_output_length=1, max_output_length=100,"
                    " return_prob='none', generate_unk=True, repetition_penalty=-1, no_repeat_ngram_size=-1)",
                    "joeynmt.prediction",
                )
                now += timedelta(seconds=13.2 + rng.random())
                for words in DETOKENIZE:
                    say(words, "sacrebleu", "WARNING")
                bleu = 46.1 * (1 - math.exp(-step / 5200)) + rng.gauss(0, 0.35)
                dev = loss + 0.16
                say(
                    f"Evaluation result (greedy): bleu:  {bleu:5.2f}, chrf:  {bleu + 21.3:5.2f}, loss: {dev:6.2f}, ppl:"
                    f" {math.exp(dev):6.2f}, acc:   {0.72 - 0.1 * dev + 0.05:.2f}, {13.1 + rng.random():.4f}[sec]",
                    "joeynmt.prediction",
                )
                if bleu > best:
                    best, best_at = bleu, step
                    say("Hooray! New best validation result [bleu]!")
                saved.append(step)
                now += timedelta(seconds=0.9)
                say(f"Checkpoint saved in models/hsb_de_bpe/{step}.ckpt.", "joeynmt.helpers")
                if len(saved) > 3:
                    say(f"delete models/hsb_de_bpe/{saved.pop(0)}.ckpt", "joeynmt.helpers")
                if step % 4000 == 0:
                    source, reference, guess = rng.choice(SORBIAN)
                    say("Example #0")
                    say(f"\tSource:     {source}")
                    say(f"\tReference:  {reference}")
                    say(f"\tHypothesis: {guess if step > 8000 else 'Die ist ist .'}")
        say(
            f"Epoch {epoch:3d}: total training loss {total:.2f}, num. of seqs: 412078, num. of tokens: 8391120, 175.{rng.randint(1000, 9999)}[sec]"
        )
    say("Training ended after  24 epochs.")
    say(f"Best validation result (greedy) at step {best_at:8d}: {best:6.2f} bleu.")
    (place / "train_hsb_de.log").write_text("\n".join(out) + "\n", encoding="utf-8")


def c08_enzymes(place: Path, rng: Random) -> None:
    """Temperature optimum of enzymes from sequence, an own accelerate loop on two GPUs, a planned end."""
    now = datetime(2025, 5, 27, 13, 40, 18, tzinfo=UTC)
    out: list[str] = []
    rows: list[str] = []

    def say(text: str) -> None:
        out.append(f"{now:%m/%d/%Y %H:%M:%S} - INFO - topt.train - {text}")

    say(
        "Distributed environment: MULTI_GPU  Backend: nccl\nNum processes: 2\nProcess index: 0\nLocal process index: 0\nDevice:"
        " cuda:0\n\nMixed precision type: bf16\n"
    )
    now += timedelta(seconds=9)
    say("train 88214 seqs, valid 4902 seqs, max_len 768, esm2_t12_35M backbone (frozen 8 of 12 layers)")
    say("***** Running training *****")
    say("  Num examples = 88214")
    say("  Num Epochs = 10")
    say("  Instantaneous batch size per device = 32")
    say("  Total train batch size (w. parallel, distributed & accumulation) = 64")
    say("  Gradient Accumulation steps = 1")
    say("  Total optimization steps = 13790")
    step, total = 0, 13790
    for epoch in range(1, 11):
        for _ in range(1379):
            step += 1
            now += timedelta(seconds=0.262)
            if step % 100:
                continue
            loss = _fall(step, 1.04, 0.31, 3000) + rng.gauss(0, 0.012)
            rate = 3e-4 * min(1, step / 500) * max(0, 1 - step / total)
            norm = abs(rng.gauss(0.9, 0.12))
            say(
                f"epoch {epoch} step {step}/{total} loss {loss:.4f} lr {rate:.2e} gnorm {norm:.2f} {244 + rng.gauss(0, 2):.1f} seq/s"
            )
            rows.append(
                json.dumps(
                    {"step": step, "epoch": epoch, "loss": round(loss, 5), "lr": rate, "grad_norm": round(norm, 4)}
                )
            )
        now += timedelta(seconds=21)
        valid = _fall(step, 1.02, 0.36, 3000) + rng.gauss(0, 0.006)
        mae = 4.1 + 9.2 * valid
        say(f"epoch {epoch} valid loss {valid:.4f} MAE {mae:.2f} degC spearman {0.93 - 0.6 * valid:.3f}")
        rows.append(
            json.dumps({"step": step, "epoch": epoch, "valid_loss": round(valid, 5), "valid_mae": round(mae, 3)})
        )
        now += timedelta(seconds=2)
        out.append(
            f"{now:%m/%d/%Y %H:%M:%S} - INFO - accelerate.accelerator - Saving current state to runs/topt_0527/epoch_{epoch}"
        )
        out.append(
            f"{now:%m/%d/%Y %H:%M:%S} - INFO - accelerate.checkpointing - Model weights saved in runs/topt_0527/epoch_{epoch}/model.safetensors"
        )
        out.append(
            f"{now:%m/%d/%Y %H:%M:%S} - INFO - accelerate.checkpointing - Optimizer state saved in runs/topt_0527/epoch_{epoch}/optimizer.bin"
        )
    say(f"training finished: {step} steps, best epoch 10, weights in runs/topt_0527/final")
    (place / "train.log").write_text("\n".join(out) + "\n", encoding="utf-8")
    (place / "metrics.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


def c09_doodsoorzaak(place: Path, rng: Random) -> None:
    """Codes for causes of death out of free text, an own Dutch loop; the process is shot in epoch 3."""
    now = datetime(2025, 9, 4, 22, 3, 12, tzinfo=UTC)
    out: list[str] = []

    def say(text: str) -> None:
        out.append(f"[{now:%d-%m-%Y %H:%M:%S}] {text}")

    out.append("[start.sh] do 4 sep 2025 22:03:01 CEST  machine: gpu-stat3  kaart: 1x A40")
    say("instellingen: model=robbert-2023-dutch-base epochs=6 batch=48 leersnelheid=2e-5 maxlengte=192")
    now += timedelta(seconds=31)
    say("gegevens ingelezen: 311842 overlijdensverklaringen (2013-2023), 94 klassen")
    say("let op: 1207 regels zonder code overgeslagen, 38 regels met foutcode R99 (oorzaak onbekend)")
    say(
        "zeldzame klassen: verdrinking 412, val van trap 980, fatale crash (verkeer) 655, vergiftiging 731, moord/doodslag 121"
    )
    now += timedelta(seconds=6)
    say("model geladen, 124,7 mln parameters, begin training")
    per = 6400
    for epoch in (1, 2, 3):
        for step in range(800, per + 1, 800):
            done = (epoch - 1) * per + step
            if done > 2 * per + 4800:
                break
            now += timedelta(seconds=800 * 0.183)
            loss = _fall(done, 3.9, 0.62, 3300) + rng.gauss(0, 0.03)
            say(
                f"epoch {epoch}/6 stap {step}/{per} verlies {loss:.4f} nauwkeurigheid {0.97 - 0.19 * loss:.3f}"
                f" ({262 + rng.gauss(0, 2):.0f} akten/s)".replace(".", ",", 2)
            )
        if epoch < 3:
            now += timedelta(seconds=88)
            say(
                f"validatie epoch {epoch}: fout {('0,291', '0,214')[epoch - 1]}, F1 fatale crash {('0,61', '0,72')[epoch - 1]}, F1 acute"
                f" hartdood {('0,78', '0,84')[epoch - 1]}"
            )
            say(f"opgeslagen: uitvoer/do_codering/epoch{epoch}.pt")
    out.append(
        "./start.sh: regel 19: 118034 Gedood                  python -u codeer_train.py --config conf/robbert.toml"
    )
    out.append("[start.sh] python gestopt met code 137")
    (place / "training.log").write_text("\n".join(out) + "\n", encoding="utf-8")


def c10_perovskite(place: Path, rng: Random) -> None:
    """A MACE potential for halide perovskites; the loss jumps and heals, then the scratch is full."""
    out = [
        "INFO: ===========VERIFYING SETTINGS===========",
        "INFO: MACE version: 0.3.10",
        "INFO: CUDA version: 12.1, CUDA device: 0",
        "INFO: ===========LOADING INPUT DATA===========",
        "INFO: Using heads: ['Default']",
        "INFO: Training set [9412 configs, 9412 energy, 2032992 forces] loaded from 'data/cspbx3_train.xyz'",
        "INFO: Using random 5% of training set for validation with indices saved in: ./valid_indices_31.txt",
        "INFO: Validaton set contains 470 configurations [470 energy, 101520 forces]",
        "INFO: Total Training set [8942 energy, 1931472 forces, 0 dipole components]",
        "INFO: Atomic Numbers used: [17, 35, 53, 55, 82]",
        "INFO: Isolated Atomic Energies (E0s) not in training file, using command line argument",
        "INFO: ===========MODEL DETAILS===========",
        "INFO: Message passing with 128 channels and max_L=1 (128x0e+128x1o)",
        "INFO: 2 layers, each with correlation order: 3 (body order: 4) and spherical harmonics up to: l=3",
        "INFO: Total number of parameters: 723344",
        "INFO: ===========OPTIMIZER INFORMATION===========",
        "INFO: Using ADAM as parameter optimizer",
        "INFO: Batch size: 8",
        "INFO: Number of gradient updates: 670800",
        "INFO: Learning rate: 0.01, weight decay: 5e-07",
        "INFO: WeightedEnergyForcesLoss(energy_weight=1.000, forces_weight=100.000)",
        "INFO: Stage Two will start after epoch 450 with loss function: WeightedEnergyForcesLoss(energy_weight=1000.000, forces_weight=100.000)",
        "INFO: Using gradient clipping with tolerance=10.000",
        "INFO: ",
        "INFO: ===========TRAINING===========",
        "INFO: Started training, reporting errors on validation set",
        "INFO: Loss metrics on validation set",
        "INFO: Initial: head: Default, loss=48.21930441, RMSE_E_per_atom=  412.71 meV, RMSE_F= 1188.42 meV / A",
    ]
    lift = 1.0
    for epoch in range(218):
        if epoch in (41, 96, 163):
            lift = rng.uniform(4, 9)
        base = _fall(epoch, 2.3, 0.071, 18) * math.exp(rng.gauss(0, 0.05))
        loss = base * lift
        lift = 1 + (lift - 1) * 0.3
        out.append(
            f"INFO: Epoch {epoch}: head: Default, loss={loss:.8f}, RMSE_E_per_atom={16.5 * math.sqrt(loss):8.2f} meV,"
            f" RMSE_F={131 * math.sqrt(loss):8.2f} meV / A"
        )
    lib = "/home/nkovac/.conda/envs/mace/lib/python3.11/site-packages"
    out += [
        "Traceback (most recent call last):",
        f'  File "{lib}/torch/serialization.py", line 850, in save',
        "    _save(",
        f'  File "{lib}/torch/serialization.py", line 1114, in _save',
        "    zip_file.write_record(name, storage, num_bytes)",
        "RuntimeError: [enforce fail at inline_container.cc:764] . PytorchStreamWriter failed writing file data/27: file write failed",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "Traceback (most recent call last):",
        '  File "/home/nkovac/.conda/envs/mace/bin/mace_run_train", line 8, in <module>',
        "    sys.exit(main())",
        f'  File "{lib}/mace/cli/run_train.py", line 77, in main',
        "    run(args)",
        f'  File "{lib}/mace/cli/run_train.py", line 831, in run',
        "    tools.train(",
        f'  File "{lib}/mace/tools/train.py", line 300, in train',
        "    checkpoint_handler.save(",
        f'  File "{lib}/mace/tools/checkpoint.py", line 223, in save',
        "    self.io.save(checkpoint, epochs, keep_last)",
        f'  File "{lib}/mace/tools/checkpoint.py", line 129, in save',
        "    torch.save(obj=checkpoint, f=path)",
        f'  File "{lib}/torch/serialization.py", line 849, in save',
        "    with _open_zipfile_writer(f) as opened_zipfile:",
        f'  File "{lib}/torch/serialization.py", line 690, in __exit__',
        "    self.file_like.write_end_of_file()",
        "RuntimeError: [enforce fail at inline_container.cc:603] . unexpected pos 4214912 vs 4214804",
        "cp: error writing '/scratch/nkovac/archive/cspbx3/valid_indices_31.txt': No space left on device",
        "+ df -h /scratch",
        "Filesystem                Size  Used Avail Use% Mounted on",
        "/dev/mapper/vg0-scratch   1.8T  1.8T     0 100% /scratch",
    ]
    (place / "mace_cspbx3.log").write_text("\n".join(out) + "\n", encoding="utf-8")


def c11_sejsmika(place: Path, rng: Random) -> None:
    """Faults in 3D seismic cubes, an own Polish loop; a step takes most of a minute, all along; a planned end."""
    now = datetime(2025, 4, 11, 7, 30, 44, tzinfo=UTC)
    out: list[str] = []
    rows = ["krok;epoka;strata;wsp_uczenia;czas_kroku_s;czas_danych_s"]

    def say(text: str) -> None:
        out.append(f"{now:%d.%m.%Y %H:%M:%S} | {text}")

    say("Start: segmentacja uskoków, U-Net 3D, kostki 384x384x384, karta: NVIDIA H100 80GB HBM3")
    say("Parametry modelu: 61,4 mln; punkty kontrolne aktywacji włączone; akumulacja gradientu: 16")
    say("Plan: 8 epok po 240 kroków (1920 kroków), spodziewany czas ok. 20 godzin")
    now += timedelta(seconds=52)
    say("Wczytano 3840 kostek treningowych i 96 walidacyjnych")
    step = 0
    for epoch in range(1, 9):
        say(f"--- Epoka {epoch} z 8 ---")
        for inner in range(1, 241):
            step += 1
            took = 38.2 + rng.gauss(0, 0.22)
            data = 0.31 + abs(rng.gauss(0, 0.05))
            now += timedelta(seconds=took)
            loss = _fall(step, 0.693, 0.118, 420) + rng.gauss(0, 0.006)
            rate = 2e-4 * 0.5 * (1 + math.cos(math.pi * step / 1920))
            if inner % 10 == 0:
                say(
                    f"krok {step}/1920 strata {loss:.4f} wsp. uczenia {rate:.2e} czas kroku {took:.1f} s (dane {data:.2f} s) pamięć 71,3 GB"
                )
                rows.append(f"{step};{epoch};{loss:.5f};{rate:.3e};{took:.2f};{data:.2f}".replace(".", ","))
        now += timedelta(seconds=406)
        dice = 0.84 - 0.6 * math.exp(-step / 500) + rng.gauss(0, 0.004)
        say(f"walidacja: strata {_fall(step, 0.7, 0.133, 430):.4f}, Dice {dice:.3f}")
        say(f"zapisano model: wyniki/uskoki_v5/epoka_{epoch}.pt")
    say("Trening zakończony: 1920 kroków, 8 epok. Najlepszy Dice w epoce 8.")
    (place / "trening.log").write_text("\n".join(out) + "\n", encoding="utf-8")
    (place / "metryki.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def c12_tenders(place: Path, rng: Random) -> None:
    """A small model on public tenders, litgpt pretrain; the first try lacks its data, the second never comes back down."""
    head = [
        "{'data': {'data_path': PosixPath('%s'),",
        "          'num_workers': 8,",
        "          'seed': 42,",
        "          'use_starcoder': False},",
        " 'devices': 4,",
        " 'eval': EvalArgs(interval=500, max_new_tokens=None, max_iters=100, initial_validation=False, final_validation=True,"
        " evaluate_example='first'),",
        " 'initial_checkpoint_dir': None,",
        " 'logger_name': 'csv',",
        " 'model_name': 'pythia-410m',",
        " 'optimizer': {'class_path': 'torch.optim.AdamW',",
        "               'init_args': {'betas': [0.9, 0.95],",
        "                             'fused': True,",
        "                             'lr': 0.004,",
        "                             'weight_decay': 0.1}},",
        " 'out_dir': PosixPath('out/pretrain/tenders-410m'),",
        " 'precision': 'bf16-mixed',",
        " 'resume': False,",
        " 'seed': 42,",
        " 'tokenizer_dir': PosixPath('checkpoints/EleutherAI/pythia-410m'),",
        " 'train': TrainArgs(save_interval=1000, log_interval=20, global_batch_size=256, micro_batch_size=16, lr_warmup_steps=100,"
        " max_tokens=2097152000,",
        "                    max_norm=None, min_lr=4e-05)}",
        "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/4",
        "----------------------------------------------------------------------------------------------------",
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 4 processes",
        "----------------------------------------------------------------------------------------------------",
        "",
    ]
    out = ["[Mon 14 Jul 09:58:02 CEST 2025] litgpt pretrain --config conf/tenders-410m.yaml"]
    out += [line.replace("%s", "/data/ted/litdata") for line in head]
    out += [
        "[rank: 0] Seed set to 42",
        "Time to instantiate model: 0.04 seconds.",
        "Total parameters: 405,334,016",
        "Traceback (most recent call last):",
        '  File "/home/pavel/venv/bin/litgpt", line 8, in <module>',
        "    sys.exit(main())",
        '  File "/home/pavel/venv/lib/python3.10/site-packages/litgpt/pretrain.py", line 221, in main',
        "    train_dataloader, val_dataloader = get_dataloaders(fabric, data, tokenizer, train, model.max_seq_length)",
        '  File "/home/pavel/venv/lib/python3.10/site-packages/litgpt/data/lit_data.py", line 71, in _dataloader',
        "    dataset = StreamingDataset(",
        "ValueError: The provided dataset `/data/ted/litdata/train` doesn't contain any index.json file. HINT: Did you successfully"
        " optimize a dataset to the provided `input_dir`?",
        "",
        "[Mon 14 Jul 10:21:47 CEST 2025] litgpt pretrain --config conf/tenders-410m.yaml --data.data_path /data/ted/litdata_v2",
    ]
    out += [line.replace("%s", "/data/ted/litdata_v2") for line in head]
    out += [
        "[rank: 0] Seed set to 42",
        "Time to instantiate model: 0.04 seconds.",
        "Total parameters: 405,334,016",
        "Validating ...",
        "Measured TFLOPs: 214.36",
    ]
    rows = ["epoch,iter,iter_time,learning_rate,loss,remaining_time,step,tokens,total_tokens,val_loss,val_ppl"]
    accumulate, total = 4, 4000
    begun = 0.0
    val, seen = 0.0, "n/a"
    for step in range(5, total + 1, 5):
        iters = step * accumulate
        rate = (
            0.004 * step / 100
            if step < 100
            else 4e-5 + 0.5 * (0.004 - 4e-5) * (1 + math.cos(math.pi * (step - 100) / (total - 100)))
        )
        if step < 335:
            loss = _fall(step, 10.98, 4.9, 90) + rng.gauss(0, 0.04)
        elif step < 365:
            loss = 5.1 + (step - 330) * 0.21 + rng.gauss(0, 0.3)
        else:
            loss = 7.61 + 3.6 * math.exp(-(step - 365) / 60) + rng.gauss(0, 0.035)
        took = 0.4117 + rng.gauss(0, 0.001)
        begun = iters * 0.4117
        left = timedelta(seconds=int((total * accumulate - iters) * 0.4117))
        if step % 20 == 0:
            out.append(
                f"Epoch 1 | iter {iters} step {step} | loss train: {loss:.3f}, val: {seen} | iter time: {took * 1000:.2f} ms (step)"
                f" remaining time: {left}"
            )
            rows.append(
                f"0,{iters},{took},{rate},{loss},{left.total_seconds()},{step},{iters * 16 * 2048},{iters * 16 * 2048 * 4},,"
            )
        if step % 500 == 0:
            out.append("Validating ...")
            val = (7.63 if step > 500 else loss) + rng.gauss(0, 0.02)
            seen = f"{val:.3f}"
            out.append(f"iter {iters}: val loss {val:.4f}, val time: {21000 + rng.random() * 300:.2f} ms")
            rows.append(f",{iters},,,,,{step},,,{val},{math.exp(val)}")
        if step % 1000 == 0:
            out.append(f"Saving checkpoint to 'out/pretrain/tenders-410m/step-{step:08d}/lit_model.pth'")
    out += [
        "Validating ...",
        f"Final evaluation | val loss: {val:.3f} | val ppl: {math.exp(val):.3f}",
        "Saving checkpoint to 'out/pretrain/tenders-410m/final/lit_model.pth'",
        "----------------------------------------",
        "| Performance",
        "| - Total tokens  : 2,097,152,000",
        f"| - Training Time : {begun + 171:.2f} s",
        f"| - Tok/sec       : {2097152000 / begun:.2f} tok/s",
        "| ----------------------------------------",
        "| Memory Usage",
        "| - Memory Used   : 41.27 GB",
        "----------------------------------------",
    ]
    (place / "pretrain.log").write_text("\n".join(out) + "\n", encoding="utf-8")
    (place / "metrics.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
