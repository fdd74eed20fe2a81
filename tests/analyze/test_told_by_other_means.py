"""What is told by other means than the usual ones, each with a near miss: a loop's own timers, systemd's last words,
Horovod's list of ranks, peers' memory traffic, power between polling and computing, the end by accounting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze, judge
from inquest.analyze.families import FAMILIES
from inquest.analyze.families._frozen import frozen
from inquest.analyze.families.base import CannotDecide, RuledIn, RuledOut
from inquest.analyze.logs import parse_logs
from inquest.analyze.logs.kinds import Kind
from inquest.bundle.logs_import import import_logs

from .builders import Run, at, gpu_samples, healthy

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.families.base import Finding
    from inquest.analyze.model import Verdict


def verdict(folder: Path, text: str) -> Verdict:
    """What the engine says of one log."""
    path = folder / "job.log"
    path.write_text(text)
    return analyze(import_logs([path]), strict=True)[0]


def finding(family: str, run: Run) -> Finding:
    """What one family finds."""
    return next(each for each in FAMILIES if each.id == family).judge(run.evidence())


@pytest.mark.parametrize(
    ("third", "work", "found"),
    [(0.3, None, CannotDecide), (0.3, 0.3, RuledIn), (0.01, None, RuledIn), (0.9, None, RuledIn)],
)
def test_a_gpu_that_idles_beside_busy_ones_is_explained_or_no_health(third, work, found) -> None:
    run = gpu_samples(healthy(), gpus=4, sm=None, engine_active=[0.95, 0.95, third, 0.95], tensor_active=work)
    assert isinstance(finding("G1", run), found)


# --- D1: the loop's own timers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "step", "data"),
    [
        ("Epoch: [3][ 40/800]\tTime  5.125 ( 5.2)\tData  4.750 ( 4.8)\tLoss 6.1e+00 (6.2e+00)", 5.125, 4.75),
        ("Train: 4 [ 50/900 (  6%)]  Loss: 6.1 (6.1)  Time: 0.500s, 512.0/s  LR: 1e-05  Data: 0.125 (0.2)", 0.5, 0.125),
        ("eta: 0:10:00  iter: 79  total_loss: 2.3  time: 0.7500  last_time: 0.7  data_time: 0.5000", 0.75, 0.5),
        ("Epoch: [2]  [ 10/990]  eta: 0:23:45  loss: 6.9 (6.9)  time: 8.5000  data: 8.2500  max mem: 11", 8.5, 8.25),
        ("Train Epoch: 1 [ 512/90000 (1%)] Data (t): 1.250 Batch (t): 1.500, 320/s Loss: 5.1", 1.5, 1.25),
        ("[Epoch 1/9][Iter: 10/400] loss: 6.9, avg_reader_cost: 2.25 sec, avg_batch_cost: 2.5 sec", 2.5, 2.25),
        ("Train: [1][10/98]\tBT 0.750 (0.8)\tDT 0.625 (0.7)\tloss 5.1 (5.2)", 0.75, 0.625),
        ("step 70 | loss 2.5 | data 1500 ms | step 1750 ms", 1.75, 1.5),
        ("step 70 loss 2.5 iter 2.5s (data 2.25s)", 2.5, 2.25),
        ('{"step": 70, "loss": 2.5, "data_time": 0.25, "step_time": 0.5}', 0.5, 0.25),
        ('{"iter": "70/100", "dt": 3.5, "dt_data": 3.25, "dt_net": 0.25, "loss": 1.5}', 3.5, 3.25),
        ("step 70/100 loss 2.5 waited for data 1.5s, total 1.75s", 1.75, 1.5),
        ("step 70/100 loss 2.5 data_time 1.500s compute_time 0.250s", 1.75, 1.5),
        ("iter=70/6600 loss=0.66158 ms/it=612", 0.612, None),
        ("INFO step 70 loss 3.3080 sec_per_step 0.966 tflops_per_gpu 1063", 0.966, None),
        ("INFO step 70 loss 3.3080 samples_per_step 512", None, None),
        # No time, or none of this step.
        ("step 70: loss=2.5 data_parallel=8 step_time=0.5", 0.5, None),
        ("step 70: loss=2.5 data 3/8 step_time=0.5", 0.5, None),
        ("step 70: loss=2.5 data 5120.0 tokens step_time=0.5", 0.5, None),
    ],
)
def test_timers_of_a_step_and_of_its_data(tmp_path: Path, line: str, step: float | None, data: float | None) -> None:
    path = tmp_path / "job.log"
    path.write_text(f"began\n{line}\n")
    rows = parse_logs(import_logs([path]))["fact_steps"].select("step_time_s", "data_time_s").rows()
    assert rows == [(step, data)]


def fed(step: float, data: float, *, first: float | None = None, steps: int = 40) -> Run:
    """A loop that prints its timers; the first wait may be another."""
    run = Run()
    for number in range(steps):
        waited = first if first is not None and number == 0 else data
        row = {"step": number, "loss": 3.0 - number / 40, "rank": 0, "kind": "step"}
        run.fact("fact_steps", step_time_s=max(step, waited), data_time_s=waited, ts_ns=at(10 + number * step), **row)
    return run


def test_a_loop_that_says_it_waits_for_data_is_believed_where_nobody_sampled_its_gpus() -> None:
    found = finding("D1", fed(6.0, 5.5))
    assert isinstance(found, RuledIn)
    assert "5.5 s of the 6.0 s" in found.headline
    assert [claim.value for claim in found.claims] == [5.5, 6.0]


@pytest.mark.parametrize(("step", "data", "first"), [(6.0, 0.1, None), (0.5, 0.01, 40.0), (6.0, 2.1, None)])
def test_a_loop_that_waits_little_or_once_does_not_starve(step: float, data: float, first: float | None) -> None:
    assert isinstance(finding("D1", fed(step, data, first=first)), RuledOut)


def test_a_loop_that_waits_for_as_good_as_all_of_a_step_starves_in_less_than_seconds() -> None:
    assert isinstance(finding("D1", fed(0.95, 0.93)), RuledIn)


@pytest.mark.parametrize(("step", "data"), [(1.8, 1.3), (6.0, 3.0), (0.05, 0.049)])
def test_waits_of_less_than_three_quarters_of_a_step_or_of_toys_are_no_finding(step: float, data: float) -> None:
    found = finding("D1", fed(step, data))
    assert isinstance(found, CannotDecide)
    assert found.warnings


def on_a_node(
    env: str, nvml: str | None = None, cuda: str | None = None, line: str = "began", data: float = 0.9
) -> Run:
    """A loop that waits most of its step, and what was recorded of the node's GPUs."""
    run = fed(1.1, data).row("node_info", node="node01", capture="c", job_env=env)
    for collector, outcome, detail in (("nvml", "missing", nvml), ("cuda_calls", "empty", cuda)):
        run.row("collection", node="node01", collector=collector, outcome=outcome, detail=detail, ts_ns=at(5))
    return run.row("log_lines", node="node01", source="job.log", seq=0, ts_ns=at(5), text=line)


