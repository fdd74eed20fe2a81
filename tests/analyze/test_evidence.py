"""Typed questions and claims: every answer in one order, every claim re-computable."""

from __future__ import annotations

import polars as pl
import pytest

from inquest.analyze.evidence import EXCERPT_CHARS, ROWS_CITED, rounded
from inquest.analyze.model import RowRef
from inquest.bundle.errors import QueryRefused

EVENTS = [
    {"node": "b", "seq": 0, "ts_ns": 30, "kind": "cuda_oom", "role": "root", "text": "late"},
    {"node": "a", "seq": 0, "ts_ns": None, "kind": "banner", "role": "marker", "text": "no clock"},
    {"node": "a", "seq": 1, "ts_ns": 10, "kind": "cuda_oom", "role": "cascade", "text": "it's first"},
]


def test_facts_come_in_one_order_whatever_the_order_given(evidence_of):
    one = evidence_of({"fact_events": EVENTS}).facts("fact_events")
    other = evidence_of({"fact_events": EVENTS[::-1]}).facts("fact_events")
    assert one.equals(other)
    assert one["text"].to_list() == ["no clock", "it's first", "late"]


def test_what_is_there_and_what_is_not(evidence_of):
    ev = evidence_of({"fact_events": EVENTS, "log_lines": [{"text": "x"}]})
    assert ev.has("logs")
    assert ev.has("fact_events")
    assert not any(map(ev.has, ("exits", "steps", "scheduler", "kernel", "gpus", "host", "gpu_samples")))
    with pytest.raises(KeyError, match="moon"):
        ev.has("moon")


def test_a_log_may_quote_the_scheduler(evidence_of):
    quoted = [{**EVENTS[0], "framework": "slurm", "kind": "time_limit"}]
    assert evidence_of({"fact_events": quoted}).has("scheduler")


def test_a_claim_runs_its_sql_and_keeps_its_rows(evidence_of):
    ev = evidence_of({"fact_events": EVENTS})
    claim = ev.claim(
        id="B1.1",
        text="{value} refused allocations",
        sql="SELECT count(*) FROM fact_events WHERE kind = 'cuda_oom'",
        unit="events",
        table="fact_events",
        rows=ev.rows("fact_events", "kind = 'cuda_oom'"),
        excerpt="x" * (2 * EXCERPT_CHARS),
    )
    assert (claim.value, claim.text) == (2, "2 refused allocations")
    assert claim.rows == (RowRef("fact_events", "a", 1), RowRef("fact_events", "b", 0))
    assert len(claim.excerpt) < EXCERPT_CHARS + 10
    assert ev.value(claim.sql, claim.unit) == claim.value


def test_rows_of_a_recorded_table_name_their_recording(evidence_of):
    ev = evidence_of({"log_lines": [{"text": "x", "capture": "c1"}, {"text": "y", "capture": "c2", "seq": 0}]})
    assert ev.rows("log_lines", "text = 'y'") == (RowRef("log_lines", "node0", 0, "c2"),)
    many = evidence_of({"log_lines": [{"text": "x"}] * 50})
    assert len(many.rows("log_lines")) == ROWS_CITED


def test_a_claim_cannot_reach_beyond_the_tables(evidence_of):
    ev = evidence_of({"fact_events": EVENTS})
    with pytest.raises(QueryRefused):
        ev.claim(id="X", text="t", sql="SELECT * FROM read_csv('/etc/passwd')", table="fact_events")


def test_a_claim_over_no_rows_has_no_value(evidence_of):
    ev = evidence_of({})
    assert ev.value("SELECT text FROM fact_events WHERE seq = 7") is None
    assert ev.value("SELECT count(*) FROM gpu_samples") == 0


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.1 + 0.2, "1", 0.3),
        (1234.56789, "s", 1234.568),
        (3.0000001e-7, "1", 3e-7),
        (1e-12, "1", 1e-12),
        (5.0, "bytes", 5),
        (7, "ns", 7),
        (float("nan"), "1", "nan"),
        (float("-inf"), "1", "-inf"),
        (None, "s", None),
        (True, "", True),
        ("text", "", "text"),
    ],
)
def test_values_are_rounded_to_the_digits_of_their_unit(value, unit, shown):
    assert rounded(value, unit) == shown
    assert type(rounded(value, unit)) is type(shown)


def test_order_between_nodes_needs_bounded_clocks(evidence_of):
    clocks = [{"node": n, "from_mono_ns": 0, "bound_ns": b} for n, b in (("a", 5), ("b", 5), ("c", None))]
    ev = evidence_of({"clock_alignment": clocks})
    assert ev.before(1, "a", 2, "a") is True
    assert ev.before(2, "a", 1, "a") is False
    assert ev.before(1, "a", 1, "a") is None
    assert ev.before(1, "a", 11, "b") is None
    assert ev.before(1, "a", 12, "b") is True
    assert ev.before(12, "a", 1, "b") is False
    assert ev.before(1, "a", 10**9, "c") is None
    assert ev.before(1, "a", None, "a") is None


def test_the_end_is_when_the_last_task_ended(evidence_of):
    exits = [
        {"said_by": "torchrun", "role": "rank", "exit_code": 9, "ts_ns": 1, "rank": 1},
        {"said_by": "wrapper", "role": "task", "term_signal": 15, "ts_ns": 7},
        {"said_by": "wrapper", "role": "task", "exit_code": 0, "ts_ns": 5},
    ]
    lines = [{"text": "x", "ts_ns": 99}]
    assert evidence_of({"fact_exits": exits, "log_lines": lines}).end_ns() == 7
    assert evidence_of({"log_lines": lines}).end_ns() == 99
    assert evidence_of({}).end_ns() is None


