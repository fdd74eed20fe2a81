"""Metrics that lie in a file a metric, beside those of nodes that were not the job's."""

import json

import polars as pl

from inquest.bundle.imports.core import import_paths

T0 = 1_790_000_000
SACCT = "JobID|State|ExitCode|Start|End|NodeList\n7|COMPLETED|0:0|2026-09-21T14:13:20|2026-09-21T14:23:20|gpu01\n"


def answer(metric: str, values: dict[str, float]) -> str:
    series = [
        {
            "metric": {
                "__name__": metric,
                "Hostname": node,
                "UUID": f"GPU-{node}",
                "gpu": "0",
                "pci_bus_id": "00000000:4F:00.0",
            },
            "values": [[T0 + 15 * tick, str(value)] for tick in range(4)],
        }
        for node, value in values.items()
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}})


def rows(folder, table: str) -> pl.DataFrame:
    return pl.concat(import_paths([folder]).rows.frames(table))


def test_a_file_a_metric_gives_one_row_an_instant(tmp_path):
    for metric, value in (("DCGM_FI_DEV_SM_CLOCK", 1980), ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", 64)):
        (tmp_path / f"{metric}.json").write_text(answer(metric, {"gpu01": value, "gpu02": value + 1}))
    read = rows(tmp_path, "gpu_samples").sort("node", "seq")
    assert read.select("node", "seq", "sm_clock_mhz", "throttle_reasons").rows() == [
        (node, tick, 1980 + more, 64 + more) for node, more in (("gpu01", 0), ("gpu02", 1)) for tick in range(4)
    ]


def test_readings_of_nodes_that_were_not_the_jobs_are_left_out_and_said(tmp_path):
    (tmp_path / "prom.json").write_text(answer("DCGM_FI_DEV_GPU_UTIL", {"gpu01.site": 90, "gpu02.site": 10}))
    (tmp_path / "sacct.txt").write_text(SACCT)
    imported = import_paths([tmp_path])
    assert set(imported.rows.all_nodes()) - {"unknown"} == {"gpu01.site"}
    assert any("gpu02.site" in note and "left out" in note for note in imported.report.notes)


def test_where_no_node_is_known_by_its_name_none_is_left_out(tmp_path):
    (tmp_path / "prom.json").write_text(answer("DCGM_FI_DEV_GPU_UTIL", {"10.0.0.1": 90, "exporter-x7k2p": 10}))
    (tmp_path / "sacct.txt").write_text(SACCT)
    assert {"10.0.0.1", "exporter-x7k2p"} <= set(import_paths([tmp_path]).rows.all_nodes())


def test_labels_tell_where_a_gpu_sits(tmp_path):
    (tmp_path / "prom.json").write_text(answer("DCGM_FI_DEV_GPU_UTIL", {"gpu01": 90}))
    assert rows(tmp_path, "devices").select("gpu_uuid", "bus_id").rows() == [("GPU-gpu01", "00000000:4F:00.0")]
