"""Records the wrapped programs of share pa: python -m samples.redteam.thirtyfourth.wrapped.record_pa OUT [CASE...]."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
INQUEST = "/work/main/.venv/bin/inquest"
PY = "/tmp/pv/bin/python"
CASES = {"p04_yield": ("wheat", "fit_yield.py"), "p10_flow": ("channel", "train_ddp.py")}


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    for case, (project, name) in CASES.items():
        if len(sys.argv) > 2 and case not in sys.argv[2:]:
            continue
        d = Path("/tmp/bu_pa/job") / project
        shutil.rmtree(d, ignore_errors=True)
        d.mkdir(parents=True)
        shutil.copy(HERE / "programs" / f"{case}.py", d / name)
        to = out / "wrapped" / case
        shutil.rmtree(to, ignore_errors=True)
        to.parent.mkdir(parents=True, exist_ok=True)
        more = {"OMP_NUM_THREADS": "1"}
        p = subprocess.run(
            [INQUEST, "run", "--out", str(to), "--", PY, name], cwd=d, env={**os.environ, **more}, check=False
        )
        print(case, p.returncode, flush=True)


if __name__ == "__main__":
    main()
