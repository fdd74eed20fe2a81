"""What a bundle tells of its run that can be held against another: readings, each with the SQL that gives it.

Readings come in groups that are captured together (the arguments, the environment, one column of a table). Of a group
that was not captured it is said why; so an option that is missing is told from arguments that nobody recorded.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.analyze.evidence import literal, rounded
from inquest.bundle.logs_import import NODE as UNKNOWN_NODE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Claim, Value, Verdict

Topic = Literal["messages", "configuration", "limits", "software", "nodes", "gpus", "pace", "learning", "clocks"]

TOPICS: Final[dict[Topic, str]] = {
    "messages": "Exceptions, events and warnings",
    "configuration": "Arguments, environment, settings the job printed",
    "limits": "What the scheduler and the node allowed",
    "software": "Driver, libraries, kernel",
    "nodes": "Nodes",
    "gpus": "GPUs",
    "pace": "Speed and use",
    "learning": "Loss",
    "clocks": "Clocks, power, temperature of GPUs",
}
"""Topics, and what each is about."""

ALIKE: Final = 0.05
"""Two runs of one job differ by a few percent in speed, use and clocks without any cause."""

PRINTED: Final = " (printed)"
"""Ends the name of a reading that is what the job printed of itself."""

_MOST: Final = 20_000
"""Rows one reading looks at."""

_MOST_NAMES: Final = 1000
"""Options, variables or settings of one sort that are looked at: no job has as many."""

_MOST_VALUES: Final = 4096
"""Values one reading keeps."""

_BUSY: Final = "engine_active > 0.5"

VOLATILE: Final = re.compile(
    r"(?i)(^|[-_. ])(node[-_]rank|local[-_]rank|rank|rdzv[-_](id|endpoint)|master[-_](port|addr)|run[-_]?(id|name)|"
    r"job[-_]?id|start[-_]time|end[-_]time|timestamp|procid|localid|nodeid|nodename|pid|uuid|port|nodelist|seed[-_]port)s?$"
)
"""Names of what differs at every start, and so says little."""

VITALS: Final[dict[str, tuple[Topic, str, int]]] = {
    "step_time": ("pace", "Time of a step", 12),
    "report_time": ("pace", "Time between reports", 10),
    "samples_per_s_last": ("pace", "Samples a second", 12),
    "tokens_per_s_last": ("pace", "Tokens a second", 12),
    "mfu": ("pace", "MFU", 8),
    "share_data": ("pace", "Share of steps waiting for data", 8),
    "share_communication": ("pace", "Communication against the length of steps", 6),
    "engine": ("pace", "GPU engine active", 4),
    "sm": ("pace", "SMs active", 6),
    "gpu_memory_peak": ("pace", "GPU memory, peak", 6),
    "gpu_memory_growth": ("pace", "GPU memory growth", 6),
    "host_memory_growth": ("pace", "Host memory growth", 6),
    "checkpoint_duration": ("pace", "Time of a checkpoint", 4),
    "checkpoint_every_steps": ("configuration", "Steps between checkpoints", 2),
    "eval_loss_best": ("learning", "Least validation loss", 8),
    "temperature": ("clocks", "Highest GPU temperature", 4),
}
"""Vitals that are held against each other: topic, name, weight. Their claims carry SQL of their own."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One thing a bundle tells.

    Attributes:
        topic: What it is about.
        name: What it is called, the same in every bundle.
        group: What is captured together with it; its own name where it stands alone.
        values: Distinct values in order; empty: looked at, and not set; None: not captured.
        sql: The rows it is read from, the value in the first column where it is not read out of text.
        unit: Unit of the values.
        why: Why it was not captured; of a value, why it matters.
        tolerance: Share of the first by which two numbers may differ and be equal; None: values are compared as a set.
        many: It is a set of things (hosts, GPUs), of which those new and gone are told.
        nodes: Which nodes hold a value, by its repr.
        volatile: It differs at every start.
        weight: How much it matters within its topic.
    """

    topic: Topic
    name: str
    group: str
    values: tuple[Value, ...] | None
    sql: str
    unit: str = ""
    why: str = ""
    tolerance: float | None = None
    many: bool = False
    nodes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    volatile: bool = False
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Portrait:
    """All readings of one bundle by name, and why groups are not there (empty text: captured)."""

    readings: Mapping[str, Reading]
    groups: Mapping[str, str]


def read(ev: Evidence, verdict: Verdict) -> Portrait:
    """Everything of a bundle that can be compared, but for its messages (``diff_words``)."""
    reader = _Reader(ev)
    found: list[Reading] = []
    found += reader.arguments()
    found += reader.environment()
    found += reader.printed()
    found += reader.columns()
    found += reader.controller()
    found += reader.versions()
    found += reader.hosts(verdict)
    found += reader.gpus()
    found += _vitals(verdict)
    found += reader.progress()
    found += reader.clocks()
    return Portrait({reading.name: reading for reading in found}, reader.groups)


class _Reader:
    def __init__(self, ev: Evidence) -> None:
        self.ev = ev
        self.groups: dict[str, str] = {}

    # --- configuration ----------------------------------------------------------------------------------------------
    def arguments(self) -> Iterator[Reading]:
        """Options of the job's command, those of the launcher apart; positional words are the program."""
        group = "arguments"
        rows = self.rows(
            "SELECT DISTINCT argv AS value, role FROM processes WHERE role IN ('rank', 'task') AND argv IS NOT NULL"
            " ORDER BY role, value",
            "processes",
        )
        self.groups[group] = "" if rows else self.ev.why_absent("processes") or "no command line was recorded"
        by_role = {role: [argv for argv, its in rows if its == role] for role in ("rank", "task")}
        own = _options(by_role["rank"] or by_role["task"])
        launcher = _options(by_role["task"]) if by_role["rank"] else {}
        for prefix, options in (("", own), ("launcher ", {k: v for k, v in launcher.items() if k not in own})):
            roles = "('task')" if prefix or not by_role["rank"] else "('rank')"
            for option, values in sorted(options.items())[:_MOST_NAMES]:
                sql = (
                    f"SELECT DISTINCT argv AS value FROM processes WHERE role IN {roles}"
                    f" AND argv LIKE {literal(f'%{option}%')} ORDER BY value"
                )
                yield Reading(
                    "configuration",
                    f"{prefix}{option}",
                    group,
                    tuple(sorted(values)),
                    sql,
                    volatile=_volatile(option.lstrip("-")),
                    weight=4,
                )

    def environment(self) -> Iterator[Reading]:
        """Variables of the job's environment that are recorded."""
        group = "job environment"
        found: dict[str, dict[str, set[str]]] = {}
        seen = False
        for table, column in (("processes", "env"), ("node_info", "job_env")):
            for text, node in self.rows(
                f"SELECT DISTINCT {column} AS value, node FROM {table} WHERE {column} IS NOT NULL ORDER BY value, node",
                table,
            ):
                told = _json_object(text)
                seen = seen or told is not None
                for name, value in (told or {}).items():
                    found.setdefault(name, {}).setdefault(str(value), set()).add(node)
            if seen:
                break
        else:
            table, column = "processes", "env"
        self.groups[group] = "" if seen else self.ev.why_absent("processes") or "no environment was recorded"
        for name in sorted(found)[:_MOST_NAMES]:
            mark = f'"{name}": "'
            sql = (
                f"SELECT DISTINCT SPLIT_PART(SPLIT_PART({column}, {literal(mark)}, 2), '\"', 1) AS value FROM {table}"
                f" WHERE {column} LIKE {literal(f'%{mark}%')} ORDER BY value"
            )
            values = tuple(sorted(found[name]))
            holders = {repr(value): frozenset(nodes) for value, nodes in found[name].items()}
            alone = name.startswith("SLURM_") or _volatile(name)
            yield Reading(
                "limits" if name.startswith("SLURM_") else "configuration",
                name,
                group,
                values[:_MOST_VALUES],
                sql,
                nodes=holders,
                volatile=alone,
                weight=6,
            )

    def printed(self) -> Iterator[Reading]:
        """Settings that the job itself printed: Megatron's and DeepSpeed's dotted lists, Namespace and dict dumps."""
        group = "settings the job printed"
        found: dict[str, dict[str, str]] = {}
        lines = self.rows(
            "SELECT text AS value FROM log_lines WHERE text LIKE '% .... %' OR text LIKE '%Namespace(%'"
            " OR LOWER(text) LIKE '%arg%{%:%}%' OR LOWER(text) LIKE '%config%{%:%}%'"
            " OR LOWER(text) LIKE '%param%{%:%}%'"
            f" ORDER BY node, seq LIMIT {_MOST}",
            "log_lines",
        )
        for (text,) in lines:
            for name, value in _settings(text):
                found.setdefault(name, {}).setdefault(value, text)
        self.groups[group] = "" if found else "the job printed none that could be read"
        for name in sorted(found)[:_MOST_NAMES]:
            if len(found[name]) > 8:  # a counter that is printed in the manner of a setting
                continue
            sql = f"SELECT DISTINCT text AS value FROM log_lines WHERE text LIKE {literal(f'%{name}%')} LIMIT 20"
            yield Reading(
                "configuration",
                f"{name}{PRINTED}",
                group,
                tuple(sorted(found[name])),
                sql,
                volatile=_volatile(name),
                weight=3,
            )

    # --- columns ----------------------------------------------------------------------------------------------------
    def columns(self) -> Iterator[Reading]:
        """Columns that say one thing of the whole run or of each node."""
        for topic, table, column, name, unit, condition, weight in _COLUMNS:
            yield self.column(topic, table, column, name, unit, condition, weight)

    def column(
        self, topic: Topic, table: str, column: str, name: str, unit: str, condition: str, weight: int
    ) -> Reading:
        """Distinct values of one column, and the nodes that hold each."""
        where = f"{column} IS NOT NULL" + (f" AND {condition}" if condition else "")
        sql = f"SELECT DISTINCT {column} AS value, node FROM {table} WHERE {where} ORDER BY value, node"
        rows = self.rows(sql, table)
        if column in _LISTS:
            rows = [(part, node) for value, node in rows for part in dict.fromkeys(value.split(","))]
        values = tuple(dict.fromkeys(value for value, _ in rows))[:_MOST_VALUES]
        nodes: dict[str, set[str]] = {}
        for value, node in rows:
            nodes.setdefault(repr(value), set()).add(node)
        captured = bool(rows) or (table in self.tables and column in _UNSET) or (column == "xid" and self.ev.has(table))
        return Reading(
            topic,
            name,
            name,
            values if captured else None,
            sql,
            unit,
            "" if captured else self.ev.why_absent(table),
            nodes={value: frozenset(holders) for value, holders in nodes.items()},
            volatile=_volatile(column),
            weight=weight,
        )

    def controller(self) -> Iterator[Reading]:
        """Settings of the scheduler that decide how jobs end."""
        group = "scheduler settings"
        rows = self.rows(
            "SELECT DISTINCT name, setting FROM slurm_controller WHERE name LIKE 'config.%' AND setting IS NOT NULL"
            " ORDER BY name, setting",
            "slurm_controller",
        )
        self.groups[group] = "" if rows else self.ev.why_absent("slurm_controller") or "not captured"
        for name in sorted({row[0] for row in rows})[:_MOST_NAMES]:
            sql = (
                "SELECT DISTINCT setting AS value FROM slurm_controller"
                f" WHERE name = {literal(name)} AND setting IS NOT NULL ORDER BY value"
            )
            yield Reading("limits", name, group, tuple(row[1] for row in rows if row[0] == name), sql, weight=2)

    def versions(self) -> Iterator[Reading]:
        """Versions that the job, NCCL and frameworks printed."""
        group = "versions the job printed"
        found: dict[str, dict[str, str]] = {}
        lines = self.rows(
            "SELECT text AS value FROM log_lines WHERE LOWER(text) LIKE '%version%' OR text LIKE '%==%.%'"
            f" ORDER BY node, seq LIMIT {_MOST}",
            "log_lines",
        )
        for (text,) in lines:
            for match in _VERSION.finditer(text[:2000]):
                name = _SAME_PACKAGE.get(match["name"].lower().replace("-", "_"), match["name"].lower())
                found.setdefault(name, {}).setdefault(match["version"].rstrip(".,"), match["name"])
        self.groups[group] = "" if found else "no version was printed"
        for name in sorted(found)[:_MOST_NAMES]:
            written = next(iter(found[name].values()))
            sql = (
                f"SELECT DISTINCT text AS value FROM log_lines WHERE text LIKE {literal(f'%{written}%')}"
                " AND (LOWER(text) LIKE '%version%' OR text LIKE '%==%.%') LIMIT 20"
            )
            yield Reading("software", f"{name} (printed)", group, tuple(sorted(found[name])), sql, weight=5)

    # --- nodes and GPUs ---------------------------------------------------------------------------------------------
    def hosts(self, verdict: Verdict) -> Iterator[Reading]:
        """Nodes, those that are missing, and how many ranks there were."""
        table = next(
            (name for name in ("node_info", "processes", "log_lines", *self.tables) if name in self.tables), ""
        )
        sql = f"SELECT DISTINCT node AS value FROM {table or 'node_info'} ORDER BY value"
        known = tuple(node for node in sorted(self.ev.info.nodes) if node != UNKNOWN_NODE)
        why = "" if known else "the files name no node"
        yield Reading("nodes", "Nodes", "Nodes", known or None, sql, why=why, many=True, weight=4)
        count = sql.replace("DISTINCT node AS value", "COUNT(DISTINCT node) AS value").replace(" ORDER BY value", "")
        number = (len(known),) if known else None
        yield Reading("nodes", "Number of nodes", "Number of nodes", number, count, why=why, weight=8)
        missing = tuple(sorted(verdict.bundle.missing_nodes))
        yield Reading("nodes", "Nodes nothing was recorded of", "", missing, sql, many=True, weight=10)
        ranks = "SELECT MAX(world_size) AS value FROM processes"
        size = self.ev.world_size() if "processes" in self.tables else None
        yield Reading(
            "nodes",
            "Ranks",
            "Ranks",
            None if size is None else (size,),
            ranks,
            why=self.ev.why_absent("processes") or "WORLD_SIZE was not recorded",
            weight=8,
        )

    def gpus(self) -> Iterator[Reading]:
        """GPUs by UUID, else by serial number."""
        for column, name in (("gpu_uuid", "GPUs by UUID"), ("serial", "GPUs by serial number")):
            sql = (
                f"SELECT DISTINCT {column} AS value, node FROM devices"
                f" WHERE kind = 'gpu' AND {column} IS NOT NULL ORDER BY value, node"
            )
            if column == "gpu_uuid" and "devices" not in self.tables:
                sql = "SELECT DISTINCT gpu_uuid AS value, node FROM gpu_samples WHERE gpu_uuid IS NOT NULL"
                sql += " ORDER BY value, node"
            rows = self.rows(sql, "devices" if "FROM devices" in sql else "gpu_samples")
            values = tuple(dict.fromkeys(value for value, _ in rows))
            yield Reading(
                "gpus",
                name,
                name,
                values or None,
                sql,
                why=self.ev.why_absent("gpu_samples"),
                many=True,
                nodes={repr(value): frozenset({node}) for value, node in rows},
                weight=4,
            )

    # --- pace, loss, clocks -------------------------------------------------------------------------------------------
    def progress(self) -> Iterator[Reading]:
        """How far it came; the loss is compared at equal steps by ``diff``."""
        steps = self.ev.facts("fact_steps")
        sql = "SELECT MAX(step) AS value FROM fact_steps WHERE kind IN ('step', 'bar')"
        reached = self.ev.value(sql) if steps.height else None
        yield Reading(
            "pace",
            "Last step reported",
            "Last step reported",
            None if reached is None else (reached,),
            sql,
            why="no steps were reported",
            tolerance=ALIKE,
            weight=6,
        )

    def clocks(self) -> Iterator[Reading]:
        """What the GPUs were allowed and did while they were busy."""
        for name, expression, unit, weight in _CLOCKS:
            sql = f"SELECT {expression} AS value FROM gpu_samples WHERE {_BUSY}"
            value = rounded(self.ev.value(sql, unit), unit) if "gpu_samples" in self.tables else None
            yield Reading(
                "clocks",
                name,
                name,
                None if value is None else (value,),
                sql,
                unit,
                self.ev.why_absent("gpu_samples"),
                tolerance=ALIKE,
                weight=weight,
            )

    # --- rows -------------------------------------------------------------------------------------------------------
    @property
    def tables(self) -> tuple[str, ...]:
        return self.ev.store.tables()

    def rows(self, sql: str, table: str) -> list[tuple[Any, ...]]:
        """Rows of ``sql``; none, and no SQL parsed, where ``table`` has no rows."""
        if table not in self.tables:
            return []
        return list(self.ev.sql(sql, row_limit=_MOST).iter_rows())


