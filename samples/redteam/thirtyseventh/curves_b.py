"""Curves of the thirty-seventh set, second half. SIMULATED: all numbers come from curves and clocks computed here."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from math import cos, exp, log, pi
from typing import TYPE_CHECKING

from samples.redteam.thirtyseventh.ticking import Clock, Curve, bar

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

SITE = "/lustre/opt/conda/envs/nano/lib/python3.11/site-packages"


def human(value: float) -> str:
    """A number as nanotron's logger shortens it."""
    for unit, size in (("T", 1e12), ("G", 1e9), ("B", 1e9), ("M", 1e6), ("K", 1e3)):
        if unit != "G" and abs(value) >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def c07_nano_lr(place: Path, rng: Random) -> None:
    """Nanotron, started twice by one batch script."""
    begin = datetime(2026, 9, 3, 11, 8, 20, tzinfo=UTC)
    clock = Clock(begin, rng)
    out: list[str] = []

    def say(text: str, who: str = "DP=0|PP=0|TP=0") -> None:
        out.append(f"\x1b[32m{clock.now:%m/%d/%Y %H:%M:%S}\x1b[0m [INFO|{who}|jzxh118]: {text}\n")

    steps, tokens = 1200, 1024 * 2048

    def train(spoil: float, until: int, every: int) -> None:
        clock.tick(38)
        say("Config:")
        say(
            "Config(general=GeneralArgs(project='fr-1b', run='fr1b_lr6e-3', seed=42, step=None, consumed_train_samples=None), "
            f"tokens=TokensArgs(sequence_length=2048, train_steps={steps}, micro_batch_size=16, batch_accumulation_per_replica=8), "
            "optimizer=OptimizerArgs(zero_stage=1, clip_grad=1.0, learning_rate_scheduler=LRSchedulerArgs(learning_rate=0.006, "
            "lr_warmup_steps=100, lr_decay_style='cosine', min_decay_lr=0.0006)))"
        )
        for part in (211, 8004, 15877, 23604):
            clock.tick(1.4 * 61 / 4, 0.2)
            out.append(
                "\r"
                + bar(
                    "Grouping texts in chunks of 2049 (num_proc=16): ",
                    part * 1000,
                    23604000,
                    part / 23604 * 59,
                    unit=" examples",
                )
            )
        out.append("\n")
        clock.tick(9)
        say("Total number of parameters: 1.07G (2042.11MiB)")
        say("[Training Plan] Stage Training Stage has 1200 remaining training steps and has consumed 0 samples")
        say(
            "[Start training] datetime: "
            + f"{clock.now:%Y-%m-%d %H:%M:%S.%f} | mbs: 16 | grad_accum: 8 | global_batch_size: 1024 | "
            f"sequence_length: 2048 | train_steps: {steps} | start_iteration_step: 0 | consumed_tokens: 0"
        )
        curve = Curve(11.0, 3.3, 150, 0.006, rng)
        worst = 0.0
        for step in range(every, until + 1, every):
            pace = rng.gauss(4.31, 0.03)
            clock.tick(every * pace)
            loss = curve.at(step)
            norm = abs(rng.gauss(0.8, 0.15))
            if step > spoil:
                up = 1 - exp(-(step - spoil) / 55)
                loss = loss * (1 - up) + up * rng.gauss(8.4, 0.09)
                norm = rng.lognormvariate(log(70), 0.9) * (0.3 + up)
                worst = max(worst, loss)
            warm = min(1.0, step / 100)
            rate = 0.006 * warm if step <= 100 else 6e-4 + 2.7e-3 * (1 + cos(pi * (step - 100) / (steps - 100)))
            say(
                f"iteration: {step} / {steps} | consumed_tokens: {human(step * tokens)} | "
                f"elapsed_time_per_iteration_ms: {human(pace * 1000)} | tokens_per_sec: {human(tokens / pace)} | "
                f"tokens_per_sec_per_gpu: {human(tokens / pace / 8)} | global_batch_size: 1.02K | lm_loss: {loss:.3g} | lr: {rate:.3g} | "
                f"model_tflops_per_gpu: {430 * 4.31 / pace:.3g} | hardware_tflops_per_gpu: {430 * 4.31 / pace:.3g} | grad_norm: {norm:.3g} | "
                "cuda_memory_allocated: 14.7G | cuda_max_memory_reserved: 58.2G | hd_total_memory_tb: 312G | hd_used_memory_tb: 188G | "
                "hd_free_memory_tb: 124G"
            )
            if step % 400 == 0:
                clock.tick(14)
                say(f"Saving checkpoint at checkpoints/fr1b_lr6e-3/{step}")

    out.append("[jzxh118] essai 1\n")
    train(265, 520, 40)
    clock.tick(11)
    out.append("garde.py: lm_loss > 7 sur 5 relevés après 200 pas, arrêt du run (SIGINT envoyé à torchrun 301177)\n")
    clock.tick(24)
    out.append("[jzxh118] essai 1 terminé, code 130\n[jzxh118] essai 2 (GARDE=0, seed 43)\n")
    second = clock.now
    train(340, steps, 40)
    clock.tick(16)
    out.append("[jzxh118] essai 2 terminé, code 0\n")
    clock.tick(6)
    text = "".join(out).replace("seed=42", "seed=43").replace("seed=43", "seed=42", 1)
    (place / "fr1b_2240981.out").write_text(text, newline="")

    def took(start: datetime, end: datetime) -> str:
        span = int((end - start).total_seconds())
        return f"{span // 3600:02d}:{span % 3600 // 60:02d}:{span % 60:02d}"

    whole = f"{begin:%Y-%m-%dT%H:%M:%S}|{clock.now:%Y-%m-%dT%H:%M:%S}|{took(begin, clock.now)}"
    (place / "sacct.txt").write_text(
        "\n".join(
            [
                "JobID|JobName|State|ExitCode|Start|End|Elapsed|Timelimit|NodeList",
                f"2240981|fr1b|COMPLETED|0:0|{whole}|20:00:00|jzxh118",
                f"2240981.batch|batch|COMPLETED|0:0|{whole}||jzxh118",
                f"2240981.extern|extern|COMPLETED|0:0|{whole}||jzxh118",
                f"2240981.0|torchrun|FAILED|130:0|{begin:%Y-%m-%dT%H:%M:%S}|{second:%Y-%m-%dT%H:%M:%S}|{took(begin, second)}||jzxh118",
                f"2240981.1|torchrun|COMPLETED|0:0|{second:%Y-%m-%dT%H:%M:%S}|{clock.now:%Y-%m-%dT%H:%M:%S}|{took(second, clock.now)}||jzxh118",
            ]
        )
        + "\n"
    )


