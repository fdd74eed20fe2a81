"""What real logs taught the readers, each with a near miss: stamps, restarts, rich bars, relays, errors in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.facts import logged_facts
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from inquest.analyze.model import Verdict

STEPS = "".join(f"step {step}/100 loss {9 - step / 20:.3f}\n" for step in range(0, 60, 10))
FAILED = (
    "E1121 01:46:02.826000 11962 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1)"
    " local_rank: 1 (pid: 12192) of binary: /usr/bin/python\n"
)


def verdict(folder: Path, text: str, exit_code: int | None = None) -> Verdict:
    """What the engine says of one log."""
    path = folder / "train.log"
    path.write_text(text)
    return analyze(import_logs([path], exit_code=exit_code), strict=True)[0]


def facts(folder: Path, text: str) -> dict[str, pl.DataFrame]:
    """What the parsers read from one log."""
    path = folder / "train.log"
    path.write_text(text)
    return parse_logs(import_logs([path]))


@pytest.mark.parametrize("stamp", ["trainer-1  | ", "[pod/train-0/main] ", "2026-11-21T01:02:{:02d}.5Z ns=ml pod=a | "])
def test_a_stamp_before_every_line_hides_no_traceback(tmp_path: Path, stamp: str) -> None:
    """Whatever a collector puts before every line is told by the header and the line after it."""
    lines = [
        "Traceback (most recent call last):",
        '  File "/w/train.py", line 7, in <module>',
        "    main()",
        "KeyError: 'tokens'",
        "next line of somebody else",
    ]
    text = "".join(stamp.format(second) + line + "\n" for second, line in enumerate(lines))
    raised = facts(tmp_path, text)["fact_exceptions"]
    assert raised.select("exc_type", "user_frame").rows() == [("KeyError", "/w/train.py:7 <module>")]


def test_words_before_a_header_alone_are_no_stamp(tmp_path: Path) -> None:
    """A logger that writes one line with the traceback in it stamps the first line only."""
    text = 'ERROR saving | Traceback (most recent call last):\n  File "/w/a.py", line 1, in f\n    g()\nOSError: no\n'
    raised = facts(tmp_path, text)["fact_exceptions"]
    assert raised["exc_type"].to_list() == ["OSError"]


def ranked(begin: int, end: int, *ranks: int) -> str:
    """Progress of some ranks."""
    return "".join(f"[rank {r}] step {s} loss {9 - s / 20:.3f}\n" for s in range(begin, end, 10) for r in ranks)


def test_the_rank_that_failed_goes_on_only_after_a_restart(tmp_path: Path) -> None:
    """The agent does not say that it restarts, and the step need not go back where a checkpoint was just saved."""
    begun = facts(tmp_path, ranked(0, 30, 0, 1) + FAILED + ranked(30, 90, 0, 1))["fact_attempts"]
    assert begun["began_by"].to_list() == ["start", "restart_line"]


def test_other_ranks_that_go_on_are_no_restart(tmp_path: Path) -> None:
    """Ranks of another node print for a while before they miss their peer."""
    begun = facts(tmp_path, ranked(0, 30, 0, 1, 2) + FAILED + ranked(30, 90, 2))["fact_attempts"]
    assert begun["began_by"].to_list() == ["start"]


BAR = "Epoch {}/5  ━━━━━━━━━━━━━━━━ 16/16 0:00:00 • 0:00:00 128.11it/s v_num: 0.000     \n{}train_loss: {}  \n"


def test_metrics_under_a_rich_bar_are_its_own(tmp_path: Path) -> None:
    """Lightning's bar finds no room for metrics on a narrow terminal."""
    steps = facts(tmp_path, BAR.format(5, " " * 63, "0.251"))["fact_steps"]
    assert steps.select("step", "total_steps", "loss").rows() == [(96, 96, 0.251)]


def test_not_a_number_under_a_rich_bar_is_no_health(tmp_path: Path) -> None:
    """The run ended as planned, and learned nothing."""
    text = "`Trainer.fit` stopped: `max_epochs=6` reached.\n" + BAR.format(5, " " * 63, "nan")
    assert verdict(tmp_path, text, 0).family == "E1"