_HIDDEN, _NONE = '{"CUDA_VISIBLE_DEVICES": ""}', "NVML: NVML Shared Library Not Found"
_UNMAPPED = "no process of the job has mapped a library with these functions"


@pytest.mark.parametrize("run", [on_a_node(_HIDDEN), on_a_node("{}", _NONE, _UNMAPPED)])
def test_where_the_job_had_no_gpu_what_its_loop_says_of_waiting_is_the_whole_of_it(run: Run) -> None:
    found = finding("D1", run)
    assert isinstance(found, RuledIn)
    assert "had no GPU" in found.because


@pytest.mark.parametrize(
    "run",
    [
        on_a_node('{"CUDA_VISIBLE_DEVICES": "0"}'),
        on_a_node("{}", _NONE),  # nothing looked whether the job called CUDA: the recorder may stand apart
        on_a_node("{}", "NVML: Insufficient Permissions", _UNMAPPED),
        on_a_node("{}", _NONE, _UNMAPPED, line="device: amdgpu 0"),
        on_a_node('{"CUDA_VISIBLE_DEVICES": "", "ROCR_VISIBLE_DEVICES": "0"}'),
        on_a_node(_HIDDEN, data=0.7),  # less than three quarters
        gpu_samples(on_a_node(_HIDDEN), engine=0.9),
    ],
)
def test_a_gpu_that_may_have_had_work_meanwhile_leaves_it_open(run: Run) -> None:
    assert not isinstance(finding("D1", run), RuledIn)


