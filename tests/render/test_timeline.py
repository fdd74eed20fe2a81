"""The timeline as the real Perfetto trace processor reads it (see trace_processor.py)."""

from pathlib import Path

import pytest

from inquest.render import timeline
from inquest.render.rates import TOLD_BY_DRIVER
from inquest.render.timeline import canvas

from . import scenarios
from .trace_processor import Unavailable, open_trace


def opened(case):
    try:
        return open_trace(timeline.render(case.verdict, case.evidence))
    except Unavailable as why:
        pytest.skip(str(why))


def rows(trace, sql):
    return [tuple(vars(row).values()) for row in trace.query(sql)]


@pytest.fixture(scope="module")
def trace(killed):
    return opened(killed)


def sound(trace):
    """Nothing was refused, nothing lost its name, no arrow ends nowhere."""
    assert rows(trace, "select name, value from stats where severity in ('error', 'data_loss') and value > 0") == []
    assert rows(trace, "select id from slice where name is null or category is null") == []
    assert rows(trace, "select id from flow where slice_out is null or slice_in is null") == []
    assert rows(trace, "select id from process where upid > 0 and name is null") == []


def test_the_driver_sees_a_broken_trace():
    """Negative control: a reading on a counter that was never declared is an import error."""
    from inquest.render.perfetto import TraceWriter

    writer = TraceWriter(scenarios.START)
    writer.count(99, scenarios.START, 1.0)
    try:
        trace = open_trace(writer.finish())
    except Unavailable as why:
        pytest.skip(str(why))
    bad = rows(trace, "select name from stats where severity in ('error', 'data_loss') and value > 0")
    assert bad == [("track_event_counter_invalid_track_uuid",)]


def test_every_case_imports_without_an_error(case):
    sound(opened(case))


def test_a_process_a_node_and_a_group_a_rank_in_order(trace):
    assert rows(trace, "select name from process where upid > 0 order by pid") == [("node00",), ("node01",)]
    ranks = rows(
        trace,
        "select p.name as node, t.name as rank from process_track t join process p using (upid)"
        " join track g on t.parent_id = g.id where g.name = 'Ranks'"
        " order by p.pid, extract_arg(t.source_arg_set_id, 'sibling_order_rank')",
    )
    assert ranks == [("node00", "rank 0"), ("node00", "rank 1"), ("node01", "rank 2"), ("node01", "rank 3")]


def test_steps_are_slices_between_reports(trace):
    found = rows(
        trace,
        "select t.name, count(*) from slice s join track t on s.track_id = t.id"
        " where s.category = 'step' and s.name glob 'step [0-9]*' and s.dur > 0 group by t.name order by t.name",
    )
    assert found == [("rank 0 steps", 119), ("rank 1 steps", 119), ("rank 2 steps", 119), ("rank 3 steps", 117)]
    loss = rows(
        trace,
        "select extract_arg(arg_set_id, 'debug.loss') from slice where name = 'step 2' and"
        " extract_arg(arg_set_id, 'debug.loss') is not null",
    )
    assert loss == [(pytest.approx(scenarios._loss(2)),)]


def test_what_never_returned_stays_open(trace):
    """Rank 0 was never seen to end; the ranks that were are closed."""
    found = rows(
        trace,
        "select t.name as track, s.name from slice s join track t on s.track_id = t.id where s.dur < 0 order by 2",
    )
    assert ("rank 0 steps", "after step 120") in found
    assert len(found) == 2
    assert [name for _, name in found] == ["after step 120", "rank alive"]


def test_events_are_instants_with_their_text_and_row(trace):
    counts = dict(rows(trace, "select category, count(*) from slice where dur = 0 group by category"))
    wanted = {"error": 1, "follows": 2, "exit": 3, "signal": 1, "marker": 1, "kernel": 1, "scheduler": 2}
    assert {kind: counts.get(kind) for kind in wanted} == wanted
    text, table = rows(
        trace,
        "select extract_arg(arg_set_id, 'debug.text'), extract_arg(arg_set_id, 'debug.table') from slice"
        " where category = 'exit' and name like '%SIGKILL%'",
    )[0]
    assert (text, table) == ("killed by SIGKILL (said by wrapper)", "fact_exits")