def test_early_stopping_is_a_planned_end_unless_the_metric_broke(tmp_path: Path) -> None:
    """Lightning signals its trainer to stop for both reasons."""
    planned = (
        "Monitored metric val_loss did not improve in the last 2 records. Best score: 0.9. Signaling Trainer to stop.\n"
    )
    broken = "Monitored metric val_loss = nan is not finite. Previous best value was 0.9. Signaling Trainer to stop.\n"
    assert "training_end" in facts(tmp_path, planned)["fact_events"]["kind"].to_list()
    assert "training_end" not in facts(tmp_path, broken)["fact_events"]["kind"].to_list()


def test_keras_that_stopped_early_had_reached_its_end(tmp_path: Path) -> None:
    """Fewer epochs were done than planned, and none is missing."""
    epochs = "".join(
        f"Epoch {n}/9\n13/13 - 0s - 3ms/step - loss: {4 / n:.4f} - val_loss: {3 / n:.4f}\n" for n in (1, 2, 3)
    )
    assert verdict(tmp_path, epochs, 0).family is None
    assert verdict(tmp_path, epochs + "Epoch 3: early stopping\n", 0).family == "G1"


LAUNCHER = (
    "Traceback (most recent call last):\n"
    '  File "/venv/bin/accelerate", line 8, in <module>\n    sys.exit(main())\n'
    '  File "/venv/lib/python3.11/site-packages/accelerate/commands/launch.py", line 1205, in _validate\n'
    "    raise ValueError(\nValueError: only one of --cpu and --tpu at a time.\n"
)


def test_a_launcher_that_failed_is_not_what_ended_a_run_that_came_after_it(tmp_path: Path) -> None:
    """A script tried another launcher, and that run met an end of its own."""
    own = "Traceback (most recent call last):\n  File \"/w/train.py\", line 7, in <module>\nKeyError: 'tokens'\n"
    found = verdict(tmp_path, LAUNCHER + STEPS + own, 1)
    assert (found.family, found.sub_mode) == ("A1", "mid_run")
    assert "KeyError" in found.headline


def test_a_launcher_that_failed_is_what_ended_a_run_without_steps(tmp_path: Path) -> None:
    """Nothing came after it."""
    found = verdict(tmp_path, LAUNCHER, 1)
    assert found.family == "A1"
    assert "only one of" in found.headline


def test_an_error_in_words_is_the_reason_of_a_failed_end(tmp_path: Path) -> None:
    """``raise SystemExit("config error: ...")`` leaves one line."""
    found = verdict(tmp_path, "+ python train.py\nconfig error: sequence length exceeds the model's\n", 1)
    assert (found.family, found.fault_class) == ("A1", "config")


def test_a_metric_called_error_is_no_reason(tmp_path: Path) -> None:
    """The last line of a log may name a number."""
    assert verdict(tmp_path, "loading\nvalidation error: 0.031\n", 1).outcome == "cannot_decide"


def flat(rate: str) -> str:
    """A loss that goes up and down, and gets nowhere."""
    return "".join(f"iter {s} loss: {2.3 + (s * 7919 % 100) / 500:.4f} lr: {rate}\n" for s in range(200))


def test_a_rate_of_zero_teaches_nothing(tmp_path: Path) -> None:
    """However much the loss moves from batch to batch."""
    assert verdict(tmp_path, flat("0.00e+00") + "training finished\n", 0).family == "E1"


def test_a_rate_printed_as_zero_may_be_a_small_one(tmp_path: Path) -> None:
    """A loss that falls says that the rate is not zero."""
    falling = "".join(f"iter {s} loss: {9 - s / 25:.4f} lr: 0.0000\n" for s in range(200))
    assert verdict(tmp_path, falling + "training finished\n", 0).family == "G1"


USAGE = "torchrun: error: unrecognized arguments: --no-such-flag\n"


def test_a_usage_error_before_the_run_did_not_end_it(tmp_path: Path) -> None:
    """A script tried a second command, and that one trained."""
    broken = "".join(f"step {step}/100 loss nan\n" for step in range(60, 100, 10))
    assert verdict(tmp_path, USAGE + STEPS + broken).family == "E1"


def test_a_usage_error_after_the_run_is_a_failure_of_its_own(tmp_path: Path) -> None:
    """The step after the training was called wrongly."""
    assert verdict(tmp_path, STEPS + USAGE, 2).family == "A1"


def test_clicks_usage_errors_need_no_status(tmp_path: Path) -> None:
    """They end the process as argparse's do."""
    found = verdict(tmp_path, "Usage: train.py [OPTIONS]\n\nError: No such option: --lrr\n")
    assert (found.family, found.fault_class) == ("A1", "config")


