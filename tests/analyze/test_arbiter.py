"""Chronology before severity: which finding names the run, and what stands in its chain."""

from __future__ import annotations

import itertools

import pytest

from inquest.analyze import arbiter
from inquest.analyze.arbiter import CAUSES, Ruling
from inquest.analyze.families import FAMILIES
from inquest.analyze.families.base import CannotDecide, RuledIn, Support
from inquest.analyze.model import ChainLink, Failing, Missing, Next
from inquest.analyze.outside import Outside

FAMILY_IDS = [family.id for family in FAMILIES]


def ruled(family, onset=None, *, node="n0", rank=None, confidence=0.8, **more):
    finding = RuledIn(
        because=f"{family} because",
        would_change_if="else",
        headline=f"{family} happened.",
        claims=more.pop("claims", ()),
        support=(Support("logs", "x", decisive=True),),
        attribution=more.pop("attribution", "job"),
        scope="rank",
        onset_ns=onset,
        first_failing=Failing(rank=rank, node=node, ts_ns=onset),
        **more,
    )
    return Ruling(family, finding, confidence)


@pytest.fixture
def ev(evidence_of):
    """Two nodes whose clocks agree to 10 ns, and one that cannot be related to them."""
    clocks = [
        {"node": node, "from_mono_ns": 0, "to_mono_ns": 9, "offset_ns": 0, "bound_ns": bound}
        for node, bound in (("n0", 10), ("n1", 10), ("n2", None))
    ]
    return evidence_of({"clock_alignment": clocks})


def decide(ev, *rulings, outside=None, findings=None):
    """The decision, the same for every order in which the findings come."""
    found = {r.family: r.finding for r in rulings} | (findings or {})
    decisions = [arbiter.decide(ev, order, found, outside) for order in itertools.permutations(rulings)]
    first = decisions[0]
    assert all((d.family, d.chain, d.confidence) == (first.family, first.chain, first.confidence) for d in decisions)
    return first


def chain(decision):
    return [(link.family, link.role) for link in decision.chain]


@pytest.mark.parametrize(
    ("first", "then", "named"),
    [
        ("A2", "C2", "C2"),
        ("A1", "C2", "C2"),
        ("B2", "C2", "C2"),
        ("C2", "F3", "C2"),
        ("C3", "F3", "C3"),
        ("C1", "F3", "C1"),
        ("F1", "C2", "F1"),
        ("F2", "E2", "E2"),
        ("E1", "A1", "E1"),
        ("B2", "A1", "B2"),
        ("A2", "A1", "A2"),
        ("C2", "A2", "C2"),
    ],
)
def test_a_trigger_and_its_consequence(ev, first, then, named):
    decision = decide(ev, ruled(first, 100), ruled(then, 900))
    assert (decision.outcome, decision.family) == ("decided", named)
    assert chain(decision) == [(first, "trigger"), (then, "consequence")]
    assert decision.involved[0] == named
    assert set(decision.involved) == {first, then}
    assert decision.warnings == ()


def test_a_lost_peer_then_a_freeze_then_the_time_limit(ev):
    decision = decide(ev, ruled("A2", 100, rank=3), ruled("C2", 200), ruled("F3", 900))
    assert decision.family == "C2"
    assert chain(decision) == [("A2", "trigger"), ("C2", "consequence"), ("F3", "consequence")]
    assert decision.first_failing.rank == 3


@pytest.mark.parametrize(("later_s", "links"), [(20, ["B2", "C2"]), (900, ["C2"])])
def test_a_lost_gpu_stopped_those_that_samples_show_still_just_before(ev, later_s, links):
    decision = decide(ev, ruled("C2", 10**9), ruled("B2", (1 + later_s) * 10**9, node="n1"))
    assert decision.family == "C2"
    assert [link.family for link in decision.chain] == links


def test_the_kill_that_ended_the_run_names_it(ev):
    assert decide(ev, ruled("A2", 100)).family == "A2"


def test_what_came_later_and_does_not_follow_is_a_warning(ev):
    decision = decide(ev, ruled("E1", 100), ruled("B1", 900))
    assert decision.family == "E1"
    assert chain(decision) == [("E1", "trigger")]
    assert decision.warnings == ("B1: B1 happened.",)
    assert decision.confidence == 0.8


def test_chronology_beats_severity(ev):
    decision = decide(ev, ruled("E1", 100, severity="low"), ruled("B2", 900, severity="high"))
    assert decision.family == "E1"


@pytest.mark.parametrize("slow", ["B3", "D1", "D2", "D3", "E3"])
def test_a_slow_run_is_named_by_what_ended_it(ev, slow):
    decision = decide(ev, ruled(slow, 100), ruled("A2", 900))
    assert decision.family == "A2"
    assert chain(decision) == [("A2", "trigger")]
    assert decision.warnings == (f"{slow}: {slow} happened.",)


def test_a_time_limit_that_a_slow_run_met_does_not_name_it(ev):
    assert decide(ev, ruled("D2", 100), ruled("F3", 900)).family == "D2"


def test_a_known_consequence_that_came_first_is_no_consequence(ev):
    decision = decide(ev, ruled("A2", 900), ruled("E1", 950))
    assert decision.family == "A2"
    assert chain(decision) == [("A2", "trigger")]


def test_a_crash_after_a_freeze_began_is_its_consequence(ev):
    decision = decide(ev, ruled("A2", 900), ruled("C2", 100))
    assert decision.family == "C2"
    assert chain(decision) == [("C2", "trigger"), ("A2", "consequence")]


