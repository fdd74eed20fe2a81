"""The report as markup: nothing to load, nothing that runs, nothing a log can inject, sound to a screen reader."""

import base64
import hashlib
import itertools
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from inquest.analyze.model import Claim, RowRef
from inquest.render import report, summary

from . import scenarios

VOID = {"meta", "link", "img", "br", "hr", "input", "base"}
MAY_STAND = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "section", "nav", "footer", "a", "span", "p"),
    *("h1", "h2", "h3", "div", "dl", "dt", "dd", "ul", "ol", "li", "strong", "small", "br", "code", "pre", "bdi"),
    *("details", "summary", "table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption"),
    *("svg", "path", "text", "circle", "desc", "script"),
}


class Page(HTMLParser):
    """Elements and text; checks that every element is closed in order."""

    def __init__(self, data: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[tuple[str, str]] = []
        self.feed(data.decode())
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append((self.open[-1] if self.open else "", data))

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]

    @property
    def text(self):
        return " ".join(" ".join(text for tag, text in self.words if tag not in ("style", "script")).split())


@pytest.fixture
def page(case):
    return Page(report.render(case.verdict, case.evidence))


def test_only_known_elements_and_no_handler_stands_in_the_page(page):
    assert {tag for tag, _ in page.elements} <= MAY_STAND
    for tag, attrs in page.elements:
        assert not [name for name in attrs if name.startswith("on") or name in ("style", "srcdoc", "action")], tag


def test_no_url_stands_in_the_page(page, case):
    for tag, attrs in page.elements:
        assert not {"src", "srcset", "data", "poster", "xlink:href", "ping"} & attrs.keys(), tag
        assert attrs.get("href", "#").startswith("#"), tag
        assert "refresh" not in (attrs.get("http-equiv") or "").lower()
        for name, value in attrs.items():
            assert "//" not in (value or ""), (tag, name, value)
    style = "".join(text for tag, text in page.words if tag == "style")
    assert not re.search(r"url\(|@import|@font-face|//|expression", style)
    # Addresses inside log text stay: as text.
    assert "<img" not in report.render(case.verdict, case.evidence).decode()


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_the_policy_allows_its_own_style_and_script_by_digest_and_nothing_else(page):
    (policy,) = [m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    ((_, style),) = [word for word in page.words if word[0] == "style"]
    ((_, script),) = [word for word in page.words if word[0] == "script"]
    parts = ("default-src 'none'", f"style-src {digest(style)}", f"script-src {digest(script)}")
    assert policy == "; ".join((*parts, "base-uri 'none'", "form-action 'none'"))
    assert not re.search(r"https?:|fetch|XMLHttp|WebSocket|sendBeacon|import|localStorage|innerHTML|eval", script)


def test_foreign_text_comes_out_as_the_text_it_is(killed):
    hostile = scenarios.HOSTILE
    verdict = replace(
        killed.verdict,
        headline=hostile,
        family_name=hostile,
        sub_mode=hostile,
        implies=(hostile,),
        warnings=(hostile,),
        families=tuple(replace(e, because=hostile, would_change_if=hostile) for e in killed.verdict.families),
        coverage=tuple(
            replace(c, node=hostile, collector=hostile, detail=hostile) for c in killed.verdict.coverage[:2]
        ),
        shows=(
            Claim("c1", hostile, hostile, hostile, hostile, "log_lines", (RowRef("log_lines", hostile, 1),), hostile),
        ),
        bundle=replace(killed.verdict.bundle, job_id=hostile, nodes=(hostile,), missing_nodes=(hostile,)),
        next=replace(killed.verdict.next, action=hostile, last_good_checkpoint=hostile),
    )
    data = report.render(verdict, killed.evidence)
    page = Page(data)
    assert {tag for tag, _ in page.elements} <= MAY_STAND
    assert page.text.count("<script>alert(1)</script>") > 40
    assert "{{ 7*7 }}" in page.text
    bad = [c for c in data.decode() if not c.isprintable() and c != "\n"]
    assert bad == []


def test_a_screen_reader_finds_its_way(page):
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("main")) == 1
    idents = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(idents) == len(set(idents))
    for attrs in page.all("a"):
        assert attrs["href"][1:] in idents
    for _, attrs in page.elements:
        for ident in (attrs.get("aria-labelledby") or "").split():
            assert ident in idents
    for attrs in page.all("th"):
        assert attrs["scope"] in ("col", "row")
    for attrs in page.all("svg"):
        assert attrs.get("aria-hidden") == "true" or (attrs["role"] == "img" and attrs["aria-labelledby"])
    for _, attrs in page.elements:
        if attrs.get("tabindex"):
            assert attrs["tabindex"] == "0"


