"""Cases c01 to c06 of the curves: logs written by generators. SIMULATED."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_electricity_load(place: Path, rng: Random) -> None:
    """A PatchTST of neuralforecast on eight GPUs, with a callback that prints the parts of a step of every rank."""
    dashes = "-" * 100
    out = [
        "Seed set to 20",
        "GPU available: True (cuda), used: True",
        "TPU available: False, using: 0 TPU cores",
        "HPU available: False, using: 0 HPUs",
    ]
    out += [f"[rank: {r}] Seed set to 20" for r in (3, 1, 6, 2, 7, 5, 4)]
    out += [f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/8" for r in (0, 3, 1, 6, 2, 7, 5, 4)]
    out += [
        dashes,
        "distributed_backend=nccl",
        "All distributed processes registered. Starting with 8 processes",
        dashes,
        "",
    ]
    out += [f"LOCAL_RANK: {r} - CUDA_VISIBLE_DEVICES: [0,1,2,3,4,5,6,7]" for r in (0, 1, 3, 2, 6, 7, 4, 5)]
    out += [
        "",
        "  | Name         | Type              | Params | Mode ",
        "-----------------------------------------------------------",
        "0 | loss         | HuberLoss         | 0      | train",
        "1 | padder_train | ConstantPad1d     | 0      | train",
        "2 | scaler       | TemporalNorm      | 0      | train",
        "3 | model        | PatchTST_backbone | 41.9 M | train",
        "-----------------------------------------------------------",
        "41.9 M    Trainable params",
        "3         Non-trainable params",
        "41.9 M    Total params",
        "167.612   Total estimated model params size (MB)",
        "311       Modules in train mode",
        "0         Modules in eval mode",
        "StepParts: max_steps=12000 val_check_steps=500 print every 25 steps (mean over the 25), times in ms",
    ]
    drift = 0.0
    for step in range(25, 5676, 25):
        slow = step > 1040
        if slow:
            drift = min(1.0, drift + 0.34)
        own = []
        for r in range(8):
            base = 168.4 + 0.6 * r % 2 + rng.gauss(0, 1.9)
            if r == 6:
                base += drift * 219 + (rng.gauss(0, 8.5) if slow else 0)
            own.append(base)
        loads = [2.1 + abs(rng.gauss(0, 0.5)) for _ in range(8)]
        longest = max(a + b for a, b in zip(own, loads, strict=True))
        loss = falls(rng, step, 0.412, 0.1385, 900, 0.016)
        lr = 3e-4 * (0.5 ** (step // 4000))
        out.append(f"step {step:>6d}  train_loss_step={loss:.4f}  lr={lr:.2e}  step {longest + 7.3 + rng.random():.1f}")
        for r in range(8):
            wait = longest - own[r] - loads[r] + 2.2 + abs(rng.gauss(0, 0.6))
            out.append(
                f"    r{r} dgx-fc11 cuda:{r}  load {loads[r]:5.1f}  fwd+bwd {own[r]:6.1f}  in all_reduce {wait:6.1f}  opt {4.7 + rng.gauss(0, 0.12):4.1f}"
            )
        if step % 500 == 0:
            value = falls(rng, step, 0.431, 0.1512, 1000, 0.006)
            out.append(f"validation at step {step}: valid_loss={value:.4f} ptl/val_loss={value:.4f}")
    put(place, "nf_ecl_720.log", out)


def _ray(who: str, pid: int, text: str, ip: str = "") -> str:
    where = f", ip={ip}" if ip else ""
    return f"({who} pid={pid}{where}) {text}"


def c02_math_rl_8b(place: Path, rng: Random) -> None:
    """An OpenRLHF run whose rewards come from a service of another team."""
    t = 2 * 86400 + 9 * 3600 + 14 * 60 + 8.0
    ask = "2026-11-04 09:14"
    out = [
        f"{ask}:08,412\tINFO cli.py:39 -- \x1b[37mJob submission server address\x1b[39m: \x1b[1mhttp://127.0.0.1:8265\x1b[22m".replace(
            "\x1b[37m", ""
        )
        .replace("\x1b[39m", "")
        .replace("\x1b[1m", "")
        .replace("\x1b[22m", ""),
        f"{ask}:09,031\tINFO dashboard_sdk.py:338 -- Uploading package gcs://_ray_pkg_5b0c41d2a8f7e390.zip.",
        f"{ask}:09,033\tINFO packaging.py:588 -- Creating a file package for local module '/home/qzhao/rl/OpenRLHF'.",
        f"{ask}:11,870\tSUCC cli.py:63 -- -------------------------------------------------------",
        f"{ask}:11,870\tSUCC cli.py:64 -- Job 'raysubmit_xR7hVbqK3mYtZ2aN' submitted successfully",
        f"{ask}:11,870\tSUCC cli.py:65 -- -------------------------------------------------------",
        f"{ask}:11,871\tINFO cli.py:289 -- Next steps",
        f"{ask}:11,871\tINFO cli.py:290 -- Query the logs of the job:",
        f"{ask}:11,871\tINFO cli.py:292 -- ray job logs raysubmit_xR7hVbqK3mYtZ2aN",
        f"{ask}:11,876\tINFO cli.py:39 -- Tailing logs until the job exits (disable with --no-wait):",
        "[2026-11-04 09:14:36,204] [INFO] [real_accelerator.py:254:get_accelerator] Setting ds_accelerator to cuda (auto detect)",
        "2026-11-04 09:14:41,118\tINFO worker.py:1694 -- Using address 10.21.7.14:6379 set in the environment variable RAY_ADDRESS",
        "2026-11-04 09:14:41,121\tINFO worker.py:1834 -- Connecting to existing Ray cluster at address: 10.21.7.14:6379...",
        "2026-11-04 09:14:41,133\tINFO worker.py:2020 -- Connected to Ray cluster.",
    ]
    actors = [20711 + 3 * i for i in range(8)]
    engines = [22604, 22605, 22608, 22611]
    trainer, rm = 19955, 20533
    for p in engines:
        out.append(
            _ray(
                "LLMRayActor",
                p,
                "INFO 11-04 09:15:22 [config.py:717] This model supports multiple tasks: {'generate', 'reward', 'embed', 'classify', 'score'}. Defaulting to 'generate'.",
            )
        )
        out.append(
            _ray(
                "LLMRayActor",
                p,
                f"INFO 11-04 09:15:{30 + rng.randrange(9)} [loader.py:458] Loading weights took {3 + rng.random():.2f} seconds",
            )
        )
        out.append(
            _ray(
                "LLMRayActor",
                p,
                f"INFO 11-04 09:16:{10 + rng.randrange(20)} [kv_cache_utils.py:637] GPU KV cache size: 513,{rng.randrange(100, 999)} tokens",
            )
        )
    for p in actors[:2]:
        out.append(
            _ray(
                "PolicyModelActor",
                p,
                "[2026-11-04 09:16:44,871] [INFO] [config.py:735:__init__] Config mesh_device None world_size = 8",
            )
        )
        out.append(
            _ray("PolicyModelActor", p, "Loading checkpoint shards: 100%|██████████| 4/4 [00:06<00:00,  1.53s/it]")
        )
    out += [
        _ray(
            "PolicyModelActor",
            actors[0],
            "[2026-11-04 09:17:21,406] [INFO] [logging.py:107:log_dist] [Rank 0] DeepSpeed Final Optimizer = DeepSpeedZeroOptimizer_Stage3",
        ),
        _ray(
            "PolicyModelActor",
            actors[0],
            "[2026-11-04 09:17:21,409] [INFO] [logging.py:107:log_dist] [Rank 0] DeepSpeed LR Scheduler = <torch.optim.lr_scheduler.LambdaLR object at 0x7f20c87b1de0>",
        ),
        _ray(
            "PolicyModelActor",
            actors[0],
            "init_process_group: master_address=10.21.7.14, master_port=43887,  rank=0, world_size=5, group_name=openrlhf",
        ),
        _ray(
            "LLMRayActor",
            engines[0],
            "init_process_group: master_address=10.21.7.14, master_port=43887,  rank=1, world_size=5, group_name=openrlhf [repeated 4x across cluster] (Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to disable log deduplication, or see https://docs.ray.io/en/master/ray-observability/user-guides/configure-logging.html#log-deduplication for more options.)",
        ),
    ]
    t += 240
    began, total = t, 312
    url = "https://math-verify.svc.lantern.ai/v2/score"
    last = 118
    for step in range(1, last + 2):
        took = 412 + rng.gauss(0, 14)
        stamp = lambda s: clock(s, "%m-%d %H:%M:%S")  # noqa: E731
        wake = 0.7 + rng.random() * 0.3
        p = engines[rng.randrange(4)]
        out.append(
            _ray(
                "LLMRayActor",
                p,
                f"INFO {stamp(t)} [executor_base.py:227] It took {wake:.6f} seconds to wake up tags {{'weights', 'kv_cache'}}."
                + (" [repeated 4x across cluster]" if step > 1 else ""),
            )
        )
        out.append(
            _ray(
                "LLMRayActor",
                p,
                f"Processed prompts: 100%|██████████| 256/256 [{hms(took * 0.52)}<00:00,  {256 / (took * 0.52):.2f}it/s, est. speed input: {330 + rng.gauss(0, 9):.2f} toks/s, output: {3900 + rng.gauss(0, 90):.2f} toks/s]"
                + (" [repeated 3x across cluster]" if step % 2 else ""),
            )
        )
        out.append(
            _ray(
                "LLMRayActor",
                p,
                f"INFO {stamp(t + took * 0.53)} [gpu_worker.py:81] Sleep mode freed {61.4 + rng.gauss(0, 0.1):.2f} GiB memory, {8.9 + rng.gauss(0, 0.1):.2f} GiB memory is still in use.",
            )
        )
        if step == 41:
            for k in range(2):
                out.append(
                    _ray(
                        "RemoteRewardModel",
                        rm,
                        f"INFO {stamp(t + took * 0.54 + 181 * (k + 1))} remote_rm_utils.py:25] Request error, please check: HTTPSConnectionPool(host='math-verify.svc.lantern.ai', port=443): Read timed out. (read timeout=180)",
                    )
                )
            took += 364
        if step == last + 1:
            s = t + took * 0.54
            for k in range(5):
                out.append(
                    _ray(
                        "RemoteRewardModel",
                        rm,
                        f"INFO {stamp(s + 1.2 * k)} remote_rm_utils.py:25] Request error, please check: 401 Client Error: Unauthorized for url: {url}?client=qzhao-rl&valid_until=2026-11-04T22%3A57%3A00Z",
                    )
                )
            t = s + 7
            break
        reward = 0.71 - 0.52 * math.exp(-step / 60) + rng.gauss(0, 0.012)
        out.append(
            _ray(
                "PolicyModelActor",
                actors[0],
                f"Train epoch [1/1]: 100%|██████████| 16/16 [{hms(took * 0.4)}<00:00, {took * 0.4 / 16:.2f}s/it, act_loss={rng.gauss(-0.002, 0.006):.3f}, kl={0.0006 + step * 3e-5:.5f}, act_lr={5e-7:.0e}]",
            )
        )
        status = (
            f"{{'policy_loss': {rng.gauss(-0.0015, 0.004):.6f}, 'actor_lr': 5e-07, 'ppo_clip_ratio': {0.0021 + abs(rng.gauss(0, 0.0005)):.6f}, "
            f"'ppo_kl': {abs(rng.gauss(0.0004, 0.0001)):.6f}, 'kl': {0.0006 + step * 3e-5 + abs(rng.gauss(0, 4e-5)):.6f}, 'reward': {reward:.4f}, 'return': {reward - 0.01:.4f}, "
            f"'response_length': {1180 + 4.1 * step + rng.gauss(0, 25):.1f}, 'total_length': {1330 + 4.1 * step + rng.gauss(0, 25):.1f}, 'generate_time': '{hms(took * 0.52)}', 'truncate_rate': {0.03 + abs(rng.gauss(0, 0.006)):.4f}}}"
        )
        t += took
        out.append(_ray("PPOTrainer", trainer, f"INFO {stamp(t)} ppo_trainer.py:266] ✨ Global step {step}: {status}"))
        done = t - began
        out.append(
            _ray(
                "PPOTrainer",
                trainer,
                f"Episode [1/1]: {100 * step // total:>3d}%|{bar(step, total)}| {step}/{total} [{hms(done)}<{hms(done / step * (total - step))}, {done / step:.2f}s/it]",
            )
        )
        if step % 25 == 0:
            out.append(
                _ray(
                    "PolicyModelActor",
                    actors[0],
                    f"[{clock(t + 3)},{rng.randrange(100, 999)}] [INFO] [torch_checkpoint_engine.py:21:save] [Torch] Saving /mnt/rl/qzhao/ckpt/q8b-math/_actor/global_step{step}/mp_rank_00_model_states.pt...",
                )
            )
            out.append(
                _ray(
                    "PolicyModelActor",
                    actors[0],
                    f"[{clock(t + 41)},{rng.randrange(100, 999)}] [INFO] [torch_checkpoint_engine.py:34:commit] [Torch] Checkpoint global_step{step} is ready now!",
                )
            )
            t += 44
    message = "Exception: Request error for 5 times, returning None. Please check the API server."
    out += [
        "Traceback (most recent call last):",
        '  File "<frozen runpy>", line 198, in _run_module_as_main',
        '  File "<frozen runpy>", line 88, in _run_code',
        '  File "/home/qzhao/rl/OpenRLHF/openrlhf/cli/train_ppo_ray.py", line 478, in <module>',
        "    train(args)",
        '  File "/home/qzhao/rl/OpenRLHF/openrlhf/cli/train_ppo_ray.py", line 191, in train',
        "    ray.get(ppo_trainer.fit.remote())",
        '  File "/opt/venv/lib/python3.11/site-packages/ray/_private/worker.py", line 2822, in get',
        "    values, debugger_breakpoint = worker.get_objects(object_refs, timeout=timeout)",
        '  File "/opt/venv/lib/python3.11/site-packages/ray/_private/worker.py", line 930, in get_objects',
        "    raise value.as_instanceof_cause()",
        "ray.exceptions.RayTaskError(Exception): \x1b[36mray::PPOTrainer.fit()\x1b[39m (pid=19955, ip=10.21.7.14, actor_id=8d1fb0c7d6a2e04f1c93a1c402000000, repr=<openrlhf.trainer.ppo_trainer.PPOTrainer object at 0x7f6be0f3a810>)".replace(
            "\x1b[36m", ""
        ).replace("\x1b[39m", ""),
        '  File "/home/qzhao/rl/OpenRLHF/openrlhf/trainer/ppo_trainer.py", line 214, in fit',
        "    experiences = self.experience_maker.make_experience_batch(rollout_samples)",
        '  File "/home/qzhao/rl/OpenRLHF/openrlhf/trainer/ppo_utils/experience_maker.py", line 391, in make_experience_batch',
        "    rewards_list = ray.get(r_refs)",
        "ray.exceptions.RayTaskError(Exception): ray::RemoteRewardModel.get_rewards() (pid=20533, ip=10.21.7.14, actor_id=51a0c6b8e7f2d3942b6cf17702000000)",
        '  File "/home/qzhao/rl/OpenRLHF/openrlhf/utils/remote_rm_utils.py", line 30, in request_api_wrapper',
        '    raise Exception(f"Request error for {try_max_times} times, returning None. Please check the API server.")',
        message,
        "",
        f"{clock(t + 6)},517\tERR cli.py:71 -- -----------------------------------------------",
        f"{clock(t + 6)},517\tERR cli.py:72 -- Job 'raysubmit_xR7hVbqK3mYtZ2aN' failed",
        f"{clock(t + 6)},517\tERR cli.py:73 -- -----------------------------------------------",
        f"{clock(t + 6)},518\tINFO cli.py:86 -- Status message: Job entrypoint command failed with exit code 1, last available logs (truncated to 20,000 chars):",
        '    raise Exception(f"Request error for {try_max_times} times, returning None. Please check the API server.")',
        message,
    ]
    put(place, "raysubmit_q8b_math.log", out)


def c03_crystal_gnn_grid(place: Path, rng: Random) -> None:
    """A sweep of small graph nets, each on the four GPUs of a box."""
    t = 3 * 86400 + 18 * 3600 + 2 * 60 + 11.0
    out: list[str] = []
    err = ["wandb: Starting wandb agent 🕵️"]
    runs = [
        ("k2vd81mz", 96, 3, 0.0021, "fearless-sweep-1"),
        ("8hq0xw4e", 160, 4, 0.0008, "sage-sweep-2"),
        ("v5t3rn9c", 128, 5, 0.0013, "dainty-sweep-3"),
    ]
    for number, (run, width, depth, lr, name) in enumerate(runs):
        err += [
            f"{clock(t)},118 - wandb.wandb_agent - INFO - Running runs: []",
            f"{clock(t)},{402 + number} - wandb.wandb_agent - INFO - Agent received command: run",
            f"{clock(t)},{403 + number} - wandb.wandb_agent - INFO - Agent starting run with config:",
            f"\tdepth: {depth}",
            f"\tlr: {lr}",
            f"\twidth: {width}",
            f"{clock(t)},{407 + number} - wandb.wandb_agent - INFO - About to run command: torchrun --standalone --nproc_per_node=4 fit_gnn.py --depth={depth} --lr={lr} --width={width}",
            f"{clock(t + 5.5)},{rng.randrange(100, 999)} - wandb.wandb_agent - INFO - Running runs: ['{run}']",
            "wandb: Currently logged in as: ivo-petrov (matlab-gnn) to https://api.wandb.ai. Use `wandb login --relogin` to force relogin",
            "wandb: Tracking run with wandb version 0.21.4",
            f"wandb: Run data is saved locally in /home/ipetrov/xtal/wandb/run-{clock(t + 8, '%Y%m%d_%H%M%S')}-{run}",
            "wandb: Run `wandb offline` to turn off syncing.",
            f"wandb: Syncing run {name}",
            "wandb: ⭐️ View project at https://wandb.ai/matlab-gnn/xtal-grid",
            "wandb: 🧹 View sweep at https://wandb.ai/matlab-gnn/xtal-grid/sweeps/p4e0ycw7",
            f"wandb: 🚀 View run at https://wandb.ai/matlab-gnn/xtal-grid/runs/{run}",
        ]
        out.append(
            f"{clock(t + 12)} fit_gnn: world 4, width {width}, depth {depth}, lr {lr}, 61 204 crystals train / 6 800 val, 40 epochs"
        )
        folder = f"run-{clock(t + 8, '%Y%m%d_%H%M%S')}-{run}"
        t += 15
        floor = 0.041 + 0.004 * number
        whole = 40 if number < 2 else 23
        each = 31 + width / 12
        for epoch in range(1, whole + 1):
            t += each + rng.gauss(0, 0.5)
            out.append(
                f"{clock(t)} epoch {epoch:2d}/40  mae/train {falls(rng, epoch, 0.52, floor, 6):.4f}  mae/val {falls(rng, epoch, 0.55, floor * 1.15, 6.5):.4f}  {each + rng.gauss(0, 0.4):.1f} s"
            )
        if number < 2:
            final = falls(rng, 40, 0.55, floor * 1.15, 6.5)
            out.append(f"{clock(t + 3)} best val mae {final:.4f}, weights in runs/{run}/best.pt")
            err += [
                "wandb:",
                "wandb: Run summary:",
                "wandb:     epoch 40",
                f"wandb: mae/train {falls(rng, 40, 0.52, floor, 6):.5f}",
                f"wandb:   mae/val {final:.5f}",
                "wandb:",
                f"wandb: 🚀 View run {name} at: https://wandb.ai/matlab-gnn/xtal-grid/runs/{run}",
                "wandb: Synced 5 W&B file(s), 0 media file(s), 0 artifact file(s) and 0 other file(s)",
                f"wandb: Find logs at: ./wandb/{folder}/logs",
                f"{clock(t + 14)},{rng.randrange(100, 999)} - wandb.wandb_agent - INFO - Cleaning up finished run: {run}",
            ]
            t += 15
    seq = 11 + 23 * 478 + 131
    t += 600 + 9
    frame = "/home/ipetrov/miniforge3/envs/xtal/lib/python3.12/site-packages/torch/lib"
    day = clock(t, "%m%d")
    for r in (3, 0, 1):
        ms = 600000 + rng.randrange(3, 98)
        s = t + rng.random() * 0.09
        stamp = f"{clock(s, '%H:%M:%S')}.{rng.randrange(10**8, 10**9)}"
        err += [
            f"[rank{r}]:[E{day} {stamp} ProcessGroupNCCL.cpp:629] [Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=1384706, NumelOut=1384706, Timeout(ms)=600000) ran for {ms} milliseconds before timing out.",
            f"[rank{r}]:[E{day} {stamp} ProcessGroupNCCL.cpp:2168] [PG ID 0 PG GUID 0(default_pg) Rank {r}]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 1}, last completed work: {seq - 1}",
            f"[rank{r}]:[E{day} {stamp} ProcessGroupNCCL.cpp:667] Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.",
        ]
    s = f"{clock(t + 60, '%H:%M:%S')}.{rng.randrange(10**8, 10**9)}"
    err += [
        f"[rank2]:[E{day} {clock(t + 1.3, '%H:%M:%S')}.{rng.randrange(10**8, 10**9)} ProcessGroupNCCL.cpp:1682] [PG ID 0 PG GUID 0(default_pg) Rank 2] Observed flight recorder dump signal from another rank via TCPStore.",
        f"[rank2]:[E{day} {clock(t + 1.3, '%H:%M:%S')}.{rng.randrange(10**8, 10**9)} ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank 2] Received a dump signal due to a collective timeout from rank 3 and we will try our best to dump the debug info. Last enqueued NCCL work: {seq - 1}, last completed NCCL work: {seq - 1}.This is most likely caused by incorrect usages of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same for all ranks or the scheduled collective, for some reason, didn't run. Additionally, this can be caused by GIL deadlock or other reasons such as network errors or bugs in the communications library (e.g. NCCL), etc.",
    ]
    for r in (3, 0):
        err += [
            f"[rank{r}]:[E{day} {s} ProcessGroupNCCL.cpp:681] [Rank {r}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            f"[rank{r}]:[E{day} {s} ProcessGroupNCCL.cpp:695] [Rank {r}] To avoid data inconsistency, we are taking the entire process down.",
            f"[rank{r}]:[E{day} {s} ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Process group watchdog thread terminated with exception: [Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=1384706, NumelOut=1384706, Timeout(ms)=600000) ran for {600000 + rng.randrange(3, 98)} milliseconds before timing out.",
            "Exception raised from checkTimeout at /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:632 (most recent call first):",
            f"frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x98 (0x7fc1b6d785e8 in {frame}/libc10.so)",
            f"frame #1: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long, std::ratio<1l, 1000l> > >) + 0x23d (0x7fc16a3d4a6d in {frame}/libtorch_cuda.so)",
            f"frame #2: c10d::ProcessGroupNCCL::watchdogHandler() + 0xc80 (0x7fc16a3d67f0 in {frame}/libtorch_cuda.so)",
            f"frame #3: c10d::ProcessGroupNCCL::ncclCommWatchdog() + 0x14d (0x7fc16a3d7efd in {frame}/libtorch_cuda.so)",
            "frame #4: <unknown function> + 0xdbbf4 (0x7fc1b9cdbbf4 in /home/ipetrov/miniforge3/envs/xtal/bin/../lib/libstdc++.so.6)",
            "frame #5: <unknown function> + 0x94ac3 (0x7fc1bb094ac3 in /lib/x86_64-linux-gnu/libc.so.6)",
            "frame #6: <unknown function> + 0x1268c0 (0x7fc1bb1268c0 in /lib/x86_64-linux-gnu/libc.so.6)",
            "",
        ]
    pid = 318812
    err += [
        f"W{day} {clock(t + 61, '%H:%M:%S')}.402000 {pid} site-packages/torch/distributed/elastic/multiprocessing/api.py:900] Sending process {pid + 74} closing signal SIGTERM",
        f"W{day} {clock(t + 61, '%H:%M:%S')}.403000 {pid} site-packages/torch/distributed/elastic/multiprocessing/api.py:900] Sending process {pid + 75} closing signal SIGTERM",
        f"W{day} {clock(t + 61, '%H:%M:%S')}.403000 {pid} site-packages/torch/distributed/elastic/multiprocessing/api.py:900] Sending process {pid + 73} closing signal SIGTERM",
        f"W{day} {clock(t + 91, '%H:%M:%S')}.405000 {pid} site-packages/torch/distributed/elastic/multiprocessing/api.py:919] Unable to shutdown process {pid + 75} via Signals.SIGTERM, forcefully exiting via Signals.SIGKILL",
        f"E{day} {clock(t + 92, '%H:%M:%S')}.117000 {pid} site-packages/torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: -6) local_rank: 3 (pid: {pid + 76}) of binary: /home/ipetrov/miniforge3/envs/xtal/bin/python3.12",
        "Traceback (most recent call last):",
        '  File "/home/ipetrov/miniforge3/envs/xtal/bin/torchrun", line 8, in <module>',
        "    sys.exit(main())",
        "             ^^^^^^",
        f'  File "{frame[:-10]}/torch/distributed/run.py", line 892, in main',
        "    run(args)",
        f'  File "{frame[:-10]}/torch/distributed/launcher/api.py", line 277, in launch_agent',
        "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "======================================================",
        "fit_gnn.py FAILED",
        "------------------------------------------------------",
        "Failures:",
        "  <NO_OTHER_FAILURES>",
        "------------------------------------------------------",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {clock(t + 61, '%Y-%m-%d_%H:%M:%S')}",
        "  host      : lynx2.cryst.local",
        "  rank      : 3 (local_rank: 3)",
        f"  exitcode  : -6 (pid: {pid + 76})",
        "  error_file: <N/A>",
        f"  traceback : Signal 6 (SIGABRT) received by PID {pid + 76}",
        "======================================================",
        f"{clock(t + 95)},{rng.randrange(100, 999)} - wandb.wandb_agent - INFO - Cleaning up finished run: {runs[2][0]}",
        "wandb: Terminating and syncing runs. Press ctrl-c to kill.",
    ]
    put(place, "agent_lynx2.log", out)
    put(place, "agent_lynx2.err", err)


def c04_miner_world(place: Path, rng: Random) -> None:
    """DreamerV3 in a mining game of the lab's own; the shell says how it ended."""
    e = "\x1b"
    out = [
        "+ source /data/venvs/dv3/bin/activate",
        "+ python fetch_maps.py --set caves-v3",
    ]
    out.extend(
        f"\r{e}[32mcaves-v3.zip{e}[0m: {100 * done // 256:>3d}%|{e}[34m{bar(done, 256, 24)}{e}[0m| {done}/256 [{hms(done / 11)}<{hms((256 - done) / 11)}, 11.04MB/s]"
        for done in (0, 37, 88, 141, 192, 256)
    )
    out += [
        "+ python -u dreamerv3/main.py --configs minerworld size50m --logdir /data/runs/minerworld/seed4 --run.envs 24 --run.train_ratio 64",
        f"{e}[1m{e}[33m---  ___                           __   ______ ---{e}[0m",
        f"{e}[1m{e}[33m--- |   \\ _ _ ___ __ _ _ __  ___ _ \\ \\ / /__ / ---{e}[0m",
        f"{e}[1m{e}[33m--- | |) | '_/ -_) _` | '  \\/ -_) '/\\ V / |_ \\ ---{e}[0m",
        f"{e}[1m{e}[33m--- |___/|_| \\___\\__,_|_|_|_\\___|_|  \\_/ |___/ ---{e}[0m",
        "Replica: 0 / 1",
        "Logdir: /data/runs/minerworld/seed4",
        "Run script: train",
        "JAX devices (1): [CudaDevice(id=0)]",
        "Policy devices: [0] / Train devices: [0]",
        f"{e}[36mEncoder CNN shapes: {{'image': (64, 64, 3)}}{e}[0m",
        f"{e}[36mEncoder MLP shapes: {{'inventory': (14,), 'health': ()}}{e}[0m",
        f"{e}[33mOptimizer opt has 47,118,226 params:{e}[0m",
    ]
    for key, share in (
        ("dyn", 47.1),
        ("pol", 9.2),
        ("val", 9.3),
        ("enc", 15.8),
        ("dec", 16.4),
        ("rew", 1.3),
        ("con", 0.9),
    ):
        out.append(f"{e}[33m  {share:5.1f}%  {key}{e}[0m")
    out += [
        "Compiling agent to disk...",
        "Lowering train...",
        "Compiling train...",
        "Done compiling train! (118.4 s)",
        "Initialized 24 env workers.",
        "Start training loop",
        "Replay: no chunks found in /data/runs/minerworld/seed4/replay",
    ]
    step, k = 0, 0
    ram = 21.4
    while k < 63:
        k += 1
        step += 24 * (118 + rng.randrange(9))
        ram += 1.53 + rng.gauss(0, 0.05)
        score = 1.2 + 7.4 * (1 - math.exp(-k / 24)) + rng.gauss(0, 0.35)
        fps = 23.4 + rng.gauss(0, 0.4)
        out.append(f"{e}[36m{'-' * 20}[Agent Step {step}]{'-' * 20}{e}[0m")
        out.append(
            f"episode/score {score:.2f} / episode/length {int(640 + 9 * k + rng.gauss(0, 40))} / train/loss/dyn {1.1 + 7 * math.exp(-k / 9) + rng.gauss(0, 0.04):.2f} / "
            f"train/loss/rep {1.1 + 7 * math.exp(-k / 9) + rng.gauss(0, 0.04):.2f} / train/loss/image {94 + 1400 * math.exp(-k / 6) + rng.gauss(0, 3):.2f} / "
            f"train/loss/rew {0.08 + 0.4 * math.exp(-k / 10):.2f} / train/loss/policy {rng.gauss(-0.1, 0.09):.2f} / train/loss/value {1.3 + rng.gauss(0, 0.1):.2f} / "
            f"fps/policy {fps:.2f} / fps/train {fps * 64:.1f} / replay/items {step - 24 * 64} / usage/psutil/proc_ram_gb {ram:.2f} / usage/psutil/total_ram_frac {(ram + 4.8) / 125.6:.2f}"
        )
        out.append("(Filtered by 'score|length|fps|loss|replay/items|ram')")
        if k % 6 == 0:
            out.append("Writing metrics: /data/runs/minerworld/seed4/metrics.jsonl")
        if k % 10 == 0:
            out.append(
                f"{e}[32mSaving checkpoint: /data/runs/minerworld/seed4/ckpt/{clock(86400 + k * 121, '%Y%m%dT%H%M%S')}F{rng.randrange(100000, 999999)}{e}[0m"
            )
        if k == 29:
            out += [
                f"{e}[31m[env17] Exception in worker:{e}[0m",
                "Traceback (most recent call last):",
                '  File "/home/tova/minerworld/bridge.py", line 143, in step',
                "    raw = self._sock.recv_frame()",
                '  File "/home/tova/minerworld/bridge.py", line 88, in recv_frame',
                "    raise ConnectionResetError(errno.ECONNRESET, 'simulator closed the pipe')",
                "ConnectionResetError: [Errno 104] simulator closed the pipe",
                f"{e}[33m[env17] simulator restarted on port 29417 (1 of 20 allowed), episode dropped{e}[0m",
            ]
    out += [
        "./train_miner.sh: line 9: 71844 Killed                  python -u dreamerv3/main.py --configs minerworld size50m --logdir /data/runs/minerworld/seed4 --run.envs 24 --run.train_ratio 64",
        "+ status=137",
        "+ echo 'train_miner: left with 137'",
        "train_miner: left with 137",
    ]
    put(place, "seed4.log", out)


