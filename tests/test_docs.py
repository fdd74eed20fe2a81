"""Documentation that cannot drift: the map names every module, links lead somewhere, verbs are explained."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from inquest.analyze import familydoc
from inquest.analyze.families import FAMILIES
from inquest.cli import VERBS, _doc

from .conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
ROOMS = ("capture", "bundle", "analyze", "render")


def test_the_map_names_every_module() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    missing = [
        str(path.relative_to(ROOT))
        for room in ROOMS
        for path in sorted((ROOT / room).glob("*.py"))
        if path.name != "__init__.py" and f"{path.name}`" not in page
    ]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_readme_shows_the_main_verbs() -> None:
    readme = (ROOT / "README.md").read_text()
    for name in ("run", "merge", "analyze", "query", "cite", "verify", "explain"):
        assert name in dict(VERBS)
        assert f"inquest {name}" in re.sub(" +", " ", readme)


def test_make_commands_on_the_first_screen() -> None:
    head = "\n".join((ROOT / "README.md").read_text().splitlines()[:20])
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "test"):
        assert f"make {target}" in head
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_every_verb_and_option_stands_in_the_page_of_the_command_line() -> None:
    page = (ROOT / "docs" / "cli.md").read_text()
    assert page == _doc.document(), "run: python -m inquest.cli._doc"


def test_the_page_of_families_is_what_the_code_says() -> None:
    assert set(familydoc.NEIGHBOURS) == {family.id for family in FAMILIES}
    assert (ROOT / "docs" / "families.md").read_text() == familydoc.document(), (
        "run: python -m inquest.analyze.familydoc"
    )
