"""A dozen incidents of the red team (samples/redteam), from an operator's files to the verdict. SIMULATED.

The whole score: ``python -m samples.redteam.score --seed N``.
"""

import pytest

from samples.redteam.score import grade

SEED = 11


@pytest.mark.parametrize(
    "name",
    [
        "b2-no-log",  # a new double-bit error beside an abnormal end, without log or kernel log
        "b2-stale-xid",  # old counters and a gauge that never moves
        "b3-default-counters",  # clocks halved, and no reason sampled
        "c2-util-power",  # a freeze that only utilisation and power show
        "c2-channels",  # waiting NCCL channels keep SMs resident
        "c2-long-save",  # a barrier behind a save, which the job came out of
        "c2-crowd",  # other jobs' nodes in the metrics
        "c3-start",
        "d1-half",  # busy half of each long step
        "d2-degraded",  # mostly waiting, but advancing
        "d3-power",  # a straggler that power alone gives away
        "f3-in-save",
    ],
)
def test_the_verdict_is_right(name, tmp_path):
    told = grade(name, SEED, tmp_path)
    assert told.grade == "right", f"want {told.want}, got {told.got} ({told.confidence}): {told.note} {told.headline}"


@pytest.mark.parametrize("name", ["c2-blackout", "b3-util-only"])
def test_what_the_evidence_does_not_tell_is_not_told(name, tmp_path):
    told = grade(name, SEED, tmp_path)
    assert told.got == "cannot_decide", told.headline


@pytest.mark.parametrize(
    "name",
    [
        "b2-neighbour-crash.default",  # an XID of a GPU that another job held
        "c2-nolog.default",  # a freeze without any log, with the counters that exporters ship
        "d3-late-host.default",  # the straggler is the one that idles
        "d3-slow-gpu.bare",  # by power and memory traffic from the first step on
        "d2-network.default",  # by pipes and memory, where no SM activity is told
    ],
)
def test_folders_of_others_are_judged_right(name, tmp_path):
    told = grade(name, SEED, tmp_path, "field")
    assert told.grade == "right", f"want {told.want}, got {told.got} ({told.confidence}): {told.note} {told.headline}"


@pytest.mark.parametrize(
    ("which", "name"),
    [
        ("sites", "kube-others-oom"),  # another pod of the node was killed while the training went on
        ("sites", "kube-sidecar-oom"),  # a side car's end is not the job's
        ("sites", "kube-device-plugin"),  # a fault that is reported seconds after the process met it
        ("sites", "around-gcloud.fails"),  # an export with the newest first
        ("sites", "horovod-stall"),
        ("more", "quoted-failures"),  # a model that is trained on logs prints them
        ("more", "jax-runtime-oom"),  # the allocator says whose memory, the exception does not
        ("more", "smi-hot"),  # of the reasons for low clocks only some were asked for
    ],
)
def test_folders_of_other_machinery_are_judged_right(which, name, tmp_path):
    told = grade(name, SEED, tmp_path, which)
    assert told.grade == "right", f"want {told.want}, got {told.got} ({told.confidence}): {told.note} {told.headline}"


def test_a_pod_killed_beside_a_log_that_was_cut_decides_nothing(tmp_path):
    told = grade("kube-others-oom-and-cut", SEED, tmp_path, "sites")
    assert told.got == "cannot_decide", told.headline
