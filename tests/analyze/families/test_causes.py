"""The one table that says what kind of failure an exception is, and the remedies of known causes."""

from __future__ import annotations

import pytest

from inquest.analyze.families._causes import Cause, classify
from inquest.analyze.remedies import REMEDIES, remedy

CASES = [
    ("ModuleNotFoundError", "No module named 'flash_attn'", "", Cause.APPLICATION, "env"),
    ("peft.utils.error.NoMatchingPeftModuleError", "Target modules {'query_key_value'} not found in the base model.",
     "", Cause.APPLICATION, "config"),
    ("OSError", "You are trying to access a gated repo.", "", Cause.APPLICATION, "asset"),
    ("AssertionError", "Torch not compiled with CUDA enabled", "", Cause.APPLICATION, "env"),
    ("datasets.exceptions.DatasetGenerationError", "An error occurred while generating the dataset", "",
     Cause.APPLICATION, "data"),
    ("FileNotFoundError", "[Errno 2] No such file or directory: 'data/train-00.bin'", "train.py:12 __getitem__",
     Cause.APPLICATION, "data"),
    ("RuntimeError", "mat1 and mat2 shapes cannot be multiplied (2x5 and 4x4)", "", Cause.APPLICATION, "code"),
    ("RuntimeError", "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False.", "",
     Cause.APPLICATION, "env"),
    ("torch.distributed.DistNetworkError", "The server socket has failed to listen: EADDRINUSE", "",
     Cause.APPLICATION, "env"),
    ("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 2.00 GiB.", "", Cause.GPU_MEMORY, None),
    ("RuntimeError", "CUDA error: out of memory", "", Cause.GPU_MEMORY, None),
    ("RuntimeError", "DefaultCPUAllocator: can't allocate memory", "", Cause.APPLICATION, "config"),
    ("RuntimeError", "Error(s) in loading state_dict for Net:\n\tsize mismatch for embed.weight", "",
     Cause.CHECKPOINT, None),
    ("FileNotFoundError", "[Errno 2] No such file or directory: 'checkpoints/step_1000.pt'", "train.py:9 main",
     Cause.CHECKPOINT, None),
    ("EOFError", "Ran out of input", "site-packages/torch/serialization.py:1 load", Cause.CHECKPOINT, None),
    ("EOFError", "Ran out of input", "train.py:1 read_index", Cause.APPLICATION, "code"),
    ("safetensors_rust.SafetensorError", "Error while deserializing header: header too small",
     "transformers/modeling_utils.py:3 from_pretrained", Cause.APPLICATION, "asset"),
    ("RuntimeError", "Connection closed by peer [127.0.0.1]:41130.", "", Cause.PEER_LOST, None),
    ("RuntimeError", "Timed out waiting 10000ms for recv operation to complete", "", Cause.COLLECTIVE, None),
    ("torch.distributed.DistStoreError", "Timed out after 16 seconds waiting for clients. 1/2 clients joined.", "",
     Cause.RENDEZVOUS, None),
    ("RuntimeError", "DataLoader worker (pid 3051) is killed by signal: Killed. ", "", Cause.WORKER_KILLED, None),
    ("RuntimeError", "DataLoader worker (pid(s) 3051, 3052) exited unexpectedly", "", Cause.WORKER_GONE, None),
    ("RuntimeError", "DataLoader worker (pid 3051) exited unexpectedly with exit code 1. Details are lost due to"
     " multiprocessing.", "", Cause.APPLICATION, "data"),
    ("RuntimeError", "DataLoader timed out after 5 seconds", "", Cause.INPUT_STALL, None),
    ("RuntimeError", "Loss is nan, stopping training", "", Cause.NUMERIC, None),
    ("RuntimeError", "grad_scale is too small, exiting: 7.27e-06", "", Cause.NUMERIC, None),
    ("MinimumLossScaleReachedError", "The gradients are scaled down to minimum at step 9.", "", Cause.NUMERIC, None),
    ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError", "", "", Cause.LAUNCHER, None),
    ("KeyboardInterrupt", "", "", Cause.INTERRUPT, None),
]  # fmt: skip


@pytest.mark.parametrize(("exc_type", "message", "frames", "cause", "fault_class"), CASES)
def test_classify(exc_type: str, message: str, frames: str, cause: Cause, fault_class: str | None) -> None:
    kind = classify(exc_type, message, frames)
    assert (kind.cause, kind.fault_class) == (cause, fault_class)


def test_nothing_to_go_by_is_the_jobs_own_code() -> None:
    assert classify(None, None).cause is Cause.APPLICATION


def test_a_hostile_message_costs_little() -> None:
    classify("RuntimeError", "loss " * 1_000_000, "a" * 1_000_000)


def test_the_fused_layer_gets_its_own_names() -> None:
    action = remedy("ValueError", "Target modules {'query_key_value'} not found in the base model.")
    assert action is not None
    assert "q_proj, k_proj, v_proj" in action


def test_a_remedy_names_what_the_message_names() -> None:
    action = remedy("ModuleNotFoundError", "No module named 'deepspeed.ops'")
    assert action is not None
    assert "deepspeed.ops" in action


def test_an_unknown_cause_has_no_remedy() -> None:
    assert remedy("ValueError", "bad sample") is None


def test_braces_in_evidence_do_no_harm() -> None:
    for entry in REMEDIES:
        assert entry.action
    assert remedy("FileNotFoundError", "No such file or directory: '{0.__class__}'") is not None
