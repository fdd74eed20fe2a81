"""From eight stub GPUs to a bundle: every table of GPUs and places arrives, and its names can be hidden. SIMULATED."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inquest.bundle.merge import merge
from inquest.bundle.redact import redact
from inquest.bundle.store import BundleStore
from tests.capture.recorder_kit import Stub, command, record

if TYPE_CHECKING:
    from pathlib import Path


def test_what_gpus_tell_arrives_in_a_bundle(tmp_path: Path) -> None:
    stub = Stub(tmp_path)
    stub.say("* gpus 8", "1 migs 2", "3 remap_failure 1")
    with command("sleep", "600") as child:
        recording = record(tmp_path / "out", child.pid, env=stub.env)
        recording.wait_for("gpu_samples", lambda rows: {row["gpu_index"] for row in rows} >= set(range(8)))
        recording.wait_for("placements", bool)
        recording.wait_for("device_links", bool)
        child.kill()
        child.wait()
        recording.wait()
    merge([tmp_path / "out" / "node-a"], tmp_path / "job.inquest")
    store = BundleStore(tmp_path / "job.inquest")
    links = store.scan("nvlink_samples").collect()
    assert links.height >= 2 * 8 * 18, "at the first tick and the last"
    assert links["link"].n_unique() == 18
    assert store.scan("gpu_ecc").collect()["location"].n_unique() >= 2
    assert store.scan("device_links").collect().height >= 8 * 7 // 2
    devices = store.scan("devices").collect()
    uuids = set(devices.filter(devices["kind"] == "gpu")["device_id"])
    assert len(uuids) == 8
    assert store.scan("gpu_events").collect()["detail"].to_list() == ["failure: a row remap has failed"]
    redact(tmp_path / "job.inquest", tmp_path / "hidden.inquest", sorts=("gpus",))
    hidden = BundleStore(tmp_path / "hidden.inquest")
    found = hidden.scan("devices").collect()
    assert set(found["device_id"]) & uuids == set()
    assert not set(found["serial"].drop_nulls()) & set(devices["serial"].drop_nulls())
    assert set(hidden.scan("device_links").collect()["device_id"]) <= set(found["device_id"]), "and still join"
