"""Stage 1 beyond logs: exits, signals, scheduler states and samples become facts."""

from __future__ import annotations

import pytest

SECOND = 1_000_000_000


def facts(ev, table, *columns):
    return [tuple(row[c] for c in columns) for row in ev.facts(table).iter_rows(named=True)]


def test_ends_of_the_job_s_processes_are_exits(evidence_of):
    ends = [
        {"role": "task", "exit_code": 1, "ts_ns": 3},
        {"role": "rank", "term_signal": 9, "rank": 2, "ts_ns": 1, "pid": 77},
        {"role": "other", "exit_code": 1, "ts_ns": 2},
        {"role": "rank", "rank": 1, "ts_ns": 2},
    ]
    ev = evidence_of({"processes": [{"event": "exit", **end} for end in ends]}, parse=True)
    assert facts(ev, "fact_exits", "role", "said_by", "rank", "exit_code", "term_signal") == [
        ("rank", "kernel", 2, None, 9),
        ("task", "wrapper", None, 1, None),
    ]


def test_what_the_user_says_is_said_by_the_user(evidence_of):
    ev = evidence_of({"processes": [{"event": "exit", "role": "task", "exit_code": 0}]}, parse=True, capture="import")
    assert facts(ev, "fact_exits", "said_by", "exit_code") == [("user", 0)]


def test_signals_name_their_sender(evidence_of):
    sent = [
        {"signal": 15, "sender_pid": 42, "sender_command": "timeout", "ts_ns": 1},
        {"signal": 9, "sender_pid": 0, "ts_ns": 2},
        {"signal": 34, "ts_ns": 3},
    ]
    ev = evidence_of({"processes": [{"event": "signal", "role": "task", **row} for row in sent]}, parse=True)
    assert facts(ev, "fact_events", "kind", "num", "subject", "text") == [
        ("signal_received", 15.0, "timeout", "SIGTERM from timeout (pid 42) reached the task"),
        ("signal_received", 9.0, None, "SIGKILL from the kernel reached the task"),
        ("signal_received", 34.0, None, "SIGRTMIN from an unknown sender reached the task"),
    ]


def test_signals_within_the_job_are_how_it_works(evidence_of):
    sent = [
        {"role": "rank", "signal": 15, "sender_pid": 7, "sender_command": "torchrun", "sender_in_job": True},
        {"role": "rank", "signal": 6, "pid": 9, "sender_pid": 9, "sender_in_job": True, "signal_code": -6},
        {"role": "outside", "signal": 9, "sender_pid": 7, "sender_in_job": True, "signal_code": 0},
        {"role": "rank", "signal": 11, "sender_pid": 0, "signal_code": 1},
        {"role": "rank", "signal": 1, "sender_pid": 8, "sender_in_job": False, "state": "ignored"},
        {"role": "rank", "signal": 2, "sender_pid": 0, "signal_code": 128, "state": "delivered"},
        {"role": "rank", "signal": 9, "sender_pid": 8, "sender_command": "sh", "sender_in_job": False, "ts_ns": 2},
    ]
    ev = evidence_of({"processes": [{"event": "signal", "ts_ns": 1, **row} for row in sent]}, parse=True)
    assert facts(ev, "fact_events", "text") == [
        ("SIGINT from the kernel reached the rank",),
        ("SIGKILL from sh (pid 8) reached the rank",),
    ]


def test_the_kernels_event_tells_of_an_oom_kill_as_its_log_does(evidence_of):
    killed = {"event": "oom_kill", "role": "rank", "rank": 1, "pid": 77, "command": "python3"}
    rows = [
        {**killed, "oom_scope": "memcg", "anon_rss_bytes": 200 << 20, "file_rss_bytes": 1 << 20, "ts_ns": 1},
        {**killed, "oom_scope": "host", "pid": 78, "ts_ns": 2},
        {**killed, "pid": 79, "ts_ns": 3},  # the kernel hides the names of its functions: whose memory it was is open
    ]
    ev = evidence_of({"processes": rows}, parse=True)
    assert facts(ev, "fact_events", "kind", "framework", "num", "subject", "text") == [
        (
            "cgroup_oom",
            "kernel",
            77.0,
            "python3",
            "the kernel killed python3 (pid 77) at the limit of its memory cgroup; it held anonymous 200 MiB, "
            "files 1 MiB",
        ),
        ("oom_killer", "kernel", 78.0, "python3", "the kernel killed python3 (pid 78) when the host ran out of memory"),
    ]


@pytest.mark.parametrize(
    ("state", "code", "kind", "exits"),
    [
        ("TIMEOUT", 0, "time_limit", []),
        ("PREEMPTED", 0, "preempted", []),
        ("NODE_FAIL", 1, "node_failure", []),
        ("CANCELLED by 1000", 0, "cancelled", []),
        ("OUT_OF_MEMORY", 125, "slurm_oom", [("slurm", 125)]),
        ("FAILED", 3, None, [("slurm", 3)]),
        ("COMPLETED", 0, "clean_exit", [("slurm", 0)]),
        ("RUNNING", 0, None, []),
    ],
)
def test_states_of_the_scheduler(evidence_of, state, code, kind, exits):
    job = {"job_id": "7", "state": state, "exit_code": code, "end_ns": 9, "ts_ns": 1}
    ev = evidence_of({"slurm_jobs": [job]}, parse=True)
    assert facts(ev, "fact_exits", "said_by", "exit_code") == exits
    expected = [] if kind is None else [(kind, "slurm", 9, "job 7" if kind is None else "7")]
    assert facts(ev, "fact_events", "kind", "framework", "ts_ns", "subject") == expected


