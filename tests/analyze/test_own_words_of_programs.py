"""Words that any program may say and that tell where they stand: refusals, farewells behind a logger, times by rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from inquest.analyze.engine import analyze
from inquest.bundle.logs_import import import_logs
from inquest.bundle.store import MemoryStore
from tests.analyze.builders import at as at_s
from tests.analyze.test_last_words_and_few_steps import WHERE, lines, process, raised, recorded

if TYPE_CHECKING:
    from pathlib import Path

    from inquest.analyze.model import Verdict

CURVE = lines("epoch {k}/20 loss {l:.4f}", 20)
MAIN = ("/w/job.py", "<module>", "main()")


def said(folder: Path, text: str, exit_code: int | None = None) -> Verdict:
    (folder / "job.log").write_text(text)
    return analyze(import_logs([folder], exit_code=exit_code), strict=True)[0]


def family(folder: Path, text: str, exit_code: int | None = None) -> str:
    verdict = said(folder, text, exit_code)
    return str(verdict.family or verdict.outcome)


# --- command lines that a program's own parser refuses ----------------------------------------------------------------
ARGPARSE = "usage: lab fit [-h] [--coins COINS]\n               [--epochs EPOCHS]\nlab fit: error: d/x holds no index\n"
CLICK = "Usage: prep [OPTIONS] SRC\nTry 'prep --help' for help.\n\nError: SRC holds no shard\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("settings read\n" + ARGPARSE, "A1"),
        (ARGPARSE + "=== over ===\n", "A1"),
        (CLICK, "A1"),
        (ARGPARSE.replace("lab fit: error", "lab eval: error"), "cannot_decide"),  # another's, below this usage
        ("lab fit: error: d/x holds no index\n", "cannot_decide"),  # no parser says so
        ("Error: SRC holds no shard\n", "cannot_decide"),
        (ARGPARSE + CURVE, "G1"),  # the next command of the script trained
        (CLICK + CURVE, "G1"),
    ],
)
def test_a_refused_command_line_behind_a_pipe(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text, 0) == expected


def test_a_recorder_saw_the_refused_program_leave() -> None:
    text = [(2.0, line) for line in ARGPARSE.splitlines()]
    assert recorded(text, process(9, "python3 fit.py", 3, exit_code=2), 0, "bash fit.sh") == "A1"


# --- what make ignores ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("word", "began", "expected"),
    [
        ("make: [Makefile:3: all] Error 1 (ignored)", 40, "G1"),
        ("make: [Makefile:3: all] Error 2 (ignored)", 40, "cannot_decide"),  # of another
        ("make: *** [Makefile:3: all] Error 1", 40, "cannot_decide"),
        ("make: [Makefile:3: all] Error 1 (ignored)", 1, "cannot_decide"),  # it was there when training reported
    ],
)
def test_a_later_call_of_the_program_that_make_ignores(word: str, began: float, expected: str) -> None:
    out = [(2.0 + k, f"epoch {k} loss {0.3 + 4 / k:.4f}") for k in range(1, 31)]
    processes = process(9, "python3 job.py fit", 39, exit_code=0)
    processes += process(11, "python3 job.py publish", 50, began=began, exit_code=1)
    assert recorded([*out, (51.0, word), (52.0, "all told")], processes, 0, "make") == expected


# --- farewells behind what a logger puts ahead ------------------------------------------------------------------------
LOGGED = lines("2026-11-20 10:{k:02d}:00,100 INFO train: epoch {k} loss {l:.4f}", 20)
HYDRA = lines("[2026-11-20 10:{k:02d}:00,100][train][INFO] - epoch {k} loss {l:.4f}", 20)
PLAIN = lines("{k:02d}:00:01 | epoch {k} loss {l:.4f}", 20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LOGGED + "2026-11-20 10:22:00,100 INFO train: all done\n", "G1"),
        (LOGGED + "2026-11-20 10:22:00,100 INFO train: saved model to out/model.pt\n", "G1"),
        (LOGGED + "INFO:train:best val acc 0.931\n", "G1"),
        (LOGGED + "2026-11-20 10:22:00.839 | SUCCESS  | __main__:<module>:16 - all done\n", "G1"),
        (HYDRA + "[2026-11-20 10:22:00,100][train][INFO] - done in 812.4 s\n", "G1"),
        (PLAIN + "21:00:01 | training finished\n", "G1"),
        (PLAIN + "21:00:01 | shutdown requested\n21:00:02 | bye\n", "cannot_decide"),
        (LOGGED + "2026-11-20 10:22:00,100 INFO validation: done\n", "cannot_decide"),  # another part of the program
        (LOGGED + "2026-11-20 10:22:00,100 INFO train: epoch 20 done\n", "cannot_decide"),
        (LOGGED + "2026-11-20 10:22:00,100 INFO train: stage 1: completed\n", "cannot_decide"),
        (LOGGED + "2026-11-20 10:22:00,100 INFO train: saved out/epoch_20.pt\n", "cannot_decide"),
        (LOGGED + "2026-11-20 10:22:00,100 ERROR train: done\n", "cannot_decide"),
    ],
)
def test_a_farewell_behind_a_loggers_head(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text) == expected


def test_gensim_tells_that_training_returned(tmp_path: Path) -> None:
    text = lines("10:{k:02d}:00 : INFO : epoch {k} loss {l:.4f}", 8)
    event = "10:09:00 : INFO : FastText lifecycle event {{'msg': '{}', 'datetime': '2026-11-23T01:27:00'}}\n"
    returned = event.format("training on 3360000 raw words (3360000 effective words) took 6.9s")
    assert family(tmp_path, text + returned) == "G1"
    begun = event.format("training model with 1 workers on 480 vocabulary and 50 features")
    assert family(tmp_path, text + begun) == "cannot_decide"


BOOSTED = "".join(
    f"[{k}]\ttrain-logloss:{0.1 + 0.6 * 0.98**k:.5f}\tvalid-logloss:{0.12 + 0.58 * 0.98**k:.5f}\n" for k in range(300)
)
WARNED = (
    "core.py:158: UserWarning: [08:13:59] WARNING: /w/src/common/error_msg.cc:58: Falling back to DMatrix: on cuda:0.\n"
)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (WARNED + "best iteration 200, logloss 0.11667\nAUC 0.87\n", "G1"),
        (WARNED.replace("error_msg.cc:58", "error") + "best iteration 200, logloss 0.11667\n", "cannot_decide"),
    ],
)
def test_a_warning_names_its_place_in_a_librarys_source(tmp_path: Path, end: str, expected: str) -> None:
    assert family(tmp_path, BOOSTED + end) == expected


# --- a level that means nothing ---------------------------------------------------------------------------------------
CALLED = lines("CRITICAL epoch {k}: train loss {l:.4f}", 8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CALLED + "ERROR summary of level 3: weights in quill/w.st\n", "G1"),
        (CALLED + "ERROR could not write weights: quota exceeded\n", "cannot_decide"),
        (CALLED.replace("CRITICAL ", "") + "ERROR summary of level 3: weights in quill/w.st\n", "cannot_decide"),
    ],
)
def test_reports_that_are_called_errors_themselves(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text, 0) == expected


# --- ranks that never met ---------------------------------------------------------------------------------------------
LIMIT = "slurmstepd: error: *** JOB 991 ON n001 CANCELLED AT 2026-11-21T10:00:07 DUE TO TIME LIMIT ***\n"
API = "I1120 10:00:05.120000 4411 torch/distributed/launcher/api.py:194] "
LAUNCH = f"{API}Starting elastic_operator\n{API}  min_nodes        : 4\n{API}  max_nodes        : 4\n"
DEEPSPEED = "[2026-11-20 10:00:05,331] [INFO] [comm.py:683] Initializing TorchBackend in DeepSpeed with backend nccl\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LAUNCH + LIMIT, "C1"),
        (LAUNCH.replace(": 4", ": 1") + LIMIT, "F3"),
        (LAUNCH + f"{API}[default] Rendezvous complete for workers. Result:\n" + LIMIT, "F3"),
        (LAUNCH + "loading the tokenizer\n" + LIMIT, "F3"),  # the program said something since
        ("using world size: 64\n> initializing torch distributed ...\n" + LIMIT, "C1"),
        (DEEPSPEED + LIMIT, "C1"),
        ("Connecting to JAX distributed service on n001:1234\n" + LIMIT, "C1"),
    ],
)
def test_a_launchers_banner_and_then_silence_until_the_limit(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text) == expected


# --- the times of all ranks in one line -------------------------------------------------------------------------------
def by_rank(form: str, slow: float = 1893.0, *, moves: bool = False) -> str:
    """Fifty reports of a loss that falls, with the times of eight ranks, of which one is slow."""
    out = []
    for n in range(1, 51):
        who = n % 8 if moves else 3
        times = [slow if rank == who else 210.0 + rank for rank in range(8)]
        keyed = " ".join(f"r{rank}={taken / 1000:.3f}s" for rank, taken in enumerate(times))
        told_ = form.format(listed=times, keyed=keyed, worst=max(times), least=min(times), who=who)
        out.append(f"step {n} loss {0.4 + 3 / n:.4f} | {told_}\n")
    return "".join(out)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (by_rank("ms/rank: {listed}"), "D3"),
        (by_rank("step_time {keyed}"), "D3"),
        (by_rank("step time (ms) min {least} max {worst} (rank {who})"), "D3"),
        (by_rank("ms/rank: {listed}", 260.0), "G1"),  # somebody is always the slowest
        (by_rank("ms/rank: {listed}", moves=True), "G1"),  # now one and now another
        (by_rank("shards/rank: {listed}"), "G1"),
        (by_rank("wait ms/rank: {listed}"), "G1"),  # who waits longest is not the slow one
        (by_rank("grad norm min {least} max {worst} (rank {who})"), "G1"),
        ("pipeline_parallel_size: 4\n" + by_rank("ms/rank: {listed}"), "G1"),  # stages differ by design
    ],
)
def test_the_times_of_all_ranks_in_one_line(tmp_path: Path, text: str, expected: str) -> None:
    verdict = said(tmp_path, text + "done\n", 0)
    assert (verdict.family, verdict.culprit_ranks) == (expected, (3,) if expected == "D3" else ())


# --- a time without a name, and others' words -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("step", "save", "expected"),
    [
        ("({t:.2f}s)", "(6.20s)", "D2"),
        ("({t:.2f}s)", "(0.01s)", "G1"),
        ("({n:.2f}s)", "(6.20s)", "G1"),  # what grows is the time since the begin
    ],
)
def test_saves_beside_a_time_that_no_name_tells(tmp_path: Path, step: str, save: str, expected: str) -> None:
    text = "".join(
        f"step {n} loss {0.4 + 3 / n:.4f} {step.format(t=0.05 + n % 3 / 100, n=n / 1)}\nsaved ckpt/step_{n}.pt {save}\n"
        for n in range(1, 101)
    )
    assert family(tmp_path, text + "done\n", 0) == expected


OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a capacity of 79.15 GiB\n"


def test_a_refused_allocation_below_which_training_reported_on(tmp_path: Path) -> None:
    assert family(tmp_path, f"answer 3 was {OOM}{CURVE}", 1) != "B1"
    assert family(tmp_path, f"{CURVE}{OOM}", 1) == "B1"


def test_a_worker_that_ray_killed(tmp_path: Path) -> None:
    killed = "ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory."
    assert family(tmp_path, CURVE + raised(killed, MAIN), 1) == "A2"
    assert family(tmp_path, CURVE + raised("ray.exceptions.RaySystemError: the store is full", MAIN), 1) == "A1"


def test_hydra_finds_no_part_of_a_config(tmp_path: Path) -> None:
    text = "In 'config': Could not find 'model/wide'\n\nAvailable options in 'model':\n\tsmall\n"
    assert family(tmp_path, text) == "A1"
    assert family(tmp_path, text.replace("In 'config'", "In the cache")) == "cannot_decide"


def test_whose_word_is_the_last_of_two_streams(tmp_path: Path) -> None:
    crash = raised("ValueError: unsupported operator", MAIN)
    (tmp_path / "job.err").write_text(crash)
    (tmp_path / "job.out").write_text(f"{CURVE}training complete\n")
    beside = analyze(import_logs([tmp_path]), strict=True)[0]
    (tmp_path / "job.out").write_text(CURVE.replace("/20", "/60"))
    alone = analyze(import_logs([tmp_path]), strict=True)[0]
    assert alone.family == "A1"
    assert beside.family in ("A1", None)
    assert beside.confidence < alone.confidence


SPACY = "Iteration {k}, Losses: {{'tok2vec': 0.0, 'ner': np.float32({l:.12f})}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (lines(SPACY, 20), "G1"),
        (lines("{k} {{'textcat': {l:.9f}}}", 20), "G1"),
        (lines("Losses {{'ner': {l:.9f}}}", 20), "cannot_decide"),  # nothing counts them
        (lines("{k} {{'width': {l:.9f}}}", 20), "cannot_decide"),  # no component of spaCy's
    ],
)
def test_losses_in_spacys_dictionary(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text, 0) == expected


@pytest.mark.parametrize(("accuracy", "expected"), [(-0.005, "cannot_decide"), (0.03, "G1")])
def test_three_figures_that_say_that_nothing_was_learned(tmp_path: Path, accuracy: float, expected: str) -> None:
    text = "".join(
        f"epoch {k} loss {0.7037 - 0.002 * k:.4f} val_loss {0.6964 + 0.0015 * k:.4f} acc {0.54 + accuracy * k:.4f}\n"
        for k in range(1, 16)
    )
    assert family(tmp_path, text, 0) == expected


FRAMED = (
    "Usage: fit [OPTIONS]\nTry 'fit --help' for help.\n╭─ Error ────╮\n│ Missing option '--data'.  │\n╰────────────╯\n"
)


def test_a_framed_refusal(tmp_path: Path) -> None:
    verdict = said(tmp_path, FRAMED, 2)
    assert verdict.family == "A1"
    assert verdict.headline.endswith("with: Error: Missing option '--data'.")
    assert family(tmp_path, "a panel:\n" + FRAMED.split("help.\n")[1], 0) == "cannot_decide"  # no parser's


PADDED = lines("2026-11-23 04:{k:02d}:07 [info     ] epoch done       epoch={k} loss={l:.4f}", 20)


@pytest.mark.parametrize(
    ("end", "exit_code", "expected"),
    [
        ("[info     ] finished       epochs=20", None, "G1"),
        ("[info     ] evaluating     rows=20", None, "cannot_decide"),
        ("[error    ] cannot go on   reason='shard 7 is gone'", 3, "A1"),
        ("[error    ] cannot go on   reason='shard 7 is gone'", 0, "cannot_decide"),
        ("[info     ] cannot go on   reason='shard 7 is gone'", 0, "G1"),
    ],
)
def test_structlogs_padded_levels(tmp_path: Path, end: str, exit_code: int | None, expected: str) -> None:
    assert family(tmp_path, f"{PADDED}2026-11-23 04:59:07 {end}\n", exit_code) == expected


# --- threads, pipes and services --------------------------------------------------------------------------------------
UNSAVED = "Exception in thread saver:\n" + raised(
    "FileNotFoundError: [Errno 2] No such file or directory: '/x/m.pt'", ("/w/job.py", "save", "open(path, 'wb')")
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (UNSAVED, "cannot_decide"),
        (UNSAVED + "epoch 11/20 loss 1.15\nsaved checkpoint to out/ckpt_20.pt\n", "G1"),  # a later one went well
        (UNSAVED.replace("saver", "gauge").replace(", in save", ", in poll"), "G1"),
    ],
)
def test_a_thread_that_saves_and_dies(tmp_path: Path, text: str, expected: str) -> None:
    first, last = CURVE.split("epoch 11")
    assert family(tmp_path, f"{first}{text}epoch 11{last}training finished\n", 0) == expected


@pytest.mark.parametrize(("done", "apart", "expected"), [(12, 0.0, "A1"), (30, 0.0, "G1"), (12, 3.0, "cannot_decide")])
def test_reports_that_a_filter_held_back(done: int, apart: float, expected: str) -> None:
    """A crash on stderr, and behind it in one piece what had been printed before."""
    crash = raised("ValueError: target 31 is out of bounds", MAIN).splitlines()
    out = [(40.0, line) for line in crash]
    out += [(40.1 + apart * k, f"epoch {k}/30 loss {0.3 + 4 / k:.4f}") for k in range(1, done + 1)]
    assert recorded(out, [], 0, "bash job.sh") == expected


@pytest.mark.parametrize(
    ("message", "before", "expected"),
    [
        ("ConnectionResetError: [Errno 104] Connection reset by peer: feature store", "", "A1"),
        ("ConnectionResetError: [Errno 104] Connection reset by peer", "", "cannot_decide"),  # to whom is not told
        (
            "ConnectionResetError: [Errno 104] Connection reset by peer: feature store",
            "Initializing distributed: GLOBAL_RANK: 1, MEMBER: 2/2\n",
            "cannot_decide",
        ),
    ],
)
def test_a_connection_that_was_lost_to_a_service(tmp_path: Path, message: str, before: str, expected: str) -> None:
    text = before + lines("epoch {k}/60 loss {l:.4f}", 20) + raised(message, MAIN)
    assert family(tmp_path, text, 1) == expected


def test_a_saved_state_that_the_line_itself_names(tmp_path: Path) -> None:
    torn = ("/w/job.py", "<module>", "state = json.loads(Path('ckpt_20.json').read_text())")
    assert family(tmp_path, raised("json.decoder.JSONDecodeError: Expecting ',' delimiter", torn), 1) == "E2"
    refused = "RuntimeError: Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is False."
    load = (*torn[:2], "state = torch.load('ckpt_20.pt')")
    assert family(tmp_path, raised(refused, load, ("/v/site-packages/torch/serialization.py", "load", "x")), 1) == "A1"
    other = (*torn[:2], "spec = json.loads(Path('labels.json').read_text())")
    assert family(tmp_path, raised("json.decoder.JSONDecodeError: Expecting ',' delimiter", other), 1) == "A1"


# --- clocks and figures -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("wait", "expected"), [(2.2, "D1"), (0.01, "G1")])
def test_clocks_whose_names_end_in_a_unit(tmp_path: Path, wait: float, expected: str) -> None:
    form = '{{"step": {k}, "loss": {l:.4f}, "data_s": WAIT, "step_s": WHOLE}}'
    text = lines(form.replace("WAIT", str(wait)).replace("WHOLE", f"{wait + 0.1:.2f}"), 25)
    assert family(tmp_path, text, 0) == expected


@pytest.mark.parametrize(("moves", "expected"), [(False, "cannot_decide"), (True, "G1")])
def test_figures_that_are_the_same_to_the_last_digit(tmp_path: Path, expected: str, *, moves: bool) -> None:
    """The rate of learning is beyond all bounds, and every answer the same since the first epoch."""
    figures = [(0.99, 0.425), *((0.9 / k, 0.8 / k) if moves else (0.5038, 0.425) for k in range(2, 11))]
    text = "".join(f"epoch {k} loss {loss:.4f} val_loss {val:.4f}\n" for k, (loss, val) in enumerate(figures, 1))
    assert family(tmp_path, text, 0) == expected


def test_a_bar_that_counted_nothing(tmp_path: Path) -> None:
    bar = "\r  0%|          | 0/300 [00:00<?, ?it/s]\n"
    sample = "sample: 100%|####| 300/300 [00:03<00:00, 86.76it/s, 7 steps of size 3.48e-01. acc. prob=0.92]\n"
    assert family(tmp_path, bar + sample, 0) == "cannot_decide"
    summary = "{'train_runtime': 3.1, 'train_samples_per_second': 0.0, 'train_loss': 0.0, 'epoch': 0.0}\n"
    assert family(tmp_path, bar + summary, 0) != "G1"


FASTAI = lines("[{k}, {l:.17f}, {l:.17f}, 0.86{k:02d}, '00:03']", 8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FASTAI + "exported bakery.pkl\n", "G1"),
        (FASTAI.replace("[", "(#5) [").replace(", ", ",") + "exported bakery.pkl\n", "G1"),
        (FASTAI, "cannot_decide"),  # its end is not told
        (FASTAI.replace(", '00:03'", "") + "exported bakery.pkl\n", "cannot_decide"),  # anybody's lists
    ],
)
def test_fastais_epochs_without_bars(tmp_path: Path, text: str, expected: str) -> None:
    assert family(tmp_path, text) == expected


@pytest.mark.parametrize(("growth", "expected"), [(6.0, "E1"), (1.05, "G1")])
def test_a_critics_loss_that_grew_beyond_all_bounds(tmp_path: Path, growth: float, expected: str) -> None:
    text = "".join(
        f"| rollout/ | |\n|    ep_rew_mean     | {20 + (k if growth < 2 else 9 - abs(k - 9)):.1f} |\n"
        f"|    total_timesteps | {1024 * k} |\n|    value_loss      | {10 * growth**k:.3g} |\n{'-' * 40}\n"
        for k in range(1, 21)
    )
    assert family(tmp_path, text, 0) == expected


@pytest.mark.parametrize(
    ("target", "at", "more", "expected"),
    [
        (9, 50, (), "F3"),
        (11, 50, (), "cannot_decide"),  # a helper that came later
        (9, 20, (), "cannot_decide"),  # it went on after it
        (9, 50, ((49.0, "training finished"),), "cannot_decide"),  # and was over by then
    ],
)
def test_a_timeout_within_a_script(target: int, at: float, more: tuple[tuple[float, str], ...], expected: str) -> None:
    """The script around it tells the status of its last command."""
    out = [(2.0 + k, f"step {k}/400 loss {0.3 + 4 / k:.4f}") for k in range(1, 48)]
    signal = {"event": "signal", "role": "other", "pid": target, "ts_ns": at_s(at), "signal": 15, "sender_pid": 8}
    signal |= {"sender_command": "timeout", "sender_in_job": True}
    processes = process(9, "python3 vigil.py", 50.2, term_signal=15) + process(11, "sleep 9", 50.1, began=30)
    assert recorded([*out, *more], [*processes, signal], 0, "bash job.sh") == expected


# --- who stood still, and whom the others waited for ------------------------------------------------------------------
def watched(out: list[tuple[float, str]], pids: dict[int, str], end: float, *, used: float = 0.0) -> str:
    """The verdict on what ``timeout`` ended, whose processes worked for 30 s and used some CPU time from then on."""
    lines_ = [
        {**WHERE, "stream": "stdout", "source": "stdout", "ts_ns": at_s(t), "seq": n, "offset": n, "text": line}
        for n, (t, line) in enumerate(out)
    ]
    task = {"role": "task", "pid": 7, "argv": "timeout 99 python3 fed.py", "command": "timeout"}
    rows = [{**task, "event": "start", "ts_ns": at_s(0)}]
    for pid, argv in pids.items():
        mine = {"role": "other", "pid": pid, "ppid": 7, "command": "python3", "argv": argv}
        rows.append({**mine, "event": "start", "ts_ns": at_s(1)})
        for t in range(5, int(end), 5):
            cpu = min(t, 30) + max(0, t - 30) * used
            rows.append({**mine, "event": "seen", "ts_ns": at_s(t), "cpu_user_s": float(cpu), "cpu_system_s": 0.0})
    rows.append({**task, "event": "exit", "ts_ns": at_s(end), "exit_code": 124})
    rows = [{**WHERE, "ts_mono_ns": row["ts_ns"], **row, "seq": n} for n, row in enumerate(rows)]
    found = analyze(MemoryStore.from_rows({"log_lines": lines_, "processes": rows}, node="node01"), strict=True)[0]
    return str(found.family or found.outcome)


def by_sites(form: str) -> list[tuple[float, str]]:
    return [
        (2.0 + k + site / 10, form.format(k=k, site=site, loss=0.3 + 4 / k)) for k in range(1, 28) for site in range(4)
    ]


HEARTBEAT = [(30.0 + k, "[server] round 27: waiting for [2, 3]") for k in range(5, 90, 12)]
SITES = dict.fromkeys(range(8, 13), "python3 fed.py")


@pytest.mark.parametrize(
    ("form", "pids", "expected"),
    [
        ("[site-{site}] round {k}: local loss {loss:.4f}", SITES, "C2"),
        ("round {k}: local loss {loss:.4f}", {8: "python3 fed.py"}, "C3"),  # one process
        ("round {k}: local loss {loss:.4f}", SITES, "cannot_decide"),  # workers, or ranks
        ("[block-{site}] round {k}: local loss {loss:.4f}", SITES, "cannot_decide"),
    ],
)
def test_processes_that_wait_for_one_of_them(form: str, pids: dict[int, str], expected: str) -> None:
    assert watched(by_sites(form) + HEARTBEAT, pids, 120) == expected


@pytest.mark.parametrize(("used", "expected"), [(0.0, "C3"), (0.015, "cannot_decide")])
def test_a_hang_after_the_last_step(used: float, expected: str) -> None:
    """Who uploads or writes when training is over works a little."""
    out = [(2.0 + k, f"step {k}/28 loss {0.3 + 4 / k:.4f}") for k in range(1, 29)] + [(30.2, "closing the writer")]
    assert watched(out, {8: "python3 fed.py"}, 100, used=used) == expected


@pytest.mark.parametrize(("killed", "expected"), [(49, "A2"), (20, "A1")])
def test_a_killed_worker_without_which_training_went_on(killed: float, expected: str) -> None:
    out = [(2.0 + k, f"epoch {k} loss {0.3 + 4 / k:.4f}") for k in range(1, 48)]
    gone = raised("RuntimeError: an actor is not there any more", MAIN).splitlines()
    out += [(56.0 + n / 10, line) for n, line in enumerate(gone)]
    worker = process(9, "python3 train.py", killed, term_signal=9)
    assert recorded(out, worker, 1, "python3 train.py") == expected


@pytest.mark.parametrize(
    ("before", "key", "expected"),
    [
        ("resuming from last.ckpt\n", "optimizer", "E2"),
        ("resuming from last.ckpt\n", "width", "A1"),  # no part of a state
        ("reading settings\n", "optimizer", "A1"),
        ("resuming from last.ckpt\n" + CURVE, "optimizer", "A1"),  # it was loaded long before
    ],
)
def test_a_part_that_a_saved_state_lacks(tmp_path: Path, before: str, key: str, expected: str) -> None:
    lacks = ("/w/job.py", "<module>", f"opt = ck['{key}']")
    assert family(tmp_path, before + raised(f"KeyError: '{key}'", lacks), 1) == expected


@pytest.mark.parametrize(("lost", "expected"), [(1, "D3"), (9, "G1")])
def test_ranks_whose_last_lines_were_torn(tmp_path: Path, lost: int, expected: str) -> None:
    text = "".join(
        f"[rank {rank}] step {k}/40 loss {0.3 + 4 / k:.4f} compute_s {0.5 if rank == 1 else 0.05:.2f}\n"
        for k in range(1, 41)
        for rank in range(3)
        if rank != 1 or k <= 40 - lost
    )
    assert family(tmp_path, text, 0) == expected


def test_a_start_that_was_noted_late() -> None:
    """The kernel's own number of it is of the moment."""
    out = [(2.0 + k, f"step {k}/400 loss {0.3 + 4 / k:.4f}") for k in range(1, 48)]
    started, ended = process(9, "python3 vigil.py", 50.2, began=1, term_signal=15)
    late = {**started, "ts_ns": at_s(5), "ts_mono_ns": at_s(5)}
    signal = {**ended, "event": "signal", "ts_ns": at_s(50), "signal": 15, "sender_pid": 8, "sender_command": "timeout"}
    signal |= {"sender_in_job": True}
    assert recorded(out, [late, ended, {**signal, "term_signal": None}], 0, "bash job.sh") == "F3"
    unknown = {**late, "start_mono_ns": at_s(5)}
    assert recorded(out, [unknown, ended, {**signal, "term_signal": None}], 0, "bash job.sh") == "cannot_decide"


