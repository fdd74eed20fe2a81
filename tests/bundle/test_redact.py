"""Redaction: names go, everything that the evidence says stays."""

from __future__ import annotations

import dataclasses
import json
import re
import time
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.errors import InputError, UsageError
from inquest.bundle.manifest import open_bundle
from inquest.bundle.merge import merge
from inquest.bundle.pseudonyms import SORTS, TOKEN, Pseudonyms
from inquest.bundle.redact import read_key, redact
from inquest.bundle.schema import RECORDED
from inquest.bundle.store import BundleStore
from inquest.bundle.verify import verify
from tests.bundle.forge import PROVENANCE, write_bundle
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

KEY = b"k" * 32
RECORDINGS = sorted(path.name for path in (ROOT / "samples" / "recorded").iterdir())


UUID = "5a96fdf0-2b1c-4d3e-8f10-123456789abc"


def ready(*, hosts: str = "", users: str = "", paths: str = "", jobs: tuple[str, ...] = ()) -> Pseudonyms:
    names = Pseudonyms(SORTS, KEY)
    names.learn_gpus(f"GPU-{UUID}")
    for job in jobs:
        names.learn_job(job)
    for host in filter(None, hosts.split()):
        names.learn_hosts(host)
    for user in users.split():
        names.learn_user(user)
    for path in paths.split():
        names.learn_path(path)
    names.ready()
    return names


# --- the words ----------------------------------------------------------------------------------------------------

JOBS = ("falcon-7b sft", "orion_v2", "train")
HOST = ready(
    hosts="gpu[001-004] login.hpc.example.org", users="alice train", paths="/home/alice/moonshot/run_llm.py", jobs=JOBS
)
G1, G2 = HOST.node("gpu001"), HOST.node("gpu002")
ALICE = HOST.user("alice")


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("[gpu001]: hello", "gpu001"),
        ("gpu001:29500", "gpu001"),
        ("slurm_gpu001-ib0", "gpu001"),
        ("gpu001.hpc.example.org said", "example"),
        ("store1.hpc.example.org said", "store1"),
        ("NODES=gpu[001-002,004]", "gpu"),
        ("https://proxy.corp.example/a", "corp"),
        ("tcp://gpu001:29500", "gpu001"),
        ("ssh alice@gpu001", "alice"),
        ("ssh train@gpu001", "train"),
        ("UserId=train(1000) owner=train", "train"),
        ("/home/alice/moonshot/run_llm.py", "moonshot"),
        ("/home/alice/moonshot/run_llm.py", "alice"),
        ('File "/home/alice/moonshot/run_llm.py", line 3', "run_llm"),
        ('File "run_llm.py", line 3', "run_llm"),
        ("python run_llm.py --data=/data/moonshot", "run_llm"),
        ("gcc -I/home/alice/moonshot/include", "moonshot"),
        ("PATH=/a:/home/bob/secretdir:/b", "bob"),
        ("s3://secretbucket/secretproject/x.pt", "secretproject"),
        ("see configs/moonshot.yaml", "moonshot"),
        ("/mnt/gpu001/logs/moonshot-gpu001-x.log", "gpu001"),
        ("/mnt/gpu001/logs/moonshot-gpu001-x.log", "moonshot"),
        ("from 10.1.2.3 port 22", "10.1.2.3"),
        ("[10.1.2.3]:29500", "10.1.2.3"),
        ("fe80::aabb:ccdd:1 and", "ccdd"),
        ("link 00:1b:21:3c:9d:f8 up", "1b:21"),
        ("starting orion_v2 now", "orion"),
        ("sbatch --job-name=orion_v2 go.sh", "orion"),
        ("/logs/orion_v2-77.out", "orion"),
        ('JobName="falcon-7b sft"', "falcon"),
        (f"NVRM: GPU at PCI:0000:3b:00: GPU-{UUID}", UUID),
        (f"MIG-{UUID} is used", UUID),
        (f"device {UUID} is used", UUID),
        ("NVRM: GPU Board Serial Number: 1322221045733", "1322221045733"),
        ('"serial": "1322221045733"', "1322221045733"),
        ("    Serial Number                         : 1322221045733", "1322221045733"),
    ],
)
def test_names_go(text: str, gone: str) -> None:
    assert gone not in HOST.text(text)
    assert HOST.text(HOST.text(text)) == HOST.text(text), "again changes nothing"


