"""Incidents t08 to t14 of the nineteenth set. SIMULATED: every byte is written by the functions below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .incident_kit import (
    CARDS,
    OFF,
    Load,
    Rack,
    Site,
    answer,
    bars,
    by_metric,
    clocked,
    columns,
    elapsed,
    falls,
    kernel,
    put,
    quiet,
    resident,
    spins,
)

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

STAMP = "%Y-%m-%dT%H:%M:%S"
NARROW = {"JobID": 12, "JobName": 10, "Partition": 10, "Account": 10, "AllocCPUS": 10, "State": 10, "ExitCode": 8}
NO_PROFILE = (
    "PROF_PIPE_TENSOR_ACTIVE",
    "PROF_DRAM_ACTIVE",
    "PROF_PCIE_RX_BYTES",
    "PROF_PCIE_TX_BYTES",
    "DEV_MEM_COPY_UTIL",
)


def t08(place: Path, rng: Random) -> None:
    """A2: earlyoom ends a rank with SIGTERM when the host's memory runs out; a first try died of a missing file."""
    site = Site(120, "CEST")
    begin = site.epoch("2026-06-24T09:57:48")
    host = "asr3"
    command = "# python3 -m espnet2.bin.asr_train --use_preprocessor true --bpemodel data/de_token_list/bpe_unigram5000/bpe.model --token_type bpe --ngpu 4 --multiprocessing_distributed True --num_workers 24 --output_dir exp/asr_conformer_de --config conf/train_asr_conformer.yaml"
    first = [
        command,
        f"# Started at {site.date(begin + 6)}",
        "#",
        "Traceback (most recent call last):",
        '  File "<frozen runpy>", line 198, in _run_module_as_main',
        '  File "<frozen runpy>", line 88, in _run_code',
        '  File "/home/pohl/espnet/espnet2/bin/asr_train.py", line 23, in <module>',
        "    main()",
        '  File "/home/pohl/espnet/espnet2/bin/asr_train.py", line 19, in main',
        "    ASRTask.main(cmd=cmd)",
        '  File "/home/pohl/espnet/espnet2/tasks/abs_task.py", line 1157, in main',
        "    cls.main_worker(args)",
        '  File "/home/pohl/espnet/espnet2/tasks/asr.py", line 512, in build_model',
        '    with open(args.token_list, encoding="utf-8") as f:',
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/de_token_list/bpe_unigram5000/tokens.txt'",
        "# Accounting: time=11 threads=1",
        f"# Ended (code 1) at {site.date(begin + 17)}, elapsed time 11 seconds",
    ]
    put(place, "exp/asr_conformer_de/train.1.log", first)
    start = begin + 66
    out = [command, f"# Started at {site.date(start)}", "#"]

    def say(t: float, where: str, text: str, level: str = "INFO") -> None:
        out.append(f"[{host}:0/4] {site.at(t, '%Y-%m-%d %H:%M:%S,%L')} ({where}) {level}: {text}")

    t = start + 13.218
    say(t, "asr:523", "Vocabulary size: 5000")
    say(
        t + 4.407,
        "abs_task:1270",
        "pytorch.version=2.4.1+cu121, cuda.available=True, cudnn.version=90100, cudnn.benchmark=False, cudnn.deterministic=True",
    )
    say(
        t + 4.407,
        "abs_task:1276",
        "Model summary:    Class Name: ESPnetASRModel    Total Number of model parameters: 116.15 M    Trainable: 116.15 M (100.0%)    Size: 464.59 MB    Type: torch.float32",
    )
    say(
        t + 19.086,
        "abs_task:1656",
        '[train] dataset: ESPnetDataset(  speech: {"path": "dump/raw/train_sp/wav.scp", "type": "kaldi_ark"}  text: {"path": "dump/raw/train_sp/text", "type": "text"})',
    )
    say(
        t + 19.086,
        "abs_task:1658",
        "[train] Batch sampler: NumElementsBatchSampler(N-batch=4318, batch_bins=40000000, sort_in_batch=descending, sort_batch=descending)",
    )
    say(t + 24, "trainer:311", "1/60epoch started")
    t += 26
    began = t
    killed = begin + 46 * 60 - 21.3
    batch = 0
    while True:
        dt = 0.571 * rng.gauss(1, 0.05) * 100
        if t + dt > killed:
            break
        t += dt
        batch += 100
        loss = falls(rng, batch, 310, 62, 900, 0.02)
        say(
            t,
            "trainer:779",
            f"1epoch:train:{batch - 99}-{batch}batch: iter_time={rng.uniform(1.2e-4, 2.4e-4):.3e}, forward_time={rng.gauss(0.213, 0.004):.3f},"
            f" loss_ctc={loss * 1.21:.3f}, loss_att={loss * 0.91:.3f}, acc={min(0.6, 0.02 + 0.42 * (1 - loss / 330)):.3f}, loss={loss:.3f},"
            f" backward_time={rng.gauss(0.271, 0.005):.3f}, grad_norm={rng.uniform(14, 60):.3f}, clip=100.000, loss_scale=1.000e+00,"
            f" optim_step_time={rng.gauss(0.031, 0.001):.3f}, optim0_lr0={2e-3 * batch / 25000:.3e}, train_time={dt / 100 * 4:.3f}",
        )
    pids = [20871, 20872, 20873, 20874]
    out += [
        f"W{site.at(killed + 3.5, '%m%d %H:%M:%S')}.206000 20790 torch/multiprocessing/spawn.py:146] Terminating process {pids[one]} via signal SIGTERM"
        for one in (0, 1, 3)
    ]
    out += [
        "Traceback (most recent call last):",
        '  File "<frozen runpy>", line 198, in _run_module_as_main',
        '  File "<frozen runpy>", line 88, in _run_code',
        '  File "/home/pohl/espnet/espnet2/bin/asr_train.py", line 23, in <module>',
        "    main()",
        '  File "/home/pohl/espnet/espnet2/bin/asr_train.py", line 19, in main',
        "    ASRTask.main(cmd=cmd)",
        '  File "/home/pohl/espnet/espnet2/tasks/abs_task.py", line 1221, in main',
        "    while not ProcessContext(processes, error_queues).join():",
        '  File "/home/pohl/miniconda3/envs/espnet/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 189, in join',
        "    raise ProcessExitedException(",
        "torch.multiprocessing.spawn.ProcessExitedException: process 2 terminated with signal SIGTERM",
        f"# Accounting: time={int(killed + 9 - start)} threads=1",
        f"# Ended (code 1) at {site.date(killed + 9)}, elapsed time {int(killed + 9 - start)} seconds",
    ]
    put(place, "exp/asr_conformer_de/train.log", out)
    put(
        place,
        "slurm-40917.out",
        [
            f"{site.at(begin + 4, STAMP)} (asr.sh:263:main) ./asr.sh --lang de --ngpu 4 --stage 11 --stop_stage 11",
            f"{site.at(begin + 5, STAMP)} (asr.sh:1187:main) Stage 11: ASR Training: train_set=dump/raw/train_sp, valid_set=dump/raw/dev",
            "run.pl: job failed, log is in exp/asr_conformer_de/train.log",
            "-- noch einmal, Tokenliste wird neu erzeugt",
            f"{site.at(begin + 62, STAMP)} (asr.sh:1187:main) Stage 11: ASR Training: train_set=dump/raw/train_sp, valid_set=dump/raw/dev",
            "run.pl: job failed, log is in exp/asr_conformer_de/train.log",
        ],
    )
    end = killed + 14

    def load(_n: int, gpu: int, at: float, r: Random) -> Load:
        if at < start + 14 or at > killed + (3.4 if gpu == 2 else 7):
            return OFF
        if at < began:
            return resident(1100)
        if at > killed + 0.5:
            return spins(33100, r)
        return Load(r.uniform(86, 99), r.uniform(0.58, 0.7), power=r.uniform(0.62, 0.8), mem=33100)

    rack = Rack("A100-PCIE", [host], 4, load, begin - 120, end + 120, 10, 208, drop=NO_PROFILE)
    answer(place, "vm_export/gpu.json", rack.series("uuid"))
    put(
        place,
        "nvidia-smi-L.txt",
        [f"GPU {gpu}: NVIDIA A100-PCIE-40GB (UUID: {one})" for gpu, one in enumerate(rack.uuids[0])],
    )
    rows = [
        {
            "JobID": "40917",
            "JobName": "asr_de",
            "Partition": "gpu",
            "Account": "speech",
            "AllocCPUS": "64",
            "State": "FAILED",
            "ExitCode": "1:0",
        },
        {
            "JobID": "40917.batch",
            "JobName": "batch",
            "Account": "speech",
            "AllocCPUS": "64",
            "State": "FAILED",
            "ExitCode": "1:0",
        },
        {
            "JobID": "40917.extern",
            "JobName": "extern",
            "Account": "speech",
            "AllocCPUS": "64",
            "State": "COMPLETED",
            "ExitCode": "0:0",
        },
    ]
    columns(place, "sacct.txt", NARROW, rows)
    reports = []
    at, free = begin - 30 * 60, 71.0
    while at < killed - 5:
        if at > began:
            free = max(4.6, 71 - 66.4 * ((at - began) / (killed - began)) ** 1.2)
        reports.append(
            (
                at,
                f"earlyoom[1187]: mem avail: {int(free / 100 * 251117):6d} of 251117 MiB ({free:5.2f}%), swap free:    0 of    0 MiB ( 0.00%)",
            )
        )
        at += 300
    reports += [
        (killed - 0.7, "earlyoom[1187]: low memory! at or below SIGTERM limits: mem  4.00%, swap 10.00%"),
        (
            killed - 0.6,
            f'earlyoom[1187]: sending SIGTERM to process {pids[2]} uid 3318 "python3": oom_score 1102, VmRSS 60921 MiB, cmdline "python3 -m espnet2.bin.asr_train --use_preprocessor true --bpemode',
        ),
        (killed + 3.4, f"earlyoom[1187]: process {pids[2]} exited after 4.0 seconds"),
        (begin - 4200, "systemd[1]: Started Session 4471 of User pohl."),
    ]
    kernel(place, "journal_asr3.txt", "journal iso", site, host, [*quiet(rng, rack, 0, begin), *reports])


