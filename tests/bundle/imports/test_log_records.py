"""Log lines in the JSON that collectors put around them."""

from __future__ import annotations

import csv
import io
import json
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.imports.core import import_paths

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

TOLD = [
    ("2026-11-20T10:00:00.000000001Z", "step 1 loss 2.5"),
    ("2026-11-20T10:00:01.000000002Z", "[rank3]: ValueError: bad"),
]
NS = 1_795_168_800_000_000_000
RECORDS = {
    "docker": [{"log": text + "\n", "stream": "stderr", "time": time} for time, text in TOLD],
    "fluent-bit": [
        {"@timestamp": time, "log": text, "kubernetes": {"pod_name": "p-0", "host": "n1"}} for time, text in TOLD
    ],
    "loki": [{"labels": {"pod": "p-0", "node": "n1"}, "line": text, "timestamp": time} for time, text in TOLD],
    "vector": [{"message": text, "source_type": "file", "host": "n1", "timestamp": time} for time, text in TOLD],
    "gelf": [{"version": "1.1", "host": "n1", "short_message": text, "timestamp": time} for time, text in TOLD],
    "rsyslog": [{"timestamp": time, "host": "n1", "facility": "user", "message": text} for time, text in TOLD],
    "otel": [
        {
            "resourceLogs": [
                {
                    "resource": {"attributes": [{"key": "host.name", "value": {"stringValue": "n1"}}]},
                    "scopeLogs": [{"logRecords": [{"timeUnixNano": str(NS + n), "body": {"stringValue": text}}]}],
                }
            ]
        }
        for n, (_, text) in zip((1, 1_000_000_002), TOLD, strict=True)
    ],
}


def lines(path: Path) -> pl.DataFrame:
    """The lines that importing ``path`` gives."""
    frame = import_paths([str(path)]).rows.collect("log_lines", "import")
    assert frame is not None
    return frame


@pytest.mark.parametrize("form", RECORDS)
def test_a_record_a_line_gives_the_text_its_time_and_its_rank(tmp_path: Path, form: str):
    path = tmp_path / "export.log"
    path.write_text("".join(json.dumps(record) + "\n" for record in RECORDS[form]))
    found = lines(path)
    assert found["text"].to_list() == [text for _, text in TOLD]
    assert found["ts_ns"].to_list() == [NS + 1, NS + 1_000_000_002]
    assert found["rank"].to_list() == [None, 3]
    assert set(found["node"]) == ({"unknown"} if form == "docker" else {"n1"})


def test_an_array_with_the_newest_first_is_turned_round(tmp_path: Path):
    records = [
        {"textPayload": text, "timestamp": time, "resource": {"labels": {"pod_name": "p-0"}}}
        for time, text in reversed(TOLD)
    ]
    path = tmp_path / "logs.json"
    path.write_text(json.dumps(records, indent=2))
    found = lines(path)
    assert found["text"].to_list() == [text for _, text in TOLD]
    assert set(found["source"]) == {"logs.json#p-0"}


def test_what_lies_deeper_is_found(tmp_path: Path):
    loki = {"stream": {"pod": "p-0"}, "values": [[str(NS + k), text] for k, (_, text) in enumerate(TOLD)]}
    (tmp_path / "loki.json").write_text(
        json.dumps({"status": "success", "data": {"resultType": "streams", "result": [loki]}})
    )
    hits = [{"_source": {"message": text, "@timestamp": time}} for time, text in TOLD]
    (tmp_path / "elastic.json").write_text(json.dumps({"took": 1, "hits": {"total": {"value": 2}, "hits": hits}}))
    events = [{"timestamp": NS // 10**6, "message": text, "ingestionTime": 1} for _, text in TOLD]
    (tmp_path / "aws.json").write_text(json.dumps({"events": events, "nextForwardToken": "f/1"}))
    for name in ("loki.json", "elastic.json", "aws.json"):
        assert lines(tmp_path / name)["text"].to_list() == [text for _, text in TOLD], name
    assert lines(tmp_path / "aws.json")["ts_ns"].to_list() == [NS, NS]


SPOKEN = [
    ("2026-11-20T10:00:00.001Z", "Traceback (most recent call last):"),
    ("2026-11-20T10:00:00.001Z", '  File "train.py", line 12, in <module>'),
    ("2026-11-20T10:00:01.002Z", 'KeyError: "labels"'),
]


def as_csv(*columns: str, stamp: str | None = None) -> str:
    """The lines, newest first, as a page saves them under these columns."""
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(columns)
    for time, text in reversed(SPOKEN):
        when = f"{datetime.fromisoformat(time):{stamp}}"[:-3] if stamp else time
        writer.writerow([when if "time" in name.lower() or name == "Date" else text for name in columns])
    return file.getvalue()


PAGES = {
    "logs-insights-results.csv": as_csv("@timestamp", "@message", stamp="%Y-%m-%d %H:%M:%S.%f"),
    "extract.csv": as_csv("Date", "Message"),
    "search.csv": as_csv("@timestamp", "message", stamp="%b %d, %Y @ %H:%M:%S.%f"),
    "splunk.csv": as_csv("_raw", "_time"),
    "Explore-logs.csv": as_csv("Time", "Line"),
    "datadog.json": json.dumps(
        {
            "data": [
                {"type": "log", "attributes": {"timestamp": time, "message": text, "service": "train"}}
                for time, text in reversed(SPOKEN)
            ]
        }
    ),
    "splunk.json": "".join(
        json.dumps({"preview": False, "result": {"_raw": text, "_time": time}}) + "\n"
        for time, text in reversed(SPOKEN)
    ),
    "Explore-logs.json": json.dumps(
        [{"line": text, "timestamp": time, "fields": {"pod": "p-0"}} for time, text in reversed(SPOKEN)]
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_what_pages_of_collectors_save_is_put_in_order(tmp_path: Path, name: str):
    (tmp_path / name).write_text(PAGES[name])
    found = lines(tmp_path / name)
    assert found["text"].to_list() == [text for _, text in SPOKEN]
    assert found["ts_ns"].to_list() == [NS + 1_000_000, NS + 1_000_000, NS + 1_002_000_000]


def test_a_table_of_texts_that_no_program_wrote_is_no_log(tmp_path: Path):
    path = tmp_path / "chats.csv"
    path.write_text("date,user,message\n" + "".join(f"2026-11-20,u{n},thank you very much\n" for n in range(30)))
    assert import_paths([str(tmp_path / "chats.csv"), str(make_log(tmp_path))]).report.files[0].kind is None


def make_log(folder: Path) -> Path:
    """A log beside."""
    (folder / "train.log").write_text("step 1 loss 2.5\n")
    return folder / "train.log"


def test_lines_that_are_no_records_stay_as_they_are(tmp_path: Path):
    whole = json.dumps(RECORDS["docker"][0])
    path = tmp_path / "c-json.log"
    path.write_text(f"{whole}\nplain words\n{whole[:40]}\n")
    assert lines(path)["text"].to_list() == ["step 1 loss 2.5", "plain words", whole[:40]]


def test_a_program_that_logs_json_keeps_its_lines(tmp_path: Path):
    own = json.dumps({"ts": TOLD[0][0], "level": "info", "event": "train", "message": "step", "step": 3, "loss": 2.5})
    path = tmp_path / "train.log"
    path.write_text(own + "\n" + own + "\n")
    assert lines(path)["text"].to_list() == [own, own]
