"""How a run that went well came to its end, or what it got over, in many wordings, told by every voice.

Scenarios are about courses; these are about words: `score --endings` lays each ending, its wording drawn by lot, below
what a voice tells of a run. What the wordings are was written by who writes the reader: it is a check, and no blind one.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from .scenarios import SCENARIOS, Told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .run import Run, Voice

    Words = Callable[[random.Random], list[str]]


def _raised(rng: random.Random, *error: str, caught: bool = False) -> list[str]:
    """A traceback; of one that was caught, from the function that did so on."""
    user = rng.randint(10, 99)
    outer = [f'  File "/home/u{user}/proj/loop.py", line {rng.randint(40, 400)}, in <module>', "    main()"]
    inner = [f'  File "/home/u{user}/proj/loop.py", line {rng.randint(40, 400)}, in hook', "    out = self.write(x)"]
    return ["Traceback (most recent call last):", *([] if caught else outer), *inner, *error]


def _lines(*lines: str) -> Words:
    return lambda _: list(lines)


def _error(*error: str) -> Words:
    return lambda rng: _raised(rng, *error)


_GOT_OVER: Final = (
    ("could not reach the metrics server, will try again later", ""),
    ("failed to write preview image, skipping it", "OSError: cannot write mode F as PNG"),
    ("sample 18211 is corrupt, ignored", "PIL.UnidentifiedImageError: cannot identify image file '/data/18211.jpg'"),
    ("cache is stale; rebuilding", "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/cache/index.bin'"),
    ("could not import apex, using the native one", "ModuleNotFoundError: No module named 'apex'"),
    ("unable to read GPU temperature", "pynvml.NVMLError_NotSupported: Not Supported"),
    (
        "slack notification was not delivered",
        "urllib.error.URLError: <urlopen error [Errno -2] Name or service not known>",
    ),
    ("validation image panel failed", "ValueError: operands could not be broadcast together with shapes (3,4) (4,4)"),
    (
        "git hash not available",
        "subprocess.CalledProcessError: Command '['git', 'rev-parse', 'HEAD']' returned non-zero exit status 128.",
    ),
    ("Konnte Vorschaubild nicht schreiben, weiter ohne", "OSError: [Errno 13] Permission denied: '/srv/v/0001.png'"),
    ("échec de l'envoi du rapport, on continue", ""),
    ("no se pudo abrir el visor, se sigue sin él", "_tkinter.TclError: no display name and no $DISPLAY variable"),
    ("shard 00031.tar broken; moving on to the next", "tarfile.ReadError: unexpected end of data"),
    ("evaluation hook raised, disabled", "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'"),
    (
        "CUDA out of memory in the sanity check; falling back to batch size 16",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 79.15 GiB"
        " of which 1.31 GiB is free.",
    ),
)
_LEVELS: Final = ("{}", "ERROR {}", "[ERROR] {}", "ERROR:root:{}", "error: {}", "WARNING: {}", "!! {}", "*** {}")
_BY_A_PERSON: Final[tuple[Words, ...]] = (
    lambda rng: ["^C" + _raised(rng)[0], *_raised(rng, "KeyboardInterrupt")[1:]],
    _error("KeyboardInterrupt"),
    _lines("^CInterrupted."),
    _lines("Interrupted by user"),
    _lines("KeyboardInterrupt received, saving checkpoint to runs/last.pt", "saved"),
    _lines("Training interrupted by user (Ctrl+C).", "Model saved to out/interrupted.pt"),
    _lines("Abgebrochen durch Benutzer, letzter Stand gesichert."),
    _lines("^C", "Arrêt demandé par l'utilisateur, sauvegarde..."),
    _lines("用户中断训练，正在保存模型"),
    _lines("", "Aborted!"),
    _lines("caught SIGINT, finishing the current batch and leaving", "state written to ckpt/stop.pt"),
    _lines("[!] Ctrl-C pressed - stopping", "bye"),
    _lines("interrupted at user request"),
    _lines("Stop requested from the keyboard; best model is kept."),
)
_KILLED: Final[tuple[Words, ...]] = (
    _lines("Segmentation fault (core dumped)"),
    _lines("terminate called after throwing an instance of 'std::bad_alloc'", "Aborted (core dumped)"),
    _lines("free(): invalid pointer", "Aborted (core dumped)"),
    _lines(
        "slurmstepd: error: Detected 1 oom_kill event in StepId=771.batch. Some of the step tasks have been OOM Killed."
    ),
    _error("RuntimeError: DataLoader worker (pid 4413) is killed by signal: Killed. "),
    _lines("Bus error (core dumped)"),
)
_OF_HARDWARE: Final[tuple[Words, ...]] = (
    _error("torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered"),
    lambda rng: [
        *_raised(rng, "RuntimeError: CUDA error: unspecified launch failure"),
        "[7611.112233] NVRM: Xid (PCI:0000:1b:00): 94, pid=4112, name=python, Contained: SM (0x1). RST: No, D-RST: No",
    ],
    _error("pynvml.NVMLError_GpuIsLost: GPU is lost"),
)
_OF_MEMORY: Final[tuple[Words, ...]] = (
    _error("RuntimeError: CUDA error: out of memory"),
    _error(
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes."
    ),
    _error(
        "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,589,934,592 bytes (allocated so far: 33,285 bytes)."
    ),
    _lines(
        "terminate called after throwing an instance of 'thrust::system::system_error'",
        "  what():  parallel_for failed: cudaErrorMemoryAllocation: out of memory",
        "Aborted (core dumped)",
    ),
)
_NEAR: Final = (
    "Press Ctrl-C to stop at any time; the last checkpoint is kept.",
    "If interrupted by the user, the run can be resumed with --resume.",
    "last run was interrupted by user at step 400",
    "signal handlers registered: SIGINT, SIGTERM",
    "warning: process killed by user quota daemon last week (see wiki)",
    "jobs of this queue may be preempted by a job of higher priority",
)
_NAN: Final[tuple[Words, ...]] = (
    _error("ValueError: loss is nan, stopping"),
    _lines("Loss is nan, stopping training"),
    _error("FloatingPointError: non-finite loss"),
    _lines("ERROR Verlust ist NaN, Abbruch"),
)


class Ending(NamedTuple):
    """What a voice must tell, what is right, the course, what becomes of its lines, and the statuses it may leave."""

    needs: tuple[str, ...]
    right: tuple[str, ...]
    course: str
    end: Callable[[list[str], random.Random], list[str]]
    statuses: tuple[int | None, ...]


def _got_over(rng: random.Random) -> list[str]:
    words, error = rng.choice(_GOT_OVER)
    head = rng.choice(_LEVELS).format(words)
    if not error:
        return [head]
    told = _raised(rng, error, caught=rng.random() < _CAUGHT)
    return [head, *told] if rng.random() < _ABOVE else [*told, head]


_CAUGHT: Final = 0.8
_ABOVE: Final = 0.6


def _with(lines: list[str], rng: random.Random, many: int) -> list[str]:
    """``lines`` with errors that were got over between them, from an eighth to two thirds of the way."""
    places = sorted(rng.randint(max(1, len(lines) // 8), max(2, len(lines) * 2 // 3)) for _ in range(many))
    out: list[str] = []
    for number, line in enumerate(lines):
        out += [each for place in places if place == number for each in _got_over(rng)]
        out.append(line)
    return out


def _drawn(choices: Sequence[Words]) -> Callable[[list[str], random.Random], list[str]]:
    return lambda lines, rng: [*lines, *rng.choice(choices)(rng)]


ENDINGS: Final = {
    "got over, healthy": Ending(
        ("loss|eval|score", "end"), ("G1",), "healthy", lambda lines, rng: _with(lines, rng, 1), (None, 0)
    ),
    "got over thrice, healthy": Ending(
        ("loss|eval|score", "end"), ("G1",), "healthy", lambda lines, rng: _with(lines, rng, 3), (None, 0)
    ),
    "got over, killed": Ending(("loss",), ("A2",), "cut", lambda lines, rng: _with(lines, rng, 1), (137,)),
    "got over, cut": Ending(("loss",), ("-",), "cut", lambda lines, rng: _with(lines, rng, 1), (None,)),
    "got over, memory": Ending(
        ("loss",), ("B1",), "cut", lambda lines, rng: [*_with(lines, rng, 1), *_OF_MEMORY[0](rng)], (None, 1)
    ),
    "by a person": Ending(("loss",), ("outside",), "cut", _drawn(_BY_A_PERSON), (None, 1, 130)),
    "killed in words": Ending(("loss",), ("A2",), "cut", _drawn(_KILLED), (None,)),
    "hardware": Ending(("loss",), ("B2",), "cut", _drawn(_OF_HARDWARE), (None, 1)),
    "memory": Ending(("loss",), ("B1",), "cut", _drawn(_OF_MEMORY), (None, 1)),
    "NaN in words": Ending(("loss",), ("E1",), "nan", _drawn(_NAN), (None, 1)),
    "near words, healthy": Ending(
        ("loss|eval|score", "end"),
        ("G1",),
        "healthy",
        lambda lines, rng: [*lines[:1], rng.choice(_NEAR), *lines[1:]],
        (None, 0),
    ),
    "near words, cut": Ending(
        ("loss",), ("-",), "cut", lambda lines, rng: [*lines[:1], rng.choice(_NEAR), *lines[1:]], (None,)
    ),
}


def _stopped_at_nan(run: Run) -> Run:
    """The same, ended three reports after its loss went."""
    gone = next((number for number, report in enumerate(run.reports) if not math.isfinite(report.loss)), None)
    if gone is None:
        return run
    last = run.reports[min(gone + 2, len(run.reports) - 1)].at
    return replace(run, events=tuple(event for event in run.events if event.at <= last), finished=False)


def endings(voices: dict[str, Voice], seed: int) -> Iterator[tuple[str, Told]]:
    """Each ending in each voice that can tell what it takes, as ``VOICE/ENDING``."""
    for name, voice in voices.items():
        for what, ending in ENDINGS.items():
            if not all(voice.tells & set(needs.split("|")) for needs in ending.needs):
                continue
            rng = random.Random(f"{seed} {name} {what}")
            run = SCENARIOS[ending.course].make(rng)
            lines = ending.end(list(voice.tell(_stopped_at_nan(run) if ending.course == "nan" else run)), rng)
            yield f"{name}/{what}", Told("\n".join(lines) + "\n", rng.choice(ending.statuses), ending.right)
