"""What kind of thing an exception is: one ordered table, so that no two families claim the same traceback.

A traceback is the job's own fault (A1), a refused GPU allocation (B1), a damaged checkpoint (E2), a time-out (C1, C2)
or only the echo of another rank's death. Source of the texts: the project's log-format notes and the real logs there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from inquest.analyze.programs import TIMED_OUT
from inquest.analyze.remedies import fault_class

if TYPE_CHECKING:
    from inquest.analyze.model import FaultClass


class Cause(StrEnum):
    """What an exception says happened."""

    LAUNCHER = "launcher"  # a launcher reporting that a child failed
    INTERRUPT = "interrupt"  # a person or a signal stopped it
    PEER_LOST = "peer_lost"  # another rank went away first
    COLLECTIVE = "collective"  # a collective did not complete, or ranks disagreed
    RENDEZVOUS = "rendezvous"  # the ranks never met
    STORE_WAIT = "store_wait"  # a key never came: rendezvous before the group stands, a collective after
    GPU_MEMORY = "gpu_memory"
    GPU_FAULT = "gpu_fault"
    WORKER_KILLED = "worker_killed"  # a worker of a data loader or a process pool died by a signal
    WORKER_GONE = "worker_gone"  # such a worker ended, and how is not told
    INPUT_STALL = "input_stall"
    CHECKPOINT = "checkpoint"
    NUMERIC = "numeric"
    APPLICATION = "application"  # everything else: the job's own crash


@dataclass(frozen=True, slots=True)
class Kind:
    """The cause, and for the job's own crash whose fault class it is."""

    cause: Cause
    fault_class: FaultClass | None = None


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: Kind
    text: re.Pattern[str]


def _rule(cause: Cause, pattern: str) -> _Rule:
    return _Rule(Kind(cause), re.compile(pattern, re.IGNORECASE))


def _own(fault_class: FaultClass, pattern: str) -> _Rule:
    return _Rule(Kind(Cause.APPLICATION, fault_class), re.compile(pattern, re.IGNORECASE))


