"""The jobs by kind; importing this fills ``JOBS``."""

from __future__ import annotations

from typing import Final

from . import deaths, sound, twins, unusual, variants

LOADED: Final = (deaths, sound, twins, unusual, variants)
