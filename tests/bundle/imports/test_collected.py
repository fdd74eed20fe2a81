"""What a collector or a terminal did to the lines of a log is undone, and what a program said is left to it."""

import polars as pl
import pytest

from inquest.bundle.imports.collected import before_lines
from inquest.bundle.logs_import import import_logs

PROGRAM = """loading corpus
step 10 | loss 3.91

Traceback (most recent call last):
  File "train.py", line 12, in <module>
    main()
KeyError: 'labels'
"""
CLOCKS = [f"10:00:{second:02d}" for second in range(20)]


@pytest.mark.parametrize(
    "before",
    [
        lambda n: f"2026-05-04T{CLOCKS[n]}.{n:09d}Z ",
        lambda n: f"2026-05-04T{CLOCKS[n]}.{n}23Z 0{n % 2}{'OE'[n % 2]} ",
        lambda n: f"2026-05-04T{CLOCKS[n]}+00:00 {('stdout', 'stderr')[n % 2]} F ",
        lambda n: f"[Mon May  4 {CLOCKS[n]} 2026] ",
        lambda n: f"May  4 {CLOCKS[n]} gpu-07 train[4711]: ",
        lambda n: f"{CLOCKS[n]} ",
        lambda n: "trainer-1  | ",
        lambda n: "[pod/train-0/pytorch] ",
        lambda n: "train-0 pytorch ",
        lambda n: f"train\tRun training\t2026-05-04T{CLOCKS[n]}.1234567Z ",
        lambda n: f"[2026-05-04T{CLOCKS[n]}Z] 4f1c8a2e || INFO: ",
        lambda n: f"2026-05-04T{CLOCKS[n]}+00:00 job/default/8d1e4f3a9c ",
        lambda n: "> ",
        lambda n: "    ",
        lambda n: f"{n + 95:6}\t",
        lambda n: f"{n + 1}:",
        lambda n: "[rank3]: ",
        lambda n: f"\x1b[2m{CLOCKS[n]}\x1b[0m \x1b[1m",
    ],
)
@pytest.mark.parametrize("foreign", ["", "Attaching to trainer\n"])
def test_what_stands_before_every_line_is_the_collectors(before, foreign):
    lines = [(before(n) + line).rstrip(" ") for n, line in enumerate(PROGRAM.splitlines())]
    regex = before_lines((foreign + "\n".join(lines)).encode())
    if foreign and before(0).isspace():
        assert regex is None, "a heading above columns looks the same"
        return
    assert pl.Series(lines).str.replace(regex, "").to_list() == PROGRAM.splitlines()


def test_a_clock_before_lines_of_many_kinds_is_a_collectors():
    said = ["Using 1 GPU", "Epoch 1/2", "32/32 - 0s - loss: 2.3", "Epoch 2/2", "32/32 - 0s - loss: 2.2", "saved"]
    lines = [f"{CLOCKS[n]} gpu-07 train[4711]: {line}" for n, line in enumerate(said)]
    assert pl.Series(lines).str.replace(before_lines("\n".join(lines).encode()), "").to_list() == said


def test_the_rows_of_a_log_hold_what_the_program_said(tmp_path):
    lines = [f"2026-05-04T{CLOCKS[n]}Z {line}" for n, line in enumerate(PROGRAM.splitlines())]
    (tmp_path / "job.log").write_text("\n".join(lines))
    rows = import_logs([tmp_path / "job.log"]).scan("log_lines").collect()
    assert rows["text"].to_list() == PROGRAM.splitlines()
    assert rows["ts_ns"].diff().drop_nulls().to_list() == [1_000_000_000] * (len(lines) - 1)


