"""Claims of a verdict that lies in a file: read with care, and held against the evidence again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, get_args

import polars as pl

from inquest.analyze.evidence import ALL_TABLES
from inquest.analyze.model import SCHEMA, Claim, RowRef, RunName, plain
from inquest.bundle.errors import InputError, QueryRefused, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from inquest.analyze.evidence import Evidence

MAX_VERDICT_BYTES: Final = 64 << 20
"""A verdict larger than this is not one of ours."""


def read_claims(path: Path, bundle: Path, evidence: Evidence) -> dict[str, Claim]:
    """The claims by id of a verdict file, which may come from a stranger.

    Args:
        path: The verdict.json.
        bundle: The bundle ``evidence`` was read from, for messages.
        evidence: What the verdict must be about, with the runs it was held against as far as they are given.

    Raises:
        InputError: The file is no verdict, or it is about other evidence.
        UsageError: It was decided without a run that is given.
    """
    try:
        if path.stat().st_size > MAX_VERDICT_BYTES:
            raise InputError(f"{path} is too large for a verdict. Give the verdict.json of `inquest analyze`.")
        verdict = json.loads(path.read_bytes())
        if verdict["schema"] != SCHEMA:
            raise InputError(f"{path} has schema {verdict['schema']!r}; this build reads {SCHEMA!r}.")
        claims = [
            Claim(
                **{key: _text(item[key]) for key in ("id", "text", "sql", "unit", "table", "excerpt")},
                value=item["value"],
                of=_run_name(item.get("of", "run")),
                rows=tuple(
                    RowRef(_text(r["table"]), _text(r["node"]), int(r["seq"]), _text(r["capture"]))
                    for r in item["rows"]
                ),
            )
            for item in (*verdict["shows"], *(vital for vital in (verdict.get("vitals") or {}).values() if vital))
        ]
        digests = {
            name: _text(verdict[name]["content_digest"])
            for name in ("bundle", "parent", "baseline")
            if verdict.get(name)
        }
        about = digests["bundle"]
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}). Check the path.") from error
    except (ValueError, OverflowError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is not an inquest verdict. Give the verdict.json of `inquest analyze`.") from error
    _same_evidence(path, bundle, about, evidence)
    for name in ("parent", "baseline"):
        other = evidence.other(name)
        if other is None:
            continue
        if name not in digests:
            raise UsageError(f"{path} was decided without a {name}: leave --{name} out, or analyze again with it.")
        _same_evidence(path, f"the {name} given", digests[name], other)
    return {made.id: made for made in claims}


def _same_evidence(path: Path, where: object, digest: str, evidence: Evidence) -> None:
    found = evidence.info.content_digest
    if digest != found:
        raise InputError(
            f"{path} is about other evidence than {where} holds (content digest {digest[:12]}, not {found[:12]}):"
            " rows were altered, added or removed. Do not rely on it."
        )


def wrong_with(claim: Claim, evidence: Evidence) -> list[str]:
    """What of a claim no longer holds, each as a sentence: its value, and the rows it rests on."""
    try:
        whose = evidence.about(claim)
        now = whose.value(claim.sql, claim.unit)
    except (QueryRefused, UsageError) as error:
        return [f"claim {claim.id} cannot be run again ({error})"]
    wrong = [] if plain(now) == plain(claim.value) else [f"claim {claim.id} was {claim.value!r} and is {now!r}"]
    return wrong + [
        f"claim {claim.id} rests on row {row.seq} of {row.table} on {row.node}, which is not there"
        for row in claim.rows
        if cited_row(whose, row) is None
    ]


def named(claims: Mapping[str, Claim], claim: str) -> Claim:
    """The claim of that id; UsageError where there is none."""
    if claim not in claims:
        raise UsageError(f"There is no claim {claim!r}. Claims are: {', '.join(claims) or 'none'}.")
    return claims[claim]


def again(claim: Claim, evidence: Evidence) -> dict[str, Any]:
    """The claim as a verdict holds it, with ``value_now``, whether that is the ``same``, and its rows as ``content``.

    Raises:
        QueryRefused: Its SQL cannot be run.
        UsageError: It is about another run, whose evidence was not given.
    """
    whose = evidence.about(claim)
    now = plain(whose.value(claim.sql, claim.unit))
    rows = [plain(content) for row in claim.rows if (content := cited_row(whose, row))]
    return {**plain(claim), "value_now": now, "same": now == plain(claim.value), "content": rows}


def cited_row(evidence: Evidence, ref: RowRef) -> dict[str, Any] | None:
    """One row of evidence without its empty columns; None when it is not there."""
    if ref.table not in ALL_TABLES or not -(2**63) <= ref.seq < 2**63:
        return None
    found = evidence.scan(ref.table).filter((pl.col("node") == ref.node) & (pl.col("seq") == ref.seq))
    if ref.capture:
        if "capture" not in found.collect_schema():  # facts are of no recording
            return None
        found = found.filter(pl.col("capture") == ref.capture)
    frame = found.drop("ts").head(1).collect()
    if frame.is_empty():
        return None
    return {
        "table": ref.table,
        **{name: value for name, value in frame.row(0, named=True).items() if value is not None},
    }


def _run_name(value: object) -> RunName:
    for name in get_args(RunName):
        if value == name:
            return name  # type: ignore[no-any-return]
    raise ValueError(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(type(value).__name__)
    return value
