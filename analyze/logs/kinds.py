"""The vocabulary of facts: every ``kind`` a row of ``fact_events`` or ``fact_steps`` may carry, and what it means.

Families reason over kinds, never over texts: a new wording is one more pattern in ``registry/``, not a change here.
``subject`` and ``num`` of the row hold what the meaning names. This is the one place where a kind is declared.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Literal

Role = Literal["root", "cascade", "confirmation", "progress", "marker"]
"""What a fact is worth on its own: ``root`` may have begun the trouble; ``cascade`` follows from another process's
trouble (a victim); ``confirmation`` is somebody's report of a failure that happened elsewhere (launcher, scheduler);
``progress`` shows work being done; ``marker`` places the run in a phase."""

UNNUMBERED: Final = "unnumbered"
"""The framework of losses that fall and that nothing counts: they tell that work was done, not how much of it."""
SAMPLED: Final = "pytorch_examples"
"""Framework of reports that number the samples of an epoch, as PyTorch's examples do, and no steps."""


class Kind(StrEnum):
    """One sort of event; ``meaning`` says what a row of it asserts, and what ``subject`` and ``num`` hold."""

    meaning: str

    def __new__(cls, value: str, meaning: str) -> Kind:
        """A member that is its own string, with its meaning beside it."""
        member = str.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    # --- exceptions and start-up -------------------------------------------------------------------------------
    EXCEPTION = "exception", "a traceback ended in this exception (subject: class); fact_exceptions has the chain"
    BARE_ERROR = "bare_error", "the log ends with an exception whose traceback is not in it (subject: class)"
    UNCAUGHT = "uncaught", "a program in another language, or a script, ended by an error nobody caught (subject: it)"
    USAGE_ERROR = "usage_error", "a command line was refused: argparse, Hydra, click (subject: program or argument)"
    COMMAND_FAILED = "command_failed", "a program could not be started: not found, not executable (subject: program)"
    MISSING_PACKAGE = "missing_package", "a module cannot be imported (subject: module)"
    IMPORT_BROKEN = "import_broken", "a name, library or symbol is missing from what is installed (subject: it)"
    MISSING_FILE = "missing_file", "a file or directory the job names does not exist (subject: path)"
    PERMISSION_DENIED = "permission_denied", "the file system refused access (subject: path)"
    STORAGE_ERROR = "storage_error", "I/O error, stale handle or read-only file system (subject: path)"
    CONFIG_ERROR = "config_error", "a configuration is malformed or names what does not exist (subject: key or file)"
    DATA_ERROR = "data_error", "a dataset is missing, malformed or cannot be collated (subject: dataset or file)"
    HUB_UNREACHABLE = "hub_unreachable", "a model hub or download host cannot be reached (subject: host or id)"
    HUB_DENIED = "hub_denied", "gated, private or unknown repository: the hub refused (subject: id)"
    MODEL_UNSUPPORTED = "model_unsupported", "unknown architecture, missing config or tokenizer (subject: path or id)"
    ADAPTER_TARGETS = "adapter_targets", "PEFT target modules are not in the model (subject: modules)"
    DRIVER_MISMATCH = "driver_mismatch", "no NVIDIA driver, or it does not fit the CUDA build (subject: text)"
    TOO_MANY_FILES = "too_many_files", "descriptor limit reached"

    # --- memory ------------------------------------------------------------------------------------------------
    CUDA_OOM = "cuda_oom", "GPU memory ran out (subject: GPU index; num: bytes asked for)"
    CUDA_OOM_OTHER_TENANT = (
        "cuda_oom_other_tenant",
        "the out-of-memory text names another process on the GPU (subject: pid; num: its bytes)",
    )
    HOST_OOM_PYTHON = "host_oom_python", "an allocator of the process could not get host memory (num: bytes asked for)"
    OOM_KILLER = "oom_killer", "the kernel killed a process, whole machine out of memory (subject: name; num: pid)"
    CGROUP_OOM = "cgroup_oom", "the kernel killed a process, cgroup limit reached (subject: name; num: pid)"
    SLURM_OOM = "slurm_oom", "Slurm reports an out-of-memory kill in a step (subject: step; num: count)"
    BATCH_MEMORY_LIMIT = "batch_memory_limit", "a scheduler other than Slurm ended the job over its memory limit"

    # --- GPU ---------------------------------------------------------------------------------------------------
    CUDA_ERROR = "cuda_error", "a CUDA call failed, not for memory (subject: CUDA's text)"
    CUDA_ASSERT = "cuda_assert", "a device-side assertion failed (subject: condition)"
    CUDA_LIBRARY_ERROR = "cuda_library_error", "cuBLAS, cuDNN, cuSPARSE or cuFFT failed (subject: status)"
    CUDA_INVALID_DEVICE = "cuda_invalid_device", "the process named a GPU it does not have"
    XID = "xid", "the NVIDIA driver reported an XID (num: code; subject: PCI bus id)"
    SXID = "sxid", "an NVSwitch reported an SXid (num: code; subject: PCI bus id)"
    GPU_LOST = "gpu_lost", "a GPU fell off the bus or cannot be reached (subject: PCI bus id)"
    ECC_ERROR = "ecc_error", "uncorrectable memory error of a GPU"
    NVLINK_ERROR = "nvlink_error", "uncorrectable NVLink or NVSwitch error"
    GPU_DRIVER_ERROR = "gpu_driver_error", "the NVIDIA driver reported trouble that is no XID (subject: GPU or text)"
    PCIE_ERROR = "pcie_error", "an uncorrected PCIe error, or a device gone from its slot (subject: device)"
    MACHINE_CHECK = (
        "machine_check",
        "CPU, memory or bus lost something: MCE, EDAC, firmware (subject: text, or whom it killed; num: its pid)",
    )
    HARDWARE_CORRECTED = "hardware_corrected", "hardware corrected an error, nothing was lost (subject: device or text)"

    # --- deaths ------------------------------------------------------------------------------------------------
    SIGNAL_DEATH = "signal_death", "a process died of a signal (subject: signal name; num: signal number)"
    SEGFAULT = "segfault", "a process crashed in native code (subject: library or process; num: pid where known)"
    ABORT = "abort", "a process aborted: C++ terminate, failed check, fatal Python error (subject: what())"
    LAUNCHER_FAILURE = "launcher_failure", "a launcher says a worker failed (subject: local rank; num: exit code)"
    TASK_EXIT = "task_exit", "the scheduler says tasks exited with a code (subject: tasks; num: exit code)"
    RESTART = "restart", "a launcher or supervisor starts the workers again"
    STEP_ABORT = "step_abort", "the launcher tears down the tasks still alive"

    # --- collectives and rendezvous ----------------------------------------------------------------------------
    RENDEZVOUS_START = "rendezvous_start", "ranks began to look for each other"
    RENDEZVOUS_DONE = "rendezvous_done", "the rendezvous completed"
    RENDEZVOUS_TIMEOUT = "rendezvous_timeout", "not all ranks joined in time (subject: joined/expected or address)"
    RENDEZVOUS_LOST = "rendezvous_lost", "the rendezvous store went away in mid-run"
    CONNECT_ERROR = "connect_error", "a connection could not be made (subject: address)"
    DNS_ERROR = "dns_error", "a host name does not resolve (subject: host)"
    PORT_IN_USE = "port_in_use", "the master port is taken (num: port)"
    NO_INTERFACE = "no_interface", "no usable network interface (NCCL_SOCKET_IFNAME)"
    PROCESS_GROUP_INIT = "process_group_init", "a process group or communicator began to be built"
    PROCESS_GROUP_READY = "process_group_ready", "a process group is up (num: world size)"
    NCCL_INIT_BEGIN = "nccl_init_begin", "an NCCL communicator began (subject: commId; num: rank)"
    NCCL_INIT_DONE = "nccl_init_done", "an NCCL communicator is complete (subject: commId; num: rank)"
    NCCL_TRANSPORT = "nccl_transport", "the network NCCL uses (subject: IB, Socket ...)"
    NCCL_ERROR = "nccl_error", "NCCL returned an error that is no peer's death (subject: text)"
    NET_ERROR = "net_error", "InfiniBand or link error on this node (subject: device or peer; num: status)"
    COLLECTIVE_TIMEOUT = "collective_timeout", "a collective timed out on this rank: a victim (subject: op; num: seq)"
    COLLECTIVE_STATUS = (
        "collective_status",
        "last enqueued, last completed work (subject; num: seq)",
    )
    COLLECTIVE_MISMATCH = "collective_mismatch", "ranks called different collectives or shapes (subject: text)"
    LATE_RANKS = "late_ranks", "a barrier or the desync report names the ranks that did not come (subject: ranks)"
    WATCHDOG_STUCK = "watchdog_stuck", "the NCCL watchdog itself made no progress (num: seconds)"
    OWN_TIMER = (
        "own_timer",
        "a timer that the job set itself fired: it had not come on in that time (subject: how long)",
    )
    FLIGHT_RECORDER_DUMP = "flight_recorder_dump", "a flight-recorder dump was written (subject: path)"
    PEER_LOST = "peer_lost", "a connection to another rank broke: that rank died first (subject: peer)"

    # --- learning ----------------------------------------------------------------------------------------------
    UPDATE_SKIPPED = "update_skipped", "an update was left out, since a loss or a gradient was no number"
    NAN_LOSS = "nan_loss", "loss or gradient is NaN or infinite, said in words (num: step)"
    LOSS_SCALE_DOWN = "loss_scale_down", "fp16 overflow: step skipped, loss scale reduced (num: new scale)"
    LOSS_SCALE_COLLAPSE = "loss_scale_collapse", "the loss scale is at its minimum"
    NAN_PART = "nan_part", "a part of the loss is NaN in the last reports, none of which tells the whole (num: step)"
    LEFT_BEHIND = (
        "left_behind",
        "one of several processes in a log fell silent long before the others (num: its last step)",
    )
    FAREWELL = "farewell", "the last words of a loop that is done, where nothing speaks of trouble"
    EARLY_STOP = "early_stop", "training was stopped by its own rule (subject: rule)"

    # --- checkpoints -------------------------------------------------------------------------------------------
    CHECKPOINT_SAVE_BEGIN = "checkpoint_save_begin", "a save began, or was scheduled (subject: path; num: step)"
    CHECKPOINT_SAVED = (
        "checkpoint_saved",
        "a save completed, or was announced where only that is printed (subject, num)",
    )
    CHECKPOINT_SAVE_ERROR = "checkpoint_save_error", "a save failed (subject: text)"
    CHECKPOINT_LOAD_BEGIN = "checkpoint_load_begin", "a load was announced; proves nothing (subject: path; num: step)"
    CHECKPOINT_LOADED = "checkpoint_loaded", "a resume is proven (subject: path; num: step)"
    CHECKPOINT_SKIP = "checkpoint_skip", "training says it starts from scratch (subject: path looked at)"
    CHECKPOINT_PARTIAL = "checkpoint_partial", "weights were loaded in part: missing or mismatched keys (subject: keys)"
    OPTIMIZER_LOST = "optimizer_lost", "weights were loaded without the state of their optimizer"
    CHECKPOINT_LOAD_ERROR = "checkpoint_load_error", "a checkpoint is corrupt, refused or unreadable (subject: text)"
    NO_CHECKPOINT_FOUND = "no_checkpoint_found", "a resume was asked for and nothing valid was there (subject: path)"
    SIZE_MISMATCH = "size_mismatch", "shapes of checkpoint and model differ (subject: parameter)"
    MISSING_KEYS = "missing_keys", "names of checkpoint and model differ (subject: keys)"
    DISK_FULL = "disk_full", "no space or quota left (subject: path)"

    # --- data --------------------------------------------------------------------------------------------------
    DATALOADER_WORKER_DIED = (
        "dataloader_worker_died",
        "a DataLoader worker was killed or exited (subject: how; num: pid)",
    )
    DATALOADER_TIMEOUT = "dataloader_timeout", "the DataLoader's own timeout fired (num: seconds)"
    SHM_EXHAUSTED = "shm_exhausted", "shared memory (/dev/shm) is full"
    DATA_EXHAUSTED = "data_exhausted", "the input ran out of data"

    # --- scheduler, operator -----------------------------------------------------------------------------------
    TIME_LIMIT = "time_limit", "the scheduler ended the job at its time limit (subject: job or step)"
    PREEMPTED = "preempted", "the job was preempted (subject: job or step)"
    REQUEUED = "requeued", "the job was requeued (subject: job)"
    NODE_FAILURE = "node_failure", "a node of the allocation failed (subject: node)"
    CANCELLED = "cancelled", "scancel, or srun tearing a step down: what came before tells (subject: job or step)"
    SCHEDULER_TERM = "scheduler_term", "a scheduler's owner or administrator ended the job (subject: text)"
    SCHEDULER_NOTICE = "scheduler_notice", "other lines of the scheduler that place the run (subject: text)"
    SIGNAL_RECEIVED = "signal_received", "a process or launcher says it received a signal (num: signal number)"
    USER_INTERRUPT = "user_interrupt", "Ctrl-C or SIGINT: a person ended it"
    HANG_UP = "hang_up", "SIGHUP: the terminal or ssh session closed"
    PLANNED_EXIT = "planned_exit", "the job left by its own rule: exit interval, preemption handler (subject: rule)"

    # --- kernel, host ------------------------------------------------------------------------------------------
    HUNG_TASK = "hung_task", "the kernel says a task is blocked (subject: process; num: seconds)"
    KERNEL_CRASH = "kernel_crash", "the kernel itself crashed: panic, Oops, BUG (subject: its words)"
    FILESYSTEM_ERROR = "filesystem_error", "a file system failed or its server is silent (subject: server or device)"
    FILESYSTEM_BACK = "filesystem_back", "the server of a network file system answers again (subject: server)"
    DISK_ERROR = "disk_error", "a disk or its controller failed (subject: device)"
    LOCKUP = "lockup", "a CPU got stuck: soft or hard lockup, RCU stall (subject: CPU; num: seconds where told)"
    LINK_DOWN = "link_down", "a network link went down, or its cable is out (subject: device)"
    LINK_UP = "link_up", "a network link came up (subject: device)"
    NIC_ERROR = "nic_error", "a network adapter says that it fails (subject: device)"
    THERMAL = "thermal", "CPU throttled by temperature"

    # --- phases ------------------------------------------------------------------------------------------------
    BANNER = "banner", "a framework introduced itself: a new run begins here (subject: framework)"
    NEXT_RUN = "next_run", "the next training of a sweep begins: a trial, a fold, a seed (subject: which)"
    MODEL_SIZE = "model_size", "how many parameters the model has (subject: which of them; num: count)"
    PLANNED_STEPS = "planned_steps", "a setting says how many steps there are to be (subject: its name; num: steps)"
    PLANNED_EPOCHS = "planned_epochs", "a setting says how many epochs there are to be (subject: its name; num: epochs)"
    RESUME_SET = "resume_set", "a setting says that training is to go on from a state (subject: its name)"
    STOP_RULE = "stop_rule", "a setting says that a rule may end training before its plan (subject: its name)"
    TRAINING_BEGIN = "training_begin", "the training loop is about to begin (num: first step where told)"
    TRAINING_END = "training_end", "the training loop ended as planned"
    TRAIN_SUMMARY = "train_summary", "final summary of a training (num: runtime in seconds)"
    EVAL = "eval", "an evaluation began or reported"
    MODEL_SAVED = "model_saved", "the final model was saved (subject: path)"
    CLEAN_EXIT = "clean_exit", "a launcher or scheduler says all ended well"

    # --- fact_steps --------------------------------------------------------------------------------------------
    STEP = "step", "fact_steps: a line with metrics of a training step"
    BAR = "bar", "fact_steps: a state of a training progress bar"
    EPOCH = "epoch", "fact_steps: metrics of a whole epoch (Keras); step counts epochs' steps where known"
    VALIDATION = "validation", "fact_steps: a validation result"
    TRACKED = "tracked", "fact_steps: a tracker's values under a number that need not count optimizer steps"
