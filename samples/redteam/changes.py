"""Changes to the files of a log that leave the truth of its run as it is: what collectors, shells and people do to text."""

from __future__ import annotations

import html
import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    Texts = dict[str, str]
    Change = Callable[[Texts, tuple[str, ...]], Texts | None]

_BEGIN: Final = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)


def _at(number: int) -> datetime:
    return _BEGIN + timedelta(seconds=number * 0.731)


def _iso(number: int, digits: int = 9, zone: str = "Z") -> str:
    return f"{_at(number):%Y-%m-%dT%H:%M:%S.%f}000"[: 20 + digits] + zone


def each_line(change: Callable[[int, str], str], before: str = "", behind: str = "") -> Change:
    """A change of every line by itself."""

    def changed(texts: Texts, _: tuple[str, ...]) -> Texts:
        return {
            name: before + "".join(f"{change(at, line)}\n" for at, line in enumerate(lines_of(text))) + behind
            for name, text in texts.items()
        }

    return changed


def lines_of(text: str) -> list[str]:
    """Lines as a collector sees them, which end at LF."""
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def whole(change: Callable[[str], str]) -> Change:
    """A change of each file as it is."""
    return lambda texts, _: {name: change(text) for name, text in texts.items()}


def _clouds(texts: Texts, _: tuple[str, ...]) -> Texts:
    def event(number: int, line: str) -> dict[str, object]:
        return {"timestamp": int(_at(number).timestamp() * 1000), "message": line, "ingestionTime": 1777888800000}

    return {
        f"{name}.json": json.dumps({"events": [event(*pair) for pair in enumerate(lines_of(text))]}, indent=1)
        for name, text in texts.items()
    }


def _loki(number: int, line: str) -> str:
    labels = {"namespace": "ml", "pod": "train-0", "node_name": "gpu-07"}
    return json.dumps({"labels": labels, "line": line, "timestamp": _iso(number)})


def _journal_export(number: int, line: str) -> str:
    micros = int(_at(number).timestamp() * 1e6)
    return (
        f"__CURSOR=s=1;i={number:x}\n__REALTIME_TIMESTAMP={micros}\n__MONOTONIC_TIMESTAMP={micros - 1777888000000000}\n"
        f"_BOOT_ID=6a1\n_HOSTNAME=gpu-07\n_PID=4711\n_TRANSPORT=stdout\nSYSLOG_IDENTIFIER=train\nPRIORITY=6\nMESSAGE={line}\n"
    )


def _powershell(text: str) -> str:
    """What PowerShell 5 makes of ``2>&1``: the first line of a program's errors becomes a record of its own."""
    lines = lines_of(text)
    at = next((n for n, line in enumerate(lines) if re.search(r"Traceback|Warning:|Error", line)), None)
    if at is None:
        return text
    record = [f"python : {lines[at]}", "At line:1 char:1", "+ python train.py 2>&1 | Tee-Object log.txt"]
    record += [
        "+ ~~~~~~~~~~~~~~~~~~~~",
        f"    + CategoryInfo          : NotSpecified: ({lines[at][:24]}:String) [], RemoteException",
    ]
    record += ["    + FullyQualifiedErrorId : NativeCommandError", " "]
    return "\r\n".join([*lines[:at], *record, *lines[at + 1 :]]) + "\r\n"


def _script(text: str) -> str:
    head = 'Script started on 2026-05-04 10:00:00+00:00 [TERM="xterm-256color" TTY="/dev/pts/3" COLUMNS="132" LINES="43"]\n'
    prompt = "\x1b[?2004h\x1b]0;user@gpu-07: ~\x07user@gpu-07:~$ "
    body = "\r\n".join(lines_of(text))
    return f"{head}{prompt}python train.py\r\n\x1b[?2004l\r{body}\r\n{prompt}exit\r\n\nScript done on 2026-05-04 11:00:00+00:00\n"


