"""``planbatch report`` as people use it, and the page without a browser."""

import re
import shutil
from html.parser import HTMLParser

import pytest

pytestmark = pytest.mark.integration

SECTIONS = ["summary", "trade-offs", "gantt", "lublin-batch-64", "lublin-batch-32", "cells"]


class Page(HTMLParser):
    """The identifiers, links and outside references of a page, and whether its elements are closed."""

    VOID = ("meta", "link", "input", "br", "img", "hr")

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.outside, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids += [values["id"]] if values.get("id") else []
        reference = values.get("href") or values.get("src") or values.get("xlink:href") or ""
        self.links += [reference[1:]] if reference.startswith("#") else []
        if reference and not reference.startswith(("#", "data:")):
            self.outside.append(reference)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def report_folder(grid, tmp_path_factory):
    """Give a report and its exported files, made once."""
    from planbatch.experiments.report.page import make_report, write_page, write_tables
    from planbatch.experiments.runs.read import read_results

    folder = tmp_path_factory.mktemp("report")
    (folder / "pictures").mkdir()
    report = make_report(read_results(grid), folder=folder / "pictures")
    write_page(report, folder / "report.html")
    write_tables(report.tables, folder / "tables")
    return folder


def test_the_page_is_sound_and_needs_nothing_else(report_folder):
    """Elements are closed, identifiers unique, links lead somewhere, and nothing is fetched."""
    text = (report_folder / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert set(page.links) <= set(page.ids)
    assert page.outside == []
    assert set(SECTIONS) <= set(page.ids)
    assert "default-src 'none'" in text
    assert not re.search(r"@import|url\((?!#)", text)


def test_the_page_has_every_topic_of_every_workload(report_folder):
    """Pictures and their ways to be saved."""
    page = Page((report_folder / "report.html").read_text(encoding="utf-8"))
    topics = ["distributions", "map-waits", "map-ratios", "load", "rounds", "pareto"]
    for name in ("lublin-batch-64", "lublin-batch-32"):
        assert {f"picture-{name}-{topic}" for topic in topics} <= set(page.ids)
        assert (f"picture-{name}-users" in page.ids) == (name == "lublin-batch-64")
        assert {f"csv-{name}-summary", f"tex-{name}-summary", f"gantt-data-{name}"} <= set(page.ids)


def test_every_picture_and_table_is_a_file_too(report_folder):
    """SVG and PNG, CSV and LaTeX, under the same names."""
    kinds = {}
    for path in [*report_folder.glob("pictures/*"), *report_folder.glob("tables/*")]:
        kinds.setdefault(path.suffix, set()).add(path.stem)
    assert kinds[".svg"] == kinds[".png"]
    assert kinds[".csv"] == kinds[".tex"]
    assert "overview" in kinds[".svg"]
    assert {"cells", "lublin-batch-64-users", "lublin-batch-64-percentiles"} & kinds[".csv"]


@pytest.mark.integration
def test_the_same_results_give_the_same_page(grid, report_folder, monkeypatch):
    """No time, no order of processes, no random names; and processes change nothing."""
    from planbatch.experiments.report.page import make_report
    from planbatch.experiments.runs.read import read_results

    again = make_report(read_results(grid), jobs=2)
    monkeypatch.chdir(grid.parent)  # its processes go along
    assert make_report(read_results(grid.name), jobs=2).html == again.html
    assert again.html == (report_folder / "report.html").read_text(encoding="utf-8")


def test_the_command_names_what_is_missing_and_broken(run, grid, tmp_path):
    """On standard error and in the page; the others are reported, and the exit code is 0."""
    folder = tmp_path / "damaged"
    shutil.copytree(grid, folder)
    keys = sorted(path.name for path in (folder / "cells").iterdir())
    shutil.rmtree(folder / "cells" / keys[0])
    (folder / "cells" / keys[1] / "jobs.parquet").write_bytes(b"PAR1 nothing PAR1")
    before = {p: p.read_bytes() for p in (folder / "cells").rglob("*") if p.is_file()}
    code, out, err = run("report", folder, "--jobs", 1, "--gantt", "none")
    assert code == 0
    assert out.strip() == str(folder / "report.html")
    assert f"not run: {keys[0]}" in err
    assert f"left out: {folder}/cells/{keys[1]}/jobs.parquet is damaged" in err
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert keys[0] in text
    assert "is damaged" in text
    assert 'id="gantt-canvas"' not in text
    assert {p: p.read_bytes() for p in before} == before


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["nowhere"], "there is no such folder"),
        (["GRID", "--gantt", "esay"], "gantt: there is no policy 'esay'"),
        (["GRID", "--against", "best"], "against: there is no policy 'best'"),
    ],
)
def test_bad_input_is_reported_in_a_sentence(run, grid, tmp_path, words, why):
    code, out, err = run("report", *(str(grid) if w == "GRID" else w for w in words), "--out", tmp_path / "r.html")
    assert (code, out) == (2, "")
    assert why in err
    assert "Traceback" not in err
    assert not (tmp_path / "r.html").exists()
