"""What a recorded run outlived beside what ended it: threads and helpers that died, and limits that struck."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.store import MemoryStore
from tests.analyze.builders import at

if TYPE_CHECKING:
    from inquest.analyze.model import Verdict

Row = dict[str, Any]

THREAD = """\
Exception in thread memory-monitor:
Traceback (most recent call last):
  File "/usr/lib/python3.11/threading.py", line 1045, in _bootstrap_inner
    self.run()
  File "/w/train.py", line 5, in watch
    open('/proc/driver/nvidia/gpus')
FileNotFoundError: [Errno 2] No such file or directory: '/proc/driver/nvidia/gpus'"""
HELPER = """\
Traceback (most recent call last):
  File "/w/preview.py", line 9, in <module>
    json.loads(text)
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"""
OWN = """\
Traceback (most recent call last):
  File "/w/train.py", line 31, in <module>
    y = row['label']
KeyError: 'label'"""
PIPE = OWN.replace("y = row['label']", "x = pipe.recv()").replace("KeyError: 'label'", "EOFError")
OOM = "Memory cgroup out of memory: Killed process 12 (python3) total-vm:1200kB, anon-rss:900kB, file-rss:0kB"
KILLED = {"term_signal": int(signal.SIGKILL)}


def process(t: float, event: str, pid: int, **columns: Any) -> Row:
    """A row of what was recorded of the job's processes; 7 is the wrapped command."""
    role = "task" if pid == 7 else "other"
    return {
        "ts_ns": at(t),
        "event": event,
        "role": role,
        "pid": pid,
        "capture": "c",
        "boot_id": "b",
        "task": 0,
        **columns,
    }


def sent(t: float, number: int, pid: int, sender: int = 7) -> Row:
    """A signal that a timeout command sent."""
    return process(t, "signal", pid, signal=number, sender_pid=sender, sender_command="timeout", sender_in_job=True)


def run(
    noise: str,
    reports: int,
    end: str = "",
    *,
    argv: str = "python3 train.py",
    silent: float = 1.0,
    ended: Row | None = None,
    processes: tuple[Row, ...] = (),
    kernel: tuple[float, str] | None = None,
    total: int = 400,
    sample: str = "",
) -> Verdict:
    """The verdict on 30 reports, ``noise``, ``reports`` more, ``end``, and ``silent`` seconds; two reports a second.

    After each ten reports ``sample`` is printed.
    """
    told = [(1 + n / 2, f"step {n}/{total} loss {4 / (1 + n / 20):.4f}") for n in range(30)]
    told += [(15.9, line) for line in noise.splitlines()]
    told += [(16 + n / 2, f"step {30 + n}/{total} loss {4 / (2.5 + n / 20):.4f}") for n in range(reports)]
    told = [
        (t + 0.01, line) for n, (t, text) in enumerate(told) for line in (text, *sample.splitlines() * (n % 10 == 9))
    ]
    last = told[-1][0]
    told += [(last + silent - 0.9, line) for line in end.splitlines()]
    where = {"stream": "stdout", "source": "stdout", "capture": "c", "boot_id": "b", "task": 0}
    lines = [{**where, "ts_ns": at(t), "seq": n, "offset": n, "text": text} for n, (t, text) in enumerate(told)]
    rows = [
        process(0, "start", 7, argv=argv, command=argv.split()[0], ppid=1),
        *([] if argv.startswith("python3") else [process(0, "start", 8, argv="python3 train.py", ppid=7)]),
        *processes,
        process(last + silent, "exit", 7, **(ended or {"exit_code": 1})),
    ]
    tables = {"log_lines": lines, "processes": [{**row, "seq": n} for n, row in enumerate(rows)]}
    if kernel is not None:
        t, text = kernel
        tables["kernel_log"] = [{"ts_ns": at(t), "seq": 0, "text": text, "capture": "c", "boot_id": "b"}]
    return analyze(MemoryStore.from_rows(tables, node="node01"), strict=True)[0]


def named(verdict: Verdict) -> str:
    return verdict.family or verdict.outcome


