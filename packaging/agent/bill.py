"""What a single file is made of, and under which licences: a CycloneDX bill of materials, and the texts.

    build/agent/venv/bin/python packaging/agent/bill.py DIRECTORY WORK SECONDS

Written from what PyInstaller says it took (WORK, its working directory) into DIRECTORY, and from the metadata of the
distributions it took it from. SECONDS since 1970 is the time the bill states; nothing in it depends on where or when it
was made. Format: https://cyclonedx.org/docs/1.5/json/.
"""

from __future__ import annotations

import ast
import datetime
import hashlib
import importlib.metadata
import json
import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import interpreter

BILL: Final = "cdx.json"
LICENCES: Final = "licences.txt"
ROOT: Final = Path(__file__).resolve().parent.parent.parent
_TEXTS: Final = re.compile(r"(?i)(licen[cs]e|copying|notice|authors)[^/]*$")
_RULE: Final = "=" * 100


def main(directory: Path, work: Path, seconds: int) -> None:
    """Write bill and licences into ``directory``."""
    taken = _taken(work)
    parts = _distributions(taken) + _system(taken) + _built()
    owner = {path: part for part in parts for path in part.pop("paths")}
    sources = {f"lib/{inside}": source for inside, source in taken.items()}
    own = []
    for path in sorted(path for path in directory.rglob("*") if path.is_file() and not path.is_symlink()):
        name = str(path.relative_to(directory))
        if name in (BILL, LICENCES):
            continue
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        file = {"type": "file", "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}
        source = sources.get(name, "")
        part = owner.get(source) or owner.get(str(Path(source).resolve()))
        if part is None and name.startswith("lib/python3"):
            part = parts[-1]
        (own if part is None else part.setdefault("components", [])).append(file)
    parts.sort(key=lambda part: part["bom-ref"])
    _write_licences(directory, parts)
    made = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    inquest = {
        "type": "application",
        "bom-ref": "inquest",
        "name": directory.name,
        "version": re.findall(r'__version__ = "(.*)"', (ROOT / "inquest" / "__init__.py").read_text())[0],
        "licenses": [{"expression": "Apache-2.0"}],
    }
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"timestamp": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": inquest},
        "components": [{key: value for key, value in part.items() if key != "texts"} for part in parts] + own,
        "dependencies": [{"ref": "inquest", "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    (directory / BILL).write_text(json.dumps(bill, indent=1) + "\n")


def _taken(work: Path) -> dict[str, str]:
    """Where each thing in the directory, and each module in the program, came from."""
    (collected,) = ast.literal_eval((work / "COLLECT-00.toc").read_text())
    _, modules = ast.literal_eval((work / "PYZ-00.toc").read_text())
    return {f"{name}" if kind != "PYMODULE" else f"{name}.py": source for name, source, kind in (*modules, *collected)}


def _distributions(taken: dict[str, str]) -> list[dict[str, Any]]:
    """Parts that are Python distributions: those of which at least one file was taken."""
    used = set(taken.values())
    parts = []
    for found in importlib.metadata.distributions():
        place = found.locate_file("")
        paths = {f"{place}/{file}" for file in found.files or ()}
        name, version = found.metadata["Name"], found.version
        # PyInstaller's own program is what starts the file.
        if paths.isdisjoint(used) and name.lower() != "pyinstaller":
            continue
        texts = [path for path in sorted(paths) if ".dist-info/" in path and _TEXTS.search(path)]
        parts.append(
            _part(f"pkg:pypi/{re.sub('[-_.]+', '-', name).lower()}@{version}", name, version, _licence(found.metadata))
            | {"paths": paths, "texts": texts}
        )
    return parts


def _licence(metadata: importlib.metadata.PackageMetadata) -> dict[str, Any]:
    if expression := metadata.get("License-Expression"):
        return {"expression": expression}
    named = [line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier", []) if line.startswith("License ::")]
    named = [name for name in named if name != "OSI Approved"]
    free = (metadata.get("License") or "").strip().splitlines()
    return {"license": {"name": " or ".join(named) or (free[0] if free else "see the text")}}


def _system(taken: dict[str, str]) -> list[dict[str, Any]]:
    """Parts that are packages of the system that built: libraries which Python's own modules are linked with."""
    paths: dict[str, set[str]] = {}
    for source in set(taken.values()):
        real = str(Path(source).resolve())
        if re.match(r"(/usr)?/lib(64)?/", real) and not real.startswith(sys.base_prefix + "/lib/python"):
            package = _package_of(real)
            if package:
                paths.setdefault(package, set()).update((source, real))
    parts = []
    for package, files in sorted(paths.items()):
        asked = ["dpkg-query", "--show", "--showformat=${Version}", package]
        version = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        name = package.partition(":")[0]
        part = _part(f"pkg:deb/debian/{name}@{version}", name, version, {"license": {"name": "see the text"}})
        texts = [text for text in [f"/usr/share/doc/{name}/copyright"] if Path(text).exists()]
        parts.append(part | {"paths": files, "texts": texts})
    return parts


def _package_of(path: str) -> str | None:
    """The Debian package that a library is of; None where there is no dpkg or it knows none."""
    for name in (path, path.removeprefix("/usr")):  # dpkg knows a path as it was packed, before /lib became a link
        try:
            found = subprocess.run(["dpkg-query", "--search", name], capture_output=True, text=True, check=False)
        except FileNotFoundError:
            return None
        if found.returncode == 0:
            return found.stdout.split(": ")[0]
    return None


def _built() -> list[dict[str, Any]]:
    """Python, the last, and what was built with it where it was compiled for the single files (interpreter.py)."""
    library = Path(sys.base_prefix) / "lib"
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    own = {str(path) for path in library.glob("libpython*")}
    own |= {str(Path(path).resolve()) for path in own}
    described = library / interpreter.BUILT_FROM
    if not described.exists():
        texts = [path for path in (library / name / "LICENSE.txt", library.parent / "LICENSE.txt") if path.exists()]
        version = platform.python_version()
        python = _part(f"pkg:generic/cpython@{version}", "CPython", version, {"expression": "Python-2.0.1"})
        return [python | {"paths": own, "texts": list(map(str, texts[:1]))}]
    parts = []
    for told in sorted(json.loads(described.read_text())["parts"], key=lambda told: told["name"] == name):
        is_python = told["name"] == name
        url = f"pkg:deb/debian/{told['name']}@{told['version']}?arch=source"
        licence = {"expression": "Python-2.0.1"} if is_python else {"license": {"name": "see the text"}}
        part = _part(url, "CPython" if is_python else told["name"], told["version"], licence)
        paths = own if is_python else {str(library / file) for file in told["files"]}
        parts.append(part | {"paths": paths, "texts": [str(library / told["text"])]})
    return parts


def _part(url: str, name: str, version: str, licence: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "library",
        "bom-ref": url,
        "name": name,
        "version": version,
        "purl": url.replace("+", "%2B"),
        "licenses": [licence],
    }


def _write_licences(directory: Path, parts: list[dict[str, Any]]) -> None:
    out = [
        f"{directory.name} is under the Apache License 2.0 (the first text below). In the same file travel:\n",
        *(f"  {part['name']} {part['version']}: {_words(part)}" for part in parts),
        f"\n{_RULE}\ninquest\n{_RULE}\n\n{(ROOT / 'LICENSE').read_text()}",
    ]
    for part in parts:
        out.append(f"{_RULE}\n{part['name']} {part['version']}: {_words(part)}\n{_RULE}\n")
        out += [Path(text).read_text(errors="replace") for text in part["texts"]]
        if not part["texts"]:
            out.append("The distribution carries no text of its licence; the line above is what its metadata says.\n")
    (directory / LICENCES).write_text("\n".join(out))


def _words(part: dict[str, Any]) -> str:
    (told,) = part["licenses"]
    return str(told.get("expression") or told["license"]["name"])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
