"""Leave a SIMULATED run behind as files: one attempt, or a parent and the child that should have gone on from it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from .ends import closing, failed_before, preamble, script
from .frames import PRINTERS
from .sim import begin, trace
from .tables import WRITERS

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    from samples.redteam.fifteenth.lot_data import Curve

    from .sim import Run


def _body(run: Run, rng: Random, place: Path) -> list[str]:
    """What the framework prints, its files written."""
    if run.framework in PRINTERS:
        return PRINTERS[run.framework](run, rng)
    return WRITERS[run.framework](run, rng, place)


def _log(place: Path, run: Run, lines: list[str], name: str = "") -> None:
    """Write the log of an attempt."""
    place.mkdir(parents=True, exist_ok=True)
    (place / (name or f"slurm-{run.job}.out")).write_text("\n".join(lines) + "\n", newline="")


_SAVERS: Final = {
    "megatron": "ckpt",
    "nemo": "results/default/gpt/checkpoints",
    "torchtitan": "outputs/checkpoint",
    "nanogpt": "out/ckpt.pt",
    "deepspeed": "out",
    "fairseq": "checkpoints/checkpoint_last.pt",
    "mmengine": "/work/dirs/rtmdet/last.pth",
}
"""Where checkpoints of frameworks lie that speak of them in their logs."""


def _saves(lines: list[str], count: int) -> list[str]:
    """A word on a checkpoint here and there."""
    each = max(2, len(lines) // count)
    return [
        part
        for k, line in enumerate(lines, 1)
        for part in ((line, "checkpoint written to out/checkpoint-last") if k % each == 0 else (line,))
    ]


def _twice(lot: Curve, rng: Random, place: Path, run: Run) -> None:
    """A parent that was ended from outside, and its child: begun anew in silence, or dead of the checkpoint."""
    cut = len(run.points) * rng.randrange(45, 70) // 100
    parent = replace(run, points=run.points[:cut], end="F3", truth="G1")
    tables = run.framework in WRITERS
    where_saved = _SAVERS.get(run.framework, "out/checkpoint-last")
    lines = _body(parent, rng, place / "first" if tables else place)
    if tables:
        lines += ["checkpoint written to out/checkpoint-last"] * 5
    elif run.framework not in _SAVERS:
        lines = _saves(lines, 6)
    _log(
        place / "first" if tables else place,
        parent,
        [*preamble(parent, rng, "--save-every 10%"), *lines, *closing(parent, rng)],
    )
    began = run.start + timedelta(seconds=parent.over + 30, minutes=rng.randrange(4, 90))
    child = replace(
        run,
        start=began,
        job=run.job + rng.randrange(3, 60),
        points=[],
        end="cut",
        truth="G1",
        note="fresh",
        done=max(run.every * 12, run.plan * rng.randrange(18, 40) // 100),
        host=run.host,
    )
    words = f"--resume {where_saved}"
    head = [f"# sbatch --dependency=afterany:{parent.job}", *preamble(child, rng, words)]
    where = place / "second" if tables else place
    if lot.truth == "E2 silent restart":
        trace(child, rng)
        _log(where, child, [*head, *_body(child, rng, where)])
        return
    lib = "/opt/conda/lib/python3.11/site-packages/torch"
    crash = rng.choice(
        (
            [
                f'  File "{lib}/nn/modules/module.py", line 2584, in load_state_dict',
                "    raise RuntimeError(",
                "RuntimeError: Error(s) in loading state_dict for Model:",
                "\tsize mismatch for head.weight: copying a param with shape torch.Size([1000, 768]) from checkpoint, the shape in current model is torch.Size([345, 768]).",
                "\tsize mismatch for head.bias: copying a param with shape torch.Size([1000]) from checkpoint, the shape in current model is torch.Size([345]).",
            ],
            [
                f'  File "{lib}/serialization.py", line 1487, in load',
                "    with _open_zipfile_reader(opened_file) as opened_zipfile:",
                "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory. This is an internal miniz error. See ATen/caffe2 for more.",
            ],
        )
    )
    trace_back = [
        "Traceback (most recent call last):",
        f'  File "/home/mira/proj/{script(run)}", line 118, in <module>',
        "    main()",
        f'  File "/home/mira/proj/{script(run)}", line 71, in main',
        "    restore(model, optimizer, args.resume)",
        *crash,
    ]
    _log(
        where,
        child,
        [
            *head,
            f"resuming from {where_saved}",
            *trace_back,
            f"srun: error: {child.host}: task 0: Exited with exit code 1",
        ],
    )


def leave(lot: Curve, rng: Random, place: Path) -> None:
    """Fill the folder of a case."""
    run = begin(lot, rng)
    if lot.truth.startswith("E2"):
        _twice(lot, rng, place, run)
        return
    if lot.trouble == "two attempts":
        first = failed_before(run, rng)
        _log(place, run, first, f"slurm-{run.job - 4}.out")
    lines = _body(run, rng, place)
    if run.framework in WRITERS and (run.end == "cut" or (not lines and run.end == "goodbye")):
        if run.end == "goodbye" and rng.random() < 0.7:
            (place / "rc").write_text("0\n")
        return
    _log(place, run, [*preamble(run, rng), *lines, *closing(run, rng)])
