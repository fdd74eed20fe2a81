"""The state that the Trainer of Hugging Face saves with each checkpoint: ``trainer_state.json``.

Its ``log_history`` holds everything that was logged up to that step, so the files of several checkpoints repeat each
other. Facts of the format: transformers/trainer_callback.py (TrainerState), which writes NaN and Infinity as Python's
json does.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.imports._values import MAX_NAME, Row, batches, folder, int64, real, teller

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

MAX_STATE: Final = 128 << 20
"""Bytes of a state: a million logged steps."""

_BEGIN: Final = re.compile(rb'\s*\{\s*"\w+"\s*:')
_KEYS: Final = (re.compile(rb'"global_step"\s*:'), re.compile(rb'"log_history"\s*:\s*\['))
_CHECKPOINT: Final = re.compile(r"(?:^|/)checkpoint-\d+$")
_SPACE: Final = re.compile(r"\s*")
_PLAN: Final = ("global_step", "max_steps", "num_train_epochs")
"""Values of the state itself: where it stood, and what was planned."""
_PATIENCE: Final = ("early_stopping_patience", "early_stopping_patience_counter")
"""What EarlyStoppingCallback keeps in the state: how many evaluations without a gain it allows, and has seen."""
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class TrainerState:
    """See the module."""

    name: str = "trainer_state"
    title: str = "Hugging Face trainer_state.json"
    tables: tuple[str, ...] = ("metrics",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """A JSON object with the step it stands at and the history of what was logged."""
        return _BEGIN.match(source.head) is not None and all(key.search(source.head) for key in _KEYS)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        """One row a value. The file tells no times. A run is the folder in which its checkpoints lie."""
        run = _CHECKPOINT.sub("", folder(source.name) or "") or None
        rows = _rows(source.read(MAX_STATE).decode("utf-8", errors="replace"), context)
        about = teller(source, "huggingface", run)
        yield from batches({**about, **row} for row in rows)


def _rows(text: str, context: Context) -> Iterator[Row]:
    state: dict[str, Any] = {}
    last: int | None = None
    for key, entry in _items(text, context):
        if key != "log_history":
            state[key] = entry
            continue
        step, epoch = int64(entry.get("step")), real(entry.get("epoch"))
        last = step if step is not None else last
        for name, value in entry.items():
            told = real(value)
            if name not in {"step", "epoch"} and told is not None and len(name) <= MAX_NAME:
                yield {"step": step, "epoch": epoch, "name": name, "value": told}
    step = int64(state.get("global_step"))
    state |= _patience(state.get("stateful_callbacks"))
    for name in (*_PLAN, *_PATIENCE):
        told = real(state.get(name))
        if told is not None and told > 0:
            yield {
                "step": last if step is None else step,
                "epoch": real(state.get("epoch")),
                "name": name,
                "value": told,
            }


def _patience(callbacks: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a stranger's JSON holds
    """What the early stopping of a state says of itself; nothing where there is none."""
    callback = callbacks.get("EarlyStoppingCallback") if isinstance(callbacks, dict) else None
    # Of several of a kind the state holds a list.
    parts = [callback.get(part) for part in ("args", "attributes")] if isinstance(callback, dict) else []
    return {name: part[name] for part in parts if isinstance(part, dict) for name in _PATIENCE if name in part}


def _items(text: str, context: Context) -> Iterator[tuple[str, Any]]:
    """Keys of the state with their values; of the history one entry at a time: a torn file gives what it has."""
    try:
        at = text.index("{") + 1
        while (at := _after_space(text, at)) < len(text) and text[at] != "}":
            key, at = _DECODER.raw_decode(text, at)
            at = _after(text, at, ":")
            if key == "log_history" and text.startswith("[", at):
                at += 1
                while not text.startswith("]", at := _after_space(text, at)):
                    entry, at = _DECODER.raw_decode(text, at)
                    if isinstance(entry, dict):
                        yield "log_history", entry
                    at = _after_space(text, at)
                    at += text.startswith(",", at)
                at += 1
            else:
                value, at = _DECODER.raw_decode(text, at)
                yield str(key), value
            at = _after_space(text, at)
            at += text.startswith(",", at)
        if at >= len(text):
            context.warn("The file ends before its closing bracket: it was torn while it was written.")
    except (ValueError, RecursionError):
        context.warn("The file is torn or damaged: what came before the damage was read.")


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _after(text: str, at: int, sign: str) -> int:
    at = _after_space(text, at)
    if not text.startswith(sign, at):
        raise ValueError(f"{sign} expected")
    return _after_space(text, at + 1)


KIND: Final = TrainerState()
