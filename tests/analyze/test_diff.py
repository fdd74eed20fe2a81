"""What is new since the good run: found where it is, not found where it is not, and absence told from change."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze import diff_read, diff_words
from inquest.analyze.diff import Diff, diff
from inquest.analyze.engine import analyze
from inquest.bundle.merge import merge
from inquest.bundle.store import BundleStore, MemoryStore
from inquest.render import diff_view

from ..conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Verdict

Side = tuple[str, "Verdict", "Evidence"]
S = 10**9
START = 1_790_000_000 * S


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory) -> tuple[Side, Side]:
    """The recording of a good run, and of one whose loss became NaN by its arguments."""
    folder = tmp_path_factory.mktemp("diff")
    made = []
    for name in ("healthy", "loss_becomes_nan"):
        out = folder / f"{name}.inquest"
        merge([path for path in (ROOT / "samples" / "recorded" / name).iterdir() if path.is_dir()], out)
        made.append((name, *analyze(BundleStore(out))))
    return made[0], made[1]


@pytest.fixture(scope="module")
def found(sides: tuple[Side, Side]) -> Diff:
    return diff(*sides)


def side(name: str, rows: dict[str, list[dict[str, Any]]]) -> Side:
    return name, *analyze(MemoryStore.from_rows(rows))


def compare(a: dict[str, list[dict[str, Any]]], b: dict[str, list[dict[str, Any]]]) -> Diff:
    return diff(side("a", a), side("b", b))


def lines(*texts: str) -> dict[str, list[dict[str, Any]]]:
    return {
        "log_lines": [
            {"ts_ns": START + i * S, "source": "out", "offset": i, "text": text, "eol": "lf", "stream": "stdout"}
            for i, text in enumerate(texts)
        ]
    }


def names(found: Diff, topic: str = "") -> list[str]:
    return [item.name for item in found.differences if topic in ("", item.topic)]


# --- on recordings of real jobs ---------------------------------------------------------------------------------------
def test_the_cause_is_among_what_is_new(found: Diff) -> None:
    by_name = {item.name: item for item in found.differences}
    assert by_name["lr (printed)"].a == ("0.003",)
    assert by_name["lr (printed)"].b == ("3e+17",)
    assert by_name["--steps"].b == ("200",)
    assert found.differences[0].topic == "learning", "B is about learning, so that comes first"
    assert any(isinstance(item.b[0], str) and item.b[0] == "nan" for item in found.differences if item.b)


def test_what_differs_at_every_start_comes_last(found: Diff) -> None:
    last = found.differences[-1]
    assert "port" in last.name.lower()
    assert last.because == "differs at every start"


def test_every_difference_can_be_seen_in_both_bundles(found: Diff, sides: tuple[Side, Side]) -> None:
    for item in found.differences:
        for sql, values, (_, _, evidence) in ((item.sql_a, item.a, sides[0]), (item.sql_b, item.b, sides[1])):
            rows = [str(value) for value in evidence.sql(sql).to_series(0)]
            for value in values:
                if isinstance(value, str):
                    assert any(value == "set" or value in row or value.replace("e+", "e") in row for row in rows), item
                else:
                    assert any(math.isclose(float(row), float(value), rel_tol=1e-3) for row in rows), item


def test_a_run_has_nothing_new_against_itself(sides: tuple[Side, Side]) -> None:
    found = diff(sides[1], sides[1])
    assert found.differences == ()
    assert {item.lacks for item in found.lacking} == {"both"}
    assert len(found.same) > 30


def test_the_same_bundles_give_the_same_bytes(found: Diff, sides: tuple[Side, Side]) -> None:
    assert diff_view.to_json(diff(*sides)) == diff_view.to_json(found)


# --- absent is not changed --------------------------------------------------------------------------------------------
def test_absent_is_not_changed() -> None:
    a = {"node_info": [{"driver_version": "550.54", "kernel": "6.1"}]}
    b = {"node_info": [{"kernel": "6.2"}]}
    found = compare(a, b)
    assert "NVIDIA driver" not in names(found)
    assert [item.lacks for item in found.lacking if item.name == "NVIDIA driver"] == ["b"]
    assert "Kernel" in names(found)
    assert [item.lacks for item in compare(b, a).lacking if item.name == "NVIDIA driver"] == ["a"]


def test_an_option_that_is_gone_is_told_from_arguments_nobody_recorded() -> None:
    def job(argv: str | None) -> dict[str, list[dict[str, Any]]]:
        return {"processes": [{"role": "rank", "event": "start", "rank": 0, "pid": 1, "argv": argv}]}

    found = compare(job("python t.py --bf16 --lr 1e-4"), job("python t.py --lr 1e-4"))
    assert [(item.name, item.change) for item in found.differences if item.name.startswith("--")] == [
        ("--bf16", "gone")
    ]
    unknown = compare(job("python t.py --bf16"), job(None))
    assert not [name for name in names(unknown) if name.startswith("--")]
    assert ("arguments", "b") in {(item.name, item.lacks) for item in unknown.lacking}


def test_only_the_nodes_that_changed_are_named() -> None:
    a = {"node_info": [{"node": f"n{i}", "driver_version": "550"} for i in range(4)]}
    b = {"node_info": [{"node": f"n{i}", "driver_version": "560" if i == 2 else "550"} for i in range(4)]}
    (item,) = [item for item in compare(a, b).differences if item.name == "NVIDIA driver"]
    assert item.where == "n2"
    assert item.a == ("550",)
    assert item.b == ("550", "560")


def test_a_node_that_the_verdict_blames_stands_high() -> None:
    b = {
        "node_info": [{"node": node} for node in ("n1", "bad-7")],
        "kernel_log": [
            {"node": "bad-7", "ts_ns": START, "text": "NVRM: Xid (PCI:0000:1a:00): 79, GPU has fallen off the bus."}
        ],
        "log_lines": [
            {
                "node": "bad-7",
                "ts_ns": START + S,
                "source": "out",
                "text": "RuntimeError: CUDA error: unspecified launch failure",
            }
        ],
        "slurm_jobs": [{"job_id": "1", "state": "FAILED", "start_ns": START - 60 * S, "end_ns": START + 2 * S}],
    }
    found = compare({"node_info": [{"node": "n1"}, {"node": "n3"}]}, b)
    order = names(found)
    assert "Nodes" in order[:4]
    assert "bad-7" in next(item for item in found.differences if item.name == "Nodes").text


# --- messages ---------------------------------------------------------------------------------------------------------
def test_a_message_is_one_whatever_its_numbers() -> None:
    a = lines("[rank3]: 2026-01-02 03:04:05 WARNING retrying connection 3 to 10.0.0.7:2345 in 1.5 s (/a/b/c.py:12)")
    b = lines("[rank0]: 2026-11-20 10:11:12,345 WARNING retrying connection 17 to 10.1.9.99:80 in 90 s (/x/y.py:9)")
    assert names(compare(a, b), "messages") == []


def test_a_new_warning_is_told_and_a_gone_one_too() -> None:
    a = lines("warning: tokenizer is slow", "fine")
    b = lines(*(f"WARNING: gradient overflow in group {i}, skipping" for i in range(5)), "fine")
    found = compare(a, b)
    told = {item.change: item for item in found.differences if item.topic == "messages"}
    assert told["new"].b == (5,)
    assert told["new"].a == (0,)
    assert "gradient overflow" in told["new"].text
    assert "tokenizer is slow" in told["gone"].text


@pytest.mark.parametrize(
    "text",
    [
        "error: it's 100% \"broken\" -- '; DROP TABLE log_lines; --",
        "ERROR \x1b[31mred\u202e <script>alert(1)</script> %s %d",
        "fatal: " + "x%_" * 200,
        "error " + "\u2028" * 5 + " in a line",
    ],
)
def test_a_hostile_line_breaks_neither_sql_nor_page(text: str) -> None:
    a, b = side("a", lines("fine")), side("b", lines(text, "fine"))
    found = diff(a, b)
    told = [item for item in found.differences if item.topic == "messages"]
    assert told
    for item in told:
        assert b[2].sql(item.sql_b).item() == 1
        assert a[2].sql(item.sql_a).item() == 0
    page = diff_view.to_html(found, a[2], b[2]).decode()
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert json.loads(diff_view.to_json(found))["schema"] == "inquest-diff/1"


def test_a_traceback_is_one_message_not_its_lines() -> None:
    trace = (
        "Traceback (most recent call last):",
        '  File "/work/train.py", line 3, in main',
        "    raise ValueError('failed to parse error field')",
        "ValueError: failed to parse error field",
    )
    told = [item for item in compare(lines("fine"), lines(*trace)).differences if item.topic == "messages"]
    assert len(told) == 1
    assert "ValueError at /work/train.py" in told[0].name


def test_the_lines_looked_at_are_bounded_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff_words, "MOST_LINES", 3)
    found = compare(lines("fine"), lines(*(f"error number {chr(97 + i) * 9}" for i in range(9))))
    assert any("only the first 3 lines" in note for note in found.notes)


# --- numbers ----------------------------------------------------------------------------------------------------------
def training(loss: float, seconds: float, steps: int = 30) -> dict[str, list[dict[str, Any]]]:
    texts = [f"step {i}/{steps} loss {loss * (1 - i / 100):.4f} step_time {seconds:.3f}s" for i in range(1, steps + 1)]
    return lines(*texts)


def test_noise_is_no_difference_and_a_slow_run_is() -> None:
    assert names(compare(training(2.0, 1.0), training(2.01, 1.02))) == []
    slow = compare(training(2.0, 1.0), training(2.0, 1.5))
    (item,) = [item for item in slow.differences if item.topic == "pace"]
    assert (item.name, item.change) == ("Time of a step", "more")
    assert "1.50 times" in item.text


def test_loss_is_compared_at_equal_steps_only() -> None:
    found = compare(training(2.0, 1.0), training(4.0, 1.0, steps=10))
    told = names(found, "learning")
    assert told
    assert all(int(name.split()[3]) <= 10 for name in told)


# --- what is read out of text -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (
            "python -u train.py --lr 1e-4 --bf16",
            {"--lr": {"1e-4"}, "--bf16": {"set"}, "-u": {"set"}, "program": {"train.py"}},
        ),
        ("python train.py --lr=1e-4 model.size=7b +x=1", {"--lr": {"1e-4"}, "model.size": {"7b"}, "+x": {"1"}}),
        (
            "python -m pkg.train --shift -1.5 --names a b c",
            {"--shift": {"-1.5"}, "--names": {"a b c"}, "program": {"pkg.train"}},
        ),
        ("", {}),
        ("--", {}),
    ],
)
def test_options_of_a_command_line(argv: str, told: dict[str, set[str]]) -> None:
    found = diff_read._options([argv])
    assert {name: found.get(name) for name in told} == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("  lr .................................... 0.0003", {"lr": "0.0003"}),
        ("[INFO] [config.py:1003:print]   train_batch_size ............. 32", {"train_batch_size": "32"}),
        ("Namespace(lr=0.1, model='a,b', layers=[1, 2])", {"lr": "0.1", "model": "'a,b'", "layers": "[1, 2]"}),
        ("arguments {'data': PosixPath('data'), 'lr': 0.003}", {"data": "PosixPath('data')", "lr": "0.003"}),
        ("{'loss': 1.2, 'epoch': 3}", {}),
        ("Loading ... done", {}),
    ],
)
def test_settings_that_a_job_prints(text: str, told: dict[str, str]) -> None:
    assert dict(diff_read._settings(text)) == told


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("NCCL version 2.21.5+cuda12.4", "nccl", "2.21.5+cuda12.4"),
        ("PyTorch version: 2.5.1", "torch", "2.5.1"),
        ("torch==2.6.0", "torch", "2.6.0"),
        ("transformers version 4.46.3", "transformers", "4.46.3"),
    ],
)
def test_versions_that_are_printed_are_compared(text: str, name: str, version: str) -> None:
    found = compare(lines("NCCL version 1.0.0", "torch==1.0.0", "transformers version 1.0.0"), lines(text))
    item = next(item for item in found.differences if item.name == f"{name} (printed)")
    assert item.b == (version,)


def test_a_text_view_tells_what_could_not_be_compared(found: Diff, tmp_path: Path) -> None:
    text = diff_view.to_text(found).decode()
    assert "Captured in neither: NVIDIA driver" in text
    assert "Equal in both" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_job_that_prints_settings_without_end_makes_no_page_without_end() -> None:
    flood = lines(*(f"  setting_{i} .................... {i}" for i in range(3000)))
    found = compare(lines("  setting_x .................... 1"), flood)
    assert len(found.differences) <= diff_read._MOST_NAMES + 10