# --- a traceback that was none of the trainer's
@pytest.mark.parametrize("noise", [THREAD, HELPER])
@pytest.mark.parametrize(
    ("reports", "silent", "ended", "family"),
    [
        (30, 1, KILLED, "A2"),  # training went on without it, and was killed
        (2, 1, KILLED, "A2"),
        (3, 15, KILLED, "A1"),  # what a thread had read ahead was used up, for all that is known
        (3, 1, {"exit_code": 1}, "A1"),
        (30, 1, {"exit_code": 1}, "cannot_decide"),
    ],
)
def test_a_kill_after_a_thread_or_a_helper_failed_is_a_kill(
    noise: str, reports: int, silent: float, ended: Row, family: str
) -> None:
    assert named(run(noise, reports, silent=silent, ended=ended)) == family


def test_the_trainers_own_traceback_is_its_end_even_where_lines_of_others_follow() -> None:
    assert named(run(OWN, 30, ended={"exit_code": 1})) == "A1"
    assert named(run(THREAD, 30, OWN)) == "A1"
    assert "KeyError" in run(THREAD, 30, OWN).headline


@pytest.mark.parametrize("noise", [THREAD, HELPER])
def test_a_hang_after_a_helper_failed_long_ago_is_no_crash(noise: str) -> None:
    still = tuple(process(t, "seen", 8, cpu_user_s=3.0, cpu_system_s=0.0) for t in (33, 43, 53))
    verdict = run(noise, 30, argv="timeout 60 python3 train.py", silent=29, ended={"exit_code": 124}, processes=still)
    assert named(verdict) == "C3"


# --- the kernel's killer took another process
@pytest.mark.parametrize(
    ("reports", "end", "ended", "family"),
    [
        (40, OWN, {"exit_code": 1}, "A1"),  # training did without it
        (40, "", {"term_signal": 2}, "outside_families"),
        (3, OWN, {"exit_code": 1}, "A2"),
        (40, PIPE, {"exit_code": 1}, "A2"),  # who talks to one that has gone
        (40, "", {"exit_code": 1}, "A2"),  # nothing else is told
    ],
)
def test_a_side_process_that_ran_out_of_memory_long_before_the_end(
    reports: int, end: str, ended: Row, family: str
) -> None:
    side = (
        process(2, "start", 12, argv="python3 -c convert", ppid=7),
        process(15.9, "exit", 12, term_signal=int(signal.SIGKILL)),
    )
    assert named(run("", reports, end, ended=ended, processes=side, kernel=(15.9, OOM))) == family


# --- limits
def test_what_timeout_kills_because_it_does_not_obey_was_ended_by_the_limit() -> None:
    line = "timeout -k 3 30 python3 train.py"
    asked = (sent(31, 15, 8), sent(31, 15, 7))
    both = (*asked, sent(34, 9, 8), sent(34, 9, 7))
    for told in (asked, both):  # the last signals may come too late to be recorded
        verdict = run("", 37, argv=line, ended=KILLED, processes=told)
        assert (named(verdict), verdict.sub_mode) == ("F3", "advancing")
    by_another = tuple({**row, "sender_command": "bash", "sender_pid": 3} for row in both)
    assert named(run("", 37, argv=line, ended=KILLED, processes=by_another)) == "A2"


def test_a_trial_that_timeout_ended_is_no_end_of_the_training_after_it() -> None:
    trial = tuple({**sent(2, 15, 9, sender=6), "role": "launcher"} for _ in range(2))
    assert named(run("", 30, OWN, argv="bash go.sh", processes=trial)) == "A1"
    assert (
        named(run("", 30, argv="bash go.sh", ended={"exit_code": 143}, processes=(*trial, sent(31.4, 15, 7, 6))))
        == "F3"
    )


def test_a_number_that_a_program_leaves_with_is_no_word_of_timeout() -> None:
    assert named(run("", 10, "training finished", total=39, ended={"exit_code": 124})) == "cannot_decide"
    assert named(run("", 30, argv="bash go.sh", ended={"exit_code": 124})) == "F3"


def waited(used: float) -> Verdict:
    """A job that says one line and is ended by timeout 20 s later."""
    lines = [{"stream": "stdout", "source": "stdout", "ts_ns": at(1), "seq": 0, "offset": 0, "text": "loading index"}]
    rows = [
        process(0, "start", 7, argv="timeout 21 python3 train.py", command="timeout", ppid=1),
        process(0, "start", 8, argv="python3 train.py", ppid=7),
        *(process(t, "seen", 8, cpu_user_s=1 + used * t, cpu_system_s=0.0) for t in (1, 8, 15, 20)),
        sent(21, 15, 8),
        process(21, "exit", 7, exit_code=124),
    ]
    tables = {"log_lines": lines, "processes": [{**row, "seq": n} for n, row in enumerate(rows)]}
    return analyze(MemoryStore.from_rows(tables, node="node01"), strict=True)[0]