def docker(text: str) -> str:
    """Lines as docker's json-file driver keeps them."""
    lines = text.splitlines(keepends=True)
    return "".join(
        json.dumps({"log": line, "stream": "stderr", "time": f"2026-11-21T06:00:{number % 60:02d}.5Z"}) + "\n"
        for number, line in enumerate(lines)
    ).replace('": "', '":"')


CRASH = "Traceback (most recent call last):\n  File \"/w/train.py\", line 7, in main\n    go()\nKeyError: 'tokens'\n"


def test_text_that_docker_wrapped_is_read_as_it_was(tmp_path: Path) -> None:
    """Steps, and the traceback behind them."""
    read = facts(tmp_path, docker(STEPS + CRASH))
    assert read["fact_steps"]["step"].to_list() == list(range(0, 60, 10))
    assert read["fact_exceptions"].select("exc_type", "message").rows() == [("KeyError", "'tokens'")]


def test_a_wrapped_line_that_was_cut_stays_as_it_is(tmp_path: Path) -> None:
    """It is no JSON any more."""
    assert verdict(tmp_path, docker(STEPS) + '{"log":"RuntimeError: torn\n', 1).family in {None, "A1"}


@pytest.mark.parametrize(
    "line",
    [
        {"levelname": "ERROR", "message": "fatal", "exc_info": CRASH},
        {"text": f"2026-11-21 | ERROR | crashed\n{CRASH}", "record": {"exception": {"type": "KeyError"}}},
        {"error": {"type": "KeyError", "stack_trace": CRASH}, "log.level": "error"},
        {
            "event": "failed",
            "exception": [
                {
                    "exc_type": "KeyError",
                    "exc_value": "'tokens'",
                    "is_cause": False,
                    "frames": [{"filename": "/w/train.py", "lineno": 7, "name": "main", "locals": {"x": CRASH[:20]}}],
                }
            ],
        },
    ],
    ids=["python-json-logger", "loguru", "ecs", "structlog"],
)
def test_a_traceback_folded_into_json_is_unfolded(tmp_path: Path, line: dict[str, object]) -> None:
    """The loggers' own shapes."""
    read = facts(tmp_path, STEPS + json.dumps(line) + "\n")["fact_exceptions"]
    assert read.select("exc_type", "message", "user_frame").rows() == [("KeyError", "'tokens'", "/w/train.py:7 main")]


def test_causes_stand_before_what_they_caused(tmp_path: Path) -> None:
    """Structlog puts what was raised last first."""
    stacks = [
        {"exc_type": "RuntimeError", "exc_value": "load", "is_cause": False, "frames": []},
        {"exc_type": "OSError", "exc_value": "disk", "is_cause": True, "frames": []},
    ]
    for stack in stacks:
        stack["frames"] = [{"filename": "/w/a.py", "lineno": 1, "name": "f"}]
    read = facts(tmp_path, STEPS + json.dumps({"event": "x", "exception": stacks}) + "\n")["fact_exceptions"]
    assert read["exc_type"].to_list() == ["OSError", "RuntimeError"]


def test_json_that_only_speaks_of_a_traceback_is_none(tmp_path: Path) -> None:
    """A text that is trained on, or a broken line."""
    text = '{"text": "what does Traceback (most recent call last) mean?"}\n{"a": "Traceback (most recent call last): \n'
    assert facts(tmp_path, text)["fact_exceptions"].is_empty()


def test_two_counters_without_prefix_are_no_restart(tmp_path: Path) -> None:
    """Lines of two processes in one file: the greater counter goes on by its stride."""
    two = "".join(
        f"step {a}/100 loss 0.5\nstep {b}/100 loss 0.5\n"
        for a, b in zip(range(40, 90, 10), range(0, 50, 10), strict=True)
    )
    begun = facts(tmp_path, STEPS.split("step 40")[0] + two)["fact_attempts"]
    assert begun["began_by"].to_list() == ["start"]


def test_a_counter_that_comes_back_step_by_step_is_a_restart(tmp_path: Path) -> None:
    """It has to pass where it was."""
    assert facts(tmp_path, STEPS + STEPS)["fact_attempts"]["began_by"].to_list() == ["start", "step_back"]


def test_a_log_that_was_put_in_twice_is_no_restart(tmp_path: Path) -> None:
    """Restarted, it would hardly have come to the same step, or told of its losses at the same times."""
    told = "".join(f"step {step}/300 loss {9 - step / 30:.3f}\n" for step in range(0, 200, 10))
    assert verdict(tmp_path, told + told, 0).family != "E2"
    assert verdict(tmp_path, told + told.replace("\n", "1\n"), 0).family == "E2"


