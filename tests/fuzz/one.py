"""One target under atheris for some seconds: ``python -m tests.fuzz.one TARGET --seconds 60 --corpus DIR --out FILE``.

A broken rule does not end the run: its input is kept under the name of its signature and the search goes on. What
ends a process (a crash in native code, no memory, no answer) libFuzzer keeps as ``crash-*``, ``oom-*``, ``timeout-*``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import resource
import sys
from pathlib import Path

import atheris

MAX_INPUT = 64 << 10
DATA_LIMIT = 3 << 30


def main() -> None:
    """Fuzz."""
    parser = argparse.ArgumentParser()
    parser.add_argument("target")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--found", type=Path, required=True)
    parser.add_argument("--merge", type=Path, help="minimise into this folder instead of searching")
    options = parser.parse_args()

    from tests.fuzz.guard import Finding, Guard  # its libraries need no instrumentation

    with atheris.instrument_imports(include=["inquest", "sqlglot"]):
        from tests.fuzz.corpus import CORPUS
        from tests.fuzz.targets import load

        run, seeds = load(options.target)
        memory = Path("/dev/shm")
        guard = Guard(run, memory if memory.is_dir() else None)
        options.corpus.mkdir(parents=True, exist_ok=True)
        options.found.mkdir(parents=True, exist_ok=True)
        for seed in seeds():
            (options.corpus / hashlib.sha1(seed).hexdigest()).write_bytes(seed)
            _run_once(guard, seed, options.found, Finding)  # what is imported on the way is instrumented too

    resource.setrlimit(resource.RLIMIT_DATA, (DATA_LIMIT, DATA_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    flags = [
        sys.argv[0],
        f"-max_total_time={options.seconds}",
        f"-max_len={MAX_INPUT}",
        "-timeout=120",
        "-report_slow_units=1000",  # wall-clock time on a busy machine says little: the guard counts CPU time
        "-rss_limit_mb=2500",
        "-print_final_stats=1",
        f"-artifact_prefix={options.found}/",
    ]
    committed = [str(CORPUS / options.target)] if (CORPUS / options.target).is_dir() else []
    if options.merge:
        options.merge.mkdir(parents=True, exist_ok=True)
        flags += ["-merge=1", str(options.merge), str(options.corpus), *committed]
    else:
        flags += [str(options.corpus), *committed]
    atheris.Setup(flags, lambda data: _run_once(guard, data, options.found, Finding))
    atheris.Fuzz()


def _run_once(guard: object, data: bytes, found: Path, finding: type[Exception]) -> None:
    try:
        guard(data)
    except finding as error:
        kind = str(error).partition("\n")[0]
        name = found / f"finding-{hashlib.sha1(kind.encode()).hexdigest()[:12]}"
        if not name.exists() or len(data) < name.stat().st_size:
            name.write_bytes(data)
            name.with_suffix(".json").write_text(json.dumps({"kind": kind, "detail": str(error)[:2000]}))


if __name__ == "__main__":
    main()