def _vitals(verdict: Verdict) -> Iterator[Reading]:
    for attribute, (topic, name, weight) in VITALS.items():
        claim: Claim | None = getattr(verdict.vitals, attribute, None)
        yield Reading(
            topic,
            name,
            name,
            None if claim is None or claim.value is None else (claim.value,),
            "" if claim is None else claim.sql,
            "" if claim is None else claim.unit,
            "not measured",
            tolerance=ALIKE,
            weight=weight,
        )


# --- what is read out of text ---------------------------------------------------------------------------------------
def _options(argvs: Iterable[Value]) -> dict[str, set[str]]:
    """Options and their values in command lines whose words are parted by blanks: ``--a 1``, ``--a=1``, ``a=1``."""
    found: dict[str, set[str]] = {}
    for argv in argvs:
        words = str(argv).split()
        option, values = "", list[str]()
        script = next((i for i, word in enumerate(words) if word.endswith(".py") or word == "-m"), -1)
        if script >= 0:
            at = min(script + (words[script] == "-m"), len(words) - 1)
            found.setdefault("program", set()).add(words[at])
        for word in words[1:]:
            name, equals, value = word.partition("=")
            if word.startswith("-") and not _NUMBER.fullmatch(word):
                if option:
                    found.setdefault(option, set()).add(" ".join(values) or "set")
                option, values = (name, [value]) if equals else (word, [])
                if equals:
                    found.setdefault(option, set()).add(value)
                    option = ""
            elif equals and _NAME.fullmatch(name):
                found.setdefault(name, set()).add(value)
            elif option and not word.endswith(".py"):
                values.append(word)
            elif option:  # the script ends the launcher's options
                found.setdefault(option, set()).add(" ".join(values) or "set")
                option, values = "", []
        if option:
            found.setdefault(option, set()).add(" ".join(values) or "set")
    return found


