"""Curves c07 to c12 of the thirty-fifth set. SIMULATED: nothing here was taken from a real job."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from samples.redteam.thirtyfifth.ticking import Ticking, falling, rate

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c07_perovskite_dp(place: Path, rng: Random) -> None:
    """DeePMD-kit with its lcurve.out: errors leap up and come back, and the lines end in mid run."""
    clock, out, total, every = Ticking(rng, "2025-10-06T17:31:50"), [], 1_000_000, 2000
    table = [
        "#  step      rmse_val    rmse_trn    rmse_e_val  rmse_e_trn    rmse_f_val  rmse_f_trn         lr",
        "# If there is no available reference data, rmse_*_{val,trn} will print nan",
    ]
    leaps = {46000: 4.2, 48000: 1.8, 122000: 6.5, 124000: 2.6, 126000: 1.3, 178000: 3.1}

    def say(text: str) -> None:
        out.append(f"[{clock.say('%Y-%m-%d %H:%M:%S,%3')}] DEEPMD INFO    {text}")

    say("DeePMD version: 3.0.2")
    say("Configuration path: input.json")
    for line in (
        r" _____               _____   __  __  _____           _     _  _   ",
        r"|  __ \             |  __ \ |  \/  ||  __ \         | |   (_)| |  ",
        r"| |  | |  ___   ___ | |__) || \  / || |  | | ______ | | __ _ | |_ ",
        r"| |  | | / _ \ / _ \|  ___/ | |\/| || |  | ||______|| |/ /| || __|",
        r"| |__| ||  __/|  __/| |     | |  | || |__| |        |   < | || |_ ",
        r"|_____/  \___| \___||_|     |_|  |_||_____/         |_|\_\|_| \__|",
        "Please read and cite:",
        "Wang, Zhang, Han and E, Comput.Phys.Comm. 228, 178-184 (2018)",
        "Zeng et al, J. Chem. Phys., 159, 054801 (2023)",
        "See https://deepmd.rtfd.io/credits/ for details.",
        "-" * 99,
        "installed to:          /home/qzhang/.conda/envs/dp302/lib/python3.11/site-packages/deepmd",
        "source:                v3.0.2",
        "running on:            gn061",
        "computing device:      cuda:0",
        "CUDA_VISIBLE_DEVICES:  2",
        "Count of visible GPUs: 1",
        "num_intra_threads:     0",
        "num_inter_threads:     0",
        "-" * 99,
        "Calculate neighbor statistics... (add --skip-neighbor-stat to skip this step)",
    ):
        say(line)
    clock.on(21)
    say("training data with min nbor dist: 1.6823174")
    say("training data with max nbor size: [18 22 61]")
    say("---Summary of DataSystem: training     -----------------------------------------------")
    say("found 14 system(s):")
    say("                                        system  natoms  bch_sz   n_bch       prob  pbc")
    for number in range(14):
        say(
            f"                 ../data/CsPbI3_{number:02d}/{300 + 50 * (number % 7)}K     160       1    "
            f"{rng.randrange(380, 620):>4}  {1 / 14:.3e}    T"
        )
    say("-" * 86)
    say(f"Start to train {total} steps.")
    begun = clock.now
    for step in (1, *range(every, 230_001, every)):
        took = clock.on(every * 0.0412 if step > 1 else 3.7, 0.01)
        lr = 1e-3 * 0.9441 ** (step // 5000)
        leap = leaps.get(step, 1.0)
        found = []
        for wider in (1.0, 1.06):
            energy = (0.0011 + 0.021 * exp(-step / 26000)) * rng.lognormvariate(0, 0.22) * leap * wider
            force = (0.046 + 0.31 * exp(-step / 31000)) * rng.lognormvariate(0, 0.07) * leap**0.7 * wider
            found.append(((1000 * lr / 1e-3 + 1) ** 0.5 * force, energy, force))
        trn, val = found
        for name, (whole, energy, force) in (("trn", trn), ("val", val)):
            say(
                f"Batch {step:>7}: {name}: rmse = {whole:.2e}, rmse_e = {energy:.2e}, rmse_f = {force:.2e}"
                + (f", lr = {lr:.2e}" if name == "trn" else "")
            )
        left = int((total - step) * took / (every if step > 1 else 1))
        say(
            f"Batch {step:>7}: total wall time = {took:.2f} s, "
            f"eta = {left // 3600}:{left // 60 % 60:02d}:{left % 60:02d}"
        )
        table.append(
            f"{step:>7}      {val[0]:.2e}    {trn[0]:.2e}      {val[1]:.2e}    {trn[1]:.2e}      "
            f"{val[2]:.2e}    {trn[2]:.2e}    {lr:.1e}"
        )
        if step % 20000 == 0:
            clock.on(0.4)
            say(f"Saved model to model.ckpt-{step}.pt")
    assert clock.now > begun
    (place / "train.log").write_text("\n".join(out) + "\n")
    (place / "lcurve.out").write_text("\n".join(table) + "\n")


def c08_rank_lines(place: Path, rng: Random) -> None:
    """FSDP by hand, a line of every rank: a shard reads at the second try, later one rank is gone."""
    clock, out, err = Ticking(rng, "2025-12-02T09:44:18"), [], []
    pids = (20411, 20412, 20413, 20414)
    base = "W1202 {} 20344 torch/distributed/"
    out += [
        "== zh-en-mt 3.4B | git 5e1c7a0 (dirty) | train_fsdp.py --steps 4000 --log-every 100 --bsz 4 --accum 8 ==",
        f"== {clock.say()} host wolke7, 4x NVIDIA L40S, free -g: total 251 used 44 ==",
    ]
    err += [
        base.format(clock.say("%H:%M:%S.%f")) + "run.py:793] ",
        base.format(clock.say("%H:%M:%S.%f")) + "run.py:793] *****************************************",
        base.format(clock.say("%H:%M:%S.%f")) + "run.py:793] Setting OMP_NUM_THREADS environment variable for each "
        "process to be 1 in default, to avoid your system being overloaded, please further tune the variable for "
        "optimal performance in your application as needed. ",
        base.format(clock.say("%H:%M:%S.%f")) + "run.py:793] *****************************************",
    ]
    clock.on(38)
    for rank in rng.sample(range(4), 4):
        out.append(
            f"{clock.say('%H:%M:%S')} r{rank} wrapped 32 blocks, FULL_SHARD, local params 0.85B, pid {pids[rank]}"
        )
    for step in range(100, 1401, 100):
        took = clock.on(100 * 4.9, 0.01)
        lr = rate(step, 3e-4, 400, 4000)
        norm = rng.gauss(0.7, 0.06) + 3 * exp(-step / 120)
        if step == 600:
            err.append(
                f"{clock.say()} r1 ERROR reading /mnt/beegfs/mt/shards/train-00412.bin: [Errno 5] Input/output error "
                "(try 1 of 4)",
            )
            took += clock.on(15)
            err.append(f"{clock.say()} r1 train-00412.bin read at try 2, going on")
        for rank in rng.sample(range(4), 4):
            clock.on(0.02)
            loss = falling(rng, step, 9.8, 2.71, 330, 0.012)
            out.append(
                f"{clock.say('%H:%M:%S')} r{rank} step {step}/4000 loss {loss:.4f} gnorm {norm:.3f} lr {lr:.2e} "
                f"{4 * 8 * 1024 * 100 / took:.0f} tok/s peak {39.4 + 0.1 * rank:.1f}G",
            )
        if step % 500 == 0:
            took = clock.on(27)
            out.append(f"{clock.say('%H:%M:%S')} r0 sharded state -> ckpt/step{step:05d} ({took:.0f} s)")
    clock.on(212)
    agent = "elastic/multiprocessing/api.py:"
    for rank in (0, 1, 3):
        err.append(
            base.format(clock.say("%H:%M:%S.%f")) + f"{agent}897] Sending process {pids[rank]} closing signal SIGTERM"
        )
        clock.on(0.001)
    clock.on(3.1)
    err += [
        f"E1202 {clock.say('%H:%M:%S.%f')} 20344 torch/distributed/{agent}869] failed (exitcode: -9) local_rank: 2 "
        f"(pid: {pids[2]}) of binary: /opt/mt/venv/bin/python",
        "Traceback (most recent call last):",
        '  File "/opt/mt/venv/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        '  File "/opt/mt/venv/lib/python3.12/site-packages/torch/distributed/elastic/multiprocessing/errors/'
        '__init__.py"'
        ", line 355, in wrapper",
        "    return f(*args, **kwargs)",
        "           ^^^^^^^^^^^^^^^^^^",
        '  File "/opt/mt/venv/lib/python3.12/site-packages/torch/distributed/run.py", line 919, in main',
        "    run(args)",
        '  File "/opt/mt/venv/lib/python3.12/site-packages/torch/distributed/run.py", line 910, in run',
        "    elastic_launch(",
        '  File "/opt/mt/venv/lib/python3.12/site-packages/torch/distributed/launcher/api.py", line 138, in __call__',
        "    return launch_agent(self._config, self._entrypoint, list(args))",
        "           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        '  File "/opt/mt/venv/lib/python3.12/site-packages/torch/distributed/launcher/api.py", line 269, in '
        "launch_agent",
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=====================================================",
        "train_fsdp.py FAILED",
        "-----------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "-----------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock.say('%Y-%m-%d_%H:%M:%S')}",
        "  host      : wolke7",
        "  rank      : 2 (local_rank: 2)",
        "  exitcode  : -9 (pid: 20413)",
        "  error_file: <N/A>",
        "  traceback : Signal 9 (SIGKILL) received by PID 20413",
        "=====================================================",
    ]
    (place / "mt34.log").write_text("\n".join(out) + "\n")
    (place / "mt34.err").write_text("\n".join(err) + "\n")


def c09_gpt2_two_racks(place: Path, rng: Random) -> None:
    """llm.c over mpirun on two nodes: the second never reaches the first, a watcher nags all the while."""
    clock, out = Ticking(rng, "2025-11-23T22:18:36"), []

    def say(rank: int, text: str, stream: str = "stdout") -> None:
        out.append(f"{clock.say('%a %b %d %H:%M:%S %Y')}[1,{rank}]<{stream}>:{text}")

    def nccl(rank: int, text: str) -> None:
        host = "r2n14" if rank < 8 else "r5n03"
        say(
            rank,
            f"{host}:{(771204 if rank < 8 else 33870) + rank}:{(771204 if rank < 8 else 33870) + rank} "
            f"[{rank % 8}] {text}",
        )

    def nag() -> None:
        for host in rng.sample(("r2n14", "r5n03"), 2):
            say(
                0 if host == "r2n14" else 8,
                f"nvwatch[{host}]: WARNING: persistence mode is OFF on 8 of 8 GPUs, "
                "clocks may be reset when idle. See wiki/GPU/persistence !!",
                "stderr",
            )

    for rank in rng.sample(range(4, 16), 12):
        nccl(rank, f"NCCL INFO cudaDriverVersion {12040}")
        nccl(rank, "NCCL INFO NCCL_SOCKET_IFNAME set by environment to eno1")
        nccl(rank, f"NCCL INFO Bootstrap : Using eno1:10.31.{2 if rank < 8 else 5}.{14 if rank < 8 else 3}<0>")
        clock.on(0.05)
    rooms = list(range(8, 16))
    for again in range(1, 10):
        for _ in range(2):
            clock.on(61)
            nag()
        clock.on(9)
        for rank in rng.sample(rooms, 8):
            nccl(rank, f"NCCL INFO Call to connect returned Connection timed out, retrying ({again}/10)")
            clock.on(0.03)
    clock.on(61)
    nag()
    clock.on(66)
    for rank in rng.sample(rooms, 8):
        nccl(
            rank,
            "misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.31.2.14<47719> failed : "
            "Connection timed out",
        )
        nccl(rank, "NCCL INFO misc/socket.cc:567 -> 2")
        nccl(rank, "NCCL INFO misc/socket.cc:621 -> 2")
        nccl(rank, "NCCL INFO bootstrap.cc:285 -> 2")
        nccl(rank, "NCCL INFO init.cc:1534 -> 2")
        nccl(rank, "NCCL INFO group.cc:64 -> 2 [Async thread]")
        say(rank, "[NCCL ERROR] at file llmc/zero.cuh:534:")
        say(rank, "unhandled system error (run with NCCL_DEBUG=INFO for details)")
        clock.on(0.02)
    clock.on(1)
    out += [
        "--------------------------------------------------------------------------",
        "Primary job  terminated normally, but 1 process returned",
        "a non-zero exit code. Per user-direction, the job has been aborted.",
        "--------------------------------------------------------------------------",
        "--------------------------------------------------------------------------",
        "mpirun detected that one or more processes exited with non-zero status, thus causing",
        "the job to be terminated. The first process to do so was:",
        "",
        "  Process name: [[29341,1],11]",
        "  Exit code:    1",
        "--------------------------------------------------------------------------",
    ]
    (place / "gpt2_1558M_16x.log").write_text("\n".join(out) + "\n")


def c10_vitg_streets(place: Path, rng: Random) -> None:
    """A fork of open_clip on a stream of street views: large batches, minutes apart, and a good end."""
    clock, out, seen = Ticking(rng, "2025-05-28T16:02:09"), [], 0

    def say(text: str) -> None:
        out.append(f"{clock.say('%Y-%m-%d,%H:%M:%S')} | INFO | {text}")

    say("Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 32.")
    clock.on(18)
    say("Loaded ViT-bigG-14 model config.")
    clock.on(104)
    say("Loading pretrained ViT-bigG-14 weights (laion2b_s39b_b160k).")
    say("Locking text tower, 32 layers; visual tower trains with grad checkpointing")
    clock.on(64)
    say("streetstream: sampler endless, shards are taken as the collectors deliver them (s3 queue sv-eu-03)")
    at = 0
    for epoch in range(6):
        say(f"Start epoch {epoch}")
        for _ in range(7):
            at += 1
            seen += 40 * 8192
            took = clock.on(40 * 31.6, 0.02) / 40
            wait = abs(rng.gauss(0.35, 0.12))
            loss = falling(rng, at, 3.1, 0.86, 7, 0.02)
            mean = loss * rng.gauss(1.02, 0.005)
            say(
                f"Train Epoch: {epoch} [{seen:>9} samples] Data (t): {wait:.3f} Batch (t): {took:.3f}, "
                f"{8192 / took:.6g}/s, {256 / took:.6g}/s/gpu LR: {rate(at, 2e-5, 4, 60):.6f} "
                f"Logit Scale: {100 - 4 * exp(-at / 5) + rng.gauss(0, 0.03):.3f} "
                f"Contrastive_loss: {loss:.5g} ({mean:.5g}) "
                f"Loss: {loss:.5g} ({mean:.5g})"
            )
        say("Starting zero-shot streets400.")
        say("Building zero-shot classifier")
        clock.on(47)
        say("Using classifier")
        clock.on(310)
        say("Finished zero-shot streets400.")
        top = 0.684 - 0.31 * exp(-(epoch + 1) / 1.9) + rng.gauss(0, 0.004)
        say(
            f"Eval Epoch: {epoch + 1} streets400-zeroshot-val-top1: {top:.4f}\t"
            f"streets400-zeroshot-val-top5: {min(0.97, top + 0.22):.4f}"
        )
        clock.on(75)
    say("Final remote sync.")
    clock.on(212)
    say("Successfully synced with bucket")
    say("Final remote sync successful.")
    out.append(f"[runjob] {clock.say('%d.%m.%Y %H:%M')} python -m open_clip_train.main: exit 0")
    (place / "out.log").write_text("\n".join(out) + "\n")


def c11_sabia_full(place: Path, rng: Random) -> None:
    """Torchtune over srun, no stamps: a reduce-scatter waits for one rank until the watchdog ends it."""
    info, out = "INFO:torchtune.utils.logging:", []
    out += [
        f"{info}Running FullFinetuneRecipeDistributed with resolved config:",
        "",
        "batch_size: 2",
        "checkpointer:",
        "  _component_: torchtune.utils.FullModelHFCheckpointer",
        "  checkpoint_dir: /prj/llm/mistral-7b",
        "  output_dir: /scratch/llm/sabia-ft/out",
        "  model_type: MISTRAL",
        "dataset:",
        "  _component_: torchtune.datasets.instruct_dataset",
        "  source: /prj/llm/instrucoes-pt",
        "  template: AlpacaInstructTemplate",
        "device: cuda",
        "dtype: bf16",
        "enable_activation_checkpointing: true",
        "epochs: 3",
        "gradient_accumulation_steps: 4",
        "log_every_n_steps: 5",
        "loss:",
        "  _component_: torch.nn.CrossEntropyLoss",
        "max_steps_per_epoch: 2400",
        "metric_logger:",
        "  _component_: torchtune.utils.metric_logging.StdoutLogger",
        "model:",
        "  _component_: torchtune.models.mistral.mistral_7b",
        "optimizer:",
        "  _component_: torch.optim.AdamW",
        "  lr: 5.0e-06",
        "output_dir: /scratch/llm/sabia-ft/out",
        "resume_from_checkpoint: false",
        "seed: 11",
        "",
        f"{info}FSDP is enabled. Instantiating Model on CPU for Rank 0 ...",
        f"{info}Model instantiation took 9.41 secs",
        f"{info}Memory Stats after model init:",
        "\tGPU peak memory allocation: 4.13 GB",
        "\tGPU peak memory reserved: 4.25 GB",
        "\tGPU peak memory active: 4.13 GB",
        f"{info}Optimizer is initialized.",
        f"{info}Loss is initialized.",
        f"{info}Dataset and Sampler are initialized.",
    ]
    for step in range(5, 1086, 5):
        loss = falling(rng, step, 1.71, 0.93, 160, 0.05)
        out.append(
            f"Step {step} | loss:{loss:.16f} lr:5e-06 tokens_per_second_per_gpu:{rng.gauss(2210, 55):.14f} "
            f"peak_memory_active:{38.214 + 0.001 * (step > 40):.14f} "
        )
    seq = 1087 * 132 + 61
    late = [rank for rank in rng.sample(range(8), 8) if rank != 5]
    where = f"WorkNCCL(SeqNum={seq}, OpType=_REDUCE_SCATTER_BASE, NumelIn=218112000, NumelOut=27264000, "
    for rank in late:
        out.append(
            f"[rank{rank}]:[E ProcessGroupNCCL.cpp:563] [Rank {rank}] Watchdog caught collective operation "
            f"timeout: {where}Timeout(ms)=600000) ran for {600000 + rng.randrange(5, 980)} milliseconds before "
            "timing out."
        )
    for rank in late[:3]:
        out += [
            f"[rank{rank}]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank {rank}] Timeout at NCCL work: {seq}, last enqueued "
            f"NCCL work: {seq + 2}, last completed NCCL work: {seq - 1}.",
            f"[rank{rank}]:[E ProcessGroupNCCL.cpp:577] [Rank {rank}] Some NCCL operations have failed or timed out. "
            "Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on "
            "corrupted/incomplete data.",
            f"[rank{rank}]:[E ProcessGroupNCCL.cpp:583] [Rank {rank}] To avoid data inconsistency, we are taking the "
            "entire process down.",
            f"[rank{rank}]:[E ProcessGroupNCCL.cpp:1414] [PG 0 Rank {rank}] Process group watchdog thread terminated "
            f"with exception: [Rank {rank}] Watchdog caught collective operation timeout: {where}Timeout(ms)=600000) "
            f"ran for {600000 + rng.randrange(5, 980)} milliseconds before timing out.",
            "Exception raised from checkTimeout at ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:565 (most "
            "recent call first):",
            "frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x57 (0x7f2c1b17a897 in /prj/llm/venv/lib/"
            "python3.11/site-packages/torch/lib/libc10.so)",
            "frame #1: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long, "
            "std::ratio<1l, 1000l> > >) + 0x1d2 (0x7f2bd0a5d1b2 in /prj/llm/venv/lib/python3.11/site-packages/torch/"
            "lib/libtorch_cuda.so)",
            "",
            "terminate called after throwing an instance of 'c10::DistBackendError'",
        ]
    out += [
        f"srun: error: gpu-sdumont12: tasks {','.join(str(rank) for rank in sorted(late[:3]))}: Aborted (core dumped)",
        "srun: Terminating StepId=10988214.0",
        f"srun: error: gpu-sdumont12: tasks {','.join(str(rank) for rank in sorted([5, *late[3:]]))}: Killed",
    ]
    (place / "slurm-10988214.out").write_text("\n".join(out) + "\n")


def c12_ferro_spot(place: Path, rng: Random) -> None:
    """A Rust loop over burn on a spot machine: the cloud wants it back, the state is saved."""
    clock, out = Ticking(rng, "2025-06-17T05:12:44"), []

    def say(level: str, place_: str, text: str) -> None:
        out.append(f"{clock.iso(6)} {level:>5} {place_}: {text}")

    say("INFO", "ferro_det", "ferro-det 0.4.2 backend=burn-cuda(Autodiff<Cuda<bf16>>) burn=0.18.0 device=CudaDevice(0)")
    say("INFO", "ferro_det::data", "indexed 211_408 frames in 38 archives, holdout 6_120")
    clock.on(12)
    say("INFO", "ferro_det::model", "YoloxS { params: 8_938_456 }")
    say("WARN", "cubecl_runtime::tune", "autotune cache not found, kernels will be tuned during the first iterations")
    clock.on(140)
    at = 0
    for epoch in range(1, 11):
        for _ in range(4):
            at += 1
            if epoch == 10 and at == 40:
                break
            took = clock.on(812, 0.02)
            loss = falling(rng, at, 14.2, 3.4, 8, 0.02)
            say(
                "INFO",
                "ferro_det::train",
                f"epoch={epoch} iter={at * 1650} loss={loss:.4f} (iou={loss * 0.58:.4f} "
                f"obj={loss * 0.27:.4f} cls={loss * 0.15:.4f}) lr={rate(at, 4e-4, 4, 120):.3e} "
                f"img/s={1650 * 32 / took:.1f}",
            )
        if epoch < 10:
            clock.on(71)
            found = 0.61 - 0.55 * exp(-epoch / 3) + rng.gauss(0, 0.005)
            say("INFO", "ferro_det::eval", f"epoch={epoch} mAP50={found:.4f}")
            say("INFO", "ferro_det::ckpt", f"wrote /mnt/pd/runs/ferro-17/epoch-{epoch:03}.mpk")
    clock.on(390)
    say(
        "WARN", "ferro_det::cloud", "metadata instance/preempted flipped to TRUE, ACPI G2 soft off expected within 30 s"
    )
    clock.on(1.6)
    say("INFO", "ferro_det::train", f"leaving the loop at iter={39 * 1650 + 791}")
    clock.on(4.8)
    say("INFO", "ferro_det::ckpt", f"wrote /mnt/pd/runs/ferro-17/last-{39 * 1650 + 791}.mpk (model, optimizer, rng)")
    clock.on(0.3)
    say("INFO", "ferro_det", "bye, instance group will bring another spot VM when there is capacity in europe-west4-a")
    (place / "ferro-17.log").write_text("\n".join(out) + "\n")
