"""Constructed: loss curves that went wrong (E1), runs too short (E3), and curves that only look wrong."""

import math

from tests.analyze.cases import texts as t
from tests.analyze.cases.model import UNDECIDABLE, Case, log

_NAN = float("nan")
_GOOD = t.falling(40)
_END = "Training finished."


def _csv(losses: list[float]) -> str:
    return "step,loss,lr\n" + "".join(f"{i * 10},{value:.5f},0.0003\n" for i, value in enumerate(losses, 1))


def _grpo(count: int) -> str:
    return "".join(
        f"{{'loss': {0.0001 * math.sin(i):.4f}, 'grad_norm': 0.{20 + i % 9}, 'learning_rate': 1e-06, 'num_tokens':"
        f" {i * 4096}, 'completions/mean_length': 210.5, 'completions/clipped_ratio': 0.02, 'rewards/acc/mean':"
        f" {0.1 + 0.5 * i / count:.3f}, 'rewards/acc/std': 0.3, 'reward': {0.1 + 0.5 * i / count:.3f}, 'reward_std': 0.3,"
        f" 'frac_reward_zero_std': 0.1, 'entropy': 0.7, 'epoch': {i / count:.2f}}}\n"
        for i in range(1, count + 1)
    )


CASES = (
    log(
        "e1-nan-hf4-filtered",
        t.lines(
            t.hf4(_GOOD[:12]),
            "{'loss': 3.68, 'grad_norm': nan, 'learning_rate': 1e-05, 'epoch': 0.31}",
            *("{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 1e-05, 'epoch': 0.%d}" % i for i in range(32, 60)),
            t.hf_end(100, 1.1),
        ),
        "E1",
        0,
    ),
    log(
        "e1-nan-hf5-strings",
        t.lines(
            t.hf5(_GOOD[:12]),
            *(
                "{'loss': 'nan', 'grad_norm': 'nan', 'learning_rate': '1e-05', 'epoch': '0.%d'}" % i
                for i in range(32, 60)
            ),
        ),
        "E1",
        0,
    ),
    log("e1-nan-plain-loop", t.lines(t.plain(_GOOD[:20]), t.plain([_NAN] * 20, first=21), _END), "E1", 0),
    log("e1-nan-json-lines", t.json_lines([*_GOOD[:20], *[_NAN] * 20]), "E1", 0),
    log("e1-nan-nanogpt", t.lines(t.nanogpt([*_GOOD[:20], *[_NAN] * 20])), "E1", 0),
    log("e1-nan-keras", t.lines(t.keras([2.1, 1.7, _NAN, _NAN, _NAN, _NAN])), "E1", 0),
    log(
        "e1-nan-lightning-postfix",
        t.lines(
            t.lightning([*_GOOD[:20], *[_NAN] * 20]).replace("nan]", "nan.0]"),
            "`Trainer.fit` stopped: `max_epochs=1` reached.",
        ),
        "E1",
        0,
    ),
    log(
        "e1-nan-own-check",
        t.lines(
            t.epochs(_GOOD[:9]),
            t.traceback("ValueError: Loss is nan, stopping training", "/workspace/engine.py", "train_one_epoch"),
        ),
        "E1",
        1,
    ),
    log(
        "e1-megatron-nan-forward",
        t.lines(
            t.megatron(_GOOD[:9]),
            t.prefixed(
                "[rank3]: ",
                t.traceback(
                    "RuntimeError: Rank"
                    " 3, node h3, device 3, iteration 120: Unexpected result nan (message='found NaN in local forward loss"
                    " calculation')",
                    "/workspace/megatron/core/rerun_state_machine.py",
                    "validate_result",
                ),
            ),
        ),
        "E1",
        1,
    ),
    log(
        "e1-loss-scale-exhausted",
        t.lines(
            t.plain(_GOOD[:9]),
            *(
                "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: %d, reducing to %d"
                % (2**i, 2 ** (i - 1))
                for i in range(16, 0, -1)
            ),
            t.traceback(
                "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
                "/opt/lib/deepspeed/runtime/fp16/loss_scaler.py",
                "update_scale",
            ),
        ),
        "E1",
        1,
    ),
    log("e1-diverged-plain", t.lines(t.plain([*t.falling(20, 8, 4), *[5 * 1.5**i for i in range(20)]]), _END), "E1", 0),
    log(
        "e1-diverged-to-1e4-csv", _csv([*t.falling(20, 4, 2), *[3 * 1.6**i for i in range(18)]]), f"E1 {UNDECIDABLE}", 0
    ),
    log(
        "e1-diverged-hf",
        t.lines(t.hf4([*t.falling(15, 4, 2), *[900.0 + i for i in range(30)]]), t.hf_end(10, 600.0)),
        "E1",
        0,
    ),
    log(
        "e1-dead-gradient",
        t.lines(t.json_lines([6.931 + 0.001 * (i % 2) for i in range(60)], [0.0] * 60), _END),
        "E1",
        0,
    ),
    log(
        "e1-zero-lr-plateau",
        t.lines(
            "".join(
                "{'loss': %.4f, 'grad_norm': 1.31, 'learning_rate': 0.0, 'epoch': %.2f}\n"
                % (4.61 + 0.002 * (i % 3), i / 60)
                for i in range(60)
            ),
            t.hf_end(10, 4.6),
        ),
        "E1",
        0,
    ),
    log(
        "e1-random-guessing-plateau",
        t.lines(t.plain([2.3026 + 0.002 * math.sin(9 * i) for i in range(80)]), _END),
        "E1",
        0,
    ),
    # --- near-misses
    log(
        "miss-e1-spike-recovered",
        t.lines(t.plain([*t.falling(20, 8, 4), 60.0, 31.0, 9.0, *t.falling(40, 4, 3)]), _END),
        "G1",
        0,
    ),
    log(
        "miss-e1-one-nan-recovered", t.lines(t.plain([*t.falling(20, 8, 4), _NAN, *t.falling(20, 4, 3)]), _END), "G1", 0
    ),
    log(
        "miss-e1-fp16-scale-search",
        t.lines(
            *(
                f"[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2**i}, reducing to {2 ** (i - 1)}"
                for i in (16, 15, 14)
            ),
            t.plain(_GOOD),
            _END,
        ),
        "G1",
        0,
    ),
    log(
        "miss-e1-megatron-skipped-at-start",
        t.lines(
            " iteration       10/     500 | consumed samples:           40 | elapsed time per iteration (ms): 2152.2 | learning"
            " rate: 0.000E+00 | global batch size:     4 | loss scale: 8388608.0 | number of skipped iterations:  10 | number of"
            " nan iterations:   0 |",
            t.megatron(t.falling(50, 10.5, 3.0), scale=65536.0),
            "[after training is done] datetime: 2026-03-02 11:00:00 ",
        ),
        "G1",
        0,
    ),
    log(
        "miss-e1-inf-grad-norm-fp16",
        t.lines("{'loss': 8.1, 'grad_norm': inf, 'learning_rate': 1e-05, 'epoch': 0.01}", t.hf4(_GOOD), t.hf_end()),
        "G1",
        0,
    ),
    log("miss-e1-grpo", t.lines(_grpo(60), t.hf_end(900, 0.0)), "G1 -", 0),
    log(
        "miss-e1-nan-metric-in-eval-only",
        t.lines(
            t.hf4(_GOOD[:20]),
            "{'eval_loss': 3.9, 'eval_bleu': nan, 'eval_runtime': 3.1, 'epoch': 0.5}",
            t.hf4(t.falling(20, 3.4, 3.0)),
            t.hf_end(),
        ),
        "G1",
        0,
    ),
    log(
        "miss-e1-nan-words",
        t.lines(
            "nan_policy: skip   # what to do when loss is nan",
            "loading callbacks from loss_nan_guard.py",
            "NaN detection enabled: raises ValueError('Loss is nan')",
            t.plain(_GOOD),
            _END,
        ),
        "G1",
        0,
    ),
    log(
        "miss-e1-slow-healthy",
        t.lines(t.plain([3.2 - 0.0008 * i + 0.05 * math.sin(5 * i) for i in range(300)]), _END),
        "G1",
        0,
    ),
    log("miss-e1-negative-loss", t.lines(t.json_lines([-0.1 - 0.05 * i for i in range(60)]), _END), "G1 -", 0),
    log("miss-e1-rl-noise", t.lines(t.plain([0.3 * math.sin(3 * i) + 0.001 * i for i in range(80)]), _END), "G1 -", 0),
    log(
        "miss-e1-dpo",
        t.lines(
            "".join(
                "{'loss': %.4f, 'grad_norm': 4.1, 'learning_rate': 5e-07, 'rewards/chosen': %.3f, 'rewards/rejected': %.3f,"
                " 'rewards/accuracies': 0.7, 'epoch': %.2f}\n" % (0.6931 - 0.003 * i, 0.01 * i, -0.02 * i, i / 60)
                for i in range(60)
            ),
            t.hf_end(700, 0.6),
        ),
        "G1",
        0,
    ),
    log(
        "miss-e1-rising-val-overfit",
        t.lines(
            "".join(f"Epoch {i}: train loss {2.0 / i:.4f}, val loss {1.0 + 0.05 * i:.4f}\n" for i in range(1, 30)), _END
        ),
        "G1 -",
        0,
    ),
    log(
        "missing-e1-no-loss", t.lines("".join(f"[epoch 1] iter {i} done in 0.31s\n" for i in range(50))), UNDECIDABLE, 0
    ),
    # --- E3
    log(
        "e3-three-steps-hf",
        t.lines(
            t.hf5(t.falling(3, 4, 3.9), total=3),
            "{'train_runtime': '2.1', 'train_samples_per_second': '20.82', 'train_steps_per_second': '5.2', 'train_loss': '3.9',"
            " 'epoch': '0.01'}",
        ),
        "E3",
        0,
    ),
    log("e3-two-steps-plain", t.lines("step 1/2 loss 5.01", "step 2/2 loss 4.99", _END), "E3", 0),
    log(
        "e3-lightning-max-steps",
        t.lines(t.lightning(t.falling(4)), "`Trainer.fit` stopped: `max_steps=4` reached."),
        "E3",
        0,
    ),
    log(
        "e3-megatron-5",
        t.lines(
            t.megatron([10.9, 10.8, 10.7, 10.6], total=4, every=1),
            "[after training is done] datetime: 2026-03-02 11:00:00 ",
        ),
        "E3",
        0,
    ),
    log(
        "miss-e3-crash-at-step-2",
        t.lines(
            "step 1/900 loss 5.01", "step 2/900 loss 4.99", t.traceback("ZeroDivisionError: float division by zero")
        ),
        "A1",
        1,
    ),
    Case(
        "miss-e3-few-log-lines-many-steps",
        {"a.log": t.lines("step 5000/10000 loss 4.2", "step 10000/10000 loss 3.1", _END)},
        "G1",
        0,
    ),
)
