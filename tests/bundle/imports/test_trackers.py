"""Readers of trackers, against files that the real libraries wrote (samples/trackers), and torn and hostile ones."""

from __future__ import annotations

import json
import math
import sqlite3
import struct
import zlib
from pathlib import Path
from random import Random

import polars as pl
import pytest

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports import kinds, lightning_csv, metric_lines, mlflow, tensorboard, trainer_state, wandb
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source
from inquest.bundle.scan import stored_schema

from .kit import rows_of

SAMPLES = Path(__file__).resolve().parents[3] / "samples" / "trackers"
EVENTS = next((SAMPLES / "tensorboard" / "nan").iterdir())
RUN = next((SAMPLES / "wandb" / "healthy").rglob("*.wandb"))
STATE = SAMPLES / "huggingface" / "nan" / "trainer_state.json"
TABLE = SAMPLES / "lightning" / "lightning_logs" / "version_0" / "metrics.csv"
LINES = SAMPLES / "jsonl" / "null" / "metrics.jsonl"
DATABASE = SAMPLES / "mlflow" / "mlflow.db.zst"


def values(rows, name):
    return [(row.get("step"), row["value"]) for row in rows if row["name"] == name]


def read_as(kind, name, path, context=None):
    """Rows of a file under the relative name ``name``."""
    source = Source(name, path)
    assert kind.fits(source), name
    found = {}
    for table, rows in kind.read(source, context or Context()):
        found.setdefault(table, []).extend(rows)
    return found


@pytest.mark.parametrize("path", sorted(path for path in SAMPLES.rglob("*") if path.is_file()), ids=lambda p: p.name)
def test_each_sample_has_one_kind(path):
    expected = {
        ".py": "log",
        ".md": "log",
        ".log": "log",
        ".wandb": "wandb",
        ".json": "trainer_state",
        ".csv": "lightning_csv",
        ".jsonl": "metric_lines",
    }.get(path.suffix, "tensorboard" if "tfevents" in path.name else "mlflow")
    source = Source(str(path.relative_to(SAMPLES)), path)
    assert next(kind.name for kind in kinds() if kind.fits(source)) == expected


# --- TensorBoard -----------------------------------------------------------------------------------------------------


def test_tensorboard_scalars_of_the_first_generation():
    rows = read_as(tensorboard.KIND, f"runs/nan/{EVENTS.name}", EVENTS)["metrics"]
    loss = values(rows, "train/loss")
    assert [step for step, _ in loss] == list(range(1, 41))
    assert loss[0][1] == pytest.approx(4.0 * math.exp(-1 / 15) + 0.05 * math.sin(1), rel=1e-6)
    assert [math.isnan(value) for _, value in loss] == [False] * 25 + [True] * 15
    assert len(values(rows, "eval/loss")) == 4
    assert {(row["run"], row["node"], row["framework"]) for row in rows} == {("runs/nan", "vm", "tensorboard")}
    assert all(1_795_219_900 < row["ts_ns"] / 1e9 < 1_795_220_000 for row in rows)


def test_tensorboard_scalars_as_tensors():
    path = next((SAMPLES / "tensorboard" / "tensors").iterdir())
    rows = rows_of(tensorboard.KIND, path)["metrics"]
    assert len(values(rows, "Loss/train")) == 40
    assert values(rows, "lr-AdamW")[-1] == (40, pytest.approx(6e-4))


def test_tensorboardx_and_what_is_no_scalar():
    path = next((SAMPLES / "tensorboardx" / "healthy").iterdir())
    context = Context()
    assert len(rows_of(tensorboard.KIND, path, context)["metrics"]) == 80
    assert context.refused == {"value is no scalar (text, image, histogram)": 1}


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("events.out.tfevents.1795219943.gpu07.12397.0", "gpu07"),
        ("events.out.tfevents.1795219943.gpu07.cluster.local.12397.0", "gpu07.cluster.local"),
        ("events.out.tfevents.1795219943.gpu07.12397.0.v2", "gpu07"),
        ("events.out.tfevents.1795219943.gpu07", "gpu07"),
        ("events.out.tfevents.1795219943.3f2a9c0b1d4e.1.0", None),
        ("events.out.tfevents.1795219943.localhost.1.0", None),
        ("renamed", None),
    ],
)
def test_tensorboard_tells_the_node_where_it_is_certain(name, node):
    assert read_as(tensorboard.KIND, name, EVENTS)["metrics"][0]["node"] == node


def test_tensorboard_torn_tail(tmp_path):
    content = EVENTS.read_bytes()
    whole = len(rows_of(tensorboard.KIND, EVENTS)["metrics"])
    for cut in (1, 5, 30):
        torn = tmp_path / f"torn{cut}"
        torn.write_bytes(content[:-cut])
        context = Context()
        assert len(rows_of(tensorboard.KIND, torn, context)["metrics"]) == whole - 1
        assert sum(context.refused.values()) == 1


def test_tensorboard_flipped_bits(tmp_path):
    content = bytearray(EVENTS.read_bytes())
    first = struct.unpack_from("<Q", content)[0] + 16
    second = struct.unpack_from("<Q", content, first)[0] + 16
    damaged = tmp_path / "damaged"
    content[first + 14] ^= 1  # within the content of the second record
    damaged.write_bytes(content)
    context = Context()
    assert len(rows_of(tensorboard.KIND, damaged, context)["metrics"]) == 123
    assert context.refused == {"record does not match its checksum": 1}
    content[first + second] ^= 1  # the length of the third: nothing after it can be found
    damaged.write_bytes(content)
    context = Context()
    assert rows_of(tensorboard.KIND, damaged, context) == {}
    assert "rest of the file was not read" in context.warnings[0]


def frame(content):
    length = struct.pack("<Q", len(content))
    return (
        length
        + struct.pack("<I", tensorboard._masked(length))
        + content
        + struct.pack("<I", tensorboard._masked(content))
    )


def test_tensorboard_skips_large_records_without_holding_them(tmp_path):
    begin = EVENTS.read_bytes()
    first = struct.unpack_from("<Q", begin)[0] + 16
    length = struct.pack("<Q", 1 << 62)
    hostile = tmp_path / "hostile"
    big = frame(b"\0" * (tensorboard.MAX_RECORD + 1))
    hostile.write_bytes(
        begin[:first] + big + begin[first:] + length + struct.pack("<I", tensorboard._masked(length)) + b"x"
    )
    context = Context()
    assert len(rows_of(tensorboard.KIND, hostile, context)["metrics"]) == 124
    assert sum(context.refused.values()) == 3  # two that are too large, and the last one is torn besides


