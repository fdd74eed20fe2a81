"""What stacks and answers of RAS taken at a stall tell: which rank the others waited for, where, and when nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.families._stacks import kept_waiting, user_line, waits_for
from inquest.analyze.logs.kinds import Kind
from tests.analyze.builders import TWINS, Run, at

if TYPE_CHECKING:
    from inquest.analyze.model import Verdict

LOSSES: list[float | None] = [4.0 - 0.05 * number for number in range(40)]
SITE = "/venv/lib/python3.11/site-packages/torch"
IN_COLLECTIVE = f"all_reduce at {SITE}/distributed/distributed_c10d.py:3252\nmain at /job/train.py:18"
IN_BACKWARD = (
    f"_engine_run_backward at {SITE}/autograd/graph.py:979\nbackward at {SITE}/_tensor.py:623\nmain at /job/train.py:20"
)
IN_DATA = (
    "Shards.__getitem__ at /job/data.py:9\n"
    f"_MapDatasetFetcher.fetch at {SITE}/utils/data/_utils/fetch.py:54\nmain at /job/train.py:16"
)
IN_QUEUE = "Condition.wait at /usr/lib/python3.11/threading.py:331\nQueue.get at /usr/lib/python3.11/queue.py:171"
NFS = "rpc_wait_bit_killable\nnfs_wait_client_init_complete\nnfs4_file_open\nsystem call 257"


def looked(run: Run, stacks: dict[int, str], *, t: float = 120, kernel: dict[int, str] | None = None) -> Run:
    """Two looks at the main thread of each rank, ten seconds apart; rank r is process 100 + r."""
    for number, (rank, text) in enumerate(stacks.items()):
        deeper = [("kernel", (kernel or {}).get(rank, "futex_wait_queue\nsystem call 202")), ("python", text)]
        for kind, stack in deeper:
            numbered = number * 2 + (kind == "python")
            run.row("stacks", stack_id=numbered, kind=kind, text=stack)
            for look in (t, t + 10):
                pid = 100 + rank
                columns = {"pid": pid, "tid": pid, "rank": rank, "stack_id": numbered, "reason": "silent for 70 s"}
                run.row("stack_samples", ts_ns=at(look), **columns)
    return run


def frozen(**columns: object) -> Run:
    """Four ranks that reported steps until second 50 and were ended at second 200."""
    run = Run().steps(LOSSES)
    for rank in range(4):
        run.row("processes", event="start", role="rank", rank=rank, pid=100 + rank, world_size=4, ts_ns=at(1))
    return run.ended(None, term=15, t=200)


def decide(run: Run) -> Verdict:
    return judge(run.evidence(), strict=True)


def test_the_rank_that_stood_in_its_data_is_named_with_its_line() -> None:
    stacks = {0: IN_COLLECTIVE, 1: IN_BACKWARD, 2: IN_DATA, 3: IN_COLLECTIVE}
    verdict = decide(looked(frozen(), stacks, kernel={2: NFS}))
    assert (verdict.family, verdict.sub_mode) == ("C2", "host_stopped")
    assert verdict.culprit_ranks == (2,)
    assert "Shards.__getitem__ at /job/data.py:9" in verdict.headline
    assert "a file server" in verdict.headline
    assert "/job/data.py:9" in verdict.next.action
    claim = next(claim for claim in verdict.shows if claim.table == "stack_samples" and "rank 2" in claim.text)
    assert (claim.value, claim.unit) == (2, "looks")
    assert {row.table for row in claim.rows} == {"stack_samples", "stacks"}
    assert claim.excerpt == IN_DATA
    assert not any("Which rank" in missing.text for missing in verdict.cannot_decide)


def test_stacks_name_the_rank_behind_a_reported_time_out() -> None:
    run = TWINS["C2"].positive()
    for rank in range(4):
        run.row("processes", event="start", role="rank", rank=rank, pid=100 + rank, world_size=4, ts_ns=at(1))
    stacks = {0: IN_COLLECTIVE, 1: IN_DATA, 2: IN_COLLECTIVE, 3: IN_COLLECTIVE}
    verdict = decide(looked(run, stacks, t=700))
    assert verdict.family == "C2"
    assert verdict.culprit_ranks == (1,)


UNTOLD = "step at /job/train.py:40"


@pytest.mark.parametrize(
    "stacks",
    [
        pytest.param({0: IN_COLLECTIVE, 1: IN_COLLECTIVE, 2: IN_BACKWARD, 3: IN_COLLECTIVE}, id="all wait"),
        pytest.param({0: IN_DATA, 1: IN_DATA, 2: IN_DATA, 3: IN_COLLECTIVE}, id="most stand elsewhere"),
        pytest.param({0: IN_COLLECTIVE, 1: IN_COLLECTIVE, 2: UNTOLD, 3: IN_COLLECTIVE}, id="unknown"),
    ],
)
def test_stacks_that_do_not_tell_make_nobody_a_culprit(stacks: dict[int, str]) -> None:
    verdict = decide(looked(frozen(), stacks))
    assert verdict.culprit_ranks == ()
    assert verdict.sub_mode != "host_stopped"


def test_stacks_from_before_progress_went_on_tell_nothing() -> None:
    run = looked(frozen(), {0: IN_COLLECTIVE, 1: IN_DATA, 2: IN_COLLECTIVE, 3: IN_COLLECTIVE}, t=20)
    assert kept_waiting(run.evidence()) == ((), ())


def test_a_helper_that_inherited_its_rank_does_not_speak_for_it() -> None:
    run = looked(frozen(), {0: IN_COLLECTIVE, 1: IN_COLLECTIVE, 2: IN_COLLECTIVE, 3: IN_COLLECTIVE})
    run.row("stacks", stack_id=99, kind="python", text=IN_QUEUE)
    run.row("stack_samples", ts_ns=at(130), pid=50, tid=50, rank=1, stack_id=99, reason="silent for 70 s")
    assert kept_waiting(run.evidence()) == ((), ())


def test_the_line_of_a_data_loaders_worker_is_named() -> None:
    get = "Queue.get at /usr/lib/python3.11/queue.py:1"
    waits = f"{get}\n_next_data at {SITE}/utils/data/dataloader.py:7\nmain at /job/train.py:16"
    run = looked(frozen(), {0: IN_COLLECTIVE, 1: IN_COLLECTIVE, 2: waits, 3: IN_COLLECTIVE})
    fork = "\nBaseProcess.run at /usr/lib/python3.11/multiprocessing/process.py:108\nmain at /job/train.py:16"
    idle = f"{get}\n_worker_loop at {SITE}/utils/data/_utils/worker.py:5{fork}"
    busy = f"Shards.__getitem__ at /job/data.py:9\n_worker_loop at {SITE}/utils/data/_utils/worker.py:9{fork}"
    for pid, text in ((50, idle), (51, busy)):
        run.row("stacks", stack_id=pid, kind="python", text=text)
        run.row("stack_samples", ts_ns=at(130), pid=pid, tid=pid, rank=2, stack_id=pid, reason="silent for 70 s")
    verdict = decide(run)
    assert verdict.culprit_ranks == (2,)
    assert "its worker 51 stood in Shards.__getitem__ at /job/data.py:9" in verdict.headline
    assert "Look at Shards.__getitem__ at /job/data.py:9" in verdict.next.action
    assert any("worker 51 of rank 2" in claim.text for claim in verdict.shows)


def test_a_look_when_the_job_was_told_to_end_counts_where_there_was_no_other() -> None:
    run = looked(frozen(), {0: IN_COLLECTIVE, 1: IN_DATA, 2: IN_COLLECTIVE, 3: IN_COLLECTIVE})
    for reason in ("signal 15",):
        run.row("stacks", stack_id=90, kind="python", text="handler at /job/train.py:3")
        run.row("stack_samples", ts_ns=at(199), pid=101, tid=101, rank=1, stack_id=90, reason=reason)
    (own,), _ = kept_waiting(run.evidence())
    assert own.rank == 1
    late = frozen()
    for rank, text in enumerate([IN_COLLECTIVE, IN_DATA, IN_COLLECTIVE, IN_COLLECTIVE]):
        late.row("stacks", stack_id=rank, kind="python", text=text)
        late.row(
            "stack_samples", ts_ns=at(199), pid=100 + rank, tid=100 + rank, rank=rank, stack_id=rank, reason="signal 15"
        )
    (own,), _ = kept_waiting(late.evidence())
    assert own.rank == 1


def test_one_gpu_that_hangs_names_the_line_of_its_process() -> None:
    verdict = decide(looked(TWINS["C3"].positive(), {0: IN_DATA}, t=200, kernel={0: NFS}))
    assert verdict.family == "C3"
    assert "Shards.__getitem__ at /job/data.py:9" in verdict.headline
    assert verdict.first_failing.pid == 100
    assert not any("waited for" in missing.text for missing in verdict.cannot_decide)


@pytest.mark.parametrize(
    ("python", "native", "kernel", "what"),
    [
        (IN_COLLECTIVE, None, None, "a collective"),
        (IN_BACKWARD, None, None, "a collective"),
        ("main at /job/train.py:20", "cudaStreamSynchronize at libcudart.so.12:0", None, "a collective"),
        (
            "main at /job/train.py:20",
            "pthread_cond_wait at libc.so.6:0\nc10d::Work::wait at x.so:0",
            None,
            "a collective",
        ),
        (IN_DATA, None, NFS, "its input data (a file server)"),
        (IN_QUEUE, None, None, "a lock or another thread"),
        ("main at /job/train.py:20", None, "hrtimer_nanosleep\nsystem call 230", "nothing but time (it slept)"),
        ("main at /job/train.py:20", None, "folio_wait_bit\next4_file_read_iter", "a disk"),
        ("main at /job/train.py:20", None, "futex_wait_queue\nsystem call 202", None),
        ("main at /job/train.py:20", None, None, None),
    ],
)
def test_what_a_stack_waits_for(python: str, native: str | None, kernel: str | None, what: str | None) -> None:
    assert waits_for(python, native, kernel) == what


def test_the_users_own_line_is_the_innermost_outside_libraries() -> None:
    assert user_line(IN_COLLECTIVE) == "main at /job/train.py:18"
    assert user_line(IN_QUEUE) is None
    assert user_line("open64 at /usr/lib/libc.so.6:0\nload at /job/a.py:3") == "load at /job/a.py:3"


def test_a_time_limit_over_a_job_that_stood_says_where() -> None:
    run = Run().steps(LOSSES).row("processes", event="start", role="rank", rank=0, pid=100, world_size=1, ts_ns=at(1))
    run.event(Kind.TIME_LIMIT, "CANCELLED DUE TO TIME LIMIT", framework="slurm", t=199).ended(None, term=15, t=200)
    verdict = decide(looked(run, {0: IN_DATA}, kernel={0: NFS}))
    assert (verdict.family, verdict.sub_mode, verdict.attribution) == ("F3", "hung", "job")
    assert "its process stood in Shards.__getitem__ at /job/data.py:9" in verdict.headline
    assert "/job/data.py:9" in verdict.next.action
    assert decide(run_without_looks()).sub_mode == "unknown_progress"


def run_without_looks() -> Run:
    run = Run().steps(LOSSES)
    return run.event(Kind.TIME_LIMIT, "CANCELLED DUE TO TIME LIMIT", framework="slurm", t=199).ended(
        None, term=15, t=200
    )


def test_a_data_loader_that_timed_out_says_where_its_rank_stood() -> None:
    run = (
        Run()
        .steps(LOSSES)
        .raised("RuntimeError", "DataLoader timed out after 120 seconds", rank=0, t=170)
        .ended(1, t=171)
    )
    run.row("processes", event="start", role="rank", rank=0, pid=100, world_size=1, ts_ns=at(1))
    verdict = decide(looked(run, {0: IN_DATA}, t=120))
    assert verdict.family == "D1"
    entry = next(entry for entry in verdict.families if entry.family == "D1")
    assert "Rank 0 stood in Shards.__getitem__ at /job/data.py:9" in entry.because
    assert not any("Why no batch came" in missing.text for missing in verdict.cannot_decide)


# --- counts of launches, where there are neither stacks nor dumps --------------------------------------------------


def asked(run: Run, *answers: dict[int, int | str]) -> Run:
    """Answers of RAS ten seconds apart: for each rank how many collectives it launched, or the state it is in."""
    for number, answer in enumerate(answers):
        for rank, said in answer.items():
            columns = {"state": said} if isinstance(said, str) else {"state": "RUNNING", "last_enqueued_seq": said}
            row = {"event": "status", "backend": "nccl", "comm": "0xae", "comm_size": 4, "comm_rank": rank, **columns}
            run.row("nccl_comms", ts_ns=at(150 + 10 * number), source=f"artifact-{number}-nccl-ras.json", **row)
    return run


def test_the_rank_that_launched_less_in_two_answers_is_named() -> None:
    answer: dict[int, int | str] = {0: 70, 1: 70, 2: 69, 3: 70}
    verdict = decide(asked(frozen(), {0: 9, 1: 8, 2: 9, 3: 9}, answer, answer))
    assert (verdict.family, verdict.sub_mode, verdict.culprit_ranks) == ("C2", "host_stopped", (2,))
    assert "rank 2 launched no collective after number 69 while the others launched 70" in verdict.headline
    assert {claim.value for claim in verdict.shows if "RAS" in claim.text} == {69, 70}
    assert any("rank 2" in missing.text and "stacks" in missing.missing for missing in verdict.cannot_decide)


def test_the_rank_that_did_not_answer_is_named() -> None:
    answer: dict[int, int | str] = {0: 70, 1: "UNRESPONSIVE", 2: 70, 3: 70}
    verdict = decide(asked(frozen(), answer, answer))
    assert (verdict.sub_mode, verdict.culprit_ranks) == ("absent", (1,))


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param([{0: 70, 1: 70, 2: 69, 3: 70}], id="asked once"),
        pytest.param([{0: 70, 1: 70, 2: 69, 3: 70}, {0: 71, 1: 71, 2: 70, 3: 71}], id="it moved"),
        pytest.param([{0: 70, 1: 70, 2: 70, 3: 70}] * 2, id="all alike"),
        pytest.param([{0: 70, 1: 69, 2: 69, 3: 70}] * 2, id="half of them"),
        pytest.param([{0: "DEAD", 1: "DEAD", 2: "DEAD", 3: 70}] * 2, id="most are silent"),
    ],
)
def test_answers_of_ras_that_name_nobody(answers: list[dict[int, int | str]]) -> None:
    assert decide(asked(frozen(), *answers)).culprit_ranks == ()


def probed(run: Run, counts: dict[int, list[int]], *, comm: str = "5f2e", size: int = 4) -> Run:
    """What probes on NCCL told of each rank: the numbers of its last collectives when it stood still."""
    for rank, numbers in counts.items():
        for look, number in enumerate(numbers):
            row = {"event": "status", "backend": "nccl", "comm": comm, "comm_size": size, "rank": rank, "state": "idle"}
            run.row("nccl_comms", ts_ns=at(60 + 60 * look), source="ebpf", last_enqueued_seq=number, **row)
    return run


def test_probes_on_calls_name_the_rank_that_launched_less() -> None:
    verdict = decide(probed(frozen(), {0: [40, 70], 1: [40, 70], 2: [40, 70], 3: [40, 66]}))
    assert (verdict.family, verdict.sub_mode, verdict.culprit_ranks) == ("C2", "host_stopped", (3,))
    assert {claim.value for claim in verdict.shows if "probes" in claim.text} == {66, 70}


@pytest.mark.parametrize(
    "counts",
    [
        pytest.param({0: [70], 1: [70], 2: [70], 3: [70]}, id="all alike"),
        pytest.param({0: [70], 1: [70], 3: [66]}, id="a rank was not probed"),
        pytest.param({0: [70], 1: [66], 2: [66], 3: [70]}, id="half of them"),
    ],
)
def test_counts_of_probes_that_name_nobody(counts: dict[int, list[int]]) -> None:
    assert decide(probed(frozen(), counts)).culprit_ranks == ()


def test_a_group_of_some_ranks_names_nobody() -> None:
    assert decide(probed(frozen(), {0: [70], 1: [66]}, size=2)).culprit_ranks == ()
