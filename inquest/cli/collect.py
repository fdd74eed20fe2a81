"""`inquest collect`: recordings from many nodes into one directory."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import Annotated

import typer

from inquest.bundle.errors import InputError, UsageError


def command(
    source: Annotated[
        str,
        typer.Option(
            "--from", metavar="DIR", help="Where 'inquest run' recorded: a directory here, with --via one on each node."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Directory for 'inquest merge'.")],
    hosts: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Nodes to collect from: a,b or gpu[001-064] or @FILE (one name a line)."),
    ] = None,
    via: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="How nodes are reached: ssh, srun or pdsh, with options of its own ('ssh -l root')."
        ),
    ] = None,
    job: Annotated[
        str | None,
        typer.Option(
            "--job",
            metavar="ID",
            help="Only recordings of this job; its nodes where --hosts names none; srun joins it while it runs.",
        ),
    ] = None,
    timeout: Annotated[float, typer.Option(min=1, metavar="S", help="Seconds a node has for each answer.")] = 120,
    total: Annotated[float, typer.Option(min=1, metavar="S", help="Seconds for everything.")] = 1800,
    parallel: Annotated[int, typer.Option(min=1, metavar="N", help="Nodes at once.")] = 16,
    max_bytes: Annotated[int, typer.Option(min=1, metavar="N", help="Bytes a node may give at most.")] = 256 << 30,
    as_json: Annotated[bool, typer.Option("--json", help="Print what became of each node as JSON.")] = False,
) -> None:
    """Gather what the nodes of a job recorded; nodes that stay silent are named here, and later in the bundle.

    A node needs nothing but sh, find, stat and tar. What is complete is not fetched again: call it again for nodes
    that were down, or recordings that grew.

    Exit code: 0 when something was collected, though nodes may be silent; 5 when nothing was.

    Example: inquest collect --hosts gpu[001-064] --via ssh --from /var/lib/inquest --job 4711 -o recordings/
    """
    from inquest.bundle import collect, fanout
    from inquest.cli._progress import working
    from inquest.render.wording import one_line

    names = fanout.parse_hosts(hosts) if hosts is not None else None
    reach = None if via is None else fanout.parse_via(via, job)
    if names is None and reach is not None:
        if job is None:
            raise UsageError(f"name the nodes to reach with {reach.kind}: --hosts LIST, or --job ID")
        names = fanout.nodes_of_job(job)
    with working(f"collecting from {source}") as tell:
        found = collect.collect(
            out,
            source,
            hosts=names,
            via=reach,
            job_id=job,
            timeout_s=timeout,
            total_s=total,
            parallel=parallel,
            max_bytes=max_bytes,
            tell=tell,
        )
    for host in found:
        if host.outcome != "ok":
            print(f"inquest: {host.host}: {host.outcome}: {one_line(host.detail, 300)}", file=sys.stderr)
    if as_json:
        typer.echo(json.dumps({"out": str(out), "hosts": [asdict(host) for host in found]}, indent=2))
    else:
        fetched = sum(len(host.fetched) for host in found)
        kept = sum(len(host.kept) for host in found)
        silent = sum(not host.fetched and not host.kept for host in found)
        typer.echo(
            f"{out}: {fetched} recordings fetched ({sum(host.bytes for host in found):,} bytes), {kept} were here, "
            f"{silent} of {len(found)} nodes gave nothing"
        )
    if not any(host.fetched or host.kept for host in found):
        raise InputError("nothing was collected: see what each node said above")
