"""Options of ``inquest run`` and ``inquest attach``: from flags, then the environment, then a central file.

The first that speaks wins.

The central file is ``$INQUEST_CONFIG`` or ``/etc/inquest.toml``. A mistake on the command line is a usage error, before
anything runs. A mistake in the environment or the file, which the person who starts the job may not even know of, is
reported in a line and otherwise ignored: the job always runs.

Standard library only, and little of it: this is imported before the wrapped job starts.
"""

from __future__ import annotations

import os

from inquest.bundle.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

CONFIG_PATH: Final = "/etc/inquest.toml"
DEFAULT_OUT: Final = "inquest-out"
MAIL_BUDGET: Final = 64 << 10
_NODE_CHARS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")

_COMMON: Final = """\
  --out DIR       Where to record, default ./inquest-out
  --node NAME     Name of this node, default $SLURMD_NODENAME, else the host name
  --job-id ID     Name of this job, default $SLURM_JOB_ID
  --no-fsync      Do not force records to disk (parallel file systems); a power loss may then cost them
  --no-peer-probes
                  Do not exchange clock probes with the job's other nodes
  --profile minimal|default|full
                  minimal: no probes in the kernel or the network, no stacks, no files taken along; full: as default,
                  with eight times the log
  --only NAME[,NAME], --skip NAME[,NAME]
                  Run these collectors only; leave those out. `inquest doctor` lists them
  --log-budget BYTES
                  Raw log a task may leave on this disk (K, M, G), default 256M, minimal 32M, full 2G: its beginning,
                  its end, and what surrounds errors; what lies between is passed on and counted
  --ebpf-backend object|bcc|off
                  How calls, signals and delays are probed: by precompiled programs (default), by the same compiled
                  here with the distribution's bcc, or not at all
  --no-mask       Leave passwords, tokens and keys as they are; the bundle is then called *.UNREDACTED.inquest
  --dry-run       Say what would be recorded, and where; start nothing
  --estimate-only Try the collectors for a second and say what recording would cost; start nothing else
  -h, --help      Show this help
"""

HELP: Final = (
    """\
Usage: inquest run [OPTIONS] [--] CMD [ARG]...

Run CMD and record it: its output, its end, its processes and its node.

CMD runs as it would without inquest: same output, same exit status, same signals. What is recorded lies
in OUT/NODE/ and becomes a bundle with `inquest merge`.

Options:
"""
    + _COMMON
    + """\
  --no-recorder   Record output and end only, not the node
  --mail-to ADDR[,ADDR]
                  Send a mail at the end: the cause and its evidence, or how long it took and the last figures
  --mail-from ADDR, --mail-server HOST[:PORT], --mail-budget BYTES
                  Who it is from, the server that takes it (default localhost:25), and how much log it may carry
                  (default 65536)

Each option may also be set as INQUEST_OUT, INQUEST_NODE, INQUEST_JOB_ID, INQUEST_NO_FSYNC=1,
INQUEST_NO_RECORDER=1, INQUEST_NO_PEER_PROBES=1, INQUEST_EBPF_BACKEND, INQUEST_MAIL_TO and so on, or
in the file $INQUEST_CONFIG or /etc/inquest.toml as out, node, job_id, no_fsync, no_recorder, no_peer_probes,
ebpf_backend, mail_to and so on. Flags win over the environment, the environment over the file.

Example: srun inquest run --out /shared/rec -- torchrun --nproc-per-node 8 train.py

Exit status: that of CMD; if CMD died by a signal, inquest dies by the same one. 127: CMD was not found;
126: it could not be executed; 125: inquest failed before it could start CMD; 2: usage.
"""
)

ATTACH_HELP: Final = (
    """\
Usage: inquest attach (--job ID | --pid PID) [OPTIONS]

Record a job that runs already, on this node: its processes, its output from now on, and the node.

--job finds the processes of a Slurm job on this node; --pid takes a process and all that it starts. The job is not
touched. The recording ends with the job, or with Ctrl-C or SIGTERM, which leave the job alone. What the job writes
to files is followed there, with the beginning and the end of what they hold already; what it writes to pipes and
terminals is seen where eBPF is allowed (root). In a Slurm job, on all of its nodes:

  srun --jobid=ID --overlap -N NODES --ntasks-per-node=1 inquest attach --job ID --out DIR

Options:
  --job ID        Number of the Slurm job; of an array 1_7, of several components 1+2
  --pid PID       Process to record, with its descendants
  --wait          Wait for the first process of the job, as the Prolog must: nothing runs yet when it does
"""
    + _COMMON
    + """\
  --no-recorder and --mail-* are of `inquest run` only.

Each option but --job, --pid, --wait, --dry-run and --estimate-only may also be set in the environment or in the
central file: see `inquest run --help`.

Example: srun --jobid 4103 --overlap --ntasks-per-node 1 inquest attach --job 4103 --out /shared/rec

Exit status: 0 when the job has ended or the recording was ended; 5 when there is nothing here to record; 2: usage.
"""
)