# Matched against "Type: message"; the first hit wins, so exact statements stand before general ones.
_BY_TEXT: Final = (
    _own("env", r"deserialize object on a CUDA device"),
    # Ray's own OutOfMemoryError is about the node, on which its monitor killed a worker.
    _rule(Cause.WORKER_KILLED, r"killed due to the node running low on memory"),
    _rule(
        Cause.LAUNCHER,
        r"^(\S+\.)?(ChildFailedError|CalledProcessError|ProcessExitedException|ProcessRaisedException)\b"
        rf"|^(\S+\.)?{TIMED_OUT}"
        r"|^(\S+\.)?AirflowException: (?:(?:Bash|SSH) [Cc]ommand failed\.|SSH operator error: exit status = \d"
        r"|Pod \S+ returned a failure)",
    ),
    _rule(Cause.INTERRUPT, r"^(\S+\.)?(KeyboardInterrupt|SignalException)\b"),
    _rule(
        Cause.INTERRUPT,
        r"^\S+: .{0,40}\b(received|got|caught)\b.{0,16}"
        r"\b(SIG(TERM|INT|USR[12]|HUP|XCPU)|signal[: ]{1,2}(15|2|10|12|1|24))\b",
    ),
    _rule(
        Cause.GPU_MEMORY,
        r"\b(CUDA|HIP|NPU|MUSA|MLU|MPS backend) out of memory|\bCUDA(\]|:| error( 2|\(2\)|:){1,2},?) '?out of memory"
        r"|^(\S+\.)?OutOfMemoryError\b|\bcudaMalloc (retry )?failed: out of memory|\bcudaErrorMemoryAllocation\b"
        # Torch before 1.0, bitsandbytes, Paddle, and vLLM on a GPU that another process fills.
        r"|cuda runtime error \(2\)|cublas runtime error ?: resource allocation failed|Error out of memory at line \d"
        r"|memory isn't enough and alloc failed|Out of Memory!!! Request memory size"  # MindSpore
        # RAPIDS' memory manager, whose class is that of a host's allocation.
        r"|\bout_of_memory: (CUDA error|RMM failure)"
        r"|Out of memory error on GPU|Free memory on device .{0,80}less than desired GPU memory utilization"
        r"|\bCUBLAS_STATUS_ALLOC_FAILED"
        r"|CUDNN_STATUS_ALLOC_FAILED|Cuda failure (\d+ )?'out of memory'|CUDA_ERROR_OUT_OF_MEMORY"
        # XLA's allocator of a device; that of hosts says "Out of memory allocating".
        r"|RESOURCE_EXHAUSTED: (Out of memory while trying to allocate|Failed to allocate request for .{1,40} on device"
        r" ordinal)"
        r"|RESOURCE_EXHAUSTED(?=.*\b(GPU|CUDA|device:GPU|cuda))|device:GPU:\d+ by allocator|Failed to CUDA calloc",
    ),
    _rule(
        Cause.GPU_FAULT,
        r"uncorrectable ECC error|ECCUncorrectable|ERROR_ECC_UNCORRECTABLE|uncorrectable NVLink error"
        r"|Invalid access of peer GPU memory|GPU is lost"
        r"|fallen off the bus|hardware stack error",
    ),
    _rule(
        Cause.WORKER_KILLED,
        r"DataLoader worker \(pid \d+\) is killed by signal|process in the process pool was terminated abruptly"
        r"|child process terminated abruptly|Worker \S{0,40} ?(was )?(killed|exited prematurely)"
        r"|^(\S+\.)?TerminatedWorkerError\b|^(\S+\.)?WorkerLostError\b"
        # Ray's worker of a task; one that raised would have been told by what it raised.
        r"|^(\S+\.)?WorkerCrashedError\b|^(\S+\.)?(Ray)?Actor(Died)?Error\b(?s:.{0,900})Worker exit type: SYSTEM_ERROR",
    ),
    # Where it knows the exit code, or the signal, the loader says so.
    _rule(Cause.WORKER_GONE, r"DataLoader worker \(pid(\(s\))? [\d, ]+\) exited unexpectedly(?! with exit code)"),
    _rule(Cause.INPUT_STALL, r"DataLoader timed out after"),
    _rule(
        Cause.COLLECTIVE,
        # TensorFlow's groups of workers, of which one answered no more, or had been started again.
        r"Collective ops is aborted by"
        r"|collective operation timeout|Timed out waiting \d+\s*ms for (recv|send)"
        r"|Application timeout caused pair closure|failed to pass monitoredBarrier"
        r"|Detected mismatch between collectives|watchdog got stuck|Heartbeat monitor timed out|ran for \d+ "
        r"milliseconds"
        r" before timing out|DEADLINE_EXCEEDED: Barrier timed out\. Id: (?!jax_init|\[Init\])",
    ),
    _own("env", r"EADDRINUSE|address already in use"),
    _rule(
        Cause.RENDEZVOUS,
        r"Rendezvous(Timeout|Closed)Error|client socket has timed out|waiting for clients\. \d+/\d+ clients joined"
        r"|store based barrier|connectFullMesh failed|setting up NCCL communicator and retrieving ncclUniqueId"
        r"|Barrier timed out\. Id: (?:jax_init|\[Init\])|RegisterTask"
        # A rank of NCCL's or gloo's that nothing leads to; of one that was there before, the error speaks otherwise.
        r"|client socket has failed to connect to any network address"
        # In words of a job's own.
        r"|(?i:\b(?:could not|cannot|can't|couldn't|failed to|unable to) (?:reach|connect to|join|find) (?:the )?"
        r"(?:master|coordinator|leader|rank[ _]?0|rendezvous|process group|other (?:ranks|nodes|workers|processes))\b)"
        r"|(?i:\b(?:only )?\d{1,5} ?(?:/|of|out of) ?\d{1,5} (?:ranks|workers|nodes|peers|processes|participants|hosts)"
        r" (?:joined|came|showed up|connected|arrived|checked in)\b)"
        r"|\bconnect(ion)? (to|with) \S{1,80} (failed ?: ?|returned )"
        r"(No route to host|Connection (refused|timed out)|\w+ is unreachable)"
        r"|coordination (service|agent).*(DEADLINE|timed? ?out)|failed to connect to all addresses",
    ),
    _rule(Cause.STORE_WAIT, r"wait timeout after \d+ms|^(\S+\.)?DistStoreError\b|Socket Timeout"),
    _rule(
        Cause.PEER_LOST,
        # Ray's words for a process or a node that is gone; why, its own log tells, or nobody.
        r"^(\S+\.)?(RayActorError|ActorDiedError|NodeDiedError)\b(?!.*error raised in its creation)"
        # The link to a peer that was there: the queue pair could not be brought up again.
        r"|Call to ibv_\w+ failed with error Connection timed out"
        r"|Connection closed by peer|Connection reset by (remote )?peer|remote process exited|ncclRemoteError"
        r"|Connection was likely closed|RendezvousConnectionError|communicator was aborted|failed to send a keep-alive"
        r"|Broken pipe|Connection to the C10d store has failed|torch\.distributed\.DistNetworkError: (failed to "
        r"(recv|send)|Connection)",
    ),
    _rule(
        Cause.NUMERIC,
        r"loss (is|was|became|=|:)?\s*(nan|inf)\b|non-?finite loss|invalid value \(nan\)"
        r"|\bnan (loss|values(?! (should|must|may|can|have to|need|are not|is not|were not))|in)\b"
        r"|encountered nan"
        r"|\b(loss|objective|training|model|optimi[sz]ation) (has |have |is )?"
        r"(diverg(ed|es|ing)|explod(ed|es|ing)|blew up)\b"
        r"|\b(grad\w*|gradient)[ _](norm )?(is |was |became |= ?)(nan|inf\b|infinite)"
        r"|(loss|grad)[ _]scale (is )?(already at minimum|too small)|gradients are scaled down to minimum"
        r"|(contains either|found invalid values)(?s:.{0,2000}?)nan"
        r"|returned nan values|NaN or Inf found"
        r"|Minimum loss scale reached|loss became infinite|loss .{0,20}not finite"
        r"|^(\S+\.)?FloatingPointError\b.*(nan|inf)",
    ),
    _own(
        "env",
        r"No space left on device|\[Errno (?:28|122)\]|os error 28|Disk quota exceeded|iostream error"
        r"|PytorchStreamWriter failed|unexpected pos \d+ vs",
    ),
    _rule(
        Cause.CHECKPOINT,
        r"loading state_dict|size mismatch for |Missing key\(s\) in state_dict|loaded state dict|loaded_state_dict"
        r"|ignore_mismatched_sizes|Size mismatch between saved|No valid checkpoint|Checkpoint (file|at) .{0,300}not "
        r"found"
        r"|^(\S+\.)?CheckpointException|^(\S+\.)?ZeRORuntimeException|metadata is None|objects could not be loaded"
        r"|state[_ ]dict\b.{0,120}\b(do(es)? not match|mismatch)|tree structures? do(es)? not match"
        r"|restored? (item|tree|state).{0,80}not match"
        r"|\b(checkpoint|ckpt|snapshot)\b[^\n]{0,160}\b(do(es)? not (fit|match)|incompatible|mismatch)"
        r"|not compatible with the stored shape|^(\S+\.)?CheckpointingException\b|Global shape mismatch for loaded"
        r"|mismatch when loading (a )?(weight|variable|layer)|weight count mismatch for layer"
        r"|expected \d+ variables, but received \d+ variables during loading"
        # TensorFlow's reader of checkpoints; a file of records is data.
        r"|Unable to open table file|not an sstable"
        r"|(cannot|could not|failed to|unable to) (load|restore) [^\n.]{0,60}(?<!pytorch )\b(checkpoint|ckpt|snapshot) "
        r"[^\n]{0,200}\.(pth?|ckpt)\b"
        r"|filepath=\S+\.(keras|h5)\b|Weights only load failed|checkpoint.{0,80}(corrupt|incomplete|invalid)",
    ),
    _own(
        "asset",
        r"huggingface\.co|hf\.co/|OfflineModeIsEnabled: Cannot|LocalEntryNotFound|couldn't connect to|gated repo"
        r"|not a valid model identifier"
        r"|Repo id must|Unrecognized model in|Can't load (the )?(tokenizer|model|config|image)|RepositoryNotFound"
        r"|GatedRepo|Couldn't instantiate the backend tokenizer"
        r"|does not appear to have a file named|HTTP ?Error|Client Error|ConnectTimeout|URLError|Max retries exceeded",
    ),
    _own(
        "env",
        r"^(\S+\.)?(ModuleNotFoundError|ImportError)\b|cannot open shared object|undefined symbol|GLIBCXX_|not "
        r"compiled with CUDA"
        r"|no NVIDIA driver|driver on your system is too old|driver version is insufficient|no CUDA-capable device"
        r"|no CUDA GPUs|invalid device ordinal"
        r"|no kernel image is available|no GPUs found|^(\S+\.)?PermissionError\b|Permission denied|Read-only file "
        r"system"
        r"|Too many open files|Stale file handle|\[Errno 5\]|Input/output error|cudaGetDeviceCount|driver "
        r"initialization failed"
        r"|forward compatibility was attempted|unknown backend|Unable to initialize backend|environment variable "
        r"\w+ expected"
        r"|does(n't| not) support bf16|bf16.{0,40}(not supported|requires)|CUDA_HOME|nvcc|Cannot re-initialize CUDA"
        r"|requires .{1,100} to be installed|Distributed package doesn't have"
        r"|No working C(\+\+)? compiler|operator torchvision::|No API key configured"
        r"|api_key not configured"
        r"|busy or unavailable|system not yet initialized|bitsandbytes|ncclUnhandledCudaError|unhandled cuda error",
    ),
    _own(
        "config",
        r"^(\S+\.)?(omegaconf|hydra|yaml|pydantic|pydantic_core)\b|^(\S+\.)?(ValidationError|ConfigAttributeError"
        r"|ConfigCompositionException|ScannerError|ParserError)\b"
        r"|DeepSpeedConfig|deepspeed config|Target modules .* not found|unexpected keyword argument|must be "
        r"divisible|not divisible by"
        r"|unrecognized arguments|^config(uration)? error\b"
        r"|(invalid|unknown) (choice|argument|option|optimizer|scheduler)\b|mutually exclusive",
    ),
    _own(
        "data",
        r"^(\S+\.)?(datasets|pyarrow|PIL)\.|JSON parse error|on the Hub \(|stack expects each tensor"
        r"|UnidentifiedImage|UnicodeDecodeError"
        r"|Unable to find '.*\.(jsonl?|csv|parquet|arrow|txt|gz|zst|tar|bin|npy|npz)|Directory \S+ not found|error "
        r"occurred while generating the dataset"
        r"|tokenizing data|index out of range in self"
        r"|No such file or directory: .*(\.(jsonl?|csv|tsv|parquet|arrow|npy|npz|tar|idx|bin|wav|jpe?g|png|h5"
        r"|lmdb)\b|/data/|dataset)",
    ),
    _own("asset", r"No such file or directory: .*(model|tokenizer|vocab|\.safetensors|\.gguf|weights)"),
)

