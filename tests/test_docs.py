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

PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
ROOMS = ("capture", "bundle", "analyze", "render")


def test_the_map_names_every_module() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    modules = [path for room in ROOMS for path in sorted((ROOT / room).glob("*.py")) if path.name != "__init__.py"]
    modules += [path for path in sorted((ROOT / "analyze" / "families").glob("_*.py")) if path.name != "__init__.py"]
    missing = [str(path.relative_to(ROOT)) for path in modules if f"{path.name}`" not in page]
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


COMMAND = re.compile(r"^(?:    |\$ )(?:[A-Z_]+=\S+ )*(?:srun(?: -\S+)* )?inquest ([a-z]+)(.*)$", re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=lambda page: page.name)
def test_commands_in_the_pages_have_verbs_and_options_that_exist(page: Path) -> None:
    reference = (ROOT / "docs" / "cli.md").read_text()
    for verb, rest in COMMAND.findall(page.read_text()):
        assert verb in dict(VERBS), f"{page.name}: inquest {verb}"
        section = reference.partition(f"## inquest {verb}\n")[2].partition("\n## ")[0]
        ours = re.split(r"\s--\s|\s#", rest)[0]
        for option in re.findall(r"(?<=\s)--?[a-z][a-z-]*", ours):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", section), f"{page.name}: inquest {verb} {option}"


def test_the_examples_for_contributors_run(tmp_path: Path) -> None:
    from types import SimpleNamespace

    from inquest.analyze.evidence import Evidence
    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source
    from inquest.bundle.store import MemoryStore

    page = (ROOT / "CONTRIBUTING.md").read_text()
    made: dict[str, dict[str, object]] = {}
    for name, code in re.findall(r"```python\n# (\S+)\n(.*?)```", page, re.DOTALL):
        made[name] = {"__name__": name}
        exec(compile(code, name, "exec", dont_inherit=True), made[name])
    collector = made["capture/collectors/load.py"]["Load"]()
    ((table, rows),) = collector.tick(None)
    assert (table, rows[0].keys()) == ("host_samples", {"ts_mono_ns", "load_1m"})
    kind, context = made["bundle/imports/thermometer.py"]["KIND"], Context()
    (tmp_path / "room.csv").write_text("epoch,node,celsius\n1700000000,n1,4\n1700000001,n1,warm\n")
    source = Source("room.csv", tmp_path / "room.csv")
    assert kind.fits(source)
    ((table, rows),) = kind.read(source, context)
    assert rows == [{"ts_ns": 1_700_000_000 * 10**9, "node": "n1", "gpu_index": 0, "temp_core_c": 4}]
    assert context.refused == {"not a reading": 1}
    store = MemoryStore.from_rows({table: rows})
    finding = made["analyze/families/x1_cold_room.py"]["FAMILY"].judge(Evidence(store, {}))
    assert finding.headline == "The room is cold: a GPU was at 4 C."
    assert [claim.value for claim in finding.claims] == [4]
    verdict = SimpleNamespace(headline="It was\x1b[31m cold.")
    assert made["render/one_sentence.py"]["render"](verdict, None) == "It was⟨U+001B⟩[31m cold.\n".encode()
