"""Curves c01 to c08 of the twenty-first set: SIMULATED logs, drawn by lot_curves; the truth stands beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import clock, falls, put

from .stamps import Stamps

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random


def c01_organ_segmentation(place: Path, rng: Random) -> None:
    """G1: a home-made program in Chinese; its sliding windows take long, now and then; no clock stands in the log."""
    log = [
        "========== 腹部多器官分割 训练脚本 v2.3 ==========",
        "设备: cuda:0 (NVIDIA GeForce RTX 3090, 24 GB)",
        "随机种子: 3407",
        "训练集 412 例, 验证集 60 例, 类别数 14(含背景)",
        "批大小 2, 裁剪尺寸 96x96x96, 每例采样 4 块",
        "优化器 AdamW, 初始学习率 1.00e-04, 权重衰减 1e-05, 多项式衰减(0.9), 预热 3 轮",
        "总轮数 45, 每 5 轮在验证集上做一次滑窗推理(重叠 0.5, 较慢, 请耐心等待)",
        "模型参数量: 62.19 M",
        "混合精度: 开",
        "----------------------------------------",
    ]
    table = ["epoch,train_loss,lr,val_loss,val_dice,epoch_seconds"]
    best = 0.0
    for epoch in range(1, 46):
        lr = 1e-4 * epoch / 3 if epoch <= 3 else 1e-4 * (1 - (epoch - 3) / 43) ** 0.9
        for step in (69, 138, 206):
            loss = falls(rng, epoch - 1 + step / 206, 1.86, 0.33, 7, 0.035)
            log.append(f"[第 {epoch:2d}/45 轮] 步 {step:3d}/206  损失 {loss:.4f}  学习率 {lr:.2e}")
        mean = falls(rng, epoch - 0.5, 1.86, 0.33, 7, 0.012)
        took = 271 + rng.gauss(0, 4)
        log.append(
            f"[第 {epoch:2d}/45 轮] 训练完成, 平均损失 {mean:.4f}, 用时 {took:.1f} 秒, 显存峰值 {18.7 if epoch < 4 else 18.8} GB"
        )
        val = dice = ""
        if epoch % 5 == 0:
            loss = falls(rng, epoch, 1.8, 0.39, 7, 0.015)
            score = 0.862 - 0.55 * 2.718 ** (-epoch / 9) + rng.gauss(0, 0.004)
            log += [
                f"开始验证: 共 60 例, 滑窗推理 ROI 96x96x96 (第 {epoch} 轮)",
                f"  已完成 20/60 例, 用时 {158 + rng.gauss(0, 6):.0f} 秒",
                f"  已完成 40/60 例, 用时 {322 + rng.gauss(0, 6):.0f} 秒",
                f"验证完成: 损失 {loss:.4f}, 平均 Dice {score:.4f}, 用时 {481 + rng.gauss(0, 9):.1f} 秒",
            ]
            if score > best:
                log.append(f"Dice 提升 {best:.4f} -> {score:.4f}, 已保存 ./out/best.pth")
                best = score
            val, dice = f"{loss:.4f}", f"{score:.4f}"
        table.append(f"{epoch},{mean:.4f},{lr:.3e},{val},{dice},{took:.1f}")
    log += [
        "----------------------------------------",
        f"训练结束。共 45 轮, 最佳平均 Dice {best:.4f}",
        "各器官 Dice(最佳模型): 肝 0.962 脾 0.951 左肾 0.944 右肾 0.941 胃 0.884 胰腺 0.789 胆囊 0.771 食管 0.742",
        "最终权重已保存到 ./out/final.pth",
        "程序正常退出",
    ]
    put(place, "train.log", log)
    put(place, "metrics.csv", table)


def c02_folds_on_two_cores(place: Path, rng: Random) -> None:
    """D1: nnU-Net waits for its augmenters in six sevenths of its time, in both attempts; resumed, and finished."""
    cite = [
        "",
        "#######################################################################",
        "Please cite the following paper when using nnU-Net:",
        "Isensee, F., Jaeger, P. F., Kohl, S. A., Petersen, J., & Maier-Hein, K. H. (2021). nnU-Net: a "
        "self-configuring "
        "method for deep learning-based biomedical image segmentation. Nature methods, 18(2), 203-211.",
        "#######################################################################",
        " ",
    ]
    plan = [
        "",
        "This is the configuration used by this training:",
        "Configuration name: 3d_fullres",
        " {'data_identifier': 'nnUNetPlans_3d_fullres', 'preprocessor_name': 'DefaultPreprocessor', 'batch_size': 2, "
        "'patch_size': [128, 128, 128], 'median_image_size_in_voxels': [482.0, 512.0, 512.0], 'spacing': [1.0, "
        "0.78515625, 0.78515625], 'normalization_schemes': ['CTNormalization'], 'use_mask_for_norm': [False], "
        "'resampling_fn_data': 'resample_data_or_seg_to_shape', 'resampling_fn_seg': "
        "'resample_data_or_seg_to_shape', "
        "'batch_dice': True} ",
        "",
        "These are the global plan.json settings:",
        " {'dataset_name': 'Dataset061_LiverLesion', 'plans_name': 'nnUNetPlans', "
        "'original_median_spacing_after_transp'"
        ": [1.0, 0.78515625, 0.78515625], 'image_reader_writer': 'SimpleITKIO', 'transpose_forward': [0, 1, 2], "
        "'experiment_planner_used': 'ExperimentPlanner', 'label_manager': 'LabelManager'} ",
        "",
    ]

    tick = Stamps(rng, 6, ".")

    def stamp(second: float) -> str:
        return tick(second) + ": "

    def start(now: float) -> list[str]:
        return [
            *cite,
            stamp(now) + "do_dummy_2d_data_aug: False",
            stamp(now + 1.1) + "Using splits from existing split file: "
            "/data/nnUNet_preprocessed/Dataset061_LiverLesion/splits_final.json",
            stamp(now + 1.2) + "The split file contains 5 splits.",
            stamp(now + 1.2) + "Desired fold for training: 2",
            stamp(now + 1.3) + "This split has 105 training and 26 validation cases.",
            stamp(now + 2.7) + "Using torch.compile...",
            *plan,
            stamp(now + 4.4) + "unpacking dataset...",
            stamp(now + 41.9) + "unpacking done...",
            stamp(now + 42.3) + "Unable to plot network architecture: nnUNet_compile is enabled!",
        ]

    ema: float | None = None
    best = -1.0
    kept: list[float] = []

    def epochs(log: list[str], now: float, of: range, whole: bool) -> float:
        nonlocal ema, best
        for epoch in of:
            lr = round(0.01 * (1 - epoch / 100) ** 0.9, 5)
            log += [stamp(now) + "", stamp(now) + f"Epoch {epoch} ", stamp(now) + f"Current learning rate: {lr} "]
            if not whole and epoch == of[-1]:
                break
            busy = 84.6 + rng.gauss(0, 0.8)
            wait = 541 + rng.gauss(0, 31)
            took = busy + wait + 3.1
            train = round(-0.79 + 0.83 * 2.718 ** (-(epoch + 0.6) / 13) + rng.gauss(0, 0.012), 4)
            valid = round(-0.71 + 0.74 * 2.718 ** (-(epoch + 0.6) / 12) + rng.gauss(0, 0.024), 4)
            dice = [
                round(max(0.0, 0.955 - 0.8 * 2.718 ** (-(epoch + 0.8) / 4) + rng.gauss(0, 0.005)), 4),
                round(max(0.0, 0.648 - 0.66 * 2.718 ** (-(epoch + 0.2) / 14) + rng.gauss(0, 0.028)), 4),
            ]
            now += took
            log += [
                stamp(now) + f"train_loss {train} ",
                stamp(now) + f"val_loss {valid} ",
                stamp(now) + f"Pseudo dice [{dice[0]}, {dice[1]}] ",
                stamp(now)
                + f"[timing] time blocked in next(dataloader_train): {wait:.1f} s, train_step: {busy:.1f} s ",
                stamp(now) + f"Epoch time: {took:.2f} s ",
            ]
            mean = sum(dice) / 2
            ema = mean if ema is None else 0.9 * ema + 0.1 * mean
            if ema > best:
                best = ema
                log.append(stamp(now) + f"Yayy! New best EMA pseudo Dice: {round(ema, 4)} ")
            if epoch == 49:
                kept[:] = [ema, best]
            now += 2.2
        return now

    first = start(36010.0)
    now = epochs(first, 36055.0, range(54), whole=False)
    put(place, f"training_log_{clock(36010.0, '%Y_%-m_%-d_%H_%M_%S')}.txt", first)
    again = now + 5210.0
    ema, best = kept
    second = start(again)
    now = epochs(second, again + 46.0, range(50, 100), whole=True)
    second.append(stamp(now) + "Training done.")
    cases = sorted(rng.sample(range(131), 26), key=str)
    second += [
        stamp(now + 4) + "Using splits from existing split file: "
        "/data/nnUNet_preprocessed/Dataset061_LiverLesion/splits_final.json",
        stamp(now + 4) + "The split file contains 5 splits.",
        stamp(now + 4) + "Desired fold for training: 2",
        stamp(now + 4) + "This split has 105 training and 26 validation cases.",
    ]
    now += 5
    for case in cases:
        second.append(stamp(now) + f"predicting liver_{case}")
        shape = [1, rng.randrange(180, 700), rng.randrange(400, 520), rng.randrange(400, 520)]
        second.append(stamp(now + 0.4) + f"liver_{case}, shape torch.Size({shape}), rank 0")
        now += 21 + rng.random() * 14
    second += [
        stamp(now + 62) + "Validation complete",
        stamp(now + 62) + "Mean Validation Dice:  0.7894417722801337 ",
    ]
    put(place, f"training_log_{clock(again, '%Y_%-m_%-d_%H_%M_%S')}.txt", second)


def c03_grpo_on_sums(place: Path, rng: Random) -> None:
    """G1: verl to its last validation; a reward worker's tracebacks are handled, W&B comes back; no plan is named."""
    who = "\x1b[36m(TaskRunner pid=211874)\x1b[0m "
    out = [
        who + "{'actor_rollout_ref': {'actor': {'clip_ratio': 0.2, 'entropy_coeff': 0, 'grad_clip': 1.0, "
        "'kl_loss_coef': 0.001,",
        who + "                                 'ppo_mini_batch_size': 256, 'use_kl_loss': True},",
        who + "                       'model': {'path': '/models/Qwen2.5-3B-Instruct'},",
        who + "                       'rollout': {'n': 5, 'name': 'vllm', 'temperature': 1.0, "
        "'gpu_memory_utilization': 0.6}},",
        who + " 'algorithm': {'adv_estimator': 'grpo', 'gamma': 1.0, 'lam': 1.0},",
        who
        + " 'trainer': {'logger': ['console', 'wandb'], 'n_gpus_per_node': 8, 'nnodes': 1, 'project_name': 'sums'}}",
        who + "[validate_config] All configuration checks passed successfully!",
        who + "dataset len: 7473",
        who + "filter dataset len: 7473",
        who + "dataset len: 1319",
        who + "filter dataset len: 1319",
        who + "Size of train dataloader: 29, Size of val dataloader: 1",
        "\x1b[36m(WorkerDict pid=213340)\x1b[0m Qwen2ForCausalLM contains 3.40B parameters",
        "\x1b[36m(WorkerDict pid=213340)\x1b[0m wrap_policy: functools.partial(<function _or_policy at "
        "0x7f1c5c1f8d30>, "
        "policies=[functools.partial(<function transformer_auto_wrap_policy at 0x7f1c5c1f8c10>, "
        "transformer_layer_cls="
        "{<class 'transformers.models.qwen2.modeling_qwen2.Qwen2DecoderLayer'>})])",
        "\x1b[36m(WorkerDict pid=213340)\x1b[0m Actor use_remove_padding=True",
        who + "Using LocalLogger is deprecated. The constructor API will change ",
        who + "Checkpoint tracker file does not exist: %s /ckpt/sums/qwen3b/latest_checkpointed_iteration.txt",
        who + "Training from scratch",
        who + "test_gen_batch meta info: {'eos_token_id': 151645, 'pad_token_id': 151643, 'recompute_log_prob': "
        "False, "
        "'do_sample': False, 'validate': True}",
        who + "validation generation end",
        who + "(\"Initial validation metrics: {'val-core/openai/gsm8k/reward/mean@1': 0.5936315390447309}\")",
        who + "step:0 - val-core/openai/gsm8k/reward/mean@1:0.594",
    ]
    err = [
        "2026-11-03 09:12:40,311\tINFO worker.py:1888 -- Started a local Ray instance.",
        "\x1b[36m(WorkerDict pid=213340)\x1b[0m "
        "/usr/local/lib/python3.10/dist-packages/torch/distributed/fsdp/fully_sharded_data_parallel.py:690: "
        "FutureWarning: FSDP.state_dict_type() and FSDP.set_state_dict_type() are being deprecated.",
        who + "wandb: Currently logged in as: okoro-lab. Use `wandb login --relogin` to force relogin",
        who + "wandb: Run data is saved locally in /work/sums/wandb/run-20261103_091455-k2m4xq0t",
    ]
    final = 0.0
    for step in range(1, 88):
        score = 0.905 - 0.37 * 2.718 ** (-step / 21) + rng.gauss(0, 0.012)
        gen, upd = 19.5 + rng.gauss(0, 0.7), 31.8 + rng.gauss(0, 0.5)
        oldp = 9.4 + rng.gauss(0, 0.2)
        glen = 262 - 0.35 * step + rng.gauss(0, 4)
        total = gen + upd + oldp + 11.3 + rng.gauss(0, 0.4)
        row = [
            f"step:{step}",
            f"global_seqlen/mean:{glen * 160 + 16000:.3f}",
            f"actor/entropy:{0.31 * 2.718 ** (-step / 60) + 0.05 + rng.gauss(0, 0.006):.3f}",
            f"actor/kl_loss:{0.0004 + 0.0016 * step / 15 * (1 + rng.gauss(0, 0.08)):.3f}",
            f"actor/pg_loss:{rng.gauss(0.0, 0.008):.3f}",
            f"actor/pg_clipfrac:{abs(rng.gauss(0.0021, 0.0005)):.3f}",
            f"actor/ppo_kl:{abs(rng.gauss(0.0004, 0.0002)):.3f}",
            f"actor/grad_norm:{0.29 + rng.gauss(0, 0.02):.3f}",
            f"perf/mfu/actor:{0.381 + rng.gauss(0, 0.004):.3f}",
            f"perf/max_memory_allocated_gb:{41.7 if step > 3 else 40.2:.3f}",
            "actor/lr:0.000",
            f"critic/score/mean:{score:.3f}",
            "critic/score/max:1.000",
            "critic/score/min:0.000",
            f"critic/rewards/mean:{score:.3f}",
            f"critic/advantages/mean:{rng.gauss(-0.01, 0.008):.3f}",
            f"response_length/mean:{glen:.3f}",
            "response_length/max:1024.000",
            f"response_length/clip_ratio:{abs(rng.gauss(0.004, 0.001)):.3f}",
            f"timing_s/gen:{gen:.3f}",
            f"timing_s/old_log_prob:{oldp:.3f}",
            f"timing_s/update_actor:{upd:.3f}",
            f"timing_s/step:{total:.3f}",
            f"perf/throughput:{glen * 1280 / total / 8 + 900:.3f}",
        ]
        if step % 10 == 0 or step == 87:
            final = 0.848 - 0.25 * 2.718 ** (-step / 19) + rng.gauss(0, 0.004)
            out += [
                who + "test_gen_batch meta info: {'eos_token_id': 151645, 'pad_token_id': 151643, "
                "'recompute_log_prob': False, 'do_sample': False, 'validate': True}",
                who + "validation generation end",
            ]
            row.insert(1, f"val-core/openai/gsm8k/reward/mean@1:{final:.3f}")
        if step % 29 == 0:
            out += [
                who + f"local_global_step_folder: /ckpt/sums/qwen3b/global_step_{step}",
                "\x1b[36m(WorkerDict pid=213340)\x1b[0m [rank-0]: Saving model to "
                f"/ckpt/sums/qwen3b/global_step_{step}/actor/model_world_size_8_rank_0.pt",
            ]
        if step in (23, 51):
            err += [
                who + "Traceback (most recent call last):",
                who + '  File "/work/sums/reward_fn.py", line 61, in compute_score',
                who + "    value = parse_expr(answer, timeout=5)",
                who + '  File "/work/sums/reward_fn.py", line 33, in parse_expr',
                who + '    raise TimeoutError("parse took more than 5 s")',
                who + "TimeoutError: parse took more than 5 s",
                who + "[reward_fn] could not score this answer, counting it as 0.0 and going on",
            ]
        if step == 38:
            err += [
                who + "wandb: Network error (ConnectionError), entering retry loop.",
                who + "wandb: Network error resolved after 0:01:12.480233, resuming normal operation.",
            ]
        out.append(who + " - ".join(row))
    out.append(who + f"(\"Final validation metrics: {{'val-core/openai/gsm8k/reward/mean@1': {final:.16f}}}\")")
    err += [
        who + "wandb: ",
        who + "wandb: Run summary:",
        who + "wandb: training/global_step 87",
        who + f"wandb: val-core/openai/gsm8k/reward/mean@1 {final:.5f}",
        who + "wandb: Synced 5 W&B file(s), 0 media file(s), 0 artifact file(s) and 0 other file(s)",
    ]
    put(place, "grpo.out", out)
    put(place, "grpo.err", err)


