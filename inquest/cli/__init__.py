"""The verbs of the command line: one file each, one line in ``VERBS``, imported only when called."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import keyword
import os
import sys
from typing import Final, NoReturn

VERBS: Final[tuple[tuple[str, str], ...]] = (
    ("run", "Record a command and its node."),
    ("attach", "Record a job that runs already."),
    ("doctor", "Say what this node lets us see, and how to see the rest."),
    ("status", "What a running job does: steps, stalls, GPUs, last lines."),
    ("collect", "Gather what the nodes of a job recorded."),
    ("import", "Build a bundle from what exists already: logs, scheduler text, metrics, traces."),
    ("merge", "Merge node directories into one bundle."),
    ("info", "Nodes, ranks, tables and gaps on one screen."),
    ("signals", "List what can be measured; of a bundle, how much of it is there."),
    ("artifacts", "List the files a recording took along, and take them out."),
    ("verify", "Check every byte of a bundle, and every claim of a verdict."),
    ("analyze", "Decide what killed the run: verdict.json, report.html, timeline.pftrace."),
    ("timeline", "Write the run as a Perfetto trace; say where a claim stands in it."),
    ("explain", "Decide from logs alone: files, a directory or standard input."),
    ("query", "Ask the bundle a question in SQL."),
    ("cite", "Re-run one claim of a verdict."),
    ("diff", "What is new since the good run."),
    ("triage", "Many bundles: which node, GPU and cause recurs, and what it costs."),
    ("mcp", "Let an assistant ask the bundle (Model Context Protocol, read-only)."),
    ("ui", "The timeline in a Perfetto UI that was carried in."),
    ("demo", "Show the whole way on a recorded job."),
    ("redact", "Mask a bundle again, and put pseudonyms for names in it."),
    ("sign", "Sign a bundle, with minisign or GnuPG."),
    ("encrypt", "Encrypt a bundle for named readers, with age or GnuPG."),
    ("decrypt", "Decrypt a bundle that age or GnuPG encrypted."),
    ("split", "Cut a bundle into parts for media."),
    ("join", "Put the parts together again, proved to be the same file."),
    ("clean", "Remove what inquest cached on this machine."),
)
"""Verb and its one line of help. The module of verb ``x`` is ``inquest.cli.x``; that of ``import`` is ``import_``."""


_CUT: Final = b"inquest: a file was cut short while it was read: wait until it is copied, and try again\n"

_EPILOG: Final = (
    "Exit codes of every verb: 1 a fault of inquest, 2 usage, 5 damaged or unsafe input. Progress goes to standard "
    "error and only to a terminal; NO_COLOR is honoured."
)


def settle() -> None:
    """Set a process up for the seconds that a verb lives; before Polars is imported, whose allocator looks once."""
    # Few cycles are made; looking for some while modules load costs a tenth of a second.
    gc.set_threshold(100_000)
    # Columns come and go by the hundred: an arena a core and memory that stays for ten seconds halve the page faults
    # of a verdict and of its report, and the peak is no higher (benchmarks/render.py).
    os.environ.setdefault("_RJEM_MALLOC_CONF", f"narenas:{os.cpu_count() or 1},dirty_decay_ms:10000")


def dispatch(argv: list[str]) -> int:
    """Run one verb; returns the exit code."""
    settle()
    import typer

    from inquest import __version__
    from inquest.bundle import bus
    from inquest.bundle.errors import InputError, InquestError

    bus.end_with(_CUT, InputError.exit_code)
    app = typer.Typer(
        name="inquest",
        help="Flight recorder and coroner for GPU training jobs.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback(invoke_without_command=True)
    def root(version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
        if version:
            typer.echo(f"inquest {__version__}")
            raise typer.Exit

    wanted = next((word for word in argv if not word.startswith("-")), None)
    completing = "_INQUEST_COMPLETE" in os.environ
    if completing:  # the words of the line being typed stand in the environment
        wanted = next(iter(os.environ.get("COMP_WORDS", "").split()[1:2]), None)
    for name, short in VERBS:
        if name == wanted or wanted not in dict(VERBS):
            module = importlib.import_module(f"inquest.cli.{name}{'_' if keyword.iskeyword(name) else ''}")
            verb = module.command
            if completing:
                from inquest.cli._complete import with_bundles

                verb = with_bundles(verb)
            app.command(name, short_help=short, help=_paragraphs(verb.__doc__ or ""), epilog=_EPILOG)(verb)
    try:
        app(argv)
    except InquestError as error:
        print(f"inquest: {error}", file=sys.stderr)
        return error.exit_code
    except SystemExit as end:  # typer prints usage errors (2) itself and leaves this way, successes too
        return end.code if isinstance(end.code, int) else 1
    return 0


def _paragraphs(text: str) -> str:
    """A docstring whose paragraphs are lines: the width of the terminal breaks them, not ours."""
    import inspect

    parts = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(part if "\n " in part else part.replace("\n", " ") for part in parts)


def leave(code: int) -> NoReturn:
    """End the process with ``code``, without the interpreter's tear-down.

    A query that failed or was given up may leave a thread of Polars inside a scan of ours. The tear-down would unwind
    it by force, and the C library would then end the process with SIGABRT although its answer is out.
    """
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError):  # whoever read our output may have left
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