def test_every_family_stands_there_with_its_reasons(page, case):
    for entry in case.verdict.families:
        assert entry.family in page.text
        assert entry.because[1:] in page.text
    for word in ("Status", "Because", "Would change if"):
        assert word in page.text


def test_the_first_screen_says_it_all(killed):
    text = Page(report.render(killed.verdict, killed.evidence)).text
    first = text[: text.index("Chain of events")]
    for said in (
        *(
            "A2",
            "Signal kill without traceback",
            "0.86 confidence",
            "rests on logs, kernel, processes",
            "rank 3, node01",
        ),
        *("GPU-00000003", "21:02:10.000 UTC", "± 2 ms", "11.5 of 42 held", "/ckpt/step_100", "Lower num_workers"),
        *("Simulated data", "job 4242, 2 nodes, 4 ranks, 4 GPUs"),
    ):
        assert said in first, said


def test_charts_are_there_for_what_was_captured_and_only_that(killed):
    text = Page(report.render(killed.verdict, killed.evidence)).text
    for title in (
        *("Training loss", "Gradient norm", "Learning rate", "Step time", "GPU memory used", "GPU power"),
        *("GPU temperature", "Host memory available", "Memory charged to the job's cgroup"),
    ):
        assert title in text
    bare = scenarios.bare()
    text = Page(report.render(bare.verdict, bare.evidence)).text
    assert "Training loss" in text
    assert "NaN or infinite from step 4" in text
    assert "GPU memory used" not in text
    assert "No collector ran" in text


def test_a_held_confidence_says_by_what(killed):
    held = replace(killed.verdict, confidence=0.7)
    assert "Held at 0.7: one store alone can be wrong" in Page(report.render(held, killed.evidence)).text
    assert "Held at" not in Page(report.render(killed.verdict, killed.evidence)).text


def test_healthy_names_what_was_not_captured():
    case = scenarios.healthy()
    text = Page(report.render(case.verdict, case.evidence)).text
    assert "No evidence of failure in what was captured. Not captured: nvml, slurm." in text


def test_a_healthy_headline_is_not_said_twice_and_its_cap_says_why():
    from inquest.render.summary import NOTHING_FOUND

    case = scenarios.healthy()
    stores = {"G1": ("logs", "processes")}
    entries = tuple(replace(entry, stores=stores.get(entry.family, ())) for entry in case.verdict.families)
    said = replace(case.verdict, headline=f"{NOTHING_FOUND}: 300 steps were done.", families=entries)
    text = Page(report.render(said, case.evidence)).text
    assert text.count(NOTHING_FOUND) == 1
    assert "Held at 0.7: Not everything in which a failure would show was captured." in text


def test_the_owner_and_where_the_cause_lies_stand_apart(killed):
    text = Page(report.render(replace(killed.verdict, attribution="unknown"), killed.evidence)).text
    assert "Who must act job where the cause lies is not known" in text
    laid_to = replace(killed.verdict, attribution="infrastructure")
    assert (
        "Who must act job the cause lies with the infrastructure" in Page(report.render(laid_to, killed.evidence)).text
    )


def test_the_small_timeline_spans_the_run_with_the_scheduler_and_names_only_what_it_draws(killed):
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import MemoryStore

    failing = killed.verdict.first_failing.ts_ns
    hour = 3600 * scenarios.SECOND
    job = {"node": "node00", "job_id": "4242", "start_ns": failing - hour, "end_ns": failing + scenarios.SECOND}
    jobs = [job | {"state": "RUNNING", "end_ns": None}, job | {"state": "FAILED"}]
    crash = {"node": "node00", "ts_ns": failing, "rank": 0, "exc_type": "RuntimeError", "message": "x", "fatal": True}
    facts = scenarios._facts({"fact_exceptions": [crash]})
    html = report.render(killed.verdict, Evidence(MemoryStore.from_rows({"slurm_jobs": jobs}), facts))
    page = Page(html)
    (drawn,) = re.findall(r'<svg class="lanes".*?</svg>', html.decode(), re.DOTALL)
    assert drawn.count('class="life"') == 1
    assert drawn.index(">Slurm<") < drawn.index(">node00<")
    assert "job by its scheduler" in page.text
    assert "signal received" not in page.text
    assert "signal received" in Page(report.render(killed.verdict, killed.evidence)).text


def test_a_timeline_of_nothing_but_the_verdict_is_none():
    case = scenarios.bare()
    dated = replace(case.verdict, first_failing=replace(case.verdict.first_failing, ts_ns=scenarios.START))
    assert "first failure" not in Page(report.render(dated, case.evidence)).text