def test_who_used_no_cpu_and_reported_nothing_was_not_merely_slow() -> None:
    verdict = waited(used=0.0)
    assert named(verdict) == "cannot_decide"
    assert "stood still" in verdict.headline
    assert named(waited(used=0.9)) == "F3"


# --- all was done
@pytest.mark.parametrize(
    ("end", "silent", "outcome"),
    [
        ("training finished", 1, "cannot_decide"),  # some end themselves so
        ("", 1, "A2"),
    ],
)
def test_a_kill_right_after_the_last_word(end: str, silent: float, outcome: str) -> None:
    assert named(run("", 10, end, total=39, silent=silent, ended=KILLED)) == outcome


# --- who ended it while it stood still, or while it worked
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_who_ends_what_stands_still_is_not_what_went_wrong(number: int) -> None:
    still = tuple(process(t, "seen", 7, cpu_user_s=3.0, cpu_system_s=0.0) for t in (33, 43, 53))
    by_bash = {**sent(59, number, 7, sender=3), "sender_command": "bash"}
    ended = {"term_signal": int(number)}
    verdict = run("", 30, silent=29, ended=ended, processes=(*still, by_bash))
    assert (named(verdict), verdict.sub_mode) == ("C3", "host_side")
    at_work = tuple({**row, "cpu_user_s": row["ts_ns"] / 1e9} for row in still)
    assert named(run("", 30, silent=29, ended=ended, processes=(*at_work, by_bash))) != "C3"
    assert named(run("", 30, silent=1, ended=ended, processes=(*still[:1], by_bash))) != "C3"


def test_a_ctrl_c_that_a_program_turns_into_a_status_of_its_own() -> None:
    """A person ends what hangs; of one that worked until then, it is a person's end."""
    raised = 'Traceback (most recent call last):\n  File "/w/train.py", line 9, in <module>\n    batch = ready.get()\n'
    still = tuple(process(t, "seen", 7, cpu_user_s=3.0, cpu_system_s=0.0) for t in (33, 43, 53))
    at_work = tuple({**row, "cpu_user_s": row["ts_ns"] / 1e9} for row in still)
    end = raised + "KeyboardInterrupt"
    assert named(run("", 30, end, silent=29, ended={"exit_code": 1}, processes=still)) == "C3"
    assert named(run("", 30, end, silent=29, ended={"exit_code": 1}, processes=at_work)) == "outside_families"
    assert named(run("", 30, end, silent=1, ended={"exit_code": 1}, processes=still[:1])) == "outside_families"


def test_a_thread_that_died_as_the_job_was_ended_at_work_did_not_end_it() -> None:
    assert named(run(THREAD, 2, ended={"term_signal": int(signal.SIGTERM)})) == "outside_families"
    assert (
        named(run(THREAD, 2, silent=15, ended={"term_signal": int(signal.SIGTERM)})) == "A1"
    )  # it stood still after it


def test_a_limit_of_the_jobs_own_over_what_stood_still_is_no_lack_of_time() -> None:
    late = (
        'Traceback (most recent call last):\n  File "/w/start.py", line 2, in <module>\n    run(line, timeout=60)\n'
        "subprocess.TimeoutExpired: Command '['python3', 'train.py']' timed out after 60 seconds"
    )
    assert named(run("", 30, late, argv="python3 start.py")) == "F3"
    still = tuple(process(t, "seen", 8, cpu_user_s=3.0, cpu_system_s=0.0) for t in (33, 43, 53))
    verdict = run("", 30, late, argv="python3 start.py", silent=29, processes=still)
    assert named(verdict) == "C3"


# --- texts and files
def test_a_traceback_that_was_printed_again_and_again_ended_nothing() -> None:
    shown = OWN.replace("/w/train.py", "a.py")
    assert named(run("", 35, sample=shown, ended=KILLED)) == "A2"
    assert named(run("", 35, sample=shown, ended={"exit_code": 1})) == "cannot_decide"
    assert named(run(shown, 0, ended={"exit_code": 1})) == "A1"


