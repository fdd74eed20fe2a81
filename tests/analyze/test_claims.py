"""Claims point at recorded lines, and do not survive a change of what they rest on."""

from __future__ import annotations

import json

import polars as pl
import pytest

from inquest.analyze.claims import cited_row, read_claims, wrong_with
from inquest.analyze.engine import analyze
from inquest.analyze.evidence import Evidence
from inquest.bundle.errors import InputError
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import MemoryStore

LOG = """\
step 1 loss 2.5
step 2 loss 2.4
Traceback (most recent call last):
  File "/work/train.py", line 9, in <module>
    main()
  File "/work/data.py", line 4, in main
    return rows[9]
IndexError: list index out of range
srun: error: n1: task 0: Exited with exit code 1
"""


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    path = tmp_path_factory.mktemp("claims") / "slurm-1.out"
    path.write_text(LOG)
    return analyze(import_logs([path]), strict=True)


def lines_of(verdict):
    return {row for claim in verdict.shows for row in claim.rows if row.table == "log_lines"}


def changed(evidence, change):
    """A store of the same lines after ``change``."""
    return MemoryStore({"log_lines": change(evidence.store.scan("log_lines").drop("ts").collect())})


def test_a_claim_about_a_fact_names_the_line_it_was_read_from(judged):
    verdict, evidence = judged
    facts = [c for c in verdict.shows if any(row.table == "fact_exceptions" for row in c.rows)]
    assert facts
    for claim in facts:
        cited = [cited_row(evidence, row) for row in claim.rows if row.table == "log_lines"]
        assert cited
        assert all(row["capture"].startswith("import-") for row in cited)
    texts = {cited_row(evidence, row)["text"] for row in lines_of(verdict)}
    assert "IndexError: list index out of range" in texts or "Traceback (most recent call last):" in texts


def test_every_claim_holds_on_the_evidence_it_was_made_of(judged):
    verdict, evidence = judged
    assert [problem for claim in verdict.shows for problem in wrong_with(claim, evidence)] == []


def test_no_cited_line_can_be_altered_or_removed_unseen(judged):
    verdict, evidence = judged
    digest = MemoryStore({"log_lines": evidence.store.scan("log_lines").drop("ts").collect()}).info.content_digest
    for row in lines_of(verdict):
        here = pl.col("seq") == row.seq
        gone = changed(evidence, lambda frame, here=here: frame.filter(~here))
        text = pl.when(here).then(pl.lit("all is well")).otherwise("text").alias("text")
        other = changed(evidence, lambda frame, text=text: frame.with_columns(text))
        assert len({digest, gone.info.content_digest, other.info.content_digest}) == 3
        problems = [p for claim in verdict.shows for p in wrong_with(claim, Evidence(gone))]
        assert any(f"row {row.seq} of log_lines" in problem for problem in problems)


def test_a_line_that_two_recordings_of_a_node_may_mean_is_not_guessed():
    rows = [{"capture": c, "seq": 0, "text": "Killed", "ts_ns": t, "node": "n"} for c, t in (("a", 1), ("b", 2))]
    exits = pl.DataFrame({"node": ["n"], "seq": [0], "ts_ns": [2], "line_seq": [0], "text": ["Killed"]})
    ev = Evidence(MemoryStore.from_rows({"log_lines": rows}), {"fact_exits": exits})
    claim = ev.claim(
        id="x", text="", sql="SELECT 1 AS one FROM fact_exits", table="fact_exits", rows=ev.rows("fact_exits")
    )
    assert [(row.table, row.capture) for row in ev.with_lines([claim])[0].rows] == [
        ("fact_exits", ""),
        ("log_lines", "b"),
    ]
    unclear = Evidence(MemoryStore.from_rows({"log_lines": rows}), {"fact_exits": exits.with_columns(ts_ns=pl.lit(9))})
    assert unclear.with_lines([claim])[0].rows == claim.rows


def test_a_verdict_about_other_rows_is_refused_in_words(judged, tmp_path):
    verdict, evidence = judged
    path = tmp_path / "verdict.json"
    path.write_text(verdict.to_json())
    assert read_claims(path, tmp_path, evidence).keys() == {claim.id for claim in verdict.shows}
    other = Evidence(changed(evidence, lambda frame: frame.head(3)))
    with pytest.raises(InputError, match="rows were altered, added or removed"):
        read_claims(path, tmp_path, other)


@pytest.mark.parametrize("seq", ["Infinity", "1e999", '"x"', "null", "[]"])
def test_a_verdict_with_a_row_of_no_number_is_no_verdict(judged, tmp_path, seq):
    verdict, evidence = judged
    plain = json.loads(verdict.to_json())
    plain["shows"][0]["rows"] = [{"table": "log_lines", "node": "n", "seq": "SEQ", "capture": ""}]
    path = tmp_path / "verdict.json"
    path.write_text(json.dumps(plain).replace('"SEQ"', seq))
    with pytest.raises(InputError, match="is not an inquest verdict"):
        read_claims(path, tmp_path, evidence)