def t09(place: Path, rng: Random) -> None:
    """A2: the second node ran out of memory and its kernel killed rank 5, after four and a half hours."""
    site = Site(-240, "EDT")
    begin = site.epoch("2026-08-18T11:47:02")
    hosts = ["hpg-c0705a-s11", "hpg-c0705a-s17"]
    killed = begin + 275 * 60 - 31.0
    out = [
        f"{site.at(begin + 40.629, '%Y-%m-%d %H:%M:%S,%L')}: rank0[301881][MainThread]: INFO: llmfoundry.command_utils.train: Initializing dist with device...",
        f"{site.at(begin + 44.292, '%Y-%m-%d %H:%M:%S,%L')}: rank0[301881][MainThread]: INFO: llmfoundry.command_utils.train: Testing barrier with device...",
        f"{site.at(begin + 45.708, '%Y-%m-%d %H:%M:%S,%L')}: rank0[301881][MainThread]: INFO: llmfoundry.command_utils.train: Barrier test passed with device.",
        f"{site.at(begin + 71.517, '%Y-%m-%d %H:%M:%S,%L')}: rank0[301881][MainThread]: INFO: llmfoundry.command_utils.train: Building trainer...",
        f"{site.at(begin + 73.348, '%Y-%m-%d %H:%M:%S,%L')}: rank0[301881][MainThread]: INFO: composer.utils.reproducibility: Setting seed to 17",
        f"{site.at(begin + 74.764, '%Y-%m-%d %H:%M:%S,%L')}: rank0[301881][MainThread]: INFO: composer.trainer.trainer: Run name: mpt-1b-biomed",
        f"{site.at(begin + 96.910, '%Y-%m-%d %H:%M:%S,%L')}: rank0[301881][MainThread]: INFO: composer.trainer.trainer: Stepping schedulers every batch. To step schedulers every epoch, set `step_schedulers_every_batch=False`.",
        "",
        "******************************",
        "Config:",
        "composer_commit_hash: None",
        "composer_version: 0.28.0",
        "enabled_algorithms/GradientClipping: true",
        "num_gpus_per_node: 4",
        "num_nodes: 2",
        "rank_zero_seed: 17",
        "",
        "******************************",
        f"{site.at(begin + 101.989, '%Y-%m-%d %H:%M:%S,%L')}: rank0[301881][MainThread]: INFO: llmfoundry.command_utils.train: Starting training...",
    ]
    t, batch, total = begin + 104.0, 0, 24000
    began = t
    while True:
        dt = 3.17 * rng.gauss(1, 0.007)
        if t + dt > killed:
            break
        t += dt
        batch += 1
        if batch % 10 == 0 or batch == 1:
            loss = falls(rng, batch, 11.1, 2.5, 600, 0.009)
            rate = min(1, batch / 100) * (0.55 + 0.45 * (1 - batch / total))
            out += [
                f"[batch={batch}/{total}]:",
                f"\t Train time/batch: {batch - 1}",
                f"\t Train time/sample: {(batch - 1) * 256}",
                f"\t Train time/token: {(batch - 1) * 256 * 2048}",
                f"\t Train loss/train/total: {loss:.4f}",
                f"\t Train metrics/train/LanguageCrossEntropy: {loss:.4f}",
                f"\t Train memory/peak_reserved_mem: {70.114:.4f}",
                f"\t Train throughput/batches_per_sec: {1 / dt:.4f}",
                f"\t Train throughput/device/tokens_per_sec: {256 * 2048 / dt / 8:.4f}",
                f"\t Train lr-DecoupledAdamW/group0: {2e-4 * rate:.4f}",
            ]
        if batch % 1000 == 0:
            t += 41
    out += [
        "ERROR:composer.cli.launcher:Rank 5 crashed with exit code -9.",
        "Waiting up to 30 seconds for all training processes to terminate. Press Ctrl-C to exit immediately.",
        "Global rank 4 (PID 221903) exited with code -15",
        "Global rank 5 (PID 221904) exited with code -9",
        "Global rank 6 (PID 221905) exited with code -15",
        "Global rank 7 (PID 221906) exited with code -15",
        f"srun: error: {hosts[1]}: task 1: Exited with exit code 247",
        "srun: Terminating StepId=44120.0",
        f"slurmstepd: error: *** STEP 44120.0 ON {hosts[0]} CANCELLED AT {site.at(killed + 13, STAMP)} ***",
        f"srun: error: {hosts[0]}: task 0: Exited with exit code 143",
    ]
    put(place, "mpt_biomed_44120.log", out)
    end = killed + 17

    def load(node: int, gpu: int, at: float, r: Random) -> Load:
        if node > 1 or at < begin + 35 or at > killed + (13 if node == 0 else 2 if gpu == 1 else 9):
            return OFF
        if at < began:
            return resident(2400)
        if (at - began) % 3211 > 3170:
            return Load(r.uniform(0, 3), 0.02, power=0.08, mem=72900)
        if at > killed:
            return spins(72900, r)
        return clocked(r, 72900, 0.9)

    rack = Rack("H100-PCIE", [*hosts, "hpg-c0705a-s21"], 4, load, begin - 300, end + 300, 30, 209, drop=NO_PROFILE)
    by_metric(place, "dcgm", rack.series("plain"))
    base = {"Start": site.at(begin, STAMP), "End": site.at(end, STAMP), "Elapsed": elapsed(end - begin), "NNodes": "2"}
    base |= {"NodeList": "hpg-c0705a-s[11,17]", "ExitCode": "0:0", "State": "COMPLETED"}
    bars(
        place,
        "sacct_44120.txt",
        [
            "JobID",
            "JobName",
            "Account",
            "State",
            "ExitCode",
            "Submit",
            "Start",
            "End",
            "Elapsed",
            "Timelimit",
            "ReqMem",
            "MaxRSS",
            "NNodes",
            "NodeList",
        ],
        [
            {
                **base,
                "JobID": "44120",
                "JobName": "mpt",
                "Account": "biomed",
                "State": "FAILED",
                "ExitCode": "247:0",
                "Submit": site.at(begin - 71, STAMP),
                "Timelimit": "2-00:00:00",
                "ReqMem": "0",
            },
            {
                **base,
                "JobID": "44120.batch",
                "JobName": "batch",
                "Account": "biomed",
                "State": "FAILED",
                "ExitCode": "247:0",
                "MaxRSS": "14108K",
                "NNodes": "1",
                "NodeList": hosts[0],
            },
            {**base, "JobID": "44120.extern", "JobName": "extern", "Account": "biomed", "MaxRSS": "0"},
            {
                **base,
                "JobID": "44120.0",
                "JobName": "composer",
                "Account": "biomed",
                "State": "FAILED",
                "ExitCode": "247:0",
                "MaxRSS": "498112044K",
            },
        ],
    )
    k = killed - 1.2
    dump = [
        "pt_data_worker invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0",
        "CPU: 19 PID: 224410 Comm: pt_data_worker Tainted: P           OE     5.15.0-122-generic #132-Ubuntu",
        "Hardware name: Supermicro SYS-421GE-TNRT/X13DEG-OA, BIOS 2.1 03/14/2024",
        "Call Trace:",
        " <TASK>",
        " show_stack+0x52/0x5c",
        " dump_stack_lvl+0x4a/0x63",
        " dump_header+0x53/0x228",
        " oom_kill_process.cold+0xb/0x10",
        " out_of_memory+0x106/0x2e0",
        " __alloc_pages_slowpath.constprop.0+0x97e/0xa40",
        " __alloc_pages+0x311/0x330",
        " alloc_pages_vma+0x9b/0x240",
        " do_anonymous_page+0xee/0x3b0",
        " handle_mm_fault+0xd8/0x2c0",
        " do_user_addr_fault+0x1c2/0x660",
        " exc_page_fault+0x77/0x170",
        " asm_exc_page_fault+0x27/0x30",
        " </TASK>",
        "Mem-Info:",
        "active_anon:120411 inactive_anon:130884112 isolated_anon:0",
        "Node 0 Normal free:61280kB min:62416kB low:326540kB high:590664kB reserved_highatomic:0KB active_anon:220104kB",
        "0 pages in swap cache",
        "Free swap  = 0kB",
        "Total swap = 0kB",
        "134086144 pages RAM",
        "Tasks state (memory values in pages):",
        "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name",
        *(
            f"[ {221903 + one}] 51177 {221903 + one} {41200311 + 7011 * one} {30211764 if one == 1 else 11017723 + 311 * one} 251117568        0             0 python"
            for one in range(4)
        ),
        *(
            f"[ {224391 + one}] 51177 {224391 + one} {9411803 + 1711 * one} {2716330 + 4093 * one} {31014912:9d}        0             0 pt_data_worker"
            for one in range(24)
        ),
        "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=job_44120,mems_allowed=0-1,global_oom,task_memcg=/system.slice/slurmstepd.scope/job_44120/step_0/user/task_1,task=python,pid=221904,uid=51177",
        "Out of memory: Killed process 221904 (python) total-vm:164829288kB, anon-rss:118341204kB, file-rss:311040kB, shmem-rss:2194812kB, UID:51177 pgtables:245232kB oom_score_adj:0",
    ]
    killing = [(k + i * 0.0004, text) for i, text in enumerate(dump)]
    killing.append(
        (k + 2.9, "oom_reaper: reaped process 221904 (python), now anon-rss:0kB, file-rss:0kB, shmem-rss:2194812kB")
    )
    for node in range(2):
        kernel(
            place,
            f"dmesg_{hosts[node]}.log",
            "iso",
            site,
            hosts[node],
            [*quiet(rng, rack, node, begin), *(killing if node else [])],
        )