def test_a_tfrecord_of_data_is_no_event_file(tmp_path):
    path = tmp_path / "train.tfrecord"
    path.write_bytes(frame(b"\x0a\x05image" * 10))
    assert not tensorboard.KIND.fits(Source("train.tfrecord", path))


def test_checksums_are_those_of_the_standard():
    assert (tensorboard._masked(b"123456789") - 0xA282EAD8) & 0xFFFFFFFF == (
        0xE3069283 >> 15 | 0xE3069283 << 17
    ) & 0xFFFFFFFF


# --- W&B -------------------------------------------------------------------------------------------------------------


def test_wandb_run():
    context = Context()
    found = read_as(wandb.KIND, f"wandb/{RUN.parent.name}/{RUN.name}", RUN, context)
    rows = found["metrics"]
    assert values(rows, "train/loss")[39] == (39, pytest.approx(0.31518946291517363))
    assert values(rows, "train/global_step")[39] == (39, 40)
    assert len(values(rows, "eval.loss")) == 40
    assert values(rows, "exit_code") == [(None, 0)]
    assert {(row["node"], row["run"], row["framework"]) for row in rows} == {("node07", "k3lv4cdq", "wandb")}
    lines = found["log_lines"]
    assert [row["text"] for row in lines] == (RUN.parent / "files" / "output.log").read_text().splitlines()
    assert all(row["ts_ns"] and row["source"].endswith(".wandb#output") for row in lines)
    assert len(found["host_samples"]) == 5
    assert found["host_samples"][0]["memory_available_bytes"] == round(23468.3515625 * 2**20)
    assert found["node_info"][0]["cpus"] == 2
    assert not context.warnings
    assert not context.refused


def test_wandb_failed_run():
    rows = rows_of(wandb.KIND, next((SAMPLES / "wandb" / "nan").rglob("*.wandb")))["metrics"]
    assert values(rows, "exit_code") == [(None, 1)]
    assert math.isnan(values(rows, "train/loss")[-1][1])


def test_wandb_killed_run(tmp_path):
    content = RUN.read_bytes()
    torn = tmp_path / "run-x.wandb"
    torn.write_bytes(content[: len(content) // 2])
    context = Context()
    rows = rows_of(wandb.KIND, torn, context)["metrics"]
    assert 0 < len(rows) < 201
    assert any("killed" in warning for warning in context.warnings)
    assert sum(context.refused.values()) == 1


def test_wandb_flipped_bit(tmp_path):
    content = bytearray(RUN.read_bytes())
    content[2000] ^= 1
    damaged = tmp_path / "run-x.wandb"
    damaged.write_bytes(content)
    context = Context()
    rows_of(wandb.KIND, damaged, context)
    assert sum(context.refused.values()) == 1
    assert "checksum" in next(iter(context.refused))


def wandb_file(records):
    """The framing of the format, from its description: blocks of 32 KiB, records split over them."""
    out = bytearray(b":W&B\xe1\xbe\0")
    for record in records:
        first = True
        while True:
            room = 32768 - len(out) % 32768
            if room < 7:
                out += bytes(room)
                continue
            piece, record = record[: room - 7], record[room - 7 :]
            kind = (1 if not record else 2) if first else (4 if not record else 3)
            out += struct.pack("<IHB", zlib.crc32(bytes((kind,)) + piece), len(piece), kind) + piece
            first = False
            if not record:
                break
    return bytes(out)


def record(**fields):
    message = wandb._TYPES["Record"]()
    for name, value in fields.items():
        getattr(message, name).CopyFrom(value)
    return message.SerializeToString()


def items(**told):
    return [wandb._TYPES["Item"](key=name.encode(), value_json=value.encode()) for name, value in told.items()]


def test_wandb_records_across_blocks(tmp_path):
    types = wandb._TYPES
    records = [
        record(
            history=types["History"](item=items(loss="1.5", note='"' + "x" * 40000 + '"'), step=types["Step"](num=n))
        )
        for n in range(4)
    ]
    path = tmp_path / "run-x.wandb"
    path.write_bytes(wandb_file(records))
    assert values(rows_of(wandb.KIND, path)["metrics"], "loss") == [(n, 1.5) for n in range(4)]


def test_wandb_objects_of_old_clients_are_spread(tmp_path):
    told = items(a='{"loss": 1.5, "b": {"c": "NaN", "d": true}}', image='{"_type": "image-file", "width": 8}', bad="{")
    path = tmp_path / "run-x.wandb"
    path.write_bytes(wandb_file([record(history=wandb._TYPES["History"](item=told))]))
    rows = rows_of(wandb.KIND, path)["metrics"]
    assert [row["name"] for row in rows] == ["a.loss", "a.b.c"]
    assert math.isnan(rows[1]["value"])


def test_wandb_gpu_readings_need_the_uuid(tmp_path):
    types = wandb._TYPES
    told = {"gpu.0.gpu": "97", "gpu.0.memoryAllocatedBytes": "1024", "gpu.0.powerWatts": "300.5", "gpu.1.gpu": "1"}
    told |= {"gpu.0.temp": "NaN", "gpu.0.smClock": "1e300", "proc.memory.availableMB": "Infinity", "cpu": "x"}
    stats = types["Stats"](item=items(**told), timestamp=types["Time"](seconds=1_795_000_000, nanos=5))
    gpu = types["Gpu"](uuid=b"GPU-1", memory_total=2048)
    path = tmp_path / "run-x.wandb"
    path.write_bytes(wandb_file([record(environment=types["Environment"](gpu_nvidia=[gpu])), record(stats=stats)]))
    context = Context()
    (row,) = rows_of(wandb.KIND, path, context)["gpu_samples"]
    assert (row["gpu_uuid"], row["engine_active"], row["fb_used_bytes"], row["fb_total_bytes"]) == (
        "GPU-1",
        0.97,
        1024,
        2048,
    )
    assert (row["power_w"], row["ts_ns"]) == (300.5, 1_795_000_000_000_000_005)
    assert context.refused == {"reading of a GPU whose UUID the file does not tell": 1}


def test_wandb_lines_come_in_pieces(tmp_path):
    types = wandb._TYPES
    said = [(1, b"a 1/3\ra"), (0, b"oops\n"), (1, b" 2/3\rdone"), (1, b"\n\nlast")]
    records = [
        record(
            output_raw=types["Output"](
                output_type=stream, line=text, timestamp=types["Time"](seconds=1_795_000_000 + n)
            )
        )
        for n, (stream, text) in enumerate(said)
    ]
    path = tmp_path / "run-x.wandb"
    path.write_bytes(wandb_file(records))
    lines = rows_of(wandb.KIND, path)["log_lines"]
    assert [(row["stream"], row["text"], row["eol"]) for row in lines] == [
        ("stdout", "a 1/3", "cr"),
        ("stderr", "oops", "lf"),
        ("stdout", "a 2/3", "cr"),
        ("stdout", "done", "lf"),
        ("stdout", "", "lf"),
        ("stdout", "last", "none"),
    ]


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("wandb/offline-run-20261121_001211-abc/files/config.yaml", True),
        ("run-20261121_001211-abc/files/requirements.txt", True),
        ("wandb/run-20261121_001211-abc/logs/debug-internal.log", True),
        ("wandb/run-20261121_001211-abc/files/output.log", False),
        ("project/files/requirements.txt", False),
        ("slurm.out", False),
    ],
)
def test_the_client_s_own_files_are_no_output_of_the_job(tmp_path, name, own):
    path = tmp_path / "file"
    path.write_text("ERROR: internal\n")
    assert wandb.KIND.fits(Source(name, path)) is own
    if own:
        context = Context()
        assert read_as(wandb.KIND, name, path, context) == {}
        assert len(context.warnings) == 1


