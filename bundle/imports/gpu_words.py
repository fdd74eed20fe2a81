"""What a monitor's own name for a reading of a GPU means: ``power.draw [W]``, ``gpu_util_pct``, ``Leistung_W``.

Where the name or a field beside it tells the unit, that decides. Where none does, the least and the most of all
numbers of a file may: no GPU draws five kilowatts, and none lives on three watts and less. What stays open is left out.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Final, NamedTuple

NO_TIME: Final = "GPU readings without a time, which cannot be placed"
"""Why a table of them is not read."""
_PREFIX: Final = re.compile(r"(?:(?:nvidia_smi|gpu_nvidia|nvidia|nvml_device|nvml|dcgm|gpus?|device|card|karte)_)+")
"""Who tells it, and that it is of a GPU: beside the name of a quantity it says no more."""
_WORDS: Final = (
    (
        "DCGM_FI_DEV_GPU_UTIL",
        r"(?:gpu_)?(?:util(?:i[sz]ation)?|usage|busy|load|active|gpuactive|gr_engine_active|engine_active|duty_cycle)"
        r"|(?:gpu_)?(?:auslastung|uso|utilizacion|utilizacao|utilizzo|charge|occupation|利用率|使用率|загрузка)(?:_gpu)?"
        r"|percent_gpu_used|gpu_used|util(?:i[sz]ation)?_gpu",
    ),
    ("DCGM_FI_PROF_SM_ACTIVE", r"(?:prof_)?sm_?(?:act(?:ive|ivity)?|aktiv|activo|actif)"),
    (
        "DCGM_FI_DEV_FB_USED",
        r"(?:fb|frame_?buffer|mem(?:ory)?|vram|speicher|memoria|memoire|显存|видеопамять|память)(?:_memory|_fb)?"
        r"(?:_?(?:used|usage|in_use|allocated|alloc|belegt|usada|utilisee)){0,2}",
    ),
    (
        "DCGM_FI_DEV_POWER_USAGE",
        r"(?:board_)?(?:power|leistung|potencia|puissance|potenza|watts?|功耗|功率|мощность|消費電力)"
        r"(?:_(?:draw|usage|consumption))?",
    ),
    ("DCGM_FI_DEV_GPU_TEMP", r"(?:core_)?(?:temp(?:erat(?:ure?|ura))?|温度|температура)(?:_gpu|_core)?"),
    (
        "DCGM_FI_DEV_SM_CLOCK",
        r"(?:sm|graphics|core)_?(?:clocks?|clk|freq(?:uency)?|takt)|takt|frecuencia|frequencia|frequence|частота|频率"
        r"|(?:clocks?|freq(?:uency)?)(?:_(?:freq|speed|current))?_(?:sm|graphics|multiprocessor)|multiprocessor_frequency",
    ),
    (
        "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS",
        r"(?:(?:clocks?_)?throttl\w{0,5}|clocks?_event)_(?:reasons?|bits|bitmask|mask|flags|code)(?:_(?:active|raw|mask|code))?"
        r"|drossel(?:grund|gruende|ung|maske|bits)|(?:motivo|razon|razones|causa|raison|motif)s?_(?:de_|d_|du_)?"
        r"(?:throttl\w{0,5}|bridage|limitacion|limitacao|estrangulamiento)",
    ),
    ("DCGM_FI_DEV_XID_ERRORS", r"xid(?:_code)?|last_xid|xid_last|dcgm_(?:fi_)?(?:dev_)?xid_errors"),
    ("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", r"ecc_(?:dbe|uncorrected|double_bit)(?:_errors?)?(?:_vol(?:atile)?)?(?:_total)?"),
)
"""Quantities by what they are called, under DCGM's name. How many XIDs there were (``xid_errors``) is none of them."""
_DOUBTFUL: Final = re.compile(r"usage|busy|load|active|uso|charge|occupation|利用率|使用率|загрузка")
"""How busy what was: where no name beside it says that it is of a GPU's own, only a share's unit makes it that."""
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
_BARE_UNITS: Final[dict[str, tuple[tuple[float, float, float, float], ...]]] = {
    "DCGM_FI_DEV_FB_USED": ((0.0, 1e9, 4e12, 2.0**-20),),
    "DCGM_FI_DEV_POWER_USAGE": ((0.0, 5.0, 3000.0, 1.0), (5000.0, 5000.0, 5e6, 1e-3)),
    "DCGM_FI_DEV_GPU_TEMP": ((5.0, 5.0, 120.0, 1.0),),
    "DCGM_FI_DEV_SM_CLOCK": ((100.0, 100.0, 5000.0, 1.0), (0.0, 1e8, 5e9, 1e-6)),
}
"""Numbers without a unit: what all (beside zero) must be at least, where the greatest must lie, and then the factor.

Bytes are more than any GPU has in KiB, hertz more than its clock in kHz; watts and milliwatts lie apart.
"""
_MOST: Final = {
    "DCGM_FI_DEV_GPU_UTIL": 101.0,
    "DCGM_FI_PROF_SM_ACTIVE": 1.01,
    "DCGM_FI_DEV_FB_USED": 4e6,
    "DCGM_FI_DEV_POWER_USAGE": 5000.0,
    "DCGM_FI_DEV_GPU_TEMP": 130.0,
    "DCGM_FI_DEV_SM_CLOCK": 5000.0,
    "DCGM_FI_DEV_XID_ERRORS": 999.0,
}
"""What no reading of one GPU is beyond, in DCGM's units: shares of several that were added up are none of one."""
_WHOLE: Final = 2.0**53


