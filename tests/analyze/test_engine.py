"""The engine: unmet needs, bugs of families, claims, coverage, waste; and causes outside the families."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from inquest.analyze import logs
from inquest.analyze.engine import analyze, judge
from inquest.analyze.families import FAMILIES
from inquest.analyze.families.base import CannotDecide, RuledIn, RuledOut, Support
from inquest.analyze.model import Failing, Next
from inquest.analyze.thresholds import THRESHOLDS
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import MemoryStore

HOUR = 3_600_000_000_000


@dataclass
class Fake:
    """A family that answers what it is told to."""

    id: str
    answer: object = None
    needs: tuple = ()
    any_of: tuple = ()
    helps: tuple = ()
    name: str = "fake"

    def judge(self, ev):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer(ev) if callable(self.answer) else self.answer


def out(**more):
    return RuledOut(because="no", would_change_if="yes", **more)


def found(ev, *sqls, **more):
    claims = tuple(
        ev.claim(id=f"mine.{n}", text=f"claim {n}", sql=sql, table="log_lines") for n, sql in enumerate(sqls)
    )
    support = more.pop("support", (Support("logs", "seen", decisive=True),))
    return RuledIn(
        because="seen",
        would_change_if="else",
        headline="It happened.",
        claims=claims,
        support=support,
        attribution="job",
        scope="rank",
        **more,
    )


def entry(verdict, family):
    return next(item for item in verdict.families if item.family == family)


def test_every_family_has_its_entry_in_order(evidence_of):
    verdict = judge(evidence_of({}), strict=True)
    assert [item.family for item in verdict.families] == [family.id for family in FAMILIES]
    assert verdict.outcome == "cannot_decide"
    assert verdict.exit_code == 4


def test_unmet_needs_are_named_with_the_reason_of_the_collector(evidence_of):
    ev = evidence_of(
        {"collection": [{"collector": "nvml", "outcome": "denied", "tables": "gpu_samples", "detail": "no permission"}]}
    )
    families = [Fake("B3", out(), needs=("gpu_samples", "steps")), Fake("C2", out(), any_of=("logs", "exits"))]
    verdict = judge(ev, families=families, strict=True)
    assert entry(verdict, "B3").status == "cannot_decide"
    assert "GPU samples" in entry(verdict, "B3").because
    assert "nvml: denied (no permission)" in entry(verdict, "B3").because
    assert "training progress" in entry(verdict, "B3").because
    assert " or " in entry(verdict, "C2").because
    assert "Captured:" in entry(verdict, "C2").would_change_if


def test_needs_that_are_met_are_not_named(evidence_of):
    ev = evidence_of({"log_lines": [{"text": "x"}]})
    verdict = judge(ev, families=[Fake("C2", out(stores=("logs",)), needs=("logs",), any_of=("logs", "exits"))])
    assert (entry(verdict, "C2").status, entry(verdict, "C2").stores) == ("ruled_out", ("logs",))


def test_a_bug_in_a_family_surfaces_in_tests_and_is_contained_in_use(evidence_of):
    ev = evidence_of({"log_lines": [{"text": "x"}]})
    families = [Fake("A1", ZeroDivisionError("oops")), Fake("B1", lambda e: found(e))]
    with pytest.raises(ZeroDivisionError):
        judge(ev, families=families, strict=True)
    verdict = judge(ev, families=families)
    assert entry(verdict, "A1").status == "cannot_decide"
    assert verdict.family == "B1"
    assert any("A1 could not be judged" in text for text in verdict.warnings)


def test_claims_are_numbered_by_family_and_stated_once(evidence_of):
    ev = evidence_of({"log_lines": [{"text": "x"}]})
    count, least = "SELECT count(*) FROM log_lines", "SELECT min(seq) FROM log_lines"
    families = [
        Fake("A1", lambda e: out(claims=found(e, count, least).claims)),
        Fake("B1", lambda e: found(e, count)),
    ]
    verdict = judge(ev, families=families, strict=True)
    assert [claim.id for claim in verdict.shows] == ["B1.1", "A1.1"]
    assert entry(verdict, "A1").claims == ("B1.1", "A1.1")
    assert verdict.claim("B1.1").value == 1
    with pytest.raises(KeyError):
        verdict.claim("Z9.1")


def test_two_families_may_use_the_same_names_for_their_claims(evidence_of):
    ev = evidence_of({"log_lines": [{"text": "x"}]})
    count, least = "SELECT count(*) FROM log_lines", "SELECT min(seq) FROM log_lines"
    families = [Fake("A1", lambda e: found(e, count)), Fake("B1", lambda e: out(claims=found(e, least).claims))]
    verdict = judge(ev, families=families, strict=True)
    assert entry(verdict, "A1").claims == ("A1.1",)
    assert [verdict.claim(id_).sql for id_ in entry(verdict, "A1").claims] == [count]
    by_sql = {claim.sql: claim.id for claim in verdict.shows}
    assert entry(verdict, "B1").claims == (by_sql[least],)


def test_confidence_grows_with_independent_stores_and_is_capped_for_one(evidence_of):
    ev = evidence_of({"log_lines": [{"text": "x"}]})
    logs, kernel = Support("logs", "a", decisive=True), Support("kernel", "b", decisive=True)
    hint = Support("processes", "c")

    def sure(*support, family="C2", helps=()):
        fake = Fake(family, lambda e: found(e, support=support), helps=helps)
        return judge(ev, families=[fake], strict=True).confidence

    assert sure(logs) == 0.7
    assert sure(logs, logs) == 0.7
    assert sure(logs, family="A1") == 0.8
    assert sure(Support("logs", "behind a status 0", decisive=True, contradicted=True), family="A1") == 0.7
    assert sure(hint) == 0.45
    assert sure(logs, hint) == 0.92
    assert sure(logs, kernel) == 0.98
    assert sure(logs, kernel, helps=("gpus",)) == 0.95
    assert sure(logs, kernel, family="G1", helps=("gpus",)) == 0.7
    assert sure(logs, kernel, family="G1") == 0.98


def test_warnings_of_families_and_missing_ranks_are_kept(evidence_of):
    ev = evidence_of({"log_lines": [{"text": "x"}]})
    families = [
        Fake("A1", out(warnings=("old ECC errors",))),
        Fake("B1", CannotDecide(because="b", missing=("m",), warnings=("old ECC errors", "slow disk"))),
    ]
    assert judge(ev, families=families).warnings == ("old ECC errors", "slow disk")


def test_gpu_hours_only_where_gpus_and_times_are_known(evidence_of):
    node = {"gpu_uuids": "GPU-a,GPU-b", "ts_ns": 0}
    steps = [{"step": 1, "ts_ns": HOUR}, {"step": 9, "ts_ns": 3 * HOUR}]
    exits = [{"said_by": "wrapper", "role": "task", "exit_code": 1, "ts_ns": 4 * HOUR}]
    known = judge(evidence_of({"node_info": [node], "fact_steps": steps, "fact_exits": exits})).waste
    assert (known.gpu_hours_held, known.gpu_hours_productive, known.gpu_hours_lost) == (8.0, 4.0, 4.0)
    unknown = judge(evidence_of({"fact_steps": steps, "fact_exits": exits})).waste
    assert unknown.gpu_hours_held is None
    begun = {"node_info": [node], "fact_exits": exits, "log_lines": [{"text": "x", "ts_ns": 0}]}
    idle = judge(evidence_of(begun)).waste
    assert (idle.gpu_hours_held, idle.gpu_hours_lost) == (8.0, 8.0)
    undated = judge(evidence_of(begun | {"fact_steps": [{"step": 1}, {"step": 9}]})).waste
    assert (undated.gpu_hours_held, undated.gpu_hours_productive, undated.gpu_hours_lost) == (8.0, None, None)


def test_reports_that_bear_the_time_of_a_line_above_lose_no_hours(evidence_of):
    ended = {"node_info": [{"gpu_uuids": "GPU-a,GPU-b", "ts_ns": 0}]}
    ended["fact_exits"] = [{"said_by": "wrapper", "role": "task", "exit_code": 1, "ts_ns": 4 * HOUR}]
    bars = [{"step": n, "ts_ns": HOUR + n // 20 * HOUR // 2} for n in range(60)]
    carried = judge(evidence_of(ended | {"fact_steps": bars})).waste
    assert (carried.gpu_hours_held, carried.gpu_hours_productive, carried.gpu_hours_lost) == (8.0, None, None)
    timed = [{"step": n, "ts_ns": HOUR + n * HOUR // 60} for n in range(61)]
    assert judge(evidence_of(ended | {"fact_steps": timed})).waste.gpu_hours_lost == 6.0


def test_the_bound_of_the_clock_and_the_last_checkpoint_are_filled_in(evidence_of):
    ev = evidence_of(
        {
            "clock_alignment": [{"node": "n0", "bound_ns": 7}],
            "fact_events": [
                {"kind": "checkpoint_saved", "subject": "ckpt-100", "ts_ns": 1, "role": "marker"},
                {"kind": "checkpoint_saved", "subject": "ckpt-200", "ts_ns": 2, "role": "marker"},
            ],
        }
    )
    answer = found(ev, first_failing=Failing(node="n0", ts_ns=9), next=Next("job", "Fix it."))
    verdict = judge(ev, families=[Fake("A1", answer)], strict=True)
    assert verdict.first_failing.bound_ns == 7
    assert verdict.next == Next("job", "Fix it. The last good checkpoint is ckpt-200.", "ckpt-200")


# --- outside the families -------------------------------------------------------------------------------------------
STEP = {"step": 5, "loss": 1.0, "ts_ns": 50}


@pytest.mark.parametrize(
    ("kind", "exits", "sub_mode", "code"),
    [
        ("user_interrupt", [], "user_cancel", 6),
        ("cancelled", [], "user_cancel", 6),
        ("hang_up", [], "hang_up", 6),
        ("planned_exit", [], "planned_signal", 6),
        ("scheduler_term", [], "scheduler_term", 3),
        ("disk_full", [], "disk_full", 3),
        (None, [{"term_signal": 2}], "user_cancel", 6),
        (None, [{"term_signal": 1}], "hang_up", 6),
        (None, [{"exit_code": 130}], "user_cancel", 6),
    ],
)
def test_a_clear_cause_that_no_family_covers(evidence_of, kind, exits, sub_mode, code):
    rows = {"log_lines": [{"text": "x"}], "fact_steps": [STEP], "fact_events": [], "fact_exits": []}
    if kind:
        rows["fact_events"] = [{"kind": kind, "role": "root", "pattern": "p", "text": "it said so", "ts_ns": 60}]
    rows["fact_exits"] = [{"said_by": "wrapper", "role": "task", "ts_ns": 70, **item} for item in exits]
    verdict = judge(evidence_of(rows), strict=True)
    assert (verdict.outcome, verdict.sub_mode, verdict.exit_code) == ("outside_families", sub_mode, code)
    assert verdict.family is None
    assert [claim.id for claim in verdict.shows][:1] == ["OUT.1"]
    assert 0 < verdict.confidence <= 0.92


def test_a_run_that_ended_well_was_not_ended_by_a_signal_it_survived(evidence_of):
    rows = {
        "log_lines": [{"text": "x"}],
        "fact_events": [
            {"kind": "signal_received", "role": "marker", "framework": "inquest", "num": 10.0, "text": "x", "ts_ns": 5}
        ],
        "fact_exits": [{"said_by": "wrapper", "role": "task", "exit_code": 0, "ts_ns": 70}],
    }
    assert judge(evidence_of(rows), strict=True).outcome != "outside_families"


SAVED = [
    {"kind": "checkpoint_saved", "subject": f"ckpt-{n}", "num": float(n), "num_unit": "step", "ts_ns": n, "role": "x"}
    for n in (100, 200)
]


def test_the_last_checkpoint_is_named_with_its_step_in_the_action(evidence_of):
    advice = Next("job", "Resume.")
    verdict = judge(evidence_of({"fact_events": SAVED}), families=[Fake("F3", lambda e: found(e, next=advice))])
    assert verdict.next.last_good_checkpoint == "ckpt-200 (step 200)"
    assert verdict.next.action == "Resume. The last good checkpoint is ckpt-200 (step 200)."


@pytest.mark.parametrize(("own", "named"), [("ckpt-100", "ckpt-100 (step 100)"), (None, None)])
def test_a_checkpoint_saved_after_the_loss_went_bad_is_no_good_one(evidence_of, own, named):
    advice = Next("job", "Restart before it.", own)
    verdict = judge(evidence_of({"fact_events": SAVED}), families=[Fake("E1", lambda e: found(e, next=advice))])
    assert verdict.next.last_good_checkpoint == named
    assert ("None of the 2 reported was saved before it." in verdict.next.action) == (own is None)


def test_a_run_that_something_explains_is_not_healthy_as_well(evidence_of):
    ev = evidence_of({"log_lines": [{"text": "x"}]})
    count = "SELECT count(*) FROM log_lines"
    verdict = judge(ev, families=[Fake("E3", lambda e: found(e)), Fake("G1", lambda e: found(e, count))])
    assert (verdict.family, entry(verdict, "G1").status) == ("E3", "ruled_out")
    assert "E3" in entry(verdict, "G1").because
    assert entry(verdict, "G1").claims == ("G1.1",)
    aside = judge(ev, families=[Fake("D1", lambda e: found(e, explains_end=False)), Fake("G1", lambda e: found(e))])
    assert (aside.family, entry(aside, "G1").status) == ("G1", "ruled_in")


@pytest.mark.parametrize("broken", ["progress", "exits.said", "tracebacks.tracebacks", "exits.summaries", "fields"])
def test_a_bug_in_one_parser_costs_its_facts_and_not_the_verdict(tmp_path, monkeypatch, broken):
    log = tmp_path / "job.log"
    log.write_text(
        "step 1 loss 2.0\nstep 2 loss 1.9\nTraceback (most recent call last):\n"
        '  File "a.py", line 1, in <module>\n    f()\nValueError: x\n'
        "srun: error: n1: task 0: Exited with exit code 1\n"
        "      exitcode  : 1 (pid: 7)\n"
    )

    target, _, name = broken.rpartition(".")
    owner = getattr(logs, target) if target else logs
    real = getattr(owner, name)

    def oops(*args):
        if args and isinstance(args[0], MemoryStore) and not args[0].tables():
            return real(*args)
        raise ZeroDivisionError

    monkeypatch.setattr(owner, name, oops)
    verdict, _ = analyze(import_logs([log]))
    assert any("fault in inquest (ZeroDivisionError)" in text for text in verdict.warnings)
    assert len(verdict.families) == len(FAMILIES)
    assert verdict.confidence <= THRESHOLDS["confidence.misread"].value
    with pytest.raises(ZeroDivisionError):
        analyze(import_logs([log]), strict=True)


@pytest.mark.parametrize("broken", ["progress", "exits.said", None])
def test_a_run_is_not_called_healthy_where_we_failed_to_read_its_log(tmp_path, monkeypatch, broken):
    log = tmp_path / "job.log"
    steps = "".join(f"step {n}/40 loss {2 / n:.4f}\n" for n in range(1, 41))
    log.write_text(f"{steps}Saved the model to out/final.pt\nTraining completed.\n")
    if broken is not None:
        target, _, name = broken.rpartition(".")

        def oops(*_):
            raise ZeroDivisionError

        monkeypatch.setattr(getattr(logs, target) if target else logs, name, oops)
    verdict, _ = analyze(import_logs([log]))
    assert (verdict.family == "G1") == (broken is None)
    assert entry(verdict, "G1").status == ("ruled_in" if broken is None else "cannot_decide")
