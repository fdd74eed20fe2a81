"""What a monitor's own name for a reading of a GPU means: ``power.draw [W]``, ``gpu_util_pct``, ``Leistung_W``.

Where the name or a field beside it tells the unit, that decides. Where none does, the number may: no GPU draws
two kilowatts, and none runs at a hundred megahertz and less than a hundred at once. What stays open is left out.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_PREFIX: Final = re.compile(r"(?:(?:nvidia_smi|gpu_nvidia|nvidia|nvml_device|nvml|dcgm|gpus?|device|card|karte)_)+")
"""Who tells it, and that it is of a GPU: beside the name of a quantity it says no more."""
_WORDS: Final = (
    (
        "DCGM_FI_DEV_GPU_UTIL",
        r"(?:gpu_)?(?:util(?:i[sz]ation)?|usage|busy|load|active|gpuactive|gr_engine_active|engine_active|duty_cycle)"
        r"|(?:gpu_)?(?:auslastung|uso|utilizacion|utilizacao|utilizzo|charge|occupation)"
        r"|percent_gpu_used|gpu_used|util(?:i[sz]ation)?_gpu",
    ),
    ("DCGM_FI_PROF_SM_ACTIVE", r"(?:prof_)?sm_?(?:act(?:ive|ivity)?|aktiv|activo|actif)"),
    (
        "DCGM_FI_DEV_FB_USED",
        r"(?:fb|frame_?buffer|mem(?:ory)?|vram|speicher|memoria|memoire)(?:_memory|_fb)?"
        r"(?:_?(?:used|usage|in_use|allocated|alloc|belegt|usada|utilisee)){0,2}",
    ),
    (
        "DCGM_FI_DEV_POWER_USAGE",
        r"(?:board_)?(?:power|leistung|potencia|puissance|potenza|watts?)(?:_(?:draw|usage|consumption))?",
    ),
    ("DCGM_FI_DEV_GPU_TEMP", r"(?:core_)?temp(?:erature?|eratura|érature)?(?:_gpu|_core)?"),
    (
        "DCGM_FI_DEV_SM_CLOCK",
        r"(?:sm|graphics|core)_?(?:clocks?|clk|freq(?:uency)?|takt)|takt"
        r"|(?:clocks?|freq(?:uency)?)(?:_(?:freq|speed|current))?_(?:sm|graphics|multiprocessor)|multiprocessor_frequency",
    ),
    ("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", r"(?:clocks?_)?(?:throttl\w{0,5}|event)_(?:reasons?|bits|mask)(?:_active)?"),
    ("DCGM_FI_DEV_XID_ERRORS", r"(?:errors?_)?xid(?:_errors?)?(?:_last)?"),
    ("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", r"ecc_(?:dbe|uncorrected|double_bit)(?:_errors?)?(?:_vol(?:atile)?)?(?:_total)?"),
)
"""Quantities by what they are called, under DCGM's name."""
_PATTERNS: Final = tuple((metric, re.compile(rf"(?:{words})(?:_([a-z_]{{1,16}}))?")) for metric, words in _WORDS)
_BARE: Final = tuple((metric, re.compile(words)) for metric, words in _WORDS)
_UNITS: Final[dict[str, dict[str, float]]] = {
    "DCGM_FI_DEV_GPU_UTIL": {
        **dict.fromkeys(("pct", "percent", "perc", "percentage", "prozent"), 1.0),
        **dict.fromkeys(("ratio", "frac", "fraction", "share"), 100.0),
    },
    "DCGM_FI_PROF_SM_ACTIVE": {
        **dict.fromkeys(("pct", "percent", "perc", "percentage", "prozent"), 0.01),
        **dict.fromkeys(("ratio", "frac", "fraction", "share"), 1.0),
    },
    "DCGM_FI_DEV_FB_USED": {
        **dict.fromkeys(("mib", "mebibyte", "mebibytes"), 1.0),
        **dict.fromkeys(("gib", "gibibyte", "gibibytes"), 1024.0),
        **dict.fromkeys(("mb", "megabyte", "megabytes"), 1e6 / 2**20),
        **dict.fromkeys(("gb", "gigabyte", "gigabytes"), 1e9 / 2**20),
        **dict.fromkeys(("b", "byte", "bytes"), 2.0**-20),
    },
    "DCGM_FI_DEV_POWER_USAGE": {
        **dict.fromkeys(("w", "watt", "watts"), 1.0),
        **dict.fromkeys(("mw", "milliwatt", "milliwatts"), 1e-3),
    },
    "DCGM_FI_DEV_GPU_TEMP": dict.fromkeys(("c", "celsius", "deg_c", "degc", "degree_celsius", "degrees_celsius"), 1.0),
    "DCGM_FI_DEV_SM_CLOCK": {
        **dict.fromkeys(("mhz", "megahertz"), 1.0),
        **dict.fromkeys(("ghz", "gigahertz"), 1e3),
        **dict.fromkeys(("hz", "hertz"), 1e-6),
    },
}
"""What a number of a unit is multiplied with to be in DCGM's."""
_SHARES: Final = frozenset({"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_SM_ACTIVE"})
_MORE_THAN_ALL: Final = 1.5
_MILLIWATTS_FROM: Final = 2000.0
"""No GPU draws two kilowatts, and none lives on two watts."""
_BYTES_FROM: Final = 1e6
_MHZ: Final = (100.0, 5000.0)
_HZ_FROM: Final = 1e8
_HEAT: Final = (5.0, 120.0)