def test_only_the_last_run_of_a_requeued_job_ends_it(evidence_of):
    runs = [
        {"job_id": "7", "state": "PREEMPTED", "restarts": 0, "exit_code": 0, "start_ns": 1, "end_ns": 5},
        {"job_id": "7", "state": "COMPLETED", "restarts": 1, "exit_code": 0, "start_ns": 6, "end_ns": 9},
    ]
    ev = evidence_of({"slurm_jobs": runs}, parse=True)
    assert facts(ev, "fact_events", "kind", "ts_ns") == [("preempted", 5), ("clean_exit", 9)]
    assert facts(ev, "fact_exits", "exit_code", "ts_ns") == [(0, 9)]


def test_a_node_that_turns_bad_is_told_once(evidence_of):
    states = ["IDLE", "ALLOCATED", "DOWN*", "DOWN*", "IDLE", "DRAINED", "DOWN"]
    rows = [{"slurm_node_name": "n7", "state": state, "ts_ns": n} for n, state in enumerate(states)]
    ev = evidence_of({"slurm_nodes": rows}, parse=True)
    assert facts(ev, "fact_events", "kind", "subject", "ts_ns") == [
        ("node_failure", "n7", 2),
        ("node_failure", "n7", 6),
    ]


def test_facts_of_all_sources_are_numbered_within_their_node(evidence_of):
    ev = evidence_of(
        {
            "log_lines": [{"text": "KeyboardInterrupt", "ts_ns": 1, "source": "a", "stream": "stderr", "eol": "lf"}],
            "slurm_jobs": [{"job_id": "7", "state": "TIMEOUT", "end_ns": 9}],
            "processes": [{"event": "signal", "role": "task", "signal": 15, "ts_ns": 5}],
        },
        parse=True,
    )
    numbers = [seq for _, seq in facts(ev, "fact_events", "node", "seq")]
    assert len(numbers) >= 2
    assert len(set(numbers)) == len(numbers)


def test_windows_hold_order_statistics_and_the_fullest_cgroup(evidence_of):
    host = [{"ts_ns": n * SECOND, "memory_available_bytes": 100 - n} for n in range(20)]
    groups = [
        {"ts_ns": n * SECOND, "cgroup": name, "memory_used_bytes": used + n}
        for n in range(5)
        for name, used in (("/small", 10), ("/full", 500))
    ]
    ev = evidence_of({"host_samples": host, "cgroup_samples": groups}, parse=True)
    assert facts(ev, "fact_windows", "series", "ts_ns", "count", "min", "median", "max", "first", "last") == [
        ("cgroup_samples.memory_used_bytes", 0, 5, 500.0, 502.0, 504.0, 500.0, 504.0),
        ("host_samples.memory_available_bytes", 0, 10, 91.0, 95.5, 100.0, 100.0, 91.0),
        ("host_samples.memory_available_bytes", 10 * SECOND, 10, 81.0, 85.5, 90.0, 90.0, 81.0),
    ]


def test_windows_of_a_long_run_are_longer(evidence_of):
    day = [{"ts_ns": n * 3600 * SECOND, "memory_available_bytes": n} for n in range(49)]
    ev = evidence_of({"host_samples": day}, parse=True)
    widths = set(ev.facts("fact_windows")["window_ns"])
    assert len(widths) == 1
    assert widths.pop() >= 48 * 3600 * SECOND / 1001


def test_lines_seen_as_a_process_wrote_them_are_of_the_rank_it_was_recorded_with(evidence_of):
    text = ("Traceback (most recent call last):", '  File "t.py", line 3, in <module>', "ValueError: bad")
    lines = [
        {"source": f"stderr of pid {pid}", "pid": pid, "text": line, "ts_ns": 5 + n}
        for pid in (71, 72, 73)
        for n, line in enumerate(text)
    ]
    known = [
        {"event": "start", "role": "rank", "pid": pid, "rank": rank, "ts_ns": 1}
        for pid, rank in ((71, 3), (72, 4), (72, 5))
    ]
    ev = evidence_of({"log_lines": lines, "processes": known}, parse=True)
    assert facts(ev, "fact_exceptions", "source", "rank", "rank_by") == [
        ("stderr of pid 71", 3, "env"),
        ("stderr of pid 72", None, None),  # a number that two processes had
        ("stderr of pid 73", None, None),
    ]


@pytest.mark.parametrize(
    ("again", "fatal"),
    [
        ({}, False),
        ({"argv": "python3 -u report.py"}, True),  # what the script runs next is another program
        ({"ts_ns": 3 * SECOND}, True),  # it ran beside the one that failed
        ({"role": "rank"}, True),  # a launcher starts its ranks, and says itself which of them counts
    ],
    ids=["again", "another program", "beside it", "a rank"],
)
def test_a_traceback_of_an_attempt_that_was_followed_by_another(evidence_of, again, fatal):
    text = ("Traceback (most recent call last):", '  File "/w/t.py", line 3, in <module>', "ValueError: bad")
    lines = [{"source": "stderr", "text": line, "ts_ns": 9 * SECOND + n} for n, line in enumerate(text)]
    known = [
        {"event": "start", "role": "task", "pid": 70, "argv": "bash job.sh", "ts_ns": SECOND},
        {"event": "start", "role": "other", "pid": 71, "argv": "python3 -u t.py --a", "ts_ns": 2 * SECOND},
        {"event": "exit", "role": "other", "pid": 71, "exit_code": 1, "ts_ns": 10 * SECOND},
        {"event": "start", "role": "other", "pid": 72, "argv": "python3 -u t.py --b", "ts_ns": 11 * SECOND, **again},
        {"event": "exit", "role": "task", "pid": 70, "exit_code": 143, "ts_ns": 60 * SECOND},
    ]
    ev = evidence_of({"log_lines": lines, "processes": known}, parse=True)
    assert facts(ev, "fact_exceptions", "fatal") == [(fatal,)]