def c05_sixteen_names(place: Path, rng: Random) -> None:
    """A hand-written FSDP trainer on two nodes, each rank with lines of its own."""
    t = 4 * 86400 + 7 * 3600 + 41 * 60 + 3.0
    out: list[str] = []
    pairs = [("hpc-g031", r) for r in range(8)] + [("hpc-g044", r) for r in range(8, 16)]
    order = pairs[:]
    rng.shuffle(order)
    rows = []
    for host, r in order:
        s = t + rng.random() * 4 + (2.5 if r >= 8 else 0)
        rows += [
            (
                s,
                f"{clock(s, '%H:%M:%S')} r{r:02d}@{host} up: pid {40100 + 31 * r}, cuda:{r % 8} NVIDIA H100 80GB HBM3, torch 2.5.1+cu124, nccl 2.21.5",
            ),
            (
                s + 0.2,
                f"{clock(s + 0.2, '%H:%M:%S')} r{r:02d}@{host} config conf/esm_650m.toml sha 4e1fd2, shard FULL_SHARD, bf16",
            ),
            (
                s + 0.9,
                f"{clock(s + 0.9, '%H:%M:%S')} r{r:02d}@{host} tokens index /lustre/prot/ur50/idx.bin opened, {rng.randrange(2, 4)} ms",
            ),
            (s + 1.1, f"{clock(s + 1.1, '%H:%M:%S')} r{r:02d}@{host} joining tcp://hpc-g031:29711 as {r} of 16"),
        ]
        if r >= 8:
            for k in range(1, 13):
                w = s + 1.1 + 149.6 * k
                rows.append(
                    (
                        w,
                        f"[W{clock(w, '%m%d %H:%M:%S')}.{rng.randrange(10**8, 10**9)} socket.cpp:752] [c10d] The client socket has failed to connect to [hpc-g031.cl.iph.local]:29711 (errno: 110 - Connection timed out).",
                    )
                )
            w = s + 1.1 + 1800.4 + rng.random()
            rows += [
                (
                    w,
                    f"[E{clock(w, '%m%d %H:%M:%S')}.{rng.randrange(10**8, 10**9)} socket.cpp:1011] [c10d] The client socket has timed out after 1800000ms while trying to connect to (hpc-g031, 29711).",
                ),
                (
                    w + 0.01,
                    f"{clock(w, '%H:%M:%S')} r{r:02d}@{host} left by DistNetworkError: The client socket has timed out after 1800000ms while trying to connect to (hpc-g031, 29711).",
                ),
            ]
        elif r == 0:
            w = t + 1806.2
            rows.append(
                (
                    w,
                    f"{clock(w, '%H:%M:%S')} r{r:02d}@{host} left by DistStoreError: Timed out after 1801 seconds waiting for clients. 8/16 clients joined.",
                )
            )
        else:
            w = t + 1806.4 + rng.random()
            rows += [
                (s + 1.9, f"{clock(s + 1.9, '%H:%M:%S')} r{r:02d}@{host} group made, wrapping 33 blocks"),
                (
                    w,
                    f"{clock(w, '%H:%M:%S')} r{r:02d}@{host} left by DistBackendError: [{r}] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', but store->get('0') got error: Connection reset by peer",
                ),
            ]
    rows.sort(key=lambda row: row[0])
    end = rows[-1][0]
    out += [text for _, text in rows]
    out += [
        "srun: error: hpc-g044: tasks 8-15: Exited with exit code 1",
        "srun: Terminating StepId=5518203.0",
        f"slurmstepd: error: *** STEP 5518203.0 ON hpc-g031 CANCELLED AT {clock(end + 2, '%Y-%m-%dT%H:%M:%S')} ***",
        "srun: error: hpc-g031: tasks 0-7: Exited with exit code 1",
    ]
    put(place, "esm_650m.5518203.log", out)


