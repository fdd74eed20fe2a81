"""One question to many nodes: checked here, sent, and the answers put together."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from inquest.bundle.errors import InputError

if TYPE_CHECKING:
    import polars as pl

_ANSWER_BYTES: Final = 64 << 20


def ask_nodes(
    hosts: str,
    via: str,
    question: list[str],
    *,
    limit: int,
    timeout: float,
    memory: int,
    parallel: int,
    job: str | None = None,
) -> pl.DataFrame:
    """The answers of all nodes below each other, outliers marked; who stays silent is named on standard error.

    ``question`` is what inquest is called on the nodes, the directory there, and the SQL, which must pass the
    allow-list before anything is sent. With srun they are asked as a step of ``job`` while it runs: else srun would
    wait for free resources of nodes that work.

    Raises:
        UsageError: The SQL, the hosts or the way to them cannot be.
        InputError: No node answered.
    """
    from inquest.analyze import sql
    from inquest.analyze.evidence import ALL_TABLES
    from inquest.analyze.fleet import mark_outliers, union
    from inquest.bundle import fanout
    from inquest.render.wording import one_line

    remote, directory, statement = question
    sql.check(statement, ALL_TABLES)
    names = fanout.parse_hosts(hosts)
    limits = ["--json", "--limit", str(limit), "--timeout", f"{timeout:g}", "--memory", str(memory)]
    ask = shlex.join([*shlex.split(remote), "query", *limits, "--"])

    def script(host: str) -> str:
        return f'{_own_directory(directory, fanout.node_name(host))}; {ask} "$own" {shlex.quote(statement)}'

    way = fanout.parse_via(via, job)
    answers = fanout.each(names, way, script, _read, timeout_s=timeout, parallel=parallel)
    silent = [answer for answer in answers.values() if answer.outcome != "ok" or answer.value is None]
    for answer in silent:
        print(f"inquest: {answer.host}: {answer.outcome}: {one_line(answer.detail, 300)}", file=sys.stderr)
    told = {fanout.node_name(a.host): a.value for a in answers.values() if a.outcome == "ok" and a.value is not None}
    if way.kind == "srun" and not way.job_id and any(answer.outcome == "timed_out" for answer in silent):
        print("inquest: srun waits for free resources: join the job that runs there with --job ID", file=sys.stderr)
    if not told:
        raise InputError(f"none of {len(names)} nodes answered: try one of them by hand, or give another --via")
    full = [node for node, rows in told.items() if len(rows) >= limit]
    if full:
        print(f"inquest: {len(full)} nodes gave {limit} rows and may have more: raise --limit", file=sys.stderr)
    return mark_outliers(union(told))


def _own_directory(directory: str, host: str) -> str:
    """Shell words that set ``own`` to what a node recorded itself: DIR/NODE, where DIR holds the recordings of many."""
    names = f'{shlex.quote(host)} {shlex.quote(host.partition(".")[0])} "${{SLURMD_NODENAME:-}}" "$(uname -n)"'
    base = shlex.quote(directory)
    return f'own={base}; for n in {names}; do if [ "$n" ] && [ -d {base}/"$n" ]; then own={base}/"$n"; break; fi; done'


def _read(_: str, stream: BinaryIO) -> list[dict[str, Any]]:
    text = stream.read(_ANSWER_BYTES + 1)
    if len(text) > _ANSWER_BYTES:
        raise InputError(f"it answered with more than {_ANSWER_BYTES >> 20} MiB: ask for fewer rows")
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError):
        rows = None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError("it gave no answer")
    return rows
