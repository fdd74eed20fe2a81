"""The verdict and what it is made of: plain frozen data, and its one canonical JSON form.

The field names are the contract of ``verdict_schema.json`` beside this module; ``docs/verdict.md`` explains them.
Values are integers, strings, booleans, or floats already rounded to the digits their unit declares, so that the same
bundle gives the same verdict bytes.
"""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from inquest.bundle.imports.rows import UNKNOWN_NODE

SCHEMA: Final = "inquest-verdict/1"

Outcome = Literal["decided", "cannot_decide", "outside_families"]
FaultClass = Literal["job", "data", "config", "env", "asset", "code"]
Severity = Literal["none", "low", "high"]
Scope = Literal["rank", "gpu", "node", "allocation"]
Attribution = Literal["job", "infrastructure", "scheduler", "none", "unknown"]
Owner = Literal["job", "infrastructure", "scheduler"]
Status = Literal["ruled_in", "ruled_out", "cannot_decide"]
StoreName = Literal["metrics", "logs", "scheduler", "kernel", "traces", "processes"]
RunName = Literal["run", "parent", "baseline"]
"""Whose evidence: of the run that is judged, of the one it continues, of a good one it is held against."""

Value = int | float | str | bool | None


@dataclass(frozen=True, slots=True)
class RowRef:
    """One row of evidence: table, node and seq (capture tells two recordings of one node apart)."""

    table: str
    node: str
    seq: int
    capture: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One statement, the SQL that re-computes it, the value it gave, and the rows it rests on.

    ``sql`` gives one row; its first column is ``value``. ``excerpt`` is text from the evidence (data, never trusted).
    ``of`` says in whose evidence ``sql`` is run and ``rows`` lie.
    """

    id: str
    text: str
    sql: str
    value: Value
    unit: str
    table: str
    rows: tuple[RowRef, ...] = ()
    excerpt: str = ""
    of: RunName = "run"


@dataclass(frozen=True, slots=True)
class Failing:
    """Where and when it began. Null fields were not captured."""

    rank: int | None = None
    node: str | None = None
    gpu_uuid: str | None = None
    pid: int | None = None
    ts_ns: int | None = None
    bound_ns: int | None = None


@dataclass(frozen=True, slots=True)
class ChainLink:
    """One event of the chain that led to the end, earliest first."""

    family: str | None
    role: Literal["trigger", "consequence"]
    ts_ns: int | None
    text: str
    rank: int | None = None
    node: str | None = None


@dataclass(frozen=True, slots=True)
class Missing:
    """A question that stays open, and the evidence that would close it."""

    text: str
    missing: str


@dataclass(frozen=True, slots=True)
class Next:
    """Who must act, and how."""

    owner: Owner | None
    action: str
    last_good_checkpoint: str | None = None


@dataclass(frozen=True, slots=True)
class FamilyEntry:
    """What became of one family: every verdict holds one for each of the eighteen."""

    family: str
    name: str
    status: Status
    because: str
    would_change_if: str
    confidence: float = 0.0
    stores: tuple[StoreName, ...] = ()
    claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """What one collector saw on one node."""

    collector: str
    node: str
    outcome: str
    from_ns: int | None
    to_ns: int | None
    rows: int | None
    drops: int | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Waste:
    """GPU-hours, or None when neither GPUs nor times are known."""

    gpu_hours_held: float | None = None
    gpu_hours_productive: float | None = None
    gpu_hours_lost: float | None = None


@dataclass(frozen=True, slots=True)
class Vitals:
    """How the run was while it was, for every verdict; None: not measured, or not told. See ``analyze/vitals.py``."""

    step_time: Claim | None = None
    step_time_spread: Claim | None = None
    report_time: Claim | None = None
    samples_per_s_first: Claim | None = None
    samples_per_s_last: Claim | None = None
    tokens_per_s_first: Claim | None = None
    tokens_per_s_last: Claim | None = None
    mfu: Claim | None = None
    eval_loss_first: Claim | None = None
    eval_loss_best: Claim | None = None
    eval_loss_last: Claim | None = None
    checkpoints: Claim | None = None
    checkpoint_every_steps: Claim | None = None
    checkpoint_every: Claim | None = None
    checkpoint_duration: Claim | None = None
    checkpoint_last: Claim | None = None
    share_data: Claim | None = None
    share_forward: Claim | None = None
    share_backward: Claim | None = None
    share_optimizer: Claim | None = None
    share_communication: Claim | None = None
    engine: Claim | None = None
    engine_lowest: Claim | None = None
    engine_highest: Claim | None = None
    sm: Claim | None = None
    sm_lowest: Claim | None = None
    sm_highest: Claim | None = None
    sm_below: Claim | None = None
    sm_above: Claim | None = None
    gpu_memory_peak: Claim | None = None
    gpu_memory_growth: Claim | None = None
    host_memory_growth: Claim | None = None
    temperature: Claim | None = None
    energy: Claim | None = None

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Those that were measured, in order."""
        values = (getattr(self, each.name) for each in dataclasses.fields(self))
        return tuple(value for value in values if value is not None)