@pytest.mark.parametrize(
    "text",
    [
        "Root Cause (first observed failure):",
        "root train loss 0.1 at 12:34:56, 33.1 tokens/s, 3/100 it/s",
        "torch.distributed.elastic.multiprocessing.api.py:1002",
        "torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: 1)",
        "/usr/lib/python3.11/runpy.py",
        "127.0.0.1:8080 ::1 0.0.0.0 localhost",
        "c10d::ProcessGroupNCCL std::vector at::Tensor nvidia-cublas-cu12==12.1.3.1",
        "https://pytorch.org/docs/stable/elastic/errors.html",
        "rank_0/stdout.log logs/rank_12/stderr.log slurm-1234.out checkpoint-500/",
        "boot 5ae3e2f0-5a38-4a2b-9f4f-1f0a1d3ab2c4 0xdeadbeef 1e-05",
        "serialized 1322221045733 tensors, serial execution",
        "GPU-00:1c train step 3",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert HOST.text(text) == text


def test_forms_stay() -> None:
    replaced = HOST.text("/scratch/moonshot/checkpoints/checkpoint-500/pytorch_model-00001-of-00002.bin")
    assert re.fullmatch(r"/scratch/path-\w{8}/checkpoints/checkpoint-500/pytorch_model-00001-of-00002\.bin", replaced)
    assert HOST.hosts("gpu[001-002]") == f"{G1},{G2}"
    assert [HOST.hosts(text) for text in ("None assigned", "(null)", "")] == ["None assigned", "(null)", ""]
    assert HOST.hosts("10.1.2.3").startswith("24")
    assert HOST.text("gpu001.hpc.example.org").startswith(f"{G1}.site-")
    assert HOST.text("/home/alice/x").startswith(f"/home/{ALICE}/")
    environment = json.loads(HOST.environment('{"USER": "alice", "SLURM_JOB_NODELIST": "gpu[001-002]", "N": "1"}'))
    assert environment == {"USER": ALICE, "SLURM_JOB_NODELIST": f"{G1},{G2}", "N": "1"}
    assert HOST.user("train") == HOST.user("train") != "train", "an ordinary word is replaced where a user stands"
    assert HOST.user("train(1000)") == HOST.user("train") + "(1000)"
    assert any("user name 'train' is an ordinary word" in limit for limit in HOST.limits)
    assert HOST.job("train") != "train", "and where a job's name stands"
    assert any("job name 'train' is an ordinary word" in limit for limit in HOST.limits)
    assert HOST.step("train") == HOST.job("train")
    assert [HOST.step(name) for name in ("batch", "extern", "python")] == ["batch", "extern", "python"]
    assert HOST.gpus(f"GPU-{UUID}") == HOST.text(f"GPU-{UUID}")
    assert HOST.text(UUID) == HOST.gpus(f"GPU-{UUID}").removeprefix("GPU-"), "bare, as some sources tell it"
    assert re.fullmatch(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", HOST.gpus(f"GPU-{UUID}"))
    assert re.fullmatch(r"Serial Number: 000000\d{7}", HOST.text("Serial Number: 1322221045733"))
    assert all(TOKEN.fullmatch(token) for token in (G1, G2, ALICE))


@pytest.mark.parametrize(
    ("line", "user", "host"),
    [
        ('File "/home/users/bob7/x.py", line 3', "bob7", ""),
        ("  host      : nid001234.site", "", "nid001234"),
        ("nid001234:4711:4799 [3] NCCL INFO Bootstrap", "", "nid001234"),
        ("srun: error: nid001234: task 3: Killed", "", "nid001234"),
        ("slurmstepd: error: *** STEP 12.0 ON nid001234 CANCELLED AT", "", "nid001234"),
        ("host: not found", "", ""),
    ],
)
def test_what_programs_print_of_themselves_is_learnt(line: str, user: str, host: str) -> None:
    names = Pseudonyms(SORTS, KEY)
    names.learn_text(line)
    names.ready()
    for name, known in ((user, names.map["users"]), (host, names.map["hosts"])):
        if name:
            assert name not in names.text(f"{line} and {name} again")
            assert name in known
    if not user and not host:
        assert names.text(f"{line}, not found") == f"{line}, not found"


def test_the_key_alone_decides() -> None:
    other = Pseudonyms(SORTS, b"other" * 8)
    other.learn_hosts("gpu001")
    other.ready()
    assert ready(hosts="gpu001").node("gpu001") == G1 != other.node("gpu001")


def test_only_what_was_asked_for() -> None:
    names = Pseudonyms(("users",), KEY)
    names.learn_hosts("gpu001")
    names.learn_user("alice")
    names.ready()
    assert names.text("alice on gpu001 (10.1.2.3) in /data/x") == f"{ALICE} on gpu001 (10.1.2.3) in /data/x"


@pytest.mark.parametrize(
    "unit",
    [
        "/",
        "/a",
        "/%",
        ",=",
        "1.",
        ":",
        "a:",
        "://",
        "gpu[",
        "[",
        "gpu001",
        'File "',
        "a.b",
        "alice",
        "é/ü",
        "\0/",
        ".py",
        "a-",
        "~/",
        "ab:",
        "a=/",
    ],
)
def test_no_line_takes_long(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    began = time.process_time()
    HOST.text(text)
    HOST.text("x://" + text)
    HOST.path(text)
    HOST.hosts(text)
    names = Pseudonyms(SORTS, KEY)
    names.learn_path(text)
    names.learn_hosts(text)
    assert time.process_time() - began < 5


# --- bundles ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("recorded")
    made = {}
    for name in RECORDINGS:
        made[name] = folder / f"{name}.inquest"
        merge([ROOT / "samples" / "recorded" / name], made[name])
    return made


def everything(path: Path) -> str:
    """All strings of a bundle, and its manifest."""
    store = BundleStore(path)
    tables = (store.scan(table.name).collect().write_csv(include_header=False) for table in RECORDED)
    return "\n".join([json.dumps(store.info.manifest), *tables])


def same_time(one: int | None, other: int | None) -> bool:
    """Clocks are aligned anew, in the order of the nodes' names, which are others now: sums round elsewhere."""
    return one == other or (one is not None and other is not None and abs(one - other) < 1000)


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_verdict_stands_under_pseudonyms(name: str, bundles: dict[str, Path], tmp_path: Path) -> None:
    out = tmp_path / "G.inquest"
    report = redact(bundles[name], out, sorts=SORTS, key=KEY, map_file=tmp_path / "map.json")
    before, after = (analyze(BundleStore(path))[0] for path in (bundles[name], out))

    def shape(verdict: Any) -> Any:
        return [
            *(verdict.outcome, verdict.family, verdict.sub_mode, verdict.fault_class, verdict.confidence),
            *(verdict.attribution, verdict.severity, verdict.scope, verdict.culprit_ranks, verdict.exit_code),
            [(entry.family, entry.status, entry.confidence, entry.stores) for entry in verdict.families],
            [(link.family, link.role, link.rank) for link in verdict.chain],
        ]

    assert shape(after) == shape(before)
    for link, known_link in zip(after.chain, before.chain, strict=True):
        assert same_time(link.ts_ns, known_link.ts_ns)
    assert after.bundle.nodes == report.merged.nodes
    assert all(TOKEN.fullmatch(node) for node in after.bundle.nodes)
    assert len(after.bundle.nodes) == len(before.bundle.nodes)
    text = everything(out)
    known = json.loads((tmp_path / "map.json").read_text())
    for host in before.bundle.nodes:
        assert not re.search(rf"(?<![A-Za-z0-9]){host}(?![A-Za-z0-9])", text)
        assert known["hosts"][host] in text
    assert (tmp_path / "map.json").stat().st_mode & 0o777 == 0o600
    assert report.merged.rows_in == report.merged.rows_out
    old, new = (BundleStore(path) for path in (bundles[name], out))
    for table in ("log_lines", "processes", "host_samples"):
        numbers = [
            store.scan(table).select("seq", "ts_ns", "capture").collect().sort("capture", "seq").rows()
            for store in (old, new)
        ]
        assert [(seq, capture) for seq, _, capture in numbers[0]] == [(seq, capture) for seq, _, capture in numbers[1]]
        assert all(same_time(one[1], other[1]) for one, other in zip(*numbers, strict=True))
    assert verify(out).problems == verify(bundles[name]).problems


def test_the_same_key_gives_the_same_bundle_and_another_other_names(bundles: dict[str, Path], tmp_path: Path) -> None:
    digests = [
        redact(bundles["rank_lost"], tmp_path / f"{number}", sorts=SORTS, key=key).merged.content_digest
        for number, key in enumerate([KEY, KEY, None, None])
    ]
    assert len(set(digests)) == 3
    again = redact(tmp_path / "0", tmp_path / "again", sorts=SORTS, key=b"other" * 8)
    assert again.merged.nodes == BundleStore(tmp_path / "0").info.nodes, "what is a token stays one"


ROWS: dict[str, list[dict[str, Any]]] = {
    "log_lines": [
        {"text": "export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567", "stream": "stdout"},
        {"text": "n0 of alice at 10.2.3.4: /home/alice/moonshot/go.sh", "source": "moonshot/token=abcdef123456/x.log"},
    ],
    "node_info": [{"hostname": "n0.hpc.site", "job_env": '{"SLURM_JOB_NODELIST": "n[0-1]"}'}],
    "slurm_jobs": [{"job_id": "42", "user": "alice", "node_list": "n[0-1]", "job_name": "orion"}],
    "gpu_samples": [{"gpu_uuid": f"GPU-{UUID}", "temp_core_c": 40}],
    "kernel_log": [{"text": f"orion: NVRM: Xid (PCI:0000:3b:00): 79, GPU-{UUID} has fallen off the bus"}],
    "processes": [{"rank": 0, "world_size": 2, "job_id": "42", "argv": "python go.py", "cwd": "/home/alice/moonshot"}],
}


def test_manifest_missing_nodes_and_report(tmp_path: Path) -> None:
    def told(manifest: Any) -> Any:
        return dataclasses.replace(
            manifest,
            provenance=dataclasses.replace(PROVENANCE, user="alice", host="login9", arguments=("/home/alice/x",)),
        )

    source = write_bundle(tmp_path / "J.inquest", ROWS, spoil=told)
    assert open_bundle(source)[1].missing_nodes == ("n1",)
    report = redact(source, tmp_path / "G.inquest", sorts=SORTS, key=KEY)
    text = everything(tmp_path / "G.inquest")
    for name in ("alice", "moonshot", "10.2.3.4", "hpc", "login9", "n0", "n1", "0123456789abcdef", "orion", UUID):
        assert not re.search(rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9])", text), name
    manifest = open_bundle(tmp_path / "G.inquest")[1]
    assert manifest.missing_nodes == (ready(hosts="n1x").node("n1"),)
    assert manifest.job_id == "42"
    assert verify(tmp_path / "G.inquest").ok
    rules = {(entry.rule, entry.table) for entry in manifest.redactions}
    assert ("wandb", "log_lines") in rules
    assert ("pseudonym_users", "slurm_jobs") in rules
    assert report.masked == {"wandb": 1, "token": 1}
    assert report.names["users"] == report.names["jobs"] == report.names["gpus"] == 1
    store = BundleStore(tmp_path / "G.inquest")
    (gpu,) = store.scan("gpu_samples").collect()["gpu_uuid"]
    assert gpu in store.scan("kernel_log").collect()["text"][0], "joins survive"
    assert any("prose" in sentence for sentence in report.kept)


def test_masking_alone_keeps_names(tmp_path: Path) -> None:
    source = write_bundle(tmp_path / "J.inquest", ROWS)
    report = redact(source, tmp_path / "G.inquest")
    text = everything(tmp_path / "G.inquest")
    assert "moonshot" in text
    assert "0123456789abcdef" not in text
    assert "token=[masked:token" in text, "secrets in columns of repeating text are masked too"
    assert (report.replaced, report.kept) == ({}, ())
    assert verify(tmp_path / "G.inquest").ok
    again = redact(tmp_path / "G.inquest", tmp_path / "H.inquest")
    assert again.masked == {}
    assert again.merged.content_digest == report.merged.content_digest


def test_accounting_of_several_jobs_is_redacted_too(tmp_path: Path) -> None:
    jobs = [{"job_id": number, "job_name": "orion", "node_list": "n0"} for number in ("42", "43")]
    source = write_bundle(
        tmp_path / "J.inquest", {"slurm_jobs": jobs}, spoil=lambda m: dataclasses.replace(m, job_id=None)
    )
    report = redact(source, tmp_path / "G.inquest", sorts=SORTS, key=KEY)
    assert report.names["jobs"] == 1
    assert BundleStore(tmp_path / "G.inquest").info.job_id is None


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    source = write_bundle(tmp_path / "J.inquest", ROWS)
    before = source.read_bytes()
    with pytest.raises(UsageError, match="the bundle itself"):
        redact(source, source, force=True)
    (tmp_path / "map").write_text("mine")
    with pytest.raises(UsageError, match="map exists"):
        redact(source, tmp_path / "G", sorts=("hosts",), map_file=tmp_path / "map")
    assert not (tmp_path / "G").exists()
    assert (tmp_path / "map").read_text() == "mine"
    assert source.read_bytes() == before


def test_keys(tmp_path: Path) -> None:
    made = read_key(tmp_path / "key")
    assert len(made) == 32
    assert read_key(tmp_path / "key") == made
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    for text in ("", "zz", "ab" * 8 + "x", "é"):
        (tmp_path / "bad").write_text(text)
        with pytest.raises(InputError, match="holds no key"):
            read_key(tmp_path / "bad")
    with pytest.raises(UsageError):
        read_key(tmp_path)
