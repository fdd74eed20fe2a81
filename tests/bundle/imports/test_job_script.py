"""Batch scripts are read for what they ask of a scheduler; other scripts stay source code."""

from pathlib import Path
from typing import Any

import pytest

from inquest.bundle.imports.bundle import write
from inquest.bundle.imports.core import import_paths
from inquest.bundle.store import BundleStore

SLURM = """#!/bin/bash
#SBATCH -J tide3b -N 2 -t 1-12  # two nodes
#SBATCH --dependency=afterany:60318
#SBATCH -o logs/%x-%j.out
#SBATCH --requeue
##SBATCH --time=00:10:00
export TOKEN=hf_abcdefghijklmnopqrstuvwxyz0123456789
srun python train.py \\
  --resume auto
"""
PBS = (
    "#!/bin/bash\n#PBS -N stage2\n#PBS -l select=1:ngpus=4,walltime=02:30:00\n#PBS -W depend=afterok:881\npython t.py\n"
)
LSF = '#!/bin/sh\n#BSUB -J "reef"\n#BSUB -W 8:00\n#BSUB -oo reef.%J.log\n#BSUB -w ended(4412)\npython t.py\n'
SGE = "#!/bin/bash\n#$ -N glass\n#$ -l h_rt=7200\n#$ -hold_jid 119\npython t.py\n"
SUBMIT = "#!/bin/bash\nA=$(sbatch --parsable -J one t.sbatch)\nsbatch -J two --dependency=afterany:$A t.sbatch\n"


def scripts(path: Path, text: str) -> list[dict[str, Any]]:
    path.write_text(text)
    (path.parent / "train.log").write_text("step 1 loss 2.0\nstep 2 loss 1.9\n")
    write(import_paths([path.parent]), path.parent / "job.inquest")
    frame = BundleStore(path.parent / "job.inquest").scan("job_scripts").sort("seq").collect()
    return frame.select(
        "scheduler", "job_name", "stdout_path", "time_limit_s", "dependency", "may_requeue", "commands"
    ).to_dicts()


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.sbatch", SLURM, ("slurm", "tide3b", "logs/%x-%j.out", 36 * 3600, "afterany:60318")),
        ("a.pbs", PBS, ("pbs", "stage2", None, 9000, "afterok:881")),
        ("a.sh", LSF, ("lsf", "reef", "reef.%J.log", 8 * 3600, "ended(4412)")),
        ("a.sh", SGE, ("sge", "glass", None, 7200, "119")),
    ],
)
def test_directives_of_four_schedulers(tmp_path: Path, name: str, text: str, told: tuple[object, ...]) -> None:
    (row,) = scripts(tmp_path / name, text)
    assert tuple(row[c] for c in ("scheduler", "job_name", "stdout_path", "time_limit_s", "dependency")) == told
    assert "python t" in row["commands"]


def test_lines_that_go_on_are_one_and_secrets_are_masked(tmp_path: Path) -> None:
    (row,) = scripts(tmp_path / "job.sh", SLURM)
    assert row["may_requeue"] is True
    assert row["commands"].endswith("srun python train.py --resume auto")
    assert "hf_abc" not in row["commands"]


def test_a_script_that_hands_jobs_in_tells_of_each(tmp_path: Path) -> None:
    one, two = scripts(tmp_path / "submit.sh", SUBMIT)
    assert (one["job_name"], one["dependency"]) == ("one", None)
    assert (two["job_name"], two["dependency"]) == ("two", "afterany:$A")


@pytest.mark.parametrize(
    "text",
    [
        "#!/bin/bash\npython train.py --resume auto\n",
        "#!/bin/bash\n# sbatch this by hand\nset -e\n",
        "#!/bin/bash\nmake mysbatch_tool\n",
    ],
)
def test_other_scripts_are_source_code(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.sh").write_text(text)
    (tmp_path / "train.log").write_text("step 1 loss 2.0\nstep 2 loss 1.9\n")
    files = {file.name: file.reason for file in import_paths([tmp_path]).report.files}
    assert files["run.sh"] == "source code"
