"""What shells, terminals and neighbours do to a log changes nothing of what it tells (samples/redteam/changed.py)."""

import pytest

from inquest.analyze.engine import analyze
from inquest.analyze.logs import parse_logs
from inquest.bundle.logs_import import import_logs

HEADER = "Traceback (most recent call last):\n"
FRAME = '  File "/w/train.py", line 7, in <module>\n    main()\n'
LOGIN = "wandb: Currently logged in as: someone. Use `wandb login --relogin` to force relogin\n"
RECORD = (
    "At line:1 char:1\n+ python train.py 2>&1 | Tee-Object log.txt\n+ ~~~~~~~~~~\n"
    "    + CategoryInfo          : NotSpecified: (Traceback (most recent call last)::String) [], RemoteException\n"
    "    + FullyQualifiedErrorId : NativeCommandError\n \n"
)


def steps(total, last=None, first=10):
    rows = range(first, (last or total) + 1, 10)
    return "".join(f"step {n}/{total} loss {9 - 8 * n / total:.3f}\n" for n in rows)


def store(folder, text, **more):
    for name, said in {"job.log": text, **more}.items():
        (folder / name).write_text(said)
    return import_logs([folder], exit_code=0)


@pytest.mark.parametrize(
    "text",
    [
        HEADER + LOGIN + FRAME + "KeyError: 'tokens'\n",
        HEADER + FRAME.replace("    main", LOGIN + "    main") + "KeyError: 'tokens'\n",
        "python : " + HEADER + RECORD + FRAME + "KeyError: 'tokens'\n",
        HEADER + FRAME + "KeyError: 'tokens'\nuser@host:~/w$ python train.py\nbuilding the model\n",
    ],
)
def test_a_traceback_is_read_whatever_stands_in_it(tmp_path, text):
    raised = parse_logs(store(tmp_path, text))["fact_exceptions"]
    assert raised.select("exc_type", "message", "user_frame").rows() == [
        ("KeyError", "'tokens'", "/w/train.py:7 <module>")
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("".join(f"[{n}] train-rmse:{5 - n / 9:.3f}\n" for n in range(9)), range(9)),
        ("".join(f"\x1b[32mEpoch {n}/3\x1b[0m\n8/8 - 0s - loss: {3 / n:.2f}\n" for n in (1, 2, 3)), (8, 16, 24)),
        ("".join(f"[rank0]: Epoch {n}/3\n[rank0]: 8/8 - 0s - loss: {3 / n:.2f}\n" for n in (1, 2, 3)), (8, 16, 24)),
    ],
)
def test_progress_is_read_behind_colours_ranks_and_blanks(tmp_path, text, told):
    assert parse_logs(store(tmp_path, text))["fact_steps"]["step"].to_list() == list(told)


@pytest.mark.parametrize(
    ("text", "attempts"),
    [
        (steps(200) + steps(60), [0] * 20 + [1] * 6),  # of another length: no second epoch
        (steps(200) + steps(200), [0] * 40),
        (
            "$ python a.py\n" + steps(200, 30) + HEADER + FRAME + "KeyError: 'x'\n$ python a.py\n" + steps(90),
            [0] * 3 + [1] * 9,
        ),
        (
            "$ python a.py\n" + steps(90, first=50) + "training finished\n$ python b.py\n" + steps(300, 90),
            [0] * 5 + [1] * 9,
        ),
        ("$ python a.py\n" + steps(90) + "training finished\n$ python b.py\n" + steps(90), [0] * 9 + [1] * 9),
        ("== fold 1 ==\n" + steps(90) + "== fold 2 ==\n" + steps(90), [0] * 9 + [1] * 9),
        ("== phase 1 ==\n" + steps(90) + "== phase 2 ==\n" + steps(90), [0] * 18),
        ("+ python a.py\n" + steps(90) + "training finished\n+ python eval.py\nscore 0.7\n", [0] * 9),
    ],
)
def test_another_run_in_the_same_file_begins_anew(tmp_path, text, attempts):
    assert parse_logs(store(tmp_path, text))["fact_steps"]["attempt"].to_list() == attempts


@pytest.mark.parametrize("counted", ["step", "iter", "iteration", "it", "update", "batch", "global_step"])
def test_saves_are_counted_however_the_loop_counts(tmp_path, counted):
    text = "".join(f"INFO checkpoint: saved {counted} {n} to /ckpt/{counted}_{n} in 39.2s\n" for n in range(5))
    assert parse_logs(store(tmp_path, text))["fact_events"]["num"].to_list() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("out", "family"), [(steps(90), "G1"), (steps(90, 40), "A1")])
def test_what_was_raised_beside_a_stream_that_tells_all_was_done_was_handled(tmp_path, out, family):
    verdict, _ = analyze(store(tmp_path, out, err=HEADER + FRAME + "ConnectionError: tried once\n"))
    assert verdict.family == family


@pytest.mark.parametrize(
    ("form", "wide"),
    [
        (
            "10:00:{n:02} INFO train.py:120 step {n} | loss {l:.4f} | learning_rate 3.0e-04 | grad_norm 1.2 | 0.2 s",
            80,
        ),
        ("| {n:2} | encoder.layers.{n:02}.attention.projection.weight | 1048576 |", None),  # a table of one width
        ("epoch {n}\n" + 60 * "=", None),
        ("10:00:{n:02} epoch {n} of the long run, mean of its loss {l:.4f}\nvalidated in 3 s", None),  # of one width
        ("Epoch: [2]  [  {n}/2502]  eta: 3:59:11  lr: 0.000400  loss: {l:.4f} ({l:.4f})  time: 5.6  data: 5.2", 80),
    ],
)
def test_lines_that_a_terminal_broke_are_whole_again(tmp_path, form, wide):
    text = "".join(form.format(n=n, l=5 / n) + "\n" for n in range(10, 40))
    broken = "\n".join(line[at : at + 80] for line in text.splitlines() for at in range(0, len(line), 80)) + "\n"
    assert store(tmp_path, broken).scan("log_lines").collect()["text"].to_list() == text.splitlines()
    assert (max(map(len, broken.splitlines())) == 80) == (wide is not None)


@pytest.mark.parametrize("before", ["", "2026-05-04 10:00:00,123 - trainer - ERROR - "])
def test_a_traceback_whose_ends_of_lines_were_escaped_is_read(tmp_path, before):
    event = (HEADER + FRAME + "KeyError: 'tokens'").replace("\n", "\\n")
    raised = parse_logs(store(tmp_path, steps(90, 40) + before + event + "\n"))["fact_exceptions"]
    assert raised.select("exc_type", "message", "user_frame").rows() == [
        ("KeyError", "'tokens'", "/w/train.py:7 <module>")
    ]


def test_a_sentence_about_tracebacks_is_none(tmp_path):
    text = "hint: look for 'Traceback (most recent call last):\\nand what follows'\n" + steps(90)
    assert parse_logs(store(tmp_path, text))["fact_exceptions"].is_empty()


@pytest.mark.parametrize(
    ("said", "family"),
    [("Resuming from checkpoint /scratch/run3/last.ckpt\n", "E2"), ("Reading data from /d/shard_3.bin\n", "A1")],
)
def test_of_a_traceback_whose_middle_was_cut_out_the_line_above_says_what_was_read(tmp_path, said, family):
    raised = "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory\n"
    (tmp_path / "job.log").write_text(said + HEADER + FRAME + "\n... 3000 lines omitted ...\n\n" + raised)
    verdict, _ = analyze(import_logs([tmp_path]))
    assert verdict.family == family
