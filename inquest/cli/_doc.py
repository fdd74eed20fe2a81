"""Writes ``docs/cli.md`` from the verbs themselves: run ``python -m inquest.cli._doc`` after changing an option."""

from __future__ import annotations

import importlib
import inspect
import keyword
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from inquest.cli import VERBS

if TYPE_CHECKING:
    from collections.abc import Iterator

PATH: Final = Path(__file__).resolve().parent.parent.parent / "docs" / "cli.md"

_HEAD: Final = """# The command line

<!-- Written by `python -m inquest.cli._doc` from the verbs: change it there. -->

`inquest VERB --help` says the same. Exit codes of every verb but `run`: 0 done, 1 a fault of ours, 2 usage, 5 damaged
or unsafe input; `analyze` and `explain` also 3 (a failure was found), 4 (cannot decide), 6 (ended by a person or a
plan). `--install-completion` sets up completion in your shell. `NO_COLOR` is honoured; progress goes to standard error,
and only to a terminal.
"""
_EVERYWHERE: Final = ("help", "install_completion", "show_completion")
_OWN_HELP: Final = ("run", "attach")
"""Verbs that parse their options themselves: they start in milliseconds, and print plain text."""


def document() -> str:
    """The page, as Markdown."""
    out = [_HEAD, "| verb | what it does |", "| --- | --- |"]
    out += [f"| [`{name}`](#inquest-{name}) | {short} |" for name, short in VERBS]
    for name, _ in VERBS:
        out += ["", f"## inquest {name}", ""]
        out += _plain(name) if name in _OWN_HELP else _verb(name)
    return "\n".join(out) + "\n"


def _plain(name: str) -> Iterator[str]:
    command = [sys.executable, "-m", "inquest", name, "--help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": "/usr/bin:/bin"}).stdout
    yield "```text"
    yield said.rstrip()
    yield "```"


def _verb(name: str) -> Iterator[str]:
    module = importlib.import_module(f"inquest.cli.{name}{'_' if keyword.iskeyword(name) else ''}")
    app = typer.Typer(add_completion=False)
    app.command(name)(module.command)
    command = typer.main.get_command(app)
    shown = [option for option in command.params if not getattr(option, "hidden", False)]
    arguments = " ".join(_argument(each) for each in shown if each.param_type_name == "argument")
    yield f"    inquest {name} [OPTIONS] {arguments}".rstrip()
    for paragraph in inspect.cleandoc(module.command.__doc__ or "").split("\n\n"):
        yield ""
        if paragraph.startswith("Example"):
            yield "    " + re.sub(r"^Examples?:\s*", "", " ".join(paragraph.split()))
        else:
            yield paragraph
    rows = [_row(each) for each in shown if each.name not in _EVERYWHERE]
    if rows:
        yield ""
        yield "| argument, option | meaning |"
        yield "| --- | --- |"
        yield from rows


def _argument(each: Any) -> str:  # noqa: ANN401  typer hides the types of its parameters
    name = each.metavar or (each.name or "").upper()
    name = name.strip("[]").removesuffix("...")
    many = "..." if each.nargs != 1 else ""
    return f"{name}{many}" if each.required else f"[{name}{many}]"


def _row(each: Any) -> str:  # noqa: ANN401
    if each.param_type_name == "argument":
        name = f"`{_argument(each)}`"
    else:
        flags = ", ".join(f"`{flag}`" for flag in (*each.opts, *each.secondary_opts))
        value = "" if getattr(each, "is_flag", False) else f" `{each.metavar or 'VALUE'}`"
        name = flags + value
    words = str(getattr(each, "help", None) or "")
    default = each.default
    if isinstance(default, (int, float, str)) and not isinstance(default, bool) and f"{default}" not in words:
        words = f"{words.rstrip('.')}. Default {default}.".lstrip(". ")
    return "| {} | {} |".format(*(text.replace("|", "\\|").replace("\n", " ") for text in (name, words)))


def main() -> None:
    """Write the page."""
    PATH.write_text(document())


if __name__ == "__main__":
    main()
