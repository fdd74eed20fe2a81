import pytest

from inquest.analyze.evidence import Evidence
from inquest.bundle.store import MemoryStore
from inquest.render import moments
from inquest.render.excerpts import MOST, excerpts
from inquest.render.tables import placement

from . import scenarios


def told(**tables):
    recorded = {name: rows for name, rows in tables.items() if not name.startswith("fact_")}
    facts = {name: rows for name, rows in tables.items() if name.startswith("fact_")}
    return Evidence(MemoryStore.from_rows(recorded), scenarios._facts(facts))


def test_moments_come_in_order_of_time_with_their_row(killed):
    story = moments.tell(killed.evidence)
    assert list(story.moments) == sorted(story.moments, key=lambda m: m.ts_ns)
    assert {m.kind for m in story.moments} == {"error", "follows", "marker", "exit", "signal", "scheduler", "kernel"}
    assert (story.untimed, story.left_out) == (0, 0)


def test_what_has_no_time_is_counted_not_placed():
    rows = [{"node": "n", "role": "root", "kind": "xid", "text": "a", "ts_ns": ts} for ts in (5, None, None)]
    story = moments.tell(told(fact_events=rows))
    assert (len(story.moments), story.untimed) == (1, 2)


def test_a_flood_keeps_the_errors_and_counts_the_rest(monkeypatch):
    monkeypatch.setattr(moments, "MOST_A_KIND", 10)
    rows = [{"node": "n", "role": "cascade", "kind": "peer_lost", "ts_ns": i, "text": "x"} for i in range(50)]
    rows += [{"node": "n", "role": "root", "kind": "xid", "ts_ns": 99, "text": "XID 79"}]
    story = moments.tell(told(fact_events=rows))
    assert (len(story.moments), story.left_out) == (10, 41)
    assert story.moments[-1].text == "xid: XID 79"


def test_what_the_kernel_said_days_before_the_run_is_counted_not_placed():
    """A node's ring holds weeks: the trace would begin with them, and what has no time stands at its begin."""
    day = 86_400 * scenarios.SECOND
    kernel = [{"ts_ns": at, "level": 6, "text": "link is up"} for at in (day, 12 * day)]
    samples = [{"ts_ns": 12 * day + at * scenarios.SECOND} for at in (-5, 60)]
    story = moments.tell(told(kernel_log=kernel, host_samples=samples))
    assert [m.ts_ns for m in story.moments] == [12 * day]
    assert (story.untimed, story.left_out) == (0, 1)


def test_a_handled_exception_is_no_moment():
    rows = [
        {"node": "n", "ts_ns": i, "exc_type": "E", "message": "m", "fatal": fatal}
        for i, fatal in enumerate([True, False])
    ]
    assert [m.text for m in moments.tell(told(fact_exceptions=rows)).moments] == ["E: m"]


@pytest.mark.parametrize(
    ("exit_code", "signal", "text"),
    [
        (1, None, "exit code 1"),
        (None, 9, "killed by SIGKILL"),
        (None, 40, "killed by signal 40"),
        (None, None, "exit code unknown"),
    ],
)
def test_exits_in_words(exit_code, signal, text):
    row = {"node": "n", "ts_ns": 1, "said_by": "slurm", "exit_code": exit_code, "term_signal": signal}
    assert [m.text for m in moments.tell(told(fact_exits=[row])).moments] == [f"{text} (said by slurm)"]


def test_a_pid_used_again_is_another_life():
    base = {"node": "n", "pid": 7, "role": "rank"}
    rows = [
        {**base, "event": "start", "start_mono_ns": 1, "ts_ns": 10, "rank": 0},
        {**base, "event": "exit", "ts_ns": 20, "exit_code": 1},
        {**base, "event": "start", "start_mono_ns": 30, "ts_ns": 40, "rank": 2},
    ]
    first, second = moments.tell(told(processes=rows)).lives
    assert (first.rank, first.begin_ns, first.end_ns, first.outcome) == (0, 10, 20, "exit code 1")
    assert (second.rank, second.begin_ns, second.end_ns, second.outcome) == (2, 40, None, "")


def test_nodes_are_ordered_by_their_lowest_rank(killed):
    rows = [{"node": node, "event": "seen", "rank": rank} for rank, node in enumerate(["b", "b", "a", "a"])]
    where = placement(scenarios.bare().verdict, told(processes=rows))
    assert where.nodes == ("b", "a", "n")
    assert where.ranks_on("a") == (2, 3)


def _log(count):
    return [
        {"node": "n", "source": "s", "seq": i, "rank": 0, "offset": i * 10, "text": f"line {i}", "eol": "lf"}
        for i in range(count)
    ]


def test_an_excerpt_surrounds_what_the_verdict_rests_on():
    event = {"node": "n", "source": "s", "line_seq": 50, "role": "root", "kind": "xid", "rank": 0}
    (excerpt,) = excerpts(scenarios.bare().verdict, told(log_lines=_log(100), fact_events=[event]))
    assert [line.offset for line in excerpt.lines if line.hit] == [500]
    assert excerpt.lines[0].text == "line 42"
    assert excerpt.lines[-1].text == "line 65"
    assert (excerpt.rank, excerpt.source, excerpt.why) == (0, "s", "xid")


def test_near_events_share_an_excerpt_and_excerpts_are_few():
    events = [{"node": "n", "source": "s", "line_seq": i, "role": "root", "kind": "xid"} for i in range(0, 900, 9)]
    found = excerpts(scenarios.bare().verdict, told(log_lines=_log(1000), fact_events=events))
    assert len(found) == MOST
    starts = [excerpt.lines[0].offset for excerpt in found]
    assert len(set(starts)) == len(starts)


def test_a_fact_without_its_line_gives_no_excerpt():
    event = {"node": "n", "source": "gone", "line_seq": 3, "role": "root", "kind": "xid"}
    assert excerpts(scenarios.bare().verdict, told(log_lines=_log(5), fact_events=[event])) == []
