"""`inquest status`: the run that is still alive, on one screen: steps, stalls, GPUs, last lines."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from inquest.bundle.live import Live

_EVERY_S: Final = 2.0
_LINES: Final = 4
_TASKS_SHOWN: Final = 24
_SILENT_RECORDER_S: Final = 15
"""A recorder writes at least every two seconds; on a shared file system it is seen a little later."""


def command(
    directory: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="Where `inquest run --out` records, on this or a shared disk."),
    ] = None,
    job: Annotated[str | None, typer.Option("--job", metavar="ID", help="This job; default: the latest.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Show it anew every two seconds, until the job ends.")] = False,
) -> None:
    """What a running job does: ranks, last steps and lines, its cadence and silence, GPUs, and how recording goes.

    Reads the recordings while they are written, from their ends, and changes nothing. DIR is INQUEST_OUT, else
    ./inquest-out, where it is not given. After the end it shows how the job ended.

    Example: inquest status --watch
    """
    from inquest.bundle import live

    out = directory or Path(os.environ.get("INQUEST_OUT") or "inquest-out")
    if as_json:
        typer.echo(json.dumps(_facts(live.of_job(live.read(out), job)), indent=2))
        return
    from rich.console import Console

    console = Console(highlight=False)
    if not watch:
        console.print(_screen(_facts(live.of_job(live.read(out), job))))
        return
    from rich.live import Live as Screen

    facts: dict[str, Any] = {}
    with (
        contextlib.suppress(KeyboardInterrupt),
        Screen(console=console, auto_refresh=False, screen=console.is_terminal) as screen,
    ):
        while True:
            facts = _facts(live.of_job(live.read(out), job))
            screen.update(_screen(facts), refresh=True)
            if not facts["live"]:
                break
            time.sleep(_EVERY_S)
    if console.is_terminal and facts:  # the screen is gone: what it showed last stays
        console.print(_screen(facts))


def _facts(recordings: Sequence[Live]) -> dict[str, Any]:
    """Everything that is shown, as plain data. Times are UTC in nanoseconds, spans in seconds."""
    now = time.time_ns()
    tasks = [_task(live, now) for live in recordings]
    steps = _steps(recordings)
    heard = [task["last_output_ns"] for task in tasks if task["last_output_ns"] is not None]
    place = recordings[0].path
    try:
        free: int | None = shutil.disk_usage(place).free
    except OSError:
        free = None
    return {
        "job_id": next((live.job_id for live in recordings if live.job_id), None),
        "live": any(live.is_live for live in recordings),
        "began_ns": min(live.began_ns for live in recordings),
        "last_output_ns": max(heard, default=None),
        "silent_s": round((now - max(heard)) / 1e9, 1) if heard else None,
        "stalled": any(task["stalled"] for task in tasks) and not any(task["prints"] for task in tasks),
        "progress": steps,
        "recorded_bytes": sum(live.recorded_bytes for live in recordings),
        "free_bytes": free,
        "tasks": tasks,
    }


def _task(live: Live, now: int) -> dict[str, Any]:
    from inquest.capture.silence import Silence

    seconds = sorted({at // 1_000_000_000 for at in live.output_times})
    silence = Silence(seconds[0] if seconds else live.began_ns // 1_000_000_000)
    for second in seconds:
        silence.heard(second)
    silent = (now - live.output_times[-1]) / 1e9 if live.output_times else (now - live.began_ns) / 1e9
    ranks: dict[int, dict[str, Any]] = {}
    state = next((row["state"] for row in reversed(live.rows["processes"]) if row["role"] == "task"), None)
    for row in live.rows["processes"]:
        if row["role"] == "rank" and row["pid"] is not None:
            gone = row["event"] in ("exit", "gone")
            ranks[row["pid"]] = {"rank": row["rank"], "pid": row["pid"], "state": row["state"], "gone": gone}
    latest_gpu = {row["gpu_uuid"]: row for row in live.rows["gpu_samples"]}
    outcomes: dict[str, dict[str, Any]] = {}
    for row in live.rows["collection"]:
        outcomes[row["collector"]] = {"outcome": row["outcome"], "drops": row["drops"], "detail": row["detail"]}
    looks = [row for row in live.rows["stack_samples"] if str(row["reason"]).startswith(("silent", "another"))]
    recorder_s = round((now - live.seen_ns) / 1e9, 1) if live.seen_ns is not None else None
    return {
        "node": live.node,
        "recording": str(live.path),
        "command": live.argv,
        "live": live.is_live,
        "exit_code": live.exit_code,
        "term_signal": live.term_signal,
        "signals": live.signals,
        "last_output_ns": live.output_times[-1] if live.output_times else None,
        "silent_s": round(silent, 1) if live.is_live else None,
        "usual_gap_s": silence.usual_s,
        "stall_after_s": silence.limit_s,
        "stalled": live.is_live and silent >= silence.limit_s,
        "prints": live.is_live and bool(live.output_times) and silent < silence.limit_s,
        "output_bytes": live.output_bytes,
        "stacks_taken_ns": looks[-1]["ts_ns"] if looks else None,
        "recorder_seen_s": recorder_s,
        "recorder_silent": live.is_live and (recorder_s is None or recorder_s > _SILENT_RECORDER_S),
        "state": state,
        "ranks": sorted(ranks.values(), key=lambda rank: (rank["rank"] is None, rank["rank"], rank["pid"])),
        "gpus": [
            {
                "gpu": row["gpu_index"],
                "uuid": uuid,
                "engine_active": row["engine_active"],
                "sm_active": row["sm_active"],
                "fb_used_bytes": row["fb_used_bytes"],
                "fb_total_bytes": row["fb_total_bytes"],
                "power_w": row["power_w"],
                "temp_core_c": row["temp_core_c"],
            }
            for uuid, row in sorted(latest_gpu.items(), key=lambda item: (item[1]["gpu_index"] or 0, str(item[0])))
        ],
        "collectors": outcomes,
        "lines": [{"ts_ns": at, "stream": stream, "text": text} for at, stream, text in live.lines[-_LINES:]],
    }


def _steps(recordings: Sequence[Live]) -> dict[str, Any] | None:
    """The furthest step that the last lines tell, as the registry of log facts reads them; None where none does."""
    rows = [
        {"node": live.node, "capture": live.capture, "stream": stream, "ts_ns": at, "text": text, "eol": "lf"}
        for live in recordings
        for at, stream, text in live.lines
    ]
    if not rows:
        return None
    from inquest.analyze.logs import parse_logs
    from inquest.bundle.store import MemoryStore

    steps = parse_logs(MemoryStore.from_rows({"log_lines": rows}))["fact_steps"]
    told = [row for row in steps.iter_rows(named=True) if row["step"] is not None and row["ts_ns"] is not None]
    if not told:
        return None
    last = max(told, key=lambda row: (row["ts_ns"], row["step"]))
    names = ("step", "total_steps", "epoch", "loss", "lr", "step_time_s", "samples_per_s", "tokens_per_s")
    return {**{name: last[name] for name in names}, "ts_ns": last["ts_ns"], "node": last["node"]}


# --- the screen ---------------------------------------------------------------------------------------------------


def _screen(facts: dict[str, Any]) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    from inquest.render.wording import one_line

    tasks = facts["tasks"]
    parts: list[RenderableType] = [_headline(facts)]
    parts += [Text(one_line(text, 400), style) for text, style in _news(facts)]
    parts.append(_task_table(tasks[:_TASKS_SHOWN]))
    if len(tasks) > _TASKS_SHOWN:
        parts.append(Text(f"{len(tasks) - _TASKS_SHOWN} more tasks: see --json", "dim"))
    if any(task["gpus"] for task in tasks):
        parts.append(_gpu_table(tasks))
    lines = sorted((line["ts_ns"], task["node"], line["text"]) for task in tasks for line in task["lines"])
    parts += [
        Text.assemble(
            (f"{_clock(at)} {one_line(node, 40)} ", "dim"), one_line(text, 300), no_wrap=True, overflow="ellipsis"
        )
        for at, node, text in lines[-2 * _LINES :]
    ]
    return Group(*parts)


def _headline(facts: dict[str, Any]) -> RenderableType:
    from rich.text import Text

    tasks = facts["tasks"]
    nodes = len({task["node"] for task in tasks})
    ranks = [rank for task in tasks for rank in task["ranks"]]
    state, style = ("STALLED", "bold red") if facts["stalled"] else ("running", "bold green")
    if not facts["live"]:
        codes = sorted({_ending(task) for task in tasks})
        state, style = f"ended: {', '.join(codes)}", "bold"
    free = f", {_bytes(facts['free_bytes'])} free" if facts["free_bytes"] is not None else ""
    about = (
        f"job {facts['job_id'] or 'without a number'}  began {_span((time.time_ns() - facts['began_ns']) / 1e9)} ago"
        f"  {nodes} node{'s' if nodes > 1 else ''}, {len(ranks)} rank{'s' if len(ranks) != 1 else ''}"
        f"  recorded {_bytes(facts['recorded_bytes'])}{free}"
    )
    return Text.assemble((state, style), "  ", about)


def _news(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """Sentences that matter, with their style."""
    found: list[tuple[str, str]] = []
    if (step := facts["progress"]) is not None:
        number, total = step["step"], f"/{step['total_steps']}" if step["total_steps"] else ""
        more = [f"{name} {step[key]:g}{unit}" for name, key, unit in _SHOWN if step[key] is not None]
        found.append((f"{', '.join([f'step {number}{total}', *more])} at {_clock(step['ts_ns'])}", "bold"))
    if facts["live"] and facts["silent_s"] is not None:
        usual = min((t["usual_gap_s"] for t in facts["tasks"] if t["usual_gap_s"] is not None), default=None)
        often = f"; it usually prints every {_span(usual)} or oftener" if usual is not None else ""
        found.append((f"last output {_span(facts['silent_s'])} ago{often}", "red" if facts["stalled"] else ""))
    for task in facts["tasks"]:
        who = task["node"]
        if facts["stalled"] and task["stacks_taken_ns"] is not None:
            found.append((f"{who}: stacks of all ranks were taken at {_clock(task['stacks_taken_ns'])}", ""))
        if task["recorder_silent"]:
            seen = task["recorder_seen_s"]
            found.append(
                (f"{who}: the recorder wrote nothing for {_span(seen) if seen else 'the whole time'}", "yellow")
            )
        if gone := [rank["rank"] for rank in task["ranks"] if rank["gone"] and task["live"]]:
            found.append((f"{who}: gone: ranks {', '.join(map(str, gone))}", "yellow"))
        if task["signals"] and task["live"]:
            found.append((f"{who}: got signal {', '.join(map(str, task['signals'][-5:]))}", "yellow"))
        bad = {n: o for n, o in task["collectors"].items() if o["outcome"] in ("failed", "timed_out", "truncated")}
        found += [(f"{who}: {name} {o['outcome']}: {o['detail'] or ''}", "yellow") for name, o in sorted(bad.items())][
            :3
        ]
    return found


_SHOWN: Final = (
    ("loss", "loss", ""),
    ("lr", "lr", ""),
    ("step", "step_time_s", " s"),
    ("samples", "samples_per_s", "/s"),
    ("tokens", "tokens_per_s", "/s"),
)


def _task_table(tasks: Sequence[dict[str, Any]]) -> RenderableType:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from inquest.render.wording import one_line

    grid = Table(box=box.SIMPLE, pad_edge=False)
    for name in ("node", "ranks", "state", "last output", "output", "recorder", "without"):
        grid.add_column(name, overflow="fold")
    for task in tasks:
        ranks = [rank for rank in task["ranks"] if not rank["gone"]]
        states = sorted({str(rank["state"]) for rank in ranks} or {str(task["state"] or "-")})
        without = sorted(name for name, o in task["collectors"].items() if o["outcome"] in ("missing", "denied"))
        grid.add_row(
            Text(one_line(task["node"], 60)),
            ", ".join(str(rank["rank"]) for rank in ranks[:16]) or "-",
            "".join(states) if task["live"] else _ending(task),
            f"{_span(task['silent_s'])} ago" if task["silent_s"] is not None and task["last_output_ns"] else "-",
            _bytes(task["output_bytes"]),
            "silent" if task["recorder_silent"] else "ok",
            Text(one_line(", ".join(without), 200)),
        )
    return grid


def _gpu_table(tasks: Sequence[dict[str, Any]]) -> RenderableType:
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE, pad_edge=False)
    for name in ("node", "gpu", "engine", "SM", "memory", "power", "temperature"):
        grid.add_column(name, justify="left" if name == "node" else "right")
    shown = [(task["node"], gpu) for task in tasks for gpu in task["gpus"]][:64]
    for node, gpu in shown:
        used, total = gpu["fb_used_bytes"], gpu["fb_total_bytes"]
        grid.add_row(
            node,
            str(gpu["gpu"]),
            _share(gpu["engine_active"]),
            _share(gpu["sm_active"]),
            f"{_bytes(used)} of {_bytes(total)}" if used is not None and total is not None else "-",
            f"{gpu['power_w']:.0f} W" if gpu["power_w"] is not None else "-",
            f"{gpu['temp_core_c']} C" if gpu["temp_core_c"] is not None else "-",
        )
    return grid


def _ending(task: dict[str, Any]) -> str:
    if task["live"]:
        return "running"
    if task["term_signal"] is not None:
        return f"signal {task['term_signal']}"
    return f"exit {task['exit_code']}" if task["exit_code"] is not None else "not started"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"


def _bytes(value: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if value < 1024:
            return f"{value:.0f} {unit}"
        value /= 1024
    return f"{value:.1f} TiB"


def _span(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes, _ = divmod(int(seconds), 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


def _clock(ns: int) -> str:
    return time.strftime("%H:%M:%S", time.localtime(ns / 1e9))
