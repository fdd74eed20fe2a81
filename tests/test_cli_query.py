"""query as a user meets it: files and formats, node directories, limits, and many nodes at once."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from inquest.analyze.fleet import mark_outliers, union
from inquest.bundle.errors import UsageError
from inquest.bundle.fanout import parse_hosts, parse_via
from inquest.cli import dispatch
from tests.bundle.test_merge import record

if TYPE_CHECKING:
    from pathlib import Path

SQL = "SELECT node, COUNT(*) AS n, MAX(ts) AS last FROM host_samples GROUP BY node ORDER BY node"


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_node_directory_answers_and_is_not_touched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(tmp_path / "out", "n0")
    record(tmp_path / "out", "n1", ranks=(2,))
    before = tree(tmp_path)
    for where, nodes in ((tmp_path / "out", ["n0", "n1"]), (tmp_path / "out" / "n1", ["n1"])):
        assert dispatch(["query", str(where), SQL, "--json"]) == 0
        assert [row["node"] for row in json.loads(capsys.readouterr().out)] == nodes
    assert tree(tmp_path) == before
    assert dispatch(["query", str(tmp_path), SQL]) == 5


def test_files_of_every_format_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(tmp_path / "out", "n0")
    call = ["query", str(tmp_path / "out"), SQL, "-o"]
    for name in ("a.parquet", "a.csv", "a.json"):
        assert dispatch([*call, str(tmp_path / name)]) == 0
    frame = pl.read_parquet(tmp_path / "a.parquet")
    assert frame.schema["last"] == pl.Datetime("ns", "UTC")
    rows = json.loads((tmp_path / "a.json").read_text())
    lines = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text())))
    assert [str(row["n"]) for row in rows] == [line["n"] for line in lines] == [str(n) for n in frame["n"]]
    assert dispatch([*call, str(tmp_path / "a.csv")]) == 2
    assert "--force" in capsys.readouterr().err
    assert dispatch([*call, str(tmp_path / "a.csv"), "--force"]) == 0
    assert dispatch([*call, str(tmp_path / "a.xlsx")]) == 2
    assert "--format" in capsys.readouterr().err
    assert dispatch(["query", str(tmp_path / "out"), SQL, "--format", "parquet"]) == 2
    assert dispatch(["query", SQL]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.json", "a.parquet", "out"]


def test_a_query_cannot_take_the_memory_or_the_time_of_the_desk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record(tmp_path / "out", "n0")
    joins = " ".join(f"JOIN host_samples {t} ON a.node = {t}.node" for t in "bcdef")
    # 50^6 rows, each counted apart: neither memory nor time is enough.
    sql = f"SELECT a.seq + b.seq * 50 + c.seq * 2500 AS x, COUNT(*) FROM host_samples a {joins} GROUP BY x ORDER BY x"
    assert dispatch(["query", str(tmp_path / "out"), sql, "--memory", "512", "--timeout", "240"]) == 2
    said = capsys.readouterr().err
    assert "needs more memory than 512 MiB" in said
    assert dispatch(["query", str(tmp_path / "out"), sql, "--memory", "65536", "--timeout", "0.5"]) == 2
    assert "ran past 0.5 s" in capsys.readouterr().err
    assert dispatch(["query", str(tmp_path / "out"), SQL]) == 0, "the asker is as well as before"


# --- many nodes ---------------------------------------------------------------------------------------------------


def test_nothing_is_sent_that_the_allow_list_refuses(capsys: pytest.CaptureFixture[str]) -> None:
    assert dispatch(["query", "--hosts", "n1", "--via", "srun", "SELECT * FROM read_csv('/etc/passwd')"]) == 2
    assert "refused" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["-oProxyCommand=x", "a,-b", "a;b", "a b", "$(x)", "a\n-b", "", "@/none", "a`b`", "^f"]
)
def test_names_that_no_host_has_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_hosts(text)


def test_hosts_of_every_form(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("# mine\ngpu[01-03],login1\nroot@a.b  # with a user\n\ngpu02\n")
    assert parse_hosts(f"@{tmp_path}/hosts") == ("gpu01", "gpu02", "gpu03", "login1", "root@a.b")


@pytest.mark.parametrize("text", ["sh", "", "bash -c x", "'ssh"])
def test_other_ways_to_a_node_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_via(text)


def test_outliers_are_far_from_the_median_of_all() -> None:
    rows = union(
        {f"n{i}": [{"t": 60.0 + i % 3, "same": 7, "pid": 10**i, "name": "x"}] for i in range(9)}
        | {"n9": [{"t": 95, "same": 9, "pid": 1, "name": None}]}
    )
    marked = mark_outliers(rows)
    assert marked.columns == ["node", "t", "same", "pid", "name", "outlier"]
    assert marked["outlier"].to_list() == [None] * 9 + ["t,same"]
    assert mark_outliers(rows.head(4))["outlier"].null_count() == 4, "four tell nothing"


def test_union_of_unlike_rows() -> None:
    rows = union({"a": [{"node": "x", "v": 1}], "b": [], "c": [{"w": 1.5, "v": "text"}, {"v": None}]})
    assert rows.to_dicts() == [
        {"host": "a", "node": "x", "v": "1", "w": None},
        {"host": "c", "node": None, "v": "text", "w": 1.5},
        {"host": "c", "node": None, "v": None, "w": None},
    ]
