"""Links of Markdown files: from places in the repository, where they are right on any forge, to pages of the site."""

import posixpath
import re

#: Files outside of ``docs`` that are pages of the site.
PAGES = {
    "DESIGN.md": "development/design.md",
    "CONTRIBUTING.md": "development/contributing.md",
    "CHANGELOG.md": "development/changelog.md",
}
#: Folders and files that the site carries as they are.
VERBATIM = ("examples/", "LICENSE", "CITATION.cff")
#: The target of a link or picture.
_TARGET = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
#: Code, in which nothing is a link.
_CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.DOTALL | re.MULTILINE)


def of_site(path: str) -> str:
    """Return where a file of the repository stands on the site; a notebook leads to its page.

    >>> of_site("docs/data.md"), of_site("DESIGN.md"), of_site("examples/tune.toml")
    ('data.md', 'development/design.md', 'examples/tune.toml')
    """
    if path in PAGES:
        return PAGES[path]
    inside = path.removeprefix("docs/")
    if inside.startswith("tutorials/") and inside.endswith(".ipynb"):
        return inside.removesuffix(".ipynb") + ".md"
    return inside


def rewrite_links(text: str, source: str, page: str) -> str:
    """Return Markdown with the links that a page of the site needs.

    Parameters
    ----------
    text : str
        The Markdown of a file of the repository.
    source : str
        The file, from the root of the repository.
    page : str
        Its page, from the root of the site.
    """

    def link(match: re.Match[str]) -> str:
        opening, target, anchor, closing = match.groups()
        if ":" in target or target.startswith("/"):
            return match.group()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if not (path in PAGES or path.startswith(("docs/", *VERBATIM))):
            return match.group()
        inside = posixpath.relpath(of_site(path), posixpath.dirname(page) or ".")
        return f"{opening}{inside}{anchor or ''}{closing}"

    parts = _CODE.split(text)
    return "".join(part if i % 2 else _TARGET.sub(link, part) for i, part in enumerate(parts))
