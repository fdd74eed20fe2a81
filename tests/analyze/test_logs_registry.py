"""Every pattern of the registry: its real line gives the fields it names, its near miss gives nothing."""

import re

import pytest

from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry import REGISTRY, anchor_regex, fields, matches
from tests.conftest import ROOT

IDS = [pattern.id for pattern in REGISTRY]


@pytest.mark.parametrize("pattern", REGISTRY, ids=IDS)
def test_positive_line_matches(pattern):
    found = pattern.match(pattern.positive)
    assert found, pattern.regex
    groups = {name for name, value in found.groupdict().items() if value is not None}
    assert groups or not pattern.compiled.groupindex, "the positive line fills none of the named groups"
    assert fields(pattern, found).keys() == {"subject", "num", "num_unit", "rank"}
    assert re.search(anchor_regex(), pattern.positive)


@pytest.mark.parametrize("pattern", REGISTRY, ids=IDS)
def test_positive_line_is_reported_under_its_kind(pattern):
    assert pattern.kind in {match.kind for match, _ in matches(pattern.positive)}


@pytest.mark.parametrize("pattern", REGISTRY, ids=IDS)
def test_near_miss_does_not_match(pattern):
    assert pattern.match(pattern.near_miss) is None


@pytest.mark.parametrize("told", ["'last.pt'", '"last.pt"', "last.pt", "(last.pt)", "'last.pt' (epoch 2)"])
def test_a_checkpoint_has_no_quotes_in_its_name(told):
    subjects = {
        found["subject"] for match, found in matches(f"=> loading checkpoint {told}") if "subject" in found.groupdict()
    }
    assert subjects == {"last.pt"}


def test_ids_are_unique_and_kinds_documented():
    assert len(IDS) == len(set(IDS))
    assert all(kind.meaning for kind in Kind)


NAMES = {"huggingface": "HF Trainer", "loop": "plain loops", "launcher": "Poetry", "checkpoint": "checkpoints"}
"""Frameworks the page on facts calls otherwise."""


def test_the_page_on_facts_names_who_prints_them():
    page = (ROOT / "docs" / "log-facts.md").read_text().lower()
    assert not [name for name in sorted({p.framework for p in REGISTRY}) if NAMES.get(name, name).lower() not in page]


def test_every_role_and_sample_is_given():
    assert all(p.role and p.framework and p.positive and p.near_miss and p.anchors for p in REGISTRY)