def t10(place: Path, rng: Random) -> None:
    """G1: no log is left; six GPUs worked to the end, memory was let go, COMPLETED; a row was remapped weeks ago."""
    site = Site()
    begin = site.epoch("2026-09-08T03:14:51")
    end = begin + 26 * 60 + 8
    hosts = ["bx01", "bx02", "bx04"]

    def load(_n: int, _g: int, at: float, r: Random) -> Load:
        if at < begin + 18 or at > end - 4:
            return OFF
        if at < begin + 95:
            return resident(5800)
        if at > end - 32 or 0 <= (at - begin) % 420 - 380 < 24:
            return Load(r.uniform(0, 4), 0.01, power=0.04, mem=141200)
        return clocked(r, 141200, 0.83, 2200, 1800)

    rack = Rack("B200", hosts, 2, load, begin - 120, end + 120, 15, 210)
    fields = (
        ("SMCLK", "", "DEV_SM_CLOCK", 5),
        ("TMPTR", "C", "DEV_GPU_TEMP", 5),
        ("POWER", "W", "DEV_POWER_USAGE", 8),
        ("GPUTL", "", "DEV_GPU_UTIL", 5),
        ("FBUSD", "", "DEV_FB_USED", 6),
        ("GRACT", "", "PROF_GR_ENGINE_ACTIVE", 6),
        ("SMACT", "", "PROF_SM_ACTIVE", 6),
        ("TENSO", "", "PROF_PIPE_TENSOR_ACTIVE", 6),
        ("URMPS", "", "DEV_UNCORRECTABLE_REMAPPED_ROWS", 5),
        ("XIDER", "", "DEV_XID_ERRORS", 5),
    )

    def old(node: int, gpu: int, _t: float, row: dict[str, float]) -> None:
        if (node, gpu) == (1, 0):
            row["DEV_UNCORRECTABLE_REMAPPED_ROWS"] = 1

    rack.twist = old
    for node, host in enumerate(hosts):
        both = [rack.samples(node, gpu) for gpu in range(2)]
        out = []
        for number, rows in enumerate(zip(*both, strict=True)):
            stamp = site.at(rows[0][0], "%Y-%m-%dT%H:%M:%S+0000 ")
            if number % 25 == 0:
                out.append(stamp + "#Entity   " + "  ".join(name.ljust(w) for name, _, _, w in fields))
                out.append(stamp + "ID        " + "  ".join(unit.ljust(w) for _, unit, _, w in fields))
            for gpu, (_, row) in enumerate(rows):
                cells = [
                    f"{row[key]:.3f}" if key.startswith(("PROF", "DEV_POWER")) else str(int(row[key]))
                    for _, _, key, _ in fields
                ]
                out.append(
                    stamp
                    + f"GPU {gpu}     "
                    + "  ".join(one.ljust(w) for one, (_, _, _, w) in zip(cells, fields, strict=True))
                )
        put(place, f"dmon/{host}.txt", out)
    put(
        place,
        "scontrol_show_job.txt",
        [
            "JobId=902114 JobName=distill-7b",
            "   UserId=hwang(60412) GroupId=nlp(6000) MCS_label=N/A",
            "   Priority=118330 Nice=0 Account=nlp QOS=normal",
            "   JobState=COMPLETED Reason=None Dependency=(null)",
            "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0",
            "   DerivedExitCode=0:0",
            f"   RunTime={elapsed(end - begin)} TimeLimit=04:00:00 TimeMin=N/A",
            f"   SubmitTime={site.at(begin - 2210, STAMP)} EligibleTime={site.at(begin - 2210, STAMP)}",
            f"   AccrueTime={site.at(begin - 2210, STAMP)}",
            f"   StartTime={site.at(begin, STAMP)} EndTime={site.at(end, STAMP)} Deadline=N/A",
            f"   SuspendTime=None SecsPreSuspend=0 LastSchedEval={site.at(begin, STAMP)} Scheduler=Backfill",
            "   Partition=blackwell AllocNode:Sid=login2:411832",
            "   ReqNodeList=(null) ExcNodeList=(null)",
            "   NodeList=bx[01-02,04]",
            "   BatchHost=bx01",
            "   NumNodes=3 NumCPUs=96 NumTasks=3 CPUs/Task=32 ReqB:S:C:T=0:0:*:*",
            "   ReqTRES=cpu=96,mem=600G,node=3,billing=96,gres/gpu=6",
            "   AllocTRES=cpu=96,mem=600G,node=3,billing=96,gres/gpu=6",
            "   MinCPUsNode=32 MinMemoryNode=200G MinTmpDiskNode=0",
            "   Command=/home/hwang/distill/run.sbatch",
            "   WorkDir=/home/hwang/distill",
            "   TresPerNode=gres/gpu:2",
        ],
    )
    for node, host in enumerate(hosts):
        lines = quiet(rng, rack, node, begin)
        if node == 1:
            lines += [
                (
                    begin - 23.4 * 86400,
                    f"NVRM: Xid (PCI:0000:{rack.bus[0].lower()}:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000000018a4c31) marked for remapping, reset gpu to activate.",
                ),
                (begin - 23.1 * 86400, f"nvidia 0000:{rack.bus[0].lower()}:00.0: enabling device (0000 -> 0002)"),
            ]
            lines = [one for one in lines if one[0] > begin - 40 * 86400]
        kernel(place, f"dmesg-T.{host}.txt", "dmesg -T", site, host, lines)


