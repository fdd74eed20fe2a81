"""The cluster's offset from UTC: told, noted, inferred where there is one answer only, and never guessed."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from inquest.bundle.errors import InputError, UsageError
from inquest.bundle.imports import meta, zone
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.zone import Span, fits
from inquest.bundle.logs_import import ImportedStore

MINUTE = 60_000_000_000
BEGIN = datetime(2026, 11, 20, 18, 0, tzinfo=UTC)


def log(path, minutes, offset=0, form="%Y-%m-%d %H:%M:%S,000 | INFO | step"):
    """A log of the run, one line a minute, in the local time of ``offset`` minutes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stamps = [BEGIN + timedelta(minutes=m + offset) for m in minutes]
    path.write_text("".join(f"{stamp.strftime(form)} {n} loss 2.0\n" for n, stamp in enumerate(stamps)))
    return path


def absolute(path, minutes):
    """A log whose times carry their zone."""
    return log(path, minutes, form="%Y-%m-%dT%H:%M:%S+00:00 node01 slurmd[7]: note")


def first_hour(imported, source):
    frame = ImportedStore(imported).scan("log_lines").collect()
    return frame.filter(frame["source"] == source)["ts"][0].strftime("%H:%M")


def test_given(tmp_path):
    imported = import_paths([log(tmp_path / "a.log", range(3), 120)], utc_offset_minutes=120)
    assert first_hour(imported, "a.log") == "18:00"
    assert imported.report.offset == zone.Offset(120, "given")
    assert "UTC+02:00, as given" in imported.report.notes[0]


@pytest.mark.parametrize("offset", [-720, -570, -210, 0, 120, 330, 345, 840])
def test_inferred_from_files_that_span_the_same_run(tmp_path, offset):
    log(tmp_path / "a.log", range(40), offset)
    absolute(tmp_path / "slurmd.log", range(40))
    imported = import_paths([tmp_path])
    assert imported.report.offset.minutes == offset
    assert imported.report.offset.how == "inferred"
    assert first_hour(imported, "a.log") == "18:00"
    assert first_hour(imported, "slurmd.log") == "18:00"
    note = imported.report.notes[-1]
    assert f"UTC{zone.written(offset)}: inferred, a.log and slurmd.log span the same run" in note
    told = ImportedStore(imported).scan("collection").collect()["detail"].to_list()
    assert any(note in detail for detail in told)


@pytest.mark.parametrize(("offsets", "hour"), [(("-07:00",), "18:00"), (("-07:00", "+01:00"), "11:00"), ((), "11:00")])
def test_the_offset_that_kernel_logs_write_beside_their_times(tmp_path, offsets, hour):
    """Where nothing else tells; of several nothing is taken."""
    log(tmp_path / "a.log", range(40), -420)
    for number, offset in enumerate(offsets):
        line = "2026-11-20T11:{:02d}:44,310000{} NVRM: loading NVIDIA UNIX x86_64 Kernel Module\n"
        text = "".join(line.format(minute, offset) for minute in (3, 9))
        (tmp_path / f"node{number}.dmesg.txt").write_text(text)
    assert first_hour(import_paths([tmp_path]), "a.log") == hour


def test_many_files_agree(tmp_path):
    for rank in range(4):
        log(tmp_path / f"{rank}.log", range(rank % 2, 41), 120)
    absolute(tmp_path / "slurmd.log", range(-1, 42))
    offset = import_paths([tmp_path]).report.offset
    assert (offset.minutes, offset.how) == (120, "inferred")
    assert "(4 agree)" in offset.why


def test_lines_that_follow_each_other_with_both_clocks_tell(tmp_path):
    lines = []
    for minute in range(0, 50, 10):
        stamp = BEGIN + timedelta(minutes=minute)
        lines.append(f"{(stamp + timedelta(minutes=120)).strftime('%Y-%m-%d %H:%M:%S,000')} | INFO | step {minute}")
        lines.append(f"I0000 00:00:{int(stamp.timestamp()) + 3}.378661   22808 port.cc:153] x")
    (tmp_path / "a.log").write_text("\n".join(lines) + "\n")
    imported = import_paths([tmp_path])
    assert (imported.report.offset.minutes, imported.report.offset.how) == (120, "inferred")
    assert "follow each other" in imported.report.offset.why
    assert first_hour(imported, "a.log") == "18:00"