def test_log_excerpts_carry_rank_source_and_offset(killed):
    page = Page(report.render(killed.verdict, killed.evidence))
    assert "stderr.3 , node01, rank 3" in page.text
    assert "1520 21:02:06.000" in page.text


def test_a_large_job_stays_small(crowd):
    assert len(report.render(crowd.verdict, crowd.evidence)) <= 2_000_000


def test_a_flood_of_errors_and_collectors_stays_small(crowd):
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Coverage

    errors = [
        {
            "node": f"node{i % 64:02d}",
            "ts_ns": scenarios.START + i * 10**8,
            "role": role,
            "kind": "xid",
            "text": "x" * 500,
        }
        for i in range(40_000)
        for role in ("root", "cascade")
    ]
    facts = scenarios._facts({"fact_events": errors})
    coverage = tuple(Coverage("c", f"n{i}", "failed", None, None, 0, 0, f"reason {i}") for i in range(10_000))
    data = report.render(replace(crowd.verdict, coverage=coverage), Evidence(crowd.evidence.store, facts))
    assert len(data) <= 2_000_000
    text = Page(data).text
    assert "9880 more rows stand in verdict.json" in text
    assert "20,000 events of lesser weight are not drawn" not in text
    assert "events of lesser weight are not drawn" in text


def test_records_that_name_no_node_are_on_none_of_their_own(killed):
    bundle = replace(killed.verdict.bundle, nodes=("unknown", *killed.verdict.bundle.nodes))
    assert summary.subject(replace(killed.verdict, bundle=bundle)) == summary.subject(killed.verdict)


def test_a_cause_outside_the_families_has_its_own_label(killed):
    verdict = replace(killed.verdict, outcome="outside_families", family=None, family_name=None, severity="low")
    text = Page(report.render(verdict, killed.evidence)).text
    assert "Outside the families" in text


def test_coverage_says_how_long_and_how_much(killed):
    page = Page(report.render(killed.verdict, killed.evidence))
    assert "wrapper ok node[00-01] 2 min 55 s 2,400 0" in page.text
    assert "nvml missing node[00-01] 0 not known libnvidia-ml.so.1 not found" in page.text


def test_what_the_run_was_held_against_stands_in_the_provenance(killed):
    other = replace(killed.verdict.bundle, content_digest="d1" * 32, job_id="4090")
    text = Page(report.render(replace(killed.verdict, baseline=other), killed.evidence)).text
    assert f"Held against its baseline job 4090, evidence digest {'d1' * 32}" in text
    assert "its parent" not in text


def test_many_clock_bounds_take_few_lines(killed):
    from inquest.analyze.evidence import Evidence
    from inquest.bundle.store import MemoryStore

    nodes = [{"node": f"n{i:02d}", "bound_ns": 1000 * (i + 1), "method": "wall", "offset_ns": 0} for i in range(64)]
    nodes.append({"node": "lost", "bound_ns": None, "method": "none", "offset_ns": 0})
    store = MemoryStore.from_rows({"clock_alignment": nodes})
    bounds = {row["node"]: row["bound_ns"] for row in nodes}
    evidence = Evidence(replace_info(store, bounds), scenarios._facts({"fact_steps": []}))
    told = report._clocks(evidence)
    assert [bound for bound, _ in told] == [
        *("± 1 µs to 61 µs", "± 62 µs", "± 63 µs", "± 64 µs"),
        "cannot be bounded against other nodes",
    ]
    assert told[0][1] == "n[00-60]"


def replace_info(store, bounds):
    store.info = replace(store.info, offline_bound_ns=bounds)
    return store


def test_the_same_end_of_many_ranks_is_one_line(crowd):
    text = Page(report.render(crowd.verdict, crowd.evidence)).text
    assert "node[00-63] 1-510 follows peer_lost: rank 1: connection closed by peer" in text
    assert "node[00-63] 1-510 exit exit code 1 (said by torchrun)" in text
    assert "left out of the table" not in text


def test_steps_go_on_between_reports_unless_they_stall():
    from inquest.render.lanes import _reported

    second = scenarios.SECOND
    at = [(step, 10 * step) for step in range(1, 30)] + [(60, 600), (61, 610), (62, 2000)]
    rows = [{"node": "n", "rank": 0, "source": "s", "attempt": 0, "step": s, "ts_ns": t * second} for s, t in at]
    frame = scenarios._facts({"fact_steps": rows})["fact_steps"].lazy()
    drawn = {
        bucket
        for _, _, begin, end in _reported(frame, [0], 0, 5 * second).iter_rows()
        for bucket in range(begin, end + 1)
    }
    assert set(range(2, 123)) <= drawn
    assert drawn & set(range(123, 400)) == set()
    assert 400 in drawn