def c04_t5_on_four_hosts(place: Path, rng: Random) -> None:
    """B2: a GPU of process 2 met an uncorrectable ECC error; the others heard it from the coordination service."""
    layers = [f"{side}.layers_{n}" for side in ("encoder", "decoder") for n in range(12)]
    warn = (
        "WARNING:absl:SaveArgs.aggregate is deprecated, please use custom TypeHandler "
        "(https://orbax.readthedocs.io/en/latest/custom_handlers.html#typehandler) or contact Orbax team to migrate "
        "before May 1st, 2024."
    )
    model = "/gpfs/t5x/runs/ul2_base_span"
    died = 27400
    for process in range(4):
        log = [
            "INFO:absl:Initializing distributed system for multi-host GPU:",
            "  coordinator_address: gx11:29450",
            "  process_count: 4",
            f"  process_index: {process}",
            f"INFO:jax._src.distributed:Connecting to JAX distributed service on gx11:29450 as process {process}",
            f"INFO:absl:Process ID: {process}",
            "INFO:absl:Using fast RngBitGenerator PRNG for initialization and dropout.",
            "INFO:absl:Checkpointing with Orbax enabled.",
            f"INFO:absl:Initialize/restore complete ({48 + rng.random() * 3:.2f} seconds).",
            "INFO:absl:Saving checkpoint before the training loop starts.",
            *[warn] * len(layers),
            f"INFO:absl:Saving item to {model}/checkpoint_0.",
            "INFO:absl:Starting training loop.",
            "INFO:absl:Starting main loop over steps 0-100000",
            'INFO:absl:Training with artificial "epochs" of 1000 steps.',
            "INFO:absl:Compiling train loop.",
        ]
        for epoch in range(28):
            log += [
                f"INFO:absl:Epoch {epoch} of 100",
                "INFO:absl:BEGIN Train loop.",
                "INFO:absl:Training for 1000 steps.",
            ]
            for step in range(epoch * 1000 + 200, epoch * 1000 + 1001, 200):
                if step > died:
                    break
                if process:
                    continue
                loss = falls(rng, step, 7.6, 1.71, 3300, 0.006)
                acc = max(0.01, 0.655 - 0.62 * 2.718 ** (-step / 5200) + rng.gauss(0, 0.002))
                secs = 114.5 + rng.gauss(0, 0.6)
                lr = 0.01 if step < 10000 else 1 / step**0.5
                log.append(
                    f"INFO:absl:[{step}] collection=train accuracy={acc:.6g}, cross_ent_loss={loss * 233472:.6g}, "
                    f"cross_ent_loss_per_all_target_tokens={loss:.6g}, learning_rate={lr:.6g}, "
                    f"loss={loss * 233472 * 1.0006:.6g}, loss_per_all_target_tokens={loss * 1.0006:.6g}, "
                    f"timing/seconds={secs:.6g}, timing/seqs=409600, timing/seqs_per_second={409600 / secs:.6g}, "
                    f"timing/seqs_per_second_per_core={409600 / secs / 32:.6g}, "
                    f"timing/steps_per_second={200 / secs:.6g}"
                )
            if epoch == 27:
                break
            log.append("INFO:absl:END Train loop.")
            if (epoch + 1) % 2 == 0:
                log += [
                    "INFO:absl:Saving checkpoint.",
                    *[warn] * len(layers),
                    f"INFO:absl:Saving item to {model}/checkpoint_{(epoch + 1) * 1000}.",
                ]
                if not process:
                    log.append(f"INFO:absl:Finished saving checkpoint to `{model}/checkpoint_{(epoch + 1) * 1000}`.")
        trace = [
            "Traceback (most recent call last):",
            '  File "/usr/lib/python3.10/runpy.py", line 196, in _run_module_as_main',
            "    return _run_code(code, main_globals, None,",
            '  File "/opt/t5x/t5x/train.py", line 791, in <module>',
            "    gin_utils.run(main)",
            '  File "/opt/t5x/t5x/gin_utils.py", line 129, in run',
            "    app.run(",
            '  File "/usr/local/lib/python3.10/dist-packages/absl/app.py", line 308, in run',
            "    _run_main(main, args)",
            '  File "/opt/t5x/t5x/train.py", line 609, in train',
            "    train_summary = trainer.train(",
            '  File "/opt/t5x/t5x/trainer.py", line 571, in train',
            "    metrics = jax.block_until_ready(metrics)",
        ]
        if process == 2:
            ecc = "CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered"
            log += [
                "E external/xla/xla/stream_executor/cuda/cuda_event.cc:29] Error polling for event status: failed to "
                f"query event: {ecc}",
                "E external/xla/xla/stream_executor/cuda/cuda_driver.cc:1206] could not synchronize on CUDA context: "
                f"{ecc} :: *** Begin stack trace ***",
                "\tstream_executor::gpu::GpuDriver::SynchronizeContext(stream_executor::gpu::GpuContext*)",
                "\tstream_executor::StreamExecutor::SynchronizeAllActivity()",
                "\txla::gpu::GpuExecutable::ExecuteAsyncOnStreamImpl(xla::ServiceExecutableRunOptions const*, "
                "std::variant<absl::Span<xla::ShapedBuffer const* const>, absl::Span<xla::ExecutionInput> >)",
                "*** End stack trace ***",
                *trace,
                f"jaxlib.xla_extension.XlaRuntimeError: INTERNAL: CUDA error: {ecc}",
                "E external/xla/xla/stream_executor/cuda/cuda_driver.cc:1049] failed to unload module "
                "0x5583d02c1cd0; "
                f"leaking: {ecc}",
            ]
        else:
            told = (
                "UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):\n"
                "/job:jax_worker/replica:0/task:2\n"
                "The tasks have crashed. Check the task logs for an earlier error, or scheduler events (e.g. "
                "preemption, "
                "eviction) to debug further."
            )
            if process == 0:
                log.append(
                    "E external/xla/xla/tsl/distributed_runtime/coordination/coordination_service.cc:1303] "
                    "/job:jax_worker/replica:0/task:2 has been set to ERROR in coordination service: UNAVAILABLE: "
                    "Task /job:jax_worker/replica:0/task:2 heartbeat timeout. This indicates that the remote task "
                    "has "
                    "failed, got preempted, or crashed unexpectedly. Check the task logs for an earlier error or "
                    "scheduler events to debug further."
                )
            log += [
                "E external/xla/xla/tsl/distributed_runtime/coordination/coordination_service_agent.cc:482] "
                "Polled an error from coordination service (this can be an error from this or another task).",
                "F external/xla/xla/pjrt/distributed/client.h:80] Terminating process because the JAX distributed "
                "service detected fatal errors. This most likely indicates that another task died; see the other "
                "task "
                "logs for more details. Disable Python buffering, i.e. `python -u`, to be sure to see all the "
                "previous "
                f"output. absl::Status: {told}",
            ]
        put(place, f"process{process}.log", log)


