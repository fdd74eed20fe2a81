import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inquest.render import wording

DIRECTION_AND_CONTROL = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(st.text(alphabet=st.characters(codec=None)))
def test_nothing_harmful_is_left_of_any_text(text):
    for char in wording.harmless(text):
        assert char in "\n\t" or unicodedata.category(char) not in DIRECTION_AND_CONTROL
    wording.harmless(text).encode("utf-8")


def test_every_code_point_is_made_harmless():
    for code in range(sys.maxunicode + 1):
        shown = wording.harmless(chr(code))
        assert shown in ("\n", "\t") or shown.isprintable(), hex(code)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain text, ünï, 日本", "plain text, ünï, 日本"),
        ("\x1b[31mred", "⟨U+001B⟩[31mred"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("\0", "⟨U+0000⟩"),
        ("\u2028", "⟨U+2028⟩"),
        ("\x85", "⟨U+0085⟩"),
        ("a\u00a0b", "a b"),
        ("\ud800", "⟨U+D800⟩"),
        ("\r", "⟨U+000D⟩"),
    ],
)
def test_what_hides_is_shown(raw, shown):
    assert wording.harmless(raw) == shown


def test_cut_text_says_how_much_is_missing():
    assert wording.harmless("x" * 12, 10) == "x" * 10 + " … (2 more characters)"


@given(st.text())
def test_one_line_is_one_line(text):
    assert len(wording.one_line(text).splitlines()) <= 1


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (0, "0 s"),
        (840_000, "840 µs"),
        (2_500_000_000, "2.5 s"),
        (119_600_000_000, "120 s"),
        (200 * 10**9, "3 min 20 s"),
        (3600 * 10**9, "1 h"),
        (100_800 * 10**9, "1 d 4 h"),
        (-(10**9), "-1 s"),
    ],
)
def test_durations(ns, text):
    assert wording.duration(ns) == text


@given(st.floats() | st.integers())
def test_any_number_has_words(value):
    for unit in ("ns", "s", "bytes", "1", "W"):
        assert wording.quantity(value, unit)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "bytes", "not measured"),
        (0, "bytes", "0 B"),
        (1536, "bytes", "1.5 KiB (1,536 bytes)"),
        (True, "", "yes"),
        (9, "1", "9"),
        (0.5, "1", "0.5"),
        (250.0, "W", "250 W"),
        (1_763_672_400 * 10**9, "ns", "2025-11-20 21:00:00.000 UTC"),
        (1_500_000_000, "ns", "1.5 s"),
        ("nan", "1", "nan"),
        ("a\x1bb", "", "a⟨U+001B⟩b"),
    ],
)
def test_quantities(value, unit, text):
    assert wording.quantity(value, unit) == text


def test_a_time_outside_the_calendar_is_shown_as_a_number():
    assert wording.utc(10**22) == f"{10**22} ns UTC"


def test_hosts_fold_as_schedulers_write_them():
    assert wording.hosts([f"gpu{i:03d}" for i in range(1, 65)] + ["login"]) == "gpu[001-064], login"
    assert wording.hosts(["n1", "n2", "n5"]) == "n[1-2,5]"
    assert wording.hosts(["n1"]) == "n1"
    assert wording.spans([3, 1, 2, 9]) == "1-3, 9"


def test_one_of_something_is_not_many():
    assert wording.quantity(1, "errors") == "1 error"
    assert wording.quantity(2, "errors") == "2 errors"
    assert wording.quantity(1, "s") == "1 s"