def test_arrows_lead_from_the_trigger_to_what_followed(trace):
    found = rows(
        trace,
        "select a.name as trigger, b.name as follows, b.ts - a.ts as gap from flow f join slice a on f.slice_out = a.id"
        " join slice b on f.slice_in = b.id order by a.ts",
    )
    assert [gap // scenarios.SECOND for _, _, gap in found] == [30, 15]
    assert found[0][0].startswith("trigger: cgroup limit reached")
    where = rows(
        trace,
        "select t.name from flow f join slice a on f.slice_out = a.id join track t on a.track_id = t.id order by a.ts",
    )
    assert where == [("rank 3 events",), ("rank 0 events",)]


def test_the_verdict_and_its_claims_are_instants_with_ids(trace, killed):
    claims = rows(
        trace,
        "select extract_arg(arg_set_id, 'debug.claim'), extract_arg(arg_set_id, 'debug.families'), ts from slice"
        " where category = 'claim' order by 1",
    )
    death = killed.verdict.first_failing.ts_ns
    assert claims[:2] == [("c1", "A2", death), ("c2", "A2", death)]
    assert len(claims) == len(killed.verdict.shows)
    untimed = rows(
        trace,
        "select extract_arg(arg_set_id, 'debug.time') from slice where name = 'claim c3'",
    )
    assert untimed == [("not captured: drawn at the begin of the trace",)]
    assert rows(trace, "select name, ts from slice where category = 'verdict'") == [
        ("A2 Signal kill without traceback (cgroup_oom)", death)
    ]


def test_what_a_claim_rests_on_carries_its_id(trace, killed):
    found = rows(
        trace,
        "select category, extract_arg(arg_set_id, 'debug.table'), extract_arg(arg_set_id, 'debug.claims') from slice"
        " where extract_arg(arg_set_id, 'debug.claims') is not null order by category",
    )
    assert found == [
        ("exit", "fact_exits", "c1"),
        ("kernel", "kernel_log", "c2"),
        ("verdict", None, "c1 c2 c3 c4"),
    ]


def test_the_trace_says_where_it_comes_from(trace, killed):
    keys = ("tool_version", "content_digest", "clock_bound_ns", "thinned")
    found = rows(
        trace,
        f"select {', '.join(f'''extract_arg(arg_set_id, 'debug.{key}')''' for key in keys)} from slice"
        " where name = 'about this trace'",
    )
    assert found == [("0.1.0", killed.verdict.bundle.content_digest, 2_000_000, "nothing")]
    assert rows(trace, "select count(*) from track where name = 'Verdict (simulated data)'") == [(1,)]


def test_counters_carry_units_and_values(trace):
    found = dict(
        rows(
            trace,
            "select t.name, max(c.value) from counter c join counter_track t on c.track_id = t.id group by t.name",
        )
    )
    assert found["step_0 cgroup memory used"] == 256 * scenarios.GIB
    assert found["GPU 0 temperature"] == 66.0
    units = dict(rows(trace, "select name, unit from counter_track"))
    assert units["GPU 0 power"] == "W"


def test_times_are_wall_clock(trace, killed):
    assert rows(trace, "select start_ts, end_ts from trace_bounds") == [(scenarios.START, killed.verdict.bundle.end_ns)]


def test_hostile_names_are_harmless(trace):
    names = [
        name for (name,) in rows(trace, "select name from slice union select name from track where name is not null")
    ]
    assert all(char.isprintable() for name in names for char in name)


def test_calls_in_flight_stay_open_on_the_clock_of_the_run(killed):
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import MemoryStore

    call = {"node": "node00", "rank": 1, "pid": 4001, "api": "ncclAllReduce", "coll_seq": 77}
    call |= {"ts_ns": scenarios.START + 10**9, "ts_mono_ns": 50, "since_mono_ns": 20}
    facts = {table: killed.evidence.facts(table) for table in ("fact_steps", "fact_exits")}
    store = MemoryStore.from_rows({"inflight_calls": [call]})
    trace = opened(scenarios.Case(killed.verdict, Evidence(store, facts)))
    found = rows(trace, "select name, ts, dur from slice where category = 'in_flight'")
    assert found == [("ncclAllReduce", scenarios.START + 10**9 - 30, -1)]


def test_a_restarted_rank_that_was_seen_to_end_once_is_open_the_second_time(killed):
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import MemoryStore

    second = scenarios.SECOND
    steps = [
        {
            "node": "n",
            "seq": i,
            "rank": 0,
            "attempt": a,
            "source": "s",
            "step": s,
            "ts_ns": scenarios.START + t * second,
        }
        for i, (a, s, t) in enumerate([(0, 1, 1), (0, 2, 2), (1, 1, 60), (1, 2, 61)])
    ]
    exits = [{"node": "n", "rank": 0, "ts_ns": scenarios.START + 9 * second, "said_by": "torchrun", "exit_code": 1}]
    facts = scenarios._facts({"fact_steps": steps, "fact_exits": exits})
    trace = opened(scenarios.Case(killed.verdict, Evidence(MemoryStore.from_rows({"host_samples": []}), facts)))
    found = rows(trace, "select dur from slice where name = 'after step 2' order by ts")
    assert found == [(7 * second,), (-1,)]


def test_a_phase_is_a_slice_only_where_the_log_says_that_it_ended(killed):
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import MemoryStore

    kinds = (
        "rendezvous_start",
        "rendezvous_done",
        "checkpoint_save_begin",
        "checkpoint_saved",
        "checkpoint_save_begin",
    )
    events = [
        {"node": "n", "rank": 0, "source": "s", "role": "marker", "kind": kind, "ts_ns": scenarios.START + at}
        for at, kind in enumerate(kinds)
    ]
    facts = scenarios._facts({"fact_events": events})
    trace = opened(scenarios.Case(killed.verdict, Evidence(MemoryStore.from_rows({"host_samples": []}), facts)))
    found = rows(trace, "select name, dur from slice where category = 'phase' order by ts")
    assert found == [("rendezvous", 1), ("checkpoint save", 1)]
    assert rows(trace, "select count(*) from slice where category = 'marker'") == [(5,)]


def test_an_attempt_whose_end_nobody_saw_is_closed_by_the_next(killed):
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import MemoryStore

    start = scenarios.START
    steps = [
        {"node": "n", "rank": 0, "attempt": attempt, "source": "s", "step": step, "ts_ns": start + at}
        for attempt, step, at in [(0, 1, 10), (0, 2, 20), (1, 1, 50), (1, 2, 60)]
    ]
    alive = [{"node": "n", "rank": 0, "role": "rank", "event": "seen", "pid": 7, "ts_ns": start}]
    store = MemoryStore.from_rows({"processes": alive})
    trace = opened(scenarios.Case(killed.verdict, Evidence(store, scenarios._facts({"fact_steps": steps}))))
    assert rows(trace, "select dur from slice where name = 'after step 2' order by ts") == [(30,), (-1,)]


def test_two_logs_of_one_rank_do_not_cut_each_other(killed):
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import MemoryStore

    steps = [
        {
            "node": "n",
            "rank": 0,
            "attempt": 0,
            "source": source,
            "step": step,
            "ts_ns": scenarios.START + step * 10 + late,
        }
        for source, late in (("out", 0), ("copy", 3))
        for step in range(1, 6)
    ]
    facts = scenarios._facts({"fact_steps": steps})
    trace = opened(scenarios.Case(killed.verdict, Evidence(MemoryStore.from_rows({"host_samples": []}), facts)))
    found = rows(
        trace, "select dur, depth, count(*) as n from slice where category = 'step' and dur > 0 group by dur, depth"
    )
    assert found == [(10, 0, 8)]


def test_thinning_is_stated_and_keeps_extremes(killed, monkeypatch):
    monkeypatch.setattr(canvas, "MOST_STEPS", 100)
    monkeypatch.setattr(canvas, "MOST_READINGS", 600)
    trace = opened(killed)
    sound(trace)
    (said,) = rows(trace, "select extract_arg(arg_set_id, 'debug.thinned') from slice where name = 'about this trace'")[
        0
    ]
    assert "of 478 step reports every 5th of a rank is drawn" in said
    assert "power: least and greatest reading of every" in said
    assert rows(
        trace,
        "select max(value) from counter c join counter_track t on c.track_id = t.id"
        " where t.name = 'step_0 cgroup memory used'",
    ) == [(256 * scenarios.GIB,)]
    assert rows(trace, "select count(*) from slice where name = 'steps 1-5' or name = 'steps 2-6'")[0][0] == 4


def test_a_verdict_without_any_time_says_so():
    trace = opened(scenarios.bare())
    time = rows(trace, "select extract_arg(arg_set_id, 'debug.time') from slice where category = 'verdict'")
    assert time == [("not captured: drawn at the begin of the trace",)]


def test_bytes_do_not_depend_on_the_order_of_rows(killed):
    from inquest.analyze.evidence import Evidence

    class Shuffled:
        def __init__(self, store):
            self.store = store
            self.info = store.info

        def tables(self):
            return self.store.tables()

        def scan(self, table):
            return self.store.scan(table).collect().sample(fraction=1.0, shuffle=True, seed=7).lazy()

    facts = {table: killed.evidence.facts(table) for table in ("fact_steps", "fact_exits", "fact_events")}
    straight = Evidence(killed.evidence.store, facts)
    shuffled = Evidence(Shuffled(killed.evidence.store), facts)
    assert timeline.render(killed.verdict, straight) == timeline.render(killed.verdict, shuffled)


def test_512_ranks(crowd):
    trace = opened(crowd)
    sound(trace)
    assert rows(trace, "select count(*) from track where name glob 'rank [0-9]*' and name not glob 'rank * *'") == [
        (512,)
    ]


# --- collectives, spans, stacks, counters of ranks, from rows made by hand -------------------------------------------


def drawn(killed, **tables):
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import MemoryStore

    where = [
        {
            "node": f"node0{rank}",
            "rank": rank,
            "role": "rank",
            "event": "seen",
            "pid": 70 + rank,
            "ts_ns": scenarios.START,
        }
        for rank in range(3)
    ]
    store = MemoryStore.from_rows({"processes": where, **tables})
    trace = opened(scenarios.Case(killed.verdict, Evidence(store, scenarios._facts({"fact_steps": []}))))
    sound(trace)
    return trace


def recorded(rank, number, at, *, end, **more):
    row = {
        "node": f"node0{rank}",
        "rank": rank,
        "comm": "0",
        "comm_desc": "default_pg",
        "comm_size": 3,
        "op": "nccl:all_reduce",
    }
    ts_ns = scenarios.START + at
    times = {
        "ts_ns": ts_ns,
        "enqueue_ns": ts_ns - 500,
        "complete_ns": None if end is None else scenarios.START + end - 500,
    }
    return {**row, **times, "coll_seq": number, "state": "scheduled" if end is None else "completed", **more}


def test_a_collective_is_joined_across_ranks_and_open_where_it_was(killed):
    rows_of = [recorded(rank, 1, 10 * rank, end=100) for rank in range(3)]
    rows_of += [recorded(rank, 2, 200 + rank, end=None) for rank in range(2)]
    trace = drawn(killed, flight_recorder=rows_of)
    found = rows(trace, "select name, ts, dur from slice where category = 'collective' order by ts")
    start = scenarios.START
    assert found == [
        ("nccl:all_reduce #1", start, 100),
        ("nccl:all_reduce #1", start + 10, 90),
        ("nccl:all_reduce #1", start + 20, 80),
        ("nccl:all_reduce #2", start + 200, -1),
        ("nccl:all_reduce #2", start + 201, -1),
    ]
    arrows = rows(
        trace,
        "select a.ts as a, b.ts as b from flow f join slice a on f.slice_out = a.id join slice b on f.slice_in = b.id"
        " where a.category = 'collective' order by a.ts",
    )
    assert [(a - start, b - start) for a, b in arrows] == [(0, 10), (10, 20), (200, 201)]
    (names,) = zip(
        *rows(
            trace,
            "select distinct t.name from slice s join track t on s.track_id = t.id where s.category = 'collective'",
        ),
        strict=True,
    )
    assert sorted(names) == [f"rank {rank} collectives default_pg" for rank in range(3)]


def test_an_enqueued_collective_is_not_drawn_as_done(killed):
    call = {"node": "node00", "rank": 0, "comm": "0xabc", "op": "AllReduce", "coll_seq": 7, "bytes": 4096, "pid": 70}
    call |= {"ts_ns": scenarios.START + 50, "ts_mono_ns": 1050, "enqueue_mono_ns": 1050, "duration_ns": 20}
    trace = drawn(killed, nccl_collectives=[call, call | {"coll_seq": 8, "complete_mono_ns": 1200}])
    found = rows(
        trace,
        "select name, ts, dur, extract_arg(arg_set_id, 'debug.ends_with'), extract_arg(arg_set_id, 'debug.bytes')"
        " from slice where category = 'collective' order by name",
    )
    assert found == [
        ("AllReduce #7", scenarios.START + 50, 20, "return of the call; completion was not captured", 4096),
        ("AllReduce #8", scenarios.START + 50, 150, "completion", 4096),
    ]


def test_too_many_collectives_keep_the_same_numbers_of_all_ranks_and_the_last(killed, monkeypatch):
    monkeypatch.setattr(canvas, "MOST_COLLECTIVES", 200)
    calls = [
        recorded(rank, number, 100 * number + rank, end=100 * number + 50)
        for rank in range(3)
        for number in range(1, 401)
    ]
    calls.append(recorded(0, 401, 50_000, end=None))
    trace = drawn(killed, flight_recorder=calls)
    found = rows(trace, "select name, count(*), min(dur) from slice where category = 'collective' group by name")
    numbers = {int(name.rpartition("#")[2]): count for name, count, _ in found}
    assert numbers.pop(401) == 1
    assert numbers.pop(381) == 2  # among the last twenty of the ranks that are one behind
    assert set(range(382, 401)) < set(numbers)
    assert set(numbers.values()) == {3}
    assert len(numbers) < 60
    said = rows(trace, "select extract_arg(arg_set_id, 'debug.thinned') from slice where name = 'about this trace'")
    assert "of 1,201 collectives" in said[0][0]


def test_profiler_spans_nest_on_their_threads_and_streams(killed):
    def span(name, at, took, **more):
        return {"node": "node01", "rank": 1, "pid": 71, "tid": 9, "name": name, "category": "cpu_op"} | {
            "ts_ns": scenarios.START + at,
            "duration_ns": took,
            **more,
        }

    spans = [span("outer", 0, 100), span("inner", 10, 20), span("inner", 30, 70), span("cuts", 90, 50)]
    spans.append(span("gemm", 20, 40, tid=None, cuda_device=0, cuda_stream=7, category="kernel"))
    trace = drawn(killed, trace_spans=spans)
    found = rows(
        trace,
        "select s.name, s.ts, s.dur, s.depth, t.name as track from slice s join track t on s.track_id = t.id"
        " where t.name like '% profiler: %' order by s.ts, s.depth",
    )
    start = scenarios.START
    assert found == [
        ("outer", start, 100, 0, "rank 1 profiler: thread 9"),
        ("inner", start + 10, 20, 1, "rank 1 profiler: thread 9"),
        ("gemm", start + 20, 40, 0, "rank 1 profiler: GPU 0 stream 7"),
        ("inner", start + 30, 70, 1, "rank 1 profiler: thread 9"),
        ("cuts", start + 90, 50, 0, "rank 1 profiler: thread 9"),
    ]


def test_a_stack_is_an_instant_with_its_lines(killed):
    look = {"node": "node02", "capture": "c", "pid": 72, "tid": 72, "rank": 2, "stack_id": 5, "reason": "stall"}
    stack = {
        "node": "node02",
        "capture": "c",
        "stack_id": 5,
        "kind": "python",
        "text": "read at data.py:7\nmain at train.py:3",
    }
    trace = drawn(killed, stack_samples=[look | {"ts_ns": scenarios.START + 5}], stacks=[stack])
    found = rows(trace, "select name, extract_arg(arg_set_id, 'debug.stack') from slice where category = 'stack'")
    assert found == [("read at data.py:7", "read at data.py:7 < main at train.py:3")]


def test_what_counts_up_is_drawn_as_a_rate_and_a_reset_as_nothing(killed):
    def net(at, received):
        return {
            "node": "node00",
            "interface": "ib0",
            "ts_ns": scenarios.START + at * scenarios.SECOND,
            "rx_bytes": received,
        }

    trace = drawn(killed, net_samples=[net(0, 1000), net(2, 5000), net(3, 100), net(4, 600)])
    found = rows(
        trace, "select t.name, c.ts, c.value from counter c join counter_track t on c.track_id = t.id order by c.ts"
    )
    start = scenarios.START
    assert found == [
        ("ib0 received", start + 2 * scenarios.SECOND, 2000.0),
        ("ib0 received", start + 4 * scenarios.SECOND, 500.0),
    ]


def launched(killed, said):
    """A tick in which the driver's launches hold those of the runtime, as long as probes stand on both."""

    def calls(api, at, **more):
        return {"node": "node01", "capture": "c", "rank": 1, "pid": 71, "api": api, "duration_ns": scenarios.SECOND} | {
            "ts_ns": scenarios.START + at * scenarios.SECOND,
            **more,
        }

    rows_of = [calls("cuLaunchKernel", 1, count=1000), calls("cudaLaunchKernel", 1, count=900)]
    rows_of += [calls("cudaStreamSynchronize", 1, count=2, total_ns=scenarios.SECOND // 4)]
    rows_of += [calls("cudaMemcpyAsync", 1, count=1, bytes=4096, direction="h2d")]
    told = [{"node": "node01", "capture": "c", "collector": "cuda_calls", "outcome": "ok", "detail": said}]
    return rows(
        drawn(killed, cuda_calls=rows_of, collection=told),
        "select t.name, c.value from counter c join counter_track t on c.track_id = t.id order by t.name",
    )


def test_calls_are_counted_under_their_rank_and_each_launch_once(killed):
    others = [("rank 1 CUDA copies", 4096.0), ("rank 1 time in CUDA waits", 0.25)]
    at_driver = f"backend rawbpf; {TOLD_BY_DRIVER}; 0 calls or records lost in the kernel"
    assert sorted(launched(killed, at_driver)) == sorted([*others, ("rank 1 kernel launches", 1000.0)])
    assert sorted(launched(killed, "backend rawbpf")) == sorted([*others, ("rank 1 kernel launches", 1900.0)])


def test_recorders_say_where_launches_are_counted_in_the_words_that_views_know():
    from inquest.capture.ebpf import calls

    assert TOLD_BY_DRIVER in Path(calls.__file__).read_text()


def test_the_whole_stays_below_a_million_events():
    slices = canvas.MOST_STEPS + canvas.MOST_COLLECTIVES + canvas.MOST_SPANS
    assert 2 * slices + canvas.MOST_READINGS + canvas.MOST_INSTANTS < 1_000_000
