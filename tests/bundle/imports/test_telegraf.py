"""GPU metrics in the forms of Telegraf, InfluxDB and gpustat."""

from __future__ import annotations

import json

import pytest

from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.gpustat import KIND as GPUSTAT
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source
from inquest.bundle.imports.telegraf import KIND as TELEGRAF

from .kit import rows_of

UUID = "GPU-00000000-1111-2222-3333-444444444444"
TAGS = {"host": "gpu07", "index": "3", "name": "NVIDIA H100 80GB HBM3", "uuid": UUID}
NS = 1_777_888_800_000_000_000
ANNOTATED = (
    "#group,false,false,true,true,false,false,true,true,true,true,true\r\n"
    "#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string,string,string,string,string\r\n"
    "#default,_result,,,,,,,,,,\r\n"
    ",result,table,_start,_stop,_time,_value,_field,_measurement,host,index,uuid\r\n"
    f",,0,2026-05-04T09:00:00Z,2026-05-04T11:00:00Z,2026-05-04T10:00:00Z,97,utilization_gpu,nvidia_smi,gpu07,3,{UUID}\r\n"
    f",,1,2026-05-04T09:00:00Z,2026-05-04T11:00:00Z,2026-05-04T10:00:00Z,1024,memory_used,nvidia_smi,gpu07,3,{UUID}\r\n"
    f",,2,2026-05-04T09:00:00Z,2026-05-04T11:00:00Z,2026-05-04T10:00:00Z,,power_draw,nvidia_smi,gpu07,3,{UUID}\r\n"
)
FORMS = {
    "annotated.csv": ANNOTATED,
    "pivoted.csv": "_time,host,index,uuid,utilization_gpu,memory_used\n"
    f"2026-05-04T12:00:00+02:00,gpu07,3,{UUID},97,1024\n",
    "metrics.out": f"nvidia_smi,host=gpu07,index=3,name=NVIDIA\\ H100\\ 80GB\\ HBM3,uuid={UUID} "
    f'driver_version="550, x=1",utilization_gpu=97i,memory_used=1024i {NS}\n',
    "metrics.json": json.dumps(
        {
            "fields": {"utilization_gpu": 97, "memory_used": 1024, "driver_version": "550"},
            "name": "nvidia_smi",
            "tags": TAGS,
            "timestamp": NS // 10**9,
        }
    )
    + "\n",
    "scraped.out": f"DCGM_FI_DEV_GPU_UTIL,Hostname=gpu07,UUID={UUID},gpu=3 gauge=97 {NS}\n"
    f"prometheus,Hostname=gpu07,UUID={UUID},gpu=3 DCGM_FI_DEV_FB_USED=1024 {NS}\n",
}
GPUS = [
    {"index": 3, "uuid": UUID, "name": "NVIDIA H100", "utilization.gpu": 97, "memory.used": 1024, "power.draw": None}
]
LOOK = {"hostname": "gpu07", "query_time": "2026-05-04T12:00:00.000000", "gpus": GPUS}


@pytest.mark.parametrize("name", FORMS)
def test_a_gpu_is_read_in_every_form(tmp_path, name):
    (tmp_path / name).write_text(FORMS[name])
    (row,) = rows_of(TELEGRAF, tmp_path / name)["gpu_samples"]
    assert (row["ts_ns"], row["node"], row["gpu_index"], row["gpu_uuid"]) == (NS, "gpu07", 3, UUID)
    assert (row["engine_active"], row["fb_used_bytes"], row.get("power_w")) == (0.97, 1024 << 20, None)


@pytest.mark.parametrize("indent", [None, 4])
def test_looks_of_gpustat_stand_behind_one_another(tmp_path, indent):
    path = tmp_path / "gpustat.json"
    path.write_text("".join(f"{json.dumps(LOOK | {'hostname': f'gpu0{n}'}, indent=indent)}\n" for n in (7, 8)))
    rows = rows_of(GPUSTAT, path, Context(utc_offset_minutes=120))["gpu_samples"]
    assert [(row["ts_ns"], row["node"], row["engine_active"]) for row in rows] == [
        (NS, "gpu07", 0.97),
        (NS, "gpu08", 0.97),
    ]


def test_tables_and_lines_of_something_else_are_left(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("time,item,price\n2026-05-04T10:00:00Z,gpu,97\n")
    assert not TELEGRAF.fits(Source(path.name, path))
    (tmp_path / "metrics.out").write_text(FORMS["metrics.out"])
    kinds = {file.name: file.kind for file in import_paths([str(tmp_path)]).report.files}
    assert kinds == {"prices.csv": None, "metrics.out": "telegraf"}
