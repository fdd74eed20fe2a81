"""Whose readings are: of hosts that a list of GPUs, a column, or nothing but the names of files tells."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.imports import bundle
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.gpu_inventory import KIND as INVENTORY
from inquest.bundle.imports.nodes import by_their_likes
from inquest.bundle.imports.source import Source
from inquest.bundle.store import BundleStore

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

NS = 10**9
BEGIN = 1_772_618_400  # 2026-03-04 10:00:00 UTC
UUIDS = {
    (host, gpu): f"GPU-0000000{gpu}-aaaa-bbbb-cccc-{number:012d}"
    for number, host in enumerate(("gn07", "gn08"))
    for gpu in (0, 1)
}


def samples(place: Path) -> pl.DataFrame:
    """What is read of GPUs in a folder."""
    out = place.parent / f"{place.name}.inquest"
    bundle.write(import_paths([str(place)]), out)
    return BundleStore(out).scan("gpu_samples").collect()


def by_uuid(place: Path) -> None:
    """Series of an exporter that names nothing but UUIDs."""
    result = [
        {
            "metric": {"__name__": "DCGM_FI_DEV_GPU_UTIL", "UUID": uuid},
            "values": [[BEGIN + 30 * number, "97"] for number in range(10)],
        }
        for uuid in UUIDS.values()
    ]
    told = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    (place / "dcgm.json").write_text(json.dumps(told))


@pytest.mark.parametrize("listed", ["of all", "of each", "of none"])
def test_readings_by_uuid_are_of_the_host_that_has_the_gpu(tmp_path: Path, listed: str) -> None:
    place = tmp_path / "incident"
    place.mkdir()
    by_uuid(place)
    lines = {(host, gpu): f"GPU {gpu}: NVIDIA H100 80GB HBM3 (UUID: {uuid})\n" for (host, gpu), uuid in UUIDS.items()}
    if listed == "of all":
        (place / "gpu_inventory.txt").write_text("".join(f"{host}: {line}" for (host, _), line in lines.items()))
    elif listed == "of each":
        for name in ("gn07", "gn08"):
            text = "".join(line for (host, _), line in lines.items() if host == name)
            (place / f"nvidia-smi-L_{name}.txt").write_text(text)
    told = samples(place).group_by("node").len().sort("node").rows()
    assert told == ([("unknown", 40)] if listed == "of none" else [("gn07", 20), ("gn08", 20)])


def test_a_gpu_that_two_hosts_list_is_of_neither(tmp_path: Path) -> None:
    place = tmp_path / "incident"
    place.mkdir()
    by_uuid(place)
    uuid = UUIDS["gn07", 0]
    (place / "gpus.txt").write_text("".join(f"{host}: GPU 0: NVIDIA L4 (UUID: {uuid})\n" for host in ("gn07", "gn08")))
    assert samples(place)["node"].unique().to_list() == ["unknown"]


def test_a_log_that_names_a_gpu_is_no_inventory(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_text(f"gn07: GPU 0: NVIDIA L4 (UUID: {UUIDS['gn07', 0]})\ngn07: step 1 loss 2.0\n")
    assert not INVENTORY.fits(Source(path.name, path))


@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S+00:00", "%Y/%m/%d %H:%M:%S.000"])
def test_a_column_of_hosts_and_times_of_ones_own_beside_fields_of_nvidia_smi(tmp_path: Path, form: str) -> None:
    place = tmp_path / "incident"
    place.mkdir()
    head = "host,timestamp,index,utilization.gpu,memory.used,power.draw,clocks.sm\n"
    begin = datetime.fromtimestamp(BEGIN, UTC)
    rows = [
        f"{host},{(begin + timedelta(seconds=30 * number)).strftime(form)},{gpu},97,71234,640.5,1965\n"
        for number in range(10)
        for host, gpu in UUIDS
    ]
    (place / "gpus.csv").write_text(head + "".join(rows))
    read = samples(place)
    assert read.group_by("node").len().sort("node").rows() == [("gn07", 20), ("gn08", 20)]
    assert (read["ts_ns"].min(), read["ts_ns"].max()) == (BEGIN * NS, (BEGIN + 270) * NS)


@pytest.mark.parametrize(
    ("files", "hosts"),
    [
        (("dmon_loon1.txt", "dmon_loon2.txt"), ["loon1", "loon2"]),
        (("gn07-nvidia-smi.csv", "gn08-nvidia-smi.csv"), ["gn07", "gn08"]),
        (("nvidia-smi-gn07.txt", "nvidia-smi-gn08.txt"), ["gn07", "gn08"]),
        (("smi_gpu0.csv", "smi_gpu1.csv"), []),
        (("part1.csv", "part2.csv"), []),
        (("dmon_loon1.txt",), []),
    ],
)
def test_hosts_by_which_files_are_called(files: tuple[str, ...], hosts: list[str]) -> None:
    assert sorted(by_their_likes(files).values()) == hosts


def test_the_command_of_dmon_may_stand_above_the_date(tmp_path: Path) -> None:
    place = tmp_path / "incident"
    place.mkdir()
    head = "$ date; dcgmi dmon -e 155,203 -d 30000\nWed Mar  4 10:00:00 UTC 2026\n"
    head += "#Entity   POWER        GPUTL\nID        W\n"
    (place / "dmon.txt").write_text(head + "GPU 0     640.5        97\n" * 10)
    read = samples(place)["ts_ns"].sort()
    assert read[0] == BEGIN * NS
    assert set(read.diff().drop_nulls()) == {30 * NS}
