"""Curves c17 to c24 of the twenty-first set. SIMULATED: no line was taken from a real job."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from samples.redteam.seventeenth.pen import bar, clock, falls, hms, put

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

DAY = 86400


def c17(place: Path, rng: Random) -> None:
    say = "INFO:absl:"
    log = [
        "WARNING:absl:Tensorflow library not found, tensorflow.io.gfile operations will use native shim calls.",
        f"{say}Unable to initialize backend 'rocm': NOT_FOUND: Could not find registered platform with name: \"rocm\".",
        f"{say}Unable to initialize backend 'tpu': INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared "
        "object file: No such file or directory",
        f"{say}JAX process: 0 / 1",
        f"{say}JAX devices: [CudaDevice(id=0), CudaDevice(id=1), CudaDevice(id=2), CudaDevice(id=3), "
        "CudaDevice(id=4), CudaDevice(id=5), CudaDevice(id=6), CudaDevice(id=7)]",
        f"{say}jax.device_count(): 8",
        f"{say}jax.local_device_count(): 8",
        f"{say}jax.process_count(): 1",
        f"{say}[PAX STATUS]: Running get_experiment",
        f"{say}[PAX STATUS]: Elapsed time for <get_experiment>: 3.811 seconds",
        f"{say}[PAX STATUS]: Getting dataset configurations.",
        f"{say}[PAX STATUS]: Creating task",
        f"{say}Experiment: asrtext.experiments.WeightedGpt1p3B  num_train_steps=20000 eval_interval_steps=2000 "
        "summary_interval_steps=20 save_interval_steps=1000",
        f"{say}[PAX STATUS]: SeqIO init took 11 seconds (mixture=c4_lm_v301_gpt, split=train)",
        "W external/local_tsl/tsl/platform/cloud/../retrying_utils.cc:29] The operation failed and will be "
        "automatically retried in 1.31 seconds (attempt 1 out of 10), caused by: UNAVAILABLE: Error executing an HTTP "
        "request: libcurl code 56 meaning 'Failure when receiving data from the peer', error details: OpenSSL "
        "SSL_read: Connection reset by peer, errno 104",
        "W external/local_tsl/tsl/platform/cloud/../retrying_utils.cc:29] The operation failed and will be "
        "automatically retried in 2.07 seconds (attempt 2 out of 10), caused by: UNAVAILABLE: Error executing an HTTP "
        "request: libcurl code 56 meaning 'Failure when receiving data from the peer', error details: OpenSSL "
        "SSL_read: Connection reset by peer, errno 104",
        f"{say}[PAX STATUS]: SeqIO dataset `as_numpy_iterator` call took 4 seconds (mixture=c4_lm_v301_gpt, "
        "split=train)",
        f"{say}[PAX STATUS]: SeqIO init took 2 seconds (mixture=c4_lm_v301_gpt_eval, split=validation)",
        f"{say}[PAX STATUS]: Setting up partitioner",
        f"{say}[PAX STATUS]: Initializing/restoring model variables.",
        f"{say}No checkpoint found for restore in gs://lab-ckpt/asrtext/1p3b_b/checkpoints; initializing from scratch.",
        f"{say}Model initial global_step=0",
        f"{say}[PAX STATUS]: Starting training loop.",
        f"{say}[PAX STATUS]: Starting first train_step.",
        f"{say}[PAX STATUS]: Performing JAX compilation: train_step()",
        f"{say}[PAX STATUS]: train_step() took 71.402 seconds.",
    ]
    rows = []
    for step in range(20, 2001, 20):
        loss = falls(rng, step, 10.9, 3.1, 380, 0.008)
        rows.append(
            {
                "step": step,
                "loss": round(loss, 5),
                "grad_norm": round(0.35 + 4 * math.exp(-step / 150) + abs(rng.gauss(0, 0.05)), 4),
                "lr": round(3e-4 * min(1, step / 1000), 8),
                "Steps/sec": round(1.31 + rng.gauss(0, 0.012), 4),
            }
        )
        log.append(f"{say}[PAX STATUS] step_i: {step}, training loss: {loss:.7g}")
        if step % 100 == 0:
            log.append(f"{say}[PAX STATUS]: train_step() took {0.76 + rng.gauss(0, 0.01):.3f} seconds.")
        if step % 1000 == 0:
            log += [
                f"{say}[PAX STATUS]: Saving checkpoint at step: {step}",
                f"{say}Saved checkpoint to gs://lab-ckpt/asrtext/1p3b_b/checkpoints/checkpoint_{step:08d}",
            ]
    log += [
        f"{say}[PAX STATUS]: Starting eval_step().",
        f"{say}[PAX STATUS]:  Evaluating c4_lm_v301_gpt_eval at step 2000",
        "Traceback (most recent call last):",
        '  File "/opt/paxml/paxml/main.py", line 448, in <module>',
        "    app.run(main, flags_parser=absl_flags.flags_parser)",
        '  File "/opt/paxml/paxml/main.py", line 377, in run_experiment',
        "    train.train_and_evaluate(",
        '  File "/opt/paxml/paxml/train.py", line 281, in train_and_evaluate',
        "    executor.start()",
        '  File "/opt/paxml/paxml/executors.py", line 406, in start',
        "    _train_and_evaluate_common(",
        '  File "/opt/paxml/paxml/executors.py", line 561, in _train_and_evaluate_common',
        "    eval_partitioned_train_state, eval_metrics = tuning_lib.run_eval(",
        '  File "/opt/paxml/paxml/programs.py", line 862, in run',
        "    num_steps, loss, summary_tensors, metrics = self._run_eval_loop(state)",
        '  File "/opt/paxml/paxml/trainer_lib.py", line 1204, in eval_step_single_learner',
        "    weighted_loss, mean_loss, weighted_scalars, aux_loss = loss_fn(mdl_vars, inputs)",
        '  File "/workspace/asrtext/models/weighted_lm.py", line 143, in compute_loss',
        "    weights = input_batch.eval_sample_weights * input_batch.weights",
        '  File "/usr/local/lib/python3.10/dist-packages/lingvo/core/nested_map.py", line 110, in __getattr__',
        "    raise AttributeError(",
        "AttributeError: 'eval_sample_weights'; available attributes: ['ids', 'inputs_indicator', 'labels', "
        "'paddings', 'segment_ids', 'segment_pos', 'weights']",
    ]
    put(place, "pax.log", log)
    put(place, "scalars.jsonl", [json.dumps(row) for row in rows])


def c18(place: Path, rng: Random) -> None:
    def say(when: float, who: str, text: str) -> str:
        return f"\x1b[32m[{clock(when, '%m/%d %H:%M:%S')} {who}]: \x1b[0m{text}"

    def head(when: float, opts: str) -> list[str]:
        return [
            f"Command Line Args: Namespace(config_file='configs/dota_faster_r50.yaml', {opts}, num_gpus=4, "
            "num_machines=1, machine_rank=0, dist_url='tcp://127.0.0.1:49152')",
            say(when + 9, "detectron2", "Rank of current process: 0. World size: 4"),
            say(when + 11, "detectron2", "Environment info:"),
            "-------------------------------  ------------------------------------------------------------",
            "sys.platform                     linux",
            "Python                           3.9.18 (main, Sep 11 2023, 13:41:44) [GCC 11.2.0]",
            "detectron2                       0.6 @/home/mwolf/src/detectron2/detectron2",
            "PyTorch                          2.0.1+cu118 @/home/mwolf/envs/d2/lib/python3.9/site-packages/torch",
            "GPU 0,1,2,3                      NVIDIA A40 (arch=8.6)",
            "fvcore                           0.1.5.post20221221",
            "-------------------------------  ------------------------------------------------------------",
            say(when + 14, "d2.data.build", "Removed 184 images with no usable annotations. 21846 images left."),
            say(when + 15, "d2.data.build", "Using training sampler TrainingSampler"),
            say(
                when + 15, "d2.data.common", "Serializing 21846 elements to byte tensors and concatenating them all ..."
            ),
            say(when + 16, "d2.data.common", "Serialized dataset takes 61.27 MiB"),
        ]

    start = 1.0 * DAY + 8 * 3600 + 412
    log = head(start, "resume=False, eval_only=False, opts=['MODEL.BACKBONE.FREEZE_AT', '2']")
    when = start + 21
    log += [
        say(
            when,
            "d2.checkpoint.detection_checkpoint",
            "[DetectionCheckpointer] Loading from detectron2://ImageNetPretrained/MSRA/R-50.pkl ...",
        ),
        say(when + 2, "d2.engine.train_loop", "Starting training from iteration 0"),
    ]
    when += 2
    total, pace, stop = 60000, 0.4161, start + 4 * 3600
    for done in range(49, 34600, 50):
        now = when + done * pace + 1.5 * rng.random()
        if now > stop - 1:
            break
        part = [falls(rng, done, a, b, 1900, 0.06) for a, b in ((1.9, 0.19), (0.32, 0.24), (0.62, 0.035), (0.2, 0.06))]
        rate = 0.02 * min(1, (done + 1) / 1000)
        took, data = pace + rng.gauss(0, 0.002), abs(rng.gauss(0.011, 0.002))
        log.append(
            say(
                now,
                "d2.utils.events",
                f" eta: {hms((total - done) * pace)}  iter: {done}  total_loss: "
                f"{sum(part):.4g}  loss_cls: {part[0]:.4g}  loss_box_reg: {part[1]:.4g}  loss_rpn_cls: {part[2]:.4g}"
                f"  loss_rpn_loc: {part[3]:.4g}    time: {took:.4f}  last_time: {took + rng.gauss(0, 0.02):.4f}  "
                f"data_time: {data:.4f}  last_data_time: {abs(data + rng.gauss(0, 0.003)):.4f}   lr: {rate:.5g}  "
                f"max_mem: 9184M",
            )
        )
        if (done + 1) % 5000 == 0:
            log.append(
                say(now + 1, "fvcore.common.checkpoint", f"Saving checkpoint to ./output/dota_r50/model_{done:07d}.pth")
            )
    log.append(
        f"slurmstepd: error: *** JOB 3310278 ON gpu-a40-06 CANCELLED AT {clock(stop, '%Y-%m-%dT%H:%M:%S')} DUE TO TIME "
        "LIMIT ***"
    )
    again = stop + 731
    log += head(again, "resume=True, eval_only=False, opts=['MODEL.BACKBONE.FREEZE_AT', '0']")
    where = "/home/mwolf/envs/d2/lib/python3.9/site-packages"
    log += [
        say(
            again + 22,
            "d2.checkpoint.detection_checkpoint",
            "[DetectionCheckpointer] Loading from ./output/dota_r50/model_0029999.pth ...",
        ),
        say(
            again + 22,
            "fvcore.common.checkpoint",
            "[Checkpointer] Loading from ./output/dota_r50/model_0029999.pth ...",
        ),
        say(again + 24, "fvcore.common.checkpoint", "Loading trainer from ./output/dota_r50/model_0029999.pth ..."),
        say(again + 24, "d2.engine.hooks", "Loading scheduler from state_dict ..."),
        "Traceback (most recent call last):",
        '  File "/home/mwolf/src/dota/train_net.py", line 141, in <module>',
        "    launch(",
        '  File "/home/mwolf/src/detectron2/detectron2/engine/launch.py", line 69, in launch',
        "    mp.start_processes(",
        f'  File "{where}/torch/multiprocessing/spawn.py", line 202, in start_processes',
        "    while not context.join():",
        f'  File "{where}/torch/multiprocessing/spawn.py", line 160, in join',
        "    raise ProcessRaisedException(msg, error_index, failed_process.pid)",
        "torch.multiprocessing.spawn.ProcessRaisedException: ",
        "",
        "-- Process 1 terminated with the following error:",
        "Traceback (most recent call last):",
        f'  File "{where}/torch/multiprocessing/spawn.py", line 69, in _wrap',
        "    fn(i, *args)",
        '  File "/home/mwolf/src/detectron2/detectron2/engine/launch.py", line 123, in _distributed_worker',
        "    main_func(*args)",
        '  File "/home/mwolf/src/dota/train_net.py", line 128, in main',
        "    trainer.resume_or_load(resume=args.resume)",
        '  File "/home/mwolf/src/detectron2/detectron2/engine/defaults.py", line 414, in resume_or_load',
        "    self.checkpointer.resume_or_load(self.cfg.MODEL.WEIGHTS, resume=resume)",
        f'  File "{where}/fvcore/common/checkpoint.py", line 227, in resume_or_load',
        "    return self.load(path)",
        '  File "/home/mwolf/src/detectron2/detectron2/checkpoint/detection_checkpoint.py", line 62, in load',
        "    ret = super().load(path, *args, **kwargs)",
        f'  File "{where}/fvcore/common/checkpoint.py", line 156, in load',
        "    obj.load_state_dict(checkpoint.pop(key))",
        '  File "/home/mwolf/src/detectron2/detectron2/engine/defaults.py", line 507, in load_state_dict',
        '    self._trainer.load_state_dict(state_dict["_trainer"])',
        '  File "/home/mwolf/src/detectron2/detectron2/engine/train_loop.py", line 431, in load_state_dict',
        '    self.optimizer.load_state_dict(state_dict["optimizer"])',
        f'  File "{where}/torch/optim/optimizer.py", line 390, in load_state_dict',
        '    raise ValueError("loaded state dict contains a parameter group "',
        "ValueError: loaded state dict contains a parameter group that doesn't match the size of optimizer's group",
        "",
        "srun: error: gpu-a40-06: task 0: Exited with exit code 1",
    ]
    put(place, "slurm-dota_r50.out", log)
    iso = "%Y-%m-%dT%H:%M:%S"
    put(
        place,
        "sacct.txt",
        [
            "JobID           JobName      State ExitCode    Elapsed               Start                 End        "
            "NodeList ",
            "------------ ---------- ---------- -------- ---------- ------------------- ------------------- "
            "--------------- ",
            f"3310278        dota_r50    TIMEOUT      0:0   04:00:00 {clock(start, iso)} {clock(stop, iso)}      "
            "gpu-a40-06 ",
            f"3310278.bat+      batch  CANCELLED     0:15   04:00:02 {clock(start, iso)} {clock(stop + 2, iso)}      "
            "gpu-a40-06 ",
            f"3310291        dota_r50     FAILED      1:0   00:00:41 {clock(again, iso)} {clock(again + 41, iso)}      "
            "gpu-a40-06 ",
            f"3310291.bat+      batch     FAILED      1:0   00:00:41 {clock(again, iso)} {clock(again + 41, iso)}      "
            "gpu-a40-06 ",
        ],
    )


def _estimator(rng: Random, when: float, last: int, floor: float, model: str) -> tuple[list[str], float]:
    """Lines of a tf.estimator run from start to the last step, and the clock then."""

    def say(now: float, where: str, text: str) -> str:
        return f"I{clock(now, '%m%d %H:%M:%S.%f')} 139871204517696 {where}] {text}"

    log = [
        say(
            when,
            "estimator.py:191",
            "Using config: {'_model_dir': 'gs_mirror/" + model + "', '_tf_random_seed': None, "
            "'_save_summary_steps': 100, '_save_checkpoints_steps': 5000, '_keep_checkpoint_max': 5, "
            "'_log_step_count_steps': 100, '_train_distribute': None, '_task_type': 'worker', '_task_id': 0}",
        ),
        say(when + 3, "estimator.py:1166", "Calling model_fn."),
        say(when + 19, "estimator.py:1168", "Done calling model_fn."),
        say(when + 20, "basic_session_run_hooks.py:547", "Create CheckpointSaverHook."),
        say(when + 27, "monitored_session.py:246", "Graph was finalized."),
        say(when + 31, "session_manager.py:531", "Running local_init_op."),
        say(when + 31, "session_manager.py:534", "Done running local_init_op."),
        say(
            when + 44, "basic_session_run_hooks.py:625", f"Saving checkpoints for 0 into gs_mirror/{model}/model.ckpt."
        ),
    ]
    when += 61
    log.append(
        say(
            when,
            "basic_session_run_hooks.py:262",
            f"loss = {falls(rng, 0, 9.87, floor, 2600, 0.03):.7g}, step = 0",
        )
    )
    for step in range(100, last + 1, 100):
        took = 100 / (3.42 + rng.gauss(0, 0.04))
        when += took
        if step % 5000 == 0:
            log.append(
                say(
                    when,
                    "basic_session_run_hooks.py:625",
                    f"Saving checkpoints for {step} into gs_mirror/{model}/model.ckpt.",
                )
            )
            when += 4.2
        log += [
            say(when, "basic_session_run_hooks.py:702", f"global_step/sec: {100 / took:.6g}"),
            say(
                when + 0.0006,
                "basic_session_run_hooks.py:260",
                f"loss = {falls(rng, step, 9.87, floor, 2600, 0.035):.7g}, step = {step} ({took:.3f} sec)",
            ),
        ]
    return log, when


def c19(place: Path, rng: Random) -> None:
    old, when = _estimator(rng, -2.2 * DAY + 0.3718, 20000, 1.85, "nmt_de_cs_base")
    last = old[-1].split("loss = ")[1].split(",")[0]
    old.append(
        f"I{clock(when + 4.1, '%m%d %H:%M:%S.%f')} 139871204517696 estimator.py:373] Loss for final step: {last}."
    )
    put(place, "old/train_base.log", old)
    log, when = _estimator(rng, 1.31 * DAY + 0.1133, 18400, 1.71, "nmt_de_cs")

    def raw(level: str, where: str, text: str, plus: float = 0.0) -> str:
        nonlocal when
        when += rng.uniform(2e-6, 9e-6)
        return f"{clock(when + plus, '%Y-%m-%d %H:%M:%S.%f')}: {level} tensorflow/core/{where}] {text}"

    when += 17
    alloc = "common_runtime/bfc_allocator.cc:"
    log += [
        raw(
            "W",
            alloc + "462",
            "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.32GiB (rounded to 2494816256)"
            "requested by op transformer/decoder/logits/MatMul",
        ),
        "If the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will "
        "improve the situation. ",
        "Current allocation summary follows.",
        "Current allocation summary follows.",
        raw("I", alloc + "1010", "BFCAllocator dump for GPU_0_bfc"),
    ]
    for power in range(20):
        size = 256 << power
        many = rng.choice((0, 0, 3, 17, 112)) if power > 4 else rng.randrange(40, 1300)
        label = size
        log.append(
            raw(
                "I",
                alloc + "1017",
                f"Bin ({label}): \tTotal Chunks: {many}, Chunks in use: {many}. "
                f"{many * size / 2**20:.1f}MiB allocated for chunks. {many * size / 2**20:.1f}MiB in use in bin. "
                f"{many * size * 0.93 / 2**20:.1f}MiB client-requested in use in bin.",
            )
        )
    log.append(
        raw(
            "I",
            alloc + "1017",
            "Bin (268435456): \tTotal Chunks: 18, Chunks in use: 17. 18.02GiB allocated for chunks. "
            "16.60GiB in use in bin. 16.31GiB client-requested in use in bin.",
        )
    )
    log += [
        raw("I", alloc + "1033", "Bin for 2.32GiB was 256.00MiB, Chunk State: "),
        raw(
            "I",
            alloc + "1039",
            "  Size: 1.41GiB | Requested Size: 1.16GiB | in_use: 0 | bin_num: 20, prev:   Size: 390.6MiB | "
            "Requested Size: 390.6MiB | in_use: 1 | bin_num: -1",
        ),
        raw("I", alloc + "1046", "Next region of size 23370661888"),
    ]
    base = 0x7F21C2000000
    for number in range(1, 240):
        size = rng.choice((256, 1280, 2048, 4096, 8192, 1048576, 4194304, 16777216, 65536000))
        log.append(
            raw(
                "I",
                alloc + "1066",
                f"{'Free ' if rng.random() < 0.04 else 'InUse'} at {base:x} of size {size} next {number}",
                0.1,
            )
        )
        base += size
    small = ((214, 256), (391, 2048), (62, 1048576), (310, 4194304), (74, 16777216), (21, 65536000))
    log += [
        raw("I", alloc + "1071", "     Summary of in-use Chunks by size: ", 0.2),
        *(
            raw("I", alloc + "1074", f"{n} Chunks of size {size} totalling {n * size / 2**20:.2f}MiB", 0.2)
            for n, size in (*small, (17, (21807746816 - sum(n * size for n, size in small)) // 17 // 256 * 256))
        ),
        raw("I", alloc + "1078", "Sum Total of in-use chunks: 20.31GiB", 0.2),
        raw(
            "I",
            alloc + "1080",
            "total_region_allocated_bytes_: 23370661888 memory_limit_: 23370661888 available bytes: 0 "
            "curr_region_allocation_bytes_: 46741323776",
            0.2,
        ),
        raw("I", alloc + "1086", "Stats: ", 0.2),
        "Limit:                     23370661888",
        "InUse:                     21807746816",
        "MaxInUse:                  23102226432",
        "NumAllocs:                   148207331",
        "MaxAllocSize:               2494816256",
        "Reserved:                            0",
        "PeakReserved:                        0",
        "LargestFreeBlock:                    0",
        "",
        raw("W", alloc + "474", "*" * 91 + "______***", 0.2),
        raw(
            "W",
            "framework/op_kernel.cc:1745",
            "OP_REQUIRES failed at matmul_op_impl.h:681 : RESOURCE_EXHAUSTED: OOM when allocating "
            "tensor with shape[19488,32003] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by "
            "allocator GPU_0_bfc",
            0.3,
        ),
        "Traceback (most recent call last):",
        '  File "/opt/conda/lib/python3.8/site-packages/tensorflow/python/client/session.py", line 1377, in _do_call',
        "    return fn(*args)",
        '  File "/opt/conda/lib/python3.8/site-packages/tensorflow/python/client/session.py", line 1360, in _run_fn',
        "    return self._call_tf_sessionrun(options, feed_dict, fetch_list,",
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: 2 root error(s) found.",
        "  (0) RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[19488,32003] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
        "\t [[{{node transformer/decoder/logits/MatMul}}]]",
        "Hint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom "
        "to "
        "RunOptions for current allocation info. This isn't available when running in Eager mode.",
        "",
        "\t [[training/truediv/_1863]]",
        "  (1) RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[19488,32003] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
        "\t [[{{node transformer/decoder/logits/MatMul}}]]",
        "0 successful operations.",
        "0 derived errors ignored.",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "Traceback (most recent call last):",
        '  File "nmt_main.py", line 212, in <module>',
        "    tf.compat.v1.app.run()",
        '  File "nmt_main.py", line 188, in main',
        "    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)",
        '  File "/opt/conda/lib/python3.8/site-packages/tensorflow_estimator/python/estimator/estimator.py", line 360, '
        "in train",
        "    loss = self._train_model(input_fn, hooks, saving_listeners)",
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:",
        "",
        "OOM when allocating tensor with shape[19488,32003] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by "
        "allocator GPU_0_bfc",
    ]
    put(place, "train.log", log)


def c20(place: Path, rng: Random) -> None:
    when = 2.4 * DAY
    log: list[str] = []

    def say(text: str, where: str = "burn_train::learner::epoch", level: str = " INFO") -> None:
        nonlocal when
        when += rng.uniform(2e-4, 9e-4)
        log.append(f"{clock(when, '%Y-%m-%dT%H:%M:%S.%f')}Z {level} {where}: {text}")

    say(
        "Fitting the model:\n CifarNet {\n  conv1: ConvBlock {ch_in: 3, ch_out: 64, kernel: 3, params: 1856}\n  conv2: "
        "ConvBlock "
        "{ch_in: 64, ch_out: 128, kernel: 3, params: 73984}\n  conv3: ConvBlock {ch_in: 128, ch_out: 256, kernel: 3, "
        "params: 295424}\n"
        "  fc1: Linear {d_input: 4096, d_output: 512, bias: true, params: 2097664}\n  fc2: Linear {d_input: 512, "
        "d_output: 10, bias: "
        "true, params: 5130}\n  params: 2474058\n}",
        "burn_train::learner::train_val",
    )
    best, best_at = 9.0, 1
    epoch = 0
    while True:
        epoch += 1
        say(f"Executing training step for epoch {epoch}")
        loss, acc, rate, vloss, vacc = [], [], [], [], []
        for number in range(1, 14):
            when += 1.9 + rng.random() * 0.2 + (9 if epoch == number == 1 else 0)
            say(f"Iteration {number}")
            size = 4096 if number < 13 else 848
            loss.append(f"{2.3026 + abs(rng.gauss(0, 0.0009)) + (0.05 / number if epoch == 1 else 0):.6f},{size}")
            acc.append(f"{100 * (0.1 + rng.gauss(0, 0.0046)):.6f},{size}")
            rate.append("0.001")
        say(f"Executing validation step for epoch {epoch}")
        for number in range(1, 4):
            when += 0.8 + rng.random() * 0.1
            say(f"Iteration {number}")
            size = 4096 if number < 3 else 1808
            vloss.append((2.30262 + (0.0019 / epoch) + abs(rng.gauss(0, 0.00012)), size))
            vacc.append(f"{(9.985, 10.021, 9.9911)[number - 1]:.6f},{size}")
        mean = sum(a * b for a, b in vloss) / sum(b for _, b in vloss)
        put(place, f"cifar/train/epoch-{epoch}/Loss.log", loss)
        put(place, f"cifar/train/epoch-{epoch}/Accuracy.log", acc)
        put(place, f"cifar/train/epoch-{epoch}/LearningRate.log", rate)
        put(place, f"cifar/valid/epoch-{epoch}/Loss.log", [f"{a:.6f},{b}" for a, b in vloss])
        put(place, f"cifar/valid/epoch-{epoch}/Accuracy.log", vacc)
        early = "burn_train::learner::early_stopping"
        if mean < best:
            best, best_at = mean, epoch
            say(f"New best epoch found {epoch} Loss: {mean:.13f}", early)
        elif epoch - best_at >= 5:
            say(
                f"Stopping training loop, no improvement since epoch {best_at}, Loss: {best:.13f},  current epoch "
                f"{epoch}, "
                f"Loss: {mean:.13f}",
                early,
            )
            break
    put(place, "cifar/experiment.log", log)
    put(
        place,
        "cifar/config.json",
        json.dumps(
            {
                "num_epochs": 60,
                "batch_size": 4096,
                "num_workers": 8,
                "seed": 42,
                "learning_rate": 0.001,
                "optimizer": {
                    "beta_1": 0.9,
                    "beta_2": 0.999,
                    "epsilon": 1e-05,
                    "weight_decay": None,
                    "grad_clipping": None,
                },
                "early_stopping": {"metric": "Loss", "split": "Valid", "no_improvement_since": 5},
            },
            indent=2,
        )
        + "\n",
    )


def c21(place: Path, rng: Random) -> None:
    start = 3.52 * DAY
    ray = "/scratch/hvn/venv/lib/python3.10/site-packages/ray"
    out = [f"{clock(start)}\tINFO worker.py:1538 -- Started a local Ray instance."]
    err = [
        f"{clock(start + 8)},417\tINFO algorithm_config.py:2492 -- Executing eagerly (framework='torch')",
        *(
            f"\x1b[2m\x1b[36m(RolloutWorker pid={22104 + n})\x1b[0m {ray}/rllib/utils/from_config.py:12: "
            "DeprecationWarning: "
            "the imp module is deprecated in favour of importlib"
            for n in range(4)
        ),
        "\x1b[2m\x1b[36m(PPO pid=21996)\x1b[0m "
        f"{clock(start + 31)},902\tINFO trainable.py:172 -- Trainable.setup took 21.744 seconds.",
    ]
    steps, spent = 0, 0.0
    line = "+" + "+".join("-" * width for width in (27, 10, 23, 8, 18, 9, 10)) + "+"
    for turn in range(1, 19):
        took = 118 + rng.gauss(0, 4)
        spent += took
        steps += 32000
        reward = -212 + 430 * (1 - math.exp(-turn / 9)) + rng.gauss(0, 9)
        memory = 19.7 + 6.15 * turn + rng.gauss(0, 0.3)
        out += [
            "== Status ==",
            f"Current time: {clock(start + 40 + spent)} (running for "
            f"{int(spent + 40) // 3600:02d}:{int(spent + 40) % 3600 // 60:02d}:"
            f"{(spent + 40) % 60:05.2f})",
            f"Memory usage on this node: {memory:.1f}/251.4 GiB ",
            "Using FIFO scheduling algorithm.",
            "Resources requested: 17.0/18 CPUs, 1.0/1 GPUs, 0.0/77.5 GiB heap, 0.0/37.21 GiB objects",
            "Result logdir: /scratch/hvn/ray_results/ppo_pick",
            "Number of trials: 1/1 (1 RUNNING)",
            line,
            "| Trial name                | status   | loc                   |   iter |   total time (s) |      ts |   "
            "reward |",
            line.replace("-+-", "-|-"),
            f"| PPO_PickPlace_5c1e2_00000 | RUNNING  | 10.21.4.17:21996      | {turn:6d} | {spent:16.2f} | {steps:7d} "
            f"| {reward:8.3f} |",
            line,
            "",
            "",
        ]
        if turn % 3 == 0:
            err.append(
                f"\x1b[2m\x1b[36m(RolloutWorker pid={22104 + rng.randrange(16)})\x1b[0m [robosuite WARNING] No private "
                "macro file found! "
                "(macros.py:52)"
            )
    end = start + 40 + spent + 83
    err += [
        "/var/spool/slurmd/job118842/slurm_script: line 27: 21871 Killed                  python train_pick.py "
        "--env PickPlace --num-workers 16 --replay-frames",
        "slurmstepd: error: Detected 2 oom_kill events in StepId=118842.batch. Some of the step tasks have been OOM "
        "Killed.",
    ]
    put(place, "ppo_pick-118842.out", [*out, f"job script ended {clock(end)}"])
    put(place, "ppo_pick-118842.err", err)


def c22(place: Path, rng: Random) -> None:
    cmd = (
        "# python3 -m espnet2.bin.asr_train --use_preprocessor true --bpemodel "
        "data/is_token_list/bpe_unigram500/bpe.model "
        "--token_type bpe --token_list {} --non_linguistic_symbols none --cleaner none --g2p none "
        "--valid_data_path_and_name_and_type "
        "dump/raw/dev/wav.scp,speech,sound --resume true --fold_length 80000 --output_dir exp/asr_train_conformer_is "
        "--config conf/train_conformer.yaml --ngpu 1"
    )
    first = [
        cmd.format("data/is_token_list/bpe_unigram500/tokens_v2.txt"),
        "# Started at ",
        "#",
        "Traceback (most recent call last):",
        '  File "/home/elin/espnet/espnet2/bin/asr_train.py", line 23, in <module>',
        "    main()",
        '  File "/home/elin/espnet/espnet2/tasks/abs_task.py", line 1157, in main',
        "    cls.main_worker(args)",
        '  File "/home/elin/espnet/espnet2/tasks/asr.py", line 527, in build_model',
        '    with open(args.token_list, encoding="utf-8") as f:',
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/is_token_list/bpe_unigram500/tokens_v2.txt'",
        "# Accounting: time=14 threads=1",
        "# Ended (code 1) ",
    ]
    put(place, "exp/asr_train_conformer_is/train.1.log", first)
    log = [
        cmd.format("data/is_token_list/bpe_unigram500/tokens.txt"),
        "# Started at ",
        "#",
        "[gpu-node3] (asr:523) INFO: Vocabulary size: 500",
        "[gpu-node3] (abs_task:1269) INFO: pytorch.version=2.0.1, cuda.available=True, cudnn.version=8700, "
        "cudnn.benchmark=False, "
        "cudnn.deterministic=True",
        "[gpu-node3] (abs_task:1270) INFO: Model structure:",
        "ESPnetASRModel(",
        "  (frontend): DefaultFrontend(",
        "    (stft): Stft(n_fft=512, win_length=400, hop_length=160, center=True, normalized=False, onesided=True)",
        "  )",
        "  (specaug): SpecAug()",
        "  (normalize): GlobalMVN(stats_file=exp/asr_stats_raw_is_bpe500_sp/train/feats_stats.npz, norm_means=True, "
        "norm_vars=True)",
        "  (encoder): ConformerEncoder()",
        "  (decoder): TransformerDecoder()",
        "  (ctc): CTC()",
        ")",
        "",
        "Model summary:",
        "    Class Name: ESPnetASRModel",
        "    Total Number of model parameters: 43.04 M",
        "    Number of trainable parameters: 43.04 M (100.0%)",
        "    Size: 172.16 MB",
        "    Type: torch.float32",
        "[gpu-node3] (abs_task:1273) INFO: Optimizer:",
        "Adam (",
        "Parameter Group 0",
        "    betas: (0.9, 0.98)",
        "    initial_lr: 0.002",
        "    lr: 8e-08",
        ")",
        "[gpu-node3] (abs_task:1274) INFO: Scheduler: WarmupLR(warmup_steps=25000)",
        "[gpu-node3] (abs_task:1283) INFO: Saving the configuration in exp/asr_train_conformer_is/config.yaml",
        "[gpu-node3] (abs_task:1294) INFO: Namespace(config='conf/train_conformer.yaml', max_epoch=60, patience=2, "
        "val_scheduler_criterion=('valid', 'loss'), early_stopping_criterion=('valid', 'loss', 'max'), "
        "best_model_criterion=[('valid', 'acc', 'max')], keep_nbest_models=10, accum_grad=4, grad_clip=5.0, "
        "resume=True)",
        "[gpu-node3] (abs_task:1658) INFO: [train] dataset:",
        'ESPnetDataset(\n  speech: {"path": "dump/raw/train_sp/wav.scp", "type": "kaldi_ark"}\n  text: {"path": '
        '"dump/raw/train_sp/text", "type": "text"}\n  preprocess: <espnet2.train.preprocessor.CommonPreprocessor>)',
        "[gpu-node3] (abs_task:1661) INFO: [train] Batch sampler: NumElementsBatchSampler(N-batch=2400, "
        "batch_bins=10000000, "
        "sort_in_batch=descending, sort_batch=descending)",
    ]
    left = (
        "",
        "22 hours, 19 minutes and 41.12 seconds",
        "21 hours, 55 minutes and 8.77 seconds",
        "21 hours, 33 minutes and 2.04 seconds",
    )
    step = 0
    for epoch in range(1, 5):
        tail = f". Estimated time to finish: {left[epoch - 1]}" if epoch > 1 else ""
        log.append(f"[gpu-node3] (trainer:{284 if epoch == 1 else 291}) INFO: {epoch}/60epoch started{tail}")
        for part in range(20):
            step += 120
            loss = falls(rng, step, 236.0, 22.0, 3600, 0.025)
            lo, hi = 120 * part + 1, 120 * part + 120
            log.append(
                f"[gpu-node3] (trainer:737) INFO: {epoch}epoch:train:{lo}-{hi}batch: "
                f"iter_time={abs(rng.gauss(2e-4, 4e-5)):.3e}, "
                f"forward_time={0.214 + rng.gauss(0, 0.003):.3f}, loss_ctc={loss * 1.12:.3f}, "
                f"loss_att={loss * 0.95:.3f}, "
                f"acc={max(0.03, 0.83 - loss / 310):.3f}, loss={loss:.3f}, "
                f"backward_time={0.331 + rng.gauss(0, 0.004):.3f}, "
                f"grad_norm={60 * loss / 236 + abs(rng.gauss(0, 6)):.3f}, clip=100.000, loss_scale=1.000, "
                f"optim_step_time={0.052 + rng.gauss(0, 0.001):.3f}, optim0_lr0={0.002 * (step / 4) / 25000:.3e}, "
                f"train_time={2.14 + rng.gauss(0, 0.03):.3f}"
            )
        loss = falls(rng, step, 241.0, 25.0, 3600, 0.004)
        log += [
            f"[gpu-node3] (trainer:343) INFO: {epoch}epoch results: [train] iter_time=1.998e-04, forward_time=0.214, "
            f"loss={loss * 1.2:.3f}, "
            f"time=21 minutes and {rng.uniform(12, 58):.2f} seconds, total_count={2400 * epoch}, "
            "gpu_max_cached_mem_GB=31.182, "
            f"[valid] loss_ctc={loss * 1.1:.3f}, cer_ctc={max(0.2, loss / 260):.3f}, loss_att={loss * 0.96:.3f}, "
            f"acc={max(0.03, 0.84 - loss / 310):.3f}, loss={loss:.3f}, time=1 minute and {rng.uniform(3, 40):.2f} "
            "seconds, "
            f"total_count={96 * epoch}, gpu_max_cached_mem_GB=31.182",
            "[gpu-node3] (trainer:391) INFO: The best model has been updated: valid.acc",
        ]
    log += [
        "[gpu-node3] (reporter:477) INFO: [Early stopping] valid.loss has been not improved 3 epochs continuously. The "
        "training was "
        "stopped at 4epoch",
        '[gpu-node3] (average_nbest_models:69) INFO: Averaging 4best models: criterion="valid.acc": '
        "exp/asr_train_conformer_is/valid.acc.ave_4best.pth",
        "# Accounting: time=5511 threads=1",
        "# Ended (code 0) ",
    ]
    put(place, "exp/asr_train_conformer_is/train.log", log)
    put(
        place,
        "run_asr.err",
        [
            "run.pl: job failed, log is in exp/asr_train_conformer_is/train.log",
            "/home/elin/espnet/tools/venv/lib/python3.10/site-packages/torch/functional.py:641: UserWarning: stft with "
            "return_complex="
            "False is deprecated. In a future pytorch release, stft will return complex tensors for all inputs, and "
            "return_complex="
            "False will raise an error.",
            "  return _VF.stft(input, n_fft, hop_length, win_length, window,  # type: ignore[attr-defined]",
        ],
    )


def c23(place: Path, rng: Random) -> None:
    when, training = 4.05 * DAY, False

    def say(where: str, text: str) -> str:
        nonlocal when
        when += rng.uniform(0.001, 0.004) if training else rng.uniform(0.4, 4.2)
        return f"[{clock(when, '%Y-%m-%d %H:%M:%S,%f')[:-3]}] [INFO] [{where}] {text}"

    log = [
        say("real_accelerator.py:219:get_accelerator", "Setting ds_accelerator to cuda (auto detect)"),
        "\x1b[93m [WARNING] \x1b[0m async_io requires the dev libaio .so object and headers but these were not found.",
        "\x1b[93m [WARNING] \x1b[0m If libaio is already installed (perhaps from source), try setting the CFLAGS and "
        "LDFLAGS "
        "environment variables to where it can be found.",
        "\x1b[93m [WARNING] \x1b[0m using untested triton version (2.3.0), only 1.0.0 is known to be compatible",
        say(
            "runner.py:568:main",
            "cmd = /opt/conda/bin/python3 -u -m deepspeed.launcher.launch "
            "--world_info=eyJsb2NhbGhvc3QiOiBbMCwgMSwgMiwgMywgNCwgNSwgNiwgN119 --master_addr=127.0.0.1 "
            "--master_port=29500 main.py "
            "--data_path local/klinik_sft --model_name_or_path mistralai/Mistral-7B-v0.1 --per_device_train_batch_size "
            "4 "
            "--max_seq_len 2048 --learning_rate 9.65e-6 --num_train_epochs 3 --gradient_accumulation_steps 1 "
            "--zero_stage 3 "
            "--deepspeed --print_loss --output_dir ./out_step1",
        ),
        say("launch.py:145:main", "WORLD INFO DICT: {'localhost': [0, 1, 2, 3, 4, 5, 6, 7]}"),
        say("launch.py:163:main", "dist_world_size=8"),
        say("comm.py:637:init_distributed", "cdb=None"),
        say("comm.py:668:init_distributed", "Initializing TorchBackend in DeepSpeed with backend nccl"),
        "\rLoading checkpoint shards:   0%|          | 0/2 [00:00<?, ?it/s]\rLoading checkpoint shards:  50%|█████     "
        "| 1/2 "
        "[00:06<00:06,  6.41s/it]\rLoading checkpoint shards: 100%|██████████| 2/2 [00:09<00:00,  4.66s/it]",
        say("logging.py:96:log_dist", "[Rank 0] DeepSpeed info: version=0.14.2, git-hash=unknown, git-branch=unknown"),
        say("logging.py:96:log_dist", "[Rank 0] DeepSpeed Final Optimizer = FusedAdam"),
        say("logging.py:96:log_dist", "[Rank 0] Creating fp16 ZeRO stage 3 optimizer"),
        "***** Running training *****",
        "***** Evaluating perplexity, Epoch 0/3 *****",
        "ppl: 9.836141586303711, loss: 2.2860634326934814",
    ]
    rows = [{"step": 0, "eval/ppl": 9.836141586303711}]
    training = True
    when += 47
    per, step, ppl = 740, 0, (4.911, 4.702, 5.138)
    for epoch in range(3):
        log.append(f"Beginning of Epoch {epoch + 1}/3, Total Micro Batches {per}")
        for micro in range(10, per + 1, 10):
            step = epoch * per + micro
            when += 10 * 2.42 + rng.gauss(0, 0.3)
            rate = 9.65e-6 * 0.5 * (1 + math.cos(math.pi * step / (3 * per)))
            loss = falls(rng, step, 2.2, 1.52, 160, 0.035) - 0.22 * epoch
            log += [
                say(
                    "logging.py:96:log_dist",
                    f"[Rank 0] step={step}, skipped=0, lr=[{rate!r}, {rate!r}], mom=[(0.9, 0.95), (0.9, 0.95)]",
                ),
                say(
                    "timer.py:260:stop",
                    f"epoch={epoch}/micro_step={micro}/global_step={step}, RunningAvgSamplesPerSec="
                    f"{13.2 + rng.gauss(0, 0.01)}, CurrSamplesPerSec={13.2 + rng.gauss(0, 0.12)}, MemAllocated=8.61GB, "
                    "MaxMemAllocated=41.77GB",
                ),
                f"Epoch: {epoch}, Step: {micro - 1}, Rank: 0, loss = {loss:.10f}",
            ]
            rows.append({"step": step, "train/loss": round(loss, 6), "train/lr": rate, "epoch": epoch})
            if micro % 100 == 0:
                done = step / (3 * per)
                log.append(
                    f"\rEpoch {epoch + 1}: {100 * micro // per:3d}%|{bar(micro, per)}| {micro}/{per} "
                    f"[{hms(micro * 2.42)}<"
                    f"{hms((per - micro) * 2.42)},  2.42s/it, done={done:.2f}]"
                )
        when += 96
        log += [
            f"***** Evaluating perplexity, Epoch {epoch + 1}/3 *****",
            f"ppl: {ppl[epoch]:.3f}194, loss: {math.log(ppl[epoch]):.10f}",
        ]
        rows.append({"step": step, "eval/ppl": ppl[epoch]})
    log.append("saving the final model ...")
    when += 61
    log += [say("launch.py:351:main", f"Process {40211 + n} exits successfully.") for n in range(8)]
    put(place, "training.log", log)
    put(place, "metrics.jsonl", [json.dumps(row) for row in rows])


def c24(place: Path, rng: Random) -> None:
    out = [
        "trainable params: 41,943,040 || all params: 8,072,204,288 || trainable%: 0.5196",
        "train 48864 rows, eval 992 rows",
    ]
    total, pace = 3054, 4.386
    for step in range(50, 1151, 50):
        loss = falls(rng, step, 1.71, 0.92, 240, 0.02)
        norm = 0.52 + abs(rng.gauss(0, 0.05))
        if step in (400, 850):
            loss, norm = loss * 2.1, 9.4 + rng.random()
        if step in (450, 900):
            loss *= 1.18
        rate = 2e-4 * min(1, step / 90) * 0.5 * (1 + math.cos(math.pi * max(0, step - 90) / (total - 90)))
        out.append(
            f"{{'loss': {loss:.4f}, 'grad_norm': {norm!r}, 'learning_rate': {rate!r}, 'epoch': {step / 1527:.2f}}}"
        )
    err = [
        "\rLoading checkpoint shards:   0%|          | 0/4 [00:00<?, ?it/s]\rLoading checkpoint shards:  25%|██▌       "
        "| 1/4 "
        "[00:01<00:04,  1.38s/it]\rLoading checkpoint shards: 100%|██████████| 4/4 [00:04<00:00,  1.09s/it]",
        "/home/o.ek/miniforge3/envs/ft/lib/python3.11/site-packages/torch/utils/checkpoint.py:92: UserWarning: None of "
        "the inputs "
        "have requires_grad=True. Gradients will be None",
        "  warnings.warn(",
    ]
    ticks = "".join(
        f"\r{100 * n // total:3d}%|{bar(n, total)}| {n}/{total} [{hms(n * pace)}<{hms((total - n) * pace)},  "
        f"{pace + rng.gauss(0, 0.03):.2f}s/it]"
        for n in sorted({*range(0, 1171, 30), 1181})
    )
    put(place, "ft_llama3_lora.out", out)
    put(place, "ft_llama3_lora.err", "\n".join(err) + "\n" + ticks)
