"""Start-up crashes of the libraries people train with: real wordings, whose fault each is, and what the remedy names.

The texts are those of the libraries' own sources (versions, names and paths varied); all are read in one pass, as
tracebacks of one log.
"""

# ruff: noqa: E501 (messages are kept whole)

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.facts import logged_facts
from inquest.analyze.families._causes import Cause, classify
from inquest.analyze.remedies import remedy
from inquest.bundle.store import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Mapping

FRAMES = (
    "Traceback (most recent call last):\n"
    '  File "/work/train.py", line 30, in <module>\n    main()\n'
    '  File "/venv/lib/python3.11/site-packages/library/core.py", line 99, in load\n    raise error\n'
)

# The last line of a traceback, whose fault it is (any of these), and a word of the remedy.
WORDINGS: dict[str, tuple[str, str, str]] = {
    "transformers-arch": (
        "ValueError: The checkpoint you are trying to load has model type `qwen3` but Transformers does not recognize this architecture. This could be because of an issue with the checkpoint, or because your version of Transformers is out of date.",
        "env",
        "transformers",
    ),
    "transformers-automodel": (
        "ValueError: Unrecognized configuration class <class 'transformers.models.t5.configuration_t5.T5Config'> for this kind of AutoModel: AutoModelForCausalLM.\nModel type should be one of BartConfig, BertConfig.",
        "config",
        "AutoModel",
    ),
    "transformers-accelerate": (
        "ImportError: Using `low_cpu_mem_usage=True`, a `device_map` or a `tp_plan` requires Accelerate: `pip install 'accelerate>=0.26.0'`",
        "env",
        "nstall",
    ),
    "transformers-eval-strategy": (
        "TypeError: TrainingArguments.__init__() got an unexpected keyword argument 'evaluation_strategy'",
        "env config",
        "evaluation_strategy",
    ),
    "transformers-best-model": (
        "ValueError: --load_best_model_at_end requires the save and eval strategy to match, but found\n- Evaluation strategy: IntervalStrategy.NO\n- Save strategy: SaveStrategy.STEPS",
        "config",
        "eval_strategy",
    ),
    "transformers-pad-token": (
        "ValueError: Asking to pad but the tokenizer does not have a padding token. Please select a token to use as `pad_token` `(tokenizer.pad_token = tokenizer.eos_token e.g.)` or add a new pad token via `tokenizer.add_special_tokens({'pad_token': '[PAD]'})`.",
        "config data code",
        "pad_token",
    ),
    "transformers-unable-tensor": (
        "ValueError: Unable to create tensor, you should probably activate truncation and/or padding with 'padding=True' 'truncation=True' to have batched tensors with the same length. Perhaps your features (`labels` in this case) have excessive nesting (inputs type `list` where type `int` is expected).",
        "data",
        "pad",
    ),
    "transformers-input-ids": (
        "ValueError: You should supply an encoding or a list of encodings to this method that includes input_ids, but you provided ['label']",
        "data",
        "column",
    ),
    "transformers-tokenizer": (
        "OSError: Can't load tokenizer for '/models/llama'. If you were trying to load it from 'https://huggingface.co/models', make sure you don't have a local directory with the same name. Otherwise, make sure '/models/llama' is the correct path to a directory containing all relevant files for a LlamaTokenizerFast tokenizer.",
        "asset",
        "tokenizer",
    ),
    "transformers-not-id": (
        "OSError: my-org/nope is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'\nIf this is a private repository, make sure to pass a token having permission to this repo either by logging in with `hf auth login` or by passing `token=<your_token>`",
        "asset",
        "model name",
    ),
    "transformers-offline": (
        "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the cached files.\nCheck your internet connection or see how to run the library in offline mode at 'https://huggingface.co/docs/transformers/installation#offline-mode'.",
        "asset",
        "ownload",
    ),
    "transformers-no-weights": (
        "OSError: Error no file named pytorch_model.bin, model.safetensors, tf_model.h5, model.ckpt.index or flax_model.msgpack found in directory /models/llama.",
        "asset",
        "weights",
    ),
    "transformers-no-file-named": (
        "OSError: my-org/x does not appear to have a file named pytorch_model.bin or model.safetensors.",
        "asset",
        "weights",
    ),
    "transformers-tokclass": (
        "ValueError: Tokenizer class Qwen2Tokenizer does not exist or is not currently imported.",
        "env",
        "transformers",
    ),
    "transformers-fsdp-arg": (
        "ValueError: `--fsdp full_shard` and `--fsdp_config` are mutually exclusive",
        "config",
        ".",
    ),
    "transformers-trust": (
        "ValueError: The repository for THUDM/chatglm3-6b contains custom code which must be executed to correctly load the model. You can inspect the repository content at https://hf.co/THUDM/chatglm3-6b.\nPlease pass the argument `trust_remote_code=True` to allow custom code to be run.",
        "config",
        "trust_remote_code",
    ),
    "hub-offline-mode": (
        "huggingface_hub.errors.OfflineModeIsEnabled: Cannot reach https://huggingface.co/api/models/gpt2: offline mode is enabled. To disable it, please unset the `HF_HUB_OFFLINE` environment variable.",
        "asset",
        "ownload",
    ),
    "hub-entry-not-found": (
        "huggingface_hub.errors.LocalEntryNotFoundError: Cannot find the requested files in the disk cache and outgoing traffic has been disabled. To enable hf.co look-ups and downloads online, set 'local_files_only' to False.",
        "asset",
        "ownload",
    ),
    "hub-token": (
        "huggingface_hub.errors.LocalTokenNotFoundError: Token is required (`token=True`), but no token found. You need to provide a token or be logged in to Hugging Face with `hf auth login` or `huggingface_hub.login`. See https://huggingface.co/settings/tokens.",
        "asset config env",
        "token",
    ),
    "hub-gated": (
        "huggingface_hub.errors.GatedRepoError: 403 Client Error. (Request ID: Root=1-66)\n\nCannot access gated repo for url https://huggingface.co/meta-llama/Llama-3.1-8B/resolve/main/config.json.\nAccess to model meta-llama/Llama-3.1-8B is restricted and you are not in the authorized list.",
        "asset",
        "terms",
    ),
    "hub-repo-not-found": (
        "huggingface_hub.errors.RepositoryNotFoundError: 401 Client Error. (Request ID: Root=1-66)\n\nRepository Not Found for url: https://huggingface.co/api/models/nope.\nPlease make sure you specified the correct `repo_id` and `repo_type`.\nIf you are trying to access a private or gated repo, make sure you are authenticated.",
        "asset",
        ".",
    ),
    "hub-validation": (
        "huggingface_hub.errors.HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/data/models/llama-3'. Use `repo_type` argument if needed.",
        "asset",
        "/data/models/llama-3",
    ),
    "hub-dns": (
        "requests.exceptions.ConnectionError: (MaxRetryError(\"HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /gpt2/resolve/main/config.json (Caused by NameResolutionError('Failed to resolve huggingface.co'))\"), '(Request ID: 1)')",
        "asset",
        "ownload",
    ),
    "hub-httpx": ("httpx.ConnectError: [Errno -2] Name or service not known", "asset env", "."),
    "lfs-pointer": ("_pickle.UnpicklingError: invalid load key, 'v'.", "asset data", "LFS"),
    "trl-max-seq": (
        "TypeError: SFTTrainer.__init__() got an unexpected keyword argument 'max_seq_length'",
        "env config",
        "max_seq_length",
    ),
    "trl-dataset": (
        "ValueError: You need to specify either `packing`, `dataset_text_field`, `formatting_func`, or `dataset_kwargs` in `SFTConfig`",
        "config",
        ".",
    ),
    "trl-vllm": (
        "ImportError: vLLM is not available and `use_vllm` is set to True. Please install vLLM with `pip install trl[vllm]` to use it.",
        "env",
        "nstall",
    ),
    "lf-undefined-dataset": (
        "ValueError: Undefined dataset identity2 in dataset_info.json.",
        "config",
        "dataset_info.json",
    ),
    "lf-no-samples": (
        "RuntimeError: Cannot find valid samples, check `data/README.md` for the data format.",
        "data",
        "format",
    ),
    "lf-template": ("ValueError: Template llama4x does not exist.", "config", "emplate"),
    "lf-version": (
        "ImportError: transformers>=4.45.0,<=4.52.4,!=4.46.*,!=4.47.*,!=4.48.0,!=4.52.0 is required for a normal functioning of this module, but found transformers==4.48.0.\nTo fix: run `pip install transformers>=4.45.0,<=4.52.4`.",
        "env",
        "nstall",
    ),
    "axolotl-pydantic": (
        "pydantic_core._pydantic_core.ValidationError: 2 validation errors for AxolotlConfigWCapabilities\nlora_r\n  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='eight', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.10/v/int_parsing",
        "config",
        "onfiguration",
    ),
    "axolotl-datasets": ("ValueError: at least one of datasets or pretraining_dataset is required", "config", "."),
    "axolotl-strategy": ("ValueError: unhandled prompt tokenization strategy: sharegpt2", "config", "."),
    "unsloth-gpu": ("NotImplementedError: Unsloth cannot find any torch accelerator? You need a GPU.", "env", "GPU"),
    "unsloth-config": (
        "RuntimeError: Unsloth: No config file found - are you sure the `model_name` is correct?\nIf you're using a model on your local device, confirm if the folder location exists.",
        "asset",
        "model",
    ),
    "unsloth-zoo": ("ImportError: Unsloth: Please install unsloth_zoo via `pip install unsloth_zoo`", "env", "nstall"),
    "peft-targets": (
        "ValueError: Target modules {'q_proj', 'v_proj'} not found in the base model. Please check the target modules and try again.",
        "config",
        "target_modules",
    ),
    "peft-specify": (
        "ValueError: Please specify `target_modules` or `target_parameters`in `peft_config`",
        "config",
        "target_modules",
    ),
    "peft-unsupported": (
        "ValueError: Target module Dropout(p=0.1, inplace=False) is not supported. Currently, only the following modules are supported: `torch.nn.Linear`, `torch.nn.Embedding`, `torch.nn.Conv2d`, `transformers.pytorch_utils.Conv1D`.",
        "config",
        "target_modules",
    ),
    "peft-adapter": ("ValueError: Can't find 'adapter_config.json' at '/ckpt/lora'", "asset", "adapter"),
    "datasets-hub": (
        "datasets.exceptions.DatasetNotFoundError: Dataset 'my-org/nope' doesn't exist on the Hub or cannot be accessed.",
        "asset data",
        "ataset",
    ),
    "datasets-files": (
        "FileNotFoundError: Couldn't find any data file at /data/train. Couldn't find 'train' on the Hugging Face Hub either: LocalEntryNotFoundError",
        "data asset",
        "path",
    ),
    "datasets-cast": (
        "datasets.exceptions.DatasetGenerationCastError: An error occurred while generating the dataset\n\nAll the data files must have the same columns, but at some point there are 1 new columns ({'extra'})\n\nThis happened while the json dataset builder was generating data using\n\n/data/b.jsonl",
        "data",
        "column",
    ),
    "datasets-json": (
        "pyarrow.lib.ArrowInvalid: JSON parse error: Column(/messages) changed from string to array in row 3",
        "data",
        "row",
    ),
    "datasets-parquet": (
        "pyarrow.lib.ArrowInvalid: Parquet magic bytes not found in footer. Either the file is corrupted or this is not a parquet file.",
        "data",
        "ile",
    ),
    "datasets-capacity": (
        "pyarrow.lib.ArrowCapacityError: array cannot contain more than 2147483646 bytes, have 2147483650",
        "data",
        ".",
    ),
    "datasets-offset": ("pyarrow.lib.ArrowInvalid: offset overflow while concatenating arrays", "data", "."),
    "datasets-split": ("ValueError: Unknown split \"validation\". Should be one of ['train'].", "config data", "split"),
    "datasets-builder": (
        "ValueError: BuilderConfig 'plain' not found. Available: ['wikitext-103-v1', 'wikitext-2-v1']",
        "config",
        ".",
    ),
    "datasets-script": (
        "RuntimeError: Dataset scripts are no longer supported, but found wikitext.py",
        "env",
        "datasets",
    ),
    "datasets-pyarrow-schema": ("pyarrow.lib.ArrowTypeError: Expected bytes, got a 'int' object", "data", "."),
    "bnb-setup": (
        "RuntimeError: \n        CUDA Setup failed despite GPU being available. Please run the following command to get more information:\n\n        python -m bitsandbytes\n",
        "env",
        "bitsandbytes",
    ),
    "bnb-so": (
        "OSError: libcudart.so.11.0: cannot open shared object file: No such file or directory",
        "env",
        "libcudart.so.11.0",
    ),
    "bnb-symbol": (
        "AttributeError: /opt/venv/lib/python3.10/site-packages/bitsandbytes/libbitsandbytes_cpu.so: undefined symbol: cget_col_row_stats",
        "env",
        ".",
    ),
    "bnb-meta": (
        "importlib.metadata.PackageNotFoundError: No package metadata was found for bitsandbytes",
        "env",
        "nstall",
    ),
    "bnb-required": (
        "ImportError: Using `bitsandbytes` 4-bit quantization requires the latest version of bitsandbytes: `pip install -U bitsandbytes`",
        "env",
        "nstall",
    ),
    "bnb-no-cuda": ("RuntimeError: No GPU found. A GPU is needed for quantization.", "env", "GPU"),
    "import-name": (
        "ImportError: cannot import name 'LlamaFlashAttention2' from 'transformers.models.llama.modeling_llama' (/opt/venv/lib/python3.11/site-packages/transformers/models/llama/modeling_llama.py)",
        "env",
        "version",
    ),
    "tokenizers-version": (
        "ImportError: tokenizers>=0.21,<0.22 is required for a normal functioning of this module, but found tokenizers==0.20.3.\nTry: `pip install transformers -U` or `pip install -e '.[dev]'` if you're working with git main",
        "env",
        "tokenizers",
    ),
    "flash-attn-symbol": (
        "RuntimeError: Failed to import transformers.models.llama.modeling_llama because of the following error (look up to see its traceback):\n/opt/venv/lib/python3.10/site-packages/flash_attn_2_cuda.cpython-310-x86_64-linux-gnu.so: undefined symbol: _ZN3c104cuda9SetDeviceEi",
        "env",
        ".",
    ),
    "numpy-dtype-size": (
        "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88 from PyObject",
        "env",
        "numpy",
    ),
    "numpy-attr": (
        "AttributeError: module 'numpy' has no attribute 'bool'.\n`np.bool` was a deprecated alias for the builtin `bool`.",
        "env code",
        "numpy",
    ),
    "numpy-unavailable": ("RuntimeError: Numpy is not available", "env", "umpy"),
    "pkg-conflict": (
        "pkg_resources.VersionConflict: (protobuf 5.27.0 (/opt/venv/lib/python3.10/site-packages), Requirement.parse('protobuf<4'))",
        "env",
        ".",
    ),
    "pkg-distribution": (
        "pkg_resources.DistributionNotFound: The 'apex' distribution was not found and is required by the application",
        "env",
        "nstall",
    ),
    "glibc": (
        "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by /opt/venv/lib/python3.10/site-packages/flash_attn_2_cuda.so)",
        "env",
        ".",
    ),
    "protobuf": (
        "TypeError: Descriptors cannot be created directly.\nIf this call came from a _pb2.py file, your generated code is out of date and must be regenerated with protoc >= 3.19.0.",
        "env",
        "protobuf",
    ),
    "no-kernel-image": (
        "RuntimeError: CUDA error: no kernel image is available for execution on the device\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.",
        "env",
        "compute capability",
    ),
    "flash-ampere": ("RuntimeError: FlashAttention only supports Ampere GPUs or newer.", "env config", "ttention"),
    "bf16": (
        "ValueError: Your setup doesn't support bf16/gpu. You need Ampere+ GPU with cuda>=11.0",
        "config env",
        "bf16",
    ),
    "bf16-2": (
        "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla V100-SXM2-32GB GPU has compute capability 7.0.",
        "config env",
        "bf16",
    ),
    "fp8": (
        "ValueError: type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e5')",
        "env config",
        ".",
    ),
    "sm-90": ("RuntimeError: ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'", "env", "."),
    "driver-old": (
        "RuntimeError: The NVIDIA driver on your system is too old (found version 11040). Please update your GPU driver by downloading and installing a new version from the URL: http://www.nvidia.com/Download/index.aspx",
        "env",
        "driver",
    ),
    "cuda-mismatch": (
        "RuntimeError: \nThe detected CUDA version (11.8) mismatches the version that was used to compile\nPyTorch (12.1). Please make sure to use the same CUDA versions.",
        "env",
        "CUDA",
    ),
    "ds-mismatch": (
        "deepspeed.ops.op_builder.builder.CUDAMismatchException: >- DeepSpeed Op Builder: Installed CUDA version 12.4 does not match the version torch was compiled with 12.1, unable to compile cuda/cpp extensions without a matching cuda version.",
        "env",
        "CUDA",
    ),
    "ds-cuda-home": (
        "deepspeed.ops.op_builder.builder.MissingCUDAException: CUDA_HOME does not exist, unable to compile CUDA op(s)",
        "env",
        "CUDA_HOME",
    ),
    "cuda-home": (
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
        "env",
        "CUDA_HOME",
    ),
    "ptx": ("RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain.", "env", "driver"),
    "803": (
        "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 803: system has unsupported display driver / cuda driver combination",
        "env",
        "driver",
    ),
    "804": (
        "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 804: forward compatibility was attempted on non supported HW",
        "env",
        "driver",
    ),
    "802": (
        "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized",
        "env",
        "abric",
    ),
    "nvml-mismatch": (
        "pynvml.NVMLError_LibRmVersionMismatch: RM has detected an NVML/RM version mismatch.",
        "env",
        "driver",
    ),
    "hfargs": (
        "ValueError: Some specified arguments are not used by the HfArgumentParser: ['--learning_rte', '2e-5']",
        "config",
        "--learning_rte",
    ),
    "hydra-missing": ("hydra.errors.MissingConfigException: In 'config': Could not find 'model/llama9'", "config", "."),
    "hydra-compose": (
        "hydra.errors.ConfigCompositionException: Could not override 'optim.lrr'.\nTo append to your config use +optim.lrr=1",
        "config",
        ".",
    ),
    "hydra-locate": (
        "hydra.errors.InstantiationException: Error locating target 'models.Nope', set env var HYDRA_FULL_ERROR=1 to see chained exception.",
        "config",
        ".",
    ),
    "oc-missing": (
        "omegaconf.errors.MissingMandatoryValue: Missing mandatory value: model.path\n    full_key: model.path\n    object_type=dict",
        "config",
        "model.path",
    ),
    "oc-interp": (
        "omegaconf.errors.InterpolationKeyError: Interpolation key 'paths.root' not found\n    full_key: data.dir",
        "config",
        "paths.root",
    ),
    "oc-struct": (
        "omegaconf.errors.ConfigAttributeError: Key 'warmup' is not in struct\n    full_key: optim.warmup\n    object_type=dict",
        "config",
        "warmup",
    ),
    "oc-valid": (
        "omegaconf.errors.ValidationError: Value 'abc' of type 'str' could not be converted to Integer\n    full_key: optim.steps",
        "config",
        ".",
    ),
    "yaml": (
        'yaml.scanner.ScannerError: mapping values are not allowed here\n  in "conf.yaml", line 3, column 9',
        "config",
        ".",
    ),
    "ds-batch": (
        "AssertionError: Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size 32 != 2 * 1 * 8",
        "config",
        "train_batch_size",
    ),
    "device-assert": (
        "RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1.",
        "data code",
        "CUDA_LAUNCH_BLOCKING",
    ),
}


@cache
def read() -> Mapping[str, tuple[str, str, str]]:
    """Type, message and frames of each wording's exception as the log reader tells them."""
    names = list(WORDINGS)
    rows = []
    for rank, name in enumerate(names):
        lines = f"loading\n{FRAMES}{WORDINGS[name][0]}\n".splitlines(keepends=True)
        rows += [{"text": line, "source": f"rank-{rank}.log", "rank": rank} for line in lines]
    exceptions = logged_facts(MemoryStore.from_rows({"log_lines": rows}))["fact_exceptions"]
    told = exceptions.select("rank", "exc_type", "message", "frames").iter_rows()
    return {names[rank]: (kind, message or "", frames or "") for rank, kind, message, frames in told}


@pytest.mark.parametrize("name", WORDINGS)
def test_whose_fault_it_is_and_what_to_do(name: str) -> None:
    kind, message, frames = read()[name]
    _, classes, word = WORDINGS[name]
    told = classify(kind, message, frames)
    assert told.cause is Cause.APPLICATION
    assert told.fault_class in classes.split()
    action = remedy(kind, message)
    assert action is not None
    assert word.lower() in action.lower()
