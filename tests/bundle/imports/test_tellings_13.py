"""GPU readings as operators hand them over: panels under titles of their own, other languages, other zones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.logs_import import import_logs
from inquest.cli import dispatch

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

LOG = "step 1 loss 2.0\n"
BEGIN = datetime(2026, 4, 7, 11, 0, tzinfo=UTC)
HEADER = '"Time","n1 / GPU 0","n1 / GPU 1"'


def samples(folder: Path, **files: str) -> pl.DataFrame:
    (folder / "train.log").write_text(LOG)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return import_logs([folder]).scan("gpu_samples").collect()


def panel(title: str, *cells: str, header: str = HEADER) -> dict[str, str]:
    rows = [f"2026-04-07 09:5{n}:00,{row}" for n, row in enumerate(cells)]
    return {f"{title}-data-2026-04-07 13_46_11.csv": "\n".join([header, *rows, ""])}


@pytest.mark.parametrize(
    ("title", "cells", "column", "value"),
    [
        ("SM clock", "1305 MHz,1290 MHz", "sm_clock_mhz", 1305),
        ("SM activity", "0.72,0.38", "sm_active", 0.72),
        ("Framebuffer used", "61234,61230", "fb_used_bytes", 61234 << 20),
        ("GPU memory used", "64208961536,0", "fb_used_bytes", 64208961536),
        ("Power draw", "301.5 W,300.0 W", "power_w", 301.5),
        ("Leistung [W]", "301.5,300.0", "power_w", 301.5),
        ("Temperatur", "71 °C,70 °C", "temp_core_c", 71),
        ("Throttle reasons (raw)", "72,0", "throttle_reasons", 72),
    ],
)
def test_the_title_of_a_panel_says_what_its_gpus_are_read_for(
    tmp_path: Path, title: str, cells: str, column: str, value: float
) -> None:
    read = samples(tmp_path, **panel(title, cells, cells, cells)).filter(pl_gpu(0))
    assert read.height == 3
    assert read[column].to_list() == [pytest.approx(value)] * 3


def pl_gpu(index: int) -> pl.Expr:
    import polars as pl

    return pl.col("gpu_index") == index


@pytest.mark.parametrize(
    "files",
    [
        panel("Temperature", "21,22", "21,23", "22,22", header='"Time","rack 1","rack 2"'),  # of rooms
        panel("Power", "71.5 W,70.0 W", "70 W,70 W", "70 W,70 W", header='"Time","n1","n2"'),  # of hosts
        panel("SM clock", "1.3,1.2", "1.3,1.2", "1.2,1.2"),  # in no unit that a clock has
        panel("XID errors", "3,0", "3,0", "3,0"),  # how many there were, or which
    ],
    ids=["rooms", "hosts", "unit", "counts"],
)
def test_panels_of_other_things(tmp_path: Path, files: dict[str, str]) -> None:
    assert samples(tmp_path, **files).is_empty()


def german(*rows: str, header: str = "zeit;knoten;gpu;auslastung_pct;sm_aktiv;leistung_W;takt_MHz;drosselgrund") -> str:
    return "\n".join([header, *(f"11.04.2026 13:0{n}:30;{row}" for n, row in enumerate(rows)), ""])


def test_a_table_in_german(tmp_path: Path) -> None:
    text = german("k7;2;97;0,715;301,5;1305;0x40", "k7;2;98;0,702;300,5;1290;0x0", "k7;2;3;0,002;60,1;1290;0x1")
    row = samples(tmp_path, **{"verlauf.csv": text}).sort("ts_ns").row(0, named=True)
    assert row["ts_ns"] == int(datetime(2026, 4, 11, 13, 0, 30, tzinfo=UTC).timestamp()) * 10**9
    assert (row["node"], row["gpu_index"], row["throttle_reasons"]) == ("k7", 2, 0x40)
    assert row["sm_active"] == pytest.approx(0.715)
    assert (row["engine_active"], row["power_w"]) == (pytest.approx(0.97), pytest.approx(301.5))


@pytest.mark.parametrize(
    "header",
    ["fecha;nodo;tarjeta;uso_pct;potencia_W", "horodatage;nœud;carte;utilisation_pct;puissance_W"],
)
def test_tables_in_other_languages(tmp_path: Path, header: str) -> None:
    text = german("k7;1;97;301,5", "k7;1;96;300,5", "k7;1;3;60,1", header=header)
    assert samples(tmp_path, **{"gpus.csv": text})["gpu_index"].to_list() == [1, 1, 1]


@pytest.mark.parametrize(
    "header",
    [
        "zeit;knoten;gpu;cpu_pct;auslastung_pct;leistung_W",  # whose load?
        "zeit;knoten;gpu;schritte;leistung_W;temp_C",  # how busy nobody says
    ],
)
def test_tables_that_only_look_alike(tmp_path: Path, header: str) -> None:
    text = german("k7;1;97;30;301,5", "k7;1;96;31;300,5", "k7;1;3;30;60,1", header=header)
    assert samples(tmp_path, **{"gpus.csv": text}).is_empty()


def points(active: str) -> str:
    begin = 1_775_559_600
    return "".join(
        f"nvidia_smi,host=n1,index=0 utilization_gpu=99i,sm_active={active},throttle_reasons=64i {begin + 10 * n}"
        "000000000\n"
        for n in range(4)
    )


def test_what_scripts_add_to_telegraf(tmp_path: Path) -> None:
    read = samples(tmp_path, **{"telegraf.lp": points("0.11")})
    assert read["sm_active"].to_list() == [pytest.approx(0.11)] * 4
    assert read["throttle_reasons"].to_list() == [64] * 4


def test_a_share_beyond_all_is_of_another_unit(tmp_path: Path) -> None:
    text = points("0.9") + points("74.0").replace("177555", "177556")
    assert samples(tmp_path, **{"telegraf.lp": text})["sm_active"].null_count() == 8


def test_names_of_dcgm_in_small_letters(tmp_path: Path) -> None:
    labels = '"nodename":"n1","minor_number":"3","uuid":"5a96fdf0-2b1c-4d3e-8f10-123456789abc"'
    series = f'{{"metric":{{"__name__":"dcgm_fi_prof_sm_active",{labels}}},"values":[[1775559600,"0.74"]]}}'
    text = f'{{"status":"success","data":{{"resultType":"matrix","result":[{series}]}}}}'
    assert samples(tmp_path, **{"vm.json": text})["sm_active"].to_list() == [pytest.approx(0.74)]


def recording(begin: datetime, idle: int, work: int) -> dict[str, str]:
    """A minute each: idle, at work, idle."""
    shares = [0] * idle + [97] * work + [0] * idle
    rows = (f"{begin + timedelta(minutes=n):%Y-%m-%d %H:%M:%S},{one}%,{one}%" for n, one in enumerate(shares))
    return {"GPU Utilization-data-2026-04-07 13_46_11.csv": "\n".join([HEADER, *rows, ""])}


@pytest.mark.parametrize(
    ("hours", "idle", "minutes"),
    [(-5, 3, -300), (0, 3, 0), (-5, 0, 0)],
    ids=["elsewhere", "here", "no edge"],
)
def test_the_zone_of_whoever_saved_a_panel(tmp_path: Path, hours: int, idle: int, minutes: int) -> None:
    """The job ran from 11:00 to 11:40; panels without an edge may be of any other time."""
    begin = BEGIN + timedelta(hours=hours, minutes=2 - idle)
    folder = tmp_path / "case"
    folder.mkdir()
    for name, text in recording(begin, idle, 36).items():
        (folder / name).write_text(text)
    (folder / "sacct.txt").write_text(
        "JobID|JobName|State|ExitCode|Start|End|NodeList\n"
        "77|mpt|COMPLETED|0:0|2026-04-07T11:00:00|2026-04-07T11:40:00|n1\n"
    )
    bundle = tmp_path / "b.inquest"
    assert dispatch(["import", str(folder), "-o", str(bundle)]) in (0, None)
    from inquest.bundle.store import BundleStore

    first = BundleStore(bundle).scan("gpu_samples").collect()["ts_ns"].min()
    shown = begin - timedelta(minutes=minutes)
    assert first == int(shown.timestamp()) * 10**9


@pytest.mark.parametrize(
    ("above", "begun"),
    [("# btime 1775559600 (uptime clock)\n", 1_775_559_612), ("btime 1775559600\n", 1_775_559_612), ("", None)],
)
def test_when_a_node_booted_stands_above_its_lines(tmp_path: Path, above: str, begun: int | None) -> None:
    lines = "".join(
        f"[   {n}.250000] nvidia-uvm: Loaded the UVM driver, major device number {n}.\n" for n in range(12, 32)
    )
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "kern_n1.log").write_text(above + lines)
    read = import_logs([tmp_path]).scan("kernel_log").collect()
    assert read["ts_ns"].to_list()[0] == (None if begun is None else begun * 10**9 + 250_000_000)
