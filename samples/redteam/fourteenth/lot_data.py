"""Draw the data half of the fourteenth set by lot: the lists, the weights, the seed, and what was drawn.

Committed before any case was written. ``python -m samples.redteam.fourteenth.lot_data`` prints the draws. What a lot says
is made, whether it makes an easy case or a hard one; combinations that cannot exist are drawn again by the rules below.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED: Final = 1414

FRAMEWORKS: Final = (
    *(
        "hf_dict_lines",
        "hf_trainer_state",
        "trl_sft",
        "trl_dpo",
        "trl_grpo",
        "llamafactory",
        "lightning_csv",
        "keras_bars",
    ),
    *("megatron", "nemo", "torchtitan", "nanogpt", "deepspeed", "fairseq", "mmengine", "ultralytics", "sb3", "rllib"),
    *(
        "xgboost",
        "lightgbm",
        "catboost",
        "tensorboard_csv",
        "wandb_history",
        "mlflow",
        "tqdm_loop",
        "own_loop",
        "gan_loop",
    ),
)
TREES: Final = ("xgboost", "lightgbm", "catboost")
LOG_ONLY: Final = (
    *(
        "hf_dict_lines",
        "trl_sft",
        "trl_dpo",
        "trl_grpo",
        "llamafactory",
        "keras_bars",
        "megatron",
        "nemo",
        "torchtitan",
    ),
    *(
        "nanogpt",
        "deepspeed",
        "fairseq",
        "mmengine",
        "ultralytics",
        "sb3",
        "rllib",
        "tqdm_loop",
        "own_loop",
        "gan_loop",
        *TREES,
    ),
)
"""Frameworks that leave a log, so that an exception or a signal can stand at its end."""
MANY_GPUS: Final = (
    "hf_dict_lines",
    "trl_sft",
    "llamafactory",
    "megatron",
    "nemo",
    "torchtitan",
    "deepspeed",
    "fairseq",
)
"""Frameworks that are run on many GPUs, so that a collective can freeze."""
REWARDED: Final = ("trl_grpo", "sb3", "rllib", "gan_loop")
"""Whose loss says nothing."""

CURVE_TRUTHS: Final = {
    "G1": 25,
    "E1": 24,
    "E2": 9,
    "E3": 9,
    "F3": 5,
    "A1": 6,
    "B1": 5,
    "A2": 4,
    "C2": 3,
    "undecidable": 10,
}
E1_MECHANISMS: Final = (
    *("nan_late", "nan_hidden", "spike_stays", "flat_from_start", "rate_zero", "drift_up", "jump_to_chance"),
    *("scale_collapse", "exploding", "wrong_sign"),
)
REWARD_MECHANISMS: Final = ("reward_collapse", "no_signal", "nan_late", "flat_from_start")
UNDECIDABLE: Final = ("cut_middle", "few_points", "no_progress_named", "two_logs_disagree", "only_validation")
CURVE_COMPLICATIONS: Final = {
    "none": 10,
    "noisy": 2,
    "spikes_recover": 2,
    "loss_says_nothing": 2,
    "tail_only": 2,
    "two_attempts": 2,
    "plan_unknown": 2,
    "clock_gaps": 2,
    "eval_worse": 2,
    "early_stopping": 2,
    "low_from_start": 2,
    "units_locale": 2,
}

FAMILIES: Final = {
    "G1": 25,
    **dict.fromkeys(("A1", "A2", "B1", "B2", "B3", "C1", "C2", "C3", "D1", "D2", "D3", "F1", "F2", "F3"), 65 / 14),
    "undecidable": 10,
}
MISSING: Final = {
    "nothing": 6,
    "no_sacct": 2,
    "no_dmesg": 2,
    "no_logs": 2,
    "few_fields": 2,
    "one_node_dark": 2,
    "coarse_60s": 2,
}
INCIDENT_COMPLICATIONS: Final = {
    "none": 9,
    "old_xid31": 2,
    "hot_gpu": 2,
    "drained_neighbour": 2,
    "ecc_corrected": 2,
    "eval_pause": 2,
    "checkpoint_pause": 2,
    "clock_skew": 2,
    "other_job": 2,
    "time_zone": 2,
}
SUB_MODES: Final = {
    "A1": ("exception_mid_run", "bad_config", "missing_file", "shape_error"),
    "A2": ("host_oom", "cgroup_oom", "external_kill", "segfault"),
    "B1": ("growing", "one_big_request", "validation"),
    "B2": ("ecc_uncorrectable", "off_the_bus", "nvlink", "gsp_timeout"),
    "B3": ("thermal", "power_brake", "power_slow"),
    "C2": ("rank_killed", "rank_stuck", "link_dead", "ranks_diverge"),
    "C3": ("stuck_loader", "never_started", "lock"),
    "D1": ("slow_files", "few_workers"),
    "D2": ("save_storm", "interconnect", "launch_blocking"),
    "D3": ("slow_gpu", "more_work", "slow_host"),
    "F1": ("power_lost", "kernel_panic", "network_lost"),
    "F2": ("preempted_recovered", "requeued_pending", "preempted_lost"),
    "F3": ("working", "long_job"),
    "undecidable": ("stops_unsaid", "tail_gone", "idle_unsaid"),
}
NODES: Final = (1, 1, 2, 2, 3, 4, 6, 8)
GPUS: Final = (1, 2, 4, 4, 8, 8)
MODELS: Final = ("A100-SXM4-40GB", "A100-SXM4-80GB", "H100-SXM5-80GB", "H200", "L40S", "V100-SXM2-32GB")


class Curve(NamedTuple):
    """One drawn curve."""

    case: str
    framework: str
    truth: str
    mechanism: str
    complication: str


class Incident(NamedTuple):
    """One drawn incident."""

    case: str
    family: str
    sub_mode: str
    nodes: int
    gpus: int
    minutes: int
    model: str
    missing: str
    complication: str


def _pick(rng: Random, weights: dict[str, int] | dict[str, float]) -> str:
    return rng.choices(list(weights), list(weights.values()))[0]


def _can_be(framework: str, truth: str) -> bool:
    """Whether a framework can end so at all."""
    if truth == "C2":
        return framework in MANY_GPUS
    if truth in {"A1", "B1", "A2"} and framework not in LOG_ONLY:
        return False
    return not (framework in TREES and truth in {"B1", "E2"})


def _can_carry(framework: str, truth: str, complication: str) -> bool:
    """Whether a complication can stand beside this truth."""
    if complication == "loss_says_nothing":
        return framework in REWARDED
    if complication == "early_stopping":
        return truth == "G1"
    if complication == "two_attempts":
        return truth != "undecidable"
    return not (complication in {"spikes_recover", "low_from_start"} and truth in {"E1", "undecidable"})


def curves(count: int, first: int, rng: Random) -> Iterator[Curve]:
    """Draw curves; no framework comes twice in a round while there are others."""
    deck: list[str] = []
    for number in range(first, first + count):
        if not deck:
            deck = rng.sample(FRAMEWORKS, len(FRAMEWORKS))
        framework = deck.pop()
        truth = _pick(rng, CURVE_TRUTHS)
        while not _can_be(framework, truth):
            truth = _pick(rng, CURVE_TRUTHS)
        complication = _pick(rng, CURVE_COMPLICATIONS)
        while not _can_carry(framework, truth, complication):
            complication = _pick(rng, CURVE_COMPLICATIONS)
        ways = {"E1": REWARD_MECHANISMS if framework in REWARDED else E1_MECHANISMS, "undecidable": UNDECIDABLE}
        yield Curve(f"c{number:02}_{framework}", framework, truth, rng.choice(ways.get(truth, ("-",))), complication)


def incidents(count: int, first: int, rng: Random) -> Iterator[Incident]:
    """Draw incidents; shapes that a family cannot have are drawn again."""
    for number in range(first, first + count):
        family = _pick(rng, FAMILIES)
        nodes, gpus = rng.choice(NODES), rng.choice(GPUS)
        missing = _pick(rng, MISSING)
        while (
            (family == "C3" and nodes * gpus != 1)
            or (family in {"C1", "C2", "D3"} and nodes * gpus < 2)
            or (family == "C1" and nodes < 2)
            or (missing == "one_node_dark" and nodes < 2)
        ):
            nodes, gpus = rng.choice(NODES), rng.choice(GPUS)
            missing = _pick(rng, MISSING)
        sub_mode = rng.choice(SUB_MODES.get(family, ("-",)))
        name = f"t{number:02}_{nodes}x{gpus}"
        minutes = 5 * rng.randint(4, 24)
        yield Incident(
            name,
            family,
            sub_mode,
            nodes,
            gpus,
            minutes,
            rng.choice(MODELS),
            missing,
            _pick(rng, INCIDENT_COMPLICATIONS),
        )


def draw() -> tuple[list[Curve], list[Incident], list[Curve], list[Incident]]:
    """Both rounds: curves and incidents of A, curves and incidents of B."""
    rng = Random(SEED)
    a_curves, a_incidents = list(curves(18, 1, rng)), list(incidents(14, 1, rng))
    return a_curves, a_incidents, list(curves(16, 19, rng)), list(incidents(14, 15, rng))


if __name__ == "__main__":
    for lots in draw():
        for lot in lots:
            print(*lot)