class Word(NamedTuple):
    """The metric a name stands for; ``scale`` is None where no unit was told."""

    metric: str
    scale: float | None


def plain(name: str) -> str:
    """A name in lower case, with its unit behind it: ``GPU util [%]`` is ``gpu_util_pct``."""
    return re.sub(r"[\W_]+", "_", name.lower().replace("%", " pct ")).strip("_")


def word(name: str, unit: str = "") -> Word | None:
    """What a name means; None for what is no reading of a GPU that is known."""
    called = plain(name)
    for short in dict.fromkeys((called, _PREFIX.sub("", called, count=1) if _PREFIX.match(called) else called)):
        for metric, pattern in _BARE:
            if pattern.fullmatch(short) is not None:
                units = _UNITS.get(metric)
                told = plain(unit)
                if units is None or not told or told == "bits":
                    return Word(metric, None)
                return Word(metric, units[told]) if told in units else None
        for metric, pattern in _PATTERNS:
            found = pattern.fullmatch(short)
            if found is not None and (scale := _UNITS.get(metric, {}).get(found[1] or "")) is not None:
                return Word(metric, scale)
    return None


def shares(metric: str) -> bool:
    """Whether numbers without a unit may be per cent or parts of one, which only all of them together tell."""
    return metric in _SHARES


def share_scale(metric: str, most: float, *, parted: bool) -> float | None:
    """What bare numbers are multiplied with whose greatest is this; ``parted``: some lie between 0 and 1."""
    per_cent = 1.0 if metric == "DCGM_FI_DEV_GPU_UTIL" else 0.01
    if most > _MORE_THAN_ALL:
        return per_cent
    return per_cent * 100.0 if parted and most <= 1.0 else None


def bare(metric: str, number: float) -> float | None:
    """A number without a unit in DCGM's; None where it may be of several."""
    if metric == "DCGM_FI_DEV_POWER_USAGE":
        return number * 1e-3 if number >= _MILLIWATTS_FROM else number
    if metric == "DCGM_FI_DEV_FB_USED":
        return number * 2.0**-20 if number >= _BYTES_FROM or number == 0 else None
    if metric == "DCGM_FI_DEV_SM_CLOCK":
        if number >= _HZ_FROM:
            return number * 1e-6
        return number if _MHZ[0] <= number <= _MHZ[1] else None
    if metric == "DCGM_FI_DEV_GPU_TEMP":
        return number if _HEAT[0] <= number <= _HEAT[1] else None
    return number if number == int(number) else None
