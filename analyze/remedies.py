"""What to do about causes that are known exactly: one ordered table from the failure's own text to one action.

Only causes whose remedy follows from the text are listed; anything else gets the family's general action.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Remedy:
    """``pattern`` is searched in "Type: message"; named groups may be used in ``action``."""

    pattern: re.Pattern[str]
    action: str


def _remedy(pattern: str, action: str) -> Remedy:
    return Remedy(re.compile(pattern, re.IGNORECASE | re.DOTALL), action)


REMEDIES: Final = (
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
        r"gated repo",
        "Accept the model's terms on its hub page and give the job a token (HF_TOKEN), or point it to a local copy.",
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
        r"no NVIDIA driver|driver version is insufficient|no CUDA-capable device|no CUDA GPUs|no GPUs found|Unknown "
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
        r"No space left on device|os error 28|Disk quota exceeded|iostream error|unexpected pos \d+ vs"
        r"|PytorchStreamWriter failed",
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
