"""What a shell and a program's helpers say beside a run is not the run's (samples/redteam/complications.py)."""

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

CAUGHT = (
    "Traceback (most recent call last):\n"
    '  File "/opt/lib/python3.11/site-packages/urllib3/connectionpool.py", line 537, in _make_request\n'
    "    response = conn.getresponse()\n"
    "TimeoutError: The read operation timed out\n"
)
CRASH = (
    "Traceback (most recent call last):\n"
    '  File "/home/{whose}.py", line 7, in <module>\n    main()\n'
    "KeyError: 'tokens'\n"
)
HELPER = "timeout: sending signal TERM to command './warm_cache'\n"
TESTS = (
    "FAILED tests/test_data.py::test_empty_batch - IndexError: list index out of range\n1 failed, 6 passed in 3.21s\n"
)


def steps(last, total=90, first=10):
    return "".join(f"step {n}/{total} loss {9 - 8 * n / total:.3f}\n" for n in range(first, last + 1, 10))


def store(folder, text, code=None):
    (folder / "job.log").write_text(text)
    return import_logs([folder], exit_code=code)


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        (HELPER + "warm_cache did not finish in 60 s (124), going on without it\n" + CRASH.format(whose="fit"), 0),
        (HELPER + steps(90), 0),
        (HELPER + "the limit was reached\n", 1),
        (HELPER.replace("./warm_cache", "python train.py") + "going on without it\n", 1),  # by its name it trains
        (HELPER.replace("./warm_cache", "/usr/bin/python3.11") + steps(90), 1),  # what it ran is not told
        (steps(40) + HELPER + "the limit was reached\n", 1),
        (HELPER + steps(20), 1),
    ],
)
def test_a_limit_of_a_helper_is_none_of_the_run(tmp_path, text, limits):
    assert (parse_logs(store(tmp_path, text))["fact_events"]["kind"] == "time_limit").sum() == limits


@pytest.mark.parametrize(
    ("text", "family"),
    [
        (f"$ pytest -q tests || true\n{TESTS}$ python train.py\n{steps(40)}", None),
        (f"{TESTS}{steps(40)}", None),
        (f"{steps(40)}{TESTS}", "A1"),
        (f"$ pytest -q fit_check.py\n{TESTS}", "A1"),
    ],
)
def test_tests_that_failed_before_training_did_not_end_it(tmp_path, text, family):
    verdict, _ = analyze(store(tmp_path, text, code=1))
    assert (verdict.family if verdict.headline.find("FAILED tests") >= 0 else None) == family


@pytest.mark.parametrize(
    ("above", "below", "fatal"),
    [
        (
            "WARNING s3.py:88 reading 12.tar failed, trying again in 2.0 s (1/5)",
            "INFO s3.py:93 read at attempt 2",
            False,
        ),
        ("WARNING s3.py:88 reading 12.tar failed, trying again in 2.0 s (1/5)", "INFO s3.py:93 closing", True),
        ("WARNING s3.py:88 reading 12.tar failed", "INFO s3.py:93 read at attempt 2", True),
        ("ERROR s3.py:88 reading 12.tar failed, trying again in 2.0 s (1/5)", "INFO s3.py:93 read at attempt 2", True),
    ],
)
def test_what_went_well_the_next_time_ended_nothing(tmp_path, above, below, fatal):
    text = f"{above}\n{CAUGHT}{below}\nbuilding the model\n"
    assert parse_logs(store(tmp_path, text))["fact_exceptions"]["fatal"].to_list() == [fatal]


def test_what_failed_and_is_tried_again_by_a_warning_was_not_the_last_to_fail(tmp_path):
    text = f"WARNING reading 12.tar failed, trying again\n{CAUGHT}building the model\n{CRASH.format(whose='fit')}"
    assert parse_logs(store(tmp_path, text))["fact_exceptions"]["fatal"].to_list() == [False, True]


@pytest.mark.parametrize(
    ("text", "raised"),
    [
        (steps(90) + "$ tail -n 3 /logs/991.out\n" + steps(720, 5000, 700) + CRASH.format(whose="v/fit"), 0),
        (CRASH.format(whose="u/train") + "$ cat 991.out\n" + CRASH.format(whose="v/fit") + "$ exit\n", 1),
        (
            steps(40) + "$ tail -n 3 run.log\n" + steps(40, first=30) + CRASH.format(whose="u/train"),
            1,
        ),  # its own once more
        (steps(40) + "$ tail -n 3 run.log\n" + steps(60, first=50) + CRASH.format(whose="u/train"), 1),  # it goes on
        (steps(40) + "$ cat run.err\n" + CRASH.format(whose="u/train"), 1),  # its other stream
        (steps(40) + "errors go to 991.err\n$ cat 991.err\n" + steps(720, 5000, 700) + CRASH.format(whose="fit"), 1),
        ("$ cat 991.out\n" + steps(720, 5000, 700) + CRASH.format(whose="v/fit"), 1),
        (CRASH.format(whose="u/train") + "$ cat run.err\n" + CRASH.format(whose="u/train"), 2),
        (steps(90) + "tail -n 3 of 991.out\n" + steps(720, 5000, 700) + CRASH.format(whose="v/fit"), 1),
    ],
)
def test_the_log_of_another_run_that_is_shown_below_is_anothers(tmp_path, text, raised):
    facts = parse_logs(store(tmp_path, text))
    assert facts["fact_exceptions"].height == raised
    assert facts["fact_events"].filter(kind="bare_error").is_empty()


STOPPED = (
    'Traceback (most recent call last):\n  File "/home/u/stay.py", line 4, in <module>\n    {code}\nKeyboardInterrupt\n'
)