def test_wandb_json_files(tmp_path):
    folder = tmp_path / "offline-run-20261121_001211-abc123" / "files"
    folder.mkdir(parents=True)
    summary = folder / "wandb-summary.json"
    summary.write_text(
        '{"_timestamp": 1795219932.4, "_step": 39, "_runtime": 4, "loss": "NaN", "acc": 0.5, "x": {"y": 1}}'
    )
    name = str(summary.relative_to(tmp_path))
    rows = read_as(wandb.KIND, name, summary)["metrics"]
    assert [(row["name"], row["step"], row["run"]) for row in rows] == [("loss", 39, "abc123"), ("acc", 39, "abc123")]
    metadata = folder / "wandb-metadata.json"
    metadata.write_text(
        json.dumps(
            {
                "os": "Linux", "startedAt": "2026-11-21T00:12:11Z", "program": "train.py", "host": "node07",
                "executable": "python", "cpu_count_logical": 2, "memory": {"total": "25276502016"},
                "gpu_nvidia": [{"name": "NVIDIA H100", "memoryTotal": "1", "uuid": "GPU-1"}],
            }
        )
    )  # fmt: skip
    (info,) = read_as(wandb.KIND, "wandb-metadata.json", metadata)["node_info"]
    assert (info["hostname"], info["gpus"], info["gpu_uuids"], info["memory_total_bytes"]) == (
        "node07",
        1,
        "GPU-1",
        25276502016,
    )


# --- Hugging Face ----------------------------------------------------------------------------------------------------


def test_trainer_state():
    rows = read_as(trainer_state.KIND, "out/checkpoint-20/trainer_state.json", STATE)["metrics"]
    loss = values(rows, "loss")
    assert [step for step, _ in loss] == list(range(1, 21))
    assert math.isnan(loss[-1][1])
    assert not math.isnan(loss[0][1])
    assert len(values(rows, "eval_loss")) == 2
    assert values(rows, "max_steps") == [(20, 20)]
    assert {row["run"] for row in rows} == {"out"}
    assert all(row["epoch"] is not None for row in rows)


def test_trainer_state_torn_in_the_middle(tmp_path):
    text = STATE.read_text()
    torn = tmp_path / "trainer_state.json"
    for cut in (text.index('"step": 11'), len(text) - 30, text.index('"log_history": [') + 18):
        torn.write_text(text[:cut])
        context = Context()
        rows = rows_of(trainer_state.KIND, torn, context).get("metrics", [])
        assert len(values(rows, "loss")) in {0, 10, 20}
        assert len(context.warnings) == 1


def test_trainer_state_hostile(tmp_path, monkeypatch):
    path = tmp_path / "trainer_state.json"
    path.write_text('{"global_step": 1, "log_history": [' + "[" * 200_000)
    context = Context()
    rows_of(trainer_state.KIND, path, context)
    assert "damaged" in context.warnings[0]
    path.write_text(
        '{"global_step": 1, "log_history": [{"step": 1e999, "loss": 1'
        + "0" * 400
        + ', "x": true}, 3, {"step": 2, "loss": 7}]}'
    )
    assert values(rows_of(trainer_state.KIND, path)["metrics"], "loss") == [(None, math.inf), (2, 7)]
    monkeypatch.setattr(trainer_state, "MAX_STATE", 100)
    with pytest.raises(UnsafeInput):
        rows_of(trainer_state.KIND, path)


# --- MLflow ----------------------------------------------------------------------------------------------------------


def test_mlflow_folder():
    rows = []
    for path in sorted((SAMPLES / "mlflow" / "mlruns").rglob("*")):
        if path.is_file():
            rows += read_as(mlflow.KIND, str(path.relative_to(SAMPLES)), path).get("metrics", [])
    runs = {row["run"] for row in rows}
    assert runs == {"747927e5b6f64edeb87668f350bfa294", "bc672eb810e84b78ab5ebd1044d4e1b4"}
    assert {row["name"] for row in rows} == {"train/loss", "grad_norm", "lr", "run_status"}
    assert sorted(value for _, value in values(rows, "run_status")) == [3, 4]
    failed = [row for row in rows if row["run"].startswith("bc67") and row["name"] == "train/loss"]
    assert [row["step"] for row in failed] == list(range(1, 41))
    assert math.isnan(failed[-1]["value"])
    assert failed[0]["ts_ns"] == 1795219938447 * 10**6


def test_mlflow_database_tells_the_same():
    rows = rows_of(mlflow.KIND, DATABASE)["metrics"]
    loss = [row for row in rows if row["name"] == "train/loss"]
    assert len(loss) == 80
    assert sum(math.isnan(row["value"]) for row in loss) == 15
    assert sorted(value for _, value in values(rows, "run_status")) == [3, 4]


@pytest.mark.parametrize(
    ("name", "text", "fits"),
    [
        ("mlruns/1/abc/metrics/loss", "1795219938447 0.5 1\n1795219938448 nan 2\n", True),
        ("metrics/train/loss", "1795219938447 -inf 1\n", True),
        ("mlruns/1/abc/metrics/loss", "1795219938447 0.5\n", True),
        ("runs/loss", "1795219938447 0.5 1\n", False),
        ("a/metrics/step_1.log", "step 1 loss 0.5\n", False),
        ("a/metrics/table", "1 2 3\n4 5 6\n", False),
        ("a/metrics/empty", "", False),
    ],
)
def test_mlflow_metric_files_are_not_taken_for_granted(tmp_path, name, text, fits):
    path = tmp_path / "file"
    path.write_text(text)
    assert mlflow.KIND.fits(Source(name, path)) is fits


