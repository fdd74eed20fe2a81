"""Kernel and daemon messages in every form they are printed in: node, time, level, and what has none of them."""

import json

import polars as pl
import pytest

from inquest.bundle.imports import reader
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source
from inquest.bundle.logs_import import ImportedStore
from tests.bundle.imports.kit import CORPORA, rows_of

KERNEL, JOURNAL, LOG = (reader(name) for name in ("kernel_log", "journal", "log"))
UTC = "2026-11-20T18:27:16"
NS = 1_795_199_236_000_000_000
HOUR = 3_600_000_000_000


def read(tmp_path, kind, data, **known):
    path = tmp_path / "file"
    path.write_bytes(data)
    context = Context(**known)
    return rows_of(kind, path, context), context


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[ 1867.836626] python3 invoked oom-killer: x", (None, None, None)),
        ("[ 1867.836626][  T943] python3 invoked oom-killer: x", (None, None, None)),
        ("<4>[ 1867.836626] python3 invoked oom-killer: x", (None, None, 4)),
        ("<12>[ 1867.836626] python3 invoked oom-killer: x", (None, None, 4)),
        ("kern  :warn  : [ 1867.836626] python3 invoked oom-killer: x", (None, None, 4)),
        ("kern  :err   : 2026-11-20T18:27:16,285060+00:00 x", (None, NS + 285_060_000, 3)),
        ("2026-11-20T20:27:16,285060+02:00 usb 1-1: new", (None, NS + 285_060_000, None)),
        ("[Fri Nov 20 18:27:16 2026] python3 invoked oom-killer: x", (None, NS, None)),
        ("[ 1867.836626 <    0.000012>] x", (None, None, None)),
        ("[  +0.000012] x", (None, None, None)),
        ("[Nov20 18:27] x", (None, None, None)),
        ("Nov 20 18:27:16 node01 kernel: x", ("node01", NS, None)),
        ("Nov 20 18:27:16.250000 node01 kernel: x", ("node01", NS + 250_000_000, None)),
        ("Nov 20 18:27:16 node01 kernel: [ 1867.836626] x", ("node01", NS, None)),
        ("<3>Nov 20 18:27:16 node01.site.org kernel: x", ("node01.site.org", NS, 3)),
        ("2026-11-20T18:27:16+00:00 node01 kernel: x", ("node01", NS, None)),
        ("2026-11-20T18:27:16+0000 node01 kernel: x", ("node01", NS, None)),
        ("2026-11-20T18:27:16.500000+00:00 node01 kernel: x", ("node01", NS + 500_000_000, None)),
        ("Fri 2026-11-20 18:27:16 UTC node01 kernel: x", ("node01", NS, None)),
        ("1795199236.250000 node01 kernel: x", ("node01", NS + 250_000_000, None)),
        ("[ 1867.836626] node01 kernel: x", ("node01", None, None)),
    ],
)
def test_forms_of_a_kernel_log(tmp_path, line, expected):
    rows, _ = read(tmp_path, KERNEL, f"{line}\n".encode() * 5, year=2026)
    (row, *_), count = rows["kernel_log"], len(rows["kernel_log"])
    assert count == 5
    assert (row["node"], row["ts_ns"], row["level"]) == expected
    assert row["text"] == line


def test_the_device_in_a_kernel_message_is_no_host(tmp_path):
    lines = b"[    1.000001] usb 1-1: new device\n[    2.000001] nvidia 0000:4f:00.0: enabling\n"
    rows, _ = read(tmp_path, KERNEL, lines * 4)
    assert {row["node"] for row in rows["kernel_log"]} == {None}


def test_dev_kmsg(tmp_path):
    data = b"6,1234,5678000,-;usb 1-1: new device\n SUBSYSTEM=usb\n DEVICE=+usb:1-1\n3,1235,5679000,-;oops\n"
    rows, context = read(tmp_path, KERNEL, data, boot_ns=NS)
    assert [(r["level"], r["kernel_seq"], r["ts_ns"], r["text"]) for r in rows["kernel_log"]] == [
        (6, 1234, NS + 5_678_000_000, "usb 1-1: new device"),
        (3, 1235, NS + 5_679_000_000, "oops"),
    ]
    assert context.warnings == []


def test_dmesg_json(tmp_path):
    plain = {"dmesg": [{"pri": 6, "time": 1.5, "msg": "x"}, {"pri": 11, "time": "?", "msg": "y"}, 7, {"pri": 3}]}
    rows, context = read(tmp_path, KERNEL, json.dumps(plain, indent=3).encode(), boot_ns=NS)
    assert [(r["level"], r["ts_ns"], r["text"]) for r in rows["kernel_log"]] == [
        (6, NS + 1_500_000_000, "x"),
        (3, None, "y"),
    ]
    assert sum(context.refused.values()) == 2