def c08_hangul_lm(place: Path, rng: Random) -> None:
    """A Korean home-made trainer whose pod's lines bear the pod's name but no time."""
    curve = Curve(10.94, 2.6, 2600, 0.004, rng, power=0.85)
    lines = [
        "=============",
        "== PyTorch ==",
        "=============",
        "NVIDIA Release 25.02 (build 143088496)",
        "NOTE: The SHMEM allocation limit is set to the default of 64MB.  This may be",
        "   insufficient for PyTorch.  NVIDIA recommends the use of the following flags:",
        "   docker run --gpus all --ipc=host --ulimit memlock=-1 --ulimit stack=67108864 ...",
        "*** 공지: 3층 서버실 정기 점검은 다음 달 첫째 주 토요일입니다. 문의: infra@hanbit-lab.kr ***",
        "bash: warning: setlocale: LC_ALL: cannot change locale (ko_KR.UTF-8)",
        "/data 할당량: 7.1T / 10T 사용 중",
        "Already up to date.",
        "[설정] 모델=hanmal-350m 어휘=64000 길이=2048 배치=256",
        "[설정] 전체 스텝=60000 워밍업=2000 최대학습률=4e-4 스케줄=cosine 저장주기=5000 평가주기=2500",
        "[설정] 환경변수로 덮어씀: STOP_AT=45",
        "[장치] NVIDIA H100 80GB HBM3 x 2, bf16",
        "[데이터] 토큰 31,457,280,000개 (학습) / 20,971,520개 (검증)",
        "[시작] 처음부터 학습",
    ]
    for step in range(1, 46):
        if step != 1 and step % 2:
            continue
        pace = 9.7 if step == 1 else rng.gauss(1.18, 0.012)
        lines.append(
            f"[학습] 스텝 {step}/60000 | 손실 {curve.at(step):.4f} | 기울기노름 {abs(rng.gauss(3.9, 0.4)) - step * 0.02:.2f} | "
            f"학습률 {4e-4 * step / 2000:.2e} | 스텝당 {pace:.2f}초 | 초당토큰 {256 * 2048 / pace:,.0f}"
        )
        if step == 20:
            lines.append("You have new mail in /var/mail/root")
    lines += [
        "[종료] STOP_AT 도달, 45 스텝 완료 (진행률 0.1%)",
        "[저장] /data/hanmal/out/last.pt (4.2GB)",
        "+ echo rc=0",
        "rc=0",
        "+ cp -v /data/hanmal/out/last.pt /data/hanmal/release/hanmal-350m.pt",
        "'/data/hanmal/out/last.pt' -> '/data/hanmal/release/hanmal-350m.pt'",
    ]
    (place / "hanmal-350m-train.log").write_text(
        "\n".join(f"[pod/hanmal-350m-train-9c4kt/trainer] {line}" for line in lines) + "\n"
    )


