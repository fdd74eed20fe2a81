"""GPU memory and CUDA errors (B1, B2, A1)."""

# ruff: noqa: E501 (log lines and regular expressions are kept whole, so that they can be searched for)

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.pattern import SIZE, Pattern, of

PATTERNS = of(
    "cuda",
    Pattern(
        "oom",
        Kind.CUDA_OOM,
        "root",
        ("out of memory. Tried to allocate ",),
        rf"(?:CUDA|HIP|XPU|NPU|MUSA|MLU) out of memory\. Tried to allocate {SIZE}(?:\.| \()+ ?(?:GPU|NPU|MLU) (?P<subject>\d+)",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.10 GiB"
        " of which 1.10 GiB is free.",
        "If CUDA out of memory. Try a smaller batch",
    ),
    Pattern(
        "oom_plain",
        Kind.CUDA_OOM,
        "root",
        (
            "CUDA out of memory.",
            "HIP out of memory.",
            "CUDA error: out of memory",
            "CUBLAS_STATUS_ALLOC_FAILED",
            "CUDNN_STATUS_ALLOC_FAILED",
            "cudaErrorMemoryAllocation",
        ),
        r"(?:Error: (?:CUDA|HIP) out of memory\.|CUDA error: out of memory|CUBLAS_STATUS_ALLOC_FAILED"
        r"|CUDNN_STATUS_ALLOC_FAILED|(?:Error|failed): cudaErrorMemoryAllocation)",
        "RuntimeError: CUDA error: out of memory",
        "tip: on CUDA out of memory. reduce the batch size",
        unless=r"Tried to allocate [\d.]+ (?:[KMGT]iB|bytes)(?:\.| \()+ ?GPU|\b2 cudaErrorMemoryAllocation",
    ),
    Pattern(
        # LightGBM's src/cuda, DGL's cuda_device_api.cc, CatBoost's cuda_base.h, Marian's device.cu, MXNet's
        # pooled_storage_manager.h, CUDA.jl's pool.jl, tiny-cuda-nn's gpu_memory.h, PhysX
        "oom_of_others",
        Kind.CUDA_OOM,
        "root",
        (
            "[CUDA] out of memory",
            "CUDA: out of memory",
            "CUDA error 2",
            "ailed: out of memory",
            "cudaMalloc",
            "Out of GPU memory trying to allocate ",
            "failed: CUDA_ERROR_OUT_OF_MEMORY",
            "CudaDeviceMemoryAllocator fail to allocate memory ",
        ),
        r"(?:\[CUDA\] out of memory|\bCUDA: out of memory|\bCUDA error 2:? '?out of memory|\bcudaMalloc(?:Async|Managed|Host)? ?(?:\(\d{1,15}\) |of \d{1,15} bytes |retry )?failed: out of memory"
        r"|Out of GPU memory trying to allocate |\) \d?\s?failed: CUDA_ERROR_OUT_OF_MEMORY"
        r"|CudaDeviceMemoryAllocator fail to allocate memory \d+ bytes)",
        "[LightGBM] [Fatal] [CUDA] out of memory /tmp/LightGBM/src/io/cuda/cuda_row_data.cpp 62",
        "failed to allocate 15.78GiB (16945512448 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        unless=r"(?i)\b(?:retry(?:ing)?|again|fall(?:s|ing)? back)\b(?! failed)",
    ),
    Pattern(
        # MindSpore's gpu_memory_allocator.cc, mem_manager.cc and device_address.cc
        "oom_mindspore",
        Kind.CUDA_OOM,
        "root",
        (
            "Memory not enough: current free memory size[",
            "memory isn't enough and alloc failed",
            "Out of Memory!!! Request memory size: ",
        ),
        r"(?:\bMemory not enough: current free memory size\[\d{1,18}\] is smaller than required size\[(?P<num>\d{1,18})\]"
        r"|\bDevice\(id:(?P<subject>\d{1,4})\) memory isn't enough and alloc failed\b|\bOut of Memory!!! Request memory size: \d{1,18}B?\b)",
        "[ERROR] DEVICE(411,7f0c,python):2025-03-01-15:32:45.118.221 [gpu_memory_allocator.cc:88] AllocDeviceMem] Memory not enough:"
        " current free memory size[187183923] is smaller than required size[966367641].",
        "Memory pool: current free memory size[187183923] is larger than required size[96636764].",
    ),
    Pattern(
        # A program's own check of a call, which prints its name and the error's: CUDA's helper_cuda.h, the GPUassert of
        # many; pycuda, numba, cudarc (candle, burn), XGBoost's device_helpers.cuh, RMM
        "oom_by_call",
        Kind.CUDA_OOM,
        "root",
        (
            "cudaMalloc",
            "cuMemAlloc",
            "cudaErrorMemoryAllocation",
            "GPUassert: out of memory",
            "CUDA_ERROR_OUT_OF_MEMORY",
        ),
        r"(?:\bc(?:udaMalloc|uMemAlloc)\w{0,16}\b.{0,120}?(?:\bcudaErrorMemoryAllocation\b|\bCUDA_ERROR_OUT_OF_MEMORY\b"
        r"|\b(?:failed|error|err|status|code|rc|returned|->|=>)\b.{0,40}?\bout of memory\b)"
        r"|\bcode=2 ?\(cudaErrorMemoryAllocation\)|\bGPUassert: out of memory\b|\bDriverError\(CUDA_ERROR_OUT_OF_MEMORY\b"
        r"|\bbad_alloc: (?:out_of_memory: CUDA error .{0,200})?cudaErrorMemoryAllocation\b)",
        "net.cu:31: cudaMalloc(&buf, 8589934592) -> error 2 (cudaErrorMemoryAllocation): out of memory",
        "cudaMalloc returns cudaErrorMemoryAllocation when there is no room",
        unless=r"(?i)\b(?:retry(?:ing)?|again|fall(?:s|ing)? back|if|when|whenever|returns|means|handled|caught|recovered)\b"
        r"|\bcudaMalloc ?(?:\(\d{1,15}\) |of \d{1,15} bytes |retry )?failed: out of memory",
    ),
    Pattern(
        # The same in the words of a program's own, of several languages.
        "oom_abroad",
        Kind.CUDA_OOM,
        "root",
        (
            "显存",
            "GPU",
            "gpu",
            "VRAM",
            "идеопамят",
            "rafikspeicher",
            "rafikkartenspeicher",
            "vidéo",
            "ídeo",
            "video",
            "placa",
        ),
        r"(?:(?:显存|(?:GPU|CUDA) ?内存)(?:已)?(?:不足|不够|耗尽|溢出|分配失败|用尽)"
        r"|(?:GPU|VRAM)(?: ?の)? ?(?:メモリ(?:ー)?)?(?: ?[がは])? ?(?:不足|足りません|を?確保でき)|(?:GPU ?메모리|VRAM)(?:가|이)? ?부족"
        r"|(?i:\b(?:не хват(?:ает|ило)|недостаточно|закончилась) (?:видеопамяти|видеопамять|памяти (?:на )?GPU)"
        r"|\b(?:GPU-?speicher|grafikspeicher|VRAM)\b.{0,20}?\b(?:erschöpft|voll|reicht nicht|nicht ausreichend|aufgebraucht)|\bnicht genügend (?:GPU-?speicher|grafikspeicher|VRAM)\b"
        r"|\bmémoire (?:GPU|vidéo|de la carte|du GPU)\b.{0,12}?\b(?:insuffisante|épuisée|saturée|pleine)|\bmemoria (?:de |della |en )?(?:la )?(?:GPU|vídeo|video)\b.{0,12}?\b(?:insuficiente|agotada|insufficiente|esaurita)"
        r"|\bmemória (?:da |de )?(?:GPU|vídeo|placa)\b.{0,12}?\b(?:insuficiente|esgotada)))",
        "错误: 显存不足, 无法分配 8.0 GiB",
        "提示: 如果显存不足, 请减小 batch",
        unless=r"(?i)如果|若|请|建议|自动|避免|防止|减小|重试|場合|再試行|ように|경우|재시도|\b(?:если|повтор|wenn|falls|erneut|si|réessa\w*|se|caso|reintent\w*|riprov\w*|tentando|éviter|evitar|vermeiden|retry\w*)\b",
    ),
    Pattern(
        "oom_other_tenant",
        Kind.CUDA_OOM_OTHER_TENANT,
        "marker",
        (" memory in use. ",),
        rf"is free\. Process (?P<subject>\d+) has {SIZE} memory in use",
        "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.10 GiB of which 1.10 GiB is free."
        " Process 4711 has 60.00 GiB memory in use. Including non-PyTorch memory, this process has 18.00 GiB memory in use.",
        "is free. Including non-PyTorch memory, this process has 23.10 GiB memory in use.",
    ),
    Pattern(
        "oom_paddle",
        Kind.CUDA_OOM,
        "root",
        ("Out of memory error on GPU ",),
        r"^Out of memory error on GPU (?P<subject>\d+)\. Cannot allocate (?P<num>[\d.]+)(?P<unit>[KMGT]?B) memory on GPU",
        "Out of memory error on GPU 0. Cannot allocate 2.000000GB memory on GPU 0, 78.412109GB memory has been allocated",
        "see Out of memory error on GPU in the FAQ",
    ),
    Pattern(
        "oom_bfc",
        Kind.CUDA_OOM,
        "root",
        ("_bfc) ran out of memory trying to allocate ",),
        r"Allocator \(GPU_(?P<subject>\d+)_bfc\) ran out of memory trying to allocate (?P<num>[\d.]+)(?P<unit>[KMGT]?i?B)",
        "W external/xla/xla/tsl/framework/bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 8.00GiB"
        " (rounded to 8589934592)requested by op",
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.2GiB with freed_by_count=0. The caller indicates that this"
        " is not a failure, but this may mean that there could be performance gains if more memory were available.",
        unless=r"The caller indicates that this is not a failure",
    ),
    Pattern(
        "oom_bitsandbytes",
        Kind.CUDA_OOM,
        "root",
        ("Error out of memory at line",),
        r"^Error out of memory at line \d+ in file ",
        "Error out of memory at line 559 in file /src/csrc/pythonInterface.cpp",
        "see Error out of memory at line in docs",
    ),
    Pattern(
        "oom_nccl",
        Kind.CUDA_OOM,
        "root",
        ("'out of memory'", "Failed to CUDA calloc"),
        r"(?:Cuda failure (?:\d+ )?'out of memory'|Failed to CUDA calloc (?:async )?(?P<num>\d+) (?P<unit>bytes))",
        "h1:1:2 [0] NCCL WARN Failed to CUDA calloc async 608 bytes",
        "Cuda failure 'invalid argument'",
        num_unit="bytes",
    ),
    Pattern(
        "oom_xla_gpu",
        Kind.CUDA_OOM,
        "root",
        ("RESOURCE_EXHAUSTED", "Resource exhausted: ", "OOM when allocating tensor"),
        r"(?:device:GPU:(?P<subject>\d+) by allocator|RESOURCE_EXHAUSTED: Out of memory while trying to allocate"
        r" (?P<num>\d+) (?P<unit>bytes)|RESOURCE_EXHAUSTED: Failed to allocate request for [\d.]+[KMGT]?i?B"
        r" \(\d+B\) on device ordinal \d)",
        "ResourceExhaustedError: OOM when allocating tensor with shape[1024,16777216] and type float on /job:localhost/"
        "replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc RESOURCE_EXHAUSTED",
        "OOM when allocating tensor with shape[1] and type float on /job:localhost/device:CPU:0 by allocator mklcpu",
    ),
    Pattern(
        "oom_xla_host",
        Kind.HOST_OOM_PYTHON,
        "root",
        ("RESOURCE_EXHAUSTED", "OOM when allocating tensor"),
        r"(?:device:CPU:\d+ by allocator|RESOURCE_EXHAUSTED: Out of memory allocating (?P<num>\d+) (?P<unit>bytes))",
        "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 4398046511104 bytes.",
        "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 99 bytes.",
    ),
    Pattern(
        "ecc",
        Kind.ECC_ERROR,
        "root",
        ("uncorrectable ECC error", "cudaErrorECCUncorrectable"),
        # XLA names the driver's error, Paddle the runtime's number.
        r"(?:CUDA error: |CUDA error 214 '|Cuda failure (?:\d+ )?'|CUDA_ERROR_ECC_UNCORRECTABLE: |CUDA error\(214\), )"
        r"(?P<subject>uncorrectable ECC error encountered)",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "214 cudaErrorECCUncorrectable uncorrectable ECC error encountered",
    ),
    Pattern(
        # The same by a program's own check of a call, as oom_by_call: CUDA's helper_cuda.h, GROMACS, cudarc, CUDA.jl, CuPy.
        "ecc_by_call",
        Kind.ECC_ERROR,
        "root",
        (
            "cudaErrorECCUncorrectable",
            "CUDA_ERROR_ECC_UNCORRECTABLE",
            "ERROR_ECC_UNCORRECTABLE",
            "GPUassert: uncorrectable ECC",
        ),
        r"(?P<subject>\b(?:CUDA )?error ?(?:#|code )?214 ?\(cudaErrorECCUncorrectable\)|\bcode ?[=:]? ?214 ?\(cudaErrorECCUncorrectable\)"
        r"|\bDriverError\(CUDA_ERROR_ECC_UNCORRECTABLE\b|\(code 214, ERROR_ECC_UNCORRECTABLE\)|\bGPUassert: uncorrectable ECC error encountered"
        r"|\b\w*Error: cudaErrorECCUncorrectable: |\bc(?:uda|u)[A-Z]\w{2,40}\b.{0,80}?\b(?:failed|returned|error)\b.{0,40}?\b(?:cudaErrorECCUncorrectable|CUDA_ERROR_ECC_UNCORRECTABLE)\b)",
        "cudaStreamSynchronize failed! CUDA error #214 (cudaErrorECCUncorrectable):",
        "cudaErrorECCUncorrectable = 214: an uncorrectable ECC error was detected during execution",
        unless=r"(?i)\b(?:if|when|whenever|means|handled|caught|recovered|retry(?:ing)?)\b|CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable",
    ),
    Pattern(
        "nvlink",
        Kind.NVLINK_ERROR,
        "root",
        ("NVLink error detected", "over nvlink or a hardware error"),
        r"CUDA error: (?P<subject>uncorrectable NVLink error detected|Invalid access of peer GPU memory over nvlink)",
        "RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution",
        "220 cudaErrorNvlinkUncorrectable uncorrectable NVLink error detected during the execution",
    ),
    Pattern(
        "invalid_device",
        Kind.CUDA_INVALID_DEVICE,
        "root",
        ("nvalid device ordinal", "no CUDA-capable device", "CUDA_ERROR_INVALID_DEVICE", "cudaErrorInvalidDevice"),
        # In torch's words, and by the check of a program's own: XGBoost, cudarc, CUDA's helper_cuda.h, CUDA.jl.
        r"(?P<subject>(?<=CUDA error: )(?:invalid device ordinal|no CUDA-capable device is detected)"
        r"|(?<=DriverError\()CUDA_ERROR_INVALID_DEVICE\b|\bcode=101 ?\(cudaErrorInvalidDevice\)|\(code 101, ERROR_INVALID_DEVICE\)"
        r"|Check failed: ordinal < n \(\d{1,6} vs\. \d{1,6}\) ?: Invalid device ordinal|(?<=GPUassert: )invalid device ordinal)",
        "RuntimeError: CUDA error: invalid device ordinal",
        "checked for invalid device ordinal: none",
    ),
    Pattern(
        "assert",
        Kind.CUDA_ASSERT,
        "root",
        ("Assertion `", "device-side assert triggered"),
        r"(?:thread: \[\d+,\d+,\d+\] Assertion `(?P<subject>.{1,120}?)` failed|CUDA error: device-side assert triggered)",
        "/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1292: indexSelectLargeIndex: block: [0,0,0], thread: [3,0,0]"
        " Assertion `srcIndex < srcSelectDimSize` failed.",
        "For debugging consider TORCH_USE_CUDA_DSA to enable device-side assert triggered checks",
    ),
    Pattern(
        "error",
        Kind.CUDA_ERROR,
        "root",
        ("CUDA error: ", "HIP error: ", "Cuda failure "),
        r"(?:CUDA error: |HIP error: |Cuda failure (?:\d+ )?')(?!out of memory|uncorrectable|device-side assert|invalid device"
        r"|no CUDA-capable|Invalid access of peer|no kernel image|CUDA driver version is insufficient)(?P<subject>[a-zA-Z][^'\n]{3,120})",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "RuntimeError: CUDA error: out of memory",
        unless=r"watchdog thread terminated|what\(\): ",
    ),
    Pattern(
        "error_echo",
        Kind.CUDA_ERROR,
        "cascade",
        ("CUDA error: ",),
        r"(?:watchdog thread terminated with exception: |what\(\): .{0,200}?)CUDA error: (?P<subject>[^\n]{3,120})",
        "[Rank 0] Process group watchdog thread terminated with exception: CUDA error: an illegal memory access was encountered",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
    ),
    Pattern(
        "library",
        Kind.CUDA_LIBRARY_ERROR,
        "root",
        ("CUBLAS_STATUS_", "CUDNN_STATUS_", "CUSPARSE_STATUS_", "CUFFT_", "cuDNN error: "),
        r"Error: .{0,40}(?P<subject>(?:CUBLAS|CUDNN|CUSPARSE)_STATUS_(?!ALLOC_FAILED|SUCCESS)[A-Z_]+|CUFFT_[A-Z_]+)",
        "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx(`",
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    ),
    Pattern(
        "smi_lost",
        Kind.GPU_LOST,
        "root",
        ("GPU is lost", "Unable to determine the device handle"),
        r"(?:Unable to determine the device handle for GPU ?(?P<subject>[\dA-Fa-f:.]+)|GPU is lost)",
        "Unable to determine the device handle for GPU0000:91:00.0: Unknown Error",
        "GPU is not lost",
    ),
)
