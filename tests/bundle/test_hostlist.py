"""Slurm's host lists, as evidence quotes them."""

from __future__ import annotations

import pytest

from inquest.bundle.hostlist import MAX_HOSTS, expand, is_cut


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("gpu1", ["gpu1"]),
        ("gpu[001-003,007],login1", ["gpu001", "gpu002", "gpu003", "gpu007", "login1"]),
        ("r[1-2]n[08-10]", ["r1n08", "r1n09", "r1n10", "r2n08", "r2n09", "r2n10"]),
        ("a-b.c[9-11]", ["a-b.c9", "a-b.c10", "a-b.c11"]),
        (" n1 ", ["n1"]),
    ],
)
def test_lists_expand(text: str, names: list[str]) -> None:
    assert list(expand(text)) == names


@pytest.mark.parametrize(
    "text",
    ["", "n[", "n[1-2", "n1]", "n[a-b]", "n[3-1]", "a,,b", "n[1-999999999]", "n[1-1000]m[1-1000]", "a" * 100_000 + "["],
)
def test_what_is_no_list_gives_nothing_and_takes_no_time(text: str) -> None:
    assert expand(text) == ()


def test_the_longest_list() -> None:
    assert len(expand(f"n[1-{MAX_HOSTS}]")) == MAX_HOSTS
    assert expand(f"n[1-{MAX_HOSTS}],m") == ()


@pytest.mark.parametrize(
    "text",
    ["gpu[01-0", "hgx17,hgx18,hgx1", "hgx9,hgx1", "rack2-n7,rack2-", "dgx-a1,dgx-a2,", "dgx-a1,dgx-a+", "a[1-2],b[3"],
)
def test_a_list_that_its_column_cut_is_told(text: str) -> None:
    assert is_cut(text)


@pytest.mark.parametrize(
    "text",
    ["", "gpu1", "gpu[01-04],login1", "hgx9,hgx10", "n1,gpu1", "n1.hpc,n2.hpc", "a[1-2],b3", "n1,n1", "10.0.0.9"],
)
def test_a_whole_list_is_not_cut(text: str) -> None:
    assert not is_cut(text)
