"""`inquest timeline`: the trace as a file, and where a claim stands in it."""

import gzip
import json
import re
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from .conftest import inquest
from .render.trace_processor import Unavailable, open_trace

RECORDED = Path(__file__).parent.parent / "samples" / "recorded" / "rank_lost"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    path = tmp_path_factory.mktemp("timeline") / "job.inquest"
    assert inquest("merge", *sorted(RECORDED.glob("node*")), "-o", path).returncode == 0
    return path


@pytest.fixture(scope="module")
def claim(bundle):
    said = inquest("timeline", bundle, "--claim", "A2.1", "--json")
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


def test_the_trace_is_the_same_compressed(bundle, tmp_path):
    plain, packed = tmp_path / "a.pftrace", tmp_path / "a.pftrace.gz"
    for path in (plain, packed):
        assert inquest("timeline", bundle, "-o", path).returncode == 0
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    again = inquest("timeline", bundle, "-o", packed)
    assert (again.returncode, "exists" in again.stderr) == (2, True)


def test_a_claim_is_found_by_the_sql_that_is_told(bundle, claim, tmp_path):
    path = tmp_path / "job.pftrace"
    inquest("timeline", bundle, "-o", path)
    try:
        trace = open_trace(path.read_bytes())
    except Unavailable as why:
        pytest.skip(str(why))
    told = claim["claim"]
    (row,) = trace.query(told["sql"])
    assert (row.ts, row.name) == (told["ts_ns"], "claim A2.1")
    parents = {row.name: row.parent for row in trace.query(
        "select t.name as name, p.name as parent from track t left join track p on t.parent_id = p.id"
    )}  # fmt: skip
    assert parents[told["track"][-1]] == told["track"][0]
    assert ["node-b", "Ranks", "rank 3"] in told["home"]
    assert parents["rank 3"] == "Ranks"


def test_the_address_pins_the_culprit_and_shows_its_time(claim):
    asked = parse_qs(claim["fragment"].removeprefix("#!/?"))
    commands = json.loads(asked["startupCommands"][0])
    pinned = [re.compile(c["args"][0]) for c in commands if c["id"] == "dev.perfetto.PinTracksByRegex"]
    names = [
        "Verdict",
        "claims",
        "rank 3 steps",
        "rank 3 process 9 (x)",
        "rank 3",
        "rank 31 steps",
        "node-b",
        "xVerdict",
    ]
    assert [name for name in names if any(regex.search(name) for regex in pinned)] == names[:4]
    opened = [re.compile(c["args"][0]) for c in commands if c["id"] == "dev.perfetto.ExpandTracksByRegex"]
    names = ["node-b", "node-b 2", "Ranks", "node-bb"]
    assert [name for name in names if any(regex.search(name) for regex in opened)] == names[:3]
    begin, end = int(asked["visStart"][0]), int(asked["visEnd"][0])
    assert begin < claim["claim"]["ts_ns"] < end


def test_a_claim_that_is_not_there_is_named_with_those_that_are(bundle):
    said = inquest("timeline", bundle, "--claim", "Z9.9")
    assert said.returncode == 2
    assert "no claim 'Z9.9'" in said.stderr
    assert "A2.1" in said.stderr
