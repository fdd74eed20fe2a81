"""Inputs that are built to cost much: tried again at every place, nested, joined, or beyond what columns hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from inquest.bundle.imports import KINDS
from tests.fuzz.guard import Guard
from tests.fuzz.targets import load

if TYPE_CHECKING:
    from pathlib import Path

_SIZE: Final = 1 << 18


def _filled(unit: str, begin: str = "", end: str = "") -> bytes:
    return (begin + unit * (_SIZE // len(unit)) + end).encode()


_SHAPES: Final = {
    "brackets that nobody closes": _filled('{"a":'),
    "lists in lists": _filled("[", '{"a":', "1"),
    "objects": _filled('{"a":1}\n'),
    "rows that nobody closes": _filled("<tr><td"),
    "one quote": _filled("a,b,c\n", 'time,message\n1,"'),
    "a quote that goes on": _filled('x\n","', 'time,message\n1,"'),
    "one line of letters": _filled("a"),
    "one line of digits": _filled("7"),
    "one line of blanks": _filled(" "),
    "words": _filled("model saved failed "),
    "names and no values": _filled("a\\=b\\,", "gpu,a=b ", " 1700000000"),
    "commas": _filled(","),
    "a step": _filled("step 1 loss 2.0 | "),
    "returns": _filled("\r"),
    "escapes": _filled("\x1b[0m"),
    "paths": _filled("/a.b"),
    "percents": _filled("1%|"),
}
_NOTEBOOK: Final = '{"nbformat":4,"cells":[{"cell_type":"code","outputs":[{"data":{"text/html":%s}}]}]}'
_GPUSTAT: Final = '{"hostname":"a","query_time":"%s","gpus":[{"index":%s,"utilization.gpu":%s,"uuid":"GPU-1"}]}\n'
_TELEGRAF: Final = "nvidia_smi,index=0 utilization_gpu=1i %s\n"
_RECORD: Final = '{"log":"%s\\n","stream":"stdout","time":%s}\n'
_BEYOND: Final = {
    "notebook": [_NOTEBOOK % json.dumps("<tr>" * 40_000), _NOTEBOOK % json.dumps("<tr>" + "<td" * 40_000 + "</tr>")],
    "gpustat": [
        *(
            _GPUSTAT % (f"{year}-01-01T00:00:00{zone}", "0", "1")
            for year in ("0001", "9999")
            for zone in ("", "+14:00")
        ),
        *(_GPUSTAT % ("2026-01-01T00:00:00", number, number) for number in ("NaN", "Infinity", "9" * 400, "1e400")),
        _GPUSTAT % ("\\ud800", "0", "1"),
        _GPUSTAT.replace("GPU-1", "\\ud800") % ("2026-01-01T00:00:00", "0", "1"),
    ],
    "telegraf": [
        *(_TELEGRAF % stamp for stamp in ("9" * 10, "9" * 13, "9" * 16, "9" * 19)),
        *(f"time,index,utilization_gpu\n{year}-01-01T00:00:00+14:00,0,1\n" for year in ("0001", "9999")),
        json.dumps({"name": "nvidia_smi", "tags": {"uuid": "\ud800"}, "timestamp": 1_700_000_000})[:-1]
        + ',"fields":{"utilization_gpu":%s}}\n' % ("9" * 400),
        f'time,index,utilization_gpu\n"2026-01-01T00:00:00Z,0,{"1" * 140_000}\n',
    ],
    "failure_json": ['{"a":' * 900 + '"x"' + "}" * 900, '{"trace":' + "[" * 900 + "]" * 900 + "}"],
    "log_records": [
        *(_RECORD % ("x", number) for number in ("9e16", "99999999999999999", "9" * 400, "1e400", "NaN", '"²"')),
        _RECORD % ("\\ud800", "1700000000"),
        'time,mes\rsage,"\n1,x\n',
        f'time,message\n1,"{"x" * 140_000}\n',
    ],
    "settings": ["a:\n" * 80_000, "Namespace(" + "a=" * 80_000, '{"args":' * 30_000],
}
"""Texts of one kind of file, whose numbers and times no column can hold."""


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_costs_a_reader_more_than_its_length(kind: str, tmp_path: Path) -> None:
    run, _ = load(f"import_{kind}")
    guard = Guard(run, tmp_path)
    for data in (*_SHAPES.values(), *(text.encode("utf-8", "surrogatepass") for text in _BEYOND.get(kind, ()))):
        guard(data, twice=False)
    guard.close()
