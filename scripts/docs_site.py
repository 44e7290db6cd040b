"""The documentation as a site: what scripts/docs_site.sh builds it from, and whether all of its links lead somewhere.

    docs_site.py prepare FOLDER   writes the pages, the files that they link to, and zensical.toml
    docs_site.py check FOLDER     every link within a built site leads to a file and a place in it

Pages keep their places in the repository, so that links among them stay as they are. What they link to
beside pages becomes a page, too: a source file, or the list of the files in a folder.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent

#: the menu: titles with the pages below them
MENU = {
    "Tutorials": ["docs/tutorials/model.ipynb", "docs/tutorials/aeb.ipynb", "docs/AUTHORS.md", "docs/ACTIVITY.md"],
    "Install": ["docs/PYTHON.md", "docs/CI.md", "docs/RELEASE.md", "docs/PLATFORMS.md", "docs/SIMULINK.md"],
    "Run": ["docs/RUN.md", "docs/SSP.md", "docs/LOOP.md", "docs/OPENSCENARIO.md", "docs/EXPERIMENTS.md"],
    "Repeat": ["docs/SWEEP.md", "docs/SCALE.md", "docs/PERFORMANCE.md"],
    "Connect": ["docs/BRIDGE.md", "docs/SIMAPI.md", "docs/MOCKSIM.md", "docs/SCXML.md"],
    "Data": ["docs/TRACES.md", "docs/SIMSENSOR.md", "docs/OPENDRIVE.md", "docs/VARIABLES.md"],
    "Check": ["docs/EXAMINATION.md", "docs/FMU_RULES.md", "docs/OSMP_RULES.md", "docs/RULES.md"],
    "Reference": ["docs/COMMANDS.md", "docs/CONFORMANCE.md", "docs/IMPORTERS.md", "docs/PROCESS.md"],
    "Develop": ["CONTRIBUTING.md", "docs/ARCHITECTURE.md", "docs/RATIONALE.md", "test/README.md", "CHANGELOG.md"],
    "Examples": ["examples/README.md"],
}

LINK = re.compile(r"(\]\()([^)\s]+)(\))")
FENCE = re.compile(r"(```\w+) .*")  # after the language, a block names the test file that it belongs to
PICTURES = (".png", ".svg")
LANGUAGES = {".go": "go", ".py": "python", ".proto": "proto", ".txtar": "text", ".tmpl": "text", ".sh": "sh"}


class Broken(Exception):
    """Broken links, one per line."""


def pages() -> list[Path]:
    """All pages, as paths in the repository."""
    found = [Path(name) for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "test/README.md")]
    for pattern in "docs/*.md", "docs/tutorials/*.ipynb", "examples/**/README.md":
        found += [path.relative_to(ROOT) for path in ROOT.glob(pattern)]
    return sorted(found)


def published(page: Path) -> Path:
    """The path of a page in the site: a README becomes the page of its folder, a notebook has been run."""
    if page.name == "README.md":
        return page.with_name("index.md")
    return page.with_suffix(".md") if page.suffix == ".ipynb" else page


def links(page: Path, text: str) -> Iterator[tuple[int, str]]:
    """The links of a page to files in the repository, with their lines. Code contains no links."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            for match in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
                if not urlsplit(match.group(2)).scheme:
                    yield number, match.group(2)


def target(page: Path, link: str) -> Path:
    """The file or folder in the repository that a link leads to."""
    path = unquote(urlsplit(link).path)
    joined = os.path.normpath(page.parent / path) if path else str(page)
    return Path(joined)


def broken() -> list[str]:
    """The links on all pages that lead to no file or folder, and the pages that are not in the menu."""
    found = []
    for page in pages():
        for number, link in links(page, source(page)):
            if not (ROOT / target(page, link)).exists():
                found.append(f"{page}:{number}: {link} leads nowhere")
    listed = [name for names in MENU.values() for name in names]
    for page in pages():
        if page.parts[0] == "docs" and str(page) not in listed:
            found.append(f"{page} is missing in the menu of scripts/docs_site.py")
    absent = [name for name in listed if not (ROOT / name).exists()]
    return found + [f"{name} in the menu of scripts/docs_site.py: there is no such page" for name in absent]


