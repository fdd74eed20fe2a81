"""The jobs by kind; importing this fills ``REAL`` and ``LYING``."""

from __future__ import annotations

from typing import Final

from . import frameworks, launched, lies, lying_twins, more_lies, second, single, sites, third

LOADED: Final = (frameworks, launched, lies, lying_twins, more_lies, second, single, sites, third)
