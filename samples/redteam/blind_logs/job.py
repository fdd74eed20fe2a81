"""What a job of this set is: a command that is really run, files beside it, and the truth, written before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Job:
    """One program.

    ``right`` lists the right answers, the one that was arranged first: a family, ``outside`` or ``-`` (abstain).
    ``status`` says how its exit status is handed over: ``told`` (``--exit-code``), ``withheld``, or the name of a file
    beside the log, written in the manner of ``status_text``. ``staged`` names what the script made up.
    """

    name: str
    right: str
    how: str
    command: str
    files: dict[str, str] = field(default_factory=dict)
    where: str = "torch"
    status: str = "told"
    status_text: str = "{}\n"
    staged: str = ""
    locale: str = ""
    cut: tuple[int | None, int | None] = (None, None)
    prefix: str = ""

    @property
    def answers(self) -> list[str]:
        """The right answers."""
        return self.right.split()


JOBS: Final[dict[str, Job]] = {}


def job(name: str, right: str, how: str, command: str, into: dict[str, Job] = JOBS, **more: object) -> None:
    """Put a job into a list; its script is ``train.py`` where ``script`` is given."""
    script = more.pop("script", None)
    files = dict(more.pop("files", {}))  # type: ignore[call-overload]
    if script is not None:
        files["train.py"] = script
    if name in into:
        raise ValueError(f"two jobs are called {name}")
    into[name] = Job(name, right, how, command, files=files, **more)  # type: ignore[arg-type]