class HelpWanted(Exception):
    """``--help`` was given."""


class Options:
    """What ``inquest run`` was asked to do.

    Attributes:
        command: The command and its arguments, never empty.
        ebpf_backend: One of ``EBPF_BACKENDS``.
        out: Directory to record under, absolute.
        node: Name of the node, one path component.
        job_id: Job id, or None outside a job.
        fsync: Whether records are forced to disk.
        recorder: Whether the node is recorded too.
        probes: Whether the clocks of the job's other nodes may be asked.
        mask: Whether secrets are masked in what is recorded.
        mail_to: Addresses that get a mail when the job has ended.
        mail_from: The address it comes from.
        mail_server: HOST or HOST:PORT of the server that takes it.
        mail_budget: Bytes of log it may carry.
        profile: One of ``profiles.PROFILES``.
        collectors: Names of the collectors that run; None for all.
        log_budget: Bytes of raw log that a task may leave on disk.
        job: Of attach: the Slurm job whose processes are recorded.
        pid: Of attach: the process that is recorded with its descendants.
        wait: Of attach: whether the job need not have a process yet.
        dry_run: Only say what would be recorded.
        estimate_only: Only say what it would cost.
        warnings: Sentences about settings that were ignored.
    """

    __slots__ = (
        "collectors",
        "command",
        "dry_run",
        "ebpf_backend",
        "estimate_only",
        "fsync",
        "job",
        "job_id",
        "log_budget",
        "mail_budget",
        "mail_from",
        "mail_server",
        "mail_to",
        "mask",
        "node",
        "out",
        "pid",
        "probes",
        "profile",
        "recorder",
        "wait",
        "warnings",
    )

    def __init__(self) -> None:
        self.command: list[str] = []
        self.out = ""
        self.node = ""
        self.job_id: str | None = None
        self.fsync = True
        self.recorder = True
        self.probes = True
        self.ebpf_backend = EBPF_BACKENDS[0]
        self.mask = True
        self.mail_to: list[str] = []
        self.mail_from = ""
        self.mail_server = ""
        self.mail_budget = 0
        self.profile = _PROFILES[1]
        self.collectors: list[str] | None = None
        self.log_budget = 0
        self.job: str | None = None
        self.pid: int | None = None
        self.wait = False
        self.dry_run = False
        self.estimate_only = False
        self.warnings: list[str] = []


def parse(argv: list[str], environ: Mapping[str, str]) -> Options:
    """Options from the command line, the environment and the central file.

    Raises:
        HelpWanted: ``--help`` was given.
        UsageError: The command line cannot mean anything.
    """
    options = Options()
    flags, rest = _flags(argv, "run", _TAKES_VALUE | _ASKS)
    if not rest:
        raise UsageError("there is no command to run: write `inquest run [OPTIONS] -- CMD ARG...`.")
    options.command = rest
    _settle(options, flags, environ)
    return options


def parse_attach(argv: list[str], environ: Mapping[str, str]) -> Options:
    """Options of ``inquest attach``; ``node`` is empty where nobody named it.

    Raises:
        HelpWanted: ``--help`` was given.
        UsageError: The command line cannot mean anything.
    """
    options = Options()
    flags, rest = _flags(argv, "attach", _TAKES_VALUE | _ASKS | {"job": True, "pid": True, "wait": False})
    if rest:
        raise UsageError(f"inquest attach takes no argument {rest[0]!r}: see `inquest attach --help`.")
    if ("job" in flags) == ("pid" in flags):
        raise UsageError("say what to attach to: `inquest attach --job ID`, or `inquest attach --pid PID`.")
    if "wait" in flags and "job" not in flags:
        raise UsageError("--wait waits for processes of a job: name it with --job.")
    _settle(options, flags, environ)
    options.wait = "wait" in flags
    options.node = flags.get("node") or environ.get("INQUEST_NODE") or environ.get("SLURMD_NODENAME") or ""
    if _wrong("node", options.node or "node"):
        options.node = ""
    options.job = flags.get("job")
    options.pid = int(flags["pid"]) if "pid" in flags else None
    return options


