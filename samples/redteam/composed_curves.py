"""Changes of what a training left of its curve: other names, another locale, rows twice, a rewind, another run beside it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from .composed_stores import log_without_clock

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from .composed_folder import Folder

_REPORT: Final = re.compile(r"(?i)loss|reward|perplexity|ppl|elbo|nll")
_NAMES: Final = (
    (re.compile(r"(?i)^(?:train[_/])?loss$"), "training/loss"),
    (re.compile(r"(?i)^(?:val|valid|eval)[_/]loss$"), "validation_loss"),
    (re.compile(r"(?i)^(?:global_)?step$"), "trainer/global_step"),
    (re.compile(r"(?i)^(?:lr|learning_rate)$"), "optimizer/lr"),
    (re.compile(r"(?i)^grad_norm$"), "optim/grad_norm"),
)
_TIMES: Final = re.compile(r"\d\d:\d\d:\d\d|time|elapsed|wall", re.IGNORECASE)


def _tables(folder: Folder) -> list[str]:
    return [name for name, text in folder.files.items() if name.endswith(".csv") and text.count("\n") > 3]


def _lines(folder: Folder) -> list[str]:
    return [name for name in folder.files if name.endswith(".jsonl")]


def _logs(folder: Folder) -> list[str]:
    return [
        name for name in folder.of("log") if len(re.findall(_REPORT, folder.files[name])) > 10 and name not in _lines(folder)
    ]  # fmt: skip


def _each(folder: Folder, names: list[str], change: Callable[[list[str]], list[str] | None]) -> Folder | None:
    made = {}
    for name in names:
        lines = change(folder.files[name].splitlines())
        if lines is not None:
            made[name] = "\n".join(lines) + "\n"
    return folder.having(made) if made else None


def other_names(folder: Folder, rng: Random) -> Folder | None:
    """The same numbers by other names of metrics."""

    def name_of(name: str) -> str:
        return next((new for old, new in _NAMES if old.match(name)), name)

    def head(lines: list[str]) -> list[str] | None:
        names = lines[0].split(",")
        new = [name_of(name) for name in names]
        return [",".join(new), *lines[1:]] if new != names and len(set(new)) == len(new) else None

    def keys(lines: list[str]) -> list[str] | None:
        try:
            rows = [json.loads(line) for line in lines if line.strip()]
        except ValueError:  # cut in mid-line
            return None
        if not all(isinstance(row, dict) for row in rows):
            return None
        new = [json.dumps({name_of(k): v for k, v in row.items()}) for row in rows]
        return new if new != lines and not any(len({*map(name_of, row)}) < len(row) for row in rows) else None

    tables = _each(folder, _tables(folder), head)
    return _each(tables or folder, _lines(folder), keys) or tables


def decimal_commas(folder: Folder, rng: Random) -> Folder | None:
    """A table as a German spreadsheet saved it."""

    def change(lines: list[str]) -> list[str] | None:
        if any('"' in line or ";" in line for line in lines):
            return None
        return [
            ";".join(re.sub(r"^(-?\d*)\.(\d+(?:[eE][+-]?\d+)?)$", r"\1,\2", cell) for cell in line.split(","))
            for line in lines
        ]

    return _each(folder, _tables(folder), change)


def doubled(folder: Folder, rng: Random) -> Folder | None:
    """Two handlers, and so every report twice."""

    def twice(lines: list[str]) -> list[str]:
        return [lines[0], *(line for line in lines[1:] for _ in (0, 1))]

    def reports(lines: list[str]) -> list[str]:
        return [line for line in lines for _ in range(2 if _REPORT.search(line) and re.search(r"\d", line) else 1)]

    tables = _each(folder, [*_tables(folder), *_lines(folder)], twice)
    return _each(tables or folder, _logs(folder), reports) or tables


def rewound(folder: Folder, rng: Random) -> Folder | None:
    """It was resumed at half of its way, from where it had been at six tenths."""

    def back(lines: list[str]) -> list[str] | None:
        told = [k for k, line in enumerate(lines) if k and re.search(r"\d", line)]
        if len(told) < 40 or _TIMES.search(lines[0]) or _TIMES.search(lines[told[5]]):
            return None
        half, more = told[len(told) // 2], told[len(told) * 6 // 10]
        return [*lines[:more], *lines[half:more], *lines[more:]]

    return _each(folder, [*_tables(folder), *_lines(folder)], back)


def every_fourth(folder: Folder, rng: Random) -> Folder | None:
    """Only each fourth report was kept, and the last."""

    def thin(lines: list[str]) -> list[str] | None:
        told = [k for k, line in enumerate(lines) if _REPORT.search(line) and re.search(r"\d", line)]
        if len(told) < 120:
            return None
        gone = {k for n, k in enumerate(told[:-1]) if n % 4}
        return [line for k, line in enumerate(lines) if k not in gone]

    def rows(lines: list[str]) -> list[str] | None:
        return [lines[0], *lines[1:-1:4], lines[-1]] if len(lines) > 120 else None

    tables = _each(folder, [*_tables(folder), *_lines(folder)], rows)
    return _each(tables or folder, _logs(folder), thin) or tables


def begins_in_its_middle(folder: Folder, rng: Random) -> Folder | None:
    """The first fifth of the log was rotated away."""
    logs = _logs(folder)
    return _each(folder, logs, lambda lines: lines[len(lines) // 5 :] if len(lines) > 60 else None)


def last_line_torn(folder: Folder, rng: Random) -> Folder | None:
    """The last report was not written to its end."""
    logs = [*_tables(folder), *_lines(folder)]
    made = {name: folder.files[name] for name in logs}
    torn = {}
    for name, text in made.items():
        lines = text.rstrip("\n").split("\n")
        torn[name] = "\n".join([*lines, lines[-1][: max(1, len(lines[-1]) // 3)]])
    return folder.having(torn) if torn else None


def another_run_beside(folder: Folder, rng: Random) -> Folder | None:
    """Another run's log in a folder beside: a loss that fell, to its end."""
    lines = ["INFO sweep trial 7: lr 3e-4, 400 steps"]
    lines += [f"INFO step {k}/400 loss {2.1 + 6 / (1 + k / 20) + rng.gauss(0, 0.02):.4f}" for k in range(10, 401, 10)]
    lines.append("INFO training complete after 400 steps")
    moved = {f"run_a/{name}": text for name, text in folder.files.items()}
    made = folder.without(list(folder.files))
    return made.having({**moved, "run_b/train.log": "\n".join(lines) + "\n"})


def no_settings(folder: Folder, rng: Random) -> Folder | None:
    """Its settings were not kept."""
    gone = [name for name in folder.files if re.search(r"\.(?:ya?ml|toml)$|config|hparams|args", name)]
    return folder.without(gone) if gone and len(gone) < len(folder.files) else None


CHANGES: Final = {
    "other names": (other_names, False),
    "decimal commas": (decimal_commas, False),
    "doubled": (doubled, False),
    "rewound": (rewound, False),
    "every fourth": (every_fourth, True),
    "begins in its middle": (begins_in_its_middle, True),
    "last line torn": (last_line_torn, False),
    "another run beside": (another_run_beside, True),
    "no settings": (no_settings, True),
    "log without clock": (log_without_clock, True),
}