# Frames that say what the job was doing, where the text alone does not: (frame pattern, text pattern, kind).
_CHECKPOINT_FILE: Final = re.compile(
    r"(ckpt|checkpoint|resume|snapshot|step[_-]?\d+|epoch[_-]?\d+)[^/'\"]*|\.(pt|pth|ckpt|distcp)['\"]?$", re.IGNORECASE
)
_STEP_PATH: Final = re.compile(r"(ckpt|checkpoint|resume|snapshot|step[_-]?\d+|epoch[_=-]?\d+)", re.IGNORECASE)
_READER_FRAMES: Final = re.compile(
    r"torch/serialization\.py|safetensors|load_checkpoint|load_state_dict|load_weights|resume|torch/distributed/checkpoint"
    r"|_load_(optimizer|from_checkpoint)",
    re.IGNORECASE,
)
_CORRUPT: Final = re.compile(
    r"^(\S+\.)?(EOFError|UnpicklingError)\b|PytorchStreamReader|Errno 22|Error while deserializing"
    r"|BadZipFile"
    r"|HeaderTooSmall|InvalidHeaderDeserialization|MetadataIncompleteBuffer"
    # HDF5's own words, in which Keras keeps weights.
    r"|Unable to (synchronously )?open file \((truncated file|file signature not found|bad object header)",
    re.IGNORECASE,
)
_READS_STATE: Final = re.compile(r"\btorch\.load\(|\bload_(?:checkpoint|state|weights)\w*\(|\bresume\w*\(")
"""A call that reads what was saved, where the log keeps no frame of the library's."""
_JOINS: Final = re.compile(r"\bjax\.distributed\.initialize\(")
_NOT_MET: Final = re.compile(r"RendezvousConnectionError\b|DistNetworkError: Ping failed")
"""What an agent of torchrun raises that never came to the store of its rendezvous; later it lost one it had."""
_RESUME_FRAMES: Final = re.compile(
    r"resume|load_checkpoint|_load_from_checkpoint|_load_optimizer|restore", re.IGNORECASE
)
_DATA_FRAMES: Final = re.compile(
    r"torch/utils/data/|/datasets/|collate|__getitem__|shard|dataset|data_?load|load_data|read_data", re.IGNORECASE
)
_CONFIG_FRAMES: Final = re.compile(r"argparse|hf_argparser|omegaconf|hydra|yaml|config|parse_args", re.IGNORECASE)
_HOST_MEMORY: Final = re.compile(
    r"DefaultCPUAllocator|^(\S+\.)?_?(Array)?MemoryError\b|std::bad_alloc|RESOURCE_EXHAUSTED|ResourceExhausted"
    r"|Cannot allocate memory|Unable to allocate|node running low on memory",
    re.IGNORECASE,
)
_RELAY: Final = re.compile(
    r"Caught \w+ in (DataLoader worker process|pin memory thread|replica) |[^\n]{0,300} \(\d+ sub-exceptions?\)$"
)
_CONNECTION: Final = re.compile(r"^(\S+\.)?Connection(Reset|Aborted|Refused)?Error$")
_CLIENT_FRAMES: Final = re.compile(
    r"/(urllib3|requests|httpx|httpcore|aiohttp|botocore|boto3|s3fs|gcsfs|fsspec|huggingface_hub|redis|pymongo|paramiko)/"
    r"|/http/client\.py|/urllib/request\.py"
)
"""Frames of clients of stores and services, which no rank speaks to another through."""
_GIVEN: Final = re.compile(
    r"\b(Input( [A-Za-z]\w{0,40})?|[Ii]nput data|[Ll]abels?|[Ff]eatures?|Sample weights?) contains? `?(NaN|inf)",
    re.IGNORECASE,
)
"""Values that a library refuses to learn from: they were no numbers before any was computed."""
_SCORES: Final = re.compile(r"/(sklearn|torchmetrics)/metrics/|/torchmetrics/")
"""Frames of what judges predictions, whose input the model made."""
_ENVIRON_FRAME: Final = re.compile(r"(<frozen os>|/os\.py):\d+ __getitem__$")