@pytest.mark.parametrize(
    "text",
    [
        PROGRAM,
        "".join(f"step {n:3} loss {3 - n / 100}\n" for n in range(20)),
        "".join(f"[{n:3}/100] loss 2.{n}\n[{n:3}/100]   val 2.{n}\n" for n in range(20)),
        "".join(f"[{clock}] INFO step {n} loss 2.{n}\n" for n, clock in enumerate(CLOCKS)),
        "".join(f"{clock} train {what}\n" for clock in CLOCKS for what in ("begins", "1/3", "ends", "saved")),
        "".join(f"epoch 1: {line}" for line in ("start\n", "loss 2.1\n", "12/40\n", "  below\n", "done\n")),
        "".join(f"[rank{n % 2}]: {line}\n" for n, line in enumerate(PROGRAM.splitlines() * 2)),
        "".join(f"{n % 2}: {line}\n" for n, line in enumerate(PROGRAM.splitlines() * 2)),
        "  epoch   loss\n" + "".join(f"    {n:3}   2.{n}\n" for n in range(20)),
        "".join(f"I20260504 {CLOCKS[n]} 7 fit.py:9] Training  [{10 * n:>4}/900]  loss: 2.{n}\n" for n in range(20)),
        "".join(f"2026-05-04T{clock}Z train/acc@1 0.{n}\n" for n, clock in enumerate(CLOCKS)),
        "".join(f"2026-05-04T{clock}Z train/loss {what}\n" for clock in CLOCKS for what in ("0.3", "falls")),
        "| rollout/      |     |\n|   ep_len_mean | 12  |\n|   ep_rew_mean | 3.1 |\n" * 4,
    ],
)
def test_what_a_program_says_is_left_to_it(text):
    assert before_lines(text.encode()) is None


_FAR = PROGRAM.replace("train.py", "/mnt/storage/projects/" + "a" * 70 + "/train.py")
_SLURM = (
    "slurmstepd: error: *** STEP 8812.0 ON gpu07 CANCELLED AT 2026-03-04T10:12:33 DUE TO TIME LIMIT IN A STEP ***\n"
)
_TRAINER = (
    "{'loss': 2.31415, 'grad_norm': 1.2345678901234567, 'learning_rate': 4.9999999999999996e-05, 'epoch': 0.125}\n"
)


@pytest.mark.parametrize("wide", [80, 101])
@pytest.mark.parametrize("said", [_FAR, PROGRAM + _SLURM, _TRAINER * 3 + "done\n"])
def test_lines_that_a_terminal_broke_are_whole_again(tmp_path, said, wide):
    broken = [line[at : at + wide] for line in said.splitlines() for at in range(0, max(1, len(line)), wide)]
    (tmp_path / "job.log").write_text("\n".join(broken))
    rows = import_logs([tmp_path / "job.log"]).scan("log_lines").collect()
    assert rows["text"].to_list() == said.splitlines()
    data = "\n".join(broken)
    assert [data[at : at + size].replace("\n", "") for at, size in rows.select("offset", "line_bytes").iter_rows()] == (
        said.splitlines()
    )


def test_lines_of_one_width_stay_apart(tmp_path):
    lines = [*_FAR.splitlines()[:4], *(f"step {n:118} loss 2.{n:04}" for n in range(100, 200))]
    (tmp_path / "job.log").write_text("\n".join(lines))
    assert import_logs([tmp_path / "job.log"]).scan("log_lines").collect()["text"].to_list() == lines


def test_numbers_that_are_aligned_make_no_line_the_rest_of_another(tmp_path):
    lines = [f"it {n:6}/40000  loss 2.{n % 9}11  gnorm 1.001" for n in range(500, 40001, 500)]
    (tmp_path / "job.log").write_text("\n".join(lines))
    assert import_logs([tmp_path / "job.log"]).scan("log_lines").collect()["text"].to_list() == lines


@pytest.mark.parametrize("before", ["", "17788{0}00000{0}1\t", "["])
def test_a_log_that_was_listed_from_its_end_is_turned_round(tmp_path, before):
    said = [line for line in PROGRAM.splitlines() if line]
    lines = [f"{before.format(n)}2026-05-04T{CLOCKS[n]}.{n}00Z\t{line}" for n, line in enumerate(said)]
    (tmp_path / "job.log").write_text("Line limit: 1000\n" + "\n".join(reversed(lines)) + "\n")
    rows = import_logs([tmp_path / "job.log"]).scan("log_lines").collect()
    assert [text.rpartition("\t")[2] for text in rows["text"]] == ["Line limit: 1000", *said]


def test_a_journal_that_was_listed_from_its_end_is_turned_round(tmp_path):
    lines = [f"May  4 {CLOCKS[n]} gpu-07 train[4711]: {line}" for n, line in enumerate(PROGRAM.splitlines()) if line]
    (tmp_path / "unit.txt").write_text("\n".join(reversed(lines)) + "\n")
    rows = import_logs([tmp_path / "unit.txt"]).scan("log_lines").collect()
    assert rows["text"].to_list() == [line for line in PROGRAM.splitlines() if line]