def t11(place: Path, rng: Random) -> None:
    """A2: Ray's monitor kills an actor with SIGKILL as the node's memory is used up; the driver dies of the news."""
    site = Site()
    begin = site.epoch("2026-07-29T20:05:13")
    hosts = ["ada-05", "ada-09"]
    killed = begin + 165 * 60 - 43.618
    ray = "fd1c5ad0a3a8a26ac0af5a63c0d0d3ea0a7a20f7b9f7f0d1c25a8e31"
    out = [
        f"{site.at(begin + 21.338, '%Y-%m-%d %H:%M:%S,%L')}\tINFO worker.py:1694 -- Connecting to existing Ray cluster at address: 10.22.1.14:6379...",
        f"{site.at(begin + 21.351, '%Y-%m-%d %H:%M:%S,%L')}\tINFO worker.py:1879 -- Connected to Ray cluster. View the dashboard at http://127.0.0.1:8265 ",
        "(TaskRunner pid=9120) {'actor_rollout_ref': {'actor': {'clip_ratio': 0.2, 'entropy_coeff': 0, 'fsdp_config': {'optimizer_offload': True, 'param_offload': True}, 'ppo_mini_batch_size': 64, 'strategy': 'fsdp'}, 'rollout': {'gpu_memory_utilization': 0.5, 'name': 'vllm', 'n': 5}},",
        "(TaskRunner pid=9120)  'trainer': {'critic_warmup': 0, 'n_gpus_per_node': 1, 'nnodes': 2, 'project_name': 'grpo-math', 'save_freq': 20, 'test_freq': 10, 'total_epochs': 15}}",
        "(TaskRunner pid=9120) Filter prompts too long: dataset len: 7473",
        "(TaskRunner pid=9120) Size of train dataloader: 58, Size of val dataloader: 1",
        "(TaskRunner pid=9120) Total training steps: 870",
        "(WorkerDict pid=9411) Qwen2ForCausalLM contains 3.09B parameters",
        "(WorkerDict pid=9411) wrap_policy: functools.partial(<function _or_policy at 0x7ef0c87e2710>)",
        "(WorkerDict pid=9411) Total steps: 870, num_warmup_steps: 0",
        "(WorkerDict pid=7718, ip=10.22.1.18) Actor use_remove_padding=True",
        "(WorkerDict pid=9411) kv_cache_size: 214,832 tokens",
        "(TaskRunner pid=9120) Checkpoint tracker file does not exist: /ckpt/grpo-math/latest_checkpointed_iteration.txt",
        "(TaskRunner pid=9120) Training from scratch",
    ]
    t = begin + 260.0
    began = t
    step = 0
    spans: list[tuple[float, float]] = []
    while True:
        gen, old_lp, ref, upd = rng.gauss(58, 3), rng.gauss(13.4, 0.4), rng.gauss(12.9, 0.4), rng.gauss(49, 1)
        dt = gen + old_lp + ref + upd + 2.2
        if t + dt > killed:
            break
        spans.append((t, t + gen))
        t += dt
        step += 1
        score = 0.21 + 0.47 * (1 - 2.718 ** (-step / 30)) + rng.gauss(0, 0.018)
        length = 290 + rng.gauss(0, 6) - 30 * (1 - 2.718 ** (-step / 20))
        out.append(
            f"(TaskRunner pid=9120) step:{step} - global_seqlen/mean:{length * 640 / 2:.3f} - actor/entropy:{0.31 - 0.0011 * step + rng.gauss(0, 0.006):.3f}"
            f" - actor/kl_loss:{0.0009 * step**0.5 + abs(rng.gauss(0, 0.0003)):.3f} - actor/pg_loss:{rng.gauss(0, 0.011):.3f} - actor/pg_clipfrac:{abs(rng.gauss(0.002, 0.001)):.3f}"
            f" - actor/grad_norm:{rng.gauss(0.31, 0.03):.3f} - perf/mfu/actor:{rng.gauss(0.31, 0.006):.3f} - perf/max_memory_allocated_gb:38.114 - perf/max_memory_reserved_gb:42.652"
            f" - perf/cpu_memory_used_gb:{118 + 1.72 * step + rng.gauss(0, 0.3):.3f} - actor/lr:0.000 - critic/score/mean:{score:.3f} - critic/score/max:1.000 - critic/score/min:0.000"
            f" - response_length/mean:{length:.3f} - timing_s/gen:{gen:.3f} - timing_s/old_log_prob:{old_lp:.3f} - timing_s/ref:{ref:.3f} - timing_s/update_actor:{upd:.3f} - timing_s/step:{dt:.3f}"
            f" - perf/throughput:{length * 640 / dt / 2:.3f}"
        )
        if step % 10 == 0:
            out.append(f"(TaskRunner pid=9120) step:{step} - val-core/openai/gsm8k/reward/mean@1:{score + 0.02:.3f}")
            t += 27
        if step % 20 == 0:
            out.append(
                f"(WorkerDict pid=9411) [Rank 0] Saved model to /ckpt/grpo-math/global_step_{step}/actor/model_world_size_2_rank_0.pt"
            )
            t += 31
    used = 239.41
    stamp = site.at(killed, "%Y-%m-%d %H:%M:%S,%L")
    out += [
        f"(raylet) [{stamp} E 8702 8702] (raylet) node_manager.cc:3245: 1 Workers (tasks / actors) killed due to memory pressure (OOM), 0 Workers crashed due to other reasons at node (ID: {ray}, IP: 10.22.1.14) over the last time period. To see more information about the Workers killed on this node, use `ray logs raylet.out -ip 10.22.1.14`",
        "(raylet) ",
        "(raylet) Refer to the documentation on how to address the out of memory issue: https://docs.ray.io/en/latest/ray-core/scheduling/ray-oom-prevention.html. Consider provisioning more memory on this node or reducing task parallelism by requesting more CPUs per task. To adjust the kill threshold, set the environment variable `RAY_memory_usage_threshold` when starting Ray. To disable worker killing, set the environment variable `RAY_memory_monitor_refresh_ms` to zero.",
        "Error executing job with overrides: ['algorithm.adv_estimator=grpo', 'data.train_batch_size=128', 'trainer.nnodes=2', 'trainer.n_gpus_per_node=1']",
        "Traceback (most recent call last):",
        '  File "/opt/verl/verl/trainer/main_ppo.py", line 31, in main',
        "    run_ppo(config)",
        '  File "/opt/verl/verl/trainer/main_ppo.py", line 54, in run_ppo',
        "    ray.get(runner.run.remote(config))",
        '  File "/usr/local/lib/python3.10/dist-packages/ray/_private/auto_init_hook.py", line 21, in auto_init_wrapper',
        "    return fn(*args, **kwargs)",
        '  File "/usr/local/lib/python3.10/dist-packages/ray/_private/worker.py", line 2782, in get',
        "    values, debugger_breakpoint = worker.get_objects(object_refs, timeout=timeout)",
        '  File "/usr/local/lib/python3.10/dist-packages/ray/_private/worker.py", line 929, in get_objects',
        "    raise value.as_instanceof_cause()",
        "ray.exceptions.RayTaskError(OutOfMemoryError): ray::TaskRunner.run() (pid=9120, ip=10.22.1.14, actor_id=9d1f44ab1b1f7a6f9d5c22ab01000000, repr=<main_ppo.TaskRunner object at 0x7f0f5c1d7d90>)",
        '  File "/opt/verl/verl/trainer/ppo/ray_trainer.py", line 1011, in fit',
        "    old_log_prob = self.actor_rollout_wg.compute_log_prob(batch)",
        '  File "/opt/verl/verl/single_controller/ray/base.py", line 49, in func',
        "    output = ray.get(output)",
        "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.",
        f"Memory on the node (IP: 10.22.1.14, ID: {ray}) where the task (actor ID: 3a0c8b31e7c64d6bd45b1bd101000000, name=9Yb3Tgglobal_poolWorkerDict_0:0, pid=9411, memory used=171.36GB) was running was {used}GB / 251.56GB ({used / 251.56:f}), which exceeds the memory usage threshold of 0.95. Ray killed this worker (ID: 60d3b8c7dd2a1f4c5ca2a0d6ee1d0a31b90b2e1a7b4bbf71d9fa21c4) because of the memory usage of the process. To see more information about memory usage on this node, use `ray logs raylet.out -ip 10.22.1.14`. To see the logs of the worker, use `ray logs worker-60d3b8c7dd2a1f4c5ca2a0d6ee1d0a31b90b2e1a7b4bbf71d9fa21c4*out -ip 10.22.1.14. Top 10 memory users:",
        "PID\tMEM(GB)\tCOMMAND",
        "9411\t171.36\tray::WorkerDict.actor_rollout_compute_log_prob",
        "9120\t41.02\tray::TaskRunner.run",
        "8702\t1.14\t/usr/local/lib/python3.10/dist-packages/ray/core/src/ray/raylet/raylet --raylet_socket_name=/tmp/ray/s...",
        "8611\t0.61\t/usr/local/lib/python3.10/dist-packages/ray/core/src/ray/gcs/gcs_server --log_dir=/tmp/ray/session_2...",
        "Refer to the documentation on how to address the out of memory issue: https://docs.ray.io/en/latest/ray-core/scheduling/ray-oom-prevention.html. Consider provisioning more memory on this node or reducing task parallelism by requesting more CPUs per task. Set max_restarts and max_task_retries to enable retry when the task crashes due to OOM. To adjust the kill threshold, set the environment variable `RAY_memory_usage_threshold` when starting Ray. To disable worker killing, set the environment variable `RAY_memory_monitor_refresh_ms` to zero.",
        "",
        "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace.",
    ]
    put(place, "grpo_math.log", out)
    end = killed + 26

    def load(node: int, _g: int, at: float, r: Random) -> Load:
        if at < begin + 70 or at > killed + (1 if node == 0 else 19):
            return OFF
        if at < began:
            return resident(13800)
        if at > killed:
            return spins(35100, r)
        if any(low <= at < high for low, high in spans):
            return Load(r.uniform(88, 100), power=r.uniform(0.66, 0.83), mem=43000, dram=0.6)
        return Load(r.uniform(70, 100), power=r.uniform(0.6, 0.95), mem=35100, dram=0.4)

    back = begin + 71 * 60
    rack = Rack(
        "RTX-6000-Ada",
        hosts,
        1,
        load,
        begin - 180,
        end + 180,
        15,
        211,
        gaps=[(0, back, back + 165)],
        addresses=["10.22.1.14", "10.22.1.18"],
    )
    answer(place, "prom_export.json", rack.series("smi"))
    base = {
        "Start": site.at(begin, STAMP),
        "End": site.at(end, STAMP),
        "Elapsed": elapsed(end - begin),
        "NodeList": "ada-[05,09]",
    }
    bad = {**base, "State": "FAILED", "ExitCode": "1:0"}
    bars(
        place,
        "sacct.csv",
        ["JobID", "JobName", "Partition", "State", "ExitCode", "Start", "End", "Elapsed", "Timelimit", "NodeList"],
        [
            {**bad, "JobID": "15577", "JobName": "grpo-math", "Partition": "ada", "Timelimit": "1-00:00:00"},
            {**bad, "JobID": "15577.batch", "JobName": "batch", "NodeList": "ada-05"},
            {**base, "JobID": "15577.extern", "JobName": "extern", "State": "COMPLETED", "ExitCode": "0:0"},
            {
                **base,
                "JobID": "15577.0",
                "JobName": "ray",
                "State": "CANCELLED",
                "ExitCode": "0:15",
                "NodeList": "ada-05",
            },
            {
                **base,
                "JobID": "15577.1",
                "JobName": "ray",
                "State": "CANCELLED",
                "ExitCode": "0:15",
                "NodeList": "ada-09",
            },
        ],
    )
    for node, host in enumerate(hosts):
        kernel(place, f"{host}/syslog", "rsyslog", site, host, quiet(rng, rack, node, begin))


