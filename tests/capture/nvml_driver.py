"""Drive the NVML collector tick by tick, for tests: a line on stdin asks for a step, a line of JSON answers.

Runs as a process of its own, because NVML is loaded once a process and the stub is found through LD_LIBRARY_PATH.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inquest.capture.collector import Context, Missing
from inquest.capture.collectors.nvml import Nvml

if TYPE_CHECKING:
    from collections.abc import Iterable


def main() -> None:
    collector = Nvml()
    ctx = Context(Path("/tmp"), "n1", "boot", os.getpid(), time.monotonic_ns(), dict(os.environ))
    for line in sys.stdin:
        match line.split():
            case ["refused", what]:
                answer: Any = ctypes.CDLL("libnvidia-ml.so.1").stub_calls(what.encode())
            case ["holders"]:
                answer = {str(pid): uuids for pid, uuids in ctx.gpu_holders.items()}
            case [step]:
                answer = _tables(step, getattr(collector, step)(ctx))
        print(json.dumps(answer), flush=True)
    os._exit(0)


def _tables(step: str, batches: Iterable[tuple[str, list[dict[str, Any]]]]) -> Any:
    found: dict[str, list[dict[str, Any]]] = {}
    try:
        for table, rows in batches:
            found.setdefault(table, []).extend(rows)
    except Missing as error:
        return {"missing": str(error), "step": step}
    return found


if __name__ == "__main__":
    main()
