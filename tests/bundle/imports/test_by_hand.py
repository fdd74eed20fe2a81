"""Texts that went through hands, clipboards and pages give the lines that the program printed."""

from __future__ import annotations

import html
import json
import quopri
import re
import textwrap
import time
from typing import TYPE_CHECKING

import pytest

from inquest.bundle.imports import by_hand
from inquest.bundle.imports.core import import_paths
from inquest.bundle.imports.touched import looks_touched

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINES = [
    *(f"step {n * 10}/4000 | loss {9 - n / 7:.4f} | lr 3.0e-04" for n in range(1, 12)),
    "Traceback (most recent call last):",
    '  File "/w/train_loop.py", line 88, in <module>',
    "    run(cfg['data_root'], *args)",
    '  File "/w/train_loop.py", line 60, in run_all',
    '    raise KeyError(f"no {name}")',
    "KeyError: 'no <labels> & \"ids\"'",
    "slurmstepd: error: *** JOB 77 ON n1 CANCELLED ***",
]


def lines(folder: Path, data: str | bytes, name: str = "train.log") -> list[str]:
    """The lines that importing ``data`` gives, without empty ones."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    frame = import_paths([str(path)]).rows.collect("log_lines", "import")
    assert frame is not None
    return [line for line in frame["text"].to_list() if line.strip()]


def each(change: Callable[[int, str], str]) -> str:
    return "".join(f"{change(n, line)}\n" for n, line in enumerate(LINES))


def curly(text: str) -> str:
    text = re.sub(r'(^|[\s(\[{=,f])"', "\\1\u201c", text).replace('"', "\u201d")
    return re.sub(r"(^|[\s(\[{=,:])'", "\\1\u2018", text).replace("'", "\u2019")


WIDEST = max(map(len, LINES))
ALL = "\n".join(LINES)
PLAIN = [line for line in LINES if "run(" not in line and "raise " not in line]
"""Without lines of code, whose rests a break between words would leave as any text."""
FORMS = {
    "a mail as it travels": "Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n"
    + quopri.encodestring(ALL.encode()).decode(),
    "entities": each(lambda _, line: html.escape(line)),
    "entities twice": each(lambda _, line: html.escape(html.escape(line))),
    "a page": "<!DOCTYPE html><html><body><pre>\n"
    + each(lambda _, line: f'<span style="color:#c00">{html.escape(line)}</span>')
    + "</pre></body></html>\n",
    "breaks": "<div>" + "<br/>".join(html.escape(line).replace("  ", "&nbsp; ") for line in LINES) + "</div>",
    "escaped ends": ALL.replace("\n", "\\n") + "\\n",
    "codes without their first sign": each(lambda n, line: f"[3{n % 7}m{line}[0m"),
    "codes in carets": each(lambda _, line: f"^[[0;32m{line}^[[0m^M"),
    "codes in escapes": each(lambda n, line: f"\\x1b[1m{line}\\x1b[0m" if n % 2 else f"\\u001b[31m{line}\\u001b[0m"),
    "blanks that do not break": each(lambda _, line: line.replace(" ", "\u00a0") + "\u200b"),
    "curly marks": each(lambda _, line: curly(line)),
    "escaped for Markdown": each(lambda _, line: re.sub(r"([_*\[\]<>|])", r"\\\1", line)),
    "NUL within": each(lambda n, line: line[:5] + "\0\0" + line[5:] if n % 3 else line),
    "quoted twice": "Hi,\n\nsee below\n\n> It says:\n>\n" + each(lambda _, line: f">> {line}") + "\n--\nHPC\n",
    "a comparison": each(lambda _, line: f"+{line}"),
    "numbers and bars": each(lambda n, line: f"{n + 1:4} | {line}"),
    "numbers and colons": each(lambda n, line: f"{n + 1}: {line}"),
    "a box": f"╭{'─' * (WIDEST + 2)}╮\n" + each(lambda _, line: f"│ {line:<{WIDEST}} │") + f"╰{'─' * (WIDEST + 2)}╯\n",
    "a box of ASCII": f"+{'-' * (WIDEST + 5)}+\n".join(
        ("", each(lambda _, line: f"| {line.replace('|', '/'):<{WIDEST}}    |"), "")
    ),
    "an open box": "┌── output\n" + each(lambda _, line: f"│  {line.replace('|', '/')}") + "└──\n",
    "padded": each(lambda _, line: f"{line:<{WIDEST + 9}}"),
    "indented": "* Run\n#+begin_example\n" + each(lambda _, line: f"    {line}") + "#+end_example\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_lines_are_the_programs_again(tmp_path: Path, form: str):
    found = lines(tmp_path, FORMS[form])
    wanted = [line.replace("|", "/") if form in ("a box of ASCII", "an open box") else line for line in LINES]
    assert [line for line in found if line in wanted] == wanted
    assert by_hand.mends(FORMS[form].encode())


NEAR = {
    "the log itself": ALL,
    "a loop's table": "".join(f"| {n} | {3 / n:.3f} |\n" for n in range(1, 30)),
    "a loop's numbers": "".join(f"{n:4} | loss {3 / n:.3f}\n" for n in range(1, 30)),
    "rewards in boxes": "".join(f"| rollout/ |    |\n|  ep_rew_mean | {n:4} |\n-----------\n" for n in range(1, 30)),
    "a summary of layers": "".join(f"│ layer_{n} │ Linear │ {n} K │\n" for n in range(1, 30)),
    "a traceback that rich drew": "╭──── Traceback (most recent call last) ────╮\n"
    + "│ /w/a.py:3 in run                          │\n" * 9,
    "times": "".join(f"[{n}m 12s] step {n} [0m 2s]\n" for n in range(30)),
    "colours": "".join(f"\x1b[32mstep {n} loss {3 / (n + 1):.3f}\x1b[0m\n" for n in range(30)),
    "only a traceback": "Traceback (most recent call last):\n"
    + '  File "/w/a.py", line 3, in run\n    run()\n' * 20
    + "X: y\n",
    "a group of exceptions": "  + Exception Group Traceback (most recent call last):\n"
    + '  |   File "/w/a.py", line 3, in run\n  |     run()\n  | X: y\n' * 9,
    "one sample with line ends": "".join(f"step {n} sample 'a\\nb\\nc\\nd\\ne\\nf'\n" for n in range(9)),
    "an expression": "step 1 ok\nmatched \\[a-z\\]\nstep_2 [ok]\nstep_3 [ok]\nloss_a [3]\nb_c [4] [5]\n",
    "a prompt": "step 1\n>>> x\n> npm run\nstep 2\nstep 3\nstep 4\nstep 5\nstep 6\n",
    "entities in samples": "".join(f"sample: a &amp; b &lt; c in <module> {n}\n" for n in range(9)),
    "GNU's marks": "cp: cannot stat \u2018a\u2019: No such file or directory\nstep 1 loss 2\n" * 5,
    "traces of a shell": "".join(f"+ python a{n}.py\n" for n in range(9)),
    "blocks of settings": "args:\n" + "".join(f"  lr_{n}: 3\n" for n in range(9)) + "step 1 loss 3\n" * 9,
}


@pytest.mark.parametrize("near", NEAR)
def test_what_programs_print_stays(tmp_path: Path, near: str):
    assert lines(tmp_path, NEAR[near]) == [line for line in NEAR[near].split("\n") if line.strip()]
    assert not by_hand.mends(NEAR[near].encode())


@pytest.mark.parametrize(
    "hostile",
    [
        "&",
        "&amp;",
        "<",
        "<div ",
        "<br",
        "[3",
        "[31m",
        "\\",
        "\\n",
        "^[",
        "^[[",
        " ",
        "  x",
        ">",
        "> ",
        "│",
        "│ ",
        "| ",
        "\t",
        "7 | ",
        "\0",
        "\u00a0",
        "\u2018a",
    ],
)
def test_no_text_costs_more_than_its_length(hostile: str):
    def seconds(size: int) -> float:
        data = (hostile * (size // len(hostile))).encode()
        begun = time.process_time()
        head = data[: 1 << 18]
        wanted = by_hand.mends(head) or by_hand.mends(b"[31ma[0m &lt; &gt; \\x1b[0m \\x1b[0m\n" * 6 + head)
        list(by_hand.mended([data], wanted))
        return time.process_time() - begun

    assert seconds(1 << 20) < 2.0 + 12 * seconds(1 << 17)


def test_what_is_mended_is_held_in_pieces():
    wanted = by_hand.mends(("step 1\u00a0loss 2\n" * 9).encode())
    pieces = list(by_hand.mended(iter([b"x" * (1 << 20)] * 9), wanted))
    assert max(map(len, pieces)) <= 5 << 20
    assert b"".join(pieces) == b"x" * (9 << 20)


def test_a_log_in_one_line_is_parted_where_lines_begin(tmp_path: Path):
    found = lines(tmp_path, " ".join(line.strip() for line in LINES) + "\n")
    assert [line.rstrip() for line in found] == [line.rstrip() for line in LINES]


@pytest.mark.parametrize("wide", [60, 72, 80])
def test_lines_that_a_mail_broke_between_words_are_whole_again(tmp_path: Path, wide: int):
    long = "slurmstepd: error: *** JOB 771311 ON cn-0220 CANCELLED AT 2026-11-20T21:44:02 DUE TO PREEMPTION ***"
    text = "\n".join(
        part for line in (*PLAIN, long) for part in textwrap.wrap(line, wide, break_on_hyphens=False) or [""]
    )
    assert lines(tmp_path, text) == [*PLAIN, long]


@pytest.mark.parametrize(
    "text",
    [
        "".join(
            f"10:00:{n} step {n} of the run, and this is how it went (see below for the rest):\nvalidated\n"
            for n in range(20, 30)
        ),
        "model: Sequential(\n  (0): Linear(in_features=10, out_features=20, bias=True, dtype=torch.float32, dev\n)\n"
        * 3,
        "".join(
            f"epoch {n} mean loss over all of the batches of this epoch of this run is {3 / n:.5f}\n"
            for n in range(10, 30)
        ),
    ],
)
def test_lines_that_nobody_broke_stay(tmp_path: Path, text: str):
    assert lines(tmp_path, text) == text.splitlines()


DOCUMENTS = {
    "an answer": json.dumps({"id": "j-8", "logs": ALL}),
    "an answer over lines": json.dumps({"job": {"id": "j-8"}, "output": {"stdout": ALL, "cut": False}}, indent=2),
    "a list of lines": json.dumps(LINES, indent=1),
    "ansible's": "fatal: [gpu-07]: FAILED! => " + json.dumps({"rc": 1, "stdout": ALL, "stdout_lines": LINES}, indent=4),
}


@pytest.mark.parametrize("form", DOCUMENTS)
def test_a_log_that_a_document_keeps_is_read(tmp_path: Path, form: str):
    assert lines(tmp_path, DOCUMENTS[form]) == LINES


@pytest.mark.parametrize(
    "data",
    [
        f'[INFO] settings: {{"output": "/data/x", "lr": 3e-4}}\n{ALL}',
        f'{{"stdout": "/data/x"}}\n{ALL}',
        f'{{"output": "/data/x"\n{ALL}',
        '["a", "b"] are the classes\n' + ALL,
    ],
)
def test_a_log_that_begins_like_a_document_loses_nothing(tmp_path: Path, data: str):
    assert lines(tmp_path, data) == data.split("\n")


@pytest.mark.parametrize(
    "data",
    [
        json.dumps({"model": "a", "output": {"dim": 3}}),
        json.dumps({"chat_template": "{% if x %}\n{{ y }}\n" * 9}),
        json.dumps([{"instruction": "why?", "output": ALL}] * 99),
        "".join(json.dumps({"step": n, "loss": 3 / n}) + "\n" for n in range(1, 30)),
        '{"log": ' + "[" * 100_000,
        '{"logs": "step 1 loss 3\\n' + "step 2 loss 3\\n" * 9,
    ],
)
def test_other_documents_are_none(tmp_path: Path, data: str):
    (tmp_path / "answer.json").write_text(data)
    (tmp_path / "train.log").write_text(ALL)
    found = import_paths([str(tmp_path)])
    assert not any(file.kind == "log-in-json" and not file.reason for file in found.report.files)


def test_utf16_without_a_mark_is_read_in_both_orders(tmp_path: Path):
    for codec in ("utf-16-le", "utf-16-be"):
        assert lines(tmp_path, ALL.encode(codec)) == LINES


@pytest.mark.parametrize("form", FORMS)
def test_what_was_touched_looks_so(form: str):
    assert looks_touched(FORMS[form].encode())


def test_a_plain_log_does_not():
    assert not looks_touched("".join(f"10:00:{n:02} step {n} | loss {3 / n:.3f}\n" for n in range(1, 60)).encode())