def _settings(text: str) -> Iterator[tuple[str, str]]:
    """Names and values in a line that prints settings."""
    dotted = _DOTTED.search(text)
    if dotted:
        yield dotted[1], dotted[2].strip()
        return
    body = _DUMP.search(text)
    if body:
        for match in _PAIR.finditer(body[1]):
            yield match["name"], match["value"].strip()


def _json_object(text: Value) -> dict[str, object] | None:
    try:
        told = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) else None


def _volatile(name: str) -> bool:
    return VOLATILE.search(name) is not None


_NUMBER: Final = re.compile(r"-\d+(\.\d+)?([eE][-+]?\d+)?")
_NAME: Final = re.compile(r"[+~]?[A-Za-z_][\w.\-/@]*")
_DOTTED: Final = re.compile(r"(?:^|[\s:\]])([A-Za-z_]\w{1,60}) \.{4,} (.{1,200})")
_DUMP: Final = re.compile(r"(?:Namespace\(|(?i:arg\w*|config\w*|param\w*|settings)\W{0,4}\{)(.{2,20000})")
_PAIR: Final = re.compile(
    r"(?:^|[{,(]\s?)['\"]?(?P<name>[A-Za-z_]\w{0,60})['\"]?\s?[:=]\s?"
    r"(?P<value>'[^']{0,200}'|\"[^\"]{0,200}\"|\[[^\]]{0,200}\]|\w+\('[^']{0,200}'\)|[^,{}()\[\]]{1,200})"
)
_VERSION: Final = re.compile(
    r"(?i)(?P<name>\b(?:nccl|pytorch|torch|cuda|cudnn|python|transformers|accelerate|deepspeed|lightning|megatron\w*|"
    r"numpy|triton|flash[-_]attn|xformers|peft|trl|datasets|apex|transformer[-_]engine|jax|jaxlib|tensorflow|keras|"
    r"nemo\w*|torchvision|bitsandbytes|tokenizers|wandb|driver|rccl|aws-ofi-nccl|ofi|libfabric|ucx))"
    r"(?:[ _-]?version)?\s?(?:==|[:= ])\s?['\"]?v?(?P<version>\d+\.\d+[\w.+-]{0,40})"
)
_SAME_PACKAGE: Final = {"pytorch": "torch", "flash_attn": "flash-attn", "transformer_engine": "transformer-engine"}