@dataclass(frozen=True, slots=True)
class BundleInfo:
    """Which evidence the verdict is about."""

    content_digest: str
    job_id: str | None
    nodes: tuple[str, ...]
    ranks: tuple[int, ...]
    gpus: tuple[str, ...]
    start_ns: int | None
    end_ns: int | None
    simulated: bool = False
    missing_nodes: tuple[str, ...] = ()
    missing_ranks: tuple[int, ...] = ()

    @property
    def named_nodes(self) -> tuple[str, ...]:
        """Nodes, without that of records which name none, such as the scheduler's."""
        return tuple(node for node in self.nodes if node != UNKNOWN_NODE)


@dataclass(frozen=True, slots=True)
class Threshold:
    """One threshold the verdict used, as printed in it."""

    name: str
    value: float
    unit: str
    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The whole answer. See design.md, "verdict.json"."""

    tool_version: str
    bundle: BundleInfo
    outcome: Outcome
    family: str | None
    family_name: str | None
    fault_class: FaultClass | None
    sub_mode: str | None
    confidence: float
    severity: Severity
    scope: Scope | None
    attribution: Attribution
    headline: str
    first_failing: Failing
    culprit_ranks: tuple[int, ...]
    culprit_nodes: tuple[str, ...]
    culprit_gpus: tuple[str, ...]
    chain: tuple[ChainLink, ...]
    shows: tuple[Claim, ...]
    implies: tuple[str, ...]
    cannot_decide: tuple[Missing, ...]
    next: Next
    families: tuple[FamilyEntry, ...]
    warnings: tuple[str, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    waste: Waste = field(default_factory=Waste)
    thresholds: tuple[Threshold, ...] = ()
    vitals: Vitals = field(default_factory=Vitals)
    parent: BundleInfo | None = None
    baseline: BundleInfo | None = None
    schema: str = SCHEMA

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Every claim: what the evidence shows, then the vitals."""
        return (*self.shows, *self.vitals.claims)

    def claim(self, claim_id: str) -> Claim:
        """The claim called ``claim_id``; KeyError when there is none."""
        for claim in self.claims:
            if claim.id == claim_id:
                return claim
        raise KeyError(claim_id)

    @property
    def exit_code(self) -> int:
        """0 healthy (G1), 3 a failure was found, 4 cannot decide, 6 ended by a person or a planned signal."""
        if self.outcome == "cannot_decide":
            return 4
        if self.family == "G1":
            return 0
        if self.outcome == "outside_families" and self.sub_mode in PLANNED_END:
            return 6
        return 3

    def to_json(self) -> str:
        """Canonical JSON: declared field order, two blanks, no NaN, one newline at the end."""
        return json.dumps(plain(self), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


PLANNED_END: Final = frozenset({"user_cancel", "planned_signal", "hang_up"})
"""Values of ``sub_mode`` that mean a person or a plan ended the run."""


def plain(value: object) -> Any:  # noqa: ANN401  JSON is what it is
    """Turn frozen dataclasses into JSON values; NaN and infinities become the strings "nan", "inf", "-inf"."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
