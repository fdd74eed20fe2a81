"""`inquest mcp`: a bundle for an assistant on the desk, over the Model Context Protocol (stdio)."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Final

import typer

from inquest.bundle.errors import InquestError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server import MCPServer

    from inquest.render.assistant import Answers

_MISSING: Final = (
    "'inquest mcp' needs the official MCP SDK, which is not installed here. Install it beside inquest: "
    "pip install 'inquest[mcp]' (or 'mcp>=2,<3'); on a desk without network, carry the wheels there."
)


def command(
    bundle: Annotated[Path, typer.Argument(metavar="JOB.inquest", help="The bundle to answer questions about.")],
) -> None:
    """Serve a bundle to an assistant, over the Model Context Protocol (stdio): read-only, local, nothing leaves.

    Tools: verdict, families, evidence (a claim, run again), tables, query (one SELECT, limited in rows, time and
    memory), log_window, stacks, timeline. Text of the job is marked as untrusted data. An assistant's own settings name
    this command; nothing is printed but the protocol.

    Example: inquest mcp job.inquest

    Example: in the assistant's configuration: {"command": "inquest", "args": ["mcp", "/data/job.inquest"]}
    """
    from inquest.bundle.store import BundleStore

    BundleStore(bundle)  # a file that is no bundle is said now, not at the first question
    try:
        from mcp.server import MCPServer
    except ImportError as error:
        raise UsageError(_MISSING) from error
    from inquest.render.assistant import Answers

    server(Answers(bundle), MCPServer).run("stdio")


def server(answers: Answers, make: type[MCPServer]) -> MCPServer:
    """A server with every question of ``answers`` as a read-only tool."""
    import functools

    from mcp.types import ToolAnnotations

    from inquest import __version__
    from inquest.render.assistant import INSTRUCTIONS

    app = make("inquest", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    hints = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)

    def tool(ask: Callable[..., str], description: str) -> None:
        @functools.wraps(ask)
        def answer(*args: object, **kwargs: object) -> str:
            try:
                return ask(*args, **kwargs)
            except InquestError as error:
                return f"Refused: {error}"

        app.add_tool(answer, name=ask.__name__, description=description, annotations=hints, structured_output=False)

    tool(answers.verdict, "What happened to the run, who must act, what to do, and which claims that rests on.")
    tool(
        answers.families,
        "Why each failure family (A1 ... G1) was ruled in or out, or what it lacks. family: one of them.",
    )
    tool(answers.evidence, "Run one claim again: text, SQL, value then and now, rows. claim: its id, such as A2.1.")
    tool(answers.tables, "Tables of the bundle with their rows; with table: its columns, units and meaning.")
    tool(
        answers.query,
        "One SELECT (or WITH) over the tables; no functions that read files. rows: at most 200. Times are *_ns, UTC.",
    )
    tool(
        answers.log_window,
        "Lines of the job's output around a time (around_ns, UTC nanoseconds) or around the first line that contains a "
        "text (contains); narrowed by node, rank, source. lines: at most 200.",
    )
    tool(answers.stacks, "Where threads of the job stood, from stacks taken at silences and at the end.")
    tool(
        answers.timeline,
        "Events in order of time between from_ns and to_ns (UTC nanoseconds). kind: error | follows | marker | exit | "
        "signal | scheduler | kernel.",
    )
    return app
