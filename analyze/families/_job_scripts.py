"""What batch scripts, handed over beside the logs, tell of a chain of jobs: who waits for whom, and who is to go on.

A script says what was asked for, never what happened. Other jobs wait for a training as well (an evaluation, a copy):
a script makes a link of a chain only where one of them asks a program to go on from a state.
"""

from __future__ import annotations

import glob
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence


class Script(NamedTuple):
    """A job as a script asks for it; see the table ``job_scripts``."""

    job_name: str | None
    stdout_path: str | None
    dependency: str | None
    commands: str

    @property
    def waits_for(self) -> frozenset[str]:
        """The numbers of the jobs that it waits for, where they are told."""
        return frozenset(re.findall(r"(?<![\w$])\d{2,18}(?!\w)", self.dependency or ""))

    def prints_to(self, name: str) -> bool:
        """Whether a log of this ``name`` can be its output; a script that names no file prints to any."""
        if self.stdout_path is None:
            return self.job_name is None or self.job_name in name
        named = self.stdout_path.rpartition("/")[2].replace("%x", self.job_name or "%x")
        return fnmatchcase(name, glob.escape(_HELD.sub("\0", named)).replace("\0", "*"))


def scripts(ev: Evidence) -> tuple[Script, ...]:
    """The jobs that scripts ask for, in the order of the scripts."""
    if not ev.has("job_scripts"):
        return ()
    rows = ev.frame("job_scripts").sort("source", "seq").select("job_name", "stdout_path", "dependency", "commands")
    return tuple(Script(name, path, waits, commands or "") for name, path, waits, commands in rows.iter_rows())


def to_resume(ev: Evidence) -> bool:
    """Whether a script asks a program to go on from a state."""
    return any(_RESUMES.search(script.commands) for script in scripts(ev))


def chained(ev: Evidence) -> bool:
    """Whether by the scripts a job waits for another one, and is to go on from a state."""
    return to_resume(ev) and any(script.dependency for script in scripts(ev))


def in_a_chain(ev: Evidence) -> bool:
    """Whether by a script a job waits for another one, whatever it does then."""
    return any(script.dependency for script in scripts(ev))


def follows(ev: Evidence, before: tuple[str, int], after: tuple[str, int]) -> bool:
    """Whether by the scripts the job of the log ``after`` waits for that of ``before``: name and number of each."""
    if before[1] >= after[1] or not to_resume(ev):
        return False
    told = scripts(ev)
    for script in told:
        if not script.dependency or not script.prints_to(after[0]):
            continue
        if script.waits_for:
            if str(before[1]) in script.waits_for:
                return True
        # Which job it is that the shell's variable holds, names tell: that of the log, or of another job of the script.
        elif _masked(before[0]) == _masked(after[0]) or any(
            each.job_name and each.job_name != script.job_name and each.prints_to(before[0]) for each in told
        ):
            return True
    return False


_HELD: Final = re.compile(r"%\d{0,2}\w|\$\{?\w{1,30}\}?")
"""What the scheduler or the shell puts in: ``%j``, ``%4t``, ``$PBS_JOBID``."""


def _masked(name: str) -> str:
    return re.sub(r"\d+", "#", name)


_RESUMES: Final = re.compile(
    r"(?i)(?:--?[\w-]{0,20}(?:resum|restor|continue|load[-_]?(?:ckpt|checkpoint|state|last|latest)|retom|reanud|reprend"
    r"|reprise|riprend|fortsetz|weiter)[\w-]{0,24}"
    r"(?:[= ]['\"]?(?!(?:none|null|false|no|off|0|never)\b)[^\s-]|\s*$|\s+-)"
    r"|(?<![\w$])RESUME\w{0,20}=(?!(?:0|false|no|none|never)\b)\S)",
    re.MULTILINE,
)
"""An option, or a variable, by which a program is told to go on: ``--resume auto``, ``--retomar ultimo``."""
