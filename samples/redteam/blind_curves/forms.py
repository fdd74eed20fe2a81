"""How curves are kept: what each writer makes of rows of numbers. Nothing of it is read by the product's code."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Rows = list[dict[str, float]]
TRACKERS = (
    "/tmp/fw/env4/bin/python"  # where tensorboard and torch are installed; cases that need them are left out elsewhere
)


def plain(value: float) -> str:
    """A number of six digits, as most loops print it."""
    return str(int(value)) if float(value).is_integer() else f"{value:.6g}"


def table(
    folder: Path, name: str, rows: Rows, separator: str = ",", comma: bool = False, blank: Iterable[str] = ()
) -> None:
    """A CSV; with ``comma`` for the decimal point, as spreadsheets in half of Europe write it."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow(rows[0])
    for row in rows:
        cells = ["" if key in blank and math.isnan(value) else plain(value) for key, value in row.items()]
        writer.writerow([cell.replace(".", ",") for cell in cells] if comma else cells)
    (folder / name).write_text(out.getvalue())


def json_lines(folder: Path, name: str, rows: Rows, nest: str = "", nan: Any = math.nan, **fixed: Any) -> None:  # noqa: ANN401
    """JSON lines; ``nest`` puts everything but the step one level deeper, ``nan`` is what stands for NaN."""
    out = []
    for row in rows:
        clean = {key: (nan if isinstance(value, float) and math.isnan(value) else value) for key, value in row.items()}
        head = {key: clean.pop(key) for key in ("step", "time", "rank") if key in clean}
        out.append(json.dumps({**fixed, **head, **({nest: clean} if nest else clean)}))
    (folder / name).write_text("\n".join(out) + "\n")


def trainer_state(folder: Path, rows: Rows, max_steps: int, every: int) -> None:
    """Hugging Face's trainer_state.json in a checkpoint folder."""
    last = int(rows[-1]["step"])
    place = folder / f"checkpoint-{last}"
    place.mkdir()
    state = {
        "best_metric": None,
        "epoch": rows[-1].get("epoch", 1.0),
        "eval_steps": 500,
        "global_step": last,
        "is_local_process_zero": True,
        "log_history": rows,
        "logging_steps": every,
        "max_steps": max_steps,
        "num_train_epochs": 1,
        "save_steps": 500,
        "train_batch_size": 8,
        "trial_name": None,
    }
    (place / "trainer_state.json").write_text(json.dumps(state, indent=2))


def events(folder: Path, rows: Rows, start: float) -> None:
    """TensorBoard's event file, written by torch's own SummaryWriter."""
    script = """
import json, sys
from torch.utils.tensorboard import SummaryWriter
rows, start = json.load(sys.stdin)
w = SummaryWriter(sys.argv[1])
for r in rows:
    step = int(r.pop("step"))
    for k, v in r.items():
        w.add_scalar(k, float(v), step, walltime=start + step * 0.8)
w.close()
"""
    place = folder / "tb"
    subprocess.run(
        [TRACKERS, "-c", script, str(place)],
        input=json.dumps([rows, start]),
        text=True,
        check=True,
        capture_output=True,
    )


def wandb_run(folder: Path, rows: Rows) -> None:
    """A run that the real wandb kept offline."""
    script = """
import json, sys, os
os.environ.update(WANDB_MODE="offline", WANDB_DIR=sys.argv[1], WANDB_SILENT="true", WANDB_CONSOLE="off")
import wandb
run = wandb.init(project="p")
for r in json.load(sys.stdin):
    run.log({k: float(v) for k, v in r.items() if k != "step"}, step=int(r["step"]))
run.finish()
"""
    subprocess.run(
        [TRACKERS, "-c", script, str(folder)], input=json.dumps(rows), text=True, check=True, capture_output=True
    )


def wandb_panel(folder: Path, rows: Rows, key: str) -> None:
    """The CSV that a panel of wandb's site saves."""
    named = [
        {
            "Step": r["step"],
            f"sunny-oak-12 - {key}": r[key],
            f"sunny-oak-12 - {key}__MIN": r[key],
            f"sunny-oak-12 - {key}__MAX": r[key],
        }
        for r in rows
    ]
    table(folder, "wandb_export_2026-10-03T11_20_41.csv", named)


def mlflow_metric(folder: Path, rows: Rows, key: str, start: float) -> None:
    """MLflow's file store: one file a metric of ``time value step``."""
    place = folder / "mlruns" / "0" / "9f3ac0d1e2b84bd5a7c1" / "metrics"
    place.mkdir(parents=True)
    (place.parent / "meta.yaml").write_text(
        "artifact_uri: file:///mlruns/0\nend_time: null\nrun_id: 9f3ac0d1e2b84bd5a7c1\nrun_name: fit\nstatus: 3\n"
    )
    (place / key).write_text("".join(f"{int((start + r['step']) * 1000)} {r[key]!r} {int(r['step'])}\n" for r in rows))


def text(folder: Path, lines: Iterable[str], name: str = "out.log", end: str = "\n") -> None:
    """Lines of a log."""
    (folder / name).write_bytes(("".join(line + end for line in lines)).encode())


def have_trackers() -> bool:
    """Whether the real libraries that write event files are here."""
    return shutil.which(TRACKERS) is not None