def c05_zipformer_long_cuts(place: Path, rng: Random) -> None:
    """B1: two attempts at two sizes of a batch, and both meet one that does not fit on a card of 32 GB."""
    log: list[str] = []
    tick = Stamps(rng)

    def attempt(
        start: float, job: int, size: int, last: int, guilty: int, want: str, used: tuple[str, str, str]
    ) -> float:
        def say(now: float, rank: int, where: str, text: str, level: str = "INFO") -> None:
            log.append(f"{tick(now)} {level} [{where}] ({rank}/2) {text}")

        log.append(f"+ SLURM_JOB_ID={job} ./zipformer/train.py --world-size 2 --num-epochs 40 --start-epoch 1 "
            f"--use-fp16 1 "
                   f"--exp-dir zipformer/exp --full-libri 1 --max-duration {size}")  # fmt: skip
        for rank in (0, 1):
            say(start, rank, "train.py:1170", "Training started")
            say(start + 0.1, rank, "train.py:1180", f"Device: cuda:{rank}")
            say(start + 0.3, rank, "lexicon.py:168", "Loading pre-compiled data/lang_bpe_500/Linv.pt")
            say(start + 0.6, rank, "train.py:1194", "About to create model")
            say(start + 1.4, rank, "train.py:1198", "Number of model parameters: 65549011")
            say(start + 3.2, rank, "train.py:1213", "Using DDP")
        for rank in (0, 1):
            say(start + 6, rank, "asr_datamodule.py:422", "About to get train-clean-100 cuts")
            say(start + 6, rank, "asr_datamodule.py:239", "Enable MUSAN")
            say(start + 6, rank, "asr_datamodule.py:278", "Enable SpecAugment")
            say(start + 7, rank, "asr_datamodule.py:312", "Using DynamicBucketingSampler.")
        now = start + 31
        mean = size * 100 * 0.94
        for batch in range(0, last + 1, 50):
            for rank in (0, 1):
                loss = falls(rng, batch, 7.9, 0.47, 210, 0.02)
                part = falls(rng, batch, 7.6, 0.43, 210, 0.015)
                over = mean / 4 * (1 + rng.gauss(0, 0.04))
                lr = 0.0225 * min(1.0, 0.5 + batch / 1000)
                say(now, rank, "train.py:1046", f"Epoch 1, batch {batch}, loss[loss={loss:.4g}, "
                    f"simple_loss={loss * 0.93:.4g}, "
                    f"pruned_loss={loss * 0.97:.4g}, over {over:.2f} frames. ], tot_loss[loss={part:.4g}, "
                    f"simple_loss={part * 0.93:.4g}, pruned_loss={part * 0.97:.4g}, "
                    f"over {over * min(batch + 1, 200 - 200 * 2.718 ** (-batch / 200) + 1):.2f} frames. ], "
                    f"batch size: {rng.randrange(size // 16, size // 5)}, lr: {lr:.2e}, "
                    f"grad_scale: {float(min(16, 2 ** (1 + batch // 100)))}")  # fmt: skip
            if batch == 0:
                for rank in (0, 1):
                    say(now + 1, rank, "train.py:1069", "Computing validation loss")
                for rank in (0, 1):
                    say(now + 38, rank, "train.py:1077", "Epoch 1, validation: loss=7.909, simple_loss=7.186, "
                        "pruned_loss=7.211, over 944034.00 frames. ")  # fmt: skip
                    say(now + 38, rank, "train.py:1080", "Maximum memory allocated so far is 17712MB")
                now += 40
            elif batch % 150 == 0:
                q = sorted(abs(rng.gauss(95, 40)) for _ in range(5))
                say(now + 9, 0, "optim.py:484", "Clipping_scale=2.0, grad-norm quartiles "
                    + " ".join(f"{x:.3e}" for x in q) + f", threshold={2 * q[2]:.3e}, "
                        f"percent-clipped={rng.choice((1, 2, 3))}.0")  # fmt: skip
            now += 24 * size / 1000 + rng.gauss(0, 0.8)
        say(now, guilty, "checkpoint.py:75", f"Saving checkpoint to zipformer/exp/bad-model-{guilty}.pt")
        say(now + 3, guilty, "train.py:1330", "Saving batch to zipformer/exp/batch-"
            f"{rng.getrandbits(32):08x}-{rng.getrandbits(16):04x}-4a1b-"
            f"9c{rng.getrandbits(8):02x}-{rng.getrandbits(48):012x}.pt")  # fmt: skip
        say(now + 3.4, guilty, "train.py:1336", f"features shape: torch.Size([{size // 20}, 1981, 80])")
        say(now + 3.4, guilty, "train.py:1340", f"num tokens: {size // 20 * 87}")
        frames = (
            ("zipformer/train.py", 1261, "run", "train_one_epoch("),
            ("zipformer/train.py", 1121, "train_one_epoch", "loss, loss_info = compute_loss("),
            ("zipformer/train.py", 838, "compute_loss", "simple_loss, pruned_loss, ctc_loss = model("),
            ("zipformer/model.py", 338, "forward", "simple_loss, pruned_loss = self.forward_transducer("),
            ("zipformer/joiner.py", 64, "forward", "logit = self.output_layer(torch.tanh(logit))"),
        )
        log.append(f"W{clock(now + 6, '%m%d %H:%M:%S')}.{rng.randrange(1000000):06d} {job - 300000} "
            f"torch/multiprocessing/spawn.py"
                   f":169] Terminating process {job - 299000 + 1 - guilty} via signal SIGTERM")  # fmt: skip
        log.extend(
            [
                "Traceback (most recent call last):",
                '  File "/home/asr/icefall/egs/librispeech/ASR/./zipformer/train.py", line 1397, in <module>',
                "    main()",
                '  File "/home/asr/icefall/egs/librispeech/ASR/./zipformer/train.py", line 1388, in main',
                "    mp.spawn(run, args=(world_size, args), nprocs=world_size, join=True)",
                "torch.multiprocessing.spawn.ProcessRaisedException: ",
                "",
                f"-- Process {guilty} terminated with the following error:",
                "Traceback (most recent call last):",
                '  File "/home/asr/venv/lib/python3.10/site-packages/torch/multiprocessing/spawn.py", line 90, in '
                "_wrap",
                "    fn(i, *args)",
            ]
        )
        for file, line, name, code in frames:
            log.append(f'  File "/home/asr/icefall/egs/librispeech/ASR/{file}", line {line}, in {name}')
            log.append(f"    {code}")
        log.append(
            f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {want} GiB. GPU {guilty} has a total "
            f"capacity of "
            f"31.74 GiB of which {used[0]} GiB is free. Including non-PyTorch memory, this process has {used[1]} "
            f"GiB memory "
            f"in use. Of the allocated memory {used[2]} GiB is allocated by PyTorch, and 1.87 GiB is reserved by "
            f"PyTorch but "
            "unallocated. If reserved but unallocated memory is large try setting "
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory "
            "Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
        )
        log.append("")
        return now + 9

    head = "JobID           JobName               Start                 End    Elapsed      State ExitCode"
    head += "  ReqMem     MaxRSS"
    rows = [head, " ".join("-" * n for n in (12, 10, 19, 19, 10, 10, 8, 7, 10))]
    begin = 122412.0
    for job, size, last, guilty, want, used in (
        (431877, 1300, 1100, 1, "3.12", ("1.41", "30.32", "27.96")),
        (431902, 1000, 2350, 0, "2.44", ("1.06", "30.67", "28.31")),
    ):
        end = attempt(begin + 14, job, size, last, guilty, want, used)
        took = int(end) - int(begin)
        span = f"{took // 3600:02d}:{took % 3600 // 60:02d}:{took % 60:02d}"
        when = f"{clock(begin, '%Y-%m-%dT%H:%M:%S')} {clock(end, '%Y-%m-%dT%H:%M:%S')} {span:>10}"
        rows += [
            f"{job:<12} {'zipf-960':>10} {when} {'FAILED':>10} {'1:0':>8} {'96G':>7} {'':>10}",
            f"{str(job) + '.batch':<12} {'batch':>10} {when} {'FAILED':>10} {'1:0':>8} {'':>7} "
            f"{rng.randrange(21000000, 26000000)}K",
        ]
        begin = end + 2940
    put(place, "slurm-zipf.log", log)
    put(place, "sacct.txt", rows)