@pytest.mark.parametrize(
    ("text", "fatal"),
    [
        (steps(90) + "the pod stays up\n^C" + STOPPED.format(code="time.sleep(3600)"), False),
        (steps(40, 40) + "training finished\n" + STOPPED.format(code="input('Enter to leave')"), False),
        (steps(40) + STOPPED.format(code="time.sleep(3600)"), True),  # not all was done
        (steps(90) + STOPPED.format(code="torch.save(state, path)"), True),  # it was at work
        (steps(90) + STOPPED.format(code="time.sleep(5)").replace("/home/u", "/opt/lib/python3.11"), True),
        (steps(90) + STOPPED.format(code="time.sleep(5)").replace("KeyboardInterrupt", "KeyError: 'x'"), True),
    ],
)
def test_ctrl_c_of_who_only_stood_by_ended_no_training(tmp_path, text, fatal):
    assert parse_logs(store(tmp_path, text))["fact_exceptions"]["fatal"].to_list() == [fatal]


@pytest.mark.parametrize(("total", "raised"), [(5000, 0), (90, 1)])
def test_one_report_and_another_plan_tell_that_it_is_anothers(tmp_path, total, raised):
    text = steps(10) + "$ tail -n 3 991.out\n" + steps(30, total, 20) + CRASH.format(whose="v/fit")
    assert parse_logs(store(tmp_path, text))["fact_exceptions"].height == raised


@pytest.mark.parametrize(
    ("above", "below", "after", "fatal"),
    [
        ("[evaluator] looking", "[evaluator] left with 1, will look again in 10 min", steps(80, first=50), False),
        ("evaluator: looking", "evaluator: this one is skipped", steps(80, first=50), False),
        ("[evaluator] looking", "[evaluator] left with 1", steps(80, first=50), True),
        ("[trainer] looking", "[launch] left with 1, will look again in 10 min", steps(80, first=50), True),
        ("[evaluator] looking", "[evaluator] left with 1, will look again in 10 min", "", True),
        ("[launch] attempt 1", "[launch] left with 1, trying again", steps(30), True),  # from the beginning
    ],
)
def test_who_crashes_beside_a_training_and_goes_on_did_not_end_it(tmp_path, above, below, after, fatal):
    text = f"{steps(40)}{above}\n{CRASH.format(whose='evaluator')}{below}\n{after}"
    parsed = parse_logs(store(tmp_path, text + "exit status 1\n", code=1))
    assert parsed["fact_exceptions"]["fatal"].to_list() == [fatal]


@pytest.mark.parametrize(
    ("below", "message"),
    [
        ("timeout: sending signal TERM to command 'python'", "'tokens'"),
        ("[evaluator] left with 1", "'tokens'"),
        ("[enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator", None),
        ("of 3 in the batch", None),
    ],
)
def test_what_others_say_below_a_traceback_is_none_of_its_message(tmp_path, below, message):
    parsed = parse_logs(store(tmp_path, steps(40) + CRASH.format(whose="train") + below + "\n"))
    assert parsed["fact_exceptions"]["message"].to_list() == [message or f"'tokens'\n{below}"]


KERNEL = (
    "[Thu Apr 16 03:12:44 2026] Out of memory: Killed process 991 ({name}) total-vm:81920044kB, anon-rss:63012448kB"
)
SHELL = "launch.sh: line 9:  4002 Segmentation fault      (core dumped) {command} > /dev/null"


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (KERNEL.format(name="rstudio-server") + "\n" + steps(90), 0),
        (KERNEL.format(name="python3") + "\n" + steps(90), 1),  # of the job, shown above its log
        (steps(90) + KERNEL.format(name="rstudio-server") + "\n", 0),  # nobody else names it
        (steps(90) + KERNEL.format(name="python3") + "\n", 1),
        (SHELL.format(command="./warm_cache /data") + "\n" + steps(90), 0),
        (SHELL.format(command="./warm_cache /data") + "\nwarm_cache failed (139), going on without it\n", 0),
        (SHELL.format(command="./warm_cache /data") + "\nleaving\n", 1),
        (SHELL.format(command="./train_all") + "\n" + steps(90), 1),
        (SHELL.format(command="setsid torchrun work.py") + "\n" + steps(90), 1),
        (SHELL.format(command="python work.py") + "\n" + steps(90), 1),  # what a pipe had held back
        (steps(90) + SHELL.format(command="./warm_cache /data") + "\n", 1),
    ],
)
def test_who_died_above_all_reports_was_another(tmp_path, text, ends):
    facts = parse_logs(store(tmp_path, text))
    assert facts["fact_exits"].height == ends
    assert facts["fact_events"]["kind"].is_in(["oom_killer", "segfault", "signal_death"]).any() == bool(ends)


SETUP = (
    "  error: subprocess-exited-with-error\n  \u2570\u2500> [6 lines of output]\n"
    "      Traceback (most recent call last):\n"
    '        File "/tmp/pip/setup.py", line 22, in <module>\n          import torch\n'
    "      ModuleNotFoundError: No module named 'torch'\n      [end of output]\n"
)


@pytest.mark.parametrize(
    ("text", "fatal"),
    [
        (SETUP + steps(40), [False]),
        (SETUP + CRASH.format(whose="train"), [False, True]),
        (SETUP + "ERROR: Failed building wheel for flash-attn\n", [True]),
        ("the hub's copy in the cache is used\n" + CAUGHT + "Using the cached copy of base\n", [False]),
        ("the hub cannot be reached\n" + CAUGHT + "Using the cached copy of base\n", [True]),
        ("ERROR the cached copy is used, too\n" + CAUGHT + "Using the cached copy failed\n", [True]),
    ],
)
def test_what_was_done_without_ended_nothing(tmp_path, text, fatal):
    assert parse_logs(store(tmp_path, text))["fact_exceptions"]["fatal"].to_list() == fatal