@pytest.mark.parametrize(("began", "family"), [(11, "E2"), (10, None)])
def test_jobs_in_a_row_of_which_none_finds_what_was_saved(tmp_path: Path, began: int, family: str | None) -> None:
    """Those that run at once are others."""
    for number, hour in ((1, 10), (2, began)):
        steps = (f"2026-11-20 {hour}:{n:02}:00 step {n * 10} loss {7 - n / 10:.3f}\n" for n in range(1, 50))
        none = f"2026-11-20 {hour}:00:00 => no checkpoint found at '/scratch/x/last.pth.tar'\n"
        (tmp_path / f"train_{number}.out").write_text(none + "".join(steps))
    assert analyze(import_logs([tmp_path]))[0].family == family


@pytest.mark.parametrize(
    "said",
    [
        "INFO saved checkpoint /gpfs/x/step-0003 (1.4 GiB) in 30.5 s",
        "saved state to /x/step_3.pt in 2 s",
        "step 9; saved state.pt in 2.68s",
    ],
)
def test_saves_told_after_a_level_or_as_a_state(tmp_path: Path, said: str) -> None:
    (saved,) = facts(tmp_path, f"2026-11-20 10:00:00 {said}\n")["fact_events"].iter_rows(named=True)
    assert (saved["kind"], saved["subject"].endswith(("/step-0003", ".pt"))) == ("checkpoint_saved", True)


def test_a_crash_before_anything_was_saved_makes_the_next_try_no_silent_restart(tmp_path: Path) -> None:
    """A shell loop that tries again."""
    assert verdict(tmp_path, STEPS + CRASH + STEPS.replace("/100", "/60") + "training finished\n", 0).family == "G1"


def test_a_restart_that_forgets_what_was_saved_is_one(tmp_path: Path) -> None:
    """The crash is shown, and so is the checkpoint that the next try did not load."""
    saved = "Saving model checkpoint to out/checkpoint-40\n"
    found = verdict(tmp_path, STEPS + saved + CRASH + STEPS, 0)
    assert (found.family, found.sub_mode) == ("E2", "silent_restart")


@pytest.mark.parametrize("tag", ["[1,{}]<stderr>:", "[prterun-gpu7-411@1,{}]<stderr>: "])
def test_mpiruns_tag_names_the_rank(tmp_path: Path, tag: str) -> None:
    """Open MPI before and since version 5."""
    text = "".join(tag.format(3) + line + "\n" for line in (STEPS + CRASH).splitlines())
    read = facts(tmp_path, text)
    assert set(read["fact_steps"]["rank"]) == {3}
    assert read["fact_exceptions"].select("exc_type", "rank").rows() == [("KeyError", 3)]


def test_a_connection_of_the_jobs_own_is_no_lost_peer(tmp_path: Path) -> None:
    """A store that resets a connection, and a rank that went away."""
    peer = CRASH.replace("KeyError: 'tokens'", "ConnectionResetError: [Errno 104] Connection reset by peer")
    assert verdict(tmp_path, STEPS + peer, 1).family != "A1"
    found = verdict(tmp_path, STEPS + peer.replace("/w/train.py", "/venv/urllib3/connectionpool.py"), 1)
    assert (found.family, found.fault_class) == ("A1", "env")


def test_utf16_with_a_byte_order_mark_is_text(tmp_path: Path) -> None:
    """What PowerShell writes."""
    path = tmp_path / "train.log"
    path.write_bytes((STEPS + CRASH).replace("\n", "\r\n").encode("utf-16"))
    read = parse_logs(import_logs([path]))
    assert read["fact_exceptions"]["exc_type"].to_list() == ["KeyError"]
    assert read["fact_steps"].height == 6


def test_processes_told_apart_by_their_prefix_are_no_restart(tmp_path: Path) -> None:
    """pdsh and honcho: one comes later than the other; and one that falls silent early is no health."""
    text = "".join(f"gpu01: {line}\n" for line in STEPS.splitlines()[:4])
    text += "".join(f"gpu02: {line}\n" for line in STEPS.replace("/100", "/60").splitlines())
    assert facts(tmp_path, text)["fact_attempts"]["began_by"].to_list() == ["start"]
    assert verdict(tmp_path, text, 0).family == "G1"
    text = "".join(f"gpu01: {line}\n" for line in STEPS.splitlines()[:3]) + text.replace("gpu01", "gpu03")
    assert verdict(tmp_path, text, 0).outcome == "cannot_decide"


