"""What mkdocs calls while it builds the site; see mkdocs.yml."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # mkdocs imports this file alone

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from manual import ROOT, gallery, names, notebooks, reference, settings
from manual.cache import cached
from manual.links import PAGES, VERBATIM, rewrite_links


def made_pages() -> Iterator[tuple[str, str]]:
    """Yield the pages that stand nowhere in the repository, and their Markdown."""
    yield "gallery.md", gallery.page()
    yield "reference/names.md", names.page()
    yield "reference/settings.md", settings.page()
    yield "reference/verbs.md", reference.verbs_page()
    yield from reference.pages()


def carried_files() -> Iterator[Path]:
    """Yield what the site carries as it is, for people who follow a link to it."""
    for name in VERBATIM:
        path = ROOT / name
        yield from sorted(path.glob("*.*")) if path.is_dir() else [path]


def made_files() -> Iterator[tuple[str, Path]]:
    """Yield the pages and pictures that take longer: tutorials, executed, and what commands of the gallery draw."""
    folders = notebooks.pages()
    for folder in folders.values():
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name != "seconds":
                yield f"tutorials/{path.relative_to(folder).as_posix()}", path
    maker = Path(gallery.__file__).read_bytes()
    for path in sorted(cached("gallery", [maker], gallery.write).iterdir()):
        yield f"made/{path.name}", path


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages and files that do not stand in ``docs``."""
    for uri, text in made_pages():
        files.append(File.generated(config, uri, content=text))
    for uri, path in made_files():
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    index = notebooks.index(notebooks.pages())
    files.append(File.generated(config, "tutorials/index.md", content=index))
    for source, uri in PAGES.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / source)))
    for path in carried_files():
        uri = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


#: Page of the site → the file of the repository that it is.
_PLACES = {uri: place for place, uri in PAGES.items()}


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    """Point links of files of the repository to pages of the site."""
    uri = page.file.src_uri
    return rewrite_links(markdown, _PLACES.get(uri, f"docs/{uri}"), uri)