def _settle(options: Options, flags: Mapping[str, str], environ: Mapping[str, str]) -> None:
    """Fill in what flags, environment and file say together."""
    settings = {**_file(environ, options.warnings), **_environment(environ, options.warnings), **flags}
    options.out = os.path.abspath(settings.get("out") or DEFAULT_OUT)  # noqa: PTH100 (pathlib is too slow here)
    options.node = settings.get("node") or default_node(environ)
    options.job_id = settings.get("job_id") or environ.get("SLURM_JOB_ID") or environ.get("SLURM_JOBID") or None
    options.fsync = not settings.get("no_fsync")
    options.recorder = not settings.get("no_recorder")
    options.probes = not settings.get("no_peer_probes")
    options.ebpf_backend = settings.get("ebpf_backend") or EBPF_BACKENDS[0]
    options.mask = not settings.get("no_mask")
    options.mail_to = [address for address in (settings.get("mail_to") or "").split(",") if address]
    options.mail_from = settings.get("mail_from") or f"inquest@{os.uname().nodename}"
    options.mail_server = settings.get("mail_server") or "localhost"
    options.mail_budget = int(settings.get("mail_budget") or MAIL_BUDGET)
    if not options.mask:
        options.warnings.append("SECRETS ARE NOT MASKED in this recording (--no-mask); its bundle will say so by name.")
    options.dry_run, options.estimate_only = "dry_run" in flags, "estimate_only" in flags
    options.profile = settings.get("profile") or _PROFILES[1]
    options.log_budget = _bytes(settings.get("log_budget") or "") or _LOG_BUDGETS[options.profile]
    if options.profile == _PROFILES[0] or settings.get("only") or settings.get("skip"):
        from inquest.capture import profiles  # seldom asked for

        only, skip = ((settings.get(name) or "").split(",") for name in ("only", "skip"))
        options.collectors = profiles.chosen(options.profile, [name for name in only if name], skip)


# The settings: whether each takes a value. Flag, variable and key in the file follow from the name.
_TAKES_VALUE: Final = {
    "out": True,
    "node": True,
    "job_id": True,
    "no_fsync": False,
    "no_recorder": False,
    "no_peer_probes": False,
    "ebpf_backend": True,
    "no_mask": False,
    "mail_to": True,
    "mail_from": True,
    "mail_server": True,
    "mail_budget": True,
    "profile": True,
    "only": True,
    "skip": True,
    "log_budget": True,
}
_ASKS: Final = {"dry_run": False, "estimate_only": False}
"""Flags that start nothing, and so are flags only: nobody else may keep the job from running."""
_LOG_BUDGETS: Final = {"minimal": 32 << 20, "default": 256 << 20, "full": 2 << 30}
"""Bytes of raw log by profile. A training job prints 10 to 100 MB a day."""
_PROFILES: Final = tuple(_LOG_BUDGETS)
LEAST_LOG: Final = 8 << 20
_UNITS: Final = {"K": 10, "M": 20, "G": 30}
EBPF_BACKENDS: Final = ("object", "bcc", "off")
_TRUE: Final = frozenset(("1", "true", "yes", "on"))
_FALSE: Final = frozenset(("", "0", "false", "no", "off"))


def _flags(argv: list[str], verb: str, known: Mapping[str, bool]) -> tuple[dict[str, str], list[str]]:
    """Settings on the command line, and what follows them; ``known`` says of each whether it takes a value."""
    found: dict[str, str] = {}
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "--":
        flag, equals, value = argv[at].partition("=")
        at += 1
        if flag in ("-h", "--help"):
            raise HelpWanted
        name = flag[2:].replace("-", "_")
        if not flag.startswith("--") or name not in known or "_" in flag:
            raise UsageError(f"inquest {verb} has no option {flag}: see `inquest {verb} --help`.")
        if not known[name]:
            if equals:
                raise UsageError(f"{flag} takes no value.")
            value = "1"
        elif not equals:
            if at == len(argv):
                raise UsageError(f"{flag} needs a value.")
            value = argv[at]
            at += 1
        if not value or "\0" in value:
            raise UsageError(f"{flag} needs a value.")
        if wrong := _wrong(name, value):
            raise UsageError(f"{flag} {value!r} {wrong}.")
        found[name] = value
    if argv[at : at + 1] == ["--"]:
        at += 1
    return found, argv[at:]


