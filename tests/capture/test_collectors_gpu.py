"""GPUs tick by tick through the real pynvml, against a stub library scripted by a file. SIMULATED GPUs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.families.b3_throttling import SEVERE_REASONS
from inquest.bundle import schema
from inquest.capture.gpu_health import CLOCK_REASONS, SEVERE, health, in_words
from inquest.capture.gpus import Gpu, Mig, sysfs_bus_id, visible
from tests.capture.recorder_kit import Stub, command

if TYPE_CHECKING:
    from collections.abc import Iterator

Rows = list[dict[str, Any]]


class Driven:
    """The NVML collector in a process of its own, one step at a time."""

    def __init__(self, stub: Stub, **environ: str) -> None:
        self._stub = stub
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.capture.nvml_driver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | stub.env | environ,
            text=True,
        )

    def ask(self, step: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(step, file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        for table, rows in answer.items() if isinstance(answer, dict) else ():
            if table in schema.BY_NAME:
                assert all(set(row) <= set(schema.BY_NAME[table].column_names) for row in rows), table
        return answer

    def tick(self, *script: str) -> dict[str, Rows]:
        """One tick, after the GPUs were scripted anew, if they are."""
        if script:
            self._stub.say(*script)
            time.sleep(0.03)  # the stub looks at its script a hundred times a second
        return self.ask("tick")  # type: ignore[no-any-return]

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="module")
def stub(tmp_path_factory: pytest.TempPathFactory) -> Stub:
    return Stub(tmp_path_factory.mktemp("nvml"))


@pytest.fixture
def driven(stub: Stub, request: pytest.FixtureRequest) -> Iterator[Driven]:
    stub.say(*getattr(request, "param", ("* gpus 2",)))
    driven = Driven(stub)
    yield driven
    driven.end()


def of(rows: Rows, **wanted: object) -> Rows:
    return [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]


def test_links_are_read_in_turn_and_their_errors_told(driven: Driven) -> None:
    driven.ask("start")
    first = driven.tick()["nvlink_samples"]
    assert {row["gpu_index"] for row in first} == {0, 1}, "at the first tick those of all GPUs"
    assert len(of(first, gpu_index=0)) == 18
    row = of(first, gpu_index=1, link=3)[0]
    assert (row["active"], row["tx_bytes"], row["rx_bytes"]) == (True, 4096 << 10, 8192 << 10)
    assert (row["tx_raw_bytes"], row["rx_raw_bytes"]) == (3 * 4096 << 10, 4 * 4096 << 10)
    assert row["speed_mbps"] == 26562 * 8
    script = ("* gpus 2", "0 bad_link 3", "0 link_down 1", "0 link_crc 9", "0 link_replay 2")
    driven.tick(*script)
    third = driven.tick()
    assert {row["gpu_index"] for row in third["nvlink_samples"]} == {0}, "one GPU a tick has its turn"
    bad = of(third["nvlink_samples"], link=3)[0]
    assert (bad["active"], bad["crc_errors"], bad["replay_errors"], bad["recovery_errors"]) == (False, 9, 2, 0)
    assert of(third["gpu_events"], event="health")[0]["detail"] == "failure: 1 NVLinks went down"
    assert {row["gpu_index"] for row in driven.ask("stop")["nvlink_samples"]} == {0, 1}


@pytest.mark.parametrize("driven", [("* gpus 1", "* nvlink5 1", "* bad_link 17", "* link_symbols 6")], indirect=True)
def test_links_of_blackwell_count_in_their_own_way(driven: Driven) -> None:
    driven.ask("start")
    rows = driven.tick()["nvlink_samples"]
    assert [row["symbol_errors"] for row in rows] == [0] * 17 + [6]
    row = rows[17]
    assert (row["tx_bytes"], row["rx_bytes"]) == (2 * 4096 << 10, 4 * 4096 << 10)
    assert (row["tx_packets"], row["rx_packets"], row["active"]) == (4096 << 10, 3 * 4096 << 10, True)
    assert (row["tx_drops"], row["remote_errors"], row["recoveries_failed"], row["effective_errors"]) == (0, 0, 0, 0)
    assert "crc_errors" not in row
    assert [row[f"fec_bin_{mended}"] for mended in range(3)] == [4096 * 1000, 4096, 4]
    assert "fec_bin_0" not in driven.tick()["nvlink_samples"][0], "not at every look"
    assert driven.ask("stop")["nvlink_samples"][17]["fec_bin_1"] == 4096, "but at the last"


@pytest.mark.parametrize("driven", [("* gpus 1", "* links 12", "* hopper 0", "* bad_link 9")], indirect=True)
def test_links_of_older_gpus_have_numbers_of_their_own(driven: Driven) -> None:
    driven.ask("start")
    rows = driven.tick("* gpus 1", "* links 12", "* hopper 0", "* bad_link 9", "* link_replay 4")["nvlink_samples"]
    assert [row["replay_errors"] for row in rows] == [0] * 9 + [4, 0, 0]
    assert all(row["active"] for row in rows), "the state comes by a call"
    rows = driven.tick("* gpus 1", "* links 12", "* hopper 0", "* bad_link 9", "* link_down 1")["nvlink_samples"]
    assert [row["link"] for row in rows if not row["active"]] == [9]


@pytest.mark.parametrize("driven", [("* gpus 1",)], indirect=True)
def test_ecc_errors_are_told_by_place_when_they_move(driven: Driven) -> None:
    driven.ask("start")
    places = {row["location"] for row in driven.tick()["gpu_ecc"]}
    assert places >= {"dram", "sram", "sram_sm", "sram_l2", "sram_parity"}
    assert driven.tick()["gpu_ecc"] == []
    moved = driven.tick("* gpus 1", "0 dram_unc_vol 1", "0 sram_unc_agg 3", "0 sram_sm_agg 2", "0 sram_exceeded 1")
    rows = {row["location"]: row for row in moved["gpu_ecc"]}
    assert rows["dram"]["ecc_uncorrected_volatile"] == 1
    assert rows["sram"]["ecc_uncorrected_aggregate"] == 3
    assert rows["sram_sm"]["ecc_uncorrected_aggregate"] == 2
    assert rows["sram"]["over_threshold"] is True
    assert "sram_l2" not in rows, "a place whose counters stand still has no row"
    told = of(moved["gpu_events"], event="health")
    assert [row["detail"] for row in told] == ["failure: SRAM errors are beyond NVIDIA's threshold"]
    assert {row["location"] for row in driven.ask("stop")["gpu_ecc"]} == places, "all of them at the end"


@pytest.mark.parametrize("driven", [("* gpus 1", "* fields 0", "* hopper 0", "* retired 2")], indirect=True)
def test_an_older_driver_is_asked_by_its_own_calls(driven: Driven) -> None:
    driven.ask("start")
    row = driven.tick()["gpu_samples"][0]
    assert (row["energy_mj"], row["remap_failure"], row["retired_pages"]) == (123456789, False, 2)
    assert "recovery_action" not in row


@pytest.mark.parametrize("driven", [("* gpus 1", "* unsupported_fan 1", "* hopper 0")], indirect=True)
def test_what_is_refused_once_is_not_asked_again(driven: Driven) -> None:
    driven.ask("start")
    driven.tick()
    before = driven.ask("refused fan"), driven.ask("refused fields")
    assert before[0] == 1
    assert before[1] > 0
    for _ in range(5):
        driven.tick()
    assert (driven.ask("refused fan"), driven.ask("refused fields")) == before


@pytest.mark.parametrize("driven", [("* gpus 2", "1 migs 3", f"1 pid {os.getpid()}")], indirect=True)
def test_mig_instances_are_gpus_of_their_own(driven: Driven) -> None:
    driven.ask("start")
    first = driven.tick()
    driven.tick()
    second = driven.tick("* gpus 2", "1 migs 3", f"1 pid {os.getpid()}", "1 xid 94")
    uuids = [f"MIG-5eed0000-0000-0000-000{number}-000000000001" for number in (1, 2, 3)]
    rows = [row for row in second["gpu_samples"] if row["gpu_uuid"] in uuids]
    assert [row["fb_total_bytes"] for row in rows] == [85899345920 // 3] * 3
    assert [row["sm_active"] for row in rows] == [0.57] * 3
    assert {row["gpu_index"] for row in rows} == {None}, "or charts would join them with the whole"
    whole = of(second["gpu_samples"], gpu_uuid="GPU-5eed0000-0000-0000-0000-000000000001")[0]
    assert "sm_active" not in whole
    (holder,) = first["gpu_processes"]
    assert (holder["pid"], holder["mig_uuid"], holder["event"]) == (os.getpid(), uuids[0], "attached")
    assert holder["command"]
    assert driven.ask("holders") == {str(os.getpid()): ["GPU-5eed0000-0000-0000-0000-000000000001"]}
    deadline = time.monotonic() + 30
    while not (told := of(second["gpu_events"], event="xid")):
        assert time.monotonic() < deadline
        second = driven.tick()
    assert (told[0]["xid"], told[0]["mig_uuid"]) == (94, uuids[0])


@pytest.mark.parametrize("driven", [("* gpus 2", "1 silent 1")], indirect=True)
def test_a_gpu_lost_before_we_came_is_told(driven: Driven) -> None:
    (event,) = driven.ask("start")["gpu_events"]
    assert (event["gpu_index"], event["event"]) == (1, "health"), "not lost by this job"
    assert event["detail"] == "failure: the GPU is there and could not be opened: GPU is lost"
    assert {row["gpu_index"] for row in driven.tick()["gpu_samples"]} == {0}


@pytest.mark.parametrize("driven", [("* init 18",)], indirect=True)
def test_a_driver_that_does_not_fit_its_library_is_an_outcome(driven: Driven) -> None:
    assert "reboot the node" in driven.ask("start")["missing"]


def test_clocks_held_back_are_told_once_and_when_they_are_free(driven: Driven) -> None:
    driven.ask("start")
    driven.tick()
    events = driven.tick("* gpus 2", "1 throttle 76")["gpu_events"]
    assert [(row["gpu_index"], row["detail"]) for row in events] == [
        (1, "clocks are held back by hardware slowdown, hardware thermal slowdown")
    ]
    assert driven.tick("* gpus 2", "1 throttle 8")["gpu_events"] == [], "one of them left: nothing new"
    assert driven.tick("* gpus 2", "1 throttle 76")["gpu_events"] == [], "and came back"
    assert driven.tick("* gpus 2", "1 throttle 5")["gpu_events"] == [], "idle and the power cap are how a GPU runs"
    freed = [row["detail"] for _ in range(10) for row in driven.tick()["gpu_events"]]
    assert freed == ["clocks are no longer held back"]


def test_other_events_of_the_driver_are_told_in_words(driven: Driven) -> None:
    driven.ask("start")
    found = driven.tick("* gpus 2", "1 event 2048")["gpu_events"]
    deadline = time.monotonic() + 30
    while not found:
        assert time.monotonic() < deadline
        found = driven.tick()["gpu_events"]
    assert [(row["event"], row["detail"]) for row in found] == [("health", "memory could not be retired or remapped")]


def test_health_rolls_up_what_was_read() -> None:
    assert health({}) == "ok"
    assert health({"remap_failure": False, "recovery_action": "none", "pcie_width": 16, "pcie_width_max": 16}) == "ok"
    assert health({"remap_pending": True}) == "warning: a row remap waits for a reset"
    assert health({"pcie_width": 8, "pcie_width_max": 16, "recovery_action": "node_reboot"}) == (
        "failure: the driver asks for node reboot; PCIe runs on 8 of 16 lanes"
    )


@pytest.mark.parametrize("driven", [("* gpus 1",)], indirect=True)
def test_a_gpu_outside_the_fabric_is_told(driven: Driven) -> None:
    driven.ask("start")
    assert driven.tick()["gpu_samples"][0]["fabric"] == "completed"
    found = driven.tick("* gpus 1", "0 fabric_state 2")
    assert found["gpu_samples"][0]["fabric"] == "in progress"
    assert [row["detail"] for row in found["gpu_events"]] == ["failure: NVSwitch fabric: in progress"]
    found = driven.tick("* gpus 1", "0 fabric_health 785")  # 0x311: degraded, unhealthy route, wrong serial number
    words = "completed, degraded bandwidth, route unhealthy, incorrect configuration"
    assert found["gpu_samples"][0]["fabric"] == words


def test_the_rank_of_a_process_that_another_recorder_follows(stub: Stub) -> None:
    job = {"SLURM_JOB_ID": "42", "RANK": "5"}
    with command("sleep", "600", env=os.environ | job) as ours, command("sleep", "600", env=os.environ) as other:
        driven = Driven(stub, SLURM_JOB_ID="42")
        try:
            stub.say("* gpus 2", f"0 pid {ours.pid}", f"1 pid {other.pid}")
            deadline = time.monotonic() + 60
            while Path(f"/proc/{ours.pid}/comm").read_text() != "sleep\n":
                assert time.monotonic() < deadline
                time.sleep(0.01)
            driven.ask("start")
            found = {row["gpu_index"]: row for row in driven.tick()["gpu_processes"]}
        finally:
            driven.end()
    assert (found[0]["rank"], found[0]["command"]) == (5, "sleep")
    assert found[1]["rank"] is None, "not of this job, and yet it holds memory"


@pytest.mark.parametrize("driven", [("* gpus 1", "0 pcie_errors 4", "0 held_brake 7")], indirect=True)
def test_errors_of_the_slot_and_time_under_the_power_brake(driven: Driven) -> None:
    driven.ask("start")
    row = driven.tick()["gpu_samples"][0]
    assert (row["pcie_correctable_errors"], row["held_brake_ns"]) == (4, 7)
    assert "pcie_fatal_errors" not in row


@pytest.mark.parametrize("driven", [("* gpus 1", "0 energy_mj -1")], indirect=True)
def test_all_ones_are_no_reading(driven: Driven) -> None:
    driven.ask("start")
    row = driven.tick()["gpu_samples"][0]
    assert "energy_mj" not in row
    assert row["temp_core_c"] == 61


def test_clock_reasons_in_words() -> None:
    assert in_words(0) == ""
    assert in_words(0x84) == "software power cap, hardware power brake"
    assert sum(CLOCK_REASONS) == 0x1FF
    assert sum(SEVERE_REASONS) == SEVERE, "what the recorder tells is what the verdict weighs"


def _gpu(index: int, model: str = "H100", migs: int = 0) -> Gpu:
    instances = tuple(Mig(None, f"MIG-{index}{n}aaaa", n + 3, 0, model, None) for n in range(migs))
    return Gpu(None, index, f"GPU-{index}bbbb", model, None, None, instances)


@pytest.mark.parametrize(
    ("environ", "seen"),
    [
        ({}, ("GPU-0bbbb", "GPU-1bbbb", "GPU-2bbbb")),
        ({"CUDA_VISIBLE_DEVICES": "2,0"}, ("GPU-2bbbb", "GPU-0bbbb")),
        ({"CUDA_VISIBLE_DEVICES": "1,9,0"}, ("GPU-1bbbb",)),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, ()),
        ({"CUDA_VISIBLE_DEVICES": ""}, ()),
        ({"CUDA_VISIBLE_DEVICES": "GPU-1"}, ("GPU-1bbbb",)),
        ({"CUDA_VISIBLE_DEVICES": "GPU-"}, ()),
        ({"CUDA_VISIBLE_DEVICES": " 1 , 2"}, ("GPU-1bbbb", "GPU-2bbbb")),
    ],
)
def test_what_cuda_shows_a_process(environ: dict[str, str], seen: tuple[str, ...]) -> None:
    assert visible(environ, (_gpu(0), _gpu(1), _gpu(2))) == seen


def test_what_cuda_shows_where_gpus_are_divided_or_differ() -> None:
    assert visible({}, (_gpu(0, migs=2), _gpu(1, migs=1))) == ("MIG-00aaaa",), "one instance, whatever there is"
    divided = (_gpu(0, migs=2), _gpu(1))
    assert visible({}, divided) is None
    assert visible({"CUDA_VISIBLE_DEVICES": "MIG-01"}, divided) == ("MIG-01aaaa",)
    assert visible({"CUDA_VISIBLE_DEVICES": "MIG-GPU-0bbbb/4/0"}, divided) == ("MIG-01aaaa",)
    mixed = (_gpu(0), _gpu(1, "L4"))
    assert visible({"CUDA_VISIBLE_DEVICES": "0"}, mixed) is None, "the fastest comes first, and which is that?"
    assert visible({"CUDA_VISIBLE_DEVICES": "1", "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, mixed) == ("GPU-1bbbb",)
    assert sysfs_bus_id("00000000:4F:00.0") == "0000:4f:00.0"
