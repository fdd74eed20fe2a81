"""Every XID of NVIDIA's catalogue has one class, and it is the one the catalogue's action stands for."""

from __future__ import annotations

import html
import re
import zipfile
from typing import TYPE_CHECKING

import pytest

from inquest.analyze.engine import judge
from inquest.analyze.families import _xid
from inquest.analyze.families._xid import APPLICATION_XIDS, HARDWARE_XIDS, class_of
from inquest.analyze.logs.kinds import Kind

from ..bundle.imports.kit import REFERENCE
from .builders import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

CATALOGUE = REFERENCE / "xid" / "Xid-Catalog.xlsx"
REPAIR = ("RESET_GPU", "RESTART_BM", "CHECK_MECHANICALS", "WORKFLOW_XID_48", "WORKFLOW_NVLINK")
"""Immediate actions that no application can ask for."""

HARDWARE_ALL_THE_SAME = {
    63: "rows were remapped: nothing to do now, and a memory that fails",
    92: "the rate of corrected errors is high",
    94: "the application must be restarted because its memory had an uncorrectable error",
    121: "errors of the link between chips",
    157: "no row is left to remap to",
}
"""Of hardware, though the immediate action is IGNORE or RESTART_APP, and why."""


def rows() -> Iterator[dict[str, str]]:
    """Rows of the first sheet by column letter."""
    if not CATALOGUE.is_file():
        pytest.skip("shared/reference/xid is not beside the checkout")
    with zipfile.ZipFile(CATALOGUE) as book:
        shared = re.findall(r"<si>(.*?)</si>", book.read("xl/sharedStrings.xml").decode(), re.DOTALL)
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    texts = [html.unescape("".join(re.findall(r"<t[^>]*>(.*?)</t>", item, re.DOTALL))) for item in shared]
    for row in re.findall(r"<row [^>]*>(.*?)</row>", sheet, re.DOTALL)[1:]:
        found = {}
        for column, kind, body in re.findall(r'<c r="([A-Z]+)\d+"([^>]*?)(?:/>|>(.*?)</c>)', row, re.DOTALL):
            if value := re.search(r"<v>(.*?)</v>", body):
                found[column] = texts[int(value[1])].strip() if 't="s"' in kind else value[1]
        if found.get("B", "").isdigit():
            yield found


def test_each_number_has_the_class_its_action_stands_for() -> None:
    seen = 0
    for row in rows():
        seen += 1
        number, action, look = int(row["B"]), row.get("I", ""), row.get("J", "")
        found = class_of(number)
        assert found is not None, f"XID {number} has no class: {row}"
        used = any(row.get(column) == "YES" for column in "EFGH")
        if not used:
            # Of GPUs before the A100; two of them still stand in kernel logs.
            assert found in {"unused", "notice"} or number in {61, 125}, row
        elif action.startswith(REPAIR):
            assert found == "hardware", row
        elif look.startswith("CHECK_APP") and action == "RESTART_APP":
            assert found == "application", row
        elif action in {"RESTART_APP", "IGNORE"} and found == "hardware":
            assert number in HARDWARE_ALL_THE_SAME, row
    assert seen > 150


def test_a_number_is_in_one_class() -> None:
    kinds = (
        frozenset(HARDWARE_XIDS),
        APPLICATION_XIDS,
        _xid._REPEATED,
        _xid._CONSEQUENCES,
        _xid._NOTICES,
        _xid._UNUSED,
    )
    assert sum(map(len, kinds)) == len(frozenset().union(*kinds))
    assert class_of(999) is None


@pytest.mark.parametrize(
    ("xid", "what"),
    [
        (79, "hardware"),
        (48, "hardware"),
        (13, "application"),
        (43, "application"),
        (45, "consequence"),
        (41, "repeated"),
    ],
)
def test_the_ones_everybody_meets(xid: int, what: str) -> None:
    assert class_of(xid) == what


def test_an_engine_that_stopped_is_a_warning_and_no_verdict() -> None:
    run = Run().steps([4.0 - 0.05 * number for number in range(40)])
    for second in (45, 46):
        told = {"num": 41.0, "subject": "PCI:0000:4f:00", "framework": "kernel"}
        run.event(Kind.XID, "NVRM: Xid (PCI:0000:4f:00): 41", t=second, **told)
    verdict = judge(run.ended(1, t=53).evidence(), strict=True)
    assert verdict.family != "B2"
    assert any("XID 41 of PCI:0000:4f:00 on node01, 2 times" in warning for warning in verdict.warnings)