def test_a_short_stage_before_a_long_one_is_no_process_that_died(tmp_path: Path) -> None:
    """What stands before the step may name a part of the run."""
    text = "".join(f"stage1: {line}\n" for line in STEPS.splitlines()[:3])
    text += "".join(f"stage2: {line}\n" for line in STEPS.splitlines()) + "training finished\n"
    assert verdict(tmp_path, text.replace("/100", "/50"), 0).family == "G1"


def test_mpirun_cuts_lines_into_tagged_pieces(tmp_path: Path) -> None:
    """It tags every piece that a process writes."""
    line = "[1,0]<stderr>:torch.distributed[1,0]<stderr>:.[1,0]<stderr>:DistStoreError[1,0]<stderr>:: Timed out\n"
    text = "".join("[1,0]<stderr>:" + each + "\n" for each in CRASH.splitlines()[:-1]) + line
    assert facts(tmp_path, text)["fact_exceptions"]["exc_type"].to_list() == ["torch.distributed.DistStoreError"]


def test_a_rank_that_others_mourn_had_died(tmp_path: Path) -> None:
    """Lines that no rank bears came late out of a pipe."""
    lost = CRASH.replace("KeyError: 'tokens'", "RuntimeError: [pair.cc:553] Connection closed by peer [127.0.0.1]:3231")
    text = "".join(f"[rank1]: {line}\n" for line in CRASH.splitlines()) + STEPS
    assert not facts(tmp_path, text)["fact_exceptions"]["fatal"].any()
    text += "".join(f"[rank0]: {line}\n" for line in lost.splitlines())
    assert facts(tmp_path, text)["fact_exceptions"]["fatal"].all()


def test_gradients_of_zero_teach_nothing(tmp_path: Path) -> None:
    """However much the loss moves from batch to batch."""
    still = flat("3.00e-04").replace(" lr:", " grad_norm: 0.0000 lr:")
    assert verdict(tmp_path, still + "training finished\n", 0).family == "E1"
    moving = "".join(f"iter {s} loss: {9 - s / 25:.4f} grad_norm: 0.0000\n" for s in range(200))
    assert verdict(tmp_path, moving + "training finished\n", 0).family == "G1"


def test_the_last_report_before_the_end_is_the_last_one_due(tmp_path: Path) -> None:
    """Steps are counted from 0 and reported every ten."""
    whole = STEPS.replace("/100", "/60")
    assert verdict(tmp_path, whole, 0).family == "G1"
    assert verdict(tmp_path, STEPS, 0).family != "G1"


def test_torchtunes_bar_tells_the_loss_before_it(tmp_path: Path) -> None:
    """Its description is ``epoch|step|Loss: ...``."""
    bar = "\r1|{0}|Loss: {1:.2f}:  10%|█▋        | {0}/250 [00:01<01:02,  3.61it/s]"
    steps = facts(tmp_path, "".join(bar.format(step, 9 - step) for step in range(1, 6)))["fact_steps"]
    assert steps.select("step", "total_steps", "loss").rows()[-1] == (5, 250, 4.0)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("run.sh: Zeile 2:  8551 Speicherzugriffsfehler  python -u train.py", 11),
        ("run.sh : ligne 1 :  8561 Processus arrêté      python -u train.py", 9),
        ("run.sh: 第 1 行： 8564 已杀死               python -u train.py", 9),
        ("zsh: killed     python train.py --config big.yaml", 9),
        ("[1]  + 4711 abort (core dumped)  python train.py", 6),
        ("fish: Job 1, 'python train.py' terminated by signal SIGKILL (Forced quit)", 9),
    ],
)
def test_shells_say_in_their_own_words_how_a_program_ended(tmp_path: Path, line: str, number: int) -> None:
    """bash speaks the user's language, zsh and fish have words of their own."""
    assert facts(tmp_path, STEPS + line + "\n")["fact_exits"]["term_signal"].to_list() == [number]


def test_advice_that_names_a_crash_is_none(tmp_path: Path) -> None:
    """A shell ends its line behind "(core dumped)"; a sentence goes on."""
    tip = "Tip: a Segmentation fault (core dumped) may be caused by an old driver.\n"
    assert facts(tmp_path, tip + STEPS)["fact_exits"].is_empty()