_READS_DATA: Final = re.compile(
    r"(?:^|/)torch/utils/data/"
    r"|:\d+ (?!.*(?:state|ckpt|checkpoint|model|weight))\w*(?:__getitem__|__iter__|collate|dataset"
    r"|(?:load|read)_(?:\w{1,20}_)?(?:data|shard|sample|feature|token|example|batch)(?:e?s)?)\w*$",
    re.IGNORECASE | re.MULTILINE,
)
"""Frames that read what is learned from, by the names of their functions."""
_DATA_CODE: Final = re.compile(
    r"\bload\((?!.*(?:model|weight|state|best|last|latest|optim|pretrain))"
    r".*(?:data(?:set)?|shard|feat(?:ure)?|sample|token|example|embed(?:ding)?|corpus)s?(?![a-z])",
    re.IGNORECASE,
)
_STATE_CODE: Final = r"load_state_dict\([^()]*\[{key}\]|\b\w*(?:ckpt|checkpoint|snapshot)\w*\[{key}\]"
"""A part of a checkpoint, as the line asks for it that raised."""


def _is_data(frames: str, code: str) -> bool:
    """Whether a file was read as data and not as a checkpoint, by the functions that did and the line of the job's."""
    if _RESUME_FRAMES.search(frames) or _STEP_PATH.search(code):
        return False
    return bool(_READS_DATA.search(frames) or _DATA_CODE.search(code))