def stalling(wait: float, *, every: int = 20, stride: int = 1, steps: int = 100) -> Run:
    """A loop of half a second that waits before each ``every``-th step, and tells of each ``stride``-th."""
    run, now = Run(), 10.0
    for number in range(1, steps + 1):
        waited = wait if number % every == 0 else 0.01
        now += 0.5 + waited
        if number % stride == 0:
            row = {"step": number, "loss": 3.0 - number / 400, "rank": 0, "kind": "step", "ts_ns": at(now)}
            run.fact("fact_steps", step_time_s=0.5 + waited, data_time_s=waited, **row)
    return run


def test_a_loop_that_stands_still_again_and_again_starves_though_its_median_does_not() -> None:
    found = finding("D1", stalling(30.0))
    assert isinstance(found, RuledIn)
    assert "stood still for its data 5 times for 30 s and more, 75% of its time" in found.headline
    assert [claim.value for claim in found.claims] == [5, 150.0, pytest.approx(200.95)]


def test_stalls_that_cost_little_are_ruled_out_and_others_that_nothing_proves_stay_open() -> None:
    assert isinstance(finding("D1", stalling(3.0)), RuledOut)
    assert isinstance(finding("D1", stalling(9.0)), CannotDecide)
    # A single one of all, and reports of every twentieth step, which may be those that wait.
    assert not isinstance(finding("D1", stalling(200.0, every=60)), RuledIn)
    assert not isinstance(finding("D1", stalling(30.0, every=60, stride=20, steps=800)), RuledIn)


def test_busy_gpus_are_believed_before_the_timers() -> None:
    run = gpu_samples(fed(6.0, 5.5), seconds=240, engine=0.95)
    assert isinstance(finding("D1", run), RuledOut)


def test_gpus_that_stand_still_between_the_steps_need_not_wait_for_data() -> None:
    run = Run()
    for number in range(40):
        row = {"step": number, "loss": 3.0 - number / 40, "rank": 0, "kind": "step", "step_time_s": 1.0}
        run.fact("fact_steps", ts_ns=at(10 + number * 8), **row)
    assert isinstance(finding("D1", gpu_samples(run, seconds=320, engine=0.01)), CannotDecide)


def test_few_steps_tell_of_feeding_where_each_waits_for_seconds() -> None:
    assert isinstance(finding("D1", fed(6.0, 5.5, steps=8)), RuledIn)
    assert isinstance(finding("D1", fed(1.8, 1.7, steps=8)), CannotDecide)
    assert isinstance(finding("D1", gpu_samples(fed(6.0, 5.5, steps=8), seconds=60, engine=0.5)), CannotDecide)


