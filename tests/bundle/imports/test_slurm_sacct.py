"""Accounting text: any columns, any delimiter, broken names, cut columns, damage; against real and recorded files."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.slurm_sacct import KIND
from inquest.bundle.imports.source import Source
from tests.bundle.imports.kit import CORPORA, REFERENCE, rows_of

if TYPE_CHECKING:
    from pathlib import Path

SACCT = CORPORA / "slurm-sacct"
SLURM = REFERENCE / "slurm"
corpora = pytest.mark.skipif(not SACCT.is_dir(), reason=f"corpora are not here: {SACCT}")
reference = pytest.mark.skipif(not SLURM.is_dir(), reason=f"Slurm records are not here: {SLURM}")


def read(path: Path, text: str | bytes, context: Context | None = None) -> dict[str, list[dict[str, Any]]]:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return rows_of(KIND, path, context)


def jobs(path: Path, text: str | bytes, context: Context | None = None) -> list[dict[str, Any]]:
    return read(path, text, context).get("slurm_jobs", [])


def utc(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000_000


def refused(context: Context) -> int:
    return sum(context.refused.values())


# --- files as they are ----------------------------------------------------------------------------------------------


@corpora
@pytest.mark.parametrize(
    ("name", "jobs", "steps", "left_out"),
    [
        ("sample-sacct-fake-line-break-expected.txt", 2, 2, 0),
        ("sample-sacct-one-multiline.txt", 2, 2, 0),
        ("sample-sacct-output-invalid-utf8.txt", 2, 9, 0),
        ("sample-sacct-output-midnight-edge-case-small.txt", 3, 8, 0),
        ("sample-sacct-output-with-invalid-lines.txt", 0, 0, 1),
        ("sample-sacct-output.txt", 0, 68, 0),
    ],
)
def test_every_line_of_the_corpora_is_read_or_refused(name: str, jobs: int, steps: int, left_out: int) -> None:
    context = Context()
    found = rows_of(KIND, SACCT / name, context)
    assert len(found.get("slurm_jobs", [])) == jobs
    assert len(found.get("slurm_steps", [])) == steps
    assert refused(context) == left_out


@corpora
def test_a_record_over_two_lines_is_the_record_on_one() -> None:
    broken = rows_of(KIND, SACCT / "sample-sacct-one-multiline.txt")
    whole = rows_of(KIND, SACCT / "sample-sacct-fake-line-break-expected.txt")
    for rows in (*broken.values(), *whole.values()):
        for row in rows:
            row["submit_line"] = (row["submit_line"] or "").partition("||")[0]
    assert broken == whole


@corpora
def test_the_day_of_a_step_that_ends_after_midnight_is_its_own() -> None:
    found = rows_of(KIND, SACCT / "sample-sacct-output-midnight-edge-case-small.txt")
    late = [row for row in found["slurm_steps"] if row["job_id"] == "39125549" and row["step_id"] == "0"]
    assert [row["end_ns"] for row in late] == [utc("2021-04-08T00:00:22")]
    first = found["slurm_jobs"][0]
    assert (first["state"], first["cancelled_by"]) == ("CANCELLED by 1185300516", "1185300516")


@reference
@pytest.mark.parametrize("version", ["22.05", "24.11"])
def test_both_forms_of_one_cluster_tell_the_same(version: str) -> None:
    folder = SLURM / version / "00-cluster"
    full = rows_of(KIND, folder / "sacct_all.psv")["slurm_jobs"]
    wide = rows_of(KIND, folder / "sacct_all_brief.txt")["slurm_jobs"]
    assert len(full) == len(wide) > 80
    for one, other in zip(full, wide, strict=True):
        for column in ("job_id", "state", "exit_code", "term_signal", "submit_ns", "start_ns", "end_ns", "node_list"):
            assert one[column] == other[column], column


@reference
@pytest.mark.parametrize(
    "path", sorted(SLURM.glob("*/*/sacct[._]*psv")), ids=lambda path: f"{path.parts[-3]}/{path.parts[-2]}"
)
def test_no_line_of_a_real_cluster_is_refused(path: Path) -> None:
    context = Context()
    found = rows_of(KIND, path, context)
    assert found or path.name == "sacct.too_early.psv"
    assert not context.refused
    assert not context.warnings


# --- columns and delimiters -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", ["|", "|#", ";", "\t", "\x1f", "::", "SEP", "^"])
@pytest.mark.parametrize("trailing", [False, True])
def test_any_delimiter_is_told_by_the_header(tmp_path: Path, delimiter: str, trailing: bool) -> None:
    table = [["End", "JobID", "State", "JobName"], ["2026-11-20T19:25:13", "7_3", "TIMEOUT", "gpt 125m"]]
    text = "".join(delimiter.join(line) + delimiter * trailing + "\n" for line in table)
    (row,) = jobs(tmp_path / "a", text)
    assert (row["job_id"], row["state"], row["job_name"]) == ("7_3", "TIMEOUT", "gpt 125m")
    assert row["end_ns"] == row["ts_ns"] == utc("2026-11-20T19:25:13")


def test_commas_between_fields_and_inside_them(tmp_path: Path) -> None:
    text = (
        "JobID,State,AllocTRES,NodeList,JobName\n"
        "8,FAILED,billing=8,cpu=8,gres/gpu=4,mem=800M,node=3,node[01-02,07],login1,x y, z\n"
    )
    (row,) = jobs(tmp_path / "a", text)
    assert row["tres_allocated"] == "billing=8,cpu=8,gres/gpu=4,mem=800M,node=3"
    assert (row["node_list"], row["gpus_allocated"], row["job_name"]) == ("node[01-02,07],login1", 4, "x y, z")


def test_delimiters_and_line_breaks_in_a_submit_line(tmp_path: Path) -> None:
    context = Context()
    text = (
        "JobID|SubmitLine|ExitCode|State\n"
        "5|sbatch --wrap 'python a.py | tee b\n"
        "| grep | wc' |1:0|FAILED\n"
        "6|sbatch x|0:0|COMPLETED\n"
    )
    one, two = jobs(tmp_path / "a", text, context)
    assert one["submit_line"] == "sbatch --wrap 'python a.py | tee b\n| grep | wc'"
    assert (one["exit_code"], two["job_id"], two["submit_line"]) == (1, "6", "sbatch x")
    assert not context.refused


def test_a_damaged_line_costs_itself_and_not_its_neighbour(tmp_path: Path) -> None:
    context = Context()
    text = "JobID|JobName|State|Start|End\n1|a|FAILED|2026-11-20T\n2|b|COMPLETED|Unknown|None\nED|x\n"
    text += "3|c|FAILED|None|None\n"
    assert [row["job_id"] for row in jobs(tmp_path / "a", text, context)] == ["2", "3"]
    assert refused(context) == 2


def test_text_after_the_last_column_belongs_to_it_and_rubbish_does_not(tmp_path: Path) -> None:
    context = Context()
    prose = "JobID|State|Comment\n1|FAILED|line one\nline two\n2|COMPLETED|\n"
    assert [row["comment"] for row in jobs(tmp_path / "a", prose, context)] == ["line one\nline two", None]
    assert not context.refused
    assert len(jobs(tmp_path / "b", "JobID|JobName|State\n1|x|FAILED\nnoise\n2|y|FAILED\n", context)) == 2
    assert refused(context) == 1


def test_a_second_table_in_one_file_has_its_own_columns(tmp_path: Path) -> None:
    text = "JobID|State\n1|FAILED\n\n$ sacct -P\nState;JobID;JobName\nTIMEOUT;2;n\n"
    assert [(row["job_id"], row["state"]) for row in jobs(tmp_path / "a", text)] == [("1", "FAILED"), ("2", "TIMEOUT")]


def test_lines_that_end_in_cr_lf(tmp_path: Path) -> None:
    (row,) = jobs(tmp_path / "a", "JobID|State|JobName\r\n1|FAILED|n\r\n")
    assert row["job_name"] == "n"


def test_the_mark_of_another_system_before_the_text(tmp_path: Path) -> None:
    assert len(jobs(tmp_path / "a", b"\xef\xbb\xbfJobID|State\r\n1|FAILED\r\n")) == 1


def test_bytes_that_are_no_text_spoil_their_field_only(tmp_path: Path) -> None:
    (row,) = jobs(tmp_path / "a", b"JobID|JobName|State\n1|caf\xe9|FAILED\n")
    assert (row["job_name"], row["state"]) == ("caf\ufffd", "FAILED")


def test_complaints_among_the_records_are_no_names(tmp_path: Path) -> None:
    context = Context()
    text = "JobName|JobID|State\nsacct: error: slurmdbd: Sending PersistInit msg: Connection refused\na|1|FAILED\n"
    (row,) = jobs(tmp_path / "a", text, context)
    assert row["job_name"] == "a"
    assert refused(context) == 1


# --- columns of fixed width -----------------------------------------------------------------------------------------

FIXED = """\
JobID           JobName  Partition    Account  AllocCPUS      State ExitCode
------------ ---------- ---------- ---------- ---------- ---------- --------
1002         gpt-125m-+      train     mlteam          8 OUT_OF_ME+    0:125
1002.batch        batch                mlteam          4 CANCELLED+     0:15
123456789.e+     extern                mlteam          8  COMPLETED      0:0
123456789.1+     python                mlteam          8  COMPLETED      0:0
"""


def test_columns_of_fixed_width(tmp_path: Path) -> None:
    context = Context()
    found = read(tmp_path / "a", FIXED, context)
    (job,) = found["slurm_jobs"]
    assert (job["job_id"], job["state"], job["term_signal"], job["exit_code"]) == ("1002", "OUT_OF_MEMORY", 125, None)
    assert [(step["job_id"], step["step_id"], step["state"]) for step in found["slurm_steps"]] == [
        ("1002", "batch", "CANCELLED"),
        ("123456789", "extern", "COMPLETED"),
    ]
    assert context.refused == {"a record whose job id is cut or missing": 1}


def test_a_name_broken_over_two_lines_of_fixed_width(tmp_path: Path) -> None:
    head = "JobID           JobName      State ExitCode\n------------ ---------- ---------- --------\n"
    (row,) = jobs(tmp_path / "a", head + "7               two\nlin     FAILED      1:0\n")
    assert (row["job_id"], row["state"], row["exit_code"]) == ("7", "FAILED", 1)


def test_the_raw_id_speaks_where_the_other_is_cut(tmp_path: Path) -> None:
    text = "JobID    JobIDRaw     State\n-------- ------------ ----------\n1234567+ 99           FAILED\n"
    assert [row["job_id"] for row in jobs(tmp_path / "a", text)] == ["99"]


# --- without a header, and what is no accounting --------------------------------------------------------------------


def test_records_without_a_header_are_read_where_only_one_layout_fits(tmp_path: Path) -> None:
    (row,) = jobs(tmp_path / "a", "1001|wrap|train|mlteam|2|FAILED|3:0\n")
    assert (row["job_id"], row["cpus_allocated"], row["exit_code"]) == ("1001", 2, 3)
    (row,) = jobs(tmp_path / "b", "1001|FAILED|3:0|\n")
    assert row["exit_code"] == 3


@pytest.mark.parametrize(
    "text",
    [
        "1001|2026-11-20T19:25:13|2026-11-20T19:25:14|FAILED\n",
        "step 1\nJobID|State\n1|FAILED\n",
        "JobID is 12|State unknown\n",
        "training JobID|State\n1|2\n",
        "",
        "-----\n-----\n",
        "{}",
    ],
)
def test_what_is_not_certain_is_not_claimed(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a"
    path.write_text(text)
    assert not KIND.fits(Source("a", path))


def test_a_table_that_names_no_columns_is_refused_aloud(tmp_path: Path) -> None:
    path, context = tmp_path / "a", Context()
    path.write_text("7|2026-11-20T19:25:13|FAILED\n\n8|2026-11-20T19:25:13|FAILED\n")
    assert list(KIND.read(Source("a", path), context)) == []
    assert refused(context) == 2


@pytest.mark.parametrize("prompt", ["$ sacct -P -j 1\n", "[ops@login01 ~]$ sacct -j 1\n", "\n", "# sacct\n"])
def test_a_pasted_prompt_stands_in_no_one_s_way(tmp_path: Path, prompt: str) -> None:
    assert len(jobs(tmp_path / "a", f"{prompt}JobID|State\n1|FAILED\n")) == 1


# --- values ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "offset", "expected"),
    [
        ("2026-11-20T19:25:13", 0, "2026-11-20T19:25:13"),
        ("2026-11-20T19:25:13", 330, "2026-11-20T13:55:13"),
        ("2026-11-20 19:25:13", -480, "2026-11-21T03:25:13"),
        ("2026-11-20T19:25:13+0100", 330, "2026-11-20T18:25:13"),
        ("1795202713", 330, "2026-11-20T19:25:13"),
    ],
)
def test_times_are_utc_whatever_their_form(tmp_path: Path, told: str, offset: int, expected: str) -> None:
    context = Context(utc_offset_minutes=offset)
    (row,) = jobs(tmp_path / "a", f"JobID|State|End\n1|FAILED|{told}\n", context)
    assert row["end_ns"] == utc(expected)
    assert not context.warnings


def test_times_that_cannot_be_read_are_said_and_not_guessed(tmp_path: Path) -> None:
    context = Context()
    rows = jobs(tmp_path / "a", "JobID|State|End\n1|FAILED|Tomorr 10:00\n2|FAILED|Tomorr 11:00\n", context)
    assert [row["end_ns"] for row in rows] == [None, None]
    (said,) = context.warnings
    assert "Tomorr 10:00" in said


def test_blank_and_unknown_fields_are_not_measured(tmp_path: Path) -> None:
    names = "JobID|State|ExitCode|Start|End|Elapsed|NNodes|NodeList|MaxRSS|Timelimit|Suspended|AllocTRES|Reason"
    (row,) = jobs(tmp_path / "a", f"{names}\n3|PENDING|0:0|Unknown|Unknown|||None assigned||UNLIMITED|||None\n")
    told = {name: value for name, value in row.items() if value is not None}
    assert told == {"job_id": "3", "state": "PENDING"}


def test_a_record_that_came_too_early_has_no_name_yet(tmp_path: Path) -> None:
    text = "JobID|JobName|Partition|State\n1|allocation||COMPLETED\n2|allocation|train|COMPLETED\n"
    assert [row["job_name"] for row in jobs(tmp_path / "a", text)] == [None, "allocation"]


def test_numbers_with_their_units(tmp_path: Path) -> None:
    names = "JobID|State|Elapsed|MaxRSS|TotalCPU|TRESUsageInAve|TRESUsageInMax|AllocTRES|Suspended"
    values = "9.0|COMPLETED|1-02:03:04|1.50G|01:02.500|cpu=00:00:01,gres/gpumem=3G,gres/gpuutil=87|gres/gpumem=12G"
    (row,) = read(tmp_path / "a", f"{names}\n{values}|cpu=8,gres/gpu:h100=3,gres/gpu:a100=1|00:00:05\n")["slurm_steps"]
    assert (row["elapsed_s"], row["rss_peak_bytes"], row["cpu_used_s"]) == (93784, 1610612736, 62.5)
    assert (row["gpu_util_mean"], row["gpu_memory_peak_bytes"], row["gpus_allocated"]) == (87.0, 12 << 30, 4)
    assert row["suspended_s"] == 5


@pytest.mark.parametrize("told", ["99999999999999999999", "1e400", "9" * 400, "-5", "١٢"])
def test_numbers_beyond_a_column_are_none(tmp_path: Path, told: str) -> None:
    text = f"JobID|State|NNodes|MaxRSS|Elapsed|End\n1.0|FAILED|{told}|{told}|{told}|None\n2.0|FAILED|1|1|00:01|None\n"
    found = read(tmp_path / "a", text).get("slurm_steps", [])
    assert [row for row in found if row["job_id"] == "2"]
    assert all(row["elapsed_s"] is None for row in found if row["job_id"] == "1")


def test_text_made_to_be_slow_is_given_up_and_counted(tmp_path: Path) -> None:
    context = Context()
    names = "JobID|JobName|Comment|AdminComment|SystemComment|SubmitLine|Extra|State"
    hostile = "".join(f"{number}{'|' * 3000}\n" for number in range(3000))
    (row,) = jobs(tmp_path / "a", f"{names}\n{hostile}1|a||||||FAILED\n", context)
    assert row["state"] == "FAILED"
    assert refused(context) == 3000


# --- any table at all -----------------------------------------------------------------------------------------------

_PROSE = st.text(alphabet="abgk xyz012.-_\n\u00e9\u4e16", max_size=20)
_TIME = st.integers(1_500_000_000, 1_900_000_000)
_COLUMNS: dict[str, st.SearchStrategy[Any]] = {
    "State": st.sampled_from(["FAILED", "COMPLETED", "CANCELLED by 2001", "TIMEOUT", "NODE_FAIL"]),
    "JobName": _PROSE,
    "Comment": _PROSE,
    "SubmitLine": _PROSE,
    "Start": _TIME,
    "End": _TIME,
    "NNodes": st.integers(0, 9999),
    "NodeList": st.sampled_from(["node[01-02,7]", "gpu-1", "None assigned"]),
    "ExitCode": st.sampled_from(["0:0", "1:0", "0:9"]),
    "AllocTRES": st.sampled_from(["", "cpu=8,gres/gpu=4,mem=800M,node=2"]),
    "FutureField": st.sampled_from(["", "x"]),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]]]:
    names = draw(st.lists(st.sampled_from(sorted(_COLUMNS)), unique=True, min_size=2))
    names = draw(st.permutations(["JobID", "State", *(name for name in names if name != "State")]))
    trailing = draw(st.booleans())
    prose = {"JobName", "Comment", "SubmitLine"}
    if not trailing and names[0] in prose and names[-1] in prose:
        # Where a record begins and ends with text, no one can tell to which of two records a line between them belongs.
        names.remove("JobID")
        names.insert(0, "JobID")
    epoch = draw(st.booleans())
    delimiter = draw(st.sampled_from(["|", "|#", ";", "\t", "\x1f", "::", "SEP"]))
    if delimiter == "SEP":  # between letters only names that are known tell where a name ends
        names = [name for name in names if name != "FutureField"]
    records = []
    for number in range(draw(st.integers(1, 6))):
        record = {name: draw(_COLUMNS[name]) for name in names if name != "JobID"}
        records.append(
            record
            | {"JobID": draw(st.sampled_from([f"{number}1", f"{number}1_7", f"{number}1.batch", f"{number}+1.0"]))}
        )
    lines = [delimiter.join(names)]
    for record in records:
        told = {name: _written(name, value, epoch=epoch) for name, value in record.items()}
        lines.append(delimiter.join(told[name] for name in names))
    return "".join(line + delimiter * trailing + "\n" for line in lines), records


def _written(name: str, value: Any, *, epoch: bool) -> str:
    if name in {"Start", "End"} and not epoch:
        return datetime.fromtimestamp(value, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return str(value)


@settings(max_examples=300, deadline=None)
@given(table=tables())
def test_any_table_reads_back_equal(
    table: tuple[str, list[dict[str, Any]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    text, records = table
    context = Context()
    found = read(tmp_path_factory.getbasetemp() / "any", text, context)
    assert not context.refused
    rows = {"jobs": found.get("slurm_jobs", []), "steps": found.get("slurm_steps", [])}
    for record in records:
        job, _, step = record["JobID"].partition(".")
        row = rows["steps" if step else "jobs"].pop(0)
        assert (row["job_id"], row.get("step_id")) == (job, step or None)
        assert row["state"] == record["State"]
        for name, column in (("JobName", "step_name" if step else "job_name"), ("SubmitLine", "submit_line")):
            if name in record:
                assert (row[column] or "").strip() == record[name].strip()
        if "NodeList" in record:
            assert row["node_list"] == (None if record["NodeList"] == "None assigned" else record["NodeList"])
        for name, column in (("Start", "start_ns"), ("End", "end_ns")):
            if name in record:
                assert row[column] == record[name] * 1_000_000_000
    assert rows == {"jobs": [], "steps": []}