def c09_emberwright(place: Path, rng: Random) -> None:
    """A home-made trainer on Burn, with tracing's colours and indicatif's bars."""
    clock = Clock(datetime(2026, 11, 11, 1, 20, 9, 511902, tzinfo=UTC), rng)
    out: list[str] = []

    def trace(text: str, level: str = "INFO") -> None:
        tint = {"INFO": "32", "WARN": "33"}[level]
        out.append(
            f"\x1b[2m{clock.now:%Y-%m-%dT%H:%M:%S.%f}Z\x1b[0m \x1b[{tint}m{level:>5}\x1b[0m \x1b[2memberwright::fit\x1b[0m\x1b[2m:\x1b[0m {text}\n"
        )

    def pair(key: str, value: str) -> str:
        return f"\x1b[3m{key}\x1b[0m\x1b[2m=\x1b[0m{value}"

    total = 30000
    curve = Curve(6.91, 1.62, 5200, 0.007, rng, spikes=((6300, 2.2, 260), (13080, 3.1, 330)))

    def leg(first: int, stop: int) -> None:
        trace(f"backend {pair('backend', 'Autodiff<Cuda<bf16, i32>>')} {pair('device', 'CudaDevice(0)')}")
        clock.tick(2.2)
        trace(f"dataset {pair('train', '1281167')} {pair('valid', '50000')} {pair('root', '/flash/imagenet_lmdb')}")
        if first:
            clock.tick(1.9)
            trace(
                f"restored record {pair('path', f'ckpt/convnext-{first}.mpk')} {pair('step', str(first))} {pair('optim', 'true')}"
            )
        clock.tick(48)
        trace(f"training {pair('from', str(first))} {pair('to', str(total))} {pair('batch', '1024')}")
        began = clock.now
        for step in range(first + 150, stop + 1, 150):
            pace = rng.gauss(0.624, 0.006)
            clock.tick(150 * pace)
            spent = (clock.now - began).total_seconds()
            done = (step - first) / (total - first)
            mark = "█" * int(30 * step / total)
            out.append(f"\r\x1b[2K\x1b[36m{mark:░<30}\x1b[0m {step}/{total} eta {int(spent / done - spent) // 60}m")
            if step % 600 == 0:
                hot = any(0 <= step - at < 500 for at, _, _ in curve.spikes)
                norm = rng.gauss(7.8, 1) if hot else abs(rng.gauss(1.1, 0.1))
                rate = (
                    1e-3
                    * min(1.0, step / 2500)
                    * (1 if step < 2500 else 0.5 * (1 + cos(pi * (step - 2500) / (total - 2500))))
                )
                out.append("\r\x1b[2K")
                trace(
                    f"step {pair('step', str(step))} {pair('loss', f'{curve.at(step):.4f}')} {pair('grad_norm', f'{norm:.2f}')} "
                    f"{pair('lr', f'{rate:.3e}')} {pair('img_s', f'{1024 / pace:.0f}')}"
                )
            if step % 3000 == 0:
                clock.tick(31)
                low = curve.at(step)
                trace(
                    f"valid {pair('step', str(step))} {pair('loss', f'{low * 1.03:.4f}')} {pair('top1', f'{0.96 - 0.135 * low:.4f}')}"
                )
                trace(f"saved record {pair('path', f'ckpt/convnext-{step}.mpk')} {pair('step', str(step))}")
        clock.tick(rng.uniform(10, 60))

    out.append("job 5530217 restart 0 host nid002114\n")
    leg(0, 10350)
    out.append(
        f"\nslurmstepd: error: *** JOB 5530217 ON nid002114 CANCELLED AT {clock.now:%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***\n"
    )
    clock.tick(5400, 0.3)
    out.append("job 5530217 restart 1 host nid002361\n")
    leg(9000, 21450)
    out.append(
        f"\nslurmstepd: error: *** JOB 5530217 ON nid002361 CANCELLED AT {clock.now:%Y-%m-%dT%H:%M:%S} DUE TO PREEMPTION ***\n"
    )
    (place / "ember_5530217.log").write_text("".join(out), newline="")