# --- what loops call things ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "step", "total", "loss"),
    [
        ("step=70 of=300 obj=7.5 dt=1500.0ms", 70, 300, 7.5),
        ("I0302 14:11:09.000001 77 fit.py:31] [70] loss=7.5, total_steps=300", 70, 300, 7.5),
        ("70/300 (23%) train_loss: 7.5", 70, 300, 7.5),
        ("Schritt 70/300 Verlust=7.5", 70, 300, 7.5),
        ("[00070] objective 7.5 | lr 3.0e-04", 70, None, 7.5),
        ("| epoch 2 |   70/300 batches | ms/batch 12.50 | bpc    7.5", 70, 300, 7.5),
        ("[70]\ttrain-rmse:7.5\teval-rmse:8.5", 70, None, 7.5),
        ("70:\tlearn: 7.5\ttest: 8.5\tbest: 8.5 (70)", 70, None, 7.5),
        ("step 70/300 loss 7.5 ppl 1808.0", 70, 300, 7.5),
        ("step 70/300 | val dice_bce 8.5 | dice_bce 7.5", 70, 300, 7.5),
        ("step 70/300 ctc 7.5 lr 1e-3", 70, 300, 7.5),
        ("training loss at step 70: 7.5", 70, None, 7.5),
        ("step 70/300 G_loss 1.5 D_loss 0.5", 70, 300, None),
        ("step 70/300 policy_loss 0.5 loss 7.5", 70, 300, 7.5),
    ],
)
def test_progress_by_other_names(tmp_path: Path, line: str, step: int, total: int | None, loss: float | None) -> None:
    path = tmp_path / "job.log"
    path.write_text(f"began\n{line}\n")
    rows = parse_logs(import_logs([path]))["fact_steps"].select("kind", "step", "total_steps", "loss").rows()
    assert rows == [("step", step, total, loss)]


@pytest.mark.parametrize("line", ["2026/03/02 loss 7.5", "wrote 7 of 9 shards, cost 12 EUR", "see loss/part 3/4"])
def test_what_counts_no_steps(tmp_path: Path, line: str) -> None:
    path = tmp_path / "job.log"
    path.write_text(f"began\n{line}\n")
    assert parse_logs(import_logs([path]))["fact_steps"].is_empty()


# --- ends in other languages, and what is none -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("end", "family"),
    [
        ("thread 'main' panicked at src/batch.rs:12:5:\nindex out of bounds: the len is 4 but the index is 9\n", "A1"),
        ("panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 1 [running]:\n", "A1"),
        (
            "x.js:3\n  y()\n\nReferenceError: y is not defined\n    at fit (x.js:3:3)\n\nNode.js v18.1.0\n",
            "A1",
        ),
        ("fit.sh: line 12: LR: unbound variable\n", "A1"),
        ("Fatal Python error: init_fs_encoding: failed to get the Python codec\n", "A1"),
        ("cannot open shard 7: Input/output error\n", "A1"),
        ('Fatal error: exception Invalid_argument("index out of bounds")\nRaised at Train.step\n', "A1"),
        ("At line 41 of file train.f90\nFortran runtime error: Index '11' above upper bound of 10\n", "A1"),
        ("Error using trainNetwork (line 191)\nInvalid training data.\n\nError in train (line 14)\n", "A1"),
        ("fit: Prelude.head: empty list\nCallStack (from HasCallStack):\n  error, called at List.hs:1646:3\n", "A1"),
        ("luajit: fit.lua:88: attempt to index a nil value\nstack traceback:\n\tfit.lua:88: in main chunk\n", "A1"),
        ("make[2]: *** [rules.mk:9: fit] Erreur de segmentation\n", "A2"),
        ("xargs: ./fit: terminated by signal 9\n", "A2"),
        ('Thread 3 "fit" received signal SIGBUS, Bus error.\n', "A2"),
    ],
)
def test_ends_that_other_runtimes_and_tools_tell(tmp_path: Path, end: str, family: str) -> None:
    path = tmp_path / "job.log"
    path.write_text(STEPS + end)
    assert analyze(import_logs([path], exit_code=1), strict=True)[0].family == family


