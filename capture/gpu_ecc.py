"""ECC errors of a GPU by where they happened.

Which way leads there depends on the GPU's age (nvml.h): up to Volta each memory has a field of its own, Ampere and
later tell SRAM and DRAM apart, drivers since R545 also say which unit's SRAM it was and whether it was too much.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pynvml as nv

from inquest.capture.gpu_fields import UNSUPPORTED, Fields

if TYPE_CHECKING:
    from inquest.capture.collector import Row
    from inquest.capture.gpus import Handle

_COLUMNS: Final = {
    (nv.NVML_MEMORY_ERROR_TYPE_CORRECTED, nv.NVML_VOLATILE_ECC): "ecc_corrected_volatile",
    (nv.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, nv.NVML_VOLATILE_ECC): "ecc_uncorrected_volatile",
    (nv.NVML_MEMORY_ERROR_TYPE_CORRECTED, nv.NVML_AGGREGATE_ECC): "ecc_corrected_aggregate",
    (nv.NVML_MEMORY_ERROR_TYPE_UNCORRECTED, nv.NVML_AGGREGATE_ECC): "ecc_uncorrected_aggregate",
}
_PLACES: Final = ("l1", "l2", "dram", "register_file", "texture")
_FIRST_FIELD: Final = {"volatile": 7, "aggregate": 18}
"""NVML_FI_DEV_ECC_SBE_VOL_L1 and _AGG_L1; corrected and uncorrected of each place take turns from there."""
_FIELDS: Final = {
    **{
        (first + 2 * number + step, 0): (place, f"ecc_{kind}_{span}")
        for span, first in _FIRST_FIELD.items()
        for number, place in enumerate(_PLACES)
        for step, kind in enumerate(("corrected", "uncorrected"))
    },
    (17, 0): ("cbu", "ecc_uncorrected_volatile"),
    (28, 0): ("cbu", "ecc_uncorrected_aggregate"),
}
_SRAM: Final = {
    "aggregateUncParity": ("sram_parity", "ecc_uncorrected_aggregate"),
    "aggregateUncSecDed": ("sram_secded", "ecc_uncorrected_aggregate"),
    "volatileUncParity": ("sram_parity", "ecc_uncorrected_volatile"),
    "volatileUncSecDed": ("sram_secded", "ecc_uncorrected_volatile"),
    "aggregateUncBucketL2": ("sram_l2", "ecc_uncorrected_aggregate"),
    "aggregateUncBucketSm": ("sram_sm", "ecc_uncorrected_aggregate"),
    "aggregateUncBucketPcie": ("sram_pcie", "ecc_uncorrected_aggregate"),
    "aggregateUncBucketMcu": ("sram_microcontroller", "ecc_uncorrected_aggregate"),
    "aggregateUncBucketOther": ("sram_other", "ecc_uncorrected_aggregate"),
    "aggregateCor": ("sram", "ecc_corrected_aggregate"),
    "volatileCor": ("sram", "ecc_corrected_volatile"),
}
"""Members of nvmlEccSramErrorStatus_v1_t."""


class Ecc:
    """The counters of one GPU."""

    def __init__(self) -> None:
        self.over_threshold: bool | None = None
        """Whether NVIDIA calls the SRAM's errors too many; None where the driver does not say."""
        self._fields = Fields(_FIELDS)
        self._told: dict[str, Row] = {}
        self._has_status = True
        self._has_counters = set(_COLUMNS)

    def read(self, handle: Handle, *, everything: bool = False) -> list[Row]:
        """One row a location whose counters moved since the last call; all of them with ``everything``.

        Raises:
            NVMLError: The GPU is lost or the call failed otherwise.
        """
        places: dict[str, Row] = {}
        for (place, column), value in self._fields.read(handle).items():
            places.setdefault(place, {})[column] = value
        self._sram(handle, places)
        rows = [
            {"location": place, **counters}
            for place, counters in places.items()
            if everything or counters != self._told.get(place)
        ]
        self._told = places
        return rows

    def _sram(self, handle: Handle, places: dict[str, Row]) -> None:
        for kind, span in sorted(self._has_counters):
            try:
                value = nv.nvmlDeviceGetMemoryErrorCounter(handle, kind, span, nv.NVML_MEMORY_LOCATION_SRAM)
            except nv.NVMLError as error:
                if error.value not in UNSUPPORTED:
                    raise
                self._has_counters.discard((kind, span))
                continue
            places.setdefault("sram", {})[_COLUMNS[kind, span]] = value
        if not self._has_status:
            return
        status = nv.c_nvmlEccSramErrorStatus_v1_t()
        try:
            nv.nvmlDeviceGetSramEccErrorStatus(handle, nv.byref(status))
        except nv.NVMLError as error:
            if error.value not in UNSUPPORTED:
                raise
            self._has_status = False
            return
        for member, (place, column) in _SRAM.items():
            places.setdefault(place, {}).setdefault(column, int(getattr(status, member)))
        self.over_threshold = bool(status.bThresholdExceeded)
        places["sram"]["over_threshold"] = self.over_threshold