def t12(place: Path, rng: Random) -> None:
    """B2: a GPU falls off the bus of the sixth node, which ends a run of eight pods; an earlier try failed at once."""
    site = Site()
    earlier = site.epoch("2026-05-12T05:31:02")
    begin = earlier + 261
    fault = begin + 160 * 60 + 12.6
    hosts = [f"ws-gpu-{one:02d}" for one in (1, 2, 3, 5, 6, 8, 9, 10)]
    bad = (5, 1)

    def load(node: int, gpu: int, at: float, r: Random) -> Load | None:
        if (node, gpu) == bad and at > fault:
            return None
        if at < begin + 25 or at > fault + (3 if node == bad[0] else 34):
            return OFF
        if at < begin + 110:
            return resident(1500)
        if at > fault:
            return spins(31800, r)
        return Load(r.uniform(83, 99), power=r.uniform(0.61, 0.8), mem=31800, dram=0.35)

    rack = Rack(
        "RTX-6000-Ada",
        hosts,
        2,
        load,
        earlier - 120,
        begin + 168 * 60,
        15,
        212,
        addresses=[f"192.168.40.{20 + one}" for one in range(8)],
    )
    answer(place, "thanos.json", rack.series("uuid"))
    name = "gnn-traffic-r2"
    put(
        place,
        "kubectl_get_pods.txt",
        [
            "NAME                         READY   STATUS      RESTARTS   AGE     IP              NODE        NOMINATED NODE   READINESS GATES",
            *(
                f"gnn-traffic-r1-worker-{one}      0/1     Error       0          174m    {f'10.42.{one + 3}.{31 + one}':<15} {hosts[one].ljust(11)} <none>           <none>"
                for one in range(8)
            ),
            *(
                f"{name}-worker-{one}      0/1     Error       0          170m    {f'10.42.{one + 3}.{34 + one}':<15} {hosts[one].ljust(11)} <none>           <none>"
                for one in range(8)
            ),
        ],
    )
    states = []
    for one in range(8):
        stop = fault + (4 if one == bad[0] else 36)
        states += [
            f"Name:             {name}-worker-{one}",
            "Namespace:        mobility",
            f"Node:             {hosts[one]}/{rack.addresses[one]}",
            f"Start Time:       {site.at(begin, '%a, %d %b %Y %H:%M:%S +0000')}",
            "Status:           Failed",
            "Containers:",
            "  pytorch:",
            "    State:          Terminated",
            "      Reason:       Error",
            "      Exit Code:    1",
            f"      Started:      {site.at(begin + 6, '%a, %d %b %Y %H:%M:%S +0000')}",
            f"      Finished:     {site.at(stop, '%a, %d %b %Y %H:%M:%S +0000')}",
            "    Ready:          False",
            "    Restart Count:  0",
            "    Limits:",
            "      nvidia.com/gpu:  2",
            "Events:           <none>",
            "",
        ]
    put(place, "kubectl_describe_pods.txt", states)
    put(
        place,
        "nodes.txt",
        [
            "NAME        STATUS   ROLES    AGE    VERSION        INTERNAL-IP     EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION       CONTAINER-RUNTIME",
            *(
                f"{host}   Ready    <none>   212d   v1.29.6+k3s2   {rack.addresses[one]}   <none>        Ubuntu 22.04.4 LTS   5.15.0-122-generic   containerd://1.7.17-k3s1"
                for one, host in enumerate(hosts)
            ),
        ],
    )
    bus = rack.bus[1].lower()
    for node, host in enumerate(hosts):
        put(
            place,
            f"{host}/nvidia-smi-L.txt",
            [f"GPU {gpu}: {CARDS['RTX-6000-Ada'].model} (UUID: {one})" for gpu, one in enumerate(rack.uuids[node])]
            if node != bad[0]
            else [
                f"GPU 0: {CARDS['RTX-6000-Ada'].model} (UUID: {rack.uuids[node][0]})",
                f"Unable to determine the device handle for gpu 0000:{rack.bus[1]}:00.0: Unknown Error",
            ],
        )
        lines = quiet(rng, rack, node, begin)
        if node == bad[0]:
            lines += [
                (fault - 0.21, f"pcieport 0000:c0:01.1: AER: Uncorrected (Fatal) error received: 0000:{bus}:00.0"),
                (fault - 0.2, "pcieport 0000:c0:01.1: pciehp: Slot(3): Link Down"),
                (fault, f"NVRM: GPU at PCI:0000:{bus}:00: {rack.uuids[node][1]}"),
                (fault, "NVRM: GPU Board Serial Number: 1794123010422"),
                (
                    fault,
                    f"NVRM: Xid (PCI:0000:{bus}:00): 79, pid=771204, name=pt_main_thread, GPU has fallen off the bus.",
                ),
                (fault, f"NVRM: GPU 0000:{bus}:00.0: GPU has fallen off the bus."),
                (fault, f"NVRM: GPU 0000:{bus}:00.0: GPU serial number is 1794123010422."),
                (
                    fault + 0.01,
                    f"NVRM: Xid (PCI:0000:{bus}:00): 154, pid=771204, name=pt_main_thread, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
                ),
                (fault + 0.4, "NVRM: A GPU crash dump has been created. If possible, please run"),
                (fault + 0.41, "NVRM: nvidia-bug-report.sh as root to collect this data before"),
                (fault + 0.42, "NVRM: the NVIDIA kernel module is unloaded."),
            ]
        kernel(place, f"{host}/dmesg.txt", "dmesg -T", site, host, lines)