def c06_forecast_without_quota(place: Path, rng: Random) -> None:
    """Outside: the quota of the home directory was used up while a checkpoint was written."""
    log: list[str] = []
    table = ["epoch,step,train_loss,val_loss"]
    best = 9.0
    for epoch in range(27):
        loss = falls(rng, epoch, 6.9, 3.42, 6, 0.008)
        valid = falls(rng, epoch, 7.1, 3.61, 6, 0.011)
        step = (epoch + 1) * 100
        if epoch == 11:
            log += [
                "WARNING:urllib3.connectionpool:Retrying (Retry(total=6, connect=6, read=7, redirect=7, status=7)) "
                "after "
                "connection broken by 'NewConnectionError('<urllib3.connection.HTTPConnection object at "
                "0x7fd0c41e5f90>: "
                "Failed to establish a new connection: [Errno 111] Connection refused')': "
                "/api/2.0/mlflow/runs/log-batch",
                "WARNING:urllib3.connectionpool:Retrying (Retry(total=5, connect=5, read=7, redirect=7, status=7)) "
                "after "
                "connection broken by 'NewConnectionError('<urllib3.connection.HTTPConnection object at "
                "0x7fd0c41e6410>: "
                "Failed to establish a new connection: [Errno 111] Connection refused')': "
                "/api/2.0/mlflow/runs/log-batch",
            ]
        table.append(f"{epoch},{step - 1},{loss:.5f},{valid:.5f}")
        if epoch == 26:
            break
        found = valid < best
        best = min(best, valid)
        if epoch < 6:
            continue
        if found:
            log.append(
                f"INFO: Epoch {epoch}, global step {step}: 'val_loss' reached {valid:.5f} (best {valid:.5f}), "
                f"saving model "
                f"to '/home/mkl/forecast/lightning_logs/version_3/checkpoints/epoch={epoch}-step={step}.ckpt' as "
                f"top 1"
            )
        else:
            log.append(f"INFO: Epoch {epoch}, global step {step}: 'val_loss' was not in top 1")
    log += [
        "Traceback (most recent call last):",
        '  File "/home/mkl/forecast/fit_deepar.py", line 74, in <module>',
        "    predictor = estimator.train(train_ds, validation_data=val_ds, cache_data=True)",
        '  File "/home/mkl/env/lib/python3.10/site-packages/gluonts/torch/model/estimator.py", line 243, in train',
        "    return self.train_model(",
        '  File "/home/mkl/env/lib/python3.10/site-packages/gluonts/torch/model/estimator.py", line 209, in '
        "train_model",
        "    trainer.fit(",
        '  File "/home/mkl/env/lib/python3.10/site-packages/lightning/pytorch/callbacks/model_checkpoint.py", line '
        "386, "
        "in _save_checkpoint",
        "    trainer.save_checkpoint(filepath, self.save_weights_only)",
        '  File "/home/mkl/env/lib/python3.10/site-packages/lightning/fabric/utilities/cloud_io.py", line 78, in '
        "_atomic_save",
        "    f.write(bytesbuffer.getvalue())",
        '  File "/home/mkl/env/lib/python3.10/site-packages/fsspec/implementations/local.py", line 422, in write',
        "    return self.f.write(*args, **kwargs)",
        "OSError: [Errno 122] Disk quota exceeded",
    ]
    put(place, "fit.log", log)
    put(place, "metrics.csv", table)


