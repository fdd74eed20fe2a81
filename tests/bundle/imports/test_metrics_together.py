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
    assert set(imported.rows.all_nodes()) - {"unknown"} == {"gpu01"}, "as Slurm calls it"
    assert any("gpu02" in note and "left out" in note for note in imported.report.notes)


def test_where_no_node_is_known_by_its_name_none_is_left_out(tmp_path):
    (tmp_path / "prom.json").write_text(answer("DCGM_FI_DEV_GPU_UTIL", {"10.0.0.1": 90, "exporter-x7k2p": 10}))
    (tmp_path / "sacct.txt").write_text(SACCT)
    assert {"10.0.0.1", "exporter-x7k2p"} <= set(import_paths([tmp_path]).rows.all_nodes())


def test_labels_tell_where_a_gpu_sits(tmp_path):
    (tmp_path / "prom.json").write_text(answer("DCGM_FI_DEV_GPU_UTIL", {"gpu01": 90}))
    assert rows(tmp_path, "devices").select("gpu_uuid", "bus_id").rows() == [("GPU-gpu01", "00000000:4F:00.0")]


def test_a_node_that_a_kernel_log_and_an_exporter_call_differently_is_one(tmp_path):
    (tmp_path / "prom.json").write_text(answer("DCGM_FI_DEV_GPU_UTIL", {"gpu01.site": 90}))
    (tmp_path / "kern.log").write_text("2026-11-20T10:00:00+0000 gpu01 kernel: NVRM: Xid (PCI:0000:4F:00): 79, lost\n")
    imported = import_paths([tmp_path])
    assert imported.rows.nodes_of("gpu_samples") == imported.rows.nodes_of("kernel_log") == {"gpu01"}


def test_a_host_has_one_name_whatever_its_letters(tmp_path):
    (tmp_path / "prom.json").write_text(answer("DCGM_FI_DEV_GPU_UTIL", {"GPU01.SITE": 90, "GPU02.SITE": 10}))
    (tmp_path / "sacct.txt").write_text(SACCT)
    (tmp_path / "dmesg_gpu01.txt").write_text("[Mon Sep 21 14:15:00 2026] NVRM: Xid (PCI:0000:4F:00): 79, lost\n")
    imported = import_paths([tmp_path])
    assert set(imported.rows.all_nodes()) - {"unknown"} == {"gpu01"}, "as Slurm calls it, and its GPUs alone"


def test_nodes_of_one_domain_are_called_alike_where_a_list_was_cut(tmp_path):
    (tmp_path / "prom.json").write_text(answer("DCGM_FI_DEV_GPU_UTIL", {"gpu01.site": 90, "gpu02.site": 80}))
    (tmp_path / "sacct.txt").write_text(SACCT.replace("|gpu01\n", "|gpu01,gpu+\n"))
    (tmp_path / "dmesg_gpu01.txt").write_text("[    1.000000] NVRM: loading NVIDIA UNIX x86_64 Kernel Module\n")
    (tmp_path / "far.json").write_text(answer("DCGM_FI_DEV_SM_CLOCK", {"gpu03.elsewhere": 1980}))
    assert import_paths([tmp_path]).rows.nodes_of("gpu_samples") == {"gpu01", "gpu02", "gpu03.elsewhere"}


def test_the_name_of_a_file_tells_a_node_that_others_call_by_two_names(tmp_path):
    (tmp_path / "prom.json").write_text(answer("DCGM_FI_DEV_GPU_UTIL", {"gpu01.site": 90}))
    (tmp_path / "sacct.txt").write_text(SACCT)
    (tmp_path / "dmesg_gpu01.txt").write_text("[Mon Sep 21 14:15:00 2026] NVRM: Xid (PCI:0000:4F:00): 79, lost\n")
    assert import_paths([tmp_path]).rows.nodes_of("kernel_log") == {"gpu01"}


def test_a_name_with_two_domains_is_left_as_it_is(tmp_path):
    (tmp_path / "prom.json").write_text(answer("DCGM_FI_DEV_GPU_UTIL", {"a.east": 90, "a.west": 80, "a": 70}))
    assert {"a", "a.east", "a.west"} <= set(import_paths([tmp_path]).rows.all_nodes())


def test_gpus_that_the_exporter_gives_to_other_jobs_are_left_out_and_said(tmp_path):
    found = json.loads(answer("DCGM_FI_DEV_GPU_UTIL", {"gpu01": 90, "other": 50, "free": 0}))
    for series, job in zip(found["data"]["result"], ("7", "99", None), strict=True):
        series["metric"] |= {"Hostname": "gpu01"} | ({} if job is None else {"hpc_job": job})
    (tmp_path / "prom.json").write_text(json.dumps(found))
    (tmp_path / "sacct.txt").write_text(SACCT)
    imported = import_paths([tmp_path])
    (samples,) = imported.rows.frames("gpu_samples")
    assert samples["gpu_uuid"].unique().to_list() == ["GPU-gpu01"]
    (held,) = imported.rows.frames("placements", "job_id", "visible_gpus")
    assert held.rows() == [("7", "GPU-gpu01")]
    assert any("2 GPUs" in note and "left out" in note for note in imported.report.notes)


def instances(path, *ids: str) -> None:
    """Engine activity of instances of one GPU, beside the power of the whole."""
    engine, power = (json.loads(answer(name, {"gpu01": 0.5})) for name in (ENGINE, "DCGM_FI_DEV_POWER_USAGE"))
    (series,) = engine["data"]["result"]
    parts = [series | {"metric": series["metric"] | {"GPU_I_ID": part, "GPU_I_PROFILE": "3g.40gb"}} for part in ids]
    power["data"]["result"] += parts
    path.write_text(json.dumps(power))


ENGINE = "DCGM_FI_PROF_GR_ENGINE_ACTIVE"


def test_a_gpu_of_which_one_instance_is_told_is_that_instance(tmp_path):
    instances(tmp_path / "prom.json", "2")
    read = rows(tmp_path, "gpu_samples")
    assert read.select("gpu_uuid", "engine_active", "power_w").unique().rows() == [("GPU-gpu01", 0.5, 0.5)]
    assert read.height == 4


def test_readings_of_several_instances_do_not_mingle(tmp_path):
    instances(tmp_path / "prom.json", "2", "5")
    imported = import_paths([tmp_path])
    (read,) = imported.rows.frames("gpu_samples")
    assert read.select("engine_active", "power_w").unique().rows() == [(None, 0.5)]
    assert imported.report.files[0].refused == {"series of several parts of one GPU (MIG)": 2}