def test_mlflow_metric_file_with_damage(tmp_path):
    path = tmp_path / "loss"
    path.write_bytes(b"1795219938447 0.5 1\n" * 20000 + b"\0\0\0\n1795219938448 0.25 2\n17952199")
    context = Context()
    rows = read_as(mlflow.KIND, "r/metrics/loss", path, context)["metrics"]
    assert len(rows) == 20001
    assert sum(context.refused.values()) == 2


def database(path, *statements):
    with sqlite3.connect(path) as made:
        for statement in statements:
            made.execute(statement)
    made.close()


METRICS = "CREATE TABLE metrics (key, value, timestamp, run_uuid, step, is_nan)"
COUNTED = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"


def test_mlflow_database_of_a_stranger(tmp_path, monkeypatch):
    path = tmp_path / "mlflow.db"
    database(
        path,
        METRICS,
        "CREATE TABLE latest_metrics (key, run_uuid)",
        "INSERT INTO metrics VALUES ('loss', 1.7976931348623157e308, 1795219938447, 'r', 1, 0)",
        "INSERT INTO metrics VALUES (x'00', 1, 1, 'r', 1, 0), ('loss', 'text', 1, 'r', 1, 0)",
        "INSERT INTO metrics VALUES ('loss', 0.0, 1e300, 'r', 9223372036854775807, 1)",
    )
    context = Context()
    rows = rows_of(mlflow.KIND, path, context)["metrics"]
    assert values(rows, "loss")[0] == (1, math.inf)
    assert math.isnan(rows[1]["value"])
    assert rows[1]["ts_ns"] is None
    assert sum(context.refused.values()) == 2
    monkeypatch.setattr(mlflow, "_STEPS_OF_SQLITE", 0)
    database(path, f"INSERT INTO metrics {COUNTED} SELECT 'loss', i, 1, 'r', i, 0 FROM n")
    context = Context()
    rows_of(mlflow.KIND, path, context)
    assert "took too long" in context.warnings[0]


@pytest.mark.parametrize(
    "instead",
    [
        "CREATE VIRTUAL TABLE metrics USING rtree(key, value, timestamp)",
        "CREATE VIEW metrics AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
    ],
    ids=["virtual", "view"],
)
def test_mlflow_database_with_something_else_for_a_table(tmp_path, instead):
    path = tmp_path / "mlflow.db"
    database(path, "CREATE TABLE latest_metrics (key, run_uuid)", instead)
    with pytest.raises(InputError, match="no table of metrics"):
        rows_of(mlflow.KIND, path)


def test_mlflow_damaged_database(tmp_path):
    path = tmp_path / "mlflow.db"
    database(
        path,
        METRICS,
        "CREATE TABLE latest_metrics (key, run_uuid)",
        "INSERT INTO metrics VALUES ('a', 1, 1, 'r', 1, 0)",
    )
    content = bytearray(path.read_bytes())
    content[4096 : 4096 + 100] = b"\xff" * 100
    path.write_bytes(content)
    context = Context()
    rows_of(mlflow.KIND, path, context)
    assert "damaged" in context.warnings[0]


# --- CSV -------------------------------------------------------------------------------------------------------------


def test_lightning_csv():
    rows = read_as(lightning_csv.KIND, "lightning_logs/version_0/metrics.csv", TABLE)["metrics"]
    assert values(rows, "train_loss")[0] == (1, pytest.approx(6.41459321975708))
    assert [step for step, _ in values(rows, "val_loss")] == [7, 15, 23, 31]
    assert {row["framework"] for row in rows} == {"lightning"}
    assert {row["run"] for row in rows} == {"lightning_logs/version_0"}


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("step,loss\n1,2.5\n2,2.4\n", True),
        ("iteration\ttrain_loss\tlr\n1\t2.5\t0.1\n", True),
        ("seed,optimizer_step,loss\n1,20,2.5\n1,10,2.4\n", True),
        ("global_step;epoch;loss\n1;0;nan\n", True),
        ("\ufeffstep,train/loss\n1,2.5\n", True),
        ("    step  loss\n0     10   2.5\n1     20   2.4\n", True),  # a data frame as pandas prints it, with its index
        ("step,loss\n", True),
        ("epoch,  train/box_loss\n1, 2.5\n", True),
        ("schritt;verlust\n20;3,49\n40;3,16\n", True),
        ("tour,cost\n1,9.5\n2,9.1\n", True),
        ("tour,cost\n2,9.5\n1,9.1\n", False),
        ("price,cost\n9.5,1\n9.6,2\n", False),
        (",loss,val_loss\n0,9.5,9.6\n1,9.1,9.2\n", True),
        (",loss,size\n0,9.5,9.6\n1,9.1,9.2\n", False),  # of models, or samples
        ("sample_id,loss\n0,9.5\n1,9.1\n", False),
        (",price,cost\n0,9.5,9.6\n1,9.1,9.2\n", False),
        ("wall,loss\n7.3,9.5\n14.6,9.1\n", True),
        (",run.hash,metric.name,step,value\n0,ab12,loss,50,9.5\n1,ab12,loss,100,9.1\n", True),
        ("┃ epoch ┃ loss ┃\n│     1 │ 2.50 │\n│     2 │ 2.40 │\n", True),
        ("step,val_accuracy\n1,0.2\n", True),
        ("city,accuracy\n1,2\n2,2\n", False),
        ("step,price\n1,2\n", False),
        ("time,loss\n1,2\n", False),
        ("timestamp, index, utilization.gpu [%]\n2026/11/21, 0, 97 %\n", False),
        ("step 1, loss 2.5\nstep 2, loss 2.4\n", False),
        ("step, loss and what they mean\nfirst the loss falls, then it rises\n", False),
        ("", False),
        ("step,loss\nTraceback (most recent call last):\n  File\n", False),
        ("step loss\n1 2.5\n2 2.4\n", True),
        ("Step [-],Train Loss [nats]\n1,2.5\n", True),
        ("train_loss,val_loss\n2.5,2.6\n2.4,2.5\n", True),
        ("époque;perte_entraînement\n1;2,5\n2;2,4\n", True),
        ("# Run 3\n\n| epoch | train loss |\n| --- | :-: |\n| 1 | 2.5 |\n\n| 2 | 2.4 |\n", True),
        ("| step | loss |\n|---|---|\n| 1 | 2.5 |\ndone after one step\nsaved\n", False),
        ("step,metric,value\n1,train/loss,2.5\n1,lr,0.1\n", True),
        ("id,name,value\n1,price,2.5\n2,weight,2.4\n", False),
        ("step loss\n1 2.5\n2 2.4\ndone after two steps\n", False),  # a log: what stands under the table counts
        ("# step train dev\n1 2.5 2.6\n2 2.4 2.5\n", False),
        ("2.5\n2.4\n2.3\n2.2\n2.1\n2.0\n", False),
    ],
)
def test_csv_tables_of_training(tmp_path, text, fits):
    path = tmp_path / "metrics.csv"
    path.write_text(text)
    assert lightning_csv.KIND.fits(Source("metrics.csv", path)) is fits