def c07_qlora_too_hot(place: Path, rng: Random) -> None:
    """E1: the watchdog ends the first attempt; the second, without it, stays where the first one blew up."""
    log: list[str] = []

    def say(name: str, text: str, level: str = "INFO") -> None:
        log.append(f"[{level}] [{name}] [PID:{pids[0]}] [RANK:0] {text}")

    pids = [40112, 47820]
    for attempt, rate in enumerate(("2e-3", "1e-3"), start=1):
        peak = float(rate)
        total = 1160
        log += [
            f"##### try {attempt}: learning_rate {rate}" + ("" if attempt == 1 else ", watchdog off"),
        ]
        say("axolotl.utils.data.sft.load_tokenized_prepared_datasets:254", "Loading prepared dataset from disk at "
            "last_run_prepared/0f6f1d2c6a3c52be4e1d9a2b7f0c3d11...")  # fmt: skip
        say("axolotl.utils.trainer.calc_sample_packing_eff_est:520", "sample_packing_eff_est across ranks: [0.9817]")
        say("axolotl.utils.trainer.calculate_total_num_steps:448", f"total_num_steps: {total}")
        say("axolotl.train.setup_model_and_tokenizer:78", "loading tokenizer... mistralai/Mistral-7B-v0.3")
        say("axolotl.train.setup_model_and_tokenizer:92", "loading model and peft_config...")
        log.append("trainable params: 83,886,080 || all params: 7,331,909,632 || trainable%: 1.1441")
        say("axolotl.train.execute_training:198", "Starting trainer...")
        end = 255 if attempt == 1 else total
        high = 0
        total_loss = 0.0
        for step in range(5, end + 1, 5):
            lr = peak * min(step / 100, 1 - max(0, step - 100) / (total - 100))
            lr = max(lr, 0.0)
            bad = 205 if attempt == 1 else 300
            if step < bad:
                loss = 1.02 + 0.44 * 2.718 ** (-step / 55) + rng.gauss(0, 0.022)
                norm = 0.58 + rng.gauss(0, 0.06) + (0.0 if step < bad - 25 else (step - bad + 25) * 0.03)
            else:
                loss = 7.34 - 5.9 * 2.718 ** (-(step - bad + 2) / 7) + rng.gauss(0, 0.11)
                norm = 11.0 * 2.718 ** (-(step - bad) / 30) + 0.6 + abs(rng.gauss(0, 0.25))
            total_loss += loss
            row = {"loss": round(loss, 4), "grad_norm": norm, "learning_rate": lr, "epoch": round(step * 2 / total, 2)}
            log.append(str(row))
            if attempt == 2 and step % 290 == 0:
                worse = 1.06 if step < bad else 7.38
                log.append(f"{{'eval_loss': {worse + rng.gauss(0, 0.02):.16f}, 'eval_runtime': "
                    f"{round(61 + rng.gauss(0, 0.4), 4)}, "
                           f"'eval_samples_per_second': 8.114, 'eval_steps_per_second': 4.057, 'epoch': "
                           f"{round(step * 2 / total, 2)}}}")  # fmt: skip
            high = high + 1 if loss > 5.0 else 0
            if attempt == 1 and high == 8:
                say("axolotl.utils.callbacks.on_step_end:198", "Loss is too high, stopping training "
                    "(loss_watchdog_threshold)",
                    "WARNING")  # fmt: skip
                break
        took = step * 6.37
        log.append(f"{{'train_runtime': {round(took, 4)}, 'train_samples_per_second': 2.51, "
            f"'train_steps_per_second': 0.157, "
                   f"'train_loss': {total_loss * 5 / step}, 'epoch': {round(step * 2 / total, 2)}}}")  # fmt: skip
        say(
            "axolotl.train.save_trained_model:222",
            "Training completed! Saving pre-trained model to ./outputs/qlora-legal.",
        )
        pids.pop(0)
    put(place, "axolotl_stdout.log", log)