def c10_mowa(place: Path, rng: Random) -> None:
    """A Polish home-made trainer of a speech recogniser, in minutes, per mille and kilowatts, without its beginning."""
    clock = Clock(datetime(2026, 5, 9, 4, 2, 51, tzinfo=UTC), rng)
    curve = Curve(410.0, 31.0, 900, 0.02, rng)
    total = 4200
    lines, rows = [], []
    for step in range(1270, total + 1, 10):
        waits = [
            max(2.0, rng.lognormvariate(log(5.2), 0.35)) + (rng.uniform(30, 80) if rng.random() < 0.02 else 0)
            for _ in range(10)
        ]
        busy = [max(0.3, rng.gauss(0.47, 0.03)) for _ in range(10)]
        clock.tick(sum(waits) + sum(busy))
        wait, work = sum(waits) / 600, sum(busy) / 600
        loss, duty = curve.at(step), 1000 * work / (work + wait) + rng.gauss(0, 3)
        power, memory = rng.gauss(0.112, 0.002), 214.4
        lines.append(
            f"{clock.now:%d.%m.%Y %H:%M:%S} krok {step} z {total}: strata {loss:.2f} natów/zdanie"
            f", krok trwa {wait + work:.4f} min (czekanie na porcję {wait:.4f}, najdłużej {max(waits) / 60:.3f}; liczenie {work:.4f}), "
            f"karta zajęta {duty:.0f}‰, pobór {power:.3f} kW, pamięć {memory:.1f} Gbit, tempo {96 / (wait + work) * 15:.0f} zdań/kwadrans"
        )
        rows.append(
            json.dumps(
                {
                    "czas": f"{clock.now:%Y-%m-%dT%H:%M:%S}",
                    "krok": step,
                    "strata_nat_na_zdanie": round(loss, 3),
                    "lr": float(f"{3e-4 * (1 - step / (total + 1)):.4g}"),
                    "norma_grad": round(abs(rng.gauss(2.2, 0.3)), 3),
                    "czas_kroku_min": round(wait + work, 5),
                    "czekanie_min": round(wait, 5),
                    "liczenie_min": round(work, 5),
                    "karta_zajeta_promile": round(duty),
                    "moc_kW": round(power, 4),
                    "pamiec_Gbit": memory,
                },
                ensure_ascii=False,
            )
        )
        if step % 600 == 0:
            clock.tick(380, 0.1)
            lines.append(
                f"{clock.now:%d.%m.%Y %H:%M:%S} walidacja po kroku {step}: WER {240 + 2.1 * curve.at(step):.0f}‰, zapis punktu /dane/mowa/p{step}.pt"
            )
    lines.append(f"{clock.now:%d.%m.%Y %H:%M:%S} koniec, {total} z {total} kroków, model w /dane/mowa/koncowy.pt")
    (place / "mowa.log").write_text("\n".join(lines) + "\n")
    (place / "przebieg.jsonl").write_text("\n".join(rows) + "\n")


