"""Rates of loops whose lines are names and numbers in turn: no number is another's."""

from __future__ import annotations

import polars as pl
import pytest

from inquest.analyze.logs.plain_loops import _SAMPLES, _TOKENS
from inquest.analyze.logs.step_rows import first_number


@pytest.mark.parametrize(
    ("regex", "line", "rate"),
    [
        (_TOKENS, "step 10 loss 3.2 grad_norm 1.013 tokens/s 51234", 51234),
        (_TOKENS, "step 10 loss 3.2 gnorm 1.0 tokens/s 51,234 lr 3e-4", 51234),
        (_TOKENS, "step 10 loss 3.2 51234 tokens/s lr 0.1", 51234),
        (_TOKENS, "loss 3.2 51234 tokens/s 12.3 it/s", 51234),
        (_TOKENS, "tokens/s: 512", 512),
        (_SAMPLES, "loss 3.1 samples/s 44.1", 44.1),
        (_SAMPLES, "loss 3.1 44.1 samples/s eta 12:01", 44.1),
    ],
)
def test_whose_number_it_is(regex: str, line: str, rate: float) -> None:
    assert pl.DataFrame({"text": [line]}).select(first_number(regex, 3)).item() == rate