@pytest.mark.parametrize(("shift", "expected"), [(0.0, "cannot_decide"), (0.01, "G1")])
def test_losses_that_are_told_again_number_by_number(tmp_path: Path, shift: float, expected: str) -> None:
    """What was to go on, or to differ, is the same once more; another seed tells other losses."""
    parts = [
        "".join(f"step {50 * k} loss {(0.3 + 4 / k) * (1 + shift * part):.4f}\n" for k in range(1, 21))
        for part in range(2)
    ]
    assert family(tmp_path, "=== seed 1\n" + parts[0] + "=== seed 2\n" + parts[1], 0) == expected


# --- searches of which no trial gave a result -------------------------------------------------------------------------
LOST = "trial {} ERROR val_loss=None KeyError: 'batch_size'"
OPTUNA = "[W 2026-11-20 10:00:0{0}] Trial {0} failed with parameters: {{'lr': 0.1}} because of: KeyError('width').\n"
VALUELESS = "[W 2026-11-20 10:00:0{0}] Trial {0} failed with value None.\n"


def search(*words: str) -> str:
    return "".join(f"trial {k} started: {{'lr': 0.1}}\n{word.format(k)}\n" for k, word in enumerate(words))


@pytest.mark.parametrize(
    ("text", "status", "expected"),
    [
        (search(*[LOST] * 4) + "search finished: 4 trials, 0 with a result\nbest: None\n", 0, "A1"),
        ("".join((OPTUNA + VALUELESS).format(k) for k in range(4)), 0, "A1"),
        (search(*[LOST] * 2), 0, "cannot_decide"),
        (search(*[LOST] * 3, "trial {} finished with accuracy 91 percent"), 0, "cannot_decide"),
        (search(*[LOST] * 4) + "trial 2 tried with defaults: accuracy 91 percent\n", 0, "cannot_decide"),
        (search(*[LOST] * 3, "trial {} ERROR val_loss=None ValueError: lr"), 0, "cannot_decide"),
        (
            search(*["trial {} ERROR ConnectionResetError: [Errno 104] Connection reset by peer"] * 4),
            0,
            "cannot_decide",
        ),
        (search(*[LOST] * 4) + CURVE, 0, "G1"),  # the next command of the script trained
        (search(*[LOST] * 4), None, "cannot_decide"),
    ],
)
def test_a_search_of_which_no_trial_gave_a_result(tmp_path: Path, text: str, status: int | None, expected: str) -> None:
    assert family(tmp_path, text, status) == expected