@pytest.mark.parametrize(
    ("name", "text", "step"),
    [
        ("losses.txt", "# of run 3\n# step train dev\n1.0e+01 2.5e+00 2.6e+00\n2.0e+01 nan 2.6\n", 10),
        ("loss_curve.csv", "# step,train\n10,2.5\n20,nan\n", 10),
        ("loss.txt", "2.5\nnan\nnan\nnan\nnan\n", None),
        ("train-loss.tsv", "10\t2.5\n20\tnan\n30\tnan\n40\tnan\n50\tnan\n", 10),
        ("loss.csv", "Wall time,Step,Value\n1795219943.4,10,2.5\n1795219944.4,20,nan\n", 10),
        ("losses.json", '{"train": [2.5, NaN], "dev": [2.6, 2.6]}', 0),
        ("losses.json", "[2.5, NaN]", None),
        ("losses.txt", "[2.5,\n nan]\n", None),  # as Python prints a list
        ("losses.json", '{"10": 2.5, "20": NaN}', 10),
        ("run-tag-train_loss.json", "[[1795219943.4, 10, 2.5], [1795219944.4, 20, null]]", 10),
    ],
)
def test_files_named_after_what_they_hold(tmp_path, name, text, step):
    path = tmp_path / name
    path.write_text(text)
    kind = metric_lines.KIND if text[0] in "[{" else lightning_csv.KIND
    assert kind.fits(Source(name, path))
    told = values(rows_of(kind, path)["metrics"], "train_loss")
    assert told[0] == (step, 2.5)
    assert math.isnan(told[1][1])
    assert not kind.fits(Source(name.replace("loss", "price"), path))
    assert not kind.fits(Source(name.replace("loss", "stop_loss"), path))


@pytest.mark.parametrize(
    ("form", "fits"),
    [
        ('{{"n": {0}, "gaussian_nll": -{0}.5}}', True),
        ('{{"n": {0}, "price": -{0}.5}}', False),
        ('{{"n": 7, "nll": -{0}.5}}', False),
        ('{{"nll": {0}, "n": 7}}', False),
    ],
)
def test_objects_that_count_by_a_name_of_their_own(tmp_path, form, fits):
    path = tmp_path / "train.jsonl"
    path.write_text("".join(form.format(32 * n) + "\n" for n in range(8)))
    assert metric_lines.KIND.fits(Source("train.jsonl", path)) is fits
    if fits:
        assert values(rows_of(metric_lines.KIND, path)["metrics"], "gaussian_nll")[1] == (32, -32.5)


def test_csv_with_times_a_second_header_and_a_torn_end(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "step,loss,timestamp\n1,2.5,1795219943\n2,,1795219944000\nstep,loss,lr\n3,inf,0.1\n4,,\n4,,0.1\n4,1,1,1\n5,1.2"
    )
    context = Context()
    rows = rows_of(lightning_csv.KIND, path, context)["metrics"]
    assert values(rows, "loss") == [(1, 2.5), (3, math.inf)]
    assert values(rows, "lr") == [(3, 0.1), (4, 0.1)]
    assert rows[0]["ts_ns"] == 1795219943 * 10**9
    assert sum(context.refused.values()) == 2


def test_csv_that_tensorboard_s_page_gave(tmp_path):
    path = tmp_path / "run-nan-tag-train_loss.csv"
    path.write_text("Wall time,Step,Value\n1795219943.394787,1,3.78\n1795219943.39,2,nan\n")
    rows = rows_of(lightning_csv.KIND, path)["metrics"]
    assert rows[0]["ts_ns"] == 1795219943394787000
    assert [(row["name"], row["step"]) for row in rows] == [("train_loss", 1), ("train_loss", 2)]
    assert not lightning_csv.KIND.fits(Source("table.csv", path))


