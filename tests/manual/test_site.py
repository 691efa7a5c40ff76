"""The site as a reader gets it: built with warnings as errors, no broken link, nothing fetched, and answers found."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from selenium.webdriver.common.by import By

from manual import ROOT
from tests.experiments.report.browser import browser, until

#: What people ask, the words that they search for, and the page that has to be among the first three found.
QUESTIONS = {
    "how do I cap the longest wait?": ("cap longest wait", "tutorials/6-promises.html"),
    "why is conservative slower than EASY?": ("conservative slower than EASY", "questions.html"),
    "which rules does the replay follow at one instant?": ("rules replay instant", "development/design.html"),
    "how do I cite it?": ("cite", "questions.html"),
    "can I use what sacct prints?": ("sacct", "data.html"),
    "how do I write my own objective?": ("own objective", "tutorials/2-your-objective.html"),
    "how do I add memory or GPUs?": ("memory GPUs", "tutorials/7-resources.html"),
    "how is an interrupted experiment resumed?": ("experiment killed resumed", "tutorials/5-dask.html"),
    "what does wfp3 do?": ("wfp3", "reference/names.html"),
    "what is not modelled?": ("not modelled", "model.html"),
    "do jobs start when planned?": ("jobs start when planned", "starts.html"),
    "how does it compare with others?": ("compares Batsim AccaSim", "comparison.html"),
}


def built(folder: Path) -> Path:
    """Build the site into a folder; warnings are errors."""
    pytest.importorskip("material", reason="needs the extra docs: pip install 'planbatch[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stderr
    return folder


class Page(HTMLParser):
    """Collects what a page refers to, and the places in it that can be referred to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.in_text: list[str] = []
        self._article = 0
        self.places: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one tag."""
        arguments = {name: value or "" for name, value in attrs}
        self._article += tag == "article"
        self.places |= {arguments[name] for name in ("id", "name") if name in arguments}
        if tag == "a" and "href" in arguments:
            self.links.append(arguments["href"])
            if self._article:
                self.in_text.append(arguments["href"])
        elif tag == "link" and arguments.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(arguments["href"])
        elif "src" in arguments:
            self.loaded.append(arguments["src"])

    def handle_endtag(self, tag: str) -> None:
        """Look at the end of an element."""
        self._article -= tag == "article"


def pages_of(site: Path) -> dict[Path, Page]:
    """Read all pages but the report, which has its own tests, and the one for wrong addresses."""
    paths = [p for p in site.rglob("*.html") if p.name not in ("report.html", "404.html")]
    return {path: Page(path.read_text(encoding="utf-8")) for path in paths}


def no_link_is_broken(site, pages):
    """Files and places in them are there."""
    assert len(pages) > 40
    broken = []
    for path, page in pages.items():
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            there = target in pages if target.suffix == ".html" and target.name != "report.html" else target.exists()
            if not there or (place and target in pages and place not in pages[target].places):
                broken.append((path.relative_to(site).as_posix(), link))
    assert broken == []


def questions_are_answered_within_two_links(site, pages):
    """From the text of the landing page, without the navigation."""
    reached = {site / "index.html"}
    for _ in range(2):
        result = {
            (path.parent / unquote(urlsplit(link).path)).resolve()
            for path in reached
            for link in pages[path].in_text
            if not urlsplit(link).netloc and urlsplit(link).path
        }
        reached |= result & set(pages)
    far = {page for _, page in QUESTIONS.values() if site / page not in reached}
    assert far == set()


def nothing_is_fetched(pages):
    """Scripts, styles, fonts and pictures are all in the folder."""
    for path, page in pages.items():
        assert not [link for link in page.loaded if urlsplit(link).netloc], path


def tutorials_show_what_they_print(site):
    """Tables, pictures, and no traceback."""
    for path in sorted(site.glob("tutorials/[1-8]-*.html")):
        text = path.read_text(encoding="utf-8")
        assert "Traceback" not in text, path
        assert "<table" in text, path
        assert (site / "tutorials" / f"{path.stem}.ipynb").is_file()
    assert "ended by signal 9" in (site / "tutorials" / "5-dask.html").read_text(encoding="utf-8")


def questions_are_answered_by_one_search(site, tmp_path):
    """In a browser, from files, without a server: the page is among the first three that the search finds."""
    missed = {}
    with browser(tmp_path) as driver:
        for question, (words, expected) in QUESTIONS.items():
            driver.get((site / "index.html").as_uri())
            box = driver.find_element(By.CSS_SELECTOR, "[data-md-component=search-query]")
            driver.execute_script("document.querySelector('#__search').click()")
            box.send_keys(words)
            listed = ".md-search-result__item > a.md-search-result__link"
            until(driver, lambda d, listed=listed: d.find_elements(By.CSS_SELECTOR, listed))
            result = [
                urlsplit(link.get_attribute("href")).path.removeprefix(f"{site}/")
                for link in driver.find_elements(By.CSS_SELECTOR, listed)
            ][:3]
            if expected not in result:
                missed[question] = result
    assert missed == {}


@pytest.mark.nightly
def test_the_site(tmp_path):
    """One test, so that the site is built once, however many processes run the tests."""
    site = built(tmp_path / "site")
    pages = pages_of(site)
    no_link_is_broken(site, pages)
    questions_are_answered_within_two_links(site, pages)
    nothing_is_fetched(pages)
    tutorials_show_what_they_print(site)
    questions_are_answered_by_one_search(site, tmp_path)


def test_questions_are_answered_within_two_clicks():
    """From any page of a wide screen: a tab, which lists its pages, and one of them."""
    navigation = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    reached = set()
    for tab in navigation:
        (pages,) = tab.values()
        for page in [pages] if isinstance(pages, str) else pages:
            reached |= {page} if isinstance(page, str) else set(page.values())
    assert len(reached) > 35
    assert {page.replace(".html", ".md") for _, page in QUESTIONS.values()} <= reached
