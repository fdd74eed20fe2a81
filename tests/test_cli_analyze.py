"""analyze, explain and cite, as a user calls them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import jsonschema
import pytest

from .conftest import ROOT

SCHEMA = json.loads((ROOT / "analyze" / "verdict_schema.json").read_text())

JOB = """
print("Training starts", flush=True)
for n in range(1, 31):
    print(f"step {n}/400 loss {4.0 - n * 0.01:.4f} lr 1.0e-04", flush=True)
raise ValueError("shard 7 holds no samples <script>alert(1)</script>")
"""
CRASH = """step 1/400 loss 4.01
step 2/400 loss 3.99
Traceback (most recent call last):
  File "/w/train.py", line 5, in <module>
    main()
ValueError: shard 7 holds no samples
"""
CANCELLED = """step 1/400 loss 4.01
step 2/400 loss 3.99
^CTraceback (most recent call last):
  File "/w/train.py", line 5, in <module>
    main()
KeyboardInterrupt
"""


def inquest(*args, cwd, stdin=None):
    return subprocess.run(
        [sys.executable, "-m", "inquest", *map(str, args)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """A directory with job.inquest, recorded from a real process that crashed, and its verdict in out/."""
    where = tmp_path_factory.mktemp("job")
    (where / "job.py").write_text(JOB)
    run = inquest("run", "--out", "rec", "--node", "node01", "--", sys.executable, "job.py", cwd=where)
    assert run.returncode == 1, run.stderr
    merged = inquest("merge", "rec/node01", "-o", "job.inquest", cwd=where)
    assert merged.returncode == 0, merged.stderr
    before = (where / "job.inquest").read_bytes()
    done = inquest("analyze", "job.inquest", "-o", "out", cwd=where)
    assert done.returncode == 3, done.stdout + done.stderr
    assert (where / "job.inquest").read_bytes() == before
    (where / "stdout.txt").write_text(done.stdout)
    return where


def test_the_verdict_and_its_views_are_written(job):
    verdict = json.loads((job / "out" / "verdict.json").read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(verdict)
    assert (verdict["family"], verdict["sub_mode"]) == ("A1", "mid_run")
    assert "shard 7 holds no samples" in verdict["headline"]
    assert (job / "out" / "report.html").stat().st_size > 10_000
    assert (job / "out" / "timeline.pftrace").stat().st_size > 100
    shown = (job / "stdout.txt").read_text()
    for name in ("verdict.json", "report.html", "timeline.pftrace"):
        assert f"out/{name}" in shown
    assert "A1" in shown
    assert "\x1b" not in shown


def test_json_on_standard_output_is_the_file(job, tmp_path):
    done = inquest("analyze", job / "job.inquest", "-o", tmp_path / "again", "--json", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout == (job / "out" / "verdict.json").read_text()


def test_an_earlier_analysis_is_not_replaced_unasked(job):
    before = (job / "out" / "verdict.json").stat().st_mtime_ns
    refused = inquest("analyze", "job.inquest", "-o", "out", cwd=job)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--force" in refused.stderr
    assert (job / "out" / "verdict.json").stat().st_mtime_ns == before
    assert inquest("analyze", "job.inquest", "-o", "out", "--force", cwd=job).returncode == 3


@pytest.mark.parametrize(
    ("make", "code", "word"),
    [
        (lambda path: path.mkdir(), 2, "merge"),
        (lambda path: path.write_text("not a bundle"), 5, "bundle"),
        (lambda path: None, 5, "no such file"),
    ],
)
def test_what_is_no_bundle_is_one_clear_sentence(make, code, word, tmp_path):
    make(tmp_path / "x.inquest")
    done = inquest("analyze", "x.inquest", cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert word in done.stderr.lower()
    assert "x.inquest" in done.stderr
    assert "Traceback" not in done.stderr


# --- cite -----------------------------------------------------------------------------------------------------------
def test_a_claim_is_run_again(job):
    for more in ([], ["--verdict", "out/verdict.json"]):
        done = inquest("cite", "job.inquest", "A1.1", *more, cwd=job)
        assert done.returncode == 0, done.stderr
        assert "SELECT" in done.stdout
        assert "ValueError" in done.stdout
        assert "row " in done.stdout


def test_a_claim_as_json(job):
    told = json.loads(inquest("cite", "job.inquest", "A1.1", "--json", cwd=job).stdout)
    assert (told["same"], told["value_now"]) == (True, "ValueError")
    assert told["content"][0]["exc_type"] == "ValueError"


@pytest.mark.parametrize(
    ("spoil", "code", "word"),
    [
        (lambda v: v["shows"][0].update(value="KeyError"), 5, "no longer holds"),
        (lambda v: v["shows"][0].update(sql="SELECT * FROM read_csv('/etc/passwd')"), 5, "refused"),
        (lambda v: v["shows"][0].update(sql="SELECT text FROM '/etc/passwd'"), 5, "no table"),
        (lambda v: v["shows"][0].update(sql=7), 5, "not an inquest verdict"),
        (lambda v: v["bundle"].update(content_digest="0" * 64), 5, "other evidence"),
        (lambda v: v.update(schema="inquest-verdict/9"), 5, "schema"),
        (lambda v: v.pop("shows"), 5, "not an inquest verdict"),
        (lambda v: v["shows"].clear(), 2, "no claim"),
    ],
)
def test_a_stranger_s_verdict_is_not_trusted(job, tmp_path, spoil, code, word):
    verdict = json.loads((job / "out" / "verdict.json").read_text())
    spoil(verdict)
    (tmp_path / "v.json").write_text(json.dumps(verdict))
    done = inquest("cite", job / "job.inquest", "A1.1", "--verdict", "v.json", cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert word in done.stderr
    assert "root:" not in done.stdout + done.stderr


# --- explain --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "more", "code", "outcome"),
    [
        (CRASH, (), 3, "decided"),
        (CRASH, ("--exit-code", "1"), 3, "decided"),
        (CANCELLED, (), 6, "outside_families"),
        ("", (), 4, "cannot_decide"),
        ("hello\n", ("--exit-code", "0"), 4, "cannot_decide"),
        ("step 1/9 loss 4.0\n", ("--signal", "9"), 3, "decided"),
    ],
)
def test_a_log_alone_is_explained(text, more, code, outcome, tmp_path):
    (tmp_path / "slurm-1.out").write_text(text)
    done = inquest("explain", "slurm-1.out", "--json", *more, cwd=tmp_path)
    assert done.returncode == code, done.stderr + done.stdout
    verdict = json.loads(done.stdout)
    jsonschema.Draft202012Validator(SCHEMA).validate(verdict)
    assert verdict["outcome"] == outcome


def test_a_pipe_a_directory_and_a_compressed_log_say_the_same(tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "a.log").write_text(CRASH)
    (tmp_path / "b.log.gz").write_bytes(gzip.compress(CRASH.encode()))
    said = [
        inquest("explain", "-", cwd=tmp_path, stdin=CRASH),
        inquest("explain", "logs", cwd=tmp_path),
        inquest("explain", "b.log.gz", cwd=tmp_path),
    ]
    assert {done.returncode for done in said} == {3}
    assert all("shard 7 holds no samples" in done.stdout for done in said)


def test_explain_of_nothing_there(tmp_path):
    done = inquest("explain", "nothing.log", cwd=tmp_path)
    assert done.returncode == 5
    assert "nothing.log" in done.stderr


def test_explain_does_not_wait_for_what_it_does_not_need():
    """Start-up time: the report's and the bundle's libraries stay unopened."""
    code = (
        "import sys; import inquest.cli.explain, inquest.analyze.engine, inquest.bundle.logs_import; "
        "print(*sorted({'pyarrow.parquet', 'jinja2', 'perfetto', 'google.protobuf'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("verb", ["analyze", "explain", "cite"])
def test_help_names_the_verb_and_an_example(verb, tmp_path):
    done = inquest(verb, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert f"inquest {verb}" in " ".join(done.stdout.split())