@pytest.mark.parametrize(("argv", "family"), [("bash go.sh", "F3"), ("python3 train.py", "F3")])
def test_an_alarm_that_nobody_handles_is_a_limit(argv: str, family: str) -> None:
    verdict = run("", 30, argv=argv, ended={"term_signal": int(signal.SIGALRM)})
    assert (named(verdict), verdict.sub_mode) == (family, "advancing")
    still = tuple(process(t, "seen", 7, cpu_user_s=3.0, cpu_system_s=0.0) for t in (33, 43, 53))
    ended = {"term_signal": int(signal.SIGALRM)}
    assert named(run("", 30, argv=argv, silent=29, ended=ended, processes=still)) == "C3"


def test_a_script_that_ends_itself_when_all_is_done_was_not_told_to_end() -> None:
    ended = {"term_signal": int(signal.SIGTERM)}
    own = {**sent(21.5, 15, 7), "sender_command": "bash"}
    assert named(run("", 10, "training finished", total=39, ended=ended, processes=(own,))) == "cannot_decide"
    assert named(run("", 10, total=39, ended=ended, processes=(own,))) == "outside_families"
    by_another = {**own, "sender_pid": 3, "sender_in_job": False}
    told = run("", 10, "training finished", total=39, ended=ended, processes=(by_another,))
    assert named(told) == "outside_families"


# --- deaths that somebody else tells of, and numbers that a program chose
LOGGED = """\
ERROR:root:record is broken, skipped
Traceback (most recent call last):
  File "/w/train.py", line 12, in read
    json.loads(text)
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)"""


@pytest.mark.parametrize(("number", "family"), [(signal.SIGKILL, "A2"), (signal.SIGTERM, "A1")])
def test_a_worker_that_was_killed_is_no_fault_of_who_reads_from_it(number: int, family: str) -> None:
    worker = (
        process(2, "start", 12, argv="python3 train.py", ppid=7, command="python3", start_mono_ns=2),
        {**sent(30.55, number, 12, sender=12), "sender_command": "python3", "ts_mono_ns": 31},
        # The parent tells it to end as it leaves, and its end is noted after what the parent printed.
        {**sent(30.7, 15, 12), "sender_command": "python3", "ts_mono_ns": 32},
        process(30.8, "exit", 12, term_signal=int(number), ts_mono_ns=33),
    )
    assert named(run("", 30, PIPE, silent=1, processes=worker)) == family


def test_an_error_that_was_logged_just_before_a_kill_is_not_what_ended_it() -> None:
    assert named(run(LOGGED, 2, ended=KILLED)) == "A2"
    assert named(run(LOGGED, 0, ended={"exit_code": 1})) == "A1"


def test_what_is_killed_when_it_had_done_all_and_did_not_leave_lost_nothing() -> None:
    def left(silent: float) -> str:
        gone = (process(20 + silent, "exit", 8, **KILLED),)
        shell = "go.sh: line 4: 8 Killed                  python3 train.py"
        end = f"training finished\n{shell}"
        return named(
            run("", 10, end, argv="bash go.sh", total=39, silent=silent, ended={"exit_code": 0}, processes=gone)
        )

    assert left(1) != "A2"
    assert named(run("", 10, argv="bash go.sh", ended={"exit_code": 137})) == "A2"


def test_who_ends_itself_after_a_silence_is_a_watchdog() -> None:
    own = {**sent(48, 9, 7), "sender_command": "python3"}
    told = run("", 30, "watchdog: no step in 17 s", silent=18, ended=KILLED, processes=(own,))
    assert named(told) == "cannot_decide"
    at_work = {**own, "ts_ns": at(31.2)}
    assert named(run("", 30, ended=KILLED, processes=(at_work,))) == "A2"


def test_a_number_above_128_that_python_left_with_is_no_signal() -> None:
    assert named(run("", 30, "quota used up", ended={"exit_code": 137})) == "cannot_decide"
    assert named(run("", 30, argv="bash go.sh", ended={"exit_code": 137})) == "A2"
    child = (process(2, "start", 12, argv="./helper", ppid=7), process(30.6, "exit", 12, **KILLED))
    assert named(run("", 30, ended={"exit_code": 137}, processes=child)) == "A2"


@pytest.mark.parametrize(
    ("message", "family"),
    [
        ("RuntimeError: Loss diverged: 3.1e+18 exceeds 1e6", "E1"),
        ("OverflowError: grad norm is inf for 10 steps", "E1"),
        ("RuntimeError: histories of the two branches have diverged", "A1"),
    ],
)
def test_a_guard_says_that_training_diverged(message: str, family: str) -> None:
    assert named(run("", 30, OWN.replace("KeyError: 'label'", message))) == family