def is_host_memory(exc_type: str, message: str) -> bool:
    """True when the exception says that host memory, not GPU memory, was refused."""
    return bool(_HOST_MEMORY.search(f"{exc_type}: {message}"))


def is_relay(message: str | None) -> bool:
    """True when the exception only hands on what others raised: a data loader's worker, or tasks of a group."""
    return bool(_RELAY.match(message or ""))


def classify(
    exc_type: str | None, message: str | None, frames: str | None = None, user_code: str | None = None
) -> Kind:
    """What kind of failure one exception is.

    ``frames`` (newline-separated) and the line of the job's own code decide where its text does not.
    """
    text = f"{exc_type or ''}: {(message or '')[:2000]}"
    where = frames or ""
    reads = _READER_FRAMES.search(where + text) or _READS_STATE.search(user_code or "")
    if _CORRUPT.search(text) and reads and "DataLoader worker" not in text:
        if _is_data(where, user_code or ""):
            return Kind(Cause.APPLICATION, "data")
        from_pretrained = "from_pretrained" in where and not _RESUME_FRAMES.search(where)
        return Kind(Cause.APPLICATION, "asset") if from_pretrained else Kind(Cause.CHECKPOINT)
    if "No such file" in text and _STEP_PATH.search(text) and _RESUME_FRAMES.search(where):
        return Kind(Cause.CHECKPOINT)
    if exc_type == "KeyError" and user_code and re.search(_STATE_CODE.format(key=re.escape(message or "")), user_code):
        return Kind(Cause.CHECKPOINT)
    if _CONNECTION.match(exc_type or "") and _CLIENT_FRAMES.search(where):
        return Kind(Cause.APPLICATION, "env")
    if "_create_tcp_store" in where and _NOT_MET.search(text):
        return Kind(Cause.RENDEZVOUS)
    if "DEADLINE_EXCEEDED" in text and _JOINS.search(user_code or ""):
        return Kind(Cause.RENDEZVOUS)
    if _GIVEN.search(text):
        return Kind(Cause.NUMERIC) if _SCORES.search(where) else Kind(Cause.APPLICATION, "data")
    for rule in _BY_TEXT:
        if rule.text.search(text):
            # Of the job's own crashes the exact texts know better whose fault they are.
            own = rule.kind.cause == Cause.APPLICATION
            return Kind(Cause.APPLICATION, fault_class(text) or rule.kind.fault_class) if own else rule.kind
    if (known := fault_class(text)) is not None:
        return Kind(Cause.APPLICATION, known)
    if (exc_type or "") == "KeyError" and _ENVIRON_FRAME.search(where):
        return Kind(Cause.APPLICATION, "env")
    if "No such file" in text or (exc_type or "").endswith("FileNotFoundError"):
        # The data loader's own files are data; a path that names a checkpoint is a resume that found nothing.
        named = _CHECKPOINT_FILE.search(text) or "torch/distributed/checkpoint" in where
        if named and not _DATA_FRAMES.search(where):
            return Kind(Cause.CHECKPOINT)
        in_data = _DATA_FRAMES.search(where) or "DataLoader worker" in text
        return Kind(Cause.APPLICATION, "data" if in_data else "config")
    if "from_pretrained" in where and not (exc_type or "").endswith(("TypeError", "AttributeError")):
        return Kind(Cause.APPLICATION, "asset")
    if is_host_memory(exc_type or "", message or ""):
        return Kind(Cause.APPLICATION, "config")
    if "DataLoader worker" in text or _DATA_FRAMES.search(where):
        return Kind(Cause.APPLICATION, "data")
    if _CONFIG_FRAMES.search(where):
        return Kind(Cause.APPLICATION, "config")
    return Kind(Cause.APPLICATION, "code")