def test_order_between_nodes_counts_only_beyond_the_clock_bounds(ev):
    clear = decide(ev, ruled("B1", 100, node="n0"), ruled("E1", 130, node="n1"))
    assert (clear.family, clear.confidence) == ("B1", 0.8)
    blurred = decide(ev, ruled("B1", 100, node="n0"), ruled("E1", 115, node="n1"))
    assert blurred.confidence == 0.6
    unbounded = decide(ev, ruled("B1", 100, node="n0"), ruled("E1", 10**9, node="n2"))
    assert unbounded.confidence == 0.6


def test_without_clocks_the_line_in_the_source_orders(evidence_of):
    ev = evidence_of(
        {
            "fact_events": [
                {"seq": 0, "kind": "exception", "source": "a.log", "line_seq": 90},
                {"seq": 1, "kind": "cuda_oom", "source": "a.log", "line_seq": 10},
            ]
        }
    )

    def claims(seq):
        return (
            ev.claim(
                id="X.1",
                text="t",
                sql="SELECT count(*) FROM fact_events",
                table="fact_events",
                rows=ev.rows("fact_events", f"seq = {seq}"),
            ),
        )

    decision = decide(ev, ruled("E1", claims=claims(0)), ruled("B1", claims=claims(1)))
    assert (decision.family, decision.confidence) == ("B1", 0.8)


def test_a_recovered_error_is_no_cause(ev):
    decision = decide(ev, ruled("A1", 100, explains_end=False), ruled("B1", 900))
    assert decision.family == "B1"
    assert decision.warnings == ("A1: A1 happened.",)
    alone = decide(ev, ruled("A1", 100, explains_end=False))
    assert alone.outcome == "cannot_decide"


def test_health_never_beats_a_failure_and_keeps_what_recovered_as_a_warning(ev):
    assert decide(ev, ruled("G1"), ruled("E3", 100)).family == "E3"
    healthy = decide(ev, ruled("G1"), ruled("D1", 100, explains_end=False))
    assert (healthy.family, healthy.warnings) == ("G1", ("D1: D1 happened.",))


def test_nothing_found_is_cannot_decide_and_names_what_is_missing(ev):
    lacks = CannotDecide(because="lacks logs", missing=("the job's output",))
    decision = decide(ev, findings={"A1": lacks, "B1": lacks})
    assert (decision.outcome, decision.family, decision.confidence) == ("cannot_decide", None, 0.0)
    assert Missing("Whether A1 or B1 happened.", "the job's output") in decision.cannot_decide
    assert any("exit status" in item.missing for item in decision.cannot_decide)


def test_an_exit_without_progress_is_not_health(evidence_of):
    ev = evidence_of({"fact_exits": [{"said_by": "wrapper", "role": "task", "exit_code": 0, "ts_ns": 5}]})
    decision = decide(ev)
    assert decision.outcome == "cannot_decide"
    assert "exit code 0" in decision.headline


def cancelled(onset, **more):
    return Outside(ruled("", onset, sub_mode="user_cancel", **more).finding, 0.7, ())


def test_a_cause_outside_the_families(ev):
    decision = decide(ev, outside=cancelled(100))
    assert (decision.outcome, decision.family, decision.sub_mode) == ("outside_families", None, "user_cancel")
    assert chain(decision) == [(None, "trigger")]


def test_a_cancel_before_everything_else_wins_and_after_it_does_not(ev):
    assert decide(ev, ruled("A1", 200), outside=cancelled(100)).outcome == "outside_families"
    later = decide(ev, ruled("C2", 100), outside=cancelled(200))
    assert (later.outcome, later.family) == ("decided", "C2")
    unordered = decide(ev, ruled("C2"), outside=cancelled(200))
    assert unordered.family == "C2"


def test_a_traceback_of_a_full_disk_is_the_full_disk(ev):
    disk = Outside(ruled("", 100, sub_mode="disk_full").finding, 0.7, ("A1",))
    assert decide(ev, ruled("A1", 100), outside=disk).sub_mode == "disk_full"
    assert decide(ev, ruled("A1", 50), outside=disk).family == "A1"


def test_a_family_may_know_a_trigger_that_no_other_family_ruled_in(ev):
    lost = ChainLink("A2", "trigger", 50, "Rank 3 was killed.", rank=3)
    decision = decide(ev, ruled("C2", 100, chain=(lost,)))
    assert decision.family == "C2"
    assert chain(decision) == [("A2", "trigger"), ("C2", "consequence")]


def test_attribution_of_a_consequence_without_one_is_its_trigger_s(ev):
    decision = decide(
        ev,
        ruled("B2", 100, attribution="infrastructure"),
        ruled("C2", 200, attribution="unknown", next=Next(None, "x")),
    )
    assert decision.attribution == "infrastructure"


def test_the_table_of_causes_speaks_of_families_only():
    assert {family for pair in CAUSES for family in pair} <= set(FAMILY_IDS)
    assert all(a != b for a, b in CAUSES)


@pytest.mark.parametrize("pair", list(itertools.combinations(FAMILY_IDS[:-1], 2)))
def test_any_two_findings_are_decided_with_and_without_clocks(ev, pair):
    for onsets in ((100, 200), (None, None), (100, None)):
        decision = decide(ev, *(ruled(family, onset) for family, onset in zip(pair, onsets, strict=True)))
        assert decision.family in pair
