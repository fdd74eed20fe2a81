"""Vitals as lines for people: what belongs together stands in one line, with its unit."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from inquest.render.wording import duration, number, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inquest.analyze.model import Claim, Verdict

_LONGEST: Final = 200
_UUID: Final = re.compile(r"\b(?:GPU|MIG)-[0-9a-fA-F][0-9a-fA-F-]{6,}")


@dataclass(frozen=True, slots=True)
class Line:
    """One line: ``text`` is the reading, ``more`` puts it in place."""

    label: str
    text: str
    more: str = ""


def lines(verdict: Verdict, indices: Mapping[str, int] | None = None) -> list[Line]:
    """The vitals that were measured and the GPU-hours, in one fixed order; empty where there are none.

    ``indices``: what GPUs are called on their nodes, by UUID; a reader knows them by that in every other picture.
    """
    v, waste = verdict.vitals, verdict.waste
    parts = ("data", "forward", "backward", "optimizer", "communication")
    drawn = (
        Line("Step time", _told(v.step_time), _told(v.step_time_spread, "quartiles {} apart")),
        Line("Progress reported", _told(v.report_time, "every {}"), "steps are not numbered"),
        Line("Samples a second", *_change(v.samples_per_s_first, v.samples_per_s_last)),
        Line("Tokens a second", *_change(v.tokens_per_s_first, v.tokens_per_s_last)),
        Line("MFU", _told(v.mfu), "35% to 45% is typical"),
        Line("Step made of", _all(*(_told(getattr(v, f"share_{part}"), f"{part} {{}}") for part in parts)), "profiled"),
        Line(
            "Validation loss",
            _all(_told(v.eval_loss_first), _told(v.eval_loss_last), joint=" to "),
            _told(v.eval_loss_best, "best {}"),
        ),
        Line(
            "Checkpoints",
            _told(v.checkpoints),
            _all(
                _told(v.checkpoint_every_steps, "every {} steps"),
                _told(v.checkpoint_every, "{} apart"),
                _told(v.checkpoint_duration, "{} each"),
                _told(v.checkpoint_last, "last {}"),
            ),
        ),
        Line("GPU engine active", _told(v.engine, "{} (median)"), _range(v.engine_lowest, v.engine_highest)),
        Line(
            "SMs active",
            _told(v.sm, "{} (median)"),
            _all(
                _range(v.sm_lowest, v.sm_highest),
                _told(v.sm_below, "below 60% in {} of minutes"),
                _told(v.sm_above, "above 80% in {}"),
            ),
        ),
        Line("GPU memory, peak", _told(v.gpu_memory_peak), _after(v.gpu_memory_peak)),
        Line("GPU memory grew", _told(v.gpu_memory_growth, "{} GiB an hour"), _after(v.gpu_memory_growth)),
        Line("Host memory grew", _told(v.host_memory_growth, "{} GiB an hour"), _after(v.host_memory_growth)),
        Line("Temperature, highest", _told(v.temperature, "{} C"), _after(v.temperature)),
        Line("Energy", _told(v.energy, "{} kWh"), _after(v.energy, "GPUs")),
        Line(
            "GPU-hours",
            _hours(waste.gpu_hours_held, "{} held"),
            _all(_hours(waste.gpu_hours_productive, "{} productive"), _hours(waste.gpu_hours_lost, "{} lost")),
        ),
    )
    return [_short(line, indices or {}) for line in drawn if line.text]


def _short(line: Line, indices: Mapping[str, int]) -> Line:
    found = dict.fromkeys(_UUID.findall(line.more))
    more = line.more
    for uuid in found:
        more = more.replace(f"GPU {uuid}", f"GPU {indices[uuid]}") if uuid in indices else more
    return replace(line, more=more)


def _told(claim: Claim | None, words: str = "{}") -> str:
    """A reading in ``words``; empty where there is none. A share is shown in percent."""
    if claim is None or claim.value is None:
        return ""
    value = claim.value
    if isinstance(value, str | bool):
        return words.format(one_line(str(value), _LONGEST))
    if claim.unit == "1":
        return words.format(f"{value:.0%}")
    return words.format(duration(value * 10**9) if claim.unit == "s" else number(value))


def _change(first: Claim | None, last: Claim | None) -> tuple[str, str]:
    """Two readings of a rate, and what they are of."""
    return _all(_told(first), _told(last), joint=" to "), "first to last third of the reports"


def _range(lowest: Claim | None, highest: Claim | None) -> str:
    ends = (f"{_told(claim)} on {_after(claim)}" for claim in (lowest, highest) if claim is not None)
    return _all(*ends, joint=" to ")


def _after(claim: Claim | None, mark: str = ": ") -> str:
    """What the text of a claim names behind ``mark``: a GPU, a node, a method."""
    return "" if claim is None else one_line(claim.text.partition(mark)[2], _LONGEST).lstrip(", ")


def _hours(value: float | None, words: str) -> str:
    return "" if value is None else words.format(number(value))


def _all(*parts: str, joint: str = ", ") -> str:
    return joint.join(part for part in parts if part)