def _wrapped(width: int) -> Change:
    def wrap(_: int, line: str) -> str:
        return "\n".join(line[at : at + width] for at in range(0, max(1, len(line)), width))

    return each_line(wrap)


_NOISE: Final = (
    "2026-05-04 10:00:03.123456: I tensorflow/core/platform/cpu_feature_guard.cc:210] This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.",
    "E0000 00:00:1777888803.123456    4711 cuda_dnn.cc:8310] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered",
    "huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling parallelism to avoid deadlocks...",
    "\t- Avoid using `tokenizers` before the fork if possible",
    "/opt/conda/lib/python3.11/site-packages/torch/utils/checkpoint.py:295: FutureWarning: `torch.cpu.amp.autocast(args...)` is deprecated.",
    "  warnings.warn(",
    "gpu-07:4711:4811 [0] NCCL INFO Channel 03/0 : 0[0] -> 1[1] via P2P/CUMEM/read",
    "gpu-07:4711:4811 [0] NCCL INFO Connected all rings",
    "wandb: Currently logged in as: someone. Use `wandb login --relogin` to force relogin",
    "wandb: Tracking run with wandb version 0.17.0",
    "TensorBoard 2.16.2 at http://localhost:6006/ (Press CTRL+C to quit)",
    "[W503 10:00:03.123456789 Utils.hpp:137] Warning: Environment variable NCCL_ASYNC_ERROR_HANDLING is deprecated; use TORCH_NCCL_ASYNC_ERROR_HANDLING instead (function operator())",
    "Using the `WANDB_DISABLED` environment variable is deprecated and will be removed in v5. Use the --report_to flag.",
    "I0504 10:00:03.123456 4711 xla_service.cc:168] XLA service 0x7f1 initialized for platform CUDA",
    "Special tokens have been added in the vocabulary, make sure the associated word embeddings are fine-tuned or trained.",
    "No protocol specified",
)
_BEFORE: Final = (
    "Collecting torch==2.3.1\n  Downloading torch-2.3.1-cp311-cp311-manylinux1_x86_64.whl (779.1 MB)\n"
    "     ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 779.1/779.1 MB 4.2 MB/s eta 0:00:00\n"
    "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed. This behaviour is the source of the following dependency conflicts.\n"
    "torchaudio 2.2.0 requires torch==2.2.0, but you have torch 2.3.1 which is incompatible.\n"
    "Successfully installed torch-2.3.1\nWARNING: Running pip as the 'root' user can result in broken permissions\n"
    "Loading cuda/12.4\n  Loading requirement: gcc/12.2.0\n\nCurrently Loaded Modules:\n  1) gcc/12.2.0   2) cuda/12.4\n\n"
    "Collecting package metadata (current_repodata.json): ...working... done\nSolving environment: ...working... done\n"
)
_TRACE: Final = "Traceback (most recent call last)"


