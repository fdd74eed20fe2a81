"""What to do about causes that are known exactly: one ordered table from the failure's own text to one action.

Only causes whose remedy follows from the text are listed; anything else gets the family's general action.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from inquest.analyze.model import FaultClass


@dataclass(frozen=True, slots=True)
class Remedy:
    """``pattern`` is searched in "Type: message"; named groups may be used in ``action``.

    ``fault_class`` stands where the text also says whose fault it is, whatever frames it came through.
    """

    pattern: re.Pattern[str]
    action: str
    fault_class: FaultClass | None = None


def _remedy(pattern: str, action: str) -> Remedy:
    return Remedy(re.compile(pattern, re.IGNORECASE | re.DOTALL), action)


def _known(fault_class: FaultClass, pattern: str, action: str) -> Remedy:
    return Remedy(re.compile(pattern, re.IGNORECASE | re.DOTALL), action, fault_class)


_ENVIRONMENT: Final = (
    _known(
        "env",
        r"model type `(?P<model>[^`]{1,80})` but Transformers does not recognize",
        "Upgrade transformers: the installed version does not know the architecture {model}.",
    ),
    _known(
        "env",
        r"Tokenizer class (?P<name>\w{1,80}) does not exist or is not currently imported",
        "Upgrade transformers (or install sentencepiece or tiktoken): the installed version has no {name}.",
    ),
    _known(
        "env",
        r"(?P<need>[\w.-]{1,60}[<>=!~]\S{1,120}) is required for a normal functioning of this module, but found "
        r"(?P<found>[\w-]+==[\w.]*\w)",
        "Install {need} in the environment of the job, on every node: the {found} found there does not fit.",
    ),
    _known(
        "env",
        r"^\S*(ImportError|ModuleNotFoundError)\b.{1,600}?pip install (-\S+ )*['\"`]?(?P<package>\w[\w.\[\]-]{0,60})",
        "Install {package} in the environment of the job, on every node, in the version the message asks for.",
    ),
    _known(
        "env",
        r"No package metadata was found for (?P<package>[\w.-]*\w)",
        "Install {package} in the environment of the job, on every node.",
    ),
    _known(
        "env",
        r"The '(?P<package>[\w.-]{1,80})' distribution was not found",
        "Install {package} in the environment of the job, on every node.",
    ),
    _known(
        "env",
        r"VersionConflict: \((?P<found>[\w.-]+ [\w.]+).{1,300}?Requirement\.parse\(['\"](?P<need>[^'\"]{1,100})",
        "Install {need} in the environment of the job: the {found} found there does not fit.",
    ),
    _known(
        "env",
        r"numpy\.dtype size changed|module 'numpy' has no attribute|Numpy is not available"
        r"|compiled using NumPy 1\.x cannot be run",
        "Install numpy and what is built on it in versions that fit each other (numpy<2 where one was built for 1.x).",
    ),
    _known(
        "env",
        r"Descriptors cannot (not )?be created directly",
        "Install protobuf 3.20.x, or packages whose code was generated for the installed protobuf.",
    ),
    _known(
        "env",
        r"version `(?P<version>GLIBC(XX)?_[\d.]+)' not found",
        "Install a build for this node's system, or use a newer system or container: it has no {version}.",
    ),
    _known(
        "env",
        r"CUDA Setup failed|libbitsandbytes_cpu\.so|cget_col_row_stats|bitsandbytes was compiled without GPU",
        "Run python -m bitsandbytes on the node, and install one built for its CUDA: it loaded no CUDA library.",
    ),
    _known(
        "env",
        r"detected CUDA version \((?P<have>[\d.]+)\) mismatches the version that was used to compile\s+PyTorch "
        r"\((?P<want>[\d.]+)\)",
        "Load the CUDA toolkit {want} that torch was built with, or a torch for {have}: it compiles extensions.",
    ),
    _known(
        "env",
        r"Installed CUDA version (?P<have>[\d.]+) does not match the version torch was compiled with "
        r"(?P<want>[\d.]*\d)",
        "Load the CUDA toolkit {want} that torch was built with, or a torch for {have}: it compiles extensions.",
    ),
    _known(
        "env",
        r"CUDA_HOME (does not exist|environment variable is not set)|Could not find (nvcc|a CUDA_HOME)",
        "Load a CUDA toolkit and set CUDA_HOME, or build the extension beforehand: the job compiles it when it starts.",
    ),
    _known(
        "env",
        r"driver on your system is too old|driver version is insufficient|compiled with an unsupported toolchain",
        "Update the NVIDIA driver of the node, or install a build for an older CUDA: it does not know this one.",
    ),
    _known(
        "env",
        r"unsupported display driver / cuda driver combination|driver/library version mismatch|LibRmVersionMismatch",
        "Reload the NVIDIA driver or reboot the node: its kernel module and its libraries are of different versions"
        " (in a container, also look for another libcuda on LD_LIBRARY_PATH).",
    ),
    _known(
        "env",
        r"forward compatibility was attempted on non supported HW",
        "Take CUDA's compat libraries off LD_LIBRARY_PATH, or update the driver: on this GPU they cannot replace it.",
    ),
    _known(
        "env",
        r"system not yet initialized",
        "Start nvidia-fabricmanager on the node, in the driver's own version: GPUs behind NVSwitch wait for it.",
    ),
    _known(
        "env",
        r"No GPU found\. A GPU is needed|cannot find any torch accelerator",
        "Request a GPU for the job (check --gres and CUDA_VISIBLE_DEVICES), and install a CUDA build of torch.",
    ),
    _known(
        "env",
        r"FlashAttention only supports \w+ GPUs or newer",
        "Set attn_implementation to sdpa: this GPU is older than those FlashAttention supports.",
    ),
    _known(
        "env",
        r"Bfloat16 is only supported on",
        "Turn bf16 off (fp16 has loss scaling for it), or run on a GPU that supports it.",
    ),
    _known(
        "env",
        r"type fp8\w+ not supported in this architecture",
        "Use a type this GPU has: fp8e4nv needs compute capability 8.9 and more.",
    ),
    _known(
        "env",
        r"Value '(?P<arch>sm_\w+)' is not defined for option 'gpu-name'",
        "Use a newer Triton or CUDA toolkit: its ptxas does not know {arch}.",
    ),
    _known(
        "env",
        r"Dataset scripts are no longer supported",
        "Use a copy of the dataset in Parquet, or datasets below 4.0: newer ones run no loading scripts.",
    ),
)
"""Packages, drivers and GPUs that do not fit the job or each other."""

_ASSETS: Final = (
    _known(
        "asset",
        r"LocalTokenNotFound|Token is required .{0,40}no token found",
        "Give the job a token (HF_TOKEN, or a login whose HF_HOME all nodes see): none was found.",
    ),
    _known(
        "asset",
        r"gated repo|GatedRepo|is restricted and you are not in the authorized list",
        "Accept the model's terms on its hub page and give the job a token (HF_TOKEN), or point it to a local copy.",
    ),
    _known(
        "asset",
        r"RepositoryNotFound|Repository Not Found for url",
        "Correct the repository's name, or give the job a token that may see it: others are told it is not there.",
    ),
    _known(
        "asset",
        r"Can't load (the )?(?P<what>tokenizer|model|config\w*|image processor|feature extractor|processor)\b.{0,40}? "
        r"for '(?P<path>[^']{1,300})'",
        "Check that {path} is there on this node and holds the files of the {what}; a directory of that name hides"
        " the hub's.",
    ),
    _known(
        "asset",
        r"no file named (?P<file>[\w.]+).{0,300}? found in directory (?P<path>\S{0,300}\w)",
        "Point to a complete model directory: {path} has no weights ({file}, or a form beside it).",
    ),
    _known(
        "asset",
        r"does not appear to have a file named (?P<file>[\w.]*\w)",
        "Point to a complete model: this one has no {file}; fetch its weights again, or choose another revision.",
    ),
    _known(
        "asset",
        r"Can't find '(?P<file>adapter_config\.json)' at '(?P<path>[^']{1,300})'",
        "Point to the adapter's own directory: {path} has no {file}, so it is no adapter.",
    ),
    _known(
        "asset",
        r"Unsloth: No config file found",
        "Correct model_name: neither the hub nor this node has a model of that name with a config.json.",
    ),
    _known(
        "asset",
        r"UnpicklingError: invalid load key, 'v'",
        "Fetch the file itself (git lfs pull): what begins with a v is most likely the pointer that Git LFS left.",
    ),
    _known(
        "asset",
        r"^httpx\.Connect(Error|Timeout)",
        "Download the asset before the job starts and point the job to the local copy: the compute node cannot "
        "reach it.",
    ),
)
"""Models and what comes from a hub."""

_SETTINGS: Final = (
    _known(
        "config",
        r"execute the model you can inspect|contains custom code which must be executed",
        "Read the model's own code and pass trust_remote_code=True, or take a version of the model that needs none.",
    ),
    _known(
        "config",
        r"Unrecognized configuration class .{1,200}? for this kind of AutoModel: (?P<auto>\w+)",
        "Load it with the class for its task: {auto} does not take this model.",
    ),
    _known(
        "config",
        r"unexpected keyword argument '?evaluation_strategy",
        "Write eval_strategy instead of evaluation_strategy: transformers renamed it.",
    ),
    _known(
        "config",
        r"SFTTrainer\.__init__\(\) got an unexpected keyword argument "
        r"'(?P<name>max_seq_length|dataset_text_field|packing)'",
        "Give {name} to SFTConfig instead of SFTTrainer (newer versions of TRL call max_seq_length max_length).",
    ),
    _known(
        "config",
        r"Trainer\.__init__\(\) got an unexpected keyword argument 'tokenizer'",
        "Write processing_class instead of tokenizer: the installed trainer renamed it.",
    ),
    _known(
        "config",
        r"unexpected keyword argument '(?P<name>\w{1,80})'",
        "Rename or drop the argument {name}: the installed version of what is called does not take it.",
    ),
    _known("config", r"mutually exclusive", "Give only one of the options the message names."),
    _known(
        "config",
        r"load_best_model_at_end requires",
        "Give eval_strategy and save_strategy the same value, or turn load_best_model_at_end off.",
    ),
    _known(
        "config",
        r"(does not have|without) a padding token|no padding token is defined",
        "Set tokenizer.pad_token (for example to tokenizer.eos_token) and model.config.pad_token_id.",
    ),
    _known(
        "config",
        r"need to specify either .{0,200}(dataset_text_field|formatting_func)",
        "Set dataset_text_field (or a formatting_func), so that the trainer knows which column holds the text.",
    ),
    _known(
        "config",
        r"Undefined dataset (?P<name>\S{1,100}) in (?P<file>\S*dataset_info\.json)",
        "Add {name} to {file}, or correct its name.",
    ),
    _known(
        "config",
        r"Template (?P<name>\S{1,80}) does not exist",
        "Correct the template: the installed version has no {name}.",
    ),
    _known(
        "config",
        r"validation errors? for (?P<model>\w{1,80})\s+(?P<field>[\w.\[\]-]{1,200})",
        "Correct {field} in the configuration (it is checked as {model}): the message says what it must be.",
    ),
    _known(
        "config",
        r"at least one of datasets or pretraining_dataset is required",
        "Name the data in the configuration: datasets, or pretraining_dataset.",
    ),
    _known(
        "config",
        r"unhandled prompt tokenization strategy: (?P<name>\S{1,80})",
        "Correct the dataset's type in the configuration: the installed version has no {name}.",
    ),
    _known(
        "config",
        r"specify `target_modules`|No modules were targeted|No `target_modules` passed"
        r"|Target module .{1,300} is not supported",
        "Set target_modules to linear layers the base model has (print them with model.named_modules()).",
    ),
    _known(
        "config",
        r"arguments are not used by the HfArgumentParser: (?P<names>[^\n]{1,200})",
        "Correct or remove these options: {names}.",
    ),
    _known(
        "config",
        r"unrecognized arguments: (?P<names>[^\n]{1,200})",
        "Correct or remove these options: {names}.",
    ),
    _known(
        "config",
        r"the following arguments are required: (?P<names>[^\n]{1,200})",
        "Give these options to the script: {names}.",
    ),
    _known(
        "config",
        r"argument (?P<name>-[\w/-]{1,80}): (?P<what>invalid|expected) ",
        "Correct the value of {name} on the command line.",
    ),
    _known("config", r"No such option: (?P<name>\S{1,80})", "Correct or remove the option {name}."),
    _known(
        "config",
        r"In '(?P<file>[^']{1,200})': Could not find '(?P<name>[^']{1,200})'",
        "Choose a file that is there instead of {name} (named in {file}), or correct the configuration's search path.",
    ),
    _known(
        "config",
        r"Could not override '(?P<name>[^']{1,200})'",
        "Correct the override {name}, or put a + before it to add a new key.",
    ),
    _known(
        "config",
        r"Error locating target '(?P<name>[^']{1,200})'",
        "Correct _target_: {name} cannot be imported.",
    ),
    _known(
        "config",
        r"Missing mandatory value: (?P<name>[\w.\[\]]{1,200})",
        "Set {name} in the configuration or on the command line: it has no default.",
    ),
    _known(
        "config",
        r"Interpolation key '(?P<name>[^']{1,200})' not found",
        "Define {name} in the configuration: another value refers to it.",
    ),
    _known(
        "config",
        r"(Key|Attribute) '(?P<name>[^']{1,200})' (is )?not in (struct|')",
        "Remove {name} from what is set or read, or add it to the configuration: it has no such key.",
    ),
    _known(
        "config",
        r"omegaconf\.\S*ValidationError: (?P<what>[^\n]{1,200})",
        "Correct the value in the configuration: {what}.",
    ),
    _known(
        "config",
        r'(?:yaml|ruamel).{1,300}? in "(?P<file>[^"]{1,200})", line (?P<line>\d+)',
        "Correct the YAML of {file}, line {line}.",
    ),
    _known(
        "config",
        r"train_batch_size is not equal to|Micro batch sizes .{1,100} must be divisible",
        "Make train_batch_size equal to micro batch size x gradient accumulation x number of ranks.",
    ),
    _known(
        "config",
        r"Unknown split [\"'](?P<name>[^\"']{1,80})[\"']\. Should be one of (?P<names>\[[^\]]{1,200}\])",
        "Use a split the dataset has: {names}, not {name}.",
    ),
    _known(
        "config",
        r"BuilderConfig '(?P<name>[^']{1,100})' not found\. Available: (?P<names>\[[^\]]{1,300}\])",
        "Use a configuration the dataset has, not {name}: {names}.",
    ),
)
"""Arguments, configuration files and options of trainers."""

_DATA: Final = (
    _known(
        "data",
        r"Cannot find valid samples",
        "Bring the data into the format and the columns that dataset_info.json declares for it.",
    ),
    _known(
        "data",
        r"Unable to create tensor, you should probably activate truncation",
        "Turn on padding and truncation, or use a collator that pads the labels too: the samples differ in length.",
    ),
    _known(
        "data",
        r"should supply an encoding or a list of encodings .{1,60} includes (?P<name>\w+)",
        "Tokenize the data first and keep the column {name}: remove_unused_columns drops what the model does not take.",
    ),
    _known(
        "data",
        r"DatasetNotFoundError|doesn't exist on the Hub or cannot be accessed",
        "Correct the dataset's name or path, or give the job a token that may see it.",
    ),
    _known(
        "data",
        r"Couldn't find any data file at (?P<path>\S{0,300}\w)",
        "Correct the data path: no data file lies at {path} on this node.",
    ),
    _known(
        "data",
        r"DatasetGenerationCastError|data files must have the same columns",
        "Give all data files the same columns, or list those that differ as configurations of their own.",
    ),
    _known(
        "data",
        r"Parquet magic bytes not found|this is not a parquet file",
        "Fetch or write this Parquet file again: it is cut off, or a page or a Git LFS pointer lies in its place.",
    ),
    _known(
        "data",
        r"ArrowCapacityError|array cannot contain more than|offset overflow while concatenating",
        "Make the pieces smaller (writer_batch_size, row groups), or store long texts as large_string: an Arrow array"
        " of strings holds 2 GiB.",
    ),
    _known(
        "data",
        r"ArrowTypeError|Expected bytes, got a '(?P<what>\w+)' object",
        "Give every value of the column named above one type, and an explicit schema (features).",
    ),
)
"""What samples and data files are made of."""

REMEDIES: Final = (
    *_ENVIRONMENT,
    *_ASSETS,
    *_SETTINGS,
    *_DATA,
    _remedy(
        r"Target modules .*query_key_value.* not found",
        "Set target_modules to q_proj, k_proj, v_proj (and o_proj): this base model has no fused query_key_value "
        "layer.",
    ),
    _remedy(
        r"Target modules (?P<modules>.{1,200}?) not found",
        "Set target_modules to layer names the base model has (print them with model.named_modules()).",
    ),
    _remedy(
        r"FlashAttention2? has been toggled on|No module named '?flash_attn",
        "Install flash-attn built for this torch and CUDA, or set attn_implementation to sdpa.",
    ),
    _remedy(
        r"No module named '(?P<module>argparse|multiprocessing|os|sys|json)[.']",
        "Rebuild the Python environment: {module} is part of the standard library, so its files vanished or are "
        "unreadable"
        " on the node.",
    ),
    _remedy(
        r"No module named ['\"]?(?P<module>[\w.]+)",
        "Install the package that provides {module} in the environment of the job, on every node.",
    ),
    _remedy(
        r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'",
        "Pin {module} to a version that has {name}: the installed one does not.",
    ),
    _remedy(
        r"(?P<library>[\w.+-]+\.so[\w.]*): cannot open shared object",
        "Make {library} available: install the matching CUDA or system package, or set LD_LIBRARY_PATH on every node.",
    ),
    _remedy(
        r"undefined symbol|GLIBCXX_",
        "Rebuild or reinstall the extension against the installed torch and compiler: its binary interface does not "
        "match.",
    ),
    _remedy(
        r"Repo id must be in the form .{0,40}?'(?P<path>[^']{1,300})'\. Use",
        "Correct the path: {path} does not exist on this node, so it was taken for a hub id.",
    ),
    _remedy(
        r"not a valid model identifier",
        "Correct the model name or path, or give the job a token if the repository is private.",
    ),
    _remedy(
        r"Unrecognized model in",
        "Point to a complete model directory: this one has no config.json with a model_type.",
    ),
    _remedy(
        r"OfflineModeIsEnabled|couldn't connect to|LocalEntryNotFound|Couldn't reach|ConnectTimeout|Max retries "
        r"exceeded|URLError",
        "Download the asset before the job starts and point the job to the local copy: the compute node cannot "
        "reach it.",
    ),
    _remedy(
        r"HTTP ?Error 40[13]|40[13] Client Error|403 Forbidden|401 Unauthorized",
        "Give the job credentials for this download, or fetch the file beforehand: the server refused it.",
    ),
    _remedy(
        r"not compiled with CUDA",
        "Install a CUDA build of torch: the installed one is CPU-only.",
    ),
    _remedy(
        r"no NVIDIA driver|no CUDA-capable device|no CUDA GPUs|no GPUs found|Unknown "
        r"backend|initialize backend",
        "Run on a node whose NVIDIA driver is loaded and fits the CUDA build, and request a GPU for the job (check"
        " --gres and CUDA_VISIBLE_DEVICES).",
    ),
    _remedy(
        r"invalid device ordinal",
        "Start at most one rank for each visible GPU: the local rank is beyond CUDA_VISIBLE_DEVICES.",
    ),
    _remedy(
        r"no kernel image is available",
        "Install a build that supports this GPU's compute capability.",
    ),
    _remedy(
        r"EADDRINUSE|address already in use",
        "Choose a free MASTER_PORT for each job (for example derived from the job id), or end the process that "
        "holds it.",
    ),
    _remedy(
        r"environment variable (?P<name>\w+) expected",
        "Start the script with torchrun (or export {name}): the process-group variables are not set.",
    ),
    _remedy(
        r"support bf16",
        "Turn bf16 off, or run on a GPU that supports it.",
    ),
    _remedy(
        r"No space left on device|\[Errno (?:28|122)\]|os error 28|Disk quota exceeded|iostream error"
        r"|unexpected pos \d+ vs|PytorchStreamWriter failed",
        "Free space or raise the quota where the job writes, and keep fewer checkpoints.",
    ),
    _remedy(
        r"Too many open files",
        "Raise the limit of open files (ulimit -n), or use torch.multiprocessing.set_sharing_strategy('file_system').",
    ),
    _remedy(
        r"Permission denied",
        "Give the job's user the right to the path named in the message, or choose another path.",
    ),
    _remedy(
        r"deserialize object on a CUDA device",
        "Load with map_location='cpu', or run on a node with a GPU.",
    ),
    _remedy(
        r"device-side assert",
        "Run once with CUDA_LAUNCH_BLOCKING=1 and check labels and token ids against the size of the layer they index.",
    ),
    _remedy(
        r"index out of range in self",
        "Check that every token id is smaller than the embedding: resize the embedding or use the matching tokenizer.",
    ),
    _remedy(
        r"stack expects each tensor to be equal size",
        "Pad or crop the samples in collate_fn: their shapes differ.",
    ),
    _remedy(
        r"shapes cannot be multiplied|must have the same dtype",
        "Make the layer and its input agree in shape and dtype at the frame named above.",
    ),
    _remedy(
        r"parameters that were not used in producing loss",
        "Use find_unused_parameters=True, or make every parameter take part in the loss.",
    ),
    _remedy(
        r"JSON parse error",
        "Repair the data file: the row named in the message is not valid JSON.",
    ),
    _remedy(
        r"No such file or directory: b?['\"](?P<path>[^'\"]{1,300})",
        "Create {path} or correct the path; it must be visible on every node.",
    ),
    _remedy(
        r"Unable to find '(?P<path>[^']{1,300})|Directory (?P<directory>\S{1,300}) not found",
        "Correct the data path; it must be visible on every node.",
    ),
    _remedy(
        r"DefaultCPUAllocator|MemoryError|Unable to allocate|bad_alloc|RESOURCE_EXHAUSTED|ResourceExhausted",
        "Reduce what the job holds in host memory (batch, cached data, workers), or request more memory.",
    ),
)


def remedy(exc_type: str | None, message: str | None) -> str | None:
    """The action for a known cause, or None when the text does not determine one."""
    text = f"{exc_type or ''}: {(message or '')[:2000]}"
    for entry in REMEDIES:
        if match := entry.pattern.search(text):
            groups = {name: value for name, value in match.groupdict().items() if value}
            return entry.action.format_map(groups)
    return None


def fault_class(text: str) -> FaultClass | None:
    """Whose fault a known cause is by "Type: message" alone; None where it takes more to tell."""
    return next((entry.fault_class for entry in REMEDIES if entry.fault_class and entry.pattern.search(text)), None)