def c06_warehouse_boxes(place: Path, rng: Random) -> None:
    """YOLOX on eight GPUs of a box."""
    t = 5 * 86400 + 20 * 3600 + 33 * 60 + 40.0
    lead = lambda s, level, where: f"{clock(s)} | {level:<8} | {where} - "  # noqa: E731
    out = [
        lead(t, "INFO", "yolox.core.trainer:132")
        + "args: Namespace(batch_size=128, cache=None, ckpt='weights/yolox_m.pth', devices=8, dist_backend='nccl', dist_url=None, exp_file='exps/warehouse/yolox_m_pallet.py', experiment_name='yolox_m_pallet', fp16=True, logger='tensorboard', machine_rank=0, name=None, num_machines=1, occupy=False, opts=[], resume=False, start_epoch=None)",
        lead(t, "INFO", "yolox.core.trainer:133") + "exp value:",
        "╒═══════════════════╤════════════════════════════╕",
        "│ keys              │ values                     │",
        "╞═══════════════════╪════════════════════════════╡",
    ]
    values = [
        ("seed", "None"),
        ("output_dir", "'./YOLOX_outputs'"),
        ("print_interval", "50"),
        ("eval_interval", "5"),
        ("num_classes", "7"),
        ("depth", "0.67"),
        ("width", "0.75"),
        ("data_num_workers", "6"),
        ("input_size", "(640, 640)"),
        ("multiscale_range", "5"),
        ("data_dir", "'/srv/sets/pallets'"),
        ("mosaic_prob", "1.0"),
        ("warmup_epochs", "5"),
        ("max_epoch", "120"),
        ("basic_lr_per_img", "0.00015625"),
        ("no_aug_epochs", "15"),
        ("ema", "True"),
        ("weight_decay", "0.0005"),
    ]
    for n, (key, value) in enumerate(values):
        out.append(f"│ {key:<17} │ {value:<26} │")
        out.append(
            "├───────────────────┼────────────────────────────┤"
            if n < len(values) - 1
            else "╘═══════════════════╧════════════════════════════╛"
        )
    out += [
        lead(t + 6, "INFO", "yolox.core.trainer:139") + "Model Summary: Params: 25.28M, Gflops: 73.53",
        lead(t + 8, "INFO", "yolox.core.trainer:322") + "loading checkpoint for fine tuning",
        lead(t + 9, "WARNING", "yolox.utils.checkpoint:24")
        + "Shape of head.cls_preds.0.weight in checkpoint is torch.Size([80, 192, 1, 1]), while shape of head.cls_preds.0.weight in model is torch.Size([7, 192, 1, 1]).",
        lead(t + 9, "WARNING", "yolox.utils.checkpoint:24")
        + "Shape of head.cls_preds.0.bias in checkpoint is torch.Size([80]), while shape of head.cls_preds.0.bias in model is torch.Size([7]).",
        lead(t + 11, "INFO", "pycocotools.coco:80") + "loading annotations into memory...",
        lead(t + 15, "INFO", "pycocotools.coco:84") + "Done (t=3.91s)",
        lead(t + 15, "INFO", "pycocotools.coco:86") + "creating index...",
        lead(t + 16, "INFO", "pycocotools.coco:86") + "index created!",
        lead(t + 17, "INFO", "yolox.core.trainer:155") + "init prefetcher, this might take one minute or less...",
        lead(t + 41, "INFO", "yolox.core.trainer:195") + "Training start...",
    ]
    t += 42
    iters, whole = 402, 120
    count = 0
    for epoch in range(1, 20):
        out.append(lead(t, "INFO", "yolox.core.trainer:203") + f"---> start train epoch{epoch}")
        for it in range(50, iters + 1, 50):
            if epoch == 19 and it > 150:
                break
            pace = 0.391 + rng.gauss(0, 0.01)
            t += 50 * pace
            count = (epoch - 1) * iters + it
            size = rng.choice((480, 512, 544, 576, 608, 640, 672, 704, 736, 768, 800))
            iou, conf, cls = (falls(rng, count, a, b, 1500, 0.05) for a, b in ((3.6, 1.75), (6.2, 1.35), (2.1, 0.42)))
            lr = 0.02 * (
                min(1.0, count / (5 * iters)) ** 2
                if count < 5 * iters
                else 0.5 * (1 + math.cos(math.pi * (count - 5 * iters) / (100 * iters)))
            )
            left = int((whole * iters - count) * 0.4)
            days = f"{left // 86400} day{'s' if left >= 172800 else ''}, " if left >= 86400 else ""
            eta = f"{days}{left % 86400 // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}"
            out.append(
                lead(t, "INFO", "yolox.core.trainer:266")
                + f"epoch: {epoch}/{whole}, iter: {it}/{iters}, gpu mem: {17342 + 11 * (epoch > 1)}Mb, mem: {88.1 + 0.1 * epoch:.1f}Gb, iter_time: {pace:.3f}s, data_time: {0.003 + abs(rng.gauss(0, 0.002)):.3f}s, total_loss: {iou + conf + cls:.1f}, iou_loss: {iou:.1f}, l1_loss: 0.0, conf_loss: {conf:.1f}, cls_loss: {cls:.1f}, lr: {lr:.3e}, size: {size}, ETA: {eta}"
            )
        if epoch == 19:
            break
        t += 3
        out.append(lead(t, "INFO", "yolox.core.trainer:386") + "Save weights to ./YOLOX_outputs/yolox_m_pallet")
        if epoch % 5 == 0:
            t += 38
            ap = 0.31 + 0.013 * epoch
            out += [
                lead(t, "INFO", "yolox.evaluators.coco_evaluator:256") + "Evaluate in main process...",
                lead(t + 6, "INFO", "yolox.core.trainer:356")
                + f"Average forward time: {4.11 + rng.gauss(0, 0.05):.2f} ms, Average NMS time: 1.03 ms, Average inference time: {5.14 + rng.gauss(0, 0.05):.2f} ms",
                f" Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = {ap:.3f}",
                f" Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = {ap * 1.48:.3f}",
                lead(t + 6, "INFO", "yolox.core.trainer:386") + "Save weights to ./YOLOX_outputs/yolox_m_pallet",
            ]
            t += 8
    seq = 4 * count + 977
    for r in (2, 5, 0, 7, 1, 4, 6):
        out.append(
            f"[E ProcessGroupNCCL.cpp:828] [Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for {1800000 + rng.randrange(30, 990)} milliseconds before timing out."
        )
    for r in (2, 5):
        out += [
            "[E ProcessGroupNCCL.cpp:455] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
            "[E ProcessGroupNCCL.cpp:460] To avoid data inconsistency, we are taking the entire process down.",
            "terminate called after throwing an instance of 'std::runtime_error'",
            f"  what():  [Rank {r}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for {1800000 + rng.randrange(30, 990)} milliseconds before timing out.",
        ]
    out += [
        "Traceback (most recent call last):",
        '  File "tools/train.py", line 138, in <module>',
        "    launch(",
        '  File "/srv/src/YOLOX/yolox/core/launch.py", line 82, in launch',
        "    mp.start_processes(",
        '  File "/srv/venv/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 197, in start_processes',
        "    while not context.join():",
        '  File "/srv/venv/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 140, in join',
        "    raise ProcessExitedException(",
        "torch.multiprocessing.spawn.ProcessExitedException: process 2 terminated with signal SIGABRT",
        "/usr/lib/python3.10/multiprocessing/resource_tracker.py:224: UserWarning: resource_tracker: There appear to be 56 leaked semaphore objects to clean up at shutdown",
        "  warnings.warn('resource_tracker: There appear to be %d '",
    ]
    put(place, "train_pallet.log", out)