def source(page: Path) -> str:
    """The text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def prepare(folder: Path) -> None:
    """Writes the sources of the site."""
    if lacking := broken():
        raise Broken("\n".join(lacking))
    content = folder / "source"
    wanted: set[Path] = set()
    for page in pages():
        place = content / published(page)
        place.parent.mkdir(parents=True, exist_ok=True)
        text = place.read_text(encoding="utf-8") if page.suffix == ".ipynb" else source(page)
        place.write_text(rewritten(page, text, content, wanted), encoding="utf-8")
    for path in sorted(wanted):
        write_source(content, path)
    (folder / "zensical.toml").write_text(configuration(), encoding="utf-8")


def rewritten(page: Path, text: str, content: Path, wanted: set[Path]) -> str:
    """A page with its links changed to pages of the site. Copies its pictures, and adds everything that
    must become a page to wanted."""
    known = set(pages())

    def change(match: re.Match[str]) -> str:
        link = match.group(2)
        if urlsplit(link).scheme or link.startswith("#") or not (ROOT / target(page, link)).exists():
            return match.group(0)  # the last case: a picture drawn by a notebook
        path = target(page, link)
        if path.suffix in PICTURES:
            (content / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, content / path)
            return match.group(0)
        if (path / "README.md") in known:
            path = path / "README.md"
        if path not in known:
            wanted.add(path)
        place = published(path) if path in known else shown(path)
        fragment = urlsplit(link).fragment
        relative = os.path.relpath(place, published(page).parent)
        return f"]({relative}{'#' + fragment if fragment else ''})"

    lines, code = text.splitlines(keepends=True), False
    for k, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            code = not code
            lines[k] = FENCE.sub(r"\1", line)
        elif not code:
            lines[k] = LINK.sub(change, line)
    return "".join(lines)


def shown(path: Path) -> Path:
    """The path in the site of a source file, or of a folder without a README."""
    return path / "index.md" if (ROOT / path).is_dir() else path.with_name(path.name + ".md")


def write_source(content: Path, path: Path) -> None:
    """Writes the page of a source file or of a folder, without adding it to the search."""
    place = content / shown(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    head = f"---\nsearch:\n  exclude: true\n---\n\n# {path}\n\n"
    if (ROOT / path).is_dir():
        names = sorted(child.name for child in (ROOT / path).iterdir() if not child.name.startswith("."))
        body = "".join(f"- `{name}`\n" for name in names)
    else:
        body = f"~~~~~~{LANGUAGES.get(path.suffix, 'text')}\n{source(path)}\n~~~~~~\n"
    place.write_text(head + body, encoding="utf-8")


def configuration() -> str:
    """The settings of zensical. It uses the fonts of the reader, so that the site needs no other server."""
    menu = ['  { "Home" = "index.md" },']
    for title, names in MENU.items():
        entries = ", ".join(f'"{published(Path(name))}"' for name in names)
        if title == "Install":
            entries += ', { "gosmp for Python" = "python/gosmp.html" }'
        menu.append(f'  {{ "{title}" = [{entries}] }},')
    return "\n".join(
        [
            "[project]",
            'site_name = "gosmp"',
            'site_description = "FMUs of sensor models, and everything to run, judge and repeat experiments with them"',
            'docs_dir = "source"',
            'site_dir = "site"',
            "use_directory_urls = false",
            "nav = [",
            *menu,
            "]",
            "[project.theme]",
            "font = false",
            'features = ["navigation.top", "navigation.footer", "content.code.copy", "search.highlight"]',
            "",
        ]
    )


class Document(HTMLParser):
    """The anchors in a page, and the targets of its links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []  # scripts, styles, images
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.places |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preconnect"):
            self.loaded.append(given["href"])
        if tag in ("script", "img") and "src" in given:
            self.loaded.append(given["src"])


def check(site: Path) -> list[str]:
    """The faults in the links of a built site."""
    documents = {path: Document(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, document in documents.items():
        if path.name == "404.html":
            continue  # its links are absolute, because it may be shown anywhere
        for link in document.links + document.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in document.loaded and parts.scheme != "data":
                    found.append(f"{path.relative_to(site)}: loads {link} from another server")
                continue
            place = Path(os.path.normpath(path.parent / unquote(parts.path))) if parts.path else path
            if place.is_dir():
                place = place / "index.html"
            if not place.is_file():
                found.append(f"{path.relative_to(site)}: {link} leads nowhere")
            elif parts.fragment and place in documents and unquote(parts.fragment) not in documents[place].places:
                found.append(f"{path.relative_to(site)}: {link}: the page has no place of that name")
    return found


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in ("prepare", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        if sys.argv[1] == "prepare":
            prepare(Path(sys.argv[2]))
            return 0
    except Broken as e:
        print(e, file=sys.stderr)
        return 1
    found = check(Path(sys.argv[2]))
    print("\n".join(found) if found else "all links of the site lead somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