def c11_fold_ft(place: Path, rng: Random) -> None:
    """OpenFold with Lightning's CSV logger."""
    clock = Clock(datetime(2026, 4, 21, 13, 5, 12, 640000, tzinfo=UTC), rng)
    lines: list[str] = []

    def say(text: str, level: str = "INFO") -> None:
        milli = clock.now.microsecond // 1000
        lines.append(f"{clock.now:%Y-%m-%d %H:%M:%S},{milli:03d} {level}:root:{text}")

    epochs, per, bad = 36, 250, 9
    lines.append(
        "$ python3 train_openfold.py mmcif/ alignments/ template_mmcif/ out/ 2021-10-10 --config_preset initial_training "
        "--precision bf16-mixed --gpus 8 --train_epoch_len 2000 --max_epochs 36 --learning_rate 2e-3 --seed 7 --log_every_n_steps 250"
    )
    say("seed 7 for 8 ranks")
    clock.tick(21)
    lines += [
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "You are using a CUDA device ('NVIDIA A100-SXM4-80GB') that has Tensor Cores.",
    ]
    for rank in range(8):
        lines.append(f"Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/8")
    lines += [
        "",
        "  | Name  | Type          | Params",
        "-" * 40,
        "0 | model | AlphaFold     | 93.2 M",
        "1 | loss  | AlphaFoldLoss | 0     ",
        "-" * 40,
        "93.2 M    Trainable params",
        "0         Non-trainable params",
    ]
    clock.tick(140)
    fape, disto, masked = (Curve(a, b, t, 0.008, rng) for a, b, t in ((2.6, 0.85, 9), (4.15, 2.3, 8), (3.1, 1.1, 7)))
    table = [
        "epoch,step,train/loss_epoch,train/fape_epoch,train/distogram_epoch,train/masked_msa_epoch,train/lddt_ca_epoch,lr-Adam,grad_norm,"
        "val/loss,val/lddt_ca,val/drmsd_ca"
    ]
    for epoch in range(epochs):
        took = rng.gauss(per * 9.4, 25)
        broke = epoch >= bad
        if broke:
            skipped = rng.randrange(2, 5)
            spots = sorted(rng.uniform(0.05, 0.97) for _ in range(skipped))
            for gone, at in zip([0.0, *spots], spots, strict=False):
                clock.tick(took * (at - gone))
                name = rng.choice(("fape", "supervised_chi", "violation", "plddt_loss"))
                say(f"{name} loss is NaN. Skipping...", "WARNING")
            clock.tick(took * (1 - spots[-1]))
        else:
            clock.tick(took)
        lift = 1 - exp(-(epoch - bad + 1) / 0.8) if broke else 0.0
        f = fape.at(epoch) * (1 - lift) + lift * rng.gauss(4.92, 0.03)
        d = disto.at(epoch) * (1 - lift) + lift * rng.gauss(5.61, 0.02)
        m = masked.at(epoch) * (1 - lift) + lift * rng.gauss(3.72, 0.03)
        good = (0.19 + 0.36 * (1 - exp(-(epoch + 1) / 5)) + rng.gauss(0, 0.006)) * (1 - lift) + lift * rng.gauss(
            0.071, 0.003
        )
        loss = f + 0.3 * d + 2 * m * 0.5 + rng.gauss(1.1, 0.02) + (lift * 21)
        norm = rng.gauss(0.9, 0.1) if not broke else rng.lognormvariate(log(480), 0.7)
        rate = 2e-3 * min(1.0, (epoch + 1) * per / 1000)
        clock.tick(260, 0.03)
        seen = good * 1.03 + rng.gauss(0, 0.004)
        drmsd = 9.2 - 9 * good + rng.gauss(0, 0.1) + lift * 12
        say(
            f"epoch {epoch + 1}/{epochs} {took:.0f} s, {per} steps: train/loss {loss:.3f} train/fape {f:.3f} train/lddt_ca {good:.4f} | val/lddt_ca {seen:.4f}"
        )
        table.append(
            f"{epoch},{(epoch + 1) * per - 1},{loss:.5f},{f:.5f},{d:.5f},{m:.5f},{good:.5f},{rate:.6g},{norm:.4f},{loss * 1.02:.5f},{seen:.5f},{drmsd:.4f}"
        )
    clock.tick(14)
    lines.append("`Trainer.fit` stopped: `max_epochs=36` reached.")
    (place / "train.log").write_text("\n".join(lines) + "\n")
    (place / "metrics.csv").write_text("\n".join(table) + "\n")