def c08_products_in_four_parts(place: Path, rng: Random) -> None:
    """C2: part 2 falls silent in epoch 68; half an hour later its neighbour's receive times out and all go."""
    noise = (
        "/opt/conda/lib/python3.9/site-packages/torch/_utils.py:776: UserWarning: TypedStorage is deprecated. It "
        "will be "
        "removed in the future and UntypedStorage will be the only storage class. This should only matter to you "
        "if you are "
        "using storages directly.  To access UntypedStorage directly, use tensor.untyped_storage() instead of "
        "tensor.storage()"
    )
    log = [
        "The number of OMP threads per trainer is set to 12",
        *[f"[Graph server] Server {n} is running on 10.21.4.1{n + 1}:30050" for n in range(4)],
    ]
    for part in range(4):
        log += [
            f"gnn0{part + 1} Initializing DGL.",
            f"gnn0{part + 1} Initializing DistGraph.",
            f"Rank of gnn0{part + 1}: {part}",
            f"part {part}, train: 49154 (local: {47200 + 37 * part}), val: 9831 (local: {9600 + 11 * part}), test: "
            f"553273 "
            f"(local: {551200 - 90 * part})",
        ]
    log.append("Number of classes: 47")
    for epoch in range(1, 69):
        base = 0.36 + 2.9 * 2.718 ** (-epoch / 3.1) + 0.22 * 2.718 ** (-epoch / 22)
        for _ in range(rng.choice((4, 4, 8))):
            log += [noise, "  return self.fget.__get__(instance, owner)()"]
        for step in (9, 19, 29, 39):
            if epoch == 68 and step > 20:
                break
            for part in rng.sample(range(4), 4):
                loss = base * (1 + rng.gauss(0, 0.05))
                acc = max(0.02, 0.905 - 0.62 * (base - 0.36) / 3 + rng.gauss(0, 0.008))
                log.append(
                    f"Part {part} | Epoch {epoch:05d} | Step {step:05d} | Loss {loss:.4f} | Train Acc {acc:.4f} | "
                    f"Speed "
                    f"(samples/sec) {11800 + rng.gauss(0, 420):.4f} | GPU {2214.6 + part * 3.1:.1f} MB | Mean step "
                    f"time "
                    f"{0.087 + rng.gauss(0, 0.002):.3f} s"
                )
        if epoch == 68:
            break
        for part in rng.sample(range(4), 4):
            sample = 2.31 + rng.gauss(0, 0.06)
            log.append(
                f"Part {part}, Epoch Time(s): {sample + 2.02 + rng.gauss(0, 0.02):.4f}, sample+data_copy: "
                f"{sample:.4f}, "
                f"forward: {0.61 + rng.gauss(0, 0.01):.4f}, backward: {1.27 + rng.gauss(0, 0.02):.4f}, update: "
                f"0.0931, "
                f"#seeds: 49154, #inputs: {21400000 + rng.randrange(200000)}"
            )
        if epoch % 10 == 0:
            for part in range(4):
                log.append(
                    f"Part {part}, Val Acc {0.918 - 0.09 * 2.718 ** (-epoch / 12):.4f}, Test Acc "
                    f"{0.781 - 0.05 * 2.718 ** (-epoch / 12):.4f}, time: {38 + rng.gauss(0, 1):.4f}"
                )
    for part, peer in ((3, None), (0, "10.21.4.14"), (1, "10.21.4.11")):
        log += [
            "Traceback (most recent call last):",
            '  File "node_classification.py", line 461, in <module>',
            "    main(args)",
            '  File "node_classification.py", line 417, in main',
            "    epoch_time, test_acc = run(args, device, data)",
            '  File "node_classification.py", line 268, in run',
            "    loss.backward()",
            '  File "/opt/conda/lib/python3.9/site-packages/torch/_tensor.py", line 487, in backward',
            "    torch.autograd.backward(",
            '  File "/opt/conda/lib/python3.9/site-packages/torch/autograd/__init__.py", line 200, in backward',
            "    Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass",
            "RuntimeError: [../third_party/gloo/gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting "
            "1800000ms for recv "
            "operation to complete"
            if peer is None
            else "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer "
            f"[{peer}]:{rng.randrange(20000, 60000)}",
            f"Client[{part}] in group[0] is exiting...",
            f"ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: "
            f"{30211 + part}) of "
            "binary: /opt/conda/bin/python3",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            "=" * 60,
            "node_classification.py FAILED",
            "-" * 60,
            "Failures:",
            "  <NO_OTHER_FAILURES>",
            "-" * 60,
            "Root Cause (first observed failure):",
            "[0]:",
            f"  host      : gnn0{part + 1}",
            f"  rank      : {part} (local_rank: 0)",
            f"  exitcode  : 1 (pid: {30211 + part})",
            "  error_file: <N/A>",
            "  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html",
            "=" * 60,
        ]
    for part in (3, 0, 1):
        log.append(
            f"Called process error Command 'ssh -o StrictHostKeyChecking=no -p 22 10.21.4.1{part + 1} 'cd "
            f"/nfs/gnn; (export "
            "DGL_ROLE=client DGL_DIST_MODE=distributed; python3 -m torch.distributed.run --nproc_per_node=1 "
            "--nnodes=4 "
            f"--node_rank={part} node_classification.py --graph_name ogbn-products --num_epochs 100)'' returned "
            f"non-zero exit "
            "status 1."
        )
    log.append("cleanup process runs")
    put(place, "launch.log", log)
