"""Pseudonyms: hosts, users, paths, addresses, jobs and GPUs become tokens, one for one name wherever it stands.

A token is the start of an HMAC-SHA-256 under a key that never enters a bundle: ``host-1f0c9a2b``. It has the form of
what it stands for (an address stays an address, of ranges that are never routed; a UUID stays a UUID; a file keeps its
extension and its rank), so that whatever reads the evidence reads it as before.

What is replaced follows from two things: names that tables tell (nodes, users, jobs, node lists, command lines), which
are replaced wherever they stand as words; and the form of text (paths, addresses, URLs, UUIDs of GPUs). A name that
only ever stands in prose is recognised by neither; `LIMITS` says so to the user.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import itertools
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle import hostlist

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Sort = Literal["hosts", "users", "paths", "addresses", "jobs", "gpus"]
SORTS: Final[tuple[Sort, ...]] = ("hosts", "users", "paths", "addresses", "jobs", "gpus")

LIMITS: Final[dict[Sort, str]] = {
    "hosts": "host names that stand in prose only, in no table, node list or URL, are not recognised",
    "users": "user names that stand in prose only, in no table and no home directory, are not recognised",
    "paths": "paths with blanks are replaced up to the blank; file names that stand alone in prose stay; module names "
    "under site-packages stay",
    "addresses": "hardware addresses without colons (InfiniBand GUIDs) stay",
    "jobs": "job names that stand in prose only, in no table and no environment, are not recognised",
    "gpus": "serial numbers of GPUs are recognised behind the word serial only",
}
ALWAYS_KEPT: Final = (
    "boot ids, process and user numbers, job ids, clusters, partitions, accounts, names of runs and metrics stay as "
    "they are, but for names in them that are replaced elsewhere"
)

TOKEN: Final = re.compile(r"(?:host|user|path|site|job)-[0-9a-f]{8}")
_MAP_ENTRIES: Final = 1_000_000
_CACHE_ENTRIES: Final = 200_000

_PREFIX: Final[dict[str, str]] = {"hosts": "host", "users": "user", "paths": "path", "sites": "site", "jobs": "job"}


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Names that mean a role and no machine or person; replacing "root" would spoil "root cause".
_NO_HOST: Final = _set("utc localhost localdomain unknown none null local node host master worker head gpu cpu")
_NO_USER: Final = _set(
    "root nobody slurm munge daemon ubuntu user users admin test train trainer training data model models python torch "
    "nvidia cuda gpu job jobs node host home work worker main run rank step loss error info log logs tmp usr none "
    "unknown"
)
"""Users and groups of systems, and words that logs are full of: replaced where a user stands, not in free text."""

_NO_JOB: Final = _set(
    "bash sh zsh srun sbatch batch extern interactive allocation wrap hostname sleep echo error errors warning failed "
    "failure fatal exception traceback killed signal timeout time memory oom nan inf cancelled preempted requeued "
    "completed running pending cpu collective allreduce barrier hang watchdog xid ecc throttle checkpoint resume"
)
"""Names of jobs that are words logs are full of, and words that verdicts go by: replaced in their column only."""

_SYSTEM_USERS: Final = frozenset(("root", "nobody", "slurm"))

# Parts of paths that tell nothing of their owner, and that readers of logs go by.
_ORDINARY: Final = _set("""
    home users user u root tmp var opt usr lib lib64 local bin sbin etc mnt srv run dev shm proc sys nfs lustre gpfs
    beegfs weka vast efs s scratch work workspace projects project shared share data dataset datasets raw train
    training valid validation val eval test tests dev checkpoint checkpoints ckpt ckpts model models pytorch weights
    optimizer scheduler rng state states trainer global tokenizer config configs conf cfg vocab merges special tokens
    cache huggingface hub transformers torch torchrun elastic torchelastic nccl cuda triton inductor kernels python
    python3 py venv env envs conda miniconda miniconda3 miniforge3 anaconda3 site dist packages src source sources
    script scripts job jobs log logs out output outputs err error errors stdout stderr result results runs rank ranks
    local_rank node nodes gpu gpus worker workers proc attempt attempts restart epoch epochs step steps iter iteration
    version v part shard shards of batch sbatch slurm slurmd spool task tasks main init launch finetune pretrain sft
    dpo wandb mlruns tensorboard events tfevents lightning profile profiles trace traces dump dumps core export
    inquest git github com org net io http https anaconda code utils util engine layers modules modeling common default
    debug build latest best last cli api server agent artifacts loss logger options misc pipelines software apps case
    """)
_LIBRARY: Final = re.compile(r"lib[\w+-]{1,100}\.so(?:\.\d{1,9}){0,4}")
_KEPT_ROOTS: Final = frozenset({"usr", "lib", "lib64", "bin", "sbin", "etc", "proc", "sys", "dev"})
_FRAMEWORKS: Final = _set(
    "torch pytorch torchvision torchaudio c10 c10d aten nccl gloo transformers accelerate deepspeed peft trl "
    "pytorch_lightning lightning_fabric apex xformers flash_attn triton numpy"
)
_COMPILED: Final = re.compile(r"\.(?:cpp|cc|cxx|cu|cuh|h|hpp)\Z")
_INSTALLED: Final = re.compile(r"site-packages|dist-packages")
_PYTHON_LIB: Final = re.compile(r"python\d(?:\.\d{1,2})?t?")
_HOMES: Final = frozenset({"home", "users", "Users", "u"})
_PUBLIC: Final = re.compile(
    r"(?:.{1,100}\.)?(?:huggingface\.co|hf\.co|github\.com|githubusercontent\.com|pytorch\.org|pypi\.org|"
    r"pythonhosted\.org|wandb\.ai|nvidia\.com|python\.org|amazonaws\.com|googleapis\.com|localhost)"
)

_EXTENSIONS: Final = (
    "py|pyx|sh|bash|slurm|sbatch|yaml|yml|json|jsonl|toml|cfg|ini|conf|txt|md|log|out|err|csv|tsv|parquet|arrow|npy|npz|"
    "h5|hdf5|pt|pth|ckpt|bin|safetensors|model|distcp|tar|gz|zst|zip|so|sif|sqsh|ipynb|db"
)
_PART: Final = r"[\w.@+=,~%-]"
_URL: Final = re.compile(r"\b([A-Za-z][A-Za-z0-9+.-]{1,15})://([^\s/\"'<>|)\]},;]{1,300})(/[^\s\"'<>|)\]},;]{0,2000})?")
_ABSOLUTE: Final = re.compile(
    rf"(?:(?<![\w/.%~-])|(?<=\s-[IL]))~?/(?:{_PART}{{1,255}}/+){{0,512}}{_PART}{{0,254}}[\w]/?"
)
_RELATIVE: Final = re.compile(
    rf"(?<![\w/.:$-])(?:{_PART}{{1,255}}/){{1,64}}{_PART}{{1,255}}\.(?:{_EXTENSIONS})(?![\w/])"
)
_BARE: Final = re.compile(rf"(?<![\w/.:$@-])([\w][\w+=-]{{0,200}})\.({_EXTENSIONS})(?![\w/])")
_TRACE_FILE: Final = re.compile(r"(?<=File \")[^\"/<>\n]{1,255}(?=\")")
_EXTENSION: Final = re.compile(r"(?:\.[A-Za-z][A-Za-z0-9]{0,11}){1,3}\Z")
_SEGMENT: Final = re.compile(r"[A-Za-z]+|\d+|[^A-Za-z\d]+")
_HOST: Final = re.compile(r"[A-Za-z0-9_][\w.-]{0,252}")
_LIST: Final = re.compile(r"[A-Za-z][\w.-]{0,100}\[[0-9,-]{1,2000}\][\w.-]{0,100}")
_IPV4: Final = re.compile(r"(?<![\w.])(?<!==)(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6: Final = re.compile(r"(?<![\w:.])(?=[0-9A-Fa-f:]{0,40}:[0-9A-Fa-f:]{0,40}:)[0-9A-Fa-f:]{3,39}(?![\w:])")
_MAC: Final = re.compile(r"(?<![\w:-])(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])")

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_GPU: Final = re.compile(rf"\b(GPU|MIG)-({_UUID})(?![\w-])")
_GPU_BARE: Final = re.compile(rf"(?<![\w-]){_UUID}(?![\w-])")
_GPU_TOKEN: Final = re.compile(r"[0-9a-f]{8}-0000-8000-8000-[0-9a-f]{12}")
"""UUIDs of ours: those of GPUs are random, and none has these groups."""
_SERIAL: Final = re.compile(
    r"(\bserial(?:[ _-]?(?:number|num|no\.?))?(?: of (?:the )?GPU)?[\"']? {0,60}[:=#]? {0,4}[\"']?)(\d{12,20})\b",
    re.IGNORECASE,
)
_SERIAL_TOKEN: Final = "000000"

# Where programs print whose job it is and where it runs: homes, torchrun's summary, NCCL's lines, Slurm's messages.
_HOME_IN_TEXT: Final = re.compile(r"/(?:home|users|Users)/(?:users/)?([A-Za-z_][\w.-]{0,63})(?=/)")
_HOST_IN_TEXT: Final = re.compile(
    r"\bhost {0,9}: {0,3}([A-Za-z][\w-]{0,60}\d[\w.-]{0,60})\s*$"
    r"|([A-Za-z][\w.-]{0,120}):\d{1,9}:\d{1,9} \[\d{1,3}\] NCCL "
    r"|\bsrun: error: ([A-Za-z][\w.-]{0,120}): tasks? "
    r"|\*\*\* (?:JOB|STEP) \S{1,40} ON ([A-Za-z][\w.-]{0,120}) CANCELLED",
    re.ASCII | re.MULTILINE,
)
HINT_TELLING: Final = r"/(?:home|users|Users)/|\bhost *:|\] NCCL |srun: error: |\*\*\* (?:JOB|STEP) "
"""Finds each text that ``learn_text`` may learn from (RE2)."""

HINT_PATHS: Final = '/|File "'
HINT_ADDRESSES: Final = r"\d\.\d{1,3}\.\d{1,3}\.\d|:[0-9A-Fa-f]*:|(?:[0-9A-Fa-f]{2}-){5}"

HINT_GPUS: Final = r"(?:GPU|MIG)-[0-9a-f]{8}-|(?i:serial)"

HOST_KEYS: Final = _set("HOSTNAME SLURMD_NODENAME SLURM_JOB_NODELIST SLURM_NODELIST SLURM_STEP_NODELIST MASTER_ADDR")
USER_KEYS: Final = _set("USER LOGNAME USERNAME SLURM_JOB_USER")
JOB_KEYS: Final = _set("SLURM_JOB_NAME SBATCH_JOB_NAME")


class Pseudonyms:
    """Replaces names of the chosen sorts.

    ``learn_*`` is called with what tables tell; then ``ready``; then the other methods replace.

    Args:
        sorts: What to replace.
        key: Key of the tokens: the same key gives the same tokens in every bundle.
    """

    def __init__(self, sorts: Iterable[Sort], key: bytes) -> None:
        self.sorts = frozenset(sorts)
        self.counts: Counter[Sort] = Counter()
        self.map: dict[Sort, dict[str, str]] = {sort: {} for sort in SORTS if sort in self.sorts}
        self.limits: list[str] = []
        self._key = key
        self._hosts: set[str] = set()
        self._users: set[str] = set()
        self._jobs: set[str] = set()
        self._gpus: set[str] = set()
        self._heads: set[str] = set()
        self._words: re.Pattern[str] | None = None
        self._sites: re.Pattern[str] | None = None
        self._spoken: re.Pattern[str] | None = None
        self._cache: dict[str, str] = {}

    # --- what is known ---------------------------------------------------------------------------------------------

    def learn_hosts(self, text: str) -> None:
        """Take a host, or a list of them in Slurm's short form."""
        for name in hostlist.expand(text):
            if not _is_address(name) and not TOKEN.match(name) and _HOST.fullmatch(name):
                short = name.partition(".")[0]
                if short.lower() not in _NO_HOST and not short.isdigit() and len(short) > 1:
                    self._hosts.update((name, short))

    def learn_user(self, name: str) -> None:
        """Take the name of a user."""
        if (
            len(name) > 1
            and not name.isdigit()
            and re.fullmatch(r"[A-Za-z_][\w.@-]{0,63}", name)
            and not TOKEN.match(name)
        ):
            self._users.add(name)

    def learn_job(self, name: str) -> None:
        """Take the name of a job."""
        if 2 < len(name) <= 200 and re.search(r"[^\W\d_]", name) and not TOKEN.fullmatch(name):
            self._jobs.add(name)

    def learn_gpus(self, text: str) -> None:
        """Take the UUID of a GPU, or a list of them: some sources leave out what they begin with."""
        self._gpus.update(match[2] for match in _GPU.finditer(text))

    def learn_path(self, text: str) -> None:
        """Take a path, or the paths in a command line: whose homes they are in, and how their files are called."""
        for word in re.findall(r"[^\s\"'=:,;]{2,4096}", text):
            parts = [part for part in word.split("/") if part]
            for home, user in itertools.pairwise(parts):
                if home in _HOMES and user not in _HOMES and word.startswith(("/", "~")):
                    self.learn_user(user)
            if parts and ("/" in word or _BARE.fullmatch(word)):
                self._heads.add(_EXTENSION.sub("", parts[-1]))

    def learn_text(self, text: str) -> None:
        """Take what programs print of users and hosts in known forms."""
        for match in _HOME_IN_TEXT.finditer(text):
            if match[1] not in _HOMES:
                self.learn_user(match[1])
        for match in _HOST_IN_TEXT.finditer(text):
            self.learn_hosts(next(filter(None, match.groups())))

    def learn_environment(self, text: str) -> None:
        """Take what an environment (a JSON object) tells."""
        for name, value in _environment(text).items():
            if name in HOST_KEYS:
                self.learn_hosts(value)
            elif name in USER_KEYS:
                self.learn_user(value)
            elif name in JOB_KEYS:
                self.learn_job(value)

    def ready(self) -> None:
        """All is known: from now on replace."""
        words: dict[str, Sort] = {}
        if "jobs" in self.sorts:
            ordinary = sorted(name for name in self._jobs if _is_ordinary(name))
            words.update((name, "jobs") for name in self._jobs.difference(ordinary))
            self.limits += [
                f"job name {name!r} is an ordinary word: replaced where a job's name stands, kept in other text"
                for name in ordinary
            ]
        if "users" in self.sorts:
            words.update((name, "users") for name in self._users if name.lower() not in _NO_USER)
            ordinary = sorted(name for name in self._users if name.lower() in _NO_USER and name not in _SYSTEM_USERS)
            self.limits += [
                f"user name {name!r} is an ordinary word: replaced where a user stands, kept in other text"
                for name in ordinary
            ]
            if ordinary:
                named = _trie(ordinary)
                self._spoken = re.compile(
                    rf"(?<![A-Za-z0-9])(?:{named})(?=@)|(?i:(?<=user=)|(?<=user:)|(?<=user: )|(?<=owner=)|(?<=userid=))"
                    rf"(?:{named})(?![A-Za-z0-9])"
                )
        if "hosts" in self.sorts:
            words.update((name, "hosts") for name in self._hosts)
            sites = {name.partition(".")[2] for name in self._hosts if "." in name}
            if sites:
                self._sites = re.compile(rf"(?<![\w-])([A-Za-z0-9][\w-]{{0,62}})\.({_trie(sites)})(?![\w-]|\.\w)")
        self._known = words
        if words:
            self._words = re.compile(rf"(?<![A-Za-z0-9])(?:{_trie(words)})(?![A-Za-z0-9])")

    def hint(self) -> str | None:
        """A regular expression (RE2) that finds every text there may be something to replace in; None finds all."""
        parts = []
        if "paths" in self.sorts:
            parts += [HINT_PATHS, *(rf"\b{re.escape(head)}\." for head in sorted(self._heads))]
        elif "hosts" in self.sorts:
            parts.append("://")
        if "addresses" in self.sorts:
            parts.append(HINT_ADDRESSES)
        if "gpus" in self.sorts:
            parts += [HINT_GPUS, *(["[0-9a-f]{8}-[0-9a-f]{4}-"] if self._gpus else [])]
        if len(self._known) + len(self._heads) > 2000:
            return None
        parts += [re.escape(name) for name in sorted(self._known)]
        if self._sites is not None:
            parts.append(r"\.[A-Za-z]")
        return "|".join(parts) or None

    # --- replacing -------------------------------------------------------------------------------------------------

    def node(self, name: str) -> str:
        """A name of a node, wherever a column holds one."""
        return self._host(name) if "hosts" in self.sorts else name

    def hosts(self, text: str) -> str:
        """A value that is a host or a list of hosts."""
        names = hostlist.expand(text)
        if "hosts" not in self.sorts or not names or not all(_HOST.fullmatch(n) or _is_address(n) for n in names):
            return self.text(text)  # "None assigned", as Slurm says
        return ",".join(self.address(name) if _is_address(name) else self._host(name) for name in names)

    def user(self, name: str) -> str:
        """A value that is a user."""
        if "users" not in self.sorts or name in _SYSTEM_USERS or not name or name.isdigit():
            return name
        if with_number := re.fullmatch(r"(.{1,64})(\(\d{1,10}\))", name):  # as Slurm writes it: root(0)
            return self.user(with_number[1]) + with_number[2]
        return self._token("users", name)

    def job(self, name: str) -> str:
        """A value that is the name of a job."""
        if "jobs" not in self.sorts or TOKEN.fullmatch(name) or name in _NO_JOB:
            return self.text(name)
        return self._token("jobs", name) if name.strip() else name

    def step(self, name: str) -> str:
        """A value that is the name of a step: often its job's, else that of a command."""
        return self.job(name) if name in self._jobs else self.text(name)

    def gpus(self, text: str) -> str:
        """A value that is the UUID of a GPU, or a list of them."""
        return self._of_gpus(text) if "gpus" in self.sorts else text

    def path(self, path: str) -> str:
        """A value that is a path, or a name of a file."""
        return self._path(path) if "paths" in self.sorts else self.text(path)

    def environment(self, text: str) -> str:
        """An environment as a JSON object; its names stay."""
        values = _environment(text)
        if not values:
            return self.text(text)
        replaced = {}
        for name, value in values.items():
            replaced[name] = self._by_key(name)(value)
        return json.dumps(replaced, sort_keys=True, ensure_ascii=False)

    def text(self, text: str) -> str:
        """Any text."""
        if "paths" in self.sorts or "hosts" in self.sorts:
            text = _URL.sub(self._url, text) if "://" in text else text
        if "paths" in self.sorts:
            if 'File "' in text:
                text = _TRACE_FILE.sub(lambda m: self._path(m[0]), text)
            if "/" in text:
                text = _ABSOLUTE.sub(lambda m: self._path(m[0]), text)
                text = _RELATIVE.sub(lambda m: self._path(m[0]), text)
            if self._heads and "." in text:
                text = _BARE.sub(lambda m: self._path(m[0]) if m[1] in self._heads else m[0], text)
        if "addresses" in self.sorts:
            if text.count(":") > 1 or text.count("-") > 4:
                text = _MAC.sub(lambda m: self.address(m[0]), text)
                text = _IPV6.sub(lambda m: self.address(m[0]), text)
            if text.count(".") > 2:
                text = _IPV4.sub(lambda m: self.address(m[0]), text)
        if "gpus" in self.sorts:
            text = self._of_gpus(text)
        if self._spoken is not None:
            text = self._spoken.sub(lambda m: self._token("users", m[0]), text)
        return self._names(text)

    def address(self, text: str) -> str:
        """An address, where it is one that tells of a machine."""
        if "addresses" not in self.sorts:
            return text
        known = self.map["addresses"].get(text)
        if known is not None:
            self.counts["addresses"] += 1
            return known
        if _MAC.fullmatch(text):
            if text.startswith("02:00:5e:"):
                return text
            digest = self._digest("addresses", text.lower().replace("-", ":"))
            return self._put("addresses", text, "02:00:5e:" + ":".join(digest[i : i + 2] for i in (0, 2, 4)))
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            return text
        if address.is_loopback or address.is_unspecified or address.is_multicast:
            return text
        digest = self._digest("addresses", address.compressed)
        if address.version == 4:
            if int(address) >> 28 == 0xF:  # 240.0.0.0/4, reserved: a token of ours, or a mask
                return text
            return self._put("addresses", text, str(ipaddress.IPv4Address(0xF << 28 | int(digest[:7], 16))))
        if address in _DOCUMENTATION:
            return text
        return self._put("addresses", text, str(_DOCUMENTATION[int(digest[:12], 16)]))

    def _by_key(self, name: str) -> Callable[[str], str]:
        """What replaces the value of a variable."""
        if name in HOST_KEYS:
            return self.hosts
        if name in USER_KEYS:
            return self.user
        return self.job if name in JOB_KEYS else self.text

    def _of_gpus(self, text: str) -> str:
        if "GPU-" in text or "MIG-" in text:
            text = _GPU.sub(lambda m: f"{m[1]}-{self._gpu(m[2])}", text)
        if self._gpus and text.count("-") > 3:
            text = _GPU_BARE.sub(lambda m: self._gpu(m[0]) if m[0] in self._gpus else m[0], text)
        if "erial" in text or "ERIAL" in text:
            text = _SERIAL.sub(lambda m: m[1] + self._serial(m[2]), text)
        return text

    def _gpu(self, uuid: str) -> str:
        if _GPU_TOKEN.fullmatch(uuid):
            return uuid
        digest = self._digest("gpus", uuid)
        return self._put("gpus", uuid, f"{digest[:8]}-0000-8000-8000-{digest[8:20]}")

    def _serial(self, number: str) -> str:
        if number.startswith(_SERIAL_TOKEN):
            return number
        digits = len(number) - len(_SERIAL_TOKEN)
        told = int(self._digest("gpus", number), 16) % 10**digits
        return self._put("gpus", number, f"{_SERIAL_TOKEN}{told:0{digits}}")

    def _url(self, match: re.Match[str]) -> str:
        scheme, authority, path = match[1], match[2], match[3] or ""
        user, at, place = authority.rpartition("@")
        host, colon, port = place.partition(":") if place.count(":") < 2 else (place, "", "")
        if "hosts" in self.sorts and host and not _is_address(host.strip("[]")) and not _PUBLIC.fullmatch(host.lower()):
            host = self._host(host)
        if "paths" in self.sorts and not re.fullmatch(r"(?:docs\.|www\.)?(?:pytorch|python)\.org", host):
            path = self._path(path)
        if at and "users" in self.sorts:
            user = "[masked]" if ":" in user else self.user(user)
        return f"{scheme}://{user}{at}{host}{colon}{port}{path}"

    def _host(self, name: str) -> str:
        short, dot, site = name.partition(".")
        if _is_address(name):
            return self.address(name)
        if not short or short.lower() in _NO_HOST or (TOKEN.fullmatch(short) and not site):
            return name
        token = short if TOKEN.fullmatch(short) else self._token("hosts", short)
        return f"{token}.{site if TOKEN.fullmatch(site) else self._digested('sites', site)}" if dot else token

    def _names(self, text: str) -> str:
        if self._words is None:
            return text
        if "[" in text:
            text = _LIST.sub(self._list, text)
        if self._sites is not None:
            text = self._sites.sub(lambda m: self._host(m[0]), text)
        return self._words.sub(self._word, text)

    def _list(self, match: re.Match[str]) -> str:
        names = hostlist.expand(match[0])
        return ",".join(map(self._host, names)) if names and self._hosts.issuperset(names[:1]) else match[0]

    def _word(self, match: re.Match[str]) -> str:
        sort = self._known[match[0]]
        return self._host(match[0]) if sort == "hosts" else self._token(sort, match[0])

    def _path(self, path: str) -> str:
        found = self._cache.get(path)
        if found is None:
            found = self._replaced_path(path)
            if len(self._cache) >= _CACHE_ENTRIES:
                self._cache.clear()
            self._cache[path] = found
        if found != path:
            self.counts["paths"] += 1
        return found

    def _replaced_path(self, path: str) -> str:
        parts = path.split("/")
        named = [part for part in parts if part]
        if path.startswith("/") and named and named[0] in _KEPT_ROOTS and named[1:2] != ["shm"]:
            return self._names(path)
        # What frameworks print of themselves: torch/distributed/run.py, /pytorch/torch/csrc/distributed/Work.cpp
        relative = not path.startswith(("/", "~"))
        if _FRAMEWORKS.intersection(named if _COMPILED.search(path) else named[:1] if relative else ()):
            return self._names(path)
        done: list[str] = []
        installed = False
        before = ""
        for part in parts:
            if not part or part in (".", "..", "~") or installed or TOKEN.match(part):
                done.append(part)
            elif before in _HOMES and part not in _HOMES and parts[0] == "":
                done.append(self.user(part) if "users" in self.sorts else self._component(part))
            else:
                done.append(self._component(part))
            installed = installed or bool(_INSTALLED.fullmatch(part) or _PYTHON_LIB.fullmatch(part))
            before = part or before
        return "/".join(done)

    def _component(self, part: str) -> str:
        """One part of a path: ordinary words, numbers and extensions stay, between them stands a token."""
        if not part or _LIBRARY.fullmatch(part):
            return part
        if token := TOKEN.search(part):  # of an earlier redaction
            return self._component(part[: token.start()]) + token[0] + self._component(part[token.end() :])
        if self._words is not None and (known := self._words.search(part)):
            before, after = part[: known.start()], part[known.end() :]
            return self._component(before) + self._word(known) + self._component(after)
        extension = _EXTENSION.search(part)
        head, tail = (part[: extension.start()], extension[0]) if extension else (part, "")
        segments = _SEGMENT.findall(head)
        ordinary = [not s.isalpha() or s.lower() in _ORDINARY for s in segments]
        if all(ordinary):
            return part
        first, last = ordinary.index(False), len(ordinary) - ordinary[::-1].index(False)
        middle = "".join(segments[first:last])
        return "".join(segments[:first]) + self._token("paths", middle) + "".join(segments[last:]) + tail

    def _token(self, sort: Sort, name: str) -> str:
        return self._put(sort, name, self._digested(sort, name))

    def _digested(self, sort: str, name: str) -> str:
        return f"{_PREFIX[sort]}-{self._digest(sort, name)[:8]}"

    def _digest(self, sort: str, name: str) -> str:
        return hmac.new(self._key, f"{sort}\0{name}".encode(errors="replace"), hashlib.sha256).hexdigest()

    def _put(self, sort: Sort, name: str, token: str) -> str:
        if sort != "paths":
            self.counts[sort] += 1
        known = self.map.setdefault(sort, {})
        if len(known) < _MAP_ENTRIES:
            known[name] = token
        return token


def _is_ordinary(name: str) -> bool:
    """Whether a job is called by words that stand in any log."""
    words = re.findall(r"[A-Za-z]+", name.lower())
    return all(word in _NO_JOB or word in _NO_USER or word in _ORDINARY or word in _FRAMEWORKS for word in words)


_DOCUMENTATION: Final = ipaddress.IPv6Network("2001:db8::/32")


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _environment(text: str) -> dict[str, str]:
    try:
        plain: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(plain, dict) or not all(isinstance(value, str) for value in plain.values()):
        return {}
    return plain


def _trie(words: Iterable[str]) -> str:
    """A regular expression for any of ``words``, longest first, that looks at each character once."""
    root: dict[str, Any] = {}
    for word in words:
        node = root
        for character in word:
            node = node.setdefault(character, {})
        node[""] = {}

    def pattern(node: dict[str, Any]) -> str:
        branches = [re.escape(character) + pattern(below) for character, below in sorted(node.items()) if character]
        if not branches:
            return ""
        joined = branches[0] if len(branches) == 1 and "" not in node else f"(?:{'|'.join(branches)})"
        return f"{joined}?" if "" in node else joined

    return pattern(root)
