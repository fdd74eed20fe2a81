"""Constructed: runs in which nothing went wrong, some in frightening clothes, and some that nobody can judge."""

from tests.analyze.cases import texts as t
from tests.analyze.cases.model import UNDECIDABLE, log

_GOOD = t.falling(60)

CASES = (
    log("g1-hf4", t.lines(t.hf4(_GOOD), t.hf_end()), "G1", 0),
    log(
        "g1-hf5-without-status",
        t.lines(
            t.hf5(_GOOD, total=60),
            "{'train_runtime': '88.1', 'train_samples_per_second': '20.82', 'train_steps_per_second': '5.2', 'train_loss': '3.1',"
            " 'epoch': '1'}",
        ),
        "G1",
    ),
    log(
        "g1-megatron",
        t.lines(
            t.megatron(t.falling(50, 10.8, 2.9)),
            "  successfully saved checkpoint from iteration     500 to /ckpt/run7 [ t 1/8, p 1/4 ]",
            "[after training is done] datetime: 2026-03-02 11:00:00 ",
        ),
        "G1",
        0,
    ),
    log(
        "g1-titan",
        t.lines(
            t.titan(_GOOD),
            "[rank0]:[titan] 2026-08-21 22:30:21,123 - root - INFO - Training completed",
            "[rank0]:[titan] 2026-08-21 22:30:22,123 - root - INFO - Process group destroyed",
        ),
        "G1",
        0,
    ),
    log("g1-keras", t.lines(t.keras(t.falling(10, 2.0, 0.5))), "G1", 0),
    log("g1-lightning", t.lines(t.lightning(_GOOD), "`Trainer.fit` stopped: `max_epochs=1` reached."), "G1", 0),
    log(
        "g1-nanogpt",
        t.lines(t.nanogpt(_GOOD), "step 600: train loss 3.0234, val loss 3.1345", "saving checkpoint to out"),
        "G1",
        0,
    ),
    log("g1-json-lines", t.lines(t.json_lines(_GOOD), '{"level": "info", "msg": "training finished"}'), "G1", 0),
    log(
        "g1-eval-pauses",
        t.lines(
            "2026-03-11 10:59:59,000 INFO train: starting",
            t.epochs(t.falling(30)),
            "2026-03-11 11:00:40,000 INFO eval: evaluating on 50000 samples",
            "2026-03-11 11:21:40,000 INFO eval: val loss 3.31",
            t.epochs(t.falling(30, 3.2, 3.0), 2).replace("11:00", "11:22"),
            "2026-03-11 11:23:40,000 INFO train: Training finished",
        ),
        "G1",
        0,
    ),
    log(
        "g1-frightening-warnings",
        t.lines(
            "Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being"
            " overloaded",
            "[rank0]:[W1120 18:30:25.587974545 reducer.cpp:1529] Warning: find_unused_parameters=True was specified in DDP"
            " constructor, but did not find any unused parameters in the forward pass.",
            "UserWarning: Error detected in AddmmBackward0? no: anomaly mode is only enabled for debugging",
            "W0311 torch/_inductor/utils.py: Not enough SMs to use max_autotune_gemm mode",
            "WARNING:root:Fatal errors are retried up to 5 times",
            "huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling"
            " parallelism to avoid deadlocks...",
            t.hf4(_GOOD),
            t.hf_end(),
            "Exception ignored in: <function _ConnectionBase.__del__ at 0x7f>",
        ),
        "G1",
        0,
    ),
    log(
        "g1-retried-download",
        t.lines(
            "'(ReadTimeoutError(\"HTTPSConnectionPool(host='huggingface.co', port=443): Read timed out.\"))' thrown while"
            " requesting HEAD https://huggingface.co/gpt2/resolve/main/config.json",
            "Retrying in 1s [Retry 1/5].",
            t.hf4(_GOOD),
            t.hf_end(),
        ),
        "G1",
        0,
    ),
    log(
        "g1-retried-io-error",
        t.lines(
            t.plain(_GOOD[:20], total=600),
            "WARNING: OSError: [Errno 116] Stale file handle while saving, retry 1/3",
            "checkpoint saved to /ckpt/step200.pt",
            t.plain(t.falling(40, 4, 3), total=600, first=21),
            "Training finished.",
        ),
        "G1",
        0,
    ),
    log(
        "g1-skipped-bad-samples",
        t.lines(
            t.plain(_GOOD[:20]),
            *(
                f"ERROR failed to decode sample {i}: UnidentifiedImageError: cannot identify image file; skipping"
                for i in range(5)
            ),
            t.plain(t.falling(40, 4, 3), first=21),
            "Training finished.",
        ),
        "G1",
        0,
    ),
    log(
        "g1-handled-in-loop",
        t.lines(
            t.plain(_GOOD[:20]),
            "Caught exception in eval hook, continuing:",
            t.traceback("ValueError: max() arg is an empty sequence", "/workspace/eval.py", "bleu"),
            t.plain(t.falling(40, 4, 3), first=21),
            "Training finished.",
        ),
        "G1",
        0,
    ),
    log(
        "g1-torchrun-restart-recovered",
        t.lines(
            t.plain(t.falling(10), total=300),
            "saving checkpoint to out/step_100.pt",
            t.plain(t.falling(20, 4, 3), total=300, first=11),
            "done training",
            "training complete",
        ),
        "G1",
        0,
    ),
    # --- nobody can tell
    log("missing-empty-work", "hello\n", UNDECIDABLE, 0),
    log("missing-no-status-mid-run", t.lines(t.json_lines(_GOOD)), UNDECIDABLE),
    log("missing-failed-without-words", t.lines(t.plain(_GOOD[:9], total=900)), f"{UNDECIDABLE} A1", 1),
    log(
        "missing-config-dump-only",
        t.lines("lr: 0.1", "epochs: 10", "on_nan: raise RuntimeError", "oom: retry"),
        UNDECIDABLE,
    ),
    log("missing-status-3-no-logs", "starting\n", f"{UNDECIDABLE} A1", 3),
)
