"""Kinds of log lines: what is told of a line, what is stored of it, and that no merge takes them from another."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inquest.bundle import parquet, templates
from inquest.bundle.merge import merge, merge_rows
from inquest.bundle.redact import redact
from inquest.bundle.store import BundleStore
from inquest.bundle.verify import verify
from inquest.cli import dispatch


def kinds(*lines: str | None) -> list[Any]:
    told: list[Any] = templates.of(pa.array(lines, pa.string())).to_pylist()
    return told


def lines(texts: list[str], **more: Any) -> list[tuple[str, pa.RecordBatch]]:
    rows = [{"node": "n0", "capture": "c0", "boot_id": "b0", "seq": n, "text": t, **more} for n, t in enumerate(texts)]
    return [("log_lines", pa.RecordBatch.from_pylist(rows, schema=parquet.plain_schema("log_lines")))]


def stored(path: Path) -> list[Any]:
    return BundleStore(path).scan("log_lines").collect()["template"].to_list()


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (
            "[rank3]: 2026-11-20 10:00:01,123 step 12/100000 loss -2.5e-04 lr=3.0E-4",
            "[rank#]: #-#-# # step #/# loss # lr=#",
        ),
        ("at 0x7ffd3a2b commit 9f3ab21 deadbeef7 node3 3fast feed", "at # commit # # node# #fast feed"),
        ("3x4 and 1920x1080", "# and #"),
        ("\x1b[31mred 5\x1b[0m", "red #"),
        ("50%|█████▌    | 5/10 [00:01<00:02, 1.5it/s]", "#%|█ | #/# [#<# #it/s]"),
        ("   padded\t   12  ", "padded #"),
        ("é 3 ü", "é # ü"),
        ("", ""),
        (None, None),
        ("x" * 500, "x" * 120),
    ],
)
def test_numbers_are_put_aside(line: str | None, kind: str | None) -> None:
    assert kinds(line) == [kind]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.none() | st.text(st.sampled_from("a7 é0x-█#\x1b[m"), max_size=12), max_size=8), st.integers(0, 4))
def test_a_line_is_of_the_same_kind_whatever_stands_around_it(texts: list[str | None], cut: int) -> None:
    array = pa.array(texts, pa.string())
    told = templates.of(array.slice(cut)).to_pylist()
    assert told == [kinds(text)[0] for text in texts[cut:]]
    numbers = [text and text.replace("7", "31") for text in texts[cut:]]
    assert kinds(*numbers) == told, "a number is a number"


def test_frequent_kinds_are_stored_once_and_rare_ones_are_left_out(tmp_path: Path) -> None:
    texts = [f"step {n} loss {n / 7:.3f}" for n in range(2000)] + ["only once"] + [f"saved {n}" for n in range(16)]
    merge_rows([("s", lines(texts))], tmp_path / "a")
    told = stored(tmp_path / "a")
    assert told == ["step # loss #"] * 2000 + [None] + ["saved #"] * 16
    assert verify(tmp_path / "a").problems == ()
    sizes = BundleStore(tmp_path / "a").info.manifest["members"]
    without = parquet.Writer(tmp_path / "plain", "log_lines")
    without.write(lines(texts)[0][1])
    without.close()
    assert sum(m["size"] for m in sizes if m["table"] == "log_lines") < (tmp_path / "plain").stat().st_size + 400


def test_of_more_kinds_than_there_is_room_for_the_most_frequent_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "_MOST", 2)
    monkeypatch.setattr(templates, "LEAST_LINES", 1)
    texts = ["b", "a", "c", "c", "a", "b", "b", "d"]
    table = pa.Table.from_batches([lines(texts)[0][1]])
    told = templates.fill(table).column("template").to_pylist()
    assert told == ["b", "a", None, None, "a", "b", "b", None], "of a and c, which are as frequent, the first by name"


def test_lines_without_text_and_of_rare_kinds_have_none() -> None:
    table = pa.Table.from_batches([lines(["x 1", None])[0][1]])  # type: ignore[list-item]
    assert templates.fill(table).column("template").to_pylist() == [None, None]


@settings(max_examples=5, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a 1", "a 2", "b"]), min_size=9, max_size=30), min_size=2, max_size=3))
def test_bundles_of_parts_merge_to_the_kinds_of_the_whole(parts: list[list[str]]) -> None:
    sources = [("s", lines(texts, capture=f"c{n}")) for n, texts in enumerate(parts)]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        whole = merge_rows(sources, out / "whole")
        paths = []
        for number, source in enumerate(sources):
            paths.append(out / str(number))
            merge_rows([source], paths[-1])
        joined = merge(paths, out / "joined")
        assert joined.content_digest == whole.content_digest
        assert joined.conflicts == {}


def test_a_kind_that_an_input_claims_is_not_believed(tmp_path: Path) -> None:
    merge_rows([("s", lines(["step 1"] * 20, template="all is well"))], tmp_path / "a")
    assert set(stored(tmp_path / "a")) == {"step #"}


def test_what_is_masked_later_leaves_the_kinds_too(tmp_path: Path) -> None:
    texts = [f"rank {n}: worker gpunode of alice is up" for n in range(20)]
    rows = lines(texts)
    jobs = [{"node": "gpunode", "capture": "c0", "seq": 0, "user": "alice", "job_id": "1", "node_list": "gpunode"}]
    rows.append(("slurm_jobs", pa.RecordBatch.from_pylist(jobs, schema=parquet.plain_schema("slurm_jobs"))))
    merge_rows([("s", rows)], tmp_path / "a.inquest")
    assert set(stored(tmp_path / "a.inquest")) == {"rank # worker gpunode of alice is up"}
    redact(tmp_path / "a.inquest", tmp_path / "b.inquest", sorts=("users", "hosts"), key=b"k" * 32)
    told = BundleStore(tmp_path / "b.inquest").scan("log_lines").collect()
    assert told["template"].to_list() == kinds(*told["text"])
    assert not told["template"].str.contains("alice|gpunode").any()
    assert b"alice" not in (tmp_path / "b.inquest").read_bytes()


def test_info_shows_kinds_that_most_and_fewest_lines_are_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [f"{name} {n}" for count, name in enumerate("pqrstuvw", 16) for n in range(count)]
    merge_rows([("s", lines([*texts, "rare"]))], tmp_path / "a.inquest")
    assert dispatch(["info", str(tmp_path / "a.inquest")]) == 0
    shown = capsys.readouterr().out
    assert "8 kinds of lines; 1 of 157 lines are of rarer ones" in shown
    assert dispatch(["info", "--json", str(tmp_path / "a.inquest")]) == 0
    log = json.loads(capsys.readouterr().out)["log_lines"]
    assert [(kind["template"], kind["lines"]) for kind in log["most"]] == [("w #", 23), ("v #", 22), ("u #", 21)]
    assert [kind["template"] for kind in log["fewest"]] == ["r #", "q #", "p #"]


def test_info_of_a_bundle_without_lines_says_nothing_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"node": "n0", "capture": "c0", "seq": 0, "memory_available_bytes": 1}]
    batch = pa.RecordBatch.from_pylist(rows, schema=parquet.plain_schema("host_samples"))
    merge_rows([("s", [("host_samples", batch)])], tmp_path / "a.inquest")
    assert dispatch(["info", str(tmp_path / "a.inquest")]) == 0
    assert "kinds of lines" not in capsys.readouterr().out