@pytest.mark.parametrize(
    ("local", "utc", "why"),
    [
        (range(40), range(-300, 600), "a window that holds the run under many offsets"),
        (range(40), range(7, 47), "spans that miss each other by seven minutes under any offset"),
        (range(2), range(2), "spans too short to tell"),
        (range(40), range(0, 121, 120), "a span that is longer by more than an hour leaves two offsets"),
    ],
)
def test_in_doubt_nothing_is_inferred(tmp_path, local, utc, why):
    log(tmp_path / "a.log", local, 120)
    absolute(tmp_path / "slurmd.log", utc)
    imported = import_paths([tmp_path])
    assert (imported.report.offset.minutes, imported.report.offset.how) == (None, "assumed"), why
    assert "--utc-offset" in imported.report.notes[-1]
    assert first_hour(imported, "a.log") == "20:00"


def test_files_that_contradict_each_other_tell_nothing(tmp_path):
    log(tmp_path / "a.log", range(40), 120)
    log(tmp_path / "b.log", range(40), 60)
    absolute(tmp_path / "slurmd.log", range(40))
    imported = import_paths([tmp_path])
    assert imported.report.offset.how == "assumed"
    assert "contradict each other (+01:00, +02:00)" in imported.report.offset.why


def test_an_offset_that_fits_only_because_the_earth_ends_is_none():
    day = 24 * 60 * MINUTE
    window = Span("utc", 0, day)
    # 13 h 50 min after the window's end: +14:00 moves it just inside, and so would +14:15, which no place has.
    late = Span("local", day + 830 * MINUTE - 40 * MINUTE, day + 830 * MINUTE)
    assert fits(late, window) is None


def test_lines_with_a_zone_are_never_shifted(tmp_path):
    log(tmp_path / "a.log", range(3), form="%Y-%m-%dT%H:%M:%S+00:00 step")
    assert first_hour(import_paths([tmp_path], utc_offset_minutes=300), "a.log") == "18:00"


# --- meta.json -------------------------------------------------------------------------------------------------------


def note(folder, **said):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "meta.json").write_text(json.dumps(said))


def test_meta_counts_for_its_folder_and_below(tmp_path):
    note(tmp_path, utc_offset_minutes=120, job_id=77, node="node09")
    note(tmp_path / "east", utc_offset_minutes=330)
    log(tmp_path / "a.log", range(3), 120)
    log(tmp_path / "east/node01/b.log", range(3), 330)
    imported = import_paths([tmp_path])
    assert first_hour(imported, "a.log") == first_hour(imported, "east/node01/b.log") == "18:00"
    assert imported.report.job_id == "77"
    assert {file.name: file.nodes for file in imported.report.files if file.kind == "log"} == {
        "a.log": ("node09",),
        "east/node01/b.log": ("node01",),
    }
    assert imported.report.offset.how == "meta.json"
    assert {file.kind for file in imported.report.files} == {"meta", "log"}
    assert import_paths([tmp_path], utc_offset_minutes=0).report.offset.how == "given"


def test_meta_beside_a_named_file_counts(tmp_path):
    note(tmp_path, utc_offset_minutes=-210)
    assert first_hour(import_paths([log(tmp_path / "a.log", range(3), -210)]), "a.log") == "18:00"


def test_meta_of_somebody_else_is_json_of_no_known_kind(tmp_path):
    note(tmp_path, model_type="llama", layers=4)
    log(tmp_path / "a.log", range(3))
    imported = import_paths([tmp_path])
    told = {file.name: file for file in imported.report.files}["meta.json"]
    assert told.kind is None
    assert "no known kind" in told.reason
    assert imported.report.offset.how == "assumed"


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ({"job_id": 12}, {"job_id": "12"}),
        ({"jobid": "12_3", "x": 1}, {"job_id": "12_3"}),
        ({"utc_offset": "+05:45"}, {"utc_offset_minutes": 345}),
        ({"utc_offset_minutes": -330}, {"utc_offset_minutes": -330}),
        ({"utc_offset_minutes": 120.0}, {"utc_offset_minutes": 120}),
        ({"scrape_interval": "15s"}, {"scrape_interval_s": 15.0}),
        ({"scrape_interval_s": 0.5}, {"scrape_interval_s": 0.5}),
        ({"collected_at": "2026-11-20T18:00:00Z"}, {"collected_at_ns": 1_795_197_600_000_000_000}),
        ({"collected_at": "2026-11-20T20:00:00+02:00"}, {"collected_at_ns": 1_795_197_600_000_000_000}),
        ({"collected_at": 1_795_197_600}, {"collected_at_ns": 1_795_197_600_000_000_000}),
        ({"collected_at": 1_795_197_600_250}, {"collected_at_ns": 1_795_197_600_250_000_000}),
        ({"nodes": ["node01"]}, {"node": "node01"}),
        ({"job_id": "7", "utc_offset_minutes": 5000}, {"job_id": "7"}),
        ({"job_id": "7", "utc_offset_minutes": True}, {"job_id": "7"}),
        ({"job_id": "7", "scrape_interval_s": -1}, {"job_id": "7"}),
        ({"job_id": "7", "collected_at": 1e300}, {"job_id": "7"}),
        ({"job_id": "7", "collected_at": [1]}, {"job_id": "7"}),
    ],
)
def test_what_meta_says(tmp_path, said, found):
    note(tmp_path, **said)
    told = meta.read(tmp_path / "meta.json")
    fields = ("job_id", "utc_offset_minutes", "collected_at_ns", "scrape_interval_s", "node")
    assert {name: getattr(told, name) for name in fields if getattr(told, name) is not None} == found
    assert bool(told.notes) == (len(said) > len(found))


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b"[" * 100_000, b"\xff", b'{"a": 1}', b'{"job_id": NaN' + b"1" * 99]
)
def test_a_meta_that_cannot_be_read_is_one_sentence(tmp_path, data):
    (tmp_path / "meta.json").write_bytes(data)
    with pytest.raises(InputError):
        meta.read(tmp_path / "meta.json")


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("+02:00", 120),
        ("-03:30", -210),
        ("+0530", 330),
        ("120", 120),
        ("-330", -330),
        ("Z", 0),
        ("utc", 0),
        ("+2:00", 120),
    ],
)
def test_offsets_as_people_write_them(text, minutes):
    assert meta.offset(text) == minutes