class Word(NamedTuple):
    """The metric a name stands for; ``scale`` is None where no unit was told."""

    metric: str
    scale: float | None


def plain(name: str) -> str:
    """A name in lower case and without accents, its unit behind it: ``GPU util [%]`` is ``gpu_util_pct``."""
    letters = unicodedata.normalize("NFKD", name.lower().replace("%", " pct "))
    return re.sub(r"[\W_]+", "_", "".join(one for one in letters if not unicodedata.combining(one))).strip("_")


def word(name: str, unit: str = "") -> Word | None:
    """What a name means; None for what is no reading of a GPU that is known."""
    called = plain(name)
    for short in dict.fromkeys((called, _PREFIX.sub("", called, count=1) if _PREFIX.match(called) else called)):
        for metric, pattern in _BARE:
            if pattern.fullmatch(short) is not None:
                units = _UNITS.get(metric)
                told = plain(unit)
                if units is None or not told or told == "bits":
                    return None if "gpu" not in called and _DOUBTFUL.fullmatch(short) else Word(metric, None)
                return Word(metric, units[told]) if told in units else None
        for metric, pattern in _PATTERNS:
            found = pattern.fullmatch(short)
            if found is not None and (scale := _UNITS.get(metric, {}).get(found[1] or "")) is not None:
                return Word(metric, scale)
    return None


class Extent:
    """The least beside zero and the most of numbers that no unit was told for."""

    def __init__(self) -> None:
        self.least = math.inf
        self.most = 0.0

    def take(self, number: float) -> None:
        """One more number."""
        if number > 0:
            self.least = min(self.least, number)
            self.most = max(self.most, number)

    def scale(self, metric: str, *, whole: bool) -> float | None:
        """What the numbers are multiplied with to be in DCGM's unit; None where they may be of several.

        ``whole``: these are all. Then nothing but zeros are zeros in every unit.
        """
        if metric not in _UNITS:
            return 1.0
        if metric in _SHARES:
            per_cent = 1.0 if metric == "DCGM_FI_DEV_GPU_UTIL" else 0.01
            if self.most > _MORE_THAN_ALL:
                return per_cent
            if self.least < 1.0 and self.most <= 1.0:
                return per_cent * 100.0
        for least, low, high, scale in _BARE_UNITS.get(metric, ()):
            if self.least >= least and low <= self.most <= high:
                return scale
        return 1.0 if whole and self.most == 0 else None


def in_bounds(metric: str, number: float) -> bool:
    """Whether a number in DCGM's unit can be of one GPU: codes and counts are whole."""
    if metric not in _UNITS and not number.is_integer():
        return False
    return 0 <= number <= _MOST.get(metric, _WHOLE)