RECORD = {
    "__REALTIME_TIMESTAMP": str(NS // 1000),
    "__MONOTONIC_TIMESTAMP": "1867836626",
    "_HOSTNAME": "node01",
    "_TRANSPORT": "kernel",
    "SYSLOG_IDENTIFIER": "kernel",
    "PRIORITY": "4",
    "MESSAGE": "x",
}
DAEMON = {**RECORD, "_TRANSPORT": "syslog", "SYSLOG_IDENTIFIER": "slurmd", "_PID": "7", "MESSAGE": "launch task"}


def export(*records):
    return "\n".join("".join(f"{k}={v}\n" for k, v in {"__CURSOR": "s=1", **r}.items()) for r in records).encode()


def verbose(*records):
    head = f"Fri 2026-11-20 18:27:16.000000 UTC [s=ab;i=1;b=cd;m=6f;t={NS // 1000:x};x=ef]\n"
    return "".join(head + "".join(f"    {k}={v}\n" for k, v in r.items() if k[:2] != "__") for r in records).encode()


def as_json(*records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def pretty(*records):
    return "".join(json.dumps(record, indent=8) + "\n" for record in records).encode()


def sequence(*records):
    return "".join("\x1e" + json.dumps(record) + "\n" for record in records).encode()


@pytest.mark.parametrize("form", [as_json, pretty, sequence, export, verbose])
def test_records_of_the_journal(tmp_path, form):
    rows, _ = read(tmp_path, KERNEL, form(RECORD, RECORD))
    assert [(r["node"], r["ts_ns"], r["level"], r["text"]) for r in rows["kernel_log"]] == [("node01", NS, 4, "x")] * 2
    rows, _ = read(tmp_path, JOURNAL, form(DAEMON, RECORD))
    assert [(r["node"], r["ts_ns"], r["text"]) for r in rows["log_lines"]] == [("node01", NS, "slurmd[7]: launch task")]
    assert [r["text"] for r in rows["kernel_log"]] == ["x"]


def test_a_record_with_bytes_or_without_a_message(tmp_path):
    records = [{**RECORD, "MESSAGE": [104, 105, 255]}, {**RECORD, "MESSAGE": None}, {**RECORD, "MESSAGE": {"a": 1}}]
    rows, context = read(tmp_path, KERNEL, as_json(*records) + b"{broken\n")
    assert [r["text"] for r in rows["kernel_log"]] == ["hi\ufffd"]
    assert context.refused["records without a message"] == 2


def test_a_syslog_file_gives_what_tells_of_the_job(tmp_path):
    lines = [
        "Nov 20 18:27:16 node01 sshd[1]: Accepted publickey for root",
        "Nov 20 18:27:17 node01 cron[2]: job",
        "Nov 20 18:27:17 node01 dbus-daemon[5]: x",
        "Nov 20 18:27:18 node01 slurmd[3]: launch task StepId=7.0",
        "  and its second line",
        "Nov 20 18:27:19 node02 kernel: NVRM: Xid (PCI:0000:4f:00): 79",
        "Nov 20 18:27:20 node02 nvidia-persistenced[4]: x",
    ]
    rows, context = read(tmp_path, JOURNAL, "\n".join(lines).encode() + b"\n", year=2026, utc_offset_minutes=60)
    assert [(r["node"], r["pid"], r["ts_ns"]) for r in rows["log_lines"]] == [
        ("node01", 3, NS + 2_000_000_000 - HOUR),
        ("node01", 3, NS + 2_000_000_000 - HOUR),
        ("node02", 4, NS + 4_000_000_000 - HOUR),
    ]
    assert [r["node"] for r in rows["kernel_log"]] == ["node02"]
    assert sum(context.refused.values()) == 3


def test_a_journal_of_one_unit_is_taken_whole(tmp_path):
    text = b"-- Logs begin at Fri 2026-11-20 17:56:09 UTC. --\n" + b"Nov 20 18:27:16 node01 myservice[1]: x\n" * 3
    rows, _ = read(tmp_path, JOURNAL, text + b"-- No entries --\n", year=2026)
    assert len(rows["log_lines"]) == 3


def test_the_year_turns(tmp_path):
    lines = b"Dec 31 23:59:59 node01 kernel: a\nJan  1 00:00:01 node01 kernel: b\n"
    rows, _ = read(tmp_path, KERNEL, lines, year=2027)
    stamps = [row["ts_ns"] for row in rows["kernel_log"]]
    assert stamps == [1_798_761_599_000_000_000, 1_798_761_601_000_000_000]


def test_times_without_a_year_stay_unknown(tmp_path):
    rows, context = read(tmp_path, KERNEL, b"Nov 20 18:27:16 node01 kernel: a\n" * 3)
    assert {row["ts_ns"] for row in rows["kernel_log"]} == {None}
    assert "full date" in context.warnings[0]


@pytest.mark.parametrize(
    "data",
    [
        b"2026-11-20T18:27:16 INFO step 1: loss 2\n" * 9,
        b"2026-11-20T18:27:16 INFO trainer: step 1 loss 2\n" * 9,
        b"[2026-11-20 18:27:16] step 1\n" * 9,
        b"[rank0]: Traceback (most recent call last):\n" * 9,
        b"step 1 loss 2\n[ 1867.836626] python3 invoked oom-killer: quoted\n" * 9,
        b"{'loss': 2.0}\n" * 9,
        b"step 1 loss 2\nstep 2 loss 1\nexit 1\n" + b"[ 1867.836626] python3 invoked oom-killer: x\n" * 90,
        b"",
        b"\xff\xfe\x00" * 50,
    ],
)
def test_other_text_is_not_taken(tmp_path, data):
    path = tmp_path / "file"
    path.write_bytes(data)
    source = Source("file", path)
    assert not KERNEL.fits(source)
    assert not JOURNAL.fits(source)


# --- when the node booted --------------------------------------------------------------------------------------------

SINCE_BOOT = b"".join(b"[%5d.000000] message %d of the driver\n" % (100 + i, i) for i in range(9))


def times(tmp_path):
    frame = ImportedStore(import_paths([tmp_path])).scan("kernel_log").sort("source", "seq").collect()
    return frame.filter(pl.col("source").str.contains("boot"))["ts_ns"].to_list()


def test_the_same_messages_with_a_time_of_day_tell_when_the_node_booted(tmp_path):
    (tmp_path / "boot.dmesg").write_bytes(SINCE_BOOT)
    assert times(tmp_path) == [None] * 9
    wall = b"".join(b"[Fri Nov 20 18:27:%02d 2026] message %d of the driver\n" % (16 + i, i) for i in range(9))
    (tmp_path / "wall.dmesg").write_bytes(wall)
    assert times(tmp_path) == [NS + i * 1_000_000_000 for i in range(9)]


def test_messages_of_another_boot_tell_nothing(tmp_path):
    (tmp_path / "boot.dmesg").write_bytes(SINCE_BOOT)
    wall = b"".join(b"[Fri Nov 20 18:%02d:16 2026] message %d of the driver\n" % (i, i) for i in range(9))
    (tmp_path / "wall.dmesg").write_bytes(wall)
    assert times(tmp_path) == [None] * 9


def test_slurm_tells_when_the_node_booted(tmp_path):
    (tmp_path / "node01").mkdir()
    (tmp_path / "node01/boot.dmesg").write_bytes(SINCE_BOOT)
    (tmp_path / "nodes.txt").write_bytes(
        b"NodeName=node01 Arch=x86_64 CoresPerSocket=16 \n   State=IDLE ThreadsPerCore=1\n"
        b"   BootTime=2026-11-20T18:25:36 SlurmdStartTime=2026-11-20T18:26:00\n"
    )
    assert times(tmp_path)[0] == NS


@pytest.mark.parametrize(
    "line",
    [
        b"[    1.500000] rtc_cmos 00:01: setting system clock to 2026-11-20T18:25:37 UTC (1795199137)\n",
        b"[    0.500000] audit: type=2000 audit(1795199136.500:1): state=initialized audit_enabled=0 res=1\n",
    ],
)
def test_the_kernel_itself_tells_when_it_began(tmp_path, line):
    (tmp_path / "boot.dmesg").write_bytes(line + SINCE_BOOT)
    assert abs(times(tmp_path)[1] - NS) < 1_000_000_000


def test_a_log_of_the_kernel_that_has_no_time_says_so(tmp_path):
    (tmp_path / "boot.dmesg").write_bytes(SINCE_BOOT)
    (report,) = import_paths([tmp_path]).report.files
    assert "count from the start of the node" in report.warnings[0]


@pytest.mark.skipif(not CORPORA.is_dir(), reason="the corpora lie beside the checkout, and are not here")
def test_real_kernel_logs():
    for path in (CORPORA / "kernel-logs").iterdir():
        rows = rows_of(KERNEL, path)["kernel_log"]
        assert len(rows) == len([line for line in path.read_text().splitlines() if line])
        assert all(row["ts_ns"] for row in rows)