def test_csv_with_the_epoch_and_how_many_there_are_to_be(tmp_path):
    path = tmp_path / "history.csv"
    path.write_text("epochs,epoch,bpd\n3,1,2.5\n3,2,2.4\n")
    rows = rows_of(lightning_csv.KIND, path)["metrics"]
    assert [(row["name"], row["step"], row["value"]) for row in rows[:2]] == [("total_epochs", 1, 3.0), ("bpd", 1, 2.5)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("history.csv", "seed,step,loss\n1,10,2.5\n2,10,2.4\n"),
        ("history.jsonl", '{"seed": 1, "step": 10, "loss": 2.5}\n{"seed": 2, "step": 10, "loss": 2.4}\n'),
        ("history.json", '[{"seed": "1", "step": 10, "loss": 2.5}, {"seed": "2", "step": 10, "loss": 2.4}]'),
    ],
)
def test_trainings_that_one_file_holds_are_told_apart(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    kind = lightning_csv.KIND if name.endswith(".csv") else metric_lines.KIND
    told = [(row["run"], row["name"], row["value"]) for row in rows_of(kind, path)["metrics"]]
    assert told == [("seed=1", "loss", 2.5), ("seed=2", "loss", 2.4)]


def test_csv_with_decimal_commas(tmp_path):
    path = tmp_path / "verlauf.csv"
    path.write_text("schritt;verlust;lr\n20;3,49;0,0003\n40;nan;0,0003\n60;1,2,3;0\n")
    rows = rows_of(lightning_csv.KIND, path)["metrics"]
    assert values(rows, "verlust") == [(20, 3.49), (40, pytest.approx(math.nan, nan_ok=True))]


def test_csv_of_a_panel_of_w_and_b_s_page(tmp_path):
    path = tmp_path / "wandb_export.csv"
    heads = [f"old-oak-3 - {name}" for name in ("train/loss", "train/loss__MIN", "train/loss__MAX", "val/mAP50-95")]
    path.write_text(",".join(["Step", *heads]) + "\n10,2.5,2,3,0.5\n")
    rows = rows_of(lightning_csv.KIND, path)["metrics"]
    assert [(row["run"], row["name"], row["step"], row["value"]) for row in rows] == [
        ("old-oak-3", "train/loss", 10, 2.5),
        ("old-oak-3", "val/mAP50-95", 10, 0.5),
    ]


# --- JSON lines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "fits"),
    [
        ("metrics.jsonl", '{"step": 1, "loss": 2.5}\n{"step": 2, "loss": 2.4}\n', True),
        ("metrics.jsonl", '\ufeff{"globalStep": 1, "trainLoss": 2.5}\n', True),  # as programs of Windows begin a text
        ("metrics.json.gz", '{"global_step": 1, "train": {"nll": 2.5}}\n', True),
        ("history.ndjson", '{"_step": 1, "_timestamp": 1795219943.5, "train/loss": "nan"}\n{"_step', True),
        ("log.jsonl", '{"epoch": 1, "val_loss": 2.5}\n', True),
        ("log.jsonl", '{"epoch": 1, "top1": 0.5}\n', True),
        ("fid.jsonl", '{"results": {"fid50k_full": 9.5}, "snapshot_pkl": "network-snapshot-000200.pkl"}\n', True),
        ("data.jsonl", '{"price": 9.5, "file": "weights-000200.pt"}\n', False),
        ("all.json", '[{"metricName": "loss", "metricValue": "2.5", "step": 10, "epoch": null}]', True),
        ("all.json", '{"config": {"lr": 0.1}, "results": [{"epoch": 1, "train_loss": 2.5}]}', True),
        ("all.json", '[{"type": "lines", "name": "loss", "x": [10, 20], "y": [2.5, 2.4]}]', True),
        ("all.json", '[{"type": "lines", "name": "price", "x": [10, 20], "y": [2.5, 2.4]}]', False),
        ("all.json", '{"losses": [[10, 2.5], [20, 2.4]]}', True),
        ("all.json", '{"train/loss": [{"step": 10, "value": 2.5}]}', True),
        ("all.json", '{"boxes": [[10, 2.5], [20, 2.4]]}', False),
        ("all.json", '{"train.loss": {"steps": [10, 20], "timestamps": [""], "values": [2.5, 2.4]}}', True),
        ("run.yaml", "history:\n" + "".join(f"- epoch: {n}\n  loss: 2.5\n" for n in range(9)), True),
        ("stages.yaml", "- epochs: 10\n  loss_weight: 1.0\n" * 9, False),
        ("run.yml", "train_loss:\n" + "- 2.5\n" * 9, True),
        ("config.yaml", "loss: mse\nloss_weights: [1, 2, 3, 4, 5, 6]\nstep: 10\nbetas:\n" + "- 0.9\n" * 9, False),
        ("metrics.log", '{"step": 1, "loss": 2.5}\n', False),  # a log: other lines may stand among these
        ("data.jsonl", '{"text": "the loss", "step": 3}\n', False),
        ("data.jsonl", '{"loss": 2.5}\n', False),
        ("data.jsonl", '{"step": "a", "loss": 2.5}\n', False),
        ("data.jsonl", "[1, 2]\n", False),
        ("data.jsonl", "", False),
    ],
)
def test_json_lines_of_training(tmp_path, name, text, fits):
    path = tmp_path / name
    path.write_text(text)
    source = Source(name, path)
    assert metric_lines.KIND.fits(source) is fits


def test_json_lines_of_two_writers():
    told = [
        rows_of(metric_lines.KIND, SAMPLES / "jsonl" / story / "metrics.jsonl")["metrics"] for story in ("nan", "null")
    ]
    for rows in told:
        loss = values(rows, "train/loss")
        assert loss[0] == (1, pytest.approx(4.0 * math.exp(-1 / 15) + 0.05 * math.sin(1)))
        assert [math.isnan(value) for _, value in loss] == [False] * 25 + [True] * 15


