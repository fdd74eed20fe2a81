"""Curves of the lots c07 to c12. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.thirtyeighth.cu_tools import Clock, fall, hms, jitter, write

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c07_kettle(place: Path, rng: Random) -> None:
    """A Piper voice whose config lacks a key; two tries end alike before anything ran."""
    for attempt, batch in ((1, 20), (2, 12)):
        pid = rng.randint(3000, 9000)
        lines = [
            f"train_voice.sh: try {attempt}, pid {pid}, host attic",
            "train_voice.sh: voice is_IS-kettle, 1 speaker, 2217 clips",
            "cp: error copying '/srv/voices/kettle/cache' to '/dev/shm/kettle': No space left on device",
            "train_voice.sh: copy to memory failed, using /srv/voices/kettle as it is",
            "train_voice.sh: 2217 of 2217 cached clips found there",
            f"train_voice.sh: python3 -m piper_train --batch-size {batch} --max_epochs 1900 --precision 32",
            f"DEBUG:piper_train:Namespace(dataset_dir='/srv/voices/kettle', checkpoint_epochs=5, quality='medium', "
            f"resume_from_single_speaker_checkpoint=None, accelerator='gpu', devices='1', max_epochs=1900, "
            f"precision='32', batch_size={batch}, validation_split=0.02, num_test_examples=4, hidden_channels=192, "
            f"inter_channels=192, filter_channels=768, n_layers=6, n_heads=2, seed=1234)",
            "Traceback (most recent call last):",
            '  File "/usr/lib/python3.10/runpy.py", line 196, in _run_module_as_main',
            "    return _run_code(code, main_globals, None,",
            '  File "/usr/lib/python3.10/runpy.py", line 86, in _run_code',
            "    exec(code, run_globals)",
            '  File "/home/sigrun/piper/src/python/piper_train/__main__.py", line 147, in <module>',
            "    main()",
            '  File "/home/sigrun/piper/src/python/piper_train/__main__.py", line 55, in main',
            '    num_symbols = int(config["num_symbols"])',
            "KeyError: 'num_symbols'",
            "train_voice.sh: python3 left with 1",
        ]
        write(place / f"kettle.try{attempt}.log", lines)


def c08_notary(place: Path, rng: Random) -> None:
    """A PaddleNLP fine-tuning that writes its whole state after every step."""
    clock = Clock("2026-05-11T09:31:16")
    stamp = "[%Y-%m-%d %H:%M:%S,%L] [    INFO] -"
    lines = [
        f"{clock.show(stamp)} The global seed is set to 771, local seed is set to 772 and random seed is set to 771.",
        f"{clock.show(stamp)} using `logging_steps` to initialize `eval_steps` to 1",
        f"{clock.show(stamp)} ============================================================",
        f"{clock.show(stamp)}      Training Configuration Arguments",
        f"{clock.show(stamp)} paddle commit id              : 5f1a0c2",
        f"{clock.show(stamp)} bf16                          : True",
        f"{clock.show(stamp)} gradient_accumulation_steps   : 4",
        f"{clock.show(stamp)} learning_rate                 : 2e-05",
        f"{clock.show(stamp)} logging_steps                 : 1",
        f"{clock.show(stamp)} output_dir                    : /nfs/legal/notary_ckpt",
        f"{clock.show(stamp)} per_device_train_batch_size   : 2",
        f"{clock.show(stamp)} save_steps                    : 1",
        f"{clock.show(stamp)} save_strategy                 : IntervalStrategy.STEPS",
        f"{clock.show(stamp)} save_total_limit              : 2",
        f"{clock.show(stamp)} sharding                      : [<ShardingOption.FULL_SHARD: 'stage3'>]",
        f"{clock.show(stamp)} skip_profile_timer            : False",
        f"{clock.show(stamp)} world_size                    : 4",
        f"{clock.show(stamp)} ***** Running training *****",
        f"{clock.show(stamp)}   Total train batch size (w. parallel, distributed & accumulation) = 32",
        f"{clock.show(stamp)}   Number of trainable parameters = 6,738,415,616 (per device)",
    ]
    total = 0.0
    for step in range(1, 69):
        compute = jitter(rng, 3170, 0.02)
        save = jitter(rng, 86.0, 0.06) if step > 1 else 81.2
        clock.on(compute / 1000)
        loss = jitter(rng, fall(step, 2.44, 1.16, 21), 0.03)
        whole = compute / 1000 + (save if step > 1 else 2.0)
        total += whole
        lines += [
            f"{clock.show(stamp)} loss: {loss:.6f}, learning_rate: 2e-05, global_step: {step}, "
            f"current_memory_allocated: 31.17, max_memory_reserved: 66.02, interval_runtime: {whole:.4f}, "
            f"interval_samples_per_second: {32 / whole:.4f}, interval_steps_per_second: {1 / whole:.4f}",
            f"{clock.show(stamp)} [Profile global_step: {step}] | forward-backward: {compute * 0.87:.0f} ms | "
            f"optimizer-step: {compute * 0.12:.0f} ms | read-data: {jitter(rng, 4, 0.3):.0f} ms",
            f"{clock.show(stamp)} Saving model checkpoint to /nfs/legal/notary_ckpt/checkpoint-{step}",
        ]
        clock.on(save * 0.31)
        lines.append(f"{clock.show(stamp)} Model weights saved, saving optimizer files.")
        clock.on(save * 0.69)
        lines.append(f"{clock.show(stamp)} Checkpoint-{step} complete on all 4 cards, {save:.1f} s, 75.5 GB")
    lines += [
        f"{clock.show(stamp)} ",
        f"{clock.show(stamp)} Training completed. ",
        f"{clock.show(stamp)} train_runtime: {total + 83:.1f}, train_loss: 1.5318",
    ]
    write(place / "notary_sft.log", lines)


def c09_lemmings(place: Path, rng: Random) -> None:
    """A home-made evolution strategy, preempted once, requeued, taken up and ended; its own words sound like death."""
    clock = Clock("2026-08-22T01:06:30")
    stamp = "%d %b %H:%M:%S"
    job = "2290117"
    lines = [
        f"{clock.show(stamp)}  job {job} restart 0 on g034, partition scavenge, --requeue, log opened for append",
        f"{clock.show(stamp)}  lemmings.py: 280 generations to go, 4096 bodies each, all on cuda:0, save each 10",
        f"{clock.show(stamp)}  legend: dead = bodies that fell, killed = culled half, fatal = falls from above 2 m, "
        f"best/mean = metres walked",
    ]
    begun = clock.now

    def row(gen: int) -> str:
        clock.on(jitter(rng, 41.5, 0.03))
        dead = jitter(rng, fall(gen, 3900, 610, 60), 0.04)
        mean = jitter(rng, fall(gen, 0.8, 31.0, 90), 0.03)
        return (
            f"{clock.show(stamp)}  gen {gen:>3}/280  best {mean * 1.7 + rng.random():6.2f}  mean {mean:6.2f}  "
            f"sigma {fall(gen, 0.21, 0.03, 110):.4f}  dead {min(4096, dead):.0f}  killed 2048  fatal {dead * 0.13:.0f}"
        )

    for gen in range(1, 127):
        lines.append(row(gen))
        if gen % 10 == 0:
            lines.append(f"{clock.show(stamp)}  survivors of gen {gen} laid down in graves/{gen:03d}.npz")
    clock.on(17)
    first_end = clock.now
    lines.append(
        f"slurmstepd: error: *** JOB {job} ON g034 CANCELLED AT {clock.show('%Y-%m-%dT%H:%M:%S')} DUE TO PREEMPTION ***"
    )
    clock.on(5120)
    second = clock.now
    lines += [
        f"{clock.show(stamp)}  job {job} restart 1 on g051, partition scavenge, --requeue, log opened for append",
        f"{clock.show(stamp)}  lemmings.py: raised the dead from graves/120.npz, going on with gen 121 of 280",
    ]
    for gen in range(121, 281):
        lines.append(row(gen))
        if gen % 10 == 0:
            lines.append(f"{clock.show(stamp)}  survivors of gen {gen} laid down in graves/{gen:03d}.npz")
    clock.on(3)
    lines.append(f"{clock.show(stamp)}  extinction plan fulfilled: 280 generations, the rest were terminated, exit 0")
    iso = "%Y-%m-%dT%H:%M:%S"
    lines += [
        f"$ sacct -D -X -j {job} -o JobID,State,ExitCode,Start,End,NodeList",
        "JobID             State ExitCode               Start                 End        NodeList",
        "------------ ---------- -------- ------------------- ------------------- ---------------",
        f"{job:<12}  PREEMPTED      0:0 {begun.strftime(iso)} {first_end.strftime(iso)}            g034",
        f"{job:<12}  COMPLETED      0:0 {second.strftime(iso)} {clock.show(iso)}            g051",
    ]
    write(place / "lemmings.log", lines)


def c10_oyster(place: Path, rng: Random) -> None:
    """A detectron2 run preempted and requeued; one log of each attempt, with colours and bars."""
    clock = Clock("2026-09-09T18:55:20")
    total, job = 14000, "885302"
    green, end, red = "\x1b[32m", "\x1b[0m", "\x1b[5m\x1b[31m"

    def head(name: str) -> str:
        return f"{green}[{clock.show('%m/%d %H:%M:%S')} {name}]: {end}"

    for attempt, (start, stop, node) in enumerate(((0, 8739, "vis-21"), (7500, total, "vis-08"))):
        lines = [
            f"SLURM_JOB_ID={job} SLURM_RESTART_COUNT={attempt} node={node} qos=lowprio requeue=1 "
            f"{clock.show('%Y-%m-%dT%H:%M:%S')}",
            f"{head('detectron2')}Rank of current process: 0. World size: 2",
            f"{head('detectron2')}Command line arguments: Namespace(config_file='oyster_mask_r50.yaml', resume=True, "
            "eval_only=False, num_gpus=2, num_machines=1, machine_rank=0, opts=[])",
            f"{head('d2.data.datasets.coco')}Loaded 11873 images in COCO format from /data/oyster/train.json",
            f"{head('d2.data.common')}Serializing 11873 elements to byte tensors and concatenating them all ...",
        ]
        clock.on(4)
        if attempt == 0:
            size = 177841981
            bar = ""
            for part in (0, 9, 27, 48, 66, 83, 100):
                done = size * part // 100
                mark = f"{'█' * (part // 10):<10}"
                bar += f"\rmodel_final_a54504.pkl: {part:>3}%|{mark}| {done // 1000000}M/178M [00:{part // 8:02d}]"
            lines.append(bar)
            clock.on(13)
            lines.append(
                f"{head('fvcore.common.checkpoint')}[Checkpointer] Loading from oyster/model_final_a54504.pkl ..."
            )
        else:
            lines.append(
                f"{head('fvcore.common.checkpoint')}[Checkpointer] Loading from ./output/oyster/model_0007499.pth ..."
            )
            lines.append(
                f"{head('fvcore.common.checkpoint')}Loading trainer from ./output/oyster/model_0007499.pth ..."
            )
        lines.append(f"{head('d2.engine.train_loop')}Starting training from iteration {start}")
        for step in range(start + 19, stop, 20):
            spent = jitter(rng, 0.612, 0.02)
            clock.on(spent * 20)
            loss = jitter(rng, fall(step, 2.31, 0.71, 2300), 0.05)
            rate = 0.01 * min(1.0, (step + 1) / 1000) * (0.1 if step > 10500 else 1.0)
            lines.append(
                f"{head('d2.utils.events')} eta: {hms((total - step) * 0.612)}  iter: {step}  total_loss: {loss:.4g}  "
                f"loss_cls: {loss * 0.21:.4g}  loss_box_reg: {loss * 0.29:.4g}  loss_mask: {loss * 0.36:.4g}  "
                f"loss_rpn_cls: {loss * 0.05:.3g}  loss_rpn_loc: {loss * 0.09:.3g}    time: {spent:.4f}  "
                f"last_time: {jitter(rng, spent, 0.05):.4f}  data_time: {jitter(rng, 0.0121, 0.2):.4f}  "
                f"last_data_time: {jitter(rng, 0.009, 0.3):.4f}   lr: {rate:.5g}  max_mem: 8917M"
            )
            if step in (3219, 9179):
                lines.append(
                    f"{green}[{clock.show('%m/%d %H:%M:%S')} d2.data.common]: {end}{red}ERROR{end} image file is "
                    f"truncated "
                    f"(17 bytes not processed): /data/oyster/img/{rng.randint(1000, 9999)}.jpg"
                )
                lines.append(
                    f"{green}[{clock.show('%m/%d %H:%M:%S')} d2.data.common]: {end}\x1b[5m\x1b[31mWARNING{end} "
                    f"Failed to apply "
                    f"`_map_func` for idx: {rng.randint(100, 11000)}, retry count: 3"
                )
            if (step + 1) % 2500 == 0:
                clock.on(2)
                lines.append(
                    f"{head('fvcore.common.checkpoint')}Saving checkpoint to ./output/oyster/model_{step:07d}.pth"
                )
        if attempt == 0:
            clock.on(9)
            lines.append(
                f"slurmstepd: error: *** JOB {job} ON {node} CANCELLED AT {clock.show('%Y-%m-%dT%H:%M:%S')} DUE TO "
                f"PREEMPTION ***"
            )
            clock.on(8 * 3600 + 511)
        else:
            lines.append(f"{head('fvcore.common.checkpoint')}Saving checkpoint to ./output/oyster/model_final.pth")
            lines.append(
                f"{head('d2.engine.hooks')}Overall training speed: 6498 iterations in {hms(6498 * 0.612)} (0.6120 s "
                f"/ it)"
            )
            bar = ""
            for done in (0, 160, 320, 480, 640, 702):
                bar += f"\rmask -> rle: {done * 100 // 702:>3}%|{'█' * (done * 10 // 702):<10}| {done}/702"
            lines.append(bar)
            clock.on(58)
            lines.append(f"{head('d2.evaluation.testing')}copypaste: Task: segm")
            lines.append(f"{head('d2.evaluation.testing')}copypaste: AP,AP50,AP75,APs,APm,APl")
            lines.append(f"{head('d2.evaluation.testing')}copypaste: 41.0276,66.8913,44.1702,19.3321,42.7018,55.9044")
        write(place / f"oyster-{job}.r{attempt}.log", lines)


def c11_warbler(place: Path, rng: Random) -> None:
    """A hand-written Accelerate loop on bird calls that goes on until the held-out score stops rising, and does."""
    clock = Clock("2026-04-02T14:08:51")
    stamp = "%Y-%m-%d %H:%M"
    lines = [
        f"{clock.show(stamp)} warbler.py, accelerate 1.6.0, MULTI_GPU, 2 processes, mixed precision fp16",
        f"{clock.show(stamp)} 61 kinds of bird, 48 180 clips to learn from, 5 210 held out",
        f"{clock.show(stamp)} rule: go on round after round until held-out mAP has not risen for 4 rounds, keep the "
        f"best",
    ]
    rows = ["round,updates,loss,heldout_loss,heldout_map,lr,seconds"]
    best, since, kept = 0.0, 0, 0
    turn = 0
    while since < 4:
        turn += 1
        spent = jitter(rng, 371, 0.01)
        clock.on(spent)
        loss = jitter(rng, fall(turn, 3.9, 0.47, 6.0), 0.01)
        held = jitter(rng, fall(turn, 3.8, 0.74, 5.0), 0.006)
        score = jitter(rng, fall(turn, 0.05, 0.803, 4.6), 0.002)
        rows.append(f"{turn},{turn * 376},{loss:.4f},{held:.4f},{score:.4f},3.0e-04,{spent:.0f}")
        word = ""
        if score > best + 0.0005:
            best, since, kept, word = score, 0, turn, "  kept"
        else:
            since += 1
            word = f"  no rise x{since}"
        lines.append(
            f"{clock.show(stamp)} round {turn:>2}: loss {loss:.3f}, held out {held:.3f}, mAP {score:.4f}, "
            f"{48180 / spent:.0f} clips/s{word}"
        )
    lines += [
        f"{clock.show(stamp)} no rise for 4 rounds: that is the end as ruled. Best mAP {best:.4f} of round {kept}",
        f"{clock.show(stamp)} best weights in out/warbler_best.safetensors, both processes done, exit 0",
    ]
    write(place / "warbler.log", lines)
    write(place / "warbler_metrics.csv", rows)


def c12_wreck(place: Path, rng: Random) -> None:
    """A T5X run on accident reports whose log ends with the word that a checkpoint is being written."""
    clock = Clock("2026-10-18T03:25:09")
    thread = 139822410745664

    def head(where: str, mark: str = "I") -> str:
        return f"{mark}{clock.show('%m%d %H:%M:%S')}.{clock.now.microsecond:06d} {thread} {where}]"

    lines = [
        f"{head('train.py:211')} Process ID: 771",
        f"{head('train.py:214')} Using hardware RNG, seed 60",
        f"{head('partitioning.py:518')} jax devices: 8 x NVIDIA H100 80GB HBM3, num_partitions=2, mesh data=4 model=2",
        f"{head('utils.py:1702')} Initializing dataset for mixture wreck_and_abort_reports (tasks: "
        f"fatal_crash_narratives, "
        "aborted_takeoffs, engine_failure_qa, killed_or_injured_counts)",
        f"{head('dataset_providers.py:1911')} Task fatal_crash_narratives: 402 117 examples; rate 0.41",
        f"{head('dataset_providers.py:1911')} Task aborted_takeoffs: 38 002 examples; rate 0.12",
        f"{head('dataset_providers.py:1911')} Task engine_failure_qa: 91 640 examples; rate 0.22",
        f"{head('dataset_providers.py:1911')} Task killed_or_injured_counts: 120 733 examples; rate 0.25",
        f"{head('train.py:377')} Initialize/restore complete (21.40 seconds); train from step 0, total_steps 110000",
        f"{head('trainer.py:519')} Registered handler: on fatal signal dump stacks and abort (none received so far)",
        f"{head('train.py:641')} Starting main loop over steps 0-110000",
        f"{head('train.py:655')} Compiling train loop.",
    ]
    clock.on(88)
    lines.append(f"{head('train.py:661')} BEGIN Train loop.")
    for step in range(100, 64001, 100):
        clock.on(jitter(rng, 36.4, 0.01))
        loss = jitter(rng, fall(step, 6.4, 1.38, 7000), 0.015)
        lines.append(
            f"{head('trainer.py:354')} [train] step={step} loss_per_nonpadding_target_token={loss:.5f} "
            f"accuracy={0.86 - loss * 0.12:.4f} learning_rate={0.01 if step < 10000 else 1 / step**0.5:.6f} "
            f"timing/steps_per_second={100 / 36.4:.3f} timing/seqs_per_second={25600 / 36.4:.1f}"
        )
        if step % 8000 == 0:
            lines.append(f"{head('train.py:705')} Saving checkpoint for step {step}.")
            if step < 64000:
                clock.on(jitter(rng, 24, 0.1))
                lines.append(
                    f"{head('checkpoints.py:812')} Saved checkpoint for step {step} to /ckpt/wreck/checkpoint_{step}"
                )
                if step % 16000 == 0:
                    clock.on(51)
                    lines.append(
                        f"{head('train.py:752')} infer_eval "
                        f"engine_failure_qa/f1={jitter(rng, fall(step, 21, 68, 20000), 0.01):.2f} "
                        f"aborted_takeoffs/exact={jitter(rng, fall(step, 14, 57, 20000), 0.01):.2f} sample prediction: "
                        "'the crew was killed; cause: fatal error in the fuel system'"
                    )
    write(place / "wreck_t5x.log", lines)