_LISTS: Final = frozenset({"gpu_models"})
"""Columns that hold one value for each GPU, comma-separated."""

_UNSET: Final = frozenset({"dependency", "reservation", "qos", "memory_limit_bytes"})
"""Columns whose absence says something where the table has rows: the job had none."""

_COLUMNS: Final[tuple[tuple[Topic, str, str, str, str, str, int], ...]] = (
    ("software", "node_info", "driver_version", "NVIDIA driver", "", "", 9),
    ("software", "node_info", "cuda_version", "CUDA the driver supports", "", "", 8),
    ("software", "nccl_comms", "library_version", "NCCL", "", "", 9),
    ("software", "node_info", "kernel", "Kernel", "", "", 6),
    ("software", "node_info", "os", "Operating system", "", "", 5),
    ("software", "node_info", "cpu_model", "CPU model", "", "", 3),
    ("software", "devices", "firmware", "Firmware of GPUs", "", "kind = 'gpu'", 6),
    ("software", "processes", "exe", "Program of the ranks", "", "role = 'rank'", 5),
    ("software", "node_info", "tool_version", "Recorded by inquest", "", "", 0),
    ("gpus", "node_info", "gpu_models", "GPU models", "", "", 8),
    ("gpus", "node_info", "gpus", "GPUs of a node", "GPUs", "", 9),
    ("gpus", "devices", "settings", "Settings of GPUs", "", "kind = 'gpu'", 6),
    ("gpus", "gpu_samples", "pcie_width", "PCIe lanes", "lanes", _BUSY, 6),
    ("gpus", "gpu_samples", "pcie_gen", "PCIe generation", "", _BUSY, 5),
    ("gpus", "gpu_samples", "remap_pending", "Row remap waits for a reset", "", "", 8),
    ("gpus", "gpu_samples", "recovery_action", "Recovery the driver asks for", "", "", 8),
    ("gpus", "gpu_events", "xid", "XIDs seen", "", "", 9),
    ("nodes", "node_info", "cpus", "CPUs of a node", "CPUs", "", 5),
    ("nodes", "node_info", "memory_total_bytes", "Memory of a node", "bytes", "", 5),
    ("limits", "cgroup_samples", "memory_limit_bytes", "Memory limit of the cgroup", "bytes", "", 9),
    ("limits", "slurm_jobs", "time_limit_s", "Time limit", "s", "", 9),
    ("limits", "slurm_jobs", "memory_allocated_bytes", "Memory allocated", "bytes", "", 8),
    ("limits", "slurm_jobs", "nodes", "Nodes allocated", "nodes", "", 7),
    ("limits", "slurm_jobs", "gpus_allocated", "GPUs allocated", "GPUs", "", 7),
    ("limits", "slurm_jobs", "cpus_allocated", "CPUs allocated", "CPUs", "", 6),
    ("limits", "slurm_jobs", "partition", "Partition", "", "", 7),
    ("limits", "slurm_jobs", "qos", "Quality of service", "", "", 5),
    ("limits", "slurm_jobs", "account", "Account", "", "", 2),
    ("limits", "slurm_jobs", "reservation", "Reservation", "", "", 4),
    ("limits", "slurm_jobs", "dependency", "Dependency", "", "", 3),
    ("limits", "slurm_jobs", "may_requeue", "May be requeued", "", "", 4),
    ("limits", "slurm_jobs", "state", "State the scheduler gave", "", "", 8),
    ("configuration", "slurm_jobs", "batch_command", "Batch script", "", "", 4),
    ("configuration", "slurm_jobs", "submit_line", "Submit line", "", "", 5),
    ("configuration", "slurm_jobs", "work_dir", "Working directory", "", "", 3),
    ("configuration", "processes", "cwd", "Directory of the ranks", "", "role = 'rank'", 2),
)
"""Topic, table, column, name, unit, condition, weight."""

_CLOCKS: Final = (
    ("SM clock while busy, median", "MEDIAN(sm_clock_mhz)", "MHz", 10),
    ("SM clock while busy, lowest", "MIN(sm_clock_mhz)", "MHz", 4),
    ("Memory clock while busy, median", "MEDIAN(mem_clock_mhz)", "MHz", 4),
    ("Power while busy, median", "MEDIAN(power_w)", "W", 4),
    ("Power limit, lowest", "MIN(power_limit_w)", "W", 7),
    ("Temperature while busy, median", "MEDIAN(temp_core_c)", "C", 4),
)
"""Name, expression over busy samples, unit, weight."""