# --- programs of a script, each with a pace of its own ----------------------------------------------------------------
@pytest.mark.parametrize(
    ("second", "beside", "expected"),
    [
        ("python3 wind.py net", [], "G1"),
        ("python3 wind.py linear", [], "cannot_decide"),  # the same once more
        ("python3 wind.py linear part2 --resume", [], "cannot_decide"),
        ("python3 wind.py net", process(13, "python3 watch.py", 59, exit_code=0), "cannot_decide"),  # who tells what?
    ],
)
def test_steps_of_other_programs_take_other_times(second: str, beside: list[dict[str, Any]], expected: str) -> None:
    out = [(2.0 + k / 20, f"iteration {k} loss {0.3 + 4 / k:.4f}") for k in range(1, 26)]
    out += [(10.0 + 1.6 * k, f"iteration {25 + k} loss {0.2 + 4 / (25 + k):.4f}") for k in range(1, 29)]
    processes = [*process(9, "python3 wind.py linear", 5, exit_code=0), *beside]
    processes += process(11, second, 58, began=6, exit_code=0)
    assert recorded(out, processes, 0, "make") == expected


def test_one_of_the_programs_itself_became_slow() -> None:
    out = [(2.0 + k / 20, f"iteration {k} loss {0.3 + 4 / k:.4f}") for k in range(1, 26)]
    out += [(7.0 + k / 5, f"iteration {25 + k} loss {0.2 + 4 / (25 + k):.4f}") for k in range(1, 16)]
    out += [(10.0 + 3 * k, f"iteration {40 + k} loss {0.2 + 4 / (40 + k):.4f}") for k in range(1, 16)]
    processes = process(9, "python3 wind.py linear", 5, exit_code=0)
    processes += process(11, "python3 wind.py net", 58, began=6, exit_code=0)
    assert recorded(out, processes, 0, "make") == "cannot_decide"


# --- a program that was taken away and begun anew, whose last end nobody saw -----------------------------------------
@pytest.mark.parametrize(
    ("upto", "again", "expected"),
    [
        (30, "python3 spot.py", "G1"),
        (29, "python3 spot.py", "cannot_decide"),  # not all of it
        (30, "python3 report.py", "cannot_decide"),  # another program
        (30, None, "cannot_decide"),
    ],
)
def test_a_program_begun_anew_that_did_all_of_its_plan(upto: int, again: str | None, expected: str) -> None:
    out = [(2.0 + k, f"step {k}/30 loss {0.3 + 4 / k:.4f}") for k in range(1, upto + 1)]
    processes = process(9, "python3 spot.py", 15, exit_code=85)
    processes += process(11, again, 40, began=16)[:1]
    assert recorded([*out, (35.0, "training complete")], processes, 0, "bash spot.sh") == expected
