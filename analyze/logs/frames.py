"""What the frames of a traceback show: whether anybody caught it, whose program it is of, and where it was printed."""

from __future__ import annotations

import re
from pathlib import PurePosixPath as Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inquest.analyze.logs.tracebacks import Traceback

Place = tuple[str, str, str | None]
"""Node, capture and source of a stream."""

_LAUNCHER_FILE: Final = re.compile(
    r"/bin/(?:accelerate|torchrun|deepspeed)$|/accelerate/commands/|/torch/distributed/(?:run|launch)\.py$"
    r"|/torch/distributed/(?:launcher|elastic)/|/deepspeed/launcher/"
)
_VIEWER_FILE: Final = re.compile(
    r"(?:^|/)(?:bin/(?:tensorboard|gpustat|nvitop)|tensorboard/(?:main|program)\.py|(?:gpustat|nvitop)/(?:__main__|cli)\.py)$"
)
_COMPUTING: Final = frozenset(
    {"ValueError", "IndexError", "KeyError", "TypeError", "RuntimeError", "ZeroDivisionError", "AssertionError"}
)
_IMPORTS: Final = re.compile(r"(?:import|from) \w")
_BOTTOM: Final = frozenset({"<module>", "_bootstrap", "_bootstrap_inner", "_run_module_as_main", "run_path", ""})


def place_of(traceback: Traceback) -> Place:
    """Where it was printed."""
    first = traceback.first
    return first.node, first.capture, first.source


def was_caught(traceback: Traceback) -> bool:
    """It begins where it was caught: what nobody catches unwinds the whole stack of its thread."""
    frames = traceback.final.frames
    return bool(frames) and frames[0].function not in _BOTTOM


def program_of(traceback: Traceback) -> str | None:
    """The program whose own lines it came down to; None where somebody caught it on the way, and in a thread."""
    frames = traceback.final.frames
    return Path(frames[0].file).name if frames and frames[0].function == "<module>" else None


def is_forked(traceback: Traceback) -> bool:
    """It was raised in a process that the program had started for a part of its work."""
    return any("multiprocessing" in frame.file for frame in traceback.final.frames)


def at_its_imports(traceback: Traceback) -> bool:
    """Nothing of the program ran but its imports, when it was raised."""
    bottom = next((frame for frame in traceback.final.frames if frame.function == "<module>"), None)
    return bottom is not None and _IMPORTS.match(bottom.code) is not None


def of_its_own(traceback: Traceback) -> bool:
    """An error of computing, raised by the job's own lines: no store, tracker or file that is used after training."""
    files = [frame.file for raised in traceback.chain for frame in raised.frames]
    own = not any("-packages/" in file or "/lib/python" in file for file in files)
    return own and traceback.final.exc_type in _COMPUTING


def is_launcher(traceback: Traceback) -> bool:
    """True when every frame is a launcher's, so that the process ran no code of the job."""
    frames = [frame for raised in traceback.chain for frame in raised.frames]
    return bool(frames) and all(_LAUNCHER_FILE.search(frame.file) for frame in frames)


def is_a_viewer(traceback: Traceback) -> bool:
    """True when it is of a program that only shows what a training does, as TensorBoard."""
    frames = traceback.chain[0].frames
    return bool(frames) and _VIEWER_FILE.search(frames[0].file) is not None