@pytest.mark.parametrize("text", ["", "Europe/Berlin", "+15:00", "-13:00", "99999", "1e3"])
def test_what_is_no_offset(text):
    with pytest.raises(UsageError):
        meta.offset(text)


# --- runs that Slurm tells -------------------------------------------------------------------------------------------

STAMP = "%Y-%m-%dT%H:%M:%S"


def sacct(path, *runs, offset=0):
    """Accounting in local time: job, first and last minute of each run."""
    lines = ["JobID|JobName|State|ExitCode|Start|End|NodeList"]
    for job, first, last in runs:
        start, end = (BEGIN + timedelta(minutes=m + offset) for m in (first, last))
        lines.append(f"{job}|train|FAILED|1:0|{start.strftime(STAMP)}|{end.strftime(STAMP)}|node01")
    path.write_text("\n".join(lines) + "\n")


def telemetry(path, first, last):
    """An answer of Prometheus between two minutes, epochs."""
    begin = BEGIN.timestamp()
    values = [[begin + minute * 60, "42"] for minute in range(first, last + 1)]
    series = {"metric": {"__name__": "DCGM_FI_DEV_POWER_USAGE", "UUID": "GPU-1", "Hostname": "node01"}}
    answer = {"status": "success", "data": {"resultType": "matrix", "result": [{**series, "values": values}]}}
    path.write_text(json.dumps(answer))


@pytest.mark.parametrize("offset", [0, 120, -300, 330, -210])
def test_a_run_and_its_metrics(tmp_path, offset):
    sacct(tmp_path / "a", ("7", 0, 41), ("7.batch", 0, 41), offset=offset)
    telemetry(tmp_path / "b", 1, 41)
    log(tmp_path / "c", range(2), offset)  # the log of a job that hung soon
    found = import_paths([tmp_path]).report.offset
    assert (found.minutes, found.how) == (offset, "inferred")


@pytest.mark.parametrize("minutes", [(0, 41), (0, 1)])
def test_a_run_that_slurm_tells_in_both_times(tmp_path, minutes):
    """However short it was, and whatever the log's own clock says, it is one run and not two."""
    sacct(tmp_path / "a", ("7", *minutes), offset=330)
    epochs = [int(BEGIN.timestamp()) + minute * 60 for minute in minutes]
    job = {"job_id": 7, "name": "train", "state": {"current": "FAILED"}, "nodes": "node01", "cluster": "c"}
    job |= {"time": {"start": epochs[0], "end": epochs[1]}, "exit_code": {"status": "ERROR", "return_code": 1}}
    (tmp_path / "b").write_text(json.dumps({"meta": {"Slurm": {}}, "jobs": [{**job, "steps": []}]}))
    imported = import_paths([tmp_path])
    assert {file.kind for file in imported.report.files} == {"sacct", "slurm-json"}
    assert (imported.report.offset.minutes, imported.report.offset.how) == (330, "inferred")
    assert "tell of the same run of job 7" in imported.report.offset.why
    assert ImportedStore(imported).scan("slurm_jobs").collect().height == 1


def test_among_several_jobs_only_the_one_asked_about_tells(tmp_path):
    sacct(tmp_path / "a", ("7", 0, 41), ("8", 90, 131), offset=120)
    telemetry(tmp_path / "b", 0, 41)
    assert import_paths([tmp_path]).report.offset.minutes is None
    assert import_paths([tmp_path], job_id="7").report.offset.minutes == 120
    assert import_paths([tmp_path], job_id="7").report.offset.how == "inferred"


