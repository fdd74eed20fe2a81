"""Markdown for tickets: read by a real Markdown parser, it holds no more than we put into it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from inquest.render import markdown

HOSTILE = (
    "# head",
    "1. one",
    "- item",
    "=====",
    "*a* _b_ __c__ `d` ~~e~~ ~f~",
    "[x](http://e.invalid) ![i](http://e.invalid/a.png) <http://e.invalid>",
    "<script>alert(1)</script> <img src=x>",
    "| a | b |",
    "@everyone and @org/team",
    "\x1b[31mred\u202e",
    "``` fence ```",
    "back\\slash \\*a\\*",
    "snake_case_name and a__b__c",
)


def _html(text: str) -> str:
    return MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough").render(text)


@pytest.mark.parametrize("foreign", HOSTILE)
def test_a_line_of_a_log_is_nothing_but_text(foreign):
    html = _html(markdown.text(foreign))
    assert html.startswith("<p>")
    assert html.count("<") == 2, html
    assert "\x1b" not in html
    assert "@e" not in html
    assert "@o" not in html


def test_plain_words_stay_as_they_are():
    assert markdown.text("0.81 of train_batch_size=32 at /a/b_c.py:12") == "0.81 of train_batch_size=32 at /a/b_c.py:12"


@pytest.mark.parametrize("foreign", ["```", "a\n````\nb", "~~~\n</code><b>x</b>"])
def test_no_text_ends_its_fence(foreign):
    html = _html("\n".join(markdown.fence(foreign)) + "\n\nafter")
    assert html.count("<pre>") == 1
    assert "<p>after</p>" in html
    assert "<b>" not in html


def test_it_says_what_the_verdict_says(killed):
    text = markdown.render(killed.verdict, killed.evidence).decode()
    for said in ("A2 Signal kill", "0.86", "rank 3", "11.5 of 42", "/ckpt/step_100", "Simulated data", "`c1`"):
        assert said in text
    html = _html(text)
    assert html.count("<h2>") == 1
    assert "<script" not in html


def test_a_hostile_verdict_adds_no_section(case):
    whole = "\n".join(HOSTILE)
    said = replace(case.verdict, headline=whole, warnings=HOSTILE, implies=HOSTILE)
    calm = replace(case.verdict, headline="calm", warnings=("calm",) * len(HOSTILE), implies=("calm",) * len(HOSTILE))
    html, plain = (_html(markdown.render(v, case.evidence).decode()) for v in (said, calm))
    for tag in ("<h", "<li", "<tr", "<a ", "<img", "<pre"):
        assert html.count(tag) == plain.count(tag), tag
