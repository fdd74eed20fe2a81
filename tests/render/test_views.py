"""What holds for every view, whatever it draws."""

import json

import pytest

from inquest.render import VIEWS, json_view, terminal

from . import scenarios


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__.rsplit(".", 1)[-1])
def test_a_view_is_a_pure_function_of_verdict_and_evidence(view, case):
    first = view.render(case.verdict, case.evidence)
    assert first
    assert first == view.render(case.verdict, case.evidence)


def test_views_write_different_files():
    assert len({(view.name, view.extension) for view in VIEWS}) == len(VIEWS)


def test_the_package_has_views_and_nothing_made_up():
    import inquest.render

    with pytest.raises(AttributeError):
        _ = inquest.render.NO_SUCH_VIEW


def test_json_is_the_verdict(killed):
    assert json.loads(json_view.render(killed.verdict, killed.evidence))["family"] == "A2"


@pytest.mark.parametrize("width", [80, 100, 200])
def test_no_verdict_takes_more_than_a_screen(case, width):
    import io

    from rich.console import Console

    out = io.StringIO()
    terminal.show(case.verdict, case.evidence, Console(file=out, width=width))
    lines = out.getvalue().splitlines()
    assert len(lines) <= terminal.LINES
    if case.verdict.shows:
        assert sum(line.strip().startswith(f"[{case.verdict.shows[0].id}") for line in lines) == 1


def test_what_is_left_out_is_counted(killed):
    from dataclasses import replace

    chain = killed.verdict.chain * 5
    text = terminal.render(replace(killed.verdict, chain=chain), killed.evidence).decode()
    assert f"of {len(chain)})" in text


def test_the_terminal_shows_the_verdict_on_a_screen(killed):
    text = terminal.render(killed.verdict, killed.evidence).decode()
    lines = text.splitlines()
    assert len(lines) <= terminal.LINES
    assert max(map(len, lines)) <= terminal.PLAIN_WIDTH
    for said in (
        "A2 Signal kill",
        "confidence 0.86",
        "rank 3",
        "node01",
        "± 2 ms",
        "11.5 of 42",
        "/ckpt/step_100",
        "SIMULATED",
    ):
        assert said in text


def test_the_terminal_cannot_be_driven_by_a_log(case):
    text = terminal.render(case.verdict, case.evidence).decode()
    assert all(char.isprintable() for line in text.split("\n") for char in line)


def test_log_text_is_not_markup(killed):
    from dataclasses import replace

    verdict = replace(killed.verdict, headline="[bold]x[/bold] [link=http://e]y[/link] :smile:")
    assert "[bold]x[/bold] [link=http://e]y[/link] :smile:" in terminal.render(verdict, killed.evidence).decode()


def _printed(**options):
    import io

    from rich.console import Console

    out = io.StringIO()
    case = scenarios.killed(gpus=False)
    terminal.show(case.verdict, case.evidence, Console(file=out, width=100, **options))
    return out.getvalue()


def test_no_colour_is_asked_for_by_the_environment(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "31m" in _printed(force_terminal=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "31m" not in _printed(force_terminal=True)


def test_a_pipe_gets_no_escapes(monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b" not in _printed()


def test_healthy_says_what_was_looked_at(capsys):
    case = scenarios.healthy()
    assert "No evidence of failure in what was captured." in terminal.render(case.verdict, case.evidence).decode()


def test_a_terminal_that_is_not_utf8_is_no_reason_to_fail():
    import io

    from rich.console import Console

    raw = io.BytesIO()
    case = scenarios.bare()
    with io.TextIOWrapper(raw, encoding="ascii") as out:
        terminal.show(case.verdict, case.evidence, Console(file=out, width=100))
        out.flush()
        assert b"Cannot decide" in raw.getvalue()