def test_ranks_world_and_progress(evidence_of):
    ev = evidence_of(
        {
            "processes": [{"event": "start", "rank": 3, "world_size": 4}],
            "fact_steps": [{"step": 5, "ts_ns": 50, "rank": 0}, {"step": 2, "ts_ns": 20, "rank": 0}],
            "log_lines": [{"text": "x", "rank": 1, "ts_ns": 60}],
        }
    )
    assert ev.ranks() == (0, 1, 3)
    assert ev.world_size() == 4
    assert (ev.first_progress_ns(), ev.last_progress_ns()) == (20, 50)


def test_absence_is_explained_by_the_collectors(evidence_of):
    rows = [
        {
            "collector": "nvml",
            "outcome": "missing",
            "tables": "gpu_samples,gpu_events",
            "detail": "no libnvidia-ml.so.1",
        },
        {"collector": "host", "outcome": "ok", "tables": "host_samples"},
    ]
    ev = evidence_of({"collection": rows})
    assert ev.why_absent("gpus") == "nvml: missing (no libnvidia-ml.so.1)"
    assert ev.why_absent("host_samples") == ""
    assert [item.outcome for item in ev.coverage()] == ["ok", "missing"]


SECOND = 1_000_000_000


def watched(outcome="empty", *, node="node0", begin=1, end=60, collector="kernel_log", capture="c", **more):
    """The row a recorder leaves of a collector: monotonic clock 1000 s behind UTC."""
    return {
        "collector": collector,
        "tables": collector,
        "outcome": outcome,
        "node": node,
        "capture": capture,
        "from_mono_ns": begin * SECOND,
        "to_mono_ns": end * SECOND,
        "ts_mono_ns": end * SECOND,
        "ts_ns": (1000 + end) * SECOND,
        "drops": 0,
        **more,
    }


def run_of(*nodes, end=60):
    """Tasks of a job that ran from second 1000 to ``end`` after it."""
    return [
        {"node": node, "role": "task", "event": event, "ts_ns": (1000 + at) * SECOND}
        for node in nodes
        for event, at in (("start", 0), ("exit", end))
    ]


def test_a_kernel_that_said_nothing_to_one_who_listened_is_evidence(evidence_of):
    tasks = run_of("a", "b")
    both = [watched(node="a"), watched("ok", node="b")]
    assert evidence_of({"collection": both, "processes": tasks}).has("kernel")
    assert evidence_of({"collection": both, "processes": tasks}).why_absent("kernel") == ""


@pytest.mark.parametrize(
    ("row", "because"),
    [
        (None, ""),
        (watched("denied", node="b", detail="no root"), "kernel_log: denied (no root)"),
        (watched(node="b", end=30), "kernel_log: did not watch the whole run"),
        (watched(node="b", begin=30), "kernel_log: did not watch the whole run"),
        (watched(node="b", drops=3), "kernel_log: lost rows"),
        (watched(node="b", ts_ns=None), "kernel_log: did not watch the whole run"),
    ],
)
def test_one_node_nobody_listened_on_leaves_the_question_open(evidence_of, row, because):
    rows = [watched(node="a"), *([] if row is None else [row])]
    ev = evidence_of({"collection": rows, "processes": run_of("a", "b")})
    assert not ev.has("kernel")
    assert ev.why_absent("kernel") == because


def test_an_empty_log_and_empty_samples_prove_nothing(evidence_of):
    rows = [watched(collector="log_lines"), watched(collector="gpu_samples"), watched(collector="host_samples")]
    ev = evidence_of({"collection": rows, "processes": run_of("node0")})
    assert not any(ev.has(name) for name in ("logs", "gpus", "gpu_samples", "host"))


def test_coverage_is_one_entry_a_collector_and_node_in_utc(evidence_of):
    rows = [
        watched("ok", end=1, rows=0, seq=0),
        watched("ok", end=60, rows=7, seq=1),
        watched("failed", capture="d", begin=70, end=71, rows=2, seq=0, detail="gone"),
        {"collector": "output", "outcome": "ok", "rows": 3, "capture": "d", "seq": 1, "detail": "task 0: whole"},
        {"collector": "output", "outcome": "truncated", "rows": 4, "capture": "d", "seq": 2, "detail": "task 1: cut"},
    ]
    kernel, output = evidence_of({"collection": rows}).coverage()
    assert (kernel.outcome, kernel.detail, kernel.rows, kernel.drops) == ("failed", "gone", 9, 0)
    assert (kernel.from_ns, kernel.to_ns) == (1001 * SECOND, 1071 * SECOND)
    assert (output.outcome, output.detail, output.rows, output.drops) == ("truncated", "task 1: cut", 7, None)
    assert (output.from_ns, output.to_ns) == (None, None)


def test_a_scan_is_lazy_and_has_a_timestamp(evidence_of):
    ev = evidence_of({"fact_events": EVENTS, "log_lines": [{"text": "x", "ts_ns": 1}]})
    for table in ("fact_events", "log_lines"):
        assert isinstance(ev.scan(table), pl.LazyFrame)
        assert ev.scan(table).collect_schema()["ts"] == pl.Datetime("ns", "UTC")
    assert ev.value("SELECT count(*) FROM fact_events WHERE ts < '2020-01-01'") == 2


def test_thresholds_used_are_remembered(evidence_of):
    ev = evidence_of({})
    assert ev.thresholds_used == ()
    ev.threshold("confidence.decisive")
    assert [row.name for row in ev.thresholds_used] == ["confidence.decisive"]
    with pytest.raises(KeyError):
        ev.threshold("no.such")
