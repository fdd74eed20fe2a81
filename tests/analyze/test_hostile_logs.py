"""Whatever a log says, there is a verdict in every view: no text may end the analysis."""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import inquest.analyze
import inquest.bundle
from inquest.analyze.engine import analyze
from inquest.analyze.logs.registry import REGISTRY
from inquest.bundle.errors import InputError
from inquest.bundle.imports.log import is_text
from inquest.bundle.logs_import import import_logs
from inquest.render import VIEWS

NUMBERS = st.sampled_from(
    [
        "0", "-1", "-0", "1e400", "-1e400", "nan", "NaN", "inf", "-inf", "Infinity", "1e-400", "9" * 18, "9" * 19,
        "9223372036854775807", "9223372036854775808", "-9223372036854775809", "9" * 40, "9" * 2000, "1_000", "1,0,0,0",
        ".", "..", "0x10", "٣", "1e", "--5", "4294967296", "1" + "0" * 30, "00000000000000000001", "3.",
    ]
)  # fmt: skip
CLOCKS = st.sampled_from(
    [
        "", "0000-00-00 00:00:00", "0001-01-01 00:00:00,000", "2099-12-31T23:59:60Z", "2049-12-31 23:59:59.999999999",
        "9999-12-31 23:59:59", "2026-02-30 25:61:61", "2026-13-40 00:00:00", "NaN-NaN-NaN NaN:NaN:NaN",
        "2026-11-20T21:39:05.123456789+99:99", "2026-11-20 21:39:05,576", "I1332 99:99:99.123456",
        "[Xxx Foo 99 99:99:99 2026]", "12/31/2099 23:59:59", "I0000 00:00:19999999999.999999",
        "2026-11-20T21:39:05-00:00",
    ]
)  # fmt: skip
PREFIXES = st.sampled_from(
    [
        "", "0: ", "99999: ", "-1: ", "[rank0]: ", "[rank-1]: ", "[rank99999]: ", "[rank100000000000000000000]:",
        "[default0]:", "[default99999]:[rank3]: ", "0: [rank0]: [rank1]: ", "(Worker[rank=0] pid=1) ", "[RANK:7] ",
        "stderr: stdout: ", "\x1b[31m", "\x00\x08", "\ufeff", "| rank 99999: ", "[[[[", "]]]]",
    ]
)  # fmt: skip
SHAPES = st.sampled_from(
    [
        "step {n}/{m} | loss {x} | grad_norm {x} | lr {x} | {x} ms/step | {n} tokens/s",
        "{{'loss': {x}, 'grad_norm': {x}, 'learning_rate': {x}, 'epoch': {x}}}",
        "Epoch {n}: {n}%|###| {n}/{m} [00:00<00:00, {x}it/s, loss={x}]",
        "Epoch {n}/{m}", "{n}/{m} ━━━━ {n}s {n}ms/step - loss: {x} - val_loss: {x}",
        " iteration {n}/ {m} | consumed samples: {n} | elapsed time per iteration (ms): {x} | lm loss: {x} |"
        " number of nan iterations: {n} | number of skipped iterations: {n} |",
        "[epoch: {n}] [{n}/{m}] Loss: {x}", "step={n}, skipped={n}, lr=[{x}], CurrSamplesPerSec={x}",
        "saved checkpoint step-{n}.pt", "loaded checkpoint at step {n}", "resuming from step {n}",
        "Traceback (most recent call last):", '  File "a.py", line {n}, in f', "    raise X", "ValueError: {x}",
        "During handling of the above exception, another exception occurred:",
        "The above exception was the direct cause of the following exception:",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {x} GiB. GPU {n} has a total capacity of {x} GiB"
        " of which {x} MiB is free. Process {n} has {x} GiB memory in use.",
        "  exitcode  : {n} (pid: {m})", "  exitcode  : -{n} (pid: {m})", "  rank      : {n} (local_rank: {m})",
        "  error_file: <N/A>", "  time      : {x}", "  host      : {x}", "Root Cause (first observed failure):", "[0]:",
        "failed (exitcode: {n}) local_rank: {m} (pid: {n}) of binary: /usr/bin/python",
        "srun: error: node{n}: task {m}: Exited with exit code {n}", "srun: error: node{n}: tasks {n}-{m}: Killed",
        "slurmstepd: error: *** STEP {n}.{m} ON node{n} CANCELLED AT {x} DUE TO TIME LIMIT ***",
        "slurmstepd: error: Detected {n} oom_kill events in StepId={m}.batch.", "Killed", "Segmentation fault",
        "Out of memory: Killed process {n} (python) total-vm:{m}kB, anon-rss:{n}kB",
        "NVRM: Xid (PCI:0000:{n}:00): {m}, pid={n}, name=python, GPU has fallen off the bus.",
        "[Rank {n}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={m}, OpType=ALLREDUCE,"
        " NumelIn={n}, NumelOut={m}, Timeout(ms)={n}) ran for {m} milliseconds before timing out.",
        "Signal {n} (SIGNAL{m}) received by PID {n}", "exit code {n}", "Process {n} terminated with signal SIG{m}",
        "size mismatch for {x}: copying a param with shape torch.Size([{n}]) from checkpoint, the shape is {m}",
        "No space left on device", "DataLoader worker (pid(s) {n}) exited unexpectedly", "KeyboardInterrupt",
        "Training completed", "{x}", "[{n}/{m}]", "loss {x}", "step {n}",
    ]
)  # fmt: skip