def t13(place: Path, rng: Random) -> None:
    """C2: the third node's file system stalls, its first rank never comes back; five ranks spin to the limit."""
    site = Site(120, "CEST")
    begin = site.epoch("2026-07-07T17:05:20")
    hosts = ["rt-n1", "rt-n2", "rt-n3"]
    end = begin + 55 * 60 + 17
    stuck = begin + 28 * 60 + 51.3
    bad = (2, 0)
    out = [
        f"LAUNCH INFO {site.at(begin + 9, '%Y-%m-%d %H:%M:%S,%L')} -----------  Configuration  ----------------------",
        *(
            f"LAUNCH INFO {site.at(begin + 9, '%Y-%m-%d %H:%M:%S,%L')} {key}: {value}"
            for key, value in (
                ("auto_parallel_config", "None"),
                ("devices", "0,1"),
                ("elastic_level", "-1"),
                ("elastic_timeout", "30"),
                ("host", "None"),
                ("ips", "None"),
                ("job_id", "ernie-ctr"),
                ("log_dir", "log"),
                ("master", "10.8.0.31:36789"),
                ("max_restart", "3"),
                ("nnodes", "3"),
                ("run_mode", "collective"),
                ("training_script", "run_pretrain.py"),
            )
        ),
        f"LAUNCH INFO {site.at(begin + 9, '%Y-%m-%d %H:%M:%S,%L')} --------------------------------------------------",
        f"LAUNCH INFO {site.at(begin + 9, '%Y-%m-%d %H:%M:%S,%L')} Job: ernie-ctr, mode collective, replicas 3[3:3], elastic False",
        f"LAUNCH INFO {site.at(begin + 14, '%Y-%m-%d %H:%M:%S,%L')} Waiting peer start...",
        f"LAUNCH INFO {site.at(begin + 19, '%Y-%m-%d %H:%M:%S,%L')} Run Pod: kzqxvt, replicas 2, status ready",
        f"LAUNCH INFO {site.at(begin + 19, '%Y-%m-%d %H:%M:%S,%L')} Watching Pod: kzqxvt, replicas 2, status running",
    ]

    def say(t: float, text: str, level: str = "    INFO") -> None:
        out.append(f"[{site.at(t, '%Y-%m-%d %H:%M:%S,%L')}] [{level}] - {text}")

    out += [
        f"I{site.at(begin + 27, '%m%d %H:%M:%S')}.518210 41207 tcp_utils.cc:130] Successfully connected to 10.8.0.31:36789",
        f"I{site.at(begin + 28, '%m%d %H:%M:%S')}.002117 41207 process_group_nccl.cc:150] ProcessGroupNCCL pg_timeout_ 1800000",
    ]
    t = begin + 58.0
    say(t, "***** Running training *****")
    say(t, "  Num examples = 9,600,000")
    say(t, "  Num Epochs = 1")
    say(t, "  Instantaneous batch size per device = 8")
    say(t, "  Total train batch size (w. parallel, distributed & accumulation) = 192")
    say(t, "  Gradient Accumulation steps = 4")
    say(t, "  Total optimization steps = 50,000")
    say(t, "  Number of trainable parameters = 1,312,413,696 (per device)")
    began = t
    step = 0
    while True:
        dt = 1.124 * 10 * rng.gauss(1, 0.012)
        if t + dt > stuck:
            break
        t += dt
        step += 10
        loss = falls(rng, step, 10.6, 3.2, 260, 0.012)
        say(
            t,
            f"loss: {loss:.8f}, learning_rate: {1e-4 * min(1, step / 1000):.3e}, global_step: {step}, current_memory_allocated: 28.11, current_memory_reserved: 41.63,"
            f" max_memory_allocated: 39.87, max_memory_reserved: 41.63, interval_runtime: {dt:.4f}, interval_samples_per_second: {1920 / dt:.4f},"
            f" interval_tokens_per_second_per_device: {1920 * 1024 / 6 / dt:.4f}, interval_steps_per_second: {10 / dt:.4f}, progress_or_epoch: {step / 50000:.4f}",
        )
    out += [
        f"slurmstepd: error: *** JOB 20718 ON rt-n1 CANCELLED AT {site.at(end, STAMP)} DUE TO TIME LIMIT ***",
        f"LAUNCH INFO {site.at(end + 0.3, '%Y-%m-%d %H:%M:%S,%L')} Terminating with signal 15",
        "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
        f"slurmstepd: error: *** STEP 20718.0 ON rt-n1 CANCELLED AT {site.at(end, STAMP)} DUE TO TIME LIMIT ***",
    ]
    put(place, "paddle-20718.log", out)

    def load(node: int, gpu: int, at: float, r: Random) -> Load:
        if at < begin + 26 or at > end + 2:
            return OFF
        if at < began:
            return resident(2900)
        if at > stuck and (node, gpu) == bad:
            return resident(42600)
        if at > stuck:
            return Load(100, power=0.24, mem=42600)
        return Load(r.uniform(93, 100), power=r.uniform(0.78, 0.93), mem=42600, dram=0.5)

    def remapped(node: int, gpu: int, _t: float, row: dict[str, float]) -> None:
        if (node, gpu) == (0, 1):
            row["DEV_CORRECTABLE_REMAPPED_ROWS"] = 2

    rack = Rack("RTX-6000-Ada", hosts, 2, load, begin - 60, end + 90, 5, 213, twist=remapped)
    answer(place, "dcgm_query_range.json", rack.series("plain"))
    rows = [
        {
            "JobID": "20718",
            "JobName": "ernie-ctr",
            "Partition": "short",
            "Account": "ads-nlp",
            "AllocCPUS": "96",
            "State": "TIMEOUT",
            "ExitCode": "0:0",
        },
        {
            "JobID": "20718.batch",
            "JobName": "batch",
            "Account": "ads-nlp",
            "AllocCPUS": "32",
            "State": "CANCELLED",
            "ExitCode": "0:15",
        },
        {
            "JobID": "20718.extern",
            "JobName": "extern",
            "Account": "ads-nlp",
            "AllocCPUS": "96",
            "State": "COMPLETED",
            "ExitCode": "0:0",
        },
        {
            "JobID": "20718.0",
            "JobName": "paddle",
            "Account": "ads-nlp",
            "AllocCPUS": "96",
            "State": "CANCELLED",
            "ExitCode": "0:15",
        },
    ]
    columns(place, "sacct.txt", NARROW, rows)
    hung: list[tuple[float, str]] = []
    low = stuck - 1.4
    hung += [
        (
            low - 6.1,
            f"Lustre: 3188:0:(client.c:2305:ptlrpc_expire_one_request()) @@@ Request sent has timed out for slow reply: [sent {int(low - 13)}/real {int(low - 13)}]  req@ffff9a1f3c0e8d80 x1811190347921408/t0(0) o3->scratch-OST0014-osc-ffff9a2011c4e000@10.8.0.114@tcp:6/4 lens 488/440 e 0 to 1 dl {int(low - 6)} ref 2 fl Rpc:XQr/0/ffffffff rc 0/-1 job:''",
        ),
        (
            low - 6.0,
            "Lustre: scratch-OST0014-osc-ffff9a2011c4e000: Connection to scratch-OST0014 (at 10.8.0.114@tcp) was lost; in progress operations using this service will wait for recovery to complete",
        ),
    ]
    for number in range(10):
        at = low + 121 + number * 122.9
        hung += [
            (at, f"INFO: task python:41877 blocked for more than {120 + number * 121} seconds."),
            (at, "      Tainted: P           OE     5.15.0-122-generic #132-Ubuntu"),
            (at, '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.'),
            (at, "task:python          state:D stack:    0 pid:41877 ppid: 41790 flags:0x00004000"),
            (at, "Call Trace:"),
            (at, " <TASK>"),
            (at, " __schedule+0x24e/0x590"),
            (at, " schedule+0x69/0x110"),
            (at, " io_schedule+0x46/0x80"),
            (at, " folio_wait_bit_common+0x14c/0x3a0"),
            (at, " filemap_get_pages+0x3dc/0x440"),
            (at, " generic_file_read_iter+0xe5/0x150"),
            (at, " vvp_io_read_start+0x3b5/0x5f0 [lustre]"),
            (at, " </TASK>"),
        ]
    for node, host in enumerate(hosts):
        more: list[tuple[float, str]] = hung if node == bad[0] else []
        if node == 0:
            more = [
                (
                    begin - 3.9 * 86400,
                    f"NVRM: Xid (PCI:0000:{rack.bus[1].lower()}:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000000a31bc4) marked for remapping, reset gpu to activate.",
                )
            ]
        kernel(place, f"dmesg/{host}.log", "iso", site, host, [*quiet(rng, rack, node, begin), *more])