NOTEBOOK = """Traceback (most recent call last):
  File "/usr/bin/papermill", line 8, in <module>
    sys.exit(papermill())
papermill.exceptions.PapermillExecutionError:
---------------------------------------------------------------------------
Exception encountered at "In [5]":
---------------------------------------------------------------------------
{kind}                          Traceback (most recent call last)
Cell In[5], line 3
      1 for x in loader:
----> 3     loss = model(x)

{kind}: {said}
"""


@pytest.mark.parametrize(
    ("end", "exit_code", "expected"),
    [
        (NOTEBOOK.format(kind="OutOfMemoryError", said="CUDA out of memory. Tried to allocate 2.00 GiB."), 1, "B1"),
        (NOTEBOOK.format(kind="KeyError", said="'labels'"), 1, "A1"),
        ("Unhandled exception. System.IndexOutOfRangeException: Index was outside\n   at Fit.Step()\n", 134, "A1"),
        ("terminate called after throwing an instance of 'std::out_of_range'\n", 134, "A2"),
        ("2026-03-02 16:00:00 WARN spot interruption notice received: 2 minutes left\nTerminated\n", 143, "F2"),
        ("2026-03-02 16:00:00 no spot interruption notice received so far\nTerminated\n", 143, "outside_families"),
        ("##[error]The operation was canceled.\n", 1, "outside_families"),
    ],
)
def test_ends_by_their_status(tmp_path: Path, end: str, exit_code: int, expected: str) -> None:
    path = tmp_path / "job.log"
    path.write_text(STEPS + end)
    found = analyze(import_logs([path], exit_code=exit_code), strict=True)[0]
    assert (found.family or found.outcome) == expected


QSTAT = "Job Id: 8123.pbs01\n    Job_Name = train\n    Job_Owner = ana@login1\n    exec_host = gpu07/0*8\n"
DONE = "".join(f"step {step}/40 loss {7 - step / 10:.3f}\n" for step in range(1, 41)) + "Training complete\n"


@pytest.mark.parametrize(
    ("record", "log", "expected"),
    [
        ("failed       0\nexit_status  0\nru_wallclock 600\n", DONE, "G1"),
        ("failed       100 : assumedly after job\nexit_status  137                  (Killed)\n", "", "A2"),
        (QSTAT + "    Exit_status = 0\n", DONE, "G1"),
        (QSTAT + "    Exit_status = 265\n", "", "A2"),
        (QSTAT + "    Exit_status = -29\n", "", "F3"),
        (QSTAT + "    Exit_status = 271\n", "", "cannot_decide"),  # by whom, it hides
        ("Job ID: 8123\nState: NODE_FAIL (exit code 0)\nNodes: 1\n", "", "F1"),
    ],
)
def test_ends_by_a_batch_system_s_record(tmp_path: Path, record: str, log: str, expected: str) -> None:
    (tmp_path / "record.txt").write_text(record)
    (tmp_path / "train.out").write_text(log or STEPS)
    found = analyze(import_logs([str(tmp_path / "record.txt"), str(tmp_path / "train.out")]), strict=True)[0]
    assert (found.family or found.outcome) == expected


