"""Every threshold a verdict may rest on: one typed table, printed in the verdict where it was used.

Families read a value through ``Evidence.threshold(name)``. A number that decides and is not here is a bug.
"""

from __future__ import annotations

from typing import Final

from inquest.analyze.model import Threshold

_TABLE: Final = (
    Threshold(
        "confidence.decisive",
        0.85,
        "1",
        "ours; to be calibrated on labelled cases",
        "Weight of a store that holds a statement which can hardly be explained any other way.",
    ),
    Threshold(
        "confidence.circumstantial",
        0.45,
        "1",
        "ours; to be calibrated on labelled cases",
        "Weight of a store that only fits: alone it must stay below an even chance.",
    ),
    Threshold(
        "confidence.alone.A1",
        0.8,
        "1",
        "ours; to be calibrated on labelled cases",
        "A traceback that ended its process is the process's own testimony; a second store adds little to it.",
    ),
    Threshold(
        "confidence.alone.B1",
        0.8,
        "1",
        "ours; to be calibrated on labelled cases",
        "The allocator itself states the refused request and the memory it had.",
    ),
    Threshold(
        "confidence.per_missing_help",
        0.03,
        "1",
        "ours; to be calibrated on labelled cases",
        "Each kind of evidence that would have sharpened the answer and is absent leaves a little more room for error.",
    ),
    Threshold(
        "confidence.unordered_rival",
        0.6,
        "1",
        "ours; to be calibrated on labelled cases",
        "Cap where another unrelated finding may have come first and no clock orders the two.",
    ),
    Threshold(
        "confidence.one_store_cap",
        0.7,
        "1",
        "design.md, analyze/",
        "Two independent stores can hardly be wrong in the same way; one alone can.",
    ),
    Threshold(
        "stall.cadence_factor",
        10,
        "1",
        "ours; a stall is judged by the job's own cadence (issue 5)",
        "A save or an evaluation takes several steps' time; ten usual steps without a word are no pause.",
    ),
    Threshold(
        "stall.least_silence",
        60,
        "s",
        "ours",
        "Shorter silences happen in tear-down, compilation and slow storage.",
    ),
    Threshold(
        "b3.throttled_share",
        0.1,
        "1",
        "ours",
        "A slowdown in fewer samples cannot have shaped the run.",
    ),
    Threshold(
        "b3.clock_drop",
        0.1,
        "1",
        "ours",
        "Clocks vary by a few percent in normal work.",
    ),
    Threshold(
        "b3.step_ratio",
        1.15,
        "1",
        "ours",
        "Step times vary; a loss below this is not worth a finding.",
    ),
    Threshold(
        "c3.idle_engine",
        0.01,
        "1",
        "design.md, families: zero launches sustained",
        "An idle GPU reads 0; one sample may catch another process.",
    ),
    Threshold(
        "c3.resident_memory",
        2**28,
        "bytes",
        "ours; a CUDA context alone takes about this",
        "Less means that the job never put anything on the GPU.",
    ),
    Threshold(
        "d.least_steps",
        20,
        "steps",
        "design.md, families: ratios over few steps are degenerate",
        "Warm-up and compilation fill the first steps.",
    ),
    Threshold(
        "d1.engine_severe",
        0.1,
        "1",
        "design.md, families: near-zero engine while launching",
        "Above it the GPU does a noticeable part of its work.",
    ),
    Threshold(
        "d1.engine_mild",
        0.6,
        "1",
        "issue 5: SM below 60 % for 60 s is an alert",
        "Worth a warning, not a finding.",
    ),
    Threshold(
        "d2.sm_collapsed",
        0.15,
        "1",
        "design.md, families: engine near 1.0 with SM near 0.1",
        "Training keeps SMs well above this unless it waits.",
    ),
    Threshold(
        "d2.engine_busy",
        0.8,
        "1",
        "design.md, families: engine near 1.0",
        "A spinning collective kernel keeps the engine busy.",
    ),
    Threshold(
        "d2.saves_per_step",
        0.5,
        "1",
        "design.md, families: a save at nearly every step",
        "Saves are meant to be rare against steps.",
    ),
    Threshold(
        "d3.sm_apart",
        0.2,
        "1",
        "design.md, families: 0.55 against a median of 0.16",
        "Peers of one job differ by a few hundredths.",
    ),
    Threshold(
        "e1.least_losses",
        5,
        "reports",
        "ours",
        "A rise over fewer reports may be noise.",
    ),
    Threshold(
        "e1.divergence_factor",
        3,
        "1",
        "ours",
        "Noise and warm-up stay far below three times the first losses.",
    ),
    Threshold(
        "e1.divergence_rise",
        0.5,
        "1",
        "ours",
        "Objectives near zero (GRPO) vary by any factor and mean nothing by it.",
    ),
    Threshold(
        "e1.least_third",
        8,
        "reports",
        "ours",
        "With fewer reports in a third, chance alone separates first and last third too often.",
    ),
    Threshold(
        "e1.recovering_share",
        0.6,
        "1",
        "ours",
        "A loss that fell steadily to this share of its peak is on its way down, whatever made it rise.",
    ),
    Threshold(
        "e1.plateau_losses",
        50,
        "reports",
        "ours",
        "A plateau needs time to show.",
    ),
    Threshold(
        "e1.plateau_spread",
        0.01,
        "1",
        "ours",
        "A curve that moves more than this is alive.",
    ),
    Threshold(
        "e1.plateau_level",
        0.1,
        "1",
        "ours",
        "A loss below this may have nothing left to fall, or too few printed digits to show that it does.",
    ),
    Threshold(
        "e1.dead_gradient",
        1e-06,
        "1",
        "ours",
        "A median gradient norm at rounding level moves no weight.",
    ),
    Threshold(
        "e1.dead_rate",
        1e-12,
        "1",
        "ours",
        "No optimizer moves weights at this rate.",
    ),
    Threshold(
        "e3.few_steps",
        5,
        "steps",
        "design.md, families: the step count is the headline",
        "A run of so few steps was a trial, whatever it was meant to be.",
    ),
    Threshold(
        "f1.near_end",
        600,
        "s",
        "Slurm's default SlurmdTimeout is 300 s",
        "The controller marks a node down some minutes after it fell silent.",
    ),
    Threshold(
        "g1.guessing_loss",
        9,
        "1",
        "cross entropy of a uniform guess is ln(vocabulary); vocabularies of 8000 tokens and more are usual",
        "A language model that ends there has learned nothing that can be told from its loss.",
    ),
)

THRESHOLDS: Final[dict[str, Threshold]] = {row.name: row for row in _TABLE}
"""The table by name; names are ``<family or part>.<what>``, lower case."""
