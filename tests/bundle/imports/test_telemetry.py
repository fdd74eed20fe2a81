"""What the readers of GPU telemetry share: who takes which file, and that no bytes of a stranger break them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inquest.bundle.errors import InputError
from inquest.bundle.imports import (
    KINDS,
    dcgmi,
    gates,
    kinds,
    nvidia_smi,
    nvidia_smi_csv,
    nvidia_smi_xml,
    prometheus,
    prometheus_json,
    reader,
)
from inquest.bundle.imports.kind import Context
from inquest.bundle.imports.source import Source
from inquest.bundle.imports.told_time import told_ns
from inquest.bundle.scan import stored_schema

from . import test_dcgmi as monitor
from . import test_nvidia_smi as smi
from . import test_nvidia_smi_csv as csv
from . import test_prometheus as text
from . import test_prometheus_json as answers

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.bundle.imports.kind import Kind

FILES: dict[str, tuple[Kind, str]] = {
    "scrape": (prometheus.KIND, text.described("DCGM_FI_DEV_GPU_UTIL", text.gpu("DCGM_FI_DEV_GPU_UTIL", 97)) * 3),
    "only samples": (prometheus.KIND, text.gpu("DCGM_FI_DEV_GPU_UTIL", 97, time=" 1795219090123") + "# EOF\n"),
    "answer": (prometheus_json.KIND, json.dumps(answers.matrix(answers.series("DCGM_FI_DEV_GPU_UTIL", answers.UTIL)))),
    "export": (
        prometheus_json.KIND,
        '{"metric":{"__name__":"node_load1"},"values":[1],"timestamps":[1795219090000]}\n',
    ),
    "table": (nvidia_smi.KIND, smi.TABLE),
    "list and table": (nvidia_smi.KIND, smi.LIST + smi.OLD_TABLE),
    "long listing": (nvidia_smi.KIND, smi.log()),
    "monitor": (nvidia_smi.KIND, smi.DMON),
    "xml": (nvidia_smi_xml.KIND, smi.xml(processes=smi.process(1, "1 MiB"))),
    "csv": (nvidia_smi_csv.KIND, csv.HEADER + csv.line(10) + csv.line(10, 1)),
    "dcgmi monitor": (dcgmi.KIND, monitor.monitor(("GPU 0", "75", "1", "68", "2", "0.6"))),
    "dcgmi diag": (dcgmi.KIND, monitor.box(("=Hardware", ""), ("memory", "Fail"), ("", "GPU1: Fail"))),
    "dcgmi health": (dcgmi.KIND, monitor.health((0, "GPU", ""), (1, "0", "Failure"), (2, "Errors", ""))),
}


@pytest.mark.parametrize("name", FILES)
def test_each_file_is_taken_by_its_own_reader(tmp_path: Path, name: str) -> None:
    kind, content = FILES[name]
    path = tmp_path / "file"
    path.write_text(content)
    source = Source(path.name, path)
    assert next(other for other in kinds() if other.fits(source)) is kind
    assert any(reader(module) is kind for module in gates.open_for(source, KINDS))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(sorted(FILES)),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=12)), max_size=6),
)
def test_damage_is_survived(tmp_path: Path, name: str, cuts: list[tuple[float, int, bytes]]) -> None:
    kind, content = FILES[name]
    data = content.encode()
    for where, length, put in cuts:
        at = int(where * len(data))
        data = data[:at] + put + data[at + length :]
    path = tmp_path / "file"
    path.write_bytes(data)
    source = Source(path.name, path)
    for other, _ in FILES.values():
        other.fits(Source(path.name, path))
    try:
        for table, rows in kind.read(source, Context()):
            schema = stored_schema(table)
            frame = rows if isinstance(rows, pl.DataFrame) else pl.DataFrame(rows, infer_schema_length=None)
            frame.select(pl.col(column).cast(schema[column]) for column in frame.columns)
    except InputError:
        pass


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("2026-11-20T23:58:10Z", 0.0),
        ("2026-11-20 23:58:10.25", -3600.0 + 0.25),
        ("2026-11-21T00:58:10+01:00", 0.0),
        ("20261120-235810", -3600.0),
        ("Fri Nov 20 23:58:10 2026", -3600.0),
        ("Fri Nov 20 23:58:10 UTC 2026", 0.0),
        ("Fri 20 Nov 2026 11:58:10 PM UTC", 0.0),
        ("at 1795219090.5 or so", 0.5),
        ("1795219090123", 0.123),
    ],
)
def test_clocks_in_a_line(told: str, seconds: float) -> None:
    assert told_ns(told, 60) == round((1_795_219_090 + seconds) * 1000) * 1_000_000


@pytest.mark.parametrize(
    "text", ["", "step 10", "2026-13-45T99:99:99", "Fri Foo 20 23:58:10 2026", "12345678901234567890"]
)
def test_no_clock_in_a_line(text: str) -> None:
    assert told_ns(text, 0) is None