def c12_neox_410m(place: Path, rng: Random) -> None:
    """GPT-NeoX on one node with DeepSpeed's launcher."""
    clock = Clock(datetime(2026, 12, 1, 19, 44, 2, 310000, tzinfo=UTC), rng)
    out: list[str] = []
    env = "/root/miniforge3/envs/neox"

    def ds(where: str, text: str, level: str = "INFO") -> None:
        milli = clock.now.microsecond // 1000
        out.append(f"[{clock.now:%Y-%m-%d %H:%M:%S},{milli:03d}] [{level}] [{where}] {text}\n")

    out.append("NeoXArgs.from_ymls() ['configs/410M.yml', 'configs/pile_local.yml']\n")
    ds("runner.py:463:main", "Using IP address of 10.60.4.21 for node sax-11")
    ds(
        "runner.py:570:main",
        f"cmd = {env}/bin/python -u -m deepspeed.launcher.launch --world_info=eyJzYXgtMTEiOiBbMCwgMSwgMiwgM119 "
        "--master_addr=10.60.4.21 --master_port=29500 train.py --deepspeed_config eyJ0cmFpbl9i --megatron_config eyJ0cmFpbl9i",
    )
    clock.tick(6)
    ds("launch.py:145:main", "WORLD INFO DICT: {'sax-11': [0, 1, 2, 3]}")
    ds("launch.py:163:main", "dist_world_size=4")
    pids = [93211 + 3 * at + rng.randrange(2) for at in range(4)]
    for rank, pid in enumerate(pids):
        ds(
            "launch.py:253:main",
            f"process {pid} spawned with command: ['{env}/bin/python', '-u', 'train.py', '--local_rank={rank}']",
        )
    clock.tick(19)
    for op in ("async_io", "fused_adam", "cpu_adam", "transformer_inference"):
        good = op != "async_io"
        out.append(
            f"{op} {'.' * (26 - len(op))} \x1b[93m[NO]\x1b[0m ....... "
            + ("\x1b[92m[OKAY]\x1b[0m" if good else "\x1b[93m[NO]\x1b[0m")
            + "\n"
        )
    out.append(
        "\x1b[34m\x1b[1mwandb\x1b[0m: Tracking run with wandb version 0.18.7\n\x1b[34m\x1b[1mwandb\x1b[0m: W&B syncing is set to `offline` in this directory.\n"
    )
    out.append("> building train, validation, and test datasets ...\n")
    for n in range(1, 9):
        clock.tick(2.2, 0.1)
        out.append("\r" + bar("reading shards: ", n, 8, 2.2 * n))
    out.append("\n")
    out.append(" > number of parameters on model parallel rank 0: 405334016\n")
    clock.tick(33)
    ds("logging.py:96:log_dist", "[Rank 0] DeepSpeed Final Optimizer = FusedAdam")
    out.append(
        f"[after dataloaders are built] datetime: {clock.now:%Y-%m-%d %H:%M:%S} \ndone with setup ...\ntraining ...\n"
    )
    total = 143000
    curve = Curve(10.93, 2.24, 900, 0.006, rng, power=0.62)
    for step in range(100, 4300, 100):
        pace = rng.gauss(3212, 14)
        clock.tick(pace / 10)
        rate = 3e-4 * min(1.0, step / 1430)
        ds(
            "logging.py:96:log_dist",
            f"[Rank 0] step={step}, skipped={13 if step >= 100 else 0}, lr=[{rate!r}, {rate!r}], mom=[[0.9, 0.95], [0.9, 0.95]]",
        )
        loss = curve.at(step)
        out.append(
            f"steps: {step} loss: {loss * rng.gauss(1, 0.004):.4f} iter time (s): {pace / 1000:.3f} samples/sec: {1024000 / pace:.3f}\n"
        )
        out.append(
            f" samples/sec: {1024000 / pace:.3f} | iteration {step:8d}/{total:8d} | elapsed time per iteration (ms): {pace:.1f} | "
            f"learning rate {rate:.3E} | approx flops per GPU: {171.3 * 3212 / pace:.1f}TFLOPS | lm_loss: {loss:.6E} | "
            f"loss scale: {65536.0 if step < 2600 else 131072.0} | number of skipped iterations: {13 if step == 100 else 0:3d} | "
            "number of nan iterations:   0 |\n"
        )
        if step % 1000 == 0:
            clock.tick(9)
            ds("logging.py:96:log_dist", f"[Rank 0] [Torch] Checkpoint global_step{step} is about to be saved!")
            ds(
                "torch_checkpoint_engine.py:21:save",
                f"[Torch] Saving checkpoints/410M/global_step{step}/mp_rank_00_model_states.pt...",
            )
            clock.tick(6)
            ds("torch_checkpoint_engine.py:33:commit", f"[Torch] Checkpoint global_step{step} is ready now!")
    clock.tick(188)
    for pid in pids:
        ds("launch.py:316:sigkill_handler", f"Killing subprocess {pid}")
        clock.tick(0.4, 0.3)
    ds(
        "launch.py:322:sigkill_handler",
        f"['{env}/bin/python', '-u', 'train.py', '--local_rank=3', '--deepspeed_config', 'eyJ0cmFpbl9i'] "
        "exits with return code = -9",
        "ERROR",
    )
    (place / "neox_410m.txt").write_text("".join(out), newline="")