def t14(place: Path, rng: Random) -> None:
    """B2: an uncorrectable memory error of GPU 2 ends the job; the counter moves, the kernel says so; no log is left."""
    site = Site(600, "AEST")
    begin = site.epoch("2026-06-03T13:40:55")
    fault = begin + 23 * 60 + 17.3
    end = fault + 31
    host = "nvl-a02"
    bad = 2

    def load(_n: int, gpu: int, at: float, r: Random) -> Load:
        if at < begin + 20 or at > fault + (2 if gpu == bad else 22):
            return OFF
        if at < begin + 74:
            return resident(11800)
        if at > fault:
            return spins(61400, r)
        return clocked(r, 61400, 0.87)

    def counts(_n: int, gpu: int, t: float, row: dict[str, float]) -> None:
        if gpu == bad and t > fault:
            row["DEV_ECC_DBE_VOL_TOTAL"] = 1

    rack = Rack("H100-NVL", [host], 4, load, begin - 60, end + 150, 15, 214, twist=counts)
    head = "timestamp, index, uuid, name, pci.bus_id, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu, clocks.current.sm [MHz], ecc.errors.uncorrected.volatile.total, clocks_event_reasons.active"
    out = [head]
    found = [rack.samples(0, gpu) for gpu in range(4)]
    gap = (begin + 11 * 60, begin + 13 * 60 + 20)
    again = False
    for rows in zip(*found, strict=True):
        when = rows[0][0]
        if gap[0] <= when < gap[1]:
            continue
        if when >= gap[1] and not again:
            again = True
            out.append(head)
        for gpu, (t, row) in enumerate(rows):
            out.append(
                f"{site.at(t + 0.412 + gpu * 0.004, '%Y/%m/%d %H:%M:%S.%L')}, {gpu}, {rack.uuids[0][gpu]}, NVIDIA H100 NVL, 00000000:{rack.bus[gpu]}:00.0,"
                f" {int(row['DEV_GPU_UTIL'])} %, {int(row['DEV_FB_USED'])} MiB, {row['DEV_POWER_USAGE']:.2f} W, {int(row['DEV_GPU_TEMP'])}, {int(row['DEV_SM_CLOCK'])} MHz,"
                f" {int(row['DEV_ECC_DBE_VOL_TOTAL'])}, 0x{int(row['DEV_CLOCKS_EVENT_REASONS']):016x}"
            )
    put(place, "nvsmi_nvl-a02.csv", out)
    base = {
        "Start": site.at(begin, STAMP),
        "End": site.at(end, STAMP),
        "Elapsed": elapsed(end - begin),
        "NodeList": host,
    }
    base |= {"State": "FAILED", "ExitCode": "1:0"}
    bars(
        place,
        "sacct.txt",
        ["JobID", "JobName", "Partition", "State", "ExitCode", "Start", "End", "Elapsed", "NodeList"],
        [
            {**base, "JobID": "310226", "JobName": "sdxl-ft", "Partition": "nvl"},
            {**base, "JobID": "310226.batch", "JobName": "batch"},
        ],
    )
    bus = rack.bus[bad].lower()
    lines = [
        *quiet(rng, rack, 0, begin),
        (
            fault,
            f"NVRM: Xid (PCI:0000:{bus}:00): 48, pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physical address 0x91f3ab8c40 partition 6, subpartition 1.",
        ),
        (
            fault + 0.002,
            f"NVRM: Xid (PCI:0000:{bus}:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000001c3e80f) marked for remapping, reset gpu to activate.",
        ),
        (
            fault + 0.004,
            f"NVRM: Xid (PCI:0000:{bus}:00): 94, pid=118204, name=python, Contained: SM (0x1). RST: No, D-RST: No",
        ),
        (
            fault + 0.06,
            f"NVRM: Xid (PCI:0000:{bus}:00): 154, GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)",
        ),
    ]
    kernel(place, "syslog_nvl-a02.log", "rsyslog", site, host, lines)