@st.composite
def lines(draw):
    text = draw(SHAPES).format(n=draw(NUMBERS), m=draw(NUMBERS), x=draw(NUMBERS))
    line = draw(PREFIXES) + draw(CLOCKS) + " " + text
    return draw(PREFIXES) + line if draw(st.booleans()) else line


def judged(path, text, **known):
    path.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    verdict, evidence = analyze(import_logs([path], **known), strict=True)
    for view in VIEWS:
        assert view.render(verdict, evidence)
    return verdict


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.lists(lines(), max_size=30), st.sampled_from(["\n", "\r\n", "\r", "\n\n"]), st.sampled_from([None, 0, 255]))
@example(["step 1 loss 9", "Traceback (most recent call last):"], "\n", None)
def test_every_text_has_a_verdict(tmp_path_factory, text, end, code):
    judged(tmp_path_factory.mktemp("hostile") / "slurm-1.out", end.join(text), exit_code=code)


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(st.binary(max_size=3000))
def test_every_pile_of_bytes_has_a_verdict_or_is_no_text(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("hostile") / "job.log"
    if is_text(data):
        judged(path, data)
    else:
        with pytest.raises(InputError):
            judged(path, data)


@pytest.mark.parametrize(
    "unit", ["exit code 9", "step 9", "loss: 9", "[rank9", "exitcode  : 9", "2026-11-20 21:39:05.9"]
)
def test_a_number_of_a_million_digits_is_read_to_an_end(tmp_path, unit):
    judged(tmp_path / "job.log", f"loss 1\n{unit}{'9' * 1_000_000}\nTraceback (most recent call last):\n")


def _patterns():
    """Every compiled pattern a module of ours holds by itself, in a tuple or a table, and those of the registry."""
    for package in (inquest.analyze, inquest.bundle):
        for found in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            held = vars(importlib.import_module(found.name)).items()
            for name, value in held:
                many = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
                yield from ((f"{found.name}.{name}", each) for each in many if isinstance(each, re.Pattern))
    yield from ((pattern.id, pattern.compiled) for pattern in REGISTRY)


def test_no_pattern_tries_a_line_in_too_many_ways():
    # A rule of 100 dashes below the last report, as flair draws it, took longer than anybody waited.
    units = ["-", "=", " ", ".", "| ", "a", "1.1.", "0,1,2,", "a.b_c-d/", "[a] ", "x=1 ", "2026-11-22 ", "Error: a: "]
    texts = [(unit * 240)[:240] + end for unit in units for end in ("", "!")]
    slow = set()
    previous = signal.signal(signal.SIGVTALRM, _too_long)
    try:
        for name, pattern in _patterns():
            if isinstance(pattern.pattern, bytes):
                continue
            try:
                signal.setitimer(signal.ITIMER_VIRTUAL, 2.0)
                for text in texts:
                    pattern.search(text)
            except TimeoutError:
                slow.add(name)
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    finally:
        signal.signal(signal.SIGVTALRM, previous)
    assert not slow


def _too_long(number, frame):
    raise TimeoutError
