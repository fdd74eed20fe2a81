"""What schedulers, services and frameworks of others print of the same ends, and what looks like it."""

import json

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs

STEPS = [f"2026-03-02 10:{m:02d}:00 step {m * 10} loss {3 / (m + 1):.4f}" for m in range(40)]


def decided(tmp_path, **files):
    """The outcome, or the family where one is decided, for these files as one import."""
    for name, text in files.items():
        told = text if isinstance(text, str) else "\n".join(text) + "\n"
        (tmp_path / name.replace("__", ".")).write_text(told)
    verdict, _ = analyze(import_logs([str(tmp_path)]))
    return verdict.family or verdict.outcome, verdict.headline


@pytest.mark.parametrize(
    "last",
    [
        "RuntimeError: Device(id:0) memory isn't enough and alloc failed, kernel: Conv2D-op3, alloc size: 9663B.",
        "net.cu:31: cudaMalloc(&buf, 8589934592) -> error 2 (cudaErrorMemoryAllocation): out of memory",
        "错误: 显存不足, 无法分配 8.0 GiB",
        "Fehler: GPU-Speicher erschöpft",
    ],
)
def test_a_refused_allocation_in_other_words(tmp_path, last):
    assert decided(tmp_path, run__log=[*STEPS, last])[0] == "B1"


def test_a_refused_allocation_after_which_training_went_on_is_no_end(tmp_path):
    told = [*STEPS[:20], "错误: 显存不足, 无法分配 8.0 GiB", *STEPS[20:], "training finished"]
    assert decided(tmp_path, run__log=told)[0] != "B1"


def test_a_sister_that_pbs_lost(tmp_path):
    lost = (
        "=>> PBS: job killed: node 2 (n012) requested job terminate, 'EOF' (code 1099) - received SISTER_EOF attempting"
        " to communicate with sister MOM's"
    )
    assert decided(tmp_path, run__log=[*STEPS, lost])[0] == "F1"


def test_a_sister_that_asked_by_itself_is_no_lost_machine(tmp_path):
    assert (
        decided(tmp_path, run__log=[*STEPS, "=>> PBS: job killed: node 2 (n012) requested job die, code 1"])[0] != "F1"
    )


def batch(*attempts):
    return json.dumps({"jobs": [{"jobName": "fit", "status": "SUCCEEDED", "attempts": list(attempts)}]}, indent=1)


LOST = {"stoppedAt": 1772446800000, "statusReason": "Host EC2 (instance i-0a91be) terminated.", "container": {}}
DONE = {"stoppedAt": 1772449200000, "statusReason": "Essential container in task exited", "container": {"exitCode": 0}}


def test_an_attempt_whose_machine_was_taken(tmp_path):
    family, headline = decided(tmp_path, run__log=STEPS, job__json=batch(LOST, DONE))
    assert family == "F2"
    assert "a later attempt of it completed" in headline


def test_one_attempt_that_succeeded(tmp_path):
    assert decided(tmp_path, run__log=STEPS, job__json=batch(DONE))[0] == "G1"


def test_spot_training_that_was_interrupted(tmp_path):
    states = [{"Status": name, "StatusMessage": "."} for name in ("Training", "Interrupted", "Training", "Completed")]
    told = json.dumps({"TrainingJobStatus": "Completed", "SecondaryStatusTransitions": states}, indent=1)
    assert decided(tmp_path, run__log=STEPS, job__json=told)[0] == "F2"


LIMIT = ["", "TERM_RUNLIMIT: job killed after reaching LSF run time limit.", "Exited with exit code 140."]


@pytest.mark.parametrize(
    "waits",
    ["toujours en attente de 3 pairs", "warte noch auf 3 Knoten", "esperando a los otros nodos", "等待其他节点"],
)
def test_waiting_for_the_others_until_the_limit(tmp_path, waits):
    told = ["programme lancé", *(f"(veille) 13:{m} {waits}" for m in range(10, 50)), *LIMIT]
    assert decided(tmp_path, run__log=told)[0] == "C1"


def test_waiting_for_the_others_before_steps_is_none(tmp_path):
    told = [*(f"13:{m} warte noch auf 3 Knoten" for m in range(10, 14)), *STEPS, *LIMIT]
    assert decided(tmp_path, run__log=told)[0] != "C1"


REFUSED = "gpu-w1:67:126 [2] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 10.0.0.5<41877> {}"


def test_a_place_that_nccl_cannot_reach(tmp_path):
    told = [REFUSED.format("failed : Connection timed out"), "command terminated with exit code 1"]
    ended = "torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error"
    assert decided(tmp_path, run__log=[*told, ended], rc="1\n")[0] == "C1"


def test_a_place_that_nccl_tries_again_is_none(tmp_path):
    assert decided(tmp_path, run__log=[REFUSED.format("returned Connection refused, retrying"), *STEPS])[0] != "C1"


def test_a_job_made_to_leave_at_its_last_step_is_done(tmp_path):
    rows = [
        f"iteration {n * 10}/ 400 | lm loss: {5 / n:.3E} | elapsed time per iteration (ms): 60.0 |"
        for n in range(1, 41)
    ]
    assert decided(tmp_path, run__log=[*rows, "[exiting program at iteration 400] datetime: 2026-02-21"])[0] == "G1"


def test_a_job_made_to_leave_before_its_last_step_left_by_its_rule(tmp_path):
    rows = [
        f"iteration {n * 10}/ 900 | lm loss: {5 / n:.3E} | elapsed time per iteration (ms): 60.0 |"
        for n in range(1, 41)
    ]
    told = [*rows, "[exiting program at iteration 400] datetime: 2026-02-21"]
    assert decided(tmp_path, run__log=told)[0] == "outside_families"


def test_a_search_of_which_no_trial_failed(tmp_path):
    assert decided(tmp_path, run__log=[*STEPS, "Number of trials: 2/2 (2 TERMINATED)"])[0] == "G1"