def test_json_lines_with_ranks_times_and_depth(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text(
        '{"rank": 3, "step": 1, "time": 1795219943000, "metrics": {"loss": "inf", "ok": true}, "opt": {"lr": 0.1}}\n'
        '{"rank": 3, "step": 2, "ts": "2026-11-21T10:00:00+01:00", "epoch": 0.5, "metrics": {"loss": 2}, "time": 0.4}\n'
        + '{"rank": 3, "step": 3, "metrics": {"lr": 0.1}}\n'
        * 8
        + "no JSON\n"
        '{"step": 4, "metri'
    )
    context = Context()
    told = rows_of(metric_lines.KIND, path, context)
    rows = told["metrics"]
    assert values(rows, "loss") == [(1, math.inf), (2, 2.0)]
    assert values(rows, "opt/lr") == [(1, 0.1)]
    assert values(rows, "time") == [(2, 0.4)]
    assert [row["ts_ns"] for row in rows if row["name"] == "loss"] == [1795219943 * 10**9, 1795251600 * 10**9]
    assert {(row["rank"], row["rank_by"]) for row in rows} == {(3, "content")}
    assert [row["text"] for row in told["log_lines"]] == ["no JSON"], "words between the objects are lines of the job"
    assert sum(context.refused.values()) == 1


def test_json_in_one_piece(tmp_path):
    array, history = tmp_path / "metrics.json", tmp_path / "history.json"
    array.write_text('[{"iteration": 10, "lm_loss": 2.5},\n {"iteration": 20, "lm_loss": NaN}]')
    history.write_text('{"loss": [2.5, null, 2.0], "lr": [0.1, 0.1, 0.1]}')
    told = values(rows_of(metric_lines.KIND, array)["metrics"], "lm_loss")
    assert told[0] == (10, 2.5)
    assert (told[1][0], math.isnan(told[1][1])) == (20, True)
    rows = rows_of(metric_lines.KIND, history)["metrics"]
    assert values(rows, "loss") == [(0, 2.5), (2, 2.0)]
    assert [row["epoch"] for row in rows if row["name"] == "lr"] == [0.0, 1.0, 2.0]
    history.write_text('{"loss": [2.5, 2.0')
    with pytest.raises(InputError, match="cut off"):
        rows_of(metric_lines.KIND, history)


def test_events_among_json_lines_are_lines_of_a_log(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text(
        '{"step": 1, "loss": 2.5}\n{"event": "finished", "step": 1}\n{"step": 2, "loss": 2, "status": "ok"}\n'
    )
    tables = rows_of(metric_lines.KIND, path)
    assert [(row["text"], row["offset"]) for row in tables["log_lines"]] == [('{"event": "finished", "step": 1}', 25)]
    assert len(values(tables["metrics"], "loss")) == 2


def test_one_object_of_a_run_by_w_and_b_s_api(tmp_path):
    path = tmp_path / "run.json"
    told = {
        "state": "failed",
        "config": {"max_steps": 30},
        "history": [{"_step": 10, "loss": 2.5}, {"_step": 20, "loss": 2}],
    }
    path.write_text(json.dumps(told))
    rows = rows_of(metric_lines.KIND, path)["metrics"]
    assert [(row["name"], row["value"]) for row in rows] == [
        ("max_steps", 30),
        ("loss", 2.5),
        ("loss", 2),
        ("exit_code", 1),
    ]
    assert {row["framework"] for row in rows} == {"wandb"}


def test_counters_that_say_what_they_are_of_and_numbers_deep_inside(tmp_path):
    table, lines = tmp_path / "history.csv", tmp_path / "result.json"
    table.write_text("epoch,neg_elbo\n1/400,2.5\n2/400,2.4\n")
    assert lightning_csv.KIND.fits(Source("history.csv", table))
    rows = rows_of(lightning_csv.KIND, table)["metrics"]
    assert [(row["name"], row["step"], row["value"]) for row in rows[:2]] == [
        ("total_epochs", 1, 400),
        ("neg_elbo", 1, 2.5),
    ]
    lines.write_text(2 * '{"training_iteration": 1, "info": {"learner": {"default": {"loss": 2.5}}}}\n')
    assert metric_lines.KIND.fits(Source("result.json", lines))
    assert values(rows_of(metric_lines.KIND, lines)["metrics"], "info/learner/default/loss") == [(1, 2.5), (1, 2.5)]


def test_one_metric_a_row(tmp_path):
    table, lines = tmp_path / "metrics.csv", tmp_path / "metrics.jsonl"
    table.write_text("step,metric,value\n10,train/loss,2.5\n10,lr,0.1\n")
    lines.write_text('{"step": 10, "name": "train/loss", "value": 2.5}\n{"step": 10, "name": "lr", "value": 0.1}\n')
    for kind, path in ((lightning_csv.KIND, table), (metric_lines.KIND, lines)):
        rows = rows_of(kind, path)["metrics"]
        assert [(row["name"], row["step"], row["value"]) for row in rows] == [("train/loss", 10, 2.5), ("lr", 10, 0.1)]


def test_lists_of_lists_in_one_piece(tmp_path):
    path = tmp_path / "history.json"
    path.write_text('{"train": {"loss": [2.5, 2.0]}, "val": {"loss": [2.6, 2.1]}}')
    assert metric_lines.KIND.fits(Source("history.json", path))
    assert values(rows_of(metric_lines.KIND, path)["metrics"], "val/loss") == [(0, 2.6), (1, 2.1)]
    path.write_text('{"loss": {"train": {"x": [10, 20], "y": [2.5, 2.0]}}}')
    assert values(rows_of(metric_lines.KIND, path)["metrics"], "loss/train") == [(10, 2.5), (20, 2.0)]
    path.write_text('[{"name": "loss", "x": [1, 2], "y": [2.5, null]}, {"name": "val_loss", "x": [2], "y": [2.6]}]')
    rows = rows_of(metric_lines.KIND, path)["metrics"]
    assert values(rows, "val_loss") == [(2, 2.6)]
    assert (values(rows, "loss")[0], math.isnan(values(rows, "loss")[1][1])) == ((1, 2.5), True)


MORE = "".join(f"- {{step: {step}, loss: 1}}\n" for step in (30, 40, 50))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run.json", '{"loss": [[10, 2.5], [20, NaN]], "lr": [[10, 0.1]]}'),
        ("run.json", '{"run": {"loss": [[1795219943.1, 10, 2.5], [1795219944.1, 20, NaN]]}}'),
        ("run.json", '{"loss": [{"step": 10, "value": 2.5}, {"step": 20, "value": null}]}'),
        ("run.json", '{"loss": {"steps": [10, 20], "values": [2.5, NaN]}}'),
        ("run.json", '{"data": [{"name": "loss", "x": [10, 20], "y": [2.5, NaN]}], "layout": {}}'),  # plotly
        ("run.json", '{"data": {"values": [{"step": 10, "loss": 2.5}, {"step": 20, "loss": NaN}]}, "mark": "line"}'),
        # data frames as pandas writes them
        ("run.json", '{"step": {"0": 10, "1": 20}, "loss": {"0": 2.5, "1": NaN}}'),
        ("run.json", '{"0": {"step": 10, "loss": 2.5}, "1": {"step": 20, "loss": NaN}}'),
        ("run.json", '{"columns": ["step", "loss"], "index": [0, 1], "data": [[10, 2.5], [20, NaN]]}'),
        ("run.json", '{"schema": {"fields": []}, "data": [{"step": 10, "loss": 2.5}, {"step": 20, "loss": NaN}]}'),
        ("run.yaml", "job: 7\nhistory:\n- loss: 2.5\n  step: 10\n- {loss: .nan, step: 20}\n" + MORE),
        ("run.yaml", "step: 10\nloss: 2.5  # of training\n---\nstep: 20\nloss: .nan\n---\n" + MORE),
        ("run.yml", "step: [10, 20, 30, 40, 50]\nloss:\n  - 2.5\n  - .nan\n" + "  - 1\n" * 3),
    ],
)
def test_points_by_the_name_of_their_metric(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    rows = rows_of(metric_lines.KIND, path)["metrics"]
    told = [(row["step"], row["value"]) for row in rows if row["name"].endswith("loss")]
    assert (told[0], told[1][0], math.isnan(told[1][1])) == ((10, 2.5), 20, True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ranks.csv", "step,loss_rank0,loss_rank1,rank1\n10,2.5,2.6,0.9\n"),
        ("ranks.jsonl", '{"step": 10, "rank0/loss": 2.5, "rank1/loss": 2.6, "rank1": 0.9}\n'),
    ],
)
def test_columns_that_name_ranks(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    rows = rows_of(metric_lines.KIND if name.endswith("l") else lightning_csv.KIND, path)["metrics"]
    assert [(row.get("rank"), row["name"], row["value"]) for row in rows][:2] == [(0, "loss", 2.5), (1, "loss", 2.6)]
    assert all(row["name"] == "rank1" for row in rows[2:])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("both.csv", "split,epoch,loss,lr\ntrain,1,2.5,0.1\nval,1,2.6,0.1\n"),
        (
            "both.jsonl",
            '{"mode": "train", "epoch": 1, "loss": 2.5, "lr": 0.1}\n'
            '{"mode": "val", "epoch": 1, "loss": 2.6, "lr": 0.1}\n',
        ),
    ],
)
def test_a_word_that_tells_the_data(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    rows = rows_of(metric_lines.KIND if name.endswith("l") else lightning_csv.KIND, path)["metrics"]
    assert (values(rows, "loss"), values(rows, "val_loss")) == ([(1, 2.5)], [(1, 2.6)])
    assert len(values(rows, "lr")) == 2


def test_steps_that_are_words_beside_a_part_of_an_epoch(tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_text('{"epoch": 1, "update": 0.05, "loss": "2.5", "num_updates": "50"}\n')
    assert values(rows_of(metric_lines.KIND, path)["metrics"], "loss") == [(50, 2.5)]


@pytest.mark.parametrize(("mark", "order"), [("\ufeff", "utf-16-le"), ("\ufeff", "utf-16-be"), ("", "utf-16-le")])
def test_tables_of_a_shell_of_windows(tmp_path, mark, order):
    path = tmp_path / "table.csv"
    path.write_bytes(
        f"{mark}step,loss\r\n{''.join(f'{n},{2 + 1 / n}' + chr(13) + chr(10) for n in range(1, 9))}".encode(order)
    )
    assert lightning_csv.KIND.fits(Source("table.csv", path))
    assert values(rows_of(lightning_csv.KIND, path)["metrics"], "loss")[:2] == [(1, 3.0), (2, 2.5)]


@pytest.mark.parametrize(
    "table",
    [
        "sep=;\r\nSchritt;Loss\r\n950;2,5\r\n1.000;2,4\r\n1.050;2.001,25\r\n",  # as a spreadsheet in German writes it
        "\ufeffÉtape;Perte;Taux d'apprentissage\n950;2,5;\n1000;2,4;\n1050;2001,25;\n",
        "步数,训练损失\n950,2.5\n1000,2.4\n1050,2001.25\n",
        '"step" "loss"\n"1" 950 2.5\n"2" 1000 2.4\n"3" 1050 2001.25\n',  # as R does
        "step;loss\n950;2.500\n1000;2.400\n1050;2001.250\n",
    ],
)
def test_tables_of_spreadsheets_and_of_r(tmp_path, table):
    path = tmp_path / "table.csv"
    path.write_text(table)
    assert lightning_csv.KIND.fits(Source("table.csv", path))
    told = [(row["step"], row["value"]) for row in rows_of(lightning_csv.KIND, path)["metrics"]]
    assert told == [(950, 2.5), (1000, 2.4), (1050, 2001.25)]


def test_columns_for_a_plotting_program(tmp_path):
    path = tmp_path / "curve.dat"
    path.write_text("# step  time_s  loss\n   10   3.10   4.2\n   20   6.20   nan\n# again\n")
    rows = rows_of(lightning_csv.KIND, path)["metrics"]
    assert values(rows, "loss")[0] == (10, 4.2)
    assert values(rows, "time_s") == [(10, 3.1), (20, 6.2)]


@pytest.mark.parametrize(
    ("losses", "nan_from"),
    [
        (["2.5", "2.4", "null", "null"], 3),
        (["2.5", "null", "2.4", "null"], None),
        (["2.5", "2.4", "null", "2.3"], None),
        (["null", "null", "null"], None),
        (["2.5", "null", "null"], None),
    ],
)
def test_json_has_no_word_for_nan(tmp_path, losses, nan_from):
    path = tmp_path / "metrics.jsonl"
    lines = (f'{{"step": {at}, "loss": {loss}, "lr": null}}\n' for at, loss in enumerate(losses, 1))
    path.write_text("".join(lines))
    context = Context()
    rows = rows_of(metric_lines.KIND, path, context).get("metrics", [])
    assert [row["step"] for row in rows if math.isnan(row["value"])] == (
        [] if nan_from is None else list(range(nan_from, len(losses) + 1))
    )
    assert bool(context.warnings) is (nan_from is not None)


@pytest.mark.parametrize(
    ("kind", "name", "path"),
    [
        (tensorboard.KIND, "rank_3/events", EVENTS),
        (wandb.KIND, "rank_3/run-x.wandb", RUN),
        (trainer_state.KIND, "rank_3/trainer_state.json", STATE),
        (lightning_csv.KIND, "rank_3/metrics.csv", TABLE),
    ],
)
def test_the_rank_of_a_file_s_name_is_kept(kind, name, path):
    source = Source(name, path, rank=3, rank_by="file_name")
    rows = [row for table, rows in kind.read(source, Context()) if table == "metrics" for row in rows]
    assert {(row["rank"], row["rank_by"]) for row in rows} == {(3, "file_name")}


# --- damage of any sort ----------------------------------------------------------------------------------------------


def damaged(content, random):
    """``content`` with a few bits flipped, pieces cut out, doubled, or replaced by zeros or noise."""
    mutant = bytearray(content)
    for _ in range(random.randint(1, 4)):
        begin = random.randrange(len(mutant))
        end = min(len(mutant), begin + random.choice((1, 8, 100, 5000)))
        how = random.randrange(5)
        if how == 0:
            mutant[begin] ^= 1 << random.randrange(8)
        elif how == 1:
            del mutant[begin:end]
        elif how == 2:
            mutant[begin:begin] = mutant[begin:end]
        else:
            mutant[begin:end] = bytes(end - begin) if how == 3 else random.randbytes(end - begin)
        if not mutant:
            return b"0"
    return bytes(mutant)


@pytest.mark.parametrize(
    ("kind", "name", "path"),
    [
        (tensorboard.KIND, "r/events", EVENTS),
        (wandb.KIND, "r/run-x.wandb", RUN),
        (trainer_state.KIND, "r/trainer_state.json", STATE),
        (lightning_csv.KIND, "r/metrics.csv", TABLE),
        (metric_lines.KIND, "r/metrics.jsonl", LINES),
        (mlflow.KIND, "r/mlflow.db", DATABASE),
        (mlflow.KIND, "r/metrics/loss", next((SAMPLES / "mlflow").rglob("grad_norm"))),
        (mlflow.KIND, "r/meta.yaml", next((SAMPLES / "mlflow").rglob("*/meta.yaml"))),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_damage_gives_rows_or_one_clear_error(tmp_path, kind, name, path):
    random = Random(7)
    content = Source(name, path).read()
    read = 0
    for _ in range(60):
        mutant = tmp_path / "mutant"
        mutant.write_bytes(damaged(content, random))
        source = Source(name, mutant)
        if not kind.fits(source):
            continue
        try:
            for table, rows in kind.read(source, Context()):
                pl.DataFrame(rows, schema_overrides=stored_schema(table), infer_schema_length=None)
                read += len(rows)
        except InputError:
            continue
    assert read > 0 or name.endswith("meta.yaml")
