"""The schema: one name, one type, one unit; every table of the design; documented."""

from __future__ import annotations

import re

import pyarrow as pa

from inquest.bundle import formatdoc, parquet
from inquest.bundle.schema import BY_NAME, FACT_IDENTITY, FACTS, IDENTITY, RECORDED, TABLES, Column

# As listed in design.md, "bundle/": names are contract.
DESIGNED = """node_info collection gpu_samples gpu_events gpu_processes nvlink_samples cuda_calls nccl_comms
nccl_collectives inflight_calls log_lines log_gaps processes host_samples cgroup_samples net_samples disk_samples
kernel_log stacks stack_samples sched_samples slurm_jobs slurm_steps slurm_events slurm_nodes slurm_controller
clock_samples clock_alignment flight_recorder trace_spans artifacts redactions"""

COLUMNS = [(table.name, column) for table in TABLES for column in table.columns]


def test_every_table_of_the_design_is_declared() -> None:
    assert {table.name for table in RECORDED} >= set(DESIGNED.split())
    assert len(BY_NAME) == len(TABLES)
    assert all(table.name.startswith("fact_") for table in FACTS)
    assert not any(table.name.startswith("fact_") for table in RECORDED)


def test_one_column_name_has_one_type_and_one_unit_everywhere() -> None:
    seen: dict[str, tuple[str, Column]] = {}
    for table, column in COLUMNS:
        first_table, first = seen.setdefault(column.name, (table, column))
        assert (column.type, column.unit, column.digits) == (first.type, first.unit, first.digits), (
            f"{column.name} differs between {first_table} and {table}"
        )


def test_shared_columns_come_first_and_once() -> None:
    for table in TABLES:
        identity = FACT_IDENTITY if table.scope == "fact" else IDENTITY
        assert table.columns[: len(identity)] == identity
        assert len(set(table.column_names)) == len(table.columns)
        assert "ts" not in table.column_names, "ts is the view of ts_ns"


def test_columns_say_what_they_are() -> None:
    units = {"_ns": "ns", "_bytes": "bytes", "_mhz": "MHz", "_ms": "ms", "_ppm": "ppm", "_mj": "mJ"}
    for table, column in COLUMNS:
        where = f"{table}.{column.name}"
        assert re.fullmatch(r"[a-z][a-z0-9_]*", column.name), where
        assert len(column.meaning) > 3, where
        number = column.type in ("i64", "f64")
        assert bool(column.unit) == (number and column.name != "seq"), where
        for suffix, unit in units.items():
            assert not number or not column.name.endswith(suffix) or column.unit == unit, where


def test_tables_say_what_a_row_is() -> None:
    assert all(len(table.meaning) > 3 for table in TABLES)


def test_arrow_types_agree_for_journal_and_files() -> None:
    for table in TABLES:
        stored, plain = table.arrow(), parquet.plain_schema(table.name)
        assert stored.names == plain.names
        for field, other in zip(stored, plain, strict=True):
            value = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
            assert (value, field.nullable) == (other.type, other.nullable)


def test_the_format_page_is_up_to_date() -> None:
    assert formatdoc.PATH.read_text() == formatdoc.document(), "run: python -m inquest.bundle.formatdoc"