def test_an_exception_that_tells_of_a_signal_is_no_crash(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    asked = TRACEBACK.format(
        file="fit.py", name="stop", code="raise Stop(n)", error="Stop: received signal 15, leaving"
    )
    path.write_text(STEPS + asked)
    assert analyze(import_logs([path], exit_code=1), strict=True)[0].family is None


def test_the_words_of_an_error_nobody_caught_are_those_above_it(tmp_path: Path) -> None:
    found = verdict(tmp_path, STEPS + "RangeError: Invalid array length\n    at fit (fit.js:9:2)\n\nNode.js v20.1.0\n")
    assert (found.family, "RangeError: Invalid array length" in found.headline) == ("A1", True)


def test_a_thread_that_panicked_while_training_went_on_ended_nothing(tmp_path: Path) -> None:
    more = "".join(
        f"2026-03-02 15:{minute:02d}:00 step {30 + minute}/90 loss {7 - minute / 20:.3f}\n" for minute in range(30)
    )
    assert verdict(tmp_path, f"{STEPS}thread 'log' panicked at src/log.rs:2:1:\nclosed\n{more}").family is None


def test_exit_status_255_is_no_hang_up(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_text(STEPS)
    assert analyze(import_logs([path], exit_code=255), strict=True)[0].outcome == "cannot_decide"


TRACEBACK = 'Traceback (most recent call last):\n  File "{file}", line 4, in {name}\n    {code}\n{error}\n'


def test_texts_that_training_prints_now_and_then_are_no_failures(tmp_path: Path) -> None:
    sample = (
        "> sample:\n"
        + TRACEBACK.format(file="a.py", name="f", code="g()", error="OSError: bus")
        + "Bus error (core dumped)\n"
    )
    lines = STEPS.splitlines(keepends=True)
    path = tmp_path / "job.log"
    path.write_text("".join([*lines[:8], sample, *lines[8:16], sample, *lines[16:], sample]))
    assert analyze(import_logs([path]), strict=True)[0].outcome == "cannot_decide"
    path.write_text("".join([*lines, sample]))
    assert analyze(import_logs([path]), strict=True)[0].family is not None


def test_a_text_that_was_printed_between_steps_is_not_what_a_kill_ended(tmp_path: Path) -> None:
    text = TRACEBACK.format(file="a.py", name="f", code="g()", error="KeyError: 'ids'")
    lines, end = STEPS.splitlines(keepends=True), "run.sh: line 3:  4711 Killed    python fit.py\n"
    killed = verdict(tmp_path, "".join([*lines[:8], text, *lines[8:16], text, *lines[16:], end]))
    assert (killed.family, killed.sub_mode) == ("A2", "unknown_sender")
    # Nothing was done between these, and a shell tells of a status that a traceback leaves.
    assert verdict(tmp_path, "".join([*lines, text, text, end])).family == "A1"


@pytest.mark.parametrize(("broken", "family"), [(range(20, 30), None), (range(3, 8), "G1"), (range(28, 30), "G1")])
def test_one_number_after_many_that_are_none_is_no_recovery(tmp_path: Path, broken: range, family: str | None) -> None:
    path = tmp_path / "job.log"
    losses = ["nan" if step in broken else f"{9 - step / 20:.3f}" for step in range(1, 31)]
    path.write_text("".join(f"step {step}/30 loss {loss}\n" for step, loss in enumerate(losses, 1)))
    assert analyze(import_logs([path], exit_code=0), strict=True)[0].family == family


@pytest.mark.parametrize(("total", "family"), [(90, "A2"), (30, None)])
def test_an_oom_kill_of_a_run_that_did_all_it_planned_and_left_with_zero(
    tmp_path: Path, total: int, family: str | None
) -> None:
    path = tmp_path / "job.log"
    steps = "".join(f"step {step}/{total} loss {9 - step / 20:.3f}\n" for step in range(1, 31))
    path.write_text(steps + "slurmstepd: error: Detected 1 oom_kill event in StepId=8.0.\ndone\n")
    assert analyze(import_logs([path], exit_code=0), strict=True)[0].family == family


@pytest.mark.parametrize(
    ("before", "family"), [("restore: reading /ckpt/last.pkl", "E2"), ("reading the vocabulary", "A1")]
)
def test_a_reader_without_a_frame_is_told_by_the_job_s_own_line(tmp_path: Path, before: str, family: str) -> None:
    text = TRACEBACK.format(
        file="/w/a.py", name="<module>", code="x = pickle.load(f)", error="EOFError: Ran out of input"
    )
    assert verdict(tmp_path, f"{before}\n{text}").family == family


@pytest.mark.parametrize(
    ("before", "code", "family"),
    [
        ("reading feature cache", "x = torch.load(path)", "A1"),
        ("Mixed precision type: no", "rows = torch.load(f'export/part-{rank:05d}.pt')", "A1"),
        ("restoring from runs/7/last", "s = torch.load(path)", "E2"),
    ],
)
def test_what_was_announced_tells_data_from_a_saved_state(tmp_path: Path, before: str, code: str, family: str) -> None:
    inner = '  File "/usr/lib/python3/dist-packages/torch/serialization.py", line 9, in load\n    raise EOFError\n'
    header, rest = TRACEBACK.format(file="/w/a.py", name="<module>", code=code, error="EOFError").split("EOFError")
    assert verdict(tmp_path, f"{before}\n{header}{inner}EOFError{rest}").family == family


# --- systemd ---------------------------------------------------------------------------------------------------------

STEPS = "".join(f"2026-03-02 14:{minute:02d}:00 step {minute}/90 loss {9 - minute / 20:.3f}\n" for minute in range(30))
SAID = "Mar 02 14:29:40 ws12 systemd[1]: "


def unit(*words: str, name: str = "llm-small.service") -> str:
    """systemd's words on a unit."""
    return "".join(f"{SAID}{name}: {word}\n" for word in words)


def test_systemd_says_that_memory_ended_the_unit(tmp_path: Path) -> None:
    told = unit("Main process exited, code=killed, status=9/KILL", "Failed with result 'oom-kill'.")
    found = verdict(tmp_path, STEPS + told)
    assert (found.family, found.sub_mode) == ("A2", "cgroup_oom")


def test_systemd_says_how_the_main_process_ended(tmp_path: Path) -> None:
    found = verdict(tmp_path, STEPS + unit("Main process exited, code=dumped, status=11/SEGV"))
    assert (found.family, found.sub_mode) == ("A2", "native_crash")


def test_systemd_ended_the_unit_at_its_time_limit(tmp_path: Path) -> None:
    found = verdict(
        tmp_path, STEPS + unit("Service reached runtime time limit. Stopping.", "Failed with result 'timeout'.")
    )
    assert found.family == "F3"


def test_somebody_stopped_the_unit(tmp_path: Path) -> None:
    found = verdict(tmp_path, STEPS + f"{SAID}Stopping llm-small.service - The small model...\n")
    assert found.outcome == "outside_families"


@pytest.mark.parametrize(
    "other",
    [
        unit("Main process exited, code=killed, status=9/KILL", name="docker.service"),
        unit("Failed with result 'oom-kill'.", name="slurmd.service"),
        unit("Failed with result 'oom-kill'.", name="jupyter.service") + unit("Succeeded.", name="backup.service"),
        f"{SAID}Finished fstrim.service - Discard unused blocks.\n" + unit("Failed with result 'oom-kill'."),
    ],
)
def test_what_systemd_says_of_others_or_of_many_is_not_about_the_job(tmp_path: Path, other: str) -> None:
    assert verdict(tmp_path, STEPS + other).outcome == "cannot_decide"


# --- Horovod ---------------------------------------------------------------------------------------------------------

STALL = (
    "[2026-03-02 14:31:00.5: W horovod/common/stall_inspector.cc:107] One or more tensors were submitted to be reduced,"
    " gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds."
    " This may indicate that different ranks are trying to submit different tensors.\n"
)


@pytest.mark.parametrize(
    "below",
    [
        "Missing ranks:\n3: [allreduce.fc.weight]\n11!: [allreduce.fc.weight, allreduce.fc.bias ...]\nbye\n4: [x]\n",
        "Stalled ops:\nHorovodAllreduce_grad_0 [missing ranks: 3, 11]\nHorovodAllreduce_grad_1 [missing ranks: 3]\n",
    ],
)
@pytest.mark.parametrize("tag", ["", "[1,0]<stderr>:"])
def test_ranks_that_horovod_misses_are_named(tmp_path: Path, below: str, tag: str) -> None:
    text = STEPS + "".join(f"{tag}{line}\n" for line in (STALL + below).splitlines())
    found = verdict(tmp_path, text)
    assert (found.family, found.culprit_ranks) == ("C2", (3, 11))


def test_ranks_that_came_after_all_are_no_freeze(tmp_path: Path) -> None:
    text = STEPS + STALL + "Missing ranks:\n3: [allreduce.fc.weight]\n" + "2026-03-02 14:40:00 step 40/90 loss 6.9\n"
    assert verdict(tmp_path, text).family != "C2"


# --- GPUs ------------------------------------------------------------------------------------------------------------


def hot_node(*, traffic_of_peers: float) -> Run:
    """Two GPUs held back by heat, two that are not; no step tells its time."""
    run = Run().steps([4.0 - number / 50 for number in range(50)])
    for row in run._facts["fact_steps"]:
        row["ts_ns"] = None
    hot = {"throttle_reasons": [0x20, 0x20, 0, 0], "sm_clock_mhz": [990, 1005, 1900, 1905], "sm_clock_max_mhz": 1980}
    busy = {"mem_util": [0.6, 0.58, traffic_of_peers, traffic_of_peers], "node": ["a1", "a1", "b1", "b1"]}
    return gpu_samples(run, gpus=4, engine=0.99, sm=None, **hot, **busy)


def test_memory_traffic_tells_that_peers_waited_for_a_hot_node() -> None:
    found = finding("B3", hot_node(traffic_of_peers=0.2))
    assert isinstance(found, RuledIn)
    assert found.culprit_nodes == ("a1",)
    assert "memory traffic 0.20 against 0.59" in found.headline


def test_peers_as_busy_as_the_hot_node_did_not_wait_for_it() -> None:
    assert isinstance(finding("B3", hot_node(traffic_of_peers=0.57)), CannotDecide)


def polled(*, power: float, traffic: float) -> Run:
    """Three GPUs of 300 W that compute for ten minutes, and then draw ``power`` for twenty."""
    run = Run()
    for second in range(0, 1800, 15):
        after = second >= 600
        for gpu in range(3):
            reading = {
                "power_w": power if after else 280.0,
                "mem_util": traffic if after else 0.4,
                "engine_active": 1.0,
            }
            run.row("gpu_samples", gpu_uuid=f"GPU-{gpu}", ts_ns=at(second), fb_used_bytes=20 * 2**30, **reading)
    return run


def test_half_of_the_power_without_memory_traffic_is_polling() -> None:
    assert frozen(polled(power=147.0, traffic=0.02).evidence()) is not None


def test_a_log_that_ends_is_not_the_end_of_a_run_whose_accounting_has_no_times() -> None:
    run = polled(power=147.0, traffic=0.02).row("slurm_jobs", job_id="77", state="CANCELLED")
    assert frozen(run.evidence()) is not None


@pytest.mark.parametrize(("power", "traffic"), [(147.0, 0.35), (250.0, 0.05)])
def test_power_with_memory_traffic_or_much_of_it_is_work(power: float, traffic: float) -> None:
    assert frozen(polled(power=power, traffic=traffic).evidence()) is None


def test_the_scheduler_tells_the_end_where_telemetry_goes_on() -> None:
    run = Run().steps([4.0, 3.9, 3.8]).row("slurm_jobs", job_id="77", start_ns=at(0), end_ns=at(900), state="NODE_FAIL")
    run.event(Kind.NODE_FAILURE, "Slurm: job 77 NODE_FAIL", t=900, pattern="slurm.accounting", subject="77")
    for second in range(0, 4000, 20):
        run.row("gpu_samples", node="n1", gpu_uuid="GPU-a", ts_ns=at(second), engine_active=0.0)
    evidence = run.evidence()
    assert evidence.end_ns() == at(900)
    assert judge(evidence).family == "F1"
