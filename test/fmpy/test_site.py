"""The documentation as a site, without building it: `make site` does, and runs the notebooks."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from conftest import ROOT


@pytest.fixture(scope="session")
def site() -> ModuleType:
    """scripts/docs_site.py."""
    spec = importlib.util.spec_from_file_location("docs_site", ROOT / "scripts" / "docs_site.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_all_links_lead_somewhere_and_the_menu_has_all_pages(site: ModuleType) -> None:
    assert site.broken() == []


def test_links_of_a_page(site: ModuleType) -> None:
    text = "[a](b.md#c) `[d](e)` [f](https://example.org)\n```go\n[g](h)\n```\n[i](../j)\n"
    assert list(site.links(Path("docs/k.md"), text)) == [(1, "b.md#c"), (5, "../j")]
    assert site.target(Path("docs/k.md"), "../j#l") == Path("j")
    assert site.target(Path("docs/k.md"), "#l") == Path("docs/k.md")


def test_pages_link_to_pages(site: ModuleType, tmp_path: Path) -> None:
    wanted: set[Path] = set()
    text = "[x](../run/table.go#L3) [y](../examples/ccrs) [z](CI.md#jobs)\n```go a/b.go\n[code](CI.md)\n```\n"
    changed = site.rewritten(Path("docs/RUN.md"), text, tmp_path, wanted)
    assert changed == (
        "[x](../run/table.go.md#L3) [y](../examples/ccrs/index.md) [z](CI.md#jobs)\n```go\n[code](CI.md)\n```\n"
    )
    assert wanted == {Path("run/table.go")}


def test_the_check_finds_what_is_wrong_with_a_built_site(site: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#there">b</a><a href="c.html">c</a><p id="here">')
    (tmp_path / "b.html").write_text(
        '<a href="a.html#here">a</a><a href="a.html#away">a</a><script src="https://example.org/x.js"></script>'
    )
    assert site.check(tmp_path) == [
        "a.html: b.html#there: the page has no place of that name",
        "a.html: c.html leads nowhere",
        "b.html: a.html#away: the page has no place of that name",
        "b.html: loads https://example.org/x.js from another server",
    ]


@pytest.mark.parametrize("name", ["model", "aeb"])
def test_notebooks_are_committed_without_results(name: str) -> None:
    notebook = json.loads((ROOT / "docs" / "tutorials" / f"{name}.ipynb").read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert code and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    for cell in code:
        compile("".join(cell["source"]), name, "exec")