def _with_noise(every: int, *, inside: bool) -> Change:
    def noisy(text: str) -> str:
        out: list[str] = []
        within = False
        for at, line in enumerate(lines_of(text)):
            within = _TRACE in line or (within and line[:1] in (" ", "\t", ""))
            free = not line.startswith((" ", "\t")) and not within
            if at and at % every == 0 and (inside or free) and "\r" not in line:
                out.append(_NOISE[at // every % len(_NOISE)])
            out.append(line)
        return "\n".join(out) + "\n"

    return whole(noisy)


SOUND: Final = "".join(
    f"step {n}/200 | loss {4.1 * 0.985**n + 0.9:.4f} | lr 3.0e-04 | 0.21 s/step\n" for n in range(10, 201, 10)
)
_FAILED: Final = (
    "step 10/400 | loss 3.9120 | lr 3.0e-04 | 0.21 s/step\nstep 20/400 | loss 3.7011 | lr 3.0e-04 | 0.21 s/step\n"
    f'{_TRACE}:\n  File "/home/u/train.py", line 88, in <module>\n    main()\n  File "/home/u/train.py", line 60, in main\n'
    "    batch = collate(rows)\nKeyError: 'labels'\n"
)


def _sound_before(text: str) -> str:
    return f"$ python train.py --steps 200\n{SOUND}training finished, 200 steps done\nsaved model to out/final.pt\n$ python train.py\n{text}"


def _failed_before(texts: Texts, right: tuple[str, ...]) -> Texts | None:
    if right[0] != "G1":
        return None
    return {name: f"$ python train.py\n{_FAILED}$ python train.py\n{text}" for name, text in texts.items()}


def _attempt_before(word: str) -> Change:
    """A shell that tries again says so: what ended the last attempt is what ended the run."""
    return whole(lambda text: f"{_FAILED}{word}\n{text}")


def _interleaved(text: str) -> str:
    return "".join(f"[rank0]: {line}\n[rank1]: {line}\n" for line in lines_of(text))


def _eight_fail(text: str) -> str:
    at = text.rfind(f"\n{_TRACE}") + 1 or (0 if text.startswith(_TRACE) else -1)
    if at < 0:
        return text
    tail = lines_of(text[at:])
    return text[:at] + "".join(f"[rank{rank}]: {line}\n" for rank in range(8) for line in tail)


def _twice(texts: Texts, _: tuple[str, ...]) -> Texts | None:
    text = next(iter(texts.values()))
    return {"node0.log": text, "node1.log": text} if len(texts) == 1 else None


def _two_streams(texts: Texts, _: tuple[str, ...]) -> Texts | None:
    if len(texts) > 1:
        return None
    streams: dict[str, list[str]] = {"job-17.out": [], "job-17.err": []}
    within = False
    for line in lines_of(next(iter(texts.values()))):
        within = _TRACE in line or (
            within and (line[:1] in (" ", "") or "During handling" in line or "direct cause" in line)
        )
        raised = re.match(r"[\w.]+(?:Error|Exception|Interrupt|Exit)\b", line)
        to_err = within or raised or "Warning" in line or "\r" in line or "it/s" in line
        streams["job-17.err" if to_err else "job-17.out"].append(line)
    if not all(streams.values()):
        return None
    return {name: "\n".join(lines) + "\n" for name, lines in streams.items()}


def _replaced(pattern: str, by: str | Callable[[re.Match[str]], str]) -> Change:
    return whole(lambda text: re.sub(pattern, by, text))


_LOSS: Final = r"(?<![\w/.])loss(?=[\"']?[ :=])"
_LOSS_VALUE: Final = r"(?i)(loss[\"']?[ :=]{1,3})(\d{1,6}\.\d{2,})(?![\w.])"
_LABEL: Final = r"(?<![\w/.])[sS]tep(?=s?[\"']?[ :=]{1,3}\d)"


def _formatted(form: str) -> Change:
    return _replaced(_LOSS_VALUE, lambda found: found[1] + format(float(found[2]), form))


def _ten_times(found: re.Match[str]) -> str:
    return found[1] + str(int(found[2]) * 10) + (f"{found[3]}{int(found[4]) * 10}" if found[3] else "")


def _cut(keep: Callable[[list[str]], list[str]]) -> Change:
    return whole(lambda text: "\n".join(keep(lines_of(text))) + "\n")


def _half_the_progress(lines: list[str]) -> list[str]:
    seen = 0
    kept = []
    for line in lines:
        told = re.search(r"(?i)loss\W{1,4}\d", line) is not None
        seen += told
        if not told or seen % 2:
            kept.append(line)
    return kept


CHANGES: Final[dict[str, Change]] = {
    "syslog": each_line(lambda n, line: f"{_at(n):%b} {_at(n).day:2} {_at(n):%H:%M:%S} gpu-07 train[4711]: {line}"),
    "kubectl --timestamps": each_line(lambda n, line: f"{_iso(n)} {line}"),
    "kubectl --prefix": each_line(lambda _, line: f"[pod/train-0/pytorch] {line}"),
    "stern": each_line(lambda _, line: f"train-0 pytorch {line}"),
    "cri": each_line(lambda n, line: f"{_iso(n, zone='+00:00')} stdout F {line}"),
    "docker json-file": each_line(
        lambda n, line: json.dumps({"log": f"{line}\n", "stream": "stdout", "time": _iso(n)}, separators=(",", ":"))
    ),
    "loki": each_line(_loki),
    "cloudwatch": _clouds,
    "journald export": each_line(_journal_export),
    "journalctl -o short-iso": each_line(lambda n, line: f"{_iso(n, -1, '+0000')} gpu-07 python[4711]: {line}"),
    "srun -l": each_line(lambda _, line: f"3: {line}"),
    "[rank3]:": each_line(lambda _, line: f"[rank3]:{line}"),
    "[default3]:": each_line(lambda _, line: f"[default3]:{line}"),
    "mpirun --tag-output": each_line(lambda _, line: f"[1,3]<stdout>:{line}"),
    "ray": each_line(lambda _, line: f"(train_fn pid=4711) {line}"),
    "pdsh": each_line(lambda _, line: f"gpu07: {line}"),
    "github actions": each_line(
        lambda n, line: f"{_iso(n, 7)} {line}",
        before="\ufeff2026-05-04T09:59:00.0000000Z ##[group]Run python train.py\n2026-05-04T09:59:00.0000001Z ##[endgroup]\n",
    ),
    "gitlab": each_line(lambda n, line: f"{_iso(n, 6)} 01O {line}"),
    "loguru": each_line(lambda n, line: f"{_at(n):%Y-%m-%d %H:%M:%S}.123 | INFO     | trainer.shell:run:42 - {line}"),
    "python logging": each_line(lambda n, line: f"{_at(n):%Y-%m-%d %H:%M:%S},123 - launcher - INFO - {line}"),
    "INFO:root:": each_line(lambda _, line: f"INFO:root:{line}"),
    "docker compose": each_line(lambda _, line: f"trainer-1  | {line}"),
    "ts": each_line(lambda n, line: f"{_at(n):%b %d %H:%M:%S} {line}"),
    "ts -s": each_line(lambda n, line: f"{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02} {line}"),
    "bracketed clock": each_line(lambda n, line: f"[{_at(n):%Y-%m-%d %H:%M:%S}] {line}"),
    "powershell": whole(_powershell),
    "typescript": whole(_script),
    "crlf": whole(lambda text: "\r\n".join(lines_of(text)) + "\r\n"),
    "tabs expanded": each_line(lambda _, line: line.expandtabs()),
    "trailing blanks": each_line(lambda _, line: f"{line}   "),
    "ansi": each_line(lambda _, line: f"\x1b[32m{line}\x1b[0m"),
    "ansi clock": each_line(lambda n, line: f"\x1b[2m{_at(n):%H:%M:%S}\x1b[0m \x1b[1m{line}\x1b[0m"),
    "wrapped at 80": _wrapped(80),
    "wrapped at 132": _wrapped(132),
    "html": each_line(lambda _, line: html.escape(line)),
    "html page": each_line(
        lambda _, line: html.escape(line),
        before="<!DOCTYPE html>\n<html><body><pre>\n",
        behind="</pre></body></html>\n",
    ),
    "indented": each_line(lambda _, line: f"    {line}"),
    "quoted": each_line(lambda _, line: f"> {line}"),
    "fenced": whole(lambda text: f"My training died, any idea?\n\n```\n{text}```\n\nThanks!\n"),
    "cat -n": each_line(lambda n, line: f"{n + 1:6}\t{line}"),
    "grep -n": each_line(lambda n, line: f"{n + 1}:{line}"),
    "grep -H": each_line(lambda _, line: f"train.log:{line}"),
    "set -x": whole(
        lambda text: (
            f"+ set -e\n+ export OMP_NUM_THREADS=8\n++ hostname\n+ echo 'on gpu-07'\non gpu-07\n+ python train.py\n{text}"
        )
    ),
    "blank lines between": each_line(lambda _, line: f"{line}\n"),
    "no blank lines": whole(lambda text: "".join(f"{line}\n" for line in lines_of(text) if line.strip())),
    "tabs to blanks": whole(lambda text: text.replace("\t", " ")),
    "installed before": whole(lambda text: _BEFORE + text),
    "noise": _with_noise(7, inside=False),
    "noise in tracebacks": _with_noise(5, inside=True),
    "noise behind": whole(
        lambda text: (
            text
            + "wandb: You can sync this run to the cloud by running:\nwandb: wandb sync /home/u/wandb/offline-run-1\n/opt/conda/lib/python3.11/multiprocessing/resource_tracker.py:254: UserWarning: resource_tracker: There appear to be 1 leaked semaphore objects to clean up at shutdown\n  warnings.warn('resource_tracker: There appear to be %d '\n"
        )
    ),
    "sound run before": whole(_sound_before),
    "failed run before": _failed_before,
    "attempt before": _attempt_before("attempt 1 failed with exit code 1, retrying in 30 s"),
    "try before": _attempt_before("[launch.sh] try 1: exit 1"),
    "begun again before": _attempt_before("=== training exited with 1, starting it again (2/3) ==="),
    "two ranks": whole(_interleaved),
    "eight ranks fail": whole(_eight_fail),
    "two nodes": _twice,
    "out and err": _two_streams,
    "train_loss": _replaced(_LOSS, "train_loss"),
    "train/loss": _replaced(_LOSS, "train/loss"),
    "Loss": _replaced(_LOSS, "Loss"),
    "loss_avg": _replaced(_LOSS, "loss_avg"),
    "L": _replaced(_LOSS, "L"),
    "three digits": _formatted(".3f"),
    "eight digits": _formatted(".8f"),
    "scientific": _formatted(".4e"),
    "iter": _replaced(_LABEL, "iter"),
    "it": _replaced(_LABEL, "it"),
    "update": _replaced(_LABEL, "update"),
    "global_step": _replaced(_LABEL, "global_step"),
    "ten times the steps": _replaced(
        r"(?i)(\b(?:step|iter|iteration)s?[\"']?[ :=]{1,3})(\d{1,9})(?:( ?/ ?)(\d{1,9}))?(?![\w.])", _ten_times
    ),
    "other paths": _replaced(r"/(?:home/\w+|root|workspace|tmp/\w+|data|mnt/\w+)/", "/scratch/project_465/u042/"),
    "other names": _replaced(r"\b(?:train|main|run|job)(?=\.py|\(|\n| in <)", "fit_all"),
    "other day": _replaced(r"\b20(?:25|26)-(\d\d)-(\d\d)", r"2024-\1-\2"),
    "head lost": _cut(lambda lines: lines[len(lines) * 2 // 5 :]),
    "last 5 lines lost": _cut(lambda lines: lines[:-5]),
    "last 20 lines lost": _cut(lambda lines: lines[:-20]),
    "half the progress": _cut(_half_the_progress),
    "last 200 lines": _cut(lambda lines: lines[-200:]),
    "last 40 lines": _cut(lambda lines: lines[-40:]),
    "grep error|loss": _cut(lambda lines: [line for line in lines if re.search(r"(?i)error|loss", line)]),
    "grep -v loss": _cut(lambda lines: [line for line in lines if not re.search(r"(?i)loss", line)]),
}
"""By name; each gets the files and the right answers, and gives other files, or None where it has nothing to change."""

FORGETS: Final = frozenset(
    (
        *(
            "head lost",
            "last 5 lines lost",
            "last 20 lines lost",
            "half the progress",
            "last 200 lines",
            "last 40 lines",
        ),
        *("grep error|loss", "grep -v loss"),
    )
)
"""Those that take evidence away: to abstain is right as well."""