def test_a_child_of_spawn_is_the_rank_it_is_counted_as(tmp_path: Path) -> None:
    """Its exception and its exit bear the number that mp.spawn gives it."""
    text = (
        'Traceback (most recent call last):\n  File "/w/train.py", line 9, in <module>\n    mp.spawn(work, nprocs=3)\n'
        "torch.multiprocessing.spawn.ProcessRaisedException: \n\n-- Process 1 terminated with the following error:\n"
        'Traceback (most recent call last):\n  File "/w/train.py", line 7, in work\n    end()\nValueError: no tokens\n'
    )
    assert verdict(tmp_path, STEPS + text, 1).culprit_ranks == (1,)
    killed = "torch.multiprocessing.spawn.ProcessExitedException: process 2 terminated with signal SIGKILL\n"
    assert verdict(tmp_path, STEPS + killed, 1).culprit_ranks == (2,)


@pytest.mark.parametrize(("rank", "told"), [(0, 1), (9, None)])
def test_the_only_nodes_local_rank_is_the_rank(tmp_path: Path, rank: int, told: int | None) -> None:
    """Where nothing speaks of a second node; rank 9 does."""
    path = tmp_path / "train.log"
    path.write_text(f"[rank{rank}]: step 10/100 loss 8.5\n{FAILED}")
    assert logged_facts(import_logs([path]))["fact_exits"]["rank"].to_list() == [told]


def test_what_was_logged_and_outlived_is_no_end(tmp_path: Path) -> None:
    """Steps with later clocks follow a logged traceback; in the end the kernel kills for memory."""
    steps = [f"2026-11-21 09:00:{step:02d},000 INFO step {step}/100 loss {9 - step / 20:.3f}\n" for step in range(50)]
    logged = (
        "2026-11-21 09:00:20,500 ERROR batch does not fit, skipping it\nTraceback (most recent call last):\n"
        '  File "/w/train.py", line 3, in hook\n    f()\nRuntimeError: CUDA out of memory. Tried to allocate 1.20 GiB\n'
    )
    kernel = (
        "Nov 21 09:00:50 gpu01 kernel: Out of memory: Killed process 8693 (python) total-vm:5120kB, anon-rss:498kB\n"
    )
    assert verdict(tmp_path, "".join((*steps[:21], logged, *steps[21:], kernel)), 137).family == "A2"
    assert verdict(tmp_path, "".join((*steps[:21], logged)), 1).family == "B1"


def test_a_second_training_after_the_last_report_due_is_no_restart(tmp_path: Path) -> None:
    """Every tenth step is printed, so 190 of 200 is the end; where somebody says that it restarts, it is none."""
    run = "".join(f"step {step}/200 loss {9 - step / 40:.3f}\n" for step in range(0, 200, 10))
    end = "training finished\n"
    assert verdict(tmp_path, f"experiment 1\n{run}experiment 2\n{run}{end}", 0).family == "G1"
    said = f"{run}saved checkpoint ckpt/step_200\n=== restarting job (attempt 2) ===\n{run}"
    assert verdict(tmp_path, said, 0).family == "E2"


def test_a_language_model_far_beyond_guessing_at_a_wild_rate_has_diverged(tmp_path: Path) -> None:
    """Each step moves weights by more than they measure; the same loss at a usual rate stays open."""
    line = "{{'loss': {loss}, 'grad_norm': 300.0, 'learning_rate': {rate}, 'epoch': {epoch}}}\n"
    for rate, family in ((50.0, "E1"), (5e-05, None)):
        text = "".join(line.format(loss=80000 - 1000 * n, rate=rate, epoch=n / 10) for n in range(1, 40))
        assert (
            verdict(tmp_path, text + "{'train_runtime': 3.3, 'train_loss': 60000.0, 'epoch': 4.0}\n", 0).family
            == family
        )


def test_a_time_limit_is_told_without_clocks(tmp_path: Path) -> None:
    """Status 124 is timeout's; whether the job hung before is said to be open."""
    found = verdict(tmp_path, STEPS, 124)
    assert (found.family, found.sub_mode) == ("F3", "unknown_progress")
    assert found.confidence < 0.5
    assert any("hung" in question.text for question in found.cannot_decide)


@pytest.mark.parametrize("line", ["      Reason:       OOMKilled", "The node was low on resource: memory. Container x"])
def test_kubernetes_says_who_killed(tmp_path: Path, line: str) -> None:
    """What kubectl describe prints of a pod."""
    found = verdict(tmp_path, f"{STEPS}{line}\n", 137)
    assert (found.family, found.attribution) == ("A2", "job")