def _environment(environ: Mapping[str, str], warnings: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _TAKES_VALUE:
        variable = "INQUEST_" + name.upper()
        if (value := environ.get(variable)) is not None:
            _accept(found, name, value, variable, warnings)
    return found


def _file(environ: Mapping[str, str], warnings: list[str]) -> dict[str, str]:
    path = environ.get("INQUEST_CONFIG") or CONFIG_PATH
    try:
        with open(path, "rb") as file:
            text = file.read(1 << 20)
    except FileNotFoundError:
        if path != CONFIG_PATH:
            warnings.append(f"{path} (INQUEST_CONFIG) does not exist and was ignored.")
        return {}
    except OSError as error:
        warnings.append(f"{path} could not be read ({error.strerror}) and was ignored.")
        return {}
    import tomllib  # only where there is a file: it costs milliseconds

    try:
        settings = tomllib.loads(text.decode())
    except ValueError as error:  # TOML and UTF-8 errors alike
        warnings.append(f"{path} is not a TOML file ({error}) and was ignored.")
        return {}
    found: dict[str, str] = {}
    for name, takes_value in _TAKES_VALUE.items():
        value = settings.get(name)
        if isinstance(value, str if takes_value else bool):
            _accept(found, name, str(value), f"{name} in {path}", warnings)
        elif value is not None:
            kind = "a string" if takes_value else "true or false"
            warnings.append(f"{name} in {path} is not {kind} and was ignored.")
    return found


def _accept(found: dict[str, str], name: str, value: str, where: str, warnings: list[str]) -> None:
    """Take a setting into ``found``, or say why not."""
    if not _TAKES_VALUE[name]:
        if value.lower() not in _TRUE | _FALSE:
            warnings.append(f"{where} is neither true nor false and was ignored.")
            return
        # The empty string is "said no": it wins over a weaker source that says yes.
        value = "1" if value.lower() in _TRUE else ""
    elif value and (wrong := _wrong(name, value)):
        warnings.append(f"{where} {wrong.partition(':')[0]} and was ignored.")
        return
    found[name] = value


def _wrong(name: str, value: str) -> str:
    """What is wrong with the value of a setting; empty when nothing is."""
    if name == "node" and (value.startswith((".", "-")) or len(value) > 255 or not _NODE_CHARS.issuperset(value)):
        return "cannot name a node: use letters, digits, '.', '_' and '-' only"
    if name == "ebpf_backend" and value not in EBPF_BACKENDS:
        return f"is none of {', '.join(EBPF_BACKENDS)}"
    if name in ("mail_to", "mail_from"):
        addresses = value.split(",") if name == "mail_to" else [value]
        if not all("@" in address and address.isprintable() and " " not in address for address in addresses):
            return "is no mail address: write user@host" + (", or several with commas" if name == "mail_to" else "")
    if name == "mail_server":
        host, colon, port = value.rpartition(":")
        if not value.isprintable() or (colon and not (host and port.isdecimal() and 0 < int(port) < 65536)):
            return "is no mail server: write HOST or HOST:PORT"
    if name == "mail_budget" and not (value.isdecimal() and len(value) < 10):
        return "is no number of bytes"
    if name == "log_budget" and (_bytes(value) or 0) < LEAST_LOG:
        return "is no number of bytes from 8M on: write for instance 64M or 1G"
    if name == "profile" and value not in _PROFILES:
        return f"is none of {', '.join(_PROFILES)}"
    if name in ("only", "skip"):
        from inquest.capture import profiles

        if unknown := profiles.unknown(value.split(",")):
            return f"names no collector {unknown[0]!r}: there are {', '.join(profiles.NAMES)}"
    if name == "pid" and not (value.isdecimal() and value.isascii() and 0 < len(value) < 10 and int(value) > 0):
        return "is no process id"
    if name == "job" and not (value.isascii() and _is_job(value)):
        return "is no number of a Slurm job: write 123, 123_4 for one of an array, 123+1 for one of several components"
    return ""


def _is_job(text: str) -> bool:
    return all(map(str.isdecimal, text.split("+" if "+" in text else "_", 1)))


def _bytes(text: str) -> int | None:
    """A number of bytes, with K, M or G for powers of 1024; None where it is none."""
    unit = _UNITS.get(text[-1:].upper(), 0)
    number = text[:-1] if unit else text
    return int(number) << unit if number.isdecimal() and number.isascii() and len(number) < 13 else None


def default_node(environ: Mapping[str, str]) -> str:
    """Name of this node where nobody said: Slurm's, else the host's, as far as it can name a directory."""
    name = environ.get("SLURMD_NODENAME") or os.uname().nodename
    kept = "".join(char if char in _NODE_CHARS else "-" for char in name).lstrip(".-")[:255]
    return kept or "node"
