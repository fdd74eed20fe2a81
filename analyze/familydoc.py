"""Writes ``docs/families.md``: run ``python -m inquest.analyze.familydoc`` after changing a family or a threshold.

What a family needs and which thresholds are its own come from the code; how it is told from its neighbours is said
here.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from inquest.analyze.families import FAMILIES
from inquest.analyze.thresholds import THRESHOLDS

PATH: Final = Path(__file__).resolve().parent.parent / "docs" / "families.md"

_HEAD: Final = """# The eighteen families

<!-- Written by `python -m inquest.analyze.familydoc`: change it there, or in the family. -->

Each family judges the evidence for itself: ruled in, ruled out, or cannot decide, always with its reason and with what
would change it. Where it lacks what it needs, it says so; it does not guess. Which of several ruled-in families names
the run is decided by `analyze/arbiter.py`: the first initiating event, on the first rank that failed.

"Needs" is evidence without which the family says nothing (all of it); "any of" are stores of which one must be there;
"helps" makes it surer. A name is a table of the bundle ([format.md](format.md)), or one of: logs, exits (how processes
ended), steps (progress was reported), scheduler, kernel, gpus, host.
"""

NEIGHBOURS: Final = {
    "A1": "An exception that was handled, or that stands in a log of an attempt that was repeated and went "
    "well, is no crash. One that names memory of the GPU is B1, one raised while a checkpoint is loaded "
    "E2, one that says a peer did not come C2 or C1. After training began it is still A1, with sub_mode "
    "mid_run.",
    "A2": "A launcher prints SIGTERM and exit codes of ranks that it ended itself: these are consequences. The "
    "first death that nothing before it explains counts. Who sent it is told by the kernel's OOM line, "
    "the cgroup's counters, the probes on signals, the scheduler; else it stays open. If survivors then "
    "froze, the run is C2 with A2 first.",
    "B1": "The allocator's own words, in any framework. Host memory is A2. A request refused on a GPU that "
    "somebody else filled is still B1, and names the other process where it was seen.",
    "B2": "A counter that rose inside the run, or an XID of the hardware's classes, and an end that was not "
    "planned. A counter that was high before, and a health flag with clean counters, are warnings. XID "
    "13, 31, 43 and 45 are what a program does to a GPU, or a consequence.",
    "B3": "A severe reason (hardware slowdown, thermal, power brake), clocks down, and steps slower, all three. "
    "Idle clocks and the power cap of a cool GPU under load are how GPUs work.",
    "C1": "No rank did anything yet: no step, no launch, no communicator. A time-out after the first collective "
    "is C2. One rank that never started because it crashed is that crash.",
    "C2": "Progress was made, then stopped on every rank while the job was held. The culprit is who did not "
    "come, by flight recorder, counts of collectives, open calls, RAS, stacks or SM activity, in this "
    "order of weight. A peer that was killed first is the trigger in the chain. A time-out over a freeze "
    "is F3 behind it.",
    "C3": "One GPU, memory held, nothing launched. With several ranks it is C1 or C2. An empty log is not health.",
    "D1": "The GPU waits in gaps of a step's scale, and learning goes on. All ranks slow without gaps are D2, "
    "one slow rank is D3. Mild starvation is a warning; its cause and size need a baseline.",
    "D2": "Uniform over ranks: a save at nearly every step, a network that is slower than the work, or every "
    "launch waited for. GPUs look busy; their SMs are not.",
    "D3": "The slow rank does the work (its SMs are the busiest), the others wait in a collective. In C2 "
    "nothing moves; here it does. With a reason that was seen it names it: clocks (then B3), a narrow "
    "PCIe link, CPU time lost.",
    "E1": "By the curve itself: NaN or infinite, far above its start, a plateau that never fell, or a gradient "
    "and learning rate of zero. A spike that came back is a warning. A curve that fell is no E1 whatever "
    "a log calls it.",
    "E2": "A crash that names the checkpoint, or a run that was to continue and began anew: no sign of loading "
    "and a first loss far above the last of its parent (--parent).",
    "E3": "It ended as planned, after so few steps that nothing can be trained. Ratios over so few steps say "
    "nothing: D1 to D3 answer that they cannot decide.",
    "F1": "The scheduler says that a node of the allocation went down, when the run ended, and the others were "
    "well. Where none was asked, a node that fell silent in mid-work with all its exporters, while the others were "
    "sampled and computed no more. A GPU's health flag never rules it in.",
    "F2": "Several rows of accounting are one run: recovered (it went on, severity low), pending, or lost.",
    "F3": "The limit ended it while it advanced. If it stood still before, the freeze names the run; where nothing "
    "tells what it stood still for, nothing does.",
    "G1": "Work was done, the loss fell where one was told, it ended as planned, and no store that was captured "
    "says otherwise. What was not captured is named. Nothing but an absence of errors is cannot decide.",
}
"""How each is told from what looks like it."""

_SHARED: Final = {"D1": ("d",), "D2": ("d",), "D3": ("d",)}


def document() -> str:
    """The page, as Markdown."""
    out = [_HEAD]
    for family in FAMILIES:
        about = (sys.modules[type(family).__module__].__doc__ or "").strip().partition("\n\n")[0]
        out.append(f"## {family.id} {family.name}\n")
        out.append(_sentence(about.partition(": ")[2].replace("\n", " ")) + "\n")
        out.append(f"{NEIGHBOURS[family.id]}\n")
        asks = [("needs", family.needs), ("any of", family.any_of), ("helps", family.helps)]
        out.append("; ".join(f"{name}: {', '.join(what)}" for name, what in asks if what).capitalize() + ".\n")
        prefixes = (family.id.lower(), *_SHARED.get(family.id, ()))
        own = [row for name, row in THRESHOLDS.items() if name.partition(".")[0] in prefixes]
        if own:
            out.append("| threshold | value | reason | source |\n| --- | --- | --- | --- |")
            out += [
                f"| {row.name} | {row.value:g} {row.unit} | {_cell(row.reason)} | {_cell(row.source)} |" for row in own
            ]
            out.append("")
    return "\n".join(out).rstrip() + "\n"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> None:
    """Write the page."""
    PATH.write_text(document())


if __name__ == "__main__":
    main()
