"""Completion in the shell: verbs and options are typer's; here bundles, wherever a verb takes one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

if TYPE_CHECKING:
    from collections.abc import Callable

ASKED: Final = "_INQUEST_COMPLETE"
"""Variable by which a shell's completion asks."""

_SUFFIX: Final = ".inquest"


def bundles(incomplete: str) -> list[str]:
    """Bundles that begin with ``incomplete``; none where there are none: the shell then offers files as it always does.

    Directories are left to the shell, which goes into them without a blank.
    """
    folder, _, begin = incomplete.rpartition("/")
    where = Path(folder or ("/" if incomplete.startswith("/") else ".")).expanduser()
    try:
        names = sorted(entry.name for entry in os.scandir(where) if entry.name.endswith(_SUFFIX))
    except OSError:
        return []
    before = incomplete.removesuffix(begin) if begin else incomplete
    return [f"{before}{name}" for name in names if name.startswith(begin)]


def with_bundles(command: Callable[..., Any]) -> Callable[..., Any]:
    """``command``, whose arguments and options that take a bundle complete to one."""
    hints = get_type_hints(command, include_extras=True)
    for hint in hints.values():
        for told in getattr(hint, "__metadata__", ()):
            if isinstance(told, ArgumentInfo | OptionInfo) and _SUFFIX in str(told.metavar or ""):
                told.autocompletion = bundles
    command.__annotations__ = hints
    return command
