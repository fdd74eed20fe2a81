"""How busy the parts of a GPU were between two looks: NVML's GPM metrics (Hopper and later).

Source of meaning and unit: nvml.h, NVML_GPM_METRIC_*: each is a percentage from 0 to 100 over the time between two
samples; stored as a share.
"""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any, Final

import pynvml as nv

from inquest.capture.gpu_calls import call

if TYPE_CHECKING:
    from inquest.capture.collector import Row
    from inquest.capture.gpus import Handle

_METRICS: Final = {
    nv.NVML_GPM_METRIC_SM_UTIL: "sm_active",
    nv.NVML_GPM_METRIC_SM_OCCUPANCY: "sm_occupancy",
    nv.NVML_GPM_METRIC_ANY_TENSOR_UTIL: "tensor_active",
    nv.NVML_GPM_METRIC_FP64_UTIL: "fp64_active",
    nv.NVML_GPM_METRIC_FP32_UTIL: "fp32_active",
    nv.NVML_GPM_METRIC_FP16_UTIL: "fp16_active",
    nv.NVML_GPM_METRIC_INTEGER_UTIL: "integer_active",
    nv.NVML_GPM_METRIC_DFMA_TENSOR_UTIL: "tensor_fp64_active",
    nv.NVML_GPM_METRIC_HMMA_TENSOR_UTIL: "tensor_float_active",
    nv.NVML_GPM_METRIC_IMMA_TENSOR_UTIL: "tensor_integer_active",
    nv.NVML_GPM_METRIC_DRAM_BW_UTIL: "dram_active",
}
_METRIC: Final = struct.Struct("=2Id24x")
"""nvmlGpmMetric_t: number, return code, value; its name and unit are pointers, which we have no use for."""


class Gpm:
    """Two samples of one GPU, or of one of its MIG GPU instances, taken in turn."""

    def __init__(self, gpu_instance: int | None = None) -> None:
        self._gpu_instance = gpu_instance
        self._samples: list[Any] = []
        self._have_first = False
        self._request: Any = None

    def read(self, handle: Handle) -> Row:
        """Shares since the last call; nothing the first time. ``handle`` is the physical GPU's.

        Raises:
            NVMLError: Not supported by this GPU or driver (NVML_ERROR_NOT_SUPPORTED or FUNCTION_NOT_FOUND), or failed.
        """
        if not self._samples:
            self._prepare(handle)
        self._samples.reverse()
        if self._gpu_instance is None:
            call("nvmlGpmSampleGet", handle, self._samples[1])
        else:
            call("nvmlGpmMigSampleGet", handle, self._gpu_instance, self._samples[1])
        if not self._have_first:
            self._have_first = True
            return {}
        self._request.sample1, self._request.sample2 = self._samples
        call("nvmlGpmMetricsGet", ctypes.byref(self._request))
        return {
            _METRICS[number]: round(value / 100, 4)
            for number, status, value in _METRIC.iter_unpack(self._answers)
            if status == nv.NVML_SUCCESS
        }

    def _prepare(self, handle: Handle) -> None:
        if not nv.nvmlGpmQueryDeviceSupport(handle).isSupportedDevice:
            raise nv.NVMLError(nv.NVML_ERROR_NOT_SUPPORTED)
        self._request = nv.c_nvmlGpmMetricsGet_t()
        self._request.version = nv.NVML_GPM_METRICS_GET_VERSION
        self._request.numMetrics = len(_METRICS)
        for number, metric in enumerate(_METRICS):
            self._request.metrics[number].metricId = metric
        begin = nv.c_nvmlGpmMetricsGet_t.metrics.offset
        self._answers = memoryview(self._request).cast("B")[begin : begin + len(_METRICS) * _METRIC.size]
        self._samples = [nv.nvmlGpmSampleAlloc(), nv.nvmlGpmSampleAlloc()]