@pytest.mark.parametrize(("elsewhere", "minutes"), [("node77", 120), ("node01", None), ("node[01-02]", None)])
def test_among_several_jobs_the_one_on_the_nodes_that_were_sampled_tells(tmp_path, elsewhere, minutes):
    sacct(tmp_path / "a", ("7", 0, 41), ("8", 10, 55), offset=120)
    lines = (tmp_path / "a").read_text().splitlines()
    (tmp_path / "a").write_text("\n".join([*lines[:2], lines[2].replace("node01", elsewhere)]) + "\n")
    telemetry(tmp_path / "b", 0, 41)
    assert import_paths([tmp_path]).report.offset.minutes == minutes


@pytest.mark.parametrize("noted", [True, False])
def test_a_container_logs_in_utc_on_a_cluster_that_does_not(tmp_path, noted):
    """Accounting is in the cluster's zone, told by meta.json or by a daemon's log; the job's log is in UTC."""
    log(tmp_path / "job.log", range(40))
    start, end = (BEGIN + timedelta(minutes=m + 330) for m in (-1, 41))
    row = f"7|COMPLETED|0:0|{start:%Y-%m-%dT%H:%M:%S}|{end:%Y-%m-%dT%H:%M:%S}|node01"
    (tmp_path / "sacct.txt").write_text(f"JobID|State|ExitCode|Start|End|NodeList\n{row}\n")
    if noted:
        (tmp_path / "meta.json").write_text(json.dumps({"utc_offset_minutes": 330}))
    else:
        absolute(tmp_path / "slurmd.log", range(40))
    imported = import_paths([tmp_path])
    assert imported.report.offset.minutes == 330
    assert first_hour(imported, "job.log") == "18:00"
    told = next(file for file in imported.report.files if file.name == "job.log")
    assert any("read as UTC" in warning for warning in told.warnings)


def scraped(path, begin, minutes):
    """One metric of one GPU as Prometheus answers, a value a minute."""
    labels = {"__name__": "DCGM_FI_DEV_GPU_UTIL", "Hostname": "n1", "gpu": "0", "UUID": "GPU-1"}
    values = [[begin.timestamp() + 60 * minute, "97"] for minute in range(minutes)]
    told = {"status": "success", "data": {"resultType": "matrix", "result": [{"metric": labels, "values": values}]}}
    path.write_text(json.dumps(told))


@pytest.mark.parametrize(
    ("scrapes", "day"),
    [(("2026-04-02",), "2026-04-02"), (("2026-02-04",), "2026-02-04"), (("2026-07-09",), "2026-02-04")],
    ids=["day first", "month first", "neither"],
)
def test_a_date_that_may_be_read_in_two_ways_lies_where_absolute_times_do(tmp_path, scrapes, day):
    lines = [f"02/04/2026 11:{minute:02}:00 INFO step {minute} loss 2.0\n" for minute in range(40)]
    (tmp_path / "a.log").write_text("".join(lines))
    for number, scrape in enumerate(scrapes):
        scraped(tmp_path / f"util{number}.json", datetime.fromisoformat(f"{scrape}T11:00:00+00:00"), 40)
    frame = ImportedStore(import_paths([tmp_path])).scan("log_lines").collect()
    assert {f"{stamp:%Y-%m-%d}" for stamp in frame["ts"]} == {day}


def test_times_of_weeks_settle_no_date():
    week = Span("a", 0, 6 * 24 * 60 * MINUTE)
    assert zone.days_of([]) == frozenset()
    assert {(12, 31), (1, 1), (1, 7), (1, 8)} < zone.days_of([week])
    assert zone.days_of([week, Span("b", 0, 20 * 24 * 60 * MINUTE)]) == frozenset()


def test_of_two_jobs_in_turn_one_lies_beside_the_scrapes_as_it_stands(tmp_path):
    """The log of the job before fits them by a false offset: nobody's zone is taken from it."""
    begin = datetime(2026, 4, 2, 11, 30, tzinfo=UTC)
    scraped(tmp_path / "util.json", begin, 120)
    for name, since in (("a-1003.log", begin - timedelta(minutes=150)), ("a-1004.log", begin)):
        stamps = [since + timedelta(minutes=minute) for minute in range(120)]
        (tmp_path / name).write_text("".join(f"{stamp:%Y-%m-%d %H:%M:%S} INFO step\n" for stamp in stamps))
    imported = import_paths([tmp_path])
    assert imported.report.offset.how == "assumed"
    assert first_hour(imported, "a-1003.log") == "09:00"
    assert first_hour(imported, "a-1004.log") == "11:30"
