"""Whose last word a traceback is, what a search made of its trials, and what the clocks of a few steps tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import MemoryStore
from tests.analyze.builders import at

if TYPE_CHECKING:
    from pathlib import Path

LIBRARY = "/v/lib/python3.11/site-packages"


def told(folder: Path, exit_code: int | None, **files: str) -> str:
    """The verdict on files, by the names of their kinds."""
    for name, text in files.items():
        (folder / f"job.{name}").write_text(text)
    found = analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]
    return str(found.family or found.outcome)


def lines(form: str, reports: int, **more: str) -> str:
    """Reports of a loss that falls."""
    return "".join(form.format(k=k, l=0.3 + 4 / (1 + k / 3), **more) + "\n" for k in range(1, reports + 1))


def raised(message: str, *frames: tuple[str, str, str]) -> str:
    stack = "".join(f'  File "{file}", line 7, in {function}\n    {code}\n' for file, function, code in frames)
    return f"Traceback (most recent call last):\n{stack}{message}\n"


# --- two files, and nobody tells which came first --------------------------------------------------------------------
ALL_DONE = lines("epoch {k}/20 loss {l:.4f}", 20) + "training complete\n"
MAIN = ("/w/train.py", "<module>", "main()")
CAUGHT = raised("OSError: [Errno 5] Input/output error", ("/w/train.py", "preview", "draw()"))
AT_IMPORT = raised("ModuleNotFoundError: No module named 'rope'", ("/w/train.py", "<module>", "import rope"))
FATAL = raised("ValueError: no operator for aten::foo", MAIN, ("/w/train.py", "export", "write()"))
STAMPED = "".join(f"2026-11-20 10:{k:02d}:00 INFO epoch {k}/20 loss {4 / k:.4f}\n" for k in range(1, 21))
MEANWHILE = "2026-11-20 10:07:10 ERROR no preview\n" + CAUGHT


@pytest.mark.parametrize(
    ("out", "err", "exit_code", "expected"),
    [
        (ALL_DONE, CAUGHT, None, "G1"),
        (ALL_DONE, AT_IMPORT, None, "G1"),  # another start of it: this one trained
        (STAMPED, MEANWHILE, None, "G1"),  # training went on, by its own clock
        (STAMPED, MEANWHILE, 1, "A1"),
        (ALL_DONE, FATAL, None, "A1"),
        (ALL_DONE, CAUGHT, 1, "A1"),
        (lines("epoch {k}/20 loss {l:.4f}", 7), CAUGHT, None, "A1"),
        (lines("epoch {k}/20 loss {l:.4f}", 7), AT_IMPORT, None, "A1"),
    ],
)
def test_a_traceback_in_a_file_of_its_own(
    tmp_path: Path, out: str, err: str, exit_code: int | None, expected: str
) -> None:
    assert told(tmp_path, exit_code, out=out, err=err) == expected


# --- searches --------------------------------------------------------------------------------------------------------
SHAPES = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x64 and 128x10)"
IN_STUDY = (f"{LIBRARY}/optuna/study/_optimize.py", "_run_trial", "func(trial)"), ("/w/hpo.py", "objective", "net(x)")
LOST = "".join(
    f"[W 2026-11-20 10:00:0{n},31] Trial {n} failed with parameters: {{'lr': 0.1}} because of the following error: x\n"
    + raised(SHAPES, *IN_STUDY)
    + f"[W 2026-11-20 10:00:0{n},302] Trial {n} failed with value None.\n"
    for n in range(3)
)
WON = "".join(
    f"[I 2026-11-20 10:01:0{n},302] Trial {n} finished with value: {1 / n:.4f} and parameters: {{'lr': 0.1}}."
    f" Best is trial {n} with value: {1 / n:.4f}.\n"
    for n in range(3, 9)
)
TUNE = (f"{LIBRARY}/ray/_private/worker.py", "get", "raise value.as_instanceof_cause()")
ERRORED = "".join(
    f"2026-11-20 10:00:0{n},123\tERROR tune_controller.py:1331 -- Trial task failed for trial fit_9c1e1_0000{n}\n"
    + raised("ray.exceptions.RayTaskError(ValueError): width must be divisible by heads", TUNE)
    + f"\nTrial fit_9c1e1_0000{n} errored after 0 iterations at 2026-11-20 10:00:0{n}. Total running time: {n}s\n"
    for n in (1, 2, 3)
)
COMPLETED = "Trial fit_9c1e1_00009 completed after 20 iterations at 2026-11-20 10:01:00. Total running time: 60s\n"
IN_FIT = (f"{LIBRARY}/sklearn/model_selection/_validation.py", "_fit_and_score", "estimator.fit(X_train, y_train)")
FITS = (
    f"{LIBRARY}/sklearn/model_selection/_validation.py:528: FitFailedWarning: \n15 fits failed out of a total of 30.\n"
    "The score on these train-test partitions for these parameters will be set to nan.\n\n"
    "Below are more details about the failures:\n" + 80 * "-" + "\n15 fits failed with the following error:\n"
    f"{raised('ValueError: Solver lbfgs supports only l2 penalties, got l1.', IN_FIT)}\n  warnings.warn(message)\n"
)


@pytest.mark.parametrize(
    ("text", "exit_code", "expected"),
    [
        (LOST, 0, "A1"),
        (LOST + WON, 0, "cannot_decide"),
        (WON.replace("/", "") + LOST, 0, "cannot_decide"),
        (ERRORED + "best: none\n", 0, "A1"),
        (ERRORED + COMPLETED, 0, "cannot_decide"),
        (FITS + "best score 0.94\n", 0, "cannot_decide"),
        (FITS + "best score 0.94\n", None, "cannot_decide"),
        (FITS.replace("of 30", "of 15"), 0, "A1"),
    ],
)
def test_a_search_some_of_whose_trials_failed_or_all(
    tmp_path: Path, text: str, exit_code: int | None, expected: str
) -> None:
    assert told(tmp_path, exit_code, out=text) == expected


# --- the clocks of a few steps ---------------------------------------------------------------------------------------
WAITS = "step {k}/9 loss {l:.4f} | waited {wait} s for input | computed {work} s"
TABLE = "step,loss,time_s,data_s\n"
SAVES = "update {k}/9 loss {l:.4f} (0.35s)\ncheckpoint {k} written ({save}s)"
FILES = "step {k}/9 loss {l:.4f} fwd+bwd {work}s\nsaved ckpt/step_{k}.pt in {save} s"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (lines(WAITS, 9, wait="18.10", work="0.21"), "D1"),
        (lines(WAITS, 9, wait="0.02", work="0.21"), "G1"),
        (lines(WAITS, 4, wait="18.10", work="0.21"), "E3"),  # too few to tell
        (lines(WAITS, 9, wait="1.20", work="0.21"), "cannot_decide"),  # no seconds of a step, and few
        (
            lines(WAITS, 6, wait="18.10", work="0.21")
            + "".join(f"step {k}/9 loss 0.9 | waited 0.10 s for input | computed 9.0 s\n" for k in (7, 8, 9)),
            "cannot_decide",
        ),
        (lines("step {k}/9 loss {l:.4f} io 2.51s calc 0.021s", 9), "D1"),
        (lines("iter {k}/30 | loss {l:.3f} | data loading took 6.1s of 6.5s", 30), "D1"),
        (lines("iter {k}/30 | loss {l:.3f} | data loading took 0.1s of 6.5s", 30), "G1"),
        (lines("[{k:03d}] loss={l:.4f} t_fetch=4312ms t_step=122ms", 30) + "done\n", "D1"),
        (lines("[{k:03d}] loss={l:.4f} t_fetch=12ms t_step=1122ms", 30) + "done\n", "G1"),
        (lines("epoch {k}/12: loss {l:.4f}, 312.4 s total, 298.1 s waiting on the reader", 12), "D1"),
        (lines("epoch {k}/12: loss {l:.4f}, 312.4 s total, 8.1 s waiting on the reader", 12), "G1"),
        (lines('{{"step": {k}, "loss": {l:.4f}, "seconds": 5.2, "seconds_waiting_for_batch": 4.9}}', 30), "D1"),
        (lines("Step {k} of 30, loss {l:.4f}: got batch in 7.31 s, trained in 0.19 s", 30), "D1"),
        (lines("Epoch: [0][{k}/30]\tData 16.2\tCompute 0.1\tLoss {l:.4f}\tWaiting for data 99%", 30), "D1"),
        (lines("Epoch: [0][{k}/30]\tData 0.2\tCompute 16.1\tLoss {l:.4f}\tWaiting for data 1%", 30), "G1"),
        (lines("{k}/30 loss {l:.3f} | reader 3.42 s | gpu 0.08 s", 30), "D1"),
        ("  step   loss   data_s   comp_s\n" + lines("{k:6d} {l:.4f}   5.21     0.11", 30) + "done\n", "D1"),
        ("  step   loss   data_s   comp_s\n" + lines("{k:6d} {l:.4f}   0.21     5.11", 30) + "done\n", "G1"),
        (lines("step {k}/18 loss {l:.4f} step_time 0.072s; saved state.pt in 1.37s", 18), "D2"),
        (lines("step {k}/18 loss {l:.4f} step_time 1.372s; saved state.pt in 0.07s", 18), "G1"),
        (TABLE + lines("{k},{l:.4f},4.1,3.9", 30) + "done\n", "D1"),
        (TABLE + lines("{k},{l:.4f},4.1,0.1", 30) + "done\n", "G1"),
        (TABLE + lines("{k},{l:.4f},{k}.5,3.9", 30) + "done\n", "G1"),  # a clock that runs on tells of no step
        (lines(FILES, 9, work="0.35", save="7.1"), "D2"),
        (lines(FILES, 9, work="3.35", save="0.1"), "G1"),
        (lines(FILES, 9, work="7.35", save="7.1"), "G1"),
    ],
)
def test_clocks_of_a_few_steps(tmp_path: Path, text: str, expected: str) -> None:
    assert told(tmp_path, 0, out=text) == expected


# --- what a recorder saw ---------------------------------------------------------------------------------------------
WHERE: dict[str, Any] = {"capture": "c", "task": 0, "boot_id": "b"}


def recorded(text: list[tuple[float, str]], processes: list[dict[str, Any]], code: int, argv: str) -> str:
    """The verdict on a wrapped command, what it printed and which processes it made."""
    out = [
        {**WHERE, "stream": "stdout", "source": "stdout", "ts_ns": at(t), "seq": n, "offset": n, "text": line}
        for n, (t, line) in enumerate(text)
    ]
    task = {"role": "task", "pid": 7, "argv": argv, "command": argv.split()[0]}
    rows = [
        {**task, "event": "start", "ts_ns": at(0)},
        *processes,
        {**task, "event": "exit", "ts_ns": at(60), "exit_code": code},
    ]
    rows = [{**WHERE, "ts_mono_ns": row["ts_ns"], **row, "seq": n} for n, row in enumerate(rows)]
    found = analyze(MemoryStore.from_rows({"log_lines": out, "processes": rows}, node="node01"))[0]
    return str(found.family or found.outcome)


def process(pid: int, argv: str | None, until: float, *, began: float = 1, **end: int) -> list[dict[str, Any]]:
    row = {"role": "other", "pid": pid, "ppid": 7, "command": "python3", "start_mono_ns": at(began)}
    begun = {**row, "event": "start", "ts_ns": at(began), "argv": argv}
    return [begun, {**row, "event": "exit", "ts_ns": at(until), **end}]


def reports(until: int) -> list[tuple[float, str]]:
    return [(2.0 + k, f"epoch {k} loss {0.3 + 4 / k:.4f}") for k in range(1, until + 1)]


GONE = [
    (56.0 + n / 10, line)
    for n, line in enumerate(raised("RuntimeError: an actor is not there any more", MAIN).splitlines())
]
FORKED = "python3 train.py"
SPAWNED = "python3 -c from multiprocessing.spawn import spawn_main; spawn_main(pipe_handle=9)"
BY_PARENT = {"event": "signal", "role": "other", "pid": 9, "ts_ns": at(50), "signal": 9, "sender_pid": 7}


@pytest.mark.parametrize(
    ("processes", "expected"),
    [
        (process(9, FORKED, 50, term_signal=9), "A2"),
        (process(9, None, 50, term_signal=11), "A2"),
        (process(9, SPAWNED, 50, term_signal=9), "A2"),
        (process(9, "sh helper.sh", 50, term_signal=9), "A1"),
        (process(9, FORKED, 50, exit_code=1), "A1"),
        (process(9, FORKED, 50, term_signal=15), "A1"),
        (process(9, FORKED, 50, term_signal=9) + process(11, FORKED, 58, began=51, exit_code=0), "A1"),  # replaced
        ([*process(9, FORKED, 50, term_signal=9), {**BY_PARENT, "sender_in_job": True}], "A1"),
        (process(9, FORKED, 57, term_signal=9), "A1"),  # when the program had failed
    ],
)
def test_a_worker_that_was_killed_before_its_program_failed(processes: list[dict[str, Any]], expected: str) -> None:
    assert recorded([*reports(20), *GONE], processes, 1, FORKED) == expected


SCRIPT = "bash job.sh"


@pytest.mark.parametrize(
    ("program", "trained", "expected"),
    [
        ("report.py", 40, "G1"),
        ("finetune.py", 40, "A1"),
        ("report.py", 58, "A1"),  # what trained had not left
    ],
)
def test_a_program_of_a_script_that_failed_after_the_one_that_trained(
    program: str, trained: float, expected: str
) -> None:
    told = raised("ValueError: nothing to draw", (f"/w/{program}", "<module>", "draw()")).splitlines()
    text = [*reports(20), (39.0, "finished"), *((45.0 + n / 10, line) for n, line in enumerate(told))]
    made = process(9, "python3 fit.py", trained, exit_code=0) + process(
        11, f"python3 {program}", 46, began=44, exit_code=1
    )
    assert recorded(text, made, 0, SCRIPT) == expected


def test_what_a_loop_raised_and_caught_until_it_gave_up_far_from_its_plan() -> None:
    caught = raised("ConnectionResetError: [Errno 104] closed", ("/w/retry.py", "<module>", 'fit(); say("complete")'))
    text = [(2.0 + k, f"round {k}/300 cost {0.3 + 4 / k:.4f}") for k in range(1, 21)]
    text += [(22.1 + n / 100, line) for n, line in enumerate(caught.splitlines())]
    assert recorded([*text, (22.3, "three attempts, none worked; leaving")], [], 0, "python3 retry.py") == "A1"
    assert recorded([*text[:-4], (22.3, "target cost reached")], [], 0, "python3 retry.py") != "A1"


def test_one_of_several_members_that_fell_silent_with_a_traceback(tmp_path: Path) -> None:
    def member(number: int, epochs: range) -> str:
        return "".join(f"member {number}: epoch {k} loss {0.3 + 4 / k:.4f}\n" for k in epochs)

    died = "Process SpawnProcess-2:\n" + raised(
        "IndexError: list index out of range",
        ("/lib/python3.11/multiprocessing/process.py", "_bootstrap", "self.run()"),
    )
    begun = "".join(member(number, range(k, k + 1)) for k in range(1, 9) for number in range(3))
    rest = "".join(member(number, range(k, k + 1)) for k in range(9, 31) for number in (0, 2))
    assert told(tmp_path, 0, out=f"{begun}{died}{rest}ensemble done\n") == "A1"
    whole = "".join(member(number, range(k, k + 1)) for k in range(9, 31) for number in range(3))
    assert told(tmp_path, 0, out=f"{begun}{whole}ensemble done\n") == "G1"


# --- slices of one training ------------------------------------------------------------------------------------------
def slices(said: str, first: str = "", after: int = 40) -> str:
    def part(plan: int) -> str:
        saves = (f"saved step_{k}.pt\n" if k % 5 == 0 else "" for k in range(1, plan + 1))
        # No two of them learn with the very same losses.
        return "".join(
            f"update {k}/{plan} loss {0.3 + plan / 1000 + 3 / k:.4f}\n{save}" for k, save in enumerate(saves, 1)
        )

    return f"{first}{part(20)}slice over\n{said}{part(after)}slice over\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (slices("no checkpoint found in runs/b, starting from scratch\n"), "E2"),
        (slices("runs/b/last.pt is not there: a new run\n"), "E2"),
        (slices("could not find a saved state under runs/b -> fresh run\n"), "E2"),
        (slices("states.json is not there: a new run\n", "state.json is not there: a new run\n"), "E2"),
        (
            slices("b40/last.pt is not there: a new run\n", "b20/last.pt is not there: a new run\n"),
            "G1",
        ),  # each its own
        (slices("now the larger model\n"), "G1"),
        (slices("labels.csv is missing, starting without\n"), "G1"),
        ("last.pt is not there: a new run\n" + lines("update {k}/20 loss {l:.4f}", 20), "G1"),
    ],
)
def test_a_slice_that_looked_in_vain_for_what_the_one_before_had_saved(
    tmp_path: Path, text: str, expected: str
) -> None:
    assert told(tmp_path, 0, out=text) == expected


def test_a_loss_that_is_lost_is_no_word_against_the_one_who_ended_for_it(tmp_path: Path) -> None:
    text = "Epoch 1/6\n90/90 ━━━━ 4s 40ms/step - loss: 2.1\nEpoch 2/6\nBatch 12: Invalid loss, terminating training\n"
    assert told(tmp_path, 0, out=f"{text}90/90 ━━━━ 4s 40ms/step - loss: nan\n") == "E1"


# --- a limit of a script's own ---------------------------------------------------------------------------------------
RUNS = ("/w/pipeline.py", "<module>", "sh(cmd)"), ("/lib/python3.11/subprocess.py", "run", "raise TimeoutExpired(")


@pytest.mark.parametrize(
    ("command", "expected"), [("['python', 'fit.py']", "F3"), ("['nvidia-smi']", "A1"), ("['python', 'plot.py']", "A1")]
)
def test_a_script_ends_the_training_it_runs_at_a_limit(tmp_path: Path, command: str, expected: str) -> None:
    ended = raised(f'subprocess.TimeoutExpired: Command "{command}" timed out after 3600 seconds', *RUNS)
    assert told(tmp_path, 1, out=lines("epoch {k}/30 loss {l:.4f}", 8) + ended) == expected


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Cannot load model parameters from checkpoint ckpt/checkpoint_last.pt; architectures differ", "E2"),
        ("could not restore the snapshot runs/a/step_40.ckpt", "E2"),
        ("Cannot load the sentencepiece model spm.model", "A1"),
    ],
)
def test_what_says_that_it_cannot_load_a_checkpoint(tmp_path: Path, said: str, expected: str) -> None:
    frames = ("/w/train.py", "<module>", "main()"), ("/v/lib/python3.11/site-packages/f/trainer.py", "begin", "raise")
    assert told(tmp_path, 1, out=raised(f"Exception: {said}", *frames)) == expected


# --- what libraries say of parameters and of losses ------------------------------------------------------------------
FLAX = raised(
    'flax.errors.ScopeParamShapeError: For parameter "kernel" in "/Dense_0", the given initializer is expected to'
    " generate shape (16, 96), but the existing parameter it received has shape (16, 64).",
    ("/w/ice.py", "<module>", "step(state)"),
    (f"{LIBRARY}/flax/linen/linear.py", "__call__", "kernel = self.param("),
)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("restoring from ice.msgpack\nrestored step 400\n", "E2"),
        ("width=96\n", "A1"),
        ("restored nothing\n", "A1"),
        ("restored step 400\n" + lines("step {k} loss {l:.4f}", 9), "A1"),
    ],
)
def test_parameters_that_do_not_fit_are_those_that_were_restored(tmp_path: Path, before: str, expected: str) -> None:
    assert told(tmp_path, 1, out=before + FLAX) == expected


def test_a_handler_s_word_that_the_loss_is_no_number(tmp_path: Path) -> None:
    text = lines("engine.Engine INFO: epoch 1 iter {k} loss {l:.4f}", 12)
    said = "TerminateOnNan: Output 'nan' contains NaN or Inf. Stop training\n"
    assert told(tmp_path, 0, out=f"{text}{said}model saved to pulse.pt\n") == "E1"
    assert told(tmp_path, 0, out=f"TerminateOnNan: attached\n{text}model saved to pulse.pt\n") == "G1"


def test_the_last_report_is_read_however_much_stands_between(tmp_path: Path) -> None:
    dropped = "ERROR:intake:cannot read record, dropping it\n" + 24 * "  another line of a stack\n"
    text = "".join(f"INFO:intake:epoch {k}/8 train_loss={2 / k:.4f} errors={k}\n{20 * dropped}" for k in range(1, 9))
    assert told(tmp_path, 0, out=f"{text}INFO:intake:finished 8 epochs, model in triage.pt\n") == "G1"


# --- saves between the steps -----------------------------------------------------------------------------------------
def saving(took: float, steps: int = 40, done: str = "checkpoint.py: saved in {took:.1f}s") -> str:
    """A loop of steps of a second that saves after each tenth, and stamps what it says."""
    now, text = 0.0, ""
    for k in range(1, steps + 1):
        now += 1.0
        text += f"{stamp(now)} INFO train.py: step {k * 5}/{steps * 5} loss {0.3 + 4 / k:.4f} step_time 0.20s\n"
        if k % 2 == 0:
            text += f"{stamp(now)} INFO checkpoint.py: saving full state to /nfs/ckpt/step_{k * 5:05d} (83.1 GB)\n"
            now += took
            text += f"{stamp(now)} INFO {done.format(took=took)}\n"
    return text


def stamp(seconds: float) -> str:
    return f"2026-08-14 13:{int(seconds) // 60:02d}:{int(seconds) % 60:02d},{int(seconds * 1000) % 1000:03d}"


@pytest.mark.parametrize(("took", "expected"), [(12.0, "D2"), (0.5, "G1")])
def test_saves_that_take_longer_than_the_steps_between_them(tmp_path: Path, took: float, expected: str) -> None:
    assert told(tmp_path, 0, out=saving(took)) == expected


@pytest.mark.parametrize(("took", "expected"), [(0.7, "D2"), (0.01, "G1")])
def test_saves_of_which_only_stamps_tell_how_long_they_took(took: float, expected: str) -> None:
    now, text = 2.0, []
    for k in range(1, 26):
        now += 0.02
        text += [(now, f"update {k}/25 loss {0.3 + 4 / k:.4f}"), (now, f"writing state_{k}.npz ...")]
        now += took
        text += [(now, f"state_{k}.npz saved")]
    assert recorded([*text, (now, "done")], [], 0, "python3 train.py") == expected


# --- words of writers and of make ------------------------------------------------------------------------------------
WRITER = raised("RuntimeError: basic_ios::clear: iostream error", (f"{LIBRARY}/torch/serialization.py", "_save", "w()"))
REFUSED = f"{WRITER}\nDuring handling of the above exception, another exception occurred:\n\n" + raised(
    "RuntimeError: [enforce fail at inline_container.cc:672] . unexpected pos 782080 vs 782000",
    MAIN,
    (f"{LIBRARY}/torch/serialization.py", "__exit__", "self.file_like.write_end_of_file()"),
)


def test_a_state_that_the_writer_could_not_write_to_its_end(tmp_path: Path) -> None:
    assert told(tmp_path, 1, out=lines("step {k} loss {l:.4f}", 20) + REFUSED) == "outside_families"
    assert told(tmp_path, 1, out=lines("step {k} loss {l:.4f}", 20) + FATAL) == "A1"


@pytest.mark.parametrize(
    ("epochs", "said", "expected"),
    [(20, "Error 1 (ignored)", "G1"), (9, "Error 1 (ignored)", "A1"), (20, "Error 1", "A1")],
)
def test_what_make_ignores_after_all_was_done(tmp_path: Path, epochs: int, said: str, expected: str) -> None:
    publish = raised("URLError: <urlopen error [Errno -2]>", ("/w/job.py", "<module>", "publish()"))
    text = "".join(f"epoch {k}/20 loss {4 / k:.4f}\n" for k in range(1, epochs + 1))
    assert told(tmp_path, 0, out=f"{text}{publish}make: [Makefile:3: all] {said}\npipeline: all targets\n") == expected


def test_a_chain_is_one_where_no_blank_lines_were_kept() -> None:
    chain = REFUSED.replace("\n\n", "\n").splitlines()
    text = [*reports(20), *((30.0 + n / 100, line) for n, line in enumerate(chain))]
    assert recorded(text, [], 1, FORKED) == "outside_families"
    other = [(at_s, line.replace("unexpected pos", "bad state")) for at_s, line in text]
    assert recorded(other, [], 1, FORKED) == "outside_families"  # by the first of the chain
